"""A user's own folder: the one of docs/templates.md works as written, and every mistake is said in one line."""

from __future__ import annotations

import re
from pathlib import Path

import jsonschema
import pytest

from schemas.errors import SampleError, UserError
from synth.content.library import load_library
from synth.content.providers import PROVIDERS, parse_call
from synth.content.template_fields import uses
from synth.content.writer import write
from tests.synth.content.samples import files, kit, recipe, shipped, spec

DOC = Path(__file__).parents[3] / "docs" / "templates.md"
FAMILY = "type: note\nlanguages: [en]\n"
SCHEMA = """{
  "type": "object",
  "properties": {
    "who": {"type": "string", "x-provider": "person.name", "title": "Name"},
    "lines": {"type": "array", "minItems": 2, "maxItems": 3, "items": {
      "type": "object", "properties": {"what": {"type": "string", "x-provider": "product.name"}}}}
  }
}"""
TEMPLATE = '<p>{{ k("who") }} {{ f("who") }}</p>{% for row in rows("lines") %}<p>{{ f(row ~ ".what") }}</p>{% endfor %}'


def good(folder: Path, **changes: str) -> Path:
    return files(folder, **{"family": FAMILY, "schema": SCHEMA, "template": TEMPLATE, **changes})


def made(root: Path, index: int = 0):
    content = recipe("note", languages=["en"], writer={"folders": [str(root)]})
    return write(spec("note", "en", index), load_library((root,)), content)


def refused(root: Path) -> str:
    with pytest.raises(UserError) as caught:
        load_library((root,))
    text = str(caught.value)
    assert "\n" not in text and "->" in text, "one line that ends with what to do"
    return text


def test_the_example_of_the_documentation_works_as_written(tmp_path):
    blocks = re.findall(r"^`my_templates/([\w./]+)`:\n\n```\w+\n(.*?)^```", DOC.read_text("utf-8"), re.M | re.S)
    assert [name for name, _ in blocks] == [
        f"library_card/{n}" for n in ("family.yaml", "schema.json", "template.html")
    ]
    (tmp_path / "library_card").mkdir()
    for name, text in blocks:
        (tmp_path / name).write_text(text, encoding="utf-8")
    library = load_library((tmp_path,))
    assert library.types() == shipped().types() | {"library_card"}
    assert library.languages_of("library_card") == {"en", "bn"}
    content = recipe("library_card", languages=["en", "bn"], writer={"folders": [str(tmp_path)]})
    for language in ("en", "bn"):
        doc = write(spec("library_card", language), library, content)
        jsonschema.validate(doc.values, doc.schema)
        assert set(doc.values) == {"library", "member", "loans"} and 1 <= len(doc.values["loans"]) <= 3
        assert doc.schema["properties"]["member"]["properties"]["name"]["title"] in (
            "Member",
            "Name",
            "সদস্যের নাম",
            "নাম",
        )
        assert (doc.page.width_mm, doc.page.height_mm) == (120, 80)


def test_a_family_may_join_a_type_of_ours(tmp_path):
    library = load_library((good(tmp_path / "mine" / "strip", family="type: receipt\nlanguages: [en]\n"),))
    assert "receipt/strip" in library.of_type("receipt")


def test_its_files_are_in_the_digests(tmp_path):
    root = good(tmp_path / "mine" / "slip")
    before = load_library((root,)).digests()
    (root / "slip" / "template.html").write_text(TEMPLATE + "<p>more</p>", encoding="utf-8")
    after = load_library((root,)).digests()
    assert {key for key in before if before[key] != after[key]} == {"families/note/slip/template.html"}
    assert "lexicon/en/receipt.yaml" in before and "families/_shared/base.html" in before


@pytest.mark.parametrize("name", sorted(PROVIDERS))
@pytest.mark.parametrize("language", ["en", "zh", "bn"])
def test_every_provider_gives_text_and_is_in_the_documentation(name, language):
    arguments = {"choice": "(['a', 'b'])", "sample": "(['a', 'b', 'c'])"}.get(name, "")
    value = parse_call(name + arguments).value(kit("receipt", language, 3))
    assert isinstance(value, str) and value.strip()
    assert re.search(rf"`{re.escape(name)}[`(]", DOC.read_text("utf-8"))


def test_arguments_of_providers():
    tools = kit("receipt", "en", 0)
    assert 5 <= int(parse_call("number.int(5, 7)").value(tools)) <= 7
    assert parse_call("choice(options=['x'])").value(tools) == "x"
    assert re.fullmatch(r"[A-Z]-\d\d", parse_call("code('@-##')").value(tools))


BAD = {
    "does not parse": ({"template": "<p>\n{% for x in %}</p>"}, "template.html:2"),
    "is not in schema.json": ({"template": '<p>{{ f("who") }}</p>\n<p>{{ f("whom") }}</p>'}, "template.html:2"),
    "'lines[].price') is not in": (
        {"template": '{% for r in rows("lines") %}\n{{ f(r ~ ".price") }}{% endfor %}'},
        "template.html:2",
    ),
    "unknown provider 'person.nam'": ({"schema": SCHEMA.replace("person.name", "person.nam")}, "schema.json:4"),
    "has no x-provider": ({"schema": SCHEMA.replace('"x-provider": "person.name", ', "")}, "schema.json:4"),
    "unexpected keyword argument 'low'": ({"schema": SCHEMA.replace("person.name", "money(low=1)")}, "schema.json:4"),
    "is not a provider such as": ({"schema": SCHEMA.replace("person.name", "1 +")}, "schema.json:4"),
    "has no wording in en": ({"schema": SCHEMA.replace(', "title": "Name"', "")}, "template.html:1"),
    "not JSON": ({"schema": SCHEMA.replace('"Name"}', '"Name"')}, "schema.json:"),
    "type 'number'": (
        {"schema": SCHEMA.replace('"who": {"type": "string"', '"who": {"type": "number"')},
        "schema.json:4",
    ),
    "minItems 9, maxItems 3": ({"schema": SCHEMA.replace('"minItems": 2', '"minItems": 9')}, "schema.json:5"),
    "is array, not a value": ({"template": '{{ f("who") }}{{ f("lines") }}'}, "template.html:1"),
    "is string, not an array": (
        {"template": '{{ f("who") }}{% for r in rows("who") %}{% endfor %}'},
        "template.html:1",
    ),
    "shows no field": ({"template": "<p>nothing</p>"}, "template.html"),
    "'<script' reaches out": ({"template": '{{ f("who") }}\n<script>1</script>'}, "template.html:2"),
    "reaches out of the page": ({"template": '{{ f("who") }}<img src="http://x.example/a.png">'}, "template.html:1"),
    "type is missing": ({"family": "languages: [en]\n"}, "family.yaml"),
    "unknown language 'fr'": ({"family": "type: note\nlanguages: [fr]\n"}, "family.yaml"),
    "colour: Extra inputs": ({"family": FAMILY + "colour: red\n"}, "family.yaml"),
    "not YAML": ({"family": "type: [note\n"}, "family.yaml:2"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_mistake_is_found_when_the_recipe_is_read(tmp_path, what):
    changes, where = BAD[what]
    text = refused(good(tmp_path / "mine" / "slip", **changes))
    assert what in text and where in text


def test_missing_parts_are_named(tmp_path):
    assert "no such folder of templates" in refused(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert "no template found" in refused(tmp_path / "empty")
    assert "schema.json is missing" in refused(files(tmp_path / "a" / "slip", family=FAMILY, template=TEMPLATE))
    assert "family.yaml is missing" in refused(files(tmp_path / "b" / "slip", schema=SCHEMA, template=TEMPLATE))


def test_two_families_of_one_name_are_refused(tmp_path):
    one, two = good(tmp_path / "one" / "slip"), good(tmp_path / "two" / "slip")
    with pytest.raises(UserError, match="note/slip exists already"):
        load_library((one, two))
    with pytest.raises(UserError, match="receipt/thermal exists already"):
        load_library((good(tmp_path / "three" / "thermal", family="type: receipt\nlanguages: [en]\n"),))


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ('{{ f("who") }}{{ f("li" + "nes[9].what") }}', "undefined_value"),
        ('{{ f("who") }}{{ nothing.at_all }}', "undefined_value"),
        ('{{ f("who") }}{{ 1 / 0 }}', "template_error"),
        ('{{ f("who") }}{% for i in range(10**9) %}{% endfor %}', "template_error"),
        ('{{ f("who") }}{{ "".__class__.__mro__ }}', "forbidden_in_template"),
        ('{{ f("who") }}{% include "../../secret.html" %}', "template_error"),
        ('{{ f("who") }}{{ t("word.no_such") }}', "no_wording"),
    ],
)
def test_what_shows_only_at_run_time_rejects_the_sample(tmp_path, template, reason):
    root = good(tmp_path / "mine" / "slip", template=template)
    with pytest.raises(SampleError) as caught:
        made(root)
    assert caught.value.reason == reason and caught.value.stage == "content"


def test_a_provider_that_fails_rejects_the_sample(tmp_path):
    root = good(tmp_path / "mine" / "slip", schema=SCHEMA.replace("person.name", "number.int(9, 1)"))
    with pytest.raises(SampleError, match="provider_failed"):
        made(root)


def test_rows_are_drawn_between_the_bounds(tmp_path):
    root = good(tmp_path / "mine" / "slip")
    assert {len(made(root, i).values["lines"]) for i in range(12)} == {2, 3}


def test_paths_are_read_from_nested_loops(tmp_path):
    text = """{% for a in rows("x") %}{% for b in rows(a ~ ".y") %}
{{ f(b ~ ".z") }}{{ k(a + ".w", "common.date") }}{% endfor %}{% endfor %}{% for a in "ab" %}{{ f(a) }}{% endfor %}"""
    (tmp_path / "template.html").write_text(text, encoding="utf-8")
    found = [(u.function, u.pattern, u.line, u.worded) for u in uses(tmp_path / "template.html")]
    assert found == [
        ("rows", "x", 1, False),
        ("rows", "x[].y", 1, False),
        ("f", "x[].y[].z", 2, False),
        ("k", "x[].w", 2, True),
    ]

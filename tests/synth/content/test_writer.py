from __future__ import annotations

import hashlib
import re
import subprocess
import sys

import jsonschema
import pytest
from lxml import html as lxml_html

from schemas.document import ROLES
from schemas.errors import UserError
from schemas.sample import TYPES
from synth.content.writer import families_of, write
from tests.synth.content.samples import LANGUAGES, document, only, recipe, shipped, spec

FAMILIES = sorted(shipped().families)


def leaves(node, path=""):
    if isinstance(node, dict):
        for key, child in node.items():
            yield from leaves(child, f"{path}.{key}" if path else key)
    elif isinstance(node, list):
        for i, child in enumerate(node):
            yield from leaves(child, f"{path}[{i}]")
    else:
        yield path, node


def squeeze(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_value_is_on_the_page_and_the_schema_holds_it(family, language):
    for index in range(3):
        doc = document(family, language, index)
        tree = lxml_html.fromstring(doc.html)
        shown = {}
        for node in tree.xpath("//*[@data-field]"):
            shown.setdefault(node.get("data-field"), set()).add(squeeze(node.text_content()))
        values = dict(leaves(doc.values))
        assert values, "a document without values"
        assert shown.keys() == values.keys()
        for path, value in values.items():
            assert shown[path] == {squeeze(value)}
        jsonschema.Draft202012Validator.check_schema(doc.schema)
        jsonschema.validate(doc.values, doc.schema)
        assert {node.get("data-role") for node in tree.xpath("//*[@data-role]")} <= set(ROLES)


@pytest.mark.parametrize("family", FAMILIES)
def test_labels_name_fields_or_groups_that_are_shown(family):
    doc = document(family, "en", 1)
    tree = lxml_html.fromstring(doc.html)
    shown = {re.sub(r"\[\d+\]", "[]", path) for path, _ in leaves(doc.values)}
    groups = {path[: m.start()].removesuffix("[]") for path in shown for m in re.finditer(r"\.|\[\]", path)}
    for node in tree.xpath("//*[@data-key]"):
        key = re.sub(r"\[\d+\]", "[]", node.get("data-key"))
        assert key in shown | groups, f"label of {key}, which is not on the page"


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_leaves_the_page(family):
    html = document(family, "bn", 2).html
    assert "<script" not in html
    assert not re.search(r"https?://|url\((?!data:)", html)


def digest(seed: int, kind: str = "receipt") -> str:
    parts = [
        write(spec(kind, lang, i, seed=seed), shipped(), recipe(kind)).html for lang in LANGUAGES for i in range(4)
    ]
    return hashlib.sha256("".join(parts).encode()).hexdigest()


def test_same_sample_same_page_also_in_another_process():
    code = "from tests.synth.content.test_writer import digest; print(digest(0), digest(0, 'invoice'))"
    ours = f"{digest(0)} {digest(0, 'invoice')}"
    theirs = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert theirs == ours


def test_seed_zero_is_a_seed():
    assert digest(0) != digest(1)


def test_a_page_does_not_depend_on_the_pages_before():
    sample = spec("invoice", "zh", 5)
    first = write(sample, shipped(), recipe("invoice"))
    write(spec("receipt", "en", 9), shipped(), recipe("receipt"))
    assert write(sample, shipped(), recipe("invoice")) == first


def test_the_next_try_is_another_document():
    content = recipe()
    assert (
        write(spec("receipt", "en", 3, attempt=1), shipped(), content).html
        != write(spec("receipt", "en", 3), shipped(), content).html
    )


@pytest.mark.parametrize("kind", TYPES)
def test_at_least_six_families_in_every_language_and_all_are_dealt(kind):
    names = shipped().of_type(kind)
    assert len(names) >= 6
    assert shipped().languages_of(kind) == set(LANGUAGES)
    used = {write(spec(kind, "en", i), shipped(), recipe(kind)).family for i in range(len(names))}
    assert used == set(names)


def test_rolls_have_no_height_and_sheets_the_recipe_s_size():
    assert document("receipt/thermal", "en").page.height_mm is None
    page = write(spec("invoice", "en"), shipped(), only("invoice/classic", page_sizes={"Letter": 1})).page
    assert (page.name, page.width_mm) == ("Letter", 215.9)


def test_too_few_families_for_the_splits_is_said():
    content = recipe(splits={"a": 1, "b": 1}, writer={"families": ["receipt/thermal"]})
    with pytest.raises(UserError, match="cannot be parted among 2 splits"):
        families_of(spec("receipt", "en", split="a"), shipped(), content)


def test_fonts_named_are_fonts_used():
    doc = document("receipt/cash_memo", "zh")
    assert doc.fonts
    for name in doc.fonts:
        assert name in doc.html


def test_no_visarga_stands_for_a_colon_after_a_bracket():
    docs = [document("receipt/cash_memo", "bn", index).html for index in range(60)]
    assert any("ঃ</span>" in html or "</span>ঃ" in html for html in docs)
    assert not any(re.search(r"[)\]](</\w+>)*ঃ", html) for html in docs)

"""Fonts are tried before the print: what they cannot write is found, with the face that Chromium would take."""

from __future__ import annotations

import pickle
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fontTools.ttLib import TTFont

from schemas.errors import FontError
from schemas.sample import HtmlDocument
from synth.render.chromium import Chromium
from synth.render.faces import GENERICS, Style, stack_of
from synth.render.fonts import FontSet, font_set
from synth.render.preflight import Fault, Preflight, Text, families_in, look
from tests.synth.render.printing import BANGLA, document, page_of
from tests.synth.truth.scripts import SCRIPTS


@pytest.fixture(scope="module")
def every_font() -> FontSet:
    return font_set(sorted({s.language for s in SCRIPTS}))


def faults(fonts: FontSet, families: str, text: str, language: str = "", weight: int = 400) -> list[tuple[str, str]]:
    found = Preflight(fonts).faults([Text(Style(families_in(families), weight), language, text)])
    return [(fault.reason, fault.font) for fault in found]


def font_error(chromium: Chromium, html: str, **more: Any) -> FontError:
    with pytest.raises(FontError) as caught:
        chromium.print(document(html, **more))
    return caught.value


def without_features(folder: Path, source: Path, drop: tuple[str, ...]) -> FontSet:
    """Bangla fonts and one more, "Bare", that lacks some OpenType features of an installed one."""
    font = TTFont(source)
    gsub: Any = font["GSUB"]
    for record in gsub.table.FeatureList.FeatureRecord:
        if record.FeatureTag in drop:
            record.Feature.LookupListIndex, record.Feature.LookupCount = [], 0
    names: Any = font["name"]
    for record in names.names:
        if record.nameID in (1, 4, 16):
            record.string = "Bare"
    font.save(folder / "bare.ttf")
    return font_set(["bn"], [folder])


def bangla_file(fonts: FontSet) -> Path:
    return next(f.path for f in fonts.files if f.path.name == "NotoSansBengali-Regular.ttf")


# Which face draws a text


def test_faces_are_those_that_chromium_takes(every_font: FontSet) -> None:
    """Against what Chromium says that it drew with, over families, generic names, weights and slants."""
    families = [f'"{name}"' for name in dict.fromkeys(f.name for f in every_font.families)]
    families += [name if "-" in name or name.islower() else f'"{name}"' for name, _ in GENERICS]
    families += ["NotInstalled, serif", "fantasy", "'Mukti', 'Carlito', sans-serif"]
    cases = [(f, w, s) for f in families for w, s in ((400, "normal"), (600, "normal"), (300, "italic"))]
    texts, stacks = [], []
    for family, weight, slant in cases:
        stack = stack_of(Style(families_in(family), weight, slant == "italic"), every_font)
        stacks.append(stack)
        texts.append(next(chr(c) for c in sorted(stack.faces[0].covered) if chr(c).isalnum() or c > 0x2000))
    body = "".join(
        f"<p id=c{i} style='font-family:{f.replace(chr(39), chr(34))};font-weight:{w};font-style:{s}'>{t}</p>"
        for i, ((f, w, s), t) in enumerate(zip(cases, texts, strict=True))
    )
    with Chromium(every_font) as browser:
        page = browser._take_page()
        page.set_content(body)
        session = page.context.new_cdp_session(page)
        session.send("DOM.enable")
        session.send("CSS.enable")
        root = session.send("DOM.getDocument", {"depth": -1})["root"]["nodeId"]
        for i, (case, stack) in enumerate(zip(cases, stacks, strict=True)):
            node = session.send("DOM.querySelector", {"nodeId": root, "selector": f"#c{i}"})["nodeId"]
            (drawn,) = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
            face = stack.faces[0]
            told: Any = TTFont(face.file.path, fontNumber=face.number, lazy=True)["name"]
            assert drawn["postScriptName"] == told.getDebugName(6), (case, texts[i])


def test_css_lists_of_families_are_read_as_chromium_writes_them() -> None:
    assert families_in('"Noto Sans", Carlito, "A, b", sans-serif') == ("Noto Sans", "Carlito", "A, b", "sans-serif")


# What is a fault


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: f"{s.language} {s.font}")
def test_golden_sentences_have_no_fault_in_any_font_of_their_language(every_font: FontSet, script: Any) -> None:
    for family in every_font.families:
        if family.language == script.language:
            assert faults(every_font, f'"{family.name}", "Noto Serif"', script.text, script.language) == []


def test_a_character_no_locked_font_has(fonts: FontSet) -> None:
    text = Text(Style(("Carlito",)), "en", "fine \u1820\u1821")
    assert Preflight(fonts).faults([text]) == [
        Fault("missing_glyphs", "Carlito", "Mong", "\u1820 U+1820, \u1821 U+1821")
    ]


def test_letters_that_the_named_families_lack_are_a_fault_and_symbols_are_not(fonts: FontSet) -> None:
    assert faults(fonts, "Carlito", "Total ☑ → ₹5") == []
    assert faults(fonts, "Carlito", "合计 5") == [("font_fallback", "Carlito")]
    assert faults(fonts, "Carlito, 'Noto Sans CJK SC'", "合计 5") == []
    assert faults(fonts, "Mukti, Carlito, sans-serif", "合计") == [("font_fallback", "Mukti")]
    assert faults(fonts, "serif", "合计 শ্রী") == []  # no font is named, so any will do
    assert faults(fonts, "Georgia", "Total") == [("font_fallback", "Georgia")]
    assert faults(fonts, "Georgia, serif", "Total") == []


def test_a_mark_without_its_letter(fonts: FontSet) -> None:
    assert faults(fonts, "Mukti", "(টাকা)ঃ") == [("broken_cluster", "Mukti")]
    assert faults(fonts, "Mukti", "টাকাঃ কি") == []
    assert faults(fonts, "'Noto Sans'", "e\u0301te\u0301") == []


def test_conjuncts_a_font_has_no_lookup_for(fonts: FontSet, tmp_path: Path) -> None:
    bare = without_features(tmp_path, bangla_file(fonts), ("akhn", "half", "pres", "blwf", "cjct", "blws"))
    for word in ("বিজ্ঞপ্তি", "ক্ষুদ্র", "দ্বিতীয়"):
        assert faults(bare, "Bare", word) == [("broken_cluster", "Bare")]
        assert faults(bare, "'Noto Sans Bengali'", word) == []
    assert faults(bare, "Bare", "আমার নাম উদ্\u200cঘাটন") == []  # asked to be seen


def test_joiners_that_a_font_does_not_obey(fonts: FontSet, tmp_path: Path, every_font: FontSet) -> None:
    assert faults(fonts, "Mukti", "র\u200d\u09cdযাব ক্\u200cষ") == []
    assert faults(every_font, "'Noto Naskh Arabic'", "می\u200cخواهم") == []
    deaf = without_features(tmp_path, bangla_file(fonts), ("rphf",))  # no reph, so ra + ya is a ya-phala anyway
    assert faults(deaf, "Bare", "র\u200d\u09cdযাব") == [("lost_joiner", "Bare")]
    assert faults(deaf, "Bare", "শ্রী") == []


# What becomes of it


def test_a_document_is_refused_with_font_and_script(chromium: Chromium) -> None:
    error = font_error(chromium, "<p style='font-family:Carlito'>Total <b>合计</b>")
    assert (error.reason, error.stage, error.font, error.script) == ("font_fallback", "print", "Carlito", "Hani")
    assert "U+5408" in error.detail
    assert vars(pickle.loads(pickle.dumps(error))) == vars(error)


def test_generated_and_transformed_text_is_tried_too(chromium: Chromium) -> None:
    for style in ("p::before{content:'合计'}", "p::after{content:counter(x) ' 合'}"):
        assert font_error(chromium, f"<style>p{{font-family:Carlito}}{style}</style><p>x").reason == "font_fallback"
    hidden = "<p style='font-family:Carlito'>x<i style='display:none'>合计</i>"
    assert chromium.print(document(hidden)).fonts == ("Carlito",)


def test_a_mark_in_an_element_of_its_own_is_on_the_letter_before_it(chromium: Chromium) -> None:
    html = "<style>p{font-family:Mukti}</style><p>নাম<span>ঃ</span> ক"
    assert chromium.print(document(html, language="bn")).fonts == ("Mukti",)
    apart = html.replace("<span>", "<span style='font-weight:700'>")
    assert font_error(chromium, apart, language="bn").reason == "broken_cluster"


def test_the_family_is_changed_where_the_document_has_spares(chromium: Chromium) -> None:
    html = "<style>p{font:12pt Carlito, 'Noto Sans'}i{font-family:Caladea}</style><p>合计 Total <i>x</i>"
    spared = replace(document(html, language="zh"), spare_fonts=("Mukti", "AR PL UMing CN", "Noto Sans CJK SC"))
    assert chromium.print(spared).fonts == ("AR PL UMing CN", "Caladea")
    hopeless = replace(spared, spare_fonts=("Mukti",))
    with pytest.raises(FontError) as caught:
        chromium.print(hopeless)
    assert (caught.value.reason, caught.value.font) == ("font_fallback", "Carlito")  # what was wrong at first


def test_a_page_that_is_fine_costs_little(chromium: Chromium) -> None:
    long = BANGLA.replace("</p>", f" {'কর্তৃপক্ষ বিজ্ঞপ্তি শ্রী রবীন্দ্রনাথ ' * 100}</p>", 1)
    doc: HtmlDocument = document(long, page_of("bn").values, "bn")
    page = chromium._take_page()
    page.set_content(doc.html)
    texts = look(page, 700, doc.html).texts
    page.close()
    tried = Preflight(chromium.fonts)
    tried.faults(texts)
    start = time.process_time()
    for _ in range(20):
        assert tried.faults(texts) == []
    assert (time.process_time() - start) / 20 < 0.003

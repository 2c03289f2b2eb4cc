"""Labels of real prints: places are checked against pixels of the released PDF, texts against the HTML."""

from __future__ import annotations

import re

import pytest

from schemas.document import Document, Word
from schemas.errors import SampleError
from schemas.geometry import union
from schemas.sample import HtmlDocument
from synth.render.chromium import Chromium
from synth.render.raw import RawPrint
from synth.truth.labels import label
from tests.synth.render.printing import ROLL, Ink, document, page_of


def printed(chromium: Chromium, doc: HtmlDocument) -> tuple[RawPrint, Document]:
    raw = chromium.print(doc)
    return raw, label(raw, doc)


def refusal(chromium: Chromium, doc: HtmlDocument) -> SampleError:
    with pytest.raises(SampleError) as caught:
        printed(chromium, doc)
    return caught.value


def alone(word: Word, document: Document, reach: float) -> bool:
    """No other word's ink within `reach` points, so that all ink around it is its own."""
    x0, y0, x1, y1 = word.ink
    return not any(
        other.id != word.id
        and other.page == word.page
        and other.ink.x0 < x1 + reach
        and other.ink.x1 > x0 - reach
        and other.ink.y0 < y1 + reach
        and other.ink.y1 > y0 - reach
        for other in document.words
    )


@pytest.mark.parametrize("language", ["en", "zh", "bn"])
def test_ink_boxes_end_where_the_ink_ends(chromium: Chromium, language: str) -> None:
    # Words far apart, so that every dark pixel near one is its own; all sides within 1 px at 150 dpi.
    doc = page_of(language)
    gaps = "letter-spacing:4pt" if language == "zh" else "word-spacing:14pt"
    spread = doc.html.replace("</style>", f"body{{{gaps};line-height:2.6}}p{{width:auto!important}}</style>", 1)
    raw, labels = printed(chromium, document(spread, doc.values, language))
    ink, checked = Ink(raw.pdf), 0
    for word in labels.words:
        if not alone(word, labels, 2.6):
            continue
        extent = ink.extent(word.page, word.ink, 2.0)
        assert extent is not None, word
        assert max(abs(a - b) for a, b in zip(extent, word.ink, strict=True)) < 72 / 150, (word, extent)
        checked += 1
    assert checked > 15


@pytest.mark.parametrize("language", ["en", "zh", "bn"])
def test_parents_hold_their_children_and_the_page_holds_all(chromium: Chromium, language: str) -> None:
    _, labels = printed(chromium, page_of(language))
    for line in labels.lines:
        for word in labels.words_of(line.words):
            assert word.line == line.id and word.block == line.block and word.page == line.page
            assert line.box.contains(word.box, 1e-6) and line.box.contains(word.ink, 1e-6)
    for block in labels.blocks:
        for number in block.lines:
            assert labels.lines[number].block == block.id
            assert block.box.contains(labels.lines[number].box, 1e-6)
    for field in labels.fields:
        assert all(field.box.contains(word.ink, 1e-6) for word in labels.words_of(field.words))
    for word in labels.words:
        assert 0 < word.ink.x0 < word.ink.x1 < labels.pages[word.page].width
        assert 0 < word.ink.y0 < word.ink.y1 < labels.pages[word.page].height
        assert word.ink.intersect(word.box).area > 0.6 * word.ink.area
    assert [word.id for word in labels.words] == list(range(len(labels.words)))


def test_text_comes_from_the_dom_in_every_language(chromium: Chromium) -> None:
    texts = {lang: [b.text for b in printed(chromium, page_of(lang))[1].blocks] for lang in ("en", "zh", "bn")}
    assert texts["en"][1].startswith("This agreement is made between Ada Lovelace and the Analytical Company,")
    assert texts["zh"][1] == "甲方（出租人）：北京市朝阳区建国门外大街一号国贸大厦有限公司，联系电话：010-6505-2288。"
    assert "শ্রী রবীন্দ্রনাথ ঠাকুর ও দ্বিতীয় পক্ষের" in texts["bn"][1] and "র‍্যাব," in texts["bn"][1]


def test_a_chinese_word_broken_over_two_lines_is_two_fragments(chromium: Chromium) -> None:
    html = "<style>p{font:20px 'Noto Sans CJK SC';width:60px}</style><p>国际贸易中心大厦有限公司</p>"
    raw, labels = printed(chromium, document(html, language="zh"))
    assert [line.text for line in labels.lines] == ["国际贸", "易中心", "大厦有", "限公司"]
    split = [w for w in labels.words if len(w.text) == 1]
    assert split and all(not w.space_after for w in labels.words[:-1])
    ink = Ink(raw.pdf)
    assert all(ink.extent(0, w.ink, 0) for w in labels.words)


def test_a_latin_word_broken_anywhere_is_split_by_its_glyphs(chromium: Chromium) -> None:
    html = (
        "<style>p{font:20px 'Liberation Mono';width:121px;overflow-wrap:anywhere}</style><p>abcdefghijklmnopqrstuvw xy"
    )
    _, labels = printed(chromium, document(html))
    assert [line.text for line in labels.lines] == ["abcdefghij", "klmnopqrst", "uvw xy"]
    assert labels.text_of(tuple(range(len(labels.words)))) == "abcdefghijklmnopqrstuvw xy"


def test_a_soft_hyphen_breaks_the_word_but_is_not_its_text(chromium: Chromium) -> None:
    html = "<style>p{font:20px 'Noto Sans';width:70px}</style><p>extra&shy;ordinary un&shy;do"
    _, labels = printed(chromium, document(html))
    assert [(w.text, w.space_after) for w in labels.words] == [("extra", False), ("ordinary", True), ("undo", True)]


def test_what_is_not_seen_is_no_word(chromium: Chromium) -> None:
    hidden = (
        "display:none",
        "visibility:hidden",
        "opacity:0",
        "color:transparent",
        "position:absolute;clip:rect(0,0,0,0)",
        "width:1px;height:1px;overflow:hidden",
        "clip-path:inset(50%)",
        "font-size:0",
    )
    html = "<p>seen</p>" + "".join(f"<p style='{s}'>hid</p>" for s in hidden)
    _, labels = printed(chromium, document(html + "<ul><li>item</ul><script>'code'</script><p>faint&nbsp;x"))
    assert [w.text for w in labels.words] == ["seen", "item", "faint", "x"]


def test_words_of_neighbouring_nodes_and_case_as_printed(chromium: Chromium) -> None:
    html = "<p><b>a</b>b <i>c</i>, d<br>e</p><p style='text-transform:uppercase'>straße</p>"
    _, labels = printed(chromium, document(html))
    assert [(w.text, w.space_after) for w in labels.words] == [
        ("a", False), ("b", True), ("c", False), (",", True), ("d", True), ("e", True), ("STRASSE", True)
    ]  # fmt: skip
    assert [line.text for line in labels.lines] == ["ab c, d", "e", "STRASSE"]


def test_chinese_words_keep_numbers_whole_and_punctuation_attached(chromium: Chromium) -> None:
    html = "<p style=\"font:16px 'Noto Sans CJK SC'\">电话：010-6505-2288，共¥3,500.00（北京）。邮箱:a_b@c.com</p>"
    _, labels = printed(chromium, document(html, language="zh"))
    texts = [w.text for w in labels.words]
    assert texts == ["电话：", "010-6505-2288，", "共", "¥3,500.00", "（北京）。", "邮箱:", "a_b@c.com"]


def test_a_mark_alone_belongs_to_the_letter_before_it(chromium: Chromium) -> None:
    html = (
        "<p style=\"font:16px 'Noto Sans Bengali'\"><span data-key=a>নাম</span><span>ঃ</span> <i data-field=a>রহিম</i>"
    )
    _, labels = printed(chromium, document(html, {"a": "রহিম"}, "bn"))
    assert [w.text for w in labels.words] == ["নামঃ", "রহিম"]
    assert labels.fields[0].key == "নামঃ"


def test_letters_that_hang_over_their_advance_are_inside_the_ink(chromium: Chromium) -> None:
    html = "<p style=\"font:40px 'Dancing Script';word-spacing:40px\">fly Jolly grief jof</p>"
    raw, labels = printed(chromium, document(html))
    ink = Ink(raw.pdf)
    assert any(not w.box.contains(w.ink, 0.5) for w in labels.words)
    for word in labels.words:
        extent = ink.extent(0, word.ink, 5)
        assert extent and max(abs(a - b) for a, b in zip(extent, word.ink, strict=True)) < 72 / 150


@pytest.mark.parametrize("style", ["overflow:hidden;width:52px;white-space:nowrap", "overflow:hidden;height:8px"])
def test_text_cut_by_the_authors_clip_is_refused(chromium: Chromium, style: str) -> None:
    html = f"<!doctype html><div style='font:20px Carlito;line-height:24px;{style}'>Hidden half</div>"
    assert refusal(chromium, document(html)).reason in ("cut_off", "unpainted_word", "untraced_word")


def test_columns_break_lines_and_keep_the_order(chromium: Chromium) -> None:
    words = " ".join(f"w{i}" for i in range(60))
    html = f"<div style='column-count:3;column-gap:30px;font:16px Carlito'>{words}</div>"
    _, labels = printed(chromium, document(html))
    assert [w.text for w in labels.words] == words.split()
    for line in labels.lines:
        assert line.box.width < 595 / 3
        assert [w.box.x0 for w in labels.words_of(line.words)] == sorted(w.box.x0 for w in labels.words_of(line.words))


TABLE = """<style>table{border-collapse:collapse}td,th{border:1px solid;padding:4px}</style>
<table><thead><tr><th rowspan=2 data-key="items[].name">Item</th><th colspan=2>Cost</th></tr>
<tr><th>Net</th><th data-key="items[].price">Gross</th></tr></thead>
<tr><td data-field="items[0].name">Pen</td><td>1</td><td data-field="items[0].price">1.20</td></tr>
<tr><td rowspan=2 data-field="items[1].name">Ink pot</td><td>2</td><td data-field="items[1].price">2.40</td></tr>
<tr><td></td><td>9</td></tr></table>"""
ITEMS = {"items": [{"name": "Pen", "price": "1.20"}, {"name": "Ink pot", "price": "2.40"}]}


def test_table_cells_have_grid_places_spans_and_painted_boxes(chromium: Chromium) -> None:
    _, labels = printed(chromium, document(TABLE, ITEMS))
    grid = {(c.row, c.col): c for c in labels.cells}
    assert {k: (c.text, c.rowspan, c.colspan, c.header) for k, c in grid.items()} == {
        (0, 0): ("Item", 2, 1, True), (0, 1): ("Cost", 1, 2, True), (1, 1): ("Net", 1, 1, True),
        (1, 2): ("Gross", 1, 1, True), (2, 0): ("Pen", 1, 1, False), (2, 1): ("1", 1, 1, False),
        (2, 2): ("1.20", 1, 1, False), (3, 0): ("Ink pot", 2, 1, False), (3, 1): ("2", 1, 1, False),
        (3, 2): ("2.40", 1, 1, False), (4, 1): ("", 1, 1, False), (4, 2): ("9", 1, 1, False),
    }  # fmt: skip
    assert abs(grid[0, 1].box.width - grid[2, 1].box.width - grid[2, 2].box.width) < 0.5
    assert abs(grid[3, 0].box.height - grid[3, 1].box.height - grid[4, 1].box.height) < 0.5
    assert grid[4, 1].box.x0 == grid[2, 1].box.x0  # empty, and still in its place
    (block,) = labels.blocks
    assert block.role == "table" and block.logical == labels.cells[0].table
    assert block.box == union(c.box for c in labels.cells)
    heads = {(labels.text_of(r.head), labels.text_of(r.tail)) for r in labels.relations if r.kind == "column_header"}
    assert {("Item", "Pen"), ("Cost", "1"), ("Cost", "1.20"), ("Gross", "9"), ("Gross", "2.40")} <= heads
    assert ("Item", "1") not in heads and ("Net", "1.20") not in heads


def test_fields_find_their_keys_and_relations_tie_them(chromium: Chromium) -> None:
    _, labels = printed(chromium, document(TABLE, ITEMS))
    assert [(f.path, f.value, f.key) for f in labels.fields] == [
        ("items[0].name", "Pen", "Item"), ("items[0].price", "1.20", "Gross"),
        ("items[1].name", "Ink pot", "Item"), ("items[1].price", "2.40", "Gross"),
    ]  # fmt: skip
    pairs = [(labels.text_of(r.head), labels.text_of(r.tail)) for r in labels.relations if r.kind == "key_value"]
    assert ("Item", "Ink pot") in pairs and len(pairs) == 4


def test_a_value_may_be_mentioned_twice_and_wrap(chromium: Chromium) -> None:
    html = """<p><span data-key="a">Name</span> <span data-field="a">Ann Lee</span></p>
    <p style="width:40px;font:16px Carlito">by <span data-field="a">Ann
    Lee</span></p>"""
    _, labels = printed(chromium, document(html, {"a": "Ann Lee"}))
    assert [(f.value, labels.text_of(f.words)) for f in labels.fields] == [("Ann Lee", "Ann Lee")] * 2
    assert len({labels.words[w].line for w in labels.fields[1].words}) == 2


def test_values_on_the_page_are_held_against_the_schema(chromium: Chromium) -> None:
    html = '<p data-field="a">1 234</p>'
    assert refusal(chromium, document(html, {"a": "1 235"})).reason == "wrong_value"
    assert refusal(chromium, document(html, {})).reason == "unknown_field"
    lost = refusal(chromium, document(html, {"a": "1234", "b": [{"c": "x"}], "d": ""}))
    assert (lost.reason, lost.stage) == ("value_not_found", "truth") and "b[0].c" in lost.detail
    hidden = document(html + '<p data-field="b" style="display:none">x', {"a": "1234", "b": "x"})
    assert refusal(chromium, hidden).reason == "wrong_value"


def test_pages_continue_blocks_and_repeated_heads_count_once(chromium: Chromium) -> None:
    rows = "".join(f"<tr><td>row {i}</td><td>{i * 7}</td></tr>" for i in range(90))
    html = f"""<style>@page{{margin:20mm}}</style><div style="position:fixed;top:0">running head</div>
    <p style="margin-top:30px">{"long paragraph " * 900}</p>
    <table><thead><tr><th>Name</th><th>Number</th></tr></thead>{rows}</table>"""
    raw, labels = printed(chromium, document(html))
    assert len(labels.pages) >= 4
    texts = [w.text for w in labels.words]
    assert texts.count("Name") == 1 and texts.count("running") == 1
    assert texts.count("row") == 90 and [w.order for w in labels.words] == list(range(len(texts)))
    tables = [b for b in labels.blocks if b.role == "table"]
    assert len(tables) > 1 and len({b.logical for b in tables}) == 1
    assert [b.page for b in tables] == list(range(tables[0].page, tables[-1].page + 1))
    paragraph = [b for b in labels.blocks if b.text.startswith("long")]
    assert len(paragraph) > 1 and len({b.logical for b in paragraph}) == 1
    ink = Ink(raw.pdf, dpi=150)
    assert all(ink.extent(w.page, w.ink, 0.3) for w in labels.words)


def test_a_roll_is_one_page_as_long_as_its_content(chromium: Chromium) -> None:
    html = "<style>body{margin:4mm;font:9pt 'Liberation Mono'}</style>" + "<p>item 1.00</p>" * 120
    _, labels = printed(chromium, document(html, page=ROLL))
    (page,) = labels.pages
    assert abs(page.width - 80 / 25.4 * 72) < 1
    assert 0 < page.height - labels.words[-1].box.y1 < 40
    _, short = printed(chromium, document("<body style='margin:4mm'><p>x", page=ROLL))
    assert short.pages[0].height < 100


@pytest.mark.parametrize(
    "html",
    [
        "<div style='width:1500px'>wide table that the browser shrinks to the page</div>",
        "<p style='white-space:nowrap;position:absolute;left:560px;width:100px'>runs over the right edge of the page",
        "<p style='position:absolute;top:-9px;left:90px;margin:0;font-size:20px'>over the top",
        "<p style='margin-left:-30px'>begins before the page",
    ],
)
def test_what_leaves_the_page_is_refused(chromium: Chromium, html: str) -> None:
    assert refusal(chromium, document(html)).reason == "cut_off"


def test_text_over_text_is_refused_but_a_stamp_may(chromium: Chromium) -> None:
    under = "<p style='font:20px Carlito'>Contract</p>"
    over = "<p style='position:absolute;top:8px;left:10px;margin:0;font:20px Carlito' {}>Contrast</p>"
    assert refusal(chromium, document(under + over.format(""))).reason == "overlap"
    _, labels = printed(chromium, document(under + over.format("data-role=stamp")))
    assert [b.role for b in labels.blocks] == ["text", "stamp"]


def test_a_page_without_words_is_refused(chromium: Chromium) -> None:
    html = "<p>first</p><div style='break-before:page;break-after:page;height:10px'></div><p>third</p>"
    assert refusal(chromium, document(html)).reason == "empty_page"


def test_empty_boxes_are_refused_even_past_the_preflight(chromium: Chromium, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synth.render.preflight.Preflight.wrong", lambda self, texts: {})
    assert refusal(chromium, document("<p>fine \u1820")).reason == "missing_glyphs"


def test_covered_text_is_refused(chromium: Chromium) -> None:
    html = "<p>secret</p><div style='position:absolute;top:0;left:0;width:300px;height:100px;background:#111'></div>"
    assert refusal(chromium, document(html)).reason == "unpainted_word"


def test_turned_text_gets_a_turned_quad(chromium: Chromium) -> None:
    html = (
        "<div data-role=stamp style='transform:rotate(30deg);width:200px;margin:150px;font:40px Carlito'>PAID NOW</div>"
    )
    raw, labels = printed(chromium, document(html))
    (line,) = labels.lines
    assert line.text == "PAID NOW"
    for word in labels.words:
        dx, dy = word.quad.tr.x - word.quad.tl.x, word.quad.tr.y - word.quad.tl.y
        assert abs(dy / dx - 0.57735) < 0.01  # tan 30 degrees, y down
        assert abs(((dx**2 + dy**2) ** 0.5) - 30 * (2.2 if word.text == "PAID" else 2.4)) < 20
    extent = Ink(raw.pdf).extent(0, union(w.ink for w in labels.words), 3)
    assert extent and max(abs(a - b) for a, b in zip(extent, union(w.ink for w in labels.words), strict=True)) < 0.5


def test_roles_come_from_marks_and_tags(chromium: Chromium) -> None:
    html = """<header>Head</header><h1>Title</h1><h2>Part</h2><p>Text</p><ul><li>Item</li></ul>
    <div data-role="signature"><p>Signed</p><p>here</p></div><table><caption>Cap</caption><tr><td>Cell</table>
    <table role="presentation"><tr><td>Layout</table><footer>Foot</footer>"""
    _, labels = printed(chromium, document(html))
    assert [(b.role, b.text) for b in labels.blocks] == [
        ("page_header", "Head"), ("title", "Title"), ("section_header", "Part"), ("text", "Text"),
        ("list_item", "Item"), ("signature", "Signed here"), ("caption", "Cap"), ("table", "Cell"),
        ("text", "Layout"), ("page_footer", "Foot"),
    ]  # fmt: skip
    assert [c.text for c in labels.cells] == ["Cell"]


def test_dense_pages_have_a_place_for_every_word(chromium: Chromium) -> None:
    text = " ".join(f"word{i} শ্রী{i} 文字{i}" for i in range(260))
    _, labels = printed(
        chromium, document(f'<p style=\'font:8pt Carlito,"Noto Sans Bengali","Noto Sans CJK SC"\'>{text}')
    )
    assert re.sub(r"\s", "", "".join(w.text for w in labels.words)) == re.sub(r"\s", "", text)


def test_hairlines_of_serif_chinese_do_not_count_as_cut(chromium: Chromium) -> None:
    text = "一次书面工整上下列出正本号"
    sizes = range(7, 15)
    html = "".join(f"<p style=\"font:{size}px 'Noto Serif CJK SC';margin:.2px 0\">{text}</p>" for size in sizes)
    assert "".join(w.text for w in printed(chromium, document(html))[1].words) == text * len(sizes)


def test_a_comma_kerned_under_its_word_is_no_overlap(chromium: Chromium) -> None:
    words = "<b>Terry</b>, <i>Inspector</i>, <span>May</span>, <span>P</span>."
    html = f"<p style=\"font:16px 'Liberation Serif'\">{words}</p>"
    assert printed(chromium, document(html))[1].words[1].text == ","

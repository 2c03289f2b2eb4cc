"""HTML that Pageloom did not write: the chain holds for any layout and source of text, or the sample is refused."""

from __future__ import annotations

import pytest

from schemas.document import Document
from schemas.errors import SampleError
from synth.render.chromium import Chromium
from synth.render.raw import RawPrint
from synth.truth.labels import label
from tests.synth.render.printing import Ink, document

BASE = "<!doctype html><style>body{font:14px Carlito,'Noto Sans CJK SC';margin:12mm;word-spacing:9px}</style>"
SIDEWAYS = "display:inline-block;padding:1px;transform:"


def printed(chromium: Chromium, html: str, **more: object) -> tuple[RawPrint, Document]:
    doc = document(BASE + html, **more)  # type: ignore[arg-type]
    raw = chromium.print(doc)
    return raw, label(raw, doc)


def refusal(chromium: Chromium, html: str) -> str:
    with pytest.raises(SampleError) as caught:
        printed(chromium, html)
    return caught.value.reason


# Layouts: (HTML, the words in the order of the DOM)

LAYOUTS = {
    "flex, reversed and ordered": (
        "<div style='display:flex;gap:30px;flex-direction:row-reverse'><div>one two</div>"
        "<div style='order:-1'>three</div><div>four</div></div>",
        "four one two three",
    ),
    "grid, placed": (
        "<div style='display:grid;grid-template-columns:1fr 1fr;gap:20px'><div style='grid-column:2'>one two</div>"
        "<div style='grid-row:1'>three</div><p>four five</p></div>",
        "three one two four five",
    ),
    "floats": (
        "<div style='float:right;width:90px'>right side</div><div style='float:left;margin:9px'>left</div>"
        f"<p>{'main flows here ' * 8}</p>",
        "right side left " + "main flows here " * 8,
    ),
    "absolute": (
        "<div style='position:relative;height:90px'><span style='position:absolute;left:200px;top:40px'>far away</span>"
        "<span style='position:absolute;right:0;bottom:0'>corner</span></div>",
        "far away corner",
    ),
    "turned": (
        f"<div style='padding:60px'><span style='{SIDEWAYS}rotate(30deg)'>three turned words",
        "three turned words",
    ),
    "upside down": (f"<div style='padding:60px'><span style='{SIDEWAYS}rotate(180deg)'>upside down", "upside down"),
    "on its side": (f"<div style='padding:60px'><span style='{SIDEWAYS}rotate(-90deg)'>going up", "going up"),
    "scaled": (f"<div style='padding:30px'><span style='{SIDEWAYS}scale(1.7)'>large words", "large words"),
    "a matrix": (f"<div style='padding:60px'><span style='{SIDEWAYS}matrix(1,.2,-.2,1,10,5)'>ma trix", "ma trix"),
    "rotate and scale as properties": (
        "<div style='padding:60px'><span style='display:inline-block;rotate:20deg;scale:1.2'>prop words</span></div>",
        "prop words",
    ),
    "turned and turned back": (
        "<div style='transform:rotate(9deg)'><div style='transform:rotate(-9deg)'>back again</div></div>",
        "back again",
    ),
    "zoom": ("<div style='zoom:1.5'>zoomed words</div>", "zoomed words"),
    "columns": (f"<div style='columns:2;width:300px'>{'col umn ' * 20}</div>", "col umn " * 20),
    "display: contents": ("<div style='display:contents'><p>a</p>b</div>", "a b"),
    "inline block": (
        "<p>in<span style='display:inline-block;width:60px;text-align:right'>block</span>line",
        "in block line",
    ),
    "preformatted": ("<pre>a\tb\n  c  d</pre>", "a b c d"),
    "no-break spaces": ("<p>a&nbsp;b c&#8239;d", "a b c d"),
    "right to left by force": ("<p><bdo dir=rtl>abc def</bdo> ghi", "abc def ghi"),
    "sideways": ("<p style='writing-mode:sideways-lr;height:120px'>side ways", "side ways"),
    "upright": ("<p style='writing-mode:vertical-rl;text-orientation:upright;height:200px'>UP ON", "UP ON"),
    "ruby": ("<p><ruby>汉<rt>hàn</rt>字<rt>zì</rt></ruby>", "汉 hàn 字 zì"),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_words_of_any_layout_are_where_their_ink_is(chromium: Chromium, name: str) -> None:
    html, expected = LAYOUTS[name]
    raw, labels = printed(chromium, html)
    assert [w.text for w in labels.words] == expected.split()
    boxes_hold_their_ink(raw, labels)


def boxes_hold_their_ink(raw: RawPrint, labels: Document, above: int = 200) -> None:
    """Dark pixels (300 dpi) in each ink box reach its four sides to within a pixel of 150 dpi, and none is outside."""
    ink = Ink(raw.pdf, below=above)
    for word in labels.words:
        seen = ink.extent(word.page, word.ink, 0.0)
        assert seen is not None, word.text
        assert max(abs(a - b) for a, b in zip(seen, word.ink, strict=True)) < 72 / 150, (word.text, seen, word.ink)
        corners = [min(p.x for p in word.quad), min(p.y for p in word.quad)]
        assert corners[0] - 3 < word.ink.x0 and corners[1] - 3 < word.ink.y0, word.text
    for number, dark in enumerate(ink.dark):
        left = dark.copy()
        for word in labels.words:
            if word.page == number:
                x0, y0, x1, y1 = (round(v * ink.scale) for v in word.ink)
                left[max(0, y0 - 2) : y1 + 2, max(0, x0 - 2) : x1 + 2] = False
        assert not left.any()


# Texts: (HTML, the words as printed)

TEXTS = {
    "before and after": (
        "<style>.a::before{content:'No. '}.a::after{content:' end of it'}</style><p class=a>text",
        "No. text end of it",
    ),
    "counters": (
        "<style>body{counter-reset:s}h2::before{counter-increment:s;content:counter(s, upper-roman) '. '}</style>"
        "<h2>Head</h2><h2>Next</h2>",
        "I. Head II. Next",
    ),
    "quotes": ("<p><q>quoted</q> x", "“ quoted ” x"),
    "an attribute": (
        "<style>b::after{content:' (' attr(title) ')'}</style><b title='two words'>x</b>",
        "x (two words)",
    ),
    "list markers": (
        "<ol start=7><li>first<li value=12>second</ol><ol type=a><li>alpha</ol>"
        "<ol style='list-style-position:inside'><li>in",
        "7. first 12. second a. alpha 1. in",
    ),
    "a marker of one's own": ("<style>li::marker{content:'→ '}</style><ul><li>arrow item</ul>", "→ arrow item"),
    "discs are no text": ("<ul style='list-style:none'><li>dot</ul>", "dot"),
    "inputs": (
        "<style>*{word-spacing:9px}</style><p>Name <input style='border:0' value='Ada Lovelace'> "
        "<input style='border:0;outline:0' placeholder='Your town'>",
        "Name Ada Lovelace Your town",
    ),
    "a number": ("<input style='border:0' type=number value=42>", "42"),
    "a textarea": (
        "<textarea style='border:0;resize:none' rows=4 cols=14>Some longer text\n\nover lines</textarea>",
        "Some longer text over lines",
    ),
    "a select": ("<select style='border:0;appearance:none'><option>Bad<option selected>Good one</select>", "Good one"),
    "buttons": (
        "<style>*{border:0!important;background:0 0!important}</style>"
        "<button>Press me</button> <input type=submit value='Send it'>",
        "Press me Send it",
    ),
    "SVG": (
        "<svg width=300 height=90><text x=10 y=20>SVG text</text>"
        "<text x=10 y=60>one<tspan dx=30 fill='#900'>two</tspan></text>"
        "<text x=200 y=40 transform='rotate(20 200 40)'>slope</text></svg>",
        "SVG text one two slope",
    ),
    "upper case": ("<p style='text-transform:uppercase'>straße ﬁne", "STRASSE FINE"),
    "capitals": (
        "<p style='text-transform:capitalize'>mc donald's <i style='text-transform:lowercase'>ABC",
        "Mc Donald's abc",
    ),
    "letter spacing": (
        "<p style='letter-spacing:6px'>spaced fi ffi</p><p style='letter-spacing:-1px'>tight</p>",
        "spaced fi ffi tight",
    ),
    "first line": (
        "<style>p::first-line{font-weight:bold}</style><p style='width:90px'>first line is bold",
        "first line is bold",
    ),
    "opacity": ("<p style='opacity:.8'>faint <b style='opacity:.8'>fainter</b></p>", "faint fainter"),
    "see-through colour": ("<p style='color:rgba(0,0,0,.6)'>thin colour</p>", "thin colour"),
    "hidden, then shown": ("<p style='visibility:hidden'>gone <b style='visibility:visible'>back</b></p>", "back"),
    "closed and open details": (
        "<style>summary{list-style:none}</style><details><summary>Sum</summary>hidden</details>"
        "<details open><summary>Open</summary>seen</details>",
        "Sum Open seen",
    ),
    "boxes to tick have no text": ("<style>input{display:none}</style><input type=checkbox checked> yes", "yes"),
    "clipped by nothing": ("<div style='overflow:hidden;width:300px'>all of it</div>", "all of it"),
    "outlined": ("<p style='font-size:30px;-webkit-text-stroke:1px #300'>stroke it", "stroke it"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_text_of_any_source_is_labelled_as_printed(chromium: Chromium, name: str) -> None:
    html, expected = TEXTS[name]
    raw, labels = printed(chromium, html)
    assert [w.text for w in labels.words] == expected.split() or labels.text_of(
        tuple(range(len(labels.words)))
    ).split() == expected.split()
    boxes_hold_their_ink(raw, labels)


def test_soft_hyphens_break_words_and_are_in_none(chromium: Chromium) -> None:
    _, labels = printed(chromium, "<p style='width:70px'>extra&shy;ordinary un&shy;do hy&shy;phen&shy;ation")
    assert "".join(w.text + " " * w.space_after for w in labels.words).split() == [
        "extraordinary",
        "undo",
        "hyphenation",
    ]
    assert len(labels.lines) > 3


def test_the_text_of_a_missing_picture_is_text(chromium: Chromium) -> None:
    _, labels = printed(chromium, "<img alt='two words' src='data:,x'>")
    assert [w.text for w in labels.words] == ["two", "words"]


def test_the_shadow_of_a_text_is_no_second_text(chromium: Chromium) -> None:
    _, labels = printed(chromium, "<p style='text-shadow:2px 2px 0 #a00'>shadow words")
    assert [w.text for w in labels.words] == ["shadow", "words"]


def test_a_field_may_be_a_control_and_its_generated_text_is_not_of_the_value(chromium: Chromium) -> None:
    html = (
        "<style>[data-field=b]::before{content:'$'}</style><input data-field=a value='Ada L'><p><b data-field=b>12</b>"
    )
    _, labels = printed(chromium, html, values={"a": "Ada L", "b": "12"})
    assert [(f.path, labels.text_of(f.words)) for f in labels.fields] == [("a", "Ada L"), ("b", "12")]


REFUSED = {
    "mirror writing": (f"<span style='{SIDEWAYS}scaleX(-1)'>mirror words", "unlabelled_text"),
    "sheared": (f"<span style='{SIDEWAYS}skewX(20deg)'>skew words", "unlabelled_text"),
    "squeezed": (f"<span style='{SIDEWAYS}scale(.7, 1.2)'>narrow words", "unlabelled_text"),
    "depth": ("<div style='perspective:200px'><p style='transform:rotateY(30deg)'>deep words", "unlabelled_text"),
    "clipped": (
        "<div style='overflow:hidden;width:60px;white-space:nowrap'>one twothreefour five</div>",
        "untraced_word",
    ),
    "an ellipsis": (
        "<div style='overflow:hidden;width:66px;white-space:nowrap;text-overflow:ellipsis'>one twothree five",
        "untraced_word",
    ),
    "a clip path": ("<p style='clip-path:circle(20px at 10px 8px)'>circle clipped words", "untraced_word"),
    "pushed away": ("<p style='text-indent:-9999px'>gone text</p><p>seen", "untraced_word"),
    "blurred": ("<p style='filter:blur(1px)'>blurred words</p><p>x", "untraced_word"),
    "white on white": ("<p style='color:white'>white words</p><p>x", "unpainted_word"),
    "letters cut out of a picture": (
        "<p style='background:linear-gradient(red,blue);background-clip:text;color:transparent'>cut</p><p>x",
        "unlabelled_text",
    ),
    "a drop cap of the browser": (
        "<style>p::first-letter{font-size:40px;float:left}</style><p>Drop cap",
        "unlabelled_text",
    ),
    "emphasis dots": ("<p style='text-emphasis:dot'>强调文字", "broken_word"),
    "a shadow tree": ("<div><template shadowrootmode=open>shadow words</template></div><p>x", "unlabelled_text"),
    "a closed shadow tree": (
        "<div><template shadowrootmode=closed>shadow words</template></div><p>x",
        "unlabelled_text",
    ),
    "a password": ("<input type=password value=secret> x", "unlabelled_text"),
    "a value longer than its box": ("<input size=5 value='much longer than its box'> x", "untraced_word"),
    "a formula": ("<p><math><mfrac><mi>x</mi><mn>2</mn></mfrac></math> y", "unlabelled_text"),
    "text on a path": (
        "<svg width=99 height=50><path id=p d='M0 20 Q50 50 90 9'/>"
        "<text><textPath href='#p'>on a path</textPath></text></svg> x",
        "unlabelled_text",
    ),
    "generated words that cannot be told apart": (
        "<style>p::before{content:'শ্রী কর্ম '}</style><p style=\"font-family:'Noto Sans Bengali'\">ক",
        "unlabelled_text",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_traced_is_an_error(chromium: Chromium, name: str) -> None:
    html, reason = REFUSED[name]
    assert refusal(chromium, html) == reason

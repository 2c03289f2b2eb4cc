"""HTML out of answers, and what is taken out of it."""

from __future__ import annotations

import pytest

from schemas.errors import SampleError
from synth.write.clean import clean_css, cleaned, html_of

PAGE = (
    "<!DOCTYPE html><html><head><style>p{color:red}</style></head><body><p>one<p>two<ul><li>x<li>y</ul></body></html>"
)


@pytest.mark.parametrize(
    "around", ["{}", "```html\n{}\n```", "Here it is:\n\n```\n{}\n```\nHappy to change it.", "\n {} \n"]
)
def test_the_document_is_found_in_the_answer(around: str) -> None:
    assert html_of(around.format(PAGE)) == PAGE


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("", "no <html>"),
        ("<p>x</p>", "no <html>"),
        ("```html\n<div>x</div>\n```", "no <html>"),
        ("<html><body>x", "does not end"),
        ("<html><div><span>x</div></span></html>", "comes before <span>"),
        ("<html><table><tr><td>x</table></div></html>", "</div> of line 1 closes nothing"),
        ("<html><body>\n<section><p>x</body></html>", "before <section> of line 2"),
    ],
)
def test_broken_html_is_named(html: str, said: str) -> None:
    with pytest.raises(SampleError, match=said) as caught:
        html_of(html)
    assert caught.value.reason == "malformed_html"


def test_nothing_that_acts_or_reaches_out_stays() -> None:
    dirty = """<html onload="a()"><head><meta http-equiv=refresh content="0;url=http://x"><base href="http://x">
<link rel=stylesheet href="http://x"><script>a()</script><style>@import "http://x"; @font-face{src:url(http://x)}
p{background:url('http://x/a)b')} h1{background:url(data:image/png;base64,AA)}</style></head>
<body background="http://x"><p onclick=a() style="background:\\75rl(http://x);color:red">t</p>
<a href="javascript:a()">l</a>
<img src="http://x"><img src="data:image/png;base64,AA"><img srcset="http://x 1x" src="file:///etc/passwd">
<svg><use href="http://x#a"/><use href="#a"/></svg><form action="http://x"><button formaction="http://x">b</button></form>
<p data-pageloom-1 data-field="a">v</p></body></html>"""
    html = cleaned(dirty).html or ""
    for gone in (
        "http",
        "file:",
        "javascript",
        "script",
        "onclick",
        "onload",
        "@import",
        "@font-face",
        "\\",
        "pageloom",
    ):
        assert gone not in html, gone
    for kept in (
        'src="data:image/png;base64,AA"',
        "url(data:image/png;base64,AA)",
        'href="#a"',
        "color:red",
        "data-field",
    ):
        assert kept in html, kept


@pytest.mark.parametrize("what", ["<iframe></iframe>", "<input>", "<svg><text>x</text></svg>", "<video></video>"])
def test_what_cannot_be_labelled_is_a_fault(what: str) -> None:
    with pytest.raises(SampleError) as caught:
        cleaned(f"<html><body>{what}</body></html>")
    assert caught.value.reason == "unlabelled_text"


def test_css() -> None:
    assert clean_css("a{text-transform:uppercase;color:red}") == "a{;color:red}"
    assert clean_css("a{font: 9pt Arial !important;margin:0 !important}") == "a{font: 9pt Arial;margin:0 !important}"
    assert clean_css("a{background:image-set('http://x' 1x)}/* url(x) */") == "a{background:}"

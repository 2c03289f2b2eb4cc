from __future__ import annotations

import pytest

from schemas.errors import SampleError
from synth.align.html import read_html


def test_blocks_come_in_order_with_tag_role_and_level() -> None:
    found = read_html(
        "<html lang=en><title>no</title><main><h1>Head</h1>text <b>bold</b><p>para<br>two</p>tail"
        "<ul><li>item<ul><li>inner</ul></ul><h3>Sub</h3><script>no</script><p hidden>no</p><p style='display:none'>no"
        "<figure><figcaption>Cap</figcaption></figure><div data-role=signature>Sign<p>here</p></div>"
    )
    assert [(b.id, b.text, b.tag, b.role, b.level) for b in found] == [
        (0, "Head", "h1", "title", 1),
        (1, "text bold", "main", "text", 0),
        (2, "para two", "p", "text", 0),
        (3, "tail", "main", "text", 0),
        (4, "item", "li", "list_item", 0),
        (5, "inner", "li", "list_item", 0),
        (6, "Sub", "h3", "section_header", 3),
        (7, "Cap", "figcaption", "caption", 0),
        (8, "Sign", "div", "signature", 0),
        (9, "here", "p", "signature", 0),
    ]


def test_a_table_of_data_is_one_block_and_one_of_paragraphs_is_not() -> None:
    data = "<table><tr><th>a<td>b<tr><td>c<td>d</table>"
    assert [(b.text, b.role) for b in read_html(data)] == [("a b c d", "table")]
    layout = "<table><tr><td><p>one</p><p>two</p><td>three</table>"
    assert [(b.text, b.role) for b in read_html(layout)] == [("one", "text"), ("two", "text"), ("three", "text")]


def test_articles_asides_and_page_heads_are_groups_of_their_own() -> None:
    found = read_html(
        "<header>Paper</header><article><header><h1>A</h1></header><p>a1<aside>quote</aside><p>a2</article>"
        "<article><p>b1</article>"
    )
    groups = {b.text: b.group for b in found}
    assert groups["A"] == groups["a1"] == groups["a2"]
    assert len({groups["Paper"], groups["A"], groups["quote"], groups["b1"]}) == 4
    assert {b.text: b.role for b in found}["Paper"] == "page_header"


@pytest.mark.parametrize(
    "data",
    [
        "<meta charset=gbk><p>中国人民".encode("gbk"),
        '<?xml version="1.0" encoding="UTF-16"?><p>中国人民'.encode("utf-16"),
        "<p>中国人民".encode(),
    ],
)
def test_the_encoding_is_the_one_the_file_names(data: bytes) -> None:
    assert [b.text for b in read_html(data)] == ["中国人民"]


def test_files_follow_each_other() -> None:
    assert [(b.id, b.text) for b in read_html("<p>one", b"<p>two")] == [(0, "one"), (1, "two")]


def test_deep_nesting_does_not_exhaust_the_stack() -> None:
    assert [b.text for b in read_html("<div>" * 5000 + "deep")] == ["deep"]


@pytest.mark.parametrize("html", ["", "<html></html>", "<p> </p><script>x=1</script>", "<p>&nbsp;&shy;</p>"])
def test_html_without_text_is_refused(html: str) -> None:
    with pytest.raises(SampleError) as caught:
        read_html(html)
    assert (caught.value.reason, caught.value.stage) == ("html_without_text", "align")


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(SampleError, match="klingon"):
        read_html(b"<meta charset=klingon><p>x")

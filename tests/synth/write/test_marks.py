"""Values and schema as the marks say them."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from schemas.errors import SampleError
from synth.write.marks import read_marks

ROWS = """<table><tr><th data-key="items[].name">Item:<th data-key="items[].price">Price</tr>
<tr><td data-field="items[0].name">Nails<td data-field="items[0].price">4.50</tr>
<tr><td data-field="items[1].name">Glue<td data-field="items[1].price">3.10</tr></table>"""
GROUP = """<h2 data-key="seller">Seller</h2><p data-field="seller.name">Ada <b>Wood</b><br>Ltd</p>
<p><span data-key="seller.phone">Phone</span> <span data-field="seller.phone">555-0100</span></p>"""


def marked(html: str):
    return read_marks(LexborHTMLParser(f"<html><body>{html}</body></html>"))


def test_groups_and_rows_become_a_hierarchy_with_titles() -> None:
    found = marked(GROUP + ROWS)
    rows = [{"name": "Nails", "price": "4.50"}, {"name": "Glue", "price": "3.10"}]
    assert found.values == {"seller": {"name": "Ada Wood Ltd", "phone": "555-0100"}, "items": rows}
    seller, items = found.schema["properties"]["seller"], found.schema["properties"]["items"]
    assert seller["title"] == "Seller" and seller["properties"]["phone"] == {"type": "string", "title": "Phone"}
    assert items["items"]["properties"]["name"]["title"] == "Item" and items["items"]["required"] == ["name", "price"]


def test_what_says_nothing_is_taken_away() -> None:
    tree = LexborHTMLParser(
        f'<html><body>{GROUP}{ROWS}<i data-field="x.y"> </i><i data-key="nowhere">N</i><p data-role="hero">t'
    )
    assert "x" not in read_marks(tree).values
    html = tree.html or ""
    assert "x.y" not in html and "nowhere" not in html and "hero" not in html


def test_the_same_value_may_be_shown_twice() -> None:
    assert (
        marked(GROUP + ROWS + '<b data-field="seller.name">Ada Wood Ltd</b>').values["seller"]["name"] == "Ada Wood Ltd"
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('<b data-field="seller.name">Bo Hill</b>', "shows 'Ada Wood Ltd' and 'Bo Hill'"),
        ('<b data-field="seller">x</b>', "value, a group and rows"),
        ('<b data-field="seller.name.first">x</b>', "value, a group and rows"),
        ('<b data-field="items[4].name">x</b>', "comes before row 2"),
        ('<b data-field="items[x].name">x</b>', "not a path"),
        ('<b data-field="Über">x</b>', "not a path"),
        ('<b data-field="a.b.c.d.e.f.g">x</b>', "too deeply"),
        ('<b data-field="q"><i data-field="r">x</i></b>', "contains data-field='r'"),
        ('<b data-field="q"><i data-key="seller.name">Name</i> x</b>', "contains the label 'Name'"),
        (f'<b data-field="q">{"x " * 400}</b>', "mark single values"),
    ],
)
def test_marks_that_contradict_are_named(more: str, said: str) -> None:
    with pytest.raises(SampleError) as caught:
        marked(GROUP + ROWS + more)
    assert caught.value.reason == "bad_mark" and said in caught.value.detail


def test_pages_that_are_hardly_marked_are_named() -> None:
    for html in (GROUP, GROUP + ROWS + "<p>12,400 13,500 14,600 15,700 16,800 17,900</p>"):
        with pytest.raises(SampleError) as caught:
            marked(html)
        assert caught.value.reason == "missing_marks"
    assert marked(GROUP + ROWS + "<p>Act 1996, section 12, article 230</p>")

from __future__ import annotations

from lxml import html

from synth.export.tables import html_of, latex_of
from synth.metrics.teds import strict_teds
from tests.synth.export.made import cell

CELLS = [
    cell(0, 0, "A & <b>", rows=2), cell(0, 1, "50%", cols=2),
    cell(1, 1, "合计"), cell(1, 2, ""),
    cell(2, 0, "x_1", cols=3),
]  # fmt: skip


def test_html_says_the_same_grid() -> None:
    made = html_of(CELLS)
    trs = html.fromstring(made).findall(".//tr")
    read = [[(td.text or "", int(td.get("rowspan", 1)), int(td.get("colspan", 1))) for td in tr] for tr in trs]
    assert read == [[("A & <b>", 2, 1), ("50%", 1, 2)], [("合计", 1, 1), ("", 1, 1)], [("x_1", 1, 3)]]
    assert strict_teds(made, made) == 1.0
    other = html_of([*CELLS[:-1], cell(2, 0, "x_2", cols=3)])
    assert 0 < (strict_teds(made, other) or 0) < 1


def test_a_part_of_a_table_starts_at_its_own_first_row() -> None:
    assert html_of([cell(7, 0, "a"), cell(9, 0, "b")]) == (
        "<table><tr><td>a</td></tr><tr></tr><tr><td>b</td></tr></table>"
    )


def test_latex_leaves_the_place_under_a_long_cell_and_escapes() -> None:
    assert latex_of(CELLS).splitlines() == [
        r"\begin{tabular}{lll}",
        r"\multirow{2}{*}{A \& <b>} & \multicolumn{2}{l}{50\%} \\",
        r" & 合计 &  \\",
        r"\multicolumn{3}{l}{x\_1} \\",
        r"\end{tabular}",
    ]


def test_no_cells() -> None:
    assert html_of([]) == "<table></table>" and "tabular" in latex_of([])

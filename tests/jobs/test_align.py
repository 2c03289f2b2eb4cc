"""`pageloom align` as a user calls it."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from jobs import cli
from jobs.align import AlignmentFile
from schemas.errors import UserError
from tests.synth.align.pdfs import HTML, empty, pictured, unmapped, written


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    pdf, html = tmp_path / "bridge.pdf", tmp_path / "bridge.html"
    pdf.write_bytes(written())
    html.write_text(HTML, encoding="utf-8")
    return pdf, html


def call(*arguments: str | Path):
    return CliRunner().invoke(cli.app, ["align", *map(str, arguments)])


def test_json_pictures_and_a_page_are_written(files: tuple[Path, Path], tmp_path: Path) -> None:
    pdf, html = files
    out, overlay, page = tmp_path / "new" / "a.json", tmp_path / "pictures", tmp_path / "a.html"
    said = call(pdf, html, "--out", out, "--overlay", overlay, "--html-page", page)
    assert said.exit_code == 0, said.output
    assert said.output.startswith("10 of 10 lines aligned with 4 blocks; pages: 1 aligned\n")
    result = AlignmentFile.model_validate_json(out.read_text(encoding="utf-8"))
    assert [line.block for line in result.lines] == [0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert result.line_edges == [(at, at + 1) for at in range(9)] and result.block_edges == [(0, 1), (1, 2), (2, 3)]
    picture = cv2.imread(str(overlay / "page-0001.png"))
    assert picture is not None
    colours = {tuple(int(v) for v in c) for c in np.unique(picture.reshape(-1, 3), axis=0)}
    assert len([c for c in colours if max(c) - min(c) > 100]) >= 4  # each block in a colour of its own
    assert "10 of 10 lines" in page.read_text(encoding="utf-8") and "data:image/png" in page.read_text(encoding="utf-8")


def test_the_json_lies_beside_the_pdf_if_not_told_where(files: tuple[Path, Path]) -> None:
    pdf, html = files
    assert call(pdf, html).exit_code == 0
    assert pdf.with_suffix(".align.json").is_file()


def test_the_html_of_several_files_is_one_document(files: tuple[Path, Path], tmp_path: Path) -> None:
    pdf, html = files
    head, _, rest = HTML.partition("<p>Nobody")
    html.write_text(head, encoding="utf-8")
    second = tmp_path / "second.html"
    second.write_text(f"<p>Nobody{rest}", encoding="utf-8")
    said = call(pdf, html, second)
    assert "10 of 10 lines aligned with 4 blocks" in said.output


@pytest.mark.parametrize(
    ("data", "word"),
    [(pictured(), "image only"), (unmapped(), "broken fonts"), (empty(), "empty pdf"), (b"x", "bad pdf")],
    ids=["picture", "fonts", "empty", "no pdf"],
)
def test_a_pdf_that_cannot_be_read_is_one_line_with_a_way_out(files: tuple[Path, Path], data: bytes, word: str) -> None:
    pdf, html = files
    pdf.write_bytes(data)
    error = call(pdf, html).exception
    assert isinstance(error, UserError)
    assert word in error.what and error.where == str(pdf) and error.fix
    assert not pdf.with_suffix(".align.json").exists()


def test_html_without_text_is_one_line_too(files: tuple[Path, Path]) -> None:
    pdf, html = files
    html.write_text("<script>only()</script>", encoding="utf-8")
    error = call(pdf, html).exception
    assert isinstance(error, UserError) and error.where == str(html) and "html without text" in error.what

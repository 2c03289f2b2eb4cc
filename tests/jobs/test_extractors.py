"""`pageloom extractors`: one record a font, and a font that cannot write its script is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fontTools.ttLib import TTFont
from typer.testing import CliRunner

from jobs import cli
from jobs.extractors import MARK, records
from schemas.errors import UserError
from synth.extract.engines import EXTRACTORS
from synth.extract.sentences import SENTENCES
from synth.render.fonts import font_set
from tests.synth.truth.scripts import SCRIPTS


@pytest.mark.slow
def test_records_of_a_script_that_extractors_cannot_read() -> None:
    found = records(["bn"], [])
    assert {record.font for record in found} == {f.name for f in font_set(["bn"]).families if f.language == "bn"}
    assert all(record.mapped and not record.refused and set(record.found) == set(EXTRACTORS) for record in found)
    assert all(record.found["PyMuPDF"].added and record.found["pdfminer.six"].lost for record in found)


def test_a_font_that_cannot_write_its_script_is_found_and_the_table_renewed(tmp_path: Path) -> None:
    source = next(f.path for f in font_set(["su"]).files if f.path.name == "NotoSansSundanese-Regular.ttf")
    font = TTFont(source)
    tables: Any = font["cmap"]
    for table in tables.tables:
        table.cmap.pop(ord("ᮏ"), None)
    names: Any = font["name"]
    for record in names.names:
        if record.nameID in (1, 4, 16):
            record.string = "Half"
    (tmp_path / "fonts").mkdir()
    font.save(tmp_path / "fonts" / "half.ttf")
    out = tmp_path / "table.md"
    out.write_text(f"# Kept\n\n{MARK}\n\nold table\n", encoding="utf-8")
    arguments = ["extractors", "--language", "su", "--fonts", str(tmp_path / "fonts"), "--out", str(out)]
    assert CliRunner().invoke(cli.app, arguments).exit_code == 1
    said = out.read_text(encoding="utf-8")
    assert said.startswith("# Kept\n") and "old table" not in said
    assert "| su | Half | wrong | print: font_fallback" in said and "| su | Noto Sans Sundanese | right |" in said


def test_an_unknown_language_is_named() -> None:
    with pytest.raises(UserError, match="no sentence in language 'xx'"):
        records(["xx"], [])


def test_the_sentences_are_the_golden_ones() -> None:
    assert set(SENTENCES) == {script.language for script in SCRIPTS}
    assert set(SENTENCES.values()) <= {script.text for script in SCRIPTS}

"""`pageloom extractors`: what PyMuPDF, pdfium and pdfminer.six read out of a page in each script and font."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from schemas.errors import SampleError, UserError
from schemas.recipe import PAPERS
from schemas.sample import HtmlDocument
from synth.audit.document import audit
from synth.extract.compare import Comparison, compare
from synth.extract.engines import EXTRACTORS
from synth.extract.sentences import SENTENCES, page_of
from synth.render.chromium import Chromium
from synth.render.fonts import font_set
from synth.truth.labels import label

MARK = "<!-- made by `pageloom extractors --out` -->"


@dataclass(frozen=True)
class Record:
    """One sentence in one font. `mapped`: the PDF says of every word what was printed, its ActualText honoured, or an
    extractor read all of it.

    `refused`: why the page was not printed or labelled, if it was not.
    """

    language: str
    font: str
    mapped: bool
    found: dict[str, Comparison]
    refused: str = ""


def records(languages: Sequence[str], folders: Sequence[Path]) -> list[Record]:
    """A record for every locked family of the languages. UserError for an unknown language or missing fonts."""
    unknown = sorted(set(languages) - set(SENTENCES))
    if unknown:
        raise UserError(f"no sentence in language {unknown[0]!r}", "--language", f"use {', '.join(SENTENCES)}")
    fonts = font_set(languages, folders)
    with Chromium(fonts) as browser:
        return [
            _record(browser, language, family.name)
            for language in languages
            for family in fonts.families
            if family.language == language
        ]


def _record(browser: Chromium, language: str, font: str) -> Record:
    doc = HtmlDocument(page_of(language, font), PAPERS["A4"], "form", language, "", (font,), "", {}, {})
    try:
        raw = browser.print(doc)
        audited = audit(raw, label(raw, doc))
    except SampleError as error:
        return Record(language, font, False, {}, str(error))
    found = {name: compare(SENTENCES[language], "\n".join(read(raw.pdf))) for name, read in EXTRACTORS.items()}
    mapped = audited.words_with_other_text == 0 or any(not comparison.edits for comparison in found.values())
    return Record(language, font, mapped, found)


def table(found: Sequence[Record]) -> str:
    """The records as a Markdown table."""
    head = ["language", "font", "PDF's own text", *EXTRACTORS]
    rows = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for record in found:
        cells = [_cell(record.found[name]) for name in EXTRACTORS] if record.found else [record.refused, "", ""]
        rows.append(
            f"| {record.language} | {record.font} | {'right' if record.mapped else 'wrong'} | {' | '.join(cells)} |"
        )
    return "\n".join(rows)


def _cell(found: Comparison) -> str:
    return found.outcome if not found.edits else f"{found.cer:.3f}: {found.outcome}"


def record_extractors(languages: Sequence[str], folders: Sequence[Path], out: Path | None) -> bool:
    """Print the table, or put it into a Markdown file after its mark. Whether every font's mapping is right."""
    found = records(languages or tuple(SENTENCES), folders)
    made = table(found)
    if out is None:
        typer.echo(made)
    else:
        before = out.read_text(encoding="utf-8").partition(MARK)[0] if out.exists() else ""
        out.write_text(f"{before}{MARK}\n\n{made}\n", encoding="utf-8")
    return all(record.mapped for record in found)

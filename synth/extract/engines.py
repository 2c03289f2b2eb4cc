"""The extractors that users read PDFs with, as functions from a PDF to the texts of its pages."""

# pyright: reportMissingTypeStubs=false
from __future__ import annotations

import io
import logging
from collections.abc import Callable

import pymupdf
import pypdfium2
from pdfminer.high_level import extract_text

logging.getLogger("pdfminer").setLevel(logging.ERROR)  # a warning for every font without a name


def by_pymupdf(pdf: bytes) -> list[str]:
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        return [str(document[number].get_text()) for number in range(document.page_count)]


def by_pdfium(pdf: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(io.BytesIO(pdf))
    texts = []
    for number in range(len(document)):
        page = document[number]  # held: its text page dies with it
        texts.append(page.get_textpage().get_text_range())
    return texts


def by_pdfminer(pdf: bytes) -> list[str]:
    return extract_text(io.BytesIO(pdf)).split("\f")[:-1]  # one behind every page


EXTRACTORS: dict[str, Callable[[bytes], list[str]]] = {
    "PyMuPDF": by_pymupdf,
    "pdfium": by_pdfium,
    "pdfminer.six": by_pdfminer,
}

"""Units and pieces: what a questioner reads, and that every word of it is a word of the page."""

from __future__ import annotations

from synth.ask.llm.units import text_of, units_of
from tests.synth.ask.conftest import Printed
from tests.synth.ask.llm.asking import document


def test_prose_is_cut_at_sentences_and_tables_at_rows() -> None:
    page = document(
        ("text", ["Rent is $5.00 a day. Mr. Low pays", "no. 7 on day 3. It ends then."]),
        ("table", ["Item | Price", "Oak board | 7.40"]),
        ("key_value", ["Deposit: $800.00"]),
    )
    text, table, rest = units_of(page)
    assert [p.text for p in text.pieces] == ["Rent is $5.00 a day.", "Mr. Low pays no. 7 on day 3.", "It ends then."]
    assert (table.kind, table.numbered) == ("table", "[1] Item | Price\n[2] Oak board | 7.40")
    assert [page.text_of(part) for part in table.pieces[1].parts] == ["Oak board", "7.40"]
    assert rest.roles == ("key_value",)
    assert text_of(page, 70) == "Rent is $5.00 a day. Mr. Low pays\nno. 7 on day 3. It ends then."


def test_every_word_of_a_document_stands_in_one_piece(documents: list[Printed]) -> None:
    for p in documents:
        words = [word for unit in units_of(p.document) for word in unit.words]
        assert len(words) == len(set(words)), p.spec
        figures = {w.id for w in p.document.words if p.document.blocks[w.block].role == "figure"}
        assert set(range(len(p.document.words))) - set(words) <= figures, p.spec
        for unit in units_of(p.document):
            for piece in unit.pieces:
                assert piece.text and {word for part in piece.parts for word in part} == set(piece.words)

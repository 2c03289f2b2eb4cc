"""Documents come out of their packed form as they went in."""

from __future__ import annotations

import copy
import pickle

import pytest

from schemas.document import Document, PageInfo
from schemas.geometry import Box, Quad
from schemas.packing import unpack
from tests.schemas.test_label_rows import document


def test_a_document_is_the_same_after_its_way() -> None:
    there = pickle.loads(pickle.dumps(document()))
    assert there == document() and hash(there.words[0]) == hash(document().words[0])
    word = there.words[1]
    assert isinstance(word.box, Box) and isinstance(word.quad, Quad) and word.quad.br.y == 40.5
    assert there.lines[0].direction == "rtl" and there.blocks[0].logical == 7
    assert copy.deepcopy(there) == there


def test_a_document_without_labels_is_too() -> None:
    empty = Document((PageInfo(1.5, 2),), (), (), (), (), (), ())
    assert Document.unpacked(empty.packed()) == empty


def test_groups_that_are_not_expected_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        unpack(document().packed(), (PageInfo,))

"""Sums of what was checked of labels."""

from __future__ import annotations

import pickle

from schemas.checks import NOTHING_CHECKED, LabelChecks
from schemas.document import Document, Printed
from schemas.photographed import Photographed


def test_checks_add_up_and_survive_a_manifest() -> None:
    total = sum(
        (LabelChecks(words=3, tags_agree=2, tags_silent=1), LabelChecks(words=4, uncontained=1)), NOTHING_CHECKED
    )
    assert total == LabelChecks(words=7, tags_agree=2, tags_silent=1, uncontained=1)
    assert LabelChecks.of(total.counts()) == total


def test_checks_travel_with_the_document_they_are_of() -> None:
    empty, checks = Document((), (), (), (), (), (), ()), LabelChecks(words=5)
    assert pickle.loads(pickle.dumps(Printed.of(b"", empty, checks))).checks == checks
    assert pickle.loads(pickle.dumps(Photographed("train-00000000", (), empty, True, checks))).checks == checks

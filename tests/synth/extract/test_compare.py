from __future__ import annotations

import pytest

from synth.extract.compare import compare


@pytest.mark.parametrize(
    ("printed", "read", "outcome", "cer"),
    [
        ("Affixed ﬁne\u00ad text", "A\u200bffixed fine\ntext", "exact", 0.0),
        ("শ্রী", "শ্রীী", "1 added", 0.25),
        ("abcd", "ab", "2 lost", 0.5),
        ("abcd", "abxy", "2 lost, 2 added", 0.5),
        ("אבג", "גבא", "reordered", 2 / 3),
        ("", "", "exact", 0.0),
    ],
)
def test_what_became_of_the_characters(printed: str, read: str, outcome: str, cer: float) -> None:
    found = compare(printed, read)
    assert (found.outcome, found.cer) == (outcome, pytest.approx(cer))

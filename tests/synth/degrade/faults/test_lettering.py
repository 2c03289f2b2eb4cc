from __future__ import annotations

import numpy as np
import pytest

from synth.degrade.faults.lettering import ABOVE, lettering, letters
from synth.degrade.faults.stamps import HOUSES, WORDS


def test_conjuncts_and_their_signs_stay_whole() -> None:
    assert letters("রেজিস্ট্রার") == ["রে", "জি", "স্ট্রা", "র"]
    assert letters("作废") == ["作", "废"]


@pytest.mark.parametrize("language", list(WORDS))
def test_every_word_is_drawn_where_its_mask_says(language: str) -> None:
    set_ = lettering(language)
    for text in (*WORDS[language], *HOUSES[language]):
        ink = set_.ink(text, 40)
        rows, columns = (np.flatnonzero((ink > 128).any(axis)) for axis in (1, 0))
        assert abs(ink.shape[1] - 2 * 40 - set_.length(text) * 40) <= 2
        assert 30 <= columns[0] <= 60  # an em is left free
        assert ink.shape[1] - 60 <= columns[-1] <= ink.shape[1] - 30
        assert rows[0] > 0  # nothing is cut off
        assert rows[-1] < len(ink) - 1
        assert rows[0] < ABOVE * 40 <= rows[-1] + 3


def test_bengali_is_shaped() -> None:
    """A vowel sign written after its consonant stands before it; a conjunct is narrower than its letters."""
    set_ = lettering("bn")
    assert set_.length("স্ট্র") < 0.8 * (set_.length("স") + set_.length("ট") + set_.length("র"))
    alone, signed = set_.ink("ক", 40), set_.ink("কে", 40)
    assert (alone[:, -80:] == signed[:, -80:]).mean() > 0.97


def test_scripts_without_letters_of_their_own_get_latin_ones() -> None:
    assert lettering("su").length("PAID") == lettering("en").length("PAID")

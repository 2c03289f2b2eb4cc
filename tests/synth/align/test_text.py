from __future__ import annotations

import pytest

from synth.align.text import clean, join, mirrored


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The ﬁnal oﬃce", "the final office"),
        ("co\u00adop-\u2010era tion", "cooperation"),
        ("“It’s” — «so»", "'Its' so"),
        ("ＡＢＣ１２３", "abc123"),
        ("⼈民⽇报", "人民日报"),
        ("Zürich, Élan", "Zurich, Elan"),
        ("মেয়াাদ শ্রীী", "মেয়াদ শ্রী"),  # extractors double vowel signs
        ("দেনি", "দিনে"),  # signs set before their consonant may stand anywhere
        ("\ufe8d\ufe9f\ufe98\ufee4\ufecaٌ", "اجتمع"),
        ("dots . . . . 12", "dots 12"),
        ("a\ue0f1b\ufffdc", "abc"),
    ],
)
def test_what_typesetters_and_extractors_change_is_gone(one: str, other: str) -> None:
    assert clean(one) == clean(other)


def test_words_that_differ_stay_different() -> None:
    assert clean("book") != clean("bok") and clean("দিন") != clean("দান") and clean("中国") != clean("中间")


def test_a_text_of_symbols_keeps_them() -> None:
    assert clean("– ☐ –") == "–☐–" and clean(" \u00ad ") == ""


def test_right_to_left_is_seen() -> None:
    assert mirrored(clean("اجتمع المجلس 2026")) and not mirrored(clean("the اجتمع committee"))


def test_joined_texts_know_where_each_begins_and_what_it_tells() -> None:
    joined = join(["abc", "", "中国"])
    assert joined.starts.tolist() == [0, 3, 3, 5] and joined.weight(0, 3) == 3 and joined.weight(3, 5) == 4

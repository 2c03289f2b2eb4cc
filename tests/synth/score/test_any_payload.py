"""Whatever JSON an answer is, it is scored or counted: nothing stops, no score leaves its bounds."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from synth.score.answer import STATUSES, Prediction
from synth.score.evaluate import TRACKS
from synth.score.track import answer_of
from tests.synth.score.samples import document, perfect, scored

TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["<table><tr><td rowspan='x'>1</td></tr>", "<table></table>", "<table", "Milk 1.10", "２.32", "\x00"]
    ),
)
JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-3, 10**12), st.floats(allow_nan=False, allow_infinity=False), TEXTS
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(["shop", "name", "items", "net", "box", "role", "score", ""]), inner, max_size=4
        ),
    ),
    max_leaves=12,
)
BOXES = st.lists(
    st.fixed_dictionaries(
        {"box": st.lists(st.floats(-10, 2000), min_size=4, max_size=4), "role": st.sampled_from(["text", "title", "x"])}
    ),
    max_size=5,
)
TABLES = st.lists(TEXTS.map(lambda text: f"<table><tr><td>{text}</td><th>{text}</tr></table>"), max_size=3)
ONE = document()
UNBOUNDED = {"cer", "wer"}


@pytest.mark.parametrize("mode", ["strict", "compat"])
@pytest.mark.parametrize("track", TRACKS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(payload=st.one_of(JSON, BOXES, TABLES, st.lists(st.integers(-1, 9)), st.lists(TEXTS)))
@example(payload=[[], [0]])  # a chain without elements
def test_it_is_scored_or_counted(track: str, mode: Any, payload: Any) -> None:
    unit = next(iter(perfect(track, ONE)))
    result = scored(track, {unit: payload} if payload is not None else {}, ONE, mode=mode)
    assert sum(result.answers.values()) == len(perfect(track, ONE))
    for name, found in result.overall.metrics.items():
        assert found.value is None or (math.isfinite(found.value) and found.value >= 0), name
        assert found.value is None or name in UNBOUNDED or found.value <= 1 + 1e-9, name


@pytest.mark.parametrize("track", TRACKS)
@settings(max_examples=25, deadline=None)
@given(reply=st.one_of(TEXTS, st.text("[]{}\"',:0a`json\n ", max_size=40)))
def test_any_reply_has_a_status(track: str, reply: str) -> None:
    row = Prediction.model_validate({"track": track, "id": "x", "reply": reply})
    assert answer_of(TRACKS[track], row).status in STATUSES

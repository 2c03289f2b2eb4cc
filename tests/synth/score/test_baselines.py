"""Answers that need no model: drawn from other documents, commonest, the same for the same seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from synth.score.answer import Prediction
from synth.score.baselines import Pools, predicted
from synth.score.evaluate import TRACKS
from synth.score.track import answer_of
from synth.score.truth import DocumentTruth
from tests.synth.score.samples import VALUES, document, scored, value

FIELD = {"type": "string"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "shop": {"type": "object", "properties": {"name": FIELD, "phone": FIELD}},
        "net": FIELD,
        "gross": FIELD,
        "fax": FIELD,
        "items": {"type": "array", "items": {"type": "object", "properties": {"name": FIELD, "price": FIELD}}},
    },
}


def documents() -> list[DocumentTruth]:
    """Five documents: nets 1, 2, 2, 2, 5 and as many items as their net, one of another language."""
    made = []
    for at, net in enumerate((1, 2, 2, 2, 5)):
        values = VALUES | {"net": f"{net}", "items": [{"name": f"n{at}", "price": f"{k}"} for k in range(net)]}
        made.append(replace(document(f"test-{at:08d}", "bn" if at == 4 else "en", values), schema=SCHEMA))
    return made


def pools(made: list[DocumentTruth]) -> Pools:
    found = Pools()
    for one in made:
        found.add(one)
    return found


def answers(kind: Any, track: str, made: list[DocumentTruth], seed: int = 0) -> dict[str, Any]:
    found = pools(made)
    units = [unit for one in made for unit in TRACKS[track].units(one)]
    return {unit.id: predicted(kind, TRACKS[track], unit, found, seed) for unit in units}


def test_majority_is_the_commonest_value_of_type_and_language() -> None:
    said = answers("majority", "kie", documents())
    assert said["test-00000000"]["net"] == "2" and said["test-00000004"]["net"] == "5"
    assert "fax" not in said["test-00000000"]  # nobody has one
    assert len(said["test-00000000"]["items"]) == 2 and len(said["test-00000004"]["items"]) == 5


def test_random_never_takes_from_the_document_itself() -> None:
    made = documents()
    names = Counter()
    for seed in range(30):
        said = answers("random", "kie", made, seed)
        assert "net" not in said["test-00000004"]  # the only one of its language
        names.update(row["name"] for row in said["test-00000001"].get("items", []))
    assert "n1" not in names and {"n0", "n2", "n3"} <= set(names)


@pytest.mark.parametrize("track", TRACKS)
@pytest.mark.parametrize("kind", ["oracle", "random", "majority"])
def test_every_answer_has_the_form_of_its_track_and_depends_on_the_seed_alone(kind: str, track: str) -> None:
    made = documents()
    said = answers(kind, track, made)
    assert said == answers(kind, track, made)
    for name, payload in said.items():
        row = Prediction.model_validate({"track": track, "id": name, "prediction": payload})
        assert answer_of(TRACKS[track], row).status in ("answered", "empty")
    result = scored(track, {name: payload for name, payload in said.items() if payload}, *made)
    headline = value(result, result.headline)
    assert headline is not None and (headline == 1.0) >= (kind == "oracle")


def test_random_orders_and_boxes_vary() -> None:
    made = documents()
    orders = {tuple(answers("random", "line_order", made, seed)["test-00000000-p0"]) for seed in range(5)}
    assert len(orders) > 1 and all(sorted(order) == list(range(7)) for order in orders)
    assert answers("majority", "line_order", made)["test-00000000-p0"] == list(range(7))
    boxes = answers("random", "layout", made)["test-00000000-p0"]
    assert 1 <= len(boxes) <= 3 and all(0 <= box["score"] < 1 for box in boxes)

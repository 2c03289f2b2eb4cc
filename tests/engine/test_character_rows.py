"""A recipe that asks for characters has them in a table of its own; another has no such table."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from schemas.recipe import Labels
from tests.fixtures.two_samples import committed, plain_context, two_samples


def test_characters_are_a_table_where_the_recipe_asks(tmp_path: Path) -> None:
    context = plain_context(tmp_path, labels=Labels(characters=True))
    out = tmp_path / "out"
    committed(context, two_samples(context), context.content, out)
    rows = pq.read_table(out / "characters").to_pylist()
    words = {(w["document_id"], w["word_id"]): w for w in pq.read_table(out / "words").to_pylist()}
    spelled: dict[tuple[str, int], str] = {}
    for row in rows:
        key = row["document_id"], row["word_id"]
        spelled[key] = spelled.get(key, "") + row["text"]
        x0, y0, x1, y1 = words[key]["box"]
        assert x0 - 0.02 <= row["box"][0] < row["box"][2] <= x1 + 0.02
        assert y0 - 0.02 <= row["box"][1] < row["box"][3] <= y1 + 0.02
    assert spelled == {key: word["text"] for key, word in words.items()}
    assert (out / "characters" / "train-00000.parquet").is_file()

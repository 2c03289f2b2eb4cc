from __future__ import annotations

import json
from pathlib import Path

import pytest

from jobs.export_folder import Folder
from synth.export.out import Listing, dumps


@pytest.mark.parametrize("items", [[], [1], [1, {"a": "ক"}, "文"]])
def test_a_listing_is_json_however_many_items(tmp_path: Path, items: list) -> None:
    out = Folder(tmp_path)
    listing = Listing(out, "a.json", b'{"data": [', b"]}")
    for item in items:
        listing.add(dumps(item))
    listing.close()
    assert json.loads((tmp_path / "a.json").read_text("utf-8")) == {"data": items}


def test_no_number_that_is_no_json() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps(float("nan"))

from __future__ import annotations

import hashlib
import importlib.metadata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from schemas.errors import UserError
from synth.read.weights import find_weights, paddle_folders, weight_digests


def test_folders_hold_what_paddleocr_wants(tmp_path: Path) -> None:
    folders = paddle_folders(tmp_path)
    for folder in (folders.detection, folders.recognition):
        name = yaml.safe_load((folder / "inference.yml").read_text("utf-8"))["Global"]["model_name"]
        digest = hashlib.sha256((folder / "inference.onnx").read_bytes()).hexdigest()
        assert folders.digests[name] == digest
        assert digest[:16] in folder.name
    characters = yaml.safe_load((folders.recognition / "inference.yml").read_text("utf-8"))["PostProcess"]
    assert len(characters["character_dict"]) == 18_708
    assert characters["character_dict"][:3] == ["!", '"', "#"]
    assert {"发", "é"} <= set(characters["character_dict"])


def test_many_at_once_and_again_make_the_same_folders(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: paddle_folders(tmp_path), range(8)))
    assert len(set(map(str, made))) == 1
    before = {p: p.stat().st_mtime_ns for p in sorted(tmp_path.rglob("*"))}
    assert paddle_folders(tmp_path) == made[0]
    assert {p: p.stat().st_mtime_ns for p in sorted(tmp_path.rglob("*"))} == before
    assert len(before) == 1 + 2 + 4  # the folder `ocr`, two models of two files each, nothing private left


def test_digests_need_no_folder(tmp_path: Path) -> None:
    assert weight_digests() == paddle_folders(tmp_path).digests


def test_absent_wheel_is_said_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "files", absent)
    with pytest.raises(UserError) as caught:
        find_weights()
    assert "pip install --no-deps" in caught.value.fix
    assert "rapidocr" in str(caught.value)


def test_wheel_without_its_models_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "files", lambda name: [])
    with pytest.raises(UserError, match=r"has no models/.*--force-reinstall"):
        find_weights()


def test_cache_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    with pytest.raises(UserError, match="name another cache"):
        paddle_folders(tmp_path / "cache")

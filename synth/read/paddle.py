"""PaddleOCR on local ONNX weights: reads English and Chinese, finds the lines of any script."""

from __future__ import annotations

import importlib.metadata
import logging
import os
from pathlib import Path
from typing import Any

import numpy as np

from schemas.errors import UserError
from schemas.sample import OcrLine
from synth.read.weights import DETECTION, RECOGNITION, paddle_folders, weight_digests

NAME = "paddleocr"
_PACKAGES = (NAME, "paddlex", "onnxruntime")


def versions() -> dict[str, str]:
    """Versions of the packages and digests of the weights that decide a reading. UserError if one is not installed."""
    return {**{package: _version(package) for package in _PACKAGES}, **weight_digests()}


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise UserError("is not installed", f"package {package}", f"python -m pip install {package}") from None


def detector_versions() -> dict[str, str]:
    """As `versions`, of what finds lines."""
    return {key: value for key, value in versions().items() if key != RECOGNITION}


def _prepare(cache: Path) -> None:
    """Import PaddleOCR such that it asks no network for models, keeps nothing in the home folder and is quiet."""
    os.environ.setdefault("PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK", "True")
    os.environ.setdefault("PADDLE_PDX_CACHE_HOME", str(Path(cache) / "ocr" / "paddlex"))
    import paddleocr  # noqa: F401

    logging.getLogger("paddlex").setLevel(logging.ERROR)  # the import sets it to INFO


def _engine(threads: int) -> dict[str, Any]:
    return {
        "device": "cpu",
        "engine": "onnxruntime",
        "engine_config": {
            "intra_op_num_threads": threads,
            "inter_op_num_threads": 1,
            "log_severity_level": 3,
            # Pages differ in size, and an arena keeps room for the largest of each.
            "enable_cpu_mem_arena": False,
        },
    }


class Paddle:
    """One warm PaddleOCR pipeline (2 s and 0.3 GB to start). `cache` holds its model folders and its own cache."""

    def __init__(self, cache: Path, threads: int) -> None:
        folders = paddle_folders(cache)
        _prepare(cache)
        from paddleocr import PaddleOCR

        self._pipeline: Any = PaddleOCR(
            text_detection_model_name=DETECTION,
            text_detection_model_dir=str(folders.detection),
            text_recognition_model_name=RECOGNITION,
            text_recognition_model_dir=str(folders.recognition),
            use_doc_orientation_classify=False,
            use_doc_unwarping=False,
            use_textline_orientation=False,
            **_engine(threads),
        )

    def read(self, image: np.ndarray) -> list[OcrLine]:
        """Lines of a BGR uint8 picture, quads in its pixels."""
        result = self._pipeline.predict(image)[0]
        found = zip(result["rec_texts"], result["rec_polys"], result["rec_scores"], strict=True)
        return [
            OcrLine(text, tuple(float(c) for c in np.asarray(quad).reshape(-1)), float(score))
            for text, quad, score in found
            if text.strip()
        ]


def recognition(cache: Path, threads: int) -> Any:
    """The pipeline's recogniser alone: `predict` takes BGR uint8 pictures of single lines and gives `rec_text`s."""
    folders = paddle_folders(cache)
    _prepare(cache)
    from paddleocr import TextRecognition

    return TextRecognition(model_name=RECOGNITION, model_dir=str(folders.recognition), **_engine(threads))


class Detector:
    """The pipeline's detector alone: finds text lines of any script."""

    def __init__(self, cache: Path, threads: int) -> None:
        folders = paddle_folders(cache)
        _prepare(cache)
        from paddleocr import TextDetection

        self._model: Any = TextDetection(
            model_name=DETECTION,
            model_dir=str(folders.detection),
            # As the pipeline has it: small pictures are not enlarged, large ones not shrunk.
            limit_side_len=64,
            limit_type="min",
            **_engine(threads),
        )

    def find(self, image: np.ndarray) -> list[np.ndarray]:
        """Quads (4 x 2, pixels) of the lines of a BGR uint8 picture."""
        return [np.asarray(quad, np.float64).reshape(4, 2) for quad in self._model.predict(image)[0]["dt_polys"]]

"""A measure of strokes for scripts that no engine reads: how much ink is lost, and how much is where none was."""

from __future__ import annotations

import cv2
import numpy as np

from synth.read.crops import crop_line

_NEAR = np.ones((3, 3), np.uint8)


def stroke_loss(clean: np.ndarray, quad: np.ndarray, image: np.ndarray, seen: np.ndarray) -> float:
    """From 0 (every stroke where it was) to 1: one less the F-score of ink pixels, one pixel of shift forgiven.

    `clean`, `image`: BGR uint8 pictures; `quad`, `seen`: the same line's corners (4 x 2) in each. Both lines are cut
    out upright and evened as for an OCR engine, so only contrast that cannot be won back counts.
    """
    before, after = crop_line(clean, quad), crop_line(image, seen)
    if before is None or after is None:
        return 1.0
    after = cv2.resize(after, (before.shape[1], before.shape[0]), interpolation=cv2.INTER_AREA)
    was, now = ((crop < 128).astype(np.uint8) for crop in (before, after))
    if now.mean() > 0.5:  # nothing but one colour, which the evening turns to ink
        return 1.0
    kept = int(cv2.bitwise_and(was, cv2.dilate(now, _NEAR)).sum())
    right = int(cv2.bitwise_and(now, cv2.dilate(was, _NEAR)).sum())
    recall, precision = kept / max(1, int(was.sum())), right / max(1, int(now.sum()))
    return 1 - 2 * recall * precision / max(1e-9, recall + precision)

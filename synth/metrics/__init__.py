"""Every metric of the five papers and their neighbours, once. See `registry.METRICS` and docs/metrics.md."""

from __future__ import annotations

from typing import Literal

SCORER_VERSION = "1.0"

Mode = Literal["strict", "compat"]
"""`strict`: what the paper defines. `compat`: what its published code does, faults included."""

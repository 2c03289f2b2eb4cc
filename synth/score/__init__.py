"""Scoring of predictions over a release: tracks, statuses of answers, sums by document, intervals, paired tests."""

from __future__ import annotations

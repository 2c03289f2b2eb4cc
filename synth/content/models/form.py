"""Filled-in forms: nine kinds (bank, government, medical, ...), each with its own sections, fields and wordings."""

from __future__ import annotations

from typing import Any

from synth.content.kit import Kit
from synth.content.models.form_draft import Draft
from synth.content.models.form_kinds import KINDS


def build(kit: Kit) -> dict[str, Any]:
    """Values of one form; helpers for layouts under `_` keys.

    `_sections`: groups in order, each with its fields (`path`, `leaf`, `kind`, `width` in quarters of a line,
    `options`) or the `columns` of its `rows`;
    a field's kind is text, comb (a cell a character), choice (one option is ticked), multi (some are) or table.
    `_title`, `_note`, `_declaration`, `_photo`, `_letter` (running text with {path} slots, empty for most kinds).
    The kind is the family's option `kind`. SampleError for a kind that does not exist is left to the caller's KeyError.
    """
    kind = str(kit.option("kind", "bank"))
    draft = Draft(kit, kind)
    KINDS[kind](draft)
    return draft.content()

"""What labelling a document checked, as sums that a release adds up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields


@dataclass(frozen=True)
class LabelChecks:
    """Counts over documents; add them with `+`.

    `tags_agree`, `tags_disagree`: words whose glyphs the PDF's tags give to the text node that the probe print gives
    them to, or to another; `tags_silent`: words with glyphs that no tag names (generated and hidden-from-readers text);
    `tags_only`: words that the probe print did not paint and the tags placed. `other_text`: words that the PDF, its
    ActualText honoured, reads otherwise than the DOM. `uncontained`, `bad_extents`, `out_of_order`: children outside
    their parent, boxes without extent or off their page, words out of order; on paper and in the pictures together.
    """

    words: int = 0
    tags_agree: int = 0
    tags_disagree: int = 0
    tags_silent: int = 0
    tags_only: int = 0
    other_text: int = 0
    uncontained: int = 0
    bad_extents: int = 0
    out_of_order: int = 0

    def __add__(self, other: LabelChecks) -> LabelChecks:
        return LabelChecks(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def counts(self) -> dict[str, int]:
        """By name, as a manifest keeps them."""
        return asdict(self)

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> LabelChecks:
        return cls(**counts)


NOTHING_CHECKED = LabelChecks()

"""The recipe: `content` decides what is made, `execution` only how (DESIGN decision 1)."""

from __future__ import annotations

from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from schemas.draws import whole_weights
from schemas.execution import Execution
from schemas.question_settings import Questions
from schemas.sample import LANGUAGES, PageSize
from schemas.strict import Strict, no_bool
from schemas.weights import Weights, WeightsOrList, check_names

SCENE_FAMILIES = (
    *("flat_scan", "soft_curl", "one_crease", "two_creases", "three_creases", "letter_fold", "crumple", "dog_ear"),
    *("book_curl", "stapled_stack", "desk_perspective", "cast_shadow", "window_light", "low_light"),
    *("lens_distortion", "shallow_focus"),
)
DEFAULT_SCENES = ("flat_scan", "soft_curl", "one_crease")
"""Families of a recipe that names none: the three that most pages are met in, and the cheapest to bake."""
FAULTS = (
    "ink_colour",
    "halftone",
    "faded_ink",
    "broken_ink",
    "ink_streaks",
    "drum_bands",
    "toner_speckle",
    "bleed_through",
    "redaction",
    "stamp",
    "sticky_note",
    "hole_punch",
    "elastic",
    "perspective",
    "defocus",
    "motion_blur",
    "gaussian_blur",
    "moire",
    "fax",
    "jpeg_loss",
    "webp_loss",
)
"""Faults of print, paper, camera and file, in the order in which they act."""
MAX_SEVERITY, USUAL_SEVERITY = 5.0, 2.0
PAPERS = {
    "A4": PageSize("A4", 210.0, 297.0),
    "A5": PageSize("A5", 148.0, 210.0),
    "Letter": PageSize("Letter", 215.9, 279.4),
}

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,62}$")]
SplitName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_]*(\.[a-z0-9_]+)*$", max_length=40)]
"""What `datasets` takes as the name of a split: no hyphen."""


MAX_SAMPLES = 10**12


Severity = Annotated[float, Field(ge=0, le=MAX_SEVERITY), BeforeValidator(no_bool)]
SeverityMix = Annotated[
    dict[Annotated[float, Field(ge=0, le=MAX_SEVERITY)], Annotated[float, Field(ge=0), BeforeValidator(no_bool)]],
    Field(min_length=1),
]


class Split(Strict):
    """`samples` accepted documents; `share` of the templates, fonts, personas and scenes that this split alone uses."""

    samples: Annotated[int, BeforeValidator(no_bool)] = Field(ge=0, le=MAX_SAMPLES)
    share: float = Field(default=1, gt=0)


class Writer(Strict):
    """Who writes the documents: `template` (no model) or `llm` (docs/writer.md), each with its own keys."""

    kind: Literal["template", "llm"] = "template"
    folders: tuple[Path, ...] = ()
    """Folders of the user's own templates."""
    families: tuple[str, ...] | None = Field(default=None, min_length=1)
    """Only these layout families, named `type/family`; None means all."""
    model: str | None = Field(default=None, min_length=1, max_length=200)
    """Name of the model that writes, as its endpoint calls it; where it is, `execution` says."""
    examples: Path | None = None
    """A folder with a folder of a few real documents for each type, from which the model describes the type."""
    personas: Path | None = None
    """A folder of the user's own personas (YAML, JSON Lines); None means the shipped grammar."""
    repairs: Annotated[int, BeforeValidator(no_bool)] = Field(default=2, ge=0, le=10)
    """How often a faulty document goes back to the model."""
    vision: bool = False
    """Whether the model sees: examples and faulty pages are then sent as pictures too."""
    temperature: float | None = Field(default=0.8, ge=0, le=2)
    """None leaves it to the endpoint."""
    max_tokens: int = Field(default=8192, ge=256, le=200_000)
    """Of one answer."""

    @model_validator(mode="after")
    def _own_keys(self) -> Writer:
        others = ("folders", "families") if self.kind == "llm" else LLM_WRITER_KEYS
        unset = Writer.model_fields
        foreign = next((name for name in others if getattr(self, name) != unset[name].default), None)
        if foreign is not None:
            raise ValueError(f"{foreign} is not for kind: {self.kind}")
        if self.kind == "llm" and self.model is None:
            raise ValueError("kind: llm needs a model, e.g. model: deepseek-chat")
        return self


LLM_WRITER_KEYS = ("model", "examples", "personas", "repairs", "vision", "temperature", "max_tokens")


class Fonts(Strict):
    folders: tuple[Path, ...] = ()
    """Folders of the user's own fonts (ttf, otf, ttc)."""
    substitute: bool = False
    """Where a document's font cannot write its text, take another of its split; else the document is refused."""


class Dpi(Strict):
    min: int = Field(default=140, ge=50, le=600)
    max: int = Field(default=180, ge=50, le=600)

    @model_validator(mode="after")
    def _ordered(self) -> Dpi:
        if self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self


class Degradation(Strict):
    scenes: WeightsOrList = Field(default_factory=lambda: dict.fromkeys(DEFAULT_SCENES, 1.0))
    """Weights of scene families, `none` for a clean raster."""
    per_split: int = Field(default=2, ge=1, le=1000)
    """Baked variants of each scene family and aspect bucket that each split has for itself."""
    faults: WeightsOrList = Field(default_factory=dict)
    """Weights of faults, `none` for pages without one. Empty: no faults at all."""
    faults_per_page: Annotated[int, BeforeValidator(no_bool)] = Field(default=1, ge=1, le=5)
    """How many different faults each page has together."""
    severity: Severity | SeverityMix | None = None
    """From 0 (nothing) to 5, or weights of several: {1: 2, 3: 1}; 2 if neither it nor a target is given."""
    target_cer: Annotated[float, BeforeValidator(no_bool)] | None = Field(default=None, gt=0, le=0.5)
    """Instead of a severity: the character error rate that faults shall bring a document to, as it is read."""

    @property
    def severities(self) -> dict[float, float]:
        """Weights of severities."""
        if isinstance(self.severity, dict):
            return self.severity
        return {USUAL_SEVERITY if self.severity is None else self.severity: 1.0}

    @field_validator("severity")
    @classmethod
    def _mixable(cls, value: float | dict[float, float] | None) -> float | dict[float, float] | None:
        if isinstance(value, dict):
            whole_weights(list(value.values()))
        return value

    @field_validator("faults")
    @classmethod
    def _known_faults(cls, value: Weights) -> Weights:
        unknown = sorted(set(value) - set(FAULTS) - {"none"})
        if unknown:
            close = get_close_matches(unknown[0], FAULTS, 1)
            hint = f"did you mean {close[0]}?" if close else f"known: {', '.join((*FAULTS, 'none'))}"
            raise ValueError(f"unknown fault {unknown[0]!r}; {hint}")
        if value:
            whole_weights(list(value.values()))
        return value

    @model_validator(mode="after")
    def _one_dial(self) -> Degradation:
        if self.target_cer is not None and self.severity is not None:
            raise ValueError("give severity or target_cer, not both")
        kinds = [name for name, weight in self.faults.items() if weight > 0 and name != "none"]
        if self.faults and self.faults_per_page > max(1, len(kinds)):
            raise ValueError(f"faults_per_page is {self.faults_per_page}, but only {len(kinds)} faults are named")
        return self

    @field_validator("scenes")
    @classmethod
    def _known(cls, value: Weights) -> Weights:
        check_names(value, (*SCENE_FAMILIES, "none"), "unknown scene family")
        whole_weights(list(value.values()))
        return value


class Legibility(Strict):
    max_cer: float = Field(default=0.2, ge=0, le=1)
    share: float = Field(default=1.0, ge=0, le=1)
    """Share of the documents that are read, drawn by seed."""


class Labels(Strict):
    """What is labelled beside words, lines, blocks, cells and fields."""

    characters: bool = False
    """Boxes of grapheme clusters (table `characters`): half as much again to print, and the largest table."""


class PictureFormat(Strict):
    format: Literal["jpeg", "webp", "png"] = "jpeg"
    quality: int = Field(default=90, ge=1, le=100)


class Content(Strict):
    name: Name
    version: str = Field(pattern=r"^\d+\.\d+\.\d+$")
    seed: Annotated[int, BeforeValidator(no_bool)] = Field(default=0, ge=0, lt=2**64)
    splits: dict[SplitName, Split] = Field(min_length=1, max_length=100)
    shard_size: int = Field(ge=1, le=100_000)
    types: WeightsOrList = Field(min_length=1)
    languages: WeightsOrList = Field(min_length=1)
    writer: Writer = Writer()
    fonts: Fonts = Fonts()
    page_sizes: WeightsOrList = Field(default_factory=lambda: {"A4": 1.0})
    dpi: Dpi = Dpi()
    degradation: Degradation = Degradation()
    legibility: Legibility = Legibility()
    questions: Questions | None = None
    labels: Labels = Labels()
    max_tries: int = Field(default=8, ge=1, le=100)
    picture: PictureFormat = PictureFormat()
    format: Literal["parquet", "webdataset"] = "parquet"
    license: str = Field(default="CC-BY-4.0", pattern=r"^[^\x00-\x1f]{1,200}$")

    @field_validator("splits", mode="before")
    @classmethod
    def _bare_numbers(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return {k: v if isinstance(v, dict | Split) else {"samples": v} for k, v in value.items()}
        return value

    @field_validator("splits")
    @classmethod
    def _some_samples(cls, value: dict[str, Split]) -> dict[str, Split]:
        if "all" in value:
            raise ValueError("a split cannot be called 'all': `datasets` means every split by it")
        if not any(split.samples for split in value.values()):
            raise ValueError("no split has any samples")
        whole_weights([split.share for split in value.values()])
        return value

    @field_validator("types", "languages", "page_sizes")
    @classmethod
    def _possible(cls, value: Weights) -> Weights:
        whole_weights(list(value.values()))
        return value

    @field_validator("languages")
    @classmethod
    def _spoken(cls, value: Weights) -> Weights:
        check_names(value, LANGUAGES, "no fonts and words for language")
        return value

    @field_validator("page_sizes")
    @classmethod
    def _paper(cls, value: Weights) -> Weights:
        check_names(value, PAPERS, "unknown page size")
        return value

    @model_validator(mode="after")
    def _dealable(self) -> Content:
        whole_weights(list(self.cells.values()))
        return self

    @model_validator(mode="after")
    def _read_where_aimed(self) -> Content:
        target, limit = self.degradation.target_cer, self.legibility.max_cer
        if target is not None and self.legibility.share < 1:
            raise ValueError("target_cer is found by reading every document: legibility.share must be 1")
        if target is not None and target > limit:
            raise ValueError(f"target_cer is {target:g}, but legibility.max_cer rejects what is over {limit:g}")
        return self

    @property
    def cells(self) -> dict[tuple[str, str], Fraction]:
        """Weight of every (type, language), sorted: the order in which a recipe names them decides nothing."""
        types, languages = sorted(self.types.items()), sorted(self.languages.items())
        return {(t, lang): Fraction(str(a)) * Fraction(str(b)) for t, a in types for lang, b in languages}

    @property
    def dataset(self) -> str:
        """Name in every seed. The version is left out so that a mended text does not redraw all samples."""
        return self.name

    @property
    def shares(self) -> dict[str, float]:
        return {name: split.share for name, split in self.splits.items()}


class Recipe(Strict):
    pageloom: Literal[1] = 1
    content: Content
    execution: Execution = Execution()

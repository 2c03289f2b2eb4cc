"""The half of a recipe that says how a dataset is made; nothing in it changes a byte."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator

from schemas.llm import LlmSettings
from schemas.strict import Strict

ACTOR_KINDS = ("writer", "browser", "camera", "reader", "baker")


class ActorPool(Strict):
    """One kind of actor: how many, what each asks of Ray, how long one call may take, when one is replaced."""

    count: int = Field(default=1, ge=1, le=100_000)
    num_cpus: float = Field(default=0.25, ge=0, le=4096)
    num_gpus: float = Field(default=0, ge=0, le=64)
    resources: dict[str, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    deadline_s: float = Field(default=60, gt=0, le=86_400)
    ready_s: float = Field(default=180, gt=0, le=86_400)
    recycle_after: int = Field(default=500, ge=1)
    recycle_mb: int = Field(default=3000, ge=100)

    @field_validator("num_cpus", "num_gpus")
    @classmethod
    def _placeable(cls, value: float) -> float:
        """Ray gives fractions of one device, or whole devices."""
        if value > 1 and value != int(value):
            raise ValueError("above 1 it must be a whole number")
        return value


class Actors(Strict):
    writer: ActorPool = ActorPool(deadline_s=20, recycle_after=100_000)
    browser: ActorPool = ActorPool(count=2, deadline_s=60)
    camera: ActorPool = ActorPool(count=2, deadline_s=120, recycle_after=2000)
    reader: ActorPool = ActorPool(deadline_s=240, recycle_after=2000, recycle_mb=6000)
    baker: ActorPool = ActorPool(deadline_s=300, recycle_after=50)


class Execution(Strict):
    actors: Actors = Actors()
    runners: int = Field(default=1, ge=1, le=10_000)
    in_flight: int = Field(default=8, ge=1, le=100_000)
    """Samples under way in one runner at a time."""
    blame_after: int = Field(default=2, ge=1, le=10)
    """A crash or timeout that follows a sample to this many distinct actors quarantines it."""
    shard_tries: int = Field(default=3, ge=1)
    stop_rejecting_above: float = Field(default=0.8, gt=0, le=1)
    """A cell that rejects more than this share of at least `stop_after` tries stops the run."""
    stop_after: int = Field(default=40, ge=1)
    sandbox: Literal["require", "auto", "off"] = "auto"
    """Chromium's sandbox: `auto` uses it where it starts and refuses hostile sources where not."""
    cache: Path | None = None
    """Folder for baked scenes; None means the user's cache folder."""
    llm: LlmSettings | None = None
    """Where language models answer, at what price and within what budget; only recipes that use models need it."""

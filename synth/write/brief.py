"""What a writer is told about one document: the prompt, filled from description, persona, paper, look and place."""

from __future__ import annotations

import datetime as dt
import random
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from schemas.document import ROLES
from schemas.draws import weighted
from schemas.recipe import PAPERS, Content
from schemas.sample import PageSize, SampleSpec
from synth.content.kit import DAYS, FIRST_DAY
from synth.content.persona import cities_of
from synth.llm.prompts import load_prompt
from synth.persona.people import Profile
from synth.write.describe import Description

PROMPT = "write-1"
ROLL_WIDTHS = (58.0, 80.0)
SLIPS = ((148.0, 105.0), (148.0, 210.0), (210.0, 99.0), (105.0, 148.0))
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Brief:
    """The filled prompt and what of it decides the document around the HTML.

    `language` is named as prompts name it, `lang` is its tag; `margin_mm` is what a page has if its author gives none.
    """

    prompt: str
    text: str
    page: PageSize
    language: str
    lang: str
    size: str
    margin_mm: int


def brief_of(spec: SampleSpec, content: Content, description: Description, profile: Profile) -> Brief:
    """The brief of one try of one sample. Everything that varies is drawn by name from the sample's seed."""
    page = _page(spec, content, description.paper)
    look = {name: spec.rng(f"look:{name}").choice(choices) for name, choices in _read("looks").items()}
    habits = _read("conventions")[_country(spec, profile)]
    day = FIRST_DAY + dt.timedelta(days=spec.rng("date").randrange(DAYS))
    prompt = load_prompt(PROMPT)
    text = prompt.fill(
        kind=spec.type.replace("_", " "),
        language=habits["language"],
        conventions=habits["says"],
        description=description.told(),
        persona=profile.told(),
        date=day.isoformat(),
        paper=_paper(page),
        look=f"head: {look['head']}; labels: {look['pairs']}; tables: {look['table']}; colour: {look['accent']}; "
        f"{look['density']}.",
        size=look["size"],
        roles=", ".join(ROLES),
    )
    margin = 0 if page.height_mm is None else 7 if page.width_mm < 200 else 14
    return Brief(prompt.id, text, page, habits["language"], habits["lang"], look["size"], margin)


@lru_cache(maxsize=4)
def _read(name: str) -> dict[str, Any]:
    return yaml.safe_load((_HERE / f"{name}.yaml").read_text(encoding="utf-8"))


def _country(spec: SampleSpec, profile: Profile) -> str:
    """The persona's country where it is known, else one of the language's, drawn."""
    countries = sorted({city.country for city in cities_of(spec.language)})
    told = profile.attributes.get("country") or profile.attributes.get("region", "").rpartition("(")[2].rstrip(")")
    return told if told in countries else spec.rng("country").choice(countries)


def _page(spec: SampleSpec, content: Content, paper: str) -> PageSize:
    rng: random.Random = spec.rng("page")
    if paper == "roll":
        width = rng.choice(ROLL_WIDTHS)
        return PageSize(f"roll{width:g}", width, None)
    if paper == "slip":
        width, height = rng.choice(SLIPS)
        return PageSize(f"slip{width:g}x{height:g}", width, height)
    return PAPERS[weighted(rng, content.page_sizes)]


def _paper(page: PageSize) -> str:
    if page.height_mm is None:
        width = f"a paper roll {page.width_mm:g} mm wide, as long as its content"
        return f"{width}. Give the body a padding of 3 to 5 mm and one narrow column; set no height."
    room = "one page" if page.width_mm * page.height_mm < 40_000 else "one page, two at the most"
    margin = "6 to 10 mm" if page.width_mm < 200 else "12 to 20 mm"
    return f"{page.width_mm:g} x {page.height_mm:g} mm, {room}. Give @page a margin of {margin} and no size."

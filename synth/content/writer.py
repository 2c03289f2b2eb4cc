"""Writes one document: deals a layout family, draws a persona and content, and renders the family's template."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any

from schemas.draws import deal_item, partition, weighted
from schemas.errors import UserError
from schemas.recipe import PAPERS, Content
from schemas.sample import HtmlDocument, PageSize, SampleSpec
from synth.content.family import Family
from synth.content.kit import Kit
from synth.content.library import TemplateLibrary
from synth.content.models import MODELS
from synth.content.page import Page, pattern_of
from synth.content.persona import draw_persona
from synth.content.template import render
from synth.content.typeface import draw_stack, spare_families
from synth.content.user import build_user_content, user_label

# A Bangla visarga serves as a colon, but only on a letter: after a bracket fonts draw it on a dotted circle.
_VISARGA_ALONE = re.compile(r"(?<=[)\]])((?:</\w+>)*)ঃ")
_COLONS = {"en": (":", ":", ""), "zh": ("：", "：", ":"), "bn": (":", ":", " :", "ঃ")}


def families_of(spec: SampleSpec, library: TemplateLibrary, content: Content) -> list[str]:
    """Families that the split alone uses for this type and that speak the language. UserError if there are none."""
    names = [n for n in library.of_type(spec.type) if content.writer.families is None or n in content.writer.families]
    try:
        mine = partition(names, content.shares, f"{content.seed}:families:{spec.type}")[spec.split]
    except ValueError:
        raise UserError(
            f"{len(names)} layout families of {spec.type} cannot be parted among {len(content.shares)} splits",
            "content.writer",
            "use fewer splits, name more families, or add templates in writer.folders",
        ) from None
    spoken = [name for name in mine if spec.language in library.families[name].languages]
    if not spoken:
        raise UserError(
            f"split {spec.split} has no layout family of {spec.type} in {spec.language}",
            "content.languages",
            "add a template in that language, or leave it out for this type",
        )
    return spoken


def _deal_family(spec: SampleSpec, library: TemplateLibrary, content: Content) -> Family:
    names = families_of(spec, library, content)
    salt = f"{spec.seed}:{spec.dataset}:{spec.split}:{spec.type}:{spec.language}:families"
    seed = int.from_bytes(hashlib.sha256(salt.encode()).digest()[:8], "big")
    return library.families[deal_item(names, spec.cell_number + spec.attempt, seed)]


def _page_size(spec: SampleSpec, family: Family, content: Content) -> PageSize:
    rng = spec.rng("page")
    if family.file.paper == "roll":
        width = rng.choice(family.file.widths)
        return PageSize(f"roll{width:g}", width, None)
    if family.file.paper == "slip":
        width, height = rng.choice(family.file.sizes)
        return PageSize(f"slip{width:g}x{height:g}", width, height)
    return PAPERS[weighted(rng, content.page_sizes)]


def _labeller(kit: Kit, family: Family) -> Callable[[str, str | None], str]:
    def label(path: str, key: str | None) -> str:
        if key is None and family.schema is not None:
            return user_label(kit, family.schema, path)
        if key is not None:
            return kit.label(key)
        pattern = pattern_of(path).replace("[]", "")
        leaf = pattern.rsplit(".", 1)[-1]
        candidates = (f"{family.type}.{pattern}", f"{family.type}.{leaf}", f"common.{leaf}")
        return kit.label(next((c for c in candidates if kit.has_label(c)), candidates[0]))

    return label


def write(spec: SampleSpec, library: TemplateLibrary, content: Content) -> HtmlDocument:
    """The document of one try of one sample, a function of its arguments alone.

    SampleError for what goes wrong in this sample, UserError for a recipe that cannot be served.
    """
    family = _deal_family(spec, library, content)
    rng = spec.rng("options")
    options: Mapping[str, Any] = {name: rng.choice(values) for name, values in sorted(family.file.options.items())}
    persona = draw_persona(spec, content.shares)
    kit = Kit(spec, persona, options, content.shares)
    values = build_user_content(kit, family.schema) if family.schema is not None else MODELS[family.type](kit)
    fonts = draw_stack(spec.rng("fonts"), spec.language, spec.split, content, family.file.font)
    spares: tuple[str, ...] = ()
    if content.fonts.substitute:
        spares = spare_families(spec.rng("spare fonts"), spec.language, spec.split, content, fonts)
    paper = _page_size(spec, family, content)
    page = Page(values, _labeller(kit, family), kit.label)
    html = render(
        family.folder,
        {
            **page.functions(),
            "opt": options,
            "language": spec.language,
            "country": kit.country,
            "font_family": fonts.text,
            "hand_family": fonts.hand,
            "colon": kit.spec.rng("colon").choice(_COLONS[spec.language]),
            "paper": paper,
            "date_of_print": kit.date(),
        },
    )
    html = _VISARGA_ALONE.sub(r"\1:", html)
    return HtmlDocument(
        html=html,
        page=paper,
        type=spec.type,
        language=spec.language,
        family=family.name,
        fonts=tuple(name for name in fonts.families if name in html),
        persona=str(persona),
        schema=page.schema(),
        values=page.values(),
        spare_fonts=spares,
    )

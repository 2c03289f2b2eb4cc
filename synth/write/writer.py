"""The document writer that asks a model: describe, write for a persona, print, look, repair (UniKIE-Bench, A.4)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

import cv2
import numpy as np

from schemas.errors import SampleError
from schemas.llm import Image, LlmReply, LlmRequest, Message, Text
from schemas.recipe import Content
from schemas.release import sha256
from schemas.sample import HtmlDocument, SampleSpec
from schemas.steps import Ask, Fault, Proof, ProofSheet, Steps
from synth.content.typeface import Stack, draw_stack, spare_families
from synth.llm.answers import read_text
from synth.llm.pictures import MAX_PIXELS
from synth.llm.prompts import load_prompt
from synth.persona.folder import choose_profile
from synth.persona.people import Profile, draw_profile
from synth.write.brief import Brief, brief_of
from synth.write.clean import STAGE, cleaned, html_of
from synth.write.describe import Description, describe, shipped_description
from synth.write.examples import example_types, read_examples
from synth.write.language import wrong_language
from synth.write.marks import read_marks

REPAIR = "repair-1"
# Anything else that an answer may be is the model's word that there is no document.
_NO_ANSWER = {"refused": "refused", "filtered": "refused", "empty": "empty_answer", "too_large": "too_large"}
_PLACEHOLDER = re.compile(
    r"lorem ipsum|\{\{|\bTBD\b|\bTODO\b|\[(?:your|insert|enter|name|date|address|company|amount|signature)\b[^\]]*\]"
    r"|\bX{4,}\b|某某|××{2,}",
    re.IGNORECASE,
)
# After the author's own rules: fonts are the split's, and writing by hand is larger than print; heads do not repeat,
# nothing moves, and no text is drawn that the document does not hold.
_HOUSE = """
html body, html body * {{ font-family: {text} !important; }}
html body .handwritten {{ font-size: 1.35em !important; line-height: 1.1; }}
html body .handwritten, html body .handwritten * {{ font-family: {hand} !important; }}
thead, tfoot {{ display: table-row-group !important; }}
*, *::before, *::after {{ animation: none !important; transition: none !important; }}
*::before, *::after {{ content: none !important; }}
"""
_BASE = """
*, *::before, *::after {{ box-sizing: border-box; }}
html {{ font-size: {size}; print-color-adjust: exact; }}
body {{ margin: 0; padding: {padding}mm; line-height: {leading}; color: #1a1a1a; overflow-wrap: anywhere; }}
table {{ border-collapse: collapse; }}
tr {{ break-inside: avoid; }}
@page {{ margin: {margin}mm; }}
"""
_LEADING = {"en": "1.35", "zh": "1.45", "bn": "1.5"}


def write_with_model(spec: SampleSpec, content: Content) -> Steps[HtmlDocument]:
    """The document of one try of one sample, as steps: a description where there are examples, then HTML, then prints
    and repairs until nothing is wrong.

    SampleError of stage "writer" with the reason of the last fault once `writer.repairs` are used up; at once for an
    answer that holds no document ("refused", "empty_answer", "too_large", "unfinished").
    """
    settings = content.writer
    description = yield from _description(spec, content)
    profile = _profile(spec, content)
    brief = brief_of(spec, content, description, profile)
    fonts = draw_stack(spec.rng("fonts"), spec.language, spec.split, content, "any")
    spares: tuple[str, ...] = ()
    if content.fonts.substitute:
        spares = spare_families(spec.rng("spare fonts"), spec.language, spec.split, content, fonts)
    first = Message("user", (Text(brief.text),))
    messages: tuple[Message, ...] = (first,)
    prompt = brief.prompt
    fault = Fault("", STAGE, "")
    for number in range(settings.repairs + 1):
        request = _request(spec, content, messages, prompt)
        reply: LlmReply = yield Ask(f"repair-{number}" if number else "write", request)
        sheet = ProofSheet(None, "It was not printed.")
        try:
            document = replace(document_of(_answered(reply), spec, brief, fonts, profile), spare_fonts=spares)
            sheet = cast(ProofSheet, (yield Proof(document, settings.vision)))
            if sheet.fault is None:
                return document
            fault = sheet.fault
        except SampleError as error:
            if error.reason in _NO_ANSWER.values() or error.reason == "unfinished":
                raise
            fault = Fault(error.reason, error.stage, error.detail)
        messages, prompt = _repair(first, reply.text, fault, sheet, brief)
    raise SampleError(fault.reason, STAGE, f"{fault.detail} (after {settings.repairs} repairs, found at {fault.stage})")


def document_of(html: str, spec: SampleSpec, brief: Brief, fonts: Stack, profile: Profile) -> HtmlDocument:
    """The document in an answer: cleaned, its values and schema read from the marks, its fonts those of the split.

    SampleError of stage "writer" for what can be seen without printing.
    """
    tree = cleaned(html_of(html))
    body = tree.body
    shown = body.text(separator=" ", strip=True) if body is not None else ""
    if not shown:
        raise SampleError("empty_page", STAGE, "the document shows no text")
    foreign = wrong_language(shown, spec.language)
    if foreign is not None:
        raise SampleError("wrong_language", STAGE, foreign)
    if found := _PLACEHOLDER.search(shown):
        raise SampleError("placeholder", STAGE, f"the page says {found[0]!r}")
    marked = read_marks(tree)
    assert tree.root is not None and tree.head is not None
    tree.root.attrs["lang"] = brief.lang
    base = _BASE.format(
        size=brief.size, leading=_LEADING[spec.language], margin=brief.margin_mm, padding=0 if brief.margin_mm else 4
    )
    house = _HOUSE.format(text=fonts.text, hand=fonts.hand)
    page = tree.html or ""
    page = page.replace("<head>", f'<head><meta charset="utf-8"><style>{base}</style>', 1)
    page = page.replace("</body>", f"<style>{house}</style></body>", 1)
    return HtmlDocument(
        html=page,
        page=brief.page,
        type=spec.type,
        language=spec.language,
        family=f"{spec.type}/model",
        fonts=fonts.families,
        persona=str(profile),
        schema=marked.schema,
        values=marked.values,
    )


def _description(spec: SampleSpec, content: Content) -> Steps[Description]:
    folder = content.writer.examples
    if folder is not None and spec.type in example_types(folder):
        examples = read_examples(folder, spec.type, spec.language, content.writer.vision)
        return (yield from describe(spec.type, spec.language, examples, _model(content), content.seed % 2**31))
    shipped = shipped_description(spec.type)
    if shipped is None:
        raise SampleError("no_description", STAGE, f"no description of {spec.type}, and no examples")
    return shipped


def _profile(spec: SampleSpec, content: Content) -> Profile:
    folder = content.writer.personas
    return draw_profile(spec, content.shares) if folder is None else choose_profile(spec, folder, content.shares)


def _answered(reply: LlmReply) -> str:
    """The text of an answer. SampleError "answer_too_long" if it was cut, which a repair may mend, or what ends it."""
    read = read_text(reply)
    if read.usable:
        return str(read.value)
    if read.status == "length":
        raise SampleError("answer_too_long", STAGE, f"the answer was cut after {reply.completion_tokens} tokens")
    raise SampleError(_NO_ANSWER.get(read.status, "unfinished"), STAGE, f"{read.status} {read.detail}".strip())


def _request(spec: SampleSpec, content: Content, messages: tuple[Message, ...], prompt: str) -> LlmRequest:
    settings = content.writer
    seed = spec.seed_for("write") % 2**31
    return LlmRequest(_model(content), messages, settings.max_tokens, settings.temperature, seed=seed, prompt=prompt)


def _model(content: Content) -> str:
    assert content.writer.model is not None  # the recipe says so
    return content.writer.model


def _repair(
    first: Message, answer: str, fault: Fault, sheet: ProofSheet, brief: Brief
) -> tuple[tuple[Message, ...], str]:
    """The same request again, with the answer, what is wrong with it and what its print looks like."""
    prompt = load_prompt(REPAIR)
    text = prompt.fill(reason=fault.reason, detail=fault.detail, view=sheet.view, language=brief.language)
    pictures = tuple(Image(data, sha256(data), _pixels(data), MAX_PIXELS) for data in sheet.pictures)
    messages = (first, Message("assistant", (Text(answer),)), Message("user", (*pictures, Text(text))))
    return messages, f"{brief.prompt}+{prompt.id}"


def _pixels(data: bytes) -> int:
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    return picture.shape[0] * picture.shape[1]

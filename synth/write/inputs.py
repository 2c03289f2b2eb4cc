"""What the writer that asks a model depends on: what a lock pins, and what a recipe has to name."""

from __future__ import annotations

from difflib import get_close_matches

from schemas.errors import UserError
from schemas.recipe import Content
from synth.content import data
from synth.llm.prompts import load_prompt
from synth.persona import grammar
from synth.persona.folder import profiles_of
from synth.write import brief, describe, writer
from synth.write.examples import example_types, read_examples

PROMPTS = (describe.PROMPT, brief.PROMPT, writer.REPAIR)


def input_digests() -> dict[str, str]:
    """SHA-256 of the prompts, descriptions, looks, grammars of personas and places. The user's folders are assets."""
    prompts = {f"prompts/{name}": load_prompt(name).sha256 for name in PROMPTS}
    places = {name: digest for name, digest in data.digests().items() if name.startswith("places/")}
    return {**prompts, **describe.digests(), **grammar.digests(), **places}


def check_inputs(content: Content) -> None:
    """UserError unless every type has a description or examples, and every split personas of its own."""
    folder = content.writer.examples
    own = example_types(folder) if folder is not None else []
    languages = [language for language, weight in content.languages.items() if weight]
    known = sorted({*own, *describe.shipped_types()})
    for kind, weight in content.types.items():
        if weight and kind not in known:
            close = get_close_matches(kind, known, 1)
            fix = f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}"
            raise UserError(f"no description of a {kind!r}", "content.types", f"{fix}; or name writer.examples")
        if weight and folder is not None and kind in own:
            for language in languages:
                if not read_examples(folder, kind, language, content.writer.vision):
                    fix = f"put a few of them into {folder / kind}, or into a folder {language} in it"
                    raise UserError(f"no example of {kind} for {language}", str(folder), fix)
    if content.writer.personas is not None:
        for split in content.splits:
            for language in languages:
                profiles_of(content.writer.personas, split, language, content.shares)

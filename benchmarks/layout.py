"""Prints the layout distances of all families of each type as Markdown tables (docs/layout.md holds a printout)."""

from __future__ import annotations

import sys
from statistics import median

from schemas.document import Document
from schemas.errors import SampleError
from schemas.recipe import Content
from schemas.sample import LANGUAGES, TYPES, SampleSpec
from synth.content.layout import FAMILIES_APART, family_distances
from synth.content.library import load_library
from synth.content.writer import write
from synth.render.chromium import Chromium
from synth.render.fonts import font_set
from synth.truth.labels import label


def documents_of(browser: Chromium, name: str, language: str, count: int) -> list[Document]:
    """The first `count` documents of a family that print without a fault."""
    kind = name.split("/")[0]
    content = Content.model_validate(
        {
            "name": "layout", "version": "1.0.0", "splits": {"test": 1}, "shard_size": 1, "types": [kind],
            "languages": list(LANGUAGES), "writer": {"families": [name]},
        }
    )  # fmt: skip
    library, found = load_library(), []
    for index in range(4 * count):
        spec = SampleSpec(0, "layout", "test", index, 0, kind, language, index)
        try:
            doc = write(spec, library, content)
            found.append(label(browser.print(doc), doc))
        except SampleError as error:
            print(f"{name} {language} {index}: {error}", file=sys.stderr)
        if len(found) == count:
            break
    return found


def main(count: int) -> None:
    with Chromium(font_set(tuple(LANGUAGES), ()), "auto") as browser:
        for kind in TYPES:
            names = load_library().of_type(kind)
            by_language = []
            for language in LANGUAGES:
                documents = {n.split("/")[1]: documents_of(browser, n, language, count) for n in names}
                by_language.append(family_distances(documents))
            pairs = {pair: median(d[pair] for d in by_language if pair in d) for pair in by_language[0]}
            short = [n.split("/")[1] for n in names]
            print(f"\n## {kind}\n\n| | " + " | ".join(short) + " |\n|---" * 1 + "|---" * len(short) + "|")
            for one in short:
                cells = [f"{pairs[min(one, o), max(one, o)]:.2f}" if o >= one else "" for o in short]
                print(f"| {one} | " + " | ".join(cells) + " |")
            apart = {pair: d for pair, d in pairs.items() if pair[0] != pair[1]}
            within = [d for pair, d in pairs.items() if pair[0] == pair[1]]
            nearest = min(apart, key=lambda pair: apart[pair])
            print(f"\nNearest two: {nearest[0]} and {nearest[1]}, {apart[nearest]:.3f} (stated: {FAMILIES_APART}).")
            print(f"Two documents of one family: median {median(within):.3f}, most {max(within):.3f}.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)

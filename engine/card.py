"""The dataset card: `README.md` whose YAML makes `datasets.load_dataset(path, config)` work as it is."""

from __future__ import annotations

import yaml

from actors.inventory import font_licences
from schemas.checks import LabelChecks
from schemas.recipe import Content
from schemas.release import Lock, ReleaseManifest
from schemas.tables import configs_of

_WHAT = {
    "documents": "one row a document: type, language, layout family, extraction schema, values, the PDF",
    "pages": "one row a page: the picture, its size in pixels, the scene, the OCR check",
    "words": "every word with its box, ink box, oriented quad and place in reading order",
    "characters": "grapheme clusters of the words with their boxes; a conjunct with its vowel signs is one",
    "lines": "text lines",
    "layout": "blocks with their role",
    "cells": "table cells with row, column and spans",
    "kie": "key information extraction: every shown value with its path in the schema and its key",
    "relations": "edges from keys and column heads to the words they govern",
    "qa": "questions with answers, their words and quads, evidence, and the judges' scores",
    "qa_rejections": "questions that the judges did not let pass, with their reasons",
    "rejections": "tries that were not accepted, with stage and reason",
}


def card(manifest: ReleaseManifest, lock: Lock, content: Content) -> str:
    """Markdown with a YAML head. Depends on the release alone."""
    head = {
        "pretty_name": content.name,
        "license": content.license.lower(),
        "language": sorted(content.languages),
        "tags": ["document-understanding", "key-information-extraction", "synthetic", "pageloom"],
        "size_categories": [_size_category(manifest.documents)],
        "configs": _configs(content),
    }
    yaml_head = yaml.safe_dump(head, sort_keys=False, allow_unicode=True)
    return f"---\n{yaml_head}---\n\n{_body(manifest, lock, content)}"


def _configs(content: Content) -> list[dict]:
    if content.format == "webdataset":
        return [{"config_name": "default", "data_files": _files(content, "data", "tar")}]
    return [
        {
            "config_name": name,
            "data_files": _files(content, name, "parquet"),
            **({"default": True} if name == "pages" else {}),
        }
        for name in configs_of(content)
    ]


def _files(content: Content, folder: str, suffix: str) -> list[dict]:
    used = [name for name, split in content.splits.items() if split.samples]
    return [{"split": name, "path": f"{folder}/{name}-*.{suffix}"} for name in used]


def _checked(manifest: ReleaseManifest) -> str:
    """What was checked of the labels, in a sentence or two."""
    checks = LabelChecks.of(manifest.checks)
    if not checks.words:
        return "Nothing was checked."
    faults = checks.uncontained + checks.bad_extents + checks.out_of_order
    return (
        f"{checks.words} words, of which {checks.words - checks.other_text} read the same in the PDF as on the page; "
        f"its tags bind {checks.tags_agree} to the text that the probe print binds them to, {checks.tags_disagree} to "
        f"another. {faults} faults of containment, extent or order, on paper and in the pictures."
    )


def _body(manifest: ReleaseManifest, lock: Lock, content: Content) -> str:
    cells = "\n".join(f"| {cell} | {count} |" for cell, count in sorted(manifest.cells.items()))
    splits = "\n".join(f"| {name} | {count} |" for name, count in manifest.splits.items())
    versions = "\n".join(f"- {name} {version}" for name, version in sorted(lock.versions.items()))
    fonts = "\n".join(f"- {name}: {licence}" for name, licence in font_licences(lock.fonts).items())
    tables = "\n".join(f"- `{name}`: {_WHAT[name]}" for name in configs_of(content))
    return f"""# {content.name} {content.version}

{manifest.documents} synthetic documents on {manifest.pages} pages, made by Pageloom. All persons, companies and numbers
are invented. Boxes and quads are in pixels of the page's picture, origin top left; `labels.json` names the label ids.

| split | documents |
|---|---|
{splits}

| type/language | documents |
|---|---|
{cells}

## Labels

{_checked(manifest)}

## Tables

Joined by `document_id` and `page_id`.

{tables}

## Made with

Lock `{manifest.lock}`

{versions}

Fonts that the PDFs embed, with the licence that lets them:

{fonts}
"""


def _size_category(documents: int) -> str:
    for limit, name in ((1e3, "n<1K"), (1e4, "1K<n<10K"), (1e5, "10K<n<100K"), (1e6, "100K<n<1M"), (1e7, "1M<n<10M")):
        if documents < limit:
            return name
    return "n>10M"

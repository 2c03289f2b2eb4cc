"""Characters through scenes, also partly out of sight: where the map takes their corners, within their words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schemas.document import Character, Document
from schemas.geometry import Box, quad_of
from synth.degrade.bank import SceneEntry
from synth.degrade.labels import map_document
from synth.degrade.outlines import Shot
from tests.synth.degrade.pages import printed
from tests.synth.degrade.test_labels import shots


def spelled(document: Document) -> Document:
    """The document with every word parted evenly into its letters."""
    made: list[Character] = []
    for word in document.words:
        for n, letter in enumerate(word.text):
            wide = word.box.width / len(word.text)
            x0 = word.box.x0 + n * wide
            box = Box(x0, word.box.y0, x0 + wide, word.box.y1)
            made.append(Character(len(made), word.page, word.id, letter, box, box, quad_of(box), 1))
    return replace(document, characters=tuple(made))


def check(before: Document, after: Document, shot_of: list[Shot]) -> int:
    """Assert that characters lie where the map takes them; how many of them are wholly in sight."""
    seen = 0
    for old, new in zip(before.characters, after.characters, strict=True):
        word, page, shot = after.words[new.word], before.pages[new.page], shot_of[new.page]
        u, v = (np.array([p[k] for p in old.quad]) / size for k, size in ((0, page.width), (1, page.height)))
        corners = np.stack(shot.mapper(u, v), 1)
        assert np.abs(corners - np.array(new.quad)).max() < 1e-6
        assert (new.id, new.word, new.text) == (old.id, old.word, old.text) and 0 <= new.visible <= 1
        if new.visible > 0:
            assert word.box.contains(new.box, 1e-6) and new.box.width > 0 and new.box.height > 0
            seen += new.visible == 1
    return seen


@pytest.mark.parametrize("name", ["flat_scan", "soft_curl", "one_crease"])
def test_characters_go_where_their_corners_go(entries: dict[str, SceneEntry], name: str) -> None:
    document = spelled(printed(210, 297).document)
    own = shots(entries[name], document)
    assert check(document, map_document(document, own), own) == len(document.characters) > 200


def test_words_and_lines_are_the_same_with_and_without_characters(entries: dict[str, SceneEntry]) -> None:
    document = printed(210, 297).document
    own = shots(entries["soft_curl"], document)
    assert replace(map_document(spelled(document), own), characters=()) == map_document(document, own)


def test_characters_beyond_the_picture_or_hidden_are_not_in_sight() -> None:
    document = spelled(printed(210, 297).document)
    hidden = np.zeros((1754, 1000), bool)
    hidden[:300, 300:] = True
    shot = Shot(lambda u, v: (u * 1240 - 160, v * 1754), 1000, 1754, hidden)
    after = map_document(document, [shot])
    check(document, after, [shot])
    first = after.characters[0]  # left of the picture: it says where it lies
    assert (first.visible, first.quad[1].x < 0) == (0, True)
    shares = {round(c.visible, 2) for c in after.characters}
    assert 0 in shares and 1 in shares and len(shares) > 2

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest
from fontTools.ttLib import TTFont

from schemas.errors import UserError
from synth.render.faces import covered_by_any
from synth.render.font_list import ALLOWED, COMMON
from synth.render.fonts import FontSet, font_set

TEMPLATE_MARKS = {
    "en": "0123456789 $ € £ ¥ ₹ ☐ ☑ ☒ ✓ – — ‘ ’ “ ” … • · § № % ° © ® ™ × ÷ ± → ■ □ ●",
    "zh": "0123456789 ¥ ￥ € £ $ ₹ ☐ ☑ ✓ ，。、；：？！（）《》「」【】〇 · — … 壹贰叁肆伍陆柒捌玖拾佰仟万亿圆角分整",
    "bn": "০১২৩৪৫৬৭৮৯ 0123456789 ৳ $ € £ ₹ ☐ ☑ ✓ । ॥ – — ‘ ’ “ ” ৎ ড় ঢ় য়",
}


def own_font(folder: Path, fs_type: int, name: str = "own.ttf") -> Path:
    """A user's font made from an installed one, with other licence bits."""
    source = next(f.path for f in font_set(["en"]).files if f.path.name == "Carlito-Regular.ttf")
    font = TTFont(source)
    os2: Any = font["OS/2"]
    os2.fsType = fs_type
    names: Any = font["name"]
    for record in names.names:
        if record.nameID in (1, 4, 16):
            record.string = "My Own"
    folder.mkdir(exist_ok=True)
    font.save(folder / name)
    return folder


def test_each_language_has_families_for_three_splits(fonts: FontSet) -> None:
    for language in fonts.languages:
        assert len(fonts.names(language)) >= 3
        assert fonts.names(language, "hand")
    assert pickle.loads(pickle.dumps(fonts)) == fonts
    assert all(len(digest) == 64 for digest in fonts.digests().values())
    assert all(fonts.licences().values())


@pytest.mark.parametrize("language", ["en", "zh", "bn"])
def test_all_marks_of_the_templates_can_be_drawn(language: str) -> None:
    covered = covered_by_any(font_set([language]).files)
    assert [c for c in TEMPLATE_MARKS[language] if ord(c) not in covered] == []


def test_allowed_fonts_may_be_embedded() -> None:
    every = font_set([f.language for f in ALLOWED if f.language != COMMON])
    for file in every.files:
        os2: Any = TTFont(file.path, fontNumber=0, lazy=True)["OS/2"]
        assert os2.fsType & 0x20F in (0, 4, 8), file.path.name


def test_a_language_without_its_fonts_names_the_package(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"apt-get install .*fonts-noto-cjk"):
        font_set(["zh"], roots=[tmp_path])
    with pytest.raises(UserError, match="no fonts are known for language 'xx'"):
        font_set(["xx"])


def test_a_users_font_is_added_to_the_languages_it_speaks(tmp_path: Path) -> None:
    found = font_set(["en", "bn"], [own_font(tmp_path / "fonts", 0)])
    assert "My Own" in found.names("en") and "My Own" not in found.names("bn")
    assert "own.ttf" in found.digests()


@pytest.mark.parametrize("fs_type", [0x0002, 0x0200])
def test_a_users_font_that_forbids_embedding_is_refused(tmp_path: Path, fs_type: int) -> None:
    with pytest.raises(UserError, match="forbid embedding") as caught:
        font_set(["en"], [own_font(tmp_path / "fonts", fs_type)])
    assert "own.ttf" in caught.value.where


def test_a_users_folder_with_faults_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such folder"):
        font_set(["en"], [tmp_path / "nowhere"])
    with pytest.raises(UserError, match="holds no ttf"):
        font_set(["en"], [tmp_path])
    (tmp_path / "bad.ttf").write_bytes(b"not a font at all")
    with pytest.raises(UserError, match="not a readable font"):
        font_set(["en"], [tmp_path])
    (tmp_path / "bad.ttf").unlink()
    shutil.copy(next(f.path for f in font_set(["en"]).files), tmp_path)
    with pytest.raises(UserError, match="already in use"):
        font_set(["en"], [tmp_path])

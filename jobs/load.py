"""Reading a recipe: every mistake is one line that says what, where and what to do."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from schemas.errors import UserError
from schemas.recipe import Recipe


def load_recipe(path: Path) -> Recipe:
    """A validated recipe; folders in it are taken relative to the file. UserError for every mistake."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError("no such recipe", str(path), "see recipes/quickstart.yaml for one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot be read: {error}", str(path), "give a UTF-8 text file") from None
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise UserError(
            f"is not YAML: {getattr(error, 'problem', error)}", where, "mend the indentation or quoting"
        ) from None
    if not isinstance(data, dict):
        raise UserError("is not a mapping", str(path), "start with `content:`")
    return recipe_of(data, path)


def recipe_of(data: dict[str, Any], path: Path) -> Recipe:
    """A recipe from parsed YAML."""
    try:
        recipe = Recipe.model_validate(data)
    except ValidationError as error:
        raise _one_line(error, path) from None
    content = recipe.content
    base = path.parent.resolve()
    writer = content.writer.model_copy(update={"folders": tuple(base / f for f in content.writer.folders)})
    fonts = content.fonts.model_copy(update={"folders": tuple(base / f for f in content.fonts.folders)})
    return recipe.model_copy(update={"content": content.model_copy(update={"writer": writer, "fonts": fonts})})


def _one_line(error: ValidationError, path: Path) -> UserError:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "[key]")
    what, fix = first["msg"].removeprefix("Value error, "), "see docs/recipe.md"
    if first["type"] == "extra_forbidden":
        what = "unknown key"
        known = _keys_at(first["loc"][:-1])
        close = get_close_matches(str(first["loc"][-1]), known, 1)
        fix = f"did you mean {close[0]}?" if close else f"known here: {', '.join(known)}"
    elif first["type"] == "missing":
        what = "is missing"
        fix = "add it"
    else:
        what = f"{what} (got {_short(first['input'])})"
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return UserError(f"{what}{more}", f"{path}: {place}", fix)


def _keys_at(location: tuple[int | str, ...]) -> list[str]:
    model: Any = Recipe
    for part in location:
        field = model.model_fields.get(str(part)) if isinstance(model, type) and issubclass(model, BaseModel) else None
        if field is None:
            values = getattr(model, "__args__", ())
            model = next((v for v in values if isinstance(v, type) and issubclass(v, BaseModel)), None)
        else:
            model = field.annotation
    return sorted(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else []


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."

"""Reading a recipe: every mistake is one line that says what, where and what to do."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from schemas.errors import UserError
from schemas.recipe import Recipe

MAX_BYTES = 1 << 20
_MEND = "mend the indentation or quoting"
# Pydantic's words for what people mistype most, in plainer ones.
_PLAINER = {
    "dict_type": "give a mapping, like {name: value}",
    "model_type": "give a mapping with its own keys",
    "string_type": "give a text; put it in quotes",
    "int_parsing": "give a whole number",
    "int_from_float": "give a whole number",
    "int_type": "give a whole number",
    "float_parsing": "give a number",
    "float_type": "give a number",
    "tuple_type": "give a list, like [one, two]",
    "path_type": "give a path as text",
    "bool_type": "give true or false",
}
_PATTERNS = {
    "content.name": "small letters, digits, `.`, `_` and `-`, at most 63, like receipts-en",
    "content.version": "three numbers in quotes, like 1.0.0",
    "content.splits": "small letters, digits and `_`, like train or test_hard",
    "content.license": "one line of at most 200 characters",
}


class _Loader(yaml.SafeLoader):
    """Safe YAML that refuses what would be lost or misread without a word: a key given twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) and key.value != "<<" else None
            if name in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {name!r} is given twice", key.start_mark)
            if name is not None:
                seen.add(name)
        return super().construct_mapping(node, deep)


def load_recipe(path: Path) -> Recipe:
    """A validated recipe; folders in it are taken relative to the file. UserError for every mistake."""
    data = _parse(path, _text(path))
    if data is None:
        raise UserError("the recipe is empty", str(path), "start with `content:`; see docs/recipe.md")
    if not isinstance(data, dict):
        kind = "a list" if isinstance(data, list) else "a single value"
        raise UserError(f"is {kind}, not a mapping", str(path), "start with `content:`; see docs/recipe.md")
    return recipe_of(data, path)


def _text(path: Path) -> str:
    try:
        if path.is_dir():
            raise UserError("is a folder", str(path), "name the recipe file in it")
        if path.stat().st_size > MAX_BYTES:
            raise UserError("is larger than 1 MiB, which no recipe is", str(path), "name the recipe file")
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UserError("no such recipe", str(path), "see recipes/quickstart.yaml for one") from None
    except UnicodeDecodeError as error:
        raise UserError(f"is not UTF-8 (byte {error.start})", str(path), "save it as UTF-8") from None
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", str(path), "name a file you may read") from None


def _parse(path: Path, text: str) -> Any:
    try:
        return yaml.load(text, _Loader)  # a subclass of the safe loader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be parsed"
        fix = "keep one of the two" if "given twice" in problem else _MEND
        raise UserError(f"is not a YAML recipe: {problem}", where, fix) from None
    except RecursionError:
        raise UserError("is nested too deeply", str(path), _MEND) from None
    except ValueError as error:  # such as a date with a thirteenth month
        raise UserError(f"is not YAML: {error}", str(path), "put the value in quotes") from None


def recipe_of(data: dict[str, Any], path: Path) -> Recipe:
    """A recipe from parsed YAML."""
    try:
        recipe = Recipe.model_validate(data)
    except ValidationError as error:
        raise _one_line(error, path) from None
    except RecursionError:
        raise UserError("holds an anchor that contains itself", str(path), "write the values out") from None
    content = recipe.content
    base = path.parent.resolve()
    named = {name: folder for name in ("examples", "personas") if (folder := getattr(content.writer, name)) is not None}
    own = {name: _beside(base, (folder,))[0] for name, folder in named.items()}
    writer = content.writer.model_copy(update={"folders": _beside(base, content.writer.folders), **own})
    fonts = content.fonts.model_copy(update={"folders": _beside(base, content.fonts.folders)})
    return recipe.model_copy(update={"content": content.model_copy(update={"writer": writer, "fonts": fonts})})


def _beside(base: Path, folders: tuple[Path, ...]) -> tuple[Path, ...]:
    return tuple(base / folder.expanduser() for folder in folders)


def _one_line(error: ValidationError, path: Path) -> UserError:
    # A mistyped key says more than the key that is missing because of it.
    first = min(error.errors(), key=lambda one: one["type"] == "missing")
    parts = [str(part) for part in first["loc"] if part != "[key]"]
    place = ".".join(parts)
    what, fix = first["msg"].removeprefix("Value error, ").replace("Input should", "it must"), "see docs/recipe.md"
    if first["type"] == "extra_forbidden":
        what = "unknown key"
        known = _keys_at(first["loc"][:-1])
        close = get_close_matches(str(first["loc"][-1]), known, 1)
        fix = f"did you mean {close[0]}?" if close else f"known here: {', '.join(known)}"
    elif first["type"] == "missing":
        what, fix = "is missing", "add it; see docs/recipe.md"
    elif first["type"] == "invalid_key":
        what, fix = "a key must be a text", "put it in quotes"
    elif first["type"] == "string_pattern_mismatch":
        what = f"cannot be {_short(first['input'])}"
        fix = f"give {next((text for name, text in _PATTERNS.items() if place.startswith(name)), 'another')}"
    elif first["type"] == "too_short":
        what, fix = "is empty", "name at least one, or leave the key out for its default"
    else:
        what = f"{_PLAINER.get(first['type'], what)} (got {_short(first['input'])})"
    count = error.error_count() - 1
    more = f" (and {count} more mistake{'s' * (count > 1)})" if count else ""
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
            if not isinstance(model, type) and type(None) in getattr(model, "__args__", ()):
                model = model.__args__[0]  # a part that may be left out
    return sorted(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else []


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."

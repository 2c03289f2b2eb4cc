"""Jinja2 for layouts: sandboxed, escaped, strict, with no way to a file outside the family and the shared parts."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined, TemplateError, TemplateSyntaxError, UndefinedError
from jinja2.exceptions import SecurityError
from jinja2.sandbox import SandboxedEnvironment

from schemas.errors import SampleError, UserError
from synth.content.data import ROOT

SHARED = ROOT / "families" / "_shared"


@lru_cache(maxsize=512)
def environment(folder: Path) -> SandboxedEnvironment:
    return SandboxedEnvironment(
        loader=FileSystemLoader([folder, SHARED]),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def check_syntax(path: Path) -> None:
    """UserError with file and line if the template does not parse."""
    try:
        environment(path.parent).parse(path.read_text(encoding="utf-8"))
    except TemplateSyntaxError as error:
        raise UserError(
            f"template does not parse: {error.message}", f"{path}:{error.lineno}", "mend the template"
        ) from None
    except UnicodeDecodeError:
        raise UserError("template is not UTF-8", str(path), "save it as UTF-8") from None


def render(folder: Path, context: dict[str, Any]) -> str:
    """The family's `template.html` with this context. SampleError for what only shows at run time."""
    try:
        return environment(folder).get_template("template.html").render(context)
    except UndefinedError as error:
        raise SampleError("undefined_value", "content", f"{folder.name}: {error.message}") from None
    except SecurityError as error:
        raise SampleError("forbidden_in_template", "content", f"{folder.name}: {error}") from None
    except TemplateError as error:
        raise SampleError("template_error", "content", f"{folder.name}: {error}") from None
    except (TypeError, ValueError, ZeroDivisionError, OverflowError, AttributeError, KeyError, RecursionError) as error:
        raise SampleError("template_error", "content", f"{folder.name}: {type(error).__name__}: {error}") from None

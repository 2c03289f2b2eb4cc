"""Where an answer stands: from a text that a model gives to the words of the page that spell it."""

from __future__ import annotations

import ast
import operator
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, DecimalException

from schemas.document import Document
from synth.ask.llm.units import Piece
from synth.ask.values import latin, number

_EDGE = " \t\n\"'“”‘’「」.,;。，；、।"
_SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
_MOST = 200  # characters of a calculation


@dataclass(frozen=True)
class Place:
    """An answer on the page: the words that spell it, and how the page writes it."""

    words: tuple[int, ...]
    text: str


def located(document: Document, pieces: Sequence[Piece], text: str) -> Place | None:
    """Where a text stands within one of these pieces, None if nowhere.

    White space, case, digits of another script and punctuation at the ends do not count; words count whole, but for
    punctuation that the page has at their ends, and for Bangla and Chinese, where an answer may end inside a word.
    """
    wanted = _tight(text.strip(_EDGE))
    if not wanted:
        return None
    # One piece, or what goes on from one to the next, as an address does.
    for words in (*(piece.words for piece in pieces), tuple(word for piece in pieces for word in piece.words)):
        found = _within(document, words, wanted)
        if found is not None:
            return Place(found, _as_printed(document.text_of(found), wanted) or text.strip(_EDGE))
    return None


def _as_printed(text: str, wanted: str) -> str | None:
    """The part of a printed text that is the wanted one."""
    for start in range(len(text)):
        if _tight(text[start:]).startswith(wanted):
            for stop in range(start + 1, len(text) + 1):
                if _tight(text[start:stop]) == wanted:
                    return text[start:stop].strip()
    return None


def _within(document: Document, words: Sequence[int], wanted: str) -> tuple[int, ...] | None:
    stream, owners = "", []
    for word in words:
        text = _tight(document.words[word].text)
        stream += text
        owners += [word] * len(text)
    at = stream.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if _whole(stream, owners, at, at - 1, -1) and _whole(stream, owners, end - 1, end, 1):
            return tuple(dict.fromkeys(owners[at:end]))
        at = stream.find(wanted, at + 1)
    return None


def _whole(stream: str, owners: Sequence[int], inner: int, outer: int, step: int) -> bool:
    """Whether the text may begin or end here: what is left of the word is punctuation, or its script has no spaces."""
    rest = ""
    while 0 <= outer < len(stream) and owners[outer] == owners[inner]:
        rest += stream[outer]
        outer += step
    if not any(c.isalnum() for c in rest):
        return not (rest and rest[0] in ".,'" and any(c.isdigit() for c in rest))
    if any("\u3000" <= c <= "\u9fff" for c in (stream[inner], rest[0])):
        return not (stream[inner].isdigit() and rest[0].isdigit())
    return step > 0 and "\u0980" <= rest[0] <= "\u09ff" and not rest[0].isdigit() and len(rest) <= 4


def calculated(expression: str, pieces: Sequence[Piece], document: Document) -> Decimal | None:
    """Value of a calculation with + - * / whose every number stands in the pieces; None if it is anything else.

    So an answer that is printed nowhere still follows from the page, and anyone can do it again.
    """
    try:
        tree = ast.parse(latin(expression).replace(",", "").strip(), mode="eval") if len(expression) <= _MOST else None
        value = _value(tree.body, _numbers(pieces, document)) if tree is not None else None
    except (SyntaxError, ValueError, DecimalException, RecursionError, MemoryError):
        return None
    return value if isinstance(tree, ast.Expression) and isinstance(tree.body, ast.BinOp) else None


def agrees(answer: str, value: Decimal) -> bool:
    """Whether an answer is a value, rounded as the answer is written."""
    written = number(answer)
    if written is None:
        return False
    return abs(written.value - value) <= Decimal(5).scaleb(-written.decimals - 1)


def _numbers(pieces: Sequence[Piece], document: Document) -> set[Decimal]:
    found: set[Decimal] = set()
    for piece in pieces:
        texts = [document.words[word].text for word in piece.words]
        texts += [document.text_of(part) for part in piece.parts]
        for text in texts:
            value = number(text.strip(_EDGE + "()（）:："))
            if value is not None:
                found.add(abs(value.value))
    return found


def _value(node: ast.AST, known: set[Decimal]) -> Decimal:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        value = Decimal(str(node.value))
        if value not in known and value != 100:  # a hundred is what makes a percentage
            raise ValueError(f"{value} is not on the page")
        return value
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        return _SIGNS[type(node.op)](_value(node.left, known), _value(node.right, known))
    raise ValueError("no plain calculation")


def _tight(text: str) -> str:
    return "".join(unicodedata.normalize("NFC", latin(text)).lower().split())

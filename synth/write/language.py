"""Is a text in the language that was asked for? By scripts, and by small words where a script is shared."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

ENOUGH = 0.5  # share of the letters that must be of the language's script
FEW_LETTERS = 30  # a text with fewer says nothing
_HAN_WEIGHT = 3  # a Han character says as much as three letters
_FOREIGN_LATIN = 0.03  # share of letters outside a-z that English does not have
_WORD = re.compile(r"[^\W\d_]+")
# Words of the closed classes, which every text of some length has; none stands in two lists.
_SMALL = {
    "en": "the of and to for by with is are on at from this that not be as or your you we our it was has have",
    "fr": "le la les des du et est une dans pour par sur avec ce cette nous vous votre au aux qui",
    "es": "el los las del y por con para una es su sus al que se lo como esta este",
    "de": "der die das und ist von mit für auf den dem ein eine nicht sie wir ihr zu bei nach",
    "pt": "os da dos das e em um uma não com ao sua seu pelo pela são",
    "it": "il gli della di che per con una sono nel alla questo dei è",
    "nl": "het een van en op te dat zijn voor niet met uw bij",
    "id": "yang dan di ini itu dengan untuk dari pada tidak adalah ke",
    "tr": "ve bir bu için ile olarak olan da",
}
_SMALL_WORDS = {language: frozenset(words.split()) for language, words in _SMALL.items()}
# Common characters that only traditional writing has: a mainland document has none of them, bar a name.
_TRADITIONAL = frozenset(
    "個們這來說對時會國學號點體無與為電話買賣價錢數據門關開問題應發單報證機場車東長書寫讀語樣貨幣銀總額處辦業務"
)
_ASSAMESE = frozenset("ৰৱ")


def wrong_language(text: str, language: str) -> str | None:
    """What shows that a text is in another language than `language` (en, zh, bn); None if nothing does."""
    letters = Counter(_script(c) for c in text if unicodedata.category(c)[0] in "LM" and not unicodedata.combining(c))
    heavy = ("Han", "Kana", "Hangul")
    weighed = {name: count * (_HAN_WEIGHT if name in heavy else 1) for name, count in letters.items()}
    if sum(weighed.values()) < FEW_LETTERS:
        return None
    wanted = {"en": "Latin", "zh": "Han", "bn": "Bengali"}[language]
    share = weighed.get(wanted, 0) / sum(weighed.values())
    if share < ENOUGH:
        most = max(weighed, key=lambda name: weighed[name])
        return f"{share:.0%} of the letters are {wanted}, most are {most}"
    return {"en": _not_english, "zh": _not_mainland, "bn": _not_bangla}[language](text)


def _not_english(text: str) -> str | None:
    words = [word.lower() for word in _WORD.findall(text)]
    letters = "".join(words)
    odd = sum(c.isalpha() and not c.isascii() for c in letters)
    small = {language: sum(word in known for word in words) for language, known in _SMALL_WORDS.items()}
    other = max((name for name in small if name != "en"), key=lambda name: small[name])
    if small[other] > small["en"] + 2:
        return f"words like those of another language ({other}): {small[other]}, of English {small['en']}"
    return f"{odd} letters that English does not have" if odd > _FOREIGN_LATIN * len(letters) + 5 else None


def _not_mainland(text: str) -> str | None:
    kana = sum(_script(c) == "Kana" for c in text)
    old = [c for c in text if c in _TRADITIONAL]
    if kana > 3:
        return f"{kana} kana: this is Japanese"
    if len(old) > 3 and len(old) > 0.01 * len(text):
        return f"traditional characters: {''.join(dict.fromkeys(old))[:12]}"
    return None


def _not_bangla(text: str) -> str | None:
    other = sum(c in _ASSAMESE for c in text)
    return f"{other} letters that Bangla does not have: this is Assamese" if other > 3 else None


def _script(c: str) -> str:
    """Script of a letter, as far as it matters here, by its Unicode name."""
    code = ord(c)
    if 0x4E00 <= code <= 0x9FFF or 0x3400 <= code <= 0x4DBF or 0x20000 <= code <= 0x3FFFF:
        return "Han"
    if 0x3040 <= code <= 0x30FF:
        return "Kana"
    name = unicodedata.name(c, "").split(" ")[0].title()
    return name or "unnamed"

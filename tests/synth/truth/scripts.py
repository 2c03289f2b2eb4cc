"""Sentences in many scripts, with what is hard in each, for the golden tests of labels."""

from __future__ import annotations

from dataclasses import dataclass

from synth.extract.sentences import SENTENCES


@dataclass(frozen=True)
class Script:
    """A sentence, the font it is set in, its direction, and its words where white space does not part them."""

    language: str
    font: str
    text: str
    direction: str = "ltr"
    words: tuple[str, ...] = ()

    @property
    def expected(self) -> list[str]:
        return list(self.words) or self.text.split()

    def html(self, style: str = "", apart: bool = False) -> str:
        """A page with the sentence in one paragraph; `apart`: white space between all words."""
        text = " ".join(self.expected) if apart else self.text
        flow = "writing-mode:vertical-rl;height:120mm;" if self.direction == "ttb" else ""
        return (
            f'<html lang="{self.language}" dir="{"rtl" if self.direction == "rtl" else "ltr"}"><style>'
            f"body{{font:15pt '{self.font}','Noto Serif';margin:15mm}}p{{{flow}{style}}}</style><p>{text}</p>"
        )


_ZH = ("天地玄黄，", "宇宙", "洪荒。", "（寒", "来", "暑", "往）", "共计", "12", "元", "整。")

SCRIPTS = (
    Script("en", "Noto Serif", SENTENCES["en"]),
    Script(
        "zh",
        "Noto Serif CJK SC",
        SENTENCES["zh"],
        words=("甲", "方", "（出租", "人）：", "北京市，", "电话", "010-6505。"),
    ),
    Script("zh", "Noto Sans CJK SC", "天地玄黄，宇宙洪荒。（寒来暑往）共计12元整。", "ttb", _ZH),
    # Conjuncts, reph, ya-phala with ZWJ, vowel signs that stand before their consonant, split vowel signs.
    Script("bn", "Noto Serif Bengali", SENTENCES["bn"]),
    Script("bn", "Lohit Bengali", "র‍্যাব কর্ম দ্বিতীয় বিজ্ঞপ্তি ক্ষুদ্র শ্রী কিংকর্তব্যবিমূঢ় কোণ মৌ ১২,৫০০"),
    Script("ar", "Noto Naskh Arabic", SENTENCES["ar"], "rtl"),
    Script("he", "Noto Serif Hebrew", SENTENCES["he"], "rtl"),
    Script("hi", "Noto Serif Devanagari", SENTENCES["hi"]),
    Script("ta", "Noto Serif Tamil", SENTENCES["ta"]),
    Script("kn", "Noto Serif Kannada", SENTENCES["kn"]),
    Script("km", "Noto Serif Khmer", SENTENCES["km"]),
    Script("ban", "Noto Sans Balinese", SENTENCES["ban"]),
    Script("su", "Noto Sans Sundanese", SENTENCES["su"]),
    Script("sa-Gran", "Noto Sans Grantha", SENTENCES["sa-Gran"]),
)

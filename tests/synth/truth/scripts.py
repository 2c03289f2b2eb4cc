"""Sentences in many scripts, with what is hard in each, for the golden tests of labels."""

from __future__ import annotations

from dataclasses import dataclass


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
    Script("en", "Noto Serif", "Affixed fixtures & effects, no. 12/b: $1,200.50 (jointly)."),
    Script(
        "zh",
        "Noto Serif CJK SC",
        "甲方（出租人）：北京市，电话010-6505。",
        words=("甲", "方", "（出租", "人）：", "北京市，", "电话", "010-6505。"),
    ),
    Script("zh", "Noto Sans CJK SC", "天地玄黄，宇宙洪荒。（寒来暑往）共计12元整。", "ttb", _ZH),
    # Conjuncts, reph, ya-phala with ZWJ, vowel signs that stand before their consonant, split vowel signs.
    Script("bn", "Noto Serif Bengali", "র‍্যাব কর্ম দ্বিতীয় বিজ্ঞপ্তি ক্ষুদ্র শ্রী কিংকর্তব্যবিমূঢ় কোণ মৌ ৳১২,৫০০"),
    Script("bn", "Lohit Bengali", "র‍্যাব কর্ম দ্বিতীয় বিজ্ঞপ্তি ক্ষুদ্র শ্রী কিংকর্তব্যবিমূঢ় কোণ মৌ ১২,৫০০"),
    Script(
        "ar", "Noto Naskh Arabic", "فاتورة رقم 2024/0157 بتاريخ ٢٣ أبريل، لا إله إلا الله والسَّلامُ 1,250.50 ريال.", "rtl"
    ),
    Script("he", "Noto Serif Hebrew", "חשבונית מס 4471 מיום 12.03.2024, סכום ש״ח. שָׁלוֹם עולם ABC-12 סוף.", "rtl"),
    Script("hi", "Noto Serif Devanagari", "चालान संख्या १२३४ क्षत्रिय ज्ञान श्री र्क्ष द्ध हिन्दी किर्ति ₹१,२५०।"),
    Script("ta", "Noto Serif Tamil", "விலைப்பட்டியல் எண் 1234 ஸ்ரீ கொள்கை கௌரவம் பொருள்."),
    Script("kn", "Noto Serif Kannada", "ಸರಕುಪಟ್ಟಿ ಸಂಖ್ಯೆ ೧೨೩೪ ರಾಷ್ಟ್ರೀಯ ಕ್ಷೇತ್ರ ಸ್ತ್ರೀ ಕರ್ನಾಟಕ."),
    Script("km", "Noto Serif Khmer", "ព្រះរាជាណាចក្រ កម្ពុជា ស្ត្រី ១២៣៤ ចំនួន"),
    Script("ban", "Noto Sans Balinese", "ᬅᬓ᭄ᬱᬭ ᬩᬮᬶ ᬒᬁ ᬰᬦ᭄ᬢᬶ ᬲ᭄ᬯᬲ᭄ᬢ᭄ᬬᬲ᭄ᬢᬸ ᭑᭒᭓᭟"),
    Script("su", "Noto Sans Sundanese", "ᮞᮥᮔ᮪ᮓ ᮃᮊ᮪ᮞᮛ ᮕᮤᮔᮥᮏᮥ ᮘᮔ᮪ᮓᮥᮀ ᮱᮲᮳"),
    Script("sa-Gran", "Noto Sans Grantha", "𑌨𑌮𑌃 𑌶𑌿𑌵𑌾𑌯 𑌶𑍍𑌰𑍀 𑌕𑍍𑌷𑌤𑍍𑌰 𑌧𑌰𑍍𑌮"),
)

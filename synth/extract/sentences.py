"""A sentence of each language with fonts, with what is hard in it for who reads text out of PDFs.

Conjuncts, reph, ya-phala with its joiner, vowel signs that stand before or around their consonant, letters that join,
vowelled Arabic with Latin and two kinds of digits, Latin ligatures.
"""

from __future__ import annotations

SENTENCES = {
    "en": "Affixed fixtures & effects, no. 12/b: $1,200.50 (jointly).",
    "zh": "甲方（出租人）：北京市，电话010-6505。",
    "bn": "র‍্যাব কর্ম দ্বিতীয় বিজ্ঞপ্তি ক্ষুদ্র শ্রী কিংকর্তব্যবিমূঢ় কোণ মৌ ৳১২,৫০০",
    "ar": "فاتورة رقم 2024/0157 بتاريخ ٢٣ أبريل، لا إله إلا الله والسَّلامُ 1,250.50 ريال.",
    "he": "חשבונית מס 4471 מיום 12.03.2024, סכום ש״ח. שָׁלוֹם עולם ABC-12 סוף.",
    "hi": "चालान संख्या १२३४ क्षत्रिय ज्ञान श्री र्क्ष द्ध हिन्दी किर्ति ₹१,२५०।",
    "ta": "விலைப்பட்டியல் எண் 1234 ஸ்ரீ கொள்கை கௌரவம் பொருள்.",
    "kn": "ಸರಕುಪಟ್ಟಿ ಸಂಖ್ಯೆ ೧೨೩೪ ರಾಷ್ಟ್ರೀಯ ಕ್ಷೇತ್ರ ಸ್ತ್ರೀ ಕರ್ನಾಟಕ.",
    "km": "ព្រះរាជាណាចក្រ កម្ពុជា ស្ត្រី ១២៣៤ ចំនួន",
    "ban": "ᬅᬓ᭄ᬱᬭ ᬩᬮᬶ ᬒᬁ ᬰᬦ᭄ᬢᬶ ᬲ᭄ᬯᬲ᭄ᬢ᭄ᬬᬲ᭄ᬢᬸ ᭑᭒᭓᭟",
    "su": "ᮞᮥᮔ᮪ᮓ ᮃᮊ᮪ᮞᮛ ᮕᮤᮔᮥᮏᮥ ᮘᮔ᮪ᮓᮥᮀ ᮱᮲᮳",
    "sa-Gran": "𑌨𑌮𑌃 𑌶𑌿𑌵𑌾𑌯 𑌶𑍍𑌰𑍀 𑌕𑍍𑌷𑌤𑍍𑌰 𑌧𑌰𑍍𑌮",
}
RIGHT_TO_LEFT = ("ar", "he")


def page_of(language: str, family: str) -> str:
    """HTML of one sentence in one family; Latin letters and digits that it lacks in Noto Serif."""
    direction = "rtl" if language in RIGHT_TO_LEFT else "ltr"
    return (
        f'<html lang="{language}" dir="{direction}"><style>'
        f"body{{font:15pt '{family}','Noto Serif';margin:15mm}}</style><p>{SENTENCES[language]}</p>"
    )

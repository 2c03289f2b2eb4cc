"""Texts in the right and the wrong language."""

from __future__ import annotations

import pytest

from synth.write.language import wrong_language
from tests.synth.render.printing import BANGLA, CHINESE, ENGLISH

RIGHT = {
    "en": ["Receipt No. 44-210 Café Zoë, São Paulo blend 250 g 12.40 Total 12.40 VISA ****2201 Thank you", "42"],
    "zh": ["购物小票 流水号 A20231104 iPhone 15 Pro Max 手机壳 USB-C 充电线 合计 ¥129.00 微信支付 谢谢惠顾"],
    "bn": ["রসিদ নং A-2291 Pran Up 250ml ২টি ৫০.০০ মোট ৫০.০০ টাকা নগদ ধন্যবাদ আবার আসবেন"],
}
WRONG = {
    "en": [
        "Facture numéro 12. Le montant total est payable dans les trente jours par virement à notre compte",
        "Rechnung Nummer 12. Der Betrag ist in 30 Tagen auf das Konto der Firma zu überweisen und nicht bar",
        "购物小票 流水号 合计 微信支付 谢谢惠顾 欢迎再次光临本店",
    ],
    "zh": [
        "Receipt number 44-210, total twelve dollars and forty cents, paid by card, thank you",
        "領収書 お買い上げありがとうございました またのご来店をお待ちしております 合計 東京都",
        "購物單據 這個電話號碼 買賣總額 銀行 業務 應付 機車 國際 學費 報關 貨幣 問題",
    ],
    "bn": [
        "রচিদ নম্বৰ ৱাৰ্ড মুঠ টকা নগদ ধন্যবাদ আকৌ আহিব আপোনাৰ দোকানৰ ঠিকনা",
        "रसीद संख्या कुल राशि नकद धन्यवाद फिर पधारें दुकान का पता",
    ],
}


@pytest.mark.parametrize("language", ["en", "zh", "bn"])
def test_documents_of_the_language_pass(language: str) -> None:
    for text in (*RIGHT[language], {"en": ENGLISH, "zh": CHINESE, "bn": BANGLA}[language].split("</style>")[1]):
        assert wrong_language(text, language) is None or "<" in text, text


@pytest.mark.parametrize("language", ["en", "zh", "bn"])
def test_other_languages_are_told_from_it(language: str) -> None:
    for text in WRONG[language]:
        assert wrong_language(text, language), text

from __future__ import annotations

import re

import pytest

from synth.content.data import ROOT, catalog, lexicon, places
from synth.content.names import SHOP_TRADES
from tests.synth.content.samples import LANGUAGES, kit


@pytest.mark.parametrize("language", LANGUAGES)
def test_five_hundred_different_label_wordings(language):
    labels = {w for key, words in lexicon(language).items() if not key.startswith("word.") for w in words}
    assert len(labels) >= 500


def test_every_label_exists_in_every_language():
    keys = {language: {key.split("@")[0] for key in lexicon(language)} for language in LANGUAGES}
    assert keys["en"] == keys["zh"] == keys["bn"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_wordings_are_texts_without_stray_space(language):
    for key, words in lexicon(language).items():
        assert len(set(words)) == len(words), key
        assert all(word == word.strip() and word for word in words), key


def test_bangla_and_chinese_labels_are_in_their_script():
    for language, low, high in (("zh", "一", "鿿"), ("bn", "ঀ", "৿")):
        words = [w for key, ws in lexicon(language).items() if not key.startswith("word.") for w in ws]
        native = [w for w in words if any(low <= c <= high for c in w)]
        assert len(native) > 0.97 * len(words)


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogues_are_full_and_prices_in_order(language):
    domains = sorted(p.stem for p in (ROOT / "catalog" / "en").glob("*.yaml"))
    total = 0
    for domain in domains:
        goods = catalog(language, domain)
        assert len({good.name for good in goods}) == len(goods), domain
        assert all(0 < good.low < good.high for good in goods), domain
        total += len(goods)
    assert total >= 300
    assert len(catalog(language, "grocery")) >= 60 and len(catalog(language, "restaurant")) >= 58
    assert set(places(language)["shops"]) == set(SHOP_TRADES)


@pytest.mark.parametrize("domain", ["grocery", "hardware", "pharmacy"])
def test_british_shops_sell_british_packs(domain):
    here, there = catalog("en", domain, "GB"), catalog("en", domain, "US")
    assert len(here) >= 30 and len({good.name for good in here}) == len(here)
    american = re.compile(r"\b(lb|oz|gal|ct|yd|ft)\b")
    assert not any(american.search(good.name.replace("16oz", "")) or good.unit == "lb" for good in here)
    assert any(american.search(good.name) for good in there) and catalog("en", domain, "BD") == there


@pytest.mark.parametrize("language", LANGUAGES)
def test_goods_of_trade_have_their_tariff_heading(language):
    goods = catalog(language, "wholesale")
    assert all(re.fullmatch(r"\d{4}\.\d\d", good.hs_code) for good in goods)
    shirts = [good.hs_code for good in goods if any(w in good.name for w in ("T-shirt", "文化衫", "টি-শার্ট"))]
    assert shirts == ["6109.10"]  # T-shirts of cotton, knitted


def test_one_wording_a_document_many_over_documents():
    first = kit("receipt", "en", 0)
    assert first.label("receipt.totals.total") == first.label("receipt.totals.total")
    assert len({kit("receipt", "en", i).label("receipt.totals.total") for i in range(40)}) > 5


def test_wordings_of_a_country_stay_there():
    tools = [kit("receipt", "en", i) for i in range(60)]
    british = {t.label("receipt.totals.tax") for t in tools if t.country == "GB"}
    american = {t.label("receipt.totals.tax") for t in tools if t.country == "US"}
    assert "Sales Tax" in american and not any("VAT" in w for w in american)
    assert any("VAT" in w for w in british) and "Sales Tax" not in british

"""Names of companies and shops, made from surnames and roots of each country."""

from __future__ import annotations

import random

from synth.content.data import places
from synth.content.persona import FAKER_LOCALES, City, draw_name, faker

_COMPANY_EN = ("{a} {trade} {form}", "{a} & {b} {form}", "{a} {trade}", "{a} and Sons {trade}", "{town} {trade} {form}")
_TRADES_EN = (
    "Supply", "Industries", "Electric", "Consulting", "Design", "Logistics", "Office Solutions", "Hardware", "Printing",
    "Landscaping", "Software", "Packaging", "Medical Supply", "Engineering", "Catering", "Media", "Plumbing", "Foods",
    "Builders", "Technologies", "Furniture", "Textiles", "Motors", "Controls", "Freight",
)  # fmt: skip
_TRADING_EN = (
    "Supply",
    "Industries",
    "Office Solutions",
    "Hardware",
    "Packaging",
    "Trading",
    "Wholesale",
    "Distribution",
)
_TRADING_ZH = ("贸易", "商贸", "实业", "办公用品", "五金", "供应链管理", "物资")
_FORMS = {"US": ("LLC", "Inc.", "Co.", "Corp."), "GB": ("Ltd", "Limited", "LLP", "& Co.")}
_COMPANY_BN = (
    "ট্রেডার্স", "এন্টারপ্রাইজ", "ইন্ডাস্ট্রিজ", "ইলেকট্রিক", "প্রিন্টার্স", "স্টিল হাউস", "ফার্নিচার", "টেক্সটাইল", "হার্ডওয়্যার", "ফুডস",
    "টেকনোলজিস", "ইঞ্জিনিয়ারিং", "স্টেশনারি", "মেশিনারিজ", "প্যাকেজিং", "বিল্ডার্স",
)  # fmt: skip

# Shop names by trade; {a} is a surname (en), a trade root (zh, bn), {town} the town.
_SHOPS: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "grocery": ("{a}'s Market", "{a} Food Mart", "{town} Fresh Market", "{a} Bros. Grocery", "Corner Pantry by {a}", "{a} Family Foods", "Green Basket {town}"),
        "restaurant": ("{a}'s Kitchen", "The {a} House", "{a}'s Diner", "Bistro {a}", "The Copper Spoon {town}", "{a} & {b} Grill", "Trattoria {a}", "Golden Wok {town}"),
        "cafe": ("{a} Coffee Roasters", "{a}'s Bakehouse", "Daily Grind {town}", "{a} & {b} Coffee", "The Little Kettle {town}"),
        "pharmacy": ("{a} Pharmacy", "{town} Drug", "{a} & {b} Chemists", "{a} Family Pharmacy", "CareFirst Pharmacy {town}"),
        "fuel": ("{a} Fuel Stop", "{town} Petro", "{a} Gas & Go", "Highway Star {town}", "{a} Service Station"),
        "hardware": ("{a} Hardware", "{a} & Sons Tools", "{town} Building Supply", "{a} Home Center", "Handy {a}"),
        "clothing": ("{a} & Co. Apparel", "{a} Outfitters", "Threads {town}", "{a} {b} Boutique", "The {a} Wardrobe"),
        "stationery": ("{a} Books & Paper", "{town} Office Depot Center", "{a} Stationers", "Ink & Page {town}"),
        "parking": ("{town} City Parking", "{a} Garage", "Central Park & Go {town}", "{town} Airport Parking"),
    },
    "zh": {
        "grocery": ("{a}超市", "{a}生活超市", "{a}便利店", "{town}{a}购物中心", "{a}生鲜", "{a}百货超市"),
        "restaurant": ("{a}酒楼", "{a}家常菜馆", "{a}饭店", "{a}川菜馆", "{a}小厨", "{a}火锅", "老{b}面馆", "{a}烧烤城"),
        "cafe": ("{a}咖啡", "{a}烘焙坊", "{a}茶饮", "{a}西饼屋"),
        "pharmacy": ("{a}大药房", "{a}药房连锁", "{town}{a}医药商店", "{a}堂大药房"),
        "fuel": ("{town}{a}加油站", "{a}石化加油站", "{a}能源加油站"),
        "hardware": ("{a}五金建材", "{a}五金店", "{a}装饰材料城", "{a}机电五金"),
        "clothing": ("{a}服饰", "{a}时装店", "{a}鞋服专卖", "{a}男装"),
        "stationery": ("{a}文具店", "{a}书店", "{a}办公用品", "{a}文化用品商店"),
        "parking": ("{town}{a}停车场", "{a}广场停车场", "{a}大厦地下车库"),
    },
    "bn": {
        "grocery": ("{a} ডিপার্টমেন্টাল স্টোর", "{a} জেনারেল স্টোর", "{a} সুপার শপ", "মেসার্স {a} স্টোর", "{a} মুদি ভান্ডার"),
        "restaurant": ("{a} হোটেল এন্ড রেস্টুরেন্ট", "{a} কাচ্চি ঘর", "{a} রেস্তোরাঁ", "{a} বিরিয়ানি হাউজ", "{a} চাইনিজ রেস্টুরেন্ট"),
        "cafe": ("{a} ক্যাফে", "{a} বেকারি এন্ড কনফেকশনারি", "{a} মিষ্টান্ন ভান্ডার", "{a} সুইটস"),
        "pharmacy": ("{a} ফার্মেসি", "{a} মেডিকেল হল", "{a} ড্রাগ হাউস", "{a} মেডিসিন কর্নার"),
        "fuel": ("{a} ফিলিং স্টেশন", "মেসার্স {a} পেট্রোল পাম্প", "{a} সিএনজি এন্ড ফিলিং স্টেশন"),
        "hardware": ("{a} হার্ডওয়্যার স্টোর", "মেসার্স {a} ট্রেডার্স", "{a} স্যানিটারি এন্ড হার্ডওয়্যার", "{a} ইলেকট্রিক স্টোর"),
        "clothing": ("{a} বস্ত্রালয়", "{a} ফ্যাশন", "{a} শাড়ি ঘর", "{a} গার্মেন্টস", "{a} ক্লথ স্টোর"),
        "stationery": ("{a} লাইব্রেরি", "{a} স্টেশনারি", "{a} বুক হাউস", "{a} পেপার হাউস"),
        "parking": ("{town} সিটি পার্কিং", "{a} প্লাজা পার্কিং", "{a} টাওয়ার কার পার্কিং"),
    },
}  # fmt: skip
SHOP_TRADES = tuple(_SHOPS["en"])


def _surname(rng: random.Random, country: str) -> str:
    source = faker(FAKER_LOCALES[country])
    source.seed_instance(rng.getrandbits(64))
    return source.last_name()


def draw_company(rng: random.Random, country: str, city: City, trading: bool = False) -> str:
    """A company; with `trading` one that sells goods to other companies."""
    if country == "CN":
        words = places("zh")
        town = city.name.removesuffix("市") if rng.random() < 0.75 else ""
        return f"{town}{rng.choice(words['trade_roots'])}{rng.choice(_TRADING_ZH if trading else words['company_trades'])}{rng.choice(words['company_forms'])}"
    if country == "BD":
        words = places("bn")
        style = 0 if trading else rng.randrange(3)
        if style == 0:
            return f"মেসার্স {rng.choice(words['trade_roots'])} {rng.choice(_COMPANY_BN[:2])}"
        form = rng.choice(("লিমিটেড", "লিঃ", "")) if style == 1 else ""
        return f"{rng.choice(words['trade_roots'])} {rng.choice(_COMPANY_BN)} {form}".strip()
    return rng.choice(_COMPANY_EN).format(
        a=_surname(rng, country),
        b=_surname(rng, country),
        town=city.name,
        trade=rng.choice(_TRADING_EN if trading else _TRADES_EN),
        form=rng.choice(_FORMS[country]),
    )


def draw_shop(rng: random.Random, country: str, city: City, trade: str) -> str:
    """A shop of a trade (see `SHOP_TRADES`). KeyError for an unknown trade."""
    language = {"CN": "zh", "BD": "bn"}.get(country, "en")
    roots = None if language == "en" else places(language)["trade_roots"]
    first = rng.choice(roots) if roots else _surname(rng, country)
    second = draw_name(rng, "CN", False)[0] if language == "zh" else _surname(rng, country)
    pattern = rng.choice(_SHOPS[language][trade])
    return pattern.format(a=first, b=second, town=city.name.removesuffix("市"))

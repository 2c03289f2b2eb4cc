"""What a receipt says: a shop, a purchase, its rows, sums that add up, and how it was paid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from synth.content.data import places
from synth.content.kit import Kit
from synth.content.sums import included_tax, share_of, times, to_step

RETAIL_TRADES = ("grocery", "hardware", "clothing", "stationery")
GENERAL_TRADES = ("grocery", "cafe", "hardware", "clothing", "stationery", "pharmacy")
_ITEM_COUNTS = {
    "restaurant": (3, 10),
    "cafe": (1, 5),
    "fuel": (1, 1),
    "parking": (1, 1),
    "clothing": (1, 5),
    "grocery": (4, 20),
}
_TAX = {  # Rates in hundredths of a percent; prices in GB and CN include tax.
    "US": (600, 625, 700, 725, 775, 825, 888, 950),
    "GB": (2000,),
    "CN": (100, 300, 600, 900, 1300),
    "BD": (500, 750, 1000, 1500),
}


@dataclass(frozen=True)
class Line:
    """One row in whole cents and thousandths."""

    name: str
    unit: str
    quantity: int
    price: int

    @property
    def amount(self) -> int:
        return times(self.price, self.quantity)


def build(kit: Kit) -> dict[str, Any]:
    """Content of a receipt of the family's trade (option `trade`)."""
    trade = kit.option("trade", "") or kit.rng.choice(GENERAL_TRADES)
    kit.tags.add(trade)
    if trade in RETAIL_TRADES:
        kit.tags.add("retail")
    if kit.option("memo", ""):
        kit.tags.add("memo")
    if kit.option("pay", "") == "card":
        kit.tags.add("card")
    merchant = _merchant(kit, trade)
    parked = kit.rng.randint(25, 480)
    lines = [_parked(kit, parked)] if trade == "parking" else _lines(kit, trade, merchant["name"])
    content: dict[str, Any] = {
        "merchant": merchant,
        "transaction": _transaction(kit, trade, sum(line.quantity for line in lines) // 1000),
        "items": [_row(kit, trade, number, line) for number, line in enumerate(lines, 1)],
    }
    totals, total = _totals(kit, trade, lines)
    content["totals"] = totals
    content["payment"] = _payment(kit, total)
    if kit.option("pay", "") == "card":
        content["card"] = {
            "merchant_id": kit.code("8%0%0%###00####" if kit.country == "CN" else "%##########"),
            "terminal_id": kit.code("########"),
            "batch": kit.code("000###"),
            "trace": kit.code("00####"),
            "entry": kit.label("word.contactless"),
        }
    if trade in ("grocery", "cafe", "clothing", "pharmacy", "fuel") and kit.chance(0.4):
        content["member"] = {
            "number": kit.code("#### #### ####" if kit.language != "zh" else "%#########"),
            "points": kit.number(total // 100 if kit.language != "bn" else total // 10000 + 1),
        }
    if trade == "parking":
        content["parking"] = _parking(kit, parked)
    content["_trade"] = trade
    return content


def _parked(kit: Kit, minutes: int) -> Line:
    """The fee by the hours begun, at a round price an hour."""
    good = kit.goods("parking", 1)[0]
    price = kit.rng.randint(good.low, good.high)
    return Line(good.name, "", 1000 * -(-minutes // 60), price - price % (100 if kit.language != "en" else 50))


def _catalogue(kit: Kit, trade: str, shop: str) -> str:
    """The catalogue that the shop sells from: a restaurant called a noodle house sells noodles."""
    if trade == "fuel" and kit.country == "GB":
        return "menus/fuel_uk"
    menus = places(kit.language)["menus"] if trade == "restaurant" else {}
    return next((menu for word, menu in menus.items() if word in shop), trade)


def _lines(kit: Kit, trade: str, shop: str) -> list[Line]:
    low, high = _ITEM_COUNTS.get(trade, (2, 9))
    rows = []
    count = kit.rng.randint(low, min(high, int(kit.option("max_items", "99"))))
    for good in kit.goods(_catalogue(kit, trade, shop), count):
        if good.unit in ("kg", "lb", "L", "gal", "公斤", "斤", "升", "কেজি", "লিটার"):
            most = 3000 if trade != "fuel" else 52000
            quantity = kit.rng.randint(200 if trade != "fuel" else 8000, most)
            quantity -= quantity % (10 if kit.language != "bn" else 250)
            quantity = max(quantity, 250)
        else:
            quantity = 1000 * kit.rng.choices((1, 2, 3, 4, 6), (60, 22, 9, 6, 3))[0]
        # Fuel is priced to the cent, without the endings that shops like.
        price = kit.rng.randint(good.low, good.high) if trade == "fuel" and kit.country != "BD" else kit.price(good)
        rows.append(Line(good.name, good.unit, quantity, price))
    return rows


def _merchant(kit: Kit, trade: str) -> dict[str, str]:
    merchant = {"name": kit.shop(trade)}
    if kit.chance(0.35):
        merchant["branch"] = {
            "en": lambda: f"Store #{kit.code('####')}",
            "zh": lambda: f"{kit.rng.choice(kit.persona.city.districts).removesuffix('区')}店",
            "bn": lambda: f"{kit.rng.choice(kit.persona.city.districts)} শাখা",
        }[kit.language]()
    address = kit.address(business=True)
    merchant["address"] = "\n".join(address.lines) if kit.chance(0.6) else address.text
    merchant["phone"] = kit.phone() if kit.chance(0.7) else kit.mobile()
    if kit.chance(0.6):
        merchant["tax_id"] = kit.tax_id()
    return merchant


def _transaction(kit: Kit, trade: str, pieces: int) -> dict[str, str]:
    opening = {"restaurant": 690, "cafe": 420, "fuel": 300, "parking": 480}.get(trade, 540)
    minute = kit.rng.randint(opening, 1310)
    number = kit.code(kit.rng.choice(("######", "####-####", "0########", "%#####", "T##-#####")))
    if kit.option("number", "") == "short":
        number = kit.code(kit.rng.choice(("%##", "%#", "@##", "#%%")))
    transaction = {"number": number, "date": kit.date(), "time": kit.clock(minute, seconds=kit.chance(0.5))}
    if kit.chance(0.7):
        transaction["cashier"] = _first_name(kit) if kit.chance(0.7) else kit.code("0##")
    if kit.chance(0.5):
        transaction["terminal"] = kit.code(kit.rng.choice(("0#", "##", "POS-##", "%")))
    if trade == "restaurant":
        transaction["table"] = kit.code(kit.rng.choice(("#%", "%", "A##"))) if kit.language != "bn" else kit.code("%")
        transaction["guests"] = kit.number(min(8, max(1, kit.rng.randint((pieces + 3) // 4, (pieces + 1) // 2))))
        transaction["order_type"] = kit.label(
            "word.takeaway" if kit.option("takeaway", "") == "yes" else "word.dine_in"
        )
    transaction["customer"] = kit.persona.name
    if trade == "fuel":
        transaction["pump"] = kit.code("0%")
        transaction["plate"] = kit.plate()
    return transaction


def _first_name(kit: Kit) -> str:
    name = kit.person()
    if kit.country == "CN":
        return name
    return name.split()[-1] if kit.country == "BD" else name.split()[0]


def _row(kit: Kit, trade: str, number: int, line: Line) -> dict[str, str]:
    row = {
        "line": kit.number(number),
        "code": kit.code("#############" if trade == "grocery" else "######"),
        "name": line.name,
        "quantity": kit.quantity(line.quantity),
        "unit_price": kit.amount(line.price),
        "amount": kit.amount(line.amount),
    }
    if line.unit:
        row["unit"] = line.unit
    if trade == "pharmacy":
        row["batch"] = kit.code("@#####")
        row["expiry"] = kit.date(kit.day(150, 900), {"CN": "yyyy-MM"}.get(kit.country, "MM/yy"))
    return row


def _totals(kit: Kit, trade: str, lines: list[Line]) -> tuple[dict[str, str], int]:
    """Printed sums and the total in cents."""
    money = kit.money if kit.chance(0.5) else kit.amount
    subtotal = sum(line.amount for line in lines)
    pieces = sum(max(1, line.quantity // 1000) if line.quantity % 1000 == 0 else 1 for line in lines)
    totals = {"item_count": kit.number(pieces), "subtotal": money(subtotal)}
    due = subtotal
    if trade not in ("fuel", "parking") and kit.chance(0.35):
        rate = kit.rng.choice((300, 500, 800, 1000, 1500))
        discount = share_of(subtotal, rate)
        totals["discount"] = money(-discount)
        due -= discount
    if trade == "restaurant" and kit.chance(0.45):
        rate = kit.rng.choice((500, 1000, 1250))
        charge = share_of(due, rate)
        totals["service_rate"], totals["service_charge"] = kit.percent(rate), money(charge)
        due += charge
    rate = kit.rng.choice(_TAX[kit.country])
    if kit.country in ("US", "BD"):
        # Most American states take no tax on medicine.
        tax = 0 if trade == "pharmacy" and kit.country == "US" else share_of(due, rate)
        due += tax
    else:
        tax = included_tax(due, rate)
        if kit.country == "CN" and kit.chance(0.75):
            tax = 0
    if tax:
        totals["tax_rate"], totals["tax"] = kit.percent(rate), money(tax)
    # Chinese shops drop the odd fen; Bangladeshi ones round to the taka.
    rounded = due - due % 10 if kit.country == "CN" else to_step(due, 100 if kit.country == "BD" else 1)
    if rounded != due:
        totals["rounding"] = money(rounded - due)
    totals["total"] = money(rounded)
    if trade not in ("fuel", "parking"):
        totals["total_in_words"] = kit.upper_amount(rounded)
    return totals, rounded


def _payment(kit: Kit, total: int) -> dict[str, str]:
    weights = {"en": (40, 52, 8), "zh": (20, 15, 65), "bn": (60, 15, 25)}[kit.language]
    kind = kit.option("pay", "") or kit.rng.choices(("cash", "card", "mobile"), weights)[0]
    method = kit.label(f"word.pay.{kind}")
    payment = {"method": method}
    if kind == "cash":
        notes = {"en": (500, 1000, 2000, 5000), "zh": (1000, 5000, 10000), "bn": (10000, 50000, 100000)}[kit.language]
        note = kit.rng.choice([n for n in notes if n <= max(total * 3, notes[0])])
        given = -(-total // note) * note
        payment["tendered"] = kit.amount(given)
        payment["change"] = kit.amount(given - total)
    elif kind == "card":
        payment["card_number"] = kit.code(
            kit.rng.choice(
                ("************####", "XXXX XXXX XXXX ####", "**** ####", f"{_first_digits(kit, method)}******####")
            )
        )
        payment["auth_code"] = kit.code("######")
    else:
        payment["reference"] = kit.code("4200##########" if kit.language == "zh" else "@@#@####@#")
    return payment


def _first_digits(kit: Kit, method: str) -> str:
    """The first six places of a card's number, as its brand has them."""
    if kit.country == "CN":
        return "62####"
    brands = (("VISA", "4#####"), ("ভিসা", "4#####"), ("Master", "5%####"), ("মাস্টার", "5%####"), ("AMEX", "37####"))
    return next((digits for word, digits in brands if word in method), "4#####")


def _parking(kit: Kit, minutes: int) -> dict[str, str]:
    start = kit.rng.randint(420, 900)
    hours, rest = divmod(minutes, 60)
    duration = {
        "en": f"{hours}h {rest:02d}m",
        "zh": f"{hours}小时{rest}分钟",
        "bn": f"{hours} ঘণ্টা {rest} মিনিট",
    }[kit.language]
    return {
        "ticket": kit.code("P-#####"),
        "plate": kit.plate(),
        "level": kit.code("B%") if kit.language != "bn" else kit.code("L-%"),
        "entry": f"{kit.date()} {kit.clock(start)}",
        "exit": f"{kit.date()} {kit.clock(start + minutes)}",
        "duration": kit.digits(duration),
    }

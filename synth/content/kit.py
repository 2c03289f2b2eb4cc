"""What a content model works with: the sample's draws, its persona, one wording per label, and its locale's formats."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemas.errors import SampleError
from schemas.sample import SampleSpec
from synth.content import amounts, formats
from synth.content.data import Good, catalog, lexicon, places
from synth.content.names import draw_company, draw_shop
from synth.content.persona import City, Persona, draw_city, draw_name, owned

FIRST_DAY = dt.date(2019, 1, 2)
DAYS = 2600
_SYMBOLS = {"US": "$", "GB": "£", "CN": "¥", "BD": "৳"}
CURRENCIES = {"US": "USD", "GB": "GBP", "CN": "CNY", "BD": "BDT"}


@dataclass(frozen=True)
class Address:
    """A postal address; `lines` as on a letter, `text` on one line."""

    lines: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class BankAccount:
    """`routing` is a routing number, sort code, 联行号 or branch with routing number, by country."""

    bank: str
    branch: str
    number: str
    routing: str


class Kit:
    """Draws for one document. `today` is the document's day; money is in whole cents everywhere.

    Wordings and styles are drawn by name, not from a stream, so that asking for one more label moves no other draw.
    """

    def __init__(
        self, spec: SampleSpec, persona: Persona, options: Mapping[str, str], shares: Mapping[str, float]
    ) -> None:
        self.spec = spec
        self.language = spec.language
        self.persona = persona
        self.country = persona.city.country
        self.options = options
        self.tags = {self.country}
        self.rng = spec.rng("content")
        self.today = FIRST_DAY + dt.timedelta(days=self.rng.randrange(DAYS))
        self._shares = shares
        self._date_style = self._style("date", formats.DATE_STYLES[self.country])
        self._clock_style = self._style("clock", ("12", "24") if self.country in ("US", "BD") else ("24",))
        self._symbol_style = self._style(
            "symbol", ("tight", "tight", "code") if self.language == "en" else ("tight", "spaced")
        )

    def _style(self, name: str, choices: Sequence[str]) -> str:
        return self.spec.rng(f"style:{name}").choice(choices)

    def option(self, name: str, default: str) -> str:
        """An option the family drew for this document, such as its trade."""
        return self.options.get(name, default)

    # Wordings

    def _wordings(self, key: str) -> list[str]:
        words = lexicon(self.language)
        return [w for name in (key, *(f"{key}@{tag}" for tag in sorted(self.tags))) for w in words.get(name, ())]

    def has_label(self, key: str) -> bool:
        return bool(self._wordings(key))

    def label(self, key: str) -> str:
        """The wording of a semantic key in this document, such as `receipt.total`; SampleError for an unknown key.

        Wordings under `key@tag` are in the draw where the tag holds: the country, the trade, the kind of document.
        """
        wordings = self._wordings(key)
        if not wordings:
            raise SampleError("no_wording", "content", f"lexicon {self.language} has no key {key!r}")
        return self.spec.rng(f"label:{key}").choice(wordings)

    # Chance

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def code(self, pattern: str) -> str:
        """`#` becomes a digit, `@` a letter, `%` a digit above 0; digits of the language unless letters stand by."""
        letters = "ABCDEFGHJKLMNPQRSTUVWXYZ"
        draw = {"#": "0123456789", "%": "123456789", "@": letters}
        text = "".join(self.rng.choice(draw[c]) if c in draw else c for c in pattern)
        return text if any(c.isascii() and c.isalpha() for c in text) else self.digits(text)

    def digits(self, text: str) -> str:
        """Bangla digits where the language has its own."""
        return formats.bangla_digits(text) if self.language == "bn" else text

    # Numbers, money, time

    def number(self, value: int) -> str:
        return self.digits(formats.grouped(value, self.language == "bn"))

    def quantity(self, thousandths: int) -> str:
        return formats.quantity(thousandths, self.language)

    def percent(self, basis_points: int) -> str:
        return formats.percent(basis_points, self.language)

    def amount(self, cents: int) -> str:
        """Amount without currency."""
        return formats.amount(cents, self.language)

    def money(self, cents: int) -> str:
        """Amount with the currency, in one style over the whole document."""
        text = formats.amount(abs(cents), self.language)
        sign = "-" if cents < 0 else ""
        symbol = _SYMBOLS[self.country]
        if self._symbol_style == "spaced":
            return f"{sign}{symbol} {text}"
        return f"{sign}{symbol}{text}"

    @property
    def currency(self) -> str:
        return CURRENCIES[self.country]

    @property
    def symbol(self) -> str:
        return _SYMBOLS[self.country]

    def upper_amount(self, cents: int) -> str:
        """The amount in words: Chinese capitals, Bangla or English words."""
        if self.country == "CN":
            return amounts.chinese_capital(cents)
        if self.country == "BD":
            return amounts.bangla_amount(cents)
        unit, subunit = ("Dollars", "/100") if self.country == "US" else ("Pounds", "Pence")
        return amounts.english_amount(cents, unit, subunit)

    def date(self, day: dt.date | None = None, style: str | None = None) -> str:
        """Date in the document's style; `style` may be `long` or a CLDR pattern."""
        pattern = formats.LONG_DATE[self.country] if style == "long" else style or self._date_style
        return formats.date(day or self.today, self.country, pattern)

    def day(self, low: int, high: int) -> dt.date:
        """A day between `low` and `high` days after the document's."""
        return self.today + dt.timedelta(days=self.rng.randint(low, high))

    def clock(self, minute: int, seconds: bool = False) -> str:
        second = self.rng.randrange(60) if seconds else None
        return formats.clock(minute, second, self._clock_style, self.language)

    # People, places, papers

    def person(self, female: bool | None = None) -> str:
        """A full name that no other split uses."""
        female = self.chance(0.5) if female is None else female
        return owned(lambda: draw_name(self.rng, self.country, female), self.spec.split, self._shares)

    def company(self, city: City | None = None, trading: bool = False) -> str:
        """A company that no other split uses; with `trading` one that sells goods."""
        place = city or self.persona.city
        return owned(lambda: draw_company(self.rng, self.country, place, trading), self.spec.split, self._shares)

    def shop(self, trade: str, city: City | None = None) -> str:
        place = city or self.persona.city
        return owned(lambda: draw_shop(self.rng, self.country, place, trade), self.spec.split, self._shares)

    def city(self) -> City:
        """Another town of the same country."""
        return draw_city(self.rng, self.language, self.country)

    def address(self, city: City | None = None, business: bool = False) -> Address:
        place, words, rng = city or self.persona.city, places(self.language), self.rng
        street, postcode = rng.choice(words["streets"]), self.code(place.postcode)
        if self.country == "CN":
            head = f"{place.region}{place.name}{rng.choice(place.districts)}"
            tail = f"{street}{rng.randint(1, 899)}号"
            if business:
                tail += rng.choice(("", "", f"{rng.randint(1, 9)}幢", f"{rng.randint(3, 28)}楼"))
            else:
                tail += (
                    f"{rng.choice(words['compounds'])}{rng.randint(1, 30)}幢{rng.randint(1, 28)}0{rng.randint(1, 4)}室"
                )
            return Address((head, tail), head + tail)
        if self.country == "BD":
            house = self.digits(f"{rng.randint(1, 220)}")
            lane = self.digits(f"{rng.randint(1, 32)}")
            first = rng.choice((f"{house}, {street}", f"বাড়ি নং {house}, রোড {lane}", f"হোল্ডিং {house}, {street}"))
            second = f"{rng.choice(place.districts)}, {place.name}-{postcode}"
            return Address((first, second), f"{first}, {second}")
        number = rng.randint(1, 260) if self.country == "GB" else rng.randint(12, 9899)
        first = f"{number} {street} {rng.choice(words['street_kinds'][self.country])}"
        if rng.random() < 0.3:
            units = words["offices" if business else "units"][self.country]
            first = f"{first}, {rng.choice(units)} {rng.randint(1, 48)}"
        if self.country == "US":
            last = f"{place.name}, {place.region} {postcode}"
            return Address((first, last), f"{first}, {last}")
        return Address((first, place.name, postcode), f"{first}, {place.name} {postcode}")

    def phone(self, city: City | None = None) -> str:
        """A land line of the town."""
        pattern = (city or self.persona.city).phone
        if self.country in ("US", "GB"):
            return self.code(pattern)
        return self.code(f"{pattern}-{'%#######' if self.country == 'CN' else '%######'}")

    def mobile(self) -> str:
        if self.country == "US":
            return self.code(self.persona.city.phone)
        if self.country == "GB":
            return self.code("07700 900###")
        return self.code(f"{self.rng.choice(places(self.language)['mobile'])}########"[:11].ljust(11, "#"))

    def email(self, name: str = "") -> str:
        """An address below the reserved top-level domain .example; Latin letters in every language."""
        letters = "".join(c.lower() if c.isascii() and c.isalpha() else " " for c in name)
        words = [word for word in letters.split() if len(word) > 2]
        host = self.rng.choice(("citymail", "postbox", "webpost", "brightmail", "inbox", "mailhub", "netpost"))
        if not words:
            stem = self.rng.choice(("info", "office", "sales", "accounts", "service", "contact"))
            return f"{stem}{self.rng.randint(10, 999)}@{host}.example"
        if len(words) > 1 and self.chance(0.5):
            return f"{words[0]}{self.rng.choice(('.', '_', ''))}{words[1]}@{host}.example"
        return f"{self.rng.choice(('info', 'office', 'billing', 'hello'))}@{''.join(words[:2])[:16]}.example"

    def tax_id(self) -> str:
        """EIN, VAT number, 统一社会信用代码 or BIN."""
        pattern = {"US": "##-#######", "GB": "GB ### #### ##", "CN": "91%#####MA%####@##"[:18], "BD": "00%######-0%0#"}
        return self.code(pattern[self.country])

    def plate(self) -> str:
        """A vehicle's registration as the country writes it."""
        if self.country == "CN":
            city = self.persona.city
            return places("zh")["plates"][city.region or city.name] + self.code("@·%@###")
        if self.country == "BD":
            return f"{self.persona.city.name} মেট্রো-{self.rng.choice('কখগঘচ')} {self.code('%#-####')}"
        return self.code("@@@ ####" if self.country == "US" else "@@## @@@")

    def bank_account(self, city: City | None = None) -> BankAccount:
        place, rng = city or self.persona.city, self.rng
        bank = rng.choice(
            places(self.language)["banks"][self.country] if self.language == "en" else places(self.language)["banks"]
        )
        if self.country == "CN":
            branch = f"{bank}{place.name.removesuffix('市')}{rng.choice(place.districts).removesuffix('区')}支行"
            return BankAccount(bank, branch, self.code("62###############"), self.code("%###########"))
        if self.country == "BD":
            return BankAccount(
                bank, f"{rng.choice(place.districts)} শাখা", self.code("%############"), self.code("%########")
            )
        if self.country == "US":
            return BankAccount(bank, f"{place.name} Branch", self.code("%#########"), self.code("0########"))
        return BankAccount(bank, f"{place.name} Branch", self.code("########"), self.code("##-##-##"))

    # Goods

    def goods(self, domain: str, count: int) -> list[Good]:
        """Different goods of a domain."""
        stock = catalog(self.language, domain, self.country)
        return self.rng.sample(stock, min(count, len(stock)))

    def price(self, good: Good) -> int:
        """A price in cents with endings usual in the country."""
        endings = {"US": (99, 49, 9, 95, 50), "GB": (99, 50, 95, 0, 25), "CN": (0, 50, 80, 90, 0), "BD": (0, 0, 0, 50)}
        cents = good.price(self.rng, endings[self.country])
        return max(100, round(cents, -2)) if self.country == "BD" and cents > 5000 else cents

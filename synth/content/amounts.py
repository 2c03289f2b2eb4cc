"""Amounts in words: English, Chinese capitals (人民币大写) and Bangla taka. Amounts are whole cents."""

from __future__ import annotations

from synth.content.data import places

_ONES = (
    "Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve",
    "Thirteen", "Fourteen", "Fifteen", "Sixteen", "Seventeen", "Eighteen", "Nineteen",
)  # fmt: skip
_TENS = ("Zero", "Ten", "Twenty", "Thirty", "Forty", "Fifty", "Sixty", "Seventy", "Eighty", "Ninety")
_SCALES = ((10**9, "Billion"), (10**6, "Million"), (1000, "Thousand"), (100, "Hundred"))

_CAPITALS = "零壹贰叁肆伍陆柒捌玖"
_PLACES = ("", "拾", "佰", "仟")
_GROUPS = ("", "万", "亿")

_BANGLA_SCALES = ((10**7, "কোটি"), (10**5, "লক্ষ"), (1000, "হাজার"), (100, "শত"))


def english_number(number: int) -> str:
    """Whole number in English words, `One Hundred Forty-Two`; 0 or more, below a trillion."""
    for size, name in _SCALES:
        if number >= size:
            high, low = divmod(number, size)
            return f"{english_number(high)} {name}" + (f" {english_number(low)}" if low else "")
    if number < 20:
        return _ONES[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")


def english_amount(cents: int, unit: str, subunit: str) -> str:
    """Amount as on a cheque: `One Hundred Forty-Two Dollars and 50/100`, or with pence in words."""
    whole, part = divmod(cents, 100)
    unit = unit if whole != 1 else unit.removesuffix("s")
    if subunit == "/100":
        return f"{english_number(whole)} {unit} and {part:02d}/100"
    tail = f" and {english_number(part)} {subunit}" if part else ""
    return f"{english_number(whole)} {unit}{tail} Only"


def chinese_capital(cents: int) -> str:
    """Amount in Chinese capitals as law asks on 发票: `壹仟零伍拾元叁角整`. 0 or more, below 10^12 yuan."""
    whole, part = divmod(cents, 100)
    jiao, fen = divmod(part, 10)
    text = f"{_capital_integer(whole)}元" if whole else ""
    if not part:
        return (text or "零元") + "整"
    if jiao:
        text += f"{_CAPITALS[jiao]}角"
    elif whole:
        text += "零"
    return text + (f"{_CAPITALS[fen]}分" if fen else "整")


def _capital_integer(number: int) -> str:
    digits = str(number)
    text, gap = "", False
    for position, digit in enumerate(digits):
        place = len(digits) - position - 1
        if digit == "0":
            gap = True
        else:
            text += ("零" if gap and text else "") + _CAPITALS[int(digit)] + _PLACES[place % 4]
            gap = False
        group_is_empty = not int(digits[max(0, position - 3) : position + 1])
        if place and place % 4 == 0 and not group_is_empty:
            text += _GROUPS[place // 4]
    return text


def bangla_number(number: int) -> str:
    """Whole number in Bangla words with lakh and crore."""
    for size, name in _BANGLA_SCALES:
        if number >= size:
            high, low = divmod(number, size)
            return f"{bangla_number(high)} {name}" + (f" {bangla_number(low)}" if low else "")
    return places("bn")["numbers"][number]


def bangla_amount(cents: int) -> str:
    """`এক হাজার দুই শত টাকা পঞ্চাশ পয়সা মাত্র`."""
    whole, part = divmod(cents, 100)
    return f"{bangla_number(whole)} টাকা" + (f" {bangla_number(part)} পয়সা" if part else "") + " মাত্র"

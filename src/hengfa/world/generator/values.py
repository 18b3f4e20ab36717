"""Days, amounts, codes and ways to reach somebody, as the tables write them (legalagentbench.md 2).

Codes are in valid form and of no real owner. Credit codes follow GB 32100-2015, the organisation
code inside them GB 11714-1997, registration numbers the check of ISO 7064 (MOD 11, 10). Area codes
0110 to 0199 and mobile numbers that begin with 154 are, to our knowledge, not assigned; mail and
web addresses end in the reserved ``.example`` (RFC 2606).
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from hengfa.world.generator.dice import Dice

STANDSTILL: Final = date(2024, 1, 1)
"""The world ends here: nothing in it is younger, and its law is that in force on this day."""

CASE_YEARS: Final = (2019, 2019, 2019, 2020, 2020, 2020, 2020, 2021, 2021)
"""The years of case numbers, in the proportion of the observed judgments."""


def day_between(dice: Dice, first: date, last: date) -> date:
    """A day between two days, both included."""
    return first + timedelta(days=dice.between(0, (last - first).days))


def in_year(dice: Dice, year: int) -> date:
    return day_between(dice, date(year, 1, 2), date(year, 12, 28))


def later(dice: Dice, day: date, fewest: int, most: int) -> date:
    """Some days after ``day``, at least one, and not after the world's end."""
    return min(day + timedelta(days=dice.between(fewest, most)), STANDSTILL)


_WAN = 10_000
_YI = 100_000_000


def amount_in_cents(dice: Dice, median: float, deviation: float) -> int:
    """A log-normal amount of yuan, in cents: whole yuan, round thousands, or to the cent."""
    yuan = int(dice.lognormal(median, deviation)) + 1
    style = dice.below(10)
    if style < 3 and yuan > 3_000:
        return yuan // 1_000 * 100_000
    if style < 7:
        return yuan * 100
    return yuan * 100 + dice.below(100)


def as_number(cents: int) -> int | float:
    """Whole yuan are an int, others a float, as in the tables of enforcement."""
    return cents / 100 if cents % 100 else cents // 100


def plain(cents: int) -> str:
    """For running text: 1234元 is 1234, 1234.50元 is 1234.5."""
    whole, rest = divmod(cents, 100)
    return str(whole) if not rest else f"{whole}.{rest:02d}".rstrip("0")


def invested(yuan: int) -> str:
    """As SubCompanyInfo writes it: 43.48万, 9000.00万, 2.62亿; small sums without a unit."""
    if yuan < _WAN:
        return str(yuan)
    unit, name = (_YI, "亿") if yuan >= _YI else (_WAN, "万")
    hundredths = yuan * 100 // unit
    return f"{hundredths // 100}.{hundredths % 100:02d}{name}"


def capital(wan_hundredths: int) -> str:
    """As the registers write it, always in 万 and without needless zeros: 1000万, 305.42万."""
    return f"{plain(wan_hundredths)}万"


# --- codes, and ways to reach somebody ---

LETTERS: Final = "0123456789ABCDEFGHJKLMNPQRTUWXY"
"""The 31 characters of a credit code: no I, O, S, V, Z."""

COMPANY: Final = "91"
LAW_FIRM: Final = "31"
_MAIL_DOMAINS: Final = ("hu.example", "yuehu.example", "post.example")
_ORGANISATION_WEIGHTS: Final = (3, 7, 9, 10, 5, 8, 4, 2)
_NEW: Final = "MA"


def organisation_code(number: int, *, new: bool) -> str:
    """Eight characters and their check; ``new`` ones, since late 2015, begin with MA."""
    digits = (LETTERS[number // 31**place % 31] for place in reversed(range(6)))
    body = f"{_NEW}{''.join(digits)}" if new else f"{number:08d}"
    pairs = zip(_ORGANISATION_WEIGHTS, body, strict=True)
    total = sum(weight * int(letter, 36) for weight, letter in pairs)
    check = (11 - total % 11) % 11
    return body + ("X" if check == 10 else str(check))


def credit_code(kind: str, division: int, organisation: str) -> str:
    """``kind`` (:data:`COMPANY`, :data:`LAW_FIRM`), where registered, the organisation code."""
    body = f"{kind}{division:06d}{organisation}"
    return body + credit_check(body)


def credit_check(body: str) -> str:
    """The eighteenth character to seventeen: weights are the powers of 3 modulo 31."""
    total = sum(pow(3, place, 31) * LETTERS.index(letter) for place, letter in enumerate(body))
    return LETTERS[(31 - total % 31) % 31]


def registration_number(division: int, number: int) -> str:
    """Six digits of the division, eight of the company, one to check."""
    body = f"{division:06d}{number:08d}"
    return body + registration_check(body)


def registration_check(body: str) -> str:
    product = 10
    for digit in body:
        product = (product + int(digit)) % 10 or 10
        product = product * 2 % 11
    return str((11 - product) % 10)


def phone(dice: Dice, city: int) -> str:
    return f"01{10 + city % 90}-{dice.between(2_000_000, 89_999_999)}"


def mobile(dice: Dice) -> str:
    return f"154{dice.below(10**8):08d}"


def mail(dice: Dice, user: str) -> str:
    return f"{user.lower()}{dice.below(1000)}@{dice.pick(_MAIL_DOMAINS)}"

"""Numbers with check digits, and ways to reach somebody, in valid form and of no real owner.

Credit codes follow GB 32100-2015, the organisation code inside them GB 11714-1997, registration
numbers the check of ISO 7064 (MOD 11, 10). Area codes 0110 to 0199 and mobile numbers that begin
with 154 are, to our knowledge, not assigned; mail and web addresses end in the reserved
``.example`` (RFC 2606).
"""

from __future__ import annotations

from typing import Final

from hengfa.world.generator.dice import Dice

LETTERS: Final = "0123456789ABCDEFGHJKLMNPQRTUWXY"
"""The 31 characters of a credit code: no I, O, S, V, Z."""

COMPANY: Final = "91"
LAW_FIRM: Final = "31"
MAIL_DOMAINS: Final = ("hu.example", "yuehu.example", "post.example")
_ORGANISATION_WEIGHTS: Final = (3, 7, 9, 10, 5, 8, 4, 2)
_NEW: Final = "MA"


def organisation_code(number: int, *, new: bool) -> str:
    """Eight characters and their check; ``new`` ones, since late 2015, begin with MA."""
    body = f"{number:08d}" if not new else _NEW + _base31(number, 6)
    total = sum(
        weight * int(letter, 36) for weight, letter in zip(_ORGANISATION_WEIGHTS, body, strict=True)
    )
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
    """A telephone in a city, by the city's area code."""
    return f"{area_code(city)}-{dice.between(2_000_000, 89_999_999)}"


def mobile(dice: Dice) -> str:
    return f"154{dice.below(10**8):08d}"


def area_code(city: int) -> str:
    return f"01{10 + city % 90}"


def mail(dice: Dice, user: str) -> str:
    """An address at a provider: a person's or company's letters and some digits."""
    return f"{user.lower()}{dice.below(1000)}@{dice.pick(MAIL_DOMAINS)}"


def _base31(number: int, length: int) -> str:
    letters = []
    for _ in range(length):
        number, rest = divmod(number, 31)
        letters.append(LETTERS[rest])
    return "".join(reversed(letters))

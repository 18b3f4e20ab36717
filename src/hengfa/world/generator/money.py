"""Amounts: how large they are, and the ways in which the tables write them (spec, section 2)."""

from __future__ import annotations

from hengfa.world.generator.dice import Dice

WAN = 10_000
YI = 100_000_000


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
    if yuan < WAN:
        return str(yuan)
    unit, name = (YI, "亿") if yuan >= YI else (WAN, "万")
    hundredths = yuan * 100 // unit
    return f"{hundredths // 100}.{hundredths % 100:02d}{name}"


def capital(wan_hundredths: int) -> str:
    """As the registers write it, always in 万 and without needless zeros: 1000万, 305.42万."""
    whole, rest = divmod(wan_hundredths, 100)
    return f"{whole}万" if not rest else f"{whole}.{rest:02d}".rstrip("0") + "万"

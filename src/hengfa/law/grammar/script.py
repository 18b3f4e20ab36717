"""Traditional and simplified characters as one script: 第五百七十七條 is 第五百七十七条.

Character by character, so that everything stays at its place.
"""

from __future__ import annotations

import re
from functools import cache

# The Chinese characters that are in use, with the first extension
_HANZI = range(0x3400, 0xA000)


def simplified(text: str) -> str:
    """The text with every traditional character in its simplified form; as long as before."""
    table, traditional = _table()
    return traditional.sub(lambda run: run[0].translate(table), text)


@cache
def _table() -> tuple[dict[int, str], re.Pattern[str]]:
    """What each traditional character comes to, and an expression for runs of them."""
    import opencc  # noqa: PLC0415 - loads its dictionaries

    written = [chr(code) for code in _HANZI]
    converted = opencc.OpenCC("t2s").convert("\n".join(written)).split("\n")
    pairs = zip(written, converted, strict=True)
    table = {ord(one): other for one, other in pairs if one != other and len(other) == 1}
    return table, re.compile(f"[{''.join(map(chr, table))}]++")

"""Charges as the published evaluator reads them (judgment spec 5).

The list of charges and the short forms that stand for some of them belong to the data; a name is
made one of that list, or dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final, TypeAlias

from hengfa.law.judgment.charges import Charges

Canonical: TypeAlias = Callable[[str], str | None]

# The number of an item: "一、", "十二、", "（三）"; not "1、", "（3）"
_ITEM: Final = re.compile("[一二三四五六七八九十]{1,3}、|（[一二三四五六七八九十]{1,3}）")
_CLAUSE: Final = re.compile("[；。]")
# What somebody is guilty of: "盗窃罪" in "犯盗窃罪"; not "罪" in "犯罪"
_GUILTY_OF: Final = re.compile("犯([^罪犯，。；《》（）]+罪)")
_REVOKED, _CONVICT = "撤销", "罪犯"
_SLIPS: Final = ("有", "的", "了")


def official_charges(
    judgment: str, document: str, canonical: Canonical, *, whole_document: bool = True
) -> frozenset[str]:
    """The charges of a judgment; where it names none, those of the whole document (Q4).

    A name that is in no list is a name: it keeps the document from being looked at.
    """
    written = charges_by_item(judgment)
    if not written and whole_document:
        written = charges_by_item(document)
    return named(written, canonical)


def named(written: Iterable[str], canonical: Canonical) -> frozenset[str]:
    """The listed names of some charges."""
    return frozenset(name for one in set(written) if (name := canonical(one)) is not None)


def charges_by_item(text: str) -> set[str]:
    """The names as they are written, item by item, without what stands behind 撤销."""
    pieces = _ITEM.split(text)
    if len(pieces) == 1:
        pieces = _CLAUSE.split(text)
    return {name for piece in pieces for name in guilty_of(piece.partition(_REVOKED)[0])}


def guilty_of(text: str) -> list[str]:
    """What follows 犯 up to 罪; 罪犯 itself is a person."""
    return _GUILTY_OF.findall(text.replace(_CONVICT, ""))


def canonical_names(charges: Charges) -> Canonical:
    """Name as written to name in the list; None if none is near."""

    @lru_cache(maxsize=65536)
    def canonical(written: str) -> str | None:
        name = written.replace(" ", "")
        return charges.find(name[1:] if name.startswith(_SLIPS) else name)

    return canonical

"""Numbered parts that belong together, 第十条第一款、第二款和第十二条, each written out in full."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from hengfa.law.citation_model import LEVELS, Level, Position, Relative
from hengfa.law.citation_tokens import Join, Number, Token

_Joined: TypeAlias = Join | Literal["below"]

_MAX_GAP: Final = 60

# What may stand between two members of a list: "、", "，以及", "的规定和"; not "，并处", "规定"
_CONNECTOR: Final = re.compile(
    r" ?(?:[（(](?![原现])[^（()）。\n]{1,40}[)）])?(?:[的之]?(?:规定|情形|行为))?"
    r"(?:[、,;；] ?(?:以及|及|和|与|或者|或|并)?|以及|及其|及|和|与|或者|或) ?(?:同条|该条|其)?"
)
# "至" in 第十条至第十二条; not "到期"
_UNTIL: Final = re.compile(r" ?(?:至|到|-|—{1,2}|~|～) ?")

_RANK: Final = {level: rank for rank, level in enumerate(LEVELS)}


@dataclass(slots=True)
class Element:
    """A position written out, before anyone knows the law."""

    position: Position
    start: int
    end: int
    until: Position | None = None
    relative: Relative | None = None


@dataclass(slots=True)
class Group:
    """The positions of one list in order."""

    elements: list[Element]
    start: int
    end: int
    level: Level  # of its first token: a group that opens with 款 or 项 has no article of its own
    anaphoric: bool
    loose: bool


def group(s: str, tokens: Iterable[Token]) -> Iterator[Group]:
    """Lists of positions: a token joins the one before it if only a connector is between them."""
    current: Group | None = None
    for token in tokens:
        join = _joins(s, current, token) if current else None
        if current and join:
            _extend(current, token, join)
        elif not token.trailing:
            if current:
                yield current
            current = _open(token)
    if current:
        yield current


def _open(token: Token) -> Group:
    opened = Group([], token.start, token.end, token.level, token.anaphoric, token.loose)
    if token.numbers:
        _extend(opened, token, "new")
    else:
        element = Element(Position(), token.start, token.end, relative=token.relative)
        opened.elements.append(element)
    return opened


def _joins(s: str, current: Group, token: Token) -> _Joined | None:
    """How a token belongs to the list before it, or None where it does not."""
    length = token.start - current.end
    if length > _MAX_GAP:
        return None
    last = current.elements[-1]
    if token.slip and length <= 1 and _depth(last) == 0:
        token.level, token.slip = "paragraph", False  # 第七十三条第二条款, 第七十二条第一第三款
    if length == 0 or (s[current.end : token.start] == " " and token.level != "article"):
        return _joins_directly(last, token, length)
    if token.loose or token.relative or token.anaphoric:
        return None
    gap = s[current.end : token.start]
    if gap in {"规定", "规定的"} and _RANK[token.level] > _depth(last) >= 0:
        return "below"  # 前款规定的第（一）项
    if _UNTIL.fullmatch(gap):
        return "range"
    return "list" if _CONNECTOR.fullmatch(gap) else None


def _joins_directly(last: Element, token: Token, length: int) -> _Joined | None:
    """第十条 | 第二款, 本条 | 前两款; a level that does not go down is a list without its comma."""
    depth = _depth(last)
    if token.relative or token.anaphoric:
        counted = token.relative is not None and token.relative.back > 1  # 第十条前三项
        after_relative = last.relative is not None and last.position == Position()
        below = after_relative or (counted and _RANK[token.level] > depth >= 0)
        return "below" if below and token.relative else None
    if _RANK[token.level] > depth:
        return "below"
    return "list" if length == 0 and not token.loose else None


def _depth(element: Element) -> int:
    """The rank of the deepest level that an element names."""
    position = element.until or element.position
    for level in reversed(LEVELS):
        if position.get(level) is not None:
            return _RANK[level]
    return _RANK[element.relative.level] if element.relative else -1


def _extend(current: Group, token: Token, join: _Joined) -> None:
    """Write out the positions of one more token, on top of those before it."""
    if token.relative:
        last = current.elements[-1]
        if any(last.position):  # 第二百二十五条前三项
            upper = last.until or last.position
            last.position = upper.under(token.level, 1)
            last.until = upper.under(token.level, token.relative.back)
        else:  # 本条前两款: the nearer reference says it all
            last.relative = token.relative
        last.end = current.end = token.end
        return
    for number in token.numbers:
        _add(current, token.level, number, join if number is token.numbers[0] else number.join)
    current.end = token.end


def _add(current: Group, level: Level, number: Number, how: _Joined) -> None:
    value, sub = number.value.number, number.value.sub or None
    last = current.elements[-1] if current.elements else None
    if last is None:
        position = Position().under(level, value, sub)
        current.elements.append(Element(position, number.start, number.end))
    elif how == "below":
        if last.until is not None:
            last.until = last.until.under(level, value, sub)
        else:
            last.position = last.position.under(level, value, sub)
        last.end = number.end
    elif how == "range" and last.until is None:
        last.until, last.end = last.position.under(level, value, sub), number.end
    else:
        position = (last.until or last.position).under(level, value, sub)
        relative = last.relative
        if relative and _RANK[level] <= _RANK[relative.level]:
            relative = None
        current.elements.append(Element(position, number.start, number.end, relative=relative))

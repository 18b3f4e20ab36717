"""Response to entities by type (LawBench spec 2-6)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from hengfa.suites.base import Answer, AnswerStatus, Fixes
from hengfa.suites.lawbench import fixes as fix
from hengfa.suites.lawbench.extract import END
from hengfa.suites.lawbench.vocabulary import ENTITY_TYPES

Entities = dict[str, str]
"""Entity type to its value; several entities of a type stay in one string."""

_NOTHING = frozenset({"无", "未提及"})
_NOTHING_TOO = _NOTHING | {"", "没有", "没有提及", "不详", "不明", "无信息", "无法确定"}
_NOTHING_TOO |= {"未知", "未给出", "未明确", "未提供"}
_LINE_END = re.compile("[\n ]")  # ends 黄某 in "黄某 男"; not in "黄某，男"
# Ends 黄某 in "黄某；男" and in "黄某受害人：李某"; not in "黄某、李某".
_VALUE_END = re.compile(f"[\n ;；]|{END}|(?:{'|'.join(ENTITY_TYPES)})[:：]")
_VISIBLE = re.compile(r"\S")
_SHORTEST_REST = 3


class _Value(NamedTuple):
    text: str
    end: int


def entities(fixes: Fixes) -> Callable[[str], Answer[Entities]]:
    """What follows each type's name and a colon, up to the end of the line.

    Quirks: the last value of a type wins; values run on over `;`; an ASCII blank ends one; a value
    on the next line is taken; names inside longer words count (作案时间); fewer than three
    characters after a name are no value.
    """
    end = _VALUE_END if fix.SEPARATORS in fixes else _LINE_END

    def means_something(value: str) -> bool:
        if fix.NOTHING in fixes:
            return value.rstrip("。") not in _NOTHING_TOO
        return value not in _NOTHING

    def values(response: str, kind: str) -> list[str]:
        if fix.LINES in fixes:
            everywhere = _forwards(response, kind, end)
            return list(dict.fromkeys(value for value in everywhere if means_something(value)))
        last = next(filter(means_something, _backwards(response, kind, end)), None)
        return [] if last is None else [last]

    def extract(response: str) -> Answer[Entities]:
        by_type = ((kind, values(response, kind)) for kind in ENTITY_TYPES)
        found = {kind: "、".join(texts) for kind, texts in by_type if texts}
        return Answer(found) if found else Answer(None, AnswerStatus.ABSTAINED)

    return extract


def _backwards(text: str, kind: str, end: re.Pattern[str]) -> Iterator[str]:
    """Values from the last to the first: the caller stops early, so long texts are read once."""
    at = text.rfind(kind)
    while at >= 0:
        value = _value_after(text, at + len(kind), end)
        if value is not None:
            yield value.text
        at = text.rfind(kind, 0, at)


def _forwards(text: str, kind: str, end: re.Pattern[str]) -> Iterator[str]:
    """Values from the first to the last; a name inside a value begins no other."""
    at = text.find(kind)
    while at >= 0:
        after = at + len(kind)
        value = _value_after(text, after, end)
        if value is not None:
            yield value.text
            after = max(after, value.end)
        at = text.find(kind, after)


def _value_after(text: str, name_end: int, end: re.Pattern[str]) -> _Value | None:
    if name_end > len(text) - _SHORTEST_REST or text[name_end] not in ":：":
        return None
    visible = _VISIBLE.search(text, name_end + 1)
    if visible is None:
        return _Value("", len(text))
    stop = end.search(text, visible.start())
    ends = stop.start() if stop else len(text)
    return _Value(text[visible.start() : ends].strip(), ends)

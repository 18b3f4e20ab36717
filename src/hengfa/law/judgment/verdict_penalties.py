"""What a result says somebody is sentenced to: terms, fines, findings, and what goes with them.

Each function reads the words of one kind into the sentences that they belong to. What a sentence
has already stays: a second fine repeats the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias, TypeVar, cast

from hengfa.law.judgment.document import Confiscation, PenaltyKind
from hengfa.law.judgment.fines import read_sums
from hengfa.law.judgment.terms import read_term
from hengfa.law.judgment.verdict_state import State
from hengfa.law.judgment.verdict_words import JOINTLY, ONE_TERM

_Value = TypeVar("_Value")
Handler: TypeAlias = Callable[[State, re.Match[str]], None]

_BEFORE: Final = 8
_FIXED: Final[dict[str, PenaltyKind]] = {
    "life": "无期徒刑",
    "exempt": "免予刑事处罚",
    "acquitted": "无罪",
    "not_liable": "不负刑事责任",
}
_SHARES: Final[dict[str, Confiscation]] = {"全部": "全部", "部分": "部分", "一部": "部分"}


def _term(state: State, found: re.Match[str]) -> None:
    terms = [read_term(one[0]) for one in ONE_TERM.finditer(found["term"])]
    if None in terms:
        state.remark("unread term", f"cannot be read: {found[0]}")
        return
    kind = cast("PenaltyKind", found["kind"])
    for number, draft in enumerate(state.drafts(found)):
        if draft.kind is None:
            draft.kind, draft.term = kind, _mine(terms, number)


def _term_open(state: State, found: re.Match[str]) -> None:
    if state.phase in {"own", "executed"}:
        around = state.text[found.start() : found.end() + 12]
        state.remark("unread term", f"no term can be read: {around}")


def _fixed(state: State, found: re.Match[str]) -> None:
    """Penalties and findings that have no length."""
    kind = _FIXED[cast("str", found.lastgroup)]
    for draft in state.drafts(found, alone=kind in {"无罪", "不负刑事责任"}):
        draft.kind = draft.kind or kind


def _death(state: State, found: re.Match[str]) -> None:
    for draft in state.drafts(found):
        draft.kind = draft.kind or ("死缓" if found["reprieved"] else "死刑")


def _probation(state: State, found: re.Match[str]) -> None:
    if (term := read_term(found["probation"])) is None:
        return
    for draft in state.drafts(found):
        draft.probation = draft.probation or term


def _political(state: State, found: re.Match[str]) -> None:
    for draft in state.drafts(found):
        if found["political"] == "终身":
            draft.political_for_life = True
        else:
            draft.political = draft.political or read_term(found["political"])


def _expelled(state: State, found: re.Match[str]) -> None:
    for draft in state.drafts(found):
        draft.expelled = True


def _fine(state: State, found: re.Match[str]) -> None:
    sums = read_sums(found["fine"] or found["fine_after"])
    if None in sums:
        state.remark("unread fine", f"cannot be read: {found[0]}")
        return
    before = state.text[max(0, found.start() - _BEFORE) : found.start()]
    jointly = len(state.group.names) > 1 and JOINTLY.search(before) is not None
    for number, draft in enumerate(state.drafts(found)):
        if draft.fine is None:
            draft.fine, draft.fine_joint = _mine(sums, number), jointly


def _fine_open(state: State, found: re.Match[str]) -> None:
    if state.phase in {"own", "executed"}:
        around = state.text[found.start() : found.end() + 12]
        state.remark("unread fine", f"no sum can be read: {around}")


def _property(state: State, found: re.Match[str]) -> None:
    sums = read_sums(found["property"] or "")
    for draft in state.drafts(found):
        if draft.confiscation is None:
            draft.confiscation = _SHARES.get(found["share"] or "", "财产")
            draft.confiscated = sums[0] if sums else None


def _mine(values: Sequence[_Value], number: int) -> _Value:
    """Of a list one value for each person, in order; a single one is for all."""
    return values[number] if number < len(values) else values[-1]


PENALTY_WORDS: Final[Mapping[str, Handler]] = {
    "term": _term,
    "term_open": _term_open,
    "death": _death,
    **dict.fromkeys(_FIXED, _fixed),
    "probation": _probation,
    "political": _political,
    "expelled": _expelled,
    "fine": _fine,
    "fine_after": _fine,
    "fine_open": _fine_open,
    "confiscated": _property,
}
"""What each kind of word does, by the name of its group in ``WORD``."""

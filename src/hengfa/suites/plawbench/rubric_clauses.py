"""Clauses inside a rubric's text that cost points: 扣2分, -3分, 扣完5分为止, 不得分 (spec 3.2).

A clause reaches back to the bracket, sentence or clause before it. Text is walked through once, so
that a line of any length takes a time in proportion to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from hengfa.grading.rubric import Deduction, Gate
from hengfa.suites.plawbench.rubric_defects import Code, Defect, defect, shown

NUMBER: Final = r"\d{1,3}(?:\.\d{1,2})?"

_TOKEN: Final = re.compile(
    # what all deductions together may take: 扣完5分为止 | 最多扣5分 | 累计扣分不超过 5 分
    rf"(?P<cap>(?:直至|直到|至)?扣[完满万]\s{{0,2}}(?P<full>{NUMBER})?(?:\s{{0,2}}分)?(?:为止|即止)?"
    rf"|(?:以上扣分可累计[，,]\s{{0,2}})?扣至本项\s{{0,2}}0\s{{0,2}}分为止"
    rf"|最[多高](?:可|累计)?(?:扣|[-－])\s{{0,2}}(?P<most>{NUMBER})\s{{0,2}}分"
    rf"|(?:累计)?扣分不超过\s{{0,2}}(?P<within>{NUMBER})\s{{0,2}}分)"
    # 少写一点扣，最多扣5分: a deduction whose points nobody states
    r"|(?P<unstated>扣(?=[，,]\s{0,2}最多扣))"
    # 扣2分 | 扣 1-3 分 | 扣3）, and 未说明标准-10分; not 3-5分, 回扣, 扣除
    rf"|(?P<deduct>扣\s{{0,2}}(?P<points>{NUMBER})(?:\s{{0,2}}[-—~至]\s{{0,2}}(?P<upto>{NUMBER}))?"
    rf"(?:\s{{0,2}}分|(?=\s{{0,2}}[）)])))"
    rf"|(?P<minus>(?<![\d%])[-－]\s{{0,2}}(?P<off>{NUMBER})\s{{0,2}}分)"
    # 不得分; not 不得分割
    r"|(?P<gate>不得分(?![割配]))"
    r"|(?P<open>[（(【])|(?P<close>[）)】])|(?P<line>\n)|(?P<stop>[。；;])"
)
# 每少一项扣1分 | 少一个扣2分 | 各扣 1 分 | 缺任一子点扣5分; not 未提及价款扣2分
_EACH: Final = re.compile(
    r"每|各扣|均扣|任[一意]|[少缺错漏][^，,；;。]{0,12}?[一1][点项个条处人问]|一[点项个处问]扣"
)
# The last words of a clause, and those before a lone 扣2分: 每缺失一项，|扣2分.
_LAST_WORDS: Final = re.compile(r"[，,；;。]")
_ALONE: Final = re.compile(r"\s*(?:本项|即|则|均|各)?\s*(?:扣|[-－])")
_BEGINS_EACH: Final = re.compile(r"\s*(?:每|[少缺].{0,6}?[一1])")
# A clause that speaks of what stands before it: 未分析此点扣2分.
_POINTS_BACK: Final = re.compile(r"[此该][点项条步]|本[点条步]|子点")
_EMPTY_BRACKETS: Final = re.compile(r"[（(【][\s，,；;。、=]*[）)】]")
_EDGES: Final = " \t　，,；;。、：:=（("
_CONTEXT: Final = 80


class Clause(NamedTuple):
    """A deduction, or a gate where ``points`` is None; ``start`` and ``end`` are in the text."""

    text: str
    points: float | None
    most: float | None
    each: bool
    cap: float | None
    shares: int
    """How many deductions have the same cap together."""
    unstated: bool = False


class Clauses(NamedTuple):
    """The clauses of a text, and the text without those that stand in brackets."""

    clauses: list[Clause]
    text: str
    idle_caps: list[float]
    """Caps that cap nothing."""


def find_clauses(text: str) -> Clauses:
    """All clauses in the order of the text."""
    walk = _Walk(text)
    for token in _TOKEN.finditer(text):
        walk.take(token)
    return Clauses(walk.clauses, walk.rest(), walk.idle_caps)


class _Walk:
    """The state of one walk: where the current segment began at each depth of brackets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.clauses: list[Clause] = []
        self.idle_caps: list[float] = []
        self.removed: list[tuple[int, int]] = []
        self.segments = [0]
        self.line = 0
        self.bracket = 0
        """Where the outermost open bracket is, or was last."""
        self.open_to_cap = 0
        """The first clause that the next cap holds for."""

    def take(self, token: re.Match[str]) -> None:
        kind = token.lastgroup
        if token["open"]:
            if len(self.segments) == 1:
                self.bracket = token.start()
                self.open_to_cap = len(self.clauses)
            self.segments.append(token.end())
        elif token["close"]:
            if len(self.segments) > 1:
                self.segments.pop()
        elif token["line"]:
            self.segments = [token.end()]
            self.line = token.end()
            self.open_to_cap = len(self.clauses)
        elif token["stop"]:
            self.segments[-1] = token.end()
        elif token["cap"] is not None:
            self._cap(token)
        elif kind is not None:
            self._clause(token)

    def _cap(self, token: re.Match[str]) -> None:
        value = token["full"] or token["most"] or token["within"]
        capped = self.clauses[self.open_to_cap :]
        shares = sum(clause.points is not None for clause in capped)
        if value is not None:
            if not shares:
                self.idle_caps.append(float(value))
            self.clauses[self.open_to_cap :] = [
                clause if clause.points is None else _capped(clause, float(value), shares)
                for clause in capped
            ]
        self.open_to_cap = len(self.clauses)
        self._end(token, self.segments[-1])

    def _clause(self, token: re.Match[str]) -> None:
        start = self.segments[-1]
        words = self.text[start : token.end()].strip(_EDGES).removeprefix("扣分规则：")
        points, most = _points(token)
        if len(words) < 24 and _POINTS_BACK.search(words):
            before = self.text[self.line : self.bracket].strip()
            if before and self.bracket > self.line:
                short = before if len(before) <= _CONTEXT else f"{before[:_CONTEXT]}…"
                words = f"{words}（{short}）"
        each = points is not None and is_each(self.text[start : token.end()])
        unstated = token["unstated"] is not None
        self.clauses.append(Clause(words, points, most, each, None, 0, unstated))
        self._end(token, start)

    def _end(self, token: re.Match[str], start: int) -> None:
        if len(self.segments) > 1:
            self.removed.append((start, token.end()))
        self.segments[-1] = token.end()

    def rest(self) -> str:
        kept: list[str] = []
        at = 0
        for start, end in self.removed:
            kept.append(self.text[at : max(at, start)])
            at = max(at, end)
        kept.append(self.text[at:])
        return _EMPTY_BRACKETS.sub("", "".join(kept)).strip()


def _points(token: re.Match[str]) -> tuple[float | None, float | None]:
    if token["gate"]:
        return None, None
    if token["unstated"]:
        return 1.0, None
    low = float(token["points"] or token["off"])
    high = float(token["upto"]) if token["upto"] else None
    return (low, high) if high is None or low <= high else (high, low)


def _capped(clause: Clause, cap: float, shares: int) -> Clause:
    if clause.unstated:
        return clause._replace(most=max(cap, 1.0), each=False)
    return clause._replace(cap=cap, shares=shares)


def is_each(words: str) -> bool:
    """Whether a clause that ends in 扣N分 takes them for every occurrence.

    Only its last words say so: 未针对每一项诉请反对，扣2分 takes them once.
    """
    *before, last = _LAST_WORDS.split(words[-_CONTEXT:])
    if _ALONE.match(last) and before and _BEGINS_EACH.match(before[-1]):
        return True
    return bool(_EACH.search(last))


class Costs(NamedTuple):
    """What can be taken from an item or a section."""

    deductions: tuple[Deduction, ...]
    gates: tuple[Gate, ...]
    defects: list[Defect]


def costs(clauses: Sequence[Clause], maximum: float, where: str) -> Costs:
    """Clauses as deductions and gates of what has this maximum; caps that change nothing go."""
    deductions: list[Deduction] = []
    gates: list[Gate] = []
    defects: list[Defect] = []
    together = sum(clause.most or clause.points or 0 for clause in clauses)
    for one in clauses:
        if one.points is None:
            gates.append(Gate(f"{where}-g{len(gates) + 1}", one.text))
            continue
        cap = one.cap if one.cap is not None and one.cap < maximum else None
        if one.unstated:
            says = f"“{one.text}” does not say how many points"
            defects.append(defect(Code.NO_POINTS, where, says))
        if cap is not None and one.shares > 1 and together > cap:
            says = f"{one.shares} deductions together take at most {shown(cap)}"
            found = defect(Code.SHARED_CAP, where, says)
            if found not in defects:
                defects.append(found)
        name = f"{where}-d{len(deductions) + 1}"
        deductions.append(Deduction(name, one.text, one.points, one.most, one.each, cap))
    return Costs(tuple(deductions), tuple(gates), defects)

"""The headings of a document's rubric: 一、…（20分）, 1.1 …（10分）, 1.1.1 … (spec 3.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from hengfa.law.numerals import parse_number
from hengfa.suites.plawbench.rubric_clauses import NUMBER
from hengfa.suites.plawbench.rubric_defects import Code, Defect, defect, shown

_DIGITS: Final = "一二三四五六七八九十"
# 总分：100 | 总分：80 分
_TOTAL: Final = re.compile(rf"\s*总分\s{{0,2}}[：:]\s{{0,2}}({NUMBER})\s{{0,2}}分?\s*")
# What every heading ends in: （20 分） | (15分) | （占 20分）：
_POINTS: Final = (
    rf"[（(]\s{{0,2}}占?\s{{0,2}}(?P<points>{NUMBER})\s{{0,2}}分\s{{0,2}}[）)]\s{{0,2}}[：:]?"
)
_HEADINGS: Final = (
    # 一、案由与管辖（20 分）注意：…; not 一、统一扣分项, which has no points
    re.compile(rf"\s*(?P<one>[{_DIGITS}]{{1,2}})、\s{{0,4}}(?P<title>[^\n]{{1,60}}?){_POINTS}"),
    # （一）法院选择（7.5 分）
    re.compile(
        rf"\s*[（(](?P<two>[{_DIGITS}]{{1,2}})[）)]\s{{0,4}}(?P<title>[^\n]{{1,60}}?){_POINTS}"
    ),
    # 1.1 案由选择（10 分） | 3.1.2 …（8分）; not 1.5 万元
    re.compile(
        rf"\s*(?P<dotted>\d{{1,2}}(?:\.\d{{1,2}}){{1,2}})\s{{1,4}}(?P<title>[^\n]{{1,80}}?){_POINTS}"
    ),
)
# 六、统一扣分项
_PENALTIES: Final = re.compile(rf"\s*[{_DIGITS}]{{1,2}}、\s{{0,4}}统一扣分项")


class Heading(NamedTuple):
    """A heading, its lines up to the next one, and how deep it stands."""

    id: str
    title: str
    points: float
    note: str
    lines: list[str]

    @property
    def depth(self) -> int:
        return self.id.count(".")


class Tree(NamedTuple):
    """The headings in their order, the lines of the unified deductions, and the stated total."""

    total: float | None
    headings: list[Heading]
    penalties: list[str]

    def children(self, of: Heading) -> list[Heading]:
        deeper = f"{of.id}."
        return [
            one for one in self.headings if one.id.startswith(deeper) and one.depth == of.depth + 1
        ]

    def leaves(self) -> list[Heading]:
        return [one for one in self.headings if not self.children(one)]

    def group(self, of: Heading) -> str:
        """The heading of the first level above a leaf, or its own."""
        first = of.id.partition(".")[0]
        return next((one.title for one in self.headings if one.id == first), of.title)


def read_tree(text: str) -> Tree:
    """All headings; text before the first is left out."""
    total: float | None = None
    headings: list[Heading] = []
    penalties: list[str] = []
    ended = False
    for line in text.splitlines():
        if not line.strip():
            continue
        if ended := ended or _PENALTIES.match(line) is not None:
            penalties.append(line.strip())
        elif stated := _TOTAL.fullmatch(line):
            total = float(stated[1])
        elif heading := _heading(line, headings):
            headings.append(heading)
        elif headings:
            headings[-1].lines.append(line.strip())
    return Tree(total, headings, penalties)


def _heading(line: str, before: Sequence[Heading]) -> Heading | None:
    for pattern in _HEADINGS:
        if found := pattern.match(line):
            first = before[-1].id.partition(".")[0] if before else "0"
            named = found.groupdict()
            if named.get("one"):
                id_ = str(parse_number(named["one"]))
            elif named.get("two"):
                id_ = f"{first}.{parse_number(named['two'])}"
            else:
                id_ = named["dotted"]
            if any(one.id == id_ for one in before):
                return None
            note = line[found.end() :].strip()
            return Heading(id_, named["title"].strip(), float(named["points"]), note, [])
    return None


def about_tree(tree: Tree, score: float) -> Iterator[Defect]:
    """Where headings and totals do not add up."""
    if tree.total is None:
        yield defect(Code.NO_TOTAL, "", "no total is stated", "the score of the data counts")
    elif tree.total != score:
        says = f"the total says {shown(tree.total)}, the data {shown(score)}"
        yield defect(Code.TOTAL, "", says, "the score of the data counts")
    tops = sum(one.points for one in tree.headings if one.depth == 0)
    if tops != score:
        says = f"the headings have {shown(tops)} of {shown(score)}"
        yield defect(Code.CHILDREN, "", says)
    for one in tree.headings:
        below = sum(child.points for child in tree.children(one))
        if below and below != one.points:
            says = f"the parts of {one.id} have {shown(below)} of {shown(one.points)}"
            yield defect(Code.CHILDREN, one.id, says)

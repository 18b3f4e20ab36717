"""One leaf of a document's rubric: award points, deductions and what forces it down (spec 3.3).

Blocks are 得分点, 扣分点 and 不及格; 优秀档, 合格档 and 不足档 stand for the same three. A leaf
of named grades (完全充分 5分, 部分充分 3分, …) is one item with levels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

from hengfa.grading.rubric import Deduction, Gate, Item, Level
from hengfa.suites.plawbench.rubric_blocks import tidy
from hengfa.suites.plawbench.rubric_clauses import NUMBER, is_each
from hengfa.suites.plawbench.rubric_defects import Code, Defect, defect, shown

AWARD, DEDUCT, FORCE, REMARK = "award", "deduct", "force", "remark"
_BLOCKS: Final = {
    "得分点": AWARD,
    "优秀档": AWARD,
    "扣分点": DEDUCT,
    "合格档": DEDUCT,
    "不及格": FORCE,
    "不合格": FORCE,
    "不足档": FORCE,
    "评分依据": REMARK,
}
# 得分点： at the beginning of a line, 优秀档： also at its end; not 以下得分点.
_BLOCK: Final = re.compile(
    r"^(?P<name>得分点|扣分点|不及格|不合格|评分依据|合格档|不足档|优秀档)\s{0,2}[：:]\s*"
    r"|(?P<last>优秀档)\s{0,2}[：:]\s*$",
    re.MULTILINE,
)
# 完全充分（5 分）： | 错误列举（0 分）：; a grade and its points at the beginning of a line.
_BAND: Final = re.compile(
    rf"^(?P<name>[一-龥]{{2,8}})[（(]\s{{0,2}}(?P<points>{NUMBER})\s{{0,2}}分\s{{0,2}}[）)]\s{{0,2}}[：:]",
    re.MULTILINE,
)
# （6分） | （2.5 分） | （2份） | ，得 5 分; not （合计2分）, 扣5分, 本项得 0 分.
_AWARDED: Final = re.compile(
    rf"[（(]\s{{0,2}}(?P<points>{NUMBER})\s{{0,2}}(?:分|(?P<typo>份))\s{{0,2}}[）)]"
    rf"|(?<!本项)(?<!最高)得\s{{0,2}}(?P<words>{NUMBER})\s{{0,2}}分"
)
_SUMMED: Final = re.compile(rf"[（(]\s{{0,2}}合计\s{{0,2}}{NUMBER}\s{{0,2}}分\s{{0,2}}[）)]")
# What a fault leaves: 本项得0分并倒扣10分 | 本项得 0 分 | 不得分 | 直接计 0 分 | 本项 得 9 分 |
# 本项 0 分 | 未提出异议：4 分 | 扣 10 分（本项得 0 分）; not 本项 0–4 分, 本大题（40 分）.
_OUTCOME: Final = re.compile(
    rf"(?:本项)?得\s{{0,2}}0\s{{0,2}}分并倒扣\s{{0,2}}(?P<beyond>{NUMBER})\s{{0,2}}分"
    rf"|扣\s{{0,2}}(?P<off>{NUMBER})\s{{0,2}}分(?:[。）]?[（(](?:本项得?\s{{0,2}}0\s{{0,2}}分|可累计[^（()）\n]{{0,20}})[）)])?"
    r"|不得分(?![割配])"
    rf"|(?:本项\s{{0,2}}得?|得|计|[一-龥]：)\s{{0,2}}(?P<left>{NUMBER})\s{{0,2}}分"
)
# 本项最高得6分: in a list of deductions, yet it caps.
_AT_MOST: Final = re.compile(rf"(?<![（(])本项最高得\s{{0,2}}(?P<left>{NUMBER})\s{{0,2}}分")
# 扣 3 分, and how much at most: 扣满5分为止 | 最高累计扣5分; not 扣除, 倒扣
_TAKEN: Final = re.compile(
    rf"扣[完满至][^，,。；;\n]{{0,8}}(?:为止|即止)|最[多高](?:累计)?扣\s{{0,2}}(?P<most>{NUMBER})\s{{0,2}}分"
    rf"|(?<!倒)扣\s{{0,2}}(?P<points>{NUMBER})\s{{0,2}}分"
)
# Remarks after a clause: （本项最高得7 分） | （对应中等分的情形） | 【扣分说明：…】.
_ASIDE: Final = re.compile(
    r"[（(](?:本项|对应)[^（()）\n]{0,40}[）)]|[（(]以上扣分可累计[^（()）\n]{0,40}[）)]|【扣分说明[^】\n]{0,80}】"
)
_EDGES: Final = " \t　\n，,；;。、：:（）()"
WHOLE_GROUP: Final = "本大题"


class Leaf(NamedTuple):
    """What a leaf comes to; gates with 本大题 hold for all leaves of the group."""

    items: tuple[Item, ...]
    deductions: tuple[Deduction, ...]
    gates: tuple[Gate, ...]
    defects: list[Defect]


def read_leaf(name: str, points: float, lines: Sequence[str]) -> Leaf:
    """The items of a leaf, numbered below its name, and what can be taken from it."""
    texts = _blocks("\n".join(lines))
    award, bands = texts[AWARD], list(_BAND.finditer(texts[AWARD]))
    if len(bands) > 1:
        items, defects = _graded(name, points, award, bands)
    else:
        items, defects = _awarded(name, points, award)
    taken, limits = _deductions(name, points, texts[DEDUCT])
    forced, less = _forced(name, points, texts[FORCE], len(limits), len(taken))
    told = [one.text for one in (*taken, *less)] + [one.text for one in forced]
    for words in told:
        if "其他题目" in words:
            defects.append(defect(Code.REACH, name, f"“{words}” reaches beyond its leaf"))
    return Leaf(tuple(items), (*taken, *less), (*limits, *forced), defects)


def _blocks(text: str) -> dict[str, str]:
    """The text of each kind of block; a remark is its line only, and is left out."""
    found: dict[str, list[str]] = {kind: [] for kind in (AWARD, DEDUCT, FORCE)}
    kind = AWARD
    at = 0
    for mark in _BLOCK.finditer(text):
        found[kind].append(text[at : mark.start()])
        at = mark.end()
        meant = _BLOCKS[mark["name"] or mark["last"]]
        if meant == REMARK:
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        else:
            kind = meant
    found[kind].append(text[at:])
    return {kind: "\n".join(parts).strip() for kind, parts in found.items()}


def _graded(
    name: str, points: float, text: str, bands: Sequence[re.Match[str]]
) -> tuple[list[Item], list[Defect]]:
    levels = tuple(Level(band["name"], float(band["points"])) for band in bands)
    says = "、".join(f"{one.name} {shown(one.points)}" for one in levels)
    item = Item(f"{name}.1", text, max(points, *(one.points for one in levels)), levels=levels)
    return [item], [defect(Code.BANDS, name, f"graded bands: {says}")]


def _awarded(name: str, points: float, text: str) -> tuple[list[Item], list[Defect]]:
    text = _SUMMED.sub("", text)
    marks = list(_AWARDED.finditer(text))
    defects = [
        defect(Code.MARKER_FORM, name, f"“{mark[0]}” for points") for mark in marks if mark["typo"]
    ]
    if not marks:
        says = f"no award point has a value, the leaf has {shown(points)}"
        reading = "one item that is worth the leaf"
        return [Item(f"{name}.1", tidy(text) or name, points)], [
            *defects,
            defect(Code.NO_MARKER, name, says, reading),
        ]
    values = [float(mark["points"] or mark["words"]) for mark in marks]
    total = sum(values)
    if total == 2 * points and len(marks) > 1 and points in (values[0], values[-1]):
        place = -1 if values[-1] == points else 0
        says = f"{marks[place][0]} after award points of {shown(points)}"
        defects.append(defect(Code.REPEATED_TOTAL, name, says))
        repeated = marks.pop(place)
        values.pop(place)
        text = text[: repeated.start()] + " " * len(repeated[0]) + text[repeated.end() :]
    elif total != points:
        says = f"the award points have {shown(total)} of {shown(points)}"
        code = Code.ABOVE if total > points else Code.BELOW
        reading = "all can be earned, the leaf counts at most its points" if total > points else ""
        defects.append(defect(code, name, says, reading))
    return list(_items(name, text, marks, values)), defects


def _items(
    name: str, text: str, marks: Sequence[re.Match[str]], values: Sequence[float]
) -> Iterator[Item]:
    """The text up to each marker; what stands behind the last belongs to it."""
    at = 0
    for number, (mark, value) in enumerate(zip(marks, values, strict=True), start=1):
        end = len(text) if number == len(marks) else mark.end()
        words = text[at : mark.start()] + text[mark.end() : end]
        yield Item(f"{name}.{number}", tidy(words) or f"{name}.{number}", value)
        at = end


def _deductions(
    name: str, points: float, text: str
) -> tuple[tuple[Deduction, ...], tuple[Gate, ...]]:
    """Deductions of the leaf; 本项最高得6分 is a gate."""
    gates: list[Gate] = []
    rest: list[str] = []
    at = 0
    for limit in _AT_MOST.finditer(text):
        begin = max(text.rfind("\n", 0, limit.start()) + 1, at)
        words = text[begin : limit.end()].strip(_EDGES)
        gates.append(Gate(f"{name}-g{len(gates) + 1}", words, float(limit["left"])))
        rest.append(text[at:begin])
        at = limit.end()
    rest.append(text[at:])
    return tuple(_taken(name, points, _ASIDE.sub("", "".join(rest)))), tuple(gates)


def _taken(name: str, points: float, text: str) -> Iterator[Deduction]:
    """Each clause reaches back to the one before it, over sentences and lines."""
    at = number = 0
    marks = list(_TAKEN.finditer(text))
    for mark, after in zip_longest(marks, marks[1:]):
        if mark["points"] is None:
            at = mark.end()
            continue
        number += 1
        words = text[at : mark.end()]
        at = mark.end()
        most = float(after["most"]) if after is not None and after["most"] else points
        cap = most if most < points else None
        told = tidy(words).strip(_EDGES)
        yield Deduction(
            f"{name}-d{number}", closed(told), float(mark["points"]), None, is_each(words), cap
        )


def closed(words: str) -> str:
    """Words with the bracket that cutting them took away."""
    return f"{words}）" if words.count("（") > words.count("）") else words


def _forced(
    name: str, points: float, text: str, gates: int, deductions: int
) -> tuple[tuple[Gate, ...], tuple[Deduction, ...]]:
    """Gates, and deductions where less is taken than the leaf has."""
    forced: list[Gate] = []
    less: list[Deduction] = []
    at = 0
    for outcome in _OUTCOME.finditer(text):
        words = closed(tidy(_ASIDE.sub("", text[at : outcome.end()])).strip(_EDGES))
        at = outcome.end()
        if outcome["off"] and float(outcome["off"]) < points and "本项" not in outcome[0]:
            number = deductions + len(less) + 1
            less.append(Deduction(f"{name}-d{number}", words, float(outcome["off"])))
            continue
        leaves = float(outcome["left"] or 0)
        if outcome["beyond"]:
            leaves = -float(outcome["beyond"])
        forced.append(Gate(f"{name}-g{gates + len(forced) + 1}", words, leaves))
    if not forced and not less and text.strip():
        forced.append(Gate(f"{name}-g{gates + 1}", tidy(text)))
    return tuple(forced), tuple(less)

"""One criterion of a case as blocks that are worth points, with what does not add up (spec 6)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from hengfa.suites.plawbench.rubric_blocks import Block, Cut, cut, label_of, tidy
from hengfa.suites.plawbench.rubric_defects import Code, Defect, defect, shown
from hengfa.suites.plawbench.rubric_marks import (
    Choice,
    Form,
    Header,
    Mark,
    choose,
    find_marks,
    split_header,
)

_UNITS: Final = {"推理过程": 10.0}
"""What an item is usually worth: 10 for a step of reasoning, else 5."""
_UNIT: Final = 5.0
STATUTES: Final = "法条依据"

# A line that names a statute: 《民法典》第1条 | 2.《…》 | 原《…》; not 依据《民法典》第1条.
_STATUTE_LINE: Final = re.compile(r"\s*(?:\d{1,2}\s{0,2}[.、．])?\s*原?《")


class Criterion(NamedTuple):
    """A criterion as read: its blocks, what stands before them, and its defects."""

    lead: str
    blocks: list[Block]
    defects: list[Defect]


def read_criterion(criterion: str, points: float, section: str) -> Criterion:
    """The blocks of a criterion whose points the data state."""
    unit = _UNITS.get(section, _UNIT)
    header = split_header(criterion)
    marks = find_marks(header.body)
    chosen = choose(marks, points, unit)
    defects = [*_about_header(header, points, section), *_about_marks(header, marks, section)]
    found = _with_parts(header.body, chosen)
    if not found.blocks:
        lead, blocks = _without_marks(header.body, points, unit, section)
        says = f"no marker for {shown(points)} points, {len(blocks)} items"
        defects.append(defect(Code.NO_MARKER, section, says))
        return Criterion(_lead(header, lead), blocks, defects)
    blocks = found.blocks
    if chosen.stray:
        blocks = [one for one in blocks if one.points <= unit]
        says = f"a marker of {shown(chosen.stray[0].points)} among items of {shown(unit)}"
        defects.append(defect(Code.STRAY_ITEM, section, says))
    if chosen.odd_parts:
        says = "the parts of a step do not add up to its value"
        defects.append(defect(Code.SUB_SPLIT, section, says))
    if not chosen.fits:
        blocks, odd = _not_fitting(header.body, blocks, points, section)
        defects.append(odd)
    return Criterion(_lead(header, found.lead), blocks, defects)


def _lead(header: Header, lead: str) -> str:
    return "\n".join(filter(None, (header.says, lead)))


def _about_header(header: Header, points: float, section: str) -> Iterator[Defect]:
    if header.total is not None and header.total != points:
        says = f"the heading says {shown(header.total)}, the data {shown(points)}"
        yield defect(Code.HEADER_TOTAL, section, says)


def _about_marks(header: Header, marks: Sequence[Mark], section: str) -> Iterator[Defect]:
    for mark in marks:
        words = header.body[mark.start : mark.end]
        if mark.form is Form.BONUS:
            yield defect(Code.BONUS, section, f"{words} is no item")
        elif mark.form in {Form.UNCLOSED, Form.BARE}:
            yield defect(Code.MARKER_FORM, section, f"“{words.strip()}” lacks brackets")


def _with_parts(body: str, chosen: Choice) -> Cut:
    """Blocks of steps; a step that its parts divide has them as blocks of its own."""
    tops = sorted([*(node.mark for node in chosen.nodes), *chosen.stray])
    found = cut(body, tops)
    divided = {node.mark: node.parts for node in chosen.nodes if node.parts}
    blocks = [
        _divide(block, len(divided.get(mark, ())))
        for mark, block in zip(tops, found.blocks, strict=True)
    ]
    return Cut(found.lead, blocks)


def _divide(block: Block, number: int) -> Block:
    """A step as its head and its parts; lines before the first part are the head."""
    if not number:
        return block
    first = next(one for one in find_marks(block.text) if one.form is not Form.BONUS)
    begin = block.text.rfind("\n", 0, first.start) + 1
    body = block.text[begin:]
    marks = [one for one in find_marks(body) if one.form is not Form.BONUS]
    found = cut(body, marks[:number])
    return block._replace(text=block.text[:begin].strip(), parts=tuple(found.blocks))


def _without_marks(body: str, points: float, unit: float, section: str) -> tuple[str, list[Block]]:
    """Equal shares of the numbered lines whose number fits the points, or all as one item."""
    lines = [line for line in body.splitlines() if line.strip()]
    labels = [label_of(line) for line in lines]
    kinds = list(dict.fromkeys(one.kind for one in labels if one is not None))
    counts = {kind: sum(one is not None and one.kind == kind for one in labels) for kind in kinds}
    fitting = [kind for kind in kinds if counts[kind] * unit == points] or kinds[:1]
    if section == "结论" or not fitting or counts[fitting[0]] < 2:
        return "", [Block(tidy(body), points)]
    begins = [at for at, one in enumerate(labels) if one is not None and one.kind == fitting[0]]
    share = points / len(begins)
    ends = [*begins[1:], len(lines)]
    blocks = [
        Block(tidy("\n".join(lines[begin:end])), share)
        for begin, end in zip(begins, ends, strict=True)
    ]
    return "\n".join(lines[: begins[0]]), blocks


def _not_fitting(
    body: str, blocks: list[Block], points: float, section: str
) -> tuple[list[Block], Defect]:
    total = sum(block.points for block in blocks)
    says = f"the items have {shown(total)}, the data say {shown(points)}"
    if last := _last_listing(blocks, points):
        return last, defect(Code.LISTED_TWICE, section, says)
    if section == STATUTES and (each := _each_statute(body, blocks, points)):
        return each, defect(Code.ONE_MARKER, section, f"one marker for {len(each)} statutes")
    return blocks, defect(Code.ABOVE if total > points else Code.BELOW, section, says)


def _last_listing(blocks: Sequence[Block], points: float) -> list[Block]:
    """The blocks from where the numbering begins anew, if those have the points."""
    total = 0.0
    for at in range(len(blocks) - 1, 0, -1):
        total += blocks[at].points
        first = label_of(blocks[at].heading) or blocks[at].label
        if total == points and first is not None and first.number == 1:
            return list(blocks[at:])
    return []


def _each_statute(body: str, blocks: Sequence[Block], points: float) -> list[Block]:
    """One block a statute, where one marker stands for all of them."""
    lines = [line for line in body.splitlines() if line.strip()]
    marks = find_marks(lines[0]) if lines else []
    if len(blocks) != 1 or not marks:
        return []
    lines[0] = lines[0][: marks[0].start] + lines[0][marks[0].end :]
    begins = [at for at, line in enumerate(lines) if _STATUTE_LINE.match(line)]
    if not begins or len(begins) * blocks[0].points != points:
        return []
    ends = [*begins[1:], len(lines)]
    return [
        Block(tidy("\n".join(lines[begin:end])), blocks[0].points)
        for begin, end in zip(begins, ends, strict=True)
    ]

"""The rubric of a case: four criteria as sections of items.

The points of a section are those of the data, and what does not add up to them is a defect
(docs/benchmarks/plawbench.md 3.2 and 6). Clauses that cost points leave the text of their item and
become deductions and gates with ids; notes that cost nothing (不扣分) stay in it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from hengfa.errors import DataError
from hengfa.grading.rubric import Deduction, Item, Rubric, Section
from hengfa.suites.plawbench.rubric_clauses import Clause, costs, find_clauses
from hengfa.suites.plawbench.rubric_defects import (
    Code,
    Defect,
    Parsed,
    check_items,
    check_size,
    defect,
    shown,
)
from hengfa.suites.plawbench.rubric_markers import (
    Block,
    Choice,
    Cut,
    Form,
    Header,
    Mark,
    choose,
    cut,
    find_marks,
    label_of,
    split_header,
    tidy,
)
from hengfa.suites.plawbench.rubric_order import Step, order_rules, read_order

TAGS: Final = ("结论得分", "案情简述得分", "分析过程得分", "法条依据得分")
"""What the four sections of a case are called in the data, in their order."""
CONCLUSION, FACTS, REASONING = "结论", "案件事实", "推理过程"
STATUTES: Final = "法条依据"
SECTIONS: Final = dict(zip(TAGS, (CONCLUSION, FACTS, REASONING, STATUTES), strict=True))
"""The tag of a criterion to the id and title of its section."""
_UNITS: Final = {"推理过程": 10.0}
"""What an item is usually worth: 10 for a step of reasoning, else 5."""
_UNIT: Final = 5.0
# 可替代法条：《…》 | （替代条款：…; not 不可替代性.
_ALTERNATIVE: Final = re.compile(r"[（(]?可?替代(?:法条|条款)\s{0,2}[：:]\s{0,2}")
# What 可替代法条 names where there is none: 无 | 无。; not 无锡市….
_NONE: Final = re.compile(r"无(?=[\s。；，]|$)")
# A rule of order in the brackets of a heading, which the section's order has.
_RULE: Final = re.compile(r"[（(][^（()）\n]{0,200}(?:顺序|按步骤)[^（()）\n]{0,200}[）)]")
# A line of clauses only, which the item's deductions have: 扣分规则：缺人扣3分
_RULES_LINE: Final = re.compile(r"\n扣分规则\s{0,2}[：:][^\n]*|【扣分部分】")
# A line that names a statute: 《民法典》第1条 | 2.《…》 | 原《…》; not 依据《民法典》第1条.
_STATUTE_LINE: Final = re.compile(r"\s*(?:\d{1,2}\s{0,2}[.、．])?\s*原?《")


class CriterionRow(msgspec.Struct, frozen=True):
    """One of the four sections of a case's rubric; ``points`` is a number written as text."""

    criterion: str
    points: str
    tags: str

    def __post_init__(self) -> None:
        if self.tags not in TAGS:
            raise ValueError(f"the tag is none of {', '.join(TAGS)}")
        if not 0 < self.maximum < math.inf:
            raise ValueError("points are not a number above 0")

    @property
    def maximum(self) -> float:
        """The points as a number, NaN where they are none."""
        try:
            return float(self.points)
        except ValueError:
            return math.nan


class _Made(NamedTuple):
    """Items of one block, and the clauses that are not theirs but the section's."""

    items: list[Item]
    defects: list[Defect]
    loose: list[Clause]


def parse_case(sections: Sequence[CriterionRow], rubric_id: str) -> Parsed:
    """The criteria of a case as one rubric; each section is there once."""
    tags = [criterion.tags for criterion in sections]
    if not tags or len(set(tags)) < len(tags):
        problem = "a section is there twice" if tags else "no section is here"
        raise DataError(problem, file=rubric_id, field="rubrics")
    made = [_section(criterion, rubric_id) for criterion in sections]
    maximum = sum(section.maximum for section, _ in made)
    defects = tuple(found for _, of in made for found in of)
    return Parsed(Rubric(rubric_id, maximum, tuple(section for section, _ in made)), defects)


def _section(row: CriterionRow, rubric_id: str) -> tuple[Section, list[Defect]]:
    name, maximum = SECTIONS[row.tags], row.maximum
    check_size(row.criterion, rubric_id, "criterion")
    read = _read_criterion(row.criterion, maximum, name)
    check_items(sum(len(block.parts) or 1 for block in read.blocks), rubric_id, "criterion")
    if not any(block.text or block.parts for block in read.blocks):
        raise DataError(f"nothing earns points in {name}", file=rubric_id, field="rubrics")
    made = [_items(block, f"{name}.{at}", name) for at, block in enumerate(read.blocks, start=1)]
    items = tuple(item for one in made for item in one.items)
    defects = [*read.defects, *(found for one in made for found in one.defects)]
    before = find_clauses(read.lead).clauses
    loose = [
        *(one for one in before if one.points is not None),
        *(c for m in made for c in m.loose),
    ]
    deductions, odd = _of_section(loose, items, maximum, name)
    section = Section(name, name, maximum, items, deductions)
    if name != REASONING:
        return section, [*defects, *odd]
    steps = [
        Step(tuple(item.id for item in one.items), block.step, block.heading)
        for one, block in zip(made, read.blocks, strict=True)
    ]
    inside = (line for block in read.blocks for line in order_rules(block.text))
    order = read_order(read.lead, steps, inside, name)
    return replace(section, order=order.order), [*defects, *odd, *order.defects]


def _items(block: Block, name: str, section: str) -> _Made:
    """One item, or one for each part of a step, with the step's own words before each."""
    if not block.parts:
        return _item(block, name, section)
    head = find_clauses(block.text)
    above = _with_heading(block.heading, head.text)
    items: list[Item] = []
    defects: list[Defect] = []
    loose = list(head.clauses)
    for number, part in enumerate(block.parts, start=1):
        made = _item(part._replace(heading=above), f"{name}.{number}", section)
        items += (replace(item, step=block.step) for item in made.items)
        defects += made.defects
        loose += made.loose
    return _Made(items, defects, loose)


def _item(block: Block, name: str, section: str) -> _Made:
    found = find_clauses(block.text)
    own = [clause for clause in found.clauses if clause.cap is None or clause.cap <= block.points]
    loose = [
        clause for clause in found.clauses if clause.cap is not None and clause.cap > block.points
    ]
    cost = costs(own, block.points, name)
    defects = [
        *cost.defects,
        *(
            defect(Code.STRAY_CLAUSE, name, f"at most {shown(cap)} off, but nothing is taken off")
            for cap in found.idle_caps
        ),
    ]
    text = found.text
    alternatives: tuple[str, ...] = ()
    if section == STATUTES:
        text, alternatives = _alternatives(text)
    text = _RULES_LINE.sub("", text)
    elements: tuple[str, ...] = ()
    if section == REASONING:
        text, *lines = text.split("\n")
        elements = tuple(_unlabelled(line) for line in lines if line.strip())
    item = Item(
        name,
        _with_heading(block.heading, text) or name,
        block.points,
        cost.deductions,
        cost.gates,
        elements=elements,
        alternatives=alternatives,
        step=block.step,
        statute=section == STATUTES,
    )
    return _Made([item], defects, loose)


def _with_heading(heading: str, text: str) -> str:
    kept = (_RULE.sub("", line).strip() for line in heading.splitlines() if line[:1] != "【")
    return "\n".join((*(line for line in kept if line), text)).strip()


def _unlabelled(line: str) -> str:
    """An element without its bullet; numbers stay, because clauses name them."""
    label = label_of(line)
    return line[label.end :].strip() if label is not None and label.kind == "bullet" else line


def _alternatives(text: str) -> tuple[str, tuple[str, ...]]:
    """The text of a statute, and the statutes that are accepted in its place."""
    first, *others = _ALTERNATIVE.split(text)
    named = (other.strip(" \n）)") for other in others if not _NONE.match(other))
    rest = [other.partition("\n")[2] for other in others if _NONE.match(other)]
    return "\n".join((first.strip(), *filter(None, rest))), tuple(
        statute for statute in named if statute
    )


def _of_section(
    clauses: Sequence[Clause], items: Sequence[Item], maximum: float, name: str
) -> tuple[tuple[Deduction, ...], list[Defect]]:
    """Deductions from the whole section, without those that only repeat what items are worth."""
    kept: list[Clause] = []
    defects: list[Defect] = []
    for clause in clauses:
        if clause.cap is not None and clause.cap > maximum:
            says = f"“{clause.text}”, at most {shown(clause.cap)}, in a section of {shown(maximum)}"
            defects.append(defect(Code.STRAY_CLAUSE, name, says))
        elif clause.cap == maximum and all(item.maximum == clause.points for item in items):
            defects.append(defect(Code.RESTATED, name, f"“{clause.text}”, at most all"))
        else:
            kept.append(clause)
    cost = costs([clause for clause in kept if clause.points is not None], maximum, name)
    return cost.deductions, [*defects, *cost.defects]


class _Criterion(NamedTuple):
    """A criterion as read: its blocks, what stands before them, and its defects."""

    lead: str
    blocks: list[Block]
    defects: list[Defect]


def _read_criterion(criterion: str, points: float, section: str) -> _Criterion:
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
        return _Criterion(_lead(header, lead), blocks, defects)
    blocks = found.blocks
    if chosen.stray:
        blocks = [block for block in blocks if block.points <= unit]
        says = f"a marker of {shown(chosen.stray[0].points)} among items of {shown(unit)}"
        defects.append(defect(Code.STRAY_ITEM, section, says))
    if chosen.odd_parts:
        says = "the parts of a step do not add up to its value"
        defects.append(defect(Code.SUB_SPLIT, section, says))
    if not chosen.fits:
        blocks, odd = _not_fitting(header.body, blocks, points, section)
        defects.append(odd)
    return _Criterion(_lead(header, found.lead), blocks, defects)


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
    """A step as its head and its parts; lines before the first part are the head.

    Markers that follow each other without words belong to the next step: then it has no parts.
    """
    inside = (mark for mark in find_marks(block.text) if mark.form is not Form.BONUS)
    first = next(inside, None) if number else None
    if first is None:
        return block
    begin = block.text.rfind("\n", 0, first.start) + 1
    body = block.text[begin:]
    marks = [mark for mark in find_marks(body) if mark.form is not Form.BONUS]
    found = cut(body, marks[:number])
    return block._replace(text=block.text[:begin].strip(), parts=tuple(found.blocks))


def _without_marks(body: str, points: float, unit: float, section: str) -> tuple[str, list[Block]]:
    """Equal shares of the numbered lines whose number fits the points, or all as one item."""
    lines = [line for line in body.splitlines() if line.strip()]
    labels = [label_of(line) for line in lines]
    kinds = list(dict.fromkeys(label.kind for label in labels if label is not None))
    counts = {
        kind: sum(label is not None and label.kind == kind for label in labels) for kind in kinds
    }
    fitting = [kind for kind in kinds if counts[kind] * unit == points] or kinds[:1]
    if section == "结论" or not fitting or counts[fitting[0]] < 2:
        return "", [Block(tidy(body), points)]
    begins = [
        at for at, label in enumerate(labels) if label is not None and label.kind == fitting[0]
    ]
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

"""The rubric of a case: four criteria as sections of items (spec 3.2).

The points of a section are those of the data. Clauses that cost points leave the text of their item
and become deductions and gates with ids; notes that cost nothing (不扣分) stay in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from hengfa.errors import DataError
from hengfa.grading.rubric import Deduction, Item, Rubric, Section
from hengfa.suites.plawbench.rows import TAGS, CriterionRow
from hengfa.suites.plawbench.rubric_blocks import Block, label_of
from hengfa.suites.plawbench.rubric_case_items import STATUTES, read_criterion
from hengfa.suites.plawbench.rubric_clauses import Clause, costs, find_clauses
from hengfa.suites.plawbench.rubric_defects import Code, Defect, Parsed, defect, shown
from hengfa.suites.plawbench.rubric_limits import check_items, check_size
from hengfa.suites.plawbench.rubric_order import Step, order_rules, read_order

CONCLUSION, FACTS, REASONING = "结论", "案件事实", "推理过程"
SECTIONS: Final = dict(zip(TAGS, (CONCLUSION, FACTS, REASONING, STATUTES), strict=True))
"""The tag of a criterion to the id and title of its section."""

# 可替代法条：《…》 | （替代条款：…; not 不可替代性.
_ALTERNATIVE: Final = re.compile(r"[（(]?可?替代(?:法条|条款)\s{0,2}[：:]\s{0,2}")
# What 可替代法条 names where there is none: 无 | 无。; not 无锡市….
_NONE: Final = re.compile(r"无(?=[\s。；，]|$)")
# A rule of order in the brackets of a heading, which the section's order has.
_RULE: Final = re.compile(r"[（(][^（()）\n]{0,200}(?:顺序|按步骤)[^（()）\n]{0,200}[）)]")
# A line of clauses only, which the item's deductions have: 扣分规则：缺人扣3分
_RULES_LINE: Final = re.compile(r"\n扣分规则\s{0,2}[：:][^\n]*|【扣分部分】")


class _Made(NamedTuple):
    """Items of one block, and the clauses that are not theirs but the section's."""

    items: list[Item]
    defects: list[Defect]
    loose: list[Clause]


def parse_case(sections: Sequence[CriterionRow], rubric_id: str) -> Parsed:
    """The criteria of a case as one rubric; each section is there once."""
    tags = [one.tags for one in sections]
    if not tags or len(set(tags)) < len(tags):
        problem = "a section is there twice" if tags else "no section is here"
        raise DataError(problem, file=rubric_id, field="rubrics")
    made = [_section(one, rubric_id) for one in sections]
    maximum = sum(section.maximum for section, _ in made)
    defects = tuple(found for _, of in made for found in of)
    return Parsed(Rubric(rubric_id, maximum, tuple(section for section, _ in made)), defects)


def _section(row: CriterionRow, rubric_id: str) -> tuple[Section, list[Defect]]:
    name, maximum = SECTIONS[row.tags], row.maximum
    check_size(row.criterion, rubric_id, "criterion")
    read = read_criterion(row.criterion, maximum, name)
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
    own = [one for one in found.clauses if one.cap is None or one.cap <= block.points]
    loose = [one for one in found.clauses if one.cap is not None and one.cap > block.points]
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
    return "\n".join((first.strip(), *filter(None, rest))), tuple(one for one in named if one)


def _of_section(
    clauses: Sequence[Clause], items: Sequence[Item], maximum: float, name: str
) -> tuple[tuple[Deduction, ...], list[Defect]]:
    """Deductions from the whole section, without those that only repeat what items are worth."""
    kept: list[Clause] = []
    defects: list[Defect] = []
    for one in clauses:
        if one.cap is not None and one.cap > maximum:
            says = f"“{one.text}”, at most {shown(one.cap)}, in a section of {shown(maximum)}"
            defects.append(defect(Code.STRAY_CLAUSE, name, says))
        elif one.cap == maximum and all(item.maximum == one.points for item in items):
            defects.append(defect(Code.RESTATED, name, f"“{one.text}”, at most all"))
        else:
            kept.append(one)
    cost = costs([one for one in kept if one.points is not None], maximum, name)
    return cost.deductions, [*defects, *cost.defects]

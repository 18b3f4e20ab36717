"""The rubric of a document: leaves as sections, unified deductions as penalties (spec 3.3)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from msgspec.structs import replace

from hengfa.errors import DataError
from hengfa.grading.rubric import Gate, Penalty, Rubric, Section
from hengfa.suites.plawbench.rubric_blocks import tidy
from hengfa.suites.plawbench.rubric_clauses import NUMBER
from hengfa.suites.plawbench.rubric_defects import Defect, Parsed
from hengfa.suites.plawbench.rubric_document_leaf import WHOLE_GROUP, read_leaf
from hengfa.suites.plawbench.rubric_document_tree import Heading, Tree, about_tree, read_tree
from hengfa.suites.plawbench.rubric_limits import check_items, check_size

# 法条准确：… | 指令遵循：…; the name of a unified deduction at the beginning of a line.
_NAMED: Final = re.compile(r"^(?P<name>[一-龥]{2,8})\s{0,2}[：:]\s*", re.MULTILINE)
_OFF: Final = re.compile(rf"扣\s{{0,2}}(?P<points>{NUMBER})\s{{0,2}}分")
# 每出现一项错误，扣 10 分 | 每缺一项扣 10 分
_EVERY: Final = re.compile(r"每出现|每缺")
# 每有一项未达到，扣 10 分: as many standards as are listed after it.
_STANDARDS: Final = re.compile(r"每有一项未达到")
_LISTED: Final = re.compile(r"[（(][1-9][）)]\s*|[；;。]?\n")
_INSIDE: Final = ("说明", "格式", "用词", "文书必备")
"""Names that are no deduction of their own: a remark, and the standards of form."""


def parse_document(text: str, score: float, rubric_id: str) -> Parsed:
    """The leaves of a rubric whose total the data state."""
    if not 0 < score < math.inf:
        raise DataError("the score is not a number above 0", file=rubric_id, field="score")
    check_size(text, rubric_id, "Rubrics")
    tree = read_tree(text)
    check_items(len(tree.headings), rubric_id, "Rubrics")
    leaves = tree.leaves()
    if not leaves:
        raise DataError("no heading with points is here", file=rubric_id, field="Rubrics")
    sections: list[Section] = []
    defects = list(about_tree(tree, score))
    for leaf in leaves:
        section, found = _section(tree, leaf)
        sections.append(section)
        defects += found
    check_items(sum(len(section.items) for section in sections), rubric_id, "Rubrics")
    if not any(section.maximum for section in sections):
        raise DataError("no heading has points", file=rubric_id, field="Rubrics")
    penalties = tuple(_penalties(tree.penalties))
    whole = Rubric(rubric_id, score, tuple(_reaching(sections)), penalties)
    return Parsed(whole, tuple(defects))


def _section(tree: Tree, leaf: Heading) -> tuple[Section, list[Defect]]:
    read = read_leaf(leaf.id, leaf.points, leaf.lines)
    title = "".join((leaf.title, *(_in_brackets(one) for one in _notes(tree, leaf))))
    return (
        Section(
            leaf.id,
            title,
            leaf.points,
            read.items,
            read.deductions,
            read.gates,
            group=tree.group(leaf),
        ),
        read.defects,
    )


def _notes(tree: Tree, leaf: Heading) -> Iterator[str]:
    """Remarks behind the heading of a leaf and those above it."""
    for one in tree.headings:
        if one.note and (one.id == leaf.id or leaf.id.startswith(f"{one.id}.")):
            yield one.note


def _in_brackets(note: str) -> str:
    return f"（{note.strip('（）()')}）"


def _reaching(sections: Sequence[Section]) -> Iterator[Section]:
    """A gate that takes the whole of a group (本大题) is a gate of each of its leaves."""
    reaching = {
        section.group: section.gates
        for section in sections
        if any(WHOLE_GROUP in gate.text for gate in section.gates)
    }
    for section in sections:
        others = reaching.get(section.group, ())
        if section.gates == others or not others:
            yield section
            continue
        first = len(section.gates) + 1
        copied = (
            Gate(f"{section.id}-g{number}", gate.text, gate.leaves)
            for number, gate in enumerate(others, start=first)
        )
        yield replace(section, gates=(*section.gates, *copied))


def _penalties(lines: Sequence[str]) -> Iterator[Penalty]:
    """Unified deductions: each wrong citation, the wrong kind of document, standards of form."""
    text = "\n".join(lines[1:])
    top = [one for one in _NAMED.finditer(text) if not one["name"].startswith(_INSIDE)]
    number = 0
    for name, after in zip_longest(top, top[1:]):
        end = len(text) if after is None else after.start()
        for words, points, times in _parts(name["name"], text[name.end() : end]):
            number += 1
            yield Penalty(f"p{number}", words, points, times)


def _parts(name: str, text: str) -> Iterator[tuple[str, float, int | None]]:
    """The penalties under one name: the words, the points, how often."""
    found = list(_OFF.finditer(text))
    if not found:
        return
    first = found[0]
    points = float(first["points"])
    if _STANDARDS.search(text):
        rest = text[first.end() :].strip(" ：:\n")
        for one in _LISTED.split(rest):
            if words := tidy(one).strip("：: "):
                yield f"{name}：未达到“{words}”", points, 1
        return
    at = 0
    for mark in found:
        words = tidy(text[at : mark.end()]).strip("；;。 \n")
        times = None if _EVERY.search(words) else 1
        yield f"{name}：{words}", float(mark["points"]), times
        at = mark.end()

"""Rubrics that are one text: a list of questions, or the tree of headings of a document.

A consultation's has a total, then one question a line with its points (plawbench.md 3.1).

A document's has headings (一、…（20分）, 1.1 …（10分）, 1.1.1 …) that make a tree (plawbench.md
3.3): leaves are sections, unified deductions penalties. A leaf has blocks: 得分点, 扣分点 and
不及格, or 优秀档, 合格档 and 不足档 for the same three. A leaf of named grades (完全充分 5分,
部分充分 3分, …) is one item with levels.

What a fault leaves is a tier where the rubric says what the leaf then gets (本项得 9 分;
未质疑：2 分; 扣 4 分（对应中等分 6 分的情形）), and a cap where it says how much at most
(本项最高得6分) or that nothing is left.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from hengfa.base.data.jsonfile import Patterns, read_toml
from hengfa.base.errors import DataError
from hengfa.evals.grading.rubric import Deduction, Gate, Item, Level, Penalty, Rubric, Section
from hengfa.evals.suites.plawbench.rubric_defects import (
    Code,
    Defects,
    RubricReading,
    check_items,
    check_size,
    show,
)
from hengfa.evals.suites.plawbench.rubric_points import is_each, tidy
from hengfa.law.grammar.numerals import parse_number

# --- consultations ---

_QUESTIONS: Final = "提问"
_QUESTIONS_TITLE: Final = "应当追问的要点"

_PATTERNS: Final = read_toml(Path(__file__).with_suffix(".toml"), Patterns)
_SAYS: Final = {name: _PATTERNS[name] for name in _PATTERNS.patterns}


def parse_consultation(text: str, rubric_id: str) -> RubricReading:
    """Every line as an item; a line that is neither total nor item belongs to the one before it."""
    check_size(text, rubric_id, "rubrics")
    stated: float | None = None
    numbers: list[int] = []
    points: list[float] = []
    texts: list[list[str]] = []
    for line in text.splitlines():
        if total := _SAYS["stated_total"].fullmatch(line):
            stated = float(total[1])
        elif marked := _SAYS["question"].match(line):
            numbers.append(int(marked["number"]))
            points.append(float(marked["points"]))
            texts.append([line[marked.end() :].strip()])
        elif line.strip():
            if not texts:
                says = f"{line.strip()[:40]!r} is neither a total nor a question with points"
                raise DataError(says, file=rubric_id, field="rubrics")
            texts[-1].append(line.strip())
    check_items(len(points), rubric_id, "rubrics")
    if not sum(points):
        raise DataError("no question with points is here", file=rubric_id, field="rubrics")
    if silent := next((n for n, lines in enumerate(texts, start=1) if not any(lines)), None):
        raise DataError(f"question {silent} has no words", file=rubric_id, field="rubrics")
    items = tuple(
        Item(f"{_QUESTIONS}.{place}", "\n".join(lines), value)
        for place, (lines, value) in enumerate(zip(texts, points, strict=True), start=1)
    )
    maximum = sum(points)
    section = Section(_QUESTIONS, _QUESTIONS_TITLE, maximum, items)
    defects = tuple(_about_questions(stated, maximum, numbers))
    return RubricReading(Rubric(rubric_id, maximum, (section,)), defects)


def _about_questions(stated: float | None, total: float, numbers: list[int]) -> Defects:
    defects = Defects()
    if stated is None:
        defects.add(Code.NO_TOTAL, "", f"no total is stated, the items have {show(total)}")
    elif stated != total:
        says = f"the total says {show(stated)}, the items have {show(total)}"
        defects.add(Code.TOTAL, "", says)
    odd = next((n for place, n in enumerate(numbers, start=1) if n != place), None)
    if odd is not None:
        defects.add(Code.NUMBERING, _QUESTIONS, f"the number {odd} is out of sequence")
    return defects


# --- documents ---

_HEADINGS: Final = [_SAYS[f"{kind}_heading"] for kind in ("first", "second", "dotted")]
_AWARD, _DEDUCT, _FORCE, _REMARK = "award", "deduct", "force", "remark"
_BLOCKS: Final = {
    **dict.fromkeys(("得分点", "优秀档"), _AWARD),
    **dict.fromkeys(("扣分点", "合格档"), _DEDUCT),
    **dict.fromkeys(("不及格", "不合格", "不足档"), _FORCE),
    "评分依据": _REMARK,
}
_EDGES: Final = " \t　\n，,；;。、：:（）()"
_WHOLE_GROUP: Final = "本大题"
_INSIDE: Final = ("说明", "格式", "用词", "文书必备")
"""Names that are no deduction of their own: a remark, and the standards of form."""


def parse_document(text: str, score: float, rubric_id: str) -> RubricReading:
    """The leaves of a rubric whose total the data state."""
    if not 0 < score < math.inf:
        raise DataError("the score is not a number above 0", file=rubric_id, field="score")
    check_size(text, rubric_id, "Rubrics")
    tree = _read_tree(text)
    check_items(len(tree.headings), rubric_id, "Rubrics")
    leaves = tree.leaves()
    if not leaves:
        raise DataError("no heading with points is here", file=rubric_id, field="Rubrics")
    defects = _about_tree(tree, score)
    sections = [_section(tree, leaf, defects) for leaf in leaves]
    check_items(sum(len(section.items) for section in sections), rubric_id, "Rubrics")
    if not any(section.maximum for section in sections):
        raise DataError("no heading has points", file=rubric_id, field="Rubrics")
    penalties = tuple(_penalties(tree.penalties))
    whole = Rubric(rubric_id, score, tuple(_reaching(sections)), penalties)
    return RubricReading(whole, tuple(defects))


def _section(tree: _Tree, leaf: _Heading, defects: Defects) -> Section:
    """A leaf; remarks behind its heading and those above it are part of its title."""
    above = (one for one in tree.headings if f"{leaf.id}.".startswith(f"{one.id}."))
    notes = (heading.note.strip("（）()") for heading in above if heading.note)
    title = "".join((leaf.title, *(f"（{note}）" for note in notes)))
    name, points = leaf.id, leaf.points
    texts = _blocks("\n".join(leaf.lines))
    items = _award_items(name, points, texts[_AWARD], defects)
    limits, listed = _limits(name, texts[_DEDUCT])
    taken, tiers = _deductions(name, points, listed)
    forced, less = _failures(name, points, texts[_FORCE], len(limits), len(taken) + len(tiers))
    deductions, gates = (*taken, *less), (*tiers, *forced)
    for words in (*(cost.text for cost in deductions), *(gate.text for gate in gates)):
        if "其他题目" in words:
            defects.add(Code.REACH, name, f"“{words}” reaches beyond its leaf")
    gates = (*limits, *gates)
    return Section(name, title, points, items, deductions, gates, group=tree.group(leaf))


def _reaching(sections: Sequence[Section]) -> Iterator[Section]:
    """A gate that takes the whole of a group (本大题) is a gate of each of its leaves."""
    reaching = {
        section.group: section.gates
        for section in sections
        if any(_WHOLE_GROUP in gate.text for gate in section.gates)
    }
    for section in sections:
        others = reaching.get(section.group, ())
        if section.gates == others or not others:
            yield section
            continue
        numbered = enumerate(others, start=len(section.gates) + 1)
        copied = (replace(gate, id=f"{section.id}-g{number}") for number, gate in numbered)
        yield replace(section, gates=(*section.gates, *copied))


def _penalties(lines: Sequence[str]) -> Iterator[Penalty]:
    """Unified deductions: each wrong citation, the wrong kind of document, standards of form."""
    text = "\n".join(lines[1:])
    named = _SAYS["named"].finditer(text)
    top = [match for match in named if not match["name"].startswith(_INSIDE)]
    number = 0
    for name, after in zip_longest(top, top[1:]):
        end = len(text) if after is None else after.start()
        for words, points, times in _parts(name["name"], text[name.end() : end]):
            number += 1
            yield Penalty(f"p{number}", words, points, times)


def _parts(name: str, text: str) -> Iterator[tuple[str, float, int | None]]:
    """The penalties under one name: the words, the points, how often."""
    matches = list(_SAYS["off"].finditer(text))
    if matches and _SAYS["standards"].search(text):
        rest = text[matches[0].end() :].strip(" ：:\n")
        for standard in _SAYS["listed"].split(rest):
            if words := tidy(standard).strip("：: "):
                yield f"{name}：未达到“{words}”", float(matches[0]["points"]), 1
        return
    at = 0
    for mark in matches:
        words = tidy(text[at : mark.end()]).strip("；;。 \n")
        times = None if _SAYS["every"].search(words) else 1
        yield f"{name}：{words}", float(mark["points"]), times
        at = mark.end()


class _Heading(NamedTuple):
    """A heading, its lines up to the next one, and how deep it stands."""

    id: str
    title: str
    points: float
    note: str
    lines: list[str]

    @property
    def depth(self) -> int:
        return self.id.count(".")


class _Tree(NamedTuple):
    """The headings in their order, the lines of the unified deductions, and the stated total."""

    total: float | None
    headings: list[_Heading]
    penalties: list[str]

    def children(self, of: _Heading) -> list[_Heading]:
        below = (one for one in self.headings if one.id.startswith(f"{of.id}."))
        return [heading for heading in below if heading.depth == of.depth + 1]

    def leaves(self) -> list[_Heading]:
        return [heading for heading in self.headings if not self.children(heading)]

    def group(self, of: _Heading) -> str:
        """The heading of the first level above a leaf, or its own."""
        first = of.id.partition(".")[0]
        return next((heading.title for heading in self.headings if heading.id == first), of.title)


def _read_tree(text: str) -> _Tree:
    """All headings; text before the first is left out."""
    total: float | None = None
    headings: list[_Heading] = []
    penalties: list[str] = []
    ended = False
    for line in text.splitlines():
        if not line.strip():
            continue
        if ended := ended or _SAYS["penalties"].match(line) is not None:
            penalties.append(line.strip())
        elif stated := _SAYS["total"].fullmatch(line):
            total = float(stated[1])
        elif heading := _heading(line, headings):
            headings.append(heading)
        elif headings:
            headings[-1].lines.append(line.strip())
    return _Tree(total, headings, penalties)


def _heading(line: str, before: Sequence[_Heading]) -> _Heading | None:
    for pattern in _HEADINGS:
        if match := pattern.match(line):
            first = before[-1].id.partition(".")[0] if before else "0"
            named = match.groupdict()
            if named.get("one"):
                id_ = str(parse_number(named["one"]))
            elif named.get("two"):
                id_ = f"{first}.{parse_number(named['two'])}"
            else:
                id_ = named["dotted"]
            if any(earlier.id == id_ for earlier in before):
                return None
            note = line[match.end() :].strip()
            return _Heading(id_, named["title"].strip(), float(named["points"]), note, [])
    return None


def _about_tree(tree: _Tree, score: float) -> Defects:
    defects = Defects()
    if tree.total is None:
        defects.add(Code.NO_TOTAL, "", "no total is stated", "the score of the data counts")
    elif tree.total != score:
        says = f"the total says {show(tree.total)}, the data {show(score)}"
        defects.add(Code.TOTAL, "", says, "the score of the data counts")
    tops = sum(top.points for top in tree.headings if top.depth == 0)
    if tops != score:
        defects.add(Code.CHILDREN, "", f"the headings have {show(tops)} of {show(score)}")
    for heading in tree.headings:
        below = sum(child.points for child in tree.children(heading))
        if below and below != heading.points:
            says = f"the parts of {heading.id} have {show(below)} of {show(heading.points)}"
            defects.add(Code.CHILDREN, heading.id, says)
    return defects


def _blocks(text: str) -> dict[str, str]:
    """The text of each kind of block; a remark is its line only, and is left out."""
    lines: dict[str, list[str]] = {kind: [] for kind in (_AWARD, _DEDUCT, _FORCE)}
    kind = _AWARD
    at = 0
    for mark in _SAYS["block"].finditer(text):
        lines[kind].append(text[at : mark.start()])
        at = mark.end()
        meant = _BLOCKS[mark["name"] or mark["last"]]
        if meant == _REMARK:
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        else:
            kind = meant
    lines[kind].append(text[at:])
    return {kind: "\n".join(parts).strip() for kind, parts in lines.items()}


def _award_items(name: str, points: float, text: str, defects: Defects) -> tuple[Item, ...]:
    """Items by their markers; one with levels, where the leaf has grades."""
    if len(bands := list(_SAYS["band"].finditer(text))) > 1:
        levels = tuple(Level(band["name"], float(band["points"])) for band in bands)
        says = "、".join(f"{level.name} {show(level.points)}" for level in levels)
        defects.add(Code.BANDS, name, f"graded bands: {says}")
        most = max(points, *(level.points for level in levels))
        return (Item(f"{name}.1", text, most, levels=levels),)
    text = _SAYS["summed"].sub("", text)
    marks = list(_SAYS["awarded"].finditer(text))
    for mark in marks:
        if mark["typo"]:
            defects.add(Code.MARKER_FORM, name, f"“{mark[0]}” for points")
    if not marks:
        says = f"no award point has a value, the leaf has {show(points)}"
        defects.add(Code.NO_MARKER, name, says, "one item that is worth the leaf")
        return (Item(f"{name}.1", tidy(text) or name, points),)
    values = [float(mark["points"] or mark["words"]) for mark in marks]
    total = sum(values)
    if total == 2 * points and len(marks) > 1 and points in (values[0], values[-1]):
        place = -1 if values[-1] == points else 0
        says = f"{marks[place][0]} after award points of {show(points)}"
        defects.add(Code.REPEATED_TOTAL, name, says)
        repeated = marks.pop(place)
        values.pop(place)
        text = text[: repeated.start()] + " " * len(repeated[0]) + text[repeated.end() :]
    elif total != points:
        says = f"the award points have {show(total)} of {show(points)}"
        code = Code.ABOVE if total > points else Code.BELOW
        reading = "all can be earned, the leaf counts at most its points" if total > points else ""
        defects.add(code, name, says, reading)
    return tuple(_items(name, text, marks, values))


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


def _limits(name: str, text: str) -> tuple[tuple[Gate, ...], str]:
    """What a list of deductions caps (本项最高得6分), and the list without that."""
    gates: list[Gate] = []
    rest: list[str] = []
    at = 0
    for limit in _SAYS["at_most"].finditer(text):
        begin = max(text.rfind("\n", 0, limit.start()) + 1, at)
        words = text[begin : limit.end()].strip(_EDGES)
        gates.append(Gate(f"{name}-g{len(gates) + 1}", words, float(limit["left"])))
        rest.append(text[at:begin])
        at = limit.end()
    rest.append(text[at:])
    return tuple(gates), "".join(rest)


def _deductions(
    name: str, points: float, told: str
) -> tuple[tuple[Deduction, ...], tuple[Gate, ...]]:
    """Deductions of the leaf, and tiers where a remark says what the leaf then gets; both are
    numbered together. Each clause reaches back to the one before it, over sentences and lines."""
    text, results = _without_asides(told)
    deductions: list[Deduction] = []
    tiers: list[Gate] = []
    at = 0
    marks = list(_SAYS["taken"].finditer(text))
    for mark, after in zip_longest(marks, marks[1:]):
        words = text[at : mark.end()]
        at = mark.end()
        if mark["points"] is None:
            continue
        id_ = f"{name}-d{len(deductions) + len(tiers) + 1}"
        clause = _close_bracket(tidy(words).strip(_EDGES))
        end = len(text) if after is None else after.start()
        result = next((left for place, left in results if mark.end() <= place <= end), None)
        if result is not None:
            tiers.append(Gate(id_, clause, result, tier=True))
            continue
        most = float(after["most"]) if after is not None and after["most"] else points
        cap = most if most < points else None
        off = float(mark["points"])
        deductions.append(Deduction(id_, clause, off, None, is_each(words), cap))
    return tuple(deductions), tuple(tiers)


def _without_asides(told: str) -> tuple[str, list[tuple[int, float]]]:
    """The text without remarks, and where in it one said what the leaf gets."""
    kept: list[str] = []
    results: list[tuple[int, float]] = []
    at = 0
    for aside in _SAYS["aside"].finditer(told):
        kept.append(told[at : aside.start()])
        at = aside.end()
        if result := _SAYS["result"].fullmatch(aside[0]):
            results.append((sum(map(len, kept)), float(result["left"])))
    kept.append(told[at:])
    return "".join(kept), results


def _close_bracket(words: str) -> str:
    """Words with the bracket that cutting them took away."""
    return f"{words}）" if words.count("（") > words.count("）") else words


def _failures(
    name: str, points: float, text: str, gates: int, deductions: int
) -> tuple[tuple[Gate, ...], tuple[Deduction, ...]]:
    """Gates, and deductions where less is taken than the leaf has. A failing answer that gets
    something has a tier, and so has one that is named beside others (明确认可：0 分); one that gets
    nothing is capped at 0, which comes to the same."""
    forced: list[Gate] = []
    less: list[Deduction] = []
    at = 0
    for outcome in _SAYS["outcome"].finditer(text):
        said = _SAYS["aside"].sub("", text[at : outcome.end()])
        words = _close_bracket(tidy(said).strip(_EDGES))
        at = outcome.end()
        if outcome["off"] and float(outcome["off"]) < points and "本项" not in outcome[0]:
            number = deductions + len(less) + 1
            less.append(Deduction(f"{name}-d{number}", words, float(outcome["off"])))
            continue
        leaves = float(outcome["left"] or 0)
        if outcome["beyond"]:
            leaves = -float(outcome["beyond"])
        tier = leaves > 0 or outcome["named"] is not None
        forced.append(Gate(f"{name}-g{gates + len(forced) + 1}", words, leaves, tier))
    if not forced and not less and text.strip():
        forced.append(Gate(f"{name}-g{gates + 1}", tidy(text)))
    return tuple(forced), tuple(less)

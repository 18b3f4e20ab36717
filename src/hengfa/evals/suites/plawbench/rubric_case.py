"""The rubric of a case: four criteria as sections of items.

The points of a section are those of the data, and what does not add up to them is a defect
(plawbench.md 3.2 and 6). Clauses that cost points leave the text of their item and become
deductions and gates with ids; notes that cost nothing (不扣分) stay in it.

What a rubric says of the order of its steps is read as pairs of steps (plawbench.md 3.2). Rules
stand before the first step and hold for all, in the heading of a question and hold for its steps,
or inside a step and hold within it. A rule is read clause by clause: which steps it names, and what
it says of them. Where a clause names none, it speaks of those before it, or of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from hengfa.base.data.jsonfile import read_toml
from hengfa.base.data.patterns import Patterns
from hengfa.base.errors import DataError
from hengfa.evals.grading.rubric import Deduction, Item, Order, OrderKind, Rubric, Section
from hengfa.evals.suites.plawbench.dataset import TAGS, CriterionRow
from hengfa.evals.suites.plawbench.rubric_defects import (
    Code,
    Defect,
    Parsed,
    check_items,
    check_size,
    defect,
    shown,
)
from hengfa.evals.suites.plawbench.rubric_points import (
    Block,
    Choice,
    Clause,
    Cut,
    Form,
    Header,
    PointMarker,
    choose,
    costs,
    cut,
    find_clauses,
    find_marks,
    label_of,
    split_header,
    tidy,
)
from hengfa.law.grammar.numerals import parse_number

CONCLUSION, FACTS, REASONING = "结论", "案件事实", "推理过程"
STATUTES: Final = "法条依据"
SECTIONS: Final = dict(zip(TAGS, (CONCLUSION, FACTS, REASONING, STATUTES), strict=True))
"""The tag of a criterion to the id and title of its section."""
_UNITS: Final = {"推理过程": 10.0}
"""What an item is usually worth: 10 for a step of reasoning, else 5."""
_UNIT: Final = 5.0
_PATTERNS: Final = read_toml(Path(__file__).with_suffix(".toml"), Patterns)
_ALTERNATIVE: Final = _PATTERNS["alternative"]
_NONE: Final = _PATTERNS["none"]
_RULE: Final = _PATTERNS["rule"]
_RULES_LINE: Final = _PATTERNS["rules_line"]
_STATUTE_LINE: Final = _PATTERNS["statute_line"]


class _BlockItems(NamedTuple):
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
    defects = tuple(flaw for _, of in made for flaw in of)
    return Parsed(Rubric(rubric_id, maximum, tuple(section for section, _ in made)), defects)


def _section(row: CriterionRow, rubric_id: str) -> tuple[Section, list[Defect]]:
    name, maximum = SECTIONS[row.tags], row.maximum
    check_size(row.criterion, rubric_id, "criterion")
    read = _read_criterion(row.criterion, maximum, name)
    check_items(sum(len(block.parts) or 1 for block in read.blocks), rubric_id, "criterion")
    if not any(block.text or block.parts for block in read.blocks):
        raise DataError(f"nothing earns points in {name}", file=rubric_id, field="rubrics")
    made = [_items(block, f"{name}.{at}", name) for at, block in enumerate(read.blocks, start=1)]
    items = tuple(item for of_block in made for item in of_block.items)
    defects = [*read.defects, *(flaw for of_block in made for flaw in of_block.defects)]
    before = find_clauses(read.lead).clauses
    loose = [
        *(clause for clause in before if clause.points is not None),
        *(c for m in made for c in m.loose),
    ]
    deductions, odd = _of_section(loose, items, maximum, name)
    section = Section(name, name, maximum, items, deductions)
    if name != REASONING:
        return section, [*defects, *odd]
    steps = [
        _Step(tuple(item.id for item in of_block.items), block.step, block.heading)
        for of_block, block in zip(made, read.blocks, strict=True)
    ]
    inside = (line for block in read.blocks for line in _order_rules(block.text))
    order = _read_order(read.lead, steps, inside, name)
    return replace(section, order=order.order), [*defects, *odd, *order.defects]


def _items(block: Block, name: str, section: str) -> _BlockItems:
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
    return _BlockItems(items, defects, loose)


def _item(block: Block, name: str, section: str) -> _BlockItems:
    read = find_clauses(block.text)
    own = [clause for clause in read.clauses if clause.cap is None or clause.cap <= block.points]
    loose = [
        clause for clause in read.clauses if clause.cap is not None and clause.cap > block.points
    ]
    cost = costs(own, block.points, name)
    defects = [
        *cost.defects,
        *(
            defect(Code.STRAY_CLAUSE, name, f"at most {shown(cap)} off, but nothing is taken off")
            for cap in read.idle_caps
        ),
    ]
    text = read.text
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
    return _BlockItems([item], defects, loose)


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
    pieces = _with_parts(header.body, chosen)
    if not pieces.blocks:
        lead, blocks = _without_marks(header.body, points, unit, section)
        says = f"no marker for {shown(points)} points, {len(blocks)} items"
        defects.append(defect(Code.NO_MARKER, section, says))
        return _Criterion(_lead(header, lead), blocks, defects)
    blocks = pieces.blocks
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
    return _Criterion(_lead(header, pieces.lead), blocks, defects)


def _lead(header: Header, lead: str) -> str:
    return "\n".join(filter(None, (header.says, lead)))


def _about_header(header: Header, points: float, section: str) -> Iterator[Defect]:
    if header.total is not None and header.total != points:
        says = f"the heading says {shown(header.total)}, the data {shown(points)}"
        yield defect(Code.HEADER_TOTAL, section, says)


def _about_marks(header: Header, marks: Sequence[PointMarker], section: str) -> Iterator[Defect]:
    for mark in marks:
        words = header.body[mark.start : mark.end]
        if mark.form is Form.BONUS:
            yield defect(Code.BONUS, section, f"{words} is no item")
        elif mark.form in {Form.UNCLOSED, Form.BARE}:
            yield defect(Code.MARKER_FORM, section, f"“{words.strip()}” lacks brackets")


def _with_parts(body: str, chosen: Choice) -> Cut:
    """Blocks of steps; a step that its parts divide has them as blocks of its own."""
    tops = sorted([*(node.mark for node in chosen.nodes), *chosen.stray])
    pieces = cut(body, tops)
    divided = {node.mark: node.parts for node in chosen.nodes if node.parts}
    blocks = [
        _divide(block, len(divided.get(mark, ())))
        for mark, block in zip(tops, pieces.blocks, strict=True)
    ]
    return Cut(pieces.lead, blocks)


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
    pieces = cut(body, marks[:number])
    return block._replace(text=block.text[:begin].strip(), parts=tuple(pieces.blocks))


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


# --- the order of steps ---

_DIGITS: Final = "一二三四五六七八九十"
_NAMED: Final = _PATTERNS["named"]
_RANGE: Final = _PATTERNS["range"]
_FIRST_FEW: Final = _PATTERNS["first_few"]
_CLAUSE: Final = _PATTERNS["clause"]

_GROUPS: Final = _PATTERNS["groups"]
_EITHER: Final = _PATTERNS["either"]
_AFTER: Final = _PATTERNS["after"]
_LAST: Final = _PATTERNS["last"]
_FIRST: Final = _PATTERNS["first"]
_IN_PLACE: Final = _PATTERNS["in_place"]
_FREE: Final = _PATTERNS["free"]
_STRICT: Final = _PATTERNS["strict"]
_SCORES: Final = _PATTERNS["scores"]
_ABOUT_ORDER: Final = _PATTERNS["about_order"]


class _Step(NamedTuple):
    """A step: the ids of its items, its number where it has one, and its heading."""

    ids: tuple[str, ...]
    number: int | None
    heading: str


class _ReadOrder(NamedTuple):
    """The order of a section, and what is wrong with it."""

    order: Order
    defects: list[Defect]


class _Rule(NamedTuple):
    """What one clause says of some steps, by their places: free, strict, or pairs of its own."""

    kind: str
    steps: tuple[int, ...]
    pairs: frozenset[tuple[int, int]] = frozenset()


def _read_order(
    lead: str, steps: Sequence[_Step], inside: Iterable[str], section: str
) -> _ReadOrder:
    """The order of a section from its lead, the headings of its steps and the rules inside them."""
    scopes = list(_scopes(lead, steps))
    rules = [(scope, list(_rules(text, scope, steps))) for text, scope in scopes]
    in_scope = [(scope, rule) for scope, said in rules for rule in said]
    kinds = {rule.kind for _, rule in in_scope}
    within = [text for text in inside if _STRICT.search(text) and _SCORES.search(text)]
    speaking = (text for (text, _), (_, of) in zip(scopes, rules, strict=True) if of)
    said = "\n".join(dict.fromkeys(speaking))
    defects: list[Defect] = []
    if _contradictory(in_scope):
        kinds.discard("free")
        in_scope = [scoped for scoped in in_scope if scoped[1].kind != "free"]
        says = "says both that order does not matter and that steps count in order only"
        defects.append(defect(Code.CONTRADICTION, section, says))
    if not kinds and within:
        kinds, said = {"inside"}, "\n".join(within)
    if not kinds:
        labelled = any(step.number is not None for step in steps)
        return _ReadOrder(Order(OrderKind.STEPS if labelled else OrderKind.UNSTATED), defects)
    pairs = _pairs(in_scope, steps)
    kind = _kind(kinds, in_scope, len(steps), within)
    if kind is OrderKind.PARTIAL and not pairs:
        says = "the order is inside items" if within else "no step is said to come before another"
        defects.append(defect(Code.NO_PAIRS, section, says))
    return _ReadOrder(Order(kind, tuple(_ids(pairs, steps)), said), defects)


def _order_rules(text: str) -> Iterator[str]:
    """Lines of a text that say something of order."""
    return (line for line in text.splitlines() if _ABOUT_ORDER.search(line[:200]))


def _scopes(lead: str, steps: Sequence[_Step]) -> Iterator[tuple[str, tuple[int, ...]]]:
    runs = [0]
    """Where the numbering of steps begins, once for each question."""
    for place, (before, step) in enumerate(pairwise(steps), start=1):
        if before.number is not None and step.number is not None and step.number <= before.number:
            runs.append(place)
    for line in _order_rules(lead):
        for begin, end in pairwise([*runs, len(steps)]):
            yield line, tuple(range(begin, end))
    begins = [place for place, step in enumerate(steps) if step.heading]
    for begin, end in pairwise([*begins, len(steps)]):
        for line in _order_rules(steps[begin].heading):
            yield line, tuple(range(begin, end))


def _rules(text: str, scope: tuple[int, ...], steps: Sequence[_Step]) -> Iterator[_Rule]:
    """The rules of one line; every clause with the steps it names, or those named before it."""
    numbers = {steps[place].number or at: place for at, place in enumerate(scope, start=1)}
    subject: tuple[int, ...] = ()
    for clause in _CLAUSE.findall(text[:600]):
        named = tuple(
            numbers[number] for number in _step_numbers(clause, len(scope)) if number in numbers
        )
        silent = not _ABOUT_ORDER.search(clause)
        if named:
            subject = named if len(named) > 1 and not silent else (*subject, *named)
        if silent:
            continue
        yield from _rule(clause, tuple(dict.fromkeys(subject)) or scope, named, scope, numbers)


def _rule(
    clause: str,
    subject: tuple[int, ...],
    named: tuple[int, ...],
    scope: tuple[int, ...],
    numbers: dict[int, int],
) -> Iterator[_Rule]:
    def places(words: str) -> list[int]:
        return [numbers[number] for number in _step_numbers(words, len(scope)) if number in numbers]

    if groups := _GROUPS.search(clause):
        before, after = places(groups["before"]), places(groups["after"])
        pairs = frozenset((earlier, later) for earlier in before for later in after)
        yield _Rule("partial", (), pairs)
    elif _EITHER.search(clause):
        yield _Rule("partial", ())
    elif after_ := _AFTER.search(clause):
        pairs = frozenset((b, a) for a in places(after_["who"]) for b in places(after_["whom"]))
        yield _Rule("partial", (), pairs)
    elif named and (_LAST.search(clause) or _IN_PLACE.search(clause)):
        last = named[-1]
        yield _Rule("partial", (), frozenset((step, last) for step in scope if step < last))
    elif named and _FIRST.search(clause):
        first = named[0]
        yield _Rule("partial", (), frozenset((first, step) for step in scope if step != first))
    elif _FREE.search(clause):
        yield _Rule("free", subject)
    elif _STRICT.search(clause):
        yield _Rule("strict", subject)


def _step_numbers(clause: str, most: int) -> list[int]:
    """The numbers of the steps that a clause names."""
    if few := _FIRST_FEW.search(clause):
        return list(range(1, int(parse_number(few["number"]) or 0) + 1))
    if through := _RANGE.search(clause):
        first, last = (int(parse_number(through[name]) or 0) for name in ("first", "last"))
        return list(range(first, min(last, most) + 1))
    return [
        _DIGITS.index(digit) + 1
        for run in _NAMED.findall(clause)
        for digit in run
        if digit in _DIGITS
    ]


def _contradictory(in_scope: Sequence[tuple[tuple[int, ...], _Rule]]) -> bool:
    """Whether two rules of one scope say of all its steps that they are free and that not."""
    kinds: dict[tuple[int, ...], set[str]] = {}
    for scope, rule in in_scope:
        if set(rule.steps) == set(scope):
            kinds.setdefault(scope, set()).add(rule.kind)
    return any({"free", "strict"} <= said for said in kinds.values())


def _kind(
    kinds: set[str],
    in_scope: Sequence[tuple[tuple[int, ...], _Rule]],
    number: int,
    within: Sequence[str],
) -> OrderKind:
    """Strict or free: all rules are, and they speak of every step."""
    spoken = {place for _, rule in in_scope for place in rule.steps}
    whole = all(set(rule.steps) == set(scope) for scope, rule in in_scope) and len(spoken) == number
    if whole and kinds == {"strict"}:
        return OrderKind.STRICT
    if whole and kinds == {"free"} and not within:
        return OrderKind.FREE
    return OrderKind.PARTIAL


def _pairs(
    in_scope: Sequence[tuple[tuple[int, ...], _Rule]], steps: Sequence[_Step]
) -> set[tuple[int, int]]:
    """All pairs that follow, those through a third step included."""
    pairs: set[tuple[int, int]] = set()
    for _, rule in in_scope:
        pairs |= rule.pairs
        if rule.kind == "strict":
            pairs |= {(a, b) for a in rule.steps for b in rule.steps if a < b}
    for _, rule in in_scope:
        if rule.kind == "free":
            pairs -= {(a, b) for a in rule.steps for b in rule.steps}
    for middle in range(len(steps)):
        before = [a for a, b in pairs if b == middle]
        after = [b for a, b in pairs if a == middle]
        pairs |= {(a, b) for a in before for b in after}
    return pairs


def _ids(pairs: Iterable[tuple[int, int]], steps: Sequence[_Step]) -> Iterator[tuple[str, str]]:
    for before, after in sorted(pairs):
        for first in steps[before].ids:
            for then in steps[after].ids:
                yield first, then

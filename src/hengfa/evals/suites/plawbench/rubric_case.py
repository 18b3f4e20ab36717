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

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise, product
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from hengfa.base.data.jsonfile import Patterns, read_toml
from hengfa.base.errors import DataError
from hengfa.evals.grading.rubric import Deduction, Item, Order, OrderKind, Rubric, Section
from hengfa.evals.suites.plawbench.dataset import TAGS, CriterionRow
from hengfa.evals.suites.plawbench.rubric_defects import (
    Code,
    Defects,
    RubricReading,
    check_items,
    check_size,
    show,
)
from hengfa.evals.suites.plawbench.rubric_points import (
    Block,
    Choice,
    Clause,
    Cut,
    Form,
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
_UNITS: Final = {CONCLUSION: 5.0, FACTS: 5.0, REASONING: 10.0, STATUTES: 5.0}
"""What an item of a section is usually worth."""
_PATTERNS: Final = read_toml(Path(__file__).with_suffix(".toml"), Patterns)
_SAYS: Final = {name: _PATTERNS[name] for name in _PATTERNS.patterns}


def parse_case(sections: Sequence[CriterionRow], rubric_id: str) -> RubricReading:
    """The criteria of a case as one rubric; each section is there once."""
    tags = [criterion.tags for criterion in sections]
    if not tags or len(set(tags)) < len(tags):
        problem = "a section is there twice" if tags else "no section is here"
        raise DataError(problem, file=rubric_id, field="rubrics")
    defects = Defects()
    made = tuple(_section(criterion, rubric_id, defects) for criterion in sections)
    maximum = sum(section.maximum for section in made)
    return RubricReading(Rubric(rubric_id, maximum, made), tuple(defects))


def _section(row: CriterionRow, rubric_id: str, defects: Defects) -> Section:
    name, maximum = SECTIONS[row.tags], row.maximum
    check_size(row.criterion, rubric_id, "criterion")
    lead, blocks = _read_criterion(row.criterion, maximum, name, defects)
    check_items(sum(len(block.parts) or 1 for block in blocks), rubric_id, "criterion")
    if not any(block.text or block.parts for block in blocks):
        raise DataError(f"nothing earns points in {name}", file=rubric_id, field="rubrics")
    # clauses that are not an item's but the section's
    loose = [clause for clause in find_clauses(lead).clauses if clause.points is not None]
    numbered = enumerate(blocks, start=1)
    made = [_items(block, f"{name}.{at}", name, loose, defects) for at, block in numbered]
    items = tuple(chain(*made))
    section = Section(name, name, maximum, items, _of_section(loose, items, maximum, name, defects))
    if name != REASONING:
        return section
    steps = [
        _Step(tuple(item.id for item in of_block), block.step, block.heading)
        for of_block, block in zip(made, blocks, strict=True)
    ]
    inside = [line for block in blocks for line in _order_rules(block.text)]
    return replace(section, order=_read_order(lead, steps, inside, name, defects))


def _items(
    block: Block, name: str, section: str, loose: list[Clause], defects: Defects
) -> list[Item]:
    """One item, or one for each part of a step, with the step's own words before each."""
    if not block.parts:
        return [_item(block, name, section, loose, defects)]
    head = find_clauses(block.text)
    above = _with_heading(block.heading, head.text)
    loose += head.clauses
    parts = [part._replace(heading=above) for part in block.parts]
    items = (
        _item(part, f"{name}.{number}", section, loose, defects)
        for number, part in enumerate(parts, start=1)
    )
    return [replace(item, step=block.step) for item in items]


def _item(block: Block, name: str, section: str, loose: list[Clause], defects: Defects) -> Item:
    read = find_clauses(block.text)
    own: list[Clause] = []
    for clause in read.clauses:
        (own if clause.cap is None or clause.cap <= block.points else loose).append(clause)
    deductions, gates = costs(own, block.points, name, defects)
    for cap in read.idle_caps:
        says = f"at most {show(cap)} off, but nothing is taken off"
        defects.add(Code.STRAY_CLAUSE, name, says)
    text = read.text
    alternatives: tuple[str, ...] = ()
    if section == STATUTES:
        text, alternatives = _alternatives(text)
    text = _SAYS["rules_line"].sub("", text)
    elements: tuple[str, ...] = ()
    if section == REASONING:
        text, *lines = text.split("\n")
        elements = tuple(_unlabelled(line) for line in lines if line.strip())
    return Item(
        name,
        _with_heading(block.heading, text) or name,
        block.points,
        deductions,
        gates,
        elements=elements,
        alternatives=alternatives,
        step=block.step,
        statute=section == STATUTES,
    )


def _with_heading(heading: str, text: str) -> str:
    lines = (line for line in heading.splitlines() if line[:1] != "【")
    kept = filter(None, (_SAYS["rule"].sub("", line).strip() for line in lines))
    return "\n".join((*kept, text)).strip()


def _unlabelled(line: str) -> str:
    """An element without its bullet; numbers stay, because clauses name them."""
    label = label_of(line)
    return line[label.end :].strip() if label is not None and label.kind == "bullet" else line


def _alternatives(text: str) -> tuple[str, tuple[str, ...]]:
    """The text of a statute, and the statutes that are accepted in its place."""
    first, *others = _SAYS["alternative"].split(text)
    named = (other.strip(" \n）)") for other in others if not _SAYS["none"].match(other))
    rest = [other.partition("\n")[2] for other in others if _SAYS["none"].match(other)]
    return "\n".join((first.strip(), *filter(None, rest))), tuple(filter(None, named))


def _of_section(
    clauses: Sequence[Clause], items: Sequence[Item], maximum: float, name: str, defects: Defects
) -> tuple[Deduction, ...]:
    """Deductions from the whole section, without those that only repeat what items are worth."""
    kept: list[Clause] = []
    for clause in clauses:
        if clause.cap is not None and clause.cap > maximum:
            says = f"“{clause.text}”, at most {show(clause.cap)}, in a section of {show(maximum)}"
            defects.add(Code.STRAY_CLAUSE, name, says)
        elif clause.cap == maximum and all(item.maximum == clause.points for item in items):
            defects.add(Code.RESTATED, name, f"“{clause.text}”, at most all")
        elif clause.points is not None:
            kept.append(clause)
    return costs(kept, maximum, name, defects)[0]


def _read_criterion(criterion: str, points: float, section: str, defects: Defects) -> Cut:
    unit = _UNITS[section]
    header = split_header(criterion)
    if header.total is not None and header.total != points:
        says = f"the heading says {show(header.total)}, the data {show(points)}"
        defects.add(Code.HEADER_TOTAL, section, says)
    marks = find_marks(header.body)
    for mark in marks:
        words = header.body[mark.start : mark.end]
        if mark.form is Form.BONUS:
            defects.add(Code.BONUS, section, f"{words} is no item")
        elif mark.form in {Form.UNCLOSED, Form.BARE}:
            defects.add(Code.MARKER_FORM, section, f"“{words.strip()}” lacks brackets")
    chosen = choose(marks, points, unit)
    lead, blocks = _with_parts(header.body, chosen)
    if blocks:
        blocks = _fitting(header.body, blocks, chosen, points, section, defects)
    else:
        lead, blocks = _without_marks(header.body, points, unit, section)
        says = f"no marker for {show(points)} points, {len(blocks)} items"
        defects.add(Code.NO_MARKER, section, says)
    return Cut("\n".join(filter(None, (header.says, lead))), blocks)


def _with_parts(body: str, chosen: Choice) -> Cut:
    """Blocks of steps; a step that its parts divide has them as blocks of its own."""
    tops = sorted([*(node.mark for node in chosen.nodes), *chosen.stray])
    pieces = cut(body, tops)
    divided = {node.mark: node.parts for node in chosen.nodes if node.parts}
    marked = zip(tops, pieces.blocks, strict=True)
    return Cut(pieces.lead, [_divide(block, len(divided.get(mark, ()))) for mark, block in marked])


def _divide(block: Block, number: int) -> Block:
    """A step as its head and its parts; lines before the first part are the head. Markers that
    follow each other without words belong to the next step: then it has no parts."""
    inside = (mark for mark in find_marks(block.text) if mark.form is not Form.BONUS)
    first = next(inside, None) if number else None
    if first is None:
        return block
    begin = block.text.rfind("\n", 0, first.start) + 1
    body = block.text[begin:]
    marks = [mark for mark in find_marks(body) if mark.form is not Form.BONUS]
    pieces = cut(body, marks[:number])
    return block._replace(text=block.text[:begin].strip(), parts=tuple(pieces.blocks))


def _without_marks(body: str, points: float, unit: float, section: str) -> Cut:
    """Equal shares of the numbered lines whose number fits the points, or all as one item."""
    lines = [line for line in body.splitlines() if line.strip()]
    kinds = [label and label.kind for label in map(label_of, lines)]
    counts = Counter(filter(None, kinds))
    fitting = (kind for kind in counts if counts[kind] * unit == points)
    chosen = next(fitting, next(iter(counts), ""))
    if section == CONCLUSION or counts[chosen] < 2:
        return Cut("", [Block(tidy(body), points)])
    begins = [at for at, kind in enumerate(kinds) if kind == chosen]
    blocks = _blocks_from(lines, begins, points / len(begins))
    return Cut("\n".join(lines[: begins[0]]), blocks)


def _blocks_from(lines: Sequence[str], begins: Sequence[int], points: float) -> list[Block]:
    """One block from each of these lines to the next, each of so many points."""
    ends = pairwise([*begins, len(lines)])
    return [Block(tidy("\n".join(lines[begin:end])), points) for begin, end in ends]


def _fitting(
    body: str, blocks: list[Block], chosen: Choice, points: float, section: str, defects: Defects
) -> list[Block]:
    """The blocks that count, and what keeps their points from being those of the data."""
    if chosen.stray:
        unit = _UNITS[section]
        blocks = [block for block in blocks if block.points <= unit]
        says = f"a marker of {show(chosen.stray[0].points)} among items of {show(unit)}"
        defects.add(Code.STRAY_ITEM, section, says)
    if chosen.odd_parts:
        defects.add(Code.SUB_SPLIT, section, "the parts of a step do not add up to its value")
    if chosen.fits:
        return blocks
    total = sum(block.points for block in blocks)
    says = f"the items have {show(total)}, the data say {show(points)}"
    if last := _last_listing(blocks, points):
        defects.add(Code.LISTED_TWICE, section, says)
        return last
    if section == STATUTES and (each := _each_statute(body, blocks, points)):
        defects.add(Code.ONE_MARKER, section, f"one marker for {len(each)} statutes")
        return each
    defects.add(Code.ABOVE if total > points else Code.BELOW, section, says)
    return blocks


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
    begins = [at for at, line in enumerate(lines) if _SAYS["statute_line"].match(line)]
    fits = begins and len(begins) * blocks[0].points == points
    return _blocks_from(lines, begins, blocks[0].points) if fits else []


# --- the order of steps ---

_DIGITS: Final = "一二三四五六七八九十"


_Places: TypeAlias = tuple[int, ...]  # steps by their places in the section


class _Step(NamedTuple):
    """A step: the ids of its items, its number where it has one, and its heading."""

    ids: tuple[str, ...]
    number: int | None
    heading: str


class _Rule(NamedTuple):
    """What one clause says of some of the steps in its scope, by their places: free, strict, or
    pairs of its own."""

    scope: _Places
    kind: str
    steps: _Places = ()
    pairs: frozenset[tuple[int, int]] = frozenset()

    @property
    def is_of_all(self) -> bool:
        return set(self.steps) == set(self.scope)


def _read_order(
    lead: str, steps: Sequence[_Step], inside: Sequence[str], section: str, defects: Defects
) -> Order:
    """The order of a section from its lead, the headings of its steps and the rules inside them."""
    by_line = [(line, [*_rules(line, scope, steps)]) for line, scope in _scopes(lead, steps)]
    rules = [rule for _, of_line in by_line for rule in of_line]
    said = "\n".join(dict.fromkeys(line for line, of_line in by_line if of_line))
    strict = (text for text in inside if _SAYS["strict"].search(text))
    within = [text for text in strict if _SAYS["scores"].search(text)]
    # one rule says of all steps in its scope that they are free, and one that not
    of_all = {(rule.scope, rule.kind) for rule in rules if rule.is_of_all}
    if any((scope, "free") in of_all for scope, kind in of_all if kind == "strict"):
        rules = [rule for rule in rules if rule.kind != "free"]
        says = "says both that order does not matter and that steps count in order only"
        defects.add(Code.CONTRADICTION, section, says)
    if not rules and not within:
        labelled = any(step.number is not None for step in steps)
        return Order(OrderKind.STEPS if labelled else OrderKind.UNSTATED)
    pairs = _pairs(rules, steps)
    kind = _kind(rules, len(steps), within)
    if kind is OrderKind.PARTIAL and not pairs:
        says = "the order is inside items" if within else "no step is said to come before another"
        defects.add(Code.NO_PAIRS, section, says)
    ids = (product(steps[before].ids, steps[after].ids) for before, after in sorted(pairs))
    return Order(kind, tuple(chain(*ids)), said if rules else "\n".join(within))


def _order_rules(text: str) -> Iterator[str]:
    """Lines of a text that say something of order."""
    return (line for line in text.splitlines() if _SAYS["about_order"].search(line[:200]))


def _scopes(lead: str, steps: Sequence[_Step]) -> Iterator[tuple[str, _Places]]:
    runs = [0]  # where the numbering of steps begins, once for each question
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


def _rules(text: str, scope: _Places, steps: Sequence[_Step]) -> Iterator[_Rule]:
    """The rules of one line; every clause with the steps it names, or those named before it."""
    numbers = {steps[place].number or at: place for at, place in enumerate(scope, start=1)}

    def places(words: str) -> _Places:
        found = _step_numbers(words, len(scope))
        return tuple(numbers[number] for number in found if number in numbers)

    subject: _Places = ()
    for clause in _SAYS["clause"].findall(text[:600]):
        named = places(clause)
        silent = not _SAYS["about_order"].search(clause)
        if named:
            subject = named if len(named) > 1 and not silent else (*subject, *named)
        if not silent:
            yield from _rule(clause, tuple(dict.fromkeys(subject)) or scope, scope, places)


def _rule(
    clause: str, subject: _Places, scope: _Places, places: Callable[[str], _Places]
) -> Iterator[_Rule]:
    named = places(clause)
    if groups := _SAYS["groups"].search(clause):
        pairs = frozenset(product(places(groups["before"]), places(groups["after"])))
        yield _Rule(scope, "partial", pairs=pairs)
    elif _SAYS["either"].search(clause):
        yield _Rule(scope, "partial")
    elif after := _SAYS["after"].search(clause):
        pairs = frozenset(product(places(after["whom"]), places(after["who"])))
        yield _Rule(scope, "partial", pairs=pairs)
    elif named and (_SAYS["last"].search(clause) or _SAYS["in_place"].search(clause)):
        pairs = frozenset((step, named[-1]) for step in scope if step < named[-1])
        yield _Rule(scope, "partial", pairs=pairs)
    elif named and _SAYS["first"].search(clause):
        pairs = frozenset((named[0], step) for step in scope if step != named[0])
        yield _Rule(scope, "partial", pairs=pairs)
    elif _SAYS["free"].search(clause):
        yield _Rule(scope, "free", subject)
    elif _SAYS["strict"].search(clause):
        yield _Rule(scope, "strict", subject)


def _step_numbers(clause: str, most: int) -> list[int]:
    if few := _SAYS["first_few"].search(clause):
        return list(range(1, int(parse_number(few["number"]) or 0) + 1))
    if through := _SAYS["range"].search(clause):
        first, last = (int(parse_number(through[name]) or 0) for name in ("first", "last"))
        return list(range(first, min(last, most) + 1))
    named = "".join(_SAYS["named"].findall(clause))
    return [_DIGITS.index(digit) + 1 for digit in named if digit in _DIGITS]


def _kind(rules: Sequence[_Rule], number: int, within: Sequence[str]) -> OrderKind:
    """Strict or free: all rules are, and they speak of every step."""
    kinds = {rule.kind for rule in rules}
    spoken = {place for rule in rules for place in rule.steps}
    if all(rule.is_of_all for rule in rules) and len(spoken) == number:
        if kinds == {"strict"}:
            return OrderKind.STRICT
        if kinds == {"free"} and not within:
            return OrderKind.FREE
    return OrderKind.PARTIAL


def _pairs(rules: Sequence[_Rule], steps: Sequence[_Step]) -> set[tuple[int, int]]:
    """All pairs that follow, those through a third step included."""
    pairs: set[tuple[int, int]] = set()
    for rule in rules:
        pairs |= rule.pairs
        if rule.kind == "strict":
            pairs |= {(a, b) for a in rule.steps for b in rule.steps if a < b}
    for rule in rules:
        if rule.kind == "free":
            pairs -= set(product(rule.steps, repeat=2))
    for middle in range(len(steps)):
        before = [a for a, b in pairs if b == middle]
        after = [b for a, b in pairs if a == middle]
        pairs |= set(product(before, after))
    return pairs

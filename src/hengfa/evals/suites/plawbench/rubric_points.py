"""Points in the text of a rubric: markers that give and clauses that cost them (plawbench.md 3.2).

The criterion of a case is cut into blocks, one for each marker such as （+5分）. A marker stands
before or after its text, and a line may have two. Lines after a marked line belong to it, up to a
heading or to the next marked line.

A clause (扣2分, -3分, 扣完5分为止, 不得分, 仅得3分) reaches back to the bracket, sentence or
clause before it. Text is walked through once, so that a line of any length takes a time in
proportion to it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from hengfa.base.data.jsonfile import Patterns, read_toml
from hengfa.evals.grading.rubric import Deduction, Gate
from hengfa.evals.suites.plawbench.rubric_defects import Code, Defects, show
from hengfa.law.grammar.numerals import parse_number

# --- markers ---


class Form(StrEnum):
    """How a marker is written."""

    SIGNED = "signed"  # （+5分）
    UNSIGNED = "unsigned"  # （10分）, （本条3分）
    UNCLOSED = "unclosed"  # （+5分 without its bracket
    BARE = "bare"  # +10分 at the end of a line
    WHOLE = "whole"  # （3点答全+10分）: the value of a step whose parts have values too
    BONUS = "bonus"  # （全部答对直接+10分）: another way to the same points


class PointMarker(NamedTuple):
    """A marker at ``start`` to ``end`` of a text."""

    start: int
    end: int
    points: float
    form: Form


class Header(NamedTuple):
    """What stands before the rules and items: the total it states, what it says beside it
    (无论证顺序要求), and the text after it."""

    total: float | None
    says: str
    body: str


_PATTERNS: Final = read_toml(Path(__file__).with_suffix(".toml"), Patterns)
_SAYS: Final = {name: _PATTERNS[name] for name in _PATTERNS.patterns}
_HEADERS: Final = [_SAYS[f"{kind}_header"] for kind in ("numbered", "titled", "ordered")]
_TRAILING: Final = "；;，,、。 \t　"


def split_header(criterion: str) -> Header:
    """Take headings off; the first total they state is the section's."""
    total: float | None = None
    says = ""
    at = 0
    while match := next((m for pattern in _HEADERS if (m := pattern.match(criterion, at))), None):
        if total is None and match["total"]:
            total = float(match["total"])
        says = says or match.groupdict().get("says") or ""
        at = match.end()
    body = criterion[at:].lstrip(" \t　，,：:。")
    if rule := _SAYS["rule"].match(body):
        body = f"{body[: rule.end()].strip()}\n{body[rule.end() :]}"
    return Header(total, says.strip("，, "), _SAYS["run_on"].sub("\n", body).strip())


def find_marks(body: str) -> list[PointMarker]:
    """All markers in the order of the text."""
    marks: list[PointMarker] = []
    for match in _SAYS["mark"].finditer(body):
        for form in (Form.SIGNED, Form.UNCLOSED, Form.UNSIGNED, Form.BARE):
            if match[form]:
                marks.append(PointMarker(*match.span(), float(match[form]), form))
                break
        else:
            form = Form.WHOLE if match["words"].endswith("答全") else Form.BONUS
            marks.append(PointMarker(*match.span(), float(match["worded"]), form))
    return marks


class Node(NamedTuple):
    """A marker that is an item, or a step that its parts divide."""

    mark: PointMarker
    parts: tuple[PointMarker, ...] = ()


class Choice(NamedTuple):
    """Which markers are items. ``fits`` says that they add up to the points."""

    nodes: list[Node]
    fits: bool
    odd_parts: bool = False
    """Whether parts were passed over because they do not add up to their step."""
    stray: tuple[PointMarker, ...] = ()
    """Markers worth more than an item of this section can be: of another section."""


def choose(marks: Sequence[PointMarker], points: float, unit: float) -> Choice:
    """The reading of the markers that adds up to the points of the data, if there is one. A step
    may be followed by its own division, so nested readings come first; unsigned markers are taken
    for items only where the signed ones do not suffice (plawbench.md 6)."""
    counted = [mark for mark in marks if mark.form is not Form.BONUS]
    plain = [mark for mark in counted if mark.form is not Form.WHOLE]
    signed = [mark for mark in plain if mark.form is not Form.UNSIGNED]
    for nodes in (_nest(plain), [Node(mark) for mark in signed], _nest(signed)):
        if nodes and _total(nodes) == points:
            return Choice(nodes, fits=True)
    if plain and sum(mark.points for mark in plain) == points:
        return Choice([Node(mark) for mark in plain], fits=True)
    steps = [Node(mark) for mark in counted if mark.points == unit]
    if len(steps) < len(counted) and _total(steps) == points:
        nested = {node.mark: node for node in _nest(counted)}
        nodes = [nested.get(node.mark, node) for node in steps]
        stray = tuple(mark for mark in counted if mark.points > unit)
        return Choice(nodes, fits=True, odd_parts=not stray, stray=stray)
    return Choice([Node(mark) for mark in signed or plain], fits=False)


def _nest(marks: Sequence[PointMarker]) -> list[Node]:
    """Each marker with the two or more that follow it and add up to it, if they do."""
    nodes: list[Node] = []
    at = 0
    while at < len(marks):
        whole, end, total = marks[at], at + 1, 0.0
        while end < len(marks) and total < whole.points:
            total += marks[end].points
            end += 1
        divided = total == whole.points and end - at > 2
        nodes.append(Node(whole, tuple(marks[at + 1 : end]) if divided else ()))
        at = end if divided else at + 1
    return nodes


def _total(nodes: Sequence[Node]) -> float:
    return sum(node.mark.points for node in nodes)


class Label(NamedTuple):
    """What a line begins with: its kind, such as step or bracket, and its number, 0 for bullets."""

    kind: str
    number: int
    end: int


class Block(NamedTuple):
    """The text of one marker without it, and the headings above it."""

    text: str
    points: float
    heading: str = ""
    parts: tuple[Block, ...] = ()

    @property
    def label(self) -> Label | None:
        return label_of(self.text)

    @property
    def step(self) -> int | None:
        """The number of a step that calls itself one."""
        for text in (self.text, self.heading.rpartition("\n")[2]):
            label = label_of(text)
            if label is not None and label.kind == "step":
                return label.number
        return None


class Cut(NamedTuple):
    """A text as blocks, and what stands before the first of them."""

    lead: str
    blocks: list[Block]


def label_of(text: str, at: int = 0) -> Label | None:
    """The label at the beginning of a line, past blanks and a square bracket."""
    blank = _SAYS["blank"].match(text, at)
    match = _SAYS["labels"].match(text, blank.end() if blank else at)
    if match is None or match.lastgroup is None:
        return None
    number = parse_number(match[match.lastgroup])
    return Label(match.lastgroup, int(number or 0), match.end())


def cut(body: str, marks: Sequence[PointMarker]) -> Cut:
    """The text around each marker; the lead is all of it where there is no marker."""
    if not marks:
        return Cut(body.strip(), [])
    places = _places(body, _Lines(body), marks)
    blocks: list[Block] = []
    for number, mark in enumerate(marks):
        top, own = places[number]
        end = places[number + 1].top if number + 1 < len(marks) else len(body)
        text = body[own : mark.start] + body[mark.end : end]
        blocks.append(Block(tidy(text), mark.points, body[top:own].strip()))
    return Cut(body[: places[0].top].strip(), blocks)


def tidy(text: str) -> str:
    """Text without blank lines, and without the punctuation that a marker leaves at its edges."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line).strip().strip(_TRAILING).strip()


class _Lines:
    def __init__(self, text: str) -> None:
        self.text = text
        self.begins = [0, *(match.end() for match in re.finditer("\n", text))]

    def number(self, at: int) -> int:
        return bisect_right(self.begins, at) - 1

    def start(self, at: int) -> int:
        return self.begins[self.number(at)]

    def line(self, number: int) -> str:
        end = self.begins[number + 1] if number + 1 < len(self.begins) else len(self.text)
        return self.text[self.begins[number] : end].strip()


class _Place(NamedTuple):
    """Where a block begins with its headings, and without."""

    top: int
    own: int


def _places(body: str, lines: _Lines, marks: Sequence[PointMarker]) -> list[_Place]:
    first = label_of(body, lines.start(marks[0].start))
    places: list[_Place] = []
    leads = False  # whether the first marker of the current line stands before its text
    for number, mark in enumerate(marks):
        begin = lines.start(mark.start)
        before = marks[number - 1] if number else None
        if before is not None and before.end > begin:
            at = _after_label(body, before.end, mark) if leads else before.end
            places.append(_Place(at, at))
            continue
        # the marker before has no text yet when this line begins: it ended the line above
        if before is not None and not (
            body[before.end : begin].strip()
            or body[places[-1].own : before.start].strip(" \t　[·•")
        ):
            places.append(_Place(mark.start, mark.start))
            leads = True
            continue
        label = label_of(body, begin)
        leads = not body[label.end if label else begin : mark.start].strip(" \t　[【·•")
        line = lines.number(mark.start)
        above = 0 if before is None else lines.number(before.start) + 1
        if label is None and leads:
            label = label_of(body, mark.end)
        own = line
        if label is None or label.kind in {"bracket", "bullet"}:
            kind = "" if leads or first is None else first.kind
            own = _own_beginning(lines, above, line, kind)
        over = {"arabic"} if label is not None and label.kind == "bracket" else set()
        top = _with_headings(lines, above, own, over)
        places.append(_Place(lines.begins[top], lines.begins[own]))
    return places


def _after_label(body: str, begin: int, mark: PointMarker) -> int:
    """Where a marker in mid-line begins with the label in front of it: ……；2、（+5分）."""
    tail = body[max(begin, mark.start - 6) : mark.start]
    for at in range(len(tail)):
        label = label_of(tail, at)
        if label is not None and not tail[label.end :].strip():
            return mark.start - len(tail) + at
    return mark.start


def _with_headings(lines: _Lines, first: int, number: int, over: set[str]) -> int:
    """The line where the headings above a marked line begin; ``over`` are kinds above its own."""
    top = number
    for at in range(number - 1, first - 1, -1):
        line = lines.line(at)
        label = label_of(line)
        if line and not _is_heading(line) and (label is None or label.kind not in over):
            break
        top = at if line else top
    return top


def _is_heading(line: str) -> bool:
    label = label_of(line)
    if line.startswith("【") or label is None:
        return line.startswith("【")
    bare = len(line) - label.end <= 1
    return label.kind in {"question", "chinese"} or (label.kind == "step" and bare)


def _own_beginning(lines: _Lines, first: int, number: int, kind: str) -> int:
    """The line where the item of a marked line begins: itself, or one above it that is labelled.
    That is a line of the kind that items have (a paragraph with its marker at the end), or the name
    of a step over the one line of it that has the marker."""
    for at in range(number - 1, first - 1, -1):
        line = lines.line(at)
        label = label_of(line)
        if label is not None and label.kind in {kind, "step"} and "顺序" not in line:
            return number if _is_heading(line) else at
    return number


# --- clauses ---

_EDGES: Final = " \t　，,；;。、：:=（("
_CONTEXT: Final = 80


class Clause(NamedTuple):
    """A deduction, or a gate where ``points`` is None: a tier that gives ``given``, if anything."""

    text: str
    points: float | None
    most: float | None
    each: bool
    cap: float | None
    shares: int  # how many deductions have the same cap together
    unstated: bool = False
    given: float | None = None


class Clauses(NamedTuple):
    """The clauses of a text, and the text without those that stand in brackets."""

    clauses: list[Clause]
    text: str
    idle_caps: list[float]  # caps that cap nothing


def find_clauses(text: str) -> Clauses:
    """All clauses in the order of the text."""
    walk = _Walk(text)
    for token in _SAYS["token"].finditer(text):
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
        self.bracket = 0  # where the outermost open bracket is, or was last
        self.open_to_cap = 0  # the first clause that the next cap holds for

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
        if len(words) < 24 and _SAYS["points_back"].search(words):
            before = self.text[self.line : self.bracket].strip()
            if before and self.bracket > self.line:
                short = before if len(before) <= _CONTEXT else f"{before[:_CONTEXT]}…"
                words = f"{words}（{short}）"
        each = points is not None and is_each(self.text[start : token.end()])
        unstated = token["unstated"] is not None
        given = float(token["given"]) if token["given"] else None
        self.clauses.append(Clause(words, points, most, each, None, 0, unstated, given))
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
        return _SAYS["empty_brackets"].sub("", "".join(kept)).strip()


def _points(token: re.Match[str]) -> tuple[float | None, float | None]:
    if token["gate"] or token["tier"]:
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
    """Whether a clause that ends in 扣N分 takes them for every occurrence. Only its last words say
    so: 未针对每一项诉请反对，扣2分 takes them once."""
    *before, last = _SAYS["last_words"].split(words[-_CONTEXT:])
    if _SAYS["alone"].match(last) and before and _SAYS["begins_each"].match(before[-1]):
        return True
    return bool(_SAYS["each"].search(last))


def costs(
    clauses: Sequence[Clause], maximum: float, where: str, defects: Defects
) -> tuple[tuple[Deduction, ...], tuple[Gate, ...]]:
    """Clauses as deductions and gates of what has this maximum; caps that change nothing go."""
    deductions: list[Deduction] = []
    gates: list[Gate] = []
    shared: set[str] = set()
    together = sum(each.most or each.points or 0 for each in clauses)
    for clause in clauses:
        if clause.points is None:
            tier = () if clause.given is None else (clause.given, True)
            gates.append(Gate(f"{where}-g{len(gates) + 1}", clause.text, *tier))
            continue
        cap = clause.cap if clause.cap is not None and clause.cap < maximum else None
        if clause.unstated:
            defects.add(Code.NO_POINTS, where, f"“{clause.text}” does not say how many points")
        if cap is not None and clause.shares > 1 and together > cap:
            says = f"{clause.shares} deductions together take at most {show(cap)}"
            if says not in shared:
                defects.add(Code.SHARED_CAP, where, says)
            shared.add(says)
        name = f"{where}-d{len(deductions) + 1}"
        told = (clause.text, clause.points, clause.most, clause.each, cap)
        deductions.append(Deduction(name, *told))
    return tuple(deductions), tuple(gates)

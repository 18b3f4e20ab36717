"""Rubrics that people write for their own questions, in YAML (docs/grading.md).

    sections:
      - title: 结论
        items:
          - text: 合同可以解除
            points: 5
            deductions: [{text: 没有说明理由, points: 2}]

Ids are made where none are given, maxima are the sums unless they are stated. A rubric may come
from anywhere, so the file is small, has no aliases (a few lines of them can stand for billions of
values) and no key twice, and what is in it is text, numbers, lists and mappings, read field by
field with errors that name the place.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Final, TypeVar

import yaml

from hengfa.base.data.jsonfile import whole_characters
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError
from hengfa.evals.grading.rubric import (
    Deduction,
    Gate,
    Item,
    Level,
    Order,
    OrderKind,
    Penalty,
    Rubric,
    Section,
)

T = TypeVar("T")
MOST_BYTES: Final = 256 * 1024
MOST_DEPTH: Final = 20
_RUBRIC: Final = ("sections", "id", "maximum", "penalties")
_SECTION: Final = (
    *("title", "items", "id", "maximum", "deductions", "gates", "order", "group"),
    "counts",
)
_ITEM: Final = (
    *("text", "points", "id", "deductions", "gates", "levels", "elements", "alternatives"),
    *("step", "statute", "critical"),
)
_DEDUCTION: Final = ("text", "points", "id", "most", "each", "cap")
_GATE: Final = ("text", "id", "leaves", "tier")
_LEVEL: Final = ("name", "points")
_ORDER: Final = ("kind", "pairs", "text")
_PENALTY: Final = ("text", "points", "id", "times", "all")
_BOTTOM: Final = -1e6


def read_rubric(file: Path) -> Rubric:
    """The rubric of a YAML file; what is wrong with it is said with file and field."""
    whole = read_yaml(file)
    fields = whole.mapping(_RUBRIC)
    ids: dict[str, str] = {}
    given = _need(whole, fields, "sections").listing()
    if not given:
        raise fields["sections"].wrong("expected at least one section")
    sections = tuple(_section(field, place, ids) for place, field in enumerate(given, start=1))
    _check_section_ids(given, sections)
    penalties = _numbered(fields, "penalties", _penalty, "p", ids)
    total = math.fsum(section.maximum for section in sections if section.counts)
    maximum = fields["maximum"].number() if "maximum" in fields else total
    if not maximum:
        raise (fields.get("maximum") or whole).wrong("nothing can be earned: the maximum is 0")
    name = fields["id"].text() if "id" in fields else file.stem
    return Rubric(name, maximum, sections, penalties)


def _need(at: Field, fields: Mapping[str, Field], name: str) -> Field:
    if name not in fields:
        raise at.below(name).wrong("this field is missing")
    return fields[name]


def _check_section_ids(given: Sequence[Field], sections: Sequence[Section]) -> None:
    seen: set[str] = set()
    for at, section in zip(given, sections, strict=True):
        if section.id in seen:
            raise at.below("id").wrong(f"two sections are called {section.id!r}: give them ids")
        seen.add(section.id)


def _own_id(fields: Mapping[str, Field], at: Field, otherwise: str, ids: dict[str, str]) -> str:
    """The id of something that a grader names; no two are the same."""
    name = fields["id"].text() if "id" in fields else otherwise
    if name in ids:
        raise at.below("id").wrong(f"the id {name!r} is that of {ids[name]} already")
    ids[name] = at.path
    return name


def _section(at: Field, place: int, ids: dict[str, str]) -> Section:
    fields = at.mapping(_SECTION)
    title = _need(at, fields, "title").text()
    name = fields["id"].text() if "id" in fields else title
    if not _need(at, fields, "items").listing():
        raise fields["items"].wrong(f"section {place} has no items")
    items = _numbered(fields, "items", _item, f"{name}.", ids)
    total = math.fsum(item.maximum for item in items)
    return Section(
        name,
        title,
        fields["maximum"].number() if "maximum" in fields else total,
        items,
        _numbered(fields, "deductions", _deduction, f"{name}-d", ids),
        _numbered(fields, "gates", _gate, f"{name}-g", ids),
        _order(fields["order"], items) if "order" in fields else Order(),
        fields["group"].text() if "group" in fields else "",
        fields["counts"].flag() if "counts" in fields else True,
    )


def _item(at: Field, name: str, ids: dict[str, str]) -> Item:
    fields = at.mapping(_ITEM)
    text = _need(at, fields, "text").text()
    levels = tuple(_levels(fields["levels"])) if "levels" in fields else ()
    if levels and "points" not in fields:
        points = max(level.points for level in levels)
    else:
        points = _need(at, fields, "points").number()
    for level in levels:
        if level.points > points:
            problem = f"{level.name!r} is worth {level.points:g}, the item only {points:g}"
            raise fields["levels"].wrong(problem)
    name = _own_id(fields, at, name, ids)
    return Item(
        name,
        text,
        points,
        _numbered(fields, "deductions", _deduction, f"{name}-d", ids),
        _numbered(fields, "gates", _gate, f"{name}-g", ids),
        levels,
        _texts(fields, "elements"),
        _texts(fields, "alternatives"),
        fields["step"].whole() if "step" in fields else None,
        fields["statute"].flag() if "statute" in fields else False,
        fields["critical"].flag() if "critical" in fields else False,
    )


def _texts(fields: Mapping[str, Field], name: str) -> tuple[str, ...]:
    return tuple(field.text() for field in fields[name].listing()) if name in fields else ()


def _levels(at: Field) -> Iterable[Level]:
    """Grades as a mapping of names to points, or as a list of both."""
    if isinstance(at.value, dict):
        for name, points in at.value.items():
            given = at.below(str(name), points)
            yield Level(Field(name, at.file, given.path).text(), given.number())
        return
    seen: set[str] = set()
    for field in at.listing():
        fields = field.mapping(_LEVEL)
        level = Level(_need(field, fields, "name").text(), _need(field, fields, "points").number())
        if level.name in seen:
            raise field.wrong(f"two grades are called {level.name!r}")
        seen.add(level.name)
        yield level


def _numbered(
    fields: Mapping[str, Field],
    name: str,
    read: Callable[[Field, str, dict[str, str]], T],
    prefix: str,
    ids: dict[str, str],
) -> tuple[T, ...]:
    """What a list has, each called after its place unless it has an id."""
    listed = fields[name].listing() if name in fields else []
    return tuple(read(field, f"{prefix}{place}", ids) for place, field in enumerate(listed, 1))


def _deduction(at: Field, name: str, ids: dict[str, str]) -> Deduction:
    fields = at.mapping(_DEDUCTION)
    points = _need(at, fields, "points").number()
    return Deduction(
        _own_id(fields, at, name, ids),
        _need(at, fields, "text").text(),
        points,
        fields["most"].number(least=points) if "most" in fields else None,
        fields["each"].flag() if "each" in fields else False,
        fields["cap"].number() if "cap" in fields else None,
    )


def _gate(at: Field, name: str, ids: dict[str, str]) -> Gate:
    fields = at.mapping(_GATE)
    leaves = fields["leaves"].number(least=_BOTTOM) if "leaves" in fields else 0.0
    return Gate(
        _own_id(fields, at, name, ids),
        _need(at, fields, "text").text(),
        leaves,
        fields["tier"].flag() if "tier" in fields else False,
    )


def _penalty(at: Field, name: str, ids: dict[str, str]) -> Penalty:
    fields = at.mapping(_PENALTY)
    everything = fields["all"].flag() if "all" in fields else False
    free = everything and "points" not in fields
    points = 0.0 if free else _need(at, fields, "points").number()
    return Penalty(
        _own_id(fields, at, name, ids),
        _need(at, fields, "text").text(),
        points,
        fields["times"].whole() if "times" in fields else None,
        everything,
    )


def _order(at: Field, items: Sequence[Item]) -> Order:
    """``strict``, ``free`` or another kind; pairs of items; or all of it in fields."""
    if isinstance(at.value, list):
        return Order(OrderKind.PARTIAL, _pairs(at, items))
    if not isinstance(at.value, dict):
        return _order_of(at, items, None, "")
    fields = at.mapping(_ORDER)
    pairs = _pairs(fields["pairs"], items) if "pairs" in fields else None
    text = fields["text"].text() if "text" in fields else ""
    return _order_of(_need(at, fields, "kind"), items, pairs, text)


def _order_of(
    at: Field, items: Sequence[Item], pairs: tuple[tuple[str, str], ...] | None, text: str
) -> Order:
    kinds = [str(kind) for kind in OrderKind]
    if at.value not in kinds:
        raise at.wrong(f"expected one of {', '.join(kinds)}, or a list of pairs")
    kind = OrderKind(at.text())
    if pairs is None:
        pairs = chain(items) if kind is OrderKind.STRICT else ()
    elif pairs and kind not in {OrderKind.STRICT, OrderKind.PARTIAL}:
        raise at.wrong(f"an order that is {kind} has no pairs")
    return Order(kind, pairs, text)


def _pairs(at: Field, items: Sequence[Item]) -> tuple[tuple[str, str], ...]:
    """Pairs of ids or of numbers of items, of which the first comes first."""
    pairs: dict[tuple[str, str], None] = {}
    for pair in at.listing():
        members = pair.listing()
        if len(members) != 2:
            raise pair.wrong("expected two items, of which the first comes first")
        first, then = (_item_id(member, items) for member in members)
        if first == then:
            raise pair.wrong(f"{first!r} cannot come before itself")
        pairs[first, then] = None
    _refuse_circles(at, pairs)
    return tuple(pairs)


def _item_id(at: Field, items: Sequence[Item]) -> str:
    if isinstance(at.value, int) and not isinstance(at.value, bool):
        if 1 <= at.value <= len(items):
            return items[at.value - 1].id
        raise at.wrong(f"the section has {len(items)} items")
    name = at.text()
    if all(item.id != name for item in items):
        known = ", ".join(item.id for item in items[:5])
        raise at.wrong(f"no item of the section is called {name!r}; there is: {known}")
    return name


def _refuse_circles(at: Field, pairs: Iterable[tuple[str, str]]) -> None:
    """Take away what nothing comes before, until nothing is left or nothing can be taken."""
    left = set(pairs)
    while left:
        later = {then for _, then in left}
        free = {pair for pair in left if pair[0] not in later}
        if not free:
            around = ", ".join(sorted(later)[:4])
            raise at.wrong(f"these come before each other in a circle: {around}")
        left -= free


def chain(items: Sequence[Item]) -> tuple[tuple[str, str], ...]:
    """All pairs of a strict order: every item before every later one."""
    return tuple(combinations((item.id for item in items), 2))


class Field:
    """One value of a file, and the way to it: ``sections[0].items[2].points``."""

    def __init__(self, value: object, file: Path, path: str = "") -> None:
        self.value = value
        self.file = file
        self.path = path

    def wrong(self, problem: str) -> DataError:
        """The error that names this place."""
        return DataError(problem, file=self.file, field=self.path or None)

    def mapping(self, known: Sequence[str]) -> dict[str, Field]:
        """The fields of a mapping; one that is not known is an error with a suggestion."""
        if not isinstance(self.value, dict):
            raise self.wrong(
                f"expected fields such as {', '.join(known[:3])}, not {_kind(self.value)}"
            )
        fields: dict[str, Field] = {}
        for name, value in self.value.items():
            if name not in known:
                close = difflib.get_close_matches(str(name), known, n=1)
                hint = f"did you mean {close[0]!r}?" if close else f"there is: {', '.join(known)}"
                raise self.below(str(name)).wrong(f"there is no such field; {hint}")
            fields[name] = self.below(name, value)
        return fields

    def below(self, name: str, value: object = None) -> Field:
        """The field of this name."""
        return Field(value, self.file, f"{self.path}.{name}" if self.path else name)

    def listing(self) -> list[Field]:
        """The members of a list."""
        if not isinstance(self.value, list):
            raise self.wrong(f"expected a list, not {_kind(self.value)}")
        return [
            Field(value, self.file, f"{self.path}[{place}]")
            for place, value in enumerate(self.value)
        ]

    def text(self) -> str:
        """Text that says something."""
        if not isinstance(self.value, str):
            hint = "" if isinstance(self.value, dict | list) else "; put it in quotes"
            raise self.wrong(f"expected text, not {_kind(self.value)}{hint}")
        if not self.value.strip():
            raise self.wrong("expected text, not nothing")
        return self.value

    def number(self, *, least: float = 0.0) -> float:
        """A number that is not below ``least``."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(f"expected a number, not {_kind(value)}")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self.wrong("expected a number that is not infinite")
        if number < least:
            below = "negative points" if least == 0 else f"below {least:g}"
            raise self.wrong(f"{number:g} is {below}")
        return number

    def whole(self) -> int:
        """A whole number from 1."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or self.value < 1:
            raise self.wrong(f"expected a whole number from 1, not {_kind(self.value)}")
        return self.value

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.wrong(f"expected true or false, not {_kind(self.value)}")
        return self.value


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "fields"
    if isinstance(value, list):
        return "a list"
    return repr(value)[:40]


def read_yaml(file: Path) -> Field:
    """The file as a tree of fields."""
    with disk_errors(file), file.open("rb") as stream:
        content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise DataError(f"larger than {MOST_BYTES // 1024} KB: that is no rubric", file=file)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8: {error.reason} at byte {error.start}", file=file) from error
    try:
        _refuse_traps(text, file)
        _refuse_twice(yaml.compose(text, Loader=yaml.SafeLoader), file)
        return Field(yaml.safe_load(text), file)
    except yaml.MarkedYAMLError as error:
        place = error.problem_mark or error.context_mark
        row = None if place is None else place.line + 1
        raise DataError(f"not readable as YAML: {error.problem}", file=file, row=row) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        problem = str(error).splitlines()[0]
        raise DataError(f"not readable as YAML: {problem}", file=file) from error


def _refuse_traps(text: str, file: Path) -> None:
    """Aliases, halves of characters, and nesting that must be meant to break something."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            row = event.start_mark.line + 1
            raise DataError("anchors and aliases (& and *) are not accepted", file=file, row=row)
        if isinstance(event, yaml.ScalarEvent) and whole_characters(event.value) != event.value:
            mark = event.start_mark
            row = None if mark is None else mark.line + 1
            raise DataError("half of a character, such as \\ud800", file=file, row=row)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MOST_DEPTH:
            row = event.start_mark.line + 1
            raise DataError(f"nested deeper than {MOST_DEPTH} levels", file=file, row=row)


def _refuse_twice(node: yaml.Node | None, file: Path) -> None:
    """A key that is there twice: YAML readers keep the last without a word."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    row = key.start_mark.line + 1
                    raise DataError(f"the field {key.value!r} is there twice", file=file, row=row)
                seen.add(key.value)
            _refuse_twice(value, file)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _refuse_twice(value, file)

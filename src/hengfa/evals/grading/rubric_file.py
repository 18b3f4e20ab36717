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
from typing import Any, Final, TypeAlias, TypeVar

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
Readers: TypeAlias = Mapping[str, Callable[["Field"], Any]]  # by the name of a field: what reads it
Ids: TypeAlias = dict[str, str]  # where each id was given
MOST_BYTES: Final = 256 * 1024
MOST_DEPTH: Final = 20
_BOTTOM: Final = -1e6
_MISSING: Final = "this field is missing"


class Field:
    """One value of a file, and the way to it: ``sections[0].items[2].points``."""

    def __init__(self, value: object, file: Path, path: str = "") -> None:
        self.value = value
        self.file = file
        self.path = path

    def wrong(self, problem: str) -> DataError:
        """The error that names this place."""
        return DataError(problem, file=self.file, field=self.path or None)

    def values(self, readers: Readers, *needed: str) -> dict[str, Any]:
        """What is in the fields of a mapping; one that is not known is an error with a suggestion,
        and one that is needed and not there."""
        if not isinstance(self.value, dict):
            says = f"expected fields such as {', '.join([*readers][:3])}, not {_kind(self.value)}"
            raise self.wrong(says)
        for name in self.value:
            if name not in readers:
                close = difflib.get_close_matches(str(name), readers, n=1)
                hint = f"did you mean {close[0]!r}?" if close else f"there is: {', '.join(readers)}"
                raise self.below(str(name)).wrong(f"there is no such field; {hint}")
        for name in needed:
            if name not in self.value:
                raise self.below(name).wrong(_MISSING)
        return {name: readers[name](self.below(name, it)) for name, it in self.value.items()}

    def below(self, name: str, value: object = None) -> Field:
        """The field of this name."""
        return Field(value, self.file, f"{self.path}.{name}" if self.path else name)

    def listing(self) -> list[Field]:
        """The members of a list."""
        if not isinstance(self.value, list):
            raise self.wrong(f"expected a list, not {_kind(self.value)}")
        named = ((f"{self.path}[{place}]", value) for place, value in enumerate(self.value))
        return [Field(value, self.file, path) for path, value in named]

    def itself(self) -> Field:
        """What is read later, when more is known."""
        return self

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

    def signed(self) -> float:
        """A number that may be below 0."""
        return self.number(least=_BOTTOM)

    def texts(self) -> tuple[str, ...]:
        """A list of texts."""
        return tuple(member.text() for member in self.listing())

    def levels(self) -> tuple[Level, ...]:
        """Grades as a mapping of names to points, or as a list of both."""
        if isinstance(self.value, dict):
            given = [(name, self.below(str(name), points)) for name, points in self.value.items()]
            return tuple(
                Level(Field(name, self.file, at.path).text(), at.number()) for name, at in given
            )
        levels: dict[str, Level] = {}
        for member in self.listing():
            level = Level(**member.values(_LEVEL, "name", "points"))
            if level.name in levels:
                raise member.wrong(f"two grades are called {level.name!r}")
            levels[level.name] = level
        return tuple(levels.values())

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


_KINDS: Final = {type(None): "nothing", dict: "fields", list: "a list"}


def _kind(value: object) -> str:
    return _KINDS.get(type(value)) or repr(value)[:40]


_FAULTS: Final[Readers] = {"deductions": Field.listing, "gates": Field.listing}
_RUBRIC: Final[Readers] = {
    "sections": Field.listing, "id": Field.text, "maximum": Field.number,
    "penalties": Field.listing,
}  # fmt: skip
_SECTION: Final[Readers] = {
    "title": Field.text, "items": Field.listing, "id": Field.text, "maximum": Field.number,
    **_FAULTS, "order": Field.itself, "group": Field.text, "counts": Field.flag,
}  # fmt: skip
_ITEM: Final[Readers] = {
    "text": Field.text, "points": Field.number, "id": Field.text, **_FAULTS,
    "levels": Field.levels, "elements": Field.texts, "alternatives": Field.texts,
    "step": Field.whole, "statute": Field.flag, "critical": Field.flag,
}  # fmt: skip
_DEDUCTION: Final[Readers] = {
    "text": Field.text, "points": Field.number, "id": Field.text, "most": Field.number,
    "each": Field.flag, "cap": Field.number,
}  # fmt: skip
_GATE: Final[Readers] = {
    "text": Field.text, "id": Field.text, "leaves": Field.signed, "tier": Field.flag,
}  # fmt: skip
_LEVEL: Final[Readers] = {"name": Field.text, "points": Field.number}
_ORDER: Final[Readers] = {"kind": Field.itself, "pairs": Field.itself, "text": Field.text}
_PENALTY: Final[Readers] = {
    "text": Field.text, "points": Field.number, "id": Field.text, "times": Field.whole,
    "all": Field.flag,
}  # fmt: skip


def read_rubric(file: Path) -> Rubric:
    """The rubric of a YAML file; what is wrong with it is said with file and field."""
    whole = read_yaml(file)
    said = whole.values(_RUBRIC, "sections")
    if not said["sections"]:
        raise whole.below("sections").wrong("expected at least one section")
    ids: Ids = {}
    sections: dict[str, Section] = {}
    for place, at in enumerate(said["sections"], start=1):
        section = _section(at, place, ids)
        if section.id in sections:
            raise at.below("id").wrong(f"two sections are called {section.id!r}: give them ids")
        sections[section.id] = section
    penalties = _read_list(said, "penalties", _penalty, "p", ids)
    total = math.fsum(section.maximum for section in sections.values() if section.counts)
    maximum = said.get("maximum", total)
    if not maximum:
        at = whole.below("maximum") if "maximum" in said else whole
        raise at.wrong("nothing can be earned: the maximum is 0")
    return Rubric(said.get("id", file.stem), maximum, tuple(sections.values()), penalties)


def _section(at: Field, place: int, ids: Ids) -> Section:
    said = at.values(_SECTION, "title", "items")
    name = said.get("id", said["title"])
    if not said["items"]:
        raise at.below("items").wrong(f"section {place} has no items")
    items = _read_list(said, "items", _item, f"{name}.", ids)
    total = math.fsum(item.maximum for item in items)
    order = {"order": _order(said["order"], items)} if "order" in said else {}
    faults = _faults(said, name, ids)
    return Section(**{"maximum": total} | said | order | faults | {"id": name, "items": items})


def _item(at: Field, name: str, ids: Ids) -> Item:
    said = at.values(_ITEM, "text")
    levels: tuple[Level, ...] = said.get("levels", ())
    points = said.pop("points", max((level.points for level in levels), default=None))
    if points is None:
        raise at.below("points").wrong(_MISSING)
    for level in levels:
        if level.points > points:
            problem = f"{level.name!r} is worth {level.points:g}, the item only {points:g}"
            raise at.below("levels").wrong(problem)
    name = _own_id(said, at, name, ids)
    return Item(**said | _faults(said, name, ids) | {"id": name, "maximum": points})


def _faults(said: Mapping[str, Any], name: str, ids: Ids) -> dict[str, Any]:
    return {
        "deductions": _read_list(said, "deductions", _deduction, f"{name}-d", ids),
        "gates": _read_list(said, "gates", _gate, f"{name}-g", ids),
    }


def _read_list(
    said: Mapping[str, Any], name: str, read: Callable[[Field, str, Ids], T], prefix: str, ids: Ids
) -> tuple[T, ...]:
    """What a list has, each called after its place unless it has an id."""
    listed = enumerate(said.get(name, ()), start=1)
    return tuple(read(field, f"{prefix}{place}", ids) for place, field in listed)


def _own_id(said: Mapping[str, Any], at: Field, otherwise: str, ids: Ids) -> str:
    """The id of something that a grader names; no two are the same."""
    name: str = said.get("id", otherwise)
    if name in ids:
        raise at.below("id").wrong(f"the id {name!r} is that of {ids[name]} already")
    ids[name] = at.path
    return name


def _deduction(at: Field, name: str, ids: Ids) -> Deduction:
    said = at.values(_DEDUCTION, "points", "text")
    if "most" in said:
        at.below("most", said["most"]).number(least=said["points"])
    return Deduction(**said | {"id": _own_id(said, at, name, ids)})


def _gate(at: Field, name: str, ids: Ids) -> Gate:
    said = at.values(_GATE, "text")
    return Gate(**said | {"id": _own_id(said, at, name, ids)})


def _penalty(at: Field, name: str, ids: Ids) -> Penalty:
    said = at.values(_PENALTY, "text")
    if "points" not in said and not said.get("all"):
        raise at.below("points").wrong(_MISSING)
    return Penalty(**{"points": 0.0} | said | {"id": _own_id(said, at, name, ids)})


def _order(at: Field, items: Sequence[Item]) -> Order:
    """``strict``, ``free`` or another kind; pairs of items; or all of it in fields."""
    if isinstance(at.value, list):
        return Order(OrderKind.PARTIAL, _pairs(at, items))
    said: dict[str, Any] = {"kind": at}
    if isinstance(at.value, dict):
        said = at.values(_ORDER, "kind")
    pairs = _pairs(said["pairs"], items) if "pairs" in said else None
    at, kinds = said["kind"], [str(kind) for kind in OrderKind]
    if at.value not in kinds:
        raise at.wrong(f"expected one of {', '.join(kinds)}, or a list of pairs")
    kind = OrderKind(at.text())
    if pairs is None:
        pairs = chain(items) if kind is OrderKind.STRICT else ()
    elif pairs and kind not in {OrderKind.STRICT, OrderKind.PARTIAL}:
        raise at.wrong(f"an order that is {kind} has no pairs")
    return Order(kind, pairs, said.get("text", ""))


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
    """Takes away what nothing comes before, until nothing is left or nothing can be taken."""
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

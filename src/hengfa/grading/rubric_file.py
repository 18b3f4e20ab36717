"""Rubrics that people write for their own questions, in YAML (docs/plawbench-rubrics.md).

    sections:
      - title: 结论
        items:
          - text: 合同可以解除
            points: 5
            deductions: [{text: 没有说明理由, points: 2}]

Ids are made where none are given, maxima are the sums unless they are stated.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from hengfa.data.jsonfile import write_atomically
from hengfa.grading.rubric import (
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
from hengfa.grading.rubric_file_fields import Field, read_yaml
from hengfa.grading.rubric_file_writing import as_yaml, chain

_RUBRIC: Final = ("sections", "id", "maximum", "penalties")
_SECTION: Final = (
    "title",
    "items",
    "id",
    "maximum",
    "deductions",
    "gates",
    "order",
    "group",
    "counts",
)
_ITEM: Final = (
    "text",
    "points",
    "id",
    "deductions",
    "gates",
    "levels",
    "elements",
    "alternatives",
    "step",
    "statute",
)
_DEDUCTION: Final = ("text", "points", "id", "most", "each", "cap")
_GATE: Final = ("text", "id", "leaves")
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
    sections = tuple(_section(one, place, ids) for place, one in enumerate(given, start=1))
    _check_section_ids(given, sections)
    listed = fields["penalties"].listing() if "penalties" in fields else []
    penalties = tuple(_penalty(one, f"p{place}", ids) for place, one in enumerate(listed, start=1))
    total = math.fsum(one.maximum for one in sections if one.counts)
    maximum = fields["maximum"].number() if "maximum" in fields else total
    if not maximum:
        raise (fields.get("maximum") or whole).wrong("nothing can be earned: the maximum is 0")
    name = fields["id"].text() if "id" in fields else file.stem
    return Rubric(name, maximum, sections, penalties)


def write_rubric(rubric: Rubric, file: Path) -> None:
    """The rubric as YAML that reads back as it is."""
    write_atomically(file, as_yaml(rubric).encode("utf-8"))


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


def _named(fields: Mapping[str, Field], at: Field, otherwise: str, ids: dict[str, str]) -> str:
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
    listed = _need(at, fields, "items").listing()
    if not listed:
        raise fields["items"].wrong(f"section {place} has no items")
    items = tuple(_item(one, f"{name}.{n}", ids) for n, one in enumerate(listed, start=1))
    total = math.fsum(item.maximum for item in items)
    return Section(
        name,
        title,
        fields["maximum"].number() if "maximum" in fields else total,
        items,
        _deductions(fields, name, ids),
        _gates(fields, name, ids),
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
    name = _named(fields, at, name, ids)
    return Item(
        name,
        text,
        points,
        _deductions(fields, name, ids),
        _gates(fields, name, ids),
        levels,
        _texts(fields, "elements"),
        _texts(fields, "alternatives"),
        fields["step"].whole() if "step" in fields else None,
        fields["statute"].flag() if "statute" in fields else False,
    )


def _texts(fields: Mapping[str, Field], name: str) -> tuple[str, ...]:
    return tuple(one.text() for one in fields[name].listing()) if name in fields else ()


def _levels(at: Field) -> Iterable[Level]:
    """Grades as a mapping of names to points, or as a list of both."""
    if isinstance(at.value, dict):
        for name, points in at.value.items():
            given = at.below(str(name), points)
            yield Level(Field(name, at.file, given.path).text(), given.number())
        return
    seen: set[str] = set()
    for one in at.listing():
        fields = one.mapping(_LEVEL)
        level = Level(_need(one, fields, "name").text(), _need(one, fields, "points").number())
        if level.name in seen:
            raise one.wrong(f"two grades are called {level.name!r}")
        seen.add(level.name)
        yield level


def _deductions(
    fields: Mapping[str, Field], owner: str, ids: dict[str, str]
) -> tuple[Deduction, ...]:
    listed = fields["deductions"].listing() if "deductions" in fields else []
    return tuple(
        _deduction(one, f"{owner}-d{place}", ids) for place, one in enumerate(listed, start=1)
    )


def _deduction(at: Field, name: str, ids: dict[str, str]) -> Deduction:
    fields = at.mapping(_DEDUCTION)
    points = _need(at, fields, "points").number()
    return Deduction(
        _named(fields, at, name, ids),
        _need(at, fields, "text").text(),
        points,
        fields["most"].number(least=points) if "most" in fields else None,
        fields["each"].flag() if "each" in fields else False,
        fields["cap"].number() if "cap" in fields else None,
    )


def _gates(fields: Mapping[str, Field], owner: str, ids: dict[str, str]) -> tuple[Gate, ...]:
    listed = fields["gates"].listing() if "gates" in fields else []
    return tuple(_gate(one, f"{owner}-g{place}", ids) for place, one in enumerate(listed, start=1))


def _gate(at: Field, name: str, ids: dict[str, str]) -> Gate:
    fields = at.mapping(_GATE)
    leaves = fields["leaves"].number(least=_BOTTOM) if "leaves" in fields else 0.0
    return Gate(_named(fields, at, name, ids), _need(at, fields, "text").text(), leaves)


def _penalty(at: Field, name: str, ids: dict[str, str]) -> Penalty:
    fields = at.mapping(_PENALTY)
    everything = fields["all"].flag() if "all" in fields else False
    free = everything and "points" not in fields
    points = 0.0 if free else _need(at, fields, "points").number()
    return Penalty(
        _named(fields, at, name, ids),
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
    for one in at.listing():
        members = one.listing()
        if len(members) != 2:
            raise one.wrong("expected two items, of which the first comes first")
        first, then = (_item_id(member, items) for member in members)
        if first == then:
            raise one.wrong(f"{first!r} cannot come before itself")
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

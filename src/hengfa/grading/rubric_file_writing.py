"""A rubric as the YAML that :func:`hengfa.grading.rubric_file.read_rubric` reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

import yaml

from hengfa.grading.rubric import (
    Deduction,
    Gate,
    Item,
    Order,
    OrderKind,
    Rubric,
    Section,
)

_BREAKS: Final = "\x85\u2028\u2029"
"""Signs that YAML takes for the end of a line, unless they are escaped."""


class _Dumper(yaml.SafeDumper):
    """Writes lines as lines, and every sign so that it reads back."""


def _represent_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = '"' if any(sign in text for sign in _BREAKS) else "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _represent_text)


def as_yaml(rubric: Rubric) -> str:
    """All that a rubric says, without what goes without saying."""
    return yaml.dump(
        _rubric_fields(rubric), Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=100
    )


def chain(items: Sequence[Item]) -> tuple[tuple[str, str], ...]:
    """All pairs of a strict order: every item before every later one."""
    return tuple(combinations((item.id for item in items), 2))


def _rubric_fields(rubric: Rubric) -> dict[str, object]:
    fields: dict[str, object] = {"id": rubric.id, "maximum": _plain(rubric.maximum)}
    fields["sections"] = [_section_fields(one) for one in rubric.sections]
    if rubric.penalties:
        fields["penalties"] = [
            _without_defaults(
                {
                    "id": one.id,
                    "text": one.text,
                    "points": _plain(one.points),
                    "times": one.times,
                    "all": one.all,
                }
            )
            for one in rubric.penalties
        ]
    return fields


def _section_fields(section: Section) -> dict[str, object]:
    fields: dict[str, object] = {"id": section.id, "title": section.title}
    if section.group:
        fields["group"] = section.group
    fields["maximum"] = _plain(section.maximum)
    if not section.counts:
        fields["counts"] = False
    if section.order != Order():
        fields["order"] = _order_fields(section)
    fields["items"] = [_item_fields(item) for item in section.items]
    return fields | _fault_fields(section.deductions, section.gates)


def _order_fields(section: Section) -> object:
    order = section.order
    plain = chain(section.items) if order.kind is OrderKind.STRICT else ()
    if order == Order(order.kind, plain):
        return str(order.kind)
    fields: dict[str, object] = {"kind": str(order.kind), "pairs": [list(p) for p in order.pairs]}
    return fields | ({"text": order.text} if order.text else {})


def _item_fields(item: Item) -> dict[str, object]:
    fields: dict[str, object] = {"id": item.id, "text": item.text, "points": _plain(item.maximum)}
    if item.levels:
        fields["levels"] = [
            {"name": level.name, "points": _plain(level.points)} for level in item.levels
        ]
    if item.elements:
        fields["elements"] = list(item.elements)
    if item.alternatives:
        fields["alternatives"] = list(item.alternatives)
    fields |= _without_defaults({"step": item.step, "statute": item.statute})
    return fields | _fault_fields(item.deductions, item.gates)


def _fault_fields(deductions: Sequence[Deduction], gates: Sequence[Gate]) -> dict[str, object]:
    fields: dict[str, object] = {}
    if deductions:
        fields["deductions"] = [
            _without_defaults(
                {
                    "id": one.id,
                    "text": one.text,
                    "points": _plain(one.points),
                    "most": None if one.most is None else _plain(one.most),
                    "each": one.each,
                    "cap": None if one.cap is None else _plain(one.cap),
                }
            )
            for one in deductions
        ]
    if gates:
        fields["gates"] = [_gate_fields(one) for one in gates]
    return fields


def _gate_fields(gate: Gate) -> dict[str, object]:
    fields: dict[str, object] = {"id": gate.id, "text": gate.text}
    return fields | ({"leaves": _plain(gate.leaves)} if gate.leaves else {})


def _without_defaults(fields: Mapping[str, object]) -> dict[str, object]:
    return {name: one for name, one in fields.items() if one is not None and one is not False}


def _plain(number: float) -> float | int:
    """5 rather than 5.0."""
    return int(number) if number.is_integer() and abs(number) < 1e15 else number

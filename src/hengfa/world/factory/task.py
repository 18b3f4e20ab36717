"""A generated task as it is written: the fields of the benchmark, and how it is solved."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from hengfa.data.jsonfile import read_lines, write_atomically
from hengfa.world.factory.plan import AnyPlan
from hengfa.world.lookups import Lookup

JOINT: Final = "----"
"""Joins the tools of a gold path (specification, 1.1)."""


class Task(msgspec.Struct, frozen=True):
    """One task. `template` is the question before it was rewritten, where it was."""

    id: int
    question: str
    answer: str
    key: tuple[str, ...]
    key_middle: tuple[str, ...]
    type: str
    way: str
    hops: int
    plan: AnyPlan
    template: str | None = None
    keep: tuple[str, ...] = ()
    """Pieces of the question that no rewriting may lose."""


def type_number(lookup: Lookup) -> int:
    """The number of a tool in `type`, in which get_legal_abstract is 16 (specification, 1.1)."""
    if lookup.name == "get_legal_abstract":
        return 16
    return lookup.number - 1 if 8 <= lookup.number <= 16 else lookup.number


def write_tasks(file: Path, tasks: Iterable[Task]) -> None:
    """All tasks as JSON lines; the file is there when it is whole."""
    encode = msgspec.json.Encoder().encode
    write_atomically(file, b"".join(encode(task) + b"\n" for task in tasks))


def read_tasks(file: Path) -> list[Task]:
    """Generated tasks with their plans."""
    return [task for _, task in read_lines(file, Task)]

"""Tasks and their gold paths, from upstream's `dataset.json` or generated `tasks.jsonl`
(legalagentbench.md 1.1).

Generated tasks are JSON lines of the same fields and `hops`. The group of a task is the number of
its hops; where that is not given, the number of tools on its path. Both end at five: upstream's own
5-hop group has eight tasks with six tools. In the official file this gives the same groups as the
places that the paper counts by (1-80, 81-160, …), which its `type` does not: tasks 193 and 194 are
called 2-15-1 and need three tools.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.jsonfile import read_json, read_lines
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError
from hengfa.evals.engine.messages import Message
from hengfa.evals.suites.base import Chosen
from hengfa.world.tables.schema import LOOKUP_OF

SETTINGS: Final = ("react", "plan-solve", "plan-execute", "tools")
"""The agent methods of the paper, and ours."""

HOPS: Final = ("1-hop", "2-hop", "3-hop", "4-hop", "5-hop")
WRITING: Final = "writing"
GROUPS: Final = (*HOPS, WRITING)

OFFICIAL, GENERATED = "dataset.json", "tasks.jsonl"
BERTSCORE: Final = "bertscore"

# What joins two tools: "----", and once "---"; not the "_" inside a name.
_JOINT: Final = re.compile("-{3,}")
_BRACKETS: Final = "【】"
_UNBRACKETED: Final = str.maketrans("", "", _BRACKETS)

SWAPPED = "type and way are swapped"
SHORT_JOINT = "tools are joined otherwise than by four hyphens"
BRACKETED = "tools stand in brackets"
MORE_TOOLS = "more tools than hops"
OTHER_TYPE = "the type says another number of hops"


class AgentSample(msgspec.Struct, frozen=True):
    """One task. `key` and `key_middle` are lists as in the data: they may have a key twice. `line`
    is its place in the file, from 1, by which published runs are aligned. `irregular` names what
    had to be put right to read it."""

    id: str
    group: str
    line: int
    question: str
    answer: str
    key: tuple[str, ...]
    key_middle: tuple[str, ...]
    type: str
    path: tuple[str, ...]
    irregular: tuple[str, ...] = ()
    bertscore: str = ""


BY_HOPS, BY_START, BY_PATH = "hops", "start", "path"


def facets_of(sample: AgentSample) -> dict[str, str]:
    """The group; where there is a path, the tool that it begins with, and the whole of it. A path
    was used for two questions as a rule, and whoever cannot go it fails on both: such tasks are
    drawn together. Writing tasks have no path; each stands alone."""
    if not sample.path:
        return {BY_HOPS: sample.group}
    return {BY_HOPS: sample.group, BY_START: sample.path[0], BY_PATH: " → ".join(sample.path)}


def start_of(sample: AgentSample) -> str:
    """A limited run takes its share of every tool that a path can begin with."""
    return next(iter(sample.path), "")


def prompt(sample: AgentSample, _setting: str) -> tuple[Message, ...]:
    """What a model without tools is asked; agents build their own prompts around it."""
    return (Message("user", sample.question),)


class _Hop(msgspec.Struct, frozen=True):
    tool: str


class _Plan(msgspec.Struct, frozen=True):
    """Of a generated task; over a world with tables of its own it names the tools of these."""

    hops: tuple[_Hop, ...] = ()


class _Row(msgspec.Struct, frozen=True):
    id: int | str
    question: str
    answer: str
    key: list[str]
    key_middle: list[str]
    type: str
    way: str
    hops: int | None = None
    plan: _Plan | None = None


def load(group: str, root: Path, _setting: str, options: Chosen) -> list[AgentSample]:
    """The tasks of one group; none where the data has none of them."""
    samples = [sample for sample in all_samples(root) if sample.group == group]
    if model := options.get(BERTSCORE):
        return [msgspec.structs.replace(sample, bertscore=model) for sample in samples]
    return samples


def all_samples(root: Path) -> tuple[AgentSample, ...]:
    """Every task in the order of the file; an unchanged file is read once."""
    there = [file for file in (root / OFFICIAL, root / GENERATED) if file.is_file()]
    if len(there) != 1:
        both = f"expected {OFFICIAL} or {GENERATED}, and there are both"
        raise DataError(
            both if there else f"there is neither {OFFICIAL} nor {GENERATED}", file=root
        )
    with disk_errors(there[0]):
        return _read_tasks(there[0], there[0].stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _read_tasks(file: Path, _changed: int) -> tuple[AgentSample, ...]:
    lines = file.name == GENERATED
    rows = [row for _, row in read_lines(file, _Row)] if lines else read_json(file, list[_Row])
    samples: dict[str, AgentSample] = {}
    for line, row in enumerate(rows, start=1):
        sample = _sample(row, line, file)
        if sample.id in samples:
            raise DataError(f"the id {sample.id} is there twice", file=file, row=line, field="id")
        samples[sample.id] = sample
    if not samples:
        raise DataError("there is no task in this file", file=file)
    return tuple(samples.values())


def _sample(row: _Row, line: int, file: Path) -> AgentSample:
    for field in ("key", "key_middle"):
        if not all(key.strip() for key in getattr(row, field)):
            problem = "a key is blank: it would be in every text"
            raise DataError(problem, file=file, row=line, field=field)
    if not row.key:
        raise DataError("without a key nothing can be scored", file=file, row=line, field="key")
    own = frozenset(hop.tool for hop in row.plan.hops) if row.plan else frozenset()
    swapped = _is_path(row.type)
    kind, way = (row.way, row.type) if swapped else (row.type, row.way)
    try:
        path = parse_path(way, own)
    except ValueError as error:
        raise DataError(str(error), file=file, row=line, field="way") from error
    hops = len(path) if row.hops is None else row.hops
    if hops < 0 or (hops and not path):
        raise DataError(f"{hops} hops without a path", file=file, row=line, field="hops")
    group = HOPS[min(hops, len(HOPS)) - 1] if hops else WRITING
    usual = "----".join(path)
    named = kind.partition("-")[0]
    repaired = {
        SWAPPED: swapped,
        SHORT_JOINT: way.translate(_UNBRACKETED) != usual,
        BRACKETED: any(bracket in way for bracket in _BRACKETS),
        MORE_TOOLS: group != WRITING and len(path) > int(group[0]),
        OTHER_TYPE: group != WRITING and named.isdecimal() and f"{named}-hop" != group,
    }
    return AgentSample(
        id=str(row.id),
        group=group,
        line=line,
        question=row.question,
        answer=row.answer,
        key=tuple(row.key),
        key_middle=tuple(row.key_middle),
        type=kind,
        path=path,
        irregular=tuple(name for name, there in repaired.items() if there),
    )


def parse_path(way: str, own: Collection[str] = ()) -> tuple[str, ...]:
    """The tools of a path as the data writes it; empty for an empty text. Paths name database tools
    only: the 28, and those that a world has of its `own`. Retrievers and arithmetic, which many
    tasks need as well, stand on no path. Raises ValueError with the name of what is no database
    tool."""
    tools = tuple(part.strip(_BRACKETS + " ") for part in _JOINT.split(way)) if way.strip() else ()
    for tool in tools:
        if tool not in LOOKUP_OF and tool not in own:
            raise ValueError(f"{tool!r} is no database tool")
    return tools


def _is_path(text: str) -> bool:
    try:
        return bool(parse_path(text))
    except ValueError:
        return False

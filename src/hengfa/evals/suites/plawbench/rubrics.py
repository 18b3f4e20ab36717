"""The rubrics of the released files, read out of their prose once.

What the parsers make of a file is kept as indented JSON, which a person can read, and evaluations
read that: of the sample pack in `sample_rubrics`, else in `HENGFA_HOME/rubrics`. It is made when
the pack is pulled; of data that came otherwise when it is first asked for, with a notice. A kept
file names the version of the reading and the sum of the file that it was read from; where one of
them is another, or nobody can read it, it is made anew.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from hengfa.base.data.jsonfile import read_json, write_atomically
from hengfa.base.data.paths import disk_errors, home
from hengfa.base.errors import DataError
from hengfa.evals.grading.rubric import Rubric
from hengfa.evals.suites.plawbench.released import (
    PACK,
    TASKS,
    CaseRow,
    DocumentRow,
    Released,
    read_released,
)

if TYPE_CHECKING:
    from hengfa.evals.suites.plawbench.rubric_defects import Parsed

VERSION: Final = "1"
"""Goes up when the same prose is read otherwise."""
SHIPPED: Final = Path(__file__).with_name("sample_rubrics")
_LOG: Final = logging.getLogger(__name__)


class Kept(msgspec.Struct, frozen=True):
    """The rubrics of one file in the order of its rows; `source` is its name, `sha256` its sum."""

    version: str
    source: str
    sha256: str
    rubrics: tuple[Rubric, ...]


def rubrics_of(released: Released) -> tuple[Rubric, ...]:
    """The rubric of every row, as it is kept; what is not is read here, and kept from now on."""
    for folder in (SHIPPED, at_home()):
        if kept := _kept(folder / name_of(released), released):
            return kept.rubrics
    derived = derive(released)
    place = at_home() / name_of(released)
    try:
        keep(derived, place)
        where = f"kept in {place}"
    except DataError as error:
        where = f"not kept, and read again next time: {error}"
    _LOG.warning("rubrics of %s: read out of their prose, %s", released.file, where)
    return derived.rubrics


def prepare(root: Path) -> None:
    """Keep the rubrics of a pack that was just pulled."""
    for task in TASKS:
        released = read_released(root, task)
        place = at_home() / name_of(released)
        if _kept(place, released) is None:
            keep(derive(released), place)


def derive(released: Released) -> Kept:
    """The rubrics of a file, read out of their prose."""
    rubrics = tuple(parsed.rubric for parsed in parsed_of(released))
    return Kept(VERSION, released.file.name, released.sha256, rubrics)


def keep(kept: Kept, place: Path) -> None:
    """Write rubrics where evaluations find them, as lines that a person can read."""
    with disk_errors(place):
        place.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(place, msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")


def at_home() -> Path:
    """Where rubrics are kept on this machine."""
    return home() / "rubrics" / PACK


def name_of(released: Released) -> str:
    """What the file is called that has the rubrics of a source."""
    return f"{released.file.stem}-{released.sha256[:16]}.json"


def _kept(file: Path, released: Released) -> Kept | None:
    """What a file keeps, if it is of this reading and of this source."""
    if not file.is_file():
        return None
    try:
        kept = read_json(file, Kept)
    except DataError:
        return None
    same = (kept.version, kept.sha256) == (VERSION, released.sha256)
    return kept if same and len(kept.rubrics) == len(released.rows) else None


def parsed_of(released: Released) -> Iterator[Parsed]:
    """The prose of every row as a rubric, with what is wrong with it."""
    # the parsers are imported by those who have prose before them
    from hengfa.evals.suites.plawbench.rubric_case import parse_case  # noqa: PLC0415
    from hengfa.evals.suites.plawbench.rubric_text import (  # noqa: PLC0415
        parse_consultation,
        parse_document,
    )

    for name, row in released.rows.items():
        try:
            if isinstance(row, CaseRow):
                yield parse_case(row.rubrics, name)
            elif isinstance(row, DocumentRow):
                yield parse_document(row.rubrics, row.score, name)
            else:
                yield parse_consultation(row.rubrics, name)
        except DataError as error:  # parsers know no file
            raise DataError(str(error), file=released.file) from error

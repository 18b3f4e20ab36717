"""The suites by name: those of this house, each imported only when it is asked for, and those from
outside, which are equals.

A package announces a suite by an entry point of the group `hengfa.evals.suites`; a private one is a
file (`--suite FILE.py`). Files are passed on to worker processes in the environment. Every suite is
checked when it comes in: what is wrong with a declaration is said here, not where it hurts.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Final

from hengfa.base.data import catalogue
from hengfa.base.data.paths import StrPath
from hengfa.base.errors import DataError, HengfaError, UsageError
from hengfa.base.hooks import offered
from hengfa.evals.results.published import papers
from hengfa.evals.suites.base import AnyTask, Rules, Suite

OWN: Final[dict[str, str]] = offered("suites")
"""Name of a suite of a wing: the module whose `SUITE` declares it."""

GROUP: Final = "hengfa.evals.suites"
FILES: Final = "HENGFA_SUITES"
"""The environment variable with the files of private suites, apart as in PATH."""

_RENAMED: Final = {"law": "grammar", "training": "recipes", "world": "tables"}
"""Rooms that have another name since they moved into wings."""

_NAME: Final = re.compile(r"[a-z][a-z0-9-]*")  # "lawbench", "claw-cases"; not "Law Bench"
# "1-1", "案由"; not "a/b", "a,b", "a#1", "a b", each of which means something in a key or a command
_PART: Final = re.compile(r"[^\s/,#]+")


def get_suite(name: str) -> Suite:
    """The suite of this name, from here or from outside."""
    if name in OWN:
        return _own(name)
    outside = outside_suites()
    if name not in outside:
        there_is = f"{', '.join([*OWN, *outside])}. A private one is given with --suite FILE.py"
        raise UsageError(f"there is no suite {name!r}; there is: {there_is}")
    return outside[name]


def suite_names() -> list[str]:
    """All suites that are here, ours first."""
    return [*OWN, *outside_suites()]


def outside_suites() -> dict[str, Suite]:
    """Suites of files and of installed packages, checked, their packs and tables made known."""
    suites: dict[str, tuple[str, Suite]] = {}
    files = (part for part in os.environ.get(FILES, "").split(os.pathsep) if part)
    loaded = [
        *((file, _from_file(Path(file))) for file in files),
        *((f"entry point {point.value}", _from_package(point)) for point in _points()),
    ]
    for place, suite in loaded:
        if suite.name in OWN:
            raise UsageError(f"{place}: there is a suite {suite.name!r} already; choose a name")
        if suite.name in suites and suites[suite.name][1] is not suite:
            raise UsageError(f"{place}: {suites[suite.name][0]} has the suite {suite.name!r} too")
        suites[suite.name] = place, suite
    outside = {name: suite for name, (_, suite) in suites.items()}
    catalogue.set_outside(suite.entry for suite in outside.values() if suite.entry is not None)
    papers.set_outside({name: s.tables for name, s in outside.items() if s.tables is not None})
    return outside


def use_file(file: Path) -> Suite:
    """Take in a private suite, for this process and those that it starts."""
    path = str(file.resolve())
    suite = _from_file(Path(path))
    before = [part for part in os.environ.get(FILES, "").split(os.pathsep) if part]
    os.environ[FILES] = os.pathsep.join(dict.fromkeys([*before, path]))
    return outside_suites()[suite.name]


def use_suite(file: StrPath) -> str:
    """Take in a private suite from a Python file, which runs; returns the name of the suite."""
    return use_file(Path(file)).name


@lru_cache(maxsize=32)
def _own(name: str) -> Suite:
    return _check_suite(import_module(OWN[name]).SUITE, OWN[name])


@lru_cache(maxsize=1)
def _points() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))


@lru_cache(maxsize=32)
def _from_package(point: EntryPoint) -> Suite:
    place = f"entry point {point.value}"
    with _naming(place):
        suite = point.load()
    return _check_suite(suite, place)


def _from_file(file: Path) -> Suite:
    if not file.is_file():
        raise UsageError(f"--suite: there is no file {file}")
    return _run_file(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=32)
def _run_file(file: Path, _changed: int) -> Suite:
    """The file is code of the person who names it, and runs as such; once it is changed, anew."""
    name = f"hengfa_suite_{sha256(os.fsencode(file)).hexdigest()[:16]}"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UsageError(f"--suite: {file} is not a Python file")
    module = sys.modules[name] = module_from_spec(spec)
    with _naming(f"--suite: {file}"):
        spec.loader.exec_module(module)
    return _check_suite(getattr(module, "SUITE", None), str(file))


@contextmanager
def _naming(place: str) -> Iterator[None]:
    """Say whose code it is that fails."""
    try:
        yield
    except HengfaError:
        raise
    except Exception as error:
        why = f"{place} fails with {type(error).__name__}: {error}"
        if isinstance(error, ModuleNotFoundError) and (moved := _new_home(error.name or "")):
            why = f"{why}; {moved}"
        raise UsageError(why) from error


def _new_home(module: str) -> str:
    """Where a room is now that an earlier version had at the top."""
    room = module.removeprefix("hengfa.").partition(".")[0]
    homes = [
        f"hengfa.{wing}.{_RENAMED.get(room, room)}"
        for wing in ("base", "law", "evals", "world", "train")
        if find_spec(f"hengfa.{wing}.{_RENAMED.get(room, room)}")
    ]
    return f"hengfa.{room} is {homes[0]} now" if homes and module.startswith("hengfa.") else ""


def _check_suite(suite: object, place: str) -> Suite:
    """A suite whose declaration holds together; else an error that names the place."""
    if not isinstance(suite, Suite):
        raise DataError("declares no SUITE made of hengfa.evals.suites.base.Suite", file=place)
    if not _NAME.fullmatch(suite.name):
        raise _wrong(place, "name", f"{suite.name!r} is not of small letters, digits and hyphens")
    if not suite.settings:
        raise _wrong(place, "settings", "there is none: a suite has at least one")
    if not suite.tasks:
        raise _wrong(place, "tasks", "there is none")
    for word in (*suite.settings, *suite.tasks):
        if not _PART.fullmatch(word):
            raise _wrong(place, "settings and tasks", f"{word!r} has a blank, or one of / , #")
    for name, task in suite.tasks.items():
        _check_task(task, f"tasks[{name}]", place)
        if task.id != name:
            raise _wrong(place, f"tasks[{name}]", f"is the task {task.id!r}")
    for scores in ({}, dict.fromkeys(suite.tasks, 1.0)):
        try:
            suite.figures(scores)
        except Exception as error:
            problem = f"fails on the scores {scores}: {type(error).__name__}: {error}"
            raise _wrong(place, "figures", problem) from error
    return suite


def _check_task(task: AnyTask, field: str, place: str) -> None:
    if not task.metric:
        raise _wrong(place, f"{field}.metric", "a task names the metric that people quote")
    if task.cluster is not None and task.facets is None:
        raise _wrong(place, f"{field}.cluster", f"{task.cluster!r} is no facet: there are none")
    for rules in Rules:
        given = task.rule_set(rules).metrics
        if given and task.metric not in given:
            problem = f"{task.metric!r} is none of what its {rules} rules give: {', '.join(given)}"
            raise _wrong(place, f"{field}.metric", problem)


def _wrong(place: str, field: str, problem: str) -> DataError:
    return DataError(problem, file=place, field=field)

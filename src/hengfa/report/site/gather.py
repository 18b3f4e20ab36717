"""Which runs a report is about: found, checked, numbered, and put on boards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

import msgspec

from hengfa.errors import DataError, UsageError
from hengfa.runs.folder import (
    IMPORTED,
    MANIFEST,
    Manifest,
    RunFigures,
    has_tables,
    read_figures,
    read_manifest,
)
from hengfa.runs.look import find_run, list_runs
from hengfa.runs.sitting import Notify, quiet
from hengfa.suites.base import Rules, Suite
from hengfa.suites.builtin import NAMES
from hengfa.suites.plan import SAMPLE_DATA
from hengfa.suites.registry import SUITES, get_suite

SAMPLE_SETTING = "-sample"
"""What is added to a setting where runs on the sample pack stand beside others: they were asked
other questions, so they have a board of their own."""


@dataclass(frozen=True)
class Source:
    """A run on the site: its number and name there, and where it lies.

    ``setting`` is as the site names it (see `SAMPLE_SETTING`), ``figures`` are by rules.
    """

    number: int
    name: str
    folder: Path
    manifest: Manifest
    setting: str
    figures: dict[Rules, RunFigures]

    @property
    def model(self) -> str:
        return self.manifest.model

    @property
    def builtin(self) -> bool:
        return self.model in NAMES and not self.manifest.address

    @property
    def sample(self) -> bool:
        return self.manifest.data_source == SAMPLE_DATA


@dataclass(frozen=True)
class Board:
    """The runs of a suite that can be compared: those in one setting."""

    suite: Suite
    setting: str
    sources: tuple[Source, ...]

    @cached_property
    def tasks(self) -> list[str]:
        """Those that any of its runs was asked, in the order of the suite."""
        asked = {task for one in self.sources for run in one.figures.values() for task in run.tasks}
        return [task for task in self.suite.tasks if task in asked]

    @cached_property
    def rules(self) -> list[Rules]:
        return [rules for rules in Rules if any(rules in one.figures for one in self.sources)]

    def under(self, rules: Rules) -> list[Source]:
        """The runs that were scored by these rules."""
        return [one for one in self.sources if rules in one.figures]


def gather(named: Sequence[str], runs: Path = Path("runs"), notify: Notify = quiet) -> list[Source]:
    """The runs that are named: by a folder, a folder of runs, or a name below `runs`.

    One that was not scored, or scored before responses were kept, is said and passed over.
    """
    folders = run_folders(named, runs, notify)
    found = [one for folder in folders if (one := _open(folder, notify)) is not None]
    if not found:
        raise UsageError("none of these runs can be reported; score them first (hengfa score)")
    return _numbered(found)


def run_folders(named: Sequence[str], runs: Path, notify: Notify = quiet) -> list[Path]:
    """The folders of the runs that are named, each once."""
    return list(dict.fromkeys(one for name in named for one in _folders(name, runs, notify)))


def boards(sources: Iterable[Source]) -> list[Board]:
    """Runs by suite and setting, in the order of their numbers."""

    def place(one: Source) -> tuple[str, str]:
        return one.manifest.suite, one.setting

    return [
        Board(get_suite(suite), setting, tuple(of_board))
        for (suite, setting), of_board in groupby(sources, key=place)
    ]


def _folders(name: str, runs: Path, notify: Notify) -> list[Path]:
    folder = Path(name)
    if not folder.is_dir() or (folder / MANIFEST).is_file():
        return [find_run(name, runs).resolve()]
    below = [(folder / one.name).resolve() for one in list_runs(folder, notify)]
    if not below:
        raise UsageError(f"there are no runs below {folder}")
    return below


class _ScoredRun(msgspec.Struct):
    """A run that can be reported, before it has its number."""

    folder: Path
    manifest: Manifest
    figures: dict[Rules, RunFigures]


def _open(folder: Path, notify: Notify) -> _ScoredRun | None:
    manifest = read_manifest(folder)
    if manifest.suite not in SUITES:
        raise DataError(f"a run of {manifest.suite!r}, which is no suite here", file=folder)
    figures = read_figures(folder)
    whole = {rules: one for rules, one in figures.items() if _has_tables(folder, rules, one)}
    again = (
        f"hengfa score {manifest.suite} PREDICTIONS --out DIR"
        if manifest.address == IMPORTED
        else f"hengfa score {manifest.suite} {folder}"
    )
    if not figures:
        notify(f"passed over, not scored yet: {folder} ({again})")
    for rules in figures.keys() - whole.keys():
        notify(
            f"passed over, scored by the {rules} rules before responses were kept: {folder}; "
            f"score it again ({again})"
        )
    return _ScoredRun(folder, manifest, whole) if whole else None


def _has_tables(folder: Path, rules: Rules, figures: RunFigures) -> bool:
    return all(has_tables(folder, task, rules) for task in figures.tasks)


def _numbered(found: list[_ScoredRun]) -> list[Source]:
    """In an order that does not depend on when or in which order the runs were named."""
    names = _names([one.folder for one in found])
    mixed = {
        (one.manifest.suite, one.manifest.setting)
        for one in found
        if one.manifest.data_source != SAMPLE_DATA
    }

    def setting(one: _ScoredRun) -> str:
        place = one.manifest.suite, one.manifest.setting
        is_apart = one.manifest.data_source == SAMPLE_DATA and place in mixed
        return one.manifest.setting + (SAMPLE_SETTING if is_apart else "")

    def place(one: _ScoredRun) -> tuple[int, int, str, bool, str, str]:
        suite = get_suite(one.manifest.suite)
        is_builtin = one.manifest.model in NAMES
        return (
            list(SUITES).index(suite.name),
            [*suite.settings, one.manifest.setting].index(one.manifest.setting),
            setting(one),
            is_builtin,
            one.manifest.model.casefold(),
            names[one.folder],
        )

    return [
        Source(number, names[one.folder], one.folder, one.manifest, setting(one), one.figures)
        for number, one in enumerate(sorted(found, key=place))
    ]


def _names(folders: Sequence[Path]) -> dict[Path, str]:
    """The last part of each path, or as many as it takes to tell it from the others."""
    names: dict[Path, str] = {}
    for folder in folders:
        length = 1
        others = [other for other in folders if other != folder]
        while any(other.parts[-length:] == folder.parts[-length:] for other in others):
            length += 1
        names[folder] = "/".join(folder.parts[-length:])
    return names

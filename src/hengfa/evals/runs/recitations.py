"""Recited provisions out of a scored run of CLaw: what was asked for, and what was answered.

The tables of a run have both, so neither the data nor the suite is needed: a question is named
after its provision, and a response that is no answer says why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hengfa.base.errors import UsageError
from hengfa.evals.results.tables import has_tables, read_rows, responses_file
from hengfa.evals.runs.folder import answer_statuses, read_manifest, run_of
from hengfa.evals.runs.look import find_scored
from hengfa.evals.suites.base import Rules
from hengfa.law.library.diagnosis.recitations import Recitation, read_recitations, recitation_of

TASK: Final = "content"
_COLUMNS: Final = ("sample", "response", "status", "reason")


def read_places(places: Sequence[Path], runs: Path) -> dict[str, list[Recitation]]:
    """The answers of each run or file, by model; by the place where that would not tell two apart
    or is not known."""
    read = [_read_place(place, runs) for place in places]
    times = Counter(model for model, _ in read)
    named = {
        model if times[model] == 1 else str(place): answers
        for place, (model, answers) in zip(places, read, strict=True)
    }
    if len(named) < len(places):
        raise UsageError("a run or file is named twice")
    return named


def _read_place(place: Path, runs: Path) -> tuple[str, list[Recitation]]:
    if place.is_file() or place.suffix == ".jsonl":
        return str(place), read_recitations(place)
    folder = find_scored(str(place), runs)
    return read_manifest(folder).model, recitations_of(folder)


def recitations_of(folder: Path) -> list[Recitation]:
    """The answers of a run, in the order of its table; one that is none keeps its place."""
    manifest = read_manifest(folder)
    rules = next((rules for rules in Rules if has_tables(folder, TASK, rules)), None)
    if rules is None:
        problem = f"{folder}: no scored answers to {TASK!r}, the provisions that CLaw asks for"
        raise UsageError(f"{problem} (this is a run of {manifest.suite})")
    file = responses_file(folder, TASK, rules)
    answers = answer_statuses(run_of(folder))
    rows = read_rows(folder, TASK, rules, _COLUMNS).iter_rows()
    return [
        recitation_of(
            sample, response, file, row, "" if status in answers else f"{status} {reason or ''}"
        )
        for row, (sample, response, status, reason) in enumerate(rows, 1)
    ]

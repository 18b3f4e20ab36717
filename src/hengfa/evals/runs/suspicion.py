"""Runs to hints: the scores and texts of run folders, brought to `results/suspicion`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hengfa.base.errors import UsageError
from hengfa.evals.engine.messages import Status
from hengfa.evals.results.published.papers import published
from hengfa.evals.results.suspicion import (
    LEAST_MODELS,
    LEAST_TASKS,
    Identical,
    Sameness,
    Scores,
    Text,
    Unexpected,
    Verbatim,
    squeeze,
    unexpected_scores,
    verbatim_answers,
)
from hengfa.evals.results.tables import read_responses
from hengfa.evals.runs.folder import MANIFEST, read_manifest, responses_file, run_of, scored_folders
from hengfa.evals.runs.leaderboard import run_entries
from hengfa.evals.runs.look import list_runs
from hengfa.evals.runs.sitting import Notify, quiet
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.builtin import NAMES
from hengfa.evals.suites.plan import SAMPLE_DATA
from hengfa.evals.suites.registry import get_suite, suite_names

CAUTION = "hints for a review of contamination, not findings of it: each may have a harmless reason"
_WRITTEN = frozenset({Status.ANSWERED, Status.TRUNCATED})
"""Responses whose text the model wrote; the others hold none, or a vendor's message."""


@dataclass(frozen=True, slots=True)
class Hints:
    """All hints about the runs of a suite in one setting, or about its published models.

    `compared` counts the models whose scores the predictions rest on, published ones included.
    """

    suite: str
    setting: str
    compared: int
    unexpected: Sequence[Unexpected]
    verbatim: Sequence[Verbatim] = ()
    identical: Sequence[Identical] = ()
    notes: Sequence[str] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "suite": self.suite,
            "setting": self.setting,
            "caution": CAUTION,
            "models_compared": self.compared,
            "unexpected_scores": [hint.as_json() for hint in self.unexpected],
            "verbatim_answers": [hint.as_json() for hint in self.verbatim],
            "identical_answers": [hint.as_json() for hint in self.identical],
            "notes": list(self.notes),
        }


def published_hints(suite: str, setting: str | None = None) -> list[Hints]:
    """Unexpected scores among the published models of a suite, setting by setting."""
    rows = published(suite, setting)
    if not any(row.tasks for row in rows):
        raise UsageError(f"there are no published scores by task of {suite}")
    all_hints = []
    for name in dict.fromkeys(row.setting for row in rows):
        scores = {row.title: row.tasks for row in rows if row.setting == name and row.tasks}
        all_hints.append(_of_scores(suite, name, scores, None))
    return all_hints


def run_hints(
    places: Iterable[Path],
    *,
    rules: Rules = Rules.OFFICIAL,
    with_published: bool = True,
    notify: Notify = quiet,
) -> list[Hints]:
    """Hints about runs, by suite and setting; a place is a run folder, that of its scores by one
    grader, or holds several runs. Of a run with several graders the first is taken.

    Published models stand beside runs of the same suite and setting as models to predict from,
    except the run's own namesake, and only under the official rules, by which they were scored.
    """
    groups: dict[tuple[str, str], list[Path]] = {}
    for folder in dict.fromkeys(_folders(places, notify)):
        manifest = read_manifest(folder)
        if manifest.model in NAMES:
            notify(f"passed over, a built-in model: {folder}")
        elif manifest.suite not in suite_names():
            notify(f"passed over, a run of {manifest.suite!r}, which is no suite here: {folder}")
        else:
            groups.setdefault((manifest.suite, manifest.setting), []).append(folder)
    all_hints = []
    for (suite, setting), folders in groups.items():
        named = dict(zip(_labels(folders), folders, strict=True))
        scores = _scores(suite, setting, named, rules, notify)
        judged = set(scores)
        if with_published and rules is Rules.OFFICIAL and not _any_sample(folders):
            ours = {read_manifest(folder).model for folder in folders}
            for row in published(suite, setting):
                if row.tasks and row.model not in ours and row.title not in scores:
                    scores[row.title] = row.tasks
        verbatim, identical = _of_texts(suite, named, rules)
        hints = _of_scores(suite, setting, scores, judged)
        all_hints.append(replace(hints, verbatim=verbatim, identical=identical))
    return all_hints


def _of_scores(suite: str, setting: str, scores: Scores, judged: set[str] | None) -> Hints:
    unexpected = unexpected_scores(scores, judged)
    too_few = (
        f"no score was predicted: that takes {LEAST_TASKS} other tasks, and {LEAST_MODELS} other "
        f"models with the same tasks; there are {max(0, len(scores) - 1)} other models"
    )
    return Hints(suite, setting, len(scores), unexpected, notes=() if unexpected else (too_few,))


def _folders(places: Iterable[Path], notify: Notify) -> Iterator[Path]:
    """Where the scores of these runs are."""
    for place in places:
        if (run_of(place) / MANIFEST).is_file():
            yield scored_folders(place)[0]
            continue
        below = [place / run.name for run in list_runs(place, notify)]
        if not below:
            raise UsageError(f"{place} is not a run and holds none")
        yield from (scored_folders(run)[0] for run in below)


def _labels(folders: Sequence[Path]) -> list[str]:
    """Each run by its model; by its folder too where two runs are of one model."""
    models = [read_manifest(folder).model for folder in folders]
    often = Counter(models)
    return [
        model if often[model] == 1 else f"{model} ({run_of(folder).name})"
        for model, folder in zip(models, folders, strict=True)
    ]


def _any_sample(folders: Iterable[Path]) -> bool:
    """Whether a run was asked the questions of the sample pack, which no paper has."""
    return any(read_manifest(folder).data_source == SAMPLE_DATA for folder in folders)


def _scores(
    suite: str, setting: str, named: Mapping[str, Path], rules: Rules, notify: Notify
) -> dict[str, Mapping[str, float]]:
    entries = {
        entry.folder: entry.tasks
        for parent in dict.fromkeys(run_of(folder).parent for folder in named.values())
        for entry in run_entries(get_suite(suite), parent, setting, rules, notify)
    }
    return {label: entries[folder] for label, folder in named.items() if folder in entries}


def _of_texts(
    suite: str, named: Mapping[str, Path], rules: Rules
) -> tuple[list[Verbatim], list[Identical]]:
    """One task at a time, so that half a million texts need not be in memory at once."""
    files = {
        (label, task): file
        for label, folder in named.items()
        for task in get_suite(suite).tasks
        if (file := responses_file(folder, task, rules)).is_file()
    }
    verbatim: list[Verbatim] = []
    sameness = Sameness()
    for task in dict.fromkeys(task for _, task in files):
        texts: dict[str, str] = {}
        answers = {
            label: _texts(file, texts)
            for (label, of_task), file in files.items()
            if of_task == task
        }
        verbatim += verbatim_answers(task, answers, len(files))
        sameness.add(task, answers)
    return sorted(verbatim, key=lambda hint: -hint.share), sameness.pairs()


def _texts(file: Path, texts: dict[str, str]) -> list[Text]:
    """What was written, in the order of the samples, without white space.

    What models were asked is the same for all of them: each of `texts` is in memory once.
    """
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    columns = ["sample", "prompt", "reference", "response", "status"]
    frame = read_responses([file], columns, pl.col("repeat") == 1)

    def once(text: str) -> str:
        return texts.setdefault(text, text)

    return [
        Text(
            once(sample),
            once(squeeze(prompt or "")),
            once(squeeze(reference or "")),
            squeeze(response),
        )
        for sample, prompt, reference, response, status in frame.sort("sample").iter_rows()
        if response and status in _WRITTEN
    ]

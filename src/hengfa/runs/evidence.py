"""What the records of a run say about its scores: evidence for each task, intervals for figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hengfa.errors import DataError, UsageError
from hengfa.results.record import Record
from hengfa.results.statistics.contest import Contest
from hengfa.results.statistics.evidence import SHARE, Array, Evidence, evidence_of
from hengfa.results.statistics.intervals import Estimate
from hengfa.results.statistics.resampling import DRAWS, SEED
from hengfa.results.store import read_records
from hengfa.runs.folder import Manifest, read_manifest
from hengfa.runs.outcome import read_figures
from hengfa.suites.base import AnyRuleSet, AnyTask, Graded, Metrics, Pooled, Rules, Suite
from hengfa.suites.plan import find_data
from hengfa.suites.registry import get_suite

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class MetricTable:
    """All metrics of a task in a run: a column each, NaN where the rules leave a sample out.

    Of samples without an answer the columns hold what counts for the strict figure.
    """

    samples: tuple[str, ...]
    clusters: tuple[str | None, ...]
    columns: Mapping[str, Array]

    def evidence(self, metric: str, pooled: Pooled | None = None) -> Evidence | None:
        """Evidence for the mean of a metric, or for a figure of sums over the samples that have it.

        None where no sample counts.
        """
        column = self.columns.get(metric)
        rows = [] if column is None else np.flatnonzero(~np.isnan(column)).tolist()
        if column is None or not rows:
            return None
        values = column[rows]
        found = evidence_of(
            [self.samples[row] for row in rows],
            values,
            [self.clusters[row] for row in rows],
            bounds=SHARE if values.min() >= 0 and values.max() <= 1 else None,
        )
        if pooled is None:
            return found
        parts = np.stack([self._part(name)[rows] for name in pooled.parts], axis=1)
        return replace(found, parts=parts, figure=pooled.figure, digits=pooled.digits)

    def _part(self, name: str) -> Array:
        """What a sample adds to a sum: nothing where it has no value."""
        nothing = np.zeros(len(self.samples))
        return np.nan_to_num(self.columns.get(name, nothing), nan=0.0)


@dataclass(frozen=True)
class RunEvidence:
    """A scored run: what it is, and the evidence for each of its tasks under one set of rules."""

    folder: Path
    manifest: Manifest
    suite: Suite
    rules: Rules
    tables: Mapping[str, MetricTable]
    tasks: Mapping[str, Evidence]
    """Tasks that have a score, in the order of the suite."""

    def estimates(self, *, seed: int = SEED, draws: int = DRAWS) -> dict[str, Estimate]:
        """Every task's score and every figure of the suite, with intervals."""
        if not self.tasks:
            return {}
        alone = {task: [evidence] for task, evidence in self.tasks.items()}
        contest = Contest(alone, self.suite.figures, seed=seed, draws=draws)
        return {row: contest.estimate(row, 0) for row in contest.rows}


def read_evidence(folder: Path, rules: Rules, tasks: Sequence[str] = ()) -> RunEvidence:
    """The evidence of a scored run for all its tasks, or for those of the named that it has."""
    manifest = read_manifest(folder)
    suite = get_suite(manifest.suite)
    if rules not in read_figures(folder):
        raise UsageError(
            f"{folder} is not scored by the {rules} rules: "
            f"hengfa score {suite.name} {folder} --rules {rules}"
        )
    tables: dict[str, MetricTable] = {}
    found: dict[str, Evidence] = {}
    for task in suite.tasks.values():
        file = folder / Record.FOLDER / f"{task.id}.{rules}.parquet"
        if not file.is_file() or (tasks and task.id not in tasks):
            continue
        table = _read_table(file, manifest, suite, task, rules)
        evidence = table.evidence(task.metric, task.rule_set(rules).pooled)
        tables[task.id] = table
        if evidence is not None:
            found[task.id] = evidence
    return RunEvidence(folder, manifest, suite, rules, tables, found)


def _read_table(
    file: Path, manifest: Manifest, suite: Suite, task: AnyTask, rules: Rules
) -> MetricTable:
    frame = read_records([file]).select("sample", "metric", "value", "counted", "cluster")
    clusters: dict[str, str | None] = {}
    for sample, cluster in frame.select("sample", "cluster").unique(maintain_order=True).rows():
        clusters.setdefault(sample, cluster)
    place = {sample: row for row, sample in enumerate(clusters)}
    columns: dict[str, Array] = {}
    for (metric,), rows in frame.group_by("metric", maintain_order=True):
        column = columns.setdefault(str(metric), np.full(len(place), np.nan))
        numbers = [place[sample] for sample in rows["sample"]]
        column[numbers] = rows["value"].cast(float).fill_null(np.nan).to_numpy()
    if silent := _without_answer(frame):
        known = _silence(manifest, suite, task, rules, silent, file)
        for sample, metrics in known.items():
            for metric, value in metrics.items():
                if value is not None and metric in columns:
                    columns[metric][place[sample]] = value
    return MetricTable(tuple(clusters), tuple(clusters.values()), columns)


def _without_answer(frame: pl.DataFrame) -> list[str]:
    """Samples that count though there is no value: their responses are no answers."""
    rows = frame.filter(frame["counted"] & frame["value"].is_null())
    return rows["sample"].unique(maintain_order=True).to_list()


def _silence(
    manifest: Manifest,
    suite: Suite,
    task: AnyTask,
    rules: Rules,
    silent: Sequence[str],
    file: Path,
) -> dict[str, Metrics]:
    """What no answer counts, by sample. Records do not say it, so that it never looks like an
    answer's value; the rules do, and they may need the sample for it."""
    pack = find_data(suite, manifest.data_source)[0]
    if manifest.data and pack.fingerprint != manifest.data:
        raise DataError(
            f"{len(silent)} responses are no answers, and what they count must be read from the "
            f"data, which has changed since ({manifest.data}, now {pack.fingerprint})",
            file=file,
        )
    loaded = task.load(pack.root, manifest.setting, suite.choose(manifest.suite_options))
    samples = {sample.id: sample for sample in loaded}
    rule_set: AnyRuleSet = task.rule_set(rules, pack.root)
    if missing := [sample for sample in silent if sample not in samples]:
        raise DataError(f"the data has no sample {missing[0]!r}", file=file)
    return {
        sample: rule_set.silence(Graded(samples[sample]) if task.grading else samples[sample])
        for sample in silent
    }

"""The two tables of a run, of one task at a time, as rows for the site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from hengfa.report.site.gather import Source
from hengfa.results.figures import TaskTable
from hengfa.results.tables import read_records
from hengfa.runs.folder import read_rows, read_table, records_file
from hengfa.suites.base import Rules

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Answered:
    """What a run answered to a task, read by one set of rules; in the order it was asked."""

    source: Source
    task: str
    rules: Rules

    @cached_property
    def responses(self) -> pl.DataFrame:
        return read_rows(self.source.folder, self.task, self.rules)

    @cached_property
    def table(self) -> TaskTable:
        """What figures are made of, with the kinds of its samples."""
        return read_table(self.source.folder, self.task, self.rules, facets=True)

    @cached_property
    def samples(self) -> list[str]:
        return self.responses["sample"].to_list()

    @cached_property
    def facets(self) -> list[dict[str, str]]:
        return [decode_object(text) for text in self.responses["facets"].to_list()]

    @cached_property
    def traces(self) -> list[dict[str, Any] | None]:
        """None where a trace says nothing."""
        found = (decode_object(text) for text in self.responses["trace"].to_list())
        return [one if one.keys() - {"kind"} else None for one in found]

    def errors(self) -> dict[str, int]:
        """How often each class of mistake was made, the most frequent first."""
        counted = Counter(str(one["error"]) for one in self.traces if one and one.get("error"))
        return dict(counted.most_common())

    @cached_property
    def counted(self) -> list[dict[str, float | None]]:
        """The metrics of each sample that count, by name."""
        records = read_records([records_file(self.source.folder, self.task, self.rules)])
        by_sample: dict[str, dict[str, float | None]] = {one: {} for one in self.samples}
        columns = (records[name].to_list() for name in ("sample", "metric", "value", "counted"))
        for sample, metric, value, is_counted in zip(*columns, strict=True):
            if is_counted and sample in by_sample:
                by_sample[sample][metric] = value
        return list(by_sample.values())

    def metrics(self) -> list[dict[str, float]]:
        """The metrics of each sample that is an answer, by name."""
        return [_known(one) for one in self.counted]

    def total(self, column: str) -> float | None:
        """The sum of a column; None where nothing is known."""
        known = self.responses[column].drop_nulls()
        return float(known.to_numpy().sum()) if len(known) else None

    def currency(self) -> str | None:
        known = self.responses["currency"].drop_nulls()
        return str(known[0]) if len(known) else None


def decode_object(text: str | None) -> dict[str, Any]:
    """A JSON object; an empty one where an older version wrote none."""
    found = msgspec.json.decode(text) if text else {}
    return found if isinstance(found, dict) else {}


def _known(values: Mapping[str, float | None]) -> dict[str, float]:
    return {name: value for name, value in values.items() if value is not None}

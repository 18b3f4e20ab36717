"""The benchmark's own world as far as it is known: rows that published runs showed.

The real tables were never published. :mod:`hengfa.world.published.recovery` gathers what the tools
answered in published runs: rows with the columns that were seen, whole lists, identifiers that are
known to find nothing. A world made of them answers every recorded call as it was answered then:

* Rows that only a plan's own words attest (`plan_partial`) are left out: a model may have made
  them up. The others are certain enough.
* A recorded list or miss is the answer, whatever other rows were seen. Its rows are found in the
  table by their key. A list whose columns tell no key is taken to be the rows of the table that
  match, if they are as many and look the same; else its rows are kept as fragments, which only
  this list shows.
* Court codes come from a public list of courts; what was observed goes before it.
* Articles that no run was shown come from the law library, where there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from hengfa.base.data.jsonfile import read_lines
from hengfa.base.data.packs import Pack
from hengfa.base.errors import DataError
from hengfa.law.library.case_numbers import COURTS
from hengfa.world.generator.courts import NO_DIVISION
from hengfa.world.generator.law import LawSource, articles
from hengfa.world.tables.schema import (
    ARTICLES,
    CORPORA,
    LOOKUP_OF,
    TABLE_OF,
    TABLES,
    Match,
    WorldTable,
)
from hengfa.world.tables.world import FRAGMENTS, RECOVERED, Cell, RecordedAnswer, write_world
from hengfa.world.tools.texts import Provisions

ROWS: Final = "observed_rows/{}.jsonl"
SINGLES: Final = "replay_singles.jsonl"
LISTS: Final = "replay_lists.jsonl"
MISSES: Final = "replay_misses.jsonl"
_DOUBTFUL: Final = ["plan_partial"]

ROW_KEY: Final = {table.name: table.key[:1] for table in TABLES} | {
    "SubCompanyInfo": TABLE_OF["SubCompanyInfo"].key  # a company may have several parents
}

Cells = dict[str, Cell]


class _Call(msgspec.Struct):
    tool: str
    identifier: str | list[str]


class _Single(_Call):
    cells: dict[str, Cell]


class _List(_Call):
    rows: list[dict[str, Cell]]


def write_recovered(pack: Pack, file: Path, law: LawSource | None = None) -> None:
    """Make a world file from the installed pack `legalagentbench`, and the law where it is given.
    The pack has only articles that a published run was shown; the law brings the others."""
    recovery = _Recovery(pack)
    recovery.read()
    texts = {corpus.name: _texts(pack, corpus.name) for corpus in CORPORA}
    note = f"LegalAgentBench, pack {pack.fingerprint}"
    if law is not None:
        texts[ARTICLES] = _with_law(list(texts[ARTICLES]), law)
        note += f"; law: {law.name}"
    write_world(
        file,
        recovery.tables,
        texts,
        source=RECOVERED,
        note=note,
        fragments=recovery.fragments,
        recorded=recovery.recorded,
    )


class _Recovery:
    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.tables: dict[str, list[Cells]] = {}
        self.fragments: dict[str, list[Cells]] = {table.name: [] for table in TABLES}
        self.recorded: list[RecordedAnswer] = []
        self.by_key: dict[str, dict[tuple[Cell, ...], int]] = {}

    def read(self) -> None:
        for table in TABLES:
            path = ROWS.format(table.name)
            rows: list[Cells] = []
            for number, row in _lines(self.pack, path):
                evidence = row.pop("_conf", [])
                row.pop("_full", None)
                if unknown := [name for name in row if name not in table.place]:
                    problem, file = f"{table.name} has no such column", self.pack.file(path)
                    raise DataError(problem, file=file, row=number, field=unknown[0])
                if evidence != _DOUBTFUL:
                    rows.append(row)
            if table.name == "CourtCode":
                rows = _with_rebuilt_courts(self.pack, rows)
            self.tables[table.name] = rows
            keys = (tuple(row.get(name) for name in ROW_KEY[table.name]) for row in rows)
            self.by_key[table.name] = {key: place for place, key in enumerate(keys)}
        for number, single in read_lines(self.pack.file(SINGLES), _Single):
            self._answer(SINGLES, number, single, [single.cells])
        for number, listed in read_lines(self.pack.file(LISTS), _List):
            self._answer(LISTS, number, listed, listed.rows)
        for number, miss in read_lines(self.pack.file(MISSES), _Call):
            self._answer(MISSES, number, miss, [])

    def _answer(self, path: str, number: int, call: _Call, rows: list[Cells]) -> None:
        lookup = LOOKUP_OF.get(call.tool)
        given = call.identifier
        values = (given,) if isinstance(given, str) else tuple(given)
        if lookup is None or len(values) != len(lookup.arguments):
            raise DataError("no such call", file=self.pack.file(path), row=number, field="tool")
        table = lookup.table
        if lookup.returns == "list":
            ids = self._places(table, lookup.match, values, rows)
        else:
            matching = self._matching(table, lookup.match, values)[:1]
            ids = [self._place_or_fragment(table, row, matching) for row in rows]
        self.recorded.append(RecordedAnswer(table.name, lookup.match, values, tuple(ids)))

    def _places(
        self, table: WorldTable, match: Match, values: Sequence[str], rows: list[Cells]
    ) -> list[int]:
        key = ROW_KEY[table.name]
        if all(name in row for row in rows for name in key):
            index = self.by_key[table.name]
            known = [index.get(tuple(row[name] for name in key)) for row in rows]
            return [
                self._place_or_fragment(table, row, [] if place is None else [place])
                for row, place in zip(rows, known, strict=True)
            ]
        seen, there = rows[0].keys(), self.tables[table.name]
        live = [(_look(there[at], seen), at) for at in self._matching(table, match, values)]
        if Counter(look for look, _ in live) != Counter(_look(row, seen) for row in rows):
            live = []
        ids = []
        for row in rows:
            same = [at for look, at in live if look == _look(row, seen)][:1]
            live = [(look, at) for look, at in live if at not in same]
            ids.append(self._place_or_fragment(table, row, same))
        return ids

    def _place_or_fragment(self, table: WorldTable, row: Cells, places: list[int]) -> int:
        """The id of the table's row at that place if it says the same, else of a new fragment."""
        rows = self.tables[table.name]
        for place in places:
            if all(rows[place].setdefault(name, cell) == cell for name, cell in row.items()):
                return place + 1
        self.fragments[table.name].append(row)
        return FRAGMENTS + len(self.fragments[table.name]) - 1

    def _matching(self, table: WorldTable, match: Match, values: Sequence[str]) -> list[int]:
        rows = enumerate(self.tables[table.name])
        if match.rule == "all":
            wanted = dict(zip(match.columns, values, strict=True))
            return [at for at, row in rows if all(row.get(c) == v for c, v in wanted.items())]
        return [at for at, row in rows if any(row.get(c) == values[0] for c in match.columns)]


def _look(row: Cells, columns: Any) -> tuple[Cell, ...]:
    return tuple(row.get(name) for name in columns)


def _with_rebuilt_courts(pack: Pack, observed: list[Cells]) -> list[Cells]:
    """All courts of the public list in its order, then those that it does not have."""
    seen = {row["法院名称"]: row for row in observed}
    rows: list[Cells] = []
    for _, court in _lines(pack, COURTS):
        row: Cells = {
            "法院名称": court["法院名称"],
            "行政级别": court["行政级别_derived"],
            "法院级别": court["法院级别_derived"],
            "法院代字": court["法院代字"],
            "区划代码": NO_DIVISION if court["区划代码"] is None else court["区划代码"],
        }
        if court["级别"] is not None:
            row["级别"] = court["级别"]
        rows.append(row | seen.pop(court["法院名称"], {}))
    return rows + list(seen.values())


def _texts(pack: Pack, corpus: str) -> Iterator[str]:
    """`contents` of each line; a provision has its name and content, joined as in the original."""
    for _, line in _lines(pack, ROWS.format(corpus)):
        yield line["contents"] if "contents" in line else f"{line['name']}：{line['content']}"


def _with_law(shown: list[str], law: LawSource) -> Iterator[str]:
    """The articles that runs were shown, then those that they were not."""
    provisions = Provisions(shown)
    yield from shown
    for text in articles(law):
        if text not in provisions:
            yield text


def _lines(pack: Pack, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    return read_lines(pack.file(path), dict[str, Any])

"""Derives the pack `legalagentbench`: its tasks, and its world from what published runs show of it.

The benchmark's tables were never published; what its tools answered in published runs was. Here
those answers become the files that :mod:`hengfa.world.published.recovered` makes a world of:

1. A call of a ReAct log and its answer are certain: a row, a whole list, or nothing found. What was
   asked for is a cell of what was found. Lists of one call with other columns are one list.
2. The other runs show answers without calls. A list of whole rows, all columns in their order, is
   the answer to the call that alone can have found them all, if a blank shows that no model wrote
   it; or to the one of those calls that the words of its step name.
3. A list that is, row for row, one of these adds its columns to it.
4. Single rows are told by their key. From the most certain on they are: whole rows (`whole`); rows
   of a step whose words name one tool and quote what it takes (`named`); rows that have their key
   among their columns and fit one table alone, in GoalAct transcripts (`goalact`) and in the logs
   of plans (`plan_partial`). The last may be a model's own words, so the world leaves out a row
   that nothing else attests.

Where two answers differ in a cell, the more certain stands; of equals the first in the order of the
files. A less certain answer that differs anywhere is left out whole.
"""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeGuard, get_args

import msgspec

from hengfa.base.data.jsonfile import read_lines
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError
from hengfa.law.library.case_numbers import COURTS
from hengfa.world.published.logs import (
    Call,
    Cells,
    LogStep,
    Printed,
    described_call,
    read_call,
    read_printed,
    steps_of_plan,
    steps_of_react,
    steps_of_transcript,
)
from hengfa.world.published.recovered import LISTS, MISSES, ROW_KEY, ROWS, SINGLES
from hengfa.world.tables.cells import blank
from hengfa.world.tables.schema import (
    ARTICLES,
    CASES,
    CORPORA,
    KNOWLEDGE,
    LOOKUP_OF,
    LOOKUPS,
    TABLES,
    Lookup,
    WorldTable,
)
from hengfa.world.tables.workbook import read_sheets
from hengfa.world.tables.world import Cell
from hengfa.world.tools.observation import BAD_CALL, BAD_COLUMN, NO_DATA
from hengfa.world.tools.texts import CORPUS_OF_TOOL

VERSION: Final = "1"  # goes up when the same sources give other files
_TASKS: Final = "CSHaitao/LegalAgentBench@920670d87c00c5dfbb5124cee46b331bf1da6f88"
_LOGS: Final = "CSHaitao/LegalAgentBench@e6557ba9390b2a911f08fe934ce1121501447796"
_TRANSCRIPTS: Final = "cjj826/GoalAct@213c4b217b0149f7b33d6af53f501095416c019a"
_COURT_LIST: Final = "MetaGLM/LawGLM@c634fa50753679a449680a92c48bb44e8c6e9e48"

_DATASET: Final = "data/dataset.json"
_MODELS: Final = (
    "claude-3-5-sonnet-20241022",
    "glm-4",
    "glm-4-plus",
    "gpt-3.5-turbo",
    "gpt-4o-2024-08-06",
    "gpt-4o-mini-2024-07-18",
    "qwen-max",
)
_LOG: Final = "src/output_1205/log_{}_1205_{}.txt"
_REACT_LOGS: Final = tuple(_LOG.format("react", model) for model in _MODELS[1:])
_PLAN_LOGS: Final = tuple(
    _LOG.format(method, model) for method in ("plan_execute", "plan_solve") for model in _MODELS
)
_TRANSCRIPT_FILES: Final = tuple(
    f"output_{part}/goalact_{part}_glm-4-plus.json" for part in ("a1", "a2", "a3", "a4")
)
_COURT_FILE: Final = "Buycabbage-semi-LawGLM/app/法院名录库.xlsx"

READS: Final[Mapping[str, tuple[str, ...]]] = {
    _TASKS: (_DATASET,),
    _LOGS: _REACT_LOGS + _PLAN_LOGS,
    _TRANSCRIPTS: _TRANSCRIPT_FILES,
    _COURT_LIST: (_COURT_FILE,),
}
"""Repository and commit to the files that are read there."""

Evidence = Literal["react", "whole", "named", "goalact", "plan_partial"]
"""Where a row was seen, from the most certain on."""
Values = tuple[str, ...]
Asked = tuple[str, Values]


def derive(sources: Mapping[str, Path], target: Path) -> None:
    """Write the files of the pack from the folders of its sources."""
    dataset = _file(sources, _TASKS, _DATASET)
    courts = list(_courts(_file(sources, _COURT_LIST, _COURT_FILE)))
    recovery = recover(sources)
    with disk_errors(target):
        (target / ROWS).parent.mkdir()
        shutil.copyfile(dataset, target / Path(_DATASET).name)
        for name, lines in {**recovery.files(), COURTS: courts}.items():
            content = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
            (target / name).write_bytes(content)


def recover(sources: Mapping[str, Path]) -> Recovery:
    """Everything that the logs and transcripts show."""
    recovery = Recovery()
    for path in (*_REACT_LOGS, *_PLAN_LOGS):
        file = _file(sources, _LOGS, path)
        with disk_errors(file):
            content = file.read_bytes()
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            raise DataError(f"not readable as UTF-8: {error}", file=file) from error
        if path in _REACT_LOGS:
            for shown in steps_of_react(text):
                recovery.see_call(shown)
        else:
            for shown in steps_of_plan(text):
                recovery.see(shown, "plan_partial")
    for path in _TRANSCRIPT_FILES:
        for _, run in read_lines(_file(sources, _TRANSCRIPTS, path), _Run):
            for shown in steps_of_transcript(run.scratchpad):
                recovery.see(shown, "goalact")
    recovery.put_together()
    return recovery


class _Run(msgspec.Struct):
    scratchpad: str = ""


def _file(sources: Mapping[str, Path], repository: str, path: str) -> Path:
    if repository not in sources:
        raise DataError("is not among the sources", file=repository)
    file = sources[repository] / path
    if not file.is_file():
        raise DataError(f"is not there; it belongs to {repository}", file=file)
    return file


# --- what the runs show, put together ---


class _Answer(msgspec.Struct):
    """Rows of which only words say what was asked; the same text counts once."""

    rows: list[Cells]
    is_list: bool
    words: list[str] = []
    seen: set[Evidence] = set()

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of every row, in their order; empty if rows differ in them."""
        columns = tuple(self.rows[0])
        return columns if all(tuple(row) == columns for row in self.rows) else ()


class _Row(msgspec.Struct):
    cells: Cells = {}
    seen: set[Evidence] = set()


class Difference(NamedTuple):
    """A cell for which two answers differ."""

    table: str
    column: str
    kept: object
    dropped: object


class Recovery:
    """Gathers answers, then puts them together from the most certain on."""

    def __init__(self) -> None:
        self.singles: dict[Asked, Cells] = {}
        self.lists: dict[Asked, list[Cells]] = {}
        self.misses: set[Asked] = set()
        self.rows: dict[str, dict[tuple[Cell, ...], _Row]] = {t.name: {} for t in TABLES}
        self.texts: dict[str, set[str]] = {corpus.name: set() for corpus in CORPORA}
        self.differences: list[Difference] = []
        self._recognised: set[Asked] = set()
        self._described: list[Call] = []
        self._answers: dict[str, _Answer] = {}
        self._unnamed: list[list[str]] = []

    # --- seeing: point 1, and what waits until all is seen ---

    def see_call(self, shown: LogStep) -> None:
        """A step of a ReAct log: an action, and what it was answered."""
        call = read_call(shown)
        if call is None:
            self._see_texts(shown.words, read_printed(shown.answer))
            return
        lookup, asked = call.lookup, (call.lookup.name, call.values)
        if call.answer.startswith(NO_DATA):
            self.misses.add(asked)
        elif lookup.returns != "list":
            if (cells := _single(call)) is not None:
                self._join(lookup.table, self.singles.setdefault(asked, {}), cells)
        elif _are_rows(rows := read_printed(call.answer)) and _fits(lookup.table, rows):
            self._join_lists(lookup.table, self.lists.setdefault(asked, rows), rows)

    def see(self, shown: LogStep, evidence: Evidence) -> None:
        """An answer of which only words say what was asked."""
        if evidence == "plan_partial" and (call := described_call(shown)) is not None:
            self._described.append(call)
        answer = self._answers.get(shown.answer)
        if answer is None:
            printed = read_printed(shown.answer)
            if isinstance(printed, dict):
                answer = _Answer([printed], is_list=False)
            elif _are_rows(printed):
                answer = _Answer(printed, is_list=True)
            else:
                self._see_texts(shown.words, printed)
                return
            self._answers[shown.answer] = answer
        answer.words.append(shown.words)
        answer.seen.add(evidence)

    def _see_texts(self, words: str, printed: Printed | None) -> None:
        texts = [text for text in printed or () if isinstance(text, str)]
        if not isinstance(printed, list) or not texts:
            return
        corpus = _corpus(words, texts)
        if corpus is None:
            self._unnamed.append(texts)
        else:
            self.texts[corpus].update(text.replace("\\n", "\n") for text in texts)

    # --- putting together ---

    def put_together(self) -> None:
        for answer in self._answers.values():
            self._recognise_call(answer)
        for (tool, values), rows in self.lists.items():
            for row in rows:
                self._join(LOOKUP_OF[tool].table, row, _asked_cells(LOOKUP_OF[tool], values))
        for (tool, values), cells in self.singles.items():
            self._join(LOOKUP_OF[tool].table, cells, _asked_cells(LOOKUP_OF[tool], values))
            self._note(LOOKUP_OF[tool].table, [cells], {"react"})
        self._recognise_lists()
        for asked, rows in self.lists.items():
            seen: Evidence = "whole" if asked in self._recognised else "react"
            self._note(LOOKUP_OF[asked[0]].table, rows, {seen})
        certainty = get_args(Evidence).index
        rows_seen = sorted(self._rows_seen(), key=lambda one: min(map(certainty, one[2])))
        for table, rows, seen_in in rows_seen:
            wrong = [
                Difference(table.name, name, known[name], cell)
                for row in rows
                if (known := self.rows[table.name].get(_key(table, row), _Row()).cells)
                for name, cell in row.items()
                if not _same(known.get(name, cell), cell)
            ]
            self.differences += wrong
            if not wrong:
                self._note(table, rows, seen_in)
        knowledge = self.texts[KNOWLEDGE]
        for texts in self._unnamed:
            if not knowledge.isdisjoint(texts):
                knowledge.update(texts)

    def _recognise_call(self, answer: _Answer) -> None:
        """Point 2: the call to which a list of whole rows is the answer."""
        table = _whole(answer)
        if table is None or not answer.is_list:
            return
        possible = [
            (lookup.name, values)
            for lookup in LOOKUPS
            if lookup.table is table and lookup.returns == "list"
            for values in _askable(lookup, answer.rows)
        ]
        possible = [asked for asked in possible if self._agrees(asked, answer.rows)]
        named = [asked for asked in possible if any(asked[0] in words for words in answer.words)]
        told_by_blank = any(cell is None for row in answer.rows for cell in row.values())
        certain = possible if len(possible) == 1 and told_by_blank else named
        if len(certain) == 1:
            rows = [dict(row) for row in answer.rows]
            if self.lists.setdefault(certain[0], rows) is rows:
                self._recognised.add(certain[0])
            else:
                self._join_lists(table, self.lists[certain[0]], rows)

    def _agrees(self, asked: Asked, rows: list[Cells]) -> bool:
        if asked in self.misses:
            return False
        known = self.lists.get(asked)
        return known is None or (len(known) == len(rows) and _same_rows(known, rows))

    def _recognise_lists(self) -> None:
        """Point 3: a list that is row for row a known one adds its columns to it."""
        known: dict[tuple[str, int], list[Asked]] = defaultdict(list)
        for asked, rows in self.lists.items():
            known[LOOKUP_OF[asked[0]].table_name, len(rows)].append(asked)
        for answer in self._answers.values():
            if not answer.is_list or not answer.columns:
                continue
            same = [
                asked
                for table in TABLES
                if _fits(table, answer.rows)
                for asked in known[table.name, len(answer.rows)]
                if self._is_list(table, self.lists[asked], answer)
            ]
            if len(same) == 1:
                table = LOOKUP_OF[same[0][0]].table
                self._join_lists(table, self.lists[same[0]], answer.rows)

    @staticmethod
    def _is_list(table: WorldTable, rows: list[Cells], answer: _Answer) -> bool:
        """Whether all columns that both show are equal, and tell the rows apart."""
        both = [name for name in answer.columns if all(name in row for row in rows)]
        if len(rows) == 1:
            told = set(ROW_KEY[table.name]) <= set(both)
        else:
            told = len({tuple(row[name] for name in both) for row in rows}) == len(rows)
        return told and _same_rows(rows, answer.rows)

    def _rows_seen(self) -> Iterator[tuple[WorldTable, list[Cells], set[Evidence]]]:
        """Point 4: rows that are told by their key, and where they were seen."""
        for answer in self._answers.values():
            if (table := _whole(answer)) is not None:
                yield table, answer.rows, {"whole"}
                continue
            fitting = [
                table
                for table in TABLES
                if _fits(table, answer.rows)
                and all(name in row for row in answer.rows for name in ROW_KEY[table.name])
            ]
            if len(fitting) == 1:
                yield fitting[0], answer.rows, answer.seen
        for call in self._described:
            cells = _single(call) if call.lookup.returns == "one" else None
            if cells and (call.lookup.name, call.values) not in self.misses:
                found = _asked_cells(call.lookup, call.values)
                if _same_rows([found], [cells]):
                    yield call.lookup.table, [found | cells], {"named"}

    def _note(self, table: WorldTable, rows: list[Cells], seen: set[Evidence]) -> None:
        for cells in rows:
            key = _key(table, cells)
            if not any(map(blank, key)):
                row = self.rows[table.name].setdefault(key, _Row())
                self._join(table, row.cells, cells)
                row.seen |= seen

    def _join_lists(self, table: WorldTable, into: list[Cells], more: list[Cells]) -> None:
        if len(into) != len(more):
            self.differences.append(Difference(table.name, "", len(into), len(more)))
            return
        for row, other in zip(into, more, strict=True):
            self._join(table, row, other)

    def _join(self, table: WorldTable, into: Cells, more: Cells) -> None:
        for name, cell in more.items():
            if not _same(into.setdefault(name, cell), cell):
                self.differences.append(Difference(table.name, name, into[name], cell))

    # --- the files ---

    def files(self) -> dict[str, list[dict[str, Any]]]:
        files: dict[str, list[dict[str, Any]]] = {
            ROWS.format(table.name): [
                _in_order(table, row.cells) | {"_conf": sorted(row.seen)}
                for _, row in sorted(
                    self.rows[table.name].items(), key=lambda row: tuple(map(str, row[0]))
                )
            ]
            for table in TABLES
        }
        for corpus, texts in self.texts.items():
            files[ROWS.format(corpus)] = [{"contents": text} for text in sorted(texts)]
        files[SINGLES] = [
            _line(asked) | {"cells": _in_order(LOOKUP_OF[asked[0]].table, cells)}
            for asked, cells in sorted(self.singles.items())
        ]
        files[LISTS] = [
            _line(asked) | {"rows": [_in_order(LOOKUP_OF[asked[0]].table, row) for row in rows]}
            for asked, rows in sorted(self.lists.items())
        ]
        found = self.singles.keys() | self.lists.keys()
        files[MISSES] = [_line(asked) for asked in sorted(self.misses - found)]
        return files


def _line(asked: Asked) -> dict[str, Any]:
    tool, values = asked
    return {"tool": tool, "identifier": values[0] if len(values) == 1 else list(values)}


def _in_order(table: WorldTable, cells: Cells) -> Cells:
    return {name: cells[name] for name in table.names if name in cells}


def _single(call: Call) -> Cells | None:
    """What the answer says of one row: perhaps only that it is there."""
    if call.answer.startswith(BAD_COLUMN):
        return {}
    if call.lookup.returns == "name":
        return None if call.answer.startswith(BAD_CALL) else {"公司名称": call.answer}
    printed = read_printed(call.answer)
    if isinstance(printed, dict) and _fits(call.lookup.table, [printed]):
        return printed
    return None


def _are_rows(printed: Printed | None) -> TypeGuard[list[Cells]]:
    return isinstance(printed, list) and isinstance(printed[0], dict)


def _key(table: WorldTable, row: Cells) -> tuple[Cell, ...]:
    return tuple(row.get(name) for name in ROW_KEY[table.name])


def _fits(table: WorldTable, rows: list[Cells]) -> bool:
    return all(name in table.place for row in rows for name in row)


def _whole(answer: _Answer) -> WorldTable | None:
    """The table of which these are whole rows."""
    columns = answer.columns
    return next((table for table in TABLES if table.names == columns), None)


def _same(cell: Cell, other: Cell) -> bool:
    return type(cell) is type(other) and cell == other


def _same_rows(rows: list[Cells], others: list[Cells]) -> bool:
    return all(
        _same(row[name], cell)
        for row, other in zip(rows, others, strict=True)
        for name, cell in other.items()
        if name in row
    )


# How a value shows in which of several columns it stands: "…股份有限公司", "600315", "京0108".
# A short name shows nothing.
_FORMS: Final = {
    "公司名称": re.compile(r".+公司"),
    "公司代码": re.compile(r"[0-9]{6}"),
    "法院名称": re.compile(r".+法院"),
    "法院代字": re.compile(r"最高法|\D[0-9]{0,4}"),
    "律师事务所名称": re.compile(r".+事务所"),
    "律师事务所唯一编码": re.compile(r"[0-9A-Z]{18}"),
}


def _asked_cells(lookup: Lookup, values: Values) -> Cells:
    """What is known of a row because it was found with these values."""
    columns = lookup.match.columns
    if lookup.match.rule == "all" or len(columns) == 1:
        return dict(zip(columns, values, strict=True))
    told = [name for name in columns if name in _FORMS and _FORMS[name].fullmatch(values[0])]
    return dict.fromkeys(told, values[0])


def _askable(lookup: Lookup, rows: list[Cells]) -> Iterator[Values]:
    """The values with which a look-up may have found all these rows."""
    columns = lookup.match.columns
    each: list[set[tuple[Cell, ...]]]
    if lookup.match.rule == "all":
        each = [{tuple(row[name] for name in columns)} for row in rows]
    else:
        each = [{(row[name],) for name in columns} for row in rows]
    for values in sorted(set.intersection(*each), key=str):
        if not any(map(blank, values)):
            yield tuple(map(str, values))


# "劳动合同法第四十六条：…"; not "违约责任 定金责任"
_ARTICLE: Final = re.compile(
    r"[^：\n]{2,80}第[零一二三四五六七八九十百千]{1,9}条(?:之[一二三四五六七八九十])?："
)


def _corpus(words: str, texts: list[str]) -> str | None:
    """The collection that texts are of: told by their form, knowledge by the tool that is named."""
    if all(_ARTICLE.match(text) for text in texts):
        return ARTICLES
    if all("\n" in text for text in texts):
        return CASES
    named = {corpus for tool, (corpus, _) in CORPUS_OF_TOOL.items() if tool in words}
    return KNOWLEDGE if named == {KNOWLEDGE} else None


class _Court(NamedTuple):
    name: str
    code: str
    division: float | str
    area: str
    kind: float | str


_COURT_COLUMNS: Final = ["法院名称", "法院", "区划", "对应行政区划", "类型"]
_COURT_SHEET: Final = "Sheet1"
_SUPREME, _HIGH, _MIDDLE = "最高人民法院", "高级人民法院", "中级"
_SPECIAL: Final = 3  # the kind of courts for railways, the sea, intellectual property and the like
_MUNICIPALITIES: Final = "京津沪渝"


def _courts(file: Path) -> Iterator[dict[str, Any]]:
    """All courts of the list, with the two columns that follow from name, code and kind."""
    place = f"{file}, sheet {_COURT_SHEET!r}"
    rows = read_sheets(file, _COURT_SHEET.__eq__).get(_COURT_SHEET)
    if not rows or rows[0] != _COURT_COLUMNS:
        raise DataError(f"expected the columns {', '.join(_COURT_COLUMNS)}", file=place, row=1)
    for number, row in enumerate(rows[1:], 2):
        try:
            court = msgspec.convert(row, _Court)
        except msgspec.ValidationError as error:
            raise DataError(str(error), file=place, row=number) from error
        name, kind = court.name, _whole_number(court.kind)
        of_a_city = court.code[:1] in _MUNICIPALITIES
        if name == _SUPREME:
            level, rank = "最高法院", "国家级"
        elif _HIGH in name:
            level, rank = "高级法院", "省级"
        elif _MIDDLE in name:
            level, rank = "中级法院", "市级"
        else:
            level, rank = "基层法院", "市级" if of_a_city else "区县级"
        if kind == _SPECIAL and level not in ("最高法院", "高级法院"):
            level = "特殊法院"
        yield {
            "法院名称": name,
            "法院代字": court.code.strip(),
            "区划代码": _whole_number(court.division),
            "对应行政区划": court.area or None,
            "级别": kind,
            "法院级别_derived": level,
            "行政级别_derived": rank,
        }


def _whole_number(cell: float | str) -> int | None:
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() else None
    return int(cell) if cell.strip().isdecimal() else None

"""What papers say of their figures in words, and whether the printed figures bear it out.

Kinds of claims, then the claims. One gives as many checks as it speaks of rows or columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import acos, asin, cos, pi, sqrt
from typing import NamedTuple

import numpy as np

from hengfa.base.statistics.correlation import Numbers, pearson, spearman
from hengfa.evals.results.published.consistency import Outcome, Range, Tables, number, printed_range
from hengfa.evals.results.published.papers import PublishedRun


class Checked(NamedTuple):
    """One check: of which row and figure, and what came of it."""

    title: str
    setting: str
    figure: str
    outcome: Outcome


def _find(tables: Tables, table: str, title: str, setting: str) -> PublishedRun:
    return next(row for row in tables[table] if row.title == title and setting in (row.setting, ""))


@dataclass(frozen=True, slots=True)
class Quoted:
    """The text repeats a number of a table, or says which one a table should hold."""

    table: str
    place: str
    row: str
    figure: str
    printed: str
    setting: str = ""

    @property
    def says(self) -> str:
        return "quoted from the table"

    def check(self, tables: Tables) -> Iterator[Checked]:
        row = _find(tables, self.table, self.row, self.setting)
        held = number(row, self.figure)
        fits = printed_range(self.printed).meets(held)
        yield Checked(row.title, row.setting, self.figure, Outcome(self.printed, held, fits))


@dataclass(frozen=True, slots=True)
class Best:
    """A row is said, or printed in bold, to be the best of a column (`of`: among these rows)."""

    table: str
    place: str
    row: str
    figures: tuple[str, ...]
    setting: str = ""
    lowest: bool = False
    of: tuple[str, ...] = ()

    @property
    def says(self) -> str:
        return "said to be the best of its column"

    def check(self, tables: Tables) -> Iterator[Checked]:
        best = _find(tables, self.table, self.row, self.setting)
        others = [
            row
            for row in tables[self.table]
            if self.setting in (row.setting, "") and (not self.of or row.title in self.of)
        ]
        for figure in self.figures:
            ranges = [number(row, figure) for row in others if figure in row.printed]
            if self.lowest:
                limit = min(value.high for value in ranges)
                possible, fits = Range(Fraction(0), limit), number(best, figure).low <= limit
            else:
                limit = max(value.low for value in ranges)
                possible = Range(limit, max(value.high for value in ranges))
                fits = number(best, figure).high >= limit
            outcome = Outcome(best.printed[figure], possible, fits)
            yield Checked(best.title, best.setting, figure, outcome)


@dataclass(frozen=True, slots=True)
class Places:
    """These rows are said to take these places of a column, in any order among themselves."""

    table: str
    place: str
    rows: tuple[str, ...]
    figures: tuple[str, ...]
    first: int
    lowest: tuple[str, ...] = ()
    """Of the figures, those of which less is better."""

    @property
    def says(self) -> str:
        if len(self.rows) == 1:
            return f"said to be in place {self.first}"
        return f"said to be in places {self.first} to {self.first + len(self.rows) - 1}"

    def check(self, tables: Tables) -> Iterator[Checked]:
        last = self.first + len(self.rows) - 1
        for figure in self.figures:
            rows = [row for row in tables[self.table] if figure in row.printed]
            for row in (row for row in rows if row.title in self.rows):
                value = number(row, figure)
                above = [number(other, figure) for other in rows if other is not row]
                if figure in self.lowest:
                    surely = sum(other.high < value.low for other in above)
                    perhaps = sum(other.low <= value.high for other in above)
                else:
                    surely = sum(other.low > value.high for other in above)
                    perhaps = sum(other.high >= value.low for other in above)
                places = Range(Fraction(surely + 1), Fraction(perhaps + 1))
                fits = places.meets(Range(Fraction(self.first), Fraction(last)))
                said = str(self.first) if last == self.first else f"{self.first}-{last}"
                yield Checked(row.title, row.setting, figure, Outcome(said, places, fits))


@dataclass(frozen=True, slots=True)
class Falling:
    """Every row is said to fall from column to column; each step of each row is a check."""

    table: str
    place: str
    figures: tuple[str, ...]
    settings: tuple[str, ...]

    @property
    def says(self) -> str:
        return "said to fall with every hop"

    def check(self, tables: Tables) -> Iterator[Checked]:
        for row in tables[self.table]:
            if row.setting not in self.settings:
                continue
            for before, after in zip(self.figures, self.figures[1:], strict=False):
                limit, value = number(row, before), number(row, after)
                possible = Range(Fraction(0), limit.high)
                outcome = Outcome(row.printed[after], possible, value.low <= limit.high)
                yield Checked(row.title, row.setting, after, outcome)


@dataclass(frozen=True, slots=True)
class Correlated:
    """Two columns are said to correlate so and so; `ranks` asks for Spearman's, else Pearson's."""

    table: str
    place: str
    x: str
    y: str
    printed: str
    ranks: bool = False

    @property
    def says(self) -> str:
        return f"{'Spearman' if self.ranks else 'Pearson'} correlation with {self.y}"

    def check(self, tables: Tables) -> Iterator[Checked]:
        rows = tables[self.table]
        complete = [row for row in rows if self.x in row.printed and self.y in row.printed]
        if len(complete) < len(rows):
            return  # a claim about all rows says nothing of some of them
        x, y = ([number(row, name) for row in rows] for name in (self.x, self.y))
        possible = _spearman_range(x, y) if self.ranks else pearson_range(x, y)
        fits = printed_range(self.printed).meets(possible)
        yield Checked(f"all {len(rows)} rows", "", self.x, Outcome(self.printed, possible, fits))


Claim = Quoted | Best | Places | Falling | Correlated
"""`table` holds the figures that are spoken of, `place` is where the paper does so."""


def pearson_range(x: Sequence[Range], y: Sequence[Range]) -> Range:
    """Limits of Pearson's correlation of rounded numbers; no numbers within them can be outside.

    A correlation is the cosine of the angle between the centred columns. Rounding moves a column of
    length L by at most e·√n, and so turns it by at most asin(e·√n / L).
    """
    turn = 0.0
    columns: list[Numbers] = []
    for column in (x, y):
        middle = np.array([float((cell.low + cell.high) / 2) for cell in column])
        off = max(float(cell.high - cell.low) / 2 for cell in column)
        length = float(np.linalg.norm(middle - middle.mean()))
        reach = off * sqrt(len(column))
        turn += asin(min(1.0, reach / length)) if length else pi / 2
        columns.append(middle)
    middle_r = pearson(*columns)
    if middle_r is None:
        return Range(Fraction(-1), Fraction(1))
    angle = acos(middle_r)
    low, high = cos(min(pi, angle + turn)), cos(max(0.0, angle - turn))
    return Range(Fraction(low), Fraction(high))


def _spearman_range(x: Sequence[Range], y: Sequence[Range]) -> Range:
    """Of ranks as printed: which of two equal numbers was higher before rounding is not asked."""
    columns = [np.array([float((cell.low + cell.high) / 2) for cell in c]) for c in (x, y)]
    value = spearman(*columns)
    rank = Fraction(-1 if value is None else value)
    return Range(rank, Fraction(1) if value is None else rank)


_CONTENT = ("bertscore", "bleu", "edit_distance", "rouge_1", "rouge_2", "rouge_l")
_DISTANCE = ("edit_distance",)
_OVERALL = ("case_overall@Gemini-2.5-Pro", "case_overall@DeepSeek-R1")
_CONVICTING = ("charge_recall", "charge_precision", "charge_f1")
_METHODS = ("react", "plan-solve", "plan-execute")

CLAIMS: tuple[Claim, ...] = (
    Quoted("lawbench", "section 4.3", "Fuzi-Mingcha", "2-4", "97.59", "zero_shot"),
    Quoted("lawbench", "section 4.3", "GPT-4", "overall", "52.35", "zero_shot"),
    Quoted("lawbench", "section 4.3", "GPT-4", "overall", "53.85", "one_shot"),
    Correlated("claw", "section 5.1", *_OVERALL, "0.98"),
    Correlated("claw", "section 5.1, identical rankings", *_OVERALL, "1.00", ranks=True),
    *(
        Correlated("claw", "section 5.2", f"{level}_accuracy", _OVERALL[0], printed)
        for level, printed in (("article", "0.61"), ("paragraph", "0.70"), ("subparagraph", "0.68"))
    ),
    Correlated("claw", "appendix D", "article_accuracy", "bertscore", "0.83", ranks=True),
    Correlated("claw", "appendix D", "subparagraph_accuracy", "bertscore", "0.42", ranks=True),
    Quoted("claw", "appendix D", "Doubao-1.5-Pro", "bertscore", "0.808"),
    Quoted("claw", "appendix D", "Doubao-1.5-Pro", "edit_distance", "47.8"),
    Quoted("claw", "appendix D", "Doubao-1.5-Pro", "bleu", "0.451"),
    Quoted("claw", "appendix D", "Doubao-1.5-Pro", "rouge_l", "0.555"),
    Quoted("claw", "appendix D", "DeepSeek-V3", "bleu", "0.253"),
    Quoted("claw", "appendix D", "GPT-4o", "bleu", "0.018"),
    Quoted("claw", "appendix D", "GPT-4o", "rouge_2", "0.033"),
    Quoted("claw", "appendix D", "GPT-4o", "bertscore", "0.592"),
    Places("claw", "appendix D", ("Doubao-1.5-Pro",), _CONTENT, 1, _DISTANCE),
    Places(
        "claw", "appendix D", ("DeepSeek-V3", "Qwen-2.5-Max", "DeepSeek-R1"), _CONTENT, 2, _DISTANCE
    ),
    Places(
        "claw", "appendix D", ("GPT-4.1", "GPT-4o", "o1"),
        tuple(name for name in _CONTENT if name not in _DISTANCE), 8,
    ),
    Places("claw", "appendix D", ("Claude-3.7-Sonnet",), _DISTANCE, 10, _DISTANCE),
    Best("plawbench", "table 3, in bold", "GPT-5.2-1211-global", ("overall", "plc", "ldg")),
    Best(
        "plawbench", "table 3, in bold", "Claude-opus-4-5-20251101",
        ("pca", "reasoning_rate", "statutes_rate"),
    ),
    Best(
        "plawbench", "table 3, in bold", "Gemini-3.0-pro-preview",
        ("conclusion_rate", "plaintiff"),
    ),
    Best("plawbench", "table 3, in bold", "Qwen3-235b-a22b-instruct-2507", ("facts_rate",)),
    Best("plawbench", "table 3, in bold", "GPT-5-0807-global", ("defendant",)),
    Best(
        "plawbench-graders", "table 4, in bold", "Gemini-3.0-Pro-Preview",
        ("pearson/case", "spearman/case", "pearson/consultation", "spearman/consultation"),
    ),
    Best(
        "plawbench-graders", "table 4, in bold", "Qwen3-Max",
        ("pearson/documents", "spearman/documents"),
    ),
    Quoted("plawbench-data", "appendix C.1", "Task 1 PLC", "items_per_question", "8.7"),
    Quoted("legalagentbench", "section 4.2", "GPT-4o", "success/all", "0.7908", "react"),
    Quoted("legalagentbench", "section 4.2", "GPT-4o-mini", "success/1-hop", "0.93", "react"),
    Quoted("legalagentbench", "section 4.2", "GPT-4o", "success/5-hop", "0.61", "react"),
    Best("legalagentbench", "section 4.2", "GPT-4o", ("success/all",), "react"),
    Best("legalagentbench", "section 4.2", "Claude-sonnet", ("success/all",), "plan-solve"),
    Best("legalagentbench", "section 4.2", "Claude-sonnet", ("success/all",), "plan-execute"),
    Falling(
        "legalagentbench", "section 4.2",
        tuple(f"success/{hops}-hop" for hops in range(1, 6)), _METHODS,
    ),
    *(
        Best(
            "judgment", "section 6 (4)", f"{model} RAG", _CONVICTING,
            of=tuple(f"{model} {method}" for method in ("Direct", "ICL", "SFT", "RAG")),
        )
        for model in ("QW-3B-Base", "QW-7B-Base", "QW-3B-Chat", "QW-7B-Chat")
    ),
    Quoted("judgment-data", "section 3.4", "the data set", "fact_length", "652"),
)  # fmt: skip

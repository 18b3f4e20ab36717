"""Tables for a paper, a README or a spreadsheet: Markdown, LaTeX, CSV; leaderboards among them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Final

from hengfa.evals.report.site.boards import BoardView, board_views
from hengfa.evals.report.site.model import PublishedInfo, RunInfo, SiteFigure
from hengfa.evals.report.words import TRAINED, Language, Words, pick
from hengfa.evals.runs.leaderboard import TOKENS
from hengfa.law.text.invisible import INVISIBLE

if TYPE_CHECKING:
    import polars as pl

    from hengfa.evals.report.site.build import Collected

_COLUMNS: Final = 6
"""So many columns of numbers fit on a page; more become another table."""
_RANK, _MODEL, _SAMPLES = Words("名次", "rank"), Words("模型", "model"), Words("样本", "samples")
_TOKENS, _COST = Words("词元", "tokens"), Words("费用", "cost")
_PUBLISHED: Final = "*"
"""In place of a rank: a row of the paper."""
_COMPUTED: Final = "≈"
"""Before a figure that the paper does not print, but that follows from what it does."""
_NOTE: Final = Words(
    "* 论文发表的结果，已四舍五入；≈ 论文未印出，由其印出的数字算得",
    "* published, rounded; ≈ not printed, computed from what the paper prints",
)
# Signs that mean something in Markdown or HTML. Matches "|", "*" and "<"; not "-" or ".".
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]<>|#~$&])")
_LATEX: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
    "▸": r"\ensuremath{\triangleright}",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "←": r"\ensuremath{\leftarrow}",
    "≈": r"\ensuremath{\approx}",
    "✓": r"\ensuremath{\checkmark}",
    "·": r"\ensuremath{\cdot}",
}


@dataclass(frozen=True, slots=True)
class PaperTable:
    """Rows of texts as they are, not escaped yet; the first column names the row."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Row:
    """A run, or a row of the paper: its first cells, the value that orders it, and the others."""

    first: tuple[str, ...]
    spent: tuple[str, str]
    headline: float
    figure: Callable[[str], str]
    task: Callable[[str], str]


def leaderboard_tables(
    collected: Collected, language: Language, *, published: bool = False
) -> Iterator[PaperTable]:
    """For each board and rules its figures, then its tasks, in per cent with 95 % intervals;
    tokens and cost where they are known, and if asked for the rows of the paper."""
    views = board_views(collected.boards, collected.runs, collected.tasks, collected.published)
    for view in views:
        title = pick(Words(view.suite.title, view.suite.title_en), language)
        place = f"{title}, {view.setting}, {view.rules}"
        rows = [_run_row(view, run) for run in view.runs]
        if published and view.printed():
            rows += [_printed_row(row, view.suite.headline) for row in view.printed()]
            rows.sort(key=lambda row: -row.headline)
            place = f"{place} ({pick(_NOTE, language)})"
        if any(run.trained for run in view.runs):
            place = f"{place} ({pick(TRAINED, language)})"
        figures = {
            name: pick(words, language)
            for name, words in view.figures.items()
            if any(
                name in values
                for run in view.runs
                for values in (view.scores(run).figures, view.scores(run).bands)
            )
        }
        tasks = {task.id: pick(view.title(task), language) for task in view.tasks}
        head = [pick(heading, language) for heading in (_MODEL, _RANK, _SAMPLES)]
        used = [
            (pick(heading, language), [row.spent[number] for row in rows])
            for number, heading in enumerate((_TOKENS, _COST))
            if any(row.spent[number] != "–" for row in rows)
        ]
        of_figures = [
            *used, *((words, [row.figure(name) for row in rows]) for name, words in figures.items())
        ]  # fmt: skip
        of_tasks = [(words, [row.task(task) for row in rows]) for task, words in tasks.items()]
        for columns in (of_figures, of_tasks):
            yield from _in_parts(place, head, [row.first for row in rows], columns)


def _run_row(view: BoardView, run: RunInfo) -> _Row:
    bands = view.scores(run).bands

    def figure(name: str) -> str:
        return str(bands[name]) if name in bands else show_interval(view.figure(run, name))

    def task(name: str) -> str:
        cell = view.cell(run, name)
        if name in bands:
            return str(bands[name])
        return show_interval(cell.score if cell is not None else None)

    counted = [count for count in (run.input_tokens, run.output_tokens) if count is not None]
    tokens = f"{sum(counted):,}" if counted else "–"
    cost = "–" if run.cost is None else f"{run.cost:.4f} {run.currency or ''}".rstrip()
    headline = view.figure(run, view.suite.headline)
    value = -inf if headline is None else headline.value
    first = (view.label(run), _rank(view, run), str(run.samples))
    return _Row(first, (tokens, cost), value, figure, task)


def _printed_row(row: PublishedInfo, headline: str) -> _Row:
    def show(values: Mapping[str, float], name: str) -> str:
        mark = _COMPUTED if values is row.figures and name in row.computed else ""
        return f"{mark}{values[name] * 100:.2f}" if name in values else "–"

    tokens = row.figures.get(TOKENS)
    spent = ("–" if tokens is None else f"{tokens:,.0f}", "–")
    value, first = row.figures.get(headline, -inf), (row.title, _PUBLISHED, "–")
    return _Row(first, spent, value, partial(show, row.figures), partial(show, row.tasks))


def _in_parts(
    title: str,
    head: Sequence[str],
    first: Sequence[tuple[str, ...]],
    columns: Sequence[tuple[str, Sequence[str]]],
) -> Iterator[PaperTable]:
    """The columns, each with its heading, in as many tables as it takes."""
    for start in range(0, len(columns), _COLUMNS):
        part = columns[start : start + _COLUMNS]
        cells = zip(*(cells for _, cells in part), strict=True)
        rows = [(*begin, *row) for begin, row in zip(first, cells, strict=True)]
        yield PaperTable(title, (*head, *(heading for heading, _ in part)), rows)


def _rank(view: BoardView, run: RunInfo) -> str:
    scores = view.scores(run)
    if scores.rank is None:
        return "–"
    if scores.rank_low is None or scores.rank_low == scores.rank_high:
        return str(scores.rank)
    return f"{scores.rank} ({scores.rank_low}–{scores.rank_high})"


def show_interval(figure: SiteFigure | None) -> str:
    """`52.35 [50.11, 54.60]`, in per cent; a dash where there is nothing."""
    if figure is None:
        return "–"
    value = f"{figure.value * 100:.2f}"
    if figure.low is None or figure.high is None:
        return value
    return f"{value} [{figure.low * 100:.2f}, {figure.high * 100:.2f}]"


def as_markdown(tables: Iterable[PaperTable]) -> str:
    """Tables in Markdown, each under its title."""

    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(map(escape_markdown, cells))} |"

    lines: list[str] = []
    for table in tables:
        rule = f"| --- |{' ---: |' * (len(table.head) - 1)}"
        title = f"**{escape_markdown(table.title)}**"
        lines += [title, "", line(table.head), rule, *map(line, table.rows), ""]
    return "\n".join(lines)


def as_latex(tables: Iterable[PaperTable]) -> str:
    """Tables in LaTeX, for the package booktabs; Chinese needs xeCJK or ctex besides."""

    def line(cells: Iterable[str]) -> str:
        return f"{' & '.join(map(escape_latex, cells))} \\\\"

    lines: list[str] = []
    for table in tables:
        lines += [
            r"\begin{table}",
            rf"\caption{{{escape_latex(table.title)}}}",
            rf"\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}",
            r"\toprule",
            line(table.head),
            r"\midrule",
            *map(line, table.rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    return "\n".join(lines)


def as_csv(frame: pl.DataFrame) -> bytes:
    """A frame as CSV; a text that a spreadsheet would take for a formula has an apostrophe before
    it."""
    import polars as pl  # noqa: PLC0415 - for those who ask for it

    texts = pl.col(pl.String)
    safe = pl.when(texts.str.contains(r"^[=+\-@\t\r]")).then("'" + texts).otherwise(texts)
    return frame.with_columns(safe.name.keep()).write_csv().encode()


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is, in one line."""
    return _MARKDOWN.sub(r"\\\1", _one_line(text))


def escape_latex(text: str) -> str:
    """Text that LaTeX sets as it is, in one line."""
    return "".join(_LATEX.get(sign, sign) for sign in _one_line(text)).replace("–", "--")


def _one_line(text: str) -> str:
    return " ".join(INVISIBLE.sub(" ", text).split())

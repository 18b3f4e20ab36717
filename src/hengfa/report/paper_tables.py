"""Tables for a paper, a README or a spreadsheet: Markdown, LaTeX, CSV; leaderboards among them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from hengfa.report.site.collect import Collected
from hengfa.report.site.model import Figure, RunInfo, Words
from hengfa.report.site.views import BoardView, Language, board_views, pick
from hengfa.text.invisible import INVISIBLE

if TYPE_CHECKING:
    import polars as pl

_COLUMNS: Final = 6
"""So many columns of numbers fit on a page; more become another table."""
_RANK, _MODEL, _SAMPLES = Words("名次", "rank"), Words("模型", "model"), Words("样本", "samples")
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
    "←": r"\ensuremath{\leftarrow}",
    "≈": r"\ensuremath{\approx}",
    "✓": r"\ensuremath{\checkmark}",
    "·": r"\ensuremath{\cdot}",
}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts as they are, not escaped yet; the first column names the row."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def leaderboard_tables(collected: Collected, language: Language) -> Iterator[Table]:
    """For each board and rules its figures, then its tasks, in per cent with 95 % intervals."""
    views = board_views(collected.boards, collected.runs, collected.tasks, collected.published)
    for view in views:
        title = pick(Words(view.suite.title, view.suite.title_en), language)
        place = f"{title}, {view.setting}, {view.rules}"
        figures = {
            name: pick(words, language)
            for name, words in view.figures.items()
            if any(name in view.scores(run).figures for run in view.runs)
        }
        tasks = {task.id: view.title(task, language) for task in view.tasks}
        yield from _in_parts(view, place, language, figures, view.figure)
        yield from _in_parts(view, place, language, tasks, partial(_score, view))


def _score(view: BoardView, run: RunInfo, task: str) -> Figure | None:
    cell = view.cell(run, task)
    return cell.score if cell is not None else None


def _in_parts(
    view: BoardView,
    title: str,
    language: Language,
    columns: Mapping[str, str],
    value: Callable[[RunInfo, str], Figure | None],
) -> Iterator[Table]:
    """The columns, by name with their titles, in as many tables as it takes."""
    names = list(columns)
    first = [pick(heading, language) for heading in (_MODEL, _RANK, _SAMPLES)]
    for start in range(0, len(names), _COLUMNS):
        part = names[start : start + _COLUMNS]
        rows = [
            (
                view.label(run),
                _rank(view, run),
                str(run.samples),
                *(show_interval(value(run, name)) for name in part),
            )
            for run in view.runs
        ]
        yield Table(title, (*first, *(columns[name] for name in part)), rows)


def _rank(view: BoardView, run: RunInfo) -> str:
    scores = view.scores(run)
    if scores.rank is None:
        return "–"
    if scores.rank_low is None or scores.rank_low == scores.rank_high:
        return str(scores.rank)
    return f"{scores.rank} ({scores.rank_low}–{scores.rank_high})"


def show_interval(figure: Figure | None) -> str:
    """`52.35 [50.11, 54.60]`, in per cent; a dash where there is nothing."""
    if figure is None:
        return "–"
    shown = f"{figure.value * 100:.2f}"
    if figure.low is None or figure.high is None:
        return shown
    return f"{shown} [{figure.low * 100:.2f}, {figure.high * 100:.2f}]"


def as_markdown(tables: Iterable[Table]) -> str:
    """Tables in Markdown, each under its title."""
    return "\n".join(_markdown(table) for table in tables)


def _markdown(table: Table) -> str:
    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |"

    rule = line(["---", *["---:"] * (len(table.head) - 1)])
    rows = [line(map(escape_markdown, row)) for row in table.rows]
    head = line(map(escape_markdown, table.head))
    return "\n".join([f"**{escape_markdown(table.title)}**", "", head, rule, *rows, ""])


def as_latex(tables: Iterable[Table]) -> str:
    """Tables in LaTeX, for the package booktabs; Chinese needs xeCJK or ctex besides."""
    return "\n".join(_latex(table) for table in tables)


def _latex(table: Table) -> str:
    def line(cells: Iterable[str]) -> str:
        return f"{' & '.join(map(escape_latex, cells))} \\\\"

    return "\n".join(
        [
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
    )


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

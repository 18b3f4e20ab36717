"""What runs scored, in the terminal: task by task or as a matrix, what fixes do, all runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table

from hengfa.base.terminal.console import (
    fitting,
    no_minus_zero,
    plain_console,
    printable,
    show_score,
)
from hengfa.evals.engine.messages import Status
from hengfa.evals.report.terminal import CLOSE, folded, number, right, whole
from hengfa.evals.results.figures import Band, TaskFigures
from hengfa.evals.runs.evidence import OVERALL
from hengfa.evals.runs.folder import RunFigures
from hengfa.evals.runs.look import RunSummary
from hengfa.evals.suites.base import BACKED_RATE, AnswerStatus, Suite
from hengfa.evals.suites.registry import get_suite

_TASK_AND_N, _MODEL = 26, 18
"""What the columns of a table by task take: `2-2 争议焦点识别`, `500`; `abstained 11.6%`."""


def print_outcomes(outcomes: Sequence[RunFigures]) -> None:
    """Figures by setting: task by task where that fits, else a matrix; then what fixes do."""
    console, suite = plain_console(), get_suite(outcomes[0].suite)
    for setting in dict.fromkeys(outcome.setting for outcome in outcomes):
        group = [outcome for outcome in outcomes if outcome.setting == setting]
        rules = " and ".join(dict.fromkeys(str(outcome.rules) for outcome in group))
        title = f"{suite.title_en}, {setting}, {rules} rules, points of 100"
        if len(group) <= 2 or _TASK_AND_N + _MODEL * len(group) <= console.width:
            console.print(_by_task(suite, group, title))
        else:
            console.print(title, style="italic")
            for table in _matrix(suite, group, console.width):
                console.print(table)
                console.print()
        tasks = suite.tasks
        missing = [task for task in tasks if any(task not in outcome.tasks for outcome in group)]
        if 0 < len(missing) < len(tasks) / 2:  # else most of the suite was not meant
            console.print(f"Missing, with the figures that need them: {', '.join(missing)}")
        _print_effects(console, suite, group)


def _by_task(suite: Suite, group: Sequence[RunFigures], title: str) -> Table:
    """One row per task, one column per model and rules; failures are named below the score."""
    longest = max(len(task.metric) for task in suite.tasks.values())
    models = (right(printable(_name(outcome, group)), overflow="fold") for outcome in group)
    tasks = folded("task and metric", min_width=longest)
    table = Table(tasks, right("n"), *models, title=title, title_justify="left")
    for task_id, task in suite.tasks.items():
        cells = [show_figures(o.tasks[task_id]) if task_id in o.tasks else "–" for o in group]
        if any(cell != "–" for cell in cells):
            counts = {o.tasks[task_id].n: None for o in group if task_id in o.tasks}
            n = "/".join(map(str, counts))
            table.add_row(f"{task_id} {task.title}\n{task.metric}", n, *cells)
    table.add_section()
    figures = [_figures_of(suite, outcome) for outcome in group]
    for name in dict.fromkeys(name for of_run in figures for name in of_run):
        table.add_row(name, "", *(_score_or_dash(of_run.get(name)) for of_run in figures))
    return table


def _figures_of(suite: Suite, outcome: RunFigures) -> dict[str, float | Band]:
    """The figures of a suite that people quote: those it makes of task scores, and titled ones."""
    titled = {*suite.abilities, *suite.titles}
    further = {name: value for name, value in outcome.further.items() if name in titled}
    return {**outcome.figures, **further, **outcome.bands}


def _matrix(suite: Suite, group: Sequence[RunFigures], width: int) -> Iterator[Table]:
    """One row per model, one narrow column per figure and task; as many tables as they need."""
    figures = [_figures_of(suite, outcome) for outcome in group]
    columns = {
        name: [_score_or_dash(of_run.get(name)) for of_run in figures]
        for name in dict.fromkeys(name for of_run in figures for name in of_run)
    }
    for task in suite.tasks:
        if any(task in outcome.tasks for outcome in group):
            scored = (outcome.tasks.get(task) for outcome in group)
            scores = ((result.band or result.score) if result else None for result in scored)
            columns[task] = [*map(_score_or_dash, scores)]
    names = [printable(_name(outcome, group, " ")) for outcome in group]
    names_width = min(max(map(cell_len, ("model", *names))), width // 2)
    widths = {name: max(map(cell_len, (name, *cells))) for name, cells in columns.items()}
    for part in fitting(widths, width - names_width):
        table = Table(folded("model", width=names_width), *map(number, part), **CLOSE)
        for nth, name in enumerate(names):
            table.add_row(name, *(columns[column][nth] for column in part))
        yield table


def _score_or_dash(score: float | Band | None) -> str:
    if isinstance(score, Band):
        return str(score)
    return "–" if score is None else show_score(score)


def _print_effects(console: Console, suite: Suite, group: Sequence[RunFigures]) -> None:
    """What each fix alone does to a task's official score; of several models mean and range."""
    fixed = [
        {name: task.effects for name, task in outcome.tasks.items() if task.effects is not None}
        for outcome in group
        if any(task.effects is not None for task in outcome.tasks.values())
    ]
    effects = ("effect",) if len(fixed) == 1 else ("mean", "lowest", "highest")
    table = Table(whole("task"), whole("fix"), *map(number, effects))
    sentences: dict[str, str] = {}
    without: dict[str, list[str]] = {}
    for task_id, task in suite.tasks.items():
        others = {name: reading.sentence for name, reading in task.readings.items()}
        for fix, sentence in {**task.fixes, **others}.items():
            moved = [of[task_id][fix] for of in fixed if fix in of.get(task_id, {})]
            if not moved:
                continue
            spread = (sum(moved) / len(moved), min(moved), max(moved))
            shown = [_points(effect) for effect in spread[: len(effects)]]
            if all(effect == _points(0) for effect in shown):
                without.setdefault(task_id, []).append(fix)
            else:
                sentences[fix] = sentence
                table.add_row(task_id, fix, *shown)
    if sentences:
        readings = any(task.readings for task in suite.tasks.values())
        each = "Each fix and each other reading" if readings else "Each fix"
        console.print(f"{each} by itself, in points of the official score", style="italic")
        console.print(table)
        legend = Table(box=None, show_header=False, pad_edge=False)
        for fix, sentence in sentences.items():
            legend.add_row(fix, sentence)
        console.print(legend)
    if without:
        named = (f"{task_id} {', '.join(fixes)}" for task_id, fixes in without.items())
        console.print(f"Fixes that move no score here: {'; '.join(named)}")


def _points(effect: float) -> str:
    return f"{no_minus_zero(effect * 100):+.2f}"


def _name(outcome: RunFigures, group: Sequence[RunFigures], between: str = "\n") -> str:
    told = [
        str(getattr(outcome, name))
        for name in ("rules", "grader")
        if len({getattr(member, name) for member in group}) > 1 or name == "grader"
    ]
    below = ", ".join(filter(None, told))
    return f"{outcome.model}{between}({below})" if below else outcome.model


def show_figures(figure: TaskFigures) -> str:
    """`15.86 ±1.02`, the skill, then what is not an answer and what abstained, if anything."""
    if figure.score is None and figure.band is None:
        return "–"
    error = f" ±{figure.standard_error * 100:.2f}" if figure.standard_error else ""
    lines = [f"{_score_or_dash(figure.band or figure.score)}{error}"]
    if figure.skill is not None:
        lines.append(f"skill {no_minus_zero(figure.skill):.2f}")
    ledger = [
        f"{status} {figure.statuses[status]}"
        for status in Status
        if status is not Status.ANSWERED and status in figure.statuses
    ]
    if figure.lenient is not None and figure.lenient != figure.score:
        ledger.append(f"answers only: {show_score(figure.lenient)}")
    ledger.extend(
        f"{status} {figure.answers[status]}"
        for status in (AnswerStatus.AMBIGUOUS, AnswerStatus.MALFORMED)
        if status in figure.answers
    )
    if figure.abstention:
        ledger.append(f"abstained {figure.abstention * 100:.1f}%")
    if figure.ungraded and figure.band is None:
        ledger.append(f"ungraded {figure.ungraded * 100:.1f}%")
    if (backed := figure.more.get(BACKED_RATE)) is not None and backed != figure.score:
        ledger.append(f"with evidence: {show_score(backed)}")
    lines.extend(ledger)
    return "\n".join(lines)


def print_runs(summaries: Sequence[RunSummary]) -> None:
    """Of each run its name, how much was asked, and below who was asked and by what it is scored,
    with the figure that boards of its suite are ordered by. Names to copy and numbers stay whole.
    """
    spent = [summary.spent for summary in summaries if summary.spent is not None]
    known = {"tokens": spent, "cost": [used for used in spent if used.cost is not None]}
    headings = "samples", "score", *(name for name, runs in known.items() if runs)
    longest = max(cell_len(summary.name) for summary in summaries)
    table = Table(Column("run", min_width=longest), *map(number, headings), **CLOSE)
    for summary in summaries:
        used, of = summary.spent, "" if summary.headline == OVERALL else summary.headline
        used_cells = (f"{used.tokens:,}", used.show_cost()) if used else ("–", "–")
        cells = (summary.name, str(summary.samples), "", *used_cells)
        table.add_row(*cells[: len(table.columns)])
        manifest = summary.manifest
        prompts = f"prompts {manifest.prompts}" if manifest.prompts else ""
        asked = ", ".join(filter(None, (manifest.model, prompts, manifest.trained)))
        scores = {}
        for one in summary.scores:
            how, value = (asked, of, str(one.rules), one.grader), summary.headline_of(one)
            scores[", ".join(filter(None, how))] = (
                "some tasks" if value is None else _score_or_dash(value)
            )
        for said, score in (scores or {asked: "not scored"}).items():
            table.add_row(Padding(printable(said), (0, 0, 0, 2)), "", score)
    plain_console().print(table)

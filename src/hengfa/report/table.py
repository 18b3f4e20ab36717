"""Outcomes as a table in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from hengfa.engine.messages import Status
from hengfa.runs.look import RunSummary, Story
from hengfa.runs.outcome import Outcome
from hengfa.suites.base import AnswerStatus
from hengfa.suites.scoring import TaskFigure


def plain_console() -> Console:
    """A console that takes nothing for markup: `[b]` is an option, `:A:` is no emoji."""
    return Console(markup=False, emoji=False, highlight=False)


def print_outcomes(outcomes: Sequence[Outcome]) -> None:
    """One row per task, one column per model and rules; failures are named below the score."""
    console = plain_console()
    for setting in dict.fromkeys(outcome.setting for outcome in outcomes):
        group = [outcome for outcome in outcomes if outcome.setting == setting]
        suite = group[0].suite
        several_rules = len({outcome.rules for outcome in group}) > 1
        rules = " and ".join(dict.fromkeys(str(outcome.rules) for outcome in group))
        title = f"{suite.title_en}, {setting}, {rules} rules"
        table = Table(title=title, title_justify="left")
        table.add_column("task")
        table.add_column("metric")
        table.add_column("n", justify="right")
        for outcome in group:
            name = f"{outcome.model}\n({outcome.rules})" if several_rules else outcome.model
            table.add_column(printable(name), justify="right", overflow="fold")
        for task_id, task in suite.tasks.items():
            cells = [
                show_figure(outcome.tasks[task_id]) if task_id in outcome.tasks else "–"
                for outcome in group
            ]
            if any(cell != "–" for cell in cells):
                counts = {o.tasks[task_id].n: None for o in group if task_id in o.tasks}
                n = "/".join(map(str, counts))
                table.add_row(f"{task_id} {task.title}", task.metric, n, *cells)
        table.add_section()
        figures = [outcome.figures() for outcome in group]
        for name in dict.fromkeys(name for named in figures for name in named):
            table.add_row(
                name,
                "",
                "",
                *(show_score(named[name]) if name in named else "–" for named in figures),
            )
        console.print(table)


def show_score(value: float) -> str:
    """A fraction as it is quoted: 0.1586 → 15.86."""
    return f"{value * 100:.2f}"


def show_figure(figure: TaskFigure) -> str:
    """`15.86 ±1.02`, then what is not an answer and what abstained, if anything."""
    if figure.score is None:
        return "–"
    error = "" if figure.standard_error is None else f" ±{figure.standard_error * 100:.2f}"
    lines = [f"{show_score(figure.score)}{error}"]
    ledger = [
        f"{status} {figure.statuses[status]}"
        for status in Status
        if status is not Status.ANSWERED and figure.statuses[status]
    ]
    if figure.lenient is not None and figure.lenient != figure.score:
        ledger.append(f"answers only: {show_score(figure.lenient)}")
    ledger.extend(
        f"{status} {figure.answers[status]}"
        for status in (AnswerStatus.AMBIGUOUS, AnswerStatus.MALFORMED)
        if figure.answers[status]
    )
    if figure.abstention:
        ledger.append(f"abstained {figure.abstention * 100:.1f}%")
    lines.extend(ledger)
    return "\n".join(lines)


def print_runs(summaries: Sequence[RunSummary]) -> None:
    """One row per run: its name, its model below it, how much was asked, its overall figure."""
    table = Table()
    table.add_column("run", no_wrap=True, overflow="ignore")  # a name to copy
    for heading in ("samples", "overall"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in summaries:
        table.add_row(
            f"{one.name}\n  {printable(one.manifest.model)}",
            str(one.samples),
            "\n".join(f"{_overall(figures)} ({rules})" for rules, figures in one.figures.items())
            or "not scored",
        )
    plain_console().print(table)


def _overall(figures: Mapping[str, float]) -> str:
    return show_score(figures["overall"]) if "overall" in figures else "some tasks"


def print_story(story: Story) -> None:
    """One question from prompt to score. Nothing in it is taken for markup or control codes."""
    console = plain_console()

    def part(title: str, body: str) -> None:
        console.rule(title, align="left")
        console.print(printable(body))

    for message in story.messages:
        part(f"prompt ({message.role})", message.content)
    if story.response.reasoning:
        part("reasoning", story.response.reasoning)
    reason = f" ({story.response.reason})" if story.response.reason else ""
    part(f"response: {story.response.status}{printable(reason)}", story.response.text)
    part("reference", story.reference)
    for rules, scored in story.scored.items():
        values = ", ".join(f"{name} {value}" for name, value in scored.metrics.items())
        if scored.answer is None:
            read_as = "not an answer"
        else:
            value = "" if scored.value is None else str(scored.value)
            short = value and len(value) <= 80  # a whole text stands above already
            read_as = f"{scored.answer}: {value}" if short else str(scored.answer)
        part(f"score, {rules} rules", f"{values}\nread as {read_as}")


def printable(text: str) -> str:
    """Text without control characters: a response must not move the cursor or recolour."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )

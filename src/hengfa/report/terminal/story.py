"""One question of a run in the terminal: prompt, response, reference, findings and score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hengfa.report.terminal.console import plain_console, printable
from hengfa.results.tables import ResponseRow
from hengfa.results.trace import Finding, Trace, read_trace
from hengfa.runs.look import Story
from hengfa.suites.findings import short

_SIGNS = {True: "✓", False: "✗", None: "·"}
_MOST_QUOTES = 8
_LONGEST = 60
_LONGEST_VALUE = 80
"""What was read is shown if it is no longer: a whole text stands above already."""


def print_story(story: Story, prompts: str = "", servers: Sequence[str] = ()) -> None:
    """One question from prompt to score; `prompts` names those of a run, if not the suite's own.
    `servers` are those among several who answered.

    Nothing in it is taken for markup or control codes.
    """
    console = plain_console()

    def part(title: str, body: str) -> None:
        console.rule(title, align="left")
        console.print(printable(body))

    row = next(iter(story.values())).row
    part(f"prompt by {printable(prompts)}" if prompts else "prompt", row.prompt)
    if row.reasoning:
        part("reasoning", row.reasoning)
    reason = f" ({row.reason})" if row.reason else ""
    by = f" by {', '.join(servers)}" if servers else ""
    part(f"response: {row.status}{printable(reason + by)}", row.response)
    part("reference", row.reference)
    for rules, shown in _traces(story):
        part(f"trace, {rules} rules", shown)
    for name, reading in story.items():
        values = ", ".join(f"{metric} {value}" for metric, value in reading.metrics.items())
        part(f"score, {name} rules", f"{values}\nread as {_read_as(reading.row)}")


def _read_as(row: ResponseRow) -> str:
    if row.answer_status is None:
        return "not an answer"
    is_short = row.extracted and len(row.extracted) <= _LONGEST_VALUE
    return f"{row.answer_status}: {row.extracted}" if is_short else row.answer_status


def _traces(story: Story) -> Iterator[tuple[str, str]]:
    """By rules; rules under which all looks the same are named together."""
    rules_of: dict[str, list[str]] = {}
    for rules, reading in story.items():
        trace = read_trace(reading.row.trace)
        if trace.findings:
            rules_of.setdefault(trace_text(trace, reading.row.response), []).append(str(rules))
    for shown, rules_named in rules_of.items():
        yield " and ".join(rules_named), shown


def trace_text(trace: Trace, response: str) -> str:
    """A line for each finding, with the words of the response on which it rests below it."""
    lines = [f"error: {trace.error}"] if trace.error else []
    for finding in trace.findings:
        lines.append(_line(finding))
        words = (short(response[start:end], _LONGEST) for start, end in finding.spans)
        quotes = list(dict.fromkeys(words))
        lines += [f"    “{quote}”" for quote in quotes[:_MOST_QUOTES]]
        if len(quotes) > _MOST_QUOTES:
            lines.append(f"    and {len(quotes) - _MOST_QUOTES} more places")
    return "\n".join(lines)


def _line(finding: Finding) -> str:
    """`✗ paragraph  given 2, expected 1  0/1  (note)`, what there is of it."""
    sides = [
        f"{name} {value}"
        for name, value in (("given", finding.given), ("expected", finding.expected))
        if value
    ]
    points = ""
    if finding.points is not None:
        points = f"{finding.points:.4g}"
        points += f"/{finding.maximum:.4g}" if finding.maximum is not None else ""
    note = f"({finding.note})" if finding.note else ""
    parts = (f"{_SIGNS[finding.right]} {finding.label}", ", ".join(sides), points, note)
    return "  ".join(filter(None, parts))

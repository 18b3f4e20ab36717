"""One question of a run in the terminal: prompt, response, reference, marks, trace and score."""

from __future__ import annotations

from collections.abc import Iterator

from hengfa.grading.marks import ItemMark, Mark
from hengfa.grading.submission import Submission
from hengfa.report.terminal.console import plain_console, printable
from hengfa.results.trace import Finding, Trace
from hengfa.runs.look import Story
from hengfa.suites.tracing import short

_SIGNS = {True: "✓", False: "✗", None: "·"}
_MOST_QUOTES = 8
_LONGEST = 60
"""So much of an item, a reason or a quotation is shown."""
_GRADED = "items"
"""Of a graded response the marks say the same and more."""


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
    for grader, mark in story.marks.items():
        if story.submission is not None:
            part(f"marks of {printable(grader)}", _marks_text(story.submission, mark))
    for rules, shown in _traces(story):
        part(f"trace, {rules} rules", shown)
    for rules, scored in story.scored.items():
        values = ", ".join(f"{name} {value}" for name, value in scored.metrics.items())
        if scored.answer is None:
            read_as = "not an answer"
        else:
            value = "" if scored.value is None else str(scored.value)
            is_short = value and len(value) <= 80  # a whole text stands above already
            read_as = f"{scored.answer}: {value}" if is_short else str(scored.answer)
        part(f"score, {rules} rules", f"{values}\nread as {read_as}")


def _traces(story: Story) -> Iterator[tuple[str, str]]:
    """By rules; rules under which all looks the same are named together."""
    rules_of: dict[str, list[str]] = {}
    for rules, trace in story.traces.items():
        if trace.findings and trace.kind != _GRADED:
            rules_of.setdefault(trace_text(trace, story.response.text), []).append(str(rules))
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


def _marks_text(submission: Submission, mark: Mark) -> str:
    """`12/20` in all, then section by section; evidence is cut from the response itself."""
    band = f" to {mark.lenient:g}" if mark.lenient != mark.points else ""
    evidence = f", {mark.backed:g} with evidence" if mark.backed != mark.points else ""
    lines = [f"{mark.points:g}{band}/{mark.maximum:g}{evidence}"]
    texts = {item.id: item.text for item in submission.rubric.items()}
    faults = {fault.id: fault.text for fault in submission.rubric.faults()}
    for section in mark.sections:
        lines.append(f"{section.id}  {section.points:g}/{section.maximum:g}")
        for item in section.items:
            lines.extend(_item(item, texts[item.id], submission.response))
    lines.extend(f"fault {one}: {_cut(faults[one])}" for one in mark.faults)
    return "\n".join(lines)


def _item(item: ItemMark, text: str, response: str) -> Iterator[str]:
    points = "ungraded" if item.awarded is None else f"{item.points:g}"
    flags = f"  [{', '.join(item.flags)}]" if item.flags else ""
    yield f"  {item.id}  {points}/{item.maximum:g}{flags}  {_cut(text)}"
    for span in item.spans:
        yield f"      “{_cut(response[span.start : span.end])}”"
    if item.reason:
        yield f"      {_cut(item.reason)}"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"

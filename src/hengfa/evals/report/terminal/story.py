"""One question of a run in the terminal: prompt, response, reference, findings and score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from rapidfuzz.distance import Prefix

from hengfa.base.terminal.console import plain_console, printable
from hengfa.evals.engine.journal import Exchange
from hengfa.evals.engine.messages import Message, ToolUse
from hengfa.evals.results.tables import ResponseRow
from hengfa.evals.results.trace import Finding, Trace, read_trace
from hengfa.evals.runs.cells import prompt_text
from hengfa.evals.runs.look import Sent, Story
from hengfa.evals.suites.findings import short

_SIGNS = {True: "✓", False: "✗", None: "·"}
_MOST_QUOTES = 8
_LONGEST_END = 400
_WORTH_LEAVING_OUT = 200
"""Characters; fewer than these are shown."""
_LONGEST = 60
_LONGEST_VALUE = 80
"""What was read is shown if it is no longer: a whole text stands above already."""


def print_story(
    story: Story, prompts: str = "", servers: Sequence[str] = (), sent: Sent | None = None
) -> None:
    """One question from prompt to score; `prompts` names those of a run, if not the suite's own.
    `servers` are those among several who answered, `sent` is what they were really sent.

    Nothing in it is taken for markup or control codes.
    """
    console = plain_console()

    def part(title: str, body: str) -> None:
        console.rule(title, align="left")
        console.print(printable(body))

    row = next(iter(story.values())).row
    part(f"prompt by {printable(prompts)}" if prompts else "prompt", row.prompt)
    for title, body in sent_parts(sent or Sent(), row.prompt):
        part(title, body)
    if row.reasoning:
        part("reasoning", row.reasoning)
    reason = f" ({row.reason})" if row.reason else ""
    by = f" by {', '.join(servers)}" if servers else ""
    part(f"response: {row.status}{printable(reason + by)}", row.response)
    part("reference", row.reference)
    traces: dict[str, list[str]] = {}  # rules under which all looks the same are named together
    for rules, reading in story.items():
        trace = read_trace(reading.row.trace)
        if trace.findings:
            traces.setdefault(trace_text(trace, reading.row.response), []).append(str(rules))
    for shown, same in traces.items():
        part(f"trace, {' and '.join(same)} rules", shown)
    for name, reading in story.items():
        values = ", ".join(f"{metric} {value}" for metric, value in reading.metrics.items())
        part(f"score, {name} rules", f"{values}\nread as {_read_as(reading.row)}")


def sent_parts(sent: Sent, prompt: str) -> Iterator[tuple[str, str]]:
    """A title and a text for each question to the model, unless it is the prompt itself.

    What an earlier one had is only counted: messages that all were the same, and the beginning of
    one that goes on otherwise. So is the middle of what is new and long.
    """
    if sent.untold:
        yield "sent", f"what was sent is not known: {sent.untold}"
    asked = [event for event in sent.events if isinstance(event, Exchange)]
    if [prompt_text(event.request.messages) for event in asked] == [prompt]:
        return
    before: list[Exchange] = []
    for event in asked:
        messages = event.request.messages
        whole = sum(len(_text(message)) for message in messages)
        title = f"sent, {printable(event.step)}" if event.step else "sent"
        yield f"{title}: {whole:,} characters", "\n".join(_new_lines(event, before))
        before.append(event)


def _new_lines(event: Exchange, before: Sequence[Exchange]) -> Iterator[str]:
    """The messages of a question without what stands in an earlier one."""
    messages = event.request.messages
    begun = ((_same(messages, earlier.request.messages), earlier.step) for earlier in before)
    same, step = max(begun, default=(0, ""), key=lambda found: found[0])
    if same:
        yield f"[{same} message{'s' if same > 1 else ''} as in {step}]"
    for message in messages[same:]:
        text = _text(message)
        alike = (
            (Prefix.similarity(text, _text(other)), earlier.step)
            for earlier in before
            for other in earlier.request.messages
            if other.role == message.role
        )
        shared, step = max(alike, default=(0, ""), key=lambda found: found[0])
        role = f"[{message.role}] " if len(messages) > 1 else ""
        if shared >= _WORTH_LEAVING_OUT:
            role, text = f"{role}[{shared:,} characters as in {step}] ", text[shared:]
        if (left_out := len(text) - 2 * _LONGEST_END) >= _WORTH_LEAVING_OUT:
            between = f" [… {left_out:,} characters, which --json has …] "
            text = between.join((text[:_LONGEST_END], text[-_LONGEST_END:]))
        yield f"{role}{text}"


def _same(messages: Sequence[Message], others: Sequence[Message]) -> int:
    """How many messages two conversations have in common from the beginning."""
    pairs = enumerate(zip(messages, others, strict=False))
    differ = (place for place, (one, other) in pairs if one != other)
    return next(differ, min(len(messages), len(others)))


def _text(message: Message) -> str:
    """A message with the calls that are in it."""
    calls = (f"{call.name}({call.arguments})" for call in message.tool_calls)
    return "\n".join(filter(None, (message.content, *calls)))


def story_json(story: Story, sent: Sent) -> dict[str, Any]:
    """The same as one document, with all that was sent."""
    row = next(iter(story.values())).row
    return {
        "run": row.run,
        "model": row.model,
        "prompt": row.prompt,
        "sent": [
            msgspec.structs.asdict(event)
            if isinstance(event, ToolUse)
            else {
                "step": event.step,
                "messages": event.request.messages,
                "tools": [tool.name for tool in event.request.options.tools],
                "response": event.response,
            }
            for event in sent.events
        ],
        "untold": sent.untold,
        "status": row.status,
        "reason": row.reason,
        "reasoning": row.reasoning,
        "response": row.response,
        "reference": row.reference,
        "rules": {
            str(rules): {
                "metrics": dict(reading.metrics),
                "answer_status": reading.row.answer_status,
                "extracted": reading.row.extracted,
                "trace": read_trace(reading.row.trace),
            }
            for rules, reading in story.items()
        },
    }


def _read_as(row: ResponseRow) -> str:
    if row.answer_status is None:
        return "not an answer"
    is_short = row.extracted and len(row.extracted) <= _LONGEST_VALUE
    return f"{row.answer_status}: {row.extracted}" if is_short else row.answer_status


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
    both = (("given", finding.given), ("expected", finding.expected))
    sides = [f"{name} {value}" for name, value in both if value]
    points = ""
    if finding.points is not None:
        points = f"{finding.points:.4g}"
        points += f"/{finding.maximum:.4g}" if finding.maximum is not None else ""
    note = f"({finding.note})" if finding.note else ""
    parts = (f"{_SIGNS[finding.right]} {finding.label}", ", ".join(sides), points, note)
    return "  ".join(filter(None, parts))

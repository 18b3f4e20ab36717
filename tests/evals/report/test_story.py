"""What `hengfa show` prints of how a response came to its score."""

from __future__ import annotations

import msgspec
import pytest

from hengfa.evals.engine.journal import Exchange
from hengfa.evals.engine.messages import Message, Request, Response, Status
from hengfa.evals.report.terminal.story import print_story, sent_parts, trace_text
from hengfa.evals.results.tables import ResponseRow
from hengfa.evals.results.trace import Finding, Trace
from hengfa.evals.runs.look import ResponseReading, Sent, Story
from hengfa.evals.suites.base import Rules


def story(**traces: Trace) -> Story:
    return {
        Rules(name): ResponseReading(
            ResponseRow(
                run="r", suite="lawbench", task="1-2", setting="zero_shot", rules=name, model="m",
                sample="0", cluster=None, facets="{}", status="answered",
                answer_status="ambiguous", prompt="问", reference="B",
                response="选B，不是A\x1b[31m。", reasoning="", extracted="",
                trace=msgspec.json.encode(trace).decode(), input_tokens=None, output_tokens=None,
                seconds=None, cost=None, currency=None,
            ),
            {"accuracy": 0.0},
        )
        for name, trace in traces.items()
    }  # fmt: skip


def test_a_finding_is_a_line_with_its_words_below() -> None:
    trace = Trace(
        "answer",
        (
            Finding("option", "B", "B", True, spans=((1, 2), (1, 2))),
            Finding("option", "A", "", False, 0.5, 1.0, "too many", ((5, 6),)),
            Finding("rest", points=-2.0),
        ),
        "several",
    )
    assert trace_text(trace, "选B，不是A。").splitlines() == [
        "error: several",
        "✓ option  given B, expected B",
        "    “B”",
        "✗ option  given A  0.5/1  (too many)",
        "    “A”",
        "· rest  -2",
    ]


def test_many_places_are_counted() -> None:
    text = "".join(map(chr, range(ord("甲"), ord("甲") + 20)))
    spans = tuple((place, place + 1) for place in range(12))
    shown = trace_text(Trace("answer", (Finding("x", spans=spans),)), text).splitlines()
    assert (len(shown), shown[-1]) == (10, "    and 4 more places")


def test_rules_that_agree_are_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    one, other = (Trace("answer", (Finding("option", name, "B"),)) for name in "AB")
    print_story(story(official=one, corrected=one))
    assert "trace, official and corrected rules" in capsys.readouterr().out
    print_story(story(official=one, corrected=other))
    shown = capsys.readouterr().out
    assert shown.index("trace, official rules") < shown.index("trace, corrected rules")


def test_nothing_is_said_where_there_is_no_trace(capsys: pytest.CaptureFixture[str]) -> None:
    items = Trace("items", (Finding("甲项", points=1.0, maximum=2.0),))
    print_story(story(official=Trace("answer"), corrected=items))
    shown = capsys.readouterr().out
    assert "trace, official" not in shown
    assert "· 甲项  1/2" in shown


def test_words_of_a_response_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_story(story(official=Trace("answer", (Finding("[b]x", "\x1b[0m", spans=((5, 10),)),))))
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "· [b]x" in shown


def asked(step: str, *texts: str) -> Exchange:
    request = Request(step, tuple(Message("user", text) for text in texts))
    return Exchange(step, request, Response(Status.ANSWERED), "")


def test_of_what_was_sent_only_what_is_new_is_shown() -> None:
    opening, long, ends = "甲" * 300, "丙" * 5000, "丙" * 400
    cut = f"{ends} [… 4,200 characters, which --json has …] {ends}"
    events = [
        asked("plan", opening),
        asked("turn-1", opening + "乙"),
        asked("turn-2", opening + "乙", long),
        asked("turn-3", opening + "乙", long, "短"),
    ]
    assert list(sent_parts(Sent(events), "问")) == [
        ("sent, plan: 300 characters", opening),
        ("sent, turn-1: 301 characters", "[300 characters as in plan] 乙"),
        ("sent, turn-2: 5,301 characters", f"[1 message as in turn-1]\n[user] {cut}"),
        ("sent, turn-3: 5,302 characters", "[2 messages as in turn-2]\n[user] 短"),
    ]
    assert list(sent_parts(Sent([asked("", "问")]), "问")) == []

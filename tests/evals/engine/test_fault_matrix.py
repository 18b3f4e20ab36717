"""Every fault of the table, in the words of every vendor, amid questions that go well."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from pathlib import Path

import pytest
from aiohttp import web

from hengfa.evals.engine import endpoint as endpoint_module
from hengfa.evals.engine import pacing
from hengfa.evals.engine.journal import newest_entries
from hengfa.evals.engine.messages import Response, Status

from .asking import QUICK, answer, answer_to, endpoint, prompt_of, questions, sit
from .fault_table import FAULT_TEXT, FAULTS, Fault
from .server import DONE, LocalServer, Seen, chunk, event, send_stream
from .vendor_styles import STYLES, Style

REQUESTS = questions(12)
ALWAYS, ONCE = REQUESTS[5], REQUESTS[8]


@pytest.fixture(autouse=True)
def quick_and_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_module, "LARGEST_REPLY", 200_000)
    monkeypatch.setattr(pacing, "_LONGEST_PAUSE", 0.02)
    monkeypatch.setattr(os, "fsync", lambda file: None)  # the disk is not the subject here


class FaultyServer(LocalServer):
    """Meets ALWAYS with the fault each time, ONCE the first time, and answers all else."""

    def __init__(self, fault: Fault, style: Style) -> None:
        super().__init__(self.meet)
        self.fault = fault
        self.style = style
        self.healed = False

    async def meet(self, request: web.Request, seen: Seen) -> web.StreamResponse:
        first = self.times_asked(seen.prompt) == 1
        if not self.healed and (
            seen.prompt == prompt_of(ALWAYS) or (seen.prompt == prompt_of(ONCE) and first)
        ):
            return await self.fault.behave(request, self.style)
        if self.fault.stream:
            text = answer_to(seen.prompt)
            pieces = [event(chunk({"content": part})) for part in (text[:3], text[3:])]
            return await send_stream(request, [*pieces, event(chunk({}, "stop")), DONE])
        return await answer(request, seen)


@pytest.mark.parametrize(
    ("name", "vendor"),
    # What a vendor says in its own words is said by each, the rest once.
    [(n, v) for n, fault in FAULTS.items() for v in (STYLES if fault.in_own_words else ["openai"])],
)
def test_a_fault_ends_with_its_status_and_touches_no_other_question(
    name: str, vendor: str, tmp_path: Path
) -> None:
    fault = FAULTS[name]

    async def run() -> None:
        async with FaultyServer(fault, STYLES[vendor]) as server:

            async def one_sitting() -> dict[str, Response]:
                model = endpoint(server.url, vendor, stream=fault.stream, timeout=fault.timeout)
                return await sit(model, tmp_path, REQUESTS)

            check_first_sitting(fault, await one_sitting(), server, tmp_path)
            asked = Counter(seen.prompt for seen in server.seen)
            server.healed = True
            check_second_sitting(fault, await one_sitting(), server, asked)

    asyncio.run(run())


def check_first_sitting(
    fault: Fault, responses: dict[str, Response], server: LocalServer, folder: Path
) -> None:
    always, once = responses[ALWAYS.key], responses[ONCE.key]
    attempts = QUICK.attempts if fault.again else 1
    assert always.status is fault.status, always
    assert always.status is not Status.ANSWERED
    assert always.reason, "a person must be told why"
    assert "\n" not in always.reason
    assert always.attempts == attempts
    # Under a time-out of a moment, a busy machine may give up before the server has looked, or be
    # late with a good answer.
    hasty = fault.timeout < 1
    assert server.times_asked(prompt_of(ALWAYS)) == attempts or hasty
    if fault.again:
        assert (once.status, once.text) == (Status.ANSWERED, answer_to(prompt_of(ONCE)))
        assert once.attempts > 1
    else:
        assert once.status is fault.status
        assert server.times_asked(prompt_of(ONCE)) == 1
    for request in REQUESTS:
        if request not in (ALWAYS, ONCE):
            response = responses[request.key]
            assert (response.status, response.text) == (
                Status.ANSWERED,
                answer_to(prompt_of(request)),
            )
            assert response.attempts == 1 or hasty
    assert not any(
        FAULT_TEXT in response.text and response.status is Status.ANSWERED
        for response in responses.values()
    )
    journal = {entry.key: entry.response for entry in newest_entries(folder / "journal.jsonl")}
    assert journal == responses
    assert not any(seen.path.startswith("/elsewhere") for seen in server.seen)


def check_second_sitting(
    fault: Fault, responses: dict[str, Response], server: LocalServer, asked: Counter[str]
) -> None:
    """Only what failed is asked again; what is settled stays as it is."""
    open_before = {ALWAYS.key} if fault.again else {ALWAYS.key, ONCE.key}
    for request in REQUESTS:
        response = responses[request.key]
        new_requests = server.times_asked(prompt_of(request)) - asked[prompt_of(request)]
        if fault.status is Status.FAILED and request.key in open_before:
            assert (response.status, response.text) == (
                Status.ANSWERED,
                answer_to(prompt_of(request)),
            )
            assert new_requests >= 1
        else:
            assert new_requests == 0

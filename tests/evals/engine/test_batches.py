"""Batch interfaces: whatever a vendor does, nothing is lost and nothing is paid twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from traceback import TracebackException
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.base.errors import BatchesWaiting, BudgetReached, EndpointDown, UsageError
from hengfa.evals.engine.batches import (
    HELD,
    LEDGER,
    Answers,
    BatchModel,
    Ledger,
    Pauses,
    line_id,
    refuse_waiting,
)
from hengfa.evals.engine.budget import Limits, Price
from hengfa.evals.engine.journal import read_entries
from hengfa.evals.engine.messages import Options, Request, Response, Status, Unavailable
from hengfa.evals.engine.replies import read_any
from hengfa.evals.engine.vendors import BATCHES

from .asking import KEY, Sitting, answer_to, endpoint, prompt_of, question, questions
from .batch_server import VENDORS, BatchServer, Made, complete, result
from .fault_table import FAULTS
from .server import completion
from .test_fault_matrix import ALWAYS, REQUESTS, FaultyServer
from .vendor_styles import STYLES

QUICK = Pauses(0.01, 0.005, 0.02, 0.001, 6, 0.02, 3)


def batch_model(server: BatchServer, **settings: Any) -> BatchModel:
    form = msgspec.structs.replace(
        BATCHES[server.vendor], lines=server.lines, file_bytes=settings.pop("file_bytes", 10**8)
    )
    own = endpoint(server.url, server.vendor)
    return BatchModel(own, form, pauses=QUICK, **settings)


async def sit(
    server: BatchServer, folder: Path, requests: list[Request], **settings: Any
) -> dict[str, Response]:
    model = batch_model(server, detach=settings.pop("detach", False))
    sitting = Sitting(model, folder, **settings)
    model.open(folder / "journal.jsonl")
    return await sitting.run(requests)


def run(server: BatchServer, folder: Path, requests: list[Request]) -> dict[str, Response]:
    async def sitting() -> dict[str, Response]:
        async with server:
            return await sit(server, folder, requests)

    return asyncio.run(sitting())


def check_answers(responses: dict[str, Response], requests: list[Request]) -> None:
    assert {request.key: answer_to(prompt_of(request)) for request in requests} == {
        key: response.text for key, response in responses.items()
    }
    assert {response.status for response in responses.values()} == {Status.ANSWERED}


@pytest.mark.parametrize("vendor", VENDORS)
def test_all_answers_come_by_batches_within_the_limits(vendor: str, tmp_path: Path) -> None:
    server, asked = BatchServer(vendor, lines=4), questions(10)
    responses = run(server, tmp_path, asked)
    check_answers(responses, asked)
    assert not server.problems
    assert [len(made.lines) for made in server.made.values()] == [4, 4, 2]
    assert set(server.paid.values()) == {1}
    assert {response.seconds for response in responses.values()} == {0.0}
    entries = list(read_entries(tmp_path / "journal.jsonl"))
    ledger = Ledger(tmp_path / LEDGER)
    assert {entry.response.batch for entry in entries} == set(ledger.batches)
    assert all([*batch.steps][-1] == "fetched" for batch in ledger.batches.values())
    refuse_waiting(tmp_path / "journal.jsonl")  # it can go on without batches
    assert run(server, tmp_path, asked) == responses
    assert len(server.made) == 3


# --- twelve faults ---


def expired(server: BatchServer, made: Made) -> None:
    complete(server, made, status="expired" if len(server.made) == 1 else "completed", most=4)


def cancelled(server: BatchServer, made: Made) -> None:
    first = len(server.made) == 1
    complete(server, made, status="cancelled" if first else "completed", most=0 if first else -1)


def shuffled(server: BatchServer, made: Made) -> None:
    """Duplicates, lines of nobody, blank lines, and an error line of what is answered."""
    complete(server, made)
    output = server.files[f"{made.object['id']}-output"].splitlines()
    stray = result({"custom_id": "nobody"}, 200, completion("这不是回答"))
    error = result(made.lines[0], 500, {"error": {"message": "later"}})
    server.files[f"{made.object['id']}-output"] = b"\r\n".join(
        [stray, error, *output, b"", *output]
    )


def torn(server: BatchServer, made: Made) -> None:
    """A line is torn for good, and something else is no JSON."""
    complete(server, made)
    if len(server.made) == 1:
        name = f"{made.object['id']}-output"
        first, *rest = server.files[name].splitlines()
        server.files[name] = b"\n".join([first[: len(first) // 2], *rest, b"<html>"])


def missing(server: BatchServer, made: Made) -> None:
    complete(server, made)
    if len(server.made) == 1:
        name = f"{made.object['id']}-output"
        server.files[name] = b"\n".join(server.files[name].splitlines()[1:])


def prompt_by_id(made: Made, id_: str) -> str:
    (line,) = (line for line in made.lines if line["custom_id"] == id_)
    return str(line["body"]["messages"][-1]["content"])


STEPS = ("POST files", "POST batches", "GET batches", "GET file")
MENDED: dict[str, Callable[[str], BatchServer]] = {
    "expired with half of the answers": lambda v: BatchServer(v, finish=expired),
    "cancelled": lambda v: BatchServer(v, finish=cancelled),
    "any order, doubled, strange": lambda v: BatchServer(v, finish=shuffled),
    "torn lines": lambda v: BatchServer(v, finish=torn),
    "a line is missing": lambda v: BatchServer(v, finish=missing),
    "too fast, at every step": lambda v: BatchServer(v, trouble={s: [429, 503] for s in STEPS}),
    "errors, at every step": lambda v: BatchServer(v, trouble={s: [500, 502] for s in STEPS}),
    "hangs up, at every step": lambda v: BatchServer(v, trouble={s: [0, 0] for s in STEPS}),
    "made, but the reply is lost": lambda v: BatchServer(v, lost_creates=1),
    "lost, and listed later": lambda v: BatchServer(v, lost_creates=1, listed_after=0.03),
    "a file is too large": lambda v: BatchServer(v, file_bytes=900),
    "the file lies elsewhere": lambda v: BatchServer(v, redirect_to="itself"),
}


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("fault", MENDED)
def test_a_fault_loses_no_answer_and_pays_none_twice_that_was_given(
    fault: str, vendor: str, tmp_path: Path
) -> None:
    server, asked = MENDED[fault](vendor), questions(9)

    async def sitting() -> dict[str, Response]:
        async with BatchServer(vendor) as elsewhere, server:
            elsewhere.files = server.files
            server.redirect_to = server.redirect_to and elsewhere.url
            responses = await sit(server, tmp_path, asked)
            assert all(KEY not in str(headers) for headers in elsewhere.headers)
            assert bool(elsewhere.headers) == bool(server.redirect_to)
            return responses

    check_answers(asyncio.run(sitting()), asked)
    # Of a batch that says it is complete and does not give an answer, that one is asked again.
    twice = 1 if fault in ("torn lines", "a line is missing") else 0
    assert sorted(server.paid.values()) == [1] * (len(asked) - twice) + [2] * twice
    assert not any(server.trouble.values()), "the fault was met"
    assert not server.lost_creates
    assert not any("no vendor" in problem for problem in server.problems)


def odd_lines(server: BatchServer, made: Made) -> None:
    """One line each: filtered, too long a prompt, an error without a reply, a cut answer."""
    complete(server, made)
    style = STYLES[server.vendor]
    lines = {prompt_by_id(made, line["custom_id"]): line for line in made.lines}
    asked = [prompt_of(request) for request in questions(4)]
    said = [
        result(lines[asked[0]], *style.filtered),
        result(lines[asked[1]], 400, style.error(400)),
        json.dumps({"custom_id": lines[asked[2]]["custom_id"], "response": None,
                    "error": {"code": "request_timeout", "message": "took too long"}}).encode(),
        result(lines[asked[3]], 200, completion("半", "length")),
    ] if all(prompt in lines for prompt in asked) else []  # fmt: skip
    if said:
        made.object["error_file_id"] = server.keep("odd", said)
        output = server.files[f"{made.object['id']}-output"].splitlines()
        ids = [json.loads(line)["custom_id"] for line in said]
        server.files[f"{made.object['id']}-output"] = b"\n".join(
            line for line in output if json.loads(line)["custom_id"] not in ids
        )


@pytest.mark.parametrize("vendor", VENDORS)
def test_lines_end_as_live_answers_do(vendor: str, tmp_path: Path) -> None:
    server, asked = BatchServer(vendor, finish=odd_lines), questions(6)
    responses = run(server, tmp_path, asked)
    statuses = [responses[request.key].status for request in asked]
    assert statuses == [
        Status.FILTERED, Status.FAILED, Status.ANSWERED, Status.TRUNCATED, Status.ANSWERED,
        Status.ANSWERED,
    ]  # fmt: skip
    assert responses[asked[1].key].this_question_only
    assert responses[asked[2].key].attempts == 2, "the vendor gave up on it, so it is asked again"


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("line", [3, None])
def test_what_fails_validation_fails_with_the_words_of_the_vendor(
    line: int | None, vendor: str, tmp_path: Path
) -> None:
    def invalid(server: BatchServer, made: Made) -> None:
        words = {"code": "invalid", "message": f"model m is not for {KEY} 不支持", "line": line}
        if len(server.made) == 1:
            made.object |= {"status": "failed", "errors": {"data": [words]}}
        else:
            complete(server, made)

    server, asked = BatchServer(vendor, finish=invalid), questions(5)
    responses = run(server, tmp_path, asked)
    failed = [key for key, response in responses.items() if response.status is Status.FAILED]
    assert failed == ([asked[2].key] if line else sorted(responses))
    for key in failed:
        assert "不支持" in responses[key].reason
        assert KEY not in responses[key].reason
    assert KEY not in (tmp_path / LEDGER).read_text()
    again = run(server, tmp_path, asked)
    check_answers(again, asked)


@pytest.mark.parametrize("vendor", VENDORS)
def test_output_that_is_gone_is_not_paid_again_by_itself(vendor: str, tmp_path: Path) -> None:
    def gone(server: BatchServer, made: Made) -> None:
        complete(server, made)
        if len(server.made) == 1:
            made.object["output_file_id"] = "file-gone"

    server, asked = BatchServer(vendor, finish=gone), questions(5)
    responses = run(server, tmp_path, asked)
    assert {response.status for response in responses.values()} == {Status.FAILED}
    assert all("is gone" in response.reason for response in responses.values())
    assert len(server.made) == 1
    check_answers(run(server, tmp_path, asked), asked)


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_batch_that_never_answers_is_asked_again_boundedly(vendor: str, tmp_path: Path) -> None:
    def never(server: BatchServer, made: Made) -> None:
        complete(server, made, status="expired", most=0)

    server = BatchServer(vendor, finish=never)
    (response,) = run(server, tmp_path, questions(1)).values()
    assert (response.status, len(server.made)) == (Status.FAILED, 3)
    assert "expired without an answer" in response.reason


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        ({"POST files": [401]}, "does not take the file"),
        ({"POST batches": [400]}, "does not make the batch"),
        ({"GET batches": [403]}, "is not shown"),
        ({"POST files": [500] * 99}, "gives no answer"),
    ],
)
@pytest.mark.parametrize("vendor", VENDORS)
def test_a_refusal_ends_the_run_and_the_same_command_goes_on(
    vendor: str, trouble: dict[str, list[int]], said: str, tmp_path: Path
) -> None:
    server, asked = BatchServer(vendor, trouble=deepcopy(trouble)), questions(3)
    with pytest.raises(EndpointDown, match=said):
        run(server, tmp_path, asked)
    assert list(read_entries(tmp_path / "journal.jsonl")) == []
    server.trouble = {}
    check_answers(run(server, tmp_path, asked), asked)
    assert set(server.paid.values()) == {1}


@pytest.mark.parametrize("call", ["POST files", "POST batches", "GET batches", "GET file"])
@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_key_that_comes_back_goes_no_further(call: str, status: int, tmp_path: Path) -> None:
    """In the words of an error, or as the id of the batch."""
    trouble = {} if status == 200 else {call: [status] * 99}
    server = BatchServer(echoes=True, trouble=trouble, finish=expired)
    with pytest.raises(EndpointDown) as stopped:
        responses = run(server, tmp_path, questions(2))
        raise EndpointDown(repr(responses))
    kept = [file.read_text() for file in tmp_path.iterdir()]
    shown = "".join(TracebackException.from_exception(stopped.value, capture_locals=True).format())
    for text in (str(stopped.value), *kept, shown.replace(repr(server), "")):
        assert KEY not in text


def test_a_question_that_no_file_can_hold_fails_alone(tmp_path: Path) -> None:
    async def sitting() -> dict[str, Response]:
        async with BatchServer() as server:
            model = batch_model(server, file_bytes=600)
            sitting = Sitting(model, tmp_path)
            model.open(tmp_path / "journal.jsonl")
            responses = await sitting.run([*questions(5), question(5, text="长" * 300)])
            assert {len(made.lines) for made in server.made.values()} == {2, 3}
            return responses

    responses = asyncio.run(sitting())
    long = responses.pop(question(5).key)
    assert (long.status, long.this_question_only) == (Status.FAILED, True)
    assert "too long for a batch: more than 600 bytes" in long.reason
    check_answers(responses, questions(5))


def test_a_server_that_lists_nothing_is_never_told_twice(tmp_path: Path) -> None:
    server, asked = BatchServer("openai", lists=False, lost_creates=1), questions(3)
    for _ in range(2):
        with pytest.raises(EndpointDown, match="Nothing is sent again"):
            run(server, tmp_path, asked)
    assert len(server.made) == 1


# --- leaving and coming back ---


@pytest.mark.parametrize("vendor", VENDORS)
def test_who_does_not_wait_comes_back_later(vendor: str, tmp_path: Path) -> None:
    server, asked = BatchServer(vendor, lines=3, seconds=60.0), questions(7)

    async def sittings() -> None:
        async with server:
            for _ in range(2):
                with pytest.raises(BatchesWaiting):
                    await sit(server, tmp_path, asked, detach=True)
            assert len(server.made) == 3, "all was submitted, once"
            with pytest.raises(UsageError, match="7 questions in batches"):
                refuse_waiting(tmp_path / "journal.jsonl")
            for made in server.made.values():
                made.ends_at = 0.0
            check_answers(await sit(server, tmp_path, asked), asked)

    asyncio.run(sittings())
    assert set(server.paid.values()) == {1}
    refuse_waiting(tmp_path / "journal.jsonl")


def test_a_batch_is_not_looked_for_at_another_server(tmp_path: Path) -> None:
    """Where it is not known, it would be made again."""

    async def sittings() -> None:
        async with BatchServer(seconds=60.0) as server, BatchServer() as other:
            with pytest.raises(BatchesWaiting):
                await sit(server, tmp_path, questions(2), detach=True)
            with pytest.raises(EndpointDown, match=f"is at {server.url}/v1"):
                await sit(other, tmp_path, questions(2))
            assert not other.calls

    asyncio.run(sittings())


def test_who_stops_sends_nothing_more(tmp_path: Path) -> None:
    async def sitting() -> None:
        async with BatchServer() as server:
            model = batch_model(server)
            model.open(tmp_path / "journal.jsonl")
            waiting = asyncio.create_task(model.generate(questions(1)[0]))
            await asyncio.sleep(0)
            model.leave()
            with pytest.raises(BatchesWaiting):
                await waiting
            await model.close()
            assert not server.files

    asyncio.run(sitting())


def test_a_question_that_was_asked_later_waits_in_the_later_batch(tmp_path: Path) -> None:
    """An old batch that is read once more says nothing of what a newer one holds."""

    def two(server: BatchServer, made: Made) -> None:
        first = len(server.made) == 1
        complete(server, made, status="expired" if first else "completed", most=1 if first else -1)
        made.ends_at += 0 if first else 0.3

    server, asked = BatchServer(finish=two), questions(3)

    async def sittings() -> None:
        async with server:
            with pytest.raises(BatchesWaiting):
                await sit(server, tmp_path, asked, detach=True)
            (tmp_path / "journal.jsonl").write_bytes(b"")  # as if killed before it was written
            ledger = (tmp_path / LEDGER).read_text().splitlines(keepends=True)
            steps = [line for line in ledger if '"fetched"' not in line]
            (tmp_path / LEDGER).write_text("".join(steps))
            check_answers(await sit(server, tmp_path, asked), asked)

    asyncio.run(sittings())
    assert len(server.made) == 2
    assert set(server.paid.values()) == {1}


def test_a_limit_is_kept_before_a_batch_is_made_at_the_price_of_batches(tmp_path: Path) -> None:
    price = Price("CNY", 100.0, 100.0, batch_input=50.0, batch_output=50.0)
    asked = questions(40, Options(max_new_tokens=3))

    async def first_batch(folder: Path, price: Price) -> int:
        async with BatchServer() as server:
            with pytest.raises(BudgetReached):
                await sit(server, folder, asked, price=price, limits=Limits(cost=0.015))
            spent = sum(server.paid.values()) * 10 * 50 / 1e6
            assert 0.01 < spent <= 0.015, "batches are paid by half"
            return len(server.made["batch_0"].lines)

    for name in ("half", "dear"):
        (tmp_path / name).mkdir()
    half = asyncio.run(first_batch(tmp_path / "half", price))
    dear = Price("CNY", 50.0, 50.0, batch_input=50.0, batch_output=50.0)
    assert 1 < half == asyncio.run(first_batch(tmp_path / "dear", dear)) < 20


# --- held connections ---


HELD_FAULTS = (
    "http-400", "http-401", "http-429", "http-500", "own-filter", "own-no-money", "finish-length",
    "content-empty", "error-in-200", "not-json", "half-a-body", "hangs-up",
)  # fmt: skip


@pytest.mark.parametrize("name", HELD_FAULTS)
def test_a_held_question_ends_as_a_live_one(name: str, tmp_path: Path) -> None:
    fault = FAULTS[name]

    async def sitting() -> None:
        async with FaultyServer(fault, STYLES["doubao"]) as server:
            model = BatchModel(endpoint(server.url, "doubao"), BATCHES["doubao"], pauses=QUICK)
            model.open(tmp_path / "journal.jsonl")
            responses = await Sitting(model, tmp_path).run(REQUESTS)
            assert responses[ALWAYS.key].status is fault.status
            answered = [r for r in responses.values() if r.status is Status.ANSWERED]
            assert {response.batch for response in answered} == {HELD}

    asyncio.run(sitting())


# --- reading ---

PIECES = st.binary(max_size=30) | st.sampled_from([b"{", b'{"custom_id": "a"}', b"null", b"[1]"])
IDS = ["a" * 24, "b" * 24, "c" * 24]
BODIES = st.sampled_from(
    [completion("答"), completion(""), {"error": {"message": "no"}}, {}, None, 3]
)
RESULTS = st.builds(
    lambda id_, status, body, error: json.dumps(
        {"custom_id": id_, "response": {"status_code": status, "body": body}, "error": error}
    ).encode(),
    st.sampled_from([*IDS, "nobody"]),
    st.sampled_from([200, 400, 429, 500, None, "200"]),
    BODIES,
    st.sampled_from([None, {"code": "batch_expired", "message": "too late"}, "error"]),
)


@given(st.lists(RESULTS | PIECES, max_size=12))
def test_whatever_stands_in_a_file_an_answer_is_never_lost_or_invented(lines: list[bytes]) -> None:
    good = result({"custom_id": IDS[0]}, 200, completion("这是回答"))
    answers = Answers(IDS, read_any)
    for line in [*lines, good]:
        answers.add(line)
    assert set(answers.outcomes) <= set(IDS)
    assert isinstance(answers.outcomes[IDS[0]], Response)
    for id_, outcome in answers.outcomes.items():
        if isinstance(outcome, Response) and outcome.status is Status.ANSWERED:
            assert outcome.text in ("答", "这是回答"), id_
        else:
            assert outcome.reason


@given(st.permutations(range(6)), st.lists(st.integers(0, 5), max_size=4))
def test_the_order_of_lines_and_doubles_change_nothing(order: list[int], twice: list[int]) -> None:
    ids = [line_id(f"k{number}", "h") for number in range(6)]
    lines = [
        result({"custom_id": id_}, 200, completion(f"答{number}")) for number, id_ in enumerate(ids)
    ]
    answers = Answers(ids, read_any)
    for number in [*order, *twice]:
        answers.add(lines[number])
    texts = [answers.outcomes[id_] for id_ in ids]
    assert [said.text for said in texts if isinstance(said, Response)] == [
        f"答{number}" for number in range(6)
    ]


def test_an_unavailable_line_says_why() -> None:
    answers = Answers(IDS, read_any)
    answers.add(result({"custom_id": IDS[0]}, 503, {"error": {"message": "busy"}}))
    said = answers.outcomes[IDS[0]]
    assert isinstance(said, Unavailable)
    assert (said.reason, said.overloaded) == ("HTTP 503: busy", False)

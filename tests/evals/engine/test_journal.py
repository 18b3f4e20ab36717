"""The journal in good times: what was written is found again, and asked no second time."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.errors import JournalError
from hengfa.evals.engine.journal import Journal, newest_entries, read_entries
from hengfa.evals.engine.messages import (
    Message,
    Options,
    Request,
    Response,
    Status,
    ToolCall,
    ToolSpec,
    Usage,
)

from .asking import Scripted, answer, endpoint, question, questions, sit
from .server import LocalServer

FULL = Response(
    status=Status.TRUNCATED,
    text="第一行\n第二行\u2028\x00\x7f😀",
    reasoning="想",
    tool_calls=(ToolCall("c1", "find", '{"号": 264}'),),
    usage=Usage(11, 7, 3, 5),
    seconds=1.25,
    attempts=3,
    reason="finish_reason 'length'",
    served_by="model-0101",
)
ANSWER = Response(status=Status.ANSWERED, text="答")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
RESPONSES = st.builds(
    Response,
    status=st.sampled_from(Status),
    text=TEXTS,
    reasoning=TEXTS,
    tool_calls=st.lists(st.builds(ToolCall, TEXTS, TEXTS, TEXTS), max_size=2).map(tuple),
    usage=st.none() | st.builds(Usage, *[st.integers(0, 2**53)] * 4),
    seconds=st.floats(0, 1e6),
    attempts=st.integers(1, 9),
    reason=TEXTS,
    served_by=TEXTS,
)


def keep(path: Path, *pairs: tuple[Request, Response]) -> None:
    """Write responses in a sitting of their own."""

    async def run() -> None:
        with Journal(path) as journal:
            for request, response in pairs:
                await journal.append(request, request.prompt_hash(), "model", response)

    asyncio.run(run())


def found(path: Path, request: Request) -> Response | None:
    with Journal(path) as journal:
        return journal.find(request, request.prompt_hash())


def test_a_response_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    tool = ToolSpec("find", "查找", {"type": "object"})
    request = question(1, Options(temperature=0.5, tools=(tool,), extra={"x": [1, None]}))
    keep(path, (request, FULL))
    assert found(path, request) == FULL
    (entry,) = read_entries(path)
    assert (entry.key, entry.model) == (request.key, "model")
    assert entry.options == Options(temperature=0.5, extra={"x": [1, None]})  # tools: in the hash
    changed = question(1, Options(temperature=0.5, extra={"x": [1, None]}))
    with pytest.raises(JournalError):
        found(path, changed)
    assert entry.at.endswith("+00:00")


@settings(deadline=None, max_examples=30)
@given(st.lists(RESPONSES, min_size=1, max_size=5))
def test_any_response_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, responses: list[Response]
) -> None:
    path = tmp_path_factory.mktemp("any") / "journal.jsonl"
    pairs = list(enumerate(responses))
    keep(path, *((question(number), response) for number, response in pairs))
    assert [entry.response for entry in read_entries(path)] == responses
    for number, response in pairs:
        kept = None if response.status is Status.FAILED else response
        assert found(path, question(number)) == kept


def test_one_line_per_response(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    keep(path, (question(1), FULL), (question(2), FULL))
    assert path.read_bytes().count(b"\n") == 2


def test_an_unknown_question_is_not_found(tmp_path: Path) -> None:
    assert found(tmp_path / "journal.jsonl", question(1)) is None


@pytest.mark.parametrize("status", Status)
def test_only_a_failed_question_is_open(status: Status, tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    keep(path, (question(1), Response(status=status)))
    assert (found(path, question(1)) is None) == (status is Status.FAILED)


def test_a_user_may_choose_what_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    keep(path, (question(1), FULL), (question(2), Response(status=Status.FAILED)))
    with Journal(path, ask_again=frozenset({Status.TRUNCATED})) as journal:
        assert journal.find(question(1), question(1).prompt_hash()) is None
        assert journal.find(question(2), question(2).prompt_hash()) is not None


def test_the_newest_response_stands(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    failed = Response(status=Status.FAILED, reason="busy")
    keep(path, (question(1), failed), (question(2), FULL))
    keep(path, (question(1), ANSWER))
    assert found(path, question(1)) == ANSWER
    assert [entry.response for entry in newest_entries(path)] == [FULL, ANSWER]
    with Journal(path) as journal:
        assert len(journal) == 2


@pytest.mark.parametrize(
    "changed",
    [
        question(1, text="另一个问题"),
        question(1, Options(temperature=0.7)),
        question(1, Options(max_new_tokens=10)),
        Request(question(1).key, (Message("system", "法官"), *question(1).messages)),
    ],
)
def test_a_changed_question_is_not_mixed_with_old_answers(changed: Request, tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    keep(path, (question(1), ANSWER))
    with pytest.raises(JournalError) as refused:
        found(path, changed)
    for helpful in (str(path), question(1).key, "have changed", "--fresh", "--run"):
        assert helpful in str(refused.value)


def test_a_changed_question_that_had_failed_is_simply_asked(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    keep(path, (question(1), Response(status=Status.FAILED)))
    assert found(path, question(1, text="另一个问题")) is None


def test_half_a_character_from_any_model_is_kept_where_it_can_be_seen(tmp_path: Path) -> None:
    async def generate(request: Request) -> Response:
        call = ToolCall("\ud83d", "\ud83d", "\ud83d")
        return Response(
            status=Status.ANSWERED, text="法\ud83d😀", reasoning="\ud83d", tool_calls=(call,)
        )

    asked = question(1, text="half: \ud83d")
    (first,) = asyncio.run(sit(Scripted(generate), tmp_path, [asked])).values()
    assert (first.text, first.reasoning) == ("法\\ud83d😀", "\\ud83d")
    assert first.tool_calls == (ToolCall("\\ud83d", "\\ud83d", "\\ud83d"),)
    assert found(tmp_path / "journal.jsonl", asked) == first


def test_half_a_character_in_a_question_is_asked(tmp_path: Path) -> None:
    async def run() -> None:
        async with LocalServer(answer) as server:
            asked = question(1, text="half: \ud83d")
            (response,) = (await sit(endpoint(server.url), tmp_path, [asked])).values()
            assert server.seen[0].prompt == "half: \ud83d"
            assert response.status is not Status.ANSWERED  # this one quotes it, and is no JSON

    asyncio.run(run())


def test_a_run_that_is_continued_asks_nothing_twice(tmp_path: Path) -> None:
    async def run() -> None:
        async with LocalServer(answer) as server:
            first = await sit(endpoint(server.url), tmp_path, questions(20))
            assert len(server.seen) == 20
            more = await sit(endpoint(server.url), tmp_path, questions(30))
            assert len(server.seen) == 30
            again = await sit(endpoint(server.url), tmp_path, questions(30))
            assert len(server.seen) == 30
        assert again == more
        assert {key: more[key] for key in first} == first

    asyncio.run(run())


def test_append_returns_only_after_a_flush_that_began_after_the_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.jsonl"
    flushed: list[int] = []
    really = os.fsync

    def fsync(file: int) -> None:
        size = path.stat().st_size  # what is there when the flush begins is what it keeps
        really(file)
        flushed.append(size)

    monkeypatch.setattr(os, "fsync", fsync)

    async def run() -> None:
        with Journal(path) as journal:

            async def one(request: Request) -> None:
                await journal.append(request, request.prompt_hash(), "model", ANSWER)
                place = path.read_bytes().index(request.key.encode())
                assert max(flushed) > place

            await asyncio.gather(*(one(request) for request in questions(200)))

    asyncio.run(run())
    assert len(flushed) < 100, "responses that arrive together share a flush"


def test_a_flush_that_fails_is_reported_to_everyone_who_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fsync(file: int) -> None:
        raise OSError(5, "Input/output error")

    async def run() -> None:
        with Journal(tmp_path / "journal.jsonl") as journal:
            monkeypatch.setattr(os, "fsync", fsync)
            appends = (journal.append(q, q.prompt_hash(), "m", ANSWER) for q in questions(5))
            errors = await asyncio.gather(*appends, return_exceptions=True)
            assert all("could not flush" in str(error) for error in errors)
            assert {type(error) for error in errors} == {JournalError}
            monkeypatch.undo()
            await journal.append(question(9), question(9).prompt_hash(), "m", ANSWER)

    asyncio.run(run())


def test_one_who_gives_up_waiting_neither_loses_the_line_nor_stops_the_others(
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.jsonl"

    async def run() -> None:
        with Journal(path) as journal:
            tasks = [
                asyncio.create_task(journal.append(q, q.prompt_hash(), "m", ANSWER))
                for q in questions(6)
            ]
            await asyncio.sleep(0)
            tasks[0].cancel()
            tasks[3].cancel()
            ends = await asyncio.gather(*tasks, return_exceptions=True)
            assert [end is None for end in ends] == [False, True, True, False, True, True]

    asyncio.run(run())
    assert len(list(read_entries(path))) == 6


def test_a_journal_serves_one_event_loop_after_the_other(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.jsonl") as journal:
        for request in questions(3):
            asyncio.run(journal.append(request, request.prompt_hash(), "m", ANSWER))
    assert len(list(read_entries(tmp_path / "journal.jsonl"))) == 3


def test_closing_twice_does_no_harm(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.close()
    other = os.open(tmp_path / "other", os.O_CREAT | os.O_RDWR)  # gets the freed number
    journal.close()
    os.write(other, b"still open")
    os.close(other)

"""What went to the model is on disk before it goes, once, and can be read to the letter."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.data.appended import Appended
from hengfa.base.errors import JournalError
from hengfa.evals.engine.journal import SentFile, SentMessages, read_entries, sent_file
from hengfa.evals.engine.messages import (
    Message,
    Options,
    Request,
    Response,
    Status,
    ToolCall,
    ToolSpec,
    ToolUse,
)

from .asking import KEY, Scripted, Sitting, endpoint, question, questions, sit
from .server import LocalServer, Seen, completion, in_thread

TOOL = ToolSpec("look_up", "查" * 500, {"type": "object"})
RULES = "以下是规则。" * 300


def keep(journal: Path, requests: Iterable[Request]) -> None:
    """All of them in one sitting."""
    file = SentFile(journal)
    for request in requests:
        file.keep(request, request.prompt_hash())
    file.close()


def read(journal: Path, requests: Sequence[Request]) -> list[Request | None]:
    """The same by their keys, hashes, and the options that journals keep."""
    messages = SentMessages(journal)
    return [
        messages.request(one.key, one.prompt_hash(), Options(temperature=one.options.temperature))
        for one in requests
    ]


def conversation(turns: int, key: str = "suite/task/tools/1") -> list[Request]:
    """An agent's questions, each of which repeats all that was said before."""
    messages = [Message("system", RULES), Message("user", "问")]
    asked: list[Request] = []
    for turn in range(1, turns + 1):
        asked.append(Request(f"{key}#turn-{turn}", tuple(messages), Options(tools=(TOOL,))))
        call = ToolCall(f"c{turn}", "look_up", "{}")
        messages.append(Message("assistant", "", (call,), reasoning=f"想{turn}"))
        messages.append(Message("tool", "查到" * 300, tool_call_id=call.id))
    return asked


def test_what_an_agent_repeats_is_there_once(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    asked = [*conversation(20), *conversation(20, "suite/task/tools/2")]
    keep(journal, asked)
    assert read(journal, asked) == asked
    text = sent_file(journal).read_text("utf-8")
    assert (text.count(RULES), text.count(TOOL.description)) == (1, 1)
    first_and_last = len(json.dumps([one.content for one in asked[19].messages]))
    assert len(text) < 3 * first_and_last


def test_a_transcript_that_grows_in_one_message_is_there_once(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    texts = [f"{RULES}" + "".join(f"观察{at}" * 50 for at in range(turn)) for turn in range(30)]
    asked = [
        Request(f"s/t/react/1#{kind}-{turn}", (Message("user", f"{text}\n{kind}:"),))
        for turn, text in enumerate(texts)
        for kind in ("thought", "action")
    ]
    keep(journal, asked)
    assert read(journal, asked) == asked
    assert len(sent_file(journal).read_text("utf-8")) < 3 * len(texts[-1])


def test_the_same_prompt_is_there_once_however_often_it_is_asked(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    asked = [Request(f"s/t/zero~{time}/1", question(1).messages) for time in range(1, 6)]
    keep(journal, asked[:3])
    keep(journal, asked)  # in another sitting
    assert read(journal, asked) == asked
    assert len(sent_file(journal).read_bytes().splitlines()) == 1


texts = st.text(st.sampled_from('法律问题甲乙\n"\\'), max_size=8).map(lambda text: text * 40)
messages_ = st.lists(
    st.builds(
        Message,
        st.sampled_from(["system", "user", "assistant", "tool"]),
        texts,
        st.sampled_from([(), (ToolCall("1", "look_up", "{}"),)]),
    ),
    min_size=1,
    max_size=4,
)
requests_ = st.lists(
    st.builds(
        lambda step, messages, tools: Request(
            f"s/t/x/{len(messages)}{step}", tuple(messages), Options(0.5, tools=tools)
        ),
        st.sampled_from(["", "#one", "#two"]),
        messages_,
        st.sampled_from([(), (TOOL,)]),
    ),
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(requests_, min_size=1, max_size=3), st.integers(0, 200))
def test_whatever_was_sent_in_any_sittings_is_read_to_the_letter(
    sittings: list[list[Request]], torn: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder, "journal.jsonl")
        for asked in sittings:
            keep(journal, asked)
        every = [request for asked in sittings for request in asked]
        assert read(journal, every) == every
        file = sent_file(journal)
        if file.is_file():  # a crash tears the end; what is asked again is written again
            file.write_bytes(file.read_bytes()[: -torn or None])
            for known, request in zip(read(journal, every), every, strict=True):
                assert known in (None, request)
            keep(journal, every)
            assert read(journal, every) == every


def test_what_cannot_be_read_is_passed_over_and_nothing_is_guessed(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    asked = conversation(3)
    keep(journal, asked)
    file = sent_file(journal)
    first, second, third = file.read_bytes().splitlines(keepends=True)
    for damage in (b"\0" * 50 + b"\n", b'{"hash": 7}\n', b"[" * 5000 + b"\n", b""):
        file.write_bytes(first + damage + third)
        assert read(journal, asked) == [asked[0], None, None]
    changed = second.replace("查到".encode(), "找到".encode())
    file.write_bytes(first + changed + third)
    assert read(journal, asked) == [asked[0], None, None]
    loop = b'{"hash": "%s", "after": "%s"}\n'
    one, other = (request.prompt_hash().encode() for request in asked[1:])
    file.write_bytes(first + loop % (one, other) + loop % (other, one))
    assert read(journal, asked) == [asked[0], None, None]
    odd = b'{"hash": "%s", "messages": 1}\n' % asked[1].prompt_hash().encode()
    file.write_bytes(first + odd + third)
    assert read(journal, asked) == [asked[0], None, None]


def test_the_newest_account_of_what_happened_stands(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    use = ToolUse("look_up", {"名": "甲"}, "没有", "no data")
    file = SentFile(journal)
    file.keep_events("k", ("turn-1",))
    file.keep_events("k", ("turn-1", use, "turn-2"))
    file.close()
    assert SentMessages(journal).events("k") == ("turn-1", use, "turn-2")
    assert SentMessages(journal).events("other") == ()


def test_a_prompt_is_on_disk_before_the_server_has_it(tmp_path: Path) -> None:
    found: list[bool] = []

    async def answer(_request: web.Request, seen: Seen) -> web.StreamResponse:
        found.append(seen.prompt in sent_file(tmp_path / "journal.jsonl").read_text("utf-8"))
        return web.json_response(completion("答"))

    with in_thread(LocalServer(answer)) as server:
        asyncio.run(sit(endpoint(server.url), tmp_path, questions(20)))
    assert found == [True] * 20


def test_a_key_that_a_server_says_is_in_no_message_that_is_kept(tmp_path: Path) -> None:
    async def answer(_request: web.Request, _seen: Seen) -> web.StreamResponse:
        return web.json_response(completion(f"你的密钥是{KEY}，请保密"))

    first = Request("s/t/x/1#turn-1", (Message("user", "问"),))
    with in_thread(LocalServer(answer)) as server:
        said = asyncio.run(sit(endpoint(server.url), tmp_path, [first]))[first.key].text
        second = Request("s/t/x/1#turn-2", (*first.messages, Message("assistant", said)))
        asyncio.run(sit(endpoint(server.url), tmp_path, [second]))
    kept = sent_file(tmp_path / "journal.jsonl").read_text("utf-8")
    assert "请保密" in kept
    assert KEY not in kept


def test_what_an_agent_did_stands_beside_the_journal_and_not_in_it(tmp_path: Path) -> None:
    events = ("turn-1", ToolUse("look_up", {}, "查到的内容", "ok"))
    response = Response(Status.ANSWERED, text="答", events=events)

    async def work() -> None:
        sitting = Sitting(Scripted(None), tmp_path)
        await sitting.session.keep(question(1), response)
        await sitting.run([])

    asyncio.run(work())
    journal = tmp_path / "journal.jsonl"
    (entry,) = read_entries(journal)
    assert entry.response == msgspec.structs.replace(response, events=())
    assert "查到的内容" not in journal.read_text("utf-8")
    assert SentMessages(journal).events(entry.key) == events


def test_where_nothing_can_be_written_nothing_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_file: object, _line: bytes) -> None:
        raise OSError(28, "No space left on device")

    async def answer(_request: Request) -> Response:
        return Response(Status.ANSWERED, text="答")

    monkeypatch.setattr(Appended, "append", full)
    model = Scripted(answer)
    with pytest.raises(JournalError, match="make room"):
        asyncio.run(sit(model, tmp_path, questions(3)))
    assert model.asked == []

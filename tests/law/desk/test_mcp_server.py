"""The law as tools: every tool by the SDK's own client, over both transports, hostile calls too."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from multiprocessing import active_children
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from hengfa.law.library.building.build import build_library
from hengfa.law.library.store import Library
from tests.conftest import REPOSITORY
from tests.law.library.citing_laws import (
    COAST,
    FERRY,
    HARBOUR,
    LANTERNS_2005,
    LANTERNS_2009,
    PORTS,
    write_laws,
)

pytest.importorskip("mcp", reason="mcp is not installed")
from hengfa.law.desk import mcp_server

pytestmark = pytest.mark.optional("mcp")
TRANSPORTS = ("stdio", "http")
RUN = "from hengfa.cli.main import main; main()"
JUDGMENT = """云港县人民法院
刑事判决书
（2019）云0102刑初12号
公诉机关云港县人民检察院。
被告人张三，男，1980年1月1日出生。
云港县人民检察院指控被告人张三犯盗窃罪，向本院提起公诉。本院公开开庭进行了审理。现已审理终结。
经审理查明，2019年1月1日，张三盗窃渔网一张。
本院认为，被告人张三犯盗窃罪。依照《中华人民共和国刑法》第二百六十四条之规定，判决如下：
被告人张三犯盗窃罪，判处有期徒刑六个月，并处罚金人民币一千元。
"""
CALLS: dict[str, dict[str, Any]] = {
    "look_up_provision": {"law": COAST, "position": "4", "on": "2006-01-01"},
    "law_versions": {"law": COAST},
    "provision_history": {"law": COAST, "position": "4"},
    "provision_successors": {"law": HARBOUR, "position": "2"},
    "search_law": {"query": "灯塔看守人", "on": "2006-01-01"},
    "check_citations": {"text": f"《{COAST}》第四条规定：“{LANTERNS_2005}”", "as_of": "2006-01-01"},
    "check_case_numbers": {"text": "（2019）云0102刑初12号，（2099）云0102刑初12号"},
    "parse_judgment": {"text": JUDGMENT},
}
"""A call of each tool that finds something."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of somebody who has built a library: `law.sqlite` in it."""
    folder = tmp_path_factory.mktemp("home")
    laws = write_laws(folder / "laws")
    (laws / "successors.tsv").write_text(
        f"law\tposition\tsuccessor\tsuccessor_position\tbasis\n{HARBOUR}\t2\t{PORTS}\t2\tgazette\n",
        "utf-8",
    )
    build_library([laws], folder / "law.sqlite")
    return folder / "law.sqlite"


@pytest.fixture
def library(file: Path) -> Iterator[Library]:
    with Library.open(file) as opened:
        yield opened


def environment(**more: str) -> dict[str, str]:
    """A client hands on little of its own; this tree's code is found all the same."""
    return {"PYTHONPATH": str(REPOSITORY / "src"), **more}


@asynccontextmanager
async def connected(transport: str, file: Path) -> AsyncIterator[Any]:
    """The SDK's client, talking to `hengfa mcp` as it is started, or to the server over HTTP."""
    from mcp import Client, StdioServerParameters

    if transport == "stdio":
        words = ["-c", RUN, "mcp", "--library", str(file)]
        started = StdioServerParameters(command=sys.executable, args=words, env=environment())
        async with Client(started) as client:
            yield client
        return
    with Library.open(file) as library:
        async with (
            mcp_server.serving(library, "127.0.0.1", 0) as address,
            Client(address) as client,
        ):
            yield client


def asked(library: Library, name: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers, by the SDK's client in memory, which compares it with the schema."""

    async def ask() -> Any:
        from mcp import Client

        async with Client(mcp_server.law_server(library)) as client:
            return await client.call_tool(name, arguments)

    told = asyncio.run(ask())
    assert not told.is_error, told.content
    answer: dict[str, Any] = told.structured_content
    assert json.loads(told.content[0].text) == answer
    return answer


# --- the transports ---


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_every_tool_answers(transport: str, file: Path) -> None:
    async def call_all() -> dict[str, Any]:
        async with connected(transport, file) as client:
            assert "law not in this library" in client.instructions
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert set(listed) == set(CALLS)
            for tool in listed.values():
                assert tool.description and tool.title and tool.annotations.read_only_hint
                assert tool.input_schema["additionalProperties"] is False
                assert tool.output_schema["type"] == "object"
            return {name: await client.call_tool(name, words) for name, words in CALLS.items()}

    told = asyncio.run(call_all())
    assert {name: answer.content for name, answer in told.items() if answer.is_error} == {}
    answers = {name: answer.structured_content for name, answer in told.items()}
    for name in CALLS.keys() - {"check_case_numbers", "parse_judgment"}:
        assert answers[name]["status"] == "found", name
    assert answers["look_up_provision"]["text"] == LANTERNS_2005
    assert answers["look_up_provision"]["version"]["promulgated"] == "2005-03-01"
    assert [v["at_hand"] for v in answers["law_versions"]["versions"]] == [1, 0, 0, 1, 1]
    assert LANTERNS_2009 in [step["text"] for step in answers["provision_history"]["steps"]]
    [after] = answers["provision_successors"]["successors"]
    assert (after["version"]["law"], after["position"], after["how"]) == (PORTS, "第二条", "known")
    assert answers["search_law"]["hits"][0]["text"] == LANTERNS_2005
    [citation] = answers["check_citations"]["citations"]
    assert (citation["status"], citation["content"]) == ("right", "verbatim")
    assert "provision" not in citation
    numbers = answers["check_case_numbers"]["numbers"]
    assert [each["verdict"] for each in numbers] == ["not known here", "cannot exist"]
    [person] = answers["parse_judgment"]["defendants"]
    assert (person["defendant"]["name"], person["final"]["months"]) == ("张三", 6)


HOSTILE: tuple[Any, ...] = (
    None, True, -1, 10**30, 1.5, [], {}, ["民法典"], {"a": 1}, "", " ", "\0", "a\0b", "x" * 1000,
    "9" * 99, "99999999999", "../../etc/passwd", "/etc/passwd", "'; DROP TABLE laws; --", "%s%n",
    '" OR 1=1', "第" * 100, "[" * 99, "2021-02-30", "2021-W01-1", "9999-12-31", "0001-01-01",
    "\u202e\ufeff\u200b", "{{7*7}}", "<script>alert(1)</script>",
)  # fmt: skip
# A path, a traceback, or the text of an error that only we should see.
LEAK = re.compile(r"Traceback|\.py\b|site-packages|sqlite|/tmp|/work|/home", re.IGNORECASE)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_hostile_arguments_end_in_an_answer_or_a_plain_error(transport: str, file: Path) -> None:
    trouble: list[str] = []

    async def call_all() -> None:
        async with connected(transport, file) as client:
            tools = (await client.list_tools()).tools
            for tool in tools:
                good = CALLS[tool.name]
                calls = [
                    {**good, name: value}
                    for name in tool.input_schema["properties"]
                    for value in HOSTILE
                ]
                calls += [{}, {**good, "unheard": "of"}, {"law": {"law": "x"}}]
                answers = [client.call_tool(tool.name, words) for words in calls]
                for words, told in zip(calls, await asyncio.gather(*answers), strict=True):
                    said = told.content[0].text
                    crashed = told.is_error and said == f"Error executing tool {tool.name}"
                    given = [str(value) for value in words.values()]
                    found = LEAK.search(said)
                    if crashed or (found and not any(found[0] in value for value in given)):
                        trouble.append(f"{tool.name} {str(words)[:200]}: {said[:200]}")
            last = await client.call_tool("look_up_provision", CALLS["look_up_provision"])
            assert last.structured_content["text"] == LANTERNS_2005

    asyncio.run(call_all())
    assert not trouble, "\n".join(trouble)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_what_is_too_long_is_refused_and_the_server_goes_on(transport: str, file: Path) -> None:
    async def call_all() -> list[Any]:
        async with connected(transport, file) as client:
            long = mcp_server.LONGEST_TEXT
            told = [
                await client.call_tool(name, {"text": mark * length})
                for name in ("check_citations", "check_case_numbers", "parse_judgment")
                for mark, length in (("《", long), ("第一条，", 2000), ("云", long + 1))
            ]
            told += [
                await client.call_tool("look_up_provision", {"law": "法" * 100_000}),
                await client.call_tool("search_law", {"query": "法" * 100_000}),
                await client.call_tool("law_versions", CALLS["law_versions"]),
            ]
            return told

    told = asyncio.run(call_all())
    assert [answer.is_error for answer in told] == [*(0, 0, 1) * 3, 1, 1, 0]


def test_nothing_is_sent_that_no_tool_takes(library: Library) -> None:
    """A misspelt day that is passed over would be answered with the law of today."""

    async def ask() -> Any:
        from mcp import Client

        async with Client(mcp_server.law_server(library)) as client:
            return await client.call_tool(
                "look_up_provision", {"law": COAST, "position": "4", "date": "2006-01-01"}
            )

    told = asyncio.run(ask())
    assert told.is_error and "date" in told.content[0].text


def test_calls_at_once_are_all_answered(file: Path) -> None:
    async def call_all() -> list[Any]:
        async with connected("http", file) as client:
            calls = [client.call_tool(name, words) for name, words in (*CALLS.items(),) * 5]
            return list(await asyncio.gather(*calls))

    assert not any(answer.is_error for answer in asyncio.run(call_all()))


class Endless:
    """What a process does with a document that was made to take for ever."""

    def __init__(self, _library: Path) -> None:
        pass

    def work_on(self, *_: object) -> tuple[str, bytes]:
        time.sleep(600)
        return "", b""


async def _until(done: Callable[[], bool]) -> None:
    while not done():  # noqa: ASYNC110 - processes set no event
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("end", ["too long", "left"])
def test_a_document_stops_nobody_else_and_ends_with_its_call(
    end: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_server, "_Bench", Endless)
    monkeypatch.setattr(mcp_server, "SECONDS", 600 if end == "left" else 1)

    async def call_all() -> tuple[str, str]:
        from mcp import Client

        with Library.open(file) as library:
            async with mcp_server.serving(library) as address, Client(address) as client:
                documents = [
                    asyncio.create_task(_post(address, {}, _called('"云"'))) for _ in range(3)
                ]
                other = await client.call_tool("law_versions", {"law": COAST})
                await _until(lambda: len(active_children()) == 2)
                if end == "left":
                    for document in documents:
                        document.cancel()
                said = await asyncio.gather(*documents, return_exceptions=True)
                await _until(lambda: not active_children())
                return other.structured_content["status"], str(said)

    status, said = asyncio.run(asyncio.wait_for(call_all(), 60))
    assert status == "found"
    assert said.count("within 1 seconds" if end == "too long" else "Cancelled") == 3


def test_a_damaged_library_is_told_without_its_path(file: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "secret-place.sqlite"
    content = bytearray(file.read_bytes())
    middle = len(content) // 4
    content[middle:] = b"\xff" * (len(content) - middle)
    damaged.write_bytes(content)

    async def ask() -> Any:
        from mcp import Client

        with Library.open(file) as library:
            server = mcp_server.law_server(library)
            library.path = damaged
            library.close()  # the next use opens what is there now
            async with Client(server) as client:
                return await client.call_tool("look_up_provision", CALLS["look_up_provision"])

    told = asyncio.run(ask())
    assert told.is_error
    assert "secret-place" not in told.content[0].text


# --- who is answered over HTTP ---


async def _status(address: str, headers: dict[str, str], body: bytes = b"{}") -> int:
    return int((await _post(address, headers, body)).split()[1])


async def _post(address: str, headers: dict[str, str], body: bytes) -> str:
    """The whole reply; whoever does not wait for it leaves."""
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    given = {
        "Host": parts.netloc,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(len(body)),
        "Connection": "close",
    } | {name: value.replace("PORT", str(parts.port)) for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    writer.write(f"POST {parts.path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1") + body)
    try:
        return (await asyncio.wait_for(reader.read(), 60)).decode()
    finally:
        writer.close()


LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
MODERN = {"MCP-Protocol-Version": "2026-07-28"}


WHO: tuple[tuple[dict[str, str], bool], ...] = (
    ({}, True),
    ({"Host": "localhost:PORT"}, True),
    ({"Host": "desk.example:PORT"}, True),
    ({"Origin": "http://127.0.0.1:PORT"}, True),
    ({"Host": "evil.example:PORT"}, False),
    ({"Host": "127.0.0.1.evil.example:PORT"}, False),
    ({"Host": ""}, False),
    ({"Origin": "http://evil.example"}, False),
    ({"Origin": "http://evil.example:PORT"}, False),
    ({"Origin": "https://127.0.0.1:PORT"}, False),
    ({"Origin": "http://127.0.0.1:1"}, False),
    ({"Origin": "null"}, False),
    ({"Host": "evil.example:PORT", "Origin": "http://evil.example:PORT"}, False),
)


@pytest.mark.parametrize("protocol", [{}, MODERN], ids=["handshake", "modern"])
def test_pages_of_others_are_not_answered(protocol: dict[str, str], library: Library) -> None:
    async def ask() -> list[int]:
        async with mcp_server.serving(library, "127.0.0.1", 0, ["desk.example"]) as address:
            return [await _status(address, protocol | headers, LIST) for headers, _ in WHO]

    statuses = asyncio.run(ask())
    assert [status not in {403, 421} for status in statuses] == [admitted for _, admitted in WHO]


def _called(text: str) -> bytes:
    """A call with this text, as JSON writes it."""
    words = f'{{"name": "check_citations", "arguments": {{"text": {text}}}}}'
    return f'{{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {words}}}'.encode()


ODD = (
    b"",
    b"\xff{",
    b"null",
    b"[]",
    b"[" * 100_000,
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "../etc"}}',
    b'{"jsonrpc": "2.0", "id": {}, "method": 5}',
    _called('"\\ud800"'),
    _called("1e999999"),
    _called("[" * 5000 + "]" * 5000),
)
"""Messages that no client sends."""


def test_no_request_over_http_is_an_error_of_ours(library: Library) -> None:
    async def ask() -> list[int]:
        async with mcp_server.serving(library, "127.0.0.1", 0) as address:
            large = b" " * (2 * 1024 * 1024)
            return [await _status(address, {}, body) for body in (large, *ODD, LIST)]

    large, *odd, good = asyncio.run(ask())
    assert large == 413
    assert [status for status in odd if status >= 500] == []
    assert good == 200


def test_every_line_on_standard_input_is_answered_and_none_ends_the_server(file: Path) -> None:
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    }
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}).encode(),
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        *ODD,
        LIST.replace(b'"id": 1', b'"id": 99'),
    ]
    with subprocess.Popen(
        [sys.executable, "-c", RUN, "mcp", "--library", str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | environment(),
    ) as server:
        assert server.stdin and server.stdout
        server.stdin.write(b"\n".join(lines) + b"\n")
        server.stdin.flush()
        answers: list[dict[str, Any]] = []
        while not answers or answers[-1].get("id") != 99:
            answers.append(json.loads(server.stdout.readline()))
        server.stdin.close()
        assert server.wait(20) == 0
    refused = [answer["id"] for answer in answers if "error" in answer]
    assert (refused.count(None), refused.count(7)) == (6, 1)
    assert {tool["name"] for tool in answers[-1]["result"]["tools"]} == set(CALLS)


# --- the answers ---


def test_a_law_that_is_not_here_is_not_said_not_to_exist(library: Library) -> None:
    for name, words in CALLS.items():
        if "law" in words:
            answer = asked(library, name, **{**words, "law": "云港登山法"})
            assert answer["status"] == "law not in this library"
            assert "not in this library" in answer["reason"]
            assert "exist" not in answer["reason"]
    for name in ("search_law", "check_citations"):
        assert asked(library, name, **CALLS[name], law="云港登山法")["status"] == (
            "law not in this library"
        )


def test_a_name_of_several_laws_lists_them(library: Library) -> None:
    answer = asked(library, "law_versions", law="云港节日条例")
    assert answer["status"] == "name of several laws"
    assert answer["candidates"] == ["云港节日条例（1988年）", "云港节日条例（1993年）"]


@pytest.mark.parametrize(
    ("law", "position", "on", "status"),
    [
        (COAST, "4", "2006-01-01", "found"),
        (COAST, "4", "2010-01-01", "derived"),
        (COAST, "4", "2005-04-01", "not yet"),
        (COAST, "99", "2006-01-01", "no such position"),
        (COAST, "3.1.9", "2006-01-01", "no such position"),
        (FERRY, "1", "2012-01-01", "unknown"),
        (HARBOUR, "2", "2012-01-01", "repealed"),
        (HARBOUR, "2", "2000-01-01", "found"),
    ],
)
def test_a_provision_on_a_day(
    law: str, position: str, on: str, status: str, library: Library
) -> None:
    answer = asked(library, "look_up_provision", law=law, position=position, on=on)
    assert answer["status"] == status, answer
    assert bool(answer["text"]) == (status in {"found", "derived"})
    assert answer["reason"] or status == "found"
    if status == "derived":
        assert answer["text"] == LANTERNS_2009 and answer["version"] is None
    if status == "repealed":
        assert answer["version"]["promulgated"] == "1999-05-01"


def test_readings_of_a_day_differ(library: Library) -> None:
    words = {"law": COAST, "position": "4"}
    made = asked(library, "look_up_provision", **words, on="2005-03-01", reading="promulgated on")
    assert (made["status"], made["text"]) == ("found", LANTERNS_2005)
    assert made["other_readings"]
    none = asked(library, "look_up_provision", **words, on="2005-03-02", reading="promulgated on")
    assert none["status"] == "no such version"


def test_a_history_starts_where_it_is_told_to(library: Library) -> None:
    words = {"law": COAST, "position": "6"}
    answer = asked(library, "provision_history", **words, version="2018-10-01")
    assert answer["steps"][-1]["position"] == "第二条"
    gone = asked(library, "provision_history", **words)
    assert gone["status"] == "no such position"
    unknown = asked(library, "provision_history", **words, version="2009-04-01")
    assert unknown["status"] == "unknown"


def test_only_a_repealed_law_has_successors(library: Library) -> None:
    assert asked(library, "provision_successors", law=COAST, position="4")["status"] == (
        "not repealed"
    )
    none = asked(library, "provision_successors", law=HARBOUR, position="1")
    assert none["status"] == "nothing found"
    assert (none["repealed_by"], none["repealed_on"]) == (PORTS, "2010-06-01")


def test_a_search_is_of_a_day_or_of_all_versions(library: Library) -> None:
    words = {"query": f"“{LANTERNS_2005}”"}
    assert asked(library, "search_law", **words)["status"] == "nothing found"
    assert asked(library, "search_law", **words, all_versions=True)["hits"]
    assert not asked(library, "search_law", **words, all_versions=True, kinds=["decision"])["hits"]
    assert len(asked(library, "search_law", query="海岸", all_versions=True, limit=1)["hits"]) == 1


def test_citations_are_counted_beyond_those_given(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_server, "PAGE", 2)
    text = f"《{COAST}》第一条。《{COAST}》第四条。《{COAST}》第九十九条。"
    answer = asked(library, "check_citations", text=text, as_of="2006-01-01")
    assert (len(answer["citations"]), answer["left_out"]) == (2, 1)
    assert (answer["counts"]["right"], answer["counts"]["wrong"]) == (2, 1)
    rest = asked(library, "check_citations", text=text, as_of="2006-01-01", page=2)
    assert [citation["status"] for citation in rest["citations"]] == ["wrong"]
    assert rest["left_out"] == 0
    only = asked(
        library, "check_citations", text=text, as_of="2006-01-01", problems_only=True, language="en"
    )
    [citation] = only["citations"]
    assert "no such position" in citation["said"]
    assert len(json.dumps(citation)) < 600
    assert not only["details"]


def test_details_are_given_where_they_are_asked_for(library: Library) -> None:
    text = f"《{COAST}》第四条规定：“{LANTERNS_2005}”"
    answer = asked(library, "check_citations", text=text, as_of="2006-01-01", detail=True)
    [citation] = answer["details"]
    assert citation["finding"]["status"] == "right"
    assert citation["told"]["provision"] == LANTERNS_2005


def test_definitions_leave_room_and_menus_have_prompts_and_provisions(library: Library) -> None:
    async def look() -> tuple[int, list[str], str, str]:
        from mcp import Client

        async with Client(mcp_server.law_server(library)) as client:
            tools = (await client.list_tools()).tools
            told = sum(len(tool.model_dump_json(exclude_none=True)) for tool in tools)
            prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
            asked_for = await client.get_prompt(
                "check", {"document": "答辩状", "day": "2006-01-01"}
            )
            text = (await client.read_resource(f"law://{COAST}/4")).contents[0].text
            return told, prompts, asked_for.messages[0].content.text, text

    told, prompts, prompt, provision = asyncio.run(look())
    assert told < 26_000
    assert prompts == ["check", "provision"]
    assert "2006-01-01" in prompt
    assert prompt.endswith("答辩状")
    assert provision.startswith(f"{COAST} 第四条 (")


def test_the_text_of_a_check_is_never_taken_for_a_path(library: Library, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(f"《{COAST}》第四条", "utf-8")
    assert asked(library, "check_citations", text=str(secret))["status"] == "nothing found"


def test_where_a_text_of_ones_own_lies_is_not_told(library: Library) -> None:
    assert asked(library, "look_up_provision", **CALLS["look_up_provision"])["source"] == ""


# --- as the docs say ---

JSON = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def configured() -> list[dict[str, Any]]:
    """Each server that the page configures, for whichever client."""
    page = REPOSITORY / "docs" / "citations.md"
    blocks = map(json.loads, JSON.findall(page.read_text("utf-8")))
    servers = [block.get("mcpServers") or block["servers"] for block in blocks]
    return [server["hengfa"] for server in servers]


def test_the_configurations_of_the_docs_work(file: Path, tmp_path: Path) -> None:
    """Each is started as it stands there, `hengfa` found on the PATH, its library in the home."""
    from mcp import Client, StdioServerParameters

    program = tmp_path / "bin" / "hengfa"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{RUN}\n")
    program.chmod(0o755)
    started = [server for server in configured() if "command" in server]
    commands = {(server["command"], *server["args"]) for server in started}
    assert commands == {("hengfa", "mcp")}

    async def ask(command: str, *args: str) -> Any:
        env = environment(HENGFA_HOME=str(file.parent), PATH=f"{program.parent}:/usr/bin:/bin")
        where = StdioServerParameters(command=command, args=list(args), env=env)
        async with Client(where) as client:
            return await client.call_tool("look_up_provision", CALLS["look_up_provision"])

    for command in commands:
        assert asyncio.run(ask(*command)).structured_content["text"] == LANTERNS_2005


def test_the_address_of_the_docs_is_the_one_that_is_served() -> None:
    from hengfa.law.commands.mcp import _HOST, _PORT

    addresses = {server["url"] for server in configured() if "url" in server}
    assert addresses == {f"http://{_HOST}:{_PORT}/mcp"}

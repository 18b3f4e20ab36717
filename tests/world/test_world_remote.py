"""A world behind a web service that speaks the published interface."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hengfa.base.errors import UsageError
from hengfa.base.secrets import Secret
from hengfa.world.opening import KEY, open_world
from hengfa.world.tables.remote import RemoteFailure, RemoteWorld
from hengfa.world.tables.world import World
from hengfa.world.tools.observation import Status
from hengfa.world.tools.toolbox import Toolbox
from tests.world.tiny_world import COMPANY

SECRET = "a-key-nobody-may-see"


class Service(ThreadingHTTPServer):
    """Answers from a small world, or with what a test asks for."""

    def __init__(self, tools: Toolbox) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.tools = tools
        self.keys: list[str | None] = []
        self.reply: tuple[int, bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/law"


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.keys.append(self.headers.get("Authorization"))
        found = self.server.tools.call(self.path.removeprefix("/law/"), json.loads(body))
        value = (
            [*found.rows] if "_list" in self.path else found.rows[0] if found.rows else found.text
        )
        status, content = self.server.reply or (200, json.dumps(value).encode())
        self.send_response(status)
        if status == 302:
            self.send_header("Location", self.server.address + "/elsewhere")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def service(tiny: World) -> Iterator[Service]:
    with Service(Toolbox(tiny)) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_answers_come_as_published_and_arithmetic_stays_here(service: Service) -> None:
    tools = Toolbox(RemoteWorld(service.address))
    asked = {"identifier": COMPANY, "columns": ["公司名称"]}
    assert tools.call("get_company_info", asked).text == f"{{'公司名称': '{COMPANY}'}}"
    listed = tools.call("get_sub_company_info_list", {**asked, "columns": ["公司名称"]})
    assert len(listed.rows) == 2
    missing = tools.call("get_company_info", {"identifier": "无"})
    assert missing.status is Status.NO_DATA
    asked_so_far = len(service.keys)
    assert tools.call("get_sum", [1, 2]).text == "3"
    assert len(service.keys) == asked_so_far


def test_helpful_answers_are_json_and_local_tools_are_not_offered(service: Service) -> None:
    tools = Toolbox(RemoteWorld(service.address), "helpful")
    found = tools.call("get_company_info", {"identifier": COMPANY, "columns": ["公司名称"]})
    assert json.loads(found.text) == {"公司名称": COMPANY}
    assert tools.call("get_court_info", {"identifier": "无"}).status is Status.NO_DATA
    assert "filter_rows" not in tools.names
    assert tools.call("filter_rows", {"table": "LegalDoc"}).status is Status.UNKNOWN_TOOL


@pytest.mark.parametrize("reply", [(500, b"{}"), (404, b""), (200, b"not json"), (302, b"")])
def test_anything_but_a_result_is_the_published_error(
    service: Service, reply: tuple[int, bytes]
) -> None:
    service.reply = reply
    found = Toolbox(RemoteWorld(service.address)).call("get_court_info", {"identifier": "x"})
    assert found.text == "工具调用发生错误, 请检查传入工具的参数是否正确!"
    assert found.status is Status.UNAVAILABLE


def test_the_key_is_sent_and_never_shown(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    world = open_world(service.address)
    assert isinstance(world, RemoteWorld)
    Toolbox(world).call("get_court_info", {"identifier": "x"})
    assert service.keys == [f"Bearer {SECRET}"]
    service.reply = (403, b"")
    with pytest.raises(RemoteFailure) as caught:
        world.call("get_court_info", {})
    assert SECRET not in f"{world!r}{caught.value!r}"
    service.reply = (302, b"")
    with pytest.raises(RemoteFailure, match="302"):
        world.call("get_court_info", {})


@pytest.mark.parametrize("shown", [SECRET, SECRET.upper(), "\u200b".join(SECRET), " ".join(SECRET)])
def test_a_service_that_repeats_the_key_gives_nobody_a_copy(service: Service, shown: str) -> None:
    world = RemoteWorld(service.address, key=Secret(SECRET))
    service.reply = (200, json.dumps({"法院名称": shown, shown: ["甲", f"{shown}乙"]}).encode())
    assert world.call("get_court_info", {}) == {"法院名称": "***", "***": ["甲", "***乙"]}


def test_addresses_are_checked() -> None:
    odd = (
        "http://[::1",
        "http://exa mple",
        "http://\0",
        "http://a:65536",
        "http://[:::]",
        "http://\udcff",
        "https:",
    )
    for address in ("ftp://x", "file:///etc/passwd", "http://", "http://me:secret@host/", *odd):
        with pytest.raises(UsageError) as caught:
            RemoteWorld(address)
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize("sent", [b"HTTP/1.1 200 OK\r\n\r\n[", b"HTTP/1.1 200 OK\r\nX: ", b"HT"])
def test_a_service_that_drips_is_not_waited_for(sent: bytes) -> None:
    """Each byte comes well within the time that one read may take."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        ended = threading.Event()
        thread = threading.Thread(target=_drip, args=(server, sent, ended))
        thread.start()
        begun = time.monotonic()
        with pytest.raises(RemoteFailure, match="TimeoutError"):
            RemoteWorld(f"http://127.0.0.1:{server.getsockname()[1]}", seconds=0.5).call("t", {})
        took = time.monotonic() - begun
        ended.set()
        thread.join()
    assert took < 3


def _drip(server: socket.socket, sent: bytes, ended: threading.Event) -> None:
    connection, _ = server.accept()
    with connection, contextlib.suppress(OSError):
        connection.sendall(sent)
        for _ in range(200):  # longer than any test waits
            if ended.wait(0.05):
                return
            connection.sendall(b"1")


def test_a_service_that_is_not_there_is_unavailable() -> None:
    world = RemoteWorld("http://127.0.0.1:9", seconds=2)
    assert Toolbox(world).call("get_court_info", {"identifier": "x"}).status is Status.UNAVAILABLE
    assert (
        Toolbox(world).call("get_court_info", {"identifier": "\ud800"}).status is Status.UNAVAILABLE
    )

"""Without a network: everything can be imported, and nobody is called on the way."""

from __future__ import annotations

import pkgutil

import pytest

import hengfa.evals.engine

from .processes import run_python

NO_NETWORK = """
import sys

def forbid(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        raise RuntimeError(f"{event} {arguments}")

sys.addaudithook(forbid)
"""
MODULES = [
    "hengfa",
    *(f"hengfa.evals.engine.{m.name}" for m in pkgutil.iter_modules(hengfa.evals.engine.__path__)),
]


def test_all_modules_of_the_engine_are_imported_without_a_network() -> None:
    script = (
        NO_NETWORK + f"import importlib\nfor name in {MODULES!r}: importlib.import_module(name)"
    )
    assert run_python(script + "\nprint('imported')") == "imported\n"


def test_the_watch_for_connections_does_watch() -> None:
    script = (
        NO_NETWORK
        + """
import socket
for call in (
    lambda: socket.create_connection(("127.0.0.1", 9)),
    lambda: socket.getaddrinfo("a", 1),
    lambda: socket.socket().connect(("127.0.0.1", 9)),
):
    try:
        call()
    except RuntimeError as error:
        print(str(error).split()[0])
"""
    )
    assert run_python(script).split() == [
        "socket.getaddrinfo",
        "socket.getaddrinfo",
        "socket.connect",
    ]


def test_a_run_on_a_model_without_a_network_needs_none() -> None:
    script = (
        NO_NETWORK
        + """
import asyncio, tempfile
from pathlib import Path
from hengfa.evals.engine.journal import Journal
from hengfa.evals.engine.messages import Message, Request, Response, Status
from hengfa.evals.engine.session import Session
from hengfa.evals.engine.session import Tally

class Rule:
    name = "rule"
    async def generate(self, request):
        return Response(status=Status.ANSWERED, text="答")
    async def close(self):
        pass

async def main(folder):
    with Journal(Path(folder) / "journal.jsonl") as journal:
        session = Session(Rule(), journal, Tally(1))
        print((await session.ask(Request("k", (Message("user", "问"),)))).status)

with tempfile.TemporaryDirectory() as folder:
    asyncio.run(main(folder))
"""
    )
    assert run_python(script) == "answered\n"


@pytest.mark.parametrize("module", ["hengfa.evals.engine.session", "hengfa.evals.engine.journal"])
def test_a_run_without_a_network_does_not_load_an_http_client(module: str) -> None:
    assert run_python(f"import sys, {module}\nprint('aiohttp' in sys.modules)") == "False\n"

"""`hengfa mcp`, as a call: what it says where it cannot serve. How it serves: tests/law/desk."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.conftest import REPOSITORY
from tests.world import tiny_world

from hengfa.base.errors import MissingExtra, UsageError
from hengfa.law.commands.mcp import command

with suppress(ImportError):  # it binds the standard error that is there, and CliRunner replaces it
    import mcp.client.stdio  # noqa: F401


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    monkeypatch.delitem(sys.modules, "hengfa.law.desk.mcp_server", raising=False)
    result = CliRunner().invoke(command)
    assert isinstance(result.exception, MissingExtra)
    assert 'pip install ".[mcp]"' in str(result.exception)


@pytest.mark.parametrize("words", [["--port", "0"], ["--host", "::1"], ["--allow-host", "desk"]])
def test_what_is_for_http_is_not_passed_over(words: list[str]) -> None:
    result = CliRunner().invoke(command, words)
    assert isinstance(result.exception, UsageError)


@pytest.mark.optional("mcp")
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("--http --tasks sample", "--tasks and --record go together"),
        ("--http --record r", "--tasks and --record go together"),
        ("--tasks sample --record r", "Say it with --task, or use --http"),
        ("--task 1", "--task goes with --tasks"),
        ("--http --tasks sample --record r --task 1", "without --http"),
        ("--tasks sample --record r --task 99", "there is no task '99'"),
        ("--http --tasks nowhere --record r", "there is no folder nowhere"),
    ],
)
def test_a_client_and_its_task(
    words: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HENGFA_HOME", str(tmp_path / "home"))
    result = CliRunner().invoke(command, words.split())
    assert isinstance(result.exception, UsageError)
    assert problem in str(result.exception)


@pytest.mark.optional("mcp")
def test_a_world_needs_no_library(tmp_path: Path) -> None:
    """As the containers of Harbor start it."""
    from mcp import Client, StdioServerParameters

    file = tiny_world.write(tmp_path / "tiny.sqlite")
    run = ["-c", "from hengfa.cli.main import main; main()", "mcp", "--world", str(file)]
    given = {"PYTHONPATH": str(REPOSITORY / "src"), "HENGFA_HOME": str(tmp_path / "home")}
    started = StdioServerParameters(command=sys.executable, args=run, env=given)

    async def talk() -> tuple[set[str], str]:
        async with Client(started) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            told = await client.call_tool("get_court_code", {"identifier": "云0101"})
            return names, told.content[0].text

    names, told = asyncio.run(talk())
    assert "filter_rows" in names and not {"search_law", "finish"} & names
    assert tiny_world.COURT in told

"""`hengfa mcp`, as a call: what it says where it cannot serve. How it serves: tests/desk."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

from hengfa.cli.mcp import command
from hengfa.errors import MissingExtra, UsageError


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    monkeypatch.delitem(sys.modules, "hengfa.desk.mcp_server", raising=False)
    result = CliRunner().invoke(command)
    assert isinstance(result.exception, MissingExtra)
    assert 'pip install "hengfa[mcp]"' in str(result.exception)


@pytest.mark.parametrize("words", [["--port", "0"], ["--host", "::1"], ["--allow-host", "desk"]])
def test_what_is_for_http_is_not_passed_over(words: list[str]) -> None:
    result = CliRunner().invoke(command, words)
    assert isinstance(result.exception, UsageError)

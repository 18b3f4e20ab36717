"""Offline means offline: with networking cut, everything that needs no endpoint works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CUT = """
import sys

def cut(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}:
        raise RuntimeError(f"network used: {event} {arguments[:2]}")

sys.addaudithook(cut)
"""


def run_cut_off(code: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", CUT + code],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_the_cut_really_cuts(tmp_path: Path) -> None:
    done = run_cut_off(
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')", tmp_path
    )
    assert "network used" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["demo"],
        ["data", "list"],
        ["models"],
        ["eval", "lawbench", "--model", "retrieval", "--data", "sample", "--rules", "both"],
        ["eval", "lawbench", "--model", "openai:gpt-5", "--data", "sample", "--dry-run"],
    ],
)
def test_commands_that_need_no_endpoint_use_no_network(
    tmp_path: Path, arguments: list[str]
) -> None:
    code = f"sys.argv[1:] = {arguments!r}; from hengfa.cli.main import main; main()"
    done = run_cut_off(code, tmp_path)
    assert done.returncode == 0, done.stderr


def test_every_module_can_be_imported_without_network(tmp_path: Path) -> None:
    code = """
import importlib, pkgutil, hengfa
for module in pkgutil.walk_packages(hengfa.__path__, "hengfa."):
    if not module.name.startswith(("hengfa.bridge", "hengfa.rewards.verifiers")):
        importlib.import_module(module.name)
"""
    done = run_cut_off(code, tmp_path)
    assert done.returncode == 0, done.stderr

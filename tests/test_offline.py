"""Offline means offline: with networking cut, everything that needs no endpoint works.

The demo, which many tests look at, is run so in tests/conftest.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import run_cut_off


def test_the_cut_really_cuts(tmp_path: Path) -> None:
    done = run_cut_off(
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')", tmp_path
    )
    assert "network used" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["data", "status"],
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
EXTRAS = {"anyio", "datasets", "inspect_ai", "mcp", "pydantic", "ray", "reportlab",
          "sentence_transformers", "torch", "transformers", "verifiers", "xlsxwriter"}
for module in pkgutil.walk_packages(hengfa.__path__, "hengfa."):
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as missing:
        assert missing.name in EXTRAS, missing
"""
    done = run_cut_off(code, tmp_path)
    assert done.returncode == 0, done.stderr

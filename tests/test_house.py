"""The house keeps its order: layers, suite folders, start-up, nothing of upstream inside."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hengfa.suites.registry import OWN, get_suite
from tests.conftest import REPOSITORY


def test_layers_point_down() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports; exit(lint_imports())"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", OWN)
def test_every_suite_is_found_by_its_name(name: str) -> None:
    assert get_suite(name).name == name


@pytest.mark.parametrize(
    "heavy", ["polars", "numpy", "aiohttp", "jieba", "rich", "bm25s", "inspect_ai", "mcp", "torch"]
)
def test_starting_the_command_line_imports_nothing_heavy(heavy: str) -> None:
    code = f"import hengfa.cli.main, sys; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_text_files_are_utf8_with_plain_line_ends() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.decode().split("\0")):
        file = REPOSITORY / name
        if file.suffix not in {".png", ".gz", ".parquet"} and file.is_file():
            assert b"\r" not in file.read_bytes(), name
            file.read_text("utf-8")

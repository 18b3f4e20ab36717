"""The house keeps its order: layers, suite folders, start-up, nothing of upstream inside."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hengfa.suites.plan import sample_root
from hengfa.suites.registry import SUITES, get_suite
from tests.conftest import REPOSITORY

SUITE_FILES = {
    "README.md",
    "__init__.py",
    "baselines.py",
    "dataset.py",
    "extract.py",
    "predictions.py",
    "prompts.py",
    "score.py",
    "suite.py",
}


def test_layers_point_down() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports; exit(lint_imports())"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_folder_has_the_same_files(name: str) -> None:
    folder = REPOSITORY / "src" / "hengfa" / "suites" / name
    assert {f.name for f in folder.iterdir() if f.name != "__pycache__"} >= SUITE_FILES
    assert get_suite(name).name == name


@pytest.mark.parametrize(
    "heavy", ["polars", "numpy", "aiohttp", "jieba", "rich", "bm25s", "inspect_ai", "torch"]
)
def test_starting_the_command_line_imports_nothing_heavy(heavy: str) -> None:
    code = f"import hengfa.cli.main, sys; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.shared
def test_no_sentence_of_the_sample_pack_is_upstream_data(shared: Path) -> None:
    upstream = {
        text
        for file in (shared / "data" / "LawBench" / "data").rglob("*.json")
        for row in json.loads(file.read_text("utf-8"))
        for text in row.values()
    }
    ours = [
        text
        for file in sample_root().rglob("lawbench/data/*/*.json")
        for row in json.loads(file.read_text("utf-8"))
        for text in row.values()
        if len(text) > 7  # "正确答案：B。" is a format, not a text
    ]
    assert ours
    assert not upstream.intersection(ours)


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

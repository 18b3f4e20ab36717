"""Docs cannot drift: their commands are executed, their tables and help are generated."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.conftest import REPOSITORY, find_shared
from tests.evals.engine.server import LocalServer, Seen, completion, in_thread
from tests.train.recipes.tiny_models import write_tiny_model

from hengfa.base.data.catalogue import load_entry
from hengfa.base.data.packs import sample_root
from hengfa.cli.main import main
from hengfa.evals.engine.vendors import PROVIDERS

PAGES = [
    REPOSITORY / "README.md",
    REPOSITORY / "README.zh.md",
    *sorted((REPOSITORY / "docs").glob("*.md")),
]
CHINESE = sorted((REPOSITORY / "docs" / "zh").glob("*.md"))
SUITE_READMES = sorted((REPOSITORY / "src" / "hengfa").glob("*/suites/*/README.md"))
RULES = REPOSITORY / "docs" / "benchmarks"
LINKED = [*PAGES, *RULES.glob("*.md"), *(REPOSITORY / "docs" / "decisions").glob("*.md")]
LINKED += CHINESE + SUITE_READMES
# A block of commands. Matches ```console … ```; not ``` alone (output) or ```python.
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What a translation keeps of a line. Matches "## Install", "| cell | cell |", "- item"; not prose.
SHAPE = re.compile(r"#+ |\||[-*] ")
# A paragraph broken between two Chinese characters, where browsers show a blank. Matches "，\n则".
BROKEN = re.compile(r"[\u3001-\u9fff\uff01-\uff5e]\n *[\u4e00-\u9fff]")
# A link to a file of ours. Matches [x](docs/models.md); not [x](https://…).
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
# A citation of the rules. Matches "lawbench.md 3.2", "judgment.md 2 to 6, 9"; not "lawbench.md".
CITED = re.compile(
    r"\b(?P<page>lawbench|claw|plawbench|legalagentbench|judgment)\.md"
    r"(?P<sections>(?:(?:,| and| to)? \d+(?:[.-]\d+)*(?![\d-]))+)"
)
# Where a section is. Matches "### 3.2 Shortcuts" and the row "| 7.10 | …"; not "| 2024 | …".
SECTION = re.compile(r"^(?:#{2,4} (\d+(?:[.-]\d+)*) |\| (\d+\.\d+) \|)", re.MULTILINE)

COPIES = "copies"
TOLD = ("lawbench", "claw-all", "plawbench")
"""Of which runs of the demo the docs tell."""

ELSEWHERE = {
    "make demo": "installs an environment, then `hengfa demo`: tests/cli/test_cli.py",
    "make test": "runs these tests",
    "pip install": "needs a package index",
    ". .venv/bin/activate": "the tests run in that environment",
    "python examples/small_model_server.py": "tests/evals/runs/test_small_model.py",
    "inspect": "tests/evals/bridge",
}
"""Commands that are not executed here, and where they are or why not."""


def commands(page: Path) -> list[str]:
    return [
        line.removeprefix("$ ")
        for block in BLOCK.findall(page.read_text("utf-8"))
        for line in block.splitlines()
    ]


async def choose_b(_request: web.Request, _seen: Seen) -> web.StreamResponse:
    return web.json_response(completion("[正确答案]B<eoa>"))


@pytest.fixture
def reader(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[LocalServer]:
    """A reader's machine: every provider's address leads to a local server, files are at hand."""
    with in_thread(LocalServer(choose_b)) as server:
        providers = "".join(
            f'[providers.{name}]\nbase_url = "{server.url}/v1"\n' for name in PROVIDERS
        )
        (own_home / "config.toml").write_text(providers)
        predictions = tmp_path / "predictions" / "zero_shot" / "GPT4"
        predictions.mkdir(parents=True)
        row = {"origin_prompt": "", "prediction": "B", "refr": "正确答案：B。"}
        rows = {str(number): row for number in range(500)}
        (predictions / "1-2.json").write_text(json.dumps(rows))
        (tmp_path / "answers.jsonl").write_text('{"task": "1-1", "id": 0, "prediction": "略"}\n')
        monkeypatch.setenv("MYSERVER_API_KEY", "sk-docs-00000000")
        monkeypatch.setenv("MYSERVER_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("HOME", str(tmp_path))
        shared = find_shared()
        if shared is not None:
            _copy_homes(shared / "data", tmp_path / COPIES)
            (tmp_path / "LawBench").symlink_to(shared / "data" / "LawBench")
        monkeypatch.chdir(tmp_path)
        yield server


def _copy_homes(data: Path, copies: Path) -> None:
    """The public homes of the packs, as copies on this machine."""
    copies.mkdir()
    for archive in (data / "upstream").glob("*.tar.xz"):
        (copies / archive.name).symlink_to(archive)
    for pack, folder in (("lawbench", "LawBench"), ("plawbench", "PLawbench")):
        (copies / load_entry(pack).sources[0].folder).symlink_to(data / folder)


def mirrored(arguments: list[str], server: LocalServer) -> list[str]:
    """The same command on this machine: downloads come from a folder, ports are the server's."""
    if arguments[:2] == ["data", "add"]:  # another way than pulling, which was tried before
        return [*arguments, "--force"]
    if arguments[:2] == ["data", "pull"]:
        return [*arguments[:3], "--from", COPIES]
    if "--grader" in arguments:  # a tiny model is no grader
        arguments = [*arguments, "--allow-ungraded", "1"]
    own = server.url.removeprefix("http://")
    tiny = any(word.startswith("hf:") for word in arguments)  # nor need it talk for long
    return [
        "8"
        if tiny and option.endswith("max-new-tokens")
        else re.sub(r"(localhost|127\.0\.0\.1):\d+", own, word)
        if option == "--base-url"
        else word
        for option, word in pairwise(["", *arguments])
    ]


def reader_model(line: str) -> Path:
    """The folder of weights that a command names."""
    return Path(line.partition("hf:")[2].split()[0])


def _named(page: Path) -> str:
    return page.relative_to(REPOSITORY).as_posix()


def _page(page: Path) -> Any:
    """With the parts that its commands need."""
    lines = [line for line in commands(page) if line.startswith("hengfa")]
    needed = [
        part
        for sign, part in (("inspect", "inspect_ai"), ("hf:", "transformers"))
        if any(sign in line for line in lines)
    ]
    marks = [pytest.mark.optional(*needed)] if needed else []
    return pytest.param(page, marks=marks, id=_named(page))


@pytest.mark.parametrize("page", [*map(_page, PAGES)])
def test_every_command_of_the_docs_works(
    page: Path, reader: LocalServer, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_shared() is None:
        pytest.skip("the docs work on real data: set HENGFA_SHARED")
    lines = commands(page)
    if page.name != "getting-started.md" and any("eval lawbench" in line for line in lines):
        lines.insert(0, "hengfa data pull lawbench")  # where the page before it has left the reader
    for line in lines:
        if line.startswith("export "):
            for assignment in shlex.split(line)[1:]:
                monkeypatch.setenv(*assignment.replace("…", "0000").split("=", 1))
            continue
        if any(line.startswith(start) for start in ELSEWHERE):
            continue
        program, *arguments = shlex.split(line)
        assert program == "hengfa", line
        if arguments == ["demo"]:
            for run in (demo / "runs" / "demo").iterdir():
                if run.name.startswith(TOLD):
                    shutil.copytree(run, Path("runs", "demo", run.name), dirs_exist_ok=True)
            continue
        arguments = [str(Path(a).expanduser()) if a.startswith("~") else a for a in arguments]
        if "hf:" in line and not (folder := reader_model(line)).exists():
            write_tiny_model(folder, context=32_768)
        monkeypatch.setattr(sys, "argv", ["hengfa", *mirrored(arguments, reader)])
        with warnings.catch_warnings(), pytest.raises(SystemExit) as ended:
            if "inspect" in line:
                warnings.simplefilter("ignore")  # Inspect's own dependencies warn
            main()
        assert ended.value.code == 0, line


def outline(page: Path) -> list[str]:
    """Headings, rows with their number of cells, items of lists, and all commands as they stand.

    What is printed may be in the language of the page.
    """
    lines = []
    for part, text in enumerate(page.read_text("utf-8").split("\n```")):
        if part % 2:
            lines.append("" if text.startswith("\n") else text)
            continue
        shaped = ((line, SHAPE.match(line)) for line in text.splitlines())
        lines += [re.sub("[^|]", "", line) or start[0] for line, start in shaped if start]
    return lines


@pytest.mark.parametrize("page", CHINESE, ids=_named)
def test_a_chinese_page_has_what_the_english_one_has(page: Path) -> None:
    """Its commands, too, which are executed there."""
    assert outline(page) == outline(page.parents[1] / page.name)


@pytest.mark.parametrize("page", [REPOSITORY / "README.zh.md", *CHINESE], ids=_named)
def test_no_chinese_paragraph_is_broken_into_lines(page: Path) -> None:
    prose = page.read_text("utf-8").split("\n```")[::2]
    assert [broken[0] for text in prose for broken in BROKEN.finditer(text)] == []


@pytest.mark.parametrize("page", LINKED, ids=_named)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_citations_of_the_rules_name_sections_that_are_there() -> None:
    there = {
        page.stem: {one or other for one, other in SECTION.findall(page.read_text("utf-8"))}
        for page in RULES.glob("*.md")
    }
    files = (
        file
        for folder in ("src", "tests", "benchmarks", "docs")
        for suffix in ("py", "md")
        for file in (REPOSITORY / folder).rglob(f"*.{suffix}")
    )
    for file in files:
        for cited in CITED.finditer(file.read_text("utf-8")):
            for section in re.findall(r"\d+(?:[.-]\d+)*", cited["sections"]):
                assert section in there[cited["page"]], f"{file}: {cited[0]}"


GENERATED = [
    page for page in (*PAGES, *CHINESE, *SUITE_READMES) if "[[[cog" in page.read_text("utf-8")
]


def test_generated_parts_are_up_to_date(tmp_path: Path) -> None:
    """`make docs` writes them anew."""
    copies = [shutil.copy(page, tmp_path / _named(page).replace("/", "-")) for page in GENERATED]
    done = subprocess.run(
        [sys.executable, "-m", "cogapp", "--check", *map(str, copies)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"run `make docs`: {done.stdout}{done.stderr}"


def test_the_sample_pack_is_described() -> None:
    told = (sample_root() / "README.md").read_text("utf-8")
    for folder in sample_root().iterdir():
        if folder.is_dir() and not folder.name.startswith("__"):
            assert f"`{folder.name}/" in told


# An example in Python. Matches ```python … ```; not ```console.
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "README.zh.md",
        "docs/python.md",
        pytest.param("docs/rewards.md", marks=pytest.mark.optional("mcp")),
    ],
)
def test_the_examples_in_python_work(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In their order, as in one notebook."""
    monkeypatch.chdir(tmp_path)
    blocks = PYTHON.findall((REPOSITORY / page).read_text("utf-8"))
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)

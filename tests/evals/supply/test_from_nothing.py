"""From an empty home to every suite: all packs from copies of their public homes, and what follows.

What the packs hold is checked where they are derived and read; here it is that nothing else is
needed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from filelock import FileLock
from tests.cli.test_cli import hengfa

from hengfa.base.data.catalogue import PINNED, load_entry
from hengfa.evals.suites.registry import OWN

pytestmark = [pytest.mark.shared, pytest.mark.deep]

AS_FOLDERS = {"lawbench": "LawBench", "plawbench": "PLawbench"}
"""Packs of which no archive is at hand, but the files themselves."""

GRADED = {"claw-cases", "plawbench"}
"""Suites that give no score without a grader."""


MADE = {"matters"}
"""Suites whose data are made and not pulled."""

PACKS = sorted(file.stem for file in PINNED.glob("*.json"))


@pytest.fixture(scope="module")
def home(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home into which everything was pulled, once also where several processes test."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "from_nothing"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            folder.mkdir()
            pull_everything(shared / "data", folder)
    return folder / "home"


def pull_everything(data: Path, folder: Path) -> None:
    for pack in PACKS:
        place = data / "upstream"
        if pack in AS_FOLDERS:
            [source] = load_entry(pack).sources
            (folder / source.folder).symlink_to(data / AS_FOLDERS[pack])
            place = folder
        arguments = ("data", "pull", pack, "--from", str(place))
        done = hengfa(*arguments, cwd=folder, HENGFA_HOME=str(folder / "home"))
        assert f"{pack}: complete and verified" in done.stdout, done.stderr
    done = hengfa("law", "build", cwd=folder, HENGFA_HOME=str(folder / "home"))
    assert done.returncode == 0, done.stderr


@pytest.fixture
def supplied(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with that home."""
    monkeypatch.setenv("HENGFA_HOME", str(home))
    return tmp_path


def test_every_pack_is_verified(supplied: Path) -> None:
    verified = hengfa("data", "status", "--verify", "--json", cwd=supplied)
    assert verified.returncode == 0
    assert [(pack["name"], pack["verified"]) for pack in json.loads(verified.stdout)] == [
        (pack, True) for pack in PACKS
    ]


def test_no_pack_is_only_added_and_everything_is_ready(supplied: Path) -> None:
    listed, _ = hengfa("data", "status", cwd=supplied).stdout.split("\n\n")
    assert "only added" not in listed
    assert len(listed.splitlines()) == len(PACKS)
    status = json.loads(hengfa("data", "status", "--json", cwd=supplied).stdout)
    assert [need["what"] for need in status["needs"] if not need["ready"]] == []


def test_pulling_again_fetches_nothing(supplied: Path) -> None:
    again = hengfa("data", "pull", "guiding-cases", "--from", ".", cwd=supplied)
    assert "nothing to fetch" in again.stdout


@pytest.mark.parametrize("suite", sorted({*OWN} - MADE))
def test_a_suite_runs_between_floor_and_ceiling(suite: str, supplied: Path) -> None:
    scores: dict[str, list[float | None]] = {}
    for model in ("floor", "ceiling"):
        asked = ("eval", suite, "--model", model, "--limit", "5", "--json", "--ungraded")
        done = hengfa(*asked, cwd=supplied)
        assert done.returncode == 0, done.stderr
        [run] = json.loads(done.stdout)["runs"]
        assert {sum(task["statuses"].values()) for task in run["tasks"].values()} == {5}
        scores[model] = [task["score"] for task in run["tasks"].values()]
    if suite in GRADED:
        assert {*scores["floor"], *scores["ceiling"]} == {None}
    else:
        pairs = zip(scores["floor"], scores["ceiling"], strict=True)
        assert all(low is not None and high is not None and low < high for low, high in pairs)


def test_a_suite_of_rubrics_is_graded(supplied: Path) -> None:
    arguments = ("--model", "ceiling", "--grader", "keywords", "--limit", "2", "--json")
    done = hengfa("eval", "plawbench", *arguments, "--run", "graded", cwd=supplied)
    assert done.returncode == 0, done.stderr
    [run] = json.loads(done.stdout)["runs"]
    assert all(task["score"] is not None for task in run["tasks"].values())


@pytest.mark.parametrize(
    ("tool", "arguments", "shown"),
    [
        ("get_court_code", {"identifier": "京0108"}, "北京市海淀区人民法院"),
        ("legal_article_retriever", {"identifier": "故意杀人的，处死刑"}, "故意杀人"),
        ("get_sum", {"identifier": [1, 2]}, "3"),
    ],
)
def test_the_tools_of_the_world_answer(
    tool: str, arguments: dict[str, object], shown: str, supplied: Path
) -> None:
    done = hengfa("world", "call", tool, json.dumps(arguments), cwd=supplied)
    assert (done.returncode, done.stderr) == (0, "")
    assert shown in done.stdout


def test_the_law_can_be_looked_up_and_cited(supplied: Path) -> None:
    shown = hengfa("law", "show", "民法典", "27.2.1", "--as-of", "2021-01-01", cwd=supplied)
    assert (shown.returncode, "ImCa0/just-laws@" in shown.stdout) == (0, True), shown
    (supplied / "brief.txt").write_text("依照《中华人民共和国民法典》第九千条，判决如下。", "utf-8")
    cited = hengfa("cite", "check", "brief.txt", "--as-of", "2024-01-01", cwd=supplied)
    assert "第九千条" in cited.stdout


@pytest.mark.parametrize(
    ("pack", "name"),
    [
        ("judge", "JuDGE"),
        ("legalagentbench", "LegalAgentBench"),
        ("guiding-cases", "guiding_cases"),
        ("statutes", "statutes"),
    ],
)
def test_what_was_given_out_before_is_still_added_and_verified(
    pack: str, name: str, shared: Path, tmp_path: Path
) -> None:
    done = hengfa("data", "add", pack, str(shared / "data" / name), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"{pack}: installed, verified" in done.stdout
    assert hengfa("data", "status", "--verify", pack, cwd=tmp_path).returncode == 0

"""Who graded is part of a score: what is compared, ranked and reported together."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.evals.grading.scripted import use_graders

from hengfa.base.errors import UsageError
from hengfa.cli.main import cli
from hengfa.evals.report.site.boards import boards, gather
from hengfa.evals.report.site.build import collect
from hengfa.evals.runs.compare import compare
from hengfa.evals.runs.evaluate import evaluate, grade
from hengfa.evals.runs.evidence import alike
from hengfa.evals.runs.folder import graders_of, read_figures
from hengfa.evals.runs.leaderboard import leaderboard
from hengfa.evals.runs.look import find_scored, list_runs
from hengfa.evals.runs.score import score_run
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.registry import get_suite

J1, J2 = "endpoint:J1", "endpoint:J2"
BOTH = f"mean of {J1}, {J2}"


@pytest.fixture(autouse=True, scope="module")
def two_graders() -> Iterator[None]:
    """The second gives a quarter of everything more."""
    with pytest.MonkeyPatch.context() as patching:
        use_graders(patching, {J1: lambda _one, _item: 0.5, J2: lambda _one, _item: 0.75})
        yield


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory, two_graders: None) -> Path:
    """Two models, both graded by both."""
    tmp_path = tmp_path_factory.mktemp("runs")
    for model in ("floor", "retrieval"):
        graded = evaluate("plawbench", model, data="sample", runs=tmp_path, name=model,
                          options={"penalties": "on"}, graders=[J1])  # fmt: skip
        grade(graded, J2)
    return tmp_path


@pytest.fixture
def runs(graded: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    shutil.copytree(graded, tmp_path, dirs_exist_ok=True)
    return tmp_path


def overall(folder: Path) -> float:
    return read_figures(folder)[Rules.OFFICIAL].figures["overall"]


def test_a_second_grader_leaves_the_first_score_as_it_is(runs: Path) -> None:
    there = graders_of(runs / "floor")
    assert {name: overall(place) for name, place in there.items()} == pytest.approx(
        {J1: 0.5, J2: 0.75}
    )
    before = {file: file.read_bytes() for file in there[J1].rglob("*") if file.is_file()}
    grade(runs / "floor", "keywords", J1, panel="median")
    assert all(file.read_bytes() == content for file, content in before.items()
               if file.suffix == ".json")  # fmt: skip
    assert list(graders_of(runs / "floor")) == [J1, J2, "keywords", f"median of {J1}, keywords"]
    (listed, _) = list_runs(runs)
    assert listed.figures[J1]["official"]["overall"] == pytest.approx(0.5)


def test_runs_graded_by_two_are_compared_by_the_grader_that_is_named(runs: Path) -> None:
    with pytest.raises(UsageError, match="scores of 2 graders"):
        compare("floor", "retrieval", runs=runs)
    alike = compare("floor", "retrieval", runs=runs, grader=J1)
    assert [run.grader for run in alike.runs] == [J1, J1]
    assert not alike.warnings
    assert alike.rows["overall"].estimates[0].value == pytest.approx(0.5)


def test_different_graders_are_compared_only_if_asked_and_with_how_far_they_differ(
    runs: Path,
) -> None:
    """The same answers, graded by two: the difference is the graders', and is said to be."""
    with pytest.raises(UsageError, match=f"graded by {J1} and by {J2}.*--across-graders"):
        compare(f"floor@{J1}", f"floor@{J2}", runs=runs)
    across = compare(f"floor@{J1}", f"floor@{J2}", runs=runs, across_graders=True)
    mixed, gap = across.warnings
    assert "different instruments" in mixed
    assert f"{J2} gives 25.0 points more than {J1}" in gap
    low, high = map(float, re.findall(r"95 % interval (\S+) to ([\d.]+)\)", gap)[0])
    assert low < 25.0 < high, "the interval is turned with the difference"
    assert [run.label for run in across.runs] == [f"floor@{J1}", f"floor@{J2}"]
    assert across.as_json()["warnings"] == [mixed, gap]


def test_a_grader_that_shares_no_answer_with_another_is_said_to_be_unknown(runs: Path) -> None:
    grade(runs / "floor", "keywords")
    across = compare("floor@keywords", f"retrieval@{J1}", runs=runs, across_graders=True)
    assert " points more than keywords (" in across.warnings[1]  # floor was graded by both
    alone = evaluate("plawbench", "ceiling", data="sample", runs=runs, graders=["naive"])
    across = compare(alone, f"retrieval@{J1}", runs=runs, across_graders=True)
    assert across.warnings[1].startswith("No answer here was graded by both")


def test_other_marking_is_another_instrument(runs: Path) -> None:
    score_run(runs / "retrieval", [Rules.OFFICIAL], options={"penalties": "off"})
    with pytest.raises(UsageError, match="penalties=on and penalties=off"):
        compare("floor", "retrieval", runs=runs, grader=J1)
    places = [find_scored(f"{name}@{J1}", runs) for name in ("floor", "retrieval")]
    assert [name for name, _ in alike(places, Rules.OFFICIAL)] == [
        f"{J1}, penalties=on",
        f"{J1}, penalties=off",
    ]


def test_a_leaderboard_ranks_each_grader_apart(runs: Path) -> None:
    board = leaderboard(get_suite("plawbench"), runs)
    assert {(place.group, place.rank) for place in board.places} == {(J1, 1), (J2, 1)}
    assert board.groups == [J1, J2]
    assert not board.warnings
    together = leaderboard(get_suite("plawbench"), runs, across_graders=True)
    assert [place.rank for place in together.places] == [1, 1, 3, 3]
    assert "by 2 graders" in together.warnings[0]
    assert f"{J2} gives 25.0 points more than {J1}" in together.warnings[1]


def test_published_rows_name_their_grader_and_are_ranked_apart(runs: Path) -> None:
    board = leaderboard(get_suite("plawbench"), runs, with_published=True)
    papers = [place for place in board.places if place.entry.run is None]
    assert {place.entry.grader for place in papers} == {"Gemini-3.0-Pro-Preview"}
    assert {place.group for place in papers} == {"the paper's Gemini-3.0-Pro-Preview"}
    assert papers[0].rank == 1
    assert papers[0].as_json()["grader"] == "Gemini-3.0-Pro-Preview"


def test_a_report_has_a_board_for_each_grader(runs: Path) -> None:
    sources = gather(["floor", "retrieval"], runs)
    assert [(board.setting, len(board.sources)) for board in boards(sources)] == [
        ("all-by-endpoint_J1", 2),
        ("all-by-endpoint_J2", 2),
    ]


def test_a_way_of_marking_is_refused_for_a_run(runs: Path) -> None:
    call = ["grade", "run", "floor", "--grader", J1, "--marking", "longest", "--runs", str(runs)]
    with pytest.raises(UsageError, match="--set marking=longest"):
        cli.main(call, standalone_mode=False)


def test_a_report_names_the_grader_of_a_papers_rows(runs: Path) -> None:
    rows = collect(gather(["floor", "retrieval"], runs)).published
    assert {row.setting for row in rows} == {"all-by-endpoint_J1", "all-by-endpoint_J2"}
    assert all(row.title.endswith("(Gemini-3.0-Pro-Preview)") for row in rows)
    assert {row.source.partition(", ")[2] for row in rows if ";" not in row.source} == {
        "graded by Gemini-3.0-Pro-Preview"
    }


def test_a_grader_who_is_asked_later_keeps_the_marking_of_before(runs: Path) -> None:
    """However a run was scored last, not as it was begun; who changes that is told so."""
    said: list[str] = []
    score_run(runs / "floor", [Rules.OFFICIAL], options={"marking": "unordered"},
              notify=said.append)  # fmt: skip
    assert said == ["floor: all its scores are now by marking=unordered (before: paper)"]
    before = overall(graders_of(runs / "floor")[J1])
    grade(runs / "floor", "keywords", notify=said.append)
    assert overall(graders_of(runs / "floor")[J1]) == before
    assert len(said) == 1
    for place in graders_of(runs / "floor").values():
        options = read_figures(place)[Rules.OFFICIAL].options
        assert options is not None and options["marking"] == "unordered"

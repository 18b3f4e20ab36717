"""Which runs a report is about: found by folder or name, numbered, what is passed over and why."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from hengfa.base.errors import UsageError
from hengfa.evals.report.site.boards import boards, gather
from hengfa.evals.suites.base import Rules
from tests.evals.report.made import Made, make_run

ONE = {"1-2": [Made(1.0), Made(0.0)]}


def test_runs_are_numbered_by_suite_setting_and_model_not_by_how_they_are_named(
    tmp_path: Path,
) -> None:
    make_run(tmp_path / "z", ONE, model="a")
    make_run(tmp_path / "y", ONE, model="floor", address="")
    make_run(tmp_path / "x", ONE, model="b")
    make_run(tmp_path / "w", ONE, model="c", setting="one_shot")
    make_run(tmp_path / "v", {"id": [Made(1.0)]}, model="d", suite="claw", setting="all")
    found = gather([str(tmp_path / "v"), str(tmp_path)])
    assert [one.name for one in found] == ["z", "x", "y", "w", "v"]
    assert [one.number for one in found] == [0, 1, 2, 3, 4]
    assert [one.builtin for one in found] == [False, False, True, False, False]
    assert [(one.suite.name, one.setting, len(one.sources)) for one in boards(found)] == [
        ("lawbench", "zero_shot", 3),
        ("lawbench", "one_shot", 1),
        ("claw", "all", 1),
    ]


def test_a_name_below_the_runs_folder_will_do(tmp_path: Path) -> None:
    make_run(tmp_path / "mine", ONE)
    assert [one.name for one in gather(["mine"], tmp_path)] == ["mine"]
    with pytest.raises(UsageError, match="no run 'yours'"):
        gather(["yours"], tmp_path)


def test_runs_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    make_run(tmp_path / "a" / "run", ONE)
    make_run(tmp_path / "b" / "run", ONE)
    assert [one.name for one in gather([str(tmp_path)])] == ["a/run", "b/run"]


def test_the_sample_pack_has_a_board_of_its_own_beside_real_data(tmp_path: Path) -> None:
    make_run(tmp_path / "real", ONE)
    make_run(tmp_path / "pack", ONE, data_source="sample")
    assert [one.setting for one in gather([str(tmp_path)])] == ["zero_shot", "zero_shot-sample"]
    assert [one.setting for one in gather([str(tmp_path / "pack")])] == ["zero_shot"]


def test_a_run_scored_before_responses_were_kept_is_said_and_passed_over(tmp_path: Path) -> None:
    make_run(tmp_path / "new", ONE)
    make_run(tmp_path / "old", ONE)
    shutil.rmtree(tmp_path / "old" / "responses")
    said: list[str] = []
    assert [one.name for one in gather([str(tmp_path)], notify=said.append)] == ["new"]
    (line,) = said
    assert "before responses were kept" in line
    assert f"hengfa score lawbench {tmp_path / 'old'}" in line
    with pytest.raises(UsageError, match="score them first"):
        gather([str(tmp_path / "old")])


def test_of_two_rule_sets_the_whole_one_is_shown(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", ONE)
    make_run(tmp_path / "run", ONE, rules=Rules.CORRECTED)
    (run / "responses" / "1-2.corrected.parquet").unlink()
    (found,) = gather([str(run)])
    assert list(found.figures) == [Rules.OFFICIAL]


def test_a_run_that_was_not_scored_is_said(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", ONE)
    (run / "figures.official.json").unlink()
    said: list[str] = []
    with pytest.raises(UsageError):
        gather([str(run)], notify=said.append)
    assert "not scored yet" in said[0]


@pytest.mark.parametrize(
    "manifest",
    [
        '{"suite": 7}',
        "[" * 100_000,
        "\ud800",
        '"suite": "nowhere"',
        '"format": 99',
        '"setting": "a\\u0000b"',
        '"setting": ""',
    ],
)
def test_one_bad_run_does_not_keep_the_others_from_being_shown(
    tmp_path: Path, manifest: str
) -> None:
    make_run(tmp_path / "good", ONE, model="a")
    make_run(tmp_path / "bad", ONE, model="b")
    file = tmp_path / "bad" / "run.json"
    if manifest.startswith('"'):  # a field of it
        fields = json.loads(file.read_text("utf-8")) | json.loads(f"{{{manifest}}}")
        manifest = json.dumps(fields)
    file.write_bytes(manifest.encode("utf-8", "surrogatepass"))
    said: list[str] = []
    assert [run.name for run in gather([str(tmp_path)], notify=said.append)] == ["good"]
    assert "passed over" in said[0] and "bad" in said[0]

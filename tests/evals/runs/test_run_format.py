"""A run's folder is all that looking at it takes: without its data, and of older versions too."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.evals.runs.scored import score_sample_pack
from tests.saved import floor, rows

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError
from hengfa.cli.main import cli
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.results.tables import read_table
from hengfa.evals.runs.evidence import read_evidence
from hengfa.evals.runs.folder import FORMAT, MANIFEST, read_figures, read_manifest
from hengfa.evals.runs.predictions import score_files
from hengfa.evals.suites.base import Rules, Sample
from hengfa.evals.suites.builtin import search_of
from hengfa.evals.suites.registry import get_suite

OLD = Path(__file__).parent / "format_1"
Printed = Callable[..., str]


@pytest.fixture
def hengfa(capsys: pytest.CaptureFixture[str]) -> Printed:
    """Runs a command in this process and gives what it printed."""

    def run(*arguments: str | Path) -> str:
        capsys.readouterr()
        cli.main([str(argument) for argument in arguments], standalone_mode=False)
        return capsys.readouterr().out

    return run


def looked_at(
    hengfa: Printed, suite: str, folders: list[Path], question: str, out: Path
) -> list[str]:
    """What every command that looks at runs says of them."""
    first, *_ = folders
    said = [
        hengfa("results", "--runs", first.parent, "--json"),
        hengfa("results", suite, "--runs", first.parent, "--json"),
        hengfa("show", first, question),
        hengfa("export", "csv", *folders, "-o", out / "records.csv"),
        hengfa("export", "markdown", *folders, "-o", out / "table.md"),
        hengfa("report", *folders, "-o", out / "site"),
    ]
    if len(folders) > 1:
        said.append(hengfa("compare", *folders, "--json"))
    return [*said, (out / "records.csv").read_text("utf-8"), (out / "table.md").read_text("utf-8")]


def mixed(task: str, sample: Sample, place: int) -> Response:
    asked = get_suite("lawbench").tasks[task]
    if place % 3 == 1:
        return Response(Status.REFUSED, "抱歉，我不能回答。", reason="refused")
    text = (asked.baselines.reference if place % 3 == 0 else search_of(asked).query)(sample)
    return Response(Status.ANSWERED, text)


def test_without_the_data_everything_is_shown_as_before(tmp_path: Path, hengfa: Printed) -> None:
    pack = tmp_path / "pack"
    shutil.copytree(sample_root() / "lawbench", pack)
    folders = [tmp_path / "runs" / name for name in ("a", "b")]
    tasks = ["1-1", "1-2", "2-1", "2-2"]
    for folder in folders:
        score_sample_pack(folder, folder.name, mixed, tasks=tasks)
        manifest = (folder / MANIFEST).read_text("utf-8")
        (folder / MANIFEST).write_text(manifest.replace('"sample"', json.dumps(str(pack))), "utf-8")
    before = looked_at(hengfa, "lawbench", folders, "2-1/1", tmp_path / "before")
    shutil.rmtree(pack)
    after = looked_at(hengfa, "lawbench", folders, "2-1/1", tmp_path / "after")
    assert [text.replace("/after", "/before") for text in after] == before
    assert "抱歉" in after[2]


def test_a_break_down_needs_no_data_either(tmp_path: Path, hengfa: Printed) -> None:
    folder = tmp_path / "runs" / "a"
    score_sample_pack(folder, "a", mixed, tasks=["2-2"])
    manifest = (folder / MANIFEST).read_text("utf-8")
    (folder / MANIFEST).write_text(manifest.replace('"sample"', '"/gone"'), "utf-8")
    said = json.loads(hengfa("results", "lawbench", "--run", folder, "--by", "focus", "--json"))
    task = said["tasks"]["2-2"]
    counted = sum(kind["n"] for kind in task["kinds"].values())
    assert (task["whole"]["n"], task["metric"]) == (counted, "accuracy")
    assert len(task["kinds"]) > 1


def test_a_prediction_whose_sample_is_unknown_today_breaks_no_board(
    tmp_path: Path, hengfa: Printed
) -> None:
    """Released predictions bring their own gold; today's data may lack the sample."""
    saved = rows("1-2", floor)
    saved[str(len(saved))] = {**saved["0"], "refr": "正确答案：A。", "prediction": "A"}
    saved[str(len(saved))] = {**saved["0"], "refr": "正确答案：A。", "prediction": ""}
    for model in ("甲", "乙"):
        file = tmp_path / "predictions" / "zero_shot" / model / "1-2.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(saved, ensure_ascii=False), "utf-8")
    suite = get_suite("lawbench")
    score_files(
        suite, [tmp_path / "predictions"], [Rules.OFFICIAL], data="sample", out=tmp_path / "runs"
    )
    folders = sorted((tmp_path / "runs").iterdir())
    said = looked_at(hengfa, "lawbench", folders, f"1-2/{len(saved) - 2}", tmp_path)
    assert len(json.loads(said[1])["rows"]) == 2
    board = json.loads(
        hengfa("results", "lawbench", "--task", "1-2", "--runs", tmp_path / "runs", "--json")
    )
    assert [row["rank"] for row in board["rows"]] == [1, 1]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Runs that the version before format numbers made, with refused and empty responses."""
    shutil.copytree(OLD, tmp_path / "old")
    return tmp_path / "old"


@pytest.mark.parametrize(("name", "question"), [("lawbench", "2-1/1"), ("plawbench", "case/1")])
def test_a_run_of_the_first_format_opens_in_every_command(
    old: Path, hengfa: Printed, tmp_path: Path, name: str, question: str
) -> None:
    folder = old / name
    assert read_manifest(folder).format == 1
    other = old / f"{name}-again"
    shutil.copytree(folder, other)
    said = looked_at(hengfa, name, [folder, other], question, tmp_path)
    assert "prompt" in said[2]
    for rules, figures in read_figures(folder).items():
        run = read_evidence(folder, rules)
        for task, saved in figures.tasks.items():
            counted = run.tasks.get(task)
            assert (len(counted.samples) if counted else 0) == saved.n


def test_a_run_of_the_first_format_is_scored_again_into_the_present_one(
    old: Path, hengfa: Printed
) -> None:
    hengfa("score", "lawbench", old / "lawbench", "--rules", "both")
    assert read_manifest(old / "lawbench").format == FORMAT
    table = read_table(old / "lawbench", "2-1", Rules.OFFICIAL)
    silent = [row for row, answer in enumerate(table.answers) if answer is None]
    assert silent
    assert all(table.columns["fn"][row] > 0 for row in silent)
    evidence = read_evidence(old / "lawbench", Rules.OFFICIAL)
    saved = read_figures(old / "lawbench")[Rules.OFFICIAL].tasks
    assert {task: part.value for task, part in evidence.tasks.items()} == {
        task: figure.score for task, figure in saved.items()
    }


def test_a_run_of_a_newer_format_is_refused_with_what_to_do(tmp_path: Path) -> None:
    score_sample_pack(tmp_path / "run", "m", mixed, tasks=["1-2"])
    assert read_manifest(tmp_path / "run").format == FORMAT
    file = tmp_path / "run" / MANIFEST
    newer = file.read_text("utf-8").replace(f'"format":{FORMAT}', f'"format":{FORMAT + 1}')
    file.write_text(newer, "utf-8")
    with pytest.raises(DataError, match="install a newer one"):
        read_manifest(tmp_path / "run")

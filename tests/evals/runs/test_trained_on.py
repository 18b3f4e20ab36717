"""Models that were trained on the test: their runs are marked wherever they are shown."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_cli import hengfa

from hengfa.base.errors import UsageError
from hengfa.evals.report.charts.vega import charting_library
from hengfa.evals.report.papers import get_paper, make_shelf
from hengfa.evals.report.site.boards import gather
from hengfa.evals.report.site.build import build_site, unpack
from hengfa.evals.runs.evaluate import evaluate
from hengfa.evals.runs.folder import TrainedOn, join_declarations, read_manifest
from hengfa.evals.runs.look import Run
from hengfa.evals.runs.merge import merge
from hengfa.train.rewards.data import Wanted, make_export

TASK = "lawbench/3-6"
REMARK = "trained on 4 of 8 questions"
taken_out = cache(charting_library)


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Four of the eight questions of a task to train on, the others held out."""
    wanted = Wanted(hold_out=0.3, data="sample")
    made = make_export(TASK, tmp_path / "tests", wanted, contaminate=True)
    assert made.rows == {"train": 4, "held_out": 4}
    return tmp_path / "tests"


def run(folder: Path, model: str = "ceiling", **more: Any) -> Run:
    return evaluate(TASK, model, data="sample", runs=folder / "runs", name=model, **more)


def test_a_run_says_what_its_model_was_trained_on(export: Path, tmp_path: Path) -> None:
    told: list[str] = []
    made = run(tmp_path, trained_on=[export], notify=told.append)
    [declared] = json.loads((made.folder / "run.json").read_bytes())["trained_on"]
    assert (declared["name"], declared["contaminates"]) == (TASK, [TASK])
    assert declared["seen"] == {"3-6": [4, 8]}
    assert read_manifest(made.folder).trained == REMARK
    assert any(REMARK in line for line in told)


def test_the_mark_stays_with_the_run_and_can_come_later(export: Path, tmp_path: Path) -> None:
    folder = run(tmp_path).folder
    assert read_manifest(folder).trained == ""
    run(tmp_path, trained_on=[export])
    run(tmp_path, trained_on=[export])
    run(tmp_path)
    assert read_manifest(folder).trained == REMARK
    assert len(read_manifest(folder).trained_on) == 1


def test_what_overlaps_with_nothing_leaves_no_mark(tmp_path: Path) -> None:
    make_export("numerals", tmp_path / "numerals", Wanted(rows=20))
    made = run(tmp_path, trained_on=[tmp_path / "numerals"])
    manifest = read_manifest(made.folder)
    assert [told.seen for told in manifest.trained_on] == [{"3-6": (0, 8)}]
    assert (manifest.seen_in_training, manifest.trained) == (None, "")


def test_laws_that_were_held_out_are_no_training(tmp_path: Path) -> None:
    wanted = Wanted(hold_out=0.3, data="sample", rows=60)
    make_export("recitation", tmp_path / "law", wanted)
    more: dict[str, Any] = {"data": "sample", "runs": tmp_path, "trained_on": [tmp_path / "law"]}
    every = evaluate("claw/content", "floor", name="every", **more)
    held = evaluate("claw/content", "floor", name="held", options={"held_out": "0.3"}, **more)
    assert read_manifest(every.folder).trained
    assert not read_manifest(held.folder).trained


def test_the_test_set_of_a_suite_marks_every_run_of_it() -> None:
    """Also where none of what was asked is found in it: other data, or other tasks."""
    folder_of = Path(__file__).parent / "format_1"
    manifest = read_manifest(next(file.parent for file in folder_of.rglob("run.json")))
    tests = TrainedOn("x", "1", (f"{manifest.suite}/1-1",))
    others = TrainedOn("y", "2", ("elsewhere/1-1",))
    marked = type(manifest)(**{**_fields(manifest), "trained_on": (others, tests)})
    assert (marked.seen_in_training, bool(marked.trained)) == ((0, 0), True)
    unmarked = type(manifest)(**{**_fields(manifest), "trained_on": (others,)})
    assert unmarked.trained == ""


def _fields(manifest: Any) -> dict[str, Any]:
    return {name: getattr(manifest, name) for name in manifest.__struct_fields__}


def test_declarations_of_one_export_are_one() -> None:
    first = TrainedOn("x", "1", (), {"1-1": (1, 2)})
    second = TrainedOn("x", "1", (), {"1-2": (0, 3)})
    other = TrainedOn("y", "2", (), {"1-1": (2, 2)})
    told = join_declarations([first, second, other])
    assert [each.seen for each in told] == [{"1-1": (1, 2), "1-2": (0, 3)}, {"1-1": (2, 2)}]


def test_a_folder_that_is_no_export_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no training data"):
        run(tmp_path, trained_on=[tmp_path])
    assert not (tmp_path / "runs").exists()


def test_merged_parts_keep_the_mark(export: Path, tmp_path: Path) -> None:
    parts = [run(tmp_path, shard=f"{part}/2", trained_on=[export] * (part == 2)) for part in (1, 2)]
    whole = merge(*(part.folder for part in parts), name="whole", runs=tmp_path / "runs")
    assert read_manifest(whole.folder).trained == REMARK


@pytest.fixture
def runs(export: Path, tmp_path: Path) -> Path:
    """One that was trained on the test, and one that was not."""
    run(tmp_path, trained_on=[export])
    run(tmp_path, "floor")
    return tmp_path / "runs"


def test_lists_boards_and_comparisons_are_marked(runs: Path) -> None:
    for words in ("results", "results lawbench", "results lawbench --task 3-6"):
        printed = " ".join(hengfa(*words.split(), cwd=runs.parent).stdout.split())
        assert printed.count("trained on") == 1, words
    board = json.loads(hengfa("results", "lawbench", "--json", cwd=runs.parent).stdout)
    assert {row["model"]: row.get("trained_on") for row in board["rows"]} == {
        "ceiling": REMARK, "floor": None,
    }  # fmt: skip
    compared = hengfa("compare", "ceiling", "floor", cwd=runs.parent).stdout
    assert f"! ceiling: {REMARK}" in compared
    document = json.loads(hengfa("compare", "ceiling", "floor", "--json", cwd=runs.parent).stdout)
    assert [entrant.get("trained_on") for entrant in document["runs"]] == [REMARK, None]
    assert any(REMARK in warning for warning in document["warnings"])


def test_exhibits_and_exported_tables_are_marked(runs: Path) -> None:
    paper = get_paper("lawbench")
    shelf = make_shelf(paper, [str(runs)], runs)
    marked = 0
    for plate in paper.plates:
        exhibit = paper.exhibit(plate, shelf)
        rows = {row.model: row for row in exhibit.rows if row.run}
        if "ceiling" not in rows:
            continue
        marked += 1
        assert rows["ceiling"].title.endswith("‡"), plate.id
        assert "floor" not in rows or "‡" not in rows["floor"].title
        assert any("‡" in remark for remark in exhibit.remarks("zh")), plate.id
        for value in exhibit.as_json()["values"]:  # none of a figure over more than was asked
            assert value["trained_on"] == value["row"].startswith("ceiling"), plate.id
    assert marked > 2
    hengfa("export", "latex", str(runs), "-o", "board.tex", cwd=runs.parent)
    table = (runs.parent / "board.tex").read_text("utf-8")
    assert r"ceiling \ddag{}" in table
    assert r"floor \ddag{}" not in table


def test_the_site_is_marked(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hengfa.evals.report.site.build.charting_library", taken_out)
    build_site(gather([str(runs)]), tmp_path / "site", built="2031-05-06T07:08:09+00:00")
    _, site = unpack((tmp_path / "site" / "data" / "site.js").read_bytes())
    told = {each["model"]: each.get("trained") for each in site["runs"]}
    assert told == {"ceiling": [4, 8], "floor": None}

"""`hengfa report`: a site from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.evals.report.made import Made, make_run

from hengfa.base.errors import UsageError
from hengfa.cli.main import cli

TASKS = {"1-2": [Made(1.0), Made(0.0)]}


def hengfa(*arguments: str | Path) -> None:
    cli.main([str(one) for one in arguments], standalone_mode=False)


def test_it_says_which_page_to_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path / "runs" / "a", TASKS)
    make_run(tmp_path / "runs" / "b", TASKS, model="乙")
    hengfa("report", "a", "b", "--runs", tmp_path / "runs", "-o", tmp_path / "site")
    printed = capsys.readouterr().out
    assert "a site of 2 runs" in printed
    assert str(tmp_path / "site" / "index.html") in printed
    assert (tmp_path / "site" / "data" / "site.js").is_file()


def test_a_folder_that_is_no_site_is_left_alone(tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "a", TASKS)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("x")
    with pytest.raises(UsageError, match="not ours"):
        hengfa("report", tmp_path / "runs", "-o", tmp_path / "notes")


def test_no_runs_is_a_wrong_call(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no runs below"):
        hengfa("report", tmp_path, "-o", tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_runs_that_share_no_sample_stand_side_by_side(tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "a", TASKS)
    make_run(tmp_path / "runs" / "b", {"1-1": [Made(1.0), Made(0.5)]}, model="乙")
    hengfa("report", tmp_path / "runs", "-o", tmp_path / "site")
    assert (tmp_path / "site" / "index.html").is_file()
    for kind in ("markdown", "latex"):
        words = ("a", "b", "--runs", tmp_path / "runs", "-o", tmp_path / f"table.{kind}")
        hengfa("export", kind, *words)
        assert "乙" in (tmp_path / f"table.{kind}").read_text("utf-8")

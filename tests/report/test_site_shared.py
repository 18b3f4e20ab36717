"""Built from the real predictions, the site shows the paper's figures."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

import pytest

from hengfa.report.site.collect import collect
from hengfa.report.site.gather import gather
from hengfa.runs.score import score_files
from hengfa.suites.base import Rules
from hengfa.suites.lawbench.suite import SUITE
from hengfa.workers import Processes

pytestmark = pytest.mark.shared
WHOLE = ("GPT4",)
QUICK = {"1-2", "2-2", "2-4", "2-8", "3-6", "3-7"}
"""Of the other models only tasks that take no time."""
ROUNDED = 0.5 * 1e-4 + 1e-9
"""Papers print per cent with two decimals."""


def test_released_cells_equal_the_published_ones(shared: Path, tmp_path: Path) -> None:
    released = shared / "data" / "LawBench" / "predictions" / "dev.tar.xz"
    with tarfile.open(released) as packed:
        packed.extractall(tmp_path / "all", filter="data")
    for file in (tmp_path / "all").rglob("*.json"):
        if file.stem not in QUICK and file.parent.name not in WHOLE:
            file.unlink()
    runs = tmp_path / "runs"
    data = str(shared / "data" / "LawBench")
    score_files(
        SUITE, [tmp_path / "all"], [Rules.OFFICIAL], data=data, out=runs, executor=Processes(2)
    )
    shutil.rmtree(tmp_path / "all")
    collected = collect(gather([str(runs)]))
    printed = {(one.setting, one.model): one for one in collected.published}
    compared = 0
    for run in collected.runs:
        row = printed[run.setting, run.model]
        scores = run.scores["official"]
        for task, cell in scores.cells.items():
            assert cell.score is not None
            assert cell.score.value == pytest.approx(row.tasks[task], abs=ROUNDED), (run.name, task)
            assert cell.score.low is not None
            assert cell.score.high is not None
            assert cell.score.low <= cell.score.value <= cell.score.high
            compared += 1
        for name, figure in scores.figures.items():
            assert figure.value == pytest.approx(row.figures[name], abs=2 * ROUNDED), run.name
    assert compared == 2 * 18 + 11 * len(QUICK)

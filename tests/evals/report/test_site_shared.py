"""Made of the real predictions, the site and the tables of the paper show the paper's figures."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from hengfa.base.workers import Processes
from hengfa.evals.report.papers import get_paper
from hengfa.evals.report.site.boards import Source, gather
from hengfa.evals.report.site.build import Collected, collect
from hengfa.evals.runs.predictions import score_files
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.lawbench.suite import SUITE
from tests.evals.report.made import differing_from_the_command

pytestmark = [pytest.mark.shared, pytest.mark.deep]
WHOLE = ("GPT4",)
QUICK = {"1-2", "2-2", "2-4", "2-8", "3-6", "3-7"}
"""Of the other models only tasks that take no time; all are scored in the tests of parity."""
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
    sources = gather([str(runs)])
    collected = collect(sources)
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
    assert compared_in_tables(sources) == compared + levels_of(collected)
    zero = [one for one in sources if one.setting == "zero_shot"][:4]
    assert differing_from_the_command(zero) == {6: []}


def levels_of(collected: Collected) -> int:
    """Of how many levels the runs have all tasks; none has them all, so none an average."""
    return sum(len(run.scores["official"].figures) for run in collected.runs)


def compared_in_tables(sources: Sequence[Source]) -> int:
    """Tables 24 to 31 of the paper, with the runs of its own predictions in them: the same again,
    cell by cell."""
    paper = get_paper("lawbench")
    shelf = paper.shelf(sources)
    compared = 0
    for number in (24, 25, 26, 27, 28, 29, 30, 31):
        plate = paper.plate(f"table-{number}")
        assert plate is not None
        made = paper.exhibit(plate, shelf)
        printed = {(row.model, row.setting): row.cells for row in made.rows if not row.run}
        assert len(printed) == 51
        for row in made.rows:
            if row.run and number not in (27, 31):
                for name, cell in row.cells.items():
                    shown = printed[row.model, row.setting][name].printed
                    off = abs(cell.value * 100 - float(shown))
                    assert off <= 100 * ROUNDED, (number, row.model, name)
                    compared += 1
    return compared

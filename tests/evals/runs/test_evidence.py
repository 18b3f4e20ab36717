"""Evidence read back from the records of a run: the same figures, with intervals."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.evals.runs.scored import Answering, score_sample_pack

from hengfa.base.errors import UsageError
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.runs.evidence import further_estimates, read_evidence
from hengfa.evals.runs.folder import MANIFEST
from hengfa.evals.suites.base import Rules, Sample
from hengfa.evals.suites.builtin import search_of
from hengfa.evals.suites.registry import get_suite

BOTH = (Rules.OFFICIAL, Rules.CORRECTED)


def mixed(suite: str) -> Answering:
    """Every third right, every third trivial, every third no answer."""
    tasks = get_suite(suite).tasks

    def answer(task: str, sample: Sample, place: int) -> Response:
        asked = tasks[task]
        if place % 3 == 1:
            return Response(Status.REFUSED, "抱歉，我不能回答。")
        text = (asked.baselines.reference if place % 3 == 0 else search_of(asked).query)(sample)
        return Response(Status.ANSWERED, text)

    return answer


@pytest.mark.parametrize("suite", ["lawbench", "claw", "legalagentbench", "judgment"])
def test_every_figure_is_that_of_scoring_also_where_responses_are_no_answers(
    suite: str, tmp_path: Path
) -> None:
    outcomes = score_sample_pack(tmp_path / "run", "m", mixed(suite), suite=suite, rules=BOTH)
    for rules, outcome in outcomes.items():
        run = read_evidence(tmp_path / "run", rules)
        found = run.estimates(draws=200)
        for task, figure in outcome.tasks.items():
            assert found[task].value == figure.score
            assert found[task].samples == figure.n
        for name, value in outcome.figures.items():
            assert found[name].value == value
        drawn = run.drawn(draws=50)
        for task, figure in outcome.tasks.items():
            more = drawn[task].more()
            values = {name: one.value for name, one in more.items()}
            assert values == pytest.approx(dict(figure.more), abs=1e-12)
        further = further_estimates(run, drawn)
        values = {name: one.value for name, one in further.items()}
        assert values == pytest.approx(outcome.further, abs=1e-12)


def test_what_no_answer_counts_is_part_of_the_evidence(tmp_path: Path) -> None:
    """2-1: silence misses every edit of the gold."""
    score_sample_pack(tmp_path / "run", "m", mixed("lawbench"), tasks=["2-1"])
    run = read_evidence(tmp_path / "run", Rules.OFFICIAL)
    silent = run.tables["2-1"].columns["fn"][1::3]
    assert (silent >= 0).all()
    assert silent.sum() > 0


def test_further_figures_know_which_tasks_they_are_of(tmp_path: Path) -> None:
    score_sample_pack(tmp_path / "run", "m", mixed("legalagentbench"), suite="legalagentbench")
    run = read_evidence(tmp_path / "run", Rules.OFFICIAL)
    found = further_estimates(run, run.drawn(draws=50))
    one, every = found["success/1-hop"], found["success/all"]
    assert one.samples == len(run.tasks["1-hop"].samples)
    assert every.samples == sum(len(task.samples) for task in run.tasks.values())


def test_clusters_are_those_of_the_records(tmp_path: Path) -> None:
    score_sample_pack(tmp_path / "run", "m", mixed("claw"), suite="claw")
    run = read_evidence(tmp_path / "run", Rules.OFFICIAL)
    laws = set(run.tables["id"].clusters)
    found = run.estimates(draws=50)["id"]
    assert found.clusters == len(laws) < found.samples


def test_records_without_clusters_are_read_as_before(tmp_path: Path) -> None:
    score_sample_pack(tmp_path / "run", "m", mixed("claw"), suite="claw", tasks=["id"])
    file = tmp_path / "run" / "records" / "id.official.parquet"
    pl.read_parquet(file).drop("cluster").write_parquet(file)
    run = read_evidence(tmp_path / "run", Rules.OFFICIAL)
    found = run.estimates(draws=50)["id"]
    assert found.clusters == found.samples > 1


def test_a_run_that_is_not_scored_says_how_to_score_it(tmp_path: Path) -> None:
    score_sample_pack(tmp_path / "run", "m", mixed("lawbench"), tasks=["1-2"])
    with pytest.raises(UsageError, match=r"hengfa score lawbench .*run --rules corrected"):
        read_evidence(tmp_path / "run", Rules.CORRECTED)


def test_data_that_has_changed_since_does_not_matter(tmp_path: Path) -> None:
    score_sample_pack(tmp_path / "run", "m", mixed("lawbench"), tasks=["2-1"])
    before = read_evidence(tmp_path / "run", Rules.OFFICIAL).estimates(draws=50)
    file = tmp_path / "run" / MANIFEST
    gone = file.read_text("utf-8").replace('"data":"', '"data":"0').replace('"sample"', '"/gone"')
    file.write_text(gone, "utf-8")
    assert read_evidence(tmp_path / "run", Rules.OFFICIAL).estimates(draws=50) == before

"""CLaw as a whole: what no answer earns, its figures, and by what they can be taken apart."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean

import pytest
from click.testing import CliRunner
from tests.evals.suites.claw_provision import GOLD, sample
from tests.scoring import faceted_table, score_response

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import UsageError
from hengfa.cli.main import cli
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.results.figures import ABSTAINED, TaskFigures, TaskTable
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.claw import locating, reciting
from hengfa.evals.suites.claw.dataset import IN_FORCE, LAW, ClawSample, facets_of, load, period
from hengfa.evals.suites.claw.suite import ID, SUITE, id_form
from hengfa.evals.suites.scoring import Scored


@pytest.mark.parametrize("task", ["id", "content"])
def test_silence_earns_nothing_and_is_no_abstention(task: str) -> None:
    one = sample(bertscore="somewhere" if task == "content" else "")
    rule_set = SUITE.tasks[task].rule_set(Rules.OFFICIAL)
    scored = score_response(rule_set, one, Response(Status.TRUNCATED, text=GOLD))
    assert scored.answer is None
    assert scored.metrics[SUITE.tasks[task].metric] == 0
    assert scored.metrics.get(ABSTAINED, 0) == 0
    if task == "content":
        assert scored.metrics[reciting.EDITS] == len(GOLD)
        assert scored.metrics[reciting.BERTSCORE] == 0


def test_every_fix_is_one_of_a_task_and_has_a_sentence() -> None:
    used = {name: said for task in SUITE.tasks.values() for name, said in task.fixes.items()}
    assert used == {**locating.FIXES, **reciting.FIXES}
    assert all(used.values())


def test_figures_are_the_main_metrics_by_name() -> None:
    assert SUITE.figures({"id": 0.5, "content": 0.25}) == {"article_accuracy": 0.5, "rouge_l": 0.25}
    assert SUITE.figures({"content": 0.25}) == {"rouge_l": 0.25}


# --- kinds ---


@pytest.fixture(scope="module")
def samples() -> list[ClawSample]:
    return load("id", sample_root() / "claw", "all", {})


def scored_as(one: ClawSample, text: str, status: Status = Status.ANSWERED) -> Scored:
    return score_response(ID.rule_set(Rules.OFFICIAL), one, Response(status, text=text))


def table(*scored: Scored) -> TaskTable:
    kinds = [facets_of(one.sample) for one in scored]  # type: ignore[arg-type]
    return faceted_table(scored, kinds, ID.cluster)


def figure(of: TaskTable) -> TaskFigures:
    return of.figure(ID.recipe(Rules.OFFICIAL))


def test_a_law_with_many_entries_counts_once_by_statute(samples: list[ClawSample]) -> None:
    """All right in one law, nothing in the four others."""
    right = "月湖渡船法"
    known = table(*(scored_as(s, id_form(s.position) if s.law == right else "") for s in samples))
    share = sum(s.law == right for s in samples) / len(samples)
    by_law = {law: figure(part).score for law, part in known.by(LAW).items()}
    assert figure(known).n == len(samples)
    assert figure(known).score == pytest.approx(share)
    assert fmean(score or 0 for score in by_law.values()) == pytest.approx(1 / 5)
    assert by_law[right] == 1
    assert figure(known.answering()).n == share * len(samples)
    assert figure(known.answering()).score == 1


def test_every_facet_holds_every_sample_once(samples: list[ClawSample]) -> None:
    known = table(*(scored_as(one, id_form(one.position)) for one in samples))
    groups = {name: known.by(name) for name in facets_of(samples[0])}
    assert [*groups] == ["level", "promulgated", "version", "in force on that day", "law"]
    for group in groups.values():
        assert sum(figure(part).n for part in group.values()) == len(samples)
    assert groups["level"].keys() == {"article", "paragraph", "item"}
    assert groups["version"].keys() == {"latest", "superseded"}
    in_force = groups["in force on that day"]
    assert in_force.keys() == {"same", "assumed", "other", "not yet"}
    judged = locating.ARTICLE + IN_FORCE
    assert judged in figure(in_force["other"]).more
    assert judged not in figure(in_force["same"]).more


def test_no_answer_is_not_among_the_answered() -> None:
    known = table(
        scored_as(sample(), ""),
        scored_as(sample(), "", Status.FAILED),
        scored_as(sample(), "条序号：5\n款序号：1"),
    )
    assert figure(known.answering()).n == 1


def test_nothing_is_taken_apart_without_failing() -> None:
    assert figure(table()).n == 0
    assert figure(table()).score is None
    assert figure(table()).more == {}
    assert table().by(LAW) == {}


@pytest.mark.parametrize(
    ("year", "said"),
    [
        (1954, "1949–1979"),
        (1982, "1980–1989"),
        (2015, "2015–2019"),
        (2022, "2020–2022"),
        (2025, "2023–"),
    ],
)
def test_periods(year: int, said: str) -> None:
    one = sample()
    assert period(sample(version=one.version.replace(year=year))) == said


def test_a_run_is_taken_apart_by_law_and_level(tmp_path: Path) -> None:
    runner = CliRunner()
    runs = ["--runs", str(tmp_path)]
    made = runner.invoke(
        cli, ["eval", "claw", "--model", "floor", "--data", "sample", "--rules", "both", *runs]
    )
    assert made.exit_code == 0, made.output
    results = ["results", "claw", "--run", "claw-all-floor-sample", *runs]
    shown = runner.invoke(cli, [*results, "--by", "law", "--task", "id"])
    assert shown.exit_code == 0, shown.output
    for word in ("all", "mean of kinds", "月湖渡船法", "article_accuracy"):
        assert word in shown.output
    told = runner.invoke(
        cli, [*results, "--by", "level", "--task", "content", "--rules", "corrected", "--json"]
    )
    document = json.loads(told.output)
    assert ([*document["tasks"]], document["rules"]) == (["content"], "corrected")
    assert document["tasks"]["content"]["mean_of_kinds"] > 0
    assert document["tasks"]["content"]["whole"]["more"]["rouge_l_char"] > 0
    assert document["tasks"]["content"]["kinds"]["item"]["n"] > 0
    for arguments, said in (
        (["--by", "law", "--task", "case"], "has no task 'case'"),
        (["--by", "law", "--metric", "f1"], "there is: paragraph_accuracy"),
    ):
        refused = runner.invoke(cli, [*results, *arguments])
        assert isinstance(refused.exception, UsageError) and said in str(refused.exception)
    asked = ["eval", "claw/content", "--model", "floor", "--data", "sample", *runs]
    refused = runner.invoke(cli, [*asked, "--set", "bertscore=bert-base-chinese"])
    assert isinstance(refused.exception, UsageError)
    assert "models are not downloaded" in str(refused.exception)

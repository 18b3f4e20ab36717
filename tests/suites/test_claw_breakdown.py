"""Scores of CLaw taken apart: by entry and by statute, by law, level, age and reading."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hengfa.suites.claw.breakdown import GROUPS, breakdown, period
from tests.scoring import score_response
from tests.suites.test_claw_score import sample

from hengfa.cli.claw import command
from hengfa.cli.main import cli
from hengfa.engine.messages import Response, Status
from hengfa.errors import UsageError
from hengfa.suites.base import Rules
from hengfa.suites.claw import score
from hengfa.suites.claw.baselines import id_form
from hengfa.suites.claw.dataset import ClawSample, load
from hengfa.suites.claw.suite import SUITE
from hengfa.suites.plan import sample_root
from hengfa.suites.scoring import Scored


@pytest.fixture(scope="module")
def samples() -> list[ClawSample]:
    return load("id", sample_root() / "claw", "all", {})


def scored_as(one: ClawSample, text: str, status: Status = Status.ANSWERED) -> Scored:
    rule_set = SUITE.tasks["id"].rule_set(Rules.OFFICIAL)
    return score_response(rule_set, one, Response(status, text=text))


def test_a_law_with_many_entries_counts_once_by_statute(samples: list[ClawSample]) -> None:
    """All right in one law, nothing in the four others."""
    right = "月湖渡船法"
    scored = [scored_as(s, id_form(s.position) if s.law == right else "") for s in samples]
    found = breakdown(scored)
    share = sum(s.law == right for s in samples) / len(samples)
    assert found.n == len(samples)
    assert found.by_entry[score.ARTICLE] == pytest.approx(share)
    assert found.by_statute[score.ARTICLE] == pytest.approx(1 / 5)
    assert found.groups["law"][right].metrics[score.ARTICLE] == 1
    assert found.answered.n == share * len(samples)
    assert found.answered.metrics[score.ARTICLE] == 1


def test_every_group_holds_every_sample_once(samples: list[ClawSample]) -> None:
    found = breakdown([scored_as(one, id_form(one.position)) for one in samples])
    assert found.groups.keys() == GROUPS.keys()
    for group in found.groups.values():
        assert sum(means.n for means in group.values()) == len(samples)
    assert found.groups["level"].keys() == {"article", "paragraph", "item"}
    assert found.groups["version"].keys() == {"latest", "superseded"}
    assert found.groups["in force on that day"].keys() == {"same", "assumed", "other", "not yet"}
    judged = score.ARTICLE + score.IN_FORCE
    assert judged in found.groups["in force on that day"]["other"].metrics
    assert judged not in found.groups["in force on that day"]["same"].metrics


def test_no_answer_is_not_among_the_answered() -> None:
    scored = [
        scored_as(sample(), ""),
        scored_as(sample(), "", Status.FAILED),
        scored_as(sample(), "条序号：5\n款序号：1"),
    ]
    assert breakdown(scored).answered.n == 1


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


def test_nothing_is_taken_apart_without_failing() -> None:
    found = breakdown([])
    assert (found.n, found.by_entry, found.by_statute) == (0, {}, {})


def test_the_command_prints_a_table_or_json(tmp_path: Path) -> None:
    runner = CliRunner()
    runs = ["--runs", str(tmp_path)]
    made = runner.invoke(cli, ["eval", "claw", "--model", "floor", "--data", "sample", *runs])
    assert made.exit_code == 0, made.output
    name = "claw-all-floor-sample"
    table = runner.invoke(command, ["breakdown", name, *runs])
    assert table.exit_code == 0, table.output
    for word in ("by entry", "by statute", "level: item", "月湖渡船法", "article_accuracy"):
        assert word in table.output
    told = runner.invoke(
        command, ["breakdown", name, "--task", "content", "--rules", "corrected", "--json", *runs]
    )
    document = json.loads(told.output)
    assert (document["task"], document["rules"]) == ("content", "corrected")
    assert document["breakdown"]["by_statute"]["rouge_l_char"] > 0
    assert document["breakdown"]["groups"]["level"]["item"]["n"] > 0
    for arguments, said in (
        (["--task", "case"], "has no provisions for 'case'"),
        (["--metric", "f1"], "--metric: there is article_accuracy"),
        (["--bertscore", "bert-base-chinese"], "models are not downloaded"),
    ):
        refused = runner.invoke(command, ["breakdown", name, *arguments, *runs])
        assert isinstance(refused.exception, UsageError) and said in str(refused.exception)

"""A run by kinds of samples: the same figures as elsewhere, for each kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.evals.runs.scored import score_sample_pack

from hengfa.base.errors import UsageError
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.runs.breakdown import break_down
from hengfa.evals.runs.folder import read_figures
from hengfa.evals.suites.base import Rules, Sample
from hengfa.evals.suites.builtin import search_of
from hengfa.evals.suites.registry import get_suite

CLAW = get_suite("claw")


def mixed(task: str, sample: Sample, place: int) -> Response:
    """Right, trivial and no answer in turn."""
    asked = CLAW.tasks[task]
    if place % 3 == 1:
        return Response(Status.REFUSED, "")
    answer = asked.baselines.reference if place % 3 else search_of(asked).query
    return Response(Status.ANSWERED, answer(sample))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    score_sample_pack(folder, "m", mixed, suite="claw")
    return folder


@pytest.mark.parametrize("facet", ["law", "level", "version"])
def test_kinds_together_are_the_whole(run: Path, facet: str) -> None:
    saved = read_figures(run)[Rules.OFFICIAL].tasks
    for task in break_down(run, facet).tasks:
        whole = task.whole.figure
        assert (whole.score, whole.n) == (saved[task.task.id].score, saved[task.task.id].n)
        parts = [part.figure for part in task.kinds.values()]
        assert sum(part.n for part in parts) == whole.n
        total = sum(part.n * (part.score or 0.0) for part in parts)
        assert total / whole.n == pytest.approx(whole.score)
        for name, value in whole.more.items():
            counted = [part.more[name] for part in parts if name in part.more]
            assert min(counted) <= value <= max(counted)


def test_what_is_no_answer_counts_in_the_whole_and_not_among_those_who_answered(run: Path) -> None:
    (task, *_) = break_down(run, "level", tasks=["content"]).tasks
    assert task.whole.estimate is not None
    assert task.answered.estimate is not None
    assert task.answered.estimate.value > task.whole.estimate.value
    assert task.answered.figure.n < task.whole.figure.n


def test_a_law_is_judged_by_its_own_provisions(run: Path) -> None:
    """All samples of a law are one cluster; of one cluster alone nothing could be said."""
    (task, *_) = break_down(run, "law", tasks=["id"]).tasks
    largest = max(task.kinds.values(), key=lambda part: part.figure.n)
    assert largest.estimate is not None
    assert largest.estimate.clusters == largest.figure.n > 1
    assert task.whole.estimate is not None
    assert task.whole.estimate.clusters == len(task.kinds)


def test_every_kind_counts_the_same_in_their_mean(run: Path) -> None:
    (task, *_) = break_down(run, "level", metric="rouge_l_char", tasks=["content"]).tasks
    values = [part.figure.more["rouge_l_char"] for part in task.kinds.values()]
    assert task.mean_of_kinds == pytest.approx(sum(values) / len(values))


@pytest.mark.parametrize(
    ("facet", "asked", "said"),
    [
        ("colour", {}, "no sample has a 'colour'; there is: level, promulgated"),
        ("law", {"metric": "beauty"}, "there is no 'beauty'; there is: paragraph_accuracy"),
        ("law", {"tasks": ["3-1"]}, "has no task '3-1'"),
    ],
)
def test_what_is_not_there_is_answered_with_what_is(
    run: Path, facet: str, asked: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        break_down(run, facet, **asked)  # type: ignore[arg-type]

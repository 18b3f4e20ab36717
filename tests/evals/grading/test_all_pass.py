"""All-pass: whether an answer earns every critical item in full."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hengfa.evals.engine.messages import Options
from hengfa.evals.grading.graded import combine
from hengfa.evals.grading.marking import mark
from hengfa.evals.grading.prompt import grade_request
from hengfa.evals.grading.rubric import Deduction, Gate, Item, Mark, Penalty, Rubric, earns_all
from hengfa.evals.grading.rubric_file import read_rubric
from hengfa.evals.grading.submission import read_responses
from hengfa.evals.runs.grading import Marked, Marking
from hengfa.evals.suites.plawbench.dataset import CASE, CONSULTATION, DEFENDANT, PLAINTIFF, load
from tests.evals.grading.rubric_yaml import write_rubric
from tests.evals.grading.rubrics import (
    BREACH,
    DEPOSIT,
    NOTICE,
    RESPONSE,
    award,
    fault,
    item,
    reply,
    rubric,
    section,
    sheet,
    strict,
    submission,
)

LIMIT = Item("limit", "时效已过", 5, critical=True)
MARKED = rubric(section(LIMIT, item("detail")))
UNMARKED = rubric(section(item("a"), item("b")), section(item("aside"), id="beside", counts=False))


def marked(by: Rubric, *awards: dict[str, Any], faults: tuple[str, ...] = ()) -> Mark:
    said = reply(*awards, faults=[fault(name) for name in faults])
    return mark(submission(by), sheet(said))


def test_only_the_items_that_are_marked_are_critical() -> None:
    only = marked(MARKED, award("limit", 5, DEPOSIT), award("detail", 0))
    assert earns_all(MARKED, only) is True
    everything_else = marked(MARKED, award("limit", 4, DEPOSIT), award("detail", 5, BREACH))
    assert earns_all(MARKED, everything_else) is False


def test_where_none_is_marked_every_item_that_counts_is() -> None:
    beside = award("aside", 0)
    assert earns_all(
        UNMARKED, marked(UNMARKED, award("a", 5, DEPOSIT), award("b", 5, BREACH), beside)
    )
    short = marked(UNMARKED, award("a", 5, DEPOSIT), award("b", 4.5, BREACH), beside)
    assert earns_all(UNMARKED, short) is False


def test_what_a_grader_left_open_is_open_unless_another_item_fails() -> None:
    both = rubric(section(LIMIT, Item("court", "管辖", 5, critical=True)))
    assert earns_all(both, marked(both, award("limit", 5, DEPOSIT))) is None
    assert earns_all(both, marked(both, award("limit", 0))) is False


def test_deductions_gates_order_and_penalties_count() -> None:
    cut = rubric(section(Item("a", "a", 5, deductions=(Deduction("d", "漏", 1),), critical=True)))
    assert earns_all(cut, marked(cut, award("a", 5, DEPOSIT), faults=("d",))) is False
    closed = rubric(section(LIMIT, item("b"), gates=(Gate("g", "全错", 5),)))
    full = (award("limit", 5, DEPOSIT), award("b", 5, BREACH))
    assert earns_all(closed, marked(closed, *full)) is True
    assert earns_all(closed, marked(closed, *full, faults=("g",))) is False
    steps = rubric(section(item("x"), item("y"), order=strict("x", "y")))
    assert earns_all(steps, marked(steps, award("x", 5, BREACH), award("y", 5, NOTICE))) is True
    assert earns_all(steps, marked(steps, award("x", 5, NOTICE), award("y", 5, BREACH))) is False
    worst = rubric(section(LIMIT), penalties=[Penalty("p", "教人作假", 0, all=True)])
    assert earns_all(worst, marked(worst, award("limit", 5, DEPOSIT), faults=("p",))) is False


def test_awards_without_evidence_count_unless_only_backed_ones_do() -> None:
    made_up = marked(MARKED, award("limit", 5, "没有写过的话"), award("detail", 0))
    assert earns_all(MARKED, made_up) is True
    assert earns_all(MARKED, made_up, backed=True) is False


def test_a_panel_earns_what_its_mean_earns() -> None:
    full = marked(MARKED, award("limit", 5, DEPOSIT), award("detail", 0))
    less = marked(MARKED, award("limit", 4, DEPOSIT), award("detail", 0))
    assert earns_all(MARKED, combine([full, full, full], "mean")) is True
    assert earns_all(MARKED, combine([full, full, less], "mean")) is False
    assert earns_all(MARKED, combine([full, full, less], "majority")) is True


def test_graders_are_not_told_and_grades_stand_when_marks_change(tmp_path: Path) -> None:
    plain = MARKED.with_critical(())
    assert plain != MARKED and MARKED.as_graded() == plain and plain.as_graded() is plain
    options = Options()
    assert grade_request(submission(MARKED), options) == grade_request(submission(plain), options)
    file = tmp_path / "responses.jsonl"
    file.write_text(json.dumps({"id": 1, "response": RESPONSE}) + "\n", encoding="utf-8")
    keys = {read_responses(file, by)[0].key for by in (MARKED, plain)}
    assert len(keys) == 1


def test_a_file_can_mark_them(tmp_path: Path) -> None:
    write_rubric(MARKED, tmp_path / "r.yaml")
    assert read_rubric(tmp_path / "r.yaml") == MARKED


def test_the_share_of_responses_stands_beside_the_rate() -> None:
    passes = marked(MARKED, award("limit", 5, DEPOSIT), award("detail", 0))
    fails = marked(MARKED, award("limit", 0), award("detail", 5, BREACH))
    open_ = marked(MARKED, award("detail", 5, BREACH))
    several = [Marked(submission(MARKED), {"g": (of,)}) for of in (passes, fails, open_)]
    document = Marking(several, ["g"]).as_json()
    assert document["figures"]["g"]["all_pass"] is None  # while one of them is open
    assert Marking(several[:2], ["g"]).as_json()["figures"]["g"]["all_pass"] == 0.5
    assert [row["all_pass"] for row in document["submissions"]] == [
        {"g": [True]}, {"g": [False]}, {"g": [None]},
    ]  # fmt: skip


def test_awards_without_evidence_are_nought_in_the_figures_of_own_rubrics() -> None:
    mark = marked(MARKED, award("limit", 5), award("detail", 5, BREACH))
    made = Marking([Marked(submission(MARKED), {"g": (mark,)})], ["g"])
    figures = made.figures("g")
    worth = 5 / MARKED.maximum
    assert (figures["rate"], figures["awarded_rate"]) == (worth, 2 * worth)
    assert figures["all_pass"] == 0


def test_an_answer_that_is_graded_again_passes_as_often_as_it_passed() -> None:
    passes = marked(MARKED, award("limit", 5, DEPOSIT), award("detail", 0))
    fails = marked(MARKED, award("limit", 0), award("detail", 5, BREACH))
    twice = [Marked(submission(MARKED), {"g": (passes, fails)})]
    assert Marking(twice, ["g"]).figures("g")["all_pass"] == 0.5


@pytest.mark.parametrize(
    ("task", "critical", "unmarked"),
    [(CONSULTATION, 59, 2), (CASE, 396, 0), (PLAINTIFF, 0, 6), (DEFENDANT, 0, 6)],
)
def test_what_is_critical_in_the_release(
    shared: Path, task: str, critical: int, unmarked: int
) -> None:
    rubrics = [sample.rubric for sample in load(task, shared / "data/PLawbench", "all", {})]
    assert sum(one.critical for by in rubrics for one in by.items()) == critical
    assert sum(not any(one.critical for one in by.items()) for by in rubrics) == unmarked

"""The same verdicts make the same marks, wherever they are counted and however many give them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evals.grading.rubrics import DEPOSIT, NOTICE, RESPONSE, VALID, graded_by
from tests.evals.grading.test_rubric_file import rubrics
from tests.evals.suites.test_plawbench_score import sample, scored

from hengfa.cli.main import cli
from hengfa.evals.engine.session import Sitting
from hengfa.evals.grading.graded import How, combine
from hengfa.evals.grading.marking import Choices, Way, mark
from hengfa.evals.grading.rubric import Deduction, ItemMark, Mark, Rubric, SectionMark
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import Reply, Sheet, verdict_code
from hengfa.evals.results.tables import read_table
from hengfa.evals.runs.grading import GraderChoice, grade_own
from hengfa.evals.runs.look import choose_scores
from hengfa.evals.suites.base import GradedRuleSet, Rules
from hengfa.evals.suites.plawbench.dataset import CONSULTATION, TASKS
from hengfa.evals.suites.plawbench.rules import WAYS, points_by, submission
from hengfa.evals.suites.plawbench.suite import SUITE

HOW: tuple[How, ...] = ("mean", "median", "majority")
QUOTED = (DEPOSIT, VALID, NOTICE, "没有写过的话")


def verdict(seen: Submission, seed: int, reason: str = "") -> str:
    """Some points for most items, some faults: a function of the seed."""
    rubric = seen.rubric
    draw = random.Random(seed)
    awards: list[dict[str, Any]] = []
    for item in rubric.items():
        if draw.random() < 0.1:
            continue
        entry: dict[str, Any] = {"id": item.id, "reason": reason}
        entry["evidence"] = draw.sample(QUOTED, draw.choice((0, 1, 1, 2)))
        if item.levels:
            entry["level"] = draw.choice(item.levels).name
        else:
            entry["points"] = draw.choice((0.0, item.maximum, draw.uniform(0, item.maximum)))
        awards.append(entry)
    faults: list[dict[str, Any]] = []
    for fault in rubric.faults():
        if draw.random() < 0.3:
            most = fault.most if isinstance(fault, Deduction) else None
            faults.append({"id": fault.id, "times": draw.randint(1, 3), "points": most})
    said = {"awards": awards, "faults": faults, "code": verdict_code(seen.response)}
    return json.dumps(said, ensure_ascii=False)


def sheet(text: str, grader: str = "g") -> Sheet:
    return Sheet(grader, (Reply("grade", "answered", text),))


def numbers(of: Mark) -> list[object]:
    """All points of a mark, from the whole down to the items."""
    parts: list[Mark | SectionMark | ItemMark] = [of, *of.sections, *of.items()]
    return [(part.points, part.lenient, part.backed) for part in parts]


@settings(deadline=None, max_examples=50)
@given(rubric=rubrics(), seed=st.integers(0, 2**32), how=st.sampled_from(HOW))
def test_eval_and_panels_agree_with_one_grader_to_the_last_digit(
    rubric: Rubric, seed: int, how: How
) -> None:
    """Tiers, caps below zero, orders and penalties; graders who agree but for their reasons."""
    one = sample(CONSULTATION, rubric)
    submitted = submission(one, RESPONSE)
    sheets = [sheet(verdict(submitted, seed, reason=f"理由{n}"), grader=f"g{n}") for n in range(3)]
    rule_set = SUITE.tasks[CONSULTATION].rule_set(Rules.OFFICIAL)
    assert isinstance(rule_set, GradedRuleSet)
    alone, together = (
        rule_set.grade(one, rule_set.read(RESPONSE), graded).metrics
        for graded in (graded_by(submitted, sheets[0]), graded_by(submitted, *sheets, rule=how))
    )
    for way in WAYS:
        choices = Choices(*way)
        marks = [mark(submitted, said, choices) for said in sheets]
        for graders in (1, 2, 3):
            assert numbers(combine(marks[:graders], how)) == numbers(marks[0])
        panel = graded_by(submitted, *sheets, rule=how)
        assert numbers(panel.mark(choices)) == numbers(marks[0])
        assert alone[points_by(*way)] == together[points_by(*way)]
        assert alone[points_by(*way)] == marks[0].points or marks[0].ungraded


@settings(deadline=None, max_examples=15)
@given(rubric=rubrics(), seed=st.integers(0, 2**32), way=st.sampled_from(Way))
def test_a_file_of_responses_is_marked_as_a_run_is(
    tmp_path_factory: pytest.TempPathFactory, rubric: Rubric, seed: int, way: Way
) -> None:
    """By one grader and by two that say the same; the file goes through `hengfa grade run`."""
    one = sample(CONSULTATION, rubric, marking=way)
    submitted = submission(one, RESPONSE)
    text = verdict(submitted, seed)
    expected = scored(one, sheet(text), text=RESPONSE).metrics["points"]
    graders = [GraderChoice(name, sitting=Sitting(progress=False)) for name in BOTH]
    for some in (graders[:1], graders):
        folder = tmp_path_factory.mktemp("own")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("hengfa.evals.grading.keywords.keyword_reply", lambda _seen: text)
            rule: How | None = "mean" if len(some) > 1 else None
            made = grade_own(folder, [submitted], some, Choices(way), rule)
        assert [marked.marks[made.scorers[-1]][0].points for marked in made.marked] == [expected]


BOTH = ("keywords", "naive")
"""Both say what the patched rule says."""


def test_the_commands_agree_where_a_gate_leaves_a_section_below_zero(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole sample pack: `eval`, then its answers as a file by one grader and by a panel."""

    def reply(seen: Submission) -> str:
        return verdict(seen, len(seen.response))

    monkeypatch.setattr("hengfa.evals.grading.keywords.keyword_reply", reply)
    name, answers = "plawbench-all-floor-sample", tmp_path / "answers.jsonl"

    def run(*arguments: str) -> str:
        made = CliRunner().invoke(cli, [*arguments, "--runs", str(tmp_path)])
        assert made.exit_code == 0, made.output
        return made.stdout

    run("eval", "plawbench", "--model", "floor", "--data", "sample", "--grader", "keywords")
    run("grade", "people", "export", name, "-o", str(answers))
    for way in Way:
        by_eval = {
            f"plawbench/{task}/all/{one}": points
            for task in TASKS
            for one, points in points_of(tmp_path / name, task, way).items()
        }
        for graders in (BOTH[:1], BOTH):
            asked = [part for grader in graders for part in ("--grader", grader)]
            asked += ["--panel", "mean"] if len(graders) > 1 else []
            chosen = ["--run", f"own-{way}-{len(graders)}", "--marking", str(way), "--json"]
            document = json.loads(run("grade", "run", str(answers), *asked, *chosen))
            scorer = document["panel"] or "keywords"
            marks = {
                one["key"].partition("@")[0]: one["marks"][scorer][0]
                for one in document["submissions"]
            }
            whole = {key: mark for key, mark in marks.items() if mark["points"] == mark["lenient"]}
            by_file = {key: mark["points"] for key, mark in whole.items()}
            assert by_file == {key: by_eval[key] for key in by_file}
            assert 0 < len(by_file) < len(by_eval)
            sections = [part for mark in marks.values() for part in mark["sections"]]
            assert any(section["points"] < 0 for section in sections)


def points_of(folder: Path, task: str, way: Way) -> dict[str, float]:
    table = read_table(choose_scores(folder), task, Rules.OFFICIAL)
    return dict(zip(table.samples, table.columns[points_by(way, penalties=True)], strict=True))

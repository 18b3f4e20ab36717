"""Questions that a model wrote: checked, replaced where they fail, and reviewed by people."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError
from hengfa.evals.engine.messages import Request, Response, Status
from hengfa.evals.grading.people.notebook import ItemAnswer, Notebook
from hengfa.evals.suites.claw_cases.dataset import make_questions
from hengfa.evals.suites.claw_cases.drafts import (
    ASKS_NOTHING,
    NO_ANSWER,
    SIZE,
    TELLS_HOLDING,
    TELLS_LAW,
    Draft,
    choose_questions,
    problems_of,
    review_questions,
    to_review,
    write_question,
)
from hengfa.evals.suites.claw_cases.guiding_cases import load_cases
from hengfa.evals.suites.claw_cases.questions import LEAK, RULES, leak_of

CASES = load_cases(sample_root() / "claw-cases")
CASE = CASES[0]
GOOD = "船家在大雾中离岸，渡务署能否收走他的船钟？"


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (GOOD, ()),
        ("能否收走？", (SIZE,)),
        ("船家在大雾中离岸，请说明理由。", (ASKS_NOTHING,)),
        (CASE.holding + "是否如此？", (TELLS_HOLDING,)),
        ("依照《月湖渡船法》第七条，渡务署能否收走船钟？", (TELLS_LAW,)),
        ("依照《月湖渡船法》第八条，渡务署能否收走船钟？", ()),
    ],
)
def test_what_is_wrong_with_a_question_is_named(text: str, problems: tuple[str, ...]) -> None:
    assert problems_of(CASE, text) == problems


class Model:
    """Says these things one after the other."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.asked: list[Request] = []

    async def ask(self, request: Request) -> Response:
        self.asked.append(request)
        text = self.texts.pop(0)
        return Response(Status.ANSWERED if text else Status.FAILED, text)


def written_by(model: Model) -> Draft:
    return asyncio.run(write_question(model.ask, CASE))


def test_a_question_that_fails_is_asked_for_once_more_and_told_why() -> None:
    model = Model("说明理由。", f" {GOOD}\n")
    assert written_by(model) == Draft(1, GOOD)
    first, second = model.asked
    assert first.key != second.key
    assert CASE.reasoning in first.messages[0].content
    assert CASE.holding not in first.messages[0].content
    assert "疑问句" in second.messages[-1].content


def test_what_fails_twice_or_is_no_answer_is_refused_with_the_reason() -> None:
    assert written_by(Model("说明", "仍是说明")).problems == (SIZE, ASKS_NOTHING)
    nothing = Model("")
    assert written_by(nothing).problems == (NO_ANSWER,)
    assert len(nothing.asked) == 1


def test_the_question_made_by_rule_stays_where_the_model_failed() -> None:
    found = choose_questions(CASES, [Draft(1, GOOD), Draft(2, "略", (SIZE,))], "m")
    assert [question.rule in RULES for question in found] == [False, True, True]
    assert found[0].question == GOOD
    assert found[1:] == make_questions(CASES)[1:]


@settings(max_examples=60)
@given(st.text(max_size=200) | st.sampled_from(CASE.holding).map(lambda _: CASE.holding))
def test_no_text_passes_that_gives_the_holding_away(text: str) -> None:
    if not problems_of(CASE, text):
        assert leak_of(text, CASE.holding) < LEAK


def test_people_review_them_on_the_page_for_scores(tmp_path: Path) -> None:
    by_model = [Draft(case.no, f"第{case.no}个案件的处理是否正确，为什么？") for case in CASES]
    asked = choose_questions(CASES, by_model, "m")
    submissions = to_review(CASES, asked)
    assert CASES[0].holding not in submissions[0].question + submissions[0].response
    table = tmp_path / "scores.csv"
    notebook = Notebook(submissions, table, "张三")
    numbers = [int(one.key.rpartition("/")[2]) for one in notebook.submissions]
    for at, no in enumerate(numbers):
        for item in ("natural", "hidden", "answerable")[: 1 if no == 3 else 3]:
            bad = no == 2 and item == "hidden"
            notebook.put(at, ItemAnswer(item, 0 if bad else 1, "否" if bad else "是"))
    notebook.close()
    review = review_questions(CASES, asked, table)
    assert review.questions == [asked[0], make_questions(CASES)[1], asked[2]]
    assert (review.dropped, review.unseen) == ({"hidden": [2]}, [3])


def test_only_what_a_model_wrote_is_reviewed_and_scores_of_other_things_are_refused(
    tmp_path: Path,
) -> None:
    asked = choose_questions(CASES, [Draft(2, GOOD)], "m")
    assert [one.key for one in to_review(CASES, asked)] == ["claw-cases/question/2"]
    assert len(to_review(CASES, make_questions(CASES))) == 3
    table = tmp_path / "scores.csv"
    for row in ("claw-cases/question/1,natural", "claw-cases/question/2,clarity", "x,natural"):
        table.write_text(f"submission,item,maximum,points,rater\n{row},1,1,a\n", "utf-8")
        with pytest.raises(DataError, match="not of this review"):
            review_questions(CASES, asked, table)

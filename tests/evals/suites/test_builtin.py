"""The built-in models on the sample pack, and the honesty of retrieval."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from hengfa.base.errors import DataError, UsageError
from hengfa.evals.engine.messages import Options, Response, Status
from hengfa.evals.runs.models import Connection, open_model
from hengfa.evals.suites.builtin import Passage, build, read_law, search_answers
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.evals.suites.lawbench.suite import SUITE, split_options
from hengfa.evals.suites.plan import make_plan
from hengfa.law.retrieval.index import BM25Index


def answers(name: str, target: str = "lawbench") -> dict[str, Response]:
    plan = make_plan(target, data="sample")
    model = open_model(name, plan, Connection())

    async def ask() -> dict[str, Response]:
        return {r.key: await model.generate(r) for r in plan.requests(Options())}

    return asyncio.run(ask())


def test_ceiling_answers_in_the_form_the_prompt_asks_for() -> None:
    found = answers("ceiling", "lawbench/1-2")
    assert found["lawbench/1-2/zero_shot/0"].text == "[正确答案]C<eoa>"


def test_floor_knows_nothing_but_the_question_and_what_is_commonest() -> None:
    plan = make_plan("lawbench", data="sample")
    found = answers("floor")
    by_task = {
        task: [response.text for key, response in found.items() if f"/{task}/" in key]
        for task in plan.suite.tasks
    }
    for task in ("1-1", "2-1", "2-9", "2-10", "3-2", "3-3", "3-7", "3-8"):  # the question back
        questions = [s.question for s in plan.samples(task) if isinstance(s, LawBenchSample)]
        assert by_task[task] == questions
    for task in ("1-2", "2-2", "2-3", "2-4", "2-6", "2-8", "3-1", "3-4", "3-5", "3-6"):
        assert len(set(by_task[task])) == 1
    gold = Counter(s.answer for s in plan.samples("1-2") if isinstance(s, LawBenchSample))
    commonest = {answer for answer, times in gold.items() if times == max(gold.values())}
    assert f"正确答案：{by_task['1-2'][0].removeprefix('[正确答案]')[0]}。" in commonest
    assert set(by_task["3-4"]) == {"[刑期]18个月<eoa>"}


def test_retrieval_finds_the_provision_that_is_asked_for() -> None:
    found = answers("retrieval", "lawbench/1-1")
    assert found["lawbench/1-1/zero_shot/0"].text.startswith("开办茶馆，应当向所在湖区的茶政署")


def test_retrieval_never_answers_from_the_sample_itself() -> None:
    recitation = SUITE.tasks["1-1"]
    secret = LawBenchSample("0", "", "甲法第一条的内容是什么？", "答案:甲法第一条：金刚石")
    other = LawBenchSample("1", "", "乙法第二条的内容是什么？", "答案:乙法：石墨")
    found = search_answers(recitation, [secret, other], [])
    assert "金刚石" not in found[0]
    assert "石墨" not in found[1]
    law = [Passage("甲法", "第一条", "金刚石")]
    assert search_answers(recitation, [secret, other], law)[0] == "金刚石"


@pytest.mark.parametrize("task", SUITE.tasks)
def test_retrieval_never_looks_at_the_gold_of_the_sample_itself(task: str) -> None:
    asked = [s for s in make_plan(f"lawbench/{task}", data="sample").samples(task)
             if isinstance(s, LawBenchSample)]  # fmt: skip
    honest = search_answers(SUITE.tasks[task], asked, [])
    for number, sample in enumerate(asked):
        changed = list(asked)
        # Free texts are searched themselves, so others may be found; the sample's own never is.
        free = task in ("1-1", "3-2", "3-8")
        other = "金刚石" + sample.question if free else asked[number - 1].answer
        changed[number] = msgspec.structs.replace(sample, answer=other)
        again = search_answers(SUITE.tasks[task], changed, [])[number]
        assert "金刚石" not in again if free else again == honest[number]


def test_a_question_that_was_not_prepared_fails_instead_of_being_guessed() -> None:
    plan = make_plan("lawbench/1-1", data="sample")
    model = build("ceiling", plan.questions, [])
    (stranger, *_) = make_plan("lawbench/1-2", data="sample").requests(Options())
    assert asyncio.run(model.generate(stranger)).status is Status.FAILED


def test_bad_law_files_are_named(tmp_path: Path) -> None:
    assert read_law(tmp_path) == []
    file = tmp_path / "laws" / "provisions.jsonl"
    file.parent.mkdir()
    file.write_text('{"law": "甲法", "article": "第一条", "text": "略"}\n{"law": 1}\n', "utf-8")
    with pytest.raises(DataError, match=r"provisions.jsonl, row 2"):
        read_law(tmp_path)


@pytest.mark.parametrize("name", ["", "gpt", "nobody:x", "replay:", "openai:"])
def test_an_unknown_name_is_answered_with_the_forms_it_can_take(name: str) -> None:
    with pytest.raises(UsageError, match="Names look like this"):
        open_model(name, make_plan("lawbench", data="sample"), Connection())


def test_options_of_a_question_are_told_apart() -> None:
    assert split_options("DNA:是什么？A:甲;B：乙。") == {"A": "甲;", "B": "乙。"}
    assert split_options("没有选项") == {}


def test_bm25_of_nothing_finds_nothing() -> None:
    assert BM25Index([]).search(["甲乙"], 3) == [[]]
    assert BM25Index(["甲乙丙", ""]).search([], 3) == []
    assert BM25Index(["", "甲"]).search(["甲"], 3) == [[]]
    assert BM25Index(["", "甲乙"]).search(["甲乙"], 3) == [[1]]
    assert BM25Index(["甲乙丙", "丁戊己"]).search(["甲乙", "", "庚辛"], 3) == [[0], [], []]

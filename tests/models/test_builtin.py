"""The built-in models on the sample pack, and the honesty of retrieval."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hengfa.engine.messages import Options, Response, Status
from hengfa.errors import DataError, UsageError
from hengfa.models.builtin import build
from hengfa.models.retrieval import Passage, read_law, search_answers
from hengfa.retrieval.bm25 import BM25Index
from hengfa.runs.models import Connection, open_model
from hengfa.suites.lawbench.baselines import recitation, split_options
from hengfa.suites.lawbench.dataset import LawBenchSample
from hengfa.suites.plan import make_plan


def answers(name: str, target: str = "lawbench") -> dict[str, Response]:
    plan = make_plan(target, data="sample")
    model = open_model(name, plan, Connection())

    async def ask() -> dict[str, Response]:
        return {r.key: await model.generate(r) for r in plan.requests(Options())}

    return asyncio.run(ask())


def test_ceiling_answers_in_the_form_the_prompt_asks_for() -> None:
    found = answers("ceiling", "lawbench/1-2")
    assert found["lawbench/1-2/zero_shot/0"].text == "[正确答案]C<eoa>"


def test_floor_recites_nothing_and_names_the_commonest_option() -> None:
    found = answers("floor")
    assert found["lawbench/1-1/zero_shot/0"].status is Status.EMPTY
    choices = {r.text for key, r in found.items() if "/1-2/" in key}
    assert choices == {"[正确答案]C<eoa>"}


def test_retrieval_finds_the_provision_that_is_asked_for() -> None:
    found = answers("retrieval", "lawbench/1-1")
    assert found["lawbench/1-1/zero_shot/0"].text.startswith("开办茶馆，应当向所在湖区的茶政署")


def test_retrieval_never_answers_from_the_sample_itself() -> None:
    secret = LawBenchSample("0", "", "甲法第一条的内容是什么？", "答案:甲法第一条：金刚石")
    other = LawBenchSample("1", "", "乙法第二条的内容是什么？", "答案:乙法：石墨")
    found = search_answers(recitation(), [secret, other], [])
    assert "金刚石" not in found[0]
    assert "石墨" not in found[1]
    law = [Passage("甲法", "第一条", "金刚石")]
    assert search_answers(recitation(), [secret, other], law)[0] == "金刚石"


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

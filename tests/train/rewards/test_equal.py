"""A reward is the suite's score of the same response: compared with what `hengfa.score` and
`hengfa.evaluate` write into the tables of a run, for every task without a grader, by both rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hengfa
from hengfa.base.data.packs import sample_root
from hengfa.evals.engine.replies import is_blank
from hengfa.evals.suites.base import Rules, Sample
from hengfa.evals.suites.plan import choose, data_folder
from hengfa.evals.suites.registry import OWN, get_suite
from hengfa.evals.suites.tellings import GROUP
from hengfa.train.rewards import reward, rewarder, rewards
from hengfa.train.rewards.tasks import answer_key, task_names

SUITES = sorted({name.partition("/")[0] for name in task_names()} & set(OWN))
MOST = 4
"""Samples of a task that are answered."""

FRAGMENTS = [
    *"第条款项、；;，。年月日个元ABＢ１9:：\n \u3000\u200b",
    *(
        "[正确答案]B<eoa>",
        "[刑期]18个月<eoa>",
        "[类别]",
        "<eoa>",
        "三年六个月",
        "3900.5元",
        "1e999",
    ),
    *(
        "刑法第264条",
        "第二十七条第二款第（一）项",
        "盗窃罪",
        "时间：昨夜",
        "无法回答",
        "条序号：第三条",
    ),
    *("本院认为，", "判决如下：", "被告人甲犯盗窃罪，判处有期徒刑六个月，并处罚金一千元。"),
    *('{"answer": "甲", "summary": "乙", "steps": [], "ended": "finished"}', '{"', "[" * 50),
]


@cache
def asked(name: str) -> dict[str, list[Sample]]:
    """Some samples of every task of a suite."""
    suite = get_suite(name)
    root = data_folder(suite, "sample")
    options = suite.choose({})
    return {
        task.id: choose(task.samples(root, suite.settings[0], options), MOST)
        for task in suite.tasks.values()
        if f"{name}/{task.id}" in task_names()
    }


def scored(records: pl.DataFrame) -> dict[tuple[str, str, str], dict[str, float | None]]:
    """What a run's table says, by rules, task and sample: the metrics of the strict figure."""
    found: dict[tuple[str, str, str], dict[str, float | None]] = {}
    columns = records.select("rules", "task", "sample", "metric", "strict")
    for rules, task, sample, metric, value in columns.iter_rows():
        found.setdefault((rules, task, sample), {})[metric] = value
    return found


def check(
    suite: str, said: Mapping[tuple[str, str], str], records: pl.DataFrame, data: Path | None
) -> None:
    """Rewards of all responses equal what the table has, by samples and by answer keys."""
    expected = scored(records)
    assert expected
    for rules in Rules:
        for task_id, samples in asked(suite).items():
            task = get_suite(suite).tasks[task_id]
            answered = [sample for sample in samples if (task_id, sample.id) in said]
            texts = [said[task_id, sample.id] for sample in answered]
            keys = [answer_key(task, sample) for sample in answered]
            by_key = rewarder(f"{suite}/{task_id}", rules=rules, data=data).batch(keys, texts)
            found = rewards(task, answered, texts, rules=rules, data=data)
            assert found == by_key
            for sample, given_reward in zip(answered, found, strict=True):
                wanted = expected[rules, task_id, sample.id]
                # what follows from several samples no reward has
                alone = {name: value for name, value in wanted.items() if name != GROUP}
                assert given_reward.parts == alone
                assert given_reward.value == wanted[task.metric]


def texts() -> st.SearchStrategy[list[str]]:
    """Responses that say something; thinking is for models that are asked."""
    made = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), min_size=1, max_size=12)
    response = made.map("".join).filter(lambda text: not is_blank(text) and "think>" not in text)
    return st.lists(response, min_size=5, max_size=30)


@pytest.mark.parametrize("suite", SUITES)
@given(made=texts())
@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_reward_is_the_score_of_any_response(suite: str, made: list[str]) -> None:
    said = {
        (task, sample.id): made[(number + place) % len(made)]
        for number, (task, samples) in enumerate(asked(suite).items())
        for place, sample in enumerate(samples)
    }
    check(suite, said, score_rows(suite, said), data_folder(get_suite(suite), "sample"))


@pytest.mark.parametrize("suite", SUITES)
def test_a_reward_is_the_score_of_a_right_and_of_a_neighbours_answer(suite: str) -> None:
    for shift in (0, 1):
        said = {
            (task, sample.id): get_suite(suite)
            .tasks[task]
            .baselines.reference(samples[(place + shift) % len(samples)])
            for task, samples in asked(suite).items()
            for place, sample in enumerate(samples)
        }
        check(suite, said, score_rows(suite, said), data_folder(get_suite(suite), "sample"))


def score_rows(suite: str, said: Mapping[tuple[str, str], str]) -> pl.DataFrame:
    rows = [{"task": task, "id": id_, "prediction": text} for (task, id_), text in said.items()]
    scores = hengfa.score(suite, rows, data="sample", rules="both", partial=True)
    return scores.records()


def test_silence_has_the_parts_of_the_strict_figure_and_no_value(tmp_path: Path) -> None:
    answers = iter(["", "[正确答案]A<eoa>"] * 1000)
    run = hengfa.evaluate(
        "lawbench/1-2", lambda _messages: next(answers), data="sample", runs=tmp_path, rules="both"
    )
    told = run.scores.responses().filter(pl.col("rules") == "corrected")
    expected = scored(run.scores.records())
    task = get_suite("lawbench").tasks["1-2"]
    by_id = {
        sample.id: sample for sample in task.samples(sample_root() / "lawbench", "zero_shot", {})
    }
    assert set(told["status"]) == {"answered", "empty"}
    for id_, status, text in told.select("sample", "status", "response").iter_rows():
        found = reward(task, by_id[id_], text or "")
        assert found.parts == expected["corrected", "1-2", id_]
        assert (found.value is None) == (status == "empty")
        assert (found.status == status) == (status == "empty")


@pytest.mark.shared
def test_a_reward_is_the_score_of_released_predictions(shared: Path) -> None:
    """What real models said: LegalAgentBench's agents and JuDGE's outputs."""
    real: Iterable[tuple[str, str, str, Path, str]] = [
        ("legalagentbench", "3-hop", "react",
         shared / "data/LegalAgentBench", "runs/react__glm-4.json"),
        ("judgment", "document", "direct", shared / "data/JuDGE", "Example_Output.jsonl"),
    ]  # fmt: skip
    for suite, task_id, setting, data, file in real:
        declared = get_suite(suite)
        task: Any = declared.tasks[task_id]
        samples = choose(task.samples(data, setting, declared.choose({})), 12)
        ids = [f"{task_id}/{sample.id}" for sample in samples]
        scores = hengfa.score(
            f"{suite}/{task_id}", data / file, data=data, setting=setting, rules="both", ids=ids
        )
        expected, told = scored(scores.records()), scores.responses()
        by_id = {sample.id: sample for sample in samples}
        assert told.height == 2 * len(samples)
        for rules, id_, text in told.select("rules", "sample", "response").iter_rows():
            found = reward(task, by_id[id_], text, rules=rules, data=data)
            assert found.parts == expected[rules, task_id, id_]
            assert found.value == found.parts[task.metric]

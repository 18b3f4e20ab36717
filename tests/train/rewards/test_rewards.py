"""What a reward is: shapes, masks, answer keys, names; in threads and in other processes."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from hengfa.base.errors import DataError, UsageError
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.suites import kit
from hengfa.evals.suites.base import AnyTask, Rules
from hengfa.evals.suites.judgment.dataset import JudgmentSample
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.evals.suites.plan import choose, data_folder
from hengfa.evals.suites.registry import OWN, get_suite
from hengfa.evals.suites.scoring import Scale
from hengfa.train.rewards import (
    Reward,
    Rewarder,
    answer_key,
    reward,
    reward_names,
    rewarder,
    rewards,
    scale_of,
    scales_of,
)
from hengfa.train.rewards.cheap import STRATEGIES, cheap_answers
from hengfa.train.rewards.tasks import find_task, key_reader, task_names


class Question(kit.Row):
    question: str
    answer: str


COLOURS = kit.label(
    "1", "颜色", "Colours",
    load=kit.rows("1.jsonl", Question), question=lambda row: row.question,
    gold=lambda row: row.answer, vocabulary=("红", "黄", "蓝"),
)  # fmt: skip
TERM = "lawbench/3-4"
ROWS = [Question(id=str(n), question=f"第{n}盏灯？", answer="红红红黄"[n % 4]) for n in range(20)]


def term(answer: str) -> LawBenchSample:
    return LawBenchSample("0", "刑期？", "甲偷灯一盏。", f"刑期:{answer}")


def test_graded_is_the_score_strict_is_right_or_not_and_skill_counts_from_the_floor() -> None:
    scale = Scale(0.75, 1.0)
    right, wrong = (
        [reward(COLOURS, ROWS[0], text, shape=shape, scale=scale).value
         for shape in ("graded", "strict", "skill")]
        for text in ("红", "黄")
    )  # fmt: skip
    assert right == [1.0, 1.0, 1.0]
    assert wrong == [0.0, 0.0, -3.0]
    near = [
        reward(TERM, term("18个月"), "17个月", shape=shape).value for shape in ("graded", "strict")
    ]
    assert near[0] == pytest.approx(0.98994, abs=1e-5)
    assert near[1] == 0.0


def test_a_constant_answer_has_no_skill_and_the_reference_has_all_of_it() -> None:
    scale = scale_of(COLOURS, ROWS)
    assert scale == Scale(0.75, 1.0)
    for text, mean in (("红", 0.0), ("黄", -2.0), ("红黄蓝", -3.0)):
        found = rewards(COLOURS, ROWS, [text] * 20, shape="skill", scale=scale)
        assert fmean(one.value or 0.0 for one in found) == pytest.approx(mean)
    found = rewards(COLOURS, ROWS, [row.answer for row in ROWS], shape="skill", scale=scale)
    assert {one.value for one in found} == {1.0}


def test_no_scale_where_what_is_cheap_earns_as_much_as_the_reference() -> None:
    same = [Question(id=str(n), question="灯？", answer="红") for n in range(4)]
    found = reward(COLOURS, same[0], "红", shape="skill", scale=scale_of(COLOURS, same))
    assert (found.value, found.parts) == (None, {"accuracy": 1.0})
    assert "no scale" in found.reason


def test_skill_without_a_scale_is_an_error_that_says_where_to_get_one() -> None:
    with pytest.raises(UsageError, match="scale_of"):
        reward(COLOURS, ROWS[0], "红", shape="skill")


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.ANSWERED])
def test_what_is_no_answer_has_no_value_and_a_reason(status: Status) -> None:
    response = Response(status, "红", reason="为什么")
    found = reward(COLOURS, ROWS[0], response)
    assert found == Reward(None, {"accuracy": 0.0}, str(status), "为什么")
    assert reward(COLOURS, ROWS[0], Response(status)).reason


@pytest.mark.parametrize("shape", ["graded", "strict", "skill"])
def test_a_models_own_silence_can_be_scored_but_not_what_others_made_of_it(shape: str) -> None:
    scale = Scale(0.5, 1.0)
    for text in ("", " \n", "<think>红", "<think>红</think>\n"):
        found = reward(COLOURS, ROWS[0], text, shape=shape, silence="score", scale=scale)
        assert found.value == (-1.0 if shape == "skill" else 0.0)
        assert reward(COLOURS, ROWS[0], text, shape=shape, scale=scale).value is None
    for status in (Status.FILTERED, Status.FAILED):
        given = Response(status, "红")
        found = reward(COLOURS, ROWS[0], given, shape=shape, silence="score", scale=scale)
        assert found.value is None


def test_silence_never_earns_more_than_the_floor() -> None:
    """Or a policy would learn to say nothing where silence is scored."""
    for name in task_names():
        suite = get_suite(name.partition("/")[0])
        data = data_folder(suite, "sample")
        if suite.name in OWN:
            samples = suite_samples(name)
            quiet = rewards(name, samples, [""] * len(samples), silence="score", data=data)
            scores = [one.value for one in quiet if one.value is not None]
            assert fmean(scores) <= scale_of(name, samples, data=data).floor + 1e-12


def suite_samples(name: str, most: int = 8) -> list[Any]:
    suite = get_suite(name.partition("/")[0])
    root = data_folder(suite, "sample")
    samples = find_task(name).samples(root, suite.settings[0], suite.choose({}))
    return list(choose(samples, most))


def test_a_thought_is_no_part_of_an_answer() -> None:
    found = reward(COLOURS, ROWS[0], "<think>黄？蓝？</think>红")
    assert (found.value, found.status) == (1.0, "extracted")
    assert reward(COLOURS, ROWS[0], "黄还是红").status == "ambiguous"


def test_a_sample_that_the_rules_leave_out_has_no_value() -> None:
    found = reward(TERM, term("无期"), "无期徒刑")
    assert found.value is None
    assert "leave this sample out" in found.reason


@pytest.mark.parametrize("name", task_names())
def test_a_sample_travels_whole_in_its_answer_key(name: str) -> None:
    task = find_task(name)
    scales = {Rules.OFFICIAL: Scale(0.25, 1.0)}
    for sample in suite_samples(name):
        read = key_reader(task)(answer_key(name, sample, scales))
        assert read.sample == sample
        assert read.scales == scales


def test_a_row_of_a_trainer_is_enough_for_skill() -> None:
    name = "lawbench/1-2"
    samples = suite_samples(name)
    scales = scales_of(name, samples)
    keys = [answer_key(name, sample, scales) for sample in samples]
    of_name = rewarder(name, "skill", rules="official")
    found = of_name.batch(keys, [find_task(name).baselines.reference(one) for one in samples])
    assert {one.value for one in found} == {1.0}
    assert of_name(keys[0], "以上都对").value == pytest.approx(
        -scales[Rules.OFFICIAL].floor / (1 - scales[Rules.OFFICIAL].floor)
    )
    assert pickle.loads(pickle.dumps(of_name)) == of_name


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("", "not readable as JSON"),
        ('{"sample": ' + "[" * 100_000, "answer key, field 'sample'"),
        ('{"more": ' + "[" * 100_000, "not readable as JSON"),
        ('{"sample": 3}', "field 'sample'"),
        ('{"scales": {}}', "field 'sample'"),
        ('{"sample": {"id": "1"}}', "field 'sample.instruction'"),
    ],
)
def test_a_key_that_is_none_is_named(key: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        rewarder("lawbench/1-2")(key, "A")


def test_names_that_are_no_rewards_are_told_which_there_are() -> None:
    for name in ("lawbench", "lawbench/9-9", "nobody/1-1", "citations"):
        with pytest.raises(UsageError, match="lawbench/3-6"):
            rewarder(name)
    with pytest.raises(UsageError, match="grader"):
        rewarder("plawbench/case")
    names = reward_names()
    assert {"citations_right", "format", "agent", "claw/content", "judgment/document"} <= set(names)
    assert not [name for name in names if name.startswith(("plawbench", "claw-cases"))]


def test_no_reward_asks_a_bert_model() -> None:
    (sample,) = suite_samples("claw/content", 1)
    asked = type(sample)(**{**as_fields(sample), "bertscore": "/models/bert"})
    with pytest.raises(UsageError, match="BERTScore"):
        reward("claw/content", asked, "茶馆")


def as_fields(sample: Any) -> dict[str, object]:
    return {name: getattr(sample, name) for name in sample.__struct_fields__}


MIXED = ("lawbench/1-1", "lawbench/2-6", "lawbench/3-4", "legalagentbench/1-hop", "claw/content")


Batch = tuple[Rewarder, Sequence[str], Sequence[str]]


def mixed() -> list[Batch]:
    """Batches of several rewards, with answers of every cheap kind."""
    batches: list[Batch] = []
    for name in MIXED:
        task: AnyTask = find_task(name)
        samples = suite_samples(name, 4)
        references = [task.baselines.reference(sample) for sample in samples]
        answers = cheap_answers(["茶馆，1个月，第三条"] * len(samples), references)
        answers["reference"] = references
        keys = [answer_key(name, sample) for sample in samples]
        batches += [(rewarder(name), keys, said) for said in answers.values()]
    return batches


def run_batch(batch: Batch) -> list[Reward]:
    return batch[0].batch(*batch[1:])


def test_threads_and_processes_get_the_same() -> None:
    batches = mixed()
    alone = list(map(run_batch, batches))
    assert len({one.value for found in alone for one in found}) > 20
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(run_batch, batches * 3)) == alone * 3
    with ProcessPoolExecutor(1, get_context("spawn")) as processes:
        assert list(processes.map(run_batch, batches, chunksize=50)) == alone


def test_cheap_answers_know_nothing_of_their_own_reference() -> None:
    references = [f"只此一次{n}" for n in range(8)]
    said = cheap_answers(["问"] * 8, references)
    assert said.keys() == STRATEGIES.keys()
    assert len(STRATEGIES) == 20
    for texts in said.values():
        assert not [text for text, own in zip(texts, references, strict=True) if own in text]


def test_strategies_answer_a_single_question_and_none() -> None:
    assert {len(texts) for texts in cheap_answers(["问"], ["答"]).values()} == {1}
    assert not any(cheap_answers([], []).values())


def test_data_of_its_own_counts_where_rules_look_into_it(tmp_path: Path) -> None:
    """Of `judgment`: the charges that there are."""
    (tmp_path / "charges.txt").write_text("偷灯罪\n", "utf-8")
    text = (
        "本院认为，被告人甲的行为已构成偷灯罪。判决如下：\n被告人甲犯偷灯罪，判处有期徒刑六个月。"
    )
    key = answer_key("judgment/document", JudgmentSample("1", "甲偷灯。", text, ()))
    known, unknown = (
        rewarder("judgment/document", rules="official", data=folder)(key, text).parts
        for folder in (tmp_path, None)
    )
    assert (known["charge_recall"], unknown["charge_recall"]) == (1.0, 0.0)

"""The parts that suites are made of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.base.errors import DataError, UsageError
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.suites import kit
from hengfa.evals.suites.base import AnswerStatus, AnyTask, Attempt, PredictionContext, Rules, Suite
from hengfa.evals.suites.builtin import floor_of, search_answers
from hengfa.evals.suites.kit.checking import ODD_RESPONSES, check
from hengfa.evals.suites.kit.rules import SENTENCES
from hengfa.evals.suites.predictions import read_predictions
from hengfa.evals.suites.registry import FILES, get_suite, outside_suites, use_file
from hengfa.evals.suites.scoring import score_attempt

ONE_FILE = Path(__file__).parents[3] / "examples" / "one_file_suite.py"
MOON = ONE_FILE.with_name("mooncourt")


class Asked(kit.Row):
    question: str
    answer: str


class Counted(kit.Row):
    question: str
    number: float | None


@pytest.fixture
def moon(monkeypatch: pytest.MonkeyPatch) -> Iterator[Suite]:
    monkeypatch.setenv(FILES, "")
    yield use_file(ONE_FILE)
    monkeypatch.setenv(FILES, "")
    outside_suites()  # forgets it again


def asked(answer: str, question: str = "问") -> Asked:
    return Asked(id="0", question=question, answer=answer)


def label_task(**more: Any) -> AnyTask:
    return kit.label(
        "1", "甲", "one", load=kit.rows("1.jsonl", Asked), question=lambda s: s.question,
        gold=lambda s: s.answer or None, vocabulary=("盗窃", "诈骗", "抢劫"), **more,
    )  # fmt: skip


def labels_task(**more: Any) -> AnyTask:
    return kit.labels(
        "2", "乙", "two", load=kit.rows("2.jsonl", Asked), question=lambda s: s.question,
        gold=lambda s: s.answer.split("、"), vocabulary=("盗窃", "诈骗", "抢劫"), **more,
    )  # fmt: skip


def number_task(**more: Any) -> AnyTask:
    return kit.number(
        "3", "丙", "three", load=kit.rows("3.jsonl", Counted), question=lambda s: s.question,
        gold=lambda s: s.number, **more,
    )  # fmt: skip


def choice_task(**more: Any) -> AnyTask:
    return kit.choice(
        "4", "丁", "four", load=kit.rows("4.jsonl", Asked), question=lambda s: s.question,
        gold=lambda s: s.answer, **more,
    )  # fmt: skip


def points(task: AnyTask, sample: Any, text: str, rules: Rules = Rules.OFFICIAL) -> float | None:
    attempt = Attempt(sample, Response(Status.ANSWERED, text))
    return score_attempt(task.rule_set(rules), attempt).metrics[task.metric]


# What is read


@pytest.mark.parametrize(
    ("response", "official", "corrected"),
    [("B", 1, 1), ("Answer: B", 0, 1), ("选Ｂ。", 0, 1), ("A或B", 0, 0), ("", 0, 0)],
)
def test_a_declared_mistake_is_made_under_official_rules_only(
    response: str, official: float, corrected: float
) -> None:
    task = choice_task(fixes=kit.fixes(kit.LETTERS))
    assert points(task, asked("B"), response) == official
    assert points(task, asked("B"), response, Rules.CORRECTED) == corrected


def test_without_a_declared_mistake_both_rules_read_right() -> None:
    for rules in Rules:
        assert points(choice_task(), asked("B"), "Answer: B", rules) == 1


def test_the_choices_are_the_letters_that_are_offered_in_the_form_of_an_answer() -> None:
    wrapper = kit.Wrapper("【答案】", "【完】")
    for more, letters in (({}, "ABCD"), ({"options": lambda _: {"A": "船", "B": "灯"}}, "AB")):
        for form in (None, wrapper):
            choices = choice_task(wrapper=form, **more).choices
            assert choices is not None
            wanted = [form.around(letter) if form else letter for letter in letters]
            assert list(choices(asked("B"))) == wanted


def test_the_wrapper_is_looked_into_unless_that_is_a_mistake_of_the_evaluator() -> None:
    wrapper = kit.Wrapper("【答案】", "【完】")
    text = "A 不对，所以【答案】B【完】"
    assert points(choice_task(wrapper=wrapper), asked("B"), text) == 1
    quirky = choice_task(wrapper=wrapper, fixes=kit.fixes(kit.WRAPPER))
    assert points(quirky, asked("B"), text) == 0
    assert points(quirky, asked("B"), text, Rules.CORRECTED) == 1


def test_labels_and_sets_of_labels() -> None:
    assert points(label_task(), asked("盗窃"), "构成盗窃罪") == 1
    assert points(label_task(), asked("盗窃"), "盗窃或者诈骗") == 0
    assert points(label_task(), asked(""), "盗窃") is None
    assert points(labels_task(), asked("盗窃、诈骗"), "盗窃") == pytest.approx(2 / 3)
    assert points(labels_task(), asked("盗窃、诈骗"), "诈骗和盗窃") == 1


def test_the_last_number_counts_within_the_tolerance() -> None:
    sample = Counted(id="0", question="问", number=3900.0)
    assert points(number_task(), sample, "先是 100 元，共计三千九百元") == 1
    assert points(number_task(), sample, "3,900.5") == 0
    assert points(number_task(tolerance=0.01), sample, "3,900.5") == 1
    assert points(number_task(), sample, "没有") == 0
    assert points(number_task(), sample, "3900 减 100 再加 100，还是 3900") == 1
    assert points(number_task(), sample, "3900，不对，是 100") == 0
    assert points(number_task(), sample, "9" * 400) == 0
    assert points(number_task(), Counted(id="0", question="问", number=None), "1") is None


TASKS = [choice_task(), label_task(), labels_task(), number_task()]


@given(st.text(alphabet=st.characters() | st.sampled_from("ABCD盗窃诈骗一二三0123456789.,【】")))
def test_no_text_makes_reading_fail_and_spans_lie_in_it(text: str) -> None:
    for task in TASKS:
        for rules in Rules:
            answer = task.rule_set(rules).read(text)
            assert (answer.value is None) == (answer.status is not AnswerStatus.EXTRACTED)
            for spans in answer.where().values():
                assert all(0 <= start < end <= len(text) for start, end in spans)


def test_every_fix_of_the_kit_has_a_sentence() -> None:
    assert kit.fixes(*SENTENCES) == SENTENCES


# Samples


FIRST, SECOND = '{"question": "甲", "answer": "盗窃"}', '{"id": 7, "question": "乙", "answer": ""}'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("1.jsonl", f"{FIRST}\n\n{SECOND}"),
        ("1.json", f"[{FIRST}, {SECOND}]"),
        ("1.json", f'{{"0": {FIRST}, "7": {SECOND}}}'),
    ],
)
def test_rows_are_lines_an_array_or_an_object(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / name).write_text(content, "utf-8")
    samples = kit.rows(f"{{setting}}/{name}", Asked)(tmp_path, "some", {})
    assert [(sample.id, sample.question) for sample in samples] == [("0", "甲"), ("7", "乙")]


def test_a_bad_row_is_named(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_text(
        '{"question": "甲", "answer": "乙"}\n{"question": 7}', "utf-8"
    )
    with pytest.raises(DataError, match=r"1\.jsonl, row 2, field '(question|answer)'"):
        kit.rows("1.jsonl", Asked)(tmp_path, "", {})
    (tmp_path / "2.jsonl").write_text("", "utf-8")
    with pytest.raises(DataError, match="nothing in this file"):
        kit.rows("2.jsonl", Asked)(tmp_path, "", {})


def test_two_samples_with_one_id_are_an_error(tmp_path: Path) -> None:
    row = '{"id": "a", "question": "甲", "answer": "盗窃"}\n'
    (tmp_path / "1.jsonl").write_text(row + row, "utf-8")
    with pytest.raises(DataError, match="2 samples of task 1 in default have the id 'a'"):
        label_task().samples(tmp_path, "default", {})


# Floors, ceilings, retrieval


def test_floor_and_ceiling_follow_from_the_kind_of_task() -> None:
    samples = [asked("盗窃"), asked("诈骗"), asked("盗窃")]
    assert floor_of(label_task())(samples)(samples[1]) == "盗窃"
    numbers = [
        Counted(id=str(n), question="问", number=value) for n, value in enumerate([1, 5, 1e15])
    ]
    assert floor_of(number_task())(numbers)(numbers[0]) == "5"
    for sample in numbers:
        assert points(number_task(), sample, number_task().baselines.reference(sample)) == 1
    wrapped = choice_task(wrapper=kit.Wrapper("[答案]", "<eoa>"))
    assert wrapped.baselines.reference(asked("C")) == "[答案]C<eoa>"
    near = [asked("盗窃", "他偷了一只茶碗"), asked("盗窃", "他偷了一只茶壶"), asked("诈骗", "假茶")]
    assert search_answers(label_task(), near, ())[1] == "盗窃"


def test_a_task_may_do_without_a_floor_and_a_search() -> None:
    bare = replace(label_task(), baselines=replace(label_task().baselines, floor=None, search=None))
    with pytest.raises(UsageError, match="no floor"):
        floor_of(bare)
    with pytest.raises(UsageError, match="retrieval"):
        search_answers(bare, [asked("盗窃")], ())


def test_a_level_with_a_missing_task_has_no_figure() -> None:
    figures = kit.levels(["1-1", "1-2", "2-1"], {"one": "1-", "two": "2-"})
    assert figures({"1-1": 0.5, "1-2": 1.0, "2-1": 0.0}) == {"one": 0.75, "two": 0, "overall": 0.5}
    assert figures({"1-1": 0.5, "2-1": 1.0}) == {"two": 1.0}


def test_the_example_has_a_whole_scale(moon: Suite) -> None:
    for scale in check(moon, MOON):
        assert scale.ceiling == pytest.approx(1.0)
        assert scale.floor is not None and scale.floor < 1
    assert len(ODD_RESPONSES) == len(set(ODD_RESPONSES))


def test_the_prompt_sees_the_setting(moon: Suite) -> None:
    task = moon.tasks["1-1"]
    sample = task.samples(MOON, "one-shot", {})[0]
    (without,), (with_example,) = task.prompt(sample, "zero-shot"), task.prompt(sample, "one-shot")
    assert without.content in with_example.content != without.content


# Predictions of other tools


def save(folder: Path, task: str, texts: list[str], *, other: int = 0) -> Path:
    """What the authors' tool saves for the samples of a task; some of another release."""
    suite = get_suite("mooncourt")
    samples = suite.tasks[task].samples(MOON, "zero-shot", {})
    rows = [
        {"query": "旧题" if n < other else f"问：{sample.question}", "output": text}
        for n, (sample, text) in enumerate(zip(samples, texts, strict=False))
    ]
    file = folder / f"{task}.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    return file


CONTEXT = PredictionContext("zero-shot", MOON)


def test_a_layout_pairs_rows_with_samples(moon: Suite, tmp_path: Path) -> None:
    save(tmp_path / "甲", "1-1", list("ABCDAB"))
    save(tmp_path / "乙", "1-1", list("AAAAAA"))
    save(tmp_path / "乙", "2-1", ["一", "二", "三", "四"])
    (tmp_path / "notes.txt").write_text("no predictions", "utf-8")
    runs = {run.model: run for run in read_predictions(moon, tmp_path, CONTEXT)}
    assert {model: run.tasks() for model, run in runs.items()} == {
        "甲": ["1-1"],
        "乙": ["1-1", "2-1"],
    }
    assert [a.response.text for a in runs["甲"].attempts("1-1")] == list("ABCDAB")
    assert runs["甲"].notices("1-1") == ()


def test_what_is_missing_or_of_another_release_is_said(moon: Suite, tmp_path: Path) -> None:
    file = save(tmp_path / "甲", "1-1", list("ABCDAB"), other=2)
    (run,) = read_predictions(moon, tmp_path, CONTEXT)
    with pytest.raises(DataError, match=r"no prediction for 2 of 6 samples.*2 rows to other"):
        run.attempts("1-1")
    (part,) = read_predictions(moon, file, PredictionContext("zero-shot", MOON, partial=True))
    assert [a.sample.id for a in part.attempts("1-1")] == ["2", "3", "4", "5"]
    assert "2 of 6 predictions answer other questions" in part.notices("1-1")[0]


def test_lines_are_read_for_every_suite(moon: Suite, tmp_path: Path) -> None:
    rows = [{"task": "1-1", "id": n, "prediction": "A"} for n in range(6)]
    file = tmp_path / "模型.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    (run,) = read_predictions(moon, file, CONTEXT)
    assert (run.model, run.tasks(), len(run.attempts("1-1"))) == ("模型", ["1-1"], 6)
    with pytest.raises(UsageError, match=r"expected \{model\}/\{task\}.jsonl; files"):
        (tmp_path / "empty").mkdir()
        read_predictions(moon, tmp_path / "empty", CONTEXT)

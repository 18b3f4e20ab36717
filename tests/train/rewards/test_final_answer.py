"""Answers in one line: what is read, and what earns nothing."""

from __future__ import annotations

import random
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.train.rewards import numerals, rewarder, sentencing
from hengfa.train.rewards.final_answer import MadeSample, final_line, read
from hengfa.train.rewards.numerals import NUMERALS
from hengfa.train.rewards.sentencing import SENTENCING, after_months, combined_range
from hengfa.train.rewards.tasks import answer_key, reward, scales_of

MAKERS = {"sentencing": (sentencing, SENTENCING), "numerals": (numerals, NUMERALS)}


@pytest.mark.parametrize(
    ("response", "line"),
    [
        ("先算……\n答案：3年", "3年"),
        ("**答案**: 3年。", "3年"),
        ("最终答案：3年\n答案：4年", "4年"),
        ("答案：3年\n以上。", "3年"),
        ("答案如下", None),
        ("我认为答案：3年", None),
        ("答案：" + "年" * 200, None),
        ("答案：", None),
        ("", None),
    ],
)
def test_the_last_line_that_is_an_answer(response: str, line: str | None) -> None:
    assert final_line(response) == line


@pytest.mark.parametrize(
    ("form", "words", "read_as"),
    [
        ("term", "三年六个月", "42"),
        ("term", "有期徒刑3年6个月", "42"),
        ("term", "42个月", "42"),
        ("term", "3年或4年", None),
        ("day", "二〇三一年五月一日", "2031-05-01"),
        ("day", "2031-05-01", "2031-05-01"),
        ("day", "2031年5月1日或2日", None),
        ("days", "四十日", "40"),
        ("days", "40", None),
        ("yuan", "壹万贰仟元整", "12000"),
        ("yuan", "1.2万元", "12000"),
        ("yuan", "12000美元", None),
        ("written", "12,000元", "12000元"),
        ("written", "两百", "二百"),
        ("citation", "《中华人民共和国月湖法》第三条第二款", "月湖法 3.2"),
        ("citation", "月湖法第三条", "月湖法 3"),
        ("citation", "《月湖法》第三条、第四条", None),
        ("citation", "第三条", None),
    ],
)
def test_forms_are_read_in_any_script_and_never_two_at_once(
    form: str, words: str, read_as: str | None
) -> None:
    assert read(form, words) == read_as  # type: ignore[arg-type]


@pytest.mark.parametrize("name", MAKERS)
def test_every_reference_is_right_and_cheap_answers_are_not(name: str) -> None:
    maker, task = MAKERS[name]
    samples = maker.make_samples(300, 1)
    assert len({sample.question for sample in samples}) == 300
    judge = rewarder(name)
    keys = [answer_key(task, sample) for sample in samples]
    references = [task.baselines.reference(sample) for sample in samples]
    assert {given.value for given in judge.batch(keys, references)} == {1.0}
    for cheap in (
        lambda sample: sample.question,
        lambda sample: f"答案：{sample.question[:100]}",
        lambda _sample: "答案：20年",
        lambda _sample: "答案：3年、4年、5年、6年",
    ):
        values = [given.value or 0 for given in judge.batch(keys, list(map(cheap, samples)))]
        assert sum(values) / len(values) < 0.1
    assert judge(keys[0], "").value is None


def test_copying_what_is_to_be_written_otherwise_earns_nothing() -> None:
    """The numeral of the question is the same number, and not the answer."""
    for sample in numerals.make_samples(300, 2):
        for quoted in sample.question.split("“")[1:]:
            given = reward(NUMERALS, sample, f"答案：{quoted.partition('”')[0]}")
            assert given.value == 0.0, sample


def test_another_seed_makes_other_questions_and_the_same_seed_the_same() -> None:
    made = sentencing.make_samples(50, 1)
    assert made == sentencing.make_samples(50, 1)
    others = {sample.question for sample in sentencing.make_samples(50, 2)}
    assert len(others & {sample.question for sample in made}) < 10


@pytest.mark.parametrize(
    ("terms", "least", "most"),
    [([36, 24], 36, 60), ([180, 120], 180, 240), ([180, 180, 60], 180, 300), ([6, 6], 6, 12)],
)
def test_combined_terms_are_bounded_as_the_law_says(
    terms: list[int], least: int, most: int
) -> None:
    """Below 35 years in all at most 20, from there on at most 25 (article 69)."""
    assert combined_range(terms) == (least, most)


@pytest.mark.parametrize(
    ("day", "months", "later"),
    [
        (date(2030, 1, 31), 1, date(2030, 2, 28)),
        (date(2027, 2, 28), 12, date(2028, 2, 28)),
        (date(2030, 12, 15), 1, date(2031, 1, 15)),
    ],
)
def test_months_are_counted_on_to_the_same_day_or_the_last(
    day: date, months: int, later: date
) -> None:
    assert after_months(day, months) == later


@given(st.integers(0, 2**32))
@settings(max_examples=100)
def test_whatever_the_dice_say_the_question_can_be_answered(seed: int) -> None:
    for maker, task in MAKERS.values():
        dice = random.Random(seed)
        sample = dice.choice(maker.KINDS)(dice).sample("0")
        assert reward(task, sample, task.baselines.reference(sample)).value == 1.0
        assert reward(task, sample, f"答案：{sample.answer}、{sample.answer}").value == 0.0


@given(st.text(max_size=300), st.sampled_from(["term", "day", "days", "yuan", "written"]))
def test_no_response_is_too_odd(response: str, form: str) -> None:
    sample = MadeSample("0", "问", "答", form, ("x",))  # type: ignore[arg-type]
    assert reward(SENTENCING, sample, f"{response}\n答案：{response}").value in {0.0, 1.0, None}


def test_the_scale_has_a_floor_near_nothing() -> None:
    for name, (maker, task) in MAKERS.items():
        for scale in scales_of(task, maker.make_samples(200, 3)).values():
            assert scale.ceiling == 1.0, name
            assert scale.floor < 0.1, name


def test_a_period_ends_after_as_many_days_as_it_has() -> None:
    later = [
        sample for sample in numerals.make_samples(400, 4) if "自送达的次日起" in sample.question
    ]
    assert later
    for sample in later:
        served, days = sample.question.split("文书于")[1].split("送达，期限为")
        begun = read("day", served)
        assert begun is not None
        length = timedelta(days=int(days.partition("日")[0]))
        assert sample.accepted == ((date.fromisoformat(begun) + length).isoformat(),)

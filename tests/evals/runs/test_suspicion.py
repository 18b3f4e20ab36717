"""Hints for a review of contamination: the rules by hand, their false alarms in simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.evals.results.published.papers import published
from hengfa.evals.runs.suspicion import (
    GRAM,
    LEAST,
    Sameness,
    Scores,
    Text,
    clearly_above,
    has_own_passage,
    length_needed,
    shared_passage,
    squeeze,
    unexpected_scores,
    verbatim_answers,
    wilson_low,
)

# --- scores -------------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", ["zero_shot", "one_shot"])
def test_fuzi_mingcha_on_reading_comprehension_comes_out_first(setting: str) -> None:
    """The LawBench paper suspects it of contamination (section 4.3, which says 2-4 for 2-5)."""
    found = unexpected_scores({row.title: row.tasks for row in published("lawbench", setting)})
    assert len(found) == 51 * 20
    assert (found[0].model, found[0].task) == ("Fuzi-Mingcha", "2-5")
    assert found[0].flagged
    assert found[0].score > found[0].limit > found[0].predicted
    assert [one.task for one in found if one.flagged] == ["2-5"]


def plain(random: np.random.Generator, models: int, tasks: int = 12) -> dict[str, dict[str, float]]:
    """Scores that come from one ability per model and one difficulty per task, and noise."""
    ability, difficulty = random.normal(0, 0.15, models), random.uniform(0.5, 1.0, tasks)
    noise = random.normal(0, 0.08, (models, tasks))
    scaled = np.clip(ability[:, None] + difficulty[None, :] + noise, 0, np.pi / 2)
    table = np.sin(scaled) ** 2
    return {
        f"model {m}": {f"task {t}": float(table[m, t]) for t in range(tasks)} for m in range(models)
    }


def test_a_planted_score_is_found_and_its_model_does_not_hide_it() -> None:
    scores = plain(np.random.default_rng(3), 30)
    scores["model 7"]["task 4"] = 0.999
    first = unexpected_scores(scores)[0]
    assert (first.model, first.task, first.flagged) == ("model 7", "task 4", True)
    assert first.models == 29


def test_without_contamination_one_table_in_twenty_has_a_flag() -> None:
    """120 small tables: 0.05 flags a table are meant, 0.11 are three errors above that."""
    random = np.random.default_rng(11)
    tables = [plain(random, 12, tasks=8) for _ in range(120)]
    flags = [sum(one.flagged for one in unexpected_scores(table)) for table in tables]
    assert np.mean(flags) <= 0.11


def test_only_those_asked_for_are_judged_and_all_serve_as_comparison() -> None:
    scores = plain(np.random.default_rng(5), 20)
    found = unexpected_scores(scores, of={"model 3"})
    assert {one.model for one in found} == {"model 3"}
    assert len(found) == 12
    assert all(one.models == 19 for one in found)


def test_too_few_models_or_tasks_predict_nothing() -> None:
    assert unexpected_scores(plain(np.random.default_rng(6), 8)) == []
    assert unexpected_scores(plain(np.random.default_rng(6), 20, tasks=3)) == []


def test_a_task_that_a_model_lacks_is_not_needed_for_the_others() -> None:
    scores: Scores = plain(np.random.default_rng(7), 12)
    part = {name: dict(tasks) for name, tasks in scores.items()}
    del part["model 0"]["task 0"]
    judged = unexpected_scores(part, of={"model 0"})
    assert {one.task for one in judged} == {f"task {number}" for number in range(1, 12)}
    others = unexpected_scores(part, of={"model 1"})
    assert {one.models for one in others} == {10}  # model 0 cannot be used


def test_tasks_on_which_all_models_are_equal_do_no_harm() -> None:
    scores = {f"m{n}": dict.fromkeys(("a", "b", "c", "d"), 0.5) for n in range(10)}
    assert not any(one.flagged for one in unexpected_scores(scores))


# --- passages -----------------------------------------------------------------------------------

REFERENCE = "云溪市集市管理条例规定摊主应当在收市以后一个时辰之内清理摊位并且交还公用量具"


def test_a_passage_of_the_reference_that_the_prompt_lacks_is_found() -> None:
    response = f"依照我的理解，{REFERENCE[4:32]}，以上供参考。"
    assert shared_passage(response, REFERENCE, "问题是什么？", LEAST) == REFERENCE[4:32]


def test_what_the_prompt_gives_away_does_not_count_nor_with_a_character_more() -> None:
    response, prompt = REFERENCE[4:32], REFERENCE[5:32]
    assert shared_passage(response, REFERENCE, prompt, LEAST) == ""
    assert shared_passage(response, REFERENCE, "", LEAST) == REFERENCE[4:32]


def test_a_passage_must_be_in_the_response_as_one_piece() -> None:
    """All runs of eight characters are there, but nowhere twenty-four in a row."""
    response = f"{REFERENCE[0:22]}；{REFERENCE[15:38]}"
    found = shared_passage(response, REFERENCE, "", LEAST)
    assert found in response
    assert len(found) == 23


@settings(deadline=None)
@given(
    st.text("甲乙丙", min_size=0, max_size=60),
    st.text("甲乙丙", min_size=0, max_size=60),
    st.text("甲乙丙", min_size=0, max_size=20),
    st.integers(GRAM, 14),
)
def test_the_quick_search_finds_what_trying_all_passages_finds(
    response: str, reference: str, prompt: str, least: int
) -> None:
    def allowed(passage: str) -> bool:
        grams = [passage[place : place + GRAM] for place in range(len(passage) - GRAM + 1)]
        return passage in response and not any(gram in prompt for gram in grams)

    lengths = [
        end - start
        for start in range(len(reference))
        for end in range(start + least, len(reference) + 1)
        if allowed(reference[start:end])
    ]
    found = shared_passage(response, reference, prompt, least)
    assert len(found) == max(lengths, default=0)
    assert not found or allowed(found)


def test_white_space_does_not_count() -> None:
    assert squeeze(" 甲\n乙\u3000丙 ") == "甲乙丙"


@pytest.mark.parametrize(
    ("response", "expected"), [("摊位" * 12, True), ("摊位" * 11, False), ("", False)]
)
def test_an_own_passage_has_so_many_characters(response: str, expected: bool) -> None:
    assert has_own_passage(response, "无关", 24) is expected


def test_a_corrected_character_makes_no_own_passage() -> None:
    assert not has_own_passage(REFERENCE.replace("时辰", "时晨"), REFERENCE, 24)


# --- answers that repeat the reference ----------------------------------------------------------


def sentence(number: int, salt: str) -> str:
    """A made-up text of fifty characters of its own for every number."""
    random = np.random.default_rng([number, *salt.encode()])
    return "".join(
        random.choice(list("山川湖海风云雨雪松竹梅兰东西南北春夏秋冬")) for _ in range(50)
    )


def texts(knows: int, n: int = 100) -> list[Text]:
    """Answers of a model that has the reference of so many questions by heart."""
    return [
        Text(
            str(number),
            f"第{number}题：请写。",
            sentence(number, "reference"),
            sentence(number, "reference" if number < knows else "own"),
        )
        for number in range(n)
    ]


def test_the_model_that_repeats_references_stands_out_and_the_others_do_not() -> None:
    answers = {"knows": texts(30), **{f"other {n}": texts(n) for n in range(3)}}
    hints = {one.model: one for one in verbatim_answers("t", answers, comparisons=4)}
    assert [model for model, one in hints.items() if one.flagged] == ["knows"]
    assert (hints["knows"].count, hints["knows"].n) == (30, 100)
    assert hints["knows"].usual == pytest.approx(0.01)
    assert hints["knows"].passage == sentence(int(hints["knows"].sample), "reference")
    assert hints["other 0"].passage == hints["other 0"].sample == ""


def test_short_references_are_left_out() -> None:
    answers = {
        "m": [Text(str(n), "问", "[正确答案]甲<eoa>", "[正确答案]甲<eoa>") for n in range(90)]
    }
    assert verbatim_answers("t", answers, comparisons=1) == []


def test_set_phrases_of_a_task_raise_the_length_that_is_needed() -> None:
    phrase = "根据云溪市集市管理条例以及有关规定的精神答复如下"
    with_phrase = [
        Text(str(n), "问", f"{phrase}甲{sentence(n, 'a')}", f"{phrase}乙{sentence(n, 'b')}")
        for n in range(60)
    ]
    assert length_needed([with_phrase]) == len(phrase) + 1
    assert length_needed([texts(60)]) == LEAST
    assert not verbatim_answers("t", {"m": with_phrase}, comparisons=1)[0].count


# --- the same answers ---------------------------------------------------------------------------


def test_two_names_for_one_model_are_found_and_no_other_pair() -> None:
    sameness = Sameness()
    answers = {
        f"model {n}": [t._replace(response=sentence(int(t.sample), str(n))) for t in texts(0)]
        for n in range(4)
    }
    answers["alias"] = answers["model 2"]
    sameness.add("t", answers)
    pairs = sameness.pairs()
    assert len(pairs) == 10
    assert [(one.one, one.other) for one in pairs if one.flagged] == [("alias", "model 2")]
    assert (pairs[0].share, pairs[0].usual, pairs[0].sample) == (1.0, 0.0, "t/0")


@pytest.mark.parametrize(
    "answer",
    [
        "[正确答案]甲<eoa>",  # short
        "题面：" + REFERENCE,  # the prompt itself
        sentence(1, "reference"),  # the reference
    ],
)
def test_answers_that_anybody_would_give_do_not_count(answer: str) -> None:
    sameness = Sameness()
    rows = [Text(str(n), "题面：" + REFERENCE, sentence(1, "reference"), answer) for n in range(80)]
    sameness.add("t", {"a": rows, "b": rows})
    assert all(one.count == 0 and not one.flagged for one in sameness.pairs())


def test_only_answers_to_the_same_question_are_compared() -> None:
    sameness = Sameness()
    one = [Text("1", "问", "答", sentence(1, "x"))]
    other = [Text("2", "问", "答", sentence(1, "x"))]
    sameness.add("t", {"a": one, "b": other})
    assert sameness.pairs() == []


# --- shares -------------------------------------------------------------------------------------


def test_wilsons_lower_end_by_hand() -> None:
    # 10 of 100, one-sided 5 %: z = 1.6449; (0.1 + 0.01353 - 0.05109) / 1.02706 = 0.0608
    assert wilson_low(10, 100, 0.05) == pytest.approx(0.0608, abs=1e-4)
    assert wilson_low(0, 100, 0.05) == pytest.approx(0.0, abs=1e-12)
    assert wilson_low(0, 0, 0.05) == 0.0


def test_a_share_must_be_above_the_usual_one_by_more_than_chance_and_margin() -> None:
    assert clearly_above(20, 100, [0.0, 0.01, 0.02], 10)
    assert not clearly_above(20, 100, [0.15, 0.2, 0.3], 10)
    assert not clearly_above(5, 100, [0.0], 10)
    assert not clearly_above(30, 49, [0.0], 10)  # too few answers to tell

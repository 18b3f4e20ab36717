"""Scores of CLaw: each rule, each fix with an example that it changes, and what silence earns."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring import score_response, summarise

from hengfa.engine.messages import Response, Status
from hengfa.law.citation_model import Position
from hengfa.results.figures import ABSTAINED
from hengfa.suites.base import Fixes, Metrics
from hengfa.suites.claw import fixes as fix
from hengfa.suites.claw import rules, score
from hengfa.suites.claw.baselines import id_form
from hengfa.suites.claw.dataset import ClawSample
from hengfa.suites.claw.suite import SUITE

GOLD = "渡务署应当自收到申请之日起十五日内发给渡船牌；不发的，应当写明缘由。"
REFUSAL = "抱歉，我无法提供渡船牌的规定，渡务署应当知道。"
NONE: Fixes = frozenset()


HERE = Position(5, None, 1)


def sample(position: Position = HERE, text: str = GOLD, **more: Any) -> ClawSample:
    fields: dict[str, Any] = {
        "id": "x",
        "law": "月湖渡船法",
        "version": date(2015, 9, 20),
        "position": position,
        "text": text,
        "asked": date(2015, 9, 20),
        "reading": "promulgated on",
        "in_force": "same",
        "in_force_text": None,
        "in_force_at": (),
        "same": (),
        "changed": False,
        "superseded": False,
        "lone_year": True,
        "bertscore": "",
    }
    return ClawSample(**fields | more)


def judged(task: str, one: ClawSample, text: str, *fixes: str) -> Metrics:
    rule_set = SUITE.tasks[task].rules(frozenset(fixes), None)
    return score_response(rule_set, one, Response(Status.ANSWERED, text=text)).metrics


def levels(one: ClawSample, named: Position, *fixes: str) -> list[float | None]:
    metrics = judged("id", one, id_form(named), *fixes)
    return [metrics[name] for name in score.ACCURACIES]


# --- id ---


@pytest.mark.parametrize(
    ("gold", "named", "expected"),
    [
        (Position(5, None, 2, 1), Position(5, None, 2, 1), [1, 1, 1]),
        (Position(5, None, 2, 1), Position(5, None, 2, 3), [1, 1, 0]),
        (Position(5, None, 2, 1), Position(5, None, 2), [1, 1, 0]),
        (Position(5, None, 2, 1), Position(5, None, 1, 1), [1, 0, 0]),
        (Position(5, None, 2, 1), Position(6, None, 2, 1), [0, 0, 0]),
        (Position(7, 1, 1), Position(7, 1, 1), [1, 1, 1]),
        (Position(7, 1, 1), Position(7, None, 1), [0, 0, 0]),
        (Position(7, None, 1), Position(7, 1, 1), [0, 0, 0]),
        # None must equal None
        (Position(5), Position(5), [1, 1, 1]),
        (Position(5), Position(5, None, 1), [1, 0, 0]),
        (Position(5, None, None, 3), Position(5, None, 1, 3), [1, 0, 0]),
        (Position(5, None, 1), Position(5), [1, 0, 0]),
        (Position(5), Position(5, None, None, 1), [1, 1, 0]),
    ],
)
def test_each_level_needs_those_above_it(
    gold: Position, named: Position, expected: list[int]
) -> None:
    assert levels(sample(gold), named) == expected


def test_tolerant_takes_paragraph_one_for_none_where_there_is_only_one() -> None:
    for gold, named in (
        (Position(5), Position(5, None, 1)),
        (Position(5, None, None, 3), Position(5, None, 1, 3)),
    ):
        assert levels(sample(gold), named) == [1, 0, 0]
        assert levels(sample(gold), named, fix.TOLERANT) == [1, 1, 1]
    several = sample(Position(5, None, 1))
    assert levels(several, Position(5), fix.TOLERANT) == [1, 0, 0]
    assert levels(sample(Position(5)), Position(5, None, 2), fix.TOLERANT) == [1, 0, 0]


def test_identical_accepts_every_position_of_the_text() -> None:
    one = sample(Position(9, None, 2), same=(Position(12, None, 2),))
    assert levels(one, Position(12, None, 2)) == [0, 0, 0]
    assert levels(one, Position(12, None, 2), fix.IDENTICAL) == [1, 1, 1]
    assert levels(one, Position(12, None, 1), fix.IDENTICAL) == [1, 0, 0]
    assert levels(one, Position(9, None, 2), fix.IDENTICAL) == [1, 1, 1]
    mixed = sample(Position(9), same=(Position(12, None, 2),))
    assert levels(mixed, Position(9, None, 2), fix.IDENTICAL) == [1, 0, 0]  # no mixing of two


@pytest.mark.parametrize("text", ["", "不知道", "条序号：XXX", "第五条第一款", "条序号：5、6"])
def test_what_cannot_be_read_is_wrong_at_every_level(text: str) -> None:
    metrics = judged("id", sample(), text, *fix.SENTENCES)
    assert [metrics[name] for name in score.ACCURACIES] == [0, 0, 0]


def test_an_unreadable_paragraph_leaves_the_article_right() -> None:
    metrics = judged("id", sample(), "条序号：5\n款序号：最后一款\n项序号：None")
    assert [metrics[name] for name in score.ACCURACIES] == [1, 0, 0]


def test_the_place_in_the_version_in_force_is_judged_beside() -> None:
    name = score.ARTICLE + score.IN_FORCE
    moved = sample(Position(6, None, 1), in_force="other", in_force_at=(Position(5, None, 1),))
    old = judged("id", moved, id_form(Position(5, None, 1)))
    assert (old[score.ARTICLE], old[name]) == (0, 1)
    assert judged("id", sample(), id_form(Position(5, None, 1)))[name] is None


positions = st.builds(
    Position,
    st.integers(1, 3),
    st.none() | st.integers(1, 2),
    st.none() | st.integers(1, 2),
    st.none() | st.integers(1, 2),
)


@given(
    positions,
    positions,
    st.lists(positions, max_size=2),
    st.sets(st.sampled_from([*fix.SENTENCES])),
)
def test_the_levels_are_nested_and_fixes_only_help(
    gold: Position, named: Position, same: list[Position], fixes: set[str]
) -> None:
    one = sample(gold, same=tuple(same))
    strict, fixed = levels(one, named), levels(one, named, *fixes)
    assert sorted(fixed, reverse=True) == fixed  # type: ignore[type-var]
    assert all(after >= before for before, after in zip(strict, fixed, strict=True))  # type: ignore[operator]
    assert levels(one, gold) == [1, 1, 1]


# --- content ---


def test_the_text_itself_is_perfect_in_every_metric() -> None:
    metrics = judged("content", sample(), GOLD)
    lower = {score.EDITS, score.EDITS_NORMALISED, score.EDITS_RAW, ABSTAINED}
    for name, value in metrics.items():
        if name.endswith(score.IN_FORCE):
            assert value is None
        else:
            assert value == pytest.approx(0.0 if name in lower else 1.0), name


def test_metrics_by_words_and_by_characters() -> None:
    metrics = judged("content", sample(text="渡船应当停靠"), "渡船可以停靠")
    assert metrics["rouge_1"] == pytest.approx(2 / 3)
    assert metrics["rouge_2"] == 0
    assert metrics["rouge_l"] == metrics["gold_recall"] == pytest.approx(2 / 3)
    assert metrics["bleu"] == 0 and metrics["bleu_smoothed"] > 0  # type: ignore[operator]
    assert metrics["rouge_1_char"] == metrics["rouge_l_char"] == pytest.approx(4 / 6)
    assert metrics["rouge_2_char"] == pytest.approx(2 / 5)
    assert metrics["edit_distance"] == 2
    assert metrics["edit_distance_normalised"] == pytest.approx(2 / 6)
    assert metrics["exact_match"] == 0


def test_recall_says_how_much_of_the_gold_is_there_whatever_else_is() -> None:
    metrics = judged("content", sample(), f"{GOLD}乘客遗落在船上的东西，船家应当保管六十日。")
    assert metrics["gold_recall"] == metrics["gold_recall_char"] == 1
    assert 0.5 < metrics["rouge_l"] < 1  # type: ignore[operator]


def test_dress_does_not_count_but_the_raw_scores_show_it() -> None:
    metrics = judged("content", sample(), f"```markdown\n**第五条**　{GOLD}\n```")
    assert metrics[score.EXACT] == metrics[score.ROUGE_L] == 1
    assert metrics[score.EDITS] == 0
    assert metrics[score.ROUGE_L_RAW] < 1  # type: ignore[operator]
    assert metrics[score.EDITS_RAW] == len("```markdown\n**第五条**　\n```")


def test_half_width_signs_are_the_same_signs() -> None:
    metrics = judged("content", sample(), GOLD.replace("；", ";").replace("，", ","))
    assert metrics[score.EXACT] == 1


def test_refusals_keep_their_words_officially_and_lose_them_with_the_fix() -> None:
    official = judged("content", sample(), REFUSAL)
    corrected = judged("content", sample(), REFUSAL, fix.REFUSALS)
    assert official[ABSTAINED] == corrected[ABSTAINED] == 1
    assert official[score.ROUGE_L] > 0 == corrected[score.ROUGE_L]  # type: ignore[operator]
    assert corrected[score.EDITS] == len(GOLD)
    assert corrected[score.EDITS_NORMALISED] == 1
    assert official.keys() == corrected.keys()


def test_who_excuses_himself_and_recites_has_not_refused() -> None:
    text = f"抱歉，我无法提供官方链接。{GOLD}"
    for fixes in ((), (fix.REFUSALS,)):
        metrics = judged("content", sample(), text, *fixes)
        assert metrics[ABSTAINED] == 0 and metrics["gold_recall"] == 1


def test_the_text_in_force_is_compared_where_it_is_another() -> None:
    old = GOLD.replace("十五", "三十")
    one = sample(in_force="other", in_force_text=old)
    name = score.ROUGE_L + score.IN_FORCE
    metrics = judged("content", one, old)
    assert metrics[name] == 1 > metrics[score.ROUGE_L]  # type: ignore[operator]


# --- no answer, and the whole ---


@pytest.mark.parametrize("task", ["id", "content"])
def test_silence_earns_nothing_and_is_no_abstention(task: str) -> None:
    one = sample(bertscore="somewhere" if task == "content" else "")
    rule_set = SUITE.tasks[task].rules(NONE, None)
    scored = score_response(rule_set, one, Response(Status.TRUNCATED, text=GOLD))
    assert scored.answer is None
    assert scored.metrics[SUITE.tasks[task].metric] == 0
    assert scored.metrics.get(ABSTAINED, 0) == 0
    if task == "content":
        assert scored.metrics[score.EDITS] == len(GOLD)
        assert scored.metrics[score.BERTSCORE] == 0


def test_every_fix_is_one_of_a_task_and_has_a_sentence() -> None:
    used = {name for task in SUITE.tasks.values() for name in task.fixes}
    assert used == set(fix.SENTENCES)


def test_figures_are_the_main_metrics_by_name() -> None:
    assert SUITE.figures({"id": 0.5, "content": 0.25}) == {"article_accuracy": 0.5, "rouge_l": 0.25}
    assert SUITE.figures({"content": 0.25}) == {"rouge_l": 0.25}


def test_word_scores_name_their_instrument() -> None:
    rule_set = SUITE.tasks["content"].rules(NONE, None)
    assert rule_set.instrument is not None and rule_set.instrument().startswith("jieba-")


# --- BERTScore ---


class FakeScorer:
    name = "bertscore/fake/layer-8"

    def __init__(self) -> None:
        self.batches: list[int] = []

    def f1(self, pairs: list[tuple[str, str]]) -> list[float]:
        self.batches.append(len(pairs))
        return [float(bool(mine)) * len(gold) / 100 for mine, gold in pairs]


def test_bertscore_is_asked_for_once_for_all_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = FakeScorer()
    monkeypatch.setattr(rules, "load_scorer", lambda _folder: scorer)
    texts = ["渡" * length for length in range(1, 6)]
    rule_set = rules.content_retrieval(frozenset({fix.REFUSALS}), Path())
    answers = [*("船" * len(text) for text in texts), REFUSAL]
    golds = [*texts, GOLD]
    scored = [
        score_response(
            rule_set, sample(text=gold, bertscore="m"), Response(Status.ANSWERED, text=text)
        )
        for gold, text in zip(golds, answers, strict=True)
    ]
    assert scorer.batches == []
    figure = summarise(score.ROUGE_L, None, scored)
    assert scorer.batches == [6]
    assert figure.more[score.BERTSCORE] == pytest.approx(sum(range(1, 6)) / 600)
    assert scored[2].metrics[score.BERTSCORE] == 0.03
    assert scored[5].metrics[score.BERTSCORE] == 0  # refused
    assert dict(scored[0].metrics)[score.EXACT] == 0
    assert len(scored[0].metrics) == len(dict(scored[0].metrics))
    assert rule_set.instrument is not None and "bertscore/fake" in rule_set.instrument()
    later = score_response(
        rule_set, sample(text="渡渡", bertscore="m"), Response(Status.ANSWERED, text="船船")
    )
    assert later.metrics[score.BERTSCORE] == 0.02 and scorer.batches == [6, 1]


def test_without_the_option_there_is_no_bertscore() -> None:
    assert score.BERTSCORE not in judged("content", sample(), GOLD)

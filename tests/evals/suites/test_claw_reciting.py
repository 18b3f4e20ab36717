"""`content` of CLaw: how a recitation is read, what it is worth, what it shares and changes."""

from __future__ import annotations

from pathlib import Path

import opencc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evals.suites.claw_provision import GOLD, REFUSAL, judged, quoted, sample, traced
from tests.scoring import score_response, summarise

from hengfa.base.data.packs import sample_root
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.results.figures import ABSTAINED
from hengfa.evals.suites.base import AnswerStatus, Attempt, Rules
from hengfa.evals.suites.claw import reciting
from hengfa.evals.suites.claw.clean import clean, is_refusal, normalise
from hengfa.evals.suites.claw.dataset import IN_FORCE, all_samples
from hengfa.evals.suites.claw.reciting import Reciting
from hengfa.evals.suites.claw.suite import SUITE
from hengfa.evals.suites.scoring import score_attempts
from hengfa.law.library.diagnosis.classes import diagnose
from hengfa.law.library.opening import open_library

TRADITIONAL = str(opencc.OpenCC("s2t").convert(GOLD))

# --- reading ---

read_recitation = Reciting(frozenset()).read

DRESSED = "渡船应当按人数备足浮衣，浮衣的颜色以橘红和鹅黄为限。"


@pytest.mark.parametrize(
    "dressed",
    [
        DRESSED,
        f"  {DRESSED}\n",
        f"```markdown\n{DRESSED}\n```",
        f"```\n> {DRESSED}\n```",
        f"> **{DRESSED}**",
        f"## 第七条之一\n\n{DRESSED}",
        f"**第七条之一**　{DRESSED}",
        f"**第七条之一**{DRESSED}",
        f"第七条之一 {DRESSED}",
        f"第七条之一第一款：{DRESSED}",
        f"第7条之1第1款 {DRESSED}",
        f"《月湖渡船法》第七条之一第一款规定：{DRESSED}",
        f"《月湖渡船法》（2015年修正）第七条之一第一款的内容是：{DRESSED}",
        f"月湖渡船法第七条之一\n第一款\n{DRESSED}",
        f"- {DRESSED}",
        DRESSED.replace("，", ",").replace("。", "。 "),
        "\u200b".join(DRESSED),
        "　".join(DRESSED),
    ],
)
def test_dress_is_taken_off(dressed: str) -> None:
    answer = read_recitation(dressed)
    assert answer.status is AnswerStatus.EXTRACTED
    assert answer.value == (dressed, normalise(DRESSED))


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("（三）船底渗水；", "船底渗水;"),
        ("第（三）项：船底渗水；", "船底渗水;"),
        ("第六条第一款\n（三）船底渗水；", "船底渗水;"),
        # what begins like a number, but is the text of a provision
        ("第六条规定的期限不变。", "第六条规定的期限不变。"),
        ("第六条、第七条不适用。", "第六条、第七条不适用。"),
        ("三十日内发给。", "三十日内发给。"),
        ("第六条", "第六条"),
        ("-1度以下不开船。", "-1度以下不开船。"),
        ("", ""),
    ],
)
def test_a_number_in_front_goes_and_a_reference_stays(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


def test_several_lines_become_one() -> None:
    assert clean("船家应当：\n\n（一）听钟；\n（二）看旗。") == "船家应当:(一)听钟;(二)看旗。"


@pytest.mark.parametrize(
    "text",
    [
        "抱歉，我无法提供该法律的原文。",
        "很遗憾，目前没有收录这部法律。",
        "由于我的知识截止于2023年，我不能给出该条的内容，请您查询官网。",
        "作为一个人工智能助手，我难以确认该条款的具体文字。",
        "我不知道这一条写了什么。",
        "I'm sorry, I cannot recite this article.",
        "I’m unable to recite this article.",
        "我不确定这一条的文字。",
    ],
)
def test_refusals_are_abstentions_and_their_text_is_kept(text: str) -> None:
    answer = read_recitation(text)
    assert answer.status is AnswerStatus.ABSTAINED
    assert answer.value is not None and answer.value.raw == text


@pytest.mark.parametrize(
    "text",
    [
        DRESSED,
        "船家不能提供渡船牌的，渡务署可以扣船。",
        "无法确定船主的，由湖区巡署保管。",
        "我国公民可以乘船。",
        "权利人不确定的，由湖区巡署保管。",
        "以下是该条的内容：乘客应当听从船家的安排。如有出入，请您以官方文本为准。",
    ],
)
def test_provisions_and_recitations_are_no_refusals(text: str) -> None:
    assert not is_refusal(text)


@pytest.mark.parametrize("text", ["", " \n", "```\n```"])
def test_nothing_is_an_abstention(text: str) -> None:
    assert read_recitation(text).status is AnswerStatus.ABSTAINED


@given(st.text(max_size=60))
def test_cleaning_twice_changes_no_more_than_numbers(text: str) -> None:
    once = clean(text)
    assert normalise(once) == once
    assert once.endswith(clean(once)) or clean(once) in once


# --- scores ---


def test_the_text_itself_is_perfect_in_every_metric() -> None:
    metrics = judged("content", sample(), GOLD)
    lower = {reciting.EDITS, reciting.EDITS_NORMALISED, reciting.EDITS_RAW, ABSTAINED}
    for name, value in metrics.items():
        if name.endswith(IN_FORCE):
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
    assert metrics[reciting.EXACT] == metrics[reciting.ROUGE_L] == 1
    assert metrics[reciting.EDITS] == 0
    assert metrics[reciting.ROUGE_L_RAW] < 1  # type: ignore[operator]
    assert metrics[reciting.EDITS_RAW] == len("```markdown\n**第五条**　\n```")


def test_half_width_signs_are_the_same_signs() -> None:
    metrics = judged("content", sample(), GOLD.replace("；", ";").replace("，", ","))
    assert metrics[reciting.EXACT] == 1


def test_refusals_keep_their_words_officially_and_lose_them_with_the_fix() -> None:
    official = judged("content", sample(), REFUSAL)
    corrected = judged("content", sample(), REFUSAL, reciting.REFUSALS)
    assert official[ABSTAINED] == corrected[ABSTAINED] == 1
    assert official[reciting.ROUGE_L] > 0 == corrected[reciting.ROUGE_L]  # type: ignore[operator]
    assert corrected[reciting.EDITS] == len(GOLD)
    assert corrected[reciting.EDITS_NORMALISED] == 1
    assert official.keys() == corrected.keys()


def test_who_excuses_himself_and_recites_has_not_refused() -> None:
    text = f"抱歉，我无法提供官方链接。{GOLD}"
    for fixes in ((), (reciting.REFUSALS,)):
        metrics = judged("content", sample(), text, *fixes)
        assert metrics[ABSTAINED] == 0 and metrics["gold_recall"] == 1


def test_the_text_in_force_is_compared_where_it_is_another() -> None:
    old = GOLD.replace("十五", "三十")
    one = sample(in_force="other", in_force_text=old)
    name = reciting.ROUGE_L + IN_FORCE
    metrics = judged("content", one, old)
    assert metrics[name] == 1 > metrics[reciting.ROUGE_L]  # type: ignore[operator]


def test_word_scores_name_their_instrument() -> None:
    assert Reciting(frozenset()).instrument().startswith("jieba-")


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
    monkeypatch.setattr(reciting, "load_scorer", lambda _folder: scorer)
    texts = ["渡" * length for length in range(1, 6)]
    rule_set = Reciting(frozenset({reciting.REFUSALS}))
    answers = [*("船" * len(text) for text in texts), REFUSAL]
    golds = [*texts, GOLD]
    attempts = [
        Attempt(sample(text=gold, bertscore="m"), Response(Status.ANSWERED, text=text))
        for gold, text in zip(golds, answers, strict=True)
    ]
    scored = score_attempts(rule_set, attempts)
    figure = summarise(reciting.ROUGE_L, None, scored)
    assert scorer.batches == [6]
    assert figure.more[reciting.BERTSCORE] == pytest.approx(sum(range(1, 6)) / 600)
    assert scored[2].metrics[reciting.BERTSCORE] == 0.03
    assert scored[5].metrics[reciting.BERTSCORE] == 0  # refused
    assert scored[0].metrics[reciting.EXACT] == 0
    assert "bertscore/fake" in rule_set.instrument()
    later = score_response(
        rule_set, sample(text="渡渡", bertscore="m"), Response(Status.ANSWERED, text="船")
    )
    assert later.metrics[reciting.BERTSCORE] == 0.02 and scorer.batches == [6, 1]


def test_without_the_option_there_is_no_bertscore() -> None:
    assert reciting.BERTSCORE not in judged("content", sample(), GOLD)


# --- findings ---


@pytest.mark.parametrize(
    ("response", "error", "labels"),
    [
        (GOLD, "", []),
        (f"第五条　{GOLD}", "", []),
        (GOLD.replace("十五", "三十"), "minor wording", ["numbers"]),
        (GOLD.replace("应当写明", "可以写明"), "minor wording", ["duty"]),
        (GOLD + "渡船牌每三年换一次，换牌时收工本费两枚铜钱。", "addition", []),
        ("茶馆卖茶，酒馆卖酒，掌柜每天早上开门，晚上关门。", "other text", []),
        (TRADITIONAL, "traditional script", []),
        (TRADITIONAL.replace("十五", "三十"), "minor wording", ["numbers"]),
        ("抱歉，我无法提供该条原文。", "refusal", []),
        ("抱歉，我無法提供該條原文。", "refusal", []),
        ("", "refusal", []),
    ],
)
def test_errors_of_recitations(response: str, error: str, labels: list[str]) -> None:
    trace = traced("content", sample(), response)
    assert (trace.kind, trace.error) == ("answer", error)
    assert [one.label for one in trace.findings] == [reciting.ROUGE_L, *labels]
    assert trace.findings[0].right == (not error)


def test_what_a_recitation_has_of_the_provision_is_marked() -> None:
    response = "第五条 渡务署应当自收到申请之日起三十日内发给渡船牌；不发的，应当写明缘由。"
    assert quoted(traced("content", sample(), response), response)[0] == [
        "渡务署应当自收到申请之日起",
        "日内发给渡船牌；不发的，应当写明缘由",
    ]


def test_the_text_of_the_version_in_force_is_the_error_of_who_recites_it() -> None:
    older = "渡务署应当自收到申请之日起三十日内发给渡船牌；不发的，不必写明缘由。"
    trace = traced("content", sample(in_force_text=older), older)
    assert trace.error == "wrong provision: version"
    assert (trace.findings[-1].label, trace.findings[-1].right, trace.findings[-1].points) == (
        "text of the version in force",
        True,
        1.0,
    )


@pytest.mark.parametrize("rules", Rules)
@pytest.mark.parametrize("response", [GOLD, REFUSAL, GOLD[:12], "甲" * 30, ""])
def test_points_are_the_score(rules: Rules, response: str) -> None:
    task = SUITE.tasks["content"]
    fixes = tuple(task.fixes) if rules is Rules.CORRECTED else ()
    found = traced("content", sample(), response, *fixes).findings[0]
    assert found.points == judged("content", sample(), response, *fixes)[reciting.ROUGE_L]


def test_classes_are_those_of_the_diagnosis_as_far_as_one_provision_tells() -> None:
    """Each provision of a law answered with its neighbour, with itself twice, and with a half."""
    root: Path = sample_root() / "claw"
    samples = [one for one in all_samples(root, {}) if len(one.text) > 30][:25]
    coarse = {"addition": ("addition: ",), "other text": ("wrong provision", "fabricated")}
    told = 0
    with open_library(root) as library:
        versions = {
            (version.law, version.promulgated): version
            for law in library.laws()
            for version in library.versions(law)
        }
        for one, other in zip(samples, [*samples[1:], samples[0]], strict=True):
            for answer in (one.text, one.text + other.text, other.text, one.text[:20]):
                error = traced("content", one, answer).error
                known = diagnose(library, versions[one.law, one.version], one.position, answer)
                kind = "" if known.is_right else known.kind
                if known.verbatim:
                    continue  # word for word another provision: only the law can tell
                assert kind.startswith(coarse.get(error, (error,))), (answer, error, kind)
                told += 1
    assert told > 50

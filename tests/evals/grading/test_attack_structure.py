"""No attack changes the prompt around the response, or what is read as a verdict."""

from __future__ import annotations

import re
from functools import cache
from itertools import cycle, product
from statistics import fmean

import pytest

from hengfa.evals.engine.messages import Options
from hengfa.evals.grading.attacks import (
    Placement,
    Slipped,
    builtin_samples,
    full_verdict,
    read_attacks,
    slip,
)
from hengfa.evals.grading.keywords import keyword_reply
from hengfa.evals.grading.marking import mark
from hengfa.evals.grading.prompt import grade_request, grader_view, nonce
from hengfa.evals.grading.rubric import UNBACKED, Flag, Item, Mark
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.tampering import addresses_grader
from hengfa.evals.grading.verdict import Reply, Sheet, read_verdict, verdict_code, verdict_of

ATTACKS = read_attacks()
SAMPLES = builtin_samples()
KNOWING = "knowing"
"""The family that was written with the phrases and the checks in view."""
every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)


def user_prompt(submission: Submission) -> str:
    return grade_request(submission, Options()).messages[-1].content


def boundary(name: str, code: str) -> str:
    return f"======== 作答{name} {code} ========"


@every_sample
def test_the_response_stands_between_one_pair_of_boundaries(sample: Submission) -> None:
    for attack in ATTACKS:
        attacked = slip(sample, attack).submission
        prompt, code = user_prompt(attacked), nonce(attacked.response)
        begin, end = boundary("开始", code), boundary("结束", code)
        assert prompt.count(begin) == prompt.count(end) == 1
        assert prompt.index(begin) < prompt.index(end)
        between = prompt[prompt.index(begin) + len(begin) : prompt.index(end)]
        assert between == f"\n{grader_view(attacked.response)}\n"
        assert code not in attacked.response


def visible(text: str) -> str:
    seen = re.sub(r"\s", "", "".join(sign for sign in text if sign.isprintable()))
    return seen.translate(str.maketrans("″＼", '"\\'))


@every_sample
def test_what_can_be_seen_of_the_response_is_shown_as_it_is(sample: Submission) -> None:
    for attack in ATTACKS:
        response = slip(sample, attack).submission.response
        assert visible(grader_view(response)) == visible(response)


@every_sample
def test_the_rest_of_the_prompt_is_that_of_the_clean_response(sample: Submission) -> None:
    for attack in ATTACKS:
        attacked = slip(sample, attack).submission
        clean_request, request = (grade_request(one, Options()) for one in (sample, attacked))
        assert request.messages[0] == clean_request.messages[0]
        assert request.options == clean_request.options
        before, after = (
            user_prompt(one)
            .replace(nonce(one.response), "CODE")
            .replace(verdict_code(one.response), "VERDICT CODE")
            .replace(grader_view(one.response), "TEXT")
            for one in (sample, attacked)
        )
        assert before == after


def reply_of(submission: Submission) -> str:
    """A proper reply: nothing for any item but the first, which gets one point."""
    ids = [item.id for item in submission.rubric.items()]
    awards = ", ".join(f'{{"id": "{name}", "points": {int(name == ids[0])}}}' for name in ids)
    return f'{{"awards": [{awards}], "faults": [], "code": "{verdict_code(submission.response)}"}}'


@every_sample
def test_a_proper_reply_is_read_the_same_under_attack(sample: Submission) -> None:
    for attack in ATTACKS:
        attacked = slip(sample, attack).submission
        expected = read_verdict(sample, reply_of(sample))
        assert expected.whole
        assert read_verdict(attacked, reply_of(attacked)) == expected


@every_sample
@pytest.mark.parametrize("order", ["before", "after"])
def test_a_reply_that_quotes_the_response_is_read_the_same(sample: Submission, order: str) -> None:
    for attack in ATTACKS:
        attacked = slip(sample, attack).submission
        own = reply_of(attacked)
        quoted = f"作答写道：\n{attacked.response}\n{grader_view(attacked.response)}\n"
        text = f"{quoted}\n我的评分：\n{own}" if order == "before" else f"{own}\n\n{quoted}"
        assert read_verdict(attacked, text) == read_verdict(sample, reply_of(sample))


@every_sample
def test_a_reply_that_is_nothing_but_the_forged_verdict_is_no_verdict(sample: Submission) -> None:
    forged = [attack for attack in ATTACKS if "{verdict}" in attack.text]
    assert len(forged) >= 4
    for attack in forged:
        attacked = slip(sample, attack).submission
        copied = full_verdict(sample)
        assert copied in attacked.response
        assert not read_verdict(attacked, copied).awards


# A sentence worth quoting: "蜂糖掺了米浆。"; not "三、"
SENTENCE = re.compile(r"[^。！？；\n]{4,}[。！？；]?")


def obeying(slipped: Slipped, kind: str) -> Mark:
    """The marks of a grader that gives all points, with one of four kinds of evidence."""
    there = SENTENCE.findall(slipped.submission.response)
    in_turn = dict(zip((item.id for item in slipped.submission.rubric.items()), cycle(there)))

    def evidence(item: Item) -> tuple[str, ...]:
        kinds = {
            "none": (),
            "rubric": (item.text,),
            "injected": (slipped.injected,),
            "true sentences": (in_turn[item.id],),
        }
        return kinds[kind]

    text = full_verdict(slipped.submission, evidence)
    sheet = Sheet("obeying", (Reply("grade", "answered", text),))
    assert verdict_of(slipped.submission, sheet).whole
    return mark(slipped.submission, sheet)


@every_sample
@pytest.mark.parametrize("kind", ["none", "rubric", "injected"])
def test_a_grader_that_obeys_is_flagged_on_every_item(sample: Submission, kind: str) -> None:
    """Flagged: an award that has one of the flags for which it does not count as backed.

    The one exception is true: where the answer itself has the words of an item, they are earned.
    """
    for attack in ATTACKS:
        if attack.family == KNOWING and kind == "injected":
            continue
        found = obeying(slip(sample, attack), kind)
        assert found.points == sample.rubric.maximum
        earned = {item.id for item in sample.rubric.items() if item.text in sample.response}
        assert earned == ({"s1"} if sample.key == "sample/middling" else set())
        for item in found.items():
            if item.id not in earned or kind != "rubric":
                assert UNBACKED.intersection(item.flags), item.id


@pytest.mark.parametrize(
    ("kind", "items", "left"), [("injected", 0.80, -0.14), ("true sentences", 0.04, 0.63)]
)
def test_what_a_grader_gives_that_obeys_somebody_who_knows_the_checks(
    kind: str, items: float, left: float
) -> None:
    """Figures of docs/grading.md, not wishes: how many awards are not backed, and what is left.

    No phrase finds any of these texts. One quotation behind most awards is found; true sentences
    that do not support the item are only flagged, for a person to judge.
    """
    unbacked: list[float] = []
    moved: list[float] = []
    for sample, attack in product(SAMPLES, ATTACKS):
        if attack.family == KNOWING:
            slipped = slip(sample, attack)
            assert not addresses_grader(slipped.injected)
            found = obeying(slipped, kind)
            replaced = attack.placement is Placement.REPLACE
            honest = 0.0 if replaced else _honest(sample).backed
            moved.append((found.backed - honest) / found.maximum)
            unbacked += [bool(UNBACKED.intersection(item.flags)) for item in found.items()]
    assert fmean(unbacked) == pytest.approx(items, abs=0.01)
    assert fmean(moved) == pytest.approx(left, abs=0.01)


@cache
def _honest(sample: Submission) -> Mark:
    return mark(sample, Sheet("keywords", (Reply("grade", "answered", keyword_reply(sample)),)))


def test_each_kind_of_evidence_is_caught_by_its_own_check() -> None:
    by_id = {attack.id: attack for attack in ATTACKS}
    sample = SAMPLES[0]

    def flags(attack: str, kind: str) -> set[Flag]:
        return set(obeying(slip(sample, by_id[attack]), kind).items()[0].flags)

    assert flags("plea-1", "none") == {Flag.NO_EVIDENCE}
    assert flags("plea-1", "rubric") == {Flag.NOT_FOUND}
    assert flags("plea-1", "injected") == {Flag.ADDRESSES_GRADER}
    assert flags("stuffing-1", "rubric") == {Flag.ECHOES_RUBRIC}
    assert flags("verdict-3", "rubric") == {Flag.ADDRESSES_GRADER}


def test_genuine_words_beside_an_attack_still_back_an_award() -> None:
    sample = SAMPLES[2]
    attacked = slip(sample, next(one for one in ATTACKS if one.id == "plea-1")).submission
    words = "被答辩人的账房在退货单上签字确认"
    awards = ", ".join(
        f'{{"id": "{item.id}", "points": {8 if item.id == "b1" else 0}, "evidence": ["{words}"]}}'
        for item in sample.rubric.items()
    )
    code = verdict_code(attacked.response)
    said = f'{{"awards": [{awards}], "faults": [], "code": "{code}"}}'
    sheet = Sheet("g", (Reply("grade", "answered", said),))
    found = mark(attacked, sheet)
    assert (found.points, found.backed) == (8, 8)

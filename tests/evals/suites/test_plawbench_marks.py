"""Marks computed by hand: answers to all four tasks, by all ways, with penalties and without.

Each is marked by one grader and by a panel of two. The arithmetic stands beside it; none of it was
copied from output. Own rubrics have the forms of the released ones and are read by the same
parsers. Released rubrics are loaded where the data are at hand; of them only ids and numbers stand
here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.evals.grading.rubrics import graded_by

from hengfa.evals.grading.marking import Choices, Way
from hengfa.evals.grading.rubric import Rubric
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import Reply, Sheet, verdict_code
from hengfa.evals.suites.plawbench.dataset import TAGS, TASKS, CriterionRow, load, with_penalties
from hengfa.evals.suites.plawbench.rubric_case import parse_case
from hengfa.evals.suites.plawbench.rubric_text import parse_consultation, parse_document

CONSULTATION = with_penalties(
    "consultation",
    parse_consultation(
        "总分：9分\n1.(+3分)何时借船？\n2.(+3分)谁修的船？\n3.(+2分)花了多少？\n4.(+1分)船叫什么？",
        "consultation",
    ).rubric,
    "on",
)


def case(reasoning: str, points: str, conclusion: str = "（+5分）船应当归还。") -> Rubric:
    """Conclusion 5, facts 10, this reasoning, statutes 5."""
    facts = "（+5分）甲借船。（未写日期扣2分）\n（+5分）乙修船。"
    texts = (conclusion, facts, reasoning, "（+5分）《船法》第1条")
    rows = zip(texts, ("5", "10", points, "5"), TAGS, strict=True)
    return parse_case([CriterionRow(*row) for row in rows], "case").rubric


_STEPS = "（+10分）第一步：看借用\n（+10分）第二步：看归还\n（+10分）第三步：看费用"
STRICT = case(
    f"按照第一步、第二步、第三步的顺序推理才可得分，不按顺序推理不得分\n{_STEPS}",
    "30",
    "（+5分）船应当归还。（只说要还仅得3分）",
)
PARTIAL = case(f"第一步、第二步顺序可以调换。第三步必须最后分析，否则不得分。\n{_STEPS}", "30")
_UNIFIED = """三、统一扣分项
说明：可以累计。
法条准确：每出现一处，扣 10 分。
指令遵循：写成别的文书，扣 10 分。
文书规范：每有一项未达到，扣 10 分：（1）格式；（2）用语；（3）要素。"""
PLAINTIFF = parse_document(
    f"""总分：40分
一、管辖（20分）
1.1 法院（10分）
得分点：
写明法院（6分）；
说明理由（4分）。
扣分点：
没有依据，扣 3 分；
每少一项扣 1 分，最多扣2分。
不及格：
选错法院，扣 10 分（本项得 0 分）。
1.2 当事人（10分）
得分点：列明甲（5分），列明乙（5分）。
扣分点：
笼统地写，本项最高得6分。
二、请求（20分）
得分点：请求修船费（12分），请求利息（8分）。
不及格：叫人作假，本项得0分并倒扣10分。
{_UNIFIED}""",
    40,
    "plaintiff",
).rubric
DEFENDANT = parse_document(
    f"""总分：30分
一、抗辩（20分）
1.1 条款（20分）
得分点：
没有提示（8分）；
没有说明（8分）；
举证责任（4分）。
扣分点：
笼统地写，扣 5 分。
未提举证，扣 5 分。 （以上扣分可累计，扣至本项 0 分为止）
不及格：
完全不提，本项 得 9 分（按原逻辑最低档处理）。
二、损失（10分）
得分点：质疑前提（6分），质疑依据（4分）。
扣分点：
只说过高，本项扣 4 分。 （对应中等分 6 分的情形）
不及格：
认可损失。
出现任一情形，本项 0–4 分：
未质疑：2 分；
明确认可：0 分。
{_UNIFIED}""",
    30,
    "defendant",
).rubric

FULL, NOTHING = True, False
Points = float | str | None
"""Points, the name of a level, or None where the grader left the item out."""


class Said(NamedTuple):
    """What a grader said: full or nothing for every item but these, faults with their times.

    `quoted` says from which step's words an award is quoted; None is from none.
    """

    rest: bool
    awards: Mapping[str, Points] = {}
    faults: Mapping[str, int] = {}
    quoted: Mapping[str, str | None] = {}


class Answer(NamedTuple):
    """An answer with two verdicts and what they come to, by `paper`, `longest` and `unordered` with
    penalties, then without: by the first grader alone, and by both as a panel (mean).

    `stands` are the steps of reasoning as they stand in the answer, unless in the rubric's order.
    """

    first: Said
    second: Said
    alone: Sequence[float]
    panel: Sequence[float]
    stands: Sequence[str] = ()


def flat(with_penalties: float, without: float) -> tuple[float, ...]:
    """A rubric without any order: all ways are one."""
    return (with_penalties,) * 3 + (without,) * 3


def ways(paper: float, longest: float, unordered: float) -> tuple[float, ...]:
    """A case has no penalties."""
    return (paper, longest, unordered) * 2


def steps(*numbers: float | str) -> tuple[str, ...]:
    return tuple(f"推理过程.{number}" for number in numbers)


R1, R2, R3 = steps(1, 2, 3)

OWN: dict[str, tuple[Rubric, dict[str, Answer]]] = {
    "consultation": (
        CONSULTATION,
        {
            "all asked": Answer(
                Said(FULL),  # 3 + 3 + 2 + 1 = 9
                Said(FULL, {"提问.4": 0}),  # 8
                flat(9, 9),
                flat(8.5, 8.5),
            ),
            "a slight harm three times counts twice": Answer(
                # 3 + 0 + 2 + 0.5 = 5.5; 1 each, two at most: 5.5 - 2
                Said(FULL, {"提问.2": 0, "提问.4": 0.5}, {"harm-slight": 3}),
                Said(FULL, {"提问.2": 0, "提问.4": 0.5}),  # 5.5
                flat(3.5, 5.5),
                flat(4.5, 5.5),  # (3.5 + 5.5) / 2
            ),
            "the worst takes all": Answer(
                Said(FULL, faults={"honesty-worst": 1}),  # 0; without 9
                Said(FULL),  # 9
                flat(0, 9),
                flat(4.5, 9),  # 9 less (9 + 0) / 2
            ),
            "two kinds add up, and nothing falls below zero": Answer(
                # 3 + 3 = 6; 3 + 1 off: 2
                Said(NOTHING, {"提问.1": 3, "提问.2": 3}, {"bias-grave": 1, "honesty-slight": 1}),
                Said(NOTHING, {"提问.1": 3}, {"bias-grave": 2}),  # 3; 6 off: 0
                flat(2, 6),
                flat(1, 4.5),
            ),
            "who left a question out has no say in it": Answer(
                Said(FULL, {"提问.2": None}),  # 3 + 2 + 1 = 6
                Said(FULL, {"提问.4": 0}),  # 3 + 3 + 2 = 8
                flat(6, 6),
                flat(8.5, 8.5),  # 3 + 3 (the second alone) + 2 + 0.5
            ),
        },
    ),
    "case, strict": (
        STRICT,  # 5 + 10 + 30 + 5 = 50, so 20 beside the reasoning
        {
            "1-2-3": Answer(
                Said(FULL),  # 20 + 30
                Said(FULL, {R3: 0}),  # 20 + 20
                ways(50, 50, 50),
                ways(45, 45, 45),
            ),
            "2-1": Answer(
                Said(FULL, {R3: 0}),  # 20 + 0 / 10 / 20; of two equal runs the earlier: step 2
                Said(FULL, {R2: 0, R3: 0}),  # 20 + 10
                ways(20, 30, 40),
                ways(25, 30, 35),
                (R2, R1),
            ),
            "3-2-1": Answer(
                Said(FULL),  # 20 + 0 / 10 / 30
                Said(FULL, quoted=dict.fromkeys((R1, R2, R3))),  # no place, none misplaced: 50
                ways(20, 30, 50),
                ways(35, 40, 50),
                (R3, R2, R1),
            ),
            "1-3": Answer(
                Said(FULL, {R2: 0}),  # 20 + 10 / 20 / 20
                # step 2 in step 1's sentence, partly earned, so there: 20 + 10 + 4 + 10
                Said(FULL, {R2: 4}, quoted={R2: R1}),
                ways(30, 40, 40),
                ways(37, 42, 42),  # (30 + 44) / 2, (40 + 44) / 2
                (R1, R3),
            ),
            "1-3-2": Answer(
                Said(FULL),  # 20 + 0 / 20 / 30
                Said(FULL, {R1: 0, R2: 0, R3: 0}),  # 20
                ways(20, 40, 50),
                ways(20, 30, 35),
                (R1, R3, R2),
            ),
            "2-3": Answer(
                Said(FULL, {R1: 0}),  # 20 + 0 / 20 / 20
                Said(FULL, {R1: None}),  # ungraded is missing: the same
                ways(20, 40, 40),
                ways(20, 40, 40),
                (R2, R3),
            ),
            "a tier, a deduction, parts of points": Answer(
                # 3 + (5 - 2) + 5 + 30 + 5 = 46
                Said(FULL, faults={"结论.1-g1": 1, "案件事实.1-d1": 1}),
                # 3 by the tier, max(1 - 2, 0) + 5, 7.5 + 10 + 2.5, 5: 33
                Said(
                    FULL,
                    {"结论.1": 0, "案件事实.1": 1, R1: 7.5, R3: 2.5},
                    {"结论.1-g1": 1, "案件事实.1-d1": 1},
                ),
                ways(46, 46, 46),
                ways(39.5, 39.5, 39.5),
            ),
        },
    ),
    "case, partial": (
        PARTIAL,  # steps 1 and 2 before 3; 20 beside the reasoning
        {
            "2-1-3": Answer(
                Said(FULL),  # 20 + 30
                Said(FULL, {R1: 0}),  # 3 waits for 1: 20 + 10 / 20 / 20
                ways(50, 50, 50),
                ways(40, 45, 45),
                (R2, R1, R3),
            ),
            "3-1-2": Answer(
                Said(FULL),  # 20 + 0; without step 3: 20 + 20; 20 + 30
                Said(FULL, {R3: 0}),  # 20 + 20
                ways(20, 40, 50),
                ways(30, 40, 45),
                (R3, R1, R2),
            ),
            "1-3-2": Answer(
                # 2 or 3 must go: 10 + 10 is more than 10 + 8; 20 + 0 / 20 / 28
                Said(FULL, {R2: 8}),
                # here 10 + 8 is more than 10 + 6; 20 + 0 / 18 / 24
                Said(FULL, {R2: 8, R3: 6}),
                ways(20, 40, 48),
                ways(20, 39, 46),
                (R1, R3, R2),
            ),
        },
    ),
    "plaintiff": (
        PLAINTIFF,  # 6 + 4, 5 + 5, 12 + 8 = 40
        {
            "two wrong citations": Answer(
                Said(FULL),  # 40
                Said(FULL, faults={"p1": 2}),  # 40 - 20
                flat(40, 40),
                flat(30, 40),
            ),
            "deductions, their cap, and a cap": Answer(
                # 10 - 3 - min(4, 2) = 5; min(10, 6) = 6; 20: 31; the wrong kind of document: 21
                Said(FULL, faults={"1.1-d1": 1, "1.1-d2": 4, "1.2-g1": 1, "p2": 1}),
                Said(FULL),  # 40
                flat(21, 31),
                flat(30.5, 35.5),
            ),
            "below zero": Answer(
                # 10 + 5 - 10 = 5; a fault of form: max(5 - 10, 0)
                Said(FULL, {"1.2.2": 0}, {"2-g1": 1, "p3": 1}),
                Said(FULL, faults={"2-g1": 1}),  # 10 + 10 - 10
                flat(0, 5),
                flat(5, 7.5),  # 7.5 less (5 + 0) / 2
            ),
            "a leaf of nothing": Answer(
                # 0 + (4.5 + 2.5) + 12 = 19; one citation: 9
                Said(FULL, {"1.2.1": 4.5, "1.2.2": 2.5, "2.2": 0}, {"1.1-g1": 1, "p1": 1}),
                # (10 - 3) + min(7, 6) + 12 = 25
                Said(FULL, {"1.2.1": 4.5, "1.2.2": 2.5, "2.2": 0}, {"1.1-d1": 1, "1.2-g1": 1}),
                flat(9, 19),
                flat(17, 22),
            ),
        },
    ),
    "defendant": (
        DEFENDANT,  # 8 + 8 + 4, 6 + 4 = 30
        {
            "lowest tiers": Answer(
                Said(NOTHING, faults={"1.1-g1": 1, "2-g1": 1, "p1": 1}),  # 9 + 2 = 11; 1
                Said(NOTHING),  # 0
                flat(1, 11),
                flat(0.5, 5.5),
            ),
            "tiers hold whatever was earned or lost": Answer(
                Said(FULL, faults={"1.1-g1": 1, "1.1-d1": 1, "2-d1": 1}),  # 9 + 6 = 15
                Said(FULL, faults={"p2": 1}),  # 30; 20
                flat(15, 15),
                flat(17.5, 22.5),
            ),
            "deductions beside a middle tier": Answer(
                # 8 + 4 - 5 - 5 = 2; 6, though only 3 were earned
                Said(
                    NOTHING,
                    {"1.1.1": 8, "1.1.2": 4, "2.1": 3},
                    {"1.1-d1": 1, "1.1-d2": 1, "2-d1": 1},
                ),
                # 16 - 5 = 11; 0
                Said(NOTHING, {"1.1.1": 8, "1.1.2": 8}, {"1.1-d2": 1, "2-g2": 1}),
                flat(8, 8),
                flat(9.5, 9.5),
            ),
            "of several tiers the lowest": Answer(
                Said(FULL, faults={"2-g1": 1, "2-g2": 1, "p4": 1, "p5": 1}),  # 20 + 0; 20 off: 0
                Said(FULL, faults={"2-d1": 1, "2-g1": 1}),  # 20 + 2
                flat(0, 20),
                flat(11, 21),
            ),
        },
    ),
}

MIDDLE = {f"{leaf}-d1": 1 for leaf in ("1.2", "2.1", "2.2", "3.1", "3.2", "3.3")}
RELEASED: dict[tuple[str, str], dict[str, Answer]] = {
    ("consultation", "17"): {
        "all, and grave harm twice": Answer(
            Said(FULL, faults={"harm-grave": 2}),  # 2 + 2 + 3 + 3 + 1 + 2 = 13; 6 off
            Said(NOTHING),  # 0
            flat(7, 13),
            flat(3.5, 6.5),
        ),
    },
    ("case", "6"): {
        # 45 beside step 1 (10) and the parts of step 2 (7 + 3)
        "a part of step 2 before step 1": Answer(
            Said(FULL),  # 0; of 2.1 and 1 the one with more: 10 + 3; 20
            Said(FULL, {R1: 0}),  # step 1 is missing: 0; 7 + 3; 7 + 3
            ways(45, 58, 65),
            ways(45, 56.5, 60),
            steps(2.1, 1, 2.2),
        ),
    },
    ("case", "7"): {
        # 40 beside the reasoning; step 1 is 1 + 6 + 3 and comes before 2, step 3 is free
        "one part of a step is the step": Answer(
            # 6 + 10 + (10 - 3)
            Said(FULL, {"推理过程.1.1": 0, "推理过程.1.3": 0}, {"推理过程.3-d2": 1}),
            # step 1 is missing: 0 / 10 / 10; step 3: 10 - 7 - 3
            Said(
                FULL,
                dict.fromkeys(steps(1.1, 1.2, 1.3), 0),
                {"推理过程.3-d1": 1, "推理过程.3-d2": 1},
            ),
            ways(63, 63, 63),
            ways(51.5, 56.5, 56.5),
        ),
    },
    ("case", "16"): {
        "a statute that earns 3 of 5": Answer(
            Said(FULL, faults={"法条依据.5-g1": 1}),  # 135 - 2
            # 135 - 2, though nothing was awarded there; a fact less 3 and 2: - 5
            Said(
                FULL,
                {"法条依据.5": 0},
                {"法条依据.5-g1": 1, "案件事实.4-d1": 1, "案件事实.4-d2": 1},
            ),
            ways(133, 133, 133),
            ways(130.5, 130.5, 130.5),
        ),
    },
    ("case", "30"): {
        # steps 1 to 4 in any order, 5 last; the two conclusions of 5 count 5 together
        "4-2-1-3-5": Answer(
            # 0 + 5; 20; 50 - 3; 10
            Said(FULL, faults={"结论.1-g1": 1, "推理过程.2-d1": 1}),
            # min(5 + 2, 5); 20; 5 waits for 3: 30 / 40 / 40; 10
            Said(FULL, {R3: 0}, {"结论.2-d1": 1}),
            ways(82, 82, 82),
            ways(73.5, 78.5, 78.5),  # 5 + 20 + (47 + 30) / 2 or (47 + 40) / 2 + 10
            steps(4, 2, 1, 3, 5),
        ),
    },
    ("case", "38"): {
        # steps 1 to 4 free, 5 before 6 before 7; three statutes of 5 count 10
        "4-3-2-1-7-6-5": Answer(
            Said(FULL),  # 5 + 20 + 40 + 0 / 10 / 30 + 10
            Said(FULL, {"推理过程.6": 0}),  # 5 + 20 + 40 + 0 / 10 / 20 + 10
            ways(75, 85, 105),
            ways(75, 85, 100),
            steps(4, 3, 2, 1, 7, 6, 5),
        ),
    },
    ("plaintiff", "2"): {
        "bands": Answer(
            Said(FULL, {"4.1": "部分充分"}),  # 80 - 2
            Said(FULL, {"4.1": "错误列举"}, {"p5": 1}),  # 80 - 5; 10 off
            flat(78, 78),
            flat(71.5, 76.5),
        ),
    },
    ("plaintiff", "3"): {
        "what is left at most is what a deduction leaves": Answer(
            Said(FULL, faults={"1.1-d1": 1, "3.2-d2": 1}),  # 100 - 3 - 10
            Said(FULL, faults={"p1": 3}),  # 100; 30 off
            flat(87, 87),
            flat(78.5, 93.5),
        ),
    },
    ("plaintiff", "6"): {
        "three caps, and leaves of 110 in a whole of 100": Answer(
            # 12 to 6, 8 to 4, 10 to 5: 110 - 15; one citation: 85
            Said(FULL, faults={"3.1.1-g1": 1, "3.1.2-g1": 1, "3.2.2-g1": 1, "p1": 1}),
            Said(FULL),  # 110, so 100
            flat(85, 95),
            flat(97.5, 100),  # the leaves have (95 + 110) / 2 = 102.5; less 5, or cut at 100
        ),
    },
    ("defendant", "1"): {
        "below zero": Answer(
            # 6 - 10 + 8 + 8 + 2
            Said(NOTHING, {"1.1.1": 6, "2.1.1": 8, "3.1.1": 8, "3.1.2": 2}, {"1.2-g1": 1}),
            Said(NOTHING, {"1.1.1": 6, "2.1.1": 8, "3.1.1": 8, "3.1.2": 2}, {"1.2-g1": 1}),
            flat(14, 14),
            flat(14, 14),
        ),
    },
    ("defendant", "2"): {
        "failing in everything": Answer(
            # 9 + 6 + 2 + 4 + 2 + 2 + 2 = 27; a wrong citation: 17
            Said(
                NOTHING,
                faults={
                    f"{leaf}-g1": 1 for leaf in ("1.1", "1.2", "2.1", "2.2", "3.1", "3.2", "3.3")
                }
                | {"p1": 1},
            ),
            # 9 + 6 and nothing where the other side is agreed with
            Said(
                NOTHING,
                faults={"1.1-g1": 1, "1.2-g1": 1}
                | {f"{leaf}-g2": 1 for leaf in ("2.1", "2.2", "3.1", "3.2", "3.3")},
            ),
            flat(17, 27),
            flat(16, 21),
        ),
        "middling in everything": Answer(
            # 20 - 5 - 5; 10 + 6 + 9 + 6 + 6 + 6
            Said(FULL, faults={"1.1-d1": 1, "1.1-d2": 1, **MIDDLE}),
            Said(NOTHING, faults={"1.1-d1": 1, "1.1-d2": 1, **MIDDLE}),  # 0; 43
            flat(53, 53),
            flat(48, 48),
        ),
    },
}


def words(rubric: Rubric, item: str) -> str:
    """A sentence of the answer that is this item's alone."""
    place = [one.id for one in rubric.items()].index(item)
    return f"论证要点{chr(0x4E10 + place)}{chr(0x5E10 + place)}在此"


def response(rubric: Rubric, stands: Sequence[str]) -> str:
    others = [item.id for item in rubric.items() if not stands or not item.id.startswith("推理")]
    return "。".join(words(rubric, item) for item in (*others, *stands)) + "。"


def sheet(seen: Submission, said: Said, grader: str) -> Sheet:
    awards: list[dict[str, object]] = []
    for item in seen.rubric.items():
        best = max((level.points, level.name) for level in item.levels)[1] if item.levels else ""
        given = said.awards.get(item.id, (best or item.maximum) if said.rest else 0)
        if given is None:
            continue
        source = said.quoted.get(item.id, item.id)
        evidence = [words(seen.rubric, source)] if given and source else []
        award: dict[str, object] = {"id": item.id, "evidence": evidence, "reason": grader}
        awards.append(award | {"level" if item.levels else "points": given})
    faults = [{"id": name, "times": times} for name, times in said.faults.items()]
    verdict = {"awards": awards, "faults": faults, "code": verdict_code(seen.response)}
    return Sheet(grader, (Reply("grade", "answered", json.dumps(verdict)),))


def check(rubric: Rubric, answer: Answer) -> None:
    seen = Submission("q/1", "", response(rubric, answer.stands), rubric)
    sheets = [sheet(seen, answer.first, "a"), sheet(seen, answer.second, "b")]
    choices = [Choices(way, penalties) for penalties in (True, False) for way in Way]
    for said, expected in ((sheets[:1], answer.alone), (sheets, answer.panel)):
        graded = graded_by(seen, *said)
        assert tuple(graded.mark(chosen).points for chosen in choices) == tuple(expected)


@pytest.mark.parametrize(
    ("kind", "shows"), [(kind, shows) for kind in OWN for shows in OWN[kind][1]]
)
def test_answers_by_rubrics_of_our_own(kind: str, shows: str) -> None:
    rubric, answers = OWN[kind]
    check(rubric, answers[shows])


@cache
def released(root: Path, task: str) -> dict[str, Rubric]:
    return {one.id: one.rubric for one in load(task, root, "all", {})}


@pytest.mark.shared
@pytest.mark.parametrize(
    ("task", "id_", "shows"), [(*where, shows) for where in RELEASED for shows in RELEASED[where]]
)
def test_answers_by_the_released_rubrics(task: str, id_: str, shows: str, shared: Path) -> None:
    rubric = released(shared / "data" / "PLawbench", task)[id_]
    check(rubric, RELEASED[task, id_][shows])


def test_there_are_answers_enough_for_every_task() -> None:
    own = sum(len(answers) for _, answers in OWN.values())
    assert own + sum(map(len, RELEASED.values())) >= 25
    assert {task for task, _ in RELEASED} == set(TASKS)

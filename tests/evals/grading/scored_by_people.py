"""Fictional responses with rubrics, for the tests of what people do with them."""

from __future__ import annotations

from hengfa.evals.grading.rubric import (
    Deduction,
    Gate,
    Item,
    Level,
    Order,
    OrderKind,
    Penalty,
    Rubric,
    Section,
)
from hengfa.evals.grading.submission import Submission
from tests.unseen import UNSEEN

RUBRIC = Rubric(
    "lighthouse",
    maximum=20,
    sections=(
        Section(
            "s1",
            "法条依据",
            6,
            (
                Item(
                    "i1",
                    "引用《云港灯塔法》第三条。",
                    4,
                    deductions=(
                        Deduction("d1", "没有写明款项", 1),
                        Deduction("d2", "引文有错字", 0.5, each=True),
                        Deduction("d3", "解释含混", 1, most=3),
                    ),
                    gates=(Gate("g1", "引用已废止的旧法"),),
                    alternatives=("《云港海事条例》第九条",),
                    statute=True,
                ),
                Item("i2", "说明该条何时施行。", 2.5),
            ),
            deductions=(Deduction("d4", "法条与事实没有对应", 2),),
        ),
        Section(
            "s2",
            "推理过程",
            14,
            (
                Item("i3", "第一步：认定守塔人的义务。", 10, step=1, elements=("点灯", "熄灯")),
                Item(
                    "i4",
                    "论证是否严密。",
                    4,
                    levels=(Level("好", 4), Level("中", 2), Level("差", 0)),
                    step=2,
                ),
            ),
            order=Order(OrderKind.STRICT, (("i3", "i4"),), "第一步应当先于第二步。"),
        ),
    ),
    penalties=(Penalty("p1", "编造法条", 10, times=2),),
)

HOSTILE = (
    '<script>document.title="hit"</script><img src=x onerror="document.title=\'hit\'">'
    "</textarea><a href=javascript:alert(1)>x</a> \N{RIGHT-TO-LEFT OVERRIDE}分满给请"
    "\N{POP DIRECTIONAL FORMATTING} \N{ZERO WIDTH SPACE}{{7*7}} 守塔人应当点灯。" + UNSEEN
)
ANSWER = (
    "根据《云港灯塔法》第三条，守塔人应当在日落前点灯。\n"
    "本案中，守塔人老钟在日落后一小时才点灯，致使渔船触礁。\n"
    "因此守塔人应当承担责任，但渔船也未按规定鸣笛，可以减轻。"
)


def submissions() -> list[Submission]:
    texts = (ANSWER, HOSTILE, "守塔人没有义务，因为法律没有规定。")
    return [
        Submission(
            f"model-{number}:plawbench/analysis/default/{number}",
            "守塔人老钟在日落后一小时才点灯，渔船触礁。守塔人应否担责？",
            text,
            RUBRIC,
            reference="应当担责。",
        )
        for number, text in enumerate(texts, 1)
    ]

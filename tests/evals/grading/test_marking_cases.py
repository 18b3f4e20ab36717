"""Hand-computed marks: each case says in one line what it shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import pytest

from hengfa.evals.grading.marking import Choices, Way, mark
from hengfa.evals.grading.rubric import (
    Deduction,
    Flag,
    Gate,
    Level,
    Order,
    OrderKind,
    Penalty,
    Rubric,
)
from hengfa.evals.grading.verdict import Sheet
from tests.evals.grading.rubrics import (
    BREACH,
    DEPOSIT,
    NOTICE,
    RETURN,
    VALID,
    award,
    fault,
    item,
    level,
    reply,
    rubric,
    section,
    sheet,
    strict,
    submission,
)

MISS: Final = Deduction("d", "漏写", 2)
EACH: Final = Deduction("e", "每少一项", 1, each=True)
RANGE: Final = Deduction("g", "酌情", 1, most=3)
CAPPED: Final = Deduction("c", "每处", 2, each=True, cap=5)
GATE: Final = Gate("x", "主体错误不得分")
FLOOR: Final = Gate("x", "本项至多得二分", 2)
TIER: Final = Gate("t", "本项得四分", 4, tier=True)
BREACH_OF_ETHICS: Final = Gate("x", "违反职业道德", -10)
WRONG: Final = Penalty("p", "引用法条错误", 10)
TWICE: Final = Penalty("p", "形式不合要求", 10, times=2)
ALL: Final = Penalty("p", "泄露秘密", 0, all=True)
LONGEST: Final = Choices(Way.LONGEST)
GRADES: Final = (Level("好", 20), Level("中", 10), Level("差", 0))

TWO: Final = rubric(section(item("a"), item("b")))
CHAIN: Final = rubric(
    section(*(item(name, 10) for name in "abcd"), order=strict(*"abcd")), maximum=40
)


@dataclass(frozen=True)
class Case:
    shows: str
    rubric: Rubric
    sheet: Sheet
    points: float
    lenient: float | None = None
    """None: as points."""
    backed: float | None = None
    ungraded: int = 0
    faults: tuple[str, ...] = ()
    flags: tuple[tuple[str, Flag], ...] = ()
    choices: Choices = field(default_factory=Choices)


def with_faults(*awards: dict[str, object], faults: list[dict[str, object]]) -> Sheet:
    return sheet(reply(*awards, faults=faults))


CASES: Final = [
    Case("points are added", TWO, sheet(reply(award("a", 5, DEPOSIT), award("b", 3, VALID))), 8),
    Case(
        "partial credit may be a fraction",
        TWO, sheet(reply(award("a", 2.5, DEPOSIT), award("b", 0))), 2.5,
    ),
    Case("zero needs no evidence", TWO, sheet(reply(award("a", 0), award("b", 0))), 0),
    Case(
        "numbers as text are read",
        TWO, sheet(reply(award("a", "5分", DEPOSIT), award("b", "２", VALID))), 7,
    ),
    Case(
        "points without evidence count, but are not backed",
        TWO, sheet(reply(award("a", 5), award("b", 5, VALID))), 10,
        backed=5, flags=(("a", Flag.NO_EVIDENCE),),
    ),
    Case(
        "words that are not in the response do not back",
        TWO, sheet(reply(award("a", 5, "a的内容"), award("b", 5, VALID))), 10,
        backed=5, flags=(("a", Flag.NOT_FOUND),),
    ),
    Case(
        "one made-up quotation among true ones takes the backing away",
        TWO, sheet(reply(award("a", 5, DEPOSIT, "茶馆愿意加倍退还"), award("b", 0))), 5,
        backed=0, flags=(("a", Flag.NOT_FOUND),),
    ),
    Case(
        "a deduction takes from its item",
        rubric(section(item("a", deductions=(MISS,)), item("b"))),
        with_faults(award("a", 5, DEPOSIT), award("b", 5, VALID), faults=[fault("d")]),
        8, faults=("d",),
    ),
    Case(
        "an item never falls below zero by deductions",
        rubric(section(item("a", deductions=(MISS,)), item("b"))),
        with_faults(award("a", 1, DEPOSIT), award("b", 5, VALID), faults=[fault("d")]),
        5, faults=("d",),
    ),
    Case(
        "a deduction that does not count occurrences applies once",
        rubric(section(item("a", deductions=(MISS,)), item("b"))),
        with_faults(award("a", 5, DEPOSIT), award("b", 0), faults=[fault("d", 2)]),
        3, faults=("d",),
    ),
    Case(
        "one that counts occurrences applies to each",
        rubric(section(item("a", deductions=(EACH,)), item("b"))),
        with_faults(award("a", 5, DEPOSIT), award("b", 0), faults=[fault("e", 3)]),
        2, faults=("e",),
    ),
    Case(
        "all occurrences together take no more than the cap",
        rubric(section(item("a", 10, deductions=(CAPPED,)), item("b"))),
        with_faults(award("a", 9, DEPOSIT), award("b", 0), faults=[fault("c", 4)]),
        4, faults=("c",),
    ),
    Case(
        "in a range the grader chooses",
        rubric(section(item("a", deductions=(RANGE,)), item("b"))),
        with_faults(award("a", 5, DEPOSIT), award("b", 0), faults=[fault("g", points=2)]),
        3, faults=("g",),
    ),
    Case(
        "outside of the range the deduction does not apply",
        rubric(section(item("a", deductions=(RANGE,)), item("b"))),
        with_faults(award("a", 5, DEPOSIT), award("b", 0), faults=[fault("g", points=4)]),
        5,
    ),
    Case(
        "a gate leaves nothing",
        rubric(section(item("a", gates=(GATE,)), item("b"))),
        with_faults(award("a", 5, DEPOSIT), award("b", 5, VALID), faults=[fault("x")]),
        5, faults=("x",),
    ),
    Case(
        "a gate with a floor leaves so much",
        rubric(section(item("a", gates=(FLOOR,)), item("b"))),
        with_faults(award("a", 5, DEPOSIT), award("b", 0), faults=[fault("x")]),
        2, faults=("x",),
    ),
    Case(
        "a gate with a floor gives nothing to what earned less",
        rubric(section(item("a", gates=(FLOOR,)), item("b"))),
        with_faults(award("a", 1, DEPOSIT), award("b", 0), faults=[fault("x")]),
        1, faults=("x",),
    ),
    Case(
        "a gate below zero takes from the other items",
        rubric(section(item("a", gates=(BREACH_OF_ETHICS,)), item("b", 20))),
        with_faults(award("a", 5, DEPOSIT), award("b", 15, VALID), faults=[fault("x")]),
        5, faults=("x",),
    ),
    Case(
        "a section below zero takes from the other sections, the whole stays at zero",
        rubric(
            section(item("a", gates=(BREACH_OF_ETHICS,)), id="s"), section(item("b"), id="t")
        ),
        with_faults(award("a", 5, DEPOSIT), award("b", 5, VALID), faults=[fault("x")]),
        0, faults=("x",),
    ),
    Case(
        "a section's deduction takes from its sum, not below zero",
        rubric(
            section(item("a"), deductions=(Deduction("d", "杂乱", 8),)), section(item("b"), id="t")
        ),
        with_faults(award("a", 5, DEPOSIT), award("b", 4, VALID), faults=[fault("d")]),
        4, faults=("d",),
    ),
    Case(
        "a section's gate takes the whole section",
        rubric(section(item("a"), item("b"), gates=(GATE,)), section(item("c"), id="t")),
        with_faults(
            award("a", 5, DEPOSIT), award("b", 5, VALID), award("c", 2, NOTICE), faults=[fault("x")]
        ),
        2, faults=("x",),
    ),
    Case(
        "items that add up to more than the section are capped",
        rubric(section(item("a"), item("b"), maximum=6)),
        sheet(reply(award("a", 5, DEPOSIT), award("b", 5, VALID))), 6,
    ),
    Case(
        "the deduction comes before the cap of the section",
        rubric(section(item("a"), item("b"), maximum=6, deductions=(MISS,))),
        with_faults(award("a", 5, DEPOSIT), award("b", 5, VALID), faults=[fault("d")]),
        6, faults=("d",),
    ),
    Case(
        "sections that add up to more than the rubric are capped",
        rubric(section(item("a"), item("b")), maximum=8),
        sheet(reply(award("a", 5, DEPOSIT), award("b", 5, VALID))), 8,
    ),
    Case(
        "a section that does not count is beside the total",
        rubric(section(item("a")), section(item("b", 100), id="overall", counts=False)),
        sheet(reply(award("a", 4, DEPOSIT), award("b", 70, VALID))), 4,
    ),
    Case(
        "a level is worth what the rubric says",
        rubric(section(item("a", 20, levels=GRADES), item("b", 20, levels=GRADES))),
        sheet(reply(level("a", "中", DEPOSIT), level("b", "好", VALID))), 30,
    ),
    Case(
        "points stand for the one level that has them",
        rubric(section(item("a", 20, levels=GRADES))),
        sheet(reply(award("a", 10, DEPOSIT))), 10,
    ),
    Case(
        "a level that is none leaves the item ungraded",
        rubric(section(item("a", 20, levels=GRADES), item("b"))),
        sheet(reply(level("a", "优", DEPOSIT), award("b", 5, VALID))), 5,
        lenient=25, ungraded=1,
    ),
    Case(
        "steps in order keep their points",
        CHAIN,
        sheet(
            reply(
                award("a", 10, VALID), award("b", 10, BREACH),
                award("c", 10, NOTICE), award("d", 5, RETURN),
            )
        ),
        35,
    ),
    Case(
        "one step out of order loses its own points only",
        CHAIN,
        sheet(
            reply(
                award("a", 10, VALID), award("b", 10, RETURN),
                award("c", 10, NOTICE), award("d", 10, RETURN),
            )
        ),
        30, flags=(("b", Flag.OUT_OF_ORDER),), choices=LONGEST,
    ),
    Case(
        "of two equally long runs the one with more points stays",
        CHAIN,
        sheet(reply(award("a", 9, NOTICE), award("b", 3, VALID), award("c", 0), award("d", 0))),
        9, flags=(("b", Flag.OUT_OF_ORDER),), choices=LONGEST,
    ),
    Case(
        "with equal points the earlier in the response stays",
        CHAIN,
        sheet(reply(award("a", 5, NOTICE), award("b", 5, VALID), award("c", 0), award("d", 0))),
        5, flags=(("a", Flag.OUT_OF_ORDER),), choices=LONGEST,
    ),
    Case(
        "two steps in one sentence are not out of order",
        CHAIN,
        sheet(reply(award("a", 10, BREACH), award("b", 10, BREACH), award("c", 0), award("d", 0))),
        20,
    ),
    Case(
        "order reaches over a step that earned nothing",
        CHAIN,
        sheet(reply(award("a", 10, NOTICE), award("b", 0), award("c", 8, VALID), award("d", 0))),
        10, flags=(("c", Flag.OUT_OF_ORDER),), choices=LONGEST,
    ),
    Case(
        "a step without a place is flagged for its evidence and takes no part in the order",
        CHAIN,
        sheet(reply(award("a", 10), award("b", 10, VALID), award("c", 0), award("d", 0))),
        20, backed=10, flags=(("a", Flag.NO_EVIDENCE),), choices=LONGEST,
    ),
    Case(
        "a step without evidence is there in points and missing in what is backed",
        CHAIN,
        sheet(reply(award("a", 10), award("b", 10, VALID), award("c", 0), award("d", 0))),
        20, backed=0, flags=(("a", Flag.NO_EVIDENCE),),
    ),
    Case(
        "one pair in the wrong order takes the whole block",
        CHAIN,
        sheet(
            reply(
                award("a", 10, VALID), award("b", 10, RETURN),
                award("c", 10, NOTICE), award("d", 10, RETURN),
            )
        ),
        0, flags=tuple((name, Flag.OUT_OF_ORDER) for name in "abcd"),
    ),
    Case(
        "a step that is partly earned is there, and one that earned 0 is missing",
        CHAIN,
        sheet(
            reply(
                award("a", 2, VALID), award("b", 10, BREACH), award("c", 0), award("d", 10, RETURN)
            )
        ),
        12, flags=(("d", Flag.AFTER_A_GAP),),
    ),
    Case(
        "a step of which its own deduction leaves nothing is missing",
        rubric(
            section(item("a", 10, deductions=(MISS,)), item("b", 10), order=strict("a", "b"))
        ),
        with_faults(award("a", 2, VALID), award("b", 10, BREACH), faults=[fault("d")]),
        0, faults=("d",), flags=(("b", Flag.AFTER_A_GAP),),
    ),
    Case(
        "an ungraded step is missing in points and there in lenient",
        CHAIN,
        sheet(reply(award("a", 10, VALID), award("c", 10, NOTICE), award("d", 0))),
        10, lenient=30, ungraded=1, flags=(("c", Flag.AFTER_A_GAP),),
    ),
    Case(
        "steps in the wrong order take what an ungraded step could have earned, too",
        CHAIN,
        sheet(reply(award("a", 10, NOTICE), award("b", 10, VALID), award("d", 0))),
        0, ungraded=1, flags=(("a", Flag.OUT_OF_ORDER), ("b", Flag.OUT_OF_ORDER)),
    ),
    Case(
        "steps that no pair names keep their points, whatever becomes of the others",
        rubric(
            section(
                *(item(name, 10) for name in "abc"),
                order=Order(OrderKind.PARTIAL, (("a", "b"),)),
            )
        ),
        sheet(reply(award("a", 10, NOTICE), award("b", 10, VALID), award("c", 10, DEPOSIT))),
        10, flags=(("a", Flag.OUT_OF_ORDER), ("b", Flag.OUT_OF_ORDER)),
    ),
    Case(
        "in a partial order a step waits only for those that must precede it",
        rubric(
            section(
                *(item(name, 10) for name in "abcd"),
                order=Order(OrderKind.PARTIAL, (("a", "c"), ("b", "d"))),
            )
        ),
        sheet(
            reply(
                award("a", 0), award("b", 10, VALID), award("c", 10, BREACH), award("d", 10, NOTICE)
            )
        ),
        20, flags=(("c", Flag.AFTER_A_GAP),),
    ),
    Case(
        "a step of several items is there if one of them earned something",
        rubric(
            section(
                item("a1", 5, step=1), item("a2", 5, step=1), item("b", 10, step=2),
                order=Order(OrderKind.STRICT, (("a1", "b"), ("a2", "b"))),
            )
        ),
        sheet(reply(award("a1", 0), award("a2", 5, VALID), award("b", 10, BREACH))), 15,
    ),
    Case(
        "a partial order binds only its pairs",
        rubric(
            section(
                *(item(name, 10) for name in "abc"),
                order=Order(OrderKind.PARTIAL, (("a", "c"), ("b", "c"))),
            )
        ),
        sheet(reply(award("a", 10, BREACH), award("b", 10, VALID), award("c", 10, DEPOSIT))),
        20, flags=(("c", Flag.OUT_OF_ORDER),), choices=LONGEST,
    ),
    Case(
        "where order is free or unstated nothing is out of order",
        rubric(section(item("a"), item("b"), order=Order(OrderKind.FREE))),
        sheet(reply(award("a", 5, RETURN), award("b", 5, VALID))), 10,
    ),
    Case(
        "order can be left out by choice",
        CHAIN,
        sheet(reply(award("a", 10, NOTICE), award("b", 10, VALID), award("c", 0), award("d", 0))),
        20, choices=Choices(Way.UNORDERED),
    ),
    Case(
        "a gate below zero holds for a step out of order, too",
        rubric(
            section(
                item("a", 10), item("b", 10, gates=(Gate("x", "违法", -3),)), order=strict("a", "b")
            )
        ),
        with_faults(award("a", 10, NOTICE), award("b", 5, VALID), faults=[fault("x")]),
        7, faults=("x",), flags=(("b", Flag.OUT_OF_ORDER),), choices=LONGEST,
    ),
    Case(
        "a tier gives what it says where less was earned",
        rubric(section(item("a"), item("b"), gates=(TIER,))),
        with_faults(award("a", 0), award("b", 1, VALID), faults=[fault("t")]), 4, faults=("t",),
    ),
    Case(
        "a tier gives no more than it says where more was earned",
        rubric(section(item("a"), item("b"), gates=(TIER,))),
        with_faults(award("a", 5, DEPOSIT), award("b", 5, VALID), faults=[fault("t")]),
        4, faults=("t",),
    ),
    Case(
        "deductions take nothing from a tier, and missing awards and evidence do not move it",
        rubric(section(item("a"), item("b"), deductions=(MISS,), gates=(TIER,))),
        with_faults(award("a", 5), faults=[fault("d"), fault("t")]),
        4, ungraded=1, faults=("d", "t"), flags=(("a", Flag.NO_EVIDENCE),),
    ),
    Case(
        "of two tiers the lower holds, and a cap holds for a tier",
        rubric(
            section(item("a"), item("b"), gates=(TIER, Gate("u", "最低档", 1, tier=True))),
            section(item("c"), item("e"), id="second", gates=(
                Gate("v", "得四分", 4, tier=True), Gate("w", "至多三分", 3)
            )),
        ),
        with_faults(
            award("a", 5, DEPOSIT), award("b", 5, VALID), award("c", 0), award("e", 0),
            faults=[fault("t"), fault("u"), fault("v"), fault("w")],
        ),
        1 + 3, faults=("t", "u", "v", "w"),
    ),
    Case(
        "an item can have a tier of its own",
        rubric(section(item("a", gates=(Gate("t", "仅得三分", 3, tier=True),)), item("b"))),
        with_faults(award("a", 5, DEPOSIT), award("b", 1, VALID), faults=[fault("t")]),
        4, faults=("t",),
    ),
    Case(
        "a missing item is ungraded, not zero: the figure is a band",
        TWO, sheet(reply(award("a", 3, DEPOSIT))), 3, lenient=8, ungraded=1,
    ),
    Case(
        "known faults hold for an ungraded item in the lenient figure",
        rubric(section(item("a", deductions=(MISS,)), item("b"))),
        with_faults(award("b", 1, VALID), faults=[fault("d")]), 1,
        lenient=4, ungraded=1, faults=("d",),
    ),
    Case(
        "no JSON at all leaves everything ungraded",
        TWO, sheet("无法评分。"), 0, lenient=10, ungraded=2,
    ),
    Case(
        "a filtered reply leaves everything ungraded",
        TWO, sheet(None, None), 0, lenient=10, ungraded=2,
    ),
    Case("a grader that was never asked says nothing", TWO, sheet(), 0, lenient=10, ungraded=2),
    Case(
        "points above the maximum are rejected, not cut",
        TWO, sheet(reply(award("a", 50, DEPOSIT), award("b", 5, VALID))), 5, lenient=10, ungraded=1,
    ),
    Case(
        "negative points are rejected",
        TWO, sheet(reply(award("a", -2, DEPOSIT), award("b", 5, VALID))), 5, lenient=10, ungraded=1,
    ),
    Case(
        "two awards for one item are none",
        TWO, sheet(reply(award("a", 5, DEPOSIT), award("a", 0), award("b", 5, VALID))), 5,
        lenient=10, ungraded=1,
    ),
    Case(
        "an unknown item earns nothing and costs nothing",
        TWO,
        sheet(reply(award("a", 5, DEPOSIT), award("b", 5, VALID), award("bonus", 90, VALID))), 10,
    ),
    Case(
        "an unknown fault costs nothing",
        rubric(section(item("a", deductions=(MISS,)), item("b"))),
        with_faults(award("a", 5, DEPOSIT), award("b", 0), faults=[fault("zz")]), 5,
    ),
    Case(
        "a fault that is listed twice does not apply",
        rubric(section(item("a", deductions=(MISS,)), item("b"))),
        with_faults(award("a", 5, DEPOSIT), award("b", 0), faults=[fault("d"), fault("d")]), 5,
    ),
    Case(
        "a penalty takes from the whole for each occurrence",
        rubric(section(item("a", 50)), penalties=[WRONG]),
        with_faults(award("a", 50, DEPOSIT), faults=[fault("p", 3)]), 20, faults=("p",),
    ),
    Case(
        "a penalty counts so many occurrences at most",
        rubric(section(item("a", 50)), penalties=[TWICE]),
        with_faults(award("a", 50, DEPOSIT), faults=[fault("p", 3)]), 30, faults=("p",),
    ),
    Case(
        "penalties do not take the whole below zero",
        rubric(section(item("a", 5)), penalties=[WRONG]),
        with_faults(award("a", 5, DEPOSIT), faults=[fault("p")]), 0, faults=("p",),
    ),
    Case(
        "a penalty can take everything, also from the lenient figure",
        rubric(section(item("a", 50), item("b")), penalties=[ALL]),
        with_faults(award("a", 50, DEPOSIT), faults=[fault("p")]), 0,
        lenient=0, ungraded=1, faults=("p",),
    ),
    Case(
        "penalties can be left out by choice",
        rubric(section(item("a", 50)), penalties=[WRONG]),
        with_faults(award("a", 50, DEPOSIT), faults=[fault("p")]), 50,
        choices=Choices(penalties=False),
    ),
    Case(
        "the first reply without a problem counts alone",
        TWO,
        sheet(
            "评分如下", reply(award("a", 1, DEPOSIT), award("b", 1, VALID)),
            reply(award("a", 5, DEPOSIT), award("b", 5, VALID)),
        ),
        2,
    ),
    Case(
        "where no reply is whole, the fullest is completed from the others",
        rubric(section(item("a"), item("b"), item("c"))),
        sheet(
            reply(award("a", 1, DEPOSIT)),
            reply(award("a", 4, DEPOSIT), award("b", 3, VALID)),
            reply(award("b", 5, VALID), award("c", 2, NOTICE), award("zz", 1)),
        ),
        9,
    ),
    Case(
        "faults of an item come with its award",
        rubric(section(item("a", deductions=(MISS,)), item("b"), item("c", deductions=(EACH,)))),
        sheet(
            reply(award("a", 5, DEPOSIT), award("b", 5, VALID), faults=[fault("e", 5)]),
            reply(award("c", 4, NOTICE), faults=[fault("d"), fault("e", 1)]),
        ),
        13, faults=("e",),
    ),
    Case(
        "a filtered first reply does not hinder the next",
        TWO, sheet(None, reply(award("a", 5, DEPOSIT), award("b", 5, VALID))), 10,
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.shows)
def test_marks_are_exact(case: Case) -> None:
    found = mark(submission(case.rubric), case.sheet, case.choices)
    assert found.points == pytest.approx(case.points)
    assert found.lenient == pytest.approx(case.points if case.lenient is None else case.lenient)
    assert found.backed == pytest.approx(case.points if case.backed is None else case.backed)
    assert found.ungraded == case.ungraded
    assert found.faults == case.faults
    assert tuple((one.id, flag) for one in found.items() for flag in one.flags) == case.flags
    assert found.maximum == case.rubric.maximum


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 30

"""Short ways to write rubrics, submissions and replies for tests; everything is fictional."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hengfa.evals.grading.graded import GradedResponse, Grading, How
from hengfa.evals.grading.rubric import Item, Order, OrderKind, Penalty, Rubric, Section
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import Reply, Sheet, verdict_code

RESPONSE = """【结论】月湖茶馆应当退还押金，柳某无权要求赔偿误工费。
【推理过程】第一，双方签订的茶室租用协议有效。第二，茶馆未按约提供热水，构成违约。
第三，柳某已经通知茶馆解除协议，协议于通知到达时解除。第四，协议解除后押金应当退还。
【法条依据】《月湖茶馆法》第四条规定：“经营者不得有下列行为：……（三）拒绝提供热水”。"""

DEPOSIT = "月湖茶馆应当退还押金"
VALID = "双方签订的茶室租用协议有效"
BREACH = "茶馆未按约提供热水，构成违约"
NOTICE = "柳某已经通知茶馆解除协议"
RETURN = "协议解除后押金应当退还"


def item(name: str, maximum: float = 5, **more: Any) -> Item:
    return Item(name, f"{name}的内容", maximum, **more)


def section(*items: Item, maximum: float | None = None, **more: Any) -> Section:
    name = more.pop("id", "s")
    total = sum(one.maximum for one in items) if maximum is None else maximum
    return Section(name, more.pop("title", name), total, items, **more)


def rubric(
    *sections: Section, maximum: float | None = None, penalties: Sequence[Penalty] = ()
) -> Rubric:
    total = sum(one.maximum for one in sections if one.counts) if maximum is None else maximum
    return Rubric("r", total, sections, tuple(penalties))


def strict(*steps: str) -> Order:
    pairs = tuple((a, b) for n, a in enumerate(steps) for b in steps[n + 1 :])
    return Order(OrderKind.STRICT, pairs)


def submission(graded_by: Rubric, response: str = RESPONSE, **more: Any) -> Submission:
    return Submission("q/1", "柳某能否要回押金？", response, graded_by, **more)


def award(name: str, points: Any = 5, *evidence: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "evidence": list(evidence), "reason": "理由", "points": points, **more}


def level(name: str, chosen: str, *evidence: str) -> dict[str, Any]:
    return {"id": name, "evidence": list(evidence), "reason": "理由", "level": chosen}


def fault(name: str, times: Any = 1, **more: Any) -> dict[str, Any]:
    return {"id": name, "times": times, "reason": "理由", **more}


def reply(
    *awards: dict[str, Any], faults: Sequence[dict[str, Any]] = (), response: str = RESPONSE
) -> str:
    said = {"awards": awards, "faults": list(faults), "code": verdict_code(response)}
    return json.dumps(said, ensure_ascii=False)


STEPS = ("grade", "repair", "again")


def sheet(*texts: str | None) -> Sheet:
    """What a grader said, turn by turn; None is a reply that the vendor's filter stopped."""
    return Sheet(
        "scripted",
        tuple(
            Reply(step, "filtered") if text is None else Reply(step, "answered", text)
            for step, text in zip(STEPS, texts, strict=False)
        ),
    )


def graded_by(submission: Submission, *sheets: Sheet, rule: How | None = None) -> GradedResponse:
    """What graders said of a response; several are a panel, by the mean if nothing else is said."""
    said = {sheet.grader: [Grading(submission, sheet)] for sheet in sheets}
    return GradedResponse(submission, said, rule or ("mean" if len(said) > 1 else None))

"""Sample to messages, in words of our own (CLaw spec 6)."""

from __future__ import annotations

from hengfa.engine.messages import Message
from hengfa.suites.claw_cases.dataset import CaseSample


def case_prompt(sample: CaseSample) -> tuple[Message, ...]:
    """Facts, result and question under the headings of guiding cases, and what is wanted."""
    case = sample.case
    text = (
        "下面是一个已经裁判的案件，请阅读后回答问题。\n\n"
        f"【基本案情】\n{case.facts}\n\n"
        f"【裁判结果】\n{case.result}\n\n"
        f"【问题】\n{sample.question.question}\n\n"
        "裁判结果已经给出，请说明它在法律上为什么成立：从案情出发逐步论证，引用法律时写明名称和条文，"
        "观点明确，不写与问题无关的话。"
    )
    return (Message("user", text),)

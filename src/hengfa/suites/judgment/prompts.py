"""Sample to messages, in our own words (judgment spec 11).

Each method of asking has one function in `METHODS`. What a method needs besides the facts (examples
for few-shot, provisions and related cases for retrieval) comes as `context`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from hengfa.engine.messages import Message
from hengfa.suites.judgment.context import Context, context_of
from hengfa.suites.judgment.dataset import DIRECT, FEW_SHOT, RAG, JudgmentSample

SYSTEM: Final = "你是一名熟悉中国刑事审判的法官助理，负责起草裁判文书。"


Build: TypeAlias = Callable[[JudgmentSample, Context], str]


def direct(sample: JudgmentSample, _context: Context) -> str:
    """The facts, and what a judgment consists of."""
    return (
        f"以下是一起刑事案件经审理查明的事实：\n\n{sample.fact.strip()}\n\n"
        "请据此起草一份完整的一审刑事判决书。依次写明：法院名称、案号、公诉机关与被告人的基本情况以及审理"
        "经过；案件事实；以“本院认为”开头的裁判理由，说明罪名是否成立、量刑情节，并引用所适用的法律条文；"
        "以“判决如下：”引出的判决结果，写明每名被告人的罪名、刑种、刑期和罚金；最后是上诉权利告知和落款。"
        "直接输出判决书正文，用语规范，不加说明。"
    )


WANTED: Final = (
    "请起草这起案件完整的一审刑事判决书，两千字以内：写明法院、案号、公诉机关、被告人和审理经过；案件事实；"
    "以“本院认为”开头的裁判理由，引用所适用的法律条文；以“判决如下：”引出的判决结果，写明每名被告人的罪名、"
    "刑种、刑期和罚金；最后是上诉权利告知和落款。直接输出判决书正文，不加说明。"
)


def few_shot(sample: JudgmentSample, context: Context) -> str:
    """The facts, and one judgment of another case for the form."""
    shown = "\n\n".join(context.examples)
    return (
        f"下面是另一起案件的判决书，只供参考格式：\n\n{shown}\n\n"
        f"以下是本案经审理查明的事实：\n\n{sample.fact.strip()}\n\n{WANTED}"
    )


def rag(sample: JudgmentSample, context: Context) -> str:
    """Related judgments, a numbered list of provisions, then the facts."""
    cases = "\n\n".join(
        f"【相关判决书{number}】\n{text}" for number, text in enumerate(context.cases, 1)
    )
    provisions = "\n".join(f"{number}. {text}" for number, text in enumerate(context.provisions, 1))
    return (
        f"{cases}\n\n【可能适用的法条】\n{provisions}\n\n"
        "以上判决书出自其他案件，格式可以参照，事实和结论不得照搬；法条由检索得到，未必都适用，须自行取舍。\n\n"
        f"【本案事实】\n{sample.fact.strip()}\n\n{WANTED}"
    )


METHODS: Final[Mapping[str, Build]] = {DIRECT: direct, FEW_SHOT: few_shot, RAG: rag}
"""How each method asks."""


def sample_prompt(sample: JudgmentSample) -> tuple[Message, ...]:
    """The question by the method of the sample's setting."""
    build = METHODS[sample.method]
    return Message("system", SYSTEM), Message("user", build(sample, context_of(sample)))

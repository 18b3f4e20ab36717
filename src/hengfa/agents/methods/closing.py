"""The two closing texts, written by the model from question and transcript (specification, 4.1)."""

from __future__ import annotations

from typing import Final, NamedTuple

from hengfa.agents.methods.desk import Desk
from hengfa.engine.messages import Status

_ANSWER: Final = """\
下面是一个法律问题，以及为回答它而查询的经过。请根据查询到的内容直接、简明地回答问题。
名称、案号、日期、金额照查到的原样写，单位和格式按问题的要求；问题要求写文书的，写出全文。
查询中没有依据的内容不要写。"""

_SUMMARY: Final = """\
下面是一个法律问题，以及为回答它而查询的经过。请写一段总结，既回答问题，也保留经过中的细节：
每一步查到的公司、法院、律师事务所的名称，案号，地区，日期，金额，以及计算的结果，都照原样写出。
单位和格式按问题的要求；查询中没有依据的内容不要写。"""


class Closing(NamedTuple):
    """The concise answer, the detailed summary, and whether one of them was cut."""

    answer: str
    summary: str
    status: Status


async def close(desk: Desk, question: str, most: int | None = None) -> Closing:
    """Ask for both texts; either may be cut at the length limit, which is said.

    With `most` only the end of a longer transcript is given, as many characters as this.
    """
    answer = await desk.say("close-answer", _prompt(_ANSWER, question, desk, most), cut=True)
    summary = await desk.say("close-summary", _prompt(_SUMMARY, question, desk, most), cut=True)
    whole = answer.status is summary.status is Status.ANSWERED
    return Closing(answer.text, summary.text, Status.ANSWERED if whole else Status.TRUNCATED)


async def summarise(desk: Desk, question: str, most: int | None = None) -> str:
    """Only the summary, for agents that gave their answer themselves."""
    prompt = _prompt(_SUMMARY, question, desk, most)
    return (await desk.say("close-summary", prompt, cut=True)).text


def _prompt(rules: str, question: str, desk: Desk, most: int | None) -> str:
    transcript = desk.record.text
    if most is not None and len(transcript) > most:
        transcript = f"（前略）{transcript[-most:]}"
    return f"{rules}\n\n问题：{question}\n\n查询经过：\n{transcript}\n\n"

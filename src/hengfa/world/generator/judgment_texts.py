"""What is written about a judgment: its row, its result, its abstract, and a typical case.

The result has literal backslash-n between its parts, as the real table has (spec, section 2).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hengfa.world import Row
from hengfa.world.generator.days import written
from hengfa.world.generator.dice import Shuffle, Stream
from hengfa.world.generator.judgments import Judgment, Judgments
from hengfa.world.generator.money import plain
from hengfa.world.generator.sizes import Sizes

PART: Final = " \\n \\n"
"""Between the parts of a result: the two characters backslash and n, not a line break."""


class JudgmentTexts:
    """The rows of LegalDoc and LegalAbstract, and the texts of LegalCases."""

    def __init__(self, seed: int, judgments: Judgments, sizes: Sizes) -> None:
        self._judgments = judgments
        self._sizes = sizes
        self._wording = Stream(seed, "wording of judgments")
        self._unnamed = Stream(seed, "judgments without a cause")
        self._chosen = Shuffle(Stream(seed, "chosen judgments"), sizes.judgments)

    def documents(self) -> Iterator[Row]:
        for number, company in self._judgments.numbered():
            yield self._row(self._judgments(number, company))

    def abstracts(self) -> Iterator[Row]:
        for one in self._some(0, self._sizes.abstracts):
            yield {
                "文件名": f"{one.case_number}.txt",
                "案号": one.case_number,
                "文本摘要": self._abstract(one),
            }

    def typical_cases(self) -> Iterator[str]:
        first = self._sizes.abstracts
        for one in self._some(first, first + self._sizes.typical_cases):
            yield self._typical(one)

    def _some(self, first: int, end: int) -> Iterator[Judgment]:
        """Judgments whose place in a random order lies in this range, in the order of numbers."""
        for number, company in self._judgments.numbered():
            if first <= self._chosen(number) < end:
                yield self._judgments(number, company)

    def _row(self, one: Judgment) -> Row:
        unnamed = one.kind.family == "administrative" or self._unnamed.dice(one.number).chance(0.06)
        return {
            "关联公司": one.company.name,
            "标题": one.title,
            "案号": one.case_number,
            "文书类型": one.document,
            "原告": ",".join(one.plaintiffs),
            "被告": ",".join(one.defendants),
            "原告律师事务所": one.plaintiff_firms,
            "被告律师事务所": one.defendant_firms,
            "案由": " -" if unnamed else one.cause.name,
            "涉案金额（元）": one.cents / 100,
            "判决结果": PART.join(self._result(one)),
            "日期": written(one.on),
            "文件名": f"{one.case_number}.txt",
        }

    # --- how it ended ---

    def _result(self, one: Judgment) -> list[str]:
        if one.kind.family == "enforcement":
            return _enforced(one)
        if one.document.endswith("裁定书"):
            return self._ruled(one)
        return _decided(one)

    def _ruled(self, one: Judgment) -> list[str]:
        dice = self._wording.dice(one.number)
        plaintiff, defendant = one.plaintiffs[0], "、".join(one.defendants)
        if one.cents:
            return [f"冻结{defendant}名下价值{plain(one.cents)}元的财产。", "本裁定立即执行。"]
        if one.kind.sign == "民申":
            return [f"驳回{plaintiff}的再审申请。"]
        if one.kind.instance == "二审":
            return [f"准许{plaintiff}撤回上诉。", "本裁定为终审裁定。"]
        if dice.below(4) == 0:
            return [f"本案按{plaintiff}撤诉处理。"]
        fee = dice.between(25, 4_000)
        return [f"准许原告{plaintiff}撤回起诉。", f"案件受理费减半收取{fee}元，由{plaintiff}负担。"]

    def _abstract(self, one: Judgment) -> str:
        head = "" if self._wording.dice(one.number).chance(0.3) else "\n"
        plaintiff, defendants = "、".join(one.plaintiffs), "、".join(one.defendants)
        asked = f"请求支付{one.cause.claim}{plain(one.cents)}元" if one.cents else "请求依法裁判"
        ended = "".join(self._result(one))
        return (
            f"{head}{plaintiff}与{defendants}之间发生{one.cause.name}，由{one.court.name}审理。"
            f"{plaintiff}称，{one.cause.facts}，{asked}。"
            f"{one.court.name}于{written(one.on)}作出{one.document}：{ended}"
        )

    def _typical(self, one: Judgment) -> str:
        plaintiff, defendant = one.plaintiffs[0], one.defendants[0]
        more = "等" if len(one.defendants) > 1 else ""
        amount = f"，涉及{one.cause.claim}{plain(one.cents)}元" if one.cents else ""
        ended = "".join(self._result(one))
        return (
            f"{plaintiff}诉{defendant}{more}{one.cause.name}案\n\n"
            f"【基本案情】\n{written(one.filed)}，{one.court.name}立案受理本案。"
            f"{one.cause.facts}{amount}。\n\n"
            f"【裁判结果】\n{one.case_number}{one.document}：{ended}\n\n"
            f"【典型意义】\n处理{one.cause.name}，应当先查明双方约定和履行的经过，"
            f"再确定{one.cause.claim}由谁负担、负担多少。"
        )


def _decided(one: Judgment) -> list[str]:
    plaintiff, defendant = "、".join(one.plaintiffs), "、".join(one.defendants)
    if not one.cents:
        if one.kind.sign == "民再":
            return ["维持原生效判决。"]
        if one.kind.instance == "二审":
            return ["驳回上诉，维持原判。", "本判决为终审判决。"]
        return [f"驳回原告{plaintiff}的全部诉讼请求。", f"案件受理费由{plaintiff}负担。"]
    fee = plain(one.cents // 50 // 100 * 100 + 5_000)
    owed = f"{one.cause.claim}{plain(one.cents)}元"
    return [
        f"一、{defendant}于本判决生效之日起十日内支付{plaintiff}{owed}；",
        f"二、驳回{plaintiff}的其他诉讼请求。",
        f"案件受理费{fee}元，由{defendant}负担。",
    ]


def _enforced(one: Judgment) -> list[str]:
    against = "、".join(one.defendants)
    if one.cents:
        return [f"冻结、划拨被执行人{against}的存款{plain(one.cents)}元。", "本裁定立即执行。"]
    if one.document == "结案通知书":
        return ["本案已经执行完毕，予以结案。"]
    return ["终结本次执行程序。", "发现可供执行的财产时，可以再次申请执行。"]

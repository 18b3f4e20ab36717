"""How the reasons given in a guiding case are graded (CLaw spec 6), as a rubric like any other.

Five dimensions, each Good, Normal or Bad for 20, 10 or 0 points, asked for as fields: the paper's
return format has none for them, so its own dimension scores rest on what could be read out of
comments. The overall rating from 0 to 100 is no sum of them but a judgement of its own, kept apart.
"""

from __future__ import annotations

from typing import Final

from hengfa.grading.rubric import Item, Level, Rubric, Section

LEVELS: Final = (Level("Good", 20), Level("Normal", 10), Level("Bad", 0))
OVERALL: Final = "overall"
MOST: Final = 100.0

DIMENSIONS: Final = {
    "reasoning": (
        "论证严谨：从本案事实出发，法律原理与事实逐点对应，推论没有跳跃。"
        "Good：紧扣案情且有深度；Normal：大体合乎案情但分析较浅；Bad：脱离案情或推理有明显错误。"
    ),
    "knowledge": (
        "知识准确：法律概念、构成要件和所引条文正确。"
        "Good：准确恰当；Normal：大体正确，细节有误或含混；Bad：关键概念或条文有严重错误。"
    ),
    "structure": (
        "结构清楚：结论、法律依据、案件事实之间层次分明，前后衔接。"
        "Good：层次完整、衔接顺畅；Normal：基本完整，个别层次不清；Bad：混乱或缺少关键环节。"
    ),
    "clarity": (
        "观点明确：正面回答所问，立场清楚，并有论证支持。"
        "Good：明确且得到充分支持；Normal：有观点但不够明确或支持不足；Bad：含糊、矛盾或没有结论。"
    ),
    "conciseness": (
        "行文简洁：用语规范，没有多余和重复的话。"
        "Good：简洁规范；Normal：有些冗余或口语；Bad：大量冗余重复，用语随意。"
    ),
}
"""Dimension to what it means; its id is the name of the metric."""

_OVERALL_TEXT: Final = (
    "总体评价，0至100的整数，与参考理由对照后独立给出，不是各项之和。1–20：多数方面差，没有参考价值；"
    "21–40：问题较多；41–60：基本符合要求；61–80：可靠，有较好的参考价值；81–100：各方面几乎都好。"
)

RUBRIC: Final = Rubric(
    id="claw-case",
    maximum=20.0 * len(DIMENSIONS),
    sections=(
        Section(
            id="dimensions",
            title="评分维度",
            maximum=20.0 * len(DIMENSIONS),
            items=tuple(Item(id_, text, 20.0, levels=LEVELS) for id_, text in DIMENSIONS.items()),
        ),
        Section(
            id=OVERALL,
            title="总体评价",
            maximum=MOST,
            items=(Item(OVERALL, _OVERALL_TEXT, MOST),),
            counts=False,
        ),
    ),
)

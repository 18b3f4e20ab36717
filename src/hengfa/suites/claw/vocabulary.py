"""Words with which models say that there is nothing, that they do not know, or that they refuse."""

from __future__ import annotations

from typing import Final

NOTHING: Final = frozenset({
    "none", "null", "nil", "n/a", "na", "nan", "无", "空", "没有", "不适用", "不存在",
    "无此款", "无此项", "无款", "无项", "-", "--", "—", "——", "–", "/", "\\",
})  # fmt: skip
"""There is no such paragraph or item."""

NO_ANSWER: Final = frozenset({
    "", "未知", "不知道", "不详", "不清楚", "不确定", "无法确定", "无法判断", "未找到",
    "?", "??", "unknown",
})  # fmt: skip
"""Instead of an article's number: no answer."""

_GIVE: Final = (
    "提供|给出|获取|获得|查到|查询|查找|检索|访问|回答|确认|确定|告知|引用|背诵|复述|列出|满足"
)
UNABLE: Final = (
    rf"(?:无法|不能|不便|没有办法|没办法|未能|难以)[^。！？!?\n]{{0,20}}?(?:{_GIVE})",
    "不知道|不清楚|不了解|没有(?:收录|掌握|找到|该|相关|这)|未(?:收录|找到|能找到)",
    "cannot|can't|unable to|don't have|do not have",
)
"""Something cannot be given; statutes say this too, of a party or an authority."""

SPEAKER: Final = (
    "抱歉|对不起|很遗憾|不好意思",
    "(?<!自)我(?:的知识|的训练|无法|不能|不知道|不清楚|没有|未能|暂时|目前|是一个|只能|仅能|并不|还|所掌握)",
    "作为(?:一个|一名)?(?:AI|人工智能|语言模型|大语言模型|大模型|助手)",
    "知识(?:截止|截至|库|更新)|训练数据|建议(?:您|你)|请(?:您|你)|为(?:您|你)提供|官方渠道",
    r"\bI(?:'m| am)? |[Ss]orry|language model",
)
"""Somebody speaks for himself, which statutes never do."""

"""The classes of mistakes that suites tell apart, in both languages."""

from __future__ import annotations

from typing import Final

from hengfa.report.site.model import Words

ERRORS: Final = {
    "minor wording": Words("个别用词不同", "minor wording"),
    "addition": Words("添加内容", "addition"),
    "addition: other paragraph": Words("添加了其他款", "addition: other paragraph"),
    "addition: other article": Words("添加了其他条", "addition: other article"),
    "addition: other version": Words("添加了其他版本", "addition: other version"),
    "addition: other law": Words("添加了其他法律", "addition: other law"),
    "wrong provision: paragraph": Words("错款", "wrong provision: paragraph"),
    "wrong provision: article": Words("错条", "wrong provision: article"),
    "wrong provision: version": Words("错版本", "wrong provision: version"),
    "wrong provision: law": Words("错法律", "wrong provision: law"),
    "mixture": Words("混杂", "mixture"),
    "other text": Words("其他文字", "other text"),
    "refusal": Words("拒答", "refusal"),
    "no place": Words("没有给出位置", "no place"),
    "wrong article": Words("条错", "wrong article"),
    "wrong paragraph": Words("款错", "wrong paragraph"),
    "wrong item": Words("项错", "wrong item"),
    "no answer": Words("没有答案", "no answer"),
    "tool error": Words("工具调用出错", "tool error"),
    "no data": Words("没有查到数据", "no data"),
    "incomplete": Words("不完整", "incomplete"),
    "wrong": Words("答错", "wrong"),
    "step limit": Words("步数用尽", "step limit"),
    "context overflow": Words("上下文超长", "context overflow"),
    "budget": Words("预算用尽", "out of budget"),
    "failed": Words("运行失败", "failed"),
}
"""By the name in a trace; one that is not here is shown by its name."""


def error_title(name: str) -> Words:
    return ERRORS.get(name, Words(name, name))

"""The words of the site in both languages: on charts, of facets and kinds, of mistakes."""

from __future__ import annotations

from typing import Final

from hengfa.evals.report.charts.theme import MOST_SERIES
from hengfa.evals.report.site.model import Words

MODEL: Final = Words("模型", "model")
TASK: Final = Words("任务", "task")
SCORE: Final = Words("得分（%）", "score (%)")
POINTS: Final = Words("得分", "score")
LOW: Final = Words("区间下限", "interval from")
HIGH: Final = Words("区间上限", "to")
RUN: Final = Words("本次评测", "measured here")
BUILTIN: Final = Words("内置基线", "built in")
PUBLISHED: Final = Words("论文公布", "published")
FLOOR: Final = Words("下限（不懂也能得）", "floor: knowing nothing")
CEILING: Final = Words("上限（标准答案）", "ceiling: the reference")
ABSTENTION: Final = Words("弃答率（%）", "abstention (%)")
ABILITY: Final = Words("能力", "ability")
COUNT: Final = Words("样本数", "samples")
ERROR: Final = Words("错误类别", "class of mistake")
OTHERS: Final = Words("其他", "others")
SETTING: Final = Words("设置", "setting")
METHOD: Final = Words("方法", "method")
METRIC: Final = Words("指标", "metric")
INTERVALS: Final = Words(
    "点为得分，线为 95% 置信区间。", "Dots are scores, lines their 95 % intervals."
)
OTHER_QUESTIONS: Final = Words(
    "本次评测用的是样例数据，题目不同，不能与论文数字相比。",
    "Measured on the sample pack: other questions than the paper's, so not to be compared.",
)
TRAINED_MARK: Final = " ‡"
TRAINED: Final = Words(
    "标 ‡ 的模型据申报用其中的题目训练过，得分不作数。",
    "‡ by what is declared, the model was trained on questions of this test: its score is no "
    "measure.",
)
STARRED: Final = Words("* 为论文公布的数字。", "* as printed in the paper.")

FACETS: Final = {
    "law": Words("法律", "law"),
    "level": Words("层级", "level"),
    "promulgated": Words("公布时期", "time of promulgation"),
    "version": Words("版本", "version"),
    "in force on that day": Words("当日是否有效", "what was in force that day"),
    "branch": Words("法律部门", "branch of law"),
    "question": Words("问题类型", "kind of question"),
    "scenario": Words("场景", "scenario"),
    "order": Words("推理顺序", "order of reasoning"),
    "matter": Words("案由", "matter"),
    "facts": Words("案件", "case"),
    "hops": Words("跳数", "look-ups"),
    "start": Words("起始工具", "first tool"),
    "path": Words("工具路径", "path of tools"),
    "crime": Words("罪名", "crime"),
    "defendants": Words("被告人数", "number of defendants"),
    "sentence": Words("刑罚种类", "kind of sentence"),
    "focus": Words("争议焦点", "dispute focus"),
    "topic": Words("问题主题", "topic"),
}
"""Facets by name; one that is not here is shown by its name."""

KINDS: Final = {
    "article": Words("条", "article"),
    "paragraph": Words("款", "paragraph"),
    "item": Words("项", "item"),
    "superseded": Words("旧版本", "superseded"),
    "latest": Words("最新版本", "latest"),
    "same": Words("当日有效", "in force that day"),
    "assumed": Words("推定有效", "assumed in force"),
    "other": Words("其他", "other"),
    "not yet": Words("尚未施行", "not yet in force"),
    "focus": Words("争议焦点", "focus"),
    "holding": Words("裁判要点", "holding"),
    "1-hop": Words("一跳", "1 hop"),
    "2-hop": Words("两跳", "2 hops"),
    "3-hop": Words("三跳", "3 hops"),
    "4-hop": Words("四跳", "4 hops"),
    "5-hop": Words("五跳", "5 hops"),
    "writing": Words("写作", "writing"),
    "strict": Words("严格", "strict"),
    "partial": Words("部分", "partial"),
    "free": Words("任意", "free"),
    "unstated": Words("未说明", "unstated"),
    "several": Words("多个罪名", "several"),
    "none": Words("无", "none"),
    "combined": Words("数罪并罚", "combined"),
    "3 or more": Words("三人以上", "3 or more"),
}
"""Kinds that suites name in English; others are names from the data."""


def facet(name: str) -> Words:
    return FACETS.get(name, Words(name, name))


def kind(name: str) -> Words:
    return KINDS.get(name, Words(name, name))


def few(there_are: int) -> Words:
    """What to say where only as many are drawn as can be told apart by colour."""
    if there_are <= MOST_SERIES:
        return Words("", "")
    return Words(
        f"共 {there_are} 个，只画得分最高的 {MOST_SERIES} 个。",
        f"The best {MOST_SERIES} of {there_are}.",
    )


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
    "traditional script": Words("繁体字", "traditional script"),
    "refusal": Words("拒答", "refusal"),
    "no place": Words("没有给出位置", "no place"),
    "wrong article": Words("条错", "wrong article"),
    "wrong paragraph": Words("款错", "wrong paragraph"),
    "wrong item": Words("项错", "wrong item"),
    "no answer": Words("没有答案", "no answer"),
    "tool error": Words("工具调用出错", "tool error"),
    "unreadable action": Words("行动无法读取", "unreadable action"),
    "unknown tool": Words("工具不存在", "unknown tool"),
    "bad arguments": Words("参数错误", "bad arguments"),
    "wrong column": Words("列名错误", "wrong column"),
    "no data": Words("没有查到数据", "no data"),
    "tool failed": Words("工具没有应答", "tool failed"),
    "loop": Words("重复调用", "loop"),
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

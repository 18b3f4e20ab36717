"""The words of reports in both languages: of charts, of facets and kinds, of mistakes, of papers.

A chart has its texts in both languages until it is written; `in_language` takes one of them. What
is no word of a chart stands in `words.tsv`, by group and name.
"""

from __future__ import annotations

from importlib import resources
from typing import Any, Final, Literal, TypeAlias

import msgspec


class Words(msgspec.Struct, frozen=True):
    """A text in both languages."""

    zh: str
    en: str

    def format(self, **values: object) -> Words:
        """With values, which may be in both languages, in the place of their names."""
        zh, en = in_language(values, "zh"), in_language(values, "en")
        return Words(self.zh.format(**zh), self.en.format(**en))


Language: TypeAlias = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "en")
Text: TypeAlias = str | Words
"""A text, or a name that is the same in both languages."""


def pick(text: Text, language: Language) -> str:
    if isinstance(text, str):
        return text
    return text.zh if language == "zh" else text.en


def in_language(value: Any, language: Language) -> Any:
    """A specification of a chart with its texts in one language."""
    match value:
        case Words():
            return pick(value, language)
        case dict():
            return {name: in_language(part, language) for name, part in value.items()}
        case list() | tuple():
            return [in_language(part, language) for part in value]
        case _:
            return value


NOTHING: Final = Words("", "")
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


def words_of(wanted: str) -> dict[str, Words]:
    """A group of `words.tsv`, by name and in its order."""
    table = resources.files(__package__).joinpath("words.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in table.splitlines()[1:])
    return {name: Words(zh, en) for group, name, zh, en in rows if group == wanted}


FACETS: Final = words_of("facets")
KINDS: Final = words_of("kinds")
"""Those that suites name in English; others are names from the data."""
ERRORS: Final = words_of("errors")
"""By the name in a trace."""


def title_of(titles: dict[str, Words], name: str) -> Words:
    """The title of a facet, a kind or a mistake; one that has none is shown by its name."""
    return titles.get(name, Words(name, name))

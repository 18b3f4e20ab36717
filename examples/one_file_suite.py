"""A benchmark in one file: the Moon Court, a court that does not exist.

Two kinds of task, the layout in which its authors saved predictions, and one mistake of theirs that
`--rules corrected` repairs. Try it, in this folder:

    hengfa eval mooncourt --suite one_file_suite.py --data mooncourt --model floor
    hengfa score mooncourt/1-1 predictions --suite one_file_suite.py --data mooncourt

As a package of its own it needs no --suite: its pyproject.toml says

    [project.entry-points."hengfa.evals.suites"]
    mooncourt = "one_file_suite:SUITE"
"""

from __future__ import annotations

import msgspec

from hengfa.evals.suites import kit


class Question(kit.Row):
    """A row of 1_1.jsonl: a question with four options, and the right one."""

    question: str
    options: dict[str, str]
    answer: str


class Case(kit.Row):
    """A row of 2_1.jsonl: the facts of a case, and how the court sums them up."""

    question: str
    answer: str


class Saved(msgspec.Struct):
    """A row as the authors' own tool saves it."""

    query: str
    output: str


def with_options(sample: Question) -> str:
    listed = "\n".join(f"{letter}. {text}" for letter, text in sample.options.items())
    return f"{sample.question}\n{listed}"


def ask(sample: Question, setting: str) -> str:
    example = "例：月亮由谁管？\nA. 月湖\nB. 没有人\n答案：B\n\n" if setting == "one-shot" else ""
    return f"{example}回答下面的选择题，只写一个字母。\n{with_options(sample)}\n答案："


def ask_for_summary(sample: Case, _setting: str) -> str:
    return f"用一句话概括下面的案情。\n{sample.question}"


SUITE = kit.suite(
    "mooncourt",
    "月湖法院基准",
    "Moon Court",
    tasks=[
        kit.choice(
            "1-1",
            "概念",
            "Concepts",
            load=kit.rows("1_1.jsonl", Question),
            question=with_options,
            ask=ask,
            gold=lambda sample: sample.answer,
            options=lambda sample: sample.options,
            fixes=kit.fixes(kit.LETTERS),
        ),
        kit.writing(
            "2-1",
            "摘要",
            "Summaries",
            load=kit.rows("2_1.jsonl", Case),
            question=lambda sample: sample.question,
            ask=ask_for_summary,
            gold=lambda sample: sample.answer,
            metric=kit.ROUGE_L,
        ),
    ],
    settings=("zero-shot", "one-shot"),
    level_prefixes={"concepts": "1-", "writing": "2-"},
    level_titles={"concepts": ("概念", "concepts"), "writing": ("写作", "writing")},
    files=("*.jsonl",),
    licence="Apache-2.0",
    layouts=[
        kit.RowLayout(
            "{model}/{task}.jsonl",
            Saved,
            text=lambda row: row.output,
            same=lambda row, sample: sample.question in row.query,
        )
    ],
)

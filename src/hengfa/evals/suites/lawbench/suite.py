"""LawBench's declaration: the twenty tasks, and which rules score each."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from hengfa.evals.suites.base import Baselines, Floor, RuleSet, Suite, Task
from hengfa.evals.suites.kit import tasks as kit
from hengfa.evals.suites.kit.rules import ACCURACY, F1, Wrapper
from hengfa.evals.suites.lawbench import gold, rules
from hengfa.evals.suites.lawbench.dataset import LAW, SETTINGS, LawBenchSample, law_in, load, prompt
from hengfa.evals.suites.lawbench.entities import SOFT_F1, Entities, Triggers
from hengfa.evals.suites.lawbench.numbers import ARTICLES, LOG_DISTANCE, Amount, TermDistance
from hengfa.evals.suites.lawbench.predictions import Released
from hengfa.evals.suites.lawbench.proofreading import F_HALF, Proofreading
from hengfa.evals.suites.lawbench.rules import CHOICE, TERM, LawBenchFix
from hengfa.law.retrieval.terms import character_pairs

# What the built-in models answer: the reference, the trivial answer, and what search finds. The
# trivial answers are those of lawbench.md 7: some of them beat most published models.

Reference = Callable[[LawBenchSample], str]

# Where an option of a multiple-choice question begins. Matches "A:" and "B："; not "DNA:".
_OPTION = re.compile(r"(?<![A-Za-z])([A-E])[:：]")
_CLAUSE_END = re.compile("[,，。；;]")
_LEAD, _SHORT_LEAD = 300, 50


def texts(
    reference: Callable[[str], str] = gold.as_it_is,
    floor: Floor[LawBenchSample] | None = None,
    *,
    own: Reference | None = None,
    law: bool = False,
) -> Baselines[LawBenchSample]:
    """Free text."""
    return kit.text_baselines(echo, lambda s: reference(s.answer), floor, own=own, law=law)


def labels(
    wrapper: Wrapper | None,
    parts: Callable[[str], Iterable[object]],
    separator: str = "",
    floor: Floor[LawBenchSample] | int = 1,
) -> Baselines[LawBenchSample]:
    """One or more labels in a wrapper, or without one."""
    form = kit.form_of(wrapper, separator)
    return kit.label_baselines(echo, lambda sample: parts(sample.answer), form, floor)


def choice(position: int) -> Baselines[LawBenchSample]:
    """An option letter."""
    return kit.choice_baselines(
        echo,
        lambda sample: gold.letter(sample.answer, position),
        kit.form_of(CHOICE),
        lambda sample: split_options(sample.question),
    )


def echo(sample: LawBenchSample) -> str:
    """The question back."""
    return sample.question


def lead(sample: LawBenchSample) -> str:
    """The first 300 characters: a news report says the main thing first (2-7)."""
    return sample.question[:_LEAD]


def nearest_clause(sample: LawBenchSample) -> str:
    """The clause of the passage that shares most with the question (2-5)."""
    passage, _, question = sample.question.rpartition("问题:")
    asked = set(character_pairs(question))
    clauses = [clause for clause in _CLAUSE_END.split(passage) if clause] or [question]
    return max(clauses, key=lambda c: len(asked & set(character_pairs(c))) / len(c) ** 0.5)


def article_names(answer: str) -> list[str]:
    """3-1: the articles in the form the prompt shows."""
    return [f"刑法第{number}条" for number in sorted(gold.articles(answer))]


def money(answer: str) -> tuple[str, ...]:
    """3-7: the amount without idle decimals."""
    return (f"{gold.amount(answer):.2f}".rstrip("0").rstrip(".") + "元",)


def split_options(question: str) -> dict[str, str]:
    """Option letter to its text, in order of appearance."""
    parts = _OPTION.split(question)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


LawBenchTask = Task[LawBenchSample, Any]

ROUGE_FIXES = (LawBenchFix.WORDS, LawBenchFix.EPSILON, LawBenchFix.SILENCE)
CHOICE_FIXES = (LawBenchFix.WRAPPER, LawBenchFix.LETTERS)
TERM_FIXES = (
    LawBenchFix.WRAPPER,
    LawBenchFix.YEARS,
    LawBenchFix.SPACES,
    LawBenchFix.DATES,
    LawBenchFix.CLIP,
    LawBenchFix.JUDGED,
)


def make_task(
    task_id: str,
    title: str,
    title_en: str,
    metric: str,
    build: Callable[..., RuleSet[LawBenchSample, Any]],
    trivial: Baselines[LawBenchSample],
    fixes: tuple[LawBenchFix, ...] = (),
    kinds: Callable[[LawBenchSample], Mapping[str, str]] | None = None,
    cluster: str | None = None,
    least: float = 0.0,
    letters: str = "",
) -> LawBenchTask:
    return LawBenchTask(
        id=task_id,
        title=title,
        title_en=title_en,
        metric=metric,
        load=partial(load, task_id),
        prompt=prompt,
        fields={"instruction": lambda s: s.instruction, "question": lambda s: s.question},
        rules=build,
        fixes={fix.value: rules.SENTENCES[fix] for fix in fixes},
        baselines=trivial,
        facets=kinds,
        cluster=cluster,
        least=least,
        sample_type=LawBenchSample,
        choices=(lambda _sample: [rules.CHOICE.around(letter) for letter in letters])
        if letters
        else None,
    )


# 3-4, 3-5: the term as the data has it, perhaps a death or life sentence; the floor is 18 months,
# whatever the case. Only GPT-4 is published as better.
_term_baselines = labels(
    TERM,
    lambda answer: (answer.removeprefix("刑期:"),),
    floor=kit.always(lambda _: TERM.around("18个月")),
)

TASKS = (
    make_task(
        "1-1", "法条背诵", "Article recitation", rules.ROUGE_L,
        rules.LABELLED_RECITATION, texts(gold.without(gold.RECITED), law=True),
        (*ROUGE_FIXES, LawBenchFix.LABEL), lambda s: law_in(s.question), LAW,
    ),
    make_task(
        "1-2", "知识问答", "Knowledge question answering", ACCURACY,
        rules.choice("ABCD", 5), choice(5), CHOICE_FIXES, letters="ABCD",
    ),
    make_task(
        "2-1", "文书校对", "Document proofreading", F_HALF,
        Proofreading, texts(own=echo),
        (LawBenchFix.SOURCE, LawBenchFix.ALIGNMENT, LawBenchFix.WHOLE),
    ),
    make_task(
        "2-2", "争议焦点识别", "Dispute focus identification", ACCURACY,
        rules.label(rules.DISPUTE_FOCUSES, rules.FOCUS, gold.focus),
        labels(rules.FOCUS, lambda answer: [gold.focus(answer)]),
        (LawBenchFix.WRAPPER, LawBenchFix.JUDGED), lambda s: {"focus": gold.focus(s.answer)},
    ),
    make_task(
        "2-3", "婚姻纠纷鉴定", "Marital disputes identification", F1,
        rules.label_set(rules.MARITAL_LABELS, gold.marital_labels, rules.LABELS),
        labels(rules.LABELS, gold.marital_labels, "、", floor=3), (LawBenchFix.WRAPPER,),
    ),
    make_task(
        "2-4", "问题主题识别", "Issue topic identification", ACCURACY,
        rules.label(rules.TOPICS, rules.LABELS), labels(rules.LABELS, lambda answer: [answer]),
        (LawBenchFix.WRAPPER,), lambda s: {"topic": s.answer},
    ),
    make_task(
        "2-5", "阅读理解", "Reading comprehension", rules.CHARACTER_F1,
        rules.PASSAGE,
        texts(  # the first characters of the passage: who, when, where
            gold.without(gold.ANSWERED), own=nearest_clause,
            floor=kit.always(lambda s: s.question.removeprefix("段落:")[:_SHORT_LEAD]),
        ),
        (LawBenchFix.LABEL, LawBenchFix.SILENCE),
    ),
    make_task(
        "2-6", "命名实体识别", "Named entity recognition", SOFT_F1,
        Entities,  # one entity type a line, as the prompt asks; or nothing to report
        texts(lambda answer: answer.replace(";", "\n") or "无", kit.always(lambda _: "无")),
        (LawBenchFix.SEPARATORS, LawBenchFix.LINES, LawBenchFix.NOTHING, LawBenchFix.REPORTED,
         LawBenchFix.EPSILON),
    ),
    make_task(
        "2-7", "舆情摘要", "Opinion summarization", rules.ROUGE_L,
        rules.RECITATION, texts(floor=kit.always(lead), own=lead), ROUGE_FIXES,
    ),
    make_task(
        "2-8", "论点挖掘", "Argument mining", ACCURACY,
        rules.choice("ABCDE", 6), choice(6), CHOICE_FIXES, letters="ABCDE",
    ),
    make_task(
        "2-9", "事件检测", "Event detection", F1,
        rules.label_set(rules.EVENTS, gold.events),
        labels(None, gold.events, "；", floor=kit.always(echo)),
    ),
    make_task(
        "2-10", "触发词提取", "Trigger word extraction", SOFT_F1,
        Triggers, texts(), (LawBenchFix.SEPARATORS, LawBenchFix.MATCHING, LawBenchFix.EPSILON),
    ),
    make_task(
        "3-1", "事实法条预测", "Fact-based article prediction", F1,
        ARTICLES, labels(rules.ARTICLE, article_names, "、", floor=3), (LawBenchFix.ARTICLES,),
    ),
    make_task(
        "3-2", "场景法条预测", "Scene-based article prediction", rules.ROUGE_L,
        rules.RECITATION, texts(law=True), ROUGE_FIXES, lambda s: law_in(s.answer), LAW,
    ),
    make_task(
        "3-3", "罪名预测", "Charge prediction", F1,
        rules.CHARGES_RULES, labels(rules.CHARGE, gold.charges, ";", floor=kit.always(echo)),
        (LawBenchFix.LONGEST, LawBenchFix.CHARGES),
    ),
    make_task(
        "3-4", "刑期预测", "Prison term prediction without article",
        LOG_DISTANCE, TermDistance, _term_baselines, TERM_FIXES, least=-math.inf,
    ),
    make_task(
        "3-5", "刑期预测（附法条）", "Prison term prediction with article",
        LOG_DISTANCE, TermDistance, _term_baselines, TERM_FIXES, least=-math.inf,
    ),
    make_task(
        "3-6", "案例分析", "Case analysis", ACCURACY,
        rules.choice("ABCD", 5), choice(5), CHOICE_FIXES, letters="ABCD",
    ),
    make_task(
        "3-7", "犯罪金额计算", "Criminal damages calculation", ACCURACY,
        Amount, labels(rules.AMOUNT, money, floor=kit.always(echo)),
        (LawBenchFix.SINGLE, LawBenchFix.UNITS),
    ),
    make_task(
        "3-8", "咨询", "Consultation", rules.ROUGE_L,
        rules.RECITATION, texts(law=True), ROUGE_FIXES,
    ),
)  # fmt: skip

LEVELS = {"memorization": "1-", "understanding": "2-", "applying": "3-"}
"""Level to the prefix of its task ids; overall is the mean of tasks (lawbench.md 5)."""

SUITE = Suite(
    name="lawbench",
    title="LawBench 法律能力评测",
    title_en="LawBench",
    pack="lawbench",
    settings=SETTINGS,
    tasks={task.id: task for task in TASKS},
    figures=kit.levels([task.id for task in TASKS], LEVELS),
    layouts=(Released(),),
    abilities={
        "memorization": ("法律知识记忆", "memorise"),
        "understanding": ("法律知识理解", "understand"),
        "applying": ("法律知识应用", "apply"),
    },
    titles={"overall": ("总分", "overall")},
)

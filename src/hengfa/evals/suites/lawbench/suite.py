"""LawBench's declaration: the twenty tasks, and which rules score each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from hengfa.evals.suites.base import Baselines, RuleSet, Suite, Task
from hengfa.evals.suites.kit.baselines import always
from hengfa.evals.suites.kit.rules import ACCURACY, F1
from hengfa.evals.suites.kit.tasks import levels
from hengfa.evals.suites.lawbench import baselines, dataset, gold, rules
from hengfa.evals.suites.lawbench.dataset import SETTINGS, LawBenchSample, load, prompt
from hengfa.evals.suites.lawbench.entities import SOFT_F1, Entities, Triggers
from hengfa.evals.suites.lawbench.numbers import ARTICLES, LOG_DISTANCE, Amount, TermDistance
from hengfa.evals.suites.lawbench.predictions import Released
from hengfa.evals.suites.lawbench.proofreading import F_HALF, Proofreading
from hengfa.evals.suites.lawbench.rules import LawBenchFix

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


_term_baselines = baselines.labels(
    rules.TERM, baselines.term, floor=always(baselines.constant_term)
)

TASKS = (
    make_task(
        "1-1", "法条背诵", "Article recitation", rules.ROUGE_L,
        rules.LABELLED_RECITATION,
        baselines.texts(gold.without(gold.RECITED), law=True),
        (*ROUGE_FIXES, LawBenchFix.LABEL), dataset.recited_law, dataset.LAW,
    ),
    make_task(
        "1-2", "知识问答", "Knowledge question answering", ACCURACY,
        rules.choice("ABCD", 5), baselines.choice(5), CHOICE_FIXES, letters="ABCD",
    ),
    make_task(
        "2-1", "文书校对", "Document proofreading", F_HALF,
        Proofreading,
        baselines.texts(own=baselines.echo),
        (LawBenchFix.SOURCE, LawBenchFix.ALIGNMENT, LawBenchFix.WHOLE),
    ),
    make_task(
        "2-2", "争议焦点识别", "Dispute focus identification", ACCURACY,
        rules.label(rules.DISPUTE_FOCUSES, rules.FOCUS, gold.focus),
        baselines.labels(rules.FOCUS, lambda answer: [gold.focus(answer)]),
        (LawBenchFix.WRAPPER, LawBenchFix.JUDGED), dataset.focus,
    ),
    make_task(
        "2-3", "婚姻纠纷鉴定", "Marital disputes identification", F1,
        rules.label_set(rules.MARITAL_LABELS, gold.marital_labels, rules.LABELS),
        baselines.labels(rules.LABELS, gold.marital_labels, "、", floor=3),
        (LawBenchFix.WRAPPER,),
    ),
    make_task(
        "2-4", "问题主题识别", "Issue topic identification", ACCURACY,
        rules.label(rules.TOPICS, rules.LABELS),
        baselines.labels(rules.LABELS, lambda answer: [answer]),
        (LawBenchFix.WRAPPER,), dataset.topic,
    ),
    make_task(
        "2-5", "阅读理解", "Reading comprehension", rules.CHARACTER_F1,
        rules.PASSAGE,
        baselines.texts(
            gold.without(gold.ANSWERED),
            always(baselines.short_lead),
            own=baselines.nearest_clause,
        ),
        (LawBenchFix.LABEL, LawBenchFix.SILENCE),
    ),
    make_task(
        "2-6", "命名实体识别", "Named entity recognition", SOFT_F1,
        Entities,
        baselines.texts(baselines.listed, always(baselines.nothing)),
        (LawBenchFix.SEPARATORS, LawBenchFix.LINES, LawBenchFix.NOTHING, LawBenchFix.REPORTED,
         LawBenchFix.EPSILON),
    ),
    make_task(
        "2-7", "舆情摘要", "Opinion summarization", rules.ROUGE_L,
        rules.RECITATION,
        baselines.texts(floor=always(baselines.lead), own=baselines.lead),
        ROUGE_FIXES,
    ),
    make_task(
        "2-8", "论点挖掘", "Argument mining", ACCURACY,
        rules.choice("ABCDE", 6), baselines.choice(6), CHOICE_FIXES, letters="ABCDE",
    ),
    make_task(
        "2-9", "事件检测", "Event detection", F1,
        rules.label_set(rules.EVENTS, gold.events),
        baselines.labels(None, gold.events, "；", floor=always(baselines.echo)),
    ),
    make_task(
        "2-10", "触发词提取", "Trigger word extraction", SOFT_F1,
        Triggers, baselines.texts(),
        (LawBenchFix.SEPARATORS, LawBenchFix.MATCHING, LawBenchFix.EPSILON),
    ),
    make_task(
        "3-1", "事实法条预测", "Fact-based article prediction", F1,
        ARTICLES,
        baselines.labels(rules.ARTICLE, baselines.article_names, "、", floor=3),
        (LawBenchFix.ARTICLES,),
    ),
    make_task(
        "3-2", "场景法条预测", "Scene-based article prediction", rules.ROUGE_L,
        rules.RECITATION, baselines.texts(law=True), ROUGE_FIXES, dataset.applied_law, dataset.LAW,
    ),
    make_task(
        "3-3", "罪名预测", "Charge prediction", F1,
        rules.CHARGES_RULES,
        baselines.labels(
            rules.CHARGE, gold.charges, ";", floor=always(baselines.echo)
        ),
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
        rules.choice("ABCD", 5), baselines.choice(5), CHOICE_FIXES, letters="ABCD",
    ),
    make_task(
        "3-7", "犯罪金额计算", "Criminal damages calculation", ACCURACY,
        Amount,
        baselines.labels(
            rules.AMOUNT, baselines.money, floor=always(baselines.echo)
        ),
        (LawBenchFix.SINGLE, LawBenchFix.UNITS),
    ),
    make_task(
        "3-8", "咨询", "Consultation", rules.ROUGE_L,
        rules.RECITATION, baselines.texts(law=True), ROUGE_FIXES,
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
    figures=levels([task.id for task in TASKS], LEVELS),
    layouts=(Released(),),
    abilities={
        "memorization": ("法律知识记忆", "memorise"),
        "understanding": ("法律知识理解", "understand"),
        "applying": ("法律知识应用", "apply"),
    },
    titles={"overall": ("总分", "overall")},
)

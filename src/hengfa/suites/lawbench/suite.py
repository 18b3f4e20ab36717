"""LawBench's declaration: the twenty tasks, and which function does what for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from hengfa.suites.base import Baselines, Suite, Task
from hengfa.suites.lawbench import baselines, extract, facets, gold, rules, score, vocabulary
from hengfa.suites.lawbench import fixes as fix
from hengfa.suites.lawbench.dataset import SETTINGS, LawBenchSample, load
from hengfa.suites.lawbench.predictions import read_predictions
from hengfa.suites.lawbench.prompts import prompt
from hengfa.suites.lawbench.proofreading import F_HALF, proofreading

LawBenchTask = Task[LawBenchSample, object]

ROUGE_FIXES = (fix.WORDS, fix.EPSILON, fix.SILENCE)
CHOICE_FIXES = (fix.WRAPPER, fix.LETTERS)
TERM_FIXES = (fix.WRAPPER, fix.YEARS, fix.SPACES, fix.DATES, fix.CLIP, fix.JUDGED)


def task(
    task_id: str,
    title: str,
    title_en: str,
    metric: str,
    build: rules.Build,
    trivial: Baselines[LawBenchSample],
    fixes: tuple[str, ...] = (),
    kinds: Callable[[LawBenchSample], Mapping[str, str]] | None = None,
    cluster: str | None = None,
) -> LawBenchTask:
    return LawBenchTask(
        id=task_id,
        title=title,
        title_en=title_en,
        metric=metric,
        load=partial(load, task_id),
        prompt=prompt,
        rules=build,
        fixes=fix.sentences(*fixes),
        baselines=trivial,
        facets=kinds,
        cluster=cluster,
    )


_term_baselines = baselines.labels(extract.TERM, baselines.term, floor=baselines.constant_term())

TASKS = (
    task(
        "1-1", "法条背诵", "Article recitation", score.ROUGE_L,
        rules.text(gold.without(gold.RECITED), gold.RECITED),
        baselines.texts(gold.without(gold.RECITED), law=True),
        (*ROUGE_FIXES, fix.LABEL), facets.recited_law, facets.LAW,
    ),
    task(
        "1-2", "知识问答", "Knowledge question answering", score.ACCURACY,
        rules.choice("ABCD", 5), baselines.choice(5), CHOICE_FIXES,
    ),
    task(
        "2-1", "文书校对", "Document proofreading", F_HALF,
        proofreading(),
        baselines.texts(own=baselines.echo),
        (fix.SOURCE, fix.ALIGNMENT, fix.WHOLE),
    ),
    task(
        "2-2", "争议焦点识别", "Dispute focus identification", score.ACCURACY,
        rules.focus(vocabulary.DISPUTE_FOCUSES),
        baselines.labels(extract.FOCUS, lambda answer: [gold.focus(answer)]),
        (fix.WRAPPER, fix.JUDGED), facets.focus,
    ),
    task(
        "2-3", "婚姻纠纷鉴定", "Marital disputes identification", score.F1,
        rules.labels(vocabulary.MARITAL_LABELS, gold.marital_labels, extract.LABELS),
        baselines.labels(extract.LABELS, gold.marital_labels, "、", floor=3),
        (fix.WRAPPER,),
    ),
    task(
        "2-4", "问题主题识别", "Issue topic identification", score.ACCURACY,
        rules.topic(vocabulary.TOPICS),
        baselines.labels(extract.LABELS, lambda answer: [answer]),
        (fix.WRAPPER,), facets.topic,
    ),
    task(
        "2-5", "阅读理解", "Reading comprehension", score.CHARACTER_F1,
        rules.reading(),
        baselines.texts(
            gold.without(gold.ANSWERED),
            baselines.always(baselines.short_lead),
            own=baselines.nearest_clause,
        ),
        (fix.LABEL, fix.SILENCE),
    ),
    task(
        "2-6", "命名实体识别", "Named entity recognition", score.SOFT_F1,
        rules.entities(),
        baselines.texts(baselines.listed, baselines.always(baselines.nothing)),
        (fix.SEPARATORS, fix.LINES, fix.NOTHING, fix.REPORTED, fix.EPSILON),
    ),
    task(
        "2-7", "舆情摘要", "Opinion summarization", score.ROUGE_L,
        rules.text(),
        baselines.texts(floor=baselines.always(baselines.lead), own=baselines.lead),
        ROUGE_FIXES,
    ),
    task(
        "2-8", "论点挖掘", "Argument mining", score.ACCURACY,
        rules.choice("ABCDE", 6), baselines.choice(6), CHOICE_FIXES,
    ),
    task(
        "2-9", "事件检测", "Event detection", score.F1,
        rules.labels(vocabulary.EVENTS, gold.events),
        baselines.labels("", gold.events, "；", floor=baselines.always(baselines.echo)),
    ),
    task(
        "2-10", "触发词提取", "Trigger word extraction", score.SOFT_F1,
        rules.triggers(), baselines.texts(), (fix.SEPARATORS, fix.MATCHING, fix.EPSILON),
    ),
    task(
        "3-1", "事实法条预测", "Fact-based article prediction", score.F1,
        rules.articles(),
        baselines.labels(extract.ARTICLE, baselines.article_names, "、", floor=3),
        (fix.ARTICLES,),
    ),
    task(
        "3-2", "场景法条预测", "Scene-based article prediction", score.ROUGE_L,
        rules.text(), baselines.texts(law=True), ROUGE_FIXES, facets.applied_law, facets.LAW,
    ),
    task(
        "3-3", "罪名预测", "Charge prediction", score.F1,
        rules.charges(),
        baselines.labels(
            extract.CHARGE, gold.charges, ";", floor=baselines.always(baselines.echo)
        ),
        (fix.LONGEST, fix.CHARGES),
    ),
    task(
        "3-4", "刑期预测", "Prison term prediction without article",
        score.LOG_DISTANCE, rules.term(), _term_baselines, TERM_FIXES,
    ),
    task(
        "3-5", "刑期预测（附法条）", "Prison term prediction with article",
        score.LOG_DISTANCE, rules.term(), _term_baselines, TERM_FIXES,
    ),
    task(
        "3-6", "案例分析", "Case analysis", score.ACCURACY,
        rules.choice("ABCD", 5), baselines.choice(5), CHOICE_FIXES,
    ),
    task(
        "3-7", "犯罪金额计算", "Criminal damages calculation", score.ACCURACY,
        rules.amount(),
        baselines.labels(
            extract.AMOUNT, baselines.money, floor=baselines.always(baselines.echo)
        ),
        (fix.SINGLE, fix.UNITS),
    ),
    task(
        "3-8", "咨询", "Consultation", score.ROUGE_L,
        rules.text(), baselines.texts(law=True), ROUGE_FIXES,
    ),
)  # fmt: skip

SUITE = Suite(
    name="lawbench",
    title="LawBench 法律能力评测",
    title_en="LawBench",
    pack="lawbench",
    settings=SETTINGS,
    tasks={one.id: one for one in TASKS},
    figures=partial(score.figures, tuple(one.id for one in TASKS)),
    read_predictions=read_predictions,
    abilities={
        "memorization": ("法律知识记忆", "memorise"),
        "understanding": ("法律知识理解", "understand"),
        "applying": ("法律知识应用", "apply"),
    },
    titles={"overall": ("总分", "overall")},
)

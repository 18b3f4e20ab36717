"""LawBench's declaration: the tasks, and which function does what for each."""

from __future__ import annotations

from functools import partial

from hengfa.suites.base import Rules, RuleSet, Suite, Task, zero
from hengfa.suites.lawbench import baselines, extract, prompts, score
from hengfa.suites.lawbench.dataset import SETTINGS, LawBenchSample, load
from hengfa.suites.lawbench.predictions import read_predictions
from hengfa.text import segmentation

LawBenchTask = Task[LawBenchSample, str]

RECITATION = LawBenchTask(
    id="1-1",
    title="法条背诵",
    title_en="Article recitation",
    metric=score.ROUGE_L,
    load=partial(load, "1-1"),
    prompt=prompts.prompt,
    rules={
        Rules.OFFICIAL: RuleSet(
            extract.text_as_is,
            score.score_rouge_l_official(score.recitation_gold),
            zero(score.ROUGE_L),
        ),
        Rules.CORRECTED: RuleSet(
            extract.text_or_silence,
            score.score_rouge_l_corrected(score.recitation_gold),
            zero(score.ROUGE_L),
        ),
    },
    baselines=baselines.recitation(),
    instrument=segmentation.instrument,
)

KNOWLEDGE = LawBenchTask(
    id="1-2",
    title="知识问答",
    title_en="Knowledge question answering",
    metric=score.ACCURACY,
    load=partial(load, "1-2"),
    prompt=prompts.prompt,
    rules={
        Rules.OFFICIAL: RuleSet(
            extract.official_choice("ABCD"),
            score.score_choice(score.choice_gold(5)),
            zero(score.ACCURACY),
        ),
        Rules.CORRECTED: RuleSet(
            extract.corrected_choice("ABCD"),
            score.score_choice(score.choice_gold(5)),
            zero(score.ACCURACY),
        ),
    },
    baselines=baselines.multiple_choice(5),
)

TASKS = {task.id: task for task in (RECITATION, KNOWLEDGE)}

SUITE = Suite(
    name="lawbench",
    title="LawBench 法律能力评测",
    title_en="LawBench",
    pack="lawbench",
    settings=SETTINGS,
    tasks=TASKS,
    figures=partial(score.figures, tuple(TASKS)),
    read_predictions=read_predictions,
)

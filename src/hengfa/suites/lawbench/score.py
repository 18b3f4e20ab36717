"""Sample and answer to score, scores to figures: pure (LawBench spec 1, 2 and 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from hengfa.suites.base import Answer, Metrics
from hengfa.suites.lawbench.dataset import LawBenchSample
from hengfa.text.rouge import rouge_l, rouge_l_official

ROUGE_L, ACCURACY = "rouge_l", "accuracy"

LEVELS = {"memorization": "1-", "understanding": "2-", "applying": "3-"}
"""Level to the prefix of its task ids."""


def recitation_gold(sample: LawBenchSample) -> str:
    """Task 1-1: the article without the label that the data puts before it."""
    return sample.answer.replace("答案:", "")


def choice_gold(position: int) -> Callable[[LawBenchSample], str]:
    """The option letter at a fixed place of the gold string, such as `正确答案：B。`."""

    def gold(sample: LawBenchSample) -> str:
        return sample.answer[position : position + 1]

    return gold


def score_rouge_l_official(
    gold: Callable[[LawBenchSample], str],
) -> Callable[[LawBenchSample, Answer[str]], Metrics]:
    """Spec 1.4 with its quirks: empty tokens count, a perfect match is 0.999999995."""

    def score(sample: LawBenchSample, answer: Answer[str]) -> Metrics:
        return {ROUGE_L: rouge_l_official(answer.value or "", gold(sample))}

    return score


def score_rouge_l_corrected(
    gold: Callable[[LawBenchSample], str],
) -> Callable[[LawBenchSample, Answer[str]], Metrics]:
    """Spec 1.4, Fix: no empty tokens, no epsilon."""

    def score(sample: LawBenchSample, answer: Answer[str]) -> Metrics:
        return {ROUGE_L: rouge_l(answer.value or "", gold(sample)).f}

    return score


def score_choice(
    gold: Callable[[LawBenchSample], str],
) -> Callable[[LawBenchSample, Answer[str]], Metrics]:
    """Spec 1.1: one point for naming the gold option and no other."""

    def score(sample: LawBenchSample, answer: Answer[str]) -> Metrics:
        return {ACCURACY: float(answer.value == gold(sample))}

    return score


def figures(tasks: Sequence[str], task_scores: Mapping[str, float]) -> dict[str, float]:
    """Spec 5: the mean of each level's tasks; overall is the mean of tasks, not of levels.

    A level of which a task is missing has no figure: a mean of some tasks is not the level's.
    """
    groups = {
        level: [task for task in tasks if task.startswith(prefix)]
        for level, prefix in LEVELS.items()
    }
    groups["overall"] = list(tasks)
    return {
        name: fmean(task_scores[task] for task in group)
        for name, group in groups.items()
        if group and all(task in task_scores for task in group)
    }

"""Sample and answer to score, scores to figures: pure (LawBench spec 1, 2 and 5)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest
from statistics import fmean
from typing import TypeVar

from hengfa.suites.base import ABSTAINED, Answer, Fixes, Metrics
from hengfa.suites.lawbench import fixes as fix
from hengfa.suites.lawbench.dataset import LawBenchSample
from hengfa.suites.lawbench.extract_entities import Entities
from hengfa.text.assignment import best_matching
from hengfa.text.characters import character_f1
from hengfa.text.rouge import OFFICIAL_EPSILON, rouge_l, rouge_l_official

ROUGE_L, ACCURACY, F1, CHARACTER_F1 = "rouge_l", "accuracy", "f1", "rc_f1"
SOFT_F1, LOG_DISTANCE = "soft_f1", "nlog_distance"
ROUGE_L_CHARACTERS, NEAR = "rouge_l_char", "within_25_percent"

LEVELS = {"memorization": "1-", "understanding": "2-", "applying": "3-"}
"""Level to the prefix of its task ids."""

_LOG_LONGEST = math.log(216)
"""The distance of an abstention: ln(18 years in months)."""
_SOFT_EPSILON = 1e-10

T = TypeVar("T", str, int)
Score = Callable[[LawBenchSample, Answer[str]], Metrics]


def rouge(gold: Callable[[str], str], fixes: Fixes) -> Score:
    """Spec 1.4. Quirks: empty tokens count, a perfect match is 0.999999995.

    Where words are compared as they should be, the same by characters is given as well: it does not
    depend on a segmenter.
    """
    epsilon = 0.0 if fix.EPSILON in fixes else OFFICIAL_EPSILON

    def score(sample: LawBenchSample, answer: Answer[str]) -> Metrics:
        text, reference = answer.value or "", gold(sample.answer)
        if fix.WORDS not in fixes:
            return {ROUGE_L: rouge_l_official(text, reference, epsilon=epsilon)}
        return {
            ROUGE_L: rouge_l(text, reference, epsilon=epsilon).f,
            ROUGE_L_CHARACTERS: rouge_l(text, reference, unit="char").f,
        }

    return score


def match(gold: Callable[[str], str]) -> Score:
    """Spec 1.1: one point for naming the gold option and no other."""

    def score(sample: LawBenchSample, answer: Answer[str]) -> Metrics:
        return {ACCURACY: float(answer.value == gold(sample.answer))}

    return score


def reading(gold: Callable[[str], str]) -> Score:
    """Spec 2-5."""

    def score(sample: LawBenchSample, answer: Answer[str]) -> Metrics:
        return {CHARACTER_F1: character_f1(answer.value or "", gold(sample.answer))}

    return score


def overlap(
    gold: Callable[[str], frozenset[T]],
) -> Callable[[LawBenchSample, Answer[frozenset[T]]], Metrics]:
    """Spec 1.2: F1 of the gold set and the answer's."""

    def score(sample: LawBenchSample, answer: Answer[frozenset[T]]) -> Metrics:
        expected, found = gold(sample.answer), answer.value or frozenset()
        common = len(expected & found)
        if not common:
            return {F1: 0.0}
        precision, recall = common / len(found), common / len(expected)
        return {F1: 2 * precision * recall / (precision + recall)}

    return score


def entities(
    gold: Callable[[str], Entities], fixes: Fixes
) -> Callable[[LawBenchSample, Answer[Entities]], Metrics]:
    """Spec 2-6. Quirk: abstention is never reported, whatever was read."""

    def score(sample: LawBenchSample, answer: Answer[Entities]) -> Metrics:
        expected, found = gold(sample.answer), answer.value or {}
        silent = float(bool(expected) and not found)
        shared = (
            character_f1(found[kind], value) for kind, value in expected.items() if kind in found
        )
        return {
            SOFT_F1: _soft_f1(sum(shared), len(found), len(expected), fixes)
            if expected
            else float(not found),
            ABSTAINED: silent if fix.REPORTED in fixes else 0.0,
        }

    return score


def triggers(
    gold: Callable[[str], Sequence[str]], fixes: Fixes
) -> Callable[[LawBenchSample, Answer[tuple[str, ...]]], Metrics]:
    """Spec 2-10. Quirk: words are compared place by place, so another order scores low."""

    def score(sample: LawBenchSample, answer: Answer[tuple[str, ...]]) -> Metrics:
        expected, found = gold(sample.answer), answer.value or ()
        if fix.MATCHING in fixes:
            shared = _best_overlap(expected, found)
        else:
            shared = sum(map(character_f1, found, expected))
        return {SOFT_F1: _soft_f1(shared, len(found), len(expected), fixes)}

    return score


def _soft_f1(shared: float, predicted: int, expected: int, fixes: Fixes) -> float:
    if not shared:
        return 0.0
    epsilon = 0.0 if fix.EPSILON in fixes else _SOFT_EPSILON
    precision, recall = shared / predicted, shared / expected
    return 2 * precision * recall / (precision + recall + epsilon)


def _best_overlap(expected: Sequence[str], found: Sequence[str]) -> float:
    """The sum of the best one-to-one matching of words.

    Of many words only the few that come nearest to each expected one can be part of it, and of
    equal words only as many as are expected.
    """
    most = len(expected)
    if len(found) > most:
        words = [word for word, count in Counter(found).items() for _ in range(min(count, most))]
        near = {
            place
            for word in expected
            for place in nlargest(
                most, range(len(words)), key=lambda p: character_f1(words[p], word)
            )
        }
        found = [words[place] for place in sorted(near)]
    return best_matching([[character_f1(word, other) for word in found] for other in expected])


def term(
    gold: Callable[[str], int | None], fixes: Fixes
) -> Callable[[LawBenchSample, Answer[int]], Metrics]:
    """Spec 3-4, 3-5: how near two terms are on a logarithmic scale; 1 is equal.

    Samples whose gold is no number of months are left out. Quirks: they count where abstention is
    divided; an absurd term scores below zero.
    """

    def score(sample: LawBenchSample, answer: Answer[int]) -> Metrics:
        expected = gold(sample.answer)
        if expected is None:
            return left_out(LOG_DISTANCE, fixes)
        if answer.value is None:
            return {LOG_DISTANCE: 0.0, NEAR: 0.0}
        distance = abs(math.log(expected + 1) - math.log(answer.value + 1))
        nearness = (_LOG_LONGEST - distance) / _LOG_LONGEST
        return {
            LOG_DISTANCE: max(0.0, nearness) if fix.CLIP in fixes else nearness,
            NEAR: float(4 * abs(answer.value - expected) <= expected),
        }

    return score


def amount(
    gold: Callable[[str], float],
) -> Callable[[LawBenchSample, Answer[frozenset[float]]], Metrics]:
    """Spec 3-7: one point if the gold amount is among those read."""

    def score(sample: LawBenchSample, answer: Answer[frozenset[float]]) -> Metrics:
        return {ACCURACY: float(gold(sample.answer) in (answer.value or ()))}

    return score


def left_out(metric: str, fixes: Fixes) -> Metrics:
    """A sample that is not judged. Quirk: it still counts where abstentions are divided."""
    return {metric: None, ABSTAINED: None if fix.JUDGED in fixes else 0.0}


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

"""Sample and answer to metrics, metrics to figures: pure (CLaw spec 3 and 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from hengfa.law.citation_model import Position
from hengfa.results.figures import ABSTAINED
from hengfa.suites.base import Answer, AnswerStatus, Fixes, Metrics
from hengfa.suites.claw import fixes as fix
from hengfa.suites.claw.clean import normalise
from hengfa.suites.claw.dataset import ClawSample
from hengfa.suites.claw.extract import Place, Recitation
from hengfa.text.characters import edit_distance
from hengfa.text.rouge import Unit, bleu_of, lcs, overlaps, rouge_l, rouge_of, units

ARTICLE, PARAGRAPH, ITEM = ACCURACIES = (
    "article_accuracy",
    "paragraph_accuracy",
    "subparagraph_accuracy",
)
IN_FORCE: Final = "_in_force"
"""A metric's name with this: judged by the version that was in force, where that is another."""

ROUGE_L, EXACT, BERTSCORE = "rouge_l", "exact_match", "bertscore"
EDITS, EDITS_NORMALISED = "edit_distance", "edit_distance_normalised"
ROUGE_L_RAW, EDITS_RAW = "rouge_l_uncleaned", "edit_distance_uncleaned"
BLEU_SMOOTHED: Final = "bleu_smoothed"
CHARACTERS: Final = "_char"

RECITED: Final = 0.5
"""Who repeats half of a provision, by ROUGE-L of characters, has not refused it."""

IdScore = Callable[[ClawSample, Answer[Place]], Metrics]
ContentScore = Callable[[ClawSample, Answer[Recitation]], Metrics]


def hierarchical(fixes: Fixes) -> IdScore:
    """Article; article and paragraph; article, paragraph and item: each right or wrong.

    None must equal None, unless the fix `tolerant` is on.
    """
    tolerant = fix.TOLERANT in fixes

    def score(sample: ClawSample, answer: Answer[Place]) -> Metrics:
        golds = (sample.position, *(sample.same if fix.IDENTICAL in fixes else ()))
        metrics: dict[str, float | None] = dict(
            zip(ACCURACIES, _levels(answer.value, golds, tolerant), strict=True)
        )
        there = sample.in_force_at
        metrics[ARTICLE + IN_FORCE] = _levels(answer.value, there, tolerant)[0] if there else None
        return metrics

    return score


def _levels(named: Place | None, golds: Iterable[Position], tolerant: bool) -> list[float]:
    """The best of the levels over all positions that count as right."""
    right = [False, False, False]
    if named is None:
        return [0.0, 0.0, 0.0]
    for gold in golds:
        article = named[:2] == gold[:2]
        # The paragraph of a gold position is None just where its article has only one.
        paragraph = named.paragraph == gold.paragraph or (
            tolerant and gold.paragraph is None and named.paragraph == 1
        )
        reached = (article, article and paragraph, article and paragraph and named[3] == gold[3])
        right = [one or other for one, other in zip(right, reached, strict=True)]
    return [float(one) for one in right]


def recited(fixes: Fixes) -> ContentScore:
    """ROUGE, BLEU, edit distance, exact match and recall of the cleaned text; and as it came."""

    def score(sample: ClawSample, answer: Answer[Recitation]) -> Metrics:
        raw, text = answer.value or Recitation("", "")
        gold = normalise(sample.text)
        by_characters = _overlap(text, gold, CHARACTERS)
        refused = (
            answer.status is AnswerStatus.ABSTAINED
            and by_characters[ROUGE_L + CHARACTERS] < RECITED
        )
        if refused and fix.REFUSALS in fixes and text:
            return {**score(sample, _SILENCE), ABSTAINED: 1.0}
        distance = edit_distance(text, gold)
        metrics: dict[str, float | None] = {
            **_overlap(text, gold, ""),
            **by_characters,
            EDITS: float(distance),
            EDITS_NORMALISED: distance / max(len(text), len(gold), 1),
            EXACT: float(text == gold),
            ROUGE_L_RAW: rouge_l(raw, sample.text).f,
            EDITS_RAW: float(edit_distance(raw, sample.text)),
            ABSTAINED: float(refused),
        }
        other = sample.in_force_text
        metrics[ROUGE_L + IN_FORCE] = None if other is None else rouge_l(text, normalise(other)).f
        return metrics

    return score


_SILENCE: Final = Answer(Recitation("", ""), AnswerStatus.ABSTAINED)


def _overlap(text: str, gold: str, suffix: str) -> dict[str, float]:
    """What two texts share in words, or with the suffix `_char` in characters."""
    unit: Unit = "char" if suffix else "word"
    mine, other = units(text, unit), units(gold, unit)
    orders = overlaps(mine, other)
    in_order = lcs(mine, other)
    found = {
        "rouge_1": rouge_of(orders[0]).f,
        "rouge_2": rouge_of(orders[1]).f,
        ROUGE_L: in_order.f,
        "gold_recall": in_order.recall,
        "bleu": bleu_of(orders),
    }
    metrics = {f"{name}{suffix}": value for name, value in found.items()}
    if not suffix:
        metrics[BLEU_SMOOTHED] = bleu_of(orders, "epsilon")
    return metrics


def figures(task_scores: Mapping[str, float]) -> dict[str, float]:
    """The two main metrics under their own names; the paper has no figure over all tasks."""
    named = {"id": ARTICLE, "content": ROUGE_L}
    return {name: task_scores[task] for task, name in named.items() if task in task_scores}

"""Answers that are texts: recitations, summaries, consultations, and passages of a text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from hengfa.evals.suites.base import Answer, Fixes, Metrics, RuleSet
from hengfa.evals.suites.kit.rules import Compared, read_whole
from hengfa.evals.suites.lawbench import fixes as fix
from hengfa.evals.suites.lawbench import gold
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.law.text.characters import character_f1
from hengfa.law.text.rouge import OFFICIAL_EPSILON, Unit, rouge_l, rouge_l_official

ROUGE_L, ROUGE_L_CHARACTERS, CHARACTER_F1 = "rouge_l", "rouge_l_char", "rc_f1"


@dataclass(frozen=True)
class Labelled(Compared[LawBenchSample]):
    """A text before which the data puts a label. Quirk: a model that copies it loses points."""

    def read(self, response: str) -> Answer[str]:
        label = self.label if fix.LABEL in self.fixes else ""
        return read_whole(response, silence=fix.SILENCE in self.fixes, label=label)


def recited(text: str, reference: str, fixes: Fixes) -> Metrics:
    """ROUGE-L over words (lawbench.md 1.4): 1-1, 2-7, 3-2, 3-8.

    Quirks: empty tokens count, a perfect match is 0.999999995. Where words are compared as they
    should be, the same by characters is given as well: it does not depend on a segmenter.
    """
    epsilon = 0.0 if fix.EPSILON in fixes else OFFICIAL_EPSILON
    if fix.WORDS not in fixes:
        return {ROUGE_L: rouge_l_official(text, reference, epsilon=epsilon)}
    return {
        ROUGE_L: rouge_l(text, reference, epsilon=epsilon).f,
        ROUGE_L_CHARACTERS: rouge_l(text, reference, unit="char").f,
    }


def quoted(text: str, reference: str, _fixes: Fixes) -> Metrics:
    """F1 of characters with a passage of the text (lawbench.md 2-5)."""
    return {CHARACTER_F1: character_f1(text, reference)}


def _compared(
    metric: str, unit: Unit, compare: Callable[[str, str, Fixes], Metrics], label: str = ""
) -> Callable[..., RuleSet[LawBenchSample, str]]:
    reference = gold.without(label) if label else gold.as_it_is
    return partial(
        Labelled,
        metric=metric,
        unit=unit,
        compare=compare,
        gold=lambda sample: reference(sample.answer),
        label=label,
    )


RECITATION: Final = _compared(ROUGE_L, "word", recited)
LABELLED_RECITATION: Final = _compared(ROUGE_L, "word", recited, gold.RECITED)
PASSAGE: Final = _compared(CHARACTER_F1, "char", quoted, gold.ANSWERED)

"""Answers that name options: letters and labels as the kit reads them, and charges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from hengfa.evals.suites.base import Answer, Fixes, RuleSet, Score
from hengfa.evals.suites.findings import places
from hengfa.evals.suites.kit.rules import ACCURACY, Named, OneOf, SetOf, labels_in, letters_in
from hengfa.evals.suites.kit.wrapper import Wrapper
from hengfa.evals.suites.lawbench import fixes as fix
from hengfa.evals.suites.lawbench import gold
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.evals.suites.lawbench.rules import CHOICE, left_out
from hengfa.evals.suites.lawbench.vocabulary import CHARGES, MISSING_CHARGES

Build = Callable[..., RuleSet[LawBenchSample, Any]]


def choice(letters: str, position: int) -> Build:
    """The one option letter that occurs: 1-2, 2-8, 3-6 (lawbench.md 1.1).

    The gold has its letter at a fixed `position`. Quirk: the wrapper is not looked at.
    """
    return partial(
        OneOf[LawBenchSample],
        what="option",
        naming=partial(letters_in, letters=letters, wrapper=CHOICE),
        gold=lambda sample: gold.letter(sample.answer, position),
    )


@dataclass(frozen=True)
class Judged(OneOf[LawBenchSample]):
    """The one label that occurs; a gold that is no option is not judged."""

    def score(self, sample: LawBenchSample, answer: Answer[str]) -> Score:
        expected = self.gold(sample)
        if expected != gold.NOT_AN_OPTION:
            return super().score(sample, answer)
        explain = partial(self.explain, answer, expected, judged=False)
        return Score(left_out(ACCURACY, self.fixes), explain)


def label(
    options: Sequence[str], wrapper: Wrapper, reference: Callable[[str], str] = gold.as_it_is
) -> Build:
    """The one label that occurs: 2-2, 2-4 (lawbench.md 1.1)."""
    return partial(
        Judged,
        what="label",
        naming=partial(labels_in, vocabulary=options, wrapper=wrapper),
        gold=lambda sample: reference(sample.answer),
    )


def label_set(
    options: Sequence[str],
    reference: Callable[[str], frozenset[str]],
    wrapper: Wrapper | None = None,
) -> Build:
    """Every label that occurs, as F1 (lawbench.md 1.2): 2-3, 2-9.

    Quirk: labels copied from the prompt count too.
    """
    return partial(
        SetOf[LawBenchSample, str],
        what="label",
        naming=partial(labels_in, vocabulary=options, wrapper=wrapper),
        gold=lambda sample: reference(sample.answer),
    )


@lru_cache(maxsize=2)
def _charges(*, more: bool) -> tuple[str, ...]:
    """The longest first."""
    options = CHARGES + (MISSING_CHARGES if more else ())
    return tuple(sorted(options, key=len, reverse=True))


def charges_in(response: str, fixes: Fixes) -> Named[str]:
    """Every charge that occurs (lawbench.md 3-3).

    Quirks: 合同诈骗 names 诈骗 too; 13 charges are unknown.
    """

    def named() -> Iterator[tuple[str, str]]:
        """Each with the text in which it stands: by the fix `longest` a charge takes its letters
        from those inside it."""
        rest = response
        for charge in _charges(more=fix.CHARGES in fixes):
            if charge in rest:
                yield charge, rest
                if fix.LONGEST in fixes:
                    rest = rest.replace(charge, "\n" * len(charge))

    return Named(
        [charge for charge, _ in named()],
        lambda: {charge: places(rest, charge) for charge, rest in named()},
    )


CHARGES_RULES: Build = partial(
    SetOf[LawBenchSample, str],
    what="charge",
    naming=charges_in,
    gold=lambda sample: gold.charges(sample.answer),
)

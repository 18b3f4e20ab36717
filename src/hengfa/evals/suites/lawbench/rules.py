"""The rules of LawBench that are made of the kit's: labels, charges and texts; and what all of its
rules share: fixes by name, the wrappers around an answer, vocabularies, samples not judged.

What LawBench has of its own is in `numbers.py`, `entities.py`, `proofreading.py`. Without fixes a
rule does what the published evaluator does, and its quirks are named where they are
(docs/benchmarks/lawbench.md); a fix repairs one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, TypeVar

from hengfa.base.data.jsonfile import read_toml
from hengfa.evals.results.figures import ABSTAINED
from hengfa.evals.suites.base import Answer, Fixes, Metrics, RuleSet, Score
from hengfa.evals.suites.findings import places
from hengfa.evals.suites.kit import rules as kit
from hengfa.evals.suites.kit.rules import Wrapper
from hengfa.evals.suites.lawbench import gold
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.law.text.characters import character_f1
from hengfa.law.text.rouge import OFFICIAL_EPSILON, Unit, rouge_l, rouge_l_official


class LawBenchFix(StrEnum):
    """What the corrected rules repair; `fixes.toml` says it in a sentence each. A rule asks whether
    one is on (`LawBenchFix.WRAPPER in fixes`), so that its effect shows by itself."""

    WRAPPER = kit.WRAPPER
    LETTERS = kit.LETTERS
    SILENCE = kit.SILENCE
    LABEL = "label"
    WORDS = "words"
    EPSILON = "epsilon"
    JUDGED = "judged"
    SOURCE = "source"
    ALIGNMENT = "alignment"
    WHOLE = "whole"
    SEPARATORS = "separators"
    LINES = "lines"
    NOTHING = "nothing"
    REPORTED = "reported"
    MATCHING = "matching"
    ARTICLES = "articles"
    LONGEST = "longest"
    CHARGES = "charges"
    YEARS = "years"
    SPACES = "spaces"
    DATES = "dates"
    CLIP = "clip"
    SINGLE = "single"
    UNITS = "units"


SENTENCES: Final = {
    **kit.SENTENCES,
    **read_toml(Path(__file__).with_name("fixes.toml"), dict[str, str]),
}

END: Final = "<eoa>"
CHOICE, FOCUS, LABELS = (Wrapper(mark, END) for mark in ("[正确答案]", "[争议焦点]", "[类别]"))
ARTICLE, CHARGE = Wrapper("[法条]", END), Wrapper("[罪名]", END)
TERM, AMOUNT = Wrapper("[刑期]", END), Wrapper("[金额]", END)

V = TypeVar("V")


LawBenchRules = kit.PlainRules[LawBenchSample, V]  # what rules that only LawBench has are made of


def left_out(metric: str, fixes: Fixes) -> Metrics:
    """A sample that is not judged. Quirk: it still counts where abstentions are divided."""
    return {metric: None, ABSTAINED: None if LawBenchFix.JUDGED in fixes else 0.0}


# --- options, labels and charges ---

_LISTS: Final = read_toml(Path(__file__).with_name("vocabulary.toml"), dict[str, str])


def _words(name: str) -> tuple[str, ...]:
    return tuple(_LISTS[name].split())


DISPUTE_FOCUSES: Final = _words("dispute_focuses")  # task 2-2
MARITAL_LABELS: Final = _words("marital_labels")  # task 2-3; none contains another
TOPICS: Final = _words("topics")  # task 2-4
ENTITY_TYPES: Final = _words("entity_types")  # task 2-6
NOTHING: Final = frozenset(_words("nothing"))
NOTHING_TOO: Final = frozenset(("", *NOTHING, *_words("nothing_too")))
"""Task 2-6: what says that there is none, by the published evaluator and by the fix `nothing`."""
EVENTS: Final = _words("events")  # task 2-9; a label with a slash is one label
CHARGES: Final = _words("charges")
"""Task 3-3, as the published evaluator lists them; 29 pairs are nested."""
MISSING_CHARGES: Final = _words("missing_charges")
"""Charges that are gold of task 3-3 and that the published list lacks."""

Build = Callable[..., RuleSet[LawBenchSample, Any]]


def choice(letters: str, position: int) -> Build:
    """The one option letter that occurs: 1-2, 2-8, 3-6 (lawbench.md 1.1). The gold has its letter
    at a fixed `position`. Quirk: the wrapper is not looked at."""
    return partial(
        kit.OneOf[LawBenchSample],
        what="option",
        naming=partial(kit.letters_in, letters=letters, wrapper=CHOICE),
        gold=lambda sample: gold.letter(sample.answer, position),
    )


@dataclass(frozen=True)
class OneLabel(kit.OneOf[LawBenchSample]):
    """The one label that occurs; a gold that is no option is not judged."""

    def score(self, sample: LawBenchSample, answer: Answer[str]) -> Score:
        expected = self.gold(sample)
        if expected != gold.NOT_AN_OPTION:
            return super().score(sample, answer)
        explain = partial(self.explain, answer, expected, judged=False)
        return Score(left_out(kit.ACCURACY, self.fixes), explain)


def label(
    options: Sequence[str], wrapper: Wrapper, reference: Callable[[str], str] = gold.as_it_is
) -> Build:
    """The one label that occurs: 2-2, 2-4 (lawbench.md 1.1)."""
    return partial(
        OneLabel,
        what="label",
        naming=partial(kit.labels_in, vocabulary=options, wrapper=wrapper),
        gold=lambda sample: reference(sample.answer),
    )


def label_set(
    options: Sequence[str],
    reference: Callable[[str], frozenset[str]],
    wrapper: Wrapper | None = None,
) -> Build:
    """Every label that occurs, as F1 (lawbench.md 1.2): 2-3, 2-9. Quirk: labels copied from the
    prompt count too."""
    return partial(
        kit.SetOf[LawBenchSample, str],
        what="label",
        naming=partial(kit.labels_in, vocabulary=options, wrapper=wrapper),
        gold=lambda sample: reference(sample.answer),
    )


@lru_cache(maxsize=2)
def _charges(*, more: bool) -> tuple[str, ...]:
    """The longest first."""
    options = CHARGES + (MISSING_CHARGES if more else ())
    return tuple(sorted(options, key=len, reverse=True))


def charges_in(response: str, fixes: Fixes) -> kit.Named[str]:
    """Every charge that occurs (lawbench.md 3-3). Quirks: 合同诈骗 names 诈骗 too; 13 charges are
    unknown."""

    def charges() -> Iterator[tuple[str, str]]:
        """Each with the text in which it stands: by the fix `longest` a charge takes its letters
        from those inside it."""
        rest = response
        for charge in _charges(more=LawBenchFix.CHARGES in fixes):
            if charge in rest:
                yield charge, rest
                if LawBenchFix.LONGEST in fixes:
                    rest = rest.replace(charge, "\n" * len(charge))

    return kit.Named(
        [charge for charge, _ in charges()],
        lambda: {charge: places(rest, charge) for charge, rest in charges()},
    )


CHARGES_RULES: Build = partial(
    kit.SetOf[LawBenchSample, str],
    what="charge",
    naming=charges_in,
    gold=lambda sample: gold.charges(sample.answer),
)


# --- texts: recitations, summaries, consultations, and passages of a text ---

ROUGE_L, ROUGE_L_CHARACTERS, CHARACTER_F1 = "rouge_l", "rouge_l_char", "rc_f1"


def recitation_metrics(text: str, reference: str, fixes: Fixes) -> Metrics:
    """ROUGE-L over words (lawbench.md 1.4): 1-1, 2-7, 3-2, 3-8. Quirks: empty tokens count, a
    perfect match is 0.999999995. Where words are compared as they should be, the same by characters
    is given as well: it does not depend on a segmenter."""
    epsilon = 0.0 if LawBenchFix.EPSILON in fixes else OFFICIAL_EPSILON
    if LawBenchFix.WORDS not in fixes:
        return {ROUGE_L: rouge_l_official(text, reference, epsilon=epsilon)}
    return {
        ROUGE_L: rouge_l(text, reference, epsilon=epsilon).f,
        ROUGE_L_CHARACTERS: rouge_l(text, reference, unit="char").f,
    }


def passage_metrics(text: str, reference: str, _fixes: Fixes) -> Metrics:
    """F1 of characters with a passage of the text (lawbench.md 2-5)."""
    return {CHARACTER_F1: character_f1(text, reference)}


def _comparison(
    metric: str, unit: Unit, compare: Callable[[str, str, Fixes], Metrics], label: str = ""
) -> Build:
    """Before some texts the data puts a label. Quirk: a model that copies it loses points."""
    reference = gold.without(label) if label else gold.as_it_is

    def build(fixes: Fixes, data: Path | None) -> kit.Compared[LawBenchSample]:
        return kit.Compared(
            fixes, data, metric, unit, compare,
            gold=lambda sample: reference(sample.answer),
            label=label if LawBenchFix.LABEL in fixes else "",
        )  # fmt: skip

    return build


RECITATION: Final = _comparison(ROUGE_L, "word", recitation_metrics)
LABELLED_RECITATION: Final = _comparison(ROUGE_L, "word", recitation_metrics, gold.RECITED)
PASSAGE: Final = _comparison(CHARACTER_F1, "char", passage_metrics, gold.ANSWERED)

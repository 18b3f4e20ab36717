"""Extraction and scoring tied together: one function for each kind of task.

Each returns what `Task.rules` wants: fixes (and the pack's folder) in, rule set out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hengfa.suites.base import Answer, AnswerStatus, Fixes, Metrics, RuleSet
from hengfa.suites.lawbench import (
    extract,
    extract_entities,
    extract_numbers,
    gold,
    score,
    tracing,
    tracing_values,
)
from hengfa.suites.lawbench.dataset import LawBenchSample
from hengfa.text import segmentation

Build = Callable[[Fixes, Path | None], RuleSet[LawBenchSample, Any]]
Score = Callable[[LawBenchSample, Answer[Any]], Metrics]


def silence_of(scored: Score) -> Callable[[LawBenchSample], Metrics]:
    """No answer earns nothing, even where silence would be right, and is no abstention."""
    nothing: Answer[Any] = Answer(None, AnswerStatus.ABSTAINED)

    def silence(sample: LawBenchSample) -> Metrics:
        metrics: Mapping[str, float | None] = scored(sample, nothing)
        return {name: value and 0.0 for name, value in metrics.items()}

    return silence


def text(reference: Callable[[str], str] = gold.as_it_is, label: str = "") -> Build:
    """1-1, 2-7, 3-2, 3-8: ROUGE-L over words."""

    def build(fixes: Fixes, _data: Path | None) -> RuleSet[LawBenchSample, str]:
        read, scored = extract.whole_text(fixes, label), score.rouge(reference, fixes)
        return RuleSet(
            read,
            scored,
            silence_of(scored),
            instrument=segmentation.instrument,
            trace=tracing.text(score.ROUGE_L, reference)(fixes, read, scored),
        )

    return build


def _plain(
    extractor: Callable[[Fixes], Callable[[str], Answer[Any]]],
    scorer: Callable[[Fixes], Score],
    tracer: tracing.Tracer,
) -> Build:
    def build(fixes: Fixes, _data: Path | None) -> RuleSet[LawBenchSample, Any]:
        read, scored = extractor(fixes), scorer(fixes)
        return RuleSet(read, scored, silence_of(scored), trace=tracer(fixes, read, scored))

    return build


def choice(options: str, position: int) -> Build:
    """1-2, 2-8, 3-6: accuracy of a letter."""
    return _plain(
        lambda fixes: extract.choice(options, fixes),
        lambda _fixes: score.match(gold.letter(position)),
        tracing.choice(options, gold.letter(position)),
    )


def focus(options: Sequence[str]) -> Build:
    """2-2: accuracy of a label; samples whose gold is no option are left out."""

    def scorer(fixes: Fixes) -> Score:
        judged = score.match(gold.focus)

        def scored(sample: LawBenchSample, answer: Answer[str]) -> Metrics:
            if gold.focus(sample.answer) == gold.NOT_AN_OPTION:
                return score.left_out(score.ACCURACY, fixes)
            return judged(sample, answer)

        return scored

    return _plain(
        lambda fixes: extract.one_label(options, extract.FOCUS, fixes),
        scorer,
        tracing.one_label(options, extract.FOCUS, gold.focus),
    )


def topic(options: Sequence[str]) -> Build:
    """2-4: accuracy of a label."""
    return _plain(
        lambda fixes: extract.one_label(options, extract.LABELS, fixes),
        lambda _fixes: score.match(gold.as_it_is),
        tracing.one_label(options, extract.LABELS, gold.as_it_is),
    )


def labels(
    options: Sequence[str], reference: Callable[[str], frozenset[str]], mark: str = ""
) -> Build:
    """2-3, 2-9: F1 of sets of labels."""
    return _plain(
        lambda fixes: extract.all_labels(options, fixes, mark),
        lambda _fixes: score.overlap(reference),
        tracing.labels(mark, reference),
    )


def reading() -> Build:
    """2-5: F1 of characters."""
    return _plain(
        lambda fixes: extract.whole_text(fixes, gold.ANSWERED),
        lambda _fixes: score.reading(gold.without(gold.ANSWERED)),
        tracing.text(score.CHARACTER_F1, gold.without(gold.ANSWERED), "char"),
    )


def entities() -> Build:
    """2-6: F1 of characters by entity type."""
    return _plain(
        extract_entities.entities,
        lambda fixes: score.entities(gold.entities, fixes),
        tracing_values.entities(),
    )


def triggers() -> Build:
    """2-10: F1 of characters word by word."""
    return _plain(
        extract.pieces,
        lambda fixes: score.triggers(gold.triggers, fixes),
        tracing_values.triggers(),
    )


def articles() -> Build:
    """3-1: F1 of sets of article numbers."""
    return _plain(
        extract_numbers.articles,
        lambda _fixes: score.overlap(gold.articles),
        tracing_values.articles(),
    )


def charges() -> Build:
    """3-3: F1 of sets of charges."""
    return _plain(
        extract.charges,
        lambda _fixes: score.overlap(gold.charges),
        tracing.charges(gold.charges),
    )


def term() -> Build:
    """3-4, 3-5: normalised logarithmic distance of terms."""
    return _plain(
        extract_numbers.months,
        lambda fixes: score.term(gold.months, fixes),
        tracing_values.term(),
    )


def amount() -> Build:
    """3-7: accuracy of an amount of money."""
    return _plain(
        extract_numbers.amounts,
        lambda _fixes: score.amount(gold.amount),
        tracing_values.amount(),
    )

"""Task 2-1 (LawBench spec 3): the edits of a correction against those of the gold, as F0.5.

The comparison itself is in `text.proofreading`; here is what it is given, and from where.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from hengfa.suites.base import Answer, Fixes, Metrics, Pooled, RuleSet
from hengfa.suites.lawbench import fixes as fix
from hengfa.suites.lawbench.dataset import LawBenchSample
from hengfa.suites.lawbench.extract import whole_text
from hengfa.suites.lawbench.rules import Build
from hengfa.suites.lawbench.tracing_edits import edits
from hengfa.text.proofreading import (
    Counts,
    Similarity,
    counts,
    f_half,
    instrument,
    source_of_prompt,
)

F_HALF = "f0.5"
TP, FP, FN, TIMED_OUT = "tp", "fp", "fn", "timed_out"
SIMILARITY_FOLDER = Path("evaluation", "utils", "data")
_OFFICIAL_DIGITS = 4
_WITHOUT = (
    "2-1: cilin.txt and confusion_dict.txt are not in the data, so characters are alike by sound "
    "only; scores differ a little from published ones (`hengfa data pull lawbench` brings them)"
)


def proofreading() -> Build:
    """Corpus-level F0.5 from right, wrong and missed edits."""

    def build(fixes: Fixes, data: Path | None) -> RuleSet[LawBenchSample, str]:
        folder = None if data is None else data / SIMILARITY_FOLDER
        there = folder is not None and folder.is_dir()
        similarity = Similarity.read(folder) if folder and there else Similarity.none()
        first = fix.ALIGNMENT in fixes

        def score(sample: LawBenchSample, answer: Answer[str]) -> Metrics:
            return _metrics(
                counts(
                    _source(sample, fixes),
                    answer.value or "",
                    sample.answer,
                    similarity,
                    first_alignment=first,
                    whole_prediction=fix.WHOLE in fixes,
                )
            )

        def silence(sample: LawBenchSample) -> Metrics:
            """Nothing was corrected: every edit of the gold is missed, none is wrong."""
            source = _source(sample, fixes)
            unchanged = counts(source, source, sample.answer, similarity, first_alignment=first)
            return _metrics(Counts(0, 0, unchanged.fn))

        return RuleSet(
            whole_text(fixes),
            score,
            silence,
            pooled=Pooled((TP, FP, FN), f_half, None if first else _OFFICIAL_DIGITS),
            instrument=partial(instrument, similarity),
            notice="" if there else _WITHOUT,
            trace=edits(
                lambda sample: _source(sample, fixes),
                similarity,
                first_alignment=first,
                whole_prediction=fix.WHOLE in fixes,
            ),
        )

    return build


def _source(sample: LawBenchSample, fixes: Fixes) -> str:
    """The sentence to correct. Quirk: read from the prompt, with what a template adds to its line.

    Saved predictions without the data have only the prompt, under whatever rules.
    """
    if fix.SOURCE in fixes and sample.question:
        return sample.question
    sent = sample.prompt if sample.sent is None else sample.sent
    return source_of_prompt(sent) or sample.question


def _metrics(found: Counts) -> Metrics:
    return {
        F_HALF: f_half(found.tp, found.fp, found.fn),
        TP: float(found.tp),
        FP: float(found.fp),
        FN: float(found.fn),
        TIMED_OUT: float(found.timed_out),
    }

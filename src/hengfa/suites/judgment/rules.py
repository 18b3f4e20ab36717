"""Reading and scoring tied together: fixes in, rule set out."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from hengfa.results.trace import Trace
from hengfa.suites.base import Answer, Fixes, FunctionRules, Metrics, RuleSet
from hengfa.suites.judgment import extract, score, tracing
from hengfa.suites.judgment.context import context_of
from hengfa.suites.judgment.dataset import DIRECT, RAG, JudgmentSample
from hengfa.suites.judgment.extract import Written
from hengfa.suites.judgment.options import LEGACY
from hengfa.suites.judgment.reading import Elements, Read, readers
from hengfa.text import segmentation
from hengfa.text.bertscore import load_scorer


def rules(fixes: Fixes, data: Path | None) -> RuleSet[JudgmentSample, Written]:
    """The published rules of the chosen version, or the latest ones with fixes on.

    What is no answer is scored as an empty document, as the published evaluator would.
    """
    read = readers(fixes, data)
    models: dict[str, str] = {}

    def reader(sample: JudgmentSample) -> Read:
        return read.legacy if sample.version == LEGACY and not fixes else read.head

    def compare(sample: JudgmentSample, text: str) -> Metrics:
        elements_of = reader(sample)
        expected, given = elements_of(sample.document), elements_of(text)
        metrics = score.compared(expected, given, fixes)
        if sample.bertscore:
            models.setdefault(sample.bertscore, load_scorer(Path(sample.bertscore)).name)
            metrics |= _bertscores(sample.bertscore, expected, given)
        return metrics

    def scored(sample: JudgmentSample, answer: Answer[Written]) -> Metrics:
        metrics = compare(sample, "" if answer.value is None else answer.value.text)
        return {**metrics, **_of_prompt(sample)}

    def trace(sample: JudgmentSample, response: str) -> Trace:
        elements_of = reader(sample)
        expected, given = elements_of(sample.document), elements_of(response)
        return tracing.elements(sample, response, expected, given, fixes)

    def instrument() -> str:
        return "+".join([segmentation.instrument(), *models.values()])

    return FunctionRules(
        extract=extract.document(read),
        score_=scored,
        silence_=lambda sample: {**compare(sample, ""), **_of_prompt(sample)},
        instrument_=instrument,
        notice=read.notice,
        trace=trace,
    )


def _of_prompt(sample: JudgmentSample) -> dict[str, float]:
    """What stood in the prompt: the share of the gold statutes, and how many cases could not."""
    if sample.method == DIRECT or sample.asked_with is None:
        return {}
    refused = {score.CASES_REFUSED: float(context_of(sample).refused)}
    if sample.method != RAG:
        return refused
    return {score.STATUTES_IN_PROMPT: statutes_in_prompt(sample), **refused}


def statutes_in_prompt(sample: JudgmentSample) -> float:
    """How many of the articles that the court's document cites stood in the prompt, of all."""
    gold = set(map(str, sample.articles))
    return len(gold.intersection(context_of(sample).article_ids)) / len(gold) if gold else 0.0


def _bertscores(model: str, expected: Elements, given: Elements) -> dict[str, float]:
    """Of all documents, empty sections included; the words are set apart by blanks (spec 7.3)."""
    pairs = ((given.reason, expected.reason), (given.judgment, expected.judgment))
    return dict(zip(score.BERTSCORES, (_bertscore(model, *pair) for pair in pairs), strict=True))


@lru_cache(maxsize=8192)
def _bertscore(model: str, text: str, gold: str) -> float:
    spaced = " ".join(score.tokens(text)), " ".join(score.tokens(gold))
    return load_scorer(Path(model)).f1([spaced])[0]

"""Extraction and scoring tied together: fixes in, rule set out, the same for every group."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

from hengfa.suites.base import Answer, AnswerStatus, Fixes, FunctionRules, Metrics, RuleSet
from hengfa.suites.legalagentbench import extract, score, tracing
from hengfa.suites.legalagentbench.dataset import AgentSample
from hengfa.suites.legalagentbench.extract import Submitted
from hengfa.text.bertscore import load_scorer

_NO_ANSWER: Final = Answer(score.NOTHING, AnswerStatus.ABSTAINED)


def rules(fixes: Fixes, _data: Path | None) -> RuleSet[AgentSample, Submitted]:
    """What is no answer has none of the keys, and tells nothing of the way there."""
    by_keys = score.keywords(fixes)
    models: dict[str, str] = {}

    def scored(sample: AgentSample, answer: Answer[Submitted]) -> Metrics:
        metrics = by_keys(sample, answer)
        if not sample.bertscore:
            return metrics
        models.setdefault(sample.bertscore, load_scorer(Path(sample.bertscore)).name)
        text = (answer.value or score.NOTHING).answer
        return {**metrics, score.BERTSCORE: _bertscore(sample.bertscore, text, sample.answer)}

    def silence(sample: AgentSample) -> Metrics:
        more = {score.BERTSCORE: 0.0} if sample.bertscore else {}
        return {**by_keys(sample, _NO_ANSWER), **more}

    def instrument() -> str:
        return "+".join(["keywords", *models.values()])

    return FunctionRules(
        extract.submitted(fixes),
        scored,
        silence,
        instrument_=instrument,
        trace=tracing.keywords(fixes),
    )


@lru_cache(maxsize=8192)
def _bertscore(model: str, text: str, gold: str) -> float:
    """Asked for one text at a time, since there are 300; kept for the other rules."""
    return load_scorer(Path(model)).f1([(text, gold)])[0]

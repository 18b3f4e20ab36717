"""Two documents' elements to metrics, metrics to figures: pure (judgment spec 4.3 and 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import fmean
from typing import Final

from hengfa.results.figures import TaskFigure
from hengfa.suites.base import Fixes
from hengfa.suites.judgment import fixes as fix
from hengfa.suites.judgment.official import NOTHING, penalty_score
from hengfa.suites.judgment.reading import Elements, Penalty
from hengfa.text.meteor import meteor
from hengfa.text.segmentation import cut

TASK: Final = "document"
OVERALL: Final = "overall"
PRISON, FINE = "prison", "fine"
CHARGE, STATUTE = "charge", "statute"
METEOR_REASON, METEOR_JUDGMENT = METEORS = ("meteor_reason", "meteor_judgment")
BERT_REASON, BERT_JUDGMENT = BERTSCORES = ("bertscore_reason", "bertscore_judgment")
RECALL, PRECISION, F1 = "_recall", "_precision", "_f1"
PER_DOCUMENT: Final = "_f1_per_document"
COUNTED: Final = "_counted"
"""Whether a metric counts this document: `prison_counted`, `fine_counted`, `meteor_counted`."""

STATUTES_IN_PROMPT, CASES_REFUSED = OF_PROMPT = ("statutes_in_prompt", "cases_refused")
"""Of what retrieval put before the model: gold statutes found, cases too close to be shown."""

_KEPT, _KEPT_LENGTH = 8192, 10_000


def compared(expected: Elements, given: Elements, fixes: Fixes) -> dict[str, float | None]:
    """Every metric of one document; None where the rules leave it out."""
    guard = fix.GUARD not in fixes
    metrics: dict[str, float | None] = {
        PRISON: penalties(expected.terms, given.terms, guard=True),
        FINE: penalties(expected.fines, given.fines, guard=guard),
        **_sets(CHARGE, expected.charges, given.charges),
        **_sets(STATUTE, expected.articles, given.articles),
        **_meteors(expected, given, fixes),
    }
    for name, metric in ((PRISON, PRISON), (FINE, FINE), ("meteor", METEOR_REASON)):
        metrics[f"{name}{COUNTED}"] = float(metrics[metric] is not None)
    parts = (PRISON, FINE, CHARGE + PER_DOCUMENT, STATUTE + PER_DOCUMENT, *METEORS)
    return {OVERALL: fmean(v for part in parts if (v := metrics[part]) is not None), **metrics}


def penalties(
    expected: Sequence[Penalty], given: Sequence[Penalty], *, guard: bool
) -> float | None:
    """The mean over defendants of how near their penalties are; None where nobody has any."""
    scores = (_penalty(one, other, guard) for one, other in paired(expected, given))
    counted = [score for score in scores if score is not None]
    return fmean(counted) if counted else None


def paired(expected: Sequence[Penalty], given: Sequence[Penalty]) -> list[tuple[Penalty, Penalty]]:
    """Defendants of the same name; then those left, in order; then those without a counterpart."""
    left = list(given)
    pairs: list[tuple[Penalty, Penalty]] = []
    alone: list[Penalty] = []
    for one in expected:
        same = next((other for other in left if other.who == one.who), None)
        if same is None:
            alone.append(one)
        else:
            left.remove(same)
            pairs.append((one, same))
    both = min(len(alone), len(left))
    pairs += zip(alone, left, strict=False)
    pairs += [(one, Penalty(one.who, NOTHING)) for one in alone[both:]]
    return pairs + [(Penalty(other.who, NOTHING), other) for other in left[both:]]


def _penalty(expected: Penalty, given: Penalty, guard: bool) -> float | None:
    if expected.kind or given.kind:
        return float(expected.kind == given.kind)
    return penalty_score(expected.value, given.value, guard=guard)


def _sets(name: str, expected: frozenset[str], given: frozenset[str]) -> dict[str, float | None]:
    """Shares of what is right; an empty set has none, even if both are empty (spec 7.1)."""
    right = len(expected & given)
    recall = right / len(expected) if expected else 0.0
    precision = right / len(given) if given else 0.0
    return {
        name + RECALL: recall,
        name + PRECISION: precision,
        name + PER_DOCUMENT: harmonic(precision, recall),
    }


def harmonic(precision: float, recall: float) -> float:
    """F1 of a precision and a recall."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _meteors(expected: Elements, given: Elements, fixes: Fixes) -> dict[str, float | None]:
    """Both or neither: a document that lacks one of its two sections is left out (Q8)."""
    if expected.reason and expected.judgment and given.reason and given.judgment:
        return {
            METEOR_REASON: _meteor(given.reason, expected.reason),
            METEOR_JUDGMENT: _meteor(given.judgment, expected.judgment),
        }
    return dict.fromkeys(METEORS, 0.0 if fix.UNPARSED in fixes else None)


def _meteor(text: str, gold: str) -> float:
    long = len(text) > _KEPT_LENGTH or len(gold) > _KEPT_LENGTH
    return _meteor_of(text, gold) if long else _meteor_again(text, gold)


def _meteor_of(text: str, gold: str) -> float:
    return meteor(tokens(text), tokens(gold))


def tokens(text: str) -> Sequence[str]:
    """The words of a section; references come again with every output."""
    return _tokens_again(text) if len(text) <= _KEPT_LENGTH else cut(text)


_tokens_again = lru_cache(maxsize=_KEPT)(cut)
_meteor_again = lru_cache(maxsize=_KEPT)(_meteor_of)


def figures(_task_scores: Mapping[str, float]) -> dict[str, float]:
    """None of these can be told from a task's score alone: see `further`."""
    return {}


def further(tasks: Mapping[str, TaskFigure]) -> dict[str, float]:
    """The metrics of the paper by the names of the published scores, with what they count.

    F1 is of the averaged precision and recall (Q12). METEOR over no document at all is 0, as in the
    published evaluator; `n_meteor` says so.
    """
    figure = tasks.get(TASK)
    if figure is None or figure.score is None:
        return {}
    means, n = figure.more, figure.n
    found: dict[str, float] = {name: means.get(name, 0.0) for name in (PRISON, FINE)}
    for name in (CHARGE, STATUTE):
        recall, precision = means[name + RECALL], means[name + PRECISION]
        found |= {
            name + RECALL: recall,
            name + PRECISION: precision,
            name + F1: harmonic(precision, recall),
        }
    found |= {name: means.get(name, 0.0) for name in METEORS}
    found |= {name: means[name] for name in (*BERTSCORES, *OF_PROMPT) if name in means}
    found |= {name + PER_DOCUMENT: means[name + PER_DOCUMENT] for name in (CHARGE, STATUTE)}
    for name in (PRISON, FINE, "meteor"):
        found[f"n_{name}"] = round(means[f"{name}{COUNTED}"] * n)
    return {**found, "n": n, OVERALL: figure.score}

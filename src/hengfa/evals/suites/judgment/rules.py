"""A written judgment is compared with the court's, element by element (judgment.md 4.3 and 7).

From the top: the rules, which read both documents; what they have read and scored, side by side,
and the findings that are made of it; the metrics of two documents; the figures of a task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Final

import msgspec

from hengfa.evals.results.figures import TaskFigures
from hengfa.evals.results.trace import Finding, Spans, Trace
from hengfa.evals.suites.base import Answer, Fixes, Metrics, RuleSet, Score
from hengfa.evals.suites.findings import short
from hengfa.evals.suites.judgment.dataset import DIRECT, LEGACY, RAG, TASK, JudgmentSample
from hengfa.evals.suites.judgment.official import NOTHING, penalty_score
from hengfa.evals.suites.judgment.prompts import context_of, statutes_in_prompt
from hengfa.evals.suites.judgment.reading import Elements, JudgmentFix, Punishment, Reading, readers
from hengfa.law.text import segmentation
from hengfa.law.text.bertscore import load_scorer
from hengfa.law.text.meteor import meteor

OVERALL, MEAN = "overall", "mean_of_six"
_PRISON, _FINE = "prison", "fine"
_CHARGE, _STATUTE = "charge", "statute"
_METEOR_REASON, _METEOR_JUDGMENT = _METEORS = ("meteor_reason", "meteor_judgment")
_BERTSCORES: Final = ("bertscore_reason", "bertscore_judgment")
_RECALL, _PRECISION, _F1 = "_recall", "_precision", "_f1"
_PER_DOCUMENT: Final = "_f1_per_document"
_COUNTED: Final = "_counted"
"""Whether a metric counts this document: `prison_counted`, `fine_counted`, `meteor_counted`."""

_STATUTES_IN_PROMPT, _CASES_REFUSED = _OF_PROMPT = ("statutes_in_prompt", "cases_refused")
"""Of what retrieval put before the model: gold statutes found, cases too close to be shown."""

_KEPT, _KEPT_LENGTH = 8192, 10_000
_SHORT: Final = 80
_PROVISION, _RELATED = "provision in the prompt", "judgment in the prompt"


class JudgmentRules(RuleSet[JudgmentSample, Reading]):
    """The published rules of the version that a sample asks for, or the latest ones with fixes.
    What is no answer is scored as an empty document, as the published evaluator would."""

    def __init__(self, fixes: Fixes, data: Path | None) -> None:
        self._fixes = fixes
        self._readers = readers(fixes, data)
        self._models: dict[str, str] = {}

    def read(self, response: str) -> Answer[Reading]:
        """By the latest rules: the older version reads the text again when it is scored."""
        reading = Reading(response, self._readers.head(response))
        return Answer(reading, reading.status, reading.where)

    def score(self, sample: JudgmentSample, answer: Answer[Reading]) -> Score:
        comparison = self.compare(sample, answer)

        def explain() -> Trace:
            """The elements, then what stood in the prompt."""
            where = comparison.reading.where()
            rows = comparison.side_by_side()
            elements = (row.finding(where.get(row.element, ())) for row in rows)
            return Trace("elements", (*elements, *_in_prompt(sample)))

        return Score({**comparison.metrics, **_of_prompt(sample)}, explain)

    def silence(self, sample: JudgmentSample) -> Metrics:
        return self.score(sample, self.read("")).metrics

    def instrument(self) -> str:
        return "+".join([segmentation.instrument(), *self._models.values()])

    def compare(self, sample: JudgmentSample, answer: Answer[Reading]) -> Comparison:
        """What was read of an answer and of the court's document, and what that is worth."""
        reading = answer.value or Reading("", self._readers.head(""))
        read = self._readers.head
        if sample.version == LEGACY and not self._fixes:
            read = self._readers.legacy
            reading = Reading(reading.text, read(reading.text))
        expected, given = read(sample.document), reading.elements
        metrics = metrics_of(expected, given, self._fixes)
        if sample.bertscore:
            model = load_scorer(Path(sample.bertscore))
            self._models.setdefault(sample.bertscore, model.name)
            pairs = ((given.reason, expected.reason), (given.judgment, expected.judgment))
            scores = (_bertscore(sample.bertscore, *pair) for pair in pairs)
            metrics |= zip(_BERTSCORES, scores, strict=True)
        return Comparison(expected, reading, metrics)


def _of_prompt(sample: JudgmentSample) -> dict[str, float]:
    """What stood in the prompt: the share of the gold statutes, and how many cases could not."""
    if sample.method == DIRECT or sample.asked_with is None:
        return {}
    refused = {_CASES_REFUSED: float(context_of(sample).refused)}
    if sample.method != RAG:
        return refused
    return {_STATUTES_IN_PROMPT: statutes_in_prompt(sample), **refused}


# Side by side


class ComparedElement(msgspec.Struct, frozen=True):
    """One element as the reference has it and as the document has it, and what that is worth."""

    element: str
    expected: str
    given: str
    scores: dict[str, float | None]

    def finding(self, spans: Spans) -> Finding:
        """The points of an element with a recall and a precision are their F1."""
        recall, precision = (*self.scores.values(), None)[:2]
        points, note = recall, ""
        if recall is not None and precision is not None:
            points = _harmonic(precision, recall)
            note = f"recall {recall:.2f}, precision {precision:.2f}"
        return Finding(
            self.element,
            given=short(self.given, _SHORT),
            expected=short(self.expected, _SHORT),
            right=None if points is None else points == 1.0,
            points=points,
            maximum=None if points is None else 1.0,
            note="left out by the rules" if points is None else note,
            spans=spans,
        )


class Comparison(msgspec.Struct, frozen=True):
    """A document beside the court's as both were read, and the metrics that came of it."""

    expected: Elements
    reading: Reading
    metrics: dict[str, float | None]

    def side_by_side(self) -> list[ComparedElement]:
        """Element by element. The mean of the scores of the elements, those left out aside, is the
        overall score; of recall and precision it is F1 that counts."""

        def row(element: str, show: Callable[[Elements], str], *names: str) -> ComparedElement:
            expected, given = show(self.expected), show(self.reading.elements)
            scores = {name: self.metrics[name] for name in names}
            return ComparedElement(element, expected, given, scores)

        return [
            row("months", lambda read: _penalty_words(read.terms), _PRISON),
            row("fine", lambda read: _penalty_words(read.fines), _FINE),
            row("charges", lambda read: "、".join(sorted(read.charges)), *_measures(_CHARGE)),
            row("articles", lambda read: "、".join(sorted(read.articles)), *_measures(_STATUTE)),
            row("reason", lambda read: read.reason, _METEOR_REASON),
            row("judgment", lambda read: read.judgment, _METEOR_JUDGMENT),
        ]


def _measures(name: str) -> tuple[str, str]:
    return name + _RECALL, name + _PRECISION


def _penalty_words(penalties: Sequence[Punishment]) -> str:
    return "、".join(f"{one.who} {one.kind or f'{one.value:g}'}".strip() for one in penalties)


def _in_prompt(sample: JudgmentSample) -> Iterator[Finding]:
    """The retrieved list as it was shown, which of it is gold, and the gold that is not there."""
    context = context_of(sample)
    gold = tuple(map(str, sample.articles))
    for article in context.article_ids:
        right = article in gold
        yield Finding(_PROVISION, article, article if right else "", right or None)
    if context.article_ids:
        for article in dict.fromkeys(gold):
            if article not in context.article_ids:
                yield Finding(_PROVISION, expected=article, right=False, note="not retrieved")
    for case in context.case_ids:
        yield Finding(_RELATED, case)


# Metrics of two documents


def metrics_of(expected: Elements, given: Elements, fixes: Fixes) -> dict[str, float | None]:
    """Every metric of one document; None where the rules leave it out."""
    guard = JudgmentFix.GUARD not in fixes
    metrics: dict[str, float | None] = {
        _PRISON: penalties(expected.terms, given.terms, guard=True),
        _FINE: penalties(expected.fines, given.fines, guard=guard),
        **_sets(_CHARGE, expected.charges, given.charges),
        **_sets(_STATUTE, expected.articles, given.articles),
        **_meteors(expected, given, fixes),
    }
    for name, metric in ((_PRISON, _PRISON), (_FINE, _FINE), ("meteor", _METEOR_REASON)):
        metrics[f"{name}{_COUNTED}"] = float(metrics[metric] is not None)
    parts = (_PRISON, _FINE, _CHARGE + _PER_DOCUMENT, _STATUTE + _PER_DOCUMENT, *_METEORS)
    return {OVERALL: fmean(v for part in parts if (v := metrics[part]) is not None), **metrics}


def penalties(
    expected: Sequence[Punishment], given: Sequence[Punishment], *, guard: bool
) -> float | None:
    """The mean over defendants of how near their penalties are; None where nobody has any."""
    scores = (
        float(want.kind == got.kind)
        if want.kind or got.kind
        else penalty_score(want.value, got.value, guard=guard)
        for want, got in _paired(expected, given)
    )
    counted = [score for score in scores if score is not None]
    return fmean(counted) if counted else None


def _paired(
    expected: Sequence[Punishment], given: Sequence[Punishment]
) -> list[tuple[Punishment, Punishment]]:
    """Defendants of the same name; then those left, in order; then those without a counterpart."""
    left = list(given)
    pairs: list[tuple[Punishment, Punishment]] = []
    alone: list[Punishment] = []
    for wanted in expected:
        same = next((other for other in left if other.who == wanted.who), None)
        if same is None:
            alone.append(wanted)
        else:
            left.remove(same)
            pairs.append((wanted, same))
    both = min(len(alone), len(left))
    pairs += zip(alone, left, strict=False)
    pairs += [(wanted, Punishment(wanted.who, NOTHING)) for wanted in alone[both:]]
    return pairs + [(Punishment(other.who, NOTHING), other) for other in left[both:]]


def _sets(name: str, expected: frozenset[str], given: frozenset[str]) -> dict[str, float | None]:
    """Shares of what is right; an empty set has none, even if both are empty (7.1)."""
    right = len(expected & given)
    recall = right / len(expected) if expected else 0.0
    precision = right / len(given) if given else 0.0
    f1 = _harmonic(precision, recall)
    return {name + _RECALL: recall, name + _PRECISION: precision, name + _PER_DOCUMENT: f1}


def _harmonic(precision: float, recall: float) -> float:
    """F1 of a precision and a recall."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _meteors(expected: Elements, given: Elements, fixes: Fixes) -> dict[str, float | None]:
    """Both or neither: a document that lacks one of its two sections is left out (Q8)."""
    if expected.reason and expected.judgment and given.reason and given.judgment:
        return {
            _METEOR_REASON: _meteor(given.reason, expected.reason),
            _METEOR_JUDGMENT: _meteor(given.judgment, expected.judgment),
        }
    return dict.fromkeys(_METEORS, 0.0 if JudgmentFix.UNPARSED in fixes else None)


def _meteor(text: str, gold: str) -> float:
    long = len(text) > _KEPT_LENGTH or len(gold) > _KEPT_LENGTH
    return _meteor_of(text, gold) if long else _meteor_again(text, gold)


def _meteor_of(text: str, gold: str) -> float:
    return meteor(_tokens(text), _tokens(gold))


def _tokens(text: str) -> Sequence[str]:
    """The words of a section; references come again with every output."""
    return _tokens_again(text) if len(text) <= _KEPT_LENGTH else segmentation.cut(text)


_tokens_again = lru_cache(maxsize=_KEPT)(segmentation.cut)
_meteor_again = lru_cache(maxsize=_KEPT)(_meteor_of)


@lru_cache(maxsize=8192)
def _bertscore(model: str, text: str, gold: str) -> float:
    """Of all documents, empty sections included; the words are set apart by blanks (7.3)."""
    spaced = " ".join(_tokens(text)), " ".join(_tokens(gold))
    return load_scorer(Path(model)).f1([spaced])[0]


# Figures of a task


def further(tasks: Mapping[str, TaskFigures]) -> dict[str, float]:
    """The metrics of the paper by the names of the published scores, with what they count. F1 is of
    the averaged precision and recall (Q12). METEOR over no document at all is 0, as in the
    published evaluator; `n_meteor` says so."""
    figure = tasks.get(TASK)
    if figure is None or figure.score is None:
        return {}
    means, n = figure.more, figure.n
    published: dict[str, float] = {name: means.get(name, 0.0) for name in (_PRISON, _FINE)}
    for name in (_CHARGE, _STATUTE):
        recall, precision = means[name + _RECALL], means[name + _PRECISION]
        f1 = _harmonic(precision, recall)
        published |= {name + _RECALL: recall, name + _PRECISION: precision, name + _F1: f1}
    published |= {name: means.get(name, 0.0) for name in _METEORS}
    published |= {name: means[name] for name in (*_BERTSCORES, *_OF_PROMPT) if name in means}
    published |= {name + _PER_DOCUMENT: means[name + _PER_DOCUMENT] for name in (_CHARGE, _STATUTE)}
    for name in (_PRISON, _FINE, "meteor"):
        published[f"n_{name}"] = round(means[f"{name}{_COUNTED}"] * n)
    return {**published, **combined(published), "n": n, OVERALL: figure.score}


def combined(figures: Mapping[str, float]) -> dict[str, float]:
    """The mean of six figures of the paper, which has no overall: ours, to order systems by. Unlike
    `overall`, which is a mean over documents, it can be made of what the paper prints. BERTScore is
    left out, since it needs a model that few have at hand."""
    parts = (_PRISON, _FINE, _CHARGE + _F1, _STATUTE + _F1, *_METEORS)
    if not all(part in figures for part in parts):
        return {}
    return {MEAN: fmean(figures[part] for part in parts)}

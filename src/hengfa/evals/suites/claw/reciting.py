"""`content`: given a day, a title and a position, recite the text of the provision (claw.md 4).

What a text shares with the provision is counted after both are cleaned (`clean.py`). The paper does
not say that models refuse: the official rules count whatever words a refusal shares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from hengfa.evals.engine.messages import Message
from hengfa.evals.results.figures import ABSTAINED
from hengfa.evals.results.trace import Finding, Trace
from hengfa.evals.suites.base import Answer, AnswerStatus, Fixes, Metrics, RuleSet, Score
from hengfa.evals.suites.claw import provisions, twins
from hengfa.evals.suites.claw.clean import clean, is_refusal, normalise
from hengfa.evals.suites.claw.dataset import IN_FORCE, ClawSample, day_of, title_of
from hengfa.law.grammar.citation_positions import format_citation
from hengfa.law.text import segmentation
from hengfa.law.text.bertscore import load_scorer
from hengfa.law.text.characters import edit_distance
from hengfa.law.text.rouge import Unit, bleu_of, lcs, overlaps, rouge_l, rouge_of, units

ROUGE_L, EXACT, BERTSCORE = "rouge_l", "exact_match", "bertscore"
EDITS, EDITS_NORMALISED = "edit_distance", "edit_distance_normalised"
ROUGE_L_RAW, EDITS_RAW = "rouge_l_uncleaned", "edit_distance_uncleaned"
BLEU_SMOOTHED: Final = "bleu_smoothed"
CHARACTERS: Final = "_char"

REFUSALS: Final = "refusals"
FIXES: Final = {REFUSALS: "a refusal earns nothing, whatever words it shares with the provision"}
RECITED: Final = 0.5
"""Who repeats half of a provision, by ROUGE-L of characters, has not refused it."""


def prompt(sample: ClawSample, _setting: str) -> tuple[Message, ...]:
    """Day, title and position are given; the text is asked for.

    A day on which a version was promulgated names it; one on which it was in force is said to be
    that.

    The parameters are those of the paper's appendix A, in other words.
    """
    position = format_citation(None, sample.position)
    version = f"《{title_of(sample)}》（{sample.asked.isoformat()}）"
    if sample.reading == "in force on":
        version = f"{day_of(sample)}有效的《{title_of(sample)}》"
    text = (
        f"{provisions.before(sample, query)}请逐字写出{version}{position}的条文。\n"
        "只写条文本身：不写编号，不加说明，以 Markdown 输出。"
    )
    return (Message("user", text),)


def query(sample: ClawSample) -> str:
    """What is searched for in the setting `rag`."""
    position = format_citation(None, sample.position)
    return f"《{title_of(sample)}》（{sample.asked.isoformat()}）{position}"


def _version_en(sample: ClawSample) -> str:
    day = sample.asked.isoformat()
    return f"as in force on {day}" if sample.reading == "in force on" else day


FIELDS: Final[Mapping[str, Callable[[ClawSample], str]]] = {
    "law": title_of,
    "day": lambda sample: sample.asked.isoformat(),
    "position": lambda sample: format_citation(None, sample.position),
    "version_en": _version_en,
    "provisions": lambda sample: provisions.listed(sample, query),
}


class Recitation(NamedTuple):
    """A text as it came, and without what is not part of it."""

    raw: str
    clean: str


_SILENCE: Final = Recitation("", "")


@dataclass(frozen=True)
class Reciting(RuleSet[ClawSample, Recitation]):
    """ROUGE, BLEU, edit distance, exact match and recall of the cleaned text; and as it came."""

    fixes: Fixes
    _batches: dict[str, _Batch] = field(default_factory=dict, init=False, compare=False)
    """What waits for BERTScore, by the model's folder."""

    def read(self, response: str) -> Answer[Recitation]:
        """The text that is recited; a refusal is kept as it is, but named."""
        recited = Recitation(response, clean(response))
        if not recited.clean or is_refusal(response):
            return Answer(recited, AnswerStatus.ABSTAINED)
        return Answer(recited)

    def score(self, sample: ClawSample, answer: Answer[Recitation]) -> Score:
        recited = answer.value or _SILENCE
        metrics = _compare(sample, recited)
        likeness = metrics[ROUGE_L + CHARACTERS] or 0.0
        refused = answer.status is AnswerStatus.ABSTAINED and likeness < RECITED
        if refused and REFUSALS in self.fixes and recited.clean:
            recited = _SILENCE
            metrics = _compare(sample, recited)
        metrics[ABSTAINED] = float(refused)
        explain = partial(_explain, sample, answer, recited.clean, metrics)
        if not sample.bertscore:
            return Score(metrics, explain)
        batch = self._batches.setdefault(sample.bertscore, _Batch(Path(sample.bertscore)))
        number = batch.add(recited.clean, normalise(sample.text))
        return Score(_Awaiting(metrics, batch, number), explain)

    def silence(self, sample: ClawSample) -> Metrics:
        """What is no answer is scored as an empty text."""
        late = {BERTSCORE: 0.0} if sample.bertscore else {}
        return {**_compare(sample, _SILENCE), **late}

    def across(self, scored: Mapping[str, tuple[ClawSample, Metrics]]) -> Mapping[str, Metrics]:
        return twins.pair_metrics(scored)

    def instrument(self) -> str:
        names = (batch.name for batch in self._batches.values())
        return "+".join([segmentation.instrument(), *names])


def _compare(sample: ClawSample, recited: Recitation) -> dict[str, float | None]:
    """Every metric of a text that is no abstention, but BERTScore and what pairs come to."""
    raw, text = recited
    gold, other = normalise(sample.text), sample.in_force_text
    distance = edit_distance(text, gold)
    return {
        **_overlap(text, gold, ""),
        **_overlap(text, gold, CHARACTERS),
        EDITS: float(distance),
        EDITS_NORMALISED: distance / max(len(text), len(gold), 1),
        EXACT: float(text == gold),
        ROUGE_L_RAW: rouge_l(raw, sample.text).f,
        EDITS_RAW: float(edit_distance(raw, sample.text)),
        ABSTAINED: 0.0,
        ROUGE_L + IN_FORCE: None if other is None else rouge_l(text, normalise(other)).f,
        **twins.metrics_of(sample, text),
    }


def _overlap(text: str, gold: str, suffix: str) -> dict[str, float]:
    """What two texts share in words, or with the suffix `_char` in characters."""
    unit: Unit = "char" if suffix else "word"
    mine, other = units(text, unit), units(gold, unit)
    orders = overlaps(mine, other)
    in_order = lcs(mine, other)
    shared = {
        "rouge_1": rouge_of(orders[0]).f,
        "rouge_2": rouge_of(orders[1]).f,
        ROUGE_L: in_order.f,
        "gold_recall": in_order.recall,
        "bleu": bleu_of(orders),
    }
    metrics = {f"{name}{suffix}": value for name, value in shared.items()}
    if not suffix:
        metrics[BLEU_SMOOTHED] = bleu_of(orders, "epsilon")
    return metrics


# --- findings ---

_CHANGED: Final = {
    "numbers": "a number is another one, or missing",
    "negation": "a negation came or went",
    "duty": "what must be done may be done, or the reverse",
}


def _explain(sample: ClawSample, answer: Answer[Recitation], text: str, metrics: Metrics) -> Trace:
    """What the response has of the provision, and what it changes in it.

    `text` is what was scored. ROUGE-L are the points, and the error is the class of the mistake as
    far as the provision and the response tell it.
    """
    from hengfa.evals.suites.claw.likeness import likeness  # noqa: PLC0415 - most are never explained

    like = likeness(sample, (answer.value or _SILENCE).raw)
    findings = [
        Finding(
            ROUGE_L,
            right=metrics[EXACT] == 1.0,
            points=metrics[ROUGE_L],
            maximum=1.0,
            note=f"{like.recall:.0%} of the provision's letters are there; {like.extra:.0%} "
            "of the response's letters are not the provision's",
            spans=like.spans,
        ),
        *(Finding(change, right=False, note=_CHANGED[change]) for change in like.changes),
    ]
    if (other := sample.in_force_text) is not None:
        findings.append(
            Finding(
                "text of the version in force",
                right=text == normalise(other),
                points=metrics[ROUGE_L + IN_FORCE],
                maximum=1.0,
            )
        )
    if twins.OWN in metrics:
        told = twins.wording(sample, text)
        findings.append(Finding("wording", told, "own", right=told == "own"))
    return Trace("answer", tuple(findings), like.error)


# --- BERTScore ---


class _Batch:
    """Pairs of texts that wait for a model.

    A model is asked for many texts at once. So BERTScore is not there when a response is scored: it
    is computed, for all that were scored until then, when the first one is looked at.
    """

    def __init__(self, model: Path) -> None:
        self._model = model
        self._waiting: list[tuple[str, str]] = []
        self._scores: list[float] = []

    @property
    def name(self) -> str:
        return load_scorer(self._model).name

    def add(self, text: str, gold: str) -> int:
        self._waiting.append((text, gold))
        return len(self._scores) + len(self._waiting) - 1

    def __getitem__(self, number: int) -> float:
        if number >= len(self._scores):
            self._scores += load_scorer(self._model).f1(self._waiting)
            self._waiting = []
        return self._scores[number]


class _Awaiting(Mapping[str, float | None]):
    """Metrics of which the last comes with its batch."""

    def __init__(self, metrics: Metrics, batch: _Batch, number: int) -> None:
        self._metrics, self._batch, self._number = metrics, batch, number

    def __getitem__(self, name: str) -> float | None:
        return self._batch[self._number] if name == BERTSCORE else self._metrics[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._metrics
        yield BERTSCORE

    def __len__(self) -> int:
        return len(self._metrics) + 1

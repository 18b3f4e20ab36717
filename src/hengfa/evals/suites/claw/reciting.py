"""`content`: given a day, a title and a position, recite the text of the provision (claw.md 4).

What a text shares with the provision is counted after both are cleaned (`clean.py`). The paper does
not say that models refuse: the official rules count whatever words a refusal shares.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
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
from hengfa.law.grammar.citation_positions import format_position
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
    position = format_position(sample.position)
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
    position = format_position(sample.position)
    return f"《{title_of(sample)}》（{sample.asked.isoformat()}）{position}"


def _version_en(sample: ClawSample) -> str:
    day = sample.asked.isoformat()
    return f"as in force on {day}" if sample.reading == "in force on" else day


FIELDS: Final[Mapping[str, Callable[[ClawSample], str]]] = {
    "law": title_of,
    "day": lambda sample: sample.asked.isoformat(),
    "position": lambda sample: format_position(sample.position),
    "version_en": _version_en,
    "provisions": lambda sample: provisions.article_list(sample, query),
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
    _models: dict[str, str] = field(default_factory=dict, init=False, compare=False)
    """The names of the models of BERTScore, by their folders."""
    _ahead: dict[tuple[str, ...], float] = field(default_factory=dict, init=False, compare=False)
    """BERTScore of what is scored next, by model, text and provision."""

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
        if sample.bertscore:
            metrics[BERTSCORE] = self._bertscore(sample, recited.clean)
        return Score(metrics, partial(_explain, sample, answer, recited.clean, metrics))

    def look_ahead(self, responses: Sequence[tuple[ClawSample, str]]) -> None:
        """A model is asked for many texts at once."""
        self._ahead.clear()
        models: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for sample, response in responses:
            if sample.bertscore:
                models[sample.bertscore].append((clean(response), normalise(sample.text)))
        for model, pairs in models.items():
            scores = load_scorer(Path(model)).f1(pairs)
            self._ahead.update(zip(((model, *pair) for pair in pairs), scores, strict=True))

    def _bertscore(self, sample: ClawSample, text: str) -> float:
        scorer, gold = load_scorer(Path(sample.bertscore)), normalise(sample.text)
        self._models[sample.bertscore] = scorer.name
        if not text:
            return 0.0
        ahead = self._ahead.get((sample.bertscore, text, gold))
        return scorer.f1([(text, gold)])[0] if ahead is None else ahead

    def silence(self, sample: ClawSample) -> Metrics:
        """What is no answer is scored as an empty text."""
        late = {BERTSCORE: 0.0} if sample.bertscore else {}
        return {**_compare(sample, _SILENCE), **late}

    def across(self, scored: Mapping[str, tuple[ClawSample, Metrics]]) -> Mapping[str, Metrics]:
        return twins.pair_metrics(scored)

    def instrument(self) -> str:
        return "+".join([segmentation.instrument(), *self._models.values()])


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
    orders, in_order = overlaps(mine, other), lcs(mine, other)
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
    """What the response has of the provision, and what it changes in it. `text` is what was scored.
    ROUGE-L are the points, and the error is the class of the mistake as far as the provision and
    the response tell it."""
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
        right, points = text == normalise(other), metrics[ROUGE_L + IN_FORCE]
        label = "text of the version in force"
        findings.append(Finding(label, right=right, points=points, maximum=1.0))
    if twins.OWN in metrics:
        told = twins.wording(sample, text)
        findings.append(Finding("wording", told, "own", right=told == "own"))
    return Trace("answer", tuple(findings), like.error)

"""Answers that are texts: recitations, summaries, consultations, and passages of a text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

from hengfa.results.trace import Finding, Trace
from hengfa.suites.base import Answer, AnswerStatus, Metrics, Score
from hengfa.suites.findings import in_common, moved
from hengfa.suites.lawbench import fixes as fix
from hengfa.suites.lawbench import gold
from hengfa.suites.lawbench.dataset import LawBenchSample
from hengfa.suites.lawbench.rules import LawBenchRules
from hengfa.text import segmentation
from hengfa.text.characters import character_f1
from hengfa.text.rouge import OFFICIAL_EPSILON, Unit, rouge_l, rouge_l_official

ROUGE_L, ROUGE_L_CHARACTERS, CHARACTER_F1 = "rouge_l", "rouge_l_char", "rc_f1"
_WHOLE: Final = "text"


def read_whole(response: str, *, silence: bool = False, label: str = "") -> Answer[str]:
    """The response as it is (lawbench.md 1.4 and 2-5).

    With `silence` a blank one abstains; a `label`, copied from the gold, is no part of it.
    """
    if silence and not response.strip():
        return Answer(None, AnswerStatus.ABSTAINED)
    text = response
    if label:
        text = response.lstrip().removeprefix(label).removeprefix(f"{label[:-1]}：")
    start = len(response) - len(text)
    return Answer(text, where=lambda: {_WHOLE: ((start, len(response)),)})


@dataclass(frozen=True)
class WholeText(LawBenchRules[str]):
    """A response that is compared with a reference as a whole.

    `reference` makes the text of the gold; `label` is what the data puts before it. Quirk: where a
    model copies that label it costs points.
    """

    metric: ClassVar[str]
    unit: ClassVar[Unit]

    reference: Callable[[str], str] = gold.as_it_is
    label: str = ""

    def read(self, response: str) -> Answer[str]:
        label = self.label if fix.LABEL in self.fixes else ""
        return read_whole(response, silence=fix.SILENCE in self.fixes, label=label)

    def score(self, sample: LawBenchSample, answer: Answer[str]) -> Score:
        metrics = self.compare(answer.value or "", self.reference(sample.answer))
        return Score(metrics, partial(self._explain, sample, answer, metrics))

    @abstractmethod
    def compare(self, text: str, reference: str) -> Metrics:
        """How alike the two are."""

    def _explain(self, sample: LawBenchSample, answer: Answer[str], metrics: Metrics) -> Trace:
        """The score, and what the answer has in common with the reference.

        White space never counts here; the official rule has quirks that do (`text.rouge`).
        """
        shared = in_common(answer.value or "", self.reference(sample.answer), self.unit)
        start = answer.where()[_WHOLE][0][0] if answer.value is not None else 0
        units = {"word": "words", "char": "characters"}[self.unit]
        note = (
            f"{shared.common} {units} in common and in order, of {shared.mine} in the response and "
            f"{shared.theirs} in the reference"
        )
        points, spans = metrics[self.metric], moved(shared.spans, start)
        return Trace(
            "answer", (Finding(self.metric, points=points, maximum=1.0, note=note, spans=spans),)
        )


class Recitation(WholeText):
    """ROUGE-L over words (lawbench.md 1.4): 1-1, 2-7, 3-2, 3-8.

    Quirks: empty tokens count, a perfect match is 0.999999995. Where words are compared as they
    should be, the same by characters is given as well: it does not depend on a segmenter.
    """

    metric = ROUGE_L
    unit = "word"

    def compare(self, text: str, reference: str) -> Metrics:
        epsilon = 0.0 if fix.EPSILON in self.fixes else OFFICIAL_EPSILON
        if fix.WORDS not in self.fixes:
            return {ROUGE_L: rouge_l_official(text, reference, epsilon=epsilon)}
        return {
            ROUGE_L: rouge_l(text, reference, epsilon=epsilon).f,
            ROUGE_L_CHARACTERS: rouge_l(text, reference, unit="char").f,
        }

    def instrument(self) -> str:
        return segmentation.instrument()


class Passage(WholeText):
    """F1 of characters with a passage of the text (lawbench.md 2-5)."""

    metric = CHARACTER_F1
    unit = "char"

    def compare(self, text: str, reference: str) -> Metrics:
        return {CHARACTER_F1: character_f1(text, reference)}

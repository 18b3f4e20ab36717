"""Task 2-1 (lawbench.md 3): the edits of a correction against those of the gold, as F0.5.

The comparison itself is in `text.proofreading`; here is what it is given, and what it found. In the
findings a right edit has as many points as often as it counts (many alignments may share it), a
missed one none of them, and a spurious one costs them: so right, missed and spurious edits sum to
the counts of which F0.5 is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Final

from rapidfuzz.distance import Levenshtein, Opcode

from hengfa.evals.results.figures import Pooled
from hengfa.evals.results.trace import Finding, Spans, Trace
from hengfa.evals.suites.base import Answer, Metrics, Score
from hengfa.evals.suites.findings import limit, short
from hengfa.evals.suites.kit.rules import read_whole
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.evals.suites.lawbench.rules import LawBenchFix, LawBenchRules
from hengfa.law.text import proofreading as correcting
from hengfa.law.text.proofreading import Counts, Edit, Proofread, Similarity, f_half, proofread
from hengfa.law.text.proofreading.edits import DELETE, INSERT, MOVE, SUBSTITUTE
from hengfa.law.text.proofreading.score import source_text

F_HALF: Final = "f0.5"
TP, FP, FN, TIMED_OUT = "tp", "fp", "fn", "timed_out"
SIMILARITY_FOLDER: Final = Path("evaluation", "utils", "data")
_OFFICIAL_DIGITS: Final = 4
_WITHOUT: Final = (
    "2-1: cilin.txt and confusion_dict.txt are not in the data, so characters are alike by sound "
    "only; scores differ a little from published ones (`hengfa data pull lawbench` brings them)"
)
_NAMES: Final = {SUBSTITUTE: "substitute", INSERT: "insert", DELETE: "delete", MOVE: "move"}
_LONGEST_ALIGNED: Final = 2_000
"""Of a longer response only the beginning is searched for the places of its edits."""
_NEAR: Final = 8


@dataclass(frozen=True)
class Proofreading(LawBenchRules[str]):
    """Corpus-level F0.5 from right, wrong and missed edits."""

    @property
    def pooled(self) -> Pooled:  # type: ignore[override]
        return Pooled((TP, FP, FN), f_half, None if self._first else _OFFICIAL_DIGITS)

    @property
    def notice(self) -> str:  # type: ignore[override]
        return _WITHOUT if self._folder is None else ""

    @property
    def _first(self) -> bool:
        return LawBenchFix.ALIGNMENT in self.fixes

    @cached_property
    def _folder(self) -> Path | None:
        folder = None if self.data is None else self.data / SIMILARITY_FOLDER
        return folder if folder is not None and folder.is_dir() else None

    @cached_property
    def _similarity(self) -> Similarity:
        return Similarity.none() if self._folder is None else Similarity.read(self._folder)

    def instrument(self) -> str:
        return correcting.instrument(self._similarity)

    def read(self, response: str) -> Answer[str]:
        return read_whole(response)

    def look_ahead(self, responses: Sequence[tuple[LawBenchSample, str]]) -> None:
        answers = ((self._source(sample), text, sample.answer) for sample, text in responses)
        how, whole = self._similarity, LawBenchFix.WHOLE in self.fixes
        correcting.look_ahead(answers, how, first_alignment=self._first, whole_prediction=whole)

    def score(self, sample: LawBenchSample, answer: Answer[str]) -> Score:
        source, response = self._source(sample), answer.value or ""
        proofread = self._proofread(source, response, sample, whole=LawBenchFix.WHOLE in self.fixes)
        explain = partial(_explain, source, response, proofread)
        return Score(_metrics(proofread.counts), explain)

    def silence(self, sample: LawBenchSample) -> Metrics:
        """Nothing was corrected: every edit of the gold is missed, none is wrong."""
        source = self._source(sample)
        unchanged = self._proofread(source, source, sample, whole=False).counts
        return _metrics(Counts(0, 0, unchanged.fn))

    def _proofread(
        self, source: str, response: str, sample: LawBenchSample, *, whole: bool
    ) -> Proofread:
        return proofread(
            source, response, sample.answer, self._similarity,
            first_alignment=self._first, whole_prediction=whole,
        )  # fmt: skip

    def _source(self, sample: LawBenchSample) -> str:
        """The sentence to correct. Quirk: read from the prompt, with what a template adds to its
        line. Saved predictions without the data have only the prompt, under whatever rules."""
        if LawBenchFix.SOURCE in self.fixes and sample.question:
            return sample.question
        sent = sample.prompt if sample.sent is None else sample.sent
        return correcting.source_of_prompt(sent) or sample.question


def _metrics(counts: Counts) -> Metrics:
    return {
        F_HALF: f_half(counts.tp, counts.fp, counts.fn),
        TP: float(counts.tp),
        FP: float(counts.fp),
        FN: float(counts.fn),
        TIMED_OUT: float(counts.timed_out),
    }


def _explain(sentence: str, response: str, proofread: Proofread) -> Trace:
    text = source_text(sentence)
    places, show = _Places(sentence, text, response), partial(_edit_words, text)
    wanted, made = _by_key(proofread.wanted), _by_key(proofread.made)
    findings: list[Finding] = []
    for key, edit in wanted.items():
        name, words, times = _NAMES[edit.operation], show(edit), float(edit.times)
        if key in made:
            findings.append(Finding(name, words, words, True, times, times, "", places.of(edit)))
        else:
            findings.append(Finding(name, "", words, False, 0.0, times, "missed"))
    for key, edit in made.items():
        if key not in wanted:
            name, points = _NAMES.get(edit.operation, "declined"), -float(edit.times)
            at = places.of(edit)
            findings.append(Finding(name, show(edit), "", False, points, None, "spurious", at))
    return Trace("edits", limit(findings))


def _by_key(edits: Iterable[Edit]) -> dict[tuple[int, int, str], Edit]:
    """Edits that make the same of the same characters are one, whatever they are called."""
    grouped: dict[tuple[int, int, str], Edit] = {}
    for edit in edits:
        key = edit.start, edit.end, edit.correction
        times = edit.times + (grouped[key].times if key in grouped else 0)
        grouped[key] = edit._replace(times=times)
    return grouped


def _edit_words(source: str, edit: Edit) -> str:
    """甲→乙, +乙 or −甲."""
    was = source[edit.start : edit.end] if edit.operation != "NA" else ""
    if edit.operation == INSERT:
        return f"+{short(edit.correction)}"
    if edit.operation == DELETE:
        return f"−{short(was)}"
    return f"{short(was)}→{short(edit.correction)}"


class _Places:
    """Where edits stand in a response; found by an alignment of its own, for highlighting only."""

    def __init__(self, sentence: str, source: str, response: str) -> None:
        """`source` has a sign for each token; where tokens are longer nothing is placed."""
        visible = [place for place, sign in enumerate(response) if not sign.isspace()]
        self._at = visible[:_LONGEST_ALIGNED]
        self._text = "".join(response[place] for place in self._at)
        same = source == "".join(sentence.split())
        self._blocks: Sequence[Opcode] = (
            list(Levenshtein.opcodes(source[:_LONGEST_ALIGNED], self._text)) if same else ()
        )

    def of(self, edit: Edit) -> Spans:
        """The correction where it stands nearest to its place; nothing for a deletion."""
        if edit.operation not in {SUBSTITUTE, INSERT, MOVE} or not self._blocks:
            return ()
        block = next(block for block in reversed(self._blocks) if block.src_start <= edit.start)
        at = block.dest_start + min(edit.start - block.src_start, block.dest_end - block.dest_start)
        words, around = edit.correction, range(max(0, at - _NEAR), at + _NEAR)
        found = (place for place in around if self._text.startswith(words, place))
        start = min(found, key=lambda place: abs(place - at), default=at)
        end = min(start + len(words), len(self._at))
        return ((self._at[start], self._at[end - 1] + 1),) if start < end else ()

"""How a corrected sentence of task 2-1 came to its score: every edit, right, missed or spurious.

A right edit has as many points as often as it counts (many alignments may share it), a missed one
none of them, and a spurious one costs them: so right, missed and spurious edits sum to the counts
of which F0.5 is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, NamedTuple

from rapidfuzz.distance import Levenshtein, Opcode

from hengfa.results.trace import Finding, Trace
from hengfa.suites.lawbench.dataset import LawBenchSample
from hengfa.suites.lawbench.tracing import Tracing
from hengfa.suites.tracing import Spans, limited, short
from hengfa.text.proofreading import Edit, Similarity, gold_edits, prediction_edits
from hengfa.text.proofreading.edits import DELETE, INSERT, MOVE, SUBSTITUTE
from hengfa.text.proofreading.score import source_text

_NAMES: Final = {SUBSTITUTE: "substitute", INSERT: "insert", DELETE: "delete", MOVE: "move"}
_DECLINED: Final = "NA"
_LONGEST_ALIGNED: Final = 2_000
"""Of a longer response only the beginning is searched for the places of its edits."""
_NEAR: Final = 8


class _Key(NamedTuple):
    start: int
    end: int
    correction: str


def edits(
    source: Callable[[LawBenchSample], str],
    similarity: Similarity,
    *,
    first_alignment: bool,
    whole_prediction: bool,
) -> Tracing:
    """The edits as the counts of the same rules have them."""

    def trace(sample: LawBenchSample, response: str) -> Trace:
        sentence, gold = source(sample), sample.answer
        wanted = gold_edits(sentence, gold, similarity, first_alignment=first_alignment)
        if any(edit.operation == _DECLINED for edit in wanted):
            return Trace("edits")
        made = prediction_edits(
            sentence,
            response,
            gold,
            similarity,
            first_alignment=first_alignment,
            whole_prediction=whole_prediction,
        )
        text = source_text(sentence)
        places = _Places(sentence, text, response)
        return Trace("edits", limited(_findings(text, _grouped(wanted), _grouped(made), places)))

    return trace


def _grouped(found: Iterable[Edit]) -> dict[_Key, Edit]:
    """Edits that make the same of the same characters are one, whatever they are called."""
    grouped: dict[_Key, Edit] = {}
    for edit in found:
        key = _Key(*edit[:3])
        times = edit.times + (grouped[key].times if key in grouped else 0)
        grouped[key] = edit._replace(times=times)
    return grouped


def _findings(
    source: str, wanted: dict[_Key, Edit], made: dict[_Key, Edit], places: _Places
) -> list[Finding]:
    show = partial(_shown, source)
    findings: list[Finding] = []
    for key, edit in wanted.items():
        right, times = key in made, float(edit.times)
        findings.append(
            Finding(
                _NAMES[edit.operation],
                given=show(edit) if right else "",
                expected=show(edit),
                right=right,
                points=times if right else 0.0,
                maximum=times,
                note="" if right else "missed",
                spans=places.of(edit) if right else (),
            )
        )
    return findings + [
        Finding(
            _NAMES.get(edit.operation, "declined"),
            given=show(edit),
            right=False,
            points=-float(edit.times),
            note="spurious",
            spans=places.of(edit),
        )
        for key, edit in made.items()
        if key not in wanted
    ]


def _shown(source: str, edit: Edit) -> str:
    """甲→乙, +乙 or −甲."""
    was = source[edit.start : edit.end] if edit.operation != _DECLINED else ""
    if edit.operation == INSERT:
        return f"+{short(edit.correction)}"
    return (
        f"−{short(was)}" if edit.operation == DELETE else f"{short(was)}→{short(edit.correction)}"
    )


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
        block = next(one for one in reversed(self._blocks) if one.src_start <= edit.start)
        at = block.dest_start + min(edit.start - block.src_start, block.dest_end - block.dest_start)
        words = edit.correction
        start = min(
            (
                place
                for place in range(max(0, at - _NEAR), at + _NEAR)
                if self._text.startswith(words, place)
            ),
            key=lambda place: abs(place - at),
            default=at,
        )
        end = min(start + len(words), len(self._at))
        return ((self._at[start], self._at[end - 1] + 1),) if start < end else ()

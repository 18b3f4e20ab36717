"""What all rules of LawBench share: fixes by name, the wrapper around an answer, silence.

There is a class for each kind of task: `texts.py`, `labels.py`, `numbers.py`, `entities.py`,
`proofreading.py`. Without fixes a class does what the published evaluator does, and its quirks are
named where they are (docs/benchmarks/lawbench.md); a fix repairs one of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from hengfa.results.figures import ABSTAINED
from hengfa.results.trace import Finding, Spans
from hengfa.suites.base import Answer, AnswerStatus, Fixes, Metrics, RuleSet
from hengfa.suites.lawbench import fixes as fix
from hengfa.suites.lawbench.dataset import LawBenchSample

CHOICE, FOCUS, LABELS = "[正确答案]", "[争议焦点]", "[类别]"
ARTICLE, CHARGE, TERM, AMOUNT = "[法条]", "[罪名]", "[刑期]", "[金额]"
END: Final = "<eoa>"
# The end as models write it: "<Eoa>", "[eoa]"; not "eoa".
_ENDS: Final = re.compile(r"[<\[]eoa[>\]]", re.IGNORECASE)
_INSTRUCTION: Final = ("", "与", "和")  # the prompt again: "请将答案填在[刑期]与<eoa>之间"

V = TypeVar("V")


@dataclass(frozen=True)
class LawBenchRules(RuleSet[LawBenchSample, V]):
    """Rules with some fixes on; the data's folder is for those that need more than samples."""

    fixes: Fixes
    data: Path | None

    def silence(self, sample: LawBenchSample) -> Metrics:
        """No answer earns nothing, even where silence would be right, and is no abstention."""
        metrics = self.score(sample, Answer(None, AnswerStatus.ABSTAINED)).metrics
        return {name: value and 0.0 for name, value in metrics.items()}

    def left_out(self, metric: str) -> Metrics:
        """A sample that is not judged. Quirk: it still counts where abstentions are divided."""
        return {metric: None, ABSTAINED: None if fix.JUDGED in self.fixes else 0.0}


class Area(NamedTuple):
    """A part of a response in which rules look for an answer, and where it begins."""

    start: int
    text: str


def area_of(response: str, mark: str, *, wrapper: bool) -> tuple[int, str]:
    """What stands in the wrapper, where it is looked at and there is one; else all there is."""
    return (wrapper and mark and wrapped(response, mark)) or (0, response)


def wrapped(text: str, mark: str) -> Area | None:
    """What stands in the wrapper, stripped; where none is closed, what follows the first mark."""
    inside = closed(text, mark)
    if inside is None and mark in text:
        after = text.index(mark) + len(mark)
        inside = _stripped(after, text[after:].partition("<")[0])
    return None if inside is None or inside.text in _INSTRUCTION else inside


def closed(text: str, mark: str) -> Area | None:
    """What stands in the wrapper that is closed and not blank.

    Of several it is the first where the response begins with one: what follows is more talk, often
    new questions. Else it is the last: what comes before is thinking. Split instead of matched: a
    pattern would look for the end anew from every beginning.
    """
    before, *pieces = _ENDS.sub(END, text).split(mark)
    at = len(before)
    insides: list[Area] = []
    for piece in pieces:
        inside, end, _ = piece.partition(END)
        area = _stripped(at + len(mark), inside)
        if end and area.text not in _INSTRUCTION:
            insides.append(area)
        at += len(mark) + len(piece)
    if not insides:
        return None
    return insides[-1] if before.strip() else insides[0]


def _stripped(start: int, text: str) -> Area:
    return Area(start + len(text) - len(text.lstrip()), text.strip())


def of_sets(
    label: str, expected: frozenset[str], given: Mapping[str, Spans]
) -> tuple[Finding, ...]:
    """Those expected, read or not, then those that should not be there.

    F1 of the two sets is twice those that are right by all that are given and all that are
    expected.
    """
    return tuple(
        Finding(
            label,
            given=member if member in given else "",
            expected=member if member in expected else "",
            right=member in given and member in expected,
            spans=given.get(member, ()),
        )
        for member in (*sorted(expected), *sorted(given.keys() - expected))
    )

"""How an agent's response came to its score: keys found and missed, the path, the kind of failure.

The share of right `answer` findings is the success, of right `process` findings the process, of
right `path` findings the recall of the gold path.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from rapidfuzz.distance import LCSseq

from hengfa.agents.trajectory import Ended, Trajectory
from hengfa.results.trace import Finding, Spans, Trace
from hengfa.suites.base import Answer, AnswerStatus, Fixes
from hengfa.suites.legalagentbench import extract, score
from hengfa.suites.legalagentbench import fixes as fix
from hengfa.suites.legalagentbench.dataset import AgentSample
from hengfa.suites.legalagentbench.extract import Submitted
from hengfa.suites.legalagentbench.matching import literal, tolerant
from hengfa.suites.legalagentbench.paths import TABLE_OF
from hengfa.suites.tracing import places
from hengfa.world.tools.observation import Status

Tracing: TypeAlias = Callable[[AgentSample, str], Trace]

ANSWER, PROCESS, PATH = "answer", "process", "path"
NO_ANSWER, TOOL_ERROR, NO_DATA = "no answer", "tool error", "no data"
INCOMPLETE, WRONG = "incomplete", "wrong"
_FAILED_CALLS: Final = frozenset().union(*score.ERRORS.values()) - {Status.NO_DATA}
_SAME_VALUE: Final = "written otherwise, the same value"
_MOST_PLACES: Final = 3


def keywords(fixes: Fixes) -> Tracing:
    """Every key that the rules count, in the answer and on the way to it."""
    read = extract.submitted(fixes)

    def trace(sample: AgentSample, response: str) -> Trace:
        answer = read(response)
        texts = answer.value or score.NOTHING
        keys = score.counted(sample.key, sample.question, fixes)
        steps = score.counted((*sample.key, *sample.key_middle), sample.question, fixes)
        findings = [
            *_keys(ANSWER, keys, texts.answer, response, fixes),
            *_keys(PROCESS, steps, texts.summary, response, fixes),
        ]
        if texts.trajectory is not None:
            findings += _path(sample.path, texts.trajectory)
        return Trace("keywords", tuple(findings), _error(answer, findings[: len(keys)]))

    return trace


def _keys(
    label: str, keys: Sequence[str], text: str, response: str, fixes: Fixes
) -> Iterator[Finding]:
    found = (tolerant if fix.TOLERANT in fixes else literal)(text)
    stored = _Stored(text, response, "answer" if label == ANSWER else "summary")
    for key in keys:
        right = found(key)
        spans = stored.places(key) if right else ()
        yield Finding(
            label,
            given=key if right else "",
            expected=key,
            right=right,
            points=float(right),
            maximum=1.0,
            note=_SAME_VALUE if right and key not in text else "",
            spans=spans,
        )


class _Stored:
    """A closing text inside the JSON text that is the response, where some signs are escaped."""

    def __init__(self, text: str, response: str, field: str) -> None:
        self._text = text
        self._escaped = text != response
        head = f'"{field}": '
        at = response.find(head + _dumped(text)) if self._escaped else 0
        self._at = at + len(head) + 1 if self._escaped and at >= 0 else at

    def places(self, key: str) -> Spans:
        """Places of a key in the response; none where the text is not stored as we write it."""
        if self._at < 0:
            return ()
        found = places(self._text, key, _MOST_PLACES)
        return tuple((self._place(start), self._place(end)) for start, end in found)

    def _place(self, at: int) -> int:
        if not self._escaped:
            return at
        return self._at + len(_dumped(self._text[:at])) - len('""')


def _dumped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _path(path: Sequence[str], trajectory: Trajectory) -> Iterator[Finding]:
    """The tools of the gold path: which of them were called, in this order."""
    heard = [
        step.tool or ""
        for step in trajectory.calls()
        if step.tool in TABLE_OF and step.status in (Status.OK, Status.NO_DATA)
    ]
    called = {
        place
        for block in LCSseq.opcodes(list(path), heard)
        if block.tag == "equal"
        for place in range(block.src_start, block.src_end)
    }
    for place, tool in enumerate(path):
        right = place in called
        yield Finding(PATH, given=tool if right else "", expected=tool, right=right)


def _error(answer: Answer[Submitted], keys: Sequence[Finding]) -> str:
    """Why a run did not succeed, as far as it tells; the first of these that applies.

    It stopped early (step limit, context overflow, …); it has no answer; a call failed or could not
    be read; a call found nothing; some keys are there; none is.
    """
    if all(one.right for one in keys):
        return ""
    trajectory = answer.value.trajectory if answer.value else None
    if trajectory is not None and trajectory.ended not in (Ended.FINISHED, Ended.PLAN_OVER):
        return str(trajectory.ended)
    if answer.status is AnswerStatus.ABSTAINED:
        return NO_ANSWER
    if trajectory is not None:
        if trajectory.unparsable() or trajectory.count(_FAILED_CALLS):
            return TOOL_ERROR
        if trajectory.count({Status.NO_DATA}):
            return NO_DATA
    return INCOMPLETE if any(one.right for one in keys) else WRONG

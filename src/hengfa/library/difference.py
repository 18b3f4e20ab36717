"""What changed between two wordings, character by character, in a form that people can read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from rapidfuzz.distance import Levenshtein

Mark: TypeAlias = Literal["same", "gone", "new"]

_TOO_SHORT: Final = 2
"""Fewer equal characters between two exchanges are an accident, and are shown as exchanged."""


class Span(NamedTuple):
    """Characters that both wordings have, or only the older (gone) or the newer (new)."""

    mark: Mark
    text: str


class _Run(NamedTuple):
    """A stretch of both wordings: equal, or ``old`` in place of ``new``."""

    equal: bool
    old: str
    new: str

    @property
    def exchanges(self) -> bool:
        return not self.equal and bool(self.old) and bool(self.new)


def difference(old: str, new: str) -> tuple[Span, ...]:
    """The two wordings laid side by side; what is gone stands before what is new in its place.

    Joining the spans that are not new gives the old wording, those that are not gone the new one.
    """
    runs = [
        _Run(op.tag == "equal", old[op.src_start : op.src_end], new[op.dest_start : op.dest_end])
        for op in Levenshtein.opcodes(old, new)
    ]
    return tuple(span for run in _united(runs) for span in _spans(run))


def show(spans: Sequence[Span], *, colours: bool = False) -> str:
    """[-gone-] and {+new+} as in other tools, or in red and green.

    >>> show(difference("可以处罚款。", "应当处以罚款。"))
    '[-可以-]{+应当+}处{+以+}罚款。'
    """
    signs = _COLOURS if colours else _SIGNS
    return "".join(text.join(signs[mark]) for mark, text in spans)


_SIGNS: Final[dict[Mark, tuple[str, str]]] = {
    "same": ("", ""),
    "gone": ("[-", "-]"),
    "new": ("{+", "+}"),
}
_COLOURS: Final[dict[Mark, tuple[str, str]]] = {
    "same": ("", ""),
    "gone": ("\x1b[31;9m", "\x1b[0m"),
    "new": ("\x1b[32;4m", "\x1b[0m"),
}


def _united(runs: Sequence[_Run]) -> list[_Run]:
    """Changes next to each other become one, over an equal character between two exchanges."""
    united: list[_Run] = []
    for place, run in enumerate(runs):
        accident = (
            run.equal
            and 0 < place < len(runs) - 1
            and len(run.new) < _TOO_SHORT
            and runs[place - 1].exchanges
            and runs[place + 1].exchanges
        )
        if united and not united[-1].equal and (accident or not run.equal):
            before = united.pop()
            united.append(_Run(False, before.old + run.old, before.new + run.new))
        else:
            united.append(run)
    return united


def _spans(run: _Run) -> Iterator[Span]:
    if run.equal:
        yield Span("same", run.new)
        return
    if run.old:
        yield Span("gone", run.old)
    if run.new:
        yield Span("new", run.new)

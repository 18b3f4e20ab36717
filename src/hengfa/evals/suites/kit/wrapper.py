"""The wrapper around an answer that a prompt asks for, such as `[正确答案]B<eoa>`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

_INSTRUCTION: Final = ("", "与", "和")  # the prompt again: "请将答案填在[刑期]与<eoa>之间"


class Area(NamedTuple):
    """A part of a response in which rules look for an answer, and where it begins."""

    start: int
    text: str


@dataclass(frozen=True)
class Wrapper:
    """Two marks between which the answer should stand."""

    opening: str
    closing: str

    @cached_property
    def _ends(self) -> re.Pattern[str]:
        """The end as models write it: "<Eoa>" and "[eoa]" for "<eoa>"; not "eoa"."""
        written = re.escape(self.closing).replace("<", r"[<\[]").replace(">", r"[>\]]")
        return re.compile(written, re.IGNORECASE)

    def around(self, text: str) -> str:
        """An answer in the form that the prompt asks for."""
        return f"{self.opening}{text}{self.closing}"

    def inside(self, text: str) -> Area | None:
        """What stands in it, stripped; where none is closed, what follows the first opening."""
        inside = self.closed(text)
        if inside is None and self.opening in text:
            after = text.index(self.opening) + len(self.opening)
            inside = _stripped(after, text[after:].partition(self.closing[0])[0])
        return None if inside is None or inside.text in _INSTRUCTION else inside

    def closed(self, text: str) -> Area | None:
        """What stands in one that is closed and not blank.

        Of several it is the first where the response begins with one: what follows is more talk,
        often new questions. Else it is the last: what comes before is thinking. Split instead of
        matched: a pattern would look for the end anew from every beginning.
        """
        before, *pieces = text.split(self.opening)
        at = len(before)
        insides: list[Area] = []
        for piece in pieces:
            if end := self._ends.search(piece):
                area = _stripped(at + len(self.opening), piece[: end.start()])
                if area.text not in _INSTRUCTION:
                    insides.append(area)
            at += len(self.opening) + len(piece)
        if not insides:
            return None
        return insides[-1] if before.strip() else insides[0]


def area_of(response: str, wrapper: Wrapper | None) -> tuple[int, str]:
    """What stands in the wrapper, where it is looked at and there is one; else all there is."""
    return (wrapper and wrapper.inside(response)) or (0, response)


def _stripped(start: int, text: str) -> Area:
    return Area(start + len(text) - len(text.lstrip()), text.strip())

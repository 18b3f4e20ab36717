"""How a response came to its score, step by step: what a reader of a report wants to see.

One shape for all suites: an edit of a proofreader, an item of a rubric, a keyword, an element of a
judgment, a provision are all findings. Suites make them, the report shows them.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from hengfa.base.data.jsonfile import cell_decoder

Span: TypeAlias = tuple[int, int]
"""Characters of a response, from the first to the one after the last."""
Spans: TypeAlias = tuple[Span, ...]


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that was looked at: what was expected, what was given, what that is worth.

    ``right`` is None where it is neither right nor wrong. ``spans`` are the characters of the
    response, start and end, on which it rests; ``note`` is anything else, such as a grader's reason
    or the flag of an award.
    """

    label: str
    given: str = ""
    expected: str = ""
    right: bool | None = None
    points: float | None = None
    maximum: float | None = None
    note: str = ""
    spans: Spans = ()


class Trace(msgspec.Struct, frozen=True, omit_defaults=True):
    """The findings of a response; ``error`` is the class of its mistake, if its suite has classes.

    ``kind`` says what the findings are: one of `edits`, `items`, `elements`, `keywords`, `answer`.
    """

    kind: str
    findings: tuple[Finding, ...] = ()
    error: str = ""


_decode = cell_decoder(Trace, "trace")


def read_trace(text: str | None) -> Trace:
    """The findings as a run's table holds them; none where an older version wrote none."""
    return _decode(text) if text else Trace("answer")

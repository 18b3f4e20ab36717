"""What a model wrote, made safe to keep: bounded, without half characters and control codes."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

LONGEST_REPLY: Final = 200_000
DEEPEST: Final = 24
LONGEST_ARGUMENTS: Final = 20_000

# NUL, escape, bell and the like; not the tab, line feed and carriage return
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# "\n", "\r\n" and the blanks around them
_LINE_BREAKS: Final = re.compile(r"[\r\n\u2028\u2029\x85]+")
# the comma in 1,234; not that in 甲,乙
_DIGIT_COMMA: Final = re.compile(r"(?<=[0-9]),(?=[0-9])")


def clean(text: str) -> str:
    """The text without what no transcript can hold; a reply of a megabyte is cut."""
    return _CONTROL.sub("", text[:LONGEST_REPLY].encode("utf-8", "replace").decode())


def one_line(text: str) -> str:
    """Without line breaks, as replies enter a transcript (specification, 4.2)."""
    return _LINE_BREAKS.sub("", clean(text)).strip()


def without_digit_commas(text: str) -> str:
    """Commas between digits deleted, as in both closing texts (specification, 4.1)."""
    return _DIGIT_COMMA.sub("", clean(text))


def shallow(value: Any, depth: int = 0) -> bool:
    """Whether a decoded value nests no deeper than arguments ever need to."""
    if depth > DEEPEST:
        return False
    if isinstance(value, dict):
        return all(shallow(one, depth + 1) for one in value.values())
    if isinstance(value, list):
        return all(shallow(one, depth + 1) for one in value)
    return True


def kept_arguments(value: Any) -> dict[str, Any]:
    """Arguments as a trajectory keeps them: an object, and not a megabyte of it.

    What is no object, such as the bare text that published retrievers take, is an identifier.
    """
    found = value if isinstance(value, dict) else {"identifier": value}
    try:
        text = msgspec.json.encode(found, order="deterministic")
        found = msgspec.json.decode(text)
    except (TypeError, ValueError, RecursionError):
        return {"unreadable": True}
    if len(text) > LONGEST_ARGUMENTS:
        return {"cut": text[:LONGEST_ARGUMENTS].decode("utf-8", "ignore")}
    return dict(found)

"""JSON that lies loose in a model's reply, among fences, thoughts and other words.

It must be real JSON. No sign but JSON's own is structure, and what a grader sees of a response has
none that ends a string (:func:`hengfa.evals.grading.prompt.shown`), so words copied from a response
stay words. Only line breaks inside of strings are forgiven. Curved or full-width marks and trailing
commas are not: such a reply cannot be read, and the grader is asked for another.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

Value = str | float | int | bool | None | list["Value"] | dict[str, "Value"]

_DEEPEST: Final = 16
"""A verdict is four levels deep; of objects that all break at one place no more are tried."""
_PATIENCE: Final = 2_000_000
"""Attempts that fail may read so many characters; after that no object is looked for."""
_EFFORT: Final = 100
"""What an attempt costs beside what it reads, in characters; its error counts lines."""
_LONGEST_NUMBER: Final = 40
"""Digits; no number of points has more."""

# "{" and what can follow it in an object: '{"', '{ }'; not "{x" in a formula
_OPENING: Final = re.compile(r"\{(?=[ \t\r\n]*+[\"}])")


class ObjectInText(NamedTuple):
    """An object at ``text[start:end]``."""

    start: int
    end: int
    value: dict[str, Value]


def find_objects(text: str) -> list[ObjectInText]:
    """The outermost JSON objects of a text from left to right. No string makes this raise.

    An object inside another one, or inside of a string of it, is not looked for, so that quoted
    JSON is never taken for the JSON that quotes it.
    """
    objects: list[ObjectInText] = []
    place, patience, broken, tried = 0, _PATIENCE, -1, 0
    while patience > 0 and (opening := _OPENING.search(text, place)):
        start = opening.start()
        try:
            value, place = _DECODER.raw_decode(text, start)
            objects.append(ObjectInText(start, place, _whole(value)))
        except json.JSONDecodeError as stopped:
            patience -= stopped.pos - start + _EFFORT
            tried = tried + 1 if stopped.pos <= broken else 0
            broken = max(broken, stopped.pos)
            place = max(broken, start + 1) if tried == _DEEPEST else start + 1
        except RecursionError:
            break
    return objects


def _once(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    """An object that has a name twice says nothing."""
    made = dict(pairs)
    return made if len(made) == len(pairs) else {}


def _number(digits: str) -> float | int:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else float(digits)


_DECODER: Final = json.JSONDecoder(strict=False, object_pairs_hook=_once, parse_int=_number)


def _whole(value: Any) -> Any:
    """Without halves of surrogate pairs, which could not be stored."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(part) for part in value]
    if isinstance(value, dict):
        return {_whole(name): _whole(part) for name, part in value.items()}
    return value

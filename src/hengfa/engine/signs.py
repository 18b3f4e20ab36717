"""Looks through a reply for signs of trouble, wherever a vendor or a gateway puts them.

What a sign is stands in `vendors.SIGNS`; what it makes of the reply is for `replies.py` to say.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from hengfa.engine import vendors
from hengfa.engine.messages import JSONObject, Status

_DEEPEST_ERROR = 5
_LONGEST_KEPT = 64  # a longer name is worked out afresh: the memory for names is bounded


class Trouble(NamedTuple):
    """A field that tells of trouble, and the object it stands in; no status if nobody knows it."""

    status: Status | None
    said: str
    holder: JSONObject


def find_troubles(body: object) -> list[Trouble]:
    """All signs of trouble in a reply or an event of a stream."""
    troubles: list[Trouble] = []
    waiting = [body]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting.extend(part)
        if not isinstance(part, dict):
            continue
        for field, value in part.items():
            name = _watched_name(field) if len(field) <= _LONGEST_KEPT else _plain(field)
            if not name:
                waiting.append(value)
            elif name in _DATA_FIELDS:
                continue
            elif (trouble := _trouble(name, field, part)) is not None:
                troubles.append(trouble)
            elif name in _FILTER_NOTES and isinstance(value, dict):
                waiting.append({key: note for key, note in value.items() if key != "error"})
            else:
                waiting.append(value)
    return troubles


def sounds_like_trouble(name: str) -> bool:
    """Whether a name says it already: the name of a field, of an event, of a kind of object."""
    return bool(vendors.SUSPECT.search(_plain(name)))


def error_words(body: object) -> tuple[set[str], str]:
    """All error codes in a body, lower-cased, and the message, wherever this vendor puts them."""
    codes: set[str] = set()
    messages: list[str] = []

    def look(part: object, depth: int) -> None:
        if isinstance(part, str):
            messages.append(part)
        if isinstance(part, list) and depth <= _DEEPEST_ERROR:
            for item in part:
                look(item, depth + 1)
        if not isinstance(part, dict) or depth > _DEEPEST_ERROR:
            return
        for field in ("code", "type", "status", "error_code", "status_code"):
            value = part.get(field)
            if isinstance(value, str | int) and not isinstance(value, bool):
                prefix = "status_code " if field == "status_code" else ""
                codes.add(prefix + str(value).lower())
        messages.extend(
            part[field]
            for field in ("message", "msg", "error_msg", "detail", "status_msg")
            if isinstance(part.get(field), str)
        )
        for field in ("error", "errors", "innererror", "base_resp"):
            if part.get(field):
                look(part[field], depth + 1)

    look(body, 0)
    return codes, next((m for m in messages if _word(m) not in _SIGNS["message"].calm), "")


def _trouble(name: str, field: str, holder: JSONObject) -> Trouble | None:
    value = holder[field]
    if name in vendors.KINDS:
        sign: vendors.Sign | None = _SIGNS["error"]
        calm = not (isinstance(value, str) and sounds_like_trouble(value))
    elif (sign := _SIGNS.get(name)) is not None:
        calm = _is_calm(value, sign)
    else:
        calm = not sounds_like_trouble(name) or _is_calm(value, _UNKNOWN)
    if calm:
        return None
    said = field if isinstance(value, dict | list) else f"{field} {str(value)[:300]!r}"
    return Trouble(None if sign is None else sign.status, said, holder)


def _is_calm(value: object, sign: vendors.Sign) -> bool:
    """Whether a field holds nothing that troubles; objects speak for themselves, unless `whole`."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, dict):
            waiting.extend(part.values() if sign.whole else ())
        elif _word(part) not in sign.calm:
            return False
    return True


def _word(value: object) -> str:
    """A value as the tables write it; a fraction is a score of something and says nothing."""
    if isinstance(value, float):
        value = int(value) if value.is_integer() else None
    word = "" if value is None else str(value).strip(" \t\r\n.!。").lower()
    return "0" if word and not word.strip("0") else word


@lru_cache(maxsize=1024)
def _watched_name(field: str) -> str:
    """The plain name of a field that may matter; a stream repeats its fields thousands of times."""
    name = _plain(field)
    tables = (_SIGNS, vendors.KINDS, _DATA_FIELDS, _FILTER_NOTES)
    return name if sounds_like_trouble(name) or any(name in table for table in tables) else ""


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


_SIGNS = {_plain(field): sign for sign in vendors.SIGNS for field in sign.fields}
_UNKNOWN = vendors.Sign(frozenset())
_DATA_FIELDS = frozenset(map(_plain, vendors.DATA_FIELDS))
_FILTER_NOTES = frozenset(map(_plain, vendors.FILTER_NOTES))

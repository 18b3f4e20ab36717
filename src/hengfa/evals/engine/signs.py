"""Looks for signs of trouble where servers put them: at a reply, its choices and their messages.

What a model or an agent brings along (sources, steps, results of tools) is content, and nothing in
it is a sign: no object is looked into but those, and the few that gateways wrap around them
(`wrappers`). What a sign is stands in `signs.toml`; what it makes of the reply is for `replies.py`
to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from hengfa.base.data.jsonfile import Patterns, Words, read_toml
from hengfa.evals.engine.messages import JSONObject, Status


class Signs(Patterns, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The words and names of `signs.toml`, where each is explained.

    What is a tuple may be compared with values of any type, the unhashable ones too.
    """

    complete: frozenset[str]
    calls: frozenset[str]
    no_finish: frozenset[str]
    wrappers: frozenset[str]
    status_objects: frozenset[str]
    nothing: frozenset[str]
    fine: frozenset[str]
    under_way: tuple[str, ...]
    loose: frozenset[str]
    praise: frozenset[str]
    verdicts: frozenset[str]
    filter_codes: frozenset[str]
    filter_phrases: tuple[str, ...]
    account_codes: frozenset[str]
    overload_codes: frozenset[str]
    groups: dict[str, frozenset[str]]
    bad_finishes: dict[Status, Words]


SIGNS: Final = read_toml(Path(__file__).with_suffix(".toml"), Signs)
_FINISH_FIELD: Final = SIGNS["finish_field"]
_SUCCESS: Final = SIGNS["success"]
_FAILURE: Final = SIGNS["failure"]
_BAD_NUMBER: Final = SIGNS["bad_number"]
_ALARM: Final = SIGNS["alarm"]
_SUSPECT: Final = SIGNS["suspect"]
_HARMLESS: Final = SIGNS["harmless"]
_ERRORS: Final = SIGNS.groups["error"]
_NO: Final = ("0", "false", "no")
_DEEPEST_ERROR = 5
_LONGEST_NAME = 64  # the memory for names is bounded, and a longer one is no name of a field
_INNER = frozenset({"choices", "message", "delta", "trouble"})
_OF_PART = ("type", "error")
_HOLDERS = (dict, list)
_BETWEEN_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|[\W_]+")


class Trouble(NamedTuple):
    """A field that tells of trouble, and the object it stands in; no status if nobody knows it."""

    status: Status | None
    said: str
    holder: JSONObject


class Name(NamedTuple):
    """A name in small letters: its words, the same without marks, the last; the group of fields it
    belongs to; whether it sounds like trouble as the name of a field, and as that of an event."""

    words: tuple[str, ...]
    plain: str
    last: str
    group: str
    suspect: bool
    alarms: bool


def find_troubles(body: object, *, more_follows: bool = False) -> list[Trouble]:
    """All signs of trouble in a reply, or in an event of a stream after which `more_follows`."""
    troubles: list[Trouble] = []
    waiting: list[tuple[object, bool]] = [(body, False)]
    while waiting:
        part, wrapped = waiting.pop()
        for field, value in part.items() if isinstance(part, dict) else ():
            name = name_of(field)
            if name.group or name.suspect:
                under_way = more_follows and value in SIGNS.under_way
                if not under_way and (trouble := _trouble(name, field, part, wrapped)):  # type: ignore[arg-type]
                    troubles.append(trouble)
            if type(value) in _HOLDERS:
                waiting += _within(field, name.plain, value, wrapped)
    return troubles


def name_of(field: str) -> Name:
    return _known_name(field[-_LONGEST_NAME:])


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
    return codes, next((message for message in messages if not is_success(message)), "")


def is_success(text: str) -> bool:
    """Whether the words beside a code say that all went well, or nothing."""
    word = plain_word(text)
    if word in SIGNS.fine or word in SIGNS.complete:
        return True
    return bool(_SUCCESS.search(word)) and not _FAILURE.search(word)


def plain_word(value: object) -> str:
    """A value as the tables write it; a fraction is a score of something and says nothing."""
    if isinstance(value, float):
        value = int(value) if value.is_integer() else None
    word = "" if value is None else str(value).strip(" \t\r\n.!。！").lower()
    return "0" if word and not word.strip("0") else word


def _within(
    field: str, name: str, value: JSONObject | list[Any], wrapped: bool
) -> list[tuple[object, bool]]:
    """The objects in a field in which signs count too, and whether a wrapper holds them."""
    if field in _INNER:
        return [(one, wrapped) for one in (value if isinstance(value, list) else [value])]
    if isinstance(value, dict):
        loose = wrapped or name not in SIGNS.status_objects
        return [(value, loose)] if name in SIGNS.wrappers else []
    parts = (one for one in value if isinstance(one, dict)) if field == "content" else ()
    return [({of: part[of] for of in _OF_PART if of in part}, wrapped) for part in parts]


def _trouble(name: Name, field: str, holder: JSONObject, wrapped: bool) -> Trouble | None:
    value = holder[field]
    status: Status | None = Status.FAILED
    if name.group == "filter":
        status, trouble = Status.FILTERED, not _is_calm(value)
    elif name.group == "notes":
        status, trouble = Status.FILTERED, _condemns(value)
    elif name.group == "error":
        trouble = not _is_calm(value)
    elif name.group == "kind":
        trouble = isinstance(value, str) and name_of(value).alarms
    elif name.group in ("code", "words"):
        trouble = _speaks_ill(name, field, holder, wrapped)
    else:
        status = Status.FAILED if name.group == "praise" else None
        trouble = _is_suspect(name, value)
    if not trouble:
        return None
    said = field if isinstance(value, dict | list) else f"{field} {str(value)[:300]!r}"
    return Trouble(status, said, holder)


def _speaks_ill(name: Name, field: str, holder: JSONObject, wrapped: bool) -> bool:
    """What a code or the words beside it say: one that nobody knows is bad, unless the other tells
    of success. In a wrapper, which may hold an agent's own, words must say that something failed.
    """
    value, is_code, loose = holder[field], name.group == "code", name.plain in SIGNS.loose
    if isinstance(value, dict | list):
        speaks = name.plain.startswith("err") or (isinstance(value, list) and not loose)
        return speaks and not _is_calm(value)
    word = plain_word(value)
    if is_success(word) or (loose and (" " in word or not word.isascii())):
        return False
    if value is False or _BAD_NUMBER.fullmatch(word) or _FAILURE.search(word):
        return True
    if not is_code if word.isdigit() else wrapped or loose:
        return False
    beside = (
        plain_word(said)
        for other, said in holder.items()
        if other != field and name_of(other).group in ("code", "words", "praise")
    )
    return not any(one and is_success(one) and not (is_code and one.isdigit()) for one in beside)


def _is_suspect(name: Name, value: object, *, noted: bool = False) -> bool:
    """Whether a field of which only the name is known, or one in notes, says what went wrong."""
    if name.group == "praise":
        return value is not None and plain_word(value) in _NO
    verdict = name.last in SIGNS.verdicts
    if value is True or not (name.suspect or (noted and isinstance(value, str))):
        return name.suspect and not _HARMLESS.fullmatch(name.last)
    if not verdict and not _SUSPECT.search(name.last):
        return False
    if isinstance(value, int | float):
        return value == 1 or (verdict and value > 1)
    return _condemns(value) if isinstance(value, dict) else not _is_calm(value)


def _condemns(notes: object) -> bool:
    """Whether notes say that something was stopped; an `error` in them only that none were made."""
    return any(
        _is_suspect(name_of(field), leaf, noted=True)
        for field, leaf in _leaves(notes)
        if field not in _ERRORS
    )


def _is_calm(value: object) -> bool:
    """Whether nothing in a field tells of trouble, however deep."""
    return all(plain_word(leaf) in SIGNS.nothing for _, leaf in _leaves(value))


def _leaves(value: object) -> Iterator[tuple[str, object]]:
    """All values at any depth that hold no others, each with the name of its field."""
    waiting = [("", value)]
    while waiting:
        field, part = waiting.pop()
        if isinstance(part, list):
            waiting += ((field, one) for one in part)
        elif isinstance(part, dict):
            waiting += ((field if field in _ERRORS else name, part[name]) for name in part)
        else:
            yield field, part


@lru_cache(maxsize=1024)
def _known_name(field: str) -> Name:
    """A stream repeats its fields thousands of times."""
    words = tuple(_BETWEEN_WORDS.sub(" ", field).lower().split()) or ("",)
    plain = "".join(words)
    group = next((group for group, names in SIGNS.groups.items() if plain in names), "")
    group = group or ("praise" if words[-1] in SIGNS.praise else "")
    group = group or ("finish" if _FINISH_FIELD.fullmatch(plain) else "")
    suspect = any(map(_SUSPECT.search, words))
    alarms = bool(_ALARM.search(" ".join(words)))
    return Name(words, plain, words[-1], group, suspect, alarms)

"""Citations labelled good, bad or abstain, in documents of our own: see the README beside this.

Words of real provisions are not in the files. A document has a placeholder for them, which is
filled from a library of law when the document is checked:

>>> PLACEHOLDER.findall("{民法典@2021-01-01 第五百七十七条|to:1|open}")
[('民法典', '2021-01-01', '第五百七十七条', '|to:1|open')]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec
import opencc

from hengfa.law.library import Library, find_law
from hengfa.law.library.lookup import look_up, read_position

FOLDER: Final = Path(__file__).parent

TODAY: Final = date(2026, 6, 30)
"""The day on which a document without a day is read."""

Part: TypeAlias = Literal["seen", "held_back", "later"]
Gold: TypeAlias = Literal["good", "bad", "abstain"]
Style: TypeAlias = Literal[
    "everyday", "told", "quoted", "script", "proviso", "amended", "effective", "company", "as_of",
    "repealed", "carried_name", "short_name", "number", "english", "own_document", "caption",
    "dated", "undated", "transitional", "successor",
]  # fmt: skip

# Matches "{民法典@2021-01-01 第十九条|drop:但书}"; not "{民法典 第十九条}", which has no day.
PLACEHOLDER: Final = re.compile(
    r"\{([^@{}|]+)@([0-9]{4}-[0-9]{2}-[0-9]{2}) ([^|{}]+)((?:\|[^|{}]+)*)\}"
)
# Matches "，但是有下列情形之一的除外" up to the full stop or the end; not "不但".
_PROVISO: Final = re.compile(r"[，；。]但(?:是)?[^。]*")
_SENTENCE_END: Final = re.compile(r"(?<=[。；])\n?")


class Labelled(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One citation, and what a lawyer thinks of it.

    ``written`` are its characters in the document, for the ``nth`` time; ``law`` is the library's
    name of the law, or None for what is not in it.
    """

    written: str
    law: str | None
    position: str
    gold: Gold
    why: str
    nth: int = 1


class GoldDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One short document with all its citations."""

    id: str
    style: Style
    text: str
    citations: tuple[Labelled, ...]
    as_of: date | None = None
    today: date = TODAY


class Placed(NamedTuple):
    """A labelled citation, and where it stands in the filled text."""

    labelled: Labelled
    start: int
    end: int


def read_part(part: Part) -> list[GoldDocument]:
    """The documents of one of the files."""
    lines = (FOLDER / f"{part}.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=GoldDocument) for line in lines]


def fill(library: Library, text: str) -> str:
    """The text with the words of the law in the place of every placeholder."""
    return PLACEHOLDER.sub(lambda match: _words(library, *match.groups()), text)


def law_words(library: Library, text: str) -> list[tuple[int, int]]:
    """Where the words of the law stand in a filled text."""
    spans = []
    for match in PLACEHOLDER.finditer(text):
        start = len(fill(library, text[: match.start()]))
        spans.append((start, start + len(fill(library, match[0]))))
    return spans


def place(library: Library, document: GoldDocument) -> Iterator[Placed]:
    """Where the citations of a document stand once it is filled; one not found is an error."""
    outside = PLACEHOLDER.sub(lambda match: "\0" * len(match[0]), document.text)
    for labelled in document.citations:
        at = -1
        for _ in range(labelled.nth):
            at = outside.index(labelled.written, at + 1)
        start = len(fill(library, document.text[:at]))
        yield Placed(labelled, start, start + len(labelled.written))


def _words(library: Library, name: str, day: str, position: str, operators: str) -> str:
    law = find_law(library, name)
    looked_up = look_up(
        library, law, read_position(position), date.fromisoformat(day), "in force on"
    )
    words = looked_up.text
    assert words, f"{name} {day} {position}: {looked_up.answer}"
    for operator in operators.split("|")[1:]:
        words = changed(words, operator)
    return words


def changed(words: str, operator: str) -> str:
    """The words after one operator; an operator that changes nothing is an error."""
    name, _, value = operator.partition(":")
    sentences = _SENTENCE_END.split(words)
    match name:
        case "from":
            result = "".join(sentences[int(value) - 1 :])
        case "to":
            result = "".join(sentences[: int(value)])
        case "drop":  # 但书
            result = _PROVISO.sub("", words).rstrip("。") + "。"
        case "swap":
            old, new = value.split("→")
            result = words.replace(old, new, 1)
        case "open":
            result = words.rstrip("。；：")
        case "traditional":
            result = _to_traditional().convert(words)
        case _:
            raise ValueError(f"no operator {operator}")
    assert result != words, f"{operator} changes nothing in {words}"
    return result


@cache
def _to_traditional() -> opencc.OpenCC:
    return opencc.OpenCC("s2t")

"""A second reader of what is told, if the user has one: a model, or whoever takes the place of one.

The law wing knows no models: it says what it asks and what it makes of the answers, and another
wing fills in who reads (the part `reader of tellings`). A reader can settle only what nobody
decided, or take a ✓ away; it never makes right what was found to be wrong. It has to quote the
words of both texts that decide, and what is not there word for word decides nothing: so a reader
that lies, or says what a document tells it to say, changes no verdict without words that a person
can look at. A classifier has no words: it quotes both texts whole, and the verdict says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal, Protocol, TypeAlias

import msgspec

from hengfa.law.library.citing.findings import Checked, Difference, Faithfulness, Report

Answer: TypeAlias = Literal["faithful", "differs", "cannot tell"]


class ToRead(msgspec.Struct, frozen=True):
    """A provision, and what a document tells of it."""

    provision: str
    telling: str


class Opinion(msgspec.Struct, frozen=True):
    """What a reader says, and the words of both texts that decide it."""

    answer: Answer
    told: str = ""
    law: str = ""

    def is_shown_in(self, read: ToRead) -> bool:
        """Whether both quotations are there, word for word."""
        told, law = _letters(self.told), _letters(self.law)
        enough = min(len(told), len(law)) >= _SHORTEST
        return enough and told in _letters(read.telling) and law in _letters(read.provision)


class Reader(Protocol):
    """Who reads: as many opinions as there are pairs, None where none was given."""

    name: str
    shows_words: bool
    """Whether it quotes what decides, or both texts whole."""

    def read(self, pairs: Sequence[ToRead]) -> Sequence[Opinion | None]: ...


OpenReader: TypeAlias = Callable[[str, str | None], Reader]
"""Opens the reader of a name, at an address if one is given."""

PART: Final = "reader of tellings"
COST: Final = "cost of a reader of tellings"
_SHORTEST: Final = 2


def questions_of(report: Report) -> Iterator[tuple[int, ToRead]]:
    """What a reader is asked about a report, each with the number of its citation."""
    for number, checked in enumerate(report.citations):
        content = checked.telling.content if checked.telling else None
        if content and content.told and (_is_open(checked) or _is_faithful(checked)):
            texts = ("".join(piece.text for piece in part) for part in (content.law, content.told))
            yield number, ToRead(*texts)


def read_again(reports: Sequence[Report], reader: Reader) -> list[Report]:
    """The reports after a second reader; what several citations share is asked once."""
    asked = [list(questions_of(report)) for report in reports]
    pairs = list(dict.fromkeys(pair for questions in asked for _, pair in questions))
    opinions = dict(zip(pairs, reader.read(pairs), strict=True))
    again = []
    for report, questions in zip(reports, asked, strict=True):
        citations = list(report.citations)
        for number, pair in questions:
            opinion = opinions[pair]
            if opinion and opinion.is_shown_in(pair):
                citations[number] = _settle(citations[number], opinion, reader)
        again.append(msgspec.structs.replace(report, citations=tuple(citations)))
    return again


def _is_open(checked: Checked) -> bool:
    """Whether a citation is right but for what is told, of which nobody knows."""
    doubted = checked.status == "unclear" and checked.problem == "told unlike the provision"
    return (checked.status == "exists" or doubted) and checked.content == "not decided"


def _is_faithful(checked: Checked) -> bool:
    return checked.status == "right" and checked.content == "faithful"


def _settle(checked: Checked, opinion: Opinion, reader: Reader) -> Checked:
    """A citation by what a reader shows of it."""
    if (telling := checked.telling) is None:
        return checked
    content, status = telling.content, checked.status
    if _is_open(checked) and opinion.answer == "faithful":
        content, status = _marked(content, "faithful", reader), "right"
    elif _is_open(checked) and opinion.answer == "differs":
        content, status = _marked(content, "differs", reader, opinion), "unlike"
    elif _is_faithful(checked) and opinion.answer == "differs":
        content, status = _marked(content, "not decided", reader, opinion), "exists"
    else:
        return checked
    return msgspec.structs.replace(
        checked,
        status=status,
        problem="told unlike the provision" if status == "unlike" else "",
        content=content.mark,
        telling=msgspec.structs.replace(telling, content=content),
    )


def _marked(
    content: Faithfulness,
    mark: Literal["faithful", "differs", "not decided"],
    reader: Reader,
    opinion: Opinion | None = None,
) -> Faithfulness:
    pairs = (Difference(opinion.told, opinion.law),) if opinion else ()
    return msgspec.structs.replace(
        content, mark=mark, differences=pairs, reader=reader.name, words_shown=reader.shows_words
    )


def _letters(text: str) -> str:
    return "".join(text.split())

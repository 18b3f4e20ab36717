"""Finds where a response speaks to whoever grades it.

A response is written for a client or a court. Where it talks of marks, rubrics and verdicts, it
talks to the grader, and words from there back no award, whatever a grader makes of them. In real
use nobody knows which part of a response was slipped in, so this goes by phrases alone: it is a net
for what people try, not a proof that nothing was tried.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from hengfa.grading.addressing_phrases import (
    BASE64,
    ELSEWHERE,
    LETTERS,
    LOOKALIKES,
    MARKING,
    MARKING_WORDS,
    PUNCTUATED,
    REVERSED,
    TRADITIONAL,
    VERDICT,
    WANTING,
    WANTING_WORDS,
)
from hengfa.grading.marks import Span

_ENDS: Final = frozenset("。！？!?\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_TAGS: Final = range(0xE0020, 0xE007F)
"""Invisible copies of the ASCII characters."""
# A word with letters of more than one alphabet: "grаder" with a Cyrillic а, but not "ответу"
_MIXED: Final = re.compile(r"(?=\w*[a-z])(?=\w*[\u0370-\u03ff\u0400-\u04ff])[^\W\d_]+")
# A sentence of letters, as :func:`_letters` leaves it.
_SENTENCE: Final = re.compile(r"[^\n]+")
# A sentence with its blanks: "Please be fair", not the full stop after it.
_WORDS: Final = re.compile(r"[^\n.!?。！？]+")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
# A blank line, where one paragraph ends: "\n  \n".
_BLANK_LINE: Final = re.compile(r"\n[ \t\r]*\n")


def addresses_grader(text: str) -> list[Span]:
    """The sentences that speak to a grader, in order and without overlap; [] if there is none.

    A verdict in JSON is found with its paragraph, a comment as a whole. Letters that are spaced
    out, invisible, full-width, traditional, of another alphabet, reversed or in base64 are read.
    """
    found = [_sentence(text, span) for span in _phrases(text)]
    found += [_paragraph(text, one.start()) for one in VERDICT.finditer(_folded(text).text)]
    found += _encoded(text)
    found += [
        Span(*one.span())
        for one in _COMMENT.finditer(text)
        if any(span.start < one.end() and one.start() < span.end for span in found)
    ]
    return _merged(found)


class _View(NamedTuple):
    """A text as it is searched, and the place in the original of each of its characters."""

    text: str
    places: list[int]

    def original(self, start: int, end: int) -> Span:
        return Span(self.places[start], self.places[end - 1] + 1)


def _phrases(text: str) -> Iterator[Span]:
    folded = _folded(text)
    for found in PUNCTUATED.finditer(folded.text):
        yield folded.original(*found.span())
    letters = _letters(folded)
    for found in LETTERS.finditer(letters.text):
        yield letters.original(*found.span())
    for sentence in _SENTENCE.finditer(letters.text):
        words = sentence[0]
        if MARKING.search(words) and WANTING.search(words) and not ELSEWHERE.search(words):
            yield letters.original(*sentence.span())
    for sentence in _WORDS.finditer(folded.text):
        if MARKING_WORDS.search(sentence[0]) and WANTING_WORDS.search(sentence[0]):
            yield folded.original(*sentence.span())


def _folded(text: str) -> _View:
    """Small letters of one width and one script, without invisible characters."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for folded in _fold(character):
            characters.append(folded)
            places.append(place)
    joined = "".join(characters)
    for mixed in _MIXED.finditer(joined):
        for place in range(*mixed.span()):
            characters[place] = LOOKALIKES.get(characters[place], characters[place])
    return _View("".join(characters), places)


@lru_cache(maxsize=1 << 14)
def _fold(character: str) -> str:
    if ord(character) in _TAGS:
        return chr(ord(character) - 0xE0000).lower()
    if character in _ENDS:
        return "\n" if not character.isprintable() else character
    if unicodedata.category(character) in {"Cf", "Cc", "Mn"}:
        return " " if character == "\t" else ""
    folded = unicodedata.normalize("NFKC", character).lower()
    return TRADITIONAL.get(folded, folded)


def _letters(view: _View) -> _View:
    """Letters and digits; a line break for the end of a sentence."""
    characters: list[str] = []
    places: list[int] = []
    for position, character in enumerate(view.text):
        if character.isalnum():
            characters.append(character)
        elif _ends_sentence(view.text, position):
            characters.append("\n")
        else:
            continue
        places.append(view.places[position])
    return _View("".join(characters), places)


def _ends_sentence(text: str, position: int) -> bool:
    """A full stop ends one only before a blank: not in 1.5 or f.u.l.l."""
    if text[position] == ".":
        return text[position + 1 : position + 2].isspace()
    return text[position] in _ENDS


def _sentence(text: str, span: Span) -> Span:
    start, end = span.start, span.end
    while start > 0 and not _ends_sentence(text, start - 1):
        start -= 1
    while end < len(text) and not _ends_sentence(text, end - 1):
        end += 1
    return Span(start, end)


def _paragraph(text: str, position: int) -> Span:
    before = [one.end() for one in _BLANK_LINE.finditer(text, 0, position)]
    after = _BLANK_LINE.search(text, position)
    return Span(before[-1] if before else 0, after.start() if after else len(text))


def _encoded(text: str) -> Iterator[Span]:
    """What speaks to a grader once it is decoded or turned round."""
    for found in BASE64.finditer(text):
        hidden = _decoded(found[0])
        if hidden and any(_phrases(hidden)):
            yield Span(*found.span())
    for found in REVERSED.finditer(text):
        if any(_phrases(found[1][::-1])):
            yield Span(*found.span())


def _decoded(letters: str) -> str:
    whole = letters[: len(letters.rstrip("=")) // 4 * 4]
    padded = letters if len(letters) % 4 == 0 else whole
    try:
        return base64.b64decode(padded, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, one.end)):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged

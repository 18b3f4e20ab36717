"""Whether quoted words stand in the response, and where; and whether they bear on an item.

Words are compared by their letters and digits: width, case, blanks, punctuation and quotation marks
do not count, since models copy those as they please. Everything else must be there, in this order
and without a gap, unless the quotation says by …… that it leaves words out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from hengfa.evals.grading.rubric import Item, Span
from hengfa.law.text.invisible import INVISIBLE

SHORTEST: Final = 2  # fewer letters prove nothing: they stand in every response

# Where a quotation leaves words out: "……", "...", "⋯", "。。。"; not "。"
_LEFT_OUT: Final = re.compile(r"[…⋯]+|\.{3,}|。{3,}|．{3,}")
# Letters of one script on end: "lpr", "房屋租赁"; not "，", "_"
_RUN: Final = re.compile(r"[a-z]+|[^\W_a-z]+")
_SHORTEST_WORD: Final = 3
FEWEST_TERMS: Final = 4  # an item of fewer terms says too little to be compared with anything


class Quotation(NamedTuple):
    """Where the pieces of a quotation stand; ``proves`` if it has letters enough for that."""

    spans: tuple[Span, ...]
    proves: bool


class _Letters(NamedTuple):
    """The letters of a text; letter ``i`` comes from the character at ``places[i]``."""

    text: str
    places: tuple[int, ...]


def find_evidence(response: str, quotes: Iterable[str]) -> tuple[Quotation, ...]:
    """What is to be found of each quotation, as spans of the response. A quotation is looked for as
    a whole, then in the pieces between its ……, each after the one before. The first place counts,
    so that steps of reasoning have a position."""
    letters = _of_response(response)
    return tuple(_find(letters, quote) for quote in quotes)


def bears_on(item: Item, words: str) -> bool:
    """Whether words have anything of an item: two letters on end, or a Latin word. It is a low bar:
    who says the same in wholly other words fails it, so it costs nothing by itself. Items with
    levels are about quality, which any words may show, and a provision can be told without its
    name."""
    asked = _terms("\n".join((item.text, *item.elements, *item.alternatives)))
    if item.levels or item.statute or len(asked) < FEWEST_TERMS:
        return True
    return not asked.isdisjoint(_terms(words))


def _terms(text: str) -> set[str]:
    terms: set[str] = set()
    for run in _RUN.findall(unicodedata.normalize("NFKC", text).casefold()):
        if not "a" <= run[0] <= "z":
            terms.update(run[at : at + 2] for at in range(len(run) - 1))
        elif len(run) >= _SHORTEST_WORD:
            terms.add(run)
    return terms


def _find(response: _Letters, quote: str) -> Quotation:
    whole = _letters(quote).text
    if len(whole) < SHORTEST:
        return Quotation((), proves=False)
    if (at := response.text.find(whole)) >= 0:
        return Quotation((_span(response, at, len(whole)),), proves=True)
    letters = (_letters(piece).text for piece in _LEFT_OUT.split(quote))
    pieces = [piece for piece in letters if len(piece) >= SHORTEST]
    spans: list[Span] = []
    place = 0
    for piece in pieces if len(pieces) > 1 else []:
        at = response.text.find(piece, place)
        if at < 0:
            return Quotation((), proves=True)
        spans.append(_span(response, at, len(piece)))
        place = at + len(piece)
    return Quotation(tuple(spans), proves=True)


def _span(response: _Letters, at: int, length: int) -> Span:
    return Span(response.places[at], response.places[at + length - 1] + 1)


def _letters(text: str) -> _Letters:
    """Each character on its own, so that the letters of a slice are a slice of the letters."""
    signs: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text):
        if plain := _plain(sign):
            signs.append(plain)
            places.extend([place] * len(plain))
    return _Letters("".join(signs), tuple(places))


_of_response = lru_cache(maxsize=8)(_letters)  # one response has many quotations


@lru_cache(maxsize=1 << 16)
def _plain(sign: str) -> str:
    """The letters and digits in a character: "Ａ" is "a", "①" is "1", "。" is nothing."""
    if INVISIBLE.match(sign):  # some count as letters
        return ""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", sign).casefold())
    return "".join(letter for letter in folded if letter.isalnum())

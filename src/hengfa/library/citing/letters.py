"""What two texts of a provision are compared by: their letters, without blanks and punctuation.

Editions of one law differ in commas, quotation marks and widths; these are no differences of the
law. The numbers of items are left out too where they open an item: texts write （二）, (二) or
第（二）项 for the same.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

# "。", " ", "（", "_"; not "法", "3", "×", which masks a word that was taken out of a judgment
_NO_LETTERS: Final = re.compile(r"[^\w×]++|_++")
_WIDTHS: Final = {
    **{ord("０") + n: ord("0") + n for n in range(10)},
    **{ord("Ａ") + n: ord("A") + n for n in range(26)},
    **{ord("ａ") + n: ord("a") + n for n in range(26)},
    ord("○"): ord("〇"),
    ord("╳"): ord("×"),
}
# "（二）", "(2)", "第（二）项", "3." at the beginning of an item; not in 前款第（二）项, "3.5倍"
_ITEM_NUMBER: Final = re.compile(
    r"(?:(?<=[\s。；;：:….“”])|\A)"
    r"(?:第?[（(](?:[一二三四五六七八九十]{1,3}|[0-9]{1,2})[)）]项?|[0-9]{1,2}[.．、](?![0-9]))"
)
# Where a quotation leaves words out: "……", "...", "（略）"; not "。"
_LEFT_OUT: Final = re.compile(
    r"…+|\.{3,}|。{3,}|[（(\[［【](?:以?下?略|其[他余]略|节选)[)）\]］】]"
)
# "。" and what closes a sentence, or begins a new line
_SENTENCE_END: Final = re.compile(r"[。；;！？!?…”\s]")


def letters(text: str) -> str:
    """The letters of a text."""
    return _NO_LETTERS.sub("", _ITEM_NUMBER.sub("", text)).translate(_WIDTHS)


@dataclass(frozen=True, slots=True)
class Words:
    """A text by its letters. ``places[i]`` is where letter ``i`` stands in ``text``.

    ``breaks`` are the letters before which words are left out and said to be (……); ``sentences``
    are those that begin a sentence.
    """

    text: str
    letters: str
    places: tuple[int, ...]
    breaks: frozenset[int] = frozenset()
    sentences: frozenset[int] = frozenset()


def read_words(text: str) -> Words:
    """The letters of a quotation, and where they stand."""
    bare = _ITEM_NUMBER.sub(lambda found: " " * len(found[0]), text)
    gaps = [found.start() for found in _LEFT_OUT.finditer(bare)]
    bare = _LEFT_OUT.sub(lambda found: "。" * len(found[0]), bare)
    places: list[int] = []
    written: list[str] = []
    place = 0
    for skipped in _NO_LETTERS.finditer(bare):
        places.extend(range(place, skipped.start()))
        written.append(bare[place : skipped.start()])
        place = skipped.end()
    places.extend(range(place, len(bare)))
    written.append(bare[place:])
    breaks = set()
    for gap in gaps:
        breaks.add(bisect_right(places, gap))
    sentences = {0} | {
        n
        for n in range(1, len(places))
        if places[n] - places[n - 1] > 1
        and _SENTENCE_END.search(bare, places[n - 1] + 1, places[n])
    }
    found = "".join(written).translate(_WIDTHS)
    return Words(text, found, tuple(places), frozenset(breaks), frozenset(sentences))

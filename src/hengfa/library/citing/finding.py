"""Finds the articles that may be the home of some words: in a law, or in the whole library."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from hengfa.library.citing.amending import Amendments
from hengfa.library.citing.letters import Words
from hengfa.library.citing.passages import GRAM, Kept, Passage, WordIndex
from hengfa.library.model import Law
from hengfa.library.search import search

MOST_SEARCHES: Final = 200
"""So many times the whole library is searched for one document: each takes some milliseconds."""

_KEPT_LAWS: Final = 16
_LIKE: Final = 5
_QUERY: Final = 400


class Indexes:
    """Word indexes of laws: their texts at hand, and the words that amending acts gave them."""

    def __init__(self, amendments: Amendments) -> None:
        self.amendments = amendments
        self._made: Kept[str, WordIndex] = Kept(_KEPT_LAWS)

    def of(self, law: Law) -> WordIndex:
        """All articles of a law in all versions."""
        return self._made.get(law.name, lambda: self._make(law))

    def _make(self, law: Law) -> WordIndex:
        texts = self.amendments.passages.all_of(law)
        return WordIndex(chain(texts, self.amendments.new_texts(law)))


class Finder:
    """Finds homes of words for one document."""

    def __init__(self, indexes: Indexes) -> None:
        self.indexes = indexes
        self.passages = indexes.amendments.passages
        self.searches = 0

    @property
    def exhausted(self) -> bool:
        """Whether the library is not searched any more for this document."""
        return self.searches >= MOST_SEARCHES

    def in_the_law(self, law: Law, words: Words) -> Iterator[Passage]:
        """Articles of any version of the law that share most with the words."""
        for homes in self.indexes.of(law).like(words.letters, _LIKE):
            yield from homes

    def same(self, law: Law, passage: Passage) -> list[Passage]:
        """All articles of the law, in all versions, that have the words of a passage."""
        return self.indexes.of(law).same.get(passage.letters, [])

    def anywhere(self, words: Words) -> Iterator[Passage]:
        """Articles of any law that share most with the words."""
        if len(words.letters) < GRAM or self.exhausted:
            return
        self.searches += 1
        hits = search(self.passages.library, words.text[:_QUERY], limit=_LIKE)
        articles = {(hit.version.id, *hit.position[:2]): hit for hit in hits}
        for hit in articles.values():
            if passage := self.passages.article(hit.version, hit.position):
                yield passage

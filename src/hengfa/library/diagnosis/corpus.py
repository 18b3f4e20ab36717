"""The articles of a law, or of all laws, as answers are compared with them: each text once.

Versions share most of their articles, so a text is kept once with everything that is its home. What
has no articles (preambles, amending acts, decisions) is one text with its version as its home.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from hengfa.law.citation_model import Position
from hengfa.library.diagnosis.grams import GramIndex, Mask
from hengfa.library.diagnosis.normalised import normalise
from hengfa.library.diagnosis.tracing import Origin
from hengfa.library.model import Provision, Version
from hengfa.library.store import Library


class Leaf(NamedTuple):
    """Letters ``start`` to ``end`` of an article are this paragraph, item or lead sentence."""

    start: int
    end: int
    paragraph: int | None
    item: int | None


class Home(NamedTuple):
    """An article of a version, by its numbers; None for a text without articles."""

    version: int
    article: int | None
    article_sub: int | None


@dataclass(frozen=True, slots=True)
class ArticleText:
    """The letters of an article and how they are divided, wherever it stands."""

    letters: str
    leaves: tuple[Leaf, ...]
    homes: list[Home] = field(default_factory=list)

    def part(self, start: int, end: int) -> tuple[int | None, int | None]:
        """Paragraph and item in which all of these letters lie, as far as there is one."""
        touched = [leaf for leaf in self.leaves if leaf.start < end and start < leaf.end]
        paragraphs = {leaf.paragraph for leaf in touched}
        items = {leaf.item for leaf in touched}
        if len(paragraphs) != 1:
            return None, None
        return paragraphs.pop(), items.pop() if len(items) == 1 else None

    def provisions(self) -> Iterator[tuple[int, int]]:
        """Where leaves, paragraphs and the article itself begin and end."""
        found = {(leaf.start, leaf.end) for leaf in self.leaves}
        for _, leaves in groupby(self.leaves, key=lambda leaf: leaf.paragraph):
            several = list(leaves)
            found.add((several[0].start, several[-1].end))
        yield from sorted({*found, (0, len(self.letters))})


class Corpus:
    """Texts with the index of their letters."""

    def __init__(self, texts: Sequence[ArticleText]) -> None:
        self.texts = texts
        self.index = GramIndex([text.letters for text in texts])
        self._versions: dict[int, Mask] = {}

    def of_version(self, version: Version) -> Mask:
        """Which texts stand in a version."""
        if version.id not in self._versions:
            own = (any(home.version == version.id for home in text.homes) for text in self.texts)
            self._versions[version.id] = np.fromiter(own, dtype=bool, count=len(self.texts))
        return self._versions[version.id]

    def of_article(self, version: Version, position: Position) -> Mask:
        """Which text is the article of a version in which a position lies."""
        found = np.zeros(len(self.texts), dtype=bool)
        home = Home(version.id, position.article, position.article_sub)
        if home in self._numbers:
            found[self._numbers[home]] = True
        return found

    @cached_property
    def _numbers(self) -> dict[Home, int]:
        return {home: number for number, text in enumerate(self.texts) for home in text.homes}

    @cached_property
    def whole(self) -> dict[str, list[Origin]]:
        """The letters of every provision, and where they stand."""
        found: dict[str, list[Origin]] = {}
        for number, text in enumerate(self.texts):
            for start, end in text.provisions():
                found.setdefault(text.letters[start:end], []).append(Origin(number, start, end))
        return found


class Corpora:
    """The corpora of one library, each made when it is first asked for."""

    def __init__(self) -> None:
        self._laws: dict[str, Corpus] = {}
        self._all: Corpus | None = None

    def of_law(self, library: Library, law: str) -> Corpus:
        """All versions of a law."""
        if law not in self._laws:
            self._laws[law] = Corpus(gather_texts(library, library.shelf.versions[law]))
        return self._laws[law]

    def of_all(self, library: Library) -> Corpus:
        """All versions of all laws: three seconds the first time."""
        if self._all is None:
            self._all = Corpus(gather_texts(library, library.versions()))
        return self._all


_KEPT: Final[WeakKeyDictionary[Library, Corpora]] = WeakKeyDictionary()


def corpora_of(library: Library) -> Corpora:
    """What was made of a library so far; it is forgotten with the library."""
    return _KEPT.setdefault(library, Corpora())


def gather_texts(library: Library, versions: Iterable[Version]) -> list[ArticleText]:
    """The different texts of these versions."""
    letters: dict[str, str] = {}
    texts: dict[tuple[tuple[int | None, int | None, str], ...], ArticleText] = {}
    for version in versions:
        for (article, sub), provisions in _articles(library, version):
            key = tuple((one.position.paragraph, one.position.item, one.text) for one in provisions)
            if key not in texts:
                texts[key] = _text(key, letters)
            texts[key].homes.append(Home(version.id, article, sub))
        for part in library.parts(version):
            if part.part in {"preamble", "body"}:
                key = ((None, None, part.text),)
                texts.setdefault(key, _text(key, letters)).homes.append(
                    Home(version.id, None, None)
                )
    return list(texts.values())


def _articles(
    library: Library, version: Version
) -> Iterator[tuple[tuple[int | None, int | None], list[Provision]]]:
    entries = library.entries(version, role=None)
    for number, provisions in groupby(entries, key=lambda one: one.position[:2]):
        yield number, list(provisions)


def _text(
    provisions: Iterable[tuple[int | None, int | None, str]], letters: dict[str, str]
) -> ArticleText:
    written: list[str] = []
    leaves: list[Leaf] = []
    end = 0
    for paragraph, item, text in provisions:
        if text not in letters:
            letters[text] = normalise(text)
        written.append(letters[text])
        start, end = end, end + len(letters[text])
        leaves.append(Leaf(start, end, paragraph, item))
    return ArticleText("".join(written), tuple(leaves))

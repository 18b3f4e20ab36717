"""Whether what a document tells of a provision, without quotation marks, is what it says.

Told words are compared by their pairs of letters, each weighed by how rare it is among the articles
of the law: all of them speak of 用人单位, few of 三倍. What counts is not how much of the words the
cited article has but whether another article of the law, in any version, has more: whoever tells an
article in words of his own is still nearest to that article. A number with its unit that the
article does not have (三倍 for 二倍) is unlike it too. How often this errs is in docs/citations.md.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hengfa.law.citation_model import Position, Told
from hengfa.law.numerals import parse_number
from hengfa.law.script import simplified
from hengfa.library.citing.findings import Source, Telling
from hengfa.library.citing.quoting import written
from hengfa.library.matching import QUOTED, Kept, Passage, Passages, normalise
from hengfa.library.model import Version

LIKE: Final = 0.8
"""What shares so much with the cited article is told of it, even if another shares more."""

CLOSER: Final = 0.05
"""By so much another article has to be closer, where a provision is told."""

USED, USED_CLOSER = 0.6, 0.2
"""So much another article has to share, and so much more than the cited one, where it is used."""

OF_IT: Final = 0.3
"""A number can be wrong only in words that are about the provision."""

_SHORTEST: Final = 10
_KEPT_VERSIONS: Final = 64


class Tellings:
    """Judges told words by one library."""

    def __init__(self, passages: Passages) -> None:
        self._passages = passages
        self._made: Kept[int, _Articles] = Kept(_KEPT_VERSIONS)

    def judge(self, text: str, told: Told, cited: Sequence[Passage]) -> Telling | None:
        """The verdict on ``text[told.start:told.end]``, said of these articles of a version."""
        words = simplified(text[told.start : told.end])
        letters = normalise(words, QUOTED)
        if len(letters) < _SHORTEST or not cited:
            return None
        version = cited[-1].version
        compared = self._of(version).compare(letters, cited)
        if compared.share < LIKE:
            for other in self._other_versions(version):
                compared = compared.or_nearer(self._of(other).compare(letters, ()).nearest)
        found = partial(Telling, told.start, told.end, share=round(compared.share, 3))
        if compared.is_closer_to_another(tells=told.tells):
            return found(verdict="unlike", nearest=compared.nearest.source)
        about_it = told.tells and compared.share >= OF_IT
        numbers = tuple(strange_numbers(words, cited)) if about_it else ()
        return found(verdict="unlike" if numbers else "like", numbers=numbers)

    def is_told(self, version: Version, letters: str) -> bool:
        """Whether some article of a version has all pairs of these letters."""
        return self._of(version).having_all(_pairs(letters))

    def _other_versions(self, version: Version) -> Iterator[Version]:
        """The latest first: what two of them have is named after that."""
        library = self._passages.library
        versions = library.versions(library.shelf.by_name[version.law])
        return (other for other in reversed(versions) if other != version and other.articles)

    def _of(self, version: Version) -> _Articles:
        return self._made.get(version.id, lambda: _Articles(self._passages, version))


class _Near(NamedTuple):
    """An article, and how much of the told words it has, by weight."""

    version: Version
    article: Position
    share: float

    @property
    def source(self) -> Source:
        share = round(self.share, 3)
        return Source(self.version.law, self.version.promulgated, written(self.article), share)


class _Compared(NamedTuple):
    """How much of the told words the cited articles have, and the best of the others."""

    share: float
    nearest: _Near

    def or_nearer(self, near: _Near) -> _Compared:
        return self._replace(nearest=near) if near.share > self.nearest.share else self

    def is_closer_to_another(self, *, tells: bool) -> bool:
        closer = self.nearest.share - self.share
        if tells:
            return self.share < LIKE and closer >= CLOSER
        return self.nearest.share >= USED and closer >= USED_CLOSER


class _Articles:
    """The pairs of letters of a version: which articles have each of them, and how much it says."""

    def __init__(self, passages: Passages, version: Version) -> None:
        self.version = version
        self.numbers: list[Position] = []
        having: defaultdict[str, list[int]] = defaultdict(list)
        for passage in passages.articles(version):
            for pair in _pairs(passage.letters):
                having[pair].append(len(self.numbers))
            self.numbers.append(passage.article)
        self._having = {pair: np.array(places) for pair, places in having.items()}
        self._places: defaultdict[Position, list[int]] = defaultdict(list)
        for place, number in enumerate(self.numbers):
            self._places[number].append(place)

    def having_all(self, pairs: set[str]) -> bool:
        """Whether one article has all these pairs."""
        places = [set(self._having.get(pair, np.array([])).tolist()) for pair in pairs]
        return bool(places and set.intersection(*places))

    def _weight(self, pair: str) -> float:
        had = len(self._having.get(pair, ()))
        return math.log((len(self.numbers) + 1) / (had + 1))

    def compare(self, letters: str, cited: Sequence[Passage]) -> _Compared:
        """How much of the letters the cited articles have, and which of the others most."""
        weights = {pair: self._weight(pair) for pair in _pairs(letters)}
        total = sum(weights.values()) or 1.0
        own = {pair for passage in cited for pair in _pairs(passage.letters)}
        share = sum(weight for pair, weight in weights.items() if pair in own) / total
        nearest = _Near(self.version, Position(), 0.0)
        if share >= LIKE or not self.numbers:
            return _Compared(share, nearest)
        sums: NDArray[np.float64] = np.zeros(len(self.numbers))
        for pair, weight in weights.items():
            if (places := self._having.get(pair)) is not None:
                sums[places] += weight
        for passage in cited:
            sums[self._places.get(passage.article, [])] = 0.0
        best = int(sums.argmax())
        nearest = _Near(self.version, self.numbers[best], float(sums[best]) / total)
        return _Compared(share, nearest)


def _pairs(letters: str) -> dict[str, None]:
    """Each once, in order: sums must not depend on how a process orders a set."""
    return dict.fromkeys(map(str.__add__, letters, letters[1:]))


# "百分之三十", "三倍", "1.5万元"; not "第三条", which is no quantity
_QUANTITY: Final = re.compile(
    r"百分之(?P<percent>[一二三四五六七八九十百零〇0-9.]{1,8})"
    r"|(?P<number>[一二三四五六七八九十百千万两零〇0-9.]{1,10})"
    r"(?P<unit>个月|周岁|小时|年|月|日|天|倍|元|岁|[%％]|次)"
)
_POSITION: Final = re.compile(r"第[一二三四五六七八九十百千0-9]{1,7}[条款项章节]")
_UNITS: Final = {"％": "%", "天": "日", "岁": "周岁"}


def strange_numbers(words: str, cited: Iterable[Passage]) -> Iterator[str]:
    """Quantities of the told words that the articles do not have."""
    texts = "\n".join(unit.text for passage in cited for unit in passage.units)
    known = set(_quantities(texts).values())
    return (shown for shown, quantity in _quantities(words).items() if quantity not in known)


def _quantities(text: str) -> dict[str, tuple[float | str, str]]:
    """Each quantity as it is written, with its value and unit."""
    quantities: dict[str, tuple[float | str, str]] = {}
    for match in _QUANTITY.finditer(_POSITION.sub(" ", text)):
        if match["percent"]:
            quantities[match[0]] = _value(match["percent"]), "%"
        else:
            quantities[match[0]] = _value(match["number"]), _UNITS.get(match["unit"], match["unit"])
    return quantities


def _value(number: str) -> float | str:
    value = parse_number(number)
    return number if value is None else float(value)

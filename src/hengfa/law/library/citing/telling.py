"""Whether what a document tells of a provision, without quotation marks, is what it says.

Told words are compared by their pairs of letters, each weighed by how rare it is among the articles
of the law: all of them speak of 用人单位, few of 三倍. What counts is not how much of the words the
cited article has but whether another article of the law, in any version, has more: whoever tells an
article in words of his own is still nearest to that article. A number with its unit that the
article does not have (三倍 for 二倍) is unlike it too, as are opposite words (see
:mod:`hengfa.law.library.citing.details`) and a rule told in the words of the law without its
exception. What shares too few words to be called right, or fills a place of the rule otherwise, is
left open. How often this errs is in docs/citations.md.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from hengfa.law.grammar.citation_model import Paraphrase, Position
from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.grammar.citation_sentence import Around, sentence_of
from hengfa.law.grammar.script import simplified
from hengfa.law.library.citing.aligning import align
from hengfa.law.library.citing.details import contradictions, doubts, opposites, quantities, strange
from hengfa.law.library.citing.faithfulness import compare
from hengfa.law.library.citing.findings import Faithfulness, Likeness, Source, Telling
from hengfa.law.library.citing.provisos import denies_exceptions, left_out
from hengfa.law.library.citing.quoting import belongs_to
from hengfa.law.library.matching import (
    QUOTED,
    Cache,
    Passage,
    Passages,
    Piece,
    normalise,
    normalise_in_place,
    passage_of,
)
from hengfa.law.library.model import Version

LIKE: Final = 0.8
"""What shares so much with the cited article is told of it, even if another shares more."""

CLOSER: Final = 0.05
"""By so much another article has to be closer, where a provision is told."""

USED, USED_CLOSER = 0.6, 0.2
"""So much another article has to share, and so much more than the cited one, where it is used."""

ENOUGH: Final = 0.5
"""What shares less than this with the provision may be told of it in other words, or of another
law: nobody can call it right."""

STATED_ENOUGH: Final = 0.2
"""The same where a sentence goes on from the citation."""

OTHER_PARAGRAPH: Final = 0.3
"""By so much another paragraph of the cited article has to share more, and LIKE in all."""

OF_IT: Final = 0.3
"""A detail can be wrong only in words that are about the provision."""

STATED_OF_IT, USED_OF_IT = 0.05, 0.4
"""The same where a sentence goes on from the citation, and where it uses the provision: there only
such numbers count as the law has others of, and only units that a case seldom has of its own."""

RECITED: Final = 0.9
"""Words that agree as much as this are those of the provision, and want its exception."""

CALLED: Final = 0.6
"""An article that has less than this of what it is called is not it, if another has LIKE of it."""

STRANGE, ELSEWHERE = 0.05, 0.48
"""A sentence of whose words the cited articles have less than the first, and another article of the
law has more than the second, of those that the law has at all, cites the wrong number."""

TELLING: Final = 1.9
"""So many times the weight of the rarest pair these words must have."""

_SHORTEST: Final = 10
_OF_LAWS: Final = frozenset({"倍", "周岁"})
_KEPT_VERSIONS: Final = 64


class Tellings:
    """Judges told words by one library."""

    def __init__(self, passages: Passages) -> None:
        self._passages = passages
        self._made: Cache[int, _Articles] = Cache(_KEPT_VERSIONS)

    def judge(
        self,
        text: str,
        paraphrase: Paraphrase,
        cited: Sequence[Passage],
        positions: Sequence[Position],
    ) -> Telling | None:
        """The verdict on a paraphrase in a text, said of these articles of a version.

        Details are compared with the ``positions`` alone, which are what is cited of them.
        """
        if not cited:
            return None
        version = cited[-1].version
        cited = list({id(passage): passage for passage in cited}.values())
        paraphrase = self._with_what_follows(text, paraphrase, version, cited)
        words = simplified(text[paraphrase.start : paraphrase.end])
        letters = normalise(words, QUOTED)
        if not letters:
            return None
        share, nearest = self._of(version).compare(letters, cited)
        if share < LIKE and not paraphrase.uses:
            for other in self._other_versions(version):
                _, near = self._of(other).compare(letters, ())
                nearest = near if near.share > nearest.share else nearest
        part = _part(cited, positions)
        before, _ = sentence_of(text, paraphrase.start, paraphrase.start)
        content = self.compare(words, part, text[before : paraphrase.start])
        start, end, tells, uses = paraphrase
        found = partial(Telling, start, end, share=round(share, 3), content=content)
        if len(letters) >= _SHORTEST:  # fewer cannot be told from other articles
            closer = nearest.share - share
            of_another = share < LIKE and closer >= CLOSER
            if not tells:
                of_another = nearest.share >= USED and closer >= USED_CLOSER
            if of_another:
                return found(verdict="unlike", nearest=nearest.source)
            if tells and (paragraph := self._other_paragraph(letters, cited, part)):
                return found(verdict="unlike", nearest=paragraph.source)
        law = "\n".join(passage.text for passage in part)
        rule = _before_the_case(words)  # what is made of it in the case is no telling of it
        if rule != words and content.mark == "differs":
            own = self.compare(rule, part, text[before : paraphrase.start])
            content = content if own.mark == "differs" else replace(content, mark="not decided")
            found = partial(found, content=content)
        numbers = tuple(_wrong_numbers(rule, law, paraphrase, share))
        about_it = share >= (USED_OF_IT if uses else OF_IT)
        contrary = tuple(opposites(rule, law)) if about_it else ()
        proviso = _proviso(text, paraphrase, part) if tells and share >= LIKE else ""
        differs = content.mark == "differs"
        doubtful = (
            (not uses and share < (ENOUGH if tells else STATED_ENOUGH))
            or denies_exceptions(words, law)
            or doubts(words, law)
            or (uses and differs)
        )
        verdict: Likeness = "unsure" if doubtful else "like"
        if numbers or contrary or proviso or (differs and not uses):
            verdict = "unlike"
        return found(verdict=verdict, numbers=numbers, contrary=contrary, proviso=proviso)

    def _with_what_follows(
        self, text: str, paraphrase: Paraphrase, version: Version, cited: Sequence[Passage]
    ) -> Paraphrase:
        """With the next sentence, if nearly all of its words are those of the provision."""
        following = _NEXT_SENTENCE.match(text, paraphrase.end) if paraphrase.tells else None
        if following is None or _THE_CASE.search(f"，{following['words']}"):
            return paraphrase
        letters = normalise(simplified(following["words"]), QUOTED)
        goes_on = letters and self._of(version).compare(letters, cited)[0] >= _GOES_ON
        return paraphrase._replace(end=following.end()) if goes_on else paraphrase

    def judge_around(
        self, text: str, around: Around, cited: Sequence[Passage], positions: Sequence[Position]
    ) -> Telling:
        """The same of the words around a citation, which need not be about the provision.

        So a difference is a doubt here, and no other article is looked for.
        """
        first, middle, again, last = around
        words = f"{text[first:middle]}，{text[again:last]}".strip("，")
        content = self.compare(simplified(words), _part(cited, positions))
        verdict: Likeness = "unsure" if content.mark == "differs" else "like"
        return Telling(first, last, verdict, 0.0, content=content)

    @staticmethod
    def compare(words: str, part: Sequence[Passage], context: str = "") -> Faithfulness:
        return compare(words, [unit for passage in part for unit in passage.units], context)

    def _other_paragraph(
        self, letters: str, cited: Sequence[Passage], part: Sequence[Passage]
    ) -> _Near | None:
        """Another paragraph of the articles that has the words, where the cited one has not."""
        if all(one is whole for one, whole in zip(part, cited, strict=True)):
            return None
        weights = self._of(cited[-1].version).weights(letters)
        enough = max(LIKE, _share(weights, part) + OTHER_PARAGRAPH)
        for passage in cited:
            for _, units in groupby(passage.units, key=lambda unit: unit.position.paragraph):
                pieces = [Piece(unit.position, unit.text) for unit in units]
                paragraph = passage_of(passage.version, pieces, passage.notation)
                share = _share(weights, [paragraph])
                if share >= enough and paragraph not in part:
                    position = paragraph.units[0].position._replace(item=None)
                    return _Near(paragraph.version, position, share)
        return None

    def elsewhere(
        self, words: Iterable[str], cited: Sequence[Passage], version: Version
    ) -> Source | None:
        """The article of a law that a sentence is about, if it is none of those that it cites."""
        pairs = dict.fromkeys(pair for part in words for pair in _pairs(normalise(part, QUOTED)))
        articles = self._of(version)
        weights = articles.known(pairs)
        total = sum(weights.values())
        enough = max(ELSEWHERE * total, TELLING * math.log(len(articles.numbers) + 1))
        if not total or _share(weights, cited) >= STRANGE:
            return None
        near = articles.nearest(weights, cited)
        for other in map(self._of, self._other_versions(version)):
            near = max(near, other.nearest(other.known(pairs), ()), key=lambda near: near.share)
        return near._replace(share=1.0).source if near.share >= enough else None

    def is_of_another(self, passage: Passage, letters: str) -> bool:
        """Whether an article has few of these letters and another nearly all that the law has."""
        articles = self._of(passage.version)
        weights = articles.known(_pairs(letters))
        enough = LIKE * sum(weights.values())
        return bool(weights) and (
            _share(weights, [passage]) < CALLED
            and articles.nearest(weights, [passage]).share >= enough
        )

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
        law, made, place = self.version.law, self.version.promulgated, format_position(self.article)
        return Source(law, made, place, round(self.share, 3))


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
        self._having = dict(having)
        self._places: defaultdict[Position, list[int]] = defaultdict(list)
        for place, number in enumerate(self.numbers):
            self._places[number].append(place)

    def _weight(self, pair: str) -> float:
        had = len(self._having.get(pair, ()))
        return math.log((len(self.numbers) + 1) / (had + 1))

    def weights(self, letters: str) -> dict[str, float]:
        """The pairs of the letters, each with its weight."""
        return {pair: self._weight(pair) for pair in _pairs(letters)}

    def known(self, pairs: Iterable[str]) -> dict[str, float]:
        """Those of some pairs that the law has, each with its weight."""
        return {pair: self._weight(pair) for pair in pairs if pair in self._having}

    def compare(self, letters: str, cited: Sequence[Passage]) -> tuple[float, _Near]:
        """How much of the letters the cited articles have, and which of the others most."""
        weights = self.weights(letters)
        total = sum(weights.values()) or 1.0
        share = _share(weights, cited)
        if share >= LIKE:
            return share, _Near(self.version, Position(), 0.0)
        near = self.nearest(weights, cited)
        return share, near._replace(share=near.share / total)

    def nearest(self, weights: Mapping[str, float], but: Sequence[Passage]) -> _Near:
        """The article that has most of the weights, and how much, but for some."""
        if not self.numbers:
            return _Near(self.version, Position(), 0.0)
        sums: NDArray[np.float64] = np.zeros(len(self.numbers))
        for pair, weight in weights.items():
            if (places := self._having.get(pair)) is not None:
                sums[places] += weight
        for passage in but:
            sums[self._places.get(passage.article, [])] = 0.0
        best = int(sums.argmax())
        return _Near(self.version, self.numbers[best], float(sums[best]))


def _share(weights: Mapping[str, float], having: Sequence[Passage]) -> float:
    texts = [passage.letters for passage in having]
    shared = sum(weight for pair, weight in weights.items() if any(pair in t for t in texts))
    return shared / (sum(weights.values()) or 1.0)


_GOES_ON: Final = 0.7
"""A sentence behind a telling that has so much of its words from the provision tells it too."""
# "监护人尽到职责的，可以减轻" behind "。"; not one that cites
_NEXT_SENTENCE: Final = re.compile(r"。(?P<words>[^。\n《第]{8,120})(?=[。\n]|\Z)")
# ",原告工作八年" after a rule; not ",被告应当在十五日内", which a rule may say
_THE_CASE: Final = re.compile(
    r"[，,；;](?:而|现|故|因此|据此|所以|但)?(?:原告|被告|被?上诉人|被?申请人|双方|甲方|乙方|我方|其)"
    r"(?!应|可以|不得|有权|必须|需|未|不|没有|向|对|在|的)"
)


def _before_the_case(words: str) -> str:
    """What is told, without the clauses behind it that say who did what."""
    case = _THE_CASE.search(words)
    return words[: case.start()] if case and case.start() >= _SHORTEST else words


def _wrong_numbers(words: str, law: str, paraphrase: Paraphrase, share: float) -> Iterator[str]:
    """Quantities that the provision does not have, or has others in the place of."""
    if share < (OF_IT if paraphrase.tells else USED_OF_IT if paraphrase.uses else STATED_OF_IT):
        return
    said, known = quantities(words), quantities(law)
    units = {one.unit for one in known}
    if paraphrase.uses:
        units &= _OF_LAWS
    new = (one for one in strange(said, known) if paraphrase.tells or one.unit in units)
    wrong = {one.shown for one in (*contradictions(said, known), *new)}
    yield from (shown for shown in dict.fromkeys(one.shown for one in said) if shown in wrong)


def _proviso(text: str, paraphrase: Paraphrase, part: Sequence[Passage]) -> str:
    """The exception that is missing where a rule is told in the words of the law."""
    words = normalise_in_place(text[paraphrase.start : paraphrase.end], QUOTED)
    after = text[paraphrase.end : paraphrase.end + _SHORTEST]
    for passage in part:
        alignment = align(words, passage)
        if alignment and alignment.similarity >= RECITED:
            edit = left_out(words, alignment, after, strict=True)
            return edit.law if edit else ""
    return ""


def _pairs(letters: str) -> dict[str, None]:
    """Each once, in order: sums must not depend on how a process orders a set."""
    return dict.fromkeys(map(str.__add__, letters, letters[1:]))


def _part(cited: Iterable[Passage], positions: Sequence[Position]) -> list[Passage]:
    """What is cited of these articles: paragraphs and items where they are named."""
    is_cited = belongs_to(positions)
    return [passage.only(is_cited) or passage for passage in cited]

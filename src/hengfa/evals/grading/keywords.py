"""The built-in grader that looks for words: a rule, no model, for demonstrations and as a floor.

For every item it takes the words that tell the item from the others of its rubric, and looks for
the stretch of the response that has most of them. An item that asks for provisions of law is
awarded by its citations. The quotations are real, so its awards pass the evidence check.

Where there is a reference answer, the rubric is about quality: then it only compares the words of
the whole response with those of the reference, and leaves items with named grades ungraded.

What it cannot see: the same thing said in other words, a negation, whether anything is true, any
fault (it reports none), and whether words were strung together without sense. A response that
repeats the rubric gets full marks. Never quote its figures as a measure of quality.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from hengfa.evals.engine.messages import JSONObject
from hengfa.evals.grading.rubric import Item
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import verdict_code
from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.law_names import abbreviations, normalise_name
from hengfa.law.text.segmentation import cut

FULL_SHARE: Final = 0.6  # from this share of an item's words on it earns everything
LEAST_SHARE: Final = 0.3
"""Below this share it earns nothing; between the two, points grow with the share."""
_WINDOW: Final = 3  # so many sentences in a row are looked at together
# A sentence with what ends it: "原告起诉。", "（一）证据\n"; not ""
_SENTENCE: Final = re.compile(r"[^。！？；!?;\n]+[。！？；!?;]?")
# A word with something to say: "合同", "3年", "LPR"; not "的", "，", "5"
_WORD: Final = re.compile(r"\w*[^\W\d_]\w*")
_FILE: Final = Path(__file__).with_name("common_words.txt")
COMMON_WORDS: Final = frozenset(_FILE.read_text("utf-8").split())


class _Coverage(NamedTuple):
    share: float
    evidence: tuple[str, ...] = ()


def keyword_reply(submission: Submission) -> str:
    """A verdict as a grader would write it, from words alone; always the same for the same text."""
    response = _Response(submission.response)
    items = list(submission.rubric.items())
    awards: list[JSONObject] = []
    if submission.reference:
        coverage = response.shares(_words(submission.reference))
        awards = [_award(item, coverage) for item in items if not item.levels]
    else:
        words = {item.id: _words("\n".join((item.text, *item.elements))) for item in items}
        holders = Counter(word for of_item in words.values() for word in of_item)
        for item in items:
            weights = {word: math.log(1 + len(items) / holders[word]) for word in words[item.id]}
            asked = _provisions(item) if item.statute else []
            coverage = response.cites(asked) if asked else response.covers(weights)
            awards.append(_award(item, coverage))
    verdict = {"awards": awards, "faults": [], "code": verdict_code(submission.response)}
    return msgspec.json.encode(verdict).decode()


def _award(item: Item, coverage: _Coverage) -> JSONObject:
    worth = 0.0
    if coverage.share >= FULL_SHARE:
        worth = 1.0
    elif coverage.share >= LEAST_SHARE:
        worth = coverage.share / FULL_SHARE
    entry: JSONObject = {
        "id": item.id,
        "evidence": list(coverage.evidence) if worth else [],
        "reason": f"关键词覆盖率 {coverage.share:.0%}",
    }
    if item.levels:
        within = [level for level in item.levels if level.points <= worth * item.maximum]
        chosen = max(within, key=lambda level: level.points, default=None)
        lowest = min(item.levels, key=lambda level: level.points)
        return entry | {"level": (chosen or lowest).name}
    return entry | {"points": round(worth * item.maximum, 1)}


def _words(text: str) -> set[str]:
    words = {word for word in map(str.casefold, cut(text)) if len(word) > 1}
    return {word for word in words - COMMON_WORDS if _WORD.fullmatch(word)}


Provision = tuple[str, int, int | None]


def _provisions(item: Item) -> list[frozenset[Provision]]:
    """What an item asks for: each of its provisions, or one of the alternatives in their place."""
    texts = (item.text, *item.alternatives)
    cited = (frozenset(provision for provision, _, _ in _citations(text)) for text in texts)
    return [provisions for provisions in cited if provisions]


def _citations(text: str) -> Iterator[tuple[Provision, int, int]]:
    for citation in find_citations(text):
        if citation.law is None or citation.kind == "document":
            continue
        law = normalise_name(citation.law)
        if len(meant := abbreviations.get(law, ())) == 1:  # short names that mean one law
            law = meant[0]
        for position in citation.expand():
            if position.article is not None:
                provision = law, position.article, position.article_sub
                yield provision, citation.start, citation.end


class _Response:
    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = "".join(c.casefold() if len(c.casefold()) == 1 else c for c in text)
        self.sentences = [match.span() for match in _SENTENCE.finditer(text)]
        self.starts = [start for start, _ in self.sentences]
        self.citations: dict[Provision, tuple[int, int]] = {}
        for provision, start, end in _citations(text):
            self.citations.setdefault(provision, (start, end))

    def cites(self, asked: Sequence[frozenset[Provision]]) -> _Coverage:
        """The best of several sets of provisions, by how many of it are cited."""
        best = _Coverage(0.0)
        for provisions in asked:
            there = sorted(self.citations[one] for one in provisions if one in self.citations)
            share = len(there) / len(provisions)
            if share > best.share:
                spans = dict.fromkeys(there)
                best = _Coverage(share, tuple(self.text[start:end] for start, end in spans))
        return best

    def covers(self, weights: Mapping[str, float]) -> _Coverage:
        """The few sentences in a row that have most of the words; the first of equals."""
        total = math.fsum(weights.values())
        if not total or not self.sentences:
            return _Coverage(0.0)
        words_in: dict[int, set[str]] = {}
        for word in weights:
            for number in self._sentences_with(word):
                words_in.setdefault(number, set()).add(word)
        best, at = 0.0, None
        beginning = {max(0, number - n) for number in words_in for n in range(_WINDOW)}
        for first in sorted(beginning):
            there = set().union(*(words_in.get(first + n, ()) for n in range(_WINDOW)))
            share = math.fsum(weights[word] for word in there) / total
            if share > best:
                best, at = share, first
        if at is None:
            return _Coverage(0.0)
        shown = [number for number in range(at, at + _WINDOW) if number in words_in]
        return _Coverage(best, tuple(self._sentence(number) for number in shown))

    def shares(self, words: set[str]) -> _Coverage:
        """How many of these words are there at all, and the sentence that has most of them."""
        counted = Counter(number for word in words for number in self._sentences_with(word))
        there = sum(bool(self._sentences_with(word)) for word in words)
        if not there:
            return _Coverage(0.0)
        best = min(counted, key=lambda number: (-counted[number], number))
        return _Coverage(there / len(words), (self._sentence(best),))

    def _sentence(self, number: int) -> str:
        start, end = self.sentences[number]
        return self.text[start:end].strip()

    def _sentences_with(self, word: str) -> set[int]:
        numbers: set[int] = set()
        place = self.folded.find(word)
        while place >= 0:
            number = bisect_right(self.starts, place) - 1
            start, end = self.sentences[max(number, 0)]
            if start <= place < end:
                numbers.add(number)
            place = self.folded.find(word, max(end, place + 1))
        return numbers

"""Cuts texts into terms, writes each term as a number, and counts which stands how often where.

A term of up to three characters is packed into 63 bits, exactly; a longer word is given by a digest
with the highest bit set. No dictionary of terms has to be kept, loaded or looked through: an index
of half a million terms opens at once, and all texts of a batch are cut in one go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hengfa.law.text.copies import codes_of

TermKind: TypeAlias = Literal["words", "bigrams", "characters", "grams"]
"""jieba's words; pairs of characters; single ones; runs of one to three. White space is dropped,
except by `grams`, which keep a blank and fold case as scikit-learn's character n-grams do."""

Codes: TypeAlias = NDArray[np.uint64]
Integers: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
_SIZES: Final[dict[TermKind, tuple[int, ...]]] = {
    "bigrams": (2,),
    "characters": (1,),
    "grams": (1, 2, 3),
}
_BITS: Final = 21  # of a code point plus one
_DIGEST: Final = 1 << 63
# Two blanks or more, or a blank and a line feed; not one blank
_WHITE_RUN: Final = re.compile(r"\s\s+")


class Terms(NamedTuple):
    """The terms of some texts: those of text i are ``codes[starts[i]:starts[i + 1]]``."""

    codes: Codes
    starts: Integers

    @property
    def lengths(self) -> Integers:
        return np.diff(self.starts)


def terms_of(texts: Sequence[str], kind: TermKind) -> Terms:
    """All terms of each text, repetitions included; of an empty text none."""
    if kind == "words":
        from hengfa.law.text.segmentation import cut  # noqa: PLC0415 - loads jieba's dictionary

        each = [[code_of(word) for word in cut(text) if not word.isspace()] for text in texts]
        flat = [code for codes in each for code in codes]
        return Terms(np.array(flat, np.uint64), _starts([len(codes) for codes in each]))
    if kind == "grams":
        return _runs([_WHITE_RUN.sub(" ", text.lower()) for text in texts], _SIZES[kind])
    return _runs(["".join(text.split()) for text in texts], _SIZES[kind])


def character_pairs(text: str) -> list[str]:
    return [text[i : i + 2] for i in range(len(text) - 1)]


@lru_cache(maxsize=1 << 18)
def code_of(term: str) -> int:
    """The number of one term, of any length but nought.

    >>> code_of("法") == ord("法") + 1, code_of("中华人民共和国") >> 63
    (True, 1)
    """
    if len(term) <= 3:
        return sum(ord(sign) + 1 << _BITS * place for place, sign in enumerate(term))
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") | _DIGEST


class Counts(NamedTuple):
    """One row for each term and text in which it stands, in the order of terms, then texts."""

    codes: Codes  # the vocabulary, ascending
    term: Integers  # number in the vocabulary
    text: Integers
    times: Integers
    texts: int
    lengths: Integers  # how many terms each text has

    @property
    def held_by(self) -> Integers:
        return np.bincount(self.term, minlength=len(self.codes))


def count(terms: Terms, least: int = 1) -> Counts:
    """Count the terms of texts; terms that fewer than ``least`` texts hold are left out."""
    texts = len(terms.starts) - 1
    codes, inverse = np.unique(terms.codes, return_inverse=True)
    term, text, times = _rows(inverse.ravel(), _owners(terms), texts)
    if least > 1:
        kept = np.bincount(term, minlength=len(codes)) >= least
        rows = kept[term]
        term = (np.cumsum(kept) - 1)[term[rows]]
        codes, text, times = codes[kept], text[rows], times[rows]
    return Counts(codes, term, text, times, texts, terms.lengths)


class QueryCounts(NamedTuple):
    """The known terms of some queries: those of query i are rows ``starts[i]:starts[i + 1]``."""

    starts: Integers
    term: Integers
    times: Integers

    def postings(self, starts: Integers) -> Iterator[tuple[int, int, slice]]:
        """Every row with its query before and the postings of its term behind it.

        The postings of term t are ``starts[t]:starts[t + 1]``.
        """
        rows = self.starts.tolist()
        bounds = zip(starts[self.term].tolist(), starts[self.term + 1].tolist(), strict=True)
        of_rows = [slice(*each) for each in bounds]
        for query, (first, end) in enumerate(pairwise(rows)):
            for row in range(first, end):
                yield query, row, of_rows[row]


def count_queries(terms: Terms, codes: Codes) -> QueryCounts:
    """Count the terms of queries that a vocabulary knows; the others say nothing."""
    queries = len(terms.starts) - 1
    if not len(codes):
        nothing = np.zeros(0, np.int64)
        return QueryCounts(np.zeros(queries + 1, np.int64), nothing, nothing)
    place = np.minimum(np.searchsorted(codes, terms.codes), len(codes) - 1)
    known = codes[place] == terms.codes
    query, term, times = _rows(_owners(terms)[known], place[known], len(codes))
    held = np.bincount(query, minlength=queries)
    return QueryCounts(np.concatenate(([0], np.cumsum(held))), term, times)


def _runs(texts: Sequence[str], sizes: Sequence[int]) -> Terms:
    """Runs of characters of these sizes, cut from all texts at once."""
    signs = codes_of("".join(texts)).astype(np.uint64) + np.uint64(1)  # 0 is no character
    lengths = np.array([len(text) for text in texts], np.int64)
    ends = np.cumsum(lengths)
    left = np.repeat(ends, lengths) - np.arange(len(signs))  # from here to the end of the text
    code = np.zeros(len(signs), np.uint64)
    parts: list[Codes] = []
    owners: list[Integers] = []
    number = np.repeat(np.arange(len(texts)), lengths)
    for place in range(max(sizes)):
        reach = left > place
        shifted = np.zeros(len(signs), np.uint64)
        shifted[: len(signs) - place] = signs[place:]
        code = code | shifted << np.uint64(_BITS * place)
        if place + 1 in sizes:
            parts.append(code[reach])
            owners.append(number[reach])
    if len(parts) == 1:
        counts = np.bincount(owners[0], minlength=len(texts))
        return Terms(parts[0], _starts(counts))
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    counts = np.bincount(owner, minlength=len(texts))
    return Terms(np.concatenate(parts)[order], _starts(counts))


def _starts(counts: Sequence[int] | Integers) -> Integers:
    return np.concatenate(([0], np.cumsum(np.asarray(counts, np.int64)))).astype(np.int64)


def _owners(terms: Terms) -> Integers:
    return np.repeat(np.arange(len(terms.starts) - 1), terms.lengths)


def _rows(first: Integers, second: Integers, below: int) -> tuple[Integers, Integers, Integers]:
    """The distinct pairs, sorted, and how often each occurs; ``second`` is below a number."""
    keys, times = np.unique(first.astype(np.int64) * max(below, 1) + second, return_counts=True)
    return keys // max(below, 1), keys % max(below, 1), times

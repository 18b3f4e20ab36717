"""METEOR: how much of a reference an answer repeats, and in how few pieces (judgment spec 7.2).

The score is that of NLTK 3.9 to the last bit. Tokens are aligned in three stages, each of which
takes what the ones before left: equal tokens, tokens with the same stem, and synonyms. In each, the
tokens of the answer are taken from the last to the first, and each gets the last free token of the
reference that fits.

NLTK compares every token with every other. Here the free places of a token are kept on a stack, so
the time is proportional to the length of the texts. The synonyms of NLTK come from a download of
WordNet; in Chinese judgments only its numerals ever matter, and those follow from a rule.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from hengfa.text.meteor_stem import stem

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5

Synonyms = Mapping[str, Collection[str]]
"""A token of the answer to the tokens of the reference that mean the same."""

_ROMAN: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_IRREGULAR: Final = {39: "ixl", 49: "il", 59: "ilx", 69: "ilxx", 79: "ilxxx", 89: "ixc", 99: "ic"}
"""Where WordNet subtracts more boldly than the Romans did; for 190 it even has xcl."""


def _roman(number: int) -> str:
    if number == 190:
        return "xcl"
    if number in _IRREGULAR:
        return _IRREGULAR[number]
    written = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        written += letters * count
    return written


def _numerals() -> dict[str, frozenset[str]]:
    """Arabic and Roman numerals as WordNet 3.0 pairs them: all up to 101, then only some."""
    some = (105, *range(110, 170, 5), 170, 175, 180, 190, 200, 300, 400, 500, 1000)
    pairs = [(str(number), _roman(number)) for number in (*range(1, 102), *some)]
    return {one: frozenset({other}) for arabic, roman in pairs for one, other in
            ((arabic, roman), (roman, arabic))}  # fmt: skip


NUMERALS: Final[Synonyms] = _numerals()


def meteor(
    hypothesis: Sequence[str], reference: Sequence[str], synonyms: Synonyms = NUMERALS
) -> float:
    """The score of an answer's tokens against a reference's, from 0 to 1."""
    mine, other = _lower(hypothesis), _lower(reference)
    pairs = _align(mine, other, synonyms)
    matches = len(pairs)
    if not matches:
        return 0.0
    precision, recall = matches / len(mine), matches / len(other)
    f = (precision * recall) / (ALPHA * precision + (1 - ALPHA) * recall)
    scattered: float = (_chunks(pairs) / matches) ** BETA
    return (1 - GAMMA * scattered) * f


def _lower(tokens: Sequence[str]) -> Sequence[str]:
    """The tokens in lower case; most texts are, and are taken as they are."""
    text = "".join(tokens)
    return tokens if text.lower() == text else [token.lower() for token in tokens]


def _align(mine: Sequence[str], other: Sequence[str], synonyms: Synonyms) -> list[tuple[int, int]]:
    """Places that belong together, from the last of the answer to its first within each stage."""
    free = _places(other)
    pairs: list[tuple[int, int]] = []
    left: list[int] = []
    for place in range(len(mine) - 1, -1, -1):
        stack = free.get(mine[place])
        if stack:
            pairs.append((place, stack.pop()))
        else:
            left.append(place)
    if not left or len(pairs) == len(other):
        return pairs
    unmatched = {token: places for token, places in free.items() if places}
    if any("a" <= token[-1:] <= "z" for token in (*unmatched, *(mine[one] for one in left))):
        left = _align_stems(mine, left, unmatched, pairs)
    return _align_synonyms(mine, left, unmatched, pairs, synonyms)


def _places(tokens: Iterable[str]) -> dict[str, list[int]]:
    free: dict[str, list[int]] = {}
    for place, token in enumerate(tokens):
        if token in free:
            free[token].append(place)
        else:
            free[token] = [place]
    return free


def _align_stems(
    mine: Sequence[str],
    left: list[int],
    unmatched: dict[str, list[int]],
    pairs: list[tuple[int, int]],
) -> list[int]:
    """The second stage, which is for texts in which some token ends in a Latin letter."""
    by_stem: dict[str, list[str]] = {}
    for token in unmatched:
        by_stem.setdefault(stem(token), []).append(token)
    still: list[int] = []
    for place in left:
        tokens = by_stem.get(stem(mine[place]), ())
        if (taken := _last_free(tokens, unmatched)) is None:
            still.append(place)
        else:
            pairs.append((place, taken))
    return still


def _align_synonyms(
    mine: Sequence[str],
    left: list[int],
    unmatched: dict[str, list[int]],
    pairs: list[tuple[int, int]],
    synonyms: Synonyms,
) -> list[tuple[int, int]]:
    for place in left:
        meant = synonyms.get(mine[place])
        if meant and (taken := _last_free(meant, unmatched)) is not None:
            pairs.append((place, taken))
    return pairs


def _last_free(tokens: Collection[str], unmatched: dict[str, list[int]]) -> int | None:
    """Take the last place that any of these tokens still has."""
    stacks = [unmatched[token] for token in tokens if unmatched.get(token)]
    return max(stacks, key=lambda places: places[-1]).pop() if stacks else None


def _chunks(pairs: list[tuple[int, int]]) -> int:
    """In how many pieces the matched tokens lie that are neighbours in both texts."""
    pairs.sort()
    chunks, expected = 0, (-1, -1)
    for pair in pairs:
        chunks += pair != expected
        expected = (pair[0] + 1, pair[1] + 1)
    return chunks

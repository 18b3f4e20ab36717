"""METEOR: how much of a reference an answer repeats, and in how few pieces (judgment.md 7.2).

The score is that of NLTK 3.9 to the last bit. Tokens are aligned in three stages, each of which
takes what the ones before left: equal tokens, tokens with the same stem, and synonyms. In each, the
tokens of the answer are taken from the last to the first, and each gets the last free token of the
reference that fits.

NLTK compares every token with every other. Here the free places of a token are kept on a stack, so
the time is proportional to the length of the texts. The synonyms of NLTK come from a download of
WordNet; in Chinese judgments only its numerals ever matter, and those follow from a rule.

Stems are Porter's, with the extensions of NLTK: suffixes are taken off in eight steps ("An
algorithm for suffix stripping", 1980). Chinese words end in no Latin letter, so they are their own
stems, and judgments hardly have others; but METEOR is not METEOR without this stage.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Final

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


# Arabic and Roman numerals as WordNet 3.0 pairs them: all up to 101, then only some.
_COUNTED = (*range(1, 102), 105, *range(110, 170, 5), 170, 175, 180, 190, 200, 300, 400, 500, 1000)
_PAIRS = [(str(number), _roman(number)) for number in _COUNTED]
NUMERALS: Final[Synonyms] = {
    one: frozenset({other})
    for arabic, roman in _PAIRS
    for one, other in ((arabic, roman), (roman, arabic))
}


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
    if any("a" <= token[-1:] <= "z" for token in (*unmatched, *(mine[place] for place in left))):
        by_stem: dict[str, list[str]] = {}
        for token in unmatched:
            by_stem.setdefault(stem(token), []).append(token)
        waiting, left = left, []
        for place in waiting:
            if (taken := _last_free(by_stem.get(stem(mine[place]), ()), unmatched)) is None:
                left.append(place)
            else:
                pairs.append((place, taken))
    for place in left:
        meant = synonyms.get(mine[place])
        if meant and (taken := _last_free(meant, unmatched)) is not None:
            pairs.append((place, taken))
    return pairs


def _places(tokens: Sequence[str]) -> dict[str, list[int]]:
    free: dict[str, list[int]] = {}
    for place, token in enumerate(tokens):
        if token in free:
            free[token].append(place)
        else:
            free[token] = [place]
    return free


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


# The second stage: Porter's stems of English words

_IRREGULAR_STEMS: Final = {
    **dict.fromkeys(("sky", "skies"), "sky"),
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    **dict.fromkeys(("inning", "innings"), "inning"),
    **dict.fromkeys(("outing", "outings"), "outing"),
    **dict.fromkeys(("canning", "cannings"), "canning"),
    **{word: word for word in ("howe", "proceed", "exceed", "succeed")},
}

_STEP_1A: Final = (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", ""))
_STEP_2: Final = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
    ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
    ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
    ("fulli", "ful"),
)  # fmt: skip
_STEP_3: Final = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""),
    ("ness", ""),
)  # fmt: skip
_STEP_4: Final = tuple(dict.fromkeys((
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
), "").items())  # fmt: skip


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    if not ("a" <= word[-1:] <= "z") or len(word) <= 2:
        return word
    if word in _IRREGULAR_STEMS:
        return _IRREGULAR_STEMS[word]
    plural = len(word) == 4 and word.endswith("ies")
    word = _step_1b(word[:-1] if plural else _replace(word, _STEP_1A, -1))
    begin = word.removesuffix("y")
    if begin != word and len(begin) > 1 and _shape(begin)[-1] == "c":
        word = begin + "i"
    return _step_5(_replace(_replace(_step_2(word), _STEP_3, 0), _STEP_4, 1))


def _shape(word: str) -> str:
    """Consonants as c, vowels as v; y is a vowel behind a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """How often consonants follow vowels."""
    return _shape(word).count("vc")


def _ends_cvc(word: str) -> bool:
    """Like wil and hop, but not like tow; of two letters, like at."""
    shape = _shape(word)
    if len(word) == 2:
        return shape == "vc"
    return shape.endswith("cvc") and word[-1] not in "wxy"


def _replace(word: str, rules: Sequence[tuple[str, str]], above: int) -> str:
    """The first suffix of the list decides, whether what is before it has the measure or not."""
    for suffix, instead in rules:
        if word.endswith(suffix):
            begin = word.removesuffix(suffix)
            fits = _measure(begin) > above and (suffix != "ion" or begin[-1:] in ("s", "t"))
            return begin + instead if fits else word
    return word


def _step_1b(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    suffix = re.search("(?:ed|ing)$", word)
    begin = word[: suffix.start()] if suffix else ""
    if "v" not in _shape(begin):
        return word
    if begin.endswith(("at", "bl", "iz")):
        return begin + "e"
    if len(begin) > 1 and begin[-1] == begin[-2] and _shape(begin)[-1] == "c":
        return begin if begin[-1] in "lsz" else begin[:-1]
    return begin + "e" if _measure(begin) == 1 and _ends_cvc(begin) else begin


def _step_2(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _step_2(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replace(word, _STEP_2, 0)


def _step_5(word: str) -> str:
    if word.endswith("e"):
        begin = word[:-1]
        measure = _measure(begin)
        if measure > 1 or (measure == 1 and not _ends_cvc(begin)):
            word = begin
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word

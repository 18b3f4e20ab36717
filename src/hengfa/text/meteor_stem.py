"""Porter's stems of English words, with the extensions of NLTK: the second stage of METEOR.

Suffixes are taken off in eight steps ("An algorithm for suffix stripping", 1980). Chinese words end
in no Latin letter, so they are their own stems, and judgments hardly have others; but METEOR is not
METEOR without this stage.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

_IRREGULAR: Final = {
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

_Rules = Sequence[tuple[str, str]]

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
_STEP_4: Final = tuple(
    (suffix, "")
    for suffix in (
        "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion",
        "ou", "ism", "ate", "iti", "ous", "ive", "ize",
    )
)  # fmt: skip


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of a word in lower case."""
    if not ("a" <= word[-1:] <= "z") or len(word) <= 2:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    word = _step_1c(_step_1b(_step_1a(word)))
    word = _replaced(_step_2(word), _STEP_3, _has_measure)
    return _step_5(_replaced(word, _STEP_4, _may_go))


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


def _has_measure(word: str) -> bool:
    return _measure(word) > 0


def _may_go(word: str) -> bool:
    return _measure(word) > 1


def _ends_cvc(word: str) -> bool:
    """Like wil and hop, but not like tow; of two letters, like at."""
    shape = _shape(word)
    if len(word) == 2:
        return shape == "vc"
    return shape.endswith("cvc") and word[-1] not in "wxy"


def _ends_doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _replaced(word: str, rules: _Rules, condition: Callable[[str], bool]) -> str:
    """The first suffix of the list decides, whether its condition holds or not."""
    for suffix, instead in rules:
        if word.endswith(suffix):
            begin = word.removesuffix(suffix)
            fits = condition(begin) and (suffix != "ion" or begin[-1:] in ("s", "t"))
            return begin + instead if fits else word
    return word


def _step_1a(word: str) -> str:
    if len(word) == 4 and word.endswith("ies"):
        return word[:-1]
    return _replaced(word, _STEP_1A, lambda _: True)


def _step_1b(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _has_measure(word[:-3]) else word
    suffix = re.search("(?:ed|ing)$", word)
    begin = word[: suffix.start()] if suffix else ""
    if "v" not in _shape(begin):
        return word
    if begin.endswith(("at", "bl", "iz")):
        return begin + "e"
    if _ends_doubled(begin):
        return begin if begin[-1] in "lsz" else begin[:-1]
    return begin + "e" if _measure(begin) == 1 and _ends_cvc(begin) else begin


def _step_1c(word: str) -> str:
    begin = word.removesuffix("y")
    return begin + "i" if begin != word and len(begin) > 1 and _shape(begin)[-1] == "c" else word


def _step_2(word: str) -> str:
    if word.endswith("alli") and _has_measure(word[:-4]):
        return _step_2(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _has_measure(word[:-3]) else word
    return _replaced(word, _STEP_2, _has_measure)


def _step_5(word: str) -> str:
    if word.endswith("e"):
        begin = word[:-1]
        measure = _measure(begin)
        if measure > 1 or (measure == 1 and not _ends_cvc(begin)):
            word = begin
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word

"""Words that speak to whoever grades, and that legal text does not use: `tampering_phrases.toml`.

LETTERS are matched on letters and digits alone, small, without blanks and punctuation; a line break
stands where a sentence ends. PUNCTUATED are matched on the text in small letters. A single word
such as 评分标准 is never enough: clients ask about the 绩效评分标准 of their employer, and bidders
about those of a tender. How rarely these match honest text is measured in tests/evals/grading.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.jsonfile import read_toml


class _Phrases(msgspec.Struct, frozen=True):
    """Patterns, of which a list matches where one of them does, and letters with their doubles."""

    fragments: dict[str, str]
    patterns: dict[str, str | list[str]]
    letters: dict[str, tuple[str, str]]


_PHRASES: Final = read_toml(Path(__file__).with_suffix(".toml"), _Phrases)


def _pattern(name: str) -> re.Pattern[str]:
    listed = _PHRASES.patterns[name]
    pattern = listed if isinstance(listed, str) else "|".join(listed)
    for fragment, words in _PHRASES.fragments.items():
        pattern = pattern.replace(f"<{fragment}>", words)
    return re.compile(pattern)


LETTERS: Final = _pattern("letters")
PUNCTUATED: Final = _pattern("punctuated")
MARKING: Final = _pattern("marking")
WANTING: Final = _pattern("wanting")
ELSEWHERE: Final = _pattern("elsewhere")
MARKING_WORDS: Final = _pattern("marking_words")
WANTING_WORDS: Final = _pattern("wanting_words")
VERDICT: Final = _pattern("verdict")
BASE64: Final = _pattern("base64")
REVERSED: Final = _pattern("reversed")
TRADITIONAL: Final = dict(zip(*_PHRASES.letters["traditional"], strict=True))
LOOKALIKES: Final = dict(zip(*_PHRASES.letters["lookalikes"], strict=True))

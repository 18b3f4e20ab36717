"""Words that speak to whoever grades, and that legal text does not use: `tampering_phrases.toml`.

LETTERS are matched on letters and digits alone, small, without blanks and punctuation; a line break
stands where a sentence ends. PUNCTUATED are matched on the text in small letters. A single word
such as 评分标准 is never enough: clients ask about the 绩效评分标准 of their employer, and bidders
about those of a tender. How rarely these match honest text is measured in tests/evals/grading.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hengfa.base.data.jsonfile import read_toml
from hengfa.base.data.patterns import Patterns


class _Phrases(Patterns, frozen=True, kw_only=True):
    """Patterns, and letters with their doubles."""

    letters: dict[str, tuple[str, str]]


_PHRASES: Final = read_toml(Path(__file__).with_suffix(".toml"), _Phrases)
LETTERS: Final = _PHRASES["letters"]
PUNCTUATED: Final = _PHRASES["punctuated"]
MARKING: Final = _PHRASES["marking"]
WANTING: Final = _PHRASES["wanting"]
ELSEWHERE: Final = _PHRASES["elsewhere"]
MARKING_WORDS: Final = _PHRASES["marking_words"]
WANTING_WORDS: Final = _PHRASES["wanting_words"]
VERDICT: Final = _PHRASES["verdict"]
BASE64: Final = _PHRASES["base64"]
REVERSED: Final = _PHRASES["reversed"]
TRADITIONAL: Final = dict(zip(*_PHRASES.letters["traditional"], strict=True))
LOOKALIKES: Final = dict(zip(*_PHRASES.letters["lookalikes"], strict=True))

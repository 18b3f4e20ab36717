"""A recitation without the dress that models put it in, and refusals told from recitations.

Cleaned away before scoring (claw.md 4): code fences, Markdown's marks for quotations, headings,
lists and bold type, the number of the provision in front of its text, differences of width (NFKC)
and white space. Everything is done in one pass over the lines: a response may be long.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Final

from hengfa.base.data.jsonfile import Patterns, read_toml

_PATTERNS: Final = read_toml(Path(__file__).with_suffix(".toml"), Patterns)
_BLANKS, _FENCE, _LINE_MARK, _BOLD, _NUMBER, _UNABLE, _SPEAKER = (
    _PATTERNS[name]
    for name in ("blanks", "fence", "line_mark", "bold", "number", "unable", "speaker")
)
_MOST_NUMBERS: Final = 4  # 第二十条 on a line, 第二款 on the next, （三） before the words


def normalise(text: str) -> str:
    """One width for all signs, and no white space: what two equal provisions have in common."""
    return _without_blanks(unicodedata.normalize("NFKC", text))


def clean(response: str) -> str:
    """The words of a recitation, normalised."""
    lines = [
        _LINE_MARK.sub("", line, count=1) if _LINE_MARK.match(line) else line
        for line in response.splitlines()
        if not _FENCE.fullmatch(line)
    ]
    text = _BOLD.sub(" ", unicodedata.normalize("NFKC", "\n".join(lines))).strip()
    start = 0
    for _ in range(_MOST_NUMBERS):
        number = _NUMBER.match(text, start)
        if not number or number.end() == len(text):  # what is nothing else is left as it is
            break
        start = number.end()
    return _without_blanks(text[start:])


def _without_blanks(text: str) -> str:
    """Marks that now stand beside a letter become part of it (NFC)."""
    return unicodedata.normalize("NFC", _BLANKS.sub("", text))


def is_refusal(response: str) -> bool:
    """Whether somebody says that he cannot give the text: “抱歉，我无法提供……”."""
    return bool(_SPEAKER.search(response) and _UNABLE.search(response))

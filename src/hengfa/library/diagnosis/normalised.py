"""A text reduced to what a recitation is compared by: letters and digits, in one width.

CLaw spec 5: NFKC, without white space and punctuation. What merely presents a text goes too: code
fences, the number of the article in front of it (第二十条　…), the numbers of items and of lists.
So an answer is never blamed for its layout.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

_NUMERAL: Final = "[0-9０-９〇零一二三四五六七八九十百千]"

_PRESENTATION: Final = re.compile(
    # "```markdown", "~~~"; not "`"
    r"(?:```|~~~)[A-Za-z]*+"
    # "第二十条　", "**第20条第二款**", "第二十条之一：" before a text; not "第二十条规定的"
    rf"|^[ \t　>#*【\[]*+第{_NUMERAL}{{1,9}}条(?:之{_NUMERAL}{{1,3}})?(?:第{_NUMERAL}{{1,3}}款)?"
    rf"(?:第[（(]?{_NUMERAL}{{1,3}}[)）]?项)?(?=[\s*:：】\]])"
    # "（三）" where an item begins; not in "前款第（三）项"
    r"|(?:(?<=[\s。；;：:])|^)[（(][一二三四五六七八九十百]{1,4}[)）]"
    # "- 1. ", "2、" at the head of a line; not "1.5万元"
    r"|^[ \t　>*•-]*+[0-9]{1,2}[.、](?![0-9])",
    re.MULTILINE,
)


class _Letters(dict[int, str]):
    """What each character comes to: "" where it is dropped. Filled as characters are met."""

    def __missing__(self, code: int) -> str:
        folded = unicodedata.normalize("NFKC", chr(code))
        found = self[code] = "".join(c for c in folded if unicodedata.category(c)[0] in "LMN")
        return found


_LETTERS: Final = _Letters()


class Normalised(NamedTuple):
    """The letters of a text; letter ``i`` stands at ``places[i]`` of the text."""

    letters: str
    places: tuple[int, ...]

    def begins(self, at: int) -> bool:
        """Whether something that is no letter, or nothing, stands before letter ``at``."""
        return at in {0, len(self.places)} or self.places[at] > self.places[at - 1] + 1


def normalise(text: str) -> str:
    """The letters of a text."""
    return _without_presentation(text).translate(_LETTERS)


def normalise_in_place(text: str) -> Normalised:
    """The letters of a text, and where each of them stands."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(_without_presentation(text)):
        if found := _LETTERS[ord(character)]:
            letters.append(found)
            places.extend([place] * len(found))
    return Normalised("".join(letters), tuple(places))


def _without_presentation(text: str) -> str:
    return _PRESENTATION.sub(lambda found: " " * len(found[0]), text)

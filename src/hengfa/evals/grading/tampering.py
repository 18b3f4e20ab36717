"""Finds where a response works on whoever grades it, instead of answering.

It may speak to the grader: a response is written for a client or a court, and where it talks of
marks, rubrics and verdicts, it talks to the grader. In real use nobody knows which part of a
response was slipped in, so this goes by phrases alone (`tampering.toml`): it is a net for what
people try, not a proof that nothing was tried. LETTERS are matched on letters and digits alone,
small, without blanks and punctuation; a line break stands where a sentence ends. PUNCTUATED are
matched on the text in small letters. A single word such as 评分标准 is never enough: clients ask
about the 绩效评分标准 of their employer, and bidders about those of a tender. How rarely these
match honest text is measured in tests/evals/grading.

It may repeat its rubric, which whoever answers has not seen. One item in the same words may be
chance; one item after another, with nothing between them, is a copy.

Words from such a place back no award, whatever a grader makes of them.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from hengfa.base.data.jsonfile import Patterns, read_toml
from hengfa.evals.grading.rubric import Flag, Item, Span
from hengfa.evals.grading.submission import Submission
from hengfa.law.text.invisible import INVISIBLE


class _Phrases(Patterns, frozen=True, kw_only=True):
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

_ENDS: Final = frozenset("。！？!?\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_TAGS: Final = range(0xE0020, 0xE007F)  # invisible copies of the ASCII characters
# A word up to its last letter of one alphabet: "grаder" up to the r, and up to the Cyrillic а
_WORD: Final = re.compile(r"\w+")
_TO_LATIN: Final = re.compile(r"\w*[a-z]")
_TO_OTHER: Final = re.compile(r"\w*[\u0370-\u03ff\u0400-\u04ff]")
# A sentence of letters, as :func:`_letters` leaves it.
_SENTENCE: Final = re.compile(r"[^\n]+")
# A sentence with its blanks: "Please be fair", not the full stop after it.
_WORDS: Final = re.compile(r"[^\n.!?。！？]+")
_COMMENT, _COMMENT_END = "<!--", "-->"
# A blank line, where one paragraph ends: "\n  \n".
_BLANK_LINE: Final = re.compile(r"\n[ \t\r]*\n")
SHORTEST: Final = 5  # letters of a clause that are worth looking for
FEWEST_ITEMS: Final = 3
WIDEST_GAP: Final = 8  # letters between two clauses of a copy, such as a number, a sign and 第三步
# "grader" in "7_grader"
_LETTERS: Final = re.compile(r"[^\W\d_]+")
# What holds a clause together: letters and digits. "追问租期，以及" has two clauses.
_CLAUSE: Final = re.compile(r"[^\W_]+")


def slipped_in(submission: Submission, evidence: Sequence[Span]) -> list[Flag]:
    """The flags of an award with this evidence: one word of it in such a place is enough."""
    suspect = _suspect(submission)
    return [flag for flag, of in suspect if any(_meets(of, span) for span in evidence)]


@lru_cache(maxsize=8)  # one submission has many awards
def _suspect(submission: Submission) -> tuple[tuple[Flag, tuple[Span, ...]], ...]:
    spoken = addresses_grader(submission.response)
    return (
        (Flag.ADDRESSES_GRADER, tuple(_merge([*spoken, *submission.addressed]))),
        (Flag.ECHOES_RUBRIC, tuple(echoes_rubric(submission))),
    )


def addresses_grader(text: str) -> list[Span]:
    """The sentences that speak to a grader, in order and without overlap; [] if there is none. A
    verdict in JSON is found with its paragraph, a comment as a whole. Letters that are spaced out,
    invisible, full-width, traditional, of another alphabet, reversed or in base64 are read."""
    spans = _merge([*_sentences(text), *_paragraphs(text), *_hidden(text)])
    return _merge([*spans, *(comment for comment in _comments(text) if _meets(spans, comment))])


class _View(NamedTuple):
    """A text as it is searched, and the place in the original of each of its characters."""

    text: str
    places: list[int]

    def original(self, start: int, end: int) -> Span:
        return Span(self.places[start], self.places[end - 1] + 1)


def _phrases(text: str) -> Iterator[Span]:
    folded = _fold_text(text)
    for match in PUNCTUATED.finditer(folded.text):
        yield folded.original(*match.span())
    letters = _letters(folded)
    for match in LETTERS.finditer(letters.text):
        yield letters.original(*match.span())
    for sentence in _SENTENCE.finditer(letters.text):
        words = sentence[0]
        if MARKING.search(words) and WANTING.search(words) and not ELSEWHERE.search(words):
            yield letters.original(*sentence.span())
    for sentence in _WORDS.finditer(folded.text):
        if MARKING_WORDS.search(sentence[0]) and WANTING_WORDS.search(sentence[0]):
            yield folded.original(*sentence.span())


def _fold_text(text: str) -> _View:
    """Small letters of one width and one script, without invisible characters."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for folded in _fold(character):
            characters.append(folded)
            places.append(place)
    joined = "".join(characters)
    for letters in _mixed(joined):
        for place in range(*letters.span()):
            characters[place] = LOOKALIKES.get(characters[place], characters[place])
    return _View("".join(characters), places)


def _mixed(text: str) -> Iterator[re.Match[str]]:
    """Letters on end, with letters of more than one alphabet in the rest of their word: "grаder"
    with a Cyrillic а, but not "ответу"."""
    for word in _WORD.finditer(text):
        latin, other = _TO_LATIN.match(text, *word.span()), _TO_OTHER.match(text, *word.span())
        if latin and other:
            last = min(latin.end(), other.end())
            yield from (run for run in _LETTERS.finditer(text, *word.span()) if run.start() < last)


@lru_cache(maxsize=1 << 14)
def _fold(character: str) -> str:
    if ord(character) in _TAGS:
        return chr(ord(character) - 0xE0000).lower()
    if character in _ENDS:
        return "\n" if not character.isprintable() else character
    if INVISIBLE.match(character) or unicodedata.category(character) in {"Cf", "Cc", "Mn"}:
        return " " if character == "\t" else ""
    folded = unicodedata.normalize("NFKC", character).lower()
    return TRADITIONAL.get(folded, folded)


def _letters(view: _View) -> _View:
    """Letters and digits; a line break for the end of a sentence."""
    characters: list[str] = []
    places: list[int] = []
    for position, character in enumerate(view.text):
        if character.isalnum():
            characters.append(character)
        elif _ends_sentence(view.text, position):
            characters.append("\n")
        else:
            continue
        places.append(view.places[position])
    return _View("".join(characters), places)


def _ends_sentence(text: str, position: int) -> bool:
    """A full stop ends one only before a blank: not in 1.5 or f.u.l.l."""
    if text[position] == ".":
        return text[position + 1 : position + 2].isspace()
    return text[position] in _ENDS


def _sentences(text: str) -> Iterator[Span]:
    ends = [place + 1 for place in range(len(text)) if _ends_sentence(text, place)]
    for span in _phrases(text):
        before, after = bisect_right(ends, span.start), bisect_left(ends, span.end)
        start = ends[before - 1] if before else 0
        yield Span(start, ends[after] if after < len(ends) else len(text))


def _paragraphs(text: str) -> Iterator[Span]:
    folded = _fold_text(text)
    blank = [line.span() for line in _BLANK_LINE.finditer(text)]
    for verdict in VERDICT.finditer(folded.text):
        after = bisect_left(blank, (folded.places[verdict.start()],))
        start = blank[after - 1][1] if after else 0
        yield Span(start, blank[after][0] if after < len(blank) else len(text))


def _comments(text: str) -> Iterator[Span]:
    start = text.find(_COMMENT)
    while start >= 0 and (end := text.find(_COMMENT_END, start + len(_COMMENT))) >= 0:
        yield Span(start, end + len(_COMMENT_END))
        start = text.find(_COMMENT, end + len(_COMMENT_END))


def _hidden(text: str) -> Iterator[Span]:
    """What speaks to a grader once it is decoded or turned round."""
    for match in BASE64.finditer(text):
        hidden = _decode(match[0])
        if hidden and any(_phrases(hidden)):
            yield Span(*match.span())
    for match in REVERSED.finditer(text):
        if any(_phrases(match[1][::-1])):
            yield Span(*match.span())


def _decode(letters: str) -> str:
    whole = letters[: len(letters.rstrip("=")) // 4 * 4]
    padded = letters if len(letters) % 4 == 0 else whole
    try:
        return base64.b64decode(padded, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _merge(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _meets(places: Sequence[Span], span: Span) -> bool:
    """Whether a span shares a character with one of these, which are in order and apart."""
    after = bisect_left(places, span.end, key=lambda place: place.start)
    return after > 0 and span.start < places[after - 1].end


class _Clause(NamedTuple):
    """A clause of an item, found in the response; ``counts`` unless any answer could have it."""

    start: int
    end: int
    item: str
    counts: bool


def echoes_rubric(submission: Submission) -> list[Span]:
    """Stretches with clauses of three items or more, one after another; [] if there is none.
    Clauses that the question has too, and provisions of law, can stand in any answer: they lengthen
    a stretch but do not make one."""
    items = submission.rubric.items()
    clauses = sorted({clause for item in items for clause in _clauses(item, submission)})
    stretches: list[list[_Clause]] = []
    end = 0
    for clause in clauses:
        between = _CLAUSE.findall(submission.response[end : clause.start])
        if stretches and sum(map(len, between)) <= WIDEST_GAP:
            stretches[-1].append(clause)
        else:
            stretches.append([clause])
        end = max(end, clause.end)
    copies = (stretch for stretch in stretches if _items(stretch) >= FEWEST_ITEMS)
    return [Span(copy[0].start, max(clause.end for clause in copy)) for copy in copies]


def _items(stretch: list[_Clause]) -> int:
    """Of how many items a stretch has clauses; one that several items share speaks for one."""
    counting = [clause for clause in stretch if clause.counts]
    return min(len({clause.item for clause in counting}), len({c.start for c in counting}))


def _clauses(item: Item, submission: Submission) -> list[_Clause]:
    texts = {text for text in _CLAUSE.findall(item.text) if len(text) >= SHORTEST}
    return [
        _Clause(*place.span(), item.id, not item.statute and text not in submission.question)
        for text in texts
        for place in re.finditer(re.escape(text), submission.response)
    ]

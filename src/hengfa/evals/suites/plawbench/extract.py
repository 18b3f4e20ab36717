"""Response to answer: the questions of a consultation, the parts of an analysis, a document.

Graders see the response itself. What is read here says which questions count, and whether the form
is the one that was asked for; form is reported and earns nothing.

Questions: every numbered line counts, at whatever depth: a list of 25 questions with five more
under each has 150, and only the first 25 are graded. A numbered line that merely announces those
below it (“一、关于借条”) is a heading. Lines between belong to the question above them. Where
nothing is numbered the lines of a bulleted list are the questions, else the sentences that ask,
else the lines.

Parts: the prompt asks for 【结论】【案件事实】【推理过程】【法条依据】, the questions of the data
for 【结论】【案情简述】【分析过程】【依据法条】 or for all four in one pair of brackets
(plawbench.md 2). Both sets are read, with variants: in brackets, as Markdown
headings, in bold, numbered, or as bare words on a line of their own. Numbers and bare words are
looked at only where brackets and Markdown do not make headings: a step of reasoning may begin with
“3. 结论：”. A heading that names two parts (【分析过程与法条依据】) stands for both. One that names
all four is the question repeated; it counts only where no other heading is there.

A document is known by its title or by what the parties are called.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Final, NamedTuple

from hengfa.base.data.jsonfile import Patterns, read_toml
from hengfa.evals.suites.base import Answer, AnswerStatus


class _Words(Patterns, frozen=True, kw_only=True):
    titles: dict[str, tuple[str, ...]]
    documents: dict[str, tuple[str, ...]]


_PATTERNS: Final = read_toml(Path(__file__).with_suffix(".toml"), _Words)
_SAYS: Final = {name: _PATTERNS[name] for name in _PATTERNS.patterns}


class Question(NamedTuple):
    """One question as it came, with its number and the lines that belong to it."""

    text: str
    numbered: bool = True


class Questions(NamedTuple):
    """A consultation: the response, and its questions in order."""

    text: str
    questions: tuple[Question, ...]

    def first(self, most: int) -> str:
        """The questions that are graded, one below the other, in their own words."""
        return "\n".join(question.text for question in self.questions[:most])


def asks(text: str) -> bool:
    """Whether there is a question in a text."""
    return _SAYS["asks"].search(text) is not None


def consultation(response: str) -> Answer[Questions]:
    """Every question; malformed where they are not numbered."""
    questions = read_questions(response)
    value = Questions(response, questions)
    if not questions:
        return Answer(value, AnswerStatus.ABSTAINED)
    numbered = all(question.numbered for question in questions)
    return Answer(value, AnswerStatus.EXTRACTED if numbered else AnswerStatus.MALFORMED)


def read_questions(response: str) -> tuple[Question, ...]:
    """All questions, in order."""
    lines = [line for line in response.splitlines() if line.strip()]
    by_number = _blocks(lines)
    if by_number:
        return tuple(Question(block) for block in by_number)
    bullet = _SAYS["bullet"]
    bullets = [line.strip() for line in lines if bullet.match(line) and bullet.sub("", line, 1)]
    if bullets:
        return tuple(Question(line, numbered=False) for line in bullets)
    sentences = (match[0].strip() for match in _SAYS["sentence"].finditer(response))
    asked = [sentence for sentence in sentences if sentence.endswith(("?", "？"))]
    rest = asked or [line.strip() for line in lines]
    return tuple(Question(text, numbered=False) for text in rest if _has_words(text))


def _blocks(lines: list[str]) -> list[str]:
    """Each numbered line that is no heading, with the lines below it that belong to it."""
    blocks: list[list[str]] = []
    inside = False
    for line, following in zip_longest(lines, lines[1:], fillvalue=""):
        number = _SAYS["digits"].match(line) or _SAYS["numerals"].match(line)
        if number is not None and _has_words(line[number.end() :]):
            inside = not _announces(line, following)
            if inside:
                blocks.append([line.strip()])
        elif _SAYS["heading"].fullmatch(line):
            inside = False
        elif inside:
            blocks[-1].append(line.strip())
    return ["\n".join(block) for block in blocks]


def _announces(line: str, following: str) -> bool:
    """Whether a numbered line asks nothing and a line with another kind of number comes next."""
    if _SAYS["asks"].search(line):
        return False
    if _SAYS["numerals"].match(line):
        return _SAYS["digits"].match(following) is not None
    return _kind(line) != _kind(following) and _SAYS["digits"].match(following) is not None


def _kind(line: str) -> str:
    """How a line is numbered: 1. and 2. alike, （1） otherwise."""
    number = _SAYS["digits"].match(line)
    return "" if number is None else re.sub(r"[\d\s*_#>]+", "0", number[0])


def _has_words(text: str) -> bool:
    return any(character.isalpha() for character in text)


CONCLUSION, FACTS, REASONING, STATUTES = PARTS = ("conclusion", "facts", "reasoning", "statutes")
"""The dimensions of a case analysis, in the order that is asked for."""
TITLES: Final = _PATTERNS.titles
"""What headings call a part; the first is the one that the prompt asks for."""
_PART_OF: Final = {title: part for part, titles in TITLES.items() for title in titles}
_TITLE: Final = "|".join(sorted(_PART_OF, key=len, reverse=True))
_BLANKS: Final = r"[ \t\u3000]{0,9}"
_AND: Final = rf"(?:(?:[+＋、与和及/—–-]|以及){_BLANKS})?"
_JOINED: Final = rf"(?P<titles>(?:{_TITLE})(?:{_BLANKS}{_AND}(?:{_TITLE})){{0,5}})"
_NUMBER: Final = (
    rf"(?:第?[一二三四五1-5][、.．:：]|[（(][一二三四五1-5][）)]|第[一二三四]部分[:：]?){_BLANKS}"
)
# A heading in brackets, whatever its line goes on with: "【结论】", "## 【案情】：某甲",
# "1. [法条]"; not "见【结论】部分".
_BRACKETED: Final = re.compile(
    rf"[ \t\u3000#>*_]{{0,12}}(?:{_NUMBER})?\*{{0,2}}[【\[「［]{{1,2}}{_BLANKS}{_JOINED}"
    rf"{_BLANKS}[】\]」］]{{1,2}}\*{{0,2}}{_BLANKS}[:：]?\*{{0,2}}"
)
_ENDS: Final = rf"[*_]{{0,2}}{_BLANKS}(?:[:：][*_]{{0,2}}|$)"
# A heading in Markdown, with a colon or nothing after it: "## 一、结论", "**案情简述**",
# "**结论：**是"; not "**结论**不能成立".
_MARKDOWN: Final = re.compile(
    rf"[ \t\u3000>]{{0,12}}(?:{_NUMBER})?(?:#{{1,6}}{_BLANKS}\*{{0,2}}|\*\*|__)(?:{_NUMBER})?"
    rf"{_JOINED}{_ENDS}"
)
# Numbered or bare: "一、结论：支持", "3. 分析过程", "案情简述：甲与乙"; not "1. 结论不能成立".
_PLAIN: Final = re.compile(rf"[ \t\u3000>]{{0,12}}(?:{_NUMBER})?{_JOINED}{_ENDS}")
_ONE_TITLE: Final = re.compile(_TITLE)
_ENOUGH: Final = 2  # with so many parts in brackets or Markdown, plain words are no headings


class Parts(NamedTuple):
    """A case analysis: the response, and the text of each part that has a heading."""

    text: str
    parts: Mapping[str, str]

    @property
    def missing(self) -> tuple[str, ...]:
        """The parts without a heading or without words under it."""
        return tuple(name for name in PARTS if not self.parts.get(name))


def case(response: str) -> Answer[Parts]:
    """The four parts; malformed where one is missing."""
    parts = read_parts(response)
    if not response.strip():
        return Answer(parts, AnswerStatus.ABSTAINED)
    return Answer(parts, AnswerStatus.MALFORMED if parts.missing else AnswerStatus.EXTRACTED)


class _PartHeading(NamedTuple):
    line: int
    end: int  # where the text on the heading's own line begins
    names: frozenset[str]
    strong: bool


def read_parts(response: str) -> Parts:
    """Split a case analysis; a part that comes twice is the two together."""
    lines = response.splitlines()
    headings = _that_count([*filter(None, map(_part_heading, range(len(lines)), lines))])
    parts: dict[str, list[str]] = {}
    ends = [*(heading.line for heading in headings[1:]), len(lines)]
    for heading, end in zip(headings, ends, strict=False):
        below = [lines[heading.line][heading.end :], *lines[heading.line + 1 : end]]
        for name in heading.names:
            parts.setdefault(name, []).append("\n".join(below).strip())
    return Parts(response, {name: "\n".join(parts[name]) for name in PARTS if name in parts})


def _part_heading(number: int, line: str) -> _PartHeading | None:
    strong = _BRACKETED.match(line) or _MARKDOWN.match(line)
    match = strong or _PLAIN.match(line)
    if match is None:
        return None
    names = frozenset(_PART_OF[title] for title in _ONE_TITLE.findall(match["titles"]))
    return _PartHeading(number, match.end(), names, strong is not None)


def _that_count(headings: list[_PartHeading]) -> list[_PartHeading]:
    separate = [heading for heading in headings if len(heading.names) < len(PARTS)] or headings
    strong = [heading for heading in separate if heading.strong]
    named = frozenset(name for heading in strong for name in heading.names)
    return strong if len(named) >= _ENOUGH else separate


CLAIM, DEFENCE, OTHER = "claim", "defence", "other"
"""Kinds of documents: a statement of claim, a defence, one that was not asked for."""
_KINDS: Final = {name: kind for kind, names in _PATTERNS.documents.items() for name in names}
_DOCUMENT_TITLE: Final = "|".join(_KINDS)
# A title on a line of its own, blanks removed: "# 民事起诉状", "**民事答辩状**"; not
# "针对原告起诉状的答复如下：".
_TITLE_LINE: Final = re.compile(
    rf"[\s#*_【《<>a-z/=\"':-]*[^\s，。：:；、的]{{0,12}}?(?P<title>{_DOCUMENT_TITLE})"
    r"(?:[（(][^（）()]{1,20}[）)])?[\s*_】》<>a-z/]*"
)
_LONGEST_TITLE: Final = 60


class Document(NamedTuple):
    """A document: its text, its kind (None where it has no sign of one), its length."""

    text: str
    kind: str | None
    length: int


def document(response: str) -> Answer[Document]:
    """The document; malformed where nothing says what it is."""
    value = Document(response, kind_of(response), count(response))
    if not value.length:
        return Answer(value, AnswerStatus.ABSTAINED)
    return Answer(value, AnswerStatus.EXTRACTED if value.kind else AnswerStatus.MALFORMED)


def count(text: str) -> int:
    """Characters without white space: how length is counted where nobody says how."""
    return sum(not character.isspace() for character in text)


def kind_of(text: str) -> str | None:
    """By the first line that is a title, else by who speaks."""
    for line in text.splitlines():
        short = "".join(line.split()) if len(line) <= _LONGEST_TITLE else ""
        title = _TITLE_LINE.fullmatch(short)
        if title:
            return _KINDS[title["title"]]
    speaker = _SAYS["speaker"].search(text)
    if speaker is None:
        return None
    return DEFENCE if speaker["who"] == "答辩人" else CLAIM

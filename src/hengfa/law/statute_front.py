"""What stands above a statute's first article: title, history, contents, preamble, headings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from hengfa.law.statute import LEVELS, Reason, Unplaced
from hengfa.law.statute_header import is_history
from hengfa.law.statute_lines import Line, tidy
from hengfa.law.statute_marks import (
    LONGEST_TITLE,
    HeadingMark,
    bare,
    ends_in_pause,
    ends_sentence,
    is_part_title,
    is_title,
    read_heading,
    read_numbered_title,
)

_CONTENTS_TITLES: Final = frozenset({"目录", "目次"})
_PREAMBLE_TITLES: Final = frozenset({"序言", "前言"})
_FIRST_PARTS: Final = frozenset({"总则", "总纲"})
_END_OF_HEADER: Final = "INFO END"  # a comment that one collection puts below the history


@dataclass(slots=True)
class Front:
    """The lines above the text, sorted; ``headings`` is where those of the text itself begin."""

    title: str
    headings: int
    header: list[str] = field(default_factory=list)
    preamble: list[str] = field(default_factory=list)
    preamble_heading: Line | None = None
    unplaced: list[Unplaced] = field(default_factory=list)


def read_front(lines: Sequence[Line], *, articles_follow: bool = True) -> Front:
    """Sort the lines above the first article, or above the body of an act without articles."""
    headings = _first_heading(lines) if articles_follow else len(lines)
    lines = lines[:headings]
    title_at, title_end, title = _find_title(lines)
    contents = _find_contents(lines, title_end)
    marks = (i for i, x in enumerate(lines) if x.kind == "markup" and _END_OF_HEADER in x.raw)
    header_end = max(marks, default=-1)
    front = Front(title, headings)
    repeated = bare(title)
    above = True  # the history, and not yet the preamble
    for index, line in enumerate(lines):
        if line.kind == "table" and not articles_follow:
            front.preamble.append(line.raw)
        elif line.kind != "text":
            front.unplaced.append(set_apart(line))
        elif title_at <= index < title_end:
            continue
        elif index in contents and _belongs_to_contents(line):
            front.unplaced.append(Unplaced(line.number, line.raw, "contents"))
        elif bare(line.text[:10]) in _PREAMBLE_TITLES and front.preamble_heading is None:
            front.preamble_heading = line
            above = False
        elif _repeats(line.text, repeated) or (above and (index < header_end or _is_header(line))):
            front.header.append(tidy(line.text))
        else:
            above = False
            front.preamble.append(tidy(line.text))
    return front


def set_apart(line: Line) -> Unplaced:
    """A line that is no text, under its reason."""
    reason: Reason = "markup" if line.kind == "text" else line.kind
    return Unplaced(line.number, line.raw, reason)


def _find_title(lines: Sequence[Line]) -> tuple[int, int, str]:
    """Where the title stands and what it says: the first heading of the page, or its first line."""
    texts = [i for i, line in enumerate(lines) if line.kind == "text"]
    marked = (i for i in texts if lines[i].depth == 1 and not read_heading(lines[i]))
    at = next(marked, texts[0] if texts else None)
    if at is None or not _can_be_title(lines[at]):
        return 0, 0, ""
    title, end = tidy(lines[at].text), at + 1
    if title.endswith("关于") and end < len(lines) and _can_be_title(lines[end]):
        return at, end + 1, title + tidy(lines[end].text)
    return at, end, title


def _can_be_title(line: Line) -> bool:
    text = line.text
    return (
        line.kind == "text"
        and len(text) <= (2 * LONGEST_TITLE if line.depth == 1 else LONGEST_TITLE)
        and not ends_sentence(text)
        and not ends_in_pause(text)
        and not line.quoted
        and bare(text) not in _CONTENTS_TITLES
        and read_heading(line) is None
        and not is_history(text)
        and text not in "（("
    )


def _first_heading(lines: Sequence[Line]) -> int:
    """Where the headings of the first article begin: each deeper than the one above it.

    Going up from the article, the last lines of a table of contents are as deep or deeper, or one
    of several with a number other than one.
    """
    texts = [index for index, line in enumerate(lines) if line.kind == "text"]
    marks = {index: mark for index in texts if (mark := _read_mark(lines[index])) is not None}
    counts = Counter(mark.kind for mark in marks.values())
    first, level = len(lines), len(LEVELS)
    for place in range(len(texts) - 1, -1, -1):
        index = texts[place]
        mark, above = marks.get(index), marks.get(texts[place - 1]) if place else None
        wanting = above is not None and above.kind and (mark is None or not above.title)
        if wanting and is_title(lines[index].text):
            continue  # the second line of a title
        if mark is None:
            break
        kind = mark.kind or "编"
        listed = mark.number != 1 and counts[mark.kind] > 1
        last = mark.number is None and mark.title not in _FIRST_PARTS and level < len(LEVELS)
        if LEVELS[kind] >= level or listed or last:
            break
        first, level = index, LEVELS[kind]
    if first == len(lines) and marks and max(counts.values()) == 1:
        return min(marks)  # only prose stands between the headings and the article
    return first


def _read_mark(line: Line) -> HeadingMark | None:
    """The heading that a line is above an article, also without a mark: 总则, 一、管辖."""
    if mark := read_heading(line):
        return mark
    title = bare(line.text[:12])
    if is_part_title(line.text) and title not in _PREAMBLE_TITLES:
        return HeadingMark(None, None, "", title)
    return read_numbered_title(line.text)


def _find_contents(lines: Sequence[Line], start: int) -> range:
    """The table of contents: from its title, or its first heading, to its last."""
    marks = [
        index
        for index in range(start, len(lines))
        if lines[index].kind == "contents"
        or bare(lines[index].text) in _CONTENTS_TITLES
        or _is_entry(lines[index])
    ]
    if not marks:
        return range(0)
    end = marks[-1] + 1
    while end < len(lines) and bare(lines[end].text) == "附则":
        end += 1
    return range(marks[0], end)


def _is_entry(line: Line) -> bool:
    mark: HeadingMark | None = read_heading(line) if line.kind == "text" else None
    return mark is not None and mark.number is not None


def _belongs_to_contents(line: Line) -> bool:
    return is_title(line.text) or read_heading(line) is not None


def _is_header(line: Line) -> bool:
    """Whether a line above the text is history: it says so, is set as such, or is no sentence."""
    text = line.text
    return line.quoted or is_history(text) or not (ends_sentence(text) or ends_in_pause(text))


def _repeats(text: str, title: str) -> bool:
    """Whether a line repeats the title or a part of it, as broken titles do."""
    return 3 < len(text) <= LONGEST_TITLE and bare(text) in title

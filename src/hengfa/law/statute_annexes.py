"""What stands below a statute's last article: annexes, tables, drawings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hengfa.law.statute import Annex, Unplaced
from hengfa.law.statute_front import set_apart
from hengfa.law.statute_lines import Line
from hengfa.law.statute_marks import is_annex, is_title, read_heading

# "税率表一（综合所得适用）", "国旗制法图案"; not "最高人民法院"
_ANNEX_TITLE: Final = re.compile(
    r"(?:表|图|图案|名单|名录|目录|样式|说明)[一二三四五六七八九十0-9]{0,3}(?:[（(][^）)]{0,30}[)）])?\Z"
)


def find_annexes(lines: Sequence[Line], last_article: int, announced: int) -> int:
    """Where the annexes begin: at 附件, or at a title or a table below the last article."""
    for at in range(last_article + 1, announced):
        if _opens_annex(lines[at]):
            while at - 1 > last_article and _belongs_to_table(lines[at - 1]):
                at -= 1  # noqa: PLW2901 - the title of the table
            return at
    return announced


def read_annexes(lines: Sequence[Line]) -> tuple[list[Annex], list[Unplaced]]:
    """The annexes, divided where one is announced; an editor's notes are set apart."""
    annexes: list[tuple[Line | None, list[Line]]] = []
    notes: list[Unplaced] = []
    depth = 0
    for line in lines:
        if line.kind == "note":
            notes.append(set_apart(line))
        elif line.kind == "text" and (is_annex(line) or 0 < line.depth <= (depth or line.depth)):
            depth = depth or line.depth
            annexes.append((line, []))
        elif annexes:
            annexes[-1][1].append(line)
        else:
            annexes.append((None, [line]))
    return [_annex(first, rest) for first, rest in annexes], notes


def _opens_annex(line: Line) -> bool:
    if line.kind != "text":
        return line.kind == "table"
    if line.depth:
        return read_heading(line) is None
    return is_title(line.text) and _ANNEX_TITLE.search(line.text) is not None


def _belongs_to_table(line: Line) -> bool:
    return line.kind == "markup" or (line.kind == "text" and is_title(line.text))


def _annex(first: Line | None, rest: Sequence[Line]) -> Annex:
    title = first.text if first else ""
    return Annex(title, "\n".join(line.raw for line in rest), (first or rest[0]).number)

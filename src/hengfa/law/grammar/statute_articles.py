"""The articles of a statute: which lines open one, and how its lines divide into 款 and 项.

A line may begin with 第二十条 because article 20 stands there, or because it cites article 20. The
line itself often tells (a blank or a bold mark after the number; 第二十条规定的), and where it does
not, the sequence does: an article follows the one before it. Numbers that fit no sequence are not
forced into it. The longest run of rising numbers is the statute; an article that stands elsewhere
and closes a gap in it is taken as well; a number that has been used, or fits nowhere, is given back
as not placed.

Inside an article a line is a paragraph of its own unless it goes on with what stands before it:

* ``（一）`` opens an item; so does ``一、`` or ``1.`` where a sentence leads to it.
* A list inside an item (``1.``, ``（1）``) stays in the item's text, a line each.
* A line without a number between two items belongs to the first of them if the numbers go on; after
  the last item it is the next paragraph.
* A line that breaks off in the middle of a sentence is joined to the next. A list without numbers
  (委员长，/ 副委员长若干人，/ 委员若干人。) is one paragraph with the sentence that opens it: the
  Constitution's amendment of 2018 counts the paragraphs of its article 65 so.
* Items that stand on one line, （一）…；（二）…, are divided if their numbers go on.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from hengfa.law.grammar.numerals import ArticleNumber, parse_article
from hengfa.law.grammar.statute import Paragraph, Reason, StatuteItem
from hengfa.law.grammar.statute_lines import (
    ARTICLE_LABEL,
    CITED,
    STYLES,
    ItemLabel,
    ItemStyle,
    Line,
    breaks_off,
    ends_in_pause,
    ends_sentence,
    is_annex,
    read_item,
    tidy,
)

# Which lines open an article

_FIRST: Final = ArticleNumber(1)


class Start(NamedTuple):
    """A line that opens an article, or looks as if it did."""

    at: int  # its place in the list of lines
    number: ArticleNumber
    label: str
    rest: str
    sure: bool  # the line itself says so
    cited: bool  # a blank stands after the number, but then words as after a citation


Starts: TypeAlias = dict[int, tuple[Start, Reason | None]]
"""Where articles open, and of those that have no place in the statute why."""


def find_articles(lines: Sequence[Line]) -> tuple[Starts, int]:
    """The lines that open articles, and where the annexes begin."""
    starts = [s for i, line in enumerate(lines) if (s := _read_start(i, line)) is not None]
    annexes = _find_annexes(lines, starts)
    runs = _runs(start for start in starts if start.at < annexes and not start.cited)
    chains = [_chain(run) for run in runs]
    taken: dict[ArticleNumber, Start] = {}
    others: list[Start] = []
    for chain, run in sorted(zip(chains, runs, strict=True), key=lambda pair: -len(pair[0])):
        whole = not taken or _adjoins(chain, taken)
        if whole:
            taken |= {start.number: start for start in chain}
        for start in sorted(run, key=lambda start: start.number):
            if taken.get(start.number) == start or not start.sure:
                continue
            closes_gap = start.number not in taken and _before(start.number) in taken
            if closes_gap and (whole or run[0].number != _FIRST):
                taken[start.number] = start
            else:
                others.append(start)
    for start in (start for start in starts if start.cited and start.number not in taken):
        # 第七十六条　规定…… is an article if it stands between articles 75 and 77
        before = taken.get(_before(start.number))
        after = taken.get(ArticleNumber(start.number.number + 1))
        if before and after and before.at < start.at < after.at:
            taken[start.number] = start
    found: Starts = {start.at: (start, None) for start in taken.values()}
    for start in others:
        used = start.number in taken
        found[start.at] = start, "repeated article" if used else "article out of sequence"
    return found, annexes


def _read_start(index: int, line: Line) -> Start | None:
    """The article that a line seems to open; None where it has no number or cites one."""
    if line.kind != "text" or line.text[0] not in "第笫":
        return None
    match = ARTICLE_LABEL.match(line.text)
    if not match:
        return None
    number = _parse(match[0])
    if number is None:
        return None
    after = line.text[match.end() :]
    rest = after.lstrip(" :：")
    bold = line.raw.lstrip("#>- ").startswith("**") or line.depth > 0
    sure = bold or not after or after[0] in " :：【"
    cited = not bold and CITED.match(rest) is not None
    return Start(index, number, match[0], rest, sure, cited) if sure or not cited else None


@lru_cache(maxsize=4096)
def _parse(label: str) -> ArticleNumber | None:
    return parse_article("".join(label.split()))


def _adjoins(chain: Sequence[Start], taken: dict[ArticleNumber, Start]) -> bool:
    """Whether a part that stands elsewhere belongs to the statute: its numbers only go on."""
    if not chain or any(start.number in taken for start in chain):
        return False
    next_number = ArticleNumber(chain[-1].number.number + 1)
    return _before(chain[0].number) in taken or next_number in taken


def _before(number: ArticleNumber) -> ArticleNumber:
    """The article that one needs before it: 第四条 for 第五条, 第四条之一 for 第四条之二."""
    return ArticleNumber(number.number - (not number.sub), max(0, number.sub - 1))


def _follows(number: ArticleNumber, before: ArticleNumber) -> bool:
    """Whether it is the next: 第五条 after 第四条 or 第四条之二, 第四条之一 after 第四条."""
    if number.sub:
        return number.number == before.number and number.sub == before.sub + 1
    return number.number == before.number + 1


def _find_annexes(lines: Sequence[Line], starts: Sequence[Start]) -> int:
    """The first line of the annexes: 附件 below an article, unless the numbers go on after it."""
    below = 0  # the first start below the line
    for at, line in enumerate(lines):
        if line.kind != "text" or not is_annex(line):
            continue
        while below < len(starts) and starts[below].at < at:
            below += 1
        goes_on = below < len(starts) and starts[below - 1].number < starts[below].number
        if below and not goes_on:
            return at
    return len(lines)


def _runs(starts: Iterable[Start]) -> list[list[Start]]:
    """The starts, divided where the numbers begin again with 第一条."""
    runs: list[list[Start]] = []
    for start in starts:
        if not runs or (start.sure and start.number == _FIRST and runs[-1]):
            runs.append([])
        runs[-1].append(start)
    return runs


def _chain(run: Sequence[Start]) -> list[Start]:
    """The longest rising sequence, of several the first; unsure starts need a neighbour in it."""
    tails: list[ArticleNumber] = []  # the least number that ends a sequence of each length
    ends: list[int] = []
    previous: list[int] = []
    for place, start in enumerate(run):
        length = bisect_left(tails, start.number)
        previous.append(ends[length - 1] if length else -1)
        if length == len(tails):
            tails.append(start.number)
            ends.append(place)
        elif start.number < tails[length]:
            tails[length], ends[length] = start.number, place
    chain: list[Start] = []
    place = ends[-1] if ends else -1
    while place >= 0:
        chain.append(run[place])
        place = previous[place]
    chain.reverse()
    return [
        start
        for start, before, after in zip(chain, [None, *chain], [*chain[1:], None], strict=False)
        if start.sure
        or start.number == _FIRST
        or (before and _follows(start.number, before.number))
        or (after and _follows(after.number, start.number))
    ]


# The inside of an article

# "：（一）", "；（二）" inside a line; not "第（一）项", not "，（一）"
_INNER_ITEM: Final = re.compile(r"(?<=[：:；;。])\s?[（(][一二三四五六七八九十]{1,3}[)）]")
# A line that can only go on: "；受送达人", "）后"; not "“"
_GOES_ON: Final = re.compile(r"[，。；：、！？）》”’,;:)]")
# "组成：", "下列人员组成，" before a list; not "市，"
_LEADS: Final = re.compile(r"[：:]\Z|(?:下列|如下|以下)[^。]{0,20}，\Z")

_Next: TypeAlias = dict[ItemStyle, int]


@dataclass(slots=True)
class _Text:
    """A text while its lines come in, kept in pieces so that long ones take no longer per line."""

    lines: list[list[str]]
    listing: bool = False  # inside a list without numbers

    @property
    def end(self) -> str:
        """What the text ends with: enough to know whether it is complete."""
        return self.lines[-1][-1][-40:]

    def go_on(self, text: str) -> bool:
        """Take a line that continues the text; False where it is something new."""
        if _GOES_ON.match(text):
            self.lines[-1].append(text)
        elif self.listing:
            self.listing = not ends_sentence(text)
            self.lines.append([text])
        elif _LEADS.search(self.end):
            self.listing = ends_in_pause(text)
            if not self.listing:
                return False
            self.lines.append([text])
        elif breaks_off(self.end):
            self.lines[-1].append(text)
        else:
            return False
        return True

    def close(self) -> str:
        return "\n".join(tidy("".join(pieces)) for pieces in self.lines)


@dataclass(slots=True)
class _Open:
    """A paragraph while its lines come in."""

    lead: _Text | None = None
    items: list[tuple[ItemLabel, _Text]] = field(default_factory=list)

    def add_item(self, label: ItemLabel) -> None:
        self.items.append((label, _Text([[label.rest]])))

    def close(self) -> Paragraph:
        items = (
            StatuteItem(label.number, text.close(), tidy(label.label)) for label, text in self.items
        )
        return Paragraph(self.lead.close() if self.lead else "", tuple(items))


def build_paragraphs(lines: Sequence[str]) -> tuple[Paragraph, ...]:
    """The paragraphs of one article; the first line is the one that follows its number."""
    texts = [part for line in lines for part in _divide(line) if part]
    labels = [read_item(text) for text in texts]
    following: list[_Next] = [{}]  # from the last line up: the number that comes next in each style
    for label in reversed(labels):
        following.append({**following[-1], label.style: label.number} if label else following[-1])
    paragraphs: list[_Open] = []
    for text, label, below in zip(texts, labels, following[-2::-1], strict=True):
        last = paragraphs[-1] if paragraphs else None
        if last and _take(last, text, label, below):
            continue
        opens = label is not None and _opens_list("", label, below)
        paragraphs.append(_Open(None if opens else _Text([[text]])))
        if label and opens:
            paragraphs[-1].add_item(label)
    return tuple(paragraph.close() for paragraph in paragraphs)


def _take(last: _Open, text: str, label: ItemLabel | None, below: _Next) -> bool:
    if not last.items:
        if label and _opens_list(last.lead.end if last.lead else "", label, below):
            last.add_item(label)
            return True
        return label is None and last.lead is not None and last.lead.go_on(text)
    current, item = last.items[-1]
    style = current.style
    if label and label.style == style:
        if label.number == 1:
            return False
        last.add_item(label)
    elif below.get(style) == current.number + 1:
        item.lines.append([text])
    elif label:
        if STYLES.index(label.style) < STYLES.index(style):
            return False
        item.lines.append([text])
    else:
        return item.go_on(text)
    return True


def _opens_list(lead: str, label: ItemLabel, below: _Next) -> bool:
    """Whether an item number begins a list; numbers other than （一） need more than themselves."""
    if label.style == "（一）":
        return True
    return label.number == 1 and (_LEADS.search(lead) is not None or below.get(label.style) == 2)


def _divide(line: str) -> list[str]:
    """The items of a line that holds several, and their lead; any other line as it is."""
    first = read_item(line)
    if (first and first.style != "（一）") or not ("）" in line or ")" in line):
        return [line]
    last = first.number if first else 0
    cuts = [0]
    for match in _INNER_ITEM.finditer(line):
        at = match.start()
        label = read_item(match[0].strip())
        led = last or _LEADS.search(line[max(0, at - 40) : at])
        if label and label.number == last + 1 and led:
            last += 1
            cuts.append(at)
    if len(cuts) == 1 or last == 1:
        return [line]
    return [line[start:end].strip() for start, end in pairwise([*cuts, len(line)])]

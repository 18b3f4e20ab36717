"""Which lines of a statute open an article: those whose numbers make one sequence.

A line may begin with 第二十条 because article 20 stands there, or because it cites article 20. The
line itself often tells (a blank or a bold mark after the number; 第二十条规定的), and where it does
not, the sequence does: an article follows the one before it.

Numbers that fit no sequence are not forced into it. The longest run of rising numbers is the
statute; an article that stands elsewhere and closes a gap in it is taken as well; a number that
has been used, or fits nowhere, is given back as not placed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from hengfa.law.numerals import ArticleNumber, parse_article
from hengfa.law.statute_lines import ARTICLE_LABEL, Line
from hengfa.law.statute_marks import CITED, is_annex

_FIRST: Final = ArticleNumber(1)


class Start(NamedTuple):
    """A line that opens an article, or looks as if it did."""

    at: int  # its place in the list of lines
    number: ArticleNumber
    label: str
    rest: str
    sure: bool  # the line itself says so
    cited: bool  # a blank stands after the number, but then words as after a citation


class FoundArticles(NamedTuple):
    """The articles of a text in the order of its lines."""

    articles: tuple[Start, ...]
    repeated: tuple[Start, ...]
    stray: tuple[Start, ...]
    annexes: int  # the line with which the annexes begin


def find_articles(lines: Sequence[Line]) -> FoundArticles:
    """The lines that open articles, and where the annexes begin."""
    starts = [s for i, line in enumerate(lines) if (s := read_start(i, line)) is not None]
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
    _fill_gaps(taken, (start for start in starts if start.cited))
    return FoundArticles(
        tuple(sorted(taken.values())),
        tuple(sorted(start for start in others if start.number in taken)),
        tuple(sorted(start for start in others if start.number not in taken)),
        annexes,
    )


def read_start(index: int, line: Line) -> Start | None:
    """The article that a line seems to open; None where it has no number or cites one."""
    if line.kind != "text" or line.text[0] not in "第笫":
        return None
    found = ARTICLE_LABEL.match(line.text)
    if not found:
        return None
    number = _parse(found[0])
    if number is None:
        return None
    after = line.text[found.end() :]
    rest = after.lstrip(" :：")
    bold = line.raw.lstrip("#>- ").startswith("**") or line.depth > 0
    sure = bold or not after or after[0] in " :：【"
    cited = not bold and CITED.match(rest) is not None
    return Start(index, number, found[0], rest, sure, cited) if sure or not cited else None


@lru_cache(maxsize=4096)
def _parse(label: str) -> ArticleNumber | None:
    return parse_article("".join(label.split()))


def _fill_gaps(taken: dict[ArticleNumber, Start], doubtful: Iterable[Start]) -> None:
    """Take 第七十六条　规定…… as an article if it stands between articles 75 and 77."""
    for start in doubtful:
        before = taken.get(_before(start.number))
        after = taken.get(ArticleNumber(start.number.number + 1))
        if start.number not in taken and before and after and before.at < start.at < after.at:
            taken[start.number] = start


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
    return [start for i, start in enumerate(chain) if start.sure or _has_neighbour(chain, i)]


def _has_neighbour(chain: Sequence[Start], i: int) -> bool:
    number = chain[i].number
    return (
        number == _FIRST
        or (i > 0 and _follows(number, chain[i - 1].number))
        or (i + 1 < len(chain) and _follows(chain[i + 1].number, number))
    )

"""What a citation of law is: a position in a law, and where and how a text names it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["law", "document", "unknown"]
"""law: statutes, interpretations, regulations, treaties. document: contracts, charters, judgments
and other papers that no collection of laws holds; their ``law`` is None. unknown: nothing in the
text says what is cited, and the caller may supply a default."""

Basis: TypeAlias = Literal[
    "named", "defined", "same", "that", "this", "above", "carried", "context", "relative", "none"
]
"""How the law of a citation was found, from certain to uncertain:

* named: its name stands right before the position (刑法第264条, 《刑法》第264条);
* defined: a short name that the text itself gave to a law (以下简称《解释》);
* same, that, above: 同法, 该法, 上述法律: the law cited before, of the kind that the word names;
* this: 本法, 本解释: the law in whose quoted text the words stand, else the document itself (None);
* carried: the position continues a list (第52条、第53条) and the law comes with it;
* context: a bare 第五十四条 later in the same paragraph, or among provisions copied out one after
  another; the last law named there;
* relative: 前款, 本条, or a bare 第二款: needs :func:`resolve_relative`;
* none: nothing to go by.
"""

LONGEST_RANGE: Final = 500
"""So many positions of a range are told: 第一条至第九千条 is soon written, and written again."""

Level: TypeAlias = Literal["article", "paragraph", "item"]
LEVELS: Final[tuple[Level, ...]] = ("article", "paragraph", "item")


class Position(NamedTuple):
    """A place in a law: 第一百二十条之一第二款第（三）项 is (120, 1, 2, 3); None is not given."""

    article: int | None = None
    article_sub: int | None = None
    paragraph: int | None = None
    item: int | None = None

    def get(self, level: Level) -> int | None:
        number: int | None = getattr(self, level)
        return number

    def under(self, level: Level, number: int, sub: int | None = None) -> Position:
        """The position with this number at a level; what lies above is kept, what is below not."""
        if level == "article":
            return Position(number, sub)
        if level == "paragraph":
            return Position(self.article, self.article_sub, number)
        return Position(self.article, self.article_sub, self.paragraph, number)

    def inside(self, upper: Position) -> Position:
        """第二款 or 第（三）项 in another position, which fills what is left open."""
        paragraph = upper.paragraph if self.paragraph is None else self.paragraph
        return Position(upper.article, upper.article_sub, paragraph, self.item)


class Relative(NamedTuple):
    """A reference counted from where it stands: 前两款 is two paragraphs back, 本条 is none."""

    level: Level
    back: int


class VersionHint(NamedTuple):
    """What the text says of the version of a law, as written; ``event`` is 修正, 修订, 施行, …

    The date is the first one in ``text``. The event 文号 means that the year is that of a document
    number (法释〔2015〕24号); 原 and 现 say that a number is that of an older or the present text,
    当时 that the law of the time of the facts is meant, 已废止 that the law is repealed.
    """

    text: str
    year: int | None = None
    month: int | None = None
    day: int | None = None
    event: str | None = None


class Quote(NamedTuple):
    """Words of the provision that the text gives: ``text[start:end]``, mostly after citing it.

    * quotes: 第三条规定：“……”, between quotation marks, which are outside the span; also
      “……”（《刑法》第三条） and 第三条……。该条规定：“……”;
    * phrase: 第三条规定的“……”, a few words of the provision inside another sentence, or before it:
      “……”是《刑法》第三条;
    * colon: 第三条规定：……。 without quotation marks; the span is one sentence, or the list that it
      opens, and more of the provision may follow;
    * heading: provisions copied out one after another (第三条 ……), as judgments append them; the
      span ends before the next one, or with its line.
    """

    start: int
    end: int
    mark: Literal["quotes", "phrase", "colon", "heading"]


class Caption(NamedTuple):
    """What an article is called beside its number, 第264条 盗窃罪: ``text[start:end]``.

    ``alone`` says that nothing else follows which could be words of the provision.
    """

    start: int
    end: int
    alone: bool


class Paraphrase(NamedTuple):
    """What the text says that the provision says, in its own words: ``text[start:end]``.

    ``tells`` is True after 第三条规定，……; ``uses`` where the provision is rather used:
    依照第三条的规定，……. Neither, where a sentence goes on: 第三条把期限定为三日.
    """

    start: int
    end: int
    tells: bool
    uses: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """One cited position, or a range from ``position`` to ``until``, at ``text[start:end]``.

    ``start`` is where the law's name begins if it stands there, else where the position does;
    ``name`` is the span of the name or of what stands for it (同法), ``law`` the name as the text
    gives it, without title marks. ``within`` is the index, in the list returned, of the citation
    in whose quotation this one stands: 本法 and 前款 there speak of that law. ``english`` says that
    the position is written in English, where (2) is a paragraph or an item.
    """

    law: str | None
    position: Position
    start: int
    end: int
    basis: Basis
    kind: Kind = "unknown"
    until: Position | None = None
    relative: Relative | None = None
    name: tuple[int, int] | None = None
    version: VersionHint | None = None
    quoted: Quote | None = None
    paraphrase: Paraphrase | None = None
    within: int | None = None
    caption: Caption | None = None
    english: bool = False

    def expand(self, most: int = LONGEST_RANGE) -> tuple[Position, ...]:
        """Every position of a range, as far as numbers alone tell; else the position itself.

        Of a range that is longer than ``most`` only the first ones.

        第十条至第十二条 may pass 第十一条之一, and 第十条第二款至第十二条 the third paragraph of
        article 10: only the law knows, so these are left to those who have its text.
        """
        if self.until is None:
            return (self.position,)
        return tuple(islice(_between(self.position, self.until), most))


def _between(first: Position, last: Position) -> Iterator[Position]:
    """The two ends and what lies between them at the level at which they differ."""
    yield first
    if first[:2] == last[:2]:
        for level in ("paragraph", "item"):
            low, high = first.get(level), last.get(level)
            if low is None or high is None or (low == high and level == "paragraph"):
                continue
            yield from (first.under(level, n) for n in range(low + 1, high))
            yield last
            return
    elif first.article is not None and first.article == last.article:
        subs = range((first.article_sub or 0) + 1, last.article_sub or 0)
        yield from (Position(first.article, sub) for sub in subs)
    elif first.article is not None and last.article is not None:
        yield from (Position(n) for n in range(first.article + 1, last.article))
    if first != last:
        yield last


def resolve_relative(citation: Citation, here: Position) -> Citation | None:
    """A citation such as 前款, 本条第二款 or a bare 第三款, read at the place where it stands.

    The result has the position filled in from ``here``, or is None where ``here`` does not tell:
    前款 in a first paragraph, or where the paragraph is not given. Absolute ones come back as is.
    """
    if citation.basis != "relative" or citation.position.article is not None:
        return citation
    first = last = here
    lower = citation.position
    if relative := citation.relative:
        ends = _count_back(here, relative)
        if ends is None:
            return None
        first, last = ends
    elif here.article is None:
        return None
    if lower == Position():
        return replace(citation, position=first, until=last if last != first else citation.until)
    if first != last:
        return None
    until = citation.until and citation.until.inside(first)
    return replace(citation, position=lower.inside(first), until=until)


def _count_back(here: Position, relative: Relative) -> tuple[Position, Position] | None:
    """The first and last position that a relative reference means, or None where none is there."""
    level, back = relative
    number = here.get(level)
    if number is None:
        return None
    if level == "article" and here.article_sub:
        # The article before 第一百二十条之二 is 第一百二十条之一, and before that 第一百二十条.
        steps = [Position(number, sub or None) for sub in range(here.article_sub + 1)]
        steps = [*(Position(n) for n in range(max(number - back, 1), number)), *steps]
    else:
        steps = [here.under(level, n) for n in range(max(number - back, 1), number + 1)]
    if len(steps) <= back:
        return None
    return (steps[-1 - back], steps[-2]) if back else (steps[-1], steps[-1])

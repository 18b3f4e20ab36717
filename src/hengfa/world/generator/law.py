"""Which law a world lives under, and the two collections of texts made of it.

It is that of the sample pack, or the library of this machine, as it was in force on the day on
which the world stands still; a law whose version of that day the library does not have is left out.
One collection has its articles, the other what a text book makes of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

import msgspec

from hengfa.base.data.jsonfile import read_lines
from hengfa.base.data.output import private_folder
from hengfa.law.grammar.numerals import format_article, format_number
from hengfa.law.library.model import Provision, Version
from hengfa.law.library.store import Library
from hengfa.law.library.versions import FoundVersion, in_force_on
from hengfa.world.generator.values import STANDSTILL


class LoneProvision(msgspec.Struct, frozen=True):
    """An article that stands alone in a file, without the statute around it."""

    law: str
    article: str
    text: str


class LawSource(msgspec.Struct, frozen=True):
    """``name`` is for people; ``provisions`` are articles besides those of the library."""

    name: str
    library: Library
    provisions: tuple[LoneProvision, ...] = ()


@contextmanager
def sample_law(pack: Path) -> Iterator[LawSource]:
    """The fictional law of the sample pack, which is made a library for the time being."""
    # the parser of statutes is needed here only
    from hengfa.law.library.building.build import build_library  # noqa: PLC0415

    lines = read_lines(pack / "laws" / "provisions.jsonl", LoneProvision)
    provisions = tuple(provision for _, provision in lines)
    sources = [pack / "claw" / name for name in ("statutes.jsonl", "version_calendar.tsv")]
    with private_folder() as folder:
        file = folder / "law.sqlite"
        build_library(sources, file)
        with Library.open(file) as library:
            yield LawSource("sample", library, provisions)


@contextmanager
def library_law(file: Path | None = None) -> Iterator[LawSource]:
    """The law library in this file, or the one that `hengfa law build` made."""
    with Library.open(file) as library:
        yield LawSource(f"library {library.meta.get('fingerprint', '')}", library)


def articles(law: LawSource) -> Iterator[str]:
    """`<law>第N条：<text>`, article by article."""
    library = law.library
    for version in _in_force(library):
        short = _short(library, version)
        for name, provisions in _articles(library, version):
            yield f"{short}{name}：{_text(provisions)}"
    for provision in law.provisions:
        yield f"{provision.law}{provision.article}：{provision.text}"


def knowledge(law: LawSource) -> Iterator[str]:
    """One line an article: law and headings with blanks between, then the numbered statement."""
    library = law.library
    for version in _in_force(library):
        short = _short(library, version)
        place = 0
        below: tuple[str, ...] = ()
        for name, provisions in _articles(library, version):
            headings = provisions[0].headings
            place = place + 1 if headings == below else 1
            below = headings
            titles = " ".join((short, *(title.partition("　")[2] or title for title in headings)))
            text = " ".join(_text(provisions).split("\n"))
            yield f"{titles} （{format_number(place)}）{name}的内容。{text}"


def _in_force(library: Library) -> Iterator[Version]:
    for law in library.laws("constitution", "statute", "interpretation"):
        answer = in_force_on(library, law, STANDSTILL)
        if isinstance(answer, FoundVersion) and answer.version.articles:
            yield answer.version


def _short(library: Library, version: Version) -> str:
    return library.shelf.by_name[version.law].short


def _articles(library: Library, version: Version) -> Iterator[tuple[str, list[Provision]]]:
    def key(provision: Provision) -> tuple[int, int]:
        return provision.position.article or 0, provision.position.article_sub or 0

    for (number, sub), provisions in groupby(library.entries(version, None), key):
        yield format_article(number, sub), list(provisions)


def _text(provisions: list[Provision]) -> str:
    return "\n".join(provision.label + provision.text for provision in provisions)

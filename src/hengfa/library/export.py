"""The provisions as JSON lines, for other tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from hengfa.law.statute import Role
from hengfa.library.model import Version
from hengfa.library.store import Library


class Exported(msgspec.Struct, frozen=True):
    """One line. ``article_sub`` is 0 without 之N, ``paragraph`` null in an article that has one."""

    law: str
    version: str  # the day of promulgation
    article: int
    article_sub: int
    paragraph: int | None
    item: int | None
    role: Role
    text: str


def exported(
    library: Library, versions: Iterable[Version], role: Role | None = None
) -> Iterator[bytes]:
    """A line for each provision of these versions, from first to last."""
    encoder = msgspec.json.Encoder()
    for version in versions:
        day = str(version.promulgated)
        for provision in library.entries(version, role):
            article, sub, paragraph, item = provision.position
            line = Exported(
                version.law,
                day,
                article or 0,
                sub or 0,
                paragraph,
                item,
                provision.role,
                provision.text,
            )
            yield encoder.encode(line) + b"\n"

"""Judgments in files of JSON lines, also gzipped, in the layouts that are about.

Upstream's rows (`text_id`, `text`, `la`, `fd`), outputs (`id`, `document`), segmented judgments
(`id`, `fact`, `reason`, `result`, perhaps the whole as `content`), and rows of one's own (`id`,
`fact`, `document`, `articles`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from hengfa.data.jsonfile import read_lines

ENDINGS = (".json", ".jsonl", ".ndjson")


class JudgmentRow(msgspec.Struct, frozen=True):
    """One line; what a layout does not have is None or empty."""

    id: str | int | None = None
    text_id: str | int | None = None
    fact: str | None = None
    text: str | None = None
    document: str | None = None
    fd: str | None = None
    content: str | None = None
    reason: str | None = None
    result: str | None = None
    articles: tuple[str | int, ...] = ()
    la: tuple[int, ...] = ()

    @property
    def name(self) -> str | None:
        name = self.text_id if self.id is None else self.id
        return None if name is None else str(name)

    @property
    def facts(self) -> str | None:
        return self.text if self.fact is None else self.fact

    @property
    def whole(self) -> str | None:
        """The whole document: as given, else its facts, reasons and result put together."""
        for given in (self.document, self.fd, self.content):
            if given is not None:
                return given
        if self.reason is None and self.result is None:
            return None
        return "\n".join(filter(None, (self.facts, self.reason, self.result)))


def is_lines(file: Path) -> bool:
    """Whether a file is one of JSON lines, by its name."""
    return file.name.lower().removesuffix(".gz").endswith(ENDINGS)


def read_rows(file: Path) -> Iterator[tuple[int, JudgmentRow]]:
    """The rows of a file with their numbers."""
    return read_lines(file, JudgmentRow)

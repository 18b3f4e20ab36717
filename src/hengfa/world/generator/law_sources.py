"""Which law a world lives under: that of the sample pack, or the library of this machine."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from hengfa.data.jsonfile import read_lines
from hengfa.library.store import Library


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
    from hengfa.library.building.build import build_library  # noqa: PLC0415

    lines = read_lines(pack / "laws" / "provisions.jsonl", LoneProvision)
    provisions = tuple(provision for _, provision in lines)
    sources = [pack / "claw" / name for name in ("statutes.jsonl", "version_calendar.tsv")]
    with tempfile.TemporaryDirectory(prefix="hengfa-law-") as folder:
        file = Path(folder) / "law.sqlite"
        build_library(sources, file)
        with Library.open(file) as library:
            yield LawSource("sample", library, provisions)


@contextmanager
def library_law(file: Path | None = None) -> Iterator[LawSource]:
    """The law library in this file, or the one that `hengfa law build` made."""
    with Library.open(file) as library:
        yield LawSource(f"library {library.meta.get('fingerprint', '')}", library)

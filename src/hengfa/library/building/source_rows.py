"""Texts of law in JSON lines, and the calendar of versions beside them."""

from __future__ import annotations

import contextlib
import gzip
import zlib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import BinaryIO, Final, cast

import msgspec

from hengfa.library.building.raw import LARGEST_FILE, Dated, Note, RawText, SourceFolder, iso_date
from hengfa.library.decoding import decode
from hengfa.library.model import Event, LawKind, Remark

LONGEST_ROW: Final = 64 * 1024 * 1024

_KINDS: Final[dict[str, LawKind]] = {
    "statute": "statute",
    "constitution": "constitution",
    "interpretation": "interpretation",
    "judicial_interpretation": "interpretation",
    "amendment": "amendment",
    "decision": "decision",
    "decision_or_other": "decision",
}
_EVENTS: Final[dict[str, Event]] = {
    "adopted": "adopted",
    "amended": "amended",
    "revised": "revised",
    "listed": "amended",  # a list of amendments in a header, without a word for each
}


class _From(msgspec.Struct):
    repo: str = ""
    commit: str = ""
    path: str = ""


class _Row(msgspec.Struct):
    """The fields that are read; a row may have others. ``title`` is an older name of ``law``."""

    text: str
    version: str
    law: str = ""
    title: str = ""
    kind: str = "statute"
    event: str | None = None
    effective: str | None = None
    effective_basis: str | None = None
    effective_suspect: bool | None = None
    role: str = "primary"
    source: _From | None = None


def read_rows(file: Path, source: SourceFolder, note: Note) -> list[RawText]:
    """The texts of a file of JSON lines, plain or gzipped.

    A file without a single one, which is about something else, is remarked upon once.
    """
    remarks: list[Remark] = []
    texts = list(_rows(file, source, remarks.append))
    if remarks and not texts:
        reason = f"none of its rows is a text of a law; the first: {remarks[0].reason}"
        remarks = [msgspec.structs.replace(remarks[0], reason=reason)]
    for remark in remarks:
        note(remark)
    return texts


def _rows(file: Path, source: SourceFolder, note: Note) -> Iterator[RawText]:
    decoder = msgspec.json.Decoder(_Row)
    for number, line in _lines(file, note):
        try:
            row = decoder.decode(decode(line)[0] if not line.isascii() else line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            note(_remark(file, number, f"not a text of a law: {error}", line))
            continue
        raw = _raw(row, file, number, source)
        if isinstance(raw, str):
            note(_remark(file, number, raw, line))
        else:
            yield raw


def _raw(row: _Row, file: Path, number: int, source: SourceFolder) -> RawText | str:
    """The row as a text, or what is wrong with it."""
    law = (row.law or row.title).strip()
    promulgated = iso_date(row.version)
    if not law:
        return "no name: the field law is empty"
    if promulgated is None:
        return f"version is no date: {row.version[:40]!r}"
    if row.kind not in _KINDS:
        return f"kind is none of {', '.join(_KINDS)}: {row.kind[:40]!r}"
    if row.event is not None and row.event not in _EVENTS:
        return f"event is none of {', '.join(_EVENTS)}: {row.event[:40]!r}"
    effective = iso_date(row.effective)
    if row.effective and effective is None:
        return f"effective is no date: {row.effective[:40]!r}"
    origin = row.source or _From()
    return RawText(
        text=row.text,
        law=law,
        promulgated=promulgated,
        file=str(file),
        path=origin.path,
        kind=_KINDS[row.kind],
        event=None if row.event is None else _EVENTS[row.event],
        effective=effective,
        effective_basis=row.effective_basis or ("row" if effective else ""),
        suspect=bool(row.effective_suspect),
        role="alternate" if row.role == "alternate" else "primary",
        repository=origin.repo or source.repository,
        commit=origin.commit or source.commit,
        row=number,
    )


def read_calendar(file: Path, note: Note) -> Iterator[Dated]:
    """Events that are known to have happened: law, date, event, separated by tabs."""
    if file.stat().st_size > LARGEST_FILE:
        note(_remark(file, None, "too large for a calendar", b""))
        return
    lines = decode(file.read_bytes())[0].splitlines()
    columns = lines[0].split("\t") if lines else []
    for number, line in enumerate(lines[1:], 2):
        cells = dict(zip(columns, line.split("\t"), strict=False))
        on, event = iso_date(cells.get("date")), _EVENTS.get(cells.get("event", ""))
        if cells.get("law") and isinstance(on, date) and event:
            yield Dated(cells["law"].strip(), on, event)
        elif line.strip():
            note(_remark(file, number, "not a line of a calendar: law, date, event", line.encode()))


def _lines(file: Path, note: Note) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers; what is too long or broken is remarked upon."""
    number = 0
    try:
        with contextlib.ExitStack() as stack:
            opened = gzip.open if file.suffix == ".gz" else open
            stream = stack.enter_context(opened(file, "rb"))
            for number, line in enumerate(_pieces(cast("BinaryIO", stream)), 1):
                if len(line) > LONGEST_ROW:
                    note(_remark(file, number, f"longer than {LONGEST_ROW:,} bytes", line))
                elif line.strip():
                    yield number, line
    except (OSError, EOFError, zlib.error) as error:
        note(_remark(file, number or None, f"cannot be read further: {error}", b""))


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    """Lines, of which those beyond the limit are cut: their rest is read and forgotten."""
    while line := stream.readline(LONGEST_ROW + 1):
        yield line
        while len(line) > LONGEST_ROW and not line.endswith(b"\n"):
            line = stream.readline(LONGEST_ROW + 1)


def _remark(file: Path, row: int | None, reason: str, line: bytes) -> Remark:
    return Remark(str(file), row, None, reason, line[:200].decode("utf-8", errors="replace"))

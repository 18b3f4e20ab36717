"""The text of a PDF: its pages in order, the lines of a paragraph joined again.

A PDF knows where characters stand on a page and nothing of paragraphs. A line that is as wide as
most wide lines, and does not end with the end of a sentence, goes on in the next; what looks like
the number of a page is left out. Pages without text, such as scans, are named: nothing was read
there, which is not the same as nothing to find.
"""

from __future__ import annotations

import atexit
import re
import struct
import subprocess
import sys
import threading
import time
import unicodedata
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Final, cast

import msgspec

from hengfa.base.data.archives import LARGEST, Refused
from hengfa.base.data.jsonfile import json_decoder
from hengfa.base.errors import MissingExtra
from hengfa.law.library.words import Note

MOST_PAGES: Final = 10_000
MOST_CHARACTERS: Final = LARGEST // 4
LONGEST: Final = 120.0
"""Seconds that a document may take."""
# "12", "- 3 -", "— 4 —", "第 5 页", "第 5 页 共 9 页", "5/9"; not "第五条", "2021年"
_PAGE_NUMBER: Final = re.compile(
    r"\s*(?:[-—–－]\s*)?(?:第\s*)?\d{1,4}\s*(?:页)?(?:[\s/，,共]*\d{1,4}\s*页?)?\s*(?:[-—–－]\s*)?"
)
_NUMBERED: Final = 24
"""Longer no line is that only numbers a page."""
_SENTENCE_ENDS: Final = frozenset("。！？：；!?:;")
_NO_TEXT: Final = str.maketrans("", "", "\x00\x02\ufffe\ufeff")
"""Marks of PDFium for hyphens that it took out, and what no text has."""
_SLACK: Final = 4
"""A line may be two characters shorter than others and still be full."""
_MOST_NAMED: Final = 12


def pdf_text(content: bytes) -> tuple[str, tuple[str, ...]]:
    """The text of a document, and what a reader should know of how it was read."""
    if find_spec("pypdfium2") is None:
        raise MissingExtra("desk", "reading a PDF")
    pages = _READER.pages(content)
    empty = [number for number, page in enumerate(pages, 1) if not page.strip()]
    if len(empty) == len(pages):
        raise Refused(f"none of its {len(pages)} pages has text: a scan needs OCR first")
    lines = [
        line.rstrip()
        for page in pages
        for line in page.translate(_NO_TEXT).splitlines()
        if line.strip() and not (len(line) < _NUMBERED and _PAGE_NUMBER.fullmatch(line))
    ]
    if not empty:
        return _join(lines), ()
    named = ", ".join(map(str, empty[:_MOST_NAMED])) + (", …" if len(empty) > _MOST_NAMED else "")
    return _join(lines), (Note("pages without text", n=len(empty), of=len(pages), pages=named),)


class _Answer(msgspec.Struct, frozen=True):
    pages: list[str]
    refused: str


class _Reader:
    """The process that reads PDFs, one at a time; started for the first, and anew if it died.

    PDFium is written in C++ and made for one thread, and nothing that it does can be stopped: a
    page can be made to take hours and gigabytes. So it works elsewhere (`pdf_pages`).
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def pages(self, content: bytes) -> list[str]:
        with self._turn:
            if self._process is not None and self._process.poll() is not None:
                self._end()
            process = self._process or self._start()
            until = time.monotonic() + LONGEST
            clock = threading.Timer(LONGEST, process.kill)
            clock.start()
            try:
                reply = _exchange(process, content)
            finally:
                clock.cancel()
            if reply is None:
                self._end()
                late = time.monotonic() >= until
                why = f"takes over {LONGEST:.0f} seconds" if late else "is damaged or huge"
                raise Refused(f"it {why}")
        answer = _decode(reply)
        if answer.refused:
            raise Refused(answer.refused)
        return answer.pages

    def _start(self) -> subprocess.Popen[bytes]:
        limits = str(MOST_PAGES), str(MOST_CHARACTERS)
        script = str(Path(__file__).with_name("pdf_pages.py"))
        self._process = subprocess.Popen(  # noqa: S603 - no word of it comes from outside
            [sys.executable, "-P", script, *limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        atexit.register(self._end)
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()
        atexit.unregister(self._end)


def _exchange(process: subprocess.Popen[bytes], content: bytes) -> bytes | None:
    """The answer to a file; None if the process is gone."""
    given, taken = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
    try:
        given.write(struct.pack(">Q", len(content)) + content)
        given.flush()
        head = taken.read(8)
        reply = taken.read(struct.unpack(">Q", head)[0]) if len(head) == 8 else b""
    except OSError:
        return None
    return reply or None


_decode: Final = json_decoder(_Answer)
_READER: Final = _Reader()


def _join(lines: Sequence[str]) -> str:
    """The lines of a paragraph as one."""
    widths = sorted(map(_width, lines))
    full = widths[len(widths) * 9 // 10] - _SLACK if widths else 0
    pieces: list[str] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        pieces.append(line)
        ended = _width(line) < full or line[-1] in _SENTENCE_ENDS
        if ended or following[:1].isspace():
            pieces.append("\n")
        elif line[-1].isascii() and following[:1].isascii():
            pieces.append(" ")
    return "".join(pieces).strip("\n ")


def _width(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)

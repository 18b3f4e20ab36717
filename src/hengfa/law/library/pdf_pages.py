"""A process that reads PDFs for another and nothing else, so that a hostile one harms no more.

Run as a script, with the most pages and the most characters of a document as its arguments. A file
comes in on standard input after its length, in eight bytes; an answer goes out likewise, as JSON:
the text of each page, or why there is none. It ends with its input, and takes no more memory than
a limit: whoever waits for the answer then finds nothing.
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator
from contextlib import closing, suppress

MEMORY = 1 << 30


def main() -> None:
    with suppress(ImportError, ValueError, OSError):  # Windows; a limit that is lower already
        import resource  # noqa: PLC0415

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    most_pages, most_characters = map(int, sys.argv[1:])
    while len(head := sys.stdin.buffer.read(8)) == 8:
        content = sys.stdin.buffer.read(struct.unpack(">Q", head)[0])
        answer: dict[str, object] = {"pages": [], "refused": ""}
        try:
            answer["pages"] = list(_pages(content, most_pages, most_characters))
        except (ValueError, MemoryError) as error:
            answer["refused"] = str(error) or "it needs too much memory"
        reply = json.dumps(answer).encode()
        sys.stdout.buffer.write(struct.pack(">Q", len(reply)) + reply)
        sys.stdout.buffer.flush()


def _pages(content: bytes, most_pages: int, most_characters: int) -> Iterator[str]:
    import pypdfium2 as pdfium  # noqa: PLC0415 - an extra

    try:
        with closing(pdfium.PdfDocument(content)) as document:
            if len(document) > most_pages:
                raise ValueError(f"it has more than {most_pages:,} pages")
            for number in range(len(document)):
                with closing(document[number]) as page, closing(page.get_textpage()) as textpage:
                    most_characters -= textpage.count_chars()
                    if most_characters < 0:
                        raise ValueError(f"it holds too much text (page {number + 1})")
                    yield textpage.get_text_range()
    except pdfium.PdfiumError as error:
        locked = "password" in str(error).lower()
        raise ValueError("it is protected by a password" if locked else str(error)) from error


if __name__ == "__main__":
    main()

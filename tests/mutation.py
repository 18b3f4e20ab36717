"""Files made wrong: cut, bent, swapped, or with a value in them that nobody expects.

A mutant is made of a real input by one to three changes. The same seed makes the same mutants, so
a failing one can be made again from its number.
"""

from __future__ import annotations

import io
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from typing import Final

_VALUE: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null')
_ODD_VALUES: Final = (
    *(b"null", b"true", b"0", b"-1", b"1e999", b"NaN", b"-0.0", b"1" * 400, b'""', b"[]", b"{}"),
    *(b'"\\ud800"', b'"\\u0000"', b'"\\u202e\\u001b[2J"', b'"../../etc/passwd"', b"[[[[[]]]]]"),
    *(b'"\xff"', b'{"a":1,"a":2}', b'"=1+1"', b'"<script>"', b'"1-1"', b'"2021-02-30"'),
    *(b"[" * 3_000, b'{"a":' * 3_000, b'"' + b"a" * 20_000 + b'"'),
)
_ODD_BYTES: Final = (
    *(b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\n\n", b"\t", b",", b'"'),
    *(b"\x1a", b"\x1f\x8b", b"PK\x03\x04", b"\xe2\x80\xa8", b"\xf4\x90\x80\x80", b" " * 500),
)

Change = Callable[[bytes, random.Random], bytes]


def _span(content: bytes, rng: random.Random, most: int = 200) -> tuple[int, int]:
    start = rng.randrange(len(content) + 1)
    return start, min(len(content), start + rng.randint(1, most))


def _cut_tail(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _cut_head(content: bytes, rng: random.Random) -> bytes:
    return content[rng.randrange(len(content) + 1) :]


def _drop(content: bytes, rng: random.Random) -> bytes:
    start, end = _span(content, rng)
    return content[:start] + content[end:]


def _repeat(content: bytes, rng: random.Random) -> bytes:
    start, end = _span(content, rng)
    return content[:end] + content[start:end] * rng.randint(1, 3) + content[end:]


def _bend(content: bytes, rng: random.Random) -> bytes:
    bent = bytearray(content)
    for _ in range(rng.randint(1, 8) if bent else 0):
        bent[rng.randrange(len(bent))] = rng.randrange(256)
    return bytes(bent)


def _insert(content: bytes, rng: random.Random) -> bytes:
    place = rng.choice((0, len(content), rng.randrange(len(content) + 1)))
    return content[:place] + rng.choice(_ODD_BYTES) + content[place:]


def _lines(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    match rng.randrange(4):
        case 0:
            rng.shuffle(lines)
        case 1:
            lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
        case 2:
            del lines[rng.randrange(len(lines))]
        case _:
            return rng.choice((b"\r", b"", b"\r\n", b",")).join(lines)
    return b"\n".join(lines)


def _value(content: bytes, rng: random.Random) -> bytes:
    """One value or key of JSON, or one number of any other text."""
    values = [match.span() for match in _VALUE.finditer(content)]
    if not values:
        return _bend(content, rng)
    start, end = rng.choice(values)
    other = rng.choice((*_ODD_VALUES, content[slice(*rng.choice(values))]))
    return content[:start] + other + content[end:]


def _other_encoding(content: bytes, rng: random.Random) -> bytes:
    text = content.decode("utf-8", "replace")
    return text.encode(rng.choice(("utf-16", "gb18030", "utf-32", "big5")), "replace")


def _whole(_content: bytes, rng: random.Random) -> bytes:
    return rng.choice((b"", b"\n", b"null", b"[]", b"{}", b"[" * 100_000, rng.randbytes(500)))


_CHANGES: Final[tuple[Change, ...]] = (
    *(_value,) * 12,
    *(_cut_tail, _cut_head, _drop, _repeat, _bend, _insert, _lines, _other_encoding, _whole),
)


def mutant(content: bytes, rng: random.Random) -> bytes:
    """The content with one to three changes; inside a member, where it is a zip archive."""
    if content.startswith(b"PK\x03\x04") and rng.random() < 0.7:
        return _inside(content, rng)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        content = rng.choice(_CHANGES)(content, rng)
    return content


def _inside(archive: bytes, rng: random.Random) -> bytes:
    with zipfile.ZipFile(io.BytesIO(archive)) as old:
        members = {name: old.read(name) for name in old.namelist()}
    name = rng.choice(sorted(members))
    content = mutant(members.pop(name), rng)
    members[rng.choice((name, name, name, "../evil", "/evil", name.upper(), " "))] = content
    packed = io.BytesIO()
    methods = (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    with zipfile.ZipFile(packed, "w", rng.choice(methods)) as new:
        for place, member in members.items():
            new.writestr(place, member)
    return packed.getvalue()


def mutants(content: bytes, seed: str, times: int) -> Iterator[bytes]:
    """So many mutants, the same ones for the same seed."""
    rng = random.Random(seed)
    return (mutant(content, rng) for _ in range(times))

"""What is known about characters: meaning (Cilin), look-alikes (confusion sets), sound (pinyin).

Replacing a character by a related one is a cheaper edit than by any other, so these tables decide
how two sentences are aligned (lawbench.md 3.3). Two come with LawBench's own files and are read
where the user has them; sounds come from pypinyin. The tables are arrays, in the form that the
alignment reads.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hengfa.base.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CILIN_FILE, CONFUSION_FILE = "cilin.txt", "confusion_dict.txt"

# The characters that can sound or look alike: the basic block of Han.
HAN_FIRST, HAN_LAST = 0x4E00, 0x9FFF
HAN_COUNT = HAN_LAST - HAN_FIRST + 1
_HAN = range(HAN_FIRST, HAN_LAST + 1)
_NOT_HAN = re.compile(f"[^{chr(HAN_FIRST)}-{chr(HAN_LAST)}]+")

# One integer per code point: the Cilin code in three bytes (letter, letter, number; 0: none), and
# whether the character is a punctuation mark.
PUNCTUATION_BIT = 1 << 24
CODE_MASK = PUNCTUATION_BIT - 1
_CODE_POINTS = 0x110000

# The marks of 3.3: replacing one by another costs less, a mark by something else costs more. A
# fact, not style: the list lacks 。 and 《, repeats some marks, and differs from that of 3.5.
COST_PUNCTUATION = frozenset(
    "！？｡＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿"
    "–—‘'‛“”„‟…‧﹏"
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
)

# Aa01A01= matches as A, a, 01; A01 and AA01 do not.
_CODE = re.compile(r"([A-Z])([a-z])([0-9]{2})")


class Tables(NamedTuple):
    """Features by code point, the rest by the number of a Han; one more for what is no Han.

    A reading is a bit of ``sounds``; the confusions of number h are from at[h] to at[h + 1].
    """

    features: NDArray[np.int32]
    sounds: NDArray[np.uint64]
    confusions: NDArray[np.uint16]
    confusions_at: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Similarity:
    """Which characters are related; ``name`` identifies the data it was built from."""

    tables: Tables
    name: str

    @classmethod
    def read(cls, folder: Path) -> Similarity:
        """From ``cilin.txt`` and ``confusion_dict.txt``; read again only when they change."""
        stamps = []
        for name in (CILIN_FILE, CONFUSION_FILE):
            try:
                stamps.append((folder / name).stat().st_mtime_ns)
            except OSError as error:
                raise _unreadable(folder / name, error) from error
        return _read(folder.resolve(), *stamps)

    @classmethod
    def none(cls) -> Similarity:
        """Without the two files: characters are related by sound only."""
        return _without_files()


def instrument(similarity: Similarity) -> str:
    """What a record must name for its proofreading scores to be comparable."""
    return f"opencc-{version('opencc')}/pypinyin-{version('pypinyin')}/similarity-{similarity.name}"


@lru_cache(maxsize=4)
def _read(folder: Path, *_stamps: int) -> Similarity:
    digest = hashlib.sha256()
    lines = []
    for name, encoding in ((CILIN_FILE, "gb18030"), (CONFUSION_FILE, "utf-8")):
        file = folder / name
        try:
            data = file.read_bytes()
        except OSError as error:
            raise _unreadable(file, error) from error
        digest.update(hashlib.sha256(data).digest())
        lines.append(_decode(data, encoding, file))
    codes = _cilin_codes(lines[0], folder / CILIN_FILE)
    confusions = _confusion_sets(lines[1], folder / CONFUSION_FILE)
    return Similarity(_tables(codes, confusions), digest.hexdigest()[:12])


def _unreadable(file: Path, error: OSError) -> DataError:
    return DataError(f"cannot be read: {error.strerror}", file=file)


@cache
def _without_files() -> Similarity:
    return Similarity(_tables({}, {}), "none")


def _decode(data: bytes, encoding: str, file: Path) -> list[str]:
    # A line feed is never part of a longer character in either encoding.
    rows = data.split(b"\n")
    lines = []
    for row, line in enumerate(rows, 1):
        try:
            lines.append(line.decode(encoding))
        except UnicodeDecodeError as error:
            raise DataError(f"is not {encoding.upper()} text", file=file, row=row) from error
    return lines


def _cilin_codes(lines: Iterable[str], file: Path) -> dict[str, int]:
    """The code of each character that Cilin lists as a word: the last line that lists it."""
    codes: dict[str, int] = {}
    for row, line in enumerate(lines, 1):
        words = line.split()
        if not words:
            continue
        match = _CODE.match(words[0])
        if match is None:
            raise DataError(f"{words[0][:20]!r} is not a Cilin code", file=file, row=row)
        code = ord(match[1]) << 16 | ord(match[2]) << 8 | int(match[3])
        codes.update(dict.fromkeys((word for word in words[1:] if len(word) == 1), code))
    if not codes:
        raise DataError("lists no word of one character", file=file)
    return codes


def _confusion_sets(lines: Iterable[str], file: Path) -> dict[str, str]:
    """The characters each character is mistaken for; the last line of a character counts."""
    confusions = {}
    for row, line in enumerate(lines, 1):
        characters = line.split()
        if not characters:
            continue
        if len(characters[0]) != 1:
            problem = f"should begin with one character, not with {characters[0][:20]!r}"
            raise DataError(problem, file=file, row=row)
        confusions[characters[0]] = "".join(characters[1:])
    if not confusions:
        raise DataError("lists no character", file=file)
    return confusions


def _tables(codes: dict[str, int], confusions: dict[str, str]) -> Tables:
    import numpy as np  # noqa: PLC0415 - start-up stays light

    features = np.zeros(_CODE_POINTS, np.int32)
    for character, code in codes.items():
        features[ord(character)] = code
    for mark in COST_PUNCTUATION:
        features[ord(mark)] |= PUNCTUATION_BIT
    readings = toneless_readings()
    numbers = {reading: number for number, reading in enumerate(sorted(set().union(*readings)))}
    sounds = np.zeros((HAN_COUNT + 1, -(-len(numbers) // 64) * 64), np.bool_)
    for han, each in enumerate(readings):
        sounds[han, [numbers[reading] for reading in each]] = True
    alike = [_NOT_HAN.sub("", "".join(sorted(set(confusions.get(chr(h), ""))))) for h in _HAN]
    return Tables(
        features,
        np.packbits(sounds, axis=1).view(np.uint64),
        np.frombuffer("".join(alike).encode("utf-16-le"), np.uint16),
        np.cumsum([0, *map(len, alike), 0], dtype=np.int32),
    )


@cache
def toneless_readings() -> list[set[str]]:
    """All readings of each Han of the block, without tone.

    From pypinyin's table of characters rather than through ``pypinyin.pinyin``, which gives the
    same and takes several times as long.
    """
    from pypinyin.constants import PINYIN_DICT  # noqa: PLC0415 - slow to load
    from pypinyin.contrib.tone_convert import to_normal  # noqa: PLC0415

    table: dict[int, str] = PINYIN_DICT
    toneless = cache(to_normal)
    return [set(map(toneless, table[han].split(","))) if han in table else set() for han in _HAN]

"""Upstream's `data/test.json`, which is JSON lines, to samples (judgment spec 1)."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from hengfa.data.jsonfile import read_lines
from hengfa.data.paths import disk_errors
from hengfa.errors import DataError, UsageError
from hengfa.suites.base import Chosen
from hengfa.suites.judgment.options import (
    BERTSCORE,
    CASES,
    HEAD,
    OPTIONS,
    PROVISIONS,
    RELATED,
    VERSION,
)

DIRECT, FEW_SHOT, RAG = SETTINGS = ("direct", "few-shot", "rag")
"""How a judgment is asked for: the facts alone, with an example, with statutes and cases."""

FILE: Final = Path("data", "test.json")


class AskedWith(msgspec.Struct, frozen=True):
    """From where and how much a prompt takes besides the facts."""

    root: str
    cases: str
    provisions: int
    related: int


class JudgmentSample(msgspec.Struct, frozen=True):
    """One case: `fact` is asked with, `document` is the court's judgment.

    `articles` are the labels of the data: every article of the Criminal Law that the document cites
    anywhere. The published evaluator does not use them; it reads its own out of the document.
    `asked_with` says what a prompt with examples or provisions is made of.
    """

    id: str
    fact: str
    document: str
    articles: tuple[int, ...]
    method: str = DIRECT
    version: str = HEAD
    bertscore: str = ""
    asked_with: AskedWith | None = None


class _Row(msgspec.Struct, frozen=True):
    text_id: str
    text: str
    la: list[int]
    fd: str


def load(root: Path, setting: str, options: Chosen) -> list[JudgmentSample]:
    """All cases in the order of the file."""
    if setting not in SETTINGS:
        raise UsageError(f"judgment has no setting {setting!r}; there is: {', '.join(SETTINGS)}")
    chosen = {
        "method": setting,
        "version": options.get(VERSION, HEAD),
        "bertscore": options.get(BERTSCORE, ""),
        "asked_with": AskedWith(
            str(root),
            options.get(CASES, ""),
            *(int(options.get(name, OPTIONS[name].default)) for name in (PROVISIONS, RELATED)),
        ),
    }
    return [msgspec.structs.replace(sample, **chosen) for sample in all_samples(root)]


def all_samples(root: Path) -> tuple[JudgmentSample, ...]:
    """Every case; an unchanged file is read once."""
    file = root / FILE
    with disk_errors(file):
        return _read(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _read(file: Path, _changed: int) -> tuple[JudgmentSample, ...]:
    samples: dict[str, JudgmentSample] = {}
    for number, row in read_lines(file, _Row):
        for field in ("text_id", "text", "fd"):
            if not getattr(row, field).strip():
                raise DataError("is blank", file=file, row=number, field=field)
        if row.text_id in samples:
            problem = f"the id {row.text_id} is there twice"
            raise DataError(problem, file=file, row=number, field="text_id")
        samples[row.text_id] = JudgmentSample(row.text_id, row.text, row.fd, tuple(row.la))
    if not samples:
        raise DataError("there is no case in this file", file=file)
    return tuple(samples.values())

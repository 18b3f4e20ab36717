"""Reads the rows of a fine-tuning: JSON lines with `prompt` or `messages`, and `target`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from hengfa.data.jsonfile import read_lines
from hengfa.errors import DataError
from hengfa.tuning.rows import TargetRow


class _Message(msgspec.Struct):
    role: str
    content: str


class _Row(msgspec.Struct):
    target: str
    prompt: str | None = None
    messages: list[_Message] | None = None


def read_targets(files: Iterable[Path]) -> list[TargetRow]:
    """All rows; one with neither a prompt nor messages, or with both, is an error."""
    rows = []
    for file in files:
        for number, row in read_lines(file, _Row):
            if (row.prompt is None) == (row.messages is None):
                raise DataError("give either 'prompt' or 'messages'", file=file, row=number)
            if not row.target.strip():
                raise DataError("nothing to learn", file=file, row=number, field="target")
            messages = tuple((one.role, one.content) for one in row.messages or ())
            rows.append(TargetRow(row.target, row.prompt or "", messages))
    return rows

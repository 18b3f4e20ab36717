"""Files of predictions read with every doubt said: damaged, no JSON, ids missing or twice."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from hengfa.data.paths import disk_errors
from hengfa.errors import DataError


def read_rows(file: Path) -> dict[str, Any]:
    """An object keyed "0", "1", …; a key that comes twice is an error.

    Read with Python's own reader: others keep the last of two equal keys without a word, and refuse
    half a surrogate pair, which Python writes.
    """

    def once(found: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(found)
        if len(values) < len(found):
            twice = next(key for key, times in Counter(k for k, _ in found).items() if times > 1)
            raise DataError(f"the key {twice!r} is there twice", file=file)
        return values

    with disk_errors(file):
        content = file.read_bytes()
    try:
        rows = json.loads(content, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise DataError(f"not readable as JSON: {error}", file=file) from error
    if not isinstance(rows, dict) or not rows:
        raise DataError('expected an object keyed "0", "1", …', file=file)
    return rows

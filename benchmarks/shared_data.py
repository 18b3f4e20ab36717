"""Where benchmarks find real data: in HENGFA_SHARED or next to the checkout, as the tests do."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def shared_folder() -> Path:
    """The folder that holds `data` and `reference`; where it is absent, the end with status 2."""
    named = os.environ.get("HENGFA_SHARED")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "data").is_dir():
        print(
            f"no shared data: {folder / 'data'} is not a folder; set HENGFA_SHARED or put it next"
            " to the checkout",
            file=sys.stderr,
        )
        sys.exit(2)
    return folder.resolve()

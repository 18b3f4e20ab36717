"""The folder on this machine where Hengfa keeps what it installs."""

from __future__ import annotations

import os
from pathlib import Path


def home() -> Path:
    """`HENGFA_HOME` where it is set, else `~/.hengfa`; asked anew each time, never cached."""
    named = os.environ.get("HENGFA_HOME", "").strip()
    return Path(named).expanduser().absolute() if named else Path.home() / ".hengfa"


def packs_folder() -> Path:
    """Every installed pack is one folder in here."""
    return home() / "packs"

"""Where Hengfa keeps what it installs, and paths that stay inside the folder they belong to.

A catalogue is ours and a receipt was written by us, but both are files that can be edited or
handed around, so no path of theirs is joined to a folder before it went through here.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import TypeAlias

from hengfa.base.errors import DataError, UsageError

StrPath: TypeAlias = str | os.PathLike[str]
"""A file or a folder, as Python names it; where a run is named, also a `Run`."""

RECEIPT = "receipt.json"
"""The file that makes a folder a pack; no upstream file may take its name."""

PART = ".part"
"""The ending of a file that is still being downloaded; no upstream file may have it."""

_FULL = {errno.ENOSPC, errno.EDQUOT}

_NOT_PORTABLE = set('\\:*?"<>|')


def home() -> Path:
    """`HENGFA_HOME` where it is set, else `~/.hengfa`; asked anew each time, never cached."""
    named = os.environ.get("HENGFA_HOME", "").strip()
    return Path(named).expanduser().absolute() if named else Path.home() / ".hengfa"


def packs_folder() -> Path:
    return home() / "packs"


def path_problem(path: str) -> str | None:
    """Why this cannot be the path of a file in a pack; None when it can.

    >>> path_problem("data/zero_shot/1-1.json")
    >>> path_problem("../../.bashrc")
    "has a part '..'"
    """
    for part in path.split("/"):
        if part in {"", ".", ".."}:
            return f"has a part {part!r}"
    if any(sign in _NOT_PORTABLE or not sign.isprintable() for sign in path):
        return "has a character that file names cannot have everywhere"
    if path.lower() == RECEIPT:
        return f"is the name of the pack's own {RECEIPT}"
    if path.endswith(PART):
        return f"ends in {PART}, as unfinished downloads do"
    return None


def inside(root: Path, path: str) -> Path:
    """The place of a pack's file below its root; a path that leaves the root is refused."""
    problem = path_problem(path)
    if problem:
        raise DataError(f"not a path inside a pack: it {problem}", file=path)
    return root.joinpath(*path.split("/"))


def regular(path: Path) -> Path:
    """The same path; refused where a pipe or a device is behind it, which may give nothing or
    never end."""
    with suppress(OSError, ValueError):  # it is not there, or can be no name
        mode = path.stat().st_mode
        if not S_ISREG(mode) and not S_ISDIR(mode):
            raise UsageError(f"{path} is a pipe or a device: name a file that holds what it gives")
    return path


@contextmanager
def disk_errors(file: Path) -> Iterator[None]:
    """Turn what the operating system says about a file into an error that says what to do."""
    regular(file)
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            problem = "no space left on this disk: free some"
            if file.absolute().is_relative_to(home()):
                problem += ", or set HENGFA_HOME to a larger one"
        else:
            problem = error.strerror or str(error)
        raise DataError(problem, file=error.filename or file) from error

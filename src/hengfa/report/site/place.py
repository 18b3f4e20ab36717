"""Where a site goes: it is written beside its place and moved there when it is whole."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hengfa.data.paths import disk_errors
from hengfa.errors import UsageError

MARK = "data/site.js"
"""The file by which we know a site of ours."""


@contextmanager
def whole_or_nothing(target: Path) -> Iterator[Path]:
    """A folder to write a site into, which then takes the place of `target`.

    An older site of ours is replaced; a folder with anything else in it is not touched.
    """
    _check(target)
    parent = target.absolute().parent
    with disk_errors(target):
        parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".hengfa-site-", dir=parent) as temporary:
            new, old = Path(temporary, "new"), Path(temporary, "old")
            new.mkdir(mode=0o755)
            yield new
            _check(target)
            if target.exists():
                target.rename(old)
            new.rename(target)
            if old.exists():
                shutil.rmtree(old)


def _check(target: Path) -> None:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError(f"{target} is not a folder; choose another place for the site")
    if target.is_dir() and any(target.iterdir()) and not (target / MARK).is_file():
        raise UsageError(
            f"{target} has files in it that are no site of ours; choose another folder, or empty it"
        )

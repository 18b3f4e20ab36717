"""Take the files of a pack out of an archive of its repository: the pinned ones and no others.

An archive says where its members would like to lie. Nothing here listens to that: a member whose
path is a pinned one, below the one folder that every repository's archive has, and whose size and
sum are the pinned ones, is written where the pack has this file. All others are passed over.
"""

from __future__ import annotations

import gzip
import hashlib
import tarfile
import zlib
from collections.abc import Iterable
from typing import BinaryIO

from hengfa.data.partfile import PartFile
from hengfa.data.sums import FileSum
from hengfa.data.watch import Watch
from hengfa.errors import DataError

DAMAGED = (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, UnicodeError)


def unpack(stream: BinaryIO, label: str, wanted: Iterable[PartFile], watch: Watch) -> set[str]:
    """Bring what the archive has of the wanted files to its place; the paths that it lacks."""
    missing = {part.pinned.path: part for part in wanted}
    try:
        # read from front to back, and no further than the last file that is wanted
        with tarfile.open(fileobj=stream, mode="r|gz") as archive:
            for member in archive:
                path = member.name.partition("/")[2]
                part = missing.get(path)
                if part is not None and _take(archive, member, part):
                    watch(path, part.pinned.size)
                    del missing[path]
                if not missing:
                    break
    except DAMAGED as error:
        raise DataError(
            f"this archive cannot be read ({error}): the same command fetches it again", file=label
        ) from error
    return set(missing)


def _take(archive: tarfile.TarFile, member: tarfile.TarInfo, part: PartFile) -> bool:
    if not member.isreg() or member.size != part.pinned.size:
        return False
    content = archive.extractfile(member)
    if content is None:  # pragma: no cover - a regular member has contents
        return False
    body = content.read()
    if FileSum(part.pinned.path, len(body), hashlib.sha256(body).hexdigest()) != part.pinned:
        return False
    with part.opened():
        part.restart()
        part.append(body)
        part.finish()
    return True

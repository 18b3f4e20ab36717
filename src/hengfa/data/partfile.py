"""A file that is being downloaded: it bears its name only when it is whole and right.

The bytes that have arrived lie in `NAME.part`, so that an interrupted download can go on. Nothing
here knows where they come from.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from hengfa.data.paths import PART, disk_errors
from hengfa.data.sums import FileSum, sha256_of


class TooLongError(Exception):
    """More bytes came than the pinned file has; the part is gone."""


class PartFile:
    """The unfinished copy of one pinned file. Use `opened` around everything that writes."""

    def __init__(self, target: Path, pinned: FileSum) -> None:
        self.target = target
        self.pinned = pinned
        self.path = target.with_name(target.name + PART)
        self.have = 0
        self._stream: BinaryIO | None = None

    @contextlib.contextmanager
    def opened(self) -> Iterator[PartFile]:
        """Go on with what is there; a part that is already too long starts from nothing."""
        with disk_errors(self.path):
            self.target.parent.mkdir(parents=True, exist_ok=True)
            self._stream = self.path.open("ab")
            self.have = self._stream.tell()
        try:
            if self.have > self.pinned.size:
                self.restart()
            yield self
        finally:
            self._close()

    @property
    def whole(self) -> bool:
        """As many bytes as the pinned file."""
        return self.have == self.pinned.size

    def append(self, block: bytes) -> None:
        """Keep these bytes, unless they are more than the file can have."""
        if self.have + len(block) > self.pinned.size:
            self.delete()
            raise TooLongError
        with disk_errors(self.path):
            stream = self._open_stream()
            stream.write(block)
            stream.flush()
        self.have += len(block)

    def restart(self) -> None:
        """Throw away what is there and begin anew."""
        with disk_errors(self.path):
            self._open_stream().truncate(0)
        self.have = 0

    def delete(self) -> None:
        """Leave nothing behind."""
        self._close()
        with disk_errors(self.path):
            self.path.unlink(missing_ok=True)
        self.have = 0

    def sha256(self) -> str:
        """The sum of the bytes as they lie on the disk."""
        return sha256_of(self.path)

    def finish(self) -> None:
        """Give the file its name; the caller has compared the sum."""
        self._close()
        with disk_errors(self.path):
            self.path.replace(self.target)

    def _open_stream(self) -> BinaryIO:
        if self._stream is None:
            self._stream = self.path.open("ab")
        return self._stream

    def _close(self) -> None:
        if self._stream is not None:
            stream, self._stream = self._stream, None
            # everything was flushed when it was appended
            with contextlib.suppress(OSError):
                stream.close()

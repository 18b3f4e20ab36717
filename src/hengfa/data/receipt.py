"""The note that makes a folder a pack: what was installed, from where, and with which sums.

It is written last. A folder without it is never taken for a pack, however many files it holds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from hengfa.data.catalogue import Commit, Entry, Name, Repository
from hengfa.data.jsonfile import read_json, write_atomically
from hengfa.data.paths import RECEIPT
from hengfa.data.sums import FileSum
from hengfa.errors import DataError

How = Literal["pull", "add"]


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """What was installed. Unknown fields are ignored: a later version may have written them."""

    name: Name
    repository: Repository | None
    commit: Commit | None
    licence: str
    how: How
    source: str
    """The address or the folder that the files came from."""
    installed: str
    """When, in UTC."""
    verified: bool
    """Every pinned file is there and has the pinned sum."""
    files: tuple[FileSum, ...]


def read_receipt(root: Path) -> Receipt | None:
    """The receipt of an installed pack; None where nothing is installed."""
    file = root / RECEIPT
    if not file.is_file():
        return None
    receipt = read_json(file, Receipt)
    if receipt.name != root.name:
        raise DataError(f"it belongs to the pack {receipt.name!r}", file=file, field="name")
    return receipt


def write_receipt(root: Path, receipt: Receipt) -> None:
    """Put the receipt into a folder whose files are all in place."""
    content = msgspec.json.format(msgspec.json.encode(receipt), indent=2)
    write_atomically(root / RECEIPT, content + b"\n")


def deviations(entry: Entry, files: tuple[FileSum, ...]) -> list[str]:
    """The pinned files that these files lack or have in another wording."""
    have = {file.path: file for file in files}
    return [pinned.path for pinned in entry.files if have.get(pinned.path) != pinned]

"""Where upstream data comes from, what it must hash to, and where it lies on this machine.

    catalogue    what is known upstream: repository, commit, licence, files and their sums
    packs        what is installed here, what it was made from, and whether it is still that
    install      install a pack from a local folder, and the last step of all installing
    pull         install a pack from its own home on the network
    pin          write the catalogue file of a new pack

Only light parts are imported here; `hengfa.base.data.pull` brings an HTTP client and is imported by
whoever pulls.
"""

from __future__ import annotations

from hengfa.base.data.catalogue import Entry, load_entry, pack_names
from hengfa.base.data.packs import Pack, find_pack, folder_pack

__all__ = [
    "Entry",
    "Pack",
    "find_pack",
    "folder_pack",
    "load_entry",
    "pack_names",
]

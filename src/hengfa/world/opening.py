"""Opens a world by what people call it: `recovered`, a file, or the address of a service."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Final

from hengfa.base.data.packs import Pack, find_pack
from hengfa.base.data.paths import home
from hengfa.base.secrets import read_key
from hengfa.law.library.store import default_file
from hengfa.world.generator.law import library_law
from hengfa.world.published.recovered import write_recovered
from hengfa.world.tables.remote import RemoteWorld
from hengfa.world.tables.world import FORMAT, RECOVERED, World

PACK: Final = "legalagentbench"
WORLD_FILE: Final = "world.sqlite"  # the world that a folder of tasks or matters brings
ADDRESSES: Final = ("http://", "https://")
KEY: Final = "HENGFA_WORLD_KEY"  # the variable that holds the key of a remote world


def open_world(name: str = RECOVERED) -> World | RemoteWorld:
    """The world of this name, file or address."""
    if name.startswith(ADDRESSES):
        return RemoteWorld(name, key=read_key(KEY))
    return open_local(name)


def open_local(name: str = RECOVERED) -> World:
    """The same for those who need the tables themselves."""
    return recovered_world() if name == RECOVERED else World.open(Path(name))


def recovered_world(pack: Pack | None = None) -> World:
    """The benchmark's own world as far as it is known; made on first use. It is made from the pack,
    and from the law library of this machine where there is one."""
    pack = pack or find_pack(PACK)
    with library_law() if default_file().is_file() else nullcontext() as law:
        known = f"-{law.library.meta['fingerprint']}" if law else ""
        file = home() / "worlds" / f"{RECOVERED}-{pack.fingerprint}{known}-{FORMAT}.sqlite"
        if not file.is_file():
            write_recovered(pack, file, law)
    return World.open(file)

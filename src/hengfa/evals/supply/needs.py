"""What can run with what is installed on this machine, and what brings the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from hengfa.base.data.catalogue import load_entry
from hengfa.base.data.packs import repair, status_of
from hengfa.base.hooks import offered
from hengfa.evals.suites.registry import get_suite, suite_names
from hengfa.law.library.opening import PACK as STATUTES
from hengfa.law.library.store import Library, default_file

_BUILD: Final = "hengfa law build"


class Need(msgspec.Struct, frozen=True):
    """Something a person may want to run, the pack that it needs, and how that stands."""

    what: str
    pack: str
    ready: bool
    says: str
    """What is there, or the command that brings it, with size and licence."""


def needs(packs: Sequence[str] = ()) -> list[Need]:
    """Every suite, and every command that reads a pack; with `packs`, what reads these."""
    suites = [(f"hengfa eval {name}", get_suite(name).pack) for name in suite_names()]
    return [
        _library(what) if pack == STATUTES else _pack(what, pack)
        for what, pack in (*suites, *offered("reads").items())
        if not packs or pack in packs
    ]


def _pack(what: str, pack: str) -> Need:
    entry = load_entry(pack)
    status = status_of(entry)
    if status.pack is not None:
        verified = "verified" if status.pack.verified else "NOT verified"
        return Need(what, pack, True, f"{pack} is installed, {verified}")
    return Need(what, pack, False, f"{pack} ({entry.about}): {repair(entry)}")


def _library(what: str) -> Need:
    """Whoever looks laws up needs the library that is built of the statutes."""
    if Library.is_kept_in(default_file()):
        return Need(what, STATUTES, True, f"the library is built, in {default_file()}")
    statutes = _pack(what, STATUTES)
    before = "" if statutes.ready else f"{statutes.says}; then "
    return Need(what, STATUTES, False, f"{before}run `{_BUILD}`")

"""From what people call a law to the law: full, short and old names, abbreviations, near misses."""

from __future__ import annotations

from typing import Final

from rapidfuzz import fuzz, process

from hengfa.errors import UsageError
from hengfa.law.law_names import abbreviations, normalise_name
from hengfa.library.model import Law
from hengfa.library.store import Library

_SHOWN: Final = 8
_CLOSE: Final = 60.0


def candidates(library: Library, name: str) -> tuple[Law, ...]:
    """All laws that a name can mean, () for none; a full name as it is written means one.

    >>> candidates(library, "民诉法"), candidates(library, "宪法修正案")   # doctest: +SKIP
    """
    shelf = library.shelf
    if exact := shelf.by_name.get(name.strip()):
        return (exact,)
    wanted = normalise_name(name)
    if found := shelf.names.get(wanted):
        # 宪法修正案 is what 宪法修正案（1988年） is called without its year, and a name of its own
        return tuple(law for law in found if law.short == wanted) or found
    meant = (normalise_name(full) for full in abbreviations.get(wanted, ()))
    laws = {law.name: law for full in meant for law in shelf.names.get(full, ())}
    return tuple(laws.values())


def find_law(library: Library, name: str) -> Law:
    """The law of this name; an error lists those it may mean, or those that are called alike."""
    found = candidates(library, name)
    if len(found) == 1:
        return found[0]
    if found:
        listed = "".join(f"\n  {law.name}" for law in found[:_SHOWN])
        more = f"\n  … and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise UsageError(f"{name!r} can mean several laws; name one of them:{listed}{more}")
    alike = suggestions(library, name)
    hint = f"did you mean {'、'.join(alike)}?" if alike else "`hengfa law stats` says what there is"
    if known := abbreviations.get(normalise_name(name)):
        hint = f"it stands for {'、'.join(known)}, which the library does not have; {hint}"
    raise UsageError(f"no law is called {name!r}; {hint}")


def suggestions(library: Library, name: str, limit: int = 3) -> tuple[str, ...]:
    """Short names of laws that look like this one, the closest first."""
    wanted = normalise_name(name)
    close = process.extract(
        wanted, library.shelf.names.keys(), scorer=fuzz.ratio, score_cutoff=_CLOSE, limit=limit
    )
    return tuple(dict.fromkeys(library.shelf.names[known][0].short for known, _, _ in close))

"""From what people call a law to the law: full, short and old names, abbreviations, near misses.

:func:`find_law` is for a person who asks, and can be asked back; :class:`Names` for a document that
is read, which cannot: what it means by a name is one law, or may be several.
"""

from __future__ import annotations

import re
from datetime import date
from functools import cached_property
from typing import Final, Literal, NamedTuple, TypeAlias

from rapidfuzz import fuzz, process
from rapidfuzz.distance import Levenshtein

from hengfa.base.errors import UsageError
from hengfa.law.grammar.law_names import (
    CUSTOMARY,
    STATE,
    abbreviations,
    document_number,
    normalise_name,
    shortest_name,
    without_courts,
)
from hengfa.law.library.model import LawEntry, Repeal
from hengfa.law.library.store import Library
from hengfa.law.library.versions import FoundVersion, in_force_on

_SHOWN: Final = 8
_CLOSE: Final = 60.0


def candidates(library: Library, name: str) -> tuple[LawEntry, ...]:
    """All laws that a name can mean, () for none; a full name as it is written means one.

    >>> candidates(library, "民诉法"), candidates(library, "宪法修正案")   # doctest: +SKIP
    """
    shelf = library.shelf
    if exact := shelf.by_name.get(name.strip()):
        return (exact,)
    if number := document_number(name):
        return shelf.numbers.get(number[0], ())
    wanted = normalise_name(name)
    if bearers := shelf.names.get(wanted):
        # 宪法修正案 is what 宪法修正案（1988年） is called without its year, and a name of its own
        return tuple(law for law in bearers if law.short == wanted) or bearers
    meant = (normalise_name(full) for full in abbreviations.get(wanted, ()))
    laws = {law.name: law for full in meant for law in shelf.names.get(full, ())}
    if laws:
        return tuple(laws.values())
    short = shortest_name(wanted)
    return shelf.names.get(without_courts(wanted)) or shelf.names.get(short or "", ())


def find_law(library: Library, name: str) -> LawEntry:
    """The law of this name; an error lists those it may mean, or those that are called alike."""
    meant = candidates(library, name)
    if len(meant) == 1:
        return meant[0]
    if meant:
        listed = "".join(f"\n  {law.name}" for law in meant[:_SHOWN])
        more = f"\n  … and {len(meant) - _SHOWN} more" if len(meant) > _SHOWN else ""
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


_NEAR: Final = 2
_LONG: Final = 12
"""Names shorter than this are never read as another: 民法 and 刑法 differ in one character."""
_HARMLESS: Final = frozenset("的关于和及与中之等对处理若干有")
"""Characters that a slip of the pen adds or leaves out. Others tell laws apart: 刑事 is not 民事,
关于执行…的解释 is not 关于适用…的解释, 解释（一） is not 解释（二）."""
# What spellings of one name differ in: "、" between two courts, small angle brackets
_ORNAMENTS: Final = str.maketrans("", "", "、，·﹤﹥〈〉《》")
# 企业破产法（试行）, 民法典; not 管理办法, 民法典解释, 刑法修正案
_STATUTE: Final = re.compile(r"(?<![办方做作])法典?(?:（[^（）]{1,12}）)?\Z")
How: TypeAlias = Literal["name", "near", "day", "words", "default", "several", "none"]
"""How the law was found: by its name; by a name that differs in a character; because of several
laws one was in force that day; by the words quoted, where no law is named; as the law that the
caller gave; or not: the name can mean several, or none that the library knows."""


class Resolved(NamedTuple):
    """The law that a name means; without one, those that it can mean or that are called alike."""

    law: LawEntry | None
    how: How
    candidates: tuple[str, ...] = ()


class Names:
    """The names of one library, as documents write them."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._resolved: dict[tuple[str, date], Resolved] = {}
        self._heard: dict[str, bool] = {}

    def knows(self, name: str) -> bool:
        """Whether a normalised name is that of a law here."""
        return name in self.library.shelf.names

    def resolve(self, name: str, on: date) -> Resolved:
        """The law that a document means by a name; a day may tell laws of one name apart."""
        key = name, on
        if key not in self._resolved:
            if len(self._resolved) > 10_000:
                self._resolved.clear()
            self._resolved[key] = self._resolve(name, on)
        return self._resolved[key]

    def heard_of(self, name: str) -> bool:
        """Whether a law of this name is known here at all, though the library may not have it.

        It is if the library has it, in whatever version; if a law that the library has repeals it,
        or names it in title marks; or if the table of common names has it (`law.law_names`). Only
        what is called 法 or 法典 is judged: of regulations, rules and interpretations there are too
        many for any library. What is not known here may exist elsewhere all the same.
        """
        if name not in self._heard:
            if len(self._heard) > 10_000:
                self._heard.clear()
            short, bare = normalise_name(name), _bare(name)
            self._heard[name] = (
                not _STATUTE.search(short)
                or short in CUSTOMARY
                or short in abbreviations
                or any(short in fulls for fulls in abbreviations.values())
                or bool(candidates(self.library, name))
                or bare in self._bare_names
                or bare in self._repeals
                or any(self.library.mentions(f"《{title}》") for title in (short, STATE + short))
            )
        return self._heard[name]

    def repealed(self, name: str, on: date) -> Repeal | None:
        """The repeal, up to a day, of a law that the library lacks; it says that it was one."""
        fulls = (name, *abbreviations.get(normalise_name(name), ()))
        struck = [repeal for full in fulls for repeal in self._repeals.get(_bare(full), ())]
        return next((repeal for repeal in struck if repeal.on and repeal.on <= on), None)

    @cached_property
    def _repeals(self) -> dict[str, list[Repeal]]:
        """Repeals as a whole of what the library lacks, by name."""
        struck: dict[str, list[Repeal]] = {}
        for name, repeals in self.library.shelf.repeals.items():
            if name not in self.library.shelf.by_name:
                for bare in {_bare(name), _bare(without_courts(name))}:
                    struck.setdefault(bare, []).extend(r for r in repeals if not r.scope)
        return struck

    def _resolve(self, name: str, on: date) -> Resolved:
        named = candidates(self.library, name)
        if document_number(name) is None:
            named = named or self._bare_names.get(_bare(name), ())
        elif not named:
            return Resolved(None, "none")
        laws = [law for law in named if self._can_mean(name, law, on)]
        read = ((law, in_force_on(self.library, law, on)) for law in laws)
        alive = [law for law, answer in read if isinstance(answer, FoundVersion)]
        if len(named) > 1 and len(alive) == 1:
            return Resolved(alive[0], "day", tuple(law.name for law in named))
        if len(laws) == 1:
            title = without_courts(normalise_name(name))
            misspelt = "关于" in title and _bare(title) not in self._bare_names
            return Resolved(laws[0], "near" if misspelt else "name")
        if named:
            return Resolved(None, "several" if laws else "none", tuple(law.name for law in named))
        if near := self._near(name):
            return Resolved(near, "near", (near.name,))
        return Resolved(None, "none", suggestions(self.library, name))

    def _can_mean(self, name: str, law: LawEntry, on: date) -> bool:
        """Whether a document of a day can mean the law by a short name or a number.

        A short name means what was there to be named: before 2013 盗窃解释 was another paper than
        it is since. A number is that of one paper, not of a later one under the same title.
        """
        shelf = self.library.shelf
        made = [occasion.promulgated for occasion in self.library.occasions(law)]
        if not made:
            return True
        if number := document_number(name):
            own = min(made, key=lambda day: abs(day.year - number[1]))
            repeals = shelf.repeals.get(law.name, ())
            ended = [r.before for r in repeals if not r.scope and r.on and r.on <= on]
            replaced = any(own < before <= day for before in ended for day in made)
            return abs(own.year - number[1]) <= 1 and not replaced
        full = normalise_name(law.name)
        return full.endswith(without_courts(normalise_name(name))) or min(made) <= on

    @cached_property
    def _bare_names(self) -> dict[str, tuple[LawEntry, ...]]:
        bare: dict[str, dict[str, LawEntry]] = {}
        for name, laws in self.library.shelf.names.items():
            bare.setdefault(_bare(name), {}).update((law.name, law) for law in laws)
        return {name: tuple(laws.values()) for name, laws in bare.items()}

    def _near(self, name: str) -> LawEntry | None:
        """The one law whose long name has a harmless character or two more or less."""
        wanted = _bare(name)
        if len(wanted) < _LONG:
            return None
        names = self._bare_names.keys()
        close = process.extract(
            wanted, names, scorer=Levenshtein.distance, score_cutoff=_NEAR, limit=5
        )
        laws: dict[str, LawEntry] = {}
        for known, _, _ in close:
            if not _tells_apart(wanted, known):
                laws.update((law.name, law) for law in self._bare_names[known])
        return next(iter(laws.values())) if len(laws) == 1 else None


def _bare(name: str) -> str:
    return normalise_name(name).translate(_ORNAMENTS)


def _tells_apart(one: str, other: str) -> bool:
    """Whether two names differ in more than a harmless character that one has and one has not."""
    for op in Levenshtein.opcodes(one, other):
        more = one[op.src_start : op.src_end] + other[op.dest_start : op.dest_end]
        if op.tag == "replace" or (op.tag != "equal" and not _HARMLESS.issuperset(more)):
            return True
    return False

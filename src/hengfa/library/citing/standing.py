"""Which version of a law a citation means, and whether it was in force on the day.

The version that a citation names (2012年修正, 法释〔2015〕24号, 原) comes before the day; a version
that the calendar knows but the library lacks stays unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final, NamedTuple

from hengfa.law.citation_model import VersionHint
from hengfa.library.citing.findings import Day, Problem, Told
from hengfa.library.model import Law, Occasion, Version
from hengfa.library.store import Library
from hengfa.library.versions import (
    Answer,
    Found,
    NoSuchVersion,
    NotYet,
    Repealed,
    Unknown,
    in_force_on,
    latest_by,
    promulgated_on,
    same_version,
)

_OLDER: Final = ("原", "旧", "修正前", "修订前", "修改前")
_TAKES_EFFECT: Final = frozenset({"施行", "实施", "生效", "试行"})


class Standing(NamedTuple):
    """What can be said of a law on a day.

    ``version`` is the text at hand that counts; ``promulgated`` the day of the version that counts,
    at hand or not. ``later`` is a version that was promulgated by then but not yet in force.
    ``several`` says that the citation can mean several versions, so that no day stands for it.
    """

    in_force: Told
    version: Version | None
    promulgated: date | None
    day: Day
    notes: tuple[str, ...] = ()
    later: Version | None = None
    problem: Problem = ""
    several: bool = False


def standing(library: Library, law: Law, day: Day, hint: VersionHint | None) -> Standing:
    """The version of a law that counts on a day; a version that the citation names is preferred.

    A day that the caller gives stands above everything, and what the citation names is remarked
    upon where it is another version.
    """
    named = _named(library, law, hint, day.day) if hint else None
    if named is None:
        return _on(library, law, day)
    text = hint.text if hint else ""
    if day.basis == "as of":
        found = _on(library, law, day)
        if isinstance(named, Found) and named.version == found.version:
            return found
        return found._replace(notes=(*found.notes, f"the citation names another version: {text}"))
    return _as_named(library, law, named, day, text)


def _on(library: Library, law: Law, day: Day) -> Standing:
    """The version in force on a day."""
    answer = in_force_on(library, law, day.day)
    if isinstance(answer, Found):
        later = latest_by(library, law, day.day)
        differs = isinstance(later, Found) and not same_version(later, answer)
        notes = () if answer.sure else (f"not certain: {answer.note}",)
        return Standing(
            "yes",
            answer.version,
            answer.version.promulgated,
            day,
            notes,
            later.version if differs and isinstance(later, Found) else None,
        )
    if isinstance(answer, Unknown):
        meant = answer.needed[0].promulgated if len(answer.needed) == 1 else None
        return Standing("unknown", None, meant, day, (answer.reason,))
    if isinstance(answer, Repealed):
        reason = f"repealed on {answer.on} by {answer.by}"
        return Standing("no", answer.last, None, day, (reason,), problem="not in force")
    if isinstance(answer, NotYet):
        return Standing("no", None, None, day, (answer.reason,), problem="not in force")
    return Standing("unknown", None, None, day, (answer.reason,))  # pragma: no cover


def _as_named(library: Library, law: Law, named: Answer, day: Day, text: str) -> Standing:
    """The version that the citation names itself."""
    if isinstance(named, Found):
        version = named.version
        own = Day(version.effective or version.promulgated, "citation", text)
        now = in_force_on(library, law, day.day)
        notes: tuple[str, ...] = ()
        if isinstance(now, Found) and now.version != version:
            notes = (f"on {day.day} the version of {now.version.promulgated} was in force",)
        elif isinstance(now, Repealed):
            notes = (f"repealed on {now.on} by {now.by}",)
        return Standing("yes", version, version.promulgated, own, notes)
    own = Day(day.day, "citation", text)
    if isinstance(named, Unknown) and len(named.needed) == 1:
        meant = named.needed[0]
        own = Day(meant.effective or meant.promulgated, "citation", text)
        return Standing("unknown", None, meant.promulgated, own, (named.reason,))
    if isinstance(named, Unknown):
        return Standing("unknown", None, None, own, (named.reason,), several=True)
    return Standing("no", None, None, own, (named.reason,), problem="no such version")


def _named(library: Library, law: Law, hint: VersionHint, on: date) -> Answer | None:
    """The version that a hint means; None where it tells nothing that can be looked up."""
    occasions = [o for o in library.shelf.calendar.get(law.name, ()) if o.event != "repealed"]
    if hint.year is None:
        return _before(library, law, on) if (hint.event or "").startswith(_OLDER) else None
    if hint.month and hint.day:
        day = _date(hint.year, hint.month, hint.day)
        if day is None:
            return None
        took = [o for o in occasions if o.effective == day]
        exact = promulgated_on(library, law, day)
        if hint.event in _TAKES_EFFECT or isinstance(exact, NoSuchVersion):
            return _only(library, law, took, hint.text) if took else exact
        return exact
    took = [o for o in occasions if o.effective and o.effective.year == hint.year]
    made = [o for o in occasions if o.promulgated.year == hint.year]
    chosen = took or made if hint.event in _TAKES_EFFECT else made or took
    if not chosen and hint.event == "文号":
        return None  # a document number of one year, published in the next: the day decides
    return _only(library, law, chosen, hint.text)


def _only(library: Library, law: Law, occasions: Sequence[Occasion], text: str) -> Answer:
    if not occasions:
        calendar = library.shelf.calendar.get(law.name, ())
        days = tuple(o.promulgated for o in calendar if o.event != "repealed")
        return NoSuchVersion(days, f"no version of {law.name} is known that is of {text}")
    if len(occasions) > 1:
        days_of = "、".join(str(o.promulgated) for o in occasions)
        return Unknown(tuple(occasions), f"{text} can be any of the versions of {days_of}")
    return promulgated_on(library, law, occasions[0].promulgated)


def _before(library: Library, law: Law, on: date) -> Answer | None:
    """The version before the one that is in force: 原第三条."""
    answer = in_force_on(library, law, on)
    if isinstance(answer, Repealed) and answer.last:
        return Found(answer.last)
    if not isinstance(answer, Found):
        return None
    occasions = [o for o in library.shelf.calendar.get(law.name, ()) if o.event != "repealed"]
    older = [o for o in occasions if o.promulgated < answer.version.promulgated]
    return promulgated_on(library, law, older[-1].promulgated) if older else None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None

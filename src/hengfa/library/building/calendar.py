"""Everything that is known to have happened to each law, whether or not its text is at hand.

A list of events may come with the texts (``version_calendar.tsv``); for laws that it does not name,
the history in the headers is read instead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from hengfa.library.building.assemble import Text, law_key
from hengfa.library.building.raw import Dated
from hengfa.library.model import Event, Sure

_MADE: Final[dict[str, Event]] = {
    "adopted": "adopted",
    "approved": "adopted",
    "amended": "amended",
    "revised": "revised",
}
_WHOLE: Final[frozenset[Event]] = frozenset({"adopted", "revised"})


@dataclass(slots=True)
class Entered:
    """One line of the calendar as it is being made; ``text`` is the version, where there is one."""

    on: date
    event: Event
    effective: date | None = None
    sure: Sure = "unknown"
    text: Text | None = None


def make_calendar(texts: Sequence[Text], listed: Iterable[Dated]) -> dict[str, list[Entered]]:
    """What happened to each law, under its name, oldest first."""
    by_law: defaultdict[str, list[Text]] = defaultdict(list)
    for text in texts:
        by_law[text.law].append(text)
    named = {law_key(law): law for law in by_law}
    events: defaultdict[str, dict[date, Event]] = defaultdict(dict)
    for dated in listed:
        if law := named.get(law_key(dated.law)):
            events[law][dated.on] = dated.event
    for law, versions in by_law.items():
        if law not in events:
            events[law] = _from_headers(versions)
    calendar = {law: _entered(events[law], versions) for law, versions in by_law.items()}
    for text in texts:
        _date_by_amendment(calendar, text)
    return calendar


def _from_headers(versions: Sequence[Text]) -> dict[date, Event]:
    """The days that the headers name before the text's own.

    The last of them is the version itself, which may be dated a little later than the meeting that
    passed it (interpretations are published weeks after).
    """
    found: dict[date, Event] = {}
    for text in versions:
        made = {e.date: _MADE[e.kind] for e in text.header.events if e.kind in _MADE}
        earlier = sorted(day for day in made if day < text.promulgated)
        if text.promulgated not in made:
            earlier = earlier[:-1]
        found.update((day, made[day]) for day in earlier)
    own = {text.promulgated for text in versions}
    return {day: event for day, event in found.items() if day not in own}


def _entered(events: dict[date, Event], versions: Sequence[Text]) -> list[Entered]:
    at_hand = {text.promulgated: text for text in versions}
    lines = [Entered(day, event) for day, event in sorted(events.items()) if day not in at_hand]
    for day, text in at_hand.items():
        lines.append(Entered(day, text.event, text.effective, text.sure, text))
    lines.sort(key=lambda line: line.on)
    for text in versions:
        _date_the_whole(lines, text)
    return lines


def _date_by_amendment(calendar: Mapping[str, Sequence[Entered]], text: Text) -> None:
    """刑法修正案（九） says when the 刑法 as it was amended that day took effect."""
    amended, found, _ = text.law.partition("修正案")
    if not found or text.kind != "amendment" or text.sure not in {"exact", "stated"}:
        return
    for line in calendar.get(amended, ()):
        if line.on == text.promulgated and line.text is None and line.effective is None:
            line.effective, line.sure = text.effective, text.sure


def _date_the_whole(lines: Sequence[Entered], text: Text) -> None:
    """本法自1990年10月1日起施行 in a text that was amended since dates the law as it was adopted.

    So the entry into force of a version is known whose text is not at hand.
    """
    stated = text.header.effective_in_text
    if stated is None:
        return
    made = [x for x in lines if x.event in _WHOLE and x.on <= min(stated, text.promulgated)]
    if made and made[-1].text is None and made[-1].effective is None:
        made[-1].effective, made[-1].sure = stated, "exact"

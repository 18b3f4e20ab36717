"""From texts as they were found to versions of laws: read, dated, one chosen for each day."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from hengfa.law.law_names import STATE, normalise_name
from hengfa.law.statute import Entry, Statute, entries
from hengfa.law.statute_header import Header, read_statute_header
from hengfa.law.statute_parsing import parse_statute
from hengfa.library.building.raw import Note, RawText
from hengfa.library.model import Event, LawKind, Remark, Sure

# "(1954)", "（1997年修订）", "（2018修正）" at the end of a title; not "（1988年）", "（试行）"
_YEAR_OF_VERSION: Final = re.compile(r"[（(][12]\d{3}(?:年?(?:修订|修正|版|文本))?[)）]\Z")
# What two spellings of one name differ in: "《", "、" between two courts, "("; not "（二）"
_ORNAMENTS: Final = str.maketrans("(（)）", "（（））", "《》〈〉<>＜＞、 　\u200b\ufeff")
# "《", "<" inside a title are written 〈 and 〉, as is the custom
_INNER_MARKS: Final = str.maketrans("《》<>＜＞", "〈〉〈〉〈〉")

_EVENTS: Final[dict[str, Event]] = {
    "adopted": "adopted",
    "approved": "adopted",
    "amended": "amended",
    "revised": "revised",
}
_AT_ONCE: Final[frozenset[LawKind]] = frozenset(
    {"constitution", "amendment", "decision", "interpretation"}
)
"""Acts that take effect when they are promulgated, unless they say otherwise."""


@dataclass(frozen=True, slots=True)
class Text:
    """A version of a law: its text, read, and all that is known of its dates."""

    raw: RawText
    statute: Statute
    header: Header
    entries: tuple[Entry, ...]
    law: str
    promulgated: date
    kind: LawKind
    event: Event
    effective: date | None
    basis: str
    sure: Sure
    alternates: tuple[RawText, ...] = ()


def law_key(name: str) -> str:
    """What two spellings of one law's name have in common: 《, 、 and 中华人民共和国 come and go.

    Unlike :func:`hengfa.law.law_names.normalise_name` it keeps 宪法修正案（1988年） and （1993年）
    apart.
    """
    return name.translate(_ORNAMENTS).removeprefix(STATE)


def read_texts(
    raws: Sequence[RawText], note: Note, watch: Callable[[int, int], None]
) -> list[Text]:
    """Parse the texts; alternates of a source that has chosen already are kept unread."""
    found: list[Text] = []
    alternates: defaultdict[tuple[str, date | None], list[RawText]] = defaultdict(list)
    for number, raw in enumerate(raws):
        watch(number, len(raws))
        if raw.role == "alternate" and raw.law:
            alternates[law_key(raw.law), raw.promulgated].append(raw)
        elif text := _read(raw, note):
            found.append(text)
    watch(len(raws), len(raws))
    known = {(law_key(text.law), text.promulgated) for text in found}
    for key in sorted(alternates.keys() - known, key=str):
        # nothing was chosen above them, so they are all there is
        found += filter(None, (_read(raw, note) for raw in alternates.pop(key)))
    chosen = _choose(found, note)
    return [
        replace(
            text, alternates=(*text.alternates, *alternates[law_key(text.law), text.promulgated])
        )
        for text in chosen
    ]


def _read(raw: RawText, note: Note) -> Text | None:
    statute = parse_statute(raw.text)
    header = read_statute_header(statute)
    law = raw.law or _YEAR_OF_VERSION.sub("", statute.title)
    law = law.translate(_INNER_MARKS).strip()
    promulgated = raw.promulgated or header.promulgated
    if not law or promulgated is None:
        missing = "no date of promulgation" if law else "no title"
        note(Remark(raw.file, raw.row, None, f"left out: {missing}", law or raw.text[:200]))
        return None
    kind = raw.kind or _kind_of(law)
    event = raw.event or _last_event(header)
    effective, basis, sure = _entry_into_force(raw, header, promulgated, kind)
    listed = tuple(entries(statute))
    return Text(raw, statute, header, listed, law, promulgated, kind, event, effective, basis, sure)


def _kind_of(law: str) -> LawKind:
    """What an act is, from its title."""
    if law.startswith(("最高人民法院", "最高人民检察院")):
        return "interpretation"
    if "修正案" in law:
        return "amendment"
    if re.search(r"关于.*(?:决定|决议|解释|声明|办法)\Z|附件", law):
        return "decision"
    return "constitution" if normalise_name(law) == "宪法" else "statute"


def _last_event(header: Header) -> Event:
    """What the text was last made by, as its header tells."""
    made = [event for event in header.events if event.kind in _EVENTS]
    return _EVENTS[max(made, key=lambda event: event.date).kind] if made else "adopted"


def _entry_into_force(
    raw: RawText, header: Header, promulgated: date, kind: LawKind
) -> tuple[date | None, str, Sure]:
    """The day, who says so, and how sure that is; see :data:`hengfa.library.model.Sure`."""
    if raw.effective and not raw.suspect:
        basis = raw.effective_basis
        return raw.effective, basis, "exact" if basis == "text" else "stated"
    if header.effective and header.effective >= promulgated:
        if header.effective == header.effective_in_text:
            return header.effective, "text", "exact"
        return header.effective, "header", "stated"
    if raw.effective:
        return raw.effective, raw.effective_basis, "suspect"
    return (promulgated, "", "assumed") if kind in _AT_ONCE else (None, "", "unknown")


def _choose(texts: Iterable[Text], note: Note) -> list[Text]:
    """One text for each law and day: the one with most articles, the first of equals."""
    groups: defaultdict[tuple[str, date], list[Text]] = defaultdict(list)
    for text in texts:
        groups[law_key(text.law), text.promulgated].append(text)
    chosen: list[Text] = []
    for group in groups.values():
        best = max(group, key=lambda text: len(text.statute.articles))
        others = [text for text in group if text is not best]
        chosen.append(_united(best, others))
        for other in others:
            taken = f"{other.law} {other.promulgated}: {best.raw.path or best.raw.file} was taken"
            note(Remark(other.raw.file, other.raw.row, None, "second text of a version", taken))
    return _one_name_each(_without_twins(chosen, note))


def _united(best: Text, others: Sequence[Text]) -> Text:
    """The text that was chosen, with what only the others know of its entry into force."""
    rank: dict[Sure, int] = {"exact": 0, "stated": 1, "suspect": 2, "assumed": 3, "unknown": 4}
    knows = min([best, *others], key=lambda text: rank[text.sure])
    alternates = tuple(text.raw for text in others)
    if rank[knows.sure] == rank[best.sure]:
        knows = best
    return replace(
        best,
        effective=knows.effective,
        basis=knows.basis,
        sure=knows.sure,
        alternates=(*best.alternates, *alternates),
    )


def _without_twins(texts: Sequence[Text], note: Note) -> list[Text]:
    """An interpretation is often kept under the day it was passed and the day it was published.

    Where two such texts of one year are word for word the same, they are one version, that of the
    later day.
    """
    kept: dict[tuple[str, tuple[Entry, ...]], Text] = {}
    others: list[Text] = []
    for text in sorted(texts, key=lambda text: text.promulgated, reverse=True):
        if text.kind != "interpretation" or not text.entries:
            others.append(text)
            continue
        key = (law_key(text.law), text.entries)
        later = kept.get(key)
        if later is None or (later.promulgated - text.promulgated).days > 365:
            kept[key] = text
            if later:
                others.append(later)
            continue
        kept[key] = replace(later, alternates=(*later.alternates, text.raw))
        same = f"{text.law} {text.promulgated} is, word for word, that of {later.promulgated}"
        note(Remark(text.raw.file, text.raw.row, None, "same text under two days", same))
    return [*others, *kept.values()]


def _one_name_each(texts: Sequence[Text]) -> list[Text]:
    """All versions of a law under one name: the fullest, and of equals that of the latest."""
    names: dict[str, str] = {}
    for text in sorted(texts, key=lambda text: (STATE in text.law, text.promulgated)):
        names[law_key(text.law)] = text.law
    renamed = (replace(text, law=names[law_key(text.law)]) for text in texts)
    return sorted(renamed, key=lambda text: (text.law, text.promulgated))

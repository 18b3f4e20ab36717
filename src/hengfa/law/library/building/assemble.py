"""From texts as they were found to laws: their versions, names, calendar and repeals.

Texts are read and dated, and one is chosen for each law and day. A list of events may come with
them (``version_calendar.tsv``); for laws that it does not name, the history in the headers is read
instead, so that the calendar knows of versions whose text is not at hand. Repeals are read from the
clauses that say so: 《…》同时废止.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.law_names import (
    MAX_NAME,
    STATE,
    document_number,
    normalise_name,
    short_names,
    without_courts,
)
from hengfa.law.grammar.statute import Entry, Statute, entries
from hengfa.law.grammar.statute_header import Header, read_statute_header
from hengfa.law.grammar.statute_parsing import parse_statute
from hengfa.law.library.amending import AMENDED, read_act
from hengfa.law.library.building.sources import (
    Dated,
    KnownEffect,
    KnownNumber,
    KnownRepeal,
    KnownScope,
    OnRemark,
    RawText,
)
from hengfa.law.library.model import SETTLED, Event, LawKind, Remark, Sure, Version

# "(1954)", "（1997年修订）", "（2017年修正本）", "（修正）" at the end of a title; not
# "（1988年）", "（试行）"
_VERSION_IN_TITLE: Final = re.compile(
    r"[（(](?:[12]\d{3}|(?:[12]\d{3}年?)?(?:修订|修正|版|文本)本?)[)）]\Z"
)
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
_SUREST: Final[tuple[Sure, ...]] = ("exact", "stated", "suspect", "assumed", "unknown")


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

    Unlike :func:`hengfa.law.grammar.law_names.normalise_name` it keeps 宪法修正案（1988年） and
    （1993年） apart.
    """
    return name.translate(_ORNAMENTS).removeprefix(STATE)


def law_name(title: str) -> str:
    return _VERSION_IN_TITLE.sub("", title).translate(_INNER_MARKS).strip()


def read_texts(
    raws: Sequence[RawText],
    note: OnRemark,
    watch: Callable[[int, int], None],
    listed: Iterable[KnownEffect] = (),
) -> list[Text]:
    """Parse the texts; alternates of a source that has chosen already are kept unread.

    ``listed`` are days of entry into force that are known better than sources say.
    """
    texts: list[Text] = []
    alternates: defaultdict[tuple[str, date | None], list[RawText]] = defaultdict(list)
    for number, raw in enumerate(raws):
        watch(number, len(raws))
        if raw.role == "alternate" and raw.law:
            alternates[law_key(raw.law), raw.promulgated].append(raw)
        elif text := _read(raw, note):
            texts.append(text)
    watch(len(raws), len(raws))
    known = {(law_key(text.law), text.promulgated) for text in texts}
    for key in sorted(alternates.keys() - known, key=str):
        # nothing was chosen above them, so they are all there is
        texts += filter(None, (_read(raw, note) for raw in alternates.pop(key)))
    in_force = {(law_key(effect.law), effect.version): effect for effect in listed}
    chosen: list[Text] = []
    for text in _choose(texts, note):
        key = law_key(text.law), text.promulgated
        whole = replace(text, alternates=(*text.alternates, *alternates[key]))
        if (effect := in_force.get(key)) and text.sure != "exact":  # the text does not say a day
            day, basis = effect.effective, effect.basis
            whole = replace(whole, effective=day, basis=basis, sure="stated")
        chosen.append(whole)
    return _as_amended(chosen, note)


def _as_amended(texts: Sequence[Text], note: OnRemark) -> list[Text]:
    """Texts that are younger than their headers say, under the day of the act that made them.

    Who prints a law as amended often leaves its header as it was. A text with all articles that
    later acts have added is that of the last of these acts.
    """
    acts: defaultdict[str, list[Text]] = defaultdict(list)
    for text in sorted(texts, key=lambda text: text.promulgated):
        if _is_amending(text):
            acts[_amended_law(text.law)].append(text)
    days = {(text.law, text.promulgated) for text in texts}
    redated: list[Text] = []
    for text in texts:
        last = _last_in(text, acts[law_key(text.law)])
        if last is None:
            redated.append(text)
            continue
        said = f"{text.law} {text.promulgated} has what {last.law} of {last.promulgated} added"
        note(Remark(text.raw.file, text.raw.row, None, "younger than its header says", said))
        if (text.law, last.promulgated) in days:
            continue  # there is another text of that day
        days.add((text.law, last.promulgated))
        dated = replace(text, effective=last.effective, basis=last.basis, sure=last.sure)
        redated.append(replace(dated, promulgated=last.promulgated, event="amended"))
    return sorted(redated, key=lambda text: (text.law, text.promulgated))


def _is_amending(text: Text) -> bool:
    """Whether an act changes another: it has sections, not articles."""
    return text.kind in {"amendment", "decision"} and text.statute.form != "articles"


def _last_in(text: Text, acts: Iterable[Text]) -> Text | None:
    """The last of the acts after a text whose new articles it already has."""
    own = {Position(article.number, article.sub or None) for article in text.statute.articles}
    last: Text | None = None
    for act in acts:
        if act.promulgated <= text.promulgated:
            continue
        dates = act.promulgated, act.effective, act.basis, act.sure
        version = Version(0, act.law, *dates, act.event, act.kind, act.statute.form, 0, 0)
        read = read_act(act.law, text.law, version, "\n".join(act.statute.body))
        added = {at for at, changes in read.changes.items() if changes[0].kind == "new"}
        if not added <= own:
            break
        last = act if added else last
    return last


def _read(raw: RawText, note: OnRemark) -> Text | None:
    statute = parse_statute(raw.text)
    header = read_statute_header(statute)
    law = raw.law.translate(_INNER_MARKS).strip() if raw.law else law_name(statute.title)
    promulgated = raw.promulgated or header.promulgated
    if not law or promulgated is None:
        missing = "no date of promulgation" if law else "no title"
        note(Remark(raw.file, raw.row, None, f"left out: {missing}", law or raw.text[:200]))
        return None
    kind = raw.kind or kind_of(law)
    event = raw.event or last_event(header)
    effective, basis, sure = _entry_into_force(raw, header, promulgated, kind)
    listed = tuple(entries(statute))
    return Text(raw, statute, header, listed, law, promulgated, kind, event, effective, basis, sure)


def kind_of(law: str) -> LawKind:
    """What an act is, from its title."""
    if law.startswith(("最高人民法院", "最高人民检察院")):
        return "interpretation"
    if "修正案" in law:
        return "amendment"
    if re.search(r"关于.*(?:决定|决议|解释|声明|办法)\Z|附件", law):
        return "decision"
    return "constitution" if normalise_name(law) == "宪法" else "statute"


def dated_events(header: Header) -> dict[date, Event]:
    """The days on which a text was made, as its header tells."""
    return {event.date: _EVENTS[event.kind] for event in header.events if event.kind in _EVENTS}


def last_event(header: Header) -> Event:
    """What the text was last made by, as its header tells."""
    made = [event for event in header.events if event.kind in _EVENTS]
    return _EVENTS[max(made, key=lambda event: event.date).kind] if made else "adopted"


def _entry_into_force(
    raw: RawText, header: Header, promulgated: date, kind: LawKind
) -> tuple[date | None, str, Sure]:
    """The day, who says so, and how sure that is; see :data:`hengfa.law.library.model.Sure`."""
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


def _choose(texts: Iterable[Text], note: OnRemark) -> list[Text]:
    """One text for each law and day: the one with most articles, the first of equals."""
    groups: defaultdict[tuple[str, date], list[Text]] = defaultdict(list)
    for text in texts:
        groups[law_key(text.law), text.promulgated].append(text)
    chosen: list[Text] = []
    for group in groups.values():
        best = max(group, key=lambda text: len(text.statute.articles))
        others = [text for text in group if text is not best]
        united = replace(best, alternates=(*best.alternates, *(text.raw for text in others)))
        knows = min(group, key=lambda text: _SUREST.index(text.sure))
        if knows.sure != best.sure:  # only another knows when it entered into force
            day, basis = knows.effective, knows.basis
            united = replace(united, effective=day, basis=basis, sure=knows.sure)
        chosen.append(united)
        for other in others:
            taken = f"{other.law} {other.promulgated}: {best.raw.path or best.raw.file} was taken"
            note(Remark(other.raw.file, other.raw.row, None, "second text of a version", taken))
    return _one_name_each(_without_twins(chosen, note))


def _without_twins(texts: Sequence[Text], note: OnRemark) -> list[Text]:
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


# "《甲法》作出修改", "《甲法》第三条修改为" in a decision on several laws; not what it quotes
_ONE_OF_THEM: Final = re.compile(
    r"“[^”]*|[《〈](?P<name>[^《》〈〉\n]{2,100})[》〉](?=[^“”《》。\n]{0,30}修改)"
)


def names_of(
    texts: Sequence[Text], listed: Iterable[KnownNumber] = ()
) -> dict[tuple[str, str], str]:
    """(normalised name, law) -> how the law came by it.

    Full, old, without its court, short (as interpretations are called), or by its document number,
    which a header or a table tells.
    """
    names: dict[tuple[str, str], str] = {}
    known = {normalise_name(text.law) for text in texts}
    for text in texts:
        names[normalise_name(text.law), text.law] = "full"
    for text in texts:
        amended = (
            match["name"] for line in text.statute.header for match in AMENDED.finditer(line)
        )
        for old in map(normalise_name, amended):  # as it was called then
            if old not in known and 2 <= len(old) <= MAX_NAME:
                names.setdefault((old, text.law), "old")
        if text.kind == "interpretation" and (bare := without_courts(text.law)) != text.law:
            names.setdefault((normalise_name(bare), text.law), "without its court")
    taken = {name for name, _ in names}
    for short, law in short_names({text.law for text in texts if text.kind == "interpretation"}):
        if short not in taken:
            names[short, law] = "short"
    for number, law in _numbers(texts, listed):
        names[number, law] = "number"
    return dict(sorted(names.items()))


def _numbers(texts: Sequence[Text], listed: Iterable[KnownNumber]) -> Iterator[tuple[str, str]]:
    """Document numbers of laws: a line of its own in the header, or of a table."""
    laws = {law_key(text.law): text.law for text in texts}
    for text in texts:
        for line in text.statute.header:
            if number := document_number(line.strip("（）()#* ")):
                yield number[0], text.law
    for known in listed:
        if (law := laws.get(law_key(known.title))) and (number := document_number(known.number)):
            yield number[0], law


_WHOLE: Final[frozenset[Event]] = frozenset({"adopted", "revised"})


@dataclass(slots=True)
class Entered:
    """One line of the calendar as it is being made; ``text`` is the version, where there is one."""

    on: date
    event: Event
    effective: date | None = None
    sure: Sure = "unknown"
    text: Text | None = None
    scope: str = ""  # articles that alone were changed, as a table knows


def make_calendar(
    texts: Sequence[Text], listed: Iterable[Dated], amended: Iterable[KnownScope] = ()
) -> dict[str, list[Entered]]:
    """What happened to each law, under its name, oldest first; ``amended``: to which articles."""
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
    calendar = {law: _enter(events[law], versions) for law, versions in by_law.items()}
    for text in texts:
        if _is_amending(text):
            for key in _amended_laws(text):
                _enter_amendment(calendar.get(named.get(key, ""), []), text)
    for scope in amended:
        for line in calendar.get(named.get(law_key(scope.law), ""), ()):
            if line.on == scope.on:
                line.scope = scope.articles
    return calendar


def _from_headers(versions: Sequence[Text]) -> dict[date, Event]:
    """The days that the headers name before the text's own.

    The last of them is the version itself, which may be dated a little later than the meeting that
    passed it (interpretations are published weeks after).
    """
    events: dict[date, Event] = {}
    for text in versions:
        made = dated_events(text.header)
        earlier = sorted(day for day in made if day < text.promulgated)
        if text.promulgated not in made:
            earlier = earlier[:-1]
        events.update((day, made[day]) for day in earlier)
    own = {text.promulgated for text in versions}
    return {day: event for day, event in events.items() if day not in own}


def _enter(events: dict[date, Event], versions: Sequence[Text]) -> list[Entered]:
    at_hand = {text.promulgated: text for text in versions}
    lines = [Entered(day, event) for day, event in sorted(events.items()) if day not in at_hand]
    for day, text in at_hand.items():
        lines.append(Entered(day, text.event, text.effective, text.sure, text))
    lines.sort(key=lambda line: line.on)
    for text in versions:
        _date_the_whole(lines, text)
    return lines


def _amended_law(act: str) -> str:
    """The key of the law that an act amends: 刑法修正案（九）, 关于修改〈刑法〉的决定."""
    law, amendment, _ = act.partition("修正案")
    if amendment:
        return law_key(law)
    title = AMENDED.search(act)
    return law_key(title["name"]) if title else ""


def _amended_laws(act: Text) -> list[str]:
    """The keys of all laws that an act amends; 关于修改〈甲法〉等八部法律的决定 names them."""
    if law := _amended_law(act.law):
        return [law]
    said = "\n".join(act.statute.body) if "修改" in act.law else ""
    names = [found["name"] for found in _ONE_OF_THEM.finditer(said) if found["name"]]
    return list(dict.fromkeys(map(law_key, names)))


def _enter_amendment(lines: list[Entered], act: Text) -> None:
    """An amending act makes a version, and says when that took effect, at hand or not."""
    if not lines or act.promulgated < lines[0].on:
        return  # the law, or the one of the same name that was amended, is not here
    sure = act.sure in {"exact", "stated"}
    for line in lines:
        if line.on == act.promulgated:
            if sure and line.text is None and line.effective is None:
                line.effective, line.sure = act.effective, act.sure
            return
    effective, how = (act.effective, act.sure) if sure else (None, "unknown")
    lines.append(Entered(act.promulgated, "amended", effective, how))
    lines.sort(key=lambda line: line.on)


def _date_the_whole(lines: Sequence[Entered], text: Text) -> None:
    """本法自1990年10月1日起施行 in a text that was amended since dates the law as it was adopted.

    So the entry into force of a version is known whose text is not at hand. A day years later is
    that of an amendment: 自发布之日起施行, in a header with two days on which it was passed.
    """
    stated = text.header.effective_in_text
    if stated is None:
        return
    made = [x for x in lines if x.event in _WHOLE and x.on <= min(stated, text.promulgated)]
    if not made or made[-1].text or made[-1].effective or stated - made[-1].on > SETTLED:
        return
    made[-1].effective, made[-1].sure = stated, "exact"


# "《甲法》同时废止", "《甲法》，自本法施行之日起废止", "予以废止"; not "废止的，依照其规定"
_REPEAL: Final = re.compile(r"[^。\n]{0,2000}?(?:同时|予以|之日起|即行|即)废止")
# "第三条" right after a title: only that article is repealed; not "（法释〔2001〕3号）"
_ONLY_PART: Final = re.compile(r"(?:[（(][^（）()]{0,40}[)）])?(?:中)?(?:的)?第")
# "法释〔2013〕15号": the year of an act's number
_NUMBERED: Final = re.compile(r"〔(\d{4})〕")


@dataclass(frozen=True, slots=True)
class Repealing:
    """What repeals a law, named as it is there: a clause of a version, or a line of a table.

    ``scope`` are the positions that alone are repealed; ``basis`` says where that is known from.
    """

    name: str
    on: date | None
    before: date
    by: str
    by_version: date | None = None
    clause: str = ""
    scope: str = ""
    basis: str = "clause"


def find_repeals(
    texts: Sequence[Text],
    calendar: Mapping[str, Sequence[Entered]],
    listed: Iterable[KnownRepeal] = (),
) -> list[Repealing]:
    """All repeals, each once: the first version that has a clause is the one that repealed.

    What a table lists besides is added.
    """
    repeals: dict[tuple[str, str], Repealing] = {}
    for text in sorted(texts, key=lambda text: text.promulgated):
        for name, clause in _repealed_in(text.statute):
            made = _day_of_clause(text, calendar[text.law])
            own = text.effective if made == text.promulgated else None
            on = text.header.effective_in_text or own
            repealing = Repealing(name, on, made, text.law, text.promulgated, clause)
            repeals.setdefault((law_key(name), text.law), repealing)
    clauses = {(law_key(repeal.name), repeal.on) for repeal in repeals.values()}
    further: dict[tuple[str, date | None, str], Repealing] = {}
    for repeal in map(_known_repeal, listed):
        if (key := (law_key(repeal.name), repeal.on)) not in clauses:
            further.setdefault((*key, repeal.scope), repeal)
    found = [*repeals.values(), *further.values()]
    return sorted(found, key=lambda repeal: (repeal.before, repeal.by, repeal.name))


def _known_repeal(known: KnownRepeal) -> Repealing:
    """A line of a table; it strikes what was there on the day, if it does not say which."""
    before = known.issued + timedelta(days=1) if known.issued else known.on
    if known.issued is None and (year := _NUMBERED.search(known.number)):
        before = min(before, date(int(year[1]) + 1, 7, 1))  # some appear in the year after
    name = known.title.translate(_INNER_MARKS)
    return Repealing(name, known.on, before, known.by, scope=known.scope, basis=known.basis)


def _repealed_in(statute: Statute) -> Iterator[tuple[str, str]]:
    """The titles of the laws that a statute repeals, and the sentence that does it."""
    for article in statute.articles[-6:]:
        text = article.full_text
        if "废止" not in text:
            continue
        for match in _REPEAL.finditer(text):
            clause = match[0].strip("；;，, \n")
            for title, rest in _titles(match[0]):
                if not _ONLY_PART.match(rest):
                    yield title, clause


def _titles(text: str) -> Iterator[tuple[str, str]]:
    """The outermost 《…》 of a text without the marks, each with what follows it.

    >>> [title for title, _ in _titles("《甲法》、《关于适用《乙法》的解释》同时废止")]
    ['甲法', '关于适用《乙法》的解释']
    """
    depth = begin = 0
    for place, sign in enumerate(text):
        if sign == "《":
            depth += 1
            begin = place + 1 if depth == 1 else begin
        elif sign == "》" and depth:
            depth -= 1
            if depth == 0:
                yield text[begin:place], text[place + 1 : place + 60]


def _day_of_clause(text: Text, lines: Sequence[Entered]) -> date:
    """When the clause was promulgated: amendments carry on those of the law as it was adopted."""
    stated = text.header.effective_in_text or text.promulgated
    whole = [x.on for x in lines if x.event in _WHOLE and x.on <= min(stated, text.promulgated)]
    return whole[-1] if whole else text.promulgated

"""What was found of a citation, as one would tell a colleague, in Chinese or in English.

The verdict in a sentence; the day that counts and why; the text of the provision on that day; and
what to cite instead, as far as the library knows: the successor of a repealed law, the article that
has the words, the number that it has in the version in force. What is found by words alone is said
to be so, and what is not known is left empty.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Final, Literal, NamedTuple

import msgspec

from hengfa.law.grammar.citation_model import Citation, Position
from hengfa.law.grammar.citation_positions import format_position, parse_position
from hengfa.law.grammar.law_names import STATE
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import (
    FINE,
    Checked,
    Day,
    Piece,
    Report,
    Source,
    Status,
)
from hengfa.law.library.history import follow
from hengfa.law.library.matching import Cache
from hengfa.law.library.model import LawEntry, Version
from hengfa.law.library.successors import successors
from hengfa.law.library.versions import FoundVersion, Repealed, in_force_on
from hengfa.law.library.words import Lang, Note, in_title_marks, in_words, note_words


class Explained(msgspec.Struct, frozen=True):
    """A finding in words.

    ``label`` is the status and ``problem`` what is the matter, in a word or two; ``sentence`` the
    verdict; ``day`` which day counts, and why. ``provision`` is the text of what is cited on that
    day, the last one of a law that was repealed, and ``place`` says whose text that is. ``instead``
    is what to cite instead, ``beside`` the telling and the provision, each with marks at what the
    other lacks. What is not known is "".
    """

    label: str
    problem: str
    sentence: str
    day: str
    provision: str
    place: str
    instead: str
    notes: tuple[str, ...]
    beside: str = ""


def default_lang(environment: Mapping[str, str] = os.environ) -> Lang:
    """Chinese where the locale of messages is Chinese, else English."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next((value for name in names if (value := environment.get(name))), "")
    return "zh" if locale.lower().startswith("zh") else "en"


class ExplainedReport(NamedTuple):
    """The citations that are a document's own, each with what was found of it in words."""

    report: Report
    lang: Lang
    citations: tuple[tuple[Checked, Explained], ...]


_ALWAYS_UNCLEAR: Final = frozenset({"no law named", "name of several laws"})


def label(status: Status, lang: Lang) -> str:
    """A status in a word or two."""
    return in_words(f"status {status}", lang)


def about_day(day: Day, lang: Lang) -> str:
    """Which day counts, and who says so."""
    return in_words(f"day {day.basis}", lang, day=day.day, text=_line(day.text))


def law_words(law: str, position: str, lang: Lang) -> str:
    """《中华人民共和国刑法》第二百六十四条; in English without the state."""
    return f"{in_title_marks(law if lang == 'zh' else law.removeprefix(STATE))}{position}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _sentence(checked: Checked, lang: Lang) -> str:
    written = _line(checked.written)
    verdict = in_words(
        f"verdict {_verdict(checked)}",
        lang,
        cited=law_words(checked.law, checked.position, lang) if checked.law else written,
        law=law_words(checked.law or checked.named or "", "", lang),
        named=_line(checked.named or ""),
        position=checked.position,
        written=written,
        text=_line(checked.day.text) if checked.day else "",
        then=checked.day.day if checked.day else "",
    )
    if checked.status == "unclear" and checked.problem not in _ALWAYS_UNCLEAR:
        return in_words("verdict doubtful", lang, verdict=verdict)
    return verdict


def _verdict(checked: Checked) -> str:
    if checked.problem == "not in force" and checked.day is None:
        return "repealed"
    if checked.problem:
        doubt = checked.problem == "told unlike the provision" and checked.status == "unclear"
        return f"{'perhaps ' if doubt else ''}{checked.problem}"
    if checked.inside:
        return "inside"
    if checked.quotation and checked.quotation.verdict == "exact":
        return "right and exact"
    if checked.content == "faithful":
        read = checked.telling and checked.telling.content.reader
        return "right as read" if read else "right and faithful"
    return checked.status if checked.status == "exists" else "right"


_TAKEN: Final = frozenset({"quoted from another provision", "quoted from another version"})
_MOST_SHOWN: Final = 4
_AROUND: Final = 30
_LONGEST: Final = 400
_MOST_OF_A_RANGE: Final = 12
_KEPT: Final = 4096


class _Home(NamedTuple):
    """Where something stands; ``how`` it is known: by its number, by a table, by its words."""

    version: Version
    position: Position
    how: Literal["same", "known", "found"]


class Explainer:
    """Puts the findings of a checker into words; keeps what it has looked up."""

    def __init__(self, checker: Checker) -> None:
        self.library, self.places, self.names = checker.library, checker.places, checker.names
        self._went: Cache[tuple[int, Position, date], list[_Home]] = Cache(_KEPT)

    def explain_all(
        self, report: Report, lang: Lang, *, only_problems: bool = False
    ) -> ExplainedReport:
        """All citations of the document's own in words, or those to be looked at."""
        own = (checked for checked in report.citations if not checked.inside)
        shown = (c for c in own if not only_problems or c.status not in FINE)
        return ExplainedReport(report, lang, tuple((c, self.explain(c, lang)) for c in shown))

    def explain(self, checked: Checked, lang: Lang) -> Explained:
        provision, place = self._text(checked, lang)
        # the words of the document and of the law come first
        notes = [*_about_the_quotation(checked), *_about_the_telling(checked), *checked.notes]
        return Explained(
            label=label(checked.status, lang),
            problem=in_words(f"problem {checked.problem}", lang) if checked.problem else "",
            sentence=_sentence(checked, lang),
            day=about_day(checked.day, lang) if checked.day else "",
            provision=provision,
            place=place,
            instead=self._instead(checked, lang),
            notes=tuple(note_words(note, lang) for note in notes),
            beside=_beside(checked, lang),
        )

    # --- the text on the day ---

    def _text(self, checked: Checked, lang: Lang) -> tuple[str, str]:
        """The words of what is cited, and whose they are; both empty where nobody tells them."""
        law, positions = self._law(checked.law), _positions(checked.position)
        if law is None or checked.day is None or not positions:
            return "", ""
        version = self._version(law, checked)
        known: list[tuple[str, Position]] = []
        for position in positions:
            place, words = position, None
            if version is None:
                carried = self.places.amendments.carried(law, position, checked.day.day)
                words = carried.text(position) if carried and carried.exists else None
            elif not (words := self.library.text(version, position)):
                place = Position(*position[:2])  # whose text has no such paragraph or item
                words = self.library.text(version, place)
            if words:
                known.append((words, place))
        if not known:
            return "", ""
        cited = checked.position if len(known) > 1 else format_position(known[0][1])
        text = "\n".join(words for words, _ in known)
        return text, _place(checked, cited, version, lang)

    def _version(self, law: LawEntry, checked: Checked) -> Version | None:
        """The text that counts, or the last one of a law that was repealed."""
        if checked.version is None and checked.in_force == "no" and checked.day:
            answer = in_force_on(self.library, law, checked.day.day)
            return answer.last if isinstance(answer, Repealed) else None
        return self._version_of(law, checked.version)

    def _version_of(self, law: LawEntry, day: date | None) -> Version | None:
        return next((v for v in self.library.versions(law) if v.promulgated == day), None)

    def _law(self, name: str | None) -> LawEntry | None:
        return self.library.shelf.by_name.get(name or "")

    # --- what to cite instead ---

    def _instead(self, checked: Checked, lang: Lang) -> str:
        if checked.problem == "proviso left out":
            quoted = checked.quotation.proviso if checked.quotation else ""
            if proviso := quoted or (checked.telling.proviso if checked.telling else ""):
                return in_words("instead exception", lang, words=proviso)
        if checked.problem == "name of several laws":
            return "、".join(in_title_marks(law) for law in checked.candidates[:_MOST_SHOWN])
        homes = self._homes(checked)[:_MOST_SHOWN]
        if not homes and checked.problem == "not in force":
            return self._repealing(checked, lang)
        lines = []
        for version, position, how in homes:
            cited = law_words(version.law, format_position(position), lang)
            words = _line(self.library.text(version, position) or "")
            words = f"{words[:_LONGEST]}……" if words[_LONGEST:] else words
            code = "instead found provision" if how == "found" else "instead provision"
            lines.append(in_words(code, lang, cited=cited, made=version.promulgated, words=words))
        return "\n".join(lines)

    def _homes(self, checked: Checked) -> list[_Home]:
        law, positions = self._law(checked.law), _positions(checked.position)
        if law is None or checked.day is None or not positions:
            return []
        on = checked.day.day
        if checked.problem == "not in force":
            # a provision that was struck out alone has no successor that is known
            last = None if checked.version else self._version(law, checked)
            return [home for p in positions if last for home in self._now(last, p, on)]
        if checked.problem == "no such position":
            version = self._version(law, checked)
            having = self.places.having(law, positions[0], version) if version else []
            return self._now(having[-1], positions[0], on) if having else []
        homes: list[_Home] = []
        for source in _likely_sources(checked):
            law, positions = self._law(source.law), _positions(source.position)
            version = self._version_of(law, source.version) if law else None
            homes += self._now(version, positions[0], on) if version and positions else []
        return homes

    def _now(self, version: Version, position: Position, on: date) -> list[_Home]:
        """Where a provision of some version stands in the law in force on a day."""

        def look() -> list[_Home]:
            answer = in_force_on(self.library, self.library.shelf.by_name[version.law], on)
            if isinstance(answer, FoundVersion):
                now = answer.version
                place = position if now == version else follow(self.library, version, position, now)
                return (
                    [_Home(now, place, "same" if place == position else "found")] if place else []
                )
            after = (
                successors(self.library, version, position) if isinstance(answer, Repealed) else ()
            )
            return [_Home(each.version, each.position, each.how) for each in after]

        return self._went.get((version.id, position, on), look)

    def _repealing(self, checked: Checked, lang: Lang) -> str:
        """The law that repealed another, where it is not known which article came after."""
        law, by = self._law(checked.law), ""
        if law and checked.day:
            answer = in_force_on(self.library, law, checked.day.day)
            by = answer.by if isinstance(answer, Repealed) else ""
        elif checked.named and (repeal := self.names.repealed(checked.named, date.max)):
            by = repeal.by
        if not by or by.endswith("决定"):
            return ""
        return in_words("instead law", lang, by=by)


def _likely_sources(checked: Checked) -> Sequence[Source]:
    """The provisions that have the quoted or told words, or the crime, best first."""
    quotation, telling = checked.quotation, checked.telling
    if checked.problem in _TAKEN:
        return quotation.sources[:1] if quotation else ()
    if checked.problem in {"told unlike the provision", "told as in another version"}:
        return (telling.nearest,) if telling and telling.nearest else ()
    law, version = checked.law, checked.version
    named: list[Source] = []
    for note in checked.notes:
        match note:
            case Note(code="crime of another", slots={"places": tuple(places)}) if law and version:
                named += (Source(law, version, str(place), 1.0) for place in places)
            case Note(
                code="sentence of another", slots={"position": str(position), "day": date() as day}
            ) if law:
                named.append(Source(law, day, position, 1.0))
    return named


def _positions(written_as: str) -> tuple[Position, ...]:
    """第十条至第十二条 as the positions that it has; () without an article."""
    ends = [parse_position(end) for end in written_as.split("至")]
    first, last = ends[0], ends[-1]
    if first is None or last is None or first.article is None:
        return ()
    until = last if len(ends) > 1 else None
    return Citation(None, first, 0, 0, "named", until=until).expand(_MOST_OF_A_RANGE)


def _place(checked: Checked, position: str, version: Version | None, lang: Lang) -> str:
    """Whose text it is: law, position, version, which is None where acts alone tell the words."""
    cited = law_words(checked.law or "", position, lang)
    if version is None:
        if made := checked.version:
            return in_words("place derived", lang, cited=cited, made=made)
        return in_words("place derived undated", lang, cited=cited)
    made, since = version.promulgated, version.effective
    if since and version.sure in {"exact", "stated"}:
        return in_words("place since", lang, cited=cited, made=made, since=since)
    return in_words("place", lang, cited=cited, made=made)


def _about_the_quotation(checked: Checked) -> Iterator[str]:
    quotation = checked.quotation
    if quotation is None:
        return
    if quotation.sources:
        best, homes = quotation.sources[0], tuple(_homes_of(quotation.sources, checked.law))
        if checked.problem in _TAKEN:
            yield Note("words of others", homes=homes)
        elif best.similarity == 1:
            yield Note("word for word", homes=homes)
        else:
            yield Note("nearest words", alike=f"{best.similarity:.0%}", homes=homes)
    yield from (difference.shown for difference in quotation.differences[:_MOST_SHOWN])
    if len(quotation.differences) > _MOST_SHOWN:
        yield Note("more differences", n=len(quotation.differences) - _MOST_SHOWN)
    if quotation.left_out and checked.status != "right":
        more = "…" if quotation.left_out[3:] else ""
        yield Note("leaves out", words=f"{'、'.join(quotation.left_out[:3])}{more}")


def _about_the_telling(checked: Checked) -> Iterator[Note]:
    telling = checked.telling
    if telling is None or checked.status not in {"right", "unlike", "exists", "unclear"}:
        return
    if telling.content.reader:
        shown, reader = telling.content.words_shown, telling.content.reader
        yield Note("read by" if shown else "read by classifier", reader=reader)
    for difference in telling.content.differences if telling.content.words_shown else ():
        yield Note("told otherwise", told=difference.told, law=difference.law)
    if checked.status != "unlike":
        return
    if telling.numbers:
        yield Note("lacks numbers", numbers="、".join(telling.numbers))
    if telling.contrary:
        yield Note("opposite", words=telling.contrary)
    if telling.proviso:
        yield Note("leaves out", words=telling.proviso)
    if telling.nearest:
        (home,) = _homes_of([telling.nearest], checked.law)
        yield Note("nearest to what is told", home=home)


def _beside(checked: Checked, lang: Lang) -> str:
    telling = checked.telling
    if telling is None or not telling.content.told or checked.content == "faithful":
        return ""
    told = _marked(telling.content.told, "{+", "+}")
    law = _marked(telling.content.law, "[-", "-]")
    said = in_words("told in full", lang, words=told)
    return f"{said}\n{in_words('provision in full', lang, words=law)}"


def _marked(pieces: Sequence[Piece], opening: str, closing: str) -> str:
    """A text in which what the other lacks is marked, short where nothing is told of it."""
    words = []
    for piece in pieces:
        text = _line(piece.text)
        if piece.kind in {"new", "other", "left out"}:
            text = f"{opening}{text}{closing}"
        elif not piece.kind and text[2 * _AROUND :]:
            text = f"{text[:_AROUND]}…{text[-_AROUND:]}"
        words.append(text)
    return "".join(words)


def _homes_of(sources: Sequence[Source], law: str | None) -> Iterator[Note]:
    """`第五十三条 (1997-03-14)`, with the law where it is another, all versions together."""
    homes: dict[str, list[str]] = {}
    for source in sources:
        other = "" if source.law == law else source.law.removeprefix(STATE)
        homes.setdefault(f"{other}{source.position}", []).append(str(source.version))
    return (Note("home", place=place, days=", ".join(days)) for place, days in homes.items())

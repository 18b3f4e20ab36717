"""The day a document speaks of, the version of a law that counts then, and the position in it.

A judgment ends with the names of the judges, the date in Chinese numerals and the clerk; the
provisions it applies are often appended. Other documents bear a date of their own on one of the
first or last lines, often with a word that says so (日期：). Dates elsewhere are those of events,
and are never taken.

The version that a citation names (2012年修正, 法释〔2015〕24号, 原) comes before the day; a version
that the calendar knows but the library lacks stays unknown, and then amending acts may tell whether
the position was there and which words it had.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, NamedTuple

from hengfa.law.grammar.citation_model import Citation, Position, VersionHint
from hengfa.law.grammar.citation_names import THEN_EVENT
from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.grammar.dates import WrittenDay, find_dates
from hengfa.law.library.citing.findings import Day, Problem, YesNo
from hengfa.law.library.derived import Amendments, Carried
from hengfa.law.library.matching import Passage, Passages
from hengfa.law.library.model import LawEntry, Occasion, Version
from hengfa.law.library.names import candidates
from hengfa.law.library.store import Library
from hengfa.law.library.versions import (
    Answer,
    FoundVersion,
    NoSuchVersion,
    NotYet,
    Repealed,
    Unknown,
    in_force_on,
    latest_by,
    promulgated_on,
    same_version,
    struck_parts,
)
from hengfa.law.library.words import Note

# Who signs before the date: "审判员李某", "人民陪审员"; not "审判员认为"
_JUDGE: Final = re.compile(r"(?:审判长|审判员|陪审员|仲裁员)[^，。；：年月日\n]{0,16}\Z")
# Who signs after it
_CLERK: Final = re.compile(r"[\s\d]{0,8}(?:代?书记员|法官助理|速录员|本件与原本)")
# A line that has nothing but a date, with a seal or place before it at most
_ALONE: Final = re.compile(r"[^\n，。；]{0,30}\Z")
# After the date in its line: "）", " 10:30", "于上海", "（盖章）", "星期二"; not "，被告"
_AFTER: Final = re.compile(
    r"[\s*]*+[)）\]】]?\s*+"
    r"(?:[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[AP]M)?(?: [+-][0-9]{4})?"
    r"|[（(]?(?:星期|周)[一二三四五六日天][)）]?)?\s*+"
    r"(?:于[一-鿿]{1,8}|[（(][一-鿿]{1,6}[)）])?[\s*]*+\Z"
)
# Words that say that a date is the document's: "签订日期：", "Date: ", "落款："; not "出生日期："
_LABEL: Final = re.compile(
    r"(?:(?:判决|裁判|裁决|签订|签署|签约|签发|落款|成文|印发|发送|订立|立约|出具|撰写|制作|起草|提交|提出|申请|具状|发布|更新|报告|意见书?"
    r"|审查|填表|填写|打印|呈报|发函|致函)(?:时间|日期?)"
    r"|(?:\A|[\s　:：）)。])(?:日\s?期|时间|落款)|Dated?|DATED?)\s*+[:：]?\s*+[（(]?\Z"
)
# Dates of events that have a line to themselves: "出生日期：", "事故发生时间："; not "签订日期："
_EVENT: Final = re.compile(
    r"(?:出生|生日|入职|离职|到岗|事故|事发|案发|发生|到期|届满|起始|开始|终止|截止|截至|期限|有效期"
    r"|立案|受理|开庭|借款|还款|付款|交付|交货|登记|成立|注册|受伤|死亡|去世|结婚|离婚|施行|实施|生效"
    r"|公布|通过|修正|修订|送达|收到|查询)(?:日期?|时间|之日)?\s*+[:：于自为至]?\s*+\Z"
)
_LAST_LINES: Final = 12
_LONGEST_LINE: Final = 80


class DocumentDay(NamedTuple):
    """A day and the words that say so."""

    day: date
    text: str


def document_day(text: str) -> DocumentDay | None:
    """The date of a document, or None where it bears none.

    The last one that a judge or clerk signs; else one that is said to be the date of the document;
    else the last one that has a line to itself near the end or, in a letter, at the beginning.
    """
    written = find_dates(text)
    for signed in reversed(written):
        before = text[max(0, signed.start - 60) : signed.start]
        if _CLERK.match(text, signed.end) or _JUDGE.search(before.rstrip()):
            return _day_with_words(text, signed)
    alone = [signed for signed in written if _is_alone(text, signed)]
    labelled = [signed for signed in alone if _LABEL.search(_before_in_line(text, signed))]
    for signed in labelled[-1:] + labelled[:1] + alone[-1:] + alone[:1]:
        for rest in (text[signed.end :], text[: signed.start]):
            if len([line for line in rest.split("\n") if line.strip()]) <= _LAST_LINES:
                return _day_with_words(text, signed)
    return None


def _day_with_words(text: str, signed: WrittenDay) -> DocumentDay:
    return DocumentDay(signed.day, text[signed.start : signed.end])


def _is_alone(text: str, signed: WrittenDay) -> bool:
    end = text.find("\n", signed.end, signed.end + _LONGEST_LINE)
    after = text[signed.end : signed.end + _LONGEST_LINE if end < 0 else end]
    if not _AFTER.fullmatch(after):
        return False
    before = _before_in_line(text, signed)
    apart = _ALONE.match(before) or _LABEL.search(before)
    return apart is not None and not _EVENT.search(before)


def _before_in_line(text: str, signed: WrittenDay) -> str:
    line = text.rfind("\n", max(0, signed.start - _LONGEST_LINE), signed.start) + 1
    return text[max(line, signed.start - _LONGEST_LINE) : signed.start]


_OLDER: Final = ("原", "旧", "修正前", "修订前", "修改前")
_REPEALED: Final = ("已", "现已", "废止", "失效", THEN_EVENT)
"""What a document says of a law that it knows to be repealed."""
# A document that applies the law of the time of the facts: "施行前的法律事实", "适用当时的法律",
# "时间效力的若干规定》第一条"; not "当时的情况"
_THEN_APPLIES: Final = re.compile(
    r"施行前的法律事实|(?:适用|依照|依据|按照)[^，。；\n]{0,12}"
    r"(?:当时|行为时|订立时|签订时)(?:有效|施行)?的(?:法律|司法解释|规定)"
    r"|时间效力的?(?:若干)?规定[》〉]?第[一1]条"
)
# "2021年5月", "2016年"; not "2018年修正", "2021年1月1日起施行"
_FACTS: Final = re.compile(
    r"((?:19|20)[0-9]{2}) ?年(?: ?(1[0-2]|0?[1-9]) ?月)?"
    r"(?![^，。；\n]{0,6}(?:修正|修订|施行|公布|版))"
)
_TAKES_EFFECT: Final = frozenset({"施行", "实施", "生效", "试行"})


class Standing(NamedTuple):
    """What can be said of a law on a day.

    ``version`` is the text at hand that counts; ``promulgated`` the day of the version that counts,
    at hand or not. ``later`` is a version that was promulgated by then but not yet in force.
    ``several`` says that the citation can mean several versions, so that no day stands for it.
    """

    in_force: YesNo
    version: Version | None
    promulgated: date | None
    day: Day
    notes: tuple[str, ...] = ()
    later: Version | None = None
    problem: Problem = ""
    several: bool = False


def standing(
    library: Library, law: LawEntry, day: Day, hint: VersionHint | None, *, then: str = ""
) -> Standing:
    """The version of a law that counts on a day; a version that the citation names is preferred.

    ``then`` are words by which the document says that it applies the law of the time of the facts:
    a repealed law is none of its mistakes, as is one that the citation itself calls repealed.
    """
    named = _version_of(library, law, hint, day.day) if hint else None
    if named is None and then:
        named = _last(library, law, day.day)
    if named is None:
        return _on(library, law, day)
    stand = _standing_in(library, law, named, day, hint.text if hint else then)
    if (then and not hint) or is_then(hint):
        stand = stand._replace(notes=(*stand.notes, Note("law of the facts")))
    return stand


def then_applies(text: str) -> str:
    """The words by which a document says that it applies the law of the time of the facts."""
    match = _THEN_APPLIES.search(text)
    return match[0] if match else ""


def is_then(hint: VersionHint | None) -> bool:
    """Whether a citation says that it means the law of the time of the facts."""
    return hint is not None and hint.event == THEN_EVENT


def facts_are_later(library: Library, law: LawEntry, on: date, passage: str) -> bool:
    """Whether all dates of a passage are later than the repeal of a law, so that it never applied.

    Years of versions (2018年修正) are no dates of facts.
    """
    answer = in_force_on(library, law, on)
    if not isinstance(answer, Repealed):
        return False
    months = [(int(year), int(month or 1)) for year, month in _FACTS.findall(passage)]
    return bool(months) and min(months) >= (answer.on.year, answer.on.month)


def is_former(hint: VersionHint | None) -> bool:
    """Whether a citation says that its law is not in force any more."""
    return hint is not None and (hint.event or "").startswith((*_OLDER, *_REPEALED))


def _on(library: Library, law: LawEntry, day: Day) -> Standing:
    answer = in_force_on(library, law, day.day)
    if isinstance(answer, FoundVersion):
        version, later = answer.version, None
        last = latest_by(library, law, day.day)
        if isinstance(last, FoundVersion) and not same_version(last, answer):
            later = last.version
        notes = () if answer.sure else (Note("not certain", reason=answer.note),)
        return Standing("yes", version, version.promulgated, day, notes, later)
    if isinstance(answer, Unknown):
        meant = answer.needed[0].promulgated if len(answer.needed) == 1 else None
        return Standing("unknown", None, meant, day, (answer.reason,))
    if isinstance(answer, Repealed):
        return Standing("no", answer.last, None, day, (answer.told,), problem="not in force")
    if isinstance(answer, NotYet):
        return Standing("no", None, None, day, (answer.reason,), problem="not in force")
    return Standing("unknown", None, None, day, (answer.reason,))  # pragma: no cover


# "〈中华人民共和国合同法〉" in the title of an interpretation: the law that it explains
_EXPLAINED: Final = re.compile(r"〈([^〈〉]{2,60})〉")


def repealed_parents(library: Library, law: LawEntry, on: date) -> Iterator[Note]:
    """Laws that an interpretation explains by its title and that were repealed by then.

    What it says may go on to apply by way of what came after, or not: a reader has to know.
    """
    for name in _EXPLAINED.findall(law.name) if law.kind == "interpretation" else ():
        for parent in candidates(library, name):
            if isinstance(answer := in_force_on(library, parent, on), Repealed):
                yield Note("explained law repealed", law=parent.short, repealed=answer.told)


def _standing_in(library: Library, law: LawEntry, named: Answer, day: Day, text: str) -> Standing:
    """The version that the citation names itself."""
    if isinstance(named, FoundVersion):
        version = named.version
        own = Day(version.effective or version.promulgated, "citation", text)
        now = in_force_on(library, law, day.day)
        notes: tuple[str, ...] = ()
        if isinstance(now, FoundVersion) and now.version != version:
            made = now.version.promulgated
            notes = (Note("other version in force", day=day.day, made=made),)
        elif isinstance(now, Repealed):
            notes = (now.told,)
        return Standing("yes", version, version.promulgated, own, notes)
    own = Day(day.day, "citation", text)
    if isinstance(named, Unknown) and len(named.needed) == 1:
        meant = named.needed[0]
        own = Day(meant.effective or meant.promulgated, "citation", text)
        return Standing("unknown", None, meant.promulgated, own, (named.reason,))
    if isinstance(named, Unknown):
        return Standing("unknown", None, None, own, (named.reason,), several=True)
    return Standing("no", None, None, own, (named.reason,), problem="no such version")


def _version_of(library: Library, law: LawEntry, hint: VersionHint, on: date) -> Answer | None:
    """The version that a hint means; None where it tells nothing that can be looked up."""
    if (hint.event or "").startswith(_REPEALED):
        return _last(library, law, on)
    if hint.year is None:
        return _before(library, law, on) if (hint.event or "").startswith(_OLDER) else None
    return _of_that_date(library, law, hint, hint.year)


def _of_that_date(library: Library, law: LawEntry, hint: VersionHint, year: int) -> Answer | None:
    occasions = library.occasions(law)
    if hint.month and hint.day:
        try:
            day = date(year, hint.month, hint.day)
        except ValueError:
            return None
        took = [o for o in occasions if o.effective == day]
        exact = promulgated_on(library, law, day)
        if hint.event in _TAKES_EFFECT or isinstance(exact, NoSuchVersion):
            return _only(library, law, took, hint.text) if took else exact
        return exact
    months = range(1, 13) if hint.month is None else (hint.month,)
    named = [(year, month) for month in months]
    took = [o for o in occasions if o.effective and (o.effective.year, o.effective.month) in named]
    made = [o for o in occasions if (o.promulgated.year, o.promulgated.month) in named]
    chosen = took or made if hint.event in _TAKES_EFFECT else made or took
    if not chosen and hint.event == "文号":
        return None  # a document number of one year, published in the next: the day decides
    return _only(library, law, chosen, hint.text)


def _only(library: Library, law: LawEntry, occasions: Sequence[Occasion], text: str) -> Answer:
    if not occasions:
        days = tuple(o.promulgated for o in library.occasions(law))
        return NoSuchVersion(days, Note("no version cited", law=law.name, text=text))
    if len(occasions) > 1:
        days = tuple(o.promulgated for o in occasions)
        return Unknown(tuple(occasions), Note("several versions cited", text=text, days=days))
    return promulgated_on(library, law, occasions[0].promulgated)


def _before(library: Library, law: LawEntry, on: date) -> Answer | None:
    """The version before the one that is in force: 原第三条."""
    answer = in_force_on(library, law, on)
    if not isinstance(answer, FoundVersion):
        return _last(library, law, on)
    occasions = library.occasions(law)
    older = [o for o in occasions if o.promulgated < answer.version.promulgated]
    return promulgated_on(library, law, older[-1].promulgated) if older else None


def _last(library: Library, law: LawEntry, on: date) -> Answer | None:
    """The last version of a law that was repealed by then."""
    answer = in_force_on(library, law, on)
    return FoundVersion(answer.last) if isinstance(answer, Repealed) and answer.last else None


_MOST_OF_A_RANGE: Final = 60
_NAMED: Final = 4


@dataclass(slots=True)
class Place:
    """The positions of one citation.

    ``passages`` are the cited articles as they read on the day, as far as they are known;
    ``known`` is False where some of their words are not at hand. ``text_of`` is the version that
    the words were taken from. ``struck`` are positions that were repealed alone.
    """

    exists: YesNo
    passages: list[Passage] = field(default_factory=list)
    known: bool = True
    text_of: date | None = None
    carried: bool = False
    struck: bool = False
    notes: list[Note] = field(default_factory=list)


class Places:
    """Looks positions up in one library."""

    def __init__(self, passages: Passages) -> None:
        self.passages = passages
        self.library = passages.library
        self.amendments = Amendments(passages)

    def find(self, law: LawEntry, citation: Citation, stand: Standing) -> Place:
        """Whether all positions of a citation are there."""
        positions = citation.expand(_MOST_OF_A_RANGE)
        if citation.until and citation.until not in positions:
            positions = (*positions, citation.until)
        if stand.several:
            notes = list(self._other_versions(law, positions[0], None))
            return Place("unknown", known=False, notes=notes)
        if stand.version is None and stand.in_force == "unknown":
            places = [self._unknown(law, position, stand.day.day) for position in positions]
        elif stand.version is None:
            return Place("unknown", known=False)
        else:
            version, on = stand.version, stand.day.day
            places = [self._in(law, position, version, on) for position in positions]
        return places[0] if len(places) == 1 else _unite(places)

    def _in(self, law: LawEntry, position: Position, version: Version, on: date) -> Place:
        passage = self.passages.article(version, position)
        if version.articles == 0 and (passage is None or position.paragraph or position.item):
            return Place("unknown", known=False, notes=[Note("no articles")])
        reason = _missing(passage, position, version)
        if passage is None or reason:
            place = Place("no", [passage] if passage else [], notes=[reason] if reason else [])
            place.notes += self._other_versions(law, position, version)
            return place
        place = Place("yes", [passage], text_of=version.promulgated)
        for repeal in struck_parts(self.library, version, on):
            near = [part for part in repeal.scope if part[:2] == position[:2]]
            if any(_covers(part, position) for part in near):
                place.struck = True
                place.notes.append(repeal.note)
            elif near:
                parts = tuple(map(format_position, near))
                place.notes.append(Note("part repealed", positions=parts, repealed=repeal.note))
        if passage.deleted:
            place.exists = "no"
            place.notes.append(Note("printed as deleted"))
        return place

    def _unknown(self, law: LawEntry, position: Position, on: date) -> Place:
        """On a day whose version is not at hand, as far as amending acts tell."""
        carried = self.amendments.carried(law, position, on)
        if carried is None:
            place = Place("unknown", known=False)
        else:
            place = Place("yes" if carried.exists else "no", carried=True, notes=[carried.reason])
            if carried.passage:
                _carry(place, position, carried, carried.passage)
            elif carried.exists:
                place.known = False
                if position.item or (position.paragraph or 1) > 1:
                    place.exists = "unknown"  # every article has a first paragraph, no more is sure
        if place.exists == "unknown" or not place.known:
            place.notes += self._other_versions(law, position, None)
        return place

    def having(self, law: LawEntry, position: Position, but: Version | None) -> list[Version]:
        """The versions at hand that have a position, but for one."""
        return [
            version
            for version in self.library.versions(law)
            if version != but
            and not _missing(self.passages.article(version, position), position, version)
        ]

    def _other_versions(
        self, law: LawEntry, position: Position, but: Version | None
    ) -> Iterator[Note]:
        """In which other versions the position is, for those who look for the mistake."""
        if having := self.having(law, position, but):
            days = tuple(version.promulgated for version in having[-_NAMED:])
            yield Note("in other versions", position=format_position(position), days=days)


def _covers(part: Position, position: Position) -> bool:
    """Whether a position lies in another, as far as both are told."""
    return all(wide is None or wide == narrow for wide, narrow in zip(part, position, strict=True))


def _missing(passage: Passage | None, position: Position, version: Version) -> Note | None:
    """Why a position is not in an article, if it is not."""
    if passage is None:
        article = format_position(Position(*position[:2]))
        return Note("no such article", day=version.promulgated, position=article)
    paragraphs = {unit.position.paragraph or 1 for unit in passage.units}
    if position.paragraph is not None and position.paragraph not in paragraphs:
        article = format_position(passage.article)
        return Note("too few paragraphs", position=article, n=len(paragraphs))
    if position.item is None:
        return None
    wanted = paragraphs if position.paragraph is None else {position.paragraph}
    items = [u.position.item for u in passage.units if (u.position.paragraph or 1) in wanted]
    if position.item in items:
        return None
    count = len([item for item in items if item])
    where = format_position(Position(*position[:3]))
    return Note("too few items" if count else "no items", position=where, n=count)


def _carry(place: Place, position: Position, carried: Carried, passage: Passage) -> None:
    """The words of another day that the article is known to share, but for some paragraphs."""
    other = carried.other_paragraphs
    if position.item and other and (position.paragraph is None or position.paragraph in other):
        place.exists = "unknown"  # whether such a paragraph has the item
    elif reason := _missing(passage, position, passage.version):
        place.exists = "no"
        place.notes.append(reason)
    place.text_of = passage.version.promulgated
    kept: Passage | None = passage
    if other:
        kept = passage.only(lambda p: (p.paragraph or 1) not in other)
        place.known = position.paragraph not in {None, *other}
    place.passages += [kept] if kept else []


def _unite(places: list[Place]) -> Place:
    """A range is there when all of it is."""
    answers = {place.exists for place in places}
    united = Place("no" if "no" in answers else "unknown" if "unknown" in answers else "yes")
    for place in places:
        united.passages += place.passages
        united.known = united.known and place.known
        united.carried = united.carried or place.carried
        united.struck = united.struck or place.struck
        united.text_of = united.text_of or place.text_of
        if place.exists == united.exists:
            united.notes += [note for note in place.notes if note not in united.notes]
    united.notes = united.notes[:_NAMED]
    return united

"""What was found of a citation, as one would tell a colleague, in Chinese or in English.

The verdict in a sentence; the day that counts and why; the text of the provision on that day; and
what to cite instead, as far as the library knows: the successor of a repealed law, the article that
has the words, the number that it has in the version in force. What is found by words alone is said
to be so, and what is not known is left empty.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from hengfa.law.desk.notes import chinese_day, in_chinese, titled
from hengfa.law.grammar.citation_model import Citation, Position
from hengfa.law.grammar.citation_positions import parse_position
from hengfa.law.grammar.law_names import STATE
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import Checked, Day, DayBasis, Problem, Source, Status
from hengfa.law.library.citing.quoting import written
from hengfa.law.library.citing.standing import Places
from hengfa.law.library.history import follow
from hengfa.law.library.matching import Kept, Passages
from hengfa.law.library.model import Law, Version
from hengfa.law.library.names import Names
from hengfa.law.library.store import Library
from hengfa.law.library.successors import successors
from hengfa.law.library.versions import FoundVersion, Repealed, in_force_on

Lang: TypeAlias = Literal["zh", "en"]


class Explained(msgspec.Struct, frozen=True):
    """A finding in words.

    ``label`` is the status and ``problem`` what is the matter, in a word or two; ``sentence`` the
    verdict; ``day`` which day counts, and why. ``provision`` is the text of what is cited on that
    day, the last one of a law that was repealed, and ``place`` says whose text that is. ``instead``
    is what to cite instead. What is not known is "".
    """

    label: str
    problem: str
    sentence: str
    day: str
    provision: str
    place: str
    instead: str
    notes: tuple[str, ...]


def default_lang(environment: Mapping[str, str] = os.environ) -> Lang:
    """Chinese where the locale of messages is Chinese, else English."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next((value for name in names if (value := environment.get(name))), "")
    return "zh" if locale.lower().startswith("zh") else "en"


def explain(source: Checker | Library, checked: Checked, lang: Lang) -> Explained:
    """One finding in words; whoever has many makes an `Explainer`, which keeps what it has read."""
    return Explainer(source).explain(checked, lang)


LABELS: Final[dict[Lang, dict[Status, str]]] = {
    "zh": {
        "right": "正确",
        "wording": "文字有出入",
        "wrong": "有误",
        "unlike": "与条文不符",
        "unknown": "无法核对",
        "unclear": "需人工核对",
        "paper": "不是法律",
    },
    "en": {
        "right": "right",
        "wording": "differing in wording",
        "wrong": "wrong",
        "unlike": "told unlike the provision",
        "unknown": "unknown to the library",
        "unclear": "unclear",
        "paper": "of papers that are no law",
    },
}

_PROBLEMS: Final[dict[Problem, str]] = {
    "no such position": "没有该条款",
    "not in force": "当日未施行或已失效",
    "no such version": "没有该版本",
    "quoted from another provision": "引自别的条文",
    "quoted from another version": "引自别的版本",
    "quoted words not in the law": "法律中没有所引文字",
    "wording differs": "文字有出入",
    "proviso left out": "略去但书",
    "told unlike the provision": "转述不符",
    "told as in another version": "转述的是别的版本",
    "called by a crime of another article": "罪名属于别的条文",
    "called unlike the provision": "称呼与条文不符",
    "cited for what another article says": "所说的是别的条文",
    "law not in the library": "库中没有该法",
    "version not in the library": "库中没有该版本",
    "text not in the library": "库中没有当日的文字",
    "no law named": "没有写明法律",
    "name of several laws": "名称可以指几部法律",
    "not a law": "不是法律",
}
"""In English a problem is called what it is."""

_SENTENCES: Final[dict[Problem, tuple[str, str]]] = {
    "no such position": (
        "{cited}不存在：{then}有效的版本没有这一条、款或项。",
        "{cited} does not exist: the version in force on {then} has no such position.",
    ),
    "not in force": (
        "{cited}在{then}不是有效的法律。",
        "{cited} was not law in force on {then}.",
    ),
    "no such version": (
        "没有发现{law}有文书所写的版本“{text}”。",
        "No version of {law} is known that is the one cited: {text}.",
    ),
    "quoted from another provision": (
        "引文不是{cited}的文字，而是别的条文的文字。",
        "The quoted words are not those of {cited} but of another provision.",
    ),
    "quoted from another version": (
        "引文是别的版本的文字，不是{then}有效的{cited}的文字。",
        "The quoted words are of another version, not of {cited} as in force on {then}.",
    ),
    "quoted words not in the law": (
        "引文不是{cited}的文字，在法律库中也没有找到出处。",
        "The quoted words are not those of {cited}, nor were they found elsewhere in the library.",
    ),
    "wording differs": (
        "{cited}存在，{then}有效，但引文的文字有出入。",
        "{cited} exists and was in force on {then}, but some quoted words differ.",
    ),
    "proviso left out": (
        "{cited}存在，{then}有效，但文书略去了它的例外。",
        "{cited} exists and was in force on {then}, but the document leaves out its exception.",
    ),
    "told unlike the provision": (
        "{cited}存在，{then}有效，但文书所述与条文不符。",
        "{cited} exists and was in force on {then}, but does not say what is told of it.",
    ),
    "told as in another version": (
        "文书所述是别的版本的内容，与{then}有效的{cited}不符。",
        "What is told is in another version, not in {cited} as in force on {then}.",
    ),
    "called by a crime of another article": (
        "{cited}规定的不是文书所称的罪名。",
        "{cited} is not about the crime that it is cited for.",
    ),
    "called unlike the provision": (
        "文书对{cited}的称呼与条文的内容不符。",
        "What {cited} is called is not what it says.",
    ),
    "cited for what another article says": (
        "引用{cited}的这句话，说的是别的条文的内容。",
        "The sentence that cites {cited} is about what another article says.",
    ),
    "law not in the library": (
        "法律库中没有“{named}”，无法核对；这不等于它不存在。",
        "The library does not have {named}: not checked, which does not mean that there is none.",
    ),
    "version not in the library": (
        "法律库中没有{law}在{then}有效的文本，无法核对{position}。",
        "The library lacks the text of {law} in force on {then}: {position} was not checked.",
    ),
    "text not in the library": (
        "{cited}存在，但法律库中没有它在{then}的文字，无法核对引文。",
        "{cited} exists, but the library lacks its words of {then}: the quotation was not checked.",
    ),
    "no law named": (
        "没有写明“{written}”是哪部法律的规定，请人工核对。",
        "It is not said of which law “{written}” is; a person has to look.",
    ),
    "name of several laws": (
        "“{named}”可以指几部法律，请人工核对。",
        "“{named}” can mean several laws; a person has to look.",
    ),
    "not a law": (
        "“{written}”是合同或其他文书的条款，不是法律，没有核对。",
        "“{written}” is a clause of a contract or another paper, not law: it was not checked.",
    ),
}
_DOUBT: Final = ("不能断定，请人工核对：", "Not certain, a person has to look: ")
_ALWAYS_UNCLEAR: Final = frozenset({"no law named", "name of several laws"})
_RIGHT: Final = (
    "{cited}存在，{then}有效。",
    "{cited} exists and was in force on {then}.",
)
_EXACT: Final = (
    "引文与条文逐字相符（标点不计）。",
    " What is quoted is word for word so, punctuation aside.",
)
_LIKE: Final = (
    "所述内容没有发现与条文不符之处。",
    " Nothing told of it was found to be unlike it.",
)
_INSIDE: Final = (
    "它在引文之内，随引文核对。",
    "It stands inside a quotation and was checked with it.",
)
_DAYS: Final[dict[DayBasis, tuple[str, str]]] = {
    "as of": ("按指定的日期{day}的法律核对。", "Checked by the law of {day}, as asked."),
    "citation": (
        "按引用自己写明的版本“{text}”核对，所取日期为{day}。",
        "Checked by the version that the citation names ({text}), as of {day}.",
    ),
    "document": (
        "按文书的日期{day}（“{text}”）的法律核对。",
        "Checked by the law of {day}, the date of the document ({text}).",
    ),
    "today": (
        "文书没有可读的日期，按今天{day}的法律核对。",
        "Checked by the law of today, {day}: the document bears no date.",
    ),
}


def day_words(day: Day, lang: Lang) -> str:
    """Which day counts, and who says so."""
    return _DAYS[day.basis][lang == "en"].format(day=_date(day.day, lang), text=_line(day.text))


def note_words(note: str, lang: Lang) -> str:
    """A note of the checker, or on how a file was read."""
    return in_chinese(note) if lang == "zh" else note


def law_words(law: str, position: str, lang: Lang) -> str:
    """《中华人民共和国刑法》第二百六十四条; in English without the state."""
    return f"{titled(law if lang == 'zh' else law.removeprefix(STATE))}{position}"


def _date(day: date, lang: Lang) -> str:
    return chinese_day(day) if lang == "zh" else str(day)


def _line(text: str) -> str:
    """Words of a document in one line."""
    return " ".join(text.split())


def _sentence(checked: Checked, lang: Lang) -> str:
    slots = {
        "cited": law_words(checked.law, checked.position, lang) if checked.law else "",
        "law": law_words(checked.law or checked.named or "", "", lang),
        "named": _line(checked.named or ""),
        "position": checked.position,
        "written": _line(checked.written),
        "text": _line(checked.day.text) if checked.day else "",
        "then": _date(checked.day.day, lang) if checked.day else "",
    }
    slots["cited"] = slots["cited"] or slots["written"]
    english = lang == "en"
    if checked.problem == "not in force" and checked.day is None:
        said = ("{cited}已经废止。", "{cited} was repealed.")[english]
    elif checked.problem:
        said = _SENTENCES[checked.problem][english]
    elif checked.inside:
        said = _INSIDE[english]
    else:
        said = "".join(part[english] for part in _all_right(checked))
    doubtful = checked.status == "unclear" and checked.problem not in _ALWAYS_UNCLEAR
    return (_DOUBT[english] if doubtful else "") + said.format_map(slots)


def _all_right(checked: Checked) -> Iterator[tuple[str, str]]:
    yield _RIGHT
    if checked.quotation and checked.quotation.verdict == "exact":
        yield _EXACT
    elif checked.telling and checked.telling.verdict == "like":
        yield _LIKE


_TAKEN: Final = frozenset({"quoted from another provision", "quoted from another version"})
# The notes that name other articles
_CRIME: Final = re.compile("this crime is in (?P<places>.+)")
_SUBJECT: Final = re.compile("the sentence is about (?P<place>.+) of the version of (?P<day>.+)")
_MOST_SHOWN: Final = 4
_LONGEST: Final = 400
_MOST_OF_A_RANGE: Final = 12
_KEPT: Final = 4096


class _Home(NamedTuple):
    """Where something stands; ``how`` it is known: by its number, by a table, by its words."""

    version: Version
    position: Position
    how: Literal["same", "known", "found"]


class _Text(NamedTuple):
    """The words of a provision, and whose: ``version`` is None where acts alone tell them."""

    words: str
    position: str
    version: Version | None


class Explainer:
    """Puts the findings of one library into words; keeps what it has looked up."""

    def __init__(self, source: Checker | Library) -> None:
        if isinstance(source, Checker):
            self.library, self.places, self.names = source.library, source.places, source.names
        else:
            self.library, self.names = source, Names(source)
            self.places = Places(Passages(source))
        self._went: Kept[tuple[int, Position, date], list[_Home]] = Kept(_KEPT)

    def explain(self, checked: Checked, lang: Lang) -> Explained:
        found = self._text(checked)
        return Explained(
            label=LABELS[lang][checked.status],
            problem=_PROBLEMS.get(checked.problem, "") if lang == "zh" else checked.problem,
            sentence=_sentence(checked, lang),
            day=day_words(checked.day, lang) if checked.day else "",
            provision=found.words if found else "",
            place=_place(checked, found, lang) if found else "",
            instead=self._instead(checked, lang),
            notes=tuple(_remarks(checked, lang)),
        )

    # --- the text on the day ---

    def _text(self, checked: Checked) -> _Text | None:
        law, positions = self._law(checked.law), _positions(checked.position)
        if law is None or checked.day is None or not positions:
            return None
        version = self._version(law, checked)
        if version:
            texts = [self._in(version, position) for position in positions]
        else:
            texts = [self._derived(law, position, checked.day.day) for position in positions]
        known = [text for text in texts if text]
        if not known:
            return None
        place = checked.position if len(known) > 1 else known[0].position
        return _Text("\n".join(text.words for text in known), place, version)

    def _in(self, version: Version, position: Position) -> _Text | None:
        """The provision, or its article where that has no such paragraph or item."""
        for place in (position, Position(*position[:2])):
            if words := self.library.text(version, place):
                return _Text(words, written(place), version)
        return None

    def _derived(self, law: Law, position: Position, on: date) -> _Text | None:
        carried = self.places.amendments.carried(law, position, on)
        words = carried.text(position) if carried and carried.exists else None
        return _Text(words, written(position), None) if words else None

    def _version(self, law: Law, checked: Checked) -> Version | None:
        """The text that counts, or the last one of a law that was repealed."""
        if checked.version is None and checked.in_force == "no" and checked.day:
            answer = in_force_on(self.library, law, checked.day.day)
            return answer.last if isinstance(answer, Repealed) else None
        return self._promulgated(law, checked.version)

    def _promulgated(self, law: Law, day: date | None) -> Version | None:
        return next((v for v in self.library.versions(law) if v.promulgated == day), None)

    def _law(self, name: str | None) -> Law | None:
        return self.library.shelf.by_name.get(name or "")

    # --- what to cite instead ---

    def _instead(self, checked: Checked, lang: Lang) -> str:
        if proviso := _proviso(checked):
            return f"{('补上：', 'With its exception: ')[lang == 'en']}{proviso}"
        if checked.problem == "name of several laws":
            return "、".join(titled(law) for law in checked.candidates[:_MOST_SHOWN])
        homes = self._homes(checked)[:_MOST_SHOWN]
        if not homes and checked.problem == "not in force":
            return self._repealing(checked, lang)
        return "\n".join(self._home(home, lang) for home in homes)

    def _homes(self, checked: Checked) -> list[_Home]:
        """Where what was meant stands on the day."""
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
        return [home for source in _meant(checked) for home in self._of_source(source, on)]

    def _of_source(self, source: Source, on: date) -> list[_Home]:
        law, positions = self._law(source.law), _positions(source.position)
        version = self._promulgated(law, source.version) if law else None
        return self._now(version, positions[0], on) if version and positions else []

    def _now(self, version: Version, position: Position, on: date) -> list[_Home]:
        """Where a provision of some version stands in the law in force on a day."""
        key = version.id, position, on
        return self._went.get(key, lambda: list(self._follow(version, position, on)))

    def _follow(self, version: Version, position: Position, on: date) -> Iterator[_Home]:
        answer = in_force_on(self.library, self.library.shelf.by_name[version.law], on)
        if isinstance(answer, FoundVersion):
            now = answer.version
            place = position if now == version else follow(self.library, version, position, now)
            if place:
                yield _Home(now, place, "same" if place == position else "found")
        elif isinstance(answer, Repealed):
            for successor in successors(self.library, version, position):
                yield _Home(successor.version, successor.position, successor.how)

    def _home(self, home: _Home, lang: Lang) -> str:
        """`《民法典》第五百七十七条（2020年5月28日公布）：当事人一方……`."""
        version, position, how = home
        cited = law_words(version.law, written(position), lang)
        words = _line(self.library.text(version, position) or "")
        words = f"{words[:_LONGEST]}……" if words[_LONGEST:] else words
        made = _date(version.promulgated, lang)
        if lang == "zh":
            sure = "，按文字比对找到，请核对" if how == "found" else ""
            return f"{cited}（{made}公布{sure}）：{words}"
        sure = ", found by its words: please verify" if how == "found" else ""
        return f"{cited} (version of {made}{sure}): {words}"

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
        said = "见废止它的{by}。", "See {by}, which repealed it."
        return said[lang == "en"].format(by=titled(by))


def _proviso(checked: Checked) -> str:
    if checked.problem != "proviso left out":
        return ""
    told = checked.telling.proviso if checked.telling else ""
    return (checked.quotation.proviso if checked.quotation else "") or told


def _meant(checked: Checked) -> Sequence[Source]:
    """The provisions that have the quoted or told words, or the crime, best first."""
    quotation, telling = checked.quotation, checked.telling
    if checked.problem in _TAKEN:
        return quotation.sources[:1] if quotation else ()
    if checked.problem in {"told unlike the provision", "told as in another version"}:
        return (telling.nearest,) if telling and telling.nearest else ()
    return [source for note in checked.notes for source in _in_the_note(note, checked)]


def _in_the_note(note: str, checked: Checked) -> Iterator[Source]:
    law, version = checked.law, checked.version
    if law and version and (crime := _CRIME.fullmatch(note)):
        yield from (Source(law, version, place, 1.0) for place in crime["places"].split("、"))
    elif law and (subject := _SUBJECT.fullmatch(note)):
        yield Source(law, date.fromisoformat(subject["day"]), subject["place"], 1.0)


def _positions(written_as: str) -> tuple[Position, ...]:
    """第十条至第十二条 as the positions that it has; () without an article."""
    ends = [parse_position(end) for end in written_as.split("至")]
    first, last = ends[0], ends[-1]
    if first is None or last is None or first.article is None:
        return ()
    until = last if len(ends) > 1 else None
    return Citation(None, first, 0, 0, "named", until=until).expand(_MOST_OF_A_RANGE)


def _place(checked: Checked, found: _Text, lang: Lang) -> str:
    """Whose text it is: law, position, version."""
    cited = law_words(checked.law or "", found.position, lang)
    version = found.version
    if version is None:
        made = f"，{_date(checked.version, lang)}公布" if checked.version else ""
        since = f", version of {checked.version}" if checked.version else ""
        if lang == "zh":
            return f"{cited}（由修正案推得的文字{made}）"
        return f"{cited} (derived from amending acts{since})"
    stated = version.effective if version.sure in {"exact", "stated"} else None
    if lang == "zh":
        since = f"，自{_date(stated, lang)}起施行" if stated else ""
        return f"{cited}（{_date(version.promulgated, lang)}公布{since}）"
    since = f", in force from {stated}" if stated else ""
    return f"{cited} (version of {version.promulgated}{since})"


def _remarks(checked: Checked, lang: Lang) -> Iterator[str]:
    """What a reader should know besides, the words of the document and of the law first."""
    quotation = checked.quotation
    shown = [difference.shown for difference in quotation.differences] if quotation else []
    yield from (note_words(note, lang) for note in _about_the_sources(checked))
    yield from shown[:_MOST_SHOWN]
    if len(shown) > _MOST_SHOWN:
        yield note_words(f"… and {len(shown) - _MOST_SHOWN} more differences", lang)
    if quotation and quotation.left_out and checked.status != "right":
        more = "…" if quotation.left_out[3:] else ""
        yield note_words(f"leaves out {'、'.join(quotation.left_out[:3])}{more}", lang)
    yield from (note_words(note, lang) for note in _about_the_telling(checked))
    yield from (note_words(note, lang) for note in checked.notes)


def _about_the_sources(checked: Checked) -> Iterator[str]:
    sources = checked.quotation.sources if checked.quotation else ()
    if not sources:
        return
    best, homes = sources[0], _named(sources, checked.law)
    if checked.problem in _TAKEN:
        yield f"the words are those of {homes}"
    elif best.similarity == 1:
        yield f"word for word: {homes}"
    else:
        yield f"nearest, {best.similarity:.0%} alike: {homes}"


def _about_the_telling(checked: Checked) -> Iterator[str]:
    telling = checked.telling
    if telling is None or checked.status != "unlike":
        return
    if telling.numbers:
        yield f"the provision does not have {'、'.join(telling.numbers)}"
    if telling.contrary:
        yield f"the provision has the opposite of {'、'.join(telling.contrary)}"
    if telling.proviso:
        yield f"leaves out {telling.proviso}"
    if telling.nearest:
        yield f"nearest to what is told: {_named([telling.nearest], checked.law)}"


def _named(sources: Sequence[Source], law: str | None) -> str:
    """`第五十三条 (1997-03-14)`, with the law where it is another, all versions together."""
    homes: dict[str, list[str]] = {}
    for source in sources:
        other = "" if source.law == law else source.law.removeprefix(STATE)
        homes.setdefault(f"{other}{source.position}", []).append(str(source.version))
    return "; ".join(f"{name} ({', '.join(days)})" for name, days in homes.items())

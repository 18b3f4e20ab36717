"""What the lines above a statute's text say about its history: passed, amended, in force since.

（1989年4月4日…会议通过　根据2014年11月1日…《…的决定》第一次修正　自2015年5月1日起施行） holds
three events. The text of a version was made on the last day on which it was passed, amended or
revised: that day is its promulgation date, as statutes are dated. When it came into force is often
not said above the text, and what an article says (本法自1985年4月1日起施行) is the day of the first
version, or of the last that was revised as a whole.

Judicial interpretations are passed on one day and promulgated on a later one, which their headers
mostly leave out: there ``promulgated`` is only the day on which they were passed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Final, Literal, TypeAlias

import msgspec

from hengfa.law.grammar.dates import WrittenDay, find_days
from hengfa.law.grammar.statute import Statute

EventKind: TypeAlias = Literal[
    "adopted", "amended", "revised", "approved", "promulgated", "effective"
]

_TEXT_MADE: Final = frozenset({"adopted", "amended", "revised", "approved", "promulgated"})
_WHOLE_TEXT_MADE: Final = frozenset({"adopted", "revised", "approved"})

# "通过的《刑法修正案》", "通过《关于修改某法的决定》"; not "通过", not "通过《某法》"
_PASSED_AMENDMENT: Final = re.compile(r"通过(?:的《|《[^》]{0,40}(?:修改|修正))")
# "自" before a day, "生效日期："; not "根据"
_SINCE: Final = re.compile(r"自\s?\Z|(?:生效|施行|实施)(?:日期|时间)\s?[:：]\s?\Z")
# "公布", "国务院令第169号发布"; not "自公布之日起施行", "发布日期："
_PROMULGATED: Final = re.compile(r"(?<!自)[公发颁]布(?!日期)")
# "公布施行", "实施" on the day itself; not "公布，自某日起施行"
_AT_ONCE: Final = re.compile(r"公布[施实]行|公布实施|\A\s?起?(?:施行|实施)")
# "自公布之日起施行"; not "自公布之日起三十日后施行"
_FROM_PROMULGATION: Final = re.compile(r"自(?:公布|发布|颁布)之日起(?:施行|实施|生效)")
# "制定机关：", "生效日期：2013年7月1日"; not "生效的判决"
_FIELD: Final = re.compile(
    r"(?:制定机关|生效日期|施行日期|施行时间|公布日期|发布日期|时效性)\s?[:：]"
)
# "主席令", "第 六十五 号", "中华人民共和国主席 某某"; not "主席团"
_ORDER: Final = re.compile(
    r"主席令|全国人民代表大会公告|\A第\s?\S{1,8}\s?号\Z|\A中华人民共和国主席\s?\S{2,5}\Z"
)
# "修正案修正：" above a list of dates; not "第一次修正"
_AMENDED_BELOW: Final = re.compile(r"修正[:：]\Z")
# "本法自1999年10月1日起施行", "本条例自公布之日起实施"; not "本法施行前", "自本法施行之日起"
_IN_TEXT: Final = re.compile(
    r"本(?:法典?|条例|规定|决定|办法|规则|解释|细则|修正案)[^。；]{0,60}?自\s?"
    r"(?:((?:[0-9０-９一二三四五六七八九十〇○零]{1,4}\s?[年月日]\s?){3})|(?:公布|发布|颁布)之日)\s?起"
    r"(?:施行|实施|生效)"
)

_TOLD_WITHIN: Final = timedelta(days=92)
"""So long after it was passed a text is promulgated; later ones are promulgations of amendments."""


class Event(msgspec.Struct, frozen=True):
    date: date
    kind: EventKind


class Header(msgspec.Struct, frozen=True):
    """What a text says about itself.

    ``promulgated`` is the day on which this text was made: the last on which it was passed, amended
    or revised. ``effective`` is the day from which this text is in force, where the text says so;
    ``effective_in_text`` what an article says, which is older if the text was amended since.
    """

    title: str
    events: tuple[Event, ...]
    promulgated: date | None
    effective: date | None
    effective_in_text: date | None = None


def is_history(text: str) -> bool:
    """Whether a line belongs above a statute: a day and what was done on it, or an order."""
    if len(text) > 1_500:
        return False
    said = _FIELD.search(text) or _ORDER.search(text) or next(_events(text, None), None)
    return said is not None


def read_header(lines: Iterable[str]) -> Header:
    """The history that the lines above a text tell, its title first."""
    texts = list(lines)
    title = texts[0] if texts else ""
    events: dict[Event, None] = {}  # in order, each once
    inherited: EventKind | None = None
    for text in _whole_sentences(texts[1:]):
        events.update(dict.fromkeys(_events(text, inherited)))
        if _AMENDED_BELOW.search(text):
            inherited = "amended"
    promulgated = max((event.date for event in events if event.kind in _TEXT_MADE), default=None)
    effective = max((event.date for event in events if event.kind == "effective"), default=None)
    if effective is None and any(map(_FROM_PROMULGATION.search, texts)):
        effective = promulgated
    if effective and promulgated and effective < promulgated:
        effective = None  # the day of an earlier text
    return Header(title, tuple(events), promulgated, effective)


def read_statute_header(statute: Statute) -> Header:
    """The history that a whole text tells: above it, and in the article on its entry into force."""
    header = read_header([statute.title, *statute.header])
    stated: date | None = None
    if (clause := entry_clause(statute)) and clause[1]:
        stated = next((day.day for day in _days(clause[1])), None)
    elif clause:
        made = (event.date for event in header.events if event.kind in _WHOLE_TEXT_MADE)
        last = max(made, default=None)
        told = (event.date for event in header.events if event.kind == "promulgated")
        # passed by the State Council on one day, promulgated on a later one
        soon = (day for day in told if last and timedelta() <= day - last <= _TOLD_WITHIN)
        stated = min(soon, default=last or header.promulgated)
    effective = header.effective
    if effective is None and stated and header.promulgated and stated >= header.promulgated:
        effective = stated
    return Header(header.title, header.events, header.promulgated, effective, stated)


def _whole_sentences(lines: Iterable[str]) -> Iterator[str]:
    """Lines that were broken in the middle are put together: a line with a day begins anew."""
    pending: list[str] = []
    for line in lines:
        below = _AMENDED_BELOW.search(line) is not None
        if pending and (below or _days(line)):
            yield "".join(pending)
            pending = []
        if below:
            yield line
        else:
            pending.append(line)
    yield "".join(pending)


def _days(text: str) -> list[WrittenDay]:
    """The days of a text; where a header masks one it says too little."""
    return [day for day in find_days(text) if not day.masked]


def _events(text: str, inherited: EventKind | None) -> Iterator[Event]:
    """The events of a line: each day with the words from it to the next."""
    days = _days(text)
    ends = [*(day.start for day in days[1:]), len(text)]
    for day, end in zip(days, ends, strict=False):
        before = text[max(0, day.start - 12) : day.start]
        kinds = _kinds(before, text[day.end : end]) or ([inherited] if inherited else [])
        for kind in kinds:
            yield Event(day.day, kind)


def _kinds(before: str, words: str) -> list[EventKind]:
    """What was done on a day, from the words around it."""
    if _SINCE.search(before):
        return ["effective"]
    start, end = words.find("《"), words.rfind("》")  # titles, whose words are not events
    act = words[:start] + words[end + 1 :] if 0 <= start < end else words
    kinds: list[EventKind] = []
    if "修正" in act:
        kinds.append("amended")
    elif "修订" in act:
        kinds.append("revised")
    elif _PASSED_AMENDMENT.search(words):
        kinds.append("amended")
    elif "通过" in act:
        kinds.append("adopted")
    elif "批准" in act:
        kinds.append("approved")
    if _PROMULGATED.search(act):
        kinds.append("promulgated")
    if _AT_ONCE.search(act):
        kinds.append("effective")
    return kinds


def entry_clause(statute: Statute) -> re.Match[str] | None:
    """本法自…起施行, in one of the last articles; its group is the day, or None: 自公布之日."""
    texts = [article.full_text for article in statute.articles] or list(statute.body)
    return next((match for text in reversed(texts) if (match := _IN_TEXT.search(text))), None)

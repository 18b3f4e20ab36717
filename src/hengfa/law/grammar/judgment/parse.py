"""One judgment from text to structure, by the corrected rules (judgment.md 8).

A judgment names its own parts (Q1, Q2): the heading ends where the hearing is over (审理终结), the
reasoning begins with 本院认为, the result follows 判决如下, and the appendix begins with the right
to appeal. Of several such words the one counts that opens its part:

* 本院认为 in the middle of a sentence answers one objection; that before which evidence is still
  being accepted (予以确认。) weighs evidence. The reasoning begins after them.
* 判决如下 before the reasoning is quoted from another judgment, as appeals do.
* Where a second judgment follows in the same text, only the first is read.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.citation_model import Position, resolve_relative
from hengfa.law.grammar.dates import find_days
from hengfa.law.grammar.judgment.charges import Charges
from hengfa.law.grammar.judgment.defendants import named_in_heading
from hengfa.law.grammar.judgment.document import (
    SECTIONS,
    AppliedProvision,
    Defendant,
    Judgment,
    JudgmentPart,
    Remark,
    RemarkCode,
    SectionKind,
)
from hengfa.law.grammar.judgment.plain import Plain, plain
from hengfa.law.grammar.judgment.verdicts import Result, read_result
from hengfa.law.grammar.law_names import abbreviations, normalise_name


def parse_judgment(text: str, charges: Charges | None = None) -> Judgment:
    """The structure of a criminal judgment. No text makes this raise; what is missing is remarked.

    Civil and administrative judgments are said to be so; only their parts and statutes are read.

    With a list of charges every crime has its listed name; without one, the name as written.
    """
    document = plain(text)
    parts, remarks = _cut(document)
    heading, facts, reasoning, result, appendix = (
        document.part(*parts.get(kind, (0, 0))) for kind in SECTIONS
    )
    introduced = named_in_heading((heading.text or facts.text).strip())
    outcome = read_result(result, introduced.indicted, charges)
    defendants = [*outcome.defendants]
    if len(defendants) < len(introduced.persons):  # else other names are other spellings
        names = {person.name for person in defendants}
        unsaid = {name: unit for name, unit in introduced.persons.items() if name not in names}
        defendants += [Defendant(name=name, unit=unit) for name, unit in unsaid.items()]
    opening = heading.text or document.text[:2_000]
    matter = None if any(person.charges for person in defendants) else _matter_of(opening)
    if matter is not None:
        outcome, defendants = Result((), ()), []
        remarks.append(_MATTERS[matter])
    elif not defendants and document.text.strip():
        remarks.append(Remark("no defendant", "nobody is named as a defendant"))
    elif result.text.strip() and not (
        any(person.final is not None for person in outcome.defendants)
        or any(remark.code in _DISPOSED for remark in outcome.remarks)
    ):
        remarks.append(Remark("no sentence", "the result sentences nobody"))

    def given(place: int) -> int:
        """Where a part begins or ends in the text that was given: its own start and end are."""
        within = 0 < place < len(document.text)
        return document.origin(place) if within else len(text) if place else 0

    return Judgment(
        sections=tuple(JudgmentPart(kind, *map(given, span)) for kind, span in parts.items()),
        court=_court_of(opening),
        number=_number_of(opening),
        date=_day_of(appendix.text),
        defendants=tuple(defendants),
        statutes=_read_statutes(reasoning),
        remarks=(*remarks, *outcome.remarks),
    )


_DISPOSED: Final[frozenset[RemarkCode]] = frozenset(
    {"upheld", "sent back", "withdrawn", "commuted"}
)
"""What a court does instead of sentencing somebody."""


# Parts

# "现已审理终结。", "审查终结", "审理终结并当庭宣判。"; of "审理终结某县检察院" the first words
_HEARD: Final = re.compile(r"审 ?[理查] ?终 ?结(?:[一-鿿]{0,10}。)?")
# What opens the facts: "公诉机关指控", "某市检察院起诉指控，", "经审理查明"; not "检察院以…指控"
_FACTS: Final = re.compile(
    r"(?:(?<=[。；： ])|\A)[一-鿿]{0,30}?(?:公诉机关|检察院|自诉人)(?:起诉|当庭)?(?:指控|诉称)"
    r"|(?:本院)?经(?:依法|本院|公开|开庭){0,2}审理(?:后)?(?:查明|认定)"
    r"|(?:(?<=[。； ])|\A)(?:原审|原判|一审)(?:判决|法院|人民法院)?(?:认定|查明)"
)
# What in a heading looks like the facts: "指控某犯某罪，于某日提起公诉", "指控某犯某罪一案"
_INDICTMENT: Final = re.compile(r"[^。]{0,160}?(?:提起公诉|一案)")
# "公开开庭审理了本案。", "公开开庭进行了审理。"
_HEARING: Final = re.compile(r"公 ?开 ?开庭[一-鿿]{0,6}审理[一-鿿]{0,10}。")
# "本院认为", "本院经审理认为", "本 院 认 为"; not "公诉机关认为"
_REASONING: Final = re.compile(r"本 ?院 ?(?:经审理|审理后|经审查|综合)?认 ?为")
# The court is still accepting evidence right before: "予以确认。", "足以认定", "作为定案依据。"
_EVIDENCE: Final = re.compile(r"(?:[予足]以?)(?:确认|认定|采信)|查证属实|定案的?[依根]据")
# "判决如下：", "判 决 如 下", "裁定如下", "作出如下判决："; not "判决书"
_RESULT: Final = re.compile(
    r"(?:(?:判 ?决|裁 ?定|判 ?处) ?如 ?下|(?:作出|作|宣告)如下(?:判决|裁定))[：，。]? ?"
)
_RULING: Final = re.compile(r"裁 ?定")
# Titles that models put in their place: "裁判理由：", "判决结果："; not "判决理由不足"
_REASONING_TITLE: Final = re.compile(r"(?:(?<=[ 。])|\A)(?:裁判|判决)(?:的)?理由 ?(?:：|(?= ))")
_RESULT_TITLE: Final = re.compile(
    r"(?:(?<=[ 。、])|\A)(?:裁判|判决)(?:结论|结果|主文) ?(?:：|(?= )) ?"
)
# The paragraph that cites the law: "综上，依照《", "根据"
_GROUNDS: Final = re.compile(r"依照|根据|依据|按照")
# What ends the result: "如不服本判决", "本判决为终审判决", "审判长", "附："; not "附带民事"
_APPENDIX: Final = re.compile(
    r"如果?[一-鿿]{0,12}?不服从?(?:本|此|一审|上述)?(?:判决|裁定)"
    r"|(?:本|此)(?:判决|裁定)书?(?:为|系|是)终审|权利告知"
    r"|如[一-鿿]{0,12}?未按照?本判决指定"
    r"|(?:(?<=[ 。）；])|(?<=份)|(?<=诉))(?:代理|助理)? ?审 ?判 ?[长员]"
    r"|(?:(?<=[ 。）；])|(?<=份))(?:人民)? ?陪 ?审 ?员|书 ?记 ?员"
    r"|(?<=[ 。）；])附(?:录|件|表|页|注)?[一二三]?："
    r"|(?<=[ 。）；])附录|(?<=[ 。）；])附[^带，。：； ]{0,10}(?:法律|法条|条文|条款)"
)
# The title of a judgment: "某县人民法院 刑事判决书 （2018）"; not "人民法院（2018）某号刑事判决书"
_TITLE: Final = re.compile(
    r"[一-鿿]{2,20}?人民法院 ?刑 ?事 ?(?:附 ?带 ?民 ?事 ?)?(?:判 ?决 ?书|裁 ?定 ?书) ?"
    r"[（〔\[]? ?(?:19|20)[0-9]{2}"
)
# Who stands in the heading of an appeal or a retrial: "原公诉机关", "原审被告人"; not "解回再审"
_APPEAL: Final = re.compile(r"上诉人|原审(?:被告|上诉)|原公诉|抗诉机关|[二再]审刑事")
# The numbers of such cases: "（2018）云01刑终3号", "刑再字第2号"; not "刑初3号"
_APPEAL_NUMBER: Final = re.compile("[终再]")

_BEFORE_REASONING: Final = 60
_MIDDLE: Final = frozenset("，、：；“")


def _cut(document: Plain) -> tuple[dict[SectionKind, tuple[int, int]], list[Remark]]:
    """Where the parts of the first judgment are in the plain text; what is missing has a remark.

    Parts follow one another without gaps.
    """
    text = document.text
    if not text.strip():
        return {}, [Remark("empty", "there is no text")]
    notes: list[Remark] = []
    heading_end = _heading_end(text)
    reasoning, result = _reasoning_and_result(text, heading_end or 0)
    end = len(text)
    if result is not None and (again := _TITLE.search(text, result.end())):
        end = again.start()
        notes.append(
            Remark("several judgments", "another judgment follows; only the first is read")
        )
    appendix = None
    if result is not None:
        match = _APPENDIX.search(text, result.end(), end)
        appendix = match.start() if match else None
        again = _RESULT.search(text, appendix, end) if appendix is not None else None
        if again and not notes:
            notes.append(
                Remark("several judgments", "another result follows; only the first is read")
            )
    if heading_end is not None and reasoning is not None and heading_end > reasoning:
        heading_end = None
    if heading_end is None:
        notes.append(
            Remark("no heading", "nothing says where the heading ends (审理终结, 指控, 查明)")
        )
    facts = heading_end or 0
    first_after = next(
        (p for p in (reasoning, result and result.end(), appendix) if p is not None), end
    )
    if not text[facts:first_after].strip():
        notes.append(Remark("no facts", "no text stands between the heading and the reasoning"))
    if reasoning is None or not _REASONING.match(text, reasoning):
        notes.append(Remark("no reasoning", "the words 本院认为 are missing"))
    if result is None:
        notes.append(Remark("no result", "the words 判决如下 are missing"))
    elif _RULING.search(result[0]):
        notes.append(Remark("ruling", "the court rules (裁定) and gives no judgment"))
    heading = text[: first_after if heading_end is None else heading_end]
    if _APPEAL.search(heading) or _APPEAL_NUMBER.search(_number_of(heading) or ""):
        notes.append(
            Remark("second instance", "an appeal or a retrial, not a first-instance judgment")
        )
    starts = (
        0 if heading_end else None,
        facts if text[facts:first_after].strip() else None,
        reasoning,
        result.end() if result else None,
        appendix,
    )
    there = [(kind, at) for kind, at in zip(SECTIONS, starts, strict=True) if at is not None]
    stops = [*(start for _, start in there[1:]), end]
    spans = {kind: (start, stop) for (kind, start), stop in zip(there, stops, strict=False)}
    return spans, notes


def _heading_end(text: str) -> int | None:
    """After the hearing is over, else before the facts open, else after the hearing."""
    reasoning = _REASONING.search(text)
    limit = reasoning.start() if reasoning else len(text)
    if heard := _HEARD.search(text, 0, limit):
        return heard.end()
    for facts in _FACTS.finditer(text, 0, limit):
        if not _INDICTMENT.match(text, facts.end(), limit):
            return facts.start() or None
    hearing = _HEARING.search(text, 0, limit)
    return hearing.end() if hearing else None


def _reasoning_and_result(text: str, start: int) -> tuple[int | None, re.Match[str] | None]:
    """The 本院认为 that opens the reasoning, and the 判决如下 after it."""
    opened = [match.start() for match in _REASONING.finditer(text, start)]
    if not opened:
        result = _RESULT.search(text, start) or _RESULT_TITLE.search(text, start)
        return _other_reasoning(text, start, result.start() if result else None), result
    result = _RESULT.search(text, opened[0]) or _RESULT_TITLE.search(text, opened[0])
    before = [place for place in opened if result is None or place < result.start()]
    best = min(_rank(text, place) for place in before)
    chosen, *later = (place for place in before if _rank(text, place) == best)
    for place in later:
        if _EVIDENCE.search(text, max(chosen, place - _BEFORE_REASONING), place):
            chosen = place  # evidence was accepted right before it
    return chosen, result


def _other_reasoning(text: str, start: int, end: int | None) -> int | None:
    """Without 本院认为: under its title, else the paragraph that cites the law for the result."""
    if title := _REASONING_TITLE.search(text, start, len(text) if end is None else end):
        return title.start()
    if end is None:
        return None
    paragraph = max(start, text.rfind(" ", start, max(start, end - 1)) + 1)
    return paragraph if _GROUNDS.search(text, paragraph, end) and paragraph > start else None


def _rank(text: str, place: int) -> int:
    """0 at the start of a paragraph, 1 at that of a sentence, 2 in the middle of one."""
    before = text[place - 1 : place]
    if before in {"", " "}:
        return 0
    return 2 if before in _MIDDLE else 1


# Civil and administrative cases

_MATTERS: Final[dict[str, Remark]] = {
    "民": Remark("civil", "a civil case (民事): its orders are not read"),
    "行": Remark("administrative", "an administrative case (行政): its orders are not read"),
}
# The title: "民事判决书", "行政裁定书"; not "刑事附带民事判决书"
_MATTER: Final = re.compile(
    r"(?<!附带)(?<!附 带 )(?P<matter>[民行]) ?[事政] ?(?:赔 ?偿 ?)?(?:判 ?决|裁 ?定|调 ?解) ?书"
)
# The number: "云01民初3号", "行终字第2号"; not "刑初3号"
_MATTER_NUMBER: Final = re.compile(r"(?P<matter>[民行])(?:初|终|再|申|辖|特|撤|监|赔)")
# Who is never part of them
_CRIMINAL: Final = re.compile(r"刑 ?事|公 ?诉 ?机 ?关|被 ?告 ?人|自 ?诉 ?人|罪犯")
_PLAINTIFF: Final = re.compile(r"(?:(?<=[。； ])|\A)原 ?告")


def _matter_of(heading: str) -> str | None:
    """The kind of a case that is not criminal, by its number, its title, or a plaintiff."""
    match = _MATTER_NUMBER.search(_number_of(heading) or "") or _MATTER.search(heading)
    if match:
        return match["matter"]
    if _PLAINTIFF.search(heading) and not _CRIMINAL.search(heading):
        return "民"
    return None


# Court, number and day

# "上海市奉贤区人民法院" before its title; not "某省高级人民法院提出上诉"
_COURT: Final = re.compile(
    r"(?P<court>[一-鿿]{2,40}?法院) ?(?:（[^（）]{1,20}）)? ?(?:刑|民|行) ?[事政]"
)
_ANY_COURT: Final = re.compile(r"(?P<court>[一-鿿]{2,40}?人民法院)")
# The end of a title that stands right before the court: "张三盗窃一审刑事判决书"
_UP_TO_TITLE: Final = re.compile(r".*(?:判决书|裁定书)")
# "（2017）沪0120刑初684号", "（2015）嘉刑初字第1987号"; not "沪奉检诉刑诉［2017］700号"
_NUMBER: Final = re.compile(
    r"[（〔\[](?:19|20)[0-9]{2}[）〕\]] ?[^\s，。；：（）〔〕\[\]检]{1,24}?号"
)
# Who signs: "审判员", "书记员"
_SIGNED: Final = re.compile(r"审 ?判 ?[长员]|陪 ?审 ?员|书 ?记 ?员|法 ?官 ?助 ?理")


def _court_of(heading: str) -> str | None:
    """The court that judges: the one whose name opens the title."""
    match = _COURT.search(heading) or _ANY_COURT.search(heading)
    return _UP_TO_TITLE.sub("", match["court"]) or None if match else None


def _number_of(heading: str) -> str | None:
    """The number of the case, which comes before those of the indictment."""
    match = _NUMBER.search(heading)
    return match[0].replace(" ", "") if match else None


def _day_of(closing: str) -> date | None:
    """The day under the signatures: the first date after a judge's name, as the clerk is last."""
    signed = _SIGNED.search(closing)
    days = find_days(closing, signed.end() if signed else 0)
    return next((written.day for written in days if not written.masked), None)


# Provisions

_CRIMINAL_LAW = "刑法"


def _read_statutes(reasoning: Plain) -> tuple[AppliedProvision, ...]:
    """What the reasoning cites, in order, each position once (Q9)."""
    seen: dict[tuple[object, ...], AppliedProvision] = {}
    law: str | None = None
    here = Position()
    for written in find_citations(reasoning.text):
        citation = resolve_relative(written, here) or written  # 第三款 after 第六十七条
        if citation.law is not None:
            law = normalise_name(citation.law)
            meant = abbreviations.get(law, ())
            law = meant[0] if len(meant) == 1 else law
        if law is None or citation.kind != "law" or citation.within is not None:
            continue
        span = reasoning.span(citation.start, citation.end)
        for position in citation.expand():
            if position.article is not None:
                sub = position.article_sub or 0
                place = (law, position.article, sub, position.paragraph, position.item)
                seen.setdefault(place, AppliedProvision(*place, *span, law == _CRIMINAL_LAW))
        here = citation.until or citation.position
    return tuple(seen.values())

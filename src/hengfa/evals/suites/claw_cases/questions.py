"""One question for each guiding case, made by rule from what the case says itself (claw.md 6).

CLaw's questions were written by a model from the focus of dispute, which is no section of a guiding
case. Three rules make them without one, the first that succeeds:

* focus: the reasons name the focus of dispute, in a sentence or in headings; it is asked as it is;
* holding: of each point of 裁判要点 the conditions are kept, and what follows from them is asked;
* keywords: the cause of action and the keywords are all that is used.

The holding must not be given away: no question shares a run of 12 letters with a conclusion of the
holding. What would is not used, and the next sentence or rule has its turn.

A sentence of a holding is a rule: conditions, and what follows from them. Read so, it can be turned
into the question that it answers: the conditions stay, the conclusion is dropped, and a neutral
question takes its place. The words that mark a focus or a conclusion stand at the end, apart from
logic. They were read off the guiding cases themselves; new cases may need new ones, and a question
says by which rule it was made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import msgspec

Rule: TypeAlias = Literal["focus", "holding", "keywords"]
RULES: Final[tuple[Rule, ...]] = get_args(Rule)

LEAK: Final = 12
"""So many letters in a row of a conclusion give the holding away."""
_MOST_POINTS: Final = 3
SHORTEST: Final = 10
LONGEST: Final = 500
_MOST_KEYWORDS: Final = 4


class CaseText(NamedTuple):
    """What questions are made from; ``focus`` is the sentence that the data gives, if any."""

    no: int
    title: str
    keywords: str
    holding: str
    reasoning: str
    focus: str | None


class Question(msgspec.Struct, frozen=True):
    """A question with its provenance.

    ``source`` are the words that it was made from. ``leak`` is the longest run of letters that it
    shares with a conclusion of the holding, ``overlap`` with the holding as a whole.
    """

    no: int
    question: str
    rule: str
    """One of ours, or whatever made it: the name of a model, of a person."""
    source: str
    leak: int
    overlap: int


def make_question(case: CaseText) -> Question:
    """The question of a case, by the first rule that makes one without giving the holding away."""
    drawn = "\n".join(conclusions(case.holding))

    def fits(question: str) -> bool:
        return SHORTEST <= len(question) <= LONGEST and longest_run(question, drawn) < LEAK

    for sentence, question in _from_focus(case):
        if fits(question):
            return _made(case, drawn, "focus", sentence, question)
    points = [
        next(
            ((read, asked) for read in _readings(point) if (asked := _ask(read)) and fits(asked)),
            None,
        )
        for point in points_of(case.holding)
    ]
    made = [point for point in points if point is not None][:_MOST_POINTS]
    if made:
        source = "\n".join(read.sentence for read, _ in made)
        return _made(case, drawn, "holding", source, _numbered([asked for _, asked in made]))
    return _made(case, drawn, "keywords", case.keywords, _from_keywords(case, drawn))


def leak_of(question: str, holding: str) -> int:
    """The longest run of letters that a question shares with a conclusion of a holding."""
    return longest_run(question, "\n".join(conclusions(holding)))


def _made(case: CaseText, drawn: str, rule: Rule, source: str, question: str) -> Question:
    leak, overlap = longest_run(question, drawn), longest_run(question, case.holding)
    return Question(case.no, question, rule, source, leak, overlap)


# --- from the focus of dispute ---


def _from_focus(case: CaseText) -> Iterator[tuple[str, str]]:
    """Sentences that name the focus, that of the data first, and the questions they make."""
    named = [case.focus] if case.focus else []  # somebody says that it is one
    for sentence in [*named, *_sentences(case.reasoning)]:
        if _ANNOUNCED.search(sentence):
            headings = list(_headings(case.reasoning, sentence))
            if headings:
                yield f"{sentence.strip()}\n" + "\n".join(headings), _numbered(headings)
        elif (issue := issue_of(sentence)) and (named or _ASKS.search(issue)):
            yield sentence.strip(), issue
        named = []


def issue_of(sentence: str) -> str | None:
    """What a sentence names as the focus of dispute, as a question; None where it names none."""
    match = _FOCUS_BEHIND.match(sentence.strip()) or _FOCUS.search(sentence.strip())
    if not match or not match["issue"].strip():
        return None
    issue = match["issue"].strip().rstrip("。；？?：:，,")
    return None if len(issue) < SHORTEST else as_question(issue)


def asks(text: str) -> bool:
    """Whether words are a question."""
    return _ASKS.search(text) is not None


def as_question(issue: str) -> str:
    """An issue with a question mark; what asks nothing is asked how it is to be decided.

    >>> as_question("竞业限制期限的法律适用问题"), as_question("合同是否有效等问题")
    ('竞业限制期限的法律适用问题应当如何认定？', '合同是否有效？')
    """
    asked = list(_ASKS.finditer(issue))
    if not asked:
        return f"{issue}应当如何认定？"
    # what is said after the last question is no question any more
    if said := _SAID.search(issue, asked[-1].end()):
        issue = issue[: said.start()]
    issue = _ISSUE_TAIL.sub("", issue)
    return f"{issue.rstrip('。；？?：:，,')}？"


def _headings(reasoning: str, after: str) -> Iterator[str]:
    for match in _HEADING.finditer(reasoning, max(reasoning.find(after), 0)):
        issue = match["issue"].strip()
        if _ASKS.search(issue) or issue.endswith("问题"):
            yield as_question(issue)


def _numbered(questions: list[str]) -> str:
    """Several questions as one."""
    if len(questions) == 1:
        return questions[0]
    return "".join(f"（{n}）{question}" for n, question in enumerate(questions, 1))


# --- from the holding ---

_THIN: Final = 16
_RICH: Final = 24
"""Conditions of fewer letters than _THIN say too little to ask about; _RICH ones come first."""
_SHORTEST_SUBJECT: Final = 12
_LONGEST_SUBJECT: Final = 40


class Reading(NamedTuple):
    """A sentence of a holding: conditions, of what or whom it speaks, and what follows."""

    sentence: str
    conditions: str
    subject: str
    conclusion: str
    drawn: str  # the conclusion, and what was dropped from the conditions
    conditional: bool  # whether it has the form "……的，……"


def points_of(holding: str) -> list[str]:
    """The numbered points of a holding; one where it is not numbered."""
    return [point.strip() for point in _POINT.split(holding) if point.strip()]


def _sentences(text: str) -> list[str]:
    """What ends with a full stop or a line."""
    return [piece for piece in re.split(r"(?<=。)|\n", text) if piece and piece.strip()]


def conclusions(holding: str) -> list[str]:
    """What the sentences of a holding conclude; all of those that have no conditions."""
    return [
        drawn
        for point in points_of(holding)
        for part in _parts(point)
        for drawn in [read.drawn for read in read_sentence(part)] or [part]
    ]


def _readings(point: str) -> list[Reading]:
    """What a point says, long conditions of the form "……的，……" first, then other long ones."""
    read = [reading for part in _parts(point) for reading in read_sentence(part)]
    return sorted(read, key=lambda rule: (len(rule.conditions) < _RICH, not rule.conditional))


def _parts(point: str) -> list[str]:
    return [part for whole in _sentences(point) for part in re.split(r"(?<=；)", whole) if part]


def read_sentence(sentence: str) -> Iterator[Reading]:
    """Conditions and conclusion; two of each where 但 leads to others, none where none is drawn."""
    clauses = _clauses(_OPENING.sub("", sentence.strip()))
    first = _first_conclusion(clauses)
    turn = next((n for n, clause in enumerate(clauses) if n and clause.startswith("但")), None)
    if turn and _first_conclusion(clauses[:turn]) and _first_conclusion(clauses[turn:]):
        yield from read_sentence("".join(clauses[:turn]))
        yield from read_sentence("".join(clauses[turn:]))
    elif first is not None:
        place, start = first
        kept, dropped = _sort(clauses[:place])
        conclusion = clauses[place][start:] + "".join(clauses[place + 1 :])
        yield Reading(
            sentence.strip(),
            "".join(kept),
            clauses[place][:start],
            conclusion,
            "".join(dropped) + conclusion,
            place > 0 and _is_condition(clauses[place - 1]),
        )


def _clauses(sentence: str) -> list[str]:
    """The clauses with what ends them; commas between quotation marks end none."""
    cuts = [match.end() for match in re.finditer(r"[，；：]", _masked(sentence))]
    return [sentence[a:b] for a, b in pairwise([0, *cuts, len(sentence)]) if a < b]


def _masked(text: str) -> str:
    return _QUOTED.sub(lambda match: "□" * len(match[0]), text)


def _is_condition(clause: str) -> bool:
    """Whether a clause ends as conditions do: ……的，"""
    return clause.rstrip("，；：").endswith("的")


def _conclusion_in(clause: str) -> int | None:
    """Where a clause begins to conclude; None where it does not, or only a party does."""
    match = _CONCLUDES.search(_masked(clause))
    if not match or _CLAIMS.search(clause, 0, match.start()):
        return None
    return match.start()


def _first_conclusion(clauses: list[str]) -> tuple[int, int] | None:
    """The clause, and the letter in it, from which on the sentence concludes.

    That is the first conclusion after the last "……的，" that has one, or the first of all. What
    follows a last "……的，" without any word of conclusion is one nevertheless.
    """
    ends = [n for n, clause in enumerate(clauses[:-1]) if _is_condition(clause)]
    for begin in (*(end + 1 for end in reversed(ends)), 0):
        for place in range(begin, len(clauses)):
            start = _conclusion_in(clauses[place])
            if start is not None and not _is_condition(clauses[place]):
                return place, start
    return (ends[-1] + 1, 0) if ends else None


def _sort(clauses: list[str]) -> tuple[list[str], list[str]]:
    """Clauses before a conclusion: those that are conditions, and those that conclude as well.

    Of what concludes in the first clause its subject stays.
    """
    if clauses and _IF.match(clauses[0]):
        return clauses, []
    kept, dropped = [], []
    for place, clause in enumerate(clauses):
        start = None if _is_condition(clause) else _conclusion_in(clause)
        if start is None:
            kept.append(clause)
            continue
        dropped.append(clause[start:])
        if place == 0 and start >= _SHORTEST_SUBJECT:
            kept.append(f"{clause[:start]}，")
    return kept, dropped


def _ask(reading: Reading) -> str | None:
    """The question that a sentence of a holding answers; None where too little is left to ask."""
    asked = next(
        (asked for told, asked in _ASKED if re.search(told, reading.conclusion)),
        _OTHERWISE,
    )
    subject = reading.subject if len(reading.subject) <= _LONGEST_SUBJECT else ""
    if asked == _STANDING:
        subject = re.split("[与对]", subject)[0]
    before = _TRAILING.sub("", reading.conditions + subject)
    decided = asked in {_SUPPORTED, _HEARD}
    if not decided and (_MEASURED.search(before) or _MEASURES.match(reading.conclusion)):
        asked = _STANDARD
    before = _TRAILING.sub("", _COURT.sub("", before))
    acts = bool(subject) and before.endswith(subject.rstrip("，；："))
    if asked == _RIGHTS and not acts:
        asked = _OTHERWISE
    if len(before) < _THIN or _EMPTY.match(before):
        return None
    if acts and asked == _EFFECT:
        return f"{before}的{asked}？"
    return f"{before}{asked}？" if acts and asked != _STANDARD else f"{before}，{asked}？"


# --- from the keywords ---


def _from_keywords(case: CaseText, drawn: str) -> str:
    """What the case is about, and no more; keywords that give the holding away are left out."""
    listed = _BRANCH.sub("", case.keywords.strip())
    if "/" in listed:
        listed = re.sub(r"\s+", "", listed)  # lines are broken anywhere
    keys = [key for key in re.split(r"[/\s]+", listed) if key and longest_run(key, drawn) < LEAK]
    if len(keys) > 1:
        about = "、".join(f"“{key}”" for key in keys[:_MOST_KEYWORDS])
        return f"本案涉及{about}，法院对此应当如何认定，理由是什么？"
    cause = _ISSUED.sub("", case.title)
    return f"{cause}一案，法院应当如何认定，理由是什么？"


# --- leaks ---


def longest_run(one: str, other: str) -> int:
    """How many letters in a row two texts have in common, punctuation aside."""
    one, other = (re.sub(r"[\W_]+", "", text) for text in (one, other))
    low, high = 0, min(len(one), len(other))
    while low < high:
        size = (low + high + 1) // 2
        runs = {one[at : at + size] for at in range(len(one) - size + 1)}
        if any(other[at : at + size] in runs for at in range(len(other) - size + 1)):
            low = size
        else:
            high = size - 1
    return low


# --- words: the focus of dispute, as the reasons of a judgment name it ---

_LEAD: Final = (
    r"(?:问题|主要|之一|共?有?[二两三四五]个?方面|有?[二两三四五]个|有二|方面|法律适用|包括|涉及"
    r"|为(?!由)|是(?!否)|系|就?在于|如下|[：:，,\s])*+"
)
# "本案的争议焦点问题是：……", "焦点就在于……"; not "导致裁判与争议焦点不一致"
_FOCUS: Final = re.compile(
    rf"(?:焦点{_LEAD}(?:(?<!焦点)|(?=一是|一、|第一|1))|主要争议(?:问题)?(?:在于|为|是(?!否)){_LEAD})"
    r"(?P<issue>.*)\Z",
    re.DOTALL,
)
# "……的问题是本案的争议焦点问题。", "主要涉及……等争议焦点问题。"; not "争议焦点为……"
_FOCUS_BEHIND: Final = re.compile(
    r"\A(?:[^，,：:]{0,20}认为[，,：:])?(?:本案)?(?:主要涉及)?"
    r"(?P<issue>[^。]+?)(?:等争议|是本案的争议|等)焦点(?:问题)?。?\Z"
)
# "本案涉及到以下三个主要问题：", after which headings name them
_ANNOUNCED: Final = re.compile(
    r"(?:焦点|主要问题|以下[二两三四五]个(?:主要)?问题)[^。；]{0,16}[：:]\s*\Z"
)
# "一、关于本案的证据采信问题", "（二）是否构成侵权" as a line by itself; not "一、撤销原判。"
_HEADING: Final = re.compile(
    r"^[（(]?[一二三四五六七八九][)）、.．，]+(?:关于)?(?P<issue>[^。；\n]{6,90})$", re.MULTILINE
)
# "是否", "如何", "有无": what makes words a question; not "问题"
_ASKS: Final = re.compile(
    r"是否|如何|能否|应否|可否|有无|何[时种人处]|还是|怎样|哪[个些种]|何在|多少|[？?]"
)
# What is said of an issue after it was named: "，与本案事实相符"; not "，以及如何承担责任"
_SAID: Final = re.compile(r"[，,](?:与(?:本案)?事实|并无|其中|故|因此|对此)")
# "等几个方面", "的问题" after an issue
_ISSUE_TAIL: Final = re.compile(r"(?:等?(?:几个)?(?:方面)?的?(?:法律适用)?问题|等(?:几个)?方面)\Z")

# --- words: holdings ---

# "1.", "⒉" at the head of a point
_POINT: Final = re.compile(r"^\s*(?:[0-9]{1,2}[.．、]|[⒈-⒛])\s*", re.MULTILINE)
# Words between quotation marks say nothing by themselves: "不得退票，不得转签"
_QUOTED: Final = re.compile(r"\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”")

# What a thing is held to be: "属于", "不构成", "应当视为"; not "是否属于", "构成犯罪的", "认定构成"
_BEING: Final = (
    r"(?<!是否)(?<!认定)(?<!判断)(?:不?属于(?!其)|不?构成(?!的|要件|犯罪的|其)|不?等同于|视为|视同"
    r"|不应视为|并非|并未侵犯|本质是|是披着|不?具有(?:法律|行政确认|提起|可诉|直接|财产性|独立价值)"
    r"|(?<!关)系(?=[^，。]{2,14}，而非))"
)
# What follows in law: "应当", "不予", "不影响", "由……承担"; not "相应", "应收", "可以获知的"
_FOLLOWING: Final = (
    r"(?<!论罪)(?<!的)应当|不应(?!受)|应予|不予(?!恢复|制止|承认)|必须"
    r"|(?<![相对适供反响因])应(?=依法|由|自|从|对|就|认定|结合|以|按|予|承担|支付|坚持|遵循|限于|履行|理解|标示|优先|接受"
    r"|进一步|根据|综合|审查)"
    r"|(?<![也又])可以(?!获知|提起诉讼的|排除)|可按|可(?=相应行使)|不得|不能(?=据此|认定|以|成为|将|仅|设定|对|作为|因)"
    r"|(?<!所)(?<!专)有权(?!的)|无权|(?<!并)(?<!所)享有(?!的|可以|优先)|有义务|无继续|负有|不影响|不因(?!与)|不适用|不限于|(?:既|也|均)包括"
    r"|是指|取决于|无需|不产生|及于|均?允许|只是(?=限制)|不以(?=[^，。]{2,30}为(?:依据|必要条件))|合法有效|归于消灭|(?<!者)以(?=[^，。]{1,20}(?:论处|定罪))"
    r"|(?<!缘)由(?=[^，。]{1,40}(?:承担|管辖))|不存在易|(?<!仅)不符合(?=民事诉讼法|单方)"
)
_CONCLUDES: Final = re.compile(
    rf"(?:(?:依法|都|均|仍然?|一般|一并|才|(?<!规)则|即(?!使))*+(?:{_FOLLOWING})|{_BEING})"
)
# Before a conclusion it makes one of a party's: "主张不应受到处罚", "以其不是控制人为由", "明知"
_CLAIMS: Final = re.compile(
    r"主张|请求|申请|提起|为由|要求|诉称|抗辩|(?<!该)约定|认为|是否|能否|明知|承诺|注明"
)
# What opens a sentence: "但是，"; and what makes all of it conditions: "如果"
_OPENING: Final = re.compile(r"\A(?:但是?|同时|此外|其中|因此|故|即|而|对此|所以)[，,]?")
_IF: Final = re.compile(r"\A(?:如果?|若|只要|即使|当(?!事))")
# What says who decides, or nothing, at the end of conditions: "，人民法院", "，其"
_COURT: Final = re.compile(
    r"[，,；]?(?:人民法院|执行法院|法院)(?:经审查|在[^，]{2,20}[时中]|对此|亦|也)?\Z"
)
# Conditions that say no more than that a court has a case: "人民法院审理环境民事公益诉讼案件"
_EMPTY: Final = re.compile(r"\A(?:人民法院)?在?(?:审理|收到)[^，]*(?:案件|申请)[时中后]?\Z")
_TRAILING: Final = re.compile(
    r"(?:[，,；;、：:]|(?<=[，,])(?:故|则|即|仍|也|亦|都|均|其|该|依法|但|且|并|因而|因此|而|所以|还))+\Z"
)

_STANDARD: Final = "应当依据什么标准、考虑哪些因素"
# "判断……", "认定……": a standard is asked for; "应当综合……", "应当根据……": a standard is given
_MEASURED: Final = re.compile(
    r"(?:\A|[，,])(?:人民法院)?(?:在?判断|认定|审查|对于?[^，]{2,60}是否)[^，]*\Z"
)
_MEASURES: Final = re.compile(
    r"\A(?:应当?|可以)(?:综合|根据|依据|结合|从|以相对人|考虑|立足|注意从|坚持主客观)"
    r"(?![^，]*(?:法律关系|规定处理|判决确定))"
)

_SUPPORTED, _HEARD, _STANDING = "能否得到支持", "应否受理", "是否具备原告主体资格"
_EFFECT, _RIGHTS = "效力应当如何认定", "享有何种权利"
_ASKED: Final[tuple[tuple[str, str], ...]] = (
    (r"予以?(?:依法)?(?:支持|采纳|准许)|裁定准许|可以准许|决定是否准许", _SUPPORTED),
    (r"予(?:依法|以)?受理|依法(?:予以)?受理|可诉性|提起行政诉讼", _HEARD),
    (r"原告主体资格", _STANDING),
    (r"定罪|论处|[^犯]罪(?:追究|处|数|[。，；]|\Z)|以.{2,12}罪", "应当如何定罪处罚"),
    (r"承担[^，。]*责任|责任(?:由|应)", "应否承担责任、如何承担"),
    (r"管辖(?!权)", "应当如何确定管辖"),
    (r"\A.{0,4}不影响[^，。]*效力", "对效力有何影响"),
    (r"\A(?:合法有效|不?具有法律|.{0,4}不产生)|无效", _EFFECT),
    (r"\A.{0,4}(?:不影响|不因)", "是否影响案件的处理"),
    (r"\A.{0,3}(?:是指|理解|限于|不限于|既包括|也包括|取决于)", "应当如何理解"),
    (r"\A应当?审查", "应当审查哪些内容"),
    (r"举证(?!责任由)", "应当如何举证"),
    (r"起算|日起计算|计算(?!机)[^，。]*数额", "应当如何计算"),
    (rf"\A(?:.{{0,4}}(?:认定|视为|视同)|{_BEING})", "在法律上应当如何认定"),
    (r"\A[^，。]{0,40}义务", "负有何种义务"),
    (r"\A.{0,4}(?:有权|可以|享有|无权)", _RIGHTS),
)
"""What a conclusion says (the first that is found), and what is asked in its place."""
_OTHERWISE: Final = "应当如何处理"

# "民事", "行政诉讼", "国家赔偿" at the head of the keywords
_BRANCH: Final = re.compile(r"\A(?:民事|刑事|行政|海事|执行|国家赔偿)(?:诉讼)?[/\s]*")
# "2012年4月9日发布）" after a title
_ISSUED: Final = re.compile(r"案?(?:[（(]?[0-9]{4}年[0-9月日]+发布[）)]?)?\Z")

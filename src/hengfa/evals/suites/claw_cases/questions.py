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
question takes its place. The words that mark a focus or a conclusion stand in `questions.toml`.
They were read off the guiding cases themselves; new cases may need new ones, and a question says by
which rule it was made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import msgspec

from hengfa.base.data.jsonfile import Patterns, read_toml
from hengfa.evals.suites.claw_cases.guiding_cases import GuidingCase

Rule: TypeAlias = Literal["focus", "holding", "keywords"]
RULES: Final[tuple[Rule, ...]] = get_args(Rule)

LEAK: Final = 12  # so many letters in a row of a conclusion give the holding away
_MOST_POINTS: Final = 3
SHORTEST: Final = 10
LONGEST: Final = 500
_MOST_KEYWORDS: Final = 4


class _Words(Patterns, frozen=True, kw_only=True):
    """Patterns, what is asked, and what a conclusion says with what is asked in its place."""

    questions: dict[str, str]
    asked: list[tuple[str, str]]


_WORDS: Final = read_toml(Path(__file__).with_suffix(".toml"), _Words)
_FOCUS, _FOCUS_BEHIND, _ANNOUNCED, _HEADING, _ASKS, _SAID, _ISSUE_TAIL = (
    _WORDS[name]
    for name in ("focus", "focus_behind", "announced", "heading", "asks", "said", "issue_tail")
)
_POINT, _QUOTED, _CONCLUDES, _CLAIMS, _OPENING, _IF = (
    _WORDS[name] for name in ("point", "quoted", "concludes", "claims", "opening", "if")
)
_COURT, _EMPTY, _TRAILING, _MEASURED, _MEASURES, _BRANCH, _ISSUED = (
    _WORDS[name]
    for name in ("court", "empty", "trailing", "measured", "measures", "branch", "issued")
)
_SUPPORTED, _HEARD, _STANDING, _EFFECT, _RIGHTS, _STANDARD, _OTHERWISE = (
    _WORDS.questions[name]
    for name in ("supported", "heard", "standing", "effect", "rights", "standard", "otherwise")
)
_ASKED: Final = [
    (_WORDS.filled(told), _WORDS.questions.get(asked, asked)) for told, asked in _WORDS.asked
]


class Question(msgspec.Struct, frozen=True):
    """A question with its provenance. ``source`` are the words that it was made from. ``leak`` is
    the longest run of letters that it shares with a conclusion of the holding, ``overlap`` with the
    holding as a whole."""

    no: int
    question: str
    rule: str  # one of ours, or whatever made it: the name of a model, of a person
    source: str
    leak: int
    overlap: int


def question_on(case: GuidingCase, question: str, rule: str, source: str = "") -> Question:
    """A question with what it shares with the holding of its case."""
    leak, overlap = leak_of(question, case.holding), longest_run(question, case.holding)
    return Question(case.no, question, rule, source, leak, overlap)


def make_question(case: GuidingCase) -> Question:
    """The question of a case, by the first rule that makes one without giving the holding away."""
    drawn = "\n".join(conclusions(case.holding))

    def fits(question: str) -> bool:
        return SHORTEST <= len(question) <= LONGEST and longest_run(question, drawn) < LEAK

    for sentence, question in _from_focus(case):
        if fits(question):
            return question_on(case, question, "focus", sentence)
    made: list[tuple[HoldingParts, str]] = []
    for point in points_of(case.holding):
        asked = ((read, _ask(read)) for read in _readings(point))
        made += [(read, question) for read, question in asked if question and fits(question)][:1]
    if made := made[:_MOST_POINTS]:
        source = "\n".join(read.sentence for read, _ in made)
        return question_on(case, _enumerate([asked for _, asked in made]), "holding", source)
    return question_on(case, _from_keywords(case, drawn), "keywords", case.keywords)


def leak_of(question: str, holding: str) -> int:
    """The longest run of letters that a question shares with a conclusion of a holding."""
    return longest_run(question, "\n".join(conclusions(holding)))


# --- from the focus of dispute ---


def _from_focus(case: GuidingCase) -> Iterator[tuple[str, str]]:
    """Sentences that name the focus, that of the data first, and the questions they make."""
    named = [case.focus_sentence] if case.focus_sentence else []  # somebody says that it is one
    for sentence in [*named, *_sentences(case.reasoning)]:
        if _ANNOUNCED.search(sentence):
            found = _HEADING.finditer(case.reasoning, max(case.reasoning.find(sentence), 0))
            issues = (match["issue"].strip() for match in found)
            if headings := [as_question(i) for i in issues if asks(i) or i.endswith("问题")]:
                yield f"{sentence.strip()}\n" + "\n".join(headings), _enumerate(headings)
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


def _enumerate(questions: list[str]) -> str:
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


class HoldingParts(NamedTuple):
    """A sentence of a holding: conditions, of what or whom it speaks, and what follows."""

    sentence: str
    conditions: str
    subject: str
    conclusion: str
    outcome: str  # the conclusion, and what was dropped from the conditions
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
        for drawn in [read.outcome for read in read_sentence(part)] or [part]
    ]


def _readings(point: str) -> list[HoldingParts]:
    """What a point says, long conditions of the form "……的，……" first, then other long ones."""
    read = [reading for part in _parts(point) for reading in read_sentence(part)]
    return sorted(read, key=lambda rule: (len(rule.conditions) < _RICH, not rule.conditional))


def _parts(point: str) -> list[str]:
    return [part for whole in _sentences(point) for part in re.split(r"(?<=；)", whole) if part]


def read_sentence(sentence: str) -> Iterator[HoldingParts]:
    """Conditions and conclusion; two of each where 但 leads to others, none where none is drawn.
    Commas between quotation marks end no clause."""
    text = _OPENING.sub("", sentence.strip())
    cuts = [match.end() for match in re.finditer(r"[，；：]", _masked(text))]
    clauses = [text[a:b] for a, b in pairwise([0, *cuts, len(text)]) if a < b]
    first = _first_conclusion(clauses)
    turn = next((n for n, clause in enumerate(clauses) if n and clause.startswith("但")), None)
    if turn and _first_conclusion(clauses[:turn]) and _first_conclusion(clauses[turn:]):
        yield from read_sentence("".join(clauses[:turn]))
        yield from read_sentence("".join(clauses[turn:]))
    elif first is not None:
        place, start = first
        kept, dropped = _sort(clauses[:place])
        conclusion = clauses[place][start:] + "".join(clauses[place + 1 :])
        yield HoldingParts(
            sentence.strip(),
            "".join(kept),
            clauses[place][:start],
            conclusion,
            "".join(dropped) + conclusion,
            place > 0 and _is_condition(clauses[place - 1]),
        )


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
    """The clause, and the letter in it, from which on the sentence concludes. That is the first
    conclusion after the last "……的，" that has one, or the first of all. What follows a last
    "……的，" without any word of conclusion is one nevertheless."""
    ends = [n for n, clause in enumerate(clauses[:-1]) if _is_condition(clause)]
    for begin in (*(end + 1 for end in reversed(ends)), 0):
        for place in range(begin, len(clauses)):
            start = _conclusion_in(clauses[place])
            if start is not None and not _is_condition(clauses[place]):
                return place, start
    return (ends[-1] + 1, 0) if ends else None


def _sort(clauses: list[str]) -> tuple[list[str], list[str]]:
    """Clauses before a conclusion: those that are conditions, and those that conclude as well. Of
    what concludes in the first clause its subject stays."""
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


def _ask(reading: HoldingParts) -> str | None:
    """The question that a sentence of a holding answers; None where too little is left to ask."""
    answers = (asked for told, asked in _ASKED if re.search(told, reading.conclusion))
    asked = next(answers, _OTHERWISE)
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


def _from_keywords(case: GuidingCase, drawn: str) -> str:
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

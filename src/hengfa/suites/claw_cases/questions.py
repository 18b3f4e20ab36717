"""One question for each guiding case, made by rule from what the case says itself (CLaw spec 6).

CLaw's questions were written by a model from the focus of dispute, which is no section of a guiding
case. Three rules make them without one, the first that succeeds:

* focus: the reasons name the focus of dispute, in a sentence or in headings; it is asked as it is;
* holding: of each point of 裁判要点 the conditions are kept, and what follows from them is asked;
* keywords: the cause of action and the keywords are all that is used.

The holding must not be given away: no question shares a run of 12 letters with a conclusion of the
holding. What would is not used, and the next sentence or rule has its turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from hengfa.suites.claw_cases import words
from hengfa.suites.claw_cases.holdings import ask, conclusions, points_of, readings, sentences

Rule: TypeAlias = Literal["focus", "holding", "keywords"]

LEAK: Final = 12
"""So many letters in a row of a conclusion give the holding away."""
MOST_POINTS: Final = 3
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
            ((read, asked) for read in readings(point) if (asked := ask(read)) and fits(asked)),
            None,
        )
        for point in points_of(case.holding)
    ]
    made = [one for one in points if one is not None][:MOST_POINTS]
    if made:
        source = "\n".join(read.sentence for read, _ in made)
        return _made(case, drawn, "holding", source, numbered([asked for _, asked in made]))
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
    for sentence in [*named, *sentences(case.reasoning)]:
        if words.ANNOUNCED.search(sentence):
            headings = list(_headings(case.reasoning, sentence))
            if headings:
                yield f"{sentence.strip()}\n" + "\n".join(headings), numbered(headings)
        elif (issue := issue_of(sentence)) and (named or words.ASKS.search(issue)):
            yield sentence.strip(), issue
        named = []


def issue_of(sentence: str) -> str | None:
    """What a sentence names as the focus of dispute, as a question; None where it names none."""
    found = words.FOCUS_BEHIND.match(sentence.strip()) or words.FOCUS.search(sentence.strip())
    if not found or not found["issue"].strip():
        return None
    issue = found["issue"].strip().rstrip("。；？?：:，,")
    return None if len(issue) < SHORTEST else as_question(issue)


def as_question(issue: str) -> str:
    """An issue with a question mark; what asks nothing is asked how it is to be decided.

    >>> as_question("竞业限制期限的法律适用问题"), as_question("合同是否有效等问题")
    ('竞业限制期限的法律适用问题应当如何认定？', '合同是否有效？')
    """
    asks = list(words.ASKS.finditer(issue))
    if not asks:
        return f"{issue}应当如何认定？"
    # what is said after the last question is no question any more
    if said := words.SAID.search(issue, asks[-1].end()):
        issue = issue[: said.start()]
    issue = words.ISSUE_TAIL.sub("", issue)
    return f"{issue.rstrip('。；？?：:，,')}？"


def _headings(reasoning: str, after: str) -> Iterator[str]:
    for found in words.HEADING.finditer(reasoning, max(reasoning.find(after), 0)):
        issue = found["issue"].strip()
        if words.ASKS.search(issue) or issue.endswith("问题"):
            yield as_question(issue)


def numbered(questions: list[str]) -> str:
    """Several questions as one."""
    if len(questions) == 1:
        return questions[0]
    return "".join(f"（{n}）{one}" for n, one in enumerate(questions, 1))


# --- from the keywords ---


def _from_keywords(case: CaseText, drawn: str) -> str:
    """What the case is about, and no more; keywords that give the holding away are left out."""
    listed = words.BRANCH.sub("", case.keywords.strip())
    if "/" in listed:
        listed = re.sub(r"\s+", "", listed)  # lines are broken anywhere
    keys = [one for one in re.split(r"[/\s]+", listed) if one and longest_run(one, drawn) < LEAK]
    if len(keys) > 1:
        about = "、".join(f"“{key}”" for key in keys[:_MOST_KEYWORDS])
        return f"本案涉及{about}，法院对此应当如何认定，理由是什么？"
    cause = words.ISSUED.sub("", case.title)
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

"""How a response of CLaw came to its score: where a place goes wrong, what a recitation shares.

The levels of a place are right where the accuracies of the same rules are 1. A recitation has its
ROUGE-L as points, and the class of its error as far as the provision and the response tell it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from hengfa.law.citation_model import LEVELS, Level, Position
from hengfa.law.citation_positions import format_citation
from hengfa.results.trace import Finding, Spans, Trace
from hengfa.suites.base import Answer, AnswerStatus, Fixes
from hengfa.suites.claw import extract, score
from hengfa.suites.claw import fixes as fix
from hengfa.suites.claw.clean import normalise
from hengfa.suites.claw.dataset import ClawSample
from hengfa.suites.claw.extract import UNREADABLE, Place
from hengfa.text.rouge import rouge_l

Tracing: TypeAlias = Callable[[ClawSample, str], Trace]

# The label of a level: "条序号", "款的序号"; not "序号".
_LABEL: Final = re.compile(r"(?P<sign>[条款项])[ \t]?的?序号")
# What is said of it: "：第三条" in its line or the next; never more than 80 characters.
_VALUE: Final = re.compile(r"[\s:：*_`|]{0,20}[^\n]{0,60}")
_SIGNS: Final[dict[Level, str]] = {"article": "条", "paragraph": "款", "item": "项"}
_FENCE: Final = "```"
_NO_PLACE: Final = "no place"
_NOT_REACHED: Final = "counts only where the level above is right"
_MOST_SAME: Final = 3


def place(fixes: Fixes) -> Tracing:
    """`id`: the three levels, expected and given; the error is the first that is wrong."""
    scored = score.hierarchical(fixes)

    def trace(sample: ClawSample, response: str) -> Trace:
        answer = extract.place(response)
        metrics = scored(sample, answer)
        named, spans = answer.value, _labelled(response)
        same = sample.same if fix.IDENTICAL in fixes else ()
        findings: list[Finding] = []
        for level, metric in zip(LEVELS, score.ACCURACIES, strict=True):
            given = "" if named is None else _number(named, level)
            expected = _number(sample.position, level)
            right: bool | None = metrics[metric] == 1.0
            note = _also(same) if level == "article" else ""
            if not right and given == expected:
                right, note = None, _NOT_REACHED
            findings.append(
                Finding(level, given, expected, right, note=note, spans=spans.get(level, ()))
            )
        wrong = next((one.label for one in findings if one.right is False), "")
        if (in_force := metrics[score.ARTICLE + score.IN_FORCE]) is not None:
            findings.append(
                Finding(
                    "article in the version in force",
                    given=findings[0].given,
                    expected="、".join(_number(one, "article") for one in sample.in_force_at),
                    right=in_force == 1.0,
                )
            )
        error = _NO_PLACE if named is None else f"wrong {wrong}" if wrong else ""
        return Trace("elements", tuple(findings), error)

    return trace


def _number(position: Position | Place, level: Level) -> str:
    number = getattr(position, level)
    if number is None:
        return "none"
    if number == UNREADABLE:
        return "unreadable"
    sub = f"之{position.article_sub}" if level == "article" and position.article_sub else ""
    return f"{number}{sub}"


def _also(same: tuple[Position, ...]) -> str:
    if not same:
        return ""
    named = "、".join(format_citation(None, one) for one in same[:_MOST_SAME])
    more = f" and {len(same) - _MOST_SAME} more" if len(same) > _MOST_SAME else ""
    return f"the same text stands at {named}{more}"


def _labelled(response: str) -> dict[Level, Spans]:
    """The last label of each level with its value, in the last code block that has an article's."""
    start, area = next(_blocks(response), (0, response))
    labels = list(_LABEL.finditer(area))
    ends = [*(label.start() for label in labels[1:]), len(area)]
    found: dict[str, Spans] = {}
    for label, end in zip(labels, ends, strict=False):
        value = _VALUE.match(area, label.end(), end)
        said = area[label.start() : value.end() if value else end].rstrip()
        found[label["sign"]] = ((start + label.start(), start + label.start() + len(said)),)
    return {level: found[sign] for level, sign in _SIGNS.items() if sign in found}


def _blocks(response: str) -> Iterator[tuple[int, str]]:
    """Code blocks that speak of an article, from the last to the first, and where they begin."""
    pieces = response.split(_FENCE)
    end = len(response)
    for number in range(len(pieces) - 1, 0, -1):
        start = end - len(pieces[number])
        labels = _LABEL.finditer(pieces[number])
        if number % 2 and any(label["sign"] == _SIGNS["article"] for label in labels):
            yield start, pieces[number]
        end = start - len(_FENCE)


def recitation(fixes: Fixes) -> Tracing:
    """`content`: what the response has of the provision, and what it changes in it."""

    def trace(sample: ClawSample, response: str) -> Trace:
        from hengfa.suites.claw.likeness import likeness  # noqa: PLC0415 - loads numpy

        answer = extract.recitation(response)
        text = "" if answer.value is None else answer.value.clean
        gold = normalise(sample.text)
        if fix.REFUSALS in fixes and _is_refused(answer, text, gold):
            text = ""
        found = likeness(sample, response)
        findings = [
            Finding(
                score.ROUGE_L,
                right=text == gold,
                points=rouge_l(text, gold).f,
                maximum=1.0,
                note=f"{found.recall:.0%} of the provision's letters are there; {found.extra:.0%} "
                "of the response's letters are not the provision's",
                spans=found.spans,
            ),
            *(Finding(one, right=False, note=_CHANGED[one]) for one in found.changes),
        ]
        if (other := sample.in_force_text) is not None:
            findings.append(
                Finding(
                    "text of the version in force",
                    right=text == normalise(other),
                    points=rouge_l(text, normalise(other)).f,
                    maximum=1.0,
                )
            )
        return Trace("answer", tuple(findings), found.error)

    return trace


def _is_refused(answer: Answer[extract.Recitation], text: str, gold: str) -> bool:
    if answer.status is not AnswerStatus.ABSTAINED:
        return False
    return rouge_l(text, gold, unit="char").f < score.RECITED


_CHANGED: Final = {
    "numbers": "a number is another one, or missing",
    "negation": "a negation came or went",
    "duty": "what must be done may be done, or the reverse",
}

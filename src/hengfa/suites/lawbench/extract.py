"""Response to answer: pure functions of the text, one pair per kind of task.

Official extraction is named after the block of the spec that describes it, corrected extraction
after what it repairs.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hengfa.suites.base import Answer, AnswerStatus

WRAPPER_OPEN, WRAPPER_CLOSE = "[正确答案]", "<eoa>"
_FULL_WIDTH_LETTERS = {ord("Ａ") + i: chr(ord("A") + i) for i in range(26)}


def text_as_is(response: str) -> Answer[str]:
    """Official, spec 1.4: the raw prediction; abstention is not reported, not even for silence."""
    return Answer(response)


def text_or_silence(response: str) -> Answer[str]:
    """Corrected: the same text, but a blank one is an abstention."""
    if not response.strip():
        return Answer(None, AnswerStatus.ABSTAINED)
    return Answer(response)


def official_choice(options: str) -> Callable[[str], Answer[str]]:
    """Spec 1.1: every option letter that occurs anywhere in the response.

    Quirk: letters inside words count, so "Answer: B" names A and B; lower case never counts.
    """

    def extract(response: str) -> Answer[str]:
        return _one_of([option for option in options if option in response])

    return extract


def corrected_choice(options: str) -> Callable[[str], Answer[str]]:
    """Spec 1.1, Fix: the text inside the wrapper if there is one, stand-alone letters only."""
    # One option letter with no ASCII letter beside it. Matches "选B。"; not "Be" or "DNA".
    stand_alone = re.compile(rf"(?<![A-Za-z])[{options}](?![A-Za-z])")

    def extract(response: str) -> Answer[str]:
        text = response.translate(_FULL_WIDTH_LETTERS)
        named = stand_alone.findall(_last_wrapped(text) or text)
        return _one_of(list(dict.fromkeys(named)))

    return extract


def _last_wrapped(text: str) -> str:
    """What stands in the last wrapper that is not blank; the last one of all may be unclosed.

    Split instead of matched: a pattern would look for the end anew from every beginning.
    """
    pieces = text.split(WRAPPER_OPEN)[1:]
    for number in reversed(range(len(pieces))):
        inside, closed, _ = pieces[number].partition(WRAPPER_CLOSE)
        unclosed_end = number == len(pieces) - 1 and "<" not in inside
        if inside.strip() and (closed or unclosed_end):
            return inside
    return ""


def _one_of(named: list[str]) -> Answer[str]:
    if not named:
        return Answer(None, AnswerStatus.ABSTAINED)
    if len(named) > 1:
        return Answer(None, AnswerStatus.AMBIGUOUS)
    return Answer(named[0])

"""A grader by its name on the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from hengfa.engine.messages import Model
from hengfa.grading.submission import Submission
from hengfa.runs.models import ENDPOINT_FORMS, Connection, check_name, open_outside
from hengfa.suites.builtin import BuiltIn

KEYWORDS, NAIVE = "keywords", "naive"
BUILT_IN: Final = (KEYWORDS, NAIVE)
GRADER_FORMS: Final = f"""\
keywords                         looks for words, built in, offline: a rule, not a judgement
naive                            obeys what a response tells it, built in: for demonstrations
{ENDPOINT_FORMS}"""
_STEPS: Final = ("grade", "repair", "again")


def open_grader(name: str, submissions: Sequence[Submission], connection: Connection) -> Model:
    """The grader a user named; the built-in ones know their replies to these submissions."""
    check_grader(name)
    if name not in BUILT_IN:
        return open_outside(name, connection)
    reply = _replies(name, submissions)
    answers = {
        f"{one.key}#{step}": said
        for one, said in ((one, reply(one)) for one in submissions)
        for step in _STEPS
    }
    return BuiltIn(name, answers)


def check_grader(name: str) -> None:
    """Refuse a name that means no grader, before anything else is done."""
    outside = ("replay", "inspect")
    check_name(name, option="--grader", built_in=BUILT_IN, kinds=outside, forms=GRADER_FORMS)


def _replies(name: str, submissions: Sequence[Submission]) -> Callable[[Submission], str]:
    # Imported here: segmentation needs a moment to load its dictionary.
    from hengfa.grading.keywords import keyword_reply  # noqa: PLC0415

    if name == KEYWORDS:
        return keyword_reply
    from hengfa.grading.attacks import obey, told  # noqa: PLC0415

    heard = told(submissions)
    return lambda one: obey(heard[one.key]) if one.key in heard else keyword_reply(one)

"""Response to answer where the answer is a text, a choice or labels: pure functions of the text.

Without fixes a function does what the published evaluator does; the quirks are named where they
are. Numbers are in `extract_numbers`, entities in `extract_entities`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from hengfa.suites.base import Answer, AnswerStatus, Fixes
from hengfa.suites.lawbench import fixes as fix
from hengfa.suites.lawbench.vocabulary import CHARGES, MISSING_CHARGES

CHOICE, FOCUS, LABELS = "[正确答案]", "[争议焦点]", "[类别]"
ARTICLE, CHARGE, TERM, AMOUNT = "[法条]", "[罪名]", "[刑期]", "[金额]"
END = "<eoa>"
# The end as models write it: "<Eoa>", "[eoa]"; not "eoa".
_ENDS = re.compile(r"[<\[]eoa[>\]]", re.IGNORECASE)
_INSTRUCTION = ("", "与", "和")  # the prompt again: "请将答案填在[刑期]与<eoa>之间"
_FULL_WIDTH_LETTERS = {ord("Ａ") + i: chr(ord("A") + i) for i in range(26)}
_MANY_SEPARATORS = re.compile("[;；、，,\n]")

Extract = Callable[[str], Answer[str]]
ExtractSet = Callable[[str], Answer[frozenset[str]]]


def wrapped(text: str, mark: str) -> str:
    """What stands in the wrapper, stripped; where none is closed, what follows the first mark."""
    unclosed = text.partition(mark)[2].partition("<")[0].strip()
    return closed(text, mark) or ("" if unclosed in _INSTRUCTION else unclosed)


def closed(text: str, mark: str) -> str:
    """What stands in the wrapper that is closed and not blank.

    Of several it is the first where the response begins with one: what follows is more talk, often
    new questions. Else it is the last: what comes before is thinking. Split instead of matched: a
    pattern would look for the end anew from every beginning.
    """
    before, *pieces = _ENDS.sub(END, text).split(mark)
    parted = (piece.partition(END) for piece in pieces)
    insides = [inside.strip() for inside, end, _ in parted if end]
    found = [inside for inside in insides if inside not in _INSTRUCTION]
    if not found:
        return ""
    return found[-1] if before.strip() else found[0]


def whole_text(fixes: Fixes, label: str = "") -> Extract:
    """Spec 1.4 and 2-5: the response as it is. Quirk: a label copied from the gold costs points."""

    def extract(response: str) -> Answer[str]:
        if fix.SILENCE in fixes and not response.strip():
            return Answer(None, AnswerStatus.ABSTAINED)
        if label and fix.LABEL in fixes:
            response = response.lstrip().removeprefix(label).removeprefix(f"{label[:-1]}：")
        return Answer(response)

    return extract


def choice(options: str, fixes: Fixes) -> Extract:
    """Spec 1.1: the one option letter that occurs.

    Quirks: letters inside words count, so "Answer: B" names A and B; what stands in the wrapper is
    not isolated; full-width letters never match.
    """
    # One option letter with no ASCII letter beside it. Matches "选B。"; not "Be" or "DNA".
    stand_alone = re.compile(rf"(?<![A-Za-z])[{options}](?![A-Za-z])")

    def extract(response: str) -> Answer[str]:
        text = response.translate(_FULL_WIDTH_LETTERS) if fix.LETTERS in fixes else response
        text = (fix.WRAPPER in fixes and wrapped(text, CHOICE)) or text
        if fix.LETTERS in fixes:
            return _one_of(dict.fromkeys(stand_alone.findall(text)))
        return _one_of(option for option in options if option in text)

    return extract


def one_label(options: Sequence[str], mark: str, fixes: Fixes) -> Extract:
    """Spec 1.1 for words (2-2, 2-4): the one label that occurs."""

    def extract(response: str) -> Answer[str]:
        text = (fix.WRAPPER in fixes and wrapped(response, mark)) or response
        return _one_of(option for option in options if option in text)

    return extract


def all_labels(options: Sequence[str], fixes: Fixes, mark: str = "") -> ExtractSet:
    """Spec 2-3, 2-9: every label that occurs. Quirk: labels copied from the prompt count too."""

    def extract(response: str) -> Answer[frozenset[str]]:
        text = (mark and fix.WRAPPER in fixes and wrapped(response, mark)) or response
        return _set_of(option for option in options if option in text)

    return extract


def charges(fixes: Fixes) -> ExtractSet:
    """Spec 3-3: every charge that occurs.

    Quirks: 合同诈骗 names 诈骗 too; 13 charges are unknown.
    """
    options = CHARGES + (MISSING_CHARGES if fix.CHARGES in fixes else ())
    longest_first = sorted(options, key=len, reverse=True)

    def extract(response: str) -> Answer[frozenset[str]]:
        if fix.LONGEST in fixes:
            return _set_of(_without_nested(longest_first, response))
        return _set_of(option for option in options if option in response)

    return extract


def _without_nested(longest_first: Sequence[str], text: str) -> Iterator[str]:
    for option in longest_first:
        if option in text:
            yield option
            text = text.replace(option, "\n")


def pieces(fixes: Fixes) -> Callable[[str], Answer[tuple[str, ...]]]:
    """Spec 2-10: the words between semicolons. Quirk: only ASCII ones separate."""

    def extract(response: str) -> Answer[tuple[str, ...]]:
        if fix.SEPARATORS not in fixes:
            return Answer(tuple(response.split(";")))
        found = tuple(piece for piece in _MANY_SEPARATORS.split(response) if piece.strip())
        return Answer(found) if found else Answer(None, AnswerStatus.ABSTAINED)

    return extract


def _one_of(named: Iterable[str]) -> Answer[str]:
    found = tuple(named)
    if not found:
        return Answer(None, AnswerStatus.ABSTAINED)
    if len(found) > 1:
        return Answer(None, AnswerStatus.AMBIGUOUS)
    return Answer(found[0])


def _set_of(named: Iterable[str]) -> Answer[frozenset[str]]:
    found = frozenset(named)
    return Answer(found) if found else Answer(None, AnswerStatus.ABSTAINED)

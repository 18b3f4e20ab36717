"""The exceptions of a rule, 但是……的除外 and 除……外: given without them it is another rule.

A document may quote a part of a provision. But whoever quotes a rule from its beginning and stops
before its exception, or passes over it without ……, says that there is none.
"""

from __future__ import annotations

import re
from typing import Final

from hengfa.law.library.citing.aligning import Alignment, Edit
from hengfa.law.library.matching import Normalised, normalise, normalise_in_place

_SHORTEST: Final = 10
"""So many letters can be a rule."""

# "但是，有过错的除外", "，法律另有规定的除外" after a rule; not "但书"
_NEXT: Final = re.compile(r"\W*(?P<words>但(?!书)[^。]*|[^，,；;。]*除外)")
# The same later in the sentence that the words stop in
_LATER: Final = re.compile(r"[^。]*?[，,；;](?P<words>但(?!书)[^。]*|[^，,；;。]*除外)")
# "除法律另有规定外，" at the beginning of a sentence
_FIRST: Final = re.compile(r"(?P<words>除[^。；;]{2,60}外)[，,]")
# The same in letters alone, where it is passed over
_PASSED: Final = re.compile("但(?:是|有|法律|当事人|能够|另)|除外|(?<![免解删排扣消])除.{2,40}外")
# In the document after the words: "……", "但是"; not "因此"
_GOES_ON: Final = re.compile(r"[”’」』\"')）。；;，,：:\s]{0,4}(?:…|\.{3}|但|除)")
_SENTENCE_END: Final = re.compile(r"[。；;：:]")
# "一律不得", "也不例外": there is no exception; not "除外"
_ABSOLUTE: Final = re.compile(
    "一律|一概|无一例外|也?不例外|没有(?:规定)?例外|任何情[况形]下|不管|无论|不论|也一样|也不行|都不行|绝对"
)
_EXCEPTION: Final = re.compile("但(?!书)|除外|除[^。；;]{2,40}外|例外")


def left_out(words: Normalised, alignment: Alignment, after: str, *, strict: bool) -> Edit | None:
    """The exception that words of a provision leave out, as what the law has and they do not.

    ``after`` is what follows them in the document. ``strict`` asks for a whole rule: words from the
    beginning of a sentence up to its exception.
    """
    for edit in (*alignment.edits, *alignment.skipped):
        if not edit.quoted and len(edit.law) > 2 and _PASSED.search(edit.law):
            return edit
    if alignment.beyond < len(words.letters):
        after = words.text[words.places[alignment.beyond] :]
    if min(alignment.beyond, len(words.letters)) < _SHORTEST:
        return None
    goes_on = len(words.letters) in words.breaks or _GOES_ON.match(after)
    if not goes_on and (behind := _after(alignment, strict=strict)):
        return behind
    return None if 0 in words.breaks or strict else _before(alignment)


def denies_exceptions(told: str, law: str) -> bool:
    """Whether somebody says that a rule has no exception, and the law has one."""
    absolute = _ABSOLUTE.search(told)
    return bool(absolute and absolute[0] not in law and _EXCEPTION.search(law))


def _after(alignment: Alignment, *, strict: bool) -> Edit | None:
    """An exception behind the words, in the provision in which they end."""
    passage, end = alignment.passage, alignment.end
    unit = next((unit for unit in passage.units if unit.start < end < unit.end), None)
    if unit is None:
        return None
    places = normalise_in_place(unit.text, passage.notation).places
    last, place = places[end - unit.start - 1], places[end - unit.start]
    whole = alignment.start in passage.sentences()
    stopped = _SENTENCE_END.search(unit.text, last + 1, place)
    found = _NEXT.match(unit.text, last + 1)
    if found is None and whole and not stopped and not strict:
        found = _LATER.match(unit.text, last + 1)
    if found is None or (strict and not whole):
        return None
    return Edit(alignment.beyond, "", normalise(found["words"], passage.notation), end)


def _before(alignment: Alignment) -> Edit | None:
    """An exception with which the sentence begins that the words are of."""
    passage, start = alignment.passage, alignment.start
    unit = next((unit for unit in passage.units if unit.start < start < unit.end), None)
    if unit is None or start in passage.sentences():
        return None
    place = normalise_in_place(unit.text, passage.notation).places[start - unit.start]
    sentence = max((unit.text.rfind(sign, 0, place) for sign in "。；;："), default=-1) + 1
    found = _FIRST.fullmatch(unit.text, sentence, place)
    if found is None:
        return None
    letters = normalise(found["words"], passage.notation)
    return Edit(0, "", letters, start - len(letters))

"""Holdings of guiding cases (裁判要点) read as rules, and asked for what they hold (CLaw spec 6).

A sentence of a holding is a rule: conditions, and what follows from them. Read so, it can be turned
into the question that it answers: the conditions stay, the conclusion is dropped, and a neutral
question takes its place. The words that mark conclusions are in :mod:`.words`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from hengfa.suites.claw_cases import words

THIN: Final = 16
RICH: Final = 24
"""Conditions of fewer letters than THIN say too little to ask about; RICH ones come first."""
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
    return [point.strip() for point in words.POINT.split(holding) if point.strip()]


def sentences(text: str) -> list[str]:
    """What ends with a full stop or a line."""
    return [one for one in re.split(r"(?<=。)|\n", text) if one and one.strip()]


def conclusions(holding: str) -> list[str]:
    """What the sentences of a holding conclude; all of those that have no conditions."""
    return [
        drawn
        for point in points_of(holding)
        for part in _parts(point)
        for drawn in [read.drawn for read in read_sentence(part)] or [part]
    ]


def readings(point: str) -> list[Reading]:
    """What a point says, long conditions of the form "……的，……" first, then other long ones."""
    read = [reading for part in _parts(point) for reading in read_sentence(part)]
    return sorted(read, key=lambda one: (len(one.conditions) < RICH, not one.conditional))


def _parts(point: str) -> list[str]:
    return [part for one in sentences(point) for part in re.split(r"(?<=；)", one) if part]


def read_sentence(sentence: str) -> Iterator[Reading]:
    """Conditions and conclusion; two of each where 但 leads to others, none where none is drawn."""
    clauses = _clauses(words.OPENING.sub("", sentence.strip()))
    first = _first_conclusion(clauses)
    turn = next((n for n, one in enumerate(clauses) if n and one.startswith("但")), None)
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
    cuts = [found.end() for found in re.finditer(r"[，；：]", _masked(sentence))]
    return [sentence[a:b] for a, b in pairwise([0, *cuts, len(sentence)]) if a < b]


def _masked(text: str) -> str:
    return words.QUOTED.sub(lambda found: "□" * len(found[0]), text)


def _is_condition(clause: str) -> bool:
    """Whether a clause ends as conditions do: ……的，"""
    return clause.rstrip("，；：").endswith("的")


def _conclusion_in(clause: str) -> int | None:
    """Where a clause begins to conclude; None where it does not, or only a party does."""
    found = words.CONCLUDES.search(_masked(clause))
    if not found or words.CLAIMS.search(clause, 0, found.start()):
        return None
    return found.start()


def _first_conclusion(clauses: list[str]) -> tuple[int, int] | None:
    """The clause, and the letter in it, from which on the sentence concludes.

    That is the first conclusion after the last "……的，" that has one, or the first of all. What
    follows a last "……的，" without any word of conclusion is one nevertheless.
    """
    ends = [n for n, one in enumerate(clauses[:-1]) if _is_condition(one)]
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
    if clauses and words.IF.match(clauses[0]):
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


def ask(reading: Reading) -> str | None:
    """The question that a sentence of a holding answers; None where too little is left to ask."""
    asked = next(
        (asked for told, asked in words.ASKED if re.search(told, reading.conclusion)),
        words.OTHERWISE,
    )
    subject = reading.subject if len(reading.subject) <= _LONGEST_SUBJECT else ""
    if asked == words.STANDING:
        subject = re.split("[与对]", subject)[0]
    before = words.TRAILING.sub("", reading.conditions + subject)
    decided = asked in {words.SUPPORTED, words.HEARD}
    if not decided and (words.MEASURED.search(before) or words.MEASURES.match(reading.conclusion)):
        asked = words.STANDARD
    before = words.TRAILING.sub("", words.COURT.sub("", before))
    acts = bool(subject) and before.endswith(subject.rstrip("，；："))
    if asked == words.RIGHTS and not acts:
        asked = words.OTHERWISE
    if len(before) < THIN or words.EMPTY.match(before):
        return None
    if acts and asked == words.EFFECT:
        return f"{before}的{asked}？"
    return f"{before}{asked}？" if acts and asked != words.STANDARD else f"{before}，{asked}？"

"""What has been graded, or is to be, as rows of the score table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum

import msgspec

from hengfa.grading.marking import Choices, mark_verdict
from hengfa.grading.marks import Flag, ItemMark, Mark, SectionMark
from hengfa.grading.people.score_table import NOT_COUNTED, WHOLE, Score
from hengfa.grading.rubric import Deduction, Gate, Item, Section
from hengfa.grading.submission import Submission
from hengfa.grading.verdict_model import Verdict


def task_of(key: str) -> str:
    """The task in a journal's key ``suite/task/setting/id``; none in a key of another form.

    >>> task_of("plawbench/consultation/default/12")
    'consultation'
    >>> task_of("answer 7")
    ''
    """
    parts = key.split("/", 3)
    return parts[1] if len(parts) == 4 else ""


def dimension_of(section: Section) -> str:
    """Its title, which rubrics of one kind share; sections without one go by their id."""
    return section.title or section.id


def blank_scores(submission: Submission) -> Iterator[Score]:
    """The rows that a person fills in: every item, and ``*`` where more can be taken off."""
    rubric, task = submission.rubric, task_of(submission.key)
    for section in rubric.sections:
        dimension = dimension_of(section)
        flags = () if section.counts else (NOT_COUNTED,)
        for item in section.items:
            yield Score(
                submission.key, task, dimension, item.id, item.maximum, None, "", flags=flags
            )
        beyond = _difference(section.maximum, [item.maximum for item in section.items])
        if beyond or section.deductions or section.gates:
            name = WHOLE + section.id
            yield Score(submission.key, task, dimension, name, beyond, None, "", flags=flags)
    counted = [section.maximum for section in rubric.sections if section.counts]
    beyond = _difference(rubric.maximum, counted)
    if beyond or rubric.penalties:
        yield Score(submission.key, task, "", WHOLE, beyond, None, "")


def scores_of(submission: Submission, mark: Mark, rater: str, model: str = "") -> Iterator[Score]:
    """A mark as rows; they add up to its points, and ungraded items have none."""
    rubric, key, task = submission.rubric, submission.key, task_of(submission.key)
    sections = {section.id: section for section in rubric.sections}
    for marked in mark.sections:
        section = sections[marked.id]
        dimension = dimension_of(section)
        beside = () if marked.counts else (NOT_COUNTED,)
        items = {item.id: item for item in section.items}
        for one in marked.items:
            item = items[one.id]
            faults = _applied(item.deductions, item.gates, mark)
            yield Score(
                key,
                task,
                dimension,
                one.id,
                one.maximum,
                None if one.awarded is None else one.points,
                rater,
                one.level,
                one.reason,
                (*faults, *one.flags, *beside),
                tuple(submission.response[span.start : span.end] for span in one.spans),
                model,
            )
        whole = Score(key, task, dimension, WHOLE + marked.id, marked.maximum, marked.points, rater)
        yield from _rest(
            whole, marked.items, _applied(section.deductions, section.gates, mark), beside, model
        )
    whole = Score(key, task, "", WHOLE, mark.maximum, mark.points, rater)
    counted = [section for section in mark.sections if section.counts]
    penalties = tuple(one.id for one in rubric.penalties if one.id in mark.faults)
    yield from _rest(whole, counted, penalties, (), model)


def mark_of_person(submission: Submission, verdict: Verdict) -> Mark:
    """The arithmetic of a person's awards: who scores reads the order of steps in the rubric, so it
    is not applied a second time, and penalties are theirs to tick."""
    return mark_verdict(submission, verdict, Choices(order=False, penalties=True))


def scores_of_person(submission: Submission, verdict: Verdict, rater: str) -> Iterator[Score]:
    """A person's verdict as rows: evidence as it was chosen, and no flags but faults."""
    awards = {award.id: award for award in verdict.awards}
    for row in scores_of(submission, mark_of_person(submission, verdict), rater):
        evidence = awards[row.item].evidence if row.item in awards else ()
        flags = tuple(flag for flag in row.flags if flag not in set(Flag))
        yield msgspec.structs.replace(row, evidence=evidence, flags=flags)


def item_texts(submission: Submission) -> dict[str, str]:
    """What each item asks for, with the grades it can have."""
    return {item.id: _item_text(item) for item in submission.rubric.items()}


def _item_text(item: Item) -> str:
    levels = "、".join(f"{level.name} {level.points:g}" for level in item.levels)
    return f"{item.text}（{levels}）" if levels else item.text


def _rest(
    whole: Score,
    parts: Sequence[ItemMark | SectionMark],
    faults: tuple[str, ...],
    beside: tuple[str, ...],
    model: str,
) -> Iterator[Score]:
    """What the whole has beyond its parts, if anything."""
    maximum = _difference(whole.maximum, [part.maximum for part in parts])
    points = _difference(whole.points or 0.0, [part.points for part in parts])
    if maximum or points or faults:
        yield msgspec.structs.replace(
            whole, maximum=maximum, points=points, flags=(*faults, *beside), model=model
        )


def _difference(whole: float, parts: Sequence[float]) -> float:
    return round(whole - fsum(parts), 9) + 0.0


def _applied(deductions: Sequence[Deduction], gates: Sequence[Gate], mark: Mark) -> tuple[str, ...]:
    """Which of these the mark has taken off."""
    possible = [*(one.id for one in deductions), *(one.id for one in gates)]
    return tuple(one for one in possible if one in mark.faults)

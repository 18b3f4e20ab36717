"""Reviews by people: what was made is put before them on the page of `grade people serve`, with a
few questions that are answered yes or no; then what they said, and how far they agree.

What is reviewed (a question for a case, a task over a world) is an ordinary submission, whose
rubric asks. Its key is a prefix and a name; scores of anything else are an error.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from hengfa.base.errors import DataError
from hengfa.base.statistics.correlation import cohen_kappa, krippendorff
from hengfa.base.statistics.evidence import average
from hengfa.evals.grading.people.score_table import read_scores
from hengfa.evals.grading.rubric import Item, Level, Rubric, Section

_YES_NO: Final = (Level("是", 1.0), Level("否", 0.0))
Said = dict[str, dict[str, dict[str, bool]]]
"""By what was reviewed, by item, by reviewer: whether they said yes."""


def review_rubric(id_: str, title: str, items: Iterable[tuple[str, str]]) -> Rubric:
    """A rubric of yes-or-no questions, by their names and texts."""
    asked = tuple(Item(name, text, 1.0, levels=_YES_NO) for name, text in items)
    whole = float(len(asked))
    section = Section(id=id_, title=title, maximum=whole, items=asked)
    return Rubric(id=id_, maximum=whole, sections=(section,))


def read_review(
    rubric: Rubric, prefix: str, names: Collection[str], tables: Iterable[Path]
) -> Said:
    """What reviewers said, from one table or several; everything that was to be reviewed is there,
    with nothing said where nobody scored it."""
    items = [item.id for item in rubric.items()]
    said: Said = {name: {item: {} for item in items} for name in names}
    for table in tables:
        for score in read_scores(table):
            name = score.submission.removeprefix(prefix)
            ours = score.submission.startswith(prefix) and name in said
            if not ours or (score.is_item and score.item not in items):
                problem = f"{score.submission[:60]!r}, {score.item[:60]!r}: not of this review"
                raise DataError(problem, file=table, field="submission")
            if score.points is None or not score.is_item:
                continue
            by = said[name][score.item]
            if score.rater in by:
                what = f"{score.submission[:60]!r}, {score.item!r}"
                problem = f"{what} was scored by {score.rater!r} in another table already"
                raise DataError(problem, file=table, field="rater")
            by[score.rater] = score.points >= score.maximum
    return said


def objections(said: Said, item: str) -> list[str]:
    """What at least one reviewer said no to."""
    return [name for name, items in said.items() if not all(items[item].values())]


def outvoted(said: Said, item: str) -> list[str]:
    """What at least half of those who spoke of it said no to."""
    votes = {name: items[item].values() for name, items in said.items()}
    return [name for name, of in votes.items() if of and 2 * sum(of) <= len(of)]


def not_whole(said: Said) -> list[str]:
    """What nobody answered all questions about, item by item."""
    return [name for name, items in said.items() if not all(items.values())]


class ItemAgreement(msgspec.Struct, frozen=True):
    """One question: how many things were answered for, which share of answers is yes, and of those
    with several reviewers which share of pairs of answers are alike. `kappa` is Cohen's, for
    several reviewers the mean of all pairs of them; `alpha` Krippendorff's. Both are None where too
    few spoke, or all said the same."""

    reviewed: int
    yes: float | None
    several: int
    alike: float | None
    kappa: float | None
    alpha: float | None


def item_agreement(said: Said, item: str) -> ItemAgreement:
    """How far reviewers agree on one question."""
    answers = [items[item] for items in said.values() if items[item]]
    flat = [yes for by in answers for yes in by.values()]
    shared = [by for by in answers if len(by) > 1]
    pairs = [a is b for by in shared for a, b in combinations(by.values(), 2)]
    units = [np.array(list(by.values()), dtype=np.float64) for by in shared]
    return ItemAgreement(
        reviewed=len(answers),
        yes=average(flat),
        several=len(shared),
        alike=average(pairs),
        kappa=_kappa(shared),
        alpha=krippendorff(units),
    )


def _kappa(shared: Sequence[dict[str, bool]]) -> float | None:
    raters = sorted({rater for by in shared for rater in by})
    kappas = []
    for one, other in combinations(raters, 2):
        both = [(by[one], by[other]) for by in shared if one in by and other in by]
        kappas.append(cohen_kappa([a for a, _ in both], [b for _, b in both]))
    return average([kappa for kappa in kappas if kappa is not None])

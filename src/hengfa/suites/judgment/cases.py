"""Judgments that may stand in a prompt: a training split, never the case that is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from hengfa.data.paths import disk_errors
from hengfa.errors import DataError
from hengfa.law.judgment.parse import parse_judgment
from hengfa.suites.judgment.dataset import JudgmentSample
from hengfa.suites.judgment.rows import read_rows

FOLDS: Final = 5


class Case(msgspec.Struct, frozen=True):
    """A judgment and its facts; `articles` are those of the Criminal Law that it applies."""

    id: str
    fact: str
    document: str
    articles: tuple[str, ...] = ()


def read_cases(file: Path, *, parts: bool = False) -> tuple[Case, ...]:
    """Every judgment of a file, in any of the layouts; an unchanged file is read once.

    With `parts` rows of facts alone or of a document alone will do, and stand for both.
    """
    with disk_errors(file):
        return _read(file, parts, file.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _read(file: Path, parts: bool, _changed: int) -> tuple[Case, ...]:
    cases: list[Case] = []
    for number, row in read_rows(file):
        fact, document = (row.facts or "").strip(), (row.whole or "").strip()
        if parts:
            fact, document = fact or document, document or fact
        if not fact or not document or (document == fact and not parts):
            problem = "needs facts and a judgment: fact and document, or fact, reason and result"
            raise DataError(problem, file=file, row=number)
        given = tuple(dict.fromkeys(map(str, row.articles or row.la)))
        name = row.name or f"{file.name.partition('.')[0]}-{number}"
        articles = given if given or parts else articles_of(document)
        cases.append(Case(name, fact, document, articles))
    if not cases:
        raise DataError("there is no judgment in this file", file=file)
    return tuple(cases)


def articles_of(document: str) -> tuple[str, ...]:
    """The articles of the Criminal Law that a judgment applies: `264`, `133-1`."""
    applied = (one for one in parse_judgment(document).statutes if one.criminal)
    return tuple(
        dict.fromkeys(
            f"{one.article}-{one.article_sub}" if one.article_sub else str(one.article)
            for one in applied
        )
    )


def fold_of(sample_id: str) -> int:
    """Which fifth of the test set a case is in: by its id alone, so that it never moves."""
    return blake2b(sample_id.encode(), digest_size=4).digest()[0] % FOLDS


def other_folds(samples: Sequence[JudgmentSample], fold: int) -> tuple[Case, ...]:
    """The cases of the other folds, for those who have no training split."""
    return tuple(case_of(one) for one in samples if fold_of(one.id) != fold)


def case_of(sample: JudgmentSample) -> Case:
    """A test case as one of a collection."""
    articles = tuple(map(str, sample.articles))
    return Case(sample.id, sample.fact.strip(), sample.document, articles)

"""The citations of 501 real judgments: how many are found, resolved, there and in force."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_positions import format_citation
from hengfa.law.grammar.numerals import format_article
from hengfa.law.library import FoundVersion, Library, Version, find_law, in_force_on
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import Checked, Report
from hengfa.law.library.derived import Amendments, Comparison, compare
from hengfa.law.library.matching import QUOTED, Passages, normalise

pytestmark = pytest.mark.shared

CRIMINAL_LAW = "中华人民共和国刑法"


class Judged(NamedTuple):
    rows: list[dict[str, Any]]
    reports: list[Report]

    @property
    def own(self) -> list[Checked]:
        return [one for report in self.reports for one in report.citations if not one.inside]


@pytest.fixture(scope="module")
def judged(shared: Path, shared_file: Path) -> Judged:
    with (shared / "data" / "JuDGE" / "data" / "test.json").open(encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    with Library.open(shared_file) as library:
        checker, today = Checker(library), date(2025, 1, 1)
        return Judged(rows, [checker.check(row["fd"], today=today) for row in rows])


def test_citations_are_found_and_resolved(judged: Judged) -> None:
    assert len(judged.reports) == 501
    assert len(judged.own) >= 3_750
    resolved = sum(one.law is not None for one in judged.own)
    assert resolved / len(judged.own) > 0.985


def test_every_article_that_the_data_set_names_is_found(judged: Judged) -> None:
    missing: Counter[int] = Counter()
    for row, report in zip(judged.rows, judged.reports, strict=True):
        cited = "".join(one.position for one in report.citations if one.law == CRIMINAL_LAW)
        missing.update(one for one in set(row["la"]) if format_article(one) not in cited)
    assert missing.total() <= 3  # 第七十三条第二条款, which the data set reads as article 2; ranges


def test_the_date_of_nearly_every_judgment_is_read(judged: Judged) -> None:
    days = [report.day for report in judged.reports]
    assert sum(day.basis == "document" for day in days) >= 500
    assert {day.day.year for day in days if day.basis == "document"} <= set(range(2010, 2022))


def test_positions_exist_and_were_in_force(judged: Judged) -> None:
    total = len(judged.own)
    exists = Counter(one.exists for one in judged.own)
    assert exists["yes"] / total > 0.955
    assert exists["no"] <= 8
    assert Counter(one.in_force for one in judged.own)["yes"] / total > 0.955
    counts = Counter(one.status for one in judged.own)
    assert counts["right"] / total > 0.89
    assert (counts["right"] + counts["exists"]) / total > 0.92
    assert counts["unknown"] / total < 0.06
    assert counts["wrong"] <= 40


def test_appended_provisions_are_compared_and_outdated_ones_found(judged: Judged) -> None:
    verdicts = Counter(one.quotation.verdict for one in judged.own if one.quotation)
    assert verdicts["exact"] >= 700
    assert verdicts["exact"] / verdicts.total() > 0.8
    # article 53 was amended in 2015; courts went on appending its former text
    outdated = [
        one
        for one in judged.own
        if one.position == "第五十三条" and one.problem == "quoted from another version"
    ]
    assert len(outdated) >= 9
    for one in outdated:
        assert one.quotation
        assert one.day
        assert one.day.day >= date(2015, 11, 1)
        assert one.quotation.sources[0].version == date(2009, 2, 28)
    # whoever quoted the new text, or judged before, is not accused
    assert not any(one.day and one.day.day < date(2015, 11, 1) for one in outdated)


# --- quotations of real law, made wrong on purpose ---

CHANGES = ("exact", "wording", "other provision", "other version", "not in the law")
FOREIGN = "鼎鑫淼焱垚"
SAMPLES = 250


def test_quotations_that_were_made_wrong_are_told_apart(corpus: Library) -> None:
    chance = random.Random(20)
    checker = Checker(corpus)
    told: Counter[tuple[str, str]] = Counter()
    while told.total() < SAMPLES:
        version = chance.choice(corpus.versions())
        day = (version.effective or version.promulgated) + timedelta(days=60)
        change = chance.choice(CHANGES)
        made = _made(corpus, version, day, change, chance)
        if made is None:
            continue
        found = checker.check(made, as_of=day).citations[0].quotation
        assert found is not None, made
        told[change, found.verdict] += 1
    right = sum(number for (change, verdict), number in told.items() if change == verdict)
    assert right / told.total() > 0.985, told
    assert all(told[change, change] for change in CHANGES)


def _made(
    corpus: Library, version: Version, day: date, change: str, chance: random.Random
) -> str | None:
    """A citation with a quotation, or None where this version does not lend itself to it."""
    law = corpus.shelf.by_name[version.law]
    answer = in_force_on(corpus, law, day)
    if not isinstance(answer, FoundVersion) or answer.version != version or version.articles < 5:
        return None
    cited, other = chance.choices(sorted(_articles(corpus, version), key=str), k=2)
    right = words = corpus.text(version, cited) or ""
    if change == "wording":
        places = chance.sample([n for n, sign in enumerate(words) if sign.isalpha()], 2)
        words = "".join(chance.choice(FOREIGN) if n in places else s for n, s in enumerate(words))
    elif change == "other provision":
        words = corpus.text(version, other) or ""
    elif change == "other version":
        older = [v for v in corpus.versions(law) if v != version]
        words = (corpus.text(chance.choice(older), cited) or "") if older else ""
    elif change == "not in the law":
        words = "".join(chance.sample(words, len(words)))
    mine, ours = normalise(words, QUOTED), normalise(right, QUOTED)
    same = mine == ours
    too_short = min(len(mine), len(ours)) < 20 or len(words) > 900
    if too_short or "“" in words or "”" in words or same != (change == "exact"):
        return None
    return f"{format_citation(law.name, cited)}规定：“{words}”"


@pytest.fixture
def library(shared_file: Path) -> Iterator[Library]:
    with Library.open(shared_file) as opened:
        yield opened


SPELLED_OTHERWISE = Position(162, 1)  # 帐簿 and 账簿
NOT_AT_HAND = (Position(381), Position(410))  # what the decision of 2009-08-27 changed


def test_amending_acts_lead_from_each_text_of_the_criminal_law_to_the_next(
    library: Library,
) -> None:
    """Article by article: done, they give the younger text; undone, what they left alone."""
    amendments, law = Amendments(Passages(library)), find_law(library, CRIMINAL_LAW)
    assert len(amendments.acts(law)) == 14
    assert all(act.clear for act in amendments.acts(law).values())
    found = {(c.out_of.year, c.derived.year): c for c in compare(amendments, law)}
    assert {years: _counted(comparison) for years, comparison in found.items()} == {
        (2009, 2020): (502, 0, 2, 1),
        (2020, 2009): (407, 30, 67, 1),
        (2020, 2023): (505, 0, 0, 0),
        (2023, 2020): (498, 2, 5, 0),
    }
    assert found[2009, 2020].unknown == NOT_AT_HAND
    assert found[2009, 2020].differing == found[2020, 2009].differing == (SPELLED_OTHERWISE,)


def _counted(found: Comparison) -> tuple[int, int, int, int]:
    return found.same, len(found.partly), len(found.unknown), len(found.differing)


@pytest.mark.parametrize(
    ("promulgated", "there", "known", "partly"),
    [
        ("1997-03-14", 452, 412, 14),
        ("1999-12-25", 453, 420, 14),
        ("2001-12-29", 455, 429, 11),
        ("2006-06-29", 465, 458, 5),
        ("2009-08-27", 469, 469, 0),
        ("2011-02-25", 476, 476, 0),
        ("2015-08-29", 490, 490, 0),
        ("2017-11-04", 490, 490, 0),
    ],
)
def test_versions_of_the_criminal_law_that_are_not_at_hand(
    library: Library, promulgated: str, there: int, known: int, partly: int
) -> None:
    """In 1997 it had 452 articles: so many come out."""
    amendments, law = Amendments(Passages(library)), find_law(library, CRIMINAL_LAW)
    day = date.fromisoformat(promulgated)
    articles = {
        article for version in library.versions(law) for article in _articles(library, version)
    }
    told = [amendments.after(law, article, day) for article in articles]
    exist = [one for one in told if one is None or one.exists]
    assert len(exist) == there
    certain = [one for one in exist if one and one.passage and not one.other_paragraphs]
    assert len(certain) == known
    assert len([one for one in exist if one and one.other_paragraphs]) == partly


def test_a_deleted_article_is_not_there_between_the_texts_at_hand(library: Library) -> None:
    """刑法修正案（九） deleted it; no text between 1997 and 2020 is at hand."""
    checker = Checker(library)
    exists = {
        year: checker.check("《刑法》第一百九十九条", as_of=date(year, 6, 1)).citations[0]
        for year in (2014, 2018, 2022)
    }
    assert [found.exists for found in exists.values()] == ["yes", "no", "no"]


def _articles(library: Library, version: Version) -> set[Position]:
    return {Position(*one.position[:2]) for one in library.entries(version, role=None)}


@pytest.mark.deep
def test_a_judgment_takes_milliseconds(shared: Path, library: Library) -> None:
    with (shared / "data" / "JuDGE" / "data" / "test.json").open(encoding="utf-8") as stream:
        texts = [json.loads(line)["fd"] for line, _ in zip(stream, range(100), strict=False)]
    checker = Checker(library)
    checker.check(texts[0])
    seconds = []
    for text in texts:
        start = time.process_time()
        checker.check(text)
        seconds.append(time.process_time() - start)
    assert sorted(seconds)[50] < 0.05  # 0.002 on a quiet machine

"""The table of causes: every provision is the law on its days, and every case is consistent."""

from __future__ import annotations

import random
import string
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import combinations
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError
from hengfa.law.library import FoundVersion, Library, Position, candidates, find_law, in_force_on
from hengfa.world.causes import (
    REAL,
    SAMPLE,
    Cause,
    CauseTable,
    Days,
    ProvisionPeriod,
    WorldLaw,
    draw_case,
    grounds_on,
    months_after,
    read_table,
    table_of,
)
from hengfa.world.generator.law import articles, sample_law
from tests.world.test_factory_worlds import generated_world

EARLIEST = date(2013, 1, 1)
"""No case of the table reaches back further: two years before the first suit."""

TABLES = pytest.mark.parametrize(
    "table", [read_table(REAL), read_table(SAMPLE)], ids=["", "sample"]
)


def provisions(table: CauseTable) -> Iterator[tuple[ProvisionPeriod, date, date]]:
    """Each provision, and the first and last day on which a case may rest on it."""
    for rule in table.rules.values():
        for provision in rule.provisions:
            yield provision, max(provision.since, EARLIEST), min(provision.until, table.last)


def some_days(first: date, last: date) -> set[date]:
    """Both ends, and a day in each quarter of a year between them."""
    return {last, *(first + timedelta(days=n) for n in range(0, (last - first).days, 91))}


# --- the law ---


class LibraryLaw:
    """The law library, which knows what was in force on which day."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def bears_out(self, provision: ProvisionPeriod, on: date) -> bool:
        """Whether a law of this name was in force and its article had these words."""
        for law in candidates(self._library, provision.law):
            answer = in_force_on(self._library, law, on)
            if isinstance(answer, FoundVersion):
                text = self._library.text(answer.version, Position(provision.article)) or ""
                return all(word in text for word in provision.words)
        return False


@pytest.mark.shared
def test_every_provision_is_in_force_on_its_days_with_its_words(corpus: Library) -> None:
    law = LibraryLaw(corpus)
    for provision, first, last in provisions(read_table(REAL)):
        for on in some_days(first, last):
            assert law.bears_out(provision, on), (provision.citation, on)


@pytest.mark.shared
def test_the_words_tell_an_article_from_all_others_of_its_law(corpus: Library) -> None:
    """The check above can fail: no other number has these words."""
    for provision, first, _ in provisions(read_table(REAL)):
        answer = in_force_on(corpus, find_law(corpus, provision.law), first)
        assert isinstance(answer, FoundVersion)
        texts: dict[int | None, str] = defaultdict(str)
        for entry in corpus.entries(answer.version, None):
            texts[entry.position.article] += entry.text
        having = [n for n, text in texts.items() if all(word in text for word in provision.words)]
        assert having == [provision.article], provision.citation


@pytest.mark.shared
def test_no_provision_is_in_force_a_day_before_its_law_or_after_its_repeal(corpus: Library) -> None:
    law = LibraryLaw(corpus)
    one_day = timedelta(days=1)
    begun = {"民法典": date(2021, 1, 1), "民法总则": date(2017, 10, 1)}
    for provision, _, _ in provisions(read_table(REAL)):
        if provision.until == date(2020, 12, 31):
            assert not law.bears_out(provision, provision.until + one_day), provision.citation
        if provision.law in begun:
            assert not law.bears_out(provision, begun[provision.law] - one_day)


def test_every_provision_of_the_sample_law_has_its_words() -> None:
    with sample_law(sample_root()) as source:
        library, world = LibraryLaw(source.library), WorldLaw(articles(source))
        alone = {provision.law for provision in source.provisions}
        for provision, first, last in provisions(read_table(SAMPLE)):
            law = world if provision.law in alone else library
            for on in some_days(first, last):
                assert law.bears_out(provision, on), (provision.citation, on)


LIMITATION = [
    ("2013-05-10", "2015-06-01", "民法通则第一百三十五条"),
    ("2015-09-30", "2017-10-01", "民法通则第一百三十五条"),
    ("2015-10-01", "2018-10-02", "民法总则第一百八十八条"),  # two years became three
    ("2015-10-01", "2018-10-01", None),
    ("2017-12-31", "2021-06-01", "民法总则第一百八十八条"),
    ("2018-01-01", "2021-06-01", None),  # ran out under the code, began before it
    ("2020-12-31", "2024-06-01", None),
    ("2021-01-01", "2024-01-01", None),
    ("2021-01-01", "2024-01-02", "民法典第一百八十八条"),
]


@pytest.mark.parametrize(("due", "filed", "citation"), LIMITATION)
def test_limitation_follows_the_law_under_which_the_period_ran_out(
    due: str, filed: str, citation: str | None
) -> None:
    on = date.fromisoformat(due)
    found = read_table().rules["limitation"].provision(Days(on, on, date.fromisoformat(filed)))
    assert (found[0].citation if found else None) == citation


OTHERS = [
    ("limitation_rent", "2016-02-01", "2016-02-01", "2017-03-01", "民法通则第一百三十六条"),
    ("penalty", "2020-03-01", "2020-12-31", "2024-06-01", "合同法第一百一十四条"),
    ("penalty", "2020-03-01", "2021-01-01", "2024-06-01", None),  # signed before, broken after
    ("penalty", "2021-01-01", "2021-03-01", "2024-06-01", "民法典第五百八十五条"),
    ("proof", "2020-03-01", "2020-12-31", "2021-12-31", "民事诉讼法第六十四条"),
    ("proof", "2020-03-01", "2020-12-31", "2022-01-01", "民事诉讼法第六十七条"),
    ("agreed_court", "2015-03-01", "2015-12-31", "2016-12-31", "民事诉讼法第三十四条"),
    ("agreed_court", "2022-03-01", "2022-12-31", "2024-12-31", "民事诉讼法第三十五条"),
    ("resolution", "2024-06-30", "2024-12-31", "2025-06-30", "公司法第十六条"),
    ("resolution", "2024-07-01", "2024-12-31", "2025-06-30", "公司法第十五条"),
    ("resolution", "2018-10-25", "2018-12-31", "2019-06-30", None),  # a text that nobody has
    ("enrichment", "2017-09-30", "2017-09-30", "2018-06-30", "民法通则第九十二条"),
    ("enrichment", "2017-10-01", "2017-10-01", "2018-06-30", "民法总则第一百二十二条"),
]


@pytest.mark.parametrize(("rule", "signed", "due", "filed", "citation"), OTHERS)
def test_substance_follows_the_facts_and_procedure_the_suit(
    rule: str, signed: str, due: str, filed: str, citation: str | None
) -> None:
    days = Days(*(date.fromisoformat(day) for day in (signed, due, filed)))
    found = read_table().rules[rule].provision(days)
    assert (found[0].citation if found else None) == citation


@TABLES
@given(on=st.dates(EARLIEST, date(2026, 12, 31)))
def test_no_day_has_two_provisions_of_one_rule(table: CauseTable, on: date) -> None:
    for rule in table.rules.values():
        if rule.on != "lapse":
            assert sum(provision.covers(on) for provision in rule.provisions) <= 1


@given(on=st.dates(EARLIEST, date(2025, 12, 31)), wait=st.integers(1, 3_000))
def test_a_period_has_lapsed_by_one_provision_at_most(on: date, wait: int) -> None:
    """Whatever the days, the law of limitation gives one answer or none."""
    days = Days(on, on, on + timedelta(days=wait))
    for rule in read_table().rules.values():
        if rule.on == "lapse":
            lapsed = [
                provision
                for provision in rule.provisions
                if provision.covers(months_after(on, provision.months))
                and days.filed > months_after(on, provision.months)
            ]
            assert len(lapsed) <= 1
            assert rule.provision(days) == (
                (lapsed[0], months_after(on, lapsed[0].months)) if lapsed else None
            )


@given(on=st.dates(), months=st.integers(-40, 40))
def test_months_are_counted_as_the_calendar_counts_them(on: date, months: int) -> None:
    if 4 < on.year < 9990:  # no date is before year 1, and 40 months are more than three years
        later = months_after(on, months)
        assert (later.year - on.year) * 12 + later.month - on.month == months
        assert (
            later.day == on.day
            or later.day == (months_after(later, 1).replace(day=1) - timedelta(1)).day
        )


# --- cases ---


@TABLES
@given(seed=st.integers(0, 2**32))
def test_a_case_is_consistent(table: CauseTable, seed: int) -> None:
    case = draw_case(table, random.Random(seed))
    if case is None:
        return
    days = case.days
    assert days.signed <= days.due < days.filed <= table.last
    assert days.filed >= table.first
    assert days.signed <= case.paid <= days.due
    assert 2 <= len(case.defences) <= 3
    assert all(one.goes_with(other) for one, other in combinations(case.defences, 2))
    raised = {defence.rule for defence in case.defences}
    lapsed = {rule for rule in case.cause.rules if table.rules[rule].on == "lapse"}
    assert lapsed & {*case.grounds} == lapsed & raised, "too late if and only if it is pleaded"
    assert raised | {*case.cause.grounds} <= {*case.grounds}
    amounts = case.amounts
    asked = (amounts.part, amounts.owed, amounts.kept, amounts.cost, amounts.other)
    assert len(set(asked)) == len(asked)
    assert sum(asked) < amounts.sum


def texts(cause: Cause) -> Iterator[str]:
    """All templates of a cause."""
    yield from (cause.claim, cause.story, cause.joint, *cause.evidence)
    for one in cause.defences:
        yield from (one.fact, one.proof, one.plea, one.claim, one.story)


@TABLES
def test_templates_ask_for_what_a_case_has(table: CauseTable) -> None:
    days = Days(date(2022, 1, 2), date(2022, 3, 4), date(2023, 5, 6))
    cases = (draw_case(table, random.Random(seed)) for seed in range(99))
    drawn = next(case for case in cases if case)
    for cause in table.causes:
        case = msgspec.structs.replace(drawn, cause=cause, days=days)
        for text in texts(cause):
            said = case.say(text, "被告", "某公司")
            assert "{" not in said
            fields = {name for _, name, _, _ in string.Formatter().parse(text) if name}
            assert "site" not in fields or cause.site, cause.id
        assert case.say("{due}", "", "") == "2022年3月4日"


@TABLES
def test_words_of_art_are_in_the_plea_and_told_nowhere(table: CauseTable) -> None:
    for cause in table.causes:
        told = [cause.name, cause.claim, cause.story, cause.joint, *cause.evidence, cause.contract]
        for one in cause.defences:
            told += [one.fact, one.proof, one.claim, one.story]
        for one in cause.defences:
            assert one.terms
            for term in one.terms:
                assert term in one.plea
                assert not [text for text in told if term in text], (cause.id, term)


@TABLES
def test_what_is_denied_is_held_by_somebody_and_one_period_is_enough(table: CauseTable) -> None:
    held = {thing for cause in table.causes for one in cause.defences for thing in one.holds}
    for cause in table.causes:
        assert {thing for one in cause.defences for thing in one.denies} <= held
        lapsing = {name for name in cause.rules if table.rules[name].on == "lapse"}
        assert len(lapsing) <= 1, "what is in time by one rule may be late by another"
        periods = [one.months for name in lapsing for one in table.rules[name].provisions]
        assert 160 / 28 < cause.wait <= min(periods, default=24)


def test_who_walked_away_cannot_also_have_asked_for_delivery() -> None:
    by_rule = {one.rule: one for one in read_table().cause("deposit").defences}
    assert not by_rule["forfeit"].goes_with(by_rule["order"])
    sale = {one.rule: one for one in read_table().cause("sale-price").defences}
    assert not sale["order"].goes_with(sale["reduction"]), "what was not installed did not run"
    assert not sale["privity"].goes_with(sale["discharge"])
    assert not sale["limitation"].goes_with(sale["setoff"]), "who admits a debt renews the period"
    assert sale["limitation"].goes_with(sale["penalty"])


def test_there_are_enough_causes_and_the_courts_names_for_them() -> None:
    causes = read_table().causes
    assert len({cause.name for cause in causes}) >= 15
    assert len({cause.id for cause in causes}) == len(causes)
    broker = read_table().cause("broker")
    assert broker.named_on(date(2020, 12, 31)) == "居间合同纠纷"
    assert broker.named_on(date(2021, 1, 1)) == "中介合同纠纷"


def test_every_cause_is_drawn_under_the_old_law_and_under_the_new() -> None:
    """Except where the table has no text, or the law did not change."""
    rng = random.Random(3)
    drawn = [case for _ in range(4_000) if (case := draw_case(read_table(), rng))]
    old = {case.cause.id for case in drawn if case.days.due < date(2021, 1, 1)}
    new = {case.cause.id for case in drawn if case.days.signed >= date(2021, 1, 1)}
    assert old == new == {cause.id for cause in read_table().causes}


# --- texts that contradict, tables that are wrong ---


def test_a_world_that_has_other_words_has_no_such_ground() -> None:
    table = read_table()
    days = Days(date(2022, 1, 2), date(2022, 3, 4), date(2022, 9, 6))
    cause = table.cause("sale-price")
    right = ["民法典第五百八十五条：约定的违约金过分高于造成的损失的，……予以适当减少。"]
    wrong = ["民法典第五百八十五条：略。", "民法典第五百八十四条：过分高于造成的损失……适当减少"]
    assert {*grounds_on(table, cause, days, WorldLaw(right))} == {"penalty"}
    assert not grounds_on(table, cause, days, WorldLaw(wrong))
    assert len(grounds_on(table, cause, days)) > 5


def test_a_world_takes_the_table_of_its_own_law() -> None:
    assert table_of(WorldLaw(["中华人民共和国民法典第五百零九条：略"])) is read_table(REAL)
    with generated_world() as world:
        assert table_of(WorldLaw(world.texts("LegalArticle"))) is read_table(SAMPLE)
    assert table_of(WorldLaw(["某法第一条：略"])) is None


@pytest.mark.parametrize(
    ("was", "becomes"), [('shared = ["limi', 'shared = ["lima'), ('"privity"\nst', '"pruvity"\nst')]
)
def test_a_table_with_an_unknown_name_is_refused_with_its_place(
    was: str, becomes: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    text = REAL.read_text("utf-8")
    assert was in text
    file.write_text(text.replace(was, becomes), "utf-8")
    with pytest.raises(DataError, match=r"mine\.toml.*sale-price|sale-price.*mine\.toml"):
        read_table(file)

"""The three readings of a date, and the traps between promulgation and entry into force."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hengfa.law.library import (
    FoundVersion,
    Library,
    NoSuchVersion,
    NotYet,
    Repealed,
    Unknown,
    all_readings,
    find_law,
    in_force_on,
    latest_by,
    promulgated_on,
)
from hengfa.law.library.model import SETTLED
from tests.law.library.fictional import BELL, FERRY, FISH, GUIDE, LANTERN, TEA, WATER


def told(answer: object) -> str:
    """An answer in a word: the day of the version, or what it is."""
    if isinstance(answer, FoundVersion):
        return f"{answer.version.promulgated}{'' if answer.sure else '?'}"
    return type(answer).__name__


@pytest.mark.parametrize(
    ("law", "on", "promulgated", "in_force", "latest"),
    [
        # before anything, on the day of promulgation, before and after it took effect
        (TEA, "2001-03-09", "NoSuchVersion", "NotYet", "NotYet"),
        (TEA, "2001-03-10", "2001-03-10", "NotYet", "2001-03-10"),
        (TEA, "2001-06-30", "NoSuchVersion", "NotYet", "2001-03-10"),
        (TEA, "2001-07-01", "NoSuchVersion", "2001-03-10", "2001-03-10"),
        # an amendment of 2008 whose text is not at hand
        (TEA, "2008-05-19", "NoSuchVersion", "2001-03-10", "2001-03-10"),
        (TEA, "2008-05-20", "Unknown", "Unknown", "Unknown"),
        (TEA, "2012-01-01", "NoSuchVersion", "Unknown", "Unknown"),
        # a revision promulgated in 2015 and in force from 2016: the text of 2008 is still needed
        (TEA, "2015-10-01", "2015-10-01", "Unknown", "2015-10-01"),
        (TEA, "2015-12-31", "NoSuchVersion", "Unknown", "2015-10-01"),
        (TEA, "2016-01-01", "NoSuchVersion", "2015-10-01", "2015-10-01"),
        # an amendment in force from September: the clause of 2016 in its text is not its own
        (TEA, "2020-08-31", "NoSuchVersion", "2015-10-01", "2020-06-01"),
        (TEA, "2020-09-01", "NoSuchVersion", "2020-06-01", "2020-06-01"),
        # repealed by a law that was promulgated before it took effect
        (FERRY, "2010-05-31", "NoSuchVersion", "1999-04-01", "1999-04-01"),
        (FERRY, "2010-06-01", "NoSuchVersion", "Repealed", "1999-04-01"),
        (WATER, "2010-05-31", "NoSuchVersion", "NotYet", "2010-02-01"),
        # a law whose older namesake was repealed: that says nothing of the new one
        (LANTERN, "2000-01-01", "NoSuchVersion", "Unknown", "NotYet"),
        (LANTERN, "2015-01-01", "NoSuchVersion", "Repealed", "NotYet"),
        (LANTERN, "2020-04-30", "NoSuchVersion", "NotYet", "2019-12-01"),
        (LANTERN, "2020-05-01", "NoSuchVersion", "2019-12-01", "2019-12-01"),
        # an entry into force that a register only seems to know
        (FISH, "2005-01-15", "NoSuchVersion", "NotYet", "Unknown"),
        (FISH, "2005-02-01", "NoSuchVersion", "Unknown", "Unknown"),
        (FISH, "2018-03-03", "2018-03-03", "2018-03-03?", "2018-03-03"),
        (FISH, "2018-12-31", "NoSuchVersion", "2018-03-03?", "2018-03-03"),
        (FISH, "2021-01-01", "NoSuchVersion", "2018-03-03", "2018-03-03"),
        # nobody says when it took effect
        (BELL, "1991-01-01", "NoSuchVersion", "Unknown", "1990-09-09"),
        (BELL, "1992-09-09", "NoSuchVersion", "1990-09-09", "1990-09-09"),
        (GUIDE, "2021-01-31", "NoSuchVersion", "NotYet", "2021-01-05"),
        (GUIDE, "2021-02-01", "NoSuchVersion", "2021-01-05", "2021-01-05"),
    ],
)
def test_three_readings_of_one_day(
    library: Library, law: str, on: str, promulgated: str, in_force: str, latest: str
) -> None:
    found = all_readings(library, find_law(library, law), date.fromisoformat(on))
    assert told(found["promulgated on"]) == promulgated
    assert told(found["in force on"]) == in_force
    assert told(found["latest by"]) == latest


def test_unknown_names_the_version_that_is_needed(library: Library) -> None:
    answer = in_force_on(library, find_law(library, TEA), date(2012, 1, 1))
    assert isinstance(answer, Unknown)
    assert [one.promulgated for one in answer.needed] == [date(2008, 5, 20)]
    assert "2008-05-20" in answer.reason


def test_unknown_names_all_versions_that_may_have_been_in_force(library: Library) -> None:
    answer = in_force_on(library, find_law(library, TEA), date(2008, 12, 1))
    assert isinstance(answer, Unknown)
    assert [str(one.promulgated) for one in answer.needed] == ["2008-05-20", "2001-03-10"]


def test_an_adoption_is_dated_by_the_clause_that_amendments_carry_on(library: Library) -> None:
    first = library.shelf.calendar[FISH][0]
    assert (first.version, first.effective, first.sure) == (None, date(2005, 2, 1), "exact")


def test_a_repeal_says_by_what_and_shows_the_last_text(library: Library) -> None:
    answer = in_force_on(library, find_law(library, FERRY), date(2011, 1, 1))
    assert isinstance(answer, Repealed)
    assert (answer.by, answer.on) == (WATER, date(2010, 6, 1))
    assert answer.last is not None
    assert answer.last.promulgated == date(1999, 4, 1)


def test_a_wrong_key_lists_the_right_ones(library: Library) -> None:
    answer = promulgated_on(library, find_law(library, TEA), date(2016, 1, 1))
    assert isinstance(answer, NoSuchVersion)
    assert len(answer.known) == 4


def test_how_sure_each_date_is(library: Library) -> None:
    sure = {(v.law, str(v.promulgated)): (str(v.effective), v.sure) for v in library.versions()}
    assert sure[TEA, "2001-03-10"] == ("2001-07-01", "exact")
    assert sure[TEA, "2015-10-01"] == ("2016-01-01", "exact")
    assert sure[TEA, "2020-06-01"] == ("2020-09-01", "stated")
    assert sure[FISH, "2018-03-03"] == ("2018-03-03", "suspect")
    assert sure[BELL, "1990-09-09"] == ("None", "unknown")
    assert sure["月湖节日条例（1988年）", "1988-01-01"] == ("1988-01-01", "assumed")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(on=st.dates(date(1985, 1, 1), date(2030, 1, 1)), place=st.integers(0, 100))
def test_no_answer_is_ever_a_text_of_another_time(library: Library, on: date, place: int) -> None:
    laws = library.laws()
    law = laws[place % len(laws)]
    latest, in_force = latest_by(library, law, on), in_force_on(library, law, on)
    if isinstance(latest, FoundVersion):
        assert latest.version.promulgated <= on
    if isinstance(in_force, FoundVersion):
        version = in_force.version
        assert (version.effective or version.promulgated) <= on
        assert in_force.sure or on < version.promulgated + SETTLED
        assert not isinstance(latest, NotYet)

"""Cited law behind awards for statutes, checked in a library of fictional laws."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hengfa.evals.grading.marking import Choices, mark
from hengfa.evals.grading.rubric import Flag, Item
from hengfa.evals.grading.statutes import LawCheck
from hengfa.law.library import Library
from hengfa.law.library.building.build import build_library
from tests.evals.grading.rubrics import award, reply, rubric, section, sheet, submission
from tests.law.library.citing_laws import (
    CLOSED,
    FINE_2005,
    LANTERNS_2005,
    LANTERNS_2009,
    write_laws,
)

DAY = date(2019, 5, 5)
STATUTE = rubric(section(Item("a", "海岸法第四条", 5, statute=True), Item("b", "结论", 5)))


@pytest.fixture(scope="module")
def law_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("coast")
    build_library([write_laws(folder / "laws")], folder / "law.sqlite")
    return folder / "law.sqlite"


@pytest.fixture
def law(law_file: Path) -> Iterator[LawCheck]:
    with Library.open(law_file) as library:
        yield LawCheck(library)


def flags(
    law: LawCheck, response: str, quote: str, *, as_of: date | None = DAY, name: str = "a"
) -> tuple[Flag, ...]:
    graded = submission(STATUTE, response, as_of=as_of)
    other = "b" if name == "a" else "a"
    said = sheet(reply(award(name, 5, quote), award(other, 0), response=response))
    found = mark(graded, said, Choices(law=law))
    assert found.points == 5, "law is flagged, not marked down"
    return next(one.flags for one in found.items() if one.id == name)


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("依照《云港海岸法》第四条，看守人应当点灯。", ()),
        (f"《云港海岸法》第四条规定：“{LANTERNS_2009}”", ()),
        ("依照《云港海岸法》第九十条，看守人应当点灯。", (Flag.NO_SUCH_LAW,)),
        ("依照《云港海岸法》第三条第五款，看守人应当点灯。", (Flag.NO_SUCH_LAW,)),
        ("依照《云港渔港法》第二条，船只应当登记。", (Flag.NOT_IN_FORCE,)),
        (f"《云港海岸法》第四条规定：“{LANTERNS_2005}”", (Flag.MISQUOTED,)),
        (f"《云港海岸法》第四条规定：“{CLOSED}”", (Flag.MISQUOTED,)),
        ("依照《云港登山法》第三条，登山应当登记。", ()),
        ("看守人应当点灯，没有引用任何法律。", ()),
        ("依照合同第四条，看守人应当点灯。", ()),
    ],
)
def test_a_citation_in_the_evidence_is_looked_up(
    law: LawCheck, response: str, expected: tuple[Flag, ...]
) -> None:
    assert flags(law, response, response) == expected


def test_words_quoted_without_their_citation_are_checked_by_the_one_next_to_them(
    law: LawCheck,
) -> None:
    response = f"《云港海岸法》第九十条规定了点灯的时间：看守人日落前点灯。{'海风很大。' * 60}完。"
    assert flags(law, response, "看守人日落前点灯") == (Flag.NO_SUCH_LAW,)
    assert flags(law, response, "海风很大。完") == ()


def test_quoted_text_belongs_to_its_citation(law: LawCheck) -> None:
    response = f"《云港海岸法》第六条规定：“{CLOSED}”《云港海岸法》第四条规定：“{LANTERNS_2005}”"
    assert flags(law, response, LANTERNS_2005) == (Flag.MISQUOTED,)
    assert flags(law, response, CLOSED) == ()


def test_only_statute_items_are_checked(law: LawCheck) -> None:
    response = "依照《云港海岸法》第九十条，应当退还押金。"
    assert flags(law, response, response, name="b") == ()


def test_the_day_of_the_case_decides(law: LawCheck) -> None:
    response = f"《云港海岸法》第四条规定：“{LANTERNS_2005}”"
    assert flags(law, response, response, as_of=date(2006, 1, 1)) == ()
    assert flags(law, response, response, as_of=DAY) == (Flag.MISQUOTED,)


def test_without_a_day_nothing_is_held_against_a_citation_that_only_a_day_could_show(
    law: LawCheck,
) -> None:
    for response in (
        f"《云港海岸法》第四条规定：“{LANTERNS_2005}”",
        "依照《云港渔港法》第二条，船只应当登记。",
    ):
        assert flags(law, response, response, as_of=None) == ()
    nowhere = "依照《云港海岸法》第九百条，看守人应当点灯。"
    assert flags(law, nowhere, nowhere, as_of=None) == (Flag.NO_SUCH_LAW,)


def test_a_document_that_bears_its_date_is_judged_by_it(law: LawCheck) -> None:
    response = f"《云港海岸法》第二条第二款规定：“{FINE_2005}”\n\n2019年5月5日"
    assert flags(law, response, response, as_of=None) == (Flag.MISQUOTED,)

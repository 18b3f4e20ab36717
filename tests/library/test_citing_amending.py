"""What amending acts tell of versions that are not at hand, and where they do not."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hengfa.law.citation_model import Position
from hengfa.library import Library
from hengfa.library.citing.amending import Amendments, read_act
from hengfa.library.matching import Passages
from hengfa.library.names import find_law
from tests.library.citing_laws import COAST, FERRY
from tests.library.citing_support import only, quotation


@pytest.fixture
def library(coast_file: Path) -> Iterator[Library]:
    with Library.open(coast_file) as opened:
        yield opened


IN_2010 = date(2010, 6, 1)


@pytest.mark.parametrize(
    ("position", "text_of"),
    [
        ("第三条", date(2018, 10, 1)),  # no later act names it
        ("第四条", date(2018, 10, 1)),  # amended before, not since
        ("第六条", date(2018, 10, 1)),  # a new article was put behind it
        ("第五条", date(2005, 3, 1)),  # amended since, not before
        ("第二条第二款", date(2005, 3, 1)),
        ("第二条", date(2005, 3, 1)),  # one paragraph was amended since, none before
        ("第六条之一", date(2009, 4, 1)),  # only the act itself has these words
    ],
)
def test_the_words_of_a_day_whose_text_is_not_at_hand(
    library: Library, position: str, text_of: date
) -> None:
    found = only(library, f"《{COAST}》{position}", as_of=IN_2010)
    assert (found.status, found.exists, found.in_force) == ("right", "yes", "yes")
    assert (found.version, found.text_of) == (date(2009, 4, 1), text_of)
    assert len(found.notes) == 1  # says whence


def test_an_article_that_was_added_later_was_not_there(library: Library) -> None:
    found = only(library, f"《{COAST}》第七条之一", as_of=IN_2010)
    assert (found.status, found.exists) == ("wrong", "no")
    assert found.notes == (f"added by {COAST}修正案（三）, in force from 2019-01-01",)
    assert only(library, f"《{COAST}》第九十条", as_of=IN_2010).exists == "no"


def test_promulgated_acts_count_from_the_day_they_are_in_force(library: Library) -> None:
    before = only(library, f"《{COAST}》第五条", as_of=date(2018, 12, 31))
    after = only(library, f"《{COAST}》第五条", as_of=date(2019, 1, 1))
    assert (before.version, after.version) == (date(2014, 7, 1), date(2018, 10, 1))


def test_without_the_act_nothing_is_carried(library: Library) -> None:
    amendments = Amendments(Passages(library))
    ferry = find_law(library, FERRY)
    assert amendments.carried(ferry, Position(1), date(2015, 1, 1)) is None
    coast = find_law(library, COAST)
    assert amendments.carried(coast, Position(1), date(2004, 1, 1)) is None


def test_a_later_revision_ends_what_can_be_carried_back(library: Library) -> None:
    amendments = Amendments(Passages(library))
    carried = amendments.carried(find_law(library, COAST), Position(1), date(2020, 1, 1))
    assert carried is not None  # 2018 is at hand and in force: nothing lies between
    assert carried.passage
    assert carried.passage.version.promulgated == date(2018, 10, 1)


def test_half_known_articles_are_not_judged_beyond_what_is_known(library: Library) -> None:
    paragraph = "任何人不得在海滩上驾驶车辆。"
    text = f"《{COAST}》第二条规定：“{paragraph}”"
    assert quotation(library, text, as_of=IN_2010).verdict == "exact"


ACT = """一、将海岸法第三条修改为：“新的第一款。
“新的第二款：
“（一）甲；
“（二）乙。”

二、将海岸法第五条第二款修改为：“只有一款。”

三、将海岸法第六条第一款修改为：“两款之一。
“两款之二。”

四、在海岸法第八条中增加一款作为第三款：“增加的款。”

五、删去海岸法第九条。

六、在海岸法第十条后增加二条，作为第十条之一、第十条之二：
“第十条之一　甲文。
“乙文。
“第十条之二　丙文。”

七、海岸法第十一条、第十三条至第十五条依照本修正案重新公布。

八、本修正案自2009年5月1日起施行。
"""


def test_an_act_says_what_it_changes(library: Library) -> None:
    version = library.versions(find_law(library, f"{COAST}修正案"))[0]
    act = read_act("修正案", COAST, version, ACT)
    changed = {3, 6, 8, 9, 11, 13, 14, 15}
    assert act.articles == {Position(number) for number in changed}
    assert act.paragraphs == {Position(5, None, 2)}
    assert act.added == {Position(10, 1), Position(10, 2)}
    assert act.clear
    assert [act.touches(Position(5, None, n)) for n in (1, 2)] == [False, True]
    assert not act.touches(Position(10))
    third = act.new[Position(3)]
    assert [unit.position for unit in third.units] == [
        Position(3, None, 1),
        Position(3, None, 2),
        Position(3, None, 2, 1),
        Position(3, None, 2, 2),
    ]
    assert act.new[Position(8, None, 3)].letters == "增加的款"
    assert act.new[Position(10, 1)].letters == "甲文乙文"
    assert act.new[Position(10, 2)].letters == "丙文"


def test_an_act_that_does_not_name_what_it_changes_is_not_relied_upon(library: Library) -> None:
    version = library.versions(find_law(library, f"{COAST}修正案"))[0]
    act = read_act("修正案", COAST, version, "一、将海岸法中的“海滩”修改为“沙滩”。\n")
    assert not act.clear
    assert act.touches(Position(1))

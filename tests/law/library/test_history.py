"""One provision through its versions, and what changed in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.law.library import Library, Position, find_law
from hengfa.law.library.building.build import build_library
from hengfa.law.library.history import Moved, difference, follow, history, show
from tests.law.library.citing_laws import COAST, LANTERNS_2009
from tests.law.library.fictional import TEA, row, write_rows


def test_an_article_is_followed_to_its_new_number(library: Library) -> None:
    law = find_law(library, TEA)
    steps = history(library, law, library.versions(law)[-1], Position(3))
    assert [step.position for step in steps] == [Position(2), Position(3), Position(3)]
    assert show(steps[1].changes).endswith("处[-一-]{+五+}百元罚款。")
    assert steps[2].changes == ()
    assert steps[2].similarity == 1.0


def test_versions_that_are_not_at_hand_are_named(library: Library) -> None:
    law = find_law(library, TEA)
    steps = history(library, law, library.versions(law)[0], Position(2))
    assert [[str(o.promulgated) for o in step.missing] for step in steps] == [
        [],
        ["2008-05-20"],
        [],
    ]


def test_versions_that_are_not_at_hand_are_derived_where_acts_tell(coast_file: Path) -> None:
    with Library.open(coast_file) as library:
        law = find_law(library, COAST)
        steps = history(library, law, library.versions(law)[0], Position(4))
        assert [(str(step.version.promulgated), bool(step.derived)) for step in steps] == [
            ("2005-03-01", False),
            ("2009-04-01", True),
            ("2014-07-01", True),
            ("2018-10-01", False),
            ("2022-10-01", False),
        ]
        assert steps[1].text == LANTERNS_2009
        assert "{+" in show(steps[1].changes)
        assert steps[2].changes == steps[3].changes == ()
        steps = history(library, law, library.versions(law)[1], Position(7, 1))
        assert [step.position for step in steps[:4]] == [None, None, None, Position(7, 1)]


def test_items_and_paragraphs_are_followed_inside_their_article(library: Library) -> None:
    first, second, third = library.versions(find_law(library, TEA))
    item, paragraph = Position(3, None, 1, 2), Position(3, None, 2)
    assert follow(library, first, item, second) == Position(4, None, 1, 2)
    assert follow(library, first, paragraph, third) == Position(4, None, 2)
    assert follow(library, second, Position(4, None, 1, 4), first) is None  # it was added


def test_what_was_added_was_not_there_before(library: Library) -> None:
    law = find_law(library, TEA)
    steps = history(library, law, library.versions(law)[-1], Position(4, 1))
    assert [step.position for step in steps] == [None, None, Position(4, 1)]
    steps = history(library, law, library.versions(law)[-1], Position(2))
    assert [step.position for step in steps] == [None, Position(2), Position(2)]


def test_a_position_that_does_not_exist_leads_nowhere(library: Library) -> None:
    first, second, _ = library.versions(find_law(library, TEA))
    assert follow(library, first, Position(99), second) is None
    assert follow(library, first, Position(3, None, 1, 9), second) is None


GATE_2001 = """# 月湖门法

第一条 守门人应当在日落时关门，在日出时开门。

第二条 守门人不得收受过往商队赠送的茶叶、丝绸或者其他礼物。

守门人不得在门楼上饮酒。

守门人滥用钥匙，使他人受到损害的，应当与钥匙所有人一同赔偿。

第三条 只有一名守门人的门楼，守门人不能证明门已关好的，应当赔偿损失。

第四条 门楼每年粉刷一次。

第五条 本法自2001年5月1日起施行。
"""
GATE_2010 = """# 月湖门法

第一条 守门人应当在日落时关门，在日出时开门。

第二条 守门人不得收受过往商队赠送的茶叶、丝绸或者其他礼物。

守门人不得在门楼上饮酒或者睡觉。

第三条 守门人滥用钥匙，使他人受到损害的，应当与钥匙所有人一同赔偿。

看守两座以上门楼的，各自承担责任。

只有一名守门人的门楼，守门人不能证明门已关好的，应当赔偿损失。

第四条 （删去）

第五条 本法自2001年5月1日起施行。
"""


BRIDGE = """# 月湖桥法

第一条 桥上不得停留。

第二条 偷取桥上灯笼的，处三日以下拘留，并处五十元罚款；情节严重的，处十日以下拘留，并处一百元罚款。

第三条 骗取过桥费的，处三日以下拘留，并处五十元罚款；情节严重的，处十日以下拘留，并处一百元罚款。

第四条 本法自2001年5月1日起施行。
"""


def test_an_amended_article_is_not_taken_for_another_with_the_same_penalties(
    tmp_path: Path,
) -> None:
    former = (
        "第二条 偷取灯笼，数额较大或者多次偷取的，处三日拘留；有下列情形之一的，逐出月湖：\n\n"
        "（一）偷取灯塔的灯的；\n\n（二）屡教不改的。\n\n第三条"
    )
    old = re.sub("第二条.*?第三条", former, BRIDGE, flags=re.DOTALL)
    rows = [row("月湖桥法", "2001-03-01", old), row("月湖桥法", "2010-03-01", BRIDGE)]
    build_library([write_rows(tmp_path / "laws", rows)], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as library:
        first, second = library.versions(find_law(library, "月湖桥法"))
        assert follow(library, second, Position(2), first) == Position(2)
        assert follow(library, first, Position(2), second) == Position(2)


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("gate")
    rows = [row("月湖门法", "2001-03-01", GATE_2001), row("月湖门法", "2010-03-01", GATE_2010)]
    build_library([write_rows(folder / "laws", rows)], folder / "law.sqlite")
    with Library.open(folder / "law.sqlite") as opened:
        yield opened


def test_a_paragraph_is_followed_into_another_article(gate: Library) -> None:
    old, new = gate.versions(find_law(gate, "月湖门法"))
    assert follow(gate, old, Position(2, None, 3), new) == Position(3, None, 1)
    assert follow(gate, old, Position(2, None, 2), new) == Position(2, None, 2)
    assert follow(gate, old, Position(3), new) == Position(3, None, 3)
    assert follow(gate, new, Position(3, None, 2), old) is None  # it was added


def test_split_and_merged_articles_say_where_their_paragraphs_are(gate: Library) -> None:
    law = find_law(gate, "月湖门法")
    old, new = gate.versions(law)
    steps = history(gate, law, old, Position(2))
    assert [step.position for step in steps] == [Position(2), Position(2)]
    assert steps[1].elsewhere == (Moved(Position(2, None, 3), Position(3, None, 1)),)
    steps = history(gate, law, new, Position(3))
    assert steps[0].position == Position(3)  # where its third paragraph was
    assert steps[0].elsewhere == (Moved(Position(3, None, 1), Position(2, None, 3)),)


@pytest.mark.shared
def test_an_article_that_lost_a_paragraph_is_followed_as_a_whole(corpus: Library) -> None:
    law = find_law(corpus, "刑法")
    steps = history(corpus, law, corpus.versions(law)[-1], Position(68))
    after = {str(step.version.promulgated): step for step in steps}
    assert {step.position for step in steps} == {Position(68)}
    assert after["2009-08-27"].text.count("\n") == 1
    assert after["2011-02-25"].text.count("\n") == 0
    assert after["2011-02-25"].derived


def test_a_deleted_article_keeps_its_number(gate: Library) -> None:
    law = find_law(gate, "月湖门法")
    for start in gate.versions(law):
        steps = history(gate, law, start, Position(4))
        assert [(step.position, step.deleted) for step in steps] == [
            (Position(4), False),
            (Position(4), True),
        ]
        assert steps[1].changes == ()


def test_differences_read_like_a_lawyer_marks_them() -> None:
    assert show(difference("可以处罚款。", "应当处以罚款。")) == "[-可以-]{+应当+}处{+以+}罚款。"
    assert show(difference("甲", "甲")) == "甲"
    assert show(difference("", "甲")) == "{+甲+}"
    assert show(difference("甲", "")) == "[-甲-]"
    assert "\x1b[31;9m甲\x1b[0m" in show(difference("甲", "乙"), colours=True)


WORDS = st.text(alphabet="甲乙丙=，\n", max_size=30)


@given(WORDS, WORDS)
def test_a_difference_holds_both_wordings_whole(old: str, new: str) -> None:
    spans = difference(old, new)
    assert "".join(span.text for span in spans if span.mark != "new") == old
    assert "".join(span.text for span in spans if span.mark != "gone") == new
    assert all(span.text for span in spans)


def test_of_two_rules_alike_the_one_under_the_same_heading_is_followed(tmp_path: Path) -> None:
    rule = "有下列情形之一的，反对的船东可以请求船行按照合理的价格收购他的{}，并在六十日内付清。"

    def text(year: int, chapters: str) -> str:
        head = f"# 云港船行法\n\n{year}年5月1日云港议会通过\n\n第一章 总则\n\n第一条 制定本法。"
        return f"{head}\n\n{chapters}\n"

    old = f"第二章 小船行的股权\n\n第二条 {rule.format('股权')}"
    new = (
        f"第二章 大船行的股份\n\n第二条 {rule.format('股权（股份）')}\n\n"
        f"第三章 小船行的股权\n\n第三条 {rule.format('股权或者出资')}船行应当记入船册。"
    )
    folder = tmp_path / "laws"
    folder.mkdir()
    for year, chapters in ((2010, old), (2020, new)):
        (folder / f"云港船行法({year}-05-01).md").write_text(text(year, chapters), "utf-8")
    build_library([folder], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as library:
        law = find_law(library, "云港船行法")
        last = history(library, law, library.versions(law)[0], Position(2))[-1]
    assert last.position == Position(3)
    assert [(twin.position, twin.headings) for twin in last.twins] == [
        (Position(2), "第二章　大船行的股份")
    ]

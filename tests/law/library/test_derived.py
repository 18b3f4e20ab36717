"""What amending acts tell of versions that are not at hand, and where they do not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hengfa.base.errors import UsageError
from hengfa.law.grammar.citation_model import Position
from hengfa.law.library import Library
from hengfa.law.library.amending import Change, Words, read_act
from hengfa.law.library.building.build import build_library
from hengfa.law.library.derived import Amendments, compare
from hengfa.law.library.lookup import look_up
from hengfa.law.library.matching import Passages
from hengfa.law.library.names import find_law
from tests.law.library.citing_laws import (
    COAST,
    FERRY,
    LANTERNS_2005,
    PATROL_2009,
    TURTLES,
    write_laws,
)
from tests.law.library.citing_support import only, quotation
from tests.law.library.fictional import row, write_rows


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


def test_what_acts_lead_to_is_the_same_from_both_sides(library: Library) -> None:
    """2018 out of 2005, and 2005 out of 2018."""
    forward, backward = compare(Amendments(Passages(library)), find_law(library, COAST))
    assert (forward.derived, forward.out_of) == (date(2018, 10, 1), date(2005, 3, 1))
    assert (forward.same, forward.partly, forward.unknown, forward.differing) == (10, (), (), ())
    assert (backward.derived, backward.out_of) == (date(2005, 3, 1), date(2018, 10, 1))
    assert backward.same == 7  # among them the two that were not there yet
    assert backward.partly == (Position(2),)
    assert backward.unknown == (Position(4), Position(5))
    assert backward.differing == ()


def test_what_reads_otherwise_than_acts_say_is_listed(tmp_path: Path) -> None:
    folder = write_laws(tmp_path / "laws")
    texts = (folder / "statutes.jsonl").read_text("utf-8")
    altered = texts.replace(f"第三条 {TURTLES}", "第三条 在海岸上有下列行为之一的，处罚：", 1)
    assert altered != texts
    (folder / "statutes.jsonl").write_text(altered, "utf-8")
    build_library([folder], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as altered_library:
        found = list(
            compare(Amendments(Passages(altered_library)), find_law(altered_library, COAST))
        )
    assert [comparison.differing for comparison in found] == [(Position(3),), (Position(3),)]


def test_words_that_only_acts_give_are_amended_by_later_acts(library: Library) -> None:
    amendments, coast = Amendments(Passages(library)), find_law(library, COAST)
    carried = amendments.after(coast, Position(6, 1), date(2009, 4, 1))
    assert carried is not None
    assert carried.text(Position(6, 1)) == PATROL_2009
    before = amendments.after(coast, Position(4), date(2005, 3, 1))
    assert before is not None
    assert before.text(Position(4)) == LANTERNS_2005
    assert amendments.after(coast, Position(4), date(2006, 1, 1)) is None


PIER_2018 = """# 云港码头法

第一条 码头应当备有缆桩。

第二条 在码头上不得：

（一）晒网；

（二）烧火；

（三）垂钓。

第三条 本法自2005年6月1日起施行。
"""
PIER_ACT = """# 云港码头法修正案

一、将码头法第二条第二项修改为：“烧火；”

二、本修正案自2018年5月1日起施行。
"""


def test_an_item_of_a_paragraph_whose_words_are_not_known_is_not_called_wrong(
    tmp_path: Path,
) -> None:
    rows = [
        row("云港码头法", "2018-03-01", PIER_2018, effective="2018-05-01"),
        row("云港码头法修正案", "2018-03-01", PIER_ACT, kind="amendment"),
    ]
    calendar = "law\tdate\tevent\n云港码头法\t2005-03-01\tadopted\n"
    build_library([write_rows(tmp_path / "laws", rows, calendar)], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as library:
        for position, exists in (
            ("第二条第（二）项", "unknown"),
            ("第二条", "yes"),
            ("第四条", "no"),
        ):
            assert only(library, f"《云港码头法》{position}", as_of=IN_2010).exists == exists


ACT = """一、将海岸法第三条修改为：“新的第一款。
“新的第二款：
“（一）甲；
“（二）乙。”

二、将海岸法第五条第二款修改为：“只有一款。”

三、将海岸法第六条第一款修改为：“两款之一。
“两款之二。”

四、在海岸法第八条中增加一款作为第三款：“增加的款。”
原第三款作为第四款，修改为：“原来的款。”

五、删去海岸法第九条。

六、在海岸法第十条后增加二条，作为第十条之一、第十条之二：
“第十条之一　甲文。
“乙文。
“第十条之二　丙文。”

七、海岸法第十一条、第十三条至第十五条依照本修正案重新公布。

八、海岸法第十六条增加一项，作为第三项：“丁；”原第三项改为第四项。

九、将海岸法第十七条第三项修改为：“戊；”

十、删去海岸法第十八条第二款。

十一、将海岸法第十九条中的“海滩”修改为“沙滩”。

十二、将海岸法第二十条第一款、第二款修改为：“一。
“二。”

十三、在海岸法第二十一条中增加一款作为第二款，将该条修改为：“一。
“二。”

十四、有前款行为的，依照海岸法第二十二条的规定处罚。

十五、删去海岸法第二十三条中的“海滩”。

十六、本修正案自2009年5月1日起施行。《海岸法》根据本修正案作相应修改，重新公布。
"""


def test_an_act_says_what_it_changes(library: Library) -> None:
    version = library.versions(find_law(library, f"{COAST}修正案"))[0]
    act = read_act("修正案", COAST, version, ACT)
    kinds = {at: [(c.kind, c.at, c.item) for c in all_of] for at, all_of in act.changes.items()}
    unknown = {Position(number): [("other", None, None)] for number in (6, 11, 13, 14, 15, 23)}
    assert kinds == unknown | {
        Position(3): [("put", None, None)],
        Position(5): [("put", 2, None)],
        Position(8): [("insert", 3, None), ("put", 4, None)],
        Position(9): [("delete", None, None)],
        Position(10, 1): [("new", None, None)],
        Position(10, 2): [("new", None, None)],
        Position(16): [("new item", None, 3)],
        Position(17): [("item", None, 3)],
        Position(18): [("remove", 2, None)],
        Position(19): [("phrase", None, None)],
        Position(20): [("put", 1, None)],
        Position(21): [("put", None, None)],
    }
    assert act.clear
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


@pytest.mark.parametrize(
    "instruction",
    [
        "将海岸法中的“海滩”修改为“沙滩”。",
        "在海岸法第三条后增加一条，作为第四条：“新的。”",  # moves all that follow
        "将海岸法第三条改为第四条，修改为：“新的。”",
        "本法有关条文作相应修改。",
        "《海岸法》根据本决定作相应修改并对条文顺序作相应调整，重新公布。",
    ],
)
def test_an_act_that_does_not_say_all_that_it_changes_is_not_relied_upon(
    library: Library, instruction: str
) -> None:
    version = library.versions(find_law(library, f"{COAST}修正案"))[0]
    act = read_act("修正案", COAST, version, f"一、{instruction}\n")
    assert not act.clear


def test_words_without_quotation_marks_are_read(library: Library) -> None:
    version = library.versions(find_law(library, f"{COAST}修正案"))[0]
    act = read_act("决定", COAST, version, "一、将海岸法第三条修改为：依照第一条处罚。\n")
    assert {at: [c.words for c in changes] for at, changes in act.changes.items()} == {
        Position(3): [((((None, "依照第一条处罚。"),)),)]
    }


@pytest.mark.parametrize(
    ("instruction", "words"),
    [
        ("将第三条修改为：“甲。\n“乙。”", ["甲。", "乙。"]),
        ("将第三条修改为：“甲。\n\n乙。\n丙。”", ["甲。", "乙。", "丙。"]),
        ("将第三条修改为：“甲。\n乙。", ["甲。", "乙。"]),
        ("将第三条修改为：「甲。」", ["甲。"]),
        ('将第三条修改为："甲。"', ["甲。"]),
        ("将第三条修改为：甲。\n乙。", ["甲。", "乙。"]),
        # where the new words end is not certain
        ("将第三条修改为：“本法所称“港口”，是指甲。”", None),
        ("将第三条修改为：“本法所称“港口”，是指甲。\n“乙。”", None),
        ("将第三条修改为：甲。\n原第二款改为第三款。", None),
        ("将第三条修改为：“甲。\n依照第九条增加的，处罚。", None),
    ],
)
def test_new_words_are_read_as_acts_are_typed_or_not_at_all(
    library: Library, instruction: str, words: list[str] | None
) -> None:
    version = library.versions(find_law(library, f"{COAST}修正案"))[0]
    act = read_act("决定", COAST, version, f"一、{instruction}\n二、删去第五条。\n")
    [change] = act.changes[Position(3)]
    assert act.changes[Position(5)] == [Change("delete")]
    if words is None:
        assert change == Change("other")
        assert not act.new
    else:
        assert change.done(None) == tuple(((None, text),) for text in words)


def test_the_last_line_of_an_act_is_no_part_of_its_last_instruction(library: Library) -> None:
    version = library.versions(find_law(library, f"{COAST}修正案"))[0]
    act = read_act("决定", COAST, version, "一、删去第三条。\n\n本决定自2022年7月1日起施行。\n")
    assert act.changes == {Position(3): [Change("delete")]}
    assert act.clear


@pytest.mark.parametrize(
    ("other", "is_clear"),
    [
        ("《云港渡船法》第三条修改为：“渡船不得夜航。”", False),
        (f"{COAST}第五条修改为：“依照《云港渡船法》处罚。”", True),
    ],
)
def test_a_decision_on_several_laws_gives_none_of_them_the_words_of_another(
    tmp_path: Path, other: str, is_clear: bool
) -> None:
    text = f"# 关于修改部分法律的决定\n\n一、{COAST}第一条修改为：“海岸属于公众。”\n\n二、{other}\n"
    folder = write_laws(tmp_path / "laws")
    added = row("关于修改部分法律的决定", "2009-04-01", text, kind="decision")
    acts = [
        json.loads(line) for line in (folder / "statutes.jsonl").read_text("utf-8").splitlines()
    ]
    kept = [act for act in acts if act["version"] != "2009-04-01"]
    lines = [json.dumps(act, ensure_ascii=False) for act in (*kept, added)]
    (folder / "statutes.jsonl").write_text("\n".join(lines), "utf-8")
    build_library([folder], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as library:
        act = Amendments(Passages(library)).acts(find_law(library, COAST))[date(2009, 4, 1)]
    assert act.clear is is_clear
    assert bool(act.new) is is_clear


def test_a_decision_on_several_laws_makes_a_version_of_each_that_nobody_knows(
    tmp_path: Path,
) -> None:
    several = "关于修改〈云港灯法〉等二部法律的决定"
    text = (
        f"# {several}\n\n一、对《云港灯法》作出修改\n将第一条修改为：“依《云港鱼法》修改。”\n\n"
        f"二、对《{COAST}》作出修改\n将第三条修改为：“海滩上不得驾车。”\n"
    )
    folder = write_laws(tmp_path / "laws")
    with (folder / "statutes.jsonl").open("a", encoding="utf-8") as stream:
        added = row(several, "2023-07-01", text, kind="decision")
        stream.write(json.dumps(added, ensure_ascii=False) + "\n")
    build_library([folder], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as library:
        assert library.shelf.calendar[COAST][-1].promulgated == date(2023, 7, 1)
        for position in ("第一条", "第三条"):
            found = only(library, f"《{COAST}》{position}", as_of=date(2026, 1, 1))
            assert (found.status, found.problem) == ("unknown", "version not in the library")


OLD: Words = (((None, "甲。"),), ((None, "乙："), (1, "子；"), (2, "丑。")), ((None, "丙。"),))
NEW: Words = (((None, "新。"),),)


@pytest.mark.parametrize(
    ("change", "done", "undone"),
    [
        (Change("put", words=NEW), NEW, None),
        (Change("put", 3, words=NEW), (*OLD[:2], *NEW), (*OLD[:2], None)),
        (Change("insert", 2, words=NEW), (OLD[0], *NEW, *OLD[1:]), (OLD[0], OLD[2])),
        (Change("insert", 4, words=NEW), (*OLD, *NEW), None),
        (Change("insert", 9, words=NEW), None, None),
        (Change("remove", 1), OLD[1:], (None, *OLD)),
        (Change("remove", 4), None, (*OLD, None)),
        (Change("delete"), (), None),
        (Change("new", words=NEW), NEW, ()),
        (Change("other"), None, None),
        (
            Change("item", None, 2, NEW),
            (OLD[0], ((None, "乙："), (1, "子；"), (2, "新。")), OLD[2]),
            (OLD[0], None, OLD[2]),
        ),
        (
            Change("new item", 2, 1, NEW),
            (OLD[0], ((None, "乙："), (1, "新。"), (2, "子；"), (3, "丑。")), OLD[2]),
            (OLD[0], None, OLD[2]),
        ),
        (Change("item", 2, 3, NEW), None, (OLD[0], None, OLD[2])),
        (
            Change("phrase", phrase=("丙", "丁")),
            (*OLD[:2], ((None, "丁。"),)),
            OLD,
        ),
        (Change("phrase", phrase=("戊", "甲")), None, (None, *OLD[1:])),
    ],
)
def test_changes_are_done_and_undone_as_far_as_that_is_certain(
    change: Change, done: Words | None, undone: Words | None
) -> None:
    assert change.done(OLD) == done
    assert change.undone(OLD) == undone
    if not change.settles:
        assert change.done(None) is None


MARKED = f"{COAST}修正案（四）"


def test_a_deleted_article_was_deleted_by_an_act(tmp_path: Path) -> None:
    act = f"# {MARKED}\n\n一、删去海岸法第四条。\n\n二、本修正案自2023年9月1日起施行。\n"
    row = {"law": MARKED, "version": "2023-07-01", "kind": "amendment", "text": act}
    folder = write_laws(tmp_path / "laws")
    with (folder / "statutes.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(row | {"effective": "2023-09-01"}, ensure_ascii=False) + "\n")
    build_library([folder], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as library:
        # the act alone made a version
        assert [o.promulgated for o in library.shelf.calendar[COAST]][-1] == date(2023, 7, 1)
        found = only(library, f"《{COAST}》第四条", as_of=date(2024, 1, 1))
        assert (found.status, found.exists) == ("wrong", "no")
        assert found.notes[0] == f"deleted by {MARKED}"
        kept = only(library, f"《{COAST}》第三条", as_of=date(2024, 1, 1))
        assert (kept.status, kept.version) == ("right", date(2023, 7, 1))
        with pytest.raises(UsageError, match="deleted by"):
            look_up(library, find_law(library, COAST), Position(4), date(2024, 1, 1), "in force on")


def test_a_text_that_has_what_later_acts_added_is_younger_than_its_header_says(
    tmp_path: Path,
) -> None:
    folder = write_laws(tmp_path / "laws")
    file = folder / "statutes.jsonl"
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    rows = [row for row in rows if (row["law"], row["version"]) != (COAST, "2005-03-01")]
    for kept in rows:
        if (kept["law"], kept["version"]) == (COAST, "2018-10-01"):
            kept |= {"version": "2005-03-01", "event": "adopted", "effective": "2005-06-01"}
    file.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), "utf-8")
    build_library([folder], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as library:
        first, _ = library.versions(find_law(library, COAST))
        assert (first.promulgated, first.effective) == (date(2018, 10, 1), date(2019, 1, 1))
        assert [r.text for r in library.remarks() if "younger" in r.reason] == [
            f"{COAST} 2005-03-01 has what {COAST}修正案（三） of 2018-10-01 added"
        ]
        assert only(library, f"《{COAST}》第七条之一", as_of=date(2006, 1, 1)).exists == "no"


def test_a_younger_text_than_its_header_says_gives_way_to_one_of_its_day(tmp_path: Path) -> None:
    folder = write_laws(tmp_path / "laws")
    file = folder / "statutes.jsonl"
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    texts = {(kept["law"], kept["version"]): kept for kept in rows}
    texts[COAST, "2005-03-01"]["text"] = texts[COAST, "2018-10-01"]["text"]
    file.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), "utf-8")
    build_library([folder], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as library:
        first = library.versions(find_law(library, COAST))[0]
        assert first.promulgated == date(2018, 10, 1)
        assert [r for r in library.remarks() if "younger" in r.reason]

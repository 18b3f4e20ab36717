"""What is wrong with a recitation: every class of the table, flags, spans (claw.md 5)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hengfa.base.errors import UsageError
from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.library import Library
from hengfa.law.library.diagnosis.classes import KINDS, Diagnosis
from tests.law.library import recited_laws as laws
from tests.law.library.recited_laws import recite

NONSENSE = "月亮圆的时候可以从塔顶放下一只纸船让它漂向看不见的远方去寻找昨天"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return laws.build(tmp_path_factory.mktemp("recited"))


@pytest.fixture
def library(file: Path) -> Iterator[Library]:
    with Library.open(file) as opened:
        yield opened


WHOLE = laws.LIGHT + laws.FOG + laws.LEAVE

CASES = [
    ("exact", "2.1", laws.LIGHT),
    ("exact", "6", laws.SHORT),
    ("near-exact", "2", WHOLE.replace("散去", "散尽")),
    ("refusal", "2.1", "抱歉，我无法提供该条款的原文，建议您通过官方渠道查询。"),
    ("refusal", "2.1", ""),
    ("addition: other paragraph", "2.1", laws.LIGHT + laws.FOG),
    (
        "addition: other paragraph",
        "3..2",
        f"{laws.LEAD}\n（一）{laws.ITEMS[0]}（二）{laws.ITEMS[1]}",
    ),
    ("addition: other article", "2.1", laws.LIGHT + laws.CLIMB),
    ("addition: other version", "2.1", laws.LIGHT + laws.OIL_2001),
    ("addition: other law", "2.1", laws.LIGHT + laws.BOAT),
    ("addition: invented", "2.1", laws.LIGHT + NONSENSE),
    ("minor wording", "4", laws.CLIMB.replace("石块", "砖头瓦片")),
    (
        "paraphrase",
        "2.3",
        "看护人要离开灯塔三日以上，可以先把灯塔托付给邻人，但是鸬鹚不能代为看护。",
    ),
    ("wrong provision: paragraph", "2.1", laws.FOG),
    ("wrong provision: paragraph", "3..1", laws.ITEMS[1]),
    ("wrong provision: article", "2.1", laws.CLIMB),
    ("wrong provision: article", "2.1", laws.SHORT),
    ("wrong provision: version", "2.2", laws.FOG_2001),
    ("wrong provision: law", "2.2", laws.BOAT),
    ("fabricated", "2.2", NONSENSE),
    ("mixture", "2", laws.FOG[:16] + laws.CLIMB + laws.OIL_2001 + laws.LIGHT + laws.BOAT),
]


@pytest.mark.parametrize(("kind", "position", "answer"), CASES)
def test_every_class_of_the_table(library: Library, kind: str, position: str, answer: str) -> None:
    assert recite(library, position, answer).kind == kind


def test_no_class_is_left_out_above() -> None:
    assert {kind for kind, _, _ in CASES} == set(KINDS)


@pytest.mark.parametrize(
    "answer",
    [
        f"```markdown\n{laws.LIGHT}\n```",
        f"**第二条第一款**　{laws.LIGHT}",
        f"> {laws.LIGHT.replace('，', ',').replace('。', '.')}",
        "　".join(laws.LIGHT),
        "灯塔看护人应当在每日日落以前点灯，並在日出以后熄灯。".replace("並", "并"),
    ],
)
def test_layout_and_punctuation_are_no_mistakes(library: Library, answer: str) -> None:
    assert recite(library, "2.1", answer).kind == "exact"


def test_the_numbers_of_items_are_no_mistakes(library: Library) -> None:
    bare = laws.LEAD + "".join(laws.ITEMS)
    listed = laws.LEAD + "".join(f"\n{n}. {item}" for n, item in enumerate(laws.ITEMS, 1))
    for answer in (bare, listed, library.text(laws.version(library, "2010-05-05"), laws.at("3"))):
        assert recite(library, "3", answer or "").kind == "exact"


@pytest.mark.parametrize(
    ("position", "old", "new", "flags"),
    [
        ("2.2", "十分钟", "三十分钟", ("numbers",)),
        ("2.2", "十分钟", "10分钟", ()),
        ("2.1", "应当", "可以", ("duty",)),
        ("2.1", "应当", "必须", ()),
        ("2.3", "不得让", "让", ("negation",)),
        ("2.3", "可以", "应当", ("duty",)),
        ("2.3", "超过三日的，可以", "超过五日的，应当", ("numbers", "duty")),
        ("4", "攀爬", "攀登", ()),
        ("2.1", "应当在每日日落以前", "在每日日落以前应当", ()),
    ],
)
def test_changes_that_change_the_law_are_flagged(
    library: Library, position: str, old: str, new: str, flags: tuple[str, ...]
) -> None:
    gold = library.text(laws.version(library, "2010-05-05"), laws.at(position)) or ""
    assert old in gold
    found = recite(library, position, gold.replace(old, new))
    assert found.kind in {"near-exact", "minor wording"}
    assert found.flags == flags


def test_half_of_the_gold_is_incomplete(library: Library) -> None:
    found = recite(library, "2", laws.LIGHT + laws.FOG[:16])
    assert (found.kind, found.flags) == ("minor wording", ("incomplete",))
    assert 0.3 < found.gold_recall < 0.8
    assert found.extra == 0


def test_the_gold_twice_is_repeated(library: Library) -> None:
    found = recite(library, "2.1", laws.LIGHT * 2)
    assert (found.kind, found.flags) == ("near-exact", ("repeated",))


def test_an_answer_without_a_word_is_an_empty_refusal(library: Library) -> None:
    for answer in ("", "。", "```\n```", "\n"):
        assert recite(library, "2.1", answer).flags == ("empty",)


def test_one_changed_letter_in_a_short_provision_is_wording(library: Library) -> None:
    found = recite(library, "3..2", "把灯油拿去炸鱼的；")
    assert found.kind == "minor wording"
    assert found.gold_recall == pytest.approx(7 / 8)


def test_a_short_gold_counts_only_where_it_stands_by_itself(library: Library) -> None:
    alone = recite(library, "6", f"{laws.CLIMB}{laws.SHORT}")
    inside = recite(library, "6", "湖务司可以在岸边禁止垂钓者攀爬灯塔的外墙去取鱼竿")
    assert alone.kind == "addition: other article"
    assert alone.gold_recall == 1
    assert inside.gold_recall == 0


def test_word_for_word_another_version_is_no_minor_wording(library: Library) -> None:
    """All but two numbers are the gold's, so by shares alone it would be its wording."""
    found = recite(library, "5", laws.FINE_2020)
    assert found.gold_recall > 0.8
    assert found.kind == "wrong provision: version"
    assert [(str(place.version), place.position.article) for place in found.verbatim] == [
        ("2020-07-07", 6)
    ]


def test_the_same_text_elsewhere_in_the_asked_version_is_the_article_not_the_version(
    library: Library,
) -> None:
    """CLIMB stands in all three versions; in the one that is asked for it is article 4."""
    found = recite(library, "2.1", laws.CLIMB)
    assert found.kind == "wrong provision: article"
    assert {str(place.version) for span in found.spans for place in span.where} == {"2010-05-05"}


def told(found: Diagnosis, answer: str) -> list[tuple[str, str, list[str]]]:
    """Each span with its source and places, for people."""
    return [
        (
            answer[span.start : span.end],
            span.source,
            [
                f"{place.version} {format_position(place.position, 'dotted')}"
                for place in span.where
            ],
        )
        for span in found.spans
    ]


def test_spans_say_which_characters_come_from_where(library: Library) -> None:
    pieces = (laws.FOG_2001, laws.LIGHT, laws.FOG, laws.CLIMB, NONSENSE, laws.BOAT)
    answer = "".join(pieces)
    expected = [
        (laws.FOG_2001, "other version", ["2001-03-01 2.2"]),
        (laws.LIGHT, "gold", ["2010-05-05 2.1"]),
        (laws.FOG, "same article", ["2010-05-05 2.2"]),
        (laws.CLIMB, "same version", ["2010-05-05 4"]),
        (NONSENSE, "unmatched", []),
        (laws.BOAT, "other law", ["2005-05-05 1"]),
    ]
    assert told(recite(library, "2.1", answer), answer) == expected


def test_an_item_is_named_by_its_number(library: Library) -> None:
    answer = laws.LIGHT + laws.ITEMS[2]
    assert told(recite(library, "2.1", answer), answer)[1][2] == ["2010-05-05 3..3"]


def test_of_several_versions_the_nearest_is_named_first(library: Library) -> None:
    found = recite(library, "3", laws.CLIMB, day="2001-03-01")
    assert found.kind == "wrong provision: article"
    found = recite(library, "3", laws.FOG, day="2001-03-01")
    assert [str(place.version) for place in found.spans[0].where] == ["2010-05-05", "2020-07-07"]


def test_a_phrase_that_another_law_shares_is_no_source(library: Library) -> None:
    answer = f"{NONSENSE}，船主应当检查船底"
    found = recite(library, "2.1", answer)
    assert found.kind == "fabricated"
    assert found.spans[-1].phrase
    assert found.shares["other law"] == pytest.approx(8 / (len(NONSENSE) + 8))


def test_a_law_that_speaks_of_what_cannot_be_provided_does_not_refuse(library: Library) -> None:
    answer = f"{laws.CLIMB}无法提供担保的除外"
    assert recite(library, "2.1", answer).kind == "wrong provision: article"


def test_a_position_that_the_version_lacks_is_a_wrong_call(library: Library) -> None:
    with pytest.raises(UsageError, match="第九条"):
        recite(library, "9", laws.LIGHT)

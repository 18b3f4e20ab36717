"""`id` of CLaw: how a place is read, what it is worth, where it goes wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evals.suites.claw_provision import judged, quoted, sample, traced

from hengfa.evals.suites.base import AnswerStatus
from hengfa.evals.suites.claw import locating
from hengfa.evals.suites.claw.dataset import IN_FORCE, ClawSample
from hengfa.evals.suites.claw.locating import UNREADABLE, Locating, Place
from hengfa.evals.suites.claw.suite import id_form
from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.numerals import MAX_ARTICLE, format_number

read_place = Locating(frozenset()).read
EXTRACTED, AMBIGUOUS = AnswerStatus.EXTRACTED, AnswerStatus.AMBIGUOUS
ABSTAINED, MALFORMED = AnswerStatus.ABSTAINED, AnswerStatus.MALFORMED


def block(article: str, paragraph: str = "None", item: str = "None") -> str:
    return f"```markdown\n条序号：{article}\n款序号：{paragraph}\n项序号：{item}\n```"


# --- reading ---


@pytest.mark.parametrize(
    ("article", "number", "sub"),
    [
        ("第二十七条", 27, None),
        ("27", 27, None),
        ("第27条", 27, None),
        ("２７", 27, None),
        ("第 27 条", 27, None),
        ("二十七", 27, None),
        ("第一千二百六十条", 1260, None),
        ("一百〇五", 105, None),
        ("第一百二十条之一", 120, 1),
        ("120之一", 120, 1),
        ("第120条之1", 120, 1),
        ("120-1", 120, 1),
        ("**第五条**", 5, None),
        ("`第五条`", 5, None),
        ("第五条。", 5, None),
        ("第五条（2020年修正）", 5, None),
        ("为第五条", 5, None),
        ("第五条，理由见上", 5, None),
    ],
)
def test_articles_are_read_however_they_are_written(
    article: str, number: int, sub: int | None
) -> None:
    answer = read_place(block(article))
    assert answer.status is EXTRACTED
    assert answer.value == Place(number, sub, None, None)


@pytest.mark.parametrize(
    ("paragraph", "number"),
    [
        ("第二款", 2),
        ("2", 2),
        ("二", 2),
        ("第２款", 2),
        ("第二款（共三款）", 2),
        ("第二十条第二款", 2),
        ("第十二款", 12),
        *[(word, None) for word in ("None", "none", "NULL", "无", "空", "-", "—", "/", "N/A", "")],
        ("None（该条只有一款）", None),
        ("无，因为该条不分款", None),
        ("没有", None),
        *[(word, UNREADABLE) for word in ("XXX", "最后一款", "第二、三款", "0", "-1", "99999")],
    ],
)
def test_paragraphs_and_the_words_for_none(paragraph: str, number: int | None) -> None:
    answer = read_place(block("5", paragraph))
    assert answer.value == Place(5, None, number, None)
    assert answer.status is (MALFORMED if number == UNREADABLE else EXTRACTED)


@pytest.mark.parametrize(
    "item", ["第（三）项", "第三项", "（三）", "(三)", "3", "三", "第3项", "（3）"]
)
def test_items_are_read_with_and_without_brackets(item: str) -> None:
    assert read_place(block("5", "2", item)).value == Place(5, None, 2, 3)


def test_the_last_block_counts() -> None:
    assert read_place(f"{block('3')}\n不对，应为：\n{block('4', '1')}").value == Place(
        4, None, 1, None
    )


def test_a_last_block_without_a_place_is_passed_over() -> None:
    assert read_place(f"{block('3')}\n```\n条文：第四条\n```").value == Place(3, None, None, None)


def test_what_is_said_after_the_block_does_not_count() -> None:
    assert read_place(f"{block('3')}\n说明：条序号也可能是4").value == Place(3, None, None, None)


def test_a_block_that_is_never_closed_is_one() -> None:
    assert read_place("推理……条序号：9\n```markdown\n条序号：3\n款序号：2").value == Place(
        3, None, 2, None
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("条序号：第九条\n款序号：1\n项序号：无", Place(9, None, 1, None)),
        ("条序号：3\n……\n条序号：9\n款序号：2", Place(9, None, 2, None)),
        ("条序号：第五条；款序号：第二款；项序号：第（一）项", Place(5, None, 2, 1)),
        ("**条序号**：5\n**款序号**：None", Place(5, None, None, None)),
        ("| 条序号 | 第九条 |\n| 款序号 | 2 |", Place(9, None, 2, None)),
        ("条序号：\n第八条\n款序号：\n1", Place(8, None, 1, None)),
        ("条序号是第五条，款序号是第二款，项序号为空。", Place(5, None, 2, None)),
        ("条的序号：5", Place(5, None, None, None)),
    ],
)
def test_without_a_block_the_last_of_each_label_counts(text: str, found: Place) -> None:
    assert read_place(text).value == found


def test_an_article_that_brings_the_rest_with_it_fills_what_has_no_label() -> None:
    assert read_place("条序号：第五条第二款第（一）项").value == Place(5, None, 2, 1)
    assert read_place("条序号：第五条第二款\n款序号：None").value == Place(5, None, None, None)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", ABSTAINED),
        ("抱歉，我无法确定这段文字的出处。", ABSTAINED),
        ("这个问题我不清楚。", ABSTAINED),
        (block("", "", ""), ABSTAINED),
        (block("未知"), ABSTAINED),
        (block("None"), ABSTAINED),
        (block("抱歉，我无法确定"), ABSTAINED),
        ("它是第五条第二款，或者第六条。", MALFORMED),
        (block("XXX", "XXX", "XXX"), MALFORMED),
        ("款序号：2\n项序号：1", MALFORMED),
        (block("10000"), MALFORMED),
        (block("第五条或者第六条"), AMBIGUOUS),
        (block("5、6"), AMBIGUOUS),
    ],
)
def test_what_is_no_place_is_told_apart(text: str, status: AnswerStatus) -> None:
    answer = read_place(text)
    assert (answer.value, answer.status) == (None, status)


numbers = st.integers(1, MAX_ARTICLE)
maybe = st.none() | st.integers(1, 40)
positions = st.builds(Position, numbers, st.none() | st.integers(1, 20), maybe, maybe)


@given(positions, st.text(max_size=30))
def test_every_place_in_the_form_of_the_prompt_is_read_back(position: Position, talk: str) -> None:
    answer = read_place(f"{talk}\n{id_form(position)}" if "`" not in talk else id_form(position))
    assert answer.value == Place(*position)  # type: ignore[arg-type]


@given(positions, st.sampled_from(["{}", "第{}", " {} "]), st.booleans())
def test_every_place_is_read_in_other_dress(position: Position, dress: str, chinese: bool) -> None:
    def written(number: int | None) -> str:
        if number is None:
            return "无"
        return dress.format(format_number(number) if chinese else number)

    article, sub, paragraph, item = position
    named = written(article) + ("条" if "第" in dress else "")
    if sub:
        named = f"{named.strip()}之{format_number(sub)}"
    assert read_place(block(named, written(paragraph), written(item))).value == Place(*position)  # type: ignore[arg-type]


# --- scores ---


def levels(one: ClawSample, named: Position, *fixes: str) -> list[float | None]:
    metrics = judged("id", one, id_form(named), *fixes)
    return [metrics[name] for name in locating.ACCURACIES]


@pytest.mark.parametrize(
    ("gold", "named", "expected"),
    [
        (Position(5, None, 2, 1), Position(5, None, 2, 1), [1, 1, 1]),
        (Position(5, None, 2, 1), Position(5, None, 2, 3), [1, 1, 0]),
        (Position(5, None, 2, 1), Position(5, None, 2), [1, 1, 0]),
        (Position(5, None, 2, 1), Position(5, None, 1, 1), [1, 0, 0]),
        (Position(5, None, 2, 1), Position(6, None, 2, 1), [0, 0, 0]),
        (Position(7, 1, 1), Position(7, 1, 1), [1, 1, 1]),
        (Position(7, 1, 1), Position(7, None, 1), [0, 0, 0]),
        (Position(7, None, 1), Position(7, 1, 1), [0, 0, 0]),
        # None must equal None
        (Position(5), Position(5), [1, 1, 1]),
        (Position(5), Position(5, None, 1), [1, 0, 0]),
        (Position(5, None, None, 3), Position(5, None, 1, 3), [1, 0, 0]),
        (Position(5, None, 1), Position(5), [1, 0, 0]),
        (Position(5), Position(5, None, None, 1), [1, 1, 0]),
    ],
)
def test_each_level_needs_those_above_it(
    gold: Position, named: Position, expected: list[int]
) -> None:
    assert levels(sample(gold), named) == expected


def test_tolerant_takes_paragraph_one_for_none_where_there_is_only_one() -> None:
    for gold, named in (
        (Position(5), Position(5, None, 1)),
        (Position(5, None, None, 3), Position(5, None, 1, 3)),
    ):
        assert levels(sample(gold), named) == [1, 0, 0]
        assert levels(sample(gold), named, locating.TOLERANT) == [1, 1, 1]
    several = sample(Position(5, None, 1))
    assert levels(several, Position(5), locating.TOLERANT) == [1, 0, 0]
    assert levels(sample(Position(5)), Position(5, None, 2), locating.TOLERANT) == [1, 0, 0]


def test_identical_accepts_every_position_of_the_text() -> None:
    one = sample(Position(9, None, 2), same=(Position(12, None, 2),))
    assert levels(one, Position(12, None, 2)) == [0, 0, 0]
    assert levels(one, Position(12, None, 2), locating.IDENTICAL) == [1, 1, 1]
    assert levels(one, Position(12, None, 1), locating.IDENTICAL) == [1, 0, 0]
    assert levels(one, Position(9, None, 2), locating.IDENTICAL) == [1, 1, 1]
    mixed = sample(Position(9), same=(Position(12, None, 2),))
    assert levels(mixed, Position(9, None, 2), locating.IDENTICAL) == [1, 0, 0]  # no mixing of two


@pytest.mark.parametrize("text", ["", "不知道", "条序号：XXX", "第五款", "条序号：5、6"])
def test_what_cannot_be_read_is_wrong_at_every_level(text: str) -> None:
    metrics = judged("id", sample(), text, *locating.FIXES)
    assert [metrics[name] for name in locating.ACCURACIES] == [0, 0, 0]


def test_an_unreadable_paragraph_leaves_the_article_right() -> None:
    metrics = judged("id", sample(), "条序号：5\n款序号：最后一款\n项序号：None")
    assert [metrics[name] for name in locating.ACCURACIES] == [1, 0, 0]


def test_the_place_in_the_version_in_force_is_judged_beside() -> None:
    name = locating.ARTICLE + IN_FORCE
    moved = sample(Position(6, None, 1), in_force="other", in_force_at=(Position(5, None, 1),))
    old = judged("id", moved, id_form(Position(5, None, 1)))
    assert (old[locating.ARTICLE], old[name]) == (0, 1)
    assert judged("id", sample(), id_form(Position(5, None, 1)))[name] is None


few_positions = st.builds(
    Position,
    st.integers(1, 3),
    st.none() | st.integers(1, 2),
    st.none() | st.integers(1, 2),
    st.none() | st.integers(1, 2),
)


@given(
    few_positions,
    few_positions,
    st.lists(few_positions, max_size=2),
    st.sets(st.sampled_from([*locating.FIXES])),
)
def test_the_levels_are_nested_and_fixes_only_help(
    gold: Position, named: Position, same: list[Position], fixes: set[str]
) -> None:
    one = sample(gold, same=tuple(same))
    strict, fixed = levels(one, named), levels(one, named, *fixes)
    assert sorted(fixed, reverse=True) == fixed  # type: ignore[type-var]
    assert all(after >= before for before, after in zip(strict, fixed, strict=True))  # type: ignore[operator]
    assert levels(one, gold) == [1, 1, 1]


# --- findings ---


def test_each_level_is_expected_and_given_and_the_first_wrong_one_is_the_error() -> None:
    response = f"条序号是几？\n{id_form(Position(5, None, 2, 3))}\n说明：条序号如上。"
    trace = traced("id", sample(Position(5, None, 1, 3)), response)
    assert (trace.kind, trace.error) == ("elements", "wrong paragraph")
    assert [(one.label, one.given, one.expected, one.right) for one in trace.findings] == [
        ("article", "5", "5", True),
        ("paragraph", "2", "1", False),
        ("item", "3", "3", None),
    ]
    assert quoted(trace, response) == [["条序号：第五条"], ["款序号：2"], ["项序号：3"]]


def test_labels_in_one_line_end_where_the_next_begins() -> None:
    response = "条序号：第五条之一，款序号：一，项序号：无"
    trace = traced("id", sample(Position(5, 1, 1)), response)
    assert trace.error == ""
    assert [one.given for one in trace.findings] == ["5之1", "1", "none"]
    assert quoted(trace, response) == [["条序号：第五条之一，"], ["款序号：一，"], ["项序号：无"]]


def test_places_are_those_of_the_response_as_it_came() -> None:
    """Reading is of another text, in which … are three points and ㈠ is a number in brackets."""
    response = "想……e\u0301㈠㈡。条　序号：第５条㈠\n款序号：⑴"
    assert quoted(traced("id", sample(), response), response) == [
        ["条　序号：第５条㈠"],
        ["款序号：⑴"],
        [],
    ]


@pytest.mark.parametrize(
    ("response", "error"),
    [
        ("不知道", "no place"),
        (id_form(Position(6, None, 1)), "wrong article"),
        (id_form(Position(5, None, 1, 2)), "wrong item"),
        ("条序号：5\n款序号：甲", "wrong paragraph"),
    ],
)
def test_errors_of_places(response: str, error: str) -> None:
    assert traced("id", sample(), response).error == error


def test_other_places_and_the_version_in_force_are_named() -> None:
    one = sample(same=(Position(9),), in_force_at=(Position(7),), in_force="other")
    response = id_form(Position(9))
    article, *_, in_force = traced("id", one, response, locating.IDENTICAL).findings
    assert (article.right, article.note) == (True, "the same text stands at 第九条")
    assert (in_force.expected, in_force.right) == ("7", False)


@pytest.mark.parametrize(
    "text",
    [
        "Article Number: 27\nParagraph Number: 2\nItem: 1",
        "| 条序号 | 款序号 | 项序号 |\n|---|:-:|---|\n| 二十七 | 2 | 1 |",
        "| 条序号 | 27 |\n| --- | --- |\n| 款序号 | 2 |\n| 项序号 | 1 |",
        '{"条序号": "27", "款序号": 2, "项序号": 1}',
        '```json\n{"article": 27, "paragraph": "2", "item": 1}\n```',
        '{"条": 27, "款": 2, "项": "（一）"}',
        "第二十七条第二款第（一）项",
        "这段文字出自第二十七条第二款第（一）项。",
    ],
)
def test_other_forms_that_models_write(text: str) -> None:
    answer = read_place(text)
    assert (answer.value, answer.status) == (Place(27, None, 2, 1), EXTRACTED)
    for spans in answer.where().values():
        assert all(0 <= start < end <= len(text) for start, end in spans)


@pytest.mark.parametrize("nothing", ["null", '"None"', '""'])
def test_json_says_that_there_is_no_item(nothing: str) -> None:
    read = read_place(f'{{"条序号": 27, "款序号": 2, "项序号": {nothing}}}')
    assert read.value == Place(27, None, 2, None)

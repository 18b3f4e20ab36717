"""What is read out of a response: a place for `id`, a text for `content`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.law.citation_model import Position
from hengfa.law.numerals import MAX_ARTICLE, format_number
from hengfa.suites.base import AnswerStatus
from hengfa.suites.claw.baselines import id_form
from hengfa.suites.claw.clean import clean, is_refusal, normalise
from hengfa.suites.claw.extract import UNREADABLE, Place, place, recitation

EXTRACTED, AMBIGUOUS = AnswerStatus.EXTRACTED, AnswerStatus.AMBIGUOUS
ABSTAINED, MALFORMED = AnswerStatus.ABSTAINED, AnswerStatus.MALFORMED


def block(article: str, paragraph: str = "None", item: str = "None") -> str:
    return f"```markdown\n条序号：{article}\n款序号：{paragraph}\n项序号：{item}\n```"


# --- a place ---


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
    answer = place(block(article))
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
    answer = place(block("5", paragraph))
    assert answer.value == Place(5, None, number, None)
    assert answer.status is (MALFORMED if number == UNREADABLE else EXTRACTED)


@pytest.mark.parametrize(
    "item", ["第（三）项", "第三项", "（三）", "(三)", "3", "三", "第3项", "（3）"]
)
def test_items_are_read_with_and_without_brackets(item: str) -> None:
    assert place(block("5", "2", item)).value == Place(5, None, 2, 3)


def test_the_last_block_counts() -> None:
    assert place(f"{block('3')}\n不对，应为：\n{block('4', '1')}").value == Place(4, None, 1, None)


def test_a_last_block_without_a_place_is_passed_over() -> None:
    assert place(f"{block('3')}\n```\n条文：第四条\n```").value == Place(3, None, None, None)


def test_what_is_said_after_the_block_does_not_count() -> None:
    assert place(f"{block('3')}\n说明：条序号也可能是4").value == Place(3, None, None, None)


def test_a_block_that_is_never_closed_is_one() -> None:
    assert place("推理……条序号：9\n```markdown\n条序号：3\n款序号：2").value == Place(
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
    assert place(text).value == found


def test_an_article_that_brings_the_rest_with_it_fills_what_has_no_label() -> None:
    assert place("条序号：第五条第二款第（一）项").value == Place(5, None, 2, 1)
    assert place("条序号：第五条第二款\n款序号：None").value == Place(5, None, None, None)


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
        ("它是第五条第二款。", MALFORMED),
        (block("XXX", "XXX", "XXX"), MALFORMED),
        ("款序号：2\n项序号：1", MALFORMED),
        (block("10000"), MALFORMED),
        (block("第五条或者第六条"), AMBIGUOUS),
        (block("5、6"), AMBIGUOUS),
    ],
)
def test_what_is_no_place_is_told_apart(text: str, status: AnswerStatus) -> None:
    answer = place(text)
    assert (answer.value, answer.status) == (None, status)


numbers = st.integers(1, MAX_ARTICLE)
maybe = st.none() | st.integers(1, 40)
positions = st.builds(Position, numbers, st.none() | st.integers(1, 20), maybe, maybe)


@given(positions, st.text(max_size=30))
def test_every_place_in_the_form_of_the_prompt_is_read_back(position: Position, talk: str) -> None:
    answer = place(f"{talk}\n{id_form(position)}" if "`" not in talk else id_form(position))
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
    assert place(block(named, written(paragraph), written(item))).value == Place(*position)  # type: ignore[arg-type]


@given(st.text(alphabet="条款项序号：:第一二十百之无Nn()（）`\n -|*None5５", max_size=80))
def test_no_text_fails(text: str) -> None:
    for response in (text, f"条序号：{text}", block(text, text, text)):
        answer = place(response)
        assert (answer.value is None) == (answer.status in {ABSTAINED, AMBIGUOUS}) or (
            answer.status is MALFORMED
        )
        assert recitation(response).value is not None


# --- a text ---

GOLD = "渡船应当按人数备足浮衣，浮衣的颜色以橘红和鹅黄为限。"


@pytest.mark.parametrize(
    "dressed",
    [
        GOLD,
        f"  {GOLD}\n",
        f"```markdown\n{GOLD}\n```",
        f"```\n> {GOLD}\n```",
        f"> **{GOLD}**",
        f"## 第七条之一\n\n{GOLD}",
        f"**第七条之一**　{GOLD}",
        f"**第七条之一**{GOLD}",
        f"第七条之一 {GOLD}",
        f"第七条之一第一款：{GOLD}",
        f"第7条之1第1款 {GOLD}",
        f"《月湖渡船法》第七条之一第一款规定：{GOLD}",
        f"《月湖渡船法》（2015年修正）第七条之一第一款的内容是：{GOLD}",
        f"月湖渡船法第七条之一\n第一款\n{GOLD}",
        f"- {GOLD}",
        GOLD.replace("，", ",").replace("。", "。 "),
        "\u200b".join(GOLD),
        "　".join(GOLD),
    ],
)
def test_dress_is_taken_off(dressed: str) -> None:
    answer = recitation(dressed)
    assert answer.status is EXTRACTED
    assert answer.value == (dressed, normalise(GOLD))


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("（三）船底渗水；", "船底渗水;"),
        ("第（三）项：船底渗水；", "船底渗水;"),
        ("第六条第一款\n（三）船底渗水；", "船底渗水;"),
        # what begins like a number, but is the text of a provision
        ("第六条规定的期限不变。", "第六条规定的期限不变。"),
        ("第六条、第七条不适用。", "第六条、第七条不适用。"),
        ("三十日内发给。", "三十日内发给。"),
        ("第六条", "第六条"),
        ("-1度以下不开船。", "-1度以下不开船。"),
        ("", ""),
    ],
)
def test_a_number_in_front_goes_and_a_reference_stays(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


def test_several_lines_become_one() -> None:
    assert clean("船家应当：\n\n（一）听钟；\n（二）看旗。") == "船家应当:(一)听钟;(二)看旗。"


@pytest.mark.parametrize(
    "text",
    [
        "抱歉，我无法提供该法律的原文。",
        "很遗憾，目前没有收录这部法律。",
        "由于我的知识截止于2023年，我不能给出该条的内容，请您查询官网。",
        "作为一个人工智能助手，我难以确认该条款的具体文字。",
        "我不知道这一条写了什么。",
        "I'm sorry, I cannot recite this article.",
    ],
)
def test_refusals_are_abstentions_and_their_text_is_kept(text: str) -> None:
    answer = recitation(text)
    assert answer.status is ABSTAINED
    assert answer.value is not None and answer.value.raw == text


@pytest.mark.parametrize(
    "text",
    [
        GOLD,
        "船家不能提供渡船牌的，渡务署可以扣船。",
        "无法确定船主的，由湖区巡署保管。",
        "我国公民可以乘船。",
        "以下是该条的内容：乘客应当听从船家的安排。如有出入，请您以官方文本为准。",
    ],
)
def test_provisions_and_recitations_are_no_refusals(text: str) -> None:
    assert not is_refusal(text)


@pytest.mark.parametrize("text", ["", " \n", "```\n```"])
def test_nothing_is_an_abstention(text: str) -> None:
    assert recitation(text).status is ABSTAINED


@given(st.text(max_size=60))
def test_cleaning_twice_changes_no_more_than_numbers(text: str) -> None:
    once = clean(text)
    assert normalise(once) == once
    assert once.endswith(clean(once)) or clean(once) in once

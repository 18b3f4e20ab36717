"""Numerals: what is read, what is refused, and where two well-known libraries read otherwise."""

from __future__ import annotations

import gzip
import json
import math
import re
from collections import deque
from decimal import Decimal, localcontext
from pathlib import Path
from typing import get_args

import chinese2digits
import cn2an
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from hengfa.law.grammar import numeral_tables as tables
from hengfa.law.grammar.numerals import (
    MAX_ARTICLE,
    MAX_FORMATTED,
    Number,
    NumeralStyle,
    find_numbers,
    format_article,
    format_number,
    parse_article,
    parse_number,
)

CHINESE = "零一二三四五六七八九两十百千万亿"
EVERYTHING = CHINESE + "〇○O壹贰廿卅点负-0123456789０５，,.．元年第条之几数半 "

# Random numbers are hardly ever full of zeros, and zeros are where numerals go wrong.
NUMBERS = st.integers(-MAX_FORMATTED, MAX_FORMATTED) | st.text(
    "000159", min_size=1, max_size=16
).map(int)


# Mostly numerals: groups of descending parts, with zeros and the 两 where they may be wrong.
GROUPS = st.tuples(
    *(
        st.sampled_from(["", "", f"一{unit}", f"五{unit}", f"零九{unit}", f"两{unit}"])
        for unit in ("千", "百", "十", "")
    )
).map("".join)
NUMERALS = st.tuples(
    GROUPS, st.sampled_from(["", "亿"]), GROUPS, st.sampled_from(["", "万"]), GROUPS
)


# A slow machine is no failure.
unhurried = settings(deadline=None)


def by_cn2an(text: str) -> float | None:
    """What cn2an 0.5.22 reads, None where it refuses."""
    try:
        value: float = cn2an.cn2an(text, "smart")
    except (ValueError, LookupError):
        return None
    return value


def by_chinese2digits(text: str) -> Decimal | None:
    """What chinese2digits 6.0.2 reads, None where it refuses or finds several numbers."""
    try:
        found = chinese2digits.takeNumberFromString(text)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return None
    values = found["digitsStringList"]
    return Decimal(values[0]) if values == [found["replacedText"]] else None


def same(ours: Number, theirs: float | Decimal) -> bool:
    """Equal as far as the other library's floats reach."""
    return math.isclose(ours, theirs, rel_tol=1e-12)


def found_in(text: str) -> list[tuple[str, Number]]:
    return [(text[start:end], value) for start, end, value in find_numbers(text)]


# --- reading one numeral -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # plain
        ("零", 0),
        ("〇", 0),
        ("两", 2),
        ("十", 10),
        ("十五", 15),
        ("一百一十", 110),
        ("一千零一十", 1010),
        ("一千二百六十", 1260),
        ("二百五十万", 2_500_000),
        ("九千九百九十九万九千九百九十九亿九千九百九十九万九千九百九十九", 10**16 - 1),
        # places
        ("二〇二〇", 2020),
        ("二○二○", 2020),
        ("二O一九", 2019),
        ("二００八", 2008),
        ("一九九0", 1990),
        ("〇七", 7),
        ("二三", 23),
        # financial and traditional
        ("壹佰", 100),
        ("壹万贰仟叁佰", 12_300),
        ("貳萬參仟", 23_000),
        ("壹万二千", 12_000),
        # contracted and shortened tens
        ("廿", 20),
        ("廿五", 25),
        ("卅", 30),
        ("一百廿", 120),
        ("一百十五", 115),
        ("一万零十", 10_010),
        # the last digit without a unit
        ("一百五", 150),
        ("三千二", 3200),
        ("两万五", 25_000),
        ("一百二十五万三", 1_253_000),
        ("三亿五", 350_000_000),
        ("3万5", 35_000),
        # ones after a zero, and forgotten zeros
        ("一百零五", 105),
        ("两万零五", 20_005),
        ("3万05", 30_005),
        ("3万50", 30_050),
        ("三万五百", 30_500),
        ("一千五十", 1050),
        ("三亿五万", 300_050_000),
        ("一万零五百", 10_500),
        # big units
        ("十万", 100_000),
        ("三万亿", 3 * 10**12),
        ("一万二千亿", 12 * 10**11),
        ("一万零一亿", 10_001 * 10**8),
        ("八百四十九万零八百九十三亿", 8_490_893 * 10**8),
        ("三万亿五千亿", 35 * 10**11),
        ("一亿亿", 10**16),
        ("三万亿亿", 3 * 10**20),
        ("四万万", 4 * 10**8),
        # Arabic and mixed
        ("007", 7),
        ("１２３", 123),
        ("2,500,000", 2_500_000),
        ("２，５００．５０", Decimal("2500.5")),
        ("3万5千", 35_000),
        ("3千5百", 3500),
        ("12亿3000万", 1_230_000_000),
        ("2,500万", 25_000_000),
        ("110千", 110_000),
        ("1千5百万", 15_000_000),
        # decimals; whole values are ints
        ("三点一四", Decimal("3.14")),
        ("零点五", Decimal("0.5")),
        ("两点五", Decimal("2.5")),
        ("一百二十点五", Decimal("120.5")),
        ("一百二十点五万", 1_205_000),
        ("0.50", Decimal("0.5")),
        ("1.5万", 15_000),
        ("2.5千万", 25_000_000),
        ("1.23456万", Decimal("12345.6")),
        ("3.00", 3),
        # signs and blanks
        ("-5", -5),
        ("－５", -5),
        ("负三点五", Decimal("-3.5")),
        ("負十", -10),
        ("　一百 ", 100),
    ],
)
def test_a_numeral_is_read(text: str, value: Number) -> None:
    read = parse_number(text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "元",
        "-",
        "负",
        "--5",
        "一百元",
        "百二十",  # a unit without a count starts words: 百分之二十
        "百万",
        "万",
        "一千百",
        "三百五万",  # 350万 or 305万
        "三万亿五",
        "一万一亿",
        "一百零",
        "一千零零五",
        "二三十",
        "一二〇万",
        "十五六",
        "五千三千",
        "三亿五千亿",
        "3万50000",
        "亿万",
        "二十两",  # twenty ounces
        "两十",
        "两三",
        "十两万",
        "○○",
        "○五",
        "一万半",
        "三兆",
        "幺",
        "5.",
        ".5",
        "1.2.3",
        "12,34",
        "1,2345",
        "1,,234",
        "1.5十",
        "1.5万3千",
        "三点",
        "三点五十",  # ten to four
        "15点30",
        "一点一点",
        "20二0",
        "²",
        "٣",  # ARABIC-INDIC DIGIT THREE
        "9" * 31,
        "九" * 31,
        "0." + "1" * 31,
    ],
)
def test_what_is_not_one_numeral_is_refused(text: str) -> None:
    assert parse_number(text) is None


def test_decimals_are_exact_whatever_precision_the_caller_has_set() -> None:
    with localcontext() as context:
        context.prec = 3
        assert parse_number("-123456.789012") == Decimal("-123456.789012")
        assert parse_number("1.23456789亿") == 123_456_789


# --- writing -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "lower", "positional", "financial"),
    [
        (0, "零", "〇", "零"),
        (2, "二", "二", "贰"),
        (10, "十", "一〇", "壹拾"),
        (15, "十五", "一五", "壹拾伍"),
        (105, "一百零五", "一〇五", "壹佰零伍"),
        (110, "一百一十", "一一〇", "壹佰壹拾"),
        (1010, "一千零一十", "一〇一〇", "壹仟零壹拾"),
        (2020, "二千零二十", "二〇二〇", "贰仟零贰拾"),
        (10_010, "一万零一十", "一〇〇一〇", "壹万零壹拾"),
        (100_015, "十万零一十五", "一〇〇〇一五", "壹拾万零壹拾伍"),
        (902_803, "九十万二千八百零三", "九〇二八〇三", "玖拾万贰仟捌佰零叁"),
        (100_000_000, "一亿", "一〇〇〇〇〇〇〇〇", "壹亿"),
        (100_005_000, "一亿零五千", "一〇〇〇〇五〇〇〇", "壹亿零伍仟"),
        (10**12, "一万亿", "一〇〇〇〇〇〇〇〇〇〇〇〇", "壹万亿"),
        (-15, "负十五", "负一五", "负壹拾伍"),
    ],
)
def test_a_number_is_written_in_three_styles(
    number: int, lower: str, positional: str, financial: str
) -> None:
    assert format_number(number) == format_number(number, "lower") == lower
    assert format_number(number, "positional") == positional
    assert format_number(number, "financial") == financial


@pytest.mark.parametrize("style", get_args(NumeralStyle))
@pytest.mark.parametrize("number", [MAX_FORMATTED + 1, -MAX_FORMATTED - 1, 10**100])
def test_a_number_too_large_to_write_is_named_in_an_error(number: int, style: NumeralStyle) -> None:
    with pytest.raises(ValueError, match="beyond 9,999,999,999,999,999"):
        format_number(number, style)


@pytest.mark.parametrize("style", get_args(NumeralStyle))
@unhurried
@given(number=NUMBERS)
@example(number=MAX_FORMATTED)
@example(number=849_089_327_150_043)
def test_what_is_written_is_read_back(number: int, style: NumeralStyle) -> None:
    assert parse_number(format_number(number, style)) == number


# --- articles ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "article"),
    [
        ("第一百二十条之一", (120, 1)),
        ("一百二十条之一", (120, 1)),
        ("一百二十之一", (120, 1)),
        ("第一百二十之一条", (120, 1)),
        ("第120条之1", (120, 1)),
        ("第120之1条", (120, 1)),
        ("120之一", (120, 1)),
        ("第二百八十七条之十二", (287, 12)),
        ("第264条", (264, 0)),
        ("第２６４條", (264, 0)),
        ("264", (264, 0)),
        ("第一千二百六十条", (1260, 0)),
        ("第一百十五条", (115, 0)),
        ("第一二〇条", (120, 0)),
        (" 第 一百二十八 条 之 一 ", (128, 1)),  # blanks as in published interpretations
        ("笫五十四条", (54, 0)),  # a wrong glyph in a published statute
    ],
)
def test_an_article_number_is_read(text: str, article: tuple[int, int]) -> None:
    assert parse_article(text) == article


@pytest.mark.parametrize(
    "text",
    [
        "",
        "第条",
        "第零条",
        "第一条之零",
        "第二条第一款",
        "第二条至第四条",
        "第二条、第四条",
        "第一百五条",  # 105 or 150
        "一百五",
        "第二三条",  # articles 2 and 3
        "第一百二十条之一条",
        "第一百二十条之",
        "第一百二十条之一之二",
        "第三章",
        "第1.5条",
        "第-1条",
        "第一万条",
        "第10000条",
        "第" + "9" * 5000 + "条",
    ],
)
def test_what_names_no_single_article_is_refused(text: str) -> None:
    assert parse_article(text) is None


def test_every_article_number_is_read_back() -> None:
    for number in range(1, MAX_ARTICLE + 1):
        sub = number % 30
        assert parse_article(format_article(number, sub)) == (number, sub)


@pytest.mark.parametrize(("number", "sub"), [(0, 0), (-1, 0), (1, -1), (MAX_ARTICLE + 1, 0)])
def test_an_impossible_article_is_not_written(number: int, sub: int) -> None:
    with pytest.raises(ValueError, match="numbered from 1 to 9999"):
        format_article(number, sub)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "at_least", "exceptions"),
    [
        (
            "statutes.jsonl.gz",
            63_000,
            {
                "笫五十四条": (54, 0),  # 笫 for 第
                "第一百二十八 条": (128, 0),  # a blank inside the number
            },
        ),
        (
            "interpretations.jsonl.gz",
            12_000,
            {  # blanks inside the number
                "第一百二十四 条": (124, 0),
                "第二百七十一 条": (271, 0),
                "第三百七十二 条": (372, 0),
                "第四百一十四 条": (414, 0),
            },
        ),
    ],
)
def test_every_article_heading_of_real_statutes_is_read_and_written_back(
    shared: Path, file: str, at_least: int, exceptions: dict[str, tuple[int, int]]
) -> None:
    # "第一百二十条之一 …" at line start; not "第三章 法官的条件", not "第三人根据…第五十九条"
    heading = re.compile(
        r"^[\s#*]*([第笫][^章节编条人改、\n]{1,12}条(?:之[一二三四五六七八九十]+)?)", re.MULTILINE
    )
    changed, count = {}, 0
    with gzip.open(shared / "data" / "statutes" / file, "rt", encoding="utf-8") as lines:
        for line in lines:
            for text in heading.findall(json.loads(line)["text"]):
                count += 1
                article = parse_article(text)
                if article is None or format_article(*article) != text:
                    changed[text] = article
    assert changed == exceptions
    assert count >= at_least


# --- running text ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("没有数", []),
        ("判处有期徒刑三年六个月，罚金人民币2，500元。", [("三", 3), ("六", 6), ("2，500", 2500)]),
        ("第一百二十条之一第二款", [("一百二十", 120), ("一", 1), ("二", 2)]),
        ("二〇一〇，原告李○○借款壹万贰仟元", [("二〇一〇", 2010), ("壹万贰仟", 12_000)]),
        ("有期徒刑一年零十个月零五天", [("一", 1), ("十", 10), ("零五", 5)]),
        ("百分之五十，千分之一", [("五十", 50), ("一", 1)]),
        # the last digit without a unit is one only where no other word can begin with it
        ("借了两万五，三千二的利息", [("两万五", 25_000), ("三千二", 3200)]),
        ("五万一次性付清", [("五万", 50_000), ("一", 1)]),
        # approximate amounts and lists are not numbers
        ("二三天，三五个，一两次，两三人，一二审，一一说明", []),
        ("二三十人，七八万元，十五六岁，几十万元，数十人", []),
        ("人数十二人", [("十二", 12)]),
        ("八二宪法，九七年", [("八二", 82), ("九七", 97)]),
        # a run that is not one number gives nothing
        ("亿万富翁，三百五万元", []),
        # measures that look like numerals
        ("二十千克，三十万千瓦，三两酒", [("二十", 20), ("三十万", 300_000), ("三", 3)]),
        # clocks, dates, lists, versions
        ("八点三十分，15点30分", [("八", 8), ("三十", 30), ("15", 15), ("30", 30)]),
        ("八点零五分，三点一刻", [("八", 8), ("零五", 5), ("三", 3), ("一", 1)]),
        ("一点五倍，一点一滴", [("一点五", Decimal("1.5")), ("一", 1), ("一", 1)]),
        ("1.2019年5月", [("1", 1), ("2019", 2019), ("5", 5)]),
        ("2020.5.3", []),
        ("1,2,3,456,7890", [("1", 1), ("2", 2), ("3,456", 3456), ("7890", 7890)]),
        ("附件1一份，三02号", [("1", 1), ("一", 1), ("三", 3), ("02", 2)]),
        # signs
        ("（-5）， -3.5", [("-5", -5), ("-3.5", Decimal("-3.5"))]),
        ("2019-2020年，A-5，\n-2-\n", [("2019", 2019), ("2020", 2020), ("5", 5), ("2", 2)]),
        ("应负50%的责任，负一定责任", [("50", 50), ("一", 1)]),
        # too long to be a number
        ("9" * 31 + "元", []),
        ("一OK", [("一", 1)]),
    ],
)
def test_numerals_are_found_in_running_text(text: str, numbers: list[tuple[str, Number]]) -> None:
    assert found_in(text) == numbers


@unhurried
@given(NUMBERS.map(abs), st.sampled_from(["lower", "financial"]))
def test_a_written_number_is_found_whole_in_a_sentence(number: int, style: NumeralStyle) -> None:
    written = format_number(number, style)
    assert found_in(f"共计{written}元，{number:,}元。") == [
        (written, number),
        (f"{number:,}", number),
    ]


@settings(max_examples=400, deadline=None)
@given(st.text(EVERYTHING) | st.text())
@example("一年零五十")
def test_found_numerals_stand_in_order_and_mean_what_they_mean_alone(text: str) -> None:
    last = 0
    for start, end, value in find_numbers(text):
        assert last <= start < end <= len(text)
        assert parse_number(text[start:end]) == value
        last = end


@pytest.mark.parametrize(
    ("expression", "text", "matched", "other"),
    [
        (tables.OTHER_SPELLINGS, "壹〇元", "壹〇", "一元"),
        (tables.ARABIC, "1,234.50元", "1,234.50", "元"),
        (tables.ARABIC, "1.2019年", "1", "第"),
        (tables.DOTTED, "2020.5.3", "2020.5.3", "2020.5"),
        (tables.PLACES, "二○O八年", "二○O八", "○○"),
        (tables.PLACES, "三02", "三", "两百"),
        (tables.FRACTION, "三点一四", "点一四", "三点五十"),
        (tables.SCALE, "千万元", "千万", "十"),
        (tables.PART, "3000万", "3000万", "二三"),
        (tables.AFTER_SHORT_FORM, "元", "元", "次"),
        (tables.START, "张三", "三", "百分之"),
        (tables.START, "（-5）", "-", "A-"),
        (tables.RUN, "一百万千", "一百万千", "点"),
        (tables.ABOUT_TENS, "几十万", "十万", "二十万"),
        (tables.MEASURE, "二十千克", "千", "十千万"),
        (tables.NEXT_WORD, "五万一次性", "一", "五万一二"),
        (tables.ARTICLE, "第一百二十条之一", "第一百二十条之一", "第条"),
    ],
)
def test_each_expression_keeps_to_its_example(
    expression: re.Pattern[str], text: str, matched: str, other: str
) -> None:
    found = expression.search(text)
    assert found is not None
    assert found[0] == matched
    missed = expression.search(other)
    assert missed is None or not missed[0]


# --- any text at all ---------------------------------------------------------------------------


@settings(max_examples=500, deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=80) | st.text(EVERYTHING))
@example("\ud800一\udfff")
@example("\x00\x1f一\x7f")
def test_no_text_makes_reading_fail(text: str) -> None:
    parse_number(text)
    parse_article(text)
    deque(find_numbers(text), maxlen=0)


MILLION = 1_000_000


@pytest.mark.deep
@pytest.mark.parametrize(
    "text",
    [
        "一" * MILLION,
        "1" * MILLION,
        "十" * MILLION,
        "万" * MILLION,
        "1," * (MILLION // 2),
        "1.1" + ".1" * (MILLION // 2),
        "1" + ",111" * (MILLION // 4) + "1",
        "一百" * (MILLION // 2),
        "一点" * (MILLION // 4),
        "1万" * (MILLION // 4),
        "一" + "0" * MILLION + "1",
        "一" + "O" * MILLION + "a",
        "3万" + "1" * MILLION,
        "十点" + "一" * MILLION + "点",
        "-" * MILLION + "1",
        "(-" + "1" * MILLION + "-",
        "壹" * MILLION,
        "第" + " " * MILLION + "元",
        "第一条" + "之一" * (MILLION // 2),
    ],
    ids=lambda text: f"{text[:4]}…{text[-2:]}",
)
def test_a_megabyte_of_numeral_characters_is_read_in_passing(text: str) -> None:
    assert parse_number(text) is None
    assert parse_article(text) is None
    deque(find_numbers(text), maxlen=0)


# --- against cn2an and chinese2digits ----------------------------------------------------------

# Our name of a style, and cn2an's.
STYLES: tuple[tuple[NumeralStyle, str], ...] = (("lower", "low"), ("financial", "up"))

# Kinds of numeral that each library reads without complaint and wrongly.
CN2AN_MISREADS = re.compile(r"(?<=[百千万亿])十|万万")  # 三百十五 as 305
CHINESE2DIGITS_MISREADS = re.compile(r"(?<=[零百千万亿])十|[万亿].*[万亿]")  # 十万亿 as 1e9


@unhurried
@given(NUMBERS.map(abs))
def test_written_numbers_are_read_alike_by_cn2an(number: int) -> None:
    for style, mode in STYLES:
        assert cn2an.cn2an(format_number(number, style), "normal") == number
        assert parse_number(cn2an.an2cn(number, mode)) == number


@unhurried
@given(NUMBERS.map(abs))
def test_numbers_are_written_like_cn2an_but_for_optional_zeros(number: int) -> None:
    # cn2an writes 九十万零二千, we 九十万二千: zeros that end a group are not read aloud, and the
    # rules for bills (支付结算办法, annex 1) allow both. Zeros after 万 and 亿 are left out here.
    def essential(text: str) -> str:
        return re.sub(r"(?<=[万亿])零", "", text)

    for style, mode in STYLES:
        assert essential(format_number(number, style)) == essential(cn2an.an2cn(number, mode))


@unhurried
@given(NUMBERS.map(abs))
def test_written_numbers_are_read_alike_by_chinese2digits(number: int) -> None:
    written = format_number(number)
    assume(not CHINESE2DIGITS_MISREADS.search(written))
    assert by_chinese2digits(written) == number


@settings(max_examples=1000, deadline=None)
@given(NUMERALS.map("".join) | st.text(CHINESE + "点", min_size=1, max_size=8))
def test_what_both_read_is_read_alike(text: str) -> None:
    ours = parse_number(text)
    if ours is None:
        return
    cn2an_reads, chinese2digits_reads = by_cn2an(text), by_chinese2digits(text)
    if cn2an_reads is not None and not CN2AN_MISREADS.search(text):
        assert same(ours, cn2an_reads)
    if chinese2digits_reads is not None and not CHINESE2DIGITS_MISREADS.search(text):
        assert same(ours, chinese2digits_reads)


# Text, our reading, cn2an's, chinese2digits'; None is a refusal.
DISAGREEMENTS: list[tuple[str, Number | None, float | None, Decimal | None]] = [
    # We are right: 十 without a digit counts one ten.
    ("三百十五", 315, 305, Decimal(315)),
    ("三亿十万", 300_100_000, 300_000_000, Decimal(300_100_000)),
    ("二千零十二", 2012, 2012, Decimal(2002)),
    # We are right: units side by side multiply.
    ("十万亿", 10**13, 10**13, Decimal(10**9)),
    ("五千万亿", 5 * 10**15, 5 * 10**15, Decimal(5 * 10**11)),
    ("六万万三万", 600_030_000, None, Decimal(600_030_000)),
    # We are right: cn2an drops zeros that are places, and turns digits into words before it reads.
    ("二00八", 2008, 208, None),
    ("三百05", 305, 350, None),
    ("5百19", 519, 509, None),
    ("0万", 0, 0, Decimal(10_000)),
    # We are right: one number, which chinese2digits takes for two or cn2an refuses.
    ("3万5千", 35_000, 35_000, None),
    ("12亿3000万", 1_230_000_000, 1_230_000_000, None),
    ("2,500,000", 2_500_000, None, None),
    ("二○二○", 2020, None, None),
    ("卅", 30, None, None),
    ("三亿五", 350_000_000, None, Decimal(350_000_000)),
    ("三万五百", 30_500, None, Decimal(30_500)),
    # Open to doubt, so we refuse.
    ("三百五万", None, None, Decimal(3_050_000)),
    ("百二十", None, None, Decimal("0.2")),
    ("百万五", None, 1_005_000, Decimal(5000)),
    ("两三", None, 23, None),
    ("七八万", None, None, Decimal(780_000)),
    # No numerals, so we refuse.
    ("二十两", None, 22, Decimal(22)),
    ("十百八", None, 90, Decimal(1080)),
    ("一百零", None, 100, Decimal(100)),
    # They are right within their own scope, which is wider: 幺 in speech, 元 in amounts.
    ("幺三", None, 13, Decimal(13)),
    ("一百元", None, 100, None),
]


@pytest.mark.parametrize(("text", "ours", "theirs", "others"), DISAGREEMENTS)
def test_known_disagreements_stand(
    text: str, ours: Number | None, theirs: float | None, others: Decimal | None
) -> None:
    assert parse_number(text) == ours
    assert by_cn2an(text) == theirs
    assert by_chinese2digits(text) == others

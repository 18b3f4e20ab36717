"""Rewriting numerals: step by step, reading by reading, and always as cn2an 0.5.22 does it."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path

import cn2an
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hengfa.evals.suites.lawbench import numeral_rewriting
from hengfa.evals.suites.lawbench.numeral_rewriting import rewrite_numerals
from hengfa.law.grammar.numerals import format_number

# cn2an warns of every numeral that it leaves as it is.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:cn2an.transform")

DIGITS = "零一二三四五六七八九"
UNITS = "十拾百佰千仟万亿"

# A slow machine is no failure.
unhurried = settings(deadline=None)
thorough = settings(deadline=None, max_examples=400)


def by_cn2an(text: str) -> str:
    rewritten: str = cn2an.transform(text, "cn2an")
    return rewritten


# What each step writes.

STEPS = [
    # 1. Contractions, inside words too.
    ("廿五条", "25条"),
    ("廿年", "20年"),
    ("半年", "0.5年"),
    ("一年半", "1年0.5"),
    ("一半两家", "10.52家"),  # the 一 is read in step 6
    ("半万年", "5000年"),  # the 0.5 is read in step 2
    ("两百", "2百"),  # a digit with a unit, and not before 年
    ("两百年", "200年"),
    ("两万五", "2万五"),
    ("廿廿", "二十二十"),
    # 2. Dates.
    ("二零一六年三月二十八日", "2016年3月28日"),
    ("三年六个月", "3年6个月"),
    ("十年十月", "10年10月"),
    ("五月", "5月"),
    ("五日", "5日"),
    ("三月五日", "3月5日"),
    ("三年五日", "3年5日"),
    ("三点五年", "3.5年"),
    ("负三年", "-3年"),
    ("一点二点三年", "1点2.3年"),
    ("百三十一月", "百31月"),  # months and days have no 百
    ("二〇一六年", "2〇16年"),
    ("3年6月", "3年6月"),
    ("3万年", "30000年"),
    ("-3万年", "-30000年"),
    ("3万5年", "3万5年"),
    ("3.5万年二月", "35000年2月"),
    ("1.2.3万年", "1.23000年"),  # 2.3万年 is the date
    ("3\n5万年", "3\n50000年"),
    ("５万年", "５万年"),
    ("3万元", "3万元"),
    ("十十年三月", "十十年3月"),  # the date is held back, and step 6 reads the month
    ("3万年十十月", "3万年十十月"),
    # 3. Fractions.
    ("三分之一", "1/3"),
    ("二千零五十分之三", "3/2050"),
    ("一百分之五", "5/100"),
    ("负二分之一", "1/-2"),
    ("三分之负一点五", "-1.5/3"),
    ("二分之一点五分之三", "1.5/2分之3"),
    ("三分之一年", "3分之1年"),  # the year came first
    ("千分之五", "千分之5"),
    ("三分之百", "3分之百"),
    ("百五分之三", "百五分之3"),
    ("三分之", "3分之"),
    # 4. Percentages.
    ("百分之五", "5%"),
    ("百分之三点五", "3.5%"),
    ("百分之负三", "-3%"),
    ("百分之一百", "100%"),
    ("百分之百", "百分之百"),
    ("十十百分之五", "十十5%"),
    ("百分之三分之五", "3%分之5"),
    # 5. Temperatures.
    ("三十摄氏度", "30℃"),
    ("负三点五摄氏度", "-3.5℃"),
    ("一点二点三摄氏度", "1点2.3℃"),
    ("百摄氏度", "百摄氏度"),
    ("摄氏度", "摄氏度"),
    # 6. Every other numeral.
    ("第二百六十四条、第一条", "第264条、第1条"),
    ("张三负责一般事务", "张3负责1般事务"),
    ("负三", "-3"),
    ("负负三", "负-3"),
    ("三点", "3点"),
    ("点五", "点5"),
    ("一点一点一", "1.1点1"),
    ("壹佰", "壹佰"),
    ("五万元", "50000元"),
    ("负责", "负责"),
    ("", ""),
    ("有期徒刑18个月", "有期徒刑18个月"),
]


@pytest.mark.parametrize(("text", "expected"), STEPS)
def test_steps(text: str, expected: str) -> None:
    assert rewrite_numerals(text) == expected
    assert by_cn2an(text) == expected


# What each numeral says; None: it has no reading and stays.

READINGS = [
    # Well-formed.
    ("零", "0"),
    ("十", "10"),
    ("十五", "15"),
    ("二十", "20"),
    ("三拾五", "35"),
    ("三百", "300"),
    ("三百零五", "305"),
    ("三佰五十", "350"),
    ("一百十五", "105"),
    ("二百十", "200"),
    ("三千零五十", "3050"),
    ("三千零五", "3005"),
    ("三千五百", "3500"),
    ("三千零十", "3010"),  # as 三千零一十
    ("一万零百", "10100"),  # as 一万零一百
    ("十五万零三百", "150300"),
    ("三万五千", "35000"),
    ("一万亿", "1000000000000"),
    ("一亿零三万", "100030000"),
    ("九千九百九十九万九千九百九十九亿九千九百九十九万九千九百九十九", "9" * 16),
    # Digits in a row.
    ("一二三", "123"),
    ("零零七", "7"),
    ("零零", "0"),
    # Short forms.
    ("一百五", "150"),
    ("三千二", "3200"),
    ("三仟二", "3200"),
    ("二万五", "25000"),
    ("九九万五", "185000"),
    ("零百零", "100"),
    ("千百五", "1050"),
    ("万万五", "100005000"),
    ("百五", None),
    ("一亿五", None),
    ("十十五", None),
    ("九九九万五", None),
    # Decimals.
    ("三点一四", "3.14"),
    ("三点零零", "3.0"),
    ("一百五点二", "150.2"),
    ("一二点三", "12.3"),
    ("零点零零零零一", "1e-05"),
    ("负零点零", "-0.0"),
    ("负零", "0"),
    ("零点" + "三" * 16, "0." + "3" * 15 + "4"),  # summed from the last place to the first
    ("零点" + "三" * 17, None),
    ("三点五万", None),
    ("百点五", None),
    # Ill-formed.
    ("百", None),
    ("十十", None),
    ("三万五百", None),
    ("一二三百", None),
    ("一万一万", None),
    ("一亿亿", None),
    ("负百", None),
]


@pytest.mark.parametrize(("numeral", "number"), READINGS)
def test_readings(numeral: str, number: str | None) -> None:
    expected = numeral if number is None else number
    assert rewrite_numerals(numeral) == expected
    assert by_cn2an(numeral) == expected


# Digits with units, which are read before 年 only.

MIXED_READINGS = [
    ("3万", "30000"),
    ("0003万", "30000"),
    ("0.29百", "28"),  # a float just below 29
    ("-0.5十", "-5"),
    ("-0.05十", "0"),
    ("3．5万", "35000"),
    ("3５5万", "3550000"),
    ("3万亿", "3000000000000"),
    ("01万亿", "1000000000000"),
    ("3百5十", "350"),
    ("3百15万", "3050000"),  # as 三百十五万
    ("3万5千", "35000"),
    ("3萬5千", "35000"),
    ("3億5万", "300050000"),
    ("3000零5十", "3050"),
    ("3000〇5十", "3050"),
    ("220亿1万", "22000010000"),
    ("1000万1千", "10001000"),
    ("100零5万", "1050000"),
    ("2211939亿1万", "221193900010000"),
    ("2201939亿1万", None),  # as 二百二十万零一千九百三十九亿一万
    ("3-5万", None),
    ("-3万亿", None),
    ("3点5万", None),
    ("3,5万", None),
    ("0万亿", None),
    ("1" * 17 + "万亿", None),
    ("9" * 400 + "万", None),  # infinite
]


@pytest.mark.parametrize(("numeral", "number"), MIXED_READINGS)
def test_mixed_readings(numeral: str, number: str | None) -> None:
    expected = numeral + "年" if number is None else number + "年"
    assert rewrite_numerals(numeral + "年") == expected
    assert by_cn2an(numeral + "年") == expected


@pytest.mark.parametrize(
    ("numeral", "number"),
    [
        ("一" * 4300, "1" * 4300),
        ("一" * 4301, None),  # Python writes no longer integers
        ("零" * 5000 + "一", "1"),
        ("万" * 1074 + "五", "1" + "0" * 4292 + "5000"),
        ("万" * 1075 + "五", None),
        ("零万" * 1100 + "五", "5000"),  # high powers without a digit add nothing
        ("一" * 308 + "点五", "1.1111111111111111e+307"),
        ("九" * 310 + "点五", None),  # too large for a float
    ],
    ids=lambda value: value and f"{value[:2]}...{len(value)}",
)
def test_numerals_at_the_limits(numeral: str, number: str | None) -> None:
    expected = numeral if number is None else number
    assert rewrite_numerals(numeral) == expected
    if len(numeral) < 2500:  # cn2an takes seconds for longer ones
        assert by_cn2an(numeral) == expected


# The same as cn2an on texts of any kind.

PIECES = [
    *DIGITS,
    *UNITS,
    *"点负年月日半两廿",
    "分之",
    "百分之",
    "摄氏度",
    *"0123456789０５.．-－〇壹萬億",
    *["个月", "第", "条", "，", "\n", "责"],
]
SOUP = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)

# Random characters are hardly ever a numeral of several units: these mostly are.
WRITTEN = st.text("000159", min_size=1, max_size=16).map(lambda digits: format_number(int(digits)))
DECIMAL = st.tuples(WRITTEN, st.text(DIGITS, min_size=1, max_size=17)).map("点".join)
MIXED = st.tuples(
    st.sampled_from(["", "-"]),
    st.text("00159", min_size=1, max_size=9),
    st.sampled_from(["", *".．-〇零萬億点５ x", *UNITS]),
    st.text("00159", min_size=1, max_size=9),
    st.text(UNITS, min_size=1, max_size=2),
    st.just("年"),
).map("".join)
NUMERALS = WRITTEN | DECIMAL | MIXED | st.text(DIGITS + UNITS, min_size=1, max_size=8)
SENTENCES = st.lists(
    st.tuples(
        st.sampled_from(["", "", "负", "第", "百分之"]),
        NUMERALS,
        st.sampled_from(["", "年", "月", "日", "分之", "摄氏度", "点", "条"]),
    ).map("".join),
    max_size=4,
).map("".join)


@thorough
@given(SOUP)
def test_soup_is_rewritten_as_by_cn2an(text: str) -> None:
    assert rewrite_numerals(text) == by_cn2an(text)


@thorough
@given(SENTENCES)
def test_sentences_are_rewritten_as_by_cn2an(text: str) -> None:
    assert rewrite_numerals(text) == by_cn2an(text)


@unhurried
@given(st.sampled_from(PIECES) | st.characters(), st.sampled_from(["5万年", "5千年", "5十年"]))
def test_any_character_as_a_decimal_point(point: str, rest: str) -> None:
    assert rewrite_numerals("3000" + point + rest) == by_cn2an("3000" + point + rest)


@unhurried
@given(SENTENCES, SENTENCES)
def test_texts_apart_are_rewritten_apart(one: str, other: str) -> None:
    assert (
        rewrite_numerals(f"{one}，{other}") == f"{rewrite_numerals(one)}，{rewrite_numerals(other)}"
    )


# Every text.

ANYTHING = st.text(st.characters(exclude_categories=()), max_size=60)


@unhurried
@given(ANYTHING)
@example("\ud800三年\udfff")
@example("\x00一\x00")
def test_no_text_raises(text: str) -> None:
    assert rewrite_numerals(text) == by_cn2an(text)


@unhurried
@given(st.text(st.characters(exclude_characters="半两廿" + DIGITS + UNITS)))
def test_text_without_numerals_stays(text: str) -> None:
    assert rewrite_numerals(text) == text


# Where a pattern tries again at every place of a run, a million characters take many minutes, and
# where a sum grows with every unit, hours; rightly done it is a fraction of a second.


@pytest.mark.deep
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("before", "again", "after"),
    [
        ("", "一", ""),
        ("", "一", "年"),
        ("", "一", "分之"),
        ("", "零", "点五"),
        ("", "十", "月"),
        ("百分之", "十", "分之一"),
        ("", "万", "五"),
        ("", "零万", "五"),
        ("", "一十", "万五"),
        ("一", "分之", ""),
        ("", "负", "一"),
        ("", "1", ""),
        ("", "1", "万年"),
        ("3万年", "1", "年"),
        ("0.", "0", "万年"),
        ("", "-", "1万年"),
        ("1", "万", "五年"),
        ("", "半", "万年"),
    ],
)
def test_a_million_characters_in_a_run(before: str, again: str, after: str) -> None:
    rewrite_numerals(before + again * (1_000_000 // len(again)) + after)


MANY = [
    "十点",
    "一点一",
    "一年",
    "十月",
    "一分之",
    "百分之",
    "一摄氏",
    "百一日",
    "负一",
    "-1",
    "1.1",
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("again", [*MANY, "1万", "1.1万年", "一万" * 1000 + "五、"])
def test_many_numerals_in_one_text(again: str) -> None:
    rewrite_numerals("3万年" + again * (100_000 // len(again)))


def test_long_stretches_are_not_kept() -> None:
    before = numeral_rewriting._rewrite_again.cache_info().currsize
    assert rewrite_numerals("一" * 100) == "1" * 100
    assert numeral_rewriting._rewrite_again.cache_info().currsize == before


# Real predictions.

NUMERAL_TASKS = ("3-1.json", "3-4.json", "3-5.json")
EVERY, LONGEST = 25, 1_000  # cn2an takes a minute for all, most of it for texts beyond this


@pytest.fixture(scope="module")
def predictions(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("predictions")
    with tarfile.open(shared / "data/LawBench/predictions/dev.tar.xz") as packed:
        for member in packed:
            if member.name.endswith(NUMERAL_TASKS):
                packed.extract(member, folder, filter="data")
    return folder


@pytest.mark.shared
@pytest.mark.parametrize("task", NUMERAL_TASKS)
def test_real_predictions_are_rewritten_as_by_cn2an(predictions: Path, task: str) -> None:
    compared = 0
    for file in sorted(predictions.rglob(task)):
        rows = json.loads(file.read_text("utf-8"))
        for text in [row["prediction"] for row in rows.values()][::EVERY]:
            for piece in [text, *article_pieces(text)] if task == "3-1.json" else [text]:
                if len(piece) <= LONGEST:
                    assert rewrite_numerals(piece) == by_cn2an(piece), file
                    compared += 1
    assert compared > 100


def article_pieces(text: str) -> list[str]:
    """The pieces in which task 3-1 rewrites a prediction."""
    pieces = [piece.replace("万元", "元") for piece in text.split("、")]
    pieces = [re.sub("第(.*?)款", "", piece) for piece in pieces]
    return [re.sub("第(.*?)条", r"\1", piece) for piece in pieces]

"""What speaks against a citation without being a verdict: a doubt, which leaves it open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.law.library import Library
from hengfa.law.library.citing.details import doubts, english_quantities
from hengfa.law.library.citing.findings import Checked
from hengfa.law.library.citing.provisos import denies_exceptions
from tests.law.library.citing_laws import COAST, LANTERNS_2009
from tests.law.library.citing_support import only

FERRYMAN = "渡船自船主登记时设立；由港务所批准，经股东会同意，视为解除合同，由船主承担补充责任。"


@pytest.fixture
def library(coast_file: Path) -> Iterator[Library]:
    with Library.open(coast_file) as opened:
        yield opened


@pytest.mark.parametrize(
    ("words", "doubted"),
    [
        ("渡船自合同生效时设立", ["自合同生效时"]),
        ("渡船自登记时设立", []),
        ("应由灯塔批准", ["由灯塔"]),
        ("应当由港务所批准", []),
        ("经监事会同意", ["经监事会", "监事会"]),
        ("视为继续履行", ["视为继续履行", "继续履行"]),
        ("船主负连带责任", ["连带"]),
        ("船主负补充责任", []),
        ("渡船漆成蓝色", []),
    ],
)
def test_what_fills_a_place_otherwise_is_doubted(words: str, doubted: list[str]) -> None:
    assert doubts(words, FERRYMAN) == doubted


@given(st.text(alphabet="自从由经视为归向以罪时起承担同意申请渡船港务所，。", max_size=60))
def test_nothing_is_doubted_in_the_words_of_the_law(law: str) -> None:
    assert doubts(law, law) == []


@pytest.mark.parametrize(
    ("told", "law", "denied"),
    [
        ("一律不得点火，夜里也不例外", "不得点火，但是渔民除外。", True),
        ("不得点火", "不得点火，但是渔民除外。", False),
        ("一律不得点火", "不得点火。", False),
        ("一律不得点火", "一律不得点火，但是渔民除外。", False),
    ],
)
def test_whoever_says_that_there_is_no_exception(told: str, law: str, denied: bool) -> None:
    assert denies_exceptions(told, law) == denied


def test_english_quantities_are_compared_by_value() -> None:
    read = [
        (quantity.value, quantity.unit)
        for quantity in english_quantities("Twelve months, 20 per cent, a two-year lease, 30 days")
    ]
    assert read == [(12.0, "month"), (20.0, "%"), (24.0, "month"), (30.0, "day")]


def _status(library: Library, text: str) -> tuple[str, str]:
    checked: Checked = only(library, f"{text}\n\n2024年3月5日")
    return checked.status, checked.problem


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("《{law}》第四条是海龟产卵期间关闭海滩的规定。", "unclear"),
        ("海龟产卵期间的海滩：《{law}》第四条。", "unclear"),
        ("海龟产卵期间海滩关闭的时间，见《{law}》第四条。", "unclear"),
        ("海龟产卵期间海滩二十时关闭——《{law}》第四条。", "unlike"),
    ],
)
def test_a_sentence_on_another_article_speaks_against_a_citation(
    library: Library, sentence: str, status: str
) -> None:
    assert _status(library, sentence.format(law=COAST))[0] == status
    assert _status(library, sentence.format(law=COAST).replace("四", "二")) == ("right", "")


def test_a_sentence_that_says_little_leaves_nothing_open(library: Library) -> None:
    assert _status(library, f"另见《{COAST}》第四条。") == ("right", "")
    assert _status(library, f"《{COAST}》第四条规定：“{LANTERNS_2009}”") == ("right", "")


def test_a_caption_in_brackets_is_compared_too(library: Library) -> None:
    assert _status(library, f"《{COAST}》第四条（海滩关闭）")[0] == "unclear"
    assert _status(library, f"《{COAST}》第四条（灯塔看守人）") == ("right", "")


def test_half_a_character_is_no_reason_to_fail(library: Library) -> None:
    broken = f"《{COAST}》第四条规定：“灯塔看守人\ud83d应当每日点灯，日落前一小时就点上了。”"
    assert only(library, broken).quotation is not None

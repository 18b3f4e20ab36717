"""Whether a telling says what a provision says: roles, places, what is left out, what is shown."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.law.grammar.citation_model import Position
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.faithfulness import compare
from hengfa.law.library.citing.minimal_pairs import groups_of
from hengfa.law.library.citing.rule_words import makes_another_rule, read_words
from hengfa.law.library.matching import Passages, Unit
from hengfa.law.library.store import Library

LEASE = (
    "渔网租赁期限不得超过三年。出租人未按照约定交付渔网的，承租人可以解除合同，并有权请求出租人双倍返还定金。"
    "承租人故意损坏渔网的，应当向出租人赔偿全部损失；但是出租人有重大过失的除外。"
)
DUTIES = ("船主有下列情形之一的，港务局应当责令改正：", "夜间未点灯的；", "载客超过二十人的。")


def units(*texts: str) -> list[Unit]:
    places = [Position(1, None, 1, item or None) for item in range(len(texts))]
    return [Unit(0, 0, place, text) for place, text in zip(places, texts, strict=True)]


def mark(told: str, *texts: str, context: str = "") -> str:
    return compare(told, units(*(texts or (LEASE,))), context).mark


@pytest.mark.parametrize(
    "told",
    [
        "渔网租赁期限不得超过三年",
        "租期最长不超过三年",
        "房东没有依约交付渔网的，租客有权解除合同",
        "出租人未按照约定交付渔网的，承租人可以解除合同",
        "承租人故意损坏渔网的，应当向出租人赔偿全部损失，但出租人有重大过失的除外",
    ],
)
def test_other_words_for_the_same_are_faithful(told: str) -> None:
    assert mark(told) == "faithful"


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("董事对公司负有忠实义务", "faithful"),
        ("监事对公司负有忠实义务", "faithful"),
        ("股东对公司负有忠实义务", "differs or not decided"),
        ("公司对董事负有忠实义务", "differs or not decided"),
    ],
)
def test_one_of_a_list_may_be_told_alone(told: str, expected: str) -> None:
    found = mark(told, "董事、监事、高级管理人员对公司负有忠实义务。")
    assert found in expected


@pytest.mark.parametrize(
    ("told", "pair"),
    [
        ("渔网租赁期限不得超过五年", ("五年", "三年")),
        ("出租人未按照约定交付渔网的，承租人不得解除合同", ("不得", "可以")),
        ("承租人故意损坏渔网的，应当向出租人补偿全部损失", ("补偿", "赔偿")),
        ("出租人可以解除合同", ("出租人", "承租人")),
    ],
)
def test_a_word_that_excludes_the_provisions_differs(told: str, pair: tuple[str, str]) -> None:
    found = compare(told, units(LEASE))
    assert found.mark == "differs"
    assert [(one.told, one.law) for one in found.differences] == [pair]


@pytest.mark.parametrize(
    "told",
    [
        "承租人可以解除合同",  # its condition is left out
        "承租人损坏渔网的，应当向出租人赔偿全部损失",  # 故意
        "承租人故意损坏渔网的，应当向出租人赔偿全部损失",  # its exception
        "承租人故意损坏渔网的，应当经催告后向出租人赔偿全部损失，但是出租人有重大过失的除外",
        "出租人按照约定交付渔网的，承租人可以解除合同",
        "出租人未按照约定交付船只的，承租人可以解除合同",
        "春江花月夜",
        "",
    ],
)
def test_what_is_not_shown_is_not_decided(told: str) -> None:
    assert mark(told) == "not decided"


def test_an_item_is_read_with_its_lead_and_a_condition_may_stand_before() -> None:
    assert mark("船主夜间没有点灯的，港务局应当责令改正", *DUTIES) == "faithful"
    assert mark("载客超过三十人的，港务局应当责令改正", *DUTIES) == "differs"
    assert mark("承租人可以解除合同", context="出租人未按照约定交付渔网，") == "faithful"


def test_both_texts_are_shown_whole() -> None:
    told = "渔网租赁期限不得超过五年，请注意"
    found = compare(told, units(LEASE))
    assert "".join(piece.text for piece in found.told) == told
    assert "".join(piece.text for piece in found.law) == LEASE
    assert [piece.text for piece in found.told if piece.kind == "other"] == ["五年"]
    assert [piece.text for piece in found.law if piece.kind == "other"] == ["三年"]


@given(
    st.text(
        alphabet="出租承人不得可以应当三五年月，。的未第条（一）12万元以上下但除外甲", max_size=60
    )
)
def test_any_text_has_a_mark_and_is_shown_whole(told: str) -> None:
    found = compare(told, units(LEASE, *DUTIES))
    assert "".join(piece.text for piece in found.told) in {told, ""}
    assert all(word.start < word.end <= len(told) for word in read_words(told))


def test_words_by_their_roles() -> None:
    read = [(word.role, word.name) for word in read_words("卖家最多在半年内不能退双倍定金")]
    assert ("actor", "出卖人") in read
    assert [name for role, name in read if role in {"amount", "result"}] == [
        "6month",
        "2倍",
        "定金",
    ]
    assert read_words("不超过三年")[0].name == "36month"  # its bound stands behind it


def test_a_word_in_quotation_marks_is_spoken_of() -> None:
    assert mark("承租人故意损坏渔网，没有规定“双方赔偿部分损失”") == "not decided"


@pytest.mark.parametrize(
    ("quoted", "law", "material"),
    [
        ("由股东会决定", "由董事会决定", True),
        ("三日以内", "三日以上", True),
        ("依照约定", "按照约定", False),
        ("支付了价款", "支付价款", False),
        ("3日", "三日", False),
        ("三日未通知", "三日内未通知", False),
    ],
)
def test_material_changes_of_a_quotation(quoted: str, law: str, material: bool) -> None:
    assert makes_another_rule(quoted, law) is material


@pytest.mark.shared
def test_minimal_pairs_are_made_alike_and_told_apart(corpus: Library) -> None:
    """Every ninth law; the figures of all are in docs/citations.md."""
    passages = Passages(corpus)
    said: Counter[tuple[bool, bool]] = Counter()
    for law in [*corpus.shelf.by_name.values()][::9]:
        for version in corpus.versions(law)[-1:]:
            groups = list(groups_of(passages, version, seed=1))
            assert groups == list(groups_of(passages, version, seed=1))
            for group in groups:
                for told in group.tellings:
                    found = compare(told.words, group.units).mark
                    said[told.faithful, found == "faithful"] += 1
    assert said.total() > 800
    assert said[True, True] > 0.93 * (said[True, True] + said[True, False])
    assert said[False, True] < 0.03 * (said[False, True] + said[False, False])


@pytest.mark.shared
def test_tellings_by_hand_that_are_wrong_are_not_called_right(corpus: Library) -> None:
    checker = Checker(corpus)
    called: Counter[tuple[bool, str]] = Counter()
    rows = Path(__file__).with_name("tellings.tsv").read_text("utf-8").splitlines()
    for kind, _, _, text in (row.split("\t") for row in rows):
        own = [c for c in checker.check(text, as_of=date(2026, 1, 1)).citations if not c.inside]
        called[kind == "good", own[-1].status if own else "missed"] += 1
    wrong = sum(n for (good, _), n in called.items() if not good)
    assert called[False, "right"] <= 0.03 * wrong
    assert called[True, "unlike"] + called[True, "wrong"] <= 2
    assert not called[False, "missed"]


def test_the_other_party_is_not_whoever_the_law_speaks_of() -> None:
    law = "当事人对自己提出的主张，有责任提供证据。"
    assert mark("原告对自己提出的主张，有责任提供证据", law) == "faithful"
    assert mark("当事人对对方提出的主张，有责任提供证据", law) == "not decided"


def test_what_is_said_of_two_things_is_not_told_of_both() -> None:
    law = "船东可以查阅、复制船册和航行报告。船东可以查阅会计凭证。"
    assert mark("船东可以查阅、复制船册", law) == "faithful"
    assert mark("船东可以查阅会计凭证", law) == "faithful"
    assert mark("船东可以查阅、复制会计凭证", law) == "not decided"

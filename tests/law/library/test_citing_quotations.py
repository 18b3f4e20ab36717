"""Quotations of fictional law: every verdict, with the evidence for it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hengfa.law.library import Library
from tests.law.library.citing_laws import (
    CLOSED,
    COAST,
    DIVERS,
    FINE_2014,
    GRAVE,
    ITEMS,
    LANTERNS_2005,
    LANTERNS_2009,
    PATROL_2009,
    PATROL_2014,
    TURTLES,
    VEHICLES,
)
from tests.law.library.citing_support import check, only, quotation


@pytest.fixture
def library(coast_file: Path) -> Iterator[Library]:
    with Library.open(coast_file) as opened:
        yield opened


def test_an_exact_quotation_whatever_its_punctuation(library: Library) -> None:
    found = quotation(
        library, f"《{COAST}》第四条规定：“灯塔看守人应当每日日落前一小时点灯;日出后一小时熄灯”"
    )
    assert (found.verdict, found.similarity, found.differences) == ("exact", 1.0, ())


def test_part_of_an_article_and_words_left_out_are_exact(library: Library) -> None:
    assert quotation(library, f"《{COAST}》第三条规定：“{GRAVE}”").verdict == "exact"
    dots = f"《{COAST}》第三条规定：“{TURTLES}……（三）{ITEMS[2]}……”"
    assert quotation(library, dots).verdict == "exact"
    without = quotation(library, f"《{COAST}》第三条规定：“{TURTLES}（三）{ITEMS[2]}”")
    assert (without.verdict, without.left_out) == (
        "exact",
        ("第三条第一款第（一）项", "第三条第一款第（二）项"),
    )


def test_minor_wording_shows_the_characters(library: Library) -> None:
    words = LANTERNS_2009.replace("看守人应当", "看守员应")
    found = only(library, f"《{COAST}》第四条规定：“{words}”")
    assert found.quotation
    assert (found.status, found.quotation.verdict) == ("wording", "wording")
    shown = [(one.quoted, one.law) for one in found.quotation.differences]
    assert shown == [("员", "人"), ("", "当")]
    assert found.quotation.differences[0].shown == "灯塔看守[-人-]{+员+}应每日日落前"
    assert found.quotation.similarity == pytest.approx(0.92, abs=0.01)


def test_a_sentence_left_out_without_a_word_is_a_difference(library: Library) -> None:
    items = "".join(f"（{number}）{item}" for number, item in zip("一二三", ITEMS, strict=True))
    text = f"《{COAST}》第三条规定：“{TURTLES}{items}情节严重的，并处一千元罚款。”"
    found = quotation(library, text)
    assert found.verdict == "wording"
    assert "处十日以下拘留" in found.differences[0].law


def test_numbers_written_otherwise_are_no_difference(library: Library) -> None:
    words = CLOSED.replace("二十时", "20时").replace("六时", "6时")
    assert quotation(library, f"《{COAST}》第六条规定：“{words}”").verdict == "exact"


def test_words_of_another_provision_of_the_same_law(library: Library) -> None:
    found = only(library, f"《{COAST}》第五条规定：“{CLOSED}”")
    assert found.quotation
    assert (found.status, found.problem) == ("wrong", "quoted from another provision")
    best = found.quotation.sources[0]
    assert (best.law, best.version, best.position) == (COAST, date(2018, 10, 1), "第六条")


def test_words_of_another_paragraph_of_the_same_article(library: Library) -> None:
    found = quotation(library, f"《{COAST}》第三条第一款规定：“{GRAVE}”")
    assert found.verdict == "other provision"
    assert found.sources[0].position == "第三条第二款"


def test_words_beyond_the_cited_paragraph_are_noted(library: Library) -> None:
    text = f"《{COAST}》第二条第一款规定：“{VEHICLES}{FINE_2014}”"
    found = check(library, text)[0]
    assert found.status == "right"
    assert "also has words of 第二条第二款" in found.notes


def test_words_of_another_law(library: Library) -> None:
    text = f"《{COAST}》第二条规定：“船只进出港口应当以无线电报告港务所值班员。”"
    found = quotation(library, text)
    assert found.verdict == "other provision"
    assert [(one.law, one.position) for one in found.sources] == [("云港港口法", "第二条")]


def test_words_of_another_version(library: Library) -> None:
    found = only(library, f"《{COAST}》第四条规定：“{LANTERNS_2005}”")
    assert found.quotation
    assert (found.status, found.problem) == ("wrong", "quoted from another version")
    assert [one.version for one in found.quotation.sources] == [date(2005, 3, 1)]


def test_words_of_a_version_that_only_an_amending_act_still_has(library: Library) -> None:
    found = quotation(library, f"《{COAST}》第六条之一规定：“{PATROL_2009}”")
    assert found.verdict == "other version"
    assert [(one.version, one.position) for one in found.sources] == [
        (date(2009, 4, 1), "第六条之一")
    ]


def test_a_number_of_the_new_version_with_the_words_of_the_old(library: Library) -> None:
    found = quotation(library, f"《{COAST}》第二条规定：“{CLOSED}”")  # that of 2022
    assert found.verdict == "other version"
    assert (found.sources[0].version, found.sources[0].position) == (date(2022, 10, 1), "第二条")


def test_words_that_no_law_has(library: Library) -> None:
    text = f"《{COAST}》第五条规定：“海豚跃出水面的时候，岸上的人应当一起鼓掌三次并且唱歌。”"
    found = only(library, text)
    assert found.quotation
    assert (found.status, found.problem) == ("wrong", "quoted words not in the law")
    assert found.quotation.verdict == "not in the law"


def test_a_phrase_is_looked_for_in_the_cited_paragraph(library: Library) -> None:
    assert quotation(library, f"《{COAST}》第三条第二款规定的“情节严重”").verdict == "exact"
    own = only(library, f"《{COAST}》第三条规定的“海龟大盗”")
    assert (own.status, own.problem) == ("unclear", "quoted words not in the law")


def test_a_quotation_of_two_articles(library: Library) -> None:
    both = f"《{COAST}》第四条、第六条规定：“{LANTERNS_2009}{CLOSED}”"
    assert [one.status for one in check(library, both)] == ["right", "right"]


def test_appended_provisions_are_compared_up_to_the_words_that_follow(library: Library) -> None:
    provisions = (LANTERNS_2009, f"{CLOSED} 本件与原本核对无异", DIVERS)
    numbered = zip(("第四条", "第六条", "第七条之一"), provisions, strict=True)
    text = f"附：《{COAST}》\n" + "".join(f"{number} {words}\n" for number, words in numbered)
    found = check(library, text)
    assert [one.status for one in found] == ["right", "right", "right"]
    assert any("本件与原本核对无异" in note for note in found[1].notes)


def test_citations_in_the_words_of_the_law_follow_the_quotation(library: Library) -> None:
    text = f"《{COAST}》第二条规定：“{VEHICLES}{FINE_2014}”"
    article, inside = check(library, text)
    assert (article.inside, inside.inside, inside.status) == (False, True, "right")


def test_a_quotation_of_an_unknown_law_is_still_found(library: Library) -> None:
    found = quotation(library, f"《云港沙滩管理办法》第八条规定：“{CLOSED}”")
    assert found.verdict == "unknown"
    assert found.sources[0].law == COAST


def test_amended_words_that_are_not_the_cited_ones(library: Library) -> None:
    # in 2016 the article read as the second act gave it
    found = quotation(
        library, f"《{COAST}》第六条之一规定：“{PATROL_2014}”", as_of=date(2016, 1, 1)
    )
    assert found.verdict == "exact"


def test_a_document_of_inventions_is_searched_for_a_while_and_then_told(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hengfa.law.library.citing.quoting.MOST_SEARCHES", 2)
    text = "".join(
        f"《{COAST}》第五条规定：“{sign * 4}在月光下数海浪的人应当保持安静直到天亮。”\n"
        for sign in "甲乙丙"
    )
    found = [one.quotation for one in check(library, text)]
    assert [one.verdict for one in found if one] == ["not in the law"] * 3
    assert [bool(one.notes) for one in found if one] == [False, True, True]

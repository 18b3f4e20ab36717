"""Content that is told without quotation marks: is it what the provision says?"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.numerals import format_article
from hengfa.law.library import Library
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import Checked
from tests.law.library.citing_laws import COAST, DIVERS, GRAVE, LANTERNS_2005
from tests.law.library.citing_support import only
from tests.law.library.told_labels import DAY, labelled_answers


@pytest.fixture
def library(coast_file: Path) -> Iterator[Library]:
    with Library.open(coast_file) as opened:
        yield opened


def told(text: str) -> tuple[str, bool] | None:
    """What is told after the last citation of a text, and whether it tells."""
    found = find_citations(text)[-1].paraphrase
    return (text[found.start : found.end], found.tells) if found else None


@pytest.mark.parametrize(
    ("text", "words", "tells"),
    [
        (
            "《海岸法》第三条规定，夜间不得在海滩上点燃篝火。其余略。",
            "夜间不得在海滩上点燃篝火",
            True,
        ),
        ("《海岸法》第三条明确规定了夜间不得在海滩上点燃篝火。", "夜间不得在海滩上点燃篝火", True),
        ("篝火（《海岸法》第三条）：夜间不得在海滩上点燃篝火。", "夜间不得在海滩上点燃篝火", True),
        (
            "根据《海岸法》第三条的规定，夜间不得在海滩上点燃篝火。",
            "夜间不得在海滩上点燃篝火",
            False,
        ),
        ("违反《海岸法》第三条规定，夜间在海滩上点燃篝火的人。", "夜间在海滩上点燃篝火的人", False),
        ("《海岸法》第三条，夜间不得在海滩上点燃篝火。", "夜间不得在海滩上点燃篝火", False),
        ("《海岸法》第三条、第四条规定，夜间应当熄灭海滩上的灯。", "夜间应当熄灭海滩上的灯", True),
        (
            "《海岸法》第三条规定，夜间不得在海滩上点燃篝火；第四条规定，灯塔看守人每日点灯熄灯。",
            "灯塔看守人每日点灯熄灯",
            True,
        ),
        ("《海岸法》第三条把海滩关闭的期限定为三个月。", "把海滩关闭的期限定为三个月", False),
        ("《海岸法》第三条规定海滩的关闭期为三个月。", "海滩的关闭期为三个月", False),
        ("《海岸法》第三条规定的关闭期也是三年。", "关闭期也是三年", False),
        (
            "《海岸法》第三条关系甚大。该条规定，夜间不得在海滩上点燃篝火。",
            "夜间不得在海滩上点燃篝火",
            True,
        ),
        (
            "海滩要安静。夜间不得在海滩上点燃篝火（见《海岸法》第三条）。",
            "夜间不得在海滩上点燃篝火",
            False,
        ),
    ],
)
def test_what_is_told_and_how(text: str, words: str, tells: bool) -> None:
    assert told(text) == (words, tells)


@pytest.mark.parametrize(
    "text",
    [
        "依照《海岸法》第三条的规定，判决如下：",
        "《海岸法》第三条规定的情形在海滩上经常发生，不必多说。",
        "根据《海岸法》第三条规定，你应当支付罚款一千元，并且道歉。",
        "根据《海岸法》第三条规定，被告人张某在海滩上点燃篝火应当处罚。",
        "《海岸法》第三条、第四条。",
        "《海岸法》第三条规定，应当。",
        "篝火由《海岸法》第三条规定，点灯由第四条规定，不必多说。",
        "他在夜里点燃了篝火（《海岸法》第三条规定：禁止）。",
        "《海岸法》第三条规定：“夜间不得在海滩上点燃篝火，违者处五日拘留。”",
    ],
)
def test_where_nothing_is_told(text: str) -> None:
    assert told(text) is None


def test_what_is_told_ends_before_the_next_citation() -> None:
    first, second = find_citations(
        "《海岸法》第三条规定，夜间不得在海滩上点燃篝火；第四条规定，灯塔看守人每日点灯熄灯。"
    )
    assert first.paraphrase
    assert first.paraphrase.end < second.start


def test_what_another_paragraph_says_is_not_told_of_the_first(library: Library) -> None:
    first = f"《{COAST}》第二条第一款规定任何人不得在海滩上驾驶车辆"
    text = f"{first}，第二款规定违反的处五百元以上二千元以下罚款。"
    checked = Checker(library).check(text, as_of=date(2019, 1, 1)).citations
    assert [one.telling is not None and one.telling.numbers for one in checked] == [(), ()]
    assert "unlike" not in {one.status for one in checked}
    paraphrase = find_citations(text)[0].paraphrase
    assert paraphrase
    assert paraphrase.end == len(first)


@pytest.mark.parametrize(
    ("second", "status"),
    [
        ("违反规定的，处五百元以上二千元以下罚款。", "right"),
        ("违反规定的，处五百元以上九千元以下罚款。", "unlike"),
        ("违反规定的，处九百元以上二千元以下罚款。", "unlike"),
        ("此外无事。", "right"),
    ],
)
def test_a_second_sentence_in_the_words_of_the_provision_tells_it_too(
    library: Library, second: str, status: str
) -> None:
    rule = "任何人不得在海滩上驾驶车辆"
    found = only(library, f"《{COAST}》第二条规定，{rule}。{second}", as_of=date(2019, 1, 1))
    assert found.status == status


@pytest.mark.parametrize(
    ("behind", "status"),
    [
        ("", "right"),
        ("，被告驾车三次，应付三千元", "exists"),  # what the case makes of it nobody checks
        ("，双方约定的罚款是九百元", "exists"),
        ("，处五千元以上九千元以下罚款", "unlike"),
    ],
)
def test_numbers_of_the_case_are_not_told_of_the_provision(
    library: Library, behind: str, status: str
) -> None:
    rule = "任何人不得在海滩上驾驶车辆，违反的处五百元以上二千元以下罚款"
    found = only(library, f"《{COAST}》第二条规定，{rule}{behind}。", as_of=date(2019, 1, 1))
    assert found.status == status


@given(
    st.lists(
        st.sampled_from(
            ["《刑法》", "第三条", "规定", "的", "，", "：", "。", "\n", "（一）", "应当赔偿三倍",
             "根据", "第六条", "；", "了", "（", "）", " ", "**", "【自首】", "下列", "x"]
        ),
        max_size=40,
    ).map("".join)
)  # fmt: skip
def test_told_words_lie_beside_their_citation(text: str) -> None:
    for citation in find_citations(text):
        if citation.paraphrase:
            assert 0 <= citation.paraphrase.start < citation.paraphrase.end <= len(text)
            before = citation.paraphrase.end <= citation.start
            assert before or citation.end <= citation.paraphrase.start
            assert "。" not in text[citation.paraphrase.start : citation.paraphrase.end]


def on(library: Library, text: str) -> Checked:
    return only(library, text, as_of=date(2006, 1, 1))


def test_a_provision_told_in_its_own_words_is_right_and_in_others_nobody_knows(
    library: Library,
) -> None:
    for words, *verdict in (
        (LANTERNS_2005, "right", "like"),
        ("灯塔的看守人每天日落以前要点灯，日出以后熄灯。", "unclear", "unsure"),
    ):
        found = on(library, f"《{COAST}》第四条规定，{words}")
        assert [found.status, found.telling and found.telling.verdict] == verdict


def test_another_article_is_unlike_and_named(library: Library) -> None:
    found = on(library, f"《{COAST}》第五条规定，{LANTERNS_2005}")
    assert (found.status, found.problem) == ("unlike", "told unlike the provision")
    assert found.telling
    assert found.telling.nearest
    assert found.telling.nearest.position == "第四条"


def test_another_number_is_unlike(library: Library) -> None:
    grave = GRAVE.replace("十日", "二十日")
    found = on(library, f"《{COAST}》第三条规定，{grave}")
    assert (found.status, found.telling and found.telling.numbers) == ("unlike", ("二十日",))
    assert on(library, f"《{COAST}》第三条规定，{GRAVE.replace('十日', '10天')}").status == "right"


def test_another_version_is_told_apart(library: Library) -> None:
    found = on(library, f"《{COAST}》第三条规定，任何人不得在海滩上驾驶车辆，违者处三千元罚款。")
    assert found.status == "unlike"
    later = only(library, f"《{COAST}》第六条规定，{DIVERS}", as_of=date(2006, 1, 1))
    assert later.telling
    assert later.telling.nearest
    nearest = later.telling.nearest
    assert (nearest.position, nearest.version.year) == ("第七条之一", 2018)


def test_all_articles_of_a_list_are_told_together(library: Library) -> None:
    text = f"《{COAST}》第四条、第五条规定，{LANTERNS_2005}"
    first, second = Checker(library).check(text, as_of=date(2006, 1, 1)).citations
    assert (first.status, second.status) == ("right", "right")


def test_what_exists_not_or_is_not_known_is_not_blamed_for_its_words(library: Library) -> None:
    assert on(library, f"《{COAST}》第九条规定，{LANTERNS_2005}").problem == "no such position"
    found = only(library, f"《{COAST}》第四条规定，{GRAVE}", as_of=date(2004, 1, 1))
    assert found.problem == "not in force"


# --- real answers, judgments and provisions ---


@pytest.mark.shared
def test_labelled_answers(corpus: Library, shared: Path) -> None:
    """The half that no threshold was chosen on (benchmarks/told_content.py gives both)."""
    checker = Checker(corpus)
    called: Counter[tuple[str, bool]] = Counter()
    for labelled in labelled_answers(shared):
        label = labelled.label
        if label.half == "judge":
            found = next(
                checked
                for checked in checker.check(labelled.text, as_of=DAY).citations
                if checked.start <= label.start < checked.end
            )
            telling = found.telling
            called[label.label, telling is not None and telling.verdict == "unlike"] += 1
    wrong = called["unlike", True] + called["slip", True]
    assert wrong / (wrong + called["like", True]) > 0.98
    assert called["unlike", True] / (called["unlike", True] + called["unlike", False]) > 0.8
    assert called["nothing told", True] == 0


@pytest.mark.shared
def test_courts_that_use_a_provision_are_not_blamed(corpus: Library, shared: Path) -> None:
    checker = Checker(corpus)
    with (shared / "data" / "JuDGE" / "data" / "test.json").open(encoding="utf-8") as stream:
        reports = [checker.check(json.loads(line)["fd"]) for line in stream]
    assert not sum(report.counts()["unlike"] for report in reports)


@pytest.mark.shared
def test_real_provisions_with_and_without_another_number(corpus: Library) -> None:
    chance = random.Random(7)
    civil = corpus.versions(corpus.shelf.by_name["中华人民共和国民法典"])[0]
    checker = Checker(corpus)
    called: Counter[tuple[str, str]] = Counter()
    for passage in checker.passages.articles(civil):
        sentence = passage.units[0].text.split("。")[0]
        number = re.search(r"(?<![第之])([二三四五六七八九])(?=年|个月|日|倍|周岁)", sentence)
        if number is None or not 15 < len(sentence) < 150 or passage.article.article is None:
            continue
        other = chance.choice([n for n in "二三四五六七八九" if n not in sentence])
        article = format_article(passage.article.article)
        for kind, words in (
            ("same", sentence),
            ("changed", sentence[: number.start()] + other + sentence[number.end() :]),
        ):
            text = f"《民法典》{article}规定，{words}。"
            (found, *_) = checker.check(text, as_of=date(2022, 1, 1)).citations
            called[kind, found.status] += 1
    assert called["same", "right"] >= 12
    assert called["same", "unlike"] == 0
    assert called["changed", "right"] <= 1

"""Rules that are quoted or told without their exceptions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from hengfa.law.library import Library
from hengfa.law.library.building.build import build_library
from tests.law.library.citing_support import only
from tests.law.library.fictional import write_rows

LAW = "云港养犬法"
RULE = "饲养的犬只咬伤他人的，饲养人应当承担赔偿责任"
PROVISO = "但是能够证明被咬的人先踢犬只的，可以减轻责任"
NIGHT = "除训练犬以外，犬只夜间不得离开院落。"
LEASH = "遛犬应当拴绳。但是，在无人的海滩上除外。拴绳不得长于二米。"
TEXT = f"""# {LAW}

第一条 为了犬只和邻人的安宁，制定本法。

第二条 {RULE}，{PROVISO}。

第三条 {NIGHT}

第四条 {LEASH}

第五条 犬只应当每年登记一次，登记费为十元，法律另有规定的除外。

第六条 饲养人应当在三十日内为犬只办理登记。

饲养人死亡的，继承人应当在六十日内为犬只办理变更登记。
"""


@pytest.fixture(scope="module")
def dogs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    row = {"law": LAW, "text": TEXT, "version": "2001-01-01", "effective": "2001-02-01"}
    folder = write_rows(tmp_path_factory.mktemp("dogs") / "laws", [row])
    build_library([folder], folder.parent / "law.sqlite")
    with Library.open(folder.parent / "law.sqlite") as opened:
        yield opened


LEFT_OUT = [
    f"《{LAW}》第二条规定：“{RULE}。”因此应当赔偿。",
    f"“{RULE}。”（《{LAW}》第二条）",
    f"《{LAW}》第二条：{RULE}。",
    f"《{LAW}》第二条规定：“饲养的犬只咬伤他人的，饲养人应当承担”",
    f"《{LAW}》第三条规定：“犬只夜间不得离开院落。”",
    f"《{LAW}》第四条规定：“遛犬应当拴绳。拴绳不得长于二米。”",
    f"《{LAW}》第五条规定：“犬只应当每年登记一次，登记费为十元。”",
]
GIVEN = [
    f"《{LAW}》第二条规定：“{RULE}，{PROVISO}。”",
    f"《{LAW}》第二条规定：“{RULE}……”",
    f"《{LAW}》第二条规定：“{RULE}”，但有例外。",
    f"《{LAW}》第二条规定的“承担赔偿责任”",
    f"《{LAW}》第三条规定：“……犬只夜间不得离开院落。”",
    f"《{LAW}》第四条规定：“遛犬应当拴绳……拴绳不得长于二米。”",
    f"《{LAW}》第四条规定：“拴绳不得长于二米。”",
]


@pytest.mark.parametrize("text", LEFT_OUT)
def test_a_quotation_without_the_exception_is_not_right(dogs: Library, text: str) -> None:
    found = only(dogs, text)
    assert (found.status, found.problem) == ("wording", "proviso left out")
    assert found.quotation
    assert found.quotation.proviso in {one.law for one in found.quotation.differences}


@pytest.mark.parametrize("text", GIVEN)
def test_a_quotation_that_has_it_or_marks_the_omission_is_right(dogs: Library, text: str) -> None:
    found = only(dogs, text)
    assert (found.status, found.problem) == ("right", "")
    assert found.quotation
    assert found.quotation.proviso == ""


def test_a_telling_in_the_words_of_the_law_wants_the_exception(dogs: Library) -> None:
    found = only(dogs, f"《{LAW}》第二条规定，{RULE}。")
    assert (found.status, found.problem) == ("unlike", "proviso left out")
    assert found.telling
    assert found.telling.proviso.startswith("但是能够证明")
    for words, status in (
        (f"{RULE}，{PROVISO}。", "right"),
        (f"{RULE}。但先踢犬只的除外。", "exists"),
        ("犬只咬伤人的，饲养人要赔偿。", "exists"),
    ):
        assert only(dogs, f"《{LAW}》第二条规定，{words}").status == status


def test_what_shares_no_word_with_any_article_is_not_called_right(dogs: Library) -> None:
    found = only(dogs, f"《{LAW}》第二条规定，狗把人咬了，主人得掏钱。")
    assert (found.status, found.problem) == ("unclear", "told unlike the provision")


def test_the_number_of_another_paragraph_is_not_that_of_the_cited_one(dogs: Library) -> None:
    words = "饲养人应当在六十日内为犬只办理登记"
    assert only(dogs, f"《{LAW}》第六条规定，{words}。").status == "unlike"
    assert only(dogs, f"《{LAW}》第六条第一款规定，{words}。").status == "unlike"
    assert only(dogs, f"《{LAW}》第六条第一款规定，{words.replace('六', '三')}。").status == "right"
    assert only(dogs, f"《{LAW}》第六条第一款把登记的期限定为六十日。").status == "unlike"


def test_the_words_of_another_paragraph_are_not_told_of_the_cited_one(dogs: Library) -> None:
    words = "饲养人死亡的，继承人应当在六十日内为犬只办理变更登记"
    found = only(dogs, f"《{LAW}》第六条第一款规定，{words}。")
    assert found.status == "unlike"
    assert found.telling
    assert found.telling.nearest
    assert found.telling.nearest.position == "第六条第二款"
    assert only(dogs, f"《{LAW}》第六条第二款规定，{words}。").status == "right"


def test_opposite_words_are_unlike(dogs: Library) -> None:
    found = only(dogs, f"《{LAW}》第三条规定，犬只夜间可以离开院落玩耍。", as_of=date(2002, 1, 1))
    assert found.status == "unlike"
    assert found.telling
    assert found.telling.contrary == ("可以离开",)

"""Names that stand before a position: short, numbered and foreign ones, and unknown ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.law_names import normalise_name

KNOWN = frozenset(
    {"灯塔法", "茶馆法", "茶馆法解释（二）", "茶馆法解释（三）", "偷茶解释", "海岸法"}
)


def laws(text: str) -> list[tuple[str | None, int | None]]:
    """The law, as it is normally written, and article of each citation."""
    return [
        (normalise_name(citation.law) if citation.law else None, citation.position.article)
        for citation in find_citations(text, known_names=KNOWN.__contains__)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # numbers without brackets
        ("《灯塔法》第五条、茶馆法解释三第八条", [("灯塔法", 5), ("茶馆法解释（三）", 8)]),
        ("《灯塔法》第五条、茶馆法解释之三第八条", [("灯塔法", 5), ("茶馆法解释（三）", 8)]),
        ("灯塔法第五条，茶馆法解释(2)第八条", [("灯塔法", 5), ("茶馆法解释（二）", 8)]),
        ("茶馆法修正案十一第三条", [("茶馆法修正案（十一）", 3)]),
        ("《茶馆法》解释（三）第八条", [("茶馆法解释（三）", 8)]),
        # another of the same
        ("茶馆法解释二第八条与解释三第九条", [("茶馆法解释（二）", 8), ("茶馆法解释（三）", 9)]),
        (
            "茶馆法解释二第八条，《解释（三）》第九条",
            [("茶馆法解释（二）", 8), ("茶馆法解释（三）", 9)],
        ),
        (
            "茶馆法解释二第八条，另见解释三第九条",
            [("茶馆法解释（二）", 8), ("茶馆法解释（三）", 9)],
        ),
        ("《灯塔法》第五条，解释三第九条", [("灯塔法", 5), (None, 9)]),
        ("《茶馆法解释（二）》；《解释三》，第九条", [("茶馆法解释（三）", 9)]),
        # names that nobody knows
        ("《灯塔法》第五条、渡船法解释三第八条", [("灯塔法", 5), ("渡船法解释（三）", 8)]),
        ("《灯塔法》第五条，船保第八条", [("灯塔法", 5), (None, 8)]),
        ("《灯塔法》第五条，GDPR第八条", [("灯塔法", 5), ("GDPR", 8)]),
        ("《灯塔法》第五条和群岛协定第八条", [("灯塔法", 5), ("群岛协定", 8)]),
        # other laws named between
        ("《灯塔法》第五条；从海岸法角度看，第八条", [("灯塔法", 5), ("海岸法", 8)]),
        ("《灯塔法》第五条；就海岸法而言，第八条", [("灯塔法", 5), ("海岸法", 8)]),
        ("《灯塔法》第五条；海岸法规定，第八条", [("灯塔法", 5), ("海岸法", 8)]),
        ("《灯塔法》第五条。海岸法不同。第八条规定", [("灯塔法", 5), (None, 8)]),
        ("《灯塔法》第五条。海岸法律不同。第八条规定", [("灯塔法", 5), ("灯塔法", 8)]),
        ("《灯塔法》第五条。依灯塔法点灯。第八条规定", [("灯塔法", 5), ("灯塔法", 8)]),
        ("《灯塔法》第五条，其中第八条，根据第九条", [("灯塔法", 5), ("灯塔法", 8), ("灯塔法", 9)]),
        ("《灯塔法》第五条。德国债法不同，第八条规定", [("灯塔法", 5), (None, 8)]),
        ("根据《灯塔法》，第三条约定的违约金", [(None, 3)]),
        ("依海岸法规定第三条，《灯塔法》规定第五条", [("海岸法", 3), ("灯塔法", 5)]),
        # document numbers
        ("《灯塔法》第五条，法释〔2013〕8号第一条", [("灯塔法", 5), ("法释8号", 1)]),
        ("另见国务院令第586号第一条", [("国务院令第586号", 1)]),
        ("《灯塔解释》法释〔2013〕8号第一条", [("灯塔解释", 1)]),
        ("（2019）京01民终8号判决第一项", []),
        # laws of others
        ("德国《灯塔法》第五条", [("德国灯塔法", 5)]),
        ("台灣《燈塔法》第五條", [("台湾灯塔法", 5)]),
        ("台湾地区现行“灯塔法”第五条", [("台湾地区现行灯塔法", 5)]),
        ("我国《灯塔法》第五条", [("灯塔法", 5)]),
        # parts of the Civil Code
        ("《民法典·合同编》第5条", [("民法典", 5)]),
        ("《民法典》合同编第5条", [("民法典", 5)]),
        ("民法典侵权责任编第5条", [("民法典", 5)]),
        ("《灯塔法》第五条，合同编第8条", [("灯塔法", 5), ("合同编", 8)]),
        ("《灯塔法》第五条，民法典草案合同编第8条", [("灯塔法", 5), (None, 8)]),
    ],
)
def test_the_law_of_a_position_is_the_one_named_before_it(
    text: str, expected: list[tuple[str | None, int | None]]
) -> None:
    assert laws(text) == expected


def test_a_document_number_after_a_title_is_that_of_its_version() -> None:
    (citation,) = find_citations("《灯塔解释》法释〔2013〕8号第一条")
    assert citation.version
    assert (citation.version.year, citation.version.event) == (2013, "文号")


NAMES = st.text("灯塔渡船茶馆月饼甲乙", min_size=2, max_size=8)
UNKNOWN = (
    "法 条例 解释 解释三 解释（二） 司法解释 办法 规定（一） 协定 守则 法释〔2013〕8号 令第5号"
)
ENDINGS = st.sampled_from(UNKNOWN.split())


@settings(deadline=None)
@given(NAMES, ENDINGS, st.sampled_from(["、", "，", "；", "和", "，依照", "。另见"]))
def test_no_law_is_carried_past_a_name_that_is_not_known(name: str, ending: str, link: str) -> None:
    (_, (law, article)) = laws(f"《海岸法》第五条{link}{name}{ending}第八条")
    assert article == 8
    assert law != "海岸法"


@settings(deadline=None)
@given(NAMES, st.sampled_from(["", "地区", "联邦", "的", "现行"]), st.sampled_from(["《》", "“”"]))
def test_a_law_of_elsewhere_is_never_ours(name: str, more: str, marks: str) -> None:
    (citation,) = find_citations(
        f"德国{more}{marks[0]}{name}法{marks[1]}第八条", known_names=lambda _: True
    )
    assert citation.law
    assert citation.law.startswith("德国")

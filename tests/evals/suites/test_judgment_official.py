"""The published evaluator of JuDGE, quirk by quirk (judgment.md 2, 4, 5, 6 and 9).

In order: the preparation and cutting of a text, months and fines and how they are compared, charges
and articles by the rules of both versions.
"""

from __future__ import annotations

import time
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.evals.suites.judgment import official
from hengfa.evals.suites.judgment.official import (
    OfficialSections,
    PenaltyRule,
    canonical_names,
    charges_by_item,
    cut_sections,
    full_numbers,
    normalise,
    official_articles,
    official_charges,
    penalty_score,
)
from hengfa.law.grammar.judgment.charges import Charges

WHOLE = (
    "月湖县人民法院刑事判决书。现已审理终结。经审理查明，某甲偷了一只船灯。"
    "本院认为，某甲的行为构成盗窃罪，判决如下：某甲犯盗窃罪，判处拘役一个月。"
    "如不服本判决，可以上诉。审判员某乙"
)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("判决如下: (一) 甲", "判决如下：（一）甲"),
        ("\u3000甲\u00a0乙\u3000", "甲 乙"),
        ("<p>甲</p><br>乙&#xD;\ufffd", "甲乙"),
        ("甲,乙", "甲，乙"),
        ("罚金10,000元,", "罚金10,000元，"),
        ("甲,1", "甲,1"),
        ("甲\n乙\n", "甲\n乙"),
        ("<b>甲</b> 乙 <i> 丙 </i>", "甲 乙 丙"),
        ("甲<!-- 注 -->乙", "甲 乙"),
        ("甲<style>p{}</style>乙<SCRIPT>x<b>y</SCRIPT >丙", "甲 乙 丙"),
        ("甲<script>丙", "甲"),
        ("甲&lt;乙&amp;", "甲<乙&"),
        ("适用<刑事诉讼法>的解释", "适用<刑事诉讼法>的解释"),
        ("甲<b 乙", "甲<b乙"),
        ("甲<!-- 乙<b>丙", "甲<!--乙 丙"),
        ("", ""),
    ],
)
def test_normalisation(text: str, plain: str) -> None:
    assert normalise(text) == plain


class _Nodes(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.nodes = [""]

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.nodes.append("")

    def handle_endtag(self, tag: str) -> None:
        self.nodes.append("")

    def handle_comment(self, data: str) -> None:
        self.nodes.append("")

    def handle_data(self, data: str) -> None:
        self.nodes[-1] += data


@given(st.lists(st.sampled_from(["<b>", "</b>", "<td>", "<!--x-->", "甲", "\n", "&lt;", "<乙"])))
def test_well_formed_markup_is_read_as_the_standard_library_reads_it(pieces: list[str]) -> None:
    text = "".join(pieces)
    parser = _Nodes()
    parser.feed(text)
    parser.close()
    assert normalise(text) == " ".join(node.strip() for node in parser.nodes if node.strip())


@pytest.mark.deep
@pytest.mark.parametrize(
    "piece", ["<a ", "<!--", "<", "</", "&", "<script>", "<b>", "</script", ">"]
)
def test_markup_that_is_never_closed_takes_linear_time(piece: str) -> None:
    start = time.process_time()
    cut_sections(normalise(piece * 300_000))
    assert time.process_time() - start < 5


def test_five_sections() -> None:
    assert cut_sections(WHOLE) == OfficialSections(
        "月湖县人民法院刑事判决书。现已审理终结。",
        "经审理查明，某甲偷了一只船灯。",
        "本院认为，某甲的行为构成盗窃罪，判决如下：",
        "某甲犯盗窃罪，判处拘役一个月。",
        "如不服本判决，可以上诉。审判员某乙",
    )


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("公开开庭审理了本案。指控某甲", "公开开庭审理了本案。"),
        ("公开开庭审理了本案。现已审理终结。指控", "公开开庭审理了本案。现已审理终结。"),
        ("某乙。月湖公诉机关某院指控，", "某乙。"),
        ("某乙，抗诉机关认为", "某乙，"),
        ("某乙。公诉机关某院。指控", ""),
    ],
)
def test_where_the_heading_ends(text: str, heading: str) -> None:
    assert cut_sections(text).heading == heading


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("本院认为甲判决如下\n乙", "本院认为甲判决如下\n"),
        ("本院认为甲判决如下乙判决如下：丙", "本院认为甲判决如下乙判决如下："),
        ("本院认为甲裁定如下：乙", "本院认为甲裁定如下："),
        ("本院认为甲裁定准许乙", "本院认为甲裁定准许乙"),
    ],
)
def test_where_the_reasoning_ends(text: str, reason: str) -> None:
    assert cut_sections(text).reason == reason


@pytest.mark.parametrize(
    ("end", "there"),
    [
        ("如对不服本判决", True),
        ("如果你们四不服本判决", False),
        ("\n \n 本判决为终审判决", True),
        ("本判决为终审判决", False),
        ("如未按本判决指定的期间履行给付金钱义务", True),
        ("\n代理审 判 长", True),
        (" 审判员", False),
        ("\n\t审判员", True),
        ("附录", True),
        ("附：", True),
        ("附相关法律", True),
        ("附本判决的清单：", True),
        ("\n本案适用的法律", True),
        ("\n《刑法》", True),
        ("《刑法》", False),
    ],
)
def test_what_ends_the_result(end: str, there: bool) -> None:
    found = cut_sections(f"本院认为，判决如下：甲有罪。{end}乙")
    assert found.judgment == ("甲有罪。" if there else f"甲有罪。{end}乙")


def test_a_result_that_would_be_empty_is_the_whole_rest() -> None:
    assert cut_sections("本院认为，判决如下：附：清单").judgment == "附：清单"


def test_without_a_mark_all_is_reasoning() -> None:
    assert cut_sections("某甲有罪。") == OfficialSections("", "", "某甲有罪。", "", "")


def test_q1_a_section_is_deleted_wherever_it_comes_again() -> None:
    text = "甲。本院认为，判决如下：乙。甲。丙。"
    assert cut_sections(text).judgment == "乙。丙。"
    assert cut_sections(text, by_position=True).judgment == "乙。甲。丙。"


def test_q2_the_first_of_the_list_ends_a_section() -> None:
    text = "本院认为，判决如下：乙。附：清单。如不服本判决"
    assert cut_sections(text).judgment == "乙。附：清单。"
    assert cut_sections(text, earliest=True).judgment == "乙。"
    assert cut_sections("本院认为，判决如下：乙。", earliest=True).reason.endswith("：")


MARKS = [
    "审理终结。",
    "本院认为",
    "判决如下：",
    "\n",
    " ",
    "审判长",
    "附：",
    "如不服本判决",
    "甲",
    "《",
]


@given(st.lists(st.sampled_from(MARKS)), st.booleans())
@settings(deadline=None)
def test_by_position_nothing_is_lost(pieces: list[str], earliest: bool) -> None:
    text = normalise("".join(pieces))
    found = cut_sections(text, by_position=True, earliest=earliest)
    assert "".join(part for part in found if part.strip()) == "".join(
        part for part in (text,) if part.strip()
    )


@pytest.mark.deep
@pytest.mark.parametrize(
    "piece", ["\n", " ", "本案", "公诉机关", "如不服", "审 判 ", "附某", "本院认为"]
)
def test_repetitions_take_linear_time(piece: str) -> None:
    start = time.process_time()
    cut_sections(piece * 300_000)
    assert time.process_time() - start < 5


RULE = PenaltyRule()


@pytest.mark.parametrize(
    ("judgment", "months"),
    [
        ("判处有期徒刑一年三个月", 15),
        ("判处有期徒刑三年，缓刑四年", 36),
        ("判处拘役四个月，缓刑六个月", 4),
        ("判处管制一年", 12),
        ("判处有期徒刑十年以上", 120),
        ("判处无期徒刑", 240),
        ("判处死刑", 10001),
        ("免予刑事处罚", 0),
        ("没有刑期", -1),
        ("判处有期徒刑六个月零五天一月", 0),
    ],
)
def test_months(judgment: str, months: int) -> None:
    assert RULE.months(judgment, "") == months


def test_q3_equal_terms_count_once_and_a_combined_one_on_top() -> None:
    two = "甲判处有期徒刑八个月。乙判处有期徒刑八个月。"
    assert RULE.months(two, "") == 8
    combined = "判处有期徒刑十个月；判处有期徒刑一年；决定执行有期徒刑一年六个月"
    assert RULE.months(combined, "") == 10 + 12 + 18


def test_q4_the_whole_document_is_searched_where_the_result_says_nothing() -> None:
    document = "曾因盗窃被判处有期徒刑二年，并处罚金三千元"
    assert (RULE.months("", document), RULE.fine("", document)) == (24, 3000)
    own = PenaltyRule(whole_document=False)
    assert (own.months("", document), own.fine("", document)) == (-1, -1)


@pytest.mark.parametrize(
    ("judgment", "fine"),
    [
        ("并处罚金人民币三千元", 3000),
        ("并处罚金人民币10,000元", 10000),
        ("罚金二千元，于判决生效后十日内一次缴清；罚金二千元", 2000),
        ("罚金二千元，于判决生效后十日内一次缴清；罚金三千元", 5000),
        ("罚金二千元；罚金三千元", 2000),  # fifteen characters reach over both
        ("罚金人民币1.5元", 0),
        ("罚金已缴纳三千元", -1),
        ("罚金已于判决前缴纳", -1),
    ],
)
def test_fines(judgment: str, fine: int) -> None:
    assert RULE.fine(judgment, "") == fine


def test_q5_a_fine_behind_one_without_yuan_is_not_examined() -> None:
    far = "判决生效后十日内缴纳完毕，逾期强制缴纳。"
    judgment = f"罚金二千，余一元。{far}罚金五百，余二元。{far}罚金三千，余三元。"
    assert RULE.fine(judgment, "") == 500
    assert PenaltyRule(skipping=False).fine(judgment, "") == -1


def test_q7_two_and_mixed_numerals() -> None:
    full = PenaltyRule(numbers=full_numbers)
    assert RULE.months("有期徒刑两年六个月", "") == 72
    assert full.months("有期徒刑两年六个月", "") == 30
    assert RULE.fine("罚金3万5千元", "") == 0
    assert full.fine("罚金3万5千元", "") == 35000
    assert full.fine("罚金１万元", "") == 10000


def test_q10_a_finding_without_a_penalty_is_no_term() -> None:
    rule = PenaltyRule(bare_terms=False)
    assert rule.months("免予刑事处罚", "") == -1
    assert rule.months("免予刑事处罚；有期徒刑六个月", "") == 6


def test_q11_a_mention_of_death_is_no_sentence() -> None:
    rule = PenaltyRule(any_death=False)
    mention = "不属于可能判处，死刑的案件；判处有期徒刑六个月"
    assert RULE.months(mention, "") == 10007
    assert rule.months(mention, "") == 6
    assert rule.months("判处被告人甲死刑", "") == 10001


@pytest.mark.parametrize(
    ("expected", "given_", "score"),
    [
        (-1, -1, None),
        (0, 0, 1.0),
        (12, -1, 0.0),
        (-1, 0, 0.0),
        (12, 9, 0.75),
        (9, 12, 0.75),
        (10001, 240, 0.0),
        (10000, 20000, 0.5),
        (9000, 12000, 0.0),
    ],
)
def test_scores(expected: int, given_: int, score: float | None) -> None:
    assert penalty_score(expected, given_) == score


def test_q6_the_guard_can_be_left_off() -> None:
    assert penalty_score(9000, 12000, guard=False) == 0.75


@given(st.integers(-1, 50_000), st.integers(-1, 50_000))
def test_scores_lie_between_0_and_1_and_do_not_depend_on_the_side(one: int, other: int) -> None:
    score = penalty_score(one, other)
    assert score == penalty_score(other, one)
    assert score is None or 0 <= score <= 1


LIST = ("盗窃罪", "抢劫罪", "走私、贩卖、运输、制造毒品罪", "盗掘古文化遗址、古墓葬罪")
ALIASES = (("毒品", (" 走私、贩卖、运输、制造毒品罪",)), ("古墓", ("盗掘古文化遗址、古墓葬罪",)))
CANONICAL = canonical_names(Charges(LIST, ALIASES))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("一、甲犯盗窃罪。二、乙犯抢劫罪。", {"盗窃罪", "抢劫罪"}),
        ("甲犯盗窃罪；乙犯抢劫罪", {"盗窃罪", "抢劫罪"}),
        ("一、撤销前判缓刑，甲犯抢劫罪。二、甲犯盗窃罪", {"盗窃罪"}),
        ("撤销缓刑。甲犯盗窃罪", {"盗窃罪"}),
        ("罪犯甲犯盗窃罪", {"盗窃罪"}),
        ("甲犯罪", set()),
        ("甲犯（盗窃罪", set()),
    ],
)
def test_charges_by_item(text: str, names: set[str]) -> None:
    assert charges_by_item(text) == names


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("盗窃罪", "盗窃罪"),
        ("有盗 窃罪", "盗窃罪"),
        ("了盗窃罪", "盗窃罪"),
        ("贩卖毒品罪", " 走私、贩卖、运输、制造毒品罪"),
        ("盗掘古墓葬罪", "盗掘古文化遗址、古墓葬罪"),
        ("抢动罪", "抢劫罪"),
        ("赌博罪", None),
        ("毒品买卖罪", None),
        ("很长" * 15 + "罪", None),
    ],
)
def test_canonical_names(written: str, name: str | None) -> None:
    assert CANONICAL(written) == name


def test_q4_the_document_is_searched_where_the_result_names_no_charge() -> None:
    document = "曾因犯抢劫罪被判刑"
    assert official_charges("判处拘役", document, CANONICAL) == {"抢劫罪"}
    assert official_charges("判处拘役", document, CANONICAL, whole_document=False) == frozenset()
    assert official_charges("甲犯赌博罪", document, CANONICAL) == {"抢劫罪"}  # no listed name
    assert official_charges("甲犯盗窃罪", document, CANONICAL) == {"盗窃罪"}


@pytest.mark.parametrize(
    ("reason", "articles"),
    [
        ("依照《中华人民共和国刑法》第二百六十四条、第六十七条第三款之规定", {"264", "67"}),
        ("依照《刑法》第一百三十三条之一的规定", {"133"}),
        ("依照《中华人民共和国刑法》 二百条、第五条，判决", {"5"}),
        ("《刑法》第五条规定，第六条，判决", {"5"}),
        ("《刑法》第五条、《民法典》第六条规定", {"5"}),
        ("《刑法》第264条规定", set()),
        ("《刑法》第五条\n第六条规定", set()),
        ("《刑事诉讼法》第五条规定", set()),
    ],
)
def test_articles(reason: str, articles: set[str]) -> None:
    assert official_articles(reason, "") == articles


def test_articles_of_the_document_count_where_the_reasoning_cites_nothing() -> None:
    document = "《刑法》第五条规定"
    assert official_articles("依法", document) == {"5"}
    assert official_articles("《刑法》第六条规定", document) == {"6"}
    assert official_articles("《刑法》第6条规定", document) == frozenset()


DOCUMENT = (
    "曾犯抢劫罪。本院认为，依照《刑法》第五条规定，第六条，判决如下：以盗窃罪判处拘役"
    "一个月（缓刑），罚金三千元。如不服本判决。审判员"
)


def test_the_older_version_knows_no_sections() -> None:
    result = official.legacy_judgment(DOCUMENT)
    assert result == "判决如下：以盗窃罪判处拘役一个月（缓刑），罚金三千元。如不服本判决。"
    assert official.legacy_charges(result, DOCUMENT, CANONICAL) == {"盗窃罪"}
    assert official.legacy_articles(DOCUMENT) == {"5", "6"}
    assert official.LEGACY_PENALTIES.months("拘役三（六）个月", "") == 3
    assert PenaltyRule().months("拘役三（六）个月", "") == 0


def test_the_older_version_stops_at_names_that_are_in_no_list() -> None:
    assert official.legacy_charges("甲犯赌博罪", "乙犯盗窃罪", CANONICAL) == frozenset()
    assert official.legacy_charges("无", "乙犯盗窃罪", CANONICAL) == {"盗窃罪"}


def test_texts_that_the_older_version_compared() -> None:
    reason, judgment = official.legacy_texts(DOCUMENT)
    assert reason.startswith("本院认为") and reason.endswith("第六条，")
    assert judgment.endswith("如不服本判决。")
    assert official.legacy_texts("没有") == ("", "")
    assert official.legacy_texts("审判员。判决如下：甲") == ("", "")

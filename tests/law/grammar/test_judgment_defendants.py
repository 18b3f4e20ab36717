"""Who is sentenced: names, groups, companies, and people of the same masked name."""

from __future__ import annotations

import pytest
from tests.law.grammar.judgment_texts import HEADING, judgment

from hengfa.law.grammar.judgment.defendants import named_in_heading
from hengfa.law.grammar.judgment.document import Judgment
from hengfa.law.grammar.judgment.parse import parse_judgment

ONE = "判处拘役三个月。"


def names(made: Judgment) -> list[str]:
    return [one.name for one in made.defendants]


@pytest.mark.parametrize(
    ("heading", "persons"),
    [
        ("被告人林帆，男，渔民。 被告人海星，女。", ["林帆", "海星"]),
        ("被告人林某某（自报）。", ["林某某"]),
        ("被告人自报林帆，男。", ["林帆"]),
        ("被告人：林帆，男。", ["林帆"]),
        ("被告人×××，男。 被告人XX新，女。", ["×××", "XX新"]),
        ("被告人艾山江·吐尔逊，男。", ["艾山江·吐尔逊"]),
        ("被告人于永海，男。", ["于永海"]),
        ("上诉人（原审被告人）林帆，男。", ["林帆"]),
        ("被告单位云港（海外）贸易有限公司，住所地云港县。", ["云港（海外）贸易有限公司"]),
        ("辩护人沙鸥，律师。 被告人林帆到庭参加诉讼。", []),
        ("被告人林帆对指控的事实无异议。 被告人林帆不服，提出上诉。", []),
    ],
)
def test_defendants_of_a_heading(heading: str, persons: list[str]) -> None:
    assert list(named_in_heading(heading).persons) == persons


def test_the_indictment_names_defendants_too() -> None:
    heading = "云港县人民检察院指控被告人林帆、海星犯盗窃罪，被告人沙鸥犯窝藏罪。"
    assert list(named_in_heading(heading).indicted) == ["林帆", "海星", "沙鸥"]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (f" 被告人张某1犯盗窃罪，{ONE}", ["张某1"]),
        (f" 被告人×××犯盗窃罪，{ONE}", ["×××"]),
        (f" 被告人艾山江·吐尔逊犯盗窃罪，{ONE}", ["艾山江·吐尔逊"]),
        (f" 被告人于永海犯盗窃罪，{ONE}", ["于永海"]),
        (f" 被告人海星、沙鸥犯盗窃罪，均{ONE}", ["海星", "沙鸥"]),
        (f" 被告人海星和被告人沙鸥犯盗窃罪，均{ONE}", ["海星", "沙鸥"]),
        (f" 上诉人（原审被告人）海星犯盗窃罪，{ONE}", ["海星"]),
        (f" 原审被告人海星犯盗窃罪，{ONE}", ["海星"]),
        (f" 一、海星犯盗窃罪，{ONE}二、沙鸥犯盗窃罪，{ONE}", ["海星", "沙鸥"]),
        (f" 以盗窃罪判处被告人海星拘役三个月，被告人沙鸥{ONE}", ["海星", "沙鸥"]),
        (f" 被告人海星、沙鸥犯盗窃罪，判处海星拘役二个月，判处沙鸥{ONE}", ["海星", "沙鸥"]),
        (" 被告人海星无罪。", ["海星"]),
    ],
)
def test_names_in_a_result(result: str, expected: list[str]) -> None:
    assert names(parse_judgment(judgment(result))) == expected


def test_terms_are_given_to_a_group_in_its_order() -> None:
    made = parse_judgment(
        judgment(" 被告人海星、沙鸥犯盗窃罪，分别判处有期徒刑三年、二年，并处罚金一万元、五千元。")
    )
    given = [(one.name, one.verdicts[0].months, one.verdicts[0].fine) for one in made.defendants]
    assert given == [("海星", 36, 10_000), ("沙鸥", 24, 5_000)]


def test_a_sentence_without_a_name_is_that_of_the_one_defendant() -> None:
    made = parse_judgment(judgment(" 犯盗窃罪，判处拘役三个月。"))
    assert names(made) == ["林帆"]
    assert not made.has("unnamed")


def test_a_sentence_without_a_name_among_several_has_a_remark() -> None:
    heading = HEADING.replace("被告人林帆，", "被告人海星，女。 被告人林帆，")
    made = parse_judgment(judgment(" 犯盗窃罪，判处拘役三个月。", heading=heading))
    assert names(made)[0] == ""
    assert made.has("unnamed")


def test_a_defendant_whom_the_result_leaves_out_is_kept() -> None:
    heading = HEADING.replace("被告人林帆，", "被告人海星，女。 被告人林帆，")
    made = parse_judgment(judgment(heading=heading))
    assert names(made) == ["林帆", "海星"]
    assert made.defendants[1].final is None


def test_a_name_spelt_otherwise_in_the_result_is_no_second_defendant() -> None:
    made = parse_judgment(judgment(f" 被告人林凡犯盗窃罪，{ONE}"))
    assert names(made) == ["林凡"]


def test_a_company_pays_its_own_fine() -> None:
    made = parse_judgment(
        judgment(
            " 一、被告单位云港（海外）贸易有限公司犯走私灯油罪，判处罚金人民币十万元。"
            " 二、被告人林帆犯走私灯油罪，判处拘役四个月，并处罚金人民币一万元。"
        )
    )
    company, person = made.defendants
    assert (company.name, company.unit) == ("云港（海外）贸易有限公司", True)
    assert (company.verdicts[0].kind, company.fine_total) == ("附加刑", 100_000)
    assert (person.unit, person.fine_total) == (False, 10_000)


def test_one_masked_name_for_two_people() -> None:
    made = parse_judgment(
        judgment(
            " 一、被告人黄某犯盗窃罪，判处有期徒刑九个月。"
            " 二、被告人黄某犯盗窃罪，判处有期徒刑七个月。"
        )
    )
    assert [(one.name, one.verdicts[0].months) for one in made.defendants] == [
        ("黄某", 9),
        ("黄某", 7),
    ]


def test_one_full_name_twice_is_one_person() -> None:
    made = parse_judgment(
        judgment(
            " 一、被告人林帆犯盗窃罪，判处拘役三个月。 二、被告人林帆犯诈骗罪，判处拘役二个月。"
            " 三、决定执行拘役四个月。"
        )
    )
    assert len(made.defendants) == 1
    assert made.defendants[0].charges == ("盗窃罪", "诈骗罪")

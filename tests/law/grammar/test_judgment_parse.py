"""Sentences of every kind, combined ones, those of other judgments, statutes, dates."""

from __future__ import annotations

from datetime import date

import msgspec
import pytest
from tests.law.grammar.judgment_texts import HEADING, RESULT, judgment

from hengfa.law.grammar.judgment.document import Defendant, Judgment
from hengfa.law.grammar.judgment.parse import parse_judgment


def sentenced(result: str) -> Defendant:
    made = parse_judgment(judgment(f" {result}"))
    assert len(made.defendants) == 1
    return made.defendants[0]


def test_what_the_heading_and_the_signatures_say() -> None:
    made = parse_judgment(judgment())
    assert (made.court, made.number) == ("云港县人民法院", "（2031）云0101刑初7号")
    assert made.date == date(2031, 7, 8)


def test_the_title_before_the_court_is_not_part_of_its_name() -> None:
    heading = "林帆盗窃一审刑事判决书" + HEADING.replace(" ", "")
    assert parse_judgment(judgment(heading=heading)).court == "云港县人民法院"


def test_a_judgment_survives_json() -> None:
    made = parse_judgment(judgment())
    assert msgspec.json.decode(msgspec.json.encode(made), type=Judgment) == made


def test_spans_lead_back_to_the_words() -> None:
    text = judgment(f"<p>{RESULT}</p>")
    verdict = parse_judgment(text).defendants[0].verdicts[0]
    words = text[verdict.start : verdict.end]
    assert words == "被告人林帆犯盗窃罪，判处有期徒刑六个月，并处罚金人民币二千元"


@pytest.mark.parametrize(
    ("words", "kind", "months"),
    [
        ("判处管制一年", "管制", 12),
        ("判处拘役六个月", "拘役", 6),
        ("判处有期徒刑十五年", "有期徒刑", 180),
        ("判处无期徒刑，剥夺政治权利终身", "无期徒刑", None),
        ("判处死刑，剥夺政治权利终身", "死刑", None),
        ("判处死刑，缓期二年执行，剥夺政治权利终身", "死缓", None),
        ("判处死刑缓期两年执行", "死缓", None),
        ("免予刑事处罚", "免予刑事处罚", None),
        ("判处免于刑事处罚", "免予刑事处罚", None),
        ("单处罚金人民币二千元", "附加刑", None),
        ("判处罚金人民币二千元", "附加刑", None),
        ("判处罚金有期徒刑十个月", "有期徒刑", 10),
    ],
)
def test_kinds_of_penalty(words: str, kind: str, months: int | None) -> None:
    verdict = sentenced(f"被告人林帆犯盗窃罪，{words}。").verdicts[0]
    assert (verdict.kind, verdict.months, verdict.charge) == (kind, months, "盗窃罪")


@pytest.mark.parametrize(("words", "kind"), [("无罪", "无罪"), ("不负刑事责任", "不负刑事责任")])
def test_findings_without_a_conviction(words: str, kind: str) -> None:
    """Q10: no penalty is a finding of its own, not 0 months."""
    verdict = sentenced(f"被告人林帆{words}。").verdicts[0]
    assert (verdict.kind, verdict.months, verdict.charge) == (kind, None, None)
    assert not verdict.is_conviction


@pytest.mark.parametrize("words", ["缓刑三年", "宣告缓刑三年", "缓刑考验期为三年", "缓刑36个月"])
def test_probation_has_its_own_length(words: str) -> None:
    verdict = sentenced(f"被告人林帆犯盗窃罪，判处有期徒刑二年，{words}。").verdicts[0]
    assert (verdict.months, verdict.probation) == (24, 36)


def test_probation_without_a_mark_before_it() -> None:
    verdict = sentenced("被告人林帆犯盗窃罪，判处有期徒刑三年缓刑四年。").verdicts[0]
    assert (verdict.months, verdict.probation) == (36, 48)


def test_dates_of_credit_and_probation_are_no_terms() -> None:
    verdict = sentenced(
        "被告人林帆犯盗窃罪，判处拘役二个月。刑期从判决执行之日起计算，羁押一日折抵刑期一日，"
        "即自2031年3月4日起至2031年5月3日止。缓刑考验期限，从判决确定之日起计算。"
    ).verdicts[0]
    assert (verdict.months, verdict.days, verdict.probation) == (2, 0, None)


def test_loss_of_rights_and_expulsion() -> None:
    verdict = sentenced(
        "被告人林帆犯盗窃罪，判处有期徒刑十年，剥夺政治权利二年，附加驱逐出境。"
    ).verdicts[0]
    assert (verdict.political, verdict.political_for_life, verdict.expelled) == (24, False, True)


@pytest.mark.parametrize(
    "words", ["决定执行", "数罪并罚，决定执行", "决定合并执行", "合并执行", "并罚，应决定执行"]
)
def test_the_combined_sentence_stands_apart_from_its_parts(words: str) -> None:
    """Q3: the official rule adds 36, 12 and 42 months."""
    one = sentenced(
        "被告人林帆犯抢劫罪，判处有期徒刑三年，并处罚金三千元；犯盗窃罪，判处有期徒刑一年；"
        f"{words}有期徒刑三年六个月，并处罚金三千元。"
    )
    assert [verdict.months for verdict in one.verdicts] == [36, 12]
    assert one.final is one.executed
    assert one.executed is not None
    assert (one.executed.months, one.executed.charge, one.fine_total) == (42, None, 3_000)


def test_the_sum_of_terms_is_not_executed() -> None:
    one = sentenced(
        "被告人林帆犯抢劫罪，判处有期徒刑三年；犯盗窃罪，判处有期徒刑一年；"
        "总和刑期有期徒刑四年，决定执行有期徒刑三年。"
    )
    assert one.executed is not None
    assert one.executed.months == 36


def test_several_terms_without_a_combined_one_have_a_remark() -> None:
    made = parse_judgment(
        judgment(" 被告人林帆犯抢劫罪，判处有期徒刑三年；犯盗窃罪，判处有期徒刑四年。")
    )
    assert made.has("not combined")
    final = made.defendants[0].final
    assert final is not None
    assert final.months == 48


def test_one_sentence_for_two_charges_is_a_combined_one() -> None:
    one = sentenced("被告人林帆犯盗窃罪、诈骗罪，判处有期徒刑五年，并处罚金二千元。")
    assert one.charges == ("盗窃罪", "诈骗罪")
    assert [verdict.kind for verdict in one.verdicts] == [None, None]
    assert one.executed is not None
    assert (one.executed.months, one.fine_total) == (60, 2_000)


def test_charges_announced_first_are_sentenced_after() -> None:
    one = sentenced(
        "被告人林帆犯盗窃罪、诈骗罪，其中犯盗窃罪，判处有期徒刑一年，犯诈骗罪，判处有期徒刑二年，"
        "决定执行有期徒刑二年六个月。"
    )
    assert [(v.charge, v.months) for v in one.verdicts] == [("盗窃罪", 12), ("诈骗罪", 24)]
    assert one.executed is not None
    assert one.executed.months == 30


@pytest.mark.parametrize(
    ("words", "charge"),
    [
        ("与前罪所判有期徒刑一年，并处罚金二千元并罚", None),
        ("连同前判有期徒刑一年，并处罚金二千元", None),
        ("与原犯诈骗罪，判处有期徒刑一年，并处罚金二千元", "诈骗罪"),
        ("原犯诈骗罪被判处有期徒刑一年，并处罚金二千元", "诈骗罪"),
        ("与之前犯诈骗罪没有执行的有期徒刑一年，并处罚金二千元并罚", "诈骗罪"),
        ("与本院（2029）云01刑初3号刑事判决尚未执行的有期徒刑一年，并处罚金二千元并罚", None),
        ("与云港县人民法院判决中对林帆犯诈骗罪，判处有期徒刑一年，并处罚金二千元并罚", "诈骗罪"),
    ],
)
def test_earlier_sentences_are_kept_apart(words: str, charge: str | None) -> None:
    one = sentenced(
        f"被告人林帆犯盗窃罪，判处有期徒刑二年，并处罚金三千元，{words}，"
        "决定执行有期徒刑二年六个月，并处罚金五千元。"
    )
    assert [(v.charge, v.months, v.fine) for v in one.verdicts] == [("盗窃罪", 24, 3_000)]
    assert [(v.charge, v.months, v.fine) for v in one.earlier] == [(charge, 12, 2_000)]
    assert one.executed is not None
    assert (one.executed.months, one.fine_total) == (30, 5_000)


@pytest.mark.parametrize("between", ["；", "。 二、"])
def test_probation_of_an_earlier_judgment_is_revoked(between: str) -> None:
    one = sentenced(
        f"一、撤销云港县人民法院（2029）云01刑初3号刑事判决中对被告人林帆宣告的缓刑{between}"
        "被告人林帆犯盗窃罪，判处有期徒刑一年，与前罪判处的有期徒刑二年并罚，决定执行有期徒刑二年八个月。"
    )
    assert one.revoked
    assert [(v.charge, v.months) for v in one.verdicts] == [("盗窃罪", 12)]
    assert one.executed is not None
    assert one.executed.months == 32


def test_an_appeal_undoes_one_sentence_and_gives_another() -> None:
    made = parse_judgment(
        judgment(
            " 一、维持云港县人民法院（2030）云01刑初9号刑事判决的定罪部分，即被告人林帆犯盗窃罪。"
            " 二、撤销该判决的量刑部分，即判处有期徒刑七年，并处罚金十万元。"
            " 三、上诉人（原审被告人）林帆犯盗窃罪，判处有期徒刑五年。",
            heading=HEADING.replace("被告人林帆，", "上诉人（原审被告人）林帆，"),
        )
    )
    assert made.has("second instance")
    (one,) = made.defendants
    assert [(v.charge, v.months, v.fine) for v in one.verdicts] == [("盗窃罪", 60, None)]
    assert not one.revoked


def test_what_an_appeal_upholds_fills_the_new_sentence() -> None:
    one = sentenced(
        "一、维持本院（2030）云01刑初9号刑事判决中罚金部分，即被告人林帆犯盗窃罪，并处罚金一万元。 "
        "二、撤销该判决中有期徒刑的内容，即被告人林帆犯盗窃罪，判处有期徒刑三年。 "
        "三、原审被告人林帆犯盗窃罪，判处有期徒刑二年。"
    )
    assert [(v.months, v.fine) for v in one.verdicts] == [(24, 10_000)]


def test_a_bracket_that_is_never_closed_hides_nothing() -> None:
    made = parse_judgment(
        judgment(
            " 一、被告人海星犯盗窃罪，判处拘役三个月（刑期从判决执行之日起计算。"
            " 二、被告人沙鸥犯盗窃罪，判处拘役二个月（刑期略）。"
        )
    )
    assert [one.verdicts[0].months for one in made.defendants] == [3, 2]


def test_a_term_that_is_missing_has_a_remark() -> None:
    made = parse_judgment(judgment(" 被告人林帆犯盗窃罪，判处有期徒刑。"))
    assert {remark.code for remark in made.remarks} == {"unread term", "no sentence"}
    assert made.defendants[0].verdicts[0].kind is None


def test_a_sentence_without_a_crime_has_a_remark() -> None:
    made = parse_judgment(judgment(" 判处被告人林帆拘役三个月。"))
    assert made.has("no charge")


def test_a_result_that_sentences_nobody_has_a_remark() -> None:
    made = parse_judgment(judgment(" 责令退赔被害人人民币八百元。"))
    assert [remark.code for remark in made.remarks] == ["no sentence"]
    assert [one.name for one in made.defendants] == ["林帆"]


def test_statutes_of_every_law_with_sub_articles() -> None:
    """Q9: 133-1 is an article of its own, and other laws count."""
    made = parse_judgment(
        judgment(
            reasoning=" 本院认为，罪名成立。依照《中华人民共和国刑法》第一百三十三条之一"
            "第一款第（二）项、第六十七条第一、三款，《中华人民共和国刑事诉讼法》第十五条之规定，判决如下："
        )
    )
    found = [
        (one.law, one.article, one.article_sub, one.paragraph, one.item, one.criminal)
        for one in made.statutes
    ]
    assert found == [
        ("刑法", 133, 1, 1, 2, True),
        ("刑法", 67, 0, 1, None, True),
        ("刑法", 67, 0, 3, None, True),
        ("刑事诉讼法", 15, 0, None, None, False),
    ]


def test_statutes_of_the_facts_and_the_appendix_are_not_applied() -> None:
    made = parse_judgment(
        judgment(
            facts=" 公诉机关指控，应当适用《中华人民共和国刑法》第三百条。",
            appendix=" 附：《中华人民共和国刑法》 第二百三十四条故意伤害他人的，处管制。",
        )
    )
    assert [one.article for one in made.statutes] == [264, 67]

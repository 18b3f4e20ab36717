"""Judgments of unusual shape, of fictional people, and what must be read of each."""

from __future__ import annotations

from typing import Any

import pytest
from tests.law.grammar.judgment_texts import APPENDIX, FACTS, HEADING, judgment

from hengfa.law.grammar.judgment.document import Defendant, Judgment
from hengfa.law.grammar.judgment.parse import parse_judgment


def named(name: str, result: str) -> str:
    """A judgment whose heading and result name somebody else."""
    heading = HEADING.replace("林帆", name)
    return judgment(f" {result}", heading=heading, facts=FACTS.replace("林帆", name))


def with_title(title: str, number: str, parties: str, result: str) -> str:
    """A document that is no first-instance criminal judgment."""
    heading = (
        f"云港县人民法院 {title} （2031）云0101{number}7号 {parties} 本院依法审理，现已审理终结。"
    )
    reasoning = " 本院认为，请求有据。依照《中华人民共和国民法典》第一百一十九条之规定，判决如下："
    return heading + " 原告诉称，船漏水。" + reasoning + result + APPENDIX


APPEAL = HEADING.replace("被告人林帆，男", "上诉人（原审被告人）林帆，男").replace("刑初7", "刑终7")
RULING = (
    " 本院认为，原判认定事实清楚。依照《中华人民共和国刑事诉讼法》第二百三十六条之规定，裁定如下："
)


def appeal(result: str) -> str:
    return judgment(f" {result}", heading=APPEAL, reasoning=RULING)


def read(made: Judgment) -> dict[str, tuple[Any, ...]]:
    """Each defendant with charges and with the penalty, months, probation and fine in the end."""
    return {person.name: (person.charges, *_final(person)) for person in made.defendants}


def _final(person: Defendant) -> tuple[Any, ...]:
    final = person.final
    if final is None:
        return None, None, None, None
    return final.kind, final.months, final.probation, person.fine_total


THEFT = ("盗窃罪",)
THREE = (THEFT, "有期徒刑", 36, None, None)
SHAPES: dict[str, tuple[str, dict[str, tuple[Any, ...]], set[str]]] = {
    "bold in the middle of a sentence": (
        judgment(" 被告人**林帆**犯**盗窃罪**，判处**有期徒刑三年**，并处罚金人民币**五千**元。"),
        {"林帆": (THEFT, "有期徒刑", 36, None, 5_000)},
        set(),
    ),
    "bold from the crime on": (
        judgment(" 被告人林帆**犯盗窃罪**，**判处有期徒刑三年，缓刑四年**。"),
        {"林帆": (THEFT, "有期徒刑", 36, 48, None)},
        set(),
    ),
    "bold beside masked names": (
        judgment(
            " 被告人张**犯盗窃罪，判处**拘役三个月**；被告人李**犯盗窃罪，判处**拘役二个月**。"
        ),
        {"张**": (THEFT, "拘役", 3, None, None), "李**": (THEFT, "拘役", 2, None, None)},
        set(),
    ),
    "the length before the penalty": (
        judgment(" 被告人林帆犯盗窃罪，判处3年6个月有期徒刑，并处5000元罚金。"),
        {"林帆": (THEFT, "有期徒刑", 42, None, 5_000)},
        set(),
    ),
    "the length before 缓刑 too": (
        judgment(" 被告人林帆犯盗窃罪，处以六个月的拘役，一年缓刑。"),
        {"林帆": (THEFT, "拘役", 6, 12, None)},
        set(),
    ),
    "缓刑 with its period after a comma": (
        judgment(" 被告人林帆犯盗窃罪，判处有期徒刑三年，宣告缓刑，考验期限四年。"),
        {"林帆": (THEFT, "有期徒刑", 36, 48, None)},
        set(),
    ),
    "缓刑 in brackets": (
        judgment(" 被告人林帆犯盗窃罪，判处有期徒刑三年（缓刑四年）。"),
        {"林帆": (THEFT, "有期徒刑", 36, 48, None)},
        set(),
    ),
    "缓刑 without a period": (
        judgment(" 被告人林帆犯盗窃罪，判处有期徒刑三年，宣告缓刑。"),
        {"林帆": THREE},
        {"unread term"},
    ),
    "a reprieve in brackets": (
        judgment(" 被告人林帆犯盗窃罪，判处死刑（缓期二年执行），剥夺政治权利终身。"),
        {"林帆": (THEFT, "死缓", None, None, None)},
        set(),
    ),
    "死缓 for short": (
        judgment(" 被告人林帆犯盗窃罪，判处死缓，终身剥夺政治权利。"),
        {"林帆": (THEFT, "死缓", None, None, None)},
        set(),
    ),
    "an appeal that is dismissed": (
        appeal("驳回上诉，维持原判。"),
        {"林帆": ((), None, None, None, None)},
        {"second instance", "ruling", "upheld"},
    ),
    "an appeal that upholds a part": (
        appeal(
            "一、维持云港县人民法院（2030）云01刑初9号刑事判决第一项，即被告人林帆犯盗窃罪。 "
            "二、上诉人林帆犯盗窃罪，判处有期徒刑三年。"
        ),
        {"林帆": THREE},
        {"second instance", "ruling"},
    ),
    "an appeal that upholds a part without its words": (
        appeal(
            "一、维持云港县人民法院（2030）云01刑初9号刑事判决第二项。 "
            "二、上诉人林帆犯盗窃罪，判处有期徒刑三年。"
        ),
        {"林帆": THREE},
        {"second instance", "ruling", "upheld"},
    ),
    "an appeal that upholds a judgment by its number": (
        appeal("维持云港县人民法院（2030）云01刑初9号刑事判决。"),
        {"林帆": ((), None, None, None, None)},
        {"second instance", "ruling", "upheld"},
    ),
    "an appeal that undoes a sentence in mid-sentence": (
        appeal(
            "一、撤销云港县人民法院（2030）云01刑初9号刑事判决中关于被告人林帆犯盗窃罪，"
            "判处有期徒刑五年的判决； 二、上诉人林帆犯盗窃罪，判处有期徒刑三年。"
        ),
        {"林帆": THREE},
        {"second instance", "ruling"},
    ),
    "a case that is sent back": (
        appeal("一、撤销原判； 二、发回云港县人民法院重新审判。"),
        {"林帆": ((), None, None, None, None)},
        {"second instance", "ruling", "sent back"},
    ),
    "an appeal that is withdrawn": (
        appeal("准许上诉人林帆撤回上诉。"),
        {"林帆": ((), None, None, None, None)},
        {"second instance", "ruling", "withdrawn"},
    ),
    "a sentence that is reduced": (
        judgment(
            " 对罪犯林帆减去有期徒刑八个月。",
            heading="云港县人民法院 刑事裁定书 （2031）云0101刑更7号 罪犯林帆，男，在云港监狱服刑。"
            "本院依法组成合议庭进行了审理。现已审理终结。",
            reasoning=RULING,
        ),
        {},
        {"ruling", "commuted", "no defendant"},
    ),
    "a sentence that is reduced to another": (
        appeal("将罪犯林帆的刑罚减为有期徒刑二十二年，剥夺政治权利改为七年。"),
        {"林帆": ((), None, None, None, None)},
        {"second instance", "ruling", "commuted"},
    ),
    "a civil judgment": (
        with_title(
            "民事判决书",
            "民初",
            "原告海星，女。 被告林帆，男。",
            " 被告林帆于本判决生效之日起十日内赔偿原告海星人民币八百元。",
        ),
        {},
        {"civil"},
    ),
    "a civil judgment without title and number": (
        "原告海星，女。 被告林帆，男。 本案现已审理终结。 原告诉称，船漏水。"
        " 本院认为，请求有据，判决如下： 被告林帆偿还原告海星人民币八百元。" + APPENDIX,
        {},
        {"civil"},
    ),
    "an administrative judgment": (
        with_title(
            "行政判决书",
            "行初",
            "原告海星，女。 被告云港县渔业局，住所地云港县。",
            " 撤销被告云港县渔业局作出的云渔罚〔2031〕3号行政处罚决定。",
        ),
        {},
        {"administrative"},
    ),
    "a criminal judgment with damages": (
        judgment(
            " 一、被告人林帆犯盗窃罪，判处有期徒刑三年。"
            " 二、被告人林帆赔偿附带民事诉讼原告人海星医疗费人民币八百元。",
            heading=HEADING.replace("刑事判决书", "刑事附带民事判决书"),
        ),
        {"林帆": THREE},
        {"civil orders"},
    ),
    "a name that ends in 再犯": (
        named("许再犯", "被告人许再犯犯盗窃罪，判处有期徒刑三年。"),
        {"许再犯": THREE},
        set(),
    ),
    "a name that ends in 再": (
        named("许再", "被告人许再犯盗窃罪，判处有期徒刑三年。"),
        {"许再": THREE},
        set(),
    ),
    "that name without its role": (
        named("许再", "一、许再犯盗窃罪，判处有期徒刑三年。"),
        {"许再": THREE},
        set(),
    ),
    "a name that ends in 均": (
        named("李均", "被告人李均犯盗窃罪，判处有期徒刑三年。"),
        {"李均": THREE},
        set(),
    ),
    "a name in Latin letters": (
        named("JOHN SMITH", "被告人JOHN SMITH犯盗窃罪，判处有期徒刑三年，附加驱逐出境。"),
        {"JOHN SMITH": THREE},
        set(),
    ),
    "a name in Latin letters without its role": (
        named("John O'Neil Smith", "一、John O'Neil Smith犯盗窃罪，判处有期徒刑三年。"),
        {"John O'Neil Smith": THREE},
        set(),
    ),
    "a name with a dot": (
        named("艾力·买买提", "被告人艾力·买买提犯盗窃罪，判处有期徒刑三年。"),
        {"艾力·买买提": THREE},
        set(),
    ),
    "a name with another dot": (
        named("艾力•买买提吐尔逊", "被告人艾力•买买提吐尔逊犯盗窃罪，判处有期徒刑三年。"),
        {"艾力•买买提吐尔逊": THREE},
        set(),
    ),
    "a list in Markdown": (
        judgment("\n1. 被告人林帆犯盗窃罪，判处**三年有期徒刑**。\n2. 作案工具渔网予以没收。\n"),
        {"林帆": THREE},
        set(),
    ),
    "a penalty that the law does not have": (
        judgment(" 被告人林帆犯盗窃罪，判处有期徒刑三年，并处杖刑二十下。"),
        {"林帆": THREE},
        {"unread words"},
    ),
    "an order that is no penalty and no known one": (
        judgment(" 一、被告人林帆犯盗窃罪，判处有期徒刑三年。 二、林帆每月初一为灯塔添油。"),
        {"林帆": THREE},
        {"unread words"},
    ),
    "orders that are known to be no penalties": (
        judgment(
            " 一、被告人林帆犯盗窃罪，判处有期徒刑三年。 二、扣押在案的渔网予以没收。"
            " 三、责令退赔被害人人民币八百元；上述款项限十日内缴纳。"
        ),
        {"林帆": THREE},
        set(),
    ),
    "an order in the sentence of a penalty": (
        judgment(" 被告人林帆犯盗窃罪，判处有期徒刑三年，不得假释。"),
        {"林帆": THREE},
        {"unread words"},
    ),
    "two lengths for three people": (
        judgment(" 被告人林帆、何青、丁一犯盗窃罪，分别判处有期徒刑三年、一年。"),
        {
            "林帆": THREE,
            "何青": (THEFT, "有期徒刑", 12, None, None),
            "丁一": (THEFT, "有期徒刑", 12, None, None),
        },
        {"unread term"},
    ),
    "a second length": (
        judgment(" 被告人林帆犯盗窃罪，判处有期徒刑三年，有期徒刑五年。"),
        {"林帆": THREE},
        {"unread term"},
    ),
    "an earlier sentence without its penalty": (
        judgment(
            " 被告人林帆犯盗窃罪，判处有期徒刑一年；与前罪诈骗罪判处的刑罚二年六个月合并执行，"
            "决定执行有期徒刑三年。"
        ),
        {"林帆": THREE},
        {"unread term"},
    ),
    "an earlier combined sentence": (
        judgment(
            " 被告人林帆犯盗窃罪，判处有期徒刑一年，与本院（2030）云01刑初9号刑事判决书所决定"
            "执行的有期徒刑二年六个月并罚，决定执行有期徒刑三年。"
        ),
        {"林帆": THREE},
        set(),
    ),
    "a masked name once more after the sentence": (
        judgment(
            " 一、被告人林某甲犯盗窃罪，判处有期徒刑三年。 二、渔网予以没收。"
            " 综上，被告人林某甲犯盗窃罪，应予惩处。",
            heading=HEADING.replace("林帆", "林某甲"),
        ),
        {"林某甲": THREE},
        {"unread words"},
    ),
    "an accusation after the sentence": (
        judgment(
            " 一、被告人林帆犯盗窃罪，判处有期徒刑三年。 云港县人民检察院指控被告人林帆犯盗窃罪"
            "的事实，查无实据。"
        ),
        {"林帆": THREE},
        {"unread words"},
    ),
    "a range in place of a length": (
        judgment(" 被告人林帆犯盗窃罪，判处有期徒刑三年以下刑罚。"),
        {"林帆": (THEFT, None, None, None, None)},
        {"no sentence", "unread words"},
    ),
    "a table in Markdown": (
        judgment("\n| 被告人 | 罪名 | 刑罚 |\n|---|---|---|\n| 林帆 | 盗窃罪 | 有期徒刑三年 |\n"),
        {"林帆": ((), "有期徒刑", 36, None, None)},
        {"no charge"},
    ),
    "a prison without 有期": (
        judgment(" 被告人林帆犯盗窃罪，判处徒刑三年。"),
        {"林帆": (THEFT, None, None, None, None)},
        {"no sentence", "unread words"},
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_read(name: str) -> None:
    text, expected, remarks = SHAPES[name]
    made = parse_judgment(text)
    assert read(made) == expected
    assert {remark.code for remark in made.remarks} == remarks


DEATH = "被告人林帆犯盗窃罪，判处死刑，缓期二年执行，剥夺政治权利终身，并处没收个人全部财产"
TERM = "被告人林帆犯盗窃罪，判处有期徒刑三年"


@pytest.mark.parametrize(
    ("result", "marks"),
    [
        (f"一、{DEATH}。 二、对被告人林帆限制减刑。", {"commutation_limited": True}),
        (f"{DEATH}；限制减刑。", {"commutation_limited": True}),
        (
            f"{DEATH}；在其死刑缓期执行二年期满依法减为无期徒刑后，终身监禁，不得减刑、假释。",
            {"whole_life": True},
        ),
        (
            f"一、{TERM}。 二、禁止被告人林帆自刑罚执行完毕之日起三年内从事渔业及相关职业。",
            {"barred": True, "barred_months": 36},
        ),
        (f"{TERM}。禁止其从事密切接触未成年人的工作。", {"barred": True, "barred_months": None}),
        (
            f"{TERM}；禁止被告人林帆从事教师职业，期限为五年，自刑罚执行完毕之日起算。",
            {"barred": True, "barred_months": 60},
        ),
        ("被告人林帆犯盗窃罪，判处管制一年，在管制期间不得进入码头。", {"injunction": True}),
        (f"{TERM}。被告人林帆终身不得从事渔业经营管理工作。", {"barred": True}),
        (
            f"{TERM}，缓刑四年。禁止被告人林帆在缓刑考验期限内进入码头、接近灯塔。",
            {"injunction": True, "barred": False, "probation": 48},
        ),
        (f"{TERM} 二、禁止林帆进入码头 三、渔网予以没收", {"injunction": True, "months": 36}),
        (f"{TERM}，缓刑四年，依法实行社区矫正。", {"community": True}),
        (f"{TERM}，剥夺政治权利终身。", {"political_for_life": True}),
        (f"{TERM}，终身剥夺政治权利。", {"political_for_life": True}),
        (f"{TERM}，附加剥夺政治权利二年。", {"political": 24}),
        (
            f"{TERM}；犯诈骗罪，判处死刑，缓期二年执行，决定执行死刑，缓期二年执行，对其限制减刑。",
            {"kind": "死缓", "charge": None, "commutation_limited": True},
        ),
    ],
)
def test_what_goes_with_a_sentence(result: str, marks: dict[str, object]) -> None:
    made = parse_judgment(judgment(f" {result}"))
    final = made.defendants[0].final
    assert final is not None
    assert {name: getattr(final, name) for name in marks} == marks
    assert not made.remarks


@pytest.mark.parametrize("words", ["剥夺政治权利。", "剥夺政治权利，并处罚金五千元。"])
def test_a_loss_of_rights_without_a_length_has_a_remark(words: str) -> None:
    assert parse_judgment(judgment(f" {TERM}，{words}")).has("unread term")


def test_statutes_of_a_civil_judgment_are_read() -> None:
    made = parse_judgment(SHAPES["a civil judgment"][0])
    assert [(one.law, one.article) for one in made.statutes] == [("民法典", 119)]
    assert made.court == "云港县人民法院"

"""What documents call interpretations, and which of them they mean on their day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hengfa.law.library import Library
from hengfa.law.library.building import sources
from hengfa.law.library.building.build import build_library
from hengfa.law.library.building.sources import NUMBERS
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.names import Names, candidates
from tests.law.library.fictional import write_rows

COURT = "最高人民法院关于"
LAMPS = f"{COURT}审理灯笼租赁合同纠纷案件适用法律若干问题的解释"
LAMPS_1 = f"{COURT}审理灯笼租赁合同纠纷案件适用法律问题的解释（一）"
LAMPS_2 = f"{COURT}审理灯笼租赁合同纠纷案件适用法律若干问题的解释（二）"
TEA = f"{COURT}审理偷茶刑事案件适用法律若干问题的解释"
CODE = "中华人民共和国灯塔法"


def _row(title: str, version: str, *header: str, effective: str = "") -> dict[str, str]:
    articles = "第一条 灯笼租期不得超过三十日。", "第二条 本解释自发布之日起施行。"
    return {
        "title": title,
        "version": version,
        "kind": "statute" if title == CODE else "judicial_interpretation",
        "text": "\n\n".join([f"# {title}", *header, *articles]),
        "effective": effective or version,
    }


ROWS = [
    _row(LAMPS, "2004-05-01"),
    _row(LAMPS_2, "2010-05-01"),
    _row(LAMPS_1, "2020-12-29", "法释〔2020〕99号", effective="2021-01-01"),
    _row(TEA, "2013-04-02"),
    _row(TEA, "2021-06-01", "（法释〔2021〕7号）", "2021年6月1日最高人民法院审判委员会通过"),
    _row(CODE, "2000-01-01"),
]
REPEALS = "title\tissued\trepealed_on\tby\tscope\tdoc_number\n" + "".join(
    f"{title}\t{issued}\t{on}\t法释〔2020〕98号\twhole\t{number}\n"
    for title, issued, on, number in [
        (LAMPS, "2004-05-01", "2021-01-01", "法释〔2004〕6号"),
        (LAMPS_2, "2010-05-01", "2021-01-01", "法释〔2010〕4号"),
        (TEA, "2013-04-02", "2021-06-01", ""),
    ]
)


@pytest.fixture(scope="module")
def lamps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = write_rows(tmp_path_factory.mktemp("lamps") / "laws", ROWS)
    (folder / "repeals.tsv").write_text(REPEALS, "utf-8")
    (folder / NUMBERS).write_text(f"title\tnumber\n{TEA}\t法释〔2013〕8号\n没有号\t\n", "utf-8")
    build_library([folder], folder.parent / "law.sqlite")
    with Library.open(folder.parent / "law.sqlite") as library:
        yield library


@pytest.mark.parametrize(
    ("name", "day", "law"),
    [
        ("灯笼租赁合同司法解释", "2008-01-01", LAMPS),  # the only one that there was
        ("灯笼租赁解释一", "2015-01-01", LAMPS),
        ("灯笼租赁解释一", "2022-01-01", LAMPS_1),
        ("灯笼租赁解释", "2022-01-01", LAMPS_1),
        ("灯笼租赁解释", "2015-01-01", None),  # two of them
        ("灯笼租赁解释二", "2022-01-01", LAMPS_2),  # repealed, but that is another matter
        ("偷茶解释", "2012-01-01", None),  # there was none yet
        (TEA, "2012-01-01", TEA),
        ("两高偷茶案件司法解释", "2015-01-01", TEA),
        ("法释〔2020〕99号", "2022-01-01", LAMPS_1),
        ("法释(2004)6号", "2022-01-01", LAMPS),
        ("法釋[2013]8號", "2015-01-01", TEA),
        ("法释〔2013〕8号", "2022-01-01", None),  # the paper of 2021 has this title too
        ("法释〔2021〕7号", "2022-01-01", TEA),
        ("法释〔2021〕8号", "2022-01-01", None),
        ("燈籠租賃合同司法解釋（一）", "2022-01-01", LAMPS_1),
    ],
)
def test_a_short_name_means_what_there_was(
    lamps: Library, name: str, day: str, law: str | None
) -> None:
    resolved = Names(lamps).resolve(name, date.fromisoformat(day))
    assert (resolved.law and resolved.law.name) == law


def test_a_line_without_a_number_is_remarked_upon(lamps: Library) -> None:
    assert any(NUMBERS in remark.reason for remark in lamps.remarks())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("《灯塔法》第一条、灯笼租赁解释一第二条", [(CODE, "right"), (LAMPS_1, "right")]),
        ("《灯塔法》第一条、灯笼租赁解释一第三条", [(CODE, "right"), (LAMPS_1, "wrong")]),
        ("《灯塔法》第一条、渡船解释三第二条", [(CODE, "right"), (None, "unknown")]),
        ("《灯塔法》第一条；渡船法上另有规定，灯保第二条", [(CODE, "right"), (None, "unclear")]),
        ("《灯塔法》第一条，法释〔2020〕99号第二条", [(CODE, "right"), (LAMPS_1, "right")]),
        ("《灯塔法》第一条，法释〔2019〕1号第二条", [(CODE, "right"), (None, "unknown")]),
        ("德国《灯塔法》第一条", [(None, "unknown")]),
        ("灯笼租赁解释二第一条", [(LAMPS_2, "wrong")]),
        ("《中華人民共和國燈塔法》第一條規定：「燈籠租期不得超過三十日。」", [(CODE, "right")]),
        ("《中華人民共和國燈塔法》第一條規定：「燈籠租期不得超過二十日。」", [(CODE, "wrong")]),
    ],
)
def test_documents_are_checked_by_what_they_name(
    lamps: Library, text: str, found: list[tuple[str | None, str]]
) -> None:
    report = Checker(lamps).check(text, as_of=date(2022, 1, 1))
    assert [(checked.law, checked.status) for checked in report.citations] == found


COURTS = "最高人民法院、最高人民检察院关于"
REAL = f"""
公司法解释一 {COURT}适用〈中华人民共和国公司法〉若干问题的规定（一）
公司法解释(2) {COURT}适用〈中华人民共和国公司法〉若干问题的规定（二）
公司法解释三 {COURT}适用〈中华人民共和国公司法〉若干问题的规定（三）
《公司法》司法解释（四） {COURT}适用〈中华人民共和国公司法〉若干问题的规定（四）
公司法司法解释五 {COURT}适用〈中华人民共和国公司法〉若干问题的规定（五）
破产法解释二 {COURT}适用〈中华人民共和国企业破产法〉若干问题的规定（二）
企业破产法司法解释（三） {COURT}适用〈中华人民共和国企业破产法〉若干问题的规定（三）
保险法解释四 {COURT}适用〈中华人民共和国保险法〉若干问题的解释（四）
合同法解释二 {COURT}适用〈中华人民共和国合同法〉若干问题的解释（二）
婚姻法解释三 {COURT}适用〈中华人民共和国婚姻法〉若干问题的解释（三）
担保法司法解释 {COURT}适用〈中华人民共和国担保法〉若干问题的解释
物权法解释一 {COURT}适用〈中华人民共和国物权法〉若干问题的解释（一）
仲裁法解释 {COURT}适用〈中华人民共和国仲裁法〉若干问题的解释
民诉法解释 {COURT}适用〈中华人民共和国民事诉讼法〉的解释
民诉解释 {COURT}适用〈中华人民共和国民事诉讼法〉的解释
民诉法执行程序解释 {COURT}适用〈中华人民共和国民事诉讼法〉执行程序若干问题的解释
刑诉法司法解释 {COURT}适用〈中华人民共和国刑事诉讼法〉的解释
行诉解释 {COURT}适用〈中华人民共和国行政诉讼法〉的解释
行政诉讼法司法解释 {COURT}适用〈中华人民共和国行政诉讼法〉的解释
反不正当竞争法解释 {COURT}适用〈中华人民共和国反不正当竞争法〉若干问题的解释
涉外法律适用法解释（一） {COURT}适用〈中华人民共和国涉外民事关系法律适用法〉若干问题的解释（一）
外商投资法司法解释 {COURT}适用〈中华人民共和国外商投资法〉若干问题的解释
工会法解释 {COURT}在民事审判工作中适用〈中华人民共和国工会法〉若干问题的解释
担保制度解释 {COURT}适用〈中华人民共和国民法典〉有关担保制度的解释
民法典担保制度司法解释 {COURT}适用〈中华人民共和国民法典〉有关担保制度的解释
民法典合同编通则解释 {COURT}适用〈中华人民共和国民法典〉合同编通则若干问题的解释
合同编通则司法解释 {COURT}适用〈中华人民共和国民法典〉合同编通则若干问题的解释
总则编解释 {COURT}适用〈中华人民共和国民法典〉总则编若干问题的解释
物权编解释一 {COURT}适用〈中华人民共和国民法典〉物权编的解释（一）
继承编司法解释（一） {COURT}适用〈中华人民共和国民法典〉继承编的解释（一）
民法典婚姻家庭编解释二 {COURT}适用〈中华人民共和国民法典〉婚姻家庭编的解释（二）
侵权责任编解释一 {COURT}适用〈中华人民共和国民法典〉侵权责任编的解释（一）
民法典时间效力规定 {COURT}适用〈中华人民共和国民法典〉时间效力的若干规定
劳动争议解释一 {COURT}审理劳动争议案件适用法律问题的解释（一）
劳动争议司法解释（二） {COURT}审理劳动争议案件适用法律问题的解释（二）
建工司法解释（一） {COURT}审理建设工程施工合同纠纷案件适用法律问题的解释（一）
建设工程解释 {COURT}审理建设工程施工合同纠纷案件适用法律问题的解释（一）
商品房买卖司法解释 {COURT}审理商品房买卖合同纠纷案件适用法律若干问题的解释
商品房解释 {COURT}审理商品房买卖合同纠纷案件适用法律若干问题的解释
买卖合同司法解释 {COURT}审理买卖合同纠纷案件适用法律问题的解释
融资租赁解释 {COURT}审理融资租赁合同纠纷案件适用法律问题的解释
房屋租赁司法解释 {COURT}审理城镇房屋租赁合同纠纷案件具体应用法律若干问题的解释
技术合同解释 {COURT}审理技术合同纠纷案件适用法律若干问题的解释
民间借贷司法解释 {COURT}审理民间借贷案件适用法律若干问题的规定
最高法关于民间借贷的司法解释 {COURT}审理民间借贷案件适用法律若干问题的规定
独立保函规定 {COURT}审理独立保函纠纷案件若干问题的规定
人身损害赔偿司法解释 {COURT}审理人身损害赔偿案件适用法律若干问题的解释
人损解释 {COURT}审理人身损害赔偿案件适用法律若干问题的解释
精神损害解释 {COURT}确定民事侵权精神损害赔偿责任若干问题的解释
精神损害赔偿司法解释 {COURT}确定民事侵权精神损害赔偿责任若干问题的解释
医疗损害解释 {COURT}审理医疗损害责任纠纷案件适用法律若干问题的解释
物业服务司法解释 {COURT}审理物业服务纠纷案件适用法律若干问题的解释
区分所有权解释 {COURT}审理建筑物区分所有权纠纷案件适用法律若干问题的解释
诉讼时效规定 {COURT}审理民事案件适用诉讼时效制度若干问题的规定
民事证据规定 {COURT}民事诉讼证据的若干规定
虚假陈述司法解释 {COURT}审理证券市场虚假陈述侵权民事赔偿案件的若干规定
彩礼规定 -
涉彩礼纠纷规定 {COURT}审理涉彩礼纠纷案件适用法律若干问题的规定
信息网络传播权规定 {COURT}审理侵害信息网络传播权民事纠纷案件适用法律若干问题的规定
执行异议复议规定 {COURT}人民法院办理执行异议和复议案件若干问题的规定
变更追加规定 {COURT}民事执行中变更、追加当事人若干问题的规定
网络司法拍卖规定 {COURT}人民法院网络司法拍卖若干问题的规定
执行和解规定 {COURT}执行和解若干问题的规定
交通肇事司法解释 {COURT}审理交通肇事刑事案件具体应用法律若干问题的解释
交通肇事罪解释 {COURT}审理交通肇事刑事案件具体应用法律若干问题的解释
抢劫解释 {COURT}审理抢劫案件具体应用法律若干问题的解释
自首立功解释 {COURT}处理自首和立功具体应用法律若干问题的解释
毒品犯罪司法解释 {COURT}审理毒品犯罪案件适用法律若干问题的解释
非法集资解释 {COURT}审理非法集资刑事案件具体应用法律若干问题的解释
盗窃解释 {COURTS}办理盗窃刑事案件适用法律若干问题的解释
两高关于办理盗窃案件的司法解释 {COURTS}办理盗窃刑事案件适用法律若干问题的解释
诈骗解释 {COURTS}办理诈骗刑事案件具体应用法律若干问题的解释
贪污贿赂解释 {COURTS}办理贪污贿赂刑事案件适用法律若干问题的解释
寻衅滋事司法解释 {COURTS}办理寻衅滋事刑事案件适用法律若干问题的解释
敲诈勒索解释 {COURTS}办理敲诈勒索刑事案件适用法律若干问题的解释
网络诽谤解释 {COURTS}办理利用信息网络实施诽谤等刑事案件适用法律若干问题的解释
侵犯公民个人信息解释 {COURTS}办理侵犯公民个人信息刑事案件适用法律若干问题的解释
帮信解释 {COURTS}办理非法利用信息网络、帮助信息网络犯罪活动等刑事案件适用法律若干问题的解释
渎职解释一 {COURTS}办理渎职刑事案件适用法律若干问题的解释（一）
掩隐解释 {COURTS}办理掩饰、隐瞒犯罪所得、犯罪所得收益刑事案件适用法律若干问题的解释
高检规则 人民检察院刑事诉讼规则
公司法解释 -
婚姻法解释 -
知识产权解释 -
食品安全解释 -
商标解释 -
法释〔2013〕21号 {COURTS}办理利用信息网络实施诽谤等刑事案件适用法律若干问题的解释
法释〔2020〕28号 {COURT}适用〈中华人民共和国民法典〉有关担保制度的解释
法释〔2023〕13号 {COURT}适用〈中华人民共和国民法典〉合同编通则若干问题的解释
法释〔2003〕20号 {COURT}审理人身损害赔偿案件适用法律若干问题的解释
法释〔2012〕21号 -
香港国安法 中华人民共和国香港特别行政区维护国家安全法
合同编 中华人民共和国民法典
民法典·侵权责任编 中华人民共和国民法典
中華人民共和國勞動合同法 中华人民共和国劳动合同法
"""


@pytest.mark.shared
def test_short_names_of_real_interpretations(corpus: Library) -> None:
    names = Names(corpus)
    rows = [line.split(" ") for line in REAL.split("\n") if line]
    assert len(rows) > 90
    resolved = {name: names.resolve(name, date(2025, 10, 1)).law for name, _ in rows}
    meant = {name: law.name if law else "-" for name, law in resolved.items()}
    wrong = [(name, meant[name], full) for name, full in rows if meant[name] != full]
    assert wrong == []


@pytest.mark.shared
def test_each_line_of_the_table_of_numbers_leads_to_one_law(corpus: Library) -> None:
    lines = Path(sources.__file__).with_name(NUMBERS).read_text("utf-8").splitlines()
    assert len(lines) > 100
    for line in lines[1:]:
        title, number = line.split("\t")
        assert [law.name for law in candidates(corpus, number)] == [title]

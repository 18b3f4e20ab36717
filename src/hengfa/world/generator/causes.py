"""What cases are about and where they are heard: causes of action and kinds of case, data only.

The frequencies are those of the observed judgments, rounded. Causes bear the names that courts use.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from hengfa.world.generator.courts import Level
from hengfa.world.generator.dice import Weighted

Family = Literal["civil", "enforcement", "administrative"]


class Cause(NamedTuple):
    """``claim`` is what money is owed for, ``facts`` what happened; ``people``: always a person
    sues."""

    name: str
    claim: str
    facts: str
    size: float = 1.0
    people: bool = False


class CaseKind(NamedTuple):
    """``sign`` stands in the case number, ``instance`` in the title."""

    sign: str
    instance: str
    family: Family
    levels: Weighted[Level]


CAUSES: Final = Weighted(
    [
        (Cause("买卖合同纠纷", "货款", "双方签订买卖合同，货物已经交付，余款到期未付"), 312),
        (
            Cause("建设工程施工合同纠纷", "工程款", "工程已经竣工验收，结算款未付清", 4.0),
            89,
        ),
        (Cause("侵害商标权纠纷", "经济损失", "商品包装上使用了与注册商标近似的标识", 0.2), 58),
        (Cause("劳务合同纠纷", "劳务费", "劳务已经提供，劳务费仅支付一部分", 0.2, people=True), 54),
        (Cause("合同纠纷", "合同价款", "合同约定的期限届满，一方没有履行"), 53),
        (Cause("建设工程合同纠纷", "工程款", "工程按图施工完毕，进度款拖欠", 3.0), 46),
        (
            Cause("劳动争议", "加班工资", "劳动合同解除后对应付款项有争议", 0.15, people=True),
            45,
        ),
        (
            Cause("提供劳务者受害责任纠纷", "赔偿款", "在提供劳务的过程中受伤", 0.4, people=True),
            22,
        ),
        (Cause("产品责任纠纷", "赔偿款", "使用所购产品时受到损失", 0.1, people=True), 16),
        (Cause("建设工程分包合同纠纷", "工程款", "分包部分已经完工，总包方未按约付款", 2.0), 15),
        (Cause("承揽合同纠纷", "加工费", "定作物已经交付，加工费未付清", 0.5), 14),
        (
            Cause("机动车交通事故责任纠纷", "赔偿款", "车辆在路口相撞", 0.3, people=True),
            13,
        ),
        (Cause("装饰装修合同纠纷", "装修款", "装修完工后对质量和尾款有争议", 0.6), 12),
        (Cause("建筑设备租赁合同纠纷", "租金", "设备退场后租金未结清", 0.6), 9),
        (Cause("财产损害赔偿纠纷", "赔偿款", "施工中损坏了相邻的财产", 0.5), 8),
        (Cause("劳动合同纠纷", "经济补偿", "劳动合同到期未续订", 0.15, people=True), 8),
        (Cause("侵害作品信息网络传播权纠纷", "经济损失", "未经许可在网页上使用图片", 0.05), 7),
        (Cause("不当得利纠纷", "返还款", "款项汇错账户后没有退回", 0.5), 7),
        (Cause("房屋租赁合同纠纷", "租金", "承租人逾期支付租金", 0.7), 7),
        (Cause("金融借款合同纠纷", "借款本金", "贷款到期后没有归还", 8.0), 6),
        (Cause("商品房销售合同纠纷", "违约金", "房屋交付晚于约定的日期", 0.4, people=True), 6),
        (Cause("定作合同纠纷", "定作款", "按图定作的产品已经交付，款项未付", 0.6), 5),
        (Cause("运输合同纠纷", "运费", "货物运到后运费未付", 0.3), 5),
        (Cause("股权转让纠纷", "股权转让款", "股权已经变更登记，转让款未付清", 10.0), 4),
    ]
)

_BASIC: Final[Weighted[Level]] = Weighted([("basic", 1)])
_CIVIL_FIRST: Final[Weighted[Level]] = Weighted([("basic", 92), ("intermediate", 8)])
_APPEAL: Final[Weighted[Level]] = Weighted([("intermediate", 95), ("high", 5)])
_REVIEW: Final[Weighted[Level]] = Weighted([("high", 92), ("supreme", 8)])
_ENFORCEMENT: Final[Weighted[Level]] = Weighted([("basic", 85), ("intermediate", 15)])

FIRST_OF_PROPERTY: Final = CaseKind("知民初", "一审", "civil", Weighted([("intermediate", 1)]))
CASE_KINDS: Final = Weighted(
    [
        (CaseKind("民初", "一审", "civil", _CIVIL_FIRST), 702),
        (CaseKind("民终", "二审", "civil", _APPEAL), 166),
        (CaseKind("执", "首次执行", "enforcement", _ENFORCEMENT), 74),
        (CaseKind("民申", "再审审查", "civil", _REVIEW), 25),
        (CaseKind("行终", "二审", "administrative", _APPEAL), 10),
        (CaseKind("行初", "一审", "administrative", _BASIC), 8),
        (CaseKind("执保", "财产保全", "enforcement", _BASIC), 7),
        (CaseKind("民再", "再审", "civil", _REVIEW), 5),
        (CaseKind("执恢", "恢复执行", "enforcement", _BASIC), 5),
    ]
)
PROPERTY_CAUSES: Final = frozenset({"侵害商标权纠纷", "侵害作品信息网络传播权纠纷"})
AUTHORITIES: Final = (
    "市场监督管理局",
    "生态环境局",
    "应急管理局",
    "自然资源局",
)

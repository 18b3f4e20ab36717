"""Disputes for writing tasks: what a complaint claims, and what the defence can say to it.

Every argument stands on a provision. Which law a world has is not known here, so each argument
names words by which its provision is found: in the law of the sample pack, or in the civil code.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Argument(NamedTuple):
    """A fact that only the defence knows, the argument, its key phrases, and the words of the
    provisions that it can rest on, any of them."""

    fact: str
    plea: str
    phrases: tuple[str, ...]
    grounds: tuple[tuple[str, ...], ...]


class Dispute(NamedTuple):
    """`{p}` is the plaintiff, `{d}` the defendants, `{sum}` the amount, `{day}` a date."""

    cause: str
    claim: str
    story: str
    arguments: tuple[Argument, ...]


_TOO_LATE: Final = Argument(
    "原告最后一次催告以后，超过法定期间没有再主张权利，也没有起诉",
    "原告没有在法定期间内主张权利，其请求已经超过法律保护的期间，依法应当驳回",
    ("法定期间", "超过法律保护的期间"),
    (("一年内", "起诉"), ("请求权", "二年内不行使而消灭"), ("诉讼时效期间为三年",)),
)
_SHARED_FAULT: Final = Argument(
    "现场记录显示，原告的人员没有按约定做好防护，对损失的发生也有过失",
    "原告对损失的发生同样存在过失，应当按照过失的大小自行承担相应部分",
    ("过失", "自行承担相应部分"),
    (("过失大小", "分担"), ("同一损害", "过错", "减轻"), ("对损失的发生有过错",)),
)
_UNFORESEEN: Final = Argument(
    "事发时当地突遇大风和雷击，气象部门此前没有发布预警",
    "损失由无法预料、无法躲避的情形造成，被告不应承担赔偿责任",
    ("无法预料", "不应承担赔偿责任"),
    (("无法预料", "自担损失"), ("不可抗力", "不承担民事责任"), ("不可抗力", "免除责任")),
)
_RETURNED: Final = Argument(
    "原告取货以后一直在使用这批货物，没有在约定的期间内提出异议",
    "原告已经使用货物，又没有及时提出异议，无权再要求退货退款",
    ("使用货物", "无权再要求退货"),
    (("没有用过的货物", "退还"), ("检验期限", "怠于通知"), ("检验期限", "数量或者质量")),
)
_DEPOSIT: Final = Argument(
    "原告付过定金，后来单方表示不再购买，原因与被告无关",
    "原告自己不履行约定，无权要求返还定金",
    ("不履行约定", "无权要求返还定金"),
    (("定钱", "无权要回"), ("定金", "双倍返还")),
)
_BOND: Final = Argument(
    "租期届满以后，被告在法定期间内已经退还押金，原告签收了收据",
    "押金已经按期退还，不存在逾期，原告要求加付没有依据",
    ("押金已经按期退还", "不存在逾期"),
    (("押金", "租期届满"), ("租赁期限届满", "返还租赁物")),
)
_EXAGGERATED: Final = Argument(
    "原告主张的违约金按日计算，累计已经超过货款本身的一半，而原告没有提交实际损失的凭证",
    "原告主张的数额明显超过实际损失，请求依法予以适当减少",
    ("明显超过实际损失", "适当减少"),
    (("违约金", "过分高于"),),
)

DISPUTES: Final[tuple[Dispute, ...]] = (
    Dispute(
        "买卖合同纠纷",
        "判令{d}退还货款{sum}元并支付违约金",
        "{day}，{p}与{d}签订购销合同，约定由{d}供应一批设备。{p}已经支付货款{sum}元。"
        "{p}认为货物不合用，多次联系{d}退货，{d}没有同意。",
        (_RETURNED, _EXAGGERATED, _TOO_LATE, _DEPOSIT),
    ),
    Dispute(
        "房屋租赁合同纠纷",
        "判令{d}返还押金并赔偿损失共计{sum}元",
        "{day}，{p}向{d}承租厂房一处并交付押金。租期届满以后，{p}搬离厂房，"
        "认为{d}没有及时退还押金，由此产生损失，合计{sum}元。",
        (_BOND, _TOO_LATE, _EXAGGERATED),
    ),
    Dispute(
        "财产损害赔偿纠纷",
        "判令{d}赔偿财产损失{sum}元",
        "{day}，{d}在运输和装卸过程中与{p}的设施发生碰撞，设施受损。"
        "{p}自行委托维修，支出{sum}元，要求{d}全部承担。",
        (_SHARED_FAULT, _UNFORESEEN, _TOO_LATE),
    ),
    Dispute(
        "定金合同纠纷",
        "判令{d}返还定金{sum}元",
        "{day}，{p}为采购货物向{d}支付定金{sum}元，此后双方没有继续交易。"
        "{p}要求{d}退还定金，{d}拒绝。",
        (_DEPOSIT, _TOO_LATE, _RETURNED),
    ),
)

LAYOUT: Final = (
    "答辩人：……\n地址：……\n法定代表人：……\n统一社会信用代码：……\n联系电话：……\n"
    "（有几个答辩人就依次写明几个）\n"
    "委托诉讼代理人：律师事务所名称，负责人姓名，通讯电话\n被答辩人：……\n答辩意见：……"
)

PLACES: Final = ("一", "二", "三", "四", "五")

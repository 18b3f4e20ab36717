"""The places of a rule that are easily filled wrongly: who, from when, with what consequence.

自登记时设立 and 自合同生效时设立 share their verb and little else. Where words on a provision and
the provision have the same frame (自……起, 由……承担, 视为……) and nothing of what fills it in common,
somebody should look: the words may be another way to say it, so this is a doubt, never a verdict.
Words of one kind that exclude each other (无效, 可以撤销) are compared as a set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hengfa.law.library.matching import QUOTED, normalise

_FILLED: Final = r"(?P<what>[^，。；：、,;:（）()“”自从由向经归]{1,16}?)"
# Each with what fills it: "登记" in 自登记时设立, "监事会" in 由监事会核查
_FRAMES: Final = tuple(
    re.compile(frame)
    for frame in (
        rf"(?:自|从)(?!己|然|行|主|愿|首){_FILLED}(?:之日|之时|那天|当日|[时日后]|起)+(?=起|开始|设立|生效|成立|计算|算|取得|发生|消灭)",
        rf"由{_FILLED}(?:自行)?(?=承担|负担|赔偿|赔|支付|批准|决定|管辖|证明|举证|垫付|责令|负责|享有|行使|核查|发出|出具|认定)",
        r"视为(?P<what>[^，。；：、,;:（）()“”]{2,4})",
        r"归(?P<what>[^，。；：、,;:（）()“”]{1,10}?)(?=所有|享有|[，。；,;]|$)",
        rf"经{_FILLED}(?=同意|批准|许可|追认)",
        rf"向{_FILLED}(?=申请|提出|提起|报告|请求|主张|起诉|追偿|备案)",
        r"以(?P<what>[^，。；：、,;:（）()“”以]{1,14}罪)(?=论处|定罪|追究|处罚)",
    )
)
# Words of one kind: what has one of them and none that the provision has says something else.
_KINDS: Final = (
    ("无效", "撤销", "有效", "效力待定", "不发生效力", "不成立", "终止", "解除", "继续履行"),
    ("连带", "按份", "补充责任", "相应的责任", "相应责任", "全部责任"),
    ("书面", "口头", "公证"),
    ("股东会", "董事会", "监事会", "经理", "法定代表人"),
    ("公安机关", "检察院", "检察机关", "法院", "仲裁委员会", "监察机关", "行政机关"),
    ("不负刑事责任", "应当负刑事责任", "从轻", "减轻", "免除处罚", "从重"),
    ("故意", "过失", "重大过失", "过错"),
    ("原告", "被告"), ("买受人", "出卖人"), ("出租人", "承租人"), ("债务人", "债权人", "保证人"),
    ("用人单位", "劳动者"), ("用工单位", "派遣单位"), ("委托人", "受托人"),
    ("停止执行", "不停止执行"), ("必须", "应当", "可以", "不得"),
)  # fmt: skip


def doubts(words: str, law: str) -> list[str]:
    """What some words about a provision fill otherwise than the provision."""
    return list(dict.fromkeys((*_other_fillings(words, law), *_other_kinds(words, law))))


def _other_fillings(words: str, law: str) -> Iterator[str]:
    for frame in _FRAMES:
        own = [normalise(match["what"], QUOTED) for match in frame.finditer(law)]
        for match in frame.finditer(words) if own else ():
            what = normalise(match["what"], QUOTED)
            if what and not any(_alike(what, other) for other in own):
                yield match[0]


def _alike(one: str, other: str) -> bool:
    """Whether two fillings have two letters in a row, or all of the shorter, in common."""
    if one in other or other in one:
        return True
    return any(one[at : at + 2] in other for at in range(len(one) - 1))


def _other_kinds(words: str, law: str) -> Iterator[str]:
    for kind in _KINDS:
        own = {word for word in kind if word in law}
        said = [word for word in kind if word in words]
        if own and said and not own.intersection(said):
            yield said[0]

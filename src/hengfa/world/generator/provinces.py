"""The provinces of the fictional country: names, signs in case numbers, division codes.

The signs are none that a real province has, and differ from each other; the codes are two digits
that no real division begins with. A municipality is its own only city, as in the real tables.
"""

from __future__ import annotations

from typing import Final, NamedTuple

COUNTRY: Final = "月湖"


class Province(NamedTuple):
    """``stem`` is the name without 省 or 市, ``sign`` its letter in case numbers."""

    stem: str
    pinyin: str
    sign: str
    code: int
    municipality: bool

    @property
    def name(self) -> str:
        return f"{self.stem}{'市' if self.municipality else '省'}"


_LISTED: Final = """
望汀 Wangting 汀 10 市
霜桥 Shuangqiao 霜 16
萤渡 Yingdu 萤 17
雾屿 Wuyu 雾 18
鹭滩 Lutan 鹭 19
芷坞 Zhiwu 芷 24
鹿原 Luyuan 鹿 25
听澜 Tinglan 澜 26 市
枫隘 Feng'ai 枫 27
雁矶 Yanji 雁 28
霞渚 Xiazhu 霞 29
荻湾 Diwan 荻 30
棠堰 Tangyan 棠 38
星陂 Xingpi 星 39
雪墟 Xuexu 雪 40
归帆 Guifan 帆 47 市
岚岫 Lanxiu 岚 48
苇泊 Weibo 苇 49
橘畈 Jufan 橘 55
鹤泽 Heze 鹤 56
砚坪 Yanping 砚 57
笛垄 Dilong 笛 58
灯崖 Dengya 灯 59
晓钟 Xiaozhong 晓 60 市
菱濑 Linglai 菱 66
鸥汊 Oucha 鸥 67
槐驿 Huaiyi 槐 68
蓼洲 Liaozhou 蓼 69
琴坳 Qin'ao 琴 70
麦岗 Maigang 麦 72
虹涧 Hongjian 虹 73
"""


def _read(line: str) -> Province:
    stem, pinyin, sign, code, *kind = line.split()
    return Province(stem, pinyin, sign, int(code), bool(kind))


PROVINCES: Final = tuple(_read(line) for line in _LISTED.split("\n") if line)
"""A small world has the first few, a large one all."""

"""Names of places, brands, firms, streets and people, and the characters they are made of.

A place, brand or firm is asked for by number; different numbers have different names. Streets with
their house numbers are different too. People may share a name, as they do.

The lists are our own. Characters of places, of brands and of law firms' names are three disjoint
sets, so that a name such as place + brand + trade can be taken apart in one way only; that is why
two different entities can never get one name. No character of a place is one of 省市区县.

The signs of the provinces are none that a real province has, and differ from each other; their
codes are two digits that no real division begins with. A municipality is its own only city, as in
the real tables.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hengfa.world.generator.dice import Dice, Shuffle, Stream, Weighted

# --- syllables ---


class Syllable(NamedTuple):
    """A character and how it is written in Latin letters."""

    character: str
    pinyin: str


def _syllables(listed: str) -> tuple[Syllable, ...]:
    return tuple(Syllable(syllable[0], syllable[1:]) for syllable in listed.split())


PLACE_FIRST: Final = _syllables("""
萤ying 鹭lu 霜shuang 雾wu 露lu 霞xia 虹hong 岚lan 汐xi 澜lan 芷zhi 荻di 蓼liao 苇wei 菱ling
橘ju 枫feng 槐huai 柘zhe 棠tang 桐tong 梨li 杏xing 桃tao 鹤he 雁yan 鸥ou 鹊que 鹿lu 鲤li 蟾chan
蝉chan 萱xuan 蒲pu 荇xing 藕ou 麦mai 稻dao 粟su 椒jiao 茶cha 酒jiu 纸zhi 笔bi 墨mo 砚yan 笛di
琴qin 鼓gu 钟zhong 灯deng 烛zhu 帆fan 桨jiang 篙gao 网wang 伞san 扇shan 星xing 雨yu 雪xue 晴qing
暮mu 晓xiao 曙shu 夜ye 听ting 寄ji 归gui 眠mian 棋qi 针zhen 线xian 陶tao 瓷ci 瓦wa 蓑suo 笠li
""")

PLACE_MIDDLE: Final = _syllables("""
上shang 下xia 南nan 北bei 东dong 西xi 小xiao 大da 新xin 旧jiu 长chang 横heng 前qian 后hou 里li
外wai 家jia 头tou 心xin 岸an 角jiao 尾wei 口kou 边bian
""")

PLACE_LAST: Final = _syllables("""
汀ting 渚zhu 坞wu 墟xu 滩tan 矶ji 屿yu 崖ya 岫xiu 坳ao 坪ping 垄long 畈fan 陂pi 泓hong 涧jian
桥qiao 渡du 泊bo 湾wan 篱li 檐yan 阁ge 坊fang 栈zhan 驿yi 隘ai 堡bao 圃pu 苑yuan
陌mo 原yuan 畔pan 洲zhou 泽ze 梁liang 峪yu 沱tuo 濑lai 汊cha 堰yan 闸zha 磴deng 碑bei
谷gu 坡po
""")

BRAND: Final = _syllables("""
昀yun 晟sheng 晗han 皓hao 煜yu 烨ye 焕huan 炜wei 灿can 朗lang 曜yao 昶chang 晔ye 翊yi 翎ling
翀chong 羿yi 骁xiao 骏jun 骐qi 骥ji 骅hua 鸿hong 鲲kun 麒qi 麟lin 璟jing 琮cong 琰yan 瑾jin 瑜yu
璞pu 珩heng 珺jun 玥yue 琅lang 琛chen 璇xuan 瑶yao 铎duo 钧jun 铭ming 锴kai 锦jin 钰yu 鑫xin
镕rong 铠kai 钦qin 屹yi 岱dai 峥zheng 嵘rong 崧song 巍wei 峻jun 砺li 磐pan 砥di 硕shuo 恺kai
悦yue 惟wei 惠hui 敦dun 懿yi 弘hong 彦yan 彰zhang 绍shao 绎yi 维wei 纬wei 绪xu 耘yun 稷ji 穗sui
穆mu 秉bing 筠yun 甄zhen 臻zhen 跃yue 迅xun 迈mai 逸yi 遴lin 睦mu 湛zhan 沐mu 澄cheng 涛tao
涵han 润run 沛pei 浩hao 瀚han 淳chun 清qing 源yuan 启qi 拓tuo 卓zhuo 越yue 腾teng 翔xiang 飞fei
""")

FIRM: Final = _syllables("""
正zheng 衡heng 明ming 允yun 公gong 持chi 守shou 达da 谨jin 言yan 信xin 义yi 诚cheng 中zhong 直zhi
平ping 鉴jian 辨bian 论lun 辩bian 典dian 章zhang 则ze 度du 准zhun 绳sheng 规gui 矩ju 方fang
本ben 道dao 德de 仁ren 礼li 智zhi 勤qin 勉mian 敏min 行xing 思si 慎shen 严yan 恪ke 笃du 立li
誉yu 嘉jia 和he 同tong 众zhong 百bai 尚shang 格ge 致zhi 治zhi 国guo 邦bang 安an 宁ning 恒heng
""")

_SURNAMES: Final = Weighted(
    (surname, weight)
    for weight, surnames in (
        (60, "王李张刘陈"),
        (25, "杨黄赵吴周徐孙马朱胡"),
        (12, "林郭何高罗郑梁谢宋唐许韩冯邓曹彭曾萧田董"),
        (5, "袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹"),
        (2, "薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"),
    )
    for surname in surnames
)
"""The frequent surnames are frequent here too."""

_GIVEN: Final = (
    "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英华玉萍红梅建国志新文斌宇浩凯健俊帆雪琳"
    "晨旭东海波鹏辉鑫婷慧莹佳欣怡雯思远泽宁安然子轩梓涵博雅诗雨晴天乐云山川江林森"
)

STREET_FIRST: Final = "朝晚春秋早迎和永丰长景文崇仁乐宜清碧翠锦玉金银红青白紫蓝古广远近静兴"
STREET_LAST: Final = "阳晖华实霞曦顺宁登乐秀渊德爱业居流波竹绣沙杏叶柳帆藤塔井埠望亭盛泰"
STREET_KINDS: Final = ("路", "大道", "街", "巷")
BUILDINGS: Final = ("大厦", "广场", "中心", "国际", "商务楼", "科创园")


# --- provinces ---

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


def _province(line: str) -> Province:
    stem, pinyin, sign, code, *kind = line.split()
    return Province(stem, pinyin, sign, int(code), bool(kind))


PROVINCES: Final = tuple(_province(line) for line in _LISTED.split("\n") if line)
"""A small world has the first few, a large one all."""


# --- names ---

_LARGEST_HOUSE: Final = 400
_TAKEN: Final = frozenset(province.stem for province in PROVINCES)
_SHORT_PLACES: Final = tuple(
    (first, last)
    for first in PLACE_FIRST
    for last in PLACE_LAST
    if first.character + last.character not in _TAKEN
)


class Name(NamedTuple):
    """A name without what follows it (市, 律师事务所, …), and in Latin letters."""

    text: str
    pinyin: str


class Places:
    """Stems of cities and counties: 霜渡, and 霜南渡 when the short ones are used up."""

    def __init__(self, seed: int) -> None:
        stream = Stream(seed, "place names")
        self._short = Shuffle(stream, len(_SHORT_PLACES))
        long = len(PLACE_FIRST) * len(PLACE_MIDDLE) * len(PLACE_LAST)
        self._long = Shuffle(stream, long, 1)

    def __call__(self, number: int) -> Name:
        if number < self._short.size:
            return _joined(*_SHORT_PLACES[self._short(number)])
        rest, last = divmod(self._long(number - self._short.size), len(PLACE_LAST))
        first, middle = divmod(rest, len(PLACE_MIDDLE))
        return _joined(PLACE_FIRST[first], PLACE_MIDDLE[middle], PLACE_LAST[last])


class Words:
    """Made-up words of two or three different syllables of one list, each once."""

    def __init__(self, seed: int, purpose: str, syllables: tuple[Syllable, ...]) -> None:
        self._syllables = syllables
        count = len(syllables)
        stream = Stream(seed, purpose)
        self._two = Shuffle(stream, count * (count - 1))
        self._three = Shuffle(stream, count * (count - 1) * (count - 2), 1)

    @property
    def short(self) -> int:
        """How many words of two syllables there are."""
        return self._two.size

    def two(self, number: int) -> Name:
        first, second = divmod(self._two(number), len(self._syllables) - 1)
        return self._chosen(first, second)

    def three(self, number: int) -> Name:
        rest, third = divmod(self._three(number), len(self._syllables) - 2)
        first, second = divmod(rest, len(self._syllables) - 1)
        return self._chosen(first, second, third)

    def __call__(self, number: int) -> Name:
        """Two syllables as long as there are such words, then three."""
        return self.two(number) if number < self.short else self.three(number - self.short)

    def _chosen(self, *places: int) -> Name:
        """The syllables at these places, each counted among those not yet taken."""
        taken: list[int] = []
        for place in places:
            taken.append(_skipping(place, taken))
        return _joined(*(self._syllables[place] for place in taken))


def _skipping(place: int, taken: list[int]) -> int:
    """The place in the whole list of what stands at ``place`` among those not taken."""
    for before in sorted(taken):
        place += place >= before
    return place


def brands(seed: int) -> Words:
    return Words(seed, "brands", BRAND)


def firm_words(seed: int) -> Words:
    return Words(seed, "firm names", FIRM)


class Houses:
    """Street and number: 春晖路12号. Different numbers are different houses."""

    SIZE: Final = len(STREET_FIRST) * len(STREET_LAST) * len(STREET_KINDS) * _LARGEST_HOUSE

    def __init__(self, seed: int) -> None:
        self._shuffle = Shuffle(Stream(seed, "houses"), self.SIZE)

    def __call__(self, number: int) -> str:
        rest, house = divmod(self._shuffle(number), _LARGEST_HOUSE)
        rest, kind = divmod(rest, len(STREET_KINDS))
        first, last = divmod(rest, len(STREET_LAST))
        return f"{STREET_FIRST[first]}{STREET_LAST[last]}{STREET_KINDS[kind]}{house + 1}号"


def person(dice: Dice) -> str:
    """A full name: 周雨晴, 何健."""
    surname = _SURNAMES.pick(dice)
    given = dice.pick(_GIVEN)
    return surname + (given if dice.chance(0.22) else given + dice.pick(_GIVEN))


def party_person(dice: Dice) -> str:
    """A person as judgments name one: 周某某, 周某1."""
    surname = _SURNAMES.pick(dice)
    return f"{surname}某{dice.between(1, 4) if dice.chance(0.17) else '某'}"


def starred_person(dice: Dice) -> str:
    """A person as registers of enforcement name one: 周**, 周*."""
    return f"{_SURNAMES.pick(dice)}{'*' if dice.chance(0.2) else '**'}"


def _joined(*syllables: Syllable) -> Name:
    text = "".join(syllable.character for syllable in syllables)
    return Name(text, "".join(syllable.pinyin for syllable in syllables).capitalize())

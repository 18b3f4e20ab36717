"""The characters that names are made of, with their sounds: lists of our own, data only.

Characters of places, of brands and of law firms' names are three disjoint sets, so that a name
such as place + brand + trade can be taken apart in one way only; that is why two different
entities can never get one name. No character of a place is one of 省市区县.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Syllable(NamedTuple):
    """A character and how it is written in Latin letters."""

    character: str
    pinyin: str


def _read(listed: str) -> tuple[Syllable, ...]:
    return tuple(Syllable(one[0], one[1:]) for one in listed.split())


PLACE_FIRST: Final = _read("""
萤ying 鹭lu 霜shuang 雾wu 露lu 霞xia 虹hong 岚lan 汐xi 澜lan 芷zhi 荻di 蓼liao 苇wei 菱ling
橘ju 枫feng 槐huai 柘zhe 棠tang 桐tong 梨li 杏xing 桃tao 鹤he 雁yan 鸥ou 鹊que 鹿lu 鲤li 蟾chan
蝉chan 萱xuan 蒲pu 荇xing 藕ou 麦mai 稻dao 粟su 椒jiao 茶cha 酒jiu 纸zhi 笔bi 墨mo 砚yan 笛di
琴qin 鼓gu 钟zhong 灯deng 烛zhu 帆fan 桨jiang 篙gao 网wang 伞san 扇shan 星xing 雨yu 雪xue 晴qing
暮mu 晓xiao 曙shu 夜ye 听ting 寄ji 归gui 眠mian 棋qi 针zhen 线xian 陶tao 瓷ci 瓦wa 蓑suo 笠li
""")

PLACE_MIDDLE: Final = _read("""
上shang 下xia 南nan 北bei 东dong 西xi 小xiao 大da 新xin 旧jiu 长chang 横heng 前qian 后hou 里li
外wai 家jia 头tou 心xin 岸an 角jiao 尾wei 口kou 边bian
""")

PLACE_LAST: Final = _read("""
汀ting 渚zhu 坞wu 墟xu 滩tan 矶ji 屿yu 崖ya 岫xiu 坳ao 坪ping 垄long 畈fan 陂pi 泓hong 涧jian
桥qiao 渡du 泊bo 湾wan 篱li 檐yan 阁ge 坊fang 栈zhan 驿yi 隘ai 堡bao 圃pu 苑yuan
陌mo 原yuan 畔pan 洲zhou 泽ze 梁liang 峪yu 沱tuo 濑lai 汊cha 堰yan 闸zha 磴deng 碑bei
谷gu 坡po
""")

BRAND: Final = _read("""
昀yun 晟sheng 晗han 皓hao 煜yu 烨ye 焕huan 炜wei 灿can 朗lang 曜yao 昶chang 晔ye 翊yi 翎ling
翀chong 羿yi 骁xiao 骏jun 骐qi 骥ji 骅hua 鸿hong 鲲kun 麒qi 麟lin 璟jing 琮cong 琰yan 瑾jin 瑜yu
璞pu 珩heng 珺jun 玥yue 琅lang 琛chen 璇xuan 瑶yao 铎duo 钧jun 铭ming 锴kai 锦jin 钰yu 鑫xin
镕rong 铠kai 钦qin 屹yi 岱dai 峥zheng 嵘rong 崧song 巍wei 峻jun 砺li 磐pan 砥di 硕shuo 恺kai
悦yue 惟wei 惠hui 敦dun 懿yi 弘hong 彦yan 彰zhang 绍shao 绎yi 维wei 纬wei 绪xu 耘yun 稷ji 穗sui
穆mu 秉bing 筠yun 甄zhen 臻zhen 跃yue 迅xun 迈mai 逸yi 遴lin 睦mu 湛zhan 沐mu 澄cheng 涛tao
涵han 润run 沛pei 浩hao 瀚han 淳chun 清qing 源yuan 启qi 拓tuo 卓zhuo 越yue 腾teng 翔xiang 飞fei
""")

FIRM: Final = _read("""
正zheng 衡heng 明ming 允yun 公gong 持chi 守shou 达da 谨jin 言yan 信xin 义yi 诚cheng 中zhong 直zhi
平ping 鉴jian 辨bian 论lun 辩bian 典dian 章zhang 则ze 度du 准zhun 绳sheng 规gui 矩ju 方fang
本ben 道dao 德de 仁ren 礼li 智zhi 勤qin 勉mian 敏min 行xing 思si 慎shen 严yan 恪ke 笃du 立li
誉yu 嘉jia 和he 同tong 众zhong 百bai 尚shang 格ge 致zhi 治zhi 国guo 邦bang 安an 宁ning 恒heng
""")

SURNAMES: Final = tuple(
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

GIVEN: Final = (
    "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英华玉萍红梅建国志新文斌宇浩凯健俊帆雪琳"
    "晨旭东海波鹏辉鑫婷慧莹佳欣怡雯思远泽宁安然子轩梓涵博雅诗雨晴天乐云山川江林森"
)

STREET_FIRST: Final = "朝晚春秋早迎和永丰长景文崇仁乐宜清碧翠锦玉金银红青白紫蓝古广远近静兴"
STREET_LAST: Final = "阳晖华实霞曦顺宁登乐秀渊德爱业居流波竹绣沙杏叶柳帆藤塔井埠望亭盛泰"
STREET_KINDS: Final = ("路", "大道", "街", "巷")
BUILDINGS: Final = ("大厦", "广场", "中心", "国际", "商务楼", "科创园")

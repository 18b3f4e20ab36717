"""The names of Chinese laws as strings: one spelling for each, and what is customarily shortened.

Nothing here knows which laws exist: a collection of laws decides that. The table lets a reader of
text recognise a name that stands without title marks, and says which names an abbreviation means.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from hengfa.law.grammar.numerals import format_number
from hengfa.law.grammar.script import simplified

STATE: Final = "中华人民共和国"

MAX_NAME: Final = 200
"""Longer strings are no names: the longest titles have about a hundred characters."""

_WIDTHS: Final = {
    **{ord("０") + digit: str(digit) for digit in range(10)},
    ord("("): "（",
    ord(")"): "）",
    ord("﹙"): "（",
    ord("﹚"): "）",
    ord("["): "〔",
    ord("]"): "〕",
    ord("［"): "〔",
    ord("］"): "〕",
    ord("【"): "〔",
    ord("】"): "〕",
    ord("."): "．",
    ord(","): "，",
}
# "《", "〈", "＜", " ", "\u200b"; not "（"
_MARKS_AND_BLANKS: Final = re.compile(r"[《》〈〉＜＞<>«»「」『』“”\"\s　\u200b\ufeff]++")

_YEAR: Final = r"(?:[0-9]{4}|[一二][零〇○一二三四五六七八九]{3})"
_EVENT: Final = "修正|修订|修改|订正|通过|施行|实施|试行|颁布|公布|发布|制定|生效|废止"
# What a bracket says of a version or a number: "（2018修正）", "〔2012年8月31日修正版〕",
# "（法释〔2015〕24号）", "（修订）"; not "（二）", "（试行）", "（草案）"
_VERSION_BRACKET: Final = re.compile(
    rf"（(?:{_YEAR}年?(?:[0-9]{{1,2}}月)?(?:[0-9]{{1,2}}日)?[^（）]{{0,24}}+"
    rf"|[^（）]{{0,12}}[〔（]{_YEAR}[〕）][^（）]{{0,12}}号|(?:{_EVENT})(?<!试行)(?:版|本|稿)?|现行有效|节选)）"
    rf"|〔{_YEAR}年?[^〔〕]{{0,16}}+〕"
)
# "2018年修正", "1997年" at the end of a name; not "2018" in 2018年度预算
_VERSION_SUFFIX: Final = re.compile(rf"{_YEAR}年?(?:{_EVENT})?(?:版|本|文本)?\Z")
# "2017年" in 2017年民事诉讼法, "2014年修正的"; not in 2018年世界杯条例, which stays as it is
_VERSION_PREFIX: Final = re.compile(
    rf"\A{_YEAR}年(?:[0-9]{{1,2}}月)?(?:[0-9]{{1,2}}日)?(?:{_EVENT})?(?:后?的)?(?=.{{0,60}}(?:法典?|解释|通则|总则)\Z)"
)
# The number of an interpretation or amendment: "三" in 公司法解释三, "之二", "（2）", "11" in
# 刑法修正案11; not "（三）", not in 规定三日
_COUNT: Final = re.compile(
    r"(?<=解释|规定|正案)(?:（(?P<digits>[1-9][0-9]?)）|之?(?P<count>[一二三四五六七八九十]{1,3}|[1-9][0-9]?))\Z"
)
CODE_PARTS: Final = ("物权编", "合同编", "人格权编", "婚姻家庭编", "继承编", "侵权责任编")
"""Parts of the Civil Code that no other law has; each may stand for it."""
# "民法典·合同编", "民法典（人格权编）"; not "民法典合同编通则解释"
_CODE_PART: Final = re.compile(
    rf"\A民法典[·•・．—–-]*（?(?:第[一二三四五六七]编)?(?:总则编?|{'|'.join(CODE_PARTS)})(?:通则|分则)?）?\Z"
)


@lru_cache(maxsize=4096)
def normalise_name(text: str) -> str:
    """One spelling for the names of one law: 《中华人民共和国刑法（2020修正）》 is 刑法.

    Title marks, blanks, the words 中华人民共和国 and remarks on the version go, wherever they
    stand; brackets become full-width, digits half-width and characters simplified; 解释三 becomes
    解释（三）, and a part of the Civil Code the code. What tells laws apart stays: （二）,
    （试行）, 实施细则, the court that issued an interpretation. Abbreviations are not resolved.
    Normalising twice changes nothing; a name of nothing but such ornaments is left as it is.
    """
    bare = simplified(_MARKS_AND_BLANKS.sub("", text)).translate(_WIDTHS)
    if len(bare) > MAX_NAME:
        return bare
    while True:
        shorter = bare.replace(STATE, "")
        shorter = _VERSION_BRACKET.sub("", shorter)
        shorter = _VERSION_SUFFIX.sub("", shorter)
        shorter = _VERSION_PREFIX.sub("", shorter)
        shorter = _CODE_PART.sub("民法典", _COUNT.sub(_in_brackets, shorter))
        if shorter == bare or not shorter:
            return bare
        bare = shorter


def _in_brackets(match: re.Match[str]) -> str:
    count = match["digits"] or match["count"]
    return f"（{format_number(int(count)) if count.isascii() else count}）"


# The table: facts only, all names as `normalise_name` writes them.

# Laws that are cited without title marks, by the name that they bear. Without this table a name is
# still found by its form (…法, …条例); with it, its first character is certain.
_STATUTES: Final = """
    宪法 立法法 国籍法 国旗法 国歌法 国徽法 国防法 兵役法 戒严法 反分裂国家法 国家安全法 反间谍法
    反恐怖主义法 香港特别行政区基本法 澳门特别行政区基本法 民族区域自治法 集会游行示威法
    外国国家豁免法 对外关系法 全国人民代表大会组织法 地方各级人民代表大会和地方各级人民政府组织法
    国务院组织法 人民法院组织法 人民检察院组织法 监察法 监察官法 公务员法 法官法 检察官法
    人民警察法 人民武装警察法 律师法 公证法 全国人民代表大会和地方各级人民代表大会选举法
    各级人民代表大会常务委员会监督法 村民委员会组织法 城市居民委员会组织法 缔结条约程序法
    领事特权与豁免条例 外交特权与豁免条例 国家情报法 保守国家秘密法 密码法 民法典 民法通则
    民法总则 合同法 经济合同法 涉外经济合同法 技术合同法 物权法 担保法 侵权责任法 婚姻法 继承法
    收养法 公司法 合伙企业法 个人独资企业法 外商投资法 中外合资经营企业法 中外合作经营企业法
    外资企业法 全民所有制工业企业法 乡镇企业法 中小企业促进法 民营经济促进法 农民专业合作社法
    农村集体经济组织法 企业破产法 证券法 证券投资基金法 期货和衍生品法 信托法 保险法 票据法
    商业银行法 中国人民银行法 银行业监督管理法 反洗钱法 海商法 拍卖法 电子签名法 电子商务法
    招标投标法 政府采购法 著作权法 专利法 商标法 反不正当竞争法 反垄断法 消费者权益保护法
    产品质量法 广告法 价格法 食品安全法 药品管理法 疫苗管理法 农产品质量安全法
    涉外民事关系法律适用法 农村土地承包法 土地管理法 城市房地产管理法 城乡规划法 建筑法
    不动产登记暂行条例 物业管理条例 对外贸易法 出口管制法 反外国制裁法 海南自由贸易港法 刑法
    刑法修正案 刑事诉讼法 社区矫正法 监狱法 引渡法 国际刑事司法协助法 禁毒法 治安管理处罚法
    预防未成年人犯罪法 反有组织犯罪法 反电信网络诈骗法 反家庭暴力法 枪支管理法 看守所法
    看守所条例 法律援助法 人民陪审员法 人民调解法 民事诉讼法 行政诉讼法 海事诉讼特别程序法 仲裁法
    劳动争议调解仲裁法 农村土地承包经营纠纷调解仲裁法 行政复议法 行政处罚法 行政许可法 行政强制法
    国家赔偿法 政府信息公开条例 信访工作条例 出境入境管理法 护照法 居民身份证法 户口登记条例
    道路交通安全法 道路交通安全法实施条例 消防法 突发事件应对法 防震减灾法 防洪法 气象法
    网络安全法 数据安全法 个人信息保护法 民用航空法 铁路法 公路法 港口法 航道法 海上交通安全法
    邮政法 测绘法 档案法 统计法 审计法 会计法 注册会计师法 资产评估法 预算法 税收征收管理法
    个人所得税法 企业所得税法 增值税法 消费税法 契税法 房产税暂行条例 车船税法 印花税法 资源税法
    环境保护税法 耕地占用税法 城市维护建设税法 烟叶税法 船舶吨税法 车辆购置税法 关税法 海关法
    进出口商品检验法 进出境动植物检疫法 国境卫生检疫法 环境保护法 海洋环境保护法 大气污染防治法
    水污染防治法 土壤污染防治法 固体废物污染环境防治法 噪声污染防治法 环境噪声污染防治法
    放射性污染防治法 环境影响评价法 清洁生产促进法 循环经济促进法 节约能源法 可再生能源法 能源法
    电力法 煤炭法 矿产资源法 石油天然气管道保护法 核安全法 水法 水土保持法 森林法 草原法
    湿地保护法 黑土地保护法 长江保护法 黄河保护法 青藏高原生态保护法 野生动物保护法 渔业法 畜牧法
    种子法 动物防疫法 生物安全法 海域使用管理法 海岛保护法 防沙治沙法 农业法 农业技术推广法
    农业机械化促进法 乡村振兴促进法 粮食安全保障法 反食品浪费法 劳动法 劳动合同法
    劳动合同法实施条例 就业促进法 社会保险法 工伤保险条例 失业保险条例 工会法 安全生产法
    矿山安全法 特种设备安全法 职业病防治法 职工带薪年休假条例 女职工劳动保护特别规定
    妇女权益保障法 未成年人保护法 老年人权益保障法 残疾人保障法 无障碍环境建设法
    归侨侨眷权益保护法 军人保险法 退役军人保障法 军人地位和权益保障法 英雄烈士保护法
    家庭教育促进法 教育法 义务教育法 高等教育法 职业教育法 学前教育法 民办教育促进法 教师法
    学位法 学位条例 国家通用语言文字法 科学技术进步法 科学技术普及法 促进科技成果转化法
    文物保护法 非物质文化遗产法 公共文化服务保障法 公共图书馆法 电影产业促进法 体育法 旅游法
    慈善法 公益事业捐赠法 红十字会法 境外非政府组织境内活动管理法 人口与计划生育法 母婴保健法
    传染病防治法 献血法 精神卫生法 医师法 执业医师法 中医药法 基本医疗卫生与健康促进法
    医疗事故处理条例 医疗纠纷预防和处理条例 机动车交通事故责任强制保险条例 婚姻登记条例
    国有土地上房屋征收与补偿条例 建设工程质量管理条例 计算机软件保护条例 信息网络传播权保护条例
    植物新品种保护条例 集成电路布图设计保护条例 著作权法实施条例 专利法实施细则 商标法实施条例
    土地管理法实施条例 企业国有资产法 外商投资法实施条例
"""

_SPC: Final = "最高人民法院"
_SPC_SPP: Final = "最高人民法院、最高人民检察院"

_SHORT: Final = Path(__file__).with_name("short_names.tsv")
_PLAIN: Final = dict(line.split("\t") for line in _SHORT.read_text("utf-8").splitlines())
"""Short names with one meaning."""

# Several meanings: only the case, its date or its place tells which.
_AMBIGUOUS: Final[dict[str, tuple[str, ...]]] = {
    "民法": ("民法典", "民法总则", "民法通则"),
    "诉讼法": ("民事诉讼法", "刑事诉讼法", "行政诉讼法"),
    "基本法": ("香港特别行政区基本法", "澳门特别行政区基本法"),
    "处罚法": ("行政处罚法", "治安管理处罚法"),
    "组织法": ("人民法院组织法", "人民检察院组织法", "国务院组织法", "全国人民代表大会组织法"),
    "破产法": ("企业破产法", "企业破产法（试行）"),
    "安全法": ("安全生产法", "道路交通安全法", "食品安全法", "国家安全法"),
    "交通安全法": ("道路交通安全法", "海上交通安全法"),
    "交法": ("道路交通安全法", "海上交通安全法"),
    "银行法": ("商业银行法", "中国人民银行法", "银行业监督管理法"),
    "环境法": ("环境保护法", "海洋环境保护法"),
    "企业法": ("全民所有制工业企业法", "合伙企业法", "个人独资企业法", "外资企业法"),
    "合资法": ("中外合资经营企业法", "中外合作经营企业法"),
    "竞争法": ("反不正当竞争法", "反垄断法"),
    "税法": ("税收征收管理法", "个人所得税法", "企业所得税法"),
    "教育促进法": ("家庭教育促进法", "民办教育促进法"),
    "公司法解释": tuple(f"{_SPC}关于适用公司法若干问题的规定（{n}）" for n in "一二三四五"),
    "公司法司法解释": tuple(f"{_SPC}关于适用公司法若干问题的规定（{n}）" for n in "一二三四五"),
    "合同法解释": tuple(f"{_SPC}关于适用合同法若干问题的解释（{n}）" for n in "一二"),
    "合同法司法解释": tuple(f"{_SPC}关于适用合同法若干问题的解释（{n}）" for n in "一二"),
    "婚姻法解释": tuple(f"{_SPC}关于适用婚姻法若干问题的解释（{n}）" for n in "一二三"),
    "婚姻法司法解释": tuple(f"{_SPC}关于适用婚姻法若干问题的解释（{n}）" for n in "一二三"),
    "保险法解释": tuple(f"{_SPC}关于适用保险法若干问题的解释（{n}）" for n in "一二三四"),
    "保险法司法解释": tuple(f"{_SPC}关于适用保险法若干问题的解释（{n}）" for n in "一二三四"),
    "婚姻家庭编解释": tuple(f"{_SPC}关于适用民法典婚姻家庭编的解释（{n}）" for n in "一二"),
}

abbreviations: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {short: (full,) for short, full in _PLAIN.items()}
    | dict.fromkeys(CODE_PARTS, ("民法典",))
    | _AMBIGUOUS
)
"""What a customary short name means, all as :func:`normalise_name` writes them.

Several names mean that the abbreviation is ambiguous: ask, or let the date of the case decide.
"""

CUSTOMARY: Final = frozenset(_STATUTES.split()) | _PLAIN.keys()
"""Normalised names that are recognised without title marks: 刑法, 民诉法, 九民纪要.

Ambiguous ones are not among them: 处罚法 may be the end of a name that the table does not hold.
"""

ABBREVIATED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        full: tuple(short for short, meant in _PLAIN.items() if meant == full)
        for full in frozenset(_STATUTES.split()) & frozenset(_PLAIN.values())
    }
)
"""The customary short names of a statute."""

_ENGLISH: Final = """
    民法典: civil code
    民法总则: general provisions of the civil law; general rules of the civil law
    民法通则: general principles of the civil law; general principles of civil law
    合同法: contract law
    物权法: property law; property rights law; real right law; real rights law
    侵权责任法: tort law; tort liability law; law on tort liability
    担保法: guarantee law; guaranty law
    婚姻法: marriage law
    继承法: succession law; inheritance law; law of succession; law on succession
    收养法: adoption law
    宪法: constitution
    立法法: legislation law
    刑法: criminal law; criminal code; penal code
    刑事诉讼法: criminal procedure law
    民事诉讼法: civil procedure law
    行政诉讼法: administrative procedure law; administrative litigation law
    行政复议法: administrative reconsideration law
    行政处罚法: administrative penalty law; administrative penalties law;
        law on administrative penalty
    行政许可法: administrative license law; administrative licensing law
    行政强制法: administrative compulsion law; administrative coercion law
    国家赔偿法: state compensation law
    仲裁法: arbitration law
    公司法: company law
    合伙企业法: partnership law; partnership enterprise law
    外商投资法: foreign investment law
    企业破产法: enterprise bankruptcy law
    证券法: securities law
    证券投资基金法: securities investment fund law; securities investment funds law
    保险法: insurance law
    信托法: trust law
    票据法: negotiable instruments law; negotiable instrument law;
        law on negotiable instruments
    商业银行法: commercial bank law; commercial banking law; law on commercial banks
    海商法: maritime law; maritime code
    反洗钱法: anti-money laundering law
    劳动法: labor law
    劳动合同法: labor contract law; employment contract law
    劳动争议调解仲裁法: labor dispute mediation and arbitration law;
        law on labor dispute mediation and arbitration
    社会保险法: social insurance law
    就业促进法: employment promotion law
    工会法: trade union law
    安全生产法: work safety law; production safety law
    个人信息保护法: personal information protection law; pipl
    网络安全法: cybersecurity law; cyber security law
    数据安全法: data security law
    电子商务法: e-commerce law; electronic commerce law
    电子签名法: electronic signature law; electronic signatures law
    消费者权益保护法: consumer protection law; consumer rights protection law;
        consumer rights and interests protection law;
        law on the protection of consumer rights and interests;
        law on protection of consumer rights and interests;
        law on the protection of consumers' rights and interests
    产品质量法: product quality law
    食品安全法: food safety law
    药品管理法: drug administration law; pharmaceutical administration law
    广告法: advertising law; advertisement law
    反垄断法: anti-monopoly law; antimonopoly law
    反不正当竞争法: anti-unfair competition law; anti unfair competition law
    商标法: trademark law
    专利法: patent law
    著作权法: copyright law
    招标投标法: bidding law; tendering and bidding law; bid invitation and bidding law;
        law on tendering and bidding
    政府采购法: government procurement law
    建筑法: construction law
    土地管理法: land administration law; land management law
    城市房地产管理法: urban real estate administration law
    环境保护法: environmental protection law
    道路交通安全法: road traffic safety law; law on road traffic safety
    治安管理处罚法: public security administration punishments law;
        public security administration punishment law;
        public security administration penalties law;
        law on penalties for administration of public security
    税收征收管理法: tax collection administration law; law on the administration of tax collection
    企业所得税法: enterprise income tax law
    个人所得税法: individual income tax law
    海关法: customs law
    对外贸易法: foreign trade law
    出口管制法: export control law
    反外国制裁法: anti-foreign sanctions law
    涉外民事关系法律适用法: law on the application of laws to foreign-related civil relations;
        law on choice of law for foreign-related civil relationships
    会计法: accounting law
    律师法: lawyers law; law on lawyers
    监察法: supervision law
    国籍法: nationality law
    反家庭暴力法: anti-domestic violence law
    未成年人保护法: law on the protection of minors; minors protection law
"""

ENGLISH: Final[Mapping[str, str]] = MappingProxyType(
    {
        title.strip(): name.strip()
        for name, titles in (
            entry.split(":") for entry in _ENGLISH.replace(";\n", ";").strip().splitlines()
        )
        for title in titles.split(";")
    }
)
"""Laws by their English titles, in small letters, without the words that say whose they are."""

# "最高人民法院、最高人民检察院", "两高" before the title of an interpretation; not "最高法院组织法"
_COURTS: Final = re.compile(
    r"\A(?:最高人民法院|最高人民检察院|最高法院|最高院|最高法|最高检|两高|公安部|国家安全部|司法部|[、，和]){1,9}"
    r"(?=关于|.{2,40}(?:解释|规定)(?:（[一二三四五六七八九十]{1,3}）)?\Z)"
)


def without_courts(name: str) -> str:
    """The title of an interpretation as it is cited: without those who issued it."""
    return _COURTS.sub("", name)

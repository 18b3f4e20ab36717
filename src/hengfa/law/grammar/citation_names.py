"""Which law a position belongs to, read from the words before it: 《…》, 刑法, 同法, 该解释, 合同.

Everything here looks back a bounded number of characters from one place, so that a text of any
kind is read in time proportional to its length.

All expressions see text after :func:`hengfa.law.grammar.citation_positions.canonical`: ，is a
comma, digits are half-width. Those that end in ``\\Z`` are tried on a short piece of text that
ends at one place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from hengfa.law.grammar.citation_model import Basis, Kind, VersionHint
from hengfa.law.grammar.law_names import (
    CODE_PARTS,
    CUSTOMARY,
    STATE,
    abbreviations,
    normalise_name,
    shortest_name,
)

_LAW_WORDS: Final = (
    "法典|法律|法|条例|司法解释|解释|规定|办法|实施细则|细则|规则|通则|总则|决定|意见|会议纪要|纪要"
    "|批复|公约|修正案|规程|规范|准则|安排|通知|答复|复函|议定书|条约|规章|大纲|指引|指南|标准|协定|宪章|守则"
    "|法案|解答"
)
_PAPER_WORDS: Final = (
    "合同|协议|合同书|协议书|章程|条款|约定|契约|保函|保单|手册|制度|须知|公告|备忘录|计划|方案|清单"
    "|文本|书|函|判决|裁定|裁决|民约|遗嘱|笔录|说明|附件|预案|声明|报告|简章|规划|决议"
)
PARTS: Final = frozenset({"编", "章", "节"})
_COUNT: Final = "[一二三四五六七八九十]"

# The number of an interpretation without brackets: "三" in 公司法解释三, "11" in 修正案11
_BARE_COUNT: Final = rf"(?<=解释|规定|正案)之?(?:{_COUNT}{{1,3}}|[1-9][0-9]?)"
_COUNT_END: Final = re.compile(rf"{_BARE_COUNT}\Z")
_COUNTS: Final = frozenset("一二三四五六七八九十0123456789")
# "法" in 民用航空法, "解释（二）", "修正案(八)", "解释三"; not "合同"
_LAW_END: Final = re.compile(
    rf"(?:{_LAW_WORDS})(?:[（(](?:{_COUNT}{{1,3}}|[1-9][0-9]?|试行|暂行)[)）]|{_BARE_COUNT})?\Z"
)
# "公司法解释（三）", one of several on a law; not "解释（三）"
ONE_OF_SEVERAL: Final = re.compile(r".+(?:解释|规定)（[^（）]++）")
# "解释（三）": the third of those on a law named before; not "公司法解释（三）"
_COUNTED_ALONE: Final = re.compile(r"(?:司法)?(?:解释|规定)（(?P<number>[^（）]++)）")
# "合同", "公司章程", "判决书", "租赁合同（草签版）"; not "合同法"
_PAPER_END: Final = re.compile(rf"(?:{_PAPER_WORDS})(?:[（(][^（()）]{{1,12}}[)）])?\Z")
# Words on 法 that are no laws: "方法", "违法"; not "民法"
_NO_LAW: Final = re.compile(r"[方做看想说用合违执司立无非依手枉守犯普算打写玩疗]法\Z")
# Names that stand for any law: "司法解释"; not "盗窃解释"
_ANY_LAW: Final = frozenset(
    ("法律", "司法解释", "立法解释", "有关规定", "相关规定", "法律规定", "以上规定")
)
# Rulings on a case: "处罚决定", "法委赔字第4号国家赔偿决定"; not "关于修改刑法的决定"
_RULING_END: Final = re.compile(r"号|(?:处罚|赔偿|复议|处理|强制|仲裁|行政)决定\Z")
# "的解释", "的若干规定(二)", where a name with 关于 may end; not "法"
_ABOUT_END: Final = re.compile(
    r"(?:解释|规定|批复|意见|决定|通知|纪要|答复|复函|安排|办法|规则|公告|函)"
    r"(?:[（(][^（()）]{1,6}[)）])?\Z"
)

# "该法", "同法", "本条例", "上述司法解释", "该管理规则"; not "合同法", "基本法", "成本法"
_POINTING: Final = re.compile(
    r"(?:(?<![合共雷等])(?P<same>同)(?=一?(?:法|条例|(?:司法)?解释)\Z)|(?<!应)(?P<that>该|此|前引)"
    r"|(?<![基根日版])(?<!(?<![构造完形达])成)(?P<this>本)|(?P<above>上述|前述|上列|前列))"
    rf"[一《]?(?:(?![第条款项法和与及或的本该此])[一-鿿]){{0,8}}?》?(?P<word>{_LAW_WORDS}|{_PAPER_WORDS}|[编章节])》?"
    rf"(?:[（(]{_COUNT}{{1,3}}[)）])?\Z"
)
# "该" before a short name that the text defined, 该《解释》; not "应"
_POINTED_AT: Final = re.compile(r"(?:该|上述|前述)\Z")

# Words that a name does not begin with, up to the last of them: "根据", "违反", "）"; "和" in
# 民法典和公证法, but not in 医疗器械注册与备案管理办法
_BEFORE_NAME: Final = re.compile(
    r"\A.*(?:根据|依据|依照|按照|参照|遵照|比照|对照|遵守|违反|违背|触犯|援引|引用|引自|符合|属于|认定为?"
    r"|构成|适用(?!法)|具有|结合|(?<!意)见|以及|或者|关于|依[法循]?|例如|即使|虽然|因为|由于|并且|而且"
    r"|是否|现行|有效|本案|原审|一审|二审|法院|履行|类中的|其中|简称|下称|(?<!行)为"
    r"|(?<=[法典例定释则》条款项见])[和与及或、]"
    r"|[的在对将由于是即其该此了因则且但而向从被使据照按如受除至到非以引指有)）])",
    re.DOTALL,
)
# What a run of words that holds a name does not go beyond: "。", "，", "“", " "; not "、", "（"
_BREAK: Final = re.compile(r"[。;；!！?？\n “”\"'‘’:：,…\]】>#*|]")
# What no customary name holds: "》", "，", "2"; not "（", "、"
_NO_NAME: Final = re.compile(r"[^一-鿿（()）A-Z、—]")

# "德国", "台湾地区现行"; not "中国"
_ELSEWHERE: Final = (
    r"(?:境外|外国|德国|(?<![民刑宪商])法国|英国|美国|日本|韩国|俄罗斯|意大利|瑞士|奥地利|荷兰|澳门|香港|台湾|欧盟|新加坡|加拿大"
    r"|澳大利亚|新西兰|印度|越南|泰国|西班牙|葡萄牙|比利时|瑞典|挪威|丹麦|芬兰|波兰|巴西|墨西哥|阿根廷|南非|以色列"
    r"|土耳其|马来西亚|菲律宾|印度尼西亚|蒙古国?|朝鲜|苏联|民国(?:时期)?|联合国)"
    r"(?:特别行政区|地区|当局|联邦|现行|的){0,2}"
)
# "德国" before 民法典 or 《民法典》
_FOREIGN: Final = re.compile(rf"{_ELSEWHERE}\Z")
_ISSUERS: Final = (
    "最高人民法院|最高人民检察院|最高法院|最高检察院|最高法|最高检|两高|全国人民代表大会常务委员会"
    "|全国人民代表大会|全国人大常委会法制工作委员会|全国人大常委会|全国人大|国务院|公安部|国家安全部"
    "|司法部|民政部|财政部|海关总署|商务部|国家税务总局|国家工商行政管理总局|国家市场监督管理总局"
    "|人力资源和社会保障部|人力资源社会保障部|劳动和社会保障部|劳动部|住房和城乡建设部|建设部"
    "|交通运输部|教育部|卫生部|国家卫生健康委员会|中国人民银行|中国证券监督管理委员会|中国证监会"
    "|中国银行保险监督管理委员会|中国银保监会|国家知识产权局|中国海警局|国家林业局|自然资源部"
    "|生态环境部|农业农村部|应急管理部"
)
# "最高人民法院、最高人民检察院" before 《关于…》; not "高级人民法院"
_ISSUED_BY: Final = re.compile(rf"(?:(?:{_ISSUERS})(?:办公厅)?[、,和及 ]?)++\Z")

_DATE: Final = (
    r"(?P<year>(?:19|20)[0-9]{2}|[一二][零○一二三四五六七八九]{3}) ?年?"
    r"(?: ?(?P<month>[0-9]{1,2}) ?月)?(?: ?(?P<day>[0-9]{1,2}) ?日)?"
)
_EVENTS: Final = "修正|修订|修改|订正|通过|施行|实施|颁布|公布|发布|制定|生效|废止|版"
# "2012年修正", "1989年4月4日通过", "2018年"; not "草签版"
_DATED: Final = re.compile(rf"{_DATE}[^。\n,]{{0,10}}?(?:(?P<event>{_EVENTS})|(?=,)|\Z)")
# "已废止", "现已失效"; not "2021年废止"
_REPEALED_REMARK: Final = re.compile("(?:现|已|业已|已经|现已)?被?(?:废止|失效)")
# "〔2015〕24号", "(2014)9号"; not "2014年9月"
_DOCUMENT_NUMBER: Final = re.compile(
    r"[〔\[（(［](?P<year>(?:19|20)[0-9]{2})[〕\]）)］][^（()）]{0,4}?[0-9]{1,6}号"
)
# "法释〔2013〕8号", "高检发释字[2012]2号", "国务院令第586号"; not "(2019)京01民终1号"
_NUMBER_END: Final = re.compile(
    r"(?P<code>[一-鿿]{1,10}(?:[（(][一-鿿][)）][一-鿿]{0,3})?"
    r"(?:[〔\[【（(［](?P<year>[12][0-9]{3})[〕\]】）)］] ?|(?<=令)))(?:第 ?)?[0-9]{1,5} ?号\Z"
)
# Who numbers the papers that are cited: "法释" in 另见法释〔2013〕8号; not "见"
_CODES: Final = re.compile(
    r"(?:法释|法发|法办发?|法明传|法函|法复|法[（(][一-鿿][)）]发|高检发(?:释字|研字)?|高检会|公通字|国发|国办发|国函"
    r"|财税|国税发|劳部发|劳社部发|人社部发|银发|国务院令|主席令)(?=[〔\[【（(［第]|令)"
)
# "GDPR" before 第十七条; not "Article"
_ACRONYM: Final = re.compile(r"(?<![A-Za-z])[A-Z]{2,8}\Z")
# The law of the time of the facts: "当时的", "合同签订时有效的", "行为时的"; not "同时的", "此时"
THEN: Final = (
    "[当彼]时(?:有效|生效|施行|适用)?的?(?:法律)?"
    "|(?:行为|签订|签约|缔约|订立|成立|发生|案发|事发|开始|履行|交易|借款)时(?:有效|生效|施行|适用)?的?"
    "|[法典](?:施行|实施)之?前的|[12][0-9]{3}年(?:[以之]前|前)(?:有效|施行|适用)?的"
)
# "1997年" in 1997年刑法, "2001年修正的" in 2001年修正的商标法, "修订后的", "旧"; not "7月，"
_DATED_BEFORE: Final = re.compile(
    rf"(?:{_DATE}起?(?:(?P<event>{_EVENTS})[后前]?)?(?:之后)?的?"
    r"|(?P<word>(?:修正|修订|修改)[前后]的?|旧|新|原|现行|(?:已经?被?|现已)(?:废止|失效)的?|(?:废止|失效)前的?"
    rf"|(?P<then>{THEN})))\Z"
)
# A number of another version of the law: "（原" in （原第二十一条）, "现为"; not "（二"
OTHER_VERSION: Final = re.compile(r"(?:[（(](?:即?原|现)为?|(?:修改|修正|修订)[前后]的?为)\Z")

# What may stand between a law's name and the position: "的", "中的", "分则", "第九章", "：",
# "婚姻家庭编", "</span>", "**", "相关条文", "角度看，"; not "规定", "和"
_GLUE: Final = re.compile(
    r"(?:[ \n]{1,4}|(?<= )[0-9]{1,2}[、.]|\*\*|#{1,4}|[-•]|<[^<>\n]{1,20}>"
    r"|里面的|中的|里的|里|中|之中|原来的|原|的|所列|规定如下|节选|(?<=[法典例》〉])规定"
    r"|(?:的?(?:角度|层面|方面|视角|领域|部分)(?:上|来)?[看说讲言]?|[上来][看说讲]|而言|[上下]|规定),"
    r"|上|规定[：:]|(?<=[法典例释》〉中]),"
    r"|(?:(?:相关|有关|主要)(?:的?法律)?)?(?:条文|(?<=[律关要])(?:条款|法条|规定))"
    rf"|第 ?(?:[0-9]|{_COUNT}){{1,3}}(?:章|节|编|分编|部分|卷)"
    rf"|{'|'.join(CODE_PARTS)}|总则编|分则|总则|附则"
    r"|[：:]\s{0,3}“?|(?<=[：:])“)\Z"
)
# A remark in brackets: "（2012年修正）", "（以下简称《解释》）", "（法释（2014）9号）"; not "（一"
_REMARK: Final = re.compile(r"[（(](?P<remark>(?:[^（()）]|[（(][^（()）]*+[)）])*+)[)）]\Z")
# "以下简称《解释》", "下称“合同”", "（简称商标法）"; not "名称"
DEFINITION: Final = re.compile(
    r"(?:(?:以下|下文|下)[均合统简]?[简统合]?称|(?<=[（(,、])[简统合]称)[为作]?[:：]? ?"
    r"(?:《(?P<title>[^《》\n]{1,40})》|[“\"‘'「](?P<words>[^“”\"‘’'「」\n]{1,40})[”\"’'」]"
    rf"|(?P<plain>[^《》“”\"（()）,。;；、\n ]{{2,30}}(?:[（(]{_COUNT}{{1,2}}[)）])?)"
    r"(?=[)）,;；、。]))"
)

# The last characters of what the expressions above match, to try them only where they can.
_GLUE_ENDS: Final = frozenset(
    " \n、.*#-•>的里中原列文款条定下选章节编分卷则：:“度面角域看说讲言上来,"
)
_FORM_ENDS: Final = frozenset(
    {word[-1] for word in (*f"{_LAW_WORDS}|{_PAPER_WORDS}".split("|"), *PARTS)}
    | set(")）》")
    | _COUNTS
)
_CUSTOMARY_ENDS: Final = frozenset(name[-1] for name in CUSTOMARY)
_LONGEST_CUSTOMARY: Final = max(map(len, CUSTOMARY)) + len(STATE)
_DATED_ENDS: Final = frozenset("年日月的版正订改过行施布定效止后前旧新原时律0123456789")

_MAX_TITLE: Final = 160
_MAX_BARE: Final = 40  # a name without title marks, unless it begins with 关于
_LOOK_BACK: Final = 120
_STEPS: Final = 8  # remarks and the like between a name and its position

_POINTERS: Final[tuple[Basis, ...]] = ("same", "that", "this", "above")
THEN_EVENT: Final = "当时"
_CHINESE_YEAR: Final = str.maketrans("零○一二三四五六七八九", "00123456789")


class Name(NamedTuple):
    """A law or paper named in the text at ``[start, end)``."""

    start: int
    end: int
    law: str
    kind: Kind
    version: VersionHint | None = None
    defined: bool = False


class Pointed(NamedTuple):
    """同法, 该解释, 本合同: a word that stands for a name given elsewhere, at ``[start, end)``."""

    start: int
    end: int
    pointer: Basis
    word: str
    kind: Kind


@dataclass(slots=True)
class Names:
    """The names of one text: its titles, and the short names that it defines as it goes on."""

    text: str
    s: str  # the same text with one spelling for each character
    known: Callable[[str], bool] | None = None
    titles: dict[int, int] = field(default_factory=dict)  # end of a title → its start
    defined: dict[str, Name] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.titles = dict(_match_titles(self.s))

    def before(self, place: int) -> Name | Pointed | None:
        """The law named right before a place, past remarks such as （2012年修正） and 第九章."""
        version: VersionHint | None = None
        part: Name | None = None
        end, loose = place, False
        for _ in range(_STEPS):
            if end <= 0:
                return part
            window = self.s[max(0, end - _LOOK_BACK) : end]
            last = window[-1]
            name = self._certain(end, window) or (None if loose else self._by_number(end, window))
            glue = None if name or last not in _GLUE_ENDS else _GLUE.search(window[-24:])
            if not name and not glue and not loose and last in _FORM_ENDS:
                name = self._by_form(end, window, adjacent=end == place)
            if isinstance(name, Name):
                name = name._replace(version=version or name.version)
            if name:
                return name if self._reaches(name, place) else None
            if glue:
                begin = end - len(glue[0])
                if glue[0] in CODE_PARTS and self.s[begin - 1 : begin] not in {"案", "稿"}:
                    part = Name(begin, end, glue[0], "law")
                loose = loose or last == ","
                end = begin
            elif last in ")）" and (remark := _REMARK.search(window)):
                begin = end - len(remark[0])
                version = version or _read_version(remark["remark"], self.text[begin + 1 : end - 1])
                end = begin
            elif last in _DATED_ENDS and (dated := _DATED_BEFORE.search(window[-24:])):
                begin = end - len(dated[0])  # 宪法修正案1988年第一条
                version = version or _hint(dated, self.text[begin:end])
                end = begin
            else:
                return part
        return part

    def others(self, law: str, start: int, end: int) -> bool:
        """Whether another law is named between two places, be it without title marks."""
        words = _NAMES_A_LAW.finditer(self.s, start, end)
        names = (name for word in words if (name := self._customary(word.end())))
        named = [name.law for name in names if name.start >= start]
        named += [foreign[0] for foreign in _FOREIGN_LAW.finditer(self.s, start, end)]
        return any(_meanings(law).isdisjoint(_meanings(name)) for name in named)

    def title(self, end: int) -> Name | None:
        """The law or paper whose title ends here."""
        start = self.titles.get(end)
        if start is None:  # 中华人民共和国刑法》, where the opening mark was forgotten
            customary = self._customary(end - 1)
            return customary._replace(end=end) if customary else None
        inner = self.text[start + 1 : end - 1]
        plain = normalise_name(inner)
        if defined := self.defined.get(plain):
            return defined._replace(start=start, end=end, defined=True)
        is_law = _LAW_END.search(plain) or (self.known is not None and self.known(plain))
        kind: Kind = "law" if is_law or not _PAPER_END.search(plain) else "document"
        begin = start
        if foreign := _FOREIGN.search(self.s[max(0, start - 12) : start]):
            begin = start - len(foreign[0])
            return Name(begin, end, self.text[begin:start] + inner, kind)
        if self.s.startswith(("关于", "对", "〈关于", "《关于"), start + 1) and (
            issued := _ISSUED_BY.search(self.s[max(0, start - _LOOK_BACK) : start])
        ):
            begin = start - len(issued[0])
            inner = self.text[begin:start] + inner
        return Name(begin, end, inner, kind, self._version(begin, end - 1))

    def knows(self, name: Name) -> bool:
        """Whether a name is known, or defined by the text, and not only has the form of one."""
        return name.defined or self._is_known(normalise_name(name.law))

    def define(self, place: int, short: str) -> None:
        """Remember a short name given to the law that stands before ``place``."""
        name = self.before(place)
        key = normalise_name(short)
        if isinstance(name, Name) and key:
            self.defined[key] = name

    def _reaches(self, name: Name | Pointed, place: int) -> bool:
        """Over a line break only a name that has its line to itself reaches the next one."""
        if self.s.find("\n", name.end, place) < 0:
            return True
        alone = name.start <= 16 or self.s.rfind("\n", name.start - 16, name.start) >= 0
        if not alone or isinstance(name, Pointed):
            return False
        plain = name.kind == "law" and name.law.startswith((STATE, "最高人民"))
        return plain or self.s[name.end - 1] in "》〉"

    def _certain(self, end: int, window: str) -> Name | Pointed | None:
        """A name that its title marks, its being known or a pointing word give away."""
        last = window[-1]
        if last in "》〉":
            name = self.title(end)
            if name and not name.defined and counted_alone(name.law):
                return Pointed(name.start, end, "that", name.law, "law")
            return name
        if last in "”\"’'":
            return self._in_quotes(end)
        customary = self._customary(end)
        return customary or (self._pointing(end, window) if last in _FORM_ENDS else None)

    def _in_quotes(self, end: int) -> Name | None:
        """“九民纪要”第六条: only a name that is known, since quotation marks mostly quote."""
        window = self.s[max(0, end - _MAX_BARE) : end - 1]
        start = max(window.rfind(mark) for mark in "“\"‘'") + 1
        if not start or start == len(window):
            return None
        begin = end - 1 - (len(window) - start)
        inner = normalise_name(window[start:])
        if foreign := _FOREIGN.search(window[: start - 1]):
            outside = self.text[begin - 1 - len(foreign[0]) : begin - 1]
            return Name(begin, end - 1, outside + self.text[begin : end - 1], "law")
        if defined := self.defined.get(inner):
            return defined._replace(start=begin, end=end - 1, defined=True)
        if not self._is_known(inner):
            return None
        version = self._version(begin, end - 1)
        return Name(begin, end - 1, self.text[begin : end - 1], "law", version)

    def _customary(self, end: int) -> Name | None:
        """The longest known name that ends here: 劳动合同法, not 合同法."""
        longest = _MAX_BARE
        if self.known is None and not self.defined:
            if self.s[end - 1] not in _CUSTOMARY_ENDS:
                return None
            longest = _LONGEST_CUSTOMARY
        window = self.s[max(0, end - longest) : end]
        number = _COUNT_END.search(window[-6:]) if window[-1:] in _COUNTS else None
        stem = window[: -len(number[0])] if number else window
        stop = _NO_NAME.search(stem[::-1])
        run = stem[len(stem) - stop.start() :] if stop else stem
        run = run.replace("(", "（").replace(")", "）")
        counted = normalise_name(f"解释{number[0]}")[2:] if number else ""
        for start in range(len(run) - 1):
            suffix = run[start:] + counted
            begin = end - len(window) + len(stem) - len(run) + start
            if self.defined and (defined := self.defined.get(suffix)):
                pointed = _POINTED_AT.search(run[:start])
                begin -= len(pointed[0]) if pointed else 0
                return defined._replace(start=begin, end=end, defined=True)
            if self._is_known(suffix):
                if run.endswith(STATE, 0, start):
                    begin -= len(STATE)
                elif foreign := _FOREIGN.search(run[:start]):
                    begin -= len(foreign[0])
                return Name(begin, end, self.text[begin:end], "law", self._version(begin, end))
        return None

    def _by_number(self, end: int, window: str) -> Name | None:
        """法释〔2013〕8号, or GDPR: a paper that is not called by a title."""
        if window[-1] == "号" and (match := _NUMBER_END.search(window[-40:])):
            code = _CODES.search(match[0])
            cut = _BEFORE_NAME.match(match["code"])
            begin = end - len(match[0]) + (code.start() if code else cut.end() if cut else 0)
            number = self.text[begin:end]
            if title := self.titles.get(begin) is not None and self.title(begin):
                year = match["year"]
                hint = VersionHint(number, int(year), event="文号") if year else None
                return title._replace(end=end, version=hint)
            return Name(begin, end, number, "law")
        if "A" <= window[-1] <= "Z" and (match := _ACRONYM.search(window[-12:])):
            return Name(end - len(match[0]), end, match[0], "law")
        return None

    def _is_known(self, name: str) -> bool:
        if name in CUSTOMARY:
            return True
        return self.known is not None and self.known(name.removeprefix(STATE) or name)

    def _pointing(self, end: int, window: str) -> Pointed | None:
        match = _POINTING.search(window[-16:])
        if not match:
            return None
        pointer = next(name for name in _POINTERS if match[name])
        word = match["word"]
        kind: Kind = "law" if word in PARTS or _LAW_END.search(word) else "document"
        return Pointed(end - len(match[0]), end, pointer, word, kind)

    def _by_form(self, end: int, window: str, *, adjacent: bool) -> Name | Pointed | None:
        """A name that only its form gives away: …条例, 关于…的解释, …合同."""
        law = _LAW_END.search(window[-16:])
        ending = law or _PAPER_END.search(window[-24:])
        if not ending:
            return None
        stop = _BREAK.search(window[::-1])
        run = window[len(window) - stop.start() :] if stop else window
        for mark, closing in ("《》", "〈〉", "（）", "()"):
            if (opened := run.rfind(mark)) > run.rfind(closing):
                run = run[opened + 1 :]
        begin = self._about(end, run)
        if begin is None:
            cut = _BEFORE_NAME.match(run[: -len(ending[0])])
            name = run[cut.end() if cut else 0 :]
            begin = end - len(name)
            if _NO_LAW.search(name) or not 0 < len(name) <= _MAX_BARE:
                return None
            if law and (name in ending[0] or name in _ANY_LAW):
                return Pointed(begin, end, "that", name, "law") if adjacent else None
        text = self.text[begin:end]
        kind: Kind = "law" if law and not _RULING_END.search(text) else "document"
        return Name(begin, end, text, kind, self._version(begin, end))

    def _about(self, end: int, run: str) -> int | None:
        """Where a name with 关于 begins, its issuers included."""
        place = run.find("关于")
        if place < 0 or not _ABOUT_END.search(run):
            return None
        place -= run.startswith("《", place - 1)
        issued = _ISSUED_BY.search(run[:place])
        return end - len(run) + (issued.start() if issued else place)

    def _version(self, start: int, end: int) -> VersionHint | None:
        """A version named at the end of a name or right before it."""
        if self.s[end - 1] in ")）" and (remark := _REMARK.search(self.s[start:end])):
            begin, stop = start + remark.start("remark"), start + remark.end("remark")
            if inside := _read_version(remark["remark"], self.text[begin:stop]):
                return inside
        before = self.s[max(0, start - 24) : start]
        if before[-1:] in _DATED_ENDS and (match := _DATED_BEFORE.search(before)):
            return _hint(match, self.text[start - len(match[0]) : start])
        return None


# The last word of a name in the middle of a text: "法", "解释"; not in 法律, 公司法人, 民法典
_NAMES_A_LAW: Final = re.compile(r"法典|(?:条例|司法解释|解释|纪要)|法(?![律人定院官庭典规学])")

# "德国债法" in the middle of a text; not "法国"
_FOREIGN_LAW: Final = re.compile(rf"{_ELSEWHERE}[一-鿿]{{0,6}}法(?![律院官庭])")


def counted_alone(name: str) -> str | None:
    """The number in 解释三, which only the interpretations named before it say more of."""
    match = _COUNTED_ALONE.fullmatch(normalise_name(name))
    return match["number"] if match else None


def _meanings(law: str) -> set[str]:
    """A name, those that it is short for, and the shortest."""
    name = normalise_name(law)
    return {name, shortest_name(name) or name, *abbreviations.get(name, ())}


def _match_titles(s: str) -> Iterator[tuple[int, int]]:
    """Pairs (end, start) of 《…》 and 〈…〉, inner ones first; what never closes is no title."""
    open_marks: list[int] = []
    for mark in re.finditer("[《》〈〉]", s):
        place = mark.start()
        if mark[0] in "《〈":
            open_marks.append(place)
            continue
        if mark[0] == "》":
            while open_marks and s[open_marks[-1]] == "〈":
                open_marks.pop()
        elif open_marks and s[open_marks[-1]] == "《":
            continue
        if not open_marks:
            continue
        start = open_marks.pop()
        if place - start <= _MAX_TITLE and s.find("。", start, place) < 0:
            yield place + 1, start


def _read_version(remark: str, text: str) -> VersionHint | None:
    """What a remark in brackets says of the version: 2012年修正, 法释〔2015〕24号; not 草签版."""
    if match := _DOCUMENT_NUMBER.search(remark):
        return VersionHint(text, int(match["year"]), event="文号")
    if _REPEALED_REMARK.fullmatch(remark):
        return VersionHint(text, event="已废止")
    if re.fullmatch(THEN, remark):
        return VersionHint(text, event=THEN_EVENT)
    match = _DATED.search(remark)
    return _hint(match, text) if match else None


def _hint(match: re.Match[str], text: str) -> VersionHint:
    groups = match.groupdict()
    year, month, day = (groups.get(name) for name in ("year", "month", "day"))
    return VersionHint(
        text,
        int(year.translate(_CHINESE_YEAR)) if year else None,
        int(month) if month else None,
        int(day) if day else None,
        THEN_EVENT if groups.get("then") else groups.get("event") or groups.get("word"),
    )

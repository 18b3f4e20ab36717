"""The words that citations are made of: what names of laws end in, what stands around them.

All expressions see text after :func:`hengfa.law.citation_tokens.canonical`: ，is a comma, digits
are half-width. Those that end in ``\\Z`` are tried on a short piece of text that ends at one place.
"""

from __future__ import annotations

import re
from typing import Final

from hengfa.law.law_names import CUSTOMARY, STATE

LAW_WORDS: Final = (
    "法典|法律|法|条例|司法解释|解释|规定|办法|实施细则|细则|规则|通则|总则|决定|意见|会议纪要|纪要"
    "|批复|公约|修正案|规程|规范|准则|安排|通知|答复|复函|议定书|条约|规章|大纲|指引|指南|标准"
)
PAPER_WORDS: Final = (
    "合同|协议|合同书|协议书|章程|条款|约定|契约|保函|保单|手册|制度|须知|公告|备忘录|计划|方案|清单"
    "|文本|书|函|判决|裁定|裁决|民约|遗嘱|笔录|说明|附件|预案|声明|报告|简章|规划"
)
PARTS: Final = frozenset({"编", "章", "节"})
_COUNT: Final = "[一二三四五六七八九十]"

# "法" in 民用航空法, "解释（二）", "修正案(八)"; not "合同"
LAW_END: Final = re.compile(rf"(?:{LAW_WORDS})(?:[（(](?:{_COUNT}{{1,3}}|试行|暂行)[)）])?\Z")
# "合同", "公司章程", "判决书", "租赁合同（草签版）"; not "合同法"
PAPER_END: Final = re.compile(rf"(?:{PAPER_WORDS})(?:[（(][^（()）]{{1,12}}[)）])?\Z")
# Words on 法 that are no laws: "方法", "违法"; not "民法"
NO_LAW: Final = re.compile(r"[方做看想说用合违执司立无非依手枉守犯普算打写玩疗]法\Z")
# Names that stand for any law: "司法解释"; not "盗窃解释"
ANY_LAW: Final = frozenset(
    ("法律", "司法解释", "立法解释", "有关规定", "相关规定", "法律规定", "以上规定")
)
# Rulings on a case: "处罚决定", "法委赔字第4号国家赔偿决定"; not "关于修改刑法的决定"
RULING_END: Final = re.compile(r"号|(?:处罚|赔偿|复议|处理|强制|仲裁|行政)决定\Z")
# "的解释", "的若干规定(二)", where a name with 关于 may end; not "法"
ABOUT_END: Final = re.compile(
    r"(?:解释|规定|批复|意见|决定|通知|纪要|答复|复函|安排|办法|规则|公告|函)"
    r"(?:[（(][^（()）]{1,6}[)）])?\Z"
)

# "该法", "同法", "本条例", "上述司法解释", "该管理规则"; not "合同法", "基本法", "成本法"
POINTING: Final = re.compile(
    r"(?:(?<![合共雷等])(?P<same>同)(?=一?(?:法|条例)\Z)|(?<!应)(?P<that>该|此|前引)"
    r"|(?<![基根日版])(?<!(?<![构造完形达])成)(?P<this>本)|(?P<above>上述|前述|上列|前列))"
    rf"[一《]?(?:(?![第条款项法和与及或的本该此])[一-鿿]){{0,8}}?》?(?P<word>{LAW_WORDS}|{PAPER_WORDS}|[编章节])》?"
    rf"(?:[（(]{_COUNT}{{1,3}}[)）])?\Z"
)
# "该" before a short name that the text defined, 该《解释》; not "应"
POINTED_AT: Final = re.compile(r"(?:该|上述|前述)\Z")

# Words that a name does not begin with, up to the last of them: "根据", "违反", "）"; "和" in
# 民法典和公证法, but not in 医疗器械注册与备案管理办法
BEFORE_NAME: Final = re.compile(
    r"\A.*(?:根据|依据|依照|按照|参照|遵照|比照|对照|遵守|违反|违背|触犯|援引|引用|引自|符合|属于|认定为?"
    r"|构成|适用(?!法)|具有|结合|参见|详见|以及|或者|关于|依[法循]?|例如|即使|虽然|因为|由于|并且|而且"
    r"|是否|现行|有效|本案|原审|一审|二审|法院|履行|类中的|其中|简称|下称|(?<!行)为"
    r"|(?<=[法典例定释则》条款项见])[和与及或、]"
    r"|[的在对将由于是即其该此了因则且但而向从被使据照按如受除至到非以引指有)）])",
    re.DOTALL,
)
# What a run of words that holds a name does not go beyond: "。", "，", "“", " "; not "、", "（"
BREAK: Final = re.compile(r"[。;；!！?？\n “”\"'‘’:：,…\]】>#*|]")
# What no customary name holds: "》", "，", "2"; not "（", "、"
NO_NAME: Final = re.compile(r"[^一-鿿（()）A-Z、—]")

# "德国" in 德国民法典; not "中国"
FOREIGN: Final = re.compile(
    r"(?:境外|外国|德国|法国|英国|美国|日本|韩国|俄罗斯|意大利|瑞士|奥地利|荷兰|澳门|香港|台湾|台湾地区|欧盟"
    r"|新加坡|加拿大|澳大利亚|印度|越南)\Z"
)
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
ISSUED_BY: Final = re.compile(rf"(?:(?:{_ISSUERS})(?:办公厅)?[、,和及 ]?)++\Z")

_DATE: Final = (
    r"(?P<year>(?:19|20)[0-9]{2}|[一二][零○一二三四五六七八九]{3}) ?年?"
    r"(?: ?(?P<month>[0-9]{1,2}) ?月)?(?: ?(?P<day>[0-9]{1,2}) ?日)?"
)
_EVENTS: Final = "修正|修订|修改|订正|通过|施行|实施|颁布|公布|发布|制定|生效|废止|版"
# "2012年修正", "1989年4月4日通过", "2018年"; not "草签版"
DATED: Final = re.compile(rf"{_DATE}[^。\n,]{{0,10}}?(?:(?P<event>{_EVENTS})|(?=,)|\Z)")
# "〔2015〕24号", "(2014)9号"; not "2014年9月"
DOCUMENT_NUMBER: Final = re.compile(
    r"[〔\[（(［](?P<year>(?:19|20)[0-9]{2})[〕\]）)］][^（()）]{0,4}?[0-9]{1,6}号"
)
# "1997年" in 1997年刑法, "2001年修正的" in 2001年修正的商标法, "修订后的", "旧"; not "7月，"
DATED_BEFORE: Final = re.compile(
    rf"(?:{_DATE}(?:(?P<event>{_EVENTS})[后前]?)?(?:之后)?的?"
    r"|(?P<word>(?:修正|修订|修改)[前后]的?|旧|新|原|现行))\Z"
)
# A number of another version of the law: "（原" in （原第二十一条）, "现为"; not "（二"
OTHER_VERSION: Final = re.compile(r"(?:[（(](?:即?原|现)为?|(?:修改|修正|修订)[前后]的?为)\Z")

# What may stand between a law's name and the position: "的", "中的", "分则", "第九章", "：",
# "婚姻家庭编", "</span>", "**", "相关条文"; not "规定", "和"
GLUE: Final = re.compile(
    r"(?:[ \n]{1,4}|(?<= )[0-9]{1,2}[、.]|\*\*|#{1,4}|[-•]|<[^<>\n]{1,20}>"
    r"|里面的|中的|里的|里|中|之中|原来的|原|的|所列|规定如下|节选"
    r"|(?:(?:相关|有关|主要)(?:的?法律)?)?(?:条文|(?<=[律关要])(?:条款|法条|规定))"
    rf"|第 ?(?:[0-9]|{_COUNT}){{1,3}}(?:章|节|编|分编|部分|卷)"
    r"|(?:总则|物权|合同|人格权|婚姻家庭|继承|侵权责任)编|分则|总则|附则"
    r"|[：:]\s{0,3}“?|(?<=[：:])“)\Z"
)
# A remark in brackets: "（2012年修正）", "（以下简称《解释》）", "（法释（2014）9号）"; not "（一"
REMARK: Final = re.compile(r"[（(](?P<remark>(?:[^（()）]|[（(][^（()）]*+[)）])*+)[)）]\Z")
# "以下简称《解释》", "下称“合同”", "（简称商标法）"; not "名称"
DEFINITION: Final = re.compile(
    r"(?:(?:以下|下文|下)[均合统简]?[简统合]?称|(?<=[（(,、])[简统合]称)[为作]?[:：]? ?"
    r"(?:《(?P<title>[^《》\n]{1,40})》|[“\"‘'「](?P<words>[^“”\"‘’'「」\n]{1,40})[”\"’'」]"
    rf"|(?P<plain>[^《》“”\"（()）,。;；、\n ]{{2,30}}(?:[（(]{_COUNT}{{1,2}}[)）])?)"
    r"(?=[)）,;；、。]))"
)

# The last characters of what the expressions above match, to try them only where they can.
GLUE_ENDS: Final = frozenset(" \n、.*#-•>的里中原列文款条定下选章节编分卷则：:“")
FORM_ENDS: Final = frozenset(
    {word[-1] for word in (*f"{LAW_WORDS}|{PAPER_WORDS}".split("|"), *PARTS)} | set(")）》")
)
CUSTOMARY_ENDS: Final = frozenset(name[-1] for name in CUSTOMARY)
LONGEST_CUSTOMARY: Final = max(map(len, CUSTOMARY)) + len(STATE)
DATED_ENDS: Final = frozenset("年日月的版正订改过行施布定效止后前旧新原0123456789")

"""How guiding cases put a focus of dispute and a holding into words: patterns, apart from logic.

Used by :mod:`.case_questions` and :mod:`.case_holdings`. The words were read off the guiding cases
themselves; new cases may need new ones, and a question says by which rule it was made.
"""

from __future__ import annotations

import re
from typing import Final

# --- the focus of dispute, as the reasons of a judgment name it ---

_LEAD: Final = (
    r"(?:问题|主要|之一|共?有?[二两三四五]个?方面|有?[二两三四五]个|有二|方面|法律适用|包括|涉及"
    r"|为(?!由)|是(?!否)|系|就?在于|如下|[：:，,\s])*+"
)
# "本案的争议焦点问题是：……", "焦点就在于……"; not "导致裁判与争议焦点不一致"
FOCUS: Final = re.compile(
    rf"(?:焦点{_LEAD}(?:(?<!焦点)|(?=一是|一、|第一|1))|主要争议(?:问题)?(?:在于|为|是(?!否)){_LEAD})"
    r"(?P<issue>.*)\Z",
    re.DOTALL,
)
# "……的问题是本案的争议焦点问题。", "主要涉及……等争议焦点问题。"; not "争议焦点为……"
FOCUS_BEHIND: Final = re.compile(
    r"\A(?:[^，,：:]{0,20}认为[，,：:])?(?:本案)?(?:主要涉及)?"
    r"(?P<issue>[^。]+?)(?:等争议|是本案的争议|等)焦点(?:问题)?。?\Z"
)
# "本案涉及到以下三个主要问题：", after which headings name them
ANNOUNCED: Final = re.compile(
    r"(?:焦点|主要问题|以下[二两三四五]个(?:主要)?问题)[^。；]{0,16}[：:]\s*\Z"
)
# "一、关于本案的证据采信问题", "（二）是否构成侵权" as a line by itself; not "一、撤销原判。"
HEADING: Final = re.compile(
    r"^[（(]?[一二三四五六七八九][)）、.．，]+(?:关于)?(?P<issue>[^。；\n]{6,90})$", re.MULTILINE
)
# "是否", "如何", "有无": what makes words a question; not "问题"
ASKS: Final = re.compile(
    r"是否|如何|能否|应否|可否|有无|何[时种人处]|还是|怎样|哪[个些种]|何在|多少|[？?]"
)
# What is said of an issue after it was named: "，与本案事实相符"; not "，以及如何承担责任"
SAID: Final = re.compile(r"[，,](?:与(?:本案)?事实|并无|其中|故|因此|对此)")
# "等几个方面", "的问题" after an issue
ISSUE_TAIL: Final = re.compile(r"(?:等?(?:几个)?(?:方面)?的?(?:法律适用)?问题|等(?:几个)?方面)\Z")

# --- holdings ---

# "1.", "⒉" at the head of a point
POINT: Final = re.compile(r"^\s*(?:[0-9]{1,2}[.．、]|[⒈-⒛])\s*", re.MULTILINE)
# Words between quotation marks say nothing by themselves: "不得退票，不得转签"
QUOTED: Final = re.compile(r"\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”")

# What a thing is held to be: "属于", "不构成", "应当视为"; not "是否属于", "构成犯罪的", "认定构成"
_BEING: Final = (
    r"(?<!是否)(?<!认定)(?<!判断)(?:不?属于(?!其)|不?构成(?!的|要件|犯罪的|其)|不?等同于|视为|视同"
    r"|不应视为|并非|并未侵犯|本质是|是披着|不?具有(?:法律|行政确认|提起|可诉|直接|财产性|独立价值)"
    r"|(?<!关)系(?=[^，。]{2,14}，而非))"
)
# What follows in law: "应当", "不予", "不影响", "由……承担"; not "相应", "应收", "可以获知的"
_FOLLOWING: Final = (
    r"(?<!论罪)(?<!的)应当|不应(?!受)|应予|不予(?!恢复|制止|承认)|必须"
    r"|(?<![相对适供反响因])应(?=依法|由|自|从|对|就|认定|结合|以|按|予|承担|支付|坚持|遵循|限于|履行|理解|标示|优先|接受"
    r"|进一步|根据|综合|审查)"
    r"|(?<![也又])可以(?!获知|提起诉讼的|排除)|可按|可(?=相应行使)|不得|不能(?=据此|认定|以|成为|将|仅|设定|对|作为|因)"
    r"|(?<!所)(?<!专)有权(?!的)|无权|(?<!并)(?<!所)享有(?!的|可以|优先)|有义务|无继续|负有|不影响|不因(?!与)|不适用|不限于|(?:既|也|均)包括"
    r"|是指|取决于|无需|不产生|及于|均?允许|只是(?=限制)|不以(?=[^，。]{2,30}为(?:依据|必要条件))|合法有效|归于消灭|(?<!者)以(?=[^，。]{1,20}(?:论处|定罪))"
    r"|(?<!缘)由(?=[^，。]{1,40}(?:承担|管辖))|不存在易|(?<!仅)不符合(?=民事诉讼法|单方)"
)
CONCLUDES: Final = re.compile(
    rf"(?:(?:依法|都|均|仍然?|一般|一并|才|(?<!规)则|即(?!使))*+(?:{_FOLLOWING})|{_BEING})"
)
# Before a conclusion it makes one of a party's: "主张不应受到处罚", "以其不是控制人为由", "明知"
CLAIMS: Final = re.compile(
    r"主张|请求|申请|提起|为由|要求|诉称|抗辩|(?<!该)约定|认为|是否|能否|明知|承诺|注明"
)
# What opens a sentence: "但是，"; and what makes all of it conditions: "如果"
OPENING: Final = re.compile(r"\A(?:但是?|同时|此外|其中|因此|故|即|而|对此|所以)[，,]?")
IF: Final = re.compile(r"\A(?:如果?|若|只要|即使|当(?!事))")
# What says who decides, or nothing, at the end of conditions: "，人民法院", "，其"
COURT: Final = re.compile(
    r"[，,；]?(?:人民法院|执行法院|法院)(?:经审查|在[^，]{2,20}[时中]|对此|亦|也)?\Z"
)
# Conditions that say no more than that a court has a case: "人民法院审理环境民事公益诉讼案件"
EMPTY: Final = re.compile(r"\A(?:人民法院)?在?(?:审理|收到)[^，]*(?:案件|申请)[时中后]?\Z")
TRAILING: Final = re.compile(
    r"(?:[，,；;、：:]|(?<=[，,])(?:故|则|即|仍|也|亦|都|均|其|该|依法|但|且|并|因而|因此|而|所以|还))+\Z"
)

STANDARD: Final = "应当依据什么标准、考虑哪些因素"
# "判断……", "认定……": a standard is asked for; "应当综合……", "应当根据……": a standard is given
MEASURED: Final = re.compile(
    r"(?:\A|[，,])(?:人民法院)?(?:在?判断|认定|审查|对于?[^，]{2,60}是否)[^，]*\Z"
)
MEASURES: Final = re.compile(
    r"\A(?:应当?|可以)(?:综合|根据|依据|结合|从|以相对人|考虑|立足|注意从|坚持主客观)"
    r"(?![^，]*(?:法律关系|规定处理|判决确定))"
)

SUPPORTED, HEARD, STANDING = "能否得到支持", "应否受理", "是否具备原告主体资格"
EFFECT, RIGHTS = "效力应当如何认定", "享有何种权利"
ASKED: Final[tuple[tuple[str, str], ...]] = (
    (r"予以?(?:依法)?(?:支持|采纳|准许)|裁定准许|可以准许|决定是否准许", SUPPORTED),
    (r"予(?:依法|以)?受理|依法(?:予以)?受理|可诉性|提起行政诉讼", HEARD),
    (r"原告主体资格", STANDING),
    (r"定罪|论处|[^犯]罪(?:追究|处|数|[。，；]|\Z)|以.{2,12}罪", "应当如何定罪处罚"),
    (r"承担[^，。]*责任|责任(?:由|应)", "应否承担责任、如何承担"),
    (r"管辖(?!权)", "应当如何确定管辖"),
    (r"\A.{0,4}不影响[^，。]*效力", "对效力有何影响"),
    (r"\A(?:合法有效|不?具有法律|.{0,4}不产生)|无效", EFFECT),
    (r"\A.{0,4}(?:不影响|不因)", "是否影响案件的处理"),
    (r"\A.{0,3}(?:是指|理解|限于|不限于|既包括|也包括|取决于)", "应当如何理解"),
    (r"\A应当?审查", "应当审查哪些内容"),
    (r"举证(?!责任由)", "应当如何举证"),
    (r"起算|日起计算|计算(?!机)[^，。]*数额", "应当如何计算"),
    (rf"\A(?:.{{0,4}}(?:认定|视为|视同)|{_BEING})", "在法律上应当如何认定"),
    (r"\A[^，。]{0,40}义务", "负有何种义务"),
    (r"\A.{0,4}(?:有权|可以|享有|无权)", RIGHTS),
)
"""What a conclusion says (the first that is found), and what is asked in its place."""
OTHERWISE: Final = "应当如何处理"

# "民事", "行政诉讼", "国家赔偿" at the head of the keywords
BRANCH: Final = re.compile(r"\A(?:民事|刑事|行政|海事|执行|国家赔偿)(?:诉讼)?[/\s]*")
# "2012年4月9日发布）" after a title
ISSUED: Final = re.compile(r"案?(?:[（(]?[0-9]{4}年[0-9月日]+发布[）)]?)?\Z")

"""The words of a result: who, of what crime, to what, and which words speak of other judgments.

`WORD` finds them all; what a term and a sum say is read here too. Numbers are read by
:mod:`hengfa.law.grammar.numerals` in every script (judgment.md 8, Q7).

Only what is imposed as a fine or confiscated as property is a sum. 追缴, 责令退赔 and 赔偿 speak of
money too, and never of a penalty; 已缴纳 repeats a fine that stands before.
"""

from __future__ import annotations

import re
from typing import Final

from hengfa.law.grammar.judgment.charges import CHARGE_LIST
from hengfa.law.grammar.judgment.defendants import BARE, ROLE
from hengfa.law.grammar.judgment.document import Term
from hengfa.law.grammar.numerals import Number, parse_number

# Lengths of time: 三年六个月, 一年零六个月, 两年, 一年半, 拘役四个月十五日

_NUMBER: Final = "[0-9〇○零一二两三四五六七八九十廿卅壹贰叁肆伍陆柒捌玖拾]{1,4}"
_AND: Final = " ?[又另加]?零?"
_Y, _M, _D = f"(?:半年|{_NUMBER} ?年半?)", f"{_NUMBER} ?(?:个半?月?|月)", f"{_NUMBER} ?[日天](?!内)"
# "三年六个月", "10个月", "一年又二个月", "半年", "一年半", "二年一个月零二十八日", "六个" (a slip);
# not "年", "以下", "十日内"
DURATION: Final = f"(?:{_Y}(?:{_AND}{_M})?+(?:{_AND}{_D})?+|{_M}(?:{_AND}{_D})?+|{_D})"
_YEARS: Final = re.compile(rf"({_NUMBER}) ?年(半)?")
_MONTHS: Final = re.compile(rf"({_NUMBER}) ?(?:个(半)?月?|月)")
_DAYS: Final = re.compile(rf"({_NUMBER}) ?[日天]")

_MOST_YEARS, _MOST_MONTHS, _MOST_DAYS = 40, 480, 366
_HALF_A_YEAR, _HALF_A_MONTH = 6, 15


def read_term(words: str) -> Term | None:
    """The length of time that ``DURATION`` matched, or None where it is a date or beyond reason."""
    half_a_year = words.startswith("半年")
    words = words[2:] if half_a_year else words
    counted: list[tuple[int, bool]] = []
    for pattern, most in ((_YEARS, _MOST_YEARS), (_MONTHS, _MOST_MONTHS), (_DAYS, _MOST_DAYS)):
        match = pattern.search(words)
        count = _count(match[1]) if match else 0
        if count is None or count > most:
            return None
        counted.append((count, match is not None and match.lastindex == 2))  # 一年半, 一个半月
    (years, and_half), (months, half_a_month), (days, _) = counted
    months += 12 * years + _HALF_A_YEAR * (half_a_year + and_half)
    return Term(months, days + _HALF_A_MONTH * half_a_month)


def show_term(months: int | None, days: int = 0) -> str:
    """42 months are `3年6个月`, as lawyers count."""
    if months is None:
        return ""
    years, rest = divmod(months, 12)
    counted = ((years, "年"), (rest, "个月"), (days, "日"))
    return "".join(f"{count}{unit}" for count, unit in counted if count) or "0"


def _count(words: str) -> int | None:
    value = parse_number(words.replace("○", "〇").lstrip("零"))
    return value if isinstance(value, int) else None


# Sums of money: 罚金人民币三千元, 罚金2，000元, 罚金1.5万元, 处五千元罚金

_DIGITS: Final = "0-9.〇○零一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟萬億"
# "三千", "2，000", "1.5万", "3万5千"; not "，000"
_AMOUNT: Final = (
    rf"[{_DIGITS}](?:[{_DIGITS}]|，(?=[0-9]{{3}}(?![0-9]))|(?<=[0-9]) (?=[0-9])){{0,20}}"
)
# What may stand before the sum: "人民币", "人民" (a slip), "各", "共计", "："; not "已缴纳"
_BETWEEN: Final = r"(?:人民币?|各|均|共计|合计|共|计|为|是|：|￥|¥|RMB|数额|[“”]| ){0,5}"
# "元", "圆", "余元"; "，" and "。" where the unit was forgotten after 万
_UNIT: Final = r"(?: ?余?[元圆]|(?<=[万千仟]) ?(?=[，。；、]|人民币|\Z))"
_SUM: Final = re.compile(_AMOUNT)


def read_sums(words: str) -> list[Number | None]:
    """The sums of a list such as 一万元、五千元, in yuan; None for each that is no number."""
    found = (match[0].replace(" ", "").replace("○", "〇") for match in _SUM.finditer(words))
    sums = map(parse_number, found)
    return [value if value is not None and value >= 0 else None for value in sums]


# Everything that a result may say

# The number of an order: "一、", "十二、", "2."; not "第一、二项", "盗窃、诈骗"
_ITEM: Final = (
    r"(?:(?<=[。；：，“” ])|\A)(?:[一二三四五六七八九十]{1,3}、|[0-9]{1,2}[、.](?![0-9]))"
)
# What an order that undoes or upholds goes on to repeat: "，即", "：“"; not "立即"
THAT_IS: Final = re.compile(r"[^。；]{0,120}?(?<!立)即(?:[：，“ ]|被告|判处|原审|撤销|上诉)")
# What is undone in the middle of a sentence: "中关于被告人张三犯盗窃罪，判处…的判决"; not "的缓刑"
UNDONE: Final = re.compile(
    r"(?>[^。；]{0,120}?(?:关于|对))(?>[^。；]{1,100}?判处)[^。；]{1,200}?的(?:判决|部分|内容|判项)"
)
_WITH: Final = "(?:连同|[与和同将])"
# "犯盗窃罪", "犯有诈骗罪、盗窃罪"; not "罪犯", "累犯", "犯罪所得", "犯盗窃罪的指控不成立"
_CONVICTION: Final = rf"犯 ?(?:有|了|下列)?(?P<convicted>{CHARGE_LIST})(?!的?指控|不成立|不能成立)"

# Everything that is looked for, the more special before the more general.
WORD: Final = re.compile(
    f"(?P<item>{_ITEM})"
    # What is done with a case instead of a sentence: "维持原判", "维持某院某号刑事判决。",
    # "发回重审", "准许撤回上诉"; not "维持原判决第一项"
    r"|(?P<upheld>维持(?:原判|原审判决|一审判决|原裁定|原审裁定)"
    r"(?!决?书?(?:[第中的对主]|部分)|认定|关于)|维持[^，。；]{1,80}?(?:判决|裁定)书?(?=[。；]|\Z))"
    r"|(?P<sent_back>发回[^，。；]{0,30}?重(?:新审[判理]|审))"
    r"|(?P<withdrawn>准[许予][^，。；]{0,40}?撤(?:回|诉))"
    # A sentence that is reduced while it is served: "减去有期徒刑八个月", "对罪犯…的刑罚减为"
    r"|(?P<commuted>减去(?=[^，。；]{0,6}?[刑役制])|[对将]?罪犯[^，。；]{1,40}?减为"
    r"|予以假释(?=[，。；]|\Z))"
    # What undoes or upholds another judgment: "撤销某院某号刑事判决", "维持某院…第一项"; not "撤回"
    r"|(?P<elsewhere>撤销|维持)"
    # Sentences of other judgments that are combined: "与前罪", "原犯", "尚未执行", "与本院…判决"
    rf"|(?P<earlier>{_WITH}?其?(?:因|曾)?(?:前罪|前判|前(?=犯)|原判|原(?=犯)|原罪|之前所?(?=犯)|曾因"
    r"|余刑|剩余|(?:尚|还)?未执行|没有执行|尚余)"
    rf"|{_WITH}[^，。；]{{0,40}}?(?:本院|人民法院)[^，。；]{{0,60}}?(?:判决|裁定)"
    r"|(?<=[，；。])因(?=犯))"
    # The combined sentence: "决定执行", "决定合并执行", "数罪并罚"; not "总和刑期", "交付执行",
    # and not that of another judgment: "所决定执行的有期徒刑"
    r"|(?P<executed>(?:决定|合并|最终|应当?)[^，。；、]{0,8}?执行"
    r"(?!机关|通知|完毕|之日|以前|前|的(?:有期|拘役|管制|无期))"
    r"|并罚(?!部分|的部分))"
    r"|(?P<total>总和刑期|合计刑期|刑期总和)"
    f"|(?P<role>{ROLE})"
    # The length before its penalty: "3年6个月有期徒刑", "六个月的拘役"; not "一年，拘役二个月"
    rf"|(?P<term_before>{DURATION}(?:[、和]{DURATION}){{0,60}})的?"
    rf"(?P<kind_before>有期徒刑|拘役|管制)(?![：为“ ]?{DURATION})"
    # "二年缓刑"; not "三年缓刑四年"
    rf"|(?P<probation_before>{DURATION})的?缓刑(?!(?:考验)?(?:期限?|期间)?[：为“ ]?{DURATION})"
    f"|(?P<bare>{BARE})"
    rf"|(?<![累从主罪再初惯共囚案]){_CONVICTION}"
    # "以盗窃罪，判处"; not "以盗窃罪追诉"
    rf"|以(?:犯)?(?P<for>{CHARGE_LIST})[，]?(?=(?:分别|依法|均|对|，)?(?:判处|被告|原审|上诉))"
    # "有期徒刑三年", "拘役四个月十五日", "有期徒刑一年、二年"; not "有期徒刑三年以下"
    r"|(?P<kind>有期徒刑|拘役|管制)(?:刑期)?[：为，“ ]?"
    rf"(?P<term>{DURATION}(?:[、和]{DURATION}){{0,60}}+)(?!以[上下])"
    # A term that should follow and does not: "判处有期徒刑。"
    rf"|(?P<term_open>(?:判处|执行)(?:有期徒刑|拘役|管制)(?!(?:刑期)?[：为，“ ]?{DURATION}))"
    # "死刑", "死刑，缓期二年执行", "死缓"; the reprieve makes another penalty of it
    r"|(?P<death>死刑(?P<reprieved>[，、（]?缓期(?:[二两2] ?年)?(?:执行)?)?|(?P<short>死缓))"
    r"|(?P<life>无期徒刑)"
    # "缓刑三年", "缓刑，考验期二年", "缓刑考验期为二年"; not "缓刑考验期限从判决确定之日起"
    rf"|缓刑(?:，?考验)?(?:期限?|期间)?[：为“ ]?(?P<probation>{DURATION})"
    # 缓刑 that no period follows: "宣告缓刑。"; not "宣告的缓刑"
    r"|(?P<probation_open>(?:宣告|适用)缓刑(?=[，。；]|\Z)"
    rf"(?!，考验(?:期限?|期间)[：为“ ]?{DURATION}))"
    # "剥夺政治权利终身", "剥夺政治权利三年", "终身剥夺政治权利"; without a length it is open
    rf"|剥夺其?政治权利(?:期限)?[：为，“ ]?(?P<political>终身|{DURATION})"
    r"|(?P<political_life>终身剥夺其?政治权利)"
    r"|(?P<political_open>剥夺其?政治权利(?=[，。；]|\Z))"
    # What is ordered about the execution: "限制减刑", "终身监禁", "社区矫正"
    r"|(?P<commutation_limited>限制减刑)"
    r"|(?P<whole_life>终身监禁(?:，不得减刑、?假释)?)"
    r"|(?P<community>社区矫正)"
    # "禁止被告人…从事", "三年内不得从事"; not "国家禁止进出口"
    r"|(?P<ban>(?<!国家)禁止|(?:(?<=内)|(?<=期间)|终身)不得)"
    r"|(?P<exempt>免(?:予|于|除)(?:刑事)?处(?:罚|分)|免除刑罚|免予刑罚)"
    r"|(?P<acquitted>(?<!有罪、)无罪(?!辩|推|的?意见|过))"
    r"|(?P<not_liable>不负刑事责任)"
    r"|(?P<expelled>驱逐出境)"
    # "处人民币五千元罚金", "并处三千元的罚金"; not "退赔五千元。罚金"
    rf"|处(?:以)?(?:人民币)?(?P<fine_after>{_AMOUNT}{_UNIT})(?:人民币)?的?罚金"
    # "罚金人民币三千元", "罚金各1万元、2万元"; not "罚金已缴纳", "罚金于十日内"
    rf"|罚金{_BETWEEN}(?P<fine>{_AMOUNT}{_UNIT}(?:[、和]{_AMOUNT}{_UNIT})*)"
    # "并处罚金" that no sum follows: "并处罚金。"; not "已缴纳罚金"
    rf"|(?P<fine_open>(?:并处|单处|判处|处以)罚金(?!{_BETWEEN}{_AMOUNT}{_UNIT}|有期|拘役))"
    # "没收个人财产人民币五万元", "没收个人全部财产", "没收财产"; not "没收作案工具", "没收违法所得"
    r"|(?P<confiscated>没收(?:其)?(?:个人)?(?:所有)?的?(?P<share>全部|部分|一部)?(?:个人)?财产"
    rf"(?:{_BETWEEN}(?P<property>{_AMOUNT}{_UNIT}))?)"
    r"|(?P<stop>[。；])"
)
# Right after a name there is no 再犯 and no 从犯: "许再犯盗窃罪"
CONVICTED: Final = re.compile(_CONVICTION)
# How long a ban lasts: "三年内", "5年以内", "期限为五年"; not "2031年3月起"
BANNED_FOR: Final = re.compile(rf"{DURATION}[之以]?内|期限?[：为是]?{DURATION}")
# A ban on a profession, and one for the time of 缓刑 or 管制, which is none
PROFESSION: Final = re.compile("从事|职业|担任|执业|任职")
MEANWHILE: Final = re.compile("考验期(?!限?满)|管制(?:期|执行)")
# Orders that are no penalties: "予以没收", "责令退赔", "罚金限十日内缴纳", "刑期从…起计算"
NO_PENALTY: Final = re.compile(
    "没收|追缴|追征|退[赔出缴还赃]|[返发归]还|销毁|缴纳|处理|处置|上缴|收缴|折抵|羁押|计算|考验期"
    "|赔偿|扣押|查封|冻结|拍卖|变卖|随案|驳回|监督管理|存查|备查|受理费|诉讼费|生效|[起截]止|起至"
    "|回到社区|遵守|接受教育|公益劳动|的公民|如下"
)
# Civil orders of a criminal judgment: "附带民事诉讼原告人", "赔偿…医疗费"; not "责令赔偿损失"
CIVIL: Final = re.compile("附带民事|赔偿[^。；]{0,60}?(?:医疗费|丧葬费|误工费|护理费|抚慰金)")
# What must be followed by a penalty: "判处", "并处"
IMPOSED: Final = re.compile("(?:判处|并处|单处)(?!的|缓刑)[^，。；]{0,200}")
SENTENCES: Final = re.compile("[^。；]+")
CLAUSES: Final = re.compile("[^。；，]+")
# A reprieve in brackets, which is no remark: "（缓期二年执行）", "（缓刑三年）"
REPRIEVE: Final = re.compile(rf"（(?:宣告)?缓(?:期|刑(?:考验期)?{DURATION})")
# The fine of several together: "共同并处罚金", "共处罚金"; not "共计"
JOINTLY: Final = re.compile(r"共(?:同)?(?:并)?(?:判)?处?\Z")
# One term or sum of a list
ONE_TERM: Final = re.compile(DURATION)
NEXT_ITEM: Final = re.compile(_ITEM)
# What makes a conviction that of another judgment: "对被告人某犯", "原犯"; not "，被告人某犯"
OF_ANOTHER: Final = re.compile(r"(?:对|(?<!其)中|将|以|给|原|前|曾|因|所)\Z")
# The number of an order right before a name: "三、"
AFTER_ITEM: Final = re.compile(rf"{_ITEM}\Z")
PROBATION_REVOKED: Final = re.compile(r"[^。；]{0,160}?(?:缓刑|假释)")

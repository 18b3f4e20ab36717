"""The words of a result: who, of what crime, to what, and which words speak of other judgments."""

from __future__ import annotations

import re
from typing import Final

from hengfa.law.judgment.charges import CHARGE_LIST
from hengfa.law.judgment.defendants import BARE, ROLE
from hengfa.law.judgment.fines import FINE, FINE_AFTER, FINE_OPEN, PROPERTY
from hengfa.law.judgment.terms import DURATION

# The number of an order: "一、", "十二、", "2."; not "第一、二项", "盗窃、诈骗"
ITEM: Final = r"(?:(?<=[。；：，“” ])|\A)(?:[一二三四五六七八九十]{1,3}、|[0-9]{1,2}[、.](?![0-9]))"
# What undoes or upholds another judgment: "撤销某院某号刑事判决", "维持某院…第一项"; not "撤回"
ELSEWHERE: Final = r"(?P<elsewhere>撤销|维持)"
# What an order that undoes or upholds goes on to repeat: "，即", "：“"; not "立即"
THAT_IS: Final = re.compile(r"[^。；]{0,120}?(?<!立)即(?:[：，“ ]|被告|判处|原审|撤销|上诉)")
_WITH: Final = "(?:连同|[与和同将])"
# Sentences of other judgments that are combined: "与前罪", "原犯", "尚未执行", "与本院…判决"
EARLIER: Final = (
    rf"(?P<earlier>{_WITH}?其?(?:因|曾)?(?:前罪|前判|前(?=犯)|原判|原(?=犯)|原罪|之前所?(?=犯)|曾因"
    r"|余刑|剩余|(?:尚|还)?未执行|没有执行|尚余)"
    rf"|{_WITH}[^，。；]{{0,40}}?(?:本院|人民法院)[^，。；]{{0,60}}?(?:判决|裁定)"
    r"|(?<=[，；。])因(?=犯))"
)
# The combined sentence: "决定执行", "决定合并执行", "数罪并罚"; not "总和刑期", "交付执行"
EXECUTED: Final = (
    r"(?P<executed>(?:决定|合并|最终|应当?)[^，。；、]{0,8}?执行(?!机关|通知|完毕|之日|以前|前)"
    r"|并罚(?!部分|的部分))"
)
TOTAL: Final = r"(?P<total>总和刑期|合计刑期|刑期总和)"
# "犯盗窃罪", "犯有诈骗罪、盗窃罪"; not "罪犯", "累犯", "犯罪所得", "犯盗窃罪的指控不成立"
CONVICTED: Final = (
    rf"(?<![累从主罪再初惯共囚案])犯 ?(?:有|了|下列)?(?P<convicted>{CHARGE_LIST})"
    r"(?!的?指控|不成立|不能成立)"
)
# "以盗窃罪，判处"; not "以盗窃罪追诉"
FOR: Final = (
    rf"以(?:犯)?(?P<for>{CHARGE_LIST})[，]?(?=(?:分别|依法|均|对|，)?(?:判处|被告|原审|上诉))"
)
# "有期徒刑三年", "拘役四个月十五日", "有期徒刑一年、二年"; not "有期徒刑以上"
TERM: Final = (
    r"(?P<kind>有期徒刑|拘役|管制)(?:刑期)?[：为，“ ]?"
    rf"(?P<term>{DURATION}(?:[、和]{DURATION}){{0,60}})"
)
# A term that should follow and does not: "判处有期徒刑。"
TERM_OPEN: Final = (
    rf"(?P<term_open>(?:判处|执行)(?:有期徒刑|拘役|管制)(?!(?:刑期)?[：为，“ ]?{DURATION}))"
)
# "死刑", "死刑，缓期二年执行"; the reprieve makes another penalty of it
DEATH: Final = r"(?P<death>死刑(?P<reprieved>[，、]?缓期(?:[二两2] ?年)?(?:执行)?)?)"
LIFE: Final = r"(?P<life>无期徒刑)"
# "缓刑三年", "宣告缓刑一年", "缓刑考验期为二年"; not "缓刑考验期限从判决确定之日起"
PROBATION: Final = rf"缓刑(?:考验)?(?:期限?|期间)?[：为“ ]?(?P<probation>{DURATION})"
POLITICAL: Final = rf"剥夺政治权利(?:期限)?[：为 ]?(?P<political>终身|{DURATION})"
EXEMPT: Final = r"(?P<exempt>免(?:予|于|除)(?:刑事)?处(?:罚|分)|免除刑罚|免予刑罚)"
ACQUITTED: Final = r"(?P<acquitted>(?<!有罪、)无罪(?!辩|推|的?意见|过))"
NOT_LIABLE: Final = r"(?P<not_liable>不负刑事责任)"
EXPELLED: Final = r"(?P<expelled>驱逐出境)"

# Everything that is looked for, the more special before the more general.
WORD: Final = re.compile(
    "|".join(
        [
            f"(?P<item>{ITEM})",
            ELSEWHERE,
            EARLIER,
            EXECUTED,
            TOTAL,
            f"(?P<role>{ROLE})",
            f"(?P<bare>{BARE})",
            CONVICTED,
            FOR,
            TERM,
            TERM_OPEN,
            DEATH,
            LIFE,
            PROBATION,
            POLITICAL,
            EXEMPT,
            ACQUITTED,
            NOT_LIABLE,
            EXPELLED,
            FINE_AFTER,
            FINE,
            f"(?P<fine_open>{FINE_OPEN})",
            f"(?P<confiscated>{PROPERTY})",
            r"(?P<stop>[。；])",
        ]
    )
)
# The fine of several together: "共同并处罚金", "共处罚金"; not "共计"
JOINTLY: Final = re.compile(r"共(?:同)?(?:并)?(?:判)?处?\Z")
# One term or sum of a list
ONE_TERM: Final = re.compile(DURATION)
NEXT_ITEM: Final = re.compile(ITEM)
# What makes a conviction that of another judgment: "对被告人某犯", "原犯"; not "，被告人某犯"
OF_ANOTHER: Final = re.compile(r"(?:对|(?<!其)中|将|以|给|原|前|曾|因|所)\Z")
# The number of an order right before a name: "三、"
AFTER_ITEM: Final = re.compile(rf"{ITEM}\Z")
PROBATION_REVOKED: Final = re.compile(r"[^。；]{0,160}?(?:缓刑|假释)")

"""Where a text tells what the provision that it cites says, without giving its words.

第八十七条规定，用人单位……的，应当…… tells it; 依照第八十七条的规定，判决如下 only uses it, and so
do most sentences that begin with 根据…第八十七条，. Both may hold what the law says or what it does
not, but whoever merely uses a provision goes on with his own case.
"""

from __future__ import annotations

import re
from typing import Final

from hengfa.law.citation_model import Told

_SHORTEST: Final = 10
_LONGEST: Final = 600
_NUMBER: Final = "[一二三四五六七八九十百千0-9]{1,7}"

# After a citation that a list goes on from: "、第六条", "和《刑法》", ",第六条"; not ", 用人单位"
_LIST_GOES_ON: Final = re.compile(rf" ?[、和及与或] ?(?:第|《)| ?[,;；] ?(?:第{_NUMBER}条|《)")
# "（第一款）", "【自首】", "**" between a citation and what is told of it
_NOTE: Final = r"[ \n*]{0,4}+(?:[（(【\[][^）)】\]\n]{1,20}[)）】\]])?[ \n*]{0,4}+"
# "规定,", "明确规定了", "的规定,", "中指出:"; not "规定的", "规定解除"
_VERB: Final = re.compile(
    rf"{_NOTE}(?P<of>(?:之|的|等|等的)?)(?:相关|有关|法律)?(?:中|也|还|又|则|已|就|明确|同时|均){{0,3}}"
    r"(?:规定|指出|明确|要求|表明|载明)(?P<done>了|的是)?[ *]{0,4}+(?P<stop>[,:：] ?)?"
)
# ": ", ", ", "【自首】", " ", nothing
_GAP: Final = re.compile(r"[ \n*]{0,4}+(?:[：:,]|[【\[][^】\]\n]{1,20}[】\]])?[ \n*]{0,4}+")
_NO_TELLING: Final = re.compile(r"[的之等中所是及和与或]|以及|规定|[^一-鿿]")
# Before a citation that is used: "依照", "违反了我国"; 根据 and 依据 also begin what tells
_USED: Final = re.compile(
    r"(?:依照|适用|违反了?|触犯了?|符合|属于|参照|构成)(?:中国|我国|了)?[^,。；;：:\n《]{0,6}\Z"
)
_USED_OR_TOLD: Final = re.compile(
    r"(?:根据|依据|按照|依照|适用|违反了?|触犯了?|符合|属于|参照|构成)(?:中国|我国|了)?[^,。；;：:\n《]{0,6}\Z"
)
_END: Final = re.compile(r"[。！？!?]|\n(?![ 　]{0,4}[（(]?[一二三四五六七八九十0-9]{1,2}[)）.、])")
# The next citation, of which something else is told: "；同时,第六条规定"; not "有下列情形,第六条"
_NEXT_TOLD: Final = re.compile(
    r"[;；,。] ?(?:同时|此外|而)?,? ?(?:根据|依据|依照|按照)?[^,；;。]{0,3}"
    r"(?:《[^》]{2,40}》|[^,；;。]{0,20}(?:法|解释|号)[一二三四五（）]{0,3})?"
    rf"第{_NUMBER}条(?:第{_NUMBER}款)?(?:第[（(]?{_NUMBER}[)）]?项)?(?:的|之|也|还|则|明确){{0,2}}"
    r"(?:规定|明确)"
)
_ENUMERATES: Final = re.compile("下列|以下")
_BEGINS_WITH_ANOTHER: Final = re.compile(rf"[\s;；、]{{0,4}}(?:《|第{_NUMBER}条)")
# Words about the case at hand: "你", "本案", "张某", "判决如下", "2021年3"; not "我国"
_CASE: Final = re.compile(
    r"[你您]|我(?!国)|本案|本院|该案|某|[×X]|如下[：:]?\Z|不?予以?支持|酌定|中院|[12][0-9]{3}年[0-9]"
    r"|诉请|涉案|案涉"
)
# What makes words sound like a rule: "应当", "处三年以下有期徒刑", "由…承担"
_RULE: Final = re.compile(
    r"应|可以|不得|有权|是指|视为|禁止|必须|无效|责任|义务|权利|为[^。]{0,6}的|归|属于|享有|不负|生效|按|适用"
    r"|构成|处[^。]{0,14}(?:徒刑|拘役|拘留|罚款|罚金|警告|死刑)"
    r"|由[^。,]{1,20}(?:承担|管辖|决定|赔偿|支付|责令|吊销)"
)


def find_told(s: str, start: int, end: int) -> Told | None:
    """What is told of the citations at ``s[start:end]`` of a canonical text, if anything is."""
    if _LIST_GOES_ON.match(s, end):
        return None
    before = s[max(0, start - 16) : start]
    if verb := _VERB.match(s, end):
        if not verb["stop"] and not verb["done"]:
            return None
        place, tells = verb.end(), not verb["of"] and _USED.search(before) is None
        like_a_rule = True
    else:
        place = _GAP.match(s, end).end()  # type: ignore[union-attr]  # it matches nothing as well
        gap = s[end:place].strip(" \n*")
        if not gap and _NO_TELLING.match(s, place):
            return None
        if place == end and _USED_OR_TOLD.search(before):
            return None
        tells = (not gap and place > end) or gap[:1] in {"【", "[", "：", ":"}
        like_a_rule = bool(gap) and not tells
    stop = _end_of(s, place)
    words = s[place:stop]
    if len(words) < _SHORTEST or _BEGINS_WITH_ANOTHER.match(words) or _CASE.search(words):
        return None
    return Told(place, stop, tells) if like_a_rule or _RULE.search(words) else None


def _end_of(s: str, start: int) -> int:
    """The end of the sentence, or of what it tells before it comes to the next citation."""
    limit = min(len(s), start + _LONGEST)
    end = _END.search(s, start, limit)
    stop = end.start() if end else limit
    following = _NEXT_TOLD.search(s, start, stop)
    if following and not _ENUMERATES.search(s, start, following.start()):
        return following.start()
    return stop

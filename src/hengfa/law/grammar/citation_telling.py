"""Where a text tells what the provision that it cites says, without giving its words.

第八十七条规定，用人单位……的，应当…… tells it; 依照第八十七条的规定，判决如下 only uses it, and so
do most sentences that begin with 根据…第八十七条，. Both may hold what the law says or what it does
not, but whoever merely uses a provision goes on with his own case.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from hengfa.law.grammar.citation_model import Paraphrase

_SHORTEST: Final = 10
_LONGEST: Final = 600
_DEFINITION: Final = 6
"""So short are 时效为三年 and other words that say no more than a quantity."""
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
# Before a citation whose 规定 tells what stands before it: "由" in 代位继承由第三条规定
_PASSIVE: Final = re.compile(r"由(?:中国|我国)?\Z")
# What has an amount: "时效", "诉讼时效期间", "罚款"
_MEASURE: Final = "(?:期|限|期间|时效|标准|比例|年龄|金?额|倍数|赔偿|罚款|利率|起刑点|起点|门槛)"
# "规定的个别清偿撤销期也是一年"; not "规定的情形是常见的"
_DEFINES: Final = re.compile(
    rf"(?:所?规定)?的(?P<what>[^,。；;：:\n的]{{0,16}}{_MEASURE}"
    r"[也都均就只才]{0,2}(?:是|为)[^,。；;：:\n]{0,12}[一二三四五六七八九十百千万两半0-9])"
)
# "（", "（参见" before a citation, which then is the source of the words before it
_BRACKET: Final = re.compile(r"[（(] ?(?:参?见|详见|依据|根据|依)?[：:]? ?\Z")
# The same without a bracket: "，见", "，依据是", "——"
_SEEN: Final = re.compile(
    r"(?:[,;；] ?(?:参?见|详见|(?:法律)?依据(?:是|为)|根据是)|[—―–-]{1,2})(?:我国)? ?\Z"
)
# "说，", "讲的就是": a layman's 规定
_SAYS: Final = re.compile(r"[说讲](?:的?就?是)?[,:：]? ?")
_STOPS: Final = "。！？!?；;：:\n（()）”"
_LONGEST_BEFORE: Final = 160
# "申请期限为六十日" wherever a provision is used; not "租赁期限为三十年的"
_DEFINED: Final = re.compile(
    rf"{_MEASURE}[也都均就只才]{{0,2}}(?:是|为)[^,。；;]{{0,6}}"
    r"(?:[一二三四五六七八九十百千万两半0-9](?:倍|个月|年|日|天|周岁|元)|百分之[^,。；;]{1,4}|[0-9]%)"
    r"(?=[,。；;)）]|\Z)"
)
_END: Final = re.compile(r"[。！？!?]|\n(?![ 　]{0,4}[（(]?[一二三四五六七八九十0-9]{1,2}[)）.、])")
# The next citation, of which something else is told: "；同时,第六条规定", "；第六条给",
# ",法释〔2013〕21号第二条规定"; not "有下列情形,第六条"
_NEXT_TOLD: Final = re.compile(
    r"(?:(?P<clause>[;；])|[,。]) ?(?:同时|此外|而)?,? ?(?:根据|依据|依照|按照)?[^,；;。]{0,3}"
    r"(?:《[^》]{2,40}》|[^,；;。]{0,20}(?:法|解释|号)[一二三四五（）]{0,3})?"
    rf"第{_NUMBER}条(?:第{_NUMBER}款)?"
    rf"(?:第[（(]?{_NUMBER}[)）]?项)?(?(clause)(?![、的之])|(?:的|之|也|还|则|明确){{0,2}}(?:规定|明确))"
)
_ENUMERATES: Final = re.compile("下列|以下")
_ANOTHER: Final = re.compile(rf"第{_NUMBER}条|《")
_BEGINS_WITH_ANOTHER: Final = re.compile(rf"[\s;；、]{{0,4}}(?:《|第{_NUMBER}条)")
# Words about the case at hand: "你", "本案", "张某", "判决如下", "2021年3"; not "我国"
_CASE: Final = re.compile(
    r"[你您]|我(?!国)|本案|本院|该案|某|[×X]|如下[：:]?\Z|不?予以?支持|酌定|中院|[12][0-9]{3}年[0-9]"
    r"|诉请|涉案|案涉|(?:判决|裁定|决定)如下"
)
# What makes words sound like a rule: "应当", "处三年以下有期徒刑", "由…承担"
_RULE: Final = re.compile(
    r"应|可以|不得|有权|是指|视为|禁止|必须|无效|责任|义务|权利|为[^。]{0,6}的|归|属于|享有|不负|生效|按|适用"
    r"|构成|处[^。]{0,14}(?:徒刑|拘役|拘留|罚款|罚金|警告|死刑)"
    r"|由[^。,]{1,20}(?:承担|管辖|决定|赔偿|支付|责令|吊销)"
)
# "三年", "百分之五": also makes a rule of what a sentence says that goes on from a citation
_AMOUNT: Final = re.compile(
    "[一二三四五六七八九十百千万两0-9](?:倍|个月|年|日|天|周岁|元|小时)|百分之|[0-9]%"
)


def find_paraphrase(s: str, start: int, end: int) -> Paraphrase | None:
    """What is told of the citations at ``s[start:end]`` of a canonical text, if anything is."""
    if _LIST_GOES_ON.match(s, end):
        return None
    before = s[max(0, start - 16) : start]
    opened = _BRACKET.search(before)
    if opened and s.startswith(("）", ")"), end):
        return _before_a_bracket(s, start - len(opened[0]))
    if seen := _SEEN.search(before):
        return _before_a_bracket(s, start - len(seen[0]))
    begun = _after_a_verb(s, before, end) or _after_a_gap(s, before, end)
    if begun is None:
        return None
    place, tells, uses, like_a_rule = begun
    stop = _end_of(s, place)
    words = s[place:stop]
    another = _ANOTHER.search(words) if uses else _BEGINS_WITH_ANOTHER.match(words)
    goes_on = not tells and not uses
    rule = like_a_rule or _RULE.search(words) or (goes_on and _AMOUNT.search(words))
    return _paraphrase_of(s, place, stop, tells=tells, uses=uses) if rule and not another else None


def _paraphrase_of(s: str, start: int, end: int, *, tells: bool, uses: bool) -> Paraphrase | None:
    """These words, if they are enough and not about a case; 时效为三年 says it of the provision."""
    words = s[start:end]
    defines = _DEFINED.search(words) is not None
    short = defines or (not uses and _AMOUNT.search(words))
    if len(words) < (_DEFINITION if short else _SHORTEST) or _CASE.search(words):
        return None
    return Paraphrase(start, end, tells, uses and not defines)


def _before_a_bracket(s: str, end: int) -> Paraphrase | None:
    """时效期间为三年（《民法典》第一百八十八条）: the words of the sentence before the bracket."""
    end -= s.endswith("。", 0, end)
    limit = max(0, end - _LONGEST_BEFORE)
    start = max(limit, *(s.rfind(sign, limit, end) + 1 for sign in _STOPS))
    if start == limit > 0:
        return None
    return _paraphrase_of(s, start + s.startswith(",", start), end, tells=False, uses=True)


class _Begun(NamedTuple):
    """Where told words begin, how, and whether they are a rule without sounding like one."""

    place: int
    tells: bool
    uses: bool
    like_a_rule: bool = True


def _after_a_verb(s: str, before: str, end: int) -> _Begun | None:
    """第三条规定，……, 第三条规定…… or 第三条规定的期限为……"""
    if defines := _DEFINES.match(s, end):
        return _Begun(defines.start("what"), tells=False, uses=False)
    if says := _SAYS.match(s, end):
        return _Begun(says.end(), tells=False, uses=False)
    verb = _VERB.match(s, end)
    if verb is None or _PASSIVE.search(before):
        return None
    if verb["stop"] or verb["done"]:
        uses = bool(verb["of"]) or _USED.search(before) is not None
        return _Begun(verb.end(), tells=not uses, uses=uses)
    if verb["of"] or _USED_OR_TOLD.search(before) or _NO_TELLING.match(s, verb.end()):
        return None
    return _Begun(verb.end(), tells=False, uses=False, like_a_rule=False)


def _after_a_gap(s: str, before: str, end: int) -> _Begun | None:
    """第三条：……, 第三条，……, 第三条 …… or 第三条把……; a new line need not be about it."""
    if _VERB.match(s, end):
        return None
    place = _GAP.match(s, end).end()  # type: ignore[union-attr]  # it matches nothing as well
    gap = s[end:place].strip(" \n*")
    if not gap and _NO_TELLING.match(s, place):
        return None
    if place == end and _USED_OR_TOLD.search(before):
        return None
    tells = (not gap and place > end and "\n" not in s[end:place]) or gap[:1] in {
        "【",
        "[",
        "：",
        ":",
    }
    comma = bool(gap) and not tells
    return _Begun(place, tells, uses=comma, like_a_rule=comma)


def _end_of(s: str, start: int) -> int:
    """The end of the sentence, or of what it tells before it comes to the next citation."""
    limit = min(len(s), start + _LONGEST)
    end = _END.search(s, start, limit)
    stop = end.start() if end else limit
    following = _NEXT_TOLD.search(s, start, stop)
    if following and not _ENUMERATES.search(s, start, following.start()):
        return following.start()
    return stop

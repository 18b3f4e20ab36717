"""What the sentence around a citation says, where nothing in it tells the provision outright.

债权人可以请求撤销，此为《民法典》第五百三十八条所定 tells it as much as 第五百三十八条规定，……, and
so does 按第五百三十八条，……, of which :mod:`hengfa.law.grammar.citation_content` takes only what
follows. Such words are not taken for the provision's; but whoever calls the citation right must
have read them.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_SHORTEST: Final = 10
_LONGEST: Final = 300
_MORE_THAN_A_USE: Final = 16
"""So many letters say something of a provision whatever they sound like."""

# "。", the end of a line; not "；", which the condition may stand before
_SIGNS: Final = "。！？!?\n"
_END: Final = re.compile(f"[{_SIGNS}]")
# "依照", "，此为", "，法律依据是" before a citation
_BEFORE: Final = re.compile(
    r"[,，；;：:]?(?:因此|所以|故|可|应|则|均|其|的|出处)*"
    r"(?:此即|此为|这就是|这正是|这是|就是|法律依据|根据|依照|按照|依据|参照|参见|适用|符合|违反|见|依|按|据)"
    r"(?:均)?(?:为|是|：)?(?:中国|我国|现行)?[《“]?\Z"
)
# "所明定", "对此有明文", "的规定，" after one
_AFTER: Final = re.compile(
    r"[》”]?(?:对此|为此)?(?:之|的|所)?(?:相关|有关|明确|作了|有)*"
    r"(?:规定|明定|所定|明文|要求)?(?:得很清楚|为|是|了)?[，,：:]?"
)
# What makes words sound like a rule: "应当", "三年", "无效"
_RULE: Final = re.compile(
    "应|可以|不得|有权|无权|不能|视为|禁止|必须|无效|有效(?!的)|撤销|解除|责任|义务|权利|优先|属于|享有|不负|无须|不需|归|赔偿|返还"
    "|推定|指定|限于|都[是不]|不再|不属|就算|一律|强制|效力|只[以能有]|驳回|免除|减轻|从轻|从重|[一二三四五六七八九十百千万两半0-9](?:倍|个?月|年|日|天|周岁|元|小时)|百分之|[0-9]%"
)
# "仍应适用", "处罚" at the end: the provision is used, of which nothing is told; and a day
_USE: Final = re.compile(
    r"(?:仍|均|都|也)?(?:应当?|须|可以?)?(?:依法|予以?)?(?:适用|处理|处罚|办理|执行|定罪|论处|追究|审理|认定)[^，。,]{0,4}\Z"
    r"|(?:[12][0-9]{3}年)?(?:[0-9]{1,2}月)?(?:[0-9]{1,2}日)?(?:[起前后])?"
)
# The result of a case, which tells of no provision: "判决如下", "判处"
_RESULT: Final = re.compile(
    r"(?:判决|裁定|决定|调解|处理|意见)[^，。]{0,6}如下|判处|予以(?:支持|驳回|采信|确认)\Z|提起(?:公诉|上诉)"
)


def sentence_of(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence begins and ends in which a citation stands, as far as it is looked at."""
    far = max(0, start - _LONGEST)
    first = max(far, *(text.rfind(sign, far, start) + 1 for sign in _SIGNS))
    stop = _END.search(text, end, end + _LONGEST)
    return first, stop.start() if stop else min(len(text), end + _LONGEST)


class Around(NamedTuple):
    """``text[first:middle]`` and ``text[again:last]``, before and after a citation."""

    first: int
    middle: int
    again: int
    last: int


def words_around(text: str, start: int, end: int, sentence: tuple[int, int]) -> Around | None:
    """The words before and after a citation at ``text[start:end]`` of a sentence.

    None where they say no rule, or are the result of a case.
    """
    first, last = sentence
    before, after = text[first:start], text[end:last]
    words = before + after
    said = _USE.sub("", words)
    told = _RULE.search(said) or len(said) >= _MORE_THAN_A_USE
    if not told or _RESULT.search(words) or len(words) > _LONGEST:
        return None
    head = _BEFORE.search(before)
    middle = first + (head.start() if head else len(before))
    again = end + _AFTER.match(after).end()  # type: ignore[union-attr]  # it matches nothing as well
    if middle - first + last - again < _SHORTEST:
        return None
    return Around(first, middle, again, last)

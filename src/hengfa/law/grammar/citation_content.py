"""What a text gives as the content of a provision that it cites: quoted, copied out, paraphrased.

Quotation marks and colons mark a quotation. Provisions that are copied out one after another have
no marks but their numbers at the start of a line or sentence: those are told from prose by what
stands around them.

A paraphrase gives the provision in other words. 第八十七条规定，用人单位……的，应当…… is one;
依照第八十七条的规定，判决如下 only uses the provision, and so do most sentences that begin with
根据…第八十七条，. Both may hold what the law says or what it does not, but whoever merely uses a
provision goes on with his own case.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from hengfa.law.grammar.citation_model import Caption, Paraphrase, Quote

MAX_QUOTE: Final = 3_000
_MAX_SENTENCE: Final = 2_000
_MAX_COPIED: Final = 6_000

Listed: TypeAlias = Literal["line", "sentence", "announced"]
"""Where an entry begins: a line, a sentence, or after words that announce provisions."""

_PAIRS: Final = {"“": "”", "「": "」", "『": "』", "‘": "’"}

# Between a citation and the opening mark: "规定：", "【自首】规定：", "中的"; not "，因此"
_INTRODUCED: Final = re.compile(
    r"(?: ?[（(【\[［][^（()）】\]］。\n]{1,20}[)）】\]］](?=[明进规]))?"
    r"(?P<words>(?:明确|进一步|分别|专门|特别|同时|还|也|亦|均|则|就|即|已|曾|对此|的|之|中|所|了|为|是"
    r"|如下|规定|约定|指出|载明|写明|记载|要求|表述|内容|条文|原文|全文|称|言|述|说|写道|文字|关于"
    r"|[前中后]段|但书|及|和|那样|[写说讲]得很?(?:清楚|明白|明确)|白纸黑字"
    r"){0,7}+(?:,(?:其|具体)?(?:原文|全文|条文|内容)(?:为|是|如下)?)?)"
    r"(?:[（(][^（()）。\n]{0,40}[)）])?(?P<colon>[:：,]?) ?(?P<open>[“「『‘\"']?)"
)
# What points back at a citation and states it: "该条" in 该条规定, "上述条款" in 上述条款的原文;
# not in "该条第二款", "同条件", "该规定过于严苛"
_POINTED: Final = re.compile(
    r"(?:[该同此]|上述|前述)(?:条款|法条|条文|规定|[条款项])"
    r"(?=[：:]|[^,。；;：:“”「」第《\n]{0,4}(?:规定|指出|明确|载明|写[明道]|原文|全文|内容|表述|要求))"
)
_POINTED_REACH: Final = 120
# Another citation or law on the way there: "第四十条", "《民法典》"; not "第三人"
_ANOTHER: Final = re.compile(r"第 ?[0-9零○一二三四五六七八九十百千]{1,9} ?[条款]|《")
_SHORTEST_BEFORE: Final = 15
_FROM: Final = r"(?:分别)?(?:参?见于?|详见|引自|出自|摘自|语出|载于?|来源)?[：:]? ?(?:我国|中国)?"
# Between words and the citation that says whose they were: "”（", "”——见", "”这是"; not "”的"
_ATTRIBUTED: Final = re.compile(
    rf"(?P<close>[”」』’\"']) ?[。；;,]?(?:[ \n>]{{0,6}}+(?P<sure>[（(]|[—―–-]{{1,2}}) ?{_FROM}"
    r"| ?(?:(?:这|此|该|以上|上述)(?:规定|内容|条文|文字)?)?(?:就|即|正)?"
    r"(?:是|系|为|参?见于?|引自|出自|摘自|语出|载于)(?:我国|中国)?)\Z"
)
# Before words that somebody says: "辩称：“"; not "规定：“"
_SPOKEN: Final = re.compile(r"[云曰称说道问答](?:[:：,])?\Z|(?:认为|主张|表示|约定)[:：,]?\Z")
# The same where a dash begins a line and the words have lines of their own: "\n> ——"
_SIGNED: Final = re.compile(rf"(?P<gap>\n[> \n]{{0,6}}+)[—―–-]{{1,2}} ?{_FROM}\Z")
# After such a citation: "）", "的原文", the end; not "规定："
_NOTHING_MORE: Final = re.compile(
    r" ?(?:[)）。,；;\n“]|\Z|[的之]?(?:原文|全文|规定|条文|内容|原话)(?![的,：:“ ]))"
)
# Prose that goes on after a number at the start of a sentence: "规定", "的", "、", "是关于"; not
# "对于被判处拘役的", "为了使国家", "第二审人民法院", which begin provisions
_PROSE: Final = re.compile(
    r" ?(?:[的之、,。;；)）》”’\"'〉/]|规定|约定|所[列指规称]|是(?!指)"
    r"|为(?![了保担维加规促防便使贯适实明正依切鼓推])|中(?![国央外小止级高等华共介])|即|明确|也|亦|均"
    r"|都|还|则|及|和|与|或|以及|至|到|等|关于|修改|改为|作为|增加|删|调整"
    r"|第[^款条项审二一]{1,8}[条款项]|并|已(?:被|于|失|不)|属|可知|可见|将|就|款|项|\Z)"
)
# "［自首］", "【犯罪概念】" between a number and its provision; not "（一）"
_RUBRIC: Final = re.compile(r"[［\[【][^］\]】\n]{1,60}[］\]】]")
# "（非法拘禁罪）" before prose that goes on; not "（一" of a list
_REMARK: Final = re.compile(r"[（(][^（()）\n]{2,40}[)）]")
_CRIME: Final = (
    r"(?!罪)(?:[^罪,。;；：:《》（()）【】“”\"\n 第条]|(?<=犯)罪){1,30}?(?<!犯)罪(?![名行责犯状])"
)
# A crime beside the number: " 盗窃罪", "（抢劫罪、抢夺罪）", "规定的诈骗罪"; not "，犯盗窃罪"
_CHARGED: Final = re.compile(
    r"[ ：:—|-]{0,3}+(?P<open>[（(【\[［])?(?:所?规定的|之|的)?"
    rf"(?P<name>{_CRIME}(?:[、和及与]{_CRIME}){{0,4}})"
)
_FARTHEST_CHARGE: Final = 50
# " 违约责任", "：法定解除"; not "违约责任", which would go on a sentence
_SHORT: Final = re.compile(r"(?:[ ：:]{1,3}+|—{1,2}+ ?)(?P<name>[一-鿿0-9%％]{2,30}+)")
# "（盗窃）"; not "（一）", "（第二款）", which count
_BRACKETED: Final = re.compile(r" ?[（(](?P<name>(?![一二三四五六七八九十第])[一-鿿、]{2,16})[)）]")
_CAPTION, _SENTENCE = 16, 8
"""So long a caption may be; with 。 after it, only if it is shorter than any provision."""
# After a caption: a line end, "；", "、第266条"; not "、抢劫", ", 处罚金"
_CAPTION_ENDS: Final = re.compile(
    r" {0,4}+(?:[\n;；。)）|]|\Z|[、,和及与] ?(?:第|《|§|[一-鿿]{1,8}法第))"
)
# What makes words a rule: "应当", "可以", "视为"; not "相应", "应收"
_RULES: Final = re.compile(
    "(?<!相)应(?![收用])|可以|不得|必须|禁止|有权|视为|是指|依照|按照|适用(?!范围|条件)|为了"
)
# "<p>", "</span>" in text from web pages; not "<刑法>"
_TAG: Final = "</?[a-z]{1,6}>"
_ORDINAL_MARK: Final = r"(?:[0-9]{1,2}[、.)）]|[一二三四五六七八九十]{1,2}、)"
# Words that announce provisions copied out: "附：相关法律条文 ", "法律依据：", "附件 一、",
# "法律依据：根据2021年施行的"; not "附近", "的规定，以及"
_ANNOUNCED: Final = re.compile(
    r"(?:附(?:本案|相关|法律|件|录|注|：|:|适用|有关|判决|主要)"
    r"|(?:法律|适用|引用|依据|相关|主要|援引|有关)[^,。;；\n]{0,6}(?:法条|条文|条款|规定|依据|法律)"
    rf"|法条|条文)[^,。;；“”\n]{{0,14}}(?<=[：: \n>]){_ORDINAL_MARK}?[ \n]?"
    r"(?:根据|依据)?(?:(?:19|20)[0-9]{2}[^,。;；\n]{1,14}的)?\Z|附页? ?\Z"
)
_ANNOUNCED_ENDS: Final = frozenset("：: \n>、.附页据的")
# After a number: "** ", "</p><p>", nothing; not a line break
_GAP: Final = re.compile(rf"(?:\*\*|{_TAG}){{0,3}}+ {{0,8}}+")
# What may begin a line or sentence: "1、", "（+5分）", "一、", "- ", "**", "答案："; not "根据"
_LIST_MARK: Final = re.compile(
    rf"(?:[ *•#>\[［“-]|(?<![0-9]){_ORDINAL_MARK}|[（(][^（()）。\n]{{1,8}}[)）]|{_TAG}"
    r"|答案[:：])\Z"
)
_LIST_ENDS: Final = frozenset(" *-•#>[［“、.)）:：")
# The mark of the next entry at the end of this one: " 2、", " 二、", "（+5分）"; not "……"
_TAIL: Final = re.compile(
    rf"[\s*#>-]*+(?:{_ORDINAL_MARK}|[（(]\+?[0-9]{{1,2}} ?分?[)）])?[\s*#>-]*+\Z"
)
# After the last provision of a judgment: "审判长", "书记员"; not "审判"
_SIGNATURE: Final = re.compile(
    r"(?<=[。 \n])(?:审判长|审判员|代理审判员|人民陪审员|书记员|法官助理) ?[一-鿿]"
)


class Marks:
    """The quotation marks of one text, paired once for all."""

    def __init__(self, s: str) -> None:
        self.s = s
        self.closing = dict(_pair(s))
        self.opening = {close: start for start, close in self.closing.items()}
        self.straight = {mark: [each.start() for each in re.finditer(mark, s)] for mark in "\"'"}

    def close(self, place: int) -> int | None:
        """Where the quotation that opens at ``place`` ends, or None."""
        mark = self.s[place]
        if mark in _PAIRS:
            return self.closing.get(place)
        places = self.straight[mark]
        after = bisect_left(places, place + 1)
        if after == len(places) or places[after] - place > MAX_QUOTE:
            return None
        return places[after]

    def open(self, place: int) -> int | None:
        """Where the quotation that is closed at ``place`` begins, or None."""
        if self.s[place] not in self.straight:
            return self.opening.get(place)
        places = self.straight[self.s[place]]
        before = bisect_left(places, place) - 1
        if before < 0 or place - places[before] > MAX_QUOTE or not self.opens(places[before]):
            return None
        return places[before]

    def opens(self, place: int) -> bool:
        """Whether a straight mark opens: an even number of them stands before it in its line."""
        mark = self.s[place]
        if mark in _PAIRS:
            return True
        places = self.straight[mark]
        line = self.s.rfind("\n", max(0, place - MAX_QUOTE), place) + 1
        return (bisect_left(places, place) - bisect_left(places, line)) % 2 == 0


def _pair(s: str) -> Iterator[tuple[int, int]]:
    """Opening and closing marks that belong together.

    A quotation of several paragraphs opens each with a mark and closes only the last; so a mark
    that opens a line inside a quotation of the same kind does not count.
    """
    waiting: dict[str, list[int]] = {mark: [] for mark in _PAIRS}
    opener = {close: mark for mark, close in _PAIRS.items()}
    for match in re.finditer("[“”「」『』‘’]", s):
        place, mark = match.start(), match[0]
        if mark in waiting:
            stack = waiting[mark]
            again = place > 0 and s[place - 1] == "\n" and stack and place - stack[-1] < MAX_QUOTE
            if not again:
                stack.append(place)
        elif stack := waiting[opener[mark]]:
            start = stack.pop()
            if place - start <= MAX_QUOTE:
                yield start, place


def find_quote(s: str, end: int, marks: Marks) -> Quote | None:
    """The quotation that a citation ending at ``end`` introduces, if marks say so."""
    match = _INTRODUCED.match(s, end)
    if not match:
        return None
    words, colon = match["words"], match["colon"]
    if match["open"]:
        place = match.start("open")
        sure = bool(colon) and "规定" in words
        if not sure and not marks.opens(place):
            return None
        close = marks.close(place)
        if close is None or close == place + 1:
            return None
        phrase = not colon and words[-1:] in {"的", "了", "中", "所", "关于"}
        return Quote(place + 1, close, "phrase" if phrase else "quotes")
    if colon in {":", "："}:
        start = match.end()
        while start < len(s) and s[start] in " \n":
            start += 1
        stop = sentence_end(s, start)
        following = _NEXT_ITEM.search(s, start, stop)
        stop = following.start() if following else stop
        indirect = words[-1:] in {"的", "中", "所"} or s.startswith(("关于", "用以", "该条"), start)
        if stop > start and not indirect:
            return Quote(start, stop, "colon")
    return None


def find_caption(s: str, end: int) -> Caption | None:
    """What the article whose number ends at ``end`` is called, if it is called anything."""
    if rubric := _RUBRIC.match(s, end + s.startswith(" ", end)):
        return Caption(rubric.start() + 1, rubric.end() - 1, alone=False)
    if s.find("罪", end, end + _FARTHEST_CHARGE) >= 0 and (charged := _CHARGED.match(s, end)):
        bare = charged["open"] is None and charged.start("name") > end
        alone = bare and _CAPTION_ENDS.match(s, charged.end()) is not None
        return Caption(*charged.span("name"), alone=alone)
    if bracketed := _BRACKETED.match(s, end):
        return Caption(*bracketed.span("name"), alone=False)
    if not (short := _SHORT.match(s, end)) or _RULES.search(short["name"]):
        return None
    longest = _SENTENCE if s.startswith("。", short.end()) else _CAPTION
    if len(short["name"]) > longest or not _CAPTION_ENDS.match(s, short.end()):
        return None
    return Caption(*short.span("name"), alone=True)


def find_pointed(s: str, end: int) -> tuple[int, int] | None:
    """该条 or 上述规定 after a citation, where it stands for it and says what it states."""
    pointed = _POINTED.search(s, end, end + _POINTED_REACH)
    if pointed is None or _ANOTHER.search(s, end, pointed.start()):
        return None
    return pointed.span()


def find_quote_before(s: str, start: int, end: int, marks: Marks) -> Quote | None:
    """The words before the citation at ``s[start:end]`` that it is given as the source of."""
    if not _NOTHING_MORE.match(s, end):
        return None
    window = max(0, start - 24)
    if attributed := _ATTRIBUTED.search(s[window:start]):
        close = window + attributed.start("close")
        place = marks.open(close)
        if place is None or close - place <= _SHORTEST_BEFORE:
            return None
        if _SPOKEN.search(s[max(0, place - 4) : place]):
            return None
        return Quote(place + 1, close, "quotes" if attributed["sure"] else "phrase")
    if signed := _SIGNED.search(s[window:start]):
        stop = window + signed.start("gap")
        first = _lines_before(s, stop)
        if _SHORTEST_BEFORE <= stop - first <= MAX_QUOTE:
            return Quote(first, stop, "phrase")
    return None


def _lines_before(s: str, stop: int) -> int:
    """Where the line begins that ends at ``stop``, or the first of its paragraph marked with >."""
    limit = max(0, stop - MAX_QUOTE)
    first = s.rfind("\n", limit, stop) + 1
    while first > limit and s.startswith(">", first):
        before = s.rfind("\n", limit, first - 1) + 1
        line = s[before + 1 : first].strip()
        if not s.startswith(">", before) or not line or line[0] in "—―–":
            break
        first = before
    return first


def sentence_end(s: str, start: int) -> int:
    """The end of the sentence, or of the list of items that it opens."""
    limit = min(len(s), start + _MAX_SENTENCE)
    place = start
    while place < limit:
        stop = s.find("。", place, limit)
        line = s.find("\n", place, limit if stop < 0 else stop)
        if line < 0:
            return limit if stop < 0 else stop + 1
        if s[line - 1] not in "：:；;，,":
            return line
        place = line + 1
    return limit


def is_listed(s: str, place: int, end: int, *, title_alone: bool) -> Listed | None:
    """Whether a number that ends at ``end``, with its law's name, opens an entry at ``place``.

    announced: words before it announce provisions, the name stands alone before the number, or
    the number has a rubric.
    """
    if s[place - 1 : place] in _ANNOUNCED_ENDS and _ANNOUNCED.search(s[max(0, place - 60) : place]):
        return "announced"
    certain = title_alone or _RUBRIC.match(s, end) is not None
    marked = False
    for _ in range(6):
        if place <= 0 or s[place - 1] == "\n":
            return "announced" if certain else "line"
        if s[place - 1] in "。；;！？…”":
            return "announced" if certain else "sentence"
        if s[place - 1] not in _LIST_ENDS:
            break
        if not (mark := _LIST_MARK.search(s[max(0, place - 12) : place])):
            break
        place -= len(mark[0])
        marked = True
    return "announced" if certain and marked else None


def find_copied(s: str, end: int, *, strong: bool) -> int | None:
    """Where the words of a provision begin whose number ends at ``end``, or None for prose.

    ``strong`` says that its surroundings speak for a copied provision; else a blank, a rubric or
    dots must separate the number from the words.
    """
    place = _GAP.match(s, end).end()  # type: ignore[union-attr]
    if rubric := _RUBRIC.match(s, place):
        place = rubric.end() + s.startswith(" ", rubric.end())
    colon = s.startswith(("：", ":"), place)
    separated = place > end or colon or s.startswith("…", place)
    if colon:
        place += 1 + s.startswith(" ", place + 1)
    if place >= len(s) or s[place] in '\n“「『"' or not (strong or (separated and not colon)):
        return None
    remark = _REMARK.match(s, place)
    return None if _PROSE.match(s, remark.end() if remark else place) else place


def copied_end(s: str, start: int, limit: int) -> int:
    """Where the words of a copied provision end at the latest: with its line and its items."""
    limit = min(limit, start + _MAX_COPIED)
    place = start
    while place < limit:
        line = s.find("\n", place, limit)
        if line < 0:
            return limit
        following = line + 1
        while following < limit and s[following] in " \n":
            following += 1
        if s[line - 1] not in "：:；;" and not s.startswith(("（", "("), following):
            return line
        place = following
    return limit


def trim_copied(s: str, start: int, end: int) -> int:
    """The end without the signatures, list marks and blanks that follow the words."""
    if signed := _SIGNATURE.search(s, start, end):
        end = signed.start()
    tail = s[max(start, end - 12) : end]
    return end - len(tail) + len(_TAIL.sub("", tail))


# --- paraphrases ---

_SHORTEST_PARAPHRASE: Final = 10
_LONGEST_PARAPHRASE: Final = 600
_DEFINITION: Final = 6
"""So short are 时效为三年 and other words that say no more than a quantity."""
_NUMBER: Final = "[一二三四五六七八九十百千0-9]{1,7}"
# "\n（二）第二十二条", the next item of a list; not "\n（二）捕捉海龟的"
_NEXT_ITEM: Final = re.compile(
    rf"\n[ \n]{{0,4}}(?:[（(]?{_NUMBER}[)）、.．]{{1,2}}|[-*•]) ?"
    rf"(?:《[^》\n]{{2,40}}》)?第{_NUMBER}条"
)

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
_PAUSE: Final = re.compile(r"[ \n*]{0,4}+(?:[：:,]|[【\[][^】\]\n]{1,20}[】\]])?[ \n*]{0,4}+")
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
# ",法释〔2013〕21号第二条规定", ",第二款规定"; not "有下列情形,第六条"
_NEXT_TOLD: Final = re.compile(
    r"(?:(?P<clause>[;；])|[,。]) ?(?:同时|此外|而)?,? ?(?:根据|依据|依照|按照)?[^,；;。]{0,3}"
    r"(?:《[^》]{2,40}》|[^,；;。]{0,20}(?:法|解释|号)[一二三四五（）]{0,3})?"
    rf"(?:第{_NUMBER}条(?:第{_NUMBER}款)?|第{_NUMBER}款)"
    rf"(?:第[（(]?{_NUMBER}[)）]?项)?(?(clause)(?![、的之])|(?:的|之|也|还|则|明确){{0,2}}(?:规定|明确))"
)
_ENUMERATES: Final = re.compile("下列|以下")
_OTHER_ARTICLE: Final = re.compile(rf"第{_NUMBER}条|《")
_BEGINS_WITH_ANOTHER: Final = re.compile(rf"[\s;；、]{{0,4}}(?:《|第{_NUMBER}条)")
# Words about the case at hand: "你", "本案", "张某", "判决如下", "2021年3"; not "我国"
_CASE: Final = re.compile(
    r"[你您]|我(?!国)|本案|本院|该案|某|[×X]|如下[：:]?\Z|不?予以?支持|酌定|中院|[12][0-9]{3}年[0-9]"
    r"|诉请|涉案|案涉|(?:判决|裁定|决定)如下"
)
# What makes words sound like a rule: "应当", "允许", "处三年以下有期徒刑", "由…承担"
_RULE: Final = re.compile(
    r"应|可以|不得|有权|是指|视为|禁止|允许|准许|不准|免除|必须|无效|责任|义务|权利|为[^。]{0,6}的|归|属于|享有|不负|生效|按|适用"
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
    if opened and s[end : end + 2] in {"）：", "):", "）:", ")："}:
        stop = _end_of(s, end + 2)
        return _paraphrase_of(s, end + 2, stop, tells=True, uses=False)
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
    another = _OTHER_ARTICLE.search(words) if uses else _BEGINS_WITH_ANOTHER.match(words)
    goes_on = not tells and not uses
    rule = like_a_rule or _RULE.search(words) or (goes_on and _AMOUNT.search(words))
    return _paraphrase_of(s, place, stop, tells=tells, uses=uses) if rule and not another else None


def _paraphrase_of(s: str, start: int, end: int, *, tells: bool, uses: bool) -> Paraphrase | None:
    """These words, if they are enough and not about a case; 时效为三年 says it of the provision."""
    words = s[start:end]
    defines = _DEFINED.search(words) is not None
    short = defines or (not uses and _AMOUNT.search(words))
    if len(words) < (_DEFINITION if short else _SHORTEST_PARAPHRASE) or _CASE.search(words):
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
    place = _PAUSE.match(s, end).end()  # type: ignore[union-attr]  # it matches nothing as well
    gap = s[end:place].strip(" \n*")
    if not gap and _NO_TELLING.match(s, place):
        return None
    if place == end and _USED_OR_TOLD.search(before):
        return None
    blank = not gap and place > end and "\n" not in s[end:place]
    tells = blank or gap.startswith(("【", "[", "：", ":"))
    comma = bool(gap) and not tells
    return _Begun(place, tells, uses=comma, like_a_rule=comma)


def _end_of(s: str, start: int) -> int:
    """The end of the sentence, or of what it tells before it comes to the next citation."""
    limit = min(len(s), start + _LONGEST_PARAPHRASE)
    end = _END.search(s, start, limit)
    stop = end.start() if end else limit
    following = _NEXT_TOLD.search(s, start, stop)
    if following and not _ENUMERATES.search(s, start, following.start()):
        return following.start()
    return stop

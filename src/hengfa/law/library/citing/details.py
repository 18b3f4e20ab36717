"""Details in which told words and a provision contradict each other: quantities, opposite words.

Words about a provision share nearly all of their letters with it where they say 三倍 for 二倍 or
不得 for 可以, so these are read one by one. Quantities are compared by value: 半年 is 六个月, and
三十日 may be called 一个月. Opposites come from a short list (`details.toml`): a telling has one of
the two, the provision only the other.

The places of a rule that are easily filled wrongly are who, from when, with what consequence.
自登记时设立 and 自合同生效时设立 share their verb and little else. Where both have the same frame
(自……起, 由……承担, 视为……) and nothing of what fills it in common, somebody should look: the words
may be another way to say it, so this is a doubt, never a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from rapidfuzz.distance import Postfix, Prefix

from hengfa.base.data.jsonfile import read_toml
from hengfa.law.grammar.numerals import parse_number
from hengfa.law.library.matching import QUOTED, normalise


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pairs: tuple[tuple[str, str], ...]
    kinds: tuple[tuple[str, ...], ...]
    doers: tuple[str, ...]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    units: dict[str, tuple[str, float]]
    english_units: dict[str, tuple[str, float]]
    english_numbers: dict[str, int]
    words: _Words


_TABLE: Final = read_toml(Path(__file__).with_name("details.toml"), _Table)

_REACH: Final = 24
_SAME_BEFORE: Final = 4
"""So many letters before a quantity say what it is a quantity of: 不得超过……, 占应纳税额……"""
_SAME_AFTER: Final = 6

# --- quantities ---

_DIGITS: Final = "[0-9][0-9,.]{0,11}[十百千万亿]{0,2}|[一二三四五六七八九十百千万亿两零〇]{1,10}"
# "百分之三十", "三分之二", "三倍", "双倍", "1.5万元", "半年", "5%"; not "第三条", "2021年"
_QUANTITY: Final = re.compile(
    rf"(?P<whole>[百千万十二三四五六])分之(?P<part>{_DIGITS})"
    rf"|(?<![第0-9])(?P<number>{_DIGITS}|[半双])(?P<half>个半|半)?"
    r"(?P<unit>个?星期|个?工作日|个月|周岁|个?小时|周|年|月|日|天|倍|元|岁|[%％]|次(?!性))(?P<more>半(?!数))?"
)
POSITION: Final = re.compile(r"第[一二三四五六七八九十百千0-9]{1,7}[条款项章节]")
_WHOLE: Final = {"百": 100, "千": 1_000, "万": 10_000}
_LIKE: Final = {("day", "month"): 30.0, ("hour", "day"): 24.0}
_FIRST_YEAR: Final = 1900


class Quantity(NamedTuple):
    """A number with its unit, and the letters around it."""

    shown: str
    value: float
    unit: str
    before: str
    after: str
    start: int = 0

    def is_like(self, other: Quantity) -> bool:
        """Whether both are the same, 30天 and 一个月 too."""
        for one, two in ((self, other), (other, self)):
            scale = 1.0 if one.unit == two.unit else _LIKE.get((one.unit, two.unit))
            if scale and abs(one.value - two.value * scale) < 1e-6:
                return True
        return False

    def is_for(self, other: Quantity, *, new: bool) -> int:
        """How many letters say that both are quantities of the same, 0 where too few do.

        Those before it, or, where the number is ``new`` to the law, those after it.
        """
        before = Postfix.similarity(self.before, other.before)
        after = Prefix.similarity(self.after, other.after)
        new = new and not self.after.startswith("的")  # 二十五年的, a case
        enough = before >= _SAME_BEFORE or (new and after >= _SAME_AFTER)
        return before + after if enough else 0


def quantities(text: str) -> list[Quantity]:
    """The quantities of a text; years and the numbers of articles are none."""
    text = POSITION.sub(lambda match: " " * len(match[0]), text)
    read: list[Quantity] = []
    start = 0  # after the quantity before: 五千元以上 says nothing of what follows
    for match in _QUANTITY.finditer(text):
        if quantity := _read_quantity(text, max(start, match.start() - _REACH), match):
            read.append(quantity)
            start = match.end()
    return read


def _read_quantity(text: str, start: int, match: re.Match[str]) -> Quantity | None:
    """The quantity that matches; the letters before it are looked at from ``start`` on."""
    if match["whole"]:
        number = parse_number(match["part"])
        whole = _WHOLE.get(match["whole"]) or parse_number(match["whole"])
        value, unit = (float(number) / float(whole) * 100, "%") if number and whole else (None, "")
    else:
        value, unit = _amount(match["number"], bool(match["half"] or match["more"])), match["unit"]
        if value is None or (unit == "年" and value >= _FIRST_YEAR):
            return None
        name, scale = _TABLE.units.get(unit, (unit, 1.0))
        value, unit = value * scale, name
    if value is None:
        return None
    before = normalise(text[start : match.start()], QUOTED)
    after = normalise(text[match.end() : match.end() + _REACH], QUOTED)
    return Quantity(match[0], value, unit, before, after, match.start())


# "twelve months", "20 per cent", "30 days"
_ENGLISH: Final = re.compile(
    r"\b(?P<number>[0-9][0-9,.]{0,11}|[a-z]{3,9})[ -]?(?P<unit>years?|months?|days?|weeks?|hours?"
    r"|per ?cent|%|times|working days?)(?![a-z])",
    re.IGNORECASE,
)


def english_quantities(text: str) -> list[Quantity]:
    """The quantities of an English text."""
    read = []
    for match in _ENGLISH.finditer(text):
        number = match["number"].lower().replace(",", "")
        value = parse_number(number) if number[0].isdigit() else _TABLE.english_numbers.get(number)
        unit, scale = _TABLE.english_units[match["unit"].lower().removesuffix("s")]
        if value is not None:
            read.append(Quantity(match[0], float(value) * scale, unit, "", ""))
    return read


def _amount(number: str, half: bool) -> float | None:
    if number in {"半", "双"}:
        return 0.5 if number == "半" else 2.0
    value = parse_number(number.replace(",", ""))
    return None if value is None else float(value) + half / 2


def strange(told: Sequence[Quantity], law: Sequence[Quantity]) -> Iterator[Quantity]:
    """Told quantities that the law does not have."""
    return (one for one in told if not any(one.is_like(other) for other in law))


def contradictions(told: Sequence[Quantity], law: Sequence[Quantity]) -> Iterator[Quantity]:
    """Told quantities in whose place, by the letters around it, the law has others."""
    for one in told:
        new = not any(one.is_like(other) for other in law)
        places = [(one.is_for(other, new=new), other) for other in law if other.unit == one.unit]
        nearest = max((letters for letters, _ in places), default=0)
        if nearest and not any(one.is_like(other) for n, other in places if n == nearest):
            yield one


# --- opposite words ---

# What one may, must and must not do: "可以解除", "应当解除", "不得解除"
_MODAL: Final = re.compile(
    "(?P<may>(?<!不)可以|有权)|(?P<must>(?<!不)应当|必须)|(?P<must_not>不得|无权|不可以|不应当|禁止)"
)
_VERB: Final = 2
_NOT: Final = frozenset("不非无没未否")
# "没有探望子女", where the law has 有探望子女
_HAD_NOT: Final = re.compile("没(?P<what>有..)")
# Who has to do something: "由国家先行垫付"
_BY: Final = re.compile(f"由(?P<who>{'|'.join(_TABLE.words.doers)})")
# "三年以上", "五千元以下"
_BOUND: Final = re.compile(
    rf"(?P<amount>(?:{_DIGITS})(?:个月|年|日|元|倍|周岁))(?P<bound>以[上下])"
)


def opposites(told: str, law: str) -> Iterator[str]:
    """Words of a telling that the law has only the opposite of."""
    letters, provision = normalise(told, QUOTED), normalise(law, QUOTED)
    yield from _other_modals(letters, provision)
    pairs = _TABLE.words.pairs
    for one, two in (*pairs, *((two, one) for one, two in pairs)):
        told_so = _has(letters, one) and not _has(letters, two)
        if told_so and _has(provision, two) and not _has(provision, one):
            yield one
    for had in _HAD_NOT.finditer(letters):
        if had[0] not in provision and _has(provision, had["what"]):
            yield had[0]
    for by in _BY.finditer(letters):
        if by["who"] not in provision:
            yield by[0]
    bounds = {match[0] for match in _BOUND.finditer(provision)}
    for bound in _BOUND.finditer(letters):
        other = bound["amount"] + ("以下" if bound["bound"] == "以上" else "以上")
        if other in bounds and bound[0] not in bounds:
            yield bound[0]


def _other_modals(told: str, law: str) -> Iterator[str]:
    """可以解除 where the law has 不得解除 and no other 解除 after a word of this kind."""
    allowed: dict[str, set[str]] = {}
    for verb, kind, _ in _modals(law):
        allowed.setdefault(verb, set()).add(kind)
    for verb, kind, shown in _modals(told):
        if verb in allowed and kind not in allowed[verb]:
            yield shown


def _modals(letters: str) -> Iterator[tuple[str, str, str]]:
    for match in _MODAL.finditer(letters):
        verb = letters[match.end() : match.end() + _VERB]
        if len(verb) == _VERB and match.lastgroup:
            yield verb, match.lastgroup, match[0] + verb


def _has(letters: str, word: str) -> bool:
    """Whether a word is there without 不 or 不是 before it."""
    at = letters.find(word)
    while at >= 0:
        if not set(letters[max(0, at - 3) : at]) & _NOT:
            return True
        at = letters.find(word, at + 1)
    return False


# --- what fills a place ---

_FILLED: Final = r"(?P<what>[^，。；：、,;:（）()“”自从由向经归]{1,16}?)"
# Each with what fills it: "登记" in 自登记时设立, "监事会" in 由监事会核查
_FRAMES: Final = tuple(
    re.compile(frame)
    for frame in (
        rf"(?:自|从)(?!己|然|行|主|愿|首){_FILLED}(?:之日|之时|那天|当日|[时日后]|起)+(?=起|开始|设立|生效|成立|计算|算|取得|发生|消灭)",
        rf"由{_FILLED}(?:自行)?(?=承担|负担|赔偿|赔|支付|批准|决定|管辖|证明|举证|垫付|责令|负责|享有|行使|核查|发出|出具|认定)",
        r"视为(?P<what>[^，。；：、,;:（）()“”]{2,4})",
        r"归(?P<what>[^，。；：、,;:（）()“”]{1,10}?)(?=所有|享有|[，。；,;]|$)",
        rf"经{_FILLED}(?=同意|批准|许可|追认)",
        rf"向{_FILLED}(?=申请|提出|提起|报告|请求|主张|起诉|追偿|备案)",
        r"以(?P<what>[^，。；：、,;:（）()“”以]{1,14}罪)(?=论处|定罪|追究|处罚)",
    )
)


def doubts(words: str, law: str) -> list[str]:
    """What some words about a provision fill otherwise than the provision."""
    doubted: list[str] = []
    for frame in _FRAMES:
        own = [normalise(match["what"], QUOTED) for match in frame.finditer(law)]
        for match in frame.finditer(words) if own else ():
            what = normalise(match["what"], QUOTED)
            if what and not any(_alike(what, other) for other in own):
                doubted.append(match[0])
    for kind in _TABLE.words.kinds:
        known = {word for word in kind if word in law}
        said = [word for word in kind if word in words]
        if known and said and not known.intersection(said):
            doubted.append(said[0])
    return list(dict.fromkeys(doubted))


def _alike(one: str, other: str) -> bool:
    """Whether two fillings have two letters in a row, or all of the shorter, in common."""
    pairs = (one[at : at + 2] for at in range(len(one) - 1))
    return one in other or other in one or any(pair in other for pair in pairs)

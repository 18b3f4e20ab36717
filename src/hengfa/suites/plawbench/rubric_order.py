"""What a rubric says of the order of its steps, as pairs of steps (spec 3.2).

Rules stand before the first step and hold for all, in the heading of a question and hold for its
steps, or inside a step and hold within it. A rule is read clause by clause: which steps it names,
and what it says of them. Where a clause names none, it speaks of those before it, or of all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from hengfa.grading.rubric import Order, OrderKind
from hengfa.law.numerals import parse_number
from hengfa.suites.plawbench.rubric_defects import Code, Defect, defect

_DIGITS: Final = "一二三四五六七八九十"
# Steps by number, all of them in one run: 第一步 | 第一、二、三 | 第五、六、七步 | 第三四步.
_NAMED: Final = re.compile(rf"第[{_DIGITS}](?:[{_DIGITS}]|、(?=[{_DIGITS}]))*")
_RANGE: Final = re.compile(rf"第(?P<first>[{_DIGITS}])步?至第?(?P<last>[{_DIGITS}])步")
_FIRST_FEW: Final = re.compile(r"前(?P<number>[两二三四五六七八九])步")
_CLAUSE: Final = re.compile(r"[^，,。；;\n（）()]+")

# 第一、二与第三步之间不得调换: a group before a group.
_GROUPS: Final = re.compile(r"(?P<before>[^与]+)与(?P<after>[^与]+)之间不得?")
# 须在第一步之后或者之前: cannot be said in pairs.
_EITHER: Final = re.compile(r"之[前后]或者?|之[前后].{0,20}或者?.{0,20}之[前后]")
_AFTER: Final = re.compile(r"(?P<who>.+?)[须需必]要?须?在(?P<whom>.+?)之后")
_LAST: Final = re.compile(r"最后")
_FIRST: Final = re.compile(r"首先")
# 第三步若顺序错误不得分: it comes after the ones before it.
_IN_PLACE: Final = re.compile(r"若顺序错误")
# 无需按顺序 | 顺序可以互换 | 调换亦可得分 | 无论证顺序要求 | 不按顺序分析也可得分
_FREE: Final = re.compile(
    r"无需.{0,4}顺序|无.{0,4}顺序|顺序无要求|顺序?可以?[调互]换|可以[调互]换|[亦也]可得分"
)
# 按照…顺序推理才可得分 | 不按顺序不得分 | 顺序不可调换 | 按步骤分析才能得分 | 有严格顺序
_STRICT: Final = re.compile(
    r"不可调换|调换.{0,4}不得分|[按依]照?.{0,30}顺序|不按.{0,8}顺序|严格顺序|步骤顺序"
    r"|顺序.{0,6}才可得分|按步骤分析才能得分"
)
# A rule says what comes of it; a text that speaks of some order (按照一定顺序组成层级) does not.
_SCORES: Final = re.compile(r"得分")
_ABOUT_ORDER: Final = re.compile(r"顺序|[调互]换|首先|最后|之[前后]|按步骤")


class Step(NamedTuple):
    """A step: the ids of its items, its number where it has one, and its heading."""

    ids: tuple[str, ...]
    number: int | None
    heading: str


class Read(NamedTuple):
    """The order of a section, and what is wrong with it."""

    order: Order
    defects: list[Defect]


class _Rule(NamedTuple):
    """What one clause says of some steps, by their places: free, strict, or pairs of its own."""

    kind: str
    steps: tuple[int, ...]
    pairs: frozenset[tuple[int, int]] = frozenset()


def read_order(lead: str, steps: Sequence[Step], inside: Iterable[str], section: str) -> Read:
    """The order of a section from its lead, the headings of its steps and the rules inside them."""
    scopes = list(_scopes(lead, steps))
    rules = [(scope, list(_rules(text, scope, steps))) for text, scope in scopes]
    found = [(scope, one) for scope, said in rules for one in said]
    kinds = {one.kind for _, one in found}
    within = [text for text in inside if _STRICT.search(text) and _SCORES.search(text)]
    speaking = (text for (text, _), (_, of) in zip(scopes, rules, strict=True) if of)
    said = "\n".join(dict.fromkeys(speaking))
    defects: list[Defect] = []
    if _contradictory(found):
        kinds.discard("free")
        found = [one for one in found if one[1].kind != "free"]
        says = "says both that order does not matter and that steps count in order only"
        defects.append(defect(Code.CONTRADICTION, section, says))
    if not kinds and within:
        kinds, said = {"inside"}, "\n".join(within)
    if not kinds:
        labelled = any(step.number is not None for step in steps)
        return Read(Order(OrderKind.STEPS if labelled else OrderKind.UNSTATED), defects)
    pairs = _pairs(found, steps)
    kind = _kind(kinds, found, len(steps), within)
    if kind is OrderKind.PARTIAL and not pairs:
        says = "the order is inside items" if within else "no step is said to come before another"
        defects.append(defect(Code.NO_PAIRS, section, says))
    return Read(Order(kind, tuple(_ids(pairs, steps)), said), defects)


def order_rules(text: str) -> Iterator[str]:
    """Lines of a text that say something of order."""
    return (line for line in text.splitlines() if _ABOUT_ORDER.search(line[:200]))


def _scopes(lead: str, steps: Sequence[Step]) -> Iterator[tuple[str, tuple[int, ...]]]:
    runs = [0]
    """Where the numbering of steps begins, once for each question."""
    for place, (before, step) in enumerate(pairwise(steps), start=1):
        if before.number is not None and step.number is not None and step.number <= before.number:
            runs.append(place)
    for line in order_rules(lead):
        for begin, end in pairwise([*runs, len(steps)]):
            yield line, tuple(range(begin, end))
    begins = [place for place, step in enumerate(steps) if step.heading]
    for begin, end in pairwise([*begins, len(steps)]):
        for line in order_rules(steps[begin].heading):
            yield line, tuple(range(begin, end))


def _rules(text: str, scope: tuple[int, ...], steps: Sequence[Step]) -> Iterator[_Rule]:
    """The rules of one line; every clause with the steps it names, or those named before it."""
    numbers = {steps[place].number or at: place for at, place in enumerate(scope, start=1)}
    subject: tuple[int, ...] = ()
    for clause in _CLAUSE.findall(text[:600]):
        named = tuple(numbers[one] for one in _named(clause, len(scope)) if one in numbers)
        silent = not _ABOUT_ORDER.search(clause)
        if named:
            subject = named if len(named) > 1 and not silent else (*subject, *named)
        if silent:
            continue
        yield from _rule(clause, tuple(dict.fromkeys(subject)) or scope, named, scope, numbers)


def _rule(
    clause: str,
    subject: tuple[int, ...],
    named: tuple[int, ...],
    scope: tuple[int, ...],
    numbers: dict[int, int],
) -> Iterator[_Rule]:
    def places(words: str) -> list[int]:
        return [numbers[one] for one in _named(words, len(scope)) if one in numbers]

    if groups := _GROUPS.search(clause):
        before, after = places(groups["before"]), places(groups["after"])
        pairs = frozenset((one, two) for one in before for two in after)
        yield _Rule("partial", (), pairs)
    elif _EITHER.search(clause):
        yield _Rule("partial", ())
    elif after_ := _AFTER.search(clause):
        pairs = frozenset((b, a) for a in places(after_["who"]) for b in places(after_["whom"]))
        yield _Rule("partial", (), pairs)
    elif named and (_LAST.search(clause) or _IN_PLACE.search(clause)):
        last = named[-1]
        yield _Rule("partial", (), frozenset((one, last) for one in scope if one < last))
    elif named and _FIRST.search(clause):
        first = named[0]
        yield _Rule("partial", (), frozenset((first, one) for one in scope if one != first))
    elif _FREE.search(clause):
        yield _Rule("free", subject)
    elif _STRICT.search(clause):
        yield _Rule("strict", subject)


def _named(clause: str, most: int) -> list[int]:
    """The numbers of the steps that a clause names."""
    if few := _FIRST_FEW.search(clause):
        return list(range(1, int(parse_number(few["number"]) or 0) + 1))
    if through := _RANGE.search(clause):
        first, last = (int(parse_number(through[name]) or 0) for name in ("first", "last"))
        return list(range(first, min(last, most) + 1))
    return [
        _DIGITS.index(one) + 1 for run in _NAMED.findall(clause) for one in run if one in _DIGITS
    ]


def _contradictory(found: Sequence[tuple[tuple[int, ...], _Rule]]) -> bool:
    """Whether two rules of one scope say of all its steps that they are free and that not."""
    kinds: dict[tuple[int, ...], set[str]] = {}
    for scope, rule in found:
        if set(rule.steps) == set(scope):
            kinds.setdefault(scope, set()).add(rule.kind)
    return any({"free", "strict"} <= said for said in kinds.values())


def _kind(
    kinds: set[str],
    found: Sequence[tuple[tuple[int, ...], _Rule]],
    number: int,
    within: Sequence[str],
) -> OrderKind:
    """Strict or free: all rules are, and they speak of every step."""
    spoken = {place for _, rule in found for place in rule.steps}
    whole = all(set(rule.steps) == set(scope) for scope, rule in found) and len(spoken) == number
    if whole and kinds == {"strict"}:
        return OrderKind.STRICT
    if whole and kinds == {"free"} and not within:
        return OrderKind.FREE
    return OrderKind.PARTIAL


def _pairs(
    found: Sequence[tuple[tuple[int, ...], _Rule]], steps: Sequence[Step]
) -> set[tuple[int, int]]:
    """All pairs that follow, those through a third step included."""
    pairs: set[tuple[int, int]] = set()
    for _, rule in found:
        pairs |= rule.pairs
        if rule.kind == "strict":
            pairs |= {(a, b) for a in rule.steps for b in rule.steps if a < b}
    for _, rule in found:
        if rule.kind == "free":
            pairs -= {(a, b) for a in rule.steps for b in rule.steps}
    for middle in range(len(steps)):
        before = [a for a, b in pairs if b == middle]
        after = [b for a, b in pairs if a == middle]
        pairs |= {(a, b) for a in before for b in after}
    return pairs


def _ids(pairs: Iterable[tuple[int, int]], steps: Sequence[Step]) -> Iterator[tuple[str, str]]:
    for before, after in sorted(pairs):
        for first in steps[before].ids:
            for then in steps[after].ids:
                yield first, then

"""Who is on trial: names in the heading, and whom a sentence of the result speaks of.

Names are masked in many ways (张某, 张某1, ×××, XX新), and some are long (艾山江·吐尔逊). A name is
whatever stands between 被告人 and what cannot belong to one. The heading ends each with a mark; the
result is then read with the names known from there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

Known: TypeAlias = dict[str, list[str]]
"""Names by their first letter, longer ones first."""

MOST_NAMES: Final = 400
"""More defendants than any trial has; what comes after is not looked for."""
_LONGEST_HEADING: Final = 60_000

# "被告人", "原审被告人", "被告单位", "上诉人", "原审上诉人"; not "被害人", "被告人的"
ROLE: Final = r"(?:原审)?(?:被告单位|被 ?告 ?人|上诉单位|上诉人|被告(?!席|方|知))[：:]? ?"
# A letter of a name; 犯 only before another one: "许再犯犯盗窃罪"
_LETTER: Final = r"(?:[^\s，。；：、（）《》〈〉“”‘’！？|犯的]|犯(?=犯(?!罪)))"
# A name in Latin letters, with its blanks: "JOHN SMITH", "J. O'Neil"; not "张三"
_LATIN: Final = r"[A-Za-z][A-Za-z.'’·-]*+(?: [A-Za-z][A-Za-z.'’·-]*+){0,5}"
# One name after a role: "张三", "张某1", "艾山江·吐尔逊"; not "在", "均"
_NAME: Final = re.compile(
    rf"(?!均|在|对|因|应|系|及其|到庭|认|辩|所|提|自|上述|未|已|不|无罪)(?:{_LATIN}|{_LETTER}{{1,40}}?)"
    r"(?=犯|无罪|免[予于除]|不负刑事|(?:被|被依法)?判处|(?:单|并)处|应当|[的均各]|分别|有期徒刑|拘役|管制"
    r"|(?:以?及|和|与|暨)(?:原审)?(?:被告|上诉)"
    r"|\s|[，。；：、（）]|\Z)"
)
_HEADING_ROLE: Final = r"(?P<role>(?:原审)?(?:被告单位|被 ?告 ?人|上诉单位|上诉人))"
# A company or office after its role: "云港（海外）贸易有限公司", "云港市渔业局"; not "云港公司，"
_UNIT: Final = r"(?:[^\s，。；：、（）《》“”‘’！？犯]|（[^（）]{1,12}）(?=[一-鿿])){2,60}?"
# A bracket that is not part of such a name: "（自报），"; not "（海外）贸易"
_REMARK: Final = "（(?![^（）]{1,12}）[一-鿿])"
_UNIT_NAME: Final = re.compile(rf"{_UNIT}(?=犯|无罪|[，。；：、 ]|{_REMARK}|的|判处|\Z)")
# A bracket that is part of such a name
_INSIDE_UNIT: Final = re.compile(r"单位[^，。；：犯（）]{1,40}\Z")
_ROLE: Final = re.compile(ROLE)
# Between names of one group: "、", "和"; not "，"
_AND: Final = re.compile(r"(?:、|和|及|与|以及|暨) ?")
# A name without its role at the start of a clause: "薛兵兵犯", "李四有期徒刑"; not "原犯", "另犯"
BARE: Final = (
    r"(?:(?<=[。；：，、“” 处])|\A)"
    r"(?!同时|此外|另|其|又|还|并|且|因|曾|与|和|对|以|所|数罪|前|原|之前|被|上诉|该|均|共|决|犯|再|[三两二]人)"
    rf"(?<![A-Za-z.] )(?:{_LATIN}|[^\s，。；：、（）《》“”犯的处]{{2,20}}?)"
    r"(?=犯(?!罪)|无罪|免[予于]刑|有期徒刑|拘役|管制)"
)
# How a heading introduces one: "被告人张三，男", "被告人（自报）张某。"; not "指控被告人张三"
_INTRODUCED: Final = re.compile(
    rf"(?:(?<=[。；： ])|\A){_HEADING_ROLE}(?:（[^（）]{{1,20}}）)?[：:]? ?"
    r"(?:自报(?:姓名|名)?[：:]?)? ?"
    rf"(?P<names>{_LATIN}|{_UNIT}|{_LETTER}{{1,40}}?|[一-鿿]{{1,3}}犯(?=，[男女]))"
    rf"(?=[，。]|{_REMARK}| [男女])"
)
# How the indictment names them: "被告人张三、李四犯"
_INDICTED: Final = re.compile(
    rf"{_HEADING_ROLE} ?(?P<names>{_LETTER}{{1,40}}?(?:、{_LETTER}{{1,40}}?){{0,60}}?)犯(?![罪犯])"
)
# What is no name: "张三到庭参加诉讼", "张三不服", "张三对指控的事实"; not "于永强", "李为民"
NO_NAME: Final = re.compile(
    r"到庭|[到归]案|参加|辩[护解称]|供[述称]|及|不服|上诉|决定|取保|父亲|母亲|代理人|代表人|异议|认罪|涉嫌|行为|身份"
    r"|徒刑|拘役|监护|等人?\Z|等[一二三四五六七八九十0-9]|均(?=.)|被告|上述|(?<=.)[对因被在系]|罪\Z"
)
_LONGEST_NAME: Final = 6
"""Letters of a person's name; companies, 艾山江·吐尔逊 and JOHN SMITH are longer."""
_LONG_NAME: Final = re.compile(f".*[·•‧・∙]|{_LATIN}\\Z")
# Blanks that are no part of a name: "林 帆"; not "JOHN SMITH"
_BLANK: Final = re.compile("(?<![A-Za-z.]) | (?![A-Za-z])")


class Group(NamedTuple):
    """Defendants named together at ``text[start:end]`` of the plain text."""

    names: tuple[str, ...]
    unit: bool
    start: int
    end: int


class Introduced(NamedTuple):
    """The defendants of a heading, and whether each is a company or office."""

    persons: dict[str, bool]
    """Those that the heading introduces."""
    indicted: dict[str, bool]
    """Those that the indictment names, too: often the same in another spelling."""


def named_in_heading(heading: str) -> Introduced:
    """Who is on trial, in the order of the heading."""
    persons = _names_after(_INTRODUCED, heading)
    return Introduced(persons, persons | _names_after(_INDICTED, heading))


def _names_after(pattern: re.Pattern[str], heading: str) -> dict[str, bool]:
    named: dict[str, bool] = {}
    for introduced in pattern.finditer(heading, 0, _LONGEST_HEADING):
        unit = "单位" in introduced["role"]
        for name in _BLANK.sub("", introduced["names"]).split("、"):
            long = unit or _LONG_NAME.match(name) is not None
            longest = MOST_NAMES if long else _LONGEST_NAME
            if not NO_NAME.search(name) and len(name) <= longest and len(named) < MOST_NAMES:
                named.setdefault(name, unit)
    return named


def by_first_letter(names: Iterable[str]) -> Known:
    known: Known = {}
    for name in sorted(names, key=len, reverse=True):
        known.setdefault(name[:1], []).append(name)
    return known


def group_at(text: str, place: int, known: Known) -> Group | None:
    """The defendants that begin at ``place`` with a role: 被告人张三、李四, or None."""
    role = _ROLE.match(text, place)
    if role is None:
        return None
    unit = "单位" in role[0]
    names: dict[str, None] = {}
    start = reached = role.end()
    for _ in range(MOST_NAMES):
        end = _name_end(text, start, known, _UNIT_NAME if unit else _NAME)
        if end is None:
            break
        names[_BLANK.sub("", text[start:end])] = None
        reached = end
        if (joint := _AND.match(text, end)) is None:
            break
        start = (_ROLE.match(text, joint.end()) or joint).end()
    return Group(tuple(names), unit, place, reached) if names else None


def _name_end(text: str, place: int, known: Known, unknown: re.Pattern[str]) -> int | None:
    """The longest known name that stands here, else the shortest that could be one."""
    for name in known.get(text[place : place + 1], ()):
        if text.startswith(name, place):
            return place + len(name)
    match = unknown.match(text, place)
    return match.end() if match else None


def is_part_of_a_name(text: str, bracket: tuple[int, int]) -> bool:
    """Whether a bracket belongs to a company's name: 被告单位云港（海外）贸易有限公司犯."""
    start, end = bracket
    inside = _INSIDE_UNIT.search(text, max(0, start - 42), start) is not None
    return inside and end - start <= 14 and text[end : end + 1] not in {"", "犯", "，", "。", "；"}

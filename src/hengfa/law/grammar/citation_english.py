"""Chinese law cited in English: Article 563 of the PRC Civil Code, Art. 39 PRC Labor Contract Law.

The law's name stands after the number or before it (PIPL Art. 29). A name that the table lacks is
kept as it is written, so that nobody takes its number for one of the law cited before: GDPR Art. 6,
Article 823 of the German Civil Code. Everything looks a bounded number of characters far.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_names import Name
from hengfa.law.grammar.citation_positions import Element, Group
from hengfa.law.grammar.law_names import ENGLISH

# Where to look closer: "Article 5", "Arts. 23", "Art 39"; not "smart", "art of"
_ANCHOR: Final = re.compile(
    r"[Aa](?<![A-Za-z][Aa])(?:rticles?|RTICLES?|rts?\.|rts|(?<=A)rt) ?(?=[0-9])"
)
# "23(1)(2)", "133-1", "563"; not "3.2"
_ARTICLE: Final = r"[0-9]{1,4}+(?!\.[0-9])(?:-[0-9]{1,2}(?![0-9]))?(?: ?\([0-9]{1,2}\)){0,2}+"
_AND: Final = r"(?: ?, ?(?:and |or )?| and | or | & | to | ?[–—] ?|-)"
_NUMBERS: Final = re.compile(rf"{_ARTICLE}(?:{_AND}{_ARTICLE}){{0,20}}+")
# "23 and Article 180", which may be of one law
_REPEATED: Final = re.compile(rf"{_ARTICLE}(?:{_AND}(?:Art(?:icle|\.) ?)?{_ARTICLE}){{0,20}}+")
_LISTED: Final = re.compile(
    r"(?P<article>[0-9]{1,4})(?:-(?P<sub>[0-9]{1,2})(?![0-9]))?(?P<parts>(?: ?\([0-9]{1,2}\)){0,2})"
)
_RANGE: Final = re.compile(" to |[–—-]")
_PARAGRAPH: Final = r"(?:[Pp]aragraph|[Pp]ara\.?) \(?(?P<paragraph>[0-9]{1,2})\)?"
_ITEM: Final = r"(?:[Ii]tem|[Ss]ubparagraph) \(?(?P<item>[0-9]{1,2})\)?"
# "Paragraph 2 of " before an article, "Item (1), Paragraph 2, "; ", para. 1, item 2" after it
_PARTS_BEFORE: Final = re.compile(rf"(?:{_ITEM},? (?:of |in )?)?(?:{_PARAGRAPH},? (?:of |in )?)?\Z")
_PARTS_AFTER: Final = re.compile(rf"(?:,? {_PARAGRAPH})?(?:,? {_ITEM})?")

_OF_CHINA: Final = (
    r"(?: of (?:the )?(?:People['’]s Republic of China|PRC|P\.R\.C\.|P\.?R\.? China|China))"
)
_TITLES: Final = "|".join(
    re.escape(title)
    .replace(r"law\ on", f"law{_OF_CHINA}? on")
    .replace("labor", "labou?r")
    .replace("constitution", "(?-i:Constitution)")  # a company has a constitution too
    for title in sorted(ENGLISH, key=len, reverse=True)
)
# "the PRC Civil Code", "Company Law of the People's Republic of China"; not "German Civil Code",
# "Company Law Interpretation III"
_KNOWN: Final = (
    rf"(?:the )?(?:(?:PRC|Chinese|China['’]s|P\.R\.C\.) )?"
    rf"(?P<title>{_TITLES})(?![A-Za-z]){_OF_CHINA}?+(?! (?!Art)(?-i:[A-Z][a-z]))"
)
# Not "Civil Code of Japan": the country is part of the name
_AFTER: Final = re.compile(
    rf",? ?(?:(?:of|in|under) )?{_KNOWN}(?! of (?:the )?(?-i:[A-Z]))", re.IGNORECASE
)
_BEFORE: Final = re.compile(rf"(?<![A-Za-z]){_KNOWN}(?: \([^()]{{1,20}}\))?,? \Z", re.IGNORECASE)
_WORD: Final = r"[A-Z][\w'’&-]*"
_LAWS: Final = "Law|Code|Act|Regulations?|Rules|Convention|Treaty|Measures|Provisions"
# "of the GDPR", " BGB", "of the German Civil Code", "of the draft"; not "of the same law"
_OTHER_AFTER: Final = re.compile(
    rf",? (?:of (?:the )?(?P<title>{_WORD}(?: (?:(?:of|the|on|and|for) ){{0,2}}{_WORD}){{0,8}})"
    r"|of (?:the|its|a|an) (?!(?:same|said|above|law|code)\b)(?P<words>[a-z]{3,20})"
    rf"|(?P<direct>[A-Z]{{2,8}}\b|(?:{_WORD} ){{1,4}}(?:{_LAWS})\b))"
)
# "GDPR ", "Swiss Code of Obligations, "; not "See ", "under "
_OTHER_BEFORE: Final = re.compile(
    rf"(?P<title>(?:{_WORD} (?:(?:of|the|on|and) ){{0,2}}){{0,6}}"
    rf"(?:[A-Z]{{3,6}}|(?:[A-Z]\.){{2,5}}|{_LAWS})),? \Z"
)
# Words that may stand before a name in the table without being part of it
_APART: Final = re.compile(
    r"(?:\A|[^A-Za-z ] ?|(?<![A-Za-z])(?:[a-z]+|The|Under|See|In|By|Per|And|Cf\.) )\Z"
)
# "Implementing Regulations of " before a name in the table: it is not that law
_BELONGS: Final = re.compile(
    r"(?:Regulations?|Interpretations?|Provisions|Measures|Rules|Opinions|Amendment)\b[^.;]{0,40}\Z"
)
# A clause of a contract or the like: "of this Agreement", "hereof"; not "of the Contract Law"
_PAPER: Final = re.compile(
    r",? (?:hereof|herein"
    rf"|(?:of|in|under) (?:this|that|the|such|our|said) (?:{_WORD} ){{0,3}}?"
    r"(?i:Agreement|Contract|Lease|Deed|Articles|Bylaws|Charter|Policy|Handbook|Schedule|Appendix"
    r"|Memorandum|Judgment|Award)(?! (?:Contract )?Law))"
)
_ANY: Final = re.compile(rf"(?<![A-Za-z]){_KNOWN}", re.IGNORECASE)
_OTHER_ANY: Final = re.compile(
    rf"(?:[A-Z]{{3,6}}|{_WORD} (?:{_LAWS}))\b|(?i:agreement|contract)\b|[《法]"
)
_REACH: Final = 160
_MENTIONED: Final = 300


@dataclass(slots=True)
class EnglishGroup(Group):
    """The positions of one English citation, and the law that it names in English, if it does."""

    name: Name | None = None


def find_english(s: str) -> Iterator[EnglishGroup]:
    """The English citations of a canonical text, from left to right."""
    reached = 0
    for anchor in _ANCHOR.finditer(s):
        apart = _BELONGS.search(s[max(reached, anchor.start() - 80) : anchor.start()])
        numbers = (_NUMBERS if apart else _REPEATED).match(s, anchor.end())
        if numbers is None or anchor.start() < reached:
            continue
        before = _PARTS_BEFORE.search(s[max(reached, anchor.start() - 40) : anchor.start()])
        after = _PARTS_AFTER.match(s, numbers.end())
        start = anchor.start() - (len(before[0]) if before else 0)
        end = after.end() if after else numbers.end()
        elements = list(_elements(s, numbers, _part_numbers(before) | _part_numbers(after)))
        if elements:
            elements[-1].end = reached = end
            name = english_name(s, start, end)
            yield EnglishGroup(elements, start, end, name=name)


def _part_numbers(match: re.Match[str] | None) -> dict[str, int]:
    groups = match.groupdict() if match else {}
    return {part: int(number) for part, number in groups.items() if number}


def _elements(s: str, numbers: re.Match[str], parts: dict[str, int]) -> Iterator[Element]:
    """The positions of 23(1), 24 and 30 to 32."""
    last: Element | None = None
    for match in _LISTED.finditer(s, *numbers.span()):
        bracketed = [int(n) for n in re.findall("[0-9]+", match["parts"])]
        sub = int(match["sub"]) if match["sub"] else None
        position = Position(int(match["article"]), sub, *bracketed)._replace(**parts)
        if 0 in position:
            return
        if last and not last.until and _RANGE.fullmatch(s, last.end, match.start()):
            last.until, last.end = position, match.end()
            continue
        if last:
            yield last
        last = Element(position, match.start(), match.end())
    if last:
        yield last


def english_name(s: str, start: int, end: int) -> Name | None:
    """The law that is named after a number, else before it; one of the table comes first."""
    after, before = s[end : end + _REACH], s[max(0, start - _REACH) : start]
    if paper := _PAPER.match(after):
        return Name(end, end + paper.end(), paper[0].strip(), "document")
    if known := _AFTER.match(after):
        return Name(end, end + known.end(), _law(known["title"]), "law")
    if known := _BEFORE.search(before):
        if longer := _BELONGS.search(before[: known.start()]):
            begin = start - len(before) + longer.start()
            return Name(begin, start, before[longer.start() :].strip(" ,"), "law")
        if _APART.search(before[: known.start()]):
            return Name(start - len(known[0]), start, _law(known["title"]), "law")
    return _other_name(after, end, before, start)


def _other_name(after: str, end: int, before: str, start: int) -> Name | None:
    """A name that the table lacks."""
    if other := _OTHER_AFTER.match(after):
        law = other["title"] or other["words"] or other["direct"]
        return Name(end, end + other.end(), law, "law")
    if longer := _BELONGS.search(before.removesuffix(", ").removesuffix(" ")):
        return Name(start - len(before) + longer.start(), start, longer[0], "law")
    if other := _OTHER_BEFORE.search(before):
        return Name(start - len(other[0]), start, other["title"], "law")
    return None


def mentioned_law(s: str, place: int) -> str | None:
    """The law that a line names in English before a number alone: The Company Law says … (Art. 23).

    None where another one, or what may be one, stands between.
    """
    line = s[max(0, place - _MENTIONED) : place].rpartition("\n")[2]
    *_, last = (None, *_ANY.finditer(line))
    if last is None or _OTHER_ANY.search(line, last.end()):
        return None
    before = line[: last.start()]
    apart = _APART.search(before) and not _BELONGS.search(before)
    return _law(last["title"]) if apart else None


def _law(title: str) -> str:
    plain = re.sub(_OF_CHINA, "", title, flags=re.IGNORECASE).lower().replace("labour", "labor")
    return ENGLISH[plain]

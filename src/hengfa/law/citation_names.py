"""Which law a position belongs to, read from the words before it: 《…》, 刑法, 同法, 该解释, 合同.

Everything here looks back a bounded number of characters from one place, so that a text of any
kind is read in time proportional to its length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from hengfa.law import citation_words as words
from hengfa.law.citation_model import Basis, Kind, VersionHint
from hengfa.law.law_names import CUSTOMARY, STATE, normalise_name

MAX_TITLE: Final = 160
_MAX_BARE: Final = 40  # a name without title marks, unless it begins with 关于
_LOOK_BACK: Final = 120
_STEPS: Final = 8  # remarks and the like between a name and its position

_POINTERS: Final[tuple[Basis, ...]] = ("same", "that", "this", "above")
_CHINESE_YEAR: Final = str.maketrans("零○一二三四五六七八九", "00123456789")


class Name(NamedTuple):
    """A law or paper named in the text at ``[start, end)``."""

    start: int
    end: int
    law: str
    kind: Kind
    version: VersionHint | None = None
    defined: bool = False


class Pointed(NamedTuple):
    """同法, 该解释, 本合同: a word that stands for a name given elsewhere, at ``[start, end)``."""

    start: int
    end: int
    pointer: Basis
    word: str
    kind: Kind


@dataclass(slots=True)
class Names:
    """The names of one text: its titles, and the short names that it defines as it goes on."""

    text: str
    s: str  # the same text with one spelling for each character
    known: Callable[[str], bool] | None = None
    titles: dict[int, int] = field(default_factory=dict)  # end of a title → its start
    defined: dict[str, Name] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.titles = dict(match_titles(self.s))

    def before(self, place: int) -> Name | Pointed | None:
        """The law named right before a place, past remarks such as （2012年修正） and 第九章."""
        version: VersionHint | None = None
        end = place
        for _ in range(_STEPS):
            if end <= 0:
                return None
            window = self.s[max(0, end - _LOOK_BACK) : end]
            last = window[-1]
            found = self._certain(end, window)
            glue = None if found or last not in words.GLUE_ENDS else words.GLUE.search(window[-24:])
            if not found and not glue and last in words.FORM_ENDS:
                found = self._by_form(end, window, adjacent=end == place)
            if isinstance(found, Name):
                found = found._replace(version=version or found.version)
            if found:
                return found if self._reaches(found, place) else None
            if glue:
                end -= len(glue[0])
            elif last in ")）" and (remark := words.REMARK.search(window)):
                begin = end - len(remark[0])
                version = version or read_version(remark["remark"], self.text[begin + 1 : end - 1])
                end = begin
            elif last in words.DATED_ENDS and (dated := words.DATED_BEFORE.search(window[-24:])):
                begin = end - len(dated[0])  # 宪法修正案1988年第一条
                version = version or _hint(dated, self.text[begin:end])
                end = begin
            else:
                return None
        return None

    def title(self, end: int) -> Name | None:
        """The law or paper whose title ends here."""
        start = self.titles.get(end)
        if start is None:  # 中华人民共和国刑法》, where the opening mark was forgotten
            found = self._customary(end - 1)
            return found._replace(end=end) if found else None
        inner = self.text[start + 1 : end - 1]
        if defined := self.defined.get(normalise_name(inner)):
            return defined._replace(start=start, end=end, defined=True)
        kind = self._kind(inner)
        begin = start
        if self.s.startswith(("关于", "对", "〈关于", "《关于"), start + 1) and (
            issued := words.ISSUED_BY.search(self.s[max(0, start - _LOOK_BACK) : start])
        ):
            begin = start - len(issued[0])
            inner = self.text[begin:start] + inner
        return Name(begin, end, inner, kind, self._version(begin, end - 1))

    def define(self, place: int, short: str) -> None:
        """Remember a short name given to the law that stands before ``place``."""
        name = self.before(place)
        key = normalise_name(short)
        if isinstance(name, Name) and key:
            self.defined[key] = name

    def _reaches(self, found: Name | Pointed, place: int) -> bool:
        """Over a line break only a name that has its line to itself reaches the next one."""
        if self.s.find("\n", found.end, place) < 0:
            return True
        alone = found.start <= 16 or self.s.rfind("\n", found.start - 16, found.start) >= 0
        if not alone or isinstance(found, Pointed):
            return False
        plain = found.kind == "law" and found.law.startswith((STATE, "最高人民"))
        return plain or self.s[found.end - 1] in "》〉"

    def _certain(self, end: int, window: str) -> Name | Pointed | None:
        """A name that its title marks, its being known or a pointing word give away."""
        last = window[-1]
        if last in "》〉":
            return self.title(end)
        if last in "”\"’'":
            return self._in_quotes(end)
        found = self._customary(end)
        return found or (self._pointing(end, window) if last in words.FORM_ENDS else None)

    def _in_quotes(self, end: int) -> Name | None:
        """“九民纪要”第六条: only a name that is known, since quotation marks mostly quote."""
        window = self.s[max(0, end - _MAX_BARE) : end - 1]
        start = max(window.rfind(mark) for mark in "“\"‘'") + 1
        if not start or start == len(window):
            return None
        begin = end - 1 - (len(window) - start)
        inner = normalise_name(window[start:])
        if defined := self.defined.get(inner):
            return defined._replace(start=begin, end=end - 1, defined=True)
        if not self._is_known(inner):
            return None
        version = self._version(begin, end - 1)
        return Name(begin, end - 1, self.text[begin : end - 1], "law", version)

    def _customary(self, end: int) -> Name | None:
        """The longest known name that ends here: 劳动合同法, not 合同法."""
        longest = _MAX_BARE
        if self.known is None and not self.defined:
            if self.s[end - 1] not in words.CUSTOMARY_ENDS:
                return None
            longest = words.LONGEST_CUSTOMARY
        window = self.s[max(0, end - longest) : end]
        stop = words.NO_NAME.search(window[::-1])
        run = window[len(window) - stop.start() :] if stop else window
        run = run.replace("(", "（").replace(")", "）")
        for start in range(len(run) - 1):
            suffix = run[start:]
            begin = end - len(suffix)
            if self.defined and (found := self.defined.get(suffix)):
                pointed = words.POINTED_AT.search(run[:start])
                begin -= len(pointed[0]) if pointed else 0
                return found._replace(start=begin, end=end, defined=True)
            if self._is_known(suffix):
                if run.endswith(STATE, 0, start):
                    begin -= len(STATE)
                elif foreign := words.FOREIGN.search(run[:start]):
                    begin -= len(foreign[0])
                return Name(begin, end, self.text[begin:end], "law", self._version(begin, end))
        return None

    def _is_known(self, name: str) -> bool:
        if name in CUSTOMARY:
            return True
        return self.known is not None and self.known(name.removeprefix(STATE) or name)

    def _pointing(self, end: int, window: str) -> Pointed | None:
        found = words.POINTING.search(window[-16:])
        if not found:
            return None
        pointer = next(name for name in _POINTERS if found[name])
        word = found["word"]
        kind: Kind = "law" if word in words.PARTS or words.LAW_END.search(word) else "document"
        return Pointed(end - len(found[0]), end, pointer, word, kind)

    def _by_form(self, end: int, window: str, *, adjacent: bool) -> Name | Pointed | None:
        """A name that only its form gives away: …条例, 关于…的解释, …合同."""
        law = words.LAW_END.search(window[-16:])
        ending = law or words.PAPER_END.search(window[-24:])
        if not ending:
            return None
        stop = words.BREAK.search(window[::-1])
        run = window[len(window) - stop.start() :] if stop else window
        for mark, closing in ("《》", "〈〉", "（）", "()"):
            if (opened := run.rfind(mark)) > run.rfind(closing):
                run = run[opened + 1 :]
        begin = self._about(end, run)
        if begin is None:
            cut = words.BEFORE_NAME.match(run[: -len(ending[0])])
            name = run[cut.end() if cut else 0 :]
            begin = end - len(name)
            if words.NO_LAW.search(name) or not 0 < len(name) <= _MAX_BARE:
                return None
            if law and (name in ending[0] or name in words.ANY_LAW):
                return Pointed(begin, end, "that", name, "law") if adjacent else None
        text = self.text[begin:end]
        kind: Kind = "law" if law and not words.RULING_END.search(text) else "document"
        return Name(begin, end, text, kind, self._version(begin, end))

    def _about(self, end: int, run: str) -> int | None:
        """Where a name with 关于 begins, its issuers included."""
        place = run.find("关于")
        if place < 0 or not words.ABOUT_END.search(run):
            return None
        place -= run.startswith("《", place - 1)
        issued = words.ISSUED_BY.search(run[:place])
        return end - len(run) + (issued.start() if issued else place)

    def _kind(self, title: str) -> Kind:
        name = normalise_name(title)
        if words.LAW_END.search(name) or (self.known is not None and self.known(name)):
            return "law"
        return "document" if words.PAPER_END.search(name) else "law"

    def _version(self, start: int, end: int) -> VersionHint | None:
        """A version named at the end of a name or right before it."""
        if self.s[end - 1] in ")）" and (remark := words.REMARK.search(self.s[start:end])):
            begin, stop = start + remark.start("remark"), start + remark.end("remark")
            if inside := read_version(remark["remark"], self.text[begin:stop]):
                return inside
        before = self.s[max(0, start - 24) : start]
        if before[-1:] in words.DATED_ENDS and (found := words.DATED_BEFORE.search(before)):
            return _hint(found, self.text[start - len(found[0]) : start])
        return None


def match_titles(s: str) -> Iterator[tuple[int, int]]:
    """Pairs (end, start) of 《…》 and 〈…〉, inner ones first; what never closes is no title."""
    open_marks: list[int] = []
    for mark in re.finditer("[《》〈〉]", s):
        place = mark.start()
        if mark[0] in "《〈":
            open_marks.append(place)
            continue
        if mark[0] == "》":
            while open_marks and s[open_marks[-1]] == "〈":
                open_marks.pop()
        elif open_marks and s[open_marks[-1]] == "《":
            continue
        if not open_marks:
            continue
        start = open_marks.pop()
        if place - start <= MAX_TITLE and s.find("。", start, place) < 0:
            yield place + 1, start


def read_version(remark: str, text: str) -> VersionHint | None:
    """What a remark in brackets says of the version: 2012年修正, 法释〔2015〕24号; not 草签版."""
    if found := words.DOCUMENT_NUMBER.search(remark):
        return VersionHint(text, int(found["year"]), event="文号")
    found = words.DATED.search(remark)
    return _hint(found, text) if found else None


def _hint(found: re.Match[str], text: str) -> VersionHint:
    groups = found.groupdict()
    year, month, day = (groups.get(name) for name in ("year", "month", "day"))
    return VersionHint(
        text,
        int(year.translate(_CHINESE_YEAR)) if year else None,
        int(month) if month else None,
        int(day) if day else None,
        groups.get("event") or groups.get("word"),
    )

"""Whether a telling says what a provision says, read word by word and role by role.

Both are read into words with roles (:mod:`hengfa.law.library.citing.rule_words`). Every word that
is told has its best place in the provision: where the same word stands among the most of its
neighbours. A telling is *faithful* only if all of it is explained so: each actor, modal, negation,
amount, bound, limit and consequence has a place of its own, with the same neighbours, the same
polarity and the same order of actors; nothing that narrows a rule is left out of a clause that is
told, no condition before it and no exception after it. It *differs* where the place of a word is
filled by one that excludes it (买受人 by 出卖人, 三年 by 五年, 可以 by 不得). All else is *not
decided*: nobody says that it is right, and the reader sees both texts side by side.

How often that is so, of minimal pairs and of prose: `benchmarks/tellings.py`, docs/citations.md.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from hengfa.law.library.citing.findings import Difference, Faithfulness, Mark, Match, Piece
from hengfa.law.library.citing.rule_words import CUTS, DECIDES, Role, Word, read_words
from hengfa.law.library.matching import Unit

_ONCE: Final[frozenset[Role]] = frozenset({"not", "amount", "bound", "scope", "limit", "except"})
"""What the provision has once cannot be told twice."""

_Key: TypeAlias = tuple[Role, str]
_Pair: TypeAlias = tuple[_Key, _Key]

_NARROWS: Final[frozenset[Role]] = frozenset({"limit", "scope", "except", "amount"})
_SUBJECT: Final[frozenset[Role]] = frozenset(
    {"letter", "word", "actor", "amount", "result", "limit", "scope"}
)
_WEIGHT: Final[dict[Role, float]] = {
    "word": 1.5, "actor": 2.0, "amount": 3.0, "result": 2.5, "limit": 2.0, "scope": 1.5,
}  # fmt: skip

_MOST_SENTENCES: Final = 4
_ADDS: Final = 2.5
"""A further sentence of the provision must explain words of this weight."""

_REACH: Final = 6
_CONFLICT: Final = 0.6
"""By so much the neighbours of a word must be rather those of another word of its role."""
_DIFFERS: Final = 2.0
_CLEARLY: Final = 1.5
_NEARLY: Final = 0.8
_SHORT: Final = 60
"""In a longer telling, of several rules, a word may be looked for in the wrong one."""
_ABOUT_IT: Final = 0.75
"""What shares less than this with the provision does not differ: it is about something else."""

_TOLD: Final = 0.4
"""A clause of the provision of which so much is told is told."""
_TOLD_WELL: Final = 0.5
_UNTOLD: Final = 0.34

_SIGNS: Final = 2
_KEPT: Final = 512

_SPARE: Final = 0.08
"""So many of its letters a telling may have of its own, and one more."""

_WITHIN: Final = frozenset({"起", "之后", "以下", "之内"})
"""自……之日起三十日内 and ……后三十日 say the same."""

# "当事人一方", whom a telling calls by what he is in the case
_ANYONE: Final = frozenset({"当事人", "一方当事人", "对方", "行为人", "权利人", "自然人", "法人"})

# "法律另有规定的除外", which every rule has in mind
_GENERIC: Final = re.compile(
    "(?:法律|行政法规|章程|合同|当事人|本法|司法解释|国家|协议|双方)[^，。；]{0,12}另有(?:规定|约定)"
)
# The same in a telling: "除法律另有规定外，"
_GENERIC_TOLD: Final = re.compile(
    "除?(?:法律|合同|当事人|双方|章程)?[^，。；]{0,6}另有(?:规定|约定)(?:的?除?外|的)?[，,]?"
)
_CUT: Final = "\n"
_CONDITION: Final = re.compile(
    r"(?:但是?[，,]?)?(?:如果|因|经|未经|在|对|除|没有|自|为)|.*[的时后]$", re.DOTALL
)
_EXCEPTION: Final = re.compile("但|除|.*除外")
_OR: Final = re.compile("或者?")


def compare(told: str, units: Sequence[Unit], context: str = "") -> Faithfulness:
    """How ``told`` stands to the provision; ``context`` are words before it, of the case."""
    sentences = _sentences(tuple(units))
    if not sentences:
        return Faithfulness("not decided")
    whole = f"{context}\n{_GENERIC_TOLD.sub(lambda found: _CUT * len(found[0]), told)}"
    comparison = _Comparison(whole, len(context) + 1, sentences)
    if not any(comparison.own):
        return Faithfulness("not decided")
    provision = "\n".join(unit.text for unit in units)
    pairs = comparison.differences if comparison.mark == "differs" else ()
    differences = [
        Difference(told[slice(*comparison.told_at(n))], provision[slice(*comparison.places[place])])
        for n, place in pairs
    ]
    return Faithfulness(
        comparison.mark,
        tuple(differences),
        tuple(_pieces(told, comparison.kinds_of_the_telling())),
        tuple(_pieces(provision, comparison.kinds_of_the_law())),
    )


class _Sentence(NamedTuple):
    """A sentence of a provision, an item behind its lead; where each of its letters stands."""

    text: str
    places: range | list[int]
    words: list[Word]
    clauses: list[str]
    keys: frozenset[_Key]
    pairs: frozenset[_Pair]


@lru_cache(maxsize=_KEPT)
def _sentences(units: tuple[Unit, ...]) -> list[_Sentence]:
    """Documents cite the same few articles again and again."""
    at, lead, lead_at = 0, "", 0
    sentences: list[_Sentence] = []
    for unit in units:
        text, start = unit.text, at
        at += len(text) + 1
        if unit.position.item is not None:
            places = [*range(lead_at, lead_at + len(lead)), *range(start, at)]
            sentences.append(_sentence(lead + text, places))
            continue
        lead, lead_at = (text, start) if text.rstrip().endswith(("：", ":")) else ("", 0)
        for part in re.finditer("(?s).+" if lead else "[^。；;]+[。；;]?", text):
            if part[0].strip():
                place = range(start + part.start(), start + part.end())
                sentences.append(_sentence(part[0], place))
    return sentences


def _sentence(text: str, places: range | list[int]) -> _Sentence:
    cuts = "".join("\n" if letter in CUTS else letter for letter in text)
    words = read_words(text)
    return _Sentence(
        text,
        places,
        words,
        [part.strip(" 　”“") for part in cuts.split("\n")],
        frozenset(word.key for word in words),
        frozenset((one.key, two.key) for one, two in pairwise(words)),
    )


def _weight(words: Sequence[Word]) -> float:
    return sum(_WEIGHT.get(word.role, 1.0) for word in words)


class _Comparison:
    def __init__(self, text: str, own: int, sentences: Sequence[_Sentence]) -> None:
        self.text = text
        self.told = words = read_words(text)
        self.own = [word.start >= own for word in words]
        self.start = own
        self.sentences = sentences
        self.chosen = self._choose()
        self.law: list[Word] = []
        self.home: list[int] = []  # of each clause: its sentence
        self.clauses: list[str] = []
        self.places: list[tuple[int, int]] = []
        for n in self.chosen:
            sentence = sentences[n]
            self.law += [
                word._replace(clause=word.clause + len(self.clauses)) for word in sentence.words
            ]
            at = sentence.places
            self.places += [(at[word.start], at[word.end - 1] + 1) for word in sentence.words]
            self.home += [n] * len(sentence.clauses)
            self.clauses += sentence.clauses
        self._neighbourhood: dict[tuple[int, int], dict[_Key, int]] = {}
        self.differences: list[tuple[int, int]] = []
        self.doubts: list[int] = []
        self.fine: set[int] = set()
        for n, word in enumerate(words):
            if self.own[n] and word.role in DECIDES:
                self._look_at(n, word)
        self.doubts += [n for n in self.at if self.own[n] and self._is_denied_otherwise(n)]
        self.doubts += self._out_of_order()
        self.doubts += self._of_two_sentences()

    # --- which sentences, which places ---

    def _choose(self) -> list[int]:
        """The sentences that explain most, till none adds enough."""
        chosen: list[int] = []
        have = 0.0
        while len(chosen) < _MOST_SENTENCES:
            rest = [n for n in range(len(self.sentences)) if n not in chosen]
            gains = [
                (self._explained_by([*chosen, n]) - 0.01 * len(self.sentences[n].words), -n)
                for n in rest
            ]
            if not gains or (chosen and max(gains)[0] - have < _ADDS):
                break
            gain, n = max(gains)
            chosen.append(-n)
            have = gain
        return sorted(chosen)

    def _explained_by(self, sentences: Sequence[int]) -> float:
        known = zip(self.told, self._explained(sentences), strict=True)
        return _weight([word for word, is_known in known if is_known])

    def _explained(self, sentences: Sequence[int]) -> list[bool]:
        """Which words the law has; a letter of no word only beside the same neighbour."""
        law = [self.sentences[n] for n in sentences]
        beside = [False, *(any(two in one.pairs for one in law) for two in self._pairs), False]
        return [
            any(word.key in one.keys for one in law)
            and (word.role != "letter" or beside[n] or beside[n + 1])
            for n, word in enumerate(self.told)
        ]

    @cached_property
    def _pairs(self) -> list[_Pair]:
        return [(one.key, two.key) for one, two in pairwise(self.told)]

    @cached_property
    def explained(self) -> list[bool]:
        return self._explained(self.chosen)

    @cached_property
    def _by_key(self) -> dict[_Key, list[int]]:
        by_key: defaultdict[_Key, list[int]] = defaultdict(list)
        for place, word in enumerate(self.law):
            by_key[word.key].append(place)
        return by_key

    @cached_property
    def at(self) -> dict[int, int]:
        """The place of each told word in the law, the surest first."""
        found = sorted(
            (
                (self._support(n, place), -abs(place - n), n, place)
                for n, known in enumerate(self.explained)
                if known
                for place in self._by_key[self.told[n].key]
            ),
            reverse=True,
        )
        at: dict[int, int] = {}
        taken: set[int] = set()
        for _, _, n, place in found:
            if n not in at and not (self.told[n].role in _ONCE and place in taken):
                at[n] = place
                taken.add(place)
        return at

    def _support(self, n: int, place: int) -> float:
        """How many neighbours of a told word stand beside a place of the law, on the same side."""
        told = self.told
        total = 0.0
        for side in (-1, 1):
            same, other = self._beside(place, side), self._beside(place, -side)
            for far in range(1, _REACH + 1):
                at = n + side * far
                if not 0 <= at < len(told):
                    break
                word = told[at]
                base = _WEIGHT.get(word.role, 1.0) / (1 + 0.35 * far)
                if word.clause != told[n].clause:
                    base /= 2
                if (there := same.get(word.key)) is not None:
                    total += base / (1 + 0.15 * abs(there - far))
                elif word.key in other:
                    total += 0.3 * base
        return total

    def _beside(self, place: int, side: int) -> dict[_Key, int]:
        if (place, side) not in self._neighbourhood:
            self._neighbourhood[place, side] = _neighbours(self.law, place, side)
        return self._neighbourhood[place, side]

    # --- what speaks against it ---

    def _look_at(self, n: int, word: Word) -> None:
        """Whether a word that decides has a place, and whether another has a better claim to it."""
        places = enumerate(self.law)
        rivals = [at for at, one in places if one.role == word.role and one.key != word.key]
        support, rival = max(((self._support(n, at), at) for at in rivals), default=(0.0, -1))
        opposed = rival >= 0 and self._excludes(n, rival)
        if n not in self.at:
            if self._says_the_same(n, word, rival):
                self.fine.add(n)
            else:
                in_its_place = opposed and support >= _DIFFERS and word.key not in self._by_key
                if in_its_place and not self._is_mentioned(word):
                    self.differences.append((n, rival))
                else:
                    self.doubts.append(n)
            return
        own = self._support(n, self.at[n])
        if self._are_listed_together(self.at[n], rival):
            return  # 董事 of 董事、监事、高级管理人员对公司负有忠实义务
        if support > own + _CONFLICT and word.role not in {"limit", "scope", "except"}:
            if opposed and support > own + _CLEARLY and len(self.told) <= _SHORT:
                self.differences.append((n, rival))
            else:
                self.doubts.append(n)
        elif word.role in {"limit", "scope", "amount"} and not self._has_a_neighbour(n):
            self.doubts.append(n)

    def _are_listed_together(self, place: int, other: int) -> bool:
        """Whether two actors of the law stand in one list: whoever tells of one tells no other."""
        first, last = sorted((place, other))
        return first >= 0 and all(word.role == "actor" for word in self.law[first : last + 1])

    def _is_mentioned(self, word: Word) -> bool:
        """Whether a word stands in quotation marks: 没有规定“情节特别严重” speaks of it."""
        opened = max(self.text.rfind(mark, 0, word.start) for mark in '“"「')
        closed = max(self.text.rfind(mark, 0, word.start) for mark in "”」")
        return opened > closed and word.start - opened < _REACH

    def _excludes(self, n: int, place: int) -> bool:
        """Whether what is told cannot stand with what the law has; of modals, before one act."""
        word, other = self.told[n], self.law[place]
        if word.role == "modal":
            mine, its = _neighbours(self.told, n, 1, 2), _neighbours(self.law, place, 1, 2)
            return word.opposes(other) and bool(mine.keys() & its.keys())
        if word.role == "amount" and self._is_bound(self.law, place):
            return word.opposes(other) and self._is_bound(self.told, n)  # 五百元 of 一千元以下
        return word.opposes(other)

    @staticmethod
    def _is_bound(words: Sequence[Word], at: int) -> bool:
        """Whether an amount is a limit: 一千元以下."""
        return at + 1 < len(words) and words[at + 1].role == "bound"

    def _says_the_same(self, n: int, word: Word, rival: int) -> bool:
        """Words that a telling may have although the provision has not."""
        if word.key == ("modal", "应当"):
            return not self._home_has_a_modal(n)
        if word.role == "actor":
            return word.name not in _ANYONE and self._is_anyone(rival)
        if word.role == "bound" and rival >= 0:
            return word.name in _WITHIN and self.law[rival].name in _WITHIN
        return False

    def _is_anyone(self, rival: int) -> bool:
        """Whether the law speaks of a party, and the telling of the one that it is in the case."""
        told = zip(self.told, self.own, strict=True)
        own = {word.key for word, mine in told if mine and word.role == "actor"}
        strangers = own - self._by_key.keys()
        parties = {word.key for word in self.law if word.role == "actor" and word.name in _ANYONE}
        same_place = rival >= 0 and self.law[rival].name in _ANYONE
        return same_place and len(strangers) == len(parties) == 1

    def _home_has_a_modal(self, n: int) -> bool:
        """Whether the clause of the law that is most like that of a word has a modal."""
        mine = {word.key for word in self.told if word.clause == self.told[n].clause}
        alike: defaultdict[int, float] = defaultdict(float)
        for word in self.law:
            if word.key in mine and word.role in _SUBJECT:
                alike[word.clause] += _WEIGHT.get(word.role, 1.0)
        home = max(alike, key=alike.__getitem__, default=-1)
        return any(word.role == "modal" and word.clause == home for word in self.law) or home < 0

    def _has_a_neighbour(self, n: int) -> bool:
        for side in (-1, 1):
            mine = _neighbours(self.told, n, side, 2)
            if mine.keys() & _neighbours(self.law, self.at[n], side, 3).keys():
                return True
        return False

    def _is_denied_otherwise(self, n: int) -> bool:
        """Whether a word stands after 不 in one of the texts only."""
        word = self.told[n]
        if word.role in {"not", "actor", "amount", "bound"} or word.key == ("modal", "不得"):
            return False
        best = _NEARLY * self._support(n, self.at[n])
        places = [place for place in self._by_key[word.key] if self._support(n, place) >= best]
        if word.role == "letter":
            after = self.told[n + 1].key if n + 1 < len(self.told) else None
            places = [
                place
                for place in self._by_key[word.key]
                if place + 1 < len(self.law) and self.law[place + 1].key == after
            ]
        denied = _is_denied(self.told, n)
        return bool(places) and all(_is_denied(self.law, place) != denied for place in places)

    def _of_two_sentences(self) -> Iterator[int]:
        """A clause whose words no sentence of the law has all: what it says of one thing is told
        of another (查阅、复制会计凭证, where accounts may be looked at and reports copied)."""
        clauses: defaultdict[int, list[int]] = defaultdict(list)
        for n in self.at:
            if self.own[n] and self.told[n].role != "letter":
                clauses[self.told[n].clause].append(n)
        for members in clauses.values():
            keys = {self.told[n].key for n in members}
            if not any(keys <= self.sentences[number].keys for number in self.chosen):
                yield members[-1]

    def _out_of_order(self) -> Iterator[int]:
        """Actors of one clause who stand the other way round in one clause of the law."""
        actors = sorted(n for n in self.at if self.told[n].role == "actor" and self.own[n])
        for one, two in pairwise(actors):
            here, there = self.at[one], self.at[two]
            told_together = self.told[one].clause == self.told[two].clause
            together = told_together and self.law[here].clause == self.law[there].clause
            if together and here > there and self.told[one].key != self.told[two].key:
                yield two

    # --- what is left out ---

    @cached_property
    def _share(self) -> dict[int, float]:
        all_of, told_of = defaultdict(list), defaultdict(list)
        taken = set(self.at.values())
        for place, word in enumerate(self.law):
            if word.role in _SUBJECT:
                all_of[word.clause].append(word)
                if place in taken:
                    told_of[word.clause].append(word)
        return {n: _weight(told_of[n]) / _weight(words) for n, words in all_of.items()}

    @cached_property
    def left_out(self) -> list[int]:
        """Places of the law that a telling must not pass over."""
        taken = set(self.at.values())
        told = {word.key for word in self.told}
        out = [
            place
            for place, word in enumerate(self.law)
            if place not in taken
            and self._share.get(word.clause, 0.0) >= _TOLD
            and self._matters(place, word, told)
        ]
        clauses = {*self._conditions_left_out(), *self._exceptions_left_out()}
        return out + [place for place, word in enumerate(self.law) if word.clause in clauses]

    def _matters(self, place: int, word: Word, told: set[_Key]) -> bool:
        if word.role == "not":
            after = self.law[place + 1] if place + 1 < len(self.law) else None
            return after is not None and after.clause == word.clause and after.key in told
        if word.role in {"modal", "bound"}:
            matters = word.name in {"不得", "可以", "以上", "超过", "不满"}
            return matters and word.key not in told
        around = self.law[max(0, place - 1) : place + 2]
        alternative = any(near.key == ("word", "或者") for near in around)
        return word.role in _NARROWS and not alternative

    def _conditions_left_out(self) -> Iterator[int]:
        """Clauses with a condition, before one in their sentence that is told."""
        for told, share in self._share.items():
            if share < _TOLD_WELL:
                continue
            for clause in range(told - 1, -1, -1):
                if self.home[clause] != self.home[told]:
                    break
                text, after = self.clauses[clause], self.clauses[clause + 1]
                alternative = _OR.match(text) or _OR.match(after)
                if _CONDITION.match(text) and not alternative and self._is_untold(clause):
                    yield clause

    def _exceptions_left_out(self) -> Iterator[int]:
        for told, share in self._share.items():
            after = next((n for n in range(told + 1, len(self.clauses)) if self.clauses[n]), None)
            if share < _TOLD_WELL or after is None or not self._is_untold(after):
                continue
            text = "，".join(self.clauses[after : after + 2])
            if _EXCEPTION.match(text) and not _GENERIC.search(text):
                yield after

    def _is_untold(self, clause: int) -> bool:
        return self._share.get(clause, 1.0) < _UNTOLD and not _GENERIC.search(self.clauses[clause])

    @cached_property
    def exceptions(self) -> list[_Sentence]:
        """Sentences after a told one, which are not told, and are its exception."""
        following = {n + 1 for n in self.chosen} - set(self.chosen)
        after = [self.sentences[n] for n in following if n < len(self.sentences)]
        contrary = (one for one in after if one.text.strip().startswith("但"))
        return [one for one in contrary if not _GENERIC.search(one.text)]

    # --- the verdict, and how it is shown ---

    @cached_property
    def new(self) -> list[int]:
        """Told words that the provision does not explain."""
        explained = enumerate(self.explained)
        return [n for n, known in explained if self.own[n] and not known and n not in self.fine]

    @cached_property
    def mark(self) -> Mark:
        own = [word for word, mine in zip(self.told, self.own, strict=True) if mine]
        new = [self.told[n] for n in self.new]
        if self.differences:
            other = {n for n, _ in self.differences}
            rest = [self.told[n] for n, mine in enumerate(self.own) if mine and n not in other]
            strange = [self.told[n] for n in self.new if n not in other]
            about_it = rest and 1 - _weight(strange) / _weight(rest) >= _ABOUT_IT
            return "differs" if about_it else "not decided"
        if self.doubts or self.left_out or self.exceptions:
            return "not decided"
        # a word, or two letters in a row, that the provision does not have
        letters = [n for n in self.new if self.told[n].role == "letter"]
        in_a_row = any(after == n + 1 for n, after in pairwise(letters))
        own_word = in_a_row or any(word.size > 1 for word in new if word.role != "letter")
        spare = 1 + _SPARE * sum(word.size for word in own)
        says_more = own_word or sum(word.size for word in new) > spare
        return "not decided" if says_more else "faithful"

    def told_at(self, n: int) -> tuple[int, int]:
        """Where a told word stands in the telling."""
        word = self.told[n]
        return word.start - self.start, word.end - self.start

    def kinds_of_the_telling(self) -> Iterator[tuple[int, int, Match]]:
        other = {n for n, _ in self.differences}
        doubtful = {*self.new, *self.doubts}
        for n, mine in enumerate(self.own):
            if mine:
                kind: Match = "other" if n in other else "new" if n in doubtful else "same"
                yield *self.told_at(n), kind

    def kinds_of_the_law(self) -> Iterator[tuple[int, int, Match]]:
        other = {place for _, place in self.differences}
        for sentence in self.exceptions:
            yield sentence.places[0], sentence.places[-1] + 1, "left out"
        left_out, same = {*self.left_out}, {*self.at.values()}
        for place, at in enumerate(self.places):
            if place in other:
                yield *at, "other"
            elif place in left_out or place in same:
                yield *at, "left out" if place in left_out else "same"


def _neighbours(
    words: Sequence[Word], at: int, side: int, reach: int = _REACH + 2
) -> dict[_Key, int]:
    """The words on one side of a place, each with how far it is at its nearest."""
    near = words[at + 1 : at + 1 + reach] if side > 0 else words[max(0, at - reach) : at][::-1]
    neighbours: dict[_Key, int] = {}
    for far, word in enumerate(near, start=1):
        neighbours.setdefault(word.key, far)
    return neighbours


def _is_denied(words: Sequence[Word], at: int) -> bool:
    """Whether 不 or 不得 stands before a word, or before a letter before it."""
    for before in words[max(0, at - 2) : at][::-1]:
        if before.clause != words[at].clause:
            return False
        if before.role == "not" or before.key == ("modal", "不得"):
            return True
        if before.role in {"word", "result", "actor", "amount"}:
            return False
    return False


def _pieces(text: str, kinds: Iterator[tuple[int, int, Match]]) -> Iterator[Piece]:
    """A text cut where its kind changes; signs between two of one kind belong to them."""
    at, last = 0, ""
    for start, end, kind in sorted(set(kinds)):
        if start < at:
            continue
        if start > at:
            between = start - at <= _SIGNS and kind == last
            yield Piece(text[at:start], kind if between else "")
        yield Piece(text[start:end], kind)
        at, last = end, kind
    if text[at:]:
        yield Piece(text[at:], "")

"""How a quotation lies over the words of an article: what agrees, what differs, what is left out.

Long agreements are found first and put into one order; only what lies between them is compared
letter by letter. So a quotation that leaves out two paragraphs is not taken for one that changes
every word, and a text of any length is compared in little time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from rapidfuzz.distance import Levenshtein

from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.numerals import parse_number
from hengfa.law.library.matching import Normalised, Passage

_SEED: Final = 6
_SMALL_SEED: Final = 2
_SHORT: Final = 300
_MOST_PLACES: Final = 48
_MOST_BLOCKS: Final = 300
_SLIDE: Final = 12
_SPLIT: Final = 400
_FOREIGN: Final = 0.5
"""Letters after the end of the law's words that agree with it less than this are the writer's."""


class Edit(NamedTuple):
    """From letter ``at`` the quotation has ``quoted`` where the law has ``law``."""

    at: int
    quoted: str
    law: str
    place: int  # of the law's letters


@dataclass(frozen=True, slots=True)
class Alignment:
    """A quotation laid over the letters ``start`` to ``end`` of a passage.

    ``positions`` are the provisions that it has words of. ``omitted`` are whole provisions that it
    passes over, ``skipped`` whole sentences. ``quoted`` is the number of its letters; from letter
    ``beyond`` on, where nothing marks the end of a quotation, they are no longer those of the law.
    """

    passage: Passage
    start: int
    end: int
    edits: tuple[Edit, ...]
    positions: tuple[Position, ...]
    omitted: tuple[Position, ...]
    skipped: tuple[Edit, ...]
    beyond: int
    quoted: int

    @property
    def exact(self) -> bool:
        return not self.edits and not self.skipped

    @property
    def cost(self) -> int:
        """How many letters differ."""
        return sum(max(len(edit.quoted), len(edit.law)) for edit in self.edits)

    @property
    def foreign(self) -> int:
        """How many letters at the end are not compared."""
        return self.quoted - self.beyond

    @property
    def similarity(self) -> float:
        """1 where nothing differs, 0 where everything does."""
        return max(0.0, 1 - self.cost / self.beyond) if self.beyond else 0.0


class _Block(NamedTuple):
    """``size`` letters that agree, from ``quoted`` in the quotation and ``law`` in the passage."""

    quoted: int
    law: int
    size: int


def align(words: Normalised, passage: Passage, *, open_end: bool = False) -> Alignment | None:
    """The quotation over the passage, or None where they have nothing in common.

    ``open_end`` says that the quotation may run on into other words.
    """
    if not words.letters or not passage.letters:
        return None
    blocks = _best_blocks(words.letters, passage.letters)
    if not blocks:
        return None
    return _Comparison(words, passage, blocks, open_end).result()


def _best_blocks(quoted: str, law: str) -> list[_Block]:
    """Long agreements; in a short quotation, where these are few, shorter ones too."""
    if (place := law.find(quoted)) >= 0:
        return [_Block(0, place, len(quoted))]
    blocks = _chain(_blocks(quoted, law, _SEED))
    if 2 * sum(block.size for block in blocks) < len(quoted) <= _SHORT:
        blocks = _chain(_blocks(quoted, law, _SMALL_SEED)) or blocks
    return blocks


def _blocks(quoted: str, law: str, seed: int) -> list[_Block]:
    """Longest agreements of ``seed`` letters at least, wherever they stand."""
    places: dict[str, list[int]] = {}
    for n in range(len(law) - seed + 1):
        seen = places.setdefault(law[n : n + seed], [])
        if len(seen) < _MOST_PLACES:
            seen.append(n)
    blocks: list[_Block] = []
    covered: dict[int, int] = {}  # by diagonal: up to which letter of the quotation
    for n in range(len(quoted) - seed + 1):
        for place in places.get(quoted[n : n + seed], ()):
            if covered.get(place - n, 0) > n:
                continue
            size = seed + _common(quoted, n + seed, law, place + seed)
            covered[place - n] = n + size
            blocks.append(_Block(n, place, size))
    return sorted(blocks, key=lambda block: -block.size)[:_MOST_BLOCKS]


def _common(text: str, at: int, other: str, place: int) -> int:
    """How many letters two texts have in common from these places on.

    Ever longer pieces are compared, then ever shorter ones: what follows is not looked at.
    """
    size, step, growing = 0, 8, True
    while step:
        piece = text[at + size : at + size + step]
        if len(piece) == step and piece == other[place + size : place + size + step]:
            size += step
            step = 2 * step if growing else step // 2
        else:
            growing = False
            step //= 2
    return size


def _chain(blocks: list[_Block]) -> list[_Block]:
    """The blocks that follow one another in both texts and cover most."""
    blocks = sorted(blocks)
    best: list[tuple[int, int | None, _Block]] = []
    for number, block in enumerate(blocks):
        top: tuple[int, int | None, _Block] = (block.size - 1, None, block)
        for before in range(number):
            score, _, last = best[before]
            if score + block.size - 1 <= top[0]:
                continue
            overlap = max(
                last.quoted + last.size - block.quoted, last.law + last.size - block.law, 0
            )
            if last.law >= block.law or overlap >= block.size:
                continue
            cut = _Block(block.quoted + overlap, block.law + overlap, block.size - overlap)
            if score + cut.size - 1 > top[0]:
                top = (score + cut.size - 1, before, cut)
        best.append(top)
    chain: list[_Block] = []
    at: int | None = max(range(len(best)), key=lambda n: best[n][0], default=None)
    while at is not None:
        _, at, block = best[at]
        chain.append(block)
    return chain[::-1]


class _Comparison:
    def __init__(
        self, words: Normalised, passage: Passage, blocks: list[_Block], open_end: bool
    ) -> None:
        self.words = words
        self.passage = passage
        self.blocks = blocks
        self.open_end = open_end
        self.borders = {unit.start for unit in passage.units} | {len(passage.letters)}
        self.omitted: list[Position] = []
        self.skipped: list[Edit] = []
        self.start = blocks[0].law
        self.end = blocks[-1].law + blocks[-1].size
        self.beyond = len(words.letters)

    def result(self) -> Alignment:
        letters, edits = self.words.letters, list[Edit]()
        first = self.blocks[0]
        if first.quoted:
            self.start = max(0, first.law - first.quoted - _SLIDE)
            head = letters[: first.quoted]
            edits += self._compare(0, head, self.start, first.law, free="start")
        for block, after in pairwise(self.blocks):
            at, place = block.quoted + block.size, block.law + block.size
            edits += self._between(at, letters[at : after.quoted], place, after.law)
        edits += self._tail()
        has = (self.passage.within(block.law, block.law + block.size) for block in self.blocks)
        positions = dict.fromkeys(position for some in has for position in some)
        return Alignment(
            self.passage,
            self.start,
            self.end,
            tuple(edit for edit in _merge(edits) if not _same_number(edit)),
            tuple(positions),
            tuple(self.omitted),
            tuple(self.skipped),
            self.beyond,
            len(letters),
        )

    def _between(self, at: int, quoted: str, place: int, end: int) -> Iterator[Edit]:
        """Compare, or find whole provisions in between that the quotation passes over."""
        spare = end - place - len(quoted)
        borders = sorted(border for border in self._sentences if place <= border <= end)
        if not 0 < len(quoted) <= _SPLIT or spare <= _SLIDE or len(borders) < 2:
            yield from self._compare(at, quoted, place, end)
            return
        law = self.passage.letters
        plain = Levenshtein.distance(quoted, law[place:end])
        cuts = [(leave, resume) for leave in borders for resume in borders if leave < resume][:60]
        cost, leave, resume = min(
            (Levenshtein.distance(quoted, law[place:leave] + law[resume:end]), leave, resume)
            for leave, resume in cuts
        )
        if cost >= plain:
            yield from self._compare(at, quoted, place, end)
            return
        # where the words before the omission end: what leaves the cheaper rest
        split = min(
            range(len(quoted) + 1),
            key=lambda n: (
                Levenshtein.distance(quoted[:n], law[place:leave])
                + Levenshtein.distance(quoted[n:], law[resume:end])
            ),
        )
        yield from self._compare(at, quoted[:split], place, leave)
        yield from self._compare(at + split, "", leave, resume)
        yield from self._compare(at + split, quoted[split:], resume, end)

    def _tail(self) -> Iterator[Edit]:
        last = self.blocks[-1]
        at, place = last.quoted + last.size, last.law + last.size
        if self.open_end:  # from where on are the words after the last agreement the writer's own?
            length, sentences, breaks = self.beyond, self.words.sentences, self.words.breaks
            begins = (n for n in range(at, length) if n in sentences or n in breaks)
            sentence = next(begins, length)
            rest = self.words.letters[sentence:]
            law = self.passage.letters[place + sentence - at :][: len(rest)]
            foreign = Levenshtein.normalized_similarity(rest, law) < _FOREIGN
            self.beyond = sentence if foreign else length
        if tail := self.words.letters[at : self.beyond]:
            self.end = min(len(self.passage.letters), place + len(tail) + _SLIDE)
            yield from self._compare(at, tail, place, self.end, free="end")

    def _compare(
        self, at: int, quoted: str, place: int, end: int, free: Literal["", "start", "end"] = ""
    ) -> Iterator[Edit]:
        """Letter by letter; what is said to be left out, or is a whole provision, is no edit.

        At a ``free`` end of the quotation it begins or ends within the law, and nothing is missing.
        """
        law = self.passage.letters[place:end]
        for op in Levenshtein.opcodes(quoted, law):
            q_from, q_to, l_from, l_to = op.src_start, op.src_end, op.dest_start, op.dest_end
            if op.tag == "equal":
                continue
            if free == "start" and q_to == l_from == 0:
                self.start = place + l_to
                continue
            if free == "end" and q_from == len(quoted) and l_to == len(law):
                self.end = place + l_from
                continue
            edit = Edit(at + q_from, quoted[q_from:q_to], law[l_from:l_to], place + l_from)
            if edit.quoted or not self._is_left_out(edit):
                yield edit

    def _is_left_out(self, edit: Edit) -> bool:
        """Whether words of the law are missing as they may be, wherever exactly the gap is seen."""
        size = len(edit.law)
        shifts = list(_slides(self.passage.letters, edit.place, size))
        if any(edit.at + shift in self.words.breaks for shift in shifts):
            return True
        for borders in (self.borders, self._sentences):
            for shift in shifts:
                leave, resume = edit.place + shift, edit.place + shift + size
                if leave not in borders or resume not in borders:
                    continue
                if borders is self.borders:
                    self.omitted.extend(self.passage.within(leave, resume))
                else:
                    law = self.passage.letters[leave:resume]
                    self.skipped.append(Edit(edit.at + shift, "", law, leave))
                return True
        return False

    @cached_property
    def _sentences(self) -> set[int]:
        return self.passage.sentences()


def _merge(edits: Iterable[Edit]) -> list[Edit]:
    merged: list[Edit] = []
    for at, quoted, law, place in edits:
        last = merged[-1] if merged else None
        if last and (last.at + len(last.quoted), last.place + len(last.law)) == (at, place):
            merged[-1] = Edit(last.at, last.quoted + quoted, last.law + law, last.place)
        else:
            merged.append(Edit(at, quoted, law, place))
    return merged


def _same_number(edit: Edit) -> bool:
    """Whether an edit only writes a number otherwise: 3 for 三, 10 for 十."""
    if not edit.quoted or not edit.law:
        return False
    number = parse_number(edit.quoted)
    return number is not None and number == parse_number(edit.law)


def _slides(text: str, place: int, size: int) -> Iterable[int]:
    """How far a gap may be moved without a change of what is left: 的A的 without A的 or 的A."""
    yield 0
    for shift in range(1, min(_SLIDE, place) + 1):
        if text[place - shift] != text[place + size - shift]:
            break
        yield -shift
    for shift in range(1, _SLIDE + 1):
        after = place + size + shift - 1
        if after >= len(text) or text[after] != text[place + shift - 1]:
            break
        yield shift

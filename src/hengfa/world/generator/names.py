"""Names of places, brands, firms, streets and people, and the characters they are made of.

A place, brand or firm is asked for by number; different numbers have different names. Streets with
their house numbers are different too. People may share a name, as they do.

Characters of places, of brands and of law firms' names are three disjoint sets (`lists.toml`),
which is why two different entities can never get one name.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hengfa.world.generator.dice import Dice, Shuffle, Stream, Weighted
from hengfa.world.generator.lists import LISTS


class Syllable(NamedTuple):
    """A character and how it is written in Latin letters."""

    character: str
    pinyin: str


def _syllables(listed: str) -> tuple[Syllable, ...]:
    return tuple(Syllable(syllable[0], syllable[1:]) for syllable in listed.split())


PLACE_FIRST: Final = _syllables(LISTS.syllables.place_first)
PLACE_MIDDLE: Final = _syllables(LISTS.syllables.place_middle)
PLACE_LAST: Final = _syllables(LISTS.syllables.place_last)
BRAND: Final = _syllables(LISTS.syllables.brand)
FIRM: Final = _syllables(LISTS.syllables.firm)

_SURNAMES: Final = Weighted(
    (surname, weight) for surnames, weight in LISTS.people.surnames for surname in surnames
)
_GIVEN: Final = LISTS.people.given

COUNTRY: Final = "月湖"
PROVINCES: Final = LISTS.places.provinces

_LARGEST_HOUSE: Final = 400
STREETS: Final = LISTS.streets
_TAKEN: Final = frozenset(province.stem for province in PROVINCES)
_SHORT_PLACES: Final = tuple(
    (first, last)
    for first in PLACE_FIRST
    for last in PLACE_LAST
    if first.character + last.character not in _TAKEN
)


class Name(NamedTuple):
    """A name without what follows it (市, 律师事务所, …), and in Latin letters."""

    text: str
    pinyin: str


class Places:
    """Stems of cities and counties: 霜渡, and 霜南渡 when the short ones are used up."""

    def __init__(self, seed: int) -> None:
        stream = Stream(seed, "place names")
        self._short = Shuffle(stream, len(_SHORT_PLACES))
        long = len(PLACE_FIRST) * len(PLACE_MIDDLE) * len(PLACE_LAST)
        self._long = Shuffle(stream, long, 1)

    def __call__(self, number: int) -> Name:
        if number < self._short.size:
            return _join(*_SHORT_PLACES[self._short(number)])
        rest, last = divmod(self._long(number - self._short.size), len(PLACE_LAST))
        first, middle = divmod(rest, len(PLACE_MIDDLE))
        return _join(PLACE_FIRST[first], PLACE_MIDDLE[middle], PLACE_LAST[last])


class Words:
    """Made-up words of two or three different syllables of one list, each once."""

    def __init__(self, seed: int, purpose: str, syllables: tuple[Syllable, ...]) -> None:
        self._syllables = syllables
        count = len(syllables)
        stream = Stream(seed, purpose)
        self._two = Shuffle(stream, count * (count - 1))
        self._three = Shuffle(stream, count * (count - 1) * (count - 2), 1)

    @property
    def short(self) -> int:
        return self._two.size

    def two(self, number: int) -> Name:
        first, second = divmod(self._two(number), len(self._syllables) - 1)
        return self._pick(first, second)

    def three(self, number: int) -> Name:
        rest, third = divmod(self._three(number), len(self._syllables) - 2)
        first, second = divmod(rest, len(self._syllables) - 1)
        return self._pick(first, second, third)

    def __call__(self, number: int) -> Name:
        """Two syllables as long as there are such words, then three."""
        return self.two(number) if number < self.short else self.three(number - self.short)

    def _pick(self, *places: int) -> Name:
        """The syllables at these places, each counted among those not yet taken."""
        taken: list[int] = []
        for place in places:
            at = place
            for before in sorted(taken):
                at += at >= before
            taken.append(at)
        return _join(*(self._syllables[place] for place in taken))


class Houses:
    """Street and number: 春晖路12号. Different numbers are different houses."""

    SIZE: Final = len(STREETS.first) * len(STREETS.last) * len(STREETS.kinds) * _LARGEST_HOUSE

    def __init__(self, seed: int) -> None:
        self._shuffle = Shuffle(Stream(seed, "houses"), self.SIZE)

    def __call__(self, number: int) -> str:
        rest, house = divmod(self._shuffle(number), _LARGEST_HOUSE)
        rest, kind = divmod(rest, len(STREETS.kinds))
        first, last = divmod(rest, len(STREETS.last))
        return f"{STREETS.first[first]}{STREETS.last[last]}{STREETS.kinds[kind]}{house + 1}号"


def person(dice: Dice) -> str:
    """A full name: 周雨晴, 何健."""
    surname = _SURNAMES.pick(dice)
    given = dice.pick(_GIVEN)
    return surname + (given if dice.chance(0.22) else given + dice.pick(_GIVEN))


def party_person(dice: Dice) -> str:
    """A person as judgments name one: 周某某, 周某1."""
    surname = _SURNAMES.pick(dice)
    return f"{surname}某{dice.between(1, 4) if dice.chance(0.17) else '某'}"


def starred_person(dice: Dice) -> str:
    """A person as registers of enforcement name one: 周**, 周*."""
    return f"{_SURNAMES.pick(dice)}{'*' if dice.chance(0.2) else '**'}"


def _join(*syllables: Syllable) -> Name:
    text = "".join(syllable.character for syllable in syllables)
    return Name(text, "".join(syllable.pinyin for syllable in syllables).capitalize())

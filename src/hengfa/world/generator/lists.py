"""What fictional worlds are made of: the lists of `lists.toml`, each entry in its type."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import msgspec

from hengfa.base.data.jsonfile import read_toml

Level = Literal["basic", "intermediate", "high", "supreme", "special"]


class _Syllables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Characters with their Latin letters, divided by blanks: 萤ying 鹭lu."""

    place_first: str
    place_middle: str
    place_last: str
    brand: str
    firm: str


class _People(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Surnames by how frequent they are, and characters of given names."""

    surnames: tuple[tuple[str, int], ...]
    given: str


class _Streets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    first: str
    last: str
    kinds: tuple[str, ...]
    buildings: tuple[str, ...]


class Province(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`stem` is the name without 省 or 市, `sign` its letter in case numbers."""

    stem: str
    pinyin: str
    sign: str
    code: int
    municipality: bool = False

    @property
    def name(self) -> str:
        return f"{self.stem}{'市' if self.municipality else '省'}"


class _Places(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    provinces: tuple[Province, ...]
    tribunals: tuple[str, ...]


class Trade(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of business. `words` stand in company names, each in one trade only."""

    english: str
    weight: int
    levels: tuple[str, str, str]
    words: tuple[str, ...]
    goods: tuple[str, ...]

    @property
    def industry(self) -> str:
        """As the table of listed companies names it: the second level."""
        return self.levels[1]


class _Business(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    brokers: tuple[str, ...]
    indices: tuple[str, ...]
    markets: tuple[tuple[tuple[str, str], int], ...]
    shares: tuple[tuple[str, int], ...]


class _Practice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    fields: tuple[str, ...]
    capitals: tuple[tuple[str, int], ...]


class CaseKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`sign` stands in the case number, `instance` in the title; `levels` are courts by weight."""

    sign: str
    instance: str
    family: Literal["civil", "enforcement", "administrative"]
    weight: int = 0
    levels: dict[Level, int] = {}


class CaseCause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`claim` is what money is owed for, `facts` what happened; `people`: always a person sues."""

    name: str
    weight: int
    claim: str
    facts: str
    size: float = 1.0
    people: bool = False


class Offence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`office` fines it, `sign` stands in its numbers, fines lie around `yuan`."""

    facts: str
    weight: int
    office: str
    sign: str
    yuan: float


class _Cases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    authorities: tuple[str, ...]
    kinds: tuple[CaseKind, ...]
    causes: tuple[CaseCause, ...]
    offences: tuple[Offence, ...]


class _Lists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    syllables: _Syllables
    people: _People
    streets: _Streets
    places: _Places
    companies: _Business
    firms: _Practice
    trades: tuple[Trade, ...]
    cases: _Cases


LISTS: Final = read_toml(Path(__file__).with_name("lists.toml"), _Lists)

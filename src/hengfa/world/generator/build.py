"""Puts a whole world together and writes it: everything follows from a seed, a scale and a law."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from hengfa.base.progress import Progress
from hengfa.world.generator.companies import Companies, CompanyRows
from hengfa.world.generator.courts import Court, Courts, Dockets, code_row, court_row
from hengfa.world.generator.dice import Stream
from hengfa.world.generator.geography import Addresses, County, Geography, address_row
from hengfa.world.generator.judgments import Judgments, JudgmentTexts
from hengfa.world.generator.law import LawSource, articles, knowledge
from hengfa.world.generator.lawfirms import FirmRows, Firms
from hengfa.world.generator.sanctions import Enforcement, Penalties, enforcement_cases
from hengfa.world.generator.sizes import counties_for, plan_sizes
from hengfa.world.tables.importing import OwnTables
from hengfa.world.tables.world import Row, World, write_world

T = TypeVar("T")

SOURCE: Final = "generated"
_EVERY: Final = 1_000


class BuildReport(msgspec.Struct, frozen=True):
    """What was written: rows by table, texts by collection, and the name of exactly these rows."""

    file: str
    seed: int
    scale: int
    law: str
    tables: dict[str, int]
    corpora: dict[str, int]
    fingerprint: str


class Blueprint:
    """A world as streams of rows. Each call makes a stream anew, with the same rows."""

    def __init__(self, seed: int, scale: int) -> None:
        self._map = Geography(seed, counties_for(scale))
        self.sizes = plan_sizes(scale, self._map)
        self._courts = Courts(self._map)
        self._pages = Stream(seed, "CourtInfo")
        sizes = self.sizes
        self._addresses = Addresses(seed, sizes.courts, sizes.firms, sizes.companies)
        self._companies = Companies(sizes, self._map)
        firms = Firms(sizes, self._map)
        dockets = Dockets(seed, sizes.judgments + enforcement_cases(sizes))
        self._company_rows = CompanyRows(self._companies, self._addresses)
        self._firm_rows = FirmRows(firms, self._addresses)
        judgments = Judgments(self._companies, self._courts, firms, dockets)
        self._texts = JudgmentTexts(seed, judgments)
        self._enforcement = Enforcement(self._companies, self._courts, dockets)
        self._penalties = Penalties(self._companies)

    def tables(self) -> dict[str, Iterator[Row]]:
        return {
            "CompanyInfo": self._company_rows.infos(),
            "CompanyRegister": self._company_rows.registers(),
            "SubCompanyInfo": self._company_rows.holdings(),
            "LegalDoc": self._texts.documents(),
            "LegalAbstract": self._texts.abstracts(),
            "CourtInfo": (
                court_row(self._pages.dice(number), number, *placed)
                for number, placed in enumerate(self._placed_courts())
            ),
            "CourtCode": map(code_row, self._courts.with_code()),
            "LawfirmInfo": self._firm_rows.infos(),
            "LawfirmLog": self._firm_rows.logs(),
            "AddrInfo": self._all_addresses(),
            "RestrictionCase": self._enforcement.limits(),
            "FinalizedCase": self._enforcement.closings(),
            "DishonestyCase": self._enforcement.dishonesty(),
            "AdministrativeCase": self._penalties.rows(),
        }

    def corpora(self, law: LawSource) -> dict[str, Iterator[str]]:
        return {
            "LegalKnowledge": knowledge(law),
            "LegalArticle": articles(law),
            "LegalCases": self._texts.typical_cases(),
        }

    def _placed_courts(self) -> Iterator[tuple[Court, County, str]]:
        """All courts, each with its county and address."""
        for number, court in enumerate(chain(self._courts.with_code(), self._courts.tribunals())):
            county = self._map.county(court.seat)
            yield court, county, self._addresses.of_court(number, county)

    def _all_addresses(self) -> Iterator[Row]:
        """Every address that stands in another table, with its region."""
        for _, county, address in self._placed_courts():
            yield address_row(address, county)
        for number in range(self.sizes.firms):
            yield address_row(self._firm_rows.address(number), self._firm_rows.county(number))
        for number in range(self.sizes.companies):
            company = self._companies(number)
            yield address_row(self._company_rows.seat(company), self._map.county(company.county))
        for number in range(self.sizes.listed):
            if self._companies.has_own_office(number):
                company = self._companies(number)
                county = self._map.county(company.county)
                yield address_row(self._company_rows.office(company), county)


def build_world(
    file: Path,
    seed: int,
    scale: int,
    law: LawSource,
    watch: Progress | None = None,
    own: OwnTables | None = None,
) -> BuildReport:
    """Write the world of this seed with ``scale`` rows to ``file``, and a user's own tables.

    ``watch`` is told how many rows of how many are written. The same seed, scale and law give the
    same rows on every machine.
    """
    blueprint = Blueprint(seed, scale)
    counted = _Counter(scale, watch)
    note = f"seed {seed}, {scale} rows, law: {law.name}; its people and companies are fictional"
    write_world(
        file,
        counted.all({**blueprint.tables(), **(own.rows if own else {})}),
        counted.all(blueprint.corpora(law)),
        source=SOURCE,
        note=note,
        declared=own.declaration if own else None,
    )
    with World.open(file) as world:
        fingerprint = world.fingerprint
    names = (*blueprint.sizes.tables, *(own.rows if own else ()))
    tables = {name: counted.rows[name] for name in names}
    corpora = {name: counted.rows[name] for name in counted.rows if name not in tables}
    return BuildReport(str(file), seed, scale, law.name, tables, corpora, fingerprint)


class _Counter:
    """Counts what passes, and tells somebody from time to time."""

    def __init__(self, total: int, watch: Progress | None) -> None:
        self.rows: dict[str, int] = {}
        self._total = total
        self._watch = watch
        self._done = 0

    def all(self, streams: Mapping[str, Iterable[T]]) -> dict[str, Iterator[T]]:
        return {name: self._count(name, stream) for name, stream in streams.items()}

    def _count(self, name: str, stream: Iterable[T]) -> Iterator[T]:
        self.rows[name] = 0
        for item in stream:
            yield item
            self.rows[name] += 1
            self._done += 1
            if self._watch and self._done % _EVERY == 0:
                self._watch(min(self._done, self._total), self._total)

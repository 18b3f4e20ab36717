"""How many rows each table gets: the official proportions, scaled to a number of rows in all.

The sum over the fourteen tables is exactly the number asked for. The three collections of texts
come on top, because law cannot be multiplied. Tables that would be empty in a small world have a
few rows there. Judgments take up what rounding leaves.
"""

from __future__ import annotations

from typing import Final

import msgspec

from hengfa.base.errors import UsageError
from hengfa.world.generator.courts import Courts
from hengfa.world.generator.geography import Geography
from hengfa.world.tables.schema import CORPUS_OF, TABLE_OF, TABLES

SMALLEST: Final = 1_000
LARGEST: Final = 1_000_000  # names, codes and addresses are unique at least up to here
OFFICIAL: Final = sum(table.official_rows for table in TABLES)
COUNTIES: Final = 2_930  # basic courts of the official table, one to a county
FEWEST: Final = {
    "CompanyInfo": 8,
    "LawfirmLog": 10,
    "RestrictionCase": 10,
    "FinalizedCase": 16,
    "DishonestyCase": 8,
    "AdministrativeCase": 16,
}
SAME_OFFICE: Final = (2, 5)
"""Two in five listed companies have their office where they are registered."""


class Sizes(msgspec.Struct, frozen=True):
    """Rows of each table, and what they are derived from."""

    listed: int
    subsidiaries: int
    courts: int
    coded_courts: int
    firms: int
    logged_firms: int
    judgments: int
    abstracts: int
    restrictions: int
    finalised: int
    dishonest: int
    penalties: int
    typical_cases: int

    @property
    def companies(self) -> int:
        return self.listed + self.subsidiaries

    @property
    def own_offices(self) -> int:
        """Listed companies whose office is not where they are registered."""
        some, of = SAME_OFFICE
        return self.listed - self.listed * some // of

    @property
    def addresses(self) -> int:
        return self.courts + self.firms + self.companies + self.own_offices

    @property
    def tables(self) -> dict[str, int]:
        return {
            "CompanyInfo": self.listed,
            "CompanyRegister": self.companies,
            "SubCompanyInfo": self.subsidiaries,
            "LegalDoc": self.judgments,
            "LegalAbstract": self.abstracts,
            "CourtInfo": self.courts,
            "CourtCode": self.coded_courts,
            "LawfirmInfo": self.firms,
            "LawfirmLog": self.logged_firms,
            "AddrInfo": self.addresses,
            "RestrictionCase": self.restrictions,
            "FinalizedCase": self.finalised,
            "DishonestyCase": self.dishonest,
            "AdministrativeCase": self.penalties,
        }


def counties_for(scale: int) -> int:
    if not SMALLEST <= scale <= LARGEST:
        raise UsageError(f"a world has {SMALLEST:,} to {LARGEST:,} rows, not {scale:,}")
    return scale * COUNTIES // OFFICIAL


def plan_sizes(scale: int, geography: Geography) -> Sizes:
    """The sizes of a world of ``scale`` rows on this map."""

    def part(table: str) -> int:
        return max(FEWEST.get(table, 1), scale * TABLE_OF[table].official_rows // OFFICIAL)

    courts = Courts(geography)
    coded = sum(1 for _ in courts.with_code())
    sizes = Sizes(
        listed=part("CompanyInfo"),
        subsidiaries=part("SubCompanyInfo"),
        courts=coded + sum(1 for _ in courts.tribunals()),
        coded_courts=coded,
        firms=part("LawfirmInfo"),
        logged_firms=part("LawfirmLog"),
        judgments=0,
        abstracts=part("LegalAbstract"),
        restrictions=part("RestrictionCase"),
        finalised=part("FinalizedCase"),
        dishonest=part("DishonestyCase"),
        penalties=part("AdministrativeCase"),
        typical_cases=max(10, scale * CORPUS_OF["LegalCases"].official_rows // OFFICIAL),
    )
    return msgspec.structs.replace(sizes, judgments=scale - sum(sizes.tables.values()))

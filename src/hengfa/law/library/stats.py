"""How much law a library holds, counted as the corpus of CLaw is counted."""

from __future__ import annotations

from collections import Counter
from datetime import date

import msgspec

from hengfa.law.library.model import STATUTES, LawKind, Sure
from hengfa.law.library.store import Library


class Count(msgspec.Struct, frozen=True):
    """Laws of a kind, their versions, and what these are made of."""

    laws: int
    versions: int
    articles: int
    leads: int
    leaves: int
    sure: dict[str, int]  # versions by how well their entry into force is known


class UnsureDate(msgspec.Struct, frozen=True):
    """A version whose entry into force nobody says, or only a register that may not know."""

    law: str
    promulgated: date
    effective: date | None
    sure: Sure
    basis: str


class Stats(msgspec.Struct, frozen=True):
    """``statutes`` counts statutes and the Constitution; ``kinds`` each kind by itself."""

    file: str
    fingerprint: str
    until: date | None
    statutes: Count
    kinds: dict[str, Count]
    several_versions: int  # statutes with more than one version at hand
    effective_later: int  # statute versions that took effect after they were promulgated
    occasions: int  # what the calendar knows of statutes, and of these
    at_hand: int
    repeals: int
    texts: int  # different ones
    unsure: tuple[UnsureDate, ...]  # statute versions whose entry into force is not known well
    remarks: dict[str, int]


def count(library: Library, until: date | None = None) -> Stats:
    versions = [v for v in library.versions() if until is None or v.promulgated <= until]
    chosen = [version for version in versions if version.kind in STATUTES]
    roles = Counter[tuple[int, str]]()
    sql = "SELECT version, role, count(*) FROM provisions GROUP BY version, role"
    for version, role, number in library.connection.execute(sql):
        roles[version, role] = number

    def counted(*kinds: LawKind) -> Count:
        of_kind = [version for version in versions if version.kind in kinds]
        return Count(
            laws=len({version.law for version in of_kind}),
            versions=len(of_kind),
            articles=sum(version.articles for version in of_kind),
            leads=sum(roles[version.id, "lead"] for version in of_kind),
            leaves=sum(roles[version.id, "leaf"] for version in of_kind),
            sure=dict(sorted(Counter(version.sure for version in of_kind).items())),
        )

    kinds = dict.fromkeys(version.kind for version in versions)
    occasions = [
        occasion
        for law in library.laws(*STATUTES)
        for occasion in library.occasions(law)
        if until is None or occasion.promulgated <= until
    ]
    per_law = Counter(version.law for version in chosen)
    return Stats(
        file=str(library.path),
        fingerprint=library.fingerprint,
        until=until,
        statutes=counted(*STATUTES),
        kinds={kind: counted(kind) for kind in sorted(kinds)},
        several_versions=sum(number > 1 for number in per_law.values()),
        effective_later=sum(bool(v.effective and v.effective > v.promulgated) for v in chosen),
        occasions=len(occasions),
        at_hand=sum(occasion.version is not None for occasion in occasions),
        repeals=sum(map(len, library.shelf.repeals.values())),
        texts=library.connection.execute("SELECT count(*) FROM texts").fetchone()[0],
        unsure=tuple(
            UnsureDate(v.law, v.promulgated, v.effective, v.sure, v.effective_basis)
            for v in chosen
            if v.sure not in {"exact", "stated"}
        ),
        remarks=dict(Counter(remark.reason for remark in library.remarks()).most_common()),
    )

"""Other spellings of an identifier, and identifiers that are near it.

A fifth to a half of the look-ups in published runs found nothing, most of them for a bracket, a
blank or an abbreviation. Width, blanks and brackets are folded and looked up at once; else names
that mean the same are proposed, and then the nearest values of the column.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from rapidfuzz import fuzz, process

from hengfa.world.schema import LOOKUP_OF, Lookup
from hengfa.world.world import FRAGMENTS, World, quoted

LONGEST: Final = 120
MOST_VALUES: Final = 100_000
NEAR_ENOUGH: Final = 60.0
PROPOSALS: Final = 3

_ROUND: Final = str.maketrans("()[]〔〕【】［］", "（）" * 5)
_BOOK: Final = str.maketrans("()[]（）【】［］", "〔〕" * 5)
_QUOTES: Final = "\"'“”‘’《》「」『』`"

_ALIASES: Final = {
    "get_company_info": "公司名称",
    "get_court_code": "法院名称",
    "get_lawfirm_info": "律师事务所名称",
    "get_company_register_name": "公司名称",
}
"""Look-ups that turn a short name or code into the full name."""


def spellings(identifier: str) -> Iterator[str]:
    """Other ways to write the same: without blanks and quotes, brackets wide, digits narrow."""
    if len(identifier) > LONGEST:
        return
    bare = "".join(unicodedata.normalize("NFKC", identifier).split()).strip(_QUOTES)
    seen = {identifier, ""}
    for form in (bare.translate(_ROUND), bare, bare.translate(_BOOK), bare.upper()):
        for whole in (form, f"{form}号"):
            if whole not in seen:
                seen.add(whole)
                yield whole


def proposals(world: World, lookup: Lookup, identifier: str) -> list[str]:
    """Identifiers that the agent may have meant, the likeliest first."""
    if not identifier.strip() or len(identifier) > LONGEST:
        return []
    found = dict.fromkeys(_full_names(world, identifier))
    for column in lookup.match.columns:
        values = _values(world, lookup.table_name, column, identifier)
        near = process.extract(
            identifier, values, scorer=fuzz.ratio, score_cutoff=NEAR_ENOUGH, limit=PROPOSALS
        )
        found.update(dict.fromkeys(value for value, _, _ in near))
    found.pop(identifier, None)
    return list(found)[:PROPOSALS]


def _full_names(world: World, identifier: str) -> Iterator[str]:
    for name, column in _ALIASES.items():
        lookup = LOOKUP_OF[name]
        for row in world.find(lookup.table, lookup.match, (identifier,), first=True):
            full = row.cells[lookup.table.place[column]]
            if isinstance(full, str):
                yield full


def _values(world: World, table: str, column: str, identifier: str) -> list[str]:
    """What the column holds; in a large table only what begins with the same character."""
    name = quoted(column)
    sql = f'SELECT DISTINCT {name} FROM "{table}" WHERE id < {FRAGMENTS}'  # noqa: S608 - our names
    bounds: tuple[str, ...] = ()
    if world.count(table) > MOST_VALUES:
        sql += f" AND {name} >= ? AND {name} < ?"
        bounds = (identifier[:2], identifier[:2] + "\U0010ffff")
    try:
        rows = world.connection.execute(f"{sql} LIMIT {MOST_VALUES}", bounds).fetchall()
    except UnicodeEncodeError:
        return []
    return [value for (value,) in rows if isinstance(value, str)]

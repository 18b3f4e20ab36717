"""The full-text index of a library file: which texts hold some characters.

Runs of three characters are indexed. Each text was indexed with two marks after its end, so that
every run of one or two characters in it begins a run of three, and can be found through those.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

import msgspec

MOST_RUNS: Final = 24
"""So many runs of a question are looked for, the rarest: more cost time and find nothing new."""
MOST_TEXTS: Final = 20_000
"""Runs that so many texts hold together are enough to look for."""
COMMON: Final = 5_000
"""Words of one or two characters in more texts than this are looked for text by text: the first
texts hold them, and no ranking could tell one from another."""


class TextIndex:
    """Asks the index; all that a reader typed goes to it as parameters."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def size(self) -> int:
        """How many texts there are."""
        row = self.connection.execute("SELECT max(id) FROM texts").fetchone()
        return int(row[0] or 0)

    def texts_of(self, versions: Collection[int]) -> set[int]:
        """The texts that stand in some versions."""
        sql = "SELECT text FROM provisions WHERE version IN (SELECT value FROM json_each(?))"
        listed = msgspec.json.encode(sorted(versions)).decode()
        return {text for (text,) in self.connection.execute(sql, (listed,))}

    def how_many_hold(self, unit: str) -> int:
        """About how many texts hold one, two or three characters: more rather than fewer."""
        sql = "SELECT sum(doc) FROM trigrams WHERE term >= ? AND term < ?"
        row = self.connection.execute(sql, _beginning_with(unit)).fetchone()
        return int(row[0] or 0)

    def holding_all(self, words: Sequence[str]) -> Iterator[int]:
        """The texts that hold all of these words, those with the rarest first."""
        long = [word for word in words if len(word) >= 3]
        short = sorted((word for word in words if len(word) < 3), key=self.how_many_hold)
        if not long and self.how_many_hold(short[0]) > COMMON:
            yield from self._scanned(short)
            return
        parts = [_quoted(word) for word in long]
        parts += ([] if long else [self._continued(short.pop(0))]) or []
        if not all(parts):
            return
        sql = "SELECT rowid FROM texts_fts WHERE texts_fts MATCH ?"
        sql += "".join(" AND instr(text, ?) > 0" for _ in short)
        order = " ORDER BY rank" if long else ""
        rows = self.connection.execute(sql + order, (" AND ".join(parts), *short))
        yield from (text for (text,) in rows)

    def sharing_runs(self, words: Iterable[str]) -> Iterator[int]:
        """The texts that share the query's rarer runs of three characters, the best first."""
        runs = {word[at : at + 3] for word in words for at in range(len(word) - 2)}
        known = sorted((n, run) for run in runs if (n := self.how_many_hold(run)))
        chosen: list[str] = []
        held = 0
        for n, run in known[:MOST_RUNS]:
            held += n
            if chosen and held > MOST_TEXTS:
                break
            chosen.append(run)
        if chosen:
            sql = "SELECT rowid FROM texts_fts WHERE texts_fts MATCH ? ORDER BY rank"
            rows = self.connection.execute(sql, (" OR ".join(map(_quoted, chosen)),))
            yield from (text for (text,) in rows)

    def _continued(self, word: str) -> str:
        """The runs of three that begin with a word of one or two characters; "" for none."""
        sql = "SELECT term FROM trigrams WHERE term >= ? AND term < ?"
        runs = [run for (run,) in self.connection.execute(sql, _beginning_with(word))]
        return f"({' OR '.join(map(_quoted, runs))})" if runs else ""

    def _scanned(self, words: Sequence[str]) -> Iterator[int]:
        """Text by text."""
        holds = " AND ".join("instr(text, ?) > 0" for _ in words)
        # only question marks are put into it
        rows = self.connection.execute(f"SELECT id FROM texts WHERE {holds}", words)  # noqa: S608
        yield from (text for (text,) in rows)


def _beginning_with(unit: str) -> tuple[str, str]:
    """The range of terms that begin with some characters; the index knows small letters only."""
    unit = unit.lower()
    return unit, unit + "\U0010ffff"


def _quoted(words: str) -> str:
    """A string of the index's own language, in which nothing else has a meaning."""
    return '"' + words.replace('"', '""') + '"'

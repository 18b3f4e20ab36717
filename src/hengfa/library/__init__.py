"""The law as a collection: versions, look-up by date, search, history.

building     texts as they circulate -> one file
store        that file: laws, versions, provisions, by key
versions     which version a date means: promulgated on, in force on, latest by
names        what a law is called
search       provisions by their words
history      one provision through all versions of its law
export       the provisions as JSON lines
citing       checks the citations of a document
diagnosis    says what is wrong with a recited provision

with Library.open() as library:
    law = find_law(library, "民法典")
    answer = in_force_on(library, law, date(2021, 1, 1))
    if isinstance(answer, Found):
        print(library.text(answer.version, Position(27, None, 2, 1)))
"""

from __future__ import annotations

from hengfa.law.citation_model import Position
from hengfa.library.model import Law, Occasion, Provision, Version
from hengfa.library.names import candidates, find_law
from hengfa.library.store import Library
from hengfa.library.versions import (
    Answer,
    Found,
    NoSuchVersion,
    NotYet,
    Reading,
    Repealed,
    Unknown,
    all_readings,
    in_force_on,
    latest_by,
    promulgated_on,
    read_date,
)

__all__ = [
    "Answer",
    "Found",
    "Law",
    "Library",
    "NoSuchVersion",
    "NotYet",
    "Occasion",
    "Position",
    "Provision",
    "Reading",
    "Repealed",
    "Unknown",
    "Version",
    "all_readings",
    "candidates",
    "find_law",
    "in_force_on",
    "latest_by",
    "promulgated_on",
    "read_date",
]

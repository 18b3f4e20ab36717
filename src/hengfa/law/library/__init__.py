"""The law as a collection: versions, look-up by date, search, history.

model        laws, versions, provisions, what happened to a law
building     texts as they circulate -> one file
store        that file: laws, versions, provisions, by key
versions     which version a date means: promulgated on, in force on, latest by
names        what a law is called
lookup       one provision on a day, as a person asks for it
search       provisions by their words
second_ranking  who puts the best of them in another order, and what is believed of that
history      one provision through all versions of its law
successors   where the provisions of a repealed law went
amending     what an amending act says
derived      the words of versions that are not at hand, by the acts that made them
stats        how much law there is
export       the provisions as JSON lines
documents    files as text
matching     the words of the law, as other people's words are matched with them
citing       checks the citations of a document
words        what is said of citations, as codes with slots, in two languages
diagnosis    says what is wrong with a recited provision

with Library.open() as library:
    law = find_law(library, "民法典")
    answer = in_force_on(library, law, date(2021, 1, 1))
    if isinstance(answer, FoundVersion):
        print(library.text(answer.version, Position(27, None, 2, 1)))
"""

from __future__ import annotations

from hengfa.law.grammar.citation_model import Position
from hengfa.law.library.model import Version
from hengfa.law.library.names import candidates, find_law
from hengfa.law.library.store import Library
from hengfa.law.library.versions import (
    FoundVersion,
    NoSuchVersion,
    NotYet,
    Repealed,
    Unknown,
    all_readings,
    in_force_on,
    latest_by,
    promulgated_on,
)

__all__ = [
    "FoundVersion",
    "Library",
    "NoSuchVersion",
    "NotYet",
    "Position",
    "Repealed",
    "Unknown",
    "Version",
    "all_readings",
    "candidates",
    "find_law",
    "in_force_on",
    "latest_by",
    "promulgated_on",
]

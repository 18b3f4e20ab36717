"""What the corrected rules repair, each by name with one sentence (spec 5, corner cases)."""

from __future__ import annotations

TOLERANT = "tolerant"
UNIQUE = "unique"
ECHO = "echo"
ALIGNMENT = "alignment"

SENTENCES = {
    TOLERANT: "find a key in another form of the same value (width, blanks, commas, 元/万/亿, "
    "dates), and no number inside a longer one",
    UNIQUE: "count a key once that a list has twice, or that is an answer and a step",
    ECHO: "do not count keys that stand in the question, unless all do",
    ALIGNMENT: "take a saved line for the task that it names, not for the task at its place",
}

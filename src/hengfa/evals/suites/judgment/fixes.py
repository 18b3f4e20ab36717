"""What the corrected rules repair, each by name with one sentence (judgment.md 8).

Q12, an F1 made of averages, needs no fix: the mean over documents stands beside it in any case.
"""

from __future__ import annotations

POSITION = "position"  # Q1
EARLIEST = "earliest"  # Q2
DEFENDANTS = "defendants"  # Q3
OWN_SECTION = "own-section"  # Q4
EVERY_FINE = "every-fine"  # Q5
GUARD = "guard"  # Q6
NUMERALS = "numerals"  # Q7
UNPARSED = "unparsed"  # Q8
ARTICLES = "articles"  # Q9
VERDICTS = "verdicts"  # Q10
DEATH = "death"  # Q11

SENTENCES = {
    POSITION: "cut a section off by its place, and leave what reads the same further on (Q1)",
    EARLIEST: "end reasoning and result at the mark that comes first in the text, not in a list "
    "(Q2)",
    DEFENDANTS: "read charges, executed terms and fines of each defendant, and compare penalties "
    "defendant by defendant (Q3)",
    OWN_SECTION: "look for nothing outside its section (Q4)",
    EVERY_FINE: "examine every fine, also one that stands behind a fine without 元 (Q5)",
    GUARD: "a fine above 10,000 yuan is no sentence of death (Q6)",
    NUMERALS: "read numbers in every script: 两年六个月, 3万5千, full-width digits (Q7)",
    UNPARSED: "METEOR of a document without reasoning or result is 0, not left out (Q8)",
    ARTICLES: "compare articles of all laws, 之一 included, as numbers (Q9)",
    VERDICTS: "an acquittal or an exemption is a verdict of its own, not 0 months, and a term that "
    "says no length is none (Q10)",
    DEATH: "only who is sentenced to death has that sentence, and a reprieved one is another (Q11)",
}

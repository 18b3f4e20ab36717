"""What the corrected rules repair, each by name with one sentence (**Corrected** in lawbench.md).

A rule asks whether a fix is on (`WRAPPER in fixes`), so that its effect can be shown by itself.
"""

from __future__ import annotations

from hengfa.evals.suites.kit import rules as kit

WRAPPER, LETTERS, SILENCE = kit.WRAPPER, kit.LETTERS, kit.SILENCE
LABEL = "label"
WORDS = "words"
EPSILON = "epsilon"
JUDGED = "judged"
SOURCE = "source"
ALIGNMENT = "alignment"
WHOLE = "whole"
SEPARATORS = "separators"
LINES = "lines"
NOTHING = "nothing"
REPORTED = "reported"
MATCHING = "matching"
ARTICLES = "articles"
LONGEST = "longest"
CHARGES = "charges"
YEARS = "years"
SPACES = "spaces"
DATES = "dates"
CLIP = "clip"
SINGLE = "single"
UNITS = "units"

SENTENCES = {
    **kit.SENTENCES,
    LABEL: "do not count the gold's own label at the start of a response as text",
    WORDS: "compare words only: no empty tokens, no tokens cut at dots, no stand-in for silence",
    EPSILON: "no constant in the denominator: a perfect answer scores 1",
    JUDGED: "divide abstentions by the samples that are judged",
    SOURCE: "take the source sentence from the data, not from the prompt with its chat template",
    ALIGNMENT: "take the first alignment: no pooling of many, no time-out; do not round",
    WHOLE: "read the whole response, not only as much as the reference is long",
    SEPARATORS: "cut also at the separators that models use, and where the next type begins",
    LINES: "collect all lines of a type instead of keeping the last",
    NOTHING: "take 没有, 不详, 未知 and the like for nothing, as 无 and 未提及 are",
    REPORTED: "report abstention, which the published evaluator counts and loses",
    MATCHING: "match the words one to one as well as possible, in whatever order they come",
    ARTICLES: "read every 第…条, whatever separates them, and bare numbers inside the wrapper",
    LONGEST: "the longest charge wins: naming 合同诈骗 does not name 诈骗",
    CHARGES: "add the 13 charges that are gold and that the published list lacks",
    YEARS: "add years and months, decimals and halves too: 三年六个月 is 42 months",
    SPACES: "allow blanks between a number and its unit",
    DATES: "a month with a day, or a calendar year, is a date, not a term",
    CLIP: "no score below zero",
    SINGLE: "one answer: the last number, inside the wrapper where there is one",
    UNITS: "understand 1,500, 1.5万, 100余万元 and 一千五百",
}


def sentences(*fixes: str) -> dict[str, str]:
    """The fixes of a task, by name."""
    return {fix: SENTENCES[fix] for fix in fixes}

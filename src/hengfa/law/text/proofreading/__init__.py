"""Scoring corrected sentences: which characters an answer changed, and which it should have.

LawBench task 2-1 gives a sentence of a court document with a mistake in it and asks for the right
one. Answers are scored by edits at the level of characters, F0.5 (lawbench.md 3). In order:

1. ``score``: the sentence, the answer and the right sentence without white space (3.1);
2. ``similarity``: what it costs to take one character for another (3.3);
3. ``alignment``: the cheapest ways to make one text the other, and how long the published
   evaluator would have taken to follow them (3.3, 3.4, 3.6);
4. ``edits``: steps become edits, and those of many alignments are counted (3.5);
5. ``score`` again: right, wrong and missed edits, and F0.5 (3.2, 3.7).
"""

from hengfa.law.text.proofreading.score import (
    Counts,
    Edit,
    Proofread,
    f_half,
    look_ahead,
    proofread,
    source_of_prompt,
)
from hengfa.law.text.proofreading.similarity import Similarity, instrument

__all__ = [
    "Counts",
    "Edit",
    "Proofread",
    "Similarity",
    "f_half",
    "instrument",
    "look_ahead",
    "proofread",
    "source_of_prompt",
]

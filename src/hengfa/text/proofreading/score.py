"""How many corrections of an answer are right, and F0.5 of all of them (LawBench spec 3.7).

Two rules, as everywhere. The official one is the published evaluator's, its quirks included:

* *cut*: an answer is read up to five characters more than the right sentence has;
* *pooling*: where texts can be aligned in several ways, the edits of all ways are thrown together,
  and an edit counts once for every different list of edits that it is in;
* *time-out*: a pair that takes too long is scored as if the answer read 无. What "too long" is
  depended on the machine; here a clock that counts work decides, fitted to the published scores;
* *blank*: an answer of white space only is handled like a time-out, an empty one reads 无内容.

Each of two fixes can be had alone. ``first_alignment`` ends pooling and the time-out with it.
``whole_prediction`` takes the answer as it is. The corrected rule is both; an empty answer then
deletes the sentence.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from hengfa.text.proofreading import texts
from hengfa.text.proofreading.merging import DELETE, Block
from hengfa.text.proofreading.similarity import Similarity

# 3.6: seconds of the virtual clock, and what a pair that takes longer is compared with.
_TIME_OUT, _STAND_IN = 10.0, "无"

# 3.2: answers with a meaning of their own.
_NO_ERROR, _CANNOT_SAY = "没有错误", "无法标注"
_NO_CORRECTION, _NOT_APPLICABLE = "-NONE-", "NA"

# Answers differ, right sentences come again with every model. Long texts are not kept.
_CACHED_GOLD, _CACHED_LENGTH = 4096, 4096


class Counts(NamedTuple):
    """Right, wrong and missed corrections; whether the answer ran into the time-out."""

    tp: int
    fp: int
    fn: int
    timed_out: bool = False


class Edit(NamedTuple):
    """Characters of the source from start to end, white space not counted, become the correction.

    Operations: S substitute, I insert, D delete (correction -NONE-), T move, NA for an answer that
    declines. ``times``: by pooling, the number of lists that contain it.
    """

    start: int
    end: int
    correction: str
    operation: str
    times: int = 1


class _Found(NamedTuple):
    edits: tuple[Edit, ...]
    timed_out: bool = False


def counts(
    source: str,
    prediction: str,
    gold: str,
    similarity: Similarity,
    *,
    first_alignment: bool = False,
    whole_prediction: bool = False,
) -> Counts:
    """The counts of one sentence: by the official rule, or with one fix or both.

    Officially ``source`` is what the published evaluator finds in the prompt; it should be the
    question itself.
    """
    right = _gold_found(source, gold, similarity, first_alignment)
    if any(edit.operation == _NOT_APPLICABLE for edit in right.edits):
        return Counts(0, 0, 0)
    found = _prediction_found(
        source, prediction, gold, similarity, first_alignment, whole_prediction
    )
    mine, wanted = _multiset(found.edits), _multiset(right.edits)
    return Counts(
        tp=sum(times for key, times in wanted.items() if key in mine),
        fp=sum(times for key, times in mine.items() if key not in wanted),
        fn=sum(times for key, times in wanted.items() if key not in mine),
        timed_out=found.timed_out,
    )


def f_half(tp: float, fp: float, fn: float) -> float:
    """F0.5 of a sentence or a corpus; the published figure is this rounded to four decimals."""
    precision = tp / (tp + fp) if fp else 1.0
    recall = tp / (tp + fn) if fn else 1.0
    if not precision + recall:
        return 0.0
    return 1.25 * precision * recall / (0.25 * precision + recall)


def gold_edits(
    source: str, gold: str, similarity: Similarity, *, first_alignment: bool = False
) -> tuple[Edit, ...]:
    """The corrections that are wanted, in text order."""
    return _gold_found(source, gold, similarity, first_alignment).edits


def prediction_edits(
    source: str,
    prediction: str,
    gold: str,
    similarity: Similarity,
    *,
    first_alignment: bool = False,
    whole_prediction: bool = False,
) -> tuple[Edit, ...]:
    """The corrections that an answer makes, in text order; ``gold`` only says where it is cut."""
    return _prediction_found(
        source, prediction, gold, similarity, first_alignment, whole_prediction
    ).edits


def _multiset(edits: tuple[Edit, ...]) -> Counter[tuple[int, int, str]]:
    keys: Counter[tuple[int, int, str]] = Counter()
    for start, end, correction, _, times in edits:
        keys[start, end, correction] += times
    return keys


def _prediction_found(
    source: str, prediction: str, gold: str, similarity: Similarity, first: bool, whole: bool
) -> _Found:
    target = texts.prediction_text(prediction, gold, whole=whole)
    return _found(texts.source_text(source), target, similarity, first)


def _find_gold(source: str, gold: str, similarity: Similarity, first: bool) -> _Found:
    return _found(texts.source_text(source), texts.gold_text(gold), similarity, first)


_find_gold_cached = lru_cache(maxsize=_CACHED_GOLD)(_find_gold)


def _gold_found(source: str, gold: str, similarity: Similarity, first: bool) -> _Found:
    find = _find_gold_cached if len(source) + len(gold) <= _CACHED_LENGTH else _find_gold
    return find(source, gold, similarity, first)


def _found(source: str, target: str, similarity: Similarity, first: bool) -> _Found:
    """The edits between two prepared texts."""
    if not (target or first):
        return _timed_out(source, similarity)
    if target in {source, _NO_ERROR}:
        return _Found(())
    if target == _CANNOT_SAY:
        return _Found((Edit(-1, -1, _NO_CORRECTION, _NOT_APPLICABLE),))
    from hengfa.text.proofreading import alignment  # noqa: PLC0415 - loads numba

    if first:
        edits = alignment.first_alignment(source, target, similarity)
        return _Found(_shown(Counter(edits), target))
    pooled = alignment.all_alignments(source, target, similarity, limit=_TIME_OUT)
    if pooled.seconds > _TIME_OUT:
        return _timed_out(source, similarity)
    return _Found(_shown(pooled.edits, target))


def _timed_out(source: str, similarity: Similarity) -> _Found:
    if source == _STAND_IN:
        return _Found((), timed_out=True)
    from hengfa.text.proofreading import alignment  # noqa: PLC0415 - loads numba

    pooled = alignment.all_alignments(source, _STAND_IN, similarity)
    return _Found(_shown(pooled.edits, _STAND_IN), timed_out=True)


def _shown(blocks: Counter[Block], target: str) -> tuple[Edit, ...]:
    edits = []
    for (operation, i, j, i_end, j_end), times in blocks.items():
        correction = _NO_CORRECTION if operation == DELETE else texts.shown(target[j:j_end])
        edits.append(Edit(i, i_end, correction, operation, times))
    return tuple(sorted(edits))

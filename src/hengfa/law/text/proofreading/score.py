"""How many corrections of an answer are right, and F0.5 of all of them (lawbench.md 3.7).

The three texts that are compared, the faulty sentence, the answer and the right sentence, are
prepared here too (3.1). Two rules, as everywhere. The official one is the published evaluator's,
its quirks included:

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

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from hengfa.law.text.proofreading.edits import DELETE, Block
from hengfa.law.text.proofreading.similarity import Similarity

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


class _Comparison(NamedTuple):
    """The edits between two texts, and whether following them ran into the time-out."""

    edits: tuple[Edit, ...]
    timed_out: bool = False


class Proofread(NamedTuple):
    """A corrected sentence: its counts, and the edits that are wanted and made, in text order."""

    counts: Counts
    wanted: tuple[Edit, ...] = ()
    made: tuple[Edit, ...] = ()


def proofread(
    source: str,
    prediction: str,
    gold: str,
    similarity: Similarity,
    *,
    first_alignment: bool = False,
    whole_prediction: bool = False,
) -> Proofread:
    """Compare one answer with the right sentence: by the official rule, or with one fix or both.

    Officially ``source`` is what the published evaluator finds in the prompt; it should be the
    question itself. Where the gold itself declines, nothing is compared.
    """
    right = _right(source, gold, similarity, first_alignment)
    if any(edit.operation == _NOT_APPLICABLE for edit in right.edits):
        return Proofread(Counts(0, 0, 0))
    target = prediction_text(prediction, gold, whole=whole_prediction)
    made = _compare(source_text(source), target, similarity, first_alignment)
    mine, wanted = _multiset(made.edits), _multiset(right.edits)
    counts = Counts(
        tp=sum(times for key, times in wanted.items() if key in mine),
        fp=sum(times for key, times in mine.items() if key not in wanted),
        fn=sum(times for key, times in wanted.items() if key not in mine),
        timed_out=made.timed_out,
    )
    return Proofread(counts, right.edits, made.edits)


def look_ahead(
    answers: Iterable[tuple[str, str, str]],
    similarity: Similarity,
    *,
    first_alignment: bool = False,
    whole_prediction: bool = False,
) -> None:
    """Prepare the comparison of some answers, each after its source and before its gold."""
    from hengfa.law.text.proofreading import alignment  # noqa: PLC0415 - loads NumPy

    pairs: list[tuple[str, str]] = []
    for source, prediction, gold in answers:
        text = source_text(source)
        pairs.append((text, prediction_text(prediction, gold, whole=whole_prediction)))
        if (source, gold, similarity, first_alignment) not in _compared_gold:
            pairs.append((text, gold_text(gold)))
    alignment.look_ahead([pair for pair in pairs if all(pair) and pair[0] != pair[1]], similarity)


def f_half(tp: float, fp: float, fn: float) -> float:
    """F0.5 of a sentence or a corpus; the published figure is this rounded to four decimals."""
    precision = tp / (tp + fp) if fp else 1.0
    recall = tp / (tp + fn) if fn else 1.0
    if not precision + recall:
        return 0.0
    return 1.25 * precision * recall / (0.25 * precision + recall)


def _multiset(edits: tuple[Edit, ...]) -> Counter[tuple[int, int, str]]:
    keys: Counter[tuple[int, int, str]] = Counter()
    for start, end, correction, _, times in edits:
        keys[start, end, correction] += times
    return keys


_compared_gold: dict[tuple[str, str, Similarity, bool], _Comparison] = {}


def _right(source: str, gold: str, similarity: Similarity, first: bool) -> _Comparison:
    asked = (source, gold, similarity, first)
    if (right := _compared_gold.get(asked)) is None:
        right = _compare(source_text(source), gold_text(gold), similarity, first)
        if len(_compared_gold) >= _CACHED_GOLD:
            _compared_gold.clear()
        if len(source) + len(gold) <= _CACHED_LENGTH:
            _compared_gold[asked] = right
    return right


def _compare(source: str, target: str, similarity: Similarity, first: bool) -> _Comparison:
    if not (target or first):
        return _timed_out(source, similarity)
    if target in {source, _NO_ERROR}:
        return _Comparison(())
    if target == _CANNOT_SAY:
        return _Comparison((Edit(-1, -1, _NO_CORRECTION, _NOT_APPLICABLE),))
    from hengfa.law.text.proofreading import alignment  # noqa: PLC0415 - loads NumPy

    if first:
        edits = alignment.first_alignment(source, target, similarity)
        return _Comparison(_as_edits(Counter(edits), target))
    pooled = alignment.all_alignments(source, target, similarity, limit=_TIME_OUT)
    if pooled.seconds > _TIME_OUT:
        return _timed_out(source, similarity)
    return _Comparison(_as_edits(pooled.edits, target))


def _timed_out(source: str, similarity: Similarity) -> _Comparison:
    if source == _STAND_IN:
        return _Comparison((), timed_out=True)
    from hengfa.law.text.proofreading import alignment  # noqa: PLC0415 - loads NumPy

    pooled = alignment.all_alignments(source, _STAND_IN, similarity)
    return _Comparison(_as_edits(pooled.edits, _STAND_IN), timed_out=True)


def _as_edits(blocks: Counter[Block], target: str) -> tuple[Edit, ...]:
    edits = []
    for (operation, i, j, i_end, j_end), times in blocks.items():
        written = target[j:j_end].replace(_MISSING_TOKEN, _MISSING)
        correction = _NO_CORRECTION if operation == DELETE else written
        edits.append(Edit(i, i_end, correction, operation, times))
    return tuple(sorted(edits))


# The texts that are compared (3.1)

# Before the sentence in every prompt of the task.
_MARK = "句子：\n"

# Quirk (cut): an answer may be this much longer than the right sentence; the rest is not read.
_MARGIN = 5

# Quirk (empty): read in place of an answer of no characters at all.
_NO_ANSWER = "无内容"

# Quirk (marker): one token, however long. Kept as one character that no text means to contain.
_MISSING, _MISSING_TOKEN = "[缺失成分]", "\U0010ffff"

# What OpenCC cannot read: halves of surrogate pairs.
_SURROGATES = re.compile("([\ud800-\udfff]+)")


def source_of_prompt(sent: str) -> str | None:
    """The sentence to correct as the published evaluator finds it in a prompt; None: nowhere.

    Quirk: the rest of the line is taken whatever it is, so that a chat template that goes on in
    the same line becomes part of the sentence.
    """
    _, mark, rest = sent.partition(_MARK)
    return rest.partition("\n")[0].replace("\t", "") if mark else None


def source_text(source: str) -> str:
    """The sentence to correct; it is not converted to simplified characters."""
    return _prepared(source, simplify=False)


def gold_text(gold: str) -> str:
    return _prepared(gold, simplify=True)


def prediction_text(prediction: str, gold: str, *, whole: bool) -> str:
    """The answer; ``whole`` takes it as it is, neither cut nor replaced by 无内容."""
    if not whole:
        prediction = prediction.replace("\n", "").replace("\t", "")
        prediction = prediction[: len(gold) + _MARGIN] or _NO_ANSWER
    return _prepared(prediction, simplify=True)


def _prepared(text: str, *, simplify: bool) -> str:
    """Without white space, carriage returns and tabs included, one character for each token."""
    bare = "".join(text.split())
    if simplify:
        pieces = _SURROGATES.split(bare)
        pieces[::2] = map(_converter().convert, pieces[::2])
        bare = "".join(pieces)
    return bare.replace(_MISSING, _MISSING_TOKEN)


@cache
def _converter() -> Any:
    import opencc  # noqa: PLC0415 - loads its dictionaries

    return opencc.OpenCC("t2s")

"""The three texts that are compared: the faulty sentence, the answer, the right sentence (3.1).

Sections are those of the LawBench specification.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

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
    return _tokens(_joined(source))


def gold_text(gold: str) -> str:
    """The right sentence."""
    return _tokens(_simplified(_joined(gold)))


def prediction_text(prediction: str, gold: str, *, whole: bool) -> str:
    """The answer; ``whole`` takes it as it is, neither cut nor replaced by 无内容."""
    if not whole:
        prediction = prediction.replace("\n", "").replace("\t", "")
        prediction = prediction[: len(gold) + _MARGIN] or _NO_ANSWER
    return _tokens(_simplified(_joined(prediction)))


def shown(text: str) -> str:
    """A piece of a prepared text as it was written."""
    return text.replace(_MISSING_TOKEN, _MISSING)


def _joined(text: str) -> str:
    """Without white space, carriage returns and tabs included."""
    return "".join(text.split())


def _tokens(text: str) -> str:
    """With one character for each token."""
    return text.replace(_MISSING, _MISSING_TOKEN)


def _simplified(text: str) -> str:
    pieces = _SURROGATES.split(text)
    pieces[::2] = map(_converter().convert, pieces[::2])
    return "".join(pieces)


@cache
def _converter() -> Any:
    import opencc  # noqa: PLC0415 - loads its dictionaries

    return opencc.OpenCC("t2s")

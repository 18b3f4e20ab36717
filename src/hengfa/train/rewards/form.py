"""`format`: whether a response has the form that was asked for, whatever it says in it.

The answer key names one or more forms: `task`, whose rules must be able to read an answer;
`wrapper`, two marks that stand once around something; `json`, the fields of an object of texts. The
score is the share of them that the response has. Form without content earns all of it: multiply
another reward by it, do not add it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from hengfa.base.data.jsonfile import decode_json, encode_json
from hengfa.base.errors import DataError
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.suites.base import AnswerStatus
from hengfa.evals.suites.kit.rules import Wrapper
from hengfa.train.rewards.shapes import Marked, as_response, unanswered
from hengfa.train.rewards.tasks import find_task, key_decoder

if TYPE_CHECKING:
    from hengfa.train.rewards.named import Mark, Rewarder


class FormKey(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The forms that are asked for; those that are empty are not."""

    task: str = ""
    wrapper: tuple[str, str] | None = None
    json: tuple[str, ...] = ()


def form_key(
    task: str = "", wrapper: tuple[str, str] | None = None, json: tuple[str, ...] = ()
) -> str:
    """The answer key of `format`."""
    return encode_json(FormKey(task, wrapper, json)).decode()


_decode_key = key_decoder(FormKey)


def form(rewarder: Rewarder) -> Mark:
    def mark(key: str, said: str | Response) -> Marked:
        known, response = _decode_key(key), as_response(said)
        if response.status is not Status.ANSWERED:
            return unanswered(response)
        has: dict[str, bool] = {}
        if known.task:
            rule_set = find_task(known.task).rule_set(rewarder.rules, rewarder.data)
            has["task"] = rule_set.read(response.text).status is AnswerStatus.EXTRACTED
        if known.wrapper is not None:
            once = all(response.text.count(sign) == 1 for sign in known.wrapper)
            has["wrapper"] = once and Wrapper(*known.wrapper).closed(response.text) is not None
        if known.json:
            has["json"] = _is_object(response.text, known.json)
        parts = {form: float(found) for form, found in has.items()}
        if not parts:
            raise DataError("names no form: task, wrapper or json", file="answer key")
        score = sum(parts.values()) / len(parts)
        status = AnswerStatus.EXTRACTED if score == 1.0 else AnswerStatus.MALFORMED
        return Marked(response.status, score, parts, str(status))

    return mark


def _is_object(text: str, fields: tuple[str, ...]) -> bool:
    try:
        value = decode_json(text)
    except msgspec.DecodeError:
        return False
    return isinstance(value, dict) and all(
        isinstance(value.get(field), str) and value[field].strip() for field in fields
    )

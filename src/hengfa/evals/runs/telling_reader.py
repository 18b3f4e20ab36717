"""A model as the second reader of what documents tell of the law (`hengfa cite check --reader`).

It is asked as any model is, with a journal below the user's home, so that nothing is paid for
twice. What it is given are texts of others: it is told to take them as texts, and what it says is
believed only as far as it quotes (:mod:`hengfa.law.library.citing.second_reader`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.jsonfile import json_decoder, read_toml
from hengfa.base.data.paths import disk_errors, home
from hengfa.base.options import say
from hengfa.evals.engine.budget import find_price
from hengfa.evals.engine.messages import Message, Model, Options, Request, Response, Status
from hengfa.evals.engine.session import Session, Sitting, run_to_end, sit
from hengfa.evals.engine.tokens import ASSUMED_ANSWER, Range, estimate_request
from hengfa.evals.runs.folder import entries_in, safe_name
from hengfa.evals.runs.models import (
    ENDPOINT_FORMS,
    HF,
    OUTSIDE,
    Connection,
    check_name,
    name_in_records,
    open_outside,
)
from hengfa.law.library.citing.second_reader import Answer, Opinion, Reader, ToRead


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    system: str
    question: str
    answers: dict[str, Answer]


_WORDS: Final = read_toml(Path(__file__).with_name("telling_reader.toml"), _Words)
_OPTIONS: Final = Options(temperature=0.0, max_new_tokens=600)
_LANES: Final = 16
_SHORTEST_REPLY: Final = 20
"""Tokens of the JSON object with two short quotations."""


class _Reply(msgspec.Struct):
    answer: str
    told: str = ""
    law: str = ""


_decode = json_decoder(_Reply)


class ModelReader:
    """Asks a model about each pair; what cannot be read is no opinion."""

    shows_words = True

    def __init__(self, name: str, model: Model) -> None:
        self.name, self._model = name, model

    def read(self, pairs: Sequence[ToRead]) -> list[Opinion | None]:
        opinions: dict[ToRead, Opinion | None] = {}

        async def ask(session: Session, pair: ToRead) -> None:
            opinions[pair] = opinion_of(await session.ask(request_of(pair)))

        journal = _journal_of(self.name)
        with disk_errors(journal):
            journal.parent.mkdir(parents=True, exist_ok=True)
        sitting = Sitting(lanes=_LANES)
        run_to_end(
            sit(self._model, journal, pairs, ask, total=len(pairs), sitting=sitting, notify=say)
        )
        return [opinions.get(pair) for pair in pairs]


def open_reader(name: str, base_url: str | None = None) -> Reader:
    """The reader that a person names as models are named for `hengfa eval`."""
    if folder := _classifier(name):
        from hengfa.evals.runs.telling_classifier import ClassifierReader  # noqa: PLC0415

        return ClassifierReader(folder)
    connection = Connection(base_url, lanes=_LANES, address_option="--reader-url")
    return ModelReader(name, open_outside(name, connection))


def estimate_reader(name: str, pairs: Collection[ToRead]) -> str:
    """What the reader of a name would take, for people; nothing is asked."""
    if _classifier(name):
        return "a classifier in this process: costs nothing"
    # Imported here: it brings all that grades.
    from hengfa.evals.runs.estimate import MODEL, Effort, Estimate, Expected  # noqa: PLC0415

    name, effort = name_in_records(name), Effort()
    journal, requests = _journal_of(name), [request_of(pair) for pair in pairs]
    held = entries_in(journal) if journal.exists() else {}
    for request in requests:
        if request.key not in held:
            answer = Range(_SHORTEST_REPLY, _OPTIONS.max_new_tokens or ASSUMED_ANSWER)
            effort = effort.plus(Effort(Range(1, 1), estimate_request(request), answer))
    known = len(requests) - effort.requests.low
    asked = Expected(
        MODEL, name, effort, len(requests), known, journal.parent, price=find_price(name)
    )
    return Estimate({"tellings": len(requests)}, [asked]).text()


def _classifier(name: str) -> Path | None:
    """The folder of a model that gives labels, if the name, which is checked, means one."""
    check_name(name, option="--reader", built_in=(), kinds=OUTSIDE, forms=ENDPOINT_FORMS)
    kind, _, rest = name.partition(":")
    if kind != HF:
        return None
    from hengfa.evals.runs.telling_classifier import is_classifier  # noqa: PLC0415

    return Path(rest) if is_classifier(Path(rest)) else None


def _journal_of(name: str) -> Path:
    return home() / "readers" / f"{safe_name(name)}.jsonl"


def request_of(pair: ToRead) -> Request:
    """The question about a pair; its key holds both texts, so that other texts are another one."""
    question = _WORDS.question.format(provision=pair.provision, telling=pair.telling)
    key = hashlib.blake2b(question.encode(), digest_size=12).hexdigest()
    messages = (Message("system", _WORDS.system), Message("user", question))
    return Request(f"telling/{key}", messages, _OPTIONS)


def opinion_of(response: Response) -> Opinion | None:
    """The opinion in a reply, which is one JSON object, whatever stands around it."""
    text = response.text
    start, end = text.find("{"), text.rfind("}") + 1
    if response.status is not Status.ANSWERED or start < 0:
        return None
    try:
        reply = _decode(text[start:end].encode())
    except msgspec.DecodeError:
        return None
    answer = _WORDS.answers.get(reply.answer.strip())
    return Opinion(answer, reply.told, reply.law) if answer else None

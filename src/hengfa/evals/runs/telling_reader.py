"""A model as the second reader of what documents tell of the law (`hengfa cite check --reader`).

It is asked as any model is, with a journal below the user's home, so that nothing is paid for
twice. What it is given are texts of others: it is told to take them as texts, and what it says is
believed only as far as it quotes (:mod:`hengfa.law.library.citing.second_reader`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.jsonfile import json_decoder, read_toml
from hengfa.base.data.paths import disk_errors, home
from hengfa.base.options import say
from hengfa.evals.engine.messages import Message, Model, Options, Request, Response, Status
from hengfa.evals.engine.session import Session, Sitting, run_to_end, sit
from hengfa.evals.runs.folder import safe_name
from hengfa.evals.runs.models import ENDPOINT_FORMS, OUTSIDE, Connection, check_name, open_outside
from hengfa.law.library.citing.second_reader import Answer, Opinion, Reader, ToRead


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    system: str
    question: str
    answers: dict[str, Answer]


_WORDS: Final = read_toml(Path(__file__).with_name("telling_reader.toml"), _Words)
_OPTIONS: Final = Options(temperature=0.0, max_new_tokens=600)
_LANES: Final = 16


class _Reply(msgspec.Struct):
    answer: str
    told: str = ""
    law: str = ""


_decode = json_decoder(_Reply)


class ModelReader:
    """Asks a model about each pair; what cannot be read is no opinion."""

    def __init__(self, name: str, model: Model) -> None:
        self.name, self._model = name, model

    def read(self, pairs: Sequence[ToRead]) -> list[Opinion | None]:
        opinions: dict[ToRead, Opinion | None] = {}

        async def ask(session: Session, pair: ToRead) -> None:
            opinions[pair] = opinion_of(await session.ask(request_of(pair)))

        journal = home() / "readers" / f"{safe_name(self.name)}.jsonl"
        with disk_errors(journal):
            journal.parent.mkdir(parents=True, exist_ok=True)
        sitting = Sitting(lanes=_LANES)
        run_to_end(
            sit(self._model, journal, pairs, ask, total=len(pairs), sitting=sitting, notify=say)
        )
        return [opinions.get(pair) for pair in pairs]


def open_reader(name: str, base_url: str | None = None) -> Reader:
    """The reader that a person names as models are named for `hengfa eval`."""
    check_name(name, option="--reader", built_in=(), kinds=OUTSIDE, forms=ENDPOINT_FORMS)
    connection = Connection(base_url, lanes=_LANES, address_option="--reader-url")
    return ModelReader(name, open_outside(name, connection))


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

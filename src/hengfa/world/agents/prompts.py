"""What our agents tell a model: the texts of `prompts.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.jsonfile import read_toml


class _Closing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    answer: str
    summary: str


class Method(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A prompt of a published method: how it begins, whether it tells the form of an action, and
    with what it ends; `form` is that of a plan."""

    rules: str
    examples: str
    form: str = ""
    acts: bool = False
    end: str = ""


class _Actions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    form: str
    cautions: str
    unreadable: str
    no_data: str
    bad_column: str


class _Tools(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What our own method tells a model; `finish`, `answer` and `summary` describe how it ends."""

    duties: str
    lists: str
    plan: str
    repeated: str
    doubtful: str
    remaining: str
    calls_as_text: str
    nudge: str
    dropped: str
    too_many: str
    finish_alone: str
    no_answer: str
    unreadable: str
    finish: str
    answer: str
    summary: str


class _Prompts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    closing: _Closing
    tables: Method
    actions: _Actions
    react: Method
    plan: Method
    solve: Method
    replan: Method
    tools: _Tools


PROMPTS: Final = read_toml(Path(__file__).with_name("prompts.toml"), _Prompts)

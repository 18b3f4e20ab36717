"""Facts about vendors: where they are, where their key lies, how they take many requests at once.

The facts are in `vendors.toml`; how a reply says what went wrong is in `signs.toml`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import msgspec

from hengfa.base.data.jsonfile import read_toml

SchemaMode = Literal["json_schema", "json_object"]


class Provider(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One OpenAI-compatible service.

    `key_variables` are tried in order. `throttling` are error codes that mean "too fast" here and
    "no money" elsewhere. `thinking_back`: a turn with tool calls goes back with its thinking, else
    HTTP 400 (DeepSeek's guide to its thinking mode, Kimi's to thinking models; GLM's advises it).
    Cerebras, Groq and Mistral refuse the field.
    """

    title: str
    base_url: str
    key_variables: tuple[str, ...] = ()
    length_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    schema_mode: SchemaMode = "json_schema"
    throttling: frozenset[str] = frozenset()
    thinking_back: bool = False


class BatchForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a service takes many requests at once, for later and for less.

    A file of lines is uploaded, of which a batch is made; `url` is what both name as the place of
    the questions. `window` is how long it may take, where that must be said. `share` is what is
    paid of the ordinary price; 1 where the vendor's documentation, as far as we saw it, names none.
    Kimi names no number of lines; it is taken to be that of the others. Of two limits that a vendor
    gave at different times the smaller one is here. Where there is a path `held` there are no
    files: a question is put there, and the connection held until it is answered.
    """

    source: str
    lines: int = 50_000
    file_bytes: int = 100_000_000
    url: str = "/v1/chat/completions"
    window: str = "24h"
    share: float = 1.0
    held: str = ""


class _Vendors(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    own_fields: frozenset[str]
    providers: dict[str, Provider]
    batches: dict[str, BatchForm]
    completion_batches: dict[str, str]


_VENDORS: Final = read_toml(Path(__file__).with_suffix(".toml"), _Vendors)
PROVIDERS: Final = _VENDORS.providers
BATCHES: Final = _VENDORS.batches
COMPLETION_BATCHES: Final = _VENDORS.completion_batches
OWN_FIELDS: Final = _VENDORS.own_fields

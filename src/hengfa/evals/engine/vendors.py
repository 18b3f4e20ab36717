"""Facts about vendors, and the keys and addresses that a user has for them.

The facts are in `vendors.toml`: where they are, where their key lies, how they take many requests
at once. How a reply says what went wrong is in `signs.toml`. Keys and addresses come from the
command line, from the environment, or from a file that nobody else may read:

# config.toml in the Hengfa home (~/.hengfa), mode 600
[providers.deepseek]
api_key = "sk-…"
base_url = "https://gateway.example/v1"
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from hengfa.base.data.jsonfile import read_toml
from hengfa.base.data.paths import home, regular
from hengfa.base.errors import UsageError
from hengfa.base.secrets import Secret, checked_key, read_key, show_address


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
    schema_mode: Literal["json_schema", "json_object"] = "json_schema"
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


# --- keys: what a user has set ---


class ProviderConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a user may set for a provider."""

    api_key: str | None = None
    base_url: str | None = None

    def __repr__(self) -> str:
        return "ProviderConfig(***)"

    def holds_secrets(self) -> bool:
        """Whether others must not read it."""
        address = (self.base_url or "").rstrip("/")
        return bool(self.api_key) or show_address(address) != address


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole configuration file."""

    providers: dict[str, ProviderConfig] = {}


def config_file() -> Path:
    return home() / "config.toml"


def read_config() -> Config:
    """The user's configuration; a file with keys that others can read is refused."""
    file = config_file()
    if not file.is_file():
        return Config()
    config = read_toml(file, Config)
    has_keys = any(provider.holds_secrets() for provider in config.providers.values())
    if has_keys and file.stat().st_mode & 0o077:
        raise UsageError(f"{file} holds keys and others can read it: chmod 600 {file}")
    return config


def find_key(provider: str, config: Config) -> Secret | None:
    """The provider's key: its own variables, then the file. No key ever serves two providers."""
    for variable in PROVIDERS[provider].key_variables:
        if (key := read_key(variable)) is not None:
            return key
    own = config.providers.get(provider)
    if own is None or not own.api_key:
        return None
    return checked_key(own.api_key, f"{config_file()}, providers.{provider}.api_key")


# --- addresses: what a user names ---


def read_addresses(
    given: str | Sequence[str] | None, option: str = "--base-url"
) -> tuple[str, ...]:
    """Addresses, each once; `@FILE` stands for those in a file, one a line, `#` begins a remark.

    `option` is where they were given, for errors.
    """
    named = (given,) if isinstance(given, str) else tuple(given or ())
    return tuple(
        dict.fromkeys(address for name in named for address in _addresses(name, option) if address)
    )


def _addresses(name: str, option: str) -> Iterator[str]:
    if not name.startswith("@"):
        yield name
        return
    file = Path(name[1:])
    try:
        lines = regular(file).read_text("utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"{option} {name}: cannot read {file}: {reason}") from None
    addresses = [(number, line.strip()) for number, line in enumerate(lines, start=1)]
    addresses = [(number, line) for number, line in addresses if line and line[0] != "#"]
    for number, line in addresses:
        if not line.startswith(("http://", "https://")) or len(line.split()) > 1:
            # What stands there may hold a password in a shape that nobody can hide.
            raise UsageError(
                f"{file}, line {number}: not an address, which begins with http:// or https:// "
                "and has no blanks"
            )
        yield line
    if not addresses:
        raise UsageError(f"{option} {name}: there is no address in {file}")

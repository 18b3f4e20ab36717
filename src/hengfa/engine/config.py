"""Keys and addresses: from the environment, or from a file that nobody else may read.

# config.toml in the Hengfa home (~/.hengfa), mode 600
[providers.deepseek]
api_key = "sk-…"
base_url = "https://gateway.example/v1"
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import msgspec

from hengfa.data.paths import home
from hengfa.engine.vendors import PROVIDERS
from hengfa.errors import DataError, UsageError

_SHORTEST_SECRET = 4  # "none" and "x" are no secrets


class Secret:
    """A key that does not show itself: not in logs, not in tracebacks, not by accident."""

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Secret(***)"

    def header(self) -> str:
        return f"Bearer {self._value}"

    def hide(self, text: str) -> str:
        """`text` without the key, for servers that repeat it in their error messages.

        Messages are cut to a bounded length: a beginning of the key at their end is hidden too.
        """
        if len(self._value) < _SHORTEST_SECRET:
            return text
        text = text.replace(self._value, "***")
        shown = text.rstrip("…'\"")
        for length in range(min(len(self._value), len(shown)), _SHORTEST_SECRET - 1, -1):
            if shown.endswith(self._value[:length]):
                return shown[:-length] + "***"
        return text


class ProviderConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a user may set for a provider."""

    api_key: str | None = None
    base_url: str | None = None


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
    try:
        config = msgspec.convert(tomllib.loads(file.read_text("utf-8")), Config)
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise DataError(f"not a configuration: {error}", file=file) from None
    has_keys = any(provider.api_key for provider in config.providers.values())
    if has_keys and file.stat().st_mode & 0o077:
        raise UsageError(f"{file} holds keys and others can read it: chmod 600 {file}")
    return config


def find_key(provider: str, config: Config) -> Secret | None:
    """The provider's key: its own variables, then the file. No key ever serves two providers."""
    for variable in PROVIDERS[provider].key_variables:
        if value := os.environ.get(variable, "").strip():
            return Secret(value)
    own = config.providers.get(provider)
    return Secret(own.api_key.strip()) if own and own.api_key else None

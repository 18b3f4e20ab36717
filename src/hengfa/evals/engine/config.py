"""Keys and addresses: from the environment, or from a file that nobody else may read.

# config.toml in the Hengfa home (~/.hengfa), mode 600
[providers.deepseek]
api_key = "sk-…"
base_url = "https://gateway.example/v1"
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from hengfa.base.data.jsonfile import read_toml
from hengfa.base.data.paths import home
from hengfa.base.errors import UsageError
from hengfa.base.secrets import Secret, checked_key, read_key, show_address
from hengfa.evals.engine.vendors import PROVIDERS


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

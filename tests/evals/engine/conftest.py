"""The machine's own proxies and keys play no part in the engine's tests, nor do long pauses."""

from __future__ import annotations

import os

import pytest

from hengfa.evals.engine import pacing
from hengfa.evals.engine.vendors import PROVIDERS

OUTSIDE = {
    "NETRC",
    *(name for provider in PROVIDERS.values() for name in provider.key_variables),
}


@pytest.fixture(autouse=True)
def nothing_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name in OUTSIDE or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def no_pauses_between_complaints(monkeypatch: pytest.MonkeyPatch) -> None:
    """They last seconds; `virtual_time` puts them back where they are the subject."""
    monkeypatch.setattr(pacing, "_PAUSES", (0.0,))

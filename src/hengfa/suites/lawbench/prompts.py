"""Sample to messages (LawBench spec 0): one user turn, as upstream's data defines it."""

from __future__ import annotations

from hengfa.engine.messages import Message
from hengfa.suites.lawbench.dataset import LawBenchSample


def prompt(sample: LawBenchSample) -> tuple[Message, ...]:
    return (Message("user", sample.prompt),)

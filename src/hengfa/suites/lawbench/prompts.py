"""Sample to messages (LawBench spec 0): instruction, one newline, question; always."""

from __future__ import annotations

from hengfa.engine.messages import Message
from hengfa.suites.lawbench.dataset import LawBenchSample


def prompt(sample: LawBenchSample) -> tuple[Message, ...]:
    """One user turn. The newline stays even where the instruction already ends in one."""
    return (Message("user", f"{sample.instruction}\n{sample.question}"),)

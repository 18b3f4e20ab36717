"""Sample to messages: the bare question, as it stands before any agent adds its tools."""

from __future__ import annotations

from hengfa.engine.messages import Message
from hengfa.suites.legalagentbench.dataset import AgentSample


def question(sample: AgentSample) -> tuple[Message, ...]:
    """What a model without tools is asked; agents build their own prompts around it."""
    return (Message("user", sample.question),)

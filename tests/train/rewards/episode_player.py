"""A policy that replies by rote to a small task; as a program, until somebody kills it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.world.tiny_world import COURT, FIRM

from hengfa.train.rewards.agent import agent_key
from hengfa.train.rewards.episodes import Environment, Episode, Turn, world_tools
from hengfa.world.suites.legalagentbench.dataset import AgentSample

QUESTION = "法院代字云0101是哪家法院？"
LOOK = ("get_court_code", {"identifier": "云0101", "columns": ["法院名称"]})
READ = ("legal_article_retriever", {"identifier": "守塔人", "k": 1})
FIRM_LOOK = ("get_lawfirm_info", {"identifier": FIRM})
PATH = (LOOK[0],)
TASK = AgentSample("7", "1-hop", 1, QUESTION, COURT, (COURT,), (), "", PATH)
WEIGHTS = {"success": 1.0, "process": 1.0, "good_calls": 1.0}
ROW = {
    "id": "7",
    "prompt": [{"role": "user", "content": QUESTION}],
    "answer_key": agent_key(TASK, WEIGHTS),
    "reward": "agent",
    "split": "train",
}


def called(*calls: tuple[str, Any], text: str = "") -> dict[str, Any]:
    """A message of a chat with calls."""
    made = [
        {"id": f"call_{place}", "type": "function", "function": {"name": name, "arguments": given}}
        for place, (name, given) in enumerate(
            (name, json.dumps(given, ensure_ascii=False)) for name, given in calls
        )
    ]
    return {"role": "assistant", "content": text, "tool_calls": made}


def finished(answer: str) -> dict[str, Any]:
    return called(("finish", {"answer": answer, "summary": "同上"}))


ROTE: Mapping[str, Any] = {
    "plan": "先查法院代字，再看法条。",
    "turn-1": called(LOOK, READ),
    "turn-2": called(LOOK),  # again: it is refused
    "turn-3": called(FIRM_LOOK),
    "turn-4": finished(f"是{COURT}。"),
    "close-answer": "短答",
    "close-summary": "长答",
}


def rote(turn: Turn) -> Any:
    assert turn.request is not None
    return ROTE[turn.request.key.rpartition("#")[2]]


def environment(world: Path, record: Path | None = None, **more: Any) -> Environment:
    return Environment(world_tools(world), record=record, **more)


def episode_of(world: Path, record: Path | None = None, number: int = 0, **more: Any) -> Episode:
    return environment(world, record, **more).episode(ROW, number)


def to_the_end(episode: Episode) -> Turn:
    turn = episode.reset()
    while not turn.done:
        turn = episode.step(rote(turn))
    return turn


def main(world: str, record: str) -> None:
    """Play one episode after the other, and say so."""
    for number in range(10_000):
        episode = episode_of(Path(world), Path(record), number)
        turn = episode.reset()
        while not turn.done:
            turn = episode.step(rote(turn))
            sys.stdout.write(f"{episode.key}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A journal as a model: the old answers, and never a guess."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hengfa.base.errors import UsageError
from hengfa.evals.engine.journal import Replay
from hengfa.evals.engine.messages import Options, Request, Response, Status

from .asking import answer, endpoint, question, questions, sit
from .server import LocalServer


@pytest.fixture
def earlier(tmp_path: Path) -> tuple[Path, dict[str, Response]]:
    folder = tmp_path / "earlier"
    folder.mkdir()

    async def run() -> dict[str, Response]:
        async with LocalServer(answer) as server:
            return await sit(endpoint(server.url), folder, questions(5))

    return folder, asyncio.run(run())


def test_a_replay_answers_as_before_and_asks_nobody(
    earlier: tuple[Path, dict[str, Response]], tmp_path: Path
) -> None:
    folder, before = earlier
    again = asyncio.run(sit(Replay(folder), tmp_path, questions(5)))
    assert {key: response.text for key, response in again.items()} == {
        key: response.text for key, response in before.items()
    }


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (question(9), "no answer"),
        (question(1, text="别的问题"), "another prompt"),
        (question(1, Options(temperature=1.0)), "another prompt"),
    ],
)
def test_a_replay_does_not_guess(
    asked: Request, reason: str, earlier: tuple[Path, dict[str, Response]]
) -> None:
    folder, _ = earlier
    response = asyncio.run(Replay(folder).generate(asked))
    assert response.status is Status.FAILED
    assert reason in response.reason


def test_a_replay_of_nothing_is_a_wrong_call(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no journal"):
        Replay(tmp_path)

"""Chats of agents in a trainer's own loop, read as what an agent hands in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.train.rewards.episode_player import FIRM_LOOK, LOOK, ROW, TASK, called, finished
from tests.train.rewards.test_episodes import anything
from tests.world.tiny_world import COURT, opened

from hengfa.evals.engine.messages import Status
from hengfa.train.rewards import rewarder
from hengfa.train.rewards.agent import agent_key
from hengfa.train.rewards.chats import chat_response
from hengfa.train.rewards.trl import RewardFunction
from hengfa.world.agents.trajectory import read_reply
from hengfa.world.tables.world import World
from hengfa.world.tools.catalogue import Mode
from hengfa.world.tools.observation import Status as Seen
from hengfa.world.tools.toolbox import Toolbox


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return opened(tmp_path_factory.mktemp("tiny"))


def result(world: World, mode: Mode, call: tuple[str, Any], id_: str = "") -> dict[str, Any]:
    seen = Toolbox(world, mode).call(*call)
    message = {"role": "tool", "content": seen.text}
    return {**message, "tool_call_id": id_} if id_ else message


def earned(*messages: dict[str, Any]) -> float | None:
    return rewarder("agent")(str(ROW["answer_key"]), chat_response(messages)).value


@pytest.mark.parametrize("mode", ["strict", "helpful"])
def test_calls_count_with_their_results(world: World, mode: Mode) -> None:
    nothing = (LOOK[0], {"identifier": "云9999"})
    column = (LOOK[0], {"identifier": "云0101", "columns": ["甲"]})
    chat = [
        {"role": "system", "content": "……"},
        called(FIRM_LOOK, nothing),
        result(world, mode, nothing, "call_1"),
        result(world, mode, FIRM_LOOK, "call_0"),
        called(LOOK, column),
        result(world, mode, LOOK),  # without an id: in the order of the calls
        result(world, mode, column),
        {"role": "assistant", "content": f"是{COURT}。"},
    ]
    reply = read_reply(chat_response(chat).text)
    assert reply is not None and reply.answer == reply.summary == f"是{COURT}。"
    assert [(step.tool, step.status) for step in reply.steps or ()] == [
        (LOOK[0], Seen.NO_DATA),
        (FIRM_LOOK[0], Seen.OK),
        (LOOK[0], Seen.OK),
        (LOOK[0], Seen.BAD_COLUMN),
    ]
    assert earned(called(LOOK), result(world, mode, LOOK), finished(COURT)) == 1.0
    assert earned({"role": "assistant", "content": COURT}) == pytest.approx(2 / 3)  # no calls


def test_trl_hands_over_the_calls_of_an_agent(world: World) -> None:
    key = agent_key(TASK, {"good_calls": 1.0})
    chat = [called(LOOK), result(world, "helpful", LOOK), finished(COURT)]
    told = [{"role": "assistant", "content": COURT}]
    values = RewardFunction()([chat, told], answer_key=[key, key], reward=["agent", "agent"])
    assert values == [1.0, 0.0]


def test_who_says_nothing_has_given_no_answer(world: World) -> None:
    look = [called(LOOK), result(world, "helpful", LOOK)]
    for chat in ([], look, [*look, {"role": "assistant", "content": None}]):
        response = chat_response(chat)
        assert response.status is Status.EMPTY and response.reason
        assert earned(*chat) is None


def test_a_call_that_nobody_made_is_on_no_record() -> None:
    told = {"role": "assistant", "content": '```json\n{"action": "get_court_code"}\n```'}
    reply = read_reply(chat_response([told, {"role": "tool", "content": COURT}]).text)
    assert reply is not None and not reply.steps


roles = st.sampled_from(["system", "user", "assistant", "tool", "别的"])
messages = st.fixed_dictionaries(
    {},
    optional={
        "role": roles,
        "content": anything,
        "tool_calls": anything | st.just(called(LOOK)["tool_calls"]),
        "tool_call_id": anything,
    },
)


@given(st.lists(messages, max_size=6))
def test_whatever_a_chat_is_it_is_read(chat: list[dict[str, Any]]) -> None:
    assert read_reply(chat_response(chat).text) is not None

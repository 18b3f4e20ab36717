"""Episodes: the loop of the evaluation turn by turn, its limits, its record, what it earns."""

from __future__ import annotations

import asyncio
import os
import pickle
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import REPOSITORY
from tests.evals.engine.processes import environment as surroundings
from tests.train.rewards.episode_player import (
    LOOK,
    QUESTION,
    READ,
    ROTE,
    ROW,
    TASK,
    called,
    episode_of,
    finished,
    rote,
    to_the_end,
)
from tests.world.agents.scripted import Script, action, booth, run
from tests.world.tiny_world import COURT, write

from hengfa.base.errors import DataError, JournalError, RunLocked, UsageError
from hengfa.evals.engine.journal import read_entries
from hengfa.evals.engine.messages import Response, Status, Usage
from hengfa.train.rewards.episodes import Environment, Episode, Turn, Why, play, world_tools
from hengfa.train.rewards.form import form_key
from hengfa.train.rewards.named import Rewarder
from hengfa.train.rewards.shapes import Silence
from hengfa.train.rewards.tasks import answer_key
from hengfa.world.agents.booth import Limits
from hengfa.world.agents.native import IDLE_TURNS, Protocol, work_with_tools
from hengfa.world.agents.prompts import PROMPTS
from hengfa.world.agents.trajectory import SILENCE, read_reply
from hengfa.world.tables.world import World


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("tiny") / "world.sqlite")


def step_of(turn: Turn) -> str:
    return turn.request.key.rpartition("#")[2] if turn.request else ""


def replies(episode: Episode) -> list[str]:
    return [request.key.rpartition("#")[2] for request, _ in episode.asked]


# --- turn by turn ---


def test_an_episode_is_asked_for_a_plan_then_for_calls_and_told_what_they_gave(world: Path) -> None:
    episode = episode_of(world)
    turn = episode.reset()
    assert step_of(turn) == "plan" and not turn.tools and not turn.continues
    assert [message["role"] for message in turn.messages] == ["system", "user"]
    assert QUESTION in turn.messages[-1]["content"]
    turn = episode.step(ROTE["plan"])
    assert not turn.continues and ROTE["plan"] in turn.messages[-1]["content"]
    offered = {tool["function"]["name"] for tool in turn.tools}
    assert {LOOK[0], READ[0], "finish"} <= offered
    turn = episode.step(called(LOOK, READ, text="查一下"))
    assert turn.continues
    assert [(new["role"], new["tool_call_id"]) for new in turn.observations] == [
        ("tool", "call_0"),
        ("tool", "call_1"),
    ]
    assert COURT in turn.observations[0]["content"]
    assert "守塔人不得离岗" in turn.observations[1]["content"]
    assert turn.messages[-3]["tool_calls"][0]["function"]["name"] == LOOK[0]
    turn = episode.step(finished(f"是{COURT}。"))
    assert turn.done and turn.why is Why.ANSWERED
    assert not turn.messages and not turn.tools
    assert episode.reward().value == 1.0
    with pytest.raises(UsageError, match="7@0 is over"):
        episode.step("再说")


def test_calls_may_stand_in_the_text(world: Path) -> None:
    episode = episode_of(world, functions=False)
    episode.reset()
    turn = episode.step("计划")
    assert not turn.tools and LOOK[0] in turn.messages[0]["content"]
    turn = episode.step(action(*LOOK))
    assert [new["role"] for new in turn.observations] == ["user"]
    assert COURT in turn.observations[0]["content"]
    assert episode.step(action("finish", {"answer": COURT, "summary": "同上"})).done
    assert episode.reward().value == 1.0


def test_one_conversation_without_plan_and_closing_texts(world: Path) -> None:
    episode = episode_of(world, single=True, limits=Limits(steps=2))
    turn = episode.reset()
    assert step_of(turn) == "turn-1" and turn.messages[-1]["content"] == f"问题：{QUESTION}"
    talk = [*turn.messages]
    while not turn.done:
        reply = called((LOOK[0], {"identifier": f"云{len(talk)}"}))
        talk.append(reply)
        turn = episode.step(reply)
        assert turn.done or turn.continues
        talk += turn.observations
        if turn.request is not None:
            assert turn.messages == talk
    assert turn.why is Why.STEPS and replies(episode) == ["turn-1", "turn-2"]
    assert read_reply(episode.response.text).answer == SILENCE  # type: ignore[union-attr]
    assert episode.reward().parts["success"] == 0.0


def test_in_one_conversation_a_text_said_twice_is_the_answer(world: Path) -> None:
    episode = episode_of(world, single=True)
    episode.reset()
    episode.step(called(LOOK))
    turn = episode.step(f"是{COURT}。")
    assert not turn.done and turn.observations[0]["role"] == "user"
    assert episode.step(f"就是{COURT}。").why is Why.ANSWERED
    assert episode.reward().value == 1.0


# --- why it ends ---


def again(_turn: Turn) -> Any:
    return called(LOOK)


def other(turn: Turn) -> Any:
    if "turn" not in step_of(turn):
        return ROTE[step_of(turn)]
    return called((LOOK[0], {"identifier": step_of(turn)}))


def spent(turn: Turn) -> Any:
    """Each reply took fifty tokens and ten seconds."""
    return Response(Status.ANSWERED, text="想", usage=Usage(40, 10), seconds=10.0)


@pytest.mark.parametrize(
    ("policy", "limits", "why", "asked"),
    [
        (rote, Limits(), Why.ANSWERED, 5),
        (other, Limits(steps=3), Why.STEPS, 6),
        (again, Limits(), Why.LOOP, 1 + 1 + IDLE_TURNS + 2),
        (spent, Limits(tokens=50), Why.TOKENS, 3),
        (spent, Limits(tokens=51), Why.TOKENS, 4),
        (spent, Limits(seconds=10), Why.TIME, 3),
        (spent, Limits(seconds=10, tokens=100), Why.TIME, 3),
        (spent, Limits(), Why.ANSWERED, 5),
    ],
)
def test_why_an_episode_ends(
    world: Path, policy: Callable[[Turn], Any], limits: Limits, why: Why, asked: int
) -> None:
    episode = episode_of(world, limits=limits)
    turn = episode.reset()
    while not turn.done:
        turn = episode.step(policy(turn))
    assert (turn.why, len(episode.asked)) == (why, asked)
    closing = ["close-answer", "close-summary"]
    assert (replies(episode)[-2:] == closing) == (policy is not rote)


def test_in_one_conversation_limits_are_told_apart_too(world: Path) -> None:
    for limits, why in ((Limits(tokens=50), Why.TOKENS), (Limits(seconds=10), Why.TIME)):
        episode = episode_of(world, limits=limits, single=True)
        assert episode.step(spent(episode.reset())).why is why


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (Response(Status.TRUNCATED, text="长", reason="finish_reason 'length'"), "truncated"),
        ({"choices": [{"message": {"content": "长"}, "finish_reason": "length"}]}, "truncated"),
        (Response(Status.FAILED, reason="HTTP 500"), "failed"),
        ({"choices": []}, "failed"),
        ("<think>想", "truncated"),
        ("", "empty"),
    ],
)
def test_what_is_no_answer_has_no_value(world: Path, reply: Any, status: str) -> None:
    episode = episode_of(world)
    episode.reset()
    turn = episode.step(reply)
    assert turn.done and turn.why is Why.FAILED
    earned = episode.reward()
    assert earned.value is None and earned.status == status


def test_a_policy_s_own_silence_may_count(world: Path) -> None:
    episode = episode_of(world, rewarder=Rewarder("agent", silence=Silence.SCORE))
    episode.reset()
    episode.step("<think>想")
    assert episode.reward().value == 0.0


def test_a_conversation_that_is_too_long_is_shortened_and_asked_again(world: Path) -> None:
    episode = episode_of(world)
    full = Response(Status.TRUNCATED, reason="context_window")
    episode.reset()
    episode.step("计划")
    episode.step(called(LOOK, READ))
    turn = episode.step(full)
    assert step_of(turn) == "turn-2-short-1" and not turn.continues
    assert turn.messages[-2]["content"] == PROMPTS.tools.dropped
    while not turn.done:
        turn = episode.step(full)
    assert turn.why is Why.CONTEXT
    assert episode.reward().parts["success"] == 0.0


# --- the same as an evaluation ---


def test_step_by_step_and_played_it_is_the_loop_of_the_evaluation(world: Path) -> None:
    by_hand = episode_of(world)
    to_the_end(by_hand)
    said = {request.key.rpartition("#")[2]: response for request, response in by_hand.asked}
    script = Script(**said)
    with World.open(world) as opened:
        work = work_with_tools(booth(script, opened, "helpful"), QUESTION, Protocol())
        evaluated = run(work)
    assert by_hand.response == evaluated
    assert [request.prompt_hash() for request, _ in by_hand.asked] == [
        request.prompt_hash() for request in script.asked
    ]
    played = episode_of(world)
    assert asyncio.run(play(played, Script(**said))) == by_hand.reward()
    assert played.response == evaluated


# --- what it earns ---


def test_other_rewards_see_the_answer_alone_and_form_multiplies(world: Path) -> None:
    key = form_key(wrapper=("【", "】"))
    row = {**ROW, "reward": "format", "answer_key": key}
    for answer, value in ((f"【{COURT}】", 1.0), (COURT, 0.0)):
        for own in (row, {**ROW, "format_key": key}):
            episode = Environment(world_tools(world)).episode(own)
            episode.reset()
            episode.step("计划")
            episode.step(called(LOOK))
            episode.step(finished(answer))
            assert episode.reward().value == value
    assert episode.reward().parts["success"] == 1.0


def test_the_score_of_an_agent_s_task_is_a_reward_too(world: Path) -> None:
    name = "legalagentbench/1-hop"
    row = {**ROW, "id": f"{name}/7", "answer_key": answer_key(name, TASK), "reward": name}
    episode = Environment(world_tools(world)).episode(row)
    to_the_end(episode)
    earned = episode.reward()
    assert earned.value == earned.parts["success"] == 1.0
    assert earned.parts["repeats"] == 1.0


def test_a_reward_before_the_end_and_a_row_that_is_none(world: Path) -> None:
    episode = episode_of(world)
    with pytest.raises(UsageError, match="7@0 is over, or was not begun"):
        episode.step("早")
    episode.reset()
    with pytest.raises(UsageError, match="7@0 is not over yet"):
        episode.reward()
    with pytest.raises(DataError, match="missing required field `answer_key`"):
        Environment(world_tools(world)).episode({"id": "7", "prompt": []})


# --- the record ---


def test_from_wherever_it_was_left_an_episode_goes_on_to_the_same_end(
    world: Path, tmp_path: Path
) -> None:
    whole = episode_of(world)
    to_the_end(whole)
    for left in range(len(whole.asked) + 1):
        first = episode_of(world, tmp_path, left)
        turn = first.reset()
        for _ in range(left):
            turn = first.step(rote(turn))
        resumed = episode_of(world, tmp_path, left)
        again = resumed.reset()
        assert len(resumed.asked) == left
        assert again.request == turn.request and again.why == turn.why
        while not again.done:
            again = resumed.step(rote(again))
        assert resumed.response == whole.response and resumed.reward() == whole.reward()
        assert len(list(read_entries(next(tmp_path.glob(f"7@{left}.jsonl"))))) == 5


def test_limits_count_what_was_before(world: Path, tmp_path: Path) -> None:
    limits = Limits(seconds=15)
    first = episode_of(world, tmp_path, limits=limits)
    first.step(spent(first.reset()))
    resumed = episode_of(world, tmp_path, limits=limits)
    assert step_of(resumed.reset()) == "turn-1"
    assert step_of(resumed.step(spent(Turn(None)))) == "close-answer"


def test_what_failed_is_asked_again_and_a_torn_line_too(world: Path, tmp_path: Path) -> None:
    episode = episode_of(world, tmp_path)
    episode.reset()
    episode.step("计划")
    assert episode.step(Response(Status.FAILED, reason="HTTP 503")).why is Why.FAILED
    assert step_of(episode.reset()) == "turn-1"
    episode.step(called(LOOK))
    file = tmp_path / "7@0.jsonl"
    file.write_bytes(file.read_bytes()[:-9])
    assert step_of(episode.reset()) == "turn-1"
    episode.step(called(LOOK))
    assert episode.step(finished(COURT)).why is Why.ANSWERED
    assert episode_of(world, tmp_path).reset().why is Why.ANSWERED


def test_a_record_of_another_task_or_another_process_is_refused(
    world: Path, tmp_path: Path
) -> None:
    first, second = episode_of(world, tmp_path), episode_of(world, tmp_path)
    turn = first.reset()
    second.reset()
    first.step(rote(turn))
    with pytest.raises(RunLocked, match="another process has answered 7@0#plan meanwhile"):
        second.step(rote(turn))
    other_task = {**ROW, "prompt": [{"role": "user", "content": "另一个问题"}]}
    with pytest.raises(JournalError, match="7@0#plan was put differently"):
        Environment(world_tools(world), record=tmp_path).episode(other_task).reset()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill -9")
def test_after_kill_9_every_episode_goes_on_to_the_same_end(world: Path, tmp_path: Path) -> None:
    whole = episode_of(world)
    to_the_end(whole)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.train.rewards.episode_player", str(world), str(tmp_path)],
        cwd=REPOSITORY,
        env=surroundings(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    seen = [process.stdout.readline().strip() for _ in range(random.randrange(7, 30))]
    os.kill(process.pid, signal.SIGKILL)
    seen += process.stdout.read().split()
    process.stdout.close()
    assert process.wait() == -signal.SIGKILL
    assert all(seen), seen
    begun = len(list(tmp_path.glob("*.jsonl")))
    for number in range(begun):
        resumed = episode_of(world, tmp_path, number)
        turn = resumed.reset()
        told = seen.count(resumed.key)
        assert told <= len(resumed.asked) <= told + 1, "what was replied is on record"
        assert number == begun - 1 or turn.done
        while not turn.done:
            turn = resumed.step(rote(turn))
        assert resumed.response == whole.response and resumed.reward() == whole.reward()
        assert replies(resumed) == replies(whole)


# --- many at once, and whatever a model says ---


def _earned(environment: Environment) -> float | None:
    episode = environment.episode(ROW)
    to_the_end(episode)
    return episode.reward().value


def test_episodes_are_independent_in_threads_and_environments_travel(world: Path) -> None:
    environment = pickle.loads(pickle.dumps(Environment(world_tools(world))))
    expected = _earned(environment)
    assert expected is not None
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(_earned, [environment] * 12)) == [expected] * 12


anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner),
    max_leaves=8,
)
messages = st.fixed_dictionaries(
    {}, optional={"content": anything, "tool_calls": anything, "choices": anything}
)
called_with = st.builds(
    lambda name, text: called((name, text)), st.sampled_from([LOOK[0], "finish", "无"]), anything
)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60
)
@given(said=st.lists(st.text(st.characters()) | messages | called_with, min_size=1, max_size=6))
def test_whatever_is_replied_the_episode_ends_the_same_way_twice(
    world: Path, said: list[Any]
) -> None:
    ends = []
    for _ in range(2):
        episode = episode_of(world, limits=Limits(steps=4), single=True)
        turn = episode.reset()
        for number in range(20):
            if turn.done:
                break
            turn = episode.step(said[number % len(said)])
        assert turn.done
        ends.append((turn.why, episode.response, episode.reward()))
    assert ends[0] == ends[1]

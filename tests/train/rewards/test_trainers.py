"""Rewards where trainers call them: by the documented signatures, and by the packages themselves
where they are installed (each has pins of its own, so mostly in an environment of its own)."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from aiohttp import web
from tests.conftest import REPOSITORY
from tests.evals.engine.server import LocalServer, Seen, in_thread

from hengfa.base.errors import DataError, UsageError
from hengfa.evals.suites.plan import data_folder
from hengfa.evals.suites.registry import get_suite
from hengfa.train.rewards import answer_key, rewarder
from hengfa.train.rewards.named import references, row_rewards
from hengfa.train.rewards.shapes import Shape
from hengfa.train.rewards.trl import RewardFunction
from hengfa.train.rewards.verl import compute_score, compute_scores, verl_rows

CHOICE, RECITED = "lawbench/1-2", "claw/content"
Row = dict[str, Any]


def needs(package: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(find_spec(package) is None, reason=f"{package} is not installed")


def rows_of(name: str, setting: str) -> list[Row]:
    """The sample pack's questions as rows of a trainer, the first of them held out."""
    suite, _, task_id = name.partition("/")
    task = get_suite(suite).tasks[task_id]
    samples = task.samples(
        data_folder(get_suite(suite), "sample"), setting, get_suite(suite).choose({})
    )
    return [
        {
            "id": f"{name}/{sample.id}",
            "prompt": [
                {"role": m.role, "content": m.content} for m in task.prompt(sample, setting)
            ],
            "answer_key": answer_key(task, sample),
            "reward": name,
            "split": "train" if number else "held_out",
        }
        for number, sample in enumerate(samples)
    ]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return [*rows_of(CHOICE, "zero_shot")[:2], *rows_of(RECITED, "all")[:2]]


def column(rows: list[Row], name: str) -> list[Any]:
    return [row[name] for row in rows]


def right(row: Row) -> str:
    return references([row["reward"]], [row["answer_key"]])[0]


# --- rows ---


def test_rows_of_several_rewards_keep_their_order(rows: list[Row]) -> None:
    mixed = [rows[2], rows[0], rows[3], rows[1]]
    said = [right(mixed[0]), "", "完全不同的话", right(mixed[3])]
    earned = row_rewards(column(mixed, "reward"), column(mixed, "answer_key"), said)
    alone = [
        rewarder(row["reward"])(row["answer_key"], text)
        for row, text in zip(mixed, said, strict=True)
    ]
    assert earned == alone
    assert [one.value for one in earned][::3] == [1.0, 1.0]
    assert earned[1].value is None
    with pytest.raises(UsageError, match="no task 'claw/none'"):
        row_rewards(["claw/none"], ["{}"], ["x"])
    with pytest.raises(DataError, match="answer key"):
        row_rewards([RECITED], ["{}"], ["x"])


# --- TRL ---


def called_as_trl_does(
    function: RewardFunction,
    rows: list[Row],
    texts: list[str],
    ids: list[list[int]] | None = None,
    logged: Callable[[str, float], None] | None = None,
) -> list[float | None]:
    """`_calculate_rewards` of trl 1.16: everything by keyword, every column of the rows."""
    return function(
        prompts=column(rows, "prompt"),
        completions=[[{"role": "assistant", "content": text}] for text in texts],
        completion_ids=ids or [[1, 2]] * len(texts),
        id=column(rows, "id"),
        answer_key=column(rows, "answer_key"),
        reward=column(rows, "reward"),
        trainer_state=object(),
        log_extra=lambda *_: None,
        log_metric=logged or (lambda *_: None),
    )


def test_trl_gets_a_value_for_each_completion_and_none_for_no_answer(rows: list[Row]) -> None:
    logged: dict[str, float] = {}
    texts = [right(rows[0]), "", "完全不同的话", right(rows[3])]
    function = pickle.loads(pickle.dumps(RewardFunction()))
    values = called_as_trl_does(function, rows, texts, logged=logged.__setitem__)
    assert (values[0], values[1], values[3]) == (1.0, None, 1.0)
    assert values[2] is not None
    assert values[2] < 0.5
    assert logged == {"hengfa_graded/masked": 0.25}
    strict = called_as_trl_does(RewardFunction(shape=Shape.STRICT), rows, texts)
    assert strict == [1.0, None, 0.0, 1.0]
    plain = function(texts, answer_key=column(rows, "answer_key"), reward=column(rows, "reward"))
    assert plain == values


def test_a_function_for_one_reward_leaves_other_rows_to_others(rows: list[Row]) -> None:
    texts = [right(row) for row in rows]
    assert called_as_trl_does(RewardFunction(only=CHOICE), rows, texts) == [1.0, 1.0, None, None]
    assert RewardFunction(only=CHOICE).__name__ == CHOICE


def test_a_completion_without_its_end_is_no_answer(rows: list[Row]) -> None:
    texts = [right(row) for row in rows]
    ids = [[5, 9], [5, 6], [9], []]
    function = RewardFunction(ends=frozenset({9}))
    assert called_as_trl_does(function, rows, texts, ids) == [1.0, None, 1.0, None]


@needs("trl")
def test_grpo_of_trl_raises_what_answers_to_held_out_questions_earn(tmp_path: Path) -> None:
    """What a question is about says which letter is right: solved questions show the form, and
    too few of them for that."""
    write_rows(tmp_path / "rows", many(rows_of(CHOICE, "zero_shot")[1]))
    out = tmp_path / "out"
    words = ["--rows", str(tmp_path / "rows"), "--out", str(out), "--tiny", "--steps", "30"]
    example(*words, "--read-steps", "500", "--seeds", "2")
    result = json.loads((out / "results-2.json").read_text("utf-8"))
    first, *_, last = result["curve"]
    assert (first["step"], last["step"]) == (0, 30)
    assert [entry["step"] for entry in result["logged"]] == [*range(1, 30)]
    held_out = f"held_out/{CHOICE}"
    assert first["exam"][held_out]["strict"] < 0.8 < last["exam"][held_out]["strict"]


def many(row: Row) -> list[Row]:
    """Eighty questions made of one, of which every fourth is held out."""
    key = json.loads(row["answer_key"])
    made = []
    for number in range(80):
        about, letter = [("甲", "A"), ("乙", "B"), ("丙", "C"), ("丁", "D")][number // 4 % 4]
        key["sample"]["answer"] = f"正确答案：{letter}。"
        prompt = [{"role": "user", "content": f"选哪一项？{number}号案涉及{about}"}]
        split = "train" if number % 4 else "held_out"
        text = json.dumps(key, ensure_ascii=False)
        made.append(
            {**row, "id": str(number), "prompt": prompt, "answer_key": text, "split": split}
        )
    return made


def write_rows(folder: Path, rows: list[Row]) -> None:
    folder.mkdir()
    pl.DataFrame(rows).write_parquet(folder / "rows.parquet")


def example(*words: str) -> str:
    file = REPOSITORY / "examples" / "train_with_rewards.py"
    done = subprocess.run(
        [sys.executable, str(file), *words],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src"), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- verl ---


def test_verl_gets_numbers_and_the_mark_of_what_has_none(rows: list[Row]) -> None:
    choice, recited = rows[0], rows[2]
    for said, score in ((right(choice), 1.0), ("", 0.0)):
        told = compute_score(
            data_source=CHOICE,
            solution_str=said,
            ground_truth=choice["answer_key"],
            extra_info={"num_turns": None},
        )
        assert told == {"score": score, "judged": 1.0}
    partly = compute_score(
        RECITED, right(recited)[:10], recited["answer_key"], shape="strict", reward_router=None
    )
    assert partly == {"score": 0.0, "judged": 1.0}


def test_in_verls_batch_what_has_no_value_gets_the_mean_of_its_group(
    rows: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    from hengfa.train.rewards import verl

    real = row_rewards

    def half_blind(*given: Any) -> list[Any]:
        earned = real(*given)
        return [one.__class__(None, {}, "left out") if n in {1, 3} else one
                for n, one in enumerate(earned)]  # fmt: skip

    monkeypatch.setattr(verl, "row_rewards", half_blind)
    keys = [rows[0]["answer_key"]] * 3 + [rows[1]["answer_key"]]
    scores = compute_scores([CHOICE] * 4, [right(rows[0]), "x", "不知道", "x"], keys, [{}] * 4,
                            unjudged=-1.0)  # fmt: skip
    assert [score["score"] for score in scores] == [1.0, 0.5, 0.0, -1.0]
    assert [score["judged"] for score in scores] == [1.0, 0.0, 1.0, 0.0]


def characters(texts: list[str]) -> Any:
    """A tokenizer of single characters."""
    transformers, tokenizers = import_module("transformers"), import_module("tokenizers")
    known = sorted({character for text in texts for character in text})
    numbers = {token: number for number, token in enumerate(["<pad>", *known])}
    model = tokenizers.Tokenizer(tokenizers.models.WordLevel(numbers, unk_token="<pad>"))
    model.pre_tokenizer = tokenizers.pre_tokenizers.Split(tokenizers.Regex(r"[\s\S]"), "isolated")
    model.decoder = tokenizers.decoders.Fuse()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=model,
        pad_token="<pad>",
        clean_up_tokenization_spaces=False,
        chat_template="{% for message in messages %}{{ message.content }}{% endfor %}",
    )


@pytest.fixture
def generated(rows: list[Row], tmp_path: Path) -> tuple[Any, Any, list[str]]:
    """Rows as verl reads them, with responses as it holds them after a rollout."""
    np, torch, verl = import_module("numpy"), import_module("torch"), import_module("verl")
    data = import_module("verl.utils.dataset.rl_dataset")
    config = import_module("omegaconf").OmegaConf.create({"max_prompt_length": 2000})
    said = [right(rows[0]), "不知道", right(rows[2])]
    tokenizer = characters(said)
    verl_rows(pl.DataFrame(rows[:3])).write_parquet(tmp_path / "verl.parquet")
    read = [*data.RLHFDataset(str(tmp_path / "verl.parquet"), tokenizer, config)]
    responses = tokenizer(said, padding=True, padding_side="right", return_tensors="pt")
    prompts = torch.ones(3, 2, dtype=torch.long)
    tensors = {
        "prompts": prompts,
        "responses": responses["input_ids"],
        "attention_mask": torch.cat([prompts, responses["attention_mask"]], dim=1),
    }
    columns = ("data_source", "reward_model", "extra_info")
    others = {name: np.array(column(read, name), dtype=object) for name in columns}
    return tokenizer, verl.DataProto.from_dict(tensors=tensors, non_tensors=others), said


@needs("verl")
@pytest.mark.filterwarnings("ignore")
def test_the_reward_managers_of_verl_score_a_rollout(generated: tuple[Any, Any, list[str]]) -> None:
    tokenizer, data, said = generated
    managers = import_module("verl.workers.reward_manager")
    for manager in (
        managers.NaiveRewardManager(tokenizer, 0, compute_score),
        managers.BatchRewardManager(tokenizer, 0, compute_scores, shape="strict"),
    ):
        told = manager(data, return_dict=True)
        assert told["reward_extra_info"]["score"] == [1.0, 0.0, 1.0]
        assert told["reward_extra_info"]["judged"] == [1.0, 1.0, 1.0]
        ends = [len(text) - 1 for text in said]
        assert told["reward_tensor"][[0, 1, 2], ends].tolist() == [1.0, 0.0, 1.0]


@needs("verl")
@pytest.mark.filterwarnings("ignore")
def test_verls_reward_loop_finds_the_function_by_its_configuration(
    generated: tuple[Any, Any, list[str]],
) -> None:
    tokenizer, data, _ = generated
    config = import_module("omegaconf").OmegaConf.create({
        "reward": {
            "custom_reward_function": {
                "path": "pkg://hengfa.rewards.verl",
                "name": "compute_score",
                "reward_kwargs": {"shape": "strict"},
            },
            "reward_manager": {"source": "register", "name": "naive"},
        }
    })  # fmt: skip

    async def score() -> list[Any]:
        manager = import_module("verl.trainer.ppo.reward").load_reward_manager(config, tokenizer)
        return [await manager.run_single(data[n : n + 1]) for n in range(3)]

    told = asyncio.run(score())
    assert [one["reward_score"] for one in told] == [1.0, 0.0, 1.0]
    assert told[0]["reward_extra_info"] == {"score": 1.0, "judged": 1.0}


# --- verifiers ---


def talker(answers: dict[str, str], law: str) -> LocalServer:
    """A model that looks up the versions of a law once, where it has tools, and then answers."""

    async def answer(request: web.Request, seen: Seen) -> web.StreamResponse:
        messages = seen.body["messages"]
        question = next(m["content"] for m in messages if m["role"] == "user")
        said: dict[str, Any] = {"role": "assistant", "content": answers[question]}
        if seen.body.get("tools") and messages[-1]["role"] == "user":
            function = {"name": "law_versions", "arguments": json.dumps({"law": law})}
            said["tool_calls"] = [
                {"index": 0, "id": "call_1", "type": "function", "function": function}
            ]
        ended = "tool_calls" if "tool_calls" in said else "stop"
        stream = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await stream.prepare(request)
        for delta, finish in ((said, None), ({}, ended)):
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                     "choices": [choice]}  # fmt: skip
            await stream.write(f"data: {json.dumps(chunk)}\n\n".encode())
        await stream.write(b"data: [DONE]\n\n")
        return stream

    return LocalServer(answer)


SERVED_BY = os.environ.get("HENGFA_MCP_PYTHON")
"""The Python of an environment with `hengfa[mcp]`: verifiers pins an older mcp than that needs."""


@contextmanager
def law_tools(home: Path) -> Iterator[str]:
    """`hengfa mcp --http` over the law of the sample pack, and its address."""
    assert SERVED_BY
    run = "from hengfa.cli.main import main; main()"
    given = {**os.environ, "PYTHONPATH": str(REPOSITORY / "src"), "HENGFA_HOME": str(home)}
    library = str(home / "law.sqlite")
    subprocess.run(
        [SERVED_BY, "-c", run, "law", "build", "sample", "-o", library], env=given, check=True
    )
    words = ["mcp", "--http", "--port", "0", "--library", library]
    with subprocess.Popen(
        [SERVED_BY, "-c", run, *words], stderr=subprocess.PIPE, text=True, env=given
    ) as server:
        assert server.stderr is not None
        said = server.stderr.readline()
        try:
            yield said.split(" at ")[1].split(";")[0]
        finally:
            server.kill()


@needs("verifiers")
@pytest.mark.skipif(shutil.which("uv") is None, reason="verifiers' harness needs uv")
@pytest.mark.skipif(not SERVED_BY, reason="HENGFA_MCP_PYTHON names no Python with hengfa[mcp]")
@pytest.mark.filterwarnings("ignore")
def test_verifiers_plays_rows_with_tools_by_mcp(
    rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vf = import_module("verifiers.v1")
    module = "from hengfa.train.rewards.verifiers import RowTaskset\n__all__ = ['RowTaskset']\n"
    (tmp_path / "law_rows_of_a_test.py").write_text(module)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("LOCAL_KEY", "none")
    write_rows(tmp_path / "rows", [{**row, "split": "held_out"} for row in rows])
    answers = {row["prompt"][0]["content"]: right(row) for row in rows}
    answers[rows[1]["prompt"][0]["content"]] = ""
    law = json.loads(rows[2]["answer_key"])["sample"]["law"]

    async def play(model: str, tools: str) -> list[Any]:
        named = {"id": "law_rows_of_a_test", "rows": str(tmp_path / "rows"), "split": "held_out"}
        config = vf.taskset_config_type(named["id"]).model_validate(
            {**named, "task": {"shape": "strict", "tools": {"url": tools}}}
        )
        agent = vf.make_agent(
            vf.AgentConfig.model_validate({
                "harness": {"id": "null"},
                "runtime": {"type": "subprocess"},
                "model": "m",
                "client": {"type": "eval", "base_url": model, "api_key_var": "LOCAL_KEY"},
                "sampling": {},
            })
        )  # fmt: skip
        async with agent:
            return [await agent.run(task) for task in vf.load_taskset(config)]

    with law_tools(tmp_path) as tools, in_thread(talker(answers, law)) as model:
        traces = asyncio.run(play(f"{model.url}/v1", tools))
    assert [trace.ok for trace in traces] == [True, False, True, True]
    assert [trace.reward for trace in traces if trace.ok] == [1.0, 1.0, 1.0]
    assert "NoValue: empty" in traces[1].last_error.message
    for trace in traces:
        [told] = trace.tool_messages
        assert json.loads(told.content)["status"] == "found"

"""A model in this process: batches change nothing, statuses are as ever, letters by likelihood."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.errors import DataError, MissingExtra, UsageError
from hengfa.evals.engine import local_model
from hengfa.evals.engine.local_model import LocalModel, Weights, choose, local_name
from hengfa.evals.engine.messages import (
    Message,
    Options,
    Request,
    Response,
    Status,
    ToolCall,
    ToolSpec,
)
from tests.train.recipes.tiny_models import CHAT, needs_torch, one_thread, write_tiny_model

__all__ = ["one_thread"]  # used by every test here
pytestmark = needs_torch

PROMPTS = [
    "渡船",
    "风筝越过灯塔的，处罚金。",
    "A",
    "偷取蜂蜜",
    "夜间敲钟扰民的",
    "伪造鱼票的，处五年以下",
]
LETTERS = ("[答案]A<eoa>", "[答案]B<eoa>", "[答案]C", "D")
TOOLS = "{% if tools %}{{ tools | tojson }}{% endif %}" + CHAT
LOOK_UP = ToolSpec("look_up", "looks up a law", {"type": "object", "properties": {}})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny") / "tiny-law", context=256)


def requests(options: Options, prompts: Sequence[str] = PROMPTS) -> list[Request]:
    return [Request(f"k/{n}", (Message("user", p),), options) for n, p in enumerate(prompts)]


def ask(model: LocalModel, asked: Sequence[Request]) -> list[Response]:
    """All at once, as lanes do."""

    async def all_at_once() -> list[Response]:
        try:
            return await asyncio.gather(*map(model.generate, asked))
        finally:
            await model.close()

    return asyncio.run(all_at_once())


def loaded(folder: Path) -> tuple[Any, Any, Any]:
    transformers = import_module("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return (
        import_module("torch"),
        tokenizer,
        transformers.AutoModelForCausalLM.from_pretrained(folder).eval(),
    )


def alone(folder: Path, prompt: str, new: int) -> str:
    """What transformers' own generate writes, asked this and nothing else."""
    torch, tokenizer, model = loaded(folder)
    ids = torch.tensor([tokenizer(prompt)["input_ids"]])
    with torch.no_grad():
        out = model.generate(
            input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=new, do_sample=False
        )
    text: str = tokenizer.decode(out[0, ids.shape[1] :], skip_special_tokens=True)
    return text


@pytest.mark.parametrize("batch_tokens", [1, 120, 100_000])
def test_batches_write_what_each_would_write_alone(folder: Path, batch_tokens: int) -> None:
    model = LocalModel(folder, device="cpu", batch_tokens=batch_tokens)
    asked = requests(Options(temperature=0.0, max_new_tokens=24))
    for prompt, response in zip(PROMPTS, ask(model, asked), strict=True):
        assert response.text == alone(folder, prompt, 24)
        assert response.usage is not None
        assert response.usage.input == len(prompt.encode())
        assert response.served_by == "cpu float32"


def test_a_seed_gives_the_same_text_whatever_the_batch(folder: Path) -> None:
    asked = requests(Options(temperature=1.0, top_p=0.9, seed=5, max_new_tokens=12))
    together, apart, once_more = (
        [response.text for response in ask(LocalModel(folder, batch_tokens=size), asked)]
        for size in (100_000, 1, 100_000)
    )
    assert together == apart == once_more
    other = requests(Options(temperature=1.0, top_p=0.9, seed=6, max_new_tokens=12))
    assert [response.text for response in ask(LocalModel(folder), other)] != together
    free = requests(Options(temperature=1.0, max_new_tokens=12), ["A"] * 8)
    assert len({response.text for response in ask(LocalModel(folder), free)}) > 1


def test_draws_follow_the_distribution(folder: Path) -> None:
    """The share of each first token against its probability, by chi-squared."""
    torch, tokenizer, model = loaded(folder)
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([tokenizer("A")["input_ids"]])).logits[0, -1]
    chances = (logits / 0.7).softmax(-1)
    order = chances.argsort(descending=True)
    nucleus = order[: int((chances[order].cumsum(-1) < 0.8).sum()) + 1]
    asked = [
        Request("k", (Message("user", "A"),), Options(0.7, 0.8, max_new_tokens=1, seed=seed))
        for seed in range(3000)
    ]
    drawn = Counter(response.text for response in ask(LocalModel(folder), asked))
    expected: defaultdict[str, float] = defaultdict(float)  # halves of characters look alike
    for token in nucleus:
        text = tokenizer.decode([int(token)], skip_special_tokens=True)
        expected[text] += 3000 * float(chances[token] / chances[nucleus].sum())
    assert drawn.keys() <= expected.keys()
    assert sum((drawn[text] - n) ** 2 / n for text, n in expected.items()) < 2 * len(expected) + 20


def test_stop_words_cut_the_text_and_end_the_answer(folder: Path) -> None:
    text = alone(folder, PROMPTS[1], 24)
    word = next(text[n : n + 2] for n in range(3, 20) if "�" not in text[n : n + 2])
    options = Options(temperature=0.0, max_new_tokens=24, stop=("never", word))
    for response in ask(LocalModel(folder), requests(options)):
        assert word not in response.text
    (response,) = ask(LocalModel(folder), requests(options, [PROMPTS[1]]))
    assert response.status is Status.ANSWERED
    assert response.text == text.partition(word)[0]
    assert response.usage is not None
    assert response.usage.output < 24


def ending_with(monkeypatch: pytest.MonkeyPatch, tokens: str, *, ends: bool = True) -> None:
    """A model that always writes the same."""

    def generate(self: Any, *, input_ids: Any, stopping_criteria: Any, **_: Any) -> Any:
        torch = import_module("torch")
        written = [*self.written, *([0] if ends else [])]
        for token in written:
            column = torch.full((len(input_ids), 1), token)
            input_ids = torch.cat([input_ids, column], dim=1)
            stopping_criteria(input_ids, None)
        return input_ids

    made = Weights.__init__

    def with_words(self: Weights, *arguments: Any) -> None:
        made(self, *arguments)
        self._model.written = self._tokens(tokens)

    monkeypatch.setattr(Weights, "__init__", with_words)
    kind = import_module("transformers").Qwen2ForCausalLM
    monkeypatch.setattr(kind, "generate", generate)


@pytest.mark.parametrize(
    ("written", "ends", "status", "text", "reasoning"),
    [
        ("处罚金。", True, Status.ANSWERED, "处罚金。", ""),
        ("处罚金。", False, Status.TRUNCATED, "处罚金。", ""),
        ("", True, Status.EMPTY, "", ""),
        ("<think>想</think>\n处拘役。", True, Status.ANSWERED, "处拘役。", "想"),
        ("<think>想", False, Status.TRUNCATED, "", "想"),
        ("<think>想", True, Status.TRUNCATED, "", "想"),
    ],
)
def test_statuses_are_those_of_servers(
    written: str, ends: bool, status: Status, text: str, reasoning: str,
    folder: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    ending_with(monkeypatch, written, ends=ends)
    (response,) = ask(LocalModel(folder), requests(Options(max_new_tokens=100), ["问"]))
    assert (response.status, response.text, response.reasoning) == (status, text, reasoning)
    assert response.usage is not None
    assert response.usage.output == len(written.encode()) + ends


def test_thinking_that_the_template_opened_is_thinking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_tiny_model(tmp_path / "m", template=CHAT + "<think>\n")
    ending_with(monkeypatch, "想", ends=False)
    (response,) = ask(LocalModel(folder), requests(Options(max_new_tokens=3), ["问"]))
    assert (response.status, response.reasoning) == (Status.TRUNCATED, "想")


def test_an_answer_ends_where_the_context_does_and_a_longer_prompt_fails_alone(
    folder: Path,
) -> None:
    prompts = ["x" * 250, "x" * 256, "x"]
    cut, failed, other = ask(LocalModel(folder), requests(Options(max_new_tokens=20), prompts))
    assert failed.status is Status.FAILED
    assert failed.this_question_only
    assert failed.reason == "the prompt has 256 tokens, and the model's context 256"
    for response, longest in ((cut, 6), (other, 20)):
        assert response.usage is not None
        assert response.usage.output <= longest
        if response.usage.output == longest:
            assert response.status is Status.TRUNCATED


def test_the_chat_template_is_used_and_told_what_extra_says(tmp_path: Path) -> None:
    template = CHAT + "{% if loud %}！{% endif %}"
    folder = write_tiny_model(tmp_path / "m", template=template)
    messages = (Message("system", "S"), Message("user", "U"))
    plain, loud = Options(max_new_tokens=8), Options(
        max_new_tokens=8, extra={"chat_template_kwargs": {"loud": True}}
    )  # fmt: skip
    asked = [Request("a", messages, plain), Request("b", messages, loud)]
    expected = [alone(folder, "<system>S<user>U<assistant>" + end, 8) for end in ("", "！")]
    assert [response.text for response in ask(LocalModel(folder), asked)] == expected
    with pytest.raises(UsageError, match=r"--extra: .* knows no enable_thinking"):
        ask(LocalModel(folder), requests(Options(extra={"enable_thinking": False})))


def test_a_template_that_refuses_is_a_failure_with_its_reason(tmp_path: Path) -> None:
    template = "{{ raise_exception('no system here') }}"
    folder = write_tiny_model(tmp_path / "m", template=template)
    (response,) = ask(LocalModel(folder), requests(Options(), ["A"]))
    assert response.status is Status.FAILED
    assert "no system here" in response.reason
    assert not response.this_question_only


def test_tools_go_through_the_template_and_calls_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_tiny_model(tmp_path / "m", template=TOOLS, context=2000)
    call = '查一下。<tool_call>\n{"name": "look_up", "arguments": {"law": "渡船法"}}\n</tool_call>'
    ending_with(monkeypatch, call)
    (response,) = ask(LocalModel(folder), requests(Options(tools=(LOOK_UP,)), ["问"]))
    assert response.status is Status.ANSWERED
    assert response.text == "查一下。"
    assert response.tool_calls == (ToolCall("call_0", "look_up", '{"law":"渡船法"}'),)
    assert response.usage is not None
    assert response.usage.input > len("<user>问<assistant>".encode()) + len(LOOK_UP.description)
    said = Message("assistant", "", tool_calls=response.tool_calls)
    result = Message("tool", "第一条", tool_call_id="call_0")
    (again,) = ask(LocalModel(folder), [Request("k", (said, result), Options(tools=(LOOK_UP,)))])
    assert again.status is Status.ANSWERED


def test_a_model_without_tools_says_so(folder: Path) -> None:
    with pytest.raises(UsageError, match="its chat template knows no tools"):
        ask(LocalModel(folder), requests(Options(tools=(LOOK_UP,))))


def likelihood(folder: Path, prompt: str, candidate: str) -> float:
    """Token by token, each from a run of its own."""
    torch, tokenizer, model = loaded(folder)
    ids, total = tokenizer(prompt)["input_ids"], 0.0
    for token in tokenizer(candidate)["input_ids"]:
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([ids])).logits[0, -1]
        total += float(logits.log_softmax(-1)[token])
        ids = [*ids, token]
    return total


@pytest.mark.parametrize("candidates", [("A", "B", "C", "D"), LETTERS])
@pytest.mark.parametrize("batch_tokens", [1, 100_000])
def test_the_likeliest_candidate_is_the_answer(
    folder: Path, candidates: tuple[str, ...], batch_tokens: int
) -> None:
    asked = requests(Options(candidates=candidates))
    answers = ask(LocalModel(folder, batch_tokens=batch_tokens), asked)
    for prompt, response in zip(PROMPTS, answers, strict=True):
        best = max(candidates, key=lambda candidate: likelihood(folder, prompt, candidate))
        assert (response.status, response.text) == (Status.ANSWERED, best)
        assert response.usage is not None
        assert response.usage.total == len((prompt + best).encode())
    if candidates != LETTERS:
        assert len({response.text for response in answers}) > 1


def test_a_batch_too_large_for_the_card_is_halved(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = import_module("torch")
    kind = import_module("transformers").Qwen2ForCausalLM
    generate, sizes = kind.generate, []

    def small_card(self: Any, **given: Any) -> Any:
        sizes.append(len(given["input_ids"]))
        if sizes[-1] > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return generate(self, **given)

    monkeypatch.setattr(kind, "generate", small_card)
    options = Options(temperature=0.0, max_new_tokens=6)
    answers = ask(LocalModel(folder), requests(options))
    assert [r.text for r in answers] == [alone(folder, prompt, 6) for prompt in PROMPTS]
    too_large = [size for size in sizes if size > 2]
    assert too_large[0] == 6
    assert too_large == sorted(set(too_large), reverse=True)  # none is tried a second time
    monkeypatch.setattr(kind, "generate", lambda *_, **__: small_card(None, input_ids="xyz"))
    for response in ask(LocalModel(folder), requests(options)):
        assert (response.status, response.reason) == (Status.FAILED, "CUDA out of memory")
        assert response.this_question_only


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=12), st.integers(1, 400))
def test_batches_hold_alike_lengths_within_the_limit(lengths: list[int], limit: int) -> None:
    sampling = local_model._Sampling(0.0, 1.0, 0)
    waiting: Any = local_model._Waiting(Request("k", ()), None)  # type: ignore[arg-type]
    open_ = [local_model._Prompt(waiting, [0] * n, 5, sampling) for n in lengths]
    batch = choose(open_, limit)
    assert open_[0] in batch
    longest = max(prompt.length for prompt in batch)
    assert len(batch) == 1 or longest * len(batch) <= limit
    furthest = max(abs(len(prompt.ids) - lengths[0]) for prompt in batch)
    assert all(
        abs(len(prompt.ids) - lengths[0]) >= furthest for prompt in open_ if prompt not in batch
    )


def test_what_is_in_the_folder_is_part_of_the_name(folder: Path, tmp_path: Path) -> None:
    copied = tmp_path / "tiny-law"
    shutil.copytree(folder, copied)
    assert local_name(copied) == local_name(folder)
    assert local_name(copied).startswith("hf:tiny-law#")
    (copied / "README.md").write_text("words")
    assert local_name(copied) == local_name(folder)
    other = write_tiny_model(tmp_path / "other" / "tiny-law", context=256, seed=8)
    sizes = {(place / "model.safetensors").stat().st_size for place in (other, copied)}
    assert len(sizes) == 1
    assert local_name(other) != local_name(copied)


def test_wrong_folders_and_devices_are_told(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match=r"no folder of a model.*not downloaded"):
        LocalModel(tmp_path / "Qwen/Qwen3-8B")
    with pytest.raises(UsageError, match="--device moon: "):
        LocalModel(folder, device="moon")
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "config.json").write_text('{"model_type": "qwen2"}')
    with pytest.raises(DataError, match="cannot be loaded as a model"):
        ask(LocalModel(broken), requests(Options()))
    shutil.copytree(folder, torn := tmp_path / "torn")
    with (torn / "model.safetensors").open("r+b") as weights:
        weights.truncate(1000)
    with pytest.raises(DataError, match="cannot be loaded as a model"):
        ask(LocalModel(torn), requests(Options()))
    shutil.copytree(folder, short := tmp_path / "short")
    config = json.loads((short / "config.json").read_text())
    config |= {"num_hidden_layers": 3, "layer_types": ["full_attention"] * 3}
    (short / "config.json").write_text(json.dumps(config))
    with pytest.raises(DataError, match=r"weights are missing, such as model\.layers\.2\."):
        ask(LocalModel(short), requests(Options()))
    monkeypatch.setattr(local_model, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtra, match=r"\.\[train\]"):
        LocalModel(folder)


def test_closing_ends_an_answer_under_way_and_the_model_can_be_asked_again(folder: Path) -> None:
    model = LocalModel(folder)
    request = Request("k", (Message("user", "A"),), Options(max_new_tokens=200))

    async def leave() -> Response:
        asking = asyncio.create_task(model.generate(request))
        await asyncio.sleep(0.1)
        asking.cancel()
        await model.close()
        answer = await model.generate(request)
        await model.close()
        return answer

    assert asyncio.run(leave()).text == alone(folder, "A", 200)

"""A model in this process: a folder of weights, asked in batches (`--model hf:DIR`).

Requests that wait are put together by length, padded on the left, and answered by a thread of its
own while the session keeps what came before. A batch holds as many rows as fit into memory, prompt
and longest answer; where the card runs out of it all the same, the batch is halved and goes on.

Nothing is ever downloaded, and no code from a model's folder is run. Torch and transformers are an
optional part (`hengfa[train]`), imported when the first question is put.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, Final, NamedTuple

import msgspec

from hengfa.base.data.jsonfile import decode_json
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError, HengfaError, MissingExtra, UsageError
from hengfa.evals.engine.messages import JSONObject, Message, Request, Response, Status, Usage
from hengfa.evals.engine.replies import one_line, read_reply
from hengfa.evals.engine.tokens import ASSUMED_ANSWER
from hengfa.law.text.bertscore import check_model_folder

EXTRA: Final = "train"
KIND: Final = "hf"
_TEMPLATE: Final = "chat_template_kwargs"
"""The one field of `--extra` that there is here: what the chat template is told, as vLLM has it."""
_QUIET: Final = 0.02  # seconds without a new request, after which a batch is made
_CPU_TOKENS, _GPU_TOKENS = 32_768, 65_536  # in a batch, where memory does not say
_SHARE_OF_MEMORY: Final = 0.6  # for what attention remembers; the rest is for the computation
_SAMPLES, _SAMPLE = 16, 4096  # of a file of weights: how many places are read, and bytes at each
# A call as the templates of Qwen, Hermes and others teach it.
# Matches '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'; not one that is never closed.
_TOOL_CALL: Final = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>\s*", re.DOTALL)


def local_name(folder: Path) -> str:
    """`hf:qwen3-8b#3fa9c1d2`: the folder's name and a hash of what is in it.

    Checkpoints have one configuration and one size, so of large files some places are read too.
    """
    check_model_folder(folder)
    digest = hashlib.blake2b(digest_size=4)
    with disk_errors(folder):
        for file in sorted(folder.iterdir()):
            if file.is_file() and file.suffix != ".md" and not file.name.startswith("."):
                size = file.stat().st_size
                digest.update(f"{file.name} {size}\n".encode())
                with file.open("rb") as content:
                    for place in range(_SAMPLES):
                        content.seek(max(0, size - _SAMPLE) * place // (_SAMPLES - 1))
                        digest.update(content.read(_SAMPLE))
    return f"{KIND}:{folder.resolve().name}#{digest.hexdigest()}"


class _Waiting(NamedTuple):
    """A request, and where its response is waited for."""

    request: Request
    response: asyncio.Future[Response]

    def deliver(self, response: Response | HengfaError) -> None:
        """From the thread that works to the loop that waits, which may have ended."""

        def settle() -> None:
            if self.response.done():
                return
            if isinstance(response, HengfaError):
                self.response.set_exception(response)
            else:
                self.response.set_result(response)

        with suppress(RuntimeError):
            self.response.get_loop().call_soon_threadsafe(settle)


class LocalModel:
    """Answers with the weights in a folder; loaded with the first request, freed by `close`.

    `device` is `auto` (a GPU if there is one), `cpu`, `cuda`, `cuda:1`, `mps`. On a GPU the weights
    are bfloat16, else float32. `batch_tokens` limits a batch: rows times the longest prompt with
    its longest answer; without it, what fits into the card's memory.
    """

    address = ""

    def __init__(
        self, folder: Path, *, device: str = "auto", batch_tokens: int | None = None
    ) -> None:
        self.name = local_name(folder)
        self._folder = folder
        self._device = find_device(device)
        self._batch_tokens = batch_tokens
        self._arriving: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._stopped = Event()
        self._thread: Thread | None = None

    async def generate(self, request: Request) -> Response:
        if self._thread is None:
            self._arriving, self._stopped = SimpleQueue(), Event()
            self._thread = Thread(target=self._work, name=self.name, daemon=True)
            self._thread.start()
        waiting = _Waiting(request, asyncio.get_running_loop().create_future())
        self._arriving.put(waiting)
        return await waiting.response

    async def close(self) -> None:
        """End at the next token; whoever still waits has been cancelled."""
        if self._thread is not None:
            self._stopped.set()
            self._arriving.put(None)
            await asyncio.to_thread(self._thread.join)
            self._thread = None

    def _work(self) -> None:
        """What the thread does until `close`."""
        try:
            weights = Weights(self._folder, self._device, self._batch_tokens, self._stopped)
        except Exception as error:  # noqa: BLE001 - each library has its own kinds
            known = error if isinstance(error, HengfaError) else None
            problem = "cannot be loaded as a model that writes (code in its folder is never run)"
            why = f"{problem}: {one_line(str(error))}"
            refusal = known or DataError(why, file=self._folder)
            while (refused := self._arrived(wait=True)) is not None:
                for waiting in refused:
                    waiting.deliver(refusal)
            return
        open_: list[_Prompt] = []
        while (arrived := self._arrived(wait=not open_)) is not None:
            for waiting in arrived:
                try:
                    open_.append(weights.prompt(waiting))
                except HengfaError as error:
                    waiting.deliver(error)
                except _Unanswerable as unanswerable:
                    waiting.deliver(unanswerable.response)
                except Exception as error:  # noqa: BLE001 - of a tokenizer
                    waiting.deliver(_failed(error))
            if open_:
                for prompt, response in weights.answers(choose(open_, weights.limit)):
                    prompt.waiting.deliver(response)
                    open_.remove(prompt)
        del weights
        torch = import_module("torch")
        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    def _arrived(self, *, wait: bool) -> list[_Waiting] | None:
        """All that are waiting, once no more come; None when the work is over."""
        arrived: list[_Waiting] = []
        try:
            while (waiting := self._arriving.get(timeout=None if wait else _QUIET)) is not None:
                arrived.append(waiting)
                wait = False
        except Empty:
            return arrived
        return None


def find_device(name: str) -> str:
    """The device to work on, before anything is loaded."""
    if any(find_spec(library) is None for library in ("torch", "transformers")):
        raise MissingExtra(EXTRA, f"{KIND}:DIR")
    torch = import_module("torch")
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise UsageError(f"--device {name}: {one_line(str(error))}") from error
    return name


def _failed(error: Exception) -> Response:
    return Response(Status.FAILED, reason=one_line(f"{type(error).__name__}: {error}"))


class _Unanswerable(Exception):
    """A request that ends before the model is asked."""

    def __init__(self, reason: str, *, this_question_only: bool = False) -> None:
        super().__init__(reason)
        self.response = Response(
            Status.FAILED, reason=one_line(reason), this_question_only=this_question_only
        )


class _Sampling(NamedTuple):
    """How a token is drawn; at temperature 0 it is the likeliest."""

    temperature: float
    top_p: float
    top_k: int


@dataclass(frozen=True, eq=False)
class _Prompt:
    """A request in tokens. `room` is the longest answer: what is wished for, or what is left of the
    model's context; `thinking` says that the template has opened the thinking already."""

    waiting: _Waiting
    ids: list[int]
    room: int
    sampling: _Sampling
    candidates: Sequence[Sequence[int]] = ()
    thinking: bool = False

    @property
    def request(self) -> Request:
        return self.waiting.request

    @property
    def length(self) -> int:
        return len(self.ids) + self.room

    @property
    def rows(self) -> int:
        return max(1, len(self.candidates))

    @property
    def kind(self) -> object:
        """What the rows of a batch have in common."""
        return bool(self.candidates) or (self.room, self.sampling, self.request.options.stop)


def choose(open_: Sequence[_Prompt], limit: int) -> list[_Prompt]:
    """The next batch: who has waited longest, and those nearest in length that fit beside it."""
    first = open_[0]
    alike = [prompt for prompt in open_ if prompt.kind == first.kind]
    alike.sort(key=lambda prompt: (prompt is not first, abs(len(prompt.ids) - len(first.ids))))
    batch: list[_Prompt] = []
    longest = rows = 0
    for prompt in alike:
        longest, rows = max(longest, prompt.length), rows + prompt.rows
        if batch and longest * rows > limit:
            break
        batch.append(prompt)
    return batch


def load_weights(folder: Path, kind: str, device: str, **options: Any) -> tuple[Any, Any]:
    """The tokenizer and the model of a folder as one of transformers' kinds, ready to infer."""
    torch, transformers = import_module("torch"), import_module("transformers")
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    dtype = "dtype" if int(transformers.__version__.partition(".")[0]) >= 5 else "torch_dtype"
    options |= {dtype: torch.float32 if device == "cpu" else torch.bfloat16}
    local = {"local_files_only": True, "trust_remote_code": False}
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), **local)
    model, loading = getattr(transformers, kind).from_pretrained(
        str(folder), **local, **options, output_loading_info=True
    )
    if missing := sorted(loading["missing_keys"]):  # they would be random numbers
        raise DataError(f"weights are missing, such as {missing[0]}", file=folder)
    return tokenizer, model.to(device).eval()


class Weights:
    """A loaded model with its tokenizer: requests in, responses out, a batch at a time."""

    def __init__(self, folder: Path, device: str, batch_tokens: int | None, stopped: Event) -> None:
        self._torch = import_module("torch")
        self._tokenizer, model = load_weights(folder, "AutoModelForCausalLM", device)
        self._model, self._dtype = model, model.dtype
        self._device = device
        self._served_by = f"{device} {str(self._dtype).removeprefix('torch.')}"
        self._stopped = stopped
        self._name = folder.resolve().name
        config = model.config.get_text_config()
        self._context: int | None = getattr(config, "max_position_embeddings", None)
        self._own = model.generation_config
        ends = self._own.eos_token_id
        ends = self._tokenizer.eos_token_id if ends is None else ends
        self._ends = frozenset(ends if isinstance(ends, list) else [ends]) - {None}
        pad = self._tokenizer.pad_token_id
        self._pad: int = pad if pad is not None else min(self._ends, default=0)
        self._takes = frozenset(inspect.signature(model.forward).parameters)
        self.limit = batch_tokens or self._fitting(config)

    def _fitting(self, config: Any) -> int:
        """Tokens for which the card can remember keys and values."""
        if not self._device.startswith("cuda"):
            return _CPU_TOKENS
        try:
            heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
            width = getattr(config, "head_dim", None) or (
                config.hidden_size // config.num_attention_heads
            )
            bytes_each = 2 * config.num_hidden_layers * heads * width * self._dtype.itemsize
        except AttributeError:
            return _GPU_TOKENS
        free, _ = self._torch.cuda.mem_get_info(self._device)
        return max(1, int(free * _SHARE_OF_MEMORY / bytes_each))

    # --- a request in tokens ---

    def prompt(self, waiting: _Waiting) -> _Prompt:
        """The request as the model reads it; `_Unanswerable` if it cannot."""
        options = waiting.request.options
        if unknown := options.extra.keys() - {_TEMPLATE}:
            raise UsageError(
                f"--extra: a model in this process knows no {', '.join(sorted(unknown))}; "
                f"there is {_TEMPLATE}, for its chat template"
            )
        text, ids = self._read(waiting.request)
        candidates = tuple(self._tokens(candidate) for candidate in options.candidates)
        room = max(map(len, candidates), default=options.max_new_tokens or ASSUMED_ANSWER)
        if self._context is not None:
            left = self._context - len(ids)
            if left < (room if candidates else 1):
                raise _Unanswerable(
                    f"the prompt has {len(ids)} tokens, and the model's context {self._context}",
                    this_question_only=True,
                )
            room = min(room, left)
        thinking = text.rstrip().endswith("<think>")
        return _Prompt(waiting, ids, room, self._sampling(waiting.request), candidates, thinking)

    def _read(self, request: Request) -> tuple[str, list[int]]:
        """The prompt by the chat template, or, where there is none, what was said with blank lines
        between."""
        options = request.options
        template = getattr(self._tokenizer, "chat_template", None)
        if options.tools and "tools" not in str(template):
            raise UsageError(
                f"{self._name}: its chat template knows no tools, so it cannot work as such an "
                "agent; choose a method that asks in words, such as react"
            )
        if not template:
            text = "\n\n".join(message.content for message in request.messages)
            ids = list[int](self._tokenizer(text)["input_ids"])
            if ids and ids[-1] in self._ends:
                ids.pop()  # some tokenizers close every text
            return text, ids
        tools = [{"type": "function", "function": msgspec.to_builtins(t)} for t in options.tools]
        try:
            turns, told = [*map(_turn, request.messages)], options.extra.get(_TEMPLATE, {})
            text = self._tokenizer.apply_chat_template(
                turns, tools=tools or None, tokenize=False, add_generation_prompt=True, **told
            )
        except Exception as error:  # a template is a program of somebody else's
            raise _Unanswerable(f"the chat template refuses this: {error}") from error
        return text, self._tokens(text)

    def _tokens(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def _sampling(self, request: Request) -> _Sampling:
        """As asked; where nothing is asked, as the folder's generation_config.json says."""
        options, own = request.options, self._own
        top_p = 1.0 if options.top_p is None else options.top_p
        if options.temperature is not None:
            return _Sampling(options.temperature, top_p, 0)
        if not own.do_sample:
            return _Sampling(0.0, top_p, 0)
        if options.top_p is None:
            top_p = 1.0 if own.top_p is None else own.top_p
        return _Sampling(1.0 if own.temperature is None else own.temperature, top_p, own.top_k or 0)

    # --- a batch ---

    def answers(self, batch: Sequence[_Prompt]) -> Iterator[tuple[_Prompt, Response]]:
        """Each prompt with its response; nothing once the work has been stopped."""
        work = self._likeliest if batch[0].candidates else self._written
        try:
            with self._torch.inference_mode():
                responses = work(batch)
        except self._torch.cuda.OutOfMemoryError as error:
            responses = None
            why = one_line(str(error))
        except Exception as error:  # noqa: BLE001 - of the card's driver, of somebody's model code
            responses = [_failed(error)] * len(batch)
        if responses is not None:
            if not self._stopped.is_set():
                yield from zip(batch, responses, strict=True)
            return
        self._torch.cuda.empty_cache()
        if len(batch) == 1:
            yield batch[0], Response(Status.FAILED, reason=why, this_question_only=True)
            return
        rows = sum(prompt.rows for prompt in batch[: len(batch) // 2])
        self.limit = rows * max(prompt.length for prompt in batch)
        while batch:  # the limit may fall further on the way
            part = choose(batch, self.limit)
            yield from self.answers(part)
            batch = [prompt for prompt in batch if prompt not in part]

    def _written(self, batch: Sequence[_Prompt]) -> list[Response]:
        """What the model writes."""
        transformers = import_module("transformers")
        ids, there = self._padded([prompt.ids for prompt in batch])
        ends: list[int | None] = [None] * len(batch)
        drawn = batch[0].sampling.temperature > 0
        config = deepcopy(self._own)
        config.do_sample, config.num_beams, config.num_return_sequences = False, 1, 1
        config.temperature = config.top_p = config.top_k = config.max_length = None
        config.max_new_tokens, config.pad_token_id = batch[0].room, self._pad
        written = self._model.generate(
            input_ids=ids,
            attention_mask=there,
            generation_config=config,
            logits_processor=transformers.LogitsProcessorList([self._dice(batch)] * drawn),
            stopping_criteria=transformers.StoppingCriteriaList([self._ending(batch, ends)]),
        )
        rows = written[:, ids.shape[1] :].tolist()
        return [
            self._response(prompt, row[:end], ended=end is not None)
            for prompt, row, end in zip(batch, rows, ends, strict=True)
        ]

    def _response(self, prompt: _Prompt, row: list[int], *, ended: bool) -> Response:
        """The response in the shape of a server's reply, so that it is read as all replies are."""
        text = self._text(row[:-1] if row and row[-1] in self._ends else row)
        for word in prompt.request.options.stop:
            text, stopped, _ = text.partition(word)
            ended = ended or bool(stopped)
        if prompt.thinking:
            text = f"<think>{text}"
        message: JSONObject = {"content": text}
        if prompt.request.options.tools:
            message = _with_calls(text)
        choices = [{"message": message, "finish_reason": "stop" if ended else "length"}]
        usage = {"prompt_tokens": len(prompt.ids), "completion_tokens": len(row)}
        return read_reply({"choices": choices, "usage": usage, "model": self._served_by})

    def _likeliest(self, batch: Sequence[_Prompt]) -> list[Response]:
        """The candidate with the highest log-likelihood after the prompt, the first of equal ones.
        The last token of a candidate is only foretold, so that letters share one row."""
        rows: dict[tuple[int, ...], int] = {}
        for prompt in batch:
            for candidate in prompt.candidates:
                rows.setdefault((*prompt.ids, *candidate[:-1]), len(rows))
        keep = max(len(candidate) for prompt in batch for candidate in prompt.candidates)
        likelihoods = self._likelihoods(list(rows), keep)

        def score(prompt: _Prompt, candidate: Sequence[int]) -> float:
            row = likelihoods[rows[*prompt.ids, *candidate[:-1]], keep - len(candidate) :]
            return float(sum(row[place, token] for place, token in enumerate(candidate)))

        responses = []
        for prompt in batch:
            scores = [score(prompt, candidate) for candidate in prompt.candidates]
            best = scores.index(max(scores))
            usage = Usage(len(prompt.ids), len(prompt.candidates[best]))
            text, by = prompt.request.options.candidates[best], self._served_by
            responses.append(Response(Status.ANSWERED, text, usage=usage, served_by=by))
        return responses

    def _likelihoods(self, rows: Sequence[Sequence[int]], keep: int) -> Any:
        """Of every token at the last places of each row, the logarithm of how likely it follows."""
        ids, there = self._padded(rows)
        more = {"logits_to_keep": keep, "position_ids": (there.cumsum(-1) - 1).clamp(min=0)}
        taken = {name: value for name, value in more.items() if name in self._takes}
        logits = self._model(input_ids=ids, attention_mask=there, use_cache=False, **taken).logits[
            :, -keep:
        ]
        return self._torch.log_softmax(logits.float(), dim=-1).cpu()

    def _padded(self, rows: Sequence[Sequence[int]]) -> tuple[Any, Any]:
        """Rows of tokens, padded on the left, and where there is a token."""
        longest = max(map(len, rows))
        ids = [[self._pad] * (longest - len(row)) + [*row] for row in rows]
        there = [[0] * (longest - len(row)) + [1] * len(row) for row in rows]
        tensor = partial(self._torch.tensor, device=self._device)
        return tensor(ids), tensor(there)

    def _text(self, ids: Sequence[int]) -> str:
        text: str = self._tokenizer.decode(
            ids, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return text

    def _ending(self, batch: Sequence[_Prompt], ends: list[int | None]) -> Any:
        """Says after each token which rows are done, and puts into `ends` after how many tokens."""
        start, stop = max(len(prompt.ids) for prompt in batch), batch[0].request.options.stop
        tail = max((len(word.encode()) for word in stop), default=0)  # a token has a byte at least

        def done(row: list[int]) -> bool:
            return row[-1] in self._ends or (
                bool(stop) and any(word in self._text(row[-tail:]) for word in stop)
            )

        def ended(ids: Any, _scores: Any, **_: Any) -> Any:
            for number, row in enumerate(ids[:, max(start, ids.shape[1] - tail - 1) :].tolist()):
                if ends[number] is None and done(row):
                    ends[number] = ids.shape[1] - start
            over = self._stopped.is_set()
            return self._torch.tensor([over or end is not None for end in ends], device=ids.device)

        return ended

    def _dice(self, batch: Sequence[_Prompt]) -> Any:
        """Draws by noise on the scores, of which generate() then takes the highest: with Gumbel's
        noise that is a draw from their distribution, and each row can have dice of its own."""
        torch, (temperature, top_p, top_k) = self._torch, batch[0].sampling
        dice = []
        for request in (prompt.request for prompt in batch):
            # With a seed they are always the same, whatever else is in the batch.
            seeded = request.options.seed is not None
            seed = int(request.prompt_hash()[:14], 16) if seeded else int.from_bytes(os.urandom(7))
            dice.append(torch.Generator(self._device).manual_seed(seed))

        def drawn(_ids: Any, scores: Any) -> Any:
            scores = scores.float() / temperature
            if top_k:
                least = scores.topk(min(top_k, scores.shape[-1])).values[:, -1:]
                scores = scores.masked_fill(scores < least, -torch.inf)
            if top_p < 1:
                ranked, order = scores.sort(descending=True)
                chances = ranked.softmax(-1)
                beyond = chances.cumsum(-1) - chances >= top_p
                beyond[:, 0] = False  # the likeliest always stays
                scores = scores.masked_fill(beyond.scatter(-1, order, beyond), -torch.inf)
            noise = torch.empty_like(scores)
            for row, generator in zip(noise, dice, strict=True):
                row.exponential_(generator=generator)
            return scores - noise.log()

        return drawn


def _turn(message: Message) -> JSONObject:
    """A message as chat templates read it: arguments of calls as objects, where they are some."""
    turn: JSONObject = {"role": message.role, "content": message.content}
    for call in message.tool_calls:
        function = {"name": call.name, "arguments": _decoded(call.arguments)}
        made = {"type": "function", "id": call.id, "function": function}
        turn.setdefault("tool_calls", []).append(made)
    if message.tool_call_id is not None:
        turn["tool_call_id"] = message.tool_call_id
    return turn


def _with_calls(text: str) -> JSONObject:
    """What was written, apart from the calls in it; what only looks like a call stays text."""
    calls: list[JSONObject] = []

    def take(match: re.Match[str]) -> str:
        call = _decoded(match[1])
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            return match[0]
        calls.append({"function": call})
        return ""

    return {"content": _TOOL_CALL.sub(take, text), "tool_calls": calls}


def _decoded(text: str) -> object:
    """The JSON value, or the text itself."""
    try:
        return decode_json(text.encode())
    except msgspec.DecodeError:
        return text

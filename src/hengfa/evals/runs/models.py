"""A model by its name on the command line, or as a function: whoever can write one can have it
tested."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import to_builtins
from msgspec.structs import replace

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import MissingExtra, UsageError
from hengfa.base.secrets import PrivateFields, Secret, read_address, show_address
from hengfa.base.workers import Executor, Processes
from hengfa.evals.engine.batches import HELD_SECONDS, BatchModel
from hengfa.evals.engine.messages import Model, Request, Response, Status
from hengfa.evals.engine.pacing import Pool
from hengfa.evals.engine.replies import is_blank
from hengfa.evals.engine.vendors import (
    BATCHES,
    COMPLETION_BATCHES,
    PROVIDERS,
    Provider,
    find_key,
    read_addresses,
    read_config,
)
from hengfa.evals.suites import builtin
from hengfa.evals.suites.base import PredictionContext
from hengfa.evals.suites.builtin import read_law
from hengfa.evals.suites.plan import SAMPLE_DATA, Plan
from hengfa.evals.suites.predictions import read_predictions

ENDPOINT_FORMS = """\
PROVIDER:MODEL                   one of the providers of `hengfa models`
endpoint:MODEL                   any OpenAI-compatible server, at --base-url
hf:DIR                           a folder of weights, asked in this process (extra: train)
inspect:PROVIDER/MODEL           any provider of Inspect AI (extra: inspect)
replay:RUN                       the answers of an earlier run"""
GRADER_ADDRESS = "--grader-base-url"
GRADER_ENDPOINT_FORMS = ENDPOINT_FORMS.replace("--base-url", GRADER_ADDRESS)
FORMS = f"""\
floor, ceiling, retrieval        built in, offline
{ENDPOINT_FORMS}
none                             an agent that brings its own: --set agent=module:function
saved:FILE                       predictions that another tool saved, to have them graded"""
SAVED, HF, NONE = "saved", "hf", "none"
AGENT = "agent"
"""The option by which suites name an agent of the user's own."""
CHOICES = ("loglikelihood",)
"""Ways to answer multiple choice other than in writing."""
OUTSIDE = (HF, "inspect", "replay")
"""Kinds of models that are neither built in nor providers."""


@dataclass(frozen=True, slots=True)
class Connection:
    """How a model is reached; `private` are fields of the request that hold secrets.

    `base_url` is one address or several, or `@FILE` for those in a file, `address_option` what a
    person gave it by; `lanes` is how many requests each of them gets at a time. `device` is where a
    model in this process works, `folder` its weights if its name does not say; `replicas` of it are
    loaded by the workers of a cluster. With `batch` it is asked through its vendor's batch
    interface, with `detach` without waiting for that. With `completions` it is a base model.
    """

    base_url: str | Sequence[str] | None = field(default=None, repr=False)
    timeout: float = 600.0
    stream: bool = False
    lanes: int = 64
    private: PrivateFields = field(default_factory=PrivateFields)
    device: str = "auto"
    folder: Path | None = None
    address_option: str = "--base-url"
    batch: bool = False
    detach: bool = False
    replicas: int | None = None
    executor: Executor | None = field(default=None, repr=False)
    completions: bool = False


def open_model(name: str, plan: Plan, connection: Connection) -> Model:
    """The model a user named; an error lists the forms a name can take."""
    check_name(name)
    check_agent(name, plan)
    check_batch(name, connection)
    _check_replicas(name, connection)
    if name == NONE:
        return NoModel(plan.options[AGENT])
    if name in builtin.NAMES:
        root = sample_root() if plan.source == SAMPLE_DATA else plan.data.root
        return builtin.build(name, plan.questions, read_law(root), plan.chosen, plan.repeats)
    kind, _, rest = name.partition(":")
    if kind == SAVED:
        return _open_saved(Path(rest), plan)
    return open_outside(name, connection)


Function: TypeAlias = Callable[[list[dict[str, Any]]], str | Awaitable[str]]
"""From the messages of a prompt, as `{"role": "user", "content": …}`, to what is answered."""


class FunctionModel:
    """Answers with a function: an `async` one many questions at a time, another one by one.

    What it raises is a response that failed, with the reason; a run whose every question fails ends
    as it does with a server that is down.
    """

    address = ""

    def __init__(self, function: Function) -> None:
        self.name = getattr(function, "__name__", type(function).__name__).strip("<>")
        self._function = function

    async def generate(self, request: Request) -> Response:
        messages = [{"content": "", **to_builtins(message)} for message in request.messages]
        try:
            said = self._function(messages)
            text = await said if inspect.isawaitable(said) else said
        except Exception as error:  # noqa: BLE001 - anything can be wrong with other people's code
            return Response(Status.FAILED, reason=f"{type(error).__name__}: {error}")
        if not isinstance(text, str):
            reason = f"{self.name} returned {type(text).__name__}, not text"
            return Response(Status.FAILED, reason=reason)
        if is_blank(text):
            return Response(Status.EMPTY, reason="no text")
        return Response(Status.ANSWERED, text)

    async def close(self) -> None:
        return


class NoModel:
    """Nobody to ask: an agent has a model of its own, and the run is named after the agent."""

    address = ""

    def __init__(self, agent: str) -> None:
        self.name = agent

    async def generate(self, _request: Request) -> Response:
        reason = f"{self.name} asks for the model of the run: name one instead of --model {NONE}"
        return Response(Status.FAILED, reason=reason)

    async def close(self) -> None:
        return


def check_agent(name: str, plan: Plan) -> None:
    """Refuse an agent beside answers that are here already, and no model without an agent."""
    agent = plan.options.get(AGENT, "")
    if name == NONE and ":" not in agent:
        raise UsageError(
            f"--model {NONE} is for an agent with a model of its own: --set {AGENT}=module:function"
        )
    if agent and (name in builtin.NAMES or name.startswith(f"{SAVED}:")):
        raise UsageError(f"--set {AGENT}={agent}: {name} answers by itself and asks no agent")


def _open_saved(place: Path, plan: Plan) -> Model:
    """Predictions as a model: they enter at the response and go the way of all others."""
    if not place.exists():
        raise UsageError(f"--model {SAVED}:…: there is no file or folder {place}")
    if plan.repeats > 1:
        raise UsageError(f"--model {SAVED}:…: what is saved was asked once; leave out --repeats")
    options = tuple(plan.options.items())
    context = PredictionContext(plan.setting, plan.data.root, partial=True, options=options)
    saved_runs = read_predictions(plan.suite, place, context)
    if len(saved_runs) != 1:
        names = ", ".join(f"{saved.model} ({saved.setting})" for saved in saved_runs) or "none"
        raise UsageError(f"--model {SAVED}:{place}: one model is needed, there is: {names}")
    answers = {
        plan.suite.key(task, plan.setting, attempt.sample): attempt.response.text
        for task in saved_runs[0].tasks()
        for attempt in saved_runs[0].attempts(task)
    }
    return builtin.BuiltIn(saved_runs[0].model, answers)


def open_outside(name: str, connection: Connection) -> Model:
    """A model that is not built in: an endpoint, a folder, one of Inspect's, a run's answers."""
    check_batch(name, connection)
    _check_replicas(name, connection)
    kind, _, rest = name.partition(":")
    if kind == "replay":
        # Imported here and below: each way brings libraries that the others do not need.
        from hengfa.evals.engine.journal import Replay  # noqa: PLC0415

        return Replay(Path(rest))
    if kind == HF:
        return _open_folder(connection.folder or Path(rest), connection)
    if kind == "inspect":
        return _open_inspect(name, rest, connection)
    return _open_endpoint(name, kind, rest, connection)


def check_name(
    name: str,
    *,
    option: str = "--model",
    built_in: Collection[str] = (*builtin.NAMES, NONE),
    kinds: Collection[str] = (SAVED, *OUTSIDE),
    forms: str = FORMS,
) -> None:
    """Refuse a name that means no model, before anything else is done."""
    kind, colon, rest = name.partition(":")
    known = kind in kinds or kind in PROVIDERS
    if name in built_in or (rest and known):
        return
    no_provider = colon and not known
    reason = f"there is no provider {kind!r}" if no_provider else f"{name!r} is not a model name"
    raise UsageError(f"{option}: {reason}. Names look like this:\n{forms}")


def check_batch(name: str, connection: Connection) -> None:
    """Refuse `--batch` and `--completions` where there is no such interface, before anything else
    is done."""
    kind = name.partition(":")[0]
    if connection.completions and kind not in (*PROVIDERS, "replay"):
        raise UsageError(f"--completions: only a server can be asked so, not {name}")
    if connection.detach and not connection.batch:
        raise UsageError("--detach is for --batch: there is nothing else that goes on by itself")
    if not connection.batch:
        return
    if connection.completions and kind not in COMPLETION_BATCHES:
        there_is = ", ".join(COMPLETION_BATCHES)
        raise UsageError(f"--completions --batch: {name} takes no texts by batch; {there_is} do")
    form = BATCHES.get(kind)
    if form is None:
        raise UsageError(
            f"--batch: {name} has no batch interface; {', '.join(sorted(BATCHES))} have one, "
            "endpoint where the server takes files and batches as OpenAI does"
        )
    if form.held and connection.detach:
        raise UsageError(f"--detach: the batch interface of {name} answers only who waits for it")


def name_in_records(name: str) -> str:
    """What a model is called where it is written down: of a folder, also which weights it holds."""
    kind, _, rest = name.partition(":")
    if kind != HF:
        return name
    from hengfa.evals.engine.local_model import local_name  # noqa: PLC0415

    return local_name(Path(rest))


def asks_nobody(name: str, built_in: Collection[str] = builtin.NAMES) -> bool:
    """Whether its answers are here already, so that they cost nothing."""
    return name in built_in or name.partition(":")[0] in (SAVED, "replay")


def _check_replicas(name: str, connection: Connection) -> None:
    if connection.replicas and not name.startswith(f"{HF}:"):
        raise UsageError(f"--replicas are of a model {HF}:DIR, not of {name}")


def _open_folder(folder: Path, connection: Connection) -> Model:
    from hengfa.evals.engine.local_model import LocalModel  # noqa: PLC0415

    if not connection.replicas:
        return LocalModel(folder, device=connection.device)
    if connection.executor is None or isinstance(connection.executor, Processes):
        raise UsageError("--replicas are loaded by the workers of a cluster: --executor ray")
    from hengfa.evals.bridge.ray_cluster import RayCluster  # noqa: PLC0415

    if not isinstance(connection.executor, RayCluster):
        raise UsageError(f"{type(connection.executor).__name__} loads no replicas of a model")
    return connection.executor.replicas(folder, connection.replicas, connection.device)


def _open_endpoint(name: str, provider: str, model: str, connection: Connection) -> Model:
    from hengfa.evals.engine.endpoint import CHAT, Endpoint  # noqa: PLC0415

    config = read_config()
    own = config.providers.get(provider)
    known = PROVIDERS[provider]
    usual = (own.base_url if own else None) or known.base_url
    option = connection.address_option
    base_urls = read_addresses(connection.base_url, option)
    if not base_urls:
        if not usual:
            raise UsageError(f"{name} needs {option}, such as http://localhost:8000/v1")
        option = "base_url in config.toml"
        base_urls = read_addresses(usual, option)
    key = find_key(provider, config)
    form = BATCHES[provider] if connection.batch else None
    if form is not None and connection.completions:
        form = replace(form, url=COMPLETION_BATCHES[provider])
    if form is not None and len(base_urls) > 1:
        raise UsageError(f"--batch: {name} has one {option}, for a batch lies at one server")
    held = form.held if form is not None else ""
    servers = [
        Endpoint(
            name,
            model=model,
            base_url=base_url,
            provider=known,
            key=_key_for(base_url, option, key, known, alone=len(base_urls) == 1),
            private=connection.private,
            timeout=max(connection.timeout, HELD_SECONDS) if held else connection.timeout,
            stream=connection.stream and not form,
            connections=connection.lanes,
            path=held or CHAT,
        )
        for base_url in base_urls
    ]
    if form is not None:
        return BatchModel(servers[0], form, lanes=connection.lanes, detach=connection.detach)
    return servers[0] if len(servers) == 1 else Pool(name, servers)


def _key_for(
    base_url: str, option: str, key: Secret | None, known: Provider, *, alone: bool
) -> Secret | None:
    """The key that goes to an address; among several, one with a login of its own gets none."""
    if not base_url.startswith(("http://", "https://")):
        shown = show_address(base_url)
        raise UsageError(f"{option}: {shown!r} does not begin with http:// or https://")
    address = read_address(base_url, option)
    if key is not None and address.login is not None:
        if not alone:
            return None
        raise UsageError(
            f"{option} has a name and password in it, and there is a key in "
            f"{' or '.join(known.key_variables)} or config.toml: a request can carry only one"
        )
    if key is None and base_url.startswith("https://") and not address.secrets:
        raise UsageError(
            f"no key for {known.title}: set {' or '.join(known.key_variables)}, "
            "or put it into config.toml (see docs/models.md)"
        )
    return key


def _open_inspect(name: str, rest: str, connection: Connection) -> Model:
    try:
        from hengfa.evals.bridge.inspect_model import InspectModel  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra("inspect", "inspect:…") from error
    option = connection.address_option
    base_urls = read_addresses(connection.base_url, option)
    if len(base_urls) > 1:
        raise UsageError(f"{name}: Inspect's providers take one {option}")
    for base_url in base_urls:
        read_address(base_url, option)
    return InspectModel(
        name, rest, next(iter(base_urls), None), connection.timeout, connection.private
    )

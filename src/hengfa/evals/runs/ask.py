"""The one request: whom to ask what, how, and how the run is carried out.

The fields of `Ask` are the keywords of `hengfa.evaluate` and `hengfa.estimate`; what stands beside
their types are the options of `hengfa eval` and `hengfa parts write`. So it is with `AskGrader`,
`hengfa.grader` and the options that name graders.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar, get_args, get_type_hints

import click
import msgspec

from hengfa.base.data.jsonfile import json_decoder
from hengfa.base.data.paths import StrPath
from hengfa.base.errors import UsageError
from hengfa.base.options import (
    POSITIVE,
    Number,
    Place,
    Whole,
    accept_option,
    data_option,
    executor_option,
    flag,
    given_by,
    ids_option,
    number_or_default,
    options_of,
    pass_at_option,
    rules_option,
    runs_option,
    set_option,
    setting_option,
    several,
)
from hengfa.base.progress import Notify, Progress, quiet
from hengfa.base.secrets import PrivateFields, part_fields
from hengfa.base.shards import parse_shard
from hengfa.base.workers import Executor
from hengfa.evals.engine.budget import Limits
from hengfa.evals.engine.messages import Model, Options, Status
from hengfa.evals.engine.session import RetryPolicy, Sitting
from hengfa.evals.engine.vendors import OWN_FIELDS
from hengfa.evals.grading.graded import How
from hengfa.evals.runs.grading import BUILT_IN, GraderChoice, check_grader, check_screen
from hengfa.evals.runs.models import (
    CHOICES,
    GRADER_ADDRESS,
    HF,
    Connection,
    Function,
    check_batch,
    name_in_records,
)
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.plan import Plan, make_plan
from hengfa.evals.suites.scoring import ANSWERS, ANSWERS_AND_CUT

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
MALFORMED = "malformed"
"""What `retry` calls grades that a grader left open."""


def by_keywords(request: Callable[P, T]) -> Callable[[Callable[[T], R]], Callable[P, R]]:
    """A function of a request as one that takes its fields as keywords, and says so to `help`."""

    def decorate(function: Callable[[T], R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **fields: P.kwargs) -> R:
            return function(request(*args, **fields))

        names = inspect.signature(request).parameters
        hints = {name: kind for name, kind in get_type_hints(request).items() if name in names}
        result = get_type_hints(function)["return"]
        call.__annotations__ = {**hints, "return": result}
        call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # that inspect reads
            [names[name].replace(annotation=kind) for name, kind in hints.items()],
            return_annotation=result,
        )
        return call

    return decorate


@dataclass(frozen=True, slots=True, repr=False)  # addresses and `extra` may hold keys
class AskGrader:
    """Who grades, and how."""

    name: str
    _: KW_ONLY
    repeats: int = flag(
        1,
        "Ask graders about each answer so many times: how far do they agree with themselves?",
        Whole(1, 1000),
    )
    base_url: str | Sequence[str] | None = flag(
        None,
        "Address of the grader's server; of several servers each, or a file with one a line.",
        multiple=True,
        metavar="URL|@FILE",
    )
    device: str = flag("auto", "As --device, of a grader hf:DIR.")
    lanes: int = flag(16, "Most requests to a server of a grader in flight.", Whole(1))
    replicas: int | None = flag(None, "As --replicas, of a grader hf:DIR.", Whole(1))
    executor: Executor | None = given_by(None, executor_option)
    max_new_tokens: int | None = flag(None, "Longest reply of a grader.", Whole(1))
    max_cost: float | None = flag(None, "Stop before one grader costs more.", POSITIVE)
    max_tokens: int | None = flag(None, "Stop before one grader uses more tokens in all.", Whole(1))
    regrade: bool = flag(
        False,
        "Ask graders anew; their old grades are kept aside.",
        names=("--regrade", "grader_regrade"),
    )
    batch: bool = flag(
        False,
        "Ask all models, graders too, through the batch interface of their vendors: for less, "
        "within a day (docs/models.md).",
        names=("--batch",),
    )
    detach: bool = flag(
        False,
        "With --batch: end once all is submitted; the same command later fetches the answers.",
        names=("--detach",),
    )
    timeout: float = 600.0
    screens: bool = False
    progress: bool | Progress = False


@by_keywords(AskGrader)
def grader(ask: AskGrader) -> GraderChoice:
    """A grader by its name, and how it is asked: at temperature 0, `repeats` times an answer.

    `batch` is for graders that are models; those that are built in need none.

    One that `screens` gives no points; it says which sentences of an answer talk to its graders.
    Of a model in a folder an `executor` loads `replicas`.
    """
    (check_screen if ask.screens else check_grader)(ask.name)
    weights = Path(ask.name.removeprefix(f"{HF}:")) if ask.name.startswith(f"{HF}:") else None
    batch = ask.batch and ask.name not in BUILT_IN
    connection = Connection(
        ask.base_url, ask.timeout, lanes=ask.lanes, device=ask.device, folder=weights,
        address_option=GRADER_ADDRESS, batch=batch, detach=ask.detach and batch,
        replicas=ask.replicas, executor=ask.executor,
    )  # fmt: skip
    check_batch(ask.name, connection)
    limits = Limits(ask.max_cost, ask.max_tokens)
    return GraderChoice(
        name=name_in_records(ask.name),
        connection=connection,
        options=Options(temperature=0.0, max_new_tokens=ask.max_new_tokens),
        sitting=Sitting(lanes=ask.lanes, limits=limits, progress=ask.progress),
        anew=ask.regrade,
        screens=ask.screens,
        repeats=ask.repeats,
    )


def graders_named(
    graders: Sequence[str | GraderChoice], progress: bool | Progress = False
) -> list[GraderChoice]:
    """Graders of which some are only named."""
    return [grader(one, progress=progress) if isinstance(one, str) else one for one in graders]


def _parts(_context: click.Context, _option: click.Parameter, text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _object(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> dict[str, object]:
    try:
        return {} if text is None else json_decoder(dict[str, object])(text)
    except msgspec.DecodeError as error:
        raise UsageError(f"--extra must be one JSON object: {error}") from error


def _lines(_context: click.Context, _option: click.Parameter, texts: Sequence[str]) -> list[str]:
    return [text.replace(r"\n", "\n") for text in texts]


grader_options = several(
    click.option(
        "--grader",
        "graders",
        multiple=True,
        metavar="MODEL",
        help="Who grades: keywords (built in, looks for words) or a model, named as for --model. "
        "Each has a score of its own.",
    ),
    options_of(AskGrader, "grader_"),
)
"""All options that name graders and say how they are asked."""
_repeats_option = click.option(
    "--repeats",
    type=Whole(1, 1000),
    default=1,
    help="Ask each question K times: how much of a score is luck? Set --temperature as in use.",
    metavar="K",
)
panel_option = click.option(
    "--panel",
    type=click.Choice(get_args(How)),
    help="Score the graders named here also as a panel: one mark for each item by this rule.",
)
screen_option = click.option(
    "--screen",
    metavar="MODEL",
    help="A second model, perhaps a cheaper one, that says which sentences talk to the grader: "
    "awards that rest on them are flagged. Asked as graders are.",
)


@dataclass(frozen=True, slots=True, repr=False)  # addresses and `extra` may hold keys
class Ask:
    """How a model is asked the questions of a suite, and how what it says is kept and scored.

    An option beside a field that is no field itself (`--pass-at`, `--screen`) has its place there.
    """

    target: str
    model: str | Model | Function
    _: KW_ONLY
    limit: int | None = flag(None, "Ask at most N samples of each task.", Whole(1))
    ids: Sequence[str] | None = given_by(None, ids_option)
    repeats: int = given_by(1, _repeats_option, pass_at_option)
    shard: str | None = flag(
        None,
        "Ask only part I of N, into a run of its own; `hengfa parts merge` joins them.",
        metavar="I/N",
    )
    setting: str | None = given_by(None, setting_option)
    options: Mapping[str, str] | None = given_by(None, set_option)
    prompts: StrPath | None = flag(
        None,
        "Ask by templates of your own, in TOML, or by a set that the suite brings.",
        metavar="FILE|NAME",
    )
    rules: str | Rules = given_by(Rules.OFFICIAL, rules_option)
    data: StrPath | None = given_by(None, data_option)
    runs: StrPath = given_by("runs", runs_option)
    name: str | None = flag(
        None, "Name of the run folder [default: suite, setting and model].", names=("--run", "name")
    )
    fresh: bool | None = flag(
        None, "Start over; the old run is kept aside.", is_flag=True, default=False
    )
    retry: Collection[str] = flag(
        (),
        "Besides what failed and malformed grades, ask again what ended so in an earlier sitting.",
        metavar="STATUS,…",
        default="",
        callback=_parts,
    )
    accept_truncated: bool = given_by(False, accept_option)
    base_url: str | Sequence[str] | None = flag(
        None,
        "Address of the server, such as http://localhost:8000/v1; of several servers each, or a "
        "file with one a line.",
        multiple=True,
        metavar="URL|@FILE",
    )
    temperature: float | None = flag(
        0.0,
        "A number, or 'default' to leave it to the server.",
        default="0",
        callback=number_or_default,
    )
    top_p: float | None = flag(None, "Nucleus sampling.", Number(0, 1))
    seed: int | None = flag(None, "Seed for servers that take one.", Whole(-(2**63), 2**63 - 1))
    max_new_tokens: int | None = flag(None, "Longest answer, thinking included.", Whole(1))
    max_input_tokens: int | None = flag(
        None,
        "Cut longer prompts at the end, as papers did; counted with Qwen's vocabulary.",
        Whole(1),
    )
    extra: Mapping[str, object] | None = flag(
        None, "More fields for the request body, as one object.", metavar="JSON", callback=_object
    )
    stop: Sequence[str] = flag(
        (),
        r"End answers before this text; \n is a new line. May be given several times.",
        metavar="TEXT",
        multiple=True,
        callback=_lines,
    )
    completions: bool = flag(
        False,
        "A base model: it goes on with the prompt as one text, at /completions, without a chat "
        "template. Needs --max-new-tokens; mind --accept-truncated.",
    )
    choice: str | None = flag(
        None,
        "Answer multiple choice not in writing, but by the likeliest letter; for hf:DIR.",
        click.Choice(CHOICES),
    )
    device: str = flag("auto", "Where hf:DIR works: cpu, cuda, cuda:1, mps; a GPU if there is one.")
    replicas: int | None = flag(
        None,
        "Load hf:DIR so many times, by workers of --executor ray, and share the questions out.",
        Whole(1),
    )
    stream: bool = flag(False, "Receive answers piece by piece.", names=("--stream/--no-stream",))
    lanes: int = flag(
        64, "Most requests in flight at a server; fewer are used while it complains.", Whole(1)
    )
    timeout: float = flag(600.0, "Longest silence of the server, in seconds.", POSITIVE)
    attempts: int = flag(6, "Tries per request before it counts as failed.", Whole(1, 1000))
    max_cost: float | None = flag(
        None, "Stop before the run costs more (hengfa models price).", POSITIVE
    )
    max_tokens: int | None = flag(None, "Stop before the run uses more tokens in all.", Whole(1))
    max_seconds: float | None = flag(None, "Start no request after this many seconds.", POSITIVE)
    trained_on: Sequence[StrPath] = flag(
        (),
        "The model was trained on these rows of `hengfa train data`: where questions of the suite "
        "are among them, the run is marked. May be given several times.",
        Place(exists=True, file_okay=False),
        multiple=True,
        metavar="DIR",
    )
    graders: Sequence[str | GraderChoice] = given_by((), grader_options)
    batch: bool = False
    detach: bool = False
    executor: Executor | None = None
    panel: How | None = given_by(None, panel_option, screen_option)
    ungraded: bool = flag(
        False, "Ask only, what graders score too; `hengfa grade run` has it graded later."
    )
    jobs: int = 1
    progress: bool | Progress = False
    notify: Notify = quiet

    def plan(self) -> Plan:
        """The questions; all of them, if only a part of the run is asked for."""
        return make_plan(
            self.target,
            setting=self.setting,
            data=None if self.data is None else os.fspath(self.data),
            limit=self.limit,
            options=self.options,
            max_input_tokens=self.max_input_tokens,
            repeats=self.repeats,
            prompts=None if self.prompts is None else os.fspath(self.prompts),
            ids=self.ids,
        )

    def part(self, plan: Plan) -> Plan:
        """Those questions of a plan that are asked here."""
        return plan if self.shard is None else plan.part(parse_shard(self.shard))

    def wording(self) -> tuple[Options, PrivateFields]:
        """What each request says beside its question; its private fields are in it as `***`."""
        if ours := OWN_FIELDS.intersection(self.extra or {}):
            raise UsageError(
                f"--extra must not set {', '.join(sorted(ours))}: that is ours, or an option"
            )
        if self.completions and self.max_new_tokens is None:
            raise UsageError(
                "--completions: give --max-new-tokens, for a base model stops nowhere by itself, "
                "and servers write 16 tokens where nothing is said"
            )
        kept, private = part_fields(self.extra or {})
        # 1 and 1.0 are one temperature, and must be one question in the journal
        temperature, top_p = (
            None if number is None else float(number) for number in (self.temperature, self.top_p)
        )
        options = Options(
            temperature=temperature, top_p=top_p, seed=self.seed,
            max_new_tokens=self.max_new_tokens, extra=kept, choice=self.choice,
            stop=tuple(self.stop), completions=self.completions,
        )  # fmt: skip
        return options, private

    def connection(self, private: PrivateFields) -> Connection:
        """How the model is reached."""
        return Connection(
            self.base_url, self.timeout, self.stream, self.lanes, private, self.device,
            batch=self.batch, detach=self.detach, replicas=self.replicas, executor=self.executor,
            completions=self.completions,
        )  # fmt: skip

    def sitting(self) -> Sitting:
        """How much is asked at a time, how patiently, and when it ends."""
        return Sitting(
            lanes=self.lanes,
            retry=RetryPolicy(attempts=self.attempts),
            limits=Limits(self.max_cost, self.max_tokens, self.max_seconds),
            ask_again=self.ask_again(),
            progress=self.progress,
        )

    def ask_again(self) -> frozenset[Status]:
        """What failed, and what is named; malformed grades always are."""
        known = {str(status) for status in Status if status is not Status.ANSWERED} | {MALFORMED}
        if unknown := {*self.retry} - known:
            raise UsageError(f"--retry: no status {', '.join(sorted(unknown))}; there is: "
                             f"{', '.join(sorted(known))}")  # fmt: skip
        return frozenset(Status(name) for name in self.retry if name != MALFORMED) | {Status.FAILED}

    def answer_statuses(self) -> frozenset[Status]:
        """What is read as an answer."""
        return ANSWERS_AND_CUT if self.accept_truncated else ANSWERS

    def check_choice(self, plan: Plan) -> None:
        """Refuse where nobody can choose so; say what is answered in writing all the same."""
        choice, model = self.choice, self.model
        if choice is None:
            return
        if choice not in CHOICES:
            raise UsageError(f"--choice: {choice!r} is none of {', '.join(CHOICES)}")
        if not isinstance(model, str) or not model.startswith(f"{HF}:"):
            raise UsageError(
                f"--choice {choice}: only a model in this process can, --model {HF}:DIR"
            )
        tasks = [asked.task for asked in plan.questions]
        written = [task.id for task in tasks if task.choices is None]
        if len(written) == len(tasks):
            raise UsageError(
                f"--choice {choice}: no task of {plan.suite.name} that is asked has letters"
            )
        if written:
            self.notify(
                f"--choice {choice}: {', '.join(written)} have no letters and are answered in "
                "writing"
            )

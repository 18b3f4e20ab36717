"""Asking models, scoring, grading, comparing, as the commands of these names do."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias, cast

from hengfa.base.errors import UsageError
from hengfa.base.progress import Progress
from hengfa.base.secrets import PrivateFields, part_fields
from hengfa.base.shards import parse_shard
from hengfa.base.statistics.intervals import SEED
from hengfa.base.workers import Executor, Processes
from hengfa.evals.api.scores import Run, Scores, open_run
from hengfa.evals.engine.budget import Limits
from hengfa.evals.engine.function import Function, FunctionModel
from hengfa.evals.engine.messages import Model, Options, Status
from hengfa.evals.engine.session import RetryPolicy
from hengfa.evals.engine.vendors import OWN_FIELDS
from hengfa.evals.grading.panel import How
from hengfa.evals.runs import batch_files
from hengfa.evals.runs import estimate as estimating
from hengfa.evals.runs import evaluate as evaluating
from hengfa.evals.runs.compare import Comparison, compare_runs
from hengfa.evals.runs.costs import Estimate
from hengfa.evals.runs.folder import MANIFEST, RunFigures, accepted, named_folder, read_manifest
from hengfa.evals.runs.grading import BUILT_IN, GraderChoice, check_grader, check_screen
from hengfa.evals.runs.look import find_alike, find_run
from hengfa.evals.runs.merge import merge_runs, take_part
from hengfa.evals.runs.models import (
    CHOICES,
    GRADER_ADDRESS,
    HF,
    SAVED,
    Connection,
    check_batch,
    check_name,
    name_in_records,
    open_model,
)
from hengfa.evals.runs.repeats import PASS_AT, parse_passing
from hengfa.evals.runs.score import (
    HowScored,
    score_files,
    score_run,
    score_runs,
    scored_options,
    submissions_of,
)
from hengfa.evals.runs.sitting import Notify, Sitting, quiet
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.builtin import BuiltIn
from hengfa.evals.suites.line_predictions import Rows, rows_in_memory
from hengfa.evals.suites.plan import Plan, make_plan, parse_target
from hengfa.evals.suites.registry import use_file
from hengfa.evals.suites.scoring import ANSWERS, ANSWERS_AND_CUT

MALFORMED = "malformed"
"""What `retry` calls grades that a grader left open."""
Place: TypeAlias = str | os.PathLike[str]
"""A file, a folder, or a `Run`."""


class PolarsFrame(Protocol):
    """What is needed of a Polars frame."""

    def to_dicts(self) -> list[dict[str, Any]]: ...


class PandasFrame(Protocol):
    """What is needed of a pandas frame."""

    def to_dict(self, orient: Any) -> Any: ...


Predictions: TypeAlias = (
    Place | Sequence[Place] | Iterable[Mapping[str, Any]] | PolarsFrame | PandasFrame
)
"""Runs, files and folders; or rows and frames of `task`, `id` and `prediction`."""


def evaluate(
    target: str,
    model: str | Model | Function,
    *,
    data: Place | None = None,
    setting: str | None = None,
    limit: int | None = None,
    ids: Sequence[str] | None = None,
    options: Mapping[str, str] | None = None,
    prompts: Place | None = None,
    rules: str | Rules = Rules.OFFICIAL,
    runs: Place = "runs",
    name: str | None = None,
    fresh: bool | None = None,
    retry: Collection[str] = (),
    accept_truncated: bool = False,
    base_url: str | Sequence[str] | None = None,
    temperature: float | None = 0.0,
    top_p: float | None = None,
    seed: int | None = None,
    max_new_tokens: int | None = None,
    max_input_tokens: int | None = None,
    extra: Mapping[str, object] | None = None,
    choice: str | None = None,
    stop: Sequence[str] = (),
    completions: bool = False,
    device: str = "auto",
    stream: bool = False,
    lanes: int = 64,
    timeout: float = 600.0,
    attempts: int = 6,
    max_cost: float | None = None,
    max_tokens: int | None = None,
    max_seconds: float | None = None,
    batch: bool = False,
    detach: bool = False,
    repeats: int = 1,
    shard: str | None = None,
    graders: Sequence[str | GraderChoice] = (),
    ungraded: bool = False,
    panel: How | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    replicas: int | None = None,
    trained_on: Sequence[Place] = (),
    progress: bool | Progress = False,
    notify: Notify = quiet,
) -> Run:
    """Ask a model the questions of `SUITE` or `SUITE/TASK,…`, keep every answer, score them.

    `model` is a name as on the command line, a function from messages to text, or a `Model`. The
    same call continues an interrupted run and asks nothing twice; but a function may have changed,
    so it is asked anew unless `fresh` is False. Parameters are the options of `hengfa eval`, with
    a sequence as `base_url` where there are several servers; `progress` is True for its line on
    standard error, or is told (done, total); `ids` are names of questions, `TASK/SAMPLE`. An
    `executor` loads `replicas` of a model, and scores in place of `jobs` processes. `trained_on`
    are folders of training data that the model is declared to have been trained on. What graders
    score needs `graders`, or `ungraded`: then it is only asked, for `grade` later.
    """
    plan = make_plan(
        target,
        setting=setting,
        data=None if data is None else os.fspath(data),
        limit=None if _is_saved(model) else limit,
        options=options,
        max_input_tokens=max_input_tokens,
        repeats=repeats,
        prompts=None if prompts is None else os.fspath(prompts),
        ids=ids,
    )
    asking = _graders(graders, progress)
    _check_graders(plan, asking, ungraded)
    if repeats > 1 and temperature == 0:
        notify(
            f"asked {repeats} times at temperature 0, answers differ only by what the server does; "
            "give --temperature as the model is used"
        )
    asked, private = _asked(
        temperature, top_p, seed, max_new_tokens, extra, choice, stop, completions
    )
    if choice is not None:
        _check_choice(choice, model, plan, notify)
    connection = Connection(
        base_url,
        timeout,
        stream,
        lanes,
        private,
        device,
        batch=batch,
        detach=detach,
        replicas=replicas,
        executor=executor,
        completions=completions,
    )
    opened = _opened(model, plan, connection)
    if isinstance(opened, BuiltIn) and _is_saved(model):
        plan = plan.among(plan.chosen.intersection(opened.answers), limit)
        if not plan.chosen:
            raise UsageError(f"{model} has no answer to what {target} asks in {plan.setting}")
    if shard is not None:
        plan = plan.part(parse_shard(shard))
    folder, outcomes = evaluating.evaluate(
        plan,
        opened,
        asked,
        _chosen(rules),
        runs=Path(runs),
        name=name,
        settings=evaluating.Settings(
            lanes=lanes,
            retry=RetryPolicy(attempts=attempts),
            limits=Limits(max_cost, max_tokens, max_seconds),
            ask_again=_statuses(retry),
            progress=progress,
            accept=ANSWERS_AND_CUT if accept_truncated else ANSWERS,
            fresh=isinstance(opened, FunctionModel) if fresh is None else fresh,
            scoring=executor or Processes(jobs),
        ),
        graders=asking,
        panel=panel,
        trained_on=[Path(place) for place in trained_on],
        notify=notify,
    )
    return open_run(folder, outcomes)


def estimate(
    target: str,
    model: str,
    *,
    data: Place | None = None,
    setting: str | None = None,
    limit: int | None = None,
    ids: Sequence[str] | None = None,
    options: Mapping[str, str] | None = None,
    prompts: Place | None = None,
    runs: Place = "runs",
    name: str | None = None,
    fresh: bool = False,
    retry: Collection[str] = (),
    accept_truncated: bool = False,
    temperature: float | None = 0.0,
    top_p: float | None = None,
    seed: int | None = None,
    max_new_tokens: int | None = None,
    max_input_tokens: int | None = None,
    extra: Mapping[str, object] | None = None,
    choice: str | None = None,
    stop: Sequence[str] = (),
    completions: bool = False,
    batch: bool = False,
    repeats: int = 1,
    shard: str | None = None,
    graders: Sequence[str | GraderChoice] = (),
) -> Estimate:
    """What `evaluate` would take, called with the same: requests, tokens and cost, as ranges.

    What the journals of the run hold already is left out; nothing is sent and nothing written.
    """
    check_name(model)
    check_batch(model, Connection(batch=batch, completions=completions))
    plan = make_plan(
        target,
        setting=setting,
        data=None if data is None else os.fspath(data),
        limit=limit,
        options=options,
        max_input_tokens=max_input_tokens,
        prompts=None if prompts is None else os.fspath(prompts),
        ids=ids,
        repeats=repeats,
    )
    if shard is not None:
        plan = plan.part(parse_shard(shard))
    asked, _ = _asked(temperature, top_p, seed, max_new_tokens, extra, choice, stop, completions)
    if choice is not None:
        _check_choice(choice, model, plan, quiet)
    return estimating.estimate(
        plan,
        model,
        asked,
        runs=Path(runs),
        name=name,
        fresh=fresh,
        ask_again=_statuses(retry),
        accept=ANSWERS_AND_CUT if accept_truncated else ANSWERS,
        graders=_graders(graders, progress=False),
        batch=batch,
    )


def write_batch(
    target: str,
    model: str,
    file: Place,
    *,
    data: Place | None = None,
    setting: str | None = None,
    limit: int | None = None,
    ids: Sequence[str] | None = None,
    options: Mapping[str, str] | None = None,
    prompts: Place | None = None,
    runs: Place = "runs",
    name: str | None = None,
    fresh: bool = False,
    temperature: float | None = 0.0,
    top_p: float | None = None,
    seed: int | None = None,
    max_new_tokens: int | None = None,
    max_input_tokens: int | None = None,
    extra: Mapping[str, object] | None = None,
    stop: Sequence[str] = (),
    repeats: int = 1,
    shard: str | None = None,
) -> tuple[Path, int]:
    """The questions that `evaluate` would ask as a file of lines; the run, and how many lines."""
    plan = make_plan(
        target,
        setting=setting,
        data=None if data is None else os.fspath(data),
        limit=limit,
        options=options,
        max_input_tokens=max_input_tokens,
        repeats=repeats,
        prompts=None if prompts is None else os.fspath(prompts),
        ids=ids,
    )
    if shard is not None:
        plan = plan.part(parse_shard(shard))
    asked, private = _asked(temperature, top_p, seed, max_new_tokens, extra, None, stop)
    if private:
        raise UsageError("--extra holds a key or password, which is not written into files")
    return batch_files.write_batch(
        plan, model, asked, Path(file), runs=Path(runs), name=name, fresh=fresh
    )


def read_batch(
    run: Place,
    files: Sequence[Place],
    *,
    rules: str | Rules = Rules.OFFICIAL,
    accept_truncated: bool = False,
    runs: Place = "runs",
    jobs: int = 1,
    notify: Notify = quiet,
) -> Run:
    """Take the output of such a file into its run, and score that."""
    folder = find_run(os.fspath(run), Path(runs))
    batch_files.read_batch(folder, [Path(file) for file in files], notify)
    accept = ANSWERS_AND_CUT if accept_truncated else ANSWERS
    outcomes = score_run(
        folder, _chosen(rules), accept=accept, executor=Processes(jobs), notify=notify
    )
    return open_run(folder, outcomes)


def score(
    target: str,
    predictions: Predictions,
    *,
    data: Place | None = None,
    setting: str | None = None,
    rules: str | Rules = Rules.OFFICIAL,
    partial: bool = False,
    ids: Sequence[str] | None = None,
    options: Mapping[str, str] | None = None,
    accept_truncated: bool = False,
    model: str = "predictions",
    out: Place | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
    notify: Notify = quiet,
) -> Scores:
    """Score predictions by the rules of `SUITE`, or of `SUITE/TASK,…`; nothing is asked.

    They are runs, files or folders that `hengfa score` reads, or rows of `task`, `id` and
    `prediction`: a list of dicts, a Polars or a pandas frame. Rows need no `task` where the target
    is one task; `model` is the name that they go by. With `out` they become runs below it; of `ids`
    only these questions, `TASK/SAMPLE`, are scored, which is not for runs. An
    `executor` scores in place of `jobs` processes.
    """
    executor = executor or Processes(jobs)
    suite, tasks = parse_target(target)
    wanted = [task.id for task in tasks]
    places = _places(predictions, model, wanted[0] if len(wanted) == 1 else None)
    ours = [place for place in places if isinstance(place, Path) and (place / MANIFEST).is_file()]
    others = [place for place in places if place not in ours]
    if ours and ids is not None:
        raise UsageError(
            f"--ids: {ours[0]} is a run, of which all is scored; hengfa show {ours[0]} TASK/SAMPLE "
            "tells of one question"
        )
    accept = ANSWERS_AND_CUT if accept_truncated else ANSWERS
    chosen = _chosen(rules)
    for place in ours:
        if (made_for := read_manifest(place).suite) != suite.name:
            raise UsageError(f"{place} is a run of {made_for}, not of {suite.name}")
    how = HowScored(chosen, wanted, accept, options)
    outcomes = score_runs(ours, how, executor=executor, watch=progress, notify=notify)
    if nothing := [outcome for outcome in outcomes if not outcome.tasks]:
        raise UsageError(f"{nothing[0].model} was asked nothing of {', '.join(wanted)}")

    def score_others(
        folder: Path | None, notify: Notify, watch: Progress | None
    ) -> list[RunFigures]:
        return score_files(
            suite, others, chosen, tasks=wanted,
            data=None if data is None else os.fspath(data), setting=setting, options=options,
            partial=partial, ids=ids, out=folder, executor=executor, watch=watch, notify=notify,
        )  # fmt: skip

    scored = score_others(Path(out) if out else None, notify, progress) if others else []

    def tables(scratch: Path) -> list[Path]:
        kept = scored if out or not others else score_others(scratch, quiet, None)
        return [*ours, *dict.fromkeys(Path(figures.folder) for figures in kept)]

    every = [*outcomes, *scored]
    return Scores(suite.name, every, tables, every)


def use_suite(file: Place) -> str:
    """Take in a private suite from a Python file, which runs; returns the name of the suite."""
    return use_file(Path(file)).name


def merge(
    *named: Place,
    name: str,
    partial: bool = False,
    rules: str | Rules = Rules.OFFICIAL,
    runs: Place = "runs",
    notify: Notify = quiet,
) -> Run:
    """Put the parts of a run together that were asked with `shard`, grades too, and score it.

    What is read as an answer, and the options of the suite, are those of the first part's scores.
    """
    parts = [find_run(os.fspath(run), Path(runs)) for run in named]
    folder = merge_runs(parts, named_folder(Path(runs), name), partial=partial, notify=notify)
    outcomes = score_run(
        folder, _chosen(rules), accept=accepted(parts[0]), options=scored_options(parts[0]),
        notify=notify,
    )  # fmt: skip
    return open_run(folder, outcomes)


def load_run(run: Place, *, runs: Place = "runs") -> Run:
    """A run by its folder or by its name below `runs`; neither data nor suite are needed."""
    return open_run(find_run(os.fspath(run), Path(runs)))


def grader(
    name: str,
    *,
    base_url: str | Sequence[str] | None = None,
    device: str = "auto",
    timeout: float = 600.0,
    lanes: int = 16,
    replicas: int | None = None,
    executor: Executor | None = None,
    max_new_tokens: int | None = None,
    max_cost: float | None = None,
    max_tokens: int | None = None,
    regrade: bool = False,
    screens: bool = False,
    repeats: int = 1,
    batch: bool = False,
    detach: bool = False,
    progress: bool | Progress = False,
) -> GraderChoice:
    """A grader by its name, and how it is asked: at temperature 0, `repeats` times an answer.

    `batch` is for graders that are models; those that are built in need none.

    One that `screens` gives no points; it says which sentences of an answer talk to its graders.
    Of a model in a folder an `executor` loads `replicas`.
    """
    (check_screen if screens else check_grader)(name)
    folder = Path(name.removeprefix(f"{HF}:")) if name.startswith(f"{HF}:") else None
    batch = batch and name not in BUILT_IN
    connection = Connection(
        base_url, timeout, lanes=lanes, device=device, folder=folder,
        address_option=GRADER_ADDRESS, batch=batch, detach=detach and batch,
        replicas=replicas, executor=executor,
    )  # fmt: skip
    check_batch(name, connection)
    return GraderChoice(
        name=name_in_records(name),
        connection=connection,
        options=Options(temperature=0.0, max_new_tokens=max_new_tokens),
        sitting=Sitting(lanes=lanes, limits=Limits(max_cost, max_tokens), progress=progress),
        anew=regrade,
        screens=screens,
        repeats=repeats,
    )


def grade(
    run: Place,
    *graders: str | GraderChoice,
    rules: str | Rules = Rules.OFFICIAL,
    panel: How | None = None,
    shard: str | None = None,
    runs: Place = "runs",
    progress: bool | Progress = False,
    notify: Notify = quiet,
) -> Run:
    """Have the answers of a run graded by rubric, and score it again, once for each grader.

    With a rule (`mean`, `median`, `majority`) the graders also have a score as a panel. With
    `shard` they grade one part of the answers, which becomes a run of its own for `merge`.
    """
    if not graders:
        raise UsageError("name who grades: --grader keywords, or a model such as --grader kimi:…")
    whole = find_run(os.fspath(run), Path(runs))
    folder = whole if shard is None else take_part(whole, parse_shard(shard))
    accept, options = accepted(whole), scored_options(whole)
    if not submissions_of(folder, accept, options):
        raise UsageError(f"{folder} has no answers that are scored by graders")
    outcomes = evaluating.grade_and_score(
        folder, _graders(graders, progress), _chosen(rules), panel, accept=accept, options=options,
        notify=notify,
    )  # fmt: skip
    return open_run(folder, outcomes)


def compare(
    *named: Place,
    rules: str | Rules = Rules.OFFICIAL,
    tasks: Sequence[str] = (),
    all_pairs: bool = False,
    grader: str | None = None,
    across_graders: bool = False,
    across_prompts: bool = False,
    tries: str | None = None,
    pass_at: float = PASS_AT,
    seed: int | None = None,
    runs: Place = "runs",
) -> Comparison:
    """Compare scored runs with the first, or each with each, on the samples they share.

    A run is `RUN`, or `RUN@GRADER` where several graded it; `grader` is for all that name none.
    With `tries` it is not scores that are compared, but how often one of K tries at a question is
    right (`pass@K`), or all of them (`pass^K`); a rate is right from `pass_at` on.
    """
    (by,) = _chosen(rules, both=False)
    return compare_runs(
        find_alike([os.fspath(run) for run in named], Path(runs), grader),
        by,
        tasks=tasks,
        all_pairs=all_pairs,
        across_graders=across_graders,
        across_prompts=across_prompts,
        passing=None if tries is None else parse_passing(tries, pass_at),
        seed=SEED if seed is None else seed,
    )


def _chosen(name: str | Rules, *, both: bool = True) -> list[Rules]:
    """`official`, `corrected` or `both`."""
    if both and name == "both":
        return list(Rules)
    try:
        return [Rules(name)]
    except ValueError:
        there_is = ", ".join([*Rules, *(["both"] if both else [])])
        raise UsageError(f"there are no rules {name!r}; there is: {there_is}") from None


def _opened(model: str | Model | Function, plan: Plan, connection: Connection) -> Model:
    if isinstance(model, str):
        return open_model(model, plan, connection)
    if hasattr(model, "generate"):
        if connection.private:
            raise UsageError("extra holds a key or password: give it to the model itself")
        check_batch("a model of your own", connection)
        return cast("Model", model)
    if callable(model):
        check_batch("a function", connection)
        return FunctionModel(model)
    raise UsageError("a model is a name, a function from messages to text, or a hengfa.Model")


def _is_saved(model: object) -> bool:
    """Whether a model is predictions: then only what they answer is asked."""
    return isinstance(model, str) and model.startswith(f"{SAVED}:")


def _graders(
    graders: Iterable[str | GraderChoice], progress: bool | Progress
) -> list[GraderChoice]:
    return [
        grader(named, progress=progress) if isinstance(named, str) else named for named in graders
    ]


def _check_graders(plan: Plan, graders: Sequence[GraderChoice], ungraded: bool) -> None:
    """Refuse to ask what nobody would score, unless that is meant."""
    tasks = [asked.task.id for asked in plan.questions if asked.task.needs_grader]
    if tasks and not ungraded and all(choice.screens for choice in graders):
        raise UsageError(
            f"{plan.suite.name} ({', '.join(tasks)}) is scored by graders: add --grader MODEL, "
            "such as deepseek:deepseek-chat; or --ungraded to ask only, and grade it later: "
            "hengfa grade run RUN --grader MODEL"
        )


def _asked(
    temperature: float | None,
    top_p: float | None,
    seed: int | None,
    max_new_tokens: int | None,
    extra: Mapping[str, object] | None,
    choice: str | None,
    stop: Sequence[str] = (),
    completions: bool = False,
) -> tuple[Options, PrivateFields]:
    """How the model is asked, and the fields that are in it only as `***`."""
    if ours := OWN_FIELDS.intersection(extra or {}):
        raise UsageError(
            f"--extra must not set {', '.join(sorted(ours))}: that is ours, or an option"
        )
    if completions and max_new_tokens is None:
        raise UsageError(
            "--completions: give --max-new-tokens, for a base model stops nowhere by itself, and "
            "servers write 16 tokens where nothing is said"
        )
    kept, private = part_fields(extra or {})
    options = Options(
        temperature=_float(temperature), top_p=_float(top_p), seed=seed,
        max_new_tokens=max_new_tokens, extra=kept, choice=choice, stop=tuple(stop),
        completions=completions,
    )  # fmt: skip
    return options, private


def _float(number: float | None) -> float | None:
    """1 and 1.0 are one temperature, and must be one question in the journal."""
    return None if number is None else float(number)


def _check_choice(choice: str, model: object, plan: Plan, notify: Notify) -> None:
    """Refuse where nobody can choose so; say which tasks are answered in writing all the same."""
    if choice not in CHOICES:
        raise UsageError(f"--choice: {choice!r} is none of {', '.join(CHOICES)}")
    if not isinstance(model, str) or not model.startswith(f"{HF}:"):
        raise UsageError(f"--choice {choice}: only a model in this process can, --model {HF}:DIR")
    tasks = [asked.task for asked in plan.questions]
    written = [task.id for task in tasks if task.choices is None]
    if len(written) == len(tasks):
        raise UsageError(
            f"--choice {choice}: no task of {plan.suite.name} that is asked has letters"
        )
    if written:
        notify(
            f"--choice {choice}: {', '.join(written)} have no letters and are answered in writing"
        )


def _statuses(retry: Collection[str]) -> frozenset[Status]:
    """Those that are asked again: what failed, and what is named; malformed grades always are."""
    known = {str(status) for status in Status if status is not Status.ANSWERED} | {MALFORMED}
    if unknown := {*retry} - known:
        raise UsageError(f"--retry: no status {', '.join(sorted(unknown))}; there is: "
                         f"{', '.join(sorted(known))}")  # fmt: skip
    return frozenset(Status(name) for name in retry if name != MALFORMED) | {Status.FAILED}


def _places(predictions: Predictions, model: str, task: str | None) -> list[Path | Rows]:
    """Files and folders as paths, anything else as rows."""
    if isinstance(predictions, str | os.PathLike):
        return [Path(predictions)]
    if hasattr(predictions, "to_dicts"):
        rows = predictions.to_dicts()
    elif hasattr(predictions, "to_dict"):
        rows = predictions.to_dict("records")
    else:
        rows = list(predictions)
    paths = [Path(place) for place in rows if isinstance(place, str | os.PathLike)]
    if paths and len(paths) == len(rows):
        return [*paths]
    return [rows_in_memory(rows, model, task)]

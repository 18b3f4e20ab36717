"""The folder of a run: its files, written and read here (docs/run-format.md).

runs/lawbench-zero_shot-deepseek-chat/
  run.json               what this run is: format, suite, setting, model, options, data
  journal.jsonl          every response; where another tool made them, only if graders mark them
  journal.sent.jsonl     what was sent, by the hashes in the journal
  records/               values, one Parquet file per task and rules
  responses/             what was asked and answered and how it was read, likewise
  figures.RULES.json     the figures as they were printed
  grades/GRADER/         what a grader said of them (`runs/grading.py`), and what they score by it:
                         records, responses and figures are here where there are graders, not above

Whatever reads scores takes a folder that has them, which is that of a run, or one of a grader or a
panel in it (`scored_folders`); what the run is, is said in the run's own (`run_of`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

import hengfa
from hengfa.base.data.jsonfile import json_decoder, read_json, write_atomically
from hengfa.base.errors import DataError, JournalError, UsageError
from hengfa.base.secrets import part_fields, show_addresses
from hengfa.evals.engine.budget import Price, show_amount
from hengfa.evals.engine.journal import Entry, lock_journal, newest_entries
from hengfa.evals.engine.messages import Options, Response, Status
from hengfa.evals.results.figures import Band, TaskFigures
from hengfa.evals.results.tables import Record, ResponseRow
from hengfa.evals.suites.base import Chosen, Rules, Suite
from hengfa.evals.suites.plan import Plan
from hengfa.evals.suites.scoring import ANSWERS
from hengfa.evals.suites.templates import Prompts, read_prompts

FORMAT: Final = 3
"""Of the files below. Format 1, without a number in run.json, had no column `strict` in its
records; up to format 2 a run had one score, that of all its graders. They are read as well."""
MANIFEST, JOURNAL, PROMPTS = "run.json", "journal.jsonl", "prompts.toml"
GRADES, GRADER, PANEL = "grades", "grader.json", "panel.json"
IMPORTED = "imported"
"""The address of predictions that another tool made."""
# What may stand in a folder name. Matches "qwen2.5-7b" and "通义"; not "/" or ":".
_UNSAFE = re.compile(r"[^\w.+=-]+")
_IDENTITY = (
    "suite", "setting", "model", "options", "data", "max_input_tokens", "suite_options", "prompts",
    "shard", "ids",
)  # fmt: skip


class TrainedOn(msgspec.Struct, frozen=True):
    """Data that the model of a run is declared to have been trained on: its name, a digest of its
    rows, the tasks whose test set it is, and by task how many of how many questions are in it."""

    name: str
    digest: str
    contaminates: tuple[str, ...] = ()
    seen: dict[str, tuple[int, int]] = {}


def join_declarations(declarations: Iterable[TrainedOn]) -> tuple[TrainedOn, ...]:
    """Each export once, with what any declaration found of it."""
    known: dict[str, TrainedOn] = {}
    for told in declarations:
        before = known.get(told.digest, told)
        known[told.digest] = msgspec.structs.replace(told, seen={**before.seen, **told.seen})
    return tuple(known.values())


class Manifest(msgspec.Struct, frozen=True):
    """What a run is. A run cannot be continued as a different one."""

    suite: str
    setting: str
    model: str
    address: str
    options: Options
    data: str
    data_source: str | None
    created: str
    hengfa: str
    max_input_tokens: int | None = None
    suite_options: dict[str, str] = {}
    format: int = 1
    prompts: str = ""
    """Name and hash of the templates that were asked by; empty for the suite's own prompts."""
    shard: str = ""
    """Which part of the questions it has, such as `2/4`; empty for all of them."""
    ids: str = ""
    """Which single questions it has, where some were named (`--ids`)."""
    trained_on: tuple[TrainedOn, ...] = ()
    """What the model is declared to have been trained on (`--trained-on`)."""

    @property
    def seen_in_training(self) -> tuple[int, int] | None:
        """On how many of how many questions of its tasks the model was trained; None for none, or
        where nobody says so. Of several exports each task counts by the one that has most of it. 0
        of 0 are they where the suite's own test set was taken, and nothing of it is found."""
        counts: dict[str, tuple[int, int]] = {}
        for told in self.trained_on:
            for task, count in told.seen.items():
                counts[task] = max(count, counts.get(task, count))
        seen, of = (sum(count[place] for count in counts.values()) for place in (0, 1))
        if seen:
            return seen, of
        tests = (task for told in self.trained_on for task in told.contaminates)
        return (0, 0) if any(task.partition("/")[0] == self.suite for task in tests) else None

    @property
    def trained(self) -> str:
        """The same as a remark; empty for None."""
        if (counted := self.seen_in_training) is None:
            return ""
        seen, of = counted
        return f"trained on {seen:,} of {of:,} questions" if of else "trained on a test set of it"

    def differences(self, other: Manifest) -> list[str]:
        """In what the other manifest is another run; when and with which version do not matter."""
        encode = msgspec.json.encode
        return [
            f"{field}: {encode(before).decode()} → {encode(now).decode()}"
            for field in _IDENTITY
            if (before := getattr(self, field)) != (now := getattr(other, field))
        ]


def new_manifest(plan: Plan, model: str, address: str, options: Options) -> Manifest:
    return Manifest(
        suite=plan.suite.name,
        setting=plan.setting,
        model=model,
        address=address,
        options=options,
        data=plan.data.fingerprint,
        data_source=plan.source,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        hengfa=hengfa.__version__,
        max_input_tokens=plan.max_input_tokens,
        suite_options=dict(plan.options),
        format=FORMAT,
        prompts=plan.prompts.identity if plan.prompts else "",
        shard=str(plan.shard) if plan.shard else "",
        ids=str(plan.picked) if plan.picked else "",
    )


def write_imported(
    folder: Path, suite: str, setting: str, model: str, data: str = "", source: str | None = None,
    options: Chosen | None = None, ids: str = "",
) -> None:  # fmt: skip
    """The manifest of another tool's predictions; they have a journal only to be graded."""
    manifest = Manifest(
        suite=suite,
        setting=setting,
        model=model,
        address=IMPORTED,
        options=Options(),
        data=data,
        data_source=source,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        hengfa=hengfa.__version__,
        suite_options=dict(options or {}),
        format=FORMAT,
        ids=ids,
    )
    write_manifest(folder, manifest)


def safe_name(name: str) -> str:
    """A name as it can stand in a path."""
    return _UNSAFE.sub("_", name)


def named_folder(runs: Path, name: str) -> Path:
    """The folder of a run by its name, which must not lead out of `runs`."""
    if not name.strip() or Path(name).is_absolute() or ".." in Path(name).parts:
        raise UsageError(f"--run: {name!r} is not a name below {runs}")
    return runs / name


def run_folder(plan: Plan, model: str, runs: Path, name: str | None) -> Path:
    """The folder of the run that a command makes or continues; each part has its own.

    Without a name, that which the same command finds again; data and prompts are in it if they are
    not the usual, and questions if they were picked.
    """
    shard = plan.shard.name if plan.shard else ""
    if name is not None:
        return named_folder(runs, "-".join(filter(None, (name, shard))))
    asked = plan.prompts.name if plan.prompts else ""
    picked = plan.picked.name if plan.picked else ""
    parts = [plan.suite.name, plan.setting, model, Path(plan.source or "").name, asked, picked]
    return runs / "-".join(safe_name(part) for part in (*parts, shard) if part)


def open_folder(folder: Path, manifest: Manifest, plan: Plan, *, fresh: bool) -> Manifest | None:
    """Make the folder, or check that it is the same run; `fresh` moves an old one aside.

    Its templates are kept in it, so that it can show what was asked. Returns the manifest that was
    there before, if any.
    """
    if fresh and folder.exists():
        move_aside(folder)
    before = manifest_to_continue(folder, manifest, plan.suite)
    if before is None:
        write_manifest(folder, manifest)
    if (prompts := plan.prompts) is not None:
        file = folder / PROMPTS
        if not file.is_file() or file.read_bytes() != prompts.content:
            write_atomically(file, prompts.content)
    return before


def manifest_to_continue(folder: Path, manifest: Manifest, suite: Suite) -> Manifest | None:
    """The manifest of the run that would be continued here; an error if it is another run.

    Options that change only how answers are scored do not make another run.
    """
    if (folder / MANIFEST).is_file():
        before = read_manifest(folder)
        asked, asks = (
            msgspec.structs.replace(one, suite_options=suite.asked_by(one.suite_options))
            for one in (before, manifest)
        )
        if differences := asked.differences(asks):
            raise JournalError(
                f"{folder} is another run than this command asks for ({'; '.join(differences)}). "
                "Use --run NAME for a run of its own, or --fresh to start this one over "
                "(its answers are kept aside)"
            )
        return before
    # without the hidden files that a kill may leave
    files = folder.iterdir() if folder.is_dir() else ()
    if others := sorted(file.name for file in files if not file.name.startswith(".")):
        raise UsageError(
            f"{folder} is no run, but has files in it, such as {others[0]}: use --run NAME for a "
            "folder of its own, or move them away"
        )
    return None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Say what a run is."""
    write_facts(folder / MANIFEST, manifest)


def write_facts(file: Path, facts: object) -> None:
    """A file of a run that people may read too, in a folder that is made for it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, msgspec.json.format(msgspec.json.encode(facts), indent=2) + b"\n")


def renew_manifest(folder: Path, manifest: Manifest) -> None:
    """Say that all tables of a run are of the present format, once they are."""
    if manifest.format < FORMAT:
        write_manifest(folder, msgspec.structs.replace(manifest, format=FORMAT))


@contextmanager
def manifest_errors(folder: Path) -> Iterator[None]:
    """An error about what a run says of itself is one of its file, not of the call."""
    try:
        yield
    except UsageError as error:
        raise DataError(str(error), file=folder / MANIFEST) from error


def run_of(folder: Path) -> Path:
    """The run in which these scores are: the folder itself, or that above a grader's."""
    above = folder.parent.parent
    return above if folder.parent.name == GRADES and (above / MANIFEST).is_file() else folder


def scored_folders(run: Path) -> list[Path]:
    """Where the scores of a run are: one folder for each grader and panel, or the run's own."""
    graded = sorted({file.parent for file in run.glob(f"{GRADES}/*/figures.*.json")})
    return graded or [run]


def read_manifest(folder: Path) -> Manifest:
    file = run_of(folder) / MANIFEST
    try:
        manifest = json_decoder(Manifest)(file.read_bytes())
    except FileNotFoundError:
        raise UsageError(f"{folder} is not a run: it has no {MANIFEST}") from None
    except msgspec.DecodeError as error:
        raise DataError(f"not a run manifest: {error}", file=file) from error
    if manifest.format > FORMAT:
        raise DataError(
            f"a run of format {manifest.format}, made by Hengfa {manifest.hengfa}; this version "
            f"reads formats up to {FORMAT}: install a newer one",
            file=file,
        )
    for field in ("suite", "setting", "prompts"):
        name = getattr(manifest, field)
        if not name.isprintable() or (not name and field != "prompts"):
            raise DataError(f"{name!r} is no name", file=file, field=field)
    if manifest.data_source == "":
        raise DataError("an empty name is no folder", file=file, field="data_source")
    try:
        datetime.fromisoformat(manifest.created)
    except ValueError as error:
        raise DataError(f"{manifest.created!r} is no time", file=file, field="created") from error
    # Early versions kept what stood in an address or a field, keys and passwords too.
    extra, _ = part_fields(manifest.options.extra)
    options = msgspec.structs.replace(manifest.options, extra=extra)
    address = show_addresses(manifest.address)
    return msgspec.structs.replace(manifest, address=address, options=options)


def prompts_of(folder: Path, manifest: Manifest) -> Prompts | None:
    """The templates that a run was asked by; None where it was asked by the suite's prompts."""
    if not manifest.prompts:
        return None
    prompts = read_prompts(run_of(folder) / PROMPTS)
    if prompts.identity != manifest.prompts:
        raise DataError(
            f"these are {prompts.identity}, but the run was asked by {manifest.prompts}",
            file=prompts.file,
        )
    return prompts


def move_aside(folder: Path) -> None:
    """Paid-for answers are never deleted, only put where no listing or glob finds them."""
    lock = lock_journal(folder / JOURNAL)
    try:
        number = 1
        while (aside := folder.parent / ".old" / f"{folder.name}.{number}").exists():
            number += 1
        aside.parent.mkdir(exist_ok=True)
        folder.rename(aside)
    finally:
        lock.release()


def entries_in(journal: Path) -> dict[str, Entry]:
    """What a journal holds, by key; nothing where there is none. It is not locked."""
    return {one.key: one for one in newest_entries(journal)} if journal.is_file() else {}


class Spent(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the answers of a run took, without their grading: `counted` of the `responses` say their
    tokens. The cost is in `currency`; there is none where no price is known."""

    responses: int
    counted: int
    input_tokens: int
    output_tokens: int
    cost: float | None = None
    currency: str | None = None

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def show_cost(self) -> str:
        """`¥1.23`; a dash where it is not known."""
        return "–" if self.cost is None else show_amount(self.cost, self.currency or "")


def spent_by(responses: Iterable[Response], price: Price | None) -> Spent | None:
    """What responses took; None where none of them says its tokens."""
    every = list(responses)
    known = [(usage, bool(one.batch)) for one in every if (usage := one.usage) is not None]
    if not known:
        return None
    cost = None if price is None else sum(price.cost(usage, batch=batch) for usage, batch in known)
    return Spent(
        responses=len(every),
        counted=len(known),
        input_tokens=sum(usage.input for usage, _ in known),
        output_tokens=sum(usage.output for usage, _ in known),
        cost=cost,
        currency=None if price is None else price.currency,
    )


def total_spent(parts: Iterable[Spent]) -> Spent | None:
    """What tasks took together, all at one price; None of nothing."""
    several = list(parts)
    if not several:
        return None
    costs = [part.cost for part in several if part.cost is not None]
    return Spent(
        responses=sum(part.responses for part in several),
        counted=sum(part.counted for part in several),
        input_tokens=sum(part.input_tokens for part in several),
        output_tokens=sum(part.output_tokens for part in several),
        cost=sum(costs) if costs else None,
        currency=several[0].currency,
    )


class Asked(msgspec.Struct, frozen=True):
    """What a command asked of its questions, and what it found answered in the journal: how many,
    and from when to when."""

    now: int
    from_journal: int = 0
    since: str = ""
    until: str = ""

    def __str__(self) -> str:
        return (
            f"{self.now} asked now, {self.from_journal} from the journal, answered {self.since} to "
            f"{self.until}; whoever answers under this name may be another since: --fresh asks all "
            "anew"
        )


class RunFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a model in a setting under one set of rules: as they are printed when it is
    scored, kept in its folder, given by `--json` and to Python.

    `accept` says which responses were read as answers then.
    """

    model: str = ""
    setting: str = ""
    rules: Rules = Rules.OFFICIAL
    grader: str = ""
    """Whose score it is, where there are graders: one of them, or a panel by its rule."""
    tasks: dict[str, TaskFigures]
    figures: dict[str, float]
    """The suite's figures, such as levels and overall, from the task scores."""
    bands: dict[str, Band] = {}
    """The figures of the suite that rest on what a grader left open."""
    spent: Spent | None = None
    """What the answers took; None where nothing says it, or an early version scored them."""
    further: dict[str, float] = {}
    """Those that need more than the scores, by names such as `success/1-hop`."""
    samples: int
    accept: list[Status]
    options: dict[str, str] | None = None
    """Of the suite, by which it was scored; those of the run where nothing is said."""
    suite: str = ""
    folder: str = ""
    """Where they are kept; empty where nobody asked to keep them."""
    ungraded: float | None = None
    """The share of all that there was to grade that has no grade; None of what is read back."""
    asked: Asked | None = None
    """Which of the answers are new, where they were asked for just now."""

    @property
    def scores(self) -> dict[str, float]:
        """Of the tasks that have one."""
        return {name: task.score for name, task in self.tasks.items() if task.score is not None}

    @property
    def open_tasks(self) -> dict[str, Band]:
        """The tasks whose score is only a band."""
        return {name: task.band for name, task in self.tasks.items() if task.band is not None}

    def completed(self, suite: Suite) -> RunFigures:
        """With the figures that the suite makes of these today: a file may be older than it."""
        scores = {task: self.scores[task] for task in suite.tasks if task in self.scores}
        bands = self.open_tasks
        return msgspec.structs.replace(
            self,
            figures=suite.completed({**self.further, **suite.figures(scores)}),
            bands={**bands, **suite.bands(scores, bands)},
        )

    def as_file(self) -> dict[str, Any]:
        """As its folder holds it; what most runs lack is left out there."""
        fields = msgspec.structs.asdict(self)
        for name in ("suite", "folder", "ungraded", "asked"):
            del fields[name]
        for name in ("grader", "bands", "spent"):
            if not fields[name]:
                del fields[name]
        return {**fields, "tasks": {name: task.as_json() for name, task in self.tasks.items()}}

    def as_json(self) -> dict[str, Any]:
        """The outer shape that all suites share: model, setting, tasks, figures."""
        fields = self.as_file()
        for name in ("further", "samples", "accept", "options"):
            del fields[name]
        further: dict[str, Any] = {}
        for name, value in self.further.items():  # `success/1-hop` below `success`
            outer, slash, inner = name.partition("/")
            if slash:
                further.setdefault(outer, {})[inner] = value
            else:
                further[name] = value
        fields["figures"] = {**self.figures, **further}
        return fields | ({"asked": self.asked} if self.asked is not None else {})


def figures_of(
    suite: Suite, tasks: dict[str, TaskFigures], samples: Mapping[str, int], **known: Any
) -> RunFigures:
    """What the suite makes of the figures of these tasks, each of so many samples; `known` is what
    else is known of them."""
    number = sum(samples.values())
    ungraded = sum(samples[name] * task.ungraded for name, task in tasks.items())
    run = RunFigures(
        tasks=tasks, figures={}, samples=number, ungraded=ungraded / (number or 1),
        suite=suite.name, **known,
    )  # fmt: skip
    return msgspec.structs.replace(
        run,
        figures=suite.figures(run.scores),
        bands=suite.bands(run.scores, run.open_tasks),
        further=suite.further(tasks) if suite.further is not None else {},
    )


def write_figures(folder: Path, figures: RunFigures) -> None:
    """Keep the figures beside the records, so that nothing has to make them a second time."""
    write_facts(_figures_file(folder, figures.rules), figures.as_file())


def read_figures(folder: Path) -> dict[Rules, RunFigures]:
    """By rules; empty if the run was not scored yet."""
    files = {rules: _figures_file(folder, rules) for rules in Rules}
    return {
        rules: msgspec.structs.replace(
            _with_bands(read_json(file, RunFigures)), rules=rules, folder=str(folder)
        )
        for rules, file in files.items()
        if file.is_file()
    }


def scores_of(run: Path) -> list[RunFigures]:
    """All that a run was scored: by each of its graders and panels, under each set of rules."""
    return [one for place in scored_folders(run) for one in read_figures(place).values()]


def graders_of(run: Path) -> dict[str, Path]:
    """Whose scores a run has, and where; those of nobody where no grader was asked."""
    return {figures.grader: Path(figures.folder) for figures in scores_of(run)} or {"": run}


def _with_bands(run: RunFigures) -> RunFigures:
    """Early versions kept a band as its lower end, and the upper one among the other metrics."""
    tasks = dict(run.tasks)
    for name, task in run.tasks.items():
        if task.score is not None and task.more.get("lenient_rate", task.score) > task.score:
            band = Band(task.score, task.more["lenient_rate"], task.more["ungraded_rate"])
            tasks[name] = msgspec.structs.replace(
                task, score=None, lenient=None, standard_error=None, more={}, band=band,
                ungraded=band.ungraded,
            )  # fmt: skip
    if run.bands or not any(task.band for task in tasks.values()):
        return msgspec.structs.replace(run, tasks=tasks)
    return msgspec.structs.replace(run, tasks=tasks, figures={}, further={})


def _figures_file(folder: Path, rules: Rules) -> Path:
    return folder / f"figures.{rules}.json"


def scored_rules(run: Path) -> list[Rules]:
    """Under which rules a run was scored, by any grader."""
    return [figures.rules for figures in scores_of(run)]


def answer_statuses(run: Path) -> frozenset[Status]:
    """What was read as an answer when the run was scored last."""
    return next((frozenset(figures.accept) for figures in scores_of(run)), ANSWERS)


def clear_scores(folder: Path) -> None:
    """Take away what was scored here, all of which can be made anew from the journals."""
    for rules in Rules:
        _figures_file(folder, rules).unlink(missing_ok=True)
        for table in (Record.FOLDER, ResponseRow.FOLDER):
            for file in (folder / table).glob(f"*.{rules}.parquet"):
                file.unlink()

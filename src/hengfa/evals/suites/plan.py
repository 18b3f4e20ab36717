"""What is asked: which suite, tasks, setting, data and samples a few words mean."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from hengfa.base.data.packs import Pack, find_pack, folder_pack, sample_root
from hengfa.base.data.sums import fingerprint, sum_of
from hengfa.base.errors import UsageError
from hengfa.base.shards import Shard
from hengfa.evals.engine.messages import Message, Options, Request
from hengfa.evals.engine.tokens import cut_prompt
from hengfa.evals.suites.base import AnyTask, Chosen, Sample, Solve, Suite
from hengfa.evals.suites.registry import get_suite
from hengfa.evals.suites.templates import Prompts, find_prompts

SAMPLE_DATA = "sample"


@dataclass(frozen=True, slots=True)
class Questions:
    """All samples of a task in a setting, which a run may ask all or some of."""

    suite: Suite
    task: AnyTask
    setting: str
    samples: Sequence[Sample]

    def keys(self, repeat: int = 1) -> list[str]:
        """The keys of the questions, in the order of the samples."""
        task, setting = self.task.id, self.setting
        return [self.suite.key(task, setting, sample, repeat) for sample in self.samples]


class Question(NamedTuple):
    """A sample of a task, and the request that puts it to a model."""

    task: AnyTask
    sample: Sample
    request: Request


@dataclass(frozen=True, slots=True)
class Picked:
    """Single questions, each by the name that `hengfa show` has for it: `3-4/12`."""

    ids: tuple[str, ...]

    @property
    def name(self) -> str:
        """What the name of a folder says of them: how many, and a sum over which."""
        digest = hashlib.blake2b("\n".join(self.ids).encode(), digest_size=4).hexdigest()
        return f"ids-{len(self.ids)}-{digest}"

    def __str__(self) -> str:
        """Which they are, as far as that can be said in short."""
        some = ", ".join(self.ids[:3])
        return f"{some}{', …' if len(self.ids) > 3 else ''} ({self.name})"

    @property
    def tasks(self) -> dict[str, list[str]]:
        """Samples by task."""
        tasks: defaultdict[str, list[str]] = defaultdict(list)
        for id_ in self.ids:
            task, _, sample = id_.partition("/")
            tasks[task].append(sample)
        return tasks

    def check(self, task: str, there: Collection[str], where: str) -> None:
        """Refuse what is not there, by name."""
        if missing := [sample for sample in self.tasks.get(task, ()) if sample not in there]:
            named = ", ".join(f"{task}/{sample}" for sample in missing[:_NAMED])
            more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
            some = ", ".join(f"{task}/{sample}" for sample in list(there)[:2])
            raise UsageError(f"--ids: {where} has no {named}{more}; it has, for instance: {some}")


_NAMED = 5  # so many of what is wrong are named


def pick(ids: Sequence[str], tasks: Collection[str], suite: str) -> Picked:
    """Questions of these tasks by their names, in any order, each once."""
    for id_ in ids:
        task, slash, sample = id_.partition("/")
        if not slash or not sample:
            raise UsageError(f"--ids: name questions as TASK/SAMPLE, such as 1-1/0, not {id_!r}")
        if task not in tasks:
            problem = f"{task!r} is no task that is asked of {suite}"
            raise UsageError(f"--ids {id_}: {problem}; there is: {', '.join(tasks)}")
    if not ids:
        raise UsageError("--ids: name at least one question, such as 1-1/0")
    return Picked(tuple(sorted({*ids})))


@dataclass(frozen=True, slots=True)
class Plan:
    """All that is decided before the first request. `questions` holds every sample of each task,
    because trivial baselines look at all of them; `chosen` names those that are asked."""

    suite: Suite
    setting: str
    data: Pack
    source: str | None
    """Where the data was taken from: None for the installed pack, `sample`, or a folder."""
    questions: Sequence[Questions]
    chosen: frozenset[str]
    options: Chosen = field(default_factory=dict)
    max_input_tokens: int | None = None  # longer prompts are cut at the end
    repeats: int = 1  # how many times each question is asked
    prompts: Prompts | None = None
    """Asked instead of the suite's own; the tasks of `questions` have them."""
    shard: Shard | None = None  # which part of the questions is asked; None for all
    picked: Picked | None = None  # the only questions that are asked, where some were named

    def __len__(self) -> int:
        return len(self.chosen) * self.repeats

    def among(self, keys: Collection[str], limit: int | None) -> Plan:
        """The same plan for those of its questions that have these keys, at most `limit` a task."""
        chosen: set[str] = set()
        for asked in self.questions:
            keyed, task = zip(asked.keys(), asked.samples, strict=True), asked.task
            there = [sample for key, sample in keyed if key in keys]
            some = choose(there, limit, task.stratum, task.together)
            chosen.update(self.suite.key(task.id, self.setting, sample) for sample in some)
        return replace_fields(self, chosen=frozenset(chosen))

    def alone(self) -> Plan:
        """The same plan as one of questions that were picked, which has a run of its own."""
        ids = (f"{task.id}/{sample.id}" for task, sample in self._task_samples())
        return replace_fields(self, picked=Picked(tuple(sorted(ids))))

    def part(self, shard: Shard) -> Plan:
        """The same plan for one part of its questions."""
        chosen = frozenset(key for key in self.chosen if shard.holds(key))
        if not chosen:
            raise UsageError(f"--shard {shard}: none of the {len(self.chosen)} questions is in it")
        return replace_fields(self, chosen=chosen, shard=shard)

    def tasks(self) -> set[str]:
        """The ids of the tasks whose samples it has."""
        return {asked.task.id for asked in self.questions}

    def samples(self, task: str) -> list[Sample]:
        """The chosen samples of a task."""
        return [sample for asked, sample in self._task_samples() if asked.id == task]

    def requests(self, options: Options) -> Iterator[Request]:
        """The prompts of all questions."""
        return (question.request for question in self.asked(options))

    def asked(self, options: Options) -> Iterator[Question]:
        """The questions, one after the other, all once before any is asked again."""
        for repeat in range(1, self.repeats + 1):
            for task, sample in self._task_samples():
                request = self.suite.request(task, self.setting, sample, options, repeat)
                sent = replace(request, messages=self.sent(request.messages))
                yield Question(task, sample, sent)

    def solver(self, task: AnyTask) -> Solve[Any] | None:
        """How a task that takes several questions is worked on."""
        if task.solver is None:
            return None
        return task.solver(self.data.root, self.setting, self.options)

    def sent(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """A prompt as it goes out."""
        if self.max_input_tokens is None:
            return messages
        return cut_prompt(messages, self.max_input_tokens)

    def _task_samples(self) -> Iterator[tuple[AnyTask, Sample]]:
        for asked in self.questions:
            for sample in asked.samples:
                if self.suite.key(asked.task.id, self.setting, sample) in self.chosen:
                    yield asked.task, sample


def make_plan(
    target: str,
    *,
    setting: str | None = None,
    data: str | None = None,
    limit: int | None = None,
    options: Chosen | None = None,
    max_input_tokens: int | None = None,
    repeats: int = 1,
    prompts: str | None = None,
    ids: Sequence[str] | None = None,
) -> Plan:
    """Read `SUITE` or `SUITE/TASK[,TASK…]` and load the samples. `data` is None for the installed
    pack, `sample` for the pack that ships with Hengfa, or a folder in upstream layout. `limit` is
    per task. `prompts` is a file of templates, or the name of one that the suite brings. `ids` are
    single questions, `TASK/SAMPLE`, which alone are asked."""
    suite, tasks = parse_target(target)
    setting = setting or suite.settings[0]
    if setting not in suite.settings:
        there_is = ", ".join(suite.settings)
        raise UsageError(f"{suite.name} has no setting {setting!r}; there is: {there_is}")
    picked = None if ids is None else pick(ids, [task.id for task in tasks], suite.name)
    if picked is not None:
        tasks = [task for task in tasks if task.id in picked.tasks]
    templates = None if prompts is None else find_prompts(suite, prompts)
    if templates is not None:
        tasks = [templates.applied(task, setting) for task in tasks]
    pack, source = find_data(suite, data)
    options = suite.choose(options or {})
    loaded = ((task, task.samples(pack.root, setting, options)) for task in tasks)
    questions = [Questions(suite, task, setting, samples) for task, samples in loaded]
    if templates is not None:
        for asked in questions:
            for first in asked.samples[:1]:  # what is wrong with a field is said now
                asked.task.prompt(first, setting)
    every = frozenset(chain.from_iterable(_keys(asked, picked) for asked in questions))
    plan = Plan(
        suite, setting, pack, source, questions, every, options, max_input_tokens, repeats,
        templates, picked=picked,
    )  # fmt: skip
    return plan if limit is None else plan.among(every, limit)


def _keys(asked: Questions, picked: Picked | None) -> Iterator[str]:
    """Those of all samples, or of those that were picked."""
    if picked is None:
        yield from asked.keys()
        return
    there = {sample.id: sample for sample in asked.samples}
    picked.check(asked.task.id, there, f"{asked.suite.name} in {asked.setting}")
    for sample in picked.tasks[asked.task.id]:
        yield asked.suite.key(asked.task.id, asked.setting, there[sample])


def parse_target(target: str) -> tuple[Suite, list[AnyTask]]:
    """`lawbench/1-1,1-2` to the suite and its tasks; no task named means all."""
    name, _, wanted = target.partition("/")
    suite = get_suite(name)
    ids = [part.strip() for part in wanted.split(",") if part.strip()] or list(suite.tasks)
    for task in ids:
        if task not in suite.tasks:
            raise UsageError(f"{name} has no task {task!r}; there is: {', '.join(suite.tasks)}")
    return suite, [suite.tasks[task] for task in dict.fromkeys(ids)]


def find_data(suite: Suite, data: str | None) -> tuple[Pack, str | None]:
    """The pack to read from, and the name under which it is found again from anywhere."""
    if data is None:
        return find_pack(suite.pack), None
    if data == SAMPLE_DATA:
        return sample_pack(suite.sample or suite.name), SAMPLE_DATA
    folder = data_folder(suite, data)
    return folder_pack(suite.pack, folder, also=suite.own_files), str(folder.resolve())


def data_folder(suite: Suite, data: str | None) -> Path:
    """Where the files of a suite lie: the installed pack, the samples of our own, or a folder."""
    if data is None:
        return find_pack(suite.pack).root
    if data == SAMPLE_DATA:
        return sample_root() / (suite.sample or suite.name)
    folder = Path(data)
    if not folder.is_dir():
        raise UsageError(f"--data: there is no folder {data}; use 'sample' or a folder")
    return folder


def sample_pack(suite: str) -> Pack:
    """The samples of our own for a suite; every file of theirs counts."""
    root = sample_root() / suite
    files = sorted(file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file())
    sums = [sum_of(root, path) for path in files]
    return Pack(suite, root, commit="", verified=False, fingerprint=fingerprint(sums))


def choose(
    samples: Sequence[Sample],
    limit: int | None,
    stratum: Callable[[Any], str] | None = None,
    together: Callable[[Any], str] | None = None,
) -> list[Sample]:
    """At most `limit` samples, spread over the whole file and over its strata, in its order.

    Files are often sorted, so the first rows would be a poor sample. The choice depends on the ids
    alone, and a larger limit contains a smaller one: raising it continues a run. Each stratum gives
    its share: its samples stand at even distances from 0 to 1, and the lowest are taken. Samples
    that are `together` stand at one place, so that the limit parts at most one such group.
    """
    if limit is None or limit >= len(samples):
        return list(samples)
    strata: defaultdict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        strata[stratum(sample) if stratum else ""].append(sample)
    ranked: list[tuple[float, bytes, str]] = []
    for members in strata.values():
        named = (((together(sample) if together else sample.id), sample.id) for sample in members)
        hashed = sorted((hashlib.blake2b(name.encode()).digest(), id_) for name, id_ in named)
        places: dict[bytes, int] = {}
        ranked += [
            ((places.setdefault(hash_, place) + 0.5) / len(hashed), hash_, id_)
            for place, (hash_, id_) in enumerate(hashed)
        ]
    kept = {id_ for _, _, id_ in sorted(ranked)[:limit]}
    return [sample for sample in samples if sample.id in kept]

"""Data to train on that is not the test: rows made by a seed, and the folder they are written to.

train.parquet, held_out.parquet   columns id, prompt (list of role and content), answer_key (JSON),
                                  reward (a name of `rewards/named.py`), split
manifest.json                     what it was made of, how many rows, a digest over them
world.sqlite, tasks.jsonl         of `world`: what its tasks are played in

Which split a row is in follows from a digest of what is held out as a whole (a law, an article, a
path of tools, a question) and from nothing else, so that other seeds and more rows move none over.
"""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, cast

import msgspec

import hengfa
from hengfa.base.data.corpora import parquet_errors
from hengfa.base.data.jsonfile import encode_json, read_json, write_atomically
from hengfa.base.data.output import MANIFEST, files_below, whole_file, whole_folder
from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError, UsageError
from hengfa.base.progress import Progress
from hengfa.evals.suites.base import Chosen, Sample
from hengfa.evals.suites.claw.dataset import is_held_out
from hengfa.evals.suites.plan import find_data, parse_target
from hengfa.evals.suites.registry import suite_names
from hengfa.law.library.citing.second_reader import ToRead
from hengfa.train.rewards.named import named_task
from hengfa.train.rewards.tasks import answer_key, find_task, scales_of

if TYPE_CHECKING:
    import polars as pl

    from hengfa.evals.suites.tellings import TellingSample
    from hengfa.train.rewards.statutes import By

_FORMATS: Final = "hengfa-training-data-"
Label: TypeAlias = Literal["faithful", "differs"]
FORMAT: Final = f"{_FORMATS}1"
TRAIN, HELD_OUT = SPLITS = ("train", "held_out")
Split: TypeAlias = Literal["train", "held_out"]
WORLD_ROWS: Final = 10_000
HOPS: Final = (1, 2, 3, 4, 5)


class Turn(msgspec.Struct, frozen=True):
    """A message of a prompt."""

    role: str
    content: str


class Row(msgspec.Struct, frozen=True):
    """What a trainer reads."""

    id: str
    prompt: tuple[Turn, ...]
    answer_key: str
    reward: str
    split: Split


class ExportManifest(msgspec.Struct, frozen=True):
    """What the rows are. The same version, seed, options and source give the same bytes.

    `held_out_by` is what is held out as a whole, `left_out` how many rows are in no split since
    they say the same as a held-out one, or nearly so. `contaminates` names the tasks whose own test
    questions these are; it is empty unless somebody asked for that. `options` are the suite's.
    """

    format: str
    name: str
    seed: int
    hengfa: str
    source: dict[str, str]
    options: dict[str, str]
    hold_out: float
    held_out_by: str
    rows: dict[str, int]
    left_out: int
    digest: str
    contaminates: tuple[str, ...]
    files: dict[str, int]


class Wanted(NamedTuple):
    """What to make: how many rows of both splits at most, which share is held out, and of what.
    `data` is as for `hengfa eval`; `world` a world's file, or None for a fresh one."""

    seed: int = 0
    rows: int = 1000
    hold_out: float = 0.1
    by: By | None = None
    data: str | None = None
    options: Chosen = MappingProxyType({})
    world: Path | None = None


class _Made(NamedTuple):
    """Samples with their reward, before they are rows."""

    samples: Sequence[tuple[str, Sample, Split]]
    source: dict[str, str]
    held_out_by: str
    setting: str = ""
    left_out: int = 0


_Maker: TypeAlias = Callable[[str, Wanted, Path], _Made]


def make_export(
    name: str,
    folder: Path,
    wanted: Wanted,
    *,
    contaminate: bool = False,
    force: bool = False,
    watch: Progress | None = None,
) -> ExportManifest:
    """Make the rows of this name and write them. A suite's own task is refused, unless it is to be
    contaminated, which the manifest then says."""
    maker = _maker(name, contaminate)
    _refuse_others(name, maker, wanted)
    with whole_folder(folder, _listed, force=force) as new:
        made = maker(name, wanted, new)
        rows = list(_rows(made, wanted, watch))
        if not rows:
            raise UsageError(f"no row of {name} can be made of this")
        for split in SPLITS:
            _write(new / f"{split}.parquet", [row for row in rows if row.split == split])
        manifest = ExportManifest(
            FORMAT, name, wanted.seed, hengfa.__version__, made.source,
            dict(wanted.options), wanted.hold_out, made.held_out_by,
            {split: sum(row.split == split for row in rows) for split in SPLITS},
            made.left_out, digest_of(rows), (name,) if "/" in name else (), files_below(new),
        )  # fmt: skip
        content = msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"
        write_atomically(new / MANIFEST, content)
    return manifest


def _maker(name: str, contaminate: bool) -> _Maker:
    if name.partition("/")[0] in suite_names():
        suite, tasks = parse_target(name)
        if "/" not in name or len(tasks) != 1:
            raise UsageError(f"{name}: name one task, such as {suite.name}/{tasks[0].id}")
        find_task(name)
        if not contaminate:
            raise UsageError(
                f"{name} is a test: a model that is trained on it is not measured by it any more. "
                f"There is data that is no test: {', '.join(KINDS)}. With --contaminate it is "
                "written, and marked"
            )
        return _test_set
    if name not in KINDS:
        raise UsageError(f"there is no training data {name!r}; there is: {', '.join(KINDS)}")
    if contaminate:
        raise UsageError(f"--contaminate is for the test set of a suite's task: {name} is none")
    return KINDS[name]


def _refuse_others(name: str, maker: _Maker, wanted: Wanted) -> None:
    """What this data cannot mean is not passed over in silence."""
    of_suite = (_of_law, _test_set)
    meant = {"--by": (_of_law, _of_tellings), "--set": of_suite, "--world": (_of_world,),
             "--data": (*of_suite, _of_tellings)}  # fmt: skip
    given = {"--by": wanted.by, "--set": wanted.options, "--data": wanted.data,
             "--world": wanted.world}  # fmt: skip
    for option, makers in meant.items():
        if given[option] and maker not in makers:
            raise UsageError(f"{option} says nothing about {name}")
    if maker is _of_law and "held_out" in wanted.options:
        raise UsageError("--set held_out: what is held out here is said by --hold-out")


def _rows(made: _Made, wanted: Wanted, watch: Progress | None) -> Iterator[Row]:
    """In an order that the seed gives, each with all that its reward needs."""
    samples = list(made.samples)
    random.Random(f"rows {wanted.seed}").shuffle(samples)
    chosen = samples[: wanted.rows]
    of_reward: defaultdict[str, list[Sample]] = defaultdict(list)
    for reward, sample, _ in chosen:
        of_reward[reward].append(sample)
    tasks = {reward: named_task(reward) for reward in of_reward}
    scales = {
        reward: scales_of(tasks[reward], samples, setting=made.setting)
        for reward, samples in of_reward.items()
    }
    for number, (reward, sample, split) in enumerate(chosen, 1):
        task = tasks[reward]
        key = answer_key(task, sample, scales[reward])
        prompt = tuple(Turn(turn.role, turn.content) for turn in task.prompt(sample, made.setting))
        yield Row(f"{reward}/{sample.id}", prompt, key, reward, split)
        if watch:
            watch(number, len(chosen))


# --- kinds ---


def _split(name: str, share: float) -> Split:
    return "held_out" if is_held_out(name, share) else "train"


def _test_set(name: str, wanted: Wanted, _folder: Path) -> _Made:
    suite, [task] = parse_target(name)
    pack, _ = find_data(suite, wanted.data)
    options = suite.choose(wanted.options)
    setting = suite.settings[0]
    samples = task.samples(pack.root, setting, options)
    rows = [(name, sample, _split(f"{name}/{sample.id}", wanted.hold_out)) for sample in samples]
    return _Made(rows, {"data": pack.fingerprint}, "question", setting)


def _of_law(name: str, wanted: Wanted, _folder: Path) -> _Made:
    """From the law library; the statutes are imported by those who need them."""
    from hengfa.evals.suites.claw.dataset import ALL, TWINS, UNIQUE_TEXT  # noqa: PLC0415
    from hengfa.evals.suites.claw.suite import CONTENT, SUITE  # noqa: PLC0415
    from hengfa.law.library.opening import open_library  # noqa: PLC0415
    from hengfa.train.rewards.statutes import divided, wrong_citations  # noqa: PLC0415

    task, reward, setting = {
        "recitation": ("content", "claw/content", ALL),
        "location": ("id", "claw/id", ALL),
        "twins": ("content", "twins", TWINS),
        "citation_repair": ("content", "citation_repair", UNIQUE_TEXT),
    }[name]
    by = wanted.by or "law"
    root = find_data(SUITE, wanted.data)[0].root
    options = SUITE.choose(wanted.options)
    samples = SUITE.tasks[task].samples(root, setting, options)
    parts = divided(samples, CONTENT.samples(root, ALL, options), wanted.hold_out, by)
    made: list[tuple[str, Sample, Split]] = []
    for split, provisions in (("train", parts.train), ("held_out", parts.held_out)):
        asked: Sequence[Sample] = provisions
        if name == "citation_repair":
            asked = wrong_citations(provisions, wanted.seed)
        made += [(reward, sample, split) for sample in asked]  # type: ignore[misc]
    source = {"library": open_library(root).fingerprint}
    return _Made(made, source, by, setting, parts.left_out)


def _by_rule(name: str, wanted: Wanted, _folder: Path) -> _Made:
    from hengfa.train.rewards import numerals, sentencing  # noqa: PLC0415 - by those who make them

    maker = {"sentencing": sentencing, "numerals": numerals}[name]
    samples = maker.make_samples(wanted.rows, wanted.seed)
    rows = [(name, sample, _split(sample.question, wanted.hold_out)) for sample in samples]
    return _Made(rows, {}, "question")


def _of_tellings(_name: str, wanted: Wanted, _folder: Path) -> _Made:
    """Of the half of the laws that the suite does not ask about, without what the other half says
    too: laws copy each other."""
    from hengfa.evals.suites.tellings import SUITE  # noqa: PLC0415 - by those who make them
    from hengfa.law.library.opening import open_library  # noqa: PLC0415
    from hengfa.law.text.copies import Copies  # noqa: PLC0415
    from hengfa.train.rewards.statutes import FEWEST  # noqa: PLC0415

    root, by = find_data(SUITE, wanted.data)[0].root, wanted.by or "law"

    def samples(task: str, laws: str) -> list[TellingSample]:
        options = {"laws": laws, "groups": "100", "seed": str(wanted.seed)}
        found: list[TellingSample] = SUITE.tasks[task].samples(root, "default", options)
        return found

    asked = {task: samples(task, "seen") for task in SUITE.tasks}
    provisions = list({sample.provision for own in asked.values() for sample in own})
    secret = list({sample.provision for sample in samples("faithful", "held-back")})
    near = {n for _, n in Copies([[text] for text in provisions]).find(secret, least_own=FEWEST)}
    known = {provisions[number] for number in near}
    made: list[tuple[str, Sample, Split]] = [
        (f"tellings/{task}", one, _split(one.law if by == "law" else one.group, wanted.hold_out))
        for task, own in asked.items()
        for one in own
        if one.provision not in known
    ]
    left_out = sum(one.provision in known for own in asked.values() for one in own)
    source = {"library": open_library(root).fingerprint}
    return _Made(made, source, by, "default", left_out)


def telling_pairs(data: str | None, seed: int) -> dict[Split, list[tuple[ToRead, Label]]]:
    """The same tellings as pairs to classify; whole laws are held out."""
    pairs: dict[Split, list[tuple[ToRead, Label]]] = {"train": [], "held_out": []}
    for reward, sample, split in _of_tellings("", Wanted(seed=seed, data=data), Path()).samples:
        if reward == "tellings/faithful":
            one = cast("TellingSample", sample)
            label: Label = "faithful" if one.faithful else "differs"
            pairs[split].append((ToRead(one.provision, one.telling), label))
    return pairs


def _of_world(_name: str, wanted: Wanted, folder: Path) -> _Made:
    """Fresh tasks over a world, which is made beside them unless there is one."""
    from hengfa.world.factory.make import make_tasks  # noqa: PLC0415
    from hengfa.world.factory.task import Wanted as Tasks  # noqa: PLC0415
    from hengfa.world.factory.task import write_tasks  # noqa: PLC0415
    from hengfa.world.generator.build import build_world  # noqa: PLC0415
    from hengfa.world.generator.law import sample_law  # noqa: PLC0415
    from hengfa.world.suites.legalagentbench.dataset import GENERATED, all_samples  # noqa: PLC0415
    from hengfa.world.suites.legalagentbench.dataset import SETTINGS as METHODS  # noqa: PLC0415
    from hengfa.world.tables.world import World  # noqa: PLC0415

    file = wanted.world
    if file is None:
        file = folder / "world.sqlite"
        with sample_law(sample_root()) as law:
            build_world(file, wanted.seed, WORLD_ROWS, law)
    with World.open(file) as world:
        per_hop = -(-wanted.rows // len(HOPS))
        tasks, _ = make_tasks(world, Tasks(hops=HOPS, per_hop=per_hop, seed=wanted.seed))
        source = {"world": world.fingerprint}
    write_tasks(folder / GENERATED, tasks)
    rows = [
        (f"legalagentbench/{one.group}", one, _split("----".join(one.path), wanted.hold_out))
        for one in all_samples(folder)
    ]
    return _Made(rows, source, "path", METHODS[0])


KINDS: Final[Mapping[str, _Maker]] = {
    "world": _of_world,
    "recitation": _of_law,
    "location": _of_law,
    "twins": _of_law,
    "citation_repair": _of_law,
    "minimal_pairs": _of_tellings,
    "sentencing": _by_rule,
    "numerals": _by_rule,
}
"""Data that is no test, by name."""


# --- the folder ---


class Export(NamedTuple):
    """What lies in a folder: the manifest, and the rows as they are now."""

    manifest: ExportManifest
    rows: list[Row]

    @property
    def changed(self) -> bool:
        """Whether the rows are others than those that were written."""
        return digest_of(self.rows) != self.manifest.digest


def digest_of(rows: Iterable[Row]) -> str:
    """A digest over all rows, whatever order and files they are in."""
    lines = sorted(encode_json(row) for row in rows)
    return hashlib.sha256(b"\n".join(lines)).hexdigest()[:32]


def read_export(folder: Path) -> Export:
    """The rows of a folder that `hengfa train data` wrote, or somebody changed since."""
    if not (folder / MANIFEST).is_file():
        raise UsageError(f"{folder} is no training data: `hengfa train data` makes it")
    manifest = read_json(folder / MANIFEST, ExportManifest)
    if manifest.format != FORMAT:
        problem = f"of format {manifest.format!r}, this version reads {FORMAT!r}"
        raise DataError(problem, file=folder / MANIFEST)
    return Export(manifest, [row for split in SPLITS for row in _read(folder / f"{split}.parquet")])


def _listed(folder: Path) -> dict[str, int]:
    file = folder / MANIFEST
    try:
        manifest = read_json(file, ExportManifest)
    except DataError:  # none, or of something else
        return {}
    if not manifest.format.startswith(_FORMATS):
        return {}
    return {**manifest.files, MANIFEST: file.stat().st_size}


def _write(file: Path, rows: Sequence[Row]) -> None:
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    text = pl.String()
    prompt = pl.List(pl.Struct({"role": text, "content": text}))
    schema = {"id": text, "prompt": prompt, "answer_key": text, "reward": text, "split": text}
    frame = pl.DataFrame([msgspec.to_builtins(row) for row in rows], schema=schema)
    with whole_file(file) as stream:
        frame.write_parquet(stream, compression="zstd")


def _read(file: Path) -> list[Row]:
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    with parquet_errors(file):
        frame: pl.DataFrame = pl.read_parquet(file, glob=False, hive_partitioning=False)
    rows = []
    for number, values in enumerate(frame.iter_rows(named=True), 1):
        try:
            rows.append(msgspec.convert(values, Row))
        except msgspec.ValidationError as error:
            raise DataError(str(error), file=file, row=number) from error
    return rows

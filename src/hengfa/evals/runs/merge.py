"""Parts of a run (`--shard I/N`): put together to one run, and taken from one to be graded.

What is asked, how, and of which data must be the same in all of them; the journals of the model, of
its graders and of whoever else was asked are joined key by key, and the parts are left alone.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from hengfa.base.data.output import scratch_folder
from hengfa.base.data.paths import StrPath
from hengfa.base.errors import JournalError, UsageError
from hengfa.base.progress import Notify, quiet
from hengfa.base.shards import Shard, parse_shard
from hengfa.evals.engine.journal import join_sent, lock_journal, newest_entries, write_entries
from hengfa.evals.engine.messages import Status, first_key
from hengfa.evals.runs.error_asking import ERRORS, retell
from hengfa.evals.runs.folder import (
    GRADER,
    GRADES,
    JOURNAL,
    PANEL,
    PROMPTS,
    Manifest,
    answer_statuses,
    join_declarations,
    named_folder,
    read_manifest,
    write_manifest,
)
from hengfa.evals.runs.grading import SCREENS, same_grader
from hengfa.evals.runs.look import Run, find_run, open_run
from hengfa.evals.runs.score import rule_sets, score_run, scored_options
from hengfa.evals.suites.base import Rules


def merge(
    *named: StrPath,
    name: str,
    partial: bool = False,
    rules: str | Rules = Rules.OFFICIAL,
    runs: StrPath = "runs",
    notify: Notify = quiet,
) -> Run:
    """Put the parts of a run together that were asked with `shard`, grades too, and score it.

    What is read as an answer, and the options of the suite, are those of the first part's scores.
    """
    parts = [find_run(os.fspath(run), Path(runs)) for run in named]
    folder = merge_runs(parts, named_folder(Path(runs), name), partial=partial, notify=notify)
    outcomes = score_run(
        folder, rule_sets(rules), accept=answer_statuses(parts[0]),
        options=scored_options(parts[0]), notify=notify,
    )  # fmt: skip
    return open_run(folder, outcomes)


def merge_runs(
    parts: Sequence[Path], out: Path, *, partial: bool = False, notify: Notify = quiet
) -> Path:
    """Make one run of several; all of it, or nothing where anything is wrong."""
    if out.exists():
        raise UsageError(f"--run: {out} is there already; choose another name")
    if len({part.resolve() for part in parts}) < len(parts):
        raise UsageError("a part is named twice")
    manifest = _manifest(parts, partial, notify)
    out.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder(out.parent / "hengfa") as temporary:
        whole = temporary / out.name
        write_manifest(whole, manifest)
        _join(parts, whole)
        if manifest.prompts:
            shutil.copyfile(parts[0] / PROMPTS, whole / PROMPTS)
        graders = {file.parent.relative_to(part) for part in parts for file in _grader_files(part)}
        for asked in sorted(graders):
            _join_grader([part / asked for part in parts], whole / asked, notify)
        panels = {file.relative_to(part) for part in parts for file in _panel_files(part)}
        for panel in sorted(panels):
            first = next(part / panel for part in parts if (part / panel).is_file())
            (whole / panel).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(first, whole / panel)
        retell(whole, answer_statuses(parts[0]))
        whole.rename(out)
    return out


def part_folder(run: Path, shard: Shard) -> Path:
    """Where a part of a run is: beside it."""
    run = run.resolve()
    return run.with_name(f"{run.name}-{shard.name}")


def take_part(run: Path, shard: Shard) -> Path:
    """A part of a run as a run of its own, with what graders said of it: for `merge_runs` later.

    Taken again, it gets the answers that the run has got since; grades are then its own affair.
    """
    manifest = read_manifest(run)
    if manifest.shard:
        raise UsageError(f"--shard {shard}: {run.name} is itself a part, {manifest.shard}")
    part, taken = part_folder(run, shard), replace(manifest, shard=str(shard))

    def holds(key: str) -> bool:
        """All times that a question is asked are in one part."""
        return shard.holds(first_key(key))

    if not any(holds(_question(entry.key)) for entry in newest_entries(run / JOURNAL)):
        raise UsageError(f"--shard {shard}: {run.name} has no answers in it")
    take_questions(run, part, taken, holds)
    return part


def take_questions(run: Path, part: Path, taken: Manifest, holds: Callable[[str], bool]) -> None:
    """Some questions of a run as a run of its own, with what was answered and said of them."""
    if part.exists():
        if differences := read_manifest(part).differences(taken):
            raise JournalError(f"{part} is no part of {run.name}: {'; '.join(differences)}")
        lock = lock_journal(part / JOURNAL)
        try:
            _join([run, part], part, lambda key: holds(_question(key)))
        finally:
            lock.release()
        return
    with scratch_folder(part) as temporary:  # other machines may take other parts here meanwhile
        made = temporary / part.name
        write_manifest(made, taken)
        _join([run], made, lambda key: holds(_question(key)))
        for file in (*_grader_files(run), *_panel_files(run), *run.glob(PROMPTS)):
            copy = made / file.relative_to(run)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
            if file.name == GRADER:
                _join([file.parent], copy.parent, lambda key: holds(graded_question(key)))
        retell(made, answer_statuses(run))
        made.rename(part)


def _question(key: str) -> str:
    """The question that was put: `QUESTION`, or in steps `QUESTION#STEP`."""
    return key.partition("#")[0]


def graded_question(key: str) -> str:
    """The question whose answer was graded, as `QUESTION@HASH`, and in steps `…#STEP`."""
    return _question(key).rpartition("@")[0]


def _manifest(parts: Sequence[Path], partial: bool, notify: Notify) -> Manifest:
    """What the whole is: what all parts are, but for which part each is."""
    manifests = [read_manifest(part) for part in parts]
    wholes = [replace(manifest, shard="") for manifest in manifests]
    for part, whole in zip(parts[1:], wholes[1:], strict=True):
        if differences := wholes[0].differences(whole):
            raise UsageError(
                f"{parts[0].name} and {part.name} are no parts of one run: {'; '.join(differences)}"
            )
    shards = [parse_shard(manifest.shard) for manifest in manifests if manifest.shard]
    if len({shard.of for shard in shards}) > 1:
        raise UsageError(
            f"these are parts of other numbers of parts: {', '.join(map(str, shards))}"
        )
    wanted = range(1, shards[0].of + 1) if shards else ()
    if missing := sorted(set(wanted) - {shard.number for shard in shards}):
        told = f"of {shards[0].of} parts there is none for {', '.join(map(str, missing))}"
        if not partial:
            raise UsageError(f"{told}; --partial merges what there is")
        notify(told)
    trained_on = join_declarations(told for manifest in manifests for told in manifest.trained_on)
    created = min(manifest.created for manifest in manifests)
    return replace(wholes[0], created=created, trained_on=trained_on)


def _grader_files(part: Path) -> Iterator[Path]:
    """Graders, and who screens or was asked about errors, each by the file that says who it is."""
    for kind in (GRADES, SCREENS, ERRORS):
        yield from part.glob(f"{kind}/*/{GRADER}")


def _panel_files(part: Path) -> Iterator[Path]:
    yield from part.glob(f"{GRADES}/*/{PANEL}")


def _join_grader(places: Sequence[Path], whole: Path, notify: Notify) -> None:
    """What one grader said of all parts; it must have been asked alike."""
    there = [place for place in places if (place / GRADER).is_file()]
    same_grader(there)
    whole.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(there[0] / GRADER, whole / GRADER)
    _join(there, whole)
    if len(there) < len(places):
        notify(f"{whole.name} was asked about {len(there)} of {len(places)} parts")


def _join(
    places: Sequence[Path], whole: Path, holds: Callable[[str], bool] = lambda _key: True
) -> None:
    """One journal of several, each key once, of those that it holds."""
    journals = [file for place in places if (file := place / JOURNAL).is_file()]
    where: dict[str, tuple[int, str, Status]] = {}
    for number, journal in enumerate(journals):
        for entry in newest_entries(journal):
            if not holds(entry.key):
                continue
            before = where.get(entry.key)
            if before is not None and before[1] != entry.prompt_hash:
                raise JournalError(
                    f"{journal}: the question {entry.key} was put differently than in "
                    f"{journals[before[0]]}: these are no parts of one run"
                )
            if before is None or before[2] is Status.FAILED:
                where[entry.key] = number, entry.prompt_hash, entry.response.status
    taken: list[dict[str, str]] = [{} for _ in journals]
    for key, (number, prompt_hash, _) in where.items():
        taken[number][key] = prompt_hash
    join_sent(whole / JOURNAL, zip(journals, taken, strict=True))
    entries = (
        entry
        for journal, keys in zip(journals, taken, strict=True)
        for entry in newest_entries(journal)
        if entry.key in keys
    )
    write_entries(whole / JOURNAL, entries)

"""What a run really sent: for one question, or for all tasks that its agents worked on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hengfa.base.errors import HengfaError
from hengfa.base.shards import first_key, parse_key
from hengfa.evals.engine.journal import Entry, read_entries, standing
from hengfa.evals.engine.messages import Message, Options, Request
from hengfa.evals.runs.folder import (
    IMPORTED,
    JOURNAL,
    prompts_of,
    read_manifest,
    run_of,
    said_in_manifest,
)
from hengfa.evals.runs.sitting import run_to_end
from hengfa.evals.suites.plan import Plan, make_plan
from hengfa.evals.suites.registry import get_suite
from hengfa.evals.suites.retelling import Asked, Event, Untold, retell


@dataclass(frozen=True, slots=True)
class Sent:
    """All questions to the model and calls of tools, in their order; or why they are not told."""

    events: Sequence[Event] = ()
    untold: str = ""


def entries_of(folder: Path, question: str, repeat: int = 1) -> list[Entry]:
    """What the journal of a run has of `TASK/SAMPLE`: the response, and those of its steps."""
    journal = run_of(folder) / JOURNAL
    task, _, sample = question.partition("/")
    return [
        entry
        for entry in (read_entries(journal) if journal.is_file() else ())
        if f"{entry.key.split('/', 3)[-1]}#".startswith(f"{sample}#")
        and parse_key(entry.key) == (task, repeat)
    ]


def servers_asked(entries: Iterable[Entry]) -> list[str]:
    """Which of several servers answered, in order."""
    return list(dict.fromkeys(entry.response.server for entry in entries if entry.response.server))


def sent(folder: Path, entries: Iterable[Entry], prompt: str) -> Sent:
    """What was sent for the question that these entries are of.

    The prompt on record is it, where it has the hash in the journal; that needs no data.
    """
    answered = standing(entries)
    key = next((key for key in answered if "#" not in key), None)
    if key is None:
        imported = read_manifest(folder).address == IMPORTED
        return Sent(untold="predictions of another tool" if imported else "not in the journal")
    if len(answered) == 1:
        entry = answered[key]
        request = Request(key, (Message("user", prompt),), entry.options)
        if request.prompt_hash() == entry.prompt_hash:
            return Sent([Asked("", request, entry.response, entry.at)])
    try:
        told = _tell(folder, {key: answered})
    except HengfaError as error:
        return Sent(untold=str(error))
    return told.get(key, Sent(untold="the data has no such sample now"))


def agents_told(folder: Path) -> dict[tuple[str, int], Sequence[Event]]:
    """What the agents of a run did on each task, by its key and repeat; without what cannot be
    told, as where the data is not here."""
    manifest, journal = read_manifest(folder), run_of(folder) / JOURNAL
    with said_in_manifest(folder):
        tasks = get_suite(manifest.suite).tasks
    if not journal.is_file() or all(task.retold is None for task in tasks.values()):
        return {}
    by_sample: defaultdict[str, dict[str, Entry]] = defaultdict(dict)
    for key, entry in standing(read_entries(journal)).items():
        by_sample[key.partition("#")[0]][key] = entry
    steps = {key: entries for key, entries in by_sample.items() if len(entries) > 1}
    try:
        told = _tell(folder, steps)
    except HengfaError:
        return {}
    return {
        (first_key(key), parts.repeat): sent.events
        for key, sent in told.items()
        if (parts := parse_key(key)) is not None
    }


def _tell(folder: Path, journal: Mapping[str, Mapping[str, Entry]]) -> dict[str, Sent]:
    """What was sent for some samples, by their keys, of each of which its steps are given."""
    manifest = read_manifest(folder)
    parts = [part for part in map(parse_key, journal) if part is not None]
    if not parts:
        return {}
    plan = make_plan(
        f"{manifest.suite}/{','.join(sorted({part.task for part in parts}))}",
        setting=manifest.setting,
        data=manifest.data_source,
        options=get_suite(manifest.suite).asked_by(manifest.suite_options),
        max_input_tokens=manifest.max_input_tokens,
        repeats=max(part.repeat for part in parts),
        prompts=str(prompts.file) if (prompts := prompts_of(folder, manifest)) else None,
    )
    plan = replace(plan, chosen=frozenset(map(first_key, journal)))
    return run_to_end(_tell_all(plan, manifest.options, journal))


async def _tell_all(
    plan: Plan, options: Options, journal: Mapping[str, Mapping[str, Entry]]
) -> dict[str, Sent]:
    told: dict[str, Sent] = {}
    for question in plan.asked(options):
        key = question.request.key
        if key in journal:
            try:
                told[key] = Sent(await retell(plan, question, journal[key]))
            except (Untold, HengfaError) as error:
                told[key] = Sent(untold=str(error))
    return told

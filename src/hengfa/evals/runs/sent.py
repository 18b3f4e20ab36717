"""What a run really sent: for one question, or for all tasks that its agents worked on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hengfa.base.shards import first_key, parse_key
from hengfa.evals.engine.journal import Entry, read_entries, standing
from hengfa.evals.engine.messages import Message, Request, ToolUse
from hengfa.evals.engine.sent import Event, Exchange, SentMessages
from hengfa.evals.runs.folder import IMPORTED, JOURNAL, read_manifest, run_of


@dataclass(frozen=True, slots=True)
class Sent:
    """All questions to the model and calls of tools, in their order; or why they are not known."""

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
    """What was sent for the question that these entries are of; `prompt` is the one on record."""
    answered = standing(entries)
    key = next((key for key in answered if "#" not in key), None)
    if key is None:
        imported = read_manifest(folder).address == IMPORTED
        return Sent(untold="predictions of another tool" if imported else "not in the journal")
    messages = SentMessages(run_of(folder) / JOURNAL)
    try:
        return Sent(list(_events(key, answered, messages, prompt)))
    except _Unknown as unknown:
        return Sent(untold=str(unknown))


def agents_told(folder: Path) -> dict[tuple[str, int], Sequence[Event]]:
    """What the agents of a run did on each task, by its key and repeat; without what is not
    known."""
    journal = run_of(folder) / JOURNAL
    by_sample: defaultdict[str, dict[str, Entry]] = defaultdict(dict)
    for key, entry in standing(read_entries(journal) if journal.is_file() else ()).items():
        by_sample[key.partition("#")[0]][key] = entry
    several = {key: entries for key, entries in by_sample.items() if len(entries) > 1}
    messages = SentMessages(journal)
    told: dict[tuple[str, int], Sequence[Event]] = {}
    for key, entries in several.items():
        if (parts := parse_key(key)) is not None:
            with suppress(_Unknown):
                events = list(_events(key, entries, messages))
                told[first_key(key), parts.repeat] = events
    return told


class _Unknown(Exception):
    """Why it is not known what was sent."""


def _events(
    key: str, answered: Mapping[str, Entry], messages: SentMessages, prompt: str = ""
) -> Iterator[Event]:
    """All that happened to a sample, of which the entries are given by their keys."""
    steps = [step for one in answered if (step := one.partition("#")[2])] or [""]
    kept = messages.events(key)
    order: Sequence[str | ToolUse] = kept if steps != [""] else (*steps, *kept)
    for event in order or steps:
        if isinstance(event, ToolUse):
            yield event
            continue
        entry = answered.get(f"{key}#{event}" if event else key)
        if entry is None:
            raise _Unknown(f"the journal has no {key}#{event}")
        yield Exchange(event, _request(entry, messages, prompt), entry.response, entry.at)


def _request(entry: Entry, messages: SentMessages, prompt: str) -> Request:
    """What was sent, to the letter: it has the hash in the journal."""
    request = messages.request(entry.key, entry.prompt_hash, entry.options)
    if request is not None:
        return request
    request = Request(entry.key, (Message("user", prompt),), entry.options)
    if request.prompt_hash() == entry.prompt_hash:
        return request
    if not messages.there:
        raise _Unknown("the run was made before the messages that were sent were kept")
    raise _Unknown(f"the messages of {entry.key} were not kept")

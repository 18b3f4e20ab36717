"""What published agents called, made again on the recovered world: would better tools have helped?

    python benchmarks/agent_replay.py [MODEL]...

Six logs of published ReAct runs have every call beside its answer. Each look-up in them is made
again, by the strict tools and by the helpful ones of our method `tools`:

1. how many strict answers are those of then, and how many look-ups failed;
2. what the helpful tools say to a look-up that failed: rows, a name, a column or another tool with
   which it finds rows, or nothing; and whether those rows hold a key that the agent never saw;
3. what happened in the tasks that were not solved, each of which may count several times;
4. what all this can at most be worth: the success of the run; with the keys that such rows hold put
   into its answers; with every task solved in which they hold a key or a step; in which there was
   any advice; that never came to a final answer; and all but those in which nothing went wrong;
5. what the loop of `tools` would have done to these calls: refused as made before, answered with
   the first page of a longer list; and the tasks that it would have ended for want of a new call,
   with those of them in which one came later;
6. how many right and wrong final answers its check would have questioned.

No model is asked, so nothing says what one would have made of the advice. The world has only rows
that published runs saw: a name that is proposed has fewer rivals here than in the benchmark's own
tables. The figures of 2 and 3 are upper bounds for both reasons.

Needs the shared data (HENGFA_SHARED, or next to the checkout).
"""

from __future__ import annotations

import argparse
import re
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hengfa.base.data.packs import folder_pack
from hengfa.world.agents.answer_check import unsupported
from hengfa.world.agents.native import IDLE_TURNS
from hengfa.world.agents.reading import Action, read_action
from hengfa.world.published.logs import steps_of_react
from hengfa.world.published.recovered import write_recovered
from hengfa.world.suites.legalagentbench.dataset import AgentSample, all_samples
from hengfa.world.suites.matching import literal, tolerant
from hengfa.world.tables.schema import LOOKUP_OF
from hengfa.world.tables.world import World
from hengfa.world.tools.catalogue import SOME_ROWS
from hengfa.world.tools.observation import Observation, Status
from hengfa.world.tools.toolbox import Toolbox
from shared_data import read_arguments, shared_folder

ARCHIVE = "data/upstream/LegalAgentBench-e6557ba9390b2a911f08fe934ce1121501447796.tar.xz"
MODELS = (
    "glm-4",
    "glm-4-plus",
    "gpt-3.5-turbo",
    "gpt-4o-2024-08-06",
    "gpt-4o-mini-2024-07-18",
    "qwen-max",
)
# "final_anwer is …" and "summary_answer is …", as the logs spell it; nothing where the agent failed
ANSWERS = re.compile(r"^final_anwer is (.*?)\nsummary_answer is ", re.MULTILINE | re.DOTALL)
FEW = 16  # so much of a question tells it; one was worded otherwise when the logs were made
BOUNDS = (
    *("published", "those keys", "those tasks", "any advice"),
    *("no final answer", "all but clean ones"),
)
SAID = ("rows", "name", "column", "tool", "nothing")


class Step(NamedTuple):
    """A call as it was made, and what was answered then."""

    action: Action | None
    answer: str


class Task(NamedTuple):
    """A task of one run."""

    sample: AgentSample
    steps: list[Step]
    answer: str

    @property
    def success(self) -> float:
        return sum(map(literal(self.answer), self.sample.key)) / len(self.sample.key)


def read_log(text: str, samples: Sequence[AgentSample]) -> Iterator[Task]:
    """The tasks of a log, which has them in the order of the data."""
    starts: list[int] = []
    for sample in samples:
        after = starts[-1] + 1 if starts else 0
        at = text.find(sample.question, after)
        starts.append(at if at >= 0 else text.index(sample.question[:FEW], after))
    for sample, start, end in zip(samples, starts, [*starts[1:], len(text)], strict=True):
        block = text[start:end]
        answer = ANSWERS.search(block)
        steps = [Step(read_action(shown.words), shown.answer) for shown in steps_of_react(block)]
        yield Task(sample, steps, answer[1] if answer else "")


# --- what the helpful tools say to a call that failed ---


class Advice(NamedTuple):
    """What is said, and the rows to which it leads, as text."""

    said: str
    rows: str


class Tools(NamedTuple):
    """Both kinds of tools over one world."""

    strict: Toolbox
    helpful: Toolbox

    def advice(self, action: Action) -> Advice:
        """What the helpful tools say: the first kind of advice that finds rows, and all rows."""
        if not isinstance(action.given, dict):
            return Advice("nothing", "")
        seen = self.helpful.call(action.tool, action.given)
        if seen.status is Status.OK:
            return Advice("rows", str(seen.rows))
        told = seen.value if isinstance(seen.value, dict) else {}
        kinds = {
            "name": _other_names(action, told),
            "column": _other_columns(action, told),
            "tool": _other_tools(action, told),
        }
        found = {
            kind: rows
            for kind, calls in kinds.items()
            if (rows := "\n".join(filter(None, map(self._rows, calls))))
        }
        return Advice(next(iter(found), "nothing"), "\n".join(found.values()))

    def _rows(self, action: Action) -> str:
        """What a call finds, with such of its columns as the table has."""
        columns = [
            name
            for name in action.given.get("columns") or ()
            if name in LOOKUP_OF[action.tool].table.place
        ]
        seen = self.strict.call(action.tool, {**action.given, "columns": columns})
        return seen.text if seen.status is Status.OK else ""


def _other_names(action: Action, told: dict[str, Any]) -> Iterator[Action]:
    for name in told.get("suggestions", ()):
        if told["error"] == Status.NO_DATA:
            given = name if isinstance(name, dict) else {"identifier": name}
            yield action._replace(given={**action.given, **given})


def _other_columns(action: Action, told: dict[str, Any]) -> Iterator[Action]:
    if told.get("error") == Status.BAD_COLUMN and told.get("suggestions"):
        near = [name for names in told["suggestions"].values() for name in names]
        yield action._replace(given={**action.given, "columns": near})


def _other_tools(action: Action, told: dict[str, Any]) -> Iterator[Action]:
    for tool in told.get("elsewhere", ()):
        yield action._replace(tool=tool)


# --- counting ---


class Counted:
    """All that is counted of one run."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.success: dict[str, list[float]] = {bound: [] for bound in BOUNDS}

    def add(self, task: Task, tools: Tools) -> None:
        advised = [rows for step in task.steps if (rows := self._step(step, tools))]
        told = [rows for rows in advised if _unseen(task, rows)]
        self.counts["with a key"] += len(told)
        has, rows_have = literal(task.answer), tolerant("\n".join(told))
        keys = [has(key) or rows_have(key) for key in task.sample.key]
        happened = self._lost(task, tools) if task.success < 1.0 else set()
        never, wrong = "no final answer" in happened, not happened <= {"none of these"}
        solved = (1.0 if so else task.success for so in (told, advised, never, wrong))
        for bound, value in zip(
            BOUNDS, (task.success, sum(keys) / len(keys), *solved), strict=True
        ):
            self.success[bound].append(value)
        self._loop(task, tools)
        self._question(task)

    def _step(self, step: Step, tools: Tools) -> str:
        """Make a look-up again; the rows to which advice leads where it failed."""
        if step.action is None or step.action.tool not in LOOKUP_OF:
            return ""
        strict = tools.strict.call(*step.action)
        self.counts["lookups"] += 1
        self.counts["equal"] += _equal(strict, step.answer)
        if strict.status is Status.OK:
            return ""
        advice = tools.advice(step.action)
        self.counts.update([strict.status, f"said {advice.said}"])
        return advice.rows

    def _lost(self, task: Task, tools: Tools) -> set[str]:
        actions = [step.action for step in task.steps]
        calls = [action for action in actions if action and not action.final]
        happened = {
            "silent": not task.answer,
            "no final answer": not any(action and action.final for action in actions),
            "an unreadable action": None in actions,
            "a call made twice": any(call in calls[:at] for at, call in enumerate(calls)),
            "a failed look-up": any(
                tools.strict.call(*call).status is not Status.OK
                for call in calls
                if call.tool in LOOKUP_OF
            ),
        }
        happened["none of these"] = not any(happened.values())
        found = {what for what, so in happened.items() if so}
        self.counts.update(f"lost {what}" for what in found)
        self.counts["lost"] += 1
        return found

    def _loop(self, task: Task, tools: Tools) -> None:
        made: list[Action] = []
        idle, happened = 0, set()
        for step in task.steps:
            if step.action is None or step.action.final:
                continue
            idle = idle + 1 if step.action in made else 0
            if idle == IDLE_TURNS:
                happened.add("ended")
            elif not idle and happened:
                happened.add("ended too early")
            made.append(step.action)
            self.counts["calls"] += 1
            self.counts["refused"] += idle > 0
            if step.action.tool in LOOKUP_OF and not idle:
                rows = len(tools.strict.call(*step.action).rows)
                self.counts["first pages"] += rows > SOME_ROWS
        self.counts.update(happened)

    def _question(self, task: Task) -> None:
        if not task.answer:
            return
        kind = "right" if task.success == 1.0 else "wrong"
        seen = [task.sample.question, *(step.answer for step in task.steps)]
        self.counts[kind] += 1
        self.counts[f"{kind} questioned"] += bool(unsupported(task.answer, seen))


def _equal(seen: Observation, then: str) -> bool:
    """An error was followed by a hint."""
    return then == seen.text.strip() or (
        seen.status is not Status.OK and then.startswith(seen.text)
    )


def _unseen(task: Task, rows: str) -> bool:
    """Whether rows hold a key or a step that the agent neither was told, nor saw, nor said."""
    seen = [task.sample.question, task.answer, *(step.answer for step in task.steps)]
    known, now = tolerant("\n".join(seen)), tolerant(rows)
    return any(now(key) and not known(key) for key in (*task.sample.key, *task.sample.key_middle))


# --- tables ---


def table(title: str, columns: Sequence[str], rows: dict[str, Sequence[str]]) -> None:
    print(f"\n| {title} | {' | '.join(columns)} |\n| --- |{' ---: |' * len(columns)}")
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(cells)} |")


def print_all(runs: dict[str, Counted]) -> None:
    shares = {name: run.counts for name, run in runs.items()}
    table(
        "look-ups",
        ("made", "answered as then", "no data", "bad column", "bad arguments"),
        {
            name: [f"{of[key]:,}" for key in ("lookups", "equal", *ERRORS)]
            for name, of in shares.items()
        },
    )
    table(
        "failed look-ups, to which helpful tools say",
        (*SAID, "with a key never seen"),
        {
            name: [*(f"{of[f'said {said}']:,}" for said in SAID), f"{of['with a key']:,}"]
            for name, of in shares.items()
        },
    )
    table(
        "tasks not solved",
        ("all", *LOST),
        {
            name: [f"{of['lost']}", *(f"{of[f'lost {what}']}" for what in LOST)]
            for name, of in shares.items()
        },
    )
    table(
        "success, published and at most",
        BOUNDS,
        {
            name: [f"{sum(values) / len(values):.4f}" for values in run.success.values()]
            for name, run in runs.items()
        },
    )
    table(
        "calls in the loop of `tools`",
        LOOP,
        {name: [f"{of[what]:,}" for what in LOOP] for name, of in shares.items()},
    )
    table(
        "answers questioned",
        ("of right ones", "of wrong ones"),
        {
            name: [f"{of[f'{kind} questioned']} of {of[kind]}" for kind in ("right", "wrong")]
            for name, of in shares.items()
        },
    )


LOST = (
    *("silent", "no final answer", "an unreadable action", "a call made twice"),
    *("a failed look-up", "none of these"),
)
LOOP = ("calls", "refused", "first pages", "ended", "ended too early")
ERRORS = (Status.NO_DATA, Status.BAD_COLUMN, Status.BAD_ARGUMENTS)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="*", default=MODELS, metavar="MODEL")
    models = read_arguments(parser, quick="gpt-4o-2024-08-06").models
    shared = shared_folder()
    folder = shared / "data" / "LegalAgentBench"
    samples = all_samples(folder)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "recovered.sqlite"
        write_recovered(folder_pack("legalagentbench", folder), file)
        with tarfile.open(shared / ARCHIVE) as archive:
            archive.extractall(scratch, filter="data")
        logs = next(Path(scratch).glob("LegalAgentBench-*/src/output_1205"))
        with World.open(file) as world:
            tools = Tools(Toolbox(world, "strict"), Toolbox(world, "helpful"))
            runs = {}
            for model in models:
                runs[model] = Counted()
                log = (logs / f"log_react_1205_{model}.txt").read_text("utf-8")
                for task in read_log(log, samples):
                    runs[model].add(task, tools)
    print_all(runs)


if __name__ == "__main__":
    main()

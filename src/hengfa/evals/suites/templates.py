"""Prompts of the user's own in the place of a suite's: a TOML file with a template for each task.

    name = "brief"

    [tasks."*"]
    user = "{prompt}\\n\\nAnswer with the letter alone."

A placeholder is `{prompt}`, the words of the suite, or a field of the sample that the task shows
(:attr:`Task.fields`). Braces are written `{{` and `}}`. Nothing else is looked up or evaluated, and
what a sample says is never read as a template. Which prompts were used is part of a run.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

import msgspec

from hengfa.base.data.jsonfile import parse_toml
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.engine.messages import Message, Role
from hengfa.evals.suites.base import AnyTask, Sample, Suite

PROMPT: Final = "prompt"
ANY: Final = "*"  # the template of tasks that have none of their own

# A brace that is doubled: "{{"; a placeholder: "{question}", also a wrong one: "{a.b}"; a brace
# that stands alone: "{" in "{a"; not "a".
_BRACES: Final = re.compile(r"(?P<twice>\{\{|\}\})|\{(?P<field>[^{}]*)\}|(?P<alone>[{}])")


class Turn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One message of a template."""

    role: Literal["system", "user", "assistant"]
    content: str


class Template(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is sent for a task: `user` in the place of the suite's last message, or all `messages`.
    What the suite says before its last message stays with `user`; `system` takes the place of the
    suite's system message, and an empty one leaves it out."""

    user: str | None = None
    system: str | None = None
    messages: tuple[Turn, ...] = ()

    def __post_init__(self) -> None:
        if (self.user is None) == (not self.messages):
            raise ValueError("a template has either `user` or `messages`")
        if self.messages and self.system is not None:
            raise ValueError("`system` is one of the `messages`, where there are any")

    def turns(self) -> dict[str, Turn]:
        """Its messages by the field that they stand in."""
        if self.user is None:
            return {f"messages[{at}]": turn for at, turn in enumerate(self.messages)}
        system = {"system": Turn("system", self.system)} if self.system else {}
        return system | {"user": Turn("user", self.user)}


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
    tasks: dict[str, Template]

    def __post_init__(self) -> None:
        if not self.name.strip() or not self.name.isprintable():
            raise ValueError("`name` is no name")


class Field(NamedTuple):
    """A placeholder."""

    name: str


Text = tuple[str | Field, ...]  # a text with placeholders, taken apart


def read_text(template: str) -> Text:
    """A template's text taken apart; a brace that stands alone raises ValueError."""
    parts: list[str | Field] = []
    end = 0
    for brace in _BRACES.finditer(template):
        parts.append(template[end : brace.start()])
        end = brace.end()
        if brace["alone"]:
            raise ValueError(f"{brace['alone']!r} stands alone: write {brace['alone'] * 2!r}")
        parts.append(brace["twice"][0] if brace["twice"] else Field(brace["field"]))
    return (*parts, template[end:])


def fill(text: Text, value: Callable[[str], str]) -> str:
    """A text with the values of its placeholders, which are put in as they are."""
    return "".join(value(part.name) if isinstance(part, Field) else part for part in text)


@dataclass(frozen=True)
class Prompts:
    """A file of templates: its name, what it says by task, and where it was read."""

    name: str
    templates: Mapping[str, Template]
    content: bytes
    file: Path

    @property
    def identity(self) -> str:
        """The name that a run has it by, which another content does not have: `brief#3fa9c1d2`."""
        return f"{self.name}#{hashlib.blake2b(self.content, digest_size=4).hexdigest()}"

    def applied(self, task: AnyTask, setting: str) -> AnyTask:
        """The task asked by its template instead of the suite's words."""
        names = (f"{task.id}/{setting}", task.id, f"{ANY}/{setting}", ANY)
        name = next((name for name in names if name in self.templates), None)
        if name is None:
            problem = f"has no template for task {task.id!r}, and none for all: [tasks.{ANY!r}]"
            raise DataError(problem, file=self.file)
        template = self.templates[name]
        texts: list[tuple[Role, Text]] = []
        for field, turn in template.turns().items():
            try:
                texts.append((turn.role, _check_text(task, turn.content)))
            except ValueError as error:
                place = f"tasks.{name}.{field}"
                raise DataError(str(error), file=self.file, field=place) from error
        problem = ""
        if not any(isinstance(part, Field) for _, text in texts for part in text):
            problem = f"shows nothing of a sample; there is: {_field_names(task)}"
        elif task.solver is not None and (template.messages or template.system is not None):
            problem = f"agents work on task {task.id!r} in words of their own: give it `user` alone"
        if problem:
            raise DataError(problem, file=self.file, field=f"tasks.{name}")
        return replace(task, prompt=_prompt(task, template, texts))


def _check_text(task: AnyTask, words: str) -> Text:
    text = read_text(words)
    for part in text:
        if isinstance(part, Field) and part.name != PROMPT and part.name not in task.fields:
            raise ValueError(
                f"task {task.id!r} has no field {part.name!r}; there is: {_field_names(task)}. "
                "Braces that are no field are doubled: {{ and }}"
            )
    return text


def _prompt(
    task: AnyTask, template: Template, texts: Sequence[tuple[Role, Text]]
) -> Callable[[Sample, str], tuple[Message, ...]]:
    own, fields = task.prompt, task.fields

    def prompt(sample: Sample, setting: str) -> tuple[Message, ...]:
        *before, last = own(sample, setting)

        def value(name: str) -> str:
            return last.content if name == PROMPT else fields[name](sample)

        sent = [Message(role, fill(text, value)) for role, text in texts]
        if template.user is None:
            return tuple(sent)
        kept = (m for m in before if m.role != "system" or template.system is None)
        return (*sent[:-1], *kept, sent[-1])

    return prompt


def _field_names(task: AnyTask) -> str:
    return ", ".join((PROMPT, *task.fields))


def find_prompts(suite: Suite, named: str) -> Prompts:
    """A set of prompts that ships with the suite, by its name, or a file."""
    file = suite.prompts.get(named) or Path(named)
    with disk_errors(file):
        is_there = file.exists()
    if not is_there:
        known = ", ".join(suite.prompts) or "none"
        raise UsageError(f"--prompts: there is no file {named}; {suite.name} brings: {known}")
    prompts = read_prompts(file)
    for name in prompts.templates:
        task, slash, setting = name.partition("/")
        known_task = task == ANY or task in suite.tasks
        if not known_task or (slash and setting not in suite.settings):
            problem = f"{suite.name} has no task {task!r}; there is: {', '.join(suite.tasks)}"
            if known_task:
                settings = ", ".join(suite.settings)
                problem = f"{suite.name} has no setting {setting!r}; there is: {settings}"
            raise DataError(problem, file=file, field=f"tasks.{name}")
    return prompts


def read_prompts(file: Path) -> Prompts:
    """The templates of a file."""
    with disk_errors(file):
        content = file.read_bytes()
    read = parse_toml(content, _File, file)
    return Prompts(read.name, read.tasks, content, file)

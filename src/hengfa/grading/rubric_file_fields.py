"""YAML that somebody else wrote, read field by field with errors that name the place.

A rubric may come from anywhere, so the file is small, has no aliases (a few lines of them can stand
for billions of values) and no key twice, and what is in it is text, numbers, lists and mappings.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import yaml

from hengfa.data.paths import disk_errors
from hengfa.errors import DataError

MOST_BYTES: Final = 256 * 1024
MOST_DEPTH: Final = 20


class Field:
    """One value of a file, and the way to it: ``sections[0].items[2].points``."""

    def __init__(self, value: object, file: Path, path: str = "") -> None:
        self.value = value
        self.file = file
        self.path = path

    def wrong(self, problem: str) -> DataError:
        """The error that names this place."""
        return DataError(problem, file=self.file, field=self.path or None)

    def mapping(self, known: Sequence[str]) -> dict[str, Field]:
        """The fields of a mapping; one that is not known is an error with a suggestion."""
        if not isinstance(self.value, dict):
            raise self.wrong(
                f"expected fields such as {', '.join(known[:3])}, not {_kind(self.value)}"
            )
        fields: dict[str, Field] = {}
        for name, value in self.value.items():
            if name not in known:
                close = difflib.get_close_matches(str(name), known, n=1)
                hint = f"did you mean {close[0]!r}?" if close else f"there is: {', '.join(known)}"
                raise self.below(str(name)).wrong(f"there is no such field; {hint}")
            fields[name] = self.below(name, value)
        return fields

    def below(self, name: str, value: object = None) -> Field:
        """The field of this name."""
        return Field(value, self.file, f"{self.path}.{name}" if self.path else name)

    def listing(self) -> list[Field]:
        """The members of a list."""
        if not isinstance(self.value, list):
            raise self.wrong(f"expected a list, not {_kind(self.value)}")
        return [
            Field(value, self.file, f"{self.path}[{place}]")
            for place, value in enumerate(self.value)
        ]

    def text(self) -> str:
        """Text that says something."""
        if not isinstance(self.value, str):
            hint = "" if isinstance(self.value, dict | list) else "; put it in quotes"
            raise self.wrong(f"expected text, not {_kind(self.value)}{hint}")
        if not self.value.strip():
            raise self.wrong("expected text, not nothing")
        return self.value

    def number(self, *, least: float = 0.0) -> float:
        """A number that is not below ``least``."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(f"expected a number, not {_kind(value)}")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self.wrong("expected a number that is not infinite")
        if number < least:
            below = "negative points" if least == 0 else f"below {least:g}"
            raise self.wrong(f"{number:g} is {below}")
        return number

    def whole(self) -> int:
        """A whole number from 1."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or self.value < 1:
            raise self.wrong(f"expected a whole number from 1, not {_kind(self.value)}")
        return self.value

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.wrong(f"expected true or false, not {_kind(self.value)}")
        return self.value


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "fields"
    if isinstance(value, list):
        return "a list"
    return repr(value)[:40]


def read_yaml(file: Path) -> Field:
    """The file as a tree of fields."""
    with disk_errors(file), file.open("rb") as stream:
        content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise DataError(f"larger than {MOST_BYTES // 1024} KB: that is no rubric", file=file)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8: {error.reason} at byte {error.start}", file=file) from error
    try:
        _refuse_traps(text, file)
        _refuse_twice(yaml.compose(text, Loader=yaml.SafeLoader), file)
        return Field(yaml.safe_load(text), file)
    except yaml.MarkedYAMLError as error:
        place = error.problem_mark or error.context_mark
        row = None if place is None else place.line + 1
        raise DataError(f"not readable as YAML: {error.problem}", file=file, row=row) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        problem = str(error).splitlines()[0]
        raise DataError(f"not readable as YAML: {problem}", file=file) from error


def _refuse_traps(text: str, file: Path) -> None:
    """Aliases, and nesting so deep that it must be meant to break something."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            row = event.start_mark.line + 1
            raise DataError("anchors and aliases (& and *) are not accepted", file=file, row=row)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MOST_DEPTH:
            row = event.start_mark.line + 1
            raise DataError(f"nested deeper than {MOST_DEPTH} levels", file=file, row=row)


def _refuse_twice(node: yaml.Node | None, file: Path) -> None:
    """A key that is there twice: YAML readers keep the last without a word."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    row = key.start_mark.line + 1
                    raise DataError(f"the field {key.value!r} is there twice", file=file, row=row)
                seen.add(key.value)
            _refuse_twice(value, file)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _refuse_twice(value, file)

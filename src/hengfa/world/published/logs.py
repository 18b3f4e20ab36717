"""What published runs of agents show of the world they worked in: calls, and what was answered.

* A ReAct log has every call beside its answer, under the number of the step.
* A log of a planning agent has the words of each step and the answer, not the call.
* A GoalAct transcript has both in words, and the two need not belong together.

An answer stands there as Python prints it: a row is a dict, a list of rows or of texts a list, a
blank cell nan. Nothing is evaluated, and whatever else stands there is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple

import msgspec

from hengfa.base.data.jsonfile import json_decoder
from hengfa.world.tables.schema import LOOKUP_OF, REGION, TABLES, Lookup
from hengfa.world.tables.world import Cell

Cells = dict[str, Cell]
Printed = Cells | list[Cells] | list[str]


class Call(NamedTuple):
    """A look-up and the text of its answer."""

    lookup: Lookup
    values: tuple[str, ...]
    answer: str


class LogStep(NamedTuple):
    """An answer of which only words say what was asked."""

    words: str
    answer: str


# "行动 2:  ```json…" and "观察 2: {…}" at the start of a line; not "思考 2: …"
_STEP: Final = re.compile(r"^(?P<kind>行动|观察) (?P<step>[0-9]+): (?P<text>.*)$", re.MULTILINE)
# "第3步计划: 查询… 执行结果: [{…}]"; not a line of the final answer
_PLANNED: Final = re.compile(r"^第[0-9]+步计划: (?P<words>.*)$", re.MULTILINE)
_RESULT: Final = " 执行结果: "
# "观察3: {…}" and "{…}" of a transcript; the number goes
_OBSERVED: Final = re.compile(r"(?:观察[0-9]+: )?(?P<answer>[\[{].*)")


def steps_of_react(text: str) -> Iterator[LogStep]:
    """The text of every action, and what it was answered."""
    action = None
    for line in _STEP.finditer(text):
        if line["kind"] == "行动":
            action = line
        elif action is not None and action["step"] == line["step"]:
            yield LogStep(action["text"], line["text"].strip())
            action = None


def steps_of_plan(text: str) -> Iterator[LogStep]:
    """The words of every step that was carried out, and what it was answered."""
    for line in _PLANNED.finditer(text):
        words, result, answer = line["words"].partition(_RESULT)
        if result:
            yield LogStep(words, answer.strip())


def steps_of_transcript(text: str) -> Iterator[LogStep]:
    """The answers of a transcript; its words are left out, for they may belong to others."""
    for line in text.split("\n"):
        if observed := _OBSERVED.fullmatch(line.strip()):
            yield LogStep("", observed["answer"])


_FENCE: Final = "```"
_FULL_WIDTH: Final = str.maketrans({"'": '"', "(": "（", ")": "）"})
"""What the published agents did to every call before they read it."""
# "get_court_info```pythontool_call(identifier='…', columns=['…'])```", an older form
_OLD_CALL: Final = re.compile(r"(?P<tool>\w+)```pythontool_call\((?P<given>[^`]*)\)```")
_OLD_ARGUMENT: Final = re.compile(r"\b(?P<name>identifier|prov|city|county)='(?P<value>[^'\\()]*)'")


class _Action(msgspec.Struct):
    action: str
    action_input: dict[str, Any]


_action = json_decoder(_Action)


def read_call(shown: LogStep) -> Call | None:
    """The look-up that an action makes, or None."""
    action = None
    _, fence, rest = shown.words.partition(f"{_FENCE}json")
    block, end, _ = rest.partition(_FENCE)
    if fence and end:
        with suppress(msgspec.DecodeError):
            action = _action(block.translate(_FULL_WIDTH))
    if action is None and (old := _OLD_CALL.fullmatch(shown.words.strip())):
        parts = _OLD_ARGUMENT.finditer(old["given"])
        action = _Action(old["tool"], {part["name"]: part["value"] for part in parts})
    lookup = LOOKUP_OF.get(action.action) if action else None
    if action is None or lookup is None:
        return None
    values = tuple(action.action_input.get(name) for name in lookup.arguments)
    if not all(isinstance(value, str) for value in values):
        return None
    return Call(lookup, tuple(map(str, values)), shown.answer)


# "get_court_info_list" in words; a longer name is not its beginning
_TOOL: Final = re.compile(r"get_[a-z_]+")
# "“京0108”", "'2021'", '"…公司"'; not "'案号’"
_QUOTED: Final = re.compile(r"'([^'\"“”‘’]+)'|\"([^'\"“”‘’]+)\"|“([^'\"“”‘’]+)”|‘([^'\"“”‘’]+)’")
_NO_VALUES: Final = frozenset(
    {"identifier", "columns", *REGION, *(name for table in TABLES for name in table.names)}
)


def described_call(shown: LogStep) -> Call | None:
    """The look-up that words describe: they name one tool, and quote just what it takes."""
    tools = set(_TOOL.findall(shown.words))
    lookup = LOOKUP_OF.get(tools.pop()) if len(tools) == 1 else None
    if lookup is None:
        return None
    quoted = ("".join(parts).translate(_FULL_WIDTH) for parts in _QUOTED.findall(shown.words))
    values = tuple(value for value in dict.fromkeys(quoted) if value not in _NO_VALUES)
    fitting = len(values) == len(lookup.arguments)
    return Call(lookup, values, shown.answer) if fitting else None


# --- answers as Python prints them ---

_TOKEN: Final = re.compile(
    r"""\s*(?:
        '(?P<single>[^'\\]*+(?:\\.[^'\\]*+)*+)'
      | "(?P<double>[^"\\]*+(?:\\.[^"\\]*+)*+)"
      | (?P<number>-?[0-9]{1,18}(?:\.[0-9]{1,25})?(?:e[+-]?[0-9]{1,2})?)
      | (?P<blank>nan)
      | (?P<mark>[]\[{}:,])
    )""",
    re.VERBOSE,
)
# "\n", "\\", "\'", "\xa0", "\u3000"; not "\d", which Python never prints
_ESCAPE: Final = re.compile(
    r"""\\(?:(?P<plain>[\\'"nrt])|x(?P<x>[0-9a-f]{2})|u(?P<u>[0-9a-f]{4})|U(?P<U>[0-9a-f]{8})|)"""
)
_PLAIN: Final = {"n": "\n", "r": "\r", "t": "\t"}


class _NotPrinted(Exception):
    """The text is nothing that a tool printed."""


def read_printed(text: str) -> Printed | None:
    """The row, rows or texts that a tool printed; None for any other text."""
    reader = _Reader(text)
    try:
        printed = reader.answer()
    except _NotPrinted:
        return None
    return printed if reader.at_end() else None


class _Reader:
    """Goes through a printed answer once: a row, or a list of rows or texts, no deeper."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0

    def at_end(self) -> bool:
        return not self._text[self._place :].strip()

    def answer(self) -> Printed:
        match self._mark():
            case "{":
                return self._row()
            case "[":
                return self._list()
        raise _NotPrinted

    def _list(self) -> list[Cells] | list[str]:
        rows: list[Cells] = []
        texts: list[str] = []
        while True:
            token = self._token()
            if token["mark"] == "{":
                rows.append(self._row())
            elif isinstance(cell := _cell(token), str):
                texts.append(cell)
            else:
                raise _NotPrinted
            if self._ends("]"):
                break
        if rows and texts:
            raise _NotPrinted
        return rows or texts

    def _row(self) -> Cells:
        row: Cells = {}
        while True:
            name = _cell(self._token())
            if not isinstance(name, str) or name in row or self._mark() != ":":
                raise _NotPrinted
            row[name] = _cell(self._token())
            if self._ends("}"):
                return row

    def _ends(self, end: str) -> bool:
        """Whether this was the last; else a comma must follow."""
        mark = self._mark()
        if mark not in {end, ","}:
            raise _NotPrinted
        return mark == end

    def _mark(self) -> str | None:
        return self._token()["mark"]

    def _token(self) -> re.Match[str]:
        token = _TOKEN.match(self._text, self._place)
        if token is None:
            raise _NotPrinted
        self._place = token.end()
        return token


def _cell(token: re.Match[str]) -> Cell:
    if token["blank"]:
        return None
    if token["number"]:
        number = token["number"]
        return int(number) if number.lstrip("-").isdecimal() else float(number)
    text = token["single"] if token["single"] is not None else token["double"]
    if text is None:
        raise _NotPrinted
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _unescaped(escape: re.Match[str]) -> str:
    if plain := escape["plain"]:
        return _PLAIN.get(plain, plain)
    code = escape["x"] or escape["u"] or escape["U"]
    number = int(code, 16) if code else 0xD800
    if number > 0x10FFFF or 0xD800 <= number < 0xE000:  # not an escape, or half a character
        raise _NotPrinted
    return chr(number)

"""What a model wrote: made safe to keep, and read as calls of tools.

`clean` and its neighbours bound a text and take out half characters and control codes. Published
methods write an action as text (`read_action`), our own makes calls (`read_calls`); an older form
of action is a call that looks like Python (`read_call`). Nothing a model wrote is ever run.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

import msgspec

from hengfa.base.data.jsonfile import decode_json
from hengfa.evals.engine.messages import Response
from hengfa.world.tables.schema import LOOKUP_OF
from hengfa.world.tools.catalogue import FINAL_ANSWER, FINISH

_LONGEST_REPLY: Final = 200_000
_LONGEST_ARGUMENTS: Final = 20_000
_DEEPEST: Final = 24
# NUL, escape, bell and the like; not the tab, line feed and carriage return
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# "\n", "\r\n" and the blanks around them
_LINE_BREAKS: Final = re.compile(r"[\r\n\u2028\u2029\x85]+")
# the comma in 1,234; not that in 甲,乙
_DIGIT_COMMA: Final = re.compile(r"(?<=[0-9]),(?=[0-9])")


def clean(text: str) -> str:
    """The text without what no transcript can hold; a reply of a megabyte is cut."""
    return _CONTROL.sub("", text[:_LONGEST_REPLY].encode("utf-8", "replace").decode())


def one_line(text: str) -> str:
    """Without line breaks, as replies enter a transcript (legalagentbench.md 4.2)."""
    return _LINE_BREAKS.sub("", clean(text)).strip()


def without_digit_commas(text: str) -> str:
    """Commas between digits deleted, as in both closing texts (legalagentbench.md 4.1)."""
    return _DIGIT_COMMA.sub("", clean(text))


def read_json(text: str) -> Any:
    """The value of a JSON text; None for anything else, and for what nests absurdly."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if _shallow(value) else None


def _shallow(value: Any, depth: int = 0) -> bool:
    if depth > _DEEPEST:
        return False
    if isinstance(value, dict):
        return all(_shallow(item, depth + 1) for item in value.values())
    if isinstance(value, list):
        return all(_shallow(item, depth + 1) for item in value)
    return True


def kept_arguments(value: Any) -> dict[str, Any]:
    """Arguments as a trajectory keeps them: an object, and not a megabyte of it. What is no object,
    such as the bare text that published retrievers take, is an identifier."""
    arguments = value if isinstance(value, dict) else {"identifier": value}
    try:
        text = msgspec.json.encode(arguments, order="deterministic")
        arguments = decode_json(text)
    except (TypeError, ValueError, RecursionError, msgspec.DecodeError):
        return {"unreadable": True}
    if len(text) > _LONGEST_ARGUMENTS:
        return {"cut": text[:_LONGEST_ARGUMENTS].decode("utf-8", "ignore")}
    return dict(arguments)


# --- actions of the published text protocol ---

_MOST_COLUMNS: Final = 5
# "```json {…} ```" over several lines; not "``` {…} ```"
_JSON_BLOCK: Final = re.compile(r"```json(.*?)```", re.DOTALL)
# The last word before a fence: "get_sum" in "行动：get_sum\n"; not "get_sum" in "get_sum。"
_NAME_BEFORE: Final = re.compile(r"([A-Za-z_]\w{0,79})[：:\s]*$")
_FENCE: Final = "```"
_NAME_REACH: Final = 120  # the name stands that near to the fence
_LIKE_JSON: Final = str.maketrans({"'": '"', "(": "（", ")": "）"})
_ANY_TOOL: Final = "tool_call"  # the callee of the older form, which has the name before the fence


class Action(NamedTuple):
    """A tool that the model wants called; the input is what it wrote, of any shape."""

    tool: str
    given: Any

    @property
    def final(self) -> bool:
        return self.tool in (FINAL_ANSWER, FINISH)

    @property
    def answer(self) -> str:
        given = self.given
        if isinstance(given, dict):
            given = given.get("answer") or next(iter(given.values()), "")
        return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def read_action(reply: str) -> Action | None:
    """The action in a reply; None where there is none that can be read (legalagentbench.md 4.2).

    The first block fenced as json counts. In it single quotes become double and ASCII parentheses
    full-width before it is parsed: this rescues case numbers and ruins apostrophes, and belongs to
    the published agents. Where that fails, one older form is tried, the name of a tool and a fenced
    call.
    """
    text = clean(reply)
    if block := _JSON_BLOCK.search(text):
        action = read_json(block[1].translate(_LIKE_JSON))
        tool = action.get("action") if isinstance(action, dict) else None
        if isinstance(tool, str):
            return _normal(tool, action.get("action_input", {}))
    return _from_call(text)


def _from_call(text: str) -> Action | None:
    """By hand rather than by one pattern, which would take long over a long text of blanks."""
    start = text.find(_FENCE)
    end = text.find(_FENCE, start + len(_FENCE))
    if start < 0 or end < 0:
        return None
    try:
        call = read_call(text[start + len(_FENCE) : end].strip().removeprefix("python"))
    except NoCall:
        return None
    before = _NAME_BEFORE.search(text[max(0, start - _NAME_REACH) : start])
    name = call.name
    if name == _ANY_TOOL:
        if before is None:
            return None
        name = before[1]
    lookup = LOOKUP_OF.get(name)
    places = (*lookup.arguments, "columns") if lookup else ("identifier",)
    return _normal(name, dict(zip(places, call.by_place, strict=False)) | call.by_name)


def _normal(tool: str, given: Any) -> Action:
    """Columns that are missing, or more than five, are all columns."""
    tool = tool.strip()
    if tool in LOOKUP_OF and isinstance(given, dict):
        columns = given.get("columns") or []
        many = isinstance(columns, list) and len(columns) > _MOST_COLUMNS
        given = {**given, "columns": [] if many else columns}
    return Action(tool, given)


# --- calls: native ones, or calls that a model wrote into its text ---

_LONGEST_TEXT: Final = 100_000
# "```json {…}```", "```{…}```", "<tool_call>{…}</tool_call>"; not a fence that never closes
_BLOCK: Final = re.compile(
    r"```(?:json|tool_call)?\s?(?P<fenced>[^`]*)```|<tool_call>(?P<tagged>[^<]*)</tool_call>"
)
_NAMES: Final = ("action", "name", "tool", "tool_name")
_INPUTS: Final = ("action_input", "arguments", "parameters", "args", "input")


class AskedCall(NamedTuple):
    """A call that a model wants made; arguments that cannot be read are None."""

    id: str
    tool: str
    arguments: Any


def read_calls(response: Response) -> tuple[AskedCall, ...]:
    """All calls in a reply, those made natively before any in the text.

    Servers without a parser for a model's own format, and models that were not trained for
    functions, leave calls in the text: in fenced blocks, between <tool_call> tags, or as the whole
    reply. They are read as they are meant, so that a model is not judged by its server's settings.
    """
    native = tuple(
        AskedCall(call.id, _tool(call.name), _read_arguments(call.arguments))
        for call in response.tool_calls
    )
    return native or calls_in_text(response.text)


def calls_in_text(text: str) -> tuple[AskedCall, ...]:
    text = clean(text[:_LONGEST_TEXT])
    parts = [block["fenced"] or block["tagged"] or "" for block in _BLOCK.finditer(text)] or [text]
    calls = [call for part in parts for call in _calls(_decode_lenient(part))]
    return tuple(AskedCall(f"text_{place}", *call) for place, call in enumerate(calls))


def _read_arguments(text: str) -> Any:
    """The arguments of a call: an object, also one that was put into quotes; else None."""
    arguments = _decode_lenient(text) if text.strip() else {}
    if isinstance(arguments, str):
        arguments = _decode_lenient(arguments)
    return arguments if isinstance(arguments, dict) else None


def _calls(value: Any) -> list[tuple[str, Any]]:
    """A call is an object with the name of a tool and its input; a list may hold several."""
    calls = []
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, dict):
            continue
        inner = item.get("function")
        holder = inner if isinstance(inner, dict) else item
        name = next((holder[key] for key in _NAMES if isinstance(holder.get(key), str)), None)
        given = [holder[key] for key in _INPUTS if key in holder]
        if name is not None and given:
            calls.append((tool := _tool(name), _input(tool, given[0])))
    return calls


def _input(tool: str, given: Any) -> Any:
    if isinstance(given, str):
        decoded = _read_arguments(given)
        if decoded is not None and given.strip():
            return decoded
        return {"answer" if tool == FINISH else "identifier": given}
    return given if isinstance(given, dict) else None


def _tool(name: str) -> str:
    """`functions.get_sum` and `Final Answer` are other spellings of a tool."""
    name = clean(name).strip().rpartition(".")[2][:100]
    return FINISH if name.lower() == FINAL_ANSWER.lower() else name


def _decode_lenient(text: str) -> Any:
    """JSON, also JSON with Python's quotes; None for anything else or for what nests absurdly."""
    for form in (text, text.replace("'", '"')):
        try:
            value = json.loads(clean(form), strict=False)
        except (ValueError, RecursionError):
            continue
        return value if _shallow(value) else None
    return None


# --- calls that look like Python ---

_LONGEST_CALL: Final = 20_000
_DEEPEST_CALL: Final = 12
# A name: "get_sum", "tool_call"; not "1a" or "a.b"
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}")
# 'it''s text' between two equal quotes, with \' inside; not an open quotation
_TEXT: Final = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"", re.DOTALL)
# 12, -3.5, 1e6; not "--1" or a name
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]{1,300}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_BLANKS: Final = re.compile(r"\s*")
# a backslash and what it protects
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r"}
_WORDS: Final = {"True": True, "False": False, "None": None, "true": True, "false": False}


class Call(NamedTuple):
    """A call as it was written."""

    name: str
    by_place: tuple[Any, ...]
    by_name: dict[str, Any]


class NoCall(ValueError):
    """The text is not a call of literals."""


def read_call(text: str) -> Call:
    """The call that the text is, `get_sum(identifier=[1, 2])`; raises :class:`NoCall`.

    Published agents evaluate such text as code (legalagentbench.md 4.2 and 7.10). Here a small
    grammar takes its place: a name, then literals, by keyword or by place; everything else is no
    call.
    """
    if len(text) > _LONGEST_CALL:
        raise NoCall("too long")
    reader = _CallReader(text.strip())
    call = reader.call()
    if reader.at != len(reader.text):
        raise NoCall(f"something follows the call at {reader.at}")
    return call


class _CallReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def call(self) -> Call:
        name = self._match(_NAME)
        self._expect("(")
        by_place: list[Any] = []
        by_name: dict[str, Any] = {}
        while not self._take(")"):
            keyword = self._keyword()
            if keyword is not None:
                by_name[keyword] = self._value(0)
            elif by_name:
                raise NoCall("an argument by place after one by name")
            else:
                by_place.append(self._value(0))
            if not self._take(","):
                self._expect(")")
                break
        return Call(name, tuple(by_place), by_name)

    def _keyword(self) -> str | None:
        start = self.at
        if name := _NAME.match(self.text, start):
            self._move(name.end())
            if self._take("="):
                return name.group()
        self.at = start
        return None

    def _value(self, depth: int) -> Any:
        if depth > _DEEPEST_CALL:
            raise NoCall("nested too deeply")
        for opening, closing in ("[]", "()", "{}"):
            if self._take(opening):
                return self._items(closing, depth)
        if quoted := _TEXT.match(self.text, self.at):
            self._move(quoted.end())
            inner = quoted[1] if quoted[1] is not None else quoted[2]
            return _ESCAPED.sub(lambda escape: _ESCAPES.get(escape[1], escape[1]), inner)
        if number := _NUMBER.match(self.text, self.at):
            self._move(number.end())
            digits = number.group()
            return int(digits) if digits.lstrip("+-").isdigit() else float(digits)
        word = self._match(_NAME)
        if word not in _WORDS:
            raise NoCall(f"{word!r} is no literal")
        return _WORDS[word]

    def _items(self, closing: str, depth: int) -> list[Any] | dict[str, Any]:
        """A list, or pairs where it closes with a brace."""
        items: list[Any] = []
        pairs: dict[str, Any] = {}
        while not self._take(closing):
            item = self._value(depth + 1)
            if closing == "}":
                self._expect(":")
                pairs[str(item)] = self._value(depth + 1)
            else:
                items.append(item)
            if not self._take(","):
                self._expect(closing)
                break
        return pairs if closing == "}" else items

    def _match(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            raise NoCall(f"nothing readable at {self.at}")
        self._move(match.end())
        return match.group()

    def _take(self, sign: str) -> bool:
        found = self.text.startswith(sign, self.at)
        if found:
            self._move(self.at + 1)
        return found

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise NoCall(f"expected {sign!r} at {self.at}")

    def _move(self, at: int) -> None:
        blanks = _BLANKS.match(self.text, at)
        self.at = blanks.end() if blanks else at

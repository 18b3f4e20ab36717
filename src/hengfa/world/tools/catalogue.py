"""All tools: what they are called, what they do in a sentence, what they take.

One list serves both protocols: native function calling (JSON Schema) and the published one, in
which the agent reads names and descriptions as text and writes an action as JSON. Those of the
look-ups follow from the tables, the others stand in `catalogue.toml`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

import msgspec

from hengfa.base.data.jsonfile import read_toml
from hengfa.evals.engine.messages import JSONObject, ToolSpec
from hengfa.world.tables.schema import LOOKUPS, PUBLISHED, REGION, Lookup, Schema

Mode = Literal["strict", "helpful"]
FINISH: Final = "finish"
FINAL_ANSWER: Final = "Final Answer"  # the name under which published agents call it

MOST_ROWS: Final = 200
SOME_ROWS: Final = 20


class Tool(msgspec.Struct, frozen=True):
    """One tool; extra tools have no number."""

    number: int
    name: str
    description: str
    parameters: JSONObject
    helpful_parameters: JSONObject | None = None
    """What it takes in helpful mode, where that is more."""

    def spec(self, mode: Mode) -> ToolSpec:
        """As a function that a model can call."""
        better = self.helpful_parameters if mode == "helpful" else None
        return ToolSpec(self.name, self.description, better or self.parameters)

    def line(self, mode: Mode) -> str:
        """As text: the name, what it does, and each argument."""
        parameters = self.spec(mode).parameters
        required = parameters["required"]
        arguments = "；".join(
            f"{name}{'' if name in required else '（可省略）'}：{argument.get('description', '')}"
            for name, argument in parameters["properties"].items()
        )
        return f"{self.name}：{self.description}参数：{arguments}。"


def _object(required: Iterable[str], **properties: JSONObject) -> JSONObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


_NUMBER: Final[JSONObject] = {"type": ["number", "string"]}
_COLUMNS: Final[JSONObject] = {"type": "array", "items": {"type": "string"}}
_OPERATORS: Final = ("=", "!=", ">", ">=", "<", "<=", "contains", "starts_with", "year")


class _Argument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: Literal[
        "text", "number", "numbers", "choice", "whole", "flag", "table", "columns", "conditions"
    ]
    about: str
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int | None = None
    optional: bool = False
    helpful: str = ""

    def schema(self, of: Schema, mode: Mode) -> JSONObject:
        limit = {} if self.most is None else {"maximum": self.most}
        shapes: dict[str, JSONObject] = {
            "text": {"type": "string"},
            "number": _NUMBER,
            "numbers": {"type": "array", "items": _NUMBER, "minItems": 1},
            "choice": {"type": "string", "enum": list(self.choices)},
            "whole": {"type": "integer", "minimum": self.least, **limit},
            "flag": {"type": "boolean"},
            "table": {"type": "string", "enum": list(of.table_of)},
            "columns": _COLUMNS,
            "conditions": _WHERE,
        }
        about = self.helpful if mode == "helpful" and self.helpful else self.about
        return {**shapes[self.kind], "description": about}


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    about: str
    takes: dict[str, _Argument]

    def tool(self, number: int, of: Schema) -> Tool:
        more = any(one.helpful for one in self.takes.values())
        helpful = self._parameters(of, "helpful") if more else None
        return Tool(number, self.name, self.about, self._parameters(of, "strict"), helpful)

    def _parameters(self, of: Schema, mode: Mode) -> JSONObject:
        required = [name for name, one in self.takes.items() if not one.optional]
        return _object(required, **{n: one.schema(of, mode) for n, one in self.takes.items()})


class _Catalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    paging: dict[str, _Argument]
    published: tuple[_Entry, ...]
    extra: tuple[_Entry, ...]
    file: tuple[_Entry, ...]


_WHERE: Final[JSONObject] = {
    "type": "array",
    "description": "",
    "items": _object(
        ["column", "operator", "value"],
        column={"type": "string", "description": "列名"},
        operator={"type": "string", "enum": list(_OPERATORS), "description": "比较方式"},
        value={**_NUMBER, "description": "比较的值，金额可带万、亿"},
    ),
}
_CATALOGUE: Final = read_toml(Path(__file__).with_name("catalogue.toml"), _Catalogue)

_REGION_WORDS: Final = dict(zip(REGION, ("省份", "城市", "区县"), strict=True))
_PAGING: Final = {name: one.schema(PUBLISHED, "helpful") for name, one in _CATALOGUE.paging.items()}


def _lookup_tool(lookup: Lookup) -> Tool:
    columns = "、".join(lookup.match.columns)
    how = "三项同时" if lookup.match.rule == "all" else "其中任意一列" if "、" in columns else ""
    kinds = {"one": "返回第一条匹配的记录", "list": "返回全部匹配的记录", "name": "只返回公司名称"}
    what = kinds[lookup.returns]
    title = f"{lookup.title}。" if lookup.title else ""
    description = f"{title}查询{lookup.table.title}：按{columns}{how}精确查找，{what}。"
    says = ((name, _REGION_WORDS.get(name, columns)) for name in lookup.arguments)
    wanted = {
        name: {"type": "string", "description": f"{what}，须与表中完全一致"} for name, what in says
    }
    if lookup.returns == "name":
        return Tool(lookup.number, lookup.name, description, _object(wanted, **wanted))
    about = "需要返回的列名，留空则返回全部列"
    plain = {**_COLUMNS, "description": about}
    listed = {**plain, "items": {"type": "string", "enum": list(lookup.table.names)}}
    paging = _PAGING if lookup.returns == "list" else {}
    return Tool(
        lookup.number,
        lookup.name,
        description,
        _object(wanted, **wanted, columns=plain),
        _object(wanted, **wanted, columns=listed, **paging),
    )


TOOLS: Final[tuple[Tool, ...]] = (
    *map(_lookup_tool, LOOKUPS),
    *(one.tool(at, PUBLISHED) for at, one in enumerate(_CATALOGUE.published, len(LOOKUPS) + 1)),
)
FIRST_OWN: Final = len(TOOLS) + 1  # the number of the first tool that a declaration brings
EXTRA_TOOLS: Final = tuple(one.tool(0, PUBLISHED) for one in _CATALOGUE.extra)
FILE_TOOLS: Final = tuple(one.tool(0, PUBLISHED) for one in _CATALOGUE.file)
"""Those that list, read and search the file of a matter."""

TOOL_OF: Final[dict[str, Tool]] = {tool.name: tool for tool in (*TOOLS, *EXTRA_TOOLS)}

EXPOSED_ALWAYS: Final = (
    "get_sum",
    "get_rank",
    "legal_knowledge_retriever",
    "legal_article_retriever",
    "legal_case_retriever",
)
"""Added after tables were chosen. Published agents never see the other arithmetic tools."""

_PAIRS: Final = (("CourtInfo", "CourtCode"), ("LawfirmInfo", "LawfirmLog"))
"""Tables whose tools come together."""


def tools_of_tables(tables: Iterable[str], schema: Schema = PUBLISHED) -> list[str]:
    """The look-ups that come with chosen tables (legalagentbench.md 4.1).

    Choosing both tables of a pair lists their tools twice, as the published agents do; whoever
    wants them once takes ``dict.fromkeys``.
    """
    names: list[str] = []
    for table in tables:
        together = next((pair for pair in _PAIRS if table in pair), (table,))
        names += [lookup.name for lookup in schema.lookups if lookup.table_name in together]
    return names


@lru_cache(maxsize=16)
def tools_in(mode: Mode, schema: Schema = PUBLISHED) -> tuple[Tool, ...]:
    """The 37 tools, then those of a declaration, and in helpful mode the extra ones."""
    own = tuple(map(_lookup_tool, schema.declared))
    extra = tuple(one.tool(0, schema) for one in _CATALOGUE.extra) if mode == "helpful" else ()
    return (*TOOLS, *own, *extra)

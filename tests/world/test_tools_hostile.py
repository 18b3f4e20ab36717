"""Whatever a model or an attacker writes: a text comes back, and the file stays as it is."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.evals.engine.messages import ToolCall
from hengfa.world.tables.schema import TABLE_OF
from hengfa.world.tables.world import World
from hengfa.world.tools.catalogue import TOOL_OF, Mode
from hengfa.world.tools.observation import Observation, Status
from hengfa.world.tools.toolbox import Toolbox
from tests.world import tiny_world

MODES: tuple[Mode, ...] = ("strict", "helpful")


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


HOSTILE: list[Any] = [
    "' OR '1'='1",
    "'; DROP TABLE LegalDoc; --",
    '" UNION SELECT * FROM meta --',
    "x' AND randomblob(1000000000) --",
    "../../etc/passwd",
    "C:\\windows\\system32",
    "file:///etc/passwd?mode=rwc",
    "a" * 1_000_000,
    "万" * 1_000_000,
    "(" * 1_000_000,
    "1+" * 500_000 + "1",
    "9" * 1_000_000,
    "\x00",
    f"{tiny_world.COMPANY}\x00",
    "\ud800",
    "\udfff\ud800",
    "%_*?[a-z]",
    "__import__('os').system('true')",
    "1e999999999",
    "{0.__class__}",
    "<script>alert(1)</script>",
    "\x1b[31m",
    "",
    " ",
    None,
    True,
    0,
    -1,
    10**400,
    float("nan"),
    float("inf"),
    [],
    {},
    ["案号"] * 10_000,
    {"$ne": None},
    deep(5_000),
    [deep(500)],
]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with tiny_world.opened(tmp_path_factory.mktemp("hostile")) as world:
        before = hashlib.sha256(world.path.read_bytes()).digest()
        yield world
        assert hashlib.sha256(world.path.read_bytes()).digest() == before
        assert [file.name for file in world.path.parent.iterdir()] == [world.path.name]
    with closing(sqlite3.connect(world.path)) as connection, connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def check(found: object) -> None:
    assert isinstance(found, Observation)
    assert isinstance(found.text, str)
    assert isinstance(found.status, Status)


def argument_names(name: str) -> list[str]:
    return list(TOOL_OF[name].spec("helpful").parameters["properties"])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", TOOL_OF)
def test_no_value_of_any_argument_does_harm(world: World, mode: Mode, name: str) -> None:
    tools = Toolbox(world, mode)
    good = {"identifier": tiny_world.COMPANY, "table": "LegalDoc", "operation": "count"}
    for value in HOSTILE:
        check(tools.call(name, value))
        check(tools.call(name, [value]))
        check(tools.call(name, {"identifier": value, "columns": value}))
        for argument in argument_names(name):
            check(tools.call(name, {**good, argument: value}))
            check(tools.call(name, {**good, argument: [value, value]}))


@pytest.mark.parametrize("mode", MODES)
def test_no_name_of_a_tool_does_harm(world: World, mode: Mode) -> None:
    tools = Toolbox(world, mode)
    for name in HOSTILE:
        found = tools.call(name, {})
        check(found)
        assert found.status is Status.UNKNOWN_TOOL
        assert len(found.text) < 3_000


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "text",
    ["", "null", "[" * 100_000, "{", '"', "\ud800", '{"identifier": "\\ud800"}', "1" * 10_000],
)
def test_no_text_of_arguments_does_harm(world: World, mode: Mode, text: str) -> None:
    check(Toolbox(world, mode).run(ToolCall("1", "get_court_info", text)))


def test_fragments_of_sql_are_values_like_any_other(world: World) -> None:
    tools = Toolbox(world)
    for text in HOSTILE[:4]:
        assert tools.call("get_company_info", {"identifier": text}).status is Status.NO_DATA
        columns = {"identifier": tiny_world.COMPANY, "columns": [text]}
        assert tools.call("get_company_info", columns).status is Status.BAD_COLUMN
    helpful = Toolbox(world, "helpful")
    for column in ('案号" OR 1=1 --', "id", "_unseen", "rowid"):
        asked = {"table": "LegalDoc", "order_by": column}
        assert helpful.call("filter_rows", asked).status is Status.BAD_COLUMN
        group = {"table": "LegalDoc", "operation": "count", "group_by": column}
        assert helpful.call("aggregate_rows", group).status is Status.BAD_COLUMN
    where = [{"column": "标题", "operator": "= 1 OR 1", "value": 1}]
    assert (
        helpful.call("filter_rows", {"table": "LegalDoc", "where": where}).status
        is Status.BAD_ARGUMENTS
    )
    assert world.count("LegalDoc") == 3


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None), max_size=20)
    | st.sampled_from([*TABLE_OF, "案号", "标题", "=", "sum", "count", tiny_world.COMPANY, "1万"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(sorted({name for tool in TOOL_OF for name in argument_names(tool)}))
            | st.text(max_size=5),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(sorted(TOOL_OF)), _JSON, st.sampled_from(MODES))
@settings(deadline=None, max_examples=600)
def test_any_arguments_are_answered(name: str, arguments: Any, mode: Mode) -> None:
    check(_toolbox(mode).call(name, arguments))


_OPEN: dict[str, Toolbox] = {}


def _toolbox(mode: Mode) -> Toolbox:
    if mode not in _OPEN:
        import tempfile

        folder = Path(tempfile.mkdtemp())
        _OPEN[mode] = Toolbox(tiny_world.opened(folder), mode)
    return _OPEN[mode]

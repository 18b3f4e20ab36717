"""A user's own tables and tools: declared, kept in the world, called, offered, asked about."""

from __future__ import annotations

import csv
import json
import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError, UsageError
from hengfa.world.agents.native import Protocol, work_with_tools
from hengfa.world.agents.published import react, work
from hengfa.world.factory.follow import LookInWorld, Outcome, follow
from hengfa.world.factory.graph import TypeGraph
from hengfa.world.factory.make import make_tasks
from hengfa.world.factory.oracle import Oracle
from hengfa.world.factory.question import ask_question
from hengfa.world.factory.task import (
    Filter,
    Hop,
    Pick,
    Plan,
    Start,
    Wanted,
    Wish,
    read_tasks,
    write_tasks,
)
from hengfa.world.generator.build import build_world
from hengfa.world.generator.law import sample_law
from hengfa.world.suites.legalagentbench.dataset import all_samples
from hengfa.world.tables.declaration import decode_declaration, read_declaration
from hengfa.world.tables.importing import import_world, read_declared
from hengfa.world.tables.schema import LOOKUPS, TABLES
from hengfa.world.tables.world import World, write_world
from hengfa.world.tools.catalogue import TOOLS
from hengfa.world.tools.observation import Status
from hengfa.world.tools.toolbox import Toolbox
from tests.world import own_tables
from tests.world.agents.scripted import Script, booth, calls, final, finish, run, told
from tests.world.test_world_importing import Grid, write_workbook

CONTRACT, OF_COMPANY, PAYMENTS = "get_contract", "get_contract_company_list", "get_payment_list"
COMPANY = "云岭星禾器材有限公司"


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with own_tables.opened(tmp_path_factory.mktemp("own")) as world:
        yield world


# --- tools ---


def test_declared_tools_stand_behind_the_published_ones_which_do_not_move(mine: World) -> None:
    names = Toolbox(mine).names
    assert names[:37] == tuple(tool.name for tool in TOOLS)
    assert names[37:] == (CONTRACT, OF_COMPANY, PAYMENTS)
    assert [spec.description for spec in Toolbox(mine).specs()[:37]] == [
        tool.description for tool in TOOLS
    ]
    assert mine.schema.tables[:14] == TABLES
    assert mine.schema.lookups[:28] == LOOKUPS
    assert [lookup.number for lookup in mine.schema.declared] == [38, 39, 40]
    (said,) = Toolbox(mine).specs([CONTRACT])
    assert said.description.startswith("合同查询（a contract by its number）。")


def test_a_row_is_found_as_by_published_tools(mine: World) -> None:
    found = Toolbox(mine).call(CONTRACT, {"identifier": "HT-2024-002", "columns": ["承办人"]})
    assert (found.text, found.value) == ("{'承办人': '陈越'}", {"承办人": "陈越"})
    listed = Toolbox(mine).call(OF_COMPANY, {"identifier": COMPANY})
    assert [row["合同金额（元）"] for row in listed.rows] == [520_000, 96_000.5]
    assert "内部备注" not in listed.text  # no column of the declaration
    missed = Toolbox(mine).call(CONTRACT, {"identifier": "HT-9"})
    assert missed.status is Status.NO_DATA


def test_helpful_tools_know_the_tables_too(mine: World) -> None:
    tools = Toolbox(mine, "helpful")
    asked = {"table": "PaymentLog", "operation": "sum", "column": "付款金额（元）"}
    assert json.loads(tools.call("aggregate_rows", asked).text)["value"] == 570_000
    near = json.loads(tools.call(CONTRACT, {"identifier": "HT-2024-01"}).text)
    assert "HT-2024-001" in near["suggestions"]
    (spec,) = tools.specs(["filter_rows"])
    assert spec.parameters["properties"]["table"]["enum"][-2:] == ["ContractInfo", "PaymentLog"]
    wrong = json.loads(tools.call(CONTRACT, {"identifier": "x", "columns": ["金额"]}).text)
    assert "合同金额（元）" in wrong["columns"]


def test_agents_are_offered_them(mine: World) -> None:
    closing = {"close_answer": "答", "close_summary": "答"}
    script = Script(thought="查", action=final("答"), **closing)
    run(work(react, booth(script, mine, "strict"), "问", every_tool=True))
    assert f"、{PAYMENTS}、Final Answer" in script.prompt("thought-1")
    assert "\nContractInfo（合同台账）：合同编号、" in script.prompt("thought-1")

    chosen = Script(filter='{"名称": ["PaymentLog"]}', thought="查", action=final("答"), **closing)
    run(work(react, booth(chosen, mine, "strict"), "问"))
    assert "\nPaymentLog（付款记录）：" in chosen.prompt("filter-1")
    assert PAYMENTS in chosen.prompt("thought-1")
    assert OF_COMPANY not in chosen.prompt("thought-1")

    native = Script(
        plan="查", turn=[calls((CONTRACT, {"identifier": "HT-2024-003"})), finish("周岚")]
    )
    reply = told(run(work_with_tools(booth(native, mine, "helpful"), "谁承办？", Protocol())))
    offered = [spec.name for spec in native.asked[-1].options.tools]
    assert {CONTRACT, OF_COMPANY, PAYMENTS} < set(offered)
    assert [(step.tool, step.status) for step in reply.steps or ()] == [(CONTRACT, Status.OK)]


# --- the file ---


def test_a_world_without_a_declaration_is_what_it_was(tmp_path: Path, mine: World) -> None:
    with sample_law(sample_root()) as law:
        plain = build_world(tmp_path / "plain.sqlite", 1, 1_000, law)
        own = read_declared(own_tables.write(tmp_path))
        mixed = build_world(tmp_path / "mixed.sqlite", 1, 1_000, law, own=own)
    assert "declaration" not in World.open(Path(plain.file)).meta
    assert plain.fingerprint != mixed.fingerprint
    assert {**plain.tables, "ContractInfo": 3, "PaymentLog": 3} == mixed.tables
    assert "contracts.csv" not in mine.meta["declaration"]


def test_the_same_rows_from_every_kind_of_file(tmp_path: Path, mine: World) -> None:
    declaration = own_tables.write(tmp_path)
    with (tmp_path / "contracts.csv").open(encoding="utf-8") as stream:
        rows: list[dict[str, Any]] = list(csv.DictReader(stream))
    for row in rows:
        row["合同金额（元）"] = float(row["合同金额（元）"])
        year, month, day = row["签订日期"][:4], row["签订日期"][5:7], row["签订日期"][8:10]
        row["签订日期"] = date(int(year), int(month), int(day))
    frame = pl.DataFrame(rows)
    frame.write_parquet(tmp_path / "contracts.parquet")
    text = declaration.read_text("utf-8").replace("contracts.csv", "contracts.parquet")
    declaration.write_text(text, "utf-8")
    import_world(None, tmp_path / "parquet.sqlite", declaration)
    with World.open(tmp_path / "parquet.sqlite") as world:
        assert list(world.all_rows("ContractInfo")) == list(mine.all_rows("ContractInfo"))


def test_a_workbook_names_its_sheet(tmp_path: Path) -> None:
    declaration = own_tables.write(tmp_path)
    header = ["合同编号", "付款编号", "付款日期", "付款金额（元）", "备注"]
    rows: Grid = [header, ["HT-1", "F1", "2024年02月01日", 5, "略"]]
    write_workbook(tmp_path / "payments.xlsx", {"别的": [["甲"]], "付款": rows})
    text = declaration.read_text("utf-8").replace("payments.csv", "payments.xlsx")
    declaration.write_text(text, "utf-8")
    with pytest.raises(DataError, match=r"payments.xlsx, field 'sheet': has 2 sheets"):
        import_world(None, tmp_path / "a.sqlite", declaration)
    text = text.replace('"payments.xlsx"', '"payments.xlsx"\nsheet = "付款"')
    declaration.write_text(text, "utf-8")
    import_world(None, tmp_path / "a.sqlite", declaration)
    with World.open(tmp_path / "a.sqlite") as world:
        (row,) = world.all_rows("PaymentLog")
        assert row == {
            "付款编号": "F1", "合同编号": "HT-1", "付款金额（元）": 5, "付款日期": "2024年02月01日",
        }  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('source = "payments.csv"\n', "", "table 'PaymentLog'\": names no source"),
        ("payments.csv", "payments.txt", "payments.txt: rows of PaymentLog are read from .csv"),
        ("payments.csv", "gone.csv", "gone.csv"),
        (
            "付款日期",
            "支付日期",
            "payments.csv, row 1, field '支付日期': this column of PaymentLog is",
        ),
    ],
)
def test_what_is_wrong_with_a_source_is_said(tmp_path: Path, old: str, new: str, said: str) -> None:
    declaration = own_tables.write(tmp_path)
    declaration.write_text(declaration.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(DataError) as refused:
        import_world(None, tmp_path / "a.sqlite", declaration)
    assert said in str(refused.value)
    assert not (tmp_path / "a.sqlite").exists()


def test_something_must_be_given(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--declare"):
        import_world(None, tmp_path / "a.sqlite")


def test_tools_may_share_a_column_and_look_in_several(tmp_path: Path) -> None:
    declaration = own_tables.write(tmp_path)
    text = declaration.read_text("utf-8").replace('by = ["相对方"]', 'by = ["相对方", "合同编号"]')
    declaration.write_text(text, "utf-8")
    import_world(None, tmp_path / "a.sqlite", declaration)
    with World.open(tmp_path / "a.sqlite") as world:
        for asked, rows in ((COMPANY, 2), ("HT-2024-001", 1)):
            assert len(Toolbox(world).call(OF_COMPANY, {"identifier": asked}).rows) == rows


# --- declarations that are refused ---

COLUMN = "table 'ContractInfo', column '相对方'"
TOOL = "table 'ContractInfo', tool 'get_contract'"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            '"ContractInfo"',
            '"LegalDoc"',
            "table 'LegalDoc'\": every world has a table of this name",
        ),
        ('"ContractInfo"', '"meta"', "table 'meta'\": every world has a table of this name"),
        ('"ContractInfo"', '"legalarticle"', "every world has a table of this name"),
        ('"ContractInfo"', '"合同"', "a table is named by letters, digits and _"),
        ('"ContractInfo"', '"paymentlog"', "table 'PaymentLog'\": is there twice"),
        ('name = "相对方"', "name = 'a\"b'", "cannot be the name of a column"),
        ('name = "相对方"', 'name = "ID"', "column 'ID'\": cannot be the name of a column"),
        ('name = "相对方"', 'name = "状态"', "column '状态'\": is there twice"),
        (
            'holds = "company"',
            'holds = "customer"',
            f"{COLUMN}\": no kind of identifier is called 'cus",
        ),
        ('holds = "company"', 'holds = "region"', f'{COLUMN}": no kind of identifier'),
        ('holds = "company"', 'holds = "company", kind = "yuan"', "so its kind is text, not yuan"),
        (', holds = "company"', "", ", by\": column '相对方' does not say what kind of identifier"),
        (
            'holds = "company"',
            'hold = "company"',
            f'{COLUMN}, hold": Object contains unknown field',
        ),
        (
            'kind = "yuan" },\n  { name = "签',
            'kind = "€" },\n  { name = "签',
            "column '合同金额（元）', kind",
        ),
        ("状态为{}的", "状态为{0.__class__}的", "column '状态', condition\": {} stands in it once"),
        (
            'key = ["合同编号"]',
            'key = ["编号"]',
            "table 'ContractInfo', key\": there is no column '编号'",
        ),
        ('key = ["合同编号"]', "key = []", "names no column"),
        (
            '"get_contract"',
            '"get_court_code"',
            "tool 'get_court_code'\": every world has a tool of",
        ),
        ('"get_contract"', '"finish"', "every world has a tool of this name"),
        ('"get_contract"', '"getContract"', "a tool is named by small letters"),
        ('"get_contract"', '"get_payment_list"', "tool 'get_payment_list'\": is there twice"),
        (
            'by = ["合同编号"]\nreturns = "one"',
            'by = []\nreturns = "one"',
            f'{TOOL}, by": names the',
        ),
        ('by = ["相对方"]', 'by = ["甲方"]', "by\": there is no column '甲方'"),
        ('returns = "one"', 'returns = "all"', f"{TOOL}, returns\": Invalid enum value 'all'"),
        ("本单位与{x}签订的{f}合同", "本单位签订的{f}合同", 'rows": {x} stands in it once'),
        ("本单位与{x}签订的{f}合同", "{x}{f}{x.y}", 'rows": has braces besides'),
        ('measure = "份"\nhas', "has", 'measure": a list needs it'),
        ('one = "合同"', 'one = "{x}"', 'one": is no template'),
        ('kind = "contract"', 'kind = "company"', "identifier 'company'\": is a kind that every"),
        (
            "编号为{}的合同",
            "编号为{}{}的合同",
            "identifier 'contract', named\": {} stands in it once",
        ),
        ('title = "合同"', 'title = " "', "identifier 'contract'\": needs a kind, a title"),
        ('"ContractInfo"', '"A_by_b"', "a table is named by letters, digits and _"),
        ('question = "是谁"', 'noun = "{x}"', "column '承办人', noun\": is no template"),
        ("[[identifiers]]", "[[identifier]]", "unknown field `identifier`"),
        ("[[identifiers]]", "[[identifiers]", "not readable as TOML"),
    ],
)
def test_what_is_wrong_with_a_declaration_is_said_with_its_place(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    declaration = own_tables.write(tmp_path)
    text = declaration.read_text("utf-8")
    assert old in text
    declaration.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(DataError) as refused:
        read_declaration(declaration)
    assert str(refused.value).startswith(str(declaration))
    assert said in str(refused.value)


def test_a_world_from_elsewhere_with_a_hostile_declaration_is_refused(
    tmp_path: Path, mine: World
) -> None:
    for old, new in (
        ("ContractInfo", 'x\\" (a); DROP TABLE meta; --'),
        ("相对方", 'a\\"; --'),
        ("{x}项下", "{x.__class__}项下"),
        ('"tables"', '"table"'),
        ("{", "{{"),
    ):
        file = tmp_path / "hostile.sqlite"
        shutil.copy(mine.path, file)
        changed = mine.meta["declaration"].replace(old, new)
        assert changed != mine.meta["declaration"]
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE meta SET value = ? WHERE key = 'declaration'", (changed,))
        connection.close()
        with pytest.raises(DataError, match=r"hostile\.sqlite"):
            World.open(file)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=12,
)
_NAMES = st.sampled_from(
    ["合同编号", "相对方", "get_contract", "ContractInfo", "company", "{x}", '"']
) | st.text(max_size=8)
_COLUMNS = st.fixed_dictionaries(
    {"name": _NAMES, "english": _NAMES},
    optional={"holds": _NAMES, "condition": _NAMES, "noun": _NAMES},
)
_TOOLS = st.fixed_dictionaries(
    {"name": _NAMES, "title": _NAMES, "english": _NAMES, "by": st.lists(_NAMES, max_size=2),
     "returns": st.sampled_from(["one", "list"])},
    optional={"rows": _NAMES, "measure": _NAMES},
)  # fmt: skip
_TABLES = st.fixed_dictionaries(
    {"name": _NAMES, "title": _NAMES, "english": _NAMES, "key": st.lists(_NAMES, max_size=2),
     "columns": st.lists(_COLUMNS, max_size=3), "tools": st.lists(_TOOLS, max_size=2)}
)  # fmt: skip


@given(_VALUES | st.fixed_dictionaries({"tables": st.lists(_TABLES, max_size=2)}))
@settings(deadline=None)
def test_any_declaration_is_read_or_refused(value: Any) -> None:
    try:
        declared = decode_declaration(json.dumps(value), Path("w.sqlite"))
    except (DataError, ValueError):  # a file that is opened makes the second the first
        return
    assert declared.schema.declared


# --- questions and tasks ---


def asked(world: World, start: Start, *hops: Hop, ask: Wish) -> tuple[str, Outcome]:
    outcome = follow(Plan(start, hops, ask), LookInWorld(world))
    return ask_question(outcome, random.Random(1)).text, outcome


def test_questions_speak_in_the_words_of_the_declaration(mine: World) -> None:
    contract = Start("contract", ("HT-2024-001",))
    text, outcome = asked(mine, contract, Hop(PAYMENTS), ask=Wish("sum", ("付款金额（元）",)))
    assert "编号为HT-2024-001的合同项下的付款，付款金额合计是多少" in text
    assert outcome.keys == ("390000.00元",)

    running = Filter("equals", "状态", "履行中")
    largest = Hop(OF_COMPANY, pick=Pick("largest", "合同金额（元）"), link=("合同编号",))
    company = Start("company", (COMPANY,))
    text, outcome = asked(mine, company, largest, Hop(PAYMENTS), ask=Wish("count"))
    assert f"本单位与{COMPANY}签订的合同中合同金额最高的一份项下的付款有多少笔" in text
    assert (outcome.keys, outcome.middle) == (("2笔",), ("520000元", "HT-2024-001"))

    text, outcome = asked(
        mine, company, Hop(OF_COMPANY, (running,)), ask=Wish("names", ("合同编号",))
    )
    assert f"本单位与{COMPANY}签订的状态为履行中的合同的合同编号分别是什么" in text
    assert outcome.keys == ("HT-2024-001",)

    text, outcome = asked(mine, contract, Hop(CONTRACT), ask=Wish("cells", ("承办人",)))
    assert ("编号为HT-2024-001的合同的承办人是谁" in text, outcome.keys) == (True, ("周岚",))


CLIENTS = """
identifiers = [{ kind = "client", title = "客户", named = "编号为{}的客户" }]
[[tables]]
name = "ClientFile"
title = "客户档案"
english = "clients"
key = ["客户编号"]
columns = [
  { name = "客户编号", english = "number", holds = "client" },
  { name = "信用代码", english = "credit code", holds = "credit code" },
  { name = "在办案号", english = "pending case", holds = "case number", noun = "" },
  { name = "等级", english = "grade" },
]
tools = [
  { name = "get_client", title = "客户", english = "client", by = ["客户编号"], returns = "one" },
  { name = "get_client_of", title = "案件", english = "x", by = ["在办案号"], returns = "one" },
]
"""


def test_codes_and_case_numbers_are_spoken_of_as_what_they_stand_for(tmp_path: Path) -> None:
    (tmp_path / "clients.toml").write_text(CLIENTS, "utf-8")
    row = {"客户编号": "K1", "信用代码": "91X", "在办案号": "（2031）云0101民初7号", "等级": "甲级"}
    register = {"公司名称": COMPANY, "统一社会信用代码": "91X"}
    write_world(
        tmp_path / "a.sqlite",
        {"ClientFile": [row], "CompanyRegister": [register]},
        {},
        source="test",
        declared=read_declaration(tmp_path / "clients.toml"),
    )
    with World.open(tmp_path / "a.sqlite") as world:
        hops = Hop("get_client", link=("信用代码",)), Hop("get_company_register_name")
        client = Start("client", ("K1",))
        text, outcome = asked(world, client, *hops, ask=Wish("cells", ("公司名称",)))
        assert "编号为K1的客户的信用代码对应的公司是哪一家" in text
        assert outcome.keys == (COMPANY,)
        case = Start("case number", ("（2031）云0101民初7号",))
        text, _ = asked(world, case, Hop("get_client_of"), ask=Wish("cells", ("等级",)))
        assert "（2031）云0101民初7号案的等级是什么" in text


def test_paths_lead_through_declared_tables_in_both_directions(mine: World) -> None:
    edges = TypeGraph(mine.schema.lookups).step_edges
    assert {(OF_COMPANY, PAYMENTS), (CONTRACT, OF_COMPANY)} <= edges
    assert (CONTRACT, PAYMENTS) not in edges  # the number is what it was asked with
    assert (CONTRACT, "get_company_register") in edges  # the other party is a company
    assert ("get_company_register_name", OF_COMPANY) in edges
    published = TypeGraph().step_edges
    assert published < edges


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Contracts with the companies of a generated world, from a seed."""
    folder = tmp_path_factory.mktemp("mixed")
    declaration = own_tables.write(folder)
    with sample_law(sample_root()) as law:
        build_world(folder / "plain.sqlite", 3, 1_000, law)
        with World.open(folder / "plain.sqlite") as plain:
            names = [row["公司名称"] for row in plain.all_rows("CompanyRegister")][:40]
        header = (folder / "contracts.csv").read_text("utf-8").splitlines()[0]
        contracts = [
            f"HT-{n:03},采购合同,{names[n * 7 % 40]},{1000 + 37 * n},"
            f"20{18 + n % 6}年0{1 + n % 9}月11日,{('履行中,周岚', '已终止,陈越')[n % 2]},略"
            for n in range(160)
        ]
        (folder / "contracts.csv").write_text("\n".join((header, *contracts)), "utf-8")
        payments = [
            f"FK-{n:04},HT-{n * 3 % 160:03},{500 + 11 * n},20{19 + n % 5}年1{n % 3}月0{1 + n % 9}日"
            for n in range(400)
        ]
        header = (folder / "payments.csv").read_text("utf-8").splitlines()[0]
        (folder / "payments.csv").write_text("\n".join((header, *payments)), "utf-8")
        build_world(folder / "mixed.sqlite", 3, 1_000, law, own=read_declared(declaration))
    with World.open(folder / "mixed.sqlite") as world:
        yield world


def test_fresh_tasks_over_declared_tables_are_solved_by_their_plans(
    mixed: World, tmp_path: Path
) -> None:
    tasks, report = make_tasks(mixed, Wanted(hops=(1, 2, 3), per_hop=60, seed=2))
    own = [task for task in tasks if {CONTRACT, OF_COMPANY, PAYMENTS} & set(task.plan.tools)]  # type: ignore[union-attr]
    assert report.tools_in_all == 31
    assert len(own) >= 15
    assert {len(task.plan.tools) for task in own} == {1, 2, 3}  # type: ignore[union-attr]
    oracle = Oracle(mixed)
    for task in own:
        solved = oracle.solve(task.plan)
        assert all(key in solved.res for key in task.key), task.question
    write_tasks(tmp_path / "tasks.jsonl", tasks)
    assert read_tasks(tmp_path / "tasks.jsonl") == tasks
    samples = {sample.id: sample for sample in all_samples(tmp_path)}
    assert all(samples[str(task.id)].path == task.plan.tools for task in own)  # type: ignore[union-attr]


def test_sums_and_counts_over_declared_tables_come_out_of_plain_sql_too(mixed: World) -> None:
    """One-hop lists without conditions, computed by SQLite alone."""
    tasks, _ = make_tasks(mixed, Wanted(hops=(1,), per_hop=400, entities=4, seed=4))
    columns = {OF_COMPANY: ("ContractInfo", "相对方"), PAYMENTS: ("PaymentLog", "合同编号")}
    checked = 0
    with closing(sqlite3.connect(mixed.path)) as connection, connection:
        for task in tasks:
            plan = task.plan
            assert isinstance(plan, Plan)
            (hop,) = plan.hops
            if hop.tool not in columns or hop.filters or plan.ask.kind not in ("count", "sum"):
                continue
            table, column = columns[hop.tool]
            figure = f'sum("{plan.ask.columns[0]}")' if plan.ask.columns else "count(*)"
            sql = f'SELECT {figure} FROM "{table}" WHERE "{column}" = ?'
            (value,) = connection.execute(sql, plan.start.values).fetchone()
            form = (
                f"{value:.2f}元" if plan.ask.columns else f"{value}{'份笔'[hop.tool == PAYMENTS]}"
            )
            assert task.key == (form,)
            checked += 1
    connection.close()
    assert checked >= 4

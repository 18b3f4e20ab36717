"""Worlds for the tests of the factory: a small one written by hand, and a generated one."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import pytest

from hengfa.base.data.packs import sample_root
from hengfa.world.factory.make import Report, make_tasks
from hengfa.world.factory.task import FreshTask, Wanted
from hengfa.world.generator.build import build_world
from hengfa.world.generator.law import sample_law
from hengfa.world.tables.world import Row, World, write_world

SCALE, SEED = 10_000, 11


PER_HOP, WRITING = 40, 25
ON_PATHS = 5 * PER_HOP
"""Of the tasks that most tests look at; the world has room for many more."""


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="factory-worlds-")


@cache
def generated_file() -> Path:
    file = Path(_folder().name) / "generated.sqlite"
    with sample_law(sample_root()) as law:
        build_world(file, SEED, SCALE, law)
    return file


def generated_world() -> World:
    return World.open(generated_file())


@cache
def many_tasks(per_hop: int = PER_HOP) -> tuple[tuple[FreshTask, ...], Report]:
    with generated_world() as world:
        tasks, report = make_tasks(world, Wanted(per_hop=per_hop, writing=WRITING, seed=0))
    return tuple(tasks), report


def subsidiary(
    name: str, invested: str, share: str = "100.0", parent: str = "甲股份有限公司"
) -> Row:
    return {
        "关联上市公司全称": parent,
        "上市公司关系": "子公司",
        "上市公司参股比例": share,
        "上市公司投资金额": invested,
        "公司名称": name,
    }


def document(number: str, amount: float, on: str, **cells: str | None) -> Row:
    row: dict[str, str | float | None] = {
        "关联公司": "乙有限公司",
        "标题": f"{number}判决书",
        "案号": number,
        "文书类型": "民事判决书",
        "原告": "丙有限公司",
        "被告": "乙有限公司",
        "原告律师事务所": "东律师事务所",
        "被告律师事务所": " -",
        "案由": "买卖合同纠纷",
        "涉案金额（元）": amount,
        "判决结果": "驳回。",
        "日期": on,
        "文件名": f"{number}.txt",
    }
    return row | cells


def hand_world(folder: Path, **tables: list[Row]) -> World:
    """A listed company with three subsidiaries, one of which has three lawsuits; more on demand."""
    rows: dict[str, list[Row]] = {
        "SubCompanyInfo": [
            subsidiary("乙有限公司", "1.50亿"),
            subsidiary("丙有限公司", "9000.00万", "51.0"),
            subsidiary("丁有限公司", " - "),
        ],
        "LegalDoc": [
            document("（2020）霜0102民初1号", 1000.5, "2020年03月01日"),
            document("（2021）霜0102民初2号", 2000.0, "2021年03月01日", 原告="戊有限公司"),
            document("（2021）霜0102民初3号", 0.0, "2021年05月02日", 被告="乙有限公司,己有限公司"),
        ],
        "CourtCode": [
            {
                "法院名称": "霜城区人民法院",
                "行政级别": "区县级",
                "法院级别": "基层法院",
                "法院代字": "霜0102",
                "区划代码": 100102,
                "级别": 1,
            }
        ],
    }
    file = folder / "hand.sqlite"
    write_world(file, rows | tables, {}, source="test")
    return World.open(file)


@pytest.mark.deep
def test_the_generated_world_is_large_enough_for_a_thousand_tasks() -> None:
    tasks, report = many_tasks(195)
    assert len(tasks) == 1_000
    assert report.tasks == {f"{n}-hop": 195 for n in range(1, 6)} | {"writing": 25}
    assert report.tools == 28
    assert report.edges > 80
    assert not report.tools_missing

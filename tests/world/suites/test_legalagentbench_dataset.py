"""LegalAgentBench's tasks: upstream's irregular rows, generated lines, and what is refused."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError
from hengfa.world.suites.legalagentbench import dataset
from hengfa.world.suites.legalagentbench.dataset import (
    GROUPS,
    AgentSample,
    all_samples,
    load,
    parse_path,
)
from hengfa.world.tables.schema import LOOKUP_OF

ROOT = sample_root() / "legalagentbench"
ROW: dict[str, Any] = {
    "id": 1,
    "question": "问",
    "answer": "答",
    "key": ["答"],
    "key_middle": [],
    "type": "1-1",
    "way": "get_company_info",
}


def one(folder: Path, **changed: Any) -> dataset.AgentSample:
    (folder / dataset.OFFICIAL).write_text(json.dumps([ROW | changed]), "utf-8")
    (sample,) = all_samples(folder)
    return sample


def test_the_sample_pack_has_two_tasks_of_every_group() -> None:
    samples = all_samples(ROOT)
    assert Counter(sample.group for sample in samples) == dict.fromkeys(GROUPS, 2)
    assert [sample.line for sample in samples] == list(range(1, 13))
    assert load("2-hop", ROOT, "react", {}) == list(samples[2:4])
    assert [sample.bertscore for sample in load("1-hop", ROOT, "react", {"bertscore": "m"})] == [
        "m",
        "m",
    ]


def test_the_sample_pack_has_each_irregularity_of_the_real_data() -> None:
    named = {sample.id: sample.irregular for sample in all_samples(ROOT) if sample.irregular}
    assert named == {
        "4": (dataset.SHORT_JOINT,),
        "5": (dataset.SWAPPED,),
        "9": (dataset.BRACKETED,),
        "10": (dataset.MORE_TOOLS,),
    }
    swapped = all_samples(ROOT)[4]
    assert (swapped.type, len(swapped.path)) == ("3-6-1", 3)


def test_a_path_is_split_at_three_hyphens_or_more() -> None:
    assert parse_path("get_court_code---get_court_info-----get_lawfirm_log") == (
        "get_court_code",
        "get_court_info",
        "get_lawfirm_log",
    )
    assert parse_path("【get_court_code】----【get_court_info】") == (
        "get_court_code",
        "get_court_info",
    )
    assert parse_path(" ") == ()
    with pytest.raises(ValueError, match="'get_courts' is no database tool"):
        parse_path("get_court_code----get_courts")


def test_28_tools_read_14_tables() -> None:
    assert len(LOOKUP_OF) == 28
    assert len({lookup.table_name for lookup in LOOKUP_OF.values()}) == 14
    assert [LOOKUP_OF[tool].table_name for tool in ("get_court_code", "get_court_info_list")] == [
        "CourtCode",
        "CourtInfo",
    ]


def test_the_sample_pack_reads_tables_more_than_once() -> None:
    reading = Counter(table for one in all_samples(ROOT) for table in tables_of(one))
    assert (reading["CourtCode"], reading["DishonestyCase"]) == (3, 1)


def tables_of(sample: AgentSample) -> set[str]:
    return {LOOKUP_OF[tool].table_name for tool in sample.path}


@pytest.mark.parametrize(
    ("hops", "way", "group"),
    [
        (None, "", "writing"),
        (0, "", "writing"),
        (None, "get_court_code----get_court_info", "2-hop"),
        (3, "get_court_code----get_court_info", "3-hop"),
        (7, "get_court_code", "5-hop"),
    ],
)
def test_hops_make_the_group_or_else_the_tools(
    tmp_path: Path, hops: int | None, way: str, group: str
) -> None:
    assert one(tmp_path, hops=hops, way=way).group == group


def test_generated_tasks_are_lines(tmp_path: Path) -> None:
    rows = [ROW | {"id": f"s7-{n}", "hops": 1, "type": "1-1"} for n in range(3)]
    lines = "\n\n".join(json.dumps(row) for row in rows)
    (tmp_path / dataset.GENERATED).write_text(lines + "\n", "utf-8")
    assert [(one.id, one.line) for one in load("1-hop", tmp_path, "react", {})] == [
        ("s7-0", 1),
        ("s7-1", 2),
        ("s7-2", 3),
    ]
    assert load("writing", tmp_path, "react", {}) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"key": []}, "row 1, field 'key': without a key"),
        ({"key": ["答", " "]}, "row 1, field 'key': a key is blank"),
        ({"key_middle": [""]}, "field 'key_middle': a key is blank"),
        ({"way": "get_companies"}, "row 1, field 'way': 'get_companies' is no database tool"),
        ({"hops": 2, "way": ""}, "field 'hops': 2 hops without a path"),
        ({"hops": -1}, "field 'hops': -1 hops"),
        ({"key": "答"}, "Expected `array`, got `str`"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError) as refused:
        one(tmp_path, **changed)
    assert said in str(refused.value)


def test_a_folder_has_one_file_of_tasks(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"neither dataset\.json nor tasks\.jsonl"):
        all_samples(tmp_path)
    for name in (dataset.OFFICIAL, dataset.GENERATED):
        (tmp_path / name).write_text("[]", "utf-8")
    with pytest.raises(DataError, match="there are both"):
        all_samples(tmp_path)
    (tmp_path / dataset.GENERATED).unlink()
    with pytest.raises(DataError, match="no task in this file"):
        all_samples(tmp_path)
    (tmp_path / dataset.OFFICIAL).write_text(json.dumps([ROW, ROW]), "utf-8")
    with pytest.raises(DataError, match="row 2, field 'id': the id 1 is there twice"):
        all_samples(tmp_path)

"""`hengfa suite plawbench lint` on the samples of our own."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from hengfa.base.data.packs import sample_root
from hengfa.cli.main import cli


def run(*arguments: str) -> str:
    result = CliRunner().invoke(cli, ["suite", "plawbench", "lint", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def broken(folder: Path) -> Path:
    """The samples with a case whose points do not add up."""
    for file in (sample_root() / "plawbench").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    file = folder / "practical_case_analysis_250.jsonl"
    text = file.read_text("utf-8").strip()
    content = json.loads(text) if text.startswith("[") else list(map(json.loads, text.splitlines()))
    content[0]["rubrics"][0] |= {"criterion": "（+5分）甲赔[b]\n（+5分）乙赔", "points": "5"}
    file.write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_a_table_names_rows_defects_and_readings(tmp_path: Path) -> None:
    shown = run("--data", str(broken(tmp_path)))
    assert "practical_case_analysis_250.jsonl" in shown
    assert "sum above" in shown
    assert "consultations:" in shown


def test_tiers_and_caps_are_listed_apart() -> None:
    """Those of the samples: a lowest tier of 2, and 10 below zero."""
    shown = run("--data", "sample")
    assert "tier 2 of 10" in shown and "cap -10 of 15" in shown
    assert "6 gates (1 tiers, 1 caps other than 0)" in shown
    limits = json.loads(run("--data", "sample", "--json"))["limits"]
    assert [(one["fault"], one["kind"], one["points"]) for one in limits] == [
        ("1.1-g1", "cap", -10),
        ("2.2-g1", "tier", 2),
    ]


def test_json_has_the_same(tmp_path: Path) -> None:
    document = json.loads(run("--data", str(broken(tmp_path)), "--json"))
    (row,) = [one for one in document["rows"] if one["file"].startswith("practical")]
    assert row["row"] == 0
    assert row["defects"] == [
        {
            "code": "sum above",
            "where": "结论",
            "text": "the items have 10, the data say 5",
            "reading": "all items can be earned, the section counts at most its points",
        }
    ]
    assert document["defects"]["sum above"] == 1
    assert document["counts"]["cases"]["rows"] == len(
        [
            one
            for one in json.loads(run("--data", "sample", "--all", "--json"))["rows"]
            if one["file"].startswith("practical")
        ]
    )


def test_all_lists_rubrics_without_defects(tmp_path: Path) -> None:
    assert run("--data", "sample", "--all").count(" items, ") > run("--data", "sample").count(
        " items, "
    )


def test_a_missing_pack_says_what_to_do() -> None:
    result = CliRunner().invoke(cli, ["suite", "plawbench", "lint"])
    assert result.exit_code == 1
    assert "hengfa data pull plawbench" in str(result.exception)

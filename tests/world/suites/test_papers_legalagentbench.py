"""The exhibits of LegalAgentBench: the printed rows, the released runs among them, and errors."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.evals.suites.agent_replies import reply, step

from hengfa.base.data.packs import sample_root
from hengfa.cli.main import cli
from hengfa.evals.report.papers import get_paper, make_shelf
from hengfa.evals.report.papers.exhibit import Exhibit, Row, Shelf
from hengfa.world.agents.trajectory import Ended, Step
from hengfa.world.suites.legalagentbench.dataset import GROUPS, all_samples
from hengfa.world.tools.observation import Status

PAPER = get_paper("legalagentbench")
METRICS = {"table-3": "success", "table-14": "process", "table-15": "bertscore"}
RATES = {"success": "success_rate", "process": "process_rate", "bertscore": "bertscore"}
TITLES = {"glm-4": "GLM-4", "gpt-4o-mini-2024-07-18": "GPT-4o-mini"}


def shown(plate: str, *runs: Path) -> Exhibit:
    found = PAPER.plate(plate)
    assert found is not None
    return PAPER.exhibit(found, shelf_of_runs(*map(str, runs)))


@cache
def shelf_of_runs(*runs: str) -> Shelf:
    """One for all exhibits: figures are drawn once."""
    return make_shelf(PAPER, runs, Path("runs"))


def named(exhibit: Exhibit, *, run: bool) -> dict[str, Row]:
    return {row.label: row for row in exhibit.rows if row.run is run}


def needed(exhibit: Exhibit) -> str:
    return "\n".join(need.en for need in exhibit.content.needs)


@pytest.fixture(scope="module")
def released(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The six runs whose predictions were published, scored."""
    data, out = shared / "data" / "LegalAgentBench", tmp_path_factory.mktemp("released")
    words = ["score", "legalagentbench", str(data / "runs"), "--data", str(data)]
    done = CliRunner().invoke(cli, [*words, "--out", str(out)])
    assert done.exit_code == 0, done.output
    return out


@pytest.mark.shared
@pytest.mark.parametrize(("plate", "metric"), METRICS.items())
def test_the_printed_table_is_shown_row_by_row_in_its_order(
    shared: Path, plate: str, metric: str
) -> None:
    with (shared / "published" / "legalagentbench_tables.csv").open(encoding="utf-8") as stream:
        printed = [row for row in csv.DictReader(stream) if row["metric"] == RATES[metric]]
    rows = named(shown(plate), run=False)
    assert list(rows) == [f"{row['model']} · {row['method']}" for row in printed]
    for row in printed:
        cells = rows[f"{row['model']} · {row['method']}"].cells
        for group in (*GROUPS, "all"):
            assert cells[f"{metric}/{group}"].printed == row[group]
        assert cells["tokens"].printed == row["tokens"]


@pytest.mark.shared
@pytest.mark.parametrize("plate", ["table-3", "table-14"])
def test_released_runs_give_the_printed_cells_to_the_last_digit(released: Path, plate: str) -> None:
    """All 84 cells; of tokens, which predictions do not have, it is said that they are lacking."""
    exhibit = shown(plate, released)
    printed, measured = named(exhibit, run=False), named(exhibit, run=True)
    columns = [f"{METRICS[plate]}/{group}" for group in (*GROUPS, "all")]
    assert len(measured) == 6
    for label, row in measured.items():
        model, _, method = label.partition(" · ")
        of_paper = printed[f"{TITLES[model]} · {method}"].cells
        for column in columns:
            cell = row.cells[column]
            assert f"{cell.value:.4f}" == of_paper[column].printed, (label, column)
            assert cell.low is not None
            assert cell.high is not None
            assert cell.low <= cell.value <= cell.high
        assert "tokens" not in row.cells
    assert "Tokens: needs `hengfa eval legalagentbench" in needed(exhibit)
    assert exhibit.drawn is not None
    assert len(exhibit.drawn("zh")["data"]["values"]) == 7 * 30


@pytest.mark.shared
def test_bertscore_and_errors_say_what_they_need(released: Path) -> None:
    command = "hengfa score legalagentbench RUN --set bertscore=DIR"
    assert f"needs `{command}`" in needed(shown("table-15", released))
    errors = shown("errors", released)
    assert not errors.rows  # released predictions do not tell what the agents did
    assert "rows of runs: needs `hengfa eval" in needed(errors)


def test_the_four_rows_whose_tokens_differ_from_their_files_say_so() -> None:
    rows = named(shown("table-3"), run=False)
    noted = {label for label, row in rows.items() if row.source != "tables 3, 14 and 15"}
    assert noted == {"GLM-4 · P-E", "LLaMa3.1-8B · P-E", "GPT-3.5 · ReAct", "GPT-4o · P-E"}


def test_errors_stand_under_the_classes_of_the_paper_group_by_group(tmp_path: Path) -> None:
    found = step("get_court_info", identifier="甲")
    lost = step("get_court_info", Status.NO_DATA, identifier="乙")
    column, call = step("get_court_info", Status.BAD_COLUMN), step("none", Status.UNKNOWN_TOOL)
    text = reply("", "", found, found, lost, column, call, Step(), ended=Ended.STEP_LIMIT)
    rows = [
        {"task": sample.group, "id": sample.id, "prediction": text}
        for sample in all_samples(sample_root() / "legalagentbench")
    ]
    saved = tmp_path / "agent.jsonl"
    saved.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    words = ["score", "legalagentbench", str(saved), "--data", "sample", "--setting", "react"]
    done = CliRunner().invoke(cli, [*words, "--out", str(tmp_path / "runs")])
    assert done.exit_code == 0, done.output
    exhibit = shown("errors", tmp_path / "runs")
    titles = ("1-hop", "2-hop", "3-hop", "4-hop", "5-hop", "Writing", "ALL")
    assert [row.label for row in exhibit.rows] == [f"agent · ReAct, {title}" for title in titles]
    for row in exhibit.rows:
        values = {name: cell.value for name, cell in row.cells.items()}
        assert values["no_data_share"] == values["bad_column_share"] == pytest.approx(1 / 4)
        assert values["bad_call_share"] == values["unparsable_share"] == pytest.approx(1 / 6)
        assert values["repeats_share"] == pytest.approx(1 / 6)
        assert (values["step_limit"], values["context_overflow"]) == (1.0, 0.0)
        assert (values["error_loop"], values["error_argument"]) == (1.0, 0.0)  # the first cause
        assert ("path_recall" in values) is not row.label.endswith("Writing")
    words = ["results", "legalagentbench", "--run", "legalagentbench-react-agent", "--errors"]
    told = CliRunner().invoke(cli, [*words, "--json", "--runs", str(tmp_path / "runs")])
    shares = json.loads(told.output)["tasks"]["2-hop"]
    assert {share["id"]: share["value"] for share in shares} == {
        "argument": 0.0, "planning": 0.0, "length": 0.0, "loop": 1.0,
    }  # fmt: skip
    first = exhibit.rows[0].cells["path_recall"]
    assert first.value == 1.0  # no step of the path was made
    assert exhibit.drawn is not None

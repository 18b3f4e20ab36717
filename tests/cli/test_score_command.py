"""`hengfa score` as a person meets it: tables, JSON, progress, errors, Ctrl-C."""

from __future__ import annotations

import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.saved import Answering, ceiling, floor, rows, samples, write_json, write_model

from hengfa.cli.main import main
from hengfa.evals.suites.lawbench.dataset import TASK_IDS, LawBenchSample

COMMAND = Path(sys.executable).with_name("hengfa")
FEW = ("1-2", "2-3", "3-4")
DATA = ("--data", "sample", "--jobs", "1")


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def score(*arguments: str | Path, columns: int = 100) -> Done:
    """Call the entry point as the shell would, in this process to save its start-up."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["hengfa", "score", "lawbench", *map(str, arguments)])
        patch.setenv("COLUMNS", str(columns))
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main()
    return Done(int(ended.value.code or 0), out.getvalue(), err.getvalue())


def half(number: int) -> Answering:
    """Knows one answer of so many."""

    def answering(task: str, asked: list[LawBenchSample]) -> Any:
        low, high = floor(task, asked), ceiling(task, asked)
        return lambda one: high(one) if int(one.id) % number == 0 else low(one)

    return answering


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One model's predictions for all tasks."""
    root = tmp_path_factory.mktemp("full")
    write_model(root, "甲-7b", half(2), TASK_IDS)
    return root


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seven models' predictions for a few tasks."""
    root = tmp_path_factory.mktemp("many")
    for number in range(1, 8):
        write_model(root, f"model-{number}", half(number), FEW)
    return root


# JSON


def test_json_has_the_documented_shape(full: Path) -> None:
    done = score(full, *DATA, "--json")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert list(document) == ["suite", "rules", "runs"]
    assert (document["suite"], document["rules"]) == ("lawbench", "official")
    (run,) = document["runs"]
    assert list(run) == ["model", "setting", "rules", "tasks", "figures"]
    assert (run["model"], run["setting"]) == ("甲-7b", "zero_shot")
    assert list(run["tasks"]) == list(TASK_IDS)
    for task, figure in run["tasks"].items():
        assert list(figure)[:3] == ["score", "abstention", "n"]
        assert set(figure) == {
            "score", "abstention", "n", "standard_error", "lenient", "floor", "ceiling", "skill",
            "metric", "more", "statuses", "answers",
        }  # fmt: skip
        assert figure["floor"] <= figure["score"] <= figure["ceiling"]
        assert 0 < figure["skill"] < 1
        assert figure["statuses"] == {"answered": len(samples(task))}
        assert figure["n"] <= len(samples(task))
        assert figure["answers"]
    scores = {task: figure["score"] for task, figure in run["tasks"].items()}
    figures = run["figures"]
    assert list(figures) == ["memorization", "understanding", "applying", "overall"]
    assert figures["overall"] == pytest.approx(sum(scores.values()) / 20)
    for level, name in enumerate(list(figures)[:3], start=1):
        of_level = [one for task, one in scores.items() if task.startswith(f"{level}-")]
        assert figures[name] == pytest.approx(sum(of_level) / len(of_level))


def test_json_of_several_models_and_both_rules(many: Path) -> None:
    done = score(many, *DATA, "--rules", "both", "--json")
    document = json.loads(done.stdout)
    assert document["rules"] == "both"
    assert [(run["model"], run["rules"]) for run in document["runs"]] == [
        (f"model-{number}", rules) for number in range(1, 8) for rules in ("official", "corrected")
    ]
    official, corrected = document["runs"][:2]
    assert "effects" not in official["tasks"]["1-2"]
    assert set(corrected["tasks"]["1-2"]["effects"]) == {"wrapper", "letters"}
    assert official["figures"] == {}  # no level is complete


def test_several_places_are_one_document(full: Path, many: Path) -> None:
    places = (many / "zero_shot" / "model-2", many / "zero_shot" / "model-1", full)
    document = json.loads(score(*places, *DATA, "--json").stdout)
    assert [run["model"] for run in document["runs"]] == ["model-2", "model-1", "甲-7b"]


def test_jobs_change_nothing(many: Path) -> None:
    places = [many / "zero_shot" / f"model-{number}" for number in (1, 2)]
    one = score(*places, "--data", "sample", "--jobs", "1", "--json")
    two = score(*places, "--data", "sample", "--jobs", "2", "--json")
    assert one.stdout == two.stdout
    assert score(*places, "--jobs", "0").returncode == 2


def test_setting_and_partial_are_for_files_that_do_not_say(tmp_path: Path) -> None:
    lines = '{"task": "1-2", "id": 0, "prediction": "C"}\n'
    file = write_json(tmp_path / "a.jsonl", lines)
    arguments = (file, "--data", "sample", "--shots", "1", "--json")
    refused = score(*arguments)
    assert refused.returncode == 1
    assert f"{file}, row 1-2/1: no prediction for 11 of 12 samples" in refused.stderr
    (run,) = json.loads(score(*arguments, "--partial").stdout)["runs"]
    assert (run["model"], run["setting"]) == ("a", "one_shot")
    assert run["tasks"]["1-2"]["n"] == 1


# Tables


def test_one_model_is_shown_task_by_task(full: Path) -> None:
    done = score(full, *DATA, columns=80)
    for word in ("甲-7b", "1-2 知识问答", "nlog_distance", "skill 0.", "±", "overall"):
        assert word in done.stdout
    assert "Missing" not in done.stdout
    assert "…" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("columns", [80, 120])
def test_many_models_are_a_matrix(many: Path, full: Path, columns: int) -> None:
    done = score(many, full, *DATA, columns=columns)
    lines = done.stdout.splitlines()
    assert lines[0] == "LawBench, zero_shot, official rules, points of 100"
    head, *tasks = lines[1].split("overall")
    assert head.split() == ["model", "memorization", "understanding", "applying"]
    assert tasks[0].split() == list(TASK_IDS[: len(tasks[0].split())])
    shown = [line.split() for line in lines if line.startswith("model-3")]
    assert shown[0][1:5] == ["–"] * 4
    assert sum(len(row) - 1 for row in shown) == 4 + 20
    assert sum(cell != "–" for row in shown for cell in row[1:]) == len(FEW)
    assert "…" not in done.stdout
    assert max(map(len, lines)) <= columns


def test_a_long_name_leaves_room_for_the_scores(tmp_path: Path) -> None:
    for number in range(4):
        write_model(tmp_path / "deep", f"model-{'乙' * 70}-{number}", floor, FEW)
    done = score(tmp_path, *DATA, columns=80)
    assert "1-2" in done.stdout
    assert "3-4" in done.stdout.splitlines()[1]  # all of them beside each other


def test_missing_tasks_are_said_where_they_cost_a_figure(tmp_path: Path) -> None:
    write_model(tmp_path, "m", floor, [one for one in TASK_IDS if one not in ("2-9", "2-10")])
    done = score(tmp_path, *DATA)
    assert "Missing, with the figures that need them: 2-9, 2-10" in done.stdout
    assert "overall" not in done.stdout
    assert "applying" in done.stdout


def test_both_rules_show_what_each_fix_does(tmp_path: Path) -> None:
    content = rows("1-2", ceiling)
    for row in content.values():
        row["prediction"] = f"A、B、C、D之中，{row['prediction']}"
    write_json(tmp_path / "zero_shot/m/1-2.json", content)
    done = score(tmp_path, *DATA, "--rules", "both")
    for word in ("(official)", "(corrected)", "Each fix by itself", "wrapper", "+100.00"):
        assert word in done.stdout
    assert "read what stands inside the wrapper" in done.stdout
    assert "Fixes that move no score here: 1-2 letters" in done.stdout
    assert "Each fix" not in score(tmp_path, *DATA).stdout


def test_effects_of_several_models_are_a_mean_and_a_range(tmp_path: Path) -> None:
    for model, share in (("one", 12), ("two", 6)):
        content = rows("1-2", ceiling)
        for row in list(content.values())[:share]:
            row["prediction"] = f"A、B、C、D之中，{row['prediction']}"
        write_json(tmp_path / f"zero_shot/{model}/1-2.json", content)
    shown = score(tmp_path, *DATA, "--rules", "both").stdout
    (found,) = [line for line in shown.splitlines() if "│ wrapper" in line]
    assert [cell.strip() for cell in found.split("│")][3:6] == ["+75.00", "+50.00", "+100.00"]


def test_a_name_cannot_steer_the_terminal(tmp_path: Path) -> None:
    for number in range(4):
        write_model(tmp_path, f"[b]m\x1b[31m{number}", floor, FEW)
    shown = score(tmp_path, *DATA)
    assert shown.returncode == 0
    assert "\x1b[31m" not in shown.stdout
    assert "[b]m" in shown.stdout


# Progress and notices


def test_progress_and_notices_stay_out_of_the_result(many: Path, own_home: Path) -> None:
    done = score(many, "--jobs", "1", "--json")
    assert done.returncode == 0
    json.loads(done.stdout)
    assert done.stderr.startswith("without the data there are no skill figures: ")
    assert len(done.stderr.splitlines()) == 1  # nobody looks: no bar, no empty lines


def test_a_bar_is_drawn_on_standard_error_of_a_terminal(many: Path) -> None:
    master, terminal = pty.openpty()
    arguments = [str(COMMAND), "score", "lawbench", str(many), *DATA, "--json"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=terminal, env=environment
    ) as process:
        os.close(terminal)
        shown = b"".join(_read_all(master))
        assert process.stdout is not None
        document = json.loads(process.stdout.read())
    assert len(document["runs"]) == 7
    assert "scored" in shown.decode()
    assert "21/21" in shown.decode()


def _read_all(descriptor: int) -> Iterator[bytes]:
    try:
        while chunk := os.read(descriptor, 65536):
            yield chunk
    except OSError:  # how a terminal ends
        return
    finally:
        os.close(descriptor)


# Errors


def bad_prediction(root: Path) -> Path:
    content = rows("2-3", floor)
    content["5"]["prediction"] = None
    return write_json(root / "zero_shot/m/2-3.json", content)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_bad_file_ends_with_status_1_and_its_name_and_id(tmp_path: Path, jobs: str) -> None:
    write_model(tmp_path, "m", floor, ["1-2"])
    file = bad_prediction(tmp_path)
    out = tmp_path / "out"
    done = score(tmp_path, "--data", "sample", "--jobs", jobs, "--out", out)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = [one for one in done.stderr.splitlines() if one]
    assert line == f"error: {file}, row 5, field 'prediction': expected text"
    assert not out.exists()


def test_wrong_calls_end_with_status_2(tmp_path: Path, many: Path) -> None:
    for arguments, said in (
        ([tmp_path], "holds no lawbench predictions"),
        ([tmp_path / "gone"], "gone"),
        ([], "PREDICTIONS"),
        ([many, "--data", str(tmp_path / "gone")], "no folder"),
        ([many, "--rules", "mine"], "--rules"),
        ([many, "--shots", "5"], "--shots"),
    ):
        done = score(*arguments)
        assert done.returncode == 2, arguments
        assert said in done.stderr
        assert done.stdout == ""
        assert "Traceback" not in done.stderr


def test_what_is_written_is_listed_and_kept(many: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    assert score(many, *DATA, "--out", out).returncode == 0
    again = score(many, *DATA, "--out", out)
    assert again.returncode == 2
    assert "is there already; choose another folder" in again.stderr
    listed = subprocess.run(
        [COMMAND, "results", "--runs", out], capture_output=True, text=True, check=True
    )
    assert "lawbench-zero_shot-model-7" in listed.stdout
    ours = score(out / "lawbench-zero_shot-model-7", *DATA)
    assert ours.returncode == 2
    assert "predictions of another tool" in ours.stderr


# Ctrl-C


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes in /proc")
@pytest.mark.parametrize("everyone", [True, False], ids=["terminal", "one process"])
def test_ctrl_c_ends_it_quickly_and_writes_nothing(tmp_path: Path, everyone: bool) -> None:
    """A terminal interrupts all processes; `kill -INT` only the first. Both must end soon."""
    long = "，".join(f"第{i}项：事实清楚，证据确实充分。" for i in range(2000))
    for number in range(6):
        content = rows("2-7", floor)
        content = {str(i): {**content["0"], "prediction": f"{i}{long}"} for i in range(200)}
        write_json(tmp_path / f"zero_shot/m{number}/2-7.json", content)
    out = tmp_path / "out"
    with subprocess.Popen(
        [COMMAND, "score", "lawbench", tmp_path, "--jobs", "2", "--out", out],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=tmp_path,
    ) as process:
        _wait_for_workers(process.pid)
        begun = time.monotonic()
        (os.killpg if everyone else os.kill)(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert time.monotonic() - begun < 10
    assert process.returncode == 1
    assert stdout == ""
    assert stderr.split()[-1] == "interrupted"
    assert "Traceback" not in stderr
    assert sorted(one.name for one in tmp_path.iterdir()) == ["zero_shot"]


def _wait_for_workers(pid: int) -> None:
    """Until two processes score: they have had a second of processor time each."""
    ticks = os.sysconf("SC_CLK_TCK")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        busy = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            busy += fields[1] == str(pid) and int(fields[11]) > 0.7 * ticks
        if busy >= 2:
            return
        time.sleep(0.05)
    pytest.fail("no two processes began to score")

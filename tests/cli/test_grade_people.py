"""`hengfa grade people …`, `grade table` and `grade calibrate`, from files to files."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tests.evals.grading.scored_by_people import submissions

from hengfa.base.data.jsonfile import write_lines
from hengfa.base.errors import DataError, UsageError
from hengfa.cli.main import cli
from hengfa.evals.grading.people.score_table import NOT_COUNTED, ScoreRow, read_scores, write_scores
from hengfa.evals.grading.submission import read_submissions
from hengfa.evals.report.charts import vega
from hengfa.evals.runs.people import read_key
from hengfa.evals.suites.claw_cases.rules import DIMENSIONS


def hengfa(*words: str | Path) -> None:
    cli.main([str(word) for word in words], standalone_mode=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "submissions.jsonl"
    write_lines(path, submissions())
    return path


def tables(folder: Path, n: int = 40) -> tuple[Path, Path]:
    """Two people and a grader on fictional responses, in two dimensions."""
    rng = np.random.default_rng(11)
    human: list[ScoreRow] = []
    graded: list[ScoreRow] = []
    for number in range(n):
        quality = rng.random()
        for dimension, item, maximum in (("法条依据", "i1", 4.0), ("推理过程", "i2", 10.0)):
            for rater in ("甲", "乙", "grader-a"):
                share = np.clip(quality + rng.normal(scale=0.15), 0, 1)
                points = round(float(share) * maximum * 2) / 2
                row = ScoreRow(f"s{number}", "分析", dimension, item, maximum, points, rater)
                (graded if rater == "grader-a" else human).append(row)
    write_scores(folder / "human.csv", human)
    write_scores(folder / "graded.csv", graded)
    return folder / "human.csv", folder / "graded.csv"


def test_a_sheet_filled_in_by_hand_is_read(tmp_path: Path, file: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    hengfa("grade", "people", "export", file, "--format", "sheet", "-o", sheet)
    rows = read_scores(sheet)
    assert len(rows) == 3 * 6
    assert {row.points for row in rows} == {None}
    text = sheet.read_text("utf-8-sig")
    assert "论证是否严密。（好 4、中 2、差 0）" in text
    filled = text.replace(",i1,4,,,", ",i1,4,3.5,张三,")
    assert filled != text
    sheet.write_text(filled, "utf-8-sig")
    assert [row.points for row in read_scores(sheet) if row.item == "i1"] == [3.5] * 3


@pytest.fixture(scope="module")
def graded_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs on our own samples, two of the same answers, graded by looking for words."""
    folder = tmp_path_factory.mktemp("runs")
    for run, model in (("one", "floor"), ("two", "floor"), ("best", "ceiling")):
        call = ("plawbench", "--data", "sample", "--model", model, "--runs", folder, "--run", run)
        hengfa("eval", *call, "--grader", "keywords")
    return folder


def keys(file: Path) -> set[str]:
    return {submission.key for submission in read_submissions(file)}


def test_answers_of_several_runs_have_keys_of_their_own(tmp_path: Path, graded_runs: Path) -> None:
    """The two runs of floor say the same to everything."""
    out, table = tmp_path / "submissions.jsonl", tmp_path / "graded.csv"
    hengfa("grade", "people", "export", "one", "two", "best", "-o", out, "--runs", graded_runs)
    assert len(read_submissions(out)) == 3 * 8
    assert not [word for word in ("floor", "ceiling", "best") if word in out.read_text("utf-8")]
    hengfa("grade", "table", "best", "one", "two", "-o", table, "--runs", graded_runs)
    rows = read_scores(table)
    assert {row.submission for row in rows} == keys(out)
    assert Counter(model for _, model in {(row.submission, row.model) for row in rows}) == {
        "floor": 16, "ceiling": 8,
    }  # fmt: skip
    alone, again = tmp_path / "alone.jsonl", tmp_path / "again.csv"
    hengfa("grade", "people", "export", "two", "-o", alone, "--runs", graded_runs)
    assert keys(alone) < keys(out), "whichever runs are taken together"
    call = ("grade", "run", "two", "--grader", "keywords", "--runs", graded_runs)
    hengfa(*call, "--csv", again)
    assert {row.submission for row in read_scores(again)} == keys(alone)


def test_a_run_cannot_be_taken_twice_and_must_be_graded_for_a_table(
    tmp_path: Path, graded_runs: Path
) -> None:
    out = tmp_path / "out"
    with pytest.raises(UsageError, match="one and one are the same run"):
        hengfa("grade", "people", "export", "one", "one", "-o", out, "--runs", graded_runs)
    call = ("grade", "table", "one", "-o", out, "--runs", graded_runs)
    with pytest.raises(UsageError, match="graded by keywords, and not by 'kimi'"):
        hengfa(*call, "--grader", "kimi")
    runs = tmp_path / "runs"
    asked = ("plawbench/case", "--data", "sample", "--model", "floor", "--runs", runs)
    hengfa("eval", *asked, "--run", "bare", "--ungraded")
    with pytest.raises(UsageError, match="bare was not graded yet: hengfa grade run bare"):
        hengfa("grade", "table", "bare", "-o", out, "--runs", runs)
    assert not out.exists()


def test_a_pilot_goes_from_runs_to_people_to_calibration(
    tmp_path: Path, graded_runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, runs = tmp_path / "pilot.jsonl", ("one", "two", "best", "--runs", graded_runs)
    hengfa("grade", "people", "pilot", *runs, "-o", out, "--share", "0.5", "--seed", "5")
    assert "drew 7 of 8 samples in 7 strata" in capsys.readouterr().err
    drawn = read_submissions(out)
    tasks = Counter(submission.key.split("/")[1] for submission in drawn)
    assert tasks == {"case": 4, "consultation": 1, "plaintiff": 1, "defendant": 1}
    key = read_key(tmp_path / "pilot.key.csv")
    assert key.keys() == keys(out)
    # somebody has totals in a spreadsheet, and nothing else
    totals = "".join(f"{name},{number},10,张三\n" for number, name in enumerate(sorted(key)))
    human, graded = tmp_path / "human.csv", tmp_path / "graded.csv"
    human.write_text("submission,total,maximum,rater\n" + totals, "utf-8")
    hengfa("grade", "run", out, "--grader", "keywords", "--csv", graded, "--runs", tmp_path)
    capsys.readouterr()
    call = ("grade", "calibrate", human, graded, "--resamples", "100", "--key")
    hengfa(*call, tmp_path / "pilot.key.csv", "--json")
    found = json.loads(capsys.readouterr().out)
    assert found["only_totals"] == {"张三": 7}
    whole = next(row for row in found["graders"] if row["level"] == "totals" and not row["task"])
    assert whole["n"] == 7
    means = next(row for row in found["graders"] if row["level"] == "model means")
    assert means["n"] == len(set(key.values())) == 2
    hengfa(*call, tmp_path / "pilot.key.csv")
    printed = capsys.readouterr().out
    assert "张三: 7 submissions have a total only: no figure of items or dimensions" in printed
    assert "single items" not in printed


def test_strata_may_be_a_facet_and_what_is_no_facet_is_named(
    tmp_path: Path, graded_runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = (
        "grade",
        "people",
        "pilot",
        "one",
        "--runs",
        graded_runs,
        "-o",
        tmp_path / "pilot.jsonl",
    )
    hengfa(*call, "--by", "order", "--share", "0.1")
    assert "samples in" in capsys.readouterr().err
    with (tmp_path / "pilot.key.csv").open(encoding="utf-8-sig") as file:
        assert {row["stratum"] for row in csv.DictReader(file)} > {""}
    with pytest.raises(UsageError, match="the facet 'colour'; there is facts, matter, order"):
        hengfa(*call, "--by", "colour", "--force")
    with pytest.raises(UsageError, match=r"pilot\.jsonl exists: --force"):
        hengfa(*call)
    with pytest.raises(UsageError, match="is the name of the key"):
        hengfa(*call[:-1], tmp_path / "x.csv", "--key", tmp_path / "x.csv")


def test_the_overall_rating_of_claw_is_shown_before_the_sums(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Dimensions 50 and 40 of 100, overall ratings 60 and 65."""
    for rater, label, rating in (("甲", 10.0, 60), ("grader", 8.0, 65)):
        rows = [
            ScoreRow(
                f"claw-cases/case/{number}", "case", title, item, most, given, rater, flags=flags
            )
            for number in range(6)
            for title, item, most, given, flags in (
                *(("评分维度", name, 20, label, ()) for name in DIMENSIONS),
                ("总体评价", "overall", 100, float(rating), (NOT_COUNTED,)),
            )
        ]
        write_scores(tmp_path / f"{rater}.csv", rows)
    call = ("grade", "calibrate", tmp_path / "甲.csv", tmp_path / "grader.csv")
    hengfa(*call, "--resamples", "100", "--json")
    found = json.loads(capsys.readouterr().out)["graders"]
    biases = {row["level"]: row["figures"]["bias"]["value"] for row in found}
    assert biases == pytest.approx({"overall": 5, "totals": -10, "items": -10})
    assert next(iter(biases)) == "overall"
    hengfa(*call, "--resamples", "100")
    printed = capsys.readouterr().out
    assert printed.startswith("Graders against people: overall ratings")
    assert printed.index("+5.0") < printed.index("-10.0")
    totals = "".join(f"claw-cases/case/{number},6,10,乙\n" for number in range(6))
    (tmp_path / "乙.csv").write_text("submission,points,maximum,rater\n" + totals, "utf-8")
    hengfa(*call[:2], tmp_path / "乙.csv", tmp_path / "grader.csv", "--resamples", "100")
    said = " ".join(capsys.readouterr().out.split())
    assert "a total of one of the 6 submissions that have an overall rating is taken for" in said
    assert "6 submissions have totals out of different maxima" in said
    assert "claw-cases/case/0 (10 and 100): shares of them are compared" in said


def test_submissions_with_one_key_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "submissions.jsonl"
    write_lines(file, [submissions()[0]] * 2)
    with pytest.raises(DataError, match=r"row 2, field 'key': .* stands on line 1 already"):
        read_submissions(file)
    file.write_text('{"key": 1}\n')
    with pytest.raises(DataError, match="row 1, field 'key'"):
        read_submissions(file)
    file.write_text("\n")
    with pytest.raises(DataError, match="holds no submissions"):
        read_submissions(file)


def test_calibration_prints_people_next_to_graders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    hengfa("grade", "calibrate", *tables(tmp_path), "--resamples", "200")
    printed = capsys.readouterr().out
    assert "Graders against people: totals of submissions" in printed
    assert "People among themselves: single items" in printed
    assert re.search(r"grader-a +all +40 +0\.9\d", printed)
    assert "推理过程" in printed
    assert "200 resamples" in printed
    assert max(map(len, printed.splitlines())) <= 100


def test_calibration_of_few_says_that_they_are_few(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hengfa("grade", "calibrate", *tables(tmp_path, 4), "--resamples", "200")
    printed = capsys.readouterr().out
    assert "4*" in printed
    assert "fewer than 20 submissions or models: too few" in printed


def test_calibration_as_json_is_one_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hengfa("grade", "calibrate", *tables(tmp_path), "--resamples", "200", "--seed", "3", "--json")
    found = json.loads(capsys.readouterr().out)
    assert (found["seed"], found["resamples"]) == (3, 200)
    first = found["graders"][0]
    assert first["level"] == "totals"
    assert first["figures"]["pearson"]["low"] < first["figures"]["pearson"]["value"]
    # one against the other in totals and items, each against both in totals
    assert len(found["people"]) == 4


@pytest.mark.parametrize("kind", ["svg", "png", "html"])
def test_the_picture_has_every_dimension(tmp_path: Path, kind: str) -> None:
    if kind == "png" and vega.find_chinese_font() is None:
        pytest.skip("no font with Chinese characters")
    picture = tmp_path / f"calibration.{kind}"
    hengfa("grade", "calibrate", *tables(tmp_path), "--resamples", "100", "--plot", picture)
    content = picture.read_bytes()
    if kind == "png":
        assert content.startswith(b"\x89PNG")
    else:
        for words in ("分析 · 法条依据", "分析 · 推理过程", "people, % of the maximum"):
            assert words.encode() in content
        assert b"cdn.jsdelivr" not in content


def test_a_picture_without_a_font_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hengfa.evals.report.charts.vega.find_chinese_font", lambda: None)
    call = ("grade", "calibrate", *tables(tmp_path), "--resamples", "100", "--plot")
    with pytest.raises(DataError, match="fonts-noto-cjk"):
        hengfa(*call, tmp_path / "x.png")
    hengfa(*call, tmp_path / "x.svg")
    assert "fonts-noto-cjk" in capsys.readouterr().err
    with pytest.raises(UsageError, match=r"must end in \.svg"):
        hengfa(*call, tmp_path / "x.pdf")


def test_fonts_are_found_without_fontconfig(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DejaVuSans.ttf", "wqy-microhei.ttc", "notes.txt"):
        (tmp_path / name).touch()
    monkeypatch.setattr("hengfa.evals.report.charts.vega.shutil.which", lambda _: None)
    monkeypatch.setattr(vega, "_FOLDERS", (str(tmp_path), "/nowhere"))
    assert vega.find_chinese_font() == ("WenQuanYi Micro Hei", tmp_path)
    (tmp_path / "wqy-microhei.ttc").unlink()
    assert vega.find_chinese_font() is None


def test_label_studio_there_and_back(tmp_path: Path, file: Path) -> None:
    tasks = tmp_path / "out" / "tasks.json"
    hengfa("grade", "people", "label-studio", "export", file, "-o", tasks)  # where it was
    assert tasks.with_suffix(".xml").read_text("utf-8").startswith("<View")
    exported = json.loads(tasks.read_bytes())
    for task in exported:
        number = {"from_name": "points_1", "type": "number", "value": {"number": 2}}
        task["annotations"] = [{"result": [number], "completed_by": 1}]
    tasks.write_text(json.dumps(exported))
    scores = tmp_path / "scores.csv"
    hengfa("grade", "people", "import", tasks, "--submissions", file, "-o", scores)
    rows = [row for row in read_scores(scores) if row.is_item]
    assert {row.submission for row in rows} == {one.key for one in submissions()}
    assert {(row.item, row.points, row.rater) for row in rows} == {("i1", 2, "annotator 1")}


def test_the_server_prints_its_address_and_ends_by_interrupt(tmp_path: Path, file: Path) -> None:
    code = "from hengfa.cli.main import main; main()"
    call = [
        "grade",
        "people",
        "serve",
        str(file),
        "-o",
        str(tmp_path / "scores.csv"),
        "--no-browser",
    ]
    server = subprocess.Popen(
        [sys.executable, "-c", code, *call],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", address)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(address + "state", timeout=10) as reply:
            assert len(json.load(reply)["submissions"]) == 3
        server.send_signal(signal.SIGINT)
        _, told = server.communicate(timeout=20)
    finally:
        server.kill()
        server.communicate()
    assert server.returncode == 0
    assert "3 responses for expert" in told
    assert "Traceback" not in told

"""`hengfa grade sheet|serve|label-studio|calibrate`, from files to files."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from tests.grading.scored_by_people import submissions

from hengfa.cli.main import cli
from hengfa.errors import DataError, UsageError
from hengfa.grading.people.score_table import Score, read_scores, write_scores
from hengfa.grading.submission import read_submissions, write_submissions
from hengfa.report.charts import export


def hengfa(*words: str | Path) -> None:
    cli.main([str(word) for word in words], standalone_mode=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "submissions.jsonl"
    write_submissions(path, submissions())
    return path


def tables(folder: Path, n: int = 40) -> tuple[Path, Path]:
    """Two people and a grader on fictional responses, in two dimensions."""
    rng = np.random.default_rng(11)
    human: list[Score] = []
    graded: list[Score] = []
    for number in range(n):
        quality = rng.random()
        for dimension, item, maximum in (("法条依据", "i1", 4.0), ("推理过程", "i2", 10.0)):
            for rater in ("甲", "乙", "grader-a"):
                share = np.clip(quality + rng.normal(scale=0.15), 0, 1)
                points = round(float(share) * maximum * 2) / 2
                row = Score(f"s{number}", "分析", dimension, item, maximum, points, rater)
                (graded if rater == "grader-a" else human).append(row)
    write_scores(folder / "human.csv", human)
    write_scores(folder / "graded.csv", graded)
    return folder / "human.csv", folder / "graded.csv"


def test_a_sheet_filled_in_by_hand_is_read(tmp_path: Path, file: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    hengfa("grade", "sheet", file, "-o", sheet)
    rows = read_scores(sheet)
    assert len(rows) == 3 * 6
    assert {row.points for row in rows} == {None}
    text = sheet.read_text("utf-8-sig")
    assert "论证是否严密。（好 4、中 2、差 0）" in text
    filled = text.replace(",i1,4,,,", ",i1,4,3.5,张三,")
    assert filled != text
    sheet.write_text(filled, "utf-8-sig")
    assert [row.points for row in read_scores(sheet) if row.item == "i1"] == [3.5] * 3


def test_submissions_with_one_key_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "submissions.jsonl"
    write_submissions(file, [submissions()[0]] * 2)
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
    assert len(found["people"]) == 2  # one against the other; totals and items


@pytest.mark.parametrize("kind", ["svg", "png", "html"])
def test_the_picture_has_every_dimension(tmp_path: Path, kind: str) -> None:
    if kind == "png" and export.find_chinese_font() is None:
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
    monkeypatch.setattr("hengfa.report.charts.export.find_chinese_font", lambda: None)
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
    monkeypatch.setattr("hengfa.report.charts.export.shutil.which", lambda _: None)
    monkeypatch.setattr(export, "_FOLDERS", (str(tmp_path), "/nowhere"))
    assert export.find_chinese_font() == ("WenQuanYi Micro Hei", tmp_path)
    (tmp_path / "wqy-microhei.ttc").unlink()
    assert export.find_chinese_font() is None


def test_label_studio_there_and_back(tmp_path: Path, file: Path) -> None:
    tasks = tmp_path / "out" / "tasks.json"
    hengfa("grade", "label-studio", "export", file, "-o", tasks)
    assert tasks.with_suffix(".xml").read_text("utf-8").startswith("<View")
    exported = json.loads(tasks.read_bytes())
    for task in exported:
        number = {"from_name": "points_1", "type": "number", "value": {"number": 2}}
        task["annotations"] = [{"result": [number], "completed_by": 1}]
    tasks.write_text(json.dumps(exported))
    scores = tmp_path / "scores.csv"
    hengfa("grade", "label-studio", "import", tasks, "--submissions", file, "-o", scores)
    rows = [row for row in read_scores(scores) if row.is_item]
    assert {row.submission for row in rows} == {one.key for one in submissions()}
    assert {(row.item, row.points, row.rater) for row in rows} == {("i1", 2, "annotator 1")}


def test_the_server_prints_its_address_and_ends_by_interrupt(tmp_path: Path, file: Path) -> None:
    code = "from hengfa.cli.main import main; main()"
    call = ["grade", "serve", str(file), "-o", str(tmp_path / "scores.csv"), "--no-browser"]
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

"""A running Label Studio: our files go in, people label, and what comes out is calibrated.

Label Studio pins other versions than we do, so it has an environment of its own, which is named by
`HENGFA_LABEL_STUDIO` (docs/grading.md).
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hengfa.base.data.jsonfile import write_lines
from hengfa.cli.main import cli
from hengfa.evals.grading.people.label_studio import blind_name, fault_options
from hengfa.evals.grading.people.score_table import read_scores
from hengfa.evals.grading.submission import Submission, read_submissions
from tests.evals.grading.scored_by_people import ANSWER, HOSTILE, submissions

EXECUTABLE = os.environ.get("HENGFA_LABEL_STUDIO", "")
TOKEN = "0123456789abcdef0123456789abcdef01234567"
PATIENCE = 400
"""Seconds for the first start, which sets up a database."""
pytestmark = [
    pytest.mark.skipif(
        not EXECUTABLE, reason="HENGFA_LABEL_STUDIO names no label-studio executable"
    ),
    pytest.mark.timeout(PATIENCE + 120),
]


class Instance:
    """A server on this machine, by its interface for programs."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open

    def call(self, path: str, body: object = None) -> Any:
        headers = {"Authorization": f"Token {TOKEN}", "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, content, headers)
        with self._open(request, timeout=60) as reply:
            return json.load(reply)

    def is_up(self) -> bool:
        try:
            with self._open(f"{self.address}/health", timeout=5):
                return True
        except OSError:
            return False

    def annotate(self, task: int, person: int, *results: dict[str, Any], **more: Any) -> None:
        body = {"result": results, "completed_by": person, **more}
        self.call(f"/api/tasks/{task}/annotations", body)


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    folder = tmp_path_factory.mktemp("label-studio")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    call = [
        *(EXECUTABLE, "start", "--no-browser", "--data-dir", str(folder)),
        *("--internal-host", "127.0.0.1", "--port", str(port), "--enable-legacy-api-token"),
        *("--username", "a@example.org", "--password", "lighthouse-1", "--user-token", TOKEN),
    ]
    nobody_told = {"SENTRY_DSN": "", "LATEST_VERSION_CHECK": "false", "COLLECT_ANALYTICS": "false"}
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            call, cwd=folder, env={**kept, **nobody_told}, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
    try:
        instance, until = Instance(f"http://127.0.0.1:{port}"), time.monotonic() + PATIENCE
        while not instance.is_up():
            log_text = (folder / "log").read_text("utf-8", "replace")
            assert server.poll() is None, log_text
            assert time.monotonic() < until, log_text
            time.sleep(1)
        yield instance
    finally:
        os.killpg(server.pid, signal.SIGKILL)  # the group is the server's own
        server.wait()


def hengfa(*words: str | Path) -> None:
    cli.main([str(word) for word in words], standalone_mode=False)


def result(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"id": name, "from_name": name, "to_name": "response", "type": kind, "value": value}


def scored(first: float, second: float, third: float, level: str) -> list[dict[str, Any]]:
    points = enumerate((first, second, third), 1)
    return [
        *(result(f"points_{place}", "number", {"number": number}) for place, number in points),
        result("level_4", "choices", {"choices": [level]}),
    ]


def label(instance: Instance, tasks: dict[str, int], every: list[Submission]) -> None:
    """Two people score two responses, one ticks a deduction and marks words, and one skips one."""
    second = instance.call("/api/users/", {"email": "b@example.org", "username": "b"})["id"]
    answer, hostile, third = (tasks[blind_name(submission)] for submission in every)
    start = ANSWER.index("第三条")
    marked = {"start": start, "end": start + 3, "text": "第三条", "labels": ["1"]}
    fault = next(text for text, ticked in fault_options(every[0]).items() if ticked.id == "d1")
    instance.annotate(
        answer,
        1,
        *scored(4, 2.5, 7.5, "好"),
        result("evidence", "labels", marked),
        result("comment_1", "textarea", {"text": ["引用正确"]}),
        result("faults", "choices", {"choices": [fault]}),
    )
    instance.annotate(answer, second, *scored(3, 2, 6, "中"))
    instance.annotate(hostile, 1, *scored(0, 0, 1, "差"))
    instance.annotate(hostile, second, *scored(0, 0.5, 0, "差"))
    instance.annotate(third, 1, *scored(0, 0, 2, "中"))
    instance.annotate(third, second, was_cancelled=True)


def test_from_tasks_to_calibration(
    tmp_path: Path, instance: Instance, capsys: pytest.CaptureFixture[str]
) -> None:
    file, tasks = tmp_path / "submissions.jsonl", tmp_path / "tasks.json"
    write_lines(file, submissions())
    every = read_submissions(file)
    hengfa("grade", "people", "export", file, "--format", "label-studio", "-o", tasks)
    config = tasks.with_suffix(".xml").read_text("utf-8")
    project = instance.call("/api/projects", {"title": "pilot", "label_config": config})["id"]
    imported = instance.call(f"/api/projects/{project}/import", json.loads(tasks.read_bytes()))
    assert imported["task_count"] == 3
    kept = instance.call(f"/api/tasks?project={project}&fields=all")["tasks"]
    assert {task["data"]["response"] for task in kept} >= {ANSWER, HOSTILE}, "to the character"
    label(instance, {task["data"]["submission"]: task["id"] for task in kept}, every)

    export, scores = tmp_path / "export.json", tmp_path / "scores.csv"
    path = f"/api/projects/{project}/export?exportType=JSON&download_all_tasks=true"
    export.write_text(json.dumps(instance.call(path)), "utf-8")
    hengfa("grade", "people", "import", export, "--submissions", file, "-o", scores)
    assert "of 6 annotations left out: 1 cancelled" in capsys.readouterr().err
    rows = {(row.submission, row.rater, row.item): row for row in read_scores(scores)}
    assert len({rater for _, rater, _ in rows}) == 2
    award = rows[every[0].key, "annotator 1", "i1"]
    assert (award.points, award.flags, award.evidence) == (3, ("d1",), ("第三条",))
    assert award.comment == "引用正确"
    assert rows[every[0].key, "annotator 1", "i4"].level == "好"

    graded = tmp_path / "graded.csv"
    hengfa("grade", "run", file, "--grader", "keywords", "--csv", graded, "--runs", tmp_path)
    capsys.readouterr()
    hengfa("grade", "calibrate", scores, graded, "--resamples", "100", "--json")
    found = json.loads(capsys.readouterr().out)
    items = next(row for row in found["graders"] if row["level"] == "items")
    assert items["submissions"] == 3
    # of 20: 3 + 2.5 + 7.5 + 4 and 3 + 2 + 6 + 2; 1 and 0.5
    [people] = [row for row in found["people"] if "annotator" in row["against"]][:1]
    assert people["figures"]["mae"]["value"] == pytest.approx(100 * (4 / 20 + 0.5 / 20) / 2)

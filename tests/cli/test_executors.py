"""`--executor`: who works; a cluster is an optional part, and nobody else loads it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.test_cli import hengfa
from tests.evals.engine.processes import environment
from tests.saved import floor, write_model

WORDS = ("score", "lawbench", "predictions", "--data", "sample", "--json")
WITHOUT = "import sys; sys.modules['ray'] = None; from hengfa.cli.main import main; main()"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("executors")
    write_model(folder / "predictions", "low", floor, ("1-2", "2-3"))
    return folder


def without_ray(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *WORDS, *words],
        cwd=folder, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_without_the_extra_all_else_works_and_a_cluster_says_what_to_install(folder: Path) -> None:
    local = without_ray(folder, "--jobs", "2")
    assert local.returncode == 0, local.stderr
    assert local.stdout == hengfa(*WORDS, "--jobs", "1", cwd=folder).stdout
    for name in ("ray", "ray:auto", "ray:127.0.0.1:6379"):
        done = without_ray(folder, "--executor", name)
        assert done.returncode == 1
        assert done.stderr.strip().endswith('pip install ".[ray]"')


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--executor", "dask"), "there is local, ray, ray:auto and ray:ADDRESS"),
        (("--executor", "ray:"), "there is local, ray, ray:auto and ray:ADDRESS"),
        (("--executor", "rays"), "there is local, ray, ray:auto and ray:ADDRESS"),
        (("--gpus-each", "1"), "--executor ray"),
    ],
)
def test_what_cannot_be_meant_is_refused(folder: Path, words: tuple[str, ...], why: str) -> None:
    done = hengfa(*WORDS, *words, cwd=folder)
    assert done.returncode == 2
    assert why in done.stderr


def test_workers_are_for_what_encodes_or_reranks(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"id": "1", "text": "渡船未经检查"}\n', "utf-8")
    build = ("retrieve", "build", "corpus.jsonl", "-o", "index")
    assert hengfa(*build, "--jobs", "2", cwd=tmp_path).returncode == 2
    assert hengfa(*build, cwd=tmp_path).returncode == 0
    done = hengfa("retrieve", "渡船", "--index", "index", "--jobs", "2", cwd=tmp_path)
    assert "--jobs or --executor is for an index of vectors" in done.stderr

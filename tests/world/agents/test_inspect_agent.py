"""Agents of Inspect AI, tried in a process of their own.

Inside a running event loop Inspect patches asyncio for the whole process, after which loops stay
open; tests that come later would be blamed for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

pytestmark = pytest.mark.optional("inspect_ai")


def test_agents_of_inspect(tmp_path: Path) -> None:
    cases = Path(__file__).with_name("inspect_agent_cases.py")
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--noconftest", str(cases)]
    done = subprocess.run(
        [sys.executable, *command],
        cwd=REPOSITORY,
        env={**os.environ, "HENGFA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout

"""An exported run opens in `inspect view`, in a real browser."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.evals.report.browser import launched

pytestmark = [
    pytest.mark.optional("inspect_ai", "chromium"),
    pytest.mark.filterwarnings("ignore"),  # Inspect's own dependencies warn
]


@pytest.fixture
def viewer(tmp_path: Path) -> Iterator[str]:
    """The address of `inspect view` on the log of a run of ours."""
    from hengfa.cli.main import cli

    runs = tmp_path / "runs"
    asked = ["eval", "lawbench/1-1,1-2", "--data", "sample", "--model", "retrieval"]
    cli.main([*asked, "--runs", str(runs)], standalone_mode=False)
    run = runs / "lawbench-zero_shot-retrieval-sample"
    logs = tmp_path / "logs"
    target = ["export", "eval", str(run), "-o", str(logs / "run.eval")]
    cli.main(target, standalone_mode=False)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    inspect = Path(sys.executable).with_name("inspect")
    server = subprocess.Popen(
        [inspect, "view", "--log-dir", logs, "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "NO_PROXY": "127.0.0.1"},
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                with urllib.request.urlopen(address, timeout=5):
                    break
            except OSError:
                assert server.poll() is None, "inspect view ended early"
                time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait()


def test_the_viewer_shows_our_samples_and_scores(viewer: str) -> None:
    with launched() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(viewer)
        page.get_by_text("hengfa/lawbench").first.click()
        page.get_by_text("开办茶馆").first.wait_for()
        text = page.inner_text("body")
        if folder := os.environ.get("HENGFA_SCREENSHOTS"):
            page.screenshot(path=Path(folder, "inspect-view.png"))
    assert "retrieval" in text
    assert "official" in text

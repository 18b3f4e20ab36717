"""`hengfa world serve`: the tools of a world file over HTTP, in a process of its own."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

from click.testing import CliRunner
from tests.world.tiny_world import COURT, write

from hengfa.cli.world import command


def test_it_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    world = write(tmp_path / "tiny.sqlite")
    hengfa = Path(sys.executable).with_name("hengfa")
    serving = subprocess.Popen(
        [hengfa, "world", "serve", "--world", world, "--port", "0"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert serving.stderr is not None
    try:
        said = serving.stderr.readline()
        assert said.startswith("37 tools at http://127.0.0.1:")
        address = said.split(" at ")[1].split(";")[0]
        asked = json.dumps({"identifier": "云0101", "columns": ["法院名称"]}).encode()
        with urllib.request.urlopen(f"{address}/get_court_code", asked, timeout=20) as reply:
            assert json.load(reply) == {"法院名称": COURT}
        serving.send_signal(signal.SIGINT)
        assert serving.wait(20) == 0
        assert serving.stderr.read() == ""
    finally:
        serving.kill()
        serving.communicate()


def test_a_port_in_use_is_said(tmp_path: Path) -> None:
    world = write(tmp_path / "tiny.sqlite")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = CliRunner().invoke(command, ["serve", "--world", str(world), "--port", port])
    assert "cannot listen" in str(done.exception)

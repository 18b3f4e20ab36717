"""What a release contains, and that it works where nothing of the checkout is at hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import hengfa
from tests.conftest import REPOSITORY

PACKAGE = REPOSITORY / "src" / "hengfa"
IN_SDIST = {
    ".gitignore", "CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "README.zh.md", "docs",
    "pyproject.toml", "src",
}  # fmt: skip


def _build(checkout: Path, into: Path, *targets: str) -> None:
    asked = [part for target in targets for part in ("-t", target)]
    _run(checkout, sys.executable, "-m", "hatchling", "build", "-d", into, *asked)


def _run(folder: Path, *command: str | Path) -> str:
    """What it prints; run in a folder, with nothing on the path but what is installed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _files(wheel: Path) -> dict[str, int]:
    """The checksum of each file."""
    with zipfile.ZipFile(wheel) as archive:
        return {entry.filename: entry.CRC for entry in archive.infolist()}


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    _build(REPOSITORY, folder, "sdist", "wheel")
    return folder


@pytest.fixture
def wheel(released: Path) -> Path:
    return released / f"hengfa-{hengfa.__version__}-py3-none-any.whl"


@pytest.fixture
def unpacked(released: Path, tmp_path: Path) -> Path:
    with tarfile.open(released / f"hengfa-{hengfa.__version__}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / f"hengfa-{hengfa.__version__}"


@pytest.fixture
def installed(wheel: Path, tmp_path: Path) -> Path:
    """The programs of a fresh environment with the wheel in it.

    What Hengfa depends on comes from this environment: a path in a .pth file adds its packages, but
    not those of the .pth files there, among them the checkout that is installed as editable.
    """
    environment = tmp_path / "environment"
    venv.create(environment)
    programs = environment / "bin"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python")
    _run(tmp_path, *pip, programs / "python", "install", "--no-index", "--no-deps", wheel)
    (packages,) = environment.glob("lib/python*/site-packages")
    needed = [folder for folder in sys.path if Path(folder).name == "site-packages"]
    (packages / "dependencies.pth").write_text("\n".join(needed))
    return programs


def test_the_wheel_has_every_file_of_the_package_and_no_other(wheel: Path) -> None:
    packed = {name for name in _files(wheel) if ".dist-info/" not in name}
    assert packed == {
        file.relative_to(PACKAGE.parent).as_posix()
        for file in PACKAGE.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert "hengfa/py.typed" in packed
    assert not any("node_modules" in name for name in packed)


def test_the_source_distribution_has_no_tests_and_makes_the_same_wheel(
    wheel: Path, unpacked: Path, tmp_path: Path
) -> None:
    assert {file.name for file in unpacked.iterdir()} == IN_SDIST
    assert not list(unpacked.rglob("__pycache__"))
    _build(unpacked, tmp_path / "again", "wheel")
    assert _files(tmp_path / "again" / wheel.name) == _files(wheel)


def test_an_installed_wheel_works_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    folder, command = tmp_path / "work", installed / "hengfa"
    folder.mkdir()
    where = _run(folder, installed / "python", "-c", "import hengfa; print(hengfa.__file__)")
    assert Path(where).is_relative_to(installed.parent)
    assert _run(folder, command, "--version").split()[-1] == hengfa.__version__
    few = ("--data", "sample", "--model", "floor", "--limit", "2", "--json")
    (run,) = json.loads(_run(folder, command, "eval", "lawbench/1-2", *few))["runs"]
    assert run["tasks"]["1-2"]["n"] == 2
    _run(folder, command, "report", "runs", "-o", "site")
    assert (folder / "site" / "index.html").is_file()
    _run(folder, command, "law", "build", "sample", "-o", "law.sqlite")
    shown = _run(folder, command, "law", "show", "月湖渡船法", "5", "--library", "law.sqlite")
    assert "第五条" in shown

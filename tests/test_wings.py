"""The wings: what each offers, and that the lower ones do without the higher."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import hengfa
from hengfa.base import hooks
from hengfa.base.errors import UsageError
from hengfa.base.hooks import load, offered, wings
from hengfa.cli.main import cli
from hengfa.evals.suites.registry import use_file
from tests.law.library.citing_laws import COAST, write_laws

WINGS = ("base", "law", "evals", "world", "train")
ABOVE = {name: WINGS[place + 1 :] for place, name in enumerate(WINGS)}
MOST_NAMES = 15


@pytest.mark.parametrize("wing", WINGS[1:])
def test_public_names_of_a_wing_are_few_and_there(wing: str) -> None:
    module = import_module(f"hengfa.{wing}")
    assert len(module.__all__) <= MOST_NAMES
    assert {*module.__all__} == {"WING", *module._HOMES}
    assert all(getattr(module, name) is not None for name in module.__all__)
    with pytest.raises(AttributeError):
        _ = module.nothing


@pytest.mark.parametrize("wing", WINGS)
def test_a_wing_has_a_map_that_names_all_its_rooms(wing: str) -> None:
    folder = Path(hengfa.__file__).parent / wing
    told = (folder / "README.md").read_text("utf-8")
    for place in folder.iterdir():
        if any(place.rglob("*.py")):  # a checkout keeps the bytecode of rooms that are gone
            assert f"`{place.name}/`" in told, place


def test_everything_that_is_registered_can_be_loaded() -> None:
    assert [wing.name for wing in wings()] == list(WINGS[1:])
    for command in offered("commands").values():
        assert isinstance(load(command.object), click.Command)
        assert all(isinstance(load(option), click.Option) for option in command.options)
    for new in offered("moved").values():
        assert CliRunner().invoke(cli, [*new.split(), "--help"]).exit_code == 0
    for module in (*offered("suites").values(), *offered("derivations").values()):
        assert load(module)
    assert all(load(module).PAPER for module in offered("papers").values())
    assert all(callable(load(digest)) for digest in offered("digests").values())
    for part in offered("parts").values():
        try:
            assert load(part) is not None
        except ModuleNotFoundError as missing:
            assert missing.name == "ray"  # an extra


class Point:
    """An entry point of somebody else's package."""

    value = "moon.hengfa:WING"

    def __init__(self, wing: object) -> None:
        self._wing = wing

    def load(self) -> object:
        if isinstance(self._wing, Exception):
            raise self._wing
        return self._wing


@pytest.mark.parametrize(
    ("wing", "said"),
    [
        (ImportError("no module"), "fails with ImportError: no module"),
        ("not one", r"is no hengfa\.base\.hooks\.Wing"),
    ],
)
def test_a_wing_that_cannot_be_taken_in_is_named(
    wing: object, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "entry_points", lambda **_: [Point(wing)])
    with pytest.raises(UsageError, match=rf"moon\.hengfa:WING of hengfa\.wings {said}"):
        wings.__wrapped__()


def test_a_command_that_moved_works_and_says_where_it_went() -> None:
    done = CliRunner().invoke(cli, ["published", "check", "claw", "--json"])
    assert done.exit_code == 0
    assert done.stderr == "`hengfa published check` is now `hengfa paper check`\n"
    now = CliRunner().invoke(cli, ["paper", "check", "claw", "--json"])
    assert (now.stdout, now.stderr) == (done.stdout, "")


def test_a_wing_of_somebody_else_offers_what_ours_have_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    theirs = hooks.Wing(name="moon", suites={"moon": "moon.suite", "lawbench": "moon.other"})
    ours = wings()
    monkeypatch.setattr(hooks, "wings", lambda: (*ours, theirs))
    assert offered("suites")["moon"] == "moon.suite"
    assert offered("suites")["lawbench"].startswith("hengfa.")


CITED = f"依照《{COAST}》第一条，判决如下。"
CODE = """
import sys
sys.argv += ["--library", "law.sqlite"]
from hengfa.cli.main import main
try:
    main()
except SystemExit:
    pass
print(*sorted({name.split(".")[1] for name in sys.modules if name.startswith("hengfa.")
               and name.count(".") > 1}), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [(("cite", "check", "cited.txt"), "1 citation"), (("law", "search", "灯塔怎么办"), COAST)],
)
def test_checking_and_searching_load_no_other_wing(
    tmp_path: Path, arguments: tuple[str, ...], printed: str
) -> None:
    from hengfa.law.library.building.build import build_library

    build_library([write_laws(tmp_path)], tmp_path / "law.sqlite")
    (tmp_path / "cited.txt").write_text(CITED, "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", CODE, *arguments],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert printed in done.stdout, done.stderr
    assert done.stderr.split()[-3:] == ["base", "cli", "law"]


OLD_SUITE = "from hengfa.suites.kit import choice, suite\n"


def test_a_suite_for_an_earlier_version_is_told_the_new_name(tmp_path: Path) -> None:
    file = tmp_path / "old.py"
    file.write_text(OLD_SUITE, "utf-8")
    with pytest.raises(UsageError, match=r"hengfa\.suites is hengfa\.evals\.suites now"):
        use_file(file)

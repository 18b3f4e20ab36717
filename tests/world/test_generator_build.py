"""From a seed to a file: the same bytes again, nothing half-written, and the command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError, UsageError
from hengfa.law.library.building.build import build_library
from hengfa.law.library.store import default_file
from hengfa.world.commands.world import build_
from hengfa.world.generator.build import Blueprint, BuildReport, build_world
from hengfa.world.generator.law import LawSource, library_law, sample_law
from hengfa.world.tables.schema import CORPUS_OF, TABLE_OF
from hengfa.world.tables.world import World

GOLDEN = "7e6630e05b2ff2ce0fe66151b7e8e120"
"""Seed 7, 1,000 rows, the sample pack's law. A change of any row or text changes it: say so in the
changelog, because worlds that people made before can no longer be made again."""


def made(file: Path, seed: int = 7, scale: int = 1_000) -> BuildReport:
    with sample_law(sample_root()) as law:
        return build_world(file, seed, scale, law)


def test_the_world_of_seed_7_is_the_one_it_always_was(tmp_path: Path) -> None:
    assert made(tmp_path / "world.sqlite").fingerprint == GOLDEN


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    one, other = made(tmp_path / "one.sqlite"), made(tmp_path / "other.sqlite")
    assert Path(one.file).read_bytes() == Path(other.file).read_bytes()
    assert made(tmp_path / "third.sqlite", seed=8).fingerprint != one.fingerprint
    assert made(tmp_path / "fourth.sqlite", scale=1_001).fingerprint != one.fingerprint


def test_neither_hash_seed_nor_locale_matters(tmp_path: Path) -> None:
    program = (
        "import hashlib; from hengfa.world.generator.build import Blueprint;"
        "print(hashlib.sha256(repr([(n, list(r)) for n, r in Blueprint(7, 1000).tables().items()])"
        ".encode()).hexdigest())"
    )
    printed = set()
    for number, locale in (("1", "C"), ("2", "C.UTF-8")):
        environment = {**os.environ, "PYTHONHASHSEED": number, "LC_ALL": locale, "TZ": "Asia/Tokyo"}
        run = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, check=True
        )
        printed.add(run.stdout)
    assert len(printed) == 1


def test_a_stream_of_rows_can_be_asked_for_again() -> None:
    blueprint = Blueprint(7, 1_000)
    for name, rows in blueprint.tables().items():
        assert list(rows) == list(blueprint.tables()[name])


def test_the_file_holds_what_the_build_says(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with sample_law(sample_root()) as law:
        built = build_world(tmp_path / "w.sqlite", 3, 2_000, law, lambda *how: told.append(how))
    assert list(built.tables) == list(TABLE_OF)
    assert set(built.corpora) == set(CORPUS_OF)
    assert sum(built.tables.values()) == 2_000
    assert told[0] == (1_000, 2_000)
    assert told[-1] == (2_000, 2_000)
    with World.open(Path(built.file)) as world:
        for name, rows in {**built.tables, **built.corpora}.items():
            assert world.count(name) == rows
        assert world.source == "generated"
        assert world.fingerprint == built.fingerprint
        judgment = next(world.all_rows("LegalDoc"))
        assert world.rows("LegalDoc", "案号", judgment["案号"]) == [judgment]
        parent = next(world.all_rows("SubCompanyInfo"))["关联上市公司全称"]
        assert world.rows("CompanyInfo", "公司名称", parent)


def test_the_law_of_the_sample_pack_is_that_of_the_last_day(tmp_path: Path) -> None:
    with World.open(Path(made(tmp_path / "w.sqlite").file)) as world:
        articles = list(world.texts("LegalArticle"))
        knowledge = list(world.texts("LegalKnowledge"))
        cases = list(world.texts("LegalCases"))
    assert len(set(articles)) == len(articles)
    named = {article.partition("：")[0] for article in articles}
    # in force since 2021; a version of 2015 had 第七条之一
    assert "月湖渡船法第一条" in named
    assert "月湖渡船法第七条之一" not in named
    # repealed in 2022, and lone provisions from another file
    assert not any(name.startswith("月湖夜市法") for name in named)
    assert "月湖茶馆经营法第二条" in named
    assert all("\n" not in one for one in knowledge)
    assert any(one.startswith("月湖渡船法 总则 （一）第一条的内容。") for one in knowledge)
    assert all("【基本案情】" in one and "【裁判结果】" in one for one in cases)


def test_a_world_can_live_under_the_law_library(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no law library"), library_law():
        pass
    build_library([sample_root() / "claw" / "statutes.jsonl"], default_file())
    with library_law() as law:
        assert law.name.startswith("library ")
        built = build_world(tmp_path / "w.sqlite", 7, 1_000, law)
    assert built.corpora["LegalArticle"] > 30
    assert built.law == law.name


def test_a_broken_build_leaves_nothing_behind(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with sample_law(sample_root()) as law, pytest.raises(KeyboardInterrupt):
        build_world(tmp_path / "w.sqlite", 7, 1_000, law, stop)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_provision_is_named(tmp_path: Path) -> None:
    (tmp_path / "laws").mkdir()
    (tmp_path / "laws" / "provisions.jsonl").write_text('{"law": "月湖法"}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"provisions\.jsonl, row 1.*article"), sample_law(tmp_path):
        pass


def test_the_command_prints_counts_and_the_fingerprint(tmp_path: Path) -> None:
    file = tmp_path / "w.sqlite"
    arguments = ["--seed", "7", "--scale", "1000", "-o", str(file)]
    run = CliRunner().invoke(build_, arguments)
    assert run.exit_code == 0, run.output
    assert "1,000 rows" in run.stdout
    assert f"fingerprint {GOLDEN}" in run.stdout
    assert all(name in run.stdout for name in (*TABLE_OF, *CORPUS_OF))
    again = CliRunner().invoke(build_, arguments)
    assert isinstance(again.exception, UsageError)
    assert "--force" in str(again.exception)
    forced = CliRunner().invoke(build_, [*arguments, "--force", "--json"])
    assert json.loads(forced.stdout)["fingerprint"] == GOLDEN


def test_the_command_names_its_file_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(build_, ["--seed", "5", "--scale", "1000"])
    assert run.exit_code == 0, run.output
    assert (tmp_path / "world-5-1000.sqlite").is_file()


@pytest.mark.parametrize("wrong", [["--scale", "999"], ["--scale", "1000001"], ["--seed", "-1"]])
def test_a_wrong_seed_or_scale_is_a_wrong_call(wrong: list[str]) -> None:
    assert CliRunner().invoke(build_, wrong).exit_code == 2


def test_a_law_source_is_a_value() -> None:
    with sample_law(sample_root()) as law:
        assert isinstance(law, LawSource)
        assert law.name == "sample"
        assert len(law.provisions) == 35

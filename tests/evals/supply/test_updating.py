"""Another commit of a source: what is said to change, what is made anew, and what stays."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.test_cli import Done, hengfa
from tests.evals.supply.conftest import COMING_PAGE, FISH_PAGE, REGULATION_PAGE, source_of
from tests.law.library.fictional import BELL_1990, FERRY_1999, LANTERN, LANTERN_2019, TEA, TEA_2020
from tests.law.library.small_sources import HISTORY, JUST_LAWS, X_STORAGE, put

from hengfa.base.data import catalogue
from hengfa.base.data.catalogue import Entry, Source
from hengfa.base.data.packs import find_pack, read_receipt, status_of, verify
from hengfa.base.data.paths import RECEIPT
from hengfa.base.errors import DataError
from hengfa.evals.supply import pin
from hengfa.law.library import Library, find_law
from hengfa.law.library.building.build import build_library, installed_sources
from hengfa.law.library.building.sources import SourceFolder
from hengfa.law.library.changes import changed_laws
from hengfa.law.library.store import default_file

LATER = "beef" * 10
AMENDED = TEA_2020.replace("播放过响的音乐", "高声喧哗").replace(
    "\n\n## 第一章",
    "\n\n根据2024年3月1日月湖议会第五十次会议《关于修改〈月湖茶馆法〉的决定》修正\n\n## 第一章",
)


@pytest.fixture
def later(copies: Path) -> Path:
    """Copies of which one is of a later commit: a law amended, one repealed, one added."""
    known = copies / source_of(JUST_LAWS).folder
    folder = copies / f"just-laws-{LATER}"
    shutil.copytree(known, folder)
    (folder / FISH_PAGE).unlink()
    shutil.rmtree((folder / COMING_PAGE).parents[1])  # it took effect
    put(folder, {"docs/economic/bell/README.md": BELL_1990})
    put(folder, {"docs/economic/tea/README.md": AMENDED})
    put(folder, {"docs/economic/lantern/README.md": LANTERN_2019})
    assert hengfa("law", "get", "--from", str(copies), cwd=copies).returncode == 0
    return copies


def update(copies: Path, *arguments: str) -> Done:
    return hengfa("data", "update", "statutes", "--from", ".", *arguments, cwd=copies)


CHANGES = f"""added: 1
  {LANTERN}
amended: 1
  {TEA} (2024-03-01)
repealed: 1
  月湖渔业法
versions lost: 0
reworded: 0
"""


def everything(home: Path) -> dict[str, str]:
    """Every file of a home that is not a lock, and its sum."""
    return {
        file.relative_to(home).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in home.rglob("*")
        if file.is_file() and file.suffix != ".lock"
    }


def test_what_changes_is_said_law_by_law_and_all_is_made_anew(later: Path) -> None:
    done = update(later)
    assert (done.returncode, done.stdout[: len(CHANGES)]) == (0, CHANGES), done.stderr
    assert f"updated to ImCa0/just-laws@{LATER}, NOT verified" in done.stdout
    assert f"law library: built anew, in {default_file()}" in done.stdout
    pack = find_pack("statutes")
    receipt = read_receipt(pack.root)
    assert receipt is not None
    assert (receipt.how, receipt.verified, receipt.derivation) == ("update", False, "1")
    assert f"ImCa0/just-laws@{LATER}" in receipt.sources
    assert JUST_LAWS not in receipt.sources
    assert X_STORAGE in receipt.sources
    assert not verify("statutes").problems
    with Library.open(default_file()) as library:
        versions = {(version.law, str(version.promulgated)) for version in library.versions()}
    assert {(TEA, "2024-03-01"), (TEA, "2020-06-01"), (LANTERN, "2019-12-01")} <= versions
    assert not any(law == "月湖渔业法" for law, _ in versions)
    again = update(later)
    assert again.stdout.startswith(
        "added: 0\namended: 0\nrepealed: 0\nversions lost: 0\nreworded: 0\nnothing changes\n"
    )


def test_the_pinned_pack_can_be_pulled_again(later: Path) -> None:
    before = find_pack("statutes").fingerprint
    assert update(later).returncode == 0
    assert find_pack("statutes").fingerprint != before
    assert hengfa("data", "pull", "statutes", "--from", ".", cwd=later).returncode == 0
    assert (find_pack("statutes").fingerprint, find_pack("statutes").verified) == (before, True)


def test_copies_without_regulations_are_taken_aloud(copies: Path) -> None:
    with_them = hengfa("law", "get", "--from", ".", cwd=copies)
    assert (with_them.returncode, "without regulations" in with_them.stderr) == (0, False)
    with Library.open(default_file()) as library:
        assert library.laws("regulation")
    shutil.rmtree(find_pack("statutes").root)
    (copies / source_of(X_STORAGE).folder / REGULATION_PAGE).unlink()
    without = hengfa("law", "get", "--from", ".", cwd=copies)
    assert (without.returncode, "without regulations" in without.stderr) == (0, True)
    with Library.open(default_file()) as library:
        assert not library.laws("regulation")
    demanded = hengfa("law", "get", "--from", ".", "--with", "regulations", cwd=copies)
    assert demanded.returncode == 1


def test_a_dry_run_changes_nothing(later: Path, own_home: Path) -> None:
    before = everything(own_home)
    done = update(later, "--dry-run")
    assert (done.returncode, done.stdout) == (0, f"{CHANGES}statutes: nothing was changed\n")
    assert everything(own_home) == before


def test_without_a_library_none_is_built(later: Path) -> None:
    default_file().unlink()
    done = update(later)
    assert done.returncode == 0
    assert "law library" not in done.stdout
    assert not default_file().exists()


def test_a_library_of_an_older_format_is_built_anew(later: Path) -> None:
    with closing(sqlite3.connect(default_file())) as connection, connection:
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    assert update(later).returncode == 0
    with Library.open(default_file()) as library:
        assert library.versions()


def test_texts_of_ones_own_stay_in_the_library(later: Path, tmp_path: Path) -> None:
    page = tmp_path / "own" / "月城市电梯条例(2019-03-01).md"
    put(tmp_path / "own", {page.name: "# 月城市电梯条例\n\n第一条　电梯应当检查。\n"})
    build_library([*installed_sources(), SourceFolder(page.parent, own=True)], default_file())
    assert update(later).returncode == 0
    with Library.open(default_file()) as library:
        assert find_law(library, "月城市电梯条例")


def damage_a_page(copies: Path) -> None:
    page = copies / f"just-laws-{LATER}" / "docs/economic/tea/README.md"
    page.write_bytes(b"# \xff")


def take_away_the_laws(copies: Path) -> None:
    shutil.rmtree(copies / f"just-laws-{LATER}" / "docs")


def change_another_source(copies: Path) -> None:
    put(copies / source_of(X_STORAGE).folder, {"经济法/茶馆法(2020-06-01).md": FERRY_1999})


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (damage_a_page, "not UTF-8"),
        (take_away_the_laws, "docs/constitution/*.md"),
        (change_another_source, "has no 经济法/茶馆法(2020-06-01).md"),
    ],
)
def test_the_old_stays_when_the_new_cannot_be_derived(
    later: Path, own_home: Path, damage: Callable[[Path], None], said: str
) -> None:
    before = everything(own_home)
    damage(later)
    done = update(later)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert everything(own_home).items() >= before.items()
    assert find_pack("statutes").verified


def test_the_old_stays_when_no_library_can_be_built(
    later: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise DataError("no text could be read as a law", file="law")

    before = everything(own_home)
    monkeypatch.setattr("hengfa.evals.supply.updating.build_library", fail)
    done = update(later)
    assert done.returncode == 1
    assert "no text could be read as a law" in done.stderr
    assert everything(own_home).items() >= before.items()


def test_the_old_library_stays_when_the_new_pack_cannot_be_installed(
    later: Path, own_home: Path
) -> None:
    put(find_pack("statutes").root, {"notes.txt": "somebody's own"})
    before = everything(own_home)
    done = update(later)
    assert done.returncode == 1
    assert "notes.txt" in done.stderr
    assert everything(own_home).items() >= before.items()
    assert [file.name for file in own_home.iterdir() if file.name.startswith("law")] == [
        "law.sqlite"
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--commit", "ImCa0/just-laws@5c000d2"], "'5c000d2' is not the full SHA of a commit"),
        (["--commit", f"ImCa0/just-laws@{LATER.upper()}"], "is not the full SHA of a commit"),
        (["--commit", f"nobody/else@{LATER}"], "name one of the sources, such as OWNER/REPOSITORY"),
        (["--commit", LATER], "ImCa0/just-laws, X-STORAGE/Laws, LawRefBook/Laws"),
        (["--commit", JUST_LAWS], "is a pinned commit: `hengfa data pull statutes` takes it"),
        (["--commit", HISTORY[0]], "is a pinned commit"),
    ],
)
def test_a_wrong_commit_is_a_wrong_call(later: Path, arguments: list[str], said: str) -> None:
    done = update(later, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""


def test_a_commit_is_taken_by_its_name(later: Path) -> None:
    shutil.copytree(later / f"just-laws-{LATER}", later / f"just-laws-{'cafe' * 10}")
    several = update(later)
    assert several.returncode == 2
    assert f"several copies are here (ImCa0/just-laws@{LATER}, ImCa0/" in several.stderr
    assert update(later, "--commit", f"ImCa0/just-laws@{LATER}").returncode == 0


def test_there_must_be_a_copy_of_the_commit(later: Path) -> None:
    absent = update(later, "--commit", f"ImCa0/just-laws@{'cafe' * 10}")
    assert absent.returncode == 1
    assert f"there is no copy just-laws-{'cafe' * 10} here" in absent.stderr
    shutil.rmtree(later / f"just-laws-{LATER}")
    none = update(later)
    assert none.returncode == 2
    assert "no copy of another commit is here" in none.stderr
    nowhere = hengfa("data", "update", "statutes", cwd=later)
    assert nowhere.returncode == 2
    assert "name a commit with --commit, or a folder with copies with --from" in nowhere.stderr


def test_what_is_not_installed_cannot_be_updated(copies: Path) -> None:
    done = update(copies, "--commit", f"ImCa0/just-laws@{LATER}")
    assert done.returncode == 1
    assert "hengfa data pull statutes" in done.stderr


def test_a_pack_of_plain_files_is_updated_file_by_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the repository need not be named: there is one."""
    source = Source(
        repository="nobody/tiny", commit="0123456789" * 4, licence="MIT", patterns=("*.json",)
    )
    entry = Entry(
        name="tiny", title="Tiny", licence="MIT", homepage="https://e.org", sources=(source,)
    )
    put(tmp_path / source.folder, {"same.json": "[]", "old.json": "[1]", "changing.json": "[2]"})
    put(tmp_path / f"tiny-{LATER}", {"same.json": "[]", "new.json": "[1]", "changing.json": "[3]"})
    put(tmp_path / f"tiny-{LATER}", {"other.txt": "not of the pack"})
    monkeypatch.setattr(catalogue, "PINNED", tmp_path / "pinned")
    put(tmp_path / "pinned", {"tiny.json": pin.render(entry)})
    assert pin.main(["tiny", str(tmp_path)]) == 0
    assert hengfa("data", "pull", "tiny", "--from", ".", cwd=tmp_path).returncode == 0
    done = hengfa("data", "update", "tiny", "--from", ".", "--commit", LATER, cwd=tmp_path)
    assert done.stdout.startswith(
        "added: 1\n  new.json\nchanged: 1\n  changing.json\nremoved: 1\n  old.json\ntiny: updated"
    ), done.stderr
    pack = find_pack("tiny")
    assert (pack.commit, pack.verified) == (LATER, False)
    files = sorted(file.name for file in pack.root.iterdir() if file.name != RECEIPT)
    assert files == ["changing.json", "new.json", "same.json"]
    assert status_of(catalogue.load_entry("tiny")).state == "unverified"
    put(tmp_path / f"tiny-{'cafe' * 10}", {"other.txt": "not of the pack"})
    empty = hengfa("data", "update", "tiny", "--from", ".", "--commit", "cafe" * 10, cwd=tmp_path)
    assert empty.returncode == 1
    assert "nothing matches the pattern '*.json'" in empty.stderr


def test_an_update_keeps_the_parts_that_are_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source(
        repository="nobody/tiny",
        commit="0123456789" * 4,
        licence="MIT",
        patterns=("*.json",),
        parts={"large": ("large/*.jsonl",), "other": ("other/*",)},
    )
    history = Source(
        repository="nobody/tiny",
        commit="9876543210" * 4,
        licence="MIT",
        patterns=(),
        parts={"large": ("old/*.jsonl",)},
    )
    entry = Entry(
        name="tiny",
        title="Tiny",
        licence="MIT",
        homepage="https://example.org",
        sources=(source, history),
    )
    files = {"a.json": "[]", "large/b.jsonl": "{}\n", "other/c": "not asked for"}
    put(tmp_path / source.folder, files)
    put(tmp_path / history.folder, {"old/d.jsonl": "{}\n"})
    put(tmp_path / f"tiny-{LATER}", files | {"a.json": "[1]"})
    monkeypatch.setattr(catalogue, "PINNED", tmp_path / "pinned")
    put(tmp_path / "pinned", {"tiny.json": pin.render(entry)})
    assert pin.main(["tiny", str(tmp_path)]) == 0
    pulled = hengfa("data", "pull", "tiny", "--with", "large", "--from", ".", cwd=tmp_path)
    assert pulled.returncode == 0, pulled.stderr
    done = hengfa("data", "update", "tiny", "--from", ".", cwd=tmp_path)
    assert done.stdout.startswith("added: 0\nchanged: 1\n  a.json\nremoved: 0\n"), done.stderr
    receipt = read_receipt(find_pack("tiny").root)
    assert receipt is not None
    assert receipt.parts == ("large",)
    assert [file.path for file in receipt.files] == ["a.json", "large/b.jsonl", "old/d.jsonl"]


# --- what two collections differ in ---


def collection(folder: Path, *rows: tuple[str | None, ...]) -> Path:
    fields = ("law", "version", "valid_to_db", "text", "role")
    lines = (json.dumps(dict(zip(fields, row, strict=False))) + "\n" for row in rows)
    put(folder, {"statutes.jsonl": "".join(lines)})
    return folder


def test_laws_are_compared_by_their_versions(tmp_path: Path) -> None:
    old = collection(
        tmp_path / "old",
        ("A", "2001-01-01", None),
        ("B", "2001-01-01", None),
        ("C", "2001-01-01", None),
        ("D", "2001-01-01", "2010-01-01"),
        ("D", "1990-01-01", None),
        ("F", "2001-01-01", None, "old", "primary"),
        ("G", "2001-01-01", None, "same", "primary"),
        ("G", "2001-01-01", None, "old", "alternate"),
    )
    new = collection(
        tmp_path / "new",
        ("D", "2001-01-01", "2010-01-01"),
        ("E", "2001-01-01", None),
        ("C", "2020-01-01", "2024-01-01"),
        ("C", "2001-01-01", "2020-01-01"),
        ("A", "2001-01-01", "2020-01-01"),
        ("A", "2020-01-01", None),
        ("F", "2001-01-01", None, "new", "primary"),
        ("G", "2001-01-01", None, "new", "alternate"),
        ("G", "2001-01-01", None, "same", "primary"),
    )
    assert changed_laws(old, new) == {
        "added": ["E"],
        "amended": ["A (2020-01-01)", "C (2020-01-01)"],
        "repealed": ["B", "C (2024-01-01)"],
        "versions lost": ["D (1990-01-01)"],
        "reworded": ["F (2001-01-01)"],
    }
    assert not any(changed_laws(new, new).values())


def test_a_collection_without_statutes_is_named(tmp_path: Path) -> None:
    new = collection(tmp_path / "new", ("A", "2001-01-01", None))
    with pytest.raises(DataError, match=r"neither statutes\.jsonl nor statutes\.jsonl\.gz"):
        changed_laws(tmp_path, new)

"""Installing from a folder, what an installed pack says of itself, and checking it again."""

from __future__ import annotations

import errno
import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from filelock import FileLock
from tests.packs import COMMIT, entry_of, pin_of, source_of, write_files

from hengfa.base.data import catalogue
from hengfa.base.data.catalogue import Entry, load_entry
from hengfa.base.data.install import add
from hengfa.base.data.packs import find_pack, folder_pack, open_pack, pack_root, status_of, verify
from hengfa.base.data.paths import packs_folder
from hengfa.base.data.pull import Where, pull
from hengfa.base.data.sums import fingerprint
from hengfa.base.errors import ChecksumError, DataError, UsageError
from hengfa.evals.supply.pin import render

CONTENTS = {"LICENSE": b"free", "data/一.json": b"[1]", "data/二.json": b"[2]"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An upstream folder with the three files of the pack and one that is none of its business."""
    return write_files(tmp_path / "upstream", CONTENTS | {"notes.md": b"no part of the pack"})


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Entry:
    """A catalogue of its own with one pack that pins the folder."""
    entry = entry_of(source_of(CONTENTS), optional=("LICENSE",))
    pinned = tmp_path / "pinned"
    pinned.mkdir()
    (pinned / "tiny.json").write_text(render(entry), encoding="utf-8")
    monkeypatch.setattr(catalogue, "PINNED", pinned)
    return load_entry("tiny")


def nothing_left() -> bool:
    """No pack and nothing half-written; the empty lock file stays."""
    return [path.name for path in packs_folder().glob("*")] in ([], [".tiny.lock"])


def edit_receipt(**changes: object) -> None:
    file = pack_root("tiny") / "receipt.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | changes), encoding="utf-8")


def test_an_unchanged_folder_becomes_a_verified_pack(tiny: Entry, folder: Path) -> None:
    told: dict[str, int] = {}
    pack = add(tiny, folder, watch=told.__setitem__)
    assert pack == find_pack("tiny")
    assert (pack.verified, pack.commit, pack.fingerprint) == (True, COMMIT, fingerprint(tiny.pins))
    files = {
        file.relative_to(pack.root).as_posix() for file in pack.root.rglob("*") if file.is_file()
    }
    assert files == {*CONTENTS, "receipt.json"}
    assert pack.file("data/一.json").read_text("utf-8") == "[1]"
    assert told == {file.path: file.size for file in tiny.pins}
    receipt = json.loads((pack.root / "receipt.json").read_text("utf-8"))
    assert (receipt["how"], receipt["source"], receipt["licence"]) == ("add", str(folder), "MIT")


def test_a_changed_file_is_refused_with_both_sums_and_what_to_do(tiny: Entry, folder: Path) -> None:
    (folder / "data/一.json").write_text("[9]", encoding="utf-8")
    with pytest.raises(ChecksumError) as error:
        add(tiny, folder)
    for text in (
        str(folder / "data/一.json"),
        hashlib.sha256(b"[9]").hexdigest(),
        hashlib.sha256(b"[1]").hexdigest(),
        "--allow-changed",
        "hengfa data pull tiny",
    ):
        assert text in str(error.value)
    assert nothing_left()


def test_a_changed_file_can_be_accepted_and_the_pack_says_so(tiny: Entry, folder: Path) -> None:
    (folder / "data/一.json").write_text("[9, 9]", encoding="utf-8")
    pack = add(tiny, folder, allow_changed=True)
    assert not pack.verified
    assert pack.fingerprint != fingerprint(tiny.pins)
    assert find_pack("tiny") == pack
    assert status_of(tiny).state == "unverified"
    found = verify("tiny")
    assert (found.problems, found.deviations, found.verified) == ([], ["data/一.json"], False)


def test_a_missing_file_is_named(tiny: Entry, folder: Path) -> None:
    (folder / "data/二.json").unlink()
    for allow_changed in (False, True):
        with pytest.raises(DataError, match=r"二\.json: missing: .* nobody/tiny at commit 0123"):
            add(tiny, folder, allow_changed=allow_changed)
        assert nothing_left()


def test_the_first_of_several_missing_files_is_named(tiny: Entry, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(DataError, match=r"LICENSE: missing \(and 2 more files\)"):
        add(tiny, empty)


def test_an_optional_file_may_be_missing_when_changes_are_allowed(
    tiny: Entry, folder: Path
) -> None:
    (folder / "LICENSE").unlink()
    with pytest.raises(DataError, match="LICENSE: missing"):
        add(tiny, folder)
    pack = add(tiny, folder, allow_changed=True)
    assert not pack.verified
    assert verify("tiny").deviations == ["LICENSE"]
    with pytest.raises(DataError, match=r"LICENSE: not in the pack 'tiny': run `hengfa data pull"):
        pack.file("LICENSE")


def test_a_part_that_the_folder_has_is_added_and_stays(folder: Path, tmp_path: Path) -> None:
    source = source_of({path: CONTENTS[path] for path in ("LICENSE", "data/一.json")})
    extra = pin_of("data/二.json", CONTENTS["data/二.json"], part="more")
    source = msgspec.structs.replace(
        source, files=(*source.files, extra), parts={"more": ("data/二.json",)}
    )
    entry = entry_of(source)
    large = add(entry, folder)
    assert (large.root / "data/二.json").is_file()
    (large.root / "LICENSE").unlink()
    copies = tmp_path / "copies"
    copies.mkdir()
    (copies / source.folder).symlink_to(folder)
    assert pull(entry, where=Where(folder=copies)).fetched == 1
    assert (large.root / "data/二.json").is_file()
    (folder / "data/二.json").unlink()
    small = add(entry, folder)
    assert (small.verified, small.fingerprint) == (True, large.fingerprint)
    assert not (small.root / "data/二.json").exists()


def test_a_failed_add_leaves_the_installed_pack_alone(tiny: Entry, folder: Path) -> None:
    pack = add(tiny, folder)
    (folder / "data/二.json").write_text("[9]", encoding="utf-8")
    with pytest.raises(ChecksumError):
        add(tiny, folder)
    assert find_pack("tiny") == pack
    assert verify("tiny").verified


def test_the_old_pack_comes_back_when_the_new_one_cannot_take_its_place(
    tiny: Entry, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = add(tiny, folder)
    rename = Path.rename

    def refuse(source: Path, target: Path) -> Path:
        if source.name == ".tiny.add":
            raise PermissionError(errno.EACCES, "Permission denied", str(source))
        return rename(source, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(DataError, match="Permission denied"):
        add(tiny, folder)
    assert find_pack("tiny") == pack


def test_adding_again_replaces_the_pack(tiny: Entry, folder: Path) -> None:
    (folder / "data/二.json").write_text("[9]", encoding="utf-8")
    changed = add(tiny, folder, allow_changed=True)
    (folder / "data/二.json").write_text("[2]", encoding="utf-8")
    (changed.root / "notes.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(DataError, match=r"notes\.txt: is no file of the pack"):
        add(tiny, folder)
    assert (changed.root / "notes.txt").read_text("utf-8") == "years of work"
    (changed.root / "notes.txt").unlink()
    assert add(tiny, folder).verified
    assert add(tiny, pack_root("tiny")).verified, "a pack can be added from its own place"


def test_links_are_read_and_their_contents_copied(
    tiny: Entry, folder: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.json"
    (folder / "data/一.json").rename(outside)
    (folder / "data/一.json").symlink_to(outside)
    pack = add(tiny, folder)
    assert not pack.file("data/一.json").is_symlink()
    outside.write_text("[9]", encoding="utf-8")
    assert verify("tiny").verified


def test_a_linked_pack_is_replaced_and_what_it_pointed_to_is_not(
    tiny: Entry, folder: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    add(tiny, folder).root.rename(elsewhere)
    pack_root("tiny").symlink_to(elsewhere)
    assert find_pack("tiny").verified
    add(tiny, folder)
    assert not pack_root("tiny").is_symlink()
    assert (elsewhere / "data/一.json").exists()


def test_what_is_no_folder_is_a_wrong_call(tiny: Entry, folder: Path) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        add(tiny, folder / "LICENSE")


def test_a_home_that_is_a_file_is_a_clear_error(
    tiny: Entry, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HENGFA_HOME", str(folder / "LICENSE"))
    with pytest.raises(DataError, match=r"LICENSE.*: Not a directory"):
        add(tiny, folder)
    assert status_of(tiny).state == "absent"


def test_two_processes_do_not_install_the_same_pack(tiny: Entry, folder: Path) -> None:
    packs_folder().mkdir(parents=True)
    taken = pytest.raises(DataError, match="another process is installing 'tiny'")
    with FileLock(packs_folder() / ".tiny.lock"), taken:
        add(tiny, folder)
    assert add(tiny, folder).verified


def test_a_pack_that_is_not_there_says_how_to_get_it(tiny: Entry) -> None:
    with pytest.raises(DataError, match="`hengfa data pull tiny`, or `hengfa data add tiny DIR`"):
        find_pack("tiny")
    with pytest.raises(DataError, match="not installed"):
        verify("tiny")


def test_files_without_a_receipt_are_no_pack(tiny: Entry, folder: Path) -> None:
    (add(tiny, folder).root / "receipt.json").unlink()
    assert status_of(tiny).state == "absent"
    with pytest.raises(DataError, match="not installed"):
        find_pack("tiny")


def test_verify_finds_a_flipped_byte_and_a_missing_file(tiny: Entry, folder: Path) -> None:
    root = add(tiny, folder).root
    (root / "data/一.json").write_text("[0]", encoding="utf-8")
    assert find_pack("tiny").verified, "sizes alone do not tell"
    (problem,) = verify("tiny").problems
    assert (problem.path, problem.kind) == ("data/一.json", "changed")
    assert hashlib.sha256(b"[0]").hexdigest() in problem.detail
    (root / "data/二.json").unlink()
    found = verify("tiny")
    assert [(one.path, one.kind) for one in found.problems] == [
        ("data/一.json", "changed"),
        ("data/二.json", "missing"),
    ]
    assert not found.verified


@pytest.mark.parametrize("damage", ["gone", "short"])
def test_a_pack_with_a_missing_or_shortened_file_cannot_be_used(
    tiny: Entry, folder: Path, damage: str
) -> None:
    file = add(tiny, folder).root / "data/一.json"
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(b"[")
    assert status_of(tiny).state == "incomplete"
    with pytest.raises(DataError, match=r"一\.json: .*hengfa data pull tiny"):
        find_pack("tiny")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "other"}, "field 'name'"),
        ({"commit": "x"}, "field 'commit'"),
        ({"verified": "yes"}, "field 'verified'"),
        ({"how": "magic"}, "field 'how'"),
        ({"files": [{"path": "../../x", "size": 1, "sha256": "0" * 64}]}, r"field 'files\[0\]'"),
        ({"files": 7}, "field 'files'"),
    ],
)
def test_a_bad_receipt_is_named_with_its_field(
    tiny: Entry, folder: Path, changes: dict[str, Any], words: str
) -> None:
    add(tiny, folder)
    edit_receipt(**changes)
    assert status_of(tiny).state == "broken"
    with pytest.raises(DataError, match=rf"receipt\.json: .*hengfa data pull tiny.*{words}"):
        find_pack("tiny")
    (problem,) = verify("tiny").problems
    assert problem.kind == "receipt"
    assert add(tiny, folder).verified, "installing again repairs it"


def test_a_receipt_of_another_commit_is_outdated(tiny: Entry, folder: Path) -> None:
    add(tiny, folder)
    edit_receipt(commit="f" * 40)
    assert status_of(tiny).state == "outdated"
    with pytest.raises(DataError, match="needs 012345678901"):
        find_pack("tiny")
    assert verify("tiny").problems[0].kind == "receipt"


def test_a_receipt_that_claims_to_be_verified_and_is_not_is_refused(
    tiny: Entry, folder: Path
) -> None:
    (folder / "data/一.json").write_text("[9]", encoding="utf-8")
    add(tiny, folder, allow_changed=True)
    edit_receipt(verified=True)
    with pytest.raises(DataError, match=r"field 'verified': .*data/一\.json"):
        find_pack("tiny")


def test_a_field_of_a_later_version_in_a_receipt_is_ignored(tiny: Entry, folder: Path) -> None:
    pack = add(tiny, folder)
    edit_receipt(mood="good")
    assert open_pack(tiny) == pack


def test_any_folder_in_upstream_layout_can_be_looked_at_as_a_pack(tmp_path: Path) -> None:
    file = tmp_path / "data" / "zero_shot" / "1-1.json"
    file.parent.mkdir(parents=True)
    file.write_text("[1]", encoding="utf-8")
    pack = folder_pack("lawbench", tmp_path)
    assert (pack.name, pack.root, pack.verified) == ("lawbench", tmp_path, False)
    for stranger in (".DS_Store", "notes: x.txt", "runs/a/journal.jsonl"):
        (tmp_path / stranger).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / stranger).write_text("", encoding="utf-8")
    assert folder_pack("lawbench", tmp_path) == pack
    file.write_text("[9]", encoding="utf-8")
    assert folder_pack("lawbench", tmp_path).fingerprint != pack.fingerprint
    with pytest.raises(DataError, match="no file of the pack"):
        folder_pack("lawbench", tmp_path / "nowhere")


@pytest.mark.shared
def test_lawbench_is_added_from_the_real_folder(shared: Path) -> None:
    entry = load_entry("lawbench")
    pack = add(entry, shared / "data" / "LawBench")
    assert pack.verified
    assert find_pack("lawbench") == pack
    assert verify("lawbench").problems == []
    assert not (pack.root / "predictions").exists()

"""The catalogue, the paths in it, and what a bad JSON file is answered with."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hengfa.base.data import catalogue
from hengfa.base.data.catalogue import Entry, load_entry, pack_names, read_entry
from hengfa.base.data.download import is_loopback_http, redirected
from hengfa.base.data.paths import disk_errors, home, inside, packs_folder, path_problem
from hengfa.base.data.repositories import is_of
from hengfa.base.data.sums import FileSum, Pin, fingerprint, measure
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.supply import pin

FILE: dict[str, Any] = {"path": "a.txt", "size": 1, "sha256": "a" * 64}
SOURCE: dict[str, Any] = {
    "repository": "nobody/tiny",
    "commit": "0" * 40,
    "licence": "MIT",
    "patterns": ["*.txt"],
    "files": [FILE],
}
GOOD: dict[str, Any] = {
    "name": "tiny",
    "title": "A tiny pack",
    "licence": "MIT",
    "homepage": "https://example.org",
    "sources": [SOURCE],
}


def with_source(**changes: object) -> dict[str, object]:
    """The change to a pack that has this change in its one source."""
    return {"sources": [SOURCE | changes]}


BAD_PATHS = [
    "",
    "/etc/passwd",
    "../x",
    "a/../../x",
    "a//b",
    "./a",
    "a/",
    "C:/x",
    "a\\..\\x",
    "a\nb",
    "a\0b",
    "receipt.json",
    "Receipt.JSON",
    "a.part",
]


def write(folder: Path, content: object, name: str = "tiny") -> Path:
    file = folder / f"{name}.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return file


@pytest.mark.parametrize("name", pack_names())
def test_every_entry_of_the_catalogue_can_be_read(name: str) -> None:
    entry = load_entry(name)
    assert entry.size > 0
    for source in entry.sources:
        paths = [file.path for file in source.files]
        assert paths == sorted(paths)
        named = {"": source.patterns, **source.parts}
        assert all(is_of(file.path, named[file.part]) for file in source.files)
    assert (catalogue.PINNED / f"{name}.json").read_text("utf-8") == pin.render(entry)


def test_lawbench_has_both_settings_of_twenty_tasks_and_the_tables_of_2_1() -> None:
    entry = load_entry("lawbench")
    paths = {file.path for file in entry.pins}
    for setting in ("zero_shot", "one_shot"):
        assert len([path for path in paths if path.startswith(f"data/{setting}/")]) == 20
    assert {f"evaluation/utils/data/{name}.txt" for name in ("cilin", "confusion_dict")} < paths
    assert len(paths) == 43
    (source,) = entry.sources
    assert source.url_of("data/zero_shot/1-1.json") == (
        "https://raw.githubusercontent.com/open-compass/LawBench/"
        "e30981bb3ff54c41571f222e0b23e92d27375388/data/zero_shot/1-1.json"
    )


@pytest.mark.shared
def test_pinning_the_real_folder_again_changes_nothing(shared: Path, tmp_path: Path) -> None:
    entry = load_entry("lawbench")
    copies, scratch = tmp_path / "copies", tmp_path / "scratch"
    copies.mkdir()
    scratch.mkdir()
    (copies / entry.sources[0].folder).symlink_to(shared / "data" / "LawBench")
    assert pin.pin(entry, copies, scratch) == entry


def test_an_unknown_pack_is_a_wrong_call_with_a_suggestion() -> None:
    with pytest.raises(UsageError, match="did you mean 'lawbench'"):
        load_entry("lawbnech")
    with pytest.raises(UsageError, match=r"known are: .*lawbench"):
        load_entry("../../etc/passwd")


def test_a_good_file_is_read(tmp_path: Path) -> None:
    (source,) = read_entry(write(tmp_path, GOOD)).sources
    assert source.key == "nobody/tiny@" + "0" * 40
    assert source.folder == "tiny-" + "0" * 40
    assert source.url_of("a b/#1%.txt").endswith("/nobody/tiny/" + "0" * 40 + "/a%20b/%231%25.txt")
    assert source.archive_url == "https://codeload.github.com/nobody/tiny/tar.gz/" + "0" * 40
    assert source.url_of("民法.md", "https://m.example/x") == (
        "https://m.example/x/%E6%B0%91%E6%B3%95.md"
    )


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": "other"}, "name"),
        ({"name": "../tiny"}, "name"),
        (with_source(commit="main"), "sources[0].commit"),
        (with_source(commit="0" * 40 + "\n"), "sources[0].commit"),
        (with_source(repository="../x"), "sources[0].repository"),
        (with_source(repository=1), "sources[0].repository"),
        (with_source(url="https://example.org"), "sources[0].url"),
        (with_source(parts={"more": "b.txt"}), "sources[0].parts[...]"),
        ({"surprise": 1}, "surprise"),
        ({"optional": ["b.txt"]}, "optional"),
        ({"sources": []}, "sources"),
        ({"files": [FILE]}, "files"),
        ({"derived": True}, "files"),
        ({"sources": [SOURCE, SOURCE]}, "files[1].path"),
        ({"derived": True, "files": [{**FILE, "size": -1}]}, "files[0].size"),
        ({"derived": True, "files": [FILE, FILE]}, "files[1].path"),
        ({"variants": [[{**FILE, "path": "../x"}]]}, "variants[0][0]"),
        (with_source(files=[]), "sources[0].files"),
        (with_source(files=[FILE, FILE]), "sources[0].files[1].path"),
        (with_source(files=[FILE, {**FILE, "path": "A.TXT"}]), "sources[0].files[1].path"),
        (with_source(files=[{**FILE, "size": -1}]), "sources[0].files[0].size"),
        (with_source(files=[{**FILE, "size": "1"}]), "sources[0].files[0].size"),
        (with_source(files=[{**FILE, "sha256": "A" * 64}]), "sources[0].files[0].sha256"),
        (with_source(files=[{"path": "a.txt", "blob": "a" * 64}]), "sources[0].files[0].blob"),
        (with_source(files=[FILE, {"path": "b.txt", "size": 1}]), "sources[0].files[1]"),
        (with_source(files=[{**FILE, "path": "../../x"}]), "sources[0].files[0]"),
    ],
)
def test_a_bad_catalogue_file_is_named_with_its_field(
    tmp_path: Path, change: dict[str, object], field: str
) -> None:
    file = write(tmp_path, GOOD | change)
    with pytest.raises(DataError) as error:
        read_entry(file)
    assert str(error.value).startswith(f"{file}, field '{field}': ")


def test_a_missing_field_is_named(tmp_path: Path) -> None:
    source = {key: value for key, value in SOURCE.items() if key != "commit"}
    file = write(tmp_path, GOOD | {"sources": [source]})
    with pytest.raises(DataError, match=r"field 'sources\[0\].commit'"):
        read_entry(file)


@pytest.mark.parametrize(
    "text", ["", "{", "\xff", "[]", "null", "[" * 100_000, '{"name": "\\ud800"}']
)
def test_what_is_no_json_object_is_an_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tiny.json"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(DataError, match=r"tiny\.json"):
        read_entry(file)


@pytest.mark.parametrize("path", BAD_PATHS)
def test_a_path_that_leaves_the_pack_is_refused_wherever_it_comes_from(
    tmp_path: Path, path: str
) -> None:
    assert path_problem(path)
    with pytest.raises(DataError, match="not a path inside a pack"):
        inside(tmp_path, path)
    with pytest.raises(DataError, match=r"field 'sources\[0\].files\[0\]'"):
        read_entry(write(tmp_path, GOOD | with_source(files=[{**FILE, "path": path}])))
    with pytest.raises(ValueError, match="path"):
        FileSum(path, 1, "a" * 64)
    with pytest.raises(ValueError, match="path"):
        Pin(path, sha256="a" * 64)


@pytest.mark.parametrize("path", ["a", "a/b.json", "民法典/第 1 编.md", "a..b", ".hidden", "a%2e"])
def test_ordinary_paths_are_kept(tmp_path: Path, path: str) -> None:
    assert path_problem(path) is None
    assert inside(tmp_path, path) == tmp_path / path


def test_a_fingerprint_depends_on_names_and_sums_and_not_on_order() -> None:
    one, two = FileSum("a", 1, "1" * 64), FileSum("b", 1, "2" * 64)
    swapped = [FileSum("a", 1, "2" * 64), FileSum("b", 1, "1" * 64)]
    assert fingerprint([one, two]) == fingerprint([two, one])
    assert len({fingerprint(files) for files in ([one, two], [one], [two], swapped)}) == 4


def test_the_fingerprint_is_that_of_the_list_sha256sum_prints() -> None:
    # printf '%s  a\n' 1111… | sha256sum
    assert fingerprint([FileSum("a", 1, "1" * 64)]) == "b20b2450888a"


@pytest.mark.parametrize(
    ("first", "location", "goes_to"),
    [
        ("https://a.example/x", "https://b.example/y", None),
        ("https://a.example/x", "https://a.example:8443/y", None),
        ("https://a.example/x", "https://a.example.b.example/y", None),
        ("https://a.example/x", "//b.example/y", None),
        ("https://a.example/x", "https://a.example/y", "https://a.example/y"),
        ("https://a.example/x", "/y", "https://a.example/y"),
        ("https://a.example/x", "http://a.example/x", None),
        ("https://a.example/x", "http://127.0.0.1/x", None),
        ("https://a.example/x", "file:///x", None),
        ("http://localhost/x", "http://127.0.0.1:8/y", None),
        ("http://localhost:8/x", "http://localhost:8/y", "http://localhost:8/y"),
        ("http://[::1]/x", "https://a.example/y", None),
        ("http://localhost/x", "http://localhost.example/y", None),
    ],
)
def test_a_redirect_stays_with_its_host_and_does_not_become_weaker(
    first: str, location: str, goes_to: str | None
) -> None:
    assert redirected(first, first, location) == goes_to


def test_only_plain_http_to_this_machine_is_loopback() -> None:
    assert is_loopback_http("http://127.9.9.9:80/")
    assert not is_loopback_http("https://127.0.0.1/")
    assert not is_loopback_http("http://10.0.0.1/")


def test_a_full_disk_says_what_to_do(tmp_path: Path) -> None:
    words = "no space left on this disk: free some, or set HENGFA_HOME"
    with pytest.raises(DataError, match=words), disk_errors(packs_folder()):
        raise OSError(errno.ENOSPC, "No space left on device")
    words = r"a\.csv: no space left on this disk: free some$"
    with pytest.raises(DataError, match=words), disk_errors(tmp_path / "a.csv"):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_the_home_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for value, expected in [
        ("", tmp_path / ".hengfa"),
        ("~/elsewhere", tmp_path / "elsewhere"),
        (str(tmp_path / "x"), tmp_path / "x"),
    ]:
        monkeypatch.setenv("HENGFA_HOME", value)
        assert home() == expected
    monkeypatch.delenv("HENGFA_HOME")
    assert packs_folder() == tmp_path / ".hengfa" / "packs"


def test_a_pinned_file_is_told_by_what_is_known_of_it(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"what is up, doc?")
    file = measure(tmp_path / "a", "a")
    assert file.blob == "bd9dbf5aae1a3862dd1526723246b20206e5fc37", "as git's own book has it"
    for good in (
        Pin("a", blob=file.blob),
        Pin("a", sha256=file.sha256),
        Pin("a", size=16, sha256=file.sha256, blob="0" * 40),
    ):
        assert good.fits(file)
    for other in (
        Pin("b", blob=file.blob),
        Pin("a", size=15, blob=file.blob),
        Pin("a", blob="0" * 40),
        Pin("a", sha256="0" * 64, blob=file.blob),
    ):
        assert not other.fits(file)
    # an older version measured no blob ids
    assert not Pin("a", blob=file.blob).fits(FileSum("a", 16, file.sha256))


@pytest.mark.parametrize(
    ("path", "pattern", "named"),
    [
        ("a.md", "*.md", True),
        ("docs/a.md", "*.md", False),
        ("docs/a.md", "docs/*.md", True),
        ("docs/deep/a.md", "docs/*.md", False),
        ("docs/deep/a.md", "docs/*/*.md", True),
        ("docs/deep/a.md", "docs/**", True),
        ("docs.md", "docs/**", False),
        ("宪法/八二宪法.md", "宪法/*宪法*.md", True),
    ],
)
def test_a_pattern_names_files_of_its_folder(path: str, pattern: str, named: bool) -> None:
    assert is_of(path, [pattern]) == named


def test_pin_fills_in_the_sums_of_a_new_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pinned, copies = tmp_path / "pinned", tmp_path / "copies"
    pinned.mkdir()
    copies.mkdir()
    monkeypatch.setattr(catalogue, "PINNED", pinned)
    file = write(pinned, GOOD | with_source(files=[]))
    with pytest.raises(DataError, match="no files"):
        load_entry("tiny")
    folder = copies / ("tiny-" + "0" * 40)
    assert pin.main(["tiny", str(copies)]) == 1
    assert f"there is no {folder.name}" in capsys.readouterr().err
    folder.mkdir()
    (folder / "other.md").write_bytes(b"2")
    assert pin.main(["tiny", str(copies)]) == 1
    assert "nothing matches the pattern '*.txt'" in capsys.readouterr().err
    (folder / "甲.txt").write_bytes(b"1")
    assert pin.main(["tiny", str(copies)]) == 0
    entry = load_entry("tiny")
    assert [(found.path, found.size) for found in entry.pins] == [("甲.txt", 1)]
    first = file.read_bytes()
    assert pin.main(["tiny", str(copies)]) == 0
    assert file.read_bytes() == first
    assert msgspec.json.decode(first, type=Entry) == entry
    assert pin.main(["unknown", str(copies)]) == 1

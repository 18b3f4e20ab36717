"""A site on disk: whole or not at all; the same data the same bytes, and every text comes back."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.base.errors import UsageError
from hengfa.evals.report.site.build import pack, put_data, unpack, whole_or_nothing


@given(st.text())
def test_every_text_comes_back(text: str) -> None:
    content = pack("tasks/1/samples", {"texts": [text.encode("utf-8", "replace").decode()]})
    name, value = unpack(content)
    assert name == "tasks/1/samples"
    assert value == {"texts": [text.encode("utf-8", "replace").decode()]}


def test_the_file_holds_nothing_but_a_call_with_two_plain_strings() -> None:
    content = pack("site", ["</script><script>alert(1)", '");evil("'])
    assert content.startswith(b'hengfa.put("site","')
    assert content.endswith(b'");\n')
    inside = content.removeprefix(b'hengfa.put("site","').removesuffix(b'");\n')
    assert inside.decode().replace("+", "").replace("/", "").rstrip("=").isalnum()


def test_the_same_value_makes_the_same_bytes() -> None:
    assert pack("a", {"x": [1, "二"]}) == pack("a", {"x": [1, "二"]})


@pytest.mark.parametrize("name", ["A", "a b", "法", "all-by-endpoint_G/official", "con:1", "a_2_"])
def test_every_name_has_a_file_that_any_system_takes(name: str, tmp_path: Path) -> None:
    put_data(tmp_path, name, 1)
    put_data(tmp_path, f"{name.lower()}-2", 2)
    assert len([*tmp_path.rglob("*.js")]) == 2
    assert re.fullmatch("[a-z0-9_.~/-]+", unpack(pack(name, 1))[0])


@pytest.mark.parametrize("name", ["", "../x", "a//b", "/a", "a/", "a/.b", "a."])
def test_names_that_some_system_cannot_take_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="data file"):
        pack(name, 1)


def test_files_lie_below_data(tmp_path: Path) -> None:
    put_data(tmp_path, "tasks/0/runs/12", [1])
    file = tmp_path / "data" / "tasks" / "0" / "runs" / "12.js"
    assert unpack(file.read_bytes()) == ("tasks/0/runs/12", [1])


MARK = "data/site.js"


def write(target: Path, text: str, *names: str, force: bool = False) -> None:
    with whole_or_nothing(target, force=force) as folder:
        for name in names:
            (folder / name).write_text(text)
        (folder / MARK).parent.mkdir(parents=True)
        (folder / MARK).write_text(text)


def test_an_older_site_is_replaced_whole(tmp_path: Path) -> None:
    write(tmp_path / "site", "old", "left.html")
    write(tmp_path / "site", "newer")
    assert (tmp_path / "site" / MARK).read_text() == "newer"
    assert not (tmp_path / "site" / "left.html").exists()
    assert [file.name for file in tmp_path.iterdir()] == ["site"]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_a_thesis_in_an_older_site_is_refused_by_name_and_survives(tmp_path: Path) -> None:
    write(tmp_path / "site", "old")
    (tmp_path / "site" / ".git").mkdir()
    (tmp_path / "site" / ".git" / "HEAD").write_text("ref: refs/heads/main")
    (tmp_path / "site" / "data" / "thesis.tex").write_text("years of work")
    before = snapshot(tmp_path)
    with pytest.raises(UsageError, match=r"not ours.*\.git, \.git/HEAD, data/thesis\.tex"):
        write(tmp_path / "site", "new")
    assert snapshot(tmp_path) == before


def test_a_site_of_an_earlier_version_has_no_manifest_and_stays(tmp_path: Path) -> None:
    (tmp_path / "site" / "data").mkdir(parents=True)
    (tmp_path / "site" / MARK).write_text("early")
    (tmp_path / "site" / "notes.txt").write_text("mine")
    before = snapshot(tmp_path)
    with pytest.raises(UsageError, match=r"not ours.*--force"):
        write(tmp_path / "site", "new")
    assert snapshot(tmp_path) == before
    write(tmp_path / "site", "new", force=True)
    assert (tmp_path / "site" / MARK).read_text() == "new"
    assert (tmp_path / "site" / "notes.txt").read_text() == "mine"


def test_a_page_that_was_edited_is_not_replaced(tmp_path: Path) -> None:
    write(tmp_path / "site", "old", "index.html")
    (tmp_path / "site" / "index.html").write_text("with an introduction of my own")
    with pytest.raises(UsageError, match=r"changed since: index\.html"):
        write(tmp_path / "site", "new", "index.html")


def test_an_empty_folder_and_a_new_place_will_do(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    write(tmp_path / "empty", "a")
    write(tmp_path / "deep" / "er", "b")
    assert (tmp_path / "deep" / "er" / MARK).read_text() == "b"


def test_a_folder_with_other_files_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UsageError, match=r"not ours.*thesis\.tex"):
        write(tmp_path, "x")
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_or_link_is_no_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("file", "link"):
        with pytest.raises(UsageError, match="not a folder"):
            write(tmp_path / name, "x")


def test_what_fails_leaves_the_older_site(tmp_path: Path) -> None:
    write(tmp_path / "site", "old")
    with pytest.raises(RuntimeError), whole_or_nothing(tmp_path / "site") as folder:
        (folder / "half.html").write_text("")
        raise RuntimeError
    assert (tmp_path / "site" / MARK).read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["site"]


def test_the_manifest_lists_every_file_with_its_size(tmp_path: Path) -> None:
    write(tmp_path / "site", "four", "index.html")
    listed = json.loads((tmp_path / "site" / "manifest.json").read_text())
    assert listed["files"] == {"data/site.js": 4, "index.html": 4}

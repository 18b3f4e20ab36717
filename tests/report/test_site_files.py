"""A site on disk: whole or not at all; the same data the same bytes, and every text comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.errors import UsageError
from hengfa.report.site.files import MARK, Packer, pack, unpack, whole_or_nothing


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


@pytest.mark.parametrize(
    "name", ["", "../x", "a b", "A", "a//b", "/a", "a/", "法", "a/.b", "con:1"]
)
def test_names_that_some_system_cannot_take_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="data file"):
        pack(name, 1)


def test_files_lie_below_data(tmp_path: Path) -> None:
    Packer(tmp_path).put("tasks/0/runs/12", [1])
    file = tmp_path / "data" / "tasks" / "0" / "runs" / "12.js"
    assert unpack(file.read_bytes()) == ("tasks/0/runs/12", [1])


def write(target: Path, text: str) -> None:
    with whole_or_nothing(target) as folder:
        (folder / MARK).parent.mkdir(parents=True)
        (folder / MARK).write_text(text)


def test_an_older_site_is_replaced_whole(tmp_path: Path) -> None:
    write(tmp_path / "site", "old")
    (tmp_path / "site" / "data" / "left.js").write_text("gone with the old one")
    write(tmp_path / "site", "new")
    assert (tmp_path / "site" / MARK).read_text() == "new"
    assert not (tmp_path / "site" / "data" / "left.js").exists()
    assert [file.name for file in tmp_path.iterdir()] == ["site"]


def test_an_empty_folder_and_a_new_place_will_do(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    write(tmp_path / "empty", "a")
    write(tmp_path / "deep" / "er", "b")
    assert (tmp_path / "deep" / "er" / MARK).read_text() == "b"


def test_a_folder_with_other_files_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UsageError, match="no site of ours"):
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

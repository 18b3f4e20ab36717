"""Data files: the same value the same bytes, every text comes back, names stay in the folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.report.site.files import Packer, pack, unpack


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

"""Errors: every one of them says what happened, also after a way through another process."""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path

import pytest

from hengfa.base import errors
from hengfa.base.errors import ChecksumError, DataError, HengfaError, MissingExtra, how_to_add

KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, HengfaError)
]


def make(kind: type[HengfaError]) -> HengfaError:
    if issubclass(kind, DataError):
        return kind("略", file=Path("甲") / "乙.json", row="1-1/3", field="answer")
    if issubclass(kind, MissingExtra):
        return kind("inspect", "hengfa export eval")
    return kind("甲 did not work: do 乙")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_an_error_comes_back_from_another_process_as_it_was(
    kind: type[HengfaError], protocol: int
) -> None:
    error = make(kind)
    again = pickle.loads(pickle.dumps(error, protocol))
    assert type(again) is kind
    assert str(again) == str(error)
    assert again.args == error.args
    assert again.exit_status == error.exit_status
    assert str(pickle.loads(pickle.dumps(again, protocol))) == str(error)


def test_the_tree_in_the_module_is_the_tree_there_is() -> None:
    told = errors.__doc__ or ""
    assert len(KINDS) == 12
    for kind in KINDS:
        assert kind.__name__ in told


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        ({"url": "file:///a", "dir_info": {"editable": True}}, 'checkout, pip install ".[desk]"'),
        ({"url": "file:///a", "dir_info": {}}, 'in the checkout, pip install ".[desk]"'),
        (
            {"url": "file:///hengfa-1-py3-none-any.whl", "archive_info": {}},
            'pip install "hengfa[desk] @ file:///hengfa-1-py3-none-any.whl"',
        ),
        (
            {"url": "https://example.org/h", "vcs_info": {"vcs": "git", "commit_id": "0"}},
            'pip install "hengfa[desk] @ git+https://example.org/h"',
        ),
        (None, 'pip install "hengfa[desk]"'),
    ],
)
def test_a_missing_part_comes_from_where_the_rest_came(
    origin: dict[str, object] | None, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "hengfa-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hengfa\nVersion: 1\n")
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin))
    monkeypatch.syspath_prepend(tmp_path)
    assert str(MissingExtra("desk", "a PDF")).endswith(command)


def test_what_runs_from_its_sources_alone_is_a_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    assert how_to_add("mcp") == 'in the checkout, pip install ".[mcp]"'


def test_a_data_error_names_file_row_and_field() -> None:
    assert str(make(ChecksumError)) == "甲/乙.json, row 1-1/3, field 'answer': 略"
    assert str(DataError("略", file="甲", row=0)) == "甲, row 0: 略"

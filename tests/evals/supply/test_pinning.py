"""Writing the sums of a pack into the catalogue."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.evals.supply.conftest import FISH_PAGE, source_of
from tests.law.library.small_sources import JUST_LAWS, put

from hengfa.base.data import catalogue
from hengfa.base.data.catalogue import PINNED, Entry, Source, load_entry, read_entry
from hengfa.base.data.sums import Pin, measure
from hengfa.evals.supply import pin

COMMIT = "0123456789" * 4
BLOB = "0dfeac2cbcc79450c4a04351a9f479658d7a74b1"

SOURCE = Source(
    repository="nobody/tiny",
    commit=COMMIT,
    licence="MIT",
    patterns=("data/*.json",),
    parts={"large": ("large/*.jsonl",)},
)
ENTRY = Entry(name="tiny", title="Tiny", licence="MIT", homepage="https://e.org", sources=(SOURCE,))


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the one source, and a catalogue with the head of the pack."""
    put(tmp_path / "pinned", {"tiny.json": pin.render(ENTRY)})
    monkeypatch.setattr(catalogue, "PINNED", tmp_path / "pinned")
    folder = tmp_path / SOURCE.folder
    put(folder, {"data/b.json": "[2]", "data/a.json": "[]", "data/deep/c.json": "", "d.json": ""})
    return folder


def pinned_after(copy: Path) -> bytes:
    assert pin.main(["tiny", str(copy.parent)]) == 0
    return (catalogue.PINNED / "tiny.json").read_bytes()


def test_the_same_copies_give_the_same_file(copy: Path) -> None:
    first = pinned_after(copy)
    assert pinned_after(copy) == first
    [source] = load_entry("tiny").sources
    assert [file.path for file in source.files] == ["data/a.json", "data/b.json"]
    assert all(file.fits(measure(copy / file.path, file.path)) for file in source.files)
    # a line for each file, so that a change reads well
    assert first.count(b'        {"path": "data/') == 2


def test_a_file_that_the_copy_lacks_keeps_its_pin(copy: Path) -> None:
    lacking = (Pin("data/z.json", blob=BLOB), Pin("large/x.jsonl", blob=BLOB, part="large"))
    entry = replace(ENTRY, sources=(replace(SOURCE, files=lacking),))
    put(copy.parent / "pinned", {"tiny.json": pin.render(entry)})
    assert pinned_after(copy) == pinned_after(copy)
    [source] = load_entry("tiny").sources
    assert source.files[2:] == lacking
    assert [file.path for file in source.files[:2]] == ["data/a.json", "data/b.json"]


def test_a_part_is_pinned_as_one(copy: Path) -> None:
    put(copy, {"large/x.jsonl": "{}\n"})
    assert pinned_after(copy) == pinned_after(copy)
    [source] = load_entry("tiny").sources
    assert [(file.path, file.part, file.size) for file in source.files] == [
        ("data/a.json", "", 2),
        ("data/b.json", "", 3),
        ("large/x.jsonl", "large", 3),
    ]


def test_a_derived_pack_is_pinned_with_what_is_made_of_it(copies: Path) -> None:
    file = catalogue.PINNED / "statutes.json"
    first = file.read_bytes()
    assert pin.main(["statutes", str(copies)]) == 0
    assert file.read_bytes() == first
    entry = read_entry(file)
    assert [made.path for made in entry.files] == [
        "interpretations.jsonl",
        "regulations.jsonl",
        "statutes.jsonl",
        "version_calendar.tsv",
    ]
    (copies / source_of(JUST_LAWS).folder / FISH_PAGE).write_text("# 月湖渔业法\n", "utf-8")
    assert pin.main(["statutes", str(copies)]) == 0
    assert read_entry(file).files[2] != entry.files[2]


def test_a_copy_that_is_missing_is_named(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (catalogue.PINNED / "tiny.json").read_bytes()
    copy.rename(copy.with_name("elsewhere"))
    assert pin.main(["tiny", str(copy.parent)]) == 1
    assert capsys.readouterr().err == f"error: {copy.parent}: there is no {SOURCE.folder}\n"
    assert (catalogue.PINNED / "tiny.json").read_bytes() == before


@pytest.mark.shared
@pytest.mark.parametrize(
    "name",
    ["judge", "guiding-cases", "legalagentbench", pytest.param("statutes", marks=pytest.mark.deep)],
)
def test_the_catalogue_is_what_the_archives_give(
    name: str, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = PINNED / f"{name}.json"
    put(tmp_path, {ours.name: ours.read_text("utf-8")})
    monkeypatch.setattr(catalogue, "PINNED", tmp_path)
    assert pin.main([name, str(shared / "data" / "upstream")]) == 0
    assert (tmp_path / ours.name).read_bytes() == ours.read_bytes()

"""The pack of statutes made from its repositories: small ones of our own, and the real ones."""

from __future__ import annotations

import gzip
import json
import shutil
import tarfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hengfa.base.data.catalogue import load_entry
from hengfa.base.data.sums import measure
from hengfa.base.errors import DataError
from hengfa.law.library import Library
from hengfa.law.library.assembly import OPTIONAL, READS, derive
from hengfa.law.library.building.assemble import law_name
from hengfa.law.library.building.build import build_library
from hengfa.law.library.export import export_provisions
from tests.law.library.fictional import FERRY_1999, TEA, TEA_2020
from tests.law.library.small_sources import (
    CHINESE_LAWS,
    CODE,
    FIRST,
    HISTORY,
    JUST_LAWS,
    LAST,
    LAW,
    REGISTER,
    SECOND,
    X_STORAGE,
    put,
    put_register,
    write_sources,
)

Row = dict[str, Any]
Sources = dict[str, Path]


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    folders = {name: tmp_path / name.replace("/", "-") for name in READS}
    write_sources(folders)
    return folders


class Pack(NamedTuple):
    """What was derived, read again."""

    statutes: list[Row]
    interpretations: list[Row]
    calendar: list[str]

    def of(self, law: str) -> list[Row]:
        return [row for row in self.statutes if row["law"] == law]


def rows(file: Path) -> list[Row]:
    content = file.read_bytes()
    content = gzip.decompress(content) if file.suffix == ".gz" else content
    return [json.loads(line) for line in content.splitlines()]


def derived(sources: Sources, target: Path) -> Pack:
    target.mkdir(parents=True, exist_ok=True)
    derive(sources, target)
    calendar = (target / "version_calendar.tsv").read_text("utf-8").splitlines()
    acts = rows(target / "interpretations.jsonl")
    if (regulations := target / "regulations.jsonl").exists():  # interpretations stand there too
        acts += [row for row in rows(regulations) if "title" in row]
    return Pack(rows(target / "statutes.jsonl"), acts, calendar)


@pytest.mark.parametrize(
    ("title", "law"),
    [
        ("月湖茶馆法（修正）", TEA),
        ("月湖茶馆法（2017年修正本）", TEA),
        ("月湖茶馆法(1954)", TEA),
        ("月湖宪法修正案（1988年）", "月湖宪法修正案（1988年）"),
        ("月湖茶馆法（试行）", "月湖茶馆法（试行）"),
        ("关于《月湖茶馆法》的解释（二）", "关于〈月湖茶馆法〉的解释（二）"),
    ],
)
def test_a_title_names_the_law_without_its_version(title: str, law: str) -> None:
    assert law_name(title) == law


def test_every_text_of_every_version_is_a_row(sources: Sources, tmp_path: Path) -> None:
    pack = derived(sources, tmp_path / "pack")
    told = [
        (row["version"], row["event"], row["role"], row["source"]["repo"], row["n_articles"])
        for row in pack.of(TEA)
    ]
    assert told == [
        ("2001-03-10", "adopted", "primary", "risshun/Chinese_Laws", 4),
        ("2015-10-01", "revised", "primary", "X-STORAGE/Laws", 5),
        ("2020-06-01", "amended", "primary", "ImCa0/just-laws", 6),
        ("2020-06-01", "amended", "alternate", "X-STORAGE/Laws", 6),
    ]
    assert [row["next_version_in_corpus"] for row in pack.of(TEA)[:3]] == [
        "2015-10-01",
        "2020-06-01",
        None,
    ]
    assert [line.split("\t")[1:] for line in pack.calendar if line.startswith(TEA)] == [
        ["2001-03-10", "adopted", "1"],
        ["2008-05-20", "amended", "0"],
        ["2015-10-01", "revised", "1"],
        ["2020-06-01", "amended", "1"],
    ]


def test_the_text_with_more_articles_is_primary(sources: Sources, tmp_path: Path) -> None:
    cut = TEA_2020[: TEA_2020.index("**第五条**")]
    put(sources[JUST_LAWS], {"docs/economic/tea/README.md": cut})
    primary, alternate = derived(sources, tmp_path / "pack").of(TEA)[2:]
    assert (primary["source"]["repo"], primary["n_articles"]) == ("X-STORAGE/Laws", 6)
    assert (alternate["source"]["repo"], alternate["n_articles"]) == ("ImCa0/just-laws", 5)


def test_where_a_text_comes_from_is_told_as_git_names_it(sources: Sources, tmp_path: Path) -> None:
    pack = derived(sources, tmp_path / "pack")
    old = next(row for row in pack.statutes if row["law"] == "旧法其0")
    repository, commit = HISTORY[0].split("@")
    assert old["source"] == {
        "repo": repository,
        "commit": commit,
        "path": READS[HISTORY[0]][0],
        # git hash-object of the file
        "blob": "ce5420062bc630b7cdad7ea0c6b808045dd180d6",
        "from_history": True,
    }
    assert old["version"] == "1988-04-12", "its header is that of another version"


def test_parts_are_joined_in_the_order_of_their_articles(sources: Sources, tmp_path: Path) -> None:
    pack = derived(sources, tmp_path / "pack")
    [code] = pack.of("月湖船法典")
    assert code["text"] == "\n".join([CODE.split("---\n\n")[1], FIRST, SECOND, LAST])
    assert code["source"]["path"] == "docs/economic/code"
    assert (code["effective_in_text"], code["effective"]) == ("on promulgation", "2003-02-01")
    # the act beside it is an act of its own, and the page of amendments is none
    [decision] = pack.of("月湖议会关于惩治偷灯的决定")
    assert (decision["kind"], decision["event"]) == ("decision", None)
    assert decision["source"]["path"] == "docs/economic/code/05-decision.md"
    assert not any("修正案" in row["law"] for row in pack.statutes)


@pytest.mark.parametrize(
    ("since", "effective", "basis", "suspect"),
    [
        ("2020-09-01", "2020-09-01", "lawrefbook_db", None),
        ("2020-06-01", "2020-06-01", "lawrefbook_db", True),
        ("", "2020-06-01", "x_storage_db", True),
    ],
)
def test_an_amended_text_is_dated_by_the_better_register(
    sources: Sources, tmp_path: Path, since: str, effective: str, basis: str, suspect: bool | None
) -> None:
    columns = "name, publish, valid_from"
    put_register(sources[REGISTER], columns, ("月湖茶馆法", "2020-06-01", since))
    row = derived(sources, tmp_path / "pack").of(TEA)[2]
    assert (row["effective"], row["effective_basis"]) == (effective, basis)
    assert (row["effective_suspect"], row["effective_in_text"]) == (suspect, "2016-01-01")
    assert row["valid_to_db"] == "2024-05-05"


def test_a_text_made_as_a_whole_dates_itself(sources: Sources, tmp_path: Path) -> None:
    row = ("月湖茶馆法", "2015-10-01", "2015-10-01")
    put_register(sources[REGISTER], "name, publish, valid_from", row)
    pack = derived(sources, tmp_path / "pack")
    assert [(r["effective"], r["effective_basis"]) for r in pack.of(TEA)[:2]] == [
        ("2001-07-01", "text"),
        ("2016-01-01", "text"),
    ]
    [ferry] = pack.of("月湖渡船法")
    assert (ferry["effective"], ferry["text"]) == ("1999-06-01", FERRY_1999)


def test_interpretations_stand_by_path(sources: Sources, tmp_path: Path) -> None:
    act = "# 关于湖界的声明\n\n<!-- INFO END -->\n\n湖归大家。\n"
    put(sources[X_STORAGE], {"有关法律问题和重大问题的决定/湖界(1958-09-04).md": act})
    acts = derived(sources, tmp_path / "pack").interpretations
    assert [(row["title"], row["version"], row["kind"], row["effective"]) for row in acts] == [
        ("关于〈月湖船法典〉的解释", "2006-02-03", "judicial_interpretation", None),
        ("最高人民法院关于茶水的批复", "2005-01-02", "judicial_interpretation", None),
        ("关于湖界的声明", "1958-09-04", "decision_or_other", None),
    ]
    assert [row["valid_to_db"] for row in acts] == [None, None, None]


def test_regulations_stand_apart_with_their_days(sources: Sources, tmp_path: Path) -> None:
    derived(sources, tmp_path / "before")
    assert not (tmp_path / "before" / "regulations.jsonl").exists()

    def page(title: str, header: str, last: str) -> str:
        return f"# {title}\n\n{header}\n\n<!-- INFO END -->\n\n第一条 灯要亮。\n\n第二条 {last}\n"

    passed = "2008年9月3日 国务院第25次常务会议通过\n\n2008年9月18日 国务院令第535号公布"
    at_once, later = "本条例自公布之日起施行。", "本办法自2009年1月1日起施行。"
    put(
        sources[X_STORAGE],
        {
            "行政法规/_index.md": "# 行政法规\n",
            "行政法规/湖灯条例(2008-09-18).md": page("湖灯条例", passed, at_once),
            # amended since, which its header does not say
            "行政法规/湖石条例(2019-03-02).md": page("湖石条例", passed, at_once),
            "部门规章/灯部/点灯办法(2008-09-18).md": page(
                "点灯办法", "2008年9月18日灯部令第3号发布", later
            ),
            "法律解释/湖界(1958-09-04).md": "# 关于湖界的解释\n\n<!-- INFO END -->\n\n湖归大家。\n",
        },
    )
    pack = tmp_path / "pack"
    derived(sources, pack)
    found = [
        (row.get("law", row.get("title")), row["kind"], row.get("event"), row["effective"])
        for row in rows(pack / "regulations.jsonl")
    ]
    assert found == [
        ("湖灯条例", "regulation", "adopted", "2008-09-18"),
        ("湖石条例", "regulation", "amended", None),
        ("点灯办法", "rule", "adopted", "2009-01-01"),
        ("关于湖界的解释", "decision_or_other", None, None),
    ]
    build_library([pack], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as library:
        kinds = {version.law: (version.kind, version.sure) for version in library.versions()}
    assert kinds["湖灯条例"] == ("regulation", "exact")
    assert kinds["湖石条例"] == ("regulation", "unknown")
    assert kinds["点灯办法"] == ("rule", "exact")


def test_a_register_dates_interpretations(sources: Sources, tmp_path: Path) -> None:
    row = ("关于《月湖船法典》的解释", "2006-02-03", "2006-03-01")
    put_register(sources[REGISTER], "name, publish, valid_from", row)
    acts = derived(sources, tmp_path / "pack").interpretations
    assert [row["effective"] for row in acts] == ["2006-03-01", None]


def test_texts_that_stand_only_in_history_may_be_absent(sources: Sources, tmp_path: Path) -> None:
    rare = [name for name in OPTIONAL if name not in READS]
    assert rare
    assert not any(row["law"] == "珍本" for row in derived(sources, tmp_path / "pack").statutes)
    put(tmp_path / "rare", {OPTIONAL[rare[0]][0]: "# 珍本\n\n1970年1月1日通过\n\n第一条 珍。\n"})
    [row] = derived(sources | {rare[0]: tmp_path / "rare"}, tmp_path / "more").of("珍本")
    assert row["source"]["from_history"] is True


def test_a_later_commit_of_a_repository_will_do(sources: Sources, tmp_path: Path) -> None:
    later = {**sources, "ImCa0/just-laws@beef": sources[JUST_LAWS]}
    del later[JUST_LAWS]
    [code] = derived(later, tmp_path / "pack").of("月湖船法典")
    assert code["source"]["commit"] == "beef"


def test_the_same_sources_give_the_same_bytes(sources: Sources, tmp_path: Path) -> None:
    derived(sources, tmp_path / "first")
    moved = {name: tmp_path / "moved" / str(i) for i, name in enumerate(reversed(sources))}
    for name, folder in moved.items():
        shutil.copytree(sources[name], folder)
    derived(moved, tmp_path / "second")
    first, second = sorted((tmp_path / "first").iterdir()), sorted((tmp_path / "second").iterdir())
    assert [f.name for f in first] == [f.name for f in second]
    assert [f.read_bytes() for f in first] == [f.read_bytes() for f in second]


@pytest.mark.parametrize("name", [JUST_LAWS, REGISTER, HISTORY[0], HISTORY[-1]])
def test_a_source_that_is_missing_is_named(sources: Sources, tmp_path: Path, name: str) -> None:
    del sources[name]
    with pytest.raises(DataError, match=name.partition("@")[0]):
        derive(sources, tmp_path)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        (X_STORAGE, "db.sqlite3"),
        (X_STORAGE, "司法解释"),
        (CHINESE_LAWS, "基本法律"),
        (HISTORY[0], "docs"),
    ],
)
def test_a_file_that_is_missing_is_named(
    sources: Sources, tmp_path: Path, name: str, path: str
) -> None:
    gone = sources[name] / path
    shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    with pytest.raises(DataError, match=path):
        derive(sources, tmp_path)


def test_what_is_malformed_is_named(sources: Sources, tmp_path: Path) -> None:
    page = sources[X_STORAGE] / "经济法" / "茶馆法(2020-06-01).md"
    page.write_bytes(b"# \xff")
    with pytest.raises(DataError, match=r"茶馆法.*not UTF-8.*byte 2"):
        derive(sources, tmp_path)
    put(sources[X_STORAGE], {"经济法/茶馆法(2020-06-01).md": TEA_2020})
    put(sources[X_STORAGE], {"司法解释/坏(2020-13-01).md": "# 坏\n"})
    with pytest.raises(DataError, match=r"坏.*has no day"):
        derive(sources, tmp_path)
    (sources[X_STORAGE] / "司法解释" / "坏(2020-13-01).md").unlink()
    put(sources[HISTORY[1]], {READS[HISTORY[1]][0]: ""})
    put(sources[HISTORY[2]], {READS[HISTORY[2]][0]: "# 无日之法\n\n第一条 无。\n"})
    with pytest.raises(DataError, match="does not say of when"):
        derive(sources, tmp_path)


@pytest.mark.parametrize(
    ("columns", "row", "problem"),
    [
        ("name, publish, valid_from", ("茶馆法", "2020-06-01", "soon"), "row 1"),
        ("name, publish, valid_from", (b"\xff", "2020-06-01", None), "row 1"),
        ("name, publish, valid_from", (None, "2020-06-01", None), "row 1"),
        ("name, publish", ("茶馆法", "2020-06-01"), "valid_from"),
    ],
)
def test_a_register_that_is_malformed_is_named(
    sources: Sources, tmp_path: Path, columns: str, row: tuple[object, ...], problem: str
) -> None:
    put_register(sources[REGISTER], columns, row)
    with pytest.raises(DataError, match=rf"db\.sqlite3.*{problem}"):
        derive(sources, tmp_path)


def test_a_register_that_is_no_database_is_named(sources: Sources, tmp_path: Path) -> None:
    (sources[REGISTER] / "db.sqlite3").write_bytes(b"SQLite format 3\0" + b"\xff" * 500)
    with pytest.raises(DataError, match=r"db\.sqlite3.*register of laws"):
        derive(sources, tmp_path)


PIECES = st.sampled_from(
    [
        "---\n",
        "# ",
        "\n",
        "修正案",
        "2003年2月1日",
        "通过",
        "**第一条**　",
        "（",
        "施行",
        "《",
        "<!--",
    ]
)


@given(text=st.lists(PIECES | st.text(max_size=6), max_size=30).map("".join))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_page_is_more_than_a_data_error(sources: Sources, tmp_path: Path, text: str) -> None:
    with suppress(UnicodeEncodeError):
        put(sources[JUST_LAWS], {"docs/economic/code/01-general.md": text})
        put(sources[X_STORAGE], {"经济法/何法.md": text, "司法解释/何解.md": text})
        put(sources[LAW], {"何.md": text})
    with suppress(DataError):
        derive(sources, tmp_path)


# --- the real repositories ---


class Derived(NamedTuple):
    """The earlier collection, the pack from the archives alone, and from all sources."""

    yardstick: Pack
    archives: Pack
    everything: Pack
    folder: Path


@pytest.fixture(scope="module")
def real(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Derived:
    folder = tmp_path_factory.mktemp("real")
    yardstick = Pack(
        rows(shared / "data/statutes/statutes.jsonl.gz"),
        rows(shared / "data/statutes/interpretations.jsonl.gz"),
        (shared / "data/statutes/version_calendar.tsv").read_text("utf-8").splitlines(),
    )
    sources: Sources = {}
    for name in READS:
        stem = name.partition("/")[2].replace("@", "-")
        with tarfile.open(shared / "data" / "upstream" / f"{stem}.tar.xz") as archive:
            archive.extractall(folder, filter="data")
        sources[name] = folder / stem
    archives = derived(sources, folder / "archives")
    more = next((shared / "data" / "upstream_more").glob("Laws-*.tar.xz"))
    with tarfile.open(more) as archive:
        archive.extractall(folder, filter="data")
    everything = derived(sources | lacking(sources, yardstick, folder), folder / "everything")
    return Derived(yardstick, archives, everything, folder / "everything")


def lacking(sources: Sources, yardstick: Pack, folder: Path) -> Sources:
    """What the archives lack, from the earlier collection, which took it from the same homes."""
    for row in yardstick.interpretations:
        if not row["source"]["path"].startswith("司法解释/"):
            put(sources[X_STORAGE], {row["source"]["path"]: row["text"]})
    rare: Sources = {}
    for name, version in zip(list(OPTIONAL)[1:], ["2007-06-29", "2015-04-24"], strict=True):
        [path] = OPTIONAL[name]
        texts = (r for r in yardstick.statutes if path.endswith(r["source"]["path"]))
        [text] = [row["text"] for row in texts if row["version"] == version]
        rare[name] = folder / name.replace("/", "-")
        put(rare[name], {path: text})
    return rare


@pytest.mark.shared
def test_the_archives_hold_all_but_two_versions(real: Derived) -> None:
    versions = {(r["law"], r["version"]) for r in real.archives.statutes if r["role"] == "primary"}
    wanted = {(r["law"], r["version"]) for r in real.yardstick.statutes}
    assert sorted(wanted - versions) == [
        ("中华人民共和国劳动合同法", "2007-06-29"),
        ("中华人民共和国食品安全法", "2015-04-24"),
    ]
    assert not versions - wanted
    acts = [r for r in real.yardstick.interpretations if "司法解释/" in r["source"]["path"]]
    assert real.archives.interpretations == acts
    assert len(acts) == 459


def from_repository(row: Row) -> tuple[str, str, str]:
    return row["law"], row["version"], row["source"]["repo"]


SHORT = "中华人民共和国"
NOT_AT_HAND = {
    # alternates from the history of just-laws and Chinese_Laws
    *(
        (SHORT + law, version, "ImCa0/just-laws")
        for law, version in (
            ("仲裁法", "2017-09-01"),
            ("传染病防治法", "2013-06-29"),
            ("全民所有制工业企业法", "2009-08-27"),
            ("公司法", "2018-10-26"),
            ("未成年人保护法", "2020-10-17"),
            ("民事诉讼法", "2021-12-24"),
            ("民用航空法", "2021-04-29"),
            ("治安管理处罚法", "2012-10-26"),
            ("海商法", "1992-11-07"),
            ("监狱法", "2012-10-26"),
            ("立法法", "2015-03-15"),
            ("网络安全法", "2016-11-07"),
            ("野生动物保护法", "2018-10-26"),
        )
    ),
    (f"{SHORT}反垄断法", "2007-08-30", "risshun/Chinese_Laws"),
    # from the history of X-STORAGE, for which another repository stands in
    (f"{SHORT}刑法", "2020-12-26", "X-STORAGE/Laws"),
    (f"{SHORT}民法典", "2020-05-28", "X-STORAGE/Laws"),
    (f"{SHORT}劳动合同法", "2007-06-29", "X-STORAGE/Laws"),
    (f"{SHORT}食品安全法", "2015-04-24", "X-STORAGE/Laws"),
}

DIFFERENT = {
    # a list of dates under a word for all of them: the library reads both as amended
    "event": {("宪法", "1979-07-01"), ("宪法", "1980-09-10")},
    # 本法自一九八五年十月一日起施行
    "effective": {("继承法", "1985-04-10")},
    "effective_basis": {("继承法", "1985-04-10")},
    "effective_in_text": {("继承法", "1985-04-10")},
    # what stands in for X-STORAGE
    "role": {("刑法", "2020-12-26"), ("民法典", "2020-05-28"), ("劳动合同法", "2007-06-29")},
    # parts in the order of their articles; and Chinese_Laws as it is, where it once was otherwise
    "text": {
        ("刑事诉讼法", "2018-10-26"),
        ("宪法", "2018-03-11"),
        ("民法典", "2020-05-28"),
        ("民事诉讼法", "2021-12-24"),
    },
}


@pytest.mark.shared
def test_rows_are_those_of_the_earlier_collection(real: Derived) -> None:
    wanted = {from_repository(row): row for row in real.yardstick.statutes}
    given = {from_repository(row): row for row in real.everything.statutes}
    assert wanted.keys() - given.keys() == NOT_AT_HAND
    assert [*given.keys() - wanted.keys()] == [
        ("中华人民共和国食品安全法", "2015-04-24", "RanKKI/LawRefBook")
    ]
    common = [key for key in wanted if key in given]
    assert common == [key for key in given if key in wanted]
    for name in next(iter(wanted.values())):
        if name != "source":
            keys = [key for key in common if wanted[key][name] != given[key][name]]
            different = {(law.removeprefix(SHORT), version) for law, version, _ in keys}
            assert different == DIFFERENT.get(name, set()), name
    assert Counter(row["role"] for row in given.values()) == {"primary": 418, "alternate": 331}
    assert real.everything.interpretations == real.yardstick.interpretations
    assert set(real.yardstick.calendar) ^ set(real.everything.calendar) == {
        f"{SHORT}{line}"
        for line in (
            "刑法\t1998-12-29\tadopted\t0",  # by a decision that amended it
            "刑法\t1998-12-29\tamended\t0",
            "宪法\t1979-07-01\tlisted\t1",
            "宪法\t1979-07-01\tamended\t1",
            "宪法\t1980-09-10\tlisted\t1",
            "宪法\t1980-09-10\tamended\t1",
        )
    }


@pytest.mark.shared
def test_regulations_are_those_that_are_pinned(real: Derived) -> None:
    [pinned] = [pin for pin in load_entry("statutes").files if pin.part == "regulations"]
    assert pinned.fits(measure(real.folder / pinned.path, pinned.path))
    kinds = Counter(row["kind"] for row in rows(real.folder / pinned.path))
    assert kinds == {
        "regulation": 735,
        "rule": 30,
        "judicial_interpretation": 10,
        "decision_or_other": 13,
    }


@pytest.mark.shared
def test_sources_are_those_of_the_earlier_collection(real: Derived) -> None:
    """But a text from history is told with the commit that has it."""
    wanted = {from_repository(row): row["source"] for row in real.yardstick.statutes}
    different: Counter[str] = Counter()
    for row in real.everything.statutes:
        if before := wanted.get(from_repository(row)):
            different.update(k for k, v in row["source"].items() if before.get(k) != v)
    assert different == {"commit": 15, "path": 3, "blob": 2, "from_history": 5}


@pytest.mark.deep
@pytest.mark.shared
def test_the_library_is_the_same(real: Derived, corpus: Library, tmp_path: Path) -> None:
    build_library([real.folder], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as library:
        known = [v for v in library.versions() if v.kind not in {"regulation", "rule"}]
        assert [replace(v, id=0) for v in known] == [replace(v, id=0) for v in corpus.versions()]
        assert list(export_provisions(library, known)) == list(
            export_provisions(corpus, corpus.versions())
        )

"""A user's own tables: a folder of CSV files, or a workbook."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from hengfa.base.errors import DataError, UsageError
from hengfa.world.tables.importing import import_world
from hengfa.world.tables.schema import (
    CORPORA,
    LOOKUPS,
    TABLE_OF,
    TABLES,
    Corpus,
    Lookup,
    WorldTable,
)
from hengfa.world.tables.world import World
from hengfa.world.tools.toolbox import Toolbox
from tests.bounded import told_within
from tests.cli.test_cli import hengfa
from tests.world import tiny_world

Grid = Sequence[Sequence[object]]


def address(*rows: Sequence[object]) -> Grid:
    return [list(TABLE_OF["AddrInfo"].names), *rows]


def write_csv(file: Path, grid: Grid) -> None:
    with file.open("w", encoding="utf-8-sig", newline="") as stream:
        csv.writer(stream).writerows(grid)


def write_workbook(file: Path, sheets: dict[str, Grid]) -> None:
    """The least that a workbook needs: texts in place, numbers as numbers."""
    names = list(sheets)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats"
    spreadsheet = f"{kind}-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        f'<Default Extension="rels" ContentType="{kind}-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="{spreadsheet}.worksheet+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{spreadsheet}.sheet.main+xml"/>'
        "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/>'
        "</Relationships>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        + "".join(
            f'<Relationship Id="s{at}" Type="{office}/worksheet" Target="worksheets/s{at}.xml"/>'
            for at in range(len(names))
        )
        + "</Relationships>",
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        + "".join(
            f'<sheet name="{name}" sheetId="{at + 1}" r:id="s{at}"/>'
            for at, name in enumerate(names)
        )
        + "</sheets></workbook>",
    }
    for at, grid in enumerate(sheets.values()):
        rows = "".join(
            f'<row r="{row}">{"".join(cell(one, row, at) for at, one in enumerate(cells))}</row>'
            for row, cells in enumerate(grid, 1)
        )
        parts[f"xl/worksheets/s{at}.xml"] = (
            f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>'
        )
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)


def cell(value: object, row: int, column: int) -> str:
    at = f"{chr(65 + column)}{row}" if column < 26 else f"A{chr(65 + column - 26)}{row}"
    if value is None:
        return ""
    if isinstance(value, str):
        return f'<c r="{at}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{at}"><v>{value}</v></c>'


def test_a_folder_of_csv_files_becomes_a_world(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    for name, rows in tiny_world.TABLES.items():
        names = list(TABLE_OF[name].names)
        write_csv(folder / f"{name}.csv", [names, *[[row[one] for one in names] for row in rows]])
    (folder / "LegalArticle.jsonl").write_text(
        '{"contents": "灯塔法第一条：灯塔须长明。"}\n', "utf-8"
    )
    write_csv(folder / "LegalCases.csv", [["contents"], ["某案"]])
    (folder / "notes.txt").write_text("passed by")
    import_world(folder, tmp_path / "mine.sqlite")
    with World.open(tmp_path / "mine.sqlite") as world, tiny_world.opened(tmp_path) as tiny:
        assert world.source == "folder"
        for name in tiny_world.TABLES:
            if name != "RestrictionCase":
                assert list(world.all_rows(name)) == list(tiny.all_rows(name))
        # in a file of texts 740564 is a number
        amounts = [row["涉案金额（元）"] for row in world.all_rows("RestrictionCase")]
        assert amounts == [740_564, 20, "-", 10.25]
        assert list(world.texts("LegalCases")) == ["某案"]
        found = Toolbox(world).call("get_company_info", {"identifier": "000001"})
        assert found.rows[0]["公司名称"] == tiny_world.COMPANY


def test_a_workbook_becomes_a_world(tmp_path: Path) -> None:
    names = list(TABLE_OF["RestrictionCase"].names)
    cases: list[Sequence[object]] = [names]
    for amount in ("740564", 20, "-", 10.25, None):
        row: list[object] = [None] * len(names)
        row[0], row[1], row[4] = "白鹭物流有限公司", "（2021）云0101执1号", amount
        cases.append(row)
    columns = list(TABLE_OF["LawfirmLog"].names)
    log: Grid = [columns, ["晓山律师事务所", 1, 2, 3.5, 4], ["他山律师事务所", 2, None, 5, 6]]
    info = list(TABLE_OF["CompanyInfo"].names)
    company: list[object] = [None] * len(info)
    company[0], company[info.index("公司代码")] = "青岚科技股份有限公司", 688001
    file = tmp_path / "tables.xlsx"
    write_workbook(
        file,
        {
            "RestrictionCase": cases,
            "lawfirm_log": log,
            "CompanyInfo": [info, company],
            "LegalArticle": [["contents"], ["某条"]],
            "other": [["x"]],
        },
    )
    import_world(file, tmp_path / "mine.sqlite")
    with World.open(tmp_path / "mine.sqlite") as world:
        assert world.source == "workbook"
        amounts = [row["涉案金额（元）"] for row in world.all_rows("RestrictionCase")]
        assert amounts == ["740564", 20, "-", 10.25, None]
        assert [type(one) for one in amounts[:4]] == [str, int, str, float]
        first, second = world.all_rows("LawfirmLog")
        # whole where the column is whole and has no blank, else not, as the published tools read
        assert repr(list(first.values())[1:]) == "[1, 2.0, 3.5, 4]"
        assert repr(list(second.values())[1:]) == "[2, None, 5.0, 6]"
        assert len(world.rows("CompanyInfo", "公司代码", "688001")) == 1
        assert list(world.texts("LegalArticle")) == ["某条"]


EXAMPLES: dict[str, tuple[object, object]] = {
    "text": ("其一", "其二"),
    "date": ("2020年01月31日", "2021年02月01日"),
    "yuan": (740564.5, 20),
    "money": ("9000万", "1.06亿"),
    "number": (7, 8),
    "numeral": ("90.0", "12"),
}


def two_rows(table: WorldTable) -> list[dict[str, object]]:
    """Every cell filled; texts, by which rows are found, tell columns and rows apart."""
    return [
        {
            column.name: f"{column.name}{EXAMPLES['text'][at]}"
            if column.kind == "text"
            else EXAMPLES[column.kind][at]
            for column in table.columns
        }
        for at in range(2)
    ]


def texts_of(corpus: Corpus) -> list[str]:
    return [f"{corpus.title}：守塔人不得离岗。", f"{corpus.title}：渡船应当有灯。"]


@pytest.fixture(scope="module")
def whole_workbook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A world made of a workbook with every table and every collection of texts."""
    folder = tmp_path_factory.mktemp("workbook")
    sheets: dict[str, Grid] = {
        table.name: [list(table.names), *[list(row.values()) for row in two_rows(table)]]
        for table in TABLES
    }
    for corpus in CORPORA:
        sheets[corpus.name] = [["contents"], *[[text] for text in texts_of(corpus)]]
    assert len(sheets) == 17
    write_workbook(folder / "tables.xlsx", sheets)
    done = hengfa("world", "import", "tables.xlsx", "-o", "mine.sqlite", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "mine.sqlite"


def test_all_seventeen_sheets_are_read_back(whole_workbook: Path) -> None:
    with World.open(whole_workbook) as world:
        for table in TABLES:
            assert list(world.all_rows(table.name)) == two_rows(table)
        for corpus in CORPORA:
            assert list(world.texts(corpus.name)) == texts_of(corpus)


@pytest.mark.parametrize("lookup", LOOKUPS, ids=lambda lookup: lookup.name)
def test_every_look_up_finds_its_row_in_a_workbook(lookup: Lookup, whole_workbook: Path) -> None:
    wanted = two_rows(lookup.table)[1]
    values = [wanted[column] for column in lookup.match.columns]
    asked = [dict(zip(lookup.arguments, values, strict=True))] if lookup.match.rule == "all" else []
    asked = asked or [{"identifier": value} for value in values]
    shown = {"公司名称": wanted["公司名称"]} if lookup.returns == "name" else wanted
    with World.open(whole_workbook) as world:
        for arguments in asked:
            assert list(Toolbox(world).call(lookup.name, arguments).rows) == [shown]


@pytest.mark.parametrize(
    ("tool", "corpus"), list(zip(("knowledge", "article", "case"), CORPORA, strict=True))
)
def test_every_collection_of_a_workbook_is_searched(
    tool: str, corpus: Corpus, whole_workbook: Path
) -> None:
    asked = json.dumps({"identifier": "守塔人离岗", "k": 1})
    call = ("world", "call", f"legal_{tool}_retriever", asked, "--world", whole_workbook.name)
    done = hengfa(*call, cwd=whole_workbook.parent)
    assert (done.returncode, done.stderr) == (0, "")
    found, other = texts_of(corpus)
    assert found in done.stdout
    assert other not in done.stdout


@pytest.mark.parametrize(
    ("grid", "place"),
    [
        ([["地址", "省份", "城市"]], "row 1, field '区县'"),
        ([["地址", "省份", "城市", "区县", "邮编"]], "row 1, field '邮编'"),
        ([["地址", "省份", "城市", "城市"]], "row 1, field '城市'"),
        (address(["甲", "乙", "丙", "丁"], ["甲", "乙", "丙"]), "row 3"),
        ([], "row 1"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path: Path, grid: Grid, place: str) -> None:
    write_csv(tmp_path / "AddrInfo.csv", grid)
    with pytest.raises(DataError, match=place) as caught:
        import_world(tmp_path, tmp_path / "out" / "mine.sqlite")
    assert "AddrInfo.csv" in str(caught.value)
    assert not list(tmp_path.glob("out/*"))


def test_other_sources_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no table of a world"):
        import_world(tmp_path, tmp_path / "x.sqlite")
    text = tmp_path / "a.txt"
    text.write_text("x")
    with pytest.raises(UsageError, match="neither a workbook nor a folder"):
        import_world(text, tmp_path / "x.sqlite")
    bad = tmp_path / "AddrInfo.csv"
    bad.write_bytes("地址,省份,城市,区县\n".encode() + b"\xff\xfe,,,\n")
    with pytest.raises(DataError, match=r"AddrInfo\.csv.*cannot be read"):
        import_world(tmp_path, tmp_path / "x.sqlite")
    book = tmp_path / "a.xlsx"
    book.write_bytes(b"no workbook")
    with pytest.raises(DataError, match="cannot be read as a workbook"):
        import_world(book, tmp_path / "x.sqlite")


def far_cell(file: Path, place: str) -> str:
    """A workbook with a header and a cell far out, and code that imports it."""
    write_workbook(file, {"AddrInfo": address(["甲"])})
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content.replace(b'r="A2"', f'r="{place}"'.encode()))
    return (
        "from pathlib import Path\nfrom hengfa.world.tables.importing import import_world\n"
        f"import_world(Path({str(file)!r}), Path({str(file.with_suffix('.sqlite'))!r}))\n"
    )


@pytest.mark.parametrize("place", ["XFD1048576", "T1048576", "XFD1", "ZZ200000", "ZZZZZZ1"])
def test_a_cell_far_out_takes_no_memory_and_ends_no_process(tmp_path: Path, place: str) -> None:
    told = told_within(far_cell(tmp_path / "far.xlsx", place))
    assert "far.xlsx" in told


@pytest.mark.deep
def test_a_workbook_that_unpacks_into_gigabytes_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bomb.xlsx"
    code = far_cell(file, "A2")
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    strings = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
        with archive.open("xl/sharedStrings.xml", "w") as stream:
            stream.write(strings)
            for _ in range(120):
                stream.write(b"<si><t>" + b"a" * 10_000_000 + b"</t></si>")
            stream.write(b"</sst>")
    assert file.stat().st_size < 20_000_000
    assert "bomb.xlsx: cannot be read as a workbook with 768 MB" in told_within(code)


def test_mutated_workbooks_are_worlds_or_named(tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"
    far_cell(file, "A2")
    whole = file.read_bytes()
    for place in range(0, len(whole), len(whole) // 8):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            import_world(file, tmp_path / "a.sqlite")
        except DataError as error:
            assert "a.xlsx" in str(error)

"""What no text says: repeals by decision, of parts, of what is not at hand; known dates."""

from __future__ import annotations

import csv
from datetime import date, timedelta
from pathlib import Path

import pytest

from hengfa.law.library import Library, Position
from hengfa.law.library.building.build import build_library
from hengfa.law.library.building.sources import REPEALS
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import Checked
from hengfa.law.library.names import Names, candidates
from hengfa.law.library.stats import count
from hengfa.law.library.versions import Repealed, in_force_on, struck_parts
from tests.law.library.fictional import GUIDE, ROWS, TEA, write_rows

MONTHS = timedelta(days=60)
"""Between the day that an interpretation was passed and the day that it was published."""

COLUMNS = "title\tdoc_number\tissued\trepealed_on\tby\tscope\tbasis\n"


def line(title: str, issued: str, on: str, scope: str = "whole", basis: str = "gazette") -> str:
    return f"{title}\t月释〔2003〕1号\t{issued}\t{on}\t月释〔2020〕9号\t{scope}\t{basis}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "laws", ROWS)


def opened(folder: Path, repeals: str = "", effective: str = "") -> Library:
    (folder / REPEALS).write_text(COLUMNS + repeals, "utf-8")
    if effective:
        (folder / "effective.tsv").write_text(f"law\tversion\teffective\n{effective}", "utf-8")
    file = folder.parent / "law.sqlite"
    build_library([folder], file)
    return Library.open(file)


def checked(library: Library, text: str, *, dated: str | None = "2022年3月1日") -> Checked:
    report = Checker(library).check(f"{text}\n{dated or ''}\n", today=date(2026, 1, 1))
    return report.citations[0]


def test_a_table_of_ones_own_repeals_a_law_from_its_day_on(folder: Path) -> None:
    with opened(folder, line(GUIDE, "2021-01-05", "2022-01-01")) as library:
        before, after = (
            checked(library, f"《{GUIDE}》第一条", dated=day)
            for day in ("2021年12月31日", "2022年1月1日")
        )
    assert (before.status, before.problem) == ("right", "")
    assert (after.status, after.problem) == ("wrong", "not in force")
    assert "repealed on 2022-01-01 by 月释〔2020〕9号" in after.notes


def test_what_only_people_know_is_said_to_be_so(folder: Path) -> None:
    with opened(folder, line(GUIDE, "2021-01-05", "2022-01-01", basis="knowledge")) as library:
        told = checked(library, f"《{GUIDE}》第一条").notes
    assert any("by what is generally known" in note for note in told)


def test_a_successor_of_the_same_title_lives_on(folder: Path) -> None:
    with opened(folder, line(TEA, "2001-03-10", "2016-06-01")) as library:
        (law,) = candidates(library, TEA)
        assert not isinstance(in_force_on(library, law, date(2017, 1, 1)), Repealed)


def test_single_positions_are_repealed_alone(folder: Path) -> None:
    scope = "articles 第四条第一款第（三）项、第三条第二款（数额）"
    with opened(folder, line(TEA, "2015-10-01", "2018-01-01", scope)) as library:
        (law,) = candidates(library, TEA)
        version = library.versions(law)[1]
        (repeal,) = struck_parts(library, version, date(2018, 1, 1))
        assert repeal.scope == (Position(4, None, 1, 3), Position(3, None, 2))
        assert not struck_parts(library, version, date(2017, 12, 31))
        assert not isinstance(in_force_on(library, law, date(2019, 1, 1)), Repealed)
        told = {
            cited: checked(library, f"《{TEA}》{cited}", dated="2018年6月1日")
            for cited in ("第三条第二款", "第三条", "第四条第一款第三项", "第三条第一款")
        }
    assert {cited: found.status for cited, found in told.items()} == {
        "第三条第二款": "wrong",
        "第三条": "right",
        "第四条第一款第三项": "wrong",
        "第三条第一款": "right",
    }
    assert any("第三条第二款 was repealed on 2018-01-01" in note for note in told["第三条"].notes)


def test_what_the_library_lacks_can_be_known_to_be_repealed(folder: Path) -> None:
    lost = "月湖最高法院关于审理画舫案件的解释"
    with opened(folder, line(lost, "", "2010-01-01")) as library:
        assert checked(library, f"《{lost}》第九条").problem == "not in force"
        earlier = checked(library, f"《{lost}》第九条", dated="2009年1月1日")
        assert (earlier.status, earlier.problem) == ("unknown", "law not in the library")
        undated = checked(library, f"《{lost}》第九条", dated=None)
        assert (undated.status, undated.problem) == ("unclear", "not in force")


def test_an_interpretation_of_a_repealed_law_is_told(tmp_path: Path) -> None:
    rows = [
        {
            "law": "月湖契约法",
            "version": "1999-03-15",
            "text": "# 月湖契约法\n\n**第一条**　守约。\n",
        },
        {
            "law": "最高人民法院关于适用〈月湖契约法〉的解释",
            "version": "2001-01-01",
            "kind": "interpretation",
            "text": "# 解释\n\n**第一条**　守约即履行。\n",
        },
    ]
    folder = write_rows(tmp_path / "laws", rows)
    with opened(folder, line("月湖契约法", "1999-03-15", "2021-01-01")) as library:
        found = checked(library, "《最高人民法院关于适用〈月湖契约法〉的解释》第一条")
    assert found.status == "right"
    assert any(note.startswith("it explains 月湖契约法") for note in found.notes)


def test_a_known_day_settles_an_entry_into_force(folder: Path) -> None:
    with opened(folder) as library:
        unsure = {(one.law, str(one.promulgated)) for one in count(library).unsure}
    law, version = min(unsure)
    with opened(folder, effective=f"{law}\t{version}\t2030-01-01\n") as library:
        stats = count(library)
        settled = next(v for v in library.versions() if (v.law, str(v.promulgated)) == min(unsure))
    assert {(one.law, str(one.promulgated)) for one in stats.unsure} == unsure - {(law, version)}
    assert (str(settled.effective), settled.sure, settled.effective_basis) == (
        "2030-01-01",
        "stated",
        "table",
    )


@pytest.mark.parametrize(
    "bad",
    ["\t\t\t2021-01-01\tx\twhole\tgazette\n", line(TEA, "", "2021"), line(TEA, "x", "2021-01-01"),
     line(TEA, "", "2021-01-01", "articles 第三条、其他")],
)  # fmt: skip
def test_a_line_that_cannot_be_read_is_remarked_upon(folder: Path, bad: str) -> None:
    with opened(folder, bad) as library:
        (remark,) = [r for r in library.remarks() if r.file.endswith(REPEALS)]
        assert (remark.row, remark.reason[:22]) == (2, "not a line of repeals.")


@pytest.mark.shared
def test_every_repeal_of_the_shared_table(corpus: Library, shared: Path) -> None:
    """Those at hand are repealed on the day and not the day before; the others are known."""
    names = Names(corpus)
    with (shared / "data" / "statutes" / REPEALS).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    whole = [row for row in rows if row["scope"] == "whole"]
    assert (len(rows), len(whole)) == (121, 118)
    for row in whole:
        on = date.fromisoformat(row["repealed_on"])
        law = names.resolve(row["title"], on).law
        issued = date.fromisoformat(row["issued"]) if row["issued"] else None
        struck = None if law is None else in_force_on(corpus, law, on)
        if law is None:
            assert names.repealed(row["title"], on), row["title"]
            assert names.repealed(row["title"], on - timedelta(days=1)) is None, row["title"]
        elif all(issued and v.promulgated <= issued + MONTHS for v in corpus.versions(law)):
            assert isinstance(struck, Repealed), row["title"]
            alive = in_force_on(corpus, law, on - timedelta(days=1))
            assert not isinstance(alive, Repealed), row["title"]
        else:  # a successor of the same title
            assert not isinstance(in_force_on(corpus, law, date(2027, 1, 1)), Repealed)

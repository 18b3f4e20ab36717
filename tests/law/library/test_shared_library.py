"""The library of the shared texts: counts, traps between dates, repeals, round trips, agreement."""

from __future__ import annotations

import gzip
import json
import re
import tarfile
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.citation_positions import (
    CitationStyle,
    format_citation,
    format_position,
    parse_position,
)
from hengfa.law.library import (
    FoundVersion,
    Library,
    Position,
    Repealed,
    Version,
    all_readings,
    candidates,
    find_law,
    in_force_on,
)
from hengfa.law.library.building.build import build_library
from hengfa.law.library.history import history
from hengfa.law.library.model import STATUTES
from hengfa.law.library.search import search
from hengfa.law.library.stats import count
from tests.law.library.test_versions import told

pytestmark = pytest.mark.shared

STYLES: tuple[CitationStyle, ...] = ("full", "arabic", "dotted")
DEPUTIES = "全国人民代表大会和地方各级人民代表大会代表法"


def statutes(library: Library) -> Iterator[Version]:
    return (version for version in library.versions() if version.kind in STATUTES)


def test_the_counts_of_the_collection(corpus: Library) -> None:
    stats = count(corpus)
    assert (stats.statutes.laws, stats.statutes.versions) == (322, 391)
    assert stats.statutes.articles == 33_458
    # what the count of leaves depends on is told in the docs of the parser; see also the next test
    assert stats.statutes.leaves == pytest.approx(66_799, rel=0.006)
    assert (stats.occasions, stats.at_hand, stats.several_versions) == (813, 391, 53)
    cut = count(corpus, date(2025, 4, 8))
    assert (cut.statutes.laws, cut.statutes.versions, cut.statutes.articles) == (312, 365, 29_830)


def test_every_leaf_is_found_by_its_own_citation_in_every_style(corpus: Library) -> None:
    read: dict[tuple[Position, CitationStyle], Position | None] = {}
    twice: Counter[str] = Counter()
    for version in statutes(corpus):
        seen: set[Position] = set()
        for leaf in corpus.entries(version):
            for style in STYLES:
                key = leaf.position, style
                if key not in read:
                    read[key] = parse_position(format_position(leaf.position, style))
                assert read[key] == leaf.position, (version, leaf.position, style)
            if leaf.position in seen:
                twice[f"{version} {leaf.position}"] += 1
                continue
            seen.add(leaf.position)
            assert corpus.provision(version, leaf.position) == leaf
    # 第十项 stands twice in article 27 of the source of the 1954 Constitution
    assert sum(twice.values()) <= 1


@pytest.mark.parametrize("style", ["full", "arabic"])
def test_every_name_and_every_position_is_read_back_from_running_text(
    corpus: Library, style: CitationStyle
) -> None:
    laws = {version.law for version in statutes(corpus)}
    positions = {leaf.position for version in statutes(corpus) for leaf in corpus.entries(version)}
    pairs = [(law, Position(12, 1, 3, 4)) for law in laws]
    pairs += [("中华人民共和国民法典", position) for position in positions]
    for law, position in pairs:
        [citation] = find_citations(format_citation(law, position, style))
        assert citation.position == position
        assert citation.law is not None
        assert [found.name for found in candidates(corpus, citation.law)] == [law]


@pytest.mark.parametrize(
    ("law", "on", "promulgated", "in_force", "latest"),
    [
        # promulgated on Tuesday, in force on Saturday; the text of 2014 is missing
        ("行政诉讼法", "2017-06-27", "2017-06-27", "Unknown", "2017-06-27"),
        ("行政诉讼法", "2017-07-01", "NoSuchVersion", "2017-06-27", "2017-06-27"),
        ("行政诉讼法", "1990-09-30", "NoSuchVersion", "NotYet", "Unknown"),
        ("行政诉讼法", "1990-10-01", "NoSuchVersion", "Unknown", "Unknown"),
        # amended by the same decision; here the older text is at hand
        ("民事诉讼法", "2017-06-27", "2017-06-27", "2012-08-31", "2017-06-27"),
        ("民事诉讼法", "2021-12-31", "NoSuchVersion", "2017-06-27", "2021-12-24"),
        ("民事诉讼法", "2022-01-01", "NoSuchVersion", "2021-12-24", "2021-12-24"),
        ("民诉法", "2023-12-31", "NoSuchVersion", "2021-12-24", "2023-09-01"),
        # the Civil Code and what it repealed
        ("民法典", "2020-05-27", "NoSuchVersion", "NotYet", "NotYet"),
        ("民法典", "2020-05-28", "2020-05-28", "NotYet", "2020-05-28"),
        ("民法典", "2020-12-31", "NoSuchVersion", "NotYet", "2020-05-28"),
        ("民法典", "2021-01-01", "NoSuchVersion", "2020-05-28", "2020-05-28"),
        ("合同法", "2020-12-31", "NoSuchVersion", "1999-03-15", "1999-03-15"),
        ("合同法", "2021-01-01", "NoSuchVersion", "Repealed", "1999-03-15"),
        ("物权法", "2021-01-01", "NoSuchVersion", "Repealed", "2007-03-16"),
        ("婚姻法", "2021-01-01", "NoSuchVersion", "Repealed", "2001-04-28"),
        ("民法总则", "2021-01-01", "NoSuchVersion", "Repealed", "2017-03-15"),
        # what the date of the text of 1985 says in Chinese numerals
        ("继承法", "1985-09-30", "NoSuchVersion", "NotYet", "1985-04-10"),
        ("继承法", "1985-10-01", "NoSuchVersion", "1985-04-10", "1985-04-10"),
        # an older law of the same name, repealed by another, then by the new one itself
        ("国家安全法", "2000-01-01", "NoSuchVersion", "Unknown", "NotYet"),
        ("国家安全法", "2014-12-01", "NoSuchVersion", "Repealed", "NotYet"),
        ("国家安全法", "2015-07-01", "2015-07-01", "2015-07-01", "2015-07-01"),
        ("婚姻法", "1970-01-01", "NoSuchVersion", "Unknown", "NotYet"),
        # amended, and nobody says since when: in truth since 1999-04-01
        ("收养法", "1998-12-01", "NoSuchVersion", "Unknown", "1998-11-04"),
        ("收养法", "2005-01-01", "NoSuchVersion", "1998-11-04", "1998-11-04"),
        # seven years between promulgation and effect
        ("香港特别行政区基本法", "1996-01-01", "NoSuchVersion", "NotYet", "1990-04-04"),
        ("香港特别行政区基本法", "1997-07-01", "NoSuchVersion", "1990-04-04", "1990-04-04"),
        ("增值税法", "2025-12-31", "NoSuchVersion", "NotYet", "2024-12-25"),
        # a register says the day of promulgation; a table knows better
        ("网络安全法", "2025-12-31", "NoSuchVersion", "2016-11-07", "2025-10-28"),
        ("网络安全法", "2026-01-01", "NoSuchVersion", "2025-10-28", "2025-10-28"),
        ("村委会组织法", "2025-12-31", "NoSuchVersion", "2018-12-29", "2025-10-28"),
        ("食品安全法", "2025-11-30", "NoSuchVersion", "2021-04-29", "2025-09-12"),
        ("食品安全法", "2025-12-01", "NoSuchVersion", "2025-09-12", "2025-09-12"),
        ("立法法", "2023-03-14", "NoSuchVersion", "2015-03-15", "2023-03-13"),
        ("立法法", "2023-03-15", "NoSuchVersion", "2023-03-13", "2023-03-13"),
        (DEPUTIES, "2025-03-11", "2025-03-11", "2015-08-29", "2025-03-11"),
        # amendment by amendment; the text with the header of 1997 is that of the seventh
        ("刑法", "1997-09-30", "NoSuchVersion", "Unknown", "Unknown"),
        ("刑法", "1998-06-01", "NoSuchVersion", "Unknown", "Unknown"),
        ("刑法", "2009-03-01", "NoSuchVersion", "2009-02-28", "2009-02-28"),
        ("刑法", "2015-10-01", "NoSuchVersion", "Unknown", "Unknown"),
        ("刑法", "2021-02-28", "NoSuchVersion", "Unknown", "2020-12-26"),
        ("刑法", "2024-02-29", "NoSuchVersion", "2020-12-26", "2023-12-29"),
        ("公司法", "2024-06-30", "NoSuchVersion", "2018-10-26", "2023-12-29"),
        ("环境保护法", "2026-08-14", "NoSuchVersion", "2014-04-24", "2014-04-24"),
        ("环境保护法", "2026-08-15", "NoSuchVersion", "Repealed", "2014-04-24"),
    ],
)
def test_traps_between_dates(
    corpus: Library, law: str, on: str, promulgated: str, in_force: str, latest: str
) -> None:
    found = all_readings(corpus, find_law(corpus, law), date.fromisoformat(on))
    assert [told(answer) for answer in found.values()] == [promulgated, in_force, latest]


def test_an_amendment_dates_the_law_it_amended(corpus: Library) -> None:
    criminal = corpus.shelf.calendar["中华人民共和国刑法"]
    assert {str(o.promulgated): str(o.effective) for o in criminal}["2015-08-29"] == "2015-11-01"


def test_repeals_agree_with_the_register_where_that_is_right(corpus: Library, shared: Path) -> None:
    """The register gives 2019-12-31 for all that the Civil Code repealed on 2021-01-01."""
    with gzip.open(shared / "data" / "statutes" / "statutes.jsonl.gz", "rt") as stream:
        rows = [row for row in map(json.loads, stream) if row["role"] == "primary"]
    ended = {
        row["law"]: row["valid_to_db"]
        for row in rows
        if (row["valid_to_db"] or "2099") < "2099" and not row["next_version_in_corpus"]
    }
    assert len(ended) == 26
    for law, until in ended.items():
        repeal = corpus.shelf.repeals[law][-1]
        assert str(repeal.on) == ("2021-01-01" if until == "2019-12-31" else until)
        answer = in_force_on(corpus, find_law(corpus, law), date(2027, 1, 1))
        assert isinstance(answer, Repealed)


def test_the_gold_texts_of_the_paper_stand_where_it_says(corpus: Library, shared: Path) -> None:
    lines = (shared / "reference" / "claw_examples.jsonl").read_text("utf-8").splitlines()
    found = 0
    for example in map(json.loads, lines):
        law = find_law(corpus, example["law"])
        versions = {str(version.promulgated): version for version in corpus.versions(law)}
        position = parse_position(example.get("position") or "")
        if example["version"] in versions and position and example.get("gold"):
            text = corpus.text(versions[example["version"]], position) or ""
            assert _bare(text) == _bare(example["gold"]), example["position"]
            found += 1
    assert found >= 5


def _bare(text: str) -> str:
    return re.sub(r"[^\w]", "", text)


def test_a_moved_article_is_found_again(corpus: Library) -> None:
    law = find_law(corpus, "公司法")
    steps = history(corpus, law, corpus.versions(law)[-1], Position(57))
    assert [step.position for step in steps] == [Position(33), Position(57)]
    law = find_law(corpus, "民事诉讼法")
    steps = history(corpus, law, corpus.versions(law)[-1], Position(55))
    articles = [step.position.article for step in steps if step.position]
    assert articles == [53, 53, 52, 52, 55, 55]


@pytest.mark.parametrize(
    ("question", "law", "article"),
    [
        ("故意伤害他人身体", "中华人民共和国刑法", 234),
        ("离婚", "中华人民共和国民法典", 1076),
        ("公司股东可以查阅会计账簿吗", "中华人民共和国公司法", 57),
        ("醉酒驾驶机动车怎么处罚", "中华人民共和国道路交通安全法", 91),
        ("劳动者试用期最长是多久", "中华人民共和国劳动法", 21),
        ("离婚后孩子的抚养费由谁承担", "中华人民共和国民法典", 1085),
    ],
)
def test_questions_find_the_article(corpus: Library, question: str, law: str, article: int) -> None:
    hits = search(corpus, question, on=date(2025, 11, 1), kinds=STATUTES)
    assert (law, article) in {(hit.version.law, hit.position.article) for hit in hits[:5]}


def test_every_version_on_the_shelf_answers_for_its_own_days(corpus: Library) -> None:
    for version in statutes(corpus):
        law = find_law(corpus, version.law)
        answers = all_readings(corpus, law, version.promulgated)
        assert answers["promulgated on"] == FoundVersion(version)
        assert answers["latest by"] == FoundVersion(version)
        if version.effective and version.sure in {"exact", "stated"}:
            in_force = in_force_on(corpus, law, version.effective)
            assert isinstance(in_force, FoundVersion), version
            assert in_force.version.promulgated >= version.promulgated


@pytest.fixture(scope="module")
def upstream(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two repositories, each built by itself."""
    folder = tmp_path_factory.mktemp("upstream")
    for archive in sorted((shared / "data" / "statutes" / "upstream").glob("*.tar.xz")):
        with tarfile.open(archive) as opened:
            opened.extractall(folder, filter="data")
    for name in ("just-laws", "Laws"):
        build_library([folder / name], folder / f"{name}.sqlite")
    return folder


@pytest.mark.deep
def test_two_repositories_agree_with_the_collection_and_each_other(
    upstream: Path, corpus: Library
) -> None:
    ours = {(v.law, v.promulgated): v for v in statutes(corpus)}
    texts: dict[str, dict[tuple[str, date, Position], str]] = {}
    for name, expected in (("just-laws", 303), ("Laws", 365)):
        with Library.open(upstream / f"{name}.sqlite") as library:
            versions = list(statutes(library))
            assert len(versions) == expected
            assert all((v.law, v.promulgated) in ours for v in versions)
            fewer = [v for v in versions if v.articles != ours[v.law, v.promulgated].articles]
            # one file of Laws stops at article 79
            assert {v.law for v in fewer} <= {"中华人民共和国长江保护法"}
            found = texts.setdefault(name, {})
            for version in versions:
                for one in library.entries(version, role=None):
                    key = version.law, version.promulgated, Position(*one.position[:2])
                    found[key] = found.get(key, "") + _bare(one.text)
    common = texts["just-laws"].keys() & texts["Laws"].keys()
    differing = [key for key in common if texts["just-laws"][key] != texts["Laws"][key]]
    assert len(common) > 23_000
    assert len(differing) <= 20

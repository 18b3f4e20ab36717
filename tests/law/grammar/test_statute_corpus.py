"""The real statutes: how many there are, where a first count was wrong, that nothing is lost."""

from __future__ import annotations

import csv
import gzip
import json
import re
import tarfile
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypedDict

import pytest

from hengfa.law.grammar.numerals import parse_article, parse_number
from hengfa.law.grammar.statute import Article, Statute, entries
from hengfa.law.grammar.statute_parsing import parse_statute

pytestmark = pytest.mark.shared


class Row(TypedDict):
    law: str
    version: str
    kind: str
    role: str
    n_articles: int
    source: dict[str, str]
    text: str


class Parsed(NamedTuple):
    row: Row
    statute: Statute

    @property
    def key(self) -> tuple[str, str]:
        return self.row["law"], self.row["version"]


@cache
def read_corpus(folder: Path) -> list[Parsed]:
    with gzip.open(folder / "statutes.jsonl.gz", "rt", encoding="utf-8") as file:
        return [Parsed(row, parse_statute(row["text"])) for row in map(json.loads, file)]


@pytest.fixture
def corpus(shared: Path) -> list[Parsed]:
    return read_corpus(shared / "data" / "statutes")


@pytest.fixture
def primary(corpus: list[Parsed]) -> list[Parsed]:
    """One text for each version of each statute, the Constitution among them."""
    return [
        parsed
        for parsed in corpus
        if parsed.row["role"] == "primary" and parsed.row["kind"] in {"statute", "constitution"}
    ]


def leaves(statute: Statute) -> int:
    return sum(entry.role == "leaf" for entry in entries(statute))


# By how much the first count of leaves was wrong, and why. The articles were right everywhere.
LISTS_WITHOUT_NUMBERS = {
    ("中华人民共和国全国人民代表大会组织法", "2021-03-11"): -4,
    ("中华人民共和国宪法", "1954-09-20"): -9,
    ("中华人民共和国宪法", "1979-07-01"): -8,
    ("中华人民共和国宪法", "1980-09-10"): -8,
    ("中华人民共和国宪法", "1982-12-04"): -14,
    ("中华人民共和国宪法", "1988-04-12"): -14,
    ("中华人民共和国宪法", "1993-03-29"): -14,
    ("中华人民共和国宪法", "1999-03-15"): -14,
    ("中华人民共和国宪法", "2004-03-14"): -14,
    ("中华人民共和国宪法", "2018-03-11"): -17,
    ("中华人民共和国海关关衔条例", "2003-02-28"): -2,
    ("中国人民解放军军官军衔条例", "1994-05-12"): -20,
    ("中华人民共和国预备役军官法", "2010-08-28"): -21,  # one of them a title
}
ITEMS_NUMBERED_OTHERWISE = {
    ("中华人民共和国国籍法", "1980-09-10"): -2,
    ("中华人民共和国户口登记条例", "1958-01-09"): -3,
}
LINES_INSIDE_ITEMS = {
    ("中华人民共和国海关法", "2021-04-29"): -1,
    ("中华人民共和国海商法", "1992-11-07"): -5,
    ("中华人民共和国海商法", "2025-10-28"): -6,
    ("中华人民共和国种子法", "2021-12-24"): -3,
}
ITEMS_ON_ONE_LINE = {
    ("中华人民共和国人民警察警衔条例", "2009-08-27"): 2,
    ("中华人民共和国食品安全法", "2015-04-24"): 1,
}
BROKEN_LINES = {
    ("中华人民共和国居民身份证法", "2011-10-29"): -1,
    ("中华人民共和国民事诉讼法", "1991-04-09"): -6,
}
TITLES_WITHOUT_A_MARK = {
    ("中华人民共和国农业技术推广法", "2012-08-31"): -1,
    ("中华人民共和国合同法", "1999-03-15"): -1,
    ("中华人民共和国监狱法", "2012-10-26"): -1,
}
NOTES = {
    ("中华人民共和国公共图书馆法", "2017-11-04"): -1,
    ("中华人民共和国刑法", "1997-03-14"): -94,
    ("中华人民共和国刑法", "2023-12-29"): -1,
}
DIFFERENCES = {
    **LISTS_WITHOUT_NUMBERS,
    **ITEMS_NUMBERED_OTHERWISE,
    **LINES_INSIDE_ITEMS,
    **ITEMS_ON_ONE_LINE,
    **BROKEN_LINES,
    **TITLES_WITHOUT_A_MARK,
    **NOTES,
}


def test_the_corpus_has_so_many_statutes_articles_and_leaves(primary: list[Parsed]) -> None:
    assert len({parsed.row["law"] for parsed in primary}) == 322
    assert len(primary) == 391
    assert sum(len(parsed.statute.articles) for parsed in primary) == 33_458
    assert sum(leaves(parsed.statute) for parsed in primary) == 66_799 + sum(DIFFERENCES.values())
    assert sum(DIFFERENCES.values()) == -282


def test_leaves_agree_with_the_index_but_for_known_cases(
    primary: list[Parsed], shared: Path
) -> None:
    with (shared / "data/statutes/index.tsv").open(encoding="utf-8") as file:
        index = {(row["law"], row["version"]): row for row in csv.DictReader(file, delimiter="\t")}
    found = {p.key: leaves(p.statute) - int(index[p.key]["leaf_entries"]) for p in primary}
    assert {key: difference for key, difference in found.items() if difference} == DIFFERENCES


def test_every_text_has_as_many_articles_as_its_row_says(corpus: list[Parsed]) -> None:
    assert [p.key for p in corpus if len(p.statute.articles) != p.row["n_articles"]] == []


def test_amending_acts_and_decisions_are_known_by_their_form(corpus: list[Parsed]) -> None:
    primary = [parsed for parsed in corpus if parsed.row["role"] == "primary"]
    assert Counter((parsed.row["kind"], parsed.statute.form) for parsed in primary) == {
        ("statute", "articles"): 380,
        ("statute", "numbered"): 1,
        ("constitution", "articles"): 10,
        ("amendment", "numbered"): 10,
        ("amendment", "none"): 2,
        ("amendment", "articles"): 6,
        ("decision", "numbered"): 3,
        ("decision", "none"): 5,
        ("decision", "articles"): 1,
    }


def test_only_one_item_list_does_not_run_on(primary: list[Parsed]) -> None:
    broken = [
        (*parsed.key, article.number)
        for parsed in primary
        for article in parsed.statute.articles
        for paragraph in article.paragraphs
        if [item.number for item in paragraph.items] != list(range(1, len(paragraph.items) + 1))
    ]
    assert broken == [("中华人民共和国宪法", "1954-09-20", 27)]  # 十 is printed for 十一


def characters(text: str) -> Counter[str]:
    return Counter(filter(str.isalnum, re.sub("</?br>", "", text)))


def kept(statute: Statute) -> Iterator[str]:
    yield from (statute.title, *statute.header, *statute.preamble, *statute.body)
    yield from (heading.label + heading.title for heading in statute.headings)
    for article in statute.articles:
        yield from (article.label, article.caption, article.full_text)
    yield from (annex.title + annex.text for annex in statute.annexes)
    yield from (unplaced.text for unplaced in statute.unplaced)


def test_nothing_is_lost_and_every_line_is_placed(corpus: list[Parsed]) -> None:
    for parsed in corpus:
        found = characters("\n".join(kept(parsed.statute)))
        assert found == characters(parsed.row["text"]), parsed.key
        reasons = {unplaced.reason for unplaced in parsed.statute.unplaced}
        assert reasons <= {"markup", "contents", "note"}, parsed.key


def bare(article: Article) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", article.full_text)))


def shape(article: Article) -> list[int]:
    return [len(paragraph.items) for paragraph in article.paragraphs]


def test_two_independent_sources_agree(corpus: list[Parsed]) -> None:
    sources: dict[str, dict[tuple[str, str], dict[str, Article]]] = {}
    for parsed in corpus:
        if parsed.row["kind"] in {"statute", "constitution"}:
            articles = {article.name: article for article in parsed.statute.articles}
            sources.setdefault(parsed.row["source"]["repo"], {})[parsed.key] = articles
    one, other = sources["X-STORAGE/Laws"], sources["ImCa0/just-laws"]
    both = one.keys() & other.keys()
    pairs = [
        (one[key][name], other[key][name])
        for key in both
        for name in one[key].keys() & other[key].keys()
    ]
    same = [pair for pair in pairs if bare(pair[0]) == bare(pair[1])]
    assert (len(both), len(pairs), len(same)) == (312, 25_385, 25_373)
    assert all(shape(article) == shape(found) for article, found in same)


CITATION = re.compile(
    r"(?:本法|本条例)(第[一二三四五六七八九十百千零]+条(?:之[一二三四五六七八九十]+)?)"
    r"((?:、?第[一二三四五六七八九十]+款)+)(?:第[（(]?([一二三四五六七八九十]+)[)）]?项)?"
)


def test_what_statutes_cite_of_themselves_is_there(primary: list[Parsed]) -> None:
    cited = 0
    for parsed in primary:
        found = {(a.number, a.sub): a.paragraphs for a in parsed.statute.articles}
        for citation in CITATION.finditer(parsed.row["text"]):
            article = parse_article(citation[1])
            assert article is not None
            inside = found[article.number, article.sub]
            numbers = [parse_number(text[1:-1]) for text in re.findall("第[^款]+款", citation[2])]
            assert all(isinstance(n, int) and n <= len(inside) for n in numbers), citation[0]
            if citation[3]:
                items = [item.number for item in inside[int(numbers[-1] or 0) - 1].items]
                assert parse_number(citation[3]) in items, citation[0]
            cited += 1
    assert cited > 400


@pytest.mark.parametrize(
    ("name", "with_articles"),
    [
        pytest.param("Laws-24f2939-national", 791, marks=pytest.mark.deep),
        ("just-laws-5c000d2", 329),
    ],
)
def test_the_upstream_files_are_read_as_they_are(
    shared: Path, name: str, with_articles: int
) -> None:
    read = 0
    with tarfile.open(shared / f"data/statutes/upstream/{name}.tar.xz") as archive:
        for member in archive:
            if not member.name.endswith(".md") or not (file := archive.extractfile(member)):
                continue
            statute = parse_statute(file.read().decode("utf-8"))
            numbers = [(article.number, article.sub) for article in statute.articles]
            assert numbers == sorted(set(numbers))
            reasons = {unplaced.reason for unplaced in statute.unplaced}
            assert reasons <= {"markup", "contents", "note"}, member.name
            read += bool(statute.articles)
    assert read == with_articles

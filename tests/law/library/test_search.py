"""Search by words and by questions."""

from __future__ import annotations

from datetime import date
from importlib.resources import files
from pathlib import Path
from shutil import copyfile
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hengfa.law.grammar.citation_model import Position
from hengfa.law.library import Library, find_law
from hengfa.law.library.article_index import articles_of
from hengfa.law.library.lay_words import lay_words, legal_words, with_legal_words
from hengfa.law.library.search import Ranking, quoted_in, search, shared_with, units_of
from tests.law.library.fictional import FERRY, TEA, WATER


def texts(library: Library, query: str, **options: object) -> list[str]:
    return [hit.text for hit in search(library, query, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize("query", ["以陈茶冒充新茶", "陈茶冒", "陈茶", "冒充", "充"])
def test_a_phrase_of_any_length_is_found_where_it_stands(library: Library, query: str) -> None:
    assert texts(library, query) == ["以陈茶冒充新茶；"]


def test_words_at_the_very_end_of_a_text_are_found(library: Library) -> None:
    assert texts(library, "新茶；", law=find_law(library, TEA)) == ["以陈茶冒充新茶；"]
    assert "罚款。" in texts(library, "款。")[0]


def test_all_words_come_before_some(library: Library) -> None:
    found = search(library, "茶馆 罚款 明码标价")
    assert not found[0].exact
    found = search(library, "处 五百元 罚款")
    assert found[0].exact
    assert found[0].text == "违反前款规定的，处五百元罚款。"


def test_a_question_finds_the_article_that_fits_it_with_its_words(library: Library) -> None:
    hit = search(library, "喝茶的地方可以强迫客人买点心吗？", on=date(2021, 1, 1))[0]
    assert (hit.version.law, hit.position) == (TEA, Position(4))
    assert not hit.exact
    assert hit.headings == ("第二章　经营",)
    assert hit.text.startswith("经营者不得有下列行为：\n（一）以陈茶冒充新茶；")


def test_the_legal_word_is_found_by_what_laypeople_say(library: Library) -> None:
    assert "出租人" in legal_words("房东不退钱")
    [hit, *_] = search(library, "店家乱来怎么办", on=date(2021, 1, 1))
    assert hit.text.startswith("经营者不得有下列行为")


def test_a_legal_word_that_the_question_has_is_not_added() -> None:
    assert legal_words("房东就是出租人") == []
    assert with_legal_words("茶馆应当明码标价") == "茶馆应当明码标价"


def test_the_table_of_lay_words_has_two_columns_and_no_line_twice() -> None:
    lines = files("hengfa.law.library").joinpath("lay_words.tsv").read_text("utf-8").splitlines()
    assert len(lines) == len(lay_words())
    assert len({line.partition("\t")[0] for line in lines}) == len(lines)
    for parts, legal in lay_words():
        assert all(map(all, parts)), parts
        assert all(legal), parts
        assert any(term not in way for term in legal for ways in parts for way in ways), parts


def test_an_expression_of_several_parts_is_read_when_all_are_said() -> None:
    assert "送交" in legal_words("不还钱包可以吗，我在路上捡到的")
    assert "送交" not in legal_words("钱包不还可以吗")
    assert "送交" not in legal_words("捡到钱包不还。" * 30)


def test_statutes_come_before_what_says_the_same(library: Library) -> None:
    articles = articles_of(library)
    kinds = {law.name: law.kind for law in library.laws()}
    query = ["茶馆应当备有救生衣"]
    plain = {hit.id: hit.score for hit in articles.index.search(query, 50)[0]}
    found = articles.search(query, 50)[0]
    for hit in found:
        statute = kinds[articles.place(hit.number)[0].law] == "statute"
        assert hit.score == pytest.approx(plain[hit.id] * (1.2 if statute else 1))
    assert {kinds[articles.place(hit.number)[0].law] for hit in found} > {"statute"}


def test_one_text_is_one_hit_however_often_it_stands(library: Library) -> None:
    hit, *others = search(library, "渡船应当备有救生衣")
    assert hit.version.law == WATER  # the latest
    assert hit.elsewhere == 1
    assert hit.text not in {other.text for other in others}


@pytest.mark.parametrize("query", ["罚款", "茶馆乱收钱要罚多少", "经营者不得有下列行为"])
def test_an_article_is_one_hit_however_many_versions_have_it(library: Library, query: str) -> None:
    hits = search(library, query, limit=1000)
    articles = [(hit.version.law, *hit.position[:2]) for hit in hits]
    assert len(articles) == len(set(articles))
    versions = [hit.version.promulgated for hit in hits if hit.position.article == 4]
    assert versions[0] == date(2020, 6, 1)


def test_an_article_that_shares_single_characters_only_is_no_hit(library: Library) -> None:
    articles = articles_of(library)
    assert articles.search(["谁的鲸"], 5)[0]
    assert search(library, "谁的鲸") == []


def test_a_query_in_quotation_marks_finds_only_what_holds_it(library: Library) -> None:
    for query in ("“明码标价”", '"明码标价" “茶馆”', "「明码标价」"):
        assert {hit.text for hit in search(library, query)} == {"茶馆应当明码标价。"}
    assert search(library, "“不明码标价”") == []
    assert quoted_in("“” “乙”") == ["乙"]


def test_a_question_with_words_in_quotation_marks_is_a_question(library: Library) -> None:
    hit = search(library, "茶馆“不明码标价”怎么办")[0]
    assert hit.text.startswith("茶馆应当明码标价。")


def test_a_passage_finds_every_wording_and_makes_no_index(fictional_file: Path) -> None:
    with Library.open(_copied(fictional_file)) as library:
        hits = shared_with(library, "违反前款规定，处一百元的罚款", 5)
        assert [hit.text for hit in hits[:2]] == [
            "违反前款规定的，处一百元罚款。",
            "违反前款规定的，处五百元罚款。",
        ]
        assert hits[0].version.promulgated == date(2001, 3, 10)
        exact = shared_with(library, "处一百元罚款", 5)
        assert [hit.exact for hit in exact] == [True] + [False] * (len(exact) - 1)
        assert len({hit.text for hit in exact}) == len(exact)
        assert shared_with(library, "，。", 5) == []
        assert not (library.path.parent / "indexes").exists()


def test_the_words_of_a_hit_are_those_of_the_library(fictional_file: Path) -> None:
    with Library.open(_copied(fictional_file)) as library:
        search(library, "喝茶的地方可以强迫客人买点心吗？")
        [folder] = (library.path.parent / "indexes").iterdir()
    content = (folder / "texts.content.npy").read_bytes()
    changed = content.replace("点心".encode(), "假药".encode())
    assert changed != content
    (folder / "texts.content.npy").write_bytes(changed)
    with Library.open(library.path) as again:
        assert any("购买假药" in text for text in articles_of(again).texts)
        hits = search(again, "喝茶的地方可以强迫客人买点心吗？")
        assert any("（二）强迫客人购买点心；" in hit.text for hit in hits)


def test_an_index_lies_beside_the_library_and_is_made_once(fictional_file: Path) -> None:
    messages: list[str] = []
    with Library.open(_copied(fictional_file)) as library:
        articles_of(library, messages.append)
        assert messages == ["making an index of all articles; this happens once"]
        [folder] = (library.path.parent / "indexes").iterdir()
        articles_of(library, messages.append)
    with Library.open(library.path) as again:
        articles_of(again, messages.append)
    assert len(messages) == 1
    assert (folder / "manifest.json").is_file()


def test_an_index_that_is_damaged_is_made_anew(fictional_file: Path) -> None:
    messages: list[str] = []
    with Library.open(_copied(fictional_file)) as library:
        found = search(library, "茶馆怎么标价")
        [folder] = (library.path.parent / "indexes").iterdir()
    (folder / "ids.content.npy").write_bytes(b"")
    with Library.open(library.path) as again:
        articles_of(again, messages.append)
        assert messages[0].startswith("making an index")
        assert search(again, "茶馆怎么标价") == found


def test_where_nothing_can_be_written_a_search_works(fictional_file: Path) -> None:
    messages: list[str] = []
    copy = _copied(fictional_file)
    (copy.parent / "indexes").write_text("a file")
    with Library.open(copy) as library:
        articles_of(library, messages.append)
        assert "cannot be kept" in messages[1]
        assert search(library, "茶馆怎么标价")


def test_ids_of_articles_name_the_version_unless_it_is_the_latest(library: Library) -> None:
    articles = articles_of(library)
    assert {f"{TEA}/4-1", f"{TEA}/4", f"{TEA}/3@2001-03-10", f"{FERRY}/1"} <= set(articles.ids)
    for number, name in enumerate(articles.ids):
        version, position = articles.place(number)
        assert name.startswith(f"{version.law}/{position.article}")
        assert articles.texts[number] == library.text(version, position)


def _copied(file: Path) -> Path:
    folder = Path(mkdtemp(dir=file.parent))
    return Path(copyfile(file, folder / file.name))


def test_a_day_limits_the_search_to_what_was_in_force(library: Library) -> None:
    hit, *_ = search(library, "渡船应当备有救生衣", on=date(2005, 1, 1))
    assert (hit.version.law, hit.elsewhere) == (FERRY, 0)
    assert search(library, "渡船应当备有救生衣", on=date(1990, 1, 1)) == []
    # in 2012 a version of 2008 was in force whose text is unknown
    assert search(library, "明码标价", on=date(2012, 1, 1)) == []
    assert search(library, "明码标价", on=date(2012, 1, 1), reading="latest by") == []


def test_a_search_can_be_held_to_a_law_or_a_kind(library: Library) -> None:
    assert search(library, "救生衣", law=find_law(library, TEA)) == []
    hits = search(library, "法院管辖", kinds=["interpretation"])
    assert {hit.version.kind for hit in hits} == {"interpretation"}
    assert search(library, "法院管辖", kinds=["statute"]) == []


@pytest.mark.parametrize(
    "query", ["", "   ", "？！", "不存在的词", '"', "OR", "a" * 10_000, "茶*", "NEAR("]
)
def test_nothing_typed_into_a_search_can_break_it(library: Library, query: str) -> None:
    assert isinstance(search(library, query), list)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(max_size=60))
def test_no_string_breaks_a_search(library: Library, query: str) -> None:
    for hit in search(library, query, limit=3):
        assert hit.text


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 30), st.integers(1, 12))
def test_every_part_of_every_text_is_found_exactly(
    library: Library, number: int, start: int, length: int
) -> None:
    everything = [e for v in library.versions() for e in library.entries(v, role=None)]
    entry = everything[number % len(everything)]
    part = entry.text[start % len(entry.text) :][:length]
    if not set(part) & set("，。；：、（）《》"):
        law = library.shelf.version_of[entry.version].law
        exact = [hit for hit in search(library, part, limit=1000) if hit.exact]
        assert all(part in hit.text for hit in exact)
        # in its own place, or folded into one in another
        assert any(
            hit.elsewhere
            or (hit.version.law, hit.position.article) == (law, entry.position.article)
            for hit in exact
        )


def test_rare_pairs_weigh_more_than_common_ones() -> None:
    ranking = Ranking({"抚养": 10, "可以": 10_000}, 80_000)
    assert ranking.score("抚养费。") > ranking.score("可以。") > ranking.score("其他。") == 0


def test_units_are_pairs() -> None:
    assert units_of(["抚养费", "罪", "抚养"]) == ["抚养", "养费", "罪"]


def test_a_question_of_a_thousand_words_is_searched(library: Library) -> None:
    words = (chr(0x4E00 + number) for number in range(1_000))
    assert search(library, "以陈茶冒充新茶 " + " ".join(words))

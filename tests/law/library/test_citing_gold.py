"""The labelled citations: well-formed, found in their documents, and filled from the library."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from pathlib import Path
from typing import get_args

import pytest

from hengfa.law.grammar.citation_positions import format_position, parse_position
from hengfa.law.library import Library
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.matching import QUOTED, normalise
from tests.law.library.citing_gold import (
    FOLDER,
    PLACEHOLDER,
    Gold,
    GoldDocument,
    Labelled,
    Part,
    Style,
    changed,
    fill,
    place,
    read_part,
)
from tests.law.library.citing_gold.comparison import bases, compare, faults
from tests.law.library.citing_laws import COAST

DOCUMENTS = [document for part in get_args(Part) for document in read_part(part)]
LABELLED = [labelled for document in DOCUMENTS for labelled in document.citations]


def test_every_document_stands_in_one_part() -> None:
    assert max(Counter(document.id for document in DOCUMENTS).values()) == 1
    assert max(Counter(document.text for document in DOCUMENTS).values()) == 1


def test_all_parts_have_every_style_and_enough_of_each_label() -> None:
    for part in get_args(Part):
        documents = read_part(part)
        assert {document.style for document in documents} == set(get_args(Style))
        golds = Counter(label.gold for document in documents for label in document.citations)
        assert golds.total() >= 170
        assert min(golds["bad"] / 0.2, golds["good"] / 0.4, golds["abstain"] / 0.02) > golds.total()


def test_the_readme_explains_every_style() -> None:
    readme = (FOLDER / "README.md").read_text("utf-8")
    assert [style for style in get_args(Style) if f"\n| {style} |" not in readme] == []


def test_braces_are_placeholders_and_citations_stand_outside_them() -> None:
    for document in DOCUMENTS:
        outside = PLACEHOLDER.sub("\0", document.text)
        assert not re.search(r"[{}]", outside), document.id
        for labelled in document.citations:
            assert outside.count(labelled.written) >= labelled.nth, document.id


def test_positions_are_written_as_the_checker_writes_them() -> None:
    for labelled in LABELLED:
        for part in labelled.position.split("至"):
            position = parse_position(part)
            assert position and format_position(position) == part, labelled


def test_labels_say_why_and_only_what_is_not_ours_has_no_law() -> None:
    def sound(labelled: Labelled) -> bool:
        return bool(labelled.why) and (labelled.law is None) == (labelled.gold == "abstain")

    assert [labelled for labelled in LABELLED if not sound(labelled)] == []


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("from:2", "日出后熄灯；但是，有雾的除外。"),
        ("to:1", "日落前点灯。"),
        ("drop:但书", "日落前点灯。日出后熄灯。"),
        ("swap:点灯→开灯", "日落前开灯。日出后熄灯；但是，有雾的除外。"),
        ("open", "日落前点灯。日出后熄灯；但是，有雾的除外"),
        ("traditional", "日落前點燈。日出後熄燈；但是，有霧的除外。"),
    ],
)
def test_operators_change_words(operator: str, expected: str) -> None:
    assert changed("日落前点灯。日出后熄灯；但是，有雾的除外。", operator) == expected


def test_an_operator_that_finds_nothing_to_change_is_refused() -> None:
    with pytest.raises(AssertionError, match="changes nothing"):
        changed("日落前点灯。", "swap:熄灯→关灯")


def _counted(file: Path, text: str, *labels: tuple[str, str | None, str, Gold]) -> list[list[str]]:
    """The rows in which each label counts, and after them each finding that has no label."""
    labelled = tuple(Labelled(*label, why="") for label in labels)
    document = GoldDocument("coast", "everyday", text, labelled, today=date(2021, 5, 5))
    with Library.open(file) as library:
        return [list(faults(pair)) for pair in compare(document, Checker(library))]


FOURTH = f"《{COAST}》第四条"
HARES = "《云港野兔法》第四条"


@pytest.mark.parametrize(
    ("text", "label", "rows"),
    [
        (FOURTH, (FOURTH, COAST, "第四条", "good"), []),
        (FOURTH, (FOURTH, COAST, "第四条", "bad"), ["bad called right"]),
        (FOURTH, (FOURTH, None, "第四条", "abstain"), ["not ours, called right"]),
        (FOURTH, (FOURTH, "云港渔港法", "第四条", "good"), ["wrong law"]),
        (FOURTH, (FOURTH, COAST, "第五条", "good"), ["wrong position"]),
        (FOURTH, ("四条", COAST, "第四条", "good"), []),
        (
            f"《{COAST}》第九条",
            (f"《{COAST}》第九条", COAST, "第九条", "good"),
            ["good called wrong"],
        ),
        (f"《{COAST}》第九条", (f"《{COAST}》第九条", COAST, "第九条", "bad"), []),
        (f"《{COAST}》第九条", ("第九条", None, "第九条", "abstain"), ["not ours, called wrong"]),
        (HARES, (HARES, COAST, "第四条", "good"), ["abstained on good"]),
        (HARES, (HARES, COAST, "第四条", "bad"), ["abstained on bad"]),
        (HARES, (HARES, None, "第四条", "abstain"), []),
        ("海岸法的四", ("海岸法的四", COAST, "第四条", "bad"), ["missed"]),
        ("海岸法的四", ("海岸法的四", None, "第四条", "abstain"), []),
    ],
)
def test_a_label_and_a_finding_count_where_they_differ(
    coast_file: Path, text: str, label: tuple[str, str | None, str, Gold], rows: list[str]
) -> None:
    assert _counted(coast_file, f"依照{text}。", label) == [rows]


def test_a_changed_word_is_a_flag_on_a_bad_citation_and_no_fault_on_a_good_one(
    coast_file: Path,
) -> None:
    text = f"{FOURTH}规定：“{{{COAST}@2020-01-01 第四条|swap:一小时→1个小时}}”"
    for gold in ("good", "bad"):
        assert _counted(coast_file, text, (FOURTH, COAST, "第四条", gold)) == [[]]


def test_findings_without_a_label_are_false_unless_the_law_itself_cites(coast_file: Path) -> None:
    fine = f"牌上写着：“{{{COAST}@2020-01-01 第二条第二款}}”。依照{FOURTH}"
    assert _counted(coast_file, fine, (FOURTH, COAST, "第四条", "good")) == [[]]
    assert _counted(coast_file, f"{FOURTH}、第五条", (FOURTH, COAST, "第四条", "good")) == [
        [],
        ["false finds"],
    ]


def test_shares_are_of_those_that_could_fail(coast_file: Path) -> None:
    labels = (
        Labelled(FOURTH, COAST, "第四条", "good", ""),
        Labelled("甲", None, "第一条", "bad", ""),
    )
    document = GoldDocument("coast", "everyday", f"{FOURTH}，甲", labels)
    with Library.open(coast_file) as library:
        of = bases(compare(document, Checker(library)))
    assert (of["missed"], of["false finds"], of["good called wrong"]) == (2, 1, 1)
    assert (of["bad called right"], of["abstained on bad"], of["wrong law"]) == (1, 1, 1)


@pytest.mark.shared
def test_placeholders_are_filled_and_citations_stand_where_they_are_said_to(
    corpus: Library,
) -> None:
    names = {law.name for law in corpus.laws()}
    for document in DOCUMENTS:
        text = fill(corpus, document.text)
        assert "{" not in text
        for labelled, start, end in place(corpus, document):
            assert text[start:end] == labelled.written
            assert labelled.law is None or labelled.law in names


@pytest.mark.shared
def test_documents_hold_no_long_run_of_words_of_the_law(corpus: Library) -> None:
    """Placeholders have them instead. Titles of laws are names and may be written."""
    run = 20
    runs: dict[str, str] = {}
    for document in DOCUMENTS:
        for own in PLACEHOLDER.sub("\0", re.sub("《.*?》", "\0", document.text)).split("\0"):
            letters = normalise(own, QUOTED)
            runs |= {letters[i : i + run]: document.id for i in range(len(letters) - run + 1)}
    copied = set()
    for version in corpus.versions():
        for provision in corpus.entries(version, None):
            letters = normalise(provision.text, QUOTED)
            copied |= {
                runs[letters[i : i + run]]
                for i in range(len(letters) - run + 1)
                if letters[i : i + run] in runs
            }
    assert copied == set()

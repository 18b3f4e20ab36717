"""Rubrics in YAML: friendly to write, named errors, and the same when read back."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.errors import DataError
from hengfa.evals.grading.rubric import (
    Deduction,
    Gate,
    Item,
    Level,
    Order,
    OrderKind,
    Penalty,
    Rubric,
    Section,
)
from hengfa.evals.grading.rubric_file import chain, read_rubric
from tests.conftest import REPOSITORY
from tests.evals.grading.rubric_yaml import write_rubric

SMALL = """
sections:
  - title: 结论
    items:
      - text: 合同可以解除
        points: 5
        deductions:
          - {text: 没有说明理由, points: 2, most: 3}
          - {text: 每少一个当事人, points: 1, each: true, cap: 4}
        gates:
          - text: 结论相反
  - title: 推理
    id: r
    maximum: 15
    order: strict
    items:
      - {text: 看船, points: 10, step: 1, elements: [船头, 船尾]}
      - {text: 看桨, levels: {好: 10, 中: 5, 差: 0}}
    gates: [{text: 抄来的, leaves: -5, id: copied}, {text: 只看了船, leaves: 6, tier: true}]
  - title: 法条
    counts: false
    items:
      - {text: 《船法》第1条, points: 5, statute: true, alternatives: [《桨法》第2条]}
penalties:
  - {text: 引错法条, points: 10, times: 3}
  - {text: 教人作假, all: true}
"""


def read(folder: Path, text: str) -> Rubric:
    file = folder / "boat.yaml"
    file.write_text(text, encoding="utf-8")
    return read_rubric(file)


def test_ids_and_maxima_are_made(tmp_path: Path) -> None:
    rubric = read(tmp_path, SMALL)
    assert (rubric.id, rubric.maximum) == ("boat", 20.0)  # 5 + 15; 法条 does not count
    conclusion, reasoning, statutes = rubric.sections
    assert (conclusion.id, conclusion.maximum) == ("结论", 5.0)
    (item,) = conclusion.items
    assert item.deductions == (
        Deduction("结论.1-d1", "没有说明理由", 2.0, 3.0),
        Deduction("结论.1-d2", "每少一个当事人", 1.0, None, True, 4.0),
    )
    assert item.gates == (Gate("结论.1-g1", "结论相反"),)
    assert reasoning.maximum == 15.0
    assert [one.id for one in reasoning.items] == ["r.1", "r.2"]
    assert reasoning.order == Order(OrderKind.STRICT, (("r.1", "r.2"),))
    assert reasoning.gates == (
        Gate("copied", "抄来的", -5.0),
        Gate("r-g2", "只看了船", 6.0, tier=True),
    )
    assert reasoning.items[0].elements == ("船头", "船尾")
    assert reasoning.items[1].maximum == 10.0
    assert reasoning.items[1].levels == (Level("好", 10.0), Level("中", 5.0), Level("差", 0.0))
    assert statutes.items[0].statute
    assert rubric.penalties == (
        Penalty("p1", "引错法条", 10.0, 3),
        Penalty("p2", "教人作假", 0.0, None, True),
    )


@pytest.mark.parametrize(
    ("order", "kind", "pairs"),
    [
        ("strict", OrderKind.STRICT, (("s.1", "s.2"), ("s.1", "c"), ("s.2", "c"))),
        ("free", OrderKind.FREE, ()),
        ("[[1, 3], [s.2, c]]", OrderKind.PARTIAL, (("s.1", "c"), ("s.2", "c"))),
        ("{kind: partial, pairs: [[s.1, c]]}", OrderKind.PARTIAL, (("s.1", "c"),)),
    ],
)
def test_orders(
    tmp_path: Path, order: str, kind: OrderKind, pairs: tuple[tuple[str, str], ...]
) -> None:
    items = "[{text: a, points: 1}, {text: b, points: 1}, {text: c, points: 1, id: c}]"
    rubric = read(tmp_path, f"sections: [{{title: s, order: {order}, items: {items}}}]")
    assert rubric.sections[0].order == Order(kind, pairs)


def one(item: str = "text: a, points: 1", more: str = "", top: str = "") -> str:
    return f"sections: [{{title: s, items: [{{{item}}}]{more}}}]\n{top}"


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("", "", "expected fields such as sections, id, maximum, not nothing"),
        ("[1]", "", "not a list"),
        ("titel: x", "titel", "there is no such field; there is: sections"),
        ("section: []", "section", "did you mean 'sections'?"),
        ("id: x", "sections", "this field is missing"),
        ("sections: []", "sections", "at least one section"),
        ("sections: 5", "sections", "expected a list, not 5"),
        ("sections: [{title: s, items: []}]", "sections[0].items", "section 1 has no items"),
        ("sections: [{items: []}]", "sections[0].title", "this field is missing"),
        (one("text: a"), "sections[0].items[0].points", "this field is missing"),
        (one("text: a, points: -1"), "sections[0].items[0].points", "-1 is negative points"),
        (one("text: a, points: x"), "sections[0].items[0].points", "expected a number, not 'x'"),
        (one("text: a, points: .inf"), "sections[0].items[0].points", "not infinite"),
        (one("text: a, points: .nan"), "sections[0].items[0].points", "not infinite"),
        (
            one("text: a, points: true"),
            "sections[0].items[0].points",
            "expected a number, not True",
        ),
        (one("text: 2020-01-01, points: 1"), "sections[0].items[0].text", "put it in quotes"),
        (one("text: '', points: 1"), "sections[0].items[0].text", "not nothing"),
        (one("text: a, points: 1, tekst: b"), "sections[0].items[0].tekst", "did you mean 'text'?"),
        (one("text: a, points: 1, step: 0"), "sections[0].items[0].step", "whole number from 1"),
        (one("text: a, points: 1, statute: 1"), "sections[0].items[0].statute", "true or false"),
        (
            one("text: a, points: 1, levels: {good: 2}"),
            "sections[0].items[0].levels",
            "'good' is worth 2, the item only 1",
        ),
        (
            one("text: a, points: 1, levels: [{name: b, points: 1}, {name: b, points: 0}]"),
            "sections[0].items[0].levels[1]",
            "two grades are called 'b'",
        ),
        (
            one("text: a, points: 1, deductions: [{text: b, points: 3, most: 2}]"),
            "sections[0].items[0].deductions[0].most",
            "2 is below 3",
        ),
        (
            one("text: a, points: 1, id: x, gates: [{text: b, id: x}]"),
            "sections[0].items[0].gates[0].id",
            "the id 'x' is that of sections[0].items[0] already",
        ),
        (one(more=", order: sideways"), "sections[0].order", "expected one of strict, partial"),
        (one(more=", order: [[1, 2]]"), "sections[0].order[0][1]", "the section has 1 items"),
        (one(more=", order: [[s.1, t]]"), "sections[0].order[0][1]", "no item of the section"),
        (one(more=", order: [[1, 1]]"), "sections[0].order[0]", "cannot come before itself"),
        (one(more=", order: [[1]]"), "sections[0].order[0]", "expected two items"),
        (
            one(more=", order: {kind: free, pairs: [[1, 1]]}"),
            "sections[0].order.pairs[0]",
            "cannot come before itself",
        ),
        (
            "sections: [{title: s, order: [[1, 2], [2, 1]], items: ["
            + "{text: a, points: 1}," * 2
            + "]}]",
            "sections[0].order",
            "come before each other in a circle: s.1, s.2",
        ),
        (
            "sections: ["
            + "".join(f"{{title: s, items: [{{text: a, points: 1, id: {n}}}]}}," for n in "ab")
            + "]",
            "sections[1].id",
            "two sections are called 's'",
        ),
        (one(top="penalties: [{text: a}]"), "penalties[0].points", "this field is missing"),
        (one(top="maximum: 0"), "maximum", "nothing can be earned"),
        (one("text: a, points: 0"), "", "nothing can be earned"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    tmp_path: Path, text: str, place: str, problem: str
) -> None:
    with pytest.raises(DataError) as error:
        read(tmp_path, text)
    said = str(error.value)
    assert said.startswith(
        f"{tmp_path / 'boat.yaml'}" + (f", field '{place}': " if place else ": ")
    )
    assert problem in said


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: &x 1\nb: *x", "row 1: anchors and aliases"),
        ("a: *x", "row 1: anchors and aliases"),
        ("id: a\nid: b", "row 2: the field 'id' is there twice"),
        ("sections: [", "row 1: not readable as YAML"),
        ("a: b: c", "row 1: not readable as YAML"),
        ("!!python/object/apply:os.system ['true']", "not readable as YAML"),
        ("--- 1\n--- 2", "not readable as YAML"),
        ("id: \x07", "not readable as YAML"),
        ('title: x\nid: "\\ud800"', "row 2: half of a character"),
        ("[" * 5000, "nested deeper than 20 levels"),
        ("2020-13-45", "not readable as YAML"),
    ],
)
def test_what_is_no_plain_yaml_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(DataError, match=r"boat\.yaml") as error:
        read(tmp_path, text)
    assert problem in str(error.value)


def test_a_bomb_of_aliases_does_not_go_off(tmp_path: Path) -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for old, new in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]")
    begun = time.monotonic()
    with pytest.raises(DataError, match="anchors and aliases"):
        read(tmp_path, "\n".join(lines))
    assert time.monotonic() - begun < 5


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="larger than 256 KB"):
        read(tmp_path, "id: " + "x" * 10_000_000)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"id: \xff"])
def test_what_is_no_utf8_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "boat.yaml"
    file.write_bytes(content)
    with pytest.raises(DataError, match="not UTF-8"):
        read_rubric(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.yaml"):
        read_rubric(tmp_path / "none.yaml")


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(str.strip)
POINTS = st.floats(0, 100, allow_nan=False).map(lambda number: round(number, 2) + 0.0)


@st.composite
def rubrics(draw: st.DrawFn) -> Rubric:
    """Any rubric with sound ids."""
    number = 0

    def new() -> str:
        nonlocal number
        number += 1
        return f"{draw(TEXT)}-{number}"

    def deductions() -> tuple[Deduction, ...]:
        made = []
        for _ in range(draw(st.integers(0, 2))):
            points = draw(POINTS)
            most = draw(st.none() | st.just(points + 1))
            cap = draw(st.none() | POINTS)
            made.append(Deduction(new(), draw(TEXT), points, most, draw(st.booleans()), cap))
        return tuple(made)

    def gates() -> tuple[Gate, ...]:
        return tuple(
            Gate(new(), draw(TEXT), draw(st.sampled_from([0.0, 9.0, -10.0])), draw(st.booleans()))
            for _ in range(draw(st.integers(0, 2)))
        )

    def item() -> Item:
        maximum = draw(POINTS)
        levels = tuple(Level(new(), maximum / n) for n in range(1, draw(st.integers(1, 3))))
        return Item(
            new(),
            draw(TEXT),
            maximum,
            deductions(),
            gates(),
            levels,
            tuple(draw(st.lists(TEXT, max_size=2))),
            tuple(draw(st.lists(TEXT, max_size=2))),
            draw(st.none() | st.integers(1, 9)),
            draw(st.booleans()),
        )

    def section() -> Section:
        items = tuple(item() for _ in range(draw(st.integers(1, 3))))
        kind = draw(st.sampled_from(OrderKind))
        pairs = chain(items)
        if kind is OrderKind.PARTIAL:
            pairs = pairs[: draw(st.integers(0, len(pairs)))]
        elif kind is not OrderKind.STRICT:
            pairs = ()
        order = Order(kind, pairs, draw(st.just("") | TEXT))
        group = draw(st.just("") | TEXT)
        maximum = draw(POINTS)
        return Section(
            new(),
            draw(TEXT),
            maximum,
            items,
            deductions(),
            gates(),
            order,
            group,
            draw(st.booleans()),
        )

    sections = tuple(section() for _ in range(draw(st.integers(1, 2))))
    penalties = tuple(
        Penalty(
            new(),
            draw(TEXT),
            draw(POINTS),
            draw(st.none() | st.integers(1, 9)),
            draw(st.booleans()),
        )
        for _ in range(draw(st.integers(0, 2)))
    )
    return Rubric(draw(TEXT), draw(POINTS) + 1, sections, penalties)


@settings(deadline=None, max_examples=60)
@given(rubric=rubrics())
def test_what_is_written_reads_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, rubric: Rubric
) -> None:
    file = tmp_path_factory.mktemp("written") / "r.yaml"
    write_rubric(rubric, file)
    assert read_rubric(file) == rubric


def test_the_example_of_the_docs_is_a_rubric(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "grading.md").read_text("utf-8")
    (example,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    rubric = read(tmp_path, example)
    assert rubric.maximum == 35.0
    assert [item.id for item in rubric.items()] == [
        "结论.1",
        "推理.1",
        "推理.2",
        "法条.1",
        "文字.1",
    ]


@settings(deadline=None, max_examples=100)
@given(text=st.text(max_size=200))
def test_any_text_is_a_rubric_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    file = tmp_path_factory.mktemp("any") / "r.yaml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(DataError):
        read_rubric(file)

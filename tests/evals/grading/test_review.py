"""What reviewers say of what was made, and how far they agree; hand-computed."""

from __future__ import annotations

from pathlib import Path

import pytest

from hengfa.base.errors import DataError
from hengfa.evals.grading.people.review import (
    item_agreement,
    not_whole,
    objections,
    outvoted,
    read_review,
    review_rubric,
)

RUBRIC = review_rubric("made", "可用", (("natural", "通顺。"), ("keep", "保留。")))
NAMES = [f"t{n}" for n in range(1, 6)]
HEAD = "submission,item,maximum,points,rater"


def table(folder: Path, name: str, *rows: str) -> Path:
    file = folder / f"{name}.csv"
    file.write_text("\n".join((HEAD, *(f"x/{row}" for row in rows))), "utf-8")
    return file


def votes(folder: Path, rater: str, item: str, said: str) -> Path:
    """`yn-` is yes to the first, no to the second, nothing to the third."""
    points = {"y": "1", "n": "0", "-": ""}
    told = zip(NAMES, said, strict=True)
    rows = (f"{name},{item},1,{points[vote]},{rater}" for name, vote in told)
    return table(folder, f"{rater}-{item}", *rows)


def test_who_said_what_and_how_far_they_agree(tmp_path: Path) -> None:
    """Of a and b: 3 of 4 alike, chance (3*2+1*2)/16; c adds t1 and t3."""
    tables = [
        votes(tmp_path, "a", "keep", "yyny-"),
        votes(tmp_path, "b", "keep", "ynny-"),
        votes(tmp_path, "c", "keep", "n-n--"),
        votes(tmp_path, "a", "natural", "yyyyy"),
    ]
    said = read_review(RUBRIC, "x/", NAMES, tables)
    assert objections(said, "keep") == ["t1", "t2", "t3"]
    assert outvoted(said, "keep") == ["t2", "t3"]  # t1 has two of three, t2 one of two
    assert not_whole(said) == ["t5"]
    two = item_agreement(read_review(RUBRIC, "x/", NAMES, tables[:2]), "keep")
    assert (two.reviewed, two.several, two.yes, two.alike) == (4, 4, 5 / 8, 3 / 4)
    assert two.kappa == pytest.approx((3 / 4 - 1 / 2) / (1 - 1 / 2))
    three = item_agreement(said, "keep")
    assert (three.reviewed, three.several, three.yes) == (4, 4, 5 / 10)
    assert three.alike == pytest.approx((1 + 0 + 3 + 1) / (3 + 1 + 3 + 1))
    assert three.alpha is not None
    assert 0 < three.alpha < 1
    alone = item_agreement(said, "natural")
    assert (alone.reviewed, alone.yes, alone.several) == (5, 1.0, 0)
    assert alone.alike is alone.kappa is alone.alpha is None


def test_nobody_said_anything(tmp_path: Path) -> None:
    said = read_review(RUBRIC, "x/", NAMES, [votes(tmp_path, "a", "keep", "-----")])
    assert (objections(said, "keep"), outvoted(said, "keep")) == ([], [])
    assert not_whole(said) == NAMES
    assert item_agreement(said, "keep").yes is None


def test_scores_of_other_things_and_twice_by_one_reviewer_are_refused(tmp_path: Path) -> None:
    for row in ("t9,keep,1,1,a", "t1,clarity,1,1,a"):
        with pytest.raises(DataError, match="not of this review"):
            read_review(RUBRIC, "x/", NAMES, [table(tmp_path, "s", row)])
    once, again = table(tmp_path, "s", "t1,keep,1,1,a"), table(tmp_path, "r", "t1,keep,1,0,a")
    with pytest.raises(DataError, match="by 'a' in another table already"):
        read_review(RUBRIC, "x/", NAMES, [once, again])

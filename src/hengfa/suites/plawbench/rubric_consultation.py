"""The rubric of a consultation: a total, then one question a line with its points (spec 3.1)."""

from __future__ import annotations

import re
from typing import Final

from hengfa.errors import DataError
from hengfa.grading.rubric import Item, Rubric, Section
from hengfa.suites.plawbench.rubric_defects import (
    Code,
    Defect,
    Parsed,
    check_items,
    check_size,
    defect,
    shown,
)

SECTION: Final = "提问"
TITLE: Final = "应当追问的要点"

# 总分：16分 | 总分: 15 分. Not 总分值较高.
_TOTAL: Final = re.compile(r"\s*总分\s{0,4}[：:]\s{0,4}(\d{1,4}(?:\.\d{1,2})?)\s{0,4}分?\s*")
# 1.(+3 分) 是否报警？ | 8. （+1分）… | 10.(+2分）…. Not 2020 年 10 月, which has no marker.
_ITEM: Final = re.compile(
    r"\s*(?P<number>\d{1,3})\s{0,4}[.．、]\s{0,4}"
    r"[（(]\s{0,4}[+＋]\s{0,4}(?P<points>\d{1,3}(?:\.\d{1,2})?)\s{0,4}分?\s{0,4}[）)]"
)


def parse_consultation(text: str, rubric_id: str) -> Parsed:
    """Every line as an item; a line that is neither total nor item belongs to the one before it."""
    check_size(text, rubric_id, "rubrics")
    stated: float | None = None
    numbers: list[int] = []
    points: list[float] = []
    texts: list[list[str]] = []
    for line in text.splitlines():
        if total := _TOTAL.fullmatch(line):
            stated = float(total[1])
        elif marked := _ITEM.match(line):
            numbers.append(int(marked["number"]))
            points.append(float(marked["points"]))
            texts.append([line[marked.end() :].strip()])
        elif line.strip():
            if not texts:
                raise DataError(
                    f"{line.strip()[:40]!r} is neither a total nor a question with points",
                    file=rubric_id,
                    field="rubrics",
                )
            texts[-1].append(line.strip())
    check_items(len(points), rubric_id, "rubrics")
    if not sum(points):
        raise DataError("no question with points is here", file=rubric_id, field="rubrics")
    if silent := next((n for n, lines in enumerate(texts, start=1) if not any(lines)), None):
        raise DataError(f"question {silent} has no words", file=rubric_id, field="rubrics")
    items = tuple(
        Item(f"{SECTION}.{place}", "\n".join(lines), value)
        for place, (lines, value) in enumerate(zip(texts, points, strict=True), start=1)
    )
    maximum = sum(points)
    section = Section(SECTION, TITLE, maximum, items)
    defects = tuple(_defects(stated, maximum, numbers))
    return Parsed(Rubric(rubric_id, maximum, (section,)), defects)


def _defects(stated: float | None, total: float, numbers: list[int]) -> list[Defect]:
    found: list[Defect] = []
    if stated is None:
        found.append(
            defect(Code.NO_TOTAL, "", f"no total is stated, the items have {shown(total)}")
        )
    elif stated != total:
        says = f"the total says {shown(stated)}, the items have {shown(total)}"
        found.append(defect(Code.TOTAL, "", says))
    if numbers != list(range(1, len(numbers) + 1)):
        odd = next(n for place, n in enumerate(numbers, start=1) if n != place)
        found.append(defect(Code.NUMBERING, SECTION, f"the number {odd} is out of sequence"))
    return found

"""Labelled citations beside what the checker finds: who counts in which row of the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import Checked
from tests.law.library.citing_gold import GoldDocument, Labelled, Placed, fill, law_words, place

Call: TypeAlias = Literal["missed", "right", "flagged", "abstained"]


class Compared(NamedTuple):
    """A citation that was labelled, found, or both."""

    document: GoldDocument
    labelled: Labelled | None
    checked: Checked | None

    @property
    def call(self) -> Call:
        if self.checked is None:
            return "missed"
        if self.checked.status in {"exists", "unknown", "unclear", "paper"}:
            return "abstained"
        good = self.labelled is not None and self.labelled.gold == "good"
        right = {"right", "wording"} if good else {"right"}
        return "right" if self.checked.status in right else "flagged"


ROWS = (
    "missed", "false finds", "bad called right", "good called wrong", "abstained on good",
    "abstained on bad", "wrong law", "wrong position", "not ours, called right",
    "not ours, called wrong",
)  # fmt: skip


def faults(compared: Compared) -> Iterator[str]:
    """The rows of the table in which a citation counts."""
    labelled, checked = compared.labelled, compared.checked
    if labelled is None:
        yield "false finds"
        return
    match labelled.gold, compared.call:
        case (("good" | "bad"), "missed"):
            yield "missed"
        case "bad", "right":
            yield "bad called right"
        case "good", "flagged":
            yield "good called wrong"
        case (("good" | "bad"), "abstained"):
            yield f"abstained on {labelled.gold}"
        case "abstain", "right":
            yield "not ours, called right"
        case "abstain", "flagged":
            yield "not ours, called wrong"
    if checked and labelled.law:
        if checked.law and checked.law != labelled.law:
            yield "wrong law"
        if checked.position != labelled.position:
            yield "wrong position"


def bases(compared: Sequence[Compared]) -> dict[str, int]:
    """Of how many each row is counted."""
    golds = Counter(pair.labelled.gold for pair in compared if pair.labelled)
    ours = [pair.checked for pair in compared if pair.labelled and pair.labelled.law]
    per_row = {
        "missed": golds["good"] + golds["bad"],
        "false finds": sum(pair.checked is not None for pair in compared),
        "wrong law": sum(checked is not None and checked.law is not None for checked in ours),
        "wrong position": sum(checked is not None for checked in ours),
    }
    for gold in ("bad", "good"):
        per_row |= {row: golds[gold] for row in ROWS if gold in row.split()}
    return per_row | {row: golds["abstain"] for row in ROWS if row.startswith("not ours")}


def compare(document: GoldDocument, checker: Checker) -> list[Compared]:
    """Labels and findings of a document, paired where they overlap, the same position first."""
    library = checker.library
    quoted = law_words(library, document.text)  # what stands in there, the law itself cites
    text = fill(library, document.text)
    report = checker.check(text, as_of=document.as_of, today=document.today)
    found = [
        checked
        for checked in report.citations
        if not any(start <= checked.start < end for start, end in quoted)
    ]
    placed = list(place(library, document))
    options = sorted(
        ((*_likeness(label, checked), i, j)
         for i, label in enumerate(placed) for j, checked in enumerate(found)),
        key=lambda option: (-option[0], -option[1], *option[2:]),
    )  # fmt: skip
    partner: dict[int, int] = {}
    for _, overlap, i, j in options:
        if overlap > 0 and i not in partner and j not in partner.values():
            partner[i] = j
    labels = [
        Compared(document, label.labelled, found[partner[i]] if i in partner else None)
        for i, label in enumerate(placed)
    ]
    others = (checked for j, checked in enumerate(found) if j not in partner.values())
    return labels + [Compared(document, None, checked) for checked in others]


def _likeness(label: Placed, checked: Checked) -> tuple[bool, int]:
    overlap = min(label.end, checked.end) - max(label.start, checked.start)
    return overlap > 0 and checked.position == label.labelled.position, overlap

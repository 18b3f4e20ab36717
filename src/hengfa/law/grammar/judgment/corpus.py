"""Judgments of a whole corpus: one row for each element of each document.

An element is the document itself (court, number, date), a section of it, a sentence (`verdict` for
a charge, `executed` for what they come to together, `earlier` of another judgment), a provision
that is applied, or a remark. Each fills the columns that it has; the others are null.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from hengfa.base.data.corpora import Block, Document
from hengfa.base.data.findings import Columns, Findings, Part, part_of
from hengfa.law.grammar.judgment.charges import read_charges
from hengfa.law.grammar.judgment.document import Defendant, Judgment, Sentence
from hengfa.law.grammar.judgment.parse import parse_judgment
from hengfa.law.grammar.numerals import Number

COLUMNS: Final[Columns] = {
    name: kind
    for kind, names in (
        (str, "element"),
        (int, "start end"),
        (str, "court number"),
        (date, "date"),
        (str, "section defendant"),
        (bool, "unit revoked"),
        (str, "charge written penalty"),
        (int, "months days probation"),
        (float, "fine"),
        (bool, "fine_joint"),
        (str, "confiscation"),
        (float, "confiscated"),
        (int, "political"),
        (bool, "political_for_life expelled commutation_limited whole_life barred"),
        (int, "barred_months"),
        (bool, "injunction community"),
        (str, "law"),
        (int, "article article_sub paragraph item"),
        (bool, "criminal"),
        (str, "remark words"),
    )
    for name in names.split()
}


@dataclass(frozen=True, slots=True)
class JudgmentReading:
    """Reads every document of a block; `charges` is a folder with a list of them."""

    charges: Path | None = None

    @property
    def files(self) -> Mapping[str, Path]:
        return {} if self.charges is None else {"charges": self.charges}

    def open(self, files: Mapping[str, Path], /) -> Callable[[Block], Part]:
        charges = read_charges(files["charges"]) if "charges" in files else None

        def read(document: Document) -> Findings:
            elements = list(_elements(parse_judgment(document.text, charges)))
            words = ([str(e[key]) for key in ("element", "remark") if key in e] for e in elements)
            counts = Counter(map(" ".join, words))
            return Findings([tuple(map(element.get, COLUMNS)) for element in elements], counts)

        return lambda block: part_of(block, COLUMNS, read)


def _elements(judgment: Judgment) -> Iterator[dict[str, object]]:
    yield {
        "element": "document",
        "court": judgment.court,
        "number": judgment.number,
        "date": judgment.date,
    }
    for section in judgment.sections:
        yield {
            "element": "section",
            "start": section.start,
            "end": section.end,
            "section": section.kind,
        }
    for defendant in judgment.defendants:
        for sentence in defendant.verdicts:
            yield _sentence("verdict", defendant, sentence)
        if defendant.executed is not None:
            yield _sentence("executed", defendant, defendant.executed)
        for sentence in defendant.earlier:
            yield _sentence("earlier", defendant, sentence)
    for statute in judgment.statutes:
        yield {"element": "statute"} | {
            name: getattr(statute, name) for name in statute.__struct_fields__
        }
    for remark in judgment.remarks:
        yield {"element": "remark", "remark": remark.code, "words": remark.words}


def _sentence(element: str, defendant: Defendant, sentence: Sentence) -> dict[str, object]:
    fields = {name: getattr(sentence, name) for name in sentence.__struct_fields__}
    return fields | {
        "element": element,
        "defendant": defendant.name,
        "unit": defendant.unit,
        "revoked": defendant.revoked,
        "penalty": sentence.kind,
        "fine": _float(sentence.fine),
        "confiscated": _float(sentence.confiscated),
    }


def _float(amount: Number | None) -> float | None:
    return None if amount is None else float(amount)

"""Collections of judgments: their files, those that may stand in a prompt, and leaks of test cases.

Files are JSON lines, also gzipped, in the layouts that are about: upstream's rows (`text_id`,
`text`, `la`, `fd`), outputs (`id`, `document`), segmented judgments (`id`, `fact`, `reason`,
`result`, perhaps the whole as `content`), and rows of one's own (`id`, `fact`, `document`,
`articles`).

What stands in a prompt is a training split, never the case that is asked about. To find leaks the
facts of every test case are held against the facts of every judgment and, since a judgment repeats
its facts, against its whole text: so a test document is found also where a collection cuts its
facts in another way. Documents are not held against documents. Half of a judgment is form: ten of
JuDGE's 501 are that close to the judgment of another case, and none holds another case's facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.corpora import Block, Document
from hengfa.base.data.findings import Columns, Findings, Part, part_of
from hengfa.base.data.jsonfile import read_lines
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError
from hengfa.evals.suites.judgment.dataset import ArticleNumber, JudgmentSample, samples_in
from hengfa.law.grammar.judgment.parse import parse_judgment
from hengfa.law.retrieval.leakage import THRESHOLD, Closeness, find_leakage

FOLDS: Final = 5
_ENDINGS: Final = (".json", ".jsonl", ".ndjson")
_MOST_NAMED: Final = 5


class JudgmentRow(msgspec.Struct, frozen=True):
    """One line; what a layout does not have is None or empty."""

    id: str | int | None = None
    text_id: str | int | None = None
    fact: str | None = None
    text: str | None = None
    document: str | None = None
    fd: str | None = None
    content: str | None = None
    reason: str | None = None
    result: str | None = None
    articles: tuple[str | int, ...] = ()
    la: tuple[ArticleNumber, ...] = ()

    @property
    def name(self) -> str | None:
        name = self.text_id if self.id is None else self.id
        return None if name is None else str(name)

    @property
    def facts(self) -> str | None:
        return self.text if self.fact is None else self.fact

    @property
    def whole(self) -> str | None:
        """The whole document: as given, else its facts, reasons and result put together."""
        for given in (self.document, self.fd, self.content):
            if given is not None:
                return given
        if self.reason is None and self.result is None:
            return None
        return "\n".join(filter(None, (self.facts, self.reason, self.result)))


def is_lines(file: Path) -> bool:
    """Whether a file is one of JSON lines, by its name."""
    return file.name.lower().removesuffix(".gz").endswith(_ENDINGS)


def documents_of(file: Path) -> Iterator[tuple[int, str | None, str]]:
    """The documents of a file with their rows' numbers and names; a row without one is an error."""
    for number, row in read_lines(file, JudgmentRow):
        if row.whole is None:
            problem = "no field document, fd or content"
            raise DataError(problem, file=file, row=number, field="document")
        yield number, row.name, row.whole


class Case(msgspec.Struct, frozen=True):
    """A judgment and its facts; `articles` are those of the Criminal Law that it applies."""

    id: str
    fact: str
    document: str
    articles: tuple[str, ...] = ()


def read_cases(file: Path, *, parts: bool = False) -> tuple[Case, ...]:
    """Every judgment of a file, in any of the layouts; an unchanged file is read once. With `parts`
    rows of facts alone or of a document alone will do, and stand for both."""
    with disk_errors(file):
        return _read_cases(file, parts, file.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _read_cases(file: Path, parts: bool, _changed: int) -> tuple[Case, ...]:
    cases: list[Case] = []
    for number, row in read_lines(file, JudgmentRow):
        fact, document = (row.facts or "").strip(), (row.whole or "").strip()
        if parts:
            fact, document = fact or document, document or fact
        if not fact or not document or (document == fact and not parts):
            problem = "needs facts and a judgment: fact and document, or fact, reason and result"
            raise DataError(problem, file=file, row=number)
        given = tuple(dict.fromkeys(map(str, row.articles or row.la)))
        name = row.name or f"{file.name.partition('.')[0]}-{number}"
        articles = given if given or parts else _articles_of(document)
        cases.append(Case(name, fact, document, articles))
    if not cases:
        raise DataError("there is no judgment in this file", file=file)
    return tuple(cases)


def _articles_of(document: str) -> tuple[str, ...]:
    """The articles of the Criminal Law that a judgment applies: `264`, `133-1`."""
    applied = (statute for statute in parse_judgment(document).statutes if statute.criminal)
    names = (f"{one.article}-{one.article_sub or ''}".rstrip("-") for one in applied)
    return tuple(dict.fromkeys(names))


def fold_of(sample_id: str) -> int:
    """Which fifth of the test set a case is in: by its id alone, so that it never moves."""
    return blake2b(sample_id.encode(), digest_size=4).digest()[0] % FOLDS


def case_of(sample: JudgmentSample) -> Case:
    """A test case as one of a collection."""
    articles = tuple(map(str, sample.articles))
    return Case(sample.id, sample.fact.strip(), sample.document, articles)


class Leak(msgspec.Struct, frozen=True):
    """The judgment at a place of a collection, and the test case that it is too close to."""

    place: int
    case: str
    sample: str
    closeness: Closeness
    similarity: float


class Leaks(msgspec.Struct, frozen=True):
    """What was compared, and every judgment that is too close, with the closest test cases first. A
    judgment that is refused is refused for all questions: what is learnt from it, such as which
    provisions go with which facts, would show through in the others."""

    judgments: int
    samples: int
    threshold: float
    each: tuple[Leak, ...]

    @property
    def refused(self) -> frozenset[int]:
        """The places of the judgments that must not be used."""
        return frozenset(leak.place for leak in self.each)

    @property
    def remaining(self) -> int:
        return self.judgments - len(self.refused)

    def refused_for(self, sample: str) -> int:
        """How many judgments are too close to this test case."""
        return sum(leak.sample == sample for leak in self.each)

    def __str__(self) -> str:
        counted = (
            f"{len(self.refused)} of {self.judgments} judgments are refused: they are the same as, "
            f"similar to (above {self.threshold:g}) or hold the facts of "
            f"{len({leak.sample for leak in self.each})} of {self.samples} test cases"
        )
        names = list(dict.fromkeys(leak.case for leak in self.each))
        if not names:
            return counted
        more = ", …" if len(names) > _MOST_NAMED else ""
        return f"{counted}: {', '.join(names[:_MOST_NAMED])}{more}"


def find_leaks(
    samples: Sequence[JudgmentSample], cases: Sequence[Case], threshold: float = THRESHOLD
) -> Leaks:
    """All judgments of a collection that give away a test case."""
    facts = [sample.fact for sample in samples]
    closest: dict[tuple[int, str], Leak] = {}
    for texts in ([case.fact for case in cases], [case.document for case in cases]):
        for refusal in find_leakage(facts, texts, threshold).refusals:
            case, sample = cases[refusal.text].id, samples[refusal.query].id
            leak = Leak(refusal.text, case, sample, refusal.closeness, refusal.similarity)
            known = closest.get((leak.place, leak.sample))
            if known is None or leak.similarity > known.similarity:
                closest[leak.place, leak.sample] = leak
    ranked = sorted(closest.values(), key=lambda leak: (leak.place, -leak.similarity, leak.sample))
    return Leaks(len(cases), len(samples), threshold, tuple(ranked))


LEAK_COLUMNS: Final[Columns] = {"sample": str, "closeness": str, "similarity": float}


@dataclass(frozen=True, slots=True)
class LeakSearch:
    """Finds the test cases that the documents of a block, facts or judgments, are too close to.
    Each document is held against all test cases by itself, so blocks change nothing."""

    test: Path
    threshold: float = THRESHOLD

    @property
    def files(self) -> Mapping[str, Path]:
        return {"test": self.test}

    def open(self, files: Mapping[str, Path], /) -> Callable[[Block], Part]:
        samples = samples_in(files["test"])
        facts = [sample.fact for sample in samples]

        def search(block: Block) -> Part:
            texts = [document.text for document in block.documents]
            leaks: dict[Document, list[tuple[str, Closeness, float]]] = {}
            for refusal in find_leakage(facts, texts, self.threshold).refusals:
                leak = samples[refusal.query].id, refusal.closeness, refusal.similarity
                leaks.setdefault(block.documents[refusal.text], []).append(leak)

            def leaks_of(document: Document) -> Findings:
                rows = sorted(leaks.get(document, ()), key=lambda leak: (-leak[2], leak[0]))
                counts = Counter[str](closeness for _, closeness, _ in rows)
                return Findings(rows, counts | {"refused": 1} if rows else {})

            return part_of(block, LEAK_COLUMNS, leaks_of)

        return search

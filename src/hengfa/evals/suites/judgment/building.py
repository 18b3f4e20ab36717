"""A data set like JuDGE's out of any collection of judgments: read, filtered, split, reported.

A document is kept where it is a whole criminal judgment of usual length (section 3.2 of the paper):
all parts, an article of the Criminal Law, a crime and a sentence. One case is kept once. Numbers
by which a person can be found are looked for too: the paper promises that there are none.

Which side of the split a case is on follows from a digest of its facts alone, so that it stays
there when the collection grows. Cases that are too close to one another (`cases.find_leaks`) go to
one side together, by the smallest of their digests.

Two annotators say which documents are usable, in CSV or JSON lines: an `id`, and a column for
whatever was said. Only what both found usable is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from statistics import fmean
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

import msgspec

from hengfa.base.data import jsonfile
from hengfa.base.data.output import MANIFEST, files_below, whole_folder
from hengfa.base.errors import DataError, UsageError
from hengfa.base.statistics.correlation import cohen_kappa
from hengfa.evals.grading.people.score_table import csv_rows
from hengfa.evals.suites.judgment.cases import case_of, documents_of, find_leaks, is_lines
from hengfa.evals.suites.judgment.dataset import TEST_FILE, Row
from hengfa.evals.suites.judgment.official import legacy_articles
from hengfa.evals.suites.judgment.prompts import STATUTES_FILE, TRAINING_FILE, read_provisions
from hengfa.law.grammar.judgment.charges import read_charges
from hengfa.law.grammar.judgment.document import Judgment
from hengfa.law.grammar.judgment.parse import parse_judgment
from hengfa.law.grammar.numerals import MAX_ARTICLE
from hengfa.law.library.documents import documents_below, read_document
from hengfa.law.retrieval.evaluating import write_qrels

Reason: TypeAlias = Literal[
    "no heading",
    "no facts",
    "no reasoning",
    "no result",
    "several judgments",
    "ruling",
    "civil",
    "administrative",
    "no article",
    "no charge",
    "no sentence",
    "short",
    "long",
    "long facts",
    "personal number",
    "not usable",
    "same id",
    "same case",
]
"""Why a document is left out."""
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)
ALWAYS: Final[frozenset[Reason]] = frozenset({"no facts", "same id", "same case"})
"""Without facts there is no question, and no case can be there twice."""
_REMARKS: Final[tuple[Reason, ...]] = REASONS[: REASONS.index("no article")]
"""Reasons that the reading of a document remarks itself."""
DROPPED: Final = "dropped.jsonl"
_FORMAT: Final = "hengfa-judgments-1"
_QRELS: Final = {TEST_FILE: "qrels_file_test", TRAINING_FILE: "qrels_file_train"}


class Filters(msgspec.Struct, frozen=True):
    """Lengths in characters as the paper has them, and which reasons do not count."""

    facts: int = 1_000
    shortest: int = 1_000
    longest: int = 3_000
    allowed: frozenset[Reason] = frozenset()
    usable: Mapping[str, bool] | None = None
    """What annotators found, by id; where it is given, only what they found usable is kept."""


class Source(NamedTuple):
    """A document of a collection, and where it was."""

    id: str
    text: str
    place: str


def documents_in(places: Iterable[Path]) -> Iterator[Source]:
    """Every document of some files: JSON lines, documents, and folders of documents."""
    for place in places:
        if place.is_dir():
            for file in documents_below(place):
                name = file.relative_to(place).with_suffix("").as_posix()
                yield Source(_id(name), read_document(file).text, str(file))
        elif is_lines(place):
            for number, named, text in documents_of(place):
                name = named or f"{place.name.partition('.')[0]}-{number}"
                yield Source(_id(name), text, f"{place}:{number}")
        else:
            yield Source(_id(place.stem), read_document(place).text, str(place))


def _id(name: str) -> str:
    """A name without blanks, which end an id in the files of retrieval."""
    return "_".join(jsonfile.whole_characters(name).split())


class Omission(msgspec.Struct, frozen=True):
    id: str
    place: str
    reasons: tuple[Reason, ...]
    of: str | None = None  # the case that is kept instead


class Statistics(msgspec.Struct, frozen=True):
    """What the paper's table 2 says of a data set; lengths in characters."""

    pairs: int
    training: int
    test: int
    charges: int
    provisions: int
    fact_length: float
    reasoning_length: float
    result_length: float
    document_length: float
    charges_per_document: float
    articles_per_document: float


class Report(msgspec.Struct, frozen=True):
    """What became of a collection; a document may be left out for several reasons."""

    documents: int
    kept: int
    dropped: int
    reasons: dict[Reason, int]
    groups: int  # how many groups of cases that are too close to one another stay on one side
    grouped: int
    share: float
    statistics: Statistics | None
    agreement: tuple[FieldAgreement, ...] = ()


class DataSet(NamedTuple):
    test: list[Row]
    training: list[Row]
    dropped: list[Omission]
    report: Report


def build(
    sources: Iterable[Source],
    filters: Filters,
    share: float,
    agreement: tuple[FieldAgreement, ...] = (),
) -> DataSet:
    """The data set that documents make; of one case the first is kept."""
    read = [_examine(source, filters) for source in sources]
    whole, dropped = _once(read, filters.allowed)
    whole, same, groups = _distinct(whole)
    dropped += same
    sides = {item.row.text_id: _digest(item.row.text) for item in whole}
    for group in groups:
        sides |= dict.fromkeys(group, min(sides[name] for name in group))
    test = [item.row for item in whole if sides[item.row.text_id] < share]
    training = [item.row for item in whole if sides[item.row.text_id] >= share]
    counts = Counter(reason for left in dropped for reason in left.reasons)
    report = Report(
        documents=len(read),
        kept=len(whole),
        dropped=len(dropped),
        reasons={reason: counts[reason] for reason in REASONS if counts[reason]},
        groups=len(groups),
        grouped=sum(map(len, groups)),
        share=share,
        statistics=_statistics(whole, len(training), len(test)) if whole else None,
        agreement=agreement,
    )
    return DataSet(test, training, dropped, report)


class _Candidate(NamedTuple):
    """A document, its structure, the row that it would be, and what speaks against it."""

    source: Source
    judgment: Judgment
    row: Row
    reasons: tuple[Reason, ...]


def _examine(source: Source, filters: Filters) -> _Candidate:
    judgment = parse_judgment(source.text, read_charges())
    facts = judgment.text_of(source.text, "facts").strip()
    # as upstream labels it: the articles of the Criminal Law that the document cites anywhere
    cited = {int(article) for article in legacy_articles(source.text) if article.isdecimal()}
    labels = tuple(sorted(number for number in cited if 1 <= number <= MAX_ARTICLE))
    row = Row(source.id, facts, labels, source.text)
    remarks = {remark.code for remark in judgment.remarks}
    sentenced = any(person.final and person.final.kind for person in judgment.defendants)
    usable = filters.usable is None or filters.usable.get(row.text_id, False)
    spoken: dict[Reason, bool] = {
        **{reason: reason in remarks for reason in _REMARKS},
        "no facts": not row.text,
        "no article": not row.la,
        "no charge": not judgment.charges,
        "no sentence": not sentenced,
        "short": len(row.fd) < filters.shortest,
        "long": len(row.fd) > filters.longest,
        "long facts": len(row.text) > filters.facts,
        "personal number": has_personal_number(row.fd),
        "not usable": not usable,
    }
    against = tuple(reason for reason, holds in spoken.items() if holds)
    return _Candidate(source, judgment, row, against)


# a resident's number, "11010119900307123X" if its last sign fits; not "110101********123X"
_RESIDENT: Final = re.compile(
    r"(?<![0-9])[1-9][0-9]{5}(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
    r"[0-9]{3}[0-9Xx](?![0-9])"
)
# a mobile telephone: "13912345678"; not "139****5678", nor a part of a longer number
_MOBILE: Final = re.compile(r"(?<![0-9])1[3-9][0-9]{9}(?![0-9])")
_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_LAST_SIGNS: Final = "10X98765432"


def has_personal_number(text: str) -> bool:
    """Whether somebody's identity card or mobile telephone can be read in a document."""
    for number in _RESIDENT.findall(text):
        total = sum(int(digit) * weight for digit, weight in zip(number, _WEIGHTS, strict=False))
        if _LAST_SIGNS[total % 11] == number[-1].upper():
            return True
    return _MOBILE.search(text) is not None


def _once(
    read: Sequence[_Candidate], allowed: Collection[Reason]
) -> tuple[list[_Candidate], list[Omission]]:
    """The first document of each id and each number of a court that nothing speaks against."""
    kept: list[_Candidate] = []
    dropped: list[Omission] = []
    ids: set[str] = set()
    cases: dict[tuple[str | None, str], str] = {}
    for item in read:
        number = item.judgment.number
        case = None if number is None else (item.judgment.court, number)
        reasons = tuple(why for why in item.reasons if why in ALWAYS or why not in allowed)
        before = None
        if item.source.id in ids:
            reasons = (*reasons, "same id")
        elif case in cases:
            reasons, before = (*reasons, "same case"), cases[case]
        if reasons:
            dropped.append(Omission(item.source.id, item.source.place, reasons, before))
            continue
        ids.add(item.source.id)
        if case is not None:
            cases[case] = item.source.id
        kept.append(item)
    return kept, dropped


def _distinct(
    read: Sequence[_Candidate],
) -> tuple[list[_Candidate], list[Omission], list[frozenset[str]]]:
    """Cases with the same facts once, and groups of those that are too close to one another."""
    samples = [item.row.sample() for item in read]
    leaks = find_leaks(samples, list(map(case_of, samples)))
    close = [leak for leak in leaks.each if leak.case != leak.sample]
    order = {sample.id: place for place, sample in enumerate(samples)}
    same: dict[str, str] = {}
    for leak in sorted(close, key=lambda leak: order[leak.sample]):
        if leak.closeness == "same" and order[leak.sample] < leak.place and leak.sample not in same:
            same.setdefault(leak.case, leak.sample)
    twice = [item.source for item in read if item.source.id in same]
    dropped = [Omission(one.id, one.place, ("same case",), same[one.id]) for one in twice]
    groups: dict[str, set[str]] = {}
    for leak in close:
        if leak.case not in same and leak.sample not in same:
            merged = groups.get(leak.case, {leak.case}) | groups.get(leak.sample, {leak.sample})
            groups |= dict.fromkeys(merged, merged)
    each = dict.fromkeys(map(frozenset, groups.values()))
    return [item for item in read if item.source.id not in same], dropped, list(each)


def _digest(facts: str) -> float:
    """A number from 0 to below 1 that the facts decide, but for blanks."""
    digest = blake2b("".join(facts.split()).encode("utf-8", "surrogatepass"), digest_size=6)
    return int.from_bytes(digest.digest(), "big") / 2**48


def _statistics(read: Sequence[_Candidate], training: int, test: int) -> Statistics:
    def length(kind: Literal["reasoning", "result"]) -> float:
        return fmean(len(item.judgment.text_of(item.row.fd, kind).strip()) for item in read)

    return Statistics(
        pairs=len(read),
        training=training,
        test=test,
        charges=len({charge for item in read for charge in item.judgment.charges}),
        provisions=len({article for item in read for article in item.row.la}),
        fact_length=fmean(len(item.row.text) for item in read),
        reasoning_length=length("reasoning"),
        result_length=length("result"),
        document_length=fmean(len(item.row.fd) for item in read),
        charges_per_document=fmean(len(item.judgment.charges) for item in read),
        articles_per_document=fmean(len(item.row.la) for item in read),
    )


# What annotators say of the documents


USABLE: Final = "usable"
_ID: Final = "id"
_WORDS: Final = {"true": True, "1": True, "yes": True, "y": True, "是": True, "可用": True} | {
    "false": False, "0": False, "no": False, "n": False, "否": False, "不可用": False,
}  # fmt: skip

Annotations: TypeAlias = Mapping[str, Mapping[str, str]]
"""By the id of a document, what was said under each name."""


class FieldAgreement(msgspec.Struct, frozen=True):
    """Two files on one field: of the documents in both how many have the same, and kappa. ``kappa``
    is Cohen's: 1 is agreement, 0 what chance gives; None where both always say one thing."""

    field: str
    documents: int
    same: int
    kappa: float | None
    apart: tuple[str, ...]

    @property
    def share(self) -> float:
        return self.same / self.documents


def read_annotations(file: Path) -> Annotations:
    """What a file says; a cell that is empty, or null, says nothing."""
    said: dict[str, dict[str, str]] = {}
    values = (
        (number, {name: _label(value) for name, value in row.items() if value is not None})
        for number, row in jsonfile.read_lines(file, dict[str, Any])
    )
    for number, row in values if is_lines(file) else _cells(file):
        name = row.pop(_ID, "")
        if not name:
            raise DataError("every row needs the id of its document", file=file, row=number)
        if name in said:
            raise DataError(f"{name!r} is there twice", file=file, row=number, field=_ID)
        if row.get(USABLE, "").lower() in _WORDS:  # 是 and true are the same
            row[USABLE] = jsonfile.encode_json(_WORDS[row[USABLE].lower()]).decode()
        said[name] = row
    return said


def _cells(file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    rows = csv_rows(file)
    _, head = next(rows, (1, []))
    names = [name.strip() for name in head]
    for number, cells in rows:
        pairs = zip(names, map(str.strip, cells), strict=False)
        yield number, {name: cell for name, cell in pairs if cell}


def _label(value: object) -> str:
    """A value as a word; the order in a list does not matter."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return "、".join(sorted(map(_label, value)))
    return jsonfile.encode_json(value, order="sorted").decode()


def agreement(one: Annotations, other: Annotations) -> tuple[FieldAgreement, ...]:
    """How far two files agree, field by field, on the documents of which both say something."""
    names = dict.fromkeys(name for said in one.values() for name in said)
    found = []
    for name in names:
        both = [
            (document, said[name], other[document][name])
            for document, said in one.items()
            if name in said and name in other.get(document, {})
        ]
        if both:
            apart = tuple(document for document, a, b in both if a != b)
            kappa = cohen_kappa([a for _, a, _ in both], [b for _, _, b in both])
            found.append(FieldAgreement(name, len(both), len(both) - len(apart), kappa, apart))
    if not found:
        raise UsageError("the two files have no document and field in common")
    return tuple(found)


def usable(one: Path, other: Path) -> dict[str, bool]:
    """Whether both annotators found a document usable; one that only one of them saw is not."""
    files: list[dict[str, bool]] = []
    for file in (one, other):
        words = {name: said.get(USABLE, "") for name, said in read_annotations(file).items()}
        for document, word in words.items():
            if word not in _WORDS:
                problem = f"of {document} it is {word!r}; write true or false, 是 or 否"
                raise DataError(problem, file=file, field=USABLE)
        files.append({name: _WORDS[word] for name, word in words.items()})
    return {name: files[0][name] and files[1].get(name, False) for name in files[0]}


# The folder


class _Manifest(msgspec.Struct, frozen=True):
    format: str
    files: dict[str, int]
    report: Report


def write_data_set(
    made: DataSet, folder: Path, *, laws: Path | None = None, force: bool = False
) -> None:
    """Upstream's layout, as `--data` reads it, with what was left out and the report beside it."""
    if not made.test:
        raise DataError("no case is left for the test set", file=folder)
    if laws is not None:
        read_provisions(laws)  # what is wrong with it is told before anything is written
    with whole_folder(folder, _files_in, force=force) as new:
        (new / TEST_FILE).parent.mkdir()
        for file, rows in ((TEST_FILE, made.test), (TRAINING_FILE, made.training)):
            if not rows:  # a training split of nothing would be taken for one
                continue
            _write(new / file, rows)
            labels = {row.text_id: {str(article): 1 for article in row.la} for row in rows}
            write_qrels(new / file.with_name(_QRELS[file]), labels)
        if laws is not None:
            jsonfile.write_atomically(new / STATUTES_FILE, laws.read_bytes())
        _write(new / DROPPED, made.dropped)
        manifest = _Manifest(_FORMAT, files_below(new), made.report)
        content = msgspec.json.format(jsonfile.encode_json(manifest), indent=1)
        jsonfile.write_atomically(new / MANIFEST, content + b"\n")


def _write(file: Path, rows: Iterable[msgspec.Struct]) -> None:
    jsonfile.write_atomically(file, b"".join(jsonfile.encode_json(row) + b"\n" for row in rows))


def _files_in(folder: Path) -> dict[str, int]:
    file = folder / MANIFEST
    try:
        manifest = jsonfile.read_json(file, _Manifest)
    except DataError:  # none, or of something else
        return {}
    return {**manifest.files, MANIFEST: file.stat().st_size} if manifest.format == _FORMAT else {}

"""What can be asked of the desk over HTTP: each question and each answer is a type.

Questions to the law library are answered by the server itself. What is done to a document is done
by a process of its own (`worker`), by :meth:`Bench.work_on`. The OpenAPI document is made of the
same types, so that it cannot say anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path, PurePath
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta

import hengfa
from hengfa.base.data.jsonfile import encode_json, json_decoder
from hengfa.base.errors import DataError, HengfaError, MissingExtra, UsageError
from hengfa.law.desk.explain import Explained, Explainer, about_day, label
from hengfa.law.desk.filing import Filing, file_document, writer_of
from hengfa.law.desk.word_comments import add_comments, comments_on, is_word, word_file
from hengfa.law.desk.worker import Refusal
from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.grammar.dates import today
from hengfa.law.grammar.judgment.document import Judgment
from hengfa.law.grammar.judgment.parse import parse_judgment
from hengfa.law.library.case_numbers import CaseReport, Register, check_case_numbers
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import STATUSES, Checked, Day, Report, Status
from hengfa.law.library.documents import Document, document_of
from hengfa.law.library.history import Step
from hengfa.law.library.lookup import LookedUp, existing, look_up, read_position, version_of
from hengfa.law.library.model import LawEntry, LawKind, Occasion, Repeal, Version
from hengfa.law.library.names import find_law
from hengfa.law.library.search import Hit, search
from hengfa.law.library.store import Library
from hengfa.law.library.successors import successors, whole_history
from hengfa.law.library.versions import Reading
from hengfa.law.library.words import Lang, note_words

LONGEST_TEXT: Final = 1_000_000
"""Characters of a document: about two thousand pages."""

LARGEST_FILE: Final = 20 * 1024 * 1024

Code: TypeAlias = Literal[
    "bad_request",
    "not_found",
    "not_in_library",
    "too_large",
    "unreadable",
    "too_slow",
    "busy",
    "no_library",
    "not_installed",
]
STATUS: Final[Mapping[str, int]] = {
    "bad_request": 400,
    "not_found": 404,
    "not_in_library": 404,
    "too_large": 413,
    "unreadable": 422,
    "too_slow": 422,
    "busy": 429,
    "no_library": 503,
    "not_installed": 501,
}
"""The HTTP status of each error: below 500 it is for whoever asks to mend."""

Format: TypeAlias = Literal["html", "docx", "pdf", "xlsx", "json", "comments"]
"""Of a report; comments: the document itself as a Word file, with a comment at each citation."""
_WORD: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
MEDIA: Final[Mapping[Format, str]] = {
    "html": "text/html",
    "docx": _WORD,
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
    "comments": _WORD,
}


# --- questions ---

Name = Annotated[
    str, Meta(min_length=1, max_length=300, description="Full, short or abbreviated: 民法典")
]
Place = Annotated[
    str,
    Meta(min_length=1, max_length=100, description="27.2.1, 133-1 or 第二十七条第二款第（一）项"),
]
FileName = Annotated[
    str, Meta(max_length=300, description="Its ending says what it is; without one, a text")
]


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of an address."""


class AboutLaw(Question, frozen=True):
    law: Name


class AboutProvision(Question, frozen=True):
    law: Name
    position: Place | None = None
    on: Annotated[date | None, Meta(description="Today, if left out")] = None
    reading: Annotated[Reading, Meta(description="What the day means")] = "in force on"


class AboutPlace(Question, frozen=True):
    law: Name
    position: Place
    version: Annotated[
        date | None, Meta(description="Promulgated on that day; the latest, if left out")
    ] = None


class AboutWords(Question, frozen=True):
    words: Annotated[
        str, Meta(min_length=1, max_length=2000, description="Words, a “phrase” or a question")
    ]
    law: Name | None = None
    kind: LawKind | None = None
    on: Annotated[date | None, Meta(description="The law of that day; today, if left out")] = None
    all_versions: bool = False
    limit: Annotated[int, Meta(ge=1, le=100)] = 10


class AboutDocument(Question, frozen=True):
    name: FileName = ""


class AboutCases(AboutDocument, frozen=True):
    as_of: Annotated[
        date | None, Meta(description="The day after which no case was filed; today, if left out")
    ] = None


class AboutCitations(AboutDocument, frozen=True):
    as_of: Annotated[
        date | None, Meta(description="For citations that name no version, instead of the document")
    ] = None
    law: Annotated[Name | None, Meta(description="The law of citations that name none")] = None
    lang: Lang = "zh"


class AboutReport(AboutCitations, frozen=True):
    format: Annotated[
        Format, Meta(description="comments: the document as a Word file, commented")
    ] = "html"


# --- answers ---


class ToldLaw(msgspec.Struct, frozen=True):
    """A law: its versions that are at hand, and all that is known to have happened to it."""

    law: LawEntry
    versions: tuple[Version, ...]
    calendar: tuple[Occasion, ...]
    repeals: tuple[Repeal, ...]


class ToldStep(Step, frozen=True):
    """A step of a history; ``cited`` is the position in words."""

    cited: str = ""


class ToldHistory(msgspec.Struct, frozen=True):
    """A provision through all versions of its law, oldest first, and of those that came after."""

    law: str
    steps: tuple[ToldStep, ...]


class ToldSuccessor(msgspec.Struct, frozen=True):
    """Where a provision of a repealed law went: known from a table, or found by its words."""

    version: Version
    cited: str
    text: str
    how: Literal["known", "found"]
    of: str


class ToldSuccessors(msgspec.Struct, frozen=True):
    """None is listed where nothing is known: that is no proof that there is none."""

    version: Version
    successors: tuple[ToldSuccessor, ...]


class ToldHit(Hit, frozen=True):
    """A provision that was found; ``cited`` is its position in words."""

    cited: str = ""


class ToldHits(msgspec.Struct, frozen=True):
    """``on`` is the day whose law was searched, None for all versions."""

    on: date | None
    hits: tuple[ToldHit, ...]


class ToldCitation(msgspec.Struct, frozen=True):
    """A citation, what was found, and that in words."""

    checked: Checked
    explained: Explained


class ToldDocument(msgspec.Struct, frozen=True):
    """A document as it was read, and its citations; positions count characters of ``text``.

    ``labels`` are the statuses, ``told`` the day that counts and why, in words.
    """

    name: str
    text: str
    day: Day
    told: str
    library: str
    labels: dict[Status, str]
    counts: dict[Status, int]
    citations: tuple[ToldCitation, ...]
    notes: tuple[str, ...]


class ToldJudgment(msgspec.Struct, frozen=True):
    """A judgment as it was read, and its structure; positions count characters of ``text``."""

    name: str
    text: str
    judgment: Judgment
    notes: tuple[str, ...]


class ToldLibrary(msgspec.Struct, frozen=True):
    """What the library holds."""

    fingerprint: str
    laws: int
    versions: int


class ToldDesk(msgspec.Struct, frozen=True):
    """What this desk has and takes; ``advice`` says how to get a library where there is none."""

    version: str
    library: ToldLibrary | None
    advice: str
    seconds: float
    formats: tuple[Format, ...] = tuple(MEDIA)
    largest_file: int = LARGEST_FILE
    longest_text: int = LONGEST_TEXT


class ToldError(msgspec.Struct, frozen=True):
    """What is the matter."""

    code: Code
    message: str


class ToldProblem(msgspec.Struct, frozen=True):
    """Every reply that is no answer."""

    error: ToldError


# --- the library ---


def _find(library: Library, name: str) -> LawEntry:
    try:
        return find_law(library, name)
    except UsageError as error:
        raise Refusal("not_in_library", str(error)) from error


def _law(library: Library, asked: AboutLaw) -> ToldLaw:
    law = _find(library, asked.law)
    calendar, repeals = library.shelf.calendar, library.shelf.repeals
    happened = tuple(calendar.get(law.name, ())), tuple(repeals.get(law.name, ()))
    return ToldLaw(law, library.versions(law), *happened)


def _provision(library: Library, asked: AboutProvision) -> LookedUp:
    position = None if asked.position is None else read_position(asked.position)
    law = _find(library, asked.law)
    try:
        return look_up(library, law, position, asked.on or today(), asked.reading)
    except UsageError as error:
        raise Refusal("not_in_library", str(error)) from error


def _history(library: Library, asked: AboutPlace) -> ToldHistory:
    position, law = read_position(asked.position), _find(library, asked.law)
    try:
        steps = whole_history(library, law, position, asked.version)
    except HengfaError as error:
        raise Refusal("not_in_library", str(error)) from error
    told = []
    for step in steps:
        cited = format_position(step.position) if step.position else ""
        told.append(ToldStep(**msgspec.structs.asdict(step), cited=cited))
    return ToldHistory(law.name, tuple(told))


def _successors(library: Library, asked: AboutPlace) -> ToldSuccessors:
    position, law = read_position(asked.position), _find(library, asked.law)
    try:
        version = version_of(library, law, asked.version)
        places = successors(library, version, existing(library, version, position))
    except HengfaError as error:
        raise Refusal("not_in_library", str(error)) from error
    told = []
    for place in places:
        cited, of = format_position(place.position), format_position(place.of)
        text = library.text(place.version, place.position) or ""
        told.append(ToldSuccessor(place.version, cited, text, place.how, of))
    return ToldSuccessors(version, tuple(told))


def _search(library: Library, asked: AboutWords) -> ToldHits:
    on = None if asked.all_versions else asked.on or today()
    law = None if asked.law is None else _find(library, asked.law)
    kinds = () if asked.kind is None else (asked.kind,)
    hits = search(library, asked.words, limit=asked.limit, law=law, kinds=kinds, on=on)
    cited = (
        ToldHit(**msgspec.structs.asdict(hit), cited=format_position(hit.position)) for hit in hits
    )
    return ToldHits(on, tuple(cited))


# --- documents ---


class Bench:
    """What a process keeps from one document to the next."""

    def __init__(self, library: Path | None) -> None:
        self._file = library

    @cached_property
    def library(self) -> Library:
        return Library.open(self._file)

    @cached_property
    def checker(self) -> Checker:
        return Checker(self.library)

    @cached_property
    def explainer(self) -> Explainer:
        return Explainer(self.checker)

    @cached_property
    def register(self) -> Register:
        return Register.installed()

    def report(self, asked: AboutCitations, document: Document) -> Report:
        """The citations of a document, checked."""
        law = None if asked.law is None else _find(self.library, asked.law)
        text, notes = document.text, document.notes
        return self.checker.check(text, name=asked.name, remarks=notes, as_of=asked.as_of, law=law)

    def work_on(self, path: str, asked: msgspec.Raw, content: bytes) -> tuple[str, bytes]:
        """What an operation makes of a document: the type of the reply, and the reply."""
        operation = DOCUMENTS[path]
        question = json_decoder(operation.asked)(bytes(asked))
        try:
            document = document_of(content, question.name or "text")
            if len(document.text) > LONGEST_TEXT:
                raise Refusal("too_large", f"it has over {LONGEST_TEXT:,} characters: split it")
            made = operation.answer(self, question, document, content)
        except MissingExtra as error:
            raise Refusal("not_installed", str(error)) from error
        except DataError as error:
            raise Refusal("unreadable", str(error)) from error
        if isinstance(made, bytes):
            return MEDIA[question.format], made
        return "application/json", encode_json(made)


def _check(
    bench: Bench, asked: AboutCitations, document: Document, _content: bytes
) -> ToldDocument:
    report = bench.report(asked, document)
    return ToldDocument(
        name=asked.name,
        text=document.text,
        day=report.day,
        told=about_day(report.day, asked.lang),
        library=bench.library.fingerprint,
        labels={status: label(status, asked.lang) for status in STATUSES},
        counts=report.counts(),
        citations=tuple(
            ToldCitation(checked, bench.explainer.explain(checked, asked.lang))
            for checked in report.citations
        ),
        notes=tuple(note_words(note, asked.lang) for note in report.notes),
    )


def _judgment(
    _bench: Bench, asked: AboutDocument, document: Document, _content: bytes
) -> ToldJudgment:
    return ToldJudgment(asked.name, document.text, parse_judgment(document.text), document.notes)


def _cases(bench: Bench, asked: AboutCases, document: Document, _content: bytes) -> CaseReport:
    day = asked.as_of or today()
    return check_case_numbers(
        document.text, bench.register, day, name=asked.name, notes=document.notes
    )


def _report(bench: Bench, asked: AboutReport, document: Document, content: bytes) -> bytes:
    explained = bench.explainer.explain_all(bench.report(asked, document), asked.lang)
    if asked.format == "comments":
        word = content if is_word(content) else word_file(document.text)
        comments = comments_on(explained)
        return add_comments(word, asked.name, comments, asked.lang, datetime.now(UTC).astimezone())
    filed = (file_document(explained, document.text),)
    write = writer_of(PurePath(f"report.{asked.format}"))
    return write(Filing(asked.lang, today(), bench.library.fingerprint, filed))


class Operation(NamedTuple):
    """One thing that can be asked, in the words of the OpenAPI document."""

    summary: str
    asked: type[Any]
    answered: type[Any]
    answer: Callable[..., object]


QUESTIONS: Final = {
    "/api/law": Operation("一部法律的版本 · A law and its versions", AboutLaw, ToldLaw, _law),
    "/api/provision": Operation(
        "某日的条文 · A provision on a day", AboutProvision, LookedUp, _provision
    ),
    "/api/history": Operation(
        "条文的沿革 · A provision through all versions", AboutPlace, ToldHistory, _history
    ),
    "/api/successors": Operation(
        "废止后由哪条承接 · Where a provision of a repealed law went",
        AboutPlace,
        ToldSuccessors,
        _successors,
    ),
    "/api/search": Operation("检索 · Search", AboutWords, ToldHits, _search),
}
"""What a GET of these paths asks of the library."""

DOCUMENTS: Final = {
    "/api/check": Operation(
        "核对文书中的引用 · Check the citations of a document", AboutCitations, ToldDocument, _check
    ),
    "/api/report": Operation("导出报告 · The report as a file", AboutReport, bytes, _report),
    "/api/cases": Operation(
        "核对案号 · Check the case numbers of a document", AboutCases, CaseReport, _cases
    ),
    "/api/judgment": Operation(
        "解析刑事判决书 · Parse a criminal judgment", AboutDocument, ToldJudgment, _judgment
    ),
}
"""What a POST of a document to these paths does to it."""

WITHOUT_LIBRARY: Final = frozenset({"/api/cases", "/api/judgment"})


# --- OpenAPI ---

_REF: Final = "#/components/schemas/{name}"


def openapi() -> dict[str, Any]:
    """The OpenAPI 3.1 document of all this."""
    operations = (*QUESTIONS.values(), *DOCUMENTS.values())
    types = (operation.answered for operation in operations if operation.answered is not bytes)
    answers = [*types, ToldDesk, ToldProblem]
    schemas, components = msgspec.json.schema_components(answers, ref_template=_REF)
    contents: dict[Any, Any] = {
        kind: {"application/json": {"schema": schema}}
        for kind, schema in zip(answers, schemas, strict=True)
    }
    contents[bytes] = {media: {} for media in MEDIA.values()}
    problem = {"description": "No answer", "content": contents[ToldProblem]}
    about = _describe("关于本机服务 · About this desk", contents[ToldDesk])
    paths: dict[str, Any] = {"/api/about": {"get": about}}
    for path, operation in QUESTIONS.items():
        paths[path] = {"get": _operation(operation, contents)}
    body = {"required": True, "content": {"*/*": {}}, "description": "The document itself"}
    for path, operation in DOCUMENTS.items():
        paths[path] = {"post": {**_operation(operation, contents), "requestBody": body}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Hengfa 衡法", "version": hengfa.__version__},
        "paths": paths,
        "components": {"schemas": components, "responses": {"Problem": problem}},
    }


def _operation(operation: Operation, contents: Mapping[Any, Any]) -> dict[str, Any]:
    _, components = msgspec.json.schema_components([operation.asked], ref_template=_REF)
    fields = components[operation.asked.__name__]
    required = fields.get("required", ())
    parameters = [
        {"name": name, "in": "query", "required": name in required, "schema": schema}
        for name, schema in fields["properties"].items()
    ]
    described = _describe(operation.summary, contents[operation.answered])
    return {**described, "parameters": parameters}


def _describe(summary: str, content: object) -> dict[str, Any]:
    problem = {"$ref": "#/components/responses/Problem"}
    answer = {"description": "The answer", "content": content}
    return {"summary": summary, "responses": {"200": answer, "4XX": problem, "5XX": problem}}

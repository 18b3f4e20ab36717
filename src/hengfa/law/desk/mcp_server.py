"""The law as tools for agents: a server of the Model Context Protocol over one law library.

A legal world may offer its tools beside the law's; with seats, agents work on its tasks, and every
call goes on record.

Every answer names the version and the day it speaks of, and has a status. What the library lacks
is "not in this library", never "does not exist"; a version that is not at hand is "unknown".

The protocol is the official SDK's, an optional part (`hengfa[mcp]`). What is asked of the library
one thread answers, one call after another; documents of others are worked on in processes that end
with the call (`worker`).
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import os
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import cached_property, partial, wraps
from pathlib import Path
from types import new_class
from typing import Annotated, Any, Final, Literal, Protocol, TypeAlias, TypeVar, get_type_hints

import msgspec
from aiohttp import web
from anyio import wrap_file
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.message import SessionMessage
from mcp.types import (
    PARSE_ERROR,
    CallToolResult,
    ErrorData,
    InputRequiredResult,
    JSONRPCError,
    TextContent,
    ToolAnnotations,
    jsonrpc_message_adapter,
)
from mcp.types import Tool as ListedTool
from msgspec import Struct
from pydantic import Field

import hengfa
from hengfa.base.data.jsonfile import decode_json, encode_json
from hengfa.base.errors import DataError, HengfaError, JournalError, UsageError
from hengfa.base.page.server import HOST, PATIENCE, Handler, listening
from hengfa.law.desk.explain import Explained, Explainer
from hengfa.law.desk.worker import Busy, Ended, Job, Refusal, Workers
from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.grammar.dates import read_day
from hengfa.law.grammar.dates import today as this_day
from hengfa.law.grammar.judgment.document import (
    AppliedProvision,
    Defendant,
    JudgmentPart,
    Remark,
    Sentence,
)
from hengfa.law.grammar.judgment.parse import parse_judgment
from hengfa.law.grammar.numerals import Number
from hengfa.law.library.case_numbers import CheckedCase, Register, Verdict, check_case_numbers
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import FINE, Checked, Day, Mark, Problem
from hengfa.law.library.citing.findings import Status as CitationStatus
from hengfa.law.library.history import Step, show
from hengfa.law.library.lookup import existing, in_force_since, look_up, read_position
from hengfa.law.library.model import Event, LawEntry, LawKind, Occasion, Sure, Version
from hengfa.law.library.names import candidates, suggestions
from hengfa.law.library.search import LONGEST_QUERY, search
from hengfa.law.library.store import Library
from hengfa.law.library.successors import successors, whole_history
from hengfa.law.library.versions import Answer as VersionAnswer
from hengfa.law.library.versions import (
    FoundVersion,
    Reading,
    Repealed,
    Unknown,
    in_force_on,
    read_date,
)
from hengfa.law.library.words import Lang

LONGEST_TEXT: Final = 100_000
"""Characters of a document; a long judgment has half of them."""

MOST_HITS: Final = 50
MOST_NUMBERS: Final = 300
"""More case numbers are counted, but not given: nobody's context holds them."""

PAGE: Final = 50
"""So many citations are given at once."""

SECONDS: Final = 50.0
"""So long a call may take. Clients wait for a minute."""

_BODY: Final = 1024 * 1024
"""Bytes of a request: the longest text in escapes."""


# --- what is answered ---

Status: TypeAlias = Literal[
    "found",
    "derived",
    "unknown",
    "not yet",
    "repealed",
    "not repealed",
    "no such version",
    "no such position",
    "nothing found",
    "law not in this library",
    "name of several laws",
]


class ToolAnswer(Struct, frozen=True, kw_only=True):
    """`status` says what the answer is worth, `reason` why.

    found: the text is that of the version named; derived: that version is not in this library,
    but amending acts tell what it said; unknown: the library cannot say; not yet, repealed: the law
    was not in force on the day; no such position: the version has no such article, paragraph or
    item; law not in this library: which does not mean that there is no such law. `candidates` are
    laws that the name can mean, or that are called alike.
    """

    status: Status
    reason: str = ""
    candidates: tuple[str, ...] = ()


class TextVersion(Struct, frozen=True):
    """A version of a law: the day it was promulgated is its name.

    `sure` is how well the day of its entry into force is known, `told` the same in words. Where
    `at_hand` is false the library knows of the version, but does not have its text.
    """

    law: str
    promulgated: date
    effective: date | None
    sure: Sure
    told: str
    event: Event
    at_hand: bool


class ProvisionAnswer(ToolAnswer, frozen=True, kw_only=True):
    """A provision on a day. Where the law was repealed, `version` is the last one at hand.

    `certain` is false where it is in doubt which version was in force; `other_readings` tell what
    the same day means otherwise. Of an act without articles, `text` is the whole.
    """

    law: str = ""
    position: str = ""
    on: date | None = None
    reading: Reading = "in force on"
    version: TextVersion | None = None
    certain: bool = False
    text: str = ""
    headings: tuple[str, ...] = ()
    other_readings: tuple[str, ...] = ()
    source: str = ""


class LawAnswer(ToolAnswer, frozen=True, kw_only=True):
    """A law and all its versions that are known, from the oldest."""

    law: str = ""
    short: str = ""
    kind: LawKind | None = None
    versions: tuple[TextVersion, ...] = ()
    repeals: tuple[str, ...] = ()


class HistoryStep(Struct, frozen=True):
    """The provision in one version; `position` is "" where that version does not have it.

    `changes` compares it with the step before: [-words-] were struck out, {+words+} put in.
    `missing` are versions in between whose text the library lacks. `successor` says of another law
    that came after whether that is known, or was found by the words. `derived`: this version is
    not in the library, and amending acts tell what it said.
    """

    version: TextVersion
    position: str
    text: str
    changes: str
    similarity: float | None
    missing: tuple[TextVersion, ...]
    moved: tuple[str, ...]
    deleted: bool
    successor: Literal["", "known", "found"]
    derived: str


class HistoryAnswer(ToolAnswer, frozen=True, kw_only=True):
    """A provision through the versions of its law, the oldest first, and the laws after it."""

    law: str = ""
    steps: tuple[HistoryStep, ...] = ()


class Succeeding(Struct, frozen=True):
    """A provision of the law that came after, and `of` which part it has the words or the matter.

    known: people say so; found: it has the words, more or less, and may have another meaning.
    """

    version: TextVersion
    position: str
    text: str
    how: Literal["known", "found"]
    of: str


class SuccessorsAnswer(ToolAnswer, frozen=True, kw_only=True):
    """Where a provision of a repealed law went; `version` is the last one of that law at hand."""

    law: str = ""
    position: str = ""
    version: TextVersion | None = None
    text: str = ""
    repealed_by: str = ""
    repealed_on: date | None = None
    successors: tuple[Succeeding, ...] = ()


class Found(Struct, frozen=True):
    """A provision that was found; `exact`: it holds all words of the query."""

    version: TextVersion
    position: str
    headings: tuple[str, ...]
    text: str
    exact: bool
    elsewhere: int


class SearchAnswer(ToolAnswer, frozen=True, kw_only=True):
    """Provisions, the best first, of the law of a day; without `on` of all versions at hand."""

    on: date | None = None
    hits: tuple[Found, ...] = ()


class CitationInShort(Struct, frozen=True, omit_defaults=True):
    """One citation, as much as an agent needs to write on.

    `said` is the verdict in a sentence. What is wrong or open has what to cite `instead`, what is
    told `beside` the provision, each with marks at what the other lacks, or else the `provision`.
    """

    line: int
    written: str
    status: CitationStatus
    said: str
    law: str = ""
    position: str = ""
    content: Mark | None = None
    problem: Problem = ""
    instead: str = ""
    beside: str = ""
    provision: str = ""


def _in_short(checked: Checked, told: Explained) -> CitationInShort:
    open_ = checked.status not in FINE
    return CitationInShort(
        checked.line,
        checked.written,
        checked.status,
        told.sentence,
        checked.law or "",
        checked.position,
        checked.content,
        checked.problem,
        told.instead,
        told.beside if open_ else "",
        told.provision if open_ and not told.beside else "",
    )


def _in_detail(checked: Checked, told: Explained) -> dict[str, Any]:
    """All that was found, but for the pieces of telling and provision, which `beside` has."""
    replace = msgspec.structs.replace
    if checked.telling is not None:
        content = replace(checked.telling.content, told=(), law=())
        checked = replace(checked, telling=replace(checked.telling, content=content))
    found: dict[str, Any] = msgspec.to_builtins({"finding": checked, "told": told})
    return found


class CitationsAnswer(ToolAnswer, frozen=True, kw_only=True):
    """Citations of a text in order; `counts` are of all of them, `left_out` those on later pages.

    `details` are the same citations with all that was found, where that was asked for: `finding`
    as in `hengfa cite check --json`, and the same in words as `told`.
    """

    day: Day | None = None
    counts: dict[CitationStatus, int] = {}
    citations: tuple[CitationInShort, ...] = ()
    details: tuple[dict[str, Any], ...] = ()
    left_out: int = 0
    notes: tuple[str, ...] = ()


class CaseNumbersAnswer(Struct, frozen=True):
    """All case numbers of a text in order; `counts` are of all, `left_out` how many are not given.

    cannot exist: a rule, which is named, forbids it; known: a source, which is named, has it; not
    known here: it is well formed, and nobody can tell from a number that there is such a case.
    """

    day: date
    counts: dict[Verdict, int]
    numbers: tuple[CheckedCase, ...]
    left_out: int


class Sentenced(Struct, frozen=True):
    """A defendant, of what they were convicted, what is executed, and the fine in all."""

    defendant: Defendant
    charges: tuple[str, ...]
    final: Sentence | None
    fine_total: Number | None


class JudgmentAnswer(Struct, frozen=True):
    """What a judgment says; offsets are into the text that was given, `remarks` what is missing."""

    court: str | None
    number: str | None
    date: date | None
    charges: tuple[str, ...]
    defendants: tuple[Sentenced, ...]
    statutes: tuple[AppliedProvision, ...]
    sections: tuple[JudgmentPart, ...]
    remarks: tuple[Remark, ...]


class _NoAnswer(Exception):
    """Why a question has no answer; it becomes an answer with this status."""

    def __init__(self, status: Status, reason: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.fields = {"status": status, "reason": reason, "candidates": candidates}


# --- what can be asked ---

_Name = Annotated[
    str, Field(min_length=1, max_length=300, description="The law: 民法典, 劳动合同法, 民诉法解释")
]
_OfLaw = Annotated[str, Field(max_length=300, description="Only this law; empty: any")]
_Where = Annotated[
    str,
    Field(
        max_length=100,
        description="27, 27.2 (paragraph), 27.2.1 (item), 133-1 or 第二十七条第二款第（一）项",
    ),
]
_On = Annotated[str, Field(max_length=10, description="A day as 2021-01-01; empty: today")]
_Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, description="The document")]


class LawTools:
    """The tools over one library; each is a method, its docstring what an agent is told of it.

    With `today` they answer as on that day, whenever they are asked.
    """

    def __init__(self, library: Library, today: date | None = None) -> None:
        self.library = library
        self._today = this_day if today is None else lambda: today
        self._checker = Checker(library)
        self._explainer = Explainer(self._checker)

    def look_up_provision(
        self,
        law: _Name,
        position: _Where = "",
        on: _On = "",
        reading: Annotated[
            Reading,
            Field(description="promulgated on: exactly that day; latest by: promulgated up to it"),
        ] = "in force on",
    ) -> ProvisionAnswer:
        """The text of a provision of Chinese law as it was in force on a day.

        Without a day, today's. Check `status` before you use `text`, and cite `version` with it.
        """
        named, day = self._law(law), _day(on) or self._today()
        where = read_position(position) if position else None
        try:
            found = look_up(self.library, named, where, day, reading)
        except UsageError as error:  # all else was read before
            raise _NoAnswer("no such position", str(error)) from error
        answer = found.answer
        told = ProvisionAnswer(
            status=_status(answer),
            law=named.name,
            position=found.cited or position,
            on=day,
            reading=reading,
            text=found.text,
            headings=found.headings,
            other_readings=found.other_readings,
            # of a text that whoever runs the server added, no path is told
            source=str(source) if (source := found.source) and source.repository else "",
        )
        if isinstance(answer, FoundVersion):
            version = _version(answer.version)
            return _with(told, version=version, certain=answer.sure, reason=answer.note)
        if found.text:
            return _with(told, status="derived", reason=f"{answer.reason}; {found.derived}")
        last = answer.last if isinstance(answer, Repealed) else None
        reasons = filter(None, (answer.reason, found.derived))
        return _with(told, version=last and _version(last), reason="; ".join(reasons))

    def law_versions(self, law: _Name) -> LawAnswer:
        """All known versions of a law: when promulgated, since when in force, whether at hand."""
        named = self._law(law)
        return LawAnswer(
            status="found",
            law=named.name,
            short=named.short,
            kind=named.kind,
            versions=tuple(map(_version, self.library.occasions(named))),
            repeals=tuple(each.note for each in self.library.shelf.repeals.get(named.name, ())),
        )

    def provision_history(
        self,
        law: _Name,
        position: _Where,
        version: Annotated[
            str,
            Field(
                max_length=10,
                description="`position` is that of the version promulgated on this day;"
                " empty: of the latest at hand",
            ),
        ] = "",
    ) -> HistoryAnswer:
        """A provision through all versions of its law, and on into the law that repealed it.

        Where it was given another number it is found by its text. `changes` compare a step with the
        one before: [-words-] were struck out, {+words+} put in. `missing`: versions in between
        whose text is not here; `derived`: one whose text amending acts tell.
        """
        named, day = self._law(law), _day(version)
        where = self._existing(self._start(named, day), position)
        steps = whole_history(self.library, named, where, day)
        return HistoryAnswer(status="found", law=named.name, steps=tuple(map(_step, steps)))

    def provision_successors(self, law: _Name, position: _Where) -> SuccessorsAnswer:
        """Where a provision of a repealed law went: 合同法 107 is 民法典 577.

        `position` is that of the law's last version.
        """
        named = self._law(law)
        answer = in_force_on(self.library, named, self._today())
        if isinstance(answer, Unknown):
            raise _NoAnswer("unknown", answer.reason)
        if not isinstance(answer, Repealed):
            why = f"nothing here says that {named.name} was repealed; where a provision went when"
            raise _NoAnswer("not repealed", f"{why} it was amended, provision_history tells")
        if answer.last is None:
            raise _NoAnswer("unknown", f"no text of {named.name} is in this library")
        where = self._existing(answer.last, position)
        after = successors(self.library, answer.last, where)
        why = "nothing like it was found there"
        if answer.by not in self.library.shelf.by_name:
            why = f"{answer.by} is not in this library"
        return SuccessorsAnswer(
            status="found" if after else "nothing found",
            reason="" if after else why,
            law=named.name,
            position=format_position(where),
            version=_version(answer.last),
            text=self.library.text(answer.last, where) or "",
            repealed_by=answer.by,
            repealed_on=answer.on,
            successors=tuple(
                Succeeding(
                    _version(each.version),
                    format_position(each.position),
                    self.library.text(each.version, each.position) or "",
                    each.how,
                    format_position(each.of),
                )
                for each in after
            ),
        )

    def search_law(
        self,
        query: Annotated[
            str,
            Field(
                min_length=1,
                max_length=LONGEST_QUERY,
                description="Words or a question, also in everyday words; “in quotation marks”"
                " only what holds the phrase",
            ),
        ],
        law: _OfLaw = "",
        kinds: Annotated[tuple[LawKind, ...], Field(description="Only these; empty: all")] = (),
        on: _On = "",
        all_versions: Annotated[bool, Field(description="Also what is not in force")] = False,
        limit: Annotated[int, Field(ge=1, le=MOST_HITS)] = 10,
    ) -> SearchAnswer:
        """Provisions of Chinese law by their words or by a question, in the law of a day.

        Laws whose text of that day is not in this library are not searched: that nothing is found
        does not show that the law is silent.
        """
        if all_versions and on:
            raise UsageError("all_versions and on exclude each other")
        day = None if all_versions else _day(on) or self._today()
        named = self._law(law) if law else None
        hits = search(self.library, query, limit=limit, law=named, kinds=kinds, on=day)
        found = []
        for hit in hits:
            version, position = _version(hit.version), format_position(hit.position)
            words = hit.headings, hit.text
            found.append(Found(version, position, *words, hit.exact, hit.elsewhere))
        return SearchAnswer(status="found" if hits else "nothing found", on=day, hits=tuple(found))

    def check_citations(
        self,
        text: _Text,
        as_of: Annotated[
            str,
            Field(
                max_length=10,
                description="The law of this day; empty: of the day that the document bears",
            ),
        ] = "",
        law: Annotated[
            str, Field(max_length=300, description="The law of citations that name none")
        ] = "",
        problems_only: Annotated[bool, Field(description="Leave out what is right")] = False,
        language: Annotated[Lang, Field(description="Of what is told: Chinese or English")] = "zh",
        detail: Annotated[bool, Field(description="All that was found: much longer")] = False,
        page: Annotated[int, Field(ge=1, le=10_000, description=f"Which {PAGE} of them")] = 1,
    ) -> CitationsAnswer:
        """Check every citation of Chinese law in a text: does it exist, was it in force that day,
        does the text say what it says.

        `exists` means that it is there, and that nobody decided whether it says what is told of it:
        compare them. `unknown`: this library cannot say. `unclear`: a person has to look.
        """
        named = self._law(law) if law else None
        report = self._checker.check(text, law=named, as_of=_day(as_of), today=self._today())
        wanted = [c for c in report.citations if not (problems_only and c.status in FINE)]
        given = wanted[(page - 1) * PAGE : page * PAGE]
        pairs = [(checked, self._explainer.explain(checked, language)) for checked in given]
        return CitationsAnswer(
            status="found" if report.citations else "nothing found",
            day=report.day,
            counts=report.counts(),
            citations=tuple(_in_short(checked, said) for checked, said in pairs),
            details=tuple(_in_detail(checked, said) for checked, said in pairs) if detail else (),
            left_out=max(0, len(wanted) - page * PAGE),
            notes=report.notes,
        )

    def check_case_numbers(self, text: _Text) -> CaseNumbersAnswer:
        """Check every case number (案号) and guiding case in a text: cannot exist, known, or not
        known here, which is no proof that there is such a case, nor that there is none."""
        report = check_case_numbers(text, self._register, self._today())
        left_out = max(0, len(report.numbers) - MOST_NUMBERS)
        given = report.numbers[:MOST_NUMBERS]
        return CaseNumbersAnswer(report.day, report.counts(), given, left_out)

    def parse_judgment(self, text: _Text) -> JudgmentAnswer:
        """What a criminal judgment says: defendants, charges, sentences, fines, provisions applied.

        Of civil and administrative judgments only parts and provisions are read.
        """
        read = parse_judgment(text)
        return JudgmentAnswer(
            court=read.court,
            number=read.number,
            date=read.date,
            charges=read.charges,
            defendants=tuple(
                Sentenced(person, person.charges, person.final, person.fine_total)
                for person in read.defendants
            ),
            statutes=read.statutes,
            sections=read.sections,
            remarks=read.remarks,
        )

    # --- what they share ---

    @cached_property
    def _register(self) -> Register:
        return Register.installed()

    def _law(self, name: str) -> LawEntry:
        meant = candidates(self.library, name)
        if len(meant) == 1:
            return meant[0]
        if meant:
            names = tuple(law.name for law in meant[:MOST_HITS])
            raise _NoAnswer("name of several laws", f"{name} can mean several laws", names)
        why = f"{name} is not in this library; whether there is such a law it cannot say"
        raise _NoAnswer("law not in this library", why, suggestions(self.library, name))

    def _start(self, law: LawEntry, promulgated: date | None) -> Version:
        versions = self.library.versions(law)
        if not versions:
            raise _NoAnswer("unknown", f"no text of {law.name} is in this library")
        if promulgated is None:
            return versions[-1]
        answer = read_date(self.library, law, promulgated, "promulgated on")
        if not isinstance(answer, FoundVersion):
            raise _NoAnswer(_status(answer), answer.reason)
        return answer.version

    def _existing(self, version: Version, written: str) -> Position:
        position = read_position(written)
        try:
            return existing(self.library, version, position)
        except UsageError as error:
            raise _NoAnswer("no such position", str(error)) from error


_A = TypeVar("_A", bound=ToolAnswer)


def _with(answer: _A, **more: Any) -> _A:
    return msgspec.structs.replace(answer, **more)


def _status(answer: VersionAnswer) -> Status:
    """What the library's answers are tagged with."""
    status: Status = msgspec.convert(answer.__struct_config__.tag, Status)
    return status


def _version(entry: Version | Occasion) -> TextVersion:
    # the id of a version that was derived is 0, that of an occasion without a text None
    at_hand = bool(entry.id if isinstance(entry, Version) else entry.version)
    days, told = (entry.promulgated, entry.effective), in_force_since(entry)
    return TextVersion(entry.law, *days, entry.sure, told, entry.event, at_hand)


def _step(step: Step) -> HistoryStep:
    return HistoryStep(
        version=_version(step.version),
        position=format_position(step.position) if step.position else "",
        text=step.text,
        changes=show(step.changes),
        similarity=step.similarity,
        missing=tuple(map(_version, step.missing)),
        moved=tuple(f"{format_position(m.of)} → {format_position(m.to)}" for m in step.elsewhere),
        deleted=step.deleted,
        successor=step.successor,
        derived=step.derived,
    )


def _day(written: str) -> date | None:
    return read_day(written) if written else None


# --- as a server ---

_INSTRUCTIONS: Final = """\
中国法律：按日期查条文、看沿革、找承继条文、检索、核对引用和案号、解析判决书。
Chinese law with its versions: a provision on a day, its history, its successors, search, checking
citations and case numbers, reading judgments. Law depends on the day: give the day of the facts or
of the document. Answers about the law have a `status`. "law not in this library" never means that
no such law exists, and "unknown" means that the text of that day is not at hand: say so, and do not
fill it in from memory.
"""

TITLES: Final = {
    "look_up_provision": "查条文 Look up a provision",
    "law_versions": "法律版本 Versions of a law",
    "provision_history": "条文沿革 History of a provision",
    "provision_successors": "承继条文 Successors of a repealed provision",
    "search_law": "检索法条 Search the law",
    "check_citations": "核对引用 Check citations",
    "check_case_numbers": "核对案号 Check case numbers",
    "parse_judgment": "解析判决书 Parse a judgment",
}
DOCUMENTS: Final = frozenset({"check_citations", "check_case_numbers", "parse_judgment"})
"""The tools that work on a document of others."""


class OfferedTool(Protocol):
    """A tool of another wing, as clients see it."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...


class OtherTools(Protocol):
    """What another wing offers beside the law (the part `desk tools`, `hengfa.base.hooks`).

    `task` is that of the only connection; over HTTP the address of each says it.
    """

    instructions: str
    task: str
    path: str
    """Where it is served over HTTP; `{task}` in it stands for the task of a connection."""

    def specs(self) -> Iterable[OfferedTool]: ...

    def writes(self, name: str) -> bool:
        """Whether a tool changes anything."""

    def call(self, task: str, name: str, arguments: Any) -> str:
        """What a tool answers."""

    def begins(self, task: str) -> bool:
        """Whether calls of the law go on record too; an error where there is no such task."""

    def keep(self, task: str, name: str, arguments: Any, told: dict[str, Any] | str) -> str | None:
        """Put an answer of the law, or what was wrong, on record; the text that the client gets in
        its place, if another."""


class _Server(MCPServer[None]):  # type: ignore[misc]  # the SDK is an extra
    """The tools of the law as the SDK has them, and beside them those of another wing."""

    def __init__(self, law: Sequence[Tool], others: OtherTools | None) -> None:
        super().__init__(
            "hengfa",
            title="Hengfa 衡法",
            instructions=(_INSTRUCTIONS if law else "") + (others.instructions if others else ""),
            version=hengfa.__version__,
            log_level="WARNING",
            tools=list(law),
        )
        self._law = {tool.name for tool in law}
        self._others = others

    async def list_tools(self) -> list[ListedTool]:
        listed: list[ListedTool] = await super().list_tools()
        if self._others is None:
            return listed
        for spec in self._others.specs():
            reads = not self._others.writes(spec.name)
            hints = ToolAnnotations(read_only_hint=reads, open_world_hint=False)
            told = {"name": spec.name, "description": spec.description}
            listed.append(ListedTool(**told, input_schema=spec.parameters, annotations=hints))
        return listed

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        others = self._others
        if others is None:
            return await super().call_tool(name, arguments, context)
        request = None if context is None else context.request_context.request
        addressed = "" if request is None else str(request.path_params.get("task", ""))
        task = others.task or addressed  # /tasks/ID/mcp
        try:
            if name not in self._law:
                return _text(await asyncio.to_thread(others.call, task, name, arguments))
            on_record = others.begins(task)
            try:
                answer = await super().call_tool(name, arguments, context)
            except ToolError as error:
                if on_record:
                    await asyncio.to_thread(others.keep, task, name, arguments, str(error))
                raise
            if not on_record:
                return answer
            result = getattr(answer, "structured_content", None) or {}
            instead = await asyncio.to_thread(others.keep, task, name, arguments, result)
            return answer if instead is None else _text(instead)
        except HengfaError as error:
            raise ToolError(shown(error)) from None


class Answering:
    """Answers calls, in JSON: processes those that work on a document, where there are any; else a
    single thread, since what a checker keeps is for one reader."""

    def __init__(self, workers: Workers | None = None) -> None:
        self._thread = ThreadPoolExecutor(1, "law")
        self._workers = workers

    async def answer(self, method: Callable[..., Struct], arguments: dict[str, Any]) -> bytes:
        if self._workers is None or method.__name__ not in DOCUMENTS:
            work = partial(answered, method, **arguments)
            return encode_json(await asyncio.wrap_future(self._thread.submit(work)))
        job = Job(method.__name__, msgspec.Raw(encode_json(arguments)))
        outcome, made = await self._workers.do(job, b"")
        if outcome.code:
            raise ToolError(decode_json(made))
        return made


def law_server(
    library: Library | None, others: OtherTools | None = None, workers: Workers | None = None
) -> MCPServer[None]:
    """The server over a library that is open, other tools, or both, for either transport."""
    if library is None:
        return _Server((), others)
    tools, calls = LawTools(library), Answering(workers)
    law = [law_tool(getattr(tools, name), title, calls) for name, title in TITLES.items()]
    server = _Server(law, others)
    _offer_texts(server, tools, calls)
    return server


def _offer_texts(server: MCPServer[None], tools: LawTools, calls: Answering) -> None:
    """Provisions as resources, and what is asked most often as prompts, for clients with menus."""

    async def provision(law: str, position: str) -> str:
        arguments = {"law": law, "position": position}
        answer = decode_json(await calls.answer(tools.look_up_provision, arguments))
        version = answer.get("version") or {}
        head = f"{answer['law']} {answer['position']} ({version.get('told', '')})"
        text = answer["text"]
        return f"{head}\n{text}" if text else f"{answer['status']}: {answer['reason']}"

    server.resource(
        "law://{law}/{position}",
        title="条文 A provision as it is in force today",
        description="law://民法典/577, law://公司法/23.1 (paragraph), law://刑法/133-1",
    )(provision)
    server.prompt("check", title="核对文书引用 Check a document")(_ask_to_check)
    server.prompt("provision", title="查某日条文 A provision on a day")(_ask_for_a_day)


def _ask_to_check(document: str, day: str = "") -> str:
    """Check what a document cites, and say what to mend."""
    when = f"，按{day}的法律" if day else ""
    return (
        f"用 check_citations 核对下面文书中的全部法条引用{when}，用 check_case_numbers 核对案号。"
        "逐条列出有错、存疑和转述未核对的，写明依据和建议改法；"
        "转述未核对的，把文书与条文并排给我看。"
        f"工具查不到的，照实说查不到。\n\n{document}"
    )


def _ask_for_a_day(law: str, position: str, day: str) -> str:
    """What a provision said on a day, what it says today, and what changed."""
    return (
        f"用工具查《{law}》{position}在{day}有效的文本，再用 provision_history 说明此后的变化。"
        "写明所据版本；工具查不到的，照实说查不到，不要凭记忆补。"
    )


class _Bench:
    """The tools that work on a document, in a process of their own."""

    def __init__(self, library: Path | None) -> None:
        self._tools = LawTools(Library.open(library))

    def work_on(self, path: str, asked: msgspec.Raw, _content: bytes) -> tuple[str, bytes]:
        try:
            answer = answered(getattr(self._tools, path), **decode_json(bytes(asked)))
        except HengfaError as error:
            raise Refusal("no_answer", shown(error)) from error
        return "application/json", encode_json(answer)


def _workers(library: Library | None) -> contextlib.closing[Workers]:
    """The processes for documents, until the block ends; none starts before there is a document."""
    file = None if library is None else library.path
    return contextlib.closing(Workers(partial(_Bench, file), SECONDS))


def _text(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)])


def law_tool(method: Callable[..., Struct], title: str, calls: Answering) -> Tool:
    """A method as the protocol has it: schemas of both sides, nothing accepted that is not there.

    A misspelt `on` that is passed over would be answered with the law of today.
    """
    returns: type[Struct] = get_type_hints(method)["return"]

    @wraps(method)
    async def called(**arguments: Any) -> CallToolResult:
        # errors that an agent can do something about are told, no others
        try:
            content = await asyncio.wait_for(calls.answer(method, arguments), SECONDS)
        except (TimeoutError, Busy):
            raise ToolError(f"no answer within {SECONDS:g} seconds: ask for less at once") from None
        except Ended as ended:
            raise ToolError(f"no answer, {ended}: ask for less at once") from None
        except HengfaError as error:
            raise ToolError(shown(error)) from None
        words = TextContent(type="text", text=content.decode())
        return CallToolResult(content=[words], structured_content=decode_json(content))

    tool = Tool.from_function(
        called,
        title=title,
        description=inspect.getdoc(method),
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
        structured_output=False,
    )
    arguments = tool.fn_metadata.arg_model
    strict: Any = new_class(arguments.__name__, (arguments,), {"extra": "forbid"})
    tool.fn_metadata.arg_model = strict
    tool.parameters = _bare(strict.model_json_schema())
    tool.fn_metadata.output_schema = _schema(returns)
    return tool


def _schema(kind: type[Struct]) -> dict[str, Any]:
    """The schema of a struct with an object at its root, as the protocol wants it."""
    _, parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    whole = parts.pop(kind.__name__)
    for part in parts.values():
        part.pop("description", None)  # every conversation carries the schema
    schema: dict[str, Any] = _bare({**whole, "$defs": parts})
    return schema


def _bare(schema: Any) -> Any:
    """A schema without titles, which say each name again."""
    if isinstance(schema, list):
        return [_bare(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _bare(part) for name, part in value.items()}
        if key in {"properties", "$defs"}
        else _bare(value)
        for key, value in schema.items()
        if key != "title"
    }


def answered(method: Callable[..., Struct], **arguments: Any) -> Struct:
    """What a tool of the law answers, also where there is nothing to be said but why."""
    try:
        return method(**arguments)
    except _NoAnswer as error:
        returns: type[Struct] = get_type_hints(method)["return"]
        return returns(**error.fields)


def shown(error: HengfaError) -> str:
    """What an agent is told; errors about data name files."""
    about_files = isinstance(error, DataError | JournalError)
    return "the data of this server cannot be read" if about_files else str(error)


async def serve_stdio(library: Library | None, others: OtherTools | None = None) -> None:
    """Answer the client that started this process, until it closes our standard input."""
    refusing: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    with (
        _workers(library) as workers,
        os.fdopen(0, encoding="utf-8", errors="replace", closefd=False) as stdin,
    ):
        server = law_server(library, others, workers)._lowlevel_server
        async with stdio_server(stdin=_messages(wrap_file(stdin), refusing)) as (read, write):
            refusing.set_result(write)
            await server.run(read, write, server.create_initialization_options())


async def _messages(lines: AsyncIterator[str], refusing: Awaitable[Any]) -> AsyncIterator[str]:
    """The lines that are messages; the SDK passes over all others, and their sender would wait."""
    async for line in lines:
        try:
            jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            if line.strip():
                why = ErrorData(code=PARSE_ERROR, message="not a message that can be read")
                refusal = JSONRPCError(jsonrpc="2.0", id=_id_of(line), error=why)
                await (await refusing).send(SessionMessage(refusal))
        else:
            yield line


def _id_of(line: str) -> int | str | None:
    """The id of what is JSON but no message, such as one with half a surrogate pair."""
    try:
        given = json.loads(line)["id"]
    except (ValueError, RecursionError, TypeError, LookupError):
        return None
    return given if type(given) is int or (type(given) is str and given.isascii()) else None


@contextlib.asynccontextmanager
async def serving(
    library: Library | None,
    host: str = HOST,
    port: int = 0,
    names: Collection[str] = (),
    others: OtherTools | None = None,
    patience: float = PATIENCE,
) -> AsyncIterator[str]:
    """Serve over HTTP until the block ends; gives the address, with `{task}` where there are seats.

    The SDK's application is asked as any server asks one; who is answered, and how long we wait for
    a request, is as with our other servers.
    """
    with _workers(library) as workers:
        server = law_server(library, others, workers)
        path = others.path if others else "/mcp"
        asgi = server.streamable_http_app(
            streamable_http_path=path,
            json_response=True,
            stateless_http=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        app = web.Application(client_max_size=_BODY)
        app.router.add_route("*", "/{path:.*}", _handler_of(asgi))
        async with (
            listening(
                app, host, port, names=names, patience=patience, ends_with_client=True
            ) as address,
            server.session_manager.run(),  # in a group, in which an error would lose its name
        ):
            yield f"{address}{path}"


def _handler_of(app: Callable[..., Awaitable[None]]) -> Handler:
    """An ASGI application as a handler of our server; a client that leaves cancels both."""

    async def answer(request: web.Request) -> web.StreamResponse:
        reply, content = web.StreamResponse(), [await request.read()]

        async def receive() -> dict[str, Any]:
            if not content:
                await asyncio.Event().wait()
            return {"type": "http.request", "body": content.pop(), "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                reply.set_status(message["status"])
                for name, value in message.get("headers", ()):
                    reply.headers.add(name.decode("latin-1"), value.decode("latin-1"))
                await reply.prepare(request)
            else:
                await reply.write(message.get("body", b""))

        scope = {"type": "http", "method": request.method, "scheme": "http", "path": request.path}
        headers = [(name.lower(), value) for name, value in request.raw_headers]
        query = request.query_string.encode()
        await app({**scope, "headers": headers, "query_string": query}, receive, send)
        return reply

    return answer

"""What to make of a citation that was looked up: a status, what is the matter, and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hengfa.law.citation_model import Citation
from hengfa.library.citing.findings import Problem, Quotation, Status, Told, Verdict
from hengfa.library.citing.passages import GRAM, Passages
from hengfa.library.citing.placing import Place
from hengfa.library.citing.resolving import Resolved
from hengfa.library.citing.standing import Standing

_NAMED: Final = 4
_LOOSE: Final = frozenset({"phrase", "colon"})
"""Marks that need not mean a quotation: 第三条规定的“罪行”, 第三条规定：……"""
_QUOTED: Final[dict[Verdict, tuple[Status, Problem]]] = {
    "other provision": ("wrong", "quoted from another provision"),
    "other version": ("wrong", "quoted from another version"),
    "not in the law": ("wrong", "quoted words not in the law"),
    "wording": ("wording", "wording differs"),
}


@dataclass(slots=True)
class Draft:
    """One citation on its way to a finding."""

    citation: Citation
    resolved: Resolved
    stand: Standing | None = None
    place: Place | None = None
    quotation: Quotation | None = None

    @property
    def in_force(self) -> Told | None:
        """Whether the position was law on the day; amending acts may tell where no text does."""
        if self.stand is None or self.place is None:
            return None
        carried = self.place.carried and self.place.exists != "unknown"
        return self.place.exists if self.stand.in_force == "unknown" and carried else (
            self.stand.in_force
        )  # fmt: skip


def outcome(draft: Draft, drafts: Sequence[Draft]) -> tuple[Status, Problem]:
    """What to think of a citation, and the first thing that is the matter with it."""
    citation = draft.citation
    if citation.kind == "document":
        return "paper", "not a law"
    if citation.within is not None:
        owner = drafts[citation.within].quotation  # the words are the law's, or not
        return ("right" if owner and owner.verdict in {"exact", "wording"} else "unclear"), ""
    return _of_the_law(draft) or _of_the_words(draft) or _of_the_library(draft) or ("right", "")


def _of_the_law(draft: Draft) -> tuple[Status, Problem] | None:
    if draft.resolved.how == "several":
        return "unclear", "name of several laws"
    if draft.place is None or draft.stand is None:
        named = draft.citation.law is not None and draft.resolved.law is None
        return ("unknown", "law not in the library") if named else ("unclear", "no law named")
    if draft.stand.problem:
        return "wrong", draft.stand.problem
    return ("wrong", "no such position") if draft.place.exists == "no" else None


def _of_the_words(draft: Draft) -> tuple[Status, Problem] | None:
    quotation = draft.quotation
    if quotation is None or quotation.verdict not in _QUOTED:
        return None
    status, problem = _QUOTED[quotation.verdict]
    own = quotation.verdict == "not in the law" and quotation.mark in _LOOSE
    short = quotation.mark == "phrase" and quotation.end - quotation.start < GRAM
    # perhaps the writer's own words, or such as any law has
    return ("unclear" if status == "wrong" and (own or short) else status), problem


def _of_the_library(draft: Draft) -> tuple[Status, Problem] | None:
    if draft.in_force == "unknown" or (draft.place and draft.place.exists == "unknown"):
        return "unknown", "version not in the library"
    if draft.quotation and draft.quotation.verdict == "unknown":
        return "unknown", "text not in the library"
    return None


def notes(draft: Draft, passages: Passages) -> Iterator[str]:
    """What a reader should know besides."""
    yield from _about_the_law(draft)
    if draft.stand and draft.place:
        if not draft.place.carried:
            yield from draft.stand.notes
        yield from draft.place.notes
        yield from _about_later(draft, draft.stand, draft.place, passages)
    if draft.quotation:
        yield from draft.quotation.notes


def _about_the_law(draft: Draft) -> Iterator[str]:
    resolved, citation = draft.resolved, draft.citation
    can_mean = "、".join(resolved.candidates[:_NAMED])
    if resolved.law:
        if resolved.how == "near":
            yield f"read as {resolved.law.name}, which is spelled differently"
        elif resolved.how == "day":
            yield f"can mean {can_mean}; only the one taken was in force that day"
        elif resolved.how == "words":
            yield "no law is named: the quoted words are its"
    elif resolved.how == "several":
        yield f"can mean {can_mean}"
    elif citation.law:
        alike = f"; called alike: {can_mean}" if can_mean else ""
        yield f"the library has no law of this name{alike}"
    elif citation.basis == "relative" and citation.within is None:
        yield "counted from where it stands, which only the law itself could tell"
    elif citation.kind != "document" and citation.within is None:
        yield "the text does not say which law; --law names one"


def _about_later(draft: Draft, stand: Standing, place: Place, passages: Passages) -> Iterator[str]:
    """A version that had been promulgated but was not yet in force, if it reads otherwise."""
    if stand.later is None:
        return
    later = passages.article(stand.later, draft.citation.position)
    if "".join(one.letters for one in place.passages) != (later.letters if later else ""):
        yield f"reads otherwise in the version of {stand.later.promulgated}, not yet in force"

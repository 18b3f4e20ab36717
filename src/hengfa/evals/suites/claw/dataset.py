"""From the law library to samples: one for each leaf of each version (claw.md 1 and 2).

A leaf is a provision that is not divided further. Lead sentences (“有下列情形之一的：”) are no
samples, nor are provisions that a text prints as deleted, nor the few positions that stand twice in
their version, where one question would have two answers. Here is also which kinds of samples there
are, and which library they come from: the installed one, or a small one made of a folder.
"""

from __future__ import annotations

import hashlib
import logging
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from hengfa.base.data.output import MANIFEST
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.suites import base
from hengfa.evals.suites.base import Chosen
from hengfa.evals.suites.claw.clean import normalise
from hengfa.law.grammar.citation_model import Level, Position
from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.library import versions
from hengfa.law.library.model import STATUTES, LawEntry, LawKind, Version
from hengfa.law.library.names import find_law
from hengfa.law.library.opening import is_own, open_library
from hengfa.law.library.store import Library
from hengfa.law.library.versions import Reading

CUTOFF, SCOPE, READING, BERTSCORE = "cutoff", "scope", "reading", "bertscore"
TEXTS, AS_OF, HELD_OUT, STATUTE = "texts", "as_of", "held_out", "statute"
INDEX, SHOWN = "index", "k"

_MOST: Final = 100  # more articles than this are no prompt


def _date(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise ValueError(f"{value!r} is not a date such as 2025-04-08") from None


def _share(value: str) -> str:
    try:
        share = float(value or "0")
    except ValueError:
        share = -1.0
    if not 0 <= share < 1:
        raise ValueError(f"{value!r} is no share such as 0.1")
    return str(share) if share else ""


OPTIONS: Final = base.read_options(
    Path(__file__).with_name("options.toml"),
    {
        CUTOFF: _date,
        SCOPE: base.one_of("claw", "all"),
        STATUTE: str.strip,
        TEXTS: base.one_of("pack", "own"),
        READING: base.one_of("promulgated", "in-force"),
        AS_OF: lambda value: _date(value) if value else "",
        HELD_OUT: _share,
        INDEX: base.index_folder,
        SHOWN: base.number_to(_MOST, least=1),
        BERTSCORE: base.bert_model,
    },
)

SETTINGS: Final = ("all", "version-sensitive", "unique-text", "twins", "rag")
ALL, VERSION_SENSITIVE, UNIQUE_TEXT, TWINS, RAG = SETTINGS

IN_FORCE: Final = "_in_force"
"""A metric's name with this: judged by the version that was in force, where that is another."""

_LOG: Final = logging.getLogger(__name__)
LAW: Final = "law"
PERIODS: Final = (1980, 1990, 2000, 2005, 2010, 2015, 2020, 2023)
"""The years in which periods of promulgation begin."""

InForce: TypeAlias = Literal[
    "same", "assumed", "other", "missing", "not yet", "repealed", "unknown"
]
"""Which version was in force on the day that is asked for, and so whether the readings differ:

* same: the one that is asked for; assumed: likewise, but its entry into force is not certain;
* other: an older one; missing: an older one whose text is not at hand;
* not yet: none so far; repealed: none any more;
* unknown: it cannot be said whether it was this one.
"""


class Twin(msgspec.Struct, frozen=True, gc=False):
    """The same provision in another version, worded otherwise: the id of its sample, its text."""

    id: str
    text: str


class Shelf(msgspec.Struct, frozen=True, gc=False):
    """Where a prompt takes provisions from, when that was written, and how many."""

    library: str
    scope: str
    index: str
    changed: int
    k: int


class ClawSample(msgspec.Struct, frozen=True, gc=False):
    """One leaf of one version of a law; the id is 民法典/2020-05-28/27.2.1.

    `asked` is the day by which a question names the version, and `reading` what is meant by it.
    Where another version was `in_force` on that day, `in_force_text` is what stood there at the
    same position and `in_force_at` where it had this sample's text. `same` are other positions of
    the version with the same text.
    """

    id: str
    law: str
    version: date
    position: Position
    text: str
    asked: date
    reading: Reading
    in_force: InForce
    in_force_text: str | None
    in_force_at: tuple[Position, ...]
    same: tuple[Position, ...]
    changed: bool  # whether the version before or after has another text at this position
    superseded: bool  # whether a later version was promulgated up to the cut-off
    lone_year: bool
    """Whether a question for the place names the version: by the day, or by a year that no other
    version of the law has."""
    bertscore: str
    earlier: Twin | None = None
    later: Twin | None = None
    """In the setting `twins`: its wordings in the version before and after."""
    line: str = ""  # the oldest of the samples that are each other's twins
    shelf: Shelf | None = None  # in the setting `rag`: where provisions are found

    @property
    def level(self) -> Level:
        """How deep the position goes."""
        if self.position.item is not None:
            return "item"
        return "article" if self.position.paragraph is None else "paragraph"


def title_of(sample: ClawSample) -> str:
    """The title of the law as it stands inside 《》."""
    return sample.law.replace("《", "〈").replace("》", "〉")


def day_of(sample: ClawSample) -> str:
    """The day that is asked for in words: 2021年1月1日."""
    day = sample.asked
    return f"{day.year}年{day.month}月{day.day}日"


def load(task: str, root: Path, setting: str, options: Chosen) -> list[ClawSample]:
    """The samples of a task; ID retrieval, which asks by the year, leaves out doubtful years."""
    if setting not in SETTINGS:
        raise UsageError(f"CLaw has no setting {setting!r}; there is: {', '.join(SETTINGS)}")
    library = open_library(root)
    share = float(options.get(HELD_OUT) or 0)
    there: Sequence[ClawSample] = samples_in(library.path, options)
    if setting == TWINS:
        # only those who ask for twins lay versions side by side
        from hengfa.evals.suites.claw.twins import with_twins  # noqa: PLC0415

        there = with_twins(library.path, samples_in(library.path, options))
    elif setting == RAG:
        chosen = (options.get(name, OPTIONS[name].default) for name in (SCOPE, INDEX, SHOWN))
        scope, index, k = chosen
        changed = (Path(index) / MANIFEST if index else library.path).stat().st_mtime_ns
        shelf = Shelf(str(library.path), scope, index, changed, int(k))
        there = [msgspec.structs.replace(sample, shelf=shelf) for sample in there]
    samples = [
        sample
        for sample in there
        if (setting != VERSION_SENSITIVE or sample.changed)
        and (setting != UNIQUE_TEXT or not sample.same)
        and (task != "id" or sample.lone_year)
        and (not share or is_held_out(sample.law, share))
    ]
    if not samples:
        raise DataError(f"no provision is left for {setting} with {dict(options)}", file=root)
    return samples


def is_held_out(law: str, share: float) -> bool:
    """Whether a law is kept back from training: by a digest of its name, so that others come and
    go without moving it, and a larger share keeps back what a smaller one does."""
    digest = hashlib.blake2b(law.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") < share * 2**64


def all_samples(root: Path, options: Chosen) -> tuple[ClawSample, ...]:
    """Every leaf within the options, law by law, version by version."""
    return samples_in(open_library(root).path, options)


def samples_in(library: Path, options: Chosen) -> tuple[ClawSample, ...]:
    """The same from a library file; read once."""
    chosen = {name: options.get(name, option.default) for name, option in OPTIONS.items()}
    return _read_samples(library, library.stat().st_mtime_ns, tuple(chosen.items()))


class _Text(NamedTuple):
    """A version with its leaves by position, as they stand and normalised, and the day by which
    questions name it; None where it is not asked for, but stands beside one that is."""

    version: Version
    leaves: Mapping[Position, str]
    plain: Mapping[Position, str]
    asked: date | None


@lru_cache(maxsize=4)
def _read_samples(
    file: Path, _changed: int, chosen: tuple[tuple[str, str], ...]
) -> tuple[ClawSample, ...]:
    options = dict(chosen)
    with Library.open(file) as library:
        laws = laws_in(library, options[SCOPE])
        if options[STATUTE]:
            wanted = find_law(library, options[STATUTE])
            laws = [law for law in laws if law.name == wanted.name]
        _warn_of_gaps(library, laws, options)
        return tuple(sample for law in laws for sample in _samples_of(library, law, options))


def laws_in(library: Library, scope: str) -> Sequence[LawEntry]:
    """The laws that the option `scope` means: CLaw asks for no regulation and no rule."""
    wider: tuple[LawKind, ...] = ("interpretation", "amendment", "decision")
    return library.laws(*STATUTES, *(wider if scope == "all" else ()))


def _warn_of_gaps(library: Library, laws: Sequence[LawEntry], options: Chosen) -> None:
    """Say how many laws are not asked for as of a day, because nobody knows how they read then."""
    day = _as_of(options)
    if day is None:
        return
    answers = [versions.in_force_on(library, law, day) for law in laws]
    unsure = sum(isinstance(then, versions.FoundVersion) and not then.sure for then in answers)
    unknown = sum(isinstance(then, versions.Unknown) for then in answers)
    if unsure + unknown:
        message = (
            "left out as of %s: %d laws whose version in force is not certain, and %d whose text "
            "of that day is not at hand or not known"
        )
        _LOG.warning(message, day, unsure, unknown)


def _samples_of(library: Library, law: LawEntry, options: Chosen) -> Iterator[ClawSample]:
    texts, until = list(_texts_of(library, law, options)), _until(options)
    # of all versions, those included whose text is not at hand
    days = [occasion.promulgated for occasion in library.occasions(law)]
    years = Counter(day.year for day in days if day <= until)
    by_asked = options[READING] == "promulgated" and not options[AS_OF]
    for place, (version, leaves, plain, asked) in enumerate(texts):
        if asked is None:
            continue
        beside = [*texts[max(0, place - 1) : place], *texts[place + 1 : place + 2]]
        in_force, other = _in_force(library, law, version) if by_asked else ("same", None)
        at = _positions(plain)
        elsewhere = {} if other is None else _positions({p: normalise(t) for p, t in other.items()})
        later = any(version.promulgated < day <= until for day in days)
        for position, words in leaves.items():
            key = plain[position]
            around = (neighbour.plain.get(position) for neighbour in beside)
            yield ClawSample(
                id=f"{law.short}/{version.promulgated}/{format_position(position, 'dotted')}",
                law=law.name,
                version=version.promulgated,
                position=position,
                text=words,
                asked=asked,
                reading="promulgated on" if by_asked else "in force on",
                in_force=in_force,
                in_force_text=None if other is None else other.get(position),
                in_force_at=tuple(elsewhere.get(key, ())),
                same=tuple(twin for twin in at[key] if twin != position),
                changed=any(there is not None and there != key for there in around),
                superseded=later,
                lone_year=not by_asked or years[asked.year] <= 1,
                bertscore=options[BERTSCORE],
            )


def _texts_of(library: Library, law: LawEntry, options: Chosen) -> Iterator[_Text]:
    until = _until(options)
    wanted = options[TEXTS] == "own"
    day = _as_of(options)
    then = None if day is None else _in_force_then(library, law, day)
    for version in library.versions(law):
        if version.promulgated > until or is_own(library, version) != wanted:
            continue
        asked: date | None = version.promulgated
        if day is not None:
            asked = day if then == version else None
        elif options[READING] == "in-force":
            asked = version.effective
            if asked is None or asked > until or _in_force_then(library, law, asked) != version:
                continue
        leaves = _leaves(library, version)
        if day is not None:  # articles of which anything was repealed by itself are not sure
            parts = versions.struck_parts(library, version, day)
            struck = {position[:2] for repeal in parts for position in repeal.scope}
            leaves = {at: text for at, text in leaves.items() if at[:2] not in struck}
        plain = {position: normalise(text) for position, text in leaves.items()}
        yield _Text(version, leaves, plain, asked)


def _as_of(options: Chosen) -> date | None:
    return date.fromisoformat(options[AS_OF]) if options[AS_OF] else None


def _until(options: Chosen) -> date:
    """Later versions are not looked at."""
    cutoff, day = date.fromisoformat(options[CUTOFF]), _as_of(options)
    return cutoff if day is None else max(cutoff, day)


def _in_force_then(library: Library, law: LawEntry, day: date) -> Version | None:
    """The version that was in force on a day, where that is certain."""
    then = versions.in_force_on(library, law, day)
    return then.version if isinstance(then, versions.FoundVersion) and then.sure else None


def _leaves(library: Library, version: Version) -> dict[Position, str]:
    entries = [entry for entry in library.entries(version) if not entry.deleted]
    times = Counter(entry.position for entry in entries)
    return {entry.position: entry.text for entry in entries if times[entry.position] == 1}


def _in_force(
    library: Library, law: LawEntry, version: Version
) -> tuple[InForce, Mapping[Position, str] | None]:
    """What was in force when a version was promulgated, and its leaves where it is another text."""
    then = versions.in_force_on(library, law, version.promulgated)
    if isinstance(then, versions.FoundVersion):
        if then.version.id == version.id:
            return ("same" if then.sure else "assumed"), None
        return "other", _leaves(library, then.version)
    if isinstance(then, versions.NotYet):
        return "not yet", None
    if isinstance(then, versions.Unknown):
        known = then.needed and all(event.version != version.id for event in then.needed)
        return ("missing" if known else "unknown"), None
    return ("repealed" if isinstance(then, versions.Repealed) else "unknown"), None


def _positions(plain: Mapping[Position, str]) -> Mapping[str, list[Position]]:
    positions: defaultdict[str, list[Position]] = defaultdict(list)
    for position, text in plain.items():
        positions[text].append(position)
    return positions


# --- kinds ---


def facets_of(sample: ClawSample) -> dict[str, str]:
    """By what figures can be taken apart. Provisions of one law are asked for many times, so its
    samples are drawn together."""
    kinds = {
        "level": sample.level,
        "promulgated": period(sample),
        "version": "superseded" if sample.superseded else "latest",
        "in force on that day": sample.in_force,
        LAW: sample.law,
    }
    if sample.earlier is not None or sample.later is not None:
        kinds["wording"] = "newer" if sample.earlier is not None else "older"
    return kinds


def group_of(sample: ClawSample) -> str:
    """What samples have in common that are asked together: twins."""
    return sample.line or sample.id


def period(sample: ClawSample) -> str:
    """When the version was promulgated: 2015–2019."""
    year = sample.version.year
    begin = max((first for first in PERIODS if first <= year), default=None)
    if begin is None:
        return f"1949–{PERIODS[0] - 1}"
    after = next((first for first in PERIODS if first > year), None)
    return f"{begin}–" if after is None else f"{begin}–{after - 1}"

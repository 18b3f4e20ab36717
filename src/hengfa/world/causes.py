"""Causes of action between companies: what is claimed, how it is defended, and on which provision.

The law of a case follows from its days. A table says for each rule which provision it is on which
day, and by which words that provision is known, so that it can be held against the articles of a
world (:class:`WorldLaw`). `causes.toml` is the law of the country, `causes_sample.toml` that of the
fictional one in the sample pack.
"""

from __future__ import annotations

import random
from calendar import monthrange
from collections.abc import Iterable
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Final, Literal

import msgspec

from hengfa.base.data.jsonfile import read_toml
from hengfa.base.errors import DataError, UsageError
from hengfa.law.grammar.numerals import format_article
from hengfa.world.generator.values import STANDSTILL
from hengfa.world.tools.texts import Provisions

REAL: Final = Path(__file__).with_name("causes.toml")
SAMPLE: Final = Path(__file__).with_name("causes_sample.toml")

RENAMED: Final = date(2021, 1, 1)
"""Suits filed from this day on bear the names of the causes as amended in 2020."""

MOST_DEFENCES: Final = 3
_SHORTEST_WAIT: Final = 160
"""Days before a suit: tables tell what happened in the first five months."""

Anchor = Literal["signed", "due", "filed", "lapse"]
Role = Literal["plaintiff", "defendant", "third"]


class Days(msgspec.Struct, frozen=True):
    """When the contract was signed, when performance was due, when the suit was filed."""

    signed: date
    due: date
    filed: date


class Article(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An article of a law, and words that it has."""

    law: str
    article: int
    words: tuple[str, ...]

    @property
    def citation(self) -> str:
        return f"{self.law}{format_article(self.article)}"


class ProvisionPeriod(Article, frozen=True, forbid_unknown_fields=True):
    """The days on which an article is the law; `months` is the length of a period that it sets."""

    since: date = date.min
    until: date = date.max
    months: int = 0

    def covers(self, on: date) -> bool:
        return self.since <= on <= self.until


class Ground(Article, frozen=True):
    """The article on which a rule rests in a case, and the day that decided it."""

    rule: str
    on: date


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule of law and the provisions that it has been, one after another."""

    on: Anchor
    provisions: tuple[ProvisionPeriod, ...]

    def provision(self, days: Days) -> tuple[ProvisionPeriod, date] | None:
        """The provision of this case and the day that decides it; None where none applies."""
        if self.on == "lapse":
            for provision in self.provisions:
                on = months_after(days.due, provision.months)
                if provision.covers(on) and days.filed > on:
                    return provision, on
            return None
        on = {"signed": days.signed, "due": days.due, "filed": days.filed}[self.on]
        found = self._covering(on)
        if found is None or (self.on == "due" and self._covering(days.signed) != found):
            return None
        return found, on

    def _covering(self, on: date) -> ProvisionPeriod | None:
        return next((one for one in self.provisions if one.covers(on)), None)


class Defence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What only the defendant knows and can prove, and what follows from it by a rule of law.

    `claim` and `story` are what the plaintiff adds where this defence is raised. `terms` are words
    that a right defence uses and that the question does not tell.
    """

    rule: str
    fact: str
    proof: str
    plea: str
    terms: tuple[str, ...]
    claim: str = ""
    story: str = ""
    holds: tuple[str, ...] = ()
    denies: tuple[str, ...] = ()

    def goes_with(self, other: Defence) -> bool:
        contradict = {*self.denies} & {*other.holds} or {*other.denies} & {*self.holds}
        return not contradict and self.rule != other.rule and not (self.claim and other.claim)


class Cause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A cause of action: a claim on its grounds, the plaintiff's story and evidence, defences.

    `former` is its name in suits filed before the causes were renamed; `joint` says what two
    defendants are, where there may be two. `span` is how many days lie between signing and the day
    of performance, `most` what is claimed at most, in 10,000 yuan, `wait` in how many months a suit
    is in time beyond doubt, and `fits` a pattern that the name of a company in this role matches:
    no seed merchant builds a warehouse.
    """

    id: str
    name: str
    contract: str
    debt: str
    grounds: tuple[str, ...]
    claim: str
    story: str
    evidence: tuple[str, ...]
    defences: tuple[Defence, ...]
    span: tuple[int, int]
    shared: tuple[str, ...] = ()
    former: str = ""
    joint: str = ""
    site: str = ""
    most: int = 500
    wait: int = 22
    fits: dict[Role, str] = {}

    def named_on(self, filed: date) -> str:
        return self.former if self.former and filed < RENAMED else self.name

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.grounds, *(one.rule for one in self.defences)]))


class CauseTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Causes, the rules that they rest on, and from when to when suits are filed."""

    first: date
    last: date
    rules: dict[str, Rule]
    defences: dict[str, Defence]
    causes: tuple[Cause, ...]

    def cause(self, name: str) -> Cause:
        found = next((cause for cause in self.causes if cause.id == name), None)
        if found is None:
            raise UsageError(f"the table has no cause {name!r}")
        return found


@cache
def read_table(file: Path = REAL) -> CauseTable:
    """The table in a file, each cause with the defences that it shares with others."""
    table = read_toml(file, CauseTable)
    causes = []
    for cause in table.causes:
        shared = tuple(table.defences[name] for name in cause.shared if name in table.defences)
        whole = msgspec.structs.replace(cause, defences=(*cause.defences, *shared))
        unknown = [name for name in cause.shared if name not in table.defences]
        unknown += [name for name in whole.rules if name not in table.rules]
        if unknown:
            raise DataError(f"no such rule or defence: {unknown[0]}", file=file, field=cause.id)
        causes.append(whole)
    return msgspec.structs.replace(table, causes=tuple(causes))


# --- texts of the law, against which a table is held ---


class WorldLaw:
    """The articles of a world, as they were in force on the day on which it stands still.

    It can say nothing of articles that had been repealed by then or came later: there the table,
    which was checked against the library, stands alone.
    """

    def __init__(self, articles: Iterable[str]) -> None:
        self._provisions = Provisions(articles)
        self._texts = cache(self._provisions.cited_in)

    def bears_out(self, provision: ProvisionPeriod, _on: date, /) -> bool:
        """Whether the article of the world has these words, if it is the same article."""
        if not provision.covers(STANDSTILL):
            return True
        texts = self._texts(provision.citation)
        return any(all(word in text for word in provision.words) for text in texts)

    def knows(self, table: CauseTable) -> bool:
        """Whether this is the table of the world's own law."""
        provisions = (one for rule in table.rules.values() for one in rule.provisions)
        return any(one.citation in self._provisions for one in provisions)


def table_of(law: WorldLaw) -> CauseTable | None:
    """The table of the law that a world lives under."""
    tables = map(read_table, (REAL, SAMPLE))
    return next((table for table in tables if law.knows(table)), None)


def grounds_on(
    table: CauseTable, cause: Cause, days: Days, law: WorldLaw | None = None
) -> dict[str, Ground]:
    """The provision of each rule of a cause in a case of these days, where there is one. Provisions
    that the texts of the law, where they are given, do not bear out are left out."""
    grounds = {}
    for name in cause.rules:
        found = table.rules[name].provision(days)
        if found is not None and (law is None or law.bears_out(*found)):
            provision, on = found
            grounds[name] = Ground(provision.law, provision.article, provision.words, name, on)
    return grounds


class Amounts(msgspec.Struct, frozen=True):
    """What is claimed, and what is said of it and beside it: each amount has one meaning in a case.

    `part` was paid, `owed` is owed the other way, `kept` was withheld or waived, `cost` is a cost
    or a limit; `advance` was paid of the whole price, `percent` is the rate of a penalty.
    """

    sum: int
    part: int
    owed: int
    kept: int
    cost: int
    other: int
    advance: int
    percent: int
    rate: int

    def words(self) -> dict[str, str]:
        derived = {
            "net": self.sum - self.kept,
            "price": self.sum + self.advance,
            "double": 2 * self.sum,
            "fourfold": 4 * self.sum,
            "extra": self.sum * self.percent // 100,
        }
        return {name: str(n) for name, n in {**msgspec.structs.asdict(self), **derived}.items()}


class Case(msgspec.Struct, frozen=True):
    """One case: its days and amounts, what is raised against the claim, and on which provisions."""

    cause: Cause
    days: Days
    paid: date
    amounts: Amounts
    defences: tuple[Defence, ...]
    grounds: dict[str, Ground]

    def words(self, defendant: str, third: str, amounts: Amounts | None = None) -> dict[str, str]:
        """For the templates of a table, with these amounts or those of the case."""
        cause, days = self.cause, self.days
        dates = {"signed": days.signed, "due": days.due, "filed": days.filed, "paid": self.paid}
        return {
            "d": defendant,
            "t": third,
            "debt": cause.debt,
            "site": cause.site,
            "contract": cause.contract,
            **(amounts or self.amounts).words(),
            **{name: write_day(on) for name, on in dates.items()},
        }

    def say(self, template: str, defendant: str, third: str) -> str:
        return template.format(**self.words(defendant, third))


def draw_case(
    table: CauseTable, rng: random.Random, law: WorldLaw | None = None, cause: Cause | None = None
) -> Case | None:
    """A case of this cause or of any, with two or three defences that go together; None where the
    law of its days has no provision for one of them."""
    cause = cause or rng.choice(table.causes)
    defences = _together(rng, table, cause)
    raised = (table.rules[one.rule] for one in defences)
    days = _days(rng, table, cause, next((rule for rule in raised if rule.on == "lapse"), None))
    grounds = grounds_on(table, cause, days, law)
    if any(rule not in grounds for rule in (*cause.grounds, *(one.rule for one in defences))):
        return None
    waited = max((days.due - days.signed).days, 1)
    paid = days.signed + timedelta(days=rng.randrange(waited))
    total = rng.randrange(20, cause.most) * 10_000
    shares = rng.sample(range(4, 16), 5)
    part, owed, kept, cost, other = (total * share // 100 for share in shares)
    advance = total * rng.randrange(30, 80) // 100
    percent, rate = rng.choice((35, 40, 45, 50, 60)), rng.choice((24, 30, 36))
    amounts = Amounts(total, part, owed, kept, cost, other, advance, percent, rate)
    return Case(cause, days, paid, amounts, defences, grounds)


def _together(rng: random.Random, table: CauseTable, cause: Cause) -> tuple[Defence, ...]:
    """Two or three defences that contradict one another in nothing, one of procedure at most."""
    wanted = rng.choice((2, MOST_DEFENCES))
    chosen: list[Defence] = []
    for defence in rng.sample(cause.defences, len(cause.defences)):
        procedural = [table.rules[one.rule].on == "filed" for one in (*chosen, defence)]
        if sum(procedural) < 2 and all(defence.goes_with(other) for other in chosen):
            chosen.append(defence)
    return tuple(chosen[:wanted])


def _days(rng: random.Random, table: CauseTable, cause: Cause, lapsing: Rule | None) -> Days:
    """Days on which the suit comes too late by this rule, or in time by every rule of the cause."""
    if lapsing is not None:
        provision = rng.choice(lapsing.provisions)
        latest = min(provision.until, table.last - timedelta(days=31))
        lapse = _between(rng, max(provision.since, table.first), latest)
        due = months_after(lapse, -provision.months)
        filed = _between(rng, lapse + timedelta(days=10), min(months_after(lapse, 8), table.last))
    else:
        due = _between(rng, table.first, months_after(table.last, -cause.wait))
        filed = _between(rng, due + timedelta(days=_SHORTEST_WAIT), months_after(due, cause.wait))
    return Days(due - timedelta(days=rng.randint(*cause.span)), due, filed)


def _between(rng: random.Random, first: date, last: date) -> date:
    """A day from the first to the last of them, none that some month does not have."""
    on = first + timedelta(days=rng.randrange((last - first).days + 1))
    return on if on.day <= 28 else max(on.replace(day=28), first)


def months_after(on: date, months: int) -> date:
    """So many months later, or earlier; the last day of the month where there is no such day."""
    year, month = divmod(on.year * 12 + on.month - 1 + months, 12)
    return date(year, month + 1, min(on.day, monthrange(year, month + 1)[1]))


def write_day(on: date) -> str:
    return f"{on.year}年{on.month}月{on.day}日"

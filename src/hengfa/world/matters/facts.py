"""The facts of a matter: who, when, how much and where, and what of it the file tells otherwise.

The law of a case comes from the table of causes. What the file gets wrong is drawn here, so that
each wrong word has a right one beside it and none of them is the right one of something else.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from hengfa.base.data.jsonfile import read_toml
from hengfa.base.errors import UsageError
from hengfa.world.causes import (
    SAMPLE,
    Amounts,
    Case,
    Cause,
    CauseTable,
    Defence,
    Role,
    WorldLaw,
    draw_case,
    read_table,
    table_of,
    write_day,
)
from hengfa.world.matters.matter import Kind
from hengfa.world.tables.cells import blank, day
from hengfa.world.tables.schema import ARTICLES, TABLE_OF, Match
from hengfa.world.tables.world import World

_OF_THE_COUNTRY, _OF_THE_SAMPLE = (
    Path(__file__).with_name(name) for name in ("papers.toml", "papers_sample.toml")
)


class LawPeriod(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """From when to when a law was in force."""

    name: str
    since: date = date.min
    until: date = date.max


class RelatedArticle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An article on which the judgment of a related case rests."""

    law: str
    article: int


class Proof(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A paper that says exactly what the client told from memory."""

    title: str
    text: str


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the papers of a cause say (papers.toml)."""

    subject: str
    pay: str
    performed: str
    shows: str
    confirmed: str
    by: str = "确认单位：{d}（盖章）\n经手人：{hand}"
    what: str = ""
    """What the amount is, where it is not the debt of the cause."""
    owed: str = ""
    """What is demanded, where it is not that."""
    finished: bool = False
    """Whether the plaintiff's part is done at the end of the time, not at its beginning."""
    told: str = "对方到期没有付清，一直拖到现在。"
    """What the plaintiff says of the other side."""
    special: dict[str, str] = {}


class Papers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What papers say under one law."""

    country: str
    period: str
    clauses: tuple[str, ...]
    late: str
    laws: tuple[LawPeriod, ...]
    cited: tuple[RelatedArticle, ...]
    papers: dict[str, Paper]
    proofs: dict[str, Proof]

    def in_force(self, name: str, on: date) -> bool:
        """Whether a law of the list was in force; one that is not in it is not known."""
        return any(law.name == name and law.since <= on <= law.until for law in self.laws)

    def stale(self, days: Iterable[date]) -> tuple[str, ...]:
        """The laws of the list that were in force on none of these days."""
        days = tuple(days)
        names = dict.fromkeys(law.name for law in self.laws)
        return tuple(name for name in names if not any(self.in_force(name, on) for on in days))


def papers_of(table: CauseTable) -> Papers:
    """What papers say under the law of this table."""
    file = _OF_THE_SAMPLE if table is read_table(SAMPLE) else _OF_THE_COUNTRY
    return read_toml(file, Papers)


class Place(NamedTuple):
    """A county and its court."""

    province: str
    city: str
    county: str
    court: str

    def __str__(self) -> str:
        return "".join(dict.fromkeys(self[:3]))


class Party(msgspec.Struct, frozen=True):
    """A company as it is registered."""

    name: str
    code: str
    head: str
    address: str
    phone: str
    place: Place


class Wrong(msgspec.Struct, frozen=True):
    """What the file says too: an older register, a draft, a chat, what a client remembers, another
    case."""

    head: str
    address: str
    plaintiff_head: str
    said: int
    price: int
    signed: date
    due: date
    court: str
    judged: int
    remembered: Amounts


class Facts(msgspec.Struct, frozen=True):
    """Everything that papers, question and key of a matter are made of.

    `forum` says by what the contract chooses the court; `court` has jurisdiction, and `sued` is
    where the suit is. The confirmation was `noted`, the plaintiff's part `handed` over; a reminder
    went to the wrong company (`misdirected`), and perhaps one to the right one (`demanded`).
    """

    kind: Kind
    case: Case
    papers: Papers
    plaintiff: Party
    defendant: Party
    third: Party
    namesake: Party
    forum: str
    signed_at: Place
    site_at: Place
    court: str
    sued: str
    noted: date
    handed: date
    misdirected: date
    demanded: date | None
    lapse: date | None
    judged_on: date
    cited: RelatedArticle
    docket: str
    wrong: Wrong
    hands: tuple[str, str]

    @property
    def paper(self) -> Paper:
        return self.papers.papers[self.case.cause.id]

    @property
    def what(self) -> str:
        return self.paper.what or self.case.cause.debt

    @property
    def defences(self) -> tuple[Defence, ...]:
        """Those that are raised: none against a claim that is still to be made."""
        return () if self.kind == "claim" else self.case.defences

    def words(self, amounts: Amounts | None = None) -> dict[str, str]:
        """For templates, with these amounts or the right ones."""
        words = self.case.words(self.defendant.name, self.third.name, amounts)
        net = any(one.rule == "advance" for one in self.defences)
        return {
            **words,
            "handed": write_day(self.handed),
            "hand": self.hands[1],
            "reconciled": write_day(self.case.days.due - timedelta(days=10)),
            "moved": words["net" if net else "sum"],
            "p": self.plaintiff.name,
            "site_at": str(self.site_at),
        }


class Unfit(Exception):
    """What was drawn does not go together; draw again."""


class Drawer:
    def __init__(self, world: World) -> None:
        self._world = world
        self._law = WorldLaw(world.texts(ARTICLES))
        table = table_of(self._law)
        if table is None:
            raise UsageError("the law of this world has no causes of action that we know")
        self._table = table
        self._papers = papers_of(table)
        self.causes = [cause for cause in table.causes if cause.id in self._papers.papers]
        names = (row["公司名称"] for row in world.all_rows("CompanyRegister"))
        self._names = [name for name in names if isinstance(name, str) and not blank(name)]
        self._taken = {*self._names}

    def draw(self, kind: Kind, cause: Cause, rng: random.Random) -> Facts:
        """Facts of such a matter; raises Unfit where they do not go together."""
        case = draw_case(self._table, rng, self._law, cause)
        if case is None:
            raise Unfit
        late = (one for one in case.defences if self._table.rules[one.rule].on == "lapse")
        lapse = next((case.grounds[one.rule].on for one in late), None)
        if kind == "claim" and lapse is not None:
            raise Unfit
        parties = self._parties(case, rng)
        raised = {one.rule for one in case.defences} if kind != "claim" else set[str]()
        if "privity" in raised:  # who did not sign is not bound by the clause on the court either
            raise Unfit
        forum, signed_at, site_at = self._forum(kind, case, raised, parties, rng)
        at = {"signing": signed_at, "site": site_at, "defendant": parties[1].place}
        court = at.get(forum, parties[0].place).court
        sued = court if kind == "claim" else parties[0].place.court
        noted = case.days.signed + timedelta(days=rng.randint(1, 3))
        if noted >= case.days.due:
            raise Unfit
        finished = self._papers.papers[cause.id].finished
        handed = _handed(case, noted, finished, rng)
        if "discharge" in raised and case.paid <= (noted if finished else handed):
            raise Unfit
        namesake = self._namesake(parties[1], rng)
        reminded, demanded = _reminders(case, lapse, rng)
        cited, judged_on = self._related(case)
        return Facts(
            kind=kind,
            case=case,
            papers=self._papers,
            plaintiff=parties[0],
            defendant=parties[1],
            third=parties[2],
            namesake=namesake,
            forum=forum,
            signed_at=signed_at,
            site_at=site_at,
            court=court,
            sued=sued,
            noted=noted,
            handed=handed,
            misdirected=reminded,
            demanded=demanded,
            lapse=lapse,
            judged_on=judged_on,
            cited=cited,
            docket=self._docket(parties[0].place.court, judged_on, rng),
            wrong=self._wrong(case, parties, {court, sued}, rng),
            hands=(_person(rng), _person(rng)),
        )

    def _parties(self, case: Case, rng: random.Random) -> tuple[Party, Party, Party]:
        """Three companies that there were before the contract, and before the old printout."""
        roles: tuple[Role, ...] = ("plaintiff", "defendant", "third")
        fits, before = case.cause.fits, case.days.signed - PRINTED - timedelta(days=100)
        first, second, third = (self._party(fits.get(role, ""), before, rng) for role in roles)
        if len({first.name, second.name, third.name}) < 3:
            raise Unfit
        return first, second, third

    def _party(self, fitting: str, before: date, rng: random.Random) -> Party:
        drawn = (rng.choice(self._names) for _ in range(_DRAWS))
        name = next((name for name in drawn if re.search(fitting, name)), "")
        rows = self._world.rows("CompanyRegister", "公司名称", name)
        for row in rows:
            founded = day(str(row["成立日期"]))
            gone = "销" in str(row["登记状态"])  # 注销, 吊销
            if gone or (founded is not None and founded > before):
                raise Unfit
        columns = ("统一社会信用代码", "法定代表人", "企业地址", "联系电话")
        cells = [row[column] for row in rows for column in columns]
        if len(rows) != 1 or not all(isinstance(one, str) and not blank(one) for one in cells):
            raise Unfit
        code, head, address, phone = map(str, cells)
        return Party(name, code, head, address, phone, self._place(address))

    def _place(self, address: str) -> Place:
        rows = self._world.rows("AddrInfo", "地址", address)
        if not rows or any(blank(rows[0][column]) for column in ("省份", "城市", "区县")):
            raise Unfit
        region = tuple(str(rows[0][column]) for column in ("省份", "城市", "区县"))
        table, by = TABLE_OF["CourtInfo"], ("法院省份", "法院城市", "法院区县")
        found = self._world.find(table, Match(by, "all"), region)
        names = [str(row.cells[table.place["法院名称"]]) for row in found]
        basic = [name for name in names if name.endswith(f"{region[2]}人民法院")]
        if len(basic) != 1:
            raise Unfit
        return Place(region[0], region[1], region[2], basic[0])

    def _forum(
        self,
        kind: Kind,
        case: Case,
        raised: set[str],
        parties: tuple[Party, Party, Party],
        rng: random.Random,
    ) -> tuple[str, Place, Place]:
        """By what the court is found, where the contract was signed, and where the land lies."""
        plaintiff, elsewhere = parties[0].place, parties[2].place
        if raised & {"agreed_court", "land_court"}:
            if elsewhere.province == plaintiff.province:
                raise Unfit
            forum = "signing" if "agreed_court" in raised else "site"
            return forum, elsewhere, elsewhere
        if case.cause.site:
            return "site", plaintiff, elsewhere if kind == "claim" else plaintiff
        chosen = ("signing", "plaintiff", "defendant")
        forum = rng.choice(chosen) if kind == "claim" else "plaintiff"
        return forum, elsewhere if forum == "signing" else plaintiff, elsewhere

    def _namesake(self, party: Party, rng: random.Random) -> Party:
        """A company that is called almost alike and is another."""
        stem = _FORM.sub("", party.name)
        name = f"{stem}{rng.choice(('发展', '实业', '商贸'))}有限公司"
        code = f"{party.code[:8]}{rng.randrange(10**8, 10**9)}{party.code[17:]}"
        if name in self._taken or code == party.code:
            raise Unfit
        street = f"{rng.choice(_STREETS)}{rng.randint(3, 199)}号"
        phone = f"{party.phone[:-4]}{rng.randrange(1000, 9999)}"
        return Party(name, code, _person(rng), f"{party.place}{street}", phone, party.place)

    def _wrong(
        self, case: Case, parties: tuple[Party, Party, Party], courts: set[str], rng: random.Random
    ) -> Wrong:
        right = case.amounts
        shift = [10_000 * n for n in rng.sample(range(1, 10), 7)]
        said, price = right.sum + shift[0], right.sum + right.advance + shift[1]
        judged = right.other + shift[2]
        amounts = zip((right.part, right.owed, right.kept, right.cost), shift[3:], strict=True)
        part, owed, kept, cost = (amount + more for amount, more in amounts)
        remembered = msgspec.structs.replace(right, part=part, owed=owed, kept=kept, cost=cost)
        wrong = (said, price, judged, part, owed, kept, cost, right.sum - kept)
        if {*map(str, wrong)} & {*right.words().values()}:
            raise Unfit
        others = sorted({party.place.court for party in parties} - courts)
        defendant = parties[1]
        return Wrong(
            head=_person(rng, (defendant.head,)),
            address=f"{defendant.place}{rng.choice(_STREETS)}{rng.randint(200, 399)}号",
            plaintiff_head=_person(rng, (parties[0].head,)),
            said=said,
            price=price,
            signed=case.days.signed - timedelta(days=rng.randint(4, 12)),
            due=case.days.due + timedelta(days=rng.randint(15, 40)),
            court=rng.choice(others) if others else "",
            judged=judged,
            remembered=remembered,
        )

    def _related(self, case: Case) -> tuple[RelatedArticle, date]:
        """What a related judgment rests on, and its day: law that is no more, where there is."""
        before = case.days.signed - timedelta(days=200)
        for cited in self._papers.cited:
            law = next(one for one in self._papers.laws if one.name == cited.law)
            on = min(before, law.until - timedelta(days=40)) if law.until < date.max else before
            if law.since <= on:
                return cited, on
        raise Unfit

    def _docket(self, court: str, on: date, rng: random.Random) -> str:
        rows = self._world.rows("CourtCode", "法院名称", court)
        if not rows or blank(rows[0]["法院代字"]):
            raise Unfit
        return f"（{on.year}）{rows[0]['法院代字']}民初{rng.randint(7000, 9999)}号"


def _handed(case: Case, noted: date, finished: bool, rng: random.Random) -> date:
    """When the plaintiff did its part: soon, or at the end of the time."""
    waited = (case.days.due - noted).days
    some = timedelta(days=rng.randrange(min(max(waited // 4, 1), 12)))
    return case.days.due - some if finished else noted + some


def _reminders(case: Case, lapse: date | None, rng: random.Random) -> tuple[date, date | None]:
    """When the wrong company was reminded, and when the right one, unless the suit is too late."""
    first = case.days.due + timedelta(days=20)
    last = (lapse or case.days.filed) - timedelta(days=20)
    misdirected = first + timedelta(days=rng.randrange(max((last - first).days - 40, 1)))
    if lapse is not None:
        return misdirected, None
    return misdirected, misdirected + timedelta(days=rng.randint(12, 40))


PRINTED: Final = timedelta(days=400)  # so long before the contract the old register was printed
_DRAWS: Final = 40  # companies that are looked at for one that fits

# "有限公司" at the end of a name; not inside it
_FORM: Final = re.compile("(?:股份有限公司|有限责任公司|有限公司)$")
_STREETS: Final = ("解放路", "人民路", "建设路", "和平街", "新华路", "文化街", "长江路", "中山路")
_SURNAMES: Final = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕施张孔曹严华金魏陶"
_GIVEN: Final = (
    "文斌", "志远", "晓岚", "建国", "丽华", "海峰", "雪梅", "永强", "思源", "秀英",
    "国栋", "明辉", "春燕", "立新", "佳宁", "少杰", "玉兰", "光明", "景行", "若溪",
)  # fmt: skip


def _person(rng: random.Random, others: Collection[str] = ()) -> str:
    """A name that is none of these."""
    while (name := rng.choice(_SURNAMES) + rng.choice(_GIVEN)) in others:
        pass
    return name

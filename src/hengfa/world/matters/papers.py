"""The documents of a matter's file, in the order in which a clerk would put them.

Some are to be trusted: what is signed, sealed, or comes from a bank. The others are drafts, chats,
an older register, what a client remembers, and papers of another company's case. What they say
stands in `documents.toml`; here it is put in whom and what they say it of.
"""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import msgspec

from hengfa.base.data.jsonfile import read_toml
from hengfa.law.grammar.numerals import format_article
from hengfa.world.causes import write_day
from hengfa.world.matters.facts import PRINTED, Facts, Party
from hengfa.world.matters.matter import Document


class _Openings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    plaintiff: tuple[str, ...]
    defendant: tuple[str, ...]
    chat: tuple[tuple[str, ...], ...]


class _Documents(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    penalty: str
    costs: str
    last: tuple[str, ...]
    openings: _Openings
    texts: dict[str, str]


_DOCUMENTS: Final = read_toml(Path(__file__).with_name("documents.toml"), _Documents)
_MOST_CLAUSES: Final = 8
"""Clauses for all contracts and those of this one, so that the court is chosen in clause 12."""


def write_file(facts: Facts, rng: random.Random) -> tuple[Document, ...]:
    write = _Writer(facts, rng)
    title, paper = facts.case.cause.contract.strip("《》"), facts.paper
    in_parts = "{price}" in facts.case.cause.story
    texts = {"谈话记录": write.interview()}
    if facts.kind != "claim":
        texts["起诉状副本"] = write.complaint()
    texts[title] = write.contract()
    texts[f"{title}（往来稿）"] = write.draft()
    texts["微信聊天记录"] = write.chat()
    texts[paper.confirmed] = write("confirmation", owed=write("rest" if in_parts else "debt"))
    if in_parts:
        texts["首期款回单"] = write("advance")
    shows, by = write.put(paper.shows), write.put(paper.by)
    texts[paper.performed] = write("performed", shows=shows, by=by)
    texts["催款函（一）"] = write.letter("misdirected", facts.namesake)
    if facts.demanded:
        texts["催款函（二）及签收回执"] = write.letter("demand", facts.defendant)
    texts["企业登记信息（旧打印件）"] = write.register(facts.defendant, facts.wrong, PRINTED)
    other, month = facts.namesake, timedelta(days=30)
    texts[f"企业登记信息（{other.name}）"] = write.register(other, other, month)
    texts["另案民事判决书"] = write.judgment()
    proofs = facts.papers.proofs
    found = [proofs[one.terms[0]] for one in facts.defences if one.terms[0] in proofs]
    return (
        *(Document(name, text) for name, text in texts.items()),
        *(Document(proof.title, write.put(proof.text)) for proof in found),
    )


class _Writer:
    def __init__(self, facts: Facts, rng: random.Random) -> None:
        case = facts.case
        self._facts = facts
        self._rng = rng
        self._words = {
            **facts.words(),
            "facts": facts,
            "paper": facts.paper,
            "wrong": facts.wrong,
            "what": facts.what,
            "title": case.cause.contract.strip("《》"),
            "cause": case.cause.named_on(case.days.filed),
            "noted": write_day(facts.noted),
        }

    def put(self, template: str, **more: Any) -> str:
        return template.format(**{**self._words, **more})

    def __call__(self, name: str, **more: Any) -> str:
        return self.put(_DOCUMENTS.texts[name], **more)

    def interview(self) -> str:
        """What the client says, a few days before the suit or after it."""
        facts, filed = self._facts, self._facts.case.days.filed
        met = filed - timedelta(days=self._rng.randint(1, 4))
        if facts.kind == "claim":
            opening = self.put(self._rng.choice(_DOCUMENTS.openings.plaintiff))
            account, client = self("plaintiff", opening=opening), facts.plaintiff
        else:
            met = filed + timedelta(days=self._rng.randint(5, 9))
            account, client = self._defendant(), facts.defendant
        return self("interview", met=write_day(met), client=client, account=account)

    def _defendant(self) -> str:
        facts = self._facts
        case = msgspec.structs.replace(facts.case, amounts=facts.wrong.remembered)
        us = "我公司", facts.third.name
        pleas = "\n".join(
            f"{number}. {case.say(one.fact, *us)}（材料：{case.say(one.proof, *us)}）。"
            for number, one in enumerate(facts.defences, 1)
        )
        reminder = "收到过对方的催款函。" if facts.demanded else "没有收到过催款函。"
        opening = self._rng.choice(_DOCUMENTS.openings.defendant)
        return self("defendant", opening=opening, pleas=pleas, reminder=reminder)

    def complaint(self) -> str:
        """What the plaintiff filed; it took the defendant's particulars from an old printout."""
        facts, cause = self._facts, self._facts.case.cause

        def say(template: str) -> str:
            return facts.case.say(template, "被告", facts.third.name)

        claims = [cause.claim, *(one.claim for one in facts.defences if one.claim)]
        lines = (f"{n}. {say(one)}。" for n, one in enumerate([*claims, _DOCUMENTS.costs], 1))
        story = say("".join([cause.story, *(one.story for one in facts.defences)]))
        evidence = "、".join(map(say, cause.evidence))
        return self("complaint", claims="\n".join(lines), story=story, evidence=evidence)

    def chat(self) -> str:
        """On the day of the contract: an amount from memory."""
        lines = [self.put(line) for line in self._rng.choice(_DOCUMENTS.openings.chat)]
        return self("chat", lines=lines, minutes=[self._rng.randint(1, 9) for _ in range(4)])

    def contract(self) -> str:
        """As it was signed. Over land the law has the last word on the court."""
        facts = self._facts
        if facts.forum == "site" and facts.court == facts.sued and facts.kind != "claim":
            where = f"{facts.case.cause.site}所在地"
        else:
            places = {"signing": "合同签订地", "defendant": "乙方住所地"}
            where = places.get(facts.forum, "甲方住所地")
        clauses = self._clauses(f"协商不成的，由{where}人民法院管辖。")
        return self("agreement", other=facts.defendant, clauses=clauses, ends=self("signed"))

    def draft(self) -> str:
        """Another price, day, court and company; nobody signed it."""
        facts, wrong = self._facts, self._facts.wrong
        court = f"协商不成的，由{wrong.court or '仲裁机构'}处理。"
        clauses = self._clauses(court, price=str(wrong.price), due=write_day(wrong.due))
        ends = self("draft", drafted=write_day(wrong.signed))
        return self("agreement", other=facts.namesake, clauses=clauses, ends=ends)

    def _clauses(self, court: str, **words: str) -> str:
        facts, paper = self._facts, self._facts.paper
        terms = (one.terms[0] for one in facts.defences)
        special = [paper.special[term] for term in terms if term in paper.special]
        penalty = any(one.rule == "penalty" for one in facts.defences)
        late = _DOCUMENTS.penalty if penalty else facts.papers.late
        own = (self.put(text, **words) for text in (paper.subject, paper.pay, *special, late))
        usual = facts.papers.clauses[: _MOST_CLAUSES - len(special)]
        clauses = [*own, *usual, *(text.format(court=court) for text in _DOCUMENTS.last)]
        if facts.case.cause.contract.endswith("协议》"):
            clauses = [text.replace("本合同", "本协议") for text in clauses]
        return "\n".join(f"{format_article(n)}　{text}" for n, text in enumerate(clauses, 1))

    def letter(self, name: str, to: Party) -> str:
        """A reminder, and how it came to whom it was sent."""
        facts = self._facts
        sent = facts.misdirected if to is facts.namesake else facts.demanded or facts.misdirected
        words = {"to": to, "on": write_day(sent), "demand": facts.paper.owed or facts.what}
        return self(name, letter=self("letter", **words), **words)

    def register(self, party: Party, of: object, before: timedelta) -> str:
        """A printout, so long before the contract, with head and address `of` that day."""
        printed = write_day(self._facts.case.days.signed - before)
        return self("register", party=party, of=of, printed=printed)

    def judgment(self) -> str:
        """The plaintiff against the namesake, years ago."""
        facts, cited = self._facts, self._facts.cited
        accepted = write_day(facts.judged_on - timedelta(days=90))
        law = f"《{facts.papers.country}{cited.law}》{format_article(cited.article)}"
        return self("judgment", accepted=accepted, judged=write_day(facts.judged_on), law=law)

"""The documents of a matter's file, in the order in which a clerk would put them.

Some are to be trusted: what is signed, sealed, or comes from a bank. The others are drafts, chats,
an older register, what a client remembers, and papers of another company's case.
"""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Final

import msgspec

from hengfa.law.grammar.numerals import format_article
from hengfa.world.causes import written
from hengfa.world.matters.facts import PRINTED, Facts, Party
from hengfa.world.matters.matter import Document

_MOST_CLAUSES: Final = 8
"""Clauses for all contracts and those of this one, so that the court is chosen in clause 12."""


def write_file(facts: Facts, rng: random.Random) -> tuple[Document, ...]:
    """All documents."""
    title = facts.case.cause.contract.strip("《》")
    writers = [
        ("谈话记录", _interview),
        *([("起诉状副本", _complaint)] if facts.kind != "claim" else []),
        (title, _contract),
        (f"{title}（往来稿）", _draft),
        ("微信聊天记录", _chat),
        (facts.paper.confirmed, _confirmation),
        *([("首期款回单", _advance)] if _has_advance(facts) else []),
        (facts.paper.performed, _performed),
        ("催款函（一）", _misdirected),
        *([("催款函（二）及签收回执", _demand)] if facts.demanded else []),
        ("企业登记信息（旧打印件）", _old_register),
        (f"企业登记信息（{facts.namesake.name}）", _other_register),
        ("另案民事判决书", _judgment),
    ]
    written_ = [Document(name, write(facts, rng)) for name, write in writers]
    return (*written_, *_proofs(facts))


def _proofs(facts: Facts) -> list[Document]:
    proofs = facts.papers.proofs
    found = [proofs[one.terms[0]] for one in facts.defences if one.terms[0] in proofs]
    return [Document(proof.title, proof.text.format(**facts.words())) for proof in found]


# --- what the client says ---


def _interview(facts: Facts, rng: random.Random) -> str:
    client = facts.plaintiff if facts.kind == "claim" else facts.defendant
    met = facts.case.days.filed - timedelta(days=rng.randint(1, 4))
    if facts.kind != "claim":
        met = facts.case.days.filed + timedelta(days=rng.randint(5, 9))
    head = f"时间：{written(met)}\n地点：律师事务所会议室\n委托人：{client.name}（经办人到场）\n\n"
    return head + (_told_by_plaintiff if facts.kind == "claim" else _told_by_defendant)(facts, rng)


def _told_by_plaintiff(facts: Facts, rng: random.Random) -> str:
    cause = facts.case.cause
    opening = rng.choice(
        (
            f"我公司和一家公司签过{cause.contract}，我们该做的都做了。{facts.paper.told}想请律师起诉。",
            f"有一份{cause.contract}，我公司这边已经履行。{facts.paper.told}现在决定起诉。",
        )
    )
    return (
        f"{opening}只主张{facts.what}，利息、违约金这次都不要。\n"
        "签约以前改过一稿，那一稿没有签成，以盖了章的为准。\n"
        "数额上，聊天时双方说法不一，后来签了确认书。\n"
        "对方那边有两家名字差不多的公司，几年前我公司跟其中一家打过另外一场官司，不要弄混。\n"
        "催款函发过两次。\n"
        "双方的法定代表人和地址这几年都有变动，请律师查准了再写。"
    )


def _told_by_defendant(facts: Facts, rng: random.Random) -> str:
    case = msgspec.structs.replace(facts.case, amounts=facts.wrong.remembered)
    facts_told = [
        f"{number}. {case.say(one.fact, '我公司', facts.third.name)}"
        f"（材料：{case.say(one.proof, '我公司', facts.third.name)}）。"
        for number, one in enumerate(facts.defences, 1)
    ]
    opening = rng.choice(
        (
            "起诉状副本已经收到。以下是凭记忆讲的，金额如与单据不一致，以单据为准：",
            "对起诉状有几点要说，数字没有带单据，可能记得不准，请律师以单据为准：",
        )
    )
    letter = "收到过对方的催款函。" if facts.demanded else "没有收到过催款函。"
    return "\n".join(
        [
            opening,
            *facts_told,
            f"另外，有一家公司名字和我公司很像，跟我公司没有关系。{letter}",
            "我公司的法定代表人和地址这几年都有变动，起诉状写的是旧的，请律师查准了再写。",
        ]
    )


def _complaint(facts: Facts, _rng: random.Random) -> str:
    """What the plaintiff filed; it took the defendant's particulars from an old printout."""
    cause, plaintiff, defendant = facts.case.cause, facts.plaintiff, facts.defendant

    def said(template: str) -> str:
        return facts.case.say(template, "被告", facts.third.name)

    claims = [cause.claim, *(one.claim for one in facts.defences if one.claim), _COSTS]
    story = "".join([cause.story, *(one.story for one in facts.defences)])
    numbered = "\n".join(f"{n}. {said(claim)}。" for n, claim in enumerate(claims, 1))
    return (
        "民事起诉状\n"
        f"原告：{plaintiff.name}\n法定代表人：{plaintiff.head}\n"
        f"被告：{defendant.name}\n住所地：{facts.wrong.address}\n"
        f"法定代表人：{facts.wrong.head}\n"
        f"案由：{cause.named_on(facts.case.days.filed)}\n"
        f"诉讼请求：\n{numbered}\n事实与理由：\n{said(story)}\n"
        f"证据：{'、'.join(said(one) for one in cause.evidence)}\n"
        f"此致\n{facts.sued}\n具状人：{plaintiff.name}\n{written(facts.case.days.filed)}"
    )


_COSTS: Final = "判令{d}负担本案诉讼费用"


# --- the contract ---


def _contract(facts: Facts, _rng: random.Random) -> str:
    days = facts.case.days
    ends = (
        f"甲方（盖章）：{facts.plaintiff.name}\n乙方（盖章）：{facts.defendant.name}\n"
        f"签订日期：{written(days.signed)}\n签订地点：{facts.signed_at}"
    )
    clauses = _clauses(facts, facts.words(), _court_clause(facts))
    return _agreement(facts, facts.defendant, clauses, ends)


def _draft(facts: Facts, _rng: random.Random) -> str:
    """Another price, day, court and company; nobody signed it."""
    wrong = facts.wrong
    words = {**facts.words(), "price": str(wrong.price), "due": written(wrong.due)}
    court = f"协商不成的，由{wrong.court or '仲裁机构'}处理。"
    ends = f"甲方（盖章）：\n乙方（盖章）：\n（{written(wrong.signed)}往来稿，未签章，供双方修改）"
    return _agreement(facts, facts.namesake, _clauses(facts, words, court), ends)


def _agreement(facts: Facts, other: Party, clauses: list[str], ends: str) -> str:
    plaintiff = facts.plaintiff
    title = facts.case.cause.contract.strip("《》")
    numbered = "\n".join(f"{format_article(n)}　{text}" for n, text in enumerate(clauses, 1))
    return (
        f"{title}\n\n甲方：{plaintiff.name}\n法定代表人：{facts.wrong.plaintiff_head}\n"
        f"乙方：{other.name}\n统一社会信用代码：{other.code}\n\n{numbered}\n\n{ends}"
    )


def _clauses(facts: Facts, words: dict[str, str], court: str) -> list[str]:
    paper = facts.paper
    special = [
        paper.special[one.terms[0]] for one in facts.defences if one.terms[0] in paper.special
    ]
    penalty = any(one.rule == "penalty" for one in facts.defences)
    late = _LATE if penalty else facts.papers.late
    usual = facts.papers.clauses[: _MOST_CLAUSES - len(special)]
    own = [text.format(**words) for text in (paper.subject, paper.pay, *special, late)]
    ends = (f"因本合同发生的争议，双方协商解决；{court}", "本合同自双方盖章之日起生效。")
    clauses = [*own, *usual, *ends]
    if facts.case.cause.contract.endswith("协议》"):
        return [text.replace("本合同", "本协议") for text in clauses]
    return clauses


_LATE: Final = "乙方逾期付款的，按欠付金额的{percent}%支付违约金。"


def _court_clause(facts: Facts) -> str:
    """The court that the contract names: over land the law has the last word."""
    if facts.forum == "site" and facts.court == facts.sued and facts.kind != "claim":
        return f"协商不成的，由{facts.case.cause.site}所在地人民法院管辖。"
    chosen = {"signing": "合同签订地", "defendant": "乙方住所地"}.get(facts.forum, "甲方住所地")
    return f"协商不成的，由{chosen}人民法院管辖。"


# --- how it went on ---


def _chat(facts: Facts, rng: random.Random) -> str:
    ours, theirs = facts.hands
    day = written(facts.case.days.signed)
    sent, asked, agreed = rng.choice(_CHATS)
    lines = (
        f"{day} 16:0{rng.randint(1, 9)}  {ours}（{facts.plaintiff.name}）：{sent}",
        f"{day} 16:1{rng.randint(1, 9)}  {theirs}（{facts.defendant.name}）："
        + asked.format(what=facts.what, said=facts.wrong.said),
        f"{day} 16:2{rng.randint(1, 9)}  {ours}：{agreed.format(paper=facts.paper.confirmed)}",
        f"{day} 16:3{rng.randint(1, 9)}  {theirs}：好的，等你们寄过来我们就盖章。",
    )
    return "\n".join(lines)


_CHATS: Final = (
    (
        "合同章盖好了，一式两份，今天寄出。",
        "好，收到后告诉你。{what}我这边记的是{said}元，没错吧？",
        "差不多是这个数，我让财务核一遍，回头签一份《{paper}》，以那个为准。",
    ),
    (
        "今天签的合同我扫描发你邮箱了。",
        "看到了。领导问{what}到底多少，我报的{said}元。",
        "先别报死，数还没有对过，核完了出《{paper}》给你们盖章。",
    ),
    (
        "合同原件收到，谢谢。",
        "不客气。我们台账上{what}先按{said}元登记了。",
        "这个数不准，财务正在核，以《{paper}》为准。",
    ),
)


def _confirmation(facts: Facts, _rng: random.Random) -> str:
    words = facts.words()
    owed = f"{facts.what}为人民币{words['sum']}元"
    if _has_advance(facts):
        owed = f"乙方已支付人民币{words['advance']}元，尚应支付{facts.what}人民币{words['sum']}元"
    return (
        f"{facts.paper.confirmed}\n\n甲方：{facts.plaintiff.name}\n乙方：{facts.defendant.name}\n\n"
        f"双方就{facts.case.cause.contract}核对后确认：\n"
        f"一、{owed}。\n"
        f"二、聊天中提到的{facts.wrong.said}元是口头估算，不作为依据，数额以本确认为准。\n\n"
        f"甲方（盖章）：{facts.plaintiff.name}\n乙方（盖章）：{facts.defendant.name}\n"
        f"{written(facts.noted)}"
    )


def _has_advance(facts: Facts) -> bool:
    return "{price}" in facts.case.cause.story


def _advance(facts: Facts, _rng: random.Random) -> str:
    return (
        f"付款日期：{written(facts.noted)}\n付款人：{facts.defendant.name}\n"
        f"收款人：{facts.plaintiff.name}\n金额：人民币{facts.words()['advance']}元\n"
        f"附言：{facts.case.cause.contract}首期款"
    )


def _performed(facts: Facts, _rng: random.Random) -> str:
    words = facts.words()
    lines = (facts.paper.performed, "", facts.paper.shows, facts.paper.by, "{handed}")
    return "\n".join(line.format(**words) for line in lines)


# --- reminders ---


def _letter(facts: Facts, to: Party, on: date) -> str:
    return (
        f"催款函\n\n致：{to.name}\n"
        f"{facts.case.cause.contract}项下的{facts.paper.owed or facts.what}，约定的日期"
        f"{written(facts.case.days.due)}已过，我公司至今没有收到。请贵公司收函后五日内付清，逾期我公司将诉诸法院。\n\n"
        f"{facts.plaintiff.name}（盖章）\n{written(on)}"
    )


def _misdirected(facts: Facts, _rng: random.Random) -> str:
    to = facts.namesake
    letter = _letter(facts, to, facts.misdirected)
    return f"{letter}\n\n邮寄单：收件人 {to.name}，{to.address}，{to.phone}；结果：他人签收"


def _demand(facts: Facts, _rng: random.Random) -> str:
    on = facts.demanded or facts.misdirected
    to = facts.defendant
    letter = _letter(facts, to, on)
    return f"{letter}\n\n签收回执：{to.name}于{written(on)}收到上述催款函。（盖章）"


# --- registers, another case ---


def _register(name: str, code: str, head: str, address: str, on: date) -> str:
    return (
        f"企业登记信息查询单\n打印日期：{written(on)}\n\n公司名称：{name}\n"
        f"统一社会信用代码：{code}\n法定代表人：{head}\n企业地址：{address}\n"
        "（本单反映打印当日的登记情况，以登记机关公示的最新信息为准）"
    )


def _old_register(facts: Facts, _rng: random.Random) -> str:
    party, wrong = facts.defendant, facts.wrong
    printed = facts.case.days.signed - PRINTED
    return _register(party.name, party.code, wrong.head, wrong.address, printed)


def _other_register(facts: Facts, _rng: random.Random) -> str:
    party = facts.namesake
    printed = facts.case.days.signed - timedelta(days=30)
    return _register(party.name, party.code, party.head, party.address, printed)


def _judgment(facts: Facts, _rng: random.Random) -> str:
    plaintiff, other, cited = facts.plaintiff.name, facts.namesake.name, facts.cited
    law = f"《{facts.papers.country}{cited.law}》{format_article(cited.article)}"
    filed = facts.judged_on - timedelta(days=90)
    return (
        f"{facts.plaintiff.place.court}\n民事判决书\n{facts.docket}\n\n原告：{plaintiff}\n"
        f"被告：{other}\n\n原告{plaintiff}与被告{other}合同纠纷一案，本院于{written(filed)}立案后，"
        "依法适用简易程序公开开庭进行了审理，现已审理终结。\n"
        f"本院查明：双方另有往来，被告尚欠原告款项人民币{facts.wrong.judged}元。\n"
        "本院认为：双方的约定依法成立，被告应当付款。"
        f"依照{law}的规定，判决如下：\n"
        f"被告{other}于本判决生效之日起十日内支付原告{plaintiff}人民币{facts.wrong.judged}元。\n\n"
        f"{written(facts.judged_on)}"
    )

"""What the built-in models write: what the rubric asks for, what fits anything, what search finds.

The ceiling is put together from the rubric itself, so that a perfect grader gives full marks. Each
item is led in by a phrase: a rubric copied item after item is what the evidence check calls an
echo, and nobody who answers has seen it. The floor has not understood anything: it asks stock
questions, and it repeats the facts that it was given, which is what an analysis is partly graded
for. Search gives what the rubrics of other, similar samples ask for; the sample's own rubric is
never among it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from hengfa.base.data.jsonfile import json_decoder
from hengfa.evals.grading.rubric import Item, Rubric
from hengfa.evals.suites.base import Baselines, Offer, Search
from hengfa.evals.suites.kit.baselines import always
from hengfa.evals.suites.plawbench.dataset import PLawBenchSample
from hengfa.evals.suites.plawbench.extract import (
    CONCLUSION,
    FACTS,
    PARTS,
    REASONING,
    STATUTES,
    TITLES,
)

_offered: Final = json_decoder(dict[str, list[str]])
_QUESTIONS: Final = "questions"


def numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def analysis(parts: Mapping[str, str]) -> str:
    """Four titled parts in the order that is asked for."""
    return "\n".join(f"【{TITLES[part][0]}】\n{parts[part]}" for part in PARTS)


def said(lead_in: str, item: Item) -> str:
    """All that an item asks for, in one line."""
    best = [level.name for level in item.levels if level.points == item.maximum]
    asked = "；".join(" ".join(text.split()) for text in (item.text, *item.elements, *best))
    return lead_in + asked


# --- consultation ---


def consultation_baselines() -> Baselines[PLawBenchSample]:
    """Questions: the rubric's own, stock ones, or those of similar narratives."""

    def reference(sample: PLawBenchSample) -> str:
        asked = _questions(sample.rubric)
        spare = [question for question in STOCK_QUESTIONS if question not in asked]
        short = max(sample.asked.least - len(asked), 0)
        return numbered([*asked, *spare[:short]])

    def answer(sample: PLawBenchSample, texts: Sequence[str]) -> str:
        asked = [question for text in texts for question in _offered(text)[_QUESTIONS]]
        both = dict.fromkeys([*asked, *STOCK_QUESTIONS])
        return numbered(list(both)[: sample.asked.most])

    def offer(sample: PLawBenchSample) -> Offer:
        return Offer(sample.facts, _coded({_QUESTIONS: _questions(sample.rubric)}))

    return Baselines(
        reference,
        always(lambda _sample: numbered(STOCK_QUESTIONS)),
        Search(_facts, offer, answer),
    )


def _questions(rubric: Rubric) -> list[str]:
    return [said(_ASK, item) for item in rubric.items()]


# --- case ---


def case_baselines() -> Baselines[PLawBenchSample]:
    """Four parts: the rubric's own items, the facts repeated, or those of similar cases."""

    def reference(sample: PLawBenchSample) -> str:
        return analysis({part: numbered(lines) for part, lines in _by_part(sample.rubric).items()})

    def answer(sample: PLawBenchSample, texts: Sequence[str]) -> str:
        cases = [_offered(text) for text in texts if text.startswith("{")]
        law = [text for text in texts if not text.startswith("{")]
        parts = _stock(sample)
        if cases:
            parts[CONCLUSION] = numbered(cases[0][CONCLUSION])
            parts[REASONING] = numbered([line for case in cases for line in case[REASONING]])
        statutes = [*law, *(line for case in cases for line in case[STATUTES])]
        if statutes:
            parts[STATUTES] = numbered(list(dict.fromkeys(statutes)))
        return analysis(parts)

    def offer(sample: PLawBenchSample) -> Offer:
        return Offer(_facts(sample), _coded(_by_part(sample.rubric)))

    return Baselines(
        reference,
        always(lambda sample: analysis(_stock(sample))),
        Search(_facts, offer, answer, law=True),
    )


def _by_part(rubric: Rubric) -> dict[str, list[str]]:
    return {
        part: [said(_NOTE, item) for item in section.items]
        for part, section in zip(PARTS, rubric.sections, strict=True)
    }


def _stock(sample: PLawBenchSample) -> dict[str, str]:
    return {
        CONCLUSION: STOCK_CONCLUSION,
        FACTS: sample.facts,
        REASONING: STOCK_REASONING,
        STATUTES: STOCK_STATUTES,
    }


# --- documents ---


def document_baselines(form: str) -> Baselines[PLawBenchSample]:
    """A document: the rubric's own items, the narrative in a form, or items of other matters."""

    def filled(text: str) -> str:
        return form.format(facts=text)

    def answer(sample: PLawBenchSample, texts: Sequence[str]) -> str:
        others = [line for text in texts for line in _offered(text)[FACTS]]
        return filled("\n".join([sample.facts, *others]))

    def offer(sample: PLawBenchSample) -> Offer:
        return Offer(sample.label + sample.facts, _coded({FACTS: _points(sample.rubric)}))

    return Baselines(
        lambda sample: filled("\n".join(_points(sample.rubric))),
        always(lambda sample: filled(sample.facts)),
        Search(_facts, offer, answer),
    )


def _points(rubric: Rubric) -> list[str]:
    return [said(_STATE, item) for item in rubric.items()]


def _facts(sample: PLawBenchSample) -> str:
    return sample.label + sample.facts + sample.question


def _coded(answer: Mapping[str, list[str]]) -> str:
    return msgspec.json.encode(answer).decode()


# --- what can be said without reading the question ---

STOCK_QUESTIONS: Final = (
    "这件事最早发生在什么时候，在什么地方？",
    "牵涉到哪些人，各自是什么身份，彼此是什么关系？",
    "双方有没有签过书面的合同、协议或者借条，原件在谁手里？",
    "协议上是谁签的字，签字的人有没有权限，是不是本人亲笔？",
    "协议里关于时间、金额和违约责任是怎么写的？",
    "款项一共多少，分几次付的，从谁的账户付到谁的账户？",
    "有没有转账记录、收据、发票或者聊天记录可以证明？",
    "这些钱后来实际用在了什么地方？",
    "事情发生时有谁在场，他们愿不愿意作证？",
    "有没有报过警，有没有报警回执、笔录或者处理结果？",
    "有没有受伤或者住院，有没有病历、诊断证明和费用单据？",
    "涉及的房屋、车辆或者其他财产登记在谁名下，是什么时候登记的？",
    "财产是什么时候取得的，由谁出的钱？",
    "对方对这件事是怎么说的，他承认哪些、否认哪些？",
    "您自己有没有答应过、签过或者做过对对方有利的事？",
    "双方有没有互相动手、互相欠款或者都有违约的情形？",
    "事后双方有没有协商过，达成过什么口头或者书面的约定？",
    "有没有收到过催告、通知、律师函或者法院的文书，是哪一天收到的？",
    "以前有没有因为同一件事打过官司、做过仲裁或者调解？",
    "除了您提到的人，还有没有股东、担保人、保险公司或者其他人应当承担责任？",
    "单位或者公司是什么性质，有没有开会决议，决议程序是怎样的？",
    "您的损失具体有哪些项目，每一项是怎么算出来的？",
    "您说的几个时间之间似乎有出入，能不能按先后再讲一遍？",
    "有没有什么对您不利的情况还没有讲？",
    "您最终希望达到什么结果，能不能接受和解？",
)
"""As many as a consultation of the usual level may have."""

_ASK: Final = "请您具体讲一讲，并说明有什么能够证明："
_NOTE: Final = "结合全案材料来看，这里需要指明："
_STATE: Final = "就此特向法庭陈明并请予以注意："
"""What leads in one point of many."""

STOCK_CONCLUSION: Final = "当事人的请求有事实和法律依据的部分应当支持，缺乏依据的部分不应支持。"
STOCK_REASONING: Final = (
    "1. 首先分析双方之间是否存在有效的法律关系。\n"
    "2. 其次分析行为人的行为是否符合法律规定的构成要件，是否存在过错。\n"
    "3. 再次分析损害结果以及行为与结果之间的因果关系。\n"
    "4. 最后综合全案，依法确定责任的承担。"
)
STOCK_STATUTES: Final = (
    "《中华人民共和国民法典》《中华人民共和国民事诉讼法》等有关法律和司法解释的规定。"
)

CLAIM_FORM: Final = """民事起诉状

原告：××，住所地：××，联系方式：××。
被告：××，住所地：××，联系方式：××。

诉讼请求
一、判令被告赔偿原告的损失及利息；
二、判令被告承担本案全部诉讼费用。

事实与理由
{facts}

此致
××人民法院

具状人：××
××××年××月××日
附：证据目录及证据材料"""

DEFENCE_FORM: Final = """民事答辩状

答辩人：××，住所地：××，联系方式：××。
被答辩人：××，住所地：××，联系方式：××。

答辩人就本案提出答辩如下：
一、原告的诉讼请求缺乏事实和法律依据，应予驳回。
二、原告应当对其主张承担举证责任，举证不能的，承担不利后果。

事实与理由
{facts}

此致
××人民法院

答辩人：××
××××年××月××日"""

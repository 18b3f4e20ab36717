"""From the released rows to samples, how they are asked, and the rubric that grades them.

A rubric is read with its defects: all 280 rows are samples, and `hengfa suite plawbench lint` says
what is wrong with which.

What can be chosen with `--set NAME=VALUE` is part of a sample. Upstream has two levels of
consultation and uses the harder one from row 50 on, so that each of the 18 public rows is `mid`
(plawbench.md 2 and 7); that is the default here.

The released rubrics of consultations name none of the penalties of the paper's table 10, and the
released judge prompt does not either (plawbench.md 3.1). Each of three kinds has
three degrees: 1 or 2 points, 3 to 6, or all. A range is read as a price for each occurrence, up to
two of them, as the table itself says of one.

Prompts have the roles, requirements and forms of plawbench.md 2 in words of our
own. As upstream, everything is in one message of the user. A question of the data may itself ask
for other headings than the prompt does; both are accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from hengfa.evals.engine.messages import Message
from hengfa.evals.grading.order import Way
from hengfa.evals.grading.rubric import OrderKind, Penalty, Rubric
from hengfa.evals.suites.base import Chosen, SuiteOption, one_of
from hengfa.evals.suites.plawbench.extract import CONCLUSION, PARTS, REASONING, TITLES
from hengfa.evals.suites.plawbench.released import CASE, CONSULTATION, read_released
from hengfa.evals.suites.plawbench.rubrics import rubrics_of

SETTINGS: Final = ("all",)
LEVEL, PENALTIES, LAW, MARKING = "level", "penalties", "law", "marking"
OFF, RELEASED, ON = "off", "released", "on"
DECISIVE: Final = 3
"""What a question is worth that asks for a decisive fact."""


class Range(NamedTuple):
    """How many questions are asked for; no more than `most` are graded."""

    least: int
    most: int


LEVELS: Final[Mapping[str, Range]] = {"mid": Range(10, 25), "hard": Range(25, 50)}
OPTIONS: Mapping[str, SuiteOption] = {
    LEVEL: SuiteOption(
        "mid",
        "how many questions a consultation asks for: `mid` 10 to 25, as upstream for these rows, "
        "or `hard` 25 to 50; only the first 25 or 50 are graded",
        one_of(*LEVELS),
    ),
    MARKING: SuiteOption(
        Way.PAPER,
        "what steps earn where the rubric demands an order: `paper` nothing if two of them stand "
        "in the wrong order, else those before the first missing one; `longest` the longest run "
        "in order keeps its points; `unordered` order is not looked at",
        one_of(*Way),
        scoring=True,
    ),
    PENALTIES: SuiteOption(
        ON,
        "what is taken from the whole: `on` the unified deductions that the released rubrics of "
        "documents end with, and harm, bias and dishonesty in consultations (table 10 of the "
        "paper); `released` the former only; `off` nothing",
        one_of(OFF, RELEASED, ON),
        scoring=True,
    ),
    LAW: SuiteOption(
        OFF,
        "`on`: look cited provisions up in the law library (`hengfa law build`); the metric "
        "`wrong_law` then counts the awards for statutes whose citation is wrong",
        one_of(OFF, ON),
        scoring=True,
    ),
}


class PLawBenchSample(msgspec.Struct, frozen=True):
    """One question. `facts` is what is told, `question` what a case asks; a document has a `label`
    that names the matter, a case one that names the scenario.

    `asked` is how many questions a consultation should have, `law` whether citations are looked up,
    `marking` the way of steps in order.
    """

    id: str
    task: str
    label: str
    facts: str
    question: str
    rubric: Rubric
    asked: Range
    law: bool
    marking: Way = Way.PAPER

    @property
    def order(self) -> OrderKind:
        """What the rubric of a case says of the order of its reasoning."""
        if self.task != CASE:
            return OrderKind.UNSTATED
        return self.rubric.sections[PARTS.index(REASONING)].order.kind


def load(task: str, root: Path, _setting: str, options: Chosen) -> list[PLawBenchSample]:
    """All samples of a task, with the chosen options in them."""
    chosen = {name: options.get(name, option.default) for name, option in OPTIONS.items()}
    released = read_released(root, task)
    return [
        PLawBenchSample(
            id=name,
            task=task,
            label=row.label,
            facts=row.facts,
            question=row.question,
            rubric=mark_critical(task, with_penalties(task, rubric, chosen[PENALTIES])),
            asked=LEVELS[chosen[LEVEL]],
            law=chosen[LAW] == ON,
            marking=Way(chosen[MARKING]),
        )
        for (name, row), rubric in zip(released.rows.items(), rubrics_of(released), strict=True)
    ]


def mark_critical(task: str, rubric: Rubric) -> Rubric:
    """The rubric with its critical items marked: of a consultation the decisive facts (3 points,
    table 10 of the paper), of a case the conclusion, which is what the asker acts on.

    Nothing of a document says which of its items decide; there all of them do.
    """
    if task == CONSULTATION:
        return rubric.with_critical(
            [item.id for item in rubric.items() if item.maximum >= DECISIVE]
        )
    if task == CASE:
        conclusion = rubric.sections[PARTS.index(CONCLUSION)]
        return rubric.with_critical([item.id for item in conclusion.items])
    return rubric


# --- penalties ---

_SLIGHT: Final = 1.0
_GRAVE: Final = 3.0
_TIMES: Final = 2


def _kind(name: str, slight: str, grave: str, worst: str) -> tuple[Penalty, ...]:
    return (
        Penalty(f"{name}-slight", slight, _SLIGHT, _TIMES),
        Penalty(f"{name}-grave", grave, _GRAVE, _TIMES),
        Penalty(f"{name}-worst", worst, 0.0, all=True),
    )


CONSULTATION_PENALTIES: Final = (
    *_kind(
        "harm",
        "不伤害·轻：说得过于绝对，可能让来访者做出对自己不利的事；或者没有紧急情形却夹带几句安全提醒。",
        "不伤害·中：反复劝导或追问情绪、安全，成了主线，以致没有问到或很晚才问到关键事实。",
        "不伤害·重：把追问引向怎样躲避法律责任、怎样私下对抗、怎样不留证据。",
    ),
    *_kind(
        "bias",
        "公平·轻：问了一次与案件无关的身份信息，但没有据此往下问。",
        "公平·中：反复追问或暗示某类人就会如何，拿身份当作判断责任的理由。",
        "公平·重：带有歧视、侮辱，把某个人群与犯罪相联系，或者诱使来访者交出敏感信息。",
    ),
    *_kind(
        "honesty",
        "诚实·轻：有一两处错字，或日期缺年份，但不妨碍理解。",
        "诚实·中：空泛地质疑“是否属实”“有没有隐瞒”，不指明具体的矛盾或缺口。",
        "诚实·重：教人伪造或倒签证据、逃避查证；或者把推测当作事实来说。",
    ),
)
"""For every consultation, where penalties are on."""


def with_penalties(task: str, rubric: Rubric, chosen: str) -> Rubric:
    """With what was chosen of table 10, which the released rubrics of consultations have not, and
    of the unified deductions of documents."""
    if task == CONSULTATION:
        return replace(rubric, penalties=CONSULTATION_PENALTIES if chosen == ON else ())
    return replace(rubric, penalties=()) if chosen == OFF else rubric


# --- how samples are asked ---

LENGTH: Final = (2500, 3000)
"""How many characters a document should have; the paper names the unit."""


def consultation_prompt(sample: PLawBenchSample, _setting: str) -> tuple[Message, ...]:
    """A narrative is given; a numbered list of questions is asked for."""
    least, most = sample.asked
    text = f"""# 身份
你是一名在中国执业十多年的律师，熟悉现行法律和裁判做法，善于从一面之词里还原事情的全貌。
一位当事人正在向你咨询。他讲的话在文末，其中可能有遗漏、夸大和前后不一，也可能藏着对他不利的事。

# 任务
先不回答，也不给意见，只向当事人追问，直到事实和证据能够支撑后面的法律判断。

# 要求
1. 提出 {least} 到 {most} 个问题，每行一个，用阿拉伯数字编号。一个问题只问一件事，写得短而明白。
2. 先问决定案件性质、法律关系和责任归属的事，再问影响数额、比例和举证的事，最后问细节。
3. 问题要落在能查证的地方：什么时间、什么地点、哪些人、做了什么、多少钱、有什么凭证、凭证从哪里来。
4. 事情的各个环节、签过的每份文件、各方的过错和可能的风险，都要问到。
5. 讲述中对不上的时间、说不清的款项、来历可疑的文件，要逐一请当事人说明。
6. 对当事人不利而他没有提的情形，也要从反面问到，例如他自己是否也有违约、动手或者签字的行为。
7. 保持中立，不站在任何一方，不给人或事贴标签，不在问题里暗示答案。
8. 只输出问题清单，前后都不要有别的话。

# 样式
1. （问题）
2. （问题）
3. （问题）
……

## 问题
{sample.facts}"""
    return (Message("user", text),)


def case_prompt(sample: PLawBenchSample, _setting: str) -> tuple[Message, ...]:
    """Facts and a question are given; four titled parts are asked for."""
    conclusion, facts, reasoning, statutes = (f"【{TITLES[part][0]}】" for part in PARTS)
    text = f"""# 身份
你是一名从业十多年的法律实务专家，精通中国现行法律、法规和裁判实践，惯于先下结论，再列事实、讲道理、给出处。

# 要求
1. 依次写出四个部分，标题照抄，不增不减：{conclusion}{facts}{reasoning}{statutes}。
2. {conclusion}直接回答所问，肯定或者否定，不含糊；问了几项就答几项。
3. {facts}只从案例里摘取影响判断的事实，客观、简明，不补充、不猜测。
4. {reasoning}按先后次序分步说明：适用哪条规则、哪些事实符合、因而得出什么，一步接一步推到结论。
5. {statutes}列出所依据的现行有效的法律、法规或司法解释，写明制定机关、名称、条款项，并抄录原文。

# 样式
{conclusion}
（明确的判断）
{facts}
（与结论有关的事实）
{reasoning}
1. （第一步）
2. （第二步）
……
{statutes}
《（名称）》（制定机关：……）第×条第×款：（原文）

## 案例
{sample.facts}

## 问题
{sample.question}"""
    return (Message("user", text),)


def document_prompt(sample: PLawBenchSample, _setting: str) -> tuple[Message, ...]:
    """What a client says is given, for a defence with the claim; one document is asked for."""
    least, most = LENGTH
    text = f"""你是一名法律实务专家，熟悉诉讼文书的写法。请根据文末当事人的话和材料替他写一份。

# 文书种类
由你根据当事人的处境自行选定其中一种：
（1）起诉状；
（2）答辩状。

# 要求
1. 该类案件有专门格式的，用专门格式；没有的，用大陆通行的格式。没有给出的身份信息用“××”代替。
2. 全文 {least} 到 {most} 字。
3. 只输出文书正文，不寒暄，不解释，不写与当事人的对话。
4. 当事人未必懂法，他的说法和要求可能有错，也可能设有陷阱。该告谁、去哪个法院、以什么理由、\
要求什么，都要自己判断，写出合法、合理、站得住的文书。
5. 引用的法律、法规和司法解释必须真实、现行有效，条款和内容都要准确。

## 问题
{sample.facts}"""
    return (Message("user", text),)

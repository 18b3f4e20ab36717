"""From the released files to samples, how they are asked, and the rubric that grades them.

The files are read as typed rows with their upstream fields (plawbench.md 1). A file
is a JSON array or JSON lines, whatever its suffix says: upstream has both under both names.
Consultations and documents are named by their upstream ids, cases by their row, counted from 0. A
rubric is read with its defects: all 280 rows are samples, and `hengfa suite plawbench lint` says
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

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from hengfa.base.data.jsonfile import json_decoder, problem_and_field
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError
from hengfa.evals.engine.messages import Message
from hengfa.evals.grading.order import Way
from hengfa.evals.grading.rubric import OrderKind, Penalty, Rubric
from hengfa.evals.suites.base import Chosen, SuiteOption, one_of
from hengfa.evals.suites.plawbench.extract import CONCLUSION, PARTS, REASONING, TITLES
from hengfa.evals.suites.plawbench.rubric_case import TAGS, CriterionRow, parse_case
from hengfa.evals.suites.plawbench.rubric_text import parse_consultation, parse_document

PACK: Final = "plawbench"
SETTINGS: Final = ("all",)
CONSULTATION, CASE, PLAINTIFF, DEFENDANT = TASKS = (
    "consultation",
    "case",
    "plaintiff",
    "defendant",
)
CONSULTATION_FILE: Final = "public_legal_consultation_18.json"
CASE_FILE: Final = "practical_case_analysis_250.jsonl"
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
    penalties = chosen[PENALTIES]

    def sample(
        id_: int, rubric: Rubric, facts: str, label: str = "", question: str = ""
    ) -> PLawBenchSample:
        return PLawBenchSample(
            id=str(id_),
            task=task,
            label=label,
            facts=facts,
            question=question,
            rubric=mark_critical(task, rubric),
            asked=LEVELS[chosen[LEVEL]],
            law=chosen[LAW] == ON,
            marking=Way(chosen[MARKING]),
        )

    if task == CONSULTATION:
        consultations = read_consultation(root)
        with rubrics_of(root / CONSULTATION_FILE):
            return [
                sample(
                    row.id,
                    for_consultation(
                        parse_consultation(row.rubrics, str(row.id)).rubric, penalties
                    ),
                    row.conversation,
                )
                for row in consultations
            ]
    if task == CASE:
        cases = read_cases(root)
        with rubrics_of(root / CASE_FILE):
            return [
                sample(
                    number,
                    parse_case(row.rubrics, str(number)).rubric,
                    row.context,
                    row.label,
                    row.question,
                )
                for number, row in enumerate(cases)
            ]
    side: Side = "plaintiff" if task == PLAINTIFF else "defendant"
    documents = read_documents(root, side)
    with rubrics_of(root / DOCUMENT_FILES[side]):
        return [
            sample(
                row.id,
                for_document(parse_document(row.rubrics, row.score, str(row.id)).rubric, penalties),
                row.conversation,
                row.tag,
            )
            for row in documents
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


@contextmanager
def rubrics_of(file: Path) -> Iterator[None]:
    """Name the file, where a parser of rubrics can only name the row."""
    try:
        yield
    except DataError as error:
        raise DataError(str(error), file=file) from error


Side: TypeAlias = Literal["plaintiff", "defendant"]
DOCUMENT_FILES: Final[dict[Side, str]] = {
    "plaintiff": "Plantiffs_Statement.json",
    "defendant": "Defendants_Statement.json",
}
Text = Annotated[str, msgspec.Meta(min_length=1)]
Row = TypeVar("Row", bound=msgspec.Struct)


class ConsultationRow(msgspec.Struct, frozen=True):
    """A client's narrative. ``score`` is empty in every released row."""

    id: int
    conversation: Text
    rubrics: Text
    score: str = ""


class CaseRow(msgspec.Struct, frozen=True):
    """Facts, a question and four criteria. It has no id upstream: its row is its name."""

    label: Text
    context: Text
    question: Text
    rubrics: tuple[CriterionRow, ...]

    def __post_init__(self) -> None:
        if tuple(criterion.tags for criterion in self.rubrics) != TAGS:
            raise ValueError(f"the rubrics are not the four sections {', '.join(TAGS)}")


class DocumentRow(msgspec.Struct, frozen=True, rename={"rubrics": "Rubrics"}):
    """A matter in which a document is to be written; the capital of ``Rubrics`` is upstream's."""

    id: int
    tag: str
    conversation: Text
    rubrics: Text
    score: Annotated[float, msgspec.Meta(gt=0)]


def read_consultation(root: Path) -> list[ConsultationRow]:
    """The narratives of task 1, with ids that are there once."""
    file = root / CONSULTATION_FILE
    rows = _read(file, ConsultationRow)
    _check_ids(file, [row.id for row in rows])
    return rows


def read_cases(root: Path) -> list[CaseRow]:
    """The cases of task 2."""
    return _read(root / CASE_FILE, CaseRow)


def read_documents(root: Path, side: Side) -> list[DocumentRow]:
    """The matters of task 3 on one side, with ids that are there once."""
    file = root / DOCUMENT_FILES[side]
    rows = _read(file, DocumentRow)
    _check_ids(file, [row.id for row in rows])
    return rows


def _read(file: Path, kind: type[Row]) -> list[Row]:
    decode = json_decoder(kind)
    rows: list[Row] = []
    for number, content in enumerate(_contents(file)):
        try:
            rows.append(decode(content))
        except msgspec.ValidationError as error:
            problem, field = problem_and_field(str(error))
            raise DataError(problem, file=file, row=number, field=field) from error
        except msgspec.DecodeError as error:
            raise DataError(f"not readable as JSON: {error}", file=file, row=number) from error
    if not rows:
        raise DataError("there is no row in this file", file=file)
    return rows


def _contents(file: Path) -> Iterator[bytes | msgspec.Raw]:
    with disk_errors(file):
        content = file.read_bytes().removeprefix(b"\xef\xbb\xbf").strip()
    if not content.startswith(b"["):
        yield from (line for line in content.splitlines() if line.strip())
        return
    try:
        yield from json_decoder(list[msgspec.Raw])(content)
    except msgspec.DecodeError as error:
        raise DataError(f"not readable as JSON: {error}", file=file) from error


def _check_ids(file: Path, ids: list[int]) -> None:
    seen: set[int] = set()
    for number, id_ in enumerate(ids):
        if id_ in seen:
            raise DataError(f"the id {id_} is there twice", file=file, row=number, field="id")
        seen.add(id_)


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


def for_consultation(rubric: Rubric, chosen: str) -> Rubric:
    """With table 10, where that was chosen; the released rubrics have no penalties."""
    return msgspec.structs.replace(rubric, penalties=CONSULTATION_PENALTIES if chosen == ON else ())


def for_document(rubric: Rubric, chosen: str) -> Rubric:
    """With its unified deductions, unless penalties are off."""
    return msgspec.structs.replace(rubric, penalties=()) if chosen == OFF else rubric


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

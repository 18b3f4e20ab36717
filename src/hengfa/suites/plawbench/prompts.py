"""Sample to messages: roles, requirements and forms of the spec's section 2, in words of our own.

As upstream, everything is in one message of the user. A question of the data may itself ask for
other headings than the prompt does; both are accepted.
"""

from __future__ import annotations

from hengfa.engine.messages import Message
from hengfa.suites.plawbench.dataset import PLawBenchSample
from hengfa.suites.plawbench.extract import PARTS, TITLES

LENGTH = (2500, 3000)
"""How many characters a document should have; the paper names the unit."""


def consultation_prompt(sample: PLawBenchSample) -> tuple[Message, ...]:
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


def case_prompt(sample: PLawBenchSample) -> tuple[Message, ...]:
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


def document_prompt(sample: PLawBenchSample) -> tuple[Message, ...]:
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

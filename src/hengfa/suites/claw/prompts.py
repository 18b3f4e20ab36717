"""Sample to messages: the parameters and the forms of answer of CLaw's appendix A, in other words.

As in the paper, nothing is said about when a paragraph is None: that is what the fix `tolerant` is
for.
"""

from __future__ import annotations

from hengfa.engine.messages import Message
from hengfa.law.citation_positions import format_citation
from hengfa.suites.claw.dataset import ClawSample


def id_prompt(sample: ClawSample) -> tuple[Message, ...]:
    """Year, title and text are given; three numbers are asked for."""
    text = (
        f"下面这段文字出自《{_title(sample)}》{sample.asked.year}年的版本：\n\n"
        f"{sample.text}\n\n"
        "它在这一版本里是第几条、第几款、第几项？可以先写推理，最后务必用一个 markdown 代码块作答，"
        "块中只有三行，款和项没有时写 None：\n\n"
        "```markdown\n条序号：\n款序号：\n项序号：\n```"
    )
    return (Message("user", text),)


def content_prompt(sample: ClawSample) -> tuple[Message, ...]:
    """Day, title and position are given; the text is asked for."""
    position = format_citation(None, sample.position)
    text = (
        f"请逐字写出《{_title(sample)}》（{sample.asked.isoformat()}）{position}的条文。\n"
        "只写条文本身：不写编号，不加说明，以 Markdown 输出。"
    )
    return (Message("user", text),)


def _title(sample: ClawSample) -> str:
    """The title as it stands inside 《》."""
    return sample.law.replace("《", "〈").replace("》", "〉")

"""What each task's gold string says (lawbench.md 2): pure functions of the `answer` field."""

from __future__ import annotations

from collections.abc import Callable

Entities = dict[str, str]  # entity type to its value; several entities of a type stay in one string
RECITED, ANSWERED = "答案:", "回答:"
NOT_AN_OPTION = "赔偿"  # a gold label of older versions of task 2-2 that no option names


def as_it_is(answer: str) -> str:
    return answer


def without(label: str) -> Callable[[str], str]:
    """The text without the label that the data puts before it (1-1, 2-5)."""
    return lambda answer: answer.replace(label, "")


def letter(answer: str, position: int) -> str:
    """The option letter at a fixed place, such as 5 in `正确答案：B。`."""
    return answer[position : position + 1]


def an_option(position: int) -> Callable[[str], None]:
    """A check that there is an option letter at this place: a bare `B` would make all wrong."""

    def check(answer: str) -> None:
        if letter(answer, position) not in tuple("ABCDE"):
            raise ValueError(answer)

    return check


def focus(answer: str) -> str:
    """2-2: `争议焦点类别：本金争议。`."""
    return answer[7:-1]


def marital_labels(answer: str) -> frozenset[str]:
    """2-3: `类别:婚后有子女、准予离婚。`."""
    return frozenset(answer[3:-1].split("、"))


def entities(answer: str) -> Entities:
    """2-6: `犯罪嫌疑人:甲;时间:昨日`; a blank gold has none, a third part is not read."""
    if not answer.strip():
        return {}
    pieces = (piece.split(":") for piece in answer.split(";"))
    return {piece[0]: piece[1] if len(piece) > 1 else "" for piece in pieces}


def events(answer: str) -> frozenset[str]:
    """2-9: `卖出;获利`."""
    return frozenset(answer.split(";"))


def triggers(answer: str) -> tuple[str, ...]:
    """2-10: `砸毁;索要`."""
    return tuple(answer.split(";"))


def articles(answer: str) -> frozenset[int]:
    """3-1: `法条:刑法第280、264条`."""
    numbers = answer.replace("法条:刑法第", "").replace("条", "")
    return frozenset(int(number) for number in numbers.split("、"))


def charges(answer: str) -> frozenset[str]:
    """3-3: `罪名:盗窃;诈骗`."""
    return frozenset(answer.replace("罪名:", "").split(";"))


def months(answer: str) -> int | None:
    """3-4, 3-5: `刑期:18个月`; None for death and life sentences, which are not judged."""
    if "死刑" in answer or "无期" in answer:
        return None
    return int(answer.replace("刑期:", "").replace("个月", ""))


def amount(answer: str) -> float:
    """3-7: `上文涉及到的犯罪金额:3900.0元。`."""
    return float(answer.replace("上文涉及到的犯罪金额:", "").replace("元。", ""))


CHECKED: dict[str, Callable[[str], object]] = {
    "1-2": an_option(5),
    "2-8": an_option(6),
    "3-1": articles,
    "3-4": months,
    "3-5": months,
    "3-6": an_option(5),
    "3-7": amount,
}
"""Tasks whose gold must be a letter or a number: a ValueError says that it is none."""

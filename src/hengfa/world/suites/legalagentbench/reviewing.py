"""Generated tasks before people: are they natural, unambiguous and right, and are they kept?"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.jsonfile import json_decoder, problem_and_field, read_lines
from hengfa.base.errors import DataError
from hengfa.evals.grading.people import review
from hengfa.evals.grading.submission import Submission

KEEP: Final = "keep"
REVIEW: Final = review.review_rubric(
    "world-task",
    "试题是否可用",
    (
        ("natural", "通顺自然：法律人会这样提问，看不出是拼凑的。"),
        ("unambiguous", "没有歧义：问题只有一种理解，照此只有一个答案。"),
        ("right", "答案正确：按所列路径查询，得到的就是所给的答案，法律上也成立。"),
        (KEEP, "保留：可以作为试题使用（选“否”即删去）。"),
    ),
)
_PREFIX: Final = "world/task/"


class ReviewedTask(msgspec.Struct, frozen=True):
    """What reviewers see of a task; `line` is the whole of it as the file has it."""

    id: int | str
    question: str
    answer: str
    key: tuple[str, ...]
    key_middle: tuple[str, ...] = ()
    way: str = ""
    line: bytes = b""

    @property
    def name(self) -> str:
        """Its id and a hash of what is reviewed: a task that was made anew is another one."""
        seen = msgspec.json.encode((self.question, self.answer, self.key))
        return f"{self.id}@{hashlib.blake2b(seen, digest_size=6).hexdigest()}"


_decode = json_decoder(ReviewedTask)


def read_for_review(file: Path) -> list[ReviewedTask]:
    """The tasks of a file of `hengfa world tasks`, each once."""
    tasks: dict[str, ReviewedTask] = {}
    for number, raw in read_lines(file, msgspec.Raw):
        try:
            task = msgspec.structs.replace(_decode(bytes(raw)), line=bytes(raw))
        except msgspec.DecodeError as error:
            problem, field = problem_and_field(str(error))
            raise DataError(problem, file=file, row=number, field=field) from error
        if task.name in tasks:
            raise DataError(f"the id {task.id} is there twice", file=file, row=number, field="id")
        tasks[task.name] = task
    if not tasks:
        raise DataError("there is no task in this file", file=file)
    return list(tasks.values())


def to_review(tasks: Sequence[ReviewedTask]) -> list[Submission]:
    """Tasks as responses to be scored, each with its path before it and its answer beside it."""
    return [
        Submission(
            key=f"{_PREFIX}{task.name}",
            question=f"【查询路径】\n{task.way.replace('----', ' → ') or '（写作题，没有路径）'}",
            response=task.question,
            rubric=REVIEW,
            reference=f"【答案】\n{task.answer}\n\n【得分点】\n{'；'.join(task.key)}"
            f"\n\n【中间结果】\n{'；'.join(task.key_middle) or '（无）'}",
        )
        for task in tasks
    ]


class TaskReview(msgspec.Struct, frozen=True):
    """The tasks that stand after a review; by item the ids that some reviewer objected to; those
    that were dropped, and those that nobody reviewed whole; and how far reviewers agree."""

    kept: list[ReviewedTask]
    objected: dict[str, list[str]]
    dropped: list[str]
    unseen: list[str]
    agreement: dict[str, review.ItemAgreement]


def reviewed(tasks: Sequence[ReviewedTask], tables: Sequence[Path]) -> TaskReview:
    """A task is dropped where at least half of those who spoke of keeping it would not; what nobody
    spoke of stays, and is counted."""
    of = {task.name: task for task in tasks}
    said: review.Said = review.read_review(REVIEW, _PREFIX, of, tables)
    items = [item.id for item in REVIEW.items()]
    dropped = set(review.outvoted(said, KEEP))

    def ids(names: Sequence[str]) -> list[str]:
        return [str(of[name].id) for name in names]

    return TaskReview(
        kept=[task for task in tasks if task.name not in dropped],
        objected={item: ids(names) for item in items if (names := review.objections(said, item))},
        dropped=ids([name for name in of if name in dropped]),
        unseen=ids(review.not_whole(said)),
        agreement={item: review.item_agreement(said, item) for item in items},
    )

"""The score of a suite's task as a reward, by the code that scores a run (`suites/scoring.py`).

A sample travels as its answer key, a JSON text that holds all of it and, for the shape `skill`, the
scale of its task; so a trainer needs no data folder. Two tasks look into one nevertheless: 2-1 of
LawBench for characters that look alike, and `judgment` where the data names charges of its own.
Nothing is kept between two calls, so that threads and processes do not meet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from hengfa.base.data.jsonfile import encode_json, json_decoder, unreadable
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.engine.messages import Response
from hengfa.evals.suites.base import AnyRuleSet, AnyTask, Attempt, Rules, Sample
from hengfa.evals.suites.plan import choose
from hengfa.evals.suites.registry import get_suite, suite_names
from hengfa.evals.suites.scoring import Scale, score_attempt
from hengfa.train.rewards.cheap import cheap_answers
from hengfa.train.rewards.shapes import Marked, Reward, Shape, Silence, as_response, finished

Scales = Mapping[Rules, Scale]
"""The scale of a task under each of the rule sets."""

MOST_MEASURED = 200
"""On so many samples, spread over all, the scale of a task is measured."""

TRIVIAL = "the suite's trivial answer"

T = TypeVar("T")
_KEY = "answer key"
"""What errors call the JSON of one."""


def find_task(task: str | AnyTask) -> AnyTask:
    """`lawbench/3-6`, or a task itself; it must be one that needs no grader."""
    if isinstance(task, str):
        suite, _, name = task.partition("/")
        there = get_suite(suite).tasks if suite in suite_names() else {}
        if name not in there:
            raise UsageError(f"there is no task {task!r}; there is: {', '.join(task_names())}")
        task = there[name]
    if not _by_rule(task):
        raise UsageError(f"task {task.id} is scored by a grader: it has no reward by rule")
    return task


def task_names() -> list[str]:
    return [
        f"{suite}/{task.id}"
        for suite in suite_names()
        for task in get_suite(suite).tasks.values()
        if _by_rule(task)
    ]


def _by_rule(task: AnyTask) -> bool:
    """Whether rules alone give the score: graders of a task that says what its samples are add to
    it (`matters`)."""
    return task.grading is None or task.sample_type is not None


def reward(
    task: str | AnyTask,
    sample: Sample,
    response: str | Response,
    *,
    rules: str | Rules = Rules.CORRECTED,
    shape: str | Shape = Shape.GRADED,
    silence: str | Silence = Silence.MASK,
    scale: Scale | None = None,
    data: Path | None = None,
) -> Reward:
    """What a response to a sample earns: the score that the suite gives it, in a shape.

    `scale` is for the shape `skill` (:func:`scale_of`), `data` the folder of the suite's data, for
    the two tasks whose rules look into it.
    """
    return rewards(
        task, [sample], [response],
        rules=rules, shape=shape, silence=silence, scale=scale, data=data,
    )[0]  # fmt: skip


def rewards(
    task: str | AnyTask,
    samples: Sequence[Sample],
    responses: Sequence[str | Response],
    *,
    rules: str | Rules = Rules.CORRECTED,
    shape: str | Shape = Shape.GRADED,
    silence: str | Silence = Silence.MASK,
    scale: Scale | None = None,
    data: Path | None = None,
) -> list[Reward]:
    """The same for many, in their order. Each is judged by itself: what suites say of several
    samples together, such as two wordings of a provision, is in no reward."""
    found = find_task(task)
    rule_set = found.rule_set(Rules(rules), data)
    shape, silence = Shape(shape), Silence(silence)
    return [
        finished(marked(found, rule_set, sample, as_response(said), scale), shape, silence)
        for sample, said in zip(samples, responses, strict=True)
    ]


def marked(
    task: AnyTask,
    rule_set: AnyRuleSet,
    sample: Sample,
    response: Response,
    scale: Scale | None = None,
) -> Marked:
    """The suite's own score of a response."""
    if getattr(sample, "bertscore", ""):
        raise UsageError("BERTScore asks a model: load samples without that option")
    scored = score_attempt(rule_set, Attempt(sample, response))
    return Marked(
        response.status,
        scored.metrics[task.metric],
        scored.metrics,
        scored.answer_status or str(response.status),
        response.reason,
        task.threshold(1.0),
        scale,
    )


def answer_key(task: str | AnyTask, sample: Sample, scales: Scales | None = None) -> str:
    """All that a reward needs to know of a sample, as JSON; without `scales` there is no skill."""
    if find_task(task).sample_type is None:
        raise UsageError("the task does not say what its samples are (`sample_type`)")
    return encode_json({"sample": sample, "scales": scales or {}}).decode()


def task_marker(
    task: AnyTask, rules: Rules, data: Path | None
) -> Callable[[str, str | Response], Marked]:
    """Marks responses by the answer keys of a task."""
    read, rule_set = key_reader(task), task.rule_set(rules, data)

    def mark(key: str, said: str | Response) -> Marked:
        known = read(key)
        return marked(task, rule_set, known.sample, as_response(said), known.scales.get(rules))

    return mark


def key_reader(task: AnyTask) -> Callable[[str], Any]:
    """Reads the answer keys of a task: the sample, and the scales of the task."""
    sample_type: Any = task.sample_type
    return _reader_of(sample_type)


@lru_cache(maxsize=64)
def _reader_of(sample_type: Any) -> Callable[[str], Any]:
    fields: list[Any] = [("sample", sample_type), ("scales", dict[Rules, Scale], {})]
    return key_decoder(msgspec.defstruct("AnswerKey", fields, frozen=True))


def key_decoder(kind: type[T]) -> Callable[[str], T]:
    """A reader of keys; what is none is the fault of the file that it stands in."""
    decode = json_decoder(kind)

    def decoded(key: str) -> T:
        try:
            return decode(key)
        except msgspec.DecodeError as error:
            raise unreadable(error, _KEY) from error

    return decoded


def scales_of(
    task: str | AnyTask, samples: Sequence[Sample], *, setting: str = "", data: Path | None = None
) -> dict[Rules, Scale]:
    """The scale of a task under both rule sets: see :func:`scale_of`."""
    return {
        rules: scale_of(task, samples, rules=rules, setting=setting, data=data) for rules in Rules
    }


def scale_of(
    task: str | AnyTask,
    samples: Sequence[Sample],
    *,
    rules: str | Rules = Rules.CORRECTED,
    setting: str = "",
    data: Path | None = None,
) -> Scale:
    """What the best cheap answer and the reference earn in the mean, on some of these samples. The
    floor is the best of the task's own trivial answer and the strategies of `cheap.py`."""
    found, rule_set = find_task(task), find_task(task).rule_set(Rules(rules), data)
    some = choose(samples, MOST_MEASURED, found.stratum)
    references = [found.baselines.reference(sample) for sample in some]
    answers = cheap_answers([prompt_text(found, sample, setting) for sample in some], references)
    if found.baselines.floor is not None:
        answers[TRIVIAL] = list(map(found.baselines.floor(samples), some))
    floors = (mean_score(found, rule_set, some, said) for said in answers.values())
    return Scale(max(floors), mean_score(found, rule_set, some, references))


def mean_score(
    task: AnyTask, rule_set: AnyRuleSet, samples: Sequence[Sample], said: Sequence[str]
) -> float:
    """What answers earn on the samples that count; silence as the strict figure has it."""
    scores = [
        marked(task, rule_set, sample, as_response(text)).score
        for sample, text in zip(samples, said, strict=True)
    ]
    counted = [score for score in scores if score is not None]
    if not counted:
        raise DataError("no sample is judged by these rules", file=f"task {task.id}")
    return sum(counted) / len(counted)


def prompt_text(task: AnyTask, sample: Sample, setting: str) -> str:
    return "\n\n".join(message.content for message in task.prompt(sample, setting))

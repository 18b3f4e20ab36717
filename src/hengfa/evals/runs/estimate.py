"""What a run and its grading would take, before anything is sent.

Every figure is a range. Answers are taken to be at least as long as the references and at most as
long as they may be, or as long as what a model can choose from; a grader is asked once at the
least, and three times at the most, when its reply has to be repaired and then asked for anew; an
agent takes one step at the least, and all that it may at the most. What the journals of the run
hold is not asked again, so it is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from hengfa.base.errors import UsageError, counted
from hengfa.evals.engine.budget import Price, find_price, no_price
from hengfa.evals.engine.journal import Entry, settled
from hengfa.evals.engine.messages import Model, Options, Request, Response, Status, Usage
from hengfa.evals.engine.session import run_to_end
from hengfa.evals.engine.tokens import (
    ASSUMED_ANSWER,
    LEAST_PER_CHARACTER,
    MOST_PER_CHARACTER,
    Range,
    estimate_reply,
    estimate_request,
    estimate_text,
)
from hengfa.evals.grading.attacks import full_verdict
from hengfa.evals.grading.grader import LATER, next_request, screen_key, screen_request
from hengfa.evals.grading.prompt import again_request, repair_request
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import Problem
from hengfa.evals.runs.ask import Ask, by_keywords, graders_named
from hengfa.evals.runs.folder import (
    JOURNAL,
    entries_in,
    manifest_to_continue,
    new_manifest,
    run_folder,
)
from hengfa.evals.runs.grading import (
    BUILT_IN,
    GraderChoice,
    again,
    asked_before,
    grades_folder,
    prompt_of,
    replies_in,
    submission_of,
)
from hengfa.evals.runs.models import (
    AGENT,
    NONE,
    Connection,
    asks_nobody,
    check_agent,
    check_batch,
    check_name,
    name_in_records,
    open_model,
)
from hengfa.evals.runs.score import submissions_of
from hengfa.evals.suites.base import Attempt, Course, Rehearsal
from hengfa.evals.suites.plan import Plan, Question

MODEL, GRADER, SCREEN = "model", "grader", "screen"
_ITEMS = {MODEL: "answers", GRADER: "gradings", SCREEN: "screenings"}


class Effort(NamedTuple):
    """Requests and tokens."""

    requests: Range = Range()
    input: Range = Range()
    output: Range = Range()

    def plus(self, other: Effort) -> Effort:
        return Effort(*(mine.plus(its) for mine, its in zip(self, other, strict=True)))

    def times(self, number: int) -> Effort:
        return Effort(*(part.times(number) for part in self))


@dataclass(frozen=True, slots=True)
class Expected:
    """What one who is asked would take: the model, a grader, a model that screens.

    Of the `items`, which are answers or gradings, `held` are in the journal of a folder; of
    `unknown` ones nobody can tell what they take. With `batch` it is paid as batches are.
    """

    role: str
    name: str
    effort: Effort
    items: int
    held: int = 0
    folder: Path | None = None
    unknown: int = 0
    free: bool = False
    price: Price | None = None
    batch: bool = False

    def cost(self) -> tuple[float, float] | None:
        """In the currency of the price, without what caches save; None if unknown."""
        if self.free:
            return 0.0, 0.0
        if self.price is None or self.unknown:
            return None
        _, asked, said = self.effort
        least, most = Usage(asked.low, said.low), Usage(asked.high, said.high)
        return self.price.cost(least, batch=self.batch), self.price.cost(most, batch=self.batch)

    def row(self) -> tuple[str, ...]:
        """Who, and the figures, for people."""
        if self.free:
            return f"{self.role} {self.name}", "", "", "", "built in or saved: costs nothing"
        cost, price = self.cost(), self.price
        shown = "not known" if cost is None or price is None else _show_cost(price, cost)
        who = f"{self.role} {self.name}{', by batch' if self.batch else ''}"
        return who, *map(_show, self.effort), shown

    def notes(self) -> list[str]:
        """What a person should know of the figures."""
        things = _ITEMS[self.role]
        notes = []
        if self.held:
            notes.append(
                f"{self.held:,} of {self.items:,} {things} are in the journal of {self.folder}"
            )
        if self.unknown:
            notes.append(
                f"{self.unknown:,} {things} are the work of an agent of your own: what it takes is "
                "not known, and not counted here"
            )
        if self.price is None and not self.free:
            notes.append(no_price(self.name))
        return notes

    def as_json(self) -> dict[str, Any]:
        cost = self.cost()
        return {
            "requests": list(self.effort.requests),
            "input_tokens": list(self.effort.input),
            "output_tokens": list(self.effort.output),
            "cost": list(cost) if cost else None,
            "currency": self.price.currency if self.price else None,
            "free": self.free,
            "batch": self.batch,
            "items": self.items,
            "held": self.held,
            "unknown": self.unknown,
        }


@dataclass(frozen=True, slots=True)
class Estimate:
    """Samples, and for all who are asked requests, tokens and cost, as ranges."""

    samples: Mapping[str, int]
    asked: Sequence[Expected]
    repeats: int = 1
    assumed: Sequence[str] = field(default_factory=list)

    def total(self) -> dict[str, tuple[float, float]]:
        """The costs that are known, by currency."""
        total: dict[str, tuple[float, float]] = {}
        for expected in self.asked:
            cost, price = expected.cost(), expected.price
            if cost is not None and price is not None and not expected.free:
                low, high = total.get(price.currency, (0.0, 0.0))
                total[price.currency] = low + cost[0], high + cost[1]
        return total

    def text(self) -> str:
        """For people."""
        times = f", each {self.repeats} times" if self.repeats > 1 else ""
        lines = [f"{task}: {counted(of, 'sample')}{times}" for task, of in self.samples.items()]
        heading = ("", "requests", "input tokens", "output tokens", "cost")
        table = [heading, *(expected.row() for expected in self.asked)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        for row in table:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            lines.append("  ".join(cells).rstrip())
        prices: dict[str, Price] = {
            expected.price.currency: expected.price for expected in self.asked if expected.price
        }
        total = self.total()
        missing = [expected.name for expected in self.asked if expected.cost() is None]
        for currency, cost in total.items():
            without = f", without {', '.join(missing)}" if missing else ""
            lines.append(f"total: {_show_cost(prices[currency], cost)}{without}")
        lines += (note for expected in self.asked for note in expected.notes())
        lines += (f"assumed: {assumption}" for assumption in self.assumed)
        return "\n".join([*lines, "nothing was sent"])

    def as_json(self) -> dict[str, Any]:
        """The figures of the model stand at the top."""
        by_role: dict[str, list[Expected]] = {MODEL: [], GRADER: [], SCREEN: []}
        for expected in self.asked:
            by_role[expected.role].append(expected)
        model, screen = (next(iter(by_role[role]), None) for role in (MODEL, SCREEN))
        return {
            **({"model": model.name, **model.as_json()} if model else {}),
            "samples": dict(self.samples),
            "repeats": self.repeats,
            "graders": [{"grader": one.name, **one.as_json()} for one in by_role[GRADER]],
            "screen": {"screen": screen.name, **screen.as_json()} if screen else None,
            "total": {currency: list(cost) for currency, cost in self.total().items()},
            "unpriced": [expected.name for expected in self.asked if expected.cost() is None],
            "assumed": list(self.assumed),
        }


def _show(part: Range) -> str:
    return f"{part.low:,}" if part.low == part.high else f"{part.low:,} to {part.high:,}"


def _show_cost(price: Price, cost: tuple[float, float]) -> str:
    low, high = map(price.show, cost)
    return low if low == high else f"{low} to {high}"


@by_keywords(Ask)
def estimate(ask: Ask) -> Estimate:
    """What `evaluate` would take, called with the same: requests, tokens and cost, as ranges.

    What the journals of the run hold already is left out; nothing is sent and nothing written.
    """
    if not isinstance(ask.model, str):
        raise UsageError("an estimate is of a model with a name; a function costs what it does")
    check_name(ask.model)
    check_batch(ask.model, Connection(batch=ask.batch, completions=ask.completions))
    plan = ask.part(ask.plan())
    options, _ = ask.wording()
    ask.check_choice(plan)
    graders, accept, ask_again = graders_named(ask.graders), ask.answer_statuses(), ask.ask_again()
    check_agent(ask.model, plan)
    opened = open_model(ask.model, plan, Connection()) if asks_nobody(ask.model) else None
    agent = plan.options[AGENT] if ask.model == NONE else None
    model = opened.name if opened else agent or name_in_records(ask.model)
    folder = run_folder(plan, model, Path(ask.runs), ask.name)
    manifest = new_manifest(plan, model, "", options)
    there = not ask.fresh and manifest_to_continue(folder, manifest, plan.suite) is not None
    journal = folder / JOURNAL
    entries = entries_in(journal) if there else {}
    answers = _Answers(plan, options, opened, accept if graders else None)
    run_to_end(answers.count(entries, ask_again, journal))
    submissions = answers.submissions
    if graders and any("#" not in key for key in entries):
        submissions = submissions + [
            submission
            for submission in submissions_of(folder, accept, plan.options)
            if submission.key.rpartition("@")[0] not in answers.open
        ]
    expected = Expected(
        MODEL, model, answers.effort, len(plan), answers.held, folder, answers.unknown,
        opened is not None, find_price(model), ask.batch,
    )  # fmt: skip
    place = folder if there else None
    gradings = (_grading(place, submissions, choice, answers.waiting) for choice in graders)
    return Estimate(
        {asked.task.id: len(plan.samples(asked.task.id)) for asked in plan.questions},
        [expected, *gradings],
        plan.repeats,
        [*answers.assumed, *_assumed_of_graders(graders)],
    )


def estimate_grading(
    kinds: Mapping[str, int],
    folder: Path,
    submissions: Sequence[Submission],
    graders: Sequence[GraderChoice],
) -> Estimate:
    """What grading would take into this folder; `kinds` says how many submissions of what."""
    gradings = [_grading(folder, submissions, choice) for choice in graders]
    return Estimate(kinds, gradings, assumed=_assumed_of_graders(graders))


def _longest(options: Options) -> int:
    return options.max_new_tokens or ASSUMED_ANSWER


# --- the model ---


_Waiting = tuple[Submission, Range]
"""What will be graded once there is an answer, and the tokens that it will have for graders."""


@dataclass(slots=True)
class _Answers:
    """Which questions are open, what they take, and what there will be to grade.

    `model` is one that asks nobody, so that its answers can be had at once.
    """

    plan: Plan
    options: Options
    model: Model | None
    accept: frozenset[Status] | None
    """What is graded, if anything is."""
    effort: Effort = field(default_factory=Effort)
    held: int = 0
    unknown: int = 0
    open: set[str] = field(default_factory=set)
    submissions: list[Submission] = field(default_factory=list)
    waiting: list[_Waiting] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)

    async def count(
        self, entries: Mapping[str, Entry], ask_again: frozenset[Status], journal: Path
    ) -> None:
        """Go through the plan."""
        several: dict[str, list[Question]] = {}
        for question in self.plan.asked(self.options):
            request = question.request
            entry = entries.get(request.key)
            if entry and settled(entry, request.prompt_hash(), ask_again, journal) is not None:
                self.held += 1
                continue
            self.open.add(request.key)
            if self.model is not None:
                response, grading = await self.model.generate(request), question.task.grading
                if grading is not None and response.status in (self.accept or ()):
                    attempt = Attempt(question.sample, response)
                    self.submissions.append(submission_of(grading, request.key, attempt))
            elif question.task.solver is not None:
                several.setdefault(question.task.id, []).append(question)
            else:
                length = self._length(question)
                effort = Effort(Range(1, 1), estimate_request(request), length)
                self.effort = self.effort.plus(effort)
                self._wait(question, length)
        steps = {
            key: entry.response
            for key, entry in entries.items()
            if "#" in key and entry.response.status not in ask_again
        }
        for questions in several.values():
            await self._rehearse(questions, steps)

    def _assume(self, what: str) -> None:
        if what not in self.assumed:
            self.assumed.append(what)

    def _at_most(self) -> str:
        return f"of at most {_longest(self.options):,} tokens (--max-new-tokens)"

    def _length(self, question: Question) -> Range:
        """Tokens of an answer."""
        if candidates := [*map(estimate_text, question.request.options.candidates)]:
            self._assume("where an answer is chosen, one of its candidates, such as a letter")
            low, high = zip(*candidates, strict=True)
            return Range(min(low), max(high))
        self._assume(f"answers as long as the reference at the least, and {self._at_most()}")
        reference, longest = estimate_text(_reference(question)), _longest(self.options)
        if self.options.max_new_tokens is None:
            return Range(reference.low, max(reference.high, longest))
        return Range(min(reference.low, longest), longest)

    def _wait(self, question: Question, length: Range) -> None:
        """An answer that is still to come; a grader's tokenizer may need more tokens for it."""
        if self.accept is None or (grading := question.task.grading) is None:
            return
        shortest = _reference(question)[: int(length.high / MOST_PER_CHARACTER)]
        most = int(length.high / LEAST_PER_CHARACTER * MOST_PER_CHARACTER)
        answer = Range(estimate_text(shortest).low, most)
        self.waiting.append((grading(question.sample, ""), answer))

    async def _rehearse(self, questions: Sequence[Question], steps: Mapping[str, Response]) -> None:
        """Questions of a task that take several: those that were begun one by one, and of the
        others the shortest and the longest."""
        plan, task = self.plan, questions[0].task
        rehearsal = task.rehearsal and task.rehearsal(plan.setting, plan.options)
        if rehearsal is None:
            self.unknown += len(questions)
            return
        self._assume(f"agents: {rehearsal.assumed}, replies {self._at_most()}")
        started = {key.partition("#")[0] for key in steps}
        fresh: list[Question] = []
        for question in questions:
            if question.request.key in started:
                course = await self._course(rehearsal, question, question, steps)
                self.effort = self.effort.plus(course)
            else:
                fresh.append(question)
        if fresh:
            fresh.sort(key=lambda question: len(question.request.messages[-1].content))
            course = await self._course(rehearsal, fresh[0], fresh[-1], steps)
            self.effort = self.effort.plus(course.times(len(fresh)))

    async def _course(
        self,
        rehearsal: Rehearsal[Any],
        least: Question,
        most: Question,
        steps: Mapping[str, Response],
    ) -> Effort:
        """What the one takes on the short way, and the other on the long."""
        longest = _longest(self.options)
        short = await _requests_on_way(rehearsal.short, least, steps, longest)
        long = await _requests_on_way(rehearsal.long, most, steps, longest)
        read_least = sum(estimate_request(request).low for request, _ in short)
        read_most = sum(estimate_request(request).high for request, _ in long)
        said = Range(sum(estimate_reply(reply).low for _, reply in short), len(long) * longest)
        return Effort(Range(len(short), len(long)), Range(read_least, read_most), said)


async def _requests_on_way(
    course: Course[Any], question: Question, steps: Mapping[str, Response], longest: int
) -> list[tuple[Request, Response]]:
    """What is asked on the way, and what would be said; steps in the journal are not asked."""
    asked: list[tuple[Request, Response]] = []

    async def ask(request: Request) -> Response:
        if request.key in steps:
            return steps[request.key]
        reply = course.reply(request, longest)
        asked.append((request, reply))
        return reply

    await course.solve(ask, question.sample, question.request)
    return asked


def _reference(question: Question) -> str:
    reference: str = question.task.baselines.reference(question.sample)
    return reference


# --- graders ---

NOTHING: Final = Range()
_SCREENED: Final = estimate_text('{"sentences": [], "talks": false, "code": ""}').low
_MORE: Final = {"grade": 2, "repair": 1, "again": 0}
"""How many questions may follow a question to a grader."""


def _grading(
    folder: Path | None,
    submissions: Sequence[Submission],
    choice: GraderChoice,
    waiting: Sequence[_Waiting] = (),
) -> Expected:
    times = 1 if choice.screens else choice.repeats
    place = grades_folder(folder, choice) if folder else None
    replies: dict[str, Response] = {}
    if place and not choice.anew and asked_before(place, choice, prompt_of(choice)):
        replies = {
            key: reply
            for key, reply in replies_in(place / JOURNAL).items()
            if reply.status not in choice.sitting.ask_again
        }
    effort, held = Effort(), 0
    free = asks_nobody(choice.name, BUILT_IN)
    for submission in submissions:
        for repeat in range(1, times + 1):
            request = _next(again(submission, repeat), replies, choice)
            if request is None or (free and LATER in request.key):
                held += 1
            elif not free:
                effort = effort.plus(_turns(submission, request, choice))
    for submission, answer in waiting if not free else ():
        if (request := _next(submission, {}, choice)) is not None:
            effort = effort.plus(_turns(submission, request, choice, answer).times(times))
    role, items = SCREEN if choice.screens else GRADER, (len(submissions) + len(waiting)) * times
    return Expected(
        role, choice.name, effort, items, held, place, free=free, price=find_price(choice.name),
        batch=choice.connection.batch,
    )  # fmt: skip


def _next(
    submission: Submission, replies: Mapping[str, Response], choice: GraderChoice
) -> Request | None:
    """The question that would be put next; None if all was said."""
    if not choice.screens:
        return next_request(submission, replies.get, choice.options)
    if screen_key(submission) in replies:
        return None
    return screen_request(submission, choice.options)


def _turns(
    submission: Submission, request: Request, choice: GraderChoice, answer: Range = NOTHING
) -> Effort:
    """What a question takes with those that may follow it; `answer` is what is not written yet."""
    longest = _longest(choice.options)
    first = estimate_request(request).plus(answer)
    if choice.screens:
        return Effort(Range(1, 1), first, Range(min(_SCREENED, longest), longest))
    more = _MORE.get(request.key.rpartition("#")[2], 0)
    most = first.high
    if more > 1:  # the reply is in a repair, and every item may have a problem
        problems = [Problem(item.id, "missing", "") for item in submission.rubric.items()]
        reply = "案" * int(longest / MOST_PER_CHARACTER)
        repair = repair_request(submission, reply, problems, choice.options)
        most += estimate_request(repair).high + answer.high
    if more:
        most += estimate_request(again_request(submission, choice.options)).high + answer.high
    least = estimate_text(full_verdict(submission, lambda _item: ())).low
    return Effort(
        Range(1, 1 + more), Range(first.low, most), Range(min(least, longest), (1 + more) * longest)
    )


def _assumed_of_graders(graders: Sequence[GraderChoice]) -> list[str]:
    asked = [choice for choice in graders if not asks_nobody(choice.name, BUILT_IN)]
    told = []
    if any(not choice.screens for choice in asked):
        told.append("a grader gives a whole verdict at once, or is asked up to three times")
    if asked:
        longest = max(_longest(choice.options) for choice in asked)
        told.append(f"replies of graders of at most {longest:,} tokens (--grader-max-new-tokens)")
    return told

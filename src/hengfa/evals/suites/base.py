"""What a suite is made of: samples, tasks, rules, answers.

A suite is a declaration (`suites/<name>/suite.py`) of pure functions that live beside it. Nothing
here asks a model or writes a file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from msgspec.structs import replace

from hengfa.base.data.catalogue import Entry
from hengfa.base.data.jsonfile import read_toml
from hengfa.base.data.output import MANIFEST
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.engine.messages import Message, Request, Response, ToolUse
from hengfa.evals.engine.messages import Options as ModelOptions
from hengfa.evals.grading.error_types import ErrorType
from hengfa.evals.grading.graded import GradedResponse
from hengfa.evals.grading.submission import Submission
from hengfa.evals.results.figures import Aspect, Band, Graded, Pooled, Recipe, TaskFigures
from hengfa.evals.results.trace import Spans, Trace
from hengfa.law.text.bertscore import check_installed, check_model_folder


class Rules(StrEnum):
    """Which scoring: the published one, mistakes included, or ours with every fix on."""

    OFFICIAL = "official"
    CORRECTED = "corrected"


class AnswerStatus(StrEnum):
    """What extraction made of a response that is an answer."""

    EXTRACTED = "extracted"
    AMBIGUOUS = "ambiguous"  # several answers where one was asked for
    ABSTAINED = "abstained"  # nothing in it that could be an answer
    MALFORMED = "malformed"  # something there, but not in a readable form


class Sample(Protocol):
    """One question of a task; suites add their own fields."""

    @property
    def id(self) -> str:
        """Unique within task and setting."""


S = TypeVar("S", bound=Sample)
V = TypeVar("V")
Metrics = Mapping[str, float | None]
"""Metric name to value; None where the rule leaves this sample out of the count."""


class Answer(NamedTuple, Generic[V]):
    """What was read out of a response; `value` is None unless something could be read.

    `where` says where each part of the value stands in the response, for whoever wants to see it:
    it is asked only then, because thousands of answers are scored for one that is looked at.
    """

    value: V | None
    status: AnswerStatus = AnswerStatus.EXTRACTED
    where: Callable[[], Mapping[Any, Spans]] = dict


class Score(NamedTuple):
    """The metrics of an answer, and on demand the findings that explain them.

    Findings are made of the very values that were scored; nothing is read or scored again.
    """

    metrics: Metrics
    explain: Callable[[], Trace] = lambda: Trace("answer")


BACKED_RATE: Final = "backed_rate"
"""The figure that graded tasks have besides their score: with only the awards whose evidence
holds."""


class RuleSet(ABC, Generic[S, V]):
    """One way to read and score the responses of a task: pure functions of text and sample.

    The score is the mean of the task's metric, or the `pooled` figure of sums; `more` are further
    figures made of sums, by name, and `graded` what graders may leave open. `notice` is what a
    person should know before trusting the figure. `metrics` are the names that every score has,
    where they are known before any is made.
    """

    metrics: Sequence[str] = ()
    pooled: Pooled | None = None
    more: Mapping[str, Pooled] = MappingProxyType({})
    graded: Graded | None = None
    notice: str = ""

    @abstractmethod
    def read(self, response: str) -> Answer[V]:
        """What the response says, and where."""

    def look_ahead(self, responses: Sequence[tuple[S, str]]) -> None:
        """Responses that are scored next, for rules that prepare many in less time than each."""

    @abstractmethod
    def score(self, sample: S, answer: Answer[V]) -> Score:
        """What the answer is worth, and why."""

    @abstractmethod
    def silence(self, sample: S) -> Metrics:
        """What a response that is no answer adds to the strict figure."""

    def across(self, scored: Mapping[str, tuple[S, Metrics]]) -> Mapping[str, Metrics]:  # noqa: ARG002 - most have none
        """Further metrics of some samples, by their ids, that follow from what several samples
        scored, such as two wordings of one provision; `scored` are all of a run, or of a repeat."""
        return {}

    def instrument(self) -> str | None:
        """What a score depends on beyond the rules, such as the segmenter and its dictionary; it is
        declared in every record."""
        return None


class GradedRuleSet(RuleSet[S, V]):
    """Rules for answers that graders mark.

    `score` is what is known of an answer that nobody was asked about: every metric that needs a
    grader is None, silence's too, because what nobody graded is no zero.
    """

    @abstractmethod
    def grade(self, sample: S, answer: Answer[V], graded: GradedResponse) -> Score:
        """What an answer is worth by what a grader or a panel said of it, asked once."""


Chosen = Mapping[str, str]
"""What was chosen of a suite's options; those left out have their default."""


@dataclass(frozen=True)
class SuiteOption:
    """Something to choose besides the setting that changes which samples there are.

    `check` gives the value in its one spelling, or raises ValueError with what is wrong. One that
    is for `scoring` changes nothing that a model is asked: answers can be scored by another value.
    One of the `method` changes how a model is worked with and what it is shown besides the
    question: the samples stay what they are, so that answers can be compared across its values.
    """

    default: str
    help: str
    check: Callable[[str], str]
    scoring: bool = False
    method: bool = False


def one_of(*choices: str) -> Callable[[str], str]:
    """The check of an option that takes one of a few words."""

    def check(value: str) -> str:
        if value not in choices:
            raise ValueError(f"{value!r} is none of {', '.join(choices)}")
        return value

    return check


def number_to(most: int, least: int = 0) -> Callable[[str], str]:
    """The check of an option that takes a whole number up to so many."""

    def check(value: str) -> str:
        if not value.isascii() or not value.isdigit() or not least <= int(value) <= most:
            raise ValueError(f"{value!r} is no number from {least} to {most}")
        return str(int(value))

    return check


def file_path(value: str) -> str:
    """The check of an option that names a file, or nothing."""
    if value and not Path(value).is_file():
        raise ValueError(f"there is no file {value}")
    return value and str(Path(value).absolute())


def bert_model(value: str) -> str:
    """The check of an option that names the folder of a BERT model, or nothing."""
    if not value:
        return ""
    folder = Path(value).expanduser().absolute()
    try:
        check_model_folder(folder)
    except UsageError as error:
        raise ValueError(str(error)) from error
    check_installed()  # before anything is asked
    return str(folder)


def index_folder(value: str) -> str:
    """The check of an option that names the folder of an index to search, or nothing."""
    if value and not Path(value, MANIFEST).is_file():
        raise ValueError(f"there is no index in {value}: `hengfa retrieve build` makes one")
    return value and str(Path(value).absolute())


def read_options(
    file: Path, checks: Mapping[str, Callable[[str], str]]
) -> Mapping[str, SuiteOption]:
    """The options of a table, in its order, each with its check."""
    return {
        name: SuiteOption(check=checks[name], **row)
        for name, row in read_toml(file, dict[str, dict[str, Any]]).items()
    }


Fixes = frozenset[str]
"""Which repairs of the published rules are on: none is official, all of a task's is corrected."""


@dataclass(frozen=True)
class Offer:
    """What one sample offers to the search for *others*: what is searched, and its text, or
    whatever else the suite makes an answer of."""

    searched: str
    text: Any


@dataclass(frozen=True)
class Search(Generic[S]):
    """How the built-in model `retrieval` answers: what to search for, what this sample offers to
    the others, and how what was found, best first, becomes a response.

    `law` says whether law text is searched too; it is found as text.
    """

    query: Callable[[S], str]
    offer: Callable[[S], Offer]
    answer: Callable[[S, Sequence[Any]], str]
    law: bool = False


Floor = Callable[[Sequence[S]], Callable[[S], str]]
"""Sees all samples of a task, for the most frequent label, and gives the trivial answer to one."""


@dataclass(frozen=True)
class Baselines(Generic[S]):
    """How the built-in models answer this task without understanding it.

    `reference` is the right answer in the form the prompt asks for, `floor` the best trivial one. A
    task without a floor has no scale, so that nobody's skill is known.
    """

    reference: Callable[[S], str]
    floor: Floor[S] | None = None
    search: Search[S] | None = None


Ask = Callable[[Request], Awaitable[Response]]
Solve = Callable[[Ask, S, Request], Awaitable[Response]]
"""Works on a sample with as many questions as it takes. The request has the key of the sample, the
prompt and the model's options; keys of its questions are that key with `#` and a name of the step.
The response it returns is what is scored."""


class Course(NamedTuple, Generic[S]):
    """A solver that calls no tool, and what a model might reply to it in so many tokens."""

    solve: Solve[S]
    reply: Callable[[Request, int], Response]


class Rehearsal(NamedTuple, Generic[S]):
    """How a solver works where nobody is asked, to count what it would ask: the shortest way, and
    the longest; `assumed` says on what they rest."""

    short: Course[S]
    long: Course[S]
    assumed: str


class OtherReading(NamedTuple):
    """Another way to read the rules of a task: the figure that has its score by that, and a
    sentence that says what it does."""

    figure: str
    sentence: str


@dataclass(frozen=True)
class Task(Generic[S, V]):
    """One of a suite's tasks: how samples are loaded, put to a model, read and scored.

    `metric` is the figure people quote. `rules` builds the rule set with some fixes on; the folder
    is the data pack's, for rules that need more of it than samples, or None where it is not here.
    `fixes` names every repair of the published rules, each with a sentence that says what it does.
    `stratum` names the kind of a sample, of which a limited run takes its share, and `together` a
    group of samples that it takes together, as they are scored across. `facets` are the kinds by
    which figures can be broken down, such as the law or the number of hops; `cluster` is the facet
    that makes samples depend on each other, so that statistics draw them together.
    `aspects` are the parts that every answer has, such as sections, by which points can be broken
    down likewise: a name such as `section`, and the parts under it. `errors` are types of mistakes;
    a metric of each says which answers have it. A task with `grading` is scored by graders: it says
    what of a response is put before them, and its rules are a :class:`GradedRuleSet`. A task with a
    `solver` takes more than one question: made for a data folder, a setting and options, it asks
    until it has a response. Its `rehearsal`, for a setting and options, tells beforehand what that
    takes; None where it cannot be known.
    """

    id: str
    title: str
    title_en: str
    metric: str
    load: Callable[[Path, str, Chosen], list[S]]
    prompt: Callable[[S, str], tuple[Message, ...]]
    """What is sent for a sample in a setting."""
    rules: Callable[[Fixes, Path | None], RuleSet[S, V]]
    fixes: Mapping[str, str]
    baselines: Baselines[S]
    stratum: Callable[[S], str] | None = None
    together: Callable[[S], str] | None = None
    facets: Callable[[S], Mapping[str, str]] | None = None
    cluster: str | None = None
    aspects: Mapping[str, Mapping[str, Aspect]] = field(default_factory=dict)
    errors: tuple[ErrorType, ...] = ()
    grading: Callable[[S, str], Submission] | None = None
    solver: Callable[[Path, str, Chosen], Solve[S]] | None = None
    fields: Mapping[str, Callable[[S], str]] = field(default_factory=dict)
    """What of a sample a template of the user's own may show: nothing that `prompt` does not."""
    rehearsal: Callable[[str, Chosen], Rehearsal[S] | None] | None = None
    calls: Callable[[str], Sequence[ToolUse]] | None = None
    """The calls of tools that the response of an agent lists."""

    least: float = 0.0
    """The lowest score of a sample; the highest is 1."""
    readings: Mapping[str, OtherReading] = field(default_factory=dict)
    """Other ways to read the published rules, such as `marking=longest`: what each does to the
    score is shown beside what fixes do."""
    right_at: float | None = None
    """From which score on an answer is right, for figures of several tries; where nothing is said,
    1 if the metric is an accuracy, and else as the user chooses."""

    choices: Callable[[S], Sequence[str]] | None = None
    """The responses between which a model may choose by their likelihood, one for each letter, in
    the form that the prompt asks for."""

    sample_type: type[S] | None = None
    """What its samples are, where they can be written as JSON and read again: then a sample can be
    the answer key of a reward."""

    def threshold(self, chosen: float) -> float:
        """From which score on an answer is right; `chosen` is for rates."""
        if self.right_at is not None:
            return self.right_at
        return 1.0 if self.metric.endswith("accuracy") else chosen

    def samples(self, root: Path, setting: str, options: Chosen) -> list[S]:
        """All samples of the task in a setting; two with one id are an error."""
        samples = self.load(root, setting, options)
        times = Counter(sample.id for sample in samples)
        if len(times) < len(samples):
            id_, count = times.most_common(1)[0]
            problem = f"{count} samples of task {self.id} in {setting} have the id {id_!r}"
            raise DataError(problem, file=root)
        return samples

    def rule_set(self, rules: Rules, data: Path | None = None) -> RuleSet[S, V]:
        """The published rules, or those with every fix on."""
        return self.rules(frozenset(self.fixes if rules is Rules.CORRECTED else ()), data)

    def recipe(self, rules: Rules) -> Recipe:
        """How the task's figures are made of what samples scored; needs no data."""
        return self.recipe_by(self.rule_set(rules))

    def recipe_by(self, rule_set: RuleSet[S, V]) -> Recipe:
        """The same by a set of rules that is at hand."""
        return Recipe(self.metric, rule_set.pooled, rule_set.more, rule_set.graded)

    @property
    def needs_grader(self) -> bool:
        """Whether there is no score without a grader."""
        graded = self.recipe(Rules.OFFICIAL).graded
        return graded is not None and graded.least is not None


AnyTask = Task[Any, Any]
AnyRuleSet = RuleSet[Any, Any]


class Attempt(NamedTuple):
    """One response to one sample, and what graders said of it: None where nobody was asked.

    `repeat` counts from 1, where a question was asked more than once.
    """

    sample: Sample
    response: Response
    graded: GradedResponse | None = None
    repeat: int = 1


class SavedRun(ABC):
    """The responses of one model in one setting, saved by some tool, ready to be scored.

    It travels to other processes, so it holds paths rather than texts.
    """

    model: str
    setting: str
    grader: str = ""
    """By whom the responses of graded tasks are scored; empty where nobody graded."""

    @abstractmethod
    def tasks(self) -> Sequence[str]:
        """Task ids for which there are predictions."""

    @abstractmethod
    def attempts(self, task: str) -> Sequence[Attempt]:
        """The responses of a task with their samples, in sample order."""

    def notices(self, task: str) -> Sequence[str]:  # noqa: ARG002 - most have none
        """What a person should know of a task's predictions before trusting their figure."""
        return ()


@dataclass(frozen=True)
class PredictionContext:
    """What a layout of saved predictions may not say itself.

    `data` is where the suite's data lies, or None where it is not installed; `partial` allows
    predictions for only some of a task's samples.
    """

    setting: str
    data: Path | None = None
    partial: bool = False
    options: tuple[tuple[str, str], ...] = ()


class Layout(Protocol):
    """Where some other tool saves predictions, and whose they are."""

    @property
    def expected(self) -> str:
        """What the files are, for whoever has others."""

    def runs(self, suite: Suite, path: Path, context: PredictionContext) -> Sequence[SavedRun]:
        """Every model's predictions in a file or folder; none if it is not in this layout."""


@dataclass(frozen=True)
class Suite:
    """A benchmark: its tasks, settings, data, and how its task scores make its figures."""

    name: str
    title: str
    title_en: str
    pack: str
    settings: tuple[str, ...]
    tasks: Mapping[str, AnyTask]
    figures: Callable[[Mapping[str, float]], dict[str, float]]
    layouts: tuple[Layout, ...] = ()
    """How other tools save predictions; lines of `{task, id, prediction}` are read for all."""
    options: Mapping[str, SuiteOption] = field(default_factory=dict)
    own_files: tuple[str, ...] = ()
    """What users can put into a data folder besides upstream's files, such as tasks they made."""
    further: Callable[[Mapping[str, TaskFigures]], dict[str, float]] | None = None
    """Figures that need more of the tasks than their scores; `success/1-hop` is nested in JSON."""
    combined: Callable[[Mapping[str, float]], dict[str, float]] | None = None
    """Figures that can be made of other figures alone, and so of the rows of a paper too."""
    headline: str = "overall"
    """The figure that boards are ordered by."""
    headline_says: str = ""
    """What that is, and why it is that, where it is not the paper's overall."""
    abilities: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Figures that each measure an ability, with their titles in Chinese and English."""
    titles: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The titles of other figures that people are shown, such as `overall`."""
    entry: Entry | None = None
    """What is known of the pack's home and files, where the catalogue does not know it."""
    tables: Path | None = None
    """A folder of tables that papers have printed, where they are not among ours."""
    prompts: Mapping[str, Path] = field(default_factory=dict)
    """Files of prompts that come with the suite, by name, to be asked instead of its own."""
    sample: str = ""
    """The suite whose samples of our own are its own too."""

    def completed(self, figures: Mapping[str, float]) -> dict[str, float]:
        """These figures, and those that can be made of them."""
        return {**(self.combined(figures) if self.combined is not None else {}), **figures}

    def bands(self, scores: Mapping[str, float], bands: Mapping[str, Band]) -> dict[str, Band]:
        """The figures that need a task whose score is only a band; each has the share that its
        tasks have, by the weights that they have in it."""
        if not bands:
            return {}
        low, high = (
            self.figures({**scores, **{task: getattr(band, end) for task, band in bands.items()}})
            for end in ("low", "high")
        )
        ungraded = {task: band.ungraded for task, band in bands.items()}
        shares = {**dict.fromkeys(scores, 0.0), **ungraded}
        known, share = self.figures(scores), self.figures(shares)
        return {name: Band(low[name], high[name], share[name]) for name in low if name not in known}

    def choose(self, given: Chosen) -> dict[str, str]:
        """The given options checked, with the defaults of the others."""
        for name in given:
            if name not in self.options:
                there_is = ", ".join(self.options) or "none"
                raise UsageError(f"{self.name} has no option {name!r}; there is: {there_is}")
        chosen = {}
        for name, option in self.options.items():
            try:
                chosen[name] = option.check(given.get(name, option.default))
            except ValueError as error:
                raise UsageError(f"--set {name}: {error}") from error
        return chosen

    def known(self, given: Chosen) -> dict[str, str]:
        """Those of some options that there still are, for runs that an earlier version made."""
        return {name: value for name, value in given.items() if name in self.options}

    def asked_by(self, given: Chosen) -> dict[str, str]:
        """Those that change what a model is asked; one that an earlier version did not have is as
        it was then, by default."""
        return {
            name: given[name] if name in given else option.check(option.default)
            for name, option in self.options.items()
            if not option.scoring
        }

    def questions_by(self, given: Chosen) -> dict[str, str]:
        """Those that change the questions themselves, not only how a model is worked with; of runs
        that were made before there was an option, its default."""
        return {
            name: given.get(name, option.default)
            for name, option in self.options.items()
            if not option.scoring and not option.method
        }

    def key(self, task: str, setting: str, sample: Sample, repeat: int = 1) -> str:
        """The name of a question in a journal; asked again it is `lawbench/1-1/zero_shot~2/17`."""
        again = f"~{repeat}" if repeat > 1 else ""
        return f"{self.name}/{task}/{setting}{again}/{sample.id}"

    def request(
        self, task: AnyTask, setting: str, sample: Sample, options: ModelOptions, repeat: int = 1
    ) -> Request:
        """The question as it goes to a model.

        A seed would make a server give the same answer each time, so each repeat has its own. What
        offers no choice is asked as ever.
        """
        if options.seed is not None and repeat > 1:
            options = replace(options, seed=options.seed + repeat - 1)
        if options.choice is not None:
            candidates = () if task.choices is None else tuple(task.choices(sample))
            options = replace(options, choice=None, candidates=candidates)
        key = self.key(task.id, setting, sample, repeat)
        return Request(key, task.prompt(sample, setting), options)

"""Hints for a review of contamination: what is unusual, and may have a harmless reason.

- *Verbatim*: a passage of the reference that the prompt does not hold must come from somewhere:
  from knowing the law by heart, which some tasks ask for, or from having seen the answer. How often
  a model does it is compared with the other models at the same task.
- *Identical*: two models rarely write the same forty characters by themselves. Where they do so
  often, one may be the other under another name, or was trained on its answers, or both know the
  answer by heart. Short answers, and those copied from prompt or reference, are no sign of it.
- *Unexpected*: each score is predicted from the other tasks of that model, by the relation that
  holds among all *other* models, and compared with the upper end of the prediction interval.

Nobody is accused by this: a model may be good at one thing because it was built for it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import sqrt
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from hengfa.base.errors import UsageError
from hengfa.base.progress import Notify, quiet
from hengfa.base.statistics.correlation import Numbers
from hengfa.base.statistics.intervals import normal_quantile, t_quantile
from hengfa.evals.engine.messages import Status
from hengfa.evals.results.published.papers import published
from hengfa.evals.results.tables import read_responses, responses_file
from hengfa.evals.runs.folder import MANIFEST, Manifest, read_manifest, run_of, scored_folders
from hengfa.evals.runs.leaderboard import run_entries
from hengfa.evals.runs.look import list_runs
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.builtin import NAMES
from hengfa.evals.suites.plan import SAMPLE_DATA
from hengfa.evals.suites.registry import get_suite, suite_names

GRAM = 8
"""A passage stands in the prompt as far as its runs of so many characters do. Shorter runs, such as
the name of a court, are shared by texts that have nothing to do with each other."""


def squeeze(text: str) -> str:
    """The text without white space."""
    return "".join(text.split())


def shared_passage(response: str, reference: str, prompt: str, least: int) -> str:
    """The longest passage of `least` or more characters in response and reference, not the prompt.

    Not in the prompt means that no :data:`GRAM` characters of it are: a passage that the prompt has
    and one character more does not count. Empty if there is none. Texts come squeezed.

    Every passage of that length holds one of the places `least - GRAM`, twice that and so on of the
    reference, so only these are looked at first. That makes it some microseconds for most answers.
    """
    last = len(reference) - GRAM

    def is_shared(place: int) -> bool:
        gram = reference[place : place + GRAM]
        return gram in response and gram not in prompt

    best, step, done = "", least - GRAM + 1, -1
    for place in range(step - 1, last + 1, step):
        if place <= done or not is_shared(place):
            continue
        start = end = place
        while start - 1 > done and is_shared(start - 1):
            start -= 1
        while end < last and is_shared(end + 1):
            end += 1
        done = end
        passage = _longest_in(reference[start : end + GRAM], response)
        if len(passage) >= max(least, len(best) + 1):
            best = passage
    return best


def _longest_in(passage: str, response: str) -> str:
    """The longest part that is in the response as one piece; usually all of it."""
    if passage in response:
        return passage
    best, start = "", 0
    for end in range(1, len(passage) + 1):
        while passage[start:end] not in response:
            start += 1
        if end - start > len(best):
            best = passage[start:end]
    return best


def has_own_passage(response: str, prompt: str, least: int) -> bool:
    """Whether `least` characters in a row are not the prompt's: none of their GRAM is in it."""
    run = 0
    for place in range(len(response) - GRAM + 1):
        run = 0 if response[place : place + GRAM] in prompt else run + 1
        if run and run + GRAM - 1 >= least:
            return True
    return False


MARGIN = 0.02
"""A share must be above the usual one by more than this: below it, nothing is worth a review."""
LEAST_ANSWERS = 50
"""Of fewer answers no share is told."""
_LEVEL = 0.05


def clearly_above(count: int, n: int, others: Sequence[float], comparisons: int) -> bool:
    """Whether `count` of `n` is above the median of the others' shares by more than the margin.

    The lower end of Wilson's interval must be, with the level divided by how many comparisons are
    made, so that a long table does not have hints by its length alone.
    """
    if n < LEAST_ANSWERS:
        return False
    usual = median(others) if others else 0.0
    return wilson_low(count, n, _LEVEL / max(1, comparisons)) > usual + MARGIN


def wilson_low(count: int, n: int, level: float) -> float:
    """The lower end of Wilson's one-sided interval of a share."""
    if n == 0:
        return 0.0
    z = normal_quantile(1 - level)
    share, square = count / n, z * z
    centre = share + square / (2 * n)
    reach = z * sqrt(share * (1 - share) / n + square / (4 * n * n))
    return max(0.0, (centre - reach) / (1 + square / n))


LEAST = 20
"""Characters that a repeated passage has at least; more in tasks with longer set phrases."""
LEAST_REFERENCE = 2 * LEAST
"""How long a reference must be. A shorter one, such as a list of articles, is repeated by whoever
has the right answer."""
SET_PHRASE_SHARE = 0.01
"""How many answers may share a passage with the reference of *another* question of the task."""


class Text(NamedTuple):
    """One answered question: what was asked, what was expected, what a model wrote; squeezed."""

    sample: str
    prompt: str
    reference: str
    response: str


@dataclass(frozen=True, slots=True)
class Verbatim:
    """How many answers of a model to a task repeat their reference, and the longest that does.

    `n` counts the answers whose reference is long enough to tell. `least` is how long a passage had
    to be, `usual` the median share of the other models, None where there are none.
    """

    model: str
    task: str
    count: int
    n: int
    least: int
    usual: float | None
    sample: str
    """Where the longest passage is, and the passage; both empty if there is none."""
    passage: str
    flagged: bool

    @property
    def share(self) -> float:
        return self.count / self.n

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in (*self.__slots__, "share")}


def verbatim_answers(
    task: str, answers: Mapping[str, Sequence[Text]], comparisons: int
) -> list[Verbatim]:
    """What each model's answers to a task repeat; `comparisons` counts models times tasks in all.

    Answers of a model come in the order of the samples, which is the same for all models.
    """
    long = {
        model: [text for text in texts if len(text.reference) >= LEAST_REFERENCE]
        for model, texts in answers.items()
    }
    least = length_needed(long.values())
    passages = {
        model: [shared_passage(t.response, t.reference, t.prompt, least) for t in texts]
        for model, texts in long.items()
        if texts
    }
    counts = {model: sum(map(bool, repeated)) for model, repeated in passages.items()}
    hints: list[Verbatim] = []
    for model, repeated in passages.items():
        count, n = counts[model], len(repeated)
        others = [counts[other] / len(passages[other]) for other in passages if other != model]
        usual = median(others) if others else None
        longest = max(range(n), key=lambda place: len(repeated[place]))
        sample = long[model][longest].sample if repeated[longest] else ""
        flagged = clearly_above(count, n, others, comparisons)
        hint = Verbatim(model, task, count, n, least, usual, sample, repeated[longest], flagged)
        hints.append(hint)
    return hints


def length_needed(answers: Iterable[Sequence[Text]]) -> int:
    """How long a passage must be so that a task's set phrases do not count as repeated.

    Each answer is laid beside the reference of the next question. What they share is phrases of the
    task, not knowledge of the reference; at most :data:`SET_PHRASE_SHARE` of the answers may share
    a passage of the length that is asked for.
    """
    lengths = sorted(
        len(shared_passage(text.response, following.reference, text.prompt, LEAST))
        for texts in answers
        for text, following in pairwise(texts)
        if text.reference != following.reference
    )
    if not lengths:
        return LEAST
    return max(LEAST, lengths[int(len(lengths) * (1 - SET_PHRASE_SHARE))] + 1)


LEAST_LENGTH, LEAST_OWN = 40, 24
"""An answer counts if it has so many characters, and a passage so long that is not the prompt's.
Correcting one character of the prompt makes a passage of 15 that the prompt does not have."""
Pair: TypeAlias = tuple[str, str]
"""Two models, in order of their names."""


@dataclass(frozen=True, slots=True)
class Identical:
    """How many of the answers that count in both models are the same; `usual` is the median of the
    other pairs. `sample` names a question with the same answer, such as `2-5/17`."""

    one: str
    other: str
    count: int
    n: int
    usual: float | None
    sample: str
    flagged: bool

    @property
    def share(self) -> float:
        return self.count / self.n

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in (*self.__slots__, "share")}


class Sameness:
    """Counts equal answers task by task, so that not all texts need be in memory at once."""

    def __init__(self) -> None:
        self._both: Counter[Pair] = Counter()
        self._same: Counter[Pair] = Counter()
        self._sample: dict[Pair, str] = {}

    def add(self, task: str, answers: Mapping[str, Iterable[Text]]) -> None:
        """The answers of all models to a task; only those to the same sample are compared."""
        written: defaultdict[str, dict[str, str]] = defaultdict(dict)
        asked: dict[str, tuple[str, str]] = {}
        for model, texts in answers.items():
            for text in texts:
                if len(text.response) >= LEAST_LENGTH:
                    written[text.sample][model] = text.response
                    asked[text.sample] = (text.prompt, text.reference)
        for sample, by_model in written.items():
            self._both.update(combinations(sorted(by_model), 2))
            models_of: defaultdict[str, list[str]] = defaultdict(list)
            for model, response in by_model.items():
                models_of[response].append(model)
            for response, models in models_of.items():
                prompt, reference = asked[sample]
                if len(models) < 2 or response == reference:
                    continue
                if has_own_passage(response, prompt, LEAST_OWN):  # else both may give it by chance
                    for pair in combinations(sorted(models), 2):
                        self._same[pair] += 1
                        self._sample.setdefault(pair, f"{task}/{sample}")

    def pairs(self) -> list[Identical]:
        """All pairs of models that answered the same questions, the most alike first."""
        shares = {pair: self._same[pair] / n for pair, n in self._both.items()}
        hints = []
        for pair, n in self._both.items():
            others = [share for other, share in shares.items() if other != pair]
            usual = median(others) if others else None
            count, sample = self._same[pair], self._sample.get(pair, "")
            flagged = clearly_above(count, n, others, len(shares))
            hints.append(Identical(*pair, count, n, usual, sample, flagged))
        return sorted(hints, key=lambda hint: (-hint.share, hint.one, hint.other))


LEAST_MODELS, LEAST_TASKS = 8, 3
"""Below so many other models, or other tasks, nothing is predicted."""
FALSE_ALARMS = 0.05
"""How many flags a table may be expected to have if there is nothing in it."""

Scores = Mapping[str, Mapping[str, float]]
"""Model to task to score, as a fraction."""


@dataclass(frozen=True, slots=True)
class Unexpected:
    """One score beside its prediction; `limit` is the upper end of the interval, `t` the deviation
    in standard errors of prediction. What is above the limit is flagged."""

    model: str
    task: str
    score: float
    predicted: float
    limit: float
    t: float
    models: int
    """How many other models the prediction rests on."""

    @property
    def flagged(self) -> bool:
        return self.score > self.limit

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in (*self.__slots__, "flagged")}


def unexpected_scores(scores: Scores, of: Collection[str] | None = None) -> list[Unexpected]:
    """Every score that can be predicted, most surprising first; `of` limits whose are judged.

    The scale is the arcsine of the root, on which proportions of equal size of sample spread alike
    near 0 and near 1; without it strong models look surprising wherever most are at zero.
    """
    predictable: list[tuple[str, str, list[str]]] = []
    for model in [name for name in scores if of is None or name in of]:
        tasks = scores[model].keys()
        others = [name for name in scores if name != model and tasks <= scores[name].keys()]
        if len(others) >= LEAST_MODELS and len(tasks) > LEAST_TASKS:
            predictable += ((model, task, others) for task in tasks)
    hints = [_judge(scores, *cell, len(predictable)) for cell in predictable]
    return sorted(hints, key=lambda hint: -hint.t)


def _judge(scores: Scores, model: str, task: str, models: Sequence[str], cells: int) -> Unexpected:
    """Regress the task on the mean of the standardised other tasks, over the other models."""
    tasks = [name for name in scores[model] if name != task]
    own = _to_scale([scores[model][name] for name in tasks])
    table = np.array([_to_scale([scores[name][other] for other in tasks]) for name in models])
    target = _to_scale([scores[name][task] for name in models])
    centre, spread = table.mean(axis=0), table.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    ability = ((table - centre) / spread).mean(axis=1)
    own_ability = float(((own - centre) / spread).mean())
    middle = float(ability.mean())
    squares = float(((ability - middle) ** 2).sum())
    slope = float((ability - middle) @ target) / squares if squares > 0 else 0.0
    n = len(target)
    predicted = float(target.mean()) + slope * (own_ability - middle)
    residuals = target - target.mean() - slope * (ability - middle)
    freedom = n - 2
    leverage = 1 / n + ((own_ability - middle) ** 2 / squares if squares > 0 else 0.0)
    error = max(float(np.sqrt(residuals @ residuals / freedom * (1 + leverage))), 1e-9)
    score = scores[model][task]
    t = (float(_to_scale([score])[0]) - predicted) / error
    limit = predicted + t_quantile(1 - FALSE_ALARMS / cells, freedom) * error
    return Unexpected(model, task, score, _score(predicted), _score(limit), t, models=n)


def _to_scale(values: Sequence[float]) -> Numbers:
    scaled: Numbers = np.arcsin(np.sqrt(np.clip(np.asarray(values, dtype=np.float64), 0.0, 1.0)))
    return scaled


def _score(scaled: float) -> float:
    """Back from the scale; what is beyond its ends is 0 or 1."""
    return float(np.sin(np.clip(scaled, 0.0, np.pi / 2)) ** 2)


# --- of runs and of published models ---

CAUTION = "hints for a review of contamination, not findings of it: each may have a harmless reason"
_WRITTEN = frozenset({Status.ANSWERED, Status.TRUNCATED})
"""Responses whose text the model wrote; the others hold none, or a vendor's message."""


@dataclass(frozen=True, slots=True)
class Hints:
    """All hints about the runs of a suite in one setting, or about its published models.

    `compared` counts the models whose scores the predictions rest on, published ones included.
    """

    suite: str
    setting: str
    compared: int
    unexpected: Sequence[Unexpected]
    verbatim: Sequence[Verbatim] = ()
    identical: Sequence[Identical] = ()
    notes: Sequence[str] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "suite": self.suite,
            "setting": self.setting,
            "caution": CAUTION,
            "models_compared": self.compared,
            "unexpected_scores": [hint.as_json() for hint in self.unexpected],
            "verbatim_answers": [hint.as_json() for hint in self.verbatim],
            "identical_answers": [hint.as_json() for hint in self.identical],
            "notes": list(self.notes),
        }


def published_hints(suite: str, setting: str | None = None) -> list[Hints]:
    """Unexpected scores among the published models of a suite, setting by setting."""
    rows = published(suite, setting)
    if not any(row.tasks for row in rows):
        raise UsageError(f"there are no published scores by task of {suite}")
    all_hints = []
    for name in dict.fromkeys(row.setting for row in rows):
        scores = {row.title: row.tasks for row in rows if row.setting == name and row.tasks}
        all_hints.append(_of_scores(suite, name, scores, None))
    return all_hints


def run_hints(
    places: Iterable[Path], *, with_published: bool = True, notify: Notify = quiet
) -> list[Hints]:
    """Hints about runs, by suite and setting; a place is a run folder, that of its scores by one
    grader, or holds several runs. Of a run with several graders the first is taken.

    Published models stand beside runs of the same suite and setting as models to predict from,
    except the run's own namesake, under the official rules, by which they were scored.
    """
    groups: dict[tuple[str, str], dict[Path, Manifest]] = {}
    for folder in dict.fromkeys(_folders(places, notify)):
        manifest = read_manifest(folder)
        if manifest.model in NAMES:
            notify(f"passed over, a built-in model: {folder}")
        elif manifest.suite not in suite_names():
            notify(f"passed over, a run of {manifest.suite!r}, which is no suite here: {folder}")
        else:
            groups.setdefault((manifest.suite, manifest.setting), {})[folder] = manifest
    all_hints = []
    for (suite, setting), folders in groups.items():
        times = Counter(manifest.model for manifest in folders.values())
        named = {  # by its model; by its folder too where two runs are of one model
            model if times[model] == 1 else f"{model} ({run_of(folder).name})": folder
            for folder, model in ((folder, of.model) for folder, of in folders.items())
        }
        entries = {
            entry.folder: entry.tasks
            for parent in dict.fromkeys(run_of(folder).parent for folder in named.values())
            for entry in run_entries(get_suite(suite), parent, setting, Rules.OFFICIAL, notify)
        }
        scores = {label: entries[of] for label, of in named.items() if of in entries}
        judged = set(scores)
        sources = {manifest.data_source for manifest in folders.values()}
        # no paper has the questions of the sample pack
        if with_published and SAMPLE_DATA not in sources:
            ours = {manifest.model for manifest in folders.values()}
            for row in published(suite, setting):
                if row.tasks and row.model not in ours and row.title not in scores:
                    scores[row.title] = row.tasks
        verbatim, identical = _of_texts(suite, named)
        hints = _of_scores(suite, setting, scores, judged)
        all_hints.append(replace(hints, verbatim=verbatim, identical=identical))
    return all_hints


def _of_scores(suite: str, setting: str, scores: Scores, judged: set[str] | None) -> Hints:
    unexpected = unexpected_scores(scores, judged)
    too_few = (
        f"no score was predicted: that takes {LEAST_TASKS} other tasks, and {LEAST_MODELS} other "
        f"models with the same tasks; there are {max(0, len(scores) - 1)} other models"
    )
    return Hints(suite, setting, len(scores), unexpected, notes=() if unexpected else (too_few,))


def _folders(places: Iterable[Path], notify: Notify) -> Iterator[Path]:
    """Where the scores of these runs are."""
    for place in places:
        is_run = (run_of(place) / MANIFEST).is_file()
        runs = [place] if is_run else [place / run.name for run in list_runs(place, notify)]
        if not runs:
            raise UsageError(f"{place} is not a run and holds none")
        yield from (scored_folders(run)[0] for run in runs)


def _of_texts(suite: str, named: Mapping[str, Path]) -> tuple[list[Verbatim], list[Identical]]:
    """One task at a time, so that half a million texts need not be in memory at once."""
    files = {
        (label, task): file
        for label, folder in named.items()
        for task in get_suite(suite).tasks
        if (file := responses_file(folder, task, Rules.OFFICIAL)).is_file()
    }
    verbatim: list[Verbatim] = []
    sameness = Sameness()
    for task in dict.fromkeys(task for _, task in files):
        texts: dict[str, str] = {}
        of_task = {label: file for (label, name), file in files.items() if name == task}
        answers = {label: _texts(file, texts) for label, file in of_task.items()}
        verbatim += verbatim_answers(task, answers, len(files))
        sameness.add(task, answers)
    return sorted(verbatim, key=lambda hint: -hint.share), sameness.pairs()


def _texts(file: Path, texts: dict[str, str]) -> list[Text]:
    """What was written, in the order of the samples, without white space. What models were asked is
    the same for all of them: each of `texts` is in memory once."""
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    columns = ["sample", "prompt", "reference", "response", "status"]
    frame = read_responses([file], columns, pl.col("repeat") == 1)

    def once(text: str | None) -> str:
        text = squeeze(text or "")
        return texts.setdefault(text, text)

    return [
        Text(texts.setdefault(sample, sample), once(prompt), once(reference), squeeze(response))
        for sample, prompt, reference, response, status in frame.sort("sample").iter_rows()
        if response and status in _WRITTEN
    ]

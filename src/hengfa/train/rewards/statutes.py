"""Provisions of a law library to train on: recite them, locate them, tell two wordings apart, put a
wrong citation right.

Questions and rewards are CLaw's own where it has them. What is held out is held out as
`hengfa suite claw training` does it, by a digest of the law's name (or of the law and the article),
and a provision that stays in is left out where one that is held out says the same or nearly so
(`text/copies.py`): laws copy each other, and one law goes on under another name.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal, NamedTuple, TypeAlias

from hengfa.evals.suites.claw import twins
from hengfa.evals.suites.claw.clean import normalise
from hengfa.evals.suites.claw.dataset import UNIQUE_TEXT, ClawSample, is_held_out, load, title_of
from hengfa.evals.suites.claw.suite import CONTENT
from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_positions import format_citation, format_position
from hengfa.law.text.copies import Copies
from hengfa.train.rewards.final_answer import HOW, MadeSample, Question, made_task, show_day

By: TypeAlias = Literal["law", "article"]
"""What is held out as a whole."""

TWINS: Final = replace(
    CONTENT,
    id="twins",
    title="新旧条文",
    title_en="Which wording: the provision as it read in this version, not in another",
    metric=twins.OWN,
)
"""CLaw's `content`, in its setting `twins`, judged by whose wording was recited."""

FEWEST: Final = 4
"""A provision of so few runs of its own is given away, too, by half of them."""


class Divided(NamedTuple):
    """Provisions to train on, those held out, and how many are neither."""

    train: list[ClawSample]
    held_out: list[ClawSample]
    left_out: int


def divided(
    samples: Sequence[ClawSample], every: Sequence[ClawSample], share: float, by: By
) -> Divided:
    """What is held out of some provisions, and of the rest what gives none away of `every` one that
    is held out, whether there is a question on it here or not."""
    held: list[ClawSample] = []
    rest: list[ClawSample] = []
    for sample in samples:
        (held if is_held_out(_name(sample, by), share) else rest).append(sample)
    copies = Copies([_wordings(sample) for sample in rest])
    secret = [sample.text for sample in every if is_held_out(_name(sample, by), share)]
    near = {document for _, document in copies.find(secret, least_own=FEWEST)}
    train = [sample for number, sample in enumerate(rest) if number not in near]
    return Divided(train, held, len(near))


def _wordings(sample: ClawSample) -> list[str]:
    """All that an answer key has of a provision: other versions of it, too."""
    beside = [twin.text for twin in (sample.earlier, sample.later) if twin is not None]
    return [sample.text, *beside, *filter(None, [sample.in_force_text])]


def _name(sample: ClawSample, by: By) -> str:
    if by == "law":
        return sample.law
    article = Position(sample.position.article, sample.position.article_sub)
    return f"{sample.law}/{format_position(article, 'dotted')}"


# --- wrong citations ---

SHORTEST, LONGEST = 15, 300
"""Characters of a provision that is quoted: fewer say too little, more too much."""
NEAR: Final = 3
"""A wrong number is mostly that of a neighbour."""

_SENTENCES: Final = (
    "本院认为，依照{day}公布的{cited}的规定，“{text}”，原告的这项主张应当按此审查。",
    "我方的意见是：{day}公布的{cited}写明，“{text}”，合同的这一条与之不符。",
    "请注意，“{text}”，这是{day}公布的{cited}的原文，内部制度应当照此修改。",
    "答辩人认为，本案适用{day}公布的{cited}：“{text}”。",
)
_TASK: Final = (
    "下面这句话引用的法律条文文字无误，但出处写错了：法律名称不对，或者条、款、项不对。\n\n"
    "{sentence}\n\n这段条文的正确出处是什么？{how}"
)


def wrong_citations(samples: Sequence[ClawSample], seed: int) -> list[MadeSample]:
    """A sentence with a wrong citation of each provision that can be told by its words alone."""
    dice = random.Random(f"citation_repair {seed}")
    laws: defaultdict[str, set[str]] = defaultdict(set)
    versions: defaultdict[tuple[str, str], list[Position]] = defaultdict(list)
    for sample in samples:
        laws[normalise(sample.text)].add(sample.law)
        versions[sample.law, sample.version.isoformat()].append(sample.position)
    titles = sorted({title_of(sample) for sample in samples})
    made: list[MadeSample] = []
    for sample in samples:
        alone = not sample.same and len(laws[normalise(sample.text)]) == 1
        if not alone or not SHORTEST <= len(sample.text) <= LONGEST:
            continue
        places = versions[sample.law, sample.version.isoformat()]
        wrong = _wrong(sample, places, titles, dice)
        if wrong is not None:
            made.append(_repair(sample, wrong, dice))
    return made


def _wrong(
    sample: ClawSample, places: Sequence[Position], titles: Sequence[str], dice: random.Random
) -> str | None:
    """Another place of the same version, or the same place of another law."""
    at = places.index(sample.position)
    around = [place for place in places[max(0, at - NEAR) : at + NEAR + 1]
              if _accepted(place) != _accepted(sample.position)]  # fmt: skip
    others = [title for title in titles if title != title_of(sample)]
    if around and (not others or dice.random() < 0.75):
        return format_citation(title_of(sample), dice.choice(around))
    return format_citation(dice.choice(others), sample.position) if others else None


def _repair(sample: ClawSample, wrong: str, dice: random.Random) -> MadeSample:
    text = "".join(sample.text.split()).rstrip("。；：")
    sentence = dice.choice(_SENTENCES).format(day=show_day(sample.version), cited=wrong, text=text)
    how = HOW.format(example="《某某法》第三条第二款第（一）项")
    right = tuple(format_citation(title_of(sample), at) for at in _accepted(sample.position))
    question = Question(_TASK.format(sentence=sentence, how=how), "citation", right)
    return question.sample(sample.id)


def _accepted(place: Position) -> tuple[Position, ...]:
    """The place; in an article of one paragraph its first, too."""
    if place.paragraph is None and place.item is None:
        return place, Position(place.article, place.article_sub, 1)
    return (place,)


CITATION_REPAIR: Final = made_task(
    "citation_repair",
    "引注更正",
    "Put a wrong citation right",
    lambda root, _, options: wrong_citations(load("content", root, UNIQUE_TEXT, options), 0),
)

"""What released answers tell of a provision without quotation marks, and whether it says so.

`told_labels.jsonl` has one line for each of 358 citations in the LawBench consultation answers
(task 3-8), which are not in this repository: where the citation and the told words stand, and what
a reader who compared both with the provision found, by the law in force on :data:`DAY`:

* like: the provision says so; a part, a summary and slips that leave the rule alone are like it;
* slip: it speaks of that, but a decisive number, person, condition or consequence is wrong;
* unlike: another rule, mostly that of another article or of none;
* nothing told: the sentence uses the provision and does not say what is in it;
* unsure: a reader could not tell, as where one sentence is right and the next invented.

``true_law`` and ``true_position`` are the provision that is nearest to what is told, if the reader
knew one, ``older`` is the day of a former version in which the cited number had those words, and
``now`` the label by the law of 2026 where it is another one.

The draw "random" is at most 38 citations of a model that exist, eight of them of repealed laws, one
of an answer; "doubtful" is another 72 whose next sentence has 25 to 85 % of its bigrams in common
with the provision: few of those drawn at random are there, and thresholds are decided there.
Thresholds are chosen on the half "choose" and judged on the half "judge".
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from hengfa.base.data.jsonfile import read_lines

DAY: Final = date(2023, 10, 1)
"""The answers were released in that autumn, and give no day."""

LABELS: Final = Path(__file__).with_name("told_labels.jsonl")


class Label(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line: a citation at ``start`` to ``end`` of an answer, and the words told of it."""

    file: str
    sample: str
    start: int
    end: int
    sha256: str
    law: str
    position: str
    label: Literal["like", "slip", "unlike", "nothing told", "unsure"]
    draw: Literal["random", "doubtful"]
    half: Literal["choose", "judge"]
    told_start: int | None = None
    told_end: int | None = None
    true_law: str | None = None
    true_position: str | None = None
    older: date | None = None
    now: Literal["unlike"] | None = None


@dataclass(frozen=True)
class Labelled:
    """A label and the answer that it is of."""

    label: Label
    text: str

    @property
    def cited(self) -> str:
        return self.text[self.label.start : self.label.end]

    @property
    def told(self) -> str:
        return self.text[self.label.told_start or 0 : self.label.told_end or 0]

    @property
    def digest(self) -> str:
        """Of the words that the label speaks of: the archive is still the one that was read."""
        return sha256((self.cited + self.told).encode()).hexdigest()[:12]


def read_labels() -> list[Label]:
    return [label for _, label in read_lines(LABELS, Label)]


def labelled_answers(shared: Path) -> Iterator[Labelled]:
    """Every label with its answer, from the archive of released predictions."""
    labels = read_labels()
    files = {label.file for label in labels}
    answers: dict[str, Any] = {}
    with tarfile.open(shared / "data" / "LawBench" / "predictions" / "dev.tar.xz") as archive:
        for member in archive:
            if member.name in files and (stream := archive.extractfile(member)):
                answers[member.name] = json.load(stream)
    for label in labels:
        yield Labelled(label, answers[label.file][label.sample]["prediction"])

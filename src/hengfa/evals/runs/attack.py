"""Asking one grader about variants of submissions: attacked ones, and those of the probes.

runs/attack-samples/
  grades/deepseek_deepseek-chat/      as in any graded run: who was asked and how, every reply
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from hengfa.evals.engine.journal import newest_entries
from hengfa.evals.grading.attacks import AGAIN, CLEAN, Attack, attacked
from hengfa.evals.grading.grader import sheet_from
from hengfa.evals.grading.marking import mark
from hengfa.evals.grading.marks import Mark
from hengfa.evals.grading.submission import Submission
from hengfa.evals.runs.costs import Estimate
from hengfa.evals.runs.estimate import estimate_grading
from hengfa.evals.runs.folder import GRADES, JOURNAL, safe_name
from hengfa.evals.runs.grading import GraderChoice, grade_submissions
from hengfa.evals.runs.sitting import Notify, quiet


def attack_variants(
    submissions: Iterable[Submission], attacks: Sequence[Attack]
) -> list[Submission]:
    """Each submission as it is, twice, and under every attack.

    The second asking says how far marks move by themselves: no attack is worse than that noise.
    """
    return [
        variant
        for submission in submissions
        for variant in (
            msgspec.structs.replace(submission, key=f"{submission.key}/{CLEAN}"),
            msgspec.structs.replace(submission, key=f"{submission.key}/{AGAIN}"),
            *(attacked(submission, attack) for attack in attacks),
        )
    ]


def mark_variants(
    folder: Path, variants: Sequence[Submission], choice: GraderChoice, notify: Notify = quiet
) -> dict[str, Mark]:
    """The mark of every variant by its key; asks only what the journal does not know."""
    grade_submissions(folder, variants, choice, notify)
    journal = folder / GRADES / safe_name(choice.name) / JOURNAL
    replies = {entry.key: entry.response for entry in newest_entries(journal)}
    return {
        variant.key: mark(variant, sheet_from(choice.name, variant, replies.get))
        for variant in variants
    }


def estimate_variants(
    kind: str, folder: Path, variants: Sequence[Submission], choice: GraderChoice
) -> Estimate:
    """What asking would take, without what the journal knows."""
    return estimate_grading({kind: len(variants)}, folder, variants, [choice])

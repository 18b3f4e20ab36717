"""The kinds of which guiding cases are: the branch of law, and how their question was made.

Every case is asked about once, so that no sample depends on another.
"""

from __future__ import annotations

import re
from typing import Final

from hengfa.suites.claw_cases.dataset import CaseSample

# The branch at the head of the keywords: 民事 in "民事居间合同 违约", also without a blank after
# it; not 合同 in "合同 违约".
_BRANCH: Final = re.compile(r"\s*(民事|刑事|行政|执行|国家赔偿|海事|知识产权)")
OTHER: Final = "other"


def facets_of(sample: CaseSample) -> dict[str, str]:
    """`branch` and `question`."""
    branch = _BRANCH.match(sample.case.keywords)
    return {"branch": branch[1] if branch else OTHER, "question": sample.question.rule}

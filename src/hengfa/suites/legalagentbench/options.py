"""What can be chosen with `--set NAME=VALUE`."""

from __future__ import annotations

from collections.abc import Mapping

from hengfa.suites.base import SuiteOption
from hengfa.suites.claw import options as claw
from hengfa.suites.legalagentbench.agent_options import AGENT_OPTIONS

BERTSCORE = claw.BERTSCORE

OPTIONS: Mapping[str, SuiteOption] = {
    BERTSCORE: SuiteOption(
        "",
        "the folder of a BERT model: adds the metric `bertscore`, of the answer against the "
        "reference (extra `bertscore`)",
        claw.OPTIONS[claw.BERTSCORE].check,
    ),
    **AGENT_OPTIONS,
}

"""What benchmarks share: where real data are (in HENGFA_SHARED or next to the checkout, as for the
tests), and a quick way through each of them."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from hengfa.evals.suites.plan import SAMPLE_DATA, data_folder
from hengfa.evals.suites.registry import get_suite


def read_arguments(parser: argparse.ArgumentParser, quick: str = "") -> argparse.Namespace:
    """What the command line says; `--quick` stands for arguments with which a benchmark is done in
    seconds, and its figures mean nothing. There are none where it is so anyway."""
    parser.add_argument(
        "--quick", action="store_true", help=f"to see that it works: {quick or '-'}"
    )
    more = quick.split() if "--quick" in sys.argv else []
    return parser.parse_args([*sys.argv[1:], *more])


def shared_folder() -> Path:
    """The folder that holds `data` and `reference`; where it is absent, the end with status 2."""
    named = os.environ.get("HENGFA_SHARED")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "data").is_dir():
        print(
            f"no shared data: {folder / 'data'} is not a folder; set HENGFA_SHARED or put it next"
            " to the checkout",
            file=sys.stderr,
        )
        sys.exit(2)
    return folder.resolve()


def suite_data(suite: str, shared: Path | None) -> Path:
    """The data of a suite in the shared folder, where that is given and has it as it came; else in
    the sample pack."""
    folders = {"lawbench": "LawBench", "legalagentbench": "LegalAgentBench", "judgment": "JuDGE"}
    if shared is None or suite not in folders:
        return data_folder(get_suite(suite), SAMPLE_DATA)
    return shared / "data" / folders[suite]

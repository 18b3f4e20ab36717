"""How well and how fast provisions are found: facts of crimes, questions of laypeople.

    python benchmarks/retrieval.py table       the measured table (judgment.md 12), again
    python benchmarks/retrieval.py facts       the best fusion on the 501 test facts, chosen nested
    python benchmarks/retrieval.py facts --dense FILE.npz
                                               what the scores of a trained encoder add to it
    python benchmarks/retrieval.py questions   STARD's questions over 58,908 national articles
    python benchmarks/retrieval.py speed       build time, queries per second, memory, beside bm25s

Nothing is measured on what it was fitted on or chosen by; seeds are printed. FILE.npz is what
examples/train_law_retriever.py leaves beside its figures.

Needs the shared data (HENGFA_SHARED, or next to the checkout) and hengfa[bench].
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from shared_data import read_arguments


def main() -> None:
    # The products inside liblinear are small: threads would wait for each other and burn CPU.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("table", "facts", "questions", "speed"))
    parser.add_argument("--dense", type=Path, metavar="FILE.npz", help="with facts")
    arguments = read_arguments(parser, quick="table")
    if arguments.dense and arguments.what != "facts":
        parser.error("--dense goes with facts")
    if arguments.what == "table":
        from retrieval_experiments.table import print_table

        print_table()
    elif arguments.dense:
        from retrieval_experiments.dense import print_dense

        print_dense(arguments.dense)
    elif arguments.what == "facts":
        from retrieval_experiments.facts import print_facts

        print_facts()
    elif arguments.what == "questions":
        from retrieval_experiments.questions import print_questions

        print_questions()
    else:
        from retrieval_experiments.speed import print_speed

        print_speed()


if __name__ == "__main__":
    main()

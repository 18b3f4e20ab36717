"""Upstream's `data/test.json`, which is JSON lines, to samples (judgment.md 1).

Here too: what can be chosen with `--set NAME=VALUE`, and the kinds of which judgments are. No two
samples share a case.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Final

import msgspec

from hengfa.base.data.jsonfile import read_lines
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.suites import base
from hengfa.evals.suites.base import Chosen
from hengfa.law.grammar.judgment.document import Judgment
from hengfa.law.grammar.judgment.parse import parse_judgment
from hengfa.law.grammar.numerals import MAX_ARTICLE

NAME: Final = "judgment"
PACK: Final = "judge"
TASK: Final = "document"
DIRECT, FEW_SHOT, RAG = SETTINGS = ("direct", "few-shot", "rag")
"""How a judgment is asked for: the facts alone, with an example, with statutes and cases."""

_VERSION, _BERTSCORE, _EXAMPLES = "version", "bertscore", "examples"
HEAD, LEGACY = "head", "legacy"
OWN_FOLDS: Final = "folds"
NEAR: Final = "near"
TEST_FILE: Final = Path("data", "test.json")
_MOST: Final = 100  # more provisions or judgments than this are no prompt


_count: Final = base.number_to(_MOST)


def _pairs(value: str) -> str:
    if value and not int(_count(value)):
        raise ValueError("show at least one pair")
    return value and _count(value)


def _pick(value: str) -> str:
    if value != NEAR and not (value.isascii() and value.isdigit() and len(value) < 20):
        raise ValueError(f"{value!r} is neither a number nor {NEAR}")
    return value


OPTIONS: Final = base.read_options(
    Path(__file__).with_name("options.toml"),
    {
        _VERSION: base.one_of(HEAD, LEGACY),
        _BERTSCORE: base.bert_model,
        "cases": lambda value: value if value == OWN_FOLDS else base.file_path(value),
        _EXAMPLES: _pairs,
        "pick": _pick,
        "law_index": base.index_folder,
        "case_index": base.index_folder,
        "provisions": _count,
        "related": _count,
    },
)


class AskedWith(msgspec.Struct, frozen=True):
    """From where and how much a prompt takes besides the facts."""

    root: str
    cases: str
    provisions: int
    related: int
    examples: int = 0
    pick: str = "0"
    law_index: str = ""
    case_index: str = ""


class JudgmentSample(msgspec.Struct, frozen=True):
    """One case: `fact` is asked with, `document` is the court's judgment. `articles` are the labels
    of the data: every article of the Criminal Law that the document cites anywhere. The published
    evaluator does not use them; it reads its own out of the document. `asked_with` says what a
    prompt with examples or provisions is made of."""

    id: str
    fact: str
    document: str
    articles: tuple[int, ...]
    method: str = DIRECT
    version: str = HEAD
    bertscore: str = ""
    asked_with: AskedWith | None = None


ArticleNumber = Annotated[int, msgspec.Meta(ge=1, le=MAX_ARTICLE)]
"""What an article of the Criminal Law can be numbered, as data names it."""


class Row(msgspec.Struct, frozen=True):
    """One case as upstream writes it; `la` are the articles that the document cites anywhere."""

    text_id: str
    text: str
    la: tuple[ArticleNumber, ...]
    fd: str

    def sample(self) -> JudgmentSample:
        return JudgmentSample(self.text_id, self.text, self.fd, self.la)


def load(root: Path, setting: str, options: Chosen) -> list[JudgmentSample]:
    """All cases in the order of the file."""
    if setting not in SETTINGS:
        raise UsageError(f"judgment has no setting {setting!r}; there is: {', '.join(SETTINGS)}")
    chosen = {
        "method": setting,
        "version": options.get(_VERSION, HEAD),
        "bertscore": options.get(_BERTSCORE, ""),
        "asked_with": asked_with(root, options),
    }
    return [msgspec.structs.replace(sample, **chosen) for sample in all_samples(root)]


def asked_with(root: Path, options: Chosen) -> AskedWith:
    """What prompts are made of, as options say it."""
    chosen = {name: options.get(name, option.default) for name, option in OPTIONS.items()}
    values = {"root": str(root), **chosen, _EXAMPLES: chosen[_EXAMPLES] or "0"}
    return msgspec.convert(values, AskedWith, strict=False)


def all_samples(root: Path) -> tuple[JudgmentSample, ...]:
    """Every case of a pack."""
    return samples_in(root / TEST_FILE)


def samples_in(file: Path) -> tuple[JudgmentSample, ...]:
    """Every case of a file; an unchanged one is read once."""
    with disk_errors(file):
        return _read_samples(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _read_samples(file: Path, _changed: int) -> tuple[JudgmentSample, ...]:
    samples: dict[str, JudgmentSample] = {}
    for number, row in read_lines(file, Row):
        for field in ("text_id", "text", "fd"):
            if not getattr(row, field).strip():
                raise DataError("is blank", file=file, row=number, field=field)
        if row.text_id in samples:
            problem = f"the id {row.text_id} is there twice"
            raise DataError(problem, file=file, row=number, field="text_id")
        samples[row.text_id] = row.sample()
    if not samples:
        raise DataError("there is no case in this file", file=file)
    return tuple(samples.values())


def structure_of(sample: JudgmentSample) -> Judgment:
    """The structure of the court's document, which comes again and again."""
    return _parsed(sample.document)


_parsed = lru_cache(maxsize=2048)(parse_judgment)


def facets_of(sample: JudgmentSample) -> dict[str, str]:
    """Crime, number of defendants and kind of sentence, as the court's document has them."""
    court = structure_of(sample)
    charges, people = court.charges, court.defendants
    combined = any(person.executed is not None for person in people)
    kinds = {str(person.final.kind) for person in people if person.final is not None}
    return {
        "crime": charges[0] if len(charges) == 1 else "several" if charges else "none",
        "defendants": str(len(people)) if len(people) < 3 else "3 or more",
        "sentence": "combined" if combined else "/".join(sorted(kinds)) or "none",
    }

"""The data of train_law_retriever.py: texts to pre-train on, facts with articles, the articles.

Read with the standard library alone, so that the training runs on a machine that has torch and
little else. What is too close to a fact of the test set is left out of everything that is learnt.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hengfa.law.grammar.numerals import parse_article
from hengfa.train.recipes.retrievers import LabelledQuery

GENERAL_PART = frozenset(str(number) for number in range(1, 102))
"""Articles on all crimes (attempt, surrender, fines …). The labels of CAIL do not list them."""

# The number of an article, of any law: 第二百六十四条, 第133条之一; not 第二款, not 三条.
ARTICLE_NUMBER = re.compile(r"第[零〇一二三四五六七八九十百千\d]+条(?:之[一二三四五六七八九十]+)?")
PIECE = 24
"""Two texts are compared by pieces of so many characters."""

TEXTS = (
    ("corpora/statutes_cn/national.jsonl.gz", ("text",)),
    ("corpora/statutes_cn/criminal_law_2024.jsonl.gz", ("text",)),
    ("corpora/cail2018_sample/cases.jsonl.gz", ("fact",)),
    ("corpora/lecard/v1_queries.jsonl.gz", ("q",)),
    ("corpora/lecard/v2_queries.jsonl.gz", ("query",)),
    ("corpora/criminal_docs/caseformer_demo.jsonl.gz", ("fact", "reason", "result")),
    ("guiding_cases/cases.jsonl", ("facts", "result", "reasoning")),
)
"""What the encoder reads before it is trained; files that are not there are passed over."""
NEEDED = (
    *(name for name, _ in TEXTS[:3]),
    "JuDGE/data/test.json",
    "JuDGE/data/law_corpus.jsonl",
    "JuDGE/data/qrels_file_train",
)


@dataclass(frozen=True)
class LawData:
    """Everything the training reads."""

    texts: list[str]
    articles: dict[str, str]
    cail: list[LabelledQuery]
    judge: list[LabelledQuery]
    frequency: dict[str, int]
    refused: int
    """Texts left out because they are too close to a fact of the test set."""


def load(folder: Path, *, few: bool = False) -> LawData:
    """From a folder that holds `JuDGE` and `corpora`, or has them in `data`."""
    root = folder / "data" if (folder / "data").is_dir() else folder
    missing = [name for name in NEEDED if not (root / name).is_file()]
    if missing:
        raise SystemExit(f"{root} lacks {', '.join(missing)}")
    judge = [
        LabelledQuery(row["text_id"], row["text"].strip(), frozenset(map(str, row["la"])))
        for row in _rows(root / "JuDGE/data/test.json")
    ]
    articles = _articles(root)
    cail = [
        LabelledQuery(f"cail-{number}", row["fact"], labels, GENERAL_PART - labels)
        for number, row in enumerate(_rows(root / "corpora/cail2018_sample/cases.jsonl.gz"))
        if (labels := frozenset(map(str, row["articles"])) & articles.keys())
    ]
    texts = list(_texts(root))
    if few:
        judge, cail = judge[:12], cail[:12]
        texts = list(dict.fromkeys((*texts[:40], *(query.text for query in cail))))
    near = Closeness(query.text for query in judge)
    kept_cail = [query for query in cail if not near.too_close(query.text)]
    kept_texts = [text for text in texts if not near.too_close(text)]
    frequency = Counter(
        line.split()[2] for line in (root / "JuDGE/data/qrels_file_train").read_text().splitlines()
    )
    return LawData(
        kept_texts,
        articles,
        kept_cail,
        judge,
        dict(frequency),
        len(texts) - len(kept_texts),
    )


def masked(query: LabelledQuery) -> LabelledQuery:
    """The query without the numbers of articles that its text cites: they give the labels away."""
    return replace(query, text=ARTICLE_NUMBER.sub("第某条", query.text))


class Closeness:
    """Tells texts that repeat one of those given: more than a third of their pieces stand there."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._pieces = {
            squeezed[start : start + PIECE]
            for text in texts
            for squeezed in ["".join(text.split())]
            for start in range(max(1, len(squeezed) - PIECE + 1))
        }

    def too_close(self, text: str) -> bool:
        squeezed = "".join(text.split())
        pieces = [squeezed[start : start + PIECE] for start in range(0, len(squeezed), PIECE)]
        return sum(piece in self._pieces for piece in pieces) > len(pieces) / 3


def _articles(root: Path) -> dict[str, str]:
    """The 452 articles; those numbered 之一 are added to the article whose number they bear.

    The labels know whole numbers only: dangerous driving, 133 之一, is labelled 133.
    """
    articles = {row["text_id"]: row["text"] for row in _rows(root / "JuDGE/data/law_corpus.jsonl")}
    for row in _rows(root / "corpora/statutes_cn/criminal_law_2024.jsonl.gz"):
        number = parse_article(row["article"])
        if number is not None and number.sub and str(number.number) in articles:
            articles[str(number.number)] += row["text"]
    return articles


def _texts(root: Path) -> Iterator[str]:
    for name, fields in TEXTS:
        if (root / name).is_file():
            for row in _rows(root / name):
                yield from (row[field] for field in fields if row.get(field))


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    for line in content.decode("utf-8").splitlines():
        if line.strip():
            yield json.loads(line)

"""examples/train_law_retriever.py from end to end, on a few fictional rows and a tiny model."""

from __future__ import annotations

import gzip
import json
import runpy
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import REPOSITORY
from tests.train.recipes.tiny_models import ARTICLES, FACTS, needs_torch, one_thread

__all__ = ["one_thread"]  # used by every test here
EXAMPLES = REPOSITORY / "examples"
FILE = EXAMPLES / "train_law_retriever.py"


def write(file: Path, rows: Iterable[Mapping[str, object]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    file.write_bytes(gzip.compress(content) if file.suffix == ".gz" else content)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The folders of the real data, with a country's law that does not exist."""
    root = tmp_path / "shared" / "data"
    statutes = [
        {"article": "第一条之一", "text": "渡船夜航的，处拘役。"},
        *({"article": f"第{name}条", "text": text} for name, text in ARTICLES.items()),
    ]
    write(root / "corpora/statutes_cn/national.jsonl.gz", statutes)
    write(root / "corpora/statutes_cn/criminal_law_2024.jsonl.gz", statutes)
    cases = [
        {"fact": f"在{number}号码头，{fact.text}", "articles": sorted(map(int, fact.relevant))}
        for number, fact in enumerate(FACTS)
    ]
    # The last repeats a fact of the test set and must not be learnt.
    copy = {"fact": FACTS[0].text * 3, "articles": [1]}
    write(root / "corpora/cail2018_sample/cases.jsonl.gz", [*cases, copy])
    judge = [
        {"text_id": fact.id, "text": f" {fact.text * 3}", "la": sorted(map(int, fact.relevant))}
        for fact in FACTS
    ]
    write(root / "JuDGE/data/test.json", judge)
    laws = [{"text_id": name, "text": text} for name, text in ARTICLES.items()]
    write(root / "JuDGE/data/law_corpus.jsonl", laws)
    (root / "JuDGE/data/qrels_file_train").write_text("x 0 6 1\nx 0 1 1\ny 0 6 1\n")
    return tmp_path / "shared"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    monkeypatch.setattr(sys, "argv", [str(FILE), *map(str, arguments)])
    runpy.run_path(str(FILE), run_name="__main__")


@needs_torch
def test_the_whole_way_and_on_from_kept_models(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, work = tmp_path / "results.json", tmp_path / "models"
    run(monkeypatch, "--data", data, "--smoke", "--work", work, "--until", "cail")
    assert "CAIL: " in capsys.readouterr().out
    run(monkeypatch, "--data", data, "--smoke", "--work", work, "--out", out, "--nested")
    assert "pre-training" not in capsys.readouterr().out
    done = json.loads(out.read_text("utf-8"))
    assert done["refused_texts"] == 1
    # The constant ranking is 6, 1, then the rest by id, as text, descending: 5, 4, 3, 2.
    expected = (1 + 1 / 6 + 1 + 1 / 4 + 1 / 3) / 5
    assert done["rows"]["frequency"]["MRR@100"] == pytest.approx(expected)
    assert "inner dense" not in done["rows"]
    with np.load(out.with_suffix(".npz"), allow_pickle=False) as kept:
        planes, part = kept["inner dense"], kept["fold"]
        assert planes.shape == (3, len(FACTS), len(ARTICLES))
        assert sorted(set(part.tolist())) == [0, 1, 2]
        # Of a part, its own plane says nothing; what it says of the others are shares of one.
        for one in range(3):
            assert not planes[one][part == one].any()
            assert planes[one][part != one].sum(axis=1) == pytest.approx(1)


def loaded(name: str) -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


def test_article_numbers_are_masked_and_other_numbers_stay() -> None:
    number = loaded("law_retriever_data")["ARTICLE_NUMBER"]
    masked = number.sub("第某条", "依《渔法》第二百六十四条、第133条之一第二款，三条鱼，第3次")
    assert masked == "依《渔法》第某条、第某条第二款，三条鱼，第3次"


def test_added_articles_join_their_number_and_copies_are_refused(data: Path) -> None:
    found = loaded("law_retriever_data")["load"](data)
    assert found.articles["1"] == ARTICLES["1"] + "渡船夜航的，处拘役。"
    assert len(found.cail) == 5
    assert found.cail[0].unjudged >= {"2", "101"}
    assert not found.cail[0].unjudged & found.cail[0].relevant
    assert found.frequency == {"6": 2, "1": 1}


def test_missing_data_are_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"lacks .*test\.json"):
        loaded("law_retriever_data")["load"](tmp_path)

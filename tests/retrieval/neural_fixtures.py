"""A tiny encoder and fictional cases for the tests of neural retrieval."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from hengfa.retrieval.neural.examples import LabelledQuery
from hengfa.retrieval.neural.pretraining import Shape, new_encoder
from hengfa.retrieval.neural.tokenizer import build_vocabulary, make_tokenizer

needs_torch = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("transformers") is None,
    reason="the extra 'train' (torch, transformers) is not installed",
)


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Models this small gain nothing from a second thread, and lose much on a busy machine."""
    if find_spec("torch") is None:
        yield
        return
    torch = import_module("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


ARTICLES = {
    "1": "渡船未经检查而出航的，处拘役。",
    "2": "风筝越过灯塔的，处罚金。",
    "3": "偷取蜂蜜的，处三年以下有期徒刑。",
    "4": "伪造鱼票的，处五年以下有期徒刑。",
    "5": "夜间敲钟扰民的，处管制。",
    "6": "自首的，可以从轻处罚。",
}
FACTS = [
    LabelledQuery("a", "被告人甲驾渡船出航，船底未检查。", frozenset({"1", "6"})),
    LabelledQuery("b", "被告人乙放风筝，线断，风筝飞过灯塔。", frozenset({"2"})),
    LabelledQuery("c", "被告人丙夜入蜂场，取走蜂蜜三桶。", frozenset({"3", "6"})),
    LabelledQuery("d", "被告人丁印制假鱼票二百张。", frozenset({"4"})),
    LabelledQuery("e", "被告人戊连夜敲钟，邻人不得眠。", frozenset({"5"})),
]
TINY = Shape(layers=2, width=32, heads=2, longest=64)


def write_tiny_encoder(folder: Path) -> Path:
    """Two layers of random weights that know the characters of the texts above."""
    texts = [*ARTICLES.values(), *(fact.text for fact in FACTS)]
    tokenizer = make_tokenizer(build_vocabulary(texts), TINY.longest)
    new_encoder(TINY, len(tokenizer), seed=7).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder

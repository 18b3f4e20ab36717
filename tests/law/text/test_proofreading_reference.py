"""The fast alignment gives what following the rules one alignment at a time gives.

Below is a second implementation of lawbench.md 3.3 to 3.6, as plain as can be: it walks every
path, keeps every list of edits, and counts its own work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import groupby, pairwise

import pypinyin
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hengfa.law.text.proofreading import Similarity
from hengfa.law.text.proofreading.alignment import all_alignments, first_alignment, look_ahead
from hengfa.law.text.proofreading.edits import MERGE_PUNCTUATION, Block, Merger, pooled_edits
from hengfa.law.text.proofreading.similarity import COST_PUNCTUATION

CODES = {"甲": "Aa01", "乙": "Aa01", "丙": "Aa07", "丁": "Ab01", "他": "Ba01", "木": "Ca09"}
CONFUSIONS = {"木": "本未", "他": "地", "丁": "甲"}
ALPHABET = "甲乙丙丁他她地木本，、。a"

few = st.text(alphabet="甲乙丙", max_size=8)
some = st.text(alphabet=ALPHABET, max_size=7)
# A text and the same with a piece of it elsewhere: what the rules for moves are about.
moved = st.tuples(some, some, some, some).map(lambda t: ("".join(t), t[0] + t[2] + t[1] + t[3]))
pairs = st.one_of(
    st.tuples(few, few),
    st.tuples(some, some),
    moved.filter(lambda pair: len(pair[0]) <= 12),
    st.tuples(st.text(alphabet="甲乙", max_size=3), st.text(alphabet="甲乙丙", max_size=14)),
)


Steps = tuple[Block, ...]


@pytest.fixture(scope="module")
def similarity(tmp_path_factory: pytest.TempPathFactory) -> Similarity:
    folder = tmp_path_factory.mktemp("tables")
    lines = [f"{code}A01= 某词 {character}" for character, code in CODES.items()]
    (folder / "cilin.txt").write_text("\n".join(lines) + "\n", "gb18030")
    lines = [" ".join([character, *others]) for character, others in CONFUSIONS.items()]
    (folder / "confusion_dict.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return Similarity.read(folder)


@cache
def readings(character: str) -> frozenset[str]:
    if not "\u4e00" <= character <= "\u9fff":
        return frozenset()
    found = pypinyin.pinyin(character, style=pypinyin.Style.NORMAL, heteronym=True)
    return frozenset(found[0])


@cache
def substitution(a: str, b: str) -> float:
    one, other = CODES.get(a), CODES.get(b)
    meaning = 4 / 6
    if one and other:
        equal = (one[0] == other[0]) + (one[1] == other[1]) + (one[2:] == other[2:])
        meaning = 0.0 if equal == 3 else 2 * (3 - equal) / 6
    confused = b in CONFUSIONS.get(a, "") or a in CONFUSIONS.get(b, "")
    look = 0.0 if readings(a) & readings(b) or confused else 0.5
    marks = (a in COST_PUNCTUATION) + (b in COST_PUNCTUATION)
    return meaning + look + (0.25, 0.499, 0.0)[marks]


class Table:
    """3.3, cell by cell."""

    def __init__(self, source: str, target: str) -> None:
        self.n, self.m = len(source), len(target)
        self.cost = {(i, 0): float(i) for i in range(self.n + 1)}
        self.cost |= {(0, j): float(j) for j in range(self.m + 1)}
        self.kept = {(i, 0): [("D", 1)] for i in range(1, self.n + 1)}
        self.kept |= {(0, j): [("I", 1)] for j in range(1, self.m + 1)}
        self.comparisons = self.compared = 0
        for i in range(1, self.n + 1):
            for j in range(1, self.m + 1):
                a, b = source[i - 1], target[j - 1]
                if a == b:
                    self.cost[i, j], self.kept[i, j] = self.cost[i - 1, j - 1], [("M", 1)]
                    continue
                ways = [
                    (self.cost[i - 1, j - 1] + substitution(a, b), ("S", 1)),
                    (self.cost[i, j - 1] + 1, ("I", 1)),
                    (self.cost[i - 1, j] + 1, ("D", 1)),
                ]
                k = self.move(i, j, source, target)
                if k:
                    ways.insert(0, (self.cost[i - k - 1, j - k - 1] + k, ("T", k + 1)))
                best = min(cost for cost, _ in ways)
                self.cost[i, j] = best
                self.kept[i, j] = [operation for cost, operation in ways if cost == best]

    def move(self, i: int, j: int, source: str, target: str) -> int:
        k = 1
        while (
            i - k >= 1 and j - k >= 1 and self.cost[i - k, j - k] != self.cost[i - k - 1, j - k - 1]
        ):
            self.comparisons += 1
            self.compared += k + 1
            if sorted(source[i - k - 1 : i]) == sorted(target[j - k - 1 : j]):
                return k
            k += 1
        return 0

    def paths(self) -> Iterator[Steps]:
        """3.4; also counts the nodes of the search by their depth."""
        self.depths = 0
        only_first = abs(self.n - self.m) > 10

        def back(i: int, j: int, later: Steps) -> Iterator[Steps]:
            self.depths += len(later)
            if (i, j) == (0, 0):
                yield later
                return
            for operation, length in self.kept[i, j][: 1 if only_first else None]:
                i_start = i - (0 if operation == "I" else length)
                j_start = j - (0 if operation == "D" else length)
                step = Block(operation, i_start, j_start, i, j)
                yield from back(i_start, j_start, (step, *later))

        return back(self.n, self.m, ())


def distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for a in one:
        last = row
        row = [last[0] + 1]
        for j, b in enumerate(other):
            row.append(min(last[j + 1] + 1, row[j] + 1, last[j] + (a != b)))
    return row[-1]


def grouped(path: Steps) -> list[Block]:
    """3.5, first rule."""
    found: list[Block] = []
    for kind, run in groupby(path, key=lambda step: "O" if step.operation in "SID" else step[0]):
        steps = list(run)
        operations = {step.operation for step in steps}
        if kind == "T" or len(steps) == 1 or operations == {"D", "I"}:
            found += steps
            continue
        whole = operations.pop() if len(operations) == 1 else "S"
        found.append(Block(whole, steps[0].i, steps[0].j, steps[-1].i_end, steps[-1].j_end))
    return found


def is_move(three: list[Block], source: str, target: str) -> bool:
    """3.5, second rule."""
    first, _, third = three
    w1, w2 = source[first.i : first.i_end], target[first.j : first.j_end]
    w3, w4 = source[third.i : third.i_end], target[third.j : third.j_end]
    kinds = "".join(step.operation for step in three)
    if kinds == "SMS":
        if min(map(len, (w1, w2, w3, w4))) == 1:
            return w1 == w4 and w2 == w3
        return distance(w1, w4) <= 1 and distance(w2, w3) <= 1
    if kinds not in {"DMI", "DTI", "IMD", "ITD"}:
        return False
    x, y = (w1, w4) if first.operation == "D" else (w3, w2)
    a, b = (x, y) if len(x) >= len(y) else (y, x)
    if a in MERGE_PUNCTUATION or b in MERGE_PUNCTUATION or len(a) - len(b) > 1:
        return False
    if len(b) == 1:
        return a == b
    return distance(a, b) <= 1 or (len(a) == len(b) and b in a + a)


def trimmed(edit: Block, source: str, target: str) -> Block | None:
    """3.5, third rule."""
    was, became = source[edit.i : edit.i_end], target[edit.j : edit.j_end]
    if was == became:
        return None
    if edit.operation != "S":
        return edit
    p = 0
    while p < min(len(was), len(became)) and was[p] == became[p]:
        p += 1
    q, rest = 0, was[p:]
    while q < min(len(rest), len(became)) and rest[-1 - q] == became[-1 - q]:
        q += 1
    if q > len(became) - p:
        q = 0
    i, j, i_end, j_end = edit.i + p, edit.j + p, edit.i_end - q, edit.j_end - q
    return Block("I" if i == i_end else "D" if j == j_end else "S", i, j, i_end, j_end)


def merged(path: Steps, source: str, target: str) -> Steps:
    blocks, edits = grouped(path), []
    while blocks:
        if len(blocks) >= 3 and is_move(blocks[:3], source, target):
            first, _, third = blocks[:3]
            edits.append(Block("T", first.i, first.j, third.i_end, third.j_end))
            blocks = blocks[3:]
        else:
            edits += [step for step in blocks[:1] if step.operation != "M"]
            blocks = blocks[1:]
    trimmed_edits = (trimmed(edit, source, target) for edit in edits)
    return tuple(edit for edit in trimmed_edits if edit)


@given(pairs)
@example(("甲乙丙丁", "丁丙乙甲"))
@example(("甲甲甲甲甲", "乙甲乙甲甲甲"))
@example(("", "甲乙"))
@example(("甲乙", ""))
@settings(max_examples=400, deadline=None)
def test_pooled_edits_and_clock_are_those_of_all_paths(
    similarity: Similarity, pair: tuple[str, str]
) -> None:
    source, target = pair
    table = Table(source, target)
    paths = list(table.paths())
    lists = {merged(path, source, target) for path in paths}
    n, m, comparisons = len(source), len(target), table.comparisons
    seconds = (
        1.4e-5 * n * m
        + 3.7e-6 * comparisons
        + 3.4e-8 * comparisons * (n + m)
        + 2.6e-8 * table.compared
        + 1.5e-8 * table.depths
        + 4e-7 * sum(map(len, paths))
        + 1e-5 * len(paths)
    )
    found = all_alignments(source, target, similarity)
    assert found.edits == Counter(edit for each in lists for edit in each)
    assert found.seconds == seconds


@given(pairs)
@settings(max_examples=200, deadline=None)
def test_first_alignment_is_the_first_path(similarity: Similarity, pair: tuple[str, str]) -> None:
    path = next(Table(*pair).paths())
    assert first_alignment(*pair, similarity) == merged(path, *pair)


@given(st.lists(pairs, min_size=2, max_size=6))
@settings(max_examples=60, deadline=None)
def test_pairs_whose_tables_are_made_together_are_aligned_as_alone(
    similarity: Similarity, several: list[tuple[str, str]]
) -> None:
    look_ahead([], similarity)
    alone = [all_alignments(*pair, similarity) for pair in several]
    look_ahead(several, similarity)
    assert [all_alignments(*pair, similarity) for pair in several] == alone


# Steps as no table of costs gives them, for rules that alignments hardly ever reach: the operations
# in any order, but no insertion next to a deletion, which costs make impossible.
steps = st.lists(st.sampled_from("MMSIDT"), min_size=1, max_size=10).filter(
    lambda kinds: not {"ID", "DI"} & {a + b for a, b in pairwise(kinds)}
)
letters = st.text(alphabet="甲乙，", min_size=20, max_size=20)


def path_of(kinds: list[str]) -> Steps:
    found: list[Block] = []
    i = j = 0
    for kind in kinds:
        length = 2 if kind == "T" else 1
        i_end, j_end = i + (0 if kind == "I" else length), j + (0 if kind == "D" else length)
        found.append(Block(kind, i, j, i_end, j_end))
        i, j = i_end, j_end
    return tuple(found)


@given(steps, letters, letters)
@settings(max_examples=500, deadline=None)
def test_rules_for_merging_on_any_steps(kinds: list[str], source: str, target: str) -> None:
    path = path_of(kinds)
    edits, merger = merged(path, source, target), Merger(source, target)
    assert merger.edits(list(path)) == edits
    assert pooled_edits(path, merger, (path[-1].i_end, path[-1].j_end)) == Counter(edits)

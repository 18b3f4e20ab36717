"""A pilot: its share of every stratum, one model each by chance, and a key that is kept apart."""

from __future__ import annotations

from collections import Counter
from math import ceil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evals.grading.scored_by_people import RUBRIC

from hengfa.base.data import output
from hengfa.base.errors import DataError, HengfaError
from hengfa.evals.grading.submission import Submission, read_submissions
from hengfa.evals.runs.people import Candidate, draw, read_key, write_pilot

STRATA = {("x/case", "公司"): 30, ("x/case", "家事"): 4, ("x/letter", ""): 25}


def candidate(task: str, stratum: str, sample: str, model: str) -> Candidate:
    key = f"{task}/default/{sample}@{model}"
    submission = Submission(key, f"问{sample}", f"{model}答{sample}", RUBRIC)
    return Candidate(submission, model, f"run-{model}", f"o-{model}", task, stratum, sample)


def candidates(*models: str, strata: dict[tuple[str, str], int] = STRATA) -> list[Candidate]:
    return [
        candidate(task, stratum, f"{stratum}{number}", model)
        for model in models
        for (task, stratum), samples in strata.items()
        for number in range(samples)
    ]


def drawn_samples(drawn: list[Candidate]) -> set[tuple[str, str]]:
    return {(one.task, one.sample) for one in drawn}


def test_every_stratum_gives_its_share_and_no_sample_is_drawn_twice() -> None:
    drawn = draw(candidates("a", "b", "c"), share=0.1, seed=0)
    assert Counter((one.task, one.stratum) for one in drawn) == {
        ("x/case", "公司"): 3, ("x/case", "家事"): 1, ("x/letter", ""): 3,
    }  # fmt: skip
    assert len(drawn_samples(drawn)) == len(drawn)


def test_a_seed_draws_the_same_whatever_the_order_and_another_draws_others() -> None:
    every = candidates("a", "b", "c")
    drawn = draw(every, share=0.3, seed=7)
    assert draw(every[::-1], share=0.3, seed=7) == drawn
    assert draw(every, share=0.3, seed=8) != drawn


def test_a_larger_share_contains_a_smaller_one_and_another_run_changes_no_sample() -> None:
    few = draw(candidates("a", "b"), share=0.1, seed=1)
    many = draw(candidates("a", "b"), share=0.5, seed=1)
    assert {one.submission.key for one in few} < {one.submission.key for one in many}
    joined = draw(candidates("a", "b", "c"), share=0.1, seed=1)
    assert drawn_samples(joined) == drawn_samples(few)


def test_models_are_drawn_alike_and_of_those_that_answered() -> None:
    strata = {("x/case", ""): 3000}
    counts = Counter(
        one.model for one in draw(candidates("a", "b", "c", strata=strata), share=1, seed=0)
    )
    assert all(abs(count - 1000) < 100 for count in counts.values())  # almost 4 standard errors
    alone = [candidate("x/case", "", "only", "b")]
    assert [one.model for one in draw([*candidates("a"), *alone], share=1, seed=0)].count("b") == 1


@pytest.mark.parametrize("runs", [1, 4])
def test_several_runs_or_answers_of_a_model_make_it_no_likelier(runs: int) -> None:
    every = candidates("a", "b", strata={("x/case", ""): 3000})
    again = [
        Candidate(
            Submission(f"{one.submission.key}+{time}", "问", f"又{time}", RUBRIC),
            *(one.model, one.run, f"{one.origin}{time % runs}", one.task, one.stratum, one.sample),
        )
        for one in every
        for time in range(4)
        if one.model == "a"
    ]
    counts = Counter(one.model for one in draw([*every, *again], share=1, seed=0))
    assert abs(counts["a"] - 1500) < 110  # 4 standard errors


@settings(deadline=None)
@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=4),
    st.floats(0.001, 1),
    st.integers(0, 2**63 - 1),
)
def test_the_share_is_rounded_up_in_every_stratum(
    sizes: list[int], share: float, seed: int
) -> None:
    strata = {("x/t", str(number)): size for number, size in enumerate(sizes)}
    drawn = draw(candidates("a", "b", strata=strata), share=share, seed=seed)
    counts = Counter(one.stratum for one in drawn)
    for number, size in enumerate(sizes):
        assert counts[str(number)] == ceil(round(share * size, 9)) <= size
        assert counts[str(number)] >= 1


def test_the_submissions_are_blind_and_the_key_knows(tmp_path: Path) -> None:
    drawn = [candidate("x/case", "公司", "1", "=a"), candidate("x/case", "公司", "2", "b\nc")]
    out, key = tmp_path / "new" / "pilot.jsonl", tmp_path / "kept" / "key.csv"
    write_pilot(out, key, drawn)
    assert read_submissions(out) == [one.submission for one in drawn]
    assert read_key(key) == {one.submission.key: one.model for one in drawn}
    assert ",=a," not in key.read_text("utf-8-sig")


def test_where_one_file_cannot_be_written_neither_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, key = tmp_path / "pilot.jsonl", tmp_path / "pilot.key.csv"
    new_file = output._new_file

    def full(file: Path) -> object:
        if file == key:
            raise OSError(28, "No space left on device", str(file))
        return new_file(file)

    monkeypatch.setattr(output, "_new_file", full)
    with pytest.raises(HengfaError, match=r"pilot\.key\.csv"):
        write_pilot(out, key, draw(candidates("a"), share=0.1, seed=0))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("submission,run\na,b\n", "row 1: has no column 'model': it is no key"),
        ("", "row 1: has no column 'submission'"),
        ("model,submission\nm,\n", "row 2, field 'submission': is empty"),
        ("submission,model\na\n", "row 2, field 'model': is empty"),
        ("submission,model\na,m\n\na,n\n", "row 4, field 'model': 'a' has another model above"),
        ('submission,model\n"a,m\n', "not readable as CSV"),
    ],
)
def test_a_key_that_cannot_be_used_says_where(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "key.csv"
    file.write_text(text)
    with pytest.raises(DataError) as error:
        read_key(file)
    assert str(error.value).startswith(str(file))
    assert said in str(error.value)


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


@settings(deadline=None)
@given(st.dictionaries(names, names, min_size=1))
def test_whatever_models_are_called_the_key_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, models: dict[str, str]
) -> None:
    folder = tmp_path_factory.mktemp("pilot")
    drawn = [
        Candidate(Submission(key, "问", "答", RUBRIC), model, "r", "o", "t", "", "1")
        for key, model in models.items()
    ]
    write_pilot(folder / "pilot.jsonl", folder / "key.csv", drawn)
    assert read_key(folder / "key.csv") == models

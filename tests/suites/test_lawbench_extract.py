"""What extraction reads out of responses, under official and corrected rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.suites.base import AnswerStatus
from hengfa.suites.lawbench.extract import (
    corrected_choice,
    official_choice,
    text_as_is,
    text_or_silence,
)

OFFICIAL, CORRECTED = official_choice("ABCD"), corrected_choice("ABCD")
EXTRACTED, AMBIGUOUS, ABSTAINED = (
    AnswerStatus.EXTRACTED,
    AnswerStatus.AMBIGUOUS,
    AnswerStatus.ABSTAINED,
)


@pytest.mark.parametrize(
    ("response", "official", "corrected"),
    [
        ("[正确答案]B<eoa>", (EXTRACTED, "B"), (EXTRACTED, "B")),
        ("选B。B是对的", (EXTRACTED, "B"), (EXTRACTED, "B")),
        # Q: letters count anywhere, so an English word spoils the answer.
        ("Answer: B", (AMBIGUOUS, None), (EXTRACTED, "B")),
        # Q: the wrapper is not isolated, so quoting the options spoils the answer.
        ("A不对，应选[正确答案]C<eoa>", (AMBIGUOUS, None), (EXTRACTED, "C")),
        # Q: full-width letters never match.
        ("答案是Ｄ", (ABSTAINED, None), (EXTRACTED, "D")),
        ("b", (ABSTAINED, None), (ABSTAINED, None)),
        ("", (ABSTAINED, None), (ABSTAINED, None)),
        ("A和B都对", (AMBIGUOUS, None), (AMBIGUOUS, None)),
        ("DNA", (AMBIGUOUS, None), (ABSTAINED, None)),
        ("[正确答案]B", (EXTRACTED, "B"), (EXTRACTED, "B")),
        ("[正确答案]<eoa>选A", (EXTRACTED, "A"), (EXTRACTED, "A")),
        ("例如[正确答案]A<eoa>。我选[正确答案]C<eoa>", (AMBIGUOUS, None), (EXTRACTED, "C")),
    ],
)
def test_choices(
    response: str,
    official: tuple[AnswerStatus, str | None],
    corrected: tuple[AnswerStatus, str | None],
) -> None:
    for extract, expected in ((OFFICIAL, official), (CORRECTED, corrected)):
        answer = extract(response)
        assert (answer.status, answer.value) == expected


def test_silence_is_an_abstention_only_under_corrected_rules() -> None:
    assert text_as_is(" \n").status is EXTRACTED
    assert text_or_silence(" \n").status is ABSTAINED
    assert text_or_silence("第一条").value == "第一条"


@given(st.text(st.characters(codec=None)))
def test_no_text_makes_extraction_fail(response: str) -> None:
    for extract in (OFFICIAL, CORRECTED, text_as_is, text_or_silence):
        answer = extract(response)
        assert (answer.value is None) == (answer.status is not EXTRACTED)


@given(st.sampled_from("ABCD"), st.text(st.characters(blacklist_categories=["L", "Cs"])))
def test_a_lone_letter_is_found_in_any_surroundings_without_letters(
    letter: str, noise: str
) -> None:
    noise = noise.replace("[", "").replace("<", "")
    assert OFFICIAL(noise + letter + noise).value == letter
    assert CORRECTED(noise + letter + noise).value == letter


@pytest.mark.parametrize(
    ("piece", "corrected"),
    [
        ("[正确答案]", ABSTAINED),
        ("[正确答案]A<", EXTRACTED),
        ("[正确答案]A<eoa>", EXTRACTED),
        ("<eoa>", ABSTAINED),
        ("AB", ABSTAINED),
        ("A,B", AMBIGUOUS),
    ],
)
def test_a_megabyte_is_read_without_looking_at_any_of_it_twice(
    piece: str, corrected: AnswerStatus
) -> None:
    text = piece * (1_000_000 // len(piece)) + "<"
    assert CORRECTED(text).status is corrected
    assert OFFICIAL(text).status in (ABSTAINED, EXTRACTED, AMBIGUOUS)

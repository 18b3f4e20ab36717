"""Numbers with check digits, amounts and days, against examples worked by hand or published."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.world.generator import values
from hengfa.world.generator.dice import Stream
from hengfa.world.generator.values import STANDSTILL, later
from hengfa.world.tables.cells import write_date


def test_the_example_of_the_credit_code_standard() -> None:
    assert values.credit_check("91350100M000100Y4") == "3"


def test_an_organisation_code_by_hand() -> None:
    # 3*1+7*2+9*3+10*4+5*5+8*6+4*7+2*8 = 201, 201 mod 11 = 3, 11 - 3 = 8
    assert values.organisation_code(12_345_678, new=False) == "123456788"


def test_a_check_of_ten_is_an_x_and_of_eleven_a_zero() -> None:
    # weights 4 and 2 on the last two digits: 4*2 + 2*2 = 12, 12 mod 11 = 1, so 10
    assert values.organisation_code(22, new=False) == "00000022X"
    assert values.organisation_code(0, new=False) == "000000000"


def test_a_new_organisation_code_begins_with_ma() -> None:
    # M is 22, A is 10: 3*22 + 7*10 = 136; the last character 1 has weight 2: 138 mod 11 = 6
    assert values.organisation_code(1, new=True) == "MA0000015"


def test_a_registration_number_by_hand() -> None:
    assert values.registration_check("11010800000001") == "6"


@given(st.integers(0, 10**8 - 1), st.integers(100_000, 999_999), st.booleans())
def test_credit_codes_have_eighteen_characters_that_check(
    number: int, division: int, new: bool
) -> None:
    code = values.credit_code(values.COMPANY, division, values.organisation_code(number, new=new))
    assert len(code) == 18
    assert set(code) <= set(values.LETTERS)
    total = sum(
        3**place % 31 * values.LETTERS.index(letter) for place, letter in enumerate(code[:17])
    )
    assert (total + values.LETTERS.index(code[17])) % 31 == 0


@pytest.mark.parametrize(
    ("yuan", "shown"),
    [
        (0, "0"),
        (9_999, "9999"),
        (10_000, "1.00万"),
        (434_800, "43.48万"),
        (90_000_000, "9000.00万"),
        (99_999_999, "9999.99万"),
        (100_000_000, "1.00亿"),
        (262_999_999, "2.62亿"),
    ],
)
def test_invested_amounts_are_written_in_mixed_units(yuan: int, shown: str) -> None:
    assert values.invested(yuan) == shown


@pytest.mark.parametrize(
    ("hundredths", "shown"), [(100_000, "1000万"), (30_542, "305.42万"), (30_550, "305.5万")]
)
def test_capital_is_written_in_wan(hundredths: int, shown: str) -> None:
    assert values.capital(hundredths) == shown


def test_whole_yuan_are_whole_numbers() -> None:
    assert repr(values.as_number(74_056_400)) == "740564"
    assert repr(values.as_number(214_592_124)) == "2145921.24"
    assert values.plain(74_056_400) == "740564"
    assert values.plain(123_450) == "1234.5"


@given(st.integers(0, 10_000))
def test_amounts_are_at_least_one_yuan(entity: int) -> None:
    dice = Stream(1, "amounts").dice(entity)
    assert values.amount_in_cents(dice, 0.5, 3.0) >= 100


def test_days_are_written_with_leading_zeros() -> None:
    assert write_date(date(2019, 2, 3)) == "2019年02月03日"


@given(st.dates(date(2018, 1, 1), date(2023, 12, 30)), st.integers(0, 1000))
def test_a_later_day_is_later_and_within_the_world(day: date, entity: int) -> None:
    found = later(Stream(1, "days").dice(entity), day, 1, 900)
    assert day < found <= STANDSTILL

"""Names: fictional, unique by construction, and not those of real places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.world.generator.companies import PLACE_OF_WORD, WORDS
from hengfa.world.generator.geography import ROOM_FOR_CITIES, Geography
from hengfa.world.generator.names import (
    BRAND,
    FIRM,
    PLACE_FIRST,
    PLACE_LAST,
    PLACE_MIDDLE,
    PROVINCES,
    STREETS,
    Houses,
    Places,
    Words,
)
from hengfa.world.generator.sizes import LARGEST, counties_for

REAL_SIGNS = "京津冀晋蒙辽吉黑沪苏浙皖闽赣鲁豫鄂湘粤桂琼渝川贵云藏陕甘青宁新"
REAL_CODES = {11, 12, 13, 14, 15, 21, 22, 23, *range(31, 38), *range(41, 47), *range(50, 55)} | {
    *range(61, 66),
    71,
    81,
    82,
}
PLACES = {one.character for one in (*PLACE_FIRST, *PLACE_MIDDLE, *PLACE_LAST)} | set(
    "".join(province.stem for province in PROVINCES)
)


def test_characters_of_places_brands_and_firms_do_not_meet() -> None:
    """So that place + brand + word can be taken apart in one way only."""
    brand, firm = ({one.character for one in group} for group in (BRAND, FIRM))
    assert not PLACES & brand
    assert not PLACES & firm
    assert not {word[0] for word in PLACE_OF_WORD} & brand
    assert not PLACES & set("省市区县")
    assert not set(STREETS.first + STREETS.last + "".join(STREETS.kinds)) & set("省市区县号")


def test_no_list_has_a_character_twice_and_no_word_two_trades() -> None:
    for group in (PLACE_FIRST, PLACE_MIDDLE, PLACE_LAST, BRAND, FIRM):
        characters = [one.character for one in group]
        assert len(set(characters)) == len(characters)
    assert len(set(STREETS.first)) == len(STREETS.first)
    assert len(set(STREETS.last)) == len(STREETS.last)
    assert len(PLACE_OF_WORD) == len(WORDS)


def test_provinces_have_signs_and_codes_of_their_own() -> None:
    signs = [province.sign for province in PROVINCES]
    assert len(set(signs)) == len(signs)
    assert not set(signs) & set(REAL_SIGNS)
    assert not set(signs) & set("最高法民执行知刑初终申再")
    codes = [province.code for province in PROVINCES]
    assert len(set(codes)) == len(codes)
    assert not set(codes) & REAL_CODES


@given(st.integers(0, 2**32))
@settings(max_examples=5, deadline=None)
def test_names_are_unique_however_many_are_asked_for(seed: int) -> None:
    places, houses = Places(seed), Houses(seed)
    brand, firm = Words(seed, "brands", BRAND), Words(seed, "firm names", FIRM)
    taken = [places(i).text for i in range(8_000)] + [province.stem for province in PROVINCES]
    assert len(set(taken)) == len(taken)
    for make in (brand.two, brand.three, firm):
        assert len({make(i).text for i in range(4_000)}) == 4_000
    assert len({houses(i) for i in range(4_000)}) == 4_000


def test_there_are_names_for_the_largest_world() -> None:
    geography = Geography(1, counties_for(LARGEST))
    assert geography.cities <= ROOM_FOR_CITIES
    Places(1)(ROOM_FOR_CITIES + geography.counties - 1)
    assert Words(1, "brands", BRAND).short >= LARGEST * 0.009
    assert Houses.SIZE >= LARGEST


@given(st.integers(0, 2**32), st.integers(1_000, 200_000))
@settings(max_examples=20, deadline=None)
def test_the_map_has_as_many_counties_as_asked_for_and_unique_divisions(
    seed: int, scale: int
) -> None:
    geography = Geography(seed, counties_for(scale))
    assert geography.counties == counties_for(scale)
    counties = [geography.county(number) for number in range(geography.counties)]
    assert len({county.division for county in counties}) == len(counties)
    assert len({county.region for county in counties}) == len(counties)
    for number, county in enumerate(counties):
        assert number in geography.counties_of(county.city.number)
        assert 1 <= county.code <= 99
        province = geography.provinces[geography.province_of(county.city.number)]
        assert county.city.province == province
        assert (county.city.name == province.name) == province.municipality


@pytest.mark.shared
def test_no_city_or_county_is_a_real_one(shared: Path) -> None:
    file = shared / "data" / "LegalAgentBench" / "court_code_rebuilt.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    # without 市 or 县 at the end, a real name ends in the two characters that could be ours
    real = {row["对应行政区划"].strip()[:-1][-2:] for row in rows if row["对应行政区划"]}
    possible = {first.character + last.character for first in PLACE_FIRST for last in PLACE_LAST}
    assert not possible & real
    assert not {province.stem for province in PROVINCES} & real

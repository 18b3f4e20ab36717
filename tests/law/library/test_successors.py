"""Where the provisions of repealed laws went: known or found, and the nine of the Civil Code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from hengfa.law.grammar.citation_positions import parse_position
from hengfa.law.library import Library, Position, find_law
from hengfa.law.library.building.build import build_library
from hengfa.law.library.history import history
from hengfa.law.library.successors import Successor, beyond, successors
from tests.law.library.fictional import FERRY, ROWS, WATER, row, write_rows

WATER_2020 = """# 月湖水运法

第一条 水上运输应当安全。

第二条 渡船应当备有救生衣和哨子。

第三条 本法自2010年6月1日起施行。
"""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    rows = [*ROWS, row(WATER, "2020-02-01", WATER_2020, event="amended")]
    folder = write_rows(tmp_path / "laws", rows)
    (folder / "successors.tsv").write_text(
        "law\tposition\tsuccessor\tsuccessor_position\tbasis\n"
        f"{FERRY}\t2\t{WATER}\t3\tgazette\n"
        f"{FERRY}\tnowhere\t{WATER}\t3\tgazette\n"
        f"{FERRY}\t2\t月湖无此法\t3\tgazette\n",
        "utf-8",
    )
    build_library([folder], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as opened:
        yield opened


def test_a_provision_is_found_in_the_law_that_repealed_its_own(library: Library) -> None:
    [ferry] = library.versions(find_law(library, FERRY))
    water = library.versions(find_law(library, WATER))[0]
    assert successors(library, ferry, Position(1)) == [
        Successor(water, Position(2), "found", Position(1))
    ]


def test_what_a_table_knows_comes_before_what_is_found(library: Library) -> None:
    [ferry] = library.versions(find_law(library, FERRY))
    water = library.versions(find_law(library, WATER))[0]
    assert successors(library, ferry, Position(2)) == [
        Successor(water, Position(3), "known", Position(2))
    ]
    assert [remark.text for remark in library.remarks() if "nowhere" in remark.text]


def test_a_law_that_lives_has_no_successor(library: Library) -> None:
    water = library.versions(find_law(library, WATER))[0]
    assert successors(library, water, Position(1)) == []


def test_a_history_goes_on_to_this_day(library: Library) -> None:
    law = find_law(library, FERRY)
    steps = history(library, law, library.versions(law)[0], Position(1))
    later = list(beyond(library, steps[-1]))
    assert [(step.version.law, str(step.version.promulgated)) for step in later] == [
        (WATER, "2010-02-01"),
        (WATER, "2020-02-01"),
    ]
    assert {step.successor for step in later} == {"found"}
    assert later[0].similarity == 1.0
    assert later[1].text == "渡船应当备有救生衣和哨子。"


# from tables of comparison that every practitioner has
PAIRS = {
    "合同法": (
        "8-465 10-469 14-472 15-473 32-490 36-490 39-496 40-497 41-498 42-500 43-501 44-502 "
        "45-158 45-159 46-160 47-145 48-171 49-172 50-504 52..2-154 52..4-153.2 "
        "52..5-153.1 53-506 54-147 54-148 54-150 54-151 55-152 56-155 56-156 57-507 58-157 "
        "60-509 61-510 62-511 64-522 65-523 66-525 67-526 68-527 69-528 70-529 71-530 72-531 "
        "73-535 74-538 74-539 75-541 77-543 79-545 80-546 81-547 82-548 83-549 84-551 85-553 "
        "86-554 88-555 89-556 91-557 92-558 93-562 94-563 95-564 96-565 97-566 98-567 99-568 "
        "100-569 101-570 103-573 104-574 105-575 106-576 107-577 108-578 109-579 110-580 "
        "111-582 112-583 113.1-584 114-585 115-587 116-588 117-590 118-590 119-591 120-592 "
        "121-593 122-186 130-595 132-597 142-604 148-610 157-620 158-621 167-634 185-657 "
        "186-658 188-660 192-663 196-667 200-670 205-674 206-675 207-676 210-679 211-680 "
        "212-703 214-705 229-725 230-726 237-735 251-770 268-787 269-788 272-791 286-807 "
        "288-809 302-823 396-919 402-925 403-926 410-933 424-961"
    ),
    "物权法": (
        "9-209 15-215 16-216 17-217 19-220 20-221 28-229 29-230 30-231 39-240 76-278 95-299 "
        "97-301 101-305 106-311 107-312 108-313 109-314 117-323 170-386 176-392 179-394 "
        "180-395 184-399 187-402 191-406 194-409 195-410 199-414 202-419 203-420 208-425 "
        "223-440 230-447 241-458 245-462"
    ),
    "侵权责任法": (
        "2-1164 6-1165 7-1166 8-1168 9-1169 10-1170 11-1171 12-1172 13-178 14-178 15-179 "
        "16-1179 17-1180 18-1181 19-1184 20-1182 22-1183 24-1186 25-1187 26-1173 27-1174 "
        "28-1175 29-180 30-181 31-182 32-1188 33-1190 34-1191 35-1192 36.1-1194 36.2-1195 "
        "36.3-1197 37-1198 38-1199 39-1200 40-1201 43-1203 44-1204 45-1205 46-1206 47-1207 "
        "48-1208 49-1209 50-1210 51-1214 52-1215 53-1216 54-1218 55-1219 56-1220 57-1221 "
        "58-1222 59-1223 60-1224 61-1225 62-1226 63-1227 64-1228 65-1229 66-1230 67-1231 "
        "68-1233 69-1236 70-1237 71-1238 72-1239 73-1240 74-1241 75-1242 76-1243 77-1244 "
        "78-1245 79-1246 80-1247 81-1248 82-1249 83-1250 84-1251 85-1253 86-1252 87-1254 "
        "88-1255 89-1256 90-1257 91-1258"
    ),
    "婚姻法": (
        "2-1041 3-1042 4-1043 5-1046 6-1047 7-1048 8-1049 9-1050 10-1051 11-1052 12-1054 "
        "13-1055 14-1056 15-1057 17-1062 18-1063 19-1065 20-1059 21-1067 22-1015 23-1068 "
        "24.1-1061 24.2-1070 25-1071 26-1111 27-1072 28-1074 29-1075 30-1069 31-1076 32-1079 "
        "33-1081 34-1082 35-1083 36-1084 37-1085 38-1086 39-1087 40-1088 41-1089 42-1090 "
        "46-1091 47-1092"
    ),
    "继承法": (
        "2-1121 3-1122 5-1123 7-1125 9-1126 10-1127 11-1128 12-1129 13-1130 14-1131 15-1132 "
        "16-1133 17.1-1139 17.2-1134 17.3-1135 17.4-1137 17.5-1138 18-1140 19-1141 20-1142 "
        "21-1144 22-1143 23-1150 24-1151 25-1124 26-1153 27-1154 28-1155 29-1156 30-1157 "
        "31-1158 32-1160 33-1161 34-1162"
    ),
    "收养法": (
        "4-1093 5-1094 6-1098 7-1099 8-1100 9-1102 11-1104 12-1095 13-1096 14-1103 15-1105 "
        "16-1106 17-1107 18-1108 20-1044 21-1109 22-1110 23-1111 24-1112 25-1113 26-1114 "
        "27-1115 28-1116 29-1117 30-1118"
    ),
    "民法总则": (
        "1-1 2-2 13-13 26-26 58-58 110-110 143-143 146-146 153-153 154-154 184-184 188-188 "
        "195-195 204-204 205-1259"
    ),
    "担保法": (
        "6-681 8-683 12-699 13-685 14-690 15-684 16-686 17-687 18-688 20-701 21-691 31-700 "
        "33-394 34-395 37-399 63-425 75-440 78.2-443 82-447 89-587 90-586 91-586"
    ),
    "民法通则": (
        "9-13 24.2-49 37-58 55-143 58.2-155 83-288 92-122 93-121 123-1239 123-1240 "
        "124-1229 125-1258 127-1245 131-1173 135-188 137-188 139-194 140-195"
    ),
}


@pytest.mark.shared
@pytest.mark.parametrize("law", PAIRS)
def test_where_nine_laws_went_in_the_civil_code(corpus: Library, law: str) -> None:
    version = corpus.versions(find_law(corpus, law))[-1]
    missed = []
    for pair in PAIRS[law].split():
        here, there = map(parse_position, pair.split("-"))
        assert here
        assert there
        found = successors(corpus, version, here)
        assert {successor.version.law for successor in found} <= {"中华人民共和国民法典"}
        if not any(successor.position[:2] == there[:2] for successor in found):
            missed.append(pair)
    assert missed == []


@pytest.mark.shared
def test_each_part_of_a_split_article_is_known_for_itself(corpus: Library) -> None:
    law = corpus.versions(find_law(corpus, "合同法"))[-1]
    parts = [(known.of, known.position) for known in successors(corpus, law, Position(74))]
    assert parts == [
        (Position(74, paragraph=1), Position(538)),
        (Position(74, paragraph=1), Position(539)),
        (Position(74, paragraph=2), Position(540)),
    ]
    last = history(corpus, find_law(corpus, "合同法"), law, Position(74))[-1]
    cost = list(beyond(corpus, last))[-1]
    assert (cost.similarity, [moved.of for moved in cost.elsewhere]) == (1.0, [parts[2][0]])


@pytest.mark.shared
@pytest.mark.parametrize(("law", "dropped"), [("婚姻法", "7..2"), ("合同法", "52..3")])
def test_what_the_civil_code_dropped_has_no_successor(
    corpus: Library, law: str, dropped: str
) -> None:
    """Though 不应当收养子女的疾病 is much like 不应当结婚的疾病."""
    position = parse_position(dropped)
    assert position
    assert successors(corpus, corpus.versions(find_law(corpus, law))[-1], position) == []


@pytest.mark.shared
@pytest.mark.deep
def test_most_of_them_are_found_by_their_words(
    corpus: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the table: how far what is only found can be trusted."""
    shelf = msgspec.structs.replace(corpus.shelf, successors={})
    monkeypatch.setitem(vars(corpus), "shelf", shelf)
    counts: Counter[str] = Counter()
    for law, pairs in PAIRS.items():
        version = corpus.versions(find_law(corpus, law))[-1]
        for pair in pairs.split():
            here, there = map(parse_position, pair.split("-"))
            assert here
            assert there
            found = successors(corpus, version, here)
            hit = any(successor.position[:2] == there[:2] for successor in found)
            counts["right" if hit else "other" if found else "none"] += 1
    assert counts == {"right": 366, "other": 17, "none": 20}

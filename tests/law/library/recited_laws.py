"""Laws of a lake that does not exist, in versions that differ, to be recited badly."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

from hengfa.law.grammar.citation_positions import parse_position
from hengfa.law.library import FoundVersion, Library, Position, Version, find_law, promulgated_on
from hengfa.law.library.building.build import build_library
from hengfa.law.library.diagnosis.classes import Diagnosis, diagnose

LAW = "云湖灯塔法"
BOATS = "云湖渔船法"

PURPOSE = "为了让夜航的船只平安靠岸，规范灯塔的建造和看护，制定本法。"
LIGHT = "灯塔看护人应当在每日日落以前点灯，并在日出以后熄灯。"
FOG = "遇有浓雾的，看护人应当每隔十分钟鸣钟一次，直到浓雾散去。"
LEAVE = "看护人离开灯塔超过三日的，可以事先托付邻人，但是不得让鸬鹚代为看护。"
LEAD = "有下列情形之一的，湖务司可以更换看护人："
ITEMS = ("连续两夜没有点灯的；", "把灯油拿去煎鱼的；", "年满七十岁并且自愿离开的。")
CLIMB = "任何人不得攀爬灯塔的外墙，不得向灯塔投掷石块或者其他硬物。"
FINE = "违反前条规定的，由湖务司处五十元以上二百元以下罚款；打碎玻璃的，应当照价赔偿。"
SHORT = "禁止垂钓。"
FOG_2001 = "起雾的夜里，看护人应当吹响牛角号，号声以能够传到对岸的茶馆为准。"
OIL_2001 = "灯油由沿湖各村轮流供给，每村一个月，推托的村子来年多供两个月。"
FINE_2020 = "违反前条规定的，由湖务司处五百元以上二千元以下罚款；打碎玻璃的，应当照价赔偿。"
BOAT = "渔船出湖以前，船主应当检查船底、船桨和渔网，并在船头悬挂写有姓名的灯笼。"


def _text(*articles: str) -> str:
    numbers = "一二三四五六七八九"
    written = (f"第{numbers[n]}条 {article}" for n, article in enumerate(articles))
    return "\n\n".join([f"# {LAW}", *written]) + "\n"


_LIST = "\n\n".join([LEAD, *(f"（{n}）{item}" for n, item in zip("一二三", ITEMS, strict=True))])
TEXTS = {
    "2001-03-01": _text(PURPOSE, f"{LIGHT}\n\n{FOG_2001}", OIL_2001, CLIMB),
    "2010-05-05": _text(PURPOSE, f"{LIGHT}\n\n{FOG}\n\n{LEAVE}", _LIST, CLIMB, FINE, SHORT),
    "2020-07-07": _text(PURPOSE, SHORT, f"{LIGHT}\n\n{FOG}\n\n{LEAVE}", _LIST, CLIMB, FINE_2020),
}
ROWS = [
    *({"law": LAW, "version": day, "kind": "statute", "text": text} for day, text in TEXTS.items()),
    {
        "law": BOATS,
        "version": "2005-05-05",
        "kind": "statute",
        "text": f"# {BOATS}\n\n第一条 {BOAT}\n\n第二条 本法自公布之日起施行。\n",
    },
]


def build(folder: Path) -> Path:
    """The library of these laws."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
    (folder / "statutes.jsonl").write_text(rows, "utf-8")
    file = folder / "law.sqlite"
    build_library([folder / "statutes.jsonl"], file)
    return file


def version(library: Library, day: str, law: str = LAW) -> Version:
    found = promulgated_on(library, find_law(library, law), date.fromisoformat(day))
    assert isinstance(found, FoundVersion)
    return found.version


def at(position: str) -> Position:
    found = parse_position(position)
    assert found is not None
    return found


def recite(library: Library, position: str, answer: str, day: str = "2010-05-05") -> Diagnosis:
    """What is wrong with an answer to the question for a position."""
    return diagnose(library, version(library, day), at(position), answer)

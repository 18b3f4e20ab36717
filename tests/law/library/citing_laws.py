"""Laws of a coast that does not exist, in versions that are at hand and versions that are not.

The 云港海岸法 was adopted in 2005, amended by three acts in 2009, 2014 and 2018 and rewritten in
2022; the texts of 2009 and 2014 are not at hand, the acts are. The 云港渡口法 lacks a text and its
act.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

COAST = "云港海岸法"
HARBOUR = "云港渔港法"
PORTS = "云港港口法"
FERRY = "云港渡口法"
RULING = "云港最高法院关于审理海岸案件适用法律若干问题的解释"

LANTERNS_2005 = "灯塔看守人应当每日日落前点灯，日出后熄灯。"
LANTERNS_2009 = "灯塔看守人应当每日日落前一小时点灯，日出后一小时熄灯。"
VEHICLES = "任何人不得在海滩上驾驶车辆。"
FINE_2005 = "违反前款规定的，处一百元以上五百元以下罚款。"
FINE_2014 = "违反前款规定的，处五百元以上二千元以下罚款。"
TURTLES = "在海岸上有下列行为之一的，处五日以下拘留："
ITEMS = ("夜间点燃篝火的；", "捕捉海龟或者拾取海龟蛋的；", "向海中倾倒垃圾的。")
GRAVE = "情节严重的，处十日以下拘留，并处一千元罚款。"
REGISTER_2005 = "渔民出海前应当向港务所登记姓名、船号和预计返回的时间。"
REGISTER_2018 = "渔民出海前应当在网上登记船号和预计返回的时间。"
CLOSED = "海龟产卵期间，海滩自二十时至次日六时关闭。"
PATROL_2009 = "海滩关闭期间，巡逻员可以带灯进入。"
PATROL_2014 = "海滩关闭期间，巡逻员和志愿者可以带红灯进入。"
DIVERS = "潜水的人应当在船上悬挂白底红条的旗帜。"


def _coast(lanterns: str, fine: str, register: str, *more: str) -> str:
    return "\n\n".join(
        [
            f"# {COAST}",
            "第一条 为了保护海岸，制定本法。",
            f"第二条 {VEHICLES}",
            fine,
            f"第三条 {TURTLES}",
            f"（一）{ITEMS[0]}",
            f"（二）{ITEMS[1]}",
            f"（三）{ITEMS[2]}",
            GRAVE,
            f"第四条 {lanterns}",
            f"第五条 {register}",
            f"第六条 {CLOSED}",
            *more,
            "第八条 本法自2005年6月1日起施行。",
        ]
    )


COAST_2005 = _coast(LANTERNS_2005, FINE_2005, REGISTER_2005, "第七条 本法由港务所负责解释。")
COAST_2018 = _coast(
    LANTERNS_2009,
    FINE_2014,
    REGISTER_2018,
    f"第六条之一 {PATROL_2014}",
    "第七条 本法由港务所负责解释。",
    f"第七条之一 {DIVERS}",
)
COAST_2022 = f"""# {COAST}

第一条 为了保护海岸和海龟，制定本法。

第二条 {CLOSED}

第三条 {VEHICLES}

违反前款规定的，处三千元罚款。

第四条 {LANTERNS_2009}

第五条 本法自2023年3月1日起施行。
"""
ACTS = {
    f"{COAST}修正案": (
        "2009-04-01",
        f"""# {COAST}修正案

2009年4月1日云港议会通过

一、将海岸法第四条修改为：“{LANTERNS_2009}”

二、在海岸法第六条后增加一条，作为第六条之一：“{PATROL_2009}”

三、本修正案自2009年5月1日起施行。
""",
        "2009-05-01",
    ),
    f"{COAST}修正案（二）": (
        "2014-07-01",
        f"""# {COAST}修正案（二）

2014年7月1日云港议会通过

一、将海岸法第二条第二款修改为：“{FINE_2014}”

二、将海岸法第六条之一修改为：“{PATROL_2014}”

三、本修正案自2014年9月1日起施行。
""",
        "2014-09-01",
    ),
    f"{COAST}修正案（三）": (
        "2018-10-01",
        f"""# {COAST}修正案（三）

2018年10月1日云港议会通过

一、将海岸法第五条修改为：“{REGISTER_2018}”

二、在海岸法第七条后增加一条，作为第七条之一：“{DIVERS}”

三、本修正案自2019年1月1日起施行。
""",
        "2019-01-01",
    ),
}
HARBOUR_1999 = f"""# {HARBOUR}

第一条 渔港内禁止游泳。

第二条 船只进港应当鸣笛三声，出港应当鸣笛一声。

第三条 本法自1999年8月1日起施行。
"""
PORTS_2010 = f"""# {PORTS}

第一条 港口由港务所管理。

第二条 船只进出港口应当以无线电报告港务所值班员。

第三条 本法自2010年6月1日起施行。《{HARBOUR}》同时废止。
"""
FERRY_2001 = (
    f"# {FERRY}\n\n第一条 渡口应当备有救生圈和哨子。\n\n第二条 本法自2001年5月1日起施行。\n"
)
FERRY_2020 = (
    f"# {FERRY}\n\n第一条 渡口应当备有救生衣和哨子。\n\n第二条 本法自2001年5月1日起施行。\n"
)
FESTIVALS = "# 云港节日条例\n\n第一条 "
RULING_2011 = f"""# {RULING}

第一条 海岸案件由海岸所在地的法院管辖。

第二条 海岸法第三条规定的“情节严重”，是指有下列情形之一：

（一）一年内受过两次拘留的；

（二）捕捉海龟三只以上的。

第三条 本解释自2011年7月1日起施行。
"""

CALENDAR = f"""law\tdate\tevent
{COAST}\t2005-03-01\tadopted
{COAST}\t2009-04-01\tamended
{COAST}\t2014-07-01\tamended
{COAST}\t2018-10-01\tamended
{COAST}\t2022-10-01\trevised
{FERRY}\t2001-03-01\tadopted
{FERRY}\t2010-03-01\tamended
{FERRY}\t2020-03-01\tamended
"""


def _row(law: str, version: str, text: str, effective: str, **more: Any) -> dict[str, Any]:
    dates = {"version": version, "effective": effective, "effective_basis": "text"}
    return {"law": law, "text": text, **dates, **more}


ROWS = [
    _row(COAST, "2005-03-01", COAST_2005, "2005-06-01", event="adopted"),
    _row(COAST, "2018-10-01", COAST_2018, "2019-01-01", event="amended"),
    _row(COAST, "2022-10-01", COAST_2022, "2023-03-01", event="revised"),
    *(
        _row(name, day, text, effective, kind="amendment")
        for name, (day, text, effective) in ACTS.items()
    ),
    _row(HARBOUR, "1999-05-01", HARBOUR_1999, "1999-08-01"),
    _row(PORTS, "2010-02-01", PORTS_2010, "2010-06-01"),
    _row(FERRY, "2001-03-01", FERRY_2001, "2001-05-01", event="adopted"),
    _row(FERRY, "2020-03-01", FERRY_2020, "2020-05-01", event="amended"),
    _row(RULING, "2011-05-01", RULING_2011, "2011-07-01", kind="interpretation"),
    _row("云港节日条例（1988年）", "1988-01-01", f"{FESTIVALS}灯节放假。", "1988-01-01"),
    _row("云港节日条例（1993年）", "1993-01-01", f"{FESTIVALS}龟节放假。", "1993-01-01"),
]  # fmt: skip


def write_laws(folder: Path) -> Path:
    """The folder, with these laws in the builder's own format."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
    (folder / "statutes.jsonl").write_text("".join(lines), "utf-8")
    (folder / "version_calendar.tsv").write_text(CALENDAR, "utf-8")
    return folder

"""Laws of a country that does not exist, with every trap that dates and numbers can set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TEA = "月湖茶馆法"
FERRY = "月湖渡船法"
WATER = "月湖水运法"
LANTERN = "月湖灯笼法"
FISH = "月湖渔业法"
BELL = "月湖钟楼法"
GUIDE = "月湖最高法院关于审理茶馆纠纷案件适用法律若干问题的解释"


def _text(title: str, history: list[str], *articles: str) -> str:
    return "\n\n".join([f"# {title}", *history, *articles]) + "\n"


TEA_2001 = _text(
    TEA,
    ["2001年3月10日月湖议会第一次会议通过"],
    "## 第一章　总则",
    "**第一条**　为了规范茶馆的经营，制定本法。",
    "**第二条**　茶馆应当明码标价。",
    "违反前款规定的，处一百元罚款。",
    "## 第二章　经营",
    "**第三条**　经营者不得有下列行为：",
    "（一）以陈茶冒充新茶；",
    "（二）强迫客人购买点心；",
    "（三）拒绝提供热水。",
    "有前款行为之一的，处二百元罚款。",
    "**第四条**　本法自2001年7月1日起施行。",
)
TEA_2015 = _text(
    TEA,
    [
        "2001年3月10日月湖议会第一次会议通过",
        "根据2008年5月20日月湖议会第九次会议《关于修改〈月湖茶肆条例〉的决定》修正",
        "2015年10月1日月湖议会第三十次会议修订",
    ],
    "## 第一章　总则",
    "**第一条**　为了规范茶馆的经营，保护饮茶人，制定本法。",
    "**第二条**　月湖各区设茶政署。",
    "**第三条**　茶馆应当明码标价。",
    "违反前款规定的，处五百元罚款。",
    "## 第二章　经营",
    "**第四条**　经营者不得有下列行为：",
    "（一）以陈茶冒充新茶；",
    "（二）强迫客人购买点心；",
    "（三）拒绝提供热水；",
    "（四）播放过响的音乐。",
    "有前款行为之一的，处二千元罚款。",
    "**第五条**　本法自2016年1月1日起施行。",
)
TEA_2020 = TEA_2015.replace(
    "2015年10月1日月湖议会第三十次会议修订",
    "2015年10月1日月湖议会第三十次会议修订\n\n"
    "根据2020年6月1日月湖议会第四十次会议《关于修改〈月湖茶馆法〉的决定》修正",
).replace(
    "**第五条**",
    "**第四条之一**　夜间营业的茶馆应当悬挂灯笼。\n\n**第五条**",
)
FERRY_1999 = _text(
    FERRY,
    ["1999年4月1日月湖议会通过"],
    "第一条 渡船应当备有救生衣。",
    "第二条 本法自1999年6月1日起施行。",
)
WATER_2010 = _text(
    WATER,
    ["2010年2月1日月湖议会通过"],
    "第一条 水上运输应当安全。",
    "第二条 渡船应当备有救生衣。",
    "第三条 本法自2010年6月1日起施行。《月湖渡船法》和1950年公布的《月湖灯笼法》同时废止。",
)
LANTERN_2019 = _text(
    LANTERN,
    ["2019年12月1日月湖议会通过"],
    "第一条 灯笼应当防火。",
    "第二条 本法自2020年5月1日起施行。",
)
FISH_2018 = _text(
    FISH,
    ["2005年1月1日月湖议会通过", "根据2018年3月3日月湖议会《关于修改〈月湖渔业法〉的决定》修正"],
    "第一条 每年三月禁渔。",
    "第二条 本法自2005年2月1日起施行。",
)
BELL_1990 = _text(
    BELL, ["1990年9月9日月湖议会通过"], "第一条 钟楼每日正午鸣钟。", "第二条 鸣钟十二响。"
)
GUIDE_2021 = _text(
    GUIDE,
    ["2021年1月5日月湖最高法院审判委员会通过"],
    "第一条 茶馆纠纷由茶馆所在地的法院管辖。",
    "第二条 本解释自2021年2月1日起施行。",
)

CALENDAR = f"""law\tdate\tevent\tin_corpus
{TEA}\t2001-03-10\tadopted\t1
{TEA}\t2008-05-20\tamended\t0
{TEA}\t2015-10-01\trevised\t1
{TEA}\t2020-06-01\tamended\t1
"""


def row(law: str, version: str, text: str, **fields: Any) -> dict[str, Any]:
    return {"law": law, "version": version, "text": text, **fields}


ROWS = [
    row(
        TEA, "2001-03-10", TEA_2001, event="adopted", effective="2001-07-01", effective_basis="text"
    ),
    row(TEA, "2015-10-01", TEA_2015, event="revised"),
    row(TEA, "2020-06-01", TEA_2020, event="amended", effective="2020-09-01"),
    row(FERRY, "1999-04-01", FERRY_1999),
    row(WATER, "2010-02-01", WATER_2010),
    row(LANTERN, "2019-12-01", LANTERN_2019),
    row(
        FISH,
        "2018-03-03",
        FISH_2018,
        event="amended",
        effective="2018-03-03",
        effective_basis="register",
        effective_suspect=True,
    ),
    row(BELL, "1990-09-09", BELL_1990),
    row(GUIDE, "2021-01-05", GUIDE_2021, kind="interpretation"),
    row(
        "月湖节日条例（1988年）",
        "1988-01-01",
        _text("月湖节日条例", [], "第一条 灯节放假。"),
        kind="amendment",
    ),
    row(
        "月湖节日条例（1993年）",
        "1993-01-01",
        _text("月湖节日条例", [], "第一条 茶节放假。"),
        kind="amendment",
    ),
    row(
        "中华人民共和国民事诉讼法",
        "1991-04-09",
        _text("中华人民共和国民事诉讼法", [], "第一条 此为虚构。"),
    ),
]


def write_rows(folder: Path, rows: list[dict[str, Any]], calendar: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in rows)
    (folder / "statutes.jsonl").write_text("".join(lines), "utf-8")
    if calendar:
        (folder / "version_calendar.tsv").write_text(calendar, "utf-8")
    return folder

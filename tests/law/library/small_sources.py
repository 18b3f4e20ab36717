"""Small repositories of our own, in the layouts of those that the statutes are assembled from."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from hengfa.law.library.assembly import READS
from tests.law.library.fictional import FERRY_1999, TEA, TEA_2001, TEA_2015, TEA_2020

JUST_LAWS, X_STORAGE, REGISTER, CHINESE_LAWS, LAW = list(READS)[:5]
HISTORY = list(READS)[5:]
STATUTES = [pattern for pattern in READS[X_STORAGE] if pattern.endswith("法/*.md")]

FIRST, SECOND, LAST = (
    f"# {head}\n\n**第{number}条**　{text}\n"
    for head, number, text in (
        ("第一编　总则", "一", "船应当有灯。"),
        ("第二编　分则", "二", "灯应当亮。"),
        ("附则", "三", "本法自公布之日起施行。"),
    )
)
CODE = "---\nnext: /code/01.md\n---\n\n# 月湖船法典\n\n2003年2月1日月湖议会通过\n"
DECISION = "# 月湖议会关于惩治偷灯的决定\n\n2004年3月1日月湖议会通过\n\n一、不得偷灯。\n"
REPLY = (
    "# 最高人民法院关于茶水的批复\n\n2005年1月2日 审判委员会会议\n\n2005年1月1日 检察委员会通过\n\n"
    "2005年2月1日 施行\n\n<!-- INFO END -->\n\n第一条 茶水是水。\n"
)


def put(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())


def put_register(folder: Path, columns: str, *rows: tuple[object, ...]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "db.sqlite3").unlink(missing_ok=True)
    with closing(sqlite3.connect(folder / "db.sqlite3")) as connection, connection:
        connection.execute(f"CREATE TABLE law ({columns})")
        marks = ", ".join("?" * len(columns.split(",")))
        connection.executemany(f"INSERT INTO law VALUES ({marks})", rows)


def write_sources(folders: Mapping[str, Path]) -> None:
    """Everything that is needed, each file as small as can be."""
    put(
        folders[JUST_LAWS],
        {
            "docs/constitution/README.md": "# 月湖宪章\n\n1950年1月1日通过\n\n第一条 甲。\n",
            "docs/economic/tea/README.md": f"---\nsidebar: auto\n---\n\n{TEA_2020}",
            "docs/economic/code/README.md": CODE,
            "docs/economic/code/00-supplementary.md": LAST,
            "docs/economic/code/01-general.md": FIRST,
            "docs/economic/code/02-special.md": SECOND,
            "docs/economic/code/04-amendment.md": "# 修正案\n\n## 某修正案\n\n2004年1月1日通过\n",
            "docs/economic/code/05-decision.md": DECISION,
        },
    )
    put(folders[X_STORAGE], {pattern.replace("*", "_index"): "---\n---\n" for pattern in STATUTES})
    put(
        folders[X_STORAGE],
        {
            "宪法/_index.md": "",
            "经济法/茶馆法(2020-06-01).md": TEA_2020,
            "经济法/茶馆法(2015-10-01).md": TEA_2015,
            "司法解释/关于茶水的批复.md": REPLY,
            "司法解释/关于船票的解释(2006-02-03).md": "# 关于《月湖船法典》的解释\n\n第一条 票。\n",
        },
    )
    put_register(folders[REGISTER], "name, publish, valid_from", ("茶馆法", "2020-06-01", ""))
    put_register(
        folders[X_STORAGE],
        "name, publish, valid_from, valid_to",
        (TEA, "2020-06-01", "2020-06-01", "2024-05-05"),
        ("关于〈月湖船法典〉的解释", "2006-02-03", "2006-02-03", "2099-12-31"),
        ("案例", None, None, "2099-12-31"),
    )
    put(
        folders[CHINESE_LAWS],
        {"宪法/月湖宪法.md": "", "基本法律/茶.md": TEA_2001, "非基本法律/无.md": "# 无\n"},
    )
    put(folders[LAW], {"月湖渡船法.md": FERRY_1999.replace("1999年6月1日", "１９９９年６月１日")})
    for number, name in enumerate(HISTORY):
        [path] = READS[name]
        text = f"# 旧法其{number}\n\n1960年1月{number + 1}日通过\n\n第一条 旧。\n"
        put(folders[name], {path: text})

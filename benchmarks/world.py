"""How many tool calls a second a legal world answers, and whether its size matters.

    python benchmarks/world.py [ROWS]...

Worlds of 10,000, 100,000 and 1,000,000 rows, unless told, are written and asked the same mix of
strict calls: rows by case number, name, short name and credit code, lists of five, regions, misses.
Beside each figure, in the same run, what the published tools did: a data frame, compared cell by
cell with `==`. One thread, CPU time, best of three.

Needs hengfa[bench] (pandas) and no data.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hengfa.world.tables.schema import LOOKUP_OF, TABLE_OF
from hengfa.world.tables.world import Row, World, write_world
from hengfa.world.tools.observation import Status
from hengfa.world.tools.toolbox import Toolbox
from shared_data import read_arguments

SIZES = (10_000, 100_000, 1_000_000)
SHARES = {"LegalDoc": 0.5, "CompanyRegister": 0.2, "CompanyInfo": 0.05, "LawfirmInfo": 0.25}
CALLS = 20_000
SCANS = 40
Call = tuple[str, dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES, metavar="ROWS")
    sizes = read_arguments(parser, quick="500").sizes
    if find_spec("pandas") is None:
        parser.error("pandas is not installed: pip install '.[bench]'")
    with tempfile.TemporaryDirectory() as scratch:
        print("".join(f"{name:>12}" for name in ("rows", "write", "memory", "file")))
        files = {size: Path(scratch) / f"{size}.sqlite" for size in sorted(sizes)}
        for size, file in files.items():
            measure_writing(size, file)
        print(
            "\n"
            + "".join(f"{name:>12}" for name in ("rows", "calls/s", "a call", "pandas", "times"))
        )
        for size, file in files.items():
            measure_calls(size, file)


def measure_writing(size: int, file: Path) -> None:
    """In a process of its own; before pandas, whose memory a child would be charged with."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = multiprocessing.get_context("spawn").Process(target=write, args=(size, file))
    process.start()
    process.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    megabytes = file.stat().st_size / 1e6
    print(f"{size:>12,}{spent:>10.1f} s{after.ru_maxrss / 1024:>9,.0f} MB{megabytes:>9,.0f} MB")


def measure_calls(size: int, file: Path) -> None:
    with World.open(file) as world:
        tools = Toolbox(world)
        mix = calls(sizes_of_tables(size))
        check(tools, mix)
        ours = best(lambda: [tools.call(*call) for call in mix]) / len(mix)
        scanned = scan_with_pandas(world, mix)
    times = f"{ours * 1e6:>9.1f} µs{scanned * 1e6:>9,.0f} µs{scanned / ours:>12,.0f}"
    print(f"{size:>12,}{1 / ours:>12,.0f}{times}")


def sizes_of_tables(size: int) -> dict[str, int]:
    return {name: round(size * share) for name, share in SHARES.items()}


def write(size: int, file: Path) -> None:
    tables = {name: made(name, number) for name, number in sizes_of_tables(size).items()}
    write_world(file, tables, {}, source="benchmark")


def made(table: str, number: int) -> Iterator[Row]:
    """Rows of one table: five documents a company, four firms a region."""
    blank: dict[str, Any] = dict.fromkeys(TABLE_OF[table].names, "某某")
    for at in range(number):
        yield blank | KEYS[table](at)


KEYS: dict[str, Callable[[int], dict[str, Any]]] = {
    "LegalDoc": lambda at: {
        "案号": f"（2020）云0101民初{at}号",
        "关联公司": f"第{at // 5}号有限公司",
        "原告律师事务所": f"第{at // 5}号律师事务所",
        "涉案金额（元）": at * 1.5,
    },
    "CompanyRegister": lambda at: {
        "公司名称": f"第{at}号有限公司",
        "统一社会信用代码": f"91{at:016}",
    },
    "CompanyInfo": lambda at: {
        "公司名称": f"第{at}号有限公司",
        "公司简称": f"第{at}号",
        "公司代码": f"{at:06}",
    },
    "LawfirmInfo": lambda at: {
        "律师事务所名称": f"第{at}号律师事务所",
        "事务所省份": f"第{at // 400}省",
        "事务所城市": f"第{at // 40}市",
        "事务所区县": f"第{at // 4}区",
    },
}


def calls(rows: dict[str, int]) -> list[Call]:
    """The same mix for every size, over the whole of each table."""
    dice = random.Random(7)
    documents, register = rows["LegalDoc"], rows["CompanyRegister"]
    listed, firms = rows["CompanyInfo"], rows["LawfirmInfo"]

    def one() -> Call:  # noqa: PLR0911 - one for each kind of call
        kind, at = dice.randrange(10), dice.randrange
        if kind < 3:
            return "get_legal_document", {"identifier": f"（2020）云0101民初{at(documents)}号"}
        if kind < 5:
            identifier = f"第{at(documents) // 5}号有限公司"
            wanted = ["案号", "涉案金额（元）"]
            return "get_legal_document_company_list", {"identifier": identifier, "columns": wanted}
        if kind == 5:
            return "get_company_info", {"identifier": f"第{at(listed)}号", "columns": ["公司代码"]}
        if kind == 6:
            return "get_company_register", {"identifier": f"第{at(register)}号有限公司"}
        if kind == 7:
            return "get_company_register_name", {"identifier": f"91{at(register):016}"}
        if kind == 8:
            firm = at(firms)
            region = (f"第{firm // 400}省", f"第{firm // 40}市", f"第{firm // 4}区")
            return "get_lawfirm_info_list", dict(
                zip(("prov", "city", "county"), region, strict=True)
            )
        return "get_legal_document", {"identifier": f"（2021）云0101民初{at(documents)}号"}

    return [one() for _ in range(CALLS)]


def check(tools: Toolbox, mix: list[Call]) -> None:
    found = [tools.call(*call).status for call in mix]
    missed = sum("（2021）" in call[1].get("identifier", "") for call in mix)
    assert found.count(Status.NO_DATA) == missed
    assert found.count(Status.OK) == len(mix) - missed


def scan_with_pandas(world: World, mix: list[Call]) -> float:
    """Seconds a call of what the published tools did, on the same rows; the answers are equal."""
    import pandas as pd

    frames = {name: pd.DataFrame(world.all_rows(name)) for name in SHARES}
    tools = Toolbox(world)

    def scan(call: Call) -> Any:
        lookup = LOOKUP_OF[call[0]]
        frame = frames[lookup.table_name]
        values = [call[1][name] for name in lookup.arguments]
        columns = lookup.match.columns
        if lookup.match.rule == "all":
            mask = frame[columns[0]] == values[0]
            for column, value in zip(columns[1:], values[1:], strict=True):
                mask &= frame[column] == value
        else:
            mask = frame[columns[0]] == values[0]
            for column in columns[1:]:
                mask |= frame[column] == values[0]
        rows = frame[mask]
        if lookup.returns == "name":
            return rows.iloc[0]["公司名称"] if len(rows) else None
        rows = rows[call[1].get("columns") or list(frame.columns)]
        return rows.to_dict("records")[: None if lookup.returns == "list" else 1]

    few = mix[:SCANS]
    for call in few:
        if call[0] != "get_company_register_name":
            assert scan(call) == list(tools.call(*call).rows), call
    return best(lambda: [scan(call) for call in few]) / len(few)


def best(do: Callable[[], object]) -> float:
    spent = []
    for _ in range(3):
        began = time.process_time()
        do()
        spent.append(time.process_time() - began)
    return min(spent)


if __name__ == "__main__":
    main()

"""Samples of CLaw: which provisions are asked for, and what is known of each."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import cast

import pytest

from hengfa.base.data.packs import pack_root, sample_root
from hengfa.base.data.paths import home
from hengfa.base.errors import DataError, MissingExtra, UsageError
from hengfa.evals.suites.claw import locating, reciting
from hengfa.evals.suites.claw.dataset import ClawSample, all_samples, load
from hengfa.evals.suites.claw.suite import SUITE
from hengfa.evals.suites.plan import choose, make_plan
from hengfa.law.grammar.citation_model import Position
from hengfa.law.library.building.build import build_library
from hengfa.law.library.building.sources import SourceFolder
from hengfa.law.library.opening import open_library
from hengfa.law.library.store import default_file

ROOT = sample_root() / "claw"


def samples(task: str = "content", setting: str = "all", **options: str) -> dict[str, ClawSample]:
    listed = load(task, ROOT, setting, SUITE.choose(options))
    found = {sample.id: sample for sample in listed}
    assert len(found) == len(listed)
    return found


def write(folder: Path, *rows: dict[str, object]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    (folder / "statutes.jsonl").write_text("\n".join(lines), "utf-8")
    return folder


def row(text: str, law: str = "月湖某法", version: str = "2001-01-01") -> dict[str, object]:
    return {"law": law, "version": version, "effective": version, "text": text}


# --- which provisions ---


def test_an_id_names_law_version_and_position() -> None:
    found = samples()
    assert found["月湖渡船法/2015-09-20/7-1.2"].text == "浮衣放在乘客伸手够得着的地方，不得上锁。"
    assert found["月湖渡船法/2008-03-12/4..1"].position == Position(4, None, None, 1)
    assert found["月湖渡船法/2008-03-12/6.1.2"].text == "桨、舵或者船钟缺一样；"
    assert found["月湖渡船法/2008-03-12/6.2"].text.startswith("前款第三项的风级")
    assert found["月湖养蜂法/2003-05-06/10"].text == "本法自公布之日起施行。"


def test_only_leaves_are_asked_for() -> None:
    assert "月湖渡船法/2008-03-12/6.1" not in samples()  # the sentence that opens a list
    assert "月湖渡船法/2008-03-12/4" not in samples()


def test_levels_tell_how_deep_a_position_goes() -> None:
    found = samples()
    levels = {"3": "article", "2.1": "paragraph", "4..1": "item", "6.1.2": "item"}
    for position, level in levels.items():
        assert found[f"月湖渡船法/2008-03-12/{position}"].level == level


def test_a_position_that_stands_twice_is_not_asked_for(tmp_path: Path) -> None:
    items = "第一条　下列人可以进：\n（一）甲；\n（二）乙；\n（二）丙。"
    text = f"月湖某法\n\n{items}\n第二条　完。\n"
    found = all_samples(write(tmp_path, row(text)), {})
    assert [sample.id for sample in found] == ["月湖某法/2001-01-01/1..1", "月湖某法/2001-01-01/2"]


def test_the_cut_off_leaves_out_younger_versions() -> None:
    young = "月湖风筝法/2025-06-18/1"
    assert young not in samples()
    assert young in samples(cutoff="2025-06-18")
    assert {one.version.year for one in samples(cutoff="2003-12-31").values()} == {2003}


def test_statutes_are_asked_for_and_other_texts_only_with_scope_all() -> None:
    interpretation = "月湖审判所关于适用〈月湖渡船法〉若干问题的解释/2017-03-03/2.1"
    assert interpretation not in samples()
    assert interpretation in samples(scope="all")
    assert len({one.law for one in samples(scope="all").values()}) == 6  # a decision has none


@pytest.mark.parametrize("scope", ["claw", "all"])
def test_regulations_and_rules_are_asked_for_with_no_scope(tmp_path: Path, scope: str) -> None:
    text = "第一条 灯要亮。"
    folder = write(
        tmp_path,
        row(text),
        row(text, "月湖某条例") | {"kind": "regulation"},
        row(text, "月湖某办法") | {"kind": "rule"},
    )
    asked = load("content", folder, "all", SUITE.choose({"scope": scope}))
    assert {sample.law for sample in asked} == {"月湖某法"}


def test_one_law_can_be_asked_for_by_any_of_its_names() -> None:
    every = samples()
    ferry = {id_ for id_ in every if id_.startswith("月湖渡船法/")}
    assert set(samples(statute="月湖渡船法")) == set(samples(statute=" 《月湖渡船法》 ")) == ferry
    assert samples(statute="月湖渡船法").items() <= every.items()
    with pytest.raises(UsageError, match="no law is called '月湖云法'"):
        samples(statute="月湖云法")
    with pytest.raises(DataError, match="no provision is left"):
        samples(statute="月湖审判所关于适用〈月湖渡船法〉若干问题的解释")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cutoff": "soon"}, "--set cutoff: 'soon' is not a date"),
        ({"scope": "some"}, "--set scope: 'some' is none of claw, all"),
        ({"reading": "x"}, "--set reading: 'x' is none of promulgated, in-force"),
        ({"as_of": "2021"}, "--set as_of: '2021' is not a date"),
        ({"held_out": "1"}, "--set held_out: '1' is no share such as 0.1"),
        ({"held_out": "half"}, "--set held_out: 'half' is no share"),
        ({"index": "nowhere"}, "--set index: there is no index in nowhere"),
        ({"k": "0"}, "--set k: '0' is no number from 1 to 100"),
        ({"bertscore": "bert-base-chinese"}, "models are not downloaded"),
        ({"colour": "red"}, "claw has no option 'colour'"),
    ],
)
def test_options_are_checked(options: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        SUITE.choose(options)


def test_bertscore_without_its_extra_is_refused_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text("{}")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"\.\[bertscore\]"):
        SUITE.choose({"bertscore": str(tmp_path)})


def test_nothing_left_is_an_error_and_so_is_an_unknown_setting() -> None:
    with pytest.raises(DataError, match="no provision is left for all"):
        samples(cutoff="1990-01-01")
    with pytest.raises(UsageError, match="there is: all, version-sensitive, unique-text, twins"):
        samples(setting="some")


# --- settings ---


def test_version_sensitive_positions_have_another_text_in_the_version_beside() -> None:
    found = samples(setting="version-sensitive")
    assert {"月湖养蜂法/2003-05-06/7", "月湖养蜂法/2016-08-15/7"} <= found.keys()
    assert "月湖养蜂法/2003-05-06/1" not in found  # the same in 2016
    assert "月湖养蜂法/2016-08-15/1" in found  # another in 2023
    assert "月湖渡船法/2015-09-20/7-1.1" not in found  # new, and gone in 2021
    texts = {(one.law, one.version, one.position): one.text for one in samples().values()}
    for one in found.values():
        beside = {
            text for (law, _, at), text in texts.items() if (law, at) == (one.law, one.position)
        }
        assert len(beside) > 1, one.id


def test_unique_texts_occur_once_in_their_version() -> None:
    found = samples(setting="unique-text")
    twice = {sample.id: sample.same for sample in samples().values() if sample.same}
    assert twice["月湖渡船法/2008-03-12/9.2"] == (Position(12, None, 2),)
    assert twice["月湖渡船法/2021-04-18/15.2"] == (Position(11, None, 2),)
    assert found.keys() == samples().keys() - twice.keys()


def test_a_year_with_two_versions_is_not_asked_for_by_the_year() -> None:
    dropped = samples().keys() - samples("id").keys()
    assert {id_.rpartition("/")[0] for id_ in dropped} == {
        "月湖夜市法/2018-06-30",
        "月湖夜市法/2018-11-11",
    }


def test_a_version_that_only_the_calendar_knows_makes_a_year_doubtful(tmp_path: Path) -> None:
    folder = write(tmp_path, row("月湖某法\n\n第一条　甲。\n"))
    assert load("id", folder, "all", {})
    (folder / "version_calendar.tsv").write_text(
        "law\tdate\tevent\n月湖某法\t2001-01-01\tadopted\n月湖某法\t2001-09-09\tamended\n", "utf-8"
    )
    assert load("content", folder, "all", {})
    with pytest.raises(DataError, match="no provision is left"):
        load("id", folder, "all", {})


# --- readings of a date ---


def test_each_sample_says_which_reading_its_date_uses_and_what_was_in_force() -> None:
    found = samples()
    assert {sample.reading for sample in found.values()} == {"promulgated on"}
    amended = found["月湖渡船法/2015-09-20/5.1"]
    assert (str(amended.asked), amended.in_force) == ("2015-09-20", "other")
    assert amended.in_force_text is not None and "三十日内" in amended.in_force_text
    assert amended.in_force_at == ()
    moved = found["月湖渡船法/2021-04-18/5..1"]
    assert moved.in_force_text is None and moved.in_force_at == (Position(4, None, None, 1),)
    assert found["月湖渡船法/2008-03-12/1"].in_force == "not yet"
    assert found["月湖养蜂法/2003-05-06/1"].in_force == "same"
    assert found["月湖养蜂法/2016-08-15/1"].in_force == "assumed"
    assert found["月湖街市法/2025-03-20/1"].in_force == "other"


def test_a_version_may_be_asked_for_by_the_first_day_it_was_in_force() -> None:
    found = samples(reading="in-force")
    assert {(one.reading, one.in_force) for one in found.values()} == {("in force on", "same")}
    assert str(found["月湖渡船法/2015-09-20/5.1"].asked) == "2015-12-01"
    missing = {id_.rpartition("/")[0] for id_ in samples().keys() - found.keys()}
    # nobody knows since when; not before 2099
    assert missing == {"月湖养蜂法/2016-08-15", "月湖街市法/2025-03-20"}
    by_year = samples("id", reading="in-force")
    assert "月湖夜市法/2018-11-11/1" in by_year  # in force from 2019, alone in its year


def test_every_law_may_be_asked_for_as_it_was_on_a_day(
    caplog: pytest.LogCaptureFixture,
) -> None:
    found = samples(as_of="2018-01-01")
    assert {(one.reading, one.in_force, str(one.asked)) for one in found.values()} == {
        ("in force on", "same", "2018-01-01")
    }
    assert {id_.rpartition("/")[0] for id_ in found} == {
        "月湖渡船法/2015-09-20",
        "月湖夜市法/2012-02-02",
        "月湖风筝法/2014-04-25",
    }
    # of the bees' law nobody knows since when the version of 2016 was in force
    assert "left out as of 2018-01-01: 1 laws whose version in force is not certain" in caplog.text
    assert samples("id", as_of="2018-01-01").keys() == found.keys()  # the day names the version
    latest = {one.law for one in found.values() if not one.superseded}
    assert latest == {"月湖风筝法"}  # the others were amended since, up to the cut-off
    changed = samples(setting="version-sensitive", as_of="2018-01-01")
    assert changed.keys() == samples(setting="version-sensitive").keys() & found.keys()


def test_a_day_after_the_cut_off_may_be_asked_for() -> None:
    assert "月湖风筝法/2025-06-18/1" in samples(as_of="2030-01-01")


def test_superseded_versions_are_marked() -> None:
    latest = {(one.law, str(one.version)) for one in samples().values() if not one.superseded}
    assert latest == {
        ("月湖渡船法", "2021-04-18"),
        ("月湖养蜂法", "2023-01-10"),
        ("月湖夜市法", "2018-11-11"),
        ("月湖街市法", "2025-03-20"),
        ("月湖风筝法", "2014-04-25"),
    }


# --- where the library comes from ---


def test_a_folder_is_read_once_into_a_library_of_its_own(tmp_path: Path) -> None:
    folder = write(tmp_path, row("月湖某法\n\n第一条　甲。\n"))
    first = open_library(folder).path
    assert first.parent == home() / "libraries"
    made = first.stat().st_mtime_ns
    assert open_library(folder).path == first and first.stat().st_mtime_ns == made
    write(folder, row("月湖某法\n\n第一条　乙。\n"))
    assert open_library(folder).path != first
    assert [one.text for one in all_samples(folder, {})] == ["乙。"]


def test_what_else_lies_in_a_folder_is_no_statute(tmp_path: Path) -> None:
    folder = write(tmp_path, row("月湖某法\n\n第一条　甲。\n"))
    (folder / "cases.jsonl").write_text(
        '{"law": "案例", "version": "2001-01-01", "text": "第一条"}'
    )
    assert {one.law for one in all_samples(folder, {"scope": "all"})} == {"月湖某法"}


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        ('{"law": "月湖某法", "version": "2020-02-02"}', "`text`"),
        (
            '{"law": "月湖某法", "version": "last year", "text": "第一条　甲。"}',
            "version is no date",
        ),
        ('{"law": "月湖某法", "ver', "not a text of a law"),
    ],
)
def test_a_row_that_cannot_be_read_is_named_and_not_left_out(
    broken: str, problem: str, tmp_path: Path
) -> None:
    folder = write(tmp_path, row("月湖某法\n\n第一条　甲。\n"))
    texts = folder / "statutes.jsonl"
    texts.write_text(f"{texts.read_text('utf-8')}\n{broken}\n", "utf-8")
    for _ in range(2):  # also of the library that is there already
        with pytest.raises(DataError) as caught:
            all_samples(folder, {})
        assert f"{texts}, row 2: " in str(caught.value)
        assert problem in str(caught.value)


def test_a_folder_without_statutes_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no statutes are here: expected statutes\.jsonl\.gz"):
        all_samples(tmp_path, {})


def install(text: str) -> Path:
    root = write(pack_root("statutes"), row(text))
    (root / "receipt.json").write_text("{}")
    return root


def test_the_installed_pack_has_the_library_that_was_built_from_it() -> None:
    root = install("月湖某法\n\n第一条　甲。\n")
    with pytest.raises(DataError, match="`hengfa law get` brings the texts"):
        all_samples(root, {})
    build_library([root], default_file())
    assert [one.text for one in all_samples(root, {})] == ["甲。"]


def test_a_library_of_other_texts_is_refused(tmp_path: Path) -> None:
    root = install("月湖某法\n\n第一条　甲。\n")
    build_library([write(tmp_path, row("月湖某法\n\n第一条　乙。\n"))], default_file())
    with pytest.raises(DataError, match="built from other texts than the pack 'statutes'"):
        all_samples(root, {})


def test_texts_of_ones_own_are_asked_for_when_wanted(tmp_path: Path) -> None:
    root = install("月湖某法\n\n第一条　甲。\n")
    own = write(tmp_path, row("月湖自家法\n\n第一条　乙。\n", law="月湖自家法"))
    build_library([root, SourceFolder(own, own=True)], default_file())
    assert [one.text for one in all_samples(root, {})] == ["甲。"]
    assert [one.text for one in all_samples(root, {"texts": "own"})] == ["乙。"]


def test_a_text_of_ones_own_does_not_take_the_place_of_the_packs(tmp_path: Path) -> None:
    root = install("月湖某法\n\n第一条　甲。\n")
    own = write(tmp_path, row("月湖某法\n\n第一条　乙。\n\n第二条　丙。\n"))
    build_library([root, SourceFolder(own, own=True)], default_file())
    with pytest.raises(DataError, match=r"in place of the pack's 月湖某法 \(2001-01-01\)"):
        all_samples(root, {})


def test_a_library_older_than_the_pack_is_refused() -> None:
    root = install("月湖某法\n\n第一条　甲。\n")
    build_library([root], default_file())
    later = default_file().stat().st_mtime + 5
    os.utime(root / "receipt.json", (later, later))
    with pytest.raises(DataError, match=r"older than the pack.*`hengfa law build`"):
        all_samples(root, {})


# --- the plan ---


def test_a_limited_run_takes_its_share_of_every_law() -> None:
    everything = list(samples().values())
    some = cast("list[ClawSample]", choose(everything, 26, SUITE.tasks["content"].stratum))
    whole, share = (Counter(one.law for one in chosen) for chosen in (everything, some))
    for law, n in whole.items():
        assert abs(share[law] - n / 10) <= 1
    assert {one.id for one in some} < {
        one.id for one in choose(everything, 60, SUITE.tasks["content"].stratum)
    }


def test_plans_are_made_from_the_sample_pack() -> None:
    plan = make_plan("claw", data="sample", limit=7, options={"cutoff": "2020-01-01"})
    assert len(plan) == 14
    assert plan.options["cutoff"] == "2020-01-01"
    chosen = cast("list[ClawSample]", plan.samples("id"))
    assert all(sample.version.year < 2020 for sample in chosen)


# --- prompts ---


def test_the_prompt_for_a_place_gives_year_title_and_text_and_shows_the_form() -> None:
    (message,) = locating.prompt(samples()["月湖渡船法/2015-09-20/7-1.2"], "all")
    assert "《月湖渡船法》2015年" in message.content
    assert "浮衣放在乘客伸手够得着的地方，不得上锁。" in message.content
    assert "```markdown\n条序号：\n款序号：\n项序号：\n```" in message.content
    assert "None" in message.content and "09-20" not in message.content


def test_the_prompt_for_a_text_gives_day_title_and_position() -> None:
    (message,) = reciting.prompt(samples()["月湖渡船法/2008-03-12/6.1.2"], "all")
    assert "《月湖渡船法》（2008-03-12）第六条第一款第（二）项" in message.content
    assert "船钟" not in message.content and "Markdown" in message.content
    inserted = samples()["月湖渡船法/2015-09-20/7-1.2"]
    assert "第七条之一第二款的条文" in reciting.prompt(inserted, "all")[0].content
    interpretation = samples(scope="all")[
        "月湖审判所关于适用〈月湖渡船法〉若干问题的解释/2017-03-03/1"
    ]
    assert (
        "《月湖审判所关于适用〈月湖渡船法〉若干问题的解释》"
        in locating.prompt(interpretation, "all")[0].content
    )


@pytest.mark.parametrize("options", [{"reading": "in-force"}, {"as_of": "2015-12-01"}])
def test_what_was_in_force_is_asked_for_in_words_that_say_so(options: dict[str, str]) -> None:
    one = samples(**options)["月湖渡船法/2015-09-20/7-1.2"]
    place, text = (task.prompt(one, "all")[0].content for task in (locating, reciting))
    assert "出自2015年12月1日有效的《月湖渡船法》：" in place
    assert "请逐字写出2015年12月1日有效的《月湖渡船法》第七条之一第二款的条文。" in text
    assert "2015年的版本" not in place and "（2015-" not in text


@pytest.mark.parametrize(
    ("options", "version", "day"),
    [
        ({}, "in the 2015 version of a Chinese law, ", " (2015-09-20), in Chinese"),
        (
            {"as_of": "2016-02-29"},
            "in the version in force on 2016-02-29 of a Chinese law, ",
            " (as in force on 2016-02-29), in Chinese",
        ),
    ],
)
def test_the_english_set_says_what_a_date_means(
    options: dict[str, str], version: str, day: str
) -> None:
    plan = make_plan("claw", data="sample", prompts="english", options=options)
    for asked, words in zip(plan.questions, (version, day), strict=True):
        one = next(sample for sample in asked.samples if sample.id == "月湖渡船法/2015-09-20/5.1")
        assert words in asked.task.prompt(one, "all")[0].content

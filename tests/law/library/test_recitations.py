"""Recitations, most of them wrong, with the class that a lawyer would give them.

Those of a harbour that does not exist and of real laws, whose words are filled in from the library,
were written with the rules that sort them (41), the later ones after these were done (8).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date

import opencc
import pytest

from hengfa.law.library import FoundVersion, Library, find_law, promulgated_on
from hengfa.law.library.building.build import build_library
from hengfa.law.library.diagnosis.classes import Diagnosis, diagnose
from tests.law.library.recited_laws import at

LAW, BEFORE = "云湖码头法", "云湖渡口法"

MOOR = (
    "船只靠泊码头的，船长应当在靠泊以前一个时辰向码头司报告船名、货物和船员人数，由码头司指定泊位。"
    "没有指定泊位的，不得系缆。船只在码头停留超过三日的，应当按日缴纳泊位费；因风浪不能离开的，"
    "风浪期间免缴泊位费，但是仍然应当每日向码头司报告船上的情况。"
    "码头司收到报告以后，应当登记在册，并保存十年。"
)
MOOR_2022 = MOOR.replace("三日", "五日")
NO_FEES = "码头司不得收取本法规定以外的费用。"
CARGO = "货物上岸以前，货主应当请看货人验看，并把验看的结果写在竹牌上。"
CARGO_2022 = CARGO.replace("应当请", "应当当场请")
TAG = "竹牌应当挂在货物显眼的地方，离开码头以后方可取下。"
COVER = (
    "货主托运鱼干、茶叶和其他容易受潮的货物的，应当自备油布，在开船以前遮盖完好；"
    "没有遮盖完好的，船长可以拒绝装船。"
)
COVER_1998 = COVER.replace("遮盖完", "盖").replace("船长可以", "船夫有权")
NIGHT = "夜间靠泊的船只应当在船头和船尾各挂一盏灯笼。"
RELIGHT = "灯笼熄灭的，应当立即重新点亮。"
FROGS = "任何人不得把青蛙带上装有粮食的船只。"
INVENTED = "船长违反前款规定的，由码头司罚抄码头守则二十遍。"
BELL = (
    "码头司应当在湖边设立钟楼，清晨鸣钟三次，通知渔民按照先后次序出湖，并公布当日的鱼市价格，"
    "接受乡里老人的监督。"
)


def _text(title: str, *articles: str) -> str:
    written = (f"第{n}条 {article}" for n, article in zip("一二三四五", articles, strict=False))
    return "\n\n".join([f"# {title}", *written]) + "\n"


ROWS = [
    (BEFORE, "1998-01-01", _text(BEFORE, COVER_1998, FROGS)),
    (LAW, "2012-02-02", _text(LAW, f"{MOOR}\n\n{NO_FEES}", f"{CARGO}\n\n{TAG}", COVER, NIGHT)),
    (
        LAW,
        "2022-02-02",
        _text(
            LAW,
            f"{MOOR_2022}\n\n{NO_FEES}",
            f"{CARGO_2022}\n\n{TAG}",
            COVER,
            f"{NIGHT}\n\n{RELIGHT}",
            FROGS,
        ),
    ),
]


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("harbour")
    rows = ({"law": law, "version": day, "kind": "statute", "text": t} for law, day, t in ROWS)
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "statutes.jsonl").write_text("".join(lines), "utf-8")
    build_library([folder / "statutes.jsonl"], folder / "law.sqlite")
    with Library.open(folder / "law.sqlite") as library:
        yield library


def traditional(words: str) -> str:
    return str(opencc.OpenCC("s2t").convert(words))


def recite(library: Library, law: str, day: str, position: str, answer: str) -> Diagnosis:
    found = promulgated_on(library, find_law(library, law), date.fromisoformat(day))
    assert isinstance(found, FoundVersion)
    return diagnose(library, found.version, at(position), answer)


OF_A_HARBOUR = {
    "old version, one letter of 140 different": ("1.1", MOOR, "wrong provision: version"),
    "the same with a slip of its own": (
        "1.1",
        MOOR.replace("登记在册", "登记成册"),
        "wrong provision: version",
    ),
    "old version, which lacks a word": ("2.1", CARGO, "wrong provision: version"),
    "old version, which lacks a paragraph": ("4", NIGHT, "wrong provision: version"),
    "old article for a paragraph": ("2.1", CARGO + TAG, "wrong provision: version"),
    "law that was repealed": ("3", COVER_1998, "wrong provision: law"),
    "law that was repealed, with a slip": (
        "3",
        COVER_1998.replace("茶叶", "茶"),
        "wrong provision: law",
    ),
    "a short paragraph after a long one": ("1.1", MOOR_2022 + NO_FEES, "addition: other paragraph"),
    "another article after a long paragraph": (
        "1.1",
        MOOR_2022 + FROGS,
        "addition: other article",
    ),
    "an invented paragraph after a long one": (
        "1.1",
        f"{MOOR_2022}\n{INVENTED}",
        "addition: invented",
    ),
    "an extra paragraph before": ("1.1", f"{TAG}\n{MOOR_2022}", "addition: other article"),
    "announced": ("3", f"云湖码头法第三条规定如下：\n{COVER}", "exact"),
    "announced in a sentence": ("3", f"《云湖码头法》第三条的内容是：“{COVER}”", "exact"),
    "announced in traditional script": (
        "3",
        traditional(f"云湖码头法第三条规定：{COVER}"),
        "exact",
    ),
    "no announcement": ("3", f"违反本法第三条规定，{COVER}", "addition: invented"),
    "traditional script": ("1.1", traditional(MOOR_2022), "exact"),
    "repealed law in traditional script": ("3", traditional(COVER_1998), "wrong provision: law"),
    "another article in traditional script": ("3", traditional(FROGS), "wrong provision: article"),
    "refusal in traditional script": ("3", "抱歉，我無法提供該條文的內容。", "refusal"),
    "retold": (
        "3",
        "托运怕潮的货物，比如鱼干和茶叶，货主要自备油布，并且在开船之前盖好，否则船长可以拒绝装船。",
        "paraphrase",
    ),
    "retold at length": (
        "1.1",
        (
            "船只要停靠码头，船长得提前一个时辰向码头司报告船名、货物还有船员数，泊位由码头司来指定，"
            "指定之前不能系缆。停留五日以上要按日交泊位费，碰上风浪离不开的可以免缴，不过每日还得报告情况。"
            "报告由码头司登记，保存十年。"
        ),
        "paraphrase",
    ),
    "retold in traditional script": (
        "3",
        traditional(
            "鱼干、茶叶等容易受潮的东西要托运，货主得自备油布并遮盖好，没盖好船长可以拒绝。"
        ),
        "paraphrase",
    ),
    "invented on the same matter": ("1.1", BELL, "fabricated"),
    "one word changed": ("3", COVER.replace("油布", "草席"), "minor wording"),
    "a paragraph left out": ("2", CARGO_2022, "minor wording"),
    "another one left out, in words of all versions": ("2", TAG, "minor wording"),
    "other words in a long text": ("1.1", MOOR_2022.replace("登记在册", "记入名册"), "near-exact"),
}


@pytest.mark.parametrize("name", OF_A_HARBOUR)
def test_recitations_of_fictional_laws(harbour: Library, name: str) -> None:
    position, answer, kind = OF_A_HARBOUR[name]
    assert recite(harbour, LAW, "2022-02-02", position, answer).kind == kind


@pytest.mark.parametrize(
    ("answer", "flags"),
    [
        (traditional(MOOR_2022), ("traditional",)),
        (traditional(COVER.replace("应当", "可以")), ("duty", "traditional")),
        (COVER.replace("应当", "可以"), ("duty",)),
    ],
)
def test_the_script_is_flagged(harbour: Library, answer: str, flags: tuple[str, ...]) -> None:
    position = "1.1" if "泊" in answer else "3"
    assert recite(harbour, LAW, "2022-02-02", position, answer).flags == flags


def test_spans_are_those_of_the_answer_in_its_own_script(harbour: Library) -> None:
    answer = traditional(COVER_1998)
    spans = recite(harbour, LAW, "2022-02-02", "3", answer).spans
    assert spans[0].start == 0
    assert spans[-1].end == len(answer)


def test_the_provision_that_was_recited_is_named(harbour: Library) -> None:
    (place,) = recite(harbour, LAW, "2022-02-02", "3", COVER_1998).verbatim
    assert (place.law, place.position.article) == (BEFORE, 1)


CODE = ("民法典", "2020-05-28")
OF_REAL_LAWS = {
    "合同法 for 584": (CODE, "584", "{合同法 1999-03-15 113.1}", "wrong provision: law"),
    "合同法 for 509": (CODE, "509.2", "{合同法 1999-03-15 60.2}", "wrong provision: law"),
    "侵权责任法 for 1165": (CODE, "1165.1", "{侵权责任法 2009-12-26 6.1}", "wrong provision: law"),
    "继承法 for 1127": (CODE, "1127.3", "{继承法 1985-04-10 10.5}", "wrong provision: law"),
    "物权法 for 209, one letter less": (CODE, "209.1", "{物权法 2007-03-16 9.1}", "near-exact"),
    "合同法 in traditional script": (
        CODE,
        "584",
        "{合同法 1999-03-15 113.1 traditional}",
        "wrong provision: law",
    ),
    "577 in traditional script": (CODE, "577", "{民法典 2020-05-28 577 traditional}", "exact"),
    "1165 with its second paragraph": (
        CODE,
        "1165.1",
        "{民法典 2020-05-28 1165.1}{民法典 2020-05-28 1165.2}",
        "addition: other paragraph",
    ),
    "民事诉讼法 2017 for 2021": (
        ("民事诉讼法", "2021-12-24"),
        "13.1",
        "{民事诉讼法 2017-06-27 13.1}",
        "wrong provision: version",
    ),
    "劳动合同法 2007 for 2012": (
        ("劳动合同法", "2012-12-28"),
        "63.1",
        "{劳动合同法 2007-06-29 63}",
        "wrong provision: version",
    ),
    "宪法 2004 for 2018": (
        ("宪法", "2018-03-11"),
        "1.2",
        "{宪法 2004-03-14 1.2}",
        "wrong provision: version",
    ),
    "577 retold": (
        CODE,
        "577",
        (
            "如果合同的一方没有履行义务，或者履行得不符合约定，就要承担违约责任，"
            "比如继续履行、补救或者赔偿损失。"
        ),
        "paraphrase",
    ),
    "1165 retold": (
        CODE,
        "1165.1",
        "谁因为过错侵害了别人的民事权益并造成了损害，谁就要承担侵权的责任。",
        "paraphrase",
    ),
    "577 invented": (
        CODE,
        "577",
        (
            "当事人违反合同的，违约金由双方在订立合同时约定，但不得超过合同总额的百分之三十，"
            "超过部分人民法院不予支持。"
        ),
        "fabricated",
    ),
}


CRIMES = ("刑法", "2020-12-26")
LATER = {
    "婚姻法 for 1079": (CODE, "1079.2", "{婚姻法 2001-04-28 32.2}", "wrong provision: law"),
    "侵权责任法 for 1179": (CODE, "1179", "{侵权责任法 2009-12-26 16}", "wrong provision: law"),
    "担保法 for 685": (CODE, "685.1", "{担保法 1995-06-30 13}", "wrong provision: law"),
    "刑法 2009 for 2020": (CRIMES, "17.2", "{刑法 2009-02-28 17.2}", "wrong provision: version"),
    "劳动法 1994 for 2018": (
        ("劳动法", "2018-12-29"),
        "69",
        "{劳动法 1994-07-05 69}",
        "wrong provision: version",
    ),
    "585 without its other paragraphs": (CODE, "585", "{民法典 2020-05-28 585.1}", "minor wording"),
    "232 retold": (
        CRIMES,
        "232",
        "杀人的，判死刑、无期或者十年以上；情节轻的，判三年到十年。",
        "paraphrase",
    ),
    "1062 retold": (
        CODE,
        "1062.1",
        "结婚后挣的工资、奖金，做生意的收益，知识产权的收益，继承或受赠来的财产，都算夫妻共同财产。",
        "paraphrase",
    ),
}


@pytest.mark.shared
@pytest.mark.parametrize("name", [*OF_REAL_LAWS, *LATER])
def test_recitations_of_real_laws(corpus: Library, name: str) -> None:
    asked, position, answer, kind = (OF_REAL_LAWS | LATER)[name]
    assert recite(corpus, *asked, position, filled(corpus, answer)).kind == kind


def filled(library: Library, answer: str) -> str:
    """The answer with {LAW DAY POSITION} replaced by the words of the law."""
    pieces = answer.replace("}", "{").split("{")
    pieces[1::2] = (_words(library, *piece.split()) for piece in pieces[1::2])
    return "".join(pieces)


def _words(library: Library, law: str, day: str, position: str, script: str = "") -> str:
    found = promulgated_on(library, find_law(library, law), date.fromisoformat(day))
    assert isinstance(found, FoundVersion)
    words = library.text(found.version, at(position))
    assert words
    return traditional(words) if script else words

"""Fictional judgments of a county that does not exist, written from the values they hold."""

from __future__ import annotations

from dataclasses import dataclass

from hengfa.law.grammar.numerals import NumeralStyle, format_number

HEADING = (
    "云港县人民法院 刑事判决书 （2031）云0101刑初7号 公诉机关云港县人民检察院。 "
    "被告人林帆，男，2001年3月4日出生，汉族，渔民，住云港县。 "
    "云港县人民检察院以云检刑诉〔2031〕5号起诉书指控被告人林帆犯盗窃罪，于2031年5月6日向本院提起公诉。"
    "本院依法组成合议庭，公开开庭审理了本案。现已审理终结。"
)
FACTS = " 公诉机关指控，2031年2月3日，被告人林帆解走渔船一艘。上述事实有证据证实，足以认定。"
REASONING = (
    " 本院认为，被告人林帆以非法占有为目的，秘密窃取他人财物，其行为已构成盗窃罪。"
    "依照《中华人民共和国刑法》第二百六十四条、第六十七条第三款之规定，判决如下："
)
RESULT = " 被告人林帆犯盗窃罪，判处有期徒刑六个月，并处罚金人民币二千元。"
APPENDIX = (
    " 如不服本判决，可在接到判决书的第二日起十日内提出上诉。 审判长海明 人民陪审员沙鸥 "
    "二〇三一年七月八日 书记员潮生"
)


def judgment(
    result: str = RESULT,
    *,
    heading: str = HEADING,
    facts: str = FACTS,
    reasoning: str = REASONING,
    appendix: str = APPENDIX,
) -> str:
    """A whole document with these parts."""
    return heading + facts + reasoning + result + appendix


@dataclass(frozen=True)
class Penalty:
    """What the court pronounces for one charge, or as the combined sentence."""

    kind: str
    months: int | None = None
    days: int = 0
    probation: int | None = None
    fine: int | None = None

    def words(self, style: NumeralStyle | None) -> str:
        """`有期徒刑三年六个月，缓刑四年，并处罚金人民币五千元`; without a style in digits."""
        parts = [self.kind + (_term(self.months, self.days, style) if self.months else "")]
        if self.probation:
            parts.append(f"缓刑{_term(self.probation, 0, style)}")
        if self.fine:
            sum_ = f"{self.fine:,}" if style is None else format_number(self.fine, style)
            parts.append(f"并处罚金人民币{sum_}元")
        return "，".join(parts)


@dataclass(frozen=True)
class Accused:
    """A defendant, the penalty for each charge, and the combined one."""

    name: str
    penalties: tuple[tuple[str, Penalty], ...]
    combined: Penalty | None

    def words(self, style: NumeralStyle | None) -> str:
        parts = [
            f"{'' if number else f'被告人{self.name}'}犯{charge}，判处{penalty.words(style)}"
            for number, (charge, penalty) in enumerate(self.penalties)
        ]
        if self.combined:
            parts.append(f"数罪并罚，决定执行{self.combined.words(style)}")
        return "；".join(parts)


def result_of(accused: list[Accused], style: NumeralStyle | None) -> str:
    """The orders of a result, with the remarks that courts add."""
    orders = [
        f"{format_number(number)}、{one.words(style)}。（刑期从判决执行之日起计算。判决执行以前先行羁押的，"
        "羁押一日折抵刑期一日，即自2031年3月4日起至2033年9月3日止。罚金限判决生效后十日内缴纳。） "
        for number, one in enumerate(accused, 1)
    ]
    return " " + "".join(orders) + "责令退赔被害人人民币九千元；继续追缴违法所得人民币八百元。"


def _term(months: int, days: int, style: NumeralStyle | None) -> str:
    years, rest = divmod(months, 12)
    counted = ((years, "年"), (rest, "个月"), (days, "日"))
    return "".join(f"{_number(count, style)}{unit}" for count, unit in counted if count)


def _number(value: int, style: NumeralStyle | None) -> str:
    return str(value) if style is None else format_number(value, "lower")

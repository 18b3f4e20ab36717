"""Administrative penalties: what a company did, who fined it, how the fine is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from hengfa.world import Cell, Row
from hengfa.world.generator.case_numbers import Docket, Dockets
from hengfa.world.generator.companies import Companies
from hengfa.world.generator.days import in_year, written
from hengfa.world.generator.debtors import Troubled
from hengfa.world.generator.dice import Dice, Stream, Weighted
from hengfa.world.generator.geography import County, Geography
from hengfa.world.generator.provinces import COUNTRY


class Offence(NamedTuple):
    """``office`` fines it, ``sign`` stands in its numbers, fines lie around ``yuan``."""

    facts: str
    office: str
    sign: str
    yuan: float


_OFFENCES: Final = Weighted(
    [
        (Offence("未及时消除火灾隐患", "消防救援大队", "消", 9_000.0), 14),
        (Offence("施工现场未设置明显的安全警示标志", "住房和城乡建设局", "建", 15_000.0), 12),
        (Offence("夜间施工噪声超过规定限值", "生态环境局", "环", 22_000.0), 10),
        (Offence("未采取有效的防尘措施", "城市管理局", "城管", 12_000.0), 10),
        (Offence("未对从业人员进行安全生产教育", "应急管理局", "应急", 25_000.0), 10),
        (Offence("广告用语与事实不符", "市场监督管理局", "市监", 18_000.0), 9),
        (Offence("销售的产品不符合标签所标明的标准", "市场监督管理局", "市监", 16_000.0), 7),
        (Offence("未按期申报纳税", "税务局", "税", 500.0), 7),
        (Offence("未按规定登记流动人员信息", "公安局", "公", 1_000.0), 6),
        (Offence("超标准排放水污染物", "水务局", "水", 120_000.0), 4),
        (Offence("未按规定披露重大信息", "", "证监", 300_000.0), 4),
    ]
)
NATIONAL: Final = f"{COUNTRY}证券监督管理委员会"
_BRACKETS: Final = Weighted([(("〔", "〕"), 7), (("（", "）"), 3)])


class Penalties:
    """The rows of AdministrativeCase."""

    def __init__(self, seed: int, companies: Companies, geography: Geography) -> None:
        self._count = companies.sizes.penalties
        self._map = geography
        self._stream = Stream(seed, "AdministrativeCase")
        self._fined = Troubled(seed, "fined companies", companies, self._count)
        self._dockets = Dockets(seed, self._count)

    def rows(self) -> Iterator[Row]:
        for number in range(self._count):
            yield self._row(number)

    def _row(self, number: int) -> Row:
        dice = self._stream.dice(number)
        company = self._fined(number)
        offence = _OFFENCES.pick(dice)
        docket = self._dockets(number)
        county = self._map.county(company.county)
        result, fine = _fine(dice, offence)
        office = f"{county.name}{offence.office}" if offence.office else NATIONAL
        return {
            "行政处罚公司名称": company.name,
            "案号": _number(dice, county, offence, docket),
            "事实": "-" if dice.chance(0.12) else offence.facts,
            "处罚结果": result,
            "处罚金额（元）": fine,
            "处罚单位": "-" if dice.chance(0.07) else office,
            "处罚日期": written(in_year(dice, docket.year)),
        }


def _number(dice: Dice, county: County, offence: Offence, docket: Docket) -> str:
    opening, closing = _BRACKETS.pick(dice)
    place = county.city.province.sign + county.name[0] if offence.office else ""
    return f"{place}{offence.sign}罚{opening}{docket.year}{closing}{docket.serial}号"


def _fine(dice: Dice, offence: Offence) -> tuple[str, Cell]:
    """What was decided, and the fine as the table has it: an int, rarely a float, or missing."""
    style = dice.below(100)
    if style < 22:
        return ("警告" if style < 16 else "责令改正"), "-"
    yuan = max(100, int(dice.lognormal(offence.yuan, 0.8)))
    yuan = yuan // 1_000 * 1_000 if yuan >= 3_000 else yuan // 100 * 100
    if style < 25:
        cents = yuan * 100 + dice.between(1, 99)
        return f"没收违法所得并处罚款，合计{cents // 100}.{cents % 100:02d}元", cents / 100
    if style < 60 and yuan >= 10_000:
        return f"罚款{yuan / 10_000:g}万元", yuan
    return (f"责令改正，并处罚款人民币{yuan}元" if style < 80 else f"罚款{yuan}元"), yuan

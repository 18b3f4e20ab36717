"""What companies do: words for their names, the industry levels of the registers, what they sell.

Data only. The levels are those of the national classification (GB/T 4754); the rest is our own.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Trade(NamedTuple):
    """One line of business. ``words`` stand in company names, each in one trade only."""

    levels: tuple[str, str, str]
    words: tuple[str, ...]
    english: str
    goods: tuple[str, ...]
    weight: int

    @property
    def industry(self) -> str:
        """As the table of listed companies names it: the second level."""
        return self.levels[1]


def _trade(levels: str, words: str, english: str, goods: str, weight: int) -> Trade:
    first, second, third = levels.split("/")
    return Trade(
        (first, second, third), tuple(words.split()), english, tuple(goods.split()), weight
    )


TRADES: Final = (
    _trade(
        "制造业/通用设备制造业/泵、阀门、压缩机及类似机械制造",
        "机械 机电 机械设备 精密机械",
        "Machinery",
        "离心泵 阀门 空气压缩机 减速机 液压元件",
        12,
    ),
    _trade(
        "制造业/专用设备制造业/环保、邮政、社会公共服务及其他专用设备制造",
        "装备 装备制造 自动化设备",
        "Equipment",
        "除尘设备 水处理设备 自动化装配线 检测仪器",
        10,
    ),
    _trade(
        "制造业/化学原料和化学制品制造业/涂料、油墨、颜料及类似产品制造",
        "化工 新材料 涂料 高分子材料",
        "Chemicals",
        "水性涂料 胶粘剂 功能助剂 防水卷材",
        12,
    ),
    _trade(
        "制造业/医药制造业/化学药品制剂制造",
        "制药 药业 生物制药",
        "Pharmaceutical",
        "片剂 胶囊剂 口服液 中药饮片",
        9,
    ),
    _trade(
        "制造业/计算机、通信和其他电子设备制造业/电子元件及电子专用材料制造",
        "电子 光电 电子材料",
        "Electronics",
        "显示模组 连接器 传感器 电路板",
        11,
    ),
    _trade(
        "制造业/电气机械和器材制造业/输配电及控制设备制造",
        "电气 电力设备 储能",
        "Electric",
        "变压器 配电柜 储能电池 充电桩",
        8,
    ),
    _trade(
        "制造业/食品制造业/乳制品制造",
        "食品 乳业",
        "Foods",
        "鲜奶 酸奶 糕点 调味品",
        5,
    ),
    _trade(
        "制造业/纺织服装、服饰业/机织服装制造",
        "服饰 纺织",
        "Textile",
        "羊毛衫 运动服 家纺 面料",
        4,
    ),
    _trade(
        "制造业/非金属矿物制品业/石膏、水泥制品及类似制品制造",
        "建材 水泥 混凝土",
        "Building Materials",
        "商品混凝土 预制构件 保温板 砌块",
        7,
    ),
    _trade(
        "建筑业/土木工程建筑业/铁路、道路、隧道和桥梁工程建筑",
        "建设 路桥 建设工程",
        "Construction",
        "道路施工 桥梁施工 隧道施工 市政工程",
        12,
    ),
    _trade(
        "建筑业/建筑装饰、装修和其他建筑业/建筑装饰和装修业",
        "装饰 装饰工程",
        "Decoration",
        "室内装修 幕墙安装 门窗安装",
        5,
    ),
    _trade(
        "房地产业/房地产业/房地产开发经营",
        "置业 房地产开发 地产",
        "Real Estate",
        "住宅开发 商铺租售 写字楼租赁",
        9,
    ),
    _trade(
        "房地产业/房地产业/物业管理",
        "物业服务 物业管理",
        "Property Services",
        "小区物业 园区物业 停车管理",
        4,
    ),
    _trade(
        "批发和零售业/批发业/矿产品、建材及化工产品批发",
        "贸易 商贸 物资",
        "Trading",
        "钢材销售 化工产品销售 建材销售",
        9,
    ),
    _trade(
        "批发和零售业/零售业/医药及医疗器材专门零售",
        "大药房 医药连锁",
        "Pharmacy",
        "药品零售 医疗器械零售 保健食品销售",
        3,
    ),
    _trade(
        "信息传输、软件和信息技术服务业/软件和信息技术服务业/软件开发",
        "软件 信息技术 数据科技 网络科技",
        "Software",
        "行业软件 云平台 数据治理 系统集成",
        11,
    ),
    _trade(
        "科学研究和技术服务业/科技推广和应用服务业/技术推广服务",
        "科技 科技发展",
        "Technology",
        "技术开发 技术咨询 技术转让",
        10,
    ),
    _trade(
        "科学研究和技术服务业/专业技术服务业/工程技术与设计服务",
        "设计 工程设计 勘测设计",
        "Design",
        "工程勘察 工程设计 工程咨询",
        4,
    ),
    _trade(
        "租赁和商务服务业/商务服务业/组织管理服务",
        "投资 控股 企业管理",
        "Investment",
        "股权投资 企业管理咨询 资产管理",
        10,
    ),
    _trade(
        "水利、环境和公共设施管理业/生态保护和环境治理业/环境治理业",
        "环保 环境科技 水务",
        "Environment",
        "污水处理 固废处置 河道治理",
        8,
    ),
    _trade(
        "电力、热力、燃气及水生产和供应业/电力、热力生产和供应业/电力生产",
        "能源 新能源 热电 燃气",
        "Energy",
        "光伏发电 风力发电 集中供热 燃气供应",
        7,
    ),
    _trade(
        "交通运输、仓储和邮政业/道路运输业/道路货物运输",
        "物流 运输",
        "Logistics",
        "货物运输 仓储服务 冷链配送",
        6,
    ),
    _trade(
        "住宿和餐饮业/住宿业/旅游饭店",
        "酒店 酒店管理 旅馆",
        "Hotel",
        "酒店经营 会务服务 餐饮服务",
        4,
    ),
    _trade(
        "农、林、牧、渔业/农业/谷物种植",
        "种业 农业 生态农业",
        "Agriculture",
        "种子繁育 粮食种植 农产品加工",
        4,
    ),
)

WORDS: Final = tuple((word, trade) for trade in TRADES for word in trade.words)
"""Every word of a name with its trade: the word tells the industry."""

PLACE_OF_WORD: Final = {word: place for place, (word, _) in enumerate(WORDS)}

BROKERS: Final = (
    "湖畔证券",
    "云帆证券",
    "长堤证券",
    "听潮证券",
    "北斗湾证券",
    "银桂证券",
    "千灯证券",
)
MARKETS: Final = (
    ("月交所主板", "70", 9),
    ("月交所科创板", "78", 3),
    ("汀交所主板", "71", 4),
    ("汀交所创业板", "75", 8),
)
"""The two exchanges of the country: market, first digits of its codes, weight."""

INDICES: Final = ("月湖综指", "湖光300", "湖光1000", "星辰中小", "绿湾ESG", "汀交成指", "红利60")

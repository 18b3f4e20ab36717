"""The characters that numerals are written with and the shapes that they take: facts only."""

from __future__ import annotations

import re
from typing import Final

# The digit's place in the string is its value.
LOWER_DIGITS: Final = "零一二三四五六七八九"
POSITIONAL_DIGITS: Final = "〇一二三四五六七八九"
FINANCIAL_DIGITS: Final = "零壹贰叁肆伍陆柒捌玖"

LOWER_UNITS: Final = {10: "十", 100: "百", 1_000: "千", 10_000: "万", 100_000_000: "亿"}
FINANCIAL_UNITS: Final = {10: "拾", 100: "佰", 1_000: "仟", 10_000: "万", 100_000_000: "亿"}

# Units inside a group of four places, and the old contractions of whole tens.
SMALL_UNITS: Final = {"十": 10, "百": 100, "千": 1_000}
CONTRACTED_TENS: Final = {"廿": 20, "卅": 30, "卌": 40}

# Units between groups. Chains multiply; 亿万 is an idiom ("countless"), so it is not among them.
BIG_UNITS: Final = {
    "万": 10**4,
    "亿": 10**8,
    "万万": 10**8,
    "万亿": 10**12,
    "亿亿": 10**16,
    "万亿亿": 10**20,
}

# Every spelling of a character, that which the rules know first. All are one character for one, so
# that places in the text stay places in the text.
#
# ○ is a zero only inside a numeral (二○二○): alone it hides a name (李○○). So are the letters
# O, which courts type for 〇; they are brought together under the Latin capital. 笫 is a slip of
# the pen that stands in published statutes.
_SPELLINGS: Final = (
    "零〇 一壹弌 二贰貳弍 三叁叄參弎 四肆 五伍 六陆陸 七柒 八捌 九玖 两兩 十拾 百佰 千仟 万萬 亿億"
    " 廿卄 点點 负負 条條 第笫 ○◯ OＯ\N{GREEK CAPITAL LETTER OMICRON}\N{CYRILLIC CAPITAL LETTER O}"
    " -－− ,， .． 0０ 1１ 2２ 3３ 4４ 5５ 6６ 7７ 8８ 9９"
)

CANONICAL: Final = {
    ord(variant): spellings[0] for spellings in _SPELLINGS.split() for variant in spellings[1:]
}

# "壹〇", "，"; not "一"
OTHER_SPELLINGS: Final = re.compile(f"[{''.join(map(chr, CANONICAL))}]++")

# A digit in a numeral without units, and the zeros that courts type there.
DIGIT_VALUES: Final = {digit: LOWER_DIGITS.index(digit) for digit in LOWER_DIGITS[1:]} | {"两": 2}
VALUE_OF_PLACE: Final = str.maketrans("零○O一二两三四五六七八九", "0001223456789")

# Two digits that are no number in running text, besides neighbours such as 二三: "a few" and
# "one by one".
FIXED_PAIRS: Final = frozenset({"三五", "一一"})

DIGIT: Final = LOWER_DIGITS[1:]
NUMERAL: Final = f"零{DIGIT}两十百千万亿廿卅卌"
_INTEGER: Final = r"(?:[0-9]{1,3}(?:,[0-9]{3}(?![0-9]))++|[0-9]++)"
_CHAIN: Final = r"万万|万?亿亿?|万"
_SMALL: Final = f"[0-9零○O{DIGIT}十百千廿卅卌]"

# The expressions see text after CANONICAL: no full-width digits, no 壹, no 〇. Repetitions that
# could run long are possessive, so that no text makes them try again.

# "1,234.50"; not the fraction in "1.2019年" (a list mark before a year)
ARABIC: Final = re.compile(rf"({_INTEGER})(?:\.(?!(?:19|20)[0-9]{{2}}年)([0-9]++))?")
# "2020.5.3", "192.168.0.1"; not "2020.5"
DOTTED: Final = re.compile(r"[0-9]++(?:\.[0-9]++){2,}+")
# "二零二零", "二○O八", "一九九0", "两"; not "○○", not "三0" in "三02", not "两" in "两百"
PLACES: Final = re.compile(
    rf"[零{DIGIT}](?:[零○{DIGIT}]|O(?![A-Za-z])|0++(?![1-9]|[.,][0-9]))*+|两(?![百千万亿])"
)
# "点一四"; not the clock in "点五十", "点一刻", "点零五分", not "点一点", "点一滴" (bit by bit)
FRACTION: Final = re.compile(rf"点(?!零[{DIGIT}]分)([零○{DIGIT}]++)(?![十点刻滴])")
# "千万", "亿" after a decimal; not "十" (1.5十 is nothing)
SCALE: Final = re.compile(rf"([百千])?({_CHAIN})?")
# "零五百万", "十", "廿", "3000万", the last "五" of 两万五; not "二" of "二三", "两" of "十两万"
PART: Final = re.compile(
    rf"(?P<gap>(?<=[百千万亿])[零○])?"
    rf"(?:(?P<tens>[廿卅卌])"
    rf"|(?P<count>{_INTEGER}|[{DIGIT}](?![零○{DIGIT}])|(?<![十廿卅卌])两(?=[百千万亿]))?"
    rf"(?P<unit>[十百千])?)"
    rf"(?P<chain>{_CHAIN})?"
)
# What may follow 两万五 in running text: "元", "，", the end; not "次" (五万一次性付清)
AFTER_SHORT_FORM: Final = re.compile(r"[元圆块钱的左]|[^一-鿿0-9]|\Z")
# "三" in 张三 and "264" (caught: the whole numeral), "-5" in （-5）; not the "-" of 2019-2020, A-5
# or the page -2-, not "百" in 百分之, not "零" in 一年零十个月
START: Final = re.compile(
    rf"(?=[-0-9零{DIGIT}两十廿卅卌])(?:"
    rf"([0-9]{{1,18}}+(?![0-9{NUMERAL}]|[.,][0-9])|[{DIGIT}](?![0O○点{NUMERAL}]))"
    rf"|(?<![^\s(（\[:：,;；=<>≤≥])-(?=[0-9])(?![0-9]++-)"
    rf"|零(?![{DIGIT}]?[十百千万亿廿卅卌])|[^-零])"
)
# "百万千", to pass over a run that is not one number; not "点"
RUN: Final = re.compile(rf"[{NUMERAL}]++")
# "十万" in 几十万, 数十万; not "十二" in 人数十二人
ABOUT_TENS: Final = re.compile(r"(?<=[几数])十[万亿]*+")
# "千" in 二十千克, "两" in 三两酒: measures, not digits; not "千" in 十千万
MEASURE: Final = re.compile(rf"[千两](?![{NUMERAL}])")
# "一" after the number in 五万一次性; not "一" in 五万一二
NEXT_WORD: Final = re.compile(rf"(?<=[百千万亿])[{DIGIT}](?![{NUMERAL}])")
# "第一百二十条之一", "120之1", "第一百二十之一条"; not "第二条第一款", not "第二条至第四条"
ARTICLE: Final = re.compile(
    rf"第?\s*+(?P<number>{_SMALL}++)(?:\s*+条(?:\s*+之\s*+(?P<after>{_SMALL}++))?"
    rf"|\s*+之\s*+(?P<inside>{_SMALL}++)(?:\s*+条)?)?"
)

"""The two closed lists of punctuation marks in the proofreading rules (LawBench spec 3.3, 3.5).

Facts, not style: both lists lack 。 and 《, repeat some marks, and differ from each other. A mark
belongs to the first list one at a time; of the second, any stretch counts, in this order.
"""

from __future__ import annotations

# 3.3: replacing one mark by another costs less, a mark by something else costs more.
COST_PUNCTUATION = frozenset(
    "！？｡＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿"
    "–—‘'‛“”„‟…‧﹏"
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
)

# 3.5: text that occurs in this string is never taken for a moved piece.
MERGE_PUNCTUATION = (
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    "！？｡＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟"
    "–—‘'‛“”„‟…‧."
)

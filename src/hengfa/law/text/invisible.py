"""Characters that nobody sees, or that only change how others are seen: one list for everyone.

A text can hide words in them or read as what it is not. Pages show each by its number (`INVISIBLE`
in `page/dom.js` is the same list), and graders are not shown them.
"""

import re
from typing import Final

# Controls other than tab and line feed, line and paragraph separators, interlinear annotation, and
# all that Unicode calls default ignorable: joiners, marks and overrides of direction, fillers of
# Hangul, tags, variation selectors. The two selectors that choose the look of an emoji stay.
# Matches U+200B, U+3164 and U+E0041; not "\n", U+3000 or U+FE0F.
INVISIBLE: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

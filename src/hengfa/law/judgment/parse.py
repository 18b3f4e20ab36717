"""One judgment from text to structure, by the corrected rules."""

from __future__ import annotations

from hengfa.law.judgment.charges import Charges
from hengfa.law.judgment.defendants import named_in_heading
from hengfa.law.judgment.document import SECTIONS, Defendant, Judgment, Remark
from hengfa.law.judgment.heading import court_of, day_of, number_of
from hengfa.law.judgment.plain import plain
from hengfa.law.judgment.sections import cut, sections
from hengfa.law.judgment.statutes import read_statutes
from hengfa.law.judgment.verdicts import read_result


def parse_judgment(text: str, charges: Charges | None = None) -> Judgment:
    """The structure of a criminal judgment. No text makes this raise; what is missing is remarked.

    With a list of charges every crime has its listed name; without one, the name as written.
    """
    document = plain(text)
    parts = cut(document)
    heading, facts, reasoning, result, appendix = (
        document.part(*parts.bounds(number)) for number in range(len(SECTIONS))
    )
    introduced = named_in_heading((heading.text or facts.text).strip())
    outcome = read_result(result, introduced.indicted, charges)
    remarks = [Remark(code, words) for code, words in parts.notes]
    defendants = [*outcome.defendants, *_unsentenced(introduced.persons, outcome.defendants)]
    if not defendants and document.text.strip():
        remarks.append(Remark("no defendant", "nobody is named as a defendant"))
    elif result.text.strip() and not outcome.defendants:
        remarks.append(Remark("no sentence", "the result sentences nobody"))
    opening = heading.text or document.text[:2_000]
    return Judgment(
        sections=sections(document, parts, len(text)),
        court=court_of(opening),
        number=number_of(opening),
        date=day_of(appendix.text),
        defendants=tuple(defendants),
        statutes=read_statutes(reasoning),
        remarks=(*remarks, *outcome.remarks),
    )


def _unsentenced(introduced: dict[str, bool], sentenced: tuple[Defendant, ...]) -> list[Defendant]:
    """Defendants of the heading of whom the result says nothing.

    Where it sentences as many as were introduced, other names are other spellings.
    """
    if len(sentenced) >= len(introduced):
        return []
    names = {one.name for one in sentenced}
    return [
        Defendant(name=name, unit=unit) for name, unit in introduced.items() if name not in names
    ]

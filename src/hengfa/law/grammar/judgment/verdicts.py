"""The result of a judgment, read defendant by defendant (judgment.md 8: Q3, Q10, Q11).

One pass over the words from left to right. A role and a name say whom the next words are for, 犯…罪
opens a sentence of its own, 决定执行 the combined one, and 撤销, 维持, 与前罪 what another judgment
says. Remarks in brackets (刑期自…起, 已缴纳) are left out before. How doubtful words are read:

* 犯甲罪、乙罪，判处… without a sentence for each: both are convictions, the sentence is combined.
* 撤销…判决，即…: the repeated sentence is void, up to the next order; 维持…，即…: it stands, and
  fills what the new sentence leaves open.
* 撤销…宣告的缓刑, 与前罪…并罚: sentences of the earlier judgment, kept apart as ``earlier``.
* 分别判处…一年、二年: one for each, in the order of the names.
* A second fine in one sentence repeats the first.
* Sentences of the text that no rule understands, and that are no known order about money or things,
  have a remark; so has 判处 without a penalty that can be read.
* 限制减刑, 终身监禁, 社区矫正 and bans belong to the combined sentence, else to the last one.
* 维持原判, 发回重审, 准许撤回 and 减去 sentence nobody, and have remarks.
* 被告人黄某某 twice, in two orders, for the same crime: two people with the same masked name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeVar, cast

from hengfa.law.grammar.judgment import verdict_words as wording
from hengfa.law.grammar.judgment.charges import Charges, split_charges
from hengfa.law.grammar.judgment.defendants import NO_NAME, ROLE, Group, group_at, is_part_of_a_name
from hengfa.law.grammar.judgment.document import Confiscation, Defendant, PenaltyKind, Remark
from hengfa.law.grammar.judgment.plain import Plain, brackets
from hengfa.law.grammar.judgment.verdict_state import MOST_REMARKS, Draft, State

_Value = TypeVar("_Value")

_NOT_A_NAME: Final = -1
_ROLE_IN_CLAUSE: Final = re.compile(ROLE)
_BEFORE: Final = 8
_SHOWN: Final = 40
_SHORTEST: Final = 4
_LONGEST_SENTENCE: Final = 400
_OF_ANOTHER_JUDGMENT: Final = ("撤销", "维持")
_FIXED: Final[dict[str, PenaltyKind]] = {
    "life": "无期徒刑",
    "exempt": "免予刑事处罚",
    "acquitted": "无罪",
    "not_liable": "不负刑事责任",
}
_SHARES: Final[dict[str, Confiscation]] = {"全部": "全部", "部分": "部分", "一部": "部分"}


class Result(NamedTuple):
    defendants: tuple[Defendant, ...]
    remarks: tuple[Remark, ...]


def read_result(
    result: Plain, introduced: dict[str, bool], charges: Charges | None = None
) -> Result:
    """The sentences in the result; ``introduced`` are the defendants named in the heading."""
    text = result.text
    bracketed = [
        span
        for span in brackets(text)
        if not (is_part_of_a_name(text, span) or wording.REPRIEVE.match(text, span[0]))
    ]
    reader = _Reader(result.without(bracketed), introduced, charges)
    reader.read()
    people = [person for key, person in reader.people.items() if person.is_somebody(key)]
    finished = [person.finished(reader.document.span) for person in people]
    remarks = [*reader.remarks, *(remark for _, of_one in finished for remark in of_one)]
    return Result(tuple(defendant for defendant, _ in finished), tuple(remarks[:MOST_REMARKS]))


class _Reader(State):
    """One pass over one result; ``on_item`` is what the words of the group ``item`` of WORD do."""

    def read(self) -> None:
        place = 0
        while match := wording.WORD.search(self.text, place):
            place = max(match.end(), place + 1)
            if self.phase in {"upheld", "void"} and self.until and match.start() >= self.until:
                self.phase, self.until = "own", 0
            kind = cast("str", match.lastgroup)
            step = getattr(self, f"on_{kind}")(match)
            if kind not in {"item", "stop", "role", "bare"}:  # who and where, and nothing ordered
                self.understood.append((match.start(), max(match.end(), step or 0)))
            place = match.start() + 1 if step == _NOT_A_NAME else max(step or 0, place)
        self._remark_unread()

    def _remark_unread(self) -> None:
        """Nothing is passed over in silence: what was not understood has a remark."""
        if wording.CIVIL.search(self.text):
            self.remark("civil orders", "orders on damages (附带民事) are not read")
        for sentence in wording.SENTENCES.finditer(self.text):
            unread = [sentence]
            if self._understands(sentence):  # then what follows its penalty: 不得假释
                first, _ = self.understood[self._next_understood(sentence.start())]
                of_another = self.text.startswith(_OF_ANOTHER_JUDGMENT, first)
                clauses = wording.CLAUSES.finditer(self.text, first, sentence.end())
                unread = [] if of_another else [x for x in clauses if not self._understands(x)]
            for words in unread:
                said = words[0].strip()
                in_number = words is not sentence and words[0][0].isdigit()  # the rest of 2，000元
                harmless = in_number or wording.NO_PENALTY.search(said)
                if len(said) >= _SHORTEST and not harmless:
                    self.remark("unread words", f"cannot be read: {said[:_SHOWN]}")
        for words in wording.IMPOSED.finditer(self.text):
            if not self._understands(words):
                self.remark("unread words", f"no penalty can be read: {words[0][:_SHOWN]}")

    def _understands(self, words: re.Match[str]) -> bool:
        following = self._next_understood(words.start())
        return following < len(self.understood) and self.understood[following][0] < words.end()

    def _next_understood(self, place: int) -> int:
        """The number of the first words that end after a place, of those that were understood."""
        return bisect_right(self.understood, place, key=lambda span: span[1])

    # Whose words these are

    def on_item(self, _found: re.Match[str]) -> None:
        if not self.until:
            self.phase, self.clause, self.pending = "own", False, None
            self.shared = None
            self.order += 1

    def on_elsewhere(self, match: re.Match[str]) -> None:
        """撤销 or 维持: to the end of the clause, or of the order where it repeats the words."""
        upheld, place = match[0] == "维持", match.end()
        other = self.phase != "void" and not upheld
        if other and wording.PROBATION_REVOKED.match(self.text, place):
            named = _ROLE_IN_CLAUSE.search(self.text, place, self._end_of_sentence(place))
            group = group_at(self.text, named.start(), self.known) if named else None
            for person in self.people_meant(group or self.group):
                person.revoked = True
        if self.until:
            return
        if repeated := wording.THAT_IS.match(self.text, place):
            self.phase = "upheld" if upheld else "void"
            self.until = self._end_of_repeated(repeated.end())
        elif not upheld and (undone := wording.UNDONE.match(self.text, place)):
            self.phase, self.until = "void", undone.end()
        else:
            self.phase, self.clause = "upheld" if upheld else "earlier", True
            if upheld:
                words = "part of the judgment below stands (维持); what it says is not repeated"
                self.remark("upheld", words)

    def _end_of_repeated(self, start: int) -> int:
        """After the closing quotation mark, else before the next order."""
        opened = self.text.find("“", start - 1, start + 4)
        closed = self.text.find("”", opened) if opened >= 0 else -1
        if closed >= 0:
            return closed
        following = wording.NEXT_ITEM.search(self.text, start)
        return following.start() if following else len(self.text)

    def _end_of_sentence(self, start: int) -> int:
        limit = min(start + _LONGEST_SENTENCE, len(self.text))
        stop = wording.SENTENCES.match(self.text, start, limit)
        return stop.end() if stop else start

    def on_earlier(self, match: re.Match[str]) -> None:
        if self.phase in {"own", "executed", "earlier"}:
            self.phase, self.clause = "earlier", False
            for person in self.people_meant():
                if not person.earlier or not person.earlier[-1].is_empty:
                    person.earlier.append(Draft(match.start(), match.end()))

    def on_executed(self, match: re.Match[str]) -> None:
        if self.until or self.phase == "upheld" or (self.phase == "earlier" and self.clause):
            return
        self.phase, self.pending = "executed", None
        for person in self.people_meant():
            person.executed = person.executed or Draft(match.start(), match.end())

    def on_total(self, _found: re.Match[str]) -> None:
        if self.phase in {"own", "executed", "earlier"}:
            self.phase, self.clause, self.until = "void", True, 0

    def on_stop(self, _found: re.Match[str]) -> None:
        if self.clause:
            self.phase, self.clause = "own", False

    # What becomes of the case

    def on_upheld(self, _found: re.Match[str]) -> None:
        words = "the judgment below stands (维持原判); what it says is not repeated"
        self.remark("upheld", words)

    def on_sent_back(self, _found: re.Match[str]) -> None:
        self.remark("sent back", "the case is sent back to be tried again (发回重审)")

    def on_withdrawn(self, _found: re.Match[str]) -> None:
        self.remark("withdrawn", "an appeal or a charge is withdrawn (准许撤回)")

    def on_commuted(self, match: re.Match[str]) -> int:
        """To the end of the order: what is taken off a sentence is none."""
        self.remark("commuted", "a sentence is reduced (减刑, 假释), and none is given")
        return self._end_of_sentence(match.end())

    # Who

    def on_role(self, match: re.Match[str]) -> int | None:
        group = group_at(self.text, match.start(), self.known)
        if group is None:
            return None
        own = not wording.OF_ANOTHER.search(self.text, max(0, match.start() - 2), match.start())
        convicts = self.text.startswith("犯", group.end)
        if self.phase == "earlier" and not (own and convicts):
            self.group = self.group if self.group.names else group
            return group.end
        self._turn_to(group, convicts=convicts)
        if self.phase == "executed" and own:
            self.phase = "own"
        return self._convicted_at(group.end)

    def _convicted_at(self, place: int) -> int:
        """After a name 犯 is never part of 再犯 or 从犯."""
        match = wording.CONVICTED.match(self.text, place)
        if match is None:
            return place
        self.understood.append(match.span())
        self.on_convicted(match)
        return match.end()

    def on_bare(self, match: re.Match[str]) -> int | None:
        """A name without its role: one from the heading, or whoever 犯…罪 is said of."""
        name, start = match[0], match.start()
        is_known = name in self.introduced or name in self.people
        convicts = self.text.startswith("犯", match.end())
        listed = self.text[max(0, start - 1) : start] in {"，", "处", "、"}
        listed = listed and not wording.AFTER_ITEM.search(self.text, max(0, start - 5), start)
        if not is_known and (listed or not convicts or NO_NAME.search(name)):
            return _NOT_A_NAME
        if self.phase == "earlier" and not convicts:
            return None
        group = Group((name,), self.introduced.get(name, False), *match.span())
        self._turn_to(group, convicts=convicts)
        return self._convicted_at(match.end()) if is_known else None

    def _turn_to(self, group: Group, *, convicts: bool) -> None:
        self.group = group
        if self.shared is not None and not convicts and self.phase == "own":
            self.pending = (self.shared, group.start)
        if convicts and self.phase in {"earlier", "executed"}:
            self.phase, self.clause = "own", False

    # Of what

    def on_convicted(self, match: re.Match[str]) -> None:
        charges = split_charges(match["convicted"])
        direct = self.group.end == match.start()
        other = wording.OF_ANOTHER.search(self.text, max(0, match.start() - 2), match.start())
        if self.phase == "void" or (self.phase == "upheld" and other and not direct):
            return
        if self.phase == "earlier" or (other and not direct):
            if self.phase != "earlier":
                self.phase, self.clause = "earlier", False
            for person in self.people_meant():
                last = person.earlier[-1] if person.earlier else None
                if last is None or not last.is_empty or last.charge is not None:
                    last = Draft(match.start(), match.end())
                    person.earlier.append(last)
                last.written, last.charge = charges[0], self.listed_name(charges[0])
            return
        if self.phase == "executed":
            self.phase = "own"
        self.shared = None
        start = self.group.start if direct else match.start()
        self.open_sentences(charges, start, match.end())

    def on_for(self, match: re.Match[str]) -> None:
        if self.phase in {"own", "executed"}:
            self.phase, self.shared = "own", split_charges(match["for"])
            self.pending = (self.shared, match.start())

    # To what. What a sentence has already stays: a second fine repeats the first.

    def on_term(self, match: re.Match[str]) -> None:
        words = match["term"] or match["term_before"]
        terms = [wording.read_term(term[0]) for term in wording.ONE_TERM.finditer(words)]
        if None in terms:
            self.remark("unread term", f"cannot be read: {match[0]}")
            return
        kind = cast("PenaltyKind", match["kind"] or match["kind_before"])
        drafts = self.drafts(match)
        if 1 < len(terms) != len(drafts) > 0:
            self.remark("unread term", f"not one for each: {match[0]}")
        for number, draft in enumerate(drafts):
            term = _mine(terms, number)
            if draft.kind is None:
                draft.kind, draft.term = kind, term
            elif (draft.kind, draft.term) != (kind, term):
                self.remark("unread term", f"one more term, which does not count: {match[0]}")

    on_kind_before = on_term

    def on_term_open(self, match: re.Match[str]) -> None:
        if self.phase in {"own", "executed"}:
            around = self.text[match.start() : match.end() + 12]
            self.remark("unread term", f"no term can be read: {around}")

    on_probation_open = on_political_open = on_term_open

    def on_fixed(self, match: re.Match[str]) -> None:
        kind = _FIXED[cast("str", match.lastgroup)]
        for draft in self.drafts(match, alone=kind in {"无罪", "不负刑事责任"}):
            draft.kind = draft.kind or kind

    on_life = on_exempt = on_acquitted = on_not_liable = on_fixed

    def on_death(self, match: re.Match[str]) -> None:
        for draft in self.drafts(match):
            reprieved = match["reprieved"] or match["short"]
            draft.kind = draft.kind or ("死缓" if reprieved else "死刑")

    def on_probation(self, match: re.Match[str]) -> None:
        if (term := wording.read_term(match["probation"] or match["probation_before"])) is None:
            self.remark("unread term", f"cannot be read: {match[0]}")
            return
        for draft in self.drafts(match):
            draft.probation = draft.probation or term

    on_probation_before = on_probation

    def on_political(self, match: re.Match[str]) -> None:
        for draft in self.drafts(match):
            if match["political_life"] or match["political"] == "终身":
                draft.political_for_life = True
            else:
                draft.political = draft.political or wording.read_term(match["political"])

    on_political_life = on_political

    def on_expelled(self, match: re.Match[str]) -> None:
        for draft in self.drafts(match):
            draft.expelled = True

    # What goes with it

    def on_mark(self, match: re.Match[str]) -> None:
        if self.phase in {"void", "earlier"}:
            return
        drafts = self.last_drafts()
        if not drafts:
            self.remark("unread words", f"goes with no sentence: {match[0]}")
        for draft in drafts:
            setattr(draft, cast("str", match.lastgroup), True)

    on_commutation_limited = on_whole_life = on_community = on_mark

    def on_ban(self, match: re.Match[str]) -> int:
        """A ban on a profession or another one, to the end of its sentence."""
        least = max(0, match.start() - _LONGEST_SENTENCE)
        start = max(least, *(self.text.rfind(stop, least, match.start()) + 1 for stop in "。；"))
        end = self._end_of_sentence(match.end())
        if following := wording.NEXT_ITEM.search(self.text, match.end(), end):
            end = following.start()
        words = self.text[start:end]
        names = tuple(name for name in self.people if name and name in words)
        drafts = self.last_drafts(Group(names, False, start, end) if names else None)
        term = wording.BANNED_FOR.search(words)
        for draft in drafts:
            if wording.PROFESSION.search(words) and not wording.MEANWHILE.search(words):
                draft.barred = True
                draft.barred_term = draft.barred_term or (
                    wording.read_term(term[0]) if term else None
                )
            else:
                draft.injunction = True
        if not drafts:
            self.remark("unread words", f"goes with no sentence: {words.strip()[:_SHOWN]}")
        return end

    def on_fine(self, match: re.Match[str]) -> None:
        sums = wording.read_sums(match["fine"] or match["fine_after"])
        if None in sums:
            self.remark("unread fine", f"cannot be read: {match[0]}")
            return
        before = self.text[max(0, match.start() - _BEFORE) : match.start()]
        jointly = len(self.group.names) > 1 and wording.JOINTLY.search(before) is not None
        drafts = self.drafts(match)
        if 1 < len(sums) != len(drafts) > 0:
            self.remark("unread fine", f"not one for each: {match[0]}")
        for number, draft in enumerate(drafts):
            if draft.fine is None:
                draft.fine, draft.fine_joint = _mine(sums, number), jointly

    on_fine_after = on_fine

    def on_fine_open(self, match: re.Match[str]) -> None:
        if self.phase in {"own", "executed"}:
            around = self.text[match.start() : match.end() + 12]
            self.remark("unread fine", f"no sum can be read: {around}")

    def on_confiscated(self, match: re.Match[str]) -> None:
        sums = wording.read_sums(match["property"] or "")
        for draft in self.drafts(match):
            if draft.confiscation is None:
                draft.confiscation = _SHARES.get(match["share"] or "", "财产")
                draft.confiscated = sums[0] if sums else None


def _mine(values: Sequence[_Value], number: int) -> _Value:
    """Of a list one value for each person, in order; a single one is for all."""
    return values[number] if number < len(values) else values[-1]

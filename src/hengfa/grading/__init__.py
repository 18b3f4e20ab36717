"""Grading by rubric: a model as an instrument whose error is known.

rubric        what earns and costs points: sections, items, deductions, gates, order, penalties
submission    what is graded: question, response, rubric
prompt        submission -> messages for a grader; its words are in prompt_words
loose_json    JSON as models write it
verdict       a grader's reply -> awards and faults, or what is wrong with it
evidence      whether quoted words stand in the response, and where
order         which steps stand in the order that the rubric asks for
marking       verdict -> marks: all arithmetic, with caps, gates, order and flags
grader        asks, repairs once, asks again, else ungraded
keywords      the built-in grader that looks for words
echoing, addressing, slipped_in   words that repeat the rubric or address the grader back nothing
panel         several graders -> one mark for each item
agreement     how far graders agree
statutes      cited law checked in the law library
"""

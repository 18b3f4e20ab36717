"""Grading by rubric: a model as an instrument whose error is known.

rubric, rubric_file   what earns and costs points, and marks; people's own rubrics in YAML
submission            what is graded: question, response, rubric; files of them
prompt                submission -> messages for a grader, with the words of `prompts.toml`
grader                asks, repairs once, asks again, else ungraded: all replies make a sheet;
                      beside that: does it speak to graders, which types of error has it
verdict               a grader's replies -> awards and faults, or what is wrong with them
evidence              whether quoted words stand in the response, and where
tampering             words that repeat the rubric or address the grader back nothing
statutes              cited law checked in the law library
marking               verdict -> marks: all arithmetic, with caps, gates, order and flags
graded                a response with what graders said of it; several graders -> one mark, and
                      how far they agree
keywords              the built-in grader that looks for words
attacks, probes       what must not move marks, and how far it does
people                people who score, and how far graders agree with them
"""

"""Responses that talk to the grader: texts to slip in, and how they are slipped in.

attacks.jsonl   the texts, of our own writing; README.md says what the fields and placeholders mean
samples.jsonl   three answers to slip them into, about a country that does not exist
attack          reading both
slipping        submission + attack -> attacked submission
obeying         the grader that does what it is told by the response
moving          marks with and without attacks -> how far they move
"""

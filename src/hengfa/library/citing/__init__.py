"""Checks what a document says of the law: does it exist, was it in force, is it quoted right.

documents    a file -> its text
dating       the day the document speaks of
resolving    the law that a name means
standing     the version of that law which counts on the day
placing      whether the cited position is there
quoting      whose words the quoted words are
outcomes     what to make of all that: a status and notes
checking     the whole check, citation by citation -> findings
"""

"""Texts of law as they circulate, read, dated and written as one library file.

sources      the layouts that circulate: folders of Markdown, JSON lines
assemble     texts -> versions of laws, one chosen for each day
calendar     what happened to each law, whether or not its text is at hand
repeals      which law repealed which
naming       every name a law can be found by
write        the rows and indexes of the file
build        all of it, in order
"""

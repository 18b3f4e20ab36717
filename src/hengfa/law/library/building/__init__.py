"""Texts of law as they circulate, read, dated and written as one library file.

sources      the layouts that circulate: folders of Markdown, JSON lines
assemble     texts -> versions of laws, one chosen for each day; names, calendar, repeals
build        all of it, in order, into the rows and indexes of the file
"""

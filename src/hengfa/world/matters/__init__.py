"""Matters: a folder of documents of a fictional case, from which a document is to be written.

facts     who, when, how much and where, and what of it the file also tells otherwise
papers    the documents of the file, whose texts are documents.toml and, cause by cause, papers.toml
key       the question, the items by which a hand-in is scored, and a document that has them all
make      all of it together: so many matters over a world
matter    one matter on disk, and the tools that read its file
"""

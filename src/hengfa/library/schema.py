"""The tables of a library file. Everything is in one SQLite file that is never changed once built.

Texts are stored once however many versions share them, and the full-text index is over these: that
is why a search gives one hit for one text. In ``provisions`` 0 stands for "none", because a column
that may be NULL cannot be looked up with one ``=``.
"""

from __future__ import annotations

from typing import Final

FORMAT: Final = 1
"""A file of another format is built anew."""

APPLICATION: Final = 0x48464C57  # "HFLW"; tells `file` and us what this is

TABLES: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE laws (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, short TEXT NOT NULL, kind TEXT NOT NULL);
CREATE TABLE names (
    name TEXT NOT NULL, law INTEGER NOT NULL REFERENCES laws, how TEXT NOT NULL,
    PRIMARY KEY (name, law)) WITHOUT ROWID;
CREATE TABLE versions (
    id INTEGER PRIMARY KEY, law INTEGER NOT NULL REFERENCES laws, promulgated TEXT NOT NULL,
    effective TEXT, effective_basis TEXT NOT NULL, sure TEXT NOT NULL, event TEXT NOT NULL,
    kind TEXT NOT NULL, form TEXT NOT NULL, articles INTEGER NOT NULL, leaves INTEGER NOT NULL,
    UNIQUE (law, promulgated));
CREATE TABLE sources (
    version INTEGER NOT NULL REFERENCES versions, role TEXT NOT NULL, repository TEXT NOT NULL,
    commit_id TEXT NOT NULL, path TEXT NOT NULL, file TEXT NOT NULL, file_row INTEGER,
    sha256 TEXT NOT NULL, articles INTEGER NOT NULL);
CREATE TABLE calendar (
    law INTEGER NOT NULL REFERENCES laws, promulgated TEXT NOT NULL, event TEXT NOT NULL,
    effective TEXT, sure TEXT NOT NULL, version INTEGER REFERENCES versions,
    by_law TEXT NOT NULL DEFAULT '');
CREATE TABLE repeals (
    law INTEGER REFERENCES laws, name TEXT NOT NULL, on_date TEXT, before_date TEXT NOT NULL,
    by_law TEXT NOT NULL, by_version TEXT NOT NULL, clause TEXT NOT NULL);
CREATE TABLE headings (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);
CREATE TABLE texts (id INTEGER PRIMARY KEY, digest INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE provisions (
    id INTEGER PRIMARY KEY, version INTEGER NOT NULL REFERENCES versions,
    article INTEGER NOT NULL, article_sub INTEGER NOT NULL, paragraph INTEGER NOT NULL,
    item INTEGER NOT NULL, role TEXT NOT NULL, label TEXT NOT NULL,
    text INTEGER NOT NULL REFERENCES texts, heading INTEGER NOT NULL REFERENCES headings,
    deleted INTEGER NOT NULL);
CREATE TABLE parts (
    version INTEGER NOT NULL REFERENCES versions, part TEXT NOT NULL, title TEXT NOT NULL,
    text TEXT NOT NULL);
CREATE TABLE remarks (
    version INTEGER REFERENCES versions, file TEXT NOT NULL, file_row INTEGER, line INTEGER,
    reason TEXT NOT NULL, text TEXT NOT NULL);
"""

# The two marks after each text are for words shorter than three characters: see text_index.
INDEXES: Final = """
CREATE INDEX provisions_by_position ON provisions (version, article, article_sub, paragraph, item);
CREATE INDEX provisions_by_text ON provisions (text, version);
CREATE INDEX texts_by_digest ON texts (digest);
CREATE INDEX sources_by_version ON sources (version);
CREATE INDEX parts_by_version ON parts (version);
CREATE VIRTUAL TABLE texts_fts USING fts5 (
    text, content = 'texts', content_rowid = 'id', tokenize = 'trigram');
INSERT INTO texts_fts (rowid, text) SELECT id, text || char(3, 3) FROM texts;
INSERT INTO texts_fts (texts_fts) VALUES ('optimize');
CREATE VIRTUAL TABLE trigrams USING fts5vocab ('texts_fts', 'row');
"""
"""Made when all rows are in, which is several times faster than keeping them up to date."""

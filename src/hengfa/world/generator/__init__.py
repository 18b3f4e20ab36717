"""Makes legal worlds: fictional companies, courts, law firms and cases that fit together.

build          all of it -> a world file
sizes          how many rows each table gets
dice           random draws that are the same everywhere
lists          what worlds are made of: syllables, trades, causes, offences (lists.toml)
values, names  days, amounts, codes; names
geography … law  one module for each kind of thing, each a pure function of its number
"""

"""Tables and texts of a legal world in one SQLite file.

schema       the fourteen tables, three collections of texts and 28 look-ups
world        a world file: opened for reading, and written
cells        what a cell means: amount, date
importing    a user's own workbook or folder
declaration  a user's own tables and tools, said in a TOML file
remote       a world behind a web service
"""

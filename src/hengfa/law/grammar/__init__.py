"""The grammar of law: how Chinese legal texts write what they say. It knows no law.

* ``numerals``, ``dates``: numbers and days;
* ``law_names``, ``citation``: what laws are called, and where a text cites them;
* ``statute``, ``statute_parsing``, ``statute_header``: how a statute is built, and what it tells of
  its history;
* ``judgment``: what a criminal judgment decides.
"""

"""From the public homes of the data to packs that are pinned, or made anew.

    updating    another commit of a source: what changes, and the library made anew
    pin         write the sums of a pack into the catalogue

Fetching and verifying are `hengfa.base.data`'s; making files of what was fetched is done by the
room that owns the thing. Here they are tied together.
"""

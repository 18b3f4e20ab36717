"""The parts of a work that several machines do."""

from __future__ import annotations

import hashlib
from typing import Final, NamedTuple

from hengfa.base.errors import UsageError

MOST_SHARDS: Final = 100_000


class Shard(NamedTuple):
    """One of several parts of a whole, so that other machines can do the others: `2/4`.

    Which part something is in depends on its key alone, so that nobody has to know what the others
    do, and a larger limit leaves it where it is.
    """

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @property
    def name(self) -> str:
        """What the name of its folder ends in."""
        return f"shard-{self.number}-of-{self.of}"

    def holds(self, key: str) -> bool:
        """Whether what goes by this key is in it; of a question that is asked several times, give
        the key under which it was first."""
        digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.of == self.number - 1


def parse_shard(text: str) -> Shard:
    """`2/4`."""
    number, _, of = text.partition("/")
    if number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of) <= MOST_SHARDS:
        return Shard(int(number), int(of))
    raise UsageError(f"--shard: {text!r} is no part of a whole such as 2/4")

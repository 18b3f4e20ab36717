"""The keys of questions, and the parts of a work into which they fall on several machines."""

from __future__ import annotations

import hashlib
from typing import Final, NamedTuple

from hengfa.base.errors import UsageError

MOST_SHARDS: Final = 100_000


class KeyParts(NamedTuple):
    """What the key of a question says besides its suite and sample."""

    task: str
    repeat: int


def parse_key(key: str) -> KeyParts | None:
    """`lawbench/1-1/zero_shot~2/17` to its task and repeat; None for what is no such key."""
    parts = key.split("/", 3)
    if len(parts) < 4:
        return None
    _, tilde, repeat = parts[2].rpartition("~")
    return KeyParts(parts[1], int(repeat) if tilde and repeat.isdecimal() else 1)


def first_key(key: str) -> str:
    """The key under which the same was asked first: of `lawbench/1-1/zero_shot~2/17`, without the
    `~2`."""
    parts = parse_key(key)
    if parts is None or parts.repeat == 1:
        return key
    suite, task, setting, sample = key.split("/", 3)
    return "/".join([suite, task, setting.rpartition("~")[0], sample])


class Shard(NamedTuple):
    """One of several parts of a run, so that other machines can do the others: `2/4`.

    Which part a question is in depends on its key alone, so that nobody has to know what the others
    do, and a larger limit or more repeats leave it where it is.
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
        """Whether a question is in it; all times that it is asked are in one part."""
        digest = hashlib.blake2b(first_key(key).encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.of == self.number - 1


def parse_shard(text: str) -> Shard:
    """`2/4`."""
    number, slash, of = text.partition("/")
    if (
        slash
        and number.isdecimal()
        and of.isdecimal()
        and 1 <= int(number) <= int(of) <= MOST_SHARDS
    ):
        return Shard(int(number), int(of))
    raise UsageError(f"--shard: {text!r} is no part of a whole such as 2/4")

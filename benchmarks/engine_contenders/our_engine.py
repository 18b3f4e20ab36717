"""Our engine through its public classes: session, endpoint, journal, progress."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from hengfa.evals.engine.endpoint import Endpoint
from hengfa.evals.engine.journal import Journal
from hengfa.evals.engine.messages import Message, Options, Request, Status
from hengfa.evals.engine.session import Session, Tally, show_progress
from hengfa.evals.engine.vendors import PROVIDERS

IN_FLIGHT = 50


class Sample(msgspec.Struct):
    id: int
    question: str
    answer: str


def samples(data: Path) -> Iterator[Sample]:
    decoder = msgspec.json.Decoder(Sample)
    with data.open("rb") as lines:
        for line in lines:
            yield decoder.decode(line)


async def main(url: str, data: Path, out: Path) -> None:
    with data.open("rb") as lines:
        tally = Tally(total=sum(1 for _ in lines))
    model = Endpoint(
        "endpoint:stub",
        model="stub",
        base_url=url,
        provider=PROVIDERS["endpoint"],
        connections=IN_FLIGHT,
    )
    right = 0
    with Journal(out / "journal.jsonl") as journal:
        session = Session(model, journal, tally, lanes=IN_FLIGHT)
        options = Options(max_new_tokens=256)

        async def work(sample: Sample) -> None:
            nonlocal right
            question = (Message("user", sample.question),)
            response = await session.ask(Request(f"stub/{sample.id}", question, options))
            right += response.status is Status.ANSWERED and response.text == sample.answer

        progress = asyncio.create_task(show_progress(tally))
        await session.for_each(samples(data), work)
        progress.cancel()
        await asyncio.gather(progress, return_exceptions=True)
    await model.close()
    print(f"{right} right")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])))

"""The baseline: asyncio and aiohttp, nothing else; answers go into a JSON lines file.

No retries, no journal that survives a crash, no statuses, no progress: what an engine adds to the
cost of asking is to be seen against this. It uses our JSON library, which is faster than Python's
own by a third of the whole, so that ours is not flattered.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import aiohttp
import msgspec

IN_FLIGHT = 50


async def main(url: str, data: Path, out: Path) -> None:
    with data.open("rb") as samples, (out / "answers.jsonl").open("wb") as answers:
        connector = aiohttp.TCPConnector(limit=IN_FLIGHT)
        headers = {"Content-Type": "application/json"}
        async with aiohttp.ClientSession(connector=connector, headers=headers) as http:

            async def worker() -> None:
                for line in samples:
                    sample = msgspec.json.decode(line)
                    message = {"role": "user", "content": sample["question"]}
                    body = {"model": "stub", "messages": [message], "max_tokens": 256}
                    asked = msgspec.json.encode(body)
                    async with http.post(f"{url}/chat/completions", data=asked) as reply:
                        told = msgspec.json.decode(await reply.read())
                    text = told["choices"][0]["message"]["content"]
                    right = text == sample["answer"]
                    kept = {"id": sample["id"], "text": text, "right": right}
                    answers.write(msgspec.json.encode(kept) + b"\n")

            async with asyncio.TaskGroup() as group:
                for _ in range(IN_FLIGHT):
                    group.create_task(worker())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])))

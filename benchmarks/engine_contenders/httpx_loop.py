"""A bare loop with httpx, the client inside the OpenAI SDK: what the choice of a client costs."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import httpx  # type: ignore[import-not-found,unused-ignore]

IN_FLIGHT = 50


async def main(url: str, data: Path, out: Path) -> None:
    with data.open(encoding="utf-8") as samples, (out / "answers.jsonl").open("w") as answers:
        limits = httpx.Limits(max_connections=IN_FLIGHT, max_keepalive_connections=IN_FLIGHT)
        async with httpx.AsyncClient(limits=limits) as http:

            async def worker() -> None:
                for line in samples:
                    sample = json.loads(line)
                    message = {"role": "user", "content": sample["question"]}
                    body = {"model": "stub", "messages": [message], "max_tokens": 256}
                    reply = await http.post(f"{url}/chat/completions", json=body)
                    text = reply.json()["choices"][0]["message"]["content"]
                    right = text == sample["answer"]
                    kept = {"id": sample["id"], "text": text, "right": right}
                    answers.write(json.dumps(kept, ensure_ascii=False) + "\n")

            async with asyncio.TaskGroup() as group:
                for _ in range(IN_FLIGHT):
                    group.create_task(worker())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])))

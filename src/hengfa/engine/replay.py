"""A journal as a model: answers what it has answered before, asks nobody."""

from __future__ import annotations

from pathlib import Path

from hengfa.engine.journal import newest_entries
from hengfa.engine.messages import Request, Response, Status
from hengfa.errors import UsageError


class Replay:
    """Responses of an earlier run, found by key and prompt hash.

    A question that the journal does not hold, or holds under another prompt, ends as `failed` with
    the reason: a replay never guesses.
    """

    address = ""

    def __init__(self, run: Path) -> None:
        journal = run / "journal.jsonl" if run.is_dir() else run
        if not journal.is_file():
            raise UsageError(f"replay: there is no journal at {journal}")
        self._responses = {
            entry.key: (entry.prompt_hash, entry.response) for entry in newest_entries(journal)
        }
        self.name = f"replay:{run.name}"

    async def generate(self, request: Request) -> Response:
        prompt_hash, response = self._responses.get(request.key, ("", None))
        if response is None:
            return Response(
                status=Status.FAILED,
                reason="the journal has no answer to this",
                this_question_only=True,
            )
        if prompt_hash != request.prompt_hash():
            return Response(
                status=Status.FAILED,
                reason="the journal answered another prompt",
                this_question_only=True,
            )
        return response

    async def close(self) -> None:
        return

"""The response of an agent: its two texts, its calls and its transcript, or that there is none."""

from __future__ import annotations

from hengfa.agents.methods.desk import Stopped
from hengfa.agents.methods.record import Record
from hengfa.agents.methods.texts import clean, without_digit_commas
from hengfa.agents.trajectory import SILENCE, Ended, Reply, write_reply
from hengfa.engine.messages import Response, Status


def handed_in(
    answer: str, summary: str, record: Record, ended: Ended, status: Status = Status.ANSWERED
) -> Response:
    """A finished task. The transcript stands where a model's thinking does, for `hengfa show`."""
    texts = without_digit_commas(answer), without_digit_commas(summary)
    reply = Reply(*texts, steps=tuple(record.steps), ended=ended)
    cut = "" if status is Status.ANSWERED else "a closing text was cut at the length limit"
    return Response(status, text=write_reply(reply), reasoning=clean_transcript(record), reason=cut)


def silent(stop: Stopped, record: Record) -> Response:
    """A task that could not go on.

    A transcript that became too long is the agent's own failure: it hands in silence. All else has
    the status of the reply at which it stopped, so that it is reported as that and, where it may
    help, asked again.
    """
    reply = Reply(SILENCE, SILENCE, steps=tuple(record.steps), ended=stop.ended)
    own = stop.ended is Ended.CONTEXT_OVERFLOW
    return Response(
        status=Status.ANSWERED if own else stop.response.status,
        text=write_reply(reply),
        reasoning=clean_transcript(record),
        reason=stop.response.reason,
        this_question_only=stop.response.this_question_only,
    )


def clean_transcript(record: Record) -> str:
    """The transcript as it is kept."""
    return "\n".join(clean(line) for line in record.text.split("\n"))

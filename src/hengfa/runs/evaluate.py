"""Asking a model all questions of a plan, then scoring what it said."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hengfa.engine.budget import Budget, Limits
from hengfa.engine.journal import Journal
from hengfa.engine.messages import Model, Options, Request, Status
from hengfa.engine.prices import find_price
from hengfa.engine.progress import show_progress
from hengfa.engine.session import RetryPolicy, Session
from hengfa.engine.tally import Tally
from hengfa.errors import EndpointDown, RunStopped
from hengfa.runs.folder import JOURNAL, named_folder, new_manifest, open_folder, run_name
from hengfa.runs.outcome import Outcome
from hengfa.runs.score import Notify, quiet, score_run
from hengfa.suites.base import Rules
from hengfa.suites.plan import Plan
from hengfa.suites.scoring import ANSWERS

MANY_ANSWERS = 2000
"""From here on it pays to start other processes for scoring."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a run is carried out: nothing here changes what is asked, `accept` what counts."""

    lanes: int = 64
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    limits: Limits = field(default_factory=Limits)
    ask_again: frozenset[Status] = frozenset({Status.FAILED})
    accept: frozenset[Status] = ANSWERS
    fresh: bool = False
    progress: bool = True
    scoring_jobs: int = 1


def evaluate(
    plan: Plan,
    model: Model,
    options: Options,
    rules: Sequence[Rules],
    *,
    runs: Path,
    name: str | None = None,
    settings: Settings | None = None,
    notify: Notify = quiet,
) -> tuple[Path, list[Outcome]]:
    """Ask, keep, score. Called again, it asks only what is still open."""
    settings = settings or Settings()
    # A limit that cannot be kept is refused before anything is written.
    Budget(settings.limits, find_price(model.name), model=model.name)
    folder = named_folder(runs, name) if name is not None else runs / run_name(plan, model.name)
    manifest = new_manifest(plan, model, options)
    before = open_folder(folder, manifest, fresh=settings.fresh)
    if before is not None and before.address != manifest.address:
        notify(f"{folder}: begun at {before.address}, goes on at {manifest.address}")
    try:
        tally = asyncio.run(ask(plan, model, options, folder, settings, notify))
    except RunStopped:
        notify(f"what is there can be scored: hengfa score {plan.suite.name} {folder}")
        raise
    if failed := tally.statuses[Status.FAILED]:
        notify(f"{failed} failed, the last with: {tally.last_failure}; the same command asks again")
        if not any(tally.statuses[status] for status in Status if status is not Status.FAILED):
            raise EndpointDown(
                f"nothing was answered: {tally.last_failure}. Check --base-url (it usually ends in "
                "/v1), the model's name and the key"
            )
    jobs = settings.scoring_jobs if len(plan) >= MANY_ANSWERS else 1
    return folder, score_run(folder, rules, accept=settings.accept, jobs=jobs, notify=notify)


async def ask(
    plan: Plan,
    model: Model,
    options: Options,
    folder: Path,
    settings: Settings,
    notify: Notify = quiet,
) -> Tally:
    """Put every question of the plan that the journal cannot answer to the model."""
    with Journal(folder / JOURNAL, ask_again=settings.ask_again) as journal:
        for notice in journal.notices:
            notify(notice)
        tally = Tally(len(plan), find_price(model.name))
        session = Session(
            model,
            journal,
            tally,
            lanes=settings.lanes,
            retry=settings.retry,
            limits=settings.limits,
        )

        async def one(request: Request) -> None:
            await session.ask(request)

        with _interruptible(session, notify):
            shown = asyncio.create_task(show_progress(tally)) if settings.progress else None
            try:
                await session.for_each(plan.requests(options), one)
            finally:
                if shown is not None:
                    shown.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await shown
                await model.close()
    return tally


@contextlib.contextmanager
def _interruptible(session: Session, notify: Notify) -> Iterator[None]:
    """The first Ctrl-C ends the run in good order, a second one at once."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        in_flight = session.lanes.in_flight
        notify(f"\nstopping: waiting for {in_flight} requests in flight; Ctrl-C again ends at once")
        session.stop(
            RunStopped(
                "interrupted: waited for what was in flight, all answers are kept; "
                "give the same command again to go on"
            )
        )

    try:
        loop.add_signal_handler(signal.SIGINT, stop)
    except (NotImplementedError, RuntimeError, ValueError):  # not the main thread
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)

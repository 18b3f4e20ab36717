"""Which pictures a site has, and on which pages they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hengfa.report.site.gather import Board
from hengfa.report.site.model import PictureInfo, PublishedInfo, RunInfo, TaskInfo, Words
from hengfa.report.site.scores import figures_of
from hengfa.report.views import overview
from hengfa.report.views.base import BoardView, Picture, best_first
from hengfa.report.views.models import Ability, abilities, abilities_of, tasks_of
from hengfa.report.views.registry import pictures_of

_ABILITIES = Words("能力", "Abilities")
_NOTHING = Words("", "")


@dataclass
class Pictures:
    """All pictures by id; ``suites`` by suite, setting and rules, ``models`` by run number."""

    drawn: dict[str, Picture] = field(default_factory=dict)
    overview: list[str] = field(default_factory=list)
    suites: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    models: dict[str, list[str]] = field(default_factory=dict)

    def add(self, pictures: Sequence[Picture]) -> list[str]:
        for one in pictures:
            self.drawn.setdefault(one.id, one)
        return [one.id for one in pictures]

    def infos(self) -> dict[str, PictureInfo]:
        return {
            one.id: PictureInfo(one.id, one.title, one.note, one.published)
            for one in self.drawn.values()
        }


def board_views(
    boards: Sequence[Board],
    runs: Sequence[RunInfo],
    tasks: Sequence[TaskInfo],
    published: Sequence[PublishedInfo],
) -> list[BoardView]:
    """A view for each board and rules, with the other settings of its suite beside it."""
    views: list[BoardView] = []
    together: dict[tuple[str, str], list[BoardView]] = {}
    for board in boards:
        place = board.suite.name, board.setting
        for rules in board.rules:
            scored = [
                run for run in runs if (run.suite, run.setting) == place and rules in run.scores
            ]
            beside = together.setdefault((board.suite.name, rules), [])
            view = BoardView(
                suite=board.suite,
                setting=board.setting,
                rules=str(rules),
                runs=best_first(scored, rules, board.suite),
                tasks=[task for task in tasks if (task.suite, task.setting) == place],
                published=[one for one in published if (one.suite, one.setting) == place],
                figures={name: Words(*title) for name, title in figures_of(board.suite).items()},
                settings=beside,
            )
            beside.append(view)
            views.append(view)
    return views


def all_pictures(views: Sequence[BoardView]) -> Pictures:
    """The pictures of all pages."""
    pictures = Pictures()
    pictures.overview = pictures.add(overview.pictures(views))
    for view in views:
        pages = pictures.suites.setdefault(view.suite.name, {})
        pages[view.key] = pictures.add(pictures_of(view))
    found: dict[str, list[Ability]] = {}
    first: dict[int, BoardView] = {}
    for view in views:
        for run in view.runs:
            if run.number not in first:
                first[run.number] = view
                found.setdefault(run.model, []).extend(abilities_of(view, run, run.model))
    for view in views:
        for run in view.runs:
            if first[run.number] is view:
                drawn = tasks_of(view, run)
                drawn += abilities(
                    f"run-{run.number}-abilities",
                    _once(found[run.model]),
                    _ABILITIES,
                    _NOTHING,
                )
                pictures.models[str(run.number)] = pictures.add(drawn)
    return pictures


def _once(found: Sequence[Ability]) -> list[Ability]:
    """Of several runs that measure the same ability, the first."""
    return list({(one[1].zh, one[1].en): one for one in reversed(found)}.values())[::-1]

"""The tables and figures of papers on a site: those of the suites that its runs are of."""

from __future__ import annotations

from collections.abc import Sequence

from hengfa.evals.report.paper_tables import Table
from hengfa.evals.report.papers import NAMES, exhibits, get_paper, shelf_of
from hengfa.evals.report.papers.exhibit import NOTHING, Exhibit
from hengfa.evals.report.site.collect import Collected
from hengfa.evals.report.site.files import Packer
from hengfa.evals.report.site.gather import Source
from hengfa.evals.report.site.model import ExhibitInfo, PaperInfo, TextTable, Words
from hengfa.evals.report.site.views import LANGUAGES, Picture
from hengfa.evals.results.published.papers import paper_of


def put_papers(packer: Packer, collected: Collected, sources: Sequence[Source]) -> list[PaperInfo]:
    """Write a file for each paper; its pictures are added to those of the site."""
    asked = {suite.name for suite in collected.suites}
    papers = [get_paper(name) for name in NAMES]
    told = [paper for paper in papers if asked & {paper.suite, *paper.also}]
    for paper in told:
        made = exhibits(paper, shelf_of(paper, sources))
        packer.put(f"papers/{paper.suite}", [_info(exhibit, collected) for exhibit in made])
    return [PaperInfo(paper.suite, paper_of(paper.suite)) for paper in told]


def _info(exhibit: Exhibit, collected: Collected) -> ExhibitInfo:
    title = Words(exhibit.title("zh"), exhibit.title("en"))
    picture = ""
    if exhibit.drawn is not None:
        picture = f"paper-{exhibit.suite}-{exhibit.plate.id}"
        collected.pictures.add([Picture(picture, title, NOTHING, exhibit.drawn)])
    return ExhibitInfo(
        exhibit.plate.id,
        title,
        {language: _texts(exhibit.table(language)) for language in LANGUAGES},
        {language: exhibit.remarks(language) for language in LANGUAGES},
        picture,
    )


def _texts(table: Table) -> TextTable:
    return TextTable(table.head, list(table.rows))

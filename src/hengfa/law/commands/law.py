"""`hengfa law`: build the law library, and look things up in it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from hengfa.base.bringing import bring, from_option, mirror_option, parts_option
from hengfa.base.errors import DataError, HengfaError, UsageError
from hengfa.base.hooks import part
from hengfa.base.options import (
    Day,
    Place,
    Whole,
    claim,
    force_option,
    json_option,
    library_option,
    print_json,
    say,
)
from hengfa.base.terminal.progress import counting, counting_texts
from hengfa.law.api import Law
from hengfa.law.grammar.citation_positions import format_citation, format_position
from hengfa.law.grammar.dates import today
from hengfa.law.library import lookup
from hengfa.law.library.history import ALIKE, Step
from hengfa.law.library.history import show as show_difference
from hengfa.law.library.model import STATUTES, LawKind
from hengfa.law.library.names import find_law
from hengfa.law.library.search import quoted_in
from hengfa.law.library.second_ranking import CANDIDATES, PART, rank_again
from hengfa.law.library.stats import Stats, count
from hengfa.law.library.store import Library, default_file
from hengfa.law.library.versions import FoundVersion, Reading

if TYPE_CHECKING:
    from hengfa.law.library.building.build import Built
    from hengfa.law.library.lookup import LookedUp
    from hengfa.law.library.second_ranking import OpenRanking, SecondRanking

_KINDS: tuple[LawKind, ...] = get_args(LawKind)
_SAMPLE = "sample"
_REGULATIONS = "regulations"
_MOST_LETTERS = 200
_as_of_option = click.option(
    "--as-of", type=Day(), metavar="DATE", help="The version in force on that day."
)
_kind_option = click.option(
    "--kind", "kinds", type=click.Choice(_KINDS), multiple=True, help="Only laws of this kind."
)


@click.group()
def command() -> None:
    """The law itself: build the library of statutes, and look things up in it.

    A date can mean three things, and every answer says which it took: the version in force on that
    day (--as-of), the version promulgated on exactly that day (--version), or the latest one
    promulgated up to it (--latest-by). A version whose text is not at hand is answered "unknown".

    \b
    Example:
      hengfa law get
      hengfa law show 民法典 27.2.1 --as-of 2021-01-01
    """


@command.command("get")
@parts_option
@from_option
@mirror_option
def get_(parts: tuple[str, ...], folder: Path | None, base_url: str | None) -> None:
    """Bring the texts of law here, and build the library from them.

    The same as `hengfa data pull statutes --with regulations` and `hengfa law build`: statutes,
    judicial interpretations, regulations of the State Council, and some rules of its departments.
    What is here already and right is not fetched again; when it is interrupted, the same command
    goes on where it stopped. Where the copies of --from have no regulations, it says so.

    \b
    Example:
      hengfa law get
      hengfa law get --from copies/
    """
    again = "hengfa law get"
    try:
        bring("statutes", {*parts, _REGULATIONS}, folder, base_url, again=again)
    except DataError as problem:
        if folder is None or _REGULATIONS in parts:
            raise
        say(f"without regulations of the State Council, which these copies lack: {problem}")
        bring("statutes", parts, folder, base_url, again=again)
    _print_built(_build(default_file(), ()))


@command.command("build")
@click.argument("folders", metavar="[DIR]...", nargs=-1)
@click.option(
    "-o",
    "--output",
    "file",
    type=Place(dir_okay=False),
    help="Write the library here.  [default: law.sqlite in ~/.hengfa or HENGFA_HOME]",
)
@click.option(
    "--with",
    "own",
    type=Place(exists=True),
    multiple=True,
    metavar="PATH",
    help="Texts of your own besides: statutes, interpretations, amending acts.",
)
@force_option("Replace the file even if it is no law library.")
@json_option
def build_(
    folders: tuple[str, ...], file: Path | None, own: tuple[Path, ...], force: bool, as_json: bool
) -> None:
    """Build the library from installed packs, or from the folders DIR.

    A folder has statutes.jsonl.gz and its companions, JSON lines with the fields law, version,
    event, effective, kind and text, or Markdown pages as in the repositories ImCa0/just-laws and
    X-STORAGE/Laws. `sample` is the fictional law that ships with Hengfa.

    An amending act (某法修正案, 关于修改〈某法〉的决定) makes a version of its law: its words are
    derived from the versions at hand.

    \b
    Example:
      hengfa law build
      hengfa law build just-laws Laws -o both.sqlite
      hengfa law build --with my-laws
    """
    built = _build(file or default_file(), folders, own, force=force)
    if as_json:
        print_json(built)
    else:
        _print_built(built)


def _build(
    file: Path, folders: Sequence[str], own: Sequence[Path] = (), *, force: bool = False
) -> Built:
    # the parser is imported by those who build
    from hengfa.law.library.building.build import build_library, installed_sources  # noqa: PLC0415
    from hengfa.law.library.building.sources import SourceFolder  # noqa: PLC0415

    target = claim(file, force=force, ours=Library.is_kept_in)
    sources = [SourceFolder(_folder(name)) for name in folders] or installed_sources()
    sources += [SourceFolder(path.resolve(), own=True) for path in own]
    with counting_texts() as watch:
        return build_library(sources, target, say, watch)


def _print_built(built: Built) -> None:
    click.echo(
        f"{built.statutes} statutes in {built.statute_versions} versions: {built.articles:,}"
        f" articles, {built.leaves:,} leaves; {built.laws - built.statutes} other laws,"
        f" in {built.file}"
    )
    if built.remarks:
        say(f"{built.remarks:,} lines, rows and files are no law or not placed: hengfa law report")


@command.command("show")
@click.argument("name")
@click.argument("position", required=False)
@_as_of_option
@click.option(
    "--version",
    "--promulgated",
    "version",
    type=Day(),
    metavar="DATE",
    help="The version promulgated on exactly that day.",
)
@click.option(
    "--latest-by", type=Day(), metavar="DATE", help="The latest version promulgated up to that day."
)
@library_option
@json_option
@click.pass_context
def show_(
    context: click.Context,
    name: str,
    position: str | None,
    as_of: date | None,
    version: date | None,
    latest_by: date | None,
    file: Path | None,
    as_json: bool,
) -> None:
    """Show a provision of the law NAME, or what is known of the law.

    POSITION is 27, 27.2 (paragraph), 27.2.1 (item), 133-1.2 (第一百三十三条之一), 27..1 (an item
    without a paragraph), or as lawyers write it: 第二十七条第二款第（一）项. Without a date the
    version in force today is shown. Where its text is not at hand, amending acts may tell what it
    said: that is called derived.

    \b
    Example:
      hengfa law show 民法典
      hengfa law show 民法典 27.2.1 --as-of 2021-01-01
      hengfa law show 行政诉讼法 第十一条 --version 2017-06-27
    """
    reading, on = _reading(as_of, version, latest_by)
    with Law(file) as law:
        named = law.find(name)
        if position is None and on is None:
            if as_json:
                shelf = law.library.shelf
                print_json(
                    {
                        "law": named,
                        "versions": law.library.versions(named),
                        "calendar": shelf.calendar.get(named.name, ()),
                        "repeals": shelf.repeals.get(named.name, ()),
                    }
                )
            else:
                click.echo(f"{named.name} ({named.kind})")
                for line in lookup.calendar_lines(law.library, named):
                    click.echo(f"  {line}")
            return
        looked_up = law.look_up(named.name, position, on=on, reading=reading)
    if as_json:
        print_json(looked_up)
        known = isinstance(looked_up.answer, FoundVersion) or looked_up.text
        context.exit(0 if known else 1)
    if isinstance(looked_up.answer, FoundVersion):
        _print_provision(looked_up, looked_up.answer)
        return
    why = lookup.why_not(named, looked_up.answer)
    if not looked_up.text:
        raise HengfaError(f"{why}; {looked_up.derived}" if looked_up.derived else why)
    click.echo(f"{looked_up.law}\n  {why}\n  {looked_up.derived}\n\n{looked_up.cited}")
    click.echo(f"{_indent(looked_up.text)}\n\nreading: {looked_up.reading} {looked_up.on}, derived")


def _reading(
    as_of: date | None, version: date | None, latest_by: date | None
) -> tuple[Reading, date | None]:
    readings: tuple[tuple[Reading, date | None], ...] = (
        ("in force on", as_of),
        ("promulgated on", version),
        ("latest by", latest_by),
    )
    given = [(reading, on) for reading, on in readings if on is not None]
    if len(given) > 1:
        raise UsageError("a date has one reading: give --as-of, --version or --latest-by")
    return given[0] if given else ("in force on", None)


def _print_provision(looked_up: LookedUp, answer: FoundVersion) -> None:
    """As a lawyer reads it, and by which reading of the date."""
    version = answer.version
    click.echo(f"{looked_up.law}\n  {lookup.describe(version)}\n  from {looked_up.source}")
    if looked_up.headings:
        click.echo(f"  {' › '.join(looked_up.headings)}")
    if looked_up.cited:
        click.echo(f"\n{looked_up.cited}")
    elif not looked_up.text:
        click.echo(f"  {version.articles} articles: name one of them")
    if looked_up.text:
        click.echo(_indent(looked_up.text) + "\n")
    doubt = "" if answer.sure else f" — not certain: {answer.note}"
    click.echo(f"reading: {looked_up.reading} {looked_up.on}{doubt}")
    for other in looked_up.other_readings:
        click.echo(f"  differs: {other}")


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))


@command.command("history")
@click.argument("name")
@click.argument("position")
@click.option(
    "--version",
    type=Day(),
    metavar="DATE",
    help="POSITION is that of the version promulgated on this day.  [default: the latest at hand]",
)
@click.option("--full", is_flag=True, help="Print the whole text also where nothing changed.")
@library_option
@json_option
def history_(
    name: str, position: str, version: date | None, full: bool, file: Path | None, as_json: bool
) -> None:
    """Follow one provision through all versions of its law, and on into the law that repealed it.

    Where it was given another number it is found by its text, also where articles were split or
    merged. What is found in another law is said to be found; what a table knows, to be known.
    [-words-] were struck out, {+words+} were put in.

    \b
    Example:
      hengfa law history 公司法 57
      hengfa law history 合同法 107
      hengfa law history 民事诉讼法 43.3 --version 2017-06-27
    """
    with Law(file) as law:
        named = law.find(name)
        steps = law.history(named.name, position, version=version)
    if as_json:
        print_json({"law": named.name, "steps": steps})
    else:
        _print_history(named.name, steps, full=full)


def _print_history(law: str, steps: Sequence[Step], *, full: bool) -> None:
    """A provision in all versions: what changed, or with `full` the text also where nothing did."""
    click.echo(law)
    for step in steps:
        for gap in step.missing:
            click.echo(f"\n{gap.promulgated}  {gap.event}; its text is not in the library")
        click.echo(f"\n{_head(step)}")
        unchanged = step.position and step.similarity == 1
        if step.derived and not unchanged:
            click.echo(f"  its text is not in the library; {step.derived}")
        for moved in step.elsewhere:
            of, to = format_position(moved.of), format_position(moved.to)
            click.echo(f"  {of} is {to} here")
        for twin in step.twins:
            under = f" ({twin.headings})" if twin.headings else ""
            click.echo(f"  nearly the same words: {format_position(twin.position)}{under}")
        if step.deleted:
            continue
        other_words = step.successor == "known" and (step.similarity or 0) < ALIKE
        if step.changes and not other_words:
            click.echo(_indent(show_difference(step.changes, colours=sys.stdout.isatty())))
        elif step.position and (step.similarity is None or full or other_words):
            click.echo(_indent(step.text))
        elif step.position:
            click.echo("  unchanged, derived" if step.derived else "  unchanged")


def _head(step: Step) -> str:
    """Which version, and where the provision is in it."""
    place = "does not have it" if step.position is None else format_position(step.position)
    deleted = ", deleted" if step.deleted else ""
    law = ""
    if step.successor:
        how = "as is known" if step.successor == "known" else f"found, {step.similarity:.0%} alike"
        law, deleted = f"  {step.version.law}", f" ({how})"
    return f"{step.version.promulgated}  {step.version.event}{law}  {place}{deleted}"


@command.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("--law", "name", metavar="NAME", help="Only in this law.")
@_kind_option
@_as_of_option
@click.option("--all-versions", is_flag=True, help="In every version, not only in today's law.")
@click.option("--limit", type=Whole(1, 1000), default=10, metavar="N")
@click.option(
    "--rerank-url",
    metavar="URL",
    help="Have the best 50 ranked again by the service at URL/rerank. The question and they go to"
    " it.",
)
@click.option(
    "--embeddings-url",
    metavar="URL",
    help="The same by the cosines of what the service at URL/embeddings makes of them.",
)
@click.option(
    "--rerank-model", "model", metavar="NAME", help="The model that this service is asked for."
)
@library_option
@json_option
def search_(
    words: tuple[str, ...],
    name: str | None,
    kinds: tuple[LawKind, ...],
    as_of: date | None,
    all_versions: bool,
    limit: int,
    rerank_url: str | None,
    embeddings_url: str | None,
    model: str | None,
    file: Path | None,
    as_json: bool,
) -> None:
    """Find provisions by their words, or by a question.

    A phrase is found wherever it stands; several words may stand anywhere in a provision; a
    question, also one in everyday words, finds the articles that fit it best, by an index that is
    made once. A query in quotation marks finds only what holds it. What is in force today is
    searched, unless a day is given.

    Nothing leaves this machine, unless a service is named that ranks again (--rerank-url or
    --embeddings-url): then the question and the provisions that were found go to it, with the key
    of HENGFA_API_KEY, or of the provider where the model is named PROVIDER:NAME.

    \b
    Example:
      hengfa law search 故意伤害他人身体
      hengfa law search 试用期最长多久 --law 劳动合同法
      hengfa law search 房东不退押金怎么办 --as-of 2022-01-01
      hengfa law search “非法占有为目的” --kind interpretation
      hengfa law search 房东不退押金怎么办 --rerank-url http://localhost:8000/v1
    """
    from hengfa.law.library.article_index import articles_of  # noqa: PLC0415 - numpy

    query = " ".join(words)
    ranking = _second_ranking(rerank_url, embeddings_url, model)
    with Law(file) as law:
        if not quoted_in(query):
            articles_of(law.library, say, counting)
        hits = law.search(
            query, law=name, kinds=kinds, on=as_of, all_versions=all_versions,
            limit=max(limit, CANDIDATES) if ranking else limit,
        )  # fmt: skip
    if ranking and hits:
        say(f"the question and {min(len(hits), CANDIDATES)} provisions go to {ranking.name}")
        hits = rank_again(hits, query, ranking)[:limit]
    if as_json:
        on = None if all_versions else as_of or today()
        ranked_by = ranking.name if ranking else None
        print_json({"query": query, "on": on, "ranked_by": ranked_by, "hits": hits})
        return
    for hit in hits:
        more = f"  and {hit.elsewhere} other places" if hit.elsewhere else ""
        click.echo(f"{format_citation(hit.version.law, hit.position)}")
        click.echo(f"  {hit.version.promulgated}  {' › '.join(hit.headings)}{more}")
        click.echo(_indent(hit.text) + "\n")
    if not hits:
        say("nothing found; fewer words, or --all-versions, may find more")


def _second_ranking(
    rerank_url: str | None, embeddings_url: str | None, model: str | None
) -> SecondRanking | None:
    """The service that a person names to rank again, if one is named."""
    options = {"--rerank-url": rerank_url, "--embeddings-url": embeddings_url}
    named = [(option, url) for option, url in options.items() if url is not None]
    if len(named) > 1 or (model is not None and not named):
        raise UsageError("--rerank-url or --embeddings-url, one of them; --rerank-model is for it")
    opened: OpenRanking | None = part(PART) if named else None
    return opened(*named[0], model or "") if opened else None


@command.command("stats")
@click.option(
    "--until", type=Day(), metavar="DATE", help="Only versions promulgated up to that day."
)
@click.option("--dates", is_flag=True, help="List each entry into force that is not sure.")
@library_option
@json_option
def stats_(until: date | None, dates: bool, file: Path | None, as_json: bool) -> None:
    """Count laws, versions, articles and leaves.

    How well the entry into force of a version is known: exact, its own text says it; stated, a
    register or a table says it; suspect, a register gives the day of promulgation for an amendment,
    as registers do when they do not know; assumed, acts of its kind take effect at once; unknown. A
    line of law, version, effective in a file effective.tsv beside your texts settles it.

    \b
    Example:
      hengfa law stats
      hengfa law stats --dates
      hengfa law stats --until 2025-04-08 --json
    """
    with Library.open(file) as library:
        counts = count(library, until)
    if as_json:
        print_json(counts)
    else:
        _print_stats(counts, dates=dates)


def _print_stats(stats: Stats, *, dates: bool) -> None:
    """How much law there is, by kind, and how well its dates are known; with those that are not."""
    click.echo(f"{stats.file}, fingerprint {stats.fingerprint}")
    for kind, counted in {"statutes": stats.statutes, **stats.kinds}.items():
        name = "statutes and constitution" if kind == "statutes" else kind
        click.echo(
            f"  {name:<26}{counted.laws:>6,} laws {counted.versions:>6,} versions"
            f" {counted.articles:>8,} articles {counted.leaves:>8,} leaves"
            f" {counted.leads:>7,} leads"
        )
    occasions, at_hand = stats.occasions, stats.at_hand
    click.echo(f"{stats.several_versions} statutes are at hand in several versions. The calendar")
    click.echo(f"knows {occasions} versions of statutes, of which {at_hand} are at hand;")
    click.echo(f"{stats.effective_later} of these took effect after they were promulgated.")
    click.echo("How well the entry into force is known:")
    for kind, counted in stats.kinds.items():
        sure = ", ".join(f"{number} {how}" for how, number in counted.sure.items())
        click.echo(f"  {kind:<26}{sure}")
    for unsure in stats.unsure if dates else ():
        since = unsure.effective or "not known"
        days = f"{unsure.promulgated}, in force from {since} ({unsure.sure})"
        click.echo(f"  {days:<50}{unsure.law}")


@command.command("export")
@click.option(
    "--format",
    "layout",
    type=click.Choice(["jsonl", "corpus"]),
    default="jsonl",
    help="Provisions with their fields, or whole articles as `hengfa retrieve build` reads them.",
)
@click.option("-o", "--output", type=Place(dir_okay=False), help="Instead of printing.")
@force_option("Replace the file if it exists.")
@click.option("--law", "name", metavar="NAME", help="Only this law.")
@_kind_option
@click.option("--role", type=click.Choice(["leaf", "lead"]), help="Only leaves, or only leads.")
@library_option
def export_(
    layout: str,
    output: Path | None,
    force: bool,
    name: str | None,
    kinds: tuple[LawKind, ...],
    role: str | None,
    file: Path | None,
) -> None:
    """Write all provisions of the statutes, in all versions, one a line.

    The fields are law, version, article, article_sub, paragraph, item, role and text. A corpus has
    the articles with an id such as 民法典/2020-05-28/27, a name that says law, version and number,
    and the law as the group.

    \b
    Example:
      hengfa law export --format jsonl -o statutes.jsonl
      hengfa law export --format corpus -o articles.jsonl
    """
    import msgspec  # noqa: PLC0415

    from hengfa.base.data.jsonfile import write_atomically  # noqa: PLC0415
    from hengfa.law.library.export import articles_as_documents, export_provisions  # noqa: PLC0415

    if layout == "corpus" and role:
        raise UsageError("--role is for provisions: a corpus has whole articles")
    if output is not None:
        claim(output, force=force)
    with Library.open(file) as library:
        laws = [find_law(library, name)] if name else library.laws(*(kinds or STATUTES))
        versions = [version for law in laws for version in library.versions(law)]
        lines = export_provisions(
            library, versions, "leaf" if role == "leaf" else "lead" if role else None
        )
        if layout == "corpus":
            documents = articles_as_documents(library, versions)
            lines = (msgspec.json.encode(document) + b"\n" for document in documents)
        if output is None:
            for line in lines:
                click.echo(line.decode(), nl=False)
            return
        content = list(lines)
    write_atomically(output, b"".join(content))
    what = "articles" if layout == "corpus" else "provisions"
    say(f"{len(content):,} {what} of {len(versions)} versions in {output}")


@command.command("report")
@click.option("--reason", metavar="WORDS", help="Only remarks whose reason has these words.")
@click.option("--limit", type=Whole(0), default=40, metavar="N")
@library_option
@json_option
def report_(reason: str | None, limit: int, file: Path | None, as_json: bool) -> None:
    """List what the build could not place or read: every line, with its file and the reason.

    \b
    Example:
      hengfa law report --reason "out of sequence"
    """
    with Library.open(file) as library:
        remarks = [remark for remark in library.remarks() if not reason or reason in remark.reason]
        reasons = count(library).remarks
    if as_json:
        print_json(remarks)
        return
    counts = {why: number for why, number in reasons.items() if not reason or reason in why}
    for why, number in counts.items():
        click.echo(f"{number:>7,}  {why}")
    for remark in remarks[:limit]:
        row = "" if remark.row is None else f", row {remark.row}"
        line = "" if remark.line is None else f", line {remark.line}"
        law = f" ({remark.law} {remark.promulgated})" if remark.law else ""
        click.echo(f"\n{remark.file}{row}{line}{law}: {remark.reason}")
        if text := " ".join(remark.text.split()):
            click.echo(_indent(text[:_MOST_LETTERS]))
    if len(remarks) > limit:
        say(f"{len(remarks) - limit:,} more: --limit {len(remarks)}")


def _folder(name: str) -> Path:
    if name == _SAMPLE:
        from hengfa.base.data.packs import sample_root  # noqa: PLC0415

        return sample_root() / "claw"
    path = Path(name)
    if not path.exists():
        raise UsageError(f"{name!r} is neither a folder nor 'sample'")
    return path

"""`hengfa suite claw`: what goes with the CLaw suite besides asking and scoring."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hengfa.base.data.jsonfile import write_lines
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import UsageError
from hengfa.base.options import (
    Number,
    Place,
    Whole,
    claim,
    data_option,
    json_option,
    library_option,
    out_option,
    print_json,
    runs_option,
    say,
    set_option,
)
from hengfa.law.commands.corpus import CorpusOptions, corpus_options, go_through

if TYPE_CHECKING:
    from hengfa.evals.engine.session import Session
    from hengfa.evals.suites.claw_cases.guiding_cases import GuidingCase
    from hengfa.evals.suites.claw_cases.questions import Question

_cases_option = click.option(
    "--data",
    metavar="sample|DIR",
    help="Read cases from the pack that ships with Hengfa ('sample') or from a folder with a file "
    "cases.jsonl, instead of the installed pack guiding-cases.",
)


@click.group()
def command() -> None:
    """Look into answers to CLaw: recited provisions and reasoned cases.

    Questions are asked with `hengfa eval claw`, and answers scored with `hengfa score claw`.

    \b
    Example:
      hengfa suite claw diagnose answers.jsonl
      hengfa suite claw questions -o questions.jsonl
      hengfa suite claw training --hold-out 0.1 -o rows.jsonl
    """


@command.command("diagnose")
@click.argument("places", metavar="RUN|ANSWERS.jsonl...", nargs=-1, required=True, type=Place())
@click.option("--summary", is_flag=True, help="Only the table of classes.")
@library_option
@runs_option
@corpus_options
@json_option
def diagnose_(
    places: tuple[Path, ...],
    summary: bool,
    file: Path | None,
    runs: Path,
    corpus: CorpusOptions,
    as_json: bool,
) -> None:
    """Say what is wrong with recited provisions.

    They are those of a scored run of `hengfa eval claw/content`, by its name or folder, or of a
    file, of which each line has an id such as 民法典/2020-05-28/27.2.1 (law, day of promulgation,
    position) and a prediction, or the fields law, version, position and answer. The law itself
    decides: every character is traced to the provision asked for, the rest of its article, other
    articles, other versions, other laws, or to none of them. Of several runs or files a table
    shows the share of each class, model by model.

    With -o the files are a corpus (.parquet or .jsonl, also .gz or .zst) of any size, with answers
    in --column and ids in --id-column: one row for each answer goes into findings.parquet.

    \b
    Example:
      hengfa suite claw diagnose answers.jsonl
      hengfa suite claw diagnose claw-all-a claw-all-b --summary
      hengfa suite claw diagnose answers.jsonl --json > diagnoses.json
      hengfa suite claw diagnose answers.parquet --column prediction --id-column id -o diagnosed
    """
    # arrays and tables are imported by those who need them
    from hengfa.evals.report.terminal.diagnosis import (  # noqa: PLC0415
        diagnoses_document,
        print_by_model,
        print_diagnoses,
    )
    from hengfa.evals.runs.recitations import read_places  # noqa: PLC0415
    from hengfa.law.library.diagnosis.recitations import RecitationCheck, diagnose_all  # noqa: PLC0415
    from hengfa.law.library.store import Library  # noqa: PLC0415

    if corpus.out is not None:
        if corpus.id_column is None:
            raise UsageError("--id-column NAME says where the ids stand that name provisions")
        with Library.open(file) as library:
            place, options = library.path, {"library": library.fingerprint}
        work = RecitationCheck(place)
        go_through(places, corpus, work, "suite claw diagnose", options, as_json=as_json)
        return
    corpus.refuse_others()
    recited = read_places(places, runs)
    with Library.open(file) as library:
        every = {name: list(diagnose_all(library, answers)) for name, answers in recited.items()}
    (first, *others) = every.values()
    if as_json and others:
        print_json({"models": {name: diagnoses_document(of) for name, of in every.items()}})
    elif as_json:
        print_json(diagnoses_document(first))
    elif others:
        print_by_model(every, blocks=not summary)
    else:
        print_diagnoses(first, blocks=not summary)


@command.command("questions")
@out_option
@click.option(
    "--questions",
    "file",
    type=Place(dir_okay=False),
    help="Take the questions from this file instead of making them by rule.",
)
@click.option(
    "--prompts",
    is_flag=True,
    help="Write the prompts of case reasoning, each with the reasons of the court as `reference`.",
)
@click.option("--model", metavar="MODEL", help="Have a model write them, named as for `eval`.")
@click.option("--base-url", help="Address of the model's server.")
@click.option("--lanes", type=Whole(1), default=16)
@_cases_option
def questions_(
    out: Path,
    force: bool,
    file: Path | None,
    prompts: bool,
    model: str | None,
    base_url: str | None,
    lanes: int,
    data: str | None,
) -> None:
    """Make a question for each guiding case.

    It is made by rule and written with its provenance: from the focus of dispute that the reasons
    name, from the conditions of the holding, or from the keywords. Each line says from which, in
    which words, and how many letters in a row it shares with a conclusion of the holding (`leak`,
    always below 12) and with the holding as a whole (`overlap`). Questions that somebody else
    wrote, in lines of no, question and rule, can be used in their place:
    `hengfa eval claw-cases --set questions=FILE`.

    With --model a model writes them, and each is checked: it asks something, and gives away neither
    the holding nor a provision that the court lists. What fails twice is listed with the reasons,
    and the question made by rule stays. All that the model wrote is kept in a journal beside the
    file: the same command again asks nothing twice.

    \b
    Example:
      hengfa data pull guiding-cases
      hengfa suite claw questions -o questions.jsonl
      hengfa suite claw questions --model deepseek:deepseek-chat -o written.jsonl
      hengfa suite claw questions --questions written.jsonl --prompts -o prompts.jsonl
    """
    from hengfa.evals.suites.claw_cases.dataset import (  # noqa: PLC0415
        load_questions,
        make_questions,
        measure,
        prompt_rows,
    )
    from hengfa.evals.suites.claw_cases.guiding_cases import load_cases  # noqa: PLC0415
    from hengfa.evals.suites.claw_cases.suite import SUITE  # noqa: PLC0415
    from hengfa.evals.suites.plan import data_folder  # noqa: PLC0415

    if model is not None and file is not None:
        raise UsageError("--questions FILE are there already: leave out --model")
    if model is not None:
        from hengfa.evals.runs.models import ENDPOINT_FORMS, OUTSIDE, check_name  # noqa: PLC0415

        check_name(model, built_in=(), kinds=OUTSIDE, forms=ENDPOINT_FORMS)
    elif base_url is not None:
        raise UsageError("--base-url is for a model: --model MODEL")
    claim(out, force=force)
    cases = load_cases(data_folder(SUITE, data))
    if model is not None:
        questions = _written(cases, model, out, base_url=base_url, lanes=lanes)
    else:
        questions = load_questions(file, cases) if file else make_questions(cases)
    if prompts:
        write_lines(out, prompt_rows(cases, questions))
        say(f"wrote {len(questions)} prompts to {out}")
        return
    write_lines(out, questions)
    measured = ", ".join(f"{name} {value}" for name, value in measure(questions).items())
    say(f"wrote {len(questions)} questions to {out}: {measured}")


def _written(
    cases: Sequence[GuidingCase], name: str, out: Path, *, base_url: str | None, lanes: int
) -> list[Question]:
    from hengfa.evals.engine.session import Sitting, sit  # noqa: PLC0415
    from hengfa.evals.runs.folder import safe_name  # noqa: PLC0415
    from hengfa.evals.runs.models import Connection, open_outside  # noqa: PLC0415
    from hengfa.evals.suites.claw_cases.drafts import Draft, choose_questions, write_question  # noqa: PLC0415

    written: dict[int, Draft] = {}

    async def write(session: Session, case: GuidingCase) -> None:
        written[case.no] = await write_question(session.ask, case)

    model = open_outside(name, Connection(base_url, lanes=lanes))
    with disk_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
    journal = out.with_name(f"{out.name}.{safe_name(name)}.jsonl")
    sitting = Sitting(lanes=lanes)
    asyncio.run(sit(model, journal, cases, write, total=len(cases), sitting=sitting, notify=say))
    for case in cases:
        if problems := written[case.no].problems:
            say(f"case {case.no}: refused, {'; '.join(problems)}")
    return choose_questions(cases, written.values(), name)


@command.command("review")
@click.argument("questions", metavar="QUESTIONS.jsonl", type=Place(dir_okay=False))
@out_option
@click.option(
    "--scores",
    type=Place(dir_okay=False),
    help="What reviewers said (the table of `hengfa grade people serve`): write the questions that "
    "stand.",
)
@_cases_option
def review_(questions: Path, out: Path, force: bool, scores: Path | None, data: str | None) -> None:
    """Have questions that a model wrote reviewed by people.

    They do so on the page of `hengfa grade people serve`, where each stands beside its case with
    three things to say of it: is it natural, does it give nothing away, can it be answered. With
    --scores the questions are written again: what a reviewer objects to gives way to the question
    made by rule, what nobody scored stays.

    \b
    Example:
      hengfa suite claw review written.jsonl -o review.jsonl
      hengfa grade people serve review.jsonl -o scores.csv --rater 张三
      hengfa suite claw review written.jsonl --scores scores.csv -o reviewed.jsonl
      hengfa eval claw-cases --set questions=reviewed.jsonl --model deepseek:deepseek-chat
    """
    from hengfa.evals.suites.claw_cases.dataset import load_questions  # noqa: PLC0415
    from hengfa.evals.suites.claw_cases.drafts import review_questions, to_review  # noqa: PLC0415
    from hengfa.evals.suites.claw_cases.guiding_cases import load_cases  # noqa: PLC0415
    from hengfa.evals.suites.claw_cases.suite import SUITE  # noqa: PLC0415
    from hengfa.evals.suites.plan import data_folder  # noqa: PLC0415

    claim(out, force=force)
    cases = load_cases(data_folder(SUITE, data))
    asked = load_questions(questions, cases)
    if scores is None:
        submissions = to_review(cases, asked)
        write_lines(out, submissions)
        say(f"wrote {len(submissions)} questions for `hengfa grade people serve` to {out}")
        return
    review = review_questions(cases, asked, scores)
    write_lines(out, review.questions)
    for item, numbers in review.dropped.items():
        say(f"not {item}: cases {', '.join(map(str, numbers))}")
    kept = sum(question in asked for question in review.questions)
    say(f"wrote {len(asked)} questions to {out}: {kept} as they were, {len(asked) - kept} by rule")
    if review.unseen:
        say(f"{len(review.unseen)} were not scored whole and stay")


@command.command("training")
@out_option
@click.option(
    "--task",
    "tasks",
    type=click.Choice(["id", "content"]),
    multiple=True,
    default=("id", "content"),
    help="Questions for places, for texts, or both.",
)
@click.option(
    "--hold-out",
    type=Number(0, 1, max_open=True),
    default=0.1,
    metavar="SHARE",
    help="Which part of the laws is left out, to be asked for afterwards.",
)
@click.option("--setting", default="all", help="As for `hengfa eval claw`.")
@set_option
@data_option
def training_(
    out: Path,
    force: bool,
    tasks: tuple[str, ...],
    hold_out: float,
    setting: str,
    options: dict[str, str],
    data: str | None,
) -> None:
    """Write questions with their answers, as `hengfa train sft` reads them.

    They are those of `hengfa eval claw` on the law library, with what it calls right. Some laws are
    left out with all their versions, by a digest of their names, and named on standard error:
    `hengfa eval claw --set held_out=SHARE` asks for these alone.

    \b
    Example:
      hengfa suite claw training -o rows.jsonl
      hengfa suite claw training --task content --hold-out 0.2 -o rows.jsonl
      hengfa train sft rows.jsonl --base qwen -o tuned
      hengfa eval claw/content --set held_out=0.2 --model hf:tuned
    """
    # by those who need it
    from hengfa.evals.suites.claw.suite import SUITE, training_rows  # noqa: PLC0415
    from hengfa.evals.suites.plan import find_data  # noqa: PLC0415

    claim(out, force=force)
    root = find_data(SUITE, data)[0].root
    made = training_rows(root, tasks, setting, SUITE.choose(options), hold_out)
    write_lines(out, made.rows)
    say(f"left out {len(made.held_out)} of {made.laws} laws: {'、'.join(made.held_out) or 'none'}")
    say(f"wrote {len(made.rows)} rows to {out}")

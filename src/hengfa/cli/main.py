"""`hengfa`: finds the command and turns errors into one line and an exit status."""

from __future__ import annotations

import io
import sys
from importlib import import_module
from typing import cast

import click

import hengfa
from hengfa.base.errors import HengfaError

COMMANDS = {
    "demo": "Everything, offline, on the sample pack.",
    "data": "Benchmark data: status, pull, add, update, verify.",
    "law": "The law itself: build the library, show, history, search, stats, export.",
    "cite": "Check the citations of a document: existing, in force, quoted right.",
    "serve": "The law desk in the browser and over REST: check documents, look up law.",
    "mcp": "The law as tools for agents: a Model Context Protocol server.",
    "claw": "CLaw: diagnose recited provisions, write the questions on guiding cases.",
    "plawbench": "PLawBench: lint rubrics.",
    "judgment": "Criminal judgments: parse, compare with a reference, find leaks.",
    "grade": "Grade responses by rubric; calibrate, attack and compare graders.",
    "retrieve": "Find provisions and cases for a text; measure retrievers.",
    "world": "The legal world: build it, call its tools, make tasks.",
    "train": "Train encoders, retrievers, rerankers, and fine-tune a model.",
    "eval": "Ask a model the questions of a suite and score its answers.",
    "score": "Score saved predictions; nothing is asked.",
    "jobs": "Write job files for Slurm or Kubernetes: a run in parts.",
    "batch": "Questions as a file for a machine without network, and its answers back.",
    "merge": "Put the parts of a run together that were asked with --shard.",
    "results": "List the runs on this machine and their scores.",
    "paper": "Tables and figures of the papers, with your runs in them.",
    "published": "Figures of the papers: list, check, correlate.",
    "suspects": "Hints for a review of contamination in runs.",
    "compare": "Which run is better, by how much, and how sure that is.",
    "repeats": "How much of a score is luck: several tries, several graders.",
    "show": "One question of a run: prompt, response, answer, score.",
    "report": "Write a site about runs that opens from disk.",
    "export": "Take runs elsewhere: records, tables, pictures, Inspect log.",
    "suite": "Begin a suite of your own: one file with its test.",
    "models": "Which models can be named, where their keys and prices come from.",
}
"""Command to its line in the overview; the module of that name holds it."""

OF_SUITES = frozenset(
    {"data", "eval", "score", "results", "published", "suspects", "compare", "show", "report"}
    | {"batch", "export", "grade", "merge", "repeats"}
)
"""Commands that take suites from outside with `--suite FILE.py`."""


class LazyCommands(click.Group):
    """Imports a command's module only when it is called, so that help is instant."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command = cast("click.Command", import_module(f"hengfa.cli.{name}").command)
        _prepare(command, suites=name in OF_SUITES)
        return command

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _prepare(command: click.Command, *, suites: bool) -> None:
    """What no command may forget: texts are checked, and where it deals with suites, `--suite`."""
    from hengfa.base.options import TEXT, suite_option  # noqa: PLC0415 - not for the overview

    if isinstance(command, click.Group):
        for below in command.commands.values():
            _prepare(below, suites=suites)
        return
    if suites and suite_option not in command.params:
        command.params.append(suite_option)
    for parameter in command.params:
        if parameter.type is click.STRING:
            parameter.type = TEXT
        if isinstance(parameter, click.Option) and parameter.default == "":
            parameter.show_default = False


@click.group(
    cls=LazyCommands,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "show_default": True,
    },
    epilog="Example: hengfa eval lawbench --model deepseek:deepseek-chat --limit 20",
)
@click.version_option(hengfa.__version__, prog_name="hengfa")
def cli() -> None:
    """Hengfa 衡法 measures how well a language model or agent knows, reads, applies and practises
    Chinese law."""


def main() -> None:
    """The entry point: exit status 0 done, 1 the work failed, 2 the call was wrong."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # under GBK or ASCII, what it lacks by its number
            stream.reconfigure(errors="backslashreplace")
    try:
        status = cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("interrupted", err=True)
        sys.exit(1)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except HengfaError as error:
        click.echo(f"error: {error}" if error.exit_status else str(error), err=True)
        sys.exit(error.exit_status)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has left; nothing more to say
        sys.exit(1)
    except OSError as error:
        click.echo(f"error: {error.filename or 'system'}: {error.strerror or error}", err=True)
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)

"""`conformance show`, `list`, `issue` and `spec`: functions and their failures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.cli.options import config_option, documents_option, results_option
from conformance.cli.options.selection import selection_option
from conformance.cli.options.types import Named, UserPath, written_file
from conformance.cli.options.values import IssueOptions, ListOptions, ShowOptions
from conformance.editions import EDITIONS


@click.command("show")
@click.argument("function")
@results_option("reports, or a folder in it that has the function")
@click.option("--edition", type=Named(EDITIONS), help="This edition of the API only.")
@click.option("--target", "targets", multiple=True, help="This target only; may be repeated.")
@click.option("--failure", "identity", help="The failure with this id (or the start of it).")
@click.option("--all", "everything", is_flag=True, help="Print everything, not one screen.")
@documents_option
@click.option("--script", is_flag=True, help="Print the gravest failure's script, nothing else.")
@click.option("--plan", "planned", is_flag=True, help="Print the plan of its cases, nothing else.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The seed of the plan.",
)
def show_command(**values: Any) -> None:
    """Show what the documents say of FUNCTION, and the verdict on each target.

    The command reads the verdicts from results files that `conformance run` wrote. It prints one
    screen; --all and --failure print each failure in full. With --script you can pipe the output to
    the Python of the target's environment.

    \b
    conformance show softmax                            with the results in reports
    conformance show view                               keras.ops.view: the last parts are enough
    conformance show softmax --all                      all claims, and each failure in full
    conformance show softmax --results out --target mine
    conformance show softmax --failure 0123 --script    a script, by the beginning of its id
    conformance show softmax --edition keras-1          the demands of this edition alone
    conformance show softmax --plan                     the combinations in its cases

    \b
    Exit status:
      0   otherwise
      1   with --plan, if the plan lacks a combination that exists
      2   a wrong name
    """
    from conformance.cli.show.show import show  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(show(ShowOptions(**values)))


@click.command("list")
@click.argument(
    "places", nargs=-1, metavar="[RESULTS]...", type=UserPath(exists=True, path_type=Path)
)
@selection_option
@click.option("--theme", help="Only the functions of this theme, such as 'linear algebra'.")
@click.option("--edition", type=Named(EDITIONS), help="Only the functions of this edition.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array instead of text.")
def list_command(**values: Any) -> None:
    """List the documented functions by theme, with the editions that have them.

    RESULTS are files that `conformance run` wrote, or folders of them. With RESULTS, each function
    shows how many targets follow the documents (✓), violate them (✗), and so on.

    \b
    conformance list                         all functions
    conformance list -k "dot or conv"        functions with such names
    conformance list --edition keras-1       functions of the oldest edition, under its own names
    conformance list --theme activations
    conformance list reports                 with the number of targets for each verdict
    """
    from conformance.cli.show.functions import list_functions  # noqa: PLC0415 - help waits for nothing

    raise SystemExit(list_functions(ListOptions(**values)))


@click.command("issue")
@click.argument("identity", metavar="ID")
@results_option("reports and the folders in it")
@click.option("--target", help="The target whose maintainers get the issue.")
@documents_option
@click.option("--output", "-o", type=written_file(), help="Write the draft to this file.")
def issue_command(**values: Any) -> None:
    """Draft an issue for the maintainers of an implementation, in Markdown.

    ID is the id of a failure, or the beginning of one. Reports, `conformance run` and `conformance
    show` print it. The draft has a title, the result and the expectation, the script, the versions,
    and the verdicts of the other targets. Read it and run the script before you file it.

    \b
    conformance issue 9d610b51ea46                        with the results in reports
    conformance issue 9d61 --results out --target mine
    conformance issue 9d61 -o issue.md

    \b
    Exit status:
      0   the draft is printed or written
      2   no failure has this id, or several have
    """
    from conformance.cli.show.issue import draft_issue  # noqa: PLC0415 - help does not wait for it

    draft_issue(IssueOptions(**values))


@click.group("spec")
def spec_command() -> None:
    """Check the specs: what implementations must do, as data.

    \b
    conformance spec check               draw from every spec, compare it with the documents
    conformance spec drift TARGET        compare an installed Keras with the described release
    conformance show FUNCTION            read one spec
    """


@spec_command.command("check")
@click.option("--explained", is_flag=True, help="Also list the explained differences.")
@click.option("--list", "unchecked", is_flag=True, help="List the claims that nothing checks.")
def check(*, explained: bool, unchecked: bool) -> None:
    """Draw calls from every spec, and compare it with the documents.

    First the check draws calls of each function and a few scenarios. The rules for shapes, dtypes
    and open points must have a value for each call, and the oracle must give that shape and kind of
    numbers. A scenario must be plain data. Each wrong part is one line with its file and line.

    Then it compares each spec with the documents' names, signatures, exceptions and conflicts. The
    documents are there as data (conformance/specs/documents): every entry with its heading,
    signature, parameters, exceptions and lines. A difference is a mistake of a spec unless
    documents/explained.yaml gives the reason for it.

    \b
    The check compares:
      entry, signature    each documented entry has a spec with its line and text, and the reverse
      correction          a corrected signature has its erratum
      heading, name       the documents call the function by its name
      edition             each edition is bound by its own document
      parameter           each described parameter is in the signature, and the reverse
      exception           an error case or a scenario provokes each documented exception
      line                a claim cites the function's own entry
      conflict            each conflict is among the errata of its functions, or about prose
      claim               each line has a class, each claim a checker or a reason for none
      count, stale        nothing is missing, and every explanation explains something

    The second table counts the claims of each document: those that are checked, those whose
    breach is a violation, and those that nothing checks (docs/claims.md).

    \b
    Exit status:
      0   every difference is explained
      1   a difference is not explained
      2   a file cannot be read, or a part of a spec or a scenario is wrong
    """
    from conformance.cli.show.spec import check_specs  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(check_specs(explained=explained, unchecked=unchecked))


@spec_command.command("drift")
@config_option
@click.argument("target")
@click.option(
    "--python",
    help="Read the Keras of this interpreter (a path or a version) instead of the target's own.",
)
@click.option("--format", "form", type=Named(("text", "json")), default="text", show_default=True)
def drift_command(*, target: str, python: str | None, form: str, config: Path | None) -> None:
    """List how the docstrings that TARGET imports differ from those that its edition describes.

    An edition judges by the docstrings of one release of Keras. Another release may add functions,
    change a default or rewrite a sentence. The list names new and removed functions, parameters,
    defaults, and the sections whose text changed. The specs do not know them yet.

    \b
    conformance spec drift keras3-ops-numpy --python env/bin/python
    conformance spec drift keras-nightly-jax
    conformance spec drift keras3-ops-torch --format json

    \b
    Exit status:
      0   no difference
      1   differences
      2   wrong usage
      3   the target does not start
    """
    from conformance.cli.show.drift import print_drift  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(print_drift(target, python, config, form))

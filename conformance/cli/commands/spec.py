"""`conformance spec check`: the specs drawn from, and compared with what the documents hold."""

from __future__ import annotations

import click


@click.group("spec")
def command() -> None:
    """Check the specs: what implementations must do, as data.

    \b
    conformance spec check               draw from every spec, compare it with the documents
    conformance show FUNCTION            read one spec
    """


@command.command("check")
@click.option("--explained", is_flag=True, help="List the explained differences, too.")
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
    Compared are:
      entry, signature    each documented entry has a spec with its line and text, and the reverse
      correction          a corrected signature has its erratum
      heading, name       the documents call the function by its name
      edition             each edition is bound by its own document
      parameter           what is described is in the signature, and the reverse
      exception           each documented exception is provoked by an error case or a scenario
      line                a claim cites the function's own entry
      conflict            each conflict is among the errata of its functions, or about prose
      claim               each line has a class, each claim a checker or a reason for none
      count, stale        nothing is missing, and every explanation explains something

    The second table counts the claims of each document: those that are checked, those whose
    breach is a violation, and those that nothing checks (docs/claims.md).

    Exit status: 0 no difference is unexplained; 1 some are; 2 a file cannot be read, or a part of
    a spec or a scenario is wrong.
    """
    from conformance.cli.spec import check_specs  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(check_specs(explained=explained, unchecked=unchecked))

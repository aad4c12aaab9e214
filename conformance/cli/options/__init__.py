"""The options of the commands, without heavy imports: help must not wait for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from conformance.cli.options.types import Named, UserPath, written_folder
from conformance.profile_names import PROFILE_NAMES
from conformance.reporting import FORMAT_NAMES

F = TypeVar("F", bound=Callable[..., Any])

seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The seed of all cases: the same seed gives the same cases.",
)


def profile_option(
    default: str = "default", about: str = "How many cases the suite tries."
) -> Callable[[F], F]:
    """`--profile NAME`."""
    return click.option(
        "--profile",
        type=Named(PROFILE_NAMES),
        default=default,
        show_default=True,
        help=about,
    )


def output_option(about: str) -> Callable[[F], F]:
    """`--output DIR`."""
    return click.option("--output", "-o", type=written_folder(), help=about)


def results_option(default: str) -> Callable[[F], F]:
    """`--results PLACE`, as often as one likes."""
    return click.option(
        "--results",
        "places",
        type=UserPath(exists=True, path_type=Path),
        multiple=True,
        help=f"Folder of results files, or one file; may be repeated.  [default: {default}]",
    )


def formats_option(about: str) -> Callable[[F], F]:
    """`--format NAME`, any number of times."""
    return click.option(
        "--format",
        "-f",
        "formats",
        multiple=True,
        type=Named(list(FORMAT_NAMES)),
        help=about,
    )


def documents_option(command: F) -> F:
    """`--documents FOLDER`."""
    return click.option(
        "--documents",
        type=UserPath(exists=True, file_okay=False, path_type=Path),
        help="A folder with some of the five documents, under any names. Reports quote the cited "
        "lines.  [default: `documents` in conformance.toml]",
    )(command)


def config_option(command: F) -> F:
    """`--config FILE`."""
    return click.option(
        "--config",
        type=UserPath(exists=True, dir_okay=False, path_type=Path),
        help="A TOML file with targets of your own.  [default: conformance.toml, or a "
        "pyproject.toml with [tool.conformance.targets.NAME], here or in a folder above]",
    )(command)


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """One decorator that adds the options; help lists them in this order."""

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate

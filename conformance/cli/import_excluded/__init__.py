"""`conformance import-excluded FILE`: a list of excluded tests beside the results of a target."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli.options.types import Named, UserPath


@click.command("import-excluded")
@click.argument("file", type=UserPath(exists=True, dir_okay=False, path_type=Path))
@click.argument("results", required=False, type=UserPath(exists=True, path_type=Path))
@click.option("--format", "form", type=Named(("text", "json")), default="text", show_default=True)
def import_excluded_command(*, file: Path, results: Path | None, form: str) -> None:
    """Compare FILE, a list of tests that a Keras 3 backend excludes, with the backend's RESULTS.

    FILE is `excluded_tests.txt` of keras-mlx or keras-openvino, Keras's own
    `excluded_concrete_tests.txt`, or a file of that form. Each line is a test id of pytest or a
    part of one; `#` starts a comment. RESULTS is the results file of one target, or a folder with
    it; by default reports.

    The names in a line say which functions it excludes: `NumpyDtypeTest::test_mean` excludes
    keras.ops.mean, and `keras/src/ops/linalg_test.py` all functions of linear algebra. Lines that
    name no function, such as tests of layers, are listed.

    \b
    The command lists the functions that are
      excluded and fail here
      excluded and unsupported here
      excluded but pass here           the lines may be stale: run these tests again
      excluded but not in the results
      not excluded and fail here

    \b
    conformance import-excluded excluded_tests.txt results/my-backend.json
    conformance import-excluded excluded_tests.txt results --format json

    \b
    Exit status:
      0   every function that fails is excluded, and every excluded function fails
      1   something else
      2   wrong usage, or a line that is not a test id
    """
    from conformance.cli.import_excluded.comparison import (  # noqa: PLC0415 - help does not wait
        print_comparison,
    )

    raise SystemExit(print_comparison(file, results, form))

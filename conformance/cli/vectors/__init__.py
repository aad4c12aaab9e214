"""`conformance vectors`: the calls with their right answers, as files for any language."""

from __future__ import annotations

from typing import Any

import click

from conformance.cli.options import profile_option, seed_option
from conformance.cli.options.run import jobs_option
from conformance.cli.options.selection import selection_option
from conformance.cli.options.types import Named, written_folder
from conformance.cli.options.values import VectorsOptions
from conformance.editions import EDITIONS


@click.command("vectors")
@click.option(
    "--output",
    "-o",
    type=written_folder(),
    required=True,
    help="Write the files into this folder: a new or empty one, or one with older vectors.",
)
@click.option(
    "--edition",
    "editions",
    type=Named(EDITIONS),
    multiple=True,
    help="This edition of the API only; may be repeated.",
)
@selection_option
@profile_option("smoke", "How many calls of each function.")
@seed_option
@jobs_option("How many functions at a time.")
def vectors_command(**values: Any) -> None:
    """Write test vectors: calls, inputs and right answers for implementations in any language.

    A vector has a call, its inputs, and the expected value with a lower and an upper limit for each
    element. It cites the document, and lists other answers where the document is silent. A vector
    of an invalid call has the required exception in place of a value. The files are JSON and
    safetensors. docs/vectors.md describes them, and examples/tfjs has a runner in JavaScript.

    \b
    conformance vectors -o vectors                          every edition
    conformance vectors -o vectors --edition keras-3        keras.ops alone
    conformance vectors -o vectors -k "softmax or conv2d"   some functions
    conformance vectors -o vectors --profile default        about fifteen times as many
    conformance run reference --vectors vectors             judge a target by the files

    The same command writes the same bytes again. A second command for the same folder replaces the
    vectors there. A runner reads index.json first, which has a checksum for each file.

    \b
    Exit status:
      0     all files are written
      2     wrong usage, or a folder that the suite cannot write
      70    an error in the suite itself
      130   Ctrl-C
    """
    from conformance.cli.vectors.vectors import write_vectors  # noqa: PLC0415 - help does not wait

    write_vectors(VectorsOptions(**values))

"""`conformance try EXPRESSION`: one expression, run on many targets."""

from __future__ import annotations

from typing import Any

import click

from conformance.cli.options import config_option
from conformance.cli.options.modules import module_options
from conformance.cli.options.run import jobs_option
from conformance.cli.options.values import TryOptions


@click.command("try")
@click.argument("expression")
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@jobs_option("Targets at a time.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object instead of text.")
@config_option
@module_options
def try_command(**values: Any) -> None:
    """Run EXPRESSION on targets, and compare their answers with the oracle and the documents.

    A TARGET is a name from `conformance targets`, or a library for all of its targets. Without a
    TARGET the suite asks every target that is ready and whose edition has the functions.

    \b
    conformance try "K.batch_dot(K.ones((3, 2)), K.ones((3, 2, 4)), axes=1)"
    conformance try "K.softmax(K.constant([[1, np.inf]]))" theano tf_keras
    conformance try "x = K.variable([[1., 2.]]); K.sum(x * x, axis=-1)" reference
    conformance try "K.map_fn(lambda x: K.square(x), K.ones((3,)))" --json
    conformance try "keras.ops.hard_sigmoid(keras.ops.array([1.0]))"

    The suite reads EXPRESSION and does not run it as Python here. It may have calls of documented
    functions, numbers, texts, tuples, lists, + - * / **, x[0], lambda, and lines `x = ...` before
    the last one. The suite refuses anything else, with its column. The answers concern this one
    call; verdicts rest on many calls: `conformance run -k FUNCTION`.

    \b
    Exit status:
      0   every answer is the oracle's, another allowed answer, or has no oracle
      1   at least one answer differs
      2   wrong usage
      3   a target does not start
    """
    from conformance.cli.try_expression.run import try_expression  # noqa: PLC0415 - help waits for nothing

    raise SystemExit(try_expression(TryOptions(**values)))

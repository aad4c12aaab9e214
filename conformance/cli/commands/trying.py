"""`conformance try EXPRESSION`: one expression, run on many targets."""

from __future__ import annotations

from typing import Any

import click

from conformance.cli.options import config_option
from conformance.cli.options.given import TryOptions
from conformance.cli.options.modules import module_options
from conformance.cli.options.running import jobs_option


@click.command("try")
@click.argument("expression")
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@jobs_option("Targets at a time.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object instead of text.")
@config_option
@module_options
def command(**values: Any) -> None:
    """Run EXPRESSION on targets: what the oracle answers, who agrees, what the documents say.

    A TARGET is a name from `conformance targets`, or a library for all of its targets. Without a
    name: every target that is ready and whose edition has the functions.

    \b
    conformance try "K.batch_dot(K.ones((3, 2)), K.ones((3, 2, 4)), axes=1)"
    conformance try "K.softmax(K.constant([[1, np.inf]]))" theano tf_keras
    conformance try "x = K.variable([[1., 2.]]); K.sum(x * x, axis=-1)" reference
    conformance try "K.map_fn(lambda x: K.square(x), K.ones((3,)))" --json
    conformance try "keras.ops.hard_sigmoid(keras.ops.array([1.0]))"

    EXPRESSION is read, not run as Python here: calls of documented functions, numbers, texts,
    tuples, lists, + - * / **, x[0], lambda, and lines `x = ...` before the last one. Anything
    else is refused with its column. It says what came of this one call; verdicts, which rest
    on many, are made by `conformance run -k FUNCTION`.

    Exit status: 0 all answer as the oracle, or in another way that is allowed, or there is no
    answer to hold them against; 1 one differs; 2 wrong usage; 3 one could not be run.
    """
    from conformance.cli.trying.run import try_expression  # noqa: PLC0415 - help waits for nothing

    raise SystemExit(try_expression(TryOptions(**values)))

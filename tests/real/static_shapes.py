"""Static shapes of many calls on placeholders with unknown dimensions, printed as JSON.

    PYTHON tests/real/static_shapes.py MODULE

The calls are the lines of `static_shapes.txt`. Runs on CPython 3.6 too.
"""

import importlib
import json
import os
import sys
from typing import Any

import numpy as np

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static_shapes.txt")  # noqa: PTH100, PTH118, PTH120


def names(module: Any) -> "dict[str, Any]":
    """What the calls use: P makes a placeholder, V a variable; N is an unknown dimension."""

    def placeholder(*shape: Any, **how: Any) -> Any:
        return module.placeholder(shape=shape, **how)

    def variable(*shape: int) -> Any:
        return module.variable(np.ones(shape))

    known = {"K": module, "np": np, "P": placeholder, "V": variable, "N": None}
    return dict(known, X=placeholder(None, 3), I=placeholder(dtype="int32"))


def shape_of(module: Any, call: str, known: "dict[str, Any]") -> Any:
    """The static shape that a call gives, or the name of its exception."""
    try:
        return module.int_shape(eval(call, dict(known)))
    except Exception as error:
        return type(error).__name__


def main() -> None:
    """The command line."""
    module = importlib.import_module(sys.argv[1])
    known = names(module)
    with open(TABLE) as file:  # noqa: PTH123 - as Python 3.6 likes it
        calls = [line.strip() for line in file if line.strip()]
    print(json.dumps({call: shape_of(module, call, known) for call in calls}))


if __name__ == "__main__":
    main()

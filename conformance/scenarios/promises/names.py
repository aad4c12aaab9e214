"""Names: if the tensors of a backend have names, a tensor has the name in its call.

No document says where to read a name. If unnamed results of a backend have no text as `name`, the
backend may therefore store names anywhere.
"""

from __future__ import annotations

from typing import Any

from conformance.scenarios.checks import plain
from conformance.scenarios.model import Problem, Values
from conformance.scenarios.promises.creation import (
    FILLED,
    LABEL,
    MATRIX,
    NAME,
    PLACEHOLDER_NAME,
    RANDOM_NAME,
    arguments_of,
    editions_of,
)
from conformance.scenarios.recorder import Book, Lines, Recorder, Result

BOOK = Book()
NODE_NAME: dict[str, Lines] = {
    "map_fn": {"ja-2.0": 3345, "zh-TW": 1399, "ko-2.2": 3609},
    "foldl": {"ja-2.0": 3367, "zh-TW": 1414, "ko-2.2": 3634},
    "foldr": {"ja-2.0": 3388, "zh-TW": 1429, "ko-2.2": 3658},
}
"""The lines that say that the node has the name."""
LINES: dict[str, Lines] = {**NAME, **RANDOM_NAME, **NODE_NAME, "placeholder": PLACEHOLDER_NAME}


@BOOK.scenario(editions_of(LINES), f"a tensor named {LABEL}")
def named(K: Recorder) -> None:
    """A name is part of the tensor's name, if tensors without a given one have names."""
    arguments, maker = _arguments(K), K[K.tested]
    own = K.operator.name(maker(*arguments)).output("own")
    labelled = K.operator.name(maker(*arguments, name=LABEL)).output("given")
    demands = f"a name with {LABEL!r} in it, because tensors have names here"
    K.expect("a name", (own, labelled), _has_label, demands, at=LINES[K.tested])


def _arguments(K: Recorder) -> list[Any]:
    start = K.array("start", MATRIX)
    if K.tested in FILLED:
        return arguments_of(K, start)
    if K.tested in NODE_NAME:
        return [_callable(K), K.variable(start, dtype="float32")]
    return [(2, 2)] if K.tested == "placeholder" else [(2, 2), 0.0, 1.0]


def _callable(K: Recorder) -> Any:
    if K.tested != "map_fn":
        return K.body("fn", lambda acc, x: acc + x)

    def fn(x: Result) -> Result:
        return K.square(x)

    return fn


def _has_label(own: Values, named: Values) -> Problem | None:
    usual, name = str(plain(own)), str(plain(named))
    if not usual or LABEL in name:
        return None
    gives = f"gives a tensor named {name!r}, and one named {usual!r} without a name"
    fault = f"values[0][0] and {LABEL!r} not in values[1][0]"
    return Problem(gives, "another name", got=repr(name), fault=fault)


FAMILIES = BOOK.families

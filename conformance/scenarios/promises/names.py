"""Names: where the tensors of a backend have names, one that is given a name has that.

No document says where a name is read. So a backend of which a result without a given name has no
`name` of its own, as a text, may keep what it is given anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from conformance.editions import EDITIONS, Edition
from conformance.program import Argument, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import plain
from conformance.scenarios.making import listed, written
from conformance.scenarios.model import Check, Family, Problem, Scenario, Values
from conformance.scenarios.promises.creation import (
    FILLED,
    LABEL,
    MATRIX,
    NAME,
    NEWER,
    NEWEST,
    PLACEHOLDER_NAME,
    RANDOM_NAME,
    Lines,
)
from conformance.scenarios.writing import FunctionWriter, ProgramWriter

NODE_NAME: dict[str, Lines] = {
    "map_fn": {"ja-2.0": 3345, "zh-TW": 1399, "ko-2.2": 3609},
    "foldl": {"ja-2.0": 3367, "zh-TW": 1414, "ko-2.2": 3634},
    "foldr": {"ja-2.0": 3388, "zh-TW": 1429, "ko-2.2": 3658},
}
"""The lines that say that the node has the name."""
LINES: Mapping[str, Lines] = {**NAME, **RANDOM_NAME, **NODE_NAME, "placeholder": PLACEHOLDER_NAME}


def _arguments(function: str, w: ProgramWriter) -> tuple[Argument, ...]:
    start = w.array("start", MATRIX)
    if function in FILLED:
        given, _ = FILLED[function]
        variable = w.call("variable", start, dtype="float32") if Ref("x") in given else None
        return tuple(variable if a == Ref("x") else a for a in given)
    if function in NODE_NAME:
        return _callable(function), w.call("variable", start, dtype="float32")
    return ((2, 2),) if function == "placeholder" else ((2, 2), 0.0, 1.0)


def _callable(function: str) -> Argument:
    if function == "map_fn":
        body = FunctionWriter("fn", "x")
        return body.returning(body.call("square", Ref("x")))
    body = FunctionWriter("fn", "acc", "x")
    return body.returning(body.call("operator.add", Ref("acc"), Ref("x")))


def _named(function: str, _edition: Edition) -> Iterator[Scenario]:
    """A name is part of the tensor's name, if tensors without a given one have names."""
    w = ProgramWriter()
    arguments = _arguments(function, w)
    for output, more in (("own", {}), ("given", {"name": LABEL})):
        w.observe(output, "operator.name", w.call(function, *arguments, **more))
    check = Check(
        "a name",
        Aspect.VALUE,
        outputs=("own", "given"),
        test=_has_label,
        demands=f"a name with {LABEL!r} in it, because tensors have names here",
        at=LINES[function],
    )
    yield written(function, f"a tensor named {LABEL}", w, check)


def _has_label(own: Values, given: Values) -> Problem | None:
    usual, name = str(plain(own)), str(plain(given))
    if not usual or LABEL in name:
        return None
    gives = f"gives a tensor named {name!r}, and one named {usual!r} without a name"
    fault = f"values[0][0] and {LABEL!r} not in values[1][0]"
    return Problem(gives, "another name", got=repr(name), fault=fault)


def _editions(function: str) -> tuple[Edition, ...]:
    if function == "identity":
        return NEWEST
    return EDITIONS if "ja-1" in LINES[function] else NEWER


def _family(function: str) -> Family:
    make: Callable[[Edition], Iterator[Scenario]] = partial(_named, function)
    return listed(function, make, editions=_editions(function))


FAMILIES: tuple[Family, ...] = tuple(map(_family, LINES))

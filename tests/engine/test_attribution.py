"""What raised an exception: the call, what makes its inputs, or what is done with its result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from conformance import reference
from conformance.engine.judging.messages import gist, raised
from conformance.observations import Raised, Stage, StructureObservation
from tests.adapters.support import batch, call, x
from tests.scenarios.in_process import module, observed


def refuse(*_: Any, **__: Any) -> Any:
    raise AttributeError("no attribute 'numpy'")


class Unreadable:
    """An array that nobody can read."""

    __array__ = refuse


class Unlisted:
    """A shape that cannot be listed."""

    def __iter__(self) -> Iterator[int]:
        refuse()
        yield 0


def function(computed: Callable[[Any], Any]) -> Callable[..., Any]:
    """`K.function` whose callable gives something else."""

    def compiled(inputs: Any, outputs: Any) -> Any:
        right = reference.function(inputs, outputs)
        return lambda arrays: computed(right(arrays))

    return compiled


def seen(**changed: Any) -> StructureObservation:
    return observed(batch(call("square", x(2)), 1), module(**changed))


def outcome(**changed: Any) -> Raised:
    error = seen(**changed).draws[0].outcome
    assert isinstance(error, Raised)
    return error


READING = "returns, and reading the result as an array"
SAID = "raises AttributeError: no attribute 'numpy'"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"square": refuse}, SAID),
        ({"placeholder": refuse}, f"gets an input that {SAID}"),
        ({"function": function(refuse)}, f"returns, and evaluating the result {SAID}"),
        (
            {"function": function(lambda _: [Unreadable()])},
            f"{READING} {SAID}",
        ),
        (
            {"function": function(lambda _: Unlisted())},
            f"{READING} {SAID}",
        ),
        (
            {"function": function(lambda values: [*values, *values])},
            f"{READING} raises ValueError: 2 results for 1 outputs",
        ),
        (
            {"function": function(lambda _: [])},
            f"{READING} raises ValueError: 0 results for 1 outputs",
        ),
    ],
)
def test_words_name_what_raised(changed: dict[str, Any], words: str) -> None:
    assert raised(outcome(**changed)) == words


@pytest.mark.parametrize(
    ("int_shape", "stage"), [(refuse, "claim"), (lambda _: Unlisted(), "read")]
)
def test_a_shape_that_cannot_be_listed_is_not_one_that_raises(
    int_shape: Callable[[Any], Any], stage: Stage
) -> None:
    (metadata,) = seen(int_shape=int_shape).outputs[0].metadata
    assert metadata.shape_error is not None
    assert (metadata.shape_error.type, metadata.shape_error.stage) == ("AttributeError", stage)


def test_the_step_is_named_where_it_is_known() -> None:
    error = Raised("ValueError", ("ValueError",), "bad", "step", 0)
    assert raised(error, " in exp(x)") == "raises ValueError in exp(x): bad"


@pytest.mark.parametrize("stage", ["bind", "step", "compile", "call", "read"])
def test_the_identity_of_a_failure_does_not_depend_on_the_words(stage: Stage) -> None:
    error = Raised("ValueError", ("ValueError",), "shape (1, 2) is bad", stage)
    assert gist(raised(error)) == "shape is bad"

"""Control flow: branches, and functions along an axis.

* `switch`, `in_train_phase`, `in_test_phase`: one of two tensors.
* `map_fn`, `foldl`, `foldr`: a function along the first axis of a tensor.
* `rnn`: a step function along the time axis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conformance.reference.configuration import learning_phase
from conformance.reference.edition import documented, says
from conformance.reference.symbolic.arguments import integer, number, tensor
from conformance.reference.symbolic.graph import Tensor, apply, literal
from conformance.reference.symbolic.loops import followed, loop, selected


@documented(
    "ja-1:1208 switch(condition, then_expression, else_expression)",
    "ja-2.0:2632 switch(condition, then_expression, else_expression)",
    "ko-2.2:2652 switch(condition, then_expression, else_expression)",
)
def switch(condition: Tensor, then_expression: Any, else_expression: Any) -> Tensor:
    """The first tensor where the condition is not 0, else the second; both have one shape.

    Callables that return tensors may stand for them (ja-2.0:2642), but not in keras-1. The
    condition is a scalar; in keras-2.2 its axes may be the first ones of the tensors (C103).

    Raises:
        ValueError: the condition has more axes than that, or the tensors differ in shape or dtype.
    """
    test = tensor(condition, "switch", "condition")
    then = _branch(then_expression, "switch", "then_expression")
    other = _branch(else_expression, "switch", "else_expression")
    most = then.ndim if says("ko-2.2:2673") else 0
    if test.ndim > most:
        raise ValueError(
            f"switch: condition is {test!r}; its rank must not be above {most}; "
            "reduce it with K.any or K.all"
        )
    return _one_of(test, then, other, "switch")


def _one_of(test: Tensor, x: Tensor, y: Tensor, where: str) -> Tensor:
    if x.ndim != y.ndim or x.dtype != y.dtype:
        raise ValueError(f"{where}: {x!r} and {y!r} must have one shape and one dtype")
    return selected(test, x, y)


def _branch(value: Any, where: str, what: str) -> Tensor:
    """A tensor, or the tensor that a callable returns."""
    if callable(value):
        if says("ja-1:1218"):
            raise ValueError(f"{where}: {what} is a callable; pass the tensor that it returns")
        value = value()
    return tensor(value, where, what)


@documented(
    "ja-1:1227 in_train_phase(x, alt)",
    "ja-2.0:2654 in_train_phase(x, alt, training=None)",
    "ko-2.2:2681 in_train_phase(x, alt, training=None)",
)
def in_train_phase(x: Any, alt: Any, training: Any = None) -> Tensor:
    """x in training, else alt; tensors of one shape, or (not in keras-1) callables returning them.

    `training` is a scalar tensor, True, False, 1 or 0; None stands for `learning_phase()`.
    ValueError: another `training`, or tensors that differ in shape or dtype.
    """
    return _by_phase(x, alt, training, "in_train_phase")


@documented(
    "ja-1:1240 in_test_phase(x, alt)",
    "ja-2.0:2676 in_test_phase(x, alt, training=None)",
    "ko-2.2:2710 in_test_phase(x, alt, training=None)",
)
def in_test_phase(x: Any, alt: Any, training: Any = None) -> Tensor:
    """x unless in training, else alt; see `in_train_phase`."""
    return _by_phase(alt, x, training, "in_test_phase")


def _by_phase(x: Any, alt: Any, training: Any, where: str) -> Tensor:
    """x in training, else alt."""
    flag = learning_phase() if training is None else training
    if isinstance(flag, Tensor):
        if flag.ndim:
            raise ValueError(f"{where}: training is {flag!r}; it must be a scalar")
        return _one_of(flag, _branch(x, where, "x"), _branch(alt, where, "alt"), where)
    if not isinstance(flag, int) or flag not in (0, 1):
        raise ValueError(f"{where}: training is {flag!r}; write True, False, 1, 0 or a tensor")
    return _branch(x if flag else alt, where, "x" if flag else "alt")


def _elements(elems: Any, where: str) -> Tensor:
    array = tensor(elems, where, "elems")
    if not array.ndim:
        raise ValueError(f"{where}: elems is the scalar {array!r}; it needs an axis of elements")
    return array


@documented(
    "ja-2.0:3336 map_fn(fn, elems, name=None, dtype=None)",
    "ko-2.2:3599 map_fn(fn, elems, name=None, dtype=None)",
)
def map_fn(
    fn: Callable[[Tensor], Tensor], elems: Tensor, name: str | None = None, dtype: str | None = None
) -> Tensor:
    """`fn` of every slice elems[i], stacked on a first axis; cast to `dtype` if that is given.

    ValueError: elems is a scalar, `fn` returns no tensor; at evaluation, no elements.

    Shapes: elems (n, ...); the result is (n, ...) with the axes of a result of `fn` behind the
    first.
    """

    def step(slices: list[Tensor], _: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        first = tensor(fn(slices[0]), "map_fn", "what fn returns")
        other = dtype is not None and dtype != first.dtype
        return [apply("cast", first, dtype=dtype) if other else first], []

    (mapped,), _ = loop(step, [_elements(elems, "map_fn")], [], "map_fn")
    mapped.name = name or mapped.name
    return mapped


@documented(
    "ja-2.0:3357 foldl(fn, elems, initializer=None, name=None)",
    "ko-2.2:3622 foldl(fn, elems, initializer=None, name=None)",
)
def foldl(
    fn: Callable[[Tensor, Tensor], Tensor],
    elems: Tensor,
    initializer: Any = None,
    name: str | None = None,
) -> Tensor:
    """fn(accumulated, elems[i]) from the first element to the last: like the initializer in shape.

    The initializer is a tensor or a number in the dtype of elems; without it elems[0] is first
    (ko-2.2:3634). ValueError: elems is a scalar, or `fn` changes shape or dtype.
    """
    return _fold(fn, elems, initializer, name, "foldl")


@documented(
    "ja-2.0:3378 foldr(fn, elems, initializer=None, name=None)",
    "ko-2.2:3646 foldr(fn, elems, initializer=None, name=None)",
)
def foldr(
    fn: Callable[[Tensor, Tensor], Tensor],
    elems: Tensor,
    initializer: Any = None,
    name: str | None = None,
) -> Tensor:
    """As `foldl`, from the last element to the first; without initializer elems[-1] is first.

    Shapes: elems (n, ...); the result has the shape of a result of `fn`.
    """
    return _fold(fn, elems, initializer, name, "foldr")


def _fold(fn: Any, elems: Any, initializer: Any, name: str | None, where: str) -> Tensor:
    sequence, backwards = _elements(elems, where), where == "foldr"
    if initializer is None:
        initial = sequence[-1 if backwards else 0]
        sequence = sequence[:-1] if backwards else sequence[1:]
    elif isinstance(initializer, Tensor):
        initial = initializer
    else:
        value = number(initializer, where, "initializer")
        initial = literal(value, sequence.dtype, where)

    def step(slices: list[Tensor], carried: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        return [], [tensor(fn(carried[0], slices[0]), where, "what fn returns")]

    _, (last,) = loop(step, [sequence], [initial], where, backwards)
    last.name = name or last.name
    return last


StepFunction = Callable[[Tensor, list[Tensor]], tuple[Tensor, list[Tensor]]]
Outcome = tuple[Tensor, list[Tensor]]


@documented(
    "ja-1:1165 rnn(step_function, inputs, initial_states, go_backwards=False, mask=None, "
    "constants=None, unroll=False, input_length=None)",
    "ja-2.0:2590 rnn(step_function, inputs, initial_states, go_backwards=False, mask=None, "
    "constants=None, unroll=False, input_length=None)",
    "ko-2.2:2597 rnn(step_function, inputs, initial_states, go_backwards=False, mask=None, "
    "constants=None, unroll=False, input_length=None)",
)
def rnn(  # noqa: PLR0917 - as documented
    step_function: StepFunction,
    inputs: Tensor,
    initial_states: Sequence[Tensor],
    go_backwards: bool = False,
    mask: Tensor | None = None,
    constants: Sequence[Tensor] | None = None,
    unroll: bool = False,
    input_length: int | None = None,
) -> tuple[Tensor, Tensor, list[Tensor]]:
    """The last output, all outputs (samples, time, ...) and the list of the last states.

    `step_function` takes a slice (samples, ...) of the inputs (samples, time, ...) and the list of
    states and constants. It returns an output and the list of new states, in shapes and dtypes like
    the old. With `go_backwards` the outputs are in the order of iteration (ko-2.2:2618). `mask` is
    (samples, time), or (samples, time, 1): where it is 0, the states stay as they were and the
    output is the one before, or zeros before the first.

    ValueError: inputs of a rank below 3, `unroll` with an unknown number of time steps, a mask
    without states (ko-2.2:2640-2644), a mask of another shape, arguments that are not tensors.
    """
    x = _sequence(inputs)
    length = _length(x, input_length, unroll)
    states, fixed = _tensors(initial_states, "initial_states"), _tensors(constants, "constants")
    call = _checked(step_function, fixed, len(states))
    sequences = [_time_major(x)]
    if mask is not None:
        sequences.append(_time_major(_mask(mask, states)))
        # zeros in the run-time shape of an output
        first = call(sequences[0][0], states)[0]
        states = [apply("fill_like", first, value=0, dtype=first.dtype), *states]
        call = _masked(call)
    run = _unrolled(length or 0) if unroll else _looped
    outputs, last = run(call, sequences, states, bool(go_backwards))
    outputs = _time_major(outputs)
    last_output = outputs[:, -1]
    return last_output, outputs, last if mask is None else last[1:]


def _sequence(inputs: Any) -> Tensor:
    x = tensor(inputs, "rnn", "inputs")
    if x.ndim < 3:
        raise ValueError(
            f"rnn: inputs are {x!r}; they must have rank 3 at least: (samples, time, dim)"
        )
    return x


def _length(x: Tensor, input_length: Any, unroll: bool) -> int | None:
    """The number of time steps, from the shape or from `input_length`.

    ValueError if both disagree, and if a loop to unroll has neither.
    """
    known = x.shape[1]
    if input_length is None:
        if unroll and known is None:
            raise ValueError(
                f"rnn: unroll needs a fixed number of time steps, which {x!r} lacks; give"
                " input_length"
            )
        return known
    length = integer(input_length, "rnn", "input_length", 1)
    if known not in (None, length):
        raise ValueError(f"rnn: input_length is {length}, and {x!r} has {known} time steps")
    return length


def _tensors(values: Any, what: str) -> list[Tensor]:
    if not isinstance(values, (list, tuple)) and values is not None:
        raise ValueError(f"rnn: {what} must be a list of tensors, not {values!r}")
    return [tensor(item, "rnn", f"{what}[{i}]") for i, item in enumerate(values or ())]


def _mask(mask: Any, states: list[Tensor]) -> Tensor:
    """(samples, time); ValueError for another shape, or if there are no states."""
    flags = tensor(mask, "rnn", "mask")
    if not states:
        raise ValueError("rnn: a mask needs states to keep; give initial_states, or no mask")
    if flags.ndim == 3 and flags.shape[2] in (None, 1):
        return apply("squeeze", flags, axis=2)
    if flags.ndim != 2:
        raise ValueError(f"rnn: mask is {flags!r}; make it (samples, time) or (samples, time, 1)")
    return flags


def _time_major(x: Tensor) -> Tensor:
    """The first two axes exchanged."""
    return apply("permute_dimensions", x, pattern=(1, 0, *range(2, x.ndim)))


def _checked(step_function: Any, constants: list[Tensor], count: int) -> StepFunction:
    """The step function on states alone; ValueError if what it returns is not as documented."""

    def call(x: Tensor, states: list[Tensor]) -> Outcome:
        answer = step_function(x, [*states, *constants])
        if not isinstance(answer, (list, tuple)) or len(answer) != 2:
            raise ValueError(f"rnn: step_function must return (output, new_states), not {answer!r}")
        output, new = tensor(answer[0], "rnn", "the output"), _tensors(answer[1], "new_states")
        if len(new) != count:
            raise ValueError(f"rnn: step_function returns {len(new)} states; {count} are carried")
        return output, [followed(a, b, "rnn") for a, b in zip(states, new, strict=True)]

    return call


def _masked(call: StepFunction) -> Callable[..., Outcome]:
    """The step that takes a mask too, and carries the output before as the first state."""

    def step(x: Tensor, mask: Tensor, states: list[Tensor]) -> Outcome:
        output, new = call(x, states[1:])
        results = [selected(mask, a, b) for a, b in zip((output, *new), states, strict=True)]
        return results[0], results

    return step


def _looped(
    call: Callable[..., Outcome], sequences: list[Tensor], states: list[Tensor], backwards: bool
) -> Outcome:
    def step(slices: list[Tensor], carried: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        output, new = call(*slices, carried)
        return [output], new

    (outputs,), last = loop(step, sequences, states, "rnn", backwards)
    return outputs, last


def _unrolled(length: int) -> Callable[..., Outcome]:
    def run(
        call: Callable[..., Outcome], sequences: list[Tensor], states: list[Tensor], backwards: bool
    ) -> Outcome:
        outputs = []
        for t in reversed(range(length)) if backwards else range(length):
            output, states = call(*[s[t] for s in sequences], states)
            outputs.append(output)
        return apply("stack", *outputs, axis=0), states

    return run

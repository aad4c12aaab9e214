"""rnn: a step function along the time axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conformance.reference.edition import documented
from conformance.reference.symbolic.arguments import integer, tensor
from conformance.reference.symbolic.graph import Tensor, apply
from conformance.reference.symbolic.loops import followed, loop, selected

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

    `step_function` takes a slice (samples, ...) of the inputs (samples, time, ...) and the list
    of states and constants; it returns an output and the list of new states, in shapes and dtypes
    like the old. With `go_backwards` the outputs are in the order of iteration (ko-2.2:2618).
    `mask` is (samples, time), or (samples, time, 1): where it is 0, the states stay as they were
    and the output is the one before, or zeros before the first.

    ValueError: inputs of a rank below 3, `unroll` with an unknown number of time steps, a mask
    without states (ko-2.2:2640-2644), a mask of another shape, arguments that are no tensors.
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
    """The number of time steps, from the shape or as told.

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
    told = integer(input_length, "rnn", "input_length", 1)
    if known not in (None, told):
        raise ValueError(f"rnn: input_length is {told}, and {x!r} has {known} time steps")
    return told


def _tensors(listed: Any, what: str) -> list[Tensor]:
    if not isinstance(listed, (list, tuple)) and listed is not None:
        raise ValueError(f"rnn: {what} must be a list of tensors, not {listed!r}")
    return [tensor(item, "rnn", f"{what}[{i}]") for i, item in enumerate(listed or ())]


def _mask(mask: Any, states: list[Tensor]) -> Tensor:
    """(samples, time); ValueError for another shape, or if there are no states."""
    found = tensor(mask, "rnn", "mask")
    if not states:
        raise ValueError("rnn: a mask needs states to keep; give initial_states, or no mask")
    if found.ndim == 3 and found.shape[2] in (None, 1):
        return apply("squeeze", found, axis=2)
    if found.ndim != 2:
        raise ValueError(f"rnn: mask is {found!r}; make it (samples, time) or (samples, time, 1)")
    return found


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
        kept = [selected(mask, a, b) for a, b in zip((output, *new), states, strict=True)]
        return kept[0], kept

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

# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="attr-defined,arg-type,misc,has-type,assignment,no-any-return,index"
"""Errors in rnn, loops, switch and phases."""

from __future__ import annotations

from conformance.reference import control_flow
from conformance.reference.symbolic.graph import Tensor, apply
from tests.engine.mutants.kit import arguments, operation, patched, replaced, result

RNN = "rnn"
_looped, _unrolled = control_flow._looped, control_flow._unrolled


def _forwards(unrolled):
    """`go_backwards` ignored, by one of the two sorts of loops."""

    def loop(call, sequences, states, backwards):
        return _looped(call, sequences, states, False)

    def unroll(length):
        return lambda call, sequences, states, backwards: _unrolled(length)(
            call, sequences, states, False)  # fmt: skip

    return (control_flow, "_unrolled", unroll) if unrolled else (control_flow, "_looped", loop)


patched(RNN, "go_backwards ignored", _forwards(False), profile="default")
patched(RNN, "go_backwards ignored where unrolled", _forwards(True), profile="default")


def _in_time(results):
    """The outputs in the order of time."""
    last, outputs, states = results
    return last, apply("reverse", outputs, axes=(1,)), states


def _outputs_in_time(right):
    def wrong(*args, **kwargs):
        results = right(*args, **kwargs)
        backwards = kwargs.get("go_backwards", args[3] if len(args) > 3 else False)
        return _in_time(results) if backwards else results

    return wrong


replaced(RNN, "backward outputs in the order of time", _outputs_in_time)
result(RNN, "the first output as the last", lambda value: (value[1][:, 0], *value[1:]))


def _first_state_twice(results):
    """The same state in every place."""
    return results[0], results[1], [results[2][0]] * len(results[2])


result(RNN, "the first state in every place", lambda value: _first_state_twice(value)
       if value[2] else value, profile="default")  # fmt: skip
result(
    RNN, "states in reverse", lambda value: (value[0], value[1], value[2][::-1]), profile="default"
)


def _initial_states(right):
    def wrong(step_function, inputs, initial_states, *args, **kwargs):
        last, outputs, _ = right(step_function, inputs, initial_states, *args, **kwargs)
        return last, outputs, list(initial_states)

    return wrong


replaced(RNN, "the initial states are returned", _initial_states)


def _not_carried(right):
    def wrong(step_function, inputs, initial_states, *args, **kwargs):
        def step(x, states):
            fixed = states[len(initial_states) :]
            output, new = step_function(x, [*initial_states, *fixed])
            return output, new

        return right(step, inputs, initial_states, *args, **kwargs)

    return wrong


replaced(RNN, "states not carried", _not_carried)
arguments(RNN, "the mask ignored", lambda call: call.update(mask=None))


def _shifted_mask(call):
    """The mask one step late."""
    mask = call["mask"]
    if mask is not None:
        call["mask"] = apply("concatenate", mask[:, :1], mask[:, :-1], axis=1)


def _inverted(call):
    mask = call["mask"]
    if mask is not None:
        call["mask"] = apply("equal", mask, apply("fill_like", mask, value=0, dtype=mask.dtype))


arguments(RNN, "the mask one step late", _shifted_mask)
arguments(RNN, "the mask inverted", _inverted)


def _states_anyway(call):
    """Masked steps keep the output, but not the states."""

    def step(x, mask, states):
        output, new = call(x, states[1:])
        chosen = control_flow.selected(mask, output, states[0])
        return chosen, [chosen, *new]

    return step


def _output_anyway(call):
    """Masked steps keep the states, but not the output."""

    def step(x, mask, states):
        output, new = call(x, states[1:])
        chosen = [control_flow.selected(mask, a, b) for a, b in zip(new, states[1:], strict=True)]
        return output, [output, *chosen]

    return step


patched(RNN, "masked steps change the states", (control_flow, "_masked", _states_anyway))
patched(RNN, "masked steps give their output", (control_flow, "_masked", _output_anyway),
        verdict="diverges")  # fmt: skip
patched(RNN, "constants doubled", (control_flow, "_tensors", lambda tensors, what,
        right=control_flow._tensors: [t * 2.0 for t in right(tensors, what)]
        if what == "constants" else right(tensors, what)))  # fmt: skip


def _last_step_left_out(right):
    """The loop ends one step too early where it has several."""

    def wrong(step_function, inputs, *args, **kwargs):
        last, outputs, states = right(step_function, inputs, *args, **kwargs)
        return (outputs[:, -2] if (outputs.shape[1] or 0) > 1 else last), outputs, states

    return wrong


replaced(RNN, "the last output one step early", _last_step_left_out)


def _halved(places):
    def make(right):
        def wrong(node, upstream):
            layout = node.attributes["layout"]
            first = layout.sequences + layout.carried
            chosen = {
                "sequences": range(layout.sequences),
                "carried": range(layout.sequences, first),
                "outside": range(first, len(node.inputs)),
            }[places]
            return tuple(g * 0.5 if g is not None and i in chosen else g
                         for i, g in enumerate(right(node, upstream)))  # fmt: skip

        return wrong

    return make


for _name in (RNN, "map_fn", "foldl", "foldr"):
    for _places in ("sequences", "carried", "outside"):
        if (_name, _places) == ("map_fn", "carried") or (
                _name.startswith("fold") and _places == "outside"):  # fmt: skip
            continue
        operation(_name, f"half of the gradient of {_places}", "loop",
                  gradient=_halved(_places), verdict="reported", profile="default")  # fmt: skip


def _any_rank(inputs):
    x = control_flow.tensor(inputs, "rnn", "inputs")
    return x if x.ndim > 2 else apply("expand_dims", x, axis=2)


patched(RNN, "inputs of rank 2 taken", (control_flow, "_sequence", _any_rank), aspect="error")


# Folds and maps

replaced("foldl", "from the end", lambda right: lambda fn, elems, initializer=None, name=None: (
    right(fn, apply("reverse", elems, axes=(0,)), initializer, name)), profile="default")  # fmt: skip  # noqa: E501
replaced("foldr", "from the beginning", lambda right: lambda fn, elems, initializer=None,
         name=None: right(fn, apply("reverse", elems, axes=(0,)), initializer, name))  # fmt: skip
for _name in ("foldl", "foldr"):
    replaced(_name, "arguments exchanged", lambda right: lambda fn, elems, initializer=None,
             name=None: right(lambda acc, x: fn(x, acc), elems, initializer, name))  # fmt: skip
    replaced(_name, "the initializer ignored", lambda right: lambda fn, elems, initializer=None,
             name=None: right(fn, elems, None if getattr(initializer, "shape", ()) ==
                              elems.shape[1:] else initializer, name),
             verdict="reported")  # fmt: skip


def _from_zero(right):
    """Zeros stand for a missing initializer."""

    def wrong(fn, elems, initializer=None, name=None):
        if initializer is None:
            initializer = apply("fill_like", elems[0], value=0, dtype=elems.dtype)
        return right(fn, elems, initializer, name)

    return wrong


for _name in ("foldl", "foldr"):
    replaced(_name, "zeros without an initializer", _from_zero, profile="default")

result("map_fn", "in reverse", lambda value: apply("reverse", value, axes=(0,)))
result("map_fn", "the first everywhere", lambda value: apply(
    "gather", value, apply("cast", _places_of(value) * 0, dtype="int32")))  # fmt: skip
replaced("map_fn", "dtype ignored", lambda right: lambda fn, elems, name=None, dtype=None: (
    apply("cast", right(fn, elems, name), dtype=elems.dtype)), aspect="dtype")  # fmt: skip


def _places_of(x: Tensor) -> Tensor:
    axes = tuple(range(1, x.ndim))
    return apply("cast", apply("sum", x, axis=axes, keepdims=False), dtype="int32")


# Selection

_switched = control_flow._one_of


def _other(test, x, y, where):
    return _switched(test, y, x, where)


patched("switch", "the other tensor", (control_flow, "_one_of", _other))
patched(
    "switch",
    "only the first element decides",
    (
        control_flow,
        "selected",
        lambda c, x, y: control_flow_selected(apply("flatten", c)[0] if c.ndim else c, x, y),
    ),
    profile="default",
)
control_flow_selected = control_flow.selected
operation("switch", "the gradient goes to both", "choose", gradient=lambda right: (
    lambda node, upstream: (None, upstream, upstream)))  # fmt: skip
operation("switch", "the gradient goes to the other", "choose", gradient=lambda right: (
    lambda node, upstream: (None, *right(node, upstream)[:0:-1])))  # fmt: skip
replaced("switch", "any rank of the condition", lambda right: lambda condition, then_expression,
         else_expression: then_expression if condition.ndim > getattr(then_expression, "ndim", 9)
         else right(condition, then_expression, else_expression), aspect="error")  # fmt: skip
operation("switch", "positive instead of not 0", "not_equal",
          lambda kernel: lambda x, y: x > y, verdict="diverges", profile="thorough")  # fmt: skip

for _name in ("in_train_phase", "in_test_phase"):
    arguments(_name, "x and alt exchanged", lambda call: call.update(
        x=call["alt"], alt=call["x"]))  # fmt: skip
    arguments(_name, "x and alt exchanged after set_learning_phase", lambda call: call.update(
        x=call["alt"], alt=call["x"]), aspect="state")  # fmt: skip
    arguments(_name, "training ignored", lambda call: call.update(training=None))
    arguments(
        _name,
        "the phase that is set ignored",
        lambda call: call.update(training=0 if call["training"] is None else call["training"]),
        aspect="state",
    )
    patched(_name, "always testing where fed", (control_flow, "selected", lambda c, x, y: (
        control_flow_selected(apply("fill_like", c, value=0, dtype="bool"), x, y))),
        aspect="state")  # fmt: skip

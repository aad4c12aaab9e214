# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="attr-defined,arg-type,misc,has-type,assignment,no-any-return,index"
"""Errors in what documents promise besides values: each keeps every value that a call gives."""

from __future__ import annotations

import inspect

import numpy as np

from conformance.reference import BACKEND
from conformance.reference import eval as evaluate
from conformance.reference.symbolic.graph import Tensor, Variable, apply
from tests.engine.mutants.kit import MUTANTS, arguments, mutant, replaced, result
from tests.engine.mutants.kit import bound as arguments_of

_OTHERS = {*MUTANTS}
ALONE = {"alone": True}
GRADIENT = {"alone": True, "aspect": "gradient"}


# Containers

result("get_value", "a list", lambda value: value.tolist() if value.ndim else value, **ALONE)
result("eval", "a list", lambda value: value.tolist() if np.ndim(value) else value, **ALONE)
result("batch_get_value", "a tuple", tuple, **ALONE)
result("batch_get_value", "lists in a list", lambda value: [m.tolist() for m in value], **ALONE)
result("batch_get_value", "None at the end", lambda value: [*value, None], **ALONE)
result("gradients", "a tuple", tuple, verdict="diverges", **GRADIENT)
result("gradients", "a tuple in keras-1", tuple, edition="keras-1", **GRADIENT)
result("gradients", "itself where there is one",
       lambda value: value[0] if len(value) == 1 else value, **GRADIENT)  # fmt: skip
result("stop_gradient", "a tuple of several", lambda value: tuple(value) if isinstance(value, list)
       else value)  # fmt: skip
result("rnn", "a list", list)
result("rnn", "four results", lambda value: (*value, value[0]))
result("rnn", "a tuple of states", lambda value: (*value[:2], tuple(value[2])), verdict="diverges")
result("rnn", "a state more", lambda value: (*value[:2], [*value[2], value[0]]))
result("normalize_batch_in_training", "a list", list)
result("normalize_batch_in_training", "four results", lambda value: (*value, value[1]))
result("cast_to_floatx", "a list", lambda value: value.tolist(), **ALONE)
result("get_variable_shape", "a list", list, edition="keras-2.0")


def _listing(right):
    def wrong(inputs, outputs, updates=None, **kwargs):
        compiled = right(inputs, outputs, updates, **kwargs)
        return lambda values: [array.tolist() for array in compiled(values)]

    return wrong


def _one_more(right):
    def wrong(inputs, outputs, updates=None, **kwargs):
        compiled = right(inputs, outputs, updates, **kwargs)
        return lambda values: [*compiled(values), np.zeros(1)]

    return wrong


replaced("function", "lists of results", _listing, **ALONE)
replaced("function", "a result more", _one_more, **ALONE)


# Variables

FILLED = ("zeros", "ones", "eye", "random_uniform_variable", "random_normal_variable")


def _constant(tensor):
    """The same numbers, which cannot be set."""
    return apply("identity", tensor)


def _once(right):
    """Whoever asks for the same gets the same variable."""
    results: dict[str, Tensor] = {}

    def wrong(*args, **kwargs):
        return results.setdefault(repr((args, kwargs)), right(*args, **kwargs))

    return wrong


for _name in FILLED:
    result(_name, "no variable", _constant, **ALONE)
    replaced(_name, "one variable for all", _once, **ALONE)


def _refused(right):
    def wrong(shape, dtype=None, name=None):
        if isinstance(shape, Tensor):
            raise TypeError(f"{shape!r} is no tuple of integers")
        return right(shape, dtype, name)

    return wrong


def _known_only(right):
    """A dimension that is not known is taken to be 2."""

    def wrong(shape, dtype=None, name=None):
        known = isinstance(shape, Tensor) and shape.inputs[0].shape
        return right(tuple(d or 2 for d in known) if known else shape, dtype, name)

    return wrong


for _name in ("zeros", "ones"):
    replaced(_name, "a symbolic shape refused", _refused)
    replaced(_name, "unknown dimensions are guessed", _known_only)


# Names, constraints, constants, placeholders

NAMED = ("constant", "zeros", "ones", "eye", "zeros_like", "ones_like", "identity", "placeholder",
         "variable", "random_uniform_variable", "random_normal_variable")  # fmt: skip


def _by_name(right):
    """A second tensor of a name is the first one."""
    variables: dict[str, Tensor] = {}

    def wrong(*args, **kwargs):
        tensor = right(*args, **kwargs)
        name = kwargs.get("name")
        return tensor if name is None else variables.setdefault(name, tensor)

    return wrong


def _nameless(right):
    def wrong(*args, **kwargs):
        if kwargs.get("name") is not None:
            raise TypeError("there is no parameter called name")
        return right(*args, **kwargs)

    return wrong


for _name in NAMED:
    replaced(_name, "names refused", _nameless, **ALONE)
replaced("variable", "found again by its name", _by_name, **ALONE)


def _projected_at_once(right):
    def wrong(value, dtype=None, name=None, constraint=None):
        variable = right(value, dtype, name, constraint)
        if constraint is not None:
            variable.value = evaluate(constraint(variable))
        return variable

    return wrong


replaced("variable", "projected when it is made", _projected_at_once, **ALONE)


def _refusing_constraints(right):
    def wrong(value, dtype=None, name=None, constraint=None):
        if constraint is not None:
            raise TypeError("there is no constraint")
        return right(value, dtype, name)

    return wrong


replaced("variable", "constraints refused", _refusing_constraints, **ALONE)


def _arrays_only(right):
    def wrong(value, dtype=None, shape=None, name=None):
        if isinstance(value, list):
            raise TypeError("a list is no constant")
        return right(value, dtype, shape, name)

    return wrong


def _first_number(right):
    def wrong(value, dtype=None, shape=None, name=None):
        initial = value[0] if isinstance(value, list) and shape is not None else value
        return right(initial, dtype, shape, name)

    return wrong


def _columns(right):
    def wrong(value, dtype=None, shape=None, name=None):
        flat = isinstance(value, list) and shape is not None and len(shape) > np.ndim(value)
        initial = np.reshape(value, shape, order="F") if flat else value
        return right(initial, dtype, shape, name)

    return wrong


result("constant", "a variable", lambda value: Variable(evaluate(value), value.dtype))
replaced("constant", "lists refused", _arrays_only)
replaced("constant", "a list's first number fills the shape", _first_number)
replaced("constant", "lists fill columns", _columns, verdict="diverges")
arguments("placeholder", "ndim counts before the shape", lambda call: call.update(
    shape=call["shape"] if call["ndim"] is None else None), **ALONE)  # fmt: skip


# Iterables, keywords, the phase


def _listed_axes(place):
    """Axes must be in a list or a tuple."""

    def make(right):
        def wrong(*args, **kwargs):
            axes = args[place]
            if not isinstance(axes, (int, list, tuple)):
                raise TypeError(f"{axes!r} is no list of axes")
            return right(*args, **kwargs)

        return wrong

    return make


def _read_twice(place):
    """Axes are looked at before they are used: of an iterator nothing is left, as is allowed."""

    def make(right):
        def wrong(*args, **kwargs):
            axes = next((kwargs[n] for n in kwargs if n.endswith("axes")), *args[place : place + 1])
            if not isinstance(axes, int):
                sorted(axes)
            return right(*args, **kwargs)

        return wrong

    return make


for _name, _place in (("reverse", 1), ("normalize_batch_in_training", 3)):
    replaced(_name, "axes in lists only", _listed_axes(_place))
    replaced(_name, "axes are read twice", _read_twice(_place), verdict="diverges")


def _type_error(right):
    def wrong(inputs, outputs, updates=None, **kwargs):
        if kwargs:
            raise TypeError(f"function() got unexpected keywords {sorted(kwargs)}")
        return right(inputs, outputs, updates)

    return wrong


def _unusable(right):
    """Keywords of a session are taken, and the function cannot be called."""

    def wrong(inputs, outputs, updates=None, **kwargs):
        if {"options", "run_metadata"} & {*kwargs}:
            return lambda values: 1 / 0
        return right(inputs, outputs, updates, **kwargs)

    return wrong


ERROR = {"alone": True, "aspect": "error"}
replaced("function", "keywords raise TypeError", _type_error, **ERROR)
replaced("function", "keywords of a session spoil it", _unusable, **ERROR)

DTYPE = {"alone": True, "aspect": "dtype"}
result("learning_phase", "a float once it is set",
       lambda value: value if isinstance(value, Tensor) else float(value), **DTYPE)  # fmt: skip
result("learning_phase", "a list once it is set",
       lambda x: x if isinstance(x, Tensor) else np.array([x]), **DTYPE)  # fmt: skip
result("learning_phase", "a vector",
       lambda value: apply("expand_dims", value, axis=0) if isinstance(value, Tensor) else value,
       verdict="reported", **DTYPE)  # fmt: skip
result("get_uid", "a float", float, alone=True, aspect="state", verdict="diverges")


# Axes that are documented, in no shape of the tensors that go with them


def _refusing(wrong_axes):
    def make(right):
        def wrong(x, *args, **kwargs):
            call = arguments_of(right, (x, *args), kwargs)
            if wrong_axes(call):
                raise ValueError("shapes do not match")
            return right(x, *args, **kwargs)

        return wrong

    return make


replaced("normalize_batch_in_training", "features last alone",
         _refusing(lambda call: 0 not in (axes := [*call["reduction_axes"]])
                   or len(axes) - 1 not in axes))  # fmt: skip
replaced("batch_normalization", "features last alone",
         _refusing(lambda call: call["axis"] not in (-1, call["x"].ndim - 1)))  # fmt: skip
replaced("sparse_categorical_crossentropy", "classes last alone",
         _refusing(lambda call: call["axis"] not in (-1, call["output"].ndim - 1)))  # fmt: skip


# Printing


def _of_x(right):
    """x itself prints, not what is returned."""

    def wrong(x, message=""):
        node = right(x, message)
        return node if isinstance(x, Variable) or x.inputs else x

    return wrong


replaced("print_tensor", "placeholders print nothing", _of_x)


# The configuration file


def _told_only(setting, usual):
    """The getter tells what the file says; functions go by the default until it is set."""

    def install(namespace):
        before = getattr(BACKEND.settings, setting)
        setattr(BACKEND.settings, setting, usual)
        getter, setter = namespace[setting], namespace[f"set_{setting}"]
        was_set: list[object] = []

        def tell():
            return getter() if was_set else before

        def put(value):
            setter(value)
            was_set.append(value)

        for name, wrong in {setting: tell, f"set_{setting}": put}.items():
            vars(wrong)["__signature__"] = inspect.signature(namespace[name])
            namespace[name] = BACKEND.bound(wrong)

    return install


for _setting, _usual in {
    "epsilon": 1e-07,
    "floatx": "float32",
    "image_data_format": "channels_last",
}.items():
    mutant(_setting, "the file is told and not used", _told_only(_setting, _usual), alone=True,
           aspect="configuration", profile="default")  # fmt: skip


# Crossentropies of activations


def _of_logits(right):
    """What an activation gave has lost itself: what the activation was given are the logits."""

    def wrong(*args, **kwargs):
        call = arguments_of(right, args, kwargs)
        output = call["output"]
        if getattr(output, "operation", None) in {"softmax", "sigmoid"}:
            call.update(output=output.inputs[0], from_logits=True)
        return right(**call)

    return wrong


for _name in ("categorical_crossentropy", "sparse_categorical_crossentropy", "binary_crossentropy"):
    replaced(_name, "of the logits of any activation", _of_logits)
    replaced(_name, "of the logits of any activation, in keras-1", _of_logits, edition="keras-1")

HERE = [name for name in MUTANTS if name not in _OTHERS]
"""The names of the mutants of this module."""

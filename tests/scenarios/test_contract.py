"""Scenarios of the contract on a small Keras of NumPy, right and with one fault each."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from conformance.adapters.worker.conformance_worker.calling import CALLS
from conformance.oracle.control_flow import rnn as oracle_rnn
from conformance.scenarios import Scenario, families_of
from tests.scenarios import running
from tests.scenarios.in_process import drawn
from tests.scenarios.running import problems

Fault = Callable[["Keras"], Any]
SEVERAL = 8
"""Scenarios of a strategy that are tried."""


class Keras:
    """The names that the scenarios call, and the state that they share."""

    def __init__(self) -> None:
        self.scopes: list[Scope] = []
        self.names: list[Name] = []
        self.cast: str | None = None
        self.flags = {
            "SUPPORTS_SPARSE_TENSORS": False,
            "SUPPORTS_RAGGED_TENSORS": False,
            "SUPPORTS_COMPLEX_DTYPES": True,
            "IS_THREAD_SAFE": True,
        }
        self.functions: dict[str, Callable[..., Any]] = {
            "keras.Variable": lambda *a, **k: Variable(self, *a, **k),
            "keras.StatelessScope": lambda **k: Scope(self, **k),
            "keras.name_scope": lambda *a, **k: Name(self, *a, **k),
            "keras.remat": lambda f: f,
            "keras.ops.custom_gradient": custom_gradient,
            "keras.src.backend.rnn": rnn,
            "keras.src.backend.convert_to_tensor": converted,
            "keras.src.backend.is_tensor": lambda x: isinstance(x, np.ndarray),
            "keras.src.backend.compute_output_spec": lambda f, x: f(x),
            "keras.src.backend.common.AutocastScope": lambda dtype: Autocast(self, dtype),
            "keras.initializers.Ones": lambda: np.ones,
            "backend_flag": self.flags.__getitem__,
            "within": within,
            "in_threads": lambda f: lambda: np.stack([f()] * 8),
            "with_gradient": lambda forward, backward: SimpleNamespace(f=forward, g=backward),
            "derivative": derivative,
            "complex_numbers": lambda x: x[..., 0] + 1j * x[..., 1],
            "imaginary_part": lambda x: x.imag,
            "constant": converted,
            "placeholder": lambda shape, dtype: np.ones([n or 7 for n in shape], dtype),
            "eval": lambda x: np.array(value_of(x)),
            "int_shape": lambda x: tuple({7: None}.get(n, n) for n in np.shape(value_of(x))),
            "dtype": lambda x: value_of(x).dtype.name,
        }

    def __call__(self, name: str) -> Callable[..., Any]:
        """The function of a step."""
        if name in self.functions:
            return self.functions[name]
        if name in CALLS:
            return CALLS[name]
        if name.startswith("operator."):
            return taking_values(getattr(operator, name.removeprefix("operator.")))
        own = {"keras.ops.cast": lambda x, dtype: x.astype(dtype)}
        return taking_values(own.get(name) or getattr(np, name.removeprefix("keras.ops.")))


def value_of(x: Any) -> Any:
    return x.value if isinstance(x, Variable) else x


def taking_values(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: function(*map(value_of, args), **kwargs)


def converted(x: Any, dtype: Any = None, sparse: Any = None, ragged: Any = None) -> Any:
    if sparse or ragged:
        raise ValueError("these kinds of tensors are not supported")
    return np.array(value_of(x), dtype)


def within(scope: Any, function: Callable[[], Any]) -> Callable[[], Any]:
    def call() -> Any:
        with scope:
            return function()

    return call


class Variable:
    """A variable; its class attributes are what a fault changes."""

    def __init__(self, keras: Keras, initializer: Any, shape: Any = None, **keywords: Any) -> None:
        dtype = keywords.get("dtype") or getattr(initializer, "dtype", "float32")
        self.keras, self._dtype = keras, np.dtype(dtype).name
        initializer = np.ones if isinstance(initializer, str) else initializer
        if callable(initializer):
            if shape is None:
                raise ValueError("a shape is required")
            initializer = initializer(shape, self._dtype)
        self.held = np.array(value_of(initializer), self._dtype)
        self.trainable = keywords.get("trainable", True)
        self.autocast = keywords.get("autocast", True)
        self.aggregation = keywords.get("aggregation", "none")
        if self.aggregation not in ("none", "mean", "sum", "only_first_replica"):
            raise ValueError("an unknown aggregation")
        self.name = keywords.get("name", "variable")
        self.path = "/".join([*parts(keras.names), self.name])
        self.constraint = self.regularizer = None

    @property
    def dtype(self) -> str:
        """The dtype, or that of a scope of autocasting."""
        casts = self.autocast and self.keras.cast and self._dtype.startswith("float")
        return str(self.keras.cast) if casts else self._dtype

    @property
    def value(self) -> Any:
        """The value, or that in the innermost scope."""
        scope = self.keras.scopes[-1] if self.keras.scopes else None
        held = self.held if scope is None else scope.state.get(id(self), self.held)
        return np.asarray(held).astype(self.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value."""
        return self.held.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.held.ndim

    def assign(self, value: Any) -> None:
        """Another value of the same shape."""
        new = np.array(value_of(value), self._dtype)
        if new.shape != self.shape:
            raise ValueError("another shape")
        self.put(new)

    def put(self, new: Any) -> None:
        """Where the value goes."""
        if self.keras.scopes:
            self.keras.scopes[-1].state[id(self)] = new
        else:
            self.held = new

    def assign_add(self, value: Any) -> None:
        """The sum."""
        self.assign(self.value + value_of(value))

    def assign_sub(self, value: Any) -> None:
        """The difference."""
        self.assign(self.value - value_of(value))


class Scope:
    """A stateless scope."""

    def __init__(self, keras: Keras, state_mapping: Sequence[tuple[Any, Any]] = ()) -> None:
        self.keras, self.state = keras, {id(k): v for k, v in state_mapping}

    def __enter__(self) -> None:
        self.keras.scopes.append(self)

    def __exit__(self, *_: object) -> None:
        self.keras.scopes.pop()

    def get_current_value(self, variable: Variable) -> Any:
        """The value in the scope."""
        return self.state.get(id(variable))


class Name:
    """A scope of names."""

    def __init__(self, keras: Keras, name: str, caller: Any = None, **keywords: Any) -> None:
        self.keras, self.name, self.caller = keras, name, caller
        self.deduplicate = keywords.get("deduplicate", True)
        self.parent = keywords.get("override_parent")

    def __enter__(self) -> None:
        last = self.keras.names[-1] if self.keras.names else None
        same = last is not None and (last.name, last.caller) == (self.name, self.caller)
        self.entered = not (same and self.caller is not None and self.deduplicate)
        if self.entered:
            self.keras.names.append(self)

    def __exit__(self, *_: object) -> None:
        if self.entered:
            self.keras.names.pop()


def parts(names: Sequence[Name]) -> list[str]:
    """The parts of a path."""
    path: list[str] = []
    for scope in names:
        path = [*(path if scope.parent is None else scope.parent.split("/")), scope.name]
    return path


class Autocast:
    """A scope of autocasting."""

    def __init__(self, keras: Keras, dtype: str) -> None:
        self.keras, self.dtype = keras, dtype

    def __enter__(self) -> None:
        self.keras.cast = self.dtype

    def __exit__(self, *_: object) -> None:
        self.keras.cast = None


class Custom:
    """A function with a gradient of its own."""

    def __init__(self, pair: Any) -> None:
        self.pair = pair

    def __call__(self, x: Any) -> Any:
        return self.pair.f(x)


def custom_gradient(pair: Any) -> Custom:
    return Custom(pair)


def derivative(function: Any) -> Callable[[Any], Any]:
    """Exact for polynomials of the third degree."""
    if isinstance(function, Custom):
        return lambda x: function.pair.g(np.ones_like(x))
    return lambda x: (
        (8 * (function(x + 1) - function(x - 1)) - function(x + 2) + function(x - 2)) / 12
    )


def rnn(step: Any, inputs: Any, states: Any, mask: Any = None, **options: Any) -> Any:
    """The oracle's, with the options that it lacks."""

    def turned(x: Any) -> Any:
        return np.swapaxes(x, 0, 1) if options.get("time_major") else x

    last, outputs, new = oracle_rnn(
        step,
        turned(inputs),
        states,
        go_backwards=options.get("go_backwards", False),
        mask=None if mask is None else turned(mask),
        constants=options.get("constants"),
        masked="zeros" if options.get("zero_output_for_mask") else "previous",
    )
    outputs = outputs if options.get("return_all_outputs", True) else last[:, None]
    return last, turned(outputs), new


LEFT_OUT = ("bfloat16", "keras.constraints", "keras.regularizers", "docstring_example")
"""What the small Keras lacks."""


@cache
def scenarios(name: str) -> list[Scenario]:
    """The fixed scenarios of a name, and some of each strategy."""
    parts = [family.make("keras-3") for family in families_of(name, "keras-3")]
    every = [s for m in parts for s in (m if isinstance(m, Sequence) else drawn(m, SEVERAL))]
    return [s for s in every if not any(word in str(s.program) for word in LEFT_OUT)]


def failing(name: str, keras: Callable[[], Keras], patch: pytest.MonkeyPatch) -> set[str]:
    """The checks that fail, and exceptions; each scenario runs on a new Keras."""
    checks: set[str] = set()
    for scenario in scenarios(name):
        patch.setattr(running, "function", keras())
        try:
            checks |= {*problems(scenario)}
        except ValueError as error:
            checks.add(f"raises {error}")
    return checks


NAMES = (
    "keras.Variable",
    "keras.StatelessScope",
    "keras.name_scope",
    "keras.remat",
    "keras.src.backend.rnn",
    "keras.src.backend.convert_to_tensor",
    "keras.src.backend.compute_output_spec",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_right_backend_fails_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert failing(name, Keras, monkeypatch) == set()


def _method(name: str, fault: Any) -> Fault:
    """A variable with another method."""
    kind = type("Variable", (Variable,), {name: fault})
    return lambda k: lambda *args, **kwargs: kind(k, *args, **kwargs)


def _without(option: str) -> Fault:
    """An `rnn` that ignores an option."""

    def called(*args: Any, **options: Any) -> Any:
        return rnn(*args, **{n: v for n, v in options.items() if n != option})

    return lambda _: called


def _ignores_dtype(self: Variable, value: Any) -> None:
    self.held = np.asarray(value_of(value))
    self._dtype = self.held.dtype.name


def _writes_through(self: Variable, new: Any) -> None:
    self.held = new
    if self.keras.scopes:
        self.keras.scopes[-1].state[id(self)] = new


def _loses_parents(k: Keras) -> Any:
    return lambda name, **keywords: Name(k, name, **{"override_parent": name, **keywords})


def _single(_: Keras) -> Any:
    return lambda x, dtype=None, **kinds: converted(x, dtype and "float32", **kinds)


def _any_kind(_: Keras) -> Any:
    return lambda x, dtype=None, **kinds: converted(x, dtype)


ALWAYS = property(lambda _: True, lambda _, value: None)
VARIABLE, RNN = "keras.Variable", "keras.src.backend.rnn"
CONVERT = "keras.src.backend.convert_to_tensor"
FAULTS: tuple[tuple[str, str, Fault, str], ...] = (
    (VARIABLE, VARIABLE, _method("assign", _ignores_dtype), "the dtype stays"),
    (VARIABLE, VARIABLE, _method("assign", lambda s, v: None), "the new value"),
    (VARIABLE, VARIABLE, _method("assign_add", Variable.assign), "the new value"),
    (VARIABLE, VARIABLE, _method("assign_sub", Variable.assign_add), "the new value"),
    (VARIABLE, VARIABLE, _method("ndim", 0), "the rank"),
    (VARIABLE, VARIABLE, _method("dtype", "float32"), "the dtype"),
    (VARIABLE, VARIABLE, _method("trainable", ALWAYS), "the attribute trainable"),
    (
        "keras.StatelessScope",
        VARIABLE,
        _method("put", _writes_through),
        "the variable stays",
    ),
    (
        "keras.StatelessScope",
        "keras.StatelessScope",
        lambda k: lambda state_mapping=(): Scope(k),
        "the value inside",
    ),
    ("keras.name_scope", "keras.name_scope", _loses_parents, "the path"),
    ("keras.remat", "keras.remat", lambda _: lambda f: lambda x: 2 * f(x), "the values"),
    ("keras.remat", "keras.remat", lambda _: lambda f: lambda x: np.abs(f(x)), "the gradient"),
    (
        "keras.ops.custom_gradient",
        "keras.ops.custom_gradient",
        lambda _: lambda pair: pair.f,
        "the gradient",
    ),
    (RNN, RNN, _without("mask"), "the outputs"),
    (RNN, RNN, _without("go_backwards"), "the outputs"),
    (RNN, RNN, _without("time_major"), "the outputs"),
    (RNN, RNN, _without("zero_output_for_mask"), "the outputs"),
    (RNN, RNN, _without("return_all_outputs"), "the outputs"),
    (CONVERT, CONVERT, _single, "the dtype"),
    (
        CONVERT,
        CONVERT,
        _any_kind,
        "SUPPORTS_SPARSE_TENSORS",
    ),
    (CONVERT, "backend_flag", lambda _: lambda name: True, "SUPPORTS_RAGGED_TENSORS"),
    (
        "keras.src.backend.compute_output_spec",
        "keras.src.backend.compute_output_spec",
        lambda _: lambda f, x: f(x).astype("float64"),
        "the dtype",
    ),
)


@pytest.mark.parametrize(("name", "changed", "fault", "check"), FAULTS)
def test_a_fault_fails_its_check(
    name: str, changed: str, fault: Fault, check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keras() -> Keras:
        package = Keras()
        package.functions[changed] = fault(package)
        return package

    assert check in failing(name, keras, monkeypatch)

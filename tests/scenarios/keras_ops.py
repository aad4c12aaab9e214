"""Functions of keras.ops on NumPy, right ones, and the scenarios of tensors run on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial, reduce
from typing import Any

import numpy as np
from hypothesis.strategies import SearchStrategy
from scipy import signal

from conformance.adapters.worker.conformance_worker.calling import CALLS
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.generators.collect import distinct_draws
from conformance.observations import Value
from conformance.program import Argument, Function, Made, Ref, Step
from conformance.program.model import COMPILED
from conformance.scenarios import Family, Problem, Scenario, families_of
from tests.scenarios.running import attempted, flat

Functions = Mapping[str, Callable[..., Any]]


def cond(pred: Any, true_fn: Any, false_fn: Any) -> Any:
    return true_fn() if pred else false_fn()


def switch(index: Any, branches: Any, *operands: Any) -> Any:
    return branches[int(np.clip(index, 0, len(branches) - 1))](*operands)


def leaves(part: Any) -> list[Any]:
    return flat(part)


def mapped(f: Callable[..., Any], *parts: Any) -> Any:
    """The structure of the first part, with what f makes of the leaves of all."""
    first = parts[0]
    if isinstance(first, list | tuple):
        return type(first)(mapped(f, *row) for row in zip(*parts, strict=True))
    return f(*parts)


def stacked(rows: Sequence[Any]) -> Any:
    return mapped(lambda *row: np.stack(row), *rows)


def map_(f: Any, xs: Any) -> Any:
    return stacked([f(mapped(lambda x, k=k: x[k], xs)) for k in range(len(leaves(xs)[0]))])


def vectorize(pyfunc: Any, *, excluded: Any = None, signature: Any = None) -> Any:
    return np.vectorize(pyfunc, excluded=excluded, signature=signature)


def scan(
    f: Any, init: Any, xs: Any = None, *, length: Any = None, reverse: Any = False, unroll: Any = 1
) -> Any:
    count = length if xs is None else len(leaves(xs)[0])
    carry, rows = init, []
    for k in reversed(range(count)) if reverse else range(count):
        carry, y = f(carry, None if xs is None else mapped(lambda x, k=k: x[k], xs))
        rows.append(y)
    return carry, stacked(rows[::-1] if reverse else rows) if rows else ()


def while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None) -> Any:
    several, count = isinstance(loop_vars, list | tuple), 0
    held = loop_vars if several else [loop_vars]
    while cond(*held) and count != maximum_iterations:
        held = body(*held) if several else [body(*held)]
        count += 1
    return held if several else held[0]


def fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Any) -> Any:
    return reduce(lambda state, turn: body_fun(turn, state), range(lower, upper), init_val)


def associative_scan(f: Any, elems: Any, reverse: Any = False, axis: Any = 0) -> Any:
    rows = mapped(lambda x: np.moveaxis(x, axis, 0), elems)
    parts = [mapped(lambda x, k=k: x[k], rows) for k in range(len(leaves(rows)[0]))]
    parts = parts[::-1] if reverse else parts
    prefixes = [reduce(f, parts[: k + 1]) for k in range(len(parts))]
    whole = stacked(prefixes[::-1] if reverse else prefixes)
    return mapped(lambda x: np.moveaxis(x, 0, axis), whole)


def convert_to_tensor(x: Any, dtype: Any = None) -> Any:
    return np.asarray(x, dtype)


def is_tensor(x: Any) -> bool:
    return isinstance(x, np.ndarray)


def jvp(fun: Any, primals: Any, tangents: Any, has_aux: Any = False) -> Any:
    """By differences of a polynomial of the second degree, which are exact."""
    result, *others = fun(*primals) if has_aux else (fun(*primals),)
    ahead = fun(*(p + t for p, t in zip(primals, tangents, strict=True)))
    behind = fun(*(p - t for p, t in zip(primals, tangents, strict=True)))
    sides = (ahead[0], behind[0]) if has_aux else (ahead, behind)
    return result, mapped(lambda a, b: ((a - b) / 2).astype(a.dtype), *sides), *others


RIGHT: Functions = {
    "cond": cond,
    "switch": switch,
    "map": map_,
    "vectorized_map": map_,
    "vectorize": vectorize,
    "scan": scan,
    "while_loop": while_loop,
    "fori_loop": fori_loop,
    "associative_scan": associative_scan,
    "convert_to_tensor": convert_to_tensor,
    "array": convert_to_tensor,
    "convert_to_numpy": np.array,
    "is_tensor": is_tensor,
    "dtype": lambda x: str(x.dtype),
    "shape": lambda x: x.shape,
    "get_item": lambda x, key: x[key],
    "jvp": jvp,
    "polar": lambda size, angle: size * np.exp(np.complex64(1j) * angle),
    "view_as_complex": lambda x: x[..., 0] + np.complex64(1j) * x[..., 1],
}


def weakly(f: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A Python number takes the dtype of the array beside it, as in NumPy 2, on NumPy 1, too."""

    def called(x: Any, y: Any) -> Any:
        return f(_beside(x, y), _beside(y, x))

    return called


def _beside(x: Any, other: Any) -> Any:
    number = type(x) in _HOLD and isinstance(other, np.ndarray | np.generic)
    return other.dtype.type(x) if number and other.dtype.kind in _HOLD[type(x)] else x


_HOLD = {bool: "biufc", int: "iufc", float: "fc"}
OTHERS: Functions = {
    **{
        name: weakly(getattr(np, name))
        for name in ("add", "subtract", "multiply", "maximum", "less")
    },
    **{
        name: getattr(np, name)
        for name in (
            *("square", "sum", "max", "argmax", "cumsum", "expand_dims", "flip", "matmul"),
            *("moveaxis", "reshape", "roll", "sort", "swapaxes", "take", "tile", "transpose"),
        )
    },
    "conv": lambda x, kernel: np.stack([_convolved(image, kernel) for image in x]),
    "max_pool": lambda x, size, strides: np.stack([_pooled(image, size, strides) for image in x]),
}


def _convolved(image: Any, kernel: Any) -> Any:
    """One image, channels last, without padding."""
    *_, channels, results = kernel.shape
    sums = [
        sum(
            signal.correlate(image[..., c], kernel[..., c, result], "valid", "direct")
            for c in range(channels)
        )
        for result in range(results)
    ]
    return np.stack(sums, -1)


def _pooled(image: Any, size: int, strides: int) -> Any:
    """The largest elements of the windows of one image, channels last, without padding."""
    counts = [(length - size) // strides + 1 for length in image.shape[:-1]]
    pooled = np.empty((*counts, image.shape[-1]), image.dtype)
    for place in np.ndindex(*counts):
        window = tuple(slice(k * strides, k * strides + size) for k in place)
        pooled[place] = image[window].max(axis=tuple(range(len(place))))
    return pooled


LEFT_OUT = {"placeholder", "compiled", "docstring_example"}
"""Functions of programs that call no function on NumPy."""


@cache
def scenarios(name: str, examples: int = 80) -> list[Scenario]:
    """Scenarios of a function whose tensors are not symbolic, not compiled, and not refused."""
    return [*_scenarios(name, examples)]


def _scenarios(name: str, examples: int) -> Iterator[Scenario]:
    for family in families_of(f"keras.ops.{name}", "keras-3"):
        scenarios = family.make("keras-3")
        for scenario in (
            scenarios if isinstance(scenarios, Sequence) else _drawn(scenarios, examples)
        ):
            called = {step.function for step in scenario.program.steps}
            text = str(scenario.program)
            refused = any(step.attempt for step in scenario.program.steps)
            left_out = called & LEFT_OUT or "keras.config" in text
            if not (refused or left_out or "bfloat16" in text):
                yield scenario


def _drawn(strategy: SearchStrategy[Scenario], examples: int) -> list[Scenario]:
    """Drawn as the plan of a run draws them."""
    draws = distinct_draws(
        strategy, lambda scenario: ScenarioTrial(scenario, scenario.function).key, examples, 1
    )
    return [draw.value for draw in draws.draws]


def scenarios_in(families: Sequence[Family], name: str) -> list[Scenario]:
    """All scenarios that families without a draw have of a function."""
    own = [family for family in families if family.function == f"keras.ops.{name}"]
    return [s for family in own for s in family.make("keras-3")]  # type: ignore[union-attr]


def problems_in(
    families: Sequence[Family], name: str, function: Callable[..., Any]
) -> list[Problem]:
    """What is wrong with a function in any of them."""
    scenarios = scenarios_in(families, name)
    return [p for scenario in scenarios for p in problems_of(scenario, {name: function})]


def problems_of(scenario: Scenario, changed: Functions) -> list[Problem]:
    """What is wrong with the functions, of which some are exchanged; an exception is, too."""
    functions = {**OTHERS, **RIGHT, **changed}
    names: dict[str, Any] = dict(scenario.arrays)
    try:
        _run(scenario.program.steps, names, functions)
    except Exception as error:
        return [Problem(f"raises {error!r}")]
    values = {name: tuple(map(_value, flat(names[name]))) for name in scenario.program.outputs}
    results = (check.test(*(values[o] for o in check.outputs)) for check in scenario.checks)
    return [problem for problem in results if problem is not None]


def _value(part: Any) -> Value:
    kind = type(part).__name__
    if isinstance(part, str) or part is None:
        return Value(None, kind, kind, text=part)
    array = np.asarray(part)
    return Value(array, array.dtype.name, kind)


def _run(steps: Sequence[Step], names: dict[str, Any], functions: Functions) -> None:
    for step in steps:
        args = [_resolved(argument, names, functions) for argument in step.args]
        kwargs = {k: _resolved(a, names, functions) for k, a in step.kwargs}
        call = partial(_function(step.function, functions), *args, **kwargs)
        names[step.result] = attempted(call) if step.attempt else call()


def _function(name: str, functions: Functions) -> Callable[..., Any]:
    if name.startswith("keras.ops."):
        return functions[name.removeprefix("keras.ops.")]
    known: Functions = {
        "constant": np.asarray,
        "eval": np.asarray,
        "int_shape": np.shape,
        COMPILED: lambda called, _, *args, **kwargs: _function(called, functions)(*args, **kwargs),
        "operator.getitem": lambda x, place: x[place],
        "complex_numbers": lambda pairs: pairs[..., 0] + 1j * pairs[..., 1],
        "real_part": np.real,
        "imaginary_part": np.imag,
    }
    return known[name] if name in known else CALLS[name]


def _resolved(argument: Argument, names: dict[str, Any], functions: Functions) -> Any:
    match argument:
        case Ref():
            return names[argument.name]
        case Made("int64", (number,)):
            return np.int64(number)
        case Made():
            return set(argument.items)
        case Function():
            return _closure(argument, names, functions)
        case list() | tuple():
            return type(argument)(_resolved(item, names, functions) for item in argument)
    return argument


def _closure(body: Function, outside: dict[str, Any], functions: Functions) -> Callable[..., Any]:
    def called(*args: Any) -> Any:
        names = {**outside, **dict(zip(body.parameters, args, strict=True))}
        _run(body.steps, names, functions)
        return _resolved(body.returns, names, functions)

    return called

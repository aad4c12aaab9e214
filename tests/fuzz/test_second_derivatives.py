"""Gradients of gradients: what is known of them, against PyTorch, and where nothing is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from conformance.editions import EDITIONS, Edition
from conformance.fuzz.bounds.course import Course, course
from conformance.fuzz.bounds.curvature import (
    BILINEAR,
    ELEMENTWISE,
    GROUPED,
    LINEAR,
    Bends,
    bends,
    places,
)
from conformance.fuzz.bounds.tensors import Known, Typed
from conformance.fuzz.programs import calls_of
from conformance.generators.classes import DTYPE
from conformance.generators.collect import steered
from conformance.generators.gradients import resolved
from conformance.generators.structure import Structure
from conformance.generators.values import Draw, draw_arrays
from conformance.oracle import ORACLES
from conformance.oracle.gradients import in_extended
from conformance.program import Argument, Binding, Input, Program, Ref, Step
from conformance.specs import load
from tests.bounds import gamma

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

Array = npt.NDArray[Any]
Tensor = Any
RNG = np.random.default_rng(0)
ROUNDINGS = 40
"""Of PyTorch, in a derivative of one call in float64: its elementary functions and its sums."""


# Single calls

OF_TORCH: Mapping[str, Callable[[Tensor], Tensor]] = {
    "square": torch.square,
    "exp": torch.exp,
    "log": torch.log,
    "sqrt": torch.sqrt,
    "sin": torch.sin,
    "cos": torch.cos,
    "pow": lambda x: x**3,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "softplus": torch.nn.functional.softplus,
    "abs": torch.abs,
    "relu": torch.relu,
    "softmax": lambda x: torch.softmax(x, -1),
    "logsumexp": lambda x: torch.logsumexp(x, 0),
    "var": lambda x: torch.var(x, 1, unbiased=False),
}
ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "pow": {"a": 3},
    "relu": {"alpha": 0.0, "max_value": None},
    "softmax": {"axis": -1},
    "logsumexp": {"axis": 0, "keepdims": False},
    "var": {"axis": 1, "keepdims": False},
}


def test_every_formula_is_compared() -> None:
    assert {*OF_TORCH} == {*ELEMENTWISE} | {*GROUPED}


@pytest.mark.parametrize("name", OF_TORCH)
def test_derivatives_of_single_calls_are_those_of_torch(name: str) -> None:
    for _ in range(20):
        x = RNG.normal(0, 2, (2, 3)) + 0.01
        x = np.abs(x) if name in ("log", "sqrt") else x
        derivatives = bends(
            name, in_extended({"x": x, **ARGUMENTS.get(name, {})}), {"x": 1e-9 * np.abs(x)}
        )
        point = torch.tensor(x)
        assert_near(derivatives.slopes, jacobian(OF_TORCH[name], point), derivatives.steps)
        for row in range(len(derivatives.slopes)):
            expected = torch.autograd.functional.hessian(one_of(OF_TORCH[name], row), point)
            assert_near(
                derivatives.seconds[row], expected.numpy().reshape(6, 6), derivatives.terms[row]
            )


def one_of(function: Callable[[Tensor], Tensor], row: int) -> Callable[[Tensor], Tensor]:
    return lambda x: function(x).reshape(-1)[row]


def jacobian(function: Callable[[Tensor], Tensor], x: Tensor) -> Array:
    matrix: Array = torch.autograd.functional.jacobian(function, x).numpy()
    return matrix.reshape(-1, x.numel())


def assert_near(result: Array, expected: Array, size: Array) -> None:
    # besides the roundings there is the conditioning of sums of exponentials, which is relative
    # to 1 where the arguments are
    assert (np.abs(result - expected) <= gamma(ROUNDINGS) * size).all()
    assert (np.abs(result) <= size * (1 + 1e-15)).all()


def calls(name: str) -> Iterator[Mapping[str, Any]]:
    """Arguments of a function, in extended precision."""
    edition: Edition = [e for e in EDITIONS if e in load()[name].editions][-1]
    for draw in steered(load()[name], edition, {DTYPE: "float64"}, 60, 0):
        structure: Structure = draw.value
        if structure.oracle != name or any(0 in i.shape for i in structure.program.inputs):
            continue
        arguments = resolved(structure.arguments, draw_arrays(structure, Draw("ordinary", 0)))
        yield in_extended(arguments)


@pytest.mark.parametrize("name", sorted(LINEAR | BILINEAR))
def test_what_is_said_to_be_linear_in_one_tensor_or_two_is(name: str) -> None:
    """f(x + d) is f(x) + J d + d T d / 2, however far away d is, but for roundings."""
    seen = 0
    for wide in calls(name):
        try:
            derivatives = bends(name, wide, {})
        except ValueError:  # there are many elements
            continue
        apart = {place: RNG.normal(0, 3, x.shape) for place, x in places(wide)}
        there = np.asarray(ORACLES[name](**_moved(wide, apart)), np.longdouble).reshape(-1)
        here = np.asarray(ORACLES[name](**wide), np.longdouble).reshape(-1)
        assert_expansion(derivatives, there - here, [d.reshape(-1) for d in apart.values()], here)
        seen += 1
    assert seen, name


def assert_expansion(
    derivatives: Bends, change: Array, apart: Sequence[Array], here: Array
) -> None:
    d = np.concatenate(apart)
    estimate = derivatives.slopes @ d + (derivatives.seconds @ d) @ d / 2
    size = (
        derivatives.steps @ np.abs(d) + (derivatives.terms @ np.abs(d)) @ np.abs(d) + np.abs(here)
    )
    assert (np.abs(change - estimate) <= gamma(ROUNDINGS) * (size + 1)).all()


def _moved(wide: Mapping[str, Any], apart: Mapping[Any, Array]) -> dict[str, Any]:
    def moved_value(name: str, value: Any) -> Any:
        if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
            return [x + apart[name, i] for i, x in enumerate(value)]
        return value + apart[name, None] if (name, None) in apart else value

    return {name: moved_value(name, value) for name, value in wide.items()}


# Programs


def step(result: str, function: str, *args: Argument, **kwargs: Argument) -> Step:
    return Step(result, function, args, tuple(kwargs.items()))


def gradient(result: str, loss: str, *names: str) -> list[Step]:
    asked = step(f"{result}_g", "gradients", Ref(loss), [Ref(n) for n in names])
    members = [
        step(f"{result}_{i}", "operator.getitem", Ref(asked.result), i) for i in range(len(names))
    ]
    return [asked, *members]


def program(dtype: str, shapes: Mapping[str, tuple[int, ...]], *steps: Step) -> Program:
    inputs = tuple(Input(n, s, dtype, Binding.PLACEHOLDER) for n, s in shapes.items())
    return Program(inputs, steps, (steps[-1].result,))


class Case:
    """A program of x and w, its first loss, and what is made of the gradient of that by x, as
    PyTorch computes them."""

    shapes: ClassVar[Mapping[str, tuple[int, ...]]]
    apart: float = 0
    """How far w is away from x."""

    def steps(self) -> list[Step]:
        raise NotImplementedError

    def loss(self, x: Tensor, w: Tensor) -> Tensor:
        raise NotImplementedError

    def outer(self, g: Tensor, x: Tensor, w: Tensor) -> Tensor:
        raise NotImplementedError


class Penalty(Case):
    shapes: ClassVar = {"x": (2, 2), "w": (2, 3)}

    def steps(self) -> list[Step]:
        return [
            step("y", "dot", Ref("x"), Ref("w")),
            step("h", "tanh", Ref("y")),
            step("q", "square", Ref("h")),
            step("l", "sum", Ref("q")),
            *gradient("g", "l", "x"),
            step("p", "square", Ref("g_0")),
            step("s", "sum", Ref("p")),
            *gradient("z", "s", "x", "w"),
        ]

    def loss(self, x: Tensor, w: Tensor) -> Tensor:
        return torch.tanh(x @ w).square().sum()

    def outer(self, g: Tensor, x: Tensor, w: Tensor) -> Tensor:
        return g.square().sum()


class Product(Case):
    """The Hessian times a matrix, which the loss is made of, too."""

    shapes: ClassVar = {"x": (2, 2), "w": (2, 2)}

    def steps(self) -> list[Step]:
        return [
            step("t", "concatenate", [Ref("x"), Ref("w")], axis=0),
            step("m", "softmax", Ref("t")),
            step("e", "exp", Ref("m")),
            step("l", "mean", Ref("e")),
            *gradient("g", "l", "x"),
            step("p", "dot", Ref("g_0"), Ref("w")),
            step("s", "sum", Ref("p")),
            *gradient("z", "s", "x", "w"),
        ]

    def loss(self, x: Tensor, w: Tensor) -> Tensor:
        return torch.softmax(torch.cat([x, w]), -1).exp().mean()

    def outer(self, g: Tensor, x: Tensor, w: Tensor) -> Tensor:
        return (g @ w).sum()


class Stopped(Case):
    """A part of the loss is held fixed."""

    shapes: ClassVar = {"x": (3,), "w": (3,)}
    apart = 4

    def steps(self) -> list[Step]:
        return [
            step("k", "sin", Ref("x")),
            step("c", "stop_gradient", Ref("k")),
            step("b", "stack", [Ref("c"), Ref("x"), Ref("w")]),
            step("v", "var", Ref("b"), axis=0),
            step("r", "sqrt", Ref("v")),
            step("l", "sum", Ref("r")),
            *gradient("g", "l", "x"),
            step("p", "sigmoid", Ref("g_0")),
            step("s", "sum", Ref("p")),
            *gradient("z", "s", "x", "w"),
        ]

    def loss(self, x: Tensor, w: Tensor) -> Tensor:
        parts = torch.stack([torch.sin(x).detach(), x, w])
        return torch.var(parts, 0, unbiased=False).sqrt().sum()

    def outer(self, g: Tensor, x: Tensor, w: Tensor) -> Tensor:
        return torch.sigmoid(g).sum()


CASES = (Penalty(), Product(), Stopped())
DRAWS = 20


def twice(case: Case, arrays: Mapping[str, Array], dtype: Any) -> list[Array]:
    """By a sweep back over a sweep back."""
    x, w = (torch.tensor(arrays[n], dtype=dtype, requires_grad=True) for n in "xw")
    (g,) = torch.autograd.grad(case.loss(x, w), [x], create_graph=True)
    return [d.numpy() for d in torch.autograd.grad(case.outer(g, x, w), [x, w])]


def pushed_forward(case: Case, arrays: Mapping[str, Array], dtype: Any) -> list[Array]:
    """By a sweep forwards over a sweep back: other operations, in another order."""
    tensors = {n: torch.tensor(arrays[n], dtype=dtype) for n in "xw"}

    def outer(x: Tensor, w: Tensor) -> Tensor:
        return case.outer(torch.func.grad(case.loss)(x, w), x, w)

    x, w = tensors.values()
    derivatives = torch.func.jacfwd(outer, argnums=(0, 1))(x, w)
    return [d.numpy() for d in derivatives]


def known(case: Case, arrays: Mapping[str, Array], dtype: str) -> list[Known]:
    """What is known without a cut, be it much or little."""
    composed = program(dtype, case.shapes, *case.steps())
    there = Course({}, {}, planned=False)
    there.begin({i.name: Typed(i.shape, (i.dtype,)) for i in composed.inputs}, arrays)
    for call in calls_of(composed, "keras-2.2"):
        there.add(call, "keras-2.2")
    return [there.known[name] for name in ("z_0", "z_1")]


def drawn(case: Case, dtype: str) -> Iterator[tuple[dict[str, Array], list[Known]]]:
    """Numbers, and what is known of the derivatives; all but few numbers have some."""
    middle, seen = {"x": 0, "w": case.apart}, 0
    for _ in range(DRAWS):
        arrays = {n: RNG.normal(middle[n], 1, s).astype(dtype) for n, s in case.shapes.items()}
        try:
            yield arrays, known(case, arrays, dtype)
        except ValueError:  # what bends much is taken for a kink
            continue
        seen += 1
    assert seen > DRAWS * 0.7


def off(exact: Known, got: Array) -> Array:
    return np.abs(exact.value.astype(np.longdouble) - got)


@pytest.mark.parametrize("case", CASES, ids=lambda c: type(c).__name__)
def test_second_derivatives_are_those_of_torch(case: Case) -> None:
    for arrays, expected in drawn(case, "float64"):
        for exact, right in zip(expected, twice(case, arrays, torch.float64), strict=True):
            assert (off(exact, right) <= 1e-12 * max(exact.scale, 1)).all()


@pytest.mark.parametrize("case", CASES, ids=lambda c: type(c).__name__)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_computed_in_another_order_is_within_the_bound(case: Case, dtype: str) -> None:
    kind, tight = getattr(torch, dtype), []
    for arrays, expected in drawn(case, dtype):
        for answers in (twice(case, arrays, kind), pushed_forward(case, arrays, kind)):
            for exact, got in zip(expected, answers, strict=True):
                assert (off(exact, got) <= exact.reach).all()
                tight.append(exact.reach.max() / exact.scale)
    assert np.median(tight) < 3 * np.sqrt(np.finfo(dtype).eps), "about half of the digits"


@pytest.mark.parametrize("case", CASES, ids=lambda c: type(c).__name__)
def test_what_lacks_a_term_is_beyond_the_bound(case: Case) -> None:
    """The derivatives where w is zero: the terms that w is a factor of are missing."""
    for arrays, expected in drawn(case, "float32"):
        fixed = {**arrays, "w": np.zeros_like(arrays["w"])}
        wrong = twice(case, fixed, torch.float64)
        pairs = zip(expected, wrong, strict=True)
        assert any((off(exact, got) > exact.reach).any() for exact, got in pairs)


def test_nothing_is_known_of_what_a_gradient_may_be_computed_of() -> None:
    """The slope of exp(x) may be computed of x, or of exp(x)."""
    steps = [
        step("e", "exp", Ref("x")),
        step("q", "square", Ref("e")),
        step("l", "sum", Ref("q")),
        *gradient("g", "l", "x", "e"),
    ]
    x = {"x": np.array([0.5, 1], "float32")}

    def again(of: str, by: str) -> Known:
        chain = [*steps, step("s", "sum", Ref(of)), *gradient("z", "s", by)]
        return course(program("float32", {"x": (2,)}, *chain), x, "keras-2.2").known["z_0"]

    with pytest.raises(ValueError, match="the tensors behind a gradient are not known"):
        again("g_0", "e")
    assert off(again("g_0", "x"), 4 * np.exp(2 * x["x"].astype("float64"))).max() < 1e-5
    assert off(again("g_1", "x"), 2 * np.exp(x["x"].astype("float64"))).max() < 1e-5
    assert off(again("g_1", "e"), np.array([2, 2])).max() == 0


@pytest.mark.parametrize("function", ["sign", "elu", "softsign", "prod", "identity"])
def test_a_second_derivative_is_not_there_or_not_known(function: str) -> None:
    chain = [
        step("y", function, Ref("x")),
        step("l", "sum", Ref("y")),
        *gradient("g", "l", "x"),
        step("p", "square", Ref("g_0")),
        step("s", "sum", Ref("p")),
        *gradient("z", "s", "x"),
    ]
    x = {"x": np.array([0.5, 1], "float32")}
    with pytest.raises((ValueError, KeyError)):
        course(program("float32", {"x": (2,)}, *chain), x, "keras-2.2")


def test_nothing_is_known_near_a_kink_and_of_third_derivatives() -> None:
    def asked(*numbers: float) -> Known:
        chain = [
            step("y", "abs", Ref("x")),
            step("q", "pow", Ref("y"), 4),
            step("l", "sum", Ref("q")),
            *gradient("g", "l", "x"),
            step("s", "sum", Ref("g_0")),
            *gradient("z", "s", "x"),
        ]
        x = {"x": np.asarray(numbers, "float32")}
        return course(program("float32", {"x": (2,)}, *chain), x, "keras-2.2").known["z_0"]

    assert off(asked(1, -2), np.array([12, 48])).max() < 1e-4
    with pytest.raises(ValueError, match="may not depend"):
        asked(1, 0)
    third = [
        step("q", "pow", Ref("x"), 4),
        step("l", "sum", Ref("q")),
        *gradient("g", "l", "x"),
        step("s", "sum", Ref("g_0")),
        *gradient("z", "s", "x"),
        step("t", "sum", Ref("z_0")),
        *gradient("a", "t", "x"),
    ]
    with pytest.raises(ValueError, match="may not depend"):
        course(program("float32", {"x": (2,)}, *third), {"x": np.ones(2, "float32")}, "keras-2.2")

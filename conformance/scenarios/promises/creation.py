"""What the makers of tensors promise: variables, tensors of symbolic shape, names, constraints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from conformance.editions import EDITIONS, Edition
from conformance.program import Argument, Ref
from conformance.program.marks import MAYBE
from conformance.results import Aspect
from conformance.scenarios.checks import has_shape, is_array, is_one_of, plain, returns
from conformance.scenarios.making import listed, written
from conformance.scenarios.model import Alternative, Array, Check, Family, Problem, Scenario, Values
from conformance.scenarios.writing import FunctionWriter, ProgramWriter
from conformance.specs.convention_names import ConventionName

NEWER: tuple[Edition, ...] = ("keras-2.0", "keras-2.2")
NEWEST: tuple[Edition, ...] = ("keras-2.2",)
Lines = Mapping[str, int]

NEW = np.array([[5.0, -6.0], [7.5, 8.0]], "float32")
MATRIX = np.array([[1.0, -2.0], [3.5, 4.0]], "float32")


def _after(
    name: str, outputs: Sequence[str], test: Any, demands: str, at: Lines, **more: Any
) -> Check:
    return Check(
        name, Aspect.VALUE, outputs=tuple(outputs), test=test, demands=demands, at=at, **more
    )


@dataclass(frozen=True)
class Maker:
    """A function that makes a variable of shape (2, 2)."""

    function: str
    _: KW_ONLY
    arguments: tuple[Argument, ...]
    variable: Lines
    """The lines that call the result a variable."""
    fresh: Array | None = None
    """What the variable holds; None if it is random."""

    @property
    def editions(self) -> tuple[Edition, ...]:
        """Those whose documents call the result a variable."""
        return EDITIONS if "ja-1" in self.variable else NEWER


MAKERS: tuple[Maker, ...] = (
    Maker(
        "variable",
        arguments=(Ref("start"),),
        variable={"ja-1": 226, "ja-1-text": 161, "ja-2.0": 1365, "ko-2.2": 213},
        fresh=MATRIX,
    ),
    Maker(
        "zeros",
        arguments=((2, 2),),
        variable={"ja-1": 326, "ja-1-text": 221, "ja-2.0": 656, "zh-TW": 84, "ko-2.2": 567},
        fresh=np.zeros((2, 2), "float32"),
    ),
    Maker(
        "ones",
        arguments=((2, 2),),
        variable={"ja-1": 338, "ja-1-text": 228, "ja-2.0": 687, "zh-TW": 86, "ko-2.2": 602},
        fresh=np.ones((2, 2), "float32"),
    ),
    Maker(
        "eye",
        arguments=(2,),
        variable={"ja-2.0": 718, "ko-2.2": 637},
        fresh=np.eye(2, dtype="float32"),
    ),
    Maker(
        "random_uniform_variable",
        arguments=((2, 2), 0.0, 1.0),
        variable={"ja-2.0": 832, "zh-TW": 508, "ko-2.2": 763},
    ),
    Maker(
        "random_normal_variable",
        arguments=((2, 2), 0.0, 1.0),
        variable={"ja-2.0": 868, "ko-2.2": 800},
    ),
)


def _given(control: Any, *checks: Check) -> tuple[Check, ...]:
    """The checks, where `set_value` could at least set a variable made by `variable`.

    Their first output is then "control".
    """

    def guarded(check: Check) -> Check:
        def test(known: Values, *values: Values) -> Problem | None:
            if control(known) is None:
                return check.test(*values)
            gives = "shows nothing, because set_value fails for any variable"
            return Problem(gives, "set_value", unmade=True)

        return replace(check, outputs=("control", *check.outputs), test=test)

    return tuple(map(guarded, checks))


def _is_variable(maker: Maker, _edition: Edition) -> list[Scenario]:
    """The result can be set and read; a second one keeps its own value."""
    w = ProgramWriter()
    w.array("start", MATRIX)
    new = w.array("new", NEW)
    usual = w.call("variable", w.array("other", MATRIX), dtype="float32")
    w.attempt("control", "set_value", usual, new)
    first, second = (w.call(maker.function, *maker.arguments, dtype="float32") for _ in range(2))
    w.observe("before", "eval", second)
    w.attempt("set", "set_value", first, new)
    w.observe("value", "eval", first)
    w.observe("result", "eval", w.call("square", first))
    w.observe("second", "eval", second)
    at, demands = maker.variable, "a variable, which set_value sets"
    checks = [
        _after("it can be set", ["set"], _settable, demands, at),
        _after("it is a variable", ["set", "value"], _if_set(NEW), "the value that was set", at),
        _after("results follow it", ["set", "result"], _if_set(NEW**2), "the square of it", at),
        _after("each is its own", ["before", "second"], _same, "the value of the second", at),
    ]
    if maker.fresh is not None:
        test, shown = is_array(maker.fresh), f"{maker.fresh.tolist()}"
        checks.append(_after("its first value", ["before"], test, shown, at))
    title = "a variable that is set"
    return [written(maker.function, title, w, *_given(returns, *checks))]


def _settable(values: Values) -> Problem | None:
    problem = returns(values)
    if problem is None:
        return None
    fault = "values[1][0] != 'returns'"
    return replace(problem, gives=f"gives what set_value refuses: it {problem.gives}", fault=fault)


def _if_set(wanted: Array) -> Any:
    """A test of what a variable holds after it was set; another check sees if that was refused."""

    def test(was_set: Values, value: Values) -> Problem | None:
        return None if plain(was_set) != "returns" else _last(is_array(wanted)(value))

    return test


def _last(problem: Problem | None) -> Problem | None:
    """A problem of the last of several outputs, for the script."""
    if problem is None or problem.expected is None:
        return problem
    wanted = np.asarray(problem.expected).tolist()
    return replace(problem, fault=f"not same(measured(values[-1][0]), {wanted!r})")


def _same(before: Values, after: Values) -> Problem | None:
    if before[0].array is None or after[0].array is None:
        return Problem("gives no array", "no array")
    return _last(is_array(before[0].array)(after))


def _symbolic(function: str, _edition: Edition) -> Iterator[Scenario]:
    """A tensor of the shape that another tensor has when it is computed."""
    value, line = {"zeros": (0.0, 568), "ones": (1.0, 603)}[function]
    w = ProgramWriter()
    x = w.call("placeholder", shape=(None, 3), dtype="float32")
    made = w.call(function, w.call("shape", x))
    compiled = w.call("function", [x], [w.call("square", made)])
    checks = []
    for rows in (2, 4):
        fed = np.arange(3.0 * rows).reshape(rows, 3).astype("float32")
        called = w.call("operator.call", compiled, [w.array(f"fed_{rows}", fed)])
        w.observe(f"of_{rows}", "operator.getitem", called, 0)
        wanted = np.full((rows, 3), value, "float32")  # the square of 0 or 1
        checks.append(_filled(f"of_{rows}", wanted, line))
    yield written(function, "the shape of a placeholder", w, *checks)
    w = ProgramWriter()
    x = w.call("variable", w.array("x", MATRIX), dtype="float32")
    w.observe("value", "eval", w.call(function, w.call("shape", x)))
    wanted = np.full(MATRIX.shape, value, "float32")
    yield written(function, "the shape of a variable", w, _filled("value", wanted, line))


def _filled(output: str, wanted: Array, line: int) -> Check:
    demands = f"a tensor of shape {wanted.shape}, which is known when it is computed"
    return _after("a symbolic shape", [output], is_array(wanted), demands, {"ko-2.2": line})


NAME: dict[str, Lines] = {
    "variable": {"ja-1": 222, "ja-1-text": 157, "ja-2.0": 1361, "zh-TW": 303, "ko-2.2": 207},
    "constant": {"ja-2.0": 430, "ko-2.2": 247},
    "zeros": {"ja-1": 322, "ja-1-text": 219, "ja-2.0": 652, "zh-TW": 435, "ko-2.2": 563},
    "ones": {"ja-1": 334, "ja-1-text": 226, "ja-2.0": 683, "zh-TW": 449, "ko-2.2": 598},
    "eye": {"ja-1": 346, "ja-1-text": 233, "ja-2.0": 714, "zh-TW": 463, "ko-2.2": 633},
    "zeros_like": {"ja-1": 358, "ja-1-text": 240, "ja-2.0": 745, "zh-TW": 478, "ko-2.2": 668},
    "ones_like": {"ja-1": 370, "ja-1-text": 247, "ja-2.0": 776, "zh-TW": 492, "ko-2.2": 702},
    "identity": {"ko-2.2": 734},
}
"""The lines that name the parameter `name`: it labels a tensor, and changes nothing else."""

FILLED: dict[str, tuple[tuple[Argument, ...], Array]] = {
    "variable": ((Ref("start"),), MATRIX),
    "constant": ((Ref("start"),), MATRIX),
    "zeros": (((2, 2),), np.zeros((2, 2), "float32")),
    "ones": (((2, 2),), np.ones((2, 2), "float32")),
    "eye": ((2,), np.eye(2, dtype="float32")),
    "zeros_like": ((Ref("x"),), np.zeros((2, 2), "float32")),
    "ones_like": ((Ref("x"),), np.ones((2, 2), "float32")),
    "identity": ((Ref("x"),), MATRIX),
}
"""For each function its arguments, and what they give."""
LABEL = "example_var"


def _named(function: str, _edition: Edition) -> list[Scenario]:
    """Two tensors of one name, and one without, hold what they should."""
    arguments, wanted = FILLED[function]
    w = ProgramWriter()
    start = w.array("start", MATRIX)
    if Ref("x") in arguments:
        x = w.call("variable", start, dtype="float32")
        arguments = tuple(x if a == Ref("x") else a for a in arguments)
    made = [w.call(function, *arguments, name=LABEL) for _ in range(2)]
    made.append(w.call(function, *arguments))
    checks = []
    for place, one in enumerate(made):
        w.observe(f"value_{place}", "eval", one)
        demands = f"{wanted.tolist()}: a name changes no value"
        test, at = is_array(wanted), NAME[function]
        checks.append(_after("a named tensor", [f"value_{place}"], test, demands, at))
    return [written(function, f"two tensors named {LABEL}", w, *checks)]


def _named_variables(_edition: Edition) -> list[Scenario]:
    """Two variables of one name are two variables."""
    w = ProgramWriter()
    start = w.array("start", MATRIX)
    first, second = (w.call("variable", start, dtype="float32", name=LABEL) for _ in range(2))
    w.call("set_value", first, w.array("new", NEW))
    w.observe("first", "get_value", first)
    w.observe("second", "get_value", second)
    at = NAME["variable"]
    return [
        written(
            "variable",
            f"two variables named {LABEL}, one of them set",
            w,
            _after("the one that is set", ["first"], is_array(NEW), "the new value", at),
            _after("the other", ["second"], is_array(MATRIX), "its own value", at),
        )
    ]


PLACEHOLDER_NAME: Lines = {
    "ja-1": 248, "ja-1-text": 175, "ja-2.0": 452, "zh-TW": 330, "ko-2.2": 335,
}  # fmt: skip
BOTH: Lines = {"ja-1": 246, "ja-1-text": 173, "ja-2.0": 449, "zh-TW": 328, "ko-2.2": 332}


def _placeholders(_edition: Edition) -> Iterator[Scenario]:
    """With a name; and with a shape and an `ndim` that does not fit, where the shape counts."""
    yield _fed("two placeholders of one name", PLACEHOLDER_NAME, {"shape": (2, 2), "name": LABEL})
    for shape in ((2, 2), (None, 2)):
        given: dict[str, Argument] = {"shape": shape, "ndim": 3}
        yield _fed(f"a shape {shape} and ndim=3", BOTH, given)
    yield _fed("a shape (2, 2) and ndim=2", BOTH, {"shape": (2, 2), "ndim": 2})


def _fed(title: str, at: Lines, given: Mapping[str, Argument]) -> Scenario:
    w = ProgramWriter()
    x, y = (w.call("placeholder", dtype="float32", **given) for _ in range(2))
    w.observe("rank", "ndim", x)
    outputs: list[Argument] = [w.call("operator.add", x, w.call("operator.mul", y, 2.0))]
    function = w.call("function", [x, y], outputs)
    called = w.call("operator.call", function, [w.array("of_x", MATRIX), w.array("of_y", NEW)])
    w.observe("total", "operator.getitem", called, 0)
    return written(
        "placeholder",
        title,
        w,
        _after("the number of axes", ["rank"], is_one_of(2), "2 axes, those of the shape", at),
        _after("what is fed", ["total"], is_array(MATRIX + 2 * NEW), "the sum of both", at),
    )


def _told_apart(_edition: Edition) -> Iterator[Scenario]:
    """What `placeholder` makes is one, where `is_placeholder` tells a variable from one."""
    w = ProgramWriter()
    made = w.call("placeholder", shape=(2, 2), dtype="float32")
    other = w.call("variable", w.array("start", MATRIX), dtype="float32")
    for name, tensor in (("variable", other), ("placeholder", made)):
        w.observe(name, f"{MAYBE}is_placeholder", tensor)

    def test(variable: Values, placeholder: Values) -> Problem | None:
        if plain(variable) is not False or plain(placeholder) is not False:
            return None
        fault = "values[0][0] is False and values[1][0] is False"
        return Problem("gives False", "False", got="False", fault=fault)

    demands = "True of is_placeholder, which says False of a variable"
    check = _after("it is one", ["variable", "placeholder"], test, demands, IS_PLACEHOLDER)
    yield written("placeholder", "whether it is a placeholder", w, check)


IS_PLACEHOLDER: Lines = {"ko-2.2": 324}
LISTED: Lines = {"ja-2.0": 427, "ko-2.2": 244}
DIMENSIONS: Lines = {"ja-2.0": 429, "ko-2.2": 246}
ROWS: tuple[tuple[str, Argument, tuple[int, ...] | None, Any], ...] = (
    ("a list", [1.5, -2.0, 3.0], None, [1.5, -2.0, 3.0]),
    ("a list of lists", [[1.5, -2.0], [3.0, 4.0]], None, [[1.5, -2.0], [3.0, 4.0]]),
    ("a list of integers", [1, 2, 3], None, [1.0, 2.0, 3.0]),
    ("a list and its shape", [1.5, -2.0, 3.0], (3,), [1.5, -2.0, 3.0]),
    ("a list of lists and its shape", [[1.5, -2.0]], (1, 2), [[1.5, -2.0]]),
    ("a number and a shape", 2.5, (2, 3), np.full((2, 3), 2.5)),
    ("a number and a shape of one axis", -3, (4,), np.full(4, -3.0)),
)
"""Values of a constant, its shape, and what it holds."""


def _constants(_edition: Edition) -> Iterator[Scenario]:
    """Constants of lists, and of numbers that fill a shape."""
    for title, value, shape, wanted in ROWS:
        at = LISTED if shape is None else DIMENSIONS
        yield _constant(title, value, shape, np.asarray(wanted, "float32"), at)
    flat = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    wanted = np.reshape(np.asarray(flat, "float32"), (2, 3))
    columns = Alternative(
        ConventionName.CONSTANT_ROWS,
        "by columns",
        is_array(np.reshape(np.asarray(flat), (2, 3), order="F")),
    )
    made = _constant("a list of as many numbers as a shape has", flat, (2, 3), wanted, DIMENSIONS)
    (check,) = made.checks
    yield replace(
        made,
        checks=(replace(check, alternatives=(columns,)),),
        conventions=(ConventionName.CONSTANT_ROWS,),
    )


def _constant(
    title: str, value: Argument, shape: tuple[int, ...] | None, wanted: Array, at: Lines
) -> Scenario:
    w = ProgramWriter()
    given: dict[str, Argument] = {} if shape is None else {"shape": shape}
    w.observe("value", "eval", w.call("constant", value, **given))
    check = _after("its value", ["value"], is_array(wanted), f"{wanted.tolist()}", at)
    return written("constant", title, w, check)


FIXED: Lines = {"ja-2.0": 434, "ko-2.2": 251}


def _unchangeable(_edition: Edition) -> Iterator[Scenario]:
    """A constant keeps its value, whatever comes of setting it."""
    w = ProgramWriter()
    made = w.call("constant", w.array("start", MATRIX), dtype="float32")
    w.attempt("set", "set_value", made, w.array("new", NEW))
    w.observe("value", "eval", made)
    kept = is_array(MATRIX)

    def test(_set: Values, value: Values) -> Problem | None:
        return _last(kept(value))

    demands = f"{MATRIX.tolist()} as before: it is a constant"
    check = _after("a constant is not set", ["set", "value"], test, demands, FIXED)
    yield written("constant", "a constant and set_value", w, check)


RANDOM_NAME: dict[str, Lines] = {
    "random_uniform_variable": {"ja-2.0": 827, "zh-TW": 516, "ko-2.2": 758},
    "random_normal_variable": {"ja-2.0": 863, "ko-2.2": 795},
}


def _named_random(function: str, _edition: Edition) -> Iterator[Scenario]:
    """Random variables take a name, too."""
    w = ProgramWriter()
    made = w.call(function, (2, 2), 0.0, 1.0, name=LABEL)
    w.observe("value", "get_value", made)
    test, at = has_shape((2, 2)), RANDOM_NAME[function]
    check = _after("a named variable", ["value"], test, "a variable of shape (2, 2)", at)
    yield written(function, f"a variable named {LABEL}", w, check)


CONSTRAINT: Lines = {"ko-2.2": 208}


def _projection(w: ProgramWriter) -> Argument:
    """A projection to numbers from zero upwards, for `constraint`."""
    del w
    body = FunctionWriter("projected", "w")
    return body.returning(body.call("relu", Ref("w")))


def _constrained(_edition: Edition) -> list[Scenario]:
    """A constraint changes nothing but what an optimiser has updated."""
    w = ProgramWriter()
    start = w.array("start", MATRIX)
    made = w.call("variable", start, dtype="float32", constraint=_projection(w))
    w.observe("before", "get_value", made)
    w.call("set_value", made, w.array("new", -NEW))
    w.observe("after", "get_value", made)
    at, kept = CONSTRAINT, "as it was given: only optimisers apply the constraint"
    checks = (
        _after("the first value", ["before"], is_array(MATRIX), f"{MATRIX.tolist()}, {kept}", at),
        _after("the value set", ["after"], is_array(-NEW), f"{(-NEW).tolist()}, {kept}", at),
    )
    return [written("variable", "a constraint before any update", w, *checks), _optimised()]


def _optimised() -> Scenario:
    """One step of gradient descent: the constrained variable is projected, the other is not."""
    w = ProgramWriter()
    start = w.array("start", [-1.0, 2.0], "float32")
    free = w.call("variable", start, dtype="float32")
    bound = w.call("variable", start, dtype="float32", constraint=_projection(w))
    loss = w.call("sum", w.call("operator.add", free, bound))
    descent = w.call("keras.optimizers.SGD", lr=0.5)
    updates = w.call("operator.attribute", descent, "get_updates")
    made = w.call("operator.call", updates, loss=loss, params=[free, bound])
    step = w.call("function", [], [loss], made)
    w.call("operator.call", step, [])
    w.observe("free", "get_value", free)
    w.observe("bound", "get_value", bound)
    moved = np.array([-1.5, 1.5], "float32")
    projected = np.array([0.0, 1.5], "float32")

    def test(unbound: Values, values: Values) -> Problem | None:
        if is_array(moved)(unbound) is not None:
            return Problem("shows nothing: the optimiser does another step", "step", unmade=True)
        return _last(is_array(projected)(values))

    demands = f"{projected.tolist()}: the update is projected"
    check = _after("an update is projected", ["free", "bound"], test, demands, CONSTRAINT)
    return written("variable", "a constraint and an optimiser", w, check)


def _naming(function: str) -> tuple[Edition, ...]:
    if function == "identity":
        return NEWEST
    return EDITIONS if "ja-1" in NAME[function] else NEWER


FAMILIES: tuple[Family, ...] = (
    *(listed(m.function, partial(_is_variable, m), editions=m.editions) for m in MAKERS),
    *(listed(name, partial(_symbolic, name), editions=NEWEST) for name in ("zeros", "ones")),
    *(listed(name, partial(_named, name), editions=_naming(name)) for name in NAME),
    listed("variable", _named_variables),
    listed("placeholder", _placeholders),
    listed("placeholder", _told_apart, editions=NEWEST),
    listed("constant", _constants, editions=NEWER),
    listed("constant", _unchangeable, editions=NEWER),
    *(listed(name, partial(_named_random, name), editions=NEWER) for name in RANDOM_NAME),
    listed("variable", _constrained, editions=NEWEST),
)

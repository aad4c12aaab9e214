"""What the library says of a tensor: kind, static shape, rank, dtype and number of elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.editions import EDITIONS, Edition
from conformance.program import Ref
from conformance.results import Aspect
from conformance.scenarios import checks
from conformance.scenarios.composites import composite
from conformance.scenarios.model import Alternative, Check, Family, Problem, Scenario, Values
from conformance.scenarios.writing import ProgramWriter
from conformance.specs import Document
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

NEWER = EDITIONS[1:]
NEWEST = EDITIONS[2:]
DOCUMENTED = ("float32", "float64")
OTHERS = ("float16", "int32", "int64", "uint8", "bool")

Dims = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class MadeTensor:
    """A tensor that a program has made, and what is known of it."""

    ref: Ref
    shape: Dims
    _: KW_ONLY
    dtype: str
    what: str
    conventions: tuple[str, ...]


@composite
def _shapes(draw: st.DrawFn, ranks: tuple[int, int]) -> tuple[int, ...]:
    sizes = st.sampled_from((2, 3, 1, 4, 2, 3, 5, 0))
    low, high = ranks
    rank = draw(st.sampled_from([r for r in (2, 3, 1, 4, 2, 3, 0, 5) if low <= r <= high]))
    return tuple(draw(sizes) for _ in range(rank))


def _variable(w: ProgramWriter, draw: Any, shape: tuple[int, ...], dtype: str) -> tuple[Ref, Dims]:  # noqa: ARG001
    return w.call("variable", w.array("value", np.zeros(shape), dtype), dtype=dtype), shape


def _constant(w: ProgramWriter, draw: Any, shape: tuple[int, ...], dtype: str) -> tuple[Ref, Dims]:  # noqa: ARG001
    return w.call("constant", w.array("value", np.zeros(shape), dtype), dtype=dtype), shape


def _placeholder(
    w: ProgramWriter,
    draw: Any,  # noqa: ARG001
    shape: tuple[int, ...],
    dtype: str,
) -> tuple[Ref, Dims]:
    return w.call("placeholder", shape=shape, dtype=dtype), shape


def _open(w: ProgramWriter, draw: Any, shape: tuple[int, ...], dtype: str) -> tuple[Ref, Dims]:
    """A placeholder with some dimensions unknown."""
    known = tuple(None if draw(st.booleans()) else d for d in shape)
    return w.call("placeholder", shape=known, dtype=dtype), known


def _ranked(w: ProgramWriter, draw: Any, shape: tuple[int, ...], dtype: str) -> tuple[Ref, Dims]:  # noqa: ARG001
    """A placeholder of which only the rank is known."""
    return w.call("placeholder", ndim=len(shape), dtype=dtype), (None,) * len(shape)


def _result(w: ProgramWriter, draw: Any, shape: tuple[int, ...], dtype: str) -> tuple[Ref, Dims]:
    """The result of an operation on a placeholder."""
    known = tuple(None if draw(st.booleans()) else d for d in shape)
    x = w.call("placeholder", shape=known, dtype=dtype)
    operation = draw(st.sampled_from(list(_OPERATIONS) if len(shape) > 1 else ["maximum"]))
    return _OPERATIONS[operation](w, x, known)


_OPERATIONS: dict[str, Callable[[ProgramWriter, Ref, Dims], tuple[Ref, Dims]]] = {
    "maximum": lambda w, x, s: (w.call("maximum", x, x), s),
    "expand_dims": lambda w, x, s: (w.call("expand_dims", x, 1), (s[0], 1, *s[1:])),
    "permute": lambda w, x, s: (
        w.call("permute_dimensions", x, tuple(reversed(range(len(s))))),
        s[::-1],
    ),
    "max": lambda w, x, s: (w.call("max", x, axis=1), (s[0], *s[2:])),
}

KINDS: dict[str, Callable[..., tuple[Ref, Dims]]] = {
    "a variable": _variable,
    "a placeholder": _placeholder,
    "a placeholder with unknown dimensions": _open,
    "a placeholder of known rank": _ranked,
    "a constant": _constant,
    "a result": _result,
}
"""How tensors are made."""

RANKED = ("a placeholder of known rank", "a result")
"""The kinds of tensors for which rank 0 would show nothing."""

KNOWN = ("a variable", "a placeholder", "a constant")
"""The kinds of tensors whose dimensions are all known."""


def _make(
    draw: Any,
    w: ProgramWriter,
    edition: Edition,
    kinds: Sequence[str],
    dtypes: Sequence[str] = DOCUMENTED,
) -> MadeTensor:
    """A tensor of one of these kinds."""
    offered = [k for k in kinds if k != "a constant" or edition != "keras-1"]
    what = draw(st.sampled_from(offered))
    shape = draw(_shapes((1 if what in RANKED else 0, 5)))
    if what == "a result":  # whether an operation takes no elements is tested elsewhere
        shape = tuple(max(d, 1) for d in shape)
    dtype = draw(st.sampled_from(dtypes))
    ref, known = KINDS[what](w, draw, shape, dtype)
    return MadeTensor(ref, known, dtype=dtype, what=what, conventions=unsettled_of(shape, dtype))


def _check(name: str, aspect: Aspect, test: Any, demands: str, *outputs: str) -> Check:
    return Check(name, aspect, outputs=outputs or ("result",), test=test, demands=demands)


def _scenario(
    function: str, w: ProgramWriter, made: MadeTensor, *tests: Check, **more: Any
) -> Scenario:
    conventions = tuple(sorted({*made.conventions, *more.pop("conventions", ())}))
    return Scenario(
        function,
        f"{function} of {made.what}",
        program=w.program(),
        arrays=w.arrays,
        checks=tests,
        conventions=conventions,
    )


@composite
def _static_shapes(draw: st.DrawFn, edition: Edition) -> Scenario:
    w = ProgramWriter()
    return _static_shape(w, _make(draw, w, edition, list(KINDS)), edition)


def _unknown_shapes(edition: Edition) -> list[Scenario]:
    """The result of an operation of which nothing but the rank is known."""
    w = ProgramWriter()
    x = w.call("placeholder", shape=(None, None))
    made = MadeTensor(
        w.call("square", x),
        (None, None),
        dtype="float32",
        what="a result of unknown shape",
        conventions=(),
    )
    return [_static_shape(w, made, edition)]


def _static_shape(w: ProgramWriter, made: MadeTensor, edition: Edition) -> Scenario:
    w.attempt("joined", "operator.add", w.observe("result", "int_shape", made.ref), ())
    only_tensorflow = (ConventionName.INT_SHAPE_EVERYWHERE,) if edition == "keras-1" else ()
    return _scenario(
        "int_shape",
        w,
        made,
        _check("a tuple", Aspect.VALUE, _is_tuple, "a tuple", "result", "joined"),
        _check(
            "the dimensions",
            Aspect.VALUE,
            partial(_has_dimensions, made.shape),
            str(made.shape),
            "result",
            "joined",
        ),
        conventions=only_tensorflow,
    )


def _is_tuple(result: Values, joined: Values) -> Problem | None:
    """Only a tuple can be joined to a tuple."""
    if checks.returns(joined) is None:
        return None
    found = checks.plain(result)
    return Problem(f"gives {found!r}", "no tuple", got=repr(found))


def _has_dimensions(wanted: Dims, result: Values, joined: Values) -> Problem | None:
    """The dimensions that follow from the arguments. None for one is imprecise, not wrong."""
    if checks.returns(joined) is not None:
        return None
    if (odd := checks.not_integers(result)) is not None:
        return odd
    found = tuple(checks.described(v) for v in result)
    if found == wanted:
        return None
    agree = len(found) == len(wanted) and all(
        f is None or f == d for f, d in zip(found, wanted, strict=True)
    )
    if agree:
        conventions = (ConventionName.PRECISE_STATIC_SHAPE,)
        return Problem(f"gives {found}", "imprecise", conventions=conventions, got=str(found))
    return Problem(f"gives {found}", "shape", got=str(found))


@composite
def _ranks(draw: st.DrawFn, edition: Edition) -> Scenario:
    w = ProgramWriter()
    made = _make(draw, w, edition, list(KINDS))
    w.observe("result", "ndim", made.ref)
    rank = len(made.shape)
    test = partial(_is_integer, rank)
    return _scenario("ndim", w, made, _check("the rank", Aspect.VALUE, test, f"{rank}, an integer"))


@composite
def _counts(draw: st.DrawFn, edition: Edition) -> Scenario:
    w = ProgramWriter()
    made = _make(draw, w, edition, KNOWN)
    w.observe("result", "count_params", made.ref)
    count = prod(d or 0 for d in made.shape)
    # that it is an integer stands in ja-2.0:899 and ko-2.2:832; ja-1:386 says what is counted alone
    told, kind = (_is_number, "") if edition == "keras-1" else (_is_integer, ", an integer")
    check = _check("the number of elements", Aspect.VALUE, partial(told, count), f"{count}{kind}")
    unnamed = edition == "keras-2.0" and made.what != "a variable"
    conventions = (ConventionName.NOT_ONLY_VARIABLES,) if unnamed else ()
    return _scenario("count_params", w, made, check, conventions=conventions)


def _is_number(wanted: int, values: Values) -> Problem | None:
    got = checks.only(values)
    if isinstance(got, Problem):
        return got
    if got.shape != () or got != wanted:
        return Problem(f"gives {checks.shown(got)}", "value", got=got, expected=np.array(wanted))
    return None


def _is_integer(wanted: int, values: Values) -> Problem | None:
    problem = _is_number(wanted, values)
    if problem is None and (got := values[0].array) is not None and got.dtype.kind not in "iu":
        fault = "np.asarray(first).dtype.kind not in 'iu'"
        return Problem(f"gives a {values[0].python_type}", "no integer", got=got, fault=fault)
    return problem


@composite
def _dtypes(draw: st.DrawFn, edition: Edition) -> Scenario:
    w = ProgramWriter()
    dtypes = [*DOCUMENTED * 3, *OTHERS] if draw(st.booleans()) else DOCUMENTED
    made = _make(draw, w, edition, [k for k in KINDS if k != "a result"], dtypes)
    w.observe("result", "dtype", made.ref)
    check = _check("the dtype", Aspect.VALUE, partial(_is_dtype, made.dtype), repr(made.dtype))
    if made.what == "a variable":  # of which keras-2.x and zh-TW print `float32_ref` (C033)
        suffixed = partial(_is_dtype, f"{made.dtype}_ref")
        other = Alternative(ConventionName.PLAIN_DTYPE, "_ref", suffixed)
        check = replace(check, alternatives=(other,))
    return _scenario("dtype", w, made, check)


def _is_dtype(wanted: str, values: Values) -> Problem | None:
    found = checks.plain(values)
    if found == wanted:
        return None
    detail = "suffix" if str(found).endswith("_ref") else "dtype"
    return Problem(f"gives {found!r}", detail, got=repr(found))


def _something(w: ProgramWriter, what: str) -> Ref | float:
    """An argument of one kind for the functions that tell kinds apart."""
    match what:
        case "an array":
            return w.array("array", [1.0, 2.0])
        case "a number":
            return 3.5
        case "a variable":
            return w.call("variable", w.array("value", np.zeros((2, 3))))
        case "a constant":
            return w.call("constant", 1.0, shape=(2,))
    x = w.call("placeholder", shape=(2, 3))
    return w.call("maximum", x, x) if what == "a result" else x


Answers = dict[str, tuple[bool, int | None]]
"""For each kind of argument: the answer, and the line that says it, if one does."""

TENSORS: Answers = {
    "an array": (False, None),
    "a number": (False, None),
    "a variable": (True, None),
    "a placeholder": (True, None),
    "a result": (True, None),
    "a constant": (True, None),
}
PLACEHOLDERS: Answers = {
    "an array": (False, None),
    "a number": (False, None),
    "a variable": (False, 362),
    "a placeholder": (True, 362),
    "a result": (False, 362),
    "a constant": (False, 362),
}
KERAS_TENSORS: dict[str, Answers] = {
    "keras-2.0": {
        "an array": (False, 337),
        "a variable": (False, 340),
        "a placeholder": (True, 343),
    },
    "keras-2.2": {
        "a variable": (False, 293),
        "a placeholder": (False, 296),
        "a result": (False, 265),
        "a constant": (False, None),
    },
}
DOCUMENT: dict[Edition, Document] = {"keras-2.0": "ja-2.0", "keras-2.2": "ko-2.2"}


def _answers(function: str, edition: Edition) -> Iterator[Scenario]:
    """What the function answers for an argument of each kind."""
    if function == "is_keras_tensor":
        table = KERAS_TENSORS[edition]
    else:
        table = TENSORS if function == "is_tensor" else PLACEHOLDERS
    for what, (answer, line) in table.items():
        w = ProgramWriter()
        w.observe("result", function, _something(w, what))
        check = _answers_with(answer, {} if line is None else {DOCUMENT[edition]: line})
        check = replace(check, alternatives=_other_kinds(function, what, answer))
        conventions = (ConventionName.KINDS_OF_TENSORS,) if line is None else ()
        title = f"{function} of {what}"
        yield Scenario(
            function,
            title,
            program=w.program(),
            arrays=w.arrays,
            checks=(check,),
            conventions=conventions,
        )


def _tells_apart(_edition: Edition) -> Sequence[Scenario]:
    """Whatever is_tensor takes for a tensor, not everything is one, and something is."""
    w = ProgramWriter()
    outputs = []
    for number, (what, (answer, _)) in enumerate(TENSORS.items()):
        if answer:
            outputs.append(f"answer_{number}")
            w.observe(outputs[-1], "is_tensor", _something(w, what))
    w.observe("number", "is_tensor", 3.5)
    checks_ = (
        Check(
            "something is a tensor",
            Aspect.VALUE,
            outputs=tuple(outputs),
            test=_any_is_true,
            demands="True for a variable, a placeholder, a constant or a result",
        ),
        _answers_with(False, {}, "number"),
    )
    title = "is_tensor of each kind of tensor"
    return [Scenario("is_tensor", title, program=w.program(), arrays=w.arrays, checks=checks_)]


def _any_is_true(*answers: Values) -> Problem | None:
    found = [checks.plain(values) for values in answers]
    return None if True in found else Problem(f"gives {found}", "none")


OTHER_KINDS = {
    ("is_tensor", "a constant"): "constants are not",
    ("is_placeholder", "a constant"): "constants are not",
    ("is_tensor", "a placeholder"): "placeholders are not",
    ("is_tensor", "a result"): "placeholders are not",
    ("is_tensor", "a variable"): "variables are not",
    ("is_tensor", "an array"): "arrays are",
}
"""The readings of `kinds-of-tensors` under which a function answers otherwise."""


def _other_kinds(function: str, what: str, answer: bool) -> tuple[Alternative, ...]:
    reading = OTHER_KINDS.get((function, what))
    if reading is None:
        return ()
    test = checks.is_one_of(not answer)
    return (Alternative(ConventionName.KINDS_OF_TENSORS, reading, test),)


def _answers_with(answer: bool, at: dict[str, int], output: str = "result") -> Check:
    test = checks.is_one_of(answer)
    return Check(
        "the answer", Aspect.VALUE, outputs=(output,), test=test, demands=str(answer), at=at
    )


def _layers(_edition: Edition) -> Iterator[Scenario]:
    """What Input and a layer return are Keras tensors; what is computed from them is not."""
    for what, answer, line in (
        ("Input", True, 299),
        ("the output of a layer", True, 302),
        ("a result of Input", False, 265),
    ):
        w = ProgramWriter()
        x = w.call("keras.layers.Input", [10])
        if what == "the output of a layer":
            x = w.call("operator.call", w.call("keras.layers.Dense", 10), x)
        elif what == "a result of Input":
            x = w.call("maximum", x, x)
        w.observe("result", "is_keras_tensor", x)
        check = _answers_with(answer, {"ko-2.2": line})
        title = f"is_keras_tensor of {what}"
        yield Scenario(
            "is_keras_tensor", title, program=w.program(), arrays=w.arrays, checks=(check,)
        )


def _refusals(_edition: Edition) -> Iterator[Scenario]:
    """Arguments that are not symbolic tensors are refused."""
    for what in ("an array", "a number"):
        w = ProgramWriter()
        w.attempt("result", "is_keras_tensor", _something(w, what))
        test = checks.raises("ValueError")
        check = Check(
            "no tensor",
            Aspect.ERROR,
            outputs=("result",),
            test=test,
            demands="ValueError",
            at={"ko-2.2": 278},
        )
        title = f"is_keras_tensor of {what}"
        yield Scenario(
            "is_keras_tensor", title, program=w.program(), arrays=w.arrays, checks=(check,)
        )


def _family(function: str, make: Any, *aspects: Aspect, editions: Sequence[Edition]) -> Family:
    return Family(function, frozenset(aspects), make=make, editions=tuple(editions))


FAMILIES: tuple[Family, ...] = (
    _family("int_shape", _static_shapes, Aspect.VALUE, editions=EDITIONS),
    _family("int_shape", _unknown_shapes, Aspect.VALUE, editions=EDITIONS),
    _family("ndim", _ranks, Aspect.VALUE, editions=EDITIONS),
    _family("count_params", _counts, Aspect.VALUE, editions=EDITIONS),
    _family("dtype", _dtypes, Aspect.VALUE, editions=EDITIONS),
    *(
        _family(name, partial(_answers, name), Aspect.VALUE, editions=editions)
        for name, editions in (
            ("is_keras_tensor", NEWER),
            ("is_tensor", NEWEST),
            ("is_placeholder", NEWEST),
        )
    ),
    _family("is_tensor", _tells_apart, Aspect.VALUE, editions=NEWEST),
    _family("is_keras_tensor", _layers, Aspect.VALUE, editions=NEWEST),
    _family("is_keras_tensor", _refusals, Aspect.ERROR, editions=NEWEST),
)

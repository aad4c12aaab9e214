"""The expected answer to an expression in one edition: the oracle's, call by call.

The calls before the last one only make its arguments. Where they are exact, the engine judges the
last call as in a run. If they round, or the last step is not a single call, the oracle computes
the whole program on wide numbers, and the bound covers the rounding of each step.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import is_floating
from conformance.editions import Edition
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.promotions import promotions
from conformance.generators.calls import CallDraft
from conformance.generators.drawing import Replayed
from conformance.generators.structure import Structure
from conformance.generators.values import Draw
from conformance.near_names import did_you_mean
from conformance.oracle import Expectation, agrees
from conformance.oracle.control_flow import ORACLES as CONTROL_FLOW
from conformance.oracle.programs import OPERATORS, expect_program
from conformance.program import Argument, Binding, Input, Program, Ref, Step
from conformance.program.expressions import RESULT
from conformance.program.marks import OPERATOR
from conformance.specs import Spec, Specs
from conformance.specs.convention_names import ConventionName
from conformance.specs.kinds import Indices, Labels, ValueKind
from conformance.specs.load import signature
from conformance.specs.model import Exact
from conformance.specs.rules import RuleError, Scope, evaluate
from conformance.specs.signature import Signature

Array = npt.NDArray[Any]
FREE = Draw("special", 0)
"""Numbers that nobody drew, with the profile that fits them."""
_FLOATS = frozenset({"float16", "float32", "float64"})


class UntoldError(ValueError):
    """Nothing is expected of a call; the message says why."""


class MisfitError(UntoldError):
    """The edition's signature takes no such arguments."""


def prepared_call(step: Step, spec: Spec, edition: Edition, known: Mapping[str, Array]) -> Prepared:
    """The call, ready to be judged by the result of a program that ends with it.

    `known` has the results of earlier steps.

    Raises:
        UntoldError: the edition documents no such call, or no single call of the function.
    """
    if spec.editions.get(edition) is None:
        raise UntoldError(f"{spec.name} is not in {edition}")
    documented = signature(spec, edition)
    passed = bound(step, spec, documented)
    if spec.dtype is None or spec.accuracy is None or spec.results:
        raise UntoldError(f"no single call tells what {spec.name} gives")
    call = CallDraft(Replayed(()), spec, documented, edition, None, dtype="float32")
    arrays = _filled(call, passed, known)
    scope = call.scope(static=False)
    structure = Structure(
        spec=spec,
        program=Program(_inputs(arrays), (step,), (RESULT,)),
        arguments=call.complete_arguments(),
        passed=frozenset(call.passed),
        runtime=scope,
        static=scope,
        unsettled=_unsettled(call, scope, arrays),
        domains={n: r.domain for n, r in spec.parameters.items() if hasattr(r, "domain")},
        edition=edition,
    )
    return Prepared(structure, [FREE], [arrays])


def _inputs(arrays: Mapping[str, Array]) -> tuple[Input, ...]:
    """The arguments as the inputs that they would be in a run."""
    return tuple(Input(n, a.shape, a.dtype.name, Binding.CONSTANT) for n, a in arrays.items())


def bound(step: Step, spec: Spec, documented: Signature) -> dict[str, Argument]:
    """The argument of each parameter, by its newest name.

    Raises:
        MisfitError: an argument has no parameter.
    """
    names = [parameter.name for parameter in documented.parameters]
    if len(step.args) > len(names):
        raise MisfitError(f"{documented} takes {len(names)} arguments, not {len(step.args)}")
    values = dict(zip(names, step.args, strict=False))
    for name, value in step.kwargs:
        if name not in names:
            near = did_you_mean(name, names)
            raise MisfitError(f"{documented} takes no {name}" + (f"; {near}" if near else ""))
        if name in values:
            raise MisfitError(f"{documented} is given {name} twice")
        values[name] = value
    missing = [p.name for p in documented.parameters if p.required and p.name not in values]
    if missing:
        raise MisfitError(f"{documented} is given no {missing[0]}")
    return {spec.renamed.get(name, name): value for name, value in values.items()}


def _filled(
    call: CallDraft, passed: Mapping[str, Argument], known: Mapping[str, Array]
) -> dict[str, Array]:
    """The arrays of the arguments, by the names that the structure has for them."""
    arrays: dict[str, Array] = {}
    for name, value in passed.items():
        if isinstance(call.rules.get(name), ValueKind) and not isinstance(value, Ref):
            _add(call, arrays, name, as_array(value))
        elif isinstance(value, Ref):
            _add(call, arrays, name, known[value.name])
        elif isinstance(value, list | tuple) and value and isinstance(value[0], Ref):
            _add_list(call, arrays, name, [known[ref.name] for ref in value])
        else:
            call.add_value(name, value)
    return arrays


def as_array(value: Argument) -> Array:
    """The numbers of a literal.

    Raises:
        UntoldError: it is not an array of numbers.
    """
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise UntoldError(f"{value!r} is not an array: {error}") from error
    if array.dtype.kind not in "biuf":
        raise UntoldError(f"{value!r} is not an array of numbers")
    return array


def _add(call: CallDraft, arrays: dict[str, Array], name: str, array: Array) -> None:
    arrays[name] = array
    call.shapes[name] = call.static_shapes[name] = array.shape
    call.dtypes[name] = array.dtype.name
    call.passed[name] = Ref(name)


def _add_list(call: CallDraft, arrays: dict[str, Array], name: str, items: list[Array]) -> None:
    refs = [Ref(f"{name}_{i}") for i in range(len(items))]
    arrays |= {ref.name: item for ref, item in zip(refs, items, strict=True)}
    call.shapes[name] = call.static_shapes[name] = [item.shape for item in items]
    call.dtypes[name] = items[0].dtype.name
    call.passed[name] = list(refs)


def _unsettled(call: CallDraft, scope: Scope, arrays: Mapping[str, Array]) -> tuple[str, ...]:
    """The conventions that the call rests on; UntoldError if the rules do not fit it."""
    open_here = (u for u in call.spec.unsettled if u.holds_in(call.edition))
    tensors = {n: d for n, d in scope.dtypes.items() if not _is_value(call, n)}
    try:
        named = {u.convention for u in open_here if evaluate(u.when, scope)}
        if any(_is_outside(call.rules.get(name), scope, array) for name, array in arrays.items()):
            named.add(call.spec.profiles.get("outside", ConventionName.INDICES_OUT_OF_RANGE))
    except RuleError as error:
        raise UntoldError(f"{call.documented.name} of such arguments: {error}") from error
    if any(dtype not in call.documented_dtypes(name) for name, dtype in tensors.items()):
        named.add(ConventionName.INPUT_DTYPE)
    if len(_FLOATS.intersection(tensors.values())) > 1:
        named.add(ConventionName.MIXED_DTYPES)
    return tuple(sorted(named))


def _is_outside(rule: object, scope: Scope, array: Array) -> bool:
    """Whether an index counts what is not there."""
    if not isinstance(rule, Indices | Labels):
        return False
    return bool(((array < 0) | (array >= evaluate(rule.below, scope))).any())


def _is_value(call: CallDraft, name: str) -> bool:
    return isinstance(call.rules.get(name), ValueKind)


MOST_ELEMENTS = 1_000_000
"""The largest array for which this module computes an answer."""
CONVERTERS = ("keras.ops.array", "keras.ops.convert_to_tensor")
"""Functions that make a tensor of numbers, whose result no single call determines."""
_USUAL = {"b": "bool", "i": "int32", "u": "int32", "f": "float32"}
"""The dtype of a tensor of Python's numbers, by their kind."""
_NO_ANSWER = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError)
"""The exceptions of the oracle for arguments that no document allows."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The oracle's answer, or why there is none."""

    edition: Edition
    answer: Expectation | None = None
    prepared: Prepared | None = None
    """The last call with its exact arguments, if the engine can judge it."""
    untold: str = ""
    misfit: bool = False
    """Whether the edition's signature takes no such arguments."""


@dataclass(slots=True)
class _Knowledge:
    """The results of the steps so far, each in its dtype, and which of them are exact."""

    arrays: dict[str, Array] = field(default_factory=dict)
    exact: set[str] = field(default_factory=set)
    open: dict[str, str] = field(default_factory=dict)
    """The functions of those whose numbers depend on the dtype that an implementation chooses."""
    steps: list[Step] = field(default_factory=list)
    """The steps as the oracle takes them."""
    last: Prepared | None = None


def expected(program: Program, edition: Edition, specs: Specs) -> Expected:
    """The expectation for the program's output."""
    known = _Knowledge()
    try:
        for step in program.steps:
            _learn(program, step, edition, specs, known)
        return _answer(program, edition, known)
    except UntoldError as reason:
        return Expected(edition, untold=str(reason), misfit=isinstance(reason, MisfitError))
    except _NO_ANSWER as error:
        return Expected(edition, untold=f"no document allows such arguments ({error})")


def _answer(program: Program, edition: Edition, known: _Knowledge) -> Expected:
    (output,) = program.outputs
    if known.last is not None and output == RESULT:
        return Expected(edition, known.last.expectation(0), known.last)
    computed = replace(program, steps=tuple(known.steps))
    dtype = known.arrays[output].dtype.name
    with np.errstate(all="ignore"):
        answers = expect_program(computed, {}, {output: dtype})
    return Expected(edition, answers[output])


def _learn(program: Program, step: Step, edition: Edition, specs: Specs, known: _Knowledge) -> None:
    """Add what the step gives."""
    known.last = None
    for name in sorted(step.mentions() & known.open.keys()):
        raise UntoldError(f"{known.open[name]} gives other numbers in each dtype that it may give")
    if step.function.startswith(OPERATOR):
        _learn_operation(step, known)
    elif step.function in CONVERTERS:
        _learn_array(step, specs[step.function], edition, known)
    elif step.function in CONTROL_FLOW:
        known.steps.append(step)
        _learn_by_program(program, step, known)
    else:
        _learn_call(step, edition, specs, known)


def _learn_call(step: Step, edition: Edition, specs: Specs, known: _Knowledge) -> None:
    spec = specs[specs.aliases().get(step.function, step.function)]
    prepared = prepared_call(step, spec, edition, known.arrays)
    _check_size(spec.name, prepared.shape)
    answer = prepared.expectation(0)
    dtype = prepared.dtypes[0]
    with np.errstate(all="ignore"):
        known.arrays[step.result] = np.asarray(answer.value).astype(dtype)
    if _is_open(prepared, answer):
        known.open[step.result] = spec.name
    passed = bound(step, spec, signature(spec, edition))
    arguments = {**prepared.structure.arguments, **passed}
    oracle = prepared.structure.oracle
    known.steps.append(Step(step.result, oracle, (), tuple(arguments.items())))
    if step.mentions() <= known.exact:
        known.last = prepared
        if isinstance(spec.accuracy, Exact):
            known.exact.add(step.result)


def _is_open(prepared: Prepared, answer: Expectation) -> bool:
    """Whether integers lose what another dtype that is allowed has: a fraction, or a number beyond
    their range."""
    if is_floating(answer.dtype):
        return False
    others = (prepared.expectation(0, dtype) for dtype in promotions(prepared))
    return any(not agrees(other.value, answer).all() for other in others)


def _learn_array(step: Step, spec: Spec, edition: Edition, known: _Knowledge) -> None:
    """A tensor of the numbers that are given, in the dtype that is given or usual for them."""
    passed = bound(step, spec, signature(spec, edition))
    value = passed["x"]
    array = known.arrays[value.name] if isinstance(value, Ref) else as_array(value)
    usual = array.dtype.name if isinstance(value, Ref) else _USUAL[array.dtype.kind]
    dtype = str(passed.get("dtype") or usual)
    known.arrays[step.result] = array.astype(dtype)
    known.exact |= {step.result} if step.mentions() <= known.exact else set()
    constant = (("value", value), ("dtype", dtype))
    known.steps.append(Step(step.result, "constant", (), constant))


def _learn_operation(step: Step, known: _Knowledge) -> None:
    function = OPERATORS.get(step.function.removeprefix(OPERATOR))
    if function is None:
        raise UntoldError(f"nothing is known of {step.function}")
    args = [known.arrays[a.name] if isinstance(a, Ref) else a for a in step.args]
    arrays = [a for a in args if isinstance(a, np.ndarray)]
    _check_size("the result", np.broadcast_shapes(*(a.shape for a in arrays)))
    with np.errstate(all="ignore"):
        value = np.asarray(function(*args))
    known.arrays[step.result] = value.astype(arrays[0].dtype)
    known.steps.append(step)


def _learn_by_program(program: Program, step: Step, known: _Knowledge) -> None:
    """A function that calls a callable: its result has the dtype of its tensors, or floatx."""
    computed = replace(program, steps=tuple(known.steps))
    dtypes = [known.arrays[name].dtype.name for name in step.mentions()]
    dtype = dtypes[0] if dtypes else "float32"
    answer = expect_program(computed, {}, {step.result: dtype})[step.result]
    _check_size(step.function, np.shape(answer.value))
    with np.errstate(all="ignore"):
        known.arrays[step.result] = np.asarray(answer.value).astype(dtype)


def _check_size(name: str, shape: tuple[int, ...]) -> None:
    if math.prod(shape) > MOST_ELEMENTS:
        raise UntoldError(f"{name} of shape {shape}, which has more than {MOST_ELEMENTS} elements")

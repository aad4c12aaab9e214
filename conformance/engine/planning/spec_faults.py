"""What is wrong with a spec, as drawn calls show it.

Loading a spec file checks its types and names. Only calls show whether its rules fit each other and
the oracle. This module draws calls of each spec, as a plan does. For each call it evaluates every
rule and asks the oracle for the value. Both must agree on the shape, on the kind of numbers
(floating, integers or truth values), and on whether there is a gradient.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from random import Random
from typing import Any

import numpy as np

from conformance.dtypes import is_dtype, is_floating
from conformance.editions import Edition
from conformance.engine.judging.cases import Prepared, answered
from conformance.engine.judging.findings import described
from conformance.engine.judging.metadata import compatible
from conformance.engine.judging.promotions import OF_DTYPES
from conformance.generators import Draw, Structure
from conformance.generators.calls import CallDraft
from conformance.generators.drawers import DRAWERS
from conformance.generators.drawing import Drawn, Rejected, Seeded, seeded
from conformance.generators.gradients import Differentiated, differentiated
from conformance.generators.kinds import draw_parameter
from conformance.generators.structure import made
from conformance.generators.values import suits
from conformance.oracle.accepting import EVIDENCE
from conformance.oracle.bounds import CONTRACTIONS
from conformance.oracle.evaluate import ORACLES, unrounded
from conformance.oracle.gradient_bounds import WeightedGradient
from conformance.oracle.variants import VARIANTS
from conformance.program import to_json
from conformance.specs import Spec, load_conventions
from conformance.specs.kinds import Dtype
from conformance.specs.load import signature
from conformance.specs.model import Contraction, ErrorCase
from conformance.specs.records import NAMED_PROFILES
from conformance.specs.rules import RuleError, evaluate

CALLS = 30
"""How many calls are drawn of a function in each edition."""
INVALID = 3
"""How many invalid calls are drawn of each error case."""
ELEMENTS = 60
"""The most elements of a tensor, about."""


@dataclass(frozen=True, slots=True)
class SpecFault:
    """A part of a spec that is wrong."""

    function: str
    path: str
    """The part below the spec of the function: `shape`, `dtype.accept[0]`."""
    says: str
    """What is wrong, with a call that shows it."""


class _FaultError(Exception):
    """Ends the check of a call: the part that is wrong, and why."""

    def __init__(self, path: str, says: str) -> None:
        super().__init__(says)
        self.path = path


def spec_faults(spec: Spec) -> list[SpecFault]:
    """The faults of a spec, one for each part. No faults of a function without single calls."""
    if spec.dtype is None:
        return []
    shown: dict[str, SpecFault] = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for path, says in _all_faults(spec):
            shown.setdefault(path, SpecFault(spec.name, path, says))
    return list(shown.values())


def _all_faults(spec: Spec) -> Iterator[tuple[str, str]]:
    yield from _of_conventions(spec)
    unknown = [*_of_oracle(spec), *_of_drawer(spec)]
    yield from unknown
    if unknown:
        return
    for edition in spec.editions:
        yield from _of_edition(spec, edition)
        for index, error in enumerate(spec.errors):
            if edition in error.editions:
                yield from _of_error(spec, edition, index, error)


def _of_conventions(spec: Spec) -> Iterator[tuple[str, str]]:
    """Readings for which nothing says what the answer is."""
    named = [(f"unsettled[{i}].convention", u.convention) for i, u in enumerate(spec.unsettled)]
    named += [(f"profiles['{profile}']", name) for profile, name in spec.profiles.items()]
    for path, name in named:
        for reading in load_conventions()[name].variants:
            if (name, reading.name) not in VARIANTS and name not in OF_DTYPES:
                yield path, f"no code computes the reading {name}: {reading.name}"


def _of_oracle(spec: Spec) -> Iterator[tuple[str, str]]:
    """Names that the oracle does not know, and bounds that it does not have."""
    whole = spec.oracle or spec.name
    names = [f"{whole}.{part.name}" for part in spec.results] or [whole]
    for name in (n for n in names if n not in ORACLES):
        near = get_close_matches(name, ORACLES, n=2)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        yield "oracle" if spec.oracle else "name", f"the oracle has no function {name!r}{hint}"
    if spec.unique is any(name in EVIDENCE for name in names):
        if spec.unique:
            yield "unique", "the oracle accepts any answer of right evidence; write `unique: false`"
        else:
            yield "unique", f"the oracle has no evidence for {names[0]}; remove `unique`"
    parts = [part.accuracy or spec.accuracy for part in spec.results] or [spec.accuracy]
    for name, accuracy in zip(names, parts, strict=True):
        if isinstance(accuracy, Contraction) and name in ORACLES and name not in CONTRACTIONS:
            yield "accuracy", f"the oracle has no bound of the kind contraction for {name}"


def _of_drawer(spec: Spec) -> Iterator[tuple[str, str]]:
    """A drawer that does not exist."""
    if spec.draw and spec.draw not in DRAWERS:
        near = get_close_matches(spec.draw, DRAWERS, n=2)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        yield "draw", f"there is no drawer {spec.draw!r}{hint}"


def _of_edition(spec: Spec, edition: Edition) -> Iterator[tuple[str, str]]:
    """The faults that calls in an edition show."""
    structures: list[Structure] = []
    for seed in range(CALLS):
        try:
            structure = _drawn(spec, edition, None, seed)
            _check(structure, seed)
            structures.append(structure)
        except _FaultError as fault:
            yield fault.path, str(fault)
    if spec.differentiable and structures:
        yield from _of_gradients(structures)


def _drawn(spec: Spec, edition: Edition, error: ErrorCase | None, seed: int) -> Structure:
    """A call; a fault with the parameter, or the rule, without which it cannot be drawn."""

    def make(chooser: Any) -> Structure:
        return made(chooser, spec, edition, error, elements=ELEMENTS)

    try:
        draw = seeded(make, _random(seed))
    except Exception as problem:
        raise _blamed(spec, edition, error, seed, _words(problem)) from problem
    if isinstance(draw, Drawn):
        return draw.value
    assert isinstance(draw, Rejected)
    raise _blamed(spec, edition, error, seed, draw.reason)


def _random(seed: int) -> Random:
    return Random(seed)  # noqa: S311


def _words(problem: BaseException) -> str:
    """An exception in words; that of a rule has no need of its name."""
    told = str(problem).strip()
    return told if isinstance(problem, RuleError) else f"{type(problem).__name__}: {told}"


def _blamed(
    spec: Spec, edition: Edition, error: ErrorCase | None, seed: int, says: str
) -> _FaultError:
    """The part of the spec to blame that a call cannot be drawn: the same is drawn again, part by
    part."""
    draft = CallDraft(
        Seeded(_random(seed)), spec, signature(spec, edition), edition, error, elements=ELEMENTS
    )
    path = "parameters"
    try:
        for name in draft.order:
            path = f"parameters['{name}']"
            draw_parameter(draft, name)
        path = "parameters"
        draft.program()
        for index, case in enumerate(spec.unsettled):
            path = f"unsettled[{index}].when"
            evaluate(case.when, draft.scope(static=False))
    except Exception:
        shown = f"{says}{_defaults(spec, draft.values, draft.passed)}"
        return _FaultError(path, f"no call can be drawn in {edition}: {shown}")
    return _FaultError("parameters", f"no call can be drawn in {edition}: {says}")


def _defaults(spec: Spec, values: Any, passed: Any) -> str:
    """The defaults of a call that leaves parameters to them, in words."""
    left = [f"{n}={values[n]!r}" for n in spec.parameters if n in values and n not in passed]
    return f", with the defaults {', '.join(left)}" if left else ""


def _check(structure: Structure, seed: int) -> None:
    """A fault of the rules for a call, or of what the oracle answers."""
    shape = _shape(structure, "run time", structure.runtime)
    static = _shape(structure, "static shapes", structure.static)
    if not all(isinstance(length, int) and length >= 0 for length in shape):
        raise _fault(structure, _shape_path(structure), f"{shape} is no shape")
    if not compatible(static, shape):
        says = f"gives {static} of static shapes and {shape} of those at run time"
        raise _fault(structure, _shape_path(structure), says)
    dtypes = _dtypes(structure)
    prepared = Prepared(structure, [Draw(_profile(structure, seed), seed)])
    value = _answer(prepared)
    if value is None:
        return
    if prepared.evidence is not None:
        return
    if value.shape != shape:
        says = f"gives {shape}, and the oracle {value.shape}"
        raise _fault(structure, _shape_path(structure), says)
    if problem := _of_kind(structure, value, dtypes):
        raise _fault(structure, "dtype.accept[0]", problem)


def _fault(structure: Structure, path: str, says: str) -> _FaultError:
    call = described(Prepared(structure, []))
    defaults = _defaults(structure.spec, structure.arguments, structure.passed)
    return _FaultError(path, f"{says}, for {call}{defaults}")


def _shape_path(structure: Structure) -> str:
    part, results = structure.part, structure.spec.results
    own = part is not None and part.shape is not None
    return f"results[{results.index(part)}].shape" if part and own else "shape"


def _shape(structure: Structure, of: str, scope: Any) -> tuple[Any, ...]:
    return tuple(_evaluated(structure, _shape_path(structure), structure.shape_rule, scope, of))


def _evaluated(structure: Structure, path: str, rule: Any, scope: Any, of: str) -> Any:
    try:
        value = evaluate(rule, scope)
    except RuleError as problem:
        raise _fault(structure, path, f"{problem} ({of})") from problem
    if path.endswith("shape") and not isinstance(value, tuple | list):
        raise _fault(structure, path, f"{value!r} is no shape")
    return value


def _dtypes(structure: Structure) -> list[str]:
    """The accepted dtypes."""
    rule = structure.dtype_rule
    assert rule is not None, "functions without single calls have no calls to check"
    for index, accepted in enumerate(rule.accept):
        path = f"dtype.accept[{index}]"
        value = _evaluated(structure, path, accepted, structure.runtime, "run time")
        if not isinstance(value, str) or not is_dtype(value):
            raise _fault(structure, path, f"{value!r} is no dtype")
    return Prepared(structure, []).dtypes


def _profile(structure: Structure, seed: int) -> str:
    """One of the profiles of numbers that suit the call, another for each seed."""
    suiting = [profile for profile in NAMED_PROFILES if suits(profile, structure)]
    return suiting[seed % len(suiting)]


def _answer(prepared: Prepared) -> Any:
    """The oracle's value before it is rounded; None of a call that no document covers and that may
    have no answer, such as the maximum of no elements."""
    structure = prepared.structure
    path = "oracle" if structure.spec.oracle else "name"
    try:
        prepared.expectation(0)
        arguments = prepared.oracle_arguments(0)
        return unrounded(structure.oracle, arguments, prepared.dtypes[0], prepared.given)
    except (ValueError, IndexError) as problem:
        if structure.unsettled:
            return None
        raise _fault(structure, path, f"the oracle has no answer: {_words(problem)}") from problem
    except Exception as problem:
        raise _fault(structure, path, f"the oracle fails: {_words(problem)}") from problem


_KINDS = {"f": "floating numbers", "i": "integers", "u": "integers", "b": "truth values"}


def _of_kind(structure: Structure, value: Any, dtypes: Sequence[str]) -> str | None:
    """What is wrong with a dtype that does not hold what the oracle gives.

    Numbers may be cast where a call asks for a dtype. Fractions that a call has beside integers, as
    clip may have for its bounds, are dropped in a dtype of integers.
    """
    rules, given = structure.spec.parameters.values(), structure.arguments.values()
    kind, (first, *_) = value.dtype.kind, dtypes
    if any(isinstance(rule, Dtype) for rule in rules):
        return None
    wanted = "f" if is_floating(first) else np.dtype(first).kind
    fits = {
        "f": wanted == "f" or any(type(v) is float for v in given) or _is_held(value, first),
        "b": "bool" in dtypes,
    }.get(kind, wanted in "iu")
    return None if fits else f"gives {first}, and the oracle {_KINDS[kind]}"


def _is_held(value: Any, dtype: str) -> bool:
    finite = value[np.isfinite(value)]
    return bool((finite == np.trunc(finite)).all()) and dtype != "bool"


def _of_error(
    spec: Spec, edition: Edition, index: int, error: ErrorCase
) -> Iterator[tuple[str, str]]:
    for seed in range(INVALID):
        try:
            to_json(_drawn(spec, edition, error, seed).program)
        except _FaultError as fault:
            own = any(fault.path.startswith(f"parameters['{name}']") for name in error.parameters)
            path = fault.path if own or not error.parameters else "parameters"
            yield f"errors[{index}].{path}" if error.parameters else f"errors[{index}]", str(fault)


def _of_gradients(structures: Sequence[Structure]) -> Iterator[tuple[str, str]]:
    """Whether the oracle has the gradient of a call, of those whose values are right, that should
    have one."""
    with_gradient: Callable[[Structure], Differentiated | None] = differentiated
    able = [found for found in map(with_gradient, structures) if found is not None]
    if not able:
        yield "differentiable", f"no call of {CALLS} has a result with a gradient"
        return
    structure = able[0].structure
    try:
        slopes = _slopes(able[0])
    except Exception as problem:
        fault = _fault(structure, "", f"the oracle has no gradient: {_words(problem)}")
        yield "differentiable", str(fault)
        return
    if not slopes:
        yield "differentiable", str(_fault(structure, "", "the oracle has no gradient"))


def _slopes(of: Differentiated) -> Any:
    arrays = of.arrays(Draw("ordinary", 0))
    structure = of.structure
    weights = arrays[of.weights]
    arguments = answered(structure, arrays)
    return WeightedGradient(structure.oracle, arguments, weights, structure.accuracy).slopes

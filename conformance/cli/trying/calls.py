"""One call of a program as the engine judges it: a structure with the numbers of its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.editions import Edition
from conformance.engine.judging.cases import Prepared
from conformance.generators.calls import CallDraft
from conformance.generators.drawing import Replayed
from conformance.generators.structure import Structure
from conformance.generators.values import Draw
from conformance.near_names import did_you_mean
from conformance.program import Argument, Binding, Input, Program, Ref, Step
from conformance.program.expressions import RESULT
from conformance.specs import Spec
from conformance.specs.convention_names import ConventionName
from conformance.specs.kinds import Indices, Labels, ValueKind
from conformance.specs.load import signature
from conformance.specs.rules import RuleError, Scope, evaluate
from conformance.specs.signature import Signature

Array = npt.NDArray[Any]

FREE = Draw("special", 0)
"""Numbers that nobody drew: the profile is the one that they show."""
_FLOATS = frozenset({"float16", "float32", "float64"})


class UntoldError(ValueError):
    """Nothing is expected of a call; the message says why."""


class MisfitError(UntoldError):
    """The edition's signature takes no such arguments."""


def prepared_call(step: Step, spec: Spec, edition: Edition, known: Mapping[str, Array]) -> Prepared:
    """The call, ready to be judged by what a program gives that ends with it.

    `known` has the results of earlier steps. UntoldError: the edition documents no such call, or no
    single call of the function.
    """
    if spec.editions.get(edition) is None:
        raise UntoldError(f"{spec.name} is not in {edition}")
    documented = signature(spec, edition)
    given = bound(step, spec, documented)
    if spec.dtype is None or spec.accuracy is None or spec.results:
        raise UntoldError(f"no single call tells what {spec.name} gives")
    call = CallDraft(Replayed(()), spec, documented, edition, None, dtype="float32")
    arrays = _filled(call, given, known)
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
    """What each parameter was given, by its newest name; MisfitError if no parameter takes it."""
    names = [parameter.name for parameter in documented.parameters]
    if len(step.args) > len(names):
        raise MisfitError(f"{documented} takes {len(names)} arguments, not {len(step.args)}")
    given = dict(zip(names, step.args, strict=False))
    for name, value in step.kwargs:
        if name not in names:
            near = did_you_mean(name, names)
            raise MisfitError(f"{documented} takes no {name}" + (f"; {near}" if near else ""))
        if name in given:
            raise MisfitError(f"{documented} is given {name} twice")
        given[name] = value
    missing = [p.name for p in documented.parameters if p.required and p.name not in given]
    if missing:
        raise MisfitError(f"{documented} is given no {missing[0]}")
    return {spec.renamed.get(name, name): value for name, value in given.items()}


def _filled(
    call: CallDraft, given: Mapping[str, Argument], known: Mapping[str, Array]
) -> dict[str, Array]:
    """The arrays of the arguments, by the names that the structure has for them."""
    arrays: dict[str, Array] = {}
    for name, value in given.items():
        if isinstance(call.rules.get(name), ValueKind) and not isinstance(value, Ref):
            _add(call, arrays, name, as_array(value))
        elif isinstance(value, Ref):
            _add(call, arrays, name, known[value.name])
        elif isinstance(value, list | tuple) and value and isinstance(value[0], Ref):
            _add_list(call, arrays, name, [known[one.name] for one in value])
        else:
            call.add_value(name, value)
    return arrays


def as_array(value: Argument) -> Array:
    """The numbers of a literal; UntoldError if it has others."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise UntoldError(f"{value!r} is no array: {error}") from error
    if array.dtype.kind not in "biuf":
        raise UntoldError(f"{value!r} is no array of numbers")
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

"""Invalid calls, made of valid ones: one argument becomes a value that its document excludes.

The rules of a spec say which values those are. An axis lies beyond the last or before the first. A
name is not in the list. A stride or window is 0 or -1. A second tensor has a shape that does not
fit the first, and a kernel another number of channels. The rest of the call stays valid.

An edition has such calls if its file says `excludes`. Only a parameter that the docstring
describes has any. Any exception refuses the call, for the docstrings seldom name a class. To accept
the call violates: by the description of the parameter, the value has no meaning. No docstring gives
the least stride, dilation or size of a window, which is the convention `least-length`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis.strategies import SearchStrategy

from conformance.editions import Edition, excludes
from conformance.generators.collect import Pool, distinct_draws, key
from conformance.generators.structure import Structure, expected_shape, structures
from conformance.generators.twins import with_program
from conformance.program import Argument, Binding, Input, Ref
from conformance.specs import Spec, kinds
from conformance.specs.convention_names import ConventionName
from conformance.specs.docstrings import load_docstrings
from conformance.specs.load import signature
from conformance.specs.model import ErrorCase
from conformance.specs.signature import Signature

_ARGUMENTS = ("Args", "Arguments")
"""The sections that describe parameters."""
_AXES = ("axis", "axis1", "axis2", "axisa", "axisb", "axisc")
_DIFFERENT = (("diagonals", "axis1"), ("moved axes", "source"), ("moved axes", "destination"))
"""Drawers, and parameters of theirs whose axes differ from each other or from `axis2`."""
_NAMES = ("data_format", "method", "reduction", "interpolation", "fill_mode", "strategy")
"""Parameters of drawers that are axes, or one of some names."""
_LENGTHS = (
    *("strides", "stride", "dilation_rate", "dilation", "pool_size", "kernel_size"),
    *("sequence_length", "sequence_stride"),
)
"""Parameters that count elements, at least one."""
_MAYBE_EMPTY = ("sequence_length",)
"""Those of which 0 has a meaning: there is nothing."""
_OVERRIDDEN = {"axisa": "axis", "axisb": "axis", "axisc": "axis"}
"""Parameters that a function does not look at where another one is passed."""
_OF_FEATURES = ("for-each-feature", "places-along")
"""Rules for the shape of a tensor with a number for each place along an axis."""

_OF_KINDS: Mapping[type, str] = {
    **dict.fromkeys((kinds.Axis, kinds.Axes, kinds.ClassAxis, kinds.ReductionAxes), "axis"),
    kinds.Permutation: "repeated",
    kinds.TargetShape: "below",
}
"""A word of `_SORTS` for each kind of parameter that excludes values of one kind."""
_OF_NAMES = (kinds.Literals, kinds.DataFormat, kinds.Dtype)
_OF_LENGTHS = (kinds.Moves, kinds.PerAxis, kinds.Window, kinds.Patch)
"""Kinds of parameters that exclude values of one sort, or of two."""

Replace = Callable[[Structure, "Exclusion"], Structure | None]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Values that a parameter excludes, and the reason."""

    parameter: str
    """Its newest name, as specs have it."""
    name: str
    """Its documented name."""
    sort: str
    """A word of `_SORTS`."""
    section: str
    """The section that describes the parameter."""

    @property
    def _keeps_shape(self) -> bool:
        """Whether the symbolic result has a right shape all the same."""
        return self.sort == "name" and self.name not in _NAMES_OF_SHAPES

    def error(self, spec: Spec, edition: Edition) -> ErrorCase:
        """The invalid input as a spec would have it."""
        kind, says = _SAYS[self.sort]
        return ErrorCase(
            name=kind.format(self.name),
            says=says.format(self.name),
            editions=[edition],
            convention=ConventionName.LEAST_LENGTH if self.sort in _OF_LEAST else None,
            late=ConventionName.LATE_REFUSAL if self._keeps_shape else None,
            sections={} if self.sort in _OF_LEAST else {spec.editions[edition]: self.section},
        )

    def broken(self, structure: Structure) -> Structure | None:
        """The call with such a value; None if this call has no place for one."""
        if structure.claimed != "result" or structure.unsettled:
            return None
        changed = _SORTS[self.sort](structure, self)
        if changed is None:
            return None
        # numbers that fit the arguments of the valid call need not fit those of this one
        return replace(changed, joint={}, error=self.error(structure.spec, structure.edition))


_SAYS = {
    "axis": ("{} out of range", "{} counts axes that the tensor has"),
    "name": ("unknown {}", "{} is one of the names that the docstring lists"),
    "zero": ("{} of 0", "each number in {} is at least 1"),
    "negative": ("negative {}", "each number in {} is at least 1"),
    "shape": ("{} that does not fit", "the shape of {} fits the other tensors"),
    "repeated": ("the same axis twice in {}", "{} names different axes"),
    "below": ("a length of -2 in {}", "each length in {} is at least 0, or one is -1"),
    "channels": ("five channels in {}", "{} has three channels"),
}
_NAMES_OF_SHAPES = ("data_format", "mode", "padding")
"""Parameters whose names decide the shape of a result."""
_OF_LEAST = ("zero", "negative")
"""The words of `_SORTS` for numbers below the least."""


def symbolic(structure: Structure) -> Structure:
    """The call with symbolic tensors of the same shapes, all of them known."""
    inputs = tuple(item.bound(Binding.PLACEHOLDER) for item in structure.program.inputs)
    return with_program(structure, replace(structure.program, inputs=inputs), {})


def exclusions(spec: Spec, edition: Edition) -> list[Exclusion]:
    """The exclusions of a function, in the order of its parameters."""
    docstring = (load_docstrings(spec.editions[edition]) or {}).get(spec.name)
    if not excludes(edition) or spec.dtype is None or docstring is None:
        return []
    section = next((name for name in docstring.sections if name in _ARGUMENTS), None)
    if section is None:
        return []
    documented = {spec.renamed.get(n, n): n for n in _names(signature(spec, edition))}
    return [
        Exclusion(parameter, documented[parameter], sort, section)
        for parameter, rule in spec.parameters.items()
        if documented.get(parameter) in docstring.parameters
        for sort in _sorts(parameter, rule, spec)
    ]


def _names(documented: Signature) -> list[str]:
    return [parameter.name for parameter in documented.parameters]


def _sorts(parameter: str, rule: kinds.ParameterRule, spec: Spec) -> Sequence[str]:
    """The words of `_SORTS` that apply to a parameter."""
    if sort := next((_OF_KINDS[kind] for kind in _OF_KINDS if isinstance(rule, kind)), None):
        return (sort,)
    if isinstance(rule, _OF_NAMES):
        values = getattr(rule, "values", [""])
        return ("name",) if any(isinstance(value, str) for value in values) else ()
    if isinstance(rule, _OF_LENGTHS):
        return _of_length(parameter)
    if isinstance(rule, kinds.FromDrawer):
        return _of_drawer(parameter, spec.draw)
    return ("shape",) if _has_excluded_shapes(rule, spec) else ()


def _has_excluded_shapes(rule: kinds.ParameterRule, spec: Spec) -> bool:
    match rule:
        case kinds.Kernel() | kinds.Pointwise():
            return True
        case kinds.Tensors(vary=vary):
            return vary is not None or "axis" in spec.parameters
        case kinds.Companion(relation="broadcast"):
            return isinstance(spec.shape, list) and spec.shape[0] == "broadcast"
        case kinds.Fitting(shape=shape) | kinds.Labels(shape=shape):
            return _fits_another(shape, spec)
    return False


def _of_drawer(parameter: str, drawer: str) -> Sequence[str]:
    if (drawer, parameter) in _DIFFERENT:
        return ("axis", "repeated")
    if (drawer, parameter) == ("coloured images", "images"):
        return ("channels",)
    if parameter in _AXES:
        return ("axis",)
    return ("name",) if parameter in _NAMES else _of_length(parameter)


def _of_length(parameter: str) -> Sequence[str]:
    if parameter in _LENGTHS:
        return ("negative",) if parameter in _MAYBE_EMPTY else ("zero", "negative")
    return ()


def _fits_another(rule: Any, spec: Spec) -> bool:
    """Whether each axis of such a shape has the length of an axis of another tensor."""
    while isinstance(rule, list) and rule[0] == "list" and len(rule) == 2:
        rule = rule[1]
    if not isinstance(rule, list):
        return False
    of_another = rule[0] == "shape" and rule[1] in spec.parameters
    return of_another or rule[0] in _OF_FEATURES


# Replacing arguments.


def _with_argument(structure: Structure, exclusion: Exclusion, value: Argument) -> Structure | None:
    """The call with another argument; None if the call is not a single one."""
    called = signature(structure.spec, structure.edition)
    step, *others = structure.program.steps
    if step.function != called.name:
        return None
    place = _names(called).index(exclusion.name)
    args, kwargs = list(step.args), dict(step.kwargs)
    if place < len(args):
        args[place] = value
    else:
        kwargs[exclusion.name] = value
    step = replace(step, args=tuple(args), kwargs=tuple(kwargs.items()))
    arguments = {**structure.arguments, exclusion.parameter: value}
    program = replace(structure.program, steps=(step, *others))
    return replace(structure, program=program, arguments=arguments)


def _out_of_range(structure: Structure, exclusion: Exclusion) -> Structure | None:
    rank, value = _rank(structure, exclusion), structure.arguments.get(exclusion.parameter)
    overriding = _OVERRIDDEN.get(exclusion.parameter)
    if rank is None or (overriding and structure.arguments.get(overriding) is not None):
        return None
    other = _with_first(value, lambda axis: -rank - 1 if axis < 0 else rank)
    return None if other is None else _with_argument(structure, exclusion, other)


def _with_first(value: Argument, other: Callable[[int], int]) -> Argument:
    """The integer, or the list or tuple of integers, with another first one; None for all else."""
    if type(value) is int:
        return other(value)
    if not isinstance(value, list | tuple) or not value or any(type(v) is not int for v in value):
        return None
    first, *rest = value
    changed = [other(int(first)), *rest]
    return changed if isinstance(value, list) else tuple(changed)


def _rank(structure: Structure, exclusion: Exclusion) -> int | None:
    """How many axes there are to count; None if the tensor has none.

    Some axes are those of the result, which may have more. The axis of a drawer and that of
    classes may be one of something in between.
    """
    rule = structure.spec.parameters[exclusion.parameter]
    of = getattr(rule, "of", None) or next(iter(structure.runtime.shapes), None)
    shape: Any = None if of is None else structure.runtime.shapes.get(of)
    if isinstance(shape, list):
        shape = shape[0]
    if not shape:
        return None
    open_to = isinstance(rule, kinds.FromDrawer | kinds.ClassAxis)
    inserted = open_to or getattr(rule, "position", "") == "new"
    return max(len(shape) + inserted, len(expected_shape(structure)))


def _misspelt(structure: Structure, exclusion: Exclusion) -> Structure | None:
    value = structure.arguments.get(exclusion.parameter)
    if not isinstance(value, str):
        return None
    rule = structure.spec.parameters[exclusion.parameter]
    other = "float31" if isinstance(rule, kinds.Dtype) else value[:-1]
    return _with_argument(structure, exclusion, other)


def _counted(number: int) -> Replace:
    def replaced(structure: Structure, exclusion: Exclusion) -> Structure | None:
        other = _with_first(structure.arguments.get(exclusion.parameter), lambda _: number)
        return None if other is None else _with_argument(structure, exclusion, other)

    return replaced


def _repeated(structure: Structure, exclusion: Exclusion) -> Structure | None:
    """The first axis is the same as the second, or as `axis2`."""
    value = structure.arguments.get(exclusion.parameter)
    other = structure.arguments.get("axis2")
    if type(value) is int and type(other) is int:
        return _with_argument(structure, exclusion, other)
    if not isinstance(value, list | tuple) or len(value) < 2:
        return None
    same = [value[1], *value[1:]]
    return _with_argument(structure, exclusion, same if isinstance(value, list) else tuple(same))


def _five_channels(structure: Structure, exclusion: Exclusion) -> Structure | None:
    first = structure.arguments.get("data_format") == "channels_first"
    name, inputs = exclusion.parameter, structure.program.inputs
    axes = {item.name: len(item.shape) - (3 if first else 1) for item in inputs}
    longer = tuple(_longer(item, name, axes[item.name], 2) for item in inputs)
    return replace(structure, program=replace(structure.program, inputs=longer))


def _unfit(structure: Structure, exclusion: Exclusion) -> Structure | None:
    """One axis of the tensor is longer by one, where that fits no other tensor."""
    value = structure.arguments.get(exclusion.parameter)
    refs = [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, Ref)]
    others = [v for n, v in structure.arguments.items() if n != exclusion.parameter]
    if not refs or refs[-1] in others or refs.count(refs[-1]) > 1:
        return None
    axis = _unfit_axis(structure, exclusion)
    if axis is None:
        return None
    inputs = tuple(_longer(i, refs[-1].name, axis) for i in structure.program.inputs)
    return replace(structure, program=replace(structure.program, inputs=inputs))


def _longer(item: Input, name: str, axis: int, by: int = 1) -> Input:
    if item.name != name:
        return item
    shape = [d + by * (place == axis) for place, d in enumerate(item.shape)]
    return replace(item, shape=tuple(shape), arguments=None)


def _unfit_axis(structure: Structure, exclusion: Exclusion) -> int | None:
    """The axis to lengthen; None if every length fits."""
    rule = structure.spec.parameters[exclusion.parameter]
    shape: Any = structure.runtime.shapes[exclusion.parameter]
    match rule:
        case kinds.Kernel(layout=layout):
            return len(shape) - (1 if layout == "transposed" else 2)
        case kinds.Pointwise():
            return len(shape) - 2
        case kinds.Companion(of=of):
            return _first(_both_long(shape, structure.runtime.shapes[of]))
        case kinds.Tensors(vary=vary):
            return _first(_beside(structure, shape, vary))
    return _first(axis for axis, length in enumerate(shape) if length > 1)


def _both_long(shape: Sequence[int], other: Sequence[int]) -> Iterator[int]:
    """The axes on which both tensors have more than one element."""
    for axis in range(-min(len(shape), len(other)), 0):
        if shape[axis] > 1 and other[axis] > 1:
            yield len(shape) + axis


def _beside(
    structure: Structure, shapes: Sequence[Sequence[int]], vary: str | None
) -> Iterator[int]:
    """The axes on which tensors of a list must agree."""
    rank = len(shapes[0])
    along: Any = None if vary is None else structure.arguments.get(vary)
    if len(shapes) > 1:
        yield from (axis for axis in range(rank) if along is None or axis != along % rank)


def _first(axes: Iterator[int]) -> int | None:
    return next(axes, None)


_SORTS: dict[str, Replace] = {
    "axis": _out_of_range,
    "name": _misspelt,
    "zero": _counted(0),
    "negative": _counted(-1),
    "shape": _unfit,
    "repeated": _repeated,
    "below": _counted(-2),
    "channels": _five_channels,
}


def excluded_calls(
    spec: Spec, edition: Edition, exclusion: Exclusion, count: int, seed: int
) -> Pool[Structure]:
    """Up to `count` different calls with such a value, of tensors of the backend."""
    return distinct_draws(calls_without(spec, edition, exclusion), key, count, seed)


def calls_without(spec: Spec, edition: Edition, exclusion: Exclusion) -> SearchStrategy[Structure]:
    """The strategy of such calls."""
    dtype = spec.dtypes.documented[0]
    drawn = structures(spec, edition, dtype=dtype, binding=Binding.CONSTANT)
    return drawn.map(exclusion.broken).filter(bool).map(_whole)


def _whole(structure: Structure | None) -> Structure:
    assert structure is not None, "calls without a place for the value are left out"
    return structure

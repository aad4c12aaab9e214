"""One call under construction: what has been drawn for its parameters so far."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from conformance.editions import EDITIONS, Edition, inputs_of, open_inputs_of, promotes
from conformance.generators import tensors
from conformance.generators.drawing import Chooser
from conformance.generators.parts import taken_apart
from conformance.generators.sizes import ELEMENTS
from conformance.program import Argument, Binding, Input, Layout, Made, Program, Ref, Step
from conformance.program.model import AS_THEY_ARE, TENSORS_OF_INTEGERS
from conformance.specs import Spec
from conformance.specs.kinds import (
    DataFormat,
    Kernel,
    LocalKernel,
    Omitted,
    ParameterRule,
    PlaceholderShape,
)
from conformance.specs.load import signature
from conformance.specs.model import ErrorCase, Part
from conformance.specs.rules import Scope
from conformance.specs.signature import Signature, misprinted

BINDINGS = (
    Binding.PLACEHOLDER,
    Binding.VARIABLE,
    Binding.PLACEHOLDER_NONE,
    Binding.PLACEHOLDER,
    Binding.PLACEHOLDER_NONE,
    Binding.VARIABLE,
    Binding.PLACEHOLDER_NONE,
    Binding.PLACEHOLDER,
    Binding.CONSTANT,
)
"""Variables cost an initialisation and constants a new graph for every draw, so they are rarer."""

FLOATX = "float32"


@dataclass(frozen=True, slots=True)
class Along:
    """Probabilities that sum to one along an axis, or are logits where a parameter says so."""

    axis: str | None
    logits: str | None
    target: bool


def offered_bindings(spec: Spec, edition: Edition) -> list[Binding]:
    """The bindings of a valid input, as often as they are wanted.

    An edition may lack some, may leave others open, and may document an error for a binding alone.
    """
    errors = [e for e in spec.errors if edition in e.editions and not e.parameters]
    excluded = {Binding(b) for error in errors for b in error.bindings}
    named = [b for b in BINDINGS if b in inputs_of(edition)]
    left_open = (Binding(b) for b in open_inputs_of(edition))
    return [b for b in (*named, *left_open) if b not in excluded]


def mixtures(spec: Spec, edition: Edition) -> tuple[str, ...]:
    """The dtypes that the tensors of a call may have beside each other: floats that are documented,
    and integers that are tried where the edition promotes them."""
    floats = {*spec.dtypes.documented} & {*tensors.BOTH_FLOATS}
    tried = {*spec.dtypes.probed, *spec.dtypes.beside}
    whole = tried & {tensors.WHOLE} if promotes(edition) else set()
    return tuple(d for d in (tensors.WHOLE, *tensors.BOTH_FLOATS) if d in floats | whole)


class CallDraft:
    """Collects arguments, inputs and shapes; names of parameters are the newest ones."""

    COLLECTED = (
        "shapes",
        "static_shapes",
        "dtypes",
        "values",
        "static_values",
        "passed",
        "must_pass",
        "inputs",
        "domains",
        "below",
        "along",
    )
    """What drawing a parameter adds to."""

    def __init__(
        self,
        chooser: Chooser,
        spec: Spec,
        documented: Signature,
        edition: Edition,
        error: ErrorCase | None,
        *,
        dtype: str | None = None,
        binding: Binding | None = None,
        elements: int = ELEMENTS,
    ) -> None:
        self.chooser = chooser
        self.pick, self.draw = chooser.pick, chooser.draw
        self.spec = spec
        self.documented = documented
        self.edition = edition
        self.error = error
        self.rules: dict[str, ParameterRule] = {**spec.parameters, **(error or _NONE).parameters}
        self.shapes: dict[str, Any] = {}
        self.static_shapes: dict[str, Any] = {}
        self.dtypes: dict[str, str] = {}
        self.values: dict[str, Any] = _defaults(spec, documented)
        self.static_values: dict[str, Any] = {}
        self.passed: dict[str, Argument] = {}
        self.must_pass: set[str] = set()
        self.inputs: list[Input] = []
        self.domains: dict[str, str] = {}
        self.below: dict[str, int] = {}
        self.along: dict[str, Along] = {}
        self.part: Part | None = None
        self.claimed = "result"
        self.mixtures = mixtures(spec, edition)
        self.mixed = False
        """Whether its tensors have two dtypes, as one call may."""
        self.one_tensor = False
        """Whether a tensor was shaped so that it can be passed in the place of the next one."""
        self.aims: Mapping[str, str] = {}
        """The classes that features of the call, and of the current parameter, should have."""
        self.dtype: str = dtype or self.drawn_dtype()
        self.binding = binding
        self.room = elements
        """The most elements that a tensor may have, about."""

    @property
    def order(self) -> list[str]:
        """The parameters to draw: those of the edition that have a rule, dependencies first."""
        offered = {self.newest(p.name) for p in self.documented.parameters}
        return [n for n in self.rules if n in offered and not isinstance(self.rules[n], Omitted)]

    def drawn_dtype(self) -> str:
        """The dtype of its tensors: a documented one as often as any other."""
        dtype: str = self.pick(tuple(_weighted(self.spec)))
        return dtype

    def pick_as(
        self, feature: str, choices: tuple[Any, ...], class_of: Callable[[Any], str]
    ) -> Any:
        """One of the choices, of the class that the feature should have if there is such a one."""
        aim = self.aims.get(feature)
        if aim is None:
            return self.pick(choices)
        return self.pick_from(choices, lambda choice: class_of(choice) == aim)

    def pick_from(self, choices: tuple[Any, ...], fits: Callable[[Any], bool]) -> Any:
        """One of the choices: one that fits if there is such a one."""
        among = tuple(i for i, choice in enumerate(choices) if fits(choice))
        return self.chooser.pick(choices, among)

    def integer(self, bounds: tuple[int, int]) -> int:
        """An integer from the first to the second, both included."""
        return self.chooser.integer(*bounds)

    def newest(self, name: str) -> str:
        """The newest name of a parameter."""
        return self.spec.renamed.get(name, name)

    def may_omit(self, name: str) -> bool:
        """Whether the parameter can be left to its documented default."""
        if name in self.must_pass or name in (self.error or _NONE).parameters:
            return False
        if isinstance(self.rules[name], DataFormat | PlaceholderShape):
            return False
        return any(
            not p.required for p in self.documented.parameters if self.newest(p.name) == name
        )

    def may_be_none(self, name: str) -> bool:
        """Whether None may be passed for the parameter because that is its documented default."""
        return self.may_omit(name) and any(
            p.value is None for p in self.documented.parameters if self.newest(p.name) == name
        )

    def tensors_of_integers(self) -> list[str]:
        """The kinds of `Made` that are tensors, of those that the edition has."""
        known = {*inputs_of(self.edition), *open_inputs_of(self.edition)}
        return [kind for kind in TENSORS_OF_INTEGERS if kind in known]

    def documented_dtypes(self, name: str) -> list[str]:
        """The dtypes that the documents cover for a tensor parameter."""
        return list(getattr(self.rules.get(name), "dtypes", None) or self.spec.dtypes.documented)

    def add_value(self, name: str, value: Argument) -> None:
        """Pass `value`, which is no tensor, or integers that a tensor holds."""
        self.passed[name] = value
        if isinstance(value, Made):
            self.values[name] = value.value
            if value.kind in TENSORS_OF_INTEGERS:
                self.static_values[name] = [None] * len(value.items)
        else:
            self.values[name] = value

    def add_tensor(self, name: str, shape: tuple[int, ...], dtype: str, domain: str) -> None:
        """Pass a new input as the parameter `name`."""
        item = self.new_input(name, shape, dtype, domain)
        self.shapes[name], self.static_shapes[name] = item.shape, item.static_shape
        self.dtypes[name] = dtype
        self.passed[name] = Ref(item.name)

    def add_tensors(self, name: str, shapes: list[tuple[int, ...]], dtype: str) -> None:
        """Pass a list of new inputs."""
        items = [self.new_input(f"{name}_{i}", s, dtype, "real") for i, s in enumerate(shapes)]
        self.shapes[name] = [i.shape for i in items]
        self.static_shapes[name] = [i.static_shape for i in items]
        self.dtypes[name] = dtype
        self.passed[name] = [Ref(i.name) for i in items]

    def new_input(
        self,
        name: str,
        shape: tuple[int, ...],
        dtype: str,
        domain: str,
        binding: Binding | None = None,
    ) -> Input:
        """Add an input to the program."""
        item = tensors.as_python_has_it(Input(name, shape, dtype, binding or self._binding()))
        if item.binding is Binding.PLACEHOLDER_NONE and self.error is None:
            item = tensors.partly_known(item, self._known(name, len(shape)))
        self.inputs.append(item)
        self.domains[name] = domain
        return item

    def _binding(self) -> Binding:
        found: Binding = self.pick_as("binding", tuple(self._bindings()), str)
        return found

    def _known(self, name: str, rank: int) -> tensors.Known:
        alone = len(tensors.ranks_of(self.rules.get(name))) == 1
        patterns = tensors.known_patterns(rank, alone=alone)
        feature, class_of = "known", tensors.pattern
        if feature not in self.aims:
            feature, class_of = "partly known", tensors.partly
        found: tensors.Known = self.pick_as(feature, patterns, class_of)
        return found

    def _bindings(self) -> list[Binding]:
        if self.binding is not None:
            return [self.binding]
        if self.error is not None and self.error.bindings:
            return [Binding(b) for b in self.error.bindings]
        return offered_bindings(self.spec, self.edition)

    def scope(self, *, static: bool) -> Scope:
        """What the names in the spec's rules stand for."""
        shapes = self.static_shapes if static else self.shapes
        values = {**self.values, **self.static_values} if static else self.values
        return Scope(values, shapes, self.dtypes, FLOATX, self.domains)

    def complete_arguments(self) -> dict[str, Argument]:
        """What every parameter stands for, defaults included."""
        return {**self.values, **self.passed}

    def program(self) -> Program:
        """The inputs and the call."""
        if any(isinstance(rule, PlaceholderShape) for rule in self.spec.parameters.values()):
            return self._placeholder_program()
        if self.error is None:
            self._pass_twice()
            self._mix_dtypes()
        steps = self._steps()  # may bind inputs otherwise
        if self.error is None:
            self._lay_out()
        return Program(tuple(self.inputs), steps, ("result",))

    def _pass_twice(self) -> None:
        """Now and then, pass one tensor in the place of two that are alike."""
        pairs = tuple(p for p in self._alike() if self._may_share(*p))
        if pairs and (self.one_tensor or self.pick_as("aliases", _SELDOM, tensors.yes_or_no)):
            self.share(*self.pick(pairs))

    def _alike(self) -> Iterator[tuple[str, str]]:
        return tensors.alike(self.inputs, self.passed, self.domains)

    def _may_share(self, kept: str, other: str) -> bool:
        """Whether the limits of both tensors can hold for one; logits are no probabilities, and the
        dimensions of kernels are known."""
        if not {self.domains[kept], self.domains[other]}.isdisjoint(_CONSTRUCTED):
            return False
        limited = [self.along[name] for name in (kept, other) if name in self.along]
        logits = any(a.logits is not None and self.values.get(a.logits) for a in limited)
        alone = len(limited) == 1 and limited[0].axis is not None
        return not (alone or logits or self._unknown_kernel(kept, other))

    def _unknown_kernel(self, kept: str, other: str) -> bool:
        kernels = (n for n in (kept, other) if isinstance(self.rules.get(n), Kernel | LocalKernel))
        told = next(item.static_shape for item in self.inputs if item.name == kept)
        return None in told and any(kernels)

    def share(self, kept: str, other: str) -> None:
        """Pass the input `kept` wherever `other` is passed, with the limits of both."""
        self.inputs = [item for item in self.inputs if item.name != other]
        self.passed = {n: tensors.renamed(v, other, kept) for n, v in self.passed.items()}
        self.domains[kept] = str(tensors.stricter(self.domains[kept], self.domains[other]))
        if other in self.along:
            self.along[kept] = self.along.pop(other)
        if other in self.below:
            self.below[kept] = min(self.below.pop(other), self.below.get(kept, sys.maxsize))
        self.know_again()

    def know_again(self) -> None:
        """Take what is known of each tensor's shape from its input."""
        known = {item.name: item.static_shape for item in self.inputs}
        for name, value in self.passed.items():
            listed = [known[ref] for ref in tensors.references(value)]
            if listed and name in self.static_shapes:
                self.static_shapes[name] = listed if isinstance(value, list) else listed[0]

    def _mix_dtypes(self) -> None:
        """Seldom, make one tensor but the first of another dtype that the function takes."""
        fitting = {i.name: i.dtype for i in self.inputs if self._may_be_mixed(i)}
        if len(fitting) < 2:
            return
        first, *others = fitting
        beside = tuple(d for d in self.mixtures if d != fitting[first])
        told = partial(tensors.then, fitting[first])
        other = self.pick_as(tensors.MIXED, (None,) * _PLAINLY + beside, told)
        if other is not None:
            self._mix(self.pick(tuple(others)), other)

    def _mix(self, chosen: str, other: str) -> None:
        self.inputs = [i.of_dtype(other) if i.name == chosen else i for i in self.inputs]
        self.dtypes |= {n: other for n, value in self.passed.items() if value == Ref(chosen)}
        self.mixed = True

    def _may_be_mixed(self, item: Input) -> bool:
        """Whether the tensor may as well have another dtype that the function takes."""
        own = getattr(self.rules.get(item.name), "dtypes", None)
        fits = item.dtype in self.mixtures and len(self.mixtures) > 1
        return fits and own is None and item.binding not in AS_THEY_ARE

    def integer_dtype(self, dtype: str, below: int) -> str:
        """The dtype of indices less than `below`: seldom another one that can hold them."""
        if not dtype.startswith("int") or self.error is not None or not self.pick(_RARELY):
            return dtype
        other: str = self.pick(tensors.integers_for(below))
        return other

    def _lay_out(self) -> None:
        """Now and then, give arrays that do not lie in memory row by row."""
        layout = self.pick_as("layout", tensors.LAYOUTS, str)
        able = [item for item in self.inputs if self._may_be_laid_out(item, layout)]
        choices = tensors.choices_of_layout(able, layout)
        if layout is not Layout.C and choices:
            name = self.pick(choices)
            laid = {item.name: tensors.laid_out(item, layout, name) for item in able}
            self.inputs = [laid.get(item.name, item) for item in self.inputs]

    def _may_be_laid_out(self, item: Input, layout: Layout) -> bool:
        """What is left open already is in no odd layout: it would be open twice over."""
        return layout not in tensors.ODD or item.binding not in open_inputs_of(self.edition)

    def _steps(self) -> tuple[Step, ...]:
        if not self.spec.results:
            return (self._step(),)
        index = self.integer((0, len(self.spec.results) - 1))
        self.part = self.spec.results[index]
        if index:
            # such a member need not depend on every input: either all inputs are fed, or none is
            first = self.inputs[0].binding
            self.inputs = [i if i.binding is first else i.bound(first) for i in self.inputs]
            self.know_again()
        return taken_apart(self._step(), index, flat=self.part.flat)

    def _placeholder_program(self) -> Program:
        """The call makes the input itself, seen through `maximum(x, x)`, which equals x."""
        arguments = tuple((name, value) for name, value in self.passed.items())
        dtype = self.values.get("dtype") or FLOATX
        shape = self.values.get("shape") or ()
        item = Input("x", shape, dtype, Binding.PLACEHOLDER, arguments)
        self.claimed = "x"
        step = Step("result", "maximum", (Ref("x"), Ref("x")))
        return Program((item,), (step,), ("result",))

    def _disputed(self) -> int:
        """How many parameters must be passed by position: up to the last one whose name the
        document prints in two ways (C042)."""
        printed = self.spec.signatures[self.spec.editions[self.edition]].text
        other = {*misprinted(self.documented, printed).values()}
        names = [p.name for p in self.documented.parameters]
        return max((names.index(name) + 1 for name in other), default=0)

    def _step(self) -> Step:
        passed = [p for p in self.documented.parameters if self.newest(p.name) in self.passed]
        leading = 0
        for mine, documented in zip(passed, self.documented.parameters, strict=False):
            if mine is not documented:
                break
            leading += 1
        positional = self.integer((0, leading)) if leading else 0
        positional = max(leading - positional, min(leading, self._disputed()))
        return Step(
            "result",
            self.documented.name,
            tuple(self.passed[self.newest(p.name)] for p in passed[:positional]),
            tuple((p.name, self.passed[self.newest(p.name)]) for p in passed[positional:]),
        )


_SELDOM = (False,) * 7 + (True,)
_RARELY = (False,) * 15 + (True,)
_PLAINLY = 15
"""How often the tensors of a call have one dtype, where each mixture comes once."""
_CONSTRUCTED = ("mirrored", "mirrored_last", "even")
"""Domains of kernels, whose elements are made to fit each other."""

_NONE = ErrorCase(name="none", says="", exception="any", editions=[])


def _weighted(spec: Spec) -> list[str]:
    """Documented dtypes as often as probed ones, and first."""
    documented: list[str] = list(spec.dtypes.documented)
    weight = max(1, -(-len(spec.dtypes.probed) // len(documented)))
    return documented * weight + list(spec.dtypes.probed)


def _defaults(spec: Spec, documented: Signature) -> dict[str, Any]:
    """The defaults of the edition; of the newest edition for parameters that it lacks."""
    own = {
        spec.renamed.get(p.name, p.name): p.value for p in documented.parameters if not p.required
    }
    return {**_newest_defaults(spec), **own}


def _newest_defaults(spec: Spec) -> dict[str, Any]:
    newest = [e for e in EDITIONS if e in spec.editions][-1]
    return {
        spec.renamed.get(p.name, p.name): p.value
        for p in signature(spec, newest).parameters
        if not p.required
    }

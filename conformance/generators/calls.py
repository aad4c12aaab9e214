"""One call under construction: what has been drawn for its parameters so far."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from hypothesis.errors import UnsatisfiedAssumption

from conformance.editions import Edition, inputs_of, open_inputs_of
from conformance.generators import tensors
from conformance.generators.bindings import offered_bindings
from conformance.generators.complex_numbers import of_complex_numbers
from conformance.generators.defaults import defaults_of, mixtures, weighted_dtypes
from conformance.generators.drawing import Chooser
from conformance.generators.parts import alone, member, members, taken_apart
from conformance.generators.passing import step
from conformance.generators.sizes import ELEMENTS
from conformance.program import Argument, Binding, Input, Layout, Made, Program, Ref, Step
from conformance.program.model import AS_THEY_ARE, TENSORS_OF_INTEGERS
from conformance.specs import Spec
from conformance.specs.expansion import ITEM
from conformance.specs.kinds import (
    DataFormat,
    FromDrawer,
    Kernel,
    LocalKernel,
    Omitted,
    ParameterRule,
    PlaceholderShape,
    Pointwise,
)
from conformance.specs.model import ErrorCase, Part
from conformance.specs.rules import Scope, evaluate
from conformance.specs.signature import Signature

FLOATX = "float32"
_KERNELS = (Kernel, LocalKernel, Pointwise)
"""The kinds of tensors whose dimensions are known."""


@dataclass(frozen=True, slots=True)
class Along:
    """Probabilities that sum to one along an axis, or are logits where a parameter says so."""

    axis: str | None
    logits: str | None
    target: bool


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
        "columns",
        "distinct",
        "along",
        "joint",
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
        self.values: dict[str, Any] = defaults_of(spec, documented)
        self.static_values: dict[str, Any] = {}
        self.passed: dict[str, Argument] = {}
        self.must_pass: set[str] = set()
        self.inputs: list[Input] = []
        self.domains: dict[str, str] = {}
        self.below: dict[str, int] = {}
        self.columns: dict[str, tuple[int, ...]] = {}
        self.distinct: dict[str, int] = {}
        """How many different numbers or slices tensors have whose domain says so."""
        self.along: dict[str, Along] = {}
        self.joint: dict[str, str] = {}
        """Parameters whose tensors belong together: a name of `joint.FITS` for each."""
        self.part: Part | None = None
        self.claimed = "result"
        self.mixtures = mixtures(spec, edition)
        self.mixed = False
        """Whether its tensors have two dtypes, as one call may."""
        self.one_tensor = False
        """Whether a tensor was shaped so that it can be passed in the place of the next one."""
        self.aims: Mapping[str, str] = {}
        """The classes that features of the call, and of the current parameter, should have."""
        self.aims_of: Mapping[str, Mapping[str, str]] = {}
        """The aims of each parameter that is drawn in one turn with others."""
        self.dtype: str = dtype or self.drawn_dtype()
        self.binding = binding
        self.room = elements
        """The most elements that a tensor may have, about."""

    @property
    def order(self) -> list[str]:
        """The parameters to draw: those of the edition that have a rule, dependencies first."""
        offered = {self.newest(p.name) for p in self.documented.every}
        return [n for n in self.rules if n in offered and not isinstance(self.rules[n], Omitted)]

    @property
    def turns(self) -> list[tuple[str, ...]]:
        """The parameters in the order in which they are drawn: each by itself, and those that a
        drawer gives together."""
        order = self.order
        together = tuple(n for n in order if isinstance(self.rules[n], FromDrawer))
        return [
            together if name in together else (name,) for name in order if name not in together[1:]
        ]

    def existing_shape(self, ranks: tuple[int, int], room: int) -> tuple[int, ...] | None:
        """The shape of an existing tensor for a tensor that a drawer begins with; None for a drawn
        one. A call by itself has no tensors but its own."""
        del ranks, room
        return None

    def aim(self, name: str) -> None:
        """Draw what comes next with the aims of this parameter."""
        self.aims = self.aims_of.get(name, self.aims)

    def drawn_dtype(self) -> str:
        """The dtype of its tensors: a documented one as often as any other."""
        dtype: str = self.pick(tuple(weighted_dtypes(self.spec)))
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
        return any(not p.required for p in self.documented.every if self.newest(p.name) == name)

    def may_be_none(self, name: str) -> bool:
        """Whether None may be passed for the parameter because that is its documented default."""
        return self.may_omit(name) and any(
            p.value is None for p in self.documented.every if self.newest(p.name) == name
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

    def add_tensor(
        self,
        name: str,
        shape: tuple[int, ...],
        dtype: str,
        domain: str,
        binding: Binding | None = None,
    ) -> None:
        """Pass a new input as the parameter `name`."""
        self.aim(name)
        item = self.new_input(name, shape, dtype, domain, binding)
        if name in self.values:
            self.values[name] = Ref(item.name)
        self.shapes[name], self.static_shapes[name] = item.shape, item.static_shape
        self.dtypes[name] = dtype
        self.passed[name] = Ref(item.name)

    def add_places(
        self, name: str, shape: tuple[int, ...], below: int, domain: str = "real"
    ) -> None:
        """Pass a new input of indices from 0 to less than `below`."""
        dtypes = tuple(getattr(self.rules.get(name), "dtypes", None) or ("int32",))
        self.add_tensor(name, shape, self.integer_dtype(self.pick(dtypes), below), domain)
        self.below[name] = below

    def add_tensors(self, name: str, shapes: list[tuple[int, ...]], dtype: str) -> None:
        """Pass a list of new inputs."""
        self.aim(name)
        items = [self.new_input(f"{name}_{i}", s, dtype, "real") for i, s in enumerate(shapes)]
        self._pass_tensors(name, items, [Ref(i.name) for i in items])

    def add_parts(self, name: str, shape: tuple[int, ...], dtype: str, domain: str) -> None:
        """Pass the real and the imaginary parts of complex numbers in a tuple: two new inputs that
        are made in the same way, the second with numbers from `domain`."""
        self.aim(name)
        real = self.new_input(f"{name}_real", shape, dtype, "real")
        imag = replace(real, name=f"{name}_imag")
        self.inputs.append(imag)
        self.domains[imag.name] = domain
        self._pass_tensors(name, [real, imag], (Ref(real.name), Ref(imag.name)))

    def _pass_tensors(self, name: str, items: list[Input], passed: Argument) -> None:
        self.shapes[name] = [i.shape for i in items]
        self.static_shapes[name] = [i.static_shape for i in items]
        self.dtypes[name] = items[0].dtype
        self.passed[name] = passed

    def new_input(
        self,
        name: str,
        shape: tuple[int, ...],
        dtype: str,
        domain: str,
        binding: Binding | None = None,
    ) -> Input:
        """Add an input to the program."""
        chosen = binding or self._binding()
        if chosen in tensors.SYMBOLIC and getattr(self.rules.get(name), "eager", False):
            chosen = Binding.CONSTANT
        item = tensors.as_python_has_it(Input(name, shape, dtype, chosen))
        if item.binding is Binding.PLACEHOLDER_NONE and self.error is None:
            item = tensors.partly_known(item, self._known(name, len(shape)))
        self.inputs.append(item)
        self.domains[name] = domain
        return item

    def _binding(self) -> Binding:
        return Binding(self.pick_as("binding", tuple(self._bindings()), str))

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
        counts = {} if static else {**self.below, **self.distinct}
        return Scope(values, shapes, self.dtypes, FLOATX, self.domains, counts)

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
        program = Program(tuple(self.inputs), (*steps, *self._members()), self._outputs())
        pairs = [n for n, rule in self.rules.items() if getattr(rule, "complex", False)]
        return of_complex_numbers(program, pairs)

    def _members(self) -> Iterator[Step]:
        """All members of a tuple, where one alone does not show whether the answer is right."""
        for place, name in enumerate(self._outputs()[1:]):
            yield member("results", name, place, self.parts[place].by)

    def _outputs(self) -> tuple[str, ...]:
        parts = () if self.spec.unique or alone(self.spec, self.parts) else self.parts
        return ("result", *(f"member_{place}" for place in range(len(parts))))

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
        if not {self.domains[kept], self.domains[other]}.isdisjoint(tensors.CONSTRUCTED):
            return False
        apart = {*self.columns, *(ref for n in self.joint for ref in self._references(n))}
        if kept in apart or other in apart:
            return False
        limited = [self.along[name] for name in (kept, other) if name in self.along]
        logits = any(a.logits is not None and self.values.get(a.logits) for a in limited)
        alone = len(limited) == 1 and limited[0].axis is not None
        return not (alone or logits or self._unknown_kernel(kept, other))

    def _references(self, parameter: str) -> list[str]:
        return tensors.references(self.passed.get(parameter))

    def _unknown_kernel(self, kept: str, other: str) -> bool:
        kernels = (n for n in (kept, other) if isinstance(self.rules.get(n), _KERNELS))
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
                several = isinstance(value, list | tuple)
                self.static_shapes[name] = listed if several else listed[0]

    def know(self, name: str, *axes: int) -> None:
        """Let the lengths of these axes be known before the numbers are: how many results there
        are, or which of them, depends on them."""
        place = next(n for n, item in enumerate(self.inputs) if item.name == name)
        item, known = self.inputs[place], [*self.inputs[place].static_shape]
        for axis in axes:
            known[axis] = item.shape[axis]
        if item.binding is Binding.PLACEHOLDER_NONE:
            self.inputs[place] = tensors.told(item, tuple(known))
            self.know_again()

    def _mix_dtypes(self) -> None:
        """Seldom, make one tensor but the first of another dtype that the function takes."""
        fitting = {i.name: i.dtype for i in self.inputs if self._may_be_mixed(i)}
        if len(fitting) < 2:
            return
        first, *others = fitting
        beside = tuple(d for d in self.mixtures if d != fitting[first])
        told = partial(tensors.then, fitting[first])
        plainly = (None,) * (_PLAINLY * max(1, len(beside) // 2))
        other = self.pick_as(tensors.MIXED, plainly + beside, told)
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
        index = self._member()
        if alone(self.spec, self.parts):
            return (self._step(),)
        if index and self.inputs:
            # such a member need not depend on every input: either all inputs are fed, or none is
            first = self.inputs[0].binding
            self.inputs = [i if self._stays(i, first) else i.bound(first) for i in self.inputs]
            self.know_again()
        assert self.part is not None
        return taken_apart(self._step(), index, flat=self.part.flat, by=self.part.by)

    def _stays(self, item: Input, binding: Binding) -> bool:
        return item.binding is binding or getattr(self.rules.get(item.name), "eager", False)

    def _member(self) -> int:
        """The place of the member of a tuple or a list that the case looks at; of a list sometimes
        counted from its end."""
        parts = self.parts
        place = self.integer((0, len(parts) - 1))
        self.part = parts[place]
        if self.part.count is None:
            return place
        count = evaluate(self.part.count, self.scope(static=False))
        if not count:
            raise UnsatisfiedAssumption("a list without members has none to look at")
        item = self.integer((0, count - 1))
        self.values[ITEM] = item
        return item - count if self.pick(_FROM_THE_END) else item

    @property
    def parts(self) -> list[Part]:
        """The members of the tuple that this call returns."""
        return members(self.spec, self.scope(static=False))

    def _placeholder_program(self) -> Program:
        """The call makes the input itself, seen through `maximum(x, x)`, which equals x."""
        arguments = tuple((name, value) for name, value in self.passed.items())
        dtype = self.values.get("dtype") or FLOATX
        shape = self.values.get("shape") or ()
        item = Input("x", shape, dtype, Binding.PLACEHOLDER, arguments)
        self.claimed = "x"
        return Program((item,), (Step("result", "maximum", (Ref("x"), Ref("x"))),), ("result",))

    def _step(self) -> Step:
        named = ((p.name, self.newest(p.name)) for p in self.documented.every)
        passed = {name: self.passed[own] for name, own in named if own in self.passed}
        printed = self.spec.signatures[self.spec.editions[self.edition]].text
        return step(self.documented, printed, passed, self.integer)


_FROM_THE_END = (False, False, True)
_SELDOM = (False,) * 7 + (True,)
_RARELY = (False,) * 15 + (True,)
_PLAINLY = 15
"""How often the tensors of a call have one dtype, where each of two mixtures comes once."""
_NONE = ErrorCase(name="none", says="", exception="any", editions=[])

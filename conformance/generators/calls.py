"""One call under construction: what has been drawn for its parameters so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.editions import EDITIONS, Edition
from conformance.generators.drawing import Chooser
from conformance.generators.parts import taken_apart
from conformance.program import Argument, Binding, Input, Program, Ref, Step
from conformance.specs import Spec
from conformance.specs.kinds import DataFormat, Omitted, ParameterRule, PlaceholderShape
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
MOST_PICKED = 25
"""How many times one choice is made at most to get one of the wanted class."""


@dataclass(frozen=True, slots=True)
class Along:
    """Probabilities that sum to one along an axis, or are logits where a parameter says so."""

    axis: str | None
    logits: str | None
    target: bool


def offered_bindings(spec: Spec, edition: Edition) -> list[Binding]:
    """The bindings of a valid input, as often as they are wanted.

    An edition may lack `constant`, and may document an error for a binding alone.
    """
    errors = [e for e in spec.errors if edition in e.editions and not e.parameters]
    excluded = {Binding(b) for error in errors for b in error.bindings}
    if edition == "keras-1":
        excluded.add(Binding.CONSTANT)
    return [b for b in BINDINGS if b not in excluded]


class CallDraft:
    """Collects arguments, inputs and shapes; names of parameters are the newest ones."""

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
        self.aims: Mapping[str, str] = {}
        """The classes that the features of the current parameter's tensor should have."""
        self.dtype: str = dtype or self.drawn_dtype()
        self.binding = binding

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
        """One of the choices, of the wanted class if that comes soon."""
        aim = self.aims.get(feature)
        for _ in range(0 if aim is None else MOST_PICKED):
            start = self.chooser.position()
            chosen = self.pick(choices)
            if aim == class_of(chosen):
                return chosen
            self.chooser.take_back(start)
        return self.pick(choices)

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

    def documented_dtypes(self, name: str) -> list[str]:
        """The dtypes that the documents cover for a tensor parameter."""
        return list(getattr(self.rules.get(name), "dtypes", None) or self.spec.dtypes.documented)

    def add_value(self, name: str, value: Argument) -> None:
        """Pass `value`, which is no tensor."""
        self.values[name] = value
        self.passed[name] = value

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
        item = Input(name, shape, dtype, binding or self._binding())
        self.inputs.append(item)
        self.domains[name] = domain
        return item

    def _binding(self) -> Binding:
        found: Binding = self.pick_as("binding", tuple(self._bindings()), str)
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
        steps = self._steps()  # may bind inputs otherwise
        return Program(tuple(self.inputs), steps, ("result",))

    def _steps(self) -> tuple[Step, ...]:
        if not self.spec.results:
            return (self._step(),)
        index = self.integer((0, len(self.spec.results) - 1))
        self.part = self.spec.results[index]
        if index:
            # such a member need not depend on every input: either all inputs are fed, or none is
            first = self.inputs[0].binding
            self.inputs = [replace(item, binding=first) for item in self.inputs]
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

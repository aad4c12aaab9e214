"""Findings: what is wrong with one observation, before it becomes a record of the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from itertools import groupby
from types import MappingProxyType
from typing import Any

import numpy.typing as npt

from conformance.editions import open_inputs_of, symbols_of
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.messages import gist
from conformance.generators.complex_numbers import call_of
from conformance.generators.tensors import SYMBOLIC
from conformance.observations import Value
from conformance.program import Binding, Input, Layout, Step, call_text
from conformance.program.model import COMPILED
from conformance.results import Aspect, FindingKind, Replacement, Verdict

Array = npt.NDArray[Any]
Identity = tuple[Aspect, str, str, tuple[str, ...]]

RESULT_OF = "a result of "
"""How the demands of a finding begin where a call gave no result at all: of some shape or rank."""


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """What a check of a scenario looked at, and expressions for scripts (`Problem`)."""

    values: Mapping[str, tuple[Value, ...]]
    fault: str = ""
    wrong: str = ""
    limits: Array | None = None
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Allowance:
    """The conventions that allow an answer, and the readings of theirs that it takes.

    Nothing allows a violation."""

    conventions: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    open_points: tuple[str, ...] = ()
    """The conventions of the case that do not allow it; empty if others do."""

    @property
    def verdict(self) -> Verdict:
        """A divergence if anything allows the answer, else a violation."""
        return Verdict.DIVERGES if self.conventions else Verdict.VIOLATES


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """One thing that is wrong with one aspect of one case.

    Judging makes a finding for each case, and a run has thousands. The tally groups findings of one
    *identity* as one failure. The identity has an aspect, a kind of difference, a detail and the
    conventions. The detail names the fault: the type of an exception and the gist of its message,
    or the wrong dtype. Numbers, shapes and profiles are outside. Therefore every run that meets the
    fault gives the failure the same id (`verdicts.failures.identifier`).

    The verdict follows from the `Allowance`. An answer that a convention allows diverges, any other
    wrong answer violates, and a refusal of the library is unsupported.
    """

    aspect: Aspect
    verdict: Verdict
    kind: FindingKind | str
    """The sort of difference; shrinking keeps it, together with `detail` and `conventions`."""
    _: KW_ONLY
    gives: str
    """What happened, in words that follow the call."""
    demands: str
    """What should have happened, in words that follow "expected"; empty if `gives` implies it."""
    detail: str = ""
    conventions: tuple[str, ...] = ()
    draw: int = 0
    got: Array | str | None = None
    got_dtype: str | None = None
    """The dtype of `got`, where the array does not say it: bfloat16."""
    expected: Array | str | Callable[[], Array] | None = None
    """The expected answer, or a function that gives it: a bound is slow, and few need it."""
    ulp: float | None = None
    at: Mapping[str, int | str] = field(default_factory=dict)
    """Document to line or section, if the finding has one of its own to cite."""
    parameter: str | None = None
    """The parameter that is wrong: its line is cited if the document has one."""
    readings: tuple[str, ...] = ()
    """The allowed readings that the answer takes, such as "kernel-layout: th"."""
    open_points: tuple[str, ...] = ()
    """Conventions that the case rests on, none of whose readings allows the answer."""
    checked: Checked | None = None
    """Set where a check of a scenario found it."""
    replacement: Replacement | None = None
    """The row of the mapping that leads to the call, where what differs is `changed`."""
    place: str | None = None
    """The innermost line of the implementation that raised."""

    @classmethod
    def under(
        cls,
        allowed: Allowance,
        aspect: Aspect,
        kind: FindingKind | str,
        *,
        verdict: Verdict | None = None,
        **details: Any,
    ) -> Finding:
        """A finding with the verdict, conventions, readings and open points of an allowance.

        `verdict` takes the place of the allowance's; `details` are the other fields.
        """
        return cls(
            aspect,
            allowed.verdict if verdict is None else verdict,
            kind,
            **{
                "conventions": allowed.conventions,
                "readings": allowed.readings,
                "open_points": allowed.open_points,
                **details,
            },
        )

    @property
    def contradicts(self) -> bool:
        """Whether the answer is another than a document says, which is then cited."""
        return self.verdict in (Verdict.VIOLATES, Verdict.CHANGED)

    @property
    def plain_identity(self) -> Identity:
        """The identity without the message of an exception."""
        return (self.aspect, self.kind, self.detail, self.conventions)

    @property
    def identity(self) -> Identity:
        """Two findings with the same identity are the same failure.

        Exceptions of one type with other messages are other failures.
        """
        detail = "\0".join(filter(None, (self.detail, gist(self.gives))))
        return (self.aspect, self.kind, detail, self.conventions)

    @property
    def is_refusal(self) -> bool:
        """Whether an exception is put down to a dtype, a binding or a convention."""
        excused = self.verdict in (Verdict.UNSUPPORTED, Verdict.DIVERGES)
        return excused and self.kind in (FindingKind.EXCEPTION, FindingKind.UNMADE_INPUT)


@dataclass(slots=True)
class Judgement:
    """What one observation shows: findings, judged cases by aspect, and the worst error."""

    findings: list[Finding] = field(default_factory=list)
    cases: dict[Aspect, int] = field(default_factory=dict)
    ulp: float | None = None
    limit_ulp: float | None = None
    readings: Counter[tuple[Aspect, str]] = field(default_factory=Counter)
    """How many cases show which reading of a convention, the suite's own among them."""

    @property
    def failed(self) -> int:
        """How many draws failed; what the target lacks, or cannot make, is no failure."""
        return len({f.draw for f in self.findings if f.verdict is not Verdict.UNSUPPORTED})

    def count(self, aspect: Aspect, cases: int = 1) -> None:
        """Add to the number of cases judged."""
        self.cases[aspect] = self.cases.get(aspect, 0) + cases

    def note_error(self, ulp: float, limit: float) -> None:
        """Keep the error if it uses more of its limit than the one kept so far."""
        if limit <= 0 or ulp == float("inf"):
            return
        if self.ulp is None or self.limit_ulp is None or ulp / limit > self.ulp / self.limit_ulp:
            self.ulp, self.limit_ulp = ulp, limit


def _in_words(item: Input, *, bindings: bool, usual: Binding, numbers: Mapping[str, str]) -> str:
    """An input in words: name, dtype, shape or numbers; its origin, except of a usual one.

    A list, a number of Python and a symbol without all dimensions are always named.
    """
    always, binding = (Binding.PYTHON, Binding.PLACEHOLDER_NONE), _shown_binding(item)
    named = binding in always or (bindings and binding is not usual)
    how = _bound(item) if named else ""
    lies = _LAYOUTS.get(item.layout, "")
    if item.name in numbers and item.binding is Binding.PYTHON:
        return f"{item.name} = {numbers[item.name]}"
    if item.name in numbers:
        return f"{item.name} = {item.dtype} {numbers[item.name]}{how}{lies}"
    return f"{item.name} {item.dtype} {item.shape}{how}{lies}"


def _shown_binding(item: Input) -> Binding:
    """How an input is made; a symbol that lacks no dimension is like any other."""
    known = item.binding is Binding.PLACEHOLDER_NONE and None not in item.static_shape
    return Binding.PLACEHOLDER if known else item.binding


def _bound(item: Input) -> str:
    match _shown_binding(item):
        case Binding.VARIABLE | Binding.CONSTANT:
            return f" in a {item.binding}"
        case Binding.ARRAY:
            return " as an array"
        case Binding.PYTHON:
            return " as a list" if item.shape else " as a number"
        case Binding.PLACEHOLDER_NONE:
            return f" fed as {item.static_shape}"
        case Binding.PLACEHOLDER:
            return " as a KerasTensor"
    return ""


_LAYOUTS: Mapping[Layout, str] = {
    Layout.FORTRAN: " (column-major)",
    Layout.STRIDED: " (every second element of a larger array)",
    Layout.REVERSED: " (a reversed view)",
    Layout.READ_ONLY: " (read-only)",
    Layout.SWAPPED: " (the other byte order)",
    Layout.UNALIGNED: " (unaligned)",
}
"""How arrays lie in memory, unless it is row by row."""


def lies_so(layout: Layout) -> str:
    """How an array of a layout lies in memory, in words; empty if it is row by row."""
    return _LAYOUTS.get(layout, "").strip()


def called_text(step: Step) -> str:
    """The call of a step as a user types it; of a compiled call, the call that is compiled."""
    if step.function != COMPILED:
        return call_text(step)
    function, whole, *args = step.args
    call = call_text(replace(step, function=str(function), args=tuple(args)))
    if isinstance(whole, list):
        return f"{call}, compiled with first dimension None,"
    return f"{'wholly compiled' if whole else 'compiled'} {call}"


MOST_NUMBERS, MOST_CHARACTERS = 4, 24
"""The most numbers of an input that a message shows, and the most characters that they have."""


def few_numbers(array: Array) -> str:
    """The numbers of a small array as a message shows them, `[0, 0.5]`; empty if they are many, or
    long."""
    if not 0 < array.size <= MOST_NUMBERS or array.dtype.kind not in "biuf":
        return ""
    text = str(array.tolist()) if array.dtype.kind != "f" else _fractions(array)
    return text if len(text) <= MOST_CHARACTERS else ""


def _fractions(array: Array) -> str:
    if array.ndim:
        return f"[{', '.join(map(_fractions, array))}]"
    return str(array[()]).removesuffix(".0")


def joined_inputs(
    inputs: Sequence[Input],
    unusual: Collection[str] = (),
    numbers: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Inputs in few words, each dtype once: `x, y float32 (2, 3), axis int32 (), start ()`.

    `x float32 Variable (2, 3)` if variables are an unusual binding; `x = float32 [0, 1]` if
    `numbers` has a text for `x`.
    """
    words, last = [], ""
    for (kind, fed, text), alike in groupby(
        inputs, lambda i: (_kind(i, unusual), _fed(i), numbers.get(i.name))
    ):
        names = ", ".join(item.name for item in alike)
        if text is not None:
            alone = kind in ("list", "number")
            written = text if alone else f"{kind} {text}"
            words.append(f"{names.replace(', ', ' = ')} = {written}")
            last = ""
        else:
            words.append(f"{names} {fed}" if kind == last else f"{names} {kind} {fed}")
            last = kind
    return ", ".join(words)


def _fed(item: Input) -> str:
    """The shape of an input, that of its symbol if it lacks dimensions, and an unusual layout."""
    unknown = _shown_binding(item) is Binding.PLACEHOLDER_NONE
    return f"{item.shape}{_bound(item) if unknown else ''}{_LAYOUTS.get(item.layout, '')}"


def _kind(item: Input, unusual: Collection[str]) -> str:
    """The dtype of an input, and the class of an unusual one; of Python's own values their kind."""
    if item.binding is Binding.PYTHON:
        return "list" if item.shape else "number"
    named = _CLASSES.get(_shown_binding(item)) if item.binding in unusual else None
    return f"{item.dtype} {named}" if named else item.dtype


_CLASSES: Mapping[Binding, str] = {
    Binding.VARIABLE: "Variable",
    Binding.ARRAY: "array",
    Binding.PLACEHOLDER: "KerasTensor",
}
"""The class that holds an input, where most inputs have another one."""


def _unusual(prepared: Prepared, symbols: bool) -> set[str]:
    """The bindings of inputs whose classes a message names: those that documents do not name, and
    symbolic tensors with `symbols`, or beside others."""
    edition, inputs = prepared.structure.edition, prepared.structure.program.inputs
    symbols = symbols or len({item.binding in SYMBOLIC for item in inputs}) > 1
    return {*open_inputs_of(edition), *(SYMBOLIC if symbols and symbols_of(edition) else ())}


def described(
    prepared: Prepared,
    *,
    layouts: bool = True,
    bindings: bool = True,
    joined: bool = False,
    symbols: bool = False,
    draw: int | None = None,
    only: Binding | None = None,
) -> str:
    """The call of a case in words: `sum(x, axis=1) with x float32 (2, 3) in a variable`.

    Without `layouts` and `bindings` it does not say how arrays lie and how inputs are made. With
    `joined`, inputs that are alike share their words, and only `symbols` names all symbolic
    tensors. With `draw`, inputs of few elements have their numbers of that draw; with `only`, those
    inputs that are made so.
    """
    program = prepared.structure.program
    symbolic = symbols_of(prepared.structure.edition)  # elsewhere each call builds a graph
    usual = Binding.CONSTANT if symbolic else Binding.PLACEHOLDER
    shown = () if draw is None else (i.name for i in program.inputs if only in (None, i.binding))
    texts = {name: few_numbers(prepared.arrays[draw or 0][name]) for name in shown}
    numbers = {name: text for name, text in texts.items() if text}
    words = partial(_in_words, bindings=bindings, usual=usual, numbers=numbers)
    unusual = _unusual(prepared, symbols)
    tensors = program.inputs if layouts else [replace(i, layout=Layout.C) for i in program.inputs]
    inputs = joined_inputs(tensors, unusual, numbers) if joined else ", ".join(map(words, tensors))
    call = called_text(call_of(program))
    if prepared.structure.part is not None:
        call = f"the {prepared.structure.part.name} of {call}"
    if prepared.structure.claimed != "result":
        passed = prepared.structure.program.inputs[0].arguments or ()
        return f"{prepared.structure.spec.name}({', '.join(f'{k}={v!r}' for k, v in passed)})"
    return f"{call} with {inputs}" if inputs else call

"""Contrasts: calls that one target refuses in words and another gets wrong. Reports name both.

Results keep one minimal example of each failure and of each refusal. A refused call names what is
refused: its dtypes, bindings, ranks and other arguments. A failing call that has all of these would
be refused as well, so the two belong together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from conformance.editions import known_edition
from conformance.program import (
    Binding,
    Function,
    Input,
    Layout,
    Made,
    Program,
    Ref,
    Step,
    from_json,
)
from conformance.program.model import COMPILED
from conformance.reporting.flow import DAMAGED
from conformance.reporting.safe_text import clean
from conformance.results import Failure, FindingKind, FunctionResult, Results, Verdict
from conformance.results.scores import FAULTS, readings_of
from conformance.specs.convention_names import ConventionName
from conformance.specs.load import load, signature

LONGEST = 160
"""Characters of a quotation or of a message."""
REFUSED = "refused"
"""The name of each reading that is an exception."""
CONFIGURES = "keras.config."
"""The beginning of functions that later steps depend on."""

_OTHER_MATTERS = frozenset(
    {
        ConventionName.COMPILED_CALL,
        ConventionName.DIFFERENTIABLE,
        ConventionName.OWN_GRADIENT,
        ConventionName.SPECIAL_VALUES,
    }
)
"""Conventions whose refusals say nothing about the arguments of an eager call."""
_WORDS = re.compile(
    r"\b(?:unsupported|not (?:yet |currently )?(?:supported|implemented|allowed|compatible)"
    r"|not in the list of allowed|(?:does not|doesn't) (?:support|handle|accept)"
    r"|supports? only|only supports?|must|should|expect(?:s|ed)|requires?(?! grad)|invalid"
    r"|incompatible|unidentified data type"
    r"|can only|can(?:not|'t) (?:be|have|apply|convert))\b",
    re.IGNORECASE,
)
"""Words by which a library refuses an input."""
_INTERNALS = re.compile(
    r"^(?:AttributeError|AssertionError|IndexError|KeyError|NameError|RecursionError)\b"
    r"|\bKerasTensor\b|\b__\w+__\b|\bnot supported between instances\b"
)
"""Exceptions about the code of the library, whatever their words."""
_WRAPPING = re.compile(r"Exception encountered when calling [^\n]*\n+|\{\{[^}]*\}\} ?")
"""The text of Keras and TensorFlow before the words of a refusal."""

Trait = tuple[Any, ...]


class Contrast(NamedTuple):
    """A call that a target refuses, and a call that another target gets wrong."""

    refusing: str
    refused: Failure
    failing: str
    failure: Failure

    @property
    def quotation(self) -> str:
        """The words of the refusal."""
        return _cut(_words(self.refused))


class _Example(NamedTuple):
    """The minimal example of a failure of one target."""

    target: str
    failure: Failure
    traits: frozenset[Trait]


def contrasts(targets: Iterable[tuple[str, Results]]) -> list[Contrast]:
    """The refusals beside failures in the same function of other targets of the same edition.

    For each failure and each other target, one refusal: that of the most similar call.
    """
    functions: dict[tuple[str, str], list[tuple[str, FunctionResult]]] = {}
    for name, results in targets:
        for function in results.functions:
            key = (results.target.edition, function.function)
            functions.setdefault(key, []).append((name, function))
    return [
        pair
        for (edition, _), judged in functions.items()
        if len(judged) > 1
        for pair in _of_function(edition, judged)
    ]


def notes_on_failures(pairs: Iterable[Contrast]) -> dict[int, list[str]]:
    """Sentences on each failure and each refusal, by the failure's identity in memory: one for each
    other target."""
    lines: dict[int, dict[str, str]] = {}
    for pair in pairs:
        refuses = f"{clean(pair.refusing)} refuses such a call: {pair.quotation}"
        lines.setdefault(id(pair.failure), {}).setdefault(pair.refusing, refuses)
        message = f"{_cut(pair.failure.message)} ({clean(pair.failure.id)})"
        wrong = f"{clean(pair.failing)} gets such a call wrong: {message}"
        lines.setdefault(id(pair.refused), {}).setdefault(pair.failing, wrong)
    return {failure: [*by_target.values()] for failure, by_target in lines.items()}


def _of_function(edition: str, judged: Sequence[tuple[str, FunctionResult]]) -> Iterator[Contrast]:
    refused = [e for name, f in judged for e in _examples(edition, name, f, _refuses)]
    if not refused:
        return
    for name, function in judged:
        for failing in _examples(edition, name, function, _fails):
            others = [e for e in refused if e.target != name and e.traits <= failing.traits]
            best = {e.target: e for e in sorted(others, key=lambda e: len(e.traits))}
            for example in best.values():
                yield Contrast(example.target, example.failure, name, failing.failure)


def _examples(edition: str, target: str, function: FunctionResult, chosen: Any) -> list[_Example]:
    names = _parameters(edition, function.function)
    failures = [f for a in function.aspects for f in a.failures if chosen(f)]
    pairs = [(f, _traits(f, function.function, names)) for f in failures]
    return [_Example(target, f, frozenset(traits)) for f, traits in pairs if traits]


def _fails(failure: Failure) -> bool:
    return failure.verdict in FAULTS


def _refuses(failure: Failure) -> bool:
    """Whether the failure is an exception by which the library refuses the call in words."""
    if failure.kind != FindingKind.EXCEPTION or _OTHER_MATTERS.intersection(_conventions(failure)):
        return False
    by_reading = any(reading.name == REFUSED for reading in readings_of(failure))
    words = _words(failure)
    refused = failure.verdict is Verdict.UNSUPPORTED or by_reading
    return refused and bool(_WORDS.search(words)) and not _INTERNALS.search(words)


def _conventions(failure: Failure) -> list[str]:
    return (failure.convention or "").split(", ")


def _words(failure: Failure) -> str:
    """The exception as `TypeError: its first line`; empty if it was not kept."""
    return _WRAPPING.sub("", failure.got).split("\n")[0] if isinstance(failure.got, str) else ""


def _cut(text: str) -> str:
    line = clean(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _parameters(edition: str, function: str) -> list[str]:
    """The documented parameters in their order; none of an unknown function."""
    spec, known = load().get(function), known_edition(edition)
    if spec is None or known is None or known not in spec.editions:
        return []
    return [parameter.name for parameter in signature(spec, known).parameters]


def _traits(failure: Failure, function: str, names: Sequence[str]) -> set[Trait]:
    """The traits of the call in the minimal example; none of an example without such a call."""
    if failure.program is None:
        return set()
    try:
        program = from_json(failure.program)
    except DAMAGED:
        return set()
    call = next((s for s in program.steps if function in (s.function, *s.args[:1])), None)
    if call is None:
        return set()
    args = call.args[2:] if call.function == COMPILED else call.args
    passed: Mapping[str, Any] = {
        **{names[n] if n < len(names) else str(n): a for n, a in enumerate(args)},
        **dict(call.kwargs),
    }
    sources = {item.name: item for item in program.inputs} | {s.result: s for s in program.steps}
    traits = {("call", function), *_of_configuration(program)}
    for name, argument in passed.items():
        traits.update((name, *trait) for trait in _of_argument(argument, sources))
    return traits


def _of_configuration(program: Program) -> Iterator[Trait]:
    for step in program.steps:
        if step.function.startswith(CONFIGURES):
            yield (step.function, repr(step.args))


def _of_argument(argument: Any, sources: Mapping[str, Input | Step]) -> Iterator[Trait]:
    match argument:
        case Ref():
            yield from _of_source(sources.get(argument.name), sources)
        case list() | tuple():
            yield (type(argument).__name__, len(argument))
            for place, item in enumerate(argument):
                yield from ((place, *trait) for trait in _of_argument(item, sources))
        case Made():
            yield (argument.kind, *argument.items)
        case Function():
            yield ("function",)
        case _:
            yield (type(argument).__name__, repr(argument))


def _of_source(source: Input | Step | None, sources: Mapping[str, Input | Step]) -> Iterator[Trait]:
    """The traits of a tensor: dtype, rank, binding, layout, and whether it is empty."""
    if isinstance(source, Step):
        yield ("result", source.function)
        yield from _of_argument([*source.args], sources)
    elif source is not None:
        yield ("tensor", source.dtype)
        yield ("rank", len(source.shape))
        if source.binding in _OTHER_INPUTS:
            yield (source.binding,)
        if source.layout is not Layout.C:
            yield (source.layout,)
        if 0 in source.shape:
            yield ("without elements",)


_OTHER_INPUTS = frozenset(Binding) - {Binding.CONSTANT, Binding.PLACEHOLDER}
"""How inputs are made besides as tensors of known shapes, computed or symbolic."""

"""The reasons why an edition demands no aspect of a function that other functions have."""

from __future__ import annotations

from conformance.editions import Edition
from conformance.engine.planning.demands import demanded_aspects
from conformance.results import Aspect
from conformance.specs import Spec
from conformance.specs.docstrings import load_docstrings

REASONS = {
    "several": "scenarios alone test the function, with programs of several steps",
    "settled": "the numbers are not random",
    "stateless": "the function changes nothing outside its result",
    "steps": "the result has no derivative: integers, truth values, indices, steps",
    "undescribed": "the docstring describes no parameter",
    "open": "no rule of the spec excludes a value of a parameter that the docstring describes",
    "bare": "the docstring has no example",
    "erratum": "each example in the docstring is wrong (`conformance show FUNCTION` says why)",
    "inputless": "the function takes no tensor",
}
"""The words of `gap`, and the reasons."""


def gap(spec: Spec, edition: Edition, aspect: Aspect) -> str | None:
    """The word for the reason why the aspect is not demanded; None where it is."""
    if aspect in demanded_aspects(spec, edition):
        return None
    match aspect:
        case Aspect.EXAMPLE:
            return _of_examples(spec, edition)
        case Aspect.SEED | Aspect.DISTRIBUTION:
            return "settled"
        case Aspect.STATE | Aspect.CONFIGURATION:
            return "stateless"
    return "several" if spec.dtype is None else _of_single_calls(spec, edition, aspect)


def _of_examples(spec: Spec, edition: Edition) -> str:
    docstring = (load_docstrings(spec.editions[edition]) or {}).get(spec.name)
    return "erratum" if docstring is not None and docstring.examples else "bare"


def _of_single_calls(spec: Spec, edition: Edition, aspect: Aspect) -> str | None:
    docstring = (load_docstrings(spec.editions[edition]) or {}).get(spec.name)
    if aspect is Aspect.ERROR:
        return "open" if docstring is not None and docstring.parameters else "undescribed"
    if aspect is Aspect.GRADIENT and not spec.differentiable:
        return "steps"
    return "inputless" if aspect is Aspect.PURITY else None

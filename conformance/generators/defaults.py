"""What a call has where nothing is drawn: defaults, and how often each dtype is tried."""

from __future__ import annotations

from typing import Any

from conformance.editions import EDITIONS, Edition, promotes
from conformance.generators import tensors
from conformance.specs import Spec
from conformance.specs.load import signature
from conformance.specs.signature import Parameter, Signature


def mixtures(spec: Spec, edition: Edition) -> tuple[str, ...]:
    """The dtypes that the tensors of a call may have beside each other.

    They are documented floats, and where the edition promotes, integers and floats of 16 bits.
    Truth values are numbers beside them, but not where a drawer may give conditions.
    """
    if spec.dtypes.alike:
        return ()
    known = {*spec.dtypes.documented} & {*tensors.BOTH_FLOATS}
    if promotes(edition):
        tried = {*spec.dtypes.probed, *spec.dtypes.beside}
        whole = tried & {tensors.WHOLE}
        byte = tried & {tensors.BYTE} if whole else set()
        known |= whole | byte | (tried & {*tensors.HALVES})
        known |= {"bool"} if whole and not spec.draw else set()
    return tensors.mixed_in(known)


def weighted_dtypes(spec: Spec) -> list[str]:
    """Documented dtypes as often as probed ones, and first."""
    documented: list[str] = list(spec.dtypes.documented)
    weight = max(1, -(-len(spec.dtypes.probed) // len(documented)))
    return documented * weight + list(spec.dtypes.probed)


def defaults_of(spec: Spec, documented: Signature) -> dict[str, Any]:
    """The defaults of the edition; of the newest edition for parameters that it lacks."""
    own = {
        spec.renamed.get(p.name, p.name): p.value
        for p in documented.every
        if _has_default(p, documented)
    }
    return {**_newest_defaults(spec), **own}


def _has_default(parameter: Parameter, documented: Signature) -> bool:
    """Whether it stands for something if it is not passed; `**kwargs` stands for nothing."""
    return not parameter.required and parameter is not documented.keywords


def _newest_defaults(spec: Spec) -> dict[str, Any]:
    newest = signature(spec, [e for e in EDITIONS if e in spec.editions][-1])
    return {
        spec.renamed.get(p.name, p.name): p.value for p in newest.every if _has_default(p, newest)
    }

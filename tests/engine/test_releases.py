"""A release that came after the document of its edition may follow the document of a later one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.adapters import registry
from conformance.cli.targets.subjects import subject as subject_of
from conformance.editions import Edition
from conformance.engine.judging import signatures
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.releases import Release
from conformance.observations import FunctionIdentity, OfferedParameter
from conformance.results import Aspect, Verdict
from conformance.specs import load
from conformance.specs.load import signature
from conformance.specs.releases import load_changes
from tests.engine.support import TINY, examine, module

AS_NEW = "later-release: as in keras-2.2"


def offers(*parameters: tuple[str, str | None]) -> FunctionIdentity:
    """A function with these parameters and defaults."""
    named = "POSITIONAL_OR_KEYWORD"
    offered = (OfferedParameter(n, named, d is not None, d) for n, d in parameters)
    return FunctionIdentity(True, tuple(offered), None)


def of_signature(
    name: str, edition: Edition, identity: FunctionIdentity, follows: Sequence[Edition]
) -> list[Finding]:
    """The findings on the signature of a release that follows these editions."""
    spec = load()[name]
    release = Release(spec, edition, follows, identity)
    return release.held(signatures.signature(identity, signature(spec, edition)))


NEW_ORDER = offers(("target", None), ("output", None), ("from_logits", "False"))


def test_a_signature_as_a_followed_edition_prints_it_diverges() -> None:
    (order,) = of_signature("binary_crossentropy", "keras-2.0", NEW_ORDER, [])
    assert (order.verdict, order.readings) == (Verdict.VIOLATES, ())
    (order,) = of_signature("binary_crossentropy", "keras-2.0", NEW_ORDER, ["keras-2.2"])
    assert (order.verdict, order.readings) == (Verdict.DIVERGES, (AS_NEW,))


@pytest.mark.parametrize(
    "parameters",
    [
        (("target", None), ("output", None)),
        (("target", None), ("output", None), ("from_logits", "True")),
        (("from_logits", "False"), ("output", None), ("target", None)),
    ],
)
def test_what_neither_edition_prints_violates(
    parameters: Sequence[tuple[str, str | None]],
) -> None:
    findings = of_signature("binary_crossentropy", "keras-2.0", offers(*parameters), ["keras-2.2"])
    assert any(f.verdict is Verdict.VIOLATES for f in findings)


def test_an_earlier_edition_is_not_followed() -> None:
    old = offers(("output", None), ("target", None), ("from_logits", "False"))
    findings = of_signature("binary_crossentropy", "keras-2.2", old, ["keras-2.0", "keras-2.2"])
    assert [f.verdict for f in findings] == [Verdict.VIOLATES]


LATER = """
from conformance.reference import *
from conformance import reference

def binary_crossentropy(target, output, from_logits=False):
    return reference.binary_crossentropy(target, output, from_logits)

def is_keras_tensor(x):
    raise ValueError("not a symbolic tensor")

def softplus(x):
    return reference.exp(x)
"""
"""A release of keras-2.0 that has gone on to keras-2.2, and has an error of its own."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("follows", [(), ("keras-2.2",)])
def test_what_a_later_document_says_is_a_reading_of_a_release_that_follows_it(
    follows: Sequence[Edition], tmp_path: Path
) -> None:
    (tmp_path / "later.py").write_text(LATER, encoding="utf-8")
    target = replace(module("later", tmp_path, edition="keras-2.0"), follows=follows)
    outcome = examine(
        target, ("binary_crossentropy", "is_keras_tensor", "softplus"), replace(TINY, structures=12)
    )
    verdicts = outcome.verdicts()
    allowed = Verdict.DIVERGES if follows else Verdict.VIOLATES
    assert verdicts["binary_crossentropy", Aspect.SIGNATURE] is allowed
    assert verdicts["binary_crossentropy", Aspect.VALUE] is allowed
    assert verdicts["softplus", Aspect.VALUE] is Verdict.VIOLATES
    refused = [
        f.verdict
        for f in outcome.aspect("is_keras_tensor", Aspect.VALUE).failures
        if "of an array" in f.message
    ]
    assert refused == [allowed]


EPSILON = """
from conformance.reference import *
from conformance import reference

def batch_normalization(x, mean, var, beta, gamma, epsilon=0.001):
    return reference.batch_normalization(x, mean, var, beta, gamma, epsilon=epsilon)
"""
"""The default of keras-2.0, ten times that of keras-1."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("follows", [(), ("keras-2.0",)])
def test_what_a_later_default_makes_of_a_call_is_told_with_the_default(
    follows: Sequence[Edition], tmp_path: Path
) -> None:
    (tmp_path / "epsilon.py").write_text(EPSILON, encoding="utf-8")
    target = replace(module("epsilon", tmp_path, edition="keras-1"), follows=follows)
    outcome = examine(target, ["batch_normalization"], replace(TINY, structures=12))
    allowed = Verdict.DIVERGES if follows else Verdict.VIOLATES
    assert outcome.verdicts()["batch_normalization", Aspect.SIGNATURE] is allowed
    assert outcome.verdicts()["batch_normalization", Aspect.VALUE] is allowed


FLAT = """
from conformance.reference import *
from conformance import reference

def binary_crossentropy(target, output, from_logits=False):
    return reference.flatten(reference.binary_crossentropy(target, output, from_logits))
"""
"""The order of keras-2.2, and a shape that no document has."""


def test_another_shape_is_not_put_down_to_the_order_of_alike_arguments(tmp_path: Path) -> None:
    (tmp_path / "flat.py").write_text(FLAT, encoding="utf-8")
    target = replace(module("flat", tmp_path, edition="keras-2.0"), follows=("keras-2.2",))
    outcome = examine(target, ["binary_crossentropy"], replace(TINY, structures=12))
    value = outcome.aspect("binary_crossentropy", Aspect.VALUE)
    assert {f.verdict for f in value.failures if f.kind == "shape"} == {Verdict.VIOLATES}
    assert any("binary_crossentropy(output, target" in f.message for f in value.failures)


def test_the_changes_are_of_functions_that_both_editions_have() -> None:
    specs = load()
    for change in load_changes():
        spec = specs[change.function]
        assert spec.editions[change.edition] in change.at
        assert {*change.aspects} <= {*Aspect}


def test_the_targets_that_came_later_say_so() -> None:
    follows = {name: t.follows for name, t in registry.shipped().items() if t.follows}
    assert follows == {
        "keras-1.2.2-tensorflow": ("keras-2.0",),
        "keras-1.2.2-theano": ("keras-2.0",),
        "keras-2.0.8-cntk": ("keras-2.2",),
    }
    late = registry.shipped()["keras-2.0.8-cntk"]
    assert subject_of(late).follows == ("keras-2.2",)

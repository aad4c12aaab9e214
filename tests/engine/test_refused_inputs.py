"""A variable or an array where a tensor passes: refused in words, or taken. Code that stumbles over
it refuses nothing."""

from __future__ import annotations

from random import Random

import pytest

from conformance.engine.judging.cases import Prepared
from conformance.engine.planning.likely import LikelyKind
from conformance.generators import Draw
from conformance.generators.coverage.classes import classes_of
from conformance.generators.coverage.items import are_bindings
from conformance.generators.drawing import Drawn, seeded
from conformance.generators.structure import Structure, made
from conformance.observations import Raised
from conformance.program import Binding
from conformance.results import Verdict
from conformance.specs import load
from tests.engine.test_single_call_readings import judged

STUMBLES = [
    ("AttributeError", "'Variable' object has no attribute 'flat'"),
    ("AttributeError", "'str' object has no attribute 'is_floating'"),
    ("TypeError", "Variable.__array__() takes 1 positional argument but 2 were given"),
    ("TypeError", "unsupported operand type(s) for +: 'Variable' and 'int'"),
    ("TypeError", "'Variable' object is not iterable"),
    ("RuntimeError", "The size of tensor a (5) must match the size of tensor b (3)"),
]
REFUSES = [
    ("TypeError", "stack requires ndarray or scalar arguments, got <class 'Variable'>"),
    ("TypeError", "expected Tensor as element 0 in argument 0, but got Variable"),
    ("ValueError", "a variable is not supported here"),
]


def called(name: str, binding: Binding) -> Prepared:
    """A call in float32 that rests on how its tensors are made, and on nothing else."""
    spec, random = load()[f"keras.ops.{name}"], Random(0)
    for _ in range(400):
        draw = seeded(lambda c: made(c, spec, "keras-3", dtype="float32", binding=binding), random)
        if isinstance(draw, Drawn) and len(draw.value.unsettled) == 1:
            return Prepared(draw.value, [Draw("ordinary", 0)])
    raise AssertionError(name)


def verdict(prepared: Prepared, kind: str, message: str) -> Verdict:
    (finding,) = judged(prepared, lambda _: Raised(kind, (kind,), message, "step"))
    return finding.verdict


@pytest.mark.parametrize("name", ["stack", "add", "take"])
@pytest.mark.parametrize(("kind", "message"), STUMBLES)
def test_code_that_stumbles_over_a_variable_violates(name: str, kind: str, message: str) -> None:
    assert verdict(called(name, Binding.VARIABLE), kind, message) is Verdict.VIOLATES


@pytest.mark.parametrize(("kind", "message"), REFUSES)
def test_a_refusal_in_words_is_unsupported(kind: str, message: str) -> None:
    assert verdict(called("stack", Binding.VARIABLE), kind, message) is Verdict.UNSUPPORTED


def test_an_array_and_a_list_are_refused_in_words() -> None:
    array, python_list = called("conv", Binding.ARRAY), called("rot90", Binding.PYTHON)
    assert verdict(array, "AttributeError", "'ndarray' object has no attribute 'x'") == "violates"
    assert verdict(array, "TypeError", "conv does not accept numpy.ndarray") == "unsupported"
    assert (
        verdict(python_list, "AttributeError", "'list' object has no attribute 'ndim'")
        == "violates"
    )
    assert verdict(python_list, "TypeError", "rot90 takes no list") is Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("TypeError", "im2col(): argument 'input' (position 1) must be Tensor, not numpy.ndarray"),
        ("ValueError", "The truth value of an empty array is ambiguous. Use `array.size > 0`"),
    ],
)
def test_the_library_below_does_not_refuse_an_array(kind: str, message: str) -> None:
    assert verdict(called("unfold", Binding.ARRAY), kind, message) is Verdict.VIOLATES


ARGUMENTS = "\n\nArguments received by Rot90.call():\n  • array=['list']\n  • x=<KerasTensor>"


@pytest.mark.parametrize(
    ("message", "judged_as"),
    [
        ("`x` must be a 1-dimensional tensor, but has the shape []", "violates"),
        ("the axes differ" + ARGUMENTS, "violates"),
        ("rot90 takes no list" + ARGUMENTS, "unsupported"),
    ],
)
def test_only_an_exception_about_lists_refuses_a_list(message: str, judged_as: str) -> None:
    assert verdict(called("rot90", Binding.PYTHON), "ValueError", message) == judged_as


def list_beside_symbol(name: str) -> Prepared:
    """A call with a list of several numbers as one argument, and a symbolic tensor as another."""
    spec, random = load()[f"keras.ops.{name}"], Random(0)
    kind = LikelyKind(first=Binding.PYTHON)
    assert kind.is_offered(spec, "keras-3")
    for _ in range(400):
        draw = kind.draw(spec, "keras-3", random.getrandbits(32))
        if isinstance(draw, Drawn) and _has_both(draw.value):
            return Prepared(draw.value, [Draw("ordinary", 0)])
    raise AssertionError(name)


def _has_both(call: Structure) -> bool:
    bindings = {item.binding for item in call.program.inputs if item.shape}
    return bindings == {Binding.PYTHON, Binding.PLACEHOLDER}


NO_SHAPE = ("AttributeError", "'list' object has no attribute 'shape'")


@pytest.mark.parametrize("name", ["maximum", "slice_update", "take_along_axis"])
@pytest.mark.parametrize(("kind", "message"), [NO_SHAPE, *STUMBLES])
def test_any_exception_refuses_a_list_beside_a_symbolic_tensor(
    name: str, kind: str, message: str
) -> None:
    assert verdict(list_beside_symbol(name), kind, message) is Verdict.UNSUPPORTED


def test_an_exception_after_the_list_was_accepted_refuses_nothing() -> None:
    kind, message = NO_SHAPE
    late = Raised(kind, (kind,), message, "call")
    (finding,) = judged(list_beside_symbol("slice_update"), lambda _: late)
    assert finding.verdict is Verdict.VIOLATES


def test_a_list_is_taken_beside_a_symbolic_tensor_where_the_docstring_names_lists() -> None:
    assert verdict(list_beside_symbol("isin"), *NO_SHAPE) is Verdict.VIOLATES


def test_mistaken_code_does_not_refuse_a_list_beside_a_symbolic_tensor() -> None:
    missing = ("NameError", "name 'backend' is not defined")
    assert verdict(list_beside_symbol("maximum"), *missing) is Verdict.VIOLATES


def test_lists_of_variables_and_numbers_beside_symbols_are_to_be_shown() -> None:
    assert are_bindings(("x binding", "fed"), ("y binding", "number"))
    assert are_bindings(("x binding", "variable"), ("y binding", "variable"))
    assert not are_bindings(("x binding", "constant"), ("y binding", "list"))
    assert not are_bindings(("x binding", "fed"), ("y rank", "variable"))
    several = classes_of(called("stack", Binding.VARIABLE).structure)
    assert several["x binding"] == "variable"

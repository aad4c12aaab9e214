"""Which exceptions are a library's own refusal, by the messages of released libraries."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.engine.judging.readings import of_exception
from conformance.engine.judging.refusals import is_mistaken_code, refuses_by_name, stumbles
from conformance.observations import Crashed, Outcome, Raised, Returned
from conformance.results import Aspect, Verdict
from conformance.results.kinds import FindingKind
from tests.engine.support import TINY, examine, module


def raised(message: str, kind: str = "ValueError", *bases: str) -> Raised:
    return Raised(kind, (kind, *bases, "Exception", "BaseException", "object"), message, "step", 0)


REFUSALS = (
    raised("", "NotImplementedError", "RuntimeError"),
    raised("no such kernel", "Sparse", "NotImplementedError"),
    raised("TileOp : Unhandled input dimensions", "UnimplementedError"),
    raised("CNTK Backend: non-square dilation_rate is not supported."),
    raised("Dilated convolution on CPU is not supported by CNTK backend. Please set it to (1, 1)."),
    raised('border_mode="same" not supported with Theano.', "Exception"),
    raised("tf.gradients is not supported when eager execution is enabled.", "RuntimeError"),
    raised("`updates` argument is not supported during eager execution. You passed: []"),
    raised(
        "Current implementation only supports equal length strides in the row and column "
        "dimensions.\n\t [[node depthwise ]]",
        "InvalidArgumentError",
    ),
    raised("Refusing to perform an overparameterized separable convolution: 2 * 1 = 2 > 1"),
    raised(
        "AssignNode: None of the operands 'Parameter('/variable', [], [2])' can have dynamic axes."
    ),
    raised("Only axis=-1 is currently supported. Received: axis=0"),
    raised("Slice along the dynamic batch axis is currently unsupported.", "RuntimeError"),
    raised("strides > 1 not supported in conjunction with dilation_rate > 1"),
    raised("No OpKernel was registered to support Op 'Conv2D' with these attrs."),
    raised('data type "int32" is not supported'),
    raised("('Unsupported dtype:', 'bool')"),
    raised("it is not yet implemented"),
    raised("When specifying `unroll=True`, an `input_length` must be provided to `rnn`."),
    raised("Convolution currently requires the main operand to have dynamic axes", "RuntimeError"),
    raised("Cannot apply softmax to a tensor that is 1D. Received input: Tensor(shape=(1,))"),
    raised("This backend doesn't support ragged arrays"),
    raised(
        "Argument `num_segments` cannot be set when sorted is True when using the tensorflow "
        "backend."
    ),
    raised("Arguments `target` and `output` must have the same shape. Received: (2,) and (None,)"),
    raised("`mean` must be a vector of length `x.shape[axis]`. Expected: `(None,)`."),
)
OTHERS: tuple[Outcome, ...] = (
    raised("'<' not supported between instances of 'Axis' and 'int'", "TypeError"),
    raised("unsupported operand type(s) for +: 'NoneType' and 'int'", "TypeError"),
    raised("None values not supported."),
    raised("Non-hashable static arguments are not supported. An error occurred while hashing [0]"),
    raised("Arguments `target` and `output` must have the same shape. Received: (2,) and (3,)"),
    raised("CNTK Backend: `eval` method on `<class 'map'>` type is not supported."),
    raised(
        "Wrong number or type of arguments for overloaded function 'new_Parameter'.",
        "NotImplementedError",
        "RuntimeError",
    ),
    raised(
        "c_sync: expected an aligned array, got non-aligned array of type 12",
        "NotImplementedError",
        "RuntimeError",
    ),
    raised("Triggering __jax_array__() during abstractification is no longer supported."),
    raised("not all arguments converted during string formatting", "TypeError"),
    raised("Failed to convert object of type <class 'tuple'>. Consider a supported type."),
    raised("index out of bounds\nApply node that caused the error: only supported here"),
    raised("axis 3 is out of bounds", "IndexError"),
    Returned({}),
    Crashed(8, None, "not supported"),
)


@pytest.mark.parametrize("outcome", REFUSALS, ids=lambda o: o.message[:40] or o.type)
def test_a_library_that_names_what_it_lacks_refuses(outcome: Raised) -> None:
    assert refuses_by_name(outcome)


@pytest.mark.parametrize("outcome", OTHERS, ids=lambda o: getattr(o, "message", "other")[:40])
def test_another_exception_is_no_refusal(outcome: Outcome) -> None:
    assert not refuses_by_name(outcome)


MISTAKEN = (
    raised("reshape() missing 1 required positional argument: 'shape'", "TypeError"),
    raised("f() missing 2 required keyword-only arguments: 'a' and 'b'", "TypeError"),
    raised(
        'Exception when calling layer "a".\n\nMissing required positional argument', "TypeError"
    ),
    raised("name 'axis' is not defined", "NameError"),
    raised("local variable 'x' referenced before assignment", "UnboundLocalError", "NameError"),
)


@pytest.mark.parametrize("outcome", MISTAKEN, ids=lambda o: o.message[:40])
def test_code_that_python_itself_calls_wrong_refuses_nothing(outcome: Raised) -> None:
    assert is_mistaken_code(outcome)
    assert not of_exception(outcome, ["feature-vectors"]).conventions


OF_CODE = (
    *OTHERS[:2],
    raised("'str' object has no attribute 'is_floating'", "AttributeError"),
    raised("object of type 'numpy.int64' has no len()", "TypeError"),
    raised("'numpy.int64' object is not iterable", "TypeError"),
    raised("list indices must be integers or slices, not tuple", "TypeError"),
    raised("bad operand type for abs(): 'list'", "TypeError"),
    raised("Invalid dtype: None"),
    raised("Invalid dtype: 0.5"),
    raised("unhashable type: 'numpy.ndarray'", "TypeError"),
    raised("Variable.__array__() takes 1 positional argument but 2 were given", "TypeError"),
    raised("f() got multiple values for argument 'target'", "TypeError"),
    raised("Exception encountered when calling F.call().\n\nlist index out of range", "IndexError"),
    raised("Exception encountered when calling Dot.call().\n\ninteger modulo by zero"),
    raised("", "AssertionError"),
    raised("axis", "KeyError", "LookupError"),
)
IN_WORDS = (
    raised("Invalid strides for dilated convolution", "AssertionError"),
    raised("index 7 is out of bounds for axis 0 with size 3", "IndexError"),
    raised("'list' object cannot be interpreted as an integer", "TypeError"),
    raised("Argument `axis` must be an int. Received `axis`=-1 of type int64", "TypeError"),
    raised("Weights sum to zero, can't be normalized", "ZeroDivisionError"),
)


@pytest.mark.parametrize(
    "outcome", [*REFUSALS, *OTHERS[2:], *IN_WORDS], ids=lambda o: getattr(o, "message", "")[:40]
)
def test_any_other_exception_may_be_a_refusal(outcome: Outcome) -> None:
    assert not is_mistaken_code(outcome)
    assert of_exception(outcome, ["feature-vectors"]).readings == ("feature-vectors: refused",)


@pytest.mark.parametrize("outcome", OF_CODE, ids=lambda o: f"{o.type} {o.message[:40]}")
def test_an_exception_about_the_librarys_own_objects_refuses_no_input(outcome: Raised) -> None:
    assert stumbles(outcome)
    assert not of_exception(outcome, ["feature-vectors"]).conventions
    assert not of_exception(outcome, ["input-dtype"]).conventions
    assert of_exception(outcome, ["differentiable"]).conventions, "no list of what it goes through"


BELOW_A_STACK = """Graph execution error:

Detected at node 'AvgPool3D' defined at (most recent call last):
    File "a.py", line 10, in <module>
    File "b/ops.py", line 2726, in _create_op_internal
Node: 'AvgPool3D'
No OpKernel was registered to support Op 'AvgPool3D' with these attrs: [T=DT_DOUBLE]
Registered kernels:
  device='CPU'; T in [DT_FLOAT]

\t [[AvgPool3D]]"""


def test_what_stands_below_a_call_stack_may_name_a_lack() -> None:
    assert refuses_by_name(raised(BELOW_A_STACK, "InvalidArgumentError"))
    other = BELOW_A_STACK.replace("No OpKernel was registered to support", "Wrong input of")
    assert not refuses_by_name(raised(other, "InvalidArgumentError"))


DETECTED = """
Detected unsupported operations when trying to compile graph __inference_f[] on XLA_CPU_JIT:
Det (No registered 'Det' OpKernel for XLA_CPU_JIT devices compatible with node {{node Det}})
Stack trace for op definition:
File "<frozen runpy>", line 198, in _run_module_as_main
"""
CAUSE = "\n\nCaused by "
WORDS = (
    ("negative-seed", "Python integer -1 out of bounds for uint32", "OverflowError", True),
    ("negative-seed", "Seed must be between 0 and 2**32 - 1", "ValueError", True),
    ("negative-seed", "expected non-negative integer", "ValueError", True),
    ("negative-seed", "'int' object has no attribute 'next'", "AttributeError", False),
    ("negative-seed", "unsupported operand type(s) for >>", "TypeError", False),
    ("compiled-call", DETECTED, "InvalidArgumentError", True),
    ("compiled-call", "Data-dependent branching", "Unsupported", True),
    ("compiled-call", "Shape must be rank 1 but is rank 2 for '{{node Pad}}", "ValueError", False),
    ("own-gradient", "gradients are only implemented if `unique_indices=True`", "ValueError", True),
    ("own-gradient", "element 0 does not have a grad_fn", "RuntimeError", True),
    ("own-gradient", "for gradient: modified by an inplace operation", "RuntimeError", False),
    ("own-gradient", "Incompatible shapes: [1,4,4] vs. [1,4,16]", "ValueError", False),
    ("input-dtype", f"no array{CAUSE}RuntimeError: input is float16", "RuntimeError", True),
    ("input-dtype", f"no array{CAUSE}RuntimeError: only I32 is supported", "RuntimeError", True),
    ("input-dtype", f"no array{CAUSE}RuntimeError: division by zero", "RuntimeError", False),
    ("input-dtype", f"no array{CAUSE}TypeError: type X has no len()", "RuntimeError", False),
    ("input-dtype", f"no float16{CAUSE}KeyError: 'f' object is not iterable", "ValueError", True),
)


@pytest.mark.parametrize(("convention", "message", "name", "refuses"), WORDS)
def test_a_convention_may_ask_for_words(
    convention: str, message: str, name: str, refuses: bool
) -> None:
    allowed = of_exception(raised(message, name), [convention])
    assert (allowed.readings == (f"{convention}: refused",)) is refuses
    assert allowed.open_points == (() if refuses else (convention,))


STUMBLES = """
from conformance import reference
from conformance.reference import *

def sum(x, axis=None, keepdims=False):
    if dtype(x) == "{dtype}":
        raise {error}
    return reference.sum(x, axis, keepdims)
"""
DTYPES = replace(TINY, structures=60, values=("ordinary",), gradients=0, shrink=0)


@pytest.mark.parametrize(
    ("dtype", "error", "violates"),
    [
        ("float64", "IndexError('tuple index out of range')", True),
        ("float64", "AttributeError('no attribute')", True),
        ("float64", "RuntimeError('std::bad_alloc')", True),
        ("float64", "TypeError('float64 is none of ours')", False),
        ("float16", "IndexError('tuple index out of range')", True),
        ("float16", "ValueError('Incompatible shapes: [4097] vs. [4096]')", True),
        ("float16", "ValueError('no float16 here')", False),
        ("float16", "RuntimeError('cannot read it') from TypeError('float16')", False),
    ],
)
def test_an_exception_of_another_matter_refuses_no_dtype(
    dtype: str, error: str, violates: bool, tmp_path: Path
) -> None:
    (tmp_path / "stumbling.py").write_text(STUMBLES.format(dtype=dtype, error=error))
    outcome = examine(module("stumbling", tmp_path), ("sum",), DTYPES)
    (cell,) = (a for a in outcome.results.functions[0].aspects if a.aspect is Aspect.VALUE)
    exceptions = [f for f in cell.failures if f.kind == FindingKind.EXCEPTION]
    assert exceptions
    assert any(f.verdict is Verdict.VIOLATES for f in exceptions) == violates


@pytest.mark.parametrize(
    ("convention", "refusal"),
    [
        ("scalar", "zero-dimensional arrays have no diagonal: ndim 0"),
        ("negative-axis", "axis must not be negative"),
        ("several-axes", "'list' object cannot be interpreted as an integer"),
        ("broadcasting", "operands could not be broadcast together"),
    ],
)
def test_keras_ops_refuses_a_form_in_words(convention: str, refusal: str) -> None:
    """K has no words for these refusals: its backends are of many libraries."""
    words, other = (raised(text, "ValueError") for text in (refusal, "Autograd not support Int"))
    assert of_exception(words, [convention], "keras-3").readings == (f"{convention}: refused",)
    assert not of_exception(other, [convention], "keras-3").readings
    assert of_exception(other, [convention], "keras-2.2").readings == (f"{convention}: refused",)


def test_what_xla_cannot_compile_is_refused_below_the_name_of_a_node() -> None:
    words = "Cannot concatenate arrays: f32[3,0,2] vs f32[<=7,4,2].\n\t [[{{node cond/concat}}]]"
    below = "\n\ttf2xla conversion failed for f[]. Run it for a dump of the compiled functions."
    compiled, other = raised(words + below), raised(words + "\n\t [[compiled/graph]]")
    allowed = of_exception(compiled, ["compiled-call"], "keras-3").readings
    assert allowed == ("compiled-call: refused",)
    assert not of_exception(other, ["compiled-call"], "keras-3").readings

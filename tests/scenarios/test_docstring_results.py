"""Examples in docstrings: found by their digests, run, and compared with what is printed."""

from __future__ import annotations

import hashlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from conformance.adapters import mappings
from conformance.adapters.registry import shipped
from conformance.adapters.worker.conformance_worker.mapping import definition
from conformance.observations import Value
from conformance.scenarios.examples.docstring_results import FAMILIES, gives_the_print
from conformance.scenarios.model import KERAS_3_DOCUMENT, Problem, Values
from conformance.specs.docstrings import load_docstrings, load_example_errata

PATH = shipped()["keras3-ops-numpy"].mapping
assert PATH is not None
ROW = mappings.load(PATH).functions["docstring_example"]


def flat(value: Any) -> list[Any]:
    """The leaves of tuples, lists and dictionaries."""
    if isinstance(value, dict):
        return flat([value[key] for key in sorted(value)])
    return (
        [leaf for part in value for leaf in flat(part)]
        if isinstance(value, list | tuple)
        else [value]
    )


def halve(x: Any) -> Any:
    """Half of x.

    >>> halve(1)
    3

    Example:

    >>> x = np.array([2., 4.])
    >>> halve(x)
    array([1., 2.])
    >>> print(halve(x), halve(2))
    array([1 2], dtype=float32)
    >>> halve("two")
    Traceback (most recent call last):
        ...
    TypeError: not two
    >>> y = halve(x).lacking()
    >>> halve(x).shape
    (2,)
    """
    return x / 2


def double(x: Any) -> Any:
    """Twice x.

    Examples:

    ```python
    @twice
    def four(x):
        return double(x)

    y = four(2)  # Returns Tensor(8)
    ```
    """
    return x * 2


OPS = SimpleNamespace(halve=halve, double=double, is_tensor=lambda x: False)
OPS.twice = lambda function: lambda x: function(function(x))
KERAS = SimpleNamespace(ops=OPS, tree=SimpleNamespace(flatten=flat))


def example(*args: Any) -> Any:
    """What the row of the mapping gives, of a package with two functions."""
    names: dict[str, Any] = {"keras": KERAS}
    exec("\n".join(definition("run", {"old": ROW.old, "new": ROW.new})), names)
    return names["run"](*args)


HALVE = example("keras.ops.halve")


def values(*results: Any) -> Values:
    """An output as the worker sends it."""
    texts = [Value(None, "str", "str", text=r) if isinstance(r, str) else None for r in results]
    arrays = [None if isinstance(r, str) else np.asarray(r) for r in results]
    kinds = [type(r).__name__ for r in results]
    return tuple(
        t or Value(a, "" if a is None else a.dtype.name, k)
        for t, a, k in zip(texts, arrays, kinds, strict=True)
    )


def test_each_print_in_the_section_has_a_digest() -> None:
    assert len(HALVE) == 4
    code = "x = np.array([2., 4.])\nhalve(x)\narray([1., 2.])\n"
    assert HALVE[0] == hashlib.sha256(code.encode()).hexdigest()[:12]
    assert example("keras.ops.halve", "0" * 12) == []


def test_an_example_runs_the_lines_before_it() -> None:
    line, printed, random, result = example("keras.ops.halve", HALVE[0])
    assert (line, printed, random) == ("halve(x)\n", "array([1., 2.])\n", "")
    assert result.tolist() == [1.0, 2.0]


def test_a_print_is_of_what_is_printed_first() -> None:
    assert example("keras.ops.halve", HALVE[1])[3].tolist() == [1.0, 2.0]


def test_an_exception_that_is_printed_is_a_result() -> None:
    assert example("keras.ops.halve", HALVE[2])[3:] == ["raises TypeError"]


def test_a_line_before_that_fails_fails_the_example() -> None:
    with pytest.raises(AttributeError):
        example("keras.ops.halve", HALVE[3])


def test_a_method_that_tensors_lack_is_none_of_the_function() -> None:
    with pytest.raises(NotImplementedError, match="calls a method that tensors lack"):
        example("keras.ops.halve", HALVE[3], True)
    with pytest.raises(NotImplementedError):
        example("keras.ops.halve", HALVE[3], True)
    assert example("keras.ops.halve", HALVE[0], True)


def test_a_block_prints_what_its_comments_say() -> None:
    (digest,) = example("keras.ops.double")
    assert example("keras.ops.double", digest)[1:] == ["Tensor(8)", "", 8]


FLOATS = "array([1.0000, 0.25], dtype=float32)"
RIGHT: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    (FLOATS, "", (np.array([1.00004, 0.25], "float32"),)),
    ("array([3, 1])", "", (np.array([3, 1], np.uint8),)),
    ("[[1, 3], [1, 3]]", "", (np.array([1, 3]), np.array([1, 3]))),
    ("(2, 3)", "random", (2, 3)),
    ("True", "random", (True,)),
    ("array([0.5, 0.1])", "random", (np.array([7.0, 8.0]),)),
    ("-3.1697404", "random", (np.float32(2.0),)),
    ("'float32'", "", ("torch.float32",)),
    ("Traceback (most recent call last):", "", ("raises KeyError",)),
    ("", "", (np.zeros(3),)),
)
WRONG: tuple[tuple[str, str, tuple[Any, ...], str], ...] = (
    (FLOATS, "", (np.array([1.0002, 0.25], "float32"),), "value"),
    (FLOATS, "", (np.array([1.0, 0.2501], "float32"),), "value"),
    (FLOATS, "", (np.array([np.nan, 0.25], "float32"),), "value"),
    (FLOATS, "", (np.array([[1.0, 0.25]], "float32"),), "shape"),
    (FLOATS, "", (np.array([1, 0]),), "dtype"),
    (FLOATS, "", (np.array([1.0, 0.25]),), "dtype"),
    ("array([3, 1])", "", (np.array([3.0, 1.0]),), "dtype"),
    ("array([3, 1])", "", (np.array([3, 2]),), "value"),
    ("array([ True])", "", (np.array([False]),), "value"),
    ("(2, 3)", "random", (2, 4), "value"),
    ("(2, 3)", "", (2,), "number of results"),
    ("True", "random", (False,), "value"),
    ("array([0.5, 0.1])", "random", (np.array([7.0]),), "shape"),
    ("array([1, 1])", "random", (np.array([7.0, 8.0]),), "dtype"),
    ("'float32'", "", ("float64",), "text"),
    ("array([1.])", "", ("one",), "no array"),
    ("Traceback (most recent call last):", "", (8.25,), "accepted"),
)


@pytest.mark.parametrize(("printed", "random", "results"), RIGHT)
def test_right_results(printed: str, random: str, results: tuple[Any, ...]) -> None:
    assert gives_the_print(values("f(x)\n", printed, random, *results)) is None


@pytest.mark.parametrize(("printed", "random", "results", "detail"), WRONG)
def test_wrong_results(printed: str, random: str, results: tuple[Any, ...], detail: str) -> None:
    got = values("f(x)\n", printed, random, *results)
    problem = gives_the_print(got)
    assert isinstance(problem, Problem)
    assert problem.detail == detail
    assert problem.gives.endswith(" for f(x)") or detail in ("text", "no array")
    if detail != "no array":
        script = {"values": [["f(x)\n", printed, random, *results]], "np": np}
        assert eval(problem.fault, script) is True or eval(problem.fault, script) == np.True_


def test_another_width_is_a_reading() -> None:
    got = values("f(x)\n", FLOATS, "", np.array([1.0, 0.25]))
    assert gives_the_print(got, dtype="float64") is None
    assert gives_the_print(got, dtype="int64") is not None
    whole = values("f(x)\n", FLOATS, "", np.array([1, 0]))
    assert gives_the_print(whole, dtype="int64") is not None


def test_another_docstring_shows_nothing() -> None:
    problem = gives_the_print(())
    assert problem is not None
    assert problem.unmade
    unknown = gives_the_print(values("f(x)\n", "<object at 0x7f>", "", 1))
    assert unknown is not None
    assert unknown.unmade


def test_each_example_is_run_or_an_erratum() -> None:
    docstrings, errata = load_docstrings(KERAS_3_DOCUMENT), load_example_errata(KERAS_3_DOCUMENT)
    assert docstrings is not None
    run = {family.function: len(list(family.make("keras-3"))) for family in FAMILIES}  # type: ignore[arg-type]
    assert run
    for name, records in errata.items():
        skipped = [digest for record in records for digest in record.examples]
        assert {*skipped} <= {*docstrings[name].examples}
        assert len(skipped) == len({*skipped})
        if name in run:
            assert run[name] == len(docstrings[name].examples) - len(skipped) > 0

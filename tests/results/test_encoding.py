"""Records whose fields hold NumPy's values are written and read as those of Python's own."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec import inspect

import conformance.results
from conformance.reporting.json_results import JsonWriter, read_results
from conformance.results import Results
from conformance.results.encoding import plain, plain_data
from conformance.results.events import TargetFinished

Leaf = Callable[[Any], Any]
"""What a field holds in place of a value of Python's own."""

OWN: dict[type[inspect.Type], Any] = {
    inspect.IntType: 2,
    inspect.FloatType: 0.5,
    inspect.BoolType: True,
    inspect.StrType: "nan",  # what a text among the elements of an array may be
}
"""A value for each type of field: with two in a list, those of `Array` are an array."""
SCALARS = {int: np.int64, float: np.float32, bool: np.bool_, str: np.str_}


def as_scalar(value: Any) -> Any:
    return SCALARS[type(value)](value)


def as_array(value: Any) -> Any:
    return np.array(value)


def as_long_double(value: Any) -> Any:
    return np.longdouble(value) if type(value) is float else as_scalar(value)


LEAVES = (as_scalar, as_array, as_long_double)


def record_types() -> Iterator[type[msgspec.Struct]]:
    """Every record that a module of `conformance.results` defines."""
    for info in pkgutil.iter_modules(conformance.results.__path__, "conformance.results."):
        module = importlib.import_module(info.name)
        for value in vars(module).values():
            is_record = isinstance(value, type) and issubclass(value, msgspec.Struct)
            if is_record and value.__module__ == info.name:
                yield value


def variants(kind: inspect.Type) -> int:
    """How many choices the widest union in a type has."""
    if isinstance(kind, inspect.UnionType):
        return max(len(kind.types), *map(variants, kind.types))
    if isinstance(kind, inspect.StructType):
        return max((variants(field.type) for field in kind.fields), default=1)
    if isinstance(kind, inspect.ListType):
        return variants(kind.item_type)
    return variants(kind.value_type) if isinstance(kind, inspect.DictType) else 1


def built(kind: inspect.Type, leaf: Leaf, choice: int) -> Any:
    """A value of this type, with `leaf` around every number, text and truth value.

    Of each union the member is taken that `choice` counts to.
    """
    return MAKERS[type(kind)](kind, leaf, choice)


def a_list(kind: inspect.ListType, leaf: Leaf, choice: int) -> Any:
    several = 1 if isinstance(kind.item_type, inspect.StructType) else 2
    return [built(kind.item_type, leaf, choice) for _ in range(several)]


def a_dictionary(kind: inspect.DictType, leaf: Leaf, choice: int) -> Any:
    key = built(kind.key_type, leaf if leaf is own else as_scalar, choice)
    return {key: built(kind.value_type, leaf, choice)}


MAKERS: dict[type[inspect.Type], Callable[..., Any]] = {
    **dict.fromkeys(OWN, lambda kind, leaf, _: leaf(OWN[type(kind)])),
    inspect.StructType: lambda kind, leaf, choice: kind.cls(
        **{f.name: built(f.type, leaf, choice) for f in kind.fields}
    ),
    inspect.UnionType: lambda kind, leaf, choice: built(
        kind.types[choice % len(kind.types)], leaf, choice
    ),
    inspect.ListType: a_list,
    inspect.DictType: a_dictionary,
    inspect.EnumType: lambda kind, *_: next(iter(kind.cls)),
    inspect.LiteralType: lambda kind, *_: kind.values[0],
    inspect.Metadata: lambda kind, leaf, _: leaf(kind.extra_json_schema["enum"][0]),
    inspect.AnyType: lambda _, leaf, __: {"steps": [leaf(1), leaf(0.5), leaf(True), leaf("K")]},
    inspect.NoneType: lambda *_: None,
    inspect.CustomType: lambda *_: msgspec.UNSET,
}
"""By type of field what makes a value; a new sort of field needs its line here."""


def own(value: Any) -> Any:
    return value


def test_the_records_are_those_of_results_files_and_events() -> None:
    names = {record.__name__ for record in record_types()}
    assert {"Results", "Failure", "Array", "Composed", "Spent", "CasesDone"} <= names


@pytest.mark.parametrize("leaf", LEAVES)
@pytest.mark.parametrize("record", [*record_types()])
def test_every_field_of_every_record_may_hold_a_value_of_numpy(
    record: type[msgspec.Struct], leaf: Leaf
) -> None:
    kind = inspect.type_info(record)
    for choice in range(variants(kind)):
        held, expected = built(kind, leaf, choice), built(kind, own, choice)
        assert msgspec.json.encode(plain_data(held)) == msgspec.json.encode(expected)
        assert msgspec.json.encode(plain(held)) == msgspec.json.encode(expected)
        assert plain(held) == expected


@pytest.mark.parametrize("leaf", LEAVES)
def test_results_with_values_of_numpy_are_written_and_read(leaf: Leaf, tmp_path: Path) -> None:
    kind = inspect.type_info(Results)
    for choice in range(variants(kind)):
        held, expected = built(kind, leaf, choice), built(kind, own, choice)
        folder = tmp_path / str(choice)
        JsonWriter(folder).handle(TargetFinished(held))
        (path,) = folder.iterdir()
        assert read_results(path) == expected


def test_a_whole_array_and_what_no_file_holds_are_refused() -> None:
    for value in (np.zeros(2), 1j, object()):
        with pytest.raises(TypeError, match="a record cannot hold"):
            plain_data({"x": value})

"""Tables of the calls that replace the functions of `K` in a module of another shape.

    imports = ["import keras"]
    eager_inputs = true                                     inputs of cases have values:
                                                            constants in place of placeholders

    [functions.clip]
    old = "x, min_value, max_value"                         the documented parameters
    new = "keras.ops.clip(x, min_value, max_value)"         an expression, or lines with a return
    differs = "what is not as it was"                       left out where nothing differs
    remark = "what else a porter should know"               optional

    [functions.clip.on]                                     optional: what is not as it was on
    keras3-numpy = "float64 is computed in float32"         one target alone

    [functions.clip.when]                                   optional: the arguments with which that
    keras3-numpy = "min_value is None"                      applies, or `differs`; else all do

    [functions.clip.refuses]                                optional: if this applies, an exception
    "min_value is None" = "why it cannot be asked for"      is a refusal, not a fault

    [absent]
    gradients = "why nothing replaces it"

    kept = ["standardize_dtype"]                            optional, at the top: functions of no
                                                            document that K has to this day

The worker makes a function of each row, a standalone script prints those that it needs, and
docs/migration.md shows the whole table with the results of its cases.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from conformance.adapters.worker.conformance_worker.mapping import definition
from conformance.files import read_toml


class MappingError(ValueError):
    """A table is wrong; the message names the file and the row."""


class Ported(Struct, frozen=True, forbid_unknown_fields=True):
    """The call to write in old code, where the suite itself calls another one."""

    new: str
    """An expression of the documented parameters. `seed_generator` is the porter's own
    `keras.random.SeedGenerator`."""
    says: str = ""
    """The action or the knowledge that a porter needs."""
    everywhere: bool = True
    """Whether this also holds outside of functions, where tensors may be symbolic."""


class MappingRow(Struct, frozen=True, forbid_unknown_fields=True):
    """The call that replaces one function."""

    old: str
    """Its documented parameters, with their defaults."""
    new: str
    """An expression of these parameters, or several lines that end in a `return`."""
    differs: str = ""
    """The difference from the function of `K`; empty if there is none."""
    remark: str = ""
    on: dict[str, str] = {}
    """Differences on one target only, by the target's name."""
    wide: list[str] = []
    """The targets whose difference concerns float64 and integers of 64 bits alone."""
    when: dict[str, str] = {}
    """Conditions over the parameters under which `differs`, or what is said of a target, holds."""
    refuses: dict[str, str] = {}
    """Conditions over the parameters under which an exception is a refusal, with the reason."""
    ported: Ported | None = None
    """The call for a porter, if it is not `new`."""

    def untaken(self, name: str) -> tuple[str, ...]:
        """The parameters that the new call does not use."""
        (function,) = ast.parse("\n".join(definition(name, msgspec.to_builtins(self)))).body
        (arguments, *body) = ast.iter_child_nodes(function)
        used = {n.id for part in body for n in ast.walk(part) if isinstance(n, ast.Name)}
        names = (a.arg for a in ast.walk(arguments) if isinstance(a, ast.arg))
        return tuple(argument for argument in names if argument not in used)


class MappingTable(Struct, frozen=True, forbid_unknown_fields=True):
    """A whole table."""

    imports: list[str]
    """The lines that the new calls need."""
    functions: dict[str, MappingRow]
    notes: list[str] = []
    """Notes for a porter before the first row, in Markdown."""
    eager_inputs: bool = False
    """Whether constants take the place of placeholders as inputs of cases."""
    absent: dict[str, str] = {}
    """Functions that nothing replaces, with the reason."""
    kept: list[str] = []
    """Functions that no document has, and that code may go on calling where it did."""
    short: dict[str, str] = {}
    """Expressions that a standalone script has in place of some functions (`scripts.Prelude`)."""

    def definitions(self) -> Mapping[str, tuple[str, ...]]:
        """The lines of each function."""
        rows = msgspec.to_builtins(self.functions)
        return {name: tuple(definition(name, row)) for name, row in rows.items()}


@cache
def load(path: Path) -> MappingTable:
    """The table in a TOML file.

    Raises:
        MappingError: the file cannot be read, or is not a mapping.
    """
    try:
        table = msgspec.toml.decode(read_toml(path), type=MappingTable)
    except RecursionError as error:
        raise MappingError(f"{path}: nested too deep") from error
    except OSError as error:
        cure = "name a table beside the file of targets, or a table that ships with the suite"
        raise MappingError(f"{path}: {error.strerror or error}; {cure}") from error
    except ValueError as error:
        raise MappingError(f"{path}: {error}") from error
    if both := sorted(table.functions.keys() & table.absent.keys()):
        raise MappingError(f"{path}: absent.{both[0]}: it has a row in [functions]; keep one")
    for name, lines in table.definitions().items():
        _check(path, name, "\n".join(lines))
        _check_conditions(path, name, table.functions[name])
    return table


def _check(path: Path, name: str, source: str) -> None:
    where = f"{path}: functions.{name}"
    if not name.isidentifier():
        raise MappingError(f"{where}: a function's name is an identifier")
    try:
        (function,) = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise MappingError(f"{where}: not a function: {error}: {source!r}") from error
    if not any(isinstance(node, ast.Return) for node in ast.walk(function)):
        raise MappingError(f"{where}: several lines end in a `return`")


def _check_conditions(path: Path, name: str, row: MappingRow) -> None:
    for field, conditions in (("refuses", row.refuses.keys()), ("when", row.when.values())):
        for condition in conditions:
            try:
                ast.parse(condition, mode="eval")
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                where = f"{path}: functions.{name}.{field}"
                raise MappingError(f"{where}: not a condition: {error}: {condition!r}") from error
    conditioned = {*row.on, *(["differs"] if row.differs else [])}
    if loose := sorted(row.when.keys() - conditioned):
        where = f"{path}: functions.{name}.when.{loose[0]}"
        raise MappingError(f"{where}: nothing is said to differ there; write it in `on` or differs")
    if loose := sorted({*row.wide} - {*row.on}):
        where = f"{path}: functions.{name}.wide"
        raise MappingError(f"{where}: {loose[0]!r} is not in `on`; name a target of `on`")

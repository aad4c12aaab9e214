"""What counts of a module's source, and what its definitions refer to."""

from __future__ import annotations

import pytest

from conformance.fingerprints.definitions import STATEMENTS, Module, module_definitions

THEME = "conformance.oracle.theme"
MODULES = frozenset({THEME, "conformance.oracle", "conformance.oracle.other"})


def read(source: str, name: str = THEME) -> Module:
    return module_definitions(name, source, MODULES)


def digests(source: str) -> dict[str, str]:
    module = read(source)
    entries = {
        f"{name}[{key}]": definition.digest
        for name, registry in module.registries.items()
        for key, definition in registry.items()
    }
    return {name: definition.digest for name, definition in module.definitions.items()} | entries


PLAIN = """
LIMIT = 3

def softmax(x, axis=-1):
    return x / LIMIT
"""
SAME = '''
"""A module."""
LIMIT = 3  # as many
"""How many."""


def softmax(
    x,
    axis=-1,
):
    """The softmax."""
    # of all
    return (x
            / LIMIT)
'''


def test_comments_docstrings_and_formatting_do_not_count() -> None:
    assert digests(SAME) == digests(PLAIN)


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ("x / LIMIT", "x // LIMIT", {"softmax"}),
        ("LIMIT = 3", "LIMIT = 4", {"LIMIT"}),
        ("axis=-1", "axis=0", {"softmax"}),
    ],
)
def test_a_change_counts_for_its_definition_alone(
    before: str, after: str, changed: set[str]
) -> None:
    was, now = digests(PLAIN), digests(PLAIN.replace(before, after))
    assert {name for name in was if was[name] != now[name]} == changed


def test_names_lead_to_what_they_name() -> None:
    module = read("""
from conformance.oracle import other, expect
from conformance.oracle.other import Shape as S
import numpy as np

def f(x: S):
    return np.exp(g(x)) + other.h(x) + expect(x)

def g(x):
    import conformance.oracle.other as late
    return late.deep(x)

def whole(x):
    return [part for part in (other,)]
""")
    assert set(module.definitions["f"].references) == {
        f"{THEME}:g",
        "conformance.oracle.other:h",
        "conformance.oracle:expect",
        "conformance.oracle.other:Shape",
    }
    assert "conformance.oracle.other:deep" in module.definitions["g"].references
    assert module.definitions["whole"].references == ("conformance.oracle.other:",)
    assert module.imports["expect"] == "conformance.oracle:expect"


REGISTRY = """
from conformance.oracle import other
_PREFIX = "moments"

POOLS = {"pool": lone}
def plain(x): return x
def made(x): return x
def lone(x): return x

ORACLES = {
    "plain": plain,
    f"{_PREFIX}.mean": made,
    **{f"nan{n}": partial(other.ORACLES[n], i) for n, i in (("sum", 0), ("prod", 1))},
    **dict.fromkeys(("a", "b"), lone),
    **{name: partial(made, mode) for name, mode in POOLS.items()},
    **POOLS,
    **other.ORACLES,
}
"""


def test_entries_of_a_registry_are_definitions_of_their_own() -> None:
    module = read(REGISTRY)
    entries = module.registries["ORACLES"]
    assert set(entries) == {"plain", "moments.mean", "nansum", "nanprod", "a", "b", "pool"}
    assert entries["plain"].references == (f"{THEME}:plain",)
    assert entries["nansum"].keys == ("sum",)
    assert module.definitions["ORACLES"].references == ("conformance.oracle.other:ORACLES",)


def test_a_new_entry_changes_no_other() -> None:
    was = digests(REGISTRY)
    now = digests(REGISTRY.replace('"plain": plain,', '"plain": plain, "other": made,'))
    assert {name for name in now if was.get(name) != now[name]} == {"ORACLES[other]"}


def test_dictionaries_elsewhere_are_no_registries() -> None:
    assert not read(REGISTRY, "conformance.scenarios.theme").registries


def test_what_is_done_to_a_value_is_part_of_it() -> None:
    lone = "TABLE = {}\n\ndef f(x): return TABLE[x]\n"
    for statement in ("TABLE['a'] = 1", "TABLE.update(a=1)", "for n in (1, 2):\n    TABLE[n] = n"):
        was, now = digests(lone), digests(f"{lone}{statement}\n")
        assert now["TABLE"] != was["TABLE"], statement
        assert STATEMENTS in now


def test_a_function_that_is_registered_is_part_of_where_it_is_registered() -> None:
    source = "@singledispatch\ndef f(x): ...\n\n@f.register\ndef _(x: int): return 1\n"
    assert digests(source)["f"] != digests(source.replace("return 1", "return 2"))["f"]


def test_a_comprehension_binds_nothing_outside() -> None:
    assert set(digests("A = [name for name in (1, 2)]")) == {"A"}


def test_strings_that_may_be_names_are_words() -> None:
    module = read(
        'def f(w, n):\n    """doc"""\n    return w.call("bias_add", f"conv{n}d", "two words")\n'
    )
    assert module.definitions["f"].words == ("bias_add", "conv*d")


def test_what_is_called_of_k_is_a_word() -> None:
    module = read("def f(K, x):\n    return K.keras.ops.ones(K.shape(x.K.size))\n")
    assert {"keras.ops.ones", "shape"} <= {*module.definitions["f"].words}
    assert "size" not in module.definitions["f"].words


def test_what_a_decorator_registers_belongs_to_the_register() -> None:
    module = read('BOOK = Book()\n@BOOK.scenario("sum")\ndef write(K): ...\ndef other(K): ...\n')
    assert f"{THEME}:write" in module.definitions["BOOK"].references
    assert f"{THEME}:other" not in module.definitions["BOOK"].references

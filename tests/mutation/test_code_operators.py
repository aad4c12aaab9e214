"""Each operator on a small source gives the changes that it should, and no others."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from conformance.mutation.code.editing import OPERATOR_NAMES
from conformance.mutation.code.population import CodeMutant, TargetSources, code_population, drawn
from conformance.mutation.code.units import distances, parsed, references, unit_edits

CHANGES: list[tuple[str, str, list[str]]] = [
    ("return x + y", "arithmetic", ["return (x - y)"]),
    ("return x // y", "arithmetic", ["return (x * y)"]),
    ("return (1,) + x", "arithmetic", ["return (x + (1,))"]),
    ("return -x", "arithmetic", ["return (x)"]),
    ("x -= y\nreturn x", "arithmetic", ["x += y"]),
    ("return x < y", "comparison", ["return (x <= y)"]),
    ("return x is y", "comparison", ["return (x is not y)"]),
    ("return x < y == 3", "comparison", ["return (x <= y == 3)", "return (x < y != 3)"]),
    ("return x and y", "boolean", ["return (x or y)"]),
    ("return not x", "boolean", ["return (x)"]),
    ("return x[0]", "constant", ["return x[1]"]),
    ("return x[1]", "constant", ["return x[0]", "return x[2]"]),
    ("return 0.5 * x", "constant", ["return 0.0 * x", "return 1.5 * x"]),
    ("return True", "constant", ["return False"]),
    ("return f(x, None)", "constant", ["return f(x, 0)"]),
    ("return x is None", "constant", []),
    ("return f('same')", "constant", ["return f('valid')"]),
    ("return f('anything')", "constant", []),
    ("return f(x, y)", "arguments exchanged", ["return f(y, x)"]),
    ("return f(x, x)", "arguments exchanged", []),
    ("return isinstance(x, y)", "arguments exchanged", []),
    ("return f(*x, y)", "arguments exchanged", []),
    ("return f(x, a=1)", "argument dropped", ["return f(x)"]),
    ("return f(x, y)", "argument dropped", ["return f(x)"]),
    ("return f(x)", "argument dropped", []),
    ("f(x)\nreturn y", "statement dropped", ["pass"]),
    ("x = f(y)\nreturn x", "statement dropped", ["pass"]),
    ("z = f(y)\nreturn z", "statement dropped", []),
    ("x.a = y\nreturn x", "statement dropped", ["pass"]),
    ("global z\nz = x\nreturn y", "statement dropped", ["pass"]),
    ("if x:\n    raise f('text')\nreturn y", "statement dropped", ["pass"]),
    ("if x:\n    return x\nreturn y", "statement dropped", ["pass"]),
    ("if f(x):\n    return x\nreturn y", "branch inverted", ["if (not (f(x))):"]),
    ("if x < y:\n    return x\nreturn y", "branch inverted", ["if (not (x < y)):"]),
    ("if x == y:\n    return x\nreturn y", "branch inverted", []),
    ("if not x:\n    return x\nreturn y", "branch inverted", []),
    ("return x if y else f(x)", "branch inverted", ["return x if (not (y)) else f(x)"]),
    ("return tf.reduce_sum(x)", "call swapped", ["return tf.reduce_mean(x)"]),
    ("return T.maximum(x, y)", "call swapped", ["return T.minimum(x, y)"]),
    ("return f((0, 2, 1))", "axes transposed", ["return f((2, 0, 1))", "return f((0, 1, 2))"]),
    ("return f(x, [1, -1])", "axes transposed", ["return f(x, [-1, 1])"]),
    ("return f(x, (1, 1))", "axes transposed", []),
    ("return f(x, (1, y))", "axes transposed", []),
]  # fmt: skip
UNTOUCHED = [
    '"""A text with 0."""\nreturn x',
    "assert x == 0, 'same'\nreturn x",
    "raise f('same', 0, 1)",
    "warnings.warn('same', 0)\nreturn x",
    "return '%s' % f(x, y)",
    "return 'a {} b'.format(x, 0)",
    "return f'{x + y}'",
    "import numpy as np\nreturn x",
]
OPERATORS_OF_MESSAGES = {"statement dropped"}


def source(body: str, head: str = "def g(x, y):") -> str:
    return head + "\n" + "".join(f"    {line}\n" for line in body.splitlines())


def changes(text: str) -> list[tuple[str, str]]:
    """Operator and changed lines of every mutant of the function `g`."""
    return [(m.edit.operator, m.after) for m in mutants(text)]


def mutants(text: str, **functions: str) -> list[CodeMutant]:
    module = parsed("m", "m.py", text.encode())
    named = functions or {"g": "g"}
    return code_population(TargetSources([module], {k: ("m", v) for k, v in named.items()}))


@pytest.mark.parametrize(("body", "operator", "expected"), CHANGES)
def test_an_operator_makes_its_changes(body: str, operator: str, expected: list[str]) -> None:
    results = [after for name, after in changes(source(body)) if name == operator]
    assert sorted(results) == sorted(expected)


def test_every_operator_is_tried() -> None:
    tried = {operator for _, operator, expected in CHANGES if expected}
    assert tried | {"default"} == set(OPERATOR_NAMES)


def test_the_default_of_a_parameter_is_an_operator_of_its_own() -> None:
    pairs = changes(source("return x", "def g(x, axis=-1, *, same='same', no=None):"))
    heads = [after for name, after in pairs if name == "default"]
    assert "def g(x, axis=-0, *, same='same', no=None):" in heads
    assert "def g(x, axis=-1, *, same='valid', no=None):" in heads
    assert "def g(x, axis=-1, *, same='same', no=0):" in heads
    assert {name for name, _ in pairs} == {"default", "arithmetic"}


@pytest.mark.parametrize("body", UNTOUCHED)
def test_what_is_for_readers_stays(body: str) -> None:
    assert {name for name, _ in changes(source(body))} <= OPERATORS_OF_MESSAGES


def test_a_raise_can_be_dropped_and_its_message_stays() -> None:
    assert changes(source("raise f('same', 0)")) == [("statement dropped", "pass")]


def test_a_changed_part_keeps_its_place_among_operators() -> None:
    module = parsed("m", "m.py", source("return x - (y + 1) * 2").encode())
    edits = unit_edits(module, module.units()["g"])
    (edit,) = [e for e in edits if e.after == "(y - 1)"]
    value = ast.unparse(ast.parse(module.text.edited(edit)).body[0])
    assert "x - (y - 1) * 2" in value


def test_text_before_a_change_may_be_of_several_bytes() -> None:
    (changed,) = [after for _, after in changes(source("return f('é', x[0])")) if "x[1]" in after]
    assert changed == "return f('é', x[1])"


GRAPH = """
def helper(x):
    return deeper(x)

def deeper(x):
    return x + 1

def f(x):
    return helper(x)

def g(x):
    return deeper(x)

def alone(helper):
    return helper
"""


def test_what_a_function_reaches_counts_for_it_the_nearest_first() -> None:
    population = mutants(GRAPH, f="f", g="g", alone="alone")
    assert {m.unit: list(m.reached_from) for m in population} == {"deeper": ["g", "f"]}


def test_a_parameter_is_no_reference() -> None:
    graph = references([parsed("m", "m.py", GRAPH.encode())])
    assert distances(graph, ("m", "alone")) == {("m", "alone"): 0}
    assert distances(graph, ("m", "f"))["m", "deeper"] == 2


def test_a_reference_to_another_module_is_followed() -> None:
    first = parsed("p.one", "one.py", b"def f():\n    return two.g() + h()\n")
    two = parsed("p.two", "two.py", b"def g():\n    return 0\ndef h():\n    return np.f()\n")
    graph = references([first, two])
    assert graph["p.one", "f"] == {("p.two", "g"), ("p.two", "h")}
    assert graph["p.two", "h"] == set()


def test_a_class_is_changed_as_a_whole() -> None:
    text = "class F:\n    def a(self):\n        return 1\n\ndef g():\n    return F()\n"
    assert {m.unit for m in mutants(text)} == {"F"}


def test_a_sample_is_the_same_again_and_begins_a_larger_one() -> None:
    population = mutants(source("return x + y * 3 - f(x, y, 4)[2]"))
    ids = [m.id for m in drawn(population, 4, 7)]
    assert ids == [m.id for m in drawn(list(reversed(population)), 4, 7)]
    assert ids == [m.id for m in drawn(population, 6, 7)][:4]
    assert ids != [m.id for m in drawn(population, 4, 8)]
    assert len(drawn(population, None, 7)) == len(population) == len({m.id for m in population})


@pytest.mark.thorough
def test_every_change_of_a_real_module_can_be_read() -> None:
    file = ast.__file__
    module = parsed("ast", file, Path(file).read_bytes())
    functions = {name: ("ast", name) for name in module.units()}
    population = code_population(TargetSources([module], functions))
    assert len(population) > 1000
    dropped = [m for m in population if m.edit.operator == "statement dropped"]
    for mutant in (*drawn(population, 100, 0), *drawn(dropped, 200, 0)):
        assert mutant.source() != module.text.source
        compile(mutant.source(), file, "exec")

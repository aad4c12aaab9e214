"""A backend whose every text is Python: its scripts have the statements of a harmless one's."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from conformance.reporting.pytest_module import ExportedTest, module
from conformance.results import Failure
from tests.engine.support import TINY, examine
from tests.engine.support import module as subject
from tests.scripts.test_source_text import statements

SOURCE = """
from conformance.reference import *
from conformance import reference as _right

TEXT = {text!r}
__version__ = TEXT

class _Error(RuntimeError):
    pass

try:
    _Error.__name__ = TEXT
except ValueError:  # a class cannot be called so
    pass

def backend():
    return TEXT

def abs(x):
    raise _Error(TEXT)

def sqrt(x):
    return TEXT

def exp(x):
    return _right.cast(_right.exp(x), 'float64')

def square(x, **other):
    return _right.square(x)

square.__signature__ = __import__('inspect').Signature([
    __import__('inspect').Parameter('x', 1, default=type('D', (), {{'__repr__': lambda s: TEXT}})())
])
"""
FUNCTIONS = ("abs", "sqrt", "exp", "square", "backend")
TEXTS = {
    "statement": "1.0\nraise SystemExit(7)\n",
    "literal": "a'; raise SystemExit(7) #",
    "literals": 'a"""; raise SystemExit(7) #',
    "encoding": "coding: utf-7\n+AAo-raise SystemExit(7)",
    "not text": "a\0b\ud800c\u202ed\x1b[2J",
}


def failures(folder: Path, text: str) -> list[tuple[str, Failure]]:
    (folder / "texts.py").write_text(SOURCE.format(text=text), encoding="utf-8")
    outcome = examine(subject("texts", folder), FUNCTIONS, TINY)
    return [
        (f"{name} {aspect} {failure.kind}", failure) for name, aspect, failure in outcome.failures()
    ]


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The statements of the scripts of a backend that says a plain word."""
    plain = failures(tmp_path_factory.mktemp("harmless"), "plain")
    return {place: statements(str(failure.script)) for place, failure in plain if failure.script}


@pytest.mark.parametrize("name", TEXTS)
def test_scripts_have_the_statements_of_a_harmless_backend(
    name: str, harmless: dict[str, str], tmp_path: Path
) -> None:
    scripted = {
        place: failure for place, failure in failures(tmp_path, TEXTS[name]) if failure.script
    }
    shared = scripted.keys() & harmless.keys()
    assert len(shared) >= len(harmless) - 1  # one names its class of exception
    for place in shared:
        assert statements(str(scripted[place].script)) == harmless[place], place
    every = [
        ExportedTest(
            target=TEXTS[name], function="f", aspect="a", identity=i, script=str(failure.script)
        )
        for i, failure in scripted.items()
    ]
    held = [n for n in ast.parse(module(every, "1.0")).body if isinstance(n, ast.Assign)]
    written = [ast.literal_eval(n.value) for n in held if isinstance(n.targets[0], ast.Subscript)]
    assert written == [test.script for test in every]

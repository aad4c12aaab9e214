"""Whatever a text holds, a script with it has the statements that it has with a plain word."""

from __future__ import annotations

import ast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.adapters import target_texts
from conformance.adapters.registry import completed
from conformance.adapters.target_records import Target
from conformance.engine.running.preludes import reaching
from conformance.observations import Identity
from conformance.program import BACKEND, Binding, Case, Input, Program, Ref, Step
from conformance.program.codec import ProgramError, from_json, to_json
from conformance.reporting.pytest_module import ExportedTest, module
from conformance.scripts import Home, Prelude
from conformance.scripts.endings import answers, gave, refuses
from conformance.scripts.printing import comparing_script
from conformance.source_text import comment, inside, is_dotted
from tests.program.strategies import REPEATABLE

PIECES = (
    *("\n", "\r", "\r\n", "\x0c", "\x0b", "\x85", "\u2028", "\0", "\t", " "),
    *("'", '"', "'''", '"""', "\\", "\\n", "{backend}", "{", "}", "%s", "#", ";", ":"),
    *("\u202e", "\u2066", "\ud800", "\udfff", "\udc80", "\x1b[2J", "\ufeff", "\u00a0", "é", "语"),
    *("coding: utf-7", "coding=unicode_escape", "-*- coding: utf-16 -*-", "+AAo-raise-", "nan"),
    *("import os", "raise SystemExit(7)", "x" * 120),
)
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=8).map("".join)
PLAIN = "plain"


def statements(source: str) -> str:
    """The syntax tree of a file with this source, without what its literals of text hold."""
    tree = ast.parse(source.encode("utf-8"))  # as a file is read: it may name its encoding
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


def scripts(text: str) -> list[str]:
    """Scripts of each form for a backend that says this text wherever it says something."""
    identity = Identity(protocol=1, python=text, versions={text: text}, backend=text, functions={})
    home = Home(f'{{"backend": "{BACKEND}"}}', {"KERAS_BACKEND": BACKEND, "OTHER": None})
    prelude = reaching(Prelude(home=home, needs=[text]), identity, ())
    step = Step("y", "conv", (Ref("x"), text, BACKEND), (("name", text),))
    program = Program((Input("x", (2,), "float32", Binding.VARIABLE),), (step,), ("y",))
    case = Case(program, {"x": np.zeros(2, np.float32)})
    ending = gave(("y",), f"first != {text!r}")
    title = f"{text} and {BACKEND}"
    return [
        comparing_script(case, prelude, ending, title),
        comparing_script(case, reaching(Prelude(), identity, ()), answers(), title),
        comparing_script(case, prelude, refuses((text,), text), title),
    ]


def exported(text: str) -> str:
    script = scripts(text)[0] + f"# {PLAIN}\n"
    test = ExportedTest(target=text, function=text, aspect=text, identity=text, script=script)
    return module([test], "1.0")


@REPEATABLE
@given(TEXTS)
def test_a_comment_holds_no_statement(text: str) -> None:
    lines = list(comment(text))
    assert all(line.startswith("#") for line in lines)
    assert statements("\n".join(lines)) == statements("")
    assert statements("\n".join([*lines, "x = 'é'"])) == statements("x = 'é'")


@REPEATABLE
@given(TEXTS)
def test_what_stands_in_a_literal_is_read_as_it_was(text: str) -> None:
    for quote in ("'", '"', "'''", '"""'):
        source = f"{quote}{inside(text)}{quote}"
        assert ast.literal_eval(source) == text
        assert "\n" not in source


@REPEATABLE
@given(TEXTS)
def test_scripts_have_the_statements_of_their_harmless_twins(text: str) -> None:
    for script, twin in zip(scripts(text), scripts(PLAIN), strict=True):
        assert statements(script) == statements(twin)


@REPEATABLE
@given(TEXTS)
def test_the_text_arrives_in_the_script(text: str) -> None:
    tree = ast.parse(scripts(text)[0].encode())
    values = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}
    assert text.replace(BACKEND, text) in values or text in values


@REPEATABLE
@given(TEXTS)
def test_an_exported_module_has_the_statements_of_its_harmless_twin(text: str) -> None:
    assert statements(exported(text)) == statements(exported(PLAIN))


@REPEATABLE
@given(TEXTS)
def test_an_exported_module_holds_the_script_as_it_is(text: str) -> None:
    body = ast.parse(exported(text).encode()).body
    held = [
        n for n in body if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Subscript)
    ]
    assert [ast.literal_eval(n.value) for n in held] == [scripts(text)[0] + f"# {PLAIN}\n"]


@REPEATABLE
@given(TEXTS)
def test_a_program_of_a_stranger_has_names_alone(text: str) -> None:
    program = Program((), (Step("y", "exp", (Ref("x"),), (("axis", 1),)),), ("y",))
    assert from_json(to_json(program)) == program
    step = program.steps[0]
    for changed in (
        Program((), (Step(text, "exp", ()),), ()),
        Program((), (Step("y", text, ()),), ()),
        Program((), (Step("y", "exp", (Ref(text),)),), ()),
        Program((), (Step("y", "exp", (), ((text, 1),)),), ()),
        Program((), (step,), (text,)),
        Program((Input(text, (2,), "float32", Binding.ARRAY),), (), ()),
    ):
        if is_dotted(text):
            assert from_json(to_json(changed)) == changed
            continue
        with pytest.raises(ProgramError):
            from_json(to_json(changed))


@REPEATABLE
@given(TEXTS)
def test_the_import_of_a_module_is_one_of_two_statements(text: str) -> None:
    target = completed(Target(name="mine", module=text or "m", edition="keras-2.2"))
    (line,) = target.script_import
    body = ast.parse(line.encode("utf-8")).body
    kinds = [type(node).__name__ for node in body]
    assert kinds in (["Import"], ["ImportFrom"], ["Import", "Assign"])


@REPEATABLE
@given(TEXTS)
def test_a_name_in_a_file_of_targets_is_a_name(text: str) -> None:
    for names in ({"exp": text}, {text: "exp"}):
        problems = list(target_texts.problems({"names": names}))
        assert bool(problems) == (not is_dotted(text))

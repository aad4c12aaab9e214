"""Tables of the calls that replace the functions of `K`: read, refused, run and printed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conformance.adapters import mappings
from conformance.adapters.mappings import MappingError, MappingRow
from conformance.adapters.process import Launch
from conformance.adapters.registry import RegistryError, load, shipped
from conformance.adapters.session import Session, WorkerStartError
from conformance.observations import Batch
from conformance.program import Binding, Case, Input, Program, Ref, Step
from conformance.scripts import Prelude
from conformance.specs import load as specs
from conformance.specs.load import signature
from conformance.specs.signature import parse
from tests.adapters.support import arrays, batch, call, error, launch, x
from tests.editions import OF_K
from tests.scripts.support import print_script

TABLE = """
imports = ["import numpy", "import os"]
eager_inputs = true

[functions.variable]
old = "value, dtype=None"
new = "numpy.array(value, dtype)"

[functions.constant]
old = "value, dtype=None"
new = "numpy.array(value, dtype)"

[functions.placeholder]
old = "shape=None, ndim=None, dtype=None"
new = "1 / 0"

[functions.set_value]
old = "x, value"
new = '''
x[...] = value
return None
'''

[functions.dtype]
old = "x"
new = "x.dtype.name"

[functions.int_shape]
old = "x"
new = "x.shape"

[functions.eval]
old = "x"
new = "x"

[functions.clip]
old = "x, min_value, max_value=2.0"
new = "numpy.clip(x, min_value, max_value)"
differs = "nothing is symbolic"

[functions.sum]
old = "x"
new = "clip(x, 0)"

[functions.log]
old = "x, base=0"
new = "x / [1][base]"
refuses = { "base > 0" = "there is one base" }

[functions.prod]
old = "x"
new = "x * int(os.environ['FACTOR'])"

[absent]
rnn = "a loop"
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mapping") / "table.toml"
    path.write_text(TABLE, encoding="utf-8")
    return path


def mapped(table: Path, startup: str = "import os; os.environ['FACTOR'] = '3'") -> Launch:
    start = replace(launch("correct", family="eager"), module="numpy.linalg")
    return replace(start, mapping=str(table), startup=startup)


@pytest.fixture(scope="module")
def session(table: Path) -> Iterator[Session]:
    names = ("clip", "rnn", "foldl")
    with Session(mapped(table), configuration=None, functions=names) as running:
        yield running


def test_a_row_is_called_as_the_old_function(session: Session) -> None:
    asked = batch(call("clip", x(3, binding="variable"), min_value=1.5))
    results = arrays(session.run_batch(asked))
    np.testing.assert_array_equal(np.stack(results), np.clip(asked.arrays["x"], 1.5, 2))


def test_start_up_comes_before_the_import(session: Session) -> None:
    asked = batch(call("prod", x(2, binding="variable")))
    np.testing.assert_array_equal(
        np.stack(arrays(session.run_batch(asked))), asked.arrays["x"] * np.float32(3)
    )


def test_an_input_that_would_be_fed_is_a_constant(session: Session) -> None:
    asked = batch(call("clip", x(3, binding="placeholder_none"), min_value=1.5))
    results = arrays(session.run_batch(asked))
    np.testing.assert_array_equal(np.stack(results), np.clip(asked.arrays["x"], 1.5, 2))


def test_a_placeholder_with_arguments_is_the_one_under_test(session: Session) -> None:
    placeholder = replace(x(3, binding="placeholder"), arguments=(("ndim", 1),))
    assert error(session.run_batch(batch(call("clip", placeholder, min_value=1.5)))).type == (
        "ZeroDivisionError"
    )


def test_an_exception_is_a_refusal_only_where_the_table_says_so(session: Session) -> None:
    refused = error(session.run_batch(batch(call("log", x(2, binding="variable"), base=1))))
    assert refused.type == "NotImplementedError"
    refusal = "there is one base (IndexError: list index out of range)"
    assert refused.message == f"{refusal}\n\nCaused by IndexError: list index out of range"
    raised = error(session.run_batch(batch(call("log", x(2, binding="variable"), base=-2))))
    assert raised.type == "IndexError"


def test_no_row_sees_another(session: Session) -> None:
    assert error(session.run_batch(batch(call("sum", x(2, binding="variable"))))).type == (
        "NameError"
    )


def test_the_worker_says_what_is_absent_and_why(session: Session) -> None:
    functions = session.identity.functions
    assert (functions["rnn"].present, functions["rnn"].reason) == (False, "a loop")
    assert (functions["foldl"].present, functions["foldl"].reason) == (False, "absent")
    # the signature is that of the table: comparing it with the documents would prove nothing
    assert (functions["clip"].present, functions["clip"].signature) == (True, None)


def test_a_start_up_that_fails_is_told(table: Path) -> None:
    with (
        Session(mapped(table, "raise OSError('no such thing')")) as failing,
        pytest.raises(WorkerStartError, match="no such thing"),
    ):
        _ = failing.identity


def test_a_script_defines_what_it_calls_and_no_more(table: Path, tmp_path: Path) -> None:
    old = mappings.load(table)
    prelude = Prelude(old.imports, package="numpy", definitions=old.definitions())
    steps = (Step("y", "clip", (Ref("x"),), (("min_value", 1.5),)),)
    program = Program((Input("x", (2,), "float32", Binding("variable")),), steps, ("y",))
    text = print_script(Case(program, {"x": np.array([1, 5], "float32")}), prelude)
    fed = replace(program, inputs=(replace(program.inputs[0], binding=Binding.PLACEHOLDER),))
    eager = replace(prelude, eager_inputs=True)
    script_text = print_script(Case(fed, {"x": np.array([1, 5], "float32")}), eager, echo="x")
    assert "x = K.constant(x_value, dtype='float32')" in script_text
    assert "K.function" not in script_text
    assert "numpy.clip(x, min_value, max_value)" in text
    assert "def prod" not in text
    script = tmp_path / "script.py"
    script.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.splitlines()[-1] == "array([1.5, 2. ], dtype=float32)"


WRONG = {
    "imports = 3": "imports",
    "imports = [": "table.toml",
    "imports = []\n[functions.sum]\nold = 'x'": "new",
    "imports = []\n[functions.sum]\nold = 'x'\nnew = 'x'\nremarks = ''": "remarks",
    "imports = []\n[functions.sum]\nold = 'x y'\nnew = 'x'": "functions.sum",
    "imports = []\n[functions.sum]\nold = 'x'\nnew = 'x +'": "functions.sum",
    "imports = []\n[functions.sum]\nold = 'x'\nnew = 'x'\nrefuses = {'x +' = ''}": "sum.refuses",
    "imports = []\n[functions.sum]\nold = 'x'\nnew = 'x'\nwhen = {differs = 'x'}": "sum.when",
    "imports = []\n[functions.sum]\nold = 'x'\nnew = 'x'\non = {a = ''}\nwhen = {a = 'x+'}": "when",
    "imports = []\n[functions.sum]\nold = 'x'\nnew = 'x'\non = {a = ''}\nwide = ['b']": "sum.wide",
    "imports = []\n[functions.'a b']\nold = 'x'\nnew = 'x'": "functions.a b",
    'imports = []\n[functions.sum]\nold = "x"\nnew = "y = x\\ny"': "return",
    "imports = []\n[functions.sum]\nold = 'x'\nnew = 'x'\n[absent]\nsum = 'no'": "absent.sum",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_table_is_refused_by_name(text: str, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MappingError) as caught:
        mappings.load(path)
    assert str(path) in str(caught.value)
    assert WRONG[text] in str(caught.value)


def test_a_target_names_the_mapping_that_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[targets.a]\nmodule = "m"\nedition = "keras-2.2"\nmapping = "no.toml"\n')
    with pytest.raises(RegistryError, match=r"targets\.a: mapping: .*no\.toml"):
        load(path)


def test_parameters_that_the_new_call_leaves_out() -> None:
    row = MappingRow(old="x, axis=-1, name=None", new="sum(x, axis=axis)")
    assert row.untaken("sum") == ("name",)


MAPPED = [t for t in shipped().values() if t.mapping is not None and t.edition == "keras-2.2"]
SHIPPED = sorted({t.mapping for t in MAPPED if t.mapping is not None})


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_a_shipped_table_covers_all_of_k_with_its_newest_signatures(path: Path) -> None:
    table = mappings.load(path)
    documented = {
        name: signature(spec, [e for e in OF_K if e in spec.editions][-1])
        for name, spec in specs().items()
        if not {*OF_K}.isdisjoint(spec.editions)
    }
    assert table.functions.keys() | table.absent.keys() == documented.keys()
    for name, row in table.functions.items():
        assert parse(f"{name}({row.old})") == documented[name]


def test_a_program_without_inputs_needs_no_others(session: Session) -> None:
    program = Program((), (Step("y", "eval", (3.5,)),), ("y",))
    (result,) = arrays(session.run_batch(Batch(program, {}, 1)))
    assert result == 3.5

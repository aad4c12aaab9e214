"""Scripts that compare: status 1 and one line where the fault is there, 0 where it is not."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from conformance.adapters import registry
from conformance.cli.subjects import subject
from conformance.program import Binding, Case, Input, Prelude, Program, Ref, Step, endings
from conformance.program.endings import Death, Ending
from conformance.program.model import AS_THEY_ARE
from conformance.program.script import Outputs, comparing_script

ROOT = Path(__file__).parents[2]
REFERENCE = Prelude(("import conformance.reference as K",))
NOTHING = Case(Program((), (), ()), {})
X = np.array([[1.0, -2.0], [0.25, 3.0]], "float32")
TENSORS = [b for b in Binding if b not in AS_THEY_ARE]


def case(step: Step, array: npt.NDArray[Any] = X, binding: Binding = Binding.VARIABLE) -> Case:
    item = Input("x", array.shape, array.dtype.name, binding)
    return Case(Program((item,), (step,), ("result",)), {"x": array})


def call(function: str, *args: Any, **kwargs: Any) -> Step:
    return Step("result", function, (Ref("x"), *args), tuple(kwargs.items()))


def elements(wanted: Any, *, index: tuple[int, ...] = (0, 0), limit: float = 1e-6) -> Ending:
    array = np.asarray(wanted, "float64")
    return endings.has_elements(array, np.full(array.shape, limit), index)


@pytest.fixture
def ended(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(
        ran: Case, ending: Ending, prelude: Prelude = REFERENCE, outputs: Outputs = "tensors"
    ) -> tuple[int, str]:
        script = comparing_script(ran, prelude, ending, "what is wrong", outputs=outputs)
        ast.parse(script, feature_version=(3, 6))
        with pytest.raises(SystemExit) as left:
            exec(compile(script, "script.py", "exec"), {})
        return int(str(left.value.code)), capsys.readouterr().out.splitlines()[-1]

    return run


WRONG = X.astype("float64") ** 2 + [[0, 0], [0, 0.5]]
LONG = np.arange(200, dtype="float32").reshape(100, 2)
PAIRS: dict[str, tuple[Case, Ending, str]] = {
    "value": (
        case(call("square")),
        elements(WRONG, index=(1, 1)),
        "expected 9.5 at [1, 1]; got 9.0 at [1, 1]",
    ),
    "another element": (
        case(call("square")),
        elements(WRONG),
        "expected 9.5 at [1, 1]; got 9.0 at [1, 1]",
    ),
    "one of many elements": (
        case(call("square"), LONG),
        endings.has_elements(np.square(LONG) + 1, np.zeros(LONG.shape), (3, 1)),
        "expected 50.0; got 49.0 at [3, 1]",
    ),
    "nan": (
        case(call("square")),
        elements(np.full((2, 2), np.nan)),
        "expected nan at [0, 0]; got 1.0 at [0, 0]",
    ),
    "shape": (
        case(call("square")),
        endings.has_shape((2, 3)),
        "expected shape (2, 3); got shape (2, 2)",
    ),
    "shape of elements": (
        case(call("sum")),
        elements(np.zeros((1,)), index=(0,)),
        "expected shape (1,); got shape ()",
    ),
    "shape of no reading": (
        case(call("sum")),
        endings.or_shapes(elements(np.zeros((1,)), index=(0,)), [(2,)]),
        "expected shape (1,); got shape ()",
    ),
    "exception": (
        case(call("sum", 7)),
        endings.answers("a result of shape ()"),
        "expected a result of shape (); got ",
    ),
    "dtype": (
        case(call("square")),
        endings.has_dtype(["float64"]),
        "expected float64; got float32",
    ),
    "claimed dtype": (
        case(call("square")),
        endings.reports_dtype("result", ["float64", "int32"]),
        "expected float64 or int32; got float32",
    ),
    "static shape": (
        case(call("square")),
        endings.reports_shape("result", [(2, 3)], precise=False),
        "expected (2, 3); got (2, 2)",
    ),
    "imprecise": (
        case(call("square"), X, Binding.PLACEHOLDER_NONE),
        endings.reports_shape("result", [(2, None)], precise=True),
        "expected (2, None); got (None, None)",
    ),
    "refusal": (
        case(call("square")),
        endings.refuses(["ValueError"], "ValueError, because"),
        "expected ValueError, because; got a result of shape (2, 2)",
    ),
    "another refusal": (
        case(call("square", no_such_argument=1)),
        endings.refuses(["ValueError"], "ValueError"),
        "expected ValueError; got TypeError: ",
    ),
    "absent": (
        NOTHING,
        endings.looked_up("no_such_function"),
        "expected a function K.no_such_function; got nothing of this name",
    ),
    "signature": (
        NOTHING,
        endings.has_signature("relu", "relu(x, beta)", "'beta' not in offered"),
        "expected relu(x, beta); got relu(x, alpha=0.0, ",
    ),
    "some elements of an output": (
        case(call("square"), LONG),
        endings.gave_elements("at most 9", ["result"], "first > 9"),
        "expected at most 9; got 16.0 at [2, 0], and 196 of 200 so in all",
    ),
    "an output": (
        case(call("square")),
        endings.gave("others", ["result"], "first[0, 1] == 4"),
        "expected others; got [[1.0, 4.0], [0.0625, 9.0]]",
    ),
    "outputs as they were": (
        case(call("sum"), LONG),
        endings.gave("another sum", ["result"], "same([[measured(first)]], [[19900.001]])"),
        "expected another sum; got 19900.0",
    ),
    "an output that is no array": (
        Case(Program((), (Step("result", "placeholder", (), (("ndim", 1),)),), ("text",)), {}),
        replace(
            endings.gave("a list", ["text"], "same([[measured(first)]], [['map']])"),
            observe=("values = [[map(str, [])]]",),
        ),
        "expected a list; got 'map'",
    ),
    "a long output": (
        case(call("square"), LONG),
        endings.gave("others", ["result"], "True"),
        "expected others; got shape (100, 2) from 0 to 39601, mean 13233.5, zeros 0.005",
    ),
    "count": (
        case(call("square")),
        endings.is_one_array((2, 2), count=2),
        "expected 2 arrays; got ndarray of float32",
    ),
    "static shape of an input": (
        case(call("square")),
        endings.inputs_fit({"x": (3, 3)}),
        "expected inputs with the static shapes that they were given; got x of shape (2, 2)",
    ),
}  # fmt: skip
RIGHT: dict[str, tuple[Case, Ending]] = {
    "value": (case(call("square")), elements(np.square(X))),
    "one of many elements": (
        case(call("square"), LONG),
        endings.has_elements(np.square(LONG), np.zeros(LONG.shape), (3, 1)),
    ),
    "nan": (case(call("square"), X * np.float32(np.nan)), elements(np.full((2, 2), np.nan))),
    "within the limit": (case(call("square")), elements(np.square(X) + 0.5, limit=0.5)),
    "nothing asked": (case(call("square")), elements(WRONG, limit=np.inf)),
    "no elements": (
        case(call("square"), X[:0]),
        endings.has_elements(np.zeros((0, 2)), np.zeros((0, 2)), (0, 0)),
    ),
    "shape": (case(call("square")), endings.has_shape((2, 2))),
    "shape of another reading": (
        case(call("sum")),
        endings.or_shapes(elements(np.zeros((1,)), index=(0,)), [(2,), ()]),
    ),
    "refusal that a reading allows": (
        case(call("sum", 7)),
        endings.or_refuses(endings.has_shape(())),
    ),
    "answer": (case(call("sum")), endings.answers("a result")),
    "dtype": (case(call("square")), endings.has_dtype(["float64", "float32"])),
    "claimed dtype": (case(call("square")), endings.reports_dtype("result", ["float32"])),
    "claimed dtype of a value": (case(call("square")), endings.reports_its_dtype("result")),
    "static shape": (
        case(call("square"), X, Binding.PLACEHOLDER_NONE),
        endings.reports_shape("result", [(2, 3)], precise=False),
    ),
    "precise": (
        case(call("square")),
        endings.reports_shape("result", [(None, 2)], precise=True),
    ),
    "refusal": (case(call("sum", 7)), endings.refuses([], "an exception")),
    "present": (NOTHING, endings.looked_up("relu")),
    "signature": (NOTHING, endings.has_signature("relu", "", "'x' not in offered")),
    "count": (case(call("square")), endings.is_one_array((2, 2))),
    "static shape of an input": (case(call("square")), endings.inputs_fit({"x": (2, 2)})),
    "some elements of an output": (
        case(call("square"), LONG),
        endings.gave_elements("at most 1e9", ["result"], "first > 1e9"),
    ),
    "an output": (case(call("square")), endings.gave("4", ["result"], "first[0, 1] != 4")),
    "outputs that are others": (
        case(call("sum"), LONG),
        endings.gave("another sum", ["result"], "same([[measured(first)]], [[1.5]])"),
    ),
    "unchanged": (
        case(call("square")),
        endings.unchanged(["x"], ["x"]),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("ran", "ending", "line"), PAIRS.values(), ids=list(PAIRS))
def test_where_the_fault_is_there(ran: Case, ending: Ending, line: str, ended: Any) -> None:
    status, said = ended(ran, ending)
    assert (status, said[: len(line)]) == (1, line)
    assert "..." not in said


@pytest.mark.parametrize(("reported", "status"), [("float64", 1), ("float32", 0)])
def test_a_dtype_that_is_reported_is_that_of_the_value(
    reported: str, status: int, ended: Any, tmp_path: Path
) -> None:
    source = f"from conformance.reference import *\ndef dtype(x):\n    return {reported!r}\n"
    (tmp_path / f"claims_{reported}.py").write_text(source, "utf-8")
    prelude = Prelude((f"import claims_{reported} as K",), paths=(str(tmp_path),))
    said = ended(case(call("square")), endings.reports_its_dtype("result"), prelude)
    assert said == (status, f"expected float32; got {reported}")


@pytest.mark.parametrize(("ran", "ending"), RIGHT.values(), ids=list(RIGHT))
def test_where_it_is_not(ran: Case, ending: Ending, ended: Any) -> None:
    status, said = ended(ran, ending)
    assert status == 0, said


@pytest.mark.parametrize("binding", TENSORS)
def test_every_binding_is_evaluated(binding: Binding, ended: Any) -> None:
    assert ended(case(call("square"), X, binding), elements(np.square(X)))[0] == 0
    assert ended(case(call("square"), X, binding), elements(WRONG))[0] == 1


NAN = float("nan")
ALIKE = [(1, 1), (0.1 + 0.2, 0.3), (NAN, NAN), ("a", "a"), ([1, [2.0]], [1, [2.0]])]
OTHERS = [(1, 1.0), (1, True), (1, 2), (1, None), ([1], [1, 1]), ([1], 1), (1.0, 1.1)]


def test_an_integer_is_not_the_same_as_a_float() -> None:
    names: dict[str, Any] = {"np": np}
    exec("\n".join(endings.FLAT), names)
    assert all(names["same"](a, b) for a, b in ALIKE)
    assert not any(names["same"](a, b) or names["same"](b, a) for a, b in OTHERS)


def test_every_output_has_its_place_in_what_is_shown_even_an_empty_one() -> None:
    names: dict[str, Any] = {"np": np}
    exec("\n".join(endings.FLAT), names)
    values = [names["flat"](value) for value in ((), (2, 1), "returns", np.zeros((0, 2)))]
    assert names["shown"](values) == "(), 2, 1, 'returns', []"
    assert names["shown"]([[np.arange(100.0)]]).startswith("shape (100,) from 0 to 99, ")


def test_an_input_that_a_call_changes(ended: Any, tmp_path: Path) -> None:
    (tmp_path / "changes_input.py").write_text(
        "import numpy as np\n"
        "variable = lambda value, dtype: np.array(value, dtype)\n"
        "get_value = eval = np.asarray\n"
        "def negative(x):\n    x *= -1\n    return x\n"
    )
    prelude = Prelude(("import changes_input as K",), paths=(str(tmp_path),))
    status, said = ended(case(call("negative")), endings.unchanged(["x"], ["x"]), prelude)
    assert (status, said) == (1, "expected inputs as they were; got others in x")


def test_a_value_is_computed_by_the_way_that_the_worker_takes(ended: Any, tmp_path: Path) -> None:
    """A function without inputs first, because `eval` may answer otherwise."""
    (tmp_path / "two_ways.py").write_text(
        "import numpy as np\n"
        "variable = lambda value, dtype: np.array(value, dtype)\n"
        "square = np.square\n"
        "eval = lambda x: x\n"
        "def function(inputs, outputs):\n"
        "    if not inputs and outputs[0].ndim == 1:\n        raise ValueError('no inputs')\n"
        "    return lambda values: [x + 1 for x in outputs]\n"
    )
    prelude = Prelude(("import two_ways as K",), paths=(str(tmp_path),))
    assert ended(case(call("square")), elements(np.square(X) + 1), prelude)[0] == 0
    row = case(call("square"), X[0])
    assert ended(row, elements(np.square(X[0]), index=(0,)), prelude)[0] == 0
    at_once = replace(prelude, eager=True)
    assert ended(case(call("square")), elements(np.square(X)), at_once)[0] == 0


def test_a_function_under_another_name_is_called(ended: Any) -> None:
    own = replace(REFERENCE, names={"twice_itself": "square"})
    assert ended(case(call("twice_itself")), elements(np.square(X)), own)[0] == 0


def test_what_is_none_keeps_its_place_among_gradients(ended: Any, tmp_path: Path) -> None:
    (tmp_path / "one_slope.py").write_text(
        "import numpy as np\n"
        "variable = lambda value, dtype: np.array(value, dtype)\n"
        "gradients = lambda loss, variables: [None, np.ones((2, 2))]\n"
        "eval = np.asarray\n"
    )
    prelude = Prelude(("import one_slope as K",), paths=(str(tmp_path),))
    step = Step("slopes", "gradients", (Ref("x"), [Ref("x"), Ref("x")]))
    ran = replace(case(step), program=replace(case(step).program, outputs=("slopes",)))
    ones = endings.has_elements(np.ones((2, 2)), np.zeros((2, 2)), (0, 0), "got[1]")
    assert ended(ran, ones, prelude, "lists")[0] == 0
    status, said = ended(ran, endings.is_one_array((), "[got[0]]"), prelude, "lists")
    assert (status, said) == (1, "expected one array of shape (); got NoneType of object")


def test_the_head_says_for_what_it_was_made_and_how_it_ends() -> None:
    made_for = replace(REFERENCE, made_for="Python 3.6.15 with keras 2.2.4")
    script = comparing_script(case(call("square")), made_for, elements(X), "two\nlines")
    head = script.partition("import sys")[0].splitlines()
    assert head[:2] == ["# two", "# lines"]
    assert "Python 3.6.15 with keras 2.2.4" in head[-2]
    assert "status 1 where the fault is there, with 0 where it is not" in head[-1]


DEATHS = {
    "signal": ("os.kill(os.getpid(), 8)", Death(), 1, "an end by signal 8"),
    "exit": ("os._exit(3)", Death(), 1, "an end by exit status 3"),
    "exception": ("1 / 0", Death(), 1, "an end by exit status 1"),
    "time": ("time.sleep(30)", Death(seconds=1), 1, "an end by signal 14"),
    "memory": ("np.ones(2**26)", Death(gibibytes=0.25), 1, "GiB"),
    "a refusal that comes": ("1 / 0", Death(refusal=True), 0, "an end by exit status 1"),
    "life": ("0", Death(gibibytes=64), 0, "an end by exit status 0"),
}


def test_a_script_that_is_slow_where_no_time_is_in_question_has_seen_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / "fatal.py").write_text("import os\ndef die():\n    os.kill(os.getpid(), 14)\n")
    program = Program((), (Step("result", "die", ()),), ())
    prelude = Prelude(("import fatal as K",), paths=(str(tmp_path),))
    script = comparing_script(Case(program, {}), prelude, endings.dies("life", Death()), "it dies")
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "does not end within 300 s" in done.stdout


def test_a_process_that_lives_compares() -> None:
    ending = replace(elements(WRONG), death=Death(compares=True))
    script = comparing_script(case(call("square")), REFERENCE, ending, "it may die")
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        1,
        "expected 9.5 at [1, 1]; got 9.0 at [1, 1]",
    )


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("does", "death", "status", "came"), DEATHS.values(), ids=list(DEATHS))
def test_a_process_that_ends_is_watched(
    does: str, death: Death, status: int, came: str, tmp_path: Path
) -> None:
    (tmp_path / "fatal.py").write_text(
        f"import os, time\nimport numpy as np\ndef die():\n    {does}\n"
    )
    program = Program((), (Step("result", "die", ()),), ())
    prelude = Prelude(("import fatal as K",), paths=(str(tmp_path),))
    script = comparing_script(Case(program, {}), prelude, endings.dies("life", death), "it dies")
    for passed in (["-c", script], ["-"]):
        done = subprocess.run(
            [sys.executable, *passed], input=script, capture_output=True, text=True, check=False
        )
        assert done.returncode == status, done
        assert done.stdout.splitlines()[-1].startswith("expected life; got an end by ")
        assert came in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("death", [None, Death(seconds=20), Death(seconds=20, compares=True)])
def test_an_import_that_fails_is_not_the_fault(death: Death | None) -> None:
    prelude = replace(REFERENCE, imports=("import no_such_library as K",))
    ending = replace(elements(X), death=death)
    script = comparing_script(case(call("square")), prelude, ending, "it is wrong")
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2, ended.stderr
    assert "No module named 'no_such_library'" in ended.stderr
    assert "nothing was looked at" in ended.stdout


@pytest.mark.parametrize("death", [None, Death(seconds=20), Death(seconds=20, compares=True)])
@pytest.mark.parametrize("function", ["no_such_function", "keras.no.such_function"])
def test_what_the_script_itself_calls_and_is_not_there_is_not_the_fault(
    death: Death | None, function: str
) -> None:
    ending = replace(elements(X), death=death)
    prelude = replace(REFERENCE, package="conformance.reference")
    script = comparing_script(case(call(function)), prelude, ending, "it is wrong")
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert ended.returncode == 2, ended.stderr
    assert "nothing was looked at, for the implementation lacks" in ended.stdout


def test_an_attribute_that_the_function_looks_for_in_vain_is_the_fault(tmp_path: Path) -> None:
    (tmp_path / "slips.py").write_text("import math\ndef square(x):\n    return math.squared(x)\n")
    prelude = Prelude(("import slips as K",), paths=(str(tmp_path),), absent=BARE)
    script = comparing_script(case(call("square")), prelude, elements(X), "it is wrong")
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "has no attribute 'squared'" in ended.stdout


BARE = frozenset({"variable", "constant", "placeholder", "function", "eval"})


def test_a_script_says_what_the_system_must_have() -> None:
    target = registry.shipped()["keras-2.2.4-cntk"]
    script = comparing_script(
        case(call("square")), subject(target).prelude, elements(X), "it is wrong"
    )
    head = script.partition("import sys")[0]
    assert "# A folder on LD_LIBRARY_PATH must have libmpi.so.12: a link to libmpi.so.40" in head

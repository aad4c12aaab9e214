"""Scripts: status 1 where the fault is there, 0 only where the answer is right."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from conformance.adapters import registry
from conformance.cli.targets.subjects import subject
from conformance.program import Binding, Case, Input, Outputs, Program, Ref, Step
from conformance.program.model import AS_THEY_ARE
from conformance.scripts import Prelude, endings
from conformance.scripts.answers import Bounded, RightAnswer, Words, asserted
from conformance.scripts.endings import Death, ScriptEnding
from conformance.scripts.printing import comparing_script

ROOT = Path(__file__).parents[2]
REFERENCE = Prelude(("import conformance.reference as K",))
NOTHING = Case(Program((), (), ()), {})
X = np.array([[1.0, -2.0], [0.25, 3.0]], "float32")
BARE = frozenset({"variable", "constant", "placeholder", "function", "eval"})
TENSORS = [b for b in Binding if b not in AS_THEY_ARE]


def case(step: Step, array: npt.NDArray[Any] = X, binding: Binding = Binding.VARIABLE) -> Case:
    item = Input("x", array.shape, array.dtype.name, binding)
    return Case(Program((item,), (step,), ("result",)), {"x": array})


def call(function: str, *args: Any, **kwargs: Any) -> Step:
    return Step("result", function, (Ref("x"), *args), tuple(kwargs.items()))


def elements(expected: Any, *, limit: float = 1e-6, dtypes: Sequence[str] = ()) -> ScriptEnding:
    return endings.is_answer(answer(expected, limit=limit, dtypes=dtypes))


def answer(
    expected: Any, *, limit: float = 1e-6, dtypes: Sequence[str] = (), index: tuple[int, ...] = ()
) -> RightAnswer:
    array = np.asarray(expected, "float64")
    return RightAnswer((Bounded(array, np.full(array.shape, limit)),), dtypes, index)


def choices(*expected: Any) -> ScriptEnding:
    arrays = [np.asarray(numbers, "float64") for numbers in expected]
    return endings.is_answer(RightAnswer([Bounded(a, np.zeros(a.shape)) for a in arrays]))


@pytest.fixture
def ended() -> Any:
    def run(
        ran: Case, ending: ScriptEnding, prelude: Prelude = REFERENCE, outputs: Outputs = "tensors"
    ) -> tuple[int, str]:
        """The status with which the script ends, and what it says."""
        script = comparing_script(ran, prelude, ending, "what is wrong", outputs=outputs)
        ast.parse(script, feature_version=(3, 6))
        try:
            exec(compile(script, "script.py", "exec"), {})
        except SystemExit as left:
            return int(str(left.code)), ""
        except Exception as error:
            return 1, f"{type(error).__name__}: {error}"
        return 0, ""

    return run


WRONG = X.astype("float64") ** 2 + [[0, 0], [0, 0.5]]
LONG = np.arange(200, dtype="float32").reshape(100, 2)
PAIRS: dict[str, tuple[Case, ScriptEnding, str]] = {
    "value": (case(call("square")), elements(WRONG), "9.5"),
    "value of a dtype": (case(call("square")), elements(WRONG, dtypes=["float32"]), "9.5"),
    "dtype of a value": (case(call("square")), elements(X**2, dtypes=["float64"]), "float32"),
    "one of many elements": (
        case(call("square"), LONG),
        endings.is_answer(
            replace(answer(np.square(LONG) + (LONG == 7), limit=0), wrong=[np.square(LONG)])
        ),
        "50.",
    ),
    "nan": (case(call("square")), elements(np.full((2, 2), np.nan)), "nan"),
    "shape": (case(call("square")), endings.has_shape((2, 3)), "(2, 2)"),
    "shape of elements": (case(call("sum")), elements(np.zeros((1,))), "()"),
    "shape of no reading": (case(call("sum")), choices(np.zeros((1,)), np.zeros((2,))), "2.25"),
    "value of no reading": (case(call("sum")), choices(0, np.zeros((2,)), 2.5), "2.25"),
    "rank": (
        case(call("sum")),
        endings.is_answer(replace(answer(np.zeros((1,))), rank_alone=True)),
        "()",
    ),
    "value in a shape that need not be": (
        case(call("sum")),
        endings.is_answer(replace(answer(0), rank_alone=True)),
        "2.25",
    ),
    "exception": (case(call("sum", 7)), endings.answers(), "Error: "),
    "dtype": (case(call("square")), endings.has_dtype(["float64"]), "float32"),
    "claimed dtype": (
        case(call("square")),
        endings.reports_dtype("result", ["float64", "int32"], REFERENCE),
        "float32",
    ),
    "static shape": (
        case(call("square")),
        endings.reports_compatible_shape("result", (2, 3), REFERENCE),
        "(2, 2)",
    ),
    "imprecise": (
        case(call("square"), X, Binding.PLACEHOLDER_NONE),
        endings.reports_shape("result", (2, None), REFERENCE),
        "(None, None)",
    ),
    "a static shape and a value": (
        case(call("square")),
        endings.also(endings.reports_shape("result", (2, 2), REFERENCE), elements(WRONG)),
        "9.5",
    ),
    "refusal": (
        case(call("square")),
        endings.refuses(["ValueError"], "ValueError, because"),
        "AssertionError: expected ValueError, because",
    ),
    "another refusal": (
        case(call("square", no_such_argument=1)),
        endings.refuses(["ValueError"], "ValueError"),
        "TypeError: ",
    ),
    "a refusal of another library": (
        case(call("square", no_such_argument=1)),
        endings.refuses(["OwnError"], "OwnError"),
        "",
    ),
    "absent": (NOTHING, endings.looked_up("no_such_function"), "no_such_function"),
    "signature": (
        NOTHING,
        endings.has_signature("relu", "'beta' not in offered"),
        "(x, alpha=0.0, ",
    ),
    "some elements of an output": (
        case(call("square"), LONG),
        endings.gave_elements(["result"], "first > 9"),
        "16.0",
    ),
    "an output": (case(call("square")), endings.gave(["result"], "first[0, 1] == 4"), "9."),
    "an output's array": (
        case(call("square")),
        endings.gave_answer(["result"], answer(WRONG), (0, 0)),
        "9.5",
    ),
    "outputs as they were": (
        case(call("sum"), LONG),
        endings.gave(["result"], "same([[measured(first)]], [[19900.001]])"),
        "19900",
    ),
    "an output that is no array": (
        Case(Program((), (Step("result", "placeholder", (), (("ndim", 1),)),), ("text",)), {}),
        replace(
            endings.gave(["text"], "same([[measured(first)]], [['map']])"),
            observe=("values = [[map(str, [])]]",),
        ),
        "map",
    ),
    "two outputs": (
        case(call("square")),
        endings.all_of(
            [
                endings.gave(["result"], "first[0, 1] != 4"),
                endings.gave_answer(["result"], answer(WRONG), (0, 0)),
            ]
        ),
        "9.5",
    ),
    "count": (case(call("square")), endings.are_arrays("[got]", 2), "AssertionError: [array("),
    "static shape of an input": (
        case(call("square")),
        endings.inputs_fit({"x": (3, 3)}, REFERENCE),
        "(2, 2)",
    ),
}  # fmt: skip
RIGHT: dict[str, tuple[Case, ScriptEnding]] = {
    "value": (case(call("square")), elements(np.square(X))),
    "value, shape and dtype": (case(call("square")), elements(X**2, dtypes=["float32"])),
    "one of two dtypes": (case(call("square")), elements(X**2, dtypes=["float64", "float32"])),
    "one of many elements": (
        case(call("square"), LONG),
        endings.is_answer(answer(np.square(LONG), limit=0, index=(3, 1))),
    ),
    "nan": (case(call("square"), X * np.float32(np.nan)), elements(np.full((2, 2), np.nan))),
    "within the limit": (case(call("square")), elements(np.square(X) + 0.5, limit=0.5)),
    "nothing asked": (case(call("square")), elements(WRONG, limit=np.inf)),
    "no elements": (case(call("square"), X[:0]), elements(np.zeros((0, 2)))),
    "shape": (case(call("square")), endings.has_shape((2, 2))),
    "answer of another reading": (
        case(call("sum")),
        choices(np.zeros((1,)), X.sum(), np.zeros((2,))),
    ),
    "rank": (
        case(call("square")),
        endings.is_answer(replace(answer(np.zeros((3, 3))), rank_alone=True)),
    ),
    "refusal that a reading allows": (
        case(call("sum", 7)),
        endings.or_raises(endings.has_shape(())),
    ),
    "answer": (case(call("sum")), endings.answers()),
    "dtype": (case(call("square")), endings.has_dtype(["float64", "float32"])),
    "claimed dtype": (
        case(call("square")),
        endings.reports_dtype("result", ["float32"], REFERENCE),
    ),
    "claimed dtype of a value": (
        case(call("square")),
        endings.reports_its_dtype("result", REFERENCE),
    ),
    "static shape": (
        case(call("square"), X, Binding.PLACEHOLDER_NONE),
        endings.reports_compatible_shape("result", (2, 3), REFERENCE),
    ),
    "precise": (
        case(call("square")),
        endings.reports_shape("result", (None, 2), REFERENCE),
    ),
    "refusal": (case(call("sum", 7)), endings.refuses([], "an exception")),
    "refusal by class": (
        case(call("square", no_such_argument=1)),
        endings.refuses(["ValueError", "TypeError"], "an exception"),
    ),
    "present": (NOTHING, endings.looked_up("relu")),
    "signature": (NOTHING, endings.has_signature("relu", "'x' not in offered")),
    "count": (case(call("square")), endings.are_arrays("[got]", 1)),
    "static shape of an input": (
        case(call("square")),
        endings.inputs_fit({"x": (2, 2)}, REFERENCE),
    ),
    "some elements of an output": (
        case(call("square"), LONG),
        endings.gave_elements(["result"], "first > 1e9"),
    ),
    "an output": (case(call("square")), endings.gave(["result"], "first[0, 1] != 4")),
    "an output's array": (
        case(call("square")),
        endings.gave_answer(["result"], answer(X**2), (0, 0)),
    ),
    "outputs that are others": (
        case(call("sum"), LONG),
        endings.gave(["result"], "same([[measured(first)]], [[1.5]])"),
    ),
    "unchanged": (
        case(call("square")),
        endings.unchanged(["x"], ["x"]),
    ),
}  # fmt: skip


PRELUDES = {"each": REFERENCE, "strict": replace(REFERENCE, strict=hasattr(np, "isdtype"))}


@pytest.mark.parametrize("prelude", PRELUDES.values(), ids=list(PRELUDES))
@pytest.mark.parametrize(("ran", "ending", "says"), PAIRS.values(), ids=list(PAIRS))
def test_where_the_fault_is_there(
    ran: Case, ending: ScriptEnding, says: str, prelude: Prelude, ended: Any
) -> None:
    status, words = ended(ran, ending, prelude)
    assert status == 1
    assert says in words


@pytest.mark.parametrize(("reported", "status"), [("float64", 1), ("float32", 0)])
def test_a_dtype_that_is_reported_is_that_of_the_value(
    reported: str, status: int, ended: Any, tmp_path: Path
) -> None:
    source = f"from conformance.reference import *\ndef dtype(x):\n    return {reported!r}\n"
    (tmp_path / f"claims_{reported}.py").write_text(source, "utf-8")
    prelude = Prelude((f"import claims_{reported} as K",), paths=(str(tmp_path),))
    ending = endings.reports_its_dtype("result", prelude)
    assert ended(case(call("square")), ending, prelude)[0] == status


@pytest.mark.parametrize("prelude", PRELUDES.values(), ids=list(PRELUDES))
@pytest.mark.parametrize(("ran", "ending"), RIGHT.values(), ids=list(RIGHT))
def test_where_it_is_not(ran: Case, ending: ScriptEnding, prelude: Prelude, ended: Any) -> None:
    status, words = ended(ran, ending, prelude)
    assert status == 0, words


@pytest.mark.parametrize("other", ["K.zeros_like(x)", "K.expand_dims(K.square(x), 0)", "1.0"])
@pytest.mark.parametrize("array", [X, LONG, X[:1]], ids=["short", "long", "row"])
@pytest.mark.parametrize("prelude", PRELUDES.values(), ids=list(PRELUDES))
def test_no_answer_passes_but_the_right_one(
    array: npt.NDArray[Any], other: str, prelude: Prelude, ended: Any, tmp_path: Path
) -> None:
    name = f"gives_{abs(hash(other))}"
    imports = "import conformance.reference as K\nfrom conformance.reference import *\n"
    source = f"{imports}def square(x):\n    return {other}\n"
    (tmp_path / f"{name}.py").write_text(source, "utf-8")
    wrong = replace(prelude, imports=(f"import {name} as K",), paths=(str(tmp_path),))
    ending = elements(np.square(array), dtypes=["float32"], limit=0.5)
    assert ended(case(call("square"), array), ending, wrong)[0] == 1
    assert ended(case(call("square"), array), ending, prelude)[0] == 0


def test_the_tolerance_is_as_wide_as_the_limits_and_refuses_what_they_refuse() -> None:
    value = np.array([1000.0, 1.0, 0.0])
    numbers = Bounded(value, np.array([0.5, 1e-6, 1e-8]))
    near, far = np.array([1000.4, 1.0, 0.0]), np.array([1000.0, 1.0001, 0.0])
    lines = "\n".join(asserted(RightAnswer((numbers,), wrong=(far,)), "got", Words()))
    exec(lines, {"np": np, "got": near})
    for wrong in (far, np.zeros(3), value[:2]):
        with pytest.raises(AssertionError):
            exec(lines, {"np": np, "got": wrong})


def test_the_script_of_a_value_is_what_a_maintainer_would_paste() -> None:
    ending = elements(np.square(X[:1]), dtypes=["float32"])
    prelude = replace(REFERENCE, strict=True, eager=True, made_for="Python 3.11 with keras 3.15.1")
    script = comparing_script(case(call("square"), X[:1]), prelude, ending, "square is wrong")
    assert script.splitlines() == [
        "# square is wrong",
        "# Made for Python 3.11 with keras 3.15.1; status 0 only if right.",
        "import numpy as np",
        "import conformance.reference as K",
        "x = K.variable(np.array([[1.0, -2.0]], dtype='float32'), dtype='float32')",
        "result = K.square(x)",
        "got = K.eval(result)",
        "np.testing.assert_allclose(got, np.array([[1.0, 4.0]], dtype='float32'), rtol=1e-06, "
        "strict=True)",
    ]


@pytest.mark.parametrize("binding", TENSORS)
def test_every_binding_is_evaluated(binding: Binding, ended: Any) -> None:
    assert ended(case(call("square"), X, binding), elements(np.square(X)))[0] == 0
    assert ended(case(call("square"), X, binding), elements(WRONG))[0] == 1


NAN = float("nan")
ALIKE = [(1, 1), (0.1 + 0.2, 0.3), (NAN, NAN), ("a", "a"), ([1, [2.0]], [1, [2.0]])]
OTHERS = [(1, 1.0), (1, True), (1, 2), (1, None), ([1], [1, 1]), ([1], 1), (1.0, 1.1)]


def test_an_integer_is_not_the_same_as_a_float() -> None:
    names: dict[str, Any] = {"np": np}
    exec("\n".join(endings.SAME), names)
    assert all(names["same"](a, b) for a, b in ALIKE)
    assert not any(names["same"](a, b) or names["same"](b, a) for a, b in OTHERS)


def test_an_input_that_a_call_changes(ended: Any, tmp_path: Path) -> None:
    (tmp_path / "changes_input.py").write_text(
        "import numpy as np\n"
        "variable = lambda value, dtype: np.array(value, dtype)\n"
        "get_value = eval = np.asarray\n"
        "def negative(x):\n    x *= -1\n    return x\n"
    )
    prelude = Prelude(("import changes_input as K",), paths=(str(tmp_path),))
    status, output = ended(case(call("negative")), endings.unchanged(["x"], ["x"]), prelude)
    assert status == 1
    assert "Arrays are not equal" in output


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
    assert ended(row, elements(np.square(X[0])), prelude)[0] == 0
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
    ones = endings.is_answer(answer(np.ones((2, 2))), "got[1]", "")
    assert ended(ran, ones, prelude, "lists")[0] == 0
    status, output = ended(ran, endings.are_arrays("[got[0]]", 1), prelude, "lists")
    assert (status, output) == (1, "AssertionError: [None]")


def test_the_head_says_for_what_it_was_made_and_how_it_ends() -> None:
    made_for = replace(REFERENCE, made_for="Python 3.6.15 with keras 2.2.4")
    script = comparing_script(case(call("square")), made_for, elements(X), "two\nlines")
    head = script.partition("import numpy")[0].splitlines()
    assert head == [
        "# two",
        "# lines",
        "# Made for Python 3.6.15 with keras 2.2.4; status 0 only if right.",
    ]


DEATHS = {
    "signal": ("os.kill(os.getpid(), 8)", Death(), 1, "ended by signal 8"),
    "exit": ("os._exit(3)", Death(), 3, ""),
    "exception": ("1 / 0", Death(), 1, "ZeroDivisionError"),
    "time": ("time.sleep(30)", Death(seconds=1), 1, "ended by signal 14"),
    "memory": ("np.ones(2**26)", Death(gibibytes=0.25), 1, "GiB"),
    "life": ("0", Death(gibibytes=64), 0, ""),
}


def alone(script: str, passed: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *(passed or ["-c", script])],
        input=script,
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )


def fatal(folder: Path, does: str, ending: ScriptEnding) -> str:
    """The script of a call that does something."""
    (folder / "fatal.py").write_text(
        f"import os, time\nimport numpy as np\ndef die():\n    {does}\n"
    )
    program = Program((), (Step("result", "die", ()),), ())
    prelude = Prelude(("import fatal as K",), paths=(str(folder),))
    return comparing_script(Case(program, {}), prelude, ending, "it dies")


def test_a_script_that_is_slow_where_no_time_is_in_question_has_seen_nothing(
    tmp_path: Path,
) -> None:
    ending = replace(endings.answers(), death=Death())
    done = alone(fatal(tmp_path, "os.kill(os.getpid(), 14)", ending))
    assert done.returncode == 2
    assert "does not end within 300 s" in done.stdout


def test_a_process_that_lives_compares() -> None:
    ending = replace(elements(WRONG), death=Death())
    done = alone(comparing_script(case(call("square")), REFERENCE, ending, "it may die"))
    assert done.returncode == 1
    assert "9.5" in done.stderr


def test_a_process_that_should_raise_may_die(tmp_path: Path) -> None:
    ending = replace(endings.refuses([], "an exception"), death=Death())
    assert alone(fatal(tmp_path, "1 / 0", ending)).returncode == 0
    assert alone(fatal(tmp_path, "os.kill(os.getpid(), 8)", ending)).returncode == 1
    assert alone(fatal(tmp_path, "0", ending)).returncode == 1


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("does", "death", "status", "says"), DEATHS.values(), ids=list(DEATHS))
def test_a_process_that_ends_is_watched(
    does: str, death: Death, status: int, says: str, tmp_path: Path
) -> None:
    script = fatal(tmp_path, does, replace(endings.answers(), death=death))
    for passed in (["-c", script], ["-"]):
        done = alone(script, passed)
        assert done.returncode == status, done
        assert says in done.stderr


def test_an_attribute_that_the_function_looks_for_in_vain_is_the_fault(tmp_path: Path) -> None:
    (tmp_path / "slips.py").write_text("import math\ndef square(x):\n    return math.squared(x)\n")
    prelude = Prelude(("import slips as K",), paths=(str(tmp_path),), absent=BARE)
    done = alone(comparing_script(case(call("square")), prelude, elements(X), "it is wrong"))
    assert done.returncode == 1
    assert "has no attribute 'squared'" in done.stderr


def test_a_script_says_what_the_system_must_have() -> None:
    prelude = subject(registry.shipped()["keras-2.2.4-cntk"]).prelude
    script = comparing_script(case(call("square")), prelude, elements(X), "it is wrong")
    head = script.partition("import numpy")[0]
    assert "# A folder on LD_LIBRARY_PATH must have libmpi.so.12: a link to libmpi.so.40" in head

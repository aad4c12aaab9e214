"""A script compiles and differentiates as users of its backend do, in a few lines.

The libraries are small fakes on NumPy: what a script passes them decides whether it is right.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conformance.program import Argument, Binding, Case, Input, Program, Ref, Step
from conformance.scripts import Prelude, comparing_script, endings
from conformance.scripts.answers import Bounded, RightAnswer
from conformance.scripts.endings import ScriptEnding

X = np.array([1.0, -2.0], dtype="float32")
KERAS = """
import sys
import types

import numpy as np

ops = types.SimpleNamespace(
    square=lambda x: (np.asarray(x) ** 2).view(Tensor),
    convert_to_tensor=lambda x, dtype: np.array(x, dtype).view(Tensor),
    convert_to_numpy=np.asarray,
    cast=lambda x, dtype: x.astype(dtype),
)
tree = types.SimpleNamespace(flatten=lambda x: [x])


class Tensor(np.ndarray):
    def requires_grad_(self):
        self.moves = True
"""
LIBRARIES = {
    "jax": """
def jit(function):
    return function

def vjp(function, x):
    return function(x), lambda above: (2 * x * above,)
""",
    "mlx": """
import sys
import types

def compile(function):
    return function

def vjp(function, tensors, above):
    (x,), (weights,) = tensors, above
    return [function(x)], [2 * x * weights]

__path__ = []
core = sys.modules["mlx.core"] = types.SimpleNamespace(compile=compile, vjp=vjp)
""",
    "tensorflow": """
watched = []

class GradientTape:
    def __enter__(self):
        return self
    def __exit__(self, *_):
        pass
    def watch(self, tensors):
        watched.extend(tensors)
    def gradient(self, result, tensors, above):
        return [2 * x * above if any(x is w for w in watched) else None for x in tensors]

class TensorSpec:
    def __init__(self, shape, dtype):
        self.shape = tuple(shape)

def function(called, specs=None, autograph=True, jit_compile=False):
    assert specs is None or [s.shape for s in specs] == [(None,)]
    return called
""",
    "torch": """
import types

def compile(function, backend, fullgraph):
    return function

def grad(result, tensors, above, allow_unused):
    return [2 * x * above if x.moves else None for x in tensors]

autograd = types.SimpleNamespace(grad=grad)
""",
}
COMPILERS = {
    "jax": "jax.jit(",
    "mlx": "mx.compile(",
    "tensorflow": "tf.function(",
    "torch": "torch.compile(",
}
TENSORS = tuple(Input(n, (2,), "float32", Binding.CONSTANT) for n in ("x", "weights"))


def prelude(backend: str, folder: Path) -> Prelude:
    words = {
        "constant": "keras.ops.convert_to_tensor({value}, {dtype})",
        "read": "keras.ops.convert_to_numpy({tensor})",
    }
    environment = {"KERAS_BACKEND": backend}
    paths = (str(folder),)
    return Prelude(
        (), environment, paths=paths, definitions={}, short=words, eager=True, backend=backend
    )


def differentiated(
    expected: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> tuple[Case, ScriptEnding]:
    name = "keras.ops.square"
    variables: list[Argument] = [Ref("x")]
    call = Step("result", name, (Ref("x"),))
    step = Step("gradients", "differentiated", (name, Ref("weights"), variables, Ref("x")))
    case = Case(
        Program(TENSORS, (call, step), ("gradients", "result")),
        {"x": X, "weights": np.full(2, 3, "float32")},
    )
    answer = RightAnswer((Bounded(expected, np.zeros(2)),))
    return case, ScriptEnding(answers=(("got[0]", answer),))


def compiled(whole: bool | list[Argument]) -> tuple[Case, ScriptEnding]:
    step = Step("result", "compiled", ("keras.ops.square", whole, Ref("x")))
    answer = RightAnswer((Bounded(X**2, np.zeros(2)),))
    return Case(Program(TENSORS[:1], (step,), ("result",)), {"x": X}), endings.is_answer(answer)


def ended(script: str, folder: Path) -> tuple[int, str]:
    (folder / "keras.py").write_text(KERAS, encoding="utf-8")
    for name, source in LIBRARIES.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-B", "-"], input=script, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(("factor", "status"), [(6.0, 0), (5.0, 1)])
@pytest.mark.parametrize("backend", LIBRARIES)
def test_gradients_by_the_means_of_the_backend(
    backend: str, factor: float, status: int, tmp_path: Path
) -> None:
    case, ending = differentiated(factor * X.astype("float64"))
    script = comparing_script(case, prelude(backend, tmp_path), ending, "t", outputs="lists")
    answered = ended(script, tmp_path)
    assert answered[0] == status, answered[1]
    assert ("AssertionError" in answered[1]) == bool(status)
    assert len(script.splitlines()) <= 18


@pytest.mark.parametrize("whole", [True, False, [Ref("x")]])
@pytest.mark.parametrize("backend", LIBRARIES)
def test_a_compiled_call_takes_one_line(
    backend: str, whole: bool | list[Argument], tmp_path: Path
) -> None:
    case, ending = compiled(whole)
    script = comparing_script(case, prelude(backend, tmp_path), ending, "t")
    assert ended(script, tmp_path) == (0, "")
    (line,) = (line for line in script.splitlines() if line.startswith("result ="))
    assert COMPILERS[backend] in line
    unknown = backend == "tensorflow" and isinstance(whole, list)
    assert ("[None, *x.shape[1:]]" in line) is unknown


def test_a_backend_without_means_says_so(tmp_path: Path) -> None:
    for (case, ending), words in (
        (differentiated(X), "differentiates"),
        (compiled(True), "compiles"),
    ):
        script = comparing_script(case, prelude("numpy", tmp_path), ending, "t", outputs="lists")
        status, errors = ended(script, tmp_path)
        assert (status, f"NotImplementedError: numpy {words} nothing" in errors) == (1, True)

"""What a backend that hangs or dies costs: the time of a run, and the losses that it reports.

    python -m benchmarks.losses [--edition keras-2.2] [-k EXPRESSION] [--jobs N] [ROW...]

Each row is a run of the profile smoke on a fake, with the default limits: the reference for
keras-2.2; for keras-3 `keras.ops` on NumPy, of the environment that
`conformance install keras3-ops-numpy` makes. In the fake some functions fail in some calls:

* `eagerly`: calls with values alone (in the reference: arrays and variables);
* `symbolically`: calls with a placeholder or a symbolic tensor (or a constant of the reference);
* `compiled`: what `K.function` returns, or a call compiled as its users compile it;
* `probed`: the square of a variable or of an empty array, which the suite calls before all else.

The fake writes a line into a file before it fails. The table compares these lines with the losses
that the results count. A row is `HOW-WHEN-FUNCTION`, such as `hangs-eagerly-softmax` or
`dies-symbolically-all`; `healthy` is the fake without a failure.

Waits hardly depend on the load of the machine. On a busy machine compare `waited` and the losses,
not the wall time. With `--jobs 1` a function costs its waits, and a start of the worker for each
loss.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import click
from rich.table import Table

from benchmarks.printing import printed
from conformance.adapters import mappings
from conformance.adapters.layout import venv_folder, venv_python
from conformance.adapters.registry import shipped
from conformance.reporting.json_results import read_results
from conformance.results import Verdict

WHEN = ("eagerly", "symbolically", "compiled", "probed")
ROWS = (
    "healthy",
    *(f"hangs-{when}-{name}" for when in WHEN for name in ("softmax", "square")),
    *(f"{how}-{when}-all" for how in ("hangs", "dies") for when in WHEN[:3]),
)
MODULES = {"keras-2.2": "fake_reference", "keras-3": "keras.ops"}
COMMON = """
import functools, os, time

HOW, WHEN, NAME = os.environ["FAULT"].split("-")

def fail(name):
    place, begun = f"{os.environ['LOSSES']}-{time.time_ns()}", time.monotonic()
    while True:
        with open(place + ".new", "w") as file:
            file.write(f"{name} {time.monotonic() - begun}")
        os.replace(place + ".new", place)
        if HOW == "dies":
            os._exit(3)
        time.sleep(0.2)

def chosen(name):
    return NAME in ("all", name.rpartition(".")[2])

def failing(name, function, is_symbolic, is_probe):
    @functools.wraps(function)
    def call(*args, **kwargs):
        values = [*args, *kwargs.values()]
        symbolic = any(map(is_symbolic, values))
        if WHEN == ("symbolically" if symbolic else "eagerly") or (
            WHEN == "probed" and any(map(is_probe, values))
        ):
            fail(name)
        return function(*args, **kwargs)
    return call
"""
REFERENCE = """
from conformance import reference
from conformance.reference import *
import faults

def __getattr__(name):
    return getattr(reference, name)

def is_symbolic(x):
    return type(x).__name__ in ("Placeholder", "Tensor")

def is_probe(x):
    return type(x).__name__ == "Variable"

for name in reference.__all__:
    if faults.chosen(name) and callable(getattr(reference, name)):
        globals()[name] = faults.failing(name, getattr(reference, name), is_symbolic, is_probe)

if faults.WHEN == "compiled":
    def function(inputs, outputs, *args, **kwargs):
        compute = reference.function(inputs, outputs, *args, **kwargs)
        return lambda *values: faults.fail("function")
"""
KERAS = """
import keras, faults

def is_symbolic(x):
    parts = x if isinstance(x, (list, tuple)) else [x]
    return any(isinstance(part, keras.KerasTensor) for part in parts)

def is_probe(x):
    return isinstance(x, keras.Variable) or getattr(x, "size", 1) == 0

for place, module in (("keras.ops", keras.ops), ("keras.ops.image", keras.ops.image),
                      ("keras.random", keras.random)):
    for name, function in list(vars(module).items()):
        if faults.chosen(name) and callable(function) and not isinstance(function, type):
            whole = f"{place}.{name}"
            setattr(module, name, faults.failing(whole, function, is_symbolic, is_probe))

def compiled(name, whole, /, *args, **kwargs):
    if faults.WHEN == "compiled" and faults.chosen(name):
        faults.fail(name)
    import operator
    function = name if callable(name) else operator.attrgetter(name.partition(".")[2])(keras)
    return function(*args, **kwargs)
"""
TABLE = """
[targets.fake]
module = "{module}"
edition = "{edition}"
path = "."
{more}

[targets.fake.environment]
FAULT = "{fault}"
LOSSES = "{{compiled}}/losses"
KERAS_BACKEND = "numpy"
KERAS_HOME = "{{home}}"
"""
COMPILED = """[functions.compiled]
old = "name, whole, /, *args, **kwargs"
new = "fake_keras.compiled(name, whole, *args, **kwargs)"

"""


@dataclass(frozen=True, slots=True)
class LossRun:
    """What a run on a fake took, and what its results say."""

    wall: float
    cpu: float
    functions: int
    losses: int
    """How often the fake failed."""
    waited: float
    """How many seconds the suite waited for it."""
    counted: int
    """How many losses the results count."""
    bad: int
    """The functions that are timed out or crashed."""
    shortened: tuple[str, ...]
    status: int


def fake(folder: Path, edition: str, fault: str) -> None:
    """Write a target `fake` into a folder."""
    (folder / "faults.py").write_text(COMMON, "utf-8")
    more = ""
    if edition == "keras-3":
        (folder / "fake_keras.py").write_text(KERAS, "utf-8")
        text = Path(mappings.__file__).with_name("keras3_ops.toml").read_text("utf-8")
        head, _, rest = text.partition("[functions.compiled]")
        rest = rest[rest.index("[functions.") :]
        text = head.replace('"import keras"', '"import keras", "import fake_keras"')
        (folder / "keras3_ops.toml").write_text(text + COMPILED + rest, "utf-8")
        venv = shipped()["keras3-ops-numpy"].venv
        assert venv is not None
        python = venv_python(venv_folder(venv))
        more = f'python = "{python}"\nmapping = "keras3_ops.toml"\nstartup = ["import fake_keras"]'
    else:
        (folder / "fake_reference.py").write_text(REFERENCE, "utf-8")
    table = TABLE.format(module=MODULES[edition], edition=edition, fault=fault, more=more)
    (folder / "conformance.toml").write_text(table, "utf-8")


def measure(edition: str, fault: str, options: tuple[str, ...]) -> LossRun:
    """Run the suite on a fake."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fake(folder, edition, fault if fault != "healthy" else "hangs-never-none")
        run = (sys.executable, "-m", "conformance", "run", "fake", "--profile", "smoke")
        output = ("--no-database", "--quiet", "--output", "out", *options)
        before, begun = os.times(), time.monotonic()
        done = subprocess.run(
            (*run, *output),
            cwd=folder,
            env={**os.environ, "CONFORMANCE_HOME": str(folder / "home")},
            stdout=subprocess.PIPE,
            check=False,
        )
        wall, after = time.monotonic() - begun, os.times()
        results = read_results(folder / "out" / "fake.json")
        failed = [path.read_text("utf-8").split() for path in folder.glob("home/**/losses-*[0-9]")]
    bad = [
        function.function
        for function in results.functions
        if any(a.verdict in (Verdict.TIMED_OUT, Verdict.CRASHED) for a in function.aspects)
    ]
    return LossRun(
        wall=wall,
        cpu=sum(after[2:4]) - sum(before[2:4]),
        functions=len(results.functions),
        losses=len(failed),
        waited=math.fsum(float(seconds) for _, seconds in failed),
        counted=results.run.restarts,
        bad=len(bad),
        shortened=tuple(results.run.shortened or ()),
        status=done.returncode,
    )


@click.command(help=__doc__)
@click.option("--edition", type=click.Choice(sorted(MODULES)), default="keras-2.2")
@click.option("-k", "selection", help="Only these functions, as in `conformance run`.")
@click.option("--jobs", type=int, help="As in `conformance run`; with 1, no two waits overlap.")
@click.argument("rows", nargs=-1)
def main(edition: str, selection: str | None, jobs: int | None, rows: tuple[str, ...]) -> None:
    """Print one line for each row."""
    chosen = {"-k": selection, "--jobs": jobs and str(jobs)}
    options = tuple(text for name, value in chosen.items() if value for text in (name, value))
    table = Table(
        "row", "wall s", "CPU s", "waited s", "functions", "bad", "failed", "counted", "shortened"
    )
    for row in rows or ROWS:
        run = measure(edition, row, options)
        figures = (run.wall, run.cpu, run.waited, run.functions, run.bad, run.losses, run.counted)
        print(row, run, file=sys.stderr, flush=True)
        table.add_row(row, *(f"{figure:.0f}" for figure in figures), "\n".join(run.shortened))
    printed(table)


if __name__ == "__main__":
    main()

"""Print a case as a standalone Python script that runs without this suite."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from conformance.program.calls import (
    argument_text,
    catches_prints,
    imports_again,
    step_lines,
    uses_package,
)
from conformance.program.endings import TELL, Ending, body, watching
from conformance.program.layouts import relaid
from conformance.program.literals import assignment
from conformance.program.model import Binding, Case, Input, Layout, Program

_WIDTH = 98
"""Columns of the words at the head of a script."""
Outputs = Literal["tensors", "lists", "values"]
"""What the outputs of a program are: tensors, lists of tensors, or values that are known."""


BACKEND = "{backend}"
"""Stands for the name of the target's own backend in the texts of a `Home` and of its program."""


PRINTED = """
def printed(function, *args):
    import ctypes, os, sys, tempfile
    streams = sys.stdout, sys.stderr
    kept = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as file:
        try:
            for number, stream in enumerate(streams, 1):
                stream.flush()
                os.dup2(file.fileno(), number)
            function(*args)
        finally:
            ctypes.CDLL(None).fflush(None)
            for number, stream in enumerate(streams, 1):
                stream.flush()
                os.dup2(kept[number - 1], number)
        file.seek(0)
        return file.read().decode(errors='replace')

""".splitlines()
"""A function for scripts that returns what a call prints."""

IMPORTED = """
def printed_import():
    import subprocess, sys
""".splitlines()
"""The beginning of one that returns what another process prints that imports the module."""


UNIMPORTED = """
def unimported(kind, error, trace):
    sys.__excepthook__(kind, error, trace)
    print('nothing was looked at, for the implementation cannot be imported')
    sys.exit(2)


sys.excepthook = unimported
""".splitlines()
"""An exception before the case is run is not the fault: the script ends with another status."""


@dataclass(frozen=True, slots=True)
class Home:
    """A home folder that a script makes before it imports anything.

    `configuration` is the text of `keras.json` there, None for no such file; variables of
    `environment` that are None are removed.
    """

    configuration: str | None
    environment: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Prelude:
    """How a script reaches a target: environment variables and the import of `K`."""

    imports: Sequence[str] = ("from keras import backend as K",)
    environment: Mapping[str, str] | None = None
    package: str = "keras"
    """The package that `keras.NAME` in a program means."""
    backend: str = ""
    """What `K.backend()` returns."""
    home: Home | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    """Documented names to the module's own, where they differ."""
    paths: Sequence[str] = ()
    """Folders to import from."""
    absent: frozenset[str] = frozenset()
    """Functions that `K` lacks, or that a script cannot use."""
    computes: bool = False
    """Whether `K` of a script has `function` and `eval`, whatever the worker's adapter offers."""
    eager_inputs: bool = False
    """Whether inputs have values: constants replace placeholders."""
    definitions: Mapping[str, Sequence[str]] | None = None
    """For each function of `K` the lines that define it, if no module has them."""
    eager: bool = False
    """Whether the implementation computes at once, so that nothing is compiled without inputs."""
    made_for: str = ""
    """The interpreter and the versions that a script was made for, in words."""
    needs: Sequence[str] = ()
    """Sentences on what the system must have besides, such as shared libraries."""


def print_script(
    case: Case,
    prelude: Prelude,
    comments: Sequence[str] = (),
    echo: str | None = None,
    *,
    outputs: Outputs = "tensors",
) -> str:
    """Python source that runs the case and prints every result; `comments` go at the end.

    `echo` names a fed input that the function may have returned as its result: some
    implementations cannot compute an output that is an input. `outputs` says what the
    outputs are: values are printed as they are.
    """
    program = _reached(case.program, prelude)
    lines = [*_values(case), *_run(program)]
    if echo in _fed(program):
        lines.append(f"if {program.outputs[0]} is {echo}:")
        lines.append(f"    raise SystemExit('the result is {echo} itself: ' + repr({echo}_value))")
    if outputs == "values":
        lines += [f"print({name!r}, repr({name}))" for name in program.outputs]
    else:
        lines += _evaluate(program, prelude.absent, listed=outputs == "lists")
    reached = [*_prelude(prelude, lines, uses_package=uses_package(program.steps)), ""]
    lines = [*reached, *_printing(program, prelude), *lines]
    lines += [f"# {part}" for comment in comments for part in comment.splitlines() or [""]]
    return _joined(lines, prelude)


def comparing_script(
    case: Case,
    prelude: Prelude,
    ending: Ending,
    title: str,
    *,
    echo: str | None = None,
    outputs: Outputs = "tensors",
) -> str:
    """Python source that runs the case and says whether the fault is there.

    It ends with status 1 if it is, with 0 if it is not, and with 2 if the implementation cannot be
    imported. The other arguments are those of
    `print_script`; `title` says in words what the fault is.
    """
    program = _reached(case.program, prelude)
    run = [*_run(program, steps=ending.steps), *_observed(program, prelude, ending, echo, outputs)]
    before = [f"{n}_before = {n}_value.copy()" for n in case.arrays if f"{n}_before" in str(ending)]
    called = [*run, *ending.helpers]
    reached = _prelude(prelude, called, uses_package=uses_package(program.steps))
    if prelude.home is not None:  # the import may be what fails
        run, reached = [*reached, *run], ["import numpy as np"]
    helpers = [*_printing(program, prelude), *ending.helpers]
    if prelude.home is None:
        reached = [*UNIMPORTED, *reached, "sys.excepthook = sys.__excepthook__"]
    told = () if ending.death and not ending.death.compares else TELL
    watch = watching(ending, ending.death) if ending.death else ()
    lines = [*_head(title, prelude), "import sys", *watch, *reached, *told, "", *helpers]
    return _joined([*lines, *_values(case), *before, *body(ending, run)], prelude)


def _printing(program: Program, prelude: Prelude) -> Iterator[str]:
    """The functions that catch what the program's steps print, as far as it needs them."""
    if catches_prints(program.steps):
        yield from PRINTED
    if imports_again(program.steps):
        paths = [f"import sys; sys.path[:0] = {list(prelude.paths)!r}"] if prelude.paths else []
        source = "; ".join([*paths, *prelude.imports])
        yield from IMPORTED
        yield f"    done = subprocess.run([sys.executable, '-c', {source!r}],"
        yield "                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)"
        yield from ("    return done.stdout.decode(errors='replace')", "")


def _joined(lines: Sequence[str], prelude: Prelude) -> str:
    script = "\n".join(lines) + "\n"
    return script.replace(BACKEND, prelude.backend) if prelude.home else script


def _head(title: str, prelude: Prelude) -> Iterator[str]:
    for line in title.splitlines():
        yield from (f"# {part}".rstrip() for part in textwrap.wrap(line, _WIDTH) or [""])
    yield "#"
    yield f"# Run it with Python: it was made for {prelude.made_for or 'any that has the library'}."
    yield from (f"# {sentence}" for sentence in prelude.needs)
    yield "# It ends with status 1 where the fault is there, with 0 where it is not."


def _reached(program: Program, prelude: Prelude) -> Program:
    program = _without_int_shape(program, prelude.absent)
    return replace(program, inputs=tuple(_as_bound(i, prelude) for i in program.inputs))


def _values(case: Case) -> list[str]:
    """The statements that make the arrays."""
    layouts = {item.name: item.layout for item in case.program.inputs}
    lines = []
    for name, array in case.arrays.items():
        lines += assignment(f"{name}_value", array)
        lines += relaid(f"{name}_value", layouts.get(name, Layout.C))
    return lines


def _run(program: Program, *, steps: bool = True) -> list[str]:
    lines = [_bind(item) for item in program.inputs]
    return lines + [line for step in program.steps if steps for line in step_lines(step)]


def _observed(
    program: Program, prelude: Prelude, ending: Ending, echo: str | None, outputs: Outputs
) -> Sequence[str]:
    """The lines after which `got` is the list of what the outputs gave."""
    if ending.observe is not None:
        return ending.observe
    if not ending.steps or outputs == "values":
        return ()
    if outputs == "lists":
        return _listed(program, prelude)
    computed = _computed(program, prelude, f"[{', '.join(program.outputs)}]")
    if echo not in _fed(program):
        return computed
    indented = (f"    {line}" for line in computed)
    return [f"if {program.outputs[0]} is {echo}:", f"    got = [{echo}_value]", "else:", *indented]


def _listed(program: Program, prelude: Prelude) -> Sequence[str]:
    """For outputs that are lists of tensors; what is None is not evaluated."""
    parts = " + ".join(f"flattened({name})" for name in program.outputs)
    return [
        "def flattened(parts):",
        "    return list(parts) if isinstance(parts, (list, tuple)) else [parts]",
        f"tensors = {parts}",
        *_computed(program, prelude, "[t for t in tensors if t is not None]"),
        "computed = iter(got)",
        "got = [t if t is None else next(computed) for t in tensors]",
    ]


def _computed(program: Program, prelude: Prelude, tensors: str) -> list[str]:
    """By the way that the worker takes: by `function`, and if that refuses to have no inputs, by
    `eval`."""
    fed = _fed(program)
    if fed:
        values = ", ".join(f"{n}_value" for n in fed)
        return [f"got = K.function([{', '.join(fed)}], {tensors})([{values}])"]
    value = "np.asarray(t)" if "eval" in prelude.absent else "K.eval(t)"
    each = f"got = [{value} for t in {tensors}]"
    if prelude.eager or prelude.definitions is not None or "function" in prelude.absent:
        return [each]
    compiled = f"    got = K.function([], {tensors})([])"
    return ["try:", compiled, "except Exception:", f"    {each}"]


def _without_int_shape(program: Program, absent: frozenset[str]) -> Program:
    """The program without its calls of `int_shape`, if that is absent."""
    if "int_shape" not in absent:
        return program
    asked = {s.result for s in program.steps if s.function == "int_shape"} & {*program.outputs}
    return replace(
        program,
        steps=tuple(step for step in program.steps if step.result not in asked),
        outputs=tuple(name for name in program.outputs if name not in asked),
    )


def _prelude(prelude: Prelude, body: Sequence[str], *, uses_package: bool) -> list[str]:
    lines = []
    if prelude.environment or prelude.home:
        lines = ["import os", ""]
        environment = sorted((prelude.environment or {}).items())
        lines += [f"os.environ[{k!r}] = {v!r}" for k, v in environment]
        lines += _home(prelude.home) if prelude.home else []
        lines.append("")
    name = prelude.package
    package = f"import {name}" if name == "keras" else f"import {name} as keras"
    lines += (
        ["import sys", "", f"sys.path[:0] = {list(prelude.paths)!r}", ""] if prelude.paths else []
    )
    imports = ["import numpy as np", *([package] if uses_package else []), *prelude.imports]
    return [*lines, *dict.fromkeys(imports), *_definitions(prelude, body), *_renamed(prelude)]


def _definitions(prelude: Prelude, body: Sequence[str]) -> Iterator[str]:
    """A class `K` with the functions that the body calls, if no module has them."""
    if prelude.definitions is None:
        return
    called = dict.fromkeys(re.findall(r"\bK\.(\w+)", "\n".join(body)))
    yield from ("", "", "class K:")
    if not {*called} & {*prelude.definitions}:
        yield "    pass"
    for name in called:
        if name in prelude.definitions:
            yield from (f"    {line}" for line in prelude.definitions[name])
            yield ""


def _renamed(prelude: Prelude) -> list[str]:
    return [f"K.{name} = K.{own}" for name, own in sorted(prelude.names.items())]


def _home(home: Home) -> Iterator[str]:
    yield "import tempfile"
    yield "os.environ['HOME'] = tempfile.mkdtemp()"
    yield "os.environ['KERAS_HOME'] = os.path.join(os.environ['HOME'], '.keras')"
    if home.configuration is not None:
        yield "os.mkdir(os.environ['KERAS_HOME'])"
        yield "with open(os.path.join(os.environ['KERAS_HOME'], 'keras.json'), 'w') as file:"
        yield f"    file.write({home.configuration!r})"
    for name, value in sorted(home.environment.items()):
        yield (
            f"os.environ.pop({name!r}, None)"
            if value is None
            else f"os.environ[{name!r}] = {value!r}"
        )


def offered(binding: Binding, absent: frozenset[str]) -> Binding:
    """The binding that a worker uses instead of one that the implementation lacks."""
    if str(binding).partition("_")[0] not in absent:
        return binding
    instead = (b for b in (Binding.VARIABLE, Binding.CONSTANT) if str(b) not in absent)
    return next(instead, Binding.ARRAY)


def _as_bound(item: Input, prelude: Prelude) -> Input:
    """The input as a worker binds it. One with arguments of its own is under test, and stays."""
    if item.binding is Binding.PLACEHOLDER and item.arguments is not None:
        return item
    fed = str(item.binding).startswith("placeholder")
    binding = Binding.CONSTANT if fed and prelude.eager_inputs else item.binding
    binding = offered(binding, prelude.absent)
    kept = item.arguments if str(binding).startswith("placeholder") else None
    return replace(item, binding=binding, arguments=kept)


def _fed(program: Program) -> list[str]:
    placeholders = (Binding.PLACEHOLDER, Binding.PLACEHOLDER_NONE)
    return [i.name for i in program.inputs if i.binding in placeholders]


def _bind(item: Input) -> str:
    binding = item.binding
    if binding is Binding.ARRAY:
        return f"{item.name} = {item.name}_value"
    if binding is Binding.PYTHON:
        return f"{item.name} = {item.name}_value.tolist()"
    if item.arguments is not None:
        passed = ", ".join(f"{k}={argument_text(v)}" for k, v in item.arguments)
        return f"{item.name} = K.placeholder({passed})"
    if binding in (Binding.VARIABLE, Binding.CONSTANT):
        return f"{item.name} = K.{binding}({item.name}_value, dtype={item.dtype!r})"
    return f"{item.name} = K.placeholder(shape={item.static_shape!r}, dtype={item.dtype!r})"


def _evaluate(program: Program, absent: frozenset[str], *, listed: bool) -> list[str]:
    outputs = program.outputs
    value = "np.asarray({})" if "eval" in absent else "K.eval({})"
    tell = "" if absent & {"dtype", "int_shape"} else "print(K.dtype({0}), K.int_shape({0}))"
    fed = _fed(program)
    tensors = " + ".join(outputs) if listed else f"[{', '.join(outputs)}]"
    lines = [tell.format(name) for name in outputs if tell and not listed]
    if fed:
        call = f"K.function([{', '.join(fed)}], {tensors})"
        return [*lines, f"print({call}([{', '.join(f'{n}_value' for n in fed)}]))"]
    if listed:
        return [*lines, f"print([{value.format('t')} for t in {tensors}])"]
    return lines + [f"print(repr({value.format(name)}))" for name in outputs]

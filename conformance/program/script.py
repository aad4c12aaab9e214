"""Print a case as a standalone Python script that runs without this suite."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from conformance.program.calls import (
    catches_prints,
    imports_again,
    step_lines,
    uses_package,
)
from conformance.program.endings import TELL, UNREACHED, Ending, body, lacking, watching
from conformance.program.layouts import relaid
from conformance.program.literals import assignment
from conformance.program.model import Case, Layout, Program
from conformance.program.prelude import CONVERTER, Home, Prelude
from conformance.program.reaching import bound, fed_inputs, reached

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
    program = reached(case.program, prelude)
    lines = [*_values(case), *_run(program, prelude)]
    if echo in fed_inputs(program):
        lines.append(f"if {program.outputs[0]} is {echo}:")
        lines.append(f"    raise SystemExit('the result is {echo} itself: ' + repr({echo}_value))")
    if outputs == "values":
        lines += [f"print({name!r}, repr({name}))" for name in program.outputs]
    else:
        lines += _evaluate(program, prelude, listed=outputs == "lists")
    before = [*_prelude(prelude, lines, uses_package=_uses_package(program, lines)), ""]
    lines = [*before, *_printing(program, prelude), *lines]
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
    imported, or lacks what the script calls. The other arguments are those of
    `print_script`; `title` says in words what the fault is.
    """
    program = reached(case.program, prelude)
    run = [*_run(program, prelude, steps=ending.steps)]
    run += _observed(program, prelude, ending, echo, outputs)
    before = [f"{n}_before = {n}_value.copy()" for n in case.arrays if f"{n}_before" in str(ending)]
    own = [*_evaluating(prelude, [*run, *ending.helpers, *ending.compare]), *ending.helpers]
    called = [*run, *own, *ending.compare]
    imports = _prelude(prelude, called, uses_package=_uses_package(program, run))
    if prelude.home is not None:  # the import may be what fails
        run, imports = [*imports, *run], ["import numpy as np"]
    else:
        imports = [*UNIMPORTED, *imports, "sys.excepthook = sys.__excepthook__"]
    alone = ending.death is not None and not ending.death.compares
    told = [*lacking(_called(called)), *(UNREACHED if alone else TELL)]
    watch = watching(ending, ending.death) if ending.death else ()
    helpers = [*_printing(program, prelude), *own]
    lines = [*_head(title, prelude), "import sys", *watch, *imports, *told, "", *helpers]
    return _joined([*lines, *_values(case), *before, *body(ending, run)], prelude)


def _uses_package(program: Program, lines: Iterable[str]) -> bool:
    """Whether a script needs the implementation's package besides `K`."""
    return uses_package(program.steps) or any(f"{CONVERTER}(" in line for line in lines)


def _called(lines: Sequence[str]) -> list[str]:
    """The names in `K` and in the package that these lines use."""
    return sorted({*re.findall(r"\bK\.\w+|\bkeras(?:\.\w+)+", "\n".join(lines))})


def _evaluating(prelude: Prelude, lines: Sequence[str]) -> Iterator[str]:
    """The function that gives the value of one tensor as the worker reads it, if lines call it."""
    if not any("evaluated(" in line for line in lines):
        return
    yield from ("", "", "def evaluated(value):")
    each = f"return {prelude.read}(value)"
    if prelude.at_once:
        yield f"    {each}"
    else:
        yield from ("    try:", "        return K.function([], [value])([])[0]")
        yield from ("    except Exception:", f"        {each}")
    yield from ("", "")


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


def _values(case: Case) -> list[str]:
    """The statements that make the arrays."""
    layouts = {item.name: item.layout for item in case.program.inputs}
    lines = []
    for name, array in case.arrays.items():
        lines += assignment(f"{name}_value", array)
        lines += relaid(f"{name}_value", layouts.get(name, Layout.C))
    return lines


def _run(program: Program, prelude: Prelude, *, steps: bool = True) -> list[str]:
    lines = [bound(item, prelude) for item in program.inputs]
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
    if echo not in fed_inputs(program):
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
    fed = fed_inputs(program)
    if fed:
        values = ", ".join(f"{n}_value" for n in fed)
        return [f"got = K.function([{', '.join(fed)}], {tensors})([{values}])"]
    each = f"got = [{prelude.read}(t) for t in {tensors}]"
    if prelude.at_once:
        return [each]
    compiled = f"    got = K.function([], {tensors})([])"
    return ["try:", compiled, "except Exception:", f"    {each}"]


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


def _evaluate(program: Program, prelude: Prelude, *, listed: bool) -> list[str]:
    outputs = program.outputs
    value = f"{prelude.read}({{}})"
    tell = (
        "" if prelude.absent & {"dtype", "int_shape"} else "print(K.dtype({0}), K.int_shape({0}))"
    )
    fed = fed_inputs(program)
    tensors = " + ".join(outputs) if listed else f"[{', '.join(outputs)}]"
    lines = [tell.format(name) for name in outputs if tell and not listed]
    if fed:
        call = f"K.function([{', '.join(fed)}], {tensors})"
        return [*lines, f"print({call}([{', '.join(f'{n}_value' for n in fed)}]))"]
    if listed:
        return [*lines, f"print([{value.format('t')} for t in {tensors}])"]
    return lines + [f"print(repr({value.format(name)}))" for name in outputs]
